/*
 * The stripe log under sustained small writes: whoever finds no place in it waits, and all of them
 * come to an end.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "sim_array.h"
#include "vd/stripe_log_private.h"

#define STRIP 16384u
#define EXTENT (1u << 20)
#define BLOCK 4096u
#define DEPTH 64u
#define WRITES 6000u

struct load {
    struct sim_array *array;
    struct rng rng;
    uint32_t begun, ended;
    uint64_t failed;
    uint64_t blocks;        /* of the virtual drive */
    uint8_t bytes[BLOCK];
    struct vd_request requests[DEPTH];
    uint32_t least_free;    /* places in the log */
};

static struct sim_array *array_new(enum raid_level level, uint32_t spans, uint32_t width,
                                   uint64_t seed)
{
    const struct sim_array_options options = {.level = level,
                                              .span_count = spans,
                                              .members_per_span = width,
                                              .strip_bytes = STRIP,
                                              .block_bytes = 512,
                                              .vd_count = 1,
                                              .extent_bytes = EXTENT,
                                              .dirty_idle_ms = 600000, /* nobody flushes for rest */
                                              .spare_count = 1,
                                              /* no heads: their turns would move the batches */
                                              .ssd_count = spans * width + 1,
                                              .stripe_ops = 2 * DEPTH,
                                              .consistent = true,
                                              .stripe_log = true};
    struct sim_array *array = sim_array_create(sim_world_create(seed), &options);

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

static uint32_t free_entries(const struct sim_array *array)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &array->group->stripe_log->free_entries) {
        count++;
    }
    return count;
}

static void write_begin(struct load *load, struct vd_request *request);

static void write_done(struct vd_request *request, enum vd_status status)
{
    struct load *load = request->owner;

    load->ended++;
    load->failed += status != VD_STATUS_OK ? 1u : 0u;
    load->least_free = min_u32(load->least_free, free_entries(load->array));
    if (load->begun < WRITES) {
        write_begin(load, request);
    }
}

static void write_begin(struct load *load, struct vd_request *request)
{
    load->begun++;
    *request = (struct vd_request){.op = VD_OP_WRITE,
                                   .offset_bytes = rng_below(&load->rng, load->blocks) * BLOCK,
                                   .length_bytes = BLOCK,
                                   .buffer = load->bytes,
                                   .complete = write_done,
                                   .owner = load};
    vd_submit(sim_array_vd(load->array, 0), request);
}

static bool load_is_over(void *context)
{
    return ((struct load *)context)->ended == WRITES;
}

static void load_run(struct load *load, struct sim_array *array, uint64_t seed)
{
    memset(load, 0, sizeof(*load));
    load->array = array;
    load->blocks = vd_config(sim_array_vd(array, 0))->size_bytes / BLOCK;
    load->least_free = LOG_ENTRIES_MAX;
    memset(load->bytes, 5, BLOCK);
    rng_seed(&load->rng, seed);
    for (uint32_t i = 0; i < DEPTH; i++) {
        write_begin(load, &load->requests[i]);
    }
    assert_true(sim_world_run_until(array->world, load_is_over, load, 600 * SIM_SECOND));
}

/* More of them wait than there are places, and they do not come in whole batches. */
static void test_random_small_writes(void **state UNUSED)
{
    static const struct {
        enum raid_level level;
        uint32_t spans, width;
    } shapes[] = {{RAID_LEVEL_5, 1, 4}, {RAID_LEVEL_6, 1, 5}, {RAID_LEVEL_50, 2, 3}};
    struct load *load = malloc(sizeof(*load));

    assert_non_null(load);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct sim_array *array =
                array_new(shapes[i].level, shapes[i].spans, shapes[i].width, seed);

            load_run(load, array, seed);
            assert_int_equal(load->failed, 0);
            assert_true(load->least_free < DEPTH);
            sim_array_power_cut(array, SIM_CUT_RATE);
            assert_int_equal(sim_array_reload(array), 0);
            array_end(array);
        }
    }
    free(load);
}

/* Refusals */

static void ring_refuse(struct sim_array *array, uint32_t member, enum io_status status)
{
    struct sim_drive *sim = sim_array_sim(array, member);

    sim->refusal = status;
    sim->refusal_offset_bytes = drive_layout_stripe_log_offset(sim->options.size_bytes, false);
    sim->refusal_length_bytes = STRIPE_LOG_BYTES;
}

static void all_refuse(struct sim_array *array, enum io_status ring, enum io_status flushes)
{
    for (uint32_t i = 0; i < array->member_count; i++) {
        ring_refuse(array, i, ring);
        sim_array_sim(array, i)->flush_refusal = flushes;
    }
}

/* It has gone on by itself, with so many members less. */
static void load_check(struct load *load, uint64_t lost_max)
{
    struct sim_array *array = load->array;

    all_refuse(array, IO_STATUS_OK, IO_STATUS_OK);
    sim_world_advance(array->world, 3 * SIM_SECOND);
    load_run(load, array, 99);
    assert_int_equal(load->failed, 0);
    assert_true(array->members_lost <= lost_max);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    array_end(array);
}

/* Two members refuse the ring for good: the others keep the batches, and no write fails. */
static void test_others_keep_the_log(void **state UNUSED)
{
    struct load *load = malloc(sizeof(*load));
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 4, 5);

    assert_non_null(load);
    sim_world_advance(array->world, 4 * SIM_SECOND);
    while (array->group->stripe_log->sequence % 4 != 3) { /* the next batch goes to 0 and 1 */
        uint8_t bytes[BLOCK] = {1};

        assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 0,
                                      sizeof(bytes), bytes),
                         VD_STATUS_OK);
    }
    ring_refuse(array, 0, IO_STATUS_NO_SPACE);
    ring_refuse(array, 1, IO_STATUS_NO_SPACE);
    load_run(load, array, 5);
    assert_int_equal(load->failed, 0);
    load_check(load, 0);
    free(load);
}

/* Nobody keeps it, or nobody can be flushed to make room: writes end with an error, the rest stays
 * as it is, and it goes on by itself. */
static void test_the_log_is_refused(void **state UNUSED)
{
    static const struct {
        enum io_status ring, flushes;
    } cases[] = {{IO_STATUS_NO_SPACE, IO_STATUS_OK},
                 {IO_STATUS_OK, IO_STATUS_NO_SPACE},
                 {IO_STATUS_READ_ONLY, IO_STATUS_READ_ONLY}};
    struct load *load = malloc(sizeof(*load));

    assert_non_null(load);
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_array *array =
            array_new(i == 1 ? RAID_LEVEL_50 : RAID_LEVEL_5, i == 1 ? 2 : 1, i == 1 ? 3 : 4, 6 + i);

        load_run(load, array, i);
        assert_int_equal(load->failed, 0);
        all_refuse(array, cases[i].ring, cases[i].flushes);
        load_run(load, array, i + 10);
        assert_true(load->failed > 0);
        load_check(load, 0);
    }
    free(load);
}

/* They begin and end in the middle of it. */
struct whims {
    struct load *load;
    struct clock_timer timer;
};

static void whim_fired(struct clock_timer *timer)
{
    static const enum io_status statuses[] = {IO_STATUS_OK, IO_STATUS_OK, IO_STATUS_NO_SPACE,
                                              IO_STATUS_READ_ONLY};
    struct whims *whims = timer->owner;
    struct sim_array *array = whims->load->array;
    struct rng *rng = &whims->load->rng;

    all_refuse(array, statuses[rng_below(rng, 4)], statuses[rng_below(rng, 4)]);
    clock_arm(sim_world_clock(array->world), timer, array->world->now_us + rng_below(rng, 100000));
}

static void test_refusals_come_and_go(void **state UNUSED)
{
    struct load *load = malloc(sizeof(*load));

    assert_non_null(load);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct sim_array *array = seed % 2 == 0 ? array_new(RAID_LEVEL_6, 1, 5, seed)
                                                : array_new(RAID_LEVEL_60, 2, 4, seed);
        struct whims whims = {.load = load, .timer = {.fire = whim_fired, .owner = &whims}};

        load->array = array;
        list_init(&whims.timer.port_link);
        clock_arm(sim_world_clock(array->world), &whims.timer, array->world->now_us + 2000);
        load_run(load, array, seed);
        clock_cancel(sim_world_clock(array->world), &whims.timer);
        load_check(load,
                   seed % 2 == 0 ? 2 : 4); /* the first that refuse, if others still bear it */
    }
    free(load);
}

static enum vd_status put(struct sim_array *array, uint64_t block)
{
    static uint8_t bytes[BLOCK];

    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, block * BLOCK,
                        sizeof(bytes), bytes);
}

/* Degraded, and neither data nor records are taken: each write fails with its intent still needed.
 * When the drives take records again, the places in the log are free again. */
static void test_intents_of_failed_writes_end(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 4, 8);
    uint32_t blocks = 3 * STRIP / BLOCK;

    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(put(array, 0), VD_STATUS_OK);
    for (uint32_t i = 0; i < 4; i++) {
        ring_refuse(array, i, IO_STATUS_NO_SPACE);
        sim_array_sim(array, i)->refusal_length_bytes =
            sim_array_sim(array, i)->refusal_offset_bytes;
        sim_array_sim(array, i)->refusal_offset_bytes = 0;
    }
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(put(array, i % blocks), VD_STATUS_NO_SPACE);
    }
    assert_int_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_true(free_entries(array) <= LOG_ENTRIES_MAX - 40);
    all_refuse(array, IO_STATUS_OK, IO_STATUS_OK);
    sim_world_advance(array->world, 3 * SIM_SECOND);
    for (uint32_t i = 0; i < 2; i++) { /* a flush releases them, a batch says so */
        assert_int_equal(put(array, i), VD_STATUS_OK);
        assert_int_equal(
            sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL),
            VD_STATUS_OK);
    }
    assert_true(free_entries(array) >= LOG_ENTRIES_MAX - 2);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_small_writes),
        cmocka_unit_test(test_others_keep_the_log),
        cmocka_unit_test(test_the_log_is_refused),
        cmocka_unit_test(test_refusals_come_and_go),
        cmocka_unit_test(test_intents_of_failed_writes_end),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
