/*
 * Which copy of a mirror is read: the free one, the fast one, and for long runs both in turn.
 */
#include "aw_test.h"

#include <string.h>

#include "drive/drive_private.h"
#include "sim_array.h"

#define EXTENT (8u << 20)
#define REQUESTS 16u
#define LONG_BYTES (1u << 20)

struct load {
    struct sim_array *array;
    struct vd_request requests[REQUESTS];
    uint8_t *buffer;
    uint32_t open;
    uint32_t members[EXTENT / LONG_BYTES]; /* that have been asked for some of such a part */
};

static void load_done(struct vd_request *request, enum vd_status status)
{
    struct load *load = request->owner;

    assert_int_equal(status, VD_STATUS_OK);
    load->open--;
}

static bool load_is_idle(void *context)
{
    return ((struct load *)context)->open == 0;
}

/* `count` reads at once from `offset` on, each `stride` behind the one before. */
static void load_read(struct load *load, uint32_t count, uint64_t offset, uint64_t stride,
                      uint32_t length)
{
    assert_true(count <= REQUESTS);
    for (uint32_t i = 0; i < count; i++) {
        load->requests[i] = (struct vd_request){.op = VD_OP_READ,
                                                .offset_bytes = offset + i * stride,
                                                .length_bytes = length,
                                                .buffer = load->buffer,
                                                .complete = load_done,
                                                .owner = load};
        load->open++;
        vd_submit(sim_array_vd(load->array, 0), &load->requests[i]);
    }
    assert_true(sim_world_run_until(load->array->world, load_is_idle, load, 60 * SIM_SECOND));
}

static struct load *load_new_of(uint32_t width, uint32_t latency_min_us, uint32_t latency_max_us)
{
    struct sim_array_options options = {.level = RAID_LEVEL_1,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = 64u << 10,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .stripe_ops = 256,
                                        .consistent = true};
    struct load *load = calloc(1, sizeof(*load));

    load->array = sim_array_create(sim_world_create(31), &options);
    load->buffer = malloc(1u << 20);
    for (uint32_t i = 0; i < width; i++) {
        load->array->sims[i]->options.latency_min_us = latency_min_us;
        load->array->sims[i]->options.latency_max_us = latency_max_us;
    }
    assert_int_equal(sim_array_start(load->array), 0);
    return load;
}

static struct load *load_new(uint32_t width)
{
    return load_new_of(width, 20, 200);
}

static void load_free(struct load *load)
{
    struct sim_world *world = load->array->world;

    assert_int_equal(sim_array_stop(load->array), 0);
    sim_array_destroy(load->array);
    sim_world_destroy(world);
    free(load->buffer);
    free(load);
}

static uint64_t reads_of(const struct load *load, uint32_t member)
{
    return load->array->sims[member]->counters.reads;
}

static void counters_clear(struct load *load)
{
    for (uint32_t i = 0; i < load->array->member_count; i++) {
        load->array->sims[i]->counters.reads = 0;
        load->array->sims[i]->counters.read_bytes = 0;
    }
}

/* Many at once go to all copies. */
static void test_queues_are_shared(void **state)
{
    struct load *load = load_new(3);

    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        load_read(load, 12, (uint64_t)(i * 37 % 64) * 65536, 200 * 512, 4096);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_in_range(reads_of(load, i), 480 / 5, 480 / 2);
    }
    load_free(load);
}

/* A copy on a drive that takes ten times as long gets a small part; when it is well again, its
 * share comes back. */
static void test_slow_copy_is_spared(void **state)
{
    struct load *load = load_new(2);

    (void)state;
    load->array->sims[0]->extra_latency_us = 2000;
    for (uint32_t i = 0; i < 50; i++) {
        load_read(load, 4, (uint64_t)(i * 37 % 64) * 65536, 200 * 512, 4096);
    }
    counters_clear(load);
    for (uint32_t i = 0; i < 50; i++) {
        load_read(load, 4, (uint64_t)(i * 37 % 64) * 65536, 200 * 512, 4096);
    }
    assert_true(reads_of(load, 0) < 30);
    load->array->sims[0]->extra_latency_us = 0;
    sim_world_advance(load->array->world, 10 * SIM_SECOND);
    for (uint32_t i = 0; i < 20; i++) {
        load_read(load, 8, (uint64_t)(i * 37 % 64) * 65536, 200 * 512, 4096);
    }
    counters_clear(load);
    for (uint32_t i = 0; i < 50; i++) {
        load_read(load, 8, (uint64_t)(i * 37 % 64) * 65536, 200 * 512, 4096);
    }
    assert_true(reads_of(load, 0) > 100);
    load_free(load);
}

static bool all_in_sections(const struct load *load, uint32_t member)
{
    return load->array->sims[member]->counters.read_bytes >= EXTENT / 4 &&
           load->array->sims[member]->counters.read_bytes <= EXTENT * 3 / 4;
}

/* One reader of one run: both drives work, a MiB each in turn, if he asks for more than one piece
 * at a time. */
static void test_sections_alternate(void **state)
{
    struct load *load = load_new_of(2, 100, 120); /* one that looks slow by chance is spared */

    (void)state;
    for (uint32_t at = 0; at < EXTENT; at += 4u << 20) {
        load_read(load, 4, at, 1u << 20, 1u << 20);
    }
    assert_true(all_in_sections(load, 0));
    assert_true(all_in_sections(load, 1));
    load_free(load);
}

/* Piece after piece, one drive works at a time anyway: the same one, whose head is there. */
static void test_lonely_run_keeps_its_copy(void **state)
{
    struct load *load = load_new(2);

    (void)state;
    counters_clear(load);
    for (uint32_t at = 0; at < EXTENT; at += 64u << 10) {
        load_read(load, 1, at, 0, 64u << 10);
    }
    assert_true((reads_of(load, 0) == 0) != (reads_of(load, 1) == 0));
    load_free(load);
}

/* However long the pieces: the pieces of one do not send the head of the other copy to where it
 * would have to go first. */
static void test_lonely_run_of_long_pieces_keeps_its_copy(void **state UNUSED)
{
    struct load *load = load_new_of(2, 20000, 20100);

    for (uint32_t at = 0; at < EXTENT; at += 1u << 20) {
        if (at == EXTENT / 2) { /* it has settled by then */
            counters_clear(load);
        }
        load_read(load, 1, at, 0, 1u << 20);
    }
    assert_true((reads_of(load, 0) == 0) != (reads_of(load, 1) == 0));
    load_free(load);
}

/* Two readers of two runs: each keeps to one drive. */
static void test_streams_keep_apart(void **state)
{
    struct load *load = load_new(2);

    (void)state;
    for (uint32_t at = 0; at < EXTENT / 2; at += 64u << 10) {
        if (at == 1u << 20) { /* both are known by then */
            counters_clear(load);
        }
        for (uint32_t reader = 0; reader < 2; reader++) {
            uint64_t before = reads_of(load, reader);

            load_read(load, 1, reader * (EXTENT / 2) + at, 0, 64u << 10);
            assert_true(at < 1u << 20 || reads_of(load, reader) > before);
        }
    }
    assert_int_equal(reads_of(load, 0), reads_of(load, 1));
    load_free(load);
}

/* Nor do they mix where each has a while to itself, as they have on drives with heads. */
static void test_streams_of_bursts_keep_apart(void **state UNUSED)
{
    struct load *load = load_new_of(2, 5000, 5100);
    uint64_t at[2] = {0, EXTENT / 2};

    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t reader = 0; reader < 2; reader++) {
            uint64_t others = 0;

            counters_clear(load);
            for (uint32_t i = 0; i < 6; i++, at[reader] += 16u * 4096) {
                load_read(load, 16, at[reader], 4096, 4096);
            }
            others = reads_of(load, 0) < reads_of(load, 1) ? reads_of(load, 0) : reads_of(load, 1);
            assert_true(round < 2 || others == 0); /* they are known by then */
        }
    }
    load_free(load);
}

/* One run, of two reads at a time: sections alternate where nothing is against it. */
static void pairs_read(struct load *load)
{
    for (uint32_t at = 0; at < EXTENT; at += 128u << 10) {
        load_read(load, 2, at, 64u << 10, 64u << 10);
    }
}

/* A run does not wait for a copy that is much slower. */
static void test_run_spares_the_slow_copy(void **state)
{
    struct load *load = load_new(2);

    (void)state;
    load->array->sims[1]->extra_latency_us = 3000;
    for (uint32_t round = 0; round < 2; round++) {
        counters_clear(load);
        pairs_read(load);
    }
    assert_true(load->array->sims[1]->counters.read_bytes < EXTENT / 8);
    load_free(load);
}

/* Nor is a run shared with a drive that has been found much slower than its peers, however fast it
 * happens to answer now. */
static void test_run_spares_the_drive_known_slow(void **state UNUSED)
{
    struct load *load = load_new(2);

    load->array->drives[1]->slow = true;
    pairs_read(load);
    assert_true(load->array->sims[1]->counters.read_bytes < EXTENT / 8);
    load_free(load);
}

static void long_seen(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct load *load = context;
    uint64_t part =
        (request->offset_bytes - vd_config(sim_array_vd(load->array, 0))->extent_start_bytes) /
        LONG_BYTES;

    if (request->op != IO_OP_READ) {
        return;
    }
    assert_true(part < EXTENT / LONG_BYTES);
    load->members[part] |= sim == load->array->sims[0] ? 1u : 2u;
}

static struct load *load_new_long(void)
{
    struct load *load = load_new_of(2, 5000, 5100);

    sim_world_advance(load->array->world, SIM_SECOND); /* what the start wrote is there */
    for (uint32_t i = 0; i < 2; i++) {
        load->array->sims[i]->on_submit = long_seen;
        load->array->sims[i]->on_submit_context = load;
    }
    counters_clear(load);
    return load;
}

/* A long read by itself: each copy reads one half, and its head goes there once. */
static void test_long_read_has_all_copies(void **state UNUSED)
{
    struct load *load = load_new_long();

    load_read(load, 1, 2u * LONG_BYTES, 0, LONG_BYTES);
    assert_int_equal(load->array->sims[0]->counters.read_bytes, LONG_BYTES / 2);
    assert_int_equal(load->array->sims[1]->counters.read_bytes, LONG_BYTES / 2);
    load_free(load);
}

/* Several at a time: the copies have enough to do, so each reads whole ones. */
static void test_long_reads_keep_to_a_copy(void **state UNUSED)
{
    struct load *load = load_new_long();

    load_read(load, 4, 0, 2u * LONG_BYTES, LONG_BYTES); /* the first finds both of them free */
    for (uint32_t i = 1; i < 4; i++) {
        assert_true(load->members[2 * i] == 1 || load->members[2 * i] == 2);
    }
    assert_in_range(load->array->sims[0]->counters.read_bytes, LONG_BYTES, 3 * LONG_BYTES);
    load_free(load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues_are_shared),
        cmocka_unit_test(test_slow_copy_is_spared),
        cmocka_unit_test(test_sections_alternate),
        cmocka_unit_test(test_lonely_run_keeps_its_copy),
        cmocka_unit_test(test_lonely_run_of_long_pieces_keeps_its_copy),
        cmocka_unit_test(test_streams_keep_apart),
        cmocka_unit_test(test_streams_of_bursts_keep_apart),
        cmocka_unit_test(test_run_spares_the_slow_copy),
        cmocka_unit_test(test_run_spares_the_drive_known_slow),
        cmocka_unit_test(test_long_read_has_all_copies),
        cmocka_unit_test(test_long_reads_keep_to_a_copy),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
