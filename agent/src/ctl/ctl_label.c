/*
 * Reads the labels of drives, on those too whose devices have changed their size: a label lies as
 * far from the end as the size had it when it was written.
 *
 * (1) Only reads. A drive that has become larger goes on with its former size, under which its
 * label was found; one that has become smaller is not used (settle_shrunk()).
 */
#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "drive/drive_layout.h"

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

static void label_was_found(struct label_find *find, bool found);

static void label_search(struct ctl_drive *cd, uint64_t from_bytes, uint64_t to_bytes)
{
    cd->label_find = (struct label_find){.drive = cd->drive,
                                         .from_bytes = from_bytes,
                                         .to_bytes = to_bytes,
                                         .complete = label_was_found,
                                         .owner = cd};
    label_find_run(&cd->label_find);
}

/* The size that it had is not known, and a group waits for this drive: its device may have become a
 * little smaller, and then the label is near its end; or larger, and then it is where the old size
 * had it, behind the data of the group. False: there is no more to be looked at. */
static bool label_is_searched(struct ctl_drive *cd, bool again)
{
    const struct ctl_group *cg = group_that_waits(cd);
    uint64_t usable_bytes = drive_layout_usable_bytes(cd->size_bytes);
    uint64_t from_bytes = 0;

    if (cg == NULL || cg_config(cg)->compact) {
        return false;
    }
    if (!again) {
        label_search(cd, usable_bytes + (UINT64_C(1) << 20), cd->size_bytes);
        return true;
    }
    from_bytes = align_up_u64(cg_member_needed_bytes(cg), UINT64_C(1) << 20);
    if (from_bytes == 0 || from_bytes >= usable_bytes) {
        return false;
    }
    label_search(cd, from_bytes, usable_bytes);
    return true;
}

static void label_was_found(struct label_find *find, bool found)
{
    struct ctl_drive *cd = find->owner;
    uint64_t size_bytes = find->usable_bytes + DRIVE_RESERVED_BYTES;

    if (!found && find->to_bytes == cd->size_bytes && label_is_searched(cd, true)) {
        return;
    }
    if (!found || !drive_is_idle(cd->drive)) {
        label_take(cd, cd->label_error);
    } else if (size_bytes > cd->size_bytes) {
        shrunk_take(cd, size_bytes);
    } else {
        cd->grown_bytes = cd->size_bytes;
        size_try(cd, size_bytes);
    }
}

/* No label where it should be: was the drive of another size when it was last ours? */
static bool label_is_sought(struct ctl_drive *cd, int error)
{
    uint64_t known_bytes = cd_size_known(cd);

    if ((error != -ENOENT && error != -EBADMSG) || !cd->present) {
        return false;
    }
    if (cd->grown_bytes != 0) { /* that was not it */
        cd_size_restore(cd);
        return false;
    }
    cd->label_error = error;
    if (known_bytes > cd->size_bytes) {
        shrunk_take(cd, known_bytes);
        return true;
    }
    if (known_bytes != 0 && known_bytes < cd->size_bytes && !cd->size_tried &&
        drive_is_idle(cd->drive)) {
        cd->size_tried = true;
        cd->grown_bytes = cd->size_bytes;
        size_try(cd, known_bytes);
        return true;
    }
    return known_bytes == 0 && label_is_searched(cd, false);
}

static void label_was_read(struct label_read *read, int error)
{
    struct ctl_drive *cd = read->owner;

    if (!label_is_sought(cd, error)) {
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
