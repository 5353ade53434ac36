/*
 * See foreign.h.
 */
#include "meta/foreign.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf_group.h"
#include "meta/group_store.h"

_Static_assert(FOREIGN_LABEL_PLACES == 2 * LABEL_SLOT_COUNT, "both slots of both layouts");

struct foreign_drive *foreign_drive_new(enum foreign_kind kind, uint64_t sectors)
{
    struct foreign_drive *foreign = calloc(1, sizeof(*foreign));

    ASSERT(foreign != NULL);
    foreign->kind = kind;
    foreign->sectors = sectors;
    return foreign;
}

struct foreign_drive *foreign_drive_free(struct foreign_drive *foreign)
{
    if (foreign != NULL) {
        (void)ddf_config_free(foreign->ddf); /* returns NULL always */
        free(foreign->label);
        free(foreign);
    }
    return NULL;
}

static bool place_is_compact(uint32_t place)
{
    return place >= LABEL_SLOT_COUNT;
}

uint64_t foreign_label_offset(uint64_t size_bytes, uint32_t place)
{
    ASSERT(place < FOREIGN_LABEL_PLACES);
    return drive_layout_label_offset(size_bytes, place_is_compact(place), place % LABEL_SLOT_COUNT);
}

/* As group_store.h (4) has it; the places are read in order. */
static void label_choose(struct foreign_drive *foreign, uint32_t place, struct drive_label *label)
{
    const struct drive_label *before = foreign->label;

    label->compact = place_is_compact(place);
    if (before == NULL || label->compact != before->compact || label->sequence > before->sequence) {
        free(foreign->label);
        foreign->label = label;
    } else {
        free(label);
    }
}

/* False: what is here cannot be read, as a later version has written it or memory is scarce, so
 * that nothing older in this layout counts. */
static bool label_read(struct foreign_drive *foreign, uint32_t place, const uint8_t *slot)
{
    struct drive_label *label = calloc(1, sizeof(*label));
    int error = 0;

    if (label == NULL) {
        return false;
    }
    error = drive_label_decode(slot, label);
    if (error == 0 && label->role == LABEL_ROLE_MEMBER && label->has_record &&
        label->record.compact == place_is_compact(place)) {
        label_choose(foreign, place, label);
    } else {
        free(label);
    }
    foreign->label_newer = foreign->label_newer || error == -EPROTONOSUPPORT;
    return error != -EPROTONOSUPPORT;
}

void foreign_label_take(struct foreign_drive *foreign, const uint8_t *slots)
{
    bool unread = false;

    ASSERT(foreign->kind == FOREIGN_DDF && foreign->label == NULL);
    for (uint32_t i = 0; i < FOREIGN_LABEL_PLACES; i++) {
        unread = !label_read(foreign, i, slots + (size_t)i * LABEL_SLOT_BYTES) || unread;
    }
    if (foreign->label != NULL &&
        (unread || ddf_is_written_by_others(foreign->ddf) ||
         !guid_equal(&foreign->label->group, &foreign->ddf->header.guid))) {
        foreign_label_forget(foreign);
    }
}

void foreign_label_forget(struct foreign_drive *foreign)
{
    if (foreign != NULL) {
        free(foreign->label);
        foreign->label = NULL;
    }
}
