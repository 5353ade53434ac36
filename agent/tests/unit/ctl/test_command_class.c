/*
 * The class of a command: each row of the generated table of effects holds when its condition does,
 * and only then; names of exports are remembered after their end.
 */
#include <string.h>

#include "ctl/command_effects.h"
#include "ctl_world.h"

static struct ctl_world *world;
static struct ctl_command command;

static void begin(enum ctl_op op)
{
    memset(&command, 0, sizeof(command));
    command.op = op;
}

static uint32_t effects(void)
{
    uint32_t bits = 0;

    (void)ctl_command_class(ctl_host_of(world->ctl), &command, &bits);
    return bits;
}

static enum command_class class_of(void)
{
    uint32_t bits = 0;

    return ctl_command_class(ctl_host_of(world->ctl), &command, &bits);
}

/* Makes the condition true for a command that was just begun. */
static void meet(enum command_when when)
{
    switch (when) {
    case COMMAND_WHEN_ALWAYS:
        return;
    case COMMAND_WHEN_USED_DRIVES:
        if (command.op == CTL_OP_VD_CREATE) {
            command.args.vd_create.serial_count = 1;
        } else if (command.op == CTL_OP_SPARE_ADD) {
            command.args.spare_add.force = true;
        } else if (command.op == CTL_OP_DRIVE_REPLACE) {
            command.args.drive_replace.force = true;
        } else {
            assert_int_equal(command.op, CTL_OP_STRIPE_CREATE);
            command.args.stripe_create.force = true;
        }
        return;
    case COMMAND_WHEN_CORRECTS:
        command.args.check.correct = true;
        return;
    case COMMAND_WHEN_OVERWRITES:
        command.args.vd_measure.plan.load_count = 1;
        command.args.vd_measure.plan.loads[0].write_percent = 1;
        return;
    case COMMAND_WHEN_STARTS:
        command.args.vd_measure.action = TASK_ACTION_START;
        return;
    case COMMAND_WHEN_HALTS:
        if (command.op == CTL_OP_COPYBACK) {
            command.args.copyback.action = TASK_ACTION_PAUSE;
        } else {
            command.args.task.action = TASK_ACTION_PAUSE;
        }
        return;
    case COMMAND_WHEN_TAKES_SPARE:
        command.args.copyback.action = TASK_ACTION_START;
        strcpy(command.args.copyback.drive, slot_key(world, 0));
        strcpy(command.args.copyback.target, slot_key(world, 4));
        return;
    case COMMAND_WHEN_FORCES_WRITE_BACK:
        command.args.vd_create.write_policy = WRITE_POLICY_ALWAYS_WRITE_BACK;
        if (command.op == CTL_OP_VD_SET) {
            begin(CTL_OP_VD_SET);
            command.args.vd_set.fields = VD_SET_WRITE_POLICY;
            command.args.vd_set.write_policy = WRITE_POLICY_ALWAYS_WRITE_BACK;
        }
        return;
    case COMMAND_WHEN_TAKES_RECENT_NAME:
        strcpy(command.args.vd_create.name, "gone");
        return;
    case COMMAND_WHEN_RENAMES:
        command.args.vd_set.fields = VD_SET_NAME;
        strcpy(command.args.vd_set.name, "other");
        return;
    case COMMAND_WHEN_SETS_ACCESS:
        command.args.vd_set.fields = VD_SET_ACCESS;
        command.args.vd_set.access = ACCESS_POLICY_BLOCKED;
        return;
    case COMMAND_WHEN_DROPS_STRIPE_LOG:
        command.args.vd_set.fields = VD_SET_STRIPE_LOG_MODE;
        command.args.vd_set.stripe_log_mode = STRIPE_LOG_MODE_OFF;
        return;
    case COMMAND_WHEN_DRIVE_CACHES_ON:
        begin(command.op);
        if (command.op == CTL_OP_VD_SET) {
            command.args.vd_set.fields = VD_SET_DRIVE_CACHE;
            command.args.vd_set.drive_cache_policy = DRIVE_CACHE_POLICY_ON;
        } else {
            command.args.vd_create.drive_cache_policy = DRIVE_CACHE_POLICY_ON;
        }
        return;
    case COMMAND_WHEN_WEAKENS_LEARNING:
        command.args.battery_set.fields = BATTERY_SET_LEARN_MODE;
        command.args.battery_set.learn_mode = LEARN_MODE_DISABLED;
        return;
    case COMMAND_WHEN_WEAKENS_REPAIR:
        command.args.controller_set.fields = CONTROLLER_SET_AUTO_REBUILD;
        return;
    case COMMAND_WHEN_MAX:
        break;
    }
    fail();
}

/* The least that a command of this op can ask for. */
static void begin_harmless(enum ctl_op op)
{
    begin(op);
    if (op == CTL_OP_VD_MEASURE) {
        command.args.vd_measure.action = TASK_ACTION_STOP;
    } else if (op == CTL_OP_REBUILD) {
        command.args.task.action = TASK_ACTION_START;
    }
}

static bool has_row(enum ctl_op op, enum command_when when)
{
    size_t count = 0;
    const struct command_effect_row *rows = command_effect_rows(&count);

    for (size_t i = 0; i < count; i++) {
        if (rows[i].op == op && rows[i].when == when) {
            return true;
        }
    }
    return false;
}

static void test_every_row_holds_when_its_condition_does(void **state UNUSED)
{
    size_t count = 0;
    const struct command_effect_row *rows = command_effect_rows(&count);
    bool met[COMMAND_WHEN_MAX] = {false};

    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) {
        begin_harmless(rows[i].op);
        if (!has_row(rows[i].op, COMMAND_WHEN_ALWAYS)) {
            assert_int_equal(effects(), 0);
            assert_int_equal(class_of(), COMMAND_CLASS_O);
        }
        meet(rows[i].when);
        assert_int_equal(effects() & rows[i].effects, rows[i].effects);
        assert_true(class_of() >= COMMAND_CLASS_D);
        if ((rows[i].effects & 1u << COMMAND_EFFECT_DATA) != 0) {
            assert_int_equal(class_of(), COMMAND_CLASS_X);
        }
        met[rows[i].when] = true;
    }
    for (unsigned when = 0; when < COMMAND_WHEN_MAX; when++) {
        assert_true(met[when]);
    }
}

static void test_what_strengthens_is_light(void **state UNUSED)
{
    begin(CTL_OP_CONTROLLER_SET);
    command.args.controller_set.fields =
        CONTROLLER_SET_REBUILD_RATE | CONTROLLER_SET_AUTO_REBUILD | CONTROLLER_SET_PATROL_MODE;
    command.args.controller_set.auto_rebuild = true;
    command.args.controller_set.patrol_mode = PATROL_MODE_AUTO;
    command.args.controller_set.rebuild_rate_percent = 10;
    assert_int_equal(class_of(), COMMAND_CLASS_O);
    command.args.controller_set.rebuild_rate_percent = 9;
    assert_int_equal(class_of(), COMMAND_CLASS_D);
    begin(CTL_OP_BATTERY_SET);
    command.args.battery_set.fields = BATTERY_SET_LEARN_MODE;
    command.args.battery_set.learn_mode = LEARN_MODE_AUTO;
    assert_int_equal(class_of(), COMMAND_CLASS_O);
    command.args.battery_set.fields |= BATTERY_SET_NEXT_LEARN;
    assert_int_equal(class_of(), COMMAND_CLASS_D);
    begin(CTL_OP_VD_SET);
    command.args.vd_set.write_policy = WRITE_POLICY_ALWAYS_WRITE_BACK; /* not among the fields */
    command.args.vd_set.fields = VD_SET_STRIPE_LOG;
    command.args.vd_set.stripe_log = true;
    assert_int_equal(class_of(), COMMAND_CLASS_O);
    command.args.vd_set.stripe_log = false; /* as an older backend says it */
    assert_int_equal(class_of(), COMMAND_CLASS_D);
    command.args.vd_set.fields = VD_SET_STRIPE_LOG_MODE;
    command.args.vd_set.stripe_log_mode = STRIPE_LOG_MODE_AUTO;
    assert_int_equal(class_of(), COMMAND_CLASS_O);
}

/* Each setting on which it depends that a loss is made good, or noticed in time. */
static void test_what_weakens_repair(void **state UNUSED)
{
    static const struct {
        uint32_t field;
        uint32_t weak, strong;
        size_t offset;
        size_t bytes;
    } settings[] = {
#define SETTING(field_, member, weak_, strong_)                                                    \
    {CONTROLLER_SET_##field_, weak_, strong_,                                                      \
     offsetof(struct ctl_command, args.controller_set.member),                                     \
     sizeof(command.args.controller_set.member)}
        SETTING(REBUILD_RATE, rebuild_rate_percent, 9, 10),
        SETTING(BGI_RATE, bgi_rate_percent, 0, 10),
        SETTING(PATROL_RATE, patrol_rate_percent, 0, 10),
        SETTING(PATROL_DELAY, patrol_delay_hours, 8760, 744),
        SETTING(PATROL_MODE, patrol_mode, PATROL_MODE_MANUAL, PATROL_MODE_AUTO),
        SETTING(PATROL_MODE, patrol_mode, PATROL_MODE_DISABLED, PATROL_MODE_AUTO),
        SETTING(AUTO_REBUILD, auto_rebuild, false, true),
        SETTING(EMERGENCY_SPARE, emergency_spare, false, true),
        SETTING(EMERGENCY_UNCONFIGURED, emergency_unconfigured, false, true),
        SETTING(MIXED_MEDIA, mixed_media, false, true),
        SETTING(MIXED_INTERFACES, mixed_interfaces, false, true),
        SETTING(PREDICTIVE_COPYBACK, predictive_copyback, false, true),
#undef SETTING
    };

    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        for (unsigned strong = 0; strong < 2; strong++) {
            uint32_t value = strong ? settings[i].strong : settings[i].weak;

            begin(CTL_OP_CONTROLLER_SET);
            command.args.controller_set.fields = settings[i].field;
            memcpy((uint8_t *)&command + settings[i].offset, &value, settings[i].bytes);
            assert_int_equal(class_of(), strong ? COMMAND_CLASS_O : COMMAND_CLASS_D);
        }
    }
    begin(CTL_OP_CONTROLLER_SET);
    command.args.controller_set.fields = CONTROLLER_SET_PATROL_NEXT;
    assert_int_equal(class_of(), COMMAND_CLASS_D);
}

static void test_a_name_is_remembered(void **state UNUSED)
{
    struct virtual_drive_view vd;
    const struct ctl_host *host = NULL;
    object_key_t key;

    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "first"), REASON_OK);
    host = ctl_host_of(world->ctl);
    assert_true(world_vd(world, "first", &vd, key));
    begin(CTL_OP_VD_SET);
    memcpy(command.args.vd_set.vd, key, sizeof(command.args.vd_set.vd));
    command.args.vd_set.fields = VD_SET_NAME;
    strcpy(command.args.vd_set.name, "first");
    assert_int_equal(class_of(), COMMAND_CLASS_O); /* the name it has */
    strcpy(command.args.vd_set.name, "second");
    assert_int_equal(class_of(), COMMAND_CLASS_D);
    assert_false(ctl_host_name_is_recent(host, "first"));
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(ctl_host_name_is_recent(host, "first"));
    assert_false(ctl_host_name_is_recent(host, "second"));
    world_settle(world, UINT64_C(3601) * 1000000);
    assert_false(ctl_host_name_is_recent(host, "first"));

    /* As long as it can be restored, also over a restart; no name is chosen that would be one. */
    assert_int_equal(world_delete(world, "second"), REASON_OK);
    world_settle(world, UINT64_C(3601) * 1000000);
    assert_true(ctl_host_name_is_recent(host, "second"));
    world_restart(world);
    assert_true(ctl_host_name_is_recent(ctl_host_of(world->ctl), "second"));
}

static void test_a_chosen_name_is_new(void **state UNUSED)
{
    struct virtual_drive_view vd;

    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, ""), REASON_OK);
    assert_true(world_vd(world, "vd0", &vd, NULL));
    assert_int_equal(world_delete(world, "vd0"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, ""), REASON_OK);
    assert_false(world_vd(world, "vd0", &vd, NULL));
    assert_true(world_vd(world, "vd1", &vd, NULL));
}

static int setup(void **state UNUSED)
{
    struct virtual_drive_view vd;

    world = world_new(1, 5);
    world_start(world);
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 2, 2, "gone"), REASON_OK);
    assert_true(world_vd(world, "gone", &vd, NULL));
    assert_int_equal(world_delete(world, "gone"), REASON_OK);
    return 0;
}

static int teardown(void **state UNUSED)
{
    world_stop(world);
    world_free(world);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_row_holds_when_its_condition_does, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_what_weakens_repair, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_strengthens_is_light, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_name_is_remembered, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_chosen_name_is_new, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
