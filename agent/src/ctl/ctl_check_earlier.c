/*
 * Places that a consistency check found stay known until they have been compared again: a check
 * that begins, is stopped or is cut short forgets none of them.
 *
 * (1) Of more places than are listed, only the number is known. They count as compared when a check
 *     came to its end and left nothing out. If it left something out, those that it found beyond
 *     its own list are taken to be among them.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"

uint64_t check_earlier_count(const struct check_earlier *earlier)
{
    ASSERT(earlier->count <= CHECK_PLACES_MAX);
    return earlier->unlisted + earlier->count;
}

static void earlier_add(struct check_earlier *earlier, const struct vd_mismatch *place)
{
    ASSERT(!place->corrected);
    if (earlier->count < CHECK_PLACES_MAX) {
        earlier->places[earlier->count++] = *place;
    } else {
        earlier->unlisted++;
    }
}

void check_earlier_begin(const struct ctl_check *before, struct check_earlier *ret_earlier)
{
    const struct check_view *view = &before->view;
    uint64_t listed = 0;

    *ret_earlier = view->earlier;
    if (before->rebuilt) {
        return; /* redundancy was made of them: check_rebuilt_places() */
    }
    for (uint32_t i = 0; i < view->place_count; i++) {
        const struct vd_mismatch *place = &view->places[i];

        if (!place->corrected) {
            earlier_add(ret_earlier, place);
            listed++;
        }
    }
    ASSERT(listed <= view->inconsistent);
    ret_earlier->unlisted += view->inconsistent - listed;
}

void check_earlier_compared(struct check_earlier *earlier, uint64_t row, uint64_t row_count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < earlier->count; i++) {
        const struct vd_mismatch *place = &earlier->places[i];

        if (place->row < row || place->row - row >= row_count) {
            earlier->places[kept++] = *place;
        }
    }
    earlier->count = kept;
}

void check_earlier_found(struct check_earlier *earlier, const struct vd_mismatch *mismatch)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < earlier->count; i++) {
        const struct vd_mismatch *place = &earlier->places[i];

        if (place->row != mismatch->row || place->lo < mismatch->lo || place->hi > mismatch->hi) {
            earlier->places[kept++] = *place;
        }
    }
    earlier->count = kept;
}

void check_earlier_end(struct check_view *view)
{
    uint64_t beyond = view->inconsistent + view->corrected - view->place_count;

    if (view->left_out_bytes == 0) {
        view->earlier = (struct check_earlier){0};
    } else {
        view->earlier.unlisted -= min_u64(view->earlier.unlisted, beyond); /* (1) */
    }
}
