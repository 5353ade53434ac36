/*
 * Saving groups and labels on simulated drives: slots, order, failures, power cuts.
 */
#include <string.h>

#include "aw_test.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "drive/drive_layout.h"
#include "meta_samples.h"
#include "sim_drive.h"
#include "sim_store.h"
#include "sim_world.h"

#define DRIVES 3u
#define MIB (UINT64_C(1) << 20)

struct fixture {
    struct sim_world *world;
    struct sim_store *sim_store;
    struct sim_drive *sim[DRIVES];
    struct drive *drives[DRIVES];
    struct group_store *store;
    struct uuid controller;
    struct group_config config;
    struct rng rng;
    uint32_t failed_mask;
    bool done;
    int error;
    struct drive_label *label;
};

static void drives_open(struct fixture *fixture)
{
    for (uint32_t i = 0; i < DRIVES; i++) {
        struct drive_identity identity = {.did = i};

        assert_int_equal(drive_create(&identity, sim_drive_port(fixture->sim[i]),
                                      sim_world_clock(fixture->world), NULL, NULL,
                                      &fixture->drives[i]),
                         0);
    }
    assert_int_equal(group_store_create(sim_store_port(fixture->sim_store), &fixture->store), 0);
}

static void drives_close(struct fixture *fixture)
{
    for (uint32_t i = 0; i < DRIVES; i++) {
        group_store_forget(fixture->store, fixture->drives[i]);
        fixture->drives[i] = drive_free(fixture->drives[i]);
    }
    fixture->store = group_store_free(fixture->store);
}

static void config_make(struct fixture *fixture)
{
    struct group_config *config = &fixture->config;

    rng_fill(&fixture->rng, config->guid.bytes, 24);
    config->sequence = 1;
    config->member_count = DRIVES;
    config->vd_count = 1;
    for (uint32_t i = 0; i < DRIVES; i++) {
        config->members[i].drive = uuid_make(&fixture->rng);
    }
    config->vds[0] = (struct vd_config){
        .name = "data",
        .geometry = {RAID_LEVEL_5, 1, DRIVES, 65536, 512, 4 * MIB},
        .size_bytes = 8 * MIB,
    };
    rng_fill(&fixture->rng, config->vds[0].guid.bytes, 24);
}

static struct fixture *setup(uint64_t seed)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    const struct sim_drive_options options = {.size_bytes = 72 * MIB, .fill_seed = seed};

    assert_non_null(fixture);
    fixture->world = sim_world_create(seed);
    fixture->sim_store = sim_store_create(fixture->world);
    rng_seed(&fixture->rng, seed);
    for (uint32_t i = 0; i < DRIVES; i++) {
        fixture->sim[i] = sim_drive_create(fixture->world, &options);
    }
    fixture->controller = uuid_make(&fixture->rng);
    drives_open(fixture);
    config_make(fixture);
    return fixture;
}

static void teardown(struct fixture *fixture)
{
    drives_close(fixture);
    sim_world_destroy(fixture->world);
    free(fixture->label);
    free(fixture);
}

static void on_member_failed(struct group_save *save, uint32_t member, enum io_status status)
{
    struct fixture *fixture = save->owner;

    assert_int_not_equal(status, IO_STATUS_OK);
    assert_false(fixture->done);
    fixture->failed_mask |= 1u << member;
}

static void on_saved(struct group_save *save, int error)
{
    struct fixture *fixture = save->owner;

    assert_false(fixture->done);
    fixture->done = true;
    fixture->error = error;
}

static void save_begin(struct fixture *fixture, struct group_save *save, bool labels_suffice)
{
    *save = (struct group_save){.config = &fixture->config,
                                .drives = fixture->drives,
                                .controller = &fixture->controller,
                                .labels_suffice = labels_suffice,
                                .member_failed = on_member_failed,
                                .complete = on_saved,
                                .owner = fixture};
    fixture->done = false;
    fixture->failed_mask = 0;
    group_store_save(fixture->store, save);
    assert_false(fixture->done);
}

static int save(struct fixture *fixture, bool labels_suffice)
{
    struct group_save run;

    save_begin(fixture, &run, labels_suffice);
    assert_true(sim_world_run_until_flag(fixture->world, &fixture->done, 120 * SIM_SECOND));
    return fixture->error;
}

static void on_read(struct label_read *read, int error)
{
    struct fixture *fixture = read->owner;

    fixture->done = true;
    fixture->error = error;
    free(fixture->label);
    fixture->label = read->label;
}

static int label_get(struct fixture *fixture, uint32_t drive)
{
    struct label_read read = {
        .drive = fixture->drives[drive], .complete = on_read, .owner = fixture};

    fixture->done = false;
    group_store_label_read(fixture->store, &read);
    assert_true(sim_world_run_until_flag(fixture->world, &fixture->done, 120 * SIM_SECOND));
    return fixture->error;
}

static void on_written(struct label_write *write, int error)
{
    struct fixture *fixture = write->owner;

    fixture->done = true;
    fixture->error = error;
}

static int label_put(struct fixture *fixture, uint32_t drive, const struct drive_label *label)
{
    struct label_write write = {
        .drive = fixture->drives[drive], .label = label, .complete = on_written, .owner = fixture};

    fixture->done = false;
    group_store_label_write(fixture->store, &write);
    assert_true(sim_world_run_until_flag(fixture->world, &fixture->done, 120 * SIM_SECOND));
    return fixture->error;
}

static uint64_t stored_sequence(struct fixture *fixture)
{
    static uint8_t buffer[GROUP_RECORD_MAX_BYTES];
    static struct group_config config;
    struct store_port *port = sim_store_port(fixture->sim_store);
    char name[STORE_NAME_MAX + 1];
    size_t bytes = 0;

    group_record_name(&fixture->config.guid, name);
    if (port->ops->get(port, name, buffer, sizeof(buffer), &bytes) != 0) {
        return 0;
    }
    assert_int_equal(group_record_decode(buffer, bytes, &config), 0);
    return config.sequence;
}

static void test_save_and_read(void **state)
{
    struct fixture *fixture = setup(1);

    (void)state;
    assert_int_equal(label_get(fixture, 0), -ENOENT);
    for (uint64_t sequence = 1; sequence <= 5; sequence++) {
        fixture->config.sequence = sequence;
        assert_int_equal(save(fixture, false), 0);
        assert_int_equal(fixture->failed_mask, 0);
        assert_int_equal(stored_sequence(fixture), sequence);
        for (uint32_t i = 0; i < DRIVES; i++) {
            assert_int_equal(label_get(fixture, i), 0);
            assert_int_equal(fixture->label->role, LABEL_ROLE_MEMBER);
            assert_int_equal(fixture->label->member, i);
            assert_int_equal(fixture->label->record.sequence, sequence);
            assert_true(uuid_equal(&fixture->label->drive, &fixture->config.members[i].drive));
            assert_true(uuid_equal(&fixture->label->controller, &fixture->controller));
        }
    }
    /* A store that knows nothing of the slots goes on counting from what it finds. */
    drives_close(fixture);
    drives_open(fixture);
    fixture->config.sequence = 6;
    assert_int_equal(save(fixture, false), 0);
    assert_int_equal(label_get(fixture, 2), 0);
    assert_int_equal(fixture->label->record.sequence, 6);
    teardown(fixture);
}

static void test_store_full(void **state)
{
    struct fixture *fixture = setup(2);

    (void)state;
    assert_int_equal(save(fixture, false), 0);
    fixture->config.sequence = 2;
    fixture->sim_store->fail_with = -ENOSPC;
    assert_int_equal(save(fixture, false), -ENOSPC);
    assert_int_equal(label_get(fixture, 0), 0);
    assert_int_equal(fixture->label->record.sequence, 1); /* labels left alone */
    assert_int_equal(save(fixture, true), 0);             /* a loss does not wait for it */
    assert_int_equal(label_get(fixture, 0), 0);
    assert_int_equal(fixture->label->record.sequence, 2);
    teardown(fixture);
}

static void test_member_failures(void **state)
{
    struct fixture *fixture = setup(3);

    (void)state;
    fixture->sim[1]->write_fails = true;
    assert_int_equal(save(fixture, false), 0);
    assert_int_equal(fixture->failed_mask, 2);
    fixture->sim[1]->write_fails = false;
    fixture->sim[1]->flush_fails = true; /* written is not enough */
    fixture->config.sequence = 2;
    assert_int_equal(save(fixture, false), 0);
    assert_int_equal(fixture->failed_mask, 2);
    /* Members that are not in sync get no label and cannot hold the save up. */
    fixture->config.members[1].state = MEMBER_FAILED;
    fixture->config.sequence = 3;
    assert_int_equal(save(fixture, false), 0);
    assert_int_equal(fixture->failed_mask, 0);
    for (uint32_t i = 0; i < DRIVES; i++) {
        fixture->sim[i]->write_fails = true;
    }
    fixture->config.sequence = 4;
    assert_int_equal(save(fixture, false), -EIO);
    fixture->sim_store->fail_with = -EIO;
    assert_int_equal(save(fixture, true), -EIO);
    teardown(fixture);
}

/* A drive that does not answer: the save ends after the timeout, the buffer stays with it. */
static void test_hung_member(void **state)
{
    struct fixture *fixture = setup(4);

    (void)state;
    fixture->sim[2]->hang = true;
    assert_int_equal(save(fixture, false), 0);
    assert_int_equal(fixture->failed_mask, 4);
    sim_drive_unhang(fixture->sim[2]);
    sim_world_advance(fixture->world, SIM_SECOND);
    teardown(fixture);
}

static void test_spare_and_wipe(void **state)
{
    struct fixture *fixture = setup(5);
    struct drive_label label = {.role = LABEL_ROLE_SPARE, .spare_group_count = 1};

    (void)state;
    label.drive = uuid_make(&fixture->rng);
    label.controller = fixture->controller;
    label.spare_groups[0] = fixture->config.guid;
    assert_int_equal(label_put(fixture, 0, &label), 0);
    assert_int_equal(label_put(fixture, 0, &label), 0);
    assert_int_equal(label_get(fixture, 0), 0);
    assert_int_equal(fixture->label->role, LABEL_ROLE_SPARE);
    assert_int_equal(fixture->label->sequence, 2);
    assert_int_equal(label_put(fixture, 0, NULL), 0);
    assert_int_equal(label_get(fixture, 0), -ENOENT);
    fixture->sim[0]->write_fails = true;
    assert_int_equal(label_put(fixture, 0, &label), -EIO);
    teardown(fixture);
}

static void test_damaged_slots(void **state)
{
    struct fixture *fixture = setup(6);
    uint8_t byte = 0;
    uint64_t offset = drive_layout_label_offset(72 * MIB, false, 0);
    struct sim_fault fault = {SIM_FAULT_READ, offset, LABEL_SLOT_BYTES};

    (void)state;
    assert_int_equal(save(fixture, false), 0); /* slot A */
    fixture->config.sequence = 2;
    assert_int_equal(save(fixture, false), 0); /* slot B */
    sim_drive_peek(fixture->sim[0], offset + LABEL_SLOT_BYTES + 700, &byte, 1);
    byte ^= 1;
    sim_drive_poke(fixture->sim[0], offset + LABEL_SLOT_BYTES + 700, &byte, 1);
    assert_int_equal(label_get(fixture, 0), 0);
    assert_int_equal(fixture->label->record.sequence, 1); /* the other one holds */
    sim_drive_poke(fixture->sim[0], offset + 700, &byte, 1);
    byte ^= 0xff;
    sim_drive_poke(fixture->sim[0], offset + 701, &byte, 1);
    assert_int_equal(label_get(fixture, 0), -EBADMSG);
    assert_true(sim_drive_fault_add(fixture->sim[0], &fault));
    assert_int_equal(label_get(fixture, 0), -EIO);
    /* Unreadable A on another drive: B is read. */
    assert_true(sim_drive_fault_add(fixture->sim[1], &fault));
    assert_int_equal(label_get(fixture, 1), 0);
    assert_int_equal(fixture->label->record.sequence, 2);
    teardown(fixture);
}

static void label_renew(struct fixture *fixture, bool compact, uint32_t slot)
{
    static uint8_t bytes[LABEL_SLOT_BYTES];
    uint64_t offset =
        drive_layout_label_offset(72 * MIB, compact, 0) + (uint64_t)slot * LABEL_SLOT_BYTES;

    sim_drive_peek(fixture->sim[0], drive_layout_label_offset(72 * MIB, false, slot), bytes,
                   sizeof(bytes));
    put_le32(bytes + 8, 7);
    put_le32(bytes + 16, 0);
    put_le32(bytes + 16, crc32c(0, bytes, get_le32(bytes + 12)));
    sim_drive_poke(fixture->sim[0], offset, bytes, sizeof(bytes));
}

/* What a later version wrote holds, though an older label of ours is beside it; but what only looks
 * like one in the data does not. */
static void test_later_version(void **state UNUSED)
{
    struct fixture *fixture = setup(16);

    assert_int_equal(save(fixture, false), 0); /* slot A */
    fixture->config.sequence = 2;
    assert_int_equal(save(fixture, false), 0); /* slot B */
    label_renew(fixture, true, 0);
    label_renew(fixture, true, 1);
    assert_int_equal(label_get(fixture, 0), 0);
    label_renew(fixture, false, 1);
    assert_int_equal(label_get(fixture, 0), -EPROTONOSUPPORT);
    label_renew(fixture, false, 0);
    assert_int_equal(label_get(fixture, 0), -EPROTONOSUPPORT);
    teardown(fixture);
}

/* The power goes at every step of a save: each label is the old or the new one, whole. */
static void test_power_cuts(void **state)
{
    uint32_t cuts = 0;

    (void)state;
    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        bool through = false;

        for (uint32_t steps = 0; !through; steps++) {
            struct fixture *fixture = setup(100 + steps);
            struct group_save run;

            assert_int_equal(save(fixture, false), 0);
            fixture->config.sequence = 2;
            save_begin(fixture, &run, steps % 2 == 0);
            for (uint32_t i = 0; i < steps && !fixture->done; i++) {
                assert_true(sim_world_step(fixture->world));
            }
            through = fixture->done;
            sim_world_power_off(fixture->world, (enum sim_cut)cut);
            while (sim_world_step(fixture->world)) {
            }
            drives_close(fixture);
            sim_world_power_on(fixture->world);
            drives_open(fixture);
            assert_in_range(stored_sequence(fixture), through ? 2 : 1, 2);
            for (uint32_t i = 0; i < DRIVES; i++) {
                assert_int_equal(label_get(fixture, i), 0);
                assert_in_range(fixture->label->record.sequence, through ? 2 : 1, 2);
            }
            cuts++;
            teardown(fixture);
        }
    }
    printf("# %u cuts\n", cuts);
    assert_true(cuts > 30);
}

/* … and of a wipe: there is the label, or none. Half of it is no damaged one. */
static void test_power_cuts_of_a_wipe(void **state)
{
    uint32_t gone = 0;

    (void)state;
    for (uint32_t seed = 0; seed < 60 * SIM_CUT_MAX; seed++) {
        struct fixture *fixture = setup(500 + seed);
        struct label_write write = {
            .drive = fixture->drives[0], .complete = on_written, .owner = fixture};
        int error = 0;

        assert_int_equal(save(fixture, false), 0);
        fixture->config.sequence = 2;
        if (seed % 2 == 0) { /* the newest one is in the other slot then */
            assert_int_equal(save(fixture, false), 0);
        }
        fixture->done = false;
        group_store_label_write(fixture->store, &write);
        for (uint64_t i = rng_below(&fixture->rng, 9); i > 0 && !fixture->done; i--) {
            assert_true(sim_world_step(fixture->world));
        }
        sim_world_power_off(fixture->world, (enum sim_cut)(seed % SIM_CUT_MAX));
        while (sim_world_step(fixture->world)) {
        }
        drives_close(fixture);
        sim_world_power_on(fixture->world);
        drives_open(fixture);
        error = label_get(fixture, 0);
        assert_true(error == 0 || error == -ENOENT);
        assert_int_equal(error == 0 ? fixture->label->record.sequence : 0, error != 0      ? 0
                                                                           : seed % 2 == 0 ? 2
                                                                                           : 1);
        gone += error != 0 ? 1u : 0u;
        teardown(fixture);
    }
    printf("# %u of %u are gone\n", gone, 60 * SIM_CUT_MAX);
    assert_true(gone > 40 && gone < 320);
}

static void slots_peek(struct fixture *fixture, uint32_t drive, bool compact, uint8_t *out)
{
    sim_drive_peek_durable(fixture->sim[drive], drive_layout_label_offset(72 * MIB, compact, 0),
                           out, LABEL_SLOT_COUNT * LABEL_SLOT_BYTES);
}

/* What stays where the other place is: data, whatever they look like. */
static void test_compact(void **state)
{
    struct fixture *fixture = setup(7);
    uint8_t *data = malloc(LABEL_SLOT_COUNT * LABEL_SLOT_BYTES);
    uint8_t *now = malloc(LABEL_SLOT_COUNT * LABEL_SLOT_BYTES);

    (void)state;
    for (uint64_t sequence = 1; sequence <= 4; sequence++) {
        fixture->config.sequence = sequence;
        assert_int_equal(save(fixture, false), 0); /* of an earlier life, newer by its number */
    }
    slots_peek(fixture, 0, false, data);
    drives_close(fixture);
    drives_open(fixture);
    fixture->config.compact = true;
    for (uint64_t sequence = 1; sequence <= 3; sequence++) {
        fixture->config.sequence = sequence;
        assert_int_equal(save(fixture, false), 0);
        assert_int_equal(label_get(fixture, 0), 0);
        assert_true(fixture->label->compact && fixture->label->record.compact);
        assert_int_equal(fixture->label->record.sequence, sequence);
        slots_peek(fixture, 0, false, now);
        assert_memory_equal(now, data, LABEL_SLOT_COUNT * LABEL_SLOT_BYTES);
    }
    drives_close(fixture);
    drives_open(fixture);
    assert_int_equal(label_get(fixture, 0), 0);
    assert_int_equal(fixture->label->record.sequence, 3);
    /* Nothing is uncovered when it goes. */
    assert_int_equal(label_put(fixture, 0, NULL), 0);
    assert_int_equal(label_get(fixture, 0), -ENOENT);
    drives_close(fixture);
    drives_open(fixture);
    assert_int_equal(label_get(fixture, 0), -ENOENT);
    free(data);
    free(now);
    teardown(fixture);
}

/* A member of a compact group becomes one of another group, and a label is nowhere else then. */
static void test_back_from_compact(void **state)
{
    struct fixture *fixture = setup(8);
    static const uint8_t zeros[LABEL_SLOT_COUNT * LABEL_SLOT_BYTES];
    uint8_t *now = malloc(sizeof(zeros));

    (void)state;
    fixture->config.compact = true;
    assert_int_equal(save(fixture, false), 0);
    fixture->config.sequence = 2;
    assert_int_equal(save(fixture, false), 0);
    fixture->config.compact = false;
    fixture->config.sequence = 3;
    assert_int_equal(save(fixture, false), 0);
    for (uint32_t i = 0; i < DRIVES; i++) {
        assert_int_equal(label_get(fixture, i), 0);
        assert_false(fixture->label->compact);
        assert_int_equal(fixture->label->record.sequence, 3);
        slots_peek(fixture, i, true, now);
        assert_memory_equal(now, zeros, sizeof(zeros));
    }
    fixture->config.sequence = 4;
    assert_int_equal(save(fixture, false), 0);
    drives_close(fixture);
    drives_open(fixture);
    assert_int_equal(label_get(fixture, 2), 0);
    assert_int_equal(fixture->label->record.sequence, 4);
    free(now);
    teardown(fixture);
}

/* Half of a label in the compact place is nobody's: the other label holds, and goes with it. */
static void test_half_compact(void **state)
{
    struct fixture *fixture = setup(9);
    const uint8_t byte = 0xEE;
    const uint64_t offset = drive_layout_label_offset(72 * MIB, true, 0);

    (void)state;
    fixture->config.compact = true;
    assert_int_equal(save(fixture, false), 0);
    sim_drive_poke(fixture->sim[0], offset + 600, &byte, 1);
    drives_close(fixture);
    drives_open(fixture);
    assert_int_equal(label_get(fixture, 0), -EBADMSG);
    fixture->config.compact = false;
    fixture->config.sequence = 2;
    assert_int_equal(save(fixture, false), 0);
    assert_int_equal(label_get(fixture, 0), 0);
    assert_int_equal(fixture->label->record.sequence, 2);
    assert_int_equal(label_put(fixture, 0, NULL), 0);
    assert_int_equal(label_get(fixture, 0), -ENOENT);
    teardown(fixture);
}

/* The power goes at every step of a change of place, both ways. */
static void test_power_cuts_between_places(void **state)
{
    uint32_t cuts = 0;

    (void)state;
    for (uint32_t cut = 0; cut < 2 * SIM_CUT_MAX; cut++) {
        bool through = false;

        for (uint32_t steps = 0; !through; steps++) {
            struct fixture *fixture = setup(300 + steps);
            struct group_save run;

            fixture->config.compact = cut % 2 == 0;
            for (uint64_t sequence = 1; sequence <= 3; sequence++) {
                fixture->config.sequence = sequence;
                assert_int_equal(save(fixture, false), 0);
            }
            fixture->config.compact = !fixture->config.compact;
            fixture->config.sequence = 4;
            save_begin(fixture, &run, true);
            for (uint32_t i = 0; i < steps && !fixture->done; i++) {
                assert_true(sim_world_step(fixture->world));
            }
            through = fixture->done;
            sim_world_power_off(fixture->world, (enum sim_cut)(cut / 2));
            while (sim_world_step(fixture->world)) {
            }
            drives_close(fixture);
            sim_world_power_on(fixture->world);
            drives_open(fixture);
            for (uint32_t i = 0; i < DRIVES; i++) {
                assert_int_equal(label_get(fixture, i), 0);
                assert_in_range(fixture->label->record.sequence, through ? 4 : 3, 4);
            }
            cuts++;
            teardown(fixture);
        }
    }
    printf("# %u cuts\n", cuts);
    assert_true(cuts > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save_and_read),
        cmocka_unit_test(test_store_full),
        cmocka_unit_test(test_member_failures),
        cmocka_unit_test(test_hung_member),
        cmocka_unit_test(test_spare_and_wipe),
        cmocka_unit_test(test_damaged_slots),
        cmocka_unit_test(test_later_version),
        cmocka_unit_test(test_power_cuts),
        cmocka_unit_test(test_power_cuts_of_a_wipe),
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_back_from_compact),
        cmocka_unit_test(test_half_compact),
        cmocka_unit_test(test_power_cuts_between_places),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
