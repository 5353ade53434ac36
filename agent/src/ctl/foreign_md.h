/*
 * Sets in md's own format (meta/md_super.h): which drives make one, what stands in the way of
 * running it here with its data where they are, and what an import makes of it. Private to ctl.
 *
 * (1) The drive group keeps md's identities: its GUID holds the set's UUID, its members have those
 *     of md's devices. So a copy of a member that comes later is known for what it is.
 * (2) A set is taken over only if nothing of it is in doubt: whole, clean, of one age.
 */
#ifndef ARRAYWRIGHT_CTL_FOREIGN_MD_H
#define ARRAYWRIGHT_CTL_FOREIGN_MD_H

#include "ctl/foreign_set.h"
#include "meta/md_super.h"

struct foreign_md {
    const struct md_super *newest;
    struct ctl_drive *places[MD_ROLES_MAX]; /* by role; NULL: nobody */
    const struct ctl_drive *first; /* in the list */
    uint32_t drive_count;      /* spares and those that have failed included */
    bool twin;                 /* two say that they have one place */
    char id[UUID_TEXT_BYTES];
    char name[FOREIGN_NAME_BYTES]; /* what has to be typed to clear it */
    char digest[65];           /* of all that was found */
};

/* It says so, and nobody has claimed it. */
bool foreign_md_has(const struct foreign_md *set, const struct ctl_drive *cd);
/* The set that `first` is the first drive of in the list; false: it is not. */
bool foreign_md_gather(const struct ctl *ctl, struct ctl_drive *first, struct foreign_md *ret_set);
bool foreign_md_find(const struct ctl *ctl, const char *id, struct foreign_md *ret_set);
/* Out of what the host has found by now, for what it had found at first may be gone; its drives may
 * have been claimed meanwhile. False: it is not what it was. */
bool foreign_md_renew(const struct ctl *ctl, struct foreign_md *set);

/* What it has in common with other sets, its drives included; false: they are too many. */
bool foreign_md_common(const struct ctl *ctl, const struct foreign_md *set,
                       struct foreign_set *ret_set);

/* The first thing that stands in the way, and what to do about it; REASON_OK: nothing. */
void foreign_md_refusal(const struct foreign_md *set, struct reason *ret_reason);
/* How far a member's data reach, from where they begin. */
uint64_t foreign_md_used_sectors(const struct md_super *md);

void foreign_md_plan(const struct ctl *ctl, const struct foreign_md *set,
                     struct foreign_plan *ret_plan);
/* (1) Of the group that it becomes, and back. */
struct guid foreign_md_guid(const struct uuid *set);
struct uuid foreign_md_uuid(const struct guid *group);
/* This virtual drive is what became of the set that the group was. */
bool foreign_md_is_of(const struct guid *group, const struct guid *vd);
/* It could not be taken off the drive, or that is not there. */
void md_super_left_tell(struct ctl *ctl, const char *key);

#endif
