/*
 * A cursor on a member's data area, as rebuilds and copybacks have one: it passes the extents of
 * the group's virtual drives in the order of their places, so that virtual drives may come and go
 * while it moves.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "task/task_private.h"

/* The first virtual drive that reaches beyond the cursor, or NULL. */
static struct vd *vd_beyond(const struct group *group, uint64_t cursor_bytes)
{
    struct vd *found = NULL;

    for (uint32_t i = 0; i < group_vd_count(group); i++) {
        struct vd *vd = group_vd(group, i);
        const struct vd_config *config = vd_config(vd);

        if (config->extent_start_bytes + config->geometry.extent_bytes <= cursor_bytes) {
            continue;
        }
        if (found == NULL || config->extent_start_bytes < vd_config(found)->extent_start_bytes) {
            found = vd;
        }
    }
    return found;
}

static uint64_t extent_done(const struct vd_config *config, uint64_t cursor_bytes)
{
    if (cursor_bytes <= config->extent_start_bytes) {
        return 0;
    }
    return min_u64(cursor_bytes - config->extent_start_bytes, config->geometry.extent_bytes);
}

void task_window_at(const struct group *group, uint64_t cursor_bytes,
                    struct task_window *ret_window)
{
    struct vd *vd = vd_beyond(group, cursor_bytes);
    const struct vd_config *config;
    uint64_t rows;

    *ret_window = (struct task_window){.vd = vd, .cursor_bytes = cursor_bytes};
    if (vd == NULL) {
        return;
    }
    config = vd_config(vd);
    ret_window->row = geometry_rows_within(&config->geometry, extent_done(config, cursor_bytes));
    rows = geometry_row_count(&config->geometry);
    ASSERT(ret_window->row < rows);
    ret_window->row_count = min_u64(rows - ret_window->row, task_rows_per_step(config));
}

uint64_t task_window_end(const struct task_window *window, uint64_t cursor_bytes)
{
    const struct vd_config *config = vd_config(window->vd);
    uint64_t end = window->row + window->row_count;
    uint64_t done_bytes = end == geometry_row_count(&config->geometry)
                              ? config->geometry.extent_bytes
                              : geometry_bytes_before(&config->geometry, end);

    /* Every step is long enough to move every member on (geometry_rows_abreast). */
    ASSERT(done_bytes > extent_done(config, cursor_bytes));
    return config->extent_start_bytes + done_bytes;
}

uint64_t task_extents_done(const struct group *group, uint64_t cursor_bytes)
{
    uint64_t done = 0;

    for (uint32_t i = 0; i < group_vd_count(group); i++) {
        done += extent_done(vd_config(group_vd(group, i)), cursor_bytes);
    }
    return done;
}
