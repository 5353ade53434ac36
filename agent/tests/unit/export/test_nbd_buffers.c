/*
 * The arena of all connections: blocks never overlap, come back together, and are handed out
 * in turn when they are scarce.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "export/nbd_buffers.h"

#define MIB (UINT64_C(1) << 20)

struct place {
    uint8_t *buffer;
    size_t length_bytes;
    uint8_t mark;
};

static void never_ready(struct nbd_buffer_waiter *waiter)
{
    fail_msg("%p was called", (void *)waiter);
}

static struct nbd_buffer_waiter waiter_make(void (*ready)(struct nbd_buffer_waiter *waiter))
{
    return (struct nbd_buffer_waiter){.ready = ready};
}

static uint8_t *take(struct nbd_buffers *buffers, size_t length_bytes)
{
    struct nbd_buffer_waiter waiter = waiter_make(never_ready);

    list_init(&waiter.link);
    assert_true(nbd_buffer_ask(buffers, length_bytes, &waiter));
    return nbd_buffer_take(buffers, length_bytes);
}

static void test_sizes_are_rounded(void **state)
{
    (void)state;
    assert_int_equal(nbd_buffer_round(1), 4096);
    assert_int_equal(nbd_buffer_round(4096), 4096);
    assert_int_equal(nbd_buffer_round(4097), 8192);
    assert_int_equal(nbd_buffer_round(32 * MIB), 32 * MIB);
}

static void test_an_arena_is_at_least_the_largest_request(void **state)
{
    struct nbd_buffers buffers;

    (void)state;
    assert_int_equal(nbd_buffers_init(&buffers, 1), 0);
    assert_int_equal(buffers.arena_bytes, 32 * MIB);
    nbd_buffer_give(&buffers, take(&buffers, 32 * MIB), 32 * MIB);
    nbd_buffers_done(&buffers);
    assert_int_equal(nbd_buffers_init(&buffers, 100 * MIB), 0);
    assert_int_equal(buffers.arena_bytes, 96 * MIB);
    nbd_buffers_done(&buffers);
}

static void place_check(const struct place *place)
{
    for (size_t i = 0; i < place->length_bytes; i += 512) {
        assert_int_equal(place->buffer[i], place->mark);
    }
    assert_int_equal(place->buffer[place->length_bytes - 1], place->mark);
}

static void test_blocks_never_overlap_and_come_back_together(void **state)
{
    struct nbd_buffer_waiter waiter = waiter_make(never_ready);
    struct place places[64] = {{NULL, 0, 0}};
    struct nbd_buffers buffers;
    struct rng rng;

    (void)state;
    list_init(&waiter.link);
    rng_seed(&rng, 7);
    assert_int_equal(nbd_buffers_init(&buffers, 64 * MIB), 0);
    for (uint32_t i = 0; i < 20000; i++) {
        struct place *place = &places[rng_u64(&rng) % 64];
        if (place->buffer != NULL) {
            place_check(place);
            nbd_buffer_give(&buffers, place->buffer, place->length_bytes);
            place->buffer = NULL;
            continue;
        }
        place->length_bytes = 1 + (size_t)(rng_u64(&rng) % (1u << (8 + rng_u64(&rng) % 13)));
        place->mark = (uint8_t)rng_u64(&rng);
        if (nbd_buffer_ask(&buffers, place->length_bytes, &waiter)) {
            place->buffer = nbd_buffer_take(&buffers, place->length_bytes);
            assert_int_equal((uintptr_t)place->buffer % 4096, 0);
            memset(place->buffer, place->mark, place->length_bytes);
        } else {
            list_remove(&waiter.link);
        }
    }
    for (uint32_t i = 0; i < 64; i++) {
        if (places[i].buffer != NULL) {
            place_check(&places[i]);
            nbd_buffer_give(&buffers, places[i].buffer, places[i].length_bytes);
        }
    }
    assert_int_equal(buffers.taken_bytes, 0);
    uint8_t *first = take(&buffers, 32 * MIB);
    uint8_t *second = take(&buffers, 32 * MIB);
    nbd_buffer_give(&buffers, first, 32 * MIB);
    nbd_buffer_give(&buffers, second, 32 * MIB);
    nbd_buffers_done(&buffers);
}

static uint32_t ready_count[2];
static struct nbd_buffer_waiter in_line[2];

static void count_ready(struct nbd_buffer_waiter *waiter)
{
    ready_count[waiter - in_line]++;
}

/* Blocks that came back are taken again as they are, and make room for larger ones. */
static void test_small_blocks_stay_ready(void **state)
{
    uint8_t *blocks[2 * NBD_READY_MAX];
    struct nbd_buffers buffers;

    (void)state;
    in_line[0] = waiter_make(count_ready);
    list_init(&in_line[0].link);
    ready_count[0] = 0;
    assert_int_equal(nbd_buffers_init(&buffers, 32 * MIB), 0);
    for (uint32_t class_index = 0; class_index < NBD_BUFFER_CLASSES - 4; class_index++) {
        size_t bytes = (size_t)4096 << class_index;

        for (uint32_t i = 0; i < 2 * NBD_READY_MAX; i++) {
            blocks[i] = take(&buffers, bytes);
        }
        for (uint32_t i = 0; i < 2 * NBD_READY_MAX; i++) {
            nbd_buffer_give(&buffers, blocks[i], bytes);
        }
        if (class_index < NBD_READY_CLASSES) {
            assert_int_equal(buffers.ready_counts[class_index], NBD_READY_MAX);
            assert_ptr_equal(take(&buffers, bytes), blocks[NBD_READY_MAX - 1]);
            nbd_buffer_give(&buffers, blocks[NBD_READY_MAX - 1], bytes);
        }
    }
    nbd_buffer_give(&buffers, take(&buffers, 32 * MIB), 32 * MIB);
    for (uint32_t i = 0; i < NBD_READY_CLASSES; i++) {
        assert_int_equal(buffers.ready_counts[i], 0);
    }
    /* Who waits gets what comes back, though it is small. */
    uint8_t *small = take(&buffers, 4096);
    assert_false(nbd_buffer_ask(&buffers, 32 * MIB, &in_line[0]));
    nbd_buffer_give(&buffers, small, 4096);
    assert_int_equal(ready_count[0], 1);
    assert_int_equal(buffers.ready_counts[0], 0);
    assert_true(nbd_buffer_ask(&buffers, 32 * MIB, &in_line[0]));
    nbd_buffers_done(&buffers);
}

static void test_the_first_in_line_is_served_first(void **state)
{
    struct nbd_buffer_waiter late = waiter_make(never_ready);
    struct nbd_buffers buffers;

    (void)state;
    list_init(&late.link);
    for (uint32_t i = 0; i < 2; i++) {
        in_line[i] = waiter_make(count_ready);
        list_init(&in_line[i].link);
        ready_count[i] = 0;
    }
    assert_int_equal(nbd_buffers_init(&buffers, 32 * MIB), 0);
    uint8_t *half = take(&buffers, 16 * MIB);
    uint8_t *quarter = take(&buffers, 8 * MIB);
    assert_false(nbd_buffer_ask(&buffers, 32 * MIB, &in_line[0]));
    assert_false(nbd_buffer_ask(&buffers, 4096, &in_line[1])); /* there is room, but not its turn */
    assert_int_equal(ready_count[0] + ready_count[1], 0);
    nbd_buffer_give(&buffers, quarter, 8 * MIB);
    assert_int_equal(ready_count[0], 1);
    assert_false(nbd_buffer_ask(&buffers, 32 * MIB, &in_line[0]));
    nbd_buffer_give(&buffers, half, 16 * MIB);
    assert_int_equal(ready_count[0], 2);
    assert_false(nbd_buffer_ask(&buffers, 4096, &in_line[1]));
    assert_true(nbd_buffer_ask(&buffers, 32 * MIB, &in_line[0]));
    uint8_t *all = nbd_buffer_take(&buffers, 32 * MIB);
    assert_int_equal(ready_count[1], 1); /* the turn has passed on */
    assert_false(nbd_buffer_ask(&buffers, 4096, &in_line[1]));
    nbd_buffer_give_up(&buffers, &in_line[1]);
    nbd_buffer_give_up(&buffers, &in_line[1]); /* harmless */
    nbd_buffer_give(&buffers, all, 32 * MIB);
    assert_true(nbd_buffer_ask(&buffers, 4096, &late));
    nbd_buffers_done(&buffers);
}

/* What virtual drives have kept comes back after the server has gone. */
static void test_lent_memory_outlives_the_server(void **state)
{
    struct nbd_buffers *buffers = NULL;
    uint8_t *lent[2];
    struct vd_lender *lender = NULL;

    (void)state;
    assert_int_equal(nbd_buffers_create(32 * MIB, &buffers), 0);
    lender = &buffers->lender;
    lent[0] = take(buffers, 5000);
    lent[1] = take(buffers, 16 * MIB - 8192);
    assert_null(nbd_buffers_retire(buffers));
    memset(lent[1], 1, 16 * MIB - 8192);
    lender->give_back(lender, lent[0]);
    memset(lent[1], 2, 16 * MIB - 8192);
    lender->give_back(lender, lent[1]); /* frees it all */
    assert_int_equal(nbd_buffers_create(32 * MIB, &buffers), 0);
    assert_null(nbd_buffers_retire(buffers));
    assert_null(nbd_buffers_retire(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lent_memory_outlives_the_server),
        cmocka_unit_test(test_sizes_are_rounded),
        cmocka_unit_test(test_an_arena_is_at_least_the_largest_request),
        cmocka_unit_test(test_small_blocks_stay_ready),
        cmocka_unit_test(test_blocks_never_overlap_and_come_back_together),
        cmocka_unit_test(test_the_first_in_line_is_served_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
