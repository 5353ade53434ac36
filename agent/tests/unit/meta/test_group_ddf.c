/*
 * DDF behind the labels of a group: what is written and what not, power cuts at every step, another
 * system's hand, wiping.
 */
#include <errno.h>
#include <string.h>

#include "aw_test.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf.h"
#include "meta/group_store.h"
#include "meta/seal.h"
#include "sim_drive.h"
#include "sim_store.h"
#include "sim_world.h"

#define DRIVES 3u
#define LOST 2u
#define MIB (UINT64_C(1) << 20)
#define SIZE (72 * MIB)
#define ONLINE DDF_PD_ONLINE
#define GONE (DDF_PD_FAILED | DDF_PD_MISSING)

/* Of the drives: SIZE, or a little more. */
static uint64_t drive_bytes = SIZE;

struct fixture {
    struct sim_world *world;
    struct sim_store *sim_store;
    struct sim_drive *sim[DRIVES];
    struct drive *drives[DRIVES];
    struct group_store *store;
    struct uuid controller;
    struct group_config config;
    struct rng rng;
    struct group_save save;
    bool done;
    int error;
    uint32_t failed; /* members that the store calls lost, a bit each */
    struct drive_label *label;
    enum ddf_found_on_member found;
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
    group_store_ddf_use(fixture->store, sim_world_clock(fixture->world));
}

static void drives_close(struct fixture *fixture)
{
    for (uint32_t i = 0; i < DRIVES; i++) {
        group_store_forget(fixture->store, fixture->drives[i]);
        fixture->drives[i] = drive_free(fixture->drives[i]);
    }
    fixture->store = group_store_free(fixture->store);
}

static void reopen(struct fixture *fixture)
{
    drives_close(fixture);
    drives_open(fixture);
}

static struct fixture *setup(uint64_t seed)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    const struct sim_drive_options options = {.size_bytes = drive_bytes, .fill_seed = seed};
    struct group_config *config = NULL;

    assert_non_null(fixture);
    config = &fixture->config;
    fixture->world = sim_world_create(seed);
    fixture->sim_store = sim_store_create(fixture->world);
    rng_seed(&fixture->rng, seed);
    for (uint32_t i = 0; i < DRIVES; i++) {
        fixture->sim[i] = sim_drive_create(fixture->world, &options);
        config->members[i].drive = uuid_make(&fixture->rng);
    }
    fixture->controller = uuid_make(&fixture->rng);
    rng_fill(&fixture->rng, config->guid.bytes, 24);
    config->sequence = 1;
    config->member_count = DRIVES;
    config->vd_count = 1;
    config->vds[0] = (struct vd_config){
        .name = "data",
        .geometry = {RAID_LEVEL_5, 1, DRIVES, 65536, 512, 4 * MIB},
        .size_bytes = 8 * MIB,
    };
    config->vds[0].consistent_rows = geometry_row_count(&config->vds[0].geometry);
    rng_fill(&fixture->rng, config->vds[0].guid.bytes, 24);
    drives_open(fixture);
    return fixture;
}

static void teardown(struct fixture *fixture)
{
    drives_close(fixture);
    sim_world_destroy(fixture->world);
    free(fixture->label);
    free(fixture);
}

static void wait(struct fixture *fixture)
{
    assert_true(sim_world_run_until_flag(fixture->world, &fixture->done, 120 * SIM_SECOND));
}

static void on_saved(struct group_save *save, int error)
{
    struct fixture *fixture = save->owner;

    fixture->done = true;
    fixture->error = error;
}

static void on_member_failed(struct group_save *save, uint32_t member, enum io_status status)
{
    struct fixture *fixture = save->owner;

    (void)status; /* gone, at a power cut */
    fixture->failed |= UINT32_C(1) << member;
}

static void save_begin(struct fixture *fixture, bool closing)
{
    fixture->save = (struct group_save){.config = &fixture->config,
                                        .drives = fixture->drives,
                                        .controller = &fixture->controller,
                                        .labels_suffice = true,
                                        .closing = closing,
                                        .member_failed = on_member_failed,
                                        .complete = on_saved,
                                        .owner = fixture};
    fixture->done = false;
    group_store_save(fixture->store, &fixture->save);
}

static void save(struct fixture *fixture, bool closing)
{
    save_begin(fixture, closing);
    wait(fixture);
    assert_int_equal(fixture->error, 0);
    fixture->config.sequence++;
}

static void on_read(struct label_read *read, int error)
{
    struct fixture *fixture = read->owner;

    fixture->done = true;
    fixture->error = error;
    fixture->found = read->ddf;
    free(fixture->label);
    fixture->label = read->label;
}

static const struct ddf_config *says(struct fixture *fixture, uint32_t drive)
{
    struct label_read read = {
        .drive = fixture->drives[drive], .complete = on_read, .owner = fixture};

    fixture->done = false;
    group_store_label_read(fixture->store, &read);
    wait(fixture);
    return group_store_ddf(fixture->store, fixture->drives[drive]);
}

static void on_written(struct label_write *write, int error)
{
    struct fixture *fixture = write->owner;

    fixture->done = true;
    fixture->error = error;
}

static uint64_t written_bytes(const struct fixture *fixture)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < DRIVES; i++) {
        bytes += fixture->sim[i]->counters.written_bytes;
    }
    return bytes;
}

static uint64_t flushes(const struct fixture *fixture)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < DRIVES; i++) {
        count += fixture->sim[i]->counters.flushes;
    }
    return count;
}

static void member_lose(struct fixture *fixture)
{
    fixture->config.members[LOST].state = MEMBER_MISSING;
    fixture->config.members[LOST].why = REASON_DRIVE_LOST_PULLED;
}

static void test_only_what_changed(void **state)
{
    struct fixture *fixture = setup(1);
    const struct ddf_config *config = NULL;
    uint64_t before = 0;

    (void)state;
    save(fixture, false);
    config = says(fixture, 0);
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
    assert_int_equal(config->header.sequence, 1);
    assert_int_equal(config->vds[0].state, DDF_VD_OPTIMAL);
    /* What means nothing to others costs no more than the labels. */
    fixture->config.members[1].rebuilt_bytes = 0;
    fixture->config.vds[0].map_epoch = 9;
    before = flushes(fixture);
    save(fixture, false);
    assert_int_equal(flushes(fixture) - before, DRIVES);
    assert_int_equal(says(fixture, 1)->header.sequence, 1);
    /* A loss: two blocks and two heads, twice, and four flushes besides the label's. */
    member_lose(fixture);
    before = flushes(fixture);
    save(fixture, false);
    assert_int_equal(flushes(fixture) - before, (DRIVES - 1) * 5);
    before = written_bytes(fixture);
    fixture->config.members[0].state = MEMBER_REBUILD;
    save(fixture, false);
    assert_in_range(written_bytes(fixture) - before, 1, (DRIVES - 1) * 64 * 1024);
    for (uint32_t i = 0; i < DRIVES - 1; i++) {
        config = says(fixture, i);
        assert_int_equal(config->header.sequence, 3);
        assert_int_equal(config->pds[LOST].state, GONE);
        assert_int_equal(config->pds[0].state, DDF_PD_ONLINE | DDF_PD_REBUILDING);
        assert_int_equal(config->records[0].sequence, 1); /* nothing of it has changed */
    }
    teardown(fixture);
}

/* Dirty at once, clean when the group stops. */
static void test_dirty(void **state)
{
    struct fixture *fixture = setup(2);
    uint64_t before = 0;

    (void)state;
    save(fixture, false);
    fixture->config.vds[0].dirty = true;
    save(fixture, false);
    assert_int_equal(says(fixture, 1)->vds[0].state, DDF_VD_INCONSISTENT);
    fixture->config.vds[0].dirty = false;
    before = flushes(fixture);
    save(fixture, false);
    assert_int_equal(flushes(fixture) - before, DRIVES);
    save(fixture, true);
    reopen(fixture);
    for (uint32_t i = 0; i < DRIVES; i++) {
        assert_int_equal(says(fixture, i)->vds[0].state, DDF_VD_OPTIMAL);
        assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
    }
    teardown(fixture);
}

/* After a cut: whole, never ahead of the label, and behind it only if the save had not ended. */
static void cut_check(struct fixture *fixture, bool through)
{
    for (uint32_t i = 0; i < DRIVES - 1; i++) {
        const struct ddf_config *config = says(fixture, i);
        bool label_says_gone = false;

        assert_int_equal(fixture->error, 0);
        assert_int_not_equal(fixture->found, DDF_FOUND_ON_MEMBER_OTHERS);
        assert_int_not_equal(fixture->found, DDF_FOUND_ON_MEMBER_OVERWRITTEN);
        assert_non_null(config);
        label_says_gone = fixture->label->record.members[LOST].state == MEMBER_MISSING;
        assert_true(config->pds[LOST].state == ONLINE || config->pds[LOST].state == GONE);
        assert_true(label_says_gone || config->pds[LOST].state == ONLINE);
        assert_true(!through || config->pds[LOST].state == GONE);
    }
}

static void test_power_cuts(void **state)
{
    uint32_t cuts = 0;

    (void)state;
    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        bool through = false;

        for (uint32_t steps = 0; !through; steps++) {
            struct fixture *fixture = setup(100 + steps);

            save(fixture, false);
            member_lose(fixture);
            save_begin(fixture, false);
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
            cut_check(fixture, through);
            fixture->config.sequence += 2;
            save(fixture, false);
            reopen(fixture);
            for (uint32_t i = 0; i < DRIVES - 1; i++) {
                assert_int_equal(says(fixture, i)->pds[LOST].state, GONE);
                assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
            }
            cuts++;
            teardown(fixture);
        }
    }
    printf("# %u cuts\n", cuts);
    assert_true(cuts > 60);
}

/* A first write, or one after nothing can be believed: DDF or none, never half of it. */
static void test_power_cuts_at_first(void **state)
{
    (void)state;
    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        bool through = false;

        for (uint32_t steps = 0; !through; steps++) {
            struct fixture *fixture = setup(300 + steps);

            save_begin(fixture, false);
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
            for (uint32_t i = 0; i < DRIVES; i++) {
                const struct ddf_config *config = says(fixture, i);

                assert_int_not_equal(fixture->found, DDF_FOUND_ON_MEMBER_OTHERS);
                assert_int_not_equal(fixture->found, DDF_FOUND_ON_MEMBER_OVERWRITTEN);
                assert_true(config == NULL || fixture->error == 0); /* only behind a label */
                assert_true(config != NULL || !through);
            }
            teardown(fixture);
        }
    }
}

static bool anchor_is_at(struct fixture *fixture, uint32_t drive, uint64_t offset)
{
    uint8_t sector[DDF_ANCHOR_BYTES];
    struct ddf_header anchor;
    const char *why = NULL;

    sim_drive_peek(fixture->sim[drive], offset, sector, sizeof(sector));
    return ddf_anchor_decode(sector, drive_bytes / DDF_SECTOR_BYTES, &anchor, &why) == 0;
}

/* The anchor is where others look for it: in the very last sector. */
static void test_every_size(void **state)
{
    (void)state;
    for (uint32_t sectors = 0; sectors < 8; sectors++) {
        struct fixture *fixture = NULL;
        struct label_write wipe = {.complete = on_written};

        drive_bytes = SIZE + sectors * 512u;
        fixture = setup(20 + sectors);
        save(fixture, false);
        member_lose(fixture);
        save(fixture, true);
        reopen(fixture);
        for (uint32_t i = 0; i < DRIVES - 1; i++) {
            const struct ddf_config *config = says(fixture, i);

            assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
            assert_int_equal(config->pds[LOST].state, GONE);
            assert_true(anchor_is_at(fixture, i, drive_bytes - DDF_ANCHOR_BYTES));
            assert_true(config->header.primary_lba % 8 == 0);
            assert_true(config->header.secondary_lba * 512 >= drive_bytes - 32 * MIB);
        }
        wipe.drive = fixture->drives[0];
        wipe.owner = fixture;
        fixture->done = false;
        group_store_label_write(fixture->store, &wipe);
        wait(fixture);
        assert_int_equal(fixture->error, 0);
        assert_false(anchor_is_at(fixture, 0, drive_bytes - DDF_ANCHOR_BYTES));
        teardown(fixture);
    }
    drive_bytes = SIZE;
}

/* Everything that an array of ours has at the ends of its drives, on drives that are a little
 * larger: so it looks where the size was once rounded down. */
static void ends_copy(struct fixture *to, const struct fixture *from)
{
    const uint64_t begin = drive_layout_usable_bytes(SIZE);
    uint8_t *bytes = malloc(MIB);

    assert_non_null(bytes);
    for (uint32_t i = 0; i < DRIVES; i++) {
        for (uint64_t at = begin; at < SIZE; at += MIB) {
            sim_drive_peek(from->sim[i], at, bytes, MIB);
            sim_drive_poke(to->sim[i], at, bytes, MIB);
        }
        memset(bytes, 0, SEAL_BYTES); /* a version that rounded left no witness */
        sim_drive_poke(to->sim[i], seal_offset(SIZE, false), bytes, SEAL_BYTES);
    }
    free(bytes);
}

static void test_moved_to_the_end(void **state)
{
    (void)state;
    for (uint32_t sectors = 1; sectors < 8; sectors += 3) {
        struct fixture *from = setup(40);
        struct fixture *fixture = NULL;

        save(from, true);
        drive_bytes = SIZE + sectors * 512u;
        fixture = setup(40);
        ends_copy(fixture, from);
        for (uint32_t i = 0; i < DRIVES; i++) {
            assert_null(says(fixture, i));
            assert_int_equal(fixture->error, 0); /* the label is where it was */
            assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_NOTHING);
        }
        fixture->config.sequence += 2;
        save(fixture, false);
        reopen(fixture);
        for (uint32_t i = 0; i < DRIVES; i++) {
            assert_non_null(says(fixture, i));
            assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
            assert_true(anchor_is_at(fixture, i, drive_bytes - DDF_ANCHOR_BYTES));
            assert_false(anchor_is_at(fixture, i, SIZE - DDF_ANCHOR_BYTES));
        }
        drive_bytes = SIZE;
        teardown(fixture);
        teardown(from);
    }
}

static void test_power_cuts_at_any_size(void **state)
{
    drive_bytes = SIZE + 7 * 512u;
    test_power_cuts_at_first(state);
    test_power_cuts(state);
    drive_bytes = SIZE;
}

/* Raises the number of one copy, as another system does. */
static void number_raise(struct fixture *fixture, uint32_t drive, uint64_t from_end_sectors)
{
    uint64_t offset = SIZE - from_end_sectors * 512;
    uint8_t sector[512];

    sim_drive_peek(fixture->sim[drive], offset, sector, sizeof(sector));
    put_be32(sector + 40, get_be32(sector + 40) + 1);
    put_be32(sector + 4, crc32_ddf_section(sector, sizeof(sector)));
    sim_drive_poke(fixture->sim[drive], offset, sector, sizeof(sector));
}

static void test_others(void **state)
{
    struct fixture *fixture = setup(4);
    const uint8_t damage = 0x55;

    (void)state;
    save(fixture, false);
    number_raise(fixture, 0, DDF_PRIMARY_FROM_END_SECTORS);
    reopen(fixture);
    assert_non_null(says(fixture, 0));
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OTHERS);
    /* A damaged copy is nobody's hand; the other one counts, and it is written again. */
    sim_drive_poke(fixture->sim[1], SIZE - DDF_PRIMARY_FROM_END_SECTORS * 512 + 130 * 512 + 70,
                   &damage, 1);
    assert_non_null(says(fixture, 1));
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
    sim_drive_poke(fixture->sim[2], SIZE - 512 + 9, &damage, 1);
    assert_null(says(fixture, 2));
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_NOTHING);
    save(fixture, false);
    reopen(fixture);
    for (uint32_t i = 0; i < DRIVES; i++) {
        assert_int_equal(says(fixture, i)->header.sequence, 3);
        assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
    }
    teardown(fixture);
}

/* Something else than an anchor or our mark beside copies of this group: another program's. */
static void test_overwritten(void **state)
{
    struct fixture *fixture = setup(5);
    uint8_t sector[512];
    uint8_t copy[512];

    (void)state;
    save(fixture, false);
    for (uint32_t with = 0; with < 3; with++) { /* zeros, GPT's copy, an anchor without its magic */
        sim_drive_peek(fixture->sim[0], SIZE - 512, sector, sizeof(sector));
        memset(sector, 0, with == 2 ? 4 : sizeof(sector));
        memcpy(sector, with == 1 ? "EFI PART" : "", with == 1 ? 8 : 0);
        sim_drive_poke(fixture->sim[0], SIZE - 512, sector, sizeof(sector));
        reopen(fixture);
        assert_null(says(fixture, 0));
        assert_int_equal(fixture->error, 0);
        assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OVERWRITTEN);
        (void)says(fixture, 1);
        assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
        save(fixture, false); /* used all the same */
        (void)says(fixture, 0);
        assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
    }
    /* Copies that are not this group's prove nothing. */
    memset(copy, 0x5A, sizeof(copy));
    sim_drive_poke(fixture->sim[0], SIZE - 512, copy, sizeof(copy));
    sim_drive_poke(fixture->sim[0], SIZE - 16 * MIB, copy, sizeof(copy));
    (void)says(fixture, 0);
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OVERWRITTEN); /* the other copy says so */
    sim_drive_poke(fixture->sim[0], SIZE - 32 * MIB, copy, sizeof(copy));
    (void)says(fixture, 0);
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OVERWRITTEN); /* and now the witness */
    sim_drive_poke(fixture->sim[0], seal_offset(SIZE, false) + SEAL_WITNESS_OFFSET, copy, 1);
    (void)says(fixture, 0);
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_NOTHING);
    teardown(fixture);
}

/* A drive whose place was taken keeps its entry as failed, where it was, on all drives. */
static void test_who_was_left_behind_stays_known(void **state)
{
    struct fixture *fixture = setup(6);
    struct guid old;
    const struct ddf_config *config = NULL;

    (void)state;
    save(fixture, false);
    old = says(fixture, 0)->pds[1].guid;
    fixture->config.members[1].drive = uuid_make(&fixture->rng); /* another one, in its place */
    save(fixture, false);
    for (uint32_t round = 0; round < 2; round++) { /* whatever is written later */
        for (uint32_t i = 0; i < DRIVES; i++) {
            config = says(fixture, i);
            assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
            assert_int_equal(config->pd_count, DRIVES + 1);
            assert_true(guid_equal(&config->pds[1].guid, &old));
            assert_int_equal(config->pds[1].state & DDF_PD_FAILED, DDF_PD_FAILED);
            assert_int_equal(config->pds[1].type & DDF_PD_ACTIVE, 0);
            assert_true(guid_equal(&config->own_guid, &config->pds[i == 0   ? 0
                                                                   : i == 1 ? 3
                                                                            : 2]
                                                           .guid));
        }
        member_lose(fixture);
        save(fixture, false);
        fixture->config.members[LOST].state = MEMBER_ONLINE;
        fixture->config.members[LOST].why = REASON_OK;
        save(fixture, false);
        reopen(fixture);
    }
    teardown(fixture);
}

#define RECORDS_SECTOR 162u
#define RECORD_BYTES (7u * 512u)
#define RECORDS_MAX 65u /* places in the section; of records are written at most 64 */

/* As many records as the section has places for: nothing that was ever written here, and more than
 * can be. */
static void records_fill(struct fixture *fixture, uint32_t drive, uint64_t from_end_sectors)
{
    uint64_t offset = SIZE - (from_end_sectors - RECORDS_SECTOR) * 512;
    uint8_t record[RECORD_BYTES];

    sim_drive_peek(fixture->sim[drive], offset, record, sizeof(record));
    for (uint32_t i = 1; i < RECORDS_MAX; i++) {
        record[30] = (uint8_t)i; /* of its virtual drive's GUID */
        put_be32(record + 4, crc32_ddf_section(record, sizeof(record)));
        sim_drive_poke(fixture->sim[drive], offset + (uint64_t)i * RECORD_BYTES, record,
                       sizeof(record));
    }
}

static void test_more_than_is_written(void **state)
{
    struct fixture *fixture = setup(8);

    (void)state;
    save(fixture, false);
    records_fill(fixture, 0, DDF_PRIMARY_FROM_END_SECTORS);
    records_fill(fixture, 0, DDF_SECONDARY_FROM_END_SECTORS);
    reopen(fixture);
    assert_non_null(says(fixture, 0));
    assert_int_equal(group_store_ddf(fixture->store, fixture->drives[0])->record_count,
                     RECORDS_MAX);
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OTHERS);
    save(fixture, false);
    assert_int_equal(says(fixture, 0)->record_count, 1);
    assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
    teardown(fixture);
}

static void number_set(struct fixture *fixture, uint32_t drive, uint64_t from_end_sectors,
                       uint32_t number, bool ours)
{
    uint64_t offset = SIZE - from_end_sectors * 512;
    uint8_t sectors[1024]; /* the header, the controller data */

    sim_drive_peek(fixture->sim[drive], offset, sectors, sizeof(sectors));
    put_be32(sectors + 40, number);
    put_be32(sectors + 4, crc32_ddf_section(sectors, 512));
    if (ours) {
        put_be32(sectors + 512 + 64 + 17, number);
        put_be32(sectors + 512 + 4, crc32_ddf_section(sectors + 512, 512));
    }
    sim_drive_poke(fixture->sim[drive], offset, sectors, sizeof(sectors));
}

/* Numbers that cannot be counted on from are left behind, whoever wrote them. */
static void test_numbers_at_their_end(void **state)
{
    (void)state;
    for (uint32_t ours = 0; ours < 2; ours++) {
        struct fixture *fixture = setup(9);

        save(fixture, false);
        number_set(fixture, 0, DDF_PRIMARY_FROM_END_SECTORS, UINT32_MAX - 1, ours != 0);
        number_set(fixture, 0, DDF_SECONDARY_FROM_END_SECTORS, UINT32_MAX - 1, ours != 0);
        reopen(fixture);
        assert_true((says(fixture, 0) == NULL) == (ours != 0));
        assert_int_equal(fixture->found,
                         ours != 0 ? DDF_FOUND_ON_MEMBER_NOTHING : DDF_FOUND_ON_MEMBER_OTHERS);
        member_lose(fixture);
        save(fixture, false);
        reopen(fixture);
        assert_in_range(says(fixture, 0)->header.sequence, 1, 9);
        assert_int_equal(fixture->found, DDF_FOUND_ON_MEMBER_OURS);
        assert_int_equal(says(fixture, 0)->pds[LOST].state, GONE);
        teardown(fixture);
    }
}

static void test_wiped_before_the_label(void **state)
{
    struct fixture *fixture = setup(5);
    struct label_write write = {.drive = fixture->drives[0], .complete = on_written};
    struct sim_fault fault = {SIM_FAULT_WRITE, SIZE - 512, 512};
    uint8_t sector[512];

    (void)state;
    write.owner = fixture;
    save(fixture, false);
    assert_true(sim_drive_fault_add(fixture->sim[0], &fault));
    fixture->done = false;
    group_store_label_write(fixture->store, &write);
    wait(fixture);
    assert_int_equal(fixture->error, -EIO);
    sim_drive_faults_clear(fixture->sim[0]);
    (void)says(fixture, 0);
    assert_int_equal(fixture->error, 0); /* the label is still there to answer for it */
    fixture->done = false;
    group_store_label_write(fixture->store, &write);
    wait(fixture);
    assert_int_equal(fixture->error, 0);
    sim_drive_peek(fixture->sim[0], SIZE - 512, sector, sizeof(sector));
    assert_int_equal(get_be32(sector), 0);
    teardown(fixture);
}

/* DDF that cannot be written costs nobody anything, and is written as a whole when it can. */
static void test_areas_that_fail(void **state)
{
    struct fixture *fixture = setup(6);
    struct sim_fault fault = {SIM_FAULT_WRITE, SIZE - DDF_PRIMARY_FROM_END_SECTORS * 512, 4096};

    (void)state;
    assert_true(sim_drive_fault_add(fixture->sim[0], &fault));
    save(fixture, false);
    assert_null(group_store_ddf(fixture->store, fixture->drives[0]));
    assert_int_equal(fixture->failed, 0);
    sim_drive_faults_clear(fixture->sim[0]);
    save(fixture, false);
    for (uint32_t i = 0; i < DRIVES; i++) {
        assert_int_equal(says(fixture, i)->header.sequence, 2);
    }
    teardown(fixture);
}

/* But the drive's cache has the data's bytes too: which flush of a drive fails makes no odds. */
static void test_flush_fails(void **state)
{
    (void)state;
    for (uint32_t at = 0; at < 5; at++) {
        struct fixture *fixture = setup(7);
        uint64_t before = 0;

        save(fixture, false);
        member_lose(fixture);
        before = fixture->sim[0]->counters.flushes;
        save_begin(fixture, false);
        while (fixture->sim[0]->counters.flushes < before + at) {
            assert_true(sim_world_step(fixture->world));
        }
        fixture->sim[0]->flush_forgets = 1;
        wait(fixture);
        assert_int_equal(fixture->failed, 1);
        teardown(fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_changed),
        cmocka_unit_test(test_dirty),
        cmocka_unit_test(test_power_cuts),
        cmocka_unit_test(test_power_cuts_at_first),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_moved_to_the_end),
        cmocka_unit_test(test_power_cuts_at_any_size),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_overwritten),
        cmocka_unit_test(test_who_was_left_behind_stays_known),
        cmocka_unit_test(test_more_than_is_written),
        cmocka_unit_test(test_numbers_at_their_end),
        cmocka_unit_test(test_wiped_before_the_label),
        cmocka_unit_test(test_areas_that_fail),
        cmocka_unit_test(test_flush_fails),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
