#include "aw_test.h"

#include <string.h>

#include "drive/drive_layout.h"
#include "meta/region_page.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP 16384u
#define ROWS 64u /* 1 MiB of each member */
#define ROW_BYTES (2u * STRIP)

static struct sim_array *array_start_warm(uint64_t seed, uint32_t warm_ms, uint64_t warm_bytes)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .spare_count = 1,
                                        .consistent = true,
                                        .stripe_log = STRIPE_LOG_MODE_OFF,
                                        .dirty_warm_ms = warm_ms,
                                        .dirty_warm_bytes = warm_bytes,
                                        .region_bytes = 4 * STRIP};
    struct sim_array *array = sim_array_create(sim_world_create(seed), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static struct sim_array *array_start(uint64_t seed)
{
    return array_start_warm(seed, 0, 0);
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void write_row(struct sim_array *array, uint64_t row, int byte)
{
    uint8_t bytes[4096];

    memset(bytes, byte, sizeof(bytes));
    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false,
                                  row * ROW_BYTES, sizeof(bytes), bytes),
                     VD_STATUS_OK);
}

static void cut(struct sim_array *array)
{
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
}

static uint64_t rows_left(struct sim_array *array)
{
    return vd_sync_rows_left(sim_array_vd(array, 0));
}

static void test_only_dirty_regions_are_resynced(void **state)
{
    struct sim_array *array = array_start(1);

    (void)state;
    write_row(array, 5, 1);
    write_row(array, 7, 1);
    write_row(array, 60, 1);
    cut(array);
    assert_int_equal(rows_left(array), 8);
    assert_true(vd_config(sim_array_vd(array, 0))->resync);
    assert_false(vd_is_consistent(sim_array_vd(array, 0)));
    /* Again before anything was synced: they stay in doubt. */
    write_row(array, 20, 1);
    cut(array);
    assert_int_equal(rows_left(array), 12);
    array_end(array);
}

static void test_resting_regions_are_clean(void **state)
{
    struct sim_array *array = array_start(2);

    (void)state;
    write_row(array, 5, 1);
    for (uint32_t i = 0; i < 40; i++) { /* the virtual drive as a whole never rests */
        write_row(array, 33, (int)i);
        sim_world_advance(array->world, SIM_SECOND / 10);
    }
    cut(array);
    assert_int_equal(rows_left(array), 4);
    array_end(array);
}

static void test_orderly_stop_leaves_nothing(void **state)
{
    struct sim_array *array = array_start(3);

    (void)state;
    write_row(array, 5, 1);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(rows_left(array), 0);
    assert_false(vd_config(sim_array_vd(array, 0))->resync);
    array_end(array);
}

static void maps_spoil(struct sim_array *array, uint32_t member)
{
    struct sim_drive *sim = array->sims[member];
    uint8_t bytes[4096] = {0};

    for (uint32_t place = 0; place < 2; place++) {
        sim_drive_poke(sim,
                       drive_layout_region_page_offset(sim->port.size_bytes, false, 0, place, 0),
                       bytes, sizeof(bytes));
    }
}

struct flushed_watch {
    struct sim_array *array;
    uint64_t flushes[3]; /* before the start */
    uint32_t pages;      /* written since */
};

static void flushed_first(void *context, struct sim_drive *drive, const struct io_request *request)
{
    struct flushed_watch *watch = context;

    for (uint32_t i = 0; i < 3 && request->op == IO_OP_WRITE; i++) {
        if (watch->array->sims[i] == drive) {
            assert_true(drive->counters.flushes > watch->flushes[i]);
            watch->pages += request->length_bytes == REGION_PAGE_BYTES ? 1u : 0u;
        }
    }
}

/* What a start has read may be in the drives' caches alone: nothing is written beside it before
 * they have flushed. */
static void test_a_start_flushes_before_it_writes(void **state)
{
    struct sim_array *array = array_start(6);
    struct flushed_watch watch = {.array = array};

    (void)state;
    write_row(array, 5, 1);
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    for (uint32_t i = 0; i < 3; i++) {
        watch.flushes[i] = array->sims[i]->counters.flushes;
        array->sims[i]->on_submit = flushed_first;
        array->sims[i]->on_submit_context = &watch;
    }
    assert_int_equal(sim_array_reload(array), 0);
    assert_true(watch.pages >= 3); /* the region is in doubt now */
    for (uint32_t i = 0; i < 3; i++) {
        array->sims[i]->on_submit = NULL;
    }
    array_end(array);
}

/* Any one member's map will do; with none of them everything is in doubt. */
static void test_unreadable_maps(void **state)
{
    struct sim_array *array = array_start(4);

    (void)state;
    write_row(array, 5, 1);
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    maps_spoil(array, 0);
    maps_spoil(array, 1);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(rows_left(array), 4);
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    for (uint32_t i = 0; i < 3; i++) {
        maps_spoil(array, i);
    }
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(rows_left(array), ROWS);
    array_end(array);
}

static struct sim_array *array_without_a_map(bool dirty, uint64_t consistent_rows)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(5), &options);

    array->config->vds[0].dirty = dirty;
    array->config->vds[0].resync = !dirty;
    array->config->vds[0].consistent_rows = consistent_rows;
    assert_int_equal(sim_array_start(array), 0);
    return array;
}

/* A dirty record of the first version has no map: everything is in doubt, once. One that has only
 * not been resynchronized to its end goes on from there. */
static void test_records_without_a_map(void **state)
{
    (void)state;
    for (uint64_t known = 0; known < ROWS; known += 10) {
        struct sim_array *array = array_without_a_map(known == 0, known == 0 ? ROWS : known);

        assert_int_equal(rows_left(array), ROWS - known);
        assert_true(vd_config(sim_array_vd(array, 0))->resync);
        sim_world_advance(array->world, SIM_SECOND / 4);
        assert_true(vd_config(sim_array_vd(array, 0))->map_ready);
        array_end(array);
    }
}

static void set_resync(struct group_config *config, void *context UNUSED)
{
    config->vds[0].resync = true;
}

/* The resync had come to its end when the power went, but that was not saved yet: the maps say that
 * nothing is in doubt. */
static void test_a_resync_that_was_over(void **state)
{
    struct sim_array *array = array_start(12);

    (void)state;
    sim_world_advance(array->world, SIM_SECOND);
    group_config_change(array->group, set_resync, NULL, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    cut(array);
    assert_false(vd_config(sim_array_vd(array, 0))->resync);
    assert_int_equal(rows_left(array), 0);
    assert_true(vd_is_consistent(sim_array_vd(array, 0)));
    array_end(array);
}

static void test_new_member_gets_the_map(void **state)
{
    struct sim_array *array = array_start(6);

    (void)state;
    write_row(array, 5, 1);
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_row(array, 40, 1);
    assert_true(vd_config(sim_array_vd(array, 0))->map_ready);
    assert_int_equal(sim_array_replace(array, 0, sim_array_spare(array)), 0);
    sim_world_advance(array->world, SIM_SECOND / 4);
    assert_true(vd_config(sim_array_vd(array, 0))->map_ready);
    cut(array);
    assert_int_equal(rows_left(array), 8);
    array_end(array);
}

/* Degraded, no log, and the power goes: the rows being written are suspect for good. */
static void test_suspects(void **state)
{
    struct sim_array *array = array_start(7);

    (void)state;
    sim_world_advance(array->world, SIM_SECOND / 4);
    assert_int_equal(vd_guarantee(sim_array_vd(array, 0)), VD_GUARANTEE_REGION_MAP);
    write_row(array, 5, 1);
    cut(array);
    assert_int_equal(vd_suspect_bytes(sim_array_vd(array, 0)), 0);
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    /* Lost before the resync was done. */
    assert_int_equal(vd_suspect_bytes(sim_array_vd(array, 0)), 4 * ROW_BYTES);
    write_row(array, 40, 1);
    cut(array);
    assert_int_equal(vd_suspect_bytes(sim_array_vd(array, 0)), 8 * ROW_BYTES);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(vd_suspect_bytes(sim_array_vd(array, 0)), 8 * ROW_BYTES);
    array_end(array);
}

/* Marks that are kept for speed must not say of data at rest that they may be wrong. */
static void test_degraded_marks_are_tight(void **state)
{
    struct sim_array *array = array_start_warm(8, 60000, 1u << 20);

    (void)state;
    for (uint32_t i = 0; i < ROWS; i += 3) {
        write_row(array, i * 7 % ROWS, 1);
    }
    sim_world_advance(array->world, 3 * SIM_SECOND);
    write_row(array, 5, 1);
    cut(array);
    assert_in_range(rows_left(array), ROWS / 2, ROWS);
    array_end(array);

    array = array_start_warm(8, 60000, 1u << 20);
    for (uint32_t i = 0; i < ROWS; i += 3) {
        write_row(array, i * 7 % ROWS, 1);
    }
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    sim_world_advance(array->world, 3 * SIM_SECOND);
    write_row(array, 5, 1);
    cut(array);
    assert_int_equal(vd_suspect_bytes(sim_array_vd(array, 0)), 4 * ROW_BYTES);
    array_end(array);
}

static struct sim_array *array_of_many_pages(void)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = 8192,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = UINT64_C(24000) * 8192,
                                        .consistent = true,
                                        .stripe_log = STRIPE_LOG_MODE_OFF,
                                        .region_bytes = 8192};
    struct sim_array *array = sim_array_create(sim_world_create(9), &options);

    assert_int_equal(sim_array_start(array), 0);
    assert_int_equal(region_store_map(sim_array_vd(array, 0)->regions)->page_count, 6);
    return array;
}

/* Maps of several pages, more than one job writes; a member goes in the middle of one. */
static void test_many_pages(void **state)
{
    struct sim_array *array = array_of_many_pages();
    uint8_t bytes[4096] = {1};

    (void)state;
    sim_drive_pull(array->sims[2], false);
    sim_world_advance(array->world, SIM_SECOND);
    assert_true(vd_config(sim_array_vd(array, 0))->map_ready);
    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false,
                                  UINT64_C(23000) * 16384, sizeof(bytes), bytes),
                     VD_STATUS_OK);
    assert_int_equal(group_config(array->group)->members[2].state, MEMBER_MISSING);
    cut(array);
    assert_int_equal(rows_left(array), 1);
    array_end(array);
}

static void page_seen(void *context, struct sim_drive *sim, const struct io_request *request)
{
    uint64_t map = drive_layout_region_page_offset(sim->port.size_bytes, false, 0, 0, 0);

    if (request->op == IO_OP_WRITE && request->offset_bytes >= map &&
        request->offset_bytes < map + (1u << 20)) {
        (*(uint32_t *)context)++;
    }
}

static void write_each_page(struct sim_array *array)
{
    uint8_t bytes[4096] = {1};

    for (uint64_t i = 0; i < 6; i++) {
        assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false,
                                      i * UINT64_C(4000) * 16384, sizeof(bytes), bytes),
                         VD_STATUS_OK);
    }
}

/* Taken away by the administrator, while the first page of several is on its way to it: no more
 * follow. */
static void test_lost_between_two_pages(void **state)
{
    struct sim_array *array = array_of_many_pages();
    uint32_t pages = 0;

    (void)state;
    sim_world_advance(array->world, SIM_SECOND);
    write_each_page(array);
    array->sims[1]->on_submit = page_seen;
    array->sims[1]->on_submit_context = &pages;
    while (pages == 0) { /* all of them are clean again */
        assert_true(sim_world_step(array->world));
    }
    assert_true(region_store_uses(sim_array_vd(array, 0)->regions, 1));
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    sim_world_advance(array->world, 10 * SIM_SECOND);
    assert_int_equal(pages, 1);
    assert_int_equal(region_store_map(sim_array_vd(array, 0)->regions)->changed_pages, 0);
    array_end(array);
}

/* At the stop more pages have to be written than one job takes: all of them say clean. */
static void test_many_pages_at_the_stop(void **state)
{
    struct sim_array *array = array_of_many_pages();

    (void)state;
    sim_world_advance(array->world, SIM_SECOND);
    write_each_page(array);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(rows_left(array), 0);
    assert_int_equal(region_store_map(sim_array_vd(array, 0)->regions)->dirty, 0);
    array_end(array);
}

static void map_hangs(void *context UNUSED, struct sim_drive *sim, const struct io_request *request)
{
    uint64_t map = drive_layout_region_page_offset(sim->port.size_bytes, false, 0, 0, 0);

    sim->hang = sim->hang || (request->op == IO_OP_WRITE && request->offset_bytes >= map &&
                              request->offset_bytes < map + (1u << 20));
}

/* Two drives hang with a page of the map of what is removed, and let go one after the other. */
static void test_removed_with_two_late_pages(void **state)
{
    struct sim_array_options options = {.level = RAID_LEVEL_6,
                                        .span_count = 1,
                                        .members_per_span = 4,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .timeout_ms = 400,
                                        .consistent = true,
                                        .stripe_log = STRIPE_LOG_MODE_OFF,
                                        .region_bytes = 4 * STRIP};
    struct sim_array *array = sim_array_create(sim_world_create(10), &options);

    (void)state;
    assert_int_equal(sim_array_start(array), 0);
    sim_world_advance(array->world, SIM_SECOND);
    array->sims[1]->on_submit = array->sims[2]->on_submit = map_hangs;
    write_row(array, 5, 1);
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_FAILED);
    assert_int_equal(group_config(array->group)->members[2].state, MEMBER_FAILED);
    sim_world_advance(array->world, 10 * SIM_SECOND);
    group_vd_remove(array->group, sim_array_vd(array, 0), sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(array->group->late_flushes, 2);
    for (uint32_t i = 1; i < 3; i++) {
        array->sims[i]->on_submit = NULL;
        sim_drive_unhang(array->sims[i]);
        sim_world_advance(array->world, SIM_SECOND);
        assert_int_equal(array->sims[i]->in_flight_count, 0);
        assert_int_equal(array->group->late_flushes, 2 - i);
    }
    array_end(array);
}

/* A virtual drive is removed while a drive that hangs still has a page of its map. */
static void test_removed_with_a_late_page(void **state)
{
    struct sim_array *array = array_start(10);
    struct sim_drive *sim = array->sims[1];

    (void)state;
    sim_world_advance(array->world, SIM_SECOND);
    sim->on_submit = map_hangs;
    write_row(array, 5, 1);
    assert_int_equal(group_config(array->group)->members[1].state, MEMBER_FAILED);
    assert_true(sim->in_flight_count > 0);
    sim_world_advance(array->world, 10 * SIM_SECOND);
    group_vd_remove(array->group, sim_array_vd(array, 0), sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(group_vd_count(array->group), 0);
    sim->on_submit = NULL;
    sim_drive_unhang(sim);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(sim->in_flight_count, 0);
    /* A group without virtual drives loses what it loses. */
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_OFFLINE);
    array_end(array);
}

static void vd_added(void *context, int error, struct vd *vd)
{
    struct sim_array *array = context;

    assert_int_equal(vd != NULL, error == 0);
    sim_array_done(array, error);
}

/* A map of what is being added is not written before that is saved, whatever else is. */
static void test_maps_of_what_is_being_added(void **state)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 2,
                                        .extent_bytes = ROWS * STRIP,
                                        .consistent = true,
                                        .stripe_log = STRIPE_LOG_MODE_OFF,
                                        .region_bytes = 4 * STRIP};
    struct sim_array *array = sim_array_create(sim_world_create(13), &options);
    struct vd *vd = NULL;

    (void)state;
    array->config->vd_count = 1;
    assert_int_equal(sim_array_start(array), 0);
    sim_world_advance(array->world, SIM_SECOND);
    write_row(array, 60, 1); /* its label says that it is being written */
    array->sim_store->latency_max_us = 200000;
    group_vd_add(array->group, &array->config->vds[1], vd_added, array);
    while (group_vd_count(array->group) == 1) {
        assert_true(sim_world_step(array->world));
    }
    vd = sim_array_vd(array, 1);
    assert_false(vd->serving);
    write_row(array, 5, 1); /* of the other one, whose map says so before */
    assert_false(vd->serving);
    assert_int_equal(region_store_map(vd->regions)->changed_pages, 1);
    assert_int_equal(sim_array_wait(array), 0);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(region_store_map(vd->regions)->changed_pages, 0);
    assert_true(vd_config(vd)->map_ready);
    array_end(array);
}

/* Without redundancy there is no map, to begin with or to end. */
static void test_without_redundancy(void **state)
{
    struct sim_array_options options = {.level = RAID_LEVEL_0,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 2,
                                        .extent_bytes = ROWS * STRIP,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(11), &options);

    (void)state;
    array->config->vd_count = 1;
    assert_int_equal(sim_array_start(array), 0);
    group_vd_add(array->group, &array->config->vds[1], vd_added, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_null(sim_array_vd(array, 1)->regions);
    assert_int_equal(group_config(array->group)->vds[1].map_slot, 0);
    group_vd_remove(array->group, sim_array_vd(array, 0), sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(group_vd_count(array->group), 1);
    array_end(array);
}

/* A sector of a map that cannot be read, a member that goes when its map is: another one will do.
 */
static void pull_at_map(void *context UNUSED, struct sim_drive *sim,
                        const struct io_request *request)
{
    uint64_t map = drive_layout_region_page_offset(sim->port.size_bytes, false, 0, 0, 0);

    if (request->op == IO_OP_READ && request->offset_bytes == map) {
        sim_drive_pull(sim, false);
    }
}

static void test_maps_that_cannot_be_read(void **state)
{
    for (uint32_t what = 0; what < 2; what++) {
        struct sim_array *array = array_start(12);
        struct sim_drive *sim = array->sims[0];
        struct sim_fault fault = {SIM_FAULT_READ, 0, 4096};

        (void)state;
        write_row(array, 5, 1);
        sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
        for (uint32_t place = 0; place < 2 && what == 0; place++) {
            fault.offset_bytes =
                drive_layout_region_page_offset(sim->port.size_bytes, false, 0, place, 0);
            assert_true(sim_drive_fault_add(sim, &fault));
        }
        sim->on_submit = what == 1 ? pull_at_map : NULL;
        assert_int_equal(sim_array_reload(array), 0);
        sim->on_submit = NULL;
        assert_int_equal(group_config(array->group)->members[0].state,
                         what == 0 ? MEMBER_ONLINE : MEMBER_MISSING);
        assert_int_equal(rows_left(array), 4);
        array_end(array);
    }
}

/* A page that is sound, and newer than all others, but not this map's: as if it were not there. */
static void test_pages_of_other_maps(void **state)
{
    enum { OF_ANOTHER_SHAPE, OF_ANOTHER_DRIVE, OF_ANOTHER_LIFE, OF_ANOTHER_PLACE, KINDS };

    (void)state;
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        struct sim_array *array = array_start(13);
        struct sim_drive *sim = array->sims[0];
        uint8_t bytes[REGION_PAGE_BYTES];
        struct region_page page;
        uint32_t found = 0;

        write_row(array, 5, 1);
        sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
        for (uint32_t place = 0; place < 2; place++) {
            uint64_t at = drive_layout_region_page_offset(sim->port.size_bytes, false, 0, place, 0);

            sim_drive_peek(sim, at, bytes, sizeof(bytes));
            if (region_page_decode(bytes, &page) == 0) {
                found++;
                page.sequence += 100;
                page.rows_per_region *= kind == OF_ANOTHER_SHAPE ? 2 : 1;
                page.vd.bytes[3] ^= kind == OF_ANOTHER_DRIVE ? 1 : 0;
                page.epoch += kind == OF_ANOTHER_LIFE ? 1 : 0;
                if (kind == OF_ANOTHER_PLACE) {
                    page.page = 1;
                    page.page_count = 2;
                    page.region_count += REGION_PAGE_STATES;
                }
                memset(page.states, 0, sizeof(page.states)); /* nothing would be in doubt */
                region_page_encode(&page, bytes);
                sim_drive_poke(sim, at, bytes, sizeof(bytes));
            }
        }
        assert_true(found > 0);
        assert_int_equal(sim_array_reload(array), 0);
        assert_int_equal(rows_left(array), 4);
        array_end(array);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_dirty_regions_are_resynced),
        cmocka_unit_test(test_resting_regions_are_clean),
        cmocka_unit_test(test_orderly_stop_leaves_nothing),
        cmocka_unit_test(test_a_start_flushes_before_it_writes),
        cmocka_unit_test(test_unreadable_maps),
        cmocka_unit_test(test_records_without_a_map),
        cmocka_unit_test(test_a_resync_that_was_over),
        cmocka_unit_test(test_new_member_gets_the_map),
        cmocka_unit_test(test_suspects),
        cmocka_unit_test(test_degraded_marks_are_tight),
        cmocka_unit_test(test_many_pages),
        cmocka_unit_test(test_lost_between_two_pages),
        cmocka_unit_test(test_many_pages_at_the_stop),
        cmocka_unit_test(test_removed_with_a_late_page),
        cmocka_unit_test(test_removed_with_two_late_pages),
        cmocka_unit_test(test_without_redundancy),
        cmocka_unit_test(test_maps_of_what_is_being_added),
        cmocka_unit_test(test_maps_that_cannot_be_read),
        cmocka_unit_test(test_pages_of_other_maps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
