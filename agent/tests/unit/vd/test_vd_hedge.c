/*
 * Hedged reads: what takes too long is answered from elsewhere, what comes first counts, a drive
 * loses nothing by it, and no error comes of it.
 */
#include "aw_test.h"

#include <string.h>

#include "sim_array.h"
#include "vd/group_private.h"

#define BLOCK 4096u
#define EXTENT (1u << 20)
#define TIMEOUT_MS 400u

struct hedged {
    struct sim_array *array;
    uint8_t bytes[BLOCK];
    bool done;
    enum vd_status status;
    struct vd_request request;
};

static struct hedged *hedged_new(enum raid_level level, uint32_t width, bool on)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = 16u << 10,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .timeout_ms = TIMEOUT_MS,
                                        .consistent = true,
                                        .hedged_reads = on};
    struct hedged *h = calloc(1, sizeof(*h));

    h->array = sim_array_create(sim_world_create(77), &options);
    assert_int_equal(sim_array_start(h->array), 0);
    return h;
}

static void hedged_free(struct hedged *h)
{
    struct sim_world *world = h->array->world;

    for (uint32_t i = 0; i < h->array->member_count; i++) {
        sim_drive_faults_clear(h->array->sims[i]);
        sim_drive_unhang(h->array->sims[i]);
    }
    assert_int_equal(sim_array_stop(h->array), 0);
    sim_array_destroy(h->array);
    sim_world_destroy(world);
    free(h);
}

static void put(struct hedged *h, uint8_t byte)
{
    memset(h->bytes, byte, BLOCK);
    assert_int_equal(
        sim_array_io(h->array, sim_array_vd(h->array, 0), VD_OP_WRITE, true, 0, BLOCK, h->bytes),
        VD_STATUS_OK);
}

static void read_done(struct vd_request *request, enum vd_status status)
{
    struct hedged *h = request->owner;

    h->done = true;
    h->status = status;
}

static void get_begin(struct hedged *h)
{
    memset(h->bytes, 0xee, BLOCK);
    h->done = false;
    h->request = (struct vd_request){.op = VD_OP_READ,
                                     .length_bytes = BLOCK,
                                     .buffer = h->bytes,
                                     .complete = read_done,
                                     .owner = h};
    vd_submit(sim_array_vd(h->array, 0), &h->request);
}

static bool is_full_of(const struct hedged *h, uint8_t byte)
{
    for (uint32_t i = 0; i < BLOCK; i++) {
        if (h->bytes[i] != byte) {
            return false;
        }
    }
    return h->status == VD_STATUS_OK;
}

/* How long a read of the first block takes, which must be full of `byte`. */
static uint64_t get_us(struct hedged *h, uint8_t byte)
{
    uint64_t begun_us = clock_now_us(sim_world_clock(h->array->world));

    get_begin(h);
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, 60 * SIM_SECOND));
    assert_true(is_full_of(h, byte));
    return clock_now_us(sim_world_clock(h->array->world)) - begun_us;
}

/* So that it is known how long reads take, and credit is there. */
static void warm_up(struct hedged *h, uint8_t byte)
{
    for (uint32_t i = 0; i < 60; i++) {
        assert_true(get_us(h, byte) < 1000);
    }
}

/* The drive that the first block would be read from. */
static struct sim_drive *first_choice(struct hedged *h, uint32_t *ret_member)
{
    uint64_t before[8];

    for (uint32_t i = 0; i < h->array->member_count; i++) {
        before[i] = h->array->sims[i]->counters.reads;
    }
    get_begin(h);
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, 60 * SIM_SECOND));
    for (uint32_t i = 0; i < h->array->member_count; i++) {
        if (h->array->sims[i]->counters.reads != before[i]) {
            *ret_member = i;
            return h->array->sims[i];
        }
    }
    fail();
    return NULL;
}

static void hang_others(struct hedged *h, uint32_t member)
{
    for (uint32_t i = 0; i < h->array->member_count; i++) {
        h->array->sims[i]->hang = i != member;
    }
}

static void all_are_online(const struct hedged *h)
{
    for (uint32_t i = 0; i < h->array->member_count; i++) {
        assert_int_equal(group_config(h->array->group)->members[i].state, MEMBER_ONLINE);
    }
}

static uint64_t count_of(struct hedged *h)
{
    return vd_hedged_reads(sim_array_vd(h->array, 0));
}

static void test_slow_drive(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_1E, RAID_LEVEL_5,
                                             RAID_LEVEL_6};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct hedged *h = hedged_new(levels[i], 2 + i, true);

        put(h, 5);
        warm_up(h, 5);
        for (uint32_t m = 0; m < h->array->member_count; m++) {
            h->array->sims[m]->hang = true; /* whichever is asked first */
        }
        get_begin(h);
        for (uint32_t m = 0; m < h->array->member_count; m++) {
            h->array->sims[m]->hang = false;
        }
        assert_true(sim_world_run_until_flag(h->array->world, &h->done, 10 * 1000));
        assert_true(is_full_of(h, 5));
        assert_int_equal(count_of(h), 1);
        all_are_online(h);
        put(h, 6); /* while the drive still has the first read's buffer */
        for (uint32_t m = 0; m < h->array->member_count; m++) {
            sim_drive_unhang(h->array->sims[m]);
        }
        sim_world_advance(h->array->world, SIM_SECOND);
        assert_true(get_us(h, 6) < 1000);
        all_are_online(h);
        hedged_free(h);
    }
}

static void test_off(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, false);

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    for (uint32_t i = 0; i < 3; i++) {
        h->array->sims[i]->extra_latency_us = 50000;
    }
    assert_true(get_us(h, 5) >= 50000);
    assert_int_equal(count_of(h), 0);
    hedged_free(h);
}

/* When everything is slow, it is not made worse. */
static void test_share(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_1, 2, true);

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    for (uint32_t i = 0; i < 120; i++) {
        h->array->sims[0]->extra_latency_us = h->array->sims[1]->extra_latency_us = 2000 * (i + 1);
        assert_true(get_us(h, 5) >= 2000 * i);
    }
    assert_in_range(count_of(h), 1, 180 / 20 + 1);
    all_are_online(h);
    hedged_free(h);
}

/* The drives asked later hang: the first answer counts. */
static void test_first_answer_counts(void **state)
{
    (void)state;
    for (uint32_t width = 2; width <= 3; width++) {
        struct hedged *h = hedged_new(RAID_LEVEL_1, width, true);
        uint32_t member = 0;

        put(h, 5);
        warm_up(h, 5);
        (void)first_choice(h, &member);
        hang_others(h, member);
        h->array->sims[member]->extra_latency_us = 20000;
        assert_in_range(get_us(h, 5), 20000, 22000);
        assert_int_equal(count_of(h), width - 1);
        for (uint32_t m = 0; m < h->array->member_count; m++) {
            sim_drive_unhang(h->array->sims[m]);
        }
        sim_world_advance(h->array->world, SIM_SECOND);
        all_are_online(h);
        hedged_free(h);
    }
}

/* The first answer is an error: then the second one counts. */
static void test_the_first_answer_is_an_error(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_1, 2, true);
    struct sim_fault fault = {SIM_FAULT_READ, 0, BLOCK};
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[0]->hang = h->array->sims[1]->hang = true;
    get_begin(h);
    sim_world_advance(h->array->world, 4000);
    assert_int_equal(count_of(h), 1);
    assert_true(sim_drive_fault_add(h->array->sims[member], &fault));
    sim_drive_unhang(h->array->sims[member]);
    sim_world_advance(h->array->world, 4000);
    assert_false(h->done);
    sim_drive_unhang(h->array->sims[1 - member]);
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, SIM_SECOND));
    assert_true(is_full_of(h, 5));
    all_are_online(h);
    hedged_free(h);
}

/* The other way fails: then it is waited for. */
static void test_no_error_comes_of_it(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[member]->extra_latency_us = 30000;
    assert_true(sim_drive_fault_add(h->array->sims[(member + 1) % 3], &fault));
    assert_in_range(get_us(h, 5), 30000, 100000);
    assert_int_equal(count_of(h), 1);
    all_are_online(h);
    hedged_free(h);
}

/* Without another way nothing is hedged. */
static void test_degraded(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    sim_drive_pull(h->array->sims[(member + 1) % 3], false);
    put(h, 6); /* notices */
    h->array->sims[member]->extra_latency_us = 30000;
    assert_true(get_us(h, 6) >= 30000);
    assert_int_equal(count_of(h), 0);
    hedged_free(h);
}

/* A drive that never answers is lost as ever, though nobody waits for that read; and the
 * operations that it holds up do not keep others from working. */
static void test_hanging_drive(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5};

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct hedged *h = hedged_new(levels[i], 2 + i, true);
        uint32_t member = 0;

        put(h, 5);
        warm_up(h, 5);
        (void)first_choice(h, &member);
        h->array->sims[member]->hang = true;
        assert_true(get_us(h, 5) < 10000);
        assert_int_equal(count_of(h), 1);
        all_are_online(h);
        sim_world_advance(h->array->world, 2 * TIMEOUT_MS * 1000);
        put(h, 7);
        assert_int_equal(group_config(h->array->group)->members[member].state, MEMBER_FAILED);
        assert_true(get_us(h, 7) < 10000);
        hedged_free(h);
    }
}

/* Pulled while its answer is not waited for any more. */
static void test_pulled_meanwhile(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[member]->hang = true;
    h->array->sims[(member + 1) % 3]->extra_latency_us = 5000; /* the recovery is under way */
    get_begin(h);
    sim_world_advance(h->array->world, 4000);
    assert_false(h->done);
    assert_int_equal(count_of(h), 1);
    sim_drive_pull(h->array->sims[member], false);
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, SIM_SECOND));
    assert_true(is_full_of(h, 5));
    assert_int_equal(group_config(h->array->group)->members[member].state, MEMBER_MISSING);
    hedged_free(h);
}

/* Copies that are not known to agree are not exchanged for each other. */
static void test_not_known_consistent(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_1, 2, true);

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    sim_array_vd(h->array, 0)->consistent_rows = 0; /* as after an unclean stop */
    for (uint32_t i = 0; i < 2; i++) {
        h->array->sims[i]->extra_latency_us = 30000;
    }
    assert_true(get_us(h, 5) >= 30000);
    assert_int_equal(count_of(h), 0);
    sim_array_vd(h->array, 0)->consistent_rows =
        vd_config(sim_array_vd(h->array, 0))->consistent_rows;
    hedged_free(h);
}

#define STRIP (16u << 10)

static uint8_t two_strips[2 * STRIP];

static void two_strips_io(struct hedged *h, enum vd_op op)
{
    assert_int_equal(sim_array_io(h->array, sim_array_vd(h->array, 0), op, op == VD_OP_WRITE, 0,
                                  sizeof(two_strips), two_strips),
                     VD_STATUS_OK);
}

/* They are written, and it is known how long reads of a whole strip take. */
static void two_strips_warm_up(struct hedged *h, uint8_t byte)
{
    memset(two_strips, byte, sizeof(two_strips));
    two_strips_io(h, VD_OP_WRITE);
    warm_up(h, byte);
    for (uint32_t i = 0; i < 60; i++) {
        two_strips_io(h, VD_OP_READ);
    }
}

static void two_strips_are(struct hedged *h, uint8_t byte)
{
    memset(two_strips, 0xee, sizeof(two_strips));
    two_strips_io(h, VD_OP_READ);
    for (size_t i = 0; i < sizeof(two_strips); i++) {
        assert_int_equal(two_strips[i], byte);
    }
}

/* Two strips of a row are late: one of them is done without, the other one is not; what is asked
 * for again is another read. */
static void test_two_at_once(void **state UNUSED)
{
    struct hedged *h = hedged_new(RAID_LEVEL_6, 5, true);
    uint64_t before = 0;
    uint64_t began_us = 0;

    two_strips_warm_up(h, 4);
    before = count_of(h);
    for (uint32_t i = 0; i < 5; i++) {
        h->array->sims[i]->extra_latency_us = 30000;
    }
    began_us = h->array->world->now_us;
    two_strips_are(h, 4);
    assert_true(h->array->world->now_us - began_us < SIM_SECOND);
    assert_in_range(count_of(h) - before, 1, 2);
    all_are_online(h);
    hedged_free(h);
}

/* Only one can be done without: it is there before the other one, which is waited for. */
static void test_one_of_two(void **state UNUSED)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    uint64_t before = 0;

    two_strips_warm_up(h, 4);
    before = count_of(h);
    h->array->sims[0]->extra_latency_us = 20000;
    h->array->sims[1]->extra_latency_us = 30000;
    two_strips_are(h, 4);
    assert_in_range(count_of(h) - before, 1, 2);
    all_are_online(h);
    hedged_free(h);
}

/* After many reads it is known how long the slowest of a thousand take: that is waited for. */
static void test_many_reads(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_1, 2, true);
    uint64_t hedged = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    for (uint32_t i = 0; i < 6000; i++) { /* one of fifty is slow */
        h->array->sims[0]->extra_latency_us = h->array->sims[1]->extra_latency_us =
            i % 50 == 0 ? 9000 : 0;
        (void)get_us(h, 5);
    }
    hedged = count_of(h);
    h->array->sims[0]->extra_latency_us = h->array->sims[1]->extra_latency_us = 7000;
    (void)get_us(h, 5);
    assert_int_equal(count_of(h), hedged);
    hedged_free(h);
}

/* The member is lost by somebody else before the drive's time is up. */
static void test_lost_meanwhile(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[member]->hang = true;
    h->array->sims[(member + 1) % 3]->extra_latency_us = 2 * TIMEOUT_MS * 1000 / 3;
    get_begin(h);
    sim_world_advance(h->array->world, 4000);
    assert_int_equal(count_of(h), 1);
    assert_int_equal(
        group_member_lose(h->array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
        0);
    h->array->sims[(member + 1) % 3]->extra_latency_us = 0;
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, 10 * SIM_SECOND));
    assert_true(is_full_of(h, 5));
    sim_world_advance(h->array->world, 2 * TIMEOUT_MS * 1000);
    assert_int_equal(group_config(h->array->group)->members[member].state, MEMBER_OFFLINE);
    assert_int_equal(group_config(h->array->group)->members[member].why, REASON_DRIVE_LOST_USER);
    hedged_free(h);
}

static void write_done(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    *(bool *)request->owner = true;
}

/* The other way has to wait for a write to the same row; meanwhile the first drive answers. */
static void test_answered_before_the_row_is_free(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    uint32_t member = 0;
    static uint8_t bytes[BLOCK];
    bool written = false;
    struct vd_request write = {.op = VD_OP_WRITE,
                               .offset_bytes = (16u << 10) + 8192, /* the row's other strip */
                               .length_bytes = BLOCK,
                               .buffer = bytes,
                               .complete = write_done,
                               .owner = &written};

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[member]->hang = true;
    get_begin(h);
    for (uint32_t i = 0; i < 3; i++) { /* longer than the read is waited for */
        h->array->sims[i]->extra_latency_us = 20000;
    }
    h->array->sims[member]->hang = false;
    memset(bytes, 9, sizeof(bytes));
    vd_submit(sim_array_vd(h->array, 0), &write);
    sim_world_advance(h->array->world, 10000);
    assert_int_equal(count_of(h), 1);
    assert_false(h->done);
    sim_drive_unhang(h->array->sims[member]);
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, SIM_SECOND));
    assert_true(is_full_of(h, 5));
    assert_true(sim_world_run_until_flag(h->array->world, &written, SIM_SECOND));
    for (uint32_t i = 0; i < 3; i++) {
        h->array->sims[i]->extra_latency_us = 0;
    }
    assert_int_equal(sim_array_io(h->array, sim_array_vd(h->array, 0), VD_OP_READ, false,
                                  write.offset_bytes, BLOCK, h->bytes),
                     VD_STATUS_OK);
    assert_int_equal(h->bytes[0], 9);
    all_are_online(h);
    hedged_free(h);
}

/* The drive never answers and the other way fails: the drive's time is waited for, and it is lost
 * like one whose read was nobody else's. */
static void test_nothing_else_answers(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 16u << 10};
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[member]->hang = true;
    assert_true(sim_drive_fault_add(h->array->sims[(member + 1) % 3], &fault));
    get_begin(h);
    sim_world_advance(h->array->world, TIMEOUT_MS * 1000 / 2);
    assert_int_equal(count_of(h), 1);
    assert_false(h->done);
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, 2 * TIMEOUT_MS * 1000));
    assert_int_equal(h->status, VD_STATUS_IO);
    assert_int_equal(group_config(h->array->group)->members[member].state, MEMBER_FAILED);
    assert_int_equal(group_config(h->array->group)->members[member].why, REASON_DRIVE_LOST_TIMEOUT);
    hedged_free(h);
}

/* The drive never answers, the other way fails, and the member has another drive by the time the
 * first one's is up: the new one loses nothing by it, and nobody waits for the old one. */
static void test_replaced_meanwhile(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 16u << 10};
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[member]->hang = true;
    assert_true(sim_drive_fault_add(h->array->sims[(member + 1) % 3], &fault));
    get_begin(h);
    sim_world_advance(h->array->world, 4000);
    assert_int_equal(count_of(h), 1);
    assert_false(h->done); /* the other way is none: the first answer is waited for */
    assert_int_equal(
        group_member_lose(h->array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false),
        0);
    sim_world_advance(h->array->world, 4000);
    assert_int_equal(sim_array_replace(h->array, member, 3), 0);
    assert_false(h->done);
    sim_world_advance(h->array->world, 2 * TIMEOUT_MS * 1000);
    assert_true(h->done);
    assert_int_equal(h->status, VD_STATUS_IO);
    assert_int_equal(group_config(h->array->group)->members[member].state, MEMBER_REBUILD);
    hedged_free(h);
}

/* The same, and the old drive is pulled: that takes nothing from the new one either. */
static void test_replaced_and_pulled(void **state)
{
    struct hedged *h = hedged_new(RAID_LEVEL_5, 3, true);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 16u << 10};
    uint32_t member = 0;

    (void)state;
    put(h, 5);
    warm_up(h, 5);
    (void)first_choice(h, &member);
    h->array->sims[member]->hang = true;
    assert_true(sim_drive_fault_add(h->array->sims[(member + 1) % 3], &fault));
    get_begin(h);
    sim_world_advance(h->array->world, 4000);
    assert_int_equal(count_of(h), 1);
    (void)group_member_lose(h->array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false);
    sim_world_advance(h->array->world, 4000);
    assert_int_equal(sim_array_replace(h->array, member, 3), 0);
    assert_false(h->done);
    sim_drive_pull(h->array->sims[member], false);
    assert_true(sim_world_run_until_flag(h->array->world, &h->done, SIM_SECOND));
    assert_int_equal(h->status, VD_STATUS_IO);
    assert_int_equal(group_config(h->array->group)->members[member].state, MEMBER_REBUILD);
    assert_ptr_equal(group_drive(h->array->group, member), h->array->drives[3]);
    hedged_free(h);
}

/* A read that is not waited for leaves its drive stuck, of which nobody is told; the next one that
 * takes too long is to be recovered with that drive's help, and is answered after all. */
static void test_the_other_way_is_stuck(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_5, RAID_LEVEL_6};

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct hedged *h = hedged_new(levels[i], 3 + i, true);
        uint32_t member = 0;
        uint64_t other = 0;

        put(h, 5);
        warm_up(h, 5);
        (void)first_choice(h, &member);
        sim_world_advance(h->array->world, 5 * SIM_SECOND); /* clean: nobody flushes any more */
        other = (uint64_t)(member + 1) * 16384; /* row 0: data from member 0 on */
        assert_int_equal(member, 0);
        h->array->sims[1]->hang = true;
        assert_int_equal(sim_array_io(h->array, sim_array_vd(h->array, 0), VD_OP_READ, false, other,
                                      BLOCK, h->bytes),
                         VD_STATUS_OK);
        assert_int_equal(count_of(h), 1);
        sim_world_advance(h->array->world, (TIMEOUT_MS + 10) * 1000); /* now it is stuck */
        all_are_online(h);
        h->array->sims[0]->extra_latency_us = 30000;
        assert_true(get_us(h, 5) < 100000);
        assert_int_equal(count_of(h), 2);
        sim_world_advance(h->array->world, SIM_SECOND);
        assert_int_equal(group_config(h->array->group)->members[0].state, MEMBER_ONLINE);
        assert_int_equal(group_config(h->array->group)->members[1].state, MEMBER_FAILED);
        assert_true(get_us(h, 5) < 100000);
        hedged_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_other_way_is_stuck),
        cmocka_unit_test(test_slow_drive),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_first_answer_counts),
        cmocka_unit_test(test_the_first_answer_is_an_error),
        cmocka_unit_test(test_no_error_comes_of_it),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_hanging_drive),
        cmocka_unit_test(test_pulled_meanwhile),
        cmocka_unit_test(test_not_known_consistent),
        cmocka_unit_test(test_two_at_once),
        cmocka_unit_test(test_one_of_two),
        cmocka_unit_test(test_many_reads),
        cmocka_unit_test(test_lost_meanwhile),
        cmocka_unit_test(test_answered_before_the_row_is_free),
        cmocka_unit_test(test_nothing_else_answers),
        cmocka_unit_test(test_replaced_meanwhile),
        cmocka_unit_test(test_replaced_and_pulled),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
