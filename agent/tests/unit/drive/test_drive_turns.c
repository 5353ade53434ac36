/*
 * Turns of the streams of a drive with heads: who is held, who is not, for how long, and that
 * nobody is forgotten.
 */
#include "aw_test.h"

#include <string.h>

#include "drive/drive.h"
#include "sim_drive.h"

#define SIZE_BYTES (UINT64_C(1) << 30)
#define READ_BYTES (64u << 10)
#define FAR_BYTES (UINT64_C(256) << 20) /* from one stream to the next */
#define READS 256u
#define STREAMS 20u
#define EACH_US 500u

struct fixture {
    struct sim_world *world;
    struct sim_drive *sim;
    struct drive *drive;
    struct drive_io ios[READS];
    enum io_status status[READS];
    uint32_t stream_of[READS];
    uint64_t answered_us[READS];
    uint32_t begun, answered;
    uint32_t moves;             /* from one stream to another, as the device sees it */
    uint64_t newest;            /* the stream that it saw last */
    uint64_t next_bytes[STREAMS];
    bool goes_on[STREAMS];      /* each answer is followed by the next read of the stream */
    uint8_t *memory;
};

static void read_next(struct fixture *f, uint32_t stream);

static void read_complete(struct drive_io *io, enum io_status status)
{
    struct fixture *f = io->owner;
    uint32_t i = (uint32_t)(io - f->ios);

    assert_int_equal(f->answered_us[i], 0); /* once */
    f->answered_us[i] = clock_now_us(sim_world_clock(f->world));
    f->status[i] = status;
    f->answered++;
    if (f->goes_on[f->stream_of[i]] && f->begun < READS) {
        read_next(f, f->stream_of[i]);
    }
}

/* run_bytes: of the long read that it is a piece of; 0: none. */
static void piece_at(struct fixture *f, uint32_t stream, uint64_t offset_bytes, uint32_t bytes,
                     uint64_t run_bytes)
{
    uint32_t i = f->begun++;

    assert_true(i < READS);
    f->stream_of[i] = stream;
    f->ios[i] = (struct drive_io){.op = IO_OP_READ,
                                  .class_ = IO_CLASS_FOREGROUND,
                                  .offset_bytes = offset_bytes,
                                  .length_bytes = bytes,
                                  .buffer = f->memory,
                                  .run_bytes = run_bytes,
                                  .complete = read_complete,
                                  .owner = f};
    drive_submit(f->drive, &f->ios[i]);
}

static void read_at(struct fixture *f, uint32_t stream, uint64_t offset_bytes, uint32_t bytes)
{
    piece_at(f, stream, offset_bytes, bytes, 0);
}

static void read_next(struct fixture *f, uint32_t stream)
{
    uint64_t offset_bytes = f->next_bytes[stream];

    f->next_bytes[stream] += READ_BYTES;
    read_at(f, stream, offset_bytes, READ_BYTES);
}

static void seen(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct fixture *f = context;
    uint64_t stream = request->offset_bytes / FAR_BYTES;

    (void)sim;
    f->moves += stream != f->newest ? 1 : 0;
    f->newest = stream;
}

static struct fixture *fixture_new(enum drive_media media, uint32_t each_us)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct sim_drive_options sim_options = {
        .size_bytes = SIZE_BYTES, .latency_min_us = each_us, .latency_max_us = each_us + 1};
    struct drive_identity identity = {.key = "sn-test", .serial = "test", .media = media};

    f->world = sim_world_create(5);
    f->sim = sim_drive_create(f->world, &sim_options);
    f->sim->on_submit = seen;
    f->sim->on_submit_context = f;
    f->memory = aligned_alloc(4096, READ_BYTES);
    assert_int_equal(drive_create(&identity, sim_drive_port(f->sim), sim_world_clock(f->world),
                                  NULL, NULL, &f->drive),
                     0);
    for (uint32_t stream = 0; stream < STREAMS; stream++) {
        f->next_bytes[stream] = stream * FAR_BYTES % SIZE_BYTES + stream / 4 * (FAR_BYTES / 8);
    }
    return f;
}

static void fixture_free(struct fixture *f)
{
    assert_int_equal(f->answered, f->begun);
    assert_int_equal(drive_held(f->drive), 0);
    assert_true(drive_is_idle(f->drive));
    drive_free(f->drive);
    sim_world_destroy(f->world);
    free(f->memory);
    free(f);
}

static void drain(struct fixture *f)
{
    sim_world_advance(f->world, SIM_SECOND);
}

/* It has gone on three times. */
static void stream_become(struct fixture *f, uint32_t stream)
{
    for (uint32_t i = 0; i < 4; i++) {
        read_next(f, stream);
        drain(f);
    }
    f->moves = 0;
}

/* `count` reads of each of the first streams, in turn. */
static void read_all(struct fixture *f, uint32_t streams, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t stream = 0; stream < streams; stream++) {
            read_next(f, stream);
        }
    }
}

/* A long read of each of the first streams: what each asks for comes in pieces, one of each in
 * turn, as it does when they are split at the same time. `left` of it are still to come. */
static void read_part(struct fixture *f, uint32_t streams, uint32_t left, uint32_t pieces)
{
    for (; pieces > 0; pieces--, left--) {
        for (uint32_t stream = 0; stream < streams; stream++) {
            uint64_t offset_bytes = f->next_bytes[stream];

            f->next_bytes[stream] += READ_BYTES;
            piece_at(f, stream, offset_bytes, READ_BYTES, (uint64_t)left * READ_BYTES);
        }
    }
}

static void read_long(struct fixture *f, uint32_t streams, uint32_t pieces)
{
    read_part(f, streams, pieces, pieces);
}

/* Nothing has gone on yet, and all of them are kept together all the same; short ones are not. */
static void test_long_reads_are_kept_together(void **state UNUSED)
{
    struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);

    read_long(f, 4, 16);
    assert_int_equal(drive_held(f->drive), 3 * 16 + 12);
    drain(f);
    assert_int_equal(f->moves, 3);
    fixture_free(f);

    f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);
    read_long(f, 4, 7);
    assert_int_equal(drive_held(f->drive), 0);
    drain(f);
    fixture_free(f);

    f = fixture_new(DRIVE_MEDIA_SSD, EACH_US);
    read_long(f, 4, 16);
    assert_int_equal(drive_held(f->drive), 0);
    drain(f);
    fixture_free(f);
}

/* The heads do not leave for the time of another one what little is left of a long read; if it is
 * much, they do. Each turn of 25 ms has 50 times four pieces. */
static void test_the_end_of_a_long_read_is_waited_for(void **state UNUSED)
{
    for (uint32_t much = 0; much < 2; much++) {
        struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);

        uint32_t pieces = much != 0 ? 240 : 212;

        read_part(f, 2, pieces, 1);
        read_part(f, 1, pieces - 1, pieces - 1);
        assert_true(drive_held(f->drive) > 200);
        drain(f);
        assert_int_equal(f->moves, much != 0 ? 2 : 1);
        fixture_free(f);
    }
}

static void test_streams_take_turns(void **state)
{
    (void)state;
    for (uint32_t streams = 2; streams <= 4; streams++) {
        struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);

        for (uint32_t stream = 0; stream < streams; stream++) {
            stream_become(f, stream);
        }
        assert_false(drive_is_shared(f->drive));
        read_all(f, streams, 32);
        assert_true(drive_held(f->drive) > 0);
        assert_true(drive_is_shared(f->drive));
        assert_int_equal(drive_queued(f->drive, IO_CLASS_FOREGROUND), 32 * streams);
        drain(f);
        /* Each once or twice, and not with each read. */
        assert_in_range(f->moves, streams - 1, 2 * streams);
        assert_false(drive_is_shared(f->drive));
        fixture_free(f);
    }
}

/* A stream by itself, however deep its queue, reads at random, and drives without heads. */
static void test_others_are_not_held(void **state)
{
    struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);

    (void)state;
    stream_become(f, 0);
    read_all(f, 1, 60);
    assert_int_equal(drive_held(f->drive), 0);
    for (uint32_t i = 0; i < 20; i++) {
        read_at(f, 0, (uint64_t)(i * 37 % 64) << 24, 4096);
        assert_int_equal(drive_held(f->drive), 0);
    }
    drain(f);
    fixture_free(f);

    f = fixture_new(DRIVE_MEDIA_SSD, EACH_US);
    stream_become(f, 0);
    stream_become(f, 1);
    read_all(f, 2, 32);
    assert_int_equal(drive_held(f->drive), 0);
    drain(f);
    fixture_free(f);
}

/* What says that it rotates, but answers sooner than any head could, has no turns. */
static void test_a_drive_without_heads_says_it_rotates(void **state)
{
    (void)state;
    for (uint32_t slow = 0; slow < 2; slow++) {
        struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, slow != 0 ? 3000 : 50);

        for (uint32_t i = 0; i < 1100; i++) {
            f->begun = f->answered = i % 2;
            f->answered_us[i % 2] = 0;
            read_at(f, 0, (uint64_t)(i * 37 % 64) << 24, 4096);
            sim_world_advance(f->world, 4000);
        }
        f->begun = f->answered = 0;
        memset(f->answered_us, 0, sizeof(f->answered_us));
        stream_become(f, 0);
        stream_become(f, 1);
        read_all(f, 2, 8);
        assert_int_equal(drive_held(f->drive) > 0, slow);
        drain(f);
        fixture_free(f);
    }
}

/* A stream that always has something to read gives the heads to another one in time. */
static void test_a_turn_ends(void **state)
{
    struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);
    uint64_t from_us = 0;
    uint32_t read = 0;

    (void)state;
    stream_become(f, 1);
    stream_become(f, 0);
    f->goes_on[0] = true;
    read_all(f, 1, 4);
    from_us = clock_now_us(sim_world_clock(f->world));
    read = f->begun;
    read_next(f, 1);
    assert_int_equal(drive_held(f->drive), 1);
    drain(f);
    assert_in_range(f->answered_us[read] - from_us, 20000, 27000);
    fixture_free(f);
}

/* Twenty streams: those that have no place are not held, and the turns are shorter. */
static void test_many_streams(void **state)
{
    struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);
    uint64_t from_us = 0;
    uint64_t last_us = 0;

    (void)state;
    read_all(f, STREAMS, 12);
    from_us = clock_now_us(sim_world_clock(f->world));
    while (f->answered < f->begun) {
        assert_true(sim_world_step(f->world));
    }
    last_us = clock_now_us(sim_world_clock(f->world));
    assert_true(last_us - from_us < 400000);
    fixture_free(f);
}

/* Who comes back soon keeps the heads; who does not, loses them, and nobody waits for ever. */
static void test_who_comes_back(void **state)
{
    (void)state;
    for (uint32_t back = 0; back < 2; back++) {
        struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);
        uint64_t from_us = 0;

        stream_become(f, 1);
        f->goes_on[0] = true;
        read_all(f, 1, 1);
        sim_world_advance(f->world, 10 * EACH_US);
        f->goes_on[0] = back != 0;
        f->moves = 0;
        from_us = clock_now_us(sim_world_clock(f->world));
        read_next(f, 1);
        assert_int_equal(drive_held(f->drive), 1);
        sim_world_advance(f->world, 3 * EACH_US);
        assert_int_equal(drive_held(f->drive), 1);
        sim_world_advance(f->world, 8 * EACH_US);
        assert_int_equal(drive_held(f->drive), back != 0 ? 1 : 0);
        sim_world_advance(f->world, 50000);
        assert_int_equal(drive_held(f->drive), 0);
        assert_true(clock_now_us(sim_world_clock(f->world)) > from_us);
        f->goes_on[0] = false;
        drain(f);
        fixture_free(f);
    }
}

static void all_answered(const struct fixture *f, uint32_t from, enum io_status status)
{
    assert_int_equal(f->answered, f->begun);
    for (uint32_t i = from; i < f->begun; i++) {
        assert_int_equal(f->status[i], status);
    }
}

/* Held reads of a drive that goes, or hangs, are answered as those that wait. */
static void test_held_reads_are_refused(void **state)
{
    (void)state;
    for (uint32_t hang = 0; hang < 2; hang++) {
        struct fixture *f = fixture_new(DRIVE_MEDIA_HDD, EACH_US);
        uint32_t from = 0;

        stream_become(f, 0);
        stream_become(f, 1);
        from = f->begun;
        f->sim->hang = hang != 0;
        read_all(f, 2, 16);
        assert_true(drive_held(f->drive) > 0);
        if (hang != 0) {
            sim_world_advance(f->world, 70 * SIM_SECOND);
            all_answered(f, from, IO_STATUS_TIMEOUT);
            f->sim->hang = false;
            sim_drive_unhang(f->sim);
            drain(f);
        } else {
            sim_drive_pull(f->sim, false);
            drive_port_gone(f->drive);
            assert_int_equal(drive_held(f->drive), 0);
            drain(f);
            all_answered(f, from, IO_STATUS_GONE);
            sim_drive_return(f->sim);
            drive_port_attach(f->drive, sim_drive_port(f->sim));
        }
        from = f->begun;
        read_all(f, 2, 16); /* and they take turns again */
        assert_true(drive_held(f->drive) > 0);
        drain(f);
        all_answered(f, from, IO_STATUS_OK);
        fixture_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_reads_are_kept_together),
        cmocka_unit_test(test_the_end_of_a_long_read_is_waited_for),
        cmocka_unit_test(test_streams_take_turns),
        cmocka_unit_test(test_others_are_not_held),
        cmocka_unit_test(test_a_drive_without_heads_says_it_rotates),
        cmocka_unit_test(test_a_turn_ends),
        cmocka_unit_test(test_many_streams),
        cmocka_unit_test(test_who_comes_back),
        cmocka_unit_test(test_held_reads_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
