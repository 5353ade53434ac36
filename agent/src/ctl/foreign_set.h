/*
 * Foreign sets: drives that say they belong together and to somebody else, and what an import
 * would make of them. Private to ctl.
 *
 * (1) Two sources, labels and DDF metadata. Of drives that are only offered the host has read both,
 *     of drives that are claimed the controller has. A label knows more than DDF: a set is read by
 *     its labels if there are any, and drives without one are left. If another system has written
 *     the DDF metadata of one since, all are read by DDF; an import that finds labels then goes by
 *     those.
 * (2) A plan is pure: it reads nothing and changes nothing. Preview and import use the same one.
 * (3) A set is imported as one drive group or not at all. Drives that are not in sync are left as
 *     they are.
 * (4) Where the labels that are left do not suffice, and every drive has DDF metadata, these count:
 *     a set is not lost with one label of a RAID 0.
 */
#ifndef ARRAYWRIGHT_CTL_FOREIGN_SET_H
#define ARRAYWRIGHT_CTL_FOREIGN_SET_H

#include "ctl/ctl_private.h"
#include "ctl/foreign_view.h"
#include "meta/ddf/ddf_group.h"

#define FOREIGN_NAME_BYTES 17u

struct foreign_set {
    enum foreign_format format;    /* DDF or ARRAYWRIGHT */
    struct guid guid;              /* of the DDF group, or of the drive group */
    char id[GUID_TEXT_BYTES];
    char name[FOREIGN_NAME_BYTES]; /* what has to be typed to clear it */
    char digest[65];               /* of all that was found */
    uint32_t drive_count;
    struct ctl_drive *drives[DDF_SET_DRIVES_MAX];
    uint32_t bare_count; /* ARRAYWRIGHT: of the set by their DDF metadata, without a label */
    struct ctl_drive *bare[DDF_SET_DRIVES_MAX];
    bool twins[DDF_SET_DRIVES_MAX]; /* says that it is a drive that another one is as well */
    struct ddf_set ddf;             /* DDF */
    const struct drive_label *newest; /* ARRAYWRIGHT */
};

struct foreign_plan {
    struct reason refusal;         /* REASON_OK: it can be imported */
    struct group_config config;    /* as it will be; not of a refused one */
    struct ctl_drive *members[GROUP_MEMBERS_MAX]; /* who gets a label; NULL: nobody */
    bool set_aside[GROUP_MEMBERS_MAX]; /* by the start: another program has written there */
};

/* A later version has its own label on it. */
bool cd_label_is_newer(const struct ctl_drive *cd);
/* What the drive says: its label, of a member, and its DDF metadata. NULL: nothing, or nothing that
 * counts. */
const struct drive_label *cd_foreign_label(const struct ctl_drive *cd);
const struct ddf_config *cd_foreign_ddf(const struct ctl_drive *cd);
/* What the drive belongs to, by what is known of it; false: nothing that is a set. */
bool foreign_drive_id(const struct ctl_drive *cd, enum foreign_format *ret_format,
                      struct guid *ret_guid);
/* The set that `first` is the first drive of in the list; false: it is not. */
bool foreign_set_gather(const struct ctl *ctl, const struct ctl_drive *first,
                        struct foreign_set *ret_set);
/* Of a set of DDF: out of what the host has found by now, for what it had found at first may be
 * gone; its drives may have been claimed meanwhile. False: it is not what it was. */
bool foreign_set_renew(struct foreign_set *set);
void foreign_refuse_unknown(const char *id, struct reason *ret_reason);
bool foreign_set_find(const struct ctl *ctl, const char *id, struct foreign_set *ret_set);
/* Out of the labels of these drives, which have been claimed; false: they have none of `guid`. */
bool foreign_set_of_labels(const struct guid *guid, struct ctl_drive *const *drives, uint32_t count,
                           struct foreign_set *ret_set);

/* Of a set of labels: is there a copy of everything? */
bool foreign_labels_suffice(const struct foreign_set *set);

void foreign_plan_make(const struct ctl *ctl, const struct foreign_set *set,
                       struct foreign_plan *ret_plan);
/* The rest of a plan of which group and members are known: does it fit here, and as what? All
 * members are there. */
void foreign_plan_finish(const struct ctl *ctl, struct foreign_plan *plan);
/* Of a virtual drive of a plan that is not refused. */
enum foreign_outcome foreign_plan_outcome(const struct foreign_plan *plan, uint32_t vd);

/* The drive is older than the newest of its set knows it (meta/group_store.h (3)). */
bool label_is_stale(const struct drive_label *newest, const struct drive_label *label);

/* What is said of a state of a set or virtual drive. */
void foreign_reason(enum foreign_state state, const char *why, struct reason *ret_reason);

#endif
