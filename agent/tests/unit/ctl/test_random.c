/*
 * Random management: creations, deletions, pulls, returns, replacements, spares, restarts and
 * power cuts in any order, with a ledger of what was written. Whatever can be read must be what
 * was acknowledged; a refused command changes nothing; nothing asserts.
 */
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define SLOTS 10u
#define VDS_MAX 6u
#define LEDGER_BYTES (128u * 1024u)

struct ledger {
    char name[16]; /* "" if there is no such virtual drive */
    bool written;
    uint8_t fill;
};

struct story {
    struct ctl_world *world;
    struct rng rng;
    struct ledger ledgers[VDS_MAX];
    bool pulled[SLOTS];
    uint32_t number;
    uint64_t rev;
    bool gentle; /* nothing is done that could cost data for good */
    uint32_t done[16];
};

static char before[16384];
static char after[16384];

static struct ledger *ledger_pick(struct story *story)
{
    for (uint32_t i = 0; i < 20; i++) {
        struct ledger *ledger = &story->ledgers[rng_below(&story->rng, VDS_MAX)];

        if (ledger->name[0] != '\0') {
            return ledger;
        }
    }
    return NULL;
}

/* Runs it; a refusal must leave everything as it was. */
static enum reason_code run(struct story *story, struct ctl_command *command)
{
    enum reason_code code = REASON_OK;

    world_settle(story->world, SIM_SECOND);
    world_describe(story->world, before, sizeof(before));
    code = world_run(story->world, command);
    if (code != REASON_OK && !command->changed_something) {
        world_describe(story->world, after, sizeof(after));
        if (strcmp(before, after) != 0) {
            fail_msg("refused with \"%s\", but:\n%s\nbecame\n%s", story->world->text, before,
                     after);
        }
    }
    return code;
}

static void do_create(struct story *story)
{
    static const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_1,  RAID_LEVEL_5,
                                             RAID_LEVEL_6, RAID_LEVEL_10, RAID_LEVEL_1E};
    struct ctl_command *command = NULL;
    struct command_vd_create *args = NULL;
    uint32_t start = (uint32_t)rng_below(&story->rng, SLOTS);
    uint32_t wanted = 1 + (uint32_t)rng_below(&story->rng, 5);
    uint32_t i = 0;

    while (i < VDS_MAX && story->ledgers[i].name[0] != '\0') {
        i++;
    }
    if (i == VDS_MAX) {
        return;
    }
    command = world_create_command(story->world, levels[rng_below(&story->rng, 6)], 0, 0, "");
    args = &command->args.vd_create;
    (void)snprintf(args->name, sizeof(args->name), "v%u", story->number++);
    for (uint32_t k = 0; k < SLOTS && args->drive_count < wanted; k++) {
        uint32_t slot = (start + k) % SLOTS;

        if (world_drive_state(story->world, slot) == DRIVE_STATE_UNCONFIGURED_GOOD) {
            strcpy(args->drives[args->drive_count++], slot_key(story->world, slot));
        }
    }
    args->size_bytes = rng_below(&story->rng, 2) == 0 ? 0 : 2 * MIB;
    if (run(story, command) == REASON_OK) {
        story->ledgers[i] = (struct ledger){.written = false};
        memcpy(story->ledgers[i].name, args->name, sizeof(story->ledgers[i].name));
        story->done[0]++;
    }
}

static void do_add(struct story *story)
{
    struct ledger *other = ledger_pick(story);
    struct virtual_drive_view view;
    struct ctl_command *command = NULL;
    uint32_t i = 0;

    while (i < VDS_MAX && story->ledgers[i].name[0] != '\0') {
        i++;
    }
    if (i == VDS_MAX || other == NULL || !world_vd(story->world, other->name, &view, NULL)) {
        return;
    }
    command = world_create_command(story->world, view.config->geometry.level, 0, 0, "");
    (void)snprintf(command->args.vd_create.name, 16, "v%u", story->number++);
    memcpy(command->args.vd_create.drive_group, view.group, sizeof(view.group));
    command->args.vd_create.size_bytes = 2 * MIB;
    if (run(story, command) == REASON_OK) {
        story->ledgers[i] = (struct ledger){.written = false};
        memcpy(story->ledgers[i].name, command->args.vd_create.name, 16);
        story->done[1]++;
    }
}

static void do_delete(struct story *story)
{
    struct ledger *ledger = ledger_pick(story);
    struct ctl_command command = {.op = CTL_OP_VD_DELETE};
    struct virtual_drive_view view;

    if (ledger == NULL || !world_vd(story->world, ledger->name, &view, command.args.vd_delete.vd)) {
        return;
    }
    (void)snprintf(command.confirm, sizeof(command.confirm), "%s", ledger->name);
    if (run(story, &command) == REASON_OK) {
        ledger->name[0] = '\0';
        story->done[2]++;
    }
}

static bool is_usable(struct story *story, const struct ledger *ledger)
{
    struct virtual_drive_view view;

    if (!world_vd(story->world, ledger->name, &view, NULL)) {
        fail_msg("%s is not there any more", ledger->name);
    }
    return view.state != VIRTUAL_DRIVE_STATE_OFFLINE && view.exports.nbd_unix_uri[0] != '\0';
}

static void do_write(struct story *story)
{
    struct ledger *ledger = ledger_pick(story);

    if (ledger != NULL && is_usable(story, ledger)) {
        ledger->written = true;
        ledger->fill = (uint8_t)(1 + rng_below(&story->rng, 255));
        world_write(story->world, ledger->name, 0, LEDGER_BYTES, ledger->fill);
        story->done[3]++;
    }
}

static void check_all(struct story *story)
{
    for (uint32_t i = 0; i < VDS_MAX; i++) {
        struct ledger *ledger = &story->ledgers[i];

        if (ledger->name[0] != '\0' && ledger->written && is_usable(story, ledger)) {
            world_check(story->world, ledger->name, 0, LEDGER_BYTES, ledger->fill);
            story->done[4]++;
        }
    }
    assert_true(ctl_rev(story->world->ctl) >= story->rev);
    story->rev = ctl_rev(story->world->ctl);
}

static void do_fault(struct story *story, enum fault_kind fault)
{
    uint32_t slot = (uint32_t)rng_below(&story->rng, SLOTS);

    if (world_fault(story->world, slot, fault) == REASON_OK) {
        story->pulled[slot] = fault == FAULT_KIND_PULL;
        world_settle(story->world, SIM_SECOND);
        story->done[5]++;
    }
}

static void do_drive(struct story *story)
{
    static const enum ctl_op ops[] = {CTL_OP_SPARE_ADD,  CTL_OP_SPARE_REMOVE,
                                      CTL_OP_DRIVE_GOOD, CTL_OP_DRIVE_OFFLINE,
                                      CTL_OP_REBUILD,    CTL_OP_DRIVE_MISSING};
    uint32_t slot = (uint32_t)rng_below(&story->rng, SLOTS);
    struct ctl_command command = {.op = ops[rng_below(&story->rng, story->gentle ? 2 : 6)]};

    strcpy(command.args.drive.drive, slot_key(story->world, slot)); /* first in all of them */
    if (command.op == CTL_OP_DRIVE_GOOD) {
        command.args.drive_good.force = true;
        strcpy(command.confirm, story->world->slots[slot].serial);
    }
    if (command.op == CTL_OP_REBUILD) {
        command.args.task.action = (enum task_action)rng_below(&story->rng, TASK_ACTION_MAX);
    }
    if (run(story, &command) == REASON_OK) {
        story->done[6]++;
    }
}

static void do_patrol(struct story *story)
{
    struct ctl_command command = {.op = CTL_OP_PATROL_READ};

    strcpy(command.args.task.target, "c0");
    command.args.task.action = (enum task_action)rng_below(&story->rng, TASK_ACTION_MAX);
    if (run(story, &command) == REASON_OK) {
        story->done[9]++;
    }
}

/* The emulated drives are connected again after a restart. */
static void all_connected(struct story *story)
{
    memset(story->pulled, 0, sizeof(story->pulled));
}

static void do_restart(struct story *story)
{
    world_restart(story->world);
    all_connected(story);
    story->done[7]++;
}

static void do_power_cut(struct story *story)
{
    sim_world_power_off(story->world->sim, (enum sim_cut)rng_below(&story->rng, SIM_CUT_MAX));
    world_power_cycle(story->world);
    all_connected(story);
    story->done[8]++;
}

static void step(struct story *story)
{
    uint64_t dice = rng_below(&story->rng, 68);

    if (dice < 9) {
        do_create(story);
    } else if (dice < 13) {
        do_add(story);
    } else if (dice < 17) {
        do_delete(story);
    } else if (dice < 27) {
        do_write(story);
    } else if (dice < 36) {
        do_fault(story, FAULT_KIND_PULL);
    } else if (dice < 46) {
        do_fault(story, FAULT_KIND_RETURN);
    } else if (dice < 48) {
        if (!story->gentle && story->world->retired_count < 30) {
            do_fault(story, FAULT_KIND_REPLACE);
        }
    } else if (dice < 59) {
        do_drive(story);
    } else if (dice < 61) {
        do_restart(story);
    } else if (dice < 64) {
        do_power_cut(story);
    } else {
        do_patrol(story);
    }
    world_settle(story->world, rng_below(&story->rng, 20) * SIM_SECOND);
    check_all(story);
}

/* Everything is put back and given time: whatever is not lost is whole and consistent. */
static void quiesce(struct story *story)
{
    struct virtual_drive_view view;

    for (uint32_t i = 0; i < SLOTS; i++) {
        if (story->pulled[i]) {
            (void)world_fault(story->world, i, FAULT_KIND_RETURN);
        }
    }
    world_settle(story->world, 30 * MINUTE);
    check_all(story);
    for (uint32_t i = 0; i < VDS_MAX; i++) {
        const char *name = story->ledgers[i].name;

        if (name[0] == '\0') {
            continue;
        }
        assert_true(world_vd(story->world, name, &view, NULL));
        if (story->gentle && view.state != VIRTUAL_DRIVE_STATE_OPTIMAL) {
            world_describe(story->world, before, sizeof(before));
            fail_msg("%s has not recovered:\n%s", name, before);
        }
        if (view.state == VIRTUAL_DRIVE_STATE_OPTIMAL && story->gentle) {
            assert_true(view.consistent);
        }
    }
}

static void test_random(void **state)
{
    uint64_t seed = aw_test_seed("ctl_random", 1);
    uint32_t runs = getenv("AW_RUNS") != NULL ? (uint32_t)atoi(getenv("AW_RUNS")) : 6;
    uint32_t done[10] = {0};

    (void)state;
    for (uint32_t i = 0; i < runs; i++) {
        struct story *story = calloc(1, sizeof(*story));

        printf("# seed %llu\n", (unsigned long long)(seed + i));
        fflush(stdout);
        story->world = world_new(seed + i, SLOTS);
        rng_seed(&story->rng, seed + i);
        story->gentle = (seed + i) % 2 == 1;
        world_start(story->world);
        for (uint32_t k = 0; k < 120; k++) {
            step(story);
        }
        quiesce(story);
        for (uint32_t k = 0; k < 10; k++) {
            done[k] += story->done[k];
        }
        world_free(story->world);
        free(story);
    }
    printf("# creations %u+%u deletions %u writes %u checks %u faults %u drive commands %u "
           "restarts %u power cuts %u patrol commands %u\n",
           done[0], done[1], done[2], done[3], done[4], done[5], done[6], done[7], done[8],
           done[9]);
    for (uint32_t k = 0; k < 10; k++) {
        assert_true(done[k] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
