/*
 * The policies of a virtual drive: what is asked for, what holds, and why; what the presets of
 * the controller's profile make of them, and what they give up. What the drives' own caches make
 * of it is ctl_drive_cache.c's.
 */
#ifndef ARRAYWRIGHT_CTL_VD_POLICIES_H
#define ARRAYWRIGHT_CTL_VD_POLICIES_H

#include "ctl/ctl_private.h"

struct policies_subject {
    const struct ctl *ctl;
    const struct vd_config *vd;      /* what is asked for */
    struct ctl_drive *const *drives; /* NULL entries are missing */
    uint32_t drive_count;
    const struct ctl_group *cg;      /* NULL: it has not been made */
    const struct ctl_vd *cv;         /* NULL: it has not been made */
    bool asked;                      /* its write policy is asked for in this run */
    bool ahead;                      /* what would be, not what is */
};

void policies_judge(const struct policies_subject *subject, struct policies_view *ret);
/* What they give up, beyond what `now` (NULL: nothing) gives up already. */
void policies_risks(const struct policies_subject *subject, const struct vd_config *now,
                    struct policy_risks *ret);
/* The preset these policies are; NULL: none. */
const char *policies_preset(const struct ctl *ctl, const struct vd_config *vd);

bool ctl_preset_fill_create(const struct ctl *ctl, struct command_vd_create *args,
                            struct reason *ret_reason);
/* In a preview: why the controller does not choose write-back, where nobody chose. */
void ctl_default_tell(const struct ctl *ctl, const struct command_vd_create *args,
                      struct policies_view *policies);
bool ctl_preset_fill_set(const struct ctl *ctl, struct command_vd_set *args,
                         struct reason *ret_reason);
/* "vd0: the preset changed from … to …" */
void event_preset(const struct ctl_vd *cv, const char *old, const char *now);
/* May a preset with these risks be applied? */
bool rule_preset_risk(const char *preset, bool accepted, const struct policy_risks *risks,
                      struct reason *ret_reason);

/* ctl_drive_cache.c */
void drive_cache_judge(const struct policies_subject *subject, struct policy_view *ret);
/* It could not be switched as a virtual drive of its group asks; *ret_who asks. */
bool cd_cache_is_refused(const struct ctl_drive *cd, const struct vd_config **ret_who,
                         struct reason *ret_why);
/* As the host found it. */
void cd_cache_reprobed(struct ctl_drive *cd, enum drive_write_cache now, bool settable);

#endif
