#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "meta/stripe_batch.h"
#include "sim_array.h"

#define STRIP 65536u
#define ROWS 16u
#define MEMBERS 4u
#define ROW_BYTES ((MEMBERS - 1) * STRIP)

static struct sim_array *array_start(uint64_t seed, bool stripe_log)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = MEMBERS,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .consistent = true,
                                        .stripe_log =
                                            stripe_log ? STRIPE_LOG_MODE_ON : STRIPE_LOG_MODE_OFF};
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

static void cut(struct sim_array *array)
{
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
}

static void put(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    static uint8_t bytes[ROW_BYTES];

    memset(bytes, byte, length);
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, length, bytes),
        VD_STATUS_OK);
}

static uint8_t get(struct sim_array *array, uint64_t offset)
{
    uint8_t bytes[4096];

    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, offset,
                                  sizeof(bytes), bytes),
                     VD_STATUS_OK);
    return bytes[100];
}

static enum vd_guarantee guarantee(struct sim_array *array)
{
    return vd_guarantee(sim_array_vd(array, 0));
}

/* Several times round the ring, with and without flushes of the virtual drive. */
static void test_the_ring_goes_round(void **state)
{
    struct sim_array *array = array_start(1, true);
    struct rng rng;
    uint8_t wanted[ROWS] = {0};

    (void)state;
    rng_seed(&rng, aw_test_seed("ring", 3));
    assert_int_equal(guarantee(array), VD_GUARANTEE_STRIPE_LOG);
    for (uint32_t i = 0; i < 400; i++) {
        uint64_t row = rng_below(&rng, ROWS);

        wanted[row] = (uint8_t)rng_u64(&rng);
        put(array, row * ROW_BYTES, 60u << 10, wanted[row]);
        if (rng_below(&rng, 100) == 0) {
            cut(array);
        }
    }
    cut(array);
    for (uint32_t row = 0; row < ROWS; row++) {
        assert_int_equal(get(array, row * ROW_BYTES), wanted[row]);
    }
    array_end(array);
}

struct switching {
    bool on;
};

static void stripe_log_set(struct group_config *config, void *context)
{
    config->vds[0].stripe_log =
        ((struct switching *)context)->on ? STRIPE_LOG_MODE_ON : STRIPE_LOG_MODE_OFF;
}

static void stripe_log_switch(struct sim_array *array, bool on)
{
    struct switching switching = {.on = on};

    group_config_change(array->group, stripe_log_set, &switching, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    sim_world_advance(array->world, SIM_SECOND / 4);
}

static void test_switched_at_work(void **state)
{
    struct sim_array *array = array_start(2, false);

    (void)state;
    assert_int_equal(guarantee(array), VD_GUARANTEE_REGION_MAP);
    stripe_log_switch(array, true);
    assert_int_equal(guarantee(array), VD_GUARANTEE_STRIPE_LOG);
    put(array, 0, 4096, 1); /* its intent is open and stays so */
    stripe_log_switch(array, false);
    assert_int_equal(guarantee(array), VD_GUARANTEE_REGION_MAP);
    put(array, 0, 4096, 2); /* past the log */
    cut(array);
    assert_int_equal(get(array, 0), 2);
    stripe_log_switch(array, true);
    put(array, 0, 4096, 3);
    cut(array);
    assert_int_equal(guarantee(array), VD_GUARANTEE_STRIPE_LOG);
    assert_int_equal(get(array, 0), 3);
    array_end(array);
}

/* The bytes of the ring before the newest batch are gone on every member. */
static void ring_spoil(struct sim_array *array, uint32_t from, uint32_t bytes)
{
    uint8_t *zeros = calloc(1, bytes);

    assert_non_null(zeros);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct sim_drive *sim = array->sims[i];

        sim_drive_poke(sim, drive_layout_stripe_log_offset(sim->port.size_bytes, false) + from,
                       zeros, bytes);
    }
    free(zeros);
}

static void test_a_gap_voids_the_log(void **state)
{
    struct sim_array *array = array_start(3, true);
    uint64_t generation = vd_config(sim_array_vd(array, 0))->intent_generation;

    (void)state;
    assert_int_equal(generation % 2, 1);
    put(array, 0, 4096, 1);     /* at 4096 of the ring: 4096 and two blocks */
    put(array, 65536, 4096, 2); /* and so on */
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    ring_spoil(array, 4096, 4096);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(vd_config(sim_array_vd(array, 0))->intent_generation, generation + 4);
    assert_int_equal(guarantee(array), VD_GUARANTEE_STRIPE_LOG);
    assert_int_equal(get(array, 0), 1);
    put(array, 0, 4096, 3);
    cut(array);
    assert_int_equal(get(array, 0), 3);
    assert_int_equal(vd_config(sim_array_vd(array, 0))->intent_generation, generation + 4);
    array_end(array);
}

/* A rebuilt member joins */

struct joining {
    struct sim_array *array;
    bool answered;
    int error;
};

static void rows_filled(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void rebuild_ended(void *context, int error)
{
    struct joining *joining = context;

    assert_false(joining->answered);
    joining->answered = true;
    joining->error = error;
}

/* The second member was lost with an intent open, and its drive is filled; the end begins. */
static void joining_begin(struct joining *joining, uint64_t seed)
{
    struct sim_array *array = array_start(seed, true);
    struct sim_drive *sim = array->sims[1];
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = ROWS,
                           .fill = true,
                           .complete = rows_filled,
                           .owner = array};

    *joining = (struct joining){.array = array};
    for (uint32_t row = 0; row < MEMBERS; row++) { /* each member has a batch */
        put(array, (uint64_t)row * ROW_BYTES, 4096, 1);
    }
    sim_drive_pull(sim, false);
    put(array, 0, ROW_BYTES, 2);
    sim_drive_return(sim);
    drive_port_attach(array->drives[1], sim_drive_port(sim));
    assert_int_equal(sim_array_replace(array, 1, 1), 0);
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
    group_rebuilt_advance(array->group, 1, ROWS * STRIP);
    group_member_rebuilt(array->group, 1, rebuild_ended, joining);
}

static void joining_wait(struct joining *joining)
{
    while (!joining->answered) {
        assert_true(sim_world_step(joining->array->world));
    }
}

/* The newest batch of a drive's ring. */
static struct stripe_batch ring_newest(const struct sim_drive *sim)
{
    uint8_t *ring = malloc(STRIPE_LOG_BYTES);
    struct stripe_batch newest = {0};
    struct stripe_batch batch;

    assert_non_null(ring);
    sim_drive_peek_durable(sim, drive_layout_stripe_log_offset(sim->port.size_bytes, false), ring,
                           STRIPE_LOG_BYTES);
    for (uint32_t at = 0; at < STRIPE_LOG_BYTES; at += STRIPE_BATCH_ALIGN) {
        if (stripe_batch_peek(ring + at, &batch) == 0 && batch.sequence > newest.sequence) {
            newest = batch;
        }
    }
    free(ring);
    return newest;
}

static void test_a_member_joins(void **state)
{
    struct joining joining;
    struct stripe_batch newest;

    (void)state;
    joining_begin(&joining, 4);
    newest = ring_newest(joining.array->sims[1]);
    assert_true(newest.intent_count > 0 && newest.tail <= newest.sequence);
    joining_wait(&joining);
    assert_int_equal(joining.error, 0);
    assert_int_equal(group_config(joining.array->group)->members[1].state, MEMBER_ONLINE);
    newest = ring_newest(joining.array->sims[1]);
    assert_int_equal(newest.intent_count, 0); /* nothing else was to be said */
    assert_int_equal(newest.tail, newest.sequence);
    put(joining.array, 0, 4096, 3);
    cut(joining.array);
    assert_int_equal(get(joining.array, 0), 3);
    array_end(joining.array);
}

static void test_stopped_while_joining(void **state)
{
    struct joining joining;

    (void)state;
    joining_begin(&joining, 5);
    assert_int_equal(sim_array_stop(joining.array), 0);
    assert_true(joining.answered);
    assert_int_equal(sim_array_reload(joining.array), 0);
    assert_int_equal(get(joining.array, 0), 2);
    array_end(joining.array);
}

static void test_lost_while_joining(void **state)
{
    struct joining joining;

    (void)state;
    joining_begin(&joining, 6);
    (void)group_member_lose(joining.array->group, 1, MEMBER_FAILED, REASON_DRIVE_LOST_PULLED,
                            false);
    joining_wait(&joining);
    assert_int_equal(joining.error, -ENODEV);
    put(joining.array, 0, 4096, 3);
    cut(joining.array);
    assert_int_equal(get(joining.array, 0), 3);
    array_end(joining.array);
}

static void test_offline_while_joining(void **state)
{
    struct joining joining;

    (void)state;
    joining_begin(&joining, 7);
    sim_drive_pull(joining.array->sims[0], false);
    sim_drive_pull(joining.array->sims[2], false);
    sim_drive_pull(joining.array->sims[3], false);
    joining_wait(&joining);
    assert_int_not_equal(joining.error, 0);
    (void)sim_array_stop(joining.array); /* offline */
    for (uint32_t i = 0; i < MEMBERS; i++) {
        sim_drive_return(joining.array->sims[i]);
    }
    assert_int_equal(sim_array_reload(joining.array), 0);
    assert_int_equal(group_config(joining.array->group)->members[1].state, MEMBER_REBUILD);
    assert_int_equal(get(joining.array, 0), 2);
    array_end(joining.array);
}

static void test_codec(void **state)
{
    static uint8_t out[STRIPE_BATCH_MAX_BYTES];
    static uint8_t data[2][8192];
    struct intent intents[2] = {0};
    const struct intent *const list[2] = {&intents[0], &intents[1]};
    struct stripe_batch batch = {.incarnation = 3, .sequence = 9, .tail = 7, .intent_count = 2};
    struct stripe_batch back;
    struct intent intent;
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("stripe batch", 8));
    rng_fill(&rng, data[0], sizeof(data[0]));
    memcpy(data[1], "AWSTRLOG", 8); /* what a user wrote looks like a batch */
    memcpy(data[1] + 4096, "AWSTRLOG", 8);
    for (uint32_t i = 0; i < 2; i++) {
        intents[i].row = 5 + i;
        intents[i].hi = 8192;
        intents[i].generation = 1;
        intents[i].part_count = 2;
        intents[i].parts[0] = (struct intent_part){.places = 1, .bytes = data[i]};
        intents[i].parts[1] = (struct intent_part){.places = 4, .parity = true, .bytes = data[0]};
    }
    stripe_batch_encode(&batch, list, out);
    assert_int_equal(batch.bytes, 4096 + 4 * 8192);
    for (uint32_t at = 4096; at < batch.bytes; at += 4096) {
        assert_int_not_equal(stripe_batch_peek(out + at, &back), 0);
    }
    assert_int_equal(stripe_batch_peek(out, &back), 0);
    assert_int_equal(stripe_batch_check(out, &back), 0);
    assert_int_equal(back.tail, 7);
    for (uint32_t i = 0; i < 2; i++) {
        stripe_batch_intent(out, &back, i, &intent);
        assert_int_equal(intent.row, 5 + i);
        assert_memory_equal(intent.parts[0].bytes, data[i], 8192);
        assert_memory_equal(intent.parts[1].bytes, data[0], 8192);
        assert_true(intent.parts[1].parity && !intent.parts[0].parity);
    }
    stripe_batch_encode(&batch, list, out);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t at = (uint32_t)rng_below(&rng, i < 1500 ? 256 : batch.bytes);
        uint8_t kept = out[at];

        out[at] ^= (uint8_t)(1u << rng_below(&rng, 8));
        assert_true(stripe_batch_peek(out, &back) != 0 || stripe_batch_check(out, &back) != 0);
        out[at] = kept;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_ring_goes_round),   cmocka_unit_test(test_switched_at_work),
        cmocka_unit_test(test_a_gap_voids_the_log),   cmocka_unit_test(test_a_member_joins),
        cmocka_unit_test(test_stopped_while_joining), cmocka_unit_test(test_lost_while_joining),
        cmocka_unit_test(test_offline_while_joining), cmocka_unit_test(test_codec),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
