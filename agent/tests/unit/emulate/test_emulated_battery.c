/*
 * The emulated battery: charge and its limits, states and faults, learn cycles and their
 * calendar.
 */
#include "aw_test.h"

#include <string.h>

#include "emulate/emulated_battery.h"

#define SECOND UINT64_C(1000000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define WALL (UINT64_C(1700000000) * SECOND)

struct life {
    struct emulated_battery *battery;
    uint64_t now_us;
    uint32_t notices; /* all so far */
    struct battery_reading reading;
};

static struct battery_profile smart_profile(void)
{
    return (struct battery_profile){.name = "smart",
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
                                    .learn_period_days = 28,
                                    .learn_wear_ppm = 2000};
}

static void live(struct life *life, uint64_t us)
{
    life->now_us += us;
    life->notices |= emulated_battery_advance(life->battery, life->now_us, WALL + life->now_us);
    emulated_battery_read(life->battery, &life->reading);
}

/* In steps, as the controller does. */
static void live_on(struct life *life, uint64_t us, uint64_t step_us)
{
    for (uint64_t done = 0; done < us; done += step_us) {
        live(life, step_us);
    }
}

static struct life life_of(const struct battery_profile *profile)
{
    struct life life = {.battery = emulated_battery_create(profile, NULL, 1, 0, WALL)};

    assert_non_null(life.battery);
    live(&life, 0);
    emulated_battery_read(life.battery, &life.reading);
    return life;
}

static void life_end(struct life *life)
{
    life->battery = emulated_battery_free(life->battery);
}

static void expect_state(const struct life *life, enum battery_state state, enum reason_code code)
{
    assert_string_equal(battery_state_word(life->reading.state), battery_state_word(state));
    assert_string_equal(reason_code_word(life->reading.state_reason.code), reason_code_word(code));
}

static void a_new_pack_is_full_and_in_good_health(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);
    assert_int_equal(life.reading.charge_percent, 100);
    assert_int_equal(life.reading.voltage_mv, 3700);
    assert_int_equal(life.reading.current_ma, 0);
    assert_int_equal(life.reading.temperature_c, 25);
    assert_int_equal(life.reading.full_capacity_mah, 1500);
    assert_int_equal(life.reading.left_s, 72 * 3600);
    assert_int_equal(life.reading.low_left_s, BATTERY_UNKNOWN);
    assert_true(life.reading.has_learn);
    assert_int_equal(life.reading.learn.next_us, WALL + 28 * DAY);
    life_end(&life);
}

static void without_power_it_keeps_the_cache_as_long_as_it_says(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_POWER_OFF);
    live(&life, 0);
    expect_state(&life, BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING);
    assert_true(life.reading.current_ma < 0);
    live(&life, 36 * HOUR);
    assert_in_range(life.reading.charge_percent, 49, 50);
    assert_in_range(life.reading.left_s, 35 * 3600, 36 * 3600);
    assert_true(life.reading.voltage_mv < 3700);
    live_on(&life, 24 * HOUR, HOUR);
    expect_state(&life, BATTERY_STATE_LOW, REASON_BATTERY_CHARGE_LOW);
    live(&life, 100 * HOUR);
    assert_int_equal(life.reading.charge_percent, 0); /* and not less */
    assert_int_equal(life.reading.left_s, 0);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_CLEAR);
    live(&life, 2 * HOUR);
    expect_state(&life, BATTERY_STATE_CHARGING, REASON_BATTERY_CHARGING);
    assert_in_range(life.reading.charge_percent, 49, 50);
    assert_true(life.reading.current_ma > 0);
    live(&life, HOUR);
    expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);
    assert_int_equal(life.notices & BATTERY_NOTICE_CHARGED, 0);
    live(&life, 2 * HOUR);
    assert_int_equal(life.reading.charge_percent, 100);
    assert_true((life.notices & BATTERY_NOTICE_CHARGED) != 0);
    life_end(&life);
}

static void small_steps_and_large_ones_lead_to_the_same(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life fine = life_of(&profile);
    struct life coarse = life_of(&profile);

    (void)state;
    emulated_battery_fault_set(fine.battery, BATTERY_FAULT_LOW_CHARGE);
    emulated_battery_fault_set(coarse.battery, BATTERY_FAULT_LOW_CHARGE);
    emulated_battery_fault_set(fine.battery, BATTERY_FAULT_CLEAR);
    emulated_battery_fault_set(coarse.battery, BATTERY_FAULT_CLEAR);
    live_on(&fine, HOUR, SECOND);
    live(&coarse, HOUR);
    assert_true(fine.reading.charge_percent - coarse.reading.charge_percent <= 1 &&
                coarse.reading.charge_percent - fine.reading.charge_percent <= 1);
    life_end(&fine);
    life_end(&coarse);
}

static void every_fault_has_its_state_and_clears(void **state)
{
    static const struct {
        enum battery_fault fault;
        enum battery_state state;
        enum reason_code code;
    } cases[] = {
        {BATTERY_FAULT_FAIL, BATTERY_STATE_FAILED, REASON_BATTERY_FAILED},
        {BATTERY_FAULT_REMOVE, BATTERY_STATE_MISSING, REASON_BATTERY_MISSING},
        {BATTERY_FAULT_LOW_CHARGE, BATTERY_STATE_LOW, REASON_BATTERY_CHARGE_LOW},
        {BATTERY_FAULT_OVERHEAT, BATTERY_STATE_DEGRADED, REASON_BATTERY_HOT},
        {BATTERY_FAULT_WEAR_OUT, BATTERY_STATE_DEGRADED, REASON_BATTERY_WORN},
        {BATTERY_FAULT_POWER_OFF, BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING},
    };
    struct battery_profile profile = smart_profile();

    (void)state;
    assert_int_equal(sizeof(cases) / sizeof(cases[0]), BATTERY_FAULT_CLEAR);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct life life = life_of(&profile);

        emulated_battery_fault_set(life.battery, cases[i].fault);
        assert_true(emulated_battery_has_fault(life.battery, cases[i].fault));
        live(&life, 0);
        expect_state(&life, cases[i].state, cases[i].code);
        live_on(&life, 2 * HOUR, 10 * SECOND); /* it lasts */
        expect_state(&life, cases[i].state, cases[i].code);
        if (cases[i].fault == BATTERY_FAULT_WEAR_OUT) { /* it holds less, and for less long */
            assert_int_equal(life.reading.health_percent, 40);
            assert_int_equal(life.reading.full_capacity_mah, 600);
            assert_int_equal(life.reading.retention_s, 72 * 3600 * 2 / 5);
        }
        emulated_battery_fault_set(life.battery, BATTERY_FAULT_CLEAR);
        live(&life, 5 * HOUR);
        expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);
        life_end(&life);
    }
}

static void a_missing_pack_tells_no_figures(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_REMOVE);
    live(&life, SECOND);
    assert_int_equal(life.reading.charge_percent, BATTERY_UNKNOWN);
    assert_int_equal(life.reading.left_s, BATTERY_UNKNOWN);
    life_end(&life);
}

static void a_plain_pack_tells_its_presence_only(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life;

    (void)state;
    profile.smart = false;
    profile.has_learn = false;
    life = life_of(&profile);
    expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_PRESENT);
    assert_int_equal(life.reading.charge_percent, BATTERY_UNKNOWN);
    assert_int_equal(life.reading.retention_s, 72 * 3600);
    assert_false(life.reading.has_learn);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_WEAR_OUT);
    live(&life, SECOND);
    expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_PRESENT);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_REMOVE);
    live(&life, SECOND);
    expect_state(&life, BATTERY_STATE_MISSING, REASON_BATTERY_MISSING);
    life_end(&life);
}

static void a_learn_cycle_empties_and_fills(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    assert_int_equal(emulated_battery_learn_start(life.battery), 0);
    EXPECT_ASSERT((void)emulated_battery_learn_start(life.battery));
    live(&life, 61 * SECOND);
    live(&life, HOUR);
    expect_state(&life, BATTERY_STATE_LEARNING, REASON_BATTERY_LEARNING);
    assert_true((life.notices & BATTERY_NOTICE_LEARN_STARTED) != 0);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_DISCHARGING);
    assert_true(emulated_battery_learns(life.battery));
    live(&life, HOUR);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_RECHARGING);
    expect_state(&life, BATTERY_STATE_LEARNING, REASON_BATTERY_LEARNING);
    live(&life, 4 * HOUR);
    expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);
    assert_true((life.notices & BATTERY_NOTICE_LEARN_PASSED) != 0);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_IDLE);
    assert_true(life.reading.learn.has_result);
    assert_int_equal(life.reading.learn.last_result, LEARN_RESULT_PASSED);
    assert_int_equal(life.reading.cycle_count, 1);
    assert_int_equal(life.reading.full_capacity_mah, 1497); /* a little worn */
    assert_int_equal(life.reading.learn.next_us, life.reading.learn.last_us + 28 * DAY);
    life_end(&life);
}

static void a_transparent_cycle_stays_ready(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life;
    int64_t lowest = 100;

    (void)state;
    profile.learn_is_transparent = true;
    life = life_of(&profile);
    (void)emulated_battery_learn_start(life.battery);
    for (uint32_t i = 0; i < 5 * 60; i++) {
        live(&life, 60 * SECOND);
        lowest = life.reading.charge_percent < lowest ? life.reading.charge_percent : lowest;
    }
    assert_true((life.notices & BATTERY_NOTICE_LEARN_PASSED) != 0);
    assert_in_range(lowest, 59, 60);
    assert_true(life.reading.learn.transparent);
    life_end(&life);
}

static void an_empty_pack_is_charged_first(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_LOW_CHARGE);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_CLEAR);
    assert_int_equal(emulated_battery_learn_start(life.battery), BATTERY_NOTICE_LEARN_PENDING);
    live(&life, SECOND);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_PENDING);
    live(&life, 3 * HOUR);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_CHARGING);
    assert_int_equal(life.notices & BATTERY_NOTICE_LEARN_STARTED, 0);
    live(&life, HOUR);
    assert_true((life.notices & BATTERY_NOTICE_LEARN_STARTED) != 0);
    life_end(&life);
}

static void a_cycle_fails_with_its_pack_or_runs_out_of_time(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    (void)emulated_battery_learn_start(life.battery);
    live(&life, HOUR);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_FAIL);
    live(&life, SECOND);
    assert_true((life.notices & BATTERY_NOTICE_LEARN_FAILED) != 0);
    assert_int_equal(life.reading.learn.last_result, LEARN_RESULT_FAILED);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_CLEAR);
    live(&life, 5 * HOUR);
    expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);

    (void)emulated_battery_learn_start(life.battery);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_LOW_CHARGE); /* it never fills */
    live(&life, 30 * HOUR);
    assert_true((life.notices & BATTERY_NOTICE_LEARN_TIMED_OUT) != 0);
    assert_false(emulated_battery_learns(life.battery));

    emulated_battery_fault_set(life.battery, BATTERY_FAULT_CLEAR);
    live(&life, 5 * HOUR);
    (void)emulated_battery_learn_start(life.battery);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_WEAR_OUT);
    live(&life, 10 * HOUR);
    assert_int_equal(life.reading.learn.last_result, LEARN_RESULT_FAILED);
    expect_state(&life, BATTERY_STATE_FAILED, REASON_BATTERY_LEARN_FAILED);
    life_end(&life);
}

static void a_power_failure_holds_a_cycle(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    (void)emulated_battery_learn_start(life.battery);
    live(&life, HOUR);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_DISCHARGING);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_POWER_OFF);
    live(&life, 60 * SECOND);
    expect_state(&life, BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_PENDING);
    life_end(&life);
}

static void an_automatic_cycle_is_announced_and_begins(void **state)
{
    static const struct {
        uint64_t before_us;
        uint32_t notice;
    } steps[] = {{4 * DAY, BATTERY_NOTICE_IN_4_DAYS},
                 {2 * DAY, BATTERY_NOTICE_IN_2_DAYS},
                 {DAY, BATTERY_NOTICE_IN_1_DAY},
                 {5 * HOUR, BATTERY_NOTICE_IN_5_HOURS}};
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    live(&life, 24 * DAY - HOUR);
    assert_int_equal(life.notices, 0);
    assert_int_equal(life.reading.learn.state, LEARN_STATE_IDLE);
    for (size_t i = 0; i < 4; i++) {
        life.notices = 0;
        live(&life, 28 * DAY - steps[i].before_us + 60 * SECOND - life.now_us);
        assert_int_equal(life.notices, steps[i].notice);
        life.notices = 0;
        live(&life, HOUR);
        assert_int_equal(life.notices, 0); /* once */
        assert_int_equal(life.reading.learn.state, LEARN_STATE_ANNOUNCED);
        expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);
    }
    live_on(&life, 5 * HOUR, 60 * SECOND);
    assert_true((life.notices & BATTERY_NOTICE_LEARN_STARTED) != 0);
    expect_state(&life, BATTERY_STATE_LEARNING, REASON_BATTERY_LEARNING);
    life_end(&life);
}

static void a_new_date_is_announced_anew(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);

    (void)state;
    emulated_battery_next_learn_set(life.battery, WALL + 3 * HOUR);
    live(&life, HOUR);
    assert_int_equal(life.notices, BATTERY_NOTICE_IN_5_HOURS); /* the nearest only */
    life.notices = 0;
    emulated_battery_next_learn_set(life.battery, WALL + 30 * HOUR);
    live(&life, HOUR);
    assert_int_equal(life.notices, BATTERY_NOTICE_IN_2_DAYS);
    life_end(&life);
}

/* By how much the next cycle is late: an earlier date is a plan of its own. */
static void a_postponed_cycle_says_by_how_much(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);
    uint64_t planned = WALL + 28 * DAY;

    (void)state;
    live(&life, 60 * SECOND);
    planned = life.reading.learn.next_us;
    assert_int_equal(life.reading.learn.delay_s, 0);
    emulated_battery_next_learn_set(life.battery, planned + 24 * HOUR);
    live(&life, 60 * SECOND);
    assert_int_equal(life.reading.learn.delay_s, 24 * 3600);
    emulated_battery_next_learn_set(life.battery, planned + 5 * HOUR);
    live(&life, 60 * SECOND);
    assert_int_equal(life.reading.learn.delay_s, 5 * 3600);
    emulated_battery_next_learn_set(life.battery, planned - 10 * DAY);
    live(&life, 60 * SECOND);
    assert_int_equal(life.reading.learn.delay_s, 0);
    emulated_battery_next_learn_set(life.battery, planned - 9 * DAY);
    live(&life, 60 * SECOND);
    assert_int_equal(life.reading.learn.delay_s, 24 * 3600);
    /* What an agent of an earlier version has kept says nothing of it. */
    emulated_battery_plan_restore(life.battery, planned, 0);
    live(&life, 60 * SECOND);
    assert_true(life.reading.learn.delay_s == BATTERY_UNKNOWN);
    life_end(&life);
}

static void other_modes_start_nothing(void **state)
{
    static const struct {
        enum learn_mode mode;
        uint32_t notice;
        enum learn_state learn;
        bool planned;
    } cases[] = {
        {LEARN_MODE_WARN, BATTERY_NOTICE_LEARN_NEEDED, LEARN_STATE_DUE, true},
        {LEARN_MODE_MANUAL, 0, LEARN_STATE_IDLE, false},
        {LEARN_MODE_DISABLED, BATTERY_NOTICE_LEARN_DUE_DISABLED, LEARN_STATE_IDLE, false},
    };
    struct battery_profile profile = smart_profile();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct life life = life_of(&profile);

        emulated_battery_mode_set(life.battery, cases[i].mode, WALL);
        live(&life, 27 * DAY);
        assert_int_equal(life.notices, 0);
        assert_int_equal(life.reading.learn.next_us != 0, cases[i].planned);
        live(&life, 2 * DAY);
        assert_int_equal(life.notices, cases[i].notice);
        life.notices = 0;
        live(&life, 2 * DAY);
        assert_int_equal(life.notices, 0);
        assert_int_equal(life.reading.learn.state, cases[i].learn);
        expect_state(&life, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);
        /* Automatic again: not out of the blue. */
        emulated_battery_mode_set(life.battery, LEARN_MODE_AUTO, WALL + life.now_us);
        live(&life, HOUR);
        assert_false(emulated_battery_learns(life.battery));
        life_end(&life);
    }
}

static void its_memory_outlives_a_restart(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = life_of(&profile);
    struct emulated_battery_memory memory;
    struct battery_reading before;

    (void)state;
    (void)emulated_battery_learn_start(life.battery);
    live(&life, 8 * HOUR);
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_LOW_CHARGE);
    emulated_battery_mode_set(life.battery, LEARN_MODE_WARN, WALL);
    live(&life, SECOND);
    before = life.reading;
    emulated_battery_remember(life.battery, &memory);
    life_end(&life);
    life.battery = emulated_battery_create(&profile, &memory, 1, life.now_us, WALL + life.now_us);
    emulated_battery_read(life.battery, &life.reading);
    assert_int_equal(life.reading.charge_percent, before.charge_percent);
    assert_int_equal(life.reading.full_capacity_mah, before.full_capacity_mah);
    assert_int_equal(life.reading.cycle_count, 1);
    assert_memory_equal(&life.reading.learn, &before.learn, sizeof(before.learn));
    expect_state(&life, BATTERY_STATE_CHARGING, REASON_BATTERY_CHARGING);
    life_end(&life);
}

static void time_may_be_quickened(void **state)
{
    struct battery_profile profile = smart_profile();
    struct life life = {.battery = emulated_battery_create(&profile, NULL, 3600, 0, WALL)};

    (void)state;
    emulated_battery_fault_set(life.battery, BATTERY_FAULT_POWER_OFF);
    live_on(&life, 36 * SECOND, SECOND); /* 36 hours */
    assert_in_range(life.reading.charge_percent, 48, 50);
    life_end(&life);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_pack_is_full_and_in_good_health),
        cmocka_unit_test(without_power_it_keeps_the_cache_as_long_as_it_says),
        cmocka_unit_test(small_steps_and_large_ones_lead_to_the_same),
        cmocka_unit_test(every_fault_has_its_state_and_clears),
        cmocka_unit_test(a_missing_pack_tells_no_figures),
        cmocka_unit_test(a_plain_pack_tells_its_presence_only),
        cmocka_unit_test(a_learn_cycle_empties_and_fills),
        cmocka_unit_test(a_transparent_cycle_stays_ready),
        cmocka_unit_test(an_empty_pack_is_charged_first),
        cmocka_unit_test(a_cycle_fails_with_its_pack_or_runs_out_of_time),
        cmocka_unit_test(a_power_failure_holds_a_cycle),
        cmocka_unit_test(an_automatic_cycle_is_announced_and_begins),
        cmocka_unit_test(a_new_date_is_announced_anew),
        cmocka_unit_test(a_postponed_cycle_says_by_how_much),
        cmocka_unit_test(other_modes_start_nothing),
        cmocka_unit_test(its_memory_outlives_a_restart),
        cmocka_unit_test(time_may_be_quickened),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("emulate/battery", tests, NULL, NULL);
}
