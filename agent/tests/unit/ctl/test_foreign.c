/*
 * Foreign sets: seen, previewed, imported, all or nothing. Drives of another controller, once by
 * its labels (claimed drives) and once by their DDF metadata alone (drives that are only offered).
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "ctl/undo_view.h"
#include "ctl_world.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf.h"

#define MINUTE (60 * SIM_SECOND)
#define SIZE (72 * MIB)
#define DATA (512u * 1024u)
#define STEPS_MAX 400u
#define MDADM_SIZE (96 * MIB)
#define WHOLE (64 * MIB) /* of a drive of that size: all up to the DDF workspace */

/* What a visitor is told, as text. */
struct told {
    char text[8192];
    size_t used;
    uint32_t sets;
    char id[65], digest[65], name[20];
    struct reason refusal;
};

#define TELL(told, ...)                                                                            \
    ((told)->used += (size_t)snprintf((told)->text + (told)->used,                                 \
                                      sizeof((told)->text) - (told)->used, __VA_ARGS__))

static void told_set(void *context, const struct foreign_set_view *set)
{
    struct told *told = context;

    told->sets++;
    (void)snprintf(told->id, sizeof(told->id), "%s", set->id);
    (void)snprintf(told->digest, sizeof(told->digest), "%s", set->digest);
    (void)snprintf(told->name, sizeof(told->name), "%s", set->name);
    told->refusal = set->refusal;
    TELL(told, "%s %s %s %s:", foreign_format_word(set->format), set->name,
         foreign_outcome_word(set->outcome), reason_code_word(set->refusal.code));
}

static void told_drive(void *context, const struct foreign_drive_view *drive)
{
    TELL((struct told *)context, " %s=%s/%s", strrchr(drive->key, '_') + 1,
         foreign_member_state_word(drive->state), foreign_drive_outcome_word(drive->outcome));
}

static void told_vd(void *context, const struct foreign_vd_view *vd)
{
    TELL((struct told *)context, "; %s %s %s as %s:", vd->name, vd->level,
         foreign_outcome_word(vd->outcome), vd->imported_as != NULL ? vd->imported_as : "-");
}

static void told_member(void *context, const struct foreign_member_view *member)
{
    TELL((struct told *)context, " %s/%s", foreign_member_state_word(member->state),
         foreign_drive_outcome_word(member->outcome));
}

static void told_damaged(void *context, const char *key, const struct reason *reason)
{
    TELL((struct told *)context, "damaged %s %s", key, reason_code_word(reason->code));
}

static struct told *look(struct ctl_world *world)
{
    static struct told told;
    const struct ctl_foreign_visitor visitor = {told_set,    told_drive,   told_vd,
                                                told_member, told_damaged, &told};

    memset(&told, 0, sizeof(told));
    ctl_foreign(world->ctl, &visitor);
    return &told;
}

static void expect_told(struct ctl_world *world, const char *text)
{
    const struct told *told = look(world);

    if (strstr(told->text, text) == NULL) {
        fail_msg("told: %s\nexpected: %s", told->text, text);
    }
}

static enum reason_code import(struct ctl_world *world, const char *digest)
{
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};

    (void)snprintf(command.args.foreign.controller, sizeof(command.args.foreign.controller), "c0");
    strcpy(command.args.foreign.set, look(world)->id);
    (void)snprintf(command.args.foreign.digest, sizeof(command.args.foreign.digest), "%s", digest);
    return world_run(world, &command);
}

/* The host loses its memory: who was here is another controller now. */
static void memory_lose(struct ctl_world *world)
{
    world_stop(world);
    sim_store_destroy(world->store);
    world->store = sim_store_create(world->sim);
    world->seed += 1000;
}

/* Nothing of ours on the drives but DDF; they are only offered. */
static void labels_drop(struct ctl_world *world)
{
    uint8_t *zeros = calloc(1, 2 * LABEL_SLOT_BYTES);

    for (uint32_t i = 0; i < world->slot_count; i++) {
        sim_drive_poke(world->slots[i].drive, drive_layout_label_offset(SIZE, false, 0), zeros,
                       2 * LABEL_SLOT_BYTES);
    }
    free(zeros);
}

static void all_offer(struct ctl_world *world)
{
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->slots[i].offered = true;
        world->slots[i].probed = true;
        world->slots[i].real = true;
    }
}

static uint64_t drives_sum(struct ctl_world *world)
{
    uint64_t *buffer = malloc(MIB);
    uint64_t sum = 14695981039346656037u;

    for (uint32_t i = 0; i < world->slot_count; i++) {
        for (uint64_t at = 0; at < SIZE; at += MIB) {
            sim_drive_peek_durable(world->slots[i].drive, at, buffer, MIB);
            for (uint32_t k = 0; k < MIB / 8; k++) {
                sum = (sum ^ buffer[k]) * 1099511628211u;
            }
        }
    }
    free(buffer);
    return sum;
}

/* BY_WHOLE: made by mdadm without a size; its data end where the DDF workspace begins. */
enum source { BY_LABELS, BY_DDF, BY_BOTH, BY_MDADM, BY_WHOLE };

/* What mdadm and a stock kernel have written (tests/qemu/ddf_judge.py --keep). */
static const char golden[] = GOLDEN_FOLDER;

/* A set with data of another controller, not yet started. */
static struct ctl_world *world_foreign(uint64_t seed, enum raid_level level, uint32_t count,
                                       enum source source)
{
    struct ctl_world *world = world_new(seed, count + 1);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "theirs"), REASON_OK);
    assert_true(world_wait_consistent(world, "theirs", 10 * MINUTE));
    world_write(world, "theirs", 0, DATA, 0x5A);
    world_settle(world, 20 * SIM_SECOND);
    memory_lose(world);
    if (source == BY_DDF) {
        labels_drop(world);
    }
    if (source != BY_LABELS) {
        all_offer(world);
    }
    return world;
}

static void golden_put(struct ctl_world *world, uint32_t slot, const char *name)
{
    uint8_t record[8 + 512];
    char path[4096];
    FILE *file = NULL;

    (void)snprintf(path, sizeof(path), "%s/%s-d%u", golden, name, slot);
    file = fopen(path, "rb");
    assert_non_null(file);
    while (fread(record, sizeof(record), 1, file) == 1) {
        sim_drive_poke(world->slots[slot].drive, get_be64(record) * 512, record + 8, 512);
    }
    assert_true(feof(file));
    (void)fclose(file); /* only read from */
}

/* Drives of 96 MiB with a set of mdadm's; its data are zeros. What is not in the files is all FF,
 * which is what is unused in DDF. More drives follow that have been offered as well. */
static struct ctl_world *world_mdadm(uint64_t seed, const char *name, uint32_t count, uint32_t more)
{
    struct ctl_world *world = world_new_sized(seed, count + more, MDADM_SIZE);
    uint8_t *unused = malloc(DDF_COPY_BYTES);

    memset(unused, 0xFF, DDF_COPY_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        sim_drive_poke(world->slots[i].drive, WHOLE, unused, DDF_COPY_BYTES);
        sim_drive_poke(world->slots[i].drive, WHOLE + 16 * MIB, unused, DDF_COPY_BYTES);
        golden_put(world, i, name);
    }
    free(unused);
    all_offer(world);
    return world;
}

/* The records as mdadm writes them if it is given no size. */
static void copy_stretch(struct sim_drive *drive, enum ddf_copy which, uint64_t offset)
{
    static uint8_t copy[DDF_COPY_BYTES];
    struct ddf_config *config = NULL;
    struct ddf_header anchor;
    const char *why = NULL;

    sim_drive_peek_durable(drive, MDADM_SIZE - 512, copy, 512);
    assert_int_equal(ddf_anchor_decode(copy, MDADM_SIZE / 512, &anchor, &why), 0);
    sim_drive_peek_durable(drive, offset, copy, sizeof(copy));
    assert_int_equal(ddf_copy_decode(&anchor, which, copy, sizeof(copy), &config, &why), 0);
    for (uint32_t i = 0; i < config->record_count; i++) {
        config->records[i].member_sectors = WHOLE / 512;
        config->records[i].vd_sectors = 2 * WHOLE / 512;
    }
    assert_int_equal(ddf_copy_encode(config, which, copy, &why), 0);
    sim_drive_poke(drive, offset, copy, sizeof(copy));
    (void)ddf_config_free(config); /* returns NULL always */
}

static struct ctl_world *world_whole(uint64_t seed, uint32_t more)
{
    struct ctl_world *world = world_mdadm(seed, "md5spare", 4, more);

    for (uint32_t i = 0; i < 4; i++) {
        copy_stretch(world->slots[i].drive, DDF_COPY_PRIMARY, WHOLE + 16 * MIB);
        copy_stretch(world->slots[i].drive, DDF_COPY_SECONDARY, WHOLE);
    }
    return world;
}

/* Sets that stock Linux has made, used, lost a member of and rebuilt. */
static void test_mdadm(void **state)
{
    static const struct {
        const char *name;
        uint32_t drives;
        const char *told;
        enum virtual_drive_state state;
    } cases[] = {
        {"md5spare", 4, "ddf judge optimal ok: S00=online/member", VIRTUAL_DRIVE_STATE_OPTIMAL},
        {"md6lost", 5, "ddf judge degraded ok: S00=online/member",
         VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED},
        {"md10", 4, "ddf judge optimal ok: S00=online/member", VIRTUAL_DRIVE_STATE_OPTIMAL},
    };

    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ctl_world *world = world_mdadm(40 + i, cases[i].name, cases[i].drives, 0);
        struct virtual_drive_view vd;

        world_start(world);
        expect_told(world, cases[i].told);
        assert_int_equal(import(world, look(world)->digest), REASON_OK);
        for (uint32_t life = 0; life < 2; life++) {
            assert_true(world_vd(world, "judge", &vd, NULL));
            assert_int_equal(vd.state, cases[i].state);
            assert_true(vd.config->size_bytes == 16 * MIB || vd.config->size_bytes == 24 * MIB);
            world_check(world, "judge", 0, DATA, life == 0 ? 0x00 : 0x3C);
            world_write(world, "judge", 0, DATA, 0x3C);
            world_restart(world);
        }
        world_free(world);
    }
}

static void whole_check(struct ctl_world *world, uint8_t byte)
{
    const uint64_t end = 2 * WHOLE;

    world_check(world, "judge", 0, DATA, byte);
    world_check(world, "judge", end / 2, DATA, byte);
    world_check(world, "judge", end - DATA, DATA, byte);
}

static void whole_write(struct ctl_world *world, uint8_t byte)
{
    const uint64_t end = 2 * WHOLE;

    world_write(world, "judge", 0, DATA, byte);
    world_write(world, "judge", end / 2, DATA, byte);
    world_write(world, "judge", end - DATA, DATA, byte);
}

/* The data reach to the DDF workspace: what we keep lies in that, of every drive that joins too;
 * and drives that leave are like any other. */
static void test_whole(void **state)
{
    struct ctl_world *world = world_whole(45, 1);
    struct virtual_drive_view vd;

    (void)state;
    world_start(world);
    expect_told(world, "ddf judge optimal ok: S00=online/member S01=failed/left");
    assert_int_equal(import(world, look(world)->digest), REASON_OK);
    assert_true(world_vd(world, "judge", &vd, NULL));
    assert_true(vd.config->size_bytes == 2 * WHOLE);
    whole_check(world, 0x00);
    whole_write(world, 0x21);
    world_restart(world);
    whole_check(world, 0x21);
    /* A drive that would be too small for a private area of the usual kind. */
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    slot_depart(world, 2);
    world_settle(world, SIM_SECOND);
    whole_write(world, 0x34);
    assert_true(world_wait_consistent(world, "judge", 10 * MINUTE));
    world_settle(world, MINUTE);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
    world_restart(world);
    whole_check(world, 0x34);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
    assert_true(world_vd(world, "judge", &vd, NULL));
    assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    /* And back. */
    assert_int_equal(world_delete(world, "judge"), REASON_OK);
    world_restart(world);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 3, 2, "data"), REASON_OK);
    world_write(world, "data", 0, DATA, 0x47);
    world_restart(world);
    world_check(world, "data", 0, DATA, 0x47);
    world_free(world);
}

/* A spare has its label where the data of such a group come to lie: it is moved before it is
 * filled, and outlives that. */
static void test_whole_copyback(void **state)
{
    struct ctl_world *world = world_whole(46, 1);
    struct ctl_command command = {.op = CTL_OP_COPYBACK};
    struct operation_view op = {.done_bytes = 0};

    (void)state;
    world_start(world);
    assert_int_equal(import(world, ""), REASON_OK);
    whole_write(world, 0x52);
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    strcpy(command.args.copyback.drive, slot_key(world, 0));
    strcpy(command.args.copyback.target, slot_key(world, 4));
    command.args.copyback.action = TASK_ACTION_START;
    assert_int_equal(world_run(world, &command), REASON_OK);
    for (uint32_t i = 0; i < 100000 && op.done_bytes < 3 * WHOLE / 4; i++) {
        world_settle(world, SIM_SECOND / 1000);
        assert_true(world_operation(world, OPERATION_KIND_COPYBACK, &op, NULL));
    }
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_COPYBACK);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_COPYBACK);
    world_settle(world, 10 * MINUTE);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
    whole_check(world, 0x52);
    world_restart(world);
    assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_ONLINE);
    whole_check(world, 0x52);
    /* To another controller, by its labels. */
    memory_lose(world);
    world_start(world);
    assert_int_equal(import(world, look(world)->digest), REASON_OK);
    whole_check(world, 0x52);
    world_free(world);
}

static void test_levels(void **state)
{
    static const struct {
        enum raid_level level;
        uint32_t count;
    } cases[] = {{RAID_LEVEL_0, 2},
                 {RAID_LEVEL_1, 2},
                 {RAID_LEVEL_5, 3},
                 {RAID_LEVEL_6, 4},
                 {RAID_LEVEL_10, 4}};

    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int source = BY_LABELS; source <= BY_BOTH; source++) {
            struct ctl_world *world =
                world_foreign(10 + i, cases[i].level, cases[i].count, (enum source)source);
            uint64_t sum = i == 2 ? drives_sum(world) : 0;

            world_start(world);
            expect_told(world, source == BY_LABELS ? "arraywright theirs optimal ok"
                                                   : "ddf theirs optimal ok");
            expect_told(world, "S00=online/member");
            assert_int_equal(world_event_count(world, 0, 218), 1);
            assert_true(i != 2 || drives_sum(world) == sum); /* one level is enough */
            assert_int_equal(import(world, look(world)->digest), REASON_OK);
            assert_int_equal(world_event_count(world, 0, 219), 1);
            assert_string_equal(look(world)->text, "");
            world_check(world, "theirs", 0, DATA, 0x5A);
            world_write(world, "theirs", 0, DATA, 0x77);
            world_restart(world);
            world_check(world, "theirs", 0, DATA, 0x77);
            assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_ONLINE);
            world_free(world);
        }
    }
}

/* A set of which a member is missing runs; the member that comes later is not taken for good. */
static void test_missing_and_late(void **state)
{
    (void)state;
    for (int source = BY_LABELS; source <= BY_BOTH; source++) {
        struct ctl_world *world = world_foreign(30, RAID_LEVEL_5, 3, (enum source)source);
        uint64_t sum = 0;

        world->slots[1].absent = true;
        world_start(world);
        expect_told(world, "theirs degraded ok");
        expect_told(world, "missing/missing");
        assert_int_equal(import(world, ""), REASON_OK);
        world_check(world, "theirs", 0, DATA, 0x5A);
        world_write(world, "theirs", 0, DATA, 0x66);
        world_settle(world, 20 * SIM_SECOND);
        sum = drives_sum(world);
        world->slots[1].absent = false;
        slot_arrive(world, 1);
        world_settle(world, 20 * SIM_SECOND);
        expect_told(world, "theirs refused foreign_i"); /* here, or incomplete by itself */
        assert_int_not_equal(import(world, ""), REASON_OK);
        world_settle(world, 20 * SIM_SECOND);
        assert_true(drives_sum(world) == sum);
        world_check(world, "theirs", 0, DATA, 0x66);
        world_restart(world);
        world_check(world, "theirs", 0, DATA, 0x66);
        world_free(world);
    }
}

static void drive_copy(struct ctl_world *world, uint32_t from, uint32_t to)
{
    uint8_t *buffer = malloc(MIB);

    for (uint64_t at = 0; at < SIZE; at += MIB) {
        sim_drive_peek_durable(world->slots[from].drive, at, buffer, MIB);
        sim_drive_poke(world->slots[to].drive, at, buffer, MIB);
    }
    free(buffer);
}

/* Nothing is written when it is refused. */
static void test_refusals(void **state)
{
    (void)state;
    for (int source = BY_LABELS; source <= BY_BOTH; source++) {
        struct ctl_world *world = world_foreign(50, RAID_LEVEL_5, 3, (enum source)source);
        uint64_t sum = 0;

        drive_copy(world, 0, 3); /* cloned */
        sum = drives_sum(world);
        world_start(world);
        expect_told(world, "theirs refused foreign_duplicate: ");
        assert_int_equal(import(world, ""), REASON_FOREIGN_DUPLICATE);
        slot_depart(world, 3);
        world_settle(world, SIM_SECOND);
        expect_told(world, "theirs optimal ok");
        assert_int_equal(import(world, "00"), REASON_FOREIGN_CHANGED);
        slot_depart(world, 1);
        slot_depart(world, 2);
        world_settle(world, SIM_SECOND);
        expect_told(world, "theirs refused foreign_incomplete");
        assert_int_equal(import(world, ""), REASON_FOREIGN_INCOMPLETE);
        world_settle(world, 20 * SIM_SECOND);
        assert_true(drives_sum(world) == sum);
        world_free(world);
    }
}

/* Somebody else holds one of the drives; or has written to it since it was looked at. */
static void test_claims(void **state)
{
    struct ctl_world *world = world_foreign(60, RAID_LEVEL_5, 3, BY_DDF);
    uint64_t sum = drives_sum(world);
    uint64_t lba = SIZE / 512 - DDF_PRIMARY_FROM_END_SECTORS;
    uint8_t header[512];
    uint8_t other[512];

    (void)state;
    world_start(world);
    world->slots[2].claim_error = -EBUSY;
    world->slots[2].claim_reason = REASON_DRIVE_UNSUITABLE_MOUNTED;
    assert_int_equal(import(world, ""), REASON_DRIVE_IN_USE);
    world_settle(world, SIM_SECOND);
    assert_false(world->slots[0].claimed);
    assert_true(drives_sum(world) == sum);
    world->slots[2].claim_error = 0;
    /* Both copies of one drive are damaged behind our back. */
    sim_drive_peek_durable(world->slots[1].drive, lba * 512, header, sizeof(header));
    memset(other, 0xEE, sizeof(other));
    sim_drive_poke(world->slots[1].drive, lba * 512, other, sizeof(other));
    sim_drive_poke(world->slots[1].drive, (lba - 32768) * 512, other, sizeof(other));
    sum = drives_sum(world);
    assert_int_equal(import(world, ""), REASON_FOREIGN_CHANGED);
    world_settle(world, SIM_SECOND);
    assert_true(drives_sum(world) == sum);
    assert_false(world->slots[0].claimed);
    /* One good copy is enough. */
    sim_drive_poke(world->slots[1].drive, lba * 512, header, sizeof(header));
    assert_int_equal(import(world, ""), REASON_OK);
    world_check(world, "theirs", 0, DATA, 0x5A);
    world_free(world);
}

static void test_name_taken(void **state)
{
    struct ctl_world *world = world_foreign(70, RAID_LEVEL_1, 2, BY_LABELS);

    (void)state;
    world->slots[2].options.size_bytes = SIZE;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 1, "theirs"), REASON_OK);
    expect_told(world, "as theirs_1:");
    assert_int_equal(import(world, ""), REASON_OK);
    world_check(world, "theirs_1", 0, DATA, 0x5A);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 2);
    world_free(world);
}

/* Members of a stripe whose name somebody has here: the stripe could not be exported. */
static void test_stripe_name_taken(void **state)
{
    struct ctl_world *world = world_new(77, 3);
    struct ctl_command stripe = {.op = CTL_OP_STRIPE_CREATE,
                                 .args.stripe_create = {.name = "wide", .vd_count = 2}};
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "left"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 1, 1, "right"), REASON_OK);
    assert_true(world_vd(world, "left", &view, stripe.args.stripe_create.vds[0]));
    assert_true(world_vd(world, "right", &view, stripe.args.stripe_create.vds[1]));
    assert_int_equal(world_run(world, &stripe), REASON_OK);
    memory_lose(world);
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 2, 1, "wide"), REASON_OK);
    assert_int_equal(look(world)->sets, 2);
    assert_int_equal(look(world)->refusal.code, REASON_NAME_TAKEN);
    assert_int_equal(import(world, ""), REASON_NAME_TAKEN);
    assert_int_equal(world_delete(world, "wide"), REASON_OK);
    assert_int_equal(import(world, ""), REASON_OK);
    assert_int_equal(import(world, ""), REASON_OK);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "left", &view, NULL));
    assert_int_equal(view.stripe.state, HOST_STRIPE_STATE_OPTIMAL);
    world_free(world);
}

/* What Linux looks for in the last sector could not be written there: nothing new on such a drive;
 * what is ours goes on. */
static void test_odd_size(void **state)
{
    struct ctl_world *world = world_new(75, 4);

    (void)state;
    all_offer(world);
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    world_stop(world);
    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].options.size_bytes += 512; /* the arrival's; what is there stays */
        world->slots[i].probed = false;
    }
    world_start(world);
    assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_ONLINE);
    assert_int_equal(world_drive_state(world, 2), DRIVE_STATE_HOT_SPARE);
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_UNCONFIGURED_BAD);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 3, 1, "more"), REASON_DRIVE_IN_USE);
    assert_non_null(strstr(world->text, "no multiple of 4096"));
    world_free(world);
}

static void test_unknown(void **state)
{
    struct ctl_world *world = world_new(80, 2);
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};

    (void)state;
    world_start(world);
    strcpy(command.args.foreign.set, "0123");
    assert_int_equal(world_run(world, &command), REASON_UNKNOWN_OBJECT);
    world_free(world);
}

/* All or nothing */

static char old_text[16384], new_text[16384], now_text[16384];

static uint64_t writes_so_far(const struct ctl_world *world)
{
    uint64_t count = world->store->put_count;

    for (uint32_t i = 0; i < world->slot_count; i++) {
        const struct sim_drive *drive = world->slots[i].drive;

        count += drive->counters.writes + drive->counters.flushes + drive->in_flight_count;
    }
    return count;
}

static void on_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* What is here, and what is still there to be imported. */
static void describe(struct ctl_world *world, char out[16384])
{
    size_t length = 0;

    world_settle(world, 3 * MINUTE);
    world_describe(world, out, 16384);
    length = strlen(out);
    (void)snprintf(out + length, 16384 - length, "%s %s", look(world)->text, look(world)->digest);
}

/* at: UINT64_MAX: never. True when it got through before. */
static bool cut_at(enum source source, uint64_t at, enum sim_cut cut)
{
    bool linux_made = source == BY_MDADM || source == BY_WHOLE;
    struct ctl_world *world = source == BY_MDADM   ? world_mdadm(90, "md5spare", 4, 0)
                              : source == BY_WHOLE ? world_whole(90, 0)
                                                   : world_foreign(90, RAID_LEVEL_5, 3, source);
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    bool done = false;
    uint64_t base = 0;

    world_start(world);
    describe(world, old_text);
    strcpy(command.args.foreign.set, look(world)->id);
    command.complete = on_done;
    command.owner = &done;
    base = writes_so_far(world);
    ctl_execute(world->ctl, &command);
    while (!done && writes_so_far(world) - base < at) {
        assert_true(sim_world_step(world->sim));
    }
    if (at == UINT64_MAX) {
        assert_int_equal(command.reason.code, REASON_OK);
        describe(world, new_text);
        assert_string_not_equal(old_text, new_text);
    } else {
        bool acknowledged = done;

        sim_world_power_off(world->sim, cut);
        world_power_cycle(world);
        describe(world, now_text);
        if (strcmp(now_text, new_text) != 0 && (acknowledged || strcmp(now_text, old_text) != 0)) {
            fail_msg("source %d, cut %d at %llu, acknowledged %d:\n%s\nold:\n%s\nnew:\n%s",
                     (int)source, (int)cut, (unsigned long long)at, acknowledged, now_text,
                     old_text, new_text);
        }
        if (strcmp(now_text, new_text) != 0) {
            assert_int_equal(import(world, ""), REASON_OK); /* and it can be had again */
        }
        done = acknowledged;
    }
    world_check(world, linux_made ? "judge" : "theirs", 0, DATA, linux_made ? 0x00 : 0x5A);
    world_free(world);
    return done;
}

static void test_cut(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (int source = BY_LABELS; source <= BY_WHOLE; source++) {
        (void)cut_at((enum source)source, UINT64_MAX, SIM_CUT_RATE); /* for new_text */
        for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
            uint64_t step = cut != SIM_CUT_RATE || source == BY_BOTH ? 17
                            : source >= BY_MDADM                     ? 1
                                                                     : 3;
            uint64_t at = cut % step;

            while (!cut_at((enum source)source, at, (enum sim_cut)cut)) {
                at += step;
                points++;
                assert_true(at < STEPS_MAX);
            }
        }
    }
    printf("# %u cuts\n", points);
    assert_true(points > 50);
}

/* A member dies at the n-th write of the import: refused and taken back, or imported. */
static void test_pulled(void **state)
{
    (void)state;
    for (int source = BY_LABELS; source <= BY_BOTH; source++) {
        for (uint32_t steps = 1; steps < 400; steps += 37) {
            struct ctl_world *world = world_foreign(95, RAID_LEVEL_5, 3, (enum source)source);
            enum reason_code code = REASON_OK;

            world_start(world);
            world->pull_slot = 1;
            world->pull_after_steps = steps;
            code = import(world, "");
            world_settle(world, MINUTE);
            if (code == REASON_OK) {
                world_check(world, "theirs", 0, DATA, 0x5A);
            } else {
                assert_int_equal(world_count(world, OBJECT_KIND_DRIVE_GROUP), 0);
                expect_told(world, "theirs degraded ok");
                assert_int_equal(import(world, ""), REASON_OK);
                world_check(world, "theirs", 0, DATA, 0x5A);
            }
            world_free(world);
        }
    }
}

/* Clearing, and back */

static uint64_t whole_sum(struct ctl_world *world)
{
    uint64_t *buffer = malloc(MIB);
    uint64_t sum = 14695981039346656037u;

    for (uint32_t i = 0; i < world->slot_count; i++) {
        for (uint64_t at = 0; at < world->slots[i].options.size_bytes; at += MIB) {
            sim_drive_peek_durable(world->slots[i].drive, at, buffer, MIB);
            for (uint32_t k = 0; k < MIB / 8; k++) {
                sum = (sum ^ buffer[k]) * 1099511628211u;
            }
        }
    }
    free(buffer);
    return sum;
}

/* The blocks in which a clearing changes sectors, and their neighbours. */
static uint64_t metadata_sum(struct ctl_world *world)
{
    uint64_t *buffer = malloc(64 * 1024);
    uint64_t sum = 14695981039346656037u;

    for (uint32_t i = 0; i < world->slot_count; i++) {
        uint64_t size = world->slots[i].options.size_bytes;
        const uint64_t places[] = {size - 64 * 1024,
                                   size - 16 * MIB,
                                   size - 32 * MIB,
                                   drive_layout_label_offset(size, false, 0),
                                   drive_layout_label_offset(size, false, 1),
                                   drive_layout_label_offset(size, true, 0),
                                   drive_layout_label_offset(size, true, 1)};

        for (uint32_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
            sim_drive_peek_durable(world->slots[i].drive, places[k], buffer, 64 * 1024);
            for (uint32_t n = 0; n < 64 * 1024 / 8; n++) {
                sum = (sum ^ buffer[n]) * 1099511628211u;
            }
        }
    }
    free(buffer);
    return sum;
}

/* Nothing is on its way to the medium any more that a power cut could take. */
static struct ctl_world *world_to_clear(enum source source)
{
    struct ctl_world *world = source == BY_MDADM   ? world_mdadm(300, "md5spare", 4, 0)
                              : source == BY_WHOLE ? world_whole(300, 0)
                                                   : world_foreign(300, RAID_LEVEL_5, 3, source);
    uint8_t *buffer = malloc(2 * MIB);

    for (uint32_t i = 0; i < world->slot_count; i++) {
        for (uint64_t at = 0; at < world->slots[i].options.size_bytes; at += MIB) {
            sim_drive_peek(world->slots[i].drive, at, buffer, MIB);
            sim_drive_peek_durable(world->slots[i].drive, at, buffer + MIB, MIB);
            if (memcmp(buffer, buffer + MIB, MIB) != 0) {
                sim_drive_poke(world->slots[i].drive, at, buffer, MIB);
            }
        }
    }
    free(buffer);
    return world;
}

static void clear_prepare(struct ctl_world *world, const char *name, struct ctl_command *command)
{
    *command = (struct ctl_command){.op = CTL_OP_FOREIGN_CLEAR};
    strcpy(command->args.foreign.controller, "c0");
    strcpy(command->args.foreign.set, look(world)->id);
    strcpy(command->args.foreign.digest, look(world)->digest);
    (void)snprintf(command->confirm, sizeof(command->confirm), "%s", name);
    (void)snprintf(command->who, sizeof(command->who), "tester");
}

static enum reason_code clear(struct ctl_world *world, const char *name)
{
    struct ctl_command command;

    world_settle(world, SIM_SECOND);
    clear_prepare(world, name, &command);
    return world_run(world, &command);
}

/* The host looks at its drives again. */
static void all_look(struct ctl_world *world)
{
    world_settle(world, MINUTE);
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (world->slots[i].offered) {
            slot_arrive(world, i);
        }
    }
    world_settle(world, SIM_SECOND);
}

static void undo_number(void *context, const struct undo_view *view)
{
    if (*(uint64_t *)context == 0) {
        *(uint64_t *)context = view->number;
    }
}

static void undo_drive(void *context, const struct undo_drive_view *view)
{
    (void)context;
    (void)view;
}

static uint64_t undo_newest(struct ctl_world *world)
{
    uint64_t number = 0;
    const struct ctl_undo_visitor visitor = {undo_number, undo_drive, &number};

    ctl_undo_visit(world->ctl, &visitor);
    return number;
}

static enum reason_code clear_undo(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_UNDO_RESTORE};

    strcpy(command.args.undo_restore.controller, "c0");
    command.args.undo_restore.undo = undo_newest(world);
    return world_run(world, &command);
}

static void check_imported(struct ctl_world *world, enum source source)
{
    bool linux_made = source == BY_MDADM || source == BY_WHOLE;

    assert_int_equal(import(world, ""), REASON_OK);
    world_check(world, linux_made ? "judge" : "theirs", 0, DATA, linux_made ? 0x00 : 0x5A);
}

/* Byte for byte. */
static void test_clear(void **state)
{
    (void)state;
    for (int source = BY_LABELS; source <= BY_WHOLE; source++) {
        struct ctl_world *world = world_to_clear((enum source)source);
        uint64_t sum = whole_sum(world);
        char name[20];
        uint32_t from = 0;

        world_start(world);
        strcpy(name, look(world)->name);
        assert_int_equal(clear(world, ""), REASON_CONFIRM_NEEDED);
        assert_int_equal(clear(world, "another"), REASON_CONFIRM_MISMATCH);
        world->store->fail_with = -EIO;
        assert_int_equal(clear(world, name), REASON_UNDO_NEEDED);
        world->store->fail_with = 0;
        all_look(world);
        assert_true(whole_sum(world) == sum);
        assert_int_equal(look(world)->sets, 1);
        from = world->log_count;
        assert_int_equal(clear(world, name), REASON_OK);
        assert_int_equal(world_event_count(world, from, 220), 1);
        all_look(world);
        assert_int_equal(look(world)->sets, 0);
        assert_string_equal(look(world)->text, "");
        world_restart(world);
        all_look(world);
        assert_int_equal(look(world)->sets, 0);
        assert_int_equal(clear_undo(world), REASON_OK);
        assert_int_equal(world_event_count(world, from, 60201), 1);
        assert_int_equal(undo_newest(world), 0);
        all_look(world);
        assert_true(whole_sum(world) == sum);
        assert_string_equal(look(world)->name, name);
        check_imported(world, (enum source)source);
        world_free(world);
    }
}

static void test_clear_refused(void **state)
{
    struct ctl_world *world = world_foreign(310, RAID_LEVEL_5, 3, BY_DDF);
    uint8_t block[4096];
    uint8_t sector[512];
    uint64_t lba = SIZE / 512 - DDF_PRIMARY_FROM_END_SECTORS;

    (void)state;
    world_start(world);
    /* It says something else than it did. */
    sim_drive_peek_durable(world->slots[1].drive, lba * 512, sector, sizeof(sector));
    sector[100] ^= 1;
    sim_drive_poke(world->slots[1].drive, lba * 512, sector, sizeof(sector));
    sector[100] ^= 1;
    assert_int_equal(clear(world, "theirs"), REASON_FOREIGN_CHANGED);
    sim_drive_poke(world->slots[1].drive, lba * 512, sector, sizeof(sector));
    world->slots[2].claim_error = -EBUSY;
    world->slots[2].claim_reason = REASON_DRIVE_UNSUITABLE_MOUNTED;
    assert_int_equal(clear(world, "theirs"), REASON_DRIVE_IN_USE);
    world->slots[2].claim_error = 0;
    assert_int_equal(clear(world, "theirs"), REASON_OK);
    all_look(world);
    /* Somebody writes to a drive that is free now. */
    memset(block, 0x3C, sizeof(block));
    sim_drive_poke(world->slots[2].drive, MIB / 2, block, sizeof(block));
    assert_int_equal(clear_undo(world), REASON_UNDO_DRIVE_WRITTEN);
    /* Or takes it. */
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "mine"), REASON_OK);
    assert_int_equal(clear_undo(world), REASON_UNDO_DRIVE_USED);
    assert_int_equal(world_delete(world, "mine"), REASON_OK);
    world_free(world);
}

/* The old or the new state, and from the new one back to the very bytes. */
static bool clear_cut_at(enum source source, bool restores, uint64_t at, enum sim_cut cut)
{
    struct ctl_world *world = world_to_clear(source);
    uint64_t sum = metadata_sum(world);
    struct ctl_command command = {.op = CTL_OP_UNDO_RESTORE};
    bool done = false;
    bool acknowledged = false;
    uint64_t base = 0;
    char name[20];

    world_start(world);
    strcpy(name, look(world)->name);
    if (restores) {
        assert_int_equal(clear(world, name), REASON_OK);
        all_look(world);
        strcpy(command.args.undo_restore.controller, "c0");
        command.args.undo_restore.undo = undo_newest(world);
    } else {
        clear_prepare(world, name, &command);
    }
    command.complete = on_done;
    command.owner = &done;
    base = writes_so_far(world);
    ctl_execute(world->ctl, &command);
    while (!done && writes_so_far(world) - base < at) {
        assert_true(sim_world_step(world->sim));
    }
    acknowledged = done;
    sim_world_power_off(world->sim, cut);
    world_power_cycle(world);
    all_look(world);
    if (look(world)->sets == 0) {
        assert_false(acknowledged && restores);
        assert_string_equal(look(world)->text, "");
        if (clear_undo(world) != REASON_OK) {
            fail_msg("source %d, restores %d, cut %d at %llu: %s", (int)source, restores, (int)cut,
                     (unsigned long long)at, world->text);
        }
        all_look(world);
    } else {
        assert_false(acknowledged && !restores);
    }
    if (metadata_sum(world) != sum) {
        fail_msg("source %d, restores %d, cut %d at %llu: %s", (int)source, restores, (int)cut,
                 (unsigned long long)at, look(world)->text);
    }
    world_free(world);
    return acknowledged;
}

static void test_clear_cut(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (uint32_t i = 0; i < 2u * (BY_WHOLE + 1); i++) {
        enum source source = (enum source)(i / 2);
        bool dense = source == BY_LABELS || source == BY_MDADM;

        for (uint32_t cut = dense ? 0 : SIM_CUT_RATE;
             cut < (dense ? SIM_CUT_MAX : SIM_CUT_RATE + 1); cut++) {
            uint64_t step = cut != SIM_CUT_RATE ? 13 : dense ? 1 : 7;
            uint64_t at = cut % step;

            while (!clear_cut_at(source, i % 2 == 1, at, (enum sim_cut)cut)) {
                at += step;
                points++;
                assert_true(at < STEPS_MAX);
            }
        }
    }
    printf("# %u cuts\n", points);
    assert_true(points > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mdadm),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_whole_copyback),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_missing_and_late),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_name_taken),
        cmocka_unit_test(test_stripe_name_taken),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_odd_size),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_pulled),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_clear_refused),
        cmocka_unit_test(test_clear_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
