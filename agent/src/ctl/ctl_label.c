/*
 * Reads the labels of drives, on those too whose devices have changed their size: a label lies as
 * far from the end as the size had it when it was written.
 *
 * (1) Only reads. A drive that has become larger goes on with its former size, under which its
 * label was found; one that has become smaller is not used (settle_shrunk()).
 * (2) Sizes that differ by less than 1 MiB have their label in the same place, but nothing else. So
 * a label that was found does not prove the size; an anchor of DDF in the last sector does.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_settle.h"
#include "drive/drive_layout.h"

#define MIB_BYTES (UINT64_C(1) << 20)
#define GIB_BYTES (UINT64_C(1) << 30)
/* Of a drive that nobody waits for: within START_PATIENT_US. */
#define SEARCH_US UINT64_C(1000000)

static enum label_status label_status_of(int error)
{
    switch (error) {
    case 0:
        return LABEL_STATUS_VALID;
    case -ENOENT:
        return LABEL_STATUS_NONE;
    case -EBADMSG:
        return LABEL_STATUS_DAMAGED;
    case -EPROTONOSUPPORT:
        return LABEL_STATUS_NEWER;
    case -EFBIG:
        return LABEL_STATUS_SHRUNK;
    default:
        return LABEL_STATUS_UNREADABLE;
    }
}

static void label_take(struct ctl_drive *cd, int error)
{
    struct label_read *read = &cd->label_read;
    struct ctl *ctl = cd->ctl;

    ASSERT(cd->label_status == LABEL_STATUS_READING);
    cd->label_status = label_status_of(error);
    free(cd->label);
    cd->label = read->label;
    cd->was_elsewhere = error == 0 && read->ddf == DDF_FOUND_ON_MEMBER_OTHERS;
    cd->was_overwritten = error == 0 && read->ddf == DDF_FOUND_ON_MEMBER_OVERWRITTEN;
    cd->settled = false;
    cd->search.place = 0;
    if (ctl->claims != NULL) {
        if (ctl->life == CTL_LIFE_ONLINE) {
            cd_settle(cd);
        }
        ctl_claims_label_read(ctl->claims, cd);
    }
    ctl_kick(ctl);
}

/* All of the device counts. */
void cd_size_restore(struct ctl_drive *cd)
{
    if (cd->grown_bytes != 0 && cd->drive != NULL && drive_is_idle(cd->drive)) {
        group_store_forget(cd->ctl->group_store, cd->drive);
        drive_size_set(cd->drive, cd->grown_bytes);
        cd->size_bytes = cd->grown_bytes;
        cd->grown_bytes = 0;
    }
}

/* The same drive with another size, whose label is read anew. */
static void size_try(struct ctl_drive *cd, uint64_t size_bytes)
{
    ASSERT(drive_is_idle(cd->drive));
    group_store_forget(cd->ctl->group_store, cd->drive);
    drive_size_set(cd->drive, size_bytes);
    cd->size_bytes = size_bytes;
    cd->label_status = LABEL_STATUS_UNREAD;
    cd_read_label(cd);
}

static void shrunk_take(struct ctl_drive *cd, uint64_t was_bytes)
{
    ASSERT(was_bytes > cd->size_bytes);
    cd->shrunk_bytes = was_bytes;
    label_take(cd, -EFBIG);
}

/* Searching: the size that it had is not known */

/* Where a label may be, in this order. */
enum label_search {
    LABEL_SEARCH_NONE,
    LABEL_SEARCH_BEYOND, /* where it would be on a drive that was a little larger */
    LABEL_SEARCH_BEHIND, /* the data of the group that waits for this drive */
    LABEL_SEARCH_BEFORE, /* where it would be on one that was smaller, … */
    LABEL_SEARCH_ROUND,  /* … of a size that people choose */
    LABEL_SEARCH_MAX
};

/* False: nothing is searched there. */
static bool search_place(const struct ctl_drive *cd, enum label_search search,
                         struct label_find *find)
{
    const struct ctl_group *cg = group_that_waits(cd);
    uint64_t usable_bytes = drive_layout_usable_bytes(cd->size_bytes);

    find->step_bytes = search == LABEL_SEARCH_ROUND ? GIB_BYTES : MIB_BYTES;
    find->down = search == LABEL_SEARCH_BEFORE || search == LABEL_SEARCH_ROUND;
    find->to_bytes = find->down ? MIB_BYTES : cd->size_bytes;
    switch (search) {
    case LABEL_SEARCH_BEYOND:
        find->from_bytes = usable_bytes + MIB_BYTES;
        return true;
    case LABEL_SEARCH_BEHIND:
        find->from_bytes = cg != NULL ? align_up_u64(cg_member_needed_bytes(cg), MIB_BYTES) : 0;
        find->to_bytes = usable_bytes;
        return find->from_bytes != 0 && find->from_bytes < usable_bytes;
    case LABEL_SEARCH_BEFORE:
        find->from_bytes = usable_bytes - MIB_BYTES;
        return find->from_bytes != 0;
    case LABEL_SEARCH_ROUND:
        find->from_bytes = align_down_u64(cd->size_bytes - 1, GIB_BYTES) - DRIVE_RESERVED_BYTES;
        return cd->size_bytes > GIB_BYTES;
    case LABEL_SEARCH_NONE:
    case LABEL_SEARCH_MAX:
        break;
    }
    UNREACHABLE();
}

static void label_was_found(struct label_find *find, bool found);

/* False: there is no more to be looked at. */
static bool search_next(struct ctl_drive *cd)
{
    while (++cd->search.place < LABEL_SEARCH_MAX) {
        cd->search.find = (struct label_find){.drive = cd->drive,
                                              .complete = label_was_found,
                                              .owner = cd,
                                              .clock = cd->ctl->ports.clock,
                                              .until_us = cd->search.until_us};
        if (search_place(cd, (enum label_search)cd->search.place, &cd->search.find) &&
            label_find_run(&cd->search.find)) {
            return true;
        }
    }
    return false;
}

/* A group that waits for its drive has time. */
static bool search_begin(struct ctl_drive *cd)
{
    ASSERT(cd->search.place == LABEL_SEARCH_NONE && cd->grown_bytes == 0);
    cd->search.until_us =
        group_that_waits(cd) != NULL ? 0 : clock_now_us(cd->ctl->ports.clock) + SEARCH_US;
    return search_next(cd);
}

/* What was found was no label. */
static bool search_again(struct ctl_drive *cd)
{
    return label_find_again(&cd->search.find) || search_next(cd);
}

/* The label that was found is as far from the end as an anchor of DDF says, or no size less. */
static void found_size_take(struct size_find *find)
{
    struct ctl_drive *cd = find->owner;
    uint64_t size_bytes =
        find->anchor_bytes != 0 ? find->anchor_bytes : find->usable_bytes + DRIVE_RESERVED_BYTES;

    ASSERT(size_bytes < cd->size_bytes);
    if (!drive_is_idle(cd->drive)) {
        label_take(cd, -EIO); /* a late read */
        return;
    }
    cd->grown_bytes = cd->size_bytes;
    size_try(cd, size_bytes);
}

static void size_search(struct ctl_drive *cd, uint64_t usable_bytes, const struct guid *group,
                        void (*complete)(struct size_find *find))
{
    cd->search.size_searched = true;
    cd->search.size = (struct size_find){.drive = cd->drive,
                                         .usable_bytes = usable_bytes,
                                         .group = *group,
                                         .complete = complete,
                                         .owner = cd};
    size_find_run(&cd->search.size);
}

static void label_was_found(struct label_find *find, bool found)
{
    const struct guid nobody = {{0}};
    struct ctl_drive *cd = find->owner;

    if (!found && !search_next(cd)) {
        label_take(cd, cd->search.label_error);
    } else if (found && cd->search.place == LABEL_SEARCH_BEYOND) {
        shrunk_take(cd, find->usable_bytes + DRIVE_RESERVED_BYTES);
    } else if (found) {
        size_search(cd, find->usable_bytes, &nobody, found_size_take);
    }
}

/* Knowing it */

/* False: nothing is read, because the drive has not let go of the last read. */
static bool known_try(struct ctl_drive *cd, uint64_t known_bytes)
{
    ASSERT(known_bytes < cd->size_bytes && cd->grown_bytes == 0);
    if (cd->search.known_tried || known_bytes % cd->block_bytes != 0 || !drive_is_idle(cd->drive)) {
        return false;
    }
    cd->search.known_tried = true;
    cd->grown_bytes = cd->size_bytes;
    size_try(cd, known_bytes);
    return true;
}

/* The label is not where the size that was tried has it. Damage proves that there is one. */
static bool label_is_sought_again(struct ctl_drive *cd, int error)
{
    if (cd->search.place != LABEL_SEARCH_NONE && error == -EBADMSG) {
        return false;
    }
    cd_size_restore(cd);
    if (cd->grown_bytes != 0) {
        return false; /* a late read */
    }
    return cd->search.place == LABEL_SEARCH_NONE ? search_begin(cd) : search_again(cd);
}

/* No label where it should be: was the drive of another size when it was last ours? */
static bool label_is_sought(struct ctl_drive *cd, int error)
{
    uint64_t known_bytes = cd_size_known(cd);

    if ((error != -ENOENT && error != -EBADMSG) || !cd->present) {
        return false;
    }
    if (cd->grown_bytes != 0) { /* that was not it */
        return label_is_sought_again(cd, error);
    }
    cd->search.label_error = error;
    if (known_bytes > cd->size_bytes) {
        shrunk_take(cd, known_bytes);
        return true;
    }
    if (known_bytes != 0 && known_bytes < cd->size_bytes && known_try(cd, known_bytes)) {
        return true;
    }
    return known_bytes != cd->size_bytes && search_begin(cd);
}

/* (2) */
static bool size_is_proven(const struct ctl_drive *cd)
{
    return cd->label_read.ddf == DDF_FOUND_ON_MEMBER_OTHERS ||
           group_store_ddf(cd->ctl->group_store, cd->drive) != NULL;
}

static bool label_is_ambiguous(const struct ctl_drive *cd, uint64_t known_bytes)
{
    const struct drive_label *label = cd->label_read.label;

    return known_bytes != 0 && known_bytes != cd->size_bytes &&
           uuid_equal(&label->controller, &cd->ctl->record->controller) &&
           drive_layout_label_offset(known_bytes, label->compact, 0) ==
               drive_layout_label_offset(cd->size_bytes, label->compact, 0) &&
           !size_is_proven(cd);
}

/* The label is where both the size of now and that of before have it. */
static bool size_is_another(struct ctl_drive *cd, int error)
{
    uint64_t known_bytes = cd_size_known(cd);

    if (error != 0 || !cd->present || !label_is_ambiguous(cd, known_bytes)) {
        return false;
    }
    free(cd->label_read.label);
    cd->label_read.label = NULL;
    if (known_bytes > cd->size_bytes) {
        shrunk_take(cd, known_bytes);
    } else if (!known_try(cd, known_bytes)) {
        label_take(cd, -EIO); /* a late read: used with the wrong size it would lose data */
    }
    return true;
}

/* Versions that rounded the size down to a block left their anchor there. */
static bool is_old_anchor(const struct ctl_drive *cd, uint64_t anchor_bytes)
{
    return anchor_bytes == drive_layout_blocks_end(cd->size_bytes);
}

static void other_size_take(struct size_find *find)
{
    struct ctl_drive *cd = find->owner;
    uint64_t anchor_bytes = find->anchor_bytes;
    bool grown = anchor_bytes != 0 && anchor_bytes < cd->size_bytes &&
                 !is_old_anchor(cd, anchor_bytes) && drive_is_idle(cd->drive);

    if (!grown && find->copies_bytes <= drive_layout_ddf_end(cd->size_bytes)) {
        label_take(cd, 0);
        return;
    }
    free(cd->label_read.label);
    cd->label_read.label = NULL;
    if (grown) {
        cd->grown_bytes = cd->size_bytes;
        size_try(cd, anchor_bytes);
    } else {
        shrunk_take(cd, find->copies_bytes);
    }
}

/* (2) And what it was is not known: DDF metadata that lie elsewhere may tell. */
static bool size_is_searched(struct ctl_drive *cd, int error)
{
    const struct drive_label *label = cd->label_read.label;

    if (error != 0 || !cd->present || cd->search.size_searched || cd->grown_bytes != 0 ||
        label->role != LABEL_ROLE_MEMBER || label->compact || size_is_proven(cd) ||
        cd_size_known(cd) == cd->size_bytes || !drive_is_idle(cd->drive)) {
        return false;
    }
    size_search(cd, drive_layout_usable_bytes(cd->size_bytes), &label->group, other_size_take);
    return true;
}

static void label_was_read(struct label_read *read, int error)
{
    struct ctl_drive *cd = read->owner;

    if (!size_is_another(cd, error) && !size_is_searched(cd, error) &&
        !label_is_sought(cd, error)) {
        label_take(cd, error);
    }
}

void cd_read_label(struct ctl_drive *cd)
{
    ASSERT(cd->drive != NULL && cd->label_status == LABEL_STATUS_UNREAD);
    if (cd_usable_bytes(cd) == 0) {
        cd->label_status = LABEL_STATUS_NONE;
        return;
    }
    cd->label_status = LABEL_STATUS_READING;
    cd->label_read =
        (struct label_read){.drive = cd->drive, .complete = label_was_read, .owner = cd};
    group_store_label_read(cd->ctl->group_store, &cd->label_read);
}
