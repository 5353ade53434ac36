/*
 * The stripe over virtual drives: over members that are memory and answer in any order, against
 * a picture of the whole.
 */
#include "aw_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/rng.h"
#include "scarce_memory.h"
#include "sim_world.h"
#include "vd/host_stripe.h"

#define MEMBERS_MAX 4u
#define OPEN_MAX 8u

struct bench;

/* A member: takes effect when submitted, answers some time later. */
struct member {
    struct vd_target target;
    struct bench *bench;
    uint8_t *bytes;
    uint32_t flushes, fuas, open;
    enum vd_status failure; /* of the next request; VD_STATUS_OK: none */
};

struct answer {
    struct sim_event event;
    struct vd_request *request;
    struct member *member;
    enum vd_status status;
};

struct bench {
    struct sim_world *sim;
    struct rng rng;
    struct member members[MEMBERS_MAX];
    struct host_stripe *stripe;
    struct vd_target *target;
    uint8_t *picture;
    uint32_t parts_max;          /* seen under way at a time */
};

static void answer_fired(struct sim_event *event)
{
    struct answer *answer = container_of(event, struct answer, event);
    struct vd_request *request = answer->request;
    enum vd_status status = answer->status;

    answer->member->open--;
    free(answer);
    request->complete(request, status);
}

static void member_submit(struct vd_target *target, struct vd_request *request)
{
    struct member *member = container_of(target, struct member, target);
    struct bench *bench = member->bench;
    struct answer *answer = calloc(1, sizeof(*answer));
    uint8_t *at = member->bytes + request->offset_bytes;
    uint32_t open = 0;

    assert_true(request->offset_bytes + request->length_bytes <= target->size_bytes);
    assert_int_equal((request->offset_bytes | request->length_bytes) % target->block_bytes, 0);
    *answer = (struct answer){.request = request, .member = member, .status = member->failure};
    member->failure = VD_STATUS_OK;
    member->fuas += request->fua;
    if (request->op == VD_OP_READ) {
        memcpy(request->buffer, at, request->length_bytes);
    } else if (request->op == VD_OP_WRITE) {
        memcpy(at, request->buffer, request->length_bytes);
    } else if (request->op == VD_OP_FLUSH) {
        assert_int_equal(request->length_bytes, 0);
        member->flushes++;
    } else {
        memset(at, 0, request->length_bytes);
    }
    member->open++;
    for (uint32_t i = 0; i < MEMBERS_MAX; i++) {
        open += bench->members[i].open;
    }
    bench->parts_max = open > bench->parts_max ? open : bench->parts_max;
    answer->event.fire = answer_fired;
    sim_event_post(bench->sim, &answer->event, 1 + rng_below(&bench->rng, 500));
}

static const struct vd_target_ops member_ops = {.submit = member_submit};

static struct host_stripe_options options_of(struct bench *bench, uint32_t count,
                                             uint32_t strip_bytes, uint64_t member_bytes,
                                             uint32_t parts)
{
    struct host_stripe_options options = {.name = "wide",
                                          .strip_bytes = strip_bytes,
                                          .member_count = count,
                                          .member_bytes = member_bytes,
                                          .parts = parts};

    for (uint32_t i = 0; i < count; i++) {
        struct member *member = &bench->members[i];

        member->bench = bench;
        member->target = (struct vd_target){
            .ops = &member_ops, .block_bytes = 512, .size_bytes = member_bytes + i * 4096u};
        options.members[i] = &member->target;
    }
    return options;
}

static void bench_new(struct bench *bench, uint64_t seed, uint32_t count, uint32_t strip_bytes,
                      uint64_t member_bytes, uint32_t parts)
{
    struct host_stripe_options options;

    memset(bench, 0, sizeof(*bench));
    bench->sim = sim_world_create(seed);
    rng_seed(&bench->rng, seed);
    options = options_of(bench, count, strip_bytes, member_bytes, parts);
    for (uint32_t i = 0; i < count; i++) {
        bench->members[i].bytes = calloc(1, member_bytes + i * 4096u);
    }
    assert_int_equal(host_stripe_create(&options, sim_world_clock(bench->sim), &bench->stripe), 0);
    bench->target = host_stripe_target(bench->stripe);
    assert_int_equal(bench->target->size_bytes, count * member_bytes);
    bench->picture = calloc(1, bench->target->size_bytes);
}

static void bench_free(struct bench *bench)
{
    assert_true(host_stripe_is_idle(bench->stripe));
    bench->stripe = host_stripe_free(bench->stripe);
    for (uint32_t i = 0; i < MEMBERS_MAX; i++) {
        free(bench->members[i].bytes);
    }
    free(bench->picture);
    sim_world_destroy(bench->sim);
}

struct asked {
    struct vd_request request;
    uint8_t *expected;           /* of a read */
    enum vd_status status;
    bool done;
};

static void on_done(struct vd_request *request, enum vd_status status)
{
    struct asked *asked = request->owner;

    assert_false(asked->done);
    asked->done = true;
    asked->status = status;
}

static void ask(struct bench *bench, struct asked *asked, enum vd_op op, uint64_t offset,
                uint32_t length)
{
    *asked = (struct asked){.request = {.op = op,
                                        .offset_bytes = offset,
                                        .length_bytes = length,
                                        .complete = on_done,
                                        .owner = asked}};
    if (op == VD_OP_READ || op == VD_OP_WRITE) {
        asked->request.buffer = malloc(length + 1u);
    }
    if (op == VD_OP_READ) {
        asked->expected = malloc(length + 1u);
        memcpy(asked->expected, bench->picture + offset, length);
    } else if (op == VD_OP_WRITE) {
        for (uint32_t i = 0; i < length; i++) {
            asked->request.buffer[i] = (uint8_t)rng_below(&bench->rng, 256);
        }
        memcpy(bench->picture + offset, asked->request.buffer, length);
    } else if (op != VD_OP_FLUSH) {
        memset(bench->picture + offset, 0, length);
    }
    bench->target->ops->submit(bench->target, &asked->request);
    assert_false(asked->done); /* (6) */
}

static void answered(struct bench *bench, struct asked *asked, enum vd_status status)
{
    assert_true(sim_world_run_until_flag(bench->sim, &asked->done, 60 * SIM_SECOND));
    assert_int_equal(asked->status, status);
    if (asked->expected != NULL && status == VD_STATUS_OK) {
        assert_memory_equal(asked->request.buffer, asked->expected, asked->request.length_bytes);
    }
    free(asked->request.buffer);
    free(asked->expected);
    *asked = (struct asked){.done = false};
}

/* Several at a time, overlapping: each sees what was submitted before it, and nothing later. */
static void random_run(uint64_t seed, uint32_t count, uint32_t strip_bytes, uint32_t parts)
{
    struct bench bench;
    struct asked asked[OPEN_MAX] = {{.done = false}};
    uint64_t member_bytes = UINT64_C(8) * strip_bytes;

    bench_new(&bench, seed, count, strip_bytes, member_bytes, parts);
    for (uint32_t step = 0; step < 400; step++) {
        struct asked *one = &asked[step % OPEN_MAX];
        uint64_t blocks = bench.target->size_bytes / 512;
        uint64_t first = rng_below(&bench.rng, blocks);
        uint64_t length = rng_below(&bench.rng, min_u64(blocks - first, 512) + 1);
        enum vd_op op = (enum vd_op)rng_below(&bench.rng, VD_OP_MAX);

        if (one->request.complete != NULL) {
            answered(&bench, one, VD_STATUS_OK);
        }
        ask(&bench, one, op, op == VD_OP_FLUSH ? 0 : first * 512,
            op == VD_OP_FLUSH ? 0 : (uint32_t)(length * 512));
    }
    for (uint32_t i = 0; i < OPEN_MAX; i++) {
        answered(&bench, &asked[i], VD_STATUS_OK);
    }
    assert_true(parts == 0 || bench.parts_max <= parts);
    bench_free(&bench);
}

static void test_random(void **state UNUSED)
{
    static const uint32_t strips[] = {8192, 65536};
    static const uint32_t parts[] = {0, 1, 3, 17};

    for (uint32_t count = 2; count <= MEMBERS_MAX; count++) {
        for (uint32_t i = 0; i < 8; i++) {
            random_run(100 + count * 10 + i, count, strips[i / 4], parts[i % 4]);
        }
    }
}

/* Where each strip lies is what a reader of the members would compute. */
static void test_layout(void **state UNUSED)
{
    struct bench bench;
    struct asked asked;

    bench_new(&bench, 7, 3, 8192, 5 * 8192, 0);
    ask(&bench, &asked, VD_OP_WRITE, 0, 15 * 8192);
    answered(&bench, &asked, VD_STATUS_OK);
    for (uint32_t strip = 0; strip < 15; strip++) {
        assert_memory_equal(bench.members[strip % 3].bytes + strip / 3 * 8192,
                            bench.picture + strip * 8192u, 8192);
    }
    for (uint64_t end = 0; end <= UINT64_C(15) * 8192; end += 512) {
        uint64_t sum = 0;

        for (uint32_t member = 0; member < 3; member++) {
            sum += host_stripe_share(end, 8192, 3, member);
        }
        assert_int_equal(sum, end);
    }
    bench_free(&bench);
}

static void test_flush_and_fua(void **state UNUSED)
{
    struct bench bench;
    struct asked asked[3];

    bench_new(&bench, 8, 2, 8192, 16 * 8192, 2);
    /* A write of many parts is before the flush: no member is flushed before all of it is there. */
    ask(&bench, &asked[0], VD_OP_WRITE, 0, 16 * 8192);
    ask(&bench, &asked[1], VD_OP_FLUSH, 0, 0);
    assert_int_equal(bench.members[0].flushes + bench.members[1].flushes, 0);
    answered(&bench, &asked[0], VD_STATUS_OK);
    answered(&bench, &asked[1], VD_STATUS_OK);
    assert_int_equal(bench.members[0].flushes, 1);
    assert_int_equal(bench.members[1].flushes, 1);
    asked[2] = (struct asked){.request = {.op = VD_OP_WRITE,
                                          .fua = true,
                                          .length_bytes = 16384,
                                          .buffer = calloc(1, 16384),
                                          .complete = on_done,
                                          .owner = &asked[2]}};
    bench.target->ops->submit(bench.target, &asked[2].request);
    answered(&bench, &asked[2], VD_STATUS_OK);
    assert_int_equal(bench.members[0].fuas, 1);
    assert_int_equal(bench.members[1].fuas, 1);
    bench_free(&bench);
}

static void test_failures(void **state UNUSED)
{
    struct bench bench;
    struct asked asked;

    bench_new(&bench, 9, 2, 8192, 4 * 8192, 0);
    bench.members[1].failure = VD_STATUS_IO;
    ask(&bench, &asked, VD_OP_READ, 0, 32768);
    answered(&bench, &asked, VD_STATUS_IO);
    bench.members[0].failure = VD_STATUS_SHUTDOWN;
    ask(&bench, &asked, VD_OP_FLUSH, 0, 0);
    answered(&bench, &asked, VD_STATUS_SHUTDOWN);
    ask(&bench, &asked, VD_OP_READ, 0, 0); /* nothing is asked */
    answered(&bench, &asked, VD_STATUS_OK);
    bench.members[0].failure = bench.members[1].failure = VD_STATUS_IO;
    ask(&bench, &asked, VD_OP_FLUSH, 0, 0); /* of two the first one counts */
    answered(&bench, &asked, VD_STATUS_IO);
    bench_free(&bench);
}

static void refused(struct bench *bench, struct vd_request request, enum vd_status status)
{
    struct asked asked = {.request = request};

    asked.request.complete = on_done;
    asked.request.owner = &asked;
    bench->target->ops->submit(bench->target, &asked.request);
    assert_false(asked.done);
    assert_true(sim_world_run_until_flag(bench->sim, &asked.done, SIM_SECOND));
    assert_int_equal(asked.status, status);
}

static void test_refusals(void **state UNUSED)
{
    struct bench bench;
    struct host_stripe_options options;
    struct host_stripe *stripe = NULL;
    uint8_t byte = 0;

    bench_new(&bench, 10, 2, 8192, 4 * 8192, 0);
    refused(&bench, (struct vd_request){.op = VD_OP_READ, .length_bytes = 512}, VD_STATUS_INVALID);
    refused(&bench, (struct vd_request){.op = VD_OP_TRIM, .length_bytes = 100}, VD_STATUS_INVALID);
    refused(&bench,
            (struct vd_request){.op = VD_OP_TRIM, .offset_bytes = 65536, .length_bytes = 512},
            VD_STATUS_INVALID);
    refused(&bench, (struct vd_request){.op = VD_OP_MAX}, VD_STATUS_INVALID);
    refused(&bench, (struct vd_request){.op = VD_OP_TRIM, .offset_bytes = 131072},
            VD_STATUS_INVALID);
    refused(&bench, (struct vd_request){.op = VD_OP_READ}, VD_STATUS_OK); /* nothing at all */
    bench.target->read_only = true;
    refused(&bench, (struct vd_request){.op = VD_OP_WRITE, .length_bytes = 512, .buffer = &byte},
            VD_STATUS_READ_ONLY);
    options = options_of(&bench, 2, 8192, 4 * 8192, 0);
    for (uint32_t i = 0; i < 7; i++) {
        struct host_stripe_options wrong = options;

        wrong.member_count = i == 0 ? 1 : i == 1 ? STRIPE_MEMBERS_MAX + 1 : 2;
        wrong.strip_bytes = i == 2 ? 4096 : i == 3 ? 12288 : 8192;
        wrong.member_bytes = i == 4 ? 8192 + 512 : i == 5 ? 64 * 8192 : 4 * 8192;
        wrong.members[1] = i == 6 ? options.members[0] : options.members[1];
        assert_int_equal(host_stripe_create(&wrong, sim_world_clock(bench.sim), &stripe), -EINVAL);
    }
    for (uint32_t i = 0; i < 5; i++) {
        struct host_stripe_options wrong = options;

        wrong.strip_bytes = i == 0 ? 2 * STRIPE_STRIP_MAX_BYTES : 8192;
        wrong.member_bytes = i == 0   ? 2 * STRIPE_STRIP_MAX_BYTES
                             : i == 1 ? 0
                             : i == 2 ? UINT64_MAX / 8192 * 8192
                                      : 4 * 8192;
        wrong.name = i == 3 ? "a name that is longer than any name of a virtual drive may ever be, "
                              "so that it does not fit"
                            : "wide";
        bench.members[1].target.block_bytes = i == 4 ? 16384 : 512; /* more than a strip */
        assert_int_equal(host_stripe_create(&wrong, sim_world_clock(bench.sim), &stripe), -EINVAL);
    }
    bench.members[1].target.block_bytes = 512;
    assert_null(stripe);
    bench_free(&bench);
}

/* What the members have in common, or the worst of them. */
static void test_what_it_inherits(void **state UNUSED)
{
    struct bench bench;
    struct host_stripe_options options;
    struct host_stripe *stripe = NULL;
    uint32_t failures = 0;

    bench_new(&bench, 11, 3, 8192, 4 * 8192, 0);
    options = options_of(&bench, 3, 8192, 4 * 8192, 0);
    bench.members[1].target.block_bytes = 4096;
    bench.members[1].target.preferred_block_bytes = 8192;
    bench.members[1].target.read_only = true;
    bench.members[2].target.preferred_block_bytes = 4096;
    SCARCE_MEMORY(host_stripe_create(&options, sim_world_clock(bench.sim), &stripe), &failures);
    assert_true(failures >= 2);
    assert_int_equal(host_stripe_target(stripe)->block_bytes, 4096);
    assert_int_equal(host_stripe_target(stripe)->preferred_block_bytes, 8192);
    assert_true(host_stripe_target(stripe)->read_only);
    assert_null(host_stripe_free(stripe));
    assert_null(host_stripe_free(NULL));
    bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_flush_and_fua), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_refusals),      cmocka_unit_test(test_what_it_inherits),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
