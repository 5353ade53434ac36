/* The drive model: properties that any drive of its kind has, and the figures of known ones. */
#include "aw_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "emulate/drive_model.h"

#define SIZE_BYTES UINT64_C(73543163904)
#define MB 1000000.0
#define DEPTH_MAX 64u

/* 15,000 rpm; a random read takes 0.15 ms + 0.5 ms + 6.2 ms * E[sqrt(d)] = 8/15 + 2 ms. */
static const struct emulated_timing disk = {.overhead_us = 150,
                                            .transfer_bytes_per_s = 300000000,
                                            .kind = DRIVE_MODEL_HDD,
                                            .queue_depth = 64,
                                            .buffer_bytes = 16u << 20,
                                            .buffered_writes = 64,
                                            .hdd = {.rpm = 15000,
                                                    .seek_track_us = 500,
                                                    .seek_full_us = 6700,
                                                    .write_settle_us = 400,
                                                    .read_segments = 16,
                                                    .zone_count = 2,
                                                    .zones = {{0, 125000000}, {50, 100000000}}}};

static const struct emulated_timing flash = {.overhead_us = 10,
                                             .transfer_bytes_per_s = 300000000,
                                             .kind = DRIVE_MODEL_SSD,
                                             .queue_depth = 32,
                                             .buffer_bytes = 16u << 20,
                                             .buffered_writes = 32,
                                             .ssd = {.channels = 10,
                                                     .read_us = 65,
                                                     .write_us = 85,
                                                     .read_bytes_per_s = 220000000,
                                                     .write_bytes_per_s = 220000000}};

struct load {
    uint32_t depth, bytes, write_percent, count;
    bool sequential, no_write_cache;
    uint64_t start_bytes;
};

struct outcome {
    double commands_per_s, bytes_per_s, mean_ms;
};

static struct drive_model *model_new(const struct emulated_timing *timing)
{
    struct drive_model *model = NULL;

    assert_int_equal(drive_model_create(timing, SIZE_BYTES, &model), 0);
    return model;
}

static void fill(const struct load *load, struct rng *rng, uint64_t *position,
                 struct drive_model_command *command)
{
    command->op = rng_below(rng, 100) < load->write_percent ? IO_OP_WRITE : IO_OP_READ;
    command->length_bytes = load->bytes;
    command->offset_bytes =
        load->sequential ? *position : rng_below(rng, SIZE_BYTES / load->bytes) * load->bytes;
    *position += load->bytes;
}

/* No command may be faster than its way through electronics and link. */
static void check_physics(const struct emulated_timing *timing,
                          const struct drive_model_command *command)
{
    uint64_t least_ns = timing->overhead_us * UINT64_C(1000) +
                        rate_ns(command->length_bytes, timing->transfer_bytes_per_s);

    assert_true(command->end_ns >= command->arrived_ns + least_ns);
}

static struct outcome run(const struct emulated_timing *timing, const struct load *load)
{
    struct drive_model_command commands[DEPTH_MAX];
    struct drive_model *model = model_new(timing);
    struct rng rng;
    uint64_t now_ns = 0;
    uint64_t position = load->start_bytes;
    uint64_t waited_ns = 0;
    uint32_t ended = 0;

    rng_seed(&rng, aw_test_seed("drive_model", 11));
    drive_model_write_cache_set(model, !load->no_write_cache);
    for (uint32_t i = 0; i < load->depth; i++) {
        fill(load, &rng, &position, &commands[i]);
        drive_model_submit(model, &commands[i], now_ns);
    }
    while (ended < load->count) {
        struct drive_model_command *command = NULL;
        uint64_t next_ns = drive_model_next_ns(model);

        assert_true(next_ns != UINT64_MAX); /* never stuck */
        now_ns = next_ns > now_ns ? next_ns : now_ns;
        while ((command = drive_model_pop(model, now_ns)) != NULL) {
            check_physics(timing, command);
            waited_ns += command->end_ns - command->arrived_ns;
            ended++;
            fill(load, &rng, &position, command);
            drive_model_submit(model, command, now_ns);
        }
    }
    model = drive_model_free(model);
    return (struct outcome){.commands_per_s = ended * 1e9 / (double)now_ns,
                            .bytes_per_s = ended * (double)load->bytes * 1e9 / (double)now_ns,
                            .mean_ms = (double)waited_ns / 1e6 / ended};
}

static void expect_between(double value, double least, double most)
{
    if (value < least || value > most) {
        fail_msg("%g is not between %g and %g", value, least, most);
    }
}

static void a_random_read_takes_seek_and_half_a_turn(void **state UNUSED)
{
    struct load load = {.depth = 1, .bytes = 4096, .count = 4000};

    expect_between(run(&disk, &load).mean_ms, 5.6, 6.2);
}

static void sequential_transfer_runs_at_the_rate_of_its_zone(void **state UNUSED)
{
    struct load load = {.depth = 4, .bytes = 65536, .count = 4000, .sequential = true};

    for (uint32_t bytes = 65536; bytes <= 1048576; bytes *= 4) {
        load.bytes = bytes;
        load.start_bytes = 0;
        load.write_percent = 0;
        expect_between(run(&disk, &load).bytes_per_s, 122 * MB, 126 * MB);
        load.write_percent = 100;
        expect_between(run(&disk, &load).bytes_per_s, 122 * MB, 127 * MB);
        load.start_bytes = SIZE_BYTES / 4096 * 3 / 5 * 4096;
        expect_between(run(&disk, &load).bytes_per_s, 98 * MB, 102 * MB);
        load.write_percent = 0;
        expect_between(run(&disk, &load).bytes_per_s, 98 * MB, 101 * MB);
    }
}

static uint64_t first_write_ns(uint32_t spindle_permille)
{
    struct emulated_timing timing = disk;
    struct drive_model_command command = {
        .op = IO_OP_WRITE, .offset_bytes = SIZE_BYTES / 8192 * 4096, .length_bytes = 4096};
    struct drive_model *model = NULL;
    uint64_t now_ns = 0;

    timing.hdd.spindle_permille = spindle_permille;
    model = model_new(&timing);
    drive_model_write_cache_set(model, false);
    drive_model_submit(model, &command, now_ns);
    while (drive_model_pop(model, now_ns) == NULL) {
        now_ns = drive_model_next_ns(model);
    }
    model = drive_model_free(model);
    return command.end_ns;
}

/* The same block comes round on each drive at its own time, within a turn of 4 ms. */
static void spindles_are_not_in_step(void **state UNUSED)
{
    uint64_t first_ns = first_write_ns(0);
    uint64_t second_ns = first_write_ns(250);
    uint64_t later_ns = (second_ns + 4000000 - first_ns) % 4000000;

    expect_between((double)later_ns, 0.99e6, 1.01e6);
    assert_int_equal(first_write_ns(1000), first_ns);
}

/* One command at a time, not answered before it is on the platter: a turn is lost with each. */
static void without_write_buffer_a_sequential_write_loses_turns(void **state UNUSED)
{
    struct load load = {.depth = 1,
                        .bytes = 65536,
                        .write_percent = 100,
                        .count = 1000,
                        .sequential = true,
                        .no_write_cache = true};

    expect_between(run(&disk, &load).bytes_per_s, 10 * MB, 20 * MB);
    load.depth = 8; /* the next one is there in time */
    expect_between(run(&disk, &load).bytes_per_s, 120 * MB, 126 * MB);
}

static void queueing_gains_by_reordering_only(void **state UNUSED)
{
    struct emulated_timing one = disk;
    struct load load = {.depth = 1, .bytes = 4096, .count = 4000};
    double alone = run(&disk, &load).commands_per_s;
    double before = alone;

    for (load.depth = 4; load.depth <= 64; load.depth *= 4) {
        double now = run(&disk, &load).commands_per_s;

        assert_true(now > 1.2 * before);
        before = now;
    }
    expect_between(before / alone, 2.2, 4.0);
    one.queue_depth = 1;
    load.depth = 16;
    expect_between(run(&one, &load).commands_per_s / alone, 0.99, 1.06);
}

/* Ended in the order of cost, yet none is forgotten. */
static void nobody_starves(void **state UNUSED)
{
    struct drive_model_command far = {
        .op = IO_OP_READ, .offset_bytes = SIZE_BYTES - 4096, .length_bytes = 4096};
    struct drive_model_command near[8];
    struct drive_model *model = model_new(&disk);
    uint64_t position = 0;
    uint64_t now_ns = 0;
    bool done = false;

    memset(near, 0, sizeof(near));
    for (uint32_t i = 0; i < 8; i++) {
        near[i].length_bytes = 65536;
        near[i].offset_bytes = position += 65536;
        drive_model_submit(model, &near[i], 0);
    }
    drive_model_submit(model, &far, 0);
    while (!done && now_ns < UINT64_C(2000000000)) {
        struct drive_model_command *command = NULL;

        now_ns = drive_model_next_ns(model);
        while ((command = drive_model_pop(model, now_ns)) != NULL) {
            done = done || command == &far;
            if (command != &far) {
                command->offset_bytes = position += 65536;
                drive_model_submit(model, command, now_ns);
            }
        }
    }
    assert_true(done);
    model = drive_model_free(model);
}

static void a_write_buffer_answers_early_and_writes_in_good_order(void **state UNUSED)
{
    struct load load = {.depth = 1, .bytes = 8192, .count = 4000};
    double reads = run(&disk, &load).commands_per_s;
    double writes = 0;

    load.write_percent = 100;
    writes = run(&disk, &load).commands_per_s;
    assert_true(writes > 1.8 * reads);
    load.no_write_cache = true;
    expect_between(run(&disk, &load).commands_per_s / reads, 0.85, 1.0);
}

static void a_flush_waits_for_the_platter(void **state UNUSED)
{
    struct drive_model_command commands[32];
    struct drive_model_command flush = {.op = IO_OP_FLUSH};
    struct drive_model *model = model_new(&disk);
    uint64_t now_ns = 0;
    uint32_t ended = 0;

    for (uint32_t i = 0; i < 32; i++) {
        commands[i] = (struct drive_model_command){
            .op = IO_OP_WRITE, .offset_bytes = i * UINT64_C(2000000) * 1024, .length_bytes = 8192};
        drive_model_submit(model, &commands[i], 0);
    }
    drive_model_submit(model, &flush, 0);
    while (ended < 33) {
        struct drive_model_command *command = NULL;

        now_ns = drive_model_next_ns(model);
        while ((command = drive_model_pop(model, now_ns)) != NULL) {
            ended++;
            assert_true(command != &flush || ended == 33);
            /* Each write was answered long before it was written. */
            assert_true(command == &flush || command->end_ns < UINT64_C(10000000));
        }
    }
    assert_true(flush.end_ns > 31 * UINT64_C(900000)); /* a seek and a settling for each */
    model = drive_model_free(model);
}

/* Whoever goes on writing where the heads are does not keep a flush of what lies elsewhere. */
static void a_flush_does_not_wait_for_what_comes_later(void **state UNUSED)
{
    struct drive_model_command commands[40];
    struct drive_model_command flush = {.op = IO_OP_FLUSH};
    struct drive_model *model = model_new(&disk);
    uint64_t now_ns = 0;
    uint64_t later = 0;

    for (uint32_t i = 0; i < 40; i++) {
        commands[i] = (struct drive_model_command){
            .op = IO_OP_WRITE, .offset_bytes = i * UINT64_C(1600000) * 1024, .length_bytes = 8192};
        drive_model_submit(model, &commands[i], 0);
    }
    now_ns = 15000000; /* they are in the buffer */
    for (uint32_t i = 0; i < 40; i++) {
        assert_non_null(drive_model_pop(model, now_ns));
    }
    drive_model_submit(model, &flush, now_ns);
    for (uint32_t i = 0; i < 40; i++) {
        commands[i].offset_bytes = later++ * 65536;
        drive_model_submit(model, &commands[i], now_ns);
    }
    while (flush.end_ns == 0) {
        struct drive_model_command *command = NULL;

        now_ns = drive_model_next_ns(model);
        assert_true(now_ns < 40 * UINT64_C(11100000)); /* the longest seek, a turn, a settling */
        while ((command = drive_model_pop(model, now_ns)) != NULL) {
            if (command != &flush) {
                command->offset_bytes = later++ * 65536;
                drive_model_submit(model, command, now_ns);
            }
        }
    }
    model = drive_model_free(model);
}

/* From its beginning, though the heads come from its end. */
static void what_goes_on_in_the_buffer_is_written_in_one_pass(void **state UNUSED)
{
    struct drive_model_command commands[62];
    struct drive_model_command flush = {.op = IO_OP_FLUSH};
    struct drive_model *model = model_new(&disk);

    for (uint32_t i = 0; i < 62; i++) {
        commands[i] = (struct drive_model_command){.op = IO_OP_WRITE,
                                                   .offset_bytes = (i + 54) % 62 * UINT64_C(65536),
                                                   .length_bytes = 65536};
        drive_model_submit(model, &commands[i], 0);
    }
    drive_model_submit(model, &flush, 0);
    while (flush.end_ns == 0) {
        uint64_t now_ns = drive_model_next_ns(model);

        while (drive_model_pop(model, now_ns) != NULL) {
        }
    }
    /* 32.5 ms of writing, and two turns to find where to begin. */
    expect_between((double)flush.end_ns / 1e6, 32.5, 32.5 + 2 * 4);
    model = drive_model_free(model);
}

/* One command, nothing else to do; ms. */
static double lonely(struct drive_model *model, uint64_t offset_bytes, uint64_t *now_ns)
{
    struct drive_model_command command = {
        .op = IO_OP_READ, .offset_bytes = offset_bytes, .length_bytes = 65536};

    drive_model_submit(model, &command, *now_ns);
    while (drive_model_pop(model, *now_ns) == NULL) {
        *now_ns = drive_model_next_ns(model);
    }
    return (double)(command.end_ns - command.arrived_ns) / 1e6;
}

/* Somebody else had them for one command; then they have time. */
static void the_heads_go_back_to_a_reader(void **state UNUSED)
{
    struct drive_model *model = model_new(&disk);
    uint64_t now_ns = 0;

    (void)lonely(model, 0, &now_ns);
    (void)lonely(model, 65536, &now_ns);
    (void)lonely(model, 131072, &now_ns);
    (void)lonely(model, SIZE_BYTES / 8192 * 4096, &now_ns);
    now_ns += UINT64_C(100000000);
    for (uint64_t i = 3; i < 8; i++) { /* less than the 512 KiB of a segment */
        expect_between(lonely(model, i * 65536, &now_ns), 0.1, 1);
    }
    model = drive_model_free(model);
}

static void two_readers_share_the_heads(void **state UNUSED)
{
    struct drive_model_command commands[2] = {{.length_bytes = 65536},
                                              {.length_bytes = 65536, .offset_bytes = 1u << 30}};
    struct drive_model *model = model_new(&disk);
    uint64_t now_ns = 0;
    uint32_t ended[2] = {0, 0};

    drive_model_submit(model, &commands[0], 0);
    drive_model_submit(model, &commands[1], 0);
    while (ended[0] + ended[1] < 4000) {
        struct drive_model_command *command = NULL;

        now_ns = drive_model_next_ns(model);
        while ((command = drive_model_pop(model, now_ns)) != NULL) {
            ended[command - commands]++;
            command->offset_bytes += 65536;
            drive_model_submit(model, command, now_ns);
        }
    }
    expect_between((double)ended[0] / ended[1], 0.9, 1.1);
    expect_between(4000 * 65536.0 * 1e9 / (double)now_ns, 15 * MB, 100 * MB);
    model = drive_model_free(model);
}

static void flash_knows_no_distance(void **state UNUSED)
{
    struct load load = {.depth = 1, .bytes = 4096, .count = 4000};
    double random = run(&flash, &load).commands_per_s;
    double before = random;

    load.sequential = true;
    expect_between(run(&flash, &load).commands_per_s / random, 0.99, 1.01);
    load.sequential = false;
    for (load.depth = 2; load.depth <= 4; load.depth *= 2) {
        double now = run(&flash, &load).commands_per_s;

        assert_true(now > 1.6 * before); /* channels work side by side */
        before = now;
    }
    load = (struct load){.depth = 16, .bytes = 65536, .count = 4000};
    expect_between(run(&flash, &load).bytes_per_s, 217 * MB, 221 * MB);
    load.write_percent = 100;
    load.count = 40000; /* many times the buffer */
    expect_between(run(&flash, &load).bytes_per_s, 217 * MB, 222 * MB);
}

/* Blocks are erased for what is written here and there: so many a second, whatever their size,
 * until the rate of all channels is less. What goes on from another write is spared that. */
static void flash_erases_for_random_writes(void **state UNUSED)
{
    struct emulated_timing erasing = flash;
    struct load load = {.depth = 16, .bytes = 4096, .write_percent = 100, .count = 20000};

    erasing.ssd.random_write_us = 303;
    expect_between(run(&erasing, &load).commands_per_s, 3290, 3400); /* the buffer takes some */
    load.bytes = 8192;
    expect_between(run(&erasing, &load).commands_per_s, 3290, 3400);
    load.bytes = 262144;
    expect_between(run(&erasing, &load).bytes_per_s, 217 * MB, 222 * MB);
    load = (struct load){
        .depth = 16, .bytes = 4096, .write_percent = 100, .sequential = true, .count = 200000};
    expect_between(run(&erasing, &load).bytes_per_s, 217 * MB, 225 * MB); /* with the buffer */
    load = (struct load){.depth = 16, .bytes = 4096, .count = 4000};
    assert_true(run(&erasing, &load).commands_per_s > 30000); /* reads know nothing of it */
}

/* Two drives behind one expander get what it carries, and no more. */
static void a_shared_link_is_shared(void **state UNUSED)
{
    struct rate_pipe shared = {.bytes_per_s = 150000000};
    const struct shared_ways ways = {.expander = &shared};
    struct drive_model *models[2] = {model_new(&flash), model_new(&flash)};
    struct drive_model_command commands[2][8];
    uint64_t now_ns = 0;
    uint32_t ended = 0;

    memset(commands, 0, sizeof(commands));
    for (uint32_t i = 0; i < 16; i++) {
        drive_model_share_ways(models[i / 8], &ways);
        commands[i / 8][i % 8].length_bytes = 65536;
        drive_model_submit(models[i / 8], &commands[i / 8][i % 8], 0);
    }
    while (ended < 4000) {
        uint64_t first_ns = drive_model_next_ns(models[0]);
        uint64_t second_ns = drive_model_next_ns(models[1]);

        now_ns = first_ns < second_ns ? first_ns : second_ns;
        for (uint32_t i = 0; i < 2; i++) {
            struct drive_model_command *command = NULL;

            while ((command = drive_model_pop(models[i], now_ns)) != NULL) {
                ended++;
                drive_model_submit(models[i], command, now_ns);
            }
        }
    }
    expect_between(4000 * 65536.0 * 1e9 / (double)now_ns, 148 * MB, 151 * MB);
    models[0] = drive_model_free(models[0]);
    models[1] = drive_model_free(models[1]);
}

/* Bytes a second of 2000 transfers of 64 KiB one after the other, eight at a time. */
static double rate_of(const struct shared_ways *ways, enum io_op op, bool is_background)
{
    struct drive_model *model = model_new(&flash);
    struct drive_model_command commands[8];
    uint64_t now_ns = 0;
    uint64_t next_bytes = 0;

    /* Each run begins at 0. */
    ways->background_read->free_ns = 0;
    ways->background_write->free_ns = 0;
    drive_model_share_ways(model, ways);
    for (uint32_t i = 0; i < 2000; i++) {
        struct drive_model_command *command = &commands[i % 8];

        if (i >= 8) {
            while ((command = drive_model_pop(model, now_ns)) == NULL) {
                now_ns = drive_model_next_ns(model);
            }
        }
        *command = (struct drive_model_command){.op = op,
                                                .offset_bytes = next_bytes,
                                                .length_bytes = 65536,
                                                .is_background = is_background};
        next_bytes += 65536;
        drive_model_submit(model, command, now_ns);
    }
    model = drive_model_free(model);
    return 1992 * 65536.0 * 1e9 / (double)now_ns;
}

/* Users' requests have passed a controller's engines already. */
static void background_passes_the_engines(void **state UNUSED)
{
    struct rate_pipe reading = {.bytes_per_s = 50000000};
    struct rate_pipe parity = {.bytes_per_s = 25000000};
    struct rate_pipe writing = {.bytes_per_s = 100000000};
    struct shared_ways ways = {.background_read = &reading, .background_write = &writing};

    expect_between(rate_of(&ways, IO_OP_READ, true), 49 * MB, 51 * MB);
    expect_between(rate_of(&ways, IO_OP_WRITE, true), 98 * MB, 102 * MB);
    assert_true(rate_of(&ways, IO_OP_READ, false) > 190 * MB);
    assert_true(rate_of(&ways, IO_OP_WRITE, false) > 190 * MB);
    ways.background_parity = &parity;
    expect_between(rate_of(&ways, IO_OP_READ, true), 24 * MB, 26 * MB);
}

static void a_pulled_plug_forgets_everything(void **state UNUSED)
{
    static const struct emulated_timing *const all[] = {&disk, &flash};

    for (size_t i = 0; i < 2; i++) {
        struct drive_model *model = model_new(all[i]);
        struct drive_model_command commands[4];
        struct drive_model_command again = {.op = IO_OP_READ, .length_bytes = 4096};

        for (uint32_t j = 0; j < 4; j++) {
            commands[j] = (struct drive_model_command){.op = j < 2 ? IO_OP_READ : IO_OP_WRITE,
                                                       .offset_bytes = j * UINT64_C(1000003) * 4096,
                                                       .length_bytes = 4096};
            drive_model_submit(model, &commands[j], 0);
        }
        drive_model_reset(model, 1000);
        assert_true(drive_model_next_ns(model) == UINT64_MAX);
        assert_null(drive_model_pop(model, UINT64_C(1) << 40));
        drive_model_submit(model, &again, UINT64_C(1) << 40);
        assert_ptr_equal(drive_model_pop(model, UINT64_C(1) << 41), &again);
        model = drive_model_free(model);
    }
}

static void the_same_load_takes_the_same_time(void **state UNUSED)
{
    struct load load = {.depth = 16, .bytes = 8192, .write_percent = 40, .count = 3000};
    struct outcome one = run(&disk, &load);
    struct outcome two = run(&disk, &load);

    assert_memory_equal(&one, &two, sizeof(one));
}

static void what_is_no_drive_is_refused(void **state UNUSED)
{
    struct emulated_timing bad = disk;
    struct drive_model *model = NULL;

    bad.hdd.zones[1].from_percent = 0;
    assert_int_equal(drive_model_create(&bad, SIZE_BYTES, &model), -EINVAL);
    bad = disk;
    bad.hdd.rpm = 0;
    assert_int_equal(drive_model_create(&bad, SIZE_BYTES, &model), -EINVAL);
    bad = disk;
    bad.queue_depth = 0;
    assert_int_equal(drive_model_create(&bad, SIZE_BYTES, &model), -EINVAL);
    bad = flash;
    bad.ssd.channels = 0;
    assert_int_equal(drive_model_create(&bad, SIZE_BYTES, &model), -EINVAL);
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_random_read_takes_seek_and_half_a_turn),
        cmocka_unit_test(sequential_transfer_runs_at_the_rate_of_its_zone),
        cmocka_unit_test(spindles_are_not_in_step),
        cmocka_unit_test(without_write_buffer_a_sequential_write_loses_turns),
        cmocka_unit_test(queueing_gains_by_reordering_only),
        cmocka_unit_test(nobody_starves),
        cmocka_unit_test(a_write_buffer_answers_early_and_writes_in_good_order),
        cmocka_unit_test(a_flush_waits_for_the_platter),
        cmocka_unit_test(a_flush_does_not_wait_for_what_comes_later),
        cmocka_unit_test(what_goes_on_in_the_buffer_is_written_in_one_pass),
        cmocka_unit_test(the_heads_go_back_to_a_reader),
        cmocka_unit_test(two_readers_share_the_heads),
        cmocka_unit_test(flash_knows_no_distance),
        cmocka_unit_test(flash_erases_for_random_writes),
        cmocka_unit_test(a_shared_link_is_shared),
        cmocka_unit_test(background_passes_the_engines),
        cmocka_unit_test(a_pulled_plug_forgets_everything),
        cmocka_unit_test(the_same_load_takes_the_same_time),
        cmocka_unit_test(what_is_no_drive_is_refused),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("emulate/drive_model", tests, NULL, NULL);
}
