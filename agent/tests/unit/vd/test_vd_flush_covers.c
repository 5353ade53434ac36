/*
 * What a FLUSH covers: each write that was answered before it was submitted, whatever else is
 * under way; and what has not been answered it does not wait for.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"

#define BLOCK 4096u
#define STRIP (16u << 10)
#define EXTENT (1u << 20)
#define SLOTS 12u
#define BLOCKS 48u
#define FLUSHES 6u
#define LIVES 12u

enum trouble { HEALTHY, WITH_LOG, MEMBER_PULLED, MEMBER_SLOW, FLUSH_LOST, TROUBLES };

static const struct {
    enum raid_level level;
    uint32_t spans;
    uint32_t width;
} shapes[] = {{RAID_LEVEL_0, 1, 3},
              {RAID_LEVEL_1, 1, 2},
              {RAID_LEVEL_5, 1, 4},
              {RAID_LEVEL_6, 1, 5},
              {RAID_LEVEL_10, 2, 2}};
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static struct sim_array *array_new(uint32_t shape, enum trouble trouble, uint64_t seed)
{
    struct sim_array_options options = {.level = shapes[shape].level,
                                        .span_count = shapes[shape].spans,
                                        .members_per_span = shapes[shape].width,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .timeout_ms = 400,
                                        .consistent = true,
                                        .stripe_log = trouble != HEALTHY,
                                        .hedged_reads = trouble == MEMBER_SLOW};
    struct sim_array *array = sim_array_create(sim_world_create(seed), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    (void)sim_array_stop(array); /* a member may have gone */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

/* A write that is stuck at some drive keeps no flush of what others have been told is written. */

struct shot {
    struct vd_request request;
    uint8_t bytes[BLOCK];
    bool done;
    enum vd_status status;
};

static void shot_done(struct vd_request *request, enum vd_status status)
{
    struct shot *shot = request->owner;

    shot->done = true;
    shot->status = status;
}

static void shot_fire(struct sim_array *array, struct shot *shot, enum vd_op op, uint64_t offset,
                      uint8_t byte)
{
    *shot = (struct shot){.request = {.op = op, .complete = shot_done}};
    memset(shot->bytes, byte, sizeof(shot->bytes));
    shot->request.owner = shot;
    shot->request.offset_bytes = offset;
    shot->request.length_bytes = op == VD_OP_FLUSH ? 0 : BLOCK;
    shot->request.buffer = shot->bytes;
    vd_submit(sim_array_vd(array, 0), &shot->request);
}

static void drives_hang(struct sim_array *array, bool hang)
{
    for (uint32_t i = 0; i < array->member_count; i++) {
        array->sims[i]->hang = hang;
    }
}

static void test_a_stuck_write_keeps_none(void **state UNUSED)
{
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        struct sim_array *array = array_new(shape, HEALTHY, 5 + shape);
        struct shot answered;
        struct shot stuck;
        struct shot flush;
        struct shot check;

        shot_fire(array, &answered, VD_OP_WRITE, 0, 1);
        assert_true(sim_world_run_until_flag(array->world, &answered.done, SIM_SECOND));
        assert_int_equal(answered.status, VD_STATUS_OK);
        drives_hang(array, true);
        shot_fire(array, &stuck, VD_OP_WRITE, 8 * STRIP, 2);
        sim_world_advance(array->world, 1000);
        drives_hang(array, false);
        shot_fire(array, &flush, VD_OP_FLUSH, 0, 0);
        assert_true(sim_world_run_until_flag(array->world, &flush.done, 50000));
        assert_int_equal(flush.status, VD_STATUS_OK);
        assert_false(stuck.done);
        for (uint32_t i = 0; i < array->member_count; i++) {
            sim_drive_unhang(array->sims[i]);
        }
        assert_true(sim_world_run_until_flag(array->world, &stuck.done, SIM_SECOND));
        assert_int_equal(stuck.status, VD_STATUS_OK);
        sim_array_power_cut(array, SIM_CUT_DROP_ALL);
        assert_int_equal(sim_array_reload(array), 0);
        shot_fire(array, &check, VD_OP_READ, 0, 0xee);
        assert_true(sim_world_run_until_flag(array->world, &check.done, SIM_SECOND));
        assert_int_equal(check.status, VD_STATUS_OK);
        assert_int_equal(check.bytes[0], 1);
        array_end(array);
    }
}

/* Writes, flushes among them; the power goes the moment that a flush is answered. */

struct writer {
    struct vd_request request;
    struct life *life;
    uint8_t bytes[BLOCK];
    uint32_t block;
    uint32_t turn; /* it began in */
    uint8_t version;
    bool open;
};

struct flusher {
    struct vd_request request;
    struct life *life;
    uint8_t covers[BLOCKS]; /* versions */
    uint32_t turn;
    bool open;
};

struct life {
    struct sim_array *array;
    struct rng rng;
    struct writer writers[SLOTS];
    struct flusher flushers[2];
    uint8_t newest[BLOCKS];
    uint8_t answered[BLOCKS];
    bool busy[BLOCKS];
    uint8_t owed[BLOCKS];
    uint32_t turn;
    uint32_t flushes_answered;
    uint32_t overtaken; /* writes that were not answered yet when a later flush was */
    bool dead;
};

static void write_done(struct vd_request *request, enum vd_status status)
{
    struct writer *writer = request->owner;
    struct life *life = writer->life;

    writer->open = false;
    life->busy[writer->block] = false;
    if (!life->dead) {
        assert_int_equal(status, VD_STATUS_OK);
        life->answered[writer->block] = writer->version;
    }
}

static void flush_done(struct vd_request *request, enum vd_status status)
{
    struct flusher *flusher = request->owner;
    struct life *life = flusher->life;

    flusher->open = false;
    if (life->dead) {
        return;
    }
    assert_int_equal(status, VD_STATUS_OK);
    life->flushes_answered++;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (life->owed[i] < flusher->covers[i]) {
            life->owed[i] = flusher->covers[i];
        }
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct writer *writer = &life->writers[i];

        life->overtaken += writer->open && writer->turn < flusher->turn ? 1u : 0u;
    }
}

static uint64_t block_offset(uint32_t block)
{
    return block * UINT64_C(3) * BLOCK; /* some share a row, and some a strip */
}

static void write_fire(struct life *life, struct writer *writer)
{
    uint32_t block = (uint32_t)rng_below(&life->rng, BLOCKS);

    if (life->busy[block]) {
        return;
    }
    assert_true(life->newest[block] < UINT8_MAX);
    *writer = (struct writer){.life = life,
                              .block = block,
                              .turn = life->turn,
                              .version = ++life->newest[block],
                              .open = true};
    life->busy[block] = true;
    memset(writer->bytes, writer->version, sizeof(writer->bytes));
    writer->request = (struct vd_request){.op = VD_OP_WRITE,
                                          .fua = rng_below(&life->rng, 8) == 0,
                                          .offset_bytes = block_offset(block),
                                          .length_bytes = BLOCK,
                                          .buffer = writer->bytes,
                                          .complete = write_done,
                                          .owner = writer};
    vd_submit(sim_array_vd(life->array, 0), &writer->request);
}

static void flush_fire(struct life *life)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct flusher *flusher = &life->flushers[i];

        if (!flusher->open) {
            *flusher = (struct flusher){.life = life, .turn = life->turn, .open = true};
            memcpy(flusher->covers, life->answered, sizeof(flusher->covers));
            flusher->request =
                (struct vd_request){.op = VD_OP_FLUSH, .complete = flush_done, .owner = flusher};
            vd_submit(sim_array_vd(life->array, 0), &flusher->request);
            return;
        }
    }
}

static void trouble_begin(struct life *life, enum trouble trouble)
{
    struct sim_drive *sim = life->array->sims[rng_below(&life->rng, life->array->member_count)];

    if (trouble == MEMBER_PULLED) {
        sim_drive_pull(sim, rng_below(&life->rng, 2) == 0);
    } else if (trouble == MEMBER_SLOW) {
        sim->hang = true; /* times out */
    } else if (trouble == FLUSH_LOST) {
        sim->flush_forgets = 1;
    }
}

static void life_go(struct life *life, enum trouble trouble)
{
    uint32_t until = 1 + (uint32_t)rng_below(&life->rng, FLUSHES);
    uint32_t trouble_at = (uint32_t)rng_below(&life->rng, 200);

    for (; life->flushes_answered < until; life->turn++) {
        struct writer *writer = &life->writers[rng_below(&life->rng, SLOTS)];

        if (life->turn == trouble_at) {
            trouble_begin(life, trouble);
        }
        if (!writer->open) {
            write_fire(life, writer);
        }
        if (rng_below(&life->rng, 12) == 0) {
            flush_fire(life);
        }
        for (uint64_t i = rng_below(&life->rng, 4); i > 0 && life->flushes_answered < until; i--) {
            (void)sim_world_step(life->array->world); /* there may be nothing under way */
        }
    }
}

static void life_judge(struct life *life)
{
    static uint8_t bytes[BLOCK];

    for (uint32_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(sim_array_io(life->array, sim_array_vd(life->array, 0), VD_OP_READ, false,
                                      block_offset(i), BLOCK, bytes),
                         VD_STATUS_OK);
        if (bytes[0] < life->owed[i] || bytes[0] > life->newest[i]) {
            fail_msg("block %u: version %u, but %u had been flushed", i, bytes[0], life->owed[i]);
        }
    }
}

static uint32_t life_lead(uint32_t shape, enum trouble trouble, uint64_t seed)
{
    struct life *life = calloc(1, sizeof(*life));
    uint32_t overtaken = 0;

    assert_non_null(life);
    life->array = array_new(shape, trouble, seed);
    rng_seed(&life->rng, seed);
    life_go(life, trouble);
    life->dead = true;
    sim_array_power_cut(life->array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(life->array), 0);
    life_judge(life);
    overtaken = life->overtaken;
    array_end(life->array);
    free(life);
    return overtaken;
}

static void test_the_answered_is_covered(void **state UNUSED)
{
    uint64_t seed = aw_test_seed("vd_flush_covers", 70000);
    uint32_t overtaken = 0;

    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        for (uint32_t trouble = HEALTHY; trouble < TROUBLES; trouble++) {
            if (shapes[shape].level == RAID_LEVEL_0 && trouble != HEALTHY) {
                continue; /* no member of it may be lost */
            }
            for (uint32_t i = 0; i < LIVES; i++) {
                overtaken += life_lead(shape, (enum trouble)trouble, seed++);
            }
        }
    }
    assert_true(overtaken > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stuck_write_keeps_none),
        cmocka_unit_test(test_the_answered_is_covered),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
