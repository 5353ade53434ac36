/*
 * The rule of the write policy: a table written by hand, every combination of facts against
 * a second statement of the rule, and the dirty limit of a UPS.
 */
#include "aw_test.h"

#include "cache/write_policy.h"

#define WT WRITE_POLICY_WRITE_THROUGH
#define WB WRITE_POLICY_WRITE_BACK
#define AWB WRITE_POLICY_ALWAYS_WRITE_BACK
#define NO_BATTERY BATTERY_KIND_MAX

/* Shared memory, all members emulated, a UPS that would do, a fresh wish. */
static struct write_policy_facts facts_of(enum write_policy requested, enum battery_kind kind,
                                          enum battery_state battery, enum no_battery_rule rule)
{
    return (struct write_policy_facts){.requested = requested,
                                       .medium = WRITE_MEDIUM_SHARED_MEMORY,
                                       .has_battery = kind != BATTERY_KIND_MAX,
                                       .kind = kind,
                                       .state = battery,
                                       .source = "ups@host",
                                       .rule = rule,
                                       .asked_since_start = true,
                                       .ups_runtime_is_known = true,
                                       .dirty_limit_bytes = 1};
}

static void expect(const struct write_policy_facts *facts, enum write_policy effective,
                   bool at_risk, enum reason_code code)
{
    struct write_policy_decision decision;

    write_policy_decide(facts, &decision);
    assert_int_equal(decision.effective, effective);
    assert_int_equal(decision.at_risk, at_risk);
    assert_int_equal(decision.reason.code, code);
    assert_int_equal(decision.reason.param_count,
                     code == REASON_WRITE_POLICY_BATTERY_EMULATED ||
                         code == REASON_WRITE_POLICY_UPS_SILENT ||
                         code == REASON_WRITE_POLICY_UPS_RUNTIME_UNKNOWN);
}

/* What a row of the table says for write-back and for "always", with a forcing controller. */
struct row {
    enum battery_kind kind;
    enum battery_state state;
    enum reason_code back_reason;   /* OK: write-back holds */
    enum reason_code always_reason; /* AS_REQUESTED, FORCED, or why it is write-through */
};

static const struct row rows[] = {
    {BATTERY_KIND_EMULATED, BATTERY_STATE_OPTIMAL, REASON_OK, REASON_AS_REQUESTED},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_CHARGING, REASON_WRITE_POLICY_BATTERY_CHARGING,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_DISCHARGING, REASON_WRITE_POLICY_ON_BATTERY,
     REASON_WRITE_POLICY_ON_BATTERY},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_LEARNING, REASON_WRITE_POLICY_BATTERY_LEARNING,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_LOW, REASON_WRITE_POLICY_BATTERY_LOW,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_DEGRADED, REASON_WRITE_POLICY_BATTERY_DEGRADED,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_FAILED, REASON_WRITE_POLICY_BATTERY_FAILED,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_MISSING, REASON_WRITE_POLICY_BATTERY_MISSING,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_EMULATED, BATTERY_STATE_UNKNOWN, REASON_WRITE_POLICY_BATTERY_UNKNOWN,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_UPS, BATTERY_STATE_OPTIMAL, REASON_OK, REASON_AS_REQUESTED},
    {BATTERY_KIND_UPS, BATTERY_STATE_CHARGING, REASON_WRITE_POLICY_BATTERY_CHARGING,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_UPS, BATTERY_STATE_DISCHARGING, REASON_WRITE_POLICY_ON_BATTERY,
     REASON_WRITE_POLICY_ON_BATTERY},
    {BATTERY_KIND_UPS, BATTERY_STATE_LEARNING, REASON_WRITE_POLICY_BATTERY_LEARNING,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_UPS, BATTERY_STATE_LOW, REASON_WRITE_POLICY_BATTERY_LOW,
     REASON_WRITE_POLICY_BATTERY_LOW},
    {BATTERY_KIND_UPS, BATTERY_STATE_DEGRADED, REASON_WRITE_POLICY_BATTERY_DEGRADED,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_UPS, BATTERY_STATE_FAILED, REASON_WRITE_POLICY_BATTERY_FAILED,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_UPS, BATTERY_STATE_MISSING, REASON_WRITE_POLICY_BATTERY_MISSING,
     REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_UPS, BATTERY_STATE_UNKNOWN, REASON_WRITE_POLICY_UPS_SILENT,
     REASON_WRITE_POLICY_FORCED},
    {NO_BATTERY, BATTERY_STATE_MISSING, REASON_WRITE_POLICY_NO_BATTERY, REASON_WRITE_POLICY_FORCED},
    {BATTERY_KIND_CACHEVAULT, BATTERY_STATE_OPTIMAL, REASON_WRITE_POLICY_NO_BATTERY,
     REASON_WRITE_POLICY_FORCED},
};

static bool always_row_is_through(const struct row *row)
{
    return row->always_reason != REASON_AS_REQUESTED &&
           row->always_reason != REASON_WRITE_POLICY_FORCED;
}

static void the_table_holds_where_write_back_may_be_forced(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        bool held = row->back_reason == REASON_OK;
        struct write_policy_facts facts =
            facts_of(WB, row->kind, row->state, NO_BATTERY_RULE_FORCE);

        expect(&facts, held ? WB : WT, false, held ? REASON_AS_REQUESTED : row->back_reason);
        facts.requested = AWB;
        expect(&facts, always_row_is_through(row) ? WT : AWB,
               row->always_reason == REASON_WRITE_POLICY_FORCED, row->always_reason);
        facts.requested = WT;
        expect(&facts, WT, false, REASON_AS_REQUESTED);
    }
}

static void a_refusing_controller_forces_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        bool held = row->back_reason == REASON_OK;
        struct write_policy_facts facts =
            facts_of(AWB, row->kind, row->state, NO_BATTERY_RULE_REFUSE);

        expect(&facts, held ? AWB : WT, false,
               row->always_reason == REASON_WRITE_POLICY_FORCED ? REASON_WRITE_POLICY_REFUSED
                                                                : row->always_reason);
    }
}

static void a_reverting_controller_forgets_at_the_restart(void **state)
{
    struct write_policy_facts facts =
        facts_of(WB, NO_BATTERY, BATTERY_STATE_MISSING, NO_BATTERY_RULE_REVERT);

    (void)state;
    expect(&facts, WB, true, REASON_WRITE_POLICY_UNTIL_RESTART);
    facts.asked_since_start = false;
    expect(&facts, WT, false, REASON_WRITE_POLICY_REVERTED);
    facts.requested = AWB;
    expect(&facts, WT, false, REASON_WRITE_POLICY_REVERTED);
    facts.asked_since_start = true;
    expect(&facts, AWB, true, REASON_WRITE_POLICY_UNTIL_RESTART);
    /* A battery that is only not ready is no license. */
    facts = facts_of(WB, BATTERY_KIND_EMULATED, BATTERY_STATE_LOW, NO_BATTERY_RULE_REVERT);
    expect(&facts, WT, false, REASON_WRITE_POLICY_BATTERY_LOW);
    facts.requested = AWB;
    expect(&facts, AWB, true, REASON_WRITE_POLICY_FORCED);
}

static void an_emulated_battery_protects_emulated_drives_only(void **state)
{
    struct write_policy_facts facts =
        facts_of(WB, BATTERY_KIND_EMULATED, BATTERY_STATE_OPTIMAL, NO_BATTERY_RULE_FORCE);
    struct write_policy_decision decision;

    (void)state;
    write_policy_decide(&facts, &decision);
    assert_true(decision.stable);
    assert_true(write_policy_battery_is_fitted(&facts));
    facts.real_drive = "/c0/e252/s3";
    expect(&facts, WT, false, REASON_WRITE_POLICY_BATTERY_EMULATED);
    assert_false(write_policy_battery_is_fitted(&facts));
}

static void a_transparent_learn_cycle_changes_nothing(void **state)
{
    struct write_policy_facts facts =
        facts_of(WB, BATTERY_KIND_EMULATED, BATTERY_STATE_LEARNING, NO_BATTERY_RULE_FORCE);

    (void)state;
    facts.learn_is_transparent = true;
    expect(&facts, WB, false, REASON_AS_REQUESTED);
}

static void a_ups_must_know_its_runtime_and_last_long_enough(void **state)
{
    struct write_policy_facts facts =
        facts_of(WB, BATTERY_KIND_UPS, BATTERY_STATE_OPTIMAL, NO_BATTERY_RULE_FORCE);
    struct write_policy_decision decision;

    (void)state;
    write_policy_decide(&facts, &decision);
    assert_false(decision.stable); /* a flush still goes to the drives */
    facts.ups_absorbs_flush = true;
    write_policy_decide(&facts, &decision);
    assert_true(decision.stable);
    facts.dirty_limit_bytes = 0;
    expect(&facts, WT, false, REASON_WRITE_POLICY_UPS_RUNTIME);
    facts.ups_runtime_is_known = false;
    expect(&facts, WT, false, REASON_WRITE_POLICY_UPS_RUNTIME_UNKNOWN);
}

/* The rule once more, as one expression per answer. */
static bool is_protected(const struct write_policy_facts *f)
{
    bool emulated = f->has_battery && f->kind == BATTERY_KIND_EMULATED && f->real_drive == NULL;
    bool ups = f->has_battery && f->kind == BATTERY_KIND_UPS && f->ups_runtime_is_known &&
               f->dirty_limit_bytes > 0;
    bool ready = f->state == BATTERY_STATE_OPTIMAL ||
                 (f->state == BATTERY_STATE_LEARNING && f->learn_is_transparent);

    return f->medium == WRITE_MEDIUM_PERSISTENT ||
           (f->medium == WRITE_MEDIUM_SHARED_MEMORY && ready && (emulated || ups));
}

static bool is_risked(const struct write_policy_facts *f)
{
    bool fitted = f->has_battery && f->state != BATTERY_STATE_MISSING &&
                  (f->kind == BATTERY_KIND_UPS ||
                   (f->kind == BATTERY_KIND_EMULATED && f->real_drive == NULL));
    bool failing = fitted && (f->state == BATTERY_STATE_DISCHARGING ||
                              (f->state == BATTERY_STATE_LOW && f->kind == BATTERY_KIND_UPS));

    if (f->medium != WRITE_MEDIUM_SHARED_MEMORY || f->requested == WT || failing) {
        return false;
    }
    if (f->rule == NO_BATTERY_RULE_REVERT && !fitted) {
        return f->asked_since_start;
    }
    return f->requested == AWB && f->rule != NO_BATTERY_RULE_REFUSE;
}

static void check_facts(const struct write_policy_facts *facts)
{
    struct write_policy_decision decision;
    bool safe = is_protected(facts);
    bool back = facts->requested != WT && (safe || is_risked(facts));
    bool as_asked = facts->requested == WT || (safe && facts->medium != WRITE_MEDIUM_NONE);

    write_policy_decide(facts, &decision);
    assert_int_equal(decision.effective, back ? facts->requested : WT);
    assert_int_equal(decision.at_risk, back && !safe);
    assert_int_equal(decision.reason.code == REASON_AS_REQUESTED, as_asked);
    assert_true(!decision.stable || (safe && back));
    if (back && safe) {
        assert_int_equal(decision.stable, facts->medium == WRITE_MEDIUM_PERSISTENT ||
                                              facts->kind == BATTERY_KIND_EMULATED ||
                                              facts->ups_absorbs_flush);
    }
    if (facts->requested != WT && facts->medium == WRITE_MEDIUM_NONE) {
        assert_int_equal(decision.reason.code, REASON_NO_CACHE_MEMORY);
    }
}

static uint32_t digit(uint32_t *number, uint32_t base)
{
    uint32_t value = *number % base;

    *number /= base;
    return value;
}

static void every_combination_follows_the_rule(void **state)
{
    uint32_t count = (uint32_t)WRITE_POLICY_MAX * (uint32_t)WRITE_MEDIUM_MAX *
                     (uint32_t)BATTERY_KIND_MAX * (uint32_t)BATTERY_STATE_MAX *
                     (uint32_t)NO_BATTERY_RULE_MAX * 128;

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = i;
        struct write_policy_facts facts = {
            .requested = (enum write_policy)digit(&n, WRITE_POLICY_MAX),
        };

        facts.medium = (enum write_medium)digit(&n, WRITE_MEDIUM_MAX);
        facts.kind = (enum battery_kind)digit(&n, BATTERY_KIND_MAX);
        facts.has_battery = digit(&n, 2) != 0;
        facts.source = "ups@host";
        facts.state = (enum battery_state)digit(&n, BATTERY_STATE_MAX);
        facts.rule = (enum no_battery_rule)digit(&n, NO_BATTERY_RULE_MAX);
        facts.learn_is_transparent = digit(&n, 2) != 0;
        facts.real_drive = digit(&n, 2) != 0 ? "/c0/e252/s0" : NULL;
        facts.asked_since_start = digit(&n, 2) != 0;
        facts.ups_runtime_is_known = digit(&n, 2) != 0;
        facts.dirty_limit_bytes = digit(&n, 2);
        facts.ups_absorbs_flush = digit(&n, 2) != 0;
        assert_int_equal(n, 0);
        check_facts(&facts);
    }
}

/* (5): over whatever writes back, forced or protected, and never over another reason. */
static void missing_redundancy_writes_through_where_that_is_asked_for(void **state)
{
    static const struct {
        enum write_policy requested;
        enum battery_state battery;
        enum reason_code whole, degraded;
    } cases[] = {
        {WB, BATTERY_STATE_OPTIMAL, REASON_AS_REQUESTED, REASON_WRITE_POLICY_DEGRADED},
        {AWB, BATTERY_STATE_OPTIMAL, REASON_AS_REQUESTED, REASON_WRITE_POLICY_DEGRADED},
        {AWB, BATTERY_STATE_FAILED, REASON_WRITE_POLICY_FORCED, REASON_WRITE_POLICY_DEGRADED},
        {WT, BATTERY_STATE_OPTIMAL, REASON_AS_REQUESTED, REASON_AS_REQUESTED},
        {WB, BATTERY_STATE_FAILED, REASON_WRITE_POLICY_BATTERY_FAILED,
         REASON_WRITE_POLICY_BATTERY_FAILED},
        {AWB, BATTERY_STATE_DISCHARGING, REASON_WRITE_POLICY_ON_BATTERY,
         REASON_WRITE_POLICY_ON_BATTERY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct write_policy_facts facts = facts_of(cases[i].requested, BATTERY_KIND_EMULATED,
                                                   cases[i].battery, NO_BATTERY_RULE_FORCE);
        struct write_policy_decision before;
        struct write_policy_decision decision;

        write_policy_decide(&facts, &before);
        assert_int_equal(before.reason.code, cases[i].whole);
        decision = before;
        write_policy_while_degraded(DEGRADED_POLICY_KEEP, true, &decision);
        assert_int_equal(decision.effective, before.effective);
        write_policy_while_degraded(DEGRADED_POLICY_WRITE_THROUGH, false, &decision);
        assert_int_equal(decision.effective, before.effective);
        assert_int_equal(decision.reason.code, cases[i].whole);
        write_policy_while_degraded(DEGRADED_POLICY_WRITE_THROUGH, true, &decision);
        assert_int_equal(decision.effective, WT);
        assert_int_equal(decision.reason.code, cases[i].degraded);
        assert_false(decision.at_risk || decision.stable);
    }
}

static void nonsense_is_a_programmers_error(void **state)
{
    struct write_policy_facts facts =
        facts_of(WB, BATTERY_KIND_EMULATED, BATTERY_STATE_OPTIMAL, NO_BATTERY_RULE_FORCE);
    struct write_policy_decision decision;

    (void)state;
    facts.state = BATTERY_STATE_MAX;
    EXPECT_ASSERT(write_policy_decide(&facts, &decision));
    facts.kind = BATTERY_KIND_UPS;
    EXPECT_ASSERT(write_policy_decide(&facts, &decision));
    facts.kind = BATTERY_KIND_MAX;
    EXPECT_ASSERT(write_policy_decide(&facts, &decision));
}

static void the_dirty_limit_leaves_half_the_time(void **state)
{
    static const struct {
        uint64_t rate, runtime, low, shutdown, limit;
    } cases[] = {
        {100, 1000, 120, 80, 40000},
        {100, 200, 120, 80, 0}, /* not a second is left */
        {100, 201, 120, 80, 50},
        {100, 199, 120, 80, 0},
        {100, 0, 0, 0, 0},
        {0, 1000, 120, 80, 0},
        {100, 1000, UINT64_MAX, 1, 0},
        {UINT64_MAX, 1000, 0, 0, UINT64_MAX / 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(write_policy_dirty_limit(cases[i].rate, cases[i].runtime, cases[i].low,
                                                  cases[i].shutdown),
                         cases[i].limit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_holds_where_write_back_may_be_forced),
        cmocka_unit_test(a_refusing_controller_forces_nothing),
        cmocka_unit_test(a_reverting_controller_forgets_at_the_restart),
        cmocka_unit_test(an_emulated_battery_protects_emulated_drives_only),
        cmocka_unit_test(a_transparent_learn_cycle_changes_nothing),
        cmocka_unit_test(a_ups_must_know_its_runtime_and_last_long_enough),
        cmocka_unit_test(every_combination_follows_the_rule),
        cmocka_unit_test(missing_redundancy_writes_through_where_that_is_asked_for),
        cmocka_unit_test(nonsense_is_a_programmers_error),
        cmocka_unit_test(the_dirty_limit_leaves_half_the_time),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cache/write_policy", tests, NULL, NULL);
}
