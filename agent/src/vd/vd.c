/*
 * A virtual drive: what can be asked of it, its dirty mark and the idle clean.
 *
 *   clean --first write: mark, save--> dirty --idle, flush, still no write--> clean (saved)
 *
 * (1) No write of a request reaches a member before the save that carries the mark is durable.
 * (2) The mark is cleared only if no write was admitted between the beginning of the flush that
 *     covers all of them and its end.
 * Virtual drives without redundancy have nothing to resynchronize and are never marked.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "meta/config_state.h"
#include "vd/group_private.h"

static void idle_timer_fired(struct clock_timer *timer);

static void target_submit(struct vd_target *target, struct vd_request *request)
{
    struct vd *vd = container_of(target, struct vd, target);

    vd_request_begun(vd, request);
    vd_submit(vd, request);
}

static enum latency_kind latency_kind_of(enum vd_op op)
{
    return op == VD_OP_READ ? LATENCY_READ : op == VD_OP_FLUSH ? LATENCY_FLUSH : LATENCY_WRITE;
}

void vd_request_begun(struct vd *vd, struct vd_request *request)
{
    request->submitted_us = clock_now_us(vd->group->clock);
    vd->requests++;
}

void vd_request_ended(struct vd *vd, const struct vd_request *request, enum vd_status status)
{
    bool moves = request->op == VD_OP_READ || request->op == VD_OP_WRITE;

    if (request->submitted_us == 0) {
        return;
    }
    ASSERT(vd->requests > 0);
    vd->requests--;
    if (status == VD_STATUS_OK) {
        latency_note(&vd->latency, latency_kind_of(request->op),
                     clock_now_us(vd->group->clock) - request->submitted_us,
                     moves ? request->length_bytes : 0);
    }
}

uint32_t vd_requests(const struct vd *vd)
{
    return vd->requests;
}

const struct latency *vd_latency(const struct vd *vd)
{
    return &vd->latency;
}

void vd_latency_reset(struct vd *vd)
{
    latency_reset(&vd->latency, clock_now_us(vd->group->clock));
}

static const struct vd_target_ops target_ops = {.submit = target_submit};

/* What exports see follows the configuration: the name, the access policy, the shape. */
void vd_target_update(struct vd *vd)
{
    const struct vd_config *config = vd_config_of(vd);
    char guid[GUID_TEXT_BYTES];

    guid_format(&config->guid, guid);
    vd->target.ops = &target_ops;
    (void)snprintf(vd->target.name, sizeof(vd->target.name), "%s",
                   config->name[0] != '\0' ? config->name : guid); /* both always fit */
    (void)snprintf(vd->target.description, sizeof(vd->target.description), "%s virtual drive %s",
                   raid_level_info(config->geometry.level)->name, guid); /* always fits */
    vd->target.size_bytes = config->size_bytes;
    vd->target.block_bytes = config->geometry.block_bytes;
    vd->target.preferred_block_bytes = IO_ALIGN_BYTES;
    vd->row_bytes = geometry_row_bytes(&config->geometry);
    vd->rows_abreast = geometry_rows_abreast(&config->geometry);
    vd->slices = (uint32_t)div_ceil_u64(config->geometry.strip_bytes, SLICE_MAX_BYTES);
    vd->target.optimal_io_bytes = vd->row_bytes;
    vd->target.read_only = config->access == ACCESS_POLICY_READ_ONLY;
}

int vd_create(struct group *group, uint32_t index, struct vd **ret_vd)
{
    struct vd *vd = calloc(1, sizeof(*vd));

    if (vd == NULL) {
        return -ENOMEM;
    }
    vd->group = group;
    vd->index = index;
    vd->state = group->state;
    vd->consistent_rows = vd_config_of(vd)->consistent_rows;
    vd->idle_timer.fire = idle_timer_fired;
    vd->idle_timer.owner = vd;
    vd_latency_reset(vd);
    if (vd_needs_mark(vd)) {
        int error = region_store_create(vd, &vd->regions);

        if (error != 0) {
            free(vd);
            return error;
        }
    }
    vd_target_update(vd);
    *ret_vd = vd;
    return 0;
}

struct vd *vd_free(struct vd *vd)
{
    if (vd == NULL) {
        return NULL;
    }
    ASSERT(vd->requests_open == 0 && vd->syncs_open == 0);
    ASSERT(!vd->cleaning);
    clock_cancel(vd->group->clock, &vd->idle_timer);
    vd->regions = region_store_free(vd->regions);
    free(vd);
    return NULL;
}

void vd_changed_tell(struct vd *vd)
{
    struct group *group = vd->group;

    if (group->observer.vd_changed != NULL) {
        group->observer.vd_changed(group->observer.context, vd);
    }
}

/* The dirty mark */

bool vd_needs_mark(const struct vd *vd)
{
    return geometry_span_tolerance(&vd_config_of(vd)->geometry) > 0;
}

void vd_mark_dirty(struct vd *vd)
{
    struct vd_config *config = vd_config_of(vd);

    /* Without redundancy only a copyback needs it (copyback.c (4)). */
    if (!config->dirty && (vd_needs_mark(vd) || vd->group->twin.drive != NULL)) {
        config->dirty = true;
        vd->dirty_change = save_changed(vd->group);
    }
}

bool vd_mark_is_durable(const struct vd *vd)
{
    if (SIM_BUG(NO_DIRTY_MARK) || (!vd_needs_mark(vd) && !vd_config_of(vd)->dirty)) {
        return true; /* without redundancy: it began before the copyback */
    }
    if (SIM_BUG(CLEAN_RACE) && !vd_config_of(vd)->dirty) {
        return false;
    }
    ASSERT(vd_config_of(vd)->dirty); /* as long as the write is open */
    return save_is_durable(vd->group, vd->dirty_change) || SIM_BUG(MARK_NOT_AWAITED);
}

void vd_write_begin(struct vd *vd)
{
    vd->writes_open++;
    vd->writes_admitted++;
}

static void idle_timer_arm(struct vd *vd)
{
    struct group *group = vd->group;

    clock_arm(group->clock, &vd->idle_timer,
              clock_now_us(group->clock) + (uint64_t)group->options.dirty_idle_ms * 1000);
}

void vd_write_end(struct vd *vd)
{
    ASSERT(vd->writes_open > 0);
    vd->writes_open--;
    if (vd->writes_open == 0 && vd->group->stop == STOP_NO) {
        idle_timer_arm(vd);
    }
}

static void clean_flushed(struct flush_waiter *waiter, int error)
{
    struct vd *vd = container_of(waiter, struct vd, clean_flush);

    ASSERT(vd->cleaning);
    vd->cleaning = false;
    if (error == 0 && ((vd->writes_open == 0 && vd->writes_admitted == vd->clean_seen) || /* (2) */
                       SIM_BUG(CLEAN_RACE))) {
        vd_config_of(vd)->dirty = false;
        (void)save_changed(vd->group); /* nobody waits for cleanliness */
    } else if (error != 0 && !group_is_offline(vd->group) && vd->group->stop == STOP_NO) {
        idle_timer_arm(vd); /* the flush was refused */
    }
}

static void idle_timer_fired(struct clock_timer *timer)
{
    struct vd *vd = timer->owner;
    struct group *group = vd->group;

    if (vd->writes_open > 0 || vd->cleaning || !vd_config_of(vd)->dirty ||
        group_is_offline(group) || group->stop != STOP_NO) {
        return;
    }
    group_enter(group);
    vd->cleaning = true;
    vd->clean_seen = vd->writes_admitted;
    vd->clean_flush.done = clean_flushed;
    if (SIM_BUG(CLEAN_UNFLUSHED)) {
        clean_flushed(&vd->clean_flush, 0);
    } else {
        flush_wait(group, &vd->clean_flush);
    }
    group_leave(group);
}

/* Cursor of known-consistent rows */

void vd_consistent_advance(struct vd *vd, uint64_t rows)
{
    ASSERT(rows <= geometry_row_count(&vd_config_of(vd)->geometry));
    vd->consistent_rows = max_u64(vd->consistent_rows, rows);
}

bool vd_sync_next(struct vd *vd, uint64_t rows_max, uint64_t *ret_row, uint64_t *ret_row_count)
{
    uint64_t rows = geometry_row_count(&vd_config_of(vd)->geometry);

    if (vd->regions != NULL &&
        region_map_sync_next(region_store_map(vd->regions), rows_max, ret_row, ret_row_count)) {
        return true;
    }
    *ret_row = vd->consistent_rows;
    *ret_row_count = min_u64(rows - vd->consistent_rows, rows_max);
    return *ret_row_count > 0;
}

void vd_sync_advance(struct vd *vd, uint64_t row, uint64_t row_count)
{
    if (vd->regions != NULL) {
        region_map_sync_advance(region_store_map(vd->regions), row, row_count);
    }
    if (row <= vd->consistent_rows) {
        vd_consistent_advance(vd, row + row_count);
    }
}

uint64_t vd_sync_rows_left(const struct vd *vd)
{
    uint64_t left = geometry_row_count(&vd_config_of(vd)->geometry) - vd->consistent_rows;

    return vd->regions != NULL ? left + region_map_rows_left(region_store_map(vd->regions)) : left;
}

bool vd_regions_are_sound(const struct vd *vd)
{
    return vd->regions == NULL || region_store_map(vd->regions)->in_doubt == 0;
}

bool vd_rows_are_unmapped(const struct vd *vd)
{
    return vd->consistent_rows < vd->unmapped_rows;
}

/* It has its stripe log when it needs it: it is there, is about to be, or nothing is missing. */
static bool vd_log_is_automatic(const struct vd *vd)
{
    const struct group *group = vd->group;

    return vd_config_of(vd)->stripe_log == STRIPE_LOG_MODE_AUTO &&
           (group->log != NULL || group->log_clearing.owner != NULL ||
            group->state == VIRTUAL_DRIVE_STATE_OPTIMAL);
}

enum vd_guarantee vd_guarantee(const struct vd *vd)
{
    const struct intent_log *log = vd_has_log(vd) ? vd->group->log : NULL;

    if (vd->regions == NULL) {
        return VD_GUARANTEE_NO_REDUNDANCY;
    }
    if (raid_level_info(vd_config_of(vd)->geometry.level)->mirrored) {
        return VD_GUARANTEE_MIRROR;
    }
    if (vd_log_is_automatic(vd) && (log == NULL || group_log_is_own(vd->group))) {
        return VD_GUARANTEE_STRIPE_LOG_AUTO;
    }
    switch (log != NULL ? log->medium : INTENT_MEDIUM_NONE) {
    case INTENT_MEDIUM_STABLE:
        return VD_GUARANTEE_JOURNAL;
    case INTENT_MEDIUM_MEMORY:
        return VD_GUARANTEE_JOURNAL_AGENT;
    case INTENT_MEDIUM_DRIVES:
        return VD_GUARANTEE_STRIPE_LOG;
    case INTENT_MEDIUM_NONE:
        break;
    case INTENT_MEDIUM_MAX:
        UNREACHABLE();
    }
    return vd_config_of(vd)->map_ready ? VD_GUARANTEE_REGION_MAP : VD_GUARANTEE_WHOLE_RESYNC;
}

/*
 * With members missing, rows in doubt describe the missing data by parity that may be of another
 * moment. That cannot be told from the bytes, so it is recorded; mirrors have no such rows, and
 * with a log the intents have made the rows agree: with the very log that had them.
 */
static bool vd_may_be_misdescribed(const struct vd *vd)
{
    return raid_level_info(vd_config_of(vd)->geometry.level)->parity_count > 0 &&
           vd->group->state != VIRTUAL_DRIVE_STATE_OPTIMAL && !group_is_offline(vd->group);
}

bool vd_marks_are_suspects(const struct vd *vd)
{
    ASSERT(vd->regions != NULL);
    return vd_may_be_misdescribed(vd) && !vd_is_logged(vd);
}

bool vd_is_misdescribed(const struct vd *vd)
{
    return vd_may_be_misdescribed(vd) && vd_config_of(vd)->resync_unlogged;
}

void vd_note_suspects(struct vd *vd, bool all)
{
    if (!vd_is_misdescribed(vd)) {
        return;
    }
    region_map_suspect(region_store_map(vd->regions), all);
    rewritten_forget(&vd->rewritten);
    vd_changed_tell(vd);
}

void vd_note_rewritten(struct vd *vd, uint64_t offset_bytes, uint64_t length_bytes)
{
    struct region_map *map = region_store_map(vd->regions);
    uint64_t end = offset_bytes + length_bytes;
    uint64_t region_bytes = 0;
    struct rewritten_run run;

    if (map == NULL || map->suspects == 0 || length_bytes == 0) {
        return;
    }
    run = rewritten_add(&vd->rewritten, offset_bytes, end);
    region_bytes = map->rows_per_region * vd->row_bytes;
    for (uint64_t i = offset_bytes / region_bytes; i * region_bytes < end; i++) {
        uint64_t region_end = min_u64((i + 1) * region_bytes, vd_config_of(vd)->size_bytes);

        if (run.from <= i * region_bytes && run.end >= region_end) {
            region_map_rewritten(map, (uint32_t)i);
        }
    }
    region_store_wake(vd->regions);
}

void vd_regions_clean(struct vd *vd)
{
    struct region_map *map = region_store_map(vd->regions);
    uint32_t suspects = map->suspects;

    region_map_cleaning_end(map);
    if (map->suspects != suspects) {
        vd_changed_tell(vd);
    }
}

void vd_page_durable(struct vd *vd, const struct region_page *page)
{
    struct region_map *map = region_store_map(vd->regions);
    bool durable = region_map_trust_is_durable(map);

    region_map_page_durable(map, page);
    if (region_map_trust_is_durable(map) != durable) {
        vd_changed_tell(vd);
    }
}

void vd_trust(struct vd *vd)
{
    struct region_map *map = region_store_map(vd->regions);

    if (map != NULL && map->suspects > 0 && !group_is_offline(vd->group)) {
        group_enter(vd->group);
        region_map_trust(map);
        vd_changed_tell(vd);
        group_leave(vd->group);
    }
}

int vd_trust_outcome(const struct vd *vd)
{
    const struct region_map *map = region_store_map(vd->regions);

    if (group_is_offline(vd->group)) {
        return -EIO;
    }
    if (map == NULL || region_map_trust_is_durable(map)) {
        return 0;
    }
    return vd->group->refusing ? -EIO : -EAGAIN;
}

uint64_t vd_suspect_bytes(const struct vd *vd)
{
    const struct region_map *map = region_store_map(vd->regions);

    return map == NULL ? 0
                       : min_u64(region_map_suspect_rows(map) *
                                     geometry_row_bytes(&vd_config_of(vd)->geometry),
                                 vd_config_of(vd)->size_bytes);
}

uint64_t vd_consistent_rows(const struct vd *vd)
{
    return vd->consistent_rows;
}

bool vd_is_consistent(const struct vd *vd)
{
    return !vd_needs_mark(vd) || vd_sync_rows_left(vd) == 0;
}

/* Getters */

const struct vd_config *vd_config(const struct vd *vd)
{
    return vd_config_of(vd);
}

struct group *vd_group(const struct vd *vd)
{
    return vd->group;
}

enum virtual_drive_state vd_state(const struct vd *vd)
{
    return vd->state;
}

uint32_t vd_drive_failures_left(const struct vd *vd)
{
    return group_config_losses_left(&vd->group->config);
}

struct vd_target *vd_target(struct vd *vd)
{
    return &vd->target;
}
