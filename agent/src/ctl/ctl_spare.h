/*
 * Who takes the place of a lost member (ctl_spare.c). Of the files of the controller only.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_SPARE_H
#define ARRAYWRIGHT_CTL_CTL_SPARE_H

#include "ctl/ctl_private.h"

void ctl_spares_work(struct ctl *ctl);
/* At the start: a blank drive in the slot of a member that is not there. */
bool spare_is_due(const struct ctl_drive *cd);
/* Puts cd in the place; the caller holds `change`. If it fails, done() gets the reason, and cd is
 * what it was before. */
void ctl_member_replace(struct ctl_group *cg, uint32_t member, struct ctl_drive *cd, bool by_user,
                        void (*done)(struct ctl *ctl, const struct reason *reason, void *context),
                        void *context);
/* A drive that was a hot spare of a group before that was deleted is one again, or serves it
 * besides others. One for all groups stays that. done: once, perhaps at once; REASON_OK or why not.
 */
struct spare_back {
    struct ctl_drive *cd;
    struct ctl_group *cg;
    bool affinity, committable;
    struct ctl_command *command; /* runs, and gets what changes */
    void (*done)(void *owner, const struct reason *reason);
    void *owner;
};
void spare_bring_back(const struct spare_back *back);
/* In a record: nobody replaces the lost drive by being put into its bay. */
#define RETURN_NO_SLOT UINT16_MAX
/* What a spare that serves is to become again; NULL: nothing. */
struct controller_return *return_find(struct controller_record *record, const char *key);
/* Can be filled from the spare that serves; NULL: there is none. */
struct ctl_drive *return_target(const struct ctl_group *cg, const struct controller_return *entry);
/* The drives of the group did not take the change, with a negative errno. */
void replace_unsaved_reason(const struct ctl_group *cg, int error, struct reason *ret_reason);

#endif
