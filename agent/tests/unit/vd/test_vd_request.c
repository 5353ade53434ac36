/*
 * Requests to a virtual drive at the edges: those with nothing to do, before the start and while
 * it stops, many behind one, lent memory that comes back early; and what a virtual drive without
 * redundancy says of itself.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"
#include "sim_intent_log.h"
#include "vd/group_private.h"

#define STRIP (16u << 10)
#define EXTENT (1u << 20)

static struct sim_array *array_make_of(enum raid_level level, uint32_t width, uint32_t ssd_count)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .ssd_count = ssd_count,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 2,
                                        .timeout_ms = 400,
                                        .consistent = true};

    return sim_array_create(sim_world_create(37), &options);
}

static struct sim_array *array_make(enum raid_level level, uint32_t width)
{
    return array_make_of(level, width, 0);
}

static struct sim_array *array_new(enum raid_level level, uint32_t width)
{
    struct sim_array *array = array_make(level, width);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    if (array->group != NULL) {
        (void)sim_array_stop(array); /* it may be offline */
    }
    sim_array_destroy(array);
    sim_world_destroy(world);
}

struct asked {
    struct vd_request request;
    uint8_t *bytes;
    bool done;
    enum vd_status status;
};

static void on_done(struct vd_request *request, enum vd_status status)
{
    struct asked *asked = request->owner;

    assert_false(asked->done);
    asked->done = true;
    asked->status = status;
}

static void ask(struct vd *vd, struct asked *asked, enum vd_op op, uint64_t offset, uint32_t length,
                int byte)
{
    *asked = (struct asked){
        .request = {.op = op, .offset_bytes = offset, .length_bytes = length, .complete = on_done}};
    asked->request.owner = asked;
    if (op == VD_OP_READ || op == VD_OP_WRITE) {
        asked->bytes = malloc(length + 1u);
        assert_non_null(asked->bytes);
        memset(asked->bytes, byte, length);
        asked->request.buffer = asked->bytes;
    }
    vd_submit(vd, &asked->request);
    assert_false(asked->done); /* never from inside */
}

static enum vd_status answered(struct sim_array *array, struct asked *asked)
{
    assert_true(sim_world_run_until_flag(array->world, &asked->done, 60 * SIM_SECOND));
    return asked->status;
}

static enum vd_status run(struct sim_array *array, enum vd_op op, bool fua, uint64_t offset,
                          uint32_t length, void *bytes)
{
    return sim_array_io(array, sim_array_vd(array, 0), op, fua, offset, length, bytes);
}

static void test_nothing_to_do(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    uint8_t bytes[512];

    assert_int_equal(run(array, VD_OP_WRITE, false, 0, 0, NULL), VD_STATUS_OK);
    assert_int_equal(run(array, VD_OP_READ, false, 512, 0, NULL), VD_STATUS_OK);
    assert_int_equal(run(array, VD_OP_TRIM, false, 512, 0, NULL), VD_STATUS_OK);
    assert_int_equal(run(array, VD_OP_READ, true, 0, 512, bytes), VD_STATUS_OK);
    assert_int_equal(bytes[0], 0);
    array_end(array);
}

static void test_before_and_after(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);
    struct drive *members[] = {array->drives[0], array->drives[1]};
    struct asked asked;

    group_stop(array->group, sim_array_done, array);
    ask(sim_array_vd(array, 0), &asked, VD_OP_READ, 0, 512, 0);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(answered(array, &asked), VD_STATUS_SHUTDOWN);
    free(asked.bytes);
    array->group = group_free(array->group);
    assert_int_equal(group_create(array->config, members, &array->controller, array->store,
                                  sim_world_clock(array->world), NULL, NULL, &array->group),
                     0);
    ask(sim_array_vd(array, 0), &asked, VD_OP_READ, 0, 512, 0);
    assert_int_equal(answered(array, &asked), VD_STATUS_SHUTDOWN);
    free(asked.bytes);
    array->group = group_free(array->group);
    assert_int_equal(sim_array_start_again(array), 0);
    array_end(array);
}

/* On its way out a virtual drive takes nothing more. */
static void test_while_it_is_removed(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 2);
    struct vd *vd = sim_array_vd(array, 0);
    struct asked asked;

    sim_world_advance(array->world, SIM_SECOND); /* no save is running: it is tried at once */
    array->sim_store->fail_with = -ENOSPC;
    group_vd_remove(array->group, vd, sim_array_done, array);
    assert_false(vd->serving);
    assert_int_equal(sim_array_wait(array), -ENOSPC);
    array->sim_store->fail_with = 0;
    ask(vd, &asked, VD_OP_READ, 0, 512, 1); /* it has stayed */
    assert_int_equal(answered(array, &asked), VD_STATUS_OK);
    assert_int_equal(asked.bytes[0], 0);
    free(asked.bytes);
    array_end(array);
}

/* More wait behind a long write than are looked at in one turn: they take effect in their order. */
static void test_many_behind_one(void **state UNUSED)
{
    enum { LENGTH = 1920 << 10, COUNT = 48 };
    struct sim_array *array = array_new(RAID_LEVEL_5, 3);
    struct vd *vd = sim_array_vd(array, 0);
    struct asked first;
    struct asked reads[2];
    struct asked behind[COUNT];
    uint8_t block[512];

    ask(vd, &first, VD_OP_WRITE, 0, LENGTH, 1);
    ask(vd, &reads[0], VD_OP_READ, LENGTH, 4096, 0xee); /* next to it: not behind */
    ask(vd, &reads[1], VD_OP_READ, LENGTH - 512, 512, 0xee); /* its last block */
    for (uint32_t i = 0; i < COUNT; i++) {
        ask(vd, &behind[i], VD_OP_WRITE, LENGTH - 1024, 512, (int)i);
    }
    assert_int_equal(answered(array, &reads[0]), VD_STATUS_OK);
    assert_int_equal(reads[0].bytes[0], 0);
    assert_int_equal(answered(array, &reads[1]), VD_STATUS_OK);
    assert_int_equal(reads[1].bytes[0], 1);
    assert_int_equal(answered(array, &first), VD_STATUS_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(answered(array, &behind[i]), VD_STATUS_OK);
        free(behind[i].bytes);
    }
    assert_int_equal(run(array, VD_OP_READ, false, LENGTH - 1024, 512, block), VD_STATUS_OK);
    assert_int_equal(block[17], COUNT - 1);
    free(first.bytes);
    free(reads[0].bytes);
    free(reads[1].bytes);
    array_end(array);
}

/* Reads do not wait for reads before them, but a write does, and a read for it. On drives without
 * heads: there the drives get everything in this order. */
static void test_reads_before_a_write(void **state UNUSED)
{
    enum { LENGTH = 1920 << 10 };
    struct sim_array *array = array_make_of(RAID_LEVEL_5, 3, 3);
    struct vd *vd = NULL;
    struct asked first;
    struct asked second;
    struct asked write;
    struct asked last;

    assert_int_equal(sim_array_start(array), 0);
    vd = sim_array_vd(array, 0);
    assert_int_equal(run(array, VD_OP_WRITE, false, LENGTH - 512, 512, (uint8_t[512]){5}),
                     VD_STATUS_OK);
    ask(vd, &first, VD_OP_READ, 0, LENGTH, 0xee); /* not wholly begun for some time */
    ask(vd, &second, VD_OP_READ, LENGTH - 512, 512, 0xee);
    ask(vd, &write, VD_OP_WRITE, LENGTH - 512, 512, 9);
    ask(vd, &last, VD_OP_READ, LENGTH - 512, 512, 0xee);
    assert_int_equal(answered(array, &second), VD_STATUS_OK);
    assert_int_equal(second.bytes[0], 5);
    assert_false(write.done);
    assert_int_equal(answered(array, &last), VD_STATUS_OK);
    assert_int_equal(last.bytes[0], 9);
    assert_int_equal(answered(array, &first), VD_STATUS_OK);
    assert_int_equal(first.bytes[LENGTH - 512], 5);
    assert_int_equal(answered(array, &write), VD_STATUS_OK);
    free(first.bytes);
    free(second.bytes);
    free(write.bytes);
    free(last.bytes);
    array_end(array);
}

/* Lent memory: a drive lets go of it before the request is answered */

struct early {
    struct sim_array *array;
    bool done;
};

static void unhang_at_write(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct early *early = context;

    if (request->op == IO_OP_WRITE && early->array->group->late_ops > 1 && !early->done) {
        early->done = true;
        sim->extra_latency_us = 5000; /* the other one is back before the request is answered */
        sim_drive_unhang(early->array->sims[0]);
    }
}

static void test_lent_memory_that_comes_back_early(void **state UNUSED)
{
    enum { LENGTH = 16 * STRIP };
    struct sim_array *array = array_make(RAID_LEVEL_1, 2);
    struct early early = {.array = array};
    struct asked asked = {.request = {.op = VD_OP_WRITE,
                                      .length_bytes = LENGTH,
                                      .buffer = aligned_alloc(4096, LENGTH),
                                      .lends = true,
                                      .complete = on_done}};
    uint8_t *memory = asked.request.buffer;
    uint8_t block[512];

    assert_non_null(memory);
    array->options.stripe_ops = 4; /* two at a time of one request */
    assert_int_equal(sim_array_start(array), 0);
    memset(memory, 6, LENGTH);
    assert_int_equal(run(array, VD_OP_WRITE, false, 0, 512, memory), VD_STATUS_OK); /* marked */
    asked.request.owner = &asked;
    array->sims[0]->hang = true;
    array->sims[1]->on_submit = unhang_at_write;
    array->sims[1]->on_submit_context = &early;
    vd_submit(sim_array_vd(array, 0), &asked.request);
    assert_int_equal(answered(array, &asked), VD_STATUS_OK);
    assert_true(early.done);
    assert_ptr_equal(asked.request.buffer, memory); /* nobody has it any more */
    free(memory);
    array->sims[1]->on_submit = NULL;
    assert_int_equal(group_config(array->group)->members[0].state, MEMBER_FAILED);
    for (uint32_t at = 0; at < LENGTH; at += 512) {
        assert_int_equal(run(array, VD_OP_READ, false, at, 512, block), VD_STATUS_OK);
        assert_int_equal(block[5], 6);
    }
    array_end(array);
}

/* What it says of itself */

static void test_without_redundancy(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_0, 3);
    struct vd *vd = sim_array_vd(array, 0);
    uint64_t row = 77;
    uint64_t count = 77;

    assert_false(vd_sync_next(vd, 8, &row, &count)); /* all rows are consistent */
    assert_int_equal(count, 0);
    assert_int_equal(vd_sync_rows_left(vd), 0);
    vd_sync_advance(vd, 0, 4);
    assert_true(vd_is_consistent(vd));
    assert_int_equal(vd_suspect_bytes(vd), 0);
    assert_int_equal(vd_guarantee(vd), VD_GUARANTEE_NO_REDUNDANCY);
    array_end(array);
}

/* What an unclean stop may cost, by the medium of the intents. */
static void test_guarantees(void **state UNUSED)
{
    static const enum vd_guarantee guarantees[] = {
        [INTENT_MEDIUM_STABLE] = VD_GUARANTEE_JOURNAL,
        [INTENT_MEDIUM_MEMORY] = VD_GUARANTEE_JOURNAL_AGENT,
        [INTENT_MEDIUM_DRIVES] = VD_GUARANTEE_STRIPE_LOG,
        [INTENT_MEDIUM_NONE] = VD_GUARANTEE_REGION_MAP,
    };
    struct sim_array *array = array_make(RAID_LEVEL_5, 3);
    struct sim_intent_log *log = sim_intent_log_create(array->world);
    struct vd *vd = NULL;

    array->options.intent_log = &log->log;
    assert_int_equal(sim_array_start(array), 0);
    sim_world_advance(array->world, SIM_SECOND);
    vd = sim_array_vd(array, 0);
    for (uint32_t medium = 0; medium < INTENT_MEDIUM_MAX; medium++) {
        log->log.medium = (enum intent_medium)medium;
        assert_int_equal(vd_guarantee(vd), guarantees[medium]);
    }
    assert_int_equal(sim_array_stop(array), 0);
    sim_intent_log_destroy(log);
    array_end(array);
}

/* The end of a rebuild */

static void lose(struct sim_array *array, uint32_t member)
{
    uint8_t bytes[512] = {1};

    assert_int_equal(
        group_member_lose(array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(run(array, VD_OP_WRITE, true, 0, sizeof(bytes), bytes), VD_STATUS_OK);
}

static int rebuilt(struct sim_array *array, uint32_t member)
{
    group_member_rebuilt(array->group, member, sim_array_done, array);
    return sim_array_wait(array);
}

struct ended {
    bool done;
    int error;
};

static void rebuild_ended(void *context, int error)
{
    struct ended *ended = context;

    ended->done = true;
    ended->error = error;
}

static void slow_flush(void *context, struct sim_drive *sim, const struct io_request *request)
{
    bool *slowed = context;

    sim->extra_latency_us = 0;
    if (request->op == IO_OP_FLUSH && !*slowed) {
        *slowed = true;
        sim->extra_latency_us = 300000;
    }
}

static void test_rebuilds_that_are_not_over(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_6, 5);
    struct ended ended = {.done = false};
    bool slowed = false;
    uint8_t bytes[512] = {1};

    group_rebuilt_advance(array->group, 1, EXTENT); /* it is no target */
    assert_int_equal(group_rebuilt_bytes(array->group, 1), 0);
    assert_int_equal(rebuilt(array, 1), -ENODEV);
    lose(array, 1);
    assert_int_equal(sim_array_replace(array, 1, 5), 0);
    assert_int_equal(rebuilt(array, 1), -EAGAIN); /* not all of it */
    group_rebuilt_advance(array->group, 1, EXTENT);
    /* While the drives are flushed for its end, another drive takes its place. */
    assert_int_equal(run(array, VD_OP_WRITE, false, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    array->sims[4]->on_submit = slow_flush;
    array->sims[4]->on_submit_context = &slowed;
    group_member_rebuilt(array->group, 1, rebuild_ended, &ended);
    lose(array, 1);
    if (!ended.done) {
        assert_int_equal(sim_array_replace(array, 1, 6), 0);
    }
    assert_true(sim_world_run_until_flag(array->world, &ended.done, 10 * SIM_SECOND));
    assert_int_equal(ended.error, -ENODEV);
    assert_int_not_equal(group_config(array->group)->members[1].state, MEMBER_ONLINE);
    array->sims[4]->on_submit = NULL;
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_before_and_after),
        cmocka_unit_test(test_while_it_is_removed),
        cmocka_unit_test(test_many_behind_one),
        cmocka_unit_test(test_reads_before_a_write),
        cmocka_unit_test(test_lent_memory_that_comes_back_early),
        cmocka_unit_test(test_without_redundancy),
        cmocka_unit_test(test_guarantees),
        cmocka_unit_test(test_rebuilds_that_are_not_over),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/request", tests, NULL, NULL);
}
