#include "aw_test.h"

#include <string.h>

#include "raid/plan.h"
#include "sim_array.h"
#include "sim_intent_log.h"
#include "vd/group_private.h"

#define STRIP 16384u

struct fixture {
    struct sim_world *world;
    struct sim_intent_log *log;
    struct sim_array *array;
};

static struct fixture fixture_with(enum raid_level level, uint32_t width, uint32_t strip_bytes)
{
    struct fixture f = {.world = sim_world_create(5)};
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = strip_bytes,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .spare_count = 1,
                                        .consistent = true};

    f.log = sim_intent_log_create(f.world);
    options.intent_log = &f.log->log;
    f.array = sim_array_create(f.world, &options);
    assert_int_equal(sim_array_start(f.array), 0);
    return f;
}

static struct fixture fixture_make(enum raid_level level, uint32_t width)
{
    return fixture_with(level, width, STRIP);
}

static void fixture_end(struct fixture *f)
{
    assert_int_equal(sim_array_stop(f->array), 0);
    sim_array_destroy(f->array);
    sim_intent_log_destroy(f->log);
    sim_world_destroy(f->world);
}

static void write_bytes(struct fixture *f, uint64_t offset, uint32_t length, int byte)
{
    uint8_t *bytes = malloc(length);

    assert_non_null(bytes);
    memset(bytes, byte, length);
    assert_int_equal(sim_array_io(f->array, sim_array_vd(f->array, 0), VD_OP_WRITE, false, offset,
                                  length, bytes),
                     VD_STATUS_OK);
    free(bytes);
}

static uint8_t read_byte(struct fixture *f, uint64_t offset)
{
    uint8_t bytes[4096];

    assert_int_equal(sim_array_io(f->array, sim_array_vd(f->array, 0), VD_OP_READ, false, offset,
                                  sizeof(bytes), bytes),
                     VD_STATUS_OK);
    return bytes[17];
}

static void flush(struct fixture *f)
{
    assert_int_equal(
        sim_array_io(f->array, sim_array_vd(f->array, 0), VD_OP_FLUSH, false, 0, 0, NULL),
        VD_STATUS_OK);
}

static void test_whole_rows_need_no_intent(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);

    (void)state;
    write_bytes(&f, 0, 3 * STRIP, 1);
    assert_int_equal(f.log->appends, 0);
    write_bytes(&f, 3 * STRIP, 4096, 2);
    assert_int_equal(f.log->appends, 1);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    /* While that intent is open its row is logged whatever is written. */
    write_bytes(&f, 3 * STRIP, 3 * STRIP, 3);
    assert_int_equal(f.log->appends, 2);
    flush(&f);
    assert_int_equal(sim_intent_log_open_count(f.log), 0);
    write_bytes(&f, 3 * STRIP, 3 * STRIP, 4);
    assert_int_equal(f.log->appends, 2);
    fixture_end(&f);
}

static void test_degraded_rows_need_one(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_6, 5);

    (void)state;
    write_bytes(&f, 0, 3 * STRIP, 1);
    assert_int_equal(
        group_member_lose(f.array->group, 2, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_bytes(&f, 0, 3 * STRIP, 2);
    assert_int_equal(f.log->appends, 1);
    fixture_end(&f);
}

static void kept_done(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    *(bool *)request->owner = true;
}

/* As a cache submits what it keeps until the drives are flushed. */
static void write_kept(struct fixture *f, uint64_t offset, uint32_t length)
{
    uint8_t *bytes = calloc(1, length);
    bool done = false;
    struct vd_request request = {.op = VD_OP_WRITE,
                                 .offset_bytes = offset,
                                 .length_bytes = length,
                                 .buffer = bytes,
                                 .kept = true,
                                 .complete = kept_done,
                                 .owner = &done};

    assert_non_null(bytes);
    vd_submit(sim_array_vd(f->array, 0), &request);
    assert_true(sim_world_run_until_flag(f->world, &done, 10 * SIM_SECOND));
    free(bytes);
}

static void test_what_a_cache_keeps_needs_none(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_6, 5);

    (void)state;
    assert_int_equal(
        group_member_lose(f.array->group, 2, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_kept(&f, 0, 3 * STRIP);
    assert_int_equal(f.log->appends, 0);
    write_kept(&f, 0, 4096); /* what is not written here is described by the parity */
    assert_int_equal(f.log->appends, 1);
    write_kept(&f, 0, 3 * STRIP); /* replay would put that one over it */
    assert_int_equal(f.log->appends, 2);
    fixture_end(&f);

    f = fixture_make(RAID_LEVEL_1, 2);
    write_kept(&f, 0, 4096);
    assert_int_equal(f.log->appends, 0);
    write_bytes(&f, 8192, 4096, 1);
    assert_int_equal(f.log->appends, 1);
    fixture_end(&f);

    f = fixture_make(RAID_LEVEL_6, 5);
    f.log->log.medium = INTENT_MEDIUM_DRIVES; /* another medium than the cache's */
    assert_int_equal(
        group_member_lose(f.array->group, 2, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_kept(&f, 0, 3 * STRIP);
    assert_int_equal(f.log->appends, 1);
    fixture_end(&f);
}

static void test_without_redundancy_there_are_none(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_0, 3);

    (void)state;
    write_bytes(&f, 4096, 8192, 1);
    assert_int_equal(f.log->appends, 0);
    fixture_end(&f);
}

/* A power cut, and the log's medium with it: another one is there. */
static void cut_to_log(struct fixture *f, uint32_t identity)
{
    sim_array_power_cut(f->array, SIM_CUT_KEEP_ALL);
    f->log->log.identity = identity;
    assert_int_equal(sim_array_reload(f->array), 0);
}

static void lose_member(struct fixture *f, uint32_t member)
{
    assert_int_equal(
        group_member_lose(f->array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
        0);
}

static uint32_t generation_count(const struct fixture *f)
{
    return (uint32_t)vd_config(sim_array_vd(f->array, 0))->intent_generation;
}

/* What was being written without all members can only be believed if the log that knew of it is
 * still the same. */
static void test_a_log_made_anew_knows_nothing(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    uint32_t counts[3] = {generation_count(&f)};
    uint64_t told = 0;

    (void)state;
    lose_member(&f, 1);
    write_bytes(&f, 0, 4096, 1);
    cut_to_log(&f, 0);
    assert_int_equal(vd_suspect_bytes(sim_array_vd(f.array, 0)), 0);
    assert_int_equal(generation_count(&f), counts[0]);
    write_bytes(&f, 0, 4096, 2);
    cut_to_log(&f, 7);
    told = vd_suspect_bytes(sim_array_vd(f.array, 0));
    assert_true(told > 0);
    write_bytes(&f, 0, 4096, 3);
    cut_to_log(&f, 7);
    assert_int_equal(vd_suspect_bytes(sim_array_vd(f.array, 0)), told);
    /* What the first one holds is void, should it come back. */
    counts[1] = generation_count(&f);
    cut_to_log(&f, 0);
    counts[2] = generation_count(&f);
    assert_true(counts[0] < counts[1]);
    assert_true(counts[1] < counts[2]);
    assert_int_equal(counts[2] % 4, counts[0] % 4);
    fixture_end(&f);
}

/* Nothing was being written: then no log is missed. */
static void test_a_log_made_anew_after_a_stop(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_6, 5);

    (void)state;
    lose_member(&f, 1);
    write_bytes(&f, 0, 4096, 1);
    assert_int_equal(sim_array_stop(f.array), 0);
    f.log->log.identity = 7;
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(vd_suspect_bytes(sim_array_vd(f.array, 0)), 0);
    fixture_end(&f);
}

/* The member is lost after that, but before what was being written is made to agree. */
static void test_a_member_goes_after_the_log(void **state)
{
    for (uint32_t identity = 0; identity < 2; identity++) {
        struct fixture f = fixture_make(RAID_LEVEL_5, 4);

        (void)state;
        write_bytes(&f, 0, 4096, 1);
        cut_to_log(&f, identity);
        assert_int_equal(vd_suspect_bytes(sim_array_vd(f.array, 0)), 0);
        lose_member(&f, 1);
        assert_int_equal(vd_suspect_bytes(sim_array_vd(f.array, 0)) > 0, identity != 0);
        fixture_end(&f);
    }
}

/* ... or after one more start, which finds the log that the first one made: also of what was in
 * doubt before, nobody knows anything. */
static void test_a_member_goes_a_start_later(void **state)
{
    for (uint32_t identity = 0; identity < 2; identity++) {
        struct fixture f = fixture_make(RAID_LEVEL_5, 4);
        bool is_anew = identity != 0;

        (void)state;
        write_bytes(&f, 0, 4096, 1);
        cut_to_log(&f, identity);
        assert_true(vd_config(sim_array_vd(f.array, 0))->resync);
        cut_to_log(&f, identity);
        assert_int_equal(vd_config(sim_array_vd(f.array, 0))->resync_unlogged, is_anew);
        lose_member(&f, 1);
        assert_int_equal(vd_suspect_bytes(sim_array_vd(f.array, 0)) > 0, is_anew);
        fixture_end(&f);
    }
}

/* The medium goes while intents are open: writing goes on, and what the medium holds is void even
 * if it comes back. */
static void test_a_log_that_has_gone_is_void(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    uint64_t generation = vd_config(sim_array_vd(f.array, 0))->intent_generation;

    (void)state;
    assert_int_equal(generation % 2, 1);
    write_bytes(&f, 0, 4096, 1);
    f.log->gone = true;
    write_bytes(&f, 0, 4096, 2);
    write_bytes(&f, 0, 4096, 3);
    assert_int_equal(read_byte(&f, 0), 3);
    assert_int_equal(vd_config(sim_array_vd(f.array, 0))->intent_generation, generation + 1);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    f.log->gone = false;
    flush(&f);
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(f.log->replayed, 1); /* handed out, left out */
    assert_int_equal(read_byte(&f, 0), 3);
    assert_int_equal(vd_config(sim_array_vd(f.array, 0))->intent_generation, generation + 4);
    assert_int_equal(sim_intent_log_open_count(f.log), 0);
    fixture_end(&f);
}

struct waiting_write {
    struct vd_request request;
    uint8_t bytes[4096];
    uint32_t *done;
};

static void waiting_write_done(struct vd_request *request, enum vd_status status)
{
    struct waiting_write *write = request->owner;

    assert_int_equal(status, VD_STATUS_OK);
    (*write->done)++;
}

static bool all_done(void *context)
{
    const uint32_t *done = context;

    return *done == 4;
}

/* The medium goes while some wait for it to write and others for room. */
static void test_a_log_that_goes_keeps_nobody_waiting(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    struct waiting_write writes[4];
    uint32_t done = 0;

    (void)state;
    f.log->capacity = 2;
    f.log->latency_us = 1000000;
    for (uint32_t i = 0; i < 4; i++) {
        writes[i] = (struct waiting_write){.request = {.op = VD_OP_WRITE,
                                                       .offset_bytes = (uint64_t)i * 3 * STRIP,
                                                       .length_bytes = 4096,
                                                       .complete = waiting_write_done},
                                           .done = &done};
        memset(writes[i].bytes, (int)i + 1, sizeof(writes[i].bytes));
        writes[i].request.buffer = writes[i].bytes;
        writes[i].request.owner = &writes[i];
        vd_submit(sim_array_vd(f.array, 0), &writes[i].request);
    }
    while (f.log->waits < 2) {
        assert_true(sim_world_step(f.world));
    }
    assert_int_equal(done, 0);
    f.log->gone = true;
    assert_true(sim_world_run_until(f.world, all_done, &done, 60 * SIM_SECOND));
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(read_byte(&f, (uint64_t)i * 3 * STRIP), i + 1);
    }
    fixture_end(&f);
}

/* The medium goes while a row whose intent it has is being written: the write ends well, and its
 * intent is nobody's any more. */
static void test_a_log_that_goes_amid_a_logged_write(void **state UNUSED)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    struct waiting_write writes[2];
    uint32_t done = 2; /* of four */

    write_bytes(&f, 0, 4096, 9);
    for (uint32_t i = 0; i < 2; i++) {
        writes[i] = (struct waiting_write){.request = {.op = VD_OP_WRITE,
                                                       .offset_bytes = (uint64_t)i * 12 * STRIP,
                                                       .length_bytes = 4096,
                                                       .complete = waiting_write_done},
                                           .done = &done};
        memset(writes[i].bytes, (int)i + 1, sizeof(writes[i].bytes));
        writes[i].request.buffer = writes[i].bytes;
        writes[i].request.owner = &writes[i];
    }
    for (uint32_t i = 0; i < 4; i++) {
        f.array->sims[i]->extra_latency_us = 100000;
    }
    vd_submit(sim_array_vd(f.array, 0), &writes[0].request);
    while (sim_intent_log_open_count(f.log) < 2) {
        assert_true(sim_world_step(f.world));
    }
    for (uint32_t i = 0; i < 4; i++) {
        f.array->sims[i]->extra_latency_us = 0;
    }
    f.log->gone = true;
    vd_submit(sim_array_vd(f.array, 0), &writes[1].request);
    while (f.array->group->log != NULL) {
        assert_true(sim_world_step(f.world));
    }
    assert_int_equal(done, 2);
    assert_true(sim_world_run_until(f.world, all_done, &done, 60 * SIM_SECOND));
    assert_int_equal(read_byte(&f, 0), 1);
    assert_int_equal(read_byte(&f, UINT64_C(12) * STRIP), 2);
    assert_int_equal(vd_config(sim_array_vd(f.array, 0))->intent_generation % 2, 0);
    fixture_end(&f);
}

static void test_a_log_that_cannot_be_read_does_not_stop_the_start(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);

    (void)state;
    write_bytes(&f, 0, 4096, 1);
    flush(&f);
    f.log->gone = true;
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(read_byte(&f, 0), 1);
    write_bytes(&f, 0, 4096, 2);
    assert_int_equal(read_byte(&f, 0), 2);
    fixture_end(&f);
}

static struct intent *open_intent(struct fixture *f)
{
    struct intent *intent = NULL;

    for (uint32_t i = 0; i < SIM_INTENTS_MAX; i++) {
        if (f->log->intents[i].state != SIM_INTENT_FREE) {
            intent = &f->log->intents[i].intent;
        }
    }
    assert_non_null(intent);
    return intent;
}

/* Bytes from a medium may be anything. */
static void test_senseless_intents_are_left_out(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    struct intent *intent = NULL;

    (void)state;
    for (uint32_t what = 0; what < 13; what++) {
        write_bytes(&f, 0, 4096, 1);
        flush(&f);
        write_bytes(&f, 4096, 4096, 1);
        intent = open_intent(&f);
        intent->row = what == 0 ? UINT64_MAX : intent->row;
        intent->hi = what == 1 ? intent->lo : what == 2 ? 2 * STRIP : intent->hi;
        intent->lo = what == 3 ? 17 : intent->lo;
        intent->slice = what == 4 ? 1 : intent->slice;
        intent->part_count = what == 5 ? 33 : intent->part_count;
        intent->parts[0].places = what == 6 ? 1u << 31 : intent->parts[0].places;
        intent->parts[1].places = what == 7 ? intent->parts[0].places : intent->parts[1].places;
        intent->hi -= what == 8 ? 512 : 0;
        intent->parts[0].places = what == 9 ? 0 : intent->parts[0].places;
        intent->parts[0].places |= what == 10 ? ~intent->parts[1].places & 7 : 0;
        intent->vd.bytes[7] ^= what == 11 ? 1 : 0;
        intent->generation += what == 12 ? 1 : 0;
        sim_array_power_cut(f.array, SIM_CUT_KEEP_ALL);
        assert_int_equal(sim_array_reload(f.array), 0);
        assert_int_equal(read_byte(&f, 0), 1);
        assert_int_equal(sim_intent_log_open_count(f.log), 0);
    }
    fixture_end(&f);
}

/* Of a strip of several slices: an intent that goes beyond its own, or begins before it. */
static void test_senseless_slices_are_left_out(void **state)
{
    struct fixture f = fixture_with(RAID_LEVEL_5, 4, 4 * SLICE_MAX_BYTES);
    struct intent *intent = NULL;

    (void)state;
    for (uint32_t what = 0; what < 2; what++) {
        write_bytes(&f, SLICE_MAX_BYTES, 4096, 1);
        flush(&f);
        write_bytes(&f, SLICE_MAX_BYTES, 4096, 1);
        intent = open_intent(&f);
        assert_int_equal(intent->slice, 1);
        intent->hi += what == 0 ? SLICE_MAX_BYTES : 0;
        intent->lo -= what == 1 ? 4096 : 0;
        sim_array_power_cut(f.array, SIM_CUT_KEEP_ALL);
        assert_int_equal(sim_array_reload(f.array), 0);
        assert_int_equal(read_byte(&f, SLICE_MAX_BYTES), 1);
        assert_int_equal(read_byte(&f, 0), 0);
        assert_int_equal(sim_intent_log_open_count(f.log), 0);
    }
    fixture_end(&f);
}

/* One content for all copies: an intent of two for a mirror is none. */
static void test_senseless_mirrors_are_left_out(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_1, 2);
    struct intent *intent = NULL;

    (void)state;
    write_bytes(&f, 0, 4096, 1);
    intent = open_intent(&f);
    assert_int_equal(intent->parts[0].places, 3);
    intent->part_count = 2;
    intent->parts[0].places = 1;
    intent->parts[1] = intent->parts[0];
    intent->parts[1].places = 2;
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(f.log->replayed, 1);
    assert_int_equal(read_byte(&f, 0), 0);
    fixture_end(&f);
}

struct pair {
    struct vd_request requests[2];
    uint8_t bytes[2][4096];
    enum vd_status statuses[2];
    uint32_t done;
};

static void pair_done(struct vd_request *request, enum vd_status status)
{
    struct pair *pair = request->owner;

    pair->statuses[request - pair->requests] = status;
    pair->done++;
}

static bool pair_is_done(void *context)
{
    return ((struct pair *)context)->done == 2;
}

/* Two writes to two rows at the same time. */
static void pair_begin(struct fixture *f, struct pair *pair)
{
    *pair = (struct pair){.done = 0};
    for (uint32_t i = 0; i < 2; i++) {
        memset(pair->bytes[i], 7 + (int)i, sizeof(pair->bytes[i]));
        pair->requests[i] = (struct vd_request){.op = VD_OP_WRITE,
                                                .offset_bytes = (uint64_t)i * 3 * STRIP,
                                                .length_bytes = 4096,
                                                .buffer = pair->bytes[i],
                                                .complete = pair_done,
                                                .owner = pair};
        vd_submit(sim_array_vd(f->array, 0), &pair->requests[i]);
    }
}

/* Both wait for the mark when the first one finds that the log has gone: the second one has that
 * to wait for too, which was not so when its turn came up. */
static void test_a_log_that_goes_while_marks_are_waited_for(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    uint64_t generation = vd_config(sim_array_vd(f.array, 0))->intent_generation;
    struct pair pair;

    (void)state;
    f.log->gone = true;
    pair_begin(&f, &pair);
    assert_true(sim_world_run_until(f.world, pair_is_done, &pair, 60 * SIM_SECOND));
    assert_int_equal(pair.statuses[0], VD_STATUS_OK);
    assert_int_equal(pair.statuses[1], VD_STATUS_OK);
    assert_int_equal(f.log->appends, 1);
    assert_int_equal(vd_config(sim_array_vd(f.array, 0))->intent_generation, generation + 1);
    assert_int_equal(read_byte(&f, 0), 7);
    assert_int_equal(read_byte(&f, 3 * STRIP), 8);
    fixture_end(&f);
}

static void drives_pull(struct fixture *f)
{
    for (uint32_t i = 0; i < f->array->drive_count; i++) {
        sim_drive_pull(f->array->sims[i], false);
    }
}

static void drives_return(struct fixture *f)
{
    for (uint32_t i = 0; i < f->array->drive_count; i++) {
        f->array->sims[i]->on_submit = NULL;
        f->array->sims[i]->write_fails = f->array->sims[i]->flush_fails = false;
        sim_drive_return(f->array->sims[i]);
    }
}

/* The members go when the first of two intents is written again: both are there for the next
 * start, which writes them. */
static void pull_at_write(void *context, struct sim_drive *sim UNUSED,
                          const struct io_request *request)
{
    if (request->op == IO_OP_WRITE) {
        drives_pull(context);
    }
}

static void test_a_replay_that_is_cut_short(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    struct pair pair;

    (void)state;
    pair_begin(&f, &pair);
    assert_true(sim_world_run_until(f.world, pair_is_done, &pair, 60 * SIM_SECOND));
    assert_int_equal(sim_intent_log_open_count(f.log), 2);
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        f.array->sims[i]->on_submit = pull_at_write;
        f.array->sims[i]->on_submit_context = &f;
    }
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(vd_state(sim_array_vd(f.array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(f.log->replayed, 2);
    assert_int_equal(f.log->clears, 1); /* of the first start */
    assert_int_equal(sim_intent_log_open_count(f.log), 2);
    (void)sim_array_stop(f.array); /* offline */
    drives_return(&f);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(sim_intent_log_open_count(f.log), 0);
    assert_int_equal(read_byte(&f, 0), 7);
    assert_int_equal(read_byte(&f, 3 * STRIP), 8);
    fixture_end(&f);
}

/* The same when they fail to flush what was written again: nothing is cleared. */
static void test_a_replay_that_is_not_flushed(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);

    (void)state;
    write_bytes(&f, 0, 4096, 7);
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        f.array->sims[i]->flush_fails = true;
    }
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(vd_state(sim_array_vd(f.array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(f.log->clears, 1);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    (void)sim_array_stop(f.array); /* offline */
    drives_return(&f);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(sim_intent_log_open_count(f.log), 0);
    assert_int_equal(read_byte(&f, 0), 7);
    fixture_end(&f);
}

/* Whoever wants room asks as often as it likes: one round after the other, none for a log that
 * has gone, none any more when the group is offline. */
static void test_flushes_for_room(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    struct intent_log *log = &f.log->log;
    uint64_t flushes = 0;

    (void)state;
    write_bytes(&f, 0, 4096, 1);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    log->wants_flush(log);
    log->wants_flush(log); /* the round under way may have passed what is meant */
    sim_world_advance(f.world, SIM_SECOND / 10);
    assert_int_equal(sim_intent_log_open_count(f.log), 0);
    write_bytes(&f, 0, 4096, 2);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        f.array->sims[i]->flush_fails = true;
    }
    log->wants_flush(log);
    log->wants_flush(log);
    sim_world_advance(f.world, SIM_SECOND / 10);
    assert_int_equal(vd_state(sim_array_vd(f.array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        flushes += f.array->sims[i]->counters.flushes;
    }
    log->wants_flush(log);
    sim_world_advance(f.world, SIM_SECOND / 10);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        flushes -= f.array->sims[i]->counters.flushes;
    }
    assert_int_equal(flushes, 0);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    (void)sim_array_stop(f.array); /* offline */
    drives_return(&f);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(read_byte(&f, 0), 2);
    f.log->gone = true;
    write_bytes(&f, 0, 4096, 3);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        flushes += f.array->sims[i]->counters.flushes;
    }
    log->wants_flush(log); /* as another group's share of it may */
    sim_world_advance(f.world, SIM_SECOND / 10);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        flushes -= f.array->sims[i]->counters.flushes;
    }
    assert_int_equal(flushes, 0);
    fixture_end(&f);
}

/* The members go when a row is written whose intent is durable: the intent stays, and what it says
 * is written when they are back. */
static void test_members_that_go_amid_a_logged_write(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);
    uint8_t bytes[4096];

    (void)state;
    write_bytes(&f, 0, 4096, 1);
    flush(&f);
    for (uint32_t i = 0; i < f.array->drive_count; i++) {
        f.array->sims[i]->on_submit = pull_at_write;
        f.array->sims[i]->on_submit_context = &f;
    }
    memset(bytes, 2, sizeof(bytes));
    assert_int_equal(sim_array_io(f.array, sim_array_vd(f.array, 0), VD_OP_WRITE, false, 0,
                                  sizeof(bytes), bytes),
                     VD_STATUS_IO);
    assert_int_equal(sim_intent_log_open_count(f.log), 1);
    (void)sim_array_stop(f.array); /* offline */
    drives_return(&f);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(f.log->replayed, 1);
    assert_int_equal(read_byte(&f, 0), 2);
    fixture_end(&f);
}

/* Too few members at the start: nothing is replayed, and the intents wait for the next one. */
static void test_offline_at_the_start(void **state)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 4);

    (void)state;
    write_bytes(&f, 0, 4096, 1);
    flush(&f);
    write_bytes(&f, 0, 4096, 2);
    sim_array_power_cut(f.array, SIM_CUT_DROP_ALL);
    sim_drive_pull(f.array->sims[0], false);
    sim_drive_pull(f.array->sims[1], false);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(vd_state(sim_array_vd(f.array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(f.log->replayed, 0);
    (void)sim_array_stop(f.array); /* offline */
    drives_return(&f);
    assert_int_equal(sim_array_reload(f.array), 0);
    assert_int_equal(f.log->replayed, 1);
    assert_int_equal(read_byte(&f, 0), 2);
    fixture_end(&f);
}

static void on_told(void *context, int error)
{
    int *told = context;

    *told = error;
}

static void on_synced(struct vd_sync *sync, int error)
{
    on_told(sync->owner, error);
}

static void wait_told(struct fixture *f, const int *told)
{
    for (uint32_t i = 0; *told == 1; i++) {
        assert_true(i < 100000 && sim_world_step(f->world));
    }
}

/* A row is written before a loss and after it, and the log keeps both; the end of the rebuild waits
 * for it. RAID 5 of three. */
static void rebuild_up_to_its_end(struct fixture *f, int *told)
{
    struct group *group = f->array->group;
    struct vd_sync sync = {.vd = sim_array_vd(f->array, 0),
                           .row_count = (1u << 20) / STRIP,
                           .fill = true,
                           .complete = on_synced,
                           .owner = told};

    f->log->lazy = SIM_INTENTS_MAX;
    write_bytes(f, 0, 4096, 1);
    assert_int_equal(group_member_lose(group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    write_bytes(f, 0, 4096, 2);
    flush(f);
    assert_int_equal(sim_intent_log_open_count(f->log), 2);
    assert_int_equal(sim_array_replace(f->array, 0, 3), 0);
    *told = 1;
    vd_sync_submit(sync.vd, &sync);
    wait_told(f, told);
    assert_int_equal(*told, 0);
    group_rebuilt_advance(group, 0, 1u << 20);
}

/* The end of a rebuild and the log going meanwhile: then nothing of it is replayed. */
static void test_a_log_that_goes_while_a_rebuild_ends(void **state UNUSED)
{
    for (uint32_t early = 0; early < 2; early++) {
        struct fixture f = fixture_make(RAID_LEVEL_5, 3);
        struct group *group = f.array->group;
        uint64_t generation = group_config(group)->vds[0].intent_generation;
        int told = 0;

        rebuild_up_to_its_end(&f, &told);
        told = 1;
        f.log->gone = early == 1;
        group_member_rebuilt(group, 0, on_told, &told);
        while (early == 0 && group->settles == 0) {
            assert_true(told == 1 && sim_world_step(f.world));
        }
        f.log->gone = true;
        wait_told(&f, &told);
        assert_int_equal(told, 0);
        assert_int_equal(group_config(group)->members[0].state, MEMBER_ONLINE);
        assert_int_not_equal(group_config(group)->vds[0].intent_generation, generation);
        f.log->gone = false;
        sim_array_power_cut(f.array, SIM_CUT_KEEP_ALL);
        assert_int_equal(sim_array_reload(f.array), 0);
        assert_int_equal(read_byte(&f, 0), 2);
        fixture_end(&f);
    }
}

/* And with the group going offline: the member stays what it is. */
static void test_offline_while_a_rebuild_ends(void **state UNUSED)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 3);
    int told = 0;

    rebuild_up_to_its_end(&f, &told);
    told = 1;
    group_member_rebuilt(f.array->group, 0, on_told, &told);
    while (f.array->group->settles == 0) {
        assert_true(told == 1 && sim_world_step(f.world));
    }
    assert_int_equal(
        group_member_lose(f.array->group, 1, MEMBER_MISSING, REASON_DRIVE_LOST_PULLED, false), 0);
    wait_told(&f, &told);
    assert_int_equal(told, -EIO);
    assert_int_equal(group_config(f.array->group)->members[0].state, MEMBER_REBUILD);
    (void)sim_array_stop(f.array); /* offline */
    sim_array_destroy(f.array);
    sim_intent_log_destroy(f.log);
    sim_world_destroy(f.world);
}

/* A rebuild that ends while the group stops, before or after the stop has begun: it is waited for.
 */
static void stop_with_a_rebuild(uint32_t steps, bool *ret_over)
{
    struct fixture f = fixture_make(RAID_LEVEL_5, 3);
    struct group *group = f.array->group;
    int told = 0;

    rebuild_up_to_its_end(&f, &told);
    told = 1;
    if (steps == 0) {
        group_member_rebuilt(group, 0, on_told, &told);
        while (group->settles == 0) {
            assert_true(told == 1 && sim_world_step(f.world));
        }
    }
    group_stop(group, sim_array_done, f.array);
    for (uint32_t i = 1; i < steps && group->stop != STOP_DONE; i++) {
        (void)sim_world_step(f.world);
    }
    *ret_over = group->stop == STOP_DONE;
    if (steps > 0 && !*ret_over) {
        group_member_rebuilt(group, 0, on_told, &told);
    }
    assert_int_equal(sim_array_wait(f.array), 0);
    assert_int_equal(told, *ret_over ? 1 : 0);
    f.array->group = group_free(group);
    assert_int_equal(sim_array_start_again(f.array), 0);
    assert_int_equal(read_byte(&f, 0), 2);
    fixture_end(&f);
}

static void test_stopped_while_a_rebuild_ends(void **state UNUSED)
{
    bool over = false;

    for (uint32_t steps = 0; !over; steps++) {
        stop_with_a_rebuild(steps, &over);
    }
}

/* A rebuild ends while the stop saves. Others write to the same medium, so that the stop's save is
 * over first: what is left to be done for the rebuild is waited for, also if the medium goes. */
static void test_the_end_of_a_stop_waits_for_the_log(void **state UNUSED)
{
    for (uint32_t gone = 0; gone < 2; gone++) {
        struct fixture f = fixture_make(RAID_LEVEL_5, 3);
        struct group *group = f.array->group;
        uint64_t generation = group_config(group)->vds[0].intent_generation;
        int told = 0;

        rebuild_up_to_its_end(&f, &told);
        told = 1;
        group_stop(group, sim_array_done, f.array);
        while (group->stop != STOP_SAVE) {
            assert_true(group->stop < STOP_SAVE && sim_world_step(f.world));
        }
        f.log->others_us = 100000;
        group_member_rebuilt(group, 0, on_told, &told);
        sim_world_advance(f.world, 50000);
        assert_int_equal(group->stop, STOP_END);
        assert_true(!group->save_running && group->saved == group->change);
        assert_int_equal(group->settles, 1);
        assert_int_equal(told, 1);
        f.log->gone = gone != 0;
        assert_int_equal(sim_array_wait(f.array), 0);
        assert_int_equal(told, 0);
        f.array->group = group_free(group);
        f.log->gone = false;
        f.log->others_us = 0;
        assert_int_equal(sim_array_start_again(f.array), 0);
        assert_int_equal(group_config(f.array->group)->members[0].state, MEMBER_ONLINE);
        assert_int_equal(group_config(f.array->group)->vds[0].intent_generation,
                         gone != 0 ? generation + 4 : generation);
        assert_int_equal(read_byte(&f, 0), 2);
        fixture_end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_rows_need_no_intent),
        cmocka_unit_test(test_degraded_rows_need_one),
        cmocka_unit_test(test_what_a_cache_keeps_needs_none),
        cmocka_unit_test(test_without_redundancy_there_are_none),
        cmocka_unit_test(test_a_log_that_goes_while_a_rebuild_ends),
        cmocka_unit_test(test_offline_while_a_rebuild_ends),
        cmocka_unit_test(test_stopped_while_a_rebuild_ends),
        cmocka_unit_test(test_the_end_of_a_stop_waits_for_the_log),
        cmocka_unit_test(test_a_log_that_has_gone_is_void),
        cmocka_unit_test(test_a_log_made_anew_knows_nothing),
        cmocka_unit_test(test_a_log_made_anew_after_a_stop),
        cmocka_unit_test(test_a_member_goes_after_the_log),
        cmocka_unit_test(test_a_member_goes_a_start_later),
        cmocka_unit_test(test_a_log_that_goes_keeps_nobody_waiting),
        cmocka_unit_test(test_a_log_that_goes_amid_a_logged_write),
        cmocka_unit_test(test_a_log_that_cannot_be_read_does_not_stop_the_start),
        cmocka_unit_test(test_senseless_intents_are_left_out),
        cmocka_unit_test(test_senseless_slices_are_left_out),
        cmocka_unit_test(test_senseless_mirrors_are_left_out),
        cmocka_unit_test(test_a_log_that_goes_while_marks_are_waited_for),
        cmocka_unit_test(test_a_replay_that_is_cut_short),
        cmocka_unit_test(test_a_replay_that_is_not_flushed),
        cmocka_unit_test(test_flushes_for_room),
        cmocka_unit_test(test_members_that_go_amid_a_logged_write),
        cmocka_unit_test(test_offline_at_the_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
