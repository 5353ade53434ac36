/*
 * The battery on the controller: its document, its commands and events, and the write policies
 * that follow it.
 */
#include <string.h>

#include "ctl/battery_record.h"
#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define HOUR (60 * MINUTE)

#define EVENT_RESTORED 194
#define EVENT_LOWERED 195
#define EVENT_FORCED 60034
#define EVENT_STATE 60030

static struct ctl_world *world_of_drives(enum battery_kind kind, uint32_t drives)
{
    struct ctl_world *world = world_new(1, drives);

    world->battery = (struct ctl_battery_options){.fitted = true,
                                                  .kind = kind,
                                                  .source = "ups@127.0.0.1:3493",
                                                  .speed = 1,
                                                  .shutdown_s = 60,
                                                  .profile = {.name = "smart",
                                                              .model = "LSIiBBU01",
                                                              .smart = true,
                                                              .design_capacity_mah = 1500,
                                                              .design_voltage_mv = 3700,
                                                              .retention_s = 72 * 3600,
                                                              .charge_s = 4 * 3600,
                                                              .ready_percent = 60,
                                                              .low_percent = 20,
                                                              .worn_percent = 50,
                                                              .hot_c = 55,
                                                              .has_learn = true,
                                                              .learn_discharge_s = 2 * 3600,
                                                              .learn_period_days = 28}};
    if (kind == BATTERY_KIND_UPS) {
        world->battery.settle_us = 10 * SIM_SECOND;
    }
    return world;
}

static struct ctl_world *world_of(enum battery_kind kind)
{
    return world_of_drives(kind, 8);
}

static void start_with_cache(struct ctl_world *world)
{
    world_start(world);
    ctl_write_medium(world->ctl, WRITE_MEDIUM_SHARED_MEMORY, MIB);
    world_settle(world, SIM_SECOND);
}

static enum reason_code create_with(struct ctl_world *world, const char *name, uint32_t first,
                                    enum write_policy policy)
{
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_1, first, 2, name);

    command->args.vd_create.write_policy = policy;
    return world_run(world, command);
}

struct found_battery {
    bool found;
    struct object_head head;
    struct battery_view view;
    struct battery_reading reading;
};

static void find_battery(void *context, const struct object_head *head, const void *view)
{
    struct found_battery *found = context;

    if (head->kind == OBJECT_KIND_BATTERY) {
        found->found = true;
        found->head = *head;
        found->view = *(const struct battery_view *)view;
        found->reading = *found->view.reading;
    }
}

static struct found_battery battery_of(struct ctl_world *world)
{
    struct found_battery found = {.found = false};
    const struct ctl_visitor visitor = {.object = find_battery, .context = &found};

    ctl_objects_since(world->ctl, 0, &visitor);
    return found;
}

static void expect_policy(struct ctl_world *world, const char *name, enum write_policy effective,
                          enum reason_code code)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    assert_string_equal(view.policies.write_policy.effective, write_policy_word(effective));
    assert_string_equal(reason_code_word(view.policies.write_policy.reason.code),
                        reason_code_word(code));
}

static void expect_finding(struct ctl_world *world, enum finding_code code, const char *what)
{
    const struct finding *finding = world_finding(world, code, NULL);
    char text[REASON_TEXT_MAX];

    assert_non_null(finding);
    (void)reason_text(&finding->what, text, sizeof(text));
    assert_string_equal(text, what);
}

static enum reason_code fault(struct ctl_world *world, enum battery_fault kind)
{
    struct ctl_command command = {.op = CTL_OP_BATTERY_FAULT};

    strcpy(command.args.battery_fault.battery, "c0-bbu");
    command.args.battery_fault.fault = kind;
    return world_run(world, &command);
}

static enum reason_code learn(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_BATTERY_LEARN};

    strcpy(command.args.battery.battery, "c0-bbu");
    return world_run(world, &command);
}

static enum reason_code set_mode(struct ctl_world *world, enum learn_mode mode)
{
    struct ctl_command command = {.op = CTL_OP_BATTERY_SET};

    strcpy(command.args.battery_set.battery, "c0-bbu");
    command.args.battery_set.fields = BATTERY_SET_LEARN_MODE;
    command.args.battery_set.learn_mode = mode;
    return world_run(world, &command);
}

static enum reason_code set_date(struct ctl_world *world, uint64_t next_us)
{
    struct ctl_command command = {.op = CTL_OP_BATTERY_SET};

    strcpy(command.args.battery_set.battery, "c0-bbu");
    command.args.battery_set.fields = BATTERY_SET_NEXT_LEARN;
    command.args.battery_set.next_learn_us = next_us;
    return world_run(world, &command);
}

static void without_a_battery_there_is_no_object(void **state)
{
    struct ctl_world *world = world_new(1, 4);

    (void)state;
    start_with_cache(world);
    assert_int_equal(world_count(world, OBJECT_KIND_BATTERY), 0);
    assert_int_equal(fault(world, BATTERY_FAULT_FAIL), REASON_UNKNOWN_OBJECT);
    assert_int_equal(learn(world), REASON_UNKNOWN_OBJECT);
    assert_int_equal(set_mode(world, LEARN_MODE_AUTO), REASON_UNKNOWN_OBJECT);
    world_free(world);
}

static void without_cache_memory_nothing_is_claimed(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);

    (void)state;
    world_start(world);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_NO_CACHE_MEMORY);
    assert_false(battery_of(world).view.protects);
    assert_int_equal(world_event_count(world, 0, EVENT_LOWERED), 0);
    world_free(world);
}

static void the_document_tells_state_figures_and_learn_settings(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);
    struct found_battery found;

    (void)state;
    start_with_cache(world);
    found = battery_of(world);
    assert_true(found.found);
    assert_string_equal(found.head.key, "c0-bbu");
    assert_string_equal(found.view.path, "/c0/bbu");
    assert_true(found.view.protects);
    assert_int_equal(found.reading.state, BATTERY_STATE_OPTIMAL);
    assert_int_equal(found.reading.charge_percent, 100);
    assert_int_equal(found.reading.learn.mode, LEARN_MODE_AUTO);
    assert_int_equal(found.view.fault_count, 0);
    assert_int_equal(found.view.blocked.count, 0);
    assert_int_equal(world_event_count(world, 0, 141), 1);
    world_free(world);
}

static void figures_move_rev_only(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);
    struct found_battery before, after;

    (void)state;
    start_with_cache(world);
    assert_int_equal(fault(world, BATTERY_FAULT_POWER_OFF), REASON_OK);
    world_settle(world, SIM_SECOND);
    before = battery_of(world);
    world_settle(world, 2 * HOUR);
    after = battery_of(world);
    assert_int_not_equal(after.reading.charge_percent, before.reading.charge_percent);
    assert_true(after.head.rev > before.head.rev);
    assert_int_equal(after.head.config_rev, before.head.config_rev);
    assert_int_equal(fault(world, BATTERY_FAULT_CLEAR), REASON_OK);
    assert_true(battery_of(world).head.config_rev > before.head.config_rev);
    world_free(world);
}

static void write_back_follows_the_battery_at_once(void **state)
{
    static const struct {
        enum battery_fault fault;
        enum reason_code code;
        enum write_policy always; /* the other virtual drive's */
    } cases[] = {
        {BATTERY_FAULT_FAIL, REASON_WRITE_POLICY_BATTERY_FAILED, WRITE_POLICY_ALWAYS_WRITE_BACK},
        {BATTERY_FAULT_REMOVE, REASON_WRITE_POLICY_BATTERY_MISSING, WRITE_POLICY_ALWAYS_WRITE_BACK},
        {BATTERY_FAULT_OVERHEAT, REASON_WRITE_POLICY_BATTERY_DEGRADED,
         WRITE_POLICY_ALWAYS_WRITE_BACK},
        {BATTERY_FAULT_WEAR_OUT, REASON_WRITE_POLICY_BATTERY_DEGRADED,
         WRITE_POLICY_ALWAYS_WRITE_BACK},
        {BATTERY_FAULT_POWER_OFF, REASON_WRITE_POLICY_ON_BATTERY, WRITE_POLICY_WRITE_THROUGH},
        {BATTERY_FAULT_LOW_CHARGE, REASON_WRITE_POLICY_BATTERY_LOW, WRITE_POLICY_ALWAYS_WRITE_BACK},
    };
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);
    uint32_t from = 0;

    (void)state;
    start_with_cache(world);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    assert_int_equal(create_with(world, "bold", 2, WRITE_POLICY_ALWAYS_WRITE_BACK), REASON_OK);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
        expect_policy(world, "bold", WRITE_POLICY_ALWAYS_WRITE_BACK, REASON_AS_REQUESTED);
        from = world->log_count;
        assert_int_equal(fault(world, cases[i].fault), REASON_OK);
        /* When the command has ended the policy has moved and the event is out. */
        expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, cases[i].code);
        assert_int_equal(world_event_count(world, from, EVENT_STATE), 1);
        if (cases[i].always == WRITE_POLICY_WRITE_THROUGH) {
            assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 2);
        } else {
            expect_policy(world, "bold", cases[i].always, REASON_WRITE_POLICY_FORCED);
            assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 1);
            assert_int_equal(world_event_count(world, from, EVENT_FORCED), 1);
        }
        assert_false(battery_of(world).view.protects);
        assert_int_equal(battery_of(world).view.fault_count, 1);
        from = world->log_count;
        assert_int_equal(fault(world, BATTERY_FAULT_CLEAR), REASON_OK);
        world_settle(world, 5 * HOUR); /* charged again */
        assert_in_range(world_event_count(world, from, EVENT_RESTORED), 1, 2);
    }
    world_free(world);
}

static void real_drives_are_not_protected_by_an_emulated_battery(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);
    struct virtual_drive_view view;

    (void)state;
    world->slots[1].real = true;
    start_with_cache(world);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_BATTERY_EMULATED);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_string_equal(view.policies.write_policy.reason.params[0].value, "/c0/e252/s1");
    assert_int_equal(world_event_count(world, 0, EVENT_LOWERED), 1);
    world_free(world);
}

static void a_controllers_rule_is_kept(void **state)
{
    struct ctl_world *world = world_new(1, 8);
    struct ctl_command set = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    (void)state;
    /* Refuse: it cannot even be asked for. */
    world->profile.no_battery_rule = NO_BATTERY_RULE_REFUSE;
    start_with_cache(world);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK),
                     REASON_WRITE_POLICY_REFUSED);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_THROUGH), REASON_OK);
    assert_true(world_vd(world, "data", &view, set.args.vd_set.vd));
    set.args.vd_set.fields = VD_SET_WRITE_POLICY;
    set.args.vd_set.write_policy = WRITE_POLICY_ALWAYS_WRITE_BACK;
    assert_int_equal(world_run(world, &set), REASON_WRITE_POLICY_REFUSED);
    world_stop(world);
    /* Revert: it holds until the restart, and says so before and after. */
    world->profile.no_battery_rule = NO_BATTERY_RULE_REVERT;
    start_with_cache(world);
    set.args.vd_set.write_policy = WRITE_POLICY_WRITE_BACK;
    assert_int_equal(world_run(world, &set), REASON_OK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_WRITE_POLICY_UNTIL_RESTART);
    assert_int_equal(world_event_count(world, 0, EVENT_FORCED), 1);
    world_stop(world);
    start_with_cache(world);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_REVERTED);
    assert_int_equal(world_event_count(world, 0, EVENT_LOWERED), 1);
    world_free(world);
}

static void a_models_levels_are_kept(void **state)
{
    struct ctl_world *world = world_new(1, 8);

    (void)state;
    world->profile.levels[RAID_LEVEL_6].drives_min = 5; /* as on the 9690SA */
    world->profile.levels[RAID_LEVEL_60].offered = false;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_6, 0, 4, "six"), REASON_TOO_FEW_DRIVES);
    assert_non_null(strstr(world->text, "at least 5 drives"));
    assert_int_equal(world_create(world, RAID_LEVEL_60, 0, 8, "sixty"), REASON_LEVEL_UNSUPPORTED);
    assert_int_equal(world_create(world, RAID_LEVEL_6, 0, 5, "six"), REASON_OK);
    world_free(world);
}

static void a_learn_cycle_is_announced_and_write_back_waits_for_it(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);
    uint64_t wall_us = 0;
    uint32_t from = 0;

    (void)state;
    start_with_cache(world);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    wall_us = clock_wall_us(sim_world_clock(world->sim));
    assert_int_equal(set_date(world, wall_us + 6 * HOUR), REASON_OK);
    assert_int_equal(world_event_count(world, 0, 60033), 1);
    world_settle(world, 2 * HOUR);
    from = world_event(world, 0, 160); /* in 5 hours */
    assert_int_not_equal(from, UINT32_MAX);
    assert_non_null(strstr(world->log[from].text, "write-back is suspended then"));
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    world_settle(world, 5 * HOUR);
    assert_int_equal(world_event_count(world, from, 151), 1);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_BATTERY_LEARNING);
    expect_finding(world, FINDING_WRITE_POLICY_WAITS,
                   "Virtual drive \"data\" uses write-through instead of write-back for now.");
    assert_null(world_finding(world, FINDING_WRITE_POLICY_LOWERED, NULL));
    assert_int_equal(learn(world), REASON_LEARN_RUNNING);
    world_settle(world, 6 * HOUR);
    assert_null(world_finding(world, FINDING_WRITE_POLICY_WAITS, NULL));
    assert_int_equal(world_event_count(world, from, 153), 1);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 1);
    assert_int_equal(world_event_count(world, from, EVENT_RESTORED), 1);
    world_free(world);
}

static void learn_settings_are_checked_and_kept(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);
    uint64_t wall_us = 0;

    (void)state;
    start_with_cache(world);
    wall_us = clock_wall_us(sim_world_clock(world->sim));
    assert_int_equal(set_date(world, wall_us - 1), REASON_LEARN_DATE_PAST);
    assert_int_equal(set_mode(world, LEARN_MODE_MAX), REASON_INVALID_ARGUMENT);
    assert_int_equal(set_mode(world, LEARN_MODE_DISABLED), REASON_OK);
    assert_int_equal(learn(world), REASON_LEARN_DISABLED);
    assert_int_equal(set_date(world, wall_us + HOUR), REASON_LEARN_DATE_MODE);
    assert_int_equal(battery_of(world).reading.learn.next_us, 0);
    assert_int_equal(battery_of(world).view.blocked.count, 1);
    world_restart(world);
    assert_int_equal(battery_of(world).reading.learn.mode, LEARN_MODE_DISABLED);
    assert_int_equal(set_mode(world, LEARN_MODE_MANUAL), REASON_OK);
    assert_int_equal(learn(world), REASON_OK);
    world_free(world);
}

static void a_full_store_changes_no_setting(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);
    uint32_t from = 0;

    (void)state;
    start_with_cache(world);
    world->store->fail_with = -ENOSPC;
    from = world->log_count;
    assert_int_equal(set_mode(world, LEARN_MODE_DISABLED), REASON_STORE_FULL);
    world->store->fail_with = 0;
    assert_int_equal(battery_of(world).reading.learn.mode, LEARN_MODE_AUTO);
    assert_int_equal(world_event_count(world, from, 60033), 0);
    world_free(world);
}

static void its_history_outlives_a_restart(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_EMULATED);

    (void)state;
    start_with_cache(world);
    assert_int_equal(learn(world), REASON_OK);
    world_settle(world, 8 * HOUR);
    assert_int_equal(battery_of(world).reading.cycle_count, 1);
    assert_int_equal(fault(world, BATTERY_FAULT_LOW_CHARGE), REASON_OK);
    world_stop(world);
    start_with_cache(world);
    assert_int_equal(battery_of(world).reading.cycle_count, 1);
    assert_int_equal(battery_of(world).reading.charge_percent, 10);
    assert_int_equal(battery_of(world).reading.state, BATTERY_STATE_CHARGING);
    world_stop(world);
    /* Another pack is a new one. */
    strcpy(world->battery.profile.name, "other");
    start_with_cache(world);
    assert_int_equal(battery_of(world).reading.cycle_count, 0);
    assert_int_equal(battery_of(world).reading.charge_percent, 100);
    world_free(world);
}

/* The calendar, step by step; and what a cycle comes to that is disturbed. */
static void learn_cycles_are_announced_and_disturbed(void **state)
{
    struct ctl_world *world = world_of_drives(BATTERY_KIND_EMULATED, 1);
    uint64_t wall_us = 0;
    uint32_t from = 0;

    (void)state;
    world->battery.profile.learn_period_days = 5; /* every day of it is lived second by second */
    start_with_cache(world);
    world_settle(world, 6 * 24 * HOUR);
    assert_int_equal(world_event_count(world, 0, 157), 1); /* in 4 days */
    assert_int_equal(world_event_count(world, 0, 158), 1);
    assert_int_equal(world_event_count(world, 0, 159), 1);
    assert_int_equal(world_event_count(world, 0, 160), 1);
    assert_int_equal(world_event_count(world, 0, 151), 1);
    wall_us = clock_wall_us(sim_world_clock(world->sim));
    assert_int_equal(set_date(world, wall_us + HOUR), REASON_OK);
    assert_int_equal(set_date(world, wall_us + 3 * HOUR), REASON_OK);
    assert_int_equal(world_event_count(world, 0, 156), 1); /* postponed */
    from = world->log_count;
    assert_int_equal(set_mode(world, LEARN_MODE_WARN), REASON_OK);
    world_settle(world, 4 * HOUR);
    assert_int_equal(world_event_count(world, from, 253), 1); /* start it by hand */
    expect_finding(world, FINDING_BATTERY_LEARN_DUE, "A learn cycle of battery /c0/bbu is due.");
    assert_int_equal(set_mode(world, LEARN_MODE_DISABLED), REASON_OK);
    assert_null(world_finding(world, FINDING_BATTERY_LEARN_DUE, NULL));
    world_settle(world, HOUR);
    assert_int_equal(world_event_count(world, from, 307), 1); /* due, but disabled */
    assert_int_equal(set_mode(world, LEARN_MODE_MANUAL), REASON_OK);
    assert_int_equal(learn(world), REASON_OK);
    world_settle(world, HOUR);
    assert_int_equal(fault(world, BATTERY_FAULT_FAIL), REASON_OK);
    assert_int_equal(world_event_count(world, from, 60032), 1); /* failed */
    assert_int_equal(fault(world, BATTERY_FAULT_CLEAR), REASON_OK);
    world_settle(world, 6 * HOUR);
    assert_int_equal(learn(world), REASON_OK);
    world_settle(world, HOUR);
    assert_int_equal(fault(world, BATTERY_FAULT_POWER_OFF), REASON_OK);
    world_settle(world, 24 * HOUR);
    assert_in_range(world_event_count(world, from, 155), 1, 2); /* pending */
    assert_int_equal(world_event_count(world, from, 154), 1); /* timed out */
    world_free(world);
}

/* A UPS */

static struct battery_reading ups_reading(enum battery_state ups_state, int64_t left_s)
{
    struct battery_reading reading;

    battery_reading_init(&reading);
    reading.state = ups_state;
    reading.smart = true;
    reading.charge_percent = 100;
    reading.left_s = left_s;
    reading.low_left_s = 120;
    reason_set(&reading.state_reason, REASON_BATTERY_OK, NULL);
    return reading;
}

/* Every two seconds, as a poll does. */
static void ups_says(struct ctl_world *world, enum battery_state ups_state, int64_t left_s,
                     uint32_t times)
{
    const struct battery_reading reading = ups_reading(ups_state, left_s);

    for (uint32_t i = 0; i < times; i++) {
        ctl_battery_reading(world->ctl, &reading);
        world_settle(world, 2 * SIM_SECOND);
    }
}

static void a_ups_is_not_believed_before_it_has_been_heard(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_UPS);

    (void)state;
    start_with_cache(world);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_UPS_SILENT);
    ups_says(world, BATTERY_STATE_OPTIMAL, 3600, 4);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_UPS_SILENT);
    ups_says(world, BATTERY_STATE_OPTIMAL, 3600, 4);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    /* 1 MiB/s × (3600 − 120 − 60) ÷ 2 */
    assert_int_equal(ctl_dirty_limit_bytes(world->ctl), MIB * 3420 / 2);
    assert_int_equal(learn(world), REASON_LEARN_UNSUPPORTED);
    assert_int_equal(fault(world, BATTERY_FAULT_FAIL), REASON_BATTERY_NOT_EMULATED);
    world_free(world);
}

static void on_battery_and_unknown_runtime_mean_write_through(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_UPS);
    uint32_t from = 0;

    (void)state;
    start_with_cache(world);
    ups_says(world, BATTERY_STATE_OPTIMAL, 3600, 8);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    from = world->log_count;
    ups_says(world, BATTERY_STATE_DISCHARGING, 3600, 1); /* at once */
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_ON_BATTERY);
    assert_int_equal(world_event_count(world, from, 60035), 1);
    assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 1);
    ups_says(world, BATTERY_STATE_LOW, 100, 1); /* in the middle of everything */
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_BATTERY_LOW);
    ups_says(world, BATTERY_STATE_OPTIMAL, 3600, 8);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_int_equal(world_event_count(world, from, 60036), 1);
    assert_int_equal(world_event_count(world, from, EVENT_RESTORED), 1);
    ups_says(world, BATTERY_STATE_OPTIMAL, BATTERY_UNKNOWN, 1);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH,
                  REASON_WRITE_POLICY_UPS_RUNTIME_UNKNOWN);
    ups_says(world, BATTERY_STATE_OPTIMAL, 180, 8); /* 120 + 60: not a second is left */
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_UPS_RUNTIME);
    assert_int_equal(ctl_dirty_limit_bytes(world->ctl), UINT64_MAX); /* nothing is protected */
    ups_says(world, BATTERY_STATE_OPTIMAL, 181, 8);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_int_equal(ctl_dirty_limit_bytes(world->ctl), MIB / 2);
    world_free(world);
}

static void a_flapping_ups_moves_the_policy_once(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_UPS);
    uint32_t from = 0;

    (void)state;
    start_with_cache(world);
    ups_says(world, BATTERY_STATE_OPTIMAL, 3600, 8);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    from = world->log_count;
    for (uint32_t i = 0; i < 200; i++) {
        ups_says(world, BATTERY_STATE_UNKNOWN, BATTERY_UNKNOWN, 1);
        ups_says(world, BATTERY_STATE_OPTIMAL, 3600, 2);
        ups_says(world, BATTERY_STATE_LOW, 100, 1);
        ups_says(world, BATTERY_STATE_OPTIMAL, i % 2 == 0 ? 60 : 3600, 1);
        expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_BATTERY_LOW);
    }
    assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 1);
    assert_int_equal(world_event_count(world, from, EVENT_RESTORED), 0);
    assert_in_range(world_event_count(world, from, EVENT_STATE), 1, 2);
    ups_says(world, BATTERY_STATE_OPTIMAL, 3600, 8);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_int_equal(world_event_count(world, from, EVENT_RESTORED), 1);
    world_free(world);
}

static void a_persistent_medium_needs_no_battery(void **state)
{
    struct ctl_world *world = world_of(BATTERY_KIND_CACHEVAULT);
    struct ctl_command command = {.op = CTL_OP_BATTERY_LEARN};

    (void)state;
    world_start(world);
    assert_int_equal(battery_of(world).reading.state, BATTERY_STATE_MISSING);
    assert_false(battery_of(world).view.protects);
    ctl_write_medium(world->ctl, WRITE_MEDIUM_PERSISTENT, 0);
    assert_int_equal(create_with(world, "data", 0, WRITE_POLICY_WRITE_BACK), REASON_OK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_string_equal(battery_of(world).view.path, "/c0/cv");
    assert_true(battery_of(world).view.protects);
    assert_int_equal(ctl_dirty_limit_bytes(world->ctl), UINT64_MAX);
    strcpy(command.args.battery.battery, "c0-cv");
    assert_int_equal(world_run(world, &command), REASON_BATTERY_IS_PERSISTENT);
    world_free(world);
}

static void a_damaged_record_is_refused(void **state)
{
    const struct emulated_battery_memory memory = {.charge_ppm = 500000,
                                                   .full_ppm = 900000,
                                                   .cycle_count = 7,
                                                   .mode = LEARN_MODE_WARN,
                                                   .next_learn_us = 1234567,
                                                   .planned_learn_us = 1000000,
                                                   .last_learn_us = 7654321,
                                                   .has_result = true,
                                                   .last_result = LEARN_RESULT_TIMED_OUT};
    struct emulated_battery_memory out = {.cycle_count = 99};
    uint8_t bytes[BATTERY_RECORD_BYTES];

    (void)state;
    battery_record_encode("smart", &memory, bytes);
    assert_int_equal(battery_record_decode(bytes, sizeof(bytes) - 1, "smart", &out), -EBADMSG);
    assert_int_equal(battery_record_decode(bytes, sizeof(bytes), "plain", &out), -ESTALE);
    for (size_t i = 0; i < sizeof(bytes) * 8; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(battery_record_decode(bytes, sizeof(bytes), "smart", &out), -EBADMSG);
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    assert_int_equal(out.cycle_count, 99);
    assert_int_equal(battery_record_decode(bytes, sizeof(bytes), "smart", &out), 0);
    assert_memory_equal(&out, &memory, sizeof(out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_battery_there_is_no_object),
        cmocka_unit_test(without_cache_memory_nothing_is_claimed),
        cmocka_unit_test(the_document_tells_state_figures_and_learn_settings),
        cmocka_unit_test(figures_move_rev_only),
        cmocka_unit_test(write_back_follows_the_battery_at_once),
        cmocka_unit_test(real_drives_are_not_protected_by_an_emulated_battery),
        cmocka_unit_test(a_controllers_rule_is_kept),
        cmocka_unit_test(a_models_levels_are_kept),
        cmocka_unit_test(a_learn_cycle_is_announced_and_write_back_waits_for_it),
        cmocka_unit_test(learn_settings_are_checked_and_kept),
        cmocka_unit_test(a_full_store_changes_no_setting),
        cmocka_unit_test(its_history_outlives_a_restart),
        cmocka_unit_test(learn_cycles_are_announced_and_disturbed),
        cmocka_unit_test(a_ups_is_not_believed_before_it_has_been_heard),
        cmocka_unit_test(on_battery_and_unknown_runtime_mean_write_through),
        cmocka_unit_test(a_flapping_ups_moves_the_policy_once),
        cmocka_unit_test(a_persistent_medium_needs_no_battery),
        cmocka_unit_test(a_damaged_record_is_refused),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("ctl/battery", tests, NULL, NULL);
}
