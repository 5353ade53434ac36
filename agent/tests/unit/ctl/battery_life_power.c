/*
 * The power of a life by battery: what it is, what the source says of it, and what the battery
 * object and the write policies must have made of that.
 */
#include "base/checked.h"
#include "battery_life_private.h"

#define LOOK_US (6 * SIM_SECOND)  /* the controller looks at the cache's figures each 5 s */
#define STEADY_US (30 * SIM_SECOND)
#define RATES (sizeof(((struct life *)NULL)->rates) / sizeof(uint64_t))

/* Looking at what is shown */

static void look_object(void *context, const struct object_head *head, const void *view)
{
    struct life *life = context;

    if (head->kind == OBJECT_KIND_CONTROLLER) {
        const struct cache_facts *facts = &((const struct controller_view *)view)->cache.facts;

        life->dirty = facts->dirty_bytes;
        life->pinned = facts->pinned_bytes;
        life->limit = facts->dirty_limit_bytes;
        life->rate = facts->destage_bytes_per_s;
    } else if (head->kind == OBJECT_KIND_VIRTUAL_DRIVE) {
        const struct virtual_drive_view *vd = view;

        life->wrote_back =
            life->wrote_back || strcmp(vd->policies.write_policy.effective,
                                       write_policy_word(WRITE_POLICY_WRITE_THROUGH)) != 0;
    } else if (head->kind == OBJECT_KIND_BATTERY) {
        life->pack = *((const struct battery_view *)view)->reading;
        life->protects = ((const struct battery_view *)view)->protects;
    }
}

static void look_nothing(void *context UNUSED, const struct object_head *head UNUSED)
{
}

void life_look(struct life *life)
{
    const struct ctl_visitor visitor = {
        .object = look_object, .tombstone = look_nothing, .context = life};
    bool before = life->wrote_back;
    bool measured = life->rate > 0;

    life->wrote_back = false;
    ctl_objects_since(life->world->ctl, 0, &visitor);
    if (life->rate > 0 && !measured) {
        life->rate_since_us = life_now(life);
    }
    if (before && !life->wrote_back) {
        life->result->falls++;
        life->fell_us = life_now(life);
        life->fell_dirty = life->dirty;
        life_trace(life, "write-through, %llu bytes dirty", (unsigned long long)life->dirty);
    } else if (!before && life->wrote_back) {
        life->result->rises++;
        life_trace(life, "write-back");
    }
}

/* The UPS */

int64_t life_left_s(const struct life *life)
{
    return (int64_t)(life->left_us / SIM_SECOND);
}

static void energy_flow(struct life *life)
{
    uint64_t passed_us = life_now(life) - life->energy_us;

    life->energy_us = life_now(life);
    if (life->mains) {
        life->left_us = min_u64(life->full_us, life->left_us + passed_us * 10);
    } else {
        life->left_us -= min_u64(life->left_us, passed_us);
    }
}

static void reading_make(struct life *life, struct battery_reading *reading)
{
    battery_reading_init(reading);
    if (life_now(life) < life->stale_until_us) {
        reason_set(&reading->state_reason, REASON_BATTERY_SILENT, "source", "ups", NULL);
        return;
    }
    reading->left_s = life->lies ? 100000 : life_left_s(life);
    reading->low_left_s = life->low_s;
    reading->charge_percent = 50;
    if (life_now(life) < life->flap_until_us) {
        life->flap = !life->flap;
        reading->state = life->flap ? BATTERY_STATE_DISCHARGING : BATTERY_STATE_OPTIMAL;
    } else if (life->mains || life->lies) {
        reading->state = BATTERY_STATE_OPTIMAL;
    } else {
        reading->state =
            life_left_s(life) <= life->low_s ? BATTERY_STATE_LOW : BATTERY_STATE_DISCHARGING;
    }
}

static bool is_good(const struct life *life, const struct battery_reading *reading)
{
    return reading->state == BATTERY_STATE_OPTIMAL &&
           reading->left_s > reading->low_left_s + life->world->battery.shutdown_s;
}

/* What a UPS of this runtime is good for in bytes, worked out anew from the promise: half of what
 * the drives take while nothing has to stop yet. */
static uint64_t limit_of(const struct life *life, uint64_t rate)
{
    int64_t usable_s =
        life->said.left_s - life->said.low_left_s - (int64_t)life->world->battery.shutdown_s;

    return usable_s > 0 ? rate * (uint64_t)usable_s / 2 : 0;
}

static void ups_say(struct life *life)
{
    struct battery_reading reading;
    bool good = false;

    energy_flow(life);
    reading_make(life, &reading);
    good = is_good(life, &reading);
    if (reading.left_s != life->said.left_s) {
        life->left_said_us = life_now(life);
    }
    life->said = reading;
    life->good_since_us = !good                      ? 0
                          : life->good_since_us == 0 ? max_u64(life_now(life), 1)
                                                     : life->good_since_us;
    ctl_battery_reading(life->world->ctl, &reading);
    sim_world_advance(life->world->sim, 1000);
}

static void ups_judge(struct life *life)
{
    uint64_t now_us = life_now(life);
    bool good = life->good_since_us != 0;
    bool proved = good && now_us - life->good_since_us >= life->world->battery.settle_us;
    uint64_t limit = life->said.left_s >= 0 ? limit_of(life, life->rate) : 0;
    uint64_t newest = limit;

    life->rates[life->polls++ % RATES] = life->rate;
    if (life->wrote_back && !good) {
        life_fail(life, "write-back, and the UPS says %s with %lld s left",
                  battery_state_word(life->said.state), (long long)life->said.left_s);
    } else if (life->wrote_back && !proved) {
        life_fail(life, "write-back %llu us after the UPS was not good",
                  (unsigned long long)(now_us - life->good_since_us));
    }
    if (!life->wrote_back || life->rate == 0 || now_us - life->left_said_us < LOOK_US ||
        now_us - life->rate_since_us < LOOK_US) {
        life->over_us = life->limit_over_us = 0;
        return;
    }
    life->result->limit_looks++;
    for (uint32_t i = 0; i < RATES; i++) {
        newest = max_u64(newest, limit_of(life, life->rates[i]));
    }
    /* Between two polls the rate may have been another one; the next look puts that right. */
    if (life->limit <= newest + newest / 2) {
        life->limit_over_us = 0;
    } else if (life->limit_over_us == 0) {
        life->limit_over_us = now_us;
    } else if (now_us - life->limit_over_us > 2 * LOOK_US) {
        life_fail(life, "the limit is %llu, and the UPS is good for half of %llu",
                  (unsigned long long)life->limit, (unsigned long long)(2 * newest));
    }
    /* The rate moves, and is looked at now and then: twice the half is all that there is time for.
     */
    if (life->dirty - life->pinned <= 2 * limit + (64u << 10)) {
        life->over_us = 0;
    } else if (life->over_us == 0) {
        life->over_us = now_us;
    } else if (now_us - life->over_us > 2 * LOOK_US) {
        life_fail(life, "%llu bytes are dirty, and the UPS is good for %llu at %llu/s",
                  (unsigned long long)life->dirty, (unsigned long long)(2 * limit),
                  (unsigned long long)life->rate);
    }
}

/* (2) After the policy has fallen what is dirty goes at once. */
static void fall_judge(struct life *life)
{
    uint64_t rate = max_u64(life->rate, 16u << 10);
    uint64_t allowed_us =
        SIM_SECOND + 20 * (uint64_t)life->latency_us + 4 * SIM_SECOND * life->fell_dirty / rate;

    if (life->fell_us == 0 || life->wrote_back || life->dirty == 0) {
        life->fell_us = life->dirty == 0 || life->wrote_back ? 0 : life->fell_us;
        return;
    }
    if (life->dirty > life->fell_dirty) { /* a write that was half in the cache when it fell */
        life->fell_dirty = life->dirty;
        life->fell_us = life_now(life);
        return;
    }
    if (life_now(life) - life->fell_us > allowed_us) {
        life_fail(life, "%llu bytes are still dirty %llu us after write-back ended with %llu",
                  (unsigned long long)life->dirty,
                  (unsigned long long)(life_now(life) - life->fell_us),
                  (unsigned long long)life->fell_dirty);
    }
}

/* (3) */
static void low_judge(struct life *life, uint64_t dirty_before)
{
    bool steady = life->rate_since_us != 0 && life_now(life) - life->rate_since_us > STEADY_US &&
                  life_now(life) - life->slower_us > 2 * STEADY_US;

    if (life->dirty > life->pinned && steady && !life->lies) {
        life_fail(life, "the UPS is low, and %llu bytes are dirty",
                  (unsigned long long)life->dirty);
    } else if (life->dirty == 0) {
        life->result->saved_bytes += dirty_before;
    }
}

void life_poll(struct life *life)
{
    uint64_t dirty_before = life->fell_dirty;

    if (life->ups) {
        ups_say(life);
    }
    sim_world_advance(life->world->sim, 0); /* what is due now: the documents are refreshed then */
    life_look(life);
    life->polled_us = life_now(life);
    if (life->ups) {
        ups_judge(life);
    }
    fall_judge(life);
    if (life->ups && !life->mains && !life->result->failed && life_left_s(life) <= life->low_s) {
        low_judge(life, dirty_before);
        if (!life->result->failed) {
            life_low(life);
        }
    }
}

/* The pack of an emulated controller */

bool life_pack_keeps(const struct life *life)
{
    return !life->ups && life->pack.state != BATTERY_STATE_FAILED &&
           life->pack.state != BATTERY_STATE_MISSING && life->pack.left_s > 0;
}

static void pack_fault(struct life *life, enum battery_fault fault)
{
    struct ctl_command command = {.op = CTL_OP_BATTERY_FAULT};

    (void)snprintf(command.args.battery_fault.battery, sizeof(command.args.battery_fault.battery),
                   "c0-bbu");
    command.args.battery_fault.fault = fault;
    life_trace(life, "fault %d of the pack", (int)fault);
    if (fault == BATTERY_FAULT_FAIL || fault == BATTERY_FAULT_REMOVE) {
        life->failed_us = life_now(life);
    }
    if (world_run(life->world, &command) == REASON_OK) {
        life->result->faults++;
    }
}

static void pack_event(struct life *life)
{
    static const enum battery_fault faults[] = {BATTERY_FAULT_FAIL,       BATTERY_FAULT_REMOVE,
                                                BATTERY_FAULT_LOW_CHARGE, BATTERY_FAULT_OVERHEAT,
                                                BATTERY_FAULT_WEAR_OUT,   BATTERY_FAULT_POWER_OFF};
    struct ctl_command command = {.op = CTL_OP_BATTERY_LEARN};
    uint64_t dice = life_below(life, 12);

    if (dice < 6) {
        pack_fault(life, faults[dice]);
    } else if (dice < 10) {
        pack_fault(life, BATTERY_FAULT_CLEAR);
    } else {
        (void)snprintf(command.args.battery.battery, sizeof(command.args.battery.battery),
                       "c0-bbu");
        life->result->learns += world_run(life->world, &command) == REASON_OK ? 1 : 0;
    }
    life_poll(life);
}

/* What happens to the power */

static void ups_event(struct life *life, uint64_t dice)
{
    energy_flow(life);
    if (dice < 12) {
        life->mains = !life->mains;
        life->result->outages += life->mains ? 0 : 1;
        life_trace(life, "mains %s", life->mains ? "back" : "fail");
    } else if (dice < 16) {
        life->stale_until_us = life_now(life) + life_below(life, 20 * SIM_SECOND);
        life->result->stale++;
    } else if (dice < 20) {
        life->flap_until_us = life_now(life) + life_below(life, 20 * SIM_SECOND);
        life->result->flaps++;
    } else if (dice < 24) {
        life->full_us =
            life->low_s * SIM_SECOND + (life->full_us - life->low_s * SIM_SECOND) * 3 / 4;
        life->left_us = min_u64(life->left_us, life->full_us);
        life->result->fades++;
    } else if (dice < 26) { /* in mid-write: it does not last as long as it said */
        life->mains = false;
        life->lies = true;
        life->left_us = min_u64(life->left_us, life->low_s * SIM_SECOND);
        life->result->outages++;
        life_low(life);
    }
}

static void drives_slow(struct life *life)
{
    life->latency_us = life_chance(life, 60) ? min_u32(life->latency_us * 4, 400000)
                                             : max_u32(life->latency_us / 4, 500);
    life_trace(life, "latency %u us", life->latency_us);
    life_latency(life, life->latency_us);
    life->slower_us = life_now(life);
    life->result->slower++;
}

void life_power_event(struct life *life, uint64_t dice)
{
    if (life->ups && !life->mains && life->lies && (energy_flow(life), life->left_us == 0)) {
        life_cut(life, false); /* nobody has said that it was empty */
    } else if (dice < 30) {
        if (life->ups) {
            ups_event(life, dice);
        } else {
            pack_event(life);
        }
    } else if (dice < 36) {
        drives_slow(life);
    } else if (dice < 41) {
        life_poll(life);
        if (!life->result->failed) {
            life_cut(life, life_chance(life, 40));
        }
    }
}
