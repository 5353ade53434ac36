/*
 * Foreign sets: seen, previewed, imported, all or nothing. Drives of another controller, once by
 * its labels (claimed drives) and once by their DDF metadata alone (drives that are only offered).
 */
#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "foreign_world.h"
#include "later_label.h"
#include "meta/ddf/ddf.h"
#include "meta/group_store.h"

#define MINUTE (60 * SIM_SECOND)

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
            expect_told(world, source == BY_DDF ? "ddf theirs optimal ok"
                                                : "arraywright theirs optimal ok");
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
        expect_told(world, "theirs refused foreign_member: ");
        assert_int_equal(import(world, ""), REASON_FOREIGN_MEMBER);
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

static void looked_at_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

/* The host looks at the drives of the set again while the first is being claimed: what was found
 * before that is gone by then. */
static void test_looked_at_meanwhile(void **state UNUSED)
{
    struct ctl_world *world = world_foreign(61, RAID_LEVEL_5, 3, BY_DDF);
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT, .complete = looked_at_done};
    struct virtual_drive_view view;
    bool done = false;

    (void)mallopt(M_PERTURB, 0xA5); /* what is freed is not what it was */
    world_start(world);
    (void)snprintf(command.args.foreign.controller, sizeof(command.args.foreign.controller), "c0");
    strcpy(command.args.foreign.set, look(world)->id);
    command.owner = &done;
    ctl_execute(world->ctl, &command);
    assert_true(sim_world_step(world->sim)); /* it has begun */
    assert_false(done || world->slots[0].claimed);
    for (uint32_t i = 0; i < 3; i++) {
        slot_arrive(world, i);
    }
    assert_true(sim_world_run_until_flag(world->sim, &done, MINUTE));
    assert_int_equal(command.reason.code, REASON_OK);
    assert_true(world_vd(world, "theirs", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    world_check(world, "theirs", 0, DATA, 0x5A);
    world_free(world);
    (void)mallopt(M_PERTURB, 0);
}

/* Their DDF could be understood, but a later version has its own label on one of them. */
static void test_later_version(void **state UNUSED)
{
    struct ctl_world *world = world_foreign(69, RAID_LEVEL_1, 2, BY_BOTH);
    uint64_t sum = 0;

    slot_label_renew(world, 1);
    sum = drives_sum(world);
    world_start(world);
    expect_told(world, "theirs refused label_newer");
    assert_int_equal(import(world, ""), REASON_LABEL_NEWER);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
    assert_int_equal(drives_sum(world), sum);
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

/* The label of a member on another drive, as if it were another group's. */
static void label_forge(struct ctl_world *world, uint32_t from, uint32_t to)
{
    struct drive_label *label = calloc(1, sizeof(*label));
    uint8_t *bytes = calloc(1, LABEL_SLOT_BYTES);
    uint64_t at = drive_layout_label_offset(world->slots[from].options.size_bytes, false, 0);
    size_t used = 0;

    assert_true(label != NULL && bytes != NULL);
    sim_drive_peek(world->slots[from].drive, at, bytes, LABEL_SLOT_BYTES);
    assert_int_equal(drive_label_decode(bytes, label), 0);
    label->drive.bytes[0] ^= 1;
    label->record.members[0].drive = label->drive;
    label->group.bytes[20] ^= 1;
    label->record.guid = label->group;
    label->record.vds[0].guid.bytes[20] ^= 1;
    assert_int_equal(drive_label_encode(label, bytes, &used), 0);
    sim_drive_poke(world->slots[to].drive, at, bytes, used);
    free(bytes);
    free(label);
}

/* With two in one place of a stripe it would never be put together again. */
static void test_stripe_place_taken(void **state UNUSED)
{
    struct ctl_world *world = world_new(78, 3);
    struct ctl_command stripe = {.op = CTL_OP_STRIPE_CREATE,
                                 .args.stripe_create = {.name = "wide", .vd_count = 2}};
    struct virtual_drive_view view;

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "left"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 1, 1, "right"), REASON_OK);
    assert_true(world_vd(world, "left", &view, stripe.args.stripe_create.vds[0]));
    assert_true(world_vd(world, "right", &view, stripe.args.stripe_create.vds[1]));
    assert_int_equal(world_run(world, &stripe), REASON_OK);
    memory_lose(world);
    label_forge(world, 0, 2);
    world_start(world);
    assert_int_equal(look(world)->sets, 3);
    assert_int_equal(import(world, ""), REASON_OK);
    assert_int_equal(import(world, ""), REASON_OK);
    assert_int_equal(import(world, ""), REASON_NAME_TAKEN);
    world_settle(world, MINUTE);
    assert_true(world_vd(world, "right", &view, NULL));
    assert_int_equal(view.stripe.state, HOST_STRIPE_STATE_OPTIMAL);
    world_free(world);
}

/* Drives that end within a block of 4096 are drives as any other. */
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
    assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_UNCONFIGURED_GOOD);
    world_settle(world, MINUTE); /* what still runs may move a revision that the plan names */
    assert_int_equal(world_create(world, RAID_LEVEL_0, 3, 1, "more"), REASON_OK);
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
static bool cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    enum source source = *(enum source *)what;
    bool linux_made = source == BY_MDADM || source == BY_WHOLE;
    struct ctl_world *world = source == BY_MDADM   ? world_mdadm(90, "md5spare", 4, 0)
                              : source == BY_WHOLE ? world_whole(90, 0)
                                                   : world_foreign(90, RAID_LEVEL_5, 3, source);
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    bool acknowledged = false;

    world_start(world);
    describe(world, old_text);
    strcpy(command.args.foreign.set, look(world)->id);
    if (at == UINT64_MAX) {
        assert_int_equal(world_run(world, &command), REASON_OK);
        describe(world, new_text);
        assert_string_not_equal(old_text, new_text);
    } else {
        acknowledged = world_run_cut(world, &command, at, cut);
        world_power_cycle(world);
        if (look(world)->sets > 0) {
            all_look(world);
        }
        describe(world, now_text);
        if (strcmp(now_text, new_text) != 0 && (acknowledged || strcmp(now_text, old_text) != 0)) {
            fail_msg("source %d, cut %d at %llu, acknowledged %d:\n%s\nold:\n%s\nnew:\n%s",
                     (int)source, (int)cut, (unsigned long long)at, acknowledged, now_text,
                     old_text, new_text);
        }
        if (strcmp(now_text, new_text) != 0) {
            assert_int_equal(import(world, ""), REASON_OK); /* and it can be had again */
        }
    }
    world_check(world, linux_made ? "judge" : "theirs", 0, DATA, linux_made ? 0x00 : 0x5A);
    world_free(world);
    return acknowledged;
}

static void test_cut(void **state)
{
    uint32_t points = 0;

    (void)state;
    for (int i = BY_LABELS; i <= BY_WHOLE; i++) {
        enum source source = (enum source)i;

        (void)cut_at(&source, UINT64_MAX, SIM_CUT_RATE); /* for new_text */
        for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
            uint32_t step = cut != SIM_CUT_RATE || source == BY_BOTH ? 17
                            : source >= BY_MDADM                     ? 1
                                                                     : 3;

            points += world_cut_along(cut_at, &source, (enum sim_cut)cut, step);
        }
    }
    world_cuts_suffice("import", points, 50);
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
        cmocka_unit_test(test_looked_at_meanwhile),
        cmocka_unit_test(test_later_version),
        cmocka_unit_test(test_name_taken),
        cmocka_unit_test(test_stripe_name_taken),
        cmocka_unit_test(test_stripe_place_taken),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_odd_size),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_pulled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
