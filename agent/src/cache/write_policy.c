/*
 * See write_policy.h. The order of the questions: is there a cache at all; is its medium
 * persistent; does a battery protect it; what does the controller permit without one. Last, when
 * the controller has had its say: is redundancy missing, and is it to write through meanwhile.
 */
#include "cache/write_policy.h"

#include "base/assert.h"
#include "base/checked.h"

/* The reason the battery itself is in the way of write-back; OK: it is not. */
static enum reason_code state_fault(const struct write_policy_facts *facts)
{
    switch (facts->state) {
    case BATTERY_STATE_OPTIMAL:
        return REASON_OK;
    case BATTERY_STATE_LEARNING:
        return facts->learn_is_transparent ? REASON_OK : REASON_WRITE_POLICY_BATTERY_LEARNING;
    case BATTERY_STATE_CHARGING:
        return REASON_WRITE_POLICY_BATTERY_CHARGING;
    case BATTERY_STATE_DISCHARGING:
        return REASON_WRITE_POLICY_ON_BATTERY;
    case BATTERY_STATE_LOW:
        return REASON_WRITE_POLICY_BATTERY_LOW;
    case BATTERY_STATE_DEGRADED:
        return REASON_WRITE_POLICY_BATTERY_DEGRADED;
    case BATTERY_STATE_FAILED:
        return REASON_WRITE_POLICY_BATTERY_FAILED;
    case BATTERY_STATE_MISSING:
        return REASON_WRITE_POLICY_BATTERY_MISSING;
    case BATTERY_STATE_UNKNOWN:
        return facts->kind == BATTERY_KIND_UPS ? REASON_WRITE_POLICY_UPS_SILENT
                                               : REASON_WRITE_POLICY_BATTERY_UNKNOWN;
    case BATTERY_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

static enum reason_code ups_fault(const struct write_policy_facts *facts)
{
    enum reason_code fault = state_fault(facts);

    if (fault != REASON_OK) {
        return fault;
    }
    if (!facts->ups_runtime_is_known) {
        return REASON_WRITE_POLICY_UPS_RUNTIME_UNKNOWN;
    }
    return facts->dirty_limit_bytes == 0 ? REASON_WRITE_POLICY_UPS_RUNTIME : REASON_OK;
}

/* Why nothing protects shared memory against a power failure. OK: something does. */
static enum reason_code protection_fault(const struct write_policy_facts *facts)
{
    if (!facts->has_battery) {
        return REASON_WRITE_POLICY_NO_BATTERY;
    }
    switch (facts->kind) {
    case BATTERY_KIND_CACHEVAULT: /* it keeps itself, but this is not that medium */
        return REASON_WRITE_POLICY_NO_BATTERY;
    case BATTERY_KIND_EMULATED:
        return facts->real_drive == NULL ? state_fault(facts)
                                         : REASON_WRITE_POLICY_BATTERY_EMULATED;
    case BATTERY_KIND_UPS:
        return ups_fault(facts);
    case BATTERY_KIND_MAX:
        break;
    }
    UNREACHABLE();
}

bool write_policy_battery_is_fitted(const struct write_policy_facts *facts)
{
    if (!facts->has_battery || facts->state == BATTERY_STATE_MISSING) {
        return false;
    }
    return facts->kind == BATTERY_KIND_UPS ||
           (facts->kind == BATTERY_KIND_EMULATED && facts->real_drive == NULL);
}

static void decide(const struct write_policy_facts *facts, struct write_policy_decision *decision,
                   enum write_policy effective, enum reason_code code)
{
    decision->effective = effective;
    if (code == REASON_WRITE_POLICY_BATTERY_EMULATED) {
        reason_set(&decision->reason, code, "drive", facts->real_drive, NULL);
    } else if (code == REASON_WRITE_POLICY_UPS_SILENT ||
               code == REASON_WRITE_POLICY_UPS_RUNTIME_UNKNOWN) {
        reason_set(&decision->reason, code, "source", facts->source, NULL);
    } else {
        reason_set(&decision->reason, code, NULL);
    }
}

/* The power is failing now, or about to: nobody's wish outweighs that. */
static bool power_is_failing(const struct write_policy_facts *facts)
{
    return write_policy_battery_is_fitted(facts) &&
           (facts->state == BATTERY_STATE_DISCHARGING ||
            (facts->kind == BATTERY_KIND_UPS && facts->state == BATTERY_STATE_LOW));
}

/* S01 of the reference controllers: without a battery, write-back lasts until the restart. */
static void decide_reverting(const struct write_policy_facts *facts,
                             struct write_policy_decision *decision)
{
    if (!facts->asked_since_start) {
        decide(facts, decision, WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_REVERTED);
        return;
    }
    decision->at_risk = true;
    decide(facts, decision, facts->requested, REASON_WRITE_POLICY_UNTIL_RESTART);
}

/* A battery that is only not ready never changes what was asked for: plain write-back waits
 * for it, "always" does not, unless the controller refuses. */
static void decide_unprotected(const struct write_policy_facts *facts, enum reason_code fault,
                               struct write_policy_decision *decision)
{
    bool always = facts->requested == WRITE_POLICY_ALWAYS_WRITE_BACK;

    if (power_is_failing(facts)) {
        decide(facts, decision, WRITE_POLICY_WRITE_THROUGH, fault);
        return;
    }
    if (facts->rule == NO_BATTERY_RULE_REVERT && !write_policy_battery_is_fitted(facts)) {
        decide_reverting(facts, decision);
        return;
    }
    if (!always) {
        decide(facts, decision, WRITE_POLICY_WRITE_THROUGH, fault);
        return;
    }
    if (facts->rule == NO_BATTERY_RULE_REFUSE) {
        decide(facts, decision, WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_REFUSED);
        return;
    }
    decision->at_risk = true;
    decide(facts, decision, WRITE_POLICY_ALWAYS_WRITE_BACK, REASON_WRITE_POLICY_FORCED);
}

/* By the model of the emulated cards a charged battery makes memory stable; a UPS does so
 * only where an administrator has taken the risk. */
static bool memory_is_stable(const struct write_policy_facts *facts)
{
    return facts->kind == BATTERY_KIND_EMULATED || facts->ups_absorbs_flush;
}

void write_policy_decide(const struct write_policy_facts *facts,
                         struct write_policy_decision *ret_decision)
{
    enum reason_code fault = REASON_OK;

    ASSERT((unsigned)facts->requested < WRITE_POLICY_MAX);
    ASSERT((unsigned)facts->medium < WRITE_MEDIUM_MAX);
    ASSERT((unsigned)facts->rule < NO_BATTERY_RULE_MAX);
    *ret_decision = (struct write_policy_decision){.effective = WRITE_POLICY_WRITE_THROUGH};
    if (facts->requested == WRITE_POLICY_WRITE_THROUGH) {
        decide(facts, ret_decision, WRITE_POLICY_WRITE_THROUGH, REASON_AS_REQUESTED);
        return;
    }
    if (facts->medium == WRITE_MEDIUM_NONE) {
        decide(facts, ret_decision, WRITE_POLICY_WRITE_THROUGH, REASON_NO_CACHE_MEMORY);
        return;
    }
    if (facts->medium == WRITE_MEDIUM_SHARED_MEMORY) {
        fault = protection_fault(facts);
    }
    if (fault != REASON_OK) {
        decide_unprotected(facts, fault, ret_decision);
        ASSERT(!ret_decision->stable); /* (3) */
        return;
    }
    ret_decision->stable = facts->medium == WRITE_MEDIUM_PERSISTENT || memory_is_stable(facts);
    decide(facts, ret_decision, facts->requested, REASON_AS_REQUESTED);
    ASSERT(!ret_decision->at_risk);
}

void write_policy_while_degraded(enum degraded_policy policy, bool degraded,
                                 struct write_policy_decision *decision)
{
    ASSERT((unsigned)policy < DEGRADED_POLICY_MAX);
    if (!degraded || policy == DEGRADED_POLICY_KEEP ||
        decision->effective == WRITE_POLICY_WRITE_THROUGH) {
        return;
    }
    *decision = (struct write_policy_decision){.effective = WRITE_POLICY_WRITE_THROUGH};
    reason_set(&decision->reason, REASON_WRITE_POLICY_DEGRADED, NULL);
}

uint64_t write_policy_dirty_limit(uint64_t destage_bytes_per_s, uint64_t runtime_s,
                                  uint64_t low_runtime_s, uint64_t shutdown_s)
{
    uint64_t needed_s = 0;
    uint64_t bytes = 0;

    if (!checked_add_u64(low_runtime_s, shutdown_s, &needed_s) || runtime_s <= needed_s) {
        return 0;
    }
    if (!checked_mul_u64(destage_bytes_per_s, runtime_s - needed_s, &bytes)) {
        return UINT64_MAX / 2;
    }
    return bytes / 2;
}
