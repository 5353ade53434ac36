/*
 * The stripe log where it comes to its limits: more intents than it keeps, no memory for it,
 * virtual drives that have no use for it or do not ask for it, and minds that are changed while it
 * is being made.
 */
#include "aw_test.h"

#include <string.h>

#include "scarce_memory.h"
#include "sim_array.h"
#include "vd/stripe_log_private.h"

#define STRIP 16384u
#define ROWS 64u
#define MEMBERS 4u
#define ROW_BYTES ((MEMBERS - 1) * STRIP)
#define WRITES 64u

static struct sim_array *array_of(enum raid_level level, uint32_t vd_count, uint32_t strip_bytes,
                                  bool stripe_log)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = MEMBERS,
                                        .strip_bytes = strip_bytes,
                                        .block_bytes = 4096,
                                        .vd_count = vd_count,
                                        .extent_bytes = (uint64_t)ROWS * strip_bytes,
                                        .dirty_idle_ms = 600000, /* nobody flushes for rest */
                                        .spare_count = 1,
                                        .stripe_ops = 2 * WRITES,
                                        .consistent = true,
                                        .stripe_log =
                                            stripe_log ? STRIPE_LOG_MODE_ON : STRIPE_LOG_MODE_OFF};

    return sim_array_create(sim_world_create(3), &options);
}

static struct sim_array *array_new(enum raid_level level, uint32_t vd_count, bool stripe_log)
{
    return array_of(level, vd_count, STRIP, stripe_log);
}

static struct sim_array *array_started(enum raid_level level, bool stripe_log)
{
    struct sim_array *array = array_new(level, 1, stripe_log);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void cut(struct sim_array *array)
{
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
}

static enum vd_guarantee guarantee(struct sim_array *array, uint32_t index)
{
    return vd_guarantee(sim_array_vd(array, index));
}

static void put(struct sim_array *array, int byte)
{
    static uint8_t bytes[4096];

    memset(bytes, byte, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
}

static uint8_t get(struct sim_array *array, uint64_t offset)
{
    uint8_t bytes[4096];

    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, offset,
                                  sizeof(bytes), bytes),
                     VD_STATUS_OK);
    return bytes[9];
}

/* As many intents as there are places for, in few batches, and no flush that anybody asks for. */

struct crowd {
    struct vd_request requests[WRITES];
    uint8_t bytes[2 * SLICE_MAX_BYTES];
    uint32_t open;
};

static void crowd_done(struct vd_request *request, enum vd_status status)
{
    struct crowd *crowd = request->owner;

    assert_int_equal(status, VD_STATUS_OK);
    crowd->open--;
}

static bool crowd_is_done(void *context)
{
    return ((struct crowd *)context)->open == 0;
}

/* To the beginning of each row at the same time. */
static void crowd_put(struct sim_array *array, struct crowd *crowd, uint32_t length, int byte)
{
    uint32_t row_bytes = geometry_row_bytes(&vd_config(sim_array_vd(array, 0))->geometry);

    memset(crowd->bytes, byte, length);
    for (uint32_t i = 0; i < WRITES; i++) {
        crowd->open++;
        crowd->requests[i] = (struct vd_request){.op = VD_OP_WRITE,
                                                 .offset_bytes = (uint64_t)i * row_bytes,
                                                 .length_bytes = length,
                                                 .buffer = crowd->bytes,
                                                 .complete = crowd_done,
                                                 .owner = crowd};
        vd_submit(sim_array_vd(array, 0), &crowd->requests[i]);
    }
    assert_true(sim_world_run_until(array->world, crowd_is_done, crowd, SIM_SECOND));
}

static uint32_t free_entries(const struct sim_array *array)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &array->group->stripe_log->free_entries) {
        count++;
    }
    return count;
}

static void test_every_place_is_taken(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, true);
    struct crowd crowd = {.open = 0};
    uint32_t least = LOG_ENTRIES_MAX;

    for (uint32_t round = 1; round <= 2 * LOG_ENTRIES_MAX / WRITES; round++) {
        crowd_put(array, &crowd, 4096, (int)round);
        least = min_u32(least, free_entries(array));
    }
    assert_true(least < WRITES); /* then somebody had to wait for a flush */
    cut(array);
    for (uint32_t row = 0; row < ROWS; row++) {
        assert_int_equal(get(array, (uint64_t)row * ROW_BYTES), 2 * LOG_ENTRIES_MAX / WRITES);
    }
    array_end(array);
}

/* Intents of two slices of data and one of parity: few of them fill a batch, and soon the ring. */
static void test_the_ring_is_full(void **state UNUSED)
{
    struct sim_array *array = array_of(RAID_LEVEL_5, 1, SLICE_MAX_BYTES, true);
    struct crowd *crowd = calloc(1, sizeof(*crowd));
    uint64_t flushes = 0;

    assert_non_null(crowd);
    assert_int_equal(sim_array_start(array), 0);
    crowd_put(array, crowd, 2 * SLICE_MAX_BYTES, 1);
    flushes = array->group->flush_rounds;
    for (uint32_t round = 2; round <= 12; round++) {
        crowd_put(array, crowd, 2 * SLICE_MAX_BYTES, (int)round);
    }
    assert_true(array->group->flush_rounds > flushes); /* to make room */
    cut(array);
    for (uint32_t row = 0; row < ROWS; row++) {
        assert_int_equal(get(array, (uint64_t)row * 3 * SLICE_MAX_BYTES), 12);
        assert_int_equal(get(array, row * UINT64_C(3) * SLICE_MAX_BYTES + SLICE_MAX_BYTES), 12);
    }
    free(crowd);
    array_end(array);
}

/* As many batches as are known at a time, each with one small intent. */
static void test_as_many_batches(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, true);
    uint32_t most = 0;

    for (uint32_t i = 0; i < 2 * LOG_BATCHES_MAX; i++) {
        put(array, (int)i);
        most = max_u32(most, array->group->stripe_log->batch_count);
    }
    assert_true(most > LOG_BATCHES_MAX - 8 && most <= LOG_BATCHES_MAX);
    cut(array);
    assert_int_equal(get(array, 0), 255);
    array_end(array);
}

struct slowness {
    uint32_t write_us, flush_us; /* of data; of flushes */
};

static void pace_set(void *context, struct sim_drive *sim, const struct io_request *request)
{
    const struct slowness *pace = context;
    uint64_t ring = drive_layout_stripe_log_offset(sim->port.size_bytes, false);
    bool data = request->op == IO_OP_WRITE &&
                (request->offset_bytes < ring || request->offset_bytes >= ring + STRIPE_LOG_BYTES);

    sim->extra_latency_us = data ? pace->write_us : request->op == IO_OP_FLUSH ? pace->flush_us : 0;
}

static void answered(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    *(bool *)request->owner = true;
}

static void begin(struct sim_array *array, struct vd_request *request, enum vd_op op, uint64_t row,
                  bool *done)
{
    static uint8_t bytes[4096];

    *done = false;
    memset(bytes, 77, sizeof(bytes));
    *request = (struct vd_request){.op = op,
                                   .offset_bytes = row * STRIP,
                                   .length_bytes = op == VD_OP_WRITE ? sizeof(bytes) : 0,
                                   .buffer = op == VD_OP_WRITE ? bytes : NULL,
                                   .complete = answered,
                                   .owner = done};
    vd_submit(sim_array_vd(array, 0), request);
}

/* The log has no room any more, and somebody wants some, in the very moment in which a flush ends
 * that others have asked for: the next one begins at once. */
static void test_no_room_as_a_flush_ends(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_1, true);
    struct sim_world *world = array->world;
    struct group *group = array->group;
    struct stripe_log *log = group->stripe_log;
    struct slowness pace = {.write_us = 0};
    struct vd_request requests[4];
    bool done[4];
    uint64_t rounds = 0;

    put(array, 1);
    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL),
                     VD_STATUS_OK);
    for (uint32_t member = 0; member < MEMBERS; member++) {
        array->sims[member]->on_submit = pace_set;
        array->sims[member]->on_submit_context = &pace;
    }
    pace.write_us = 1500000; /* one that keeps all that follow */
    begin(array, &requests[0], VD_OP_WRITE, 1, &done[0]);
    sim_world_advance(world, 5000);
    pace.write_us = 0;
    while (log->batch_count < LOG_BATCHES_MAX - 2) {
        put(array, 2);
    }
    pace.write_us = 30000; /* one that ends amid the flush */
    begin(array, &requests[1], VD_OP_WRITE, 2, &done[1]);
    sim_world_advance(world, 5000);
    pace = (struct slowness){.flush_us = 60000};
    begin(array, &requests[2], VD_OP_FLUSH, 0, &done[2]);
    pace.flush_us = 0;
    rounds = group->flush_rounds;
    while (!done[1] || group->flush_pending > 1) {
        assert_true(group->flush_round && sim_world_step(world));
    }
    assert_true(!done[0] && !group->log_flush_wanted && list_is_empty(&log->waiting));
    world->now_us = list_entry(list_first(&world->events), struct sim_event, link)->at_us;
    begin(array, &requests[3], VD_OP_WRITE, 3, &done[3]);
    assert_false(list_is_empty(&log->waiting));
    assert_true(sim_world_step(world));
    assert_true(done[2]);
    assert_int_equal(group->flush_rounds, rounds + 1); /* the log's */
    sim_world_advance(world, 4 * SIM_SECOND);
    assert_true(done[0] && done[3]);
    for (uint32_t row = 1; row < 4; row++) {
        assert_int_equal(get(array, (uint64_t)row * STRIP), 77);
    }
    assert_int_equal(get(array, 0), 2);
    array_end(array);
}

/* No memory */

static void test_no_memory_for_the_log(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, false);
    struct stripe_log *log = NULL;
    uint32_t failures = 0;

    assert_int_equal(group_log(array->group), GROUP_LOG_NONE); /* nobody asks for one */
    SCARCE_MEMORY(stripe_log_create(array->group, &log), &failures);
    assert_int_equal(failures, 2);
    log = stripe_log_free(log);
    assert_null(stripe_log_free(NULL));
    array_end(array);
}

static void switch_on(struct group_config *config, void *context UNUSED)
{
    config->vds[0].stripe_log = STRIPE_LOG_MODE_ON;
}

static void switch_off(struct group_config *config, void *context UNUSED)
{
    config->vds[0].stripe_log = STRIPE_LOG_MODE_OFF;
}

static void change(struct sim_array *array, group_edit_fn edit)
{
    group_config_change(array->group, edit, NULL, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
}

/* The next thing that asks for memory is the stripe log. */
static void next_fails(void *context UNUSED, struct vd *vd UNUSED)
{
    scarce_memory_fail(1);
}

/* The virtual drive works without, and says so; the next change tries again. */
static void test_no_memory_when_it_is_switched_on(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, false);

    array->group->observer.vd_changed = next_fails;
    group_config_change(array->group, switch_on, NULL, sim_array_done, array);
    while (!array->done) {
        assert_true(sim_world_step(array->world));
        if (scarce_memory_end()) {
            array->group->observer.vd_changed = NULL;
        }
    }
    assert_int_equal(sim_array_wait(array), 0);
    assert_null(array->group->observer.vd_changed); /* it has failed */
    sim_world_advance(array->world, SIM_SECOND / 4);
    assert_true(vd_config(sim_array_vd(array, 0))->stripe_log);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_REGION_MAP);
    assert_int_equal(group_log(array->group), GROUP_LOG_NO_MEMORY);
    put(array, 1);
    change(array, switch_on);
    sim_world_advance(array->world, SIM_SECOND / 4);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_STRIPE_LOG);
    assert_int_equal(group_log(array->group), GROUP_LOG_DRIVES);
    array_end(array);
}

/* The first thing that the start asks memory for. What the log held is not known then, but what is
 * written from then on is logged. */
static void test_no_memory_at_the_start(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, true);
    struct drive *members[MEMBERS] = {array->drives[0], array->drives[1], array->drives[2],
                                      array->drives[3]};

    group_stop(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    array->group = group_free(array->group);
    array->config->vds[0].stripe_log_used = true;
    assert_int_equal(group_create(array->config, members, &array->controller, array->store,
                                  sim_world_clock(array->world), NULL, NULL, &array->group),
                     0);
    scarce_memory_fail(1);
    group_start(array->group, sim_array_done, array);
    assert_true(scarce_memory_end());
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_STRIPE_LOG);
    assert_int_equal(vd_config(sim_array_vd(array, 0))->intent_generation % 4, 3);
    put(array, 3);
    assert_int_equal(get(array, 0), 3);
    array_end(array);
}

/* Who has one */

static void test_without_redundancy_there_is_none(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_0, true);

    put(array, 1);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_NO_REDUNDANCY);
    assert_null(array->group->stripe_log);
    array_end(array);
}

static void test_one_of_two_has_it(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 2, true);

    array->config->vds[0].stripe_log = STRIPE_LOG_MODE_OFF;
    assert_int_equal(sim_array_start(array), 0);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_REGION_MAP);
    assert_int_equal(guarantee(array, 1), VD_GUARANTEE_STRIPE_LOG);
    put(array, 1);
    assert_int_equal(free_entries(array), LOG_ENTRIES_MAX); /* not logged */
    array_end(array);
}

/* The ring is slow, everything else is not. */
static void slow_ring(void *context UNUSED, struct sim_drive *sim, const struct io_request *request)
{
    uint64_t ring = drive_layout_stripe_log_offset(sim->port.size_bytes, false);
    bool inside = request->offset_bytes >= ring && request->offset_bytes < ring + STRIPE_LOG_BYTES;

    sim->extra_latency_us = inside ? SIM_SECOND : 0;
}

/* Switched off, or asked for again, while it is being cleared for its first use. */
static void test_minds_change_while_it_is_made(void **state UNUSED)
{
    static const group_edit_fn edits[] = {switch_off, switch_on};

    for (uint32_t i = 0; i < 2; i++) {
        struct sim_array *array = array_started(RAID_LEVEL_5, false);

        for (uint32_t member = 0; member < MEMBERS; member++) {
            array->sims[member]->on_submit = slow_ring;
        }
        change(array, switch_on);
        change(array, edits[i]);
        assert_non_null(array->group->log_clearing.owner);
        assert_int_equal(group_log(array->group), GROUP_LOG_BEGINS);
        for (uint32_t member = 0; member < MEMBERS; member++) {
            array->sims[member]->on_submit = NULL;
            array->sims[member]->extra_latency_us = 0;
        }
        sim_world_advance(array->world, 10 * SIM_SECOND);
        assert_null(array->group->log_clearing.owner);
        assert_int_equal(guarantee(array, 0),
                         i == 0 ? VD_GUARANTEE_REGION_MAP : VD_GUARANTEE_STRIPE_LOG);
        assert_int_equal(vd_config(sim_array_vd(array, 0))->intent_generation % 2, i);
        put(array, 5);
        assert_int_equal(free_entries(array), LOG_ENTRIES_MAX - i);
        array_end(array);
    }
}

/* A member whose drive has not given back an earlier batch is left out; others take its place. */
static void test_a_member_is_busy(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, true);
    struct log_io *io = &array->group->stripe_log->ios[1];

    put(array, 1);
    io->busy = true; /* as that of a drive whose place another one has taken back */
    for (uint32_t i = 0; i < 2 * MEMBERS; i++) {
        put(array, 2 + (int)i);
    }
    io->busy = false;
    cut(array);
    assert_int_equal(get(array, 0), 1 + 2 * MEMBERS);
    array_end(array);
}

/* The last batch of an earlier life ended where the ring does. */
static void test_cleared_at_the_end_of_the_ring(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, false);

    assert_int_equal(stripe_log_create(array->group, &array->group->stripe_log), 0);
    array->group->stripe_log->head = (uint32_t)STRIPE_LOG_BYTES;
    change(array, switch_on);
    sim_world_advance(array->world, SIM_SECOND / 4);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_STRIPE_LOG);
    assert_int_equal(array->group->stripe_log->head, STRIPE_BATCH_ALIGN);
    put(array, 4);
    cut(array);
    assert_int_equal(get(array, 0), 4);
    array_end(array);
}

static void pull_all(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct sim_array *array = context;
    uint64_t ring = drive_layout_stripe_log_offset(sim->port.size_bytes, false);

    if (request->op == IO_OP_WRITE && request->offset_bytes >= ring &&
        request->offset_bytes < ring + STRIPE_LOG_BYTES) {
        for (uint32_t i = 0; i < MEMBERS; i++) {
            sim_drive_pull(array->sims[i], false);
        }
    }
}

static void watch_begin(struct sim_array *array)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        array->sims[i]->on_submit = pull_all;
        array->sims[i]->on_submit_context = array;
    }
}

/* Offline; at the next start the drives are back. */
static void come_back(struct sim_array *array)
{
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    (void)sim_array_stop(array); /* offline */
    for (uint32_t i = 0; i < MEMBERS; i++) {
        array->sims[i]->on_submit = NULL;
        sim_drive_return(array->sims[i]);
    }
    assert_int_equal(sim_array_reload(array), 0);
}

/* The members go while it is cleared for its first use, and while what could not be replayed is
 * made void: at the next start it is there, and empty. */
static void test_the_members_go_while_it_is_cleared(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, false);
    uint8_t zeros[4096] = {0};

    watch_begin(array);
    change(array, switch_on);
    sim_world_advance(array->world, SIM_SECOND);
    assert_null(array->group->log);
    come_back(array);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_STRIPE_LOG);
    for (uint32_t i = 1; i <= 3; i++) {
        put(array, (int)i);
    }
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    for (uint32_t i = 0; i < MEMBERS; i++) { /* the second batch is gone on all members */
        struct sim_drive *sim = array->sims[i];
        struct stripe_batch batch;
        uint8_t page[4096];

        for (uint32_t at = 0; at < STRIPE_LOG_BYTES; at += STRIPE_BATCH_ALIGN) {
            uint64_t place = drive_layout_stripe_log_offset(sim->port.size_bytes, false) + at;

            sim_drive_peek(sim, place, page, sizeof(page));
            if (stripe_batch_peek(page, &batch) == 0 && batch.sequence == 3) {
                sim_drive_poke(sim, place, zeros, sizeof(zeros));
            }
        }
    }
    watch_begin(array);
    assert_int_equal(sim_array_reload(array), 0);
    come_back(array);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_STRIPE_LOG);
    assert_int_equal(get(array, 0), 3);
    array_end(array);
}

/* Too few members at the start: no log is made, and nothing is written. */
static void test_offline_at_the_start(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, true);

    put(array, 3);
    assert_int_equal(sim_array_stop(array), 0);
    sim_drive_pull(array->sims[0], false);
    sim_drive_pull(array->sims[1], false);
    assert_int_equal(sim_array_reload(array), 0);
    assert_null(array->group->stripe_log);
    come_back(array);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_STRIPE_LOG);
    assert_int_equal(get(array, 0), 3);
    array_end(array);
}

static void rows_filled(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* Member 1 has been lost and filled again. */
static void rebuild(struct sim_array *array)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = ROWS,
                           .fill = true,
                           .complete = rows_filled,
                           .owner = array};

    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    put(array, 6);
    assert_int_equal(sim_array_replace(array, 1, MEMBERS), 0);
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
    group_rebuilt_advance(array->group, 1, (uint64_t)ROWS * STRIP);
}

/* A rebuild ends: with a log that is nobody's nothing is to be joined; while it is being cleared
 * for its first use, it is. */
static void test_a_rebuild_ends_and_the_log_is_not_in_use(void **state UNUSED)
{
    for (uint32_t cleared = 0; cleared < 2; cleared++) {
        struct sim_array *array = array_started(RAID_LEVEL_5, false);

        rebuild(array);
        if (cleared == 0) {
            assert_int_equal(stripe_log_create(array->group, &array->group->stripe_log), 0);
        } else {
            for (uint32_t member = 0; member < MEMBERS; member++) {
                array->sims[member]->on_submit = slow_ring;
            }
            change(array, switch_on);
            assert_non_null(array->group->log_clearing.owner);
        }
        group_member_rebuilt(array->group, 1, sim_array_done, array);
        assert_int_equal(sim_array_wait(array), 0);
        assert_int_equal(group_config(array->group)->members[1].state, MEMBER_ONLINE);
        for (uint32_t member = 0; member < MEMBERS; member++) {
            array->sims[member]->on_submit = NULL;
            array->sims[member]->extra_latency_us = 0;
        }
        sim_world_advance(array->world, 10 * SIM_SECOND);
        assert_int_equal(guarantee(array, 0),
                         cleared != 0 ? VD_GUARANTEE_STRIPE_LOG : VD_GUARANTEE_REGION_MAP);
        assert_int_equal(get(array, 0), 6);
        array_end(array);
    }
}

/* The change that switches the log off cannot be saved: it stays on, and a flush that went on
 * meanwhile is none the worse for it. */
static void test_a_flush_while_a_change_fails(void **state UNUSED)
{
    struct sim_array *array = array_started(RAID_LEVEL_5, true);

    put(array, 1);
    array->sim_store->fail_with = -ENOSPC;
    array->sim_store->latency_max_us = 100000;
    group_config_change(array->group, switch_off, NULL, NULL, NULL);
    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL),
                     VD_STATUS_OK);
    sim_world_advance(array->world, SIM_SECOND);
    array->sim_store->fail_with = 0;
    assert_true(vd_config(sim_array_vd(array, 0))->stripe_log);
    assert_int_equal(guarantee(array, 0), VD_GUARANTEE_STRIPE_LOG);
    put(array, 2);
    cut(array);
    assert_int_equal(get(array, 0), 2);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_place_is_taken),
        cmocka_unit_test(test_no_memory_for_the_log),
        cmocka_unit_test(test_no_memory_when_it_is_switched_on),
        cmocka_unit_test(test_no_memory_at_the_start),
        cmocka_unit_test(test_without_redundancy_there_is_none),
        cmocka_unit_test(test_one_of_two_has_it),
        cmocka_unit_test(test_minds_change_while_it_is_made),
        cmocka_unit_test(test_the_ring_is_full),
        cmocka_unit_test(test_as_many_batches),
        cmocka_unit_test(test_no_room_as_a_flush_ends),
        cmocka_unit_test(test_a_member_is_busy),
        cmocka_unit_test(test_cleared_at_the_end_of_the_ring),
        cmocka_unit_test(test_the_members_go_while_it_is_cleared),
        cmocka_unit_test(test_offline_at_the_start),
        cmocka_unit_test(test_a_flush_while_a_change_fails),
        cmocka_unit_test(test_a_rebuild_ends_and_the_log_is_not_in_use),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/stripe_log_edges", tests, NULL, NULL);
}
