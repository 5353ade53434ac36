/*
 * The controller's battery: readings from its source become a verdict that the write policies
 * follow, and events.
 *
 *   source --reading--> taken at once, if it leaves the good state or is urgent
 *                   \-> on trial, until it has said the same for settle_us --> taken
 *
 * (1) Good is: optimal and, of a UPS, a runtime that leaves time to write out a cache. A
 *     source that flaps therefore never gets back to good, and never moves a policy twice.
 * (2) Events tell of the verdict; figures are shown at most every FIGURES_US, without events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/battery_record.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_private.h"
#include "ctl/sim_bug.h"

#define TICK_US UINT64_C(1000000)
#define FIGURES_US UINT64_C(5000000)

void battery_path(const struct ctl *ctl, char *out, size_t capacity)
{
    bool vault = ctl->options.battery.kind == BATTERY_KIND_CACHEVAULT;

    (void)snprintf(out, capacity, "/c%u/%s", ctl->options.index, vault ? "cv" : "bbu");
}

bool battery_is_fitted(const struct ctl *ctl)
{
    return ctl->options.battery.fitted;
}

const char *battery_source(const struct ctl *ctl)
{
    return ctl->options.battery.source;
}

/* The verdict */

/* Does the UPS last longer than it takes the host to stop? */
static bool runtime_suffices(const struct ctl *ctl, const struct battery_reading *reading)
{
    if (ctl->options.battery.kind != BATTERY_KIND_UPS || reading->state != BATTERY_STATE_OPTIMAL) {
        return true;
    }
    return reading->left_s >= 0 && reading->low_left_s >= 0 &&
           write_policy_dirty_limit(1024, (uint64_t)reading->left_s, (uint64_t)reading->low_left_s,
                                    ctl->options.battery.shutdown_s) > 0;
}

/* A more urgent state is taken at once; a less urgent one must last. */
static unsigned urgency(enum battery_state state)
{
    switch (state) {
    case BATTERY_STATE_FAILED:
        return 4;
    case BATTERY_STATE_MISSING:
        return 3;
    case BATTERY_STATE_LOW:
        return 2;
    case BATTERY_STATE_DISCHARGING:
        return 1;
    case BATTERY_STATE_OPTIMAL:
    case BATTERY_STATE_CHARGING:
    case BATTERY_STATE_LEARNING:
    case BATTERY_STATE_DEGRADED:
    case BATTERY_STATE_UNKNOWN:
        return 0;
    case BATTERY_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

/* Events of what begins with the new state, and of what the old one has left. */

static void event_battery(struct ctl *ctl, enum event_id id)
{
    char path[PATH_TEXT_BYTES];

    battery_path(ctl, path, sizeof(path));
    ctl_event(ctl, id, ctl->battery.object.key, "battery", path, NULL);
}

static void event_battery_with(struct ctl *ctl, enum event_id id, const char *name,
                               const char *value)
{
    char path[PATH_TEXT_BYTES];

    battery_path(ctl, path, sizeof(path));
    ctl_event(ctl, id, ctl->battery.object.key, "battery", path, name, value, NULL);
}

static const char *figure_text(int64_t value, char out[24])
{
    (void)snprintf(out, 24, "%lld", (long long)value);
    return value == BATTERY_UNKNOWN ? "?" : out;
}

static void event_state_left(struct ctl *ctl, const struct battery_reading *old,
                             const struct battery_reading *now)
{
    bool ups = ctl->options.battery.kind == BATTERY_KIND_UPS;
    bool was_on_battery =
        old->state == BATTERY_STATE_DISCHARGING || old->state == BATTERY_STATE_LOW;
    bool is_on_battery = now->state == BATTERY_STATE_DISCHARGING || now->state == BATTERY_STATE_LOW;
    char text[24];

    if (old->state == BATTERY_STATE_MISSING) {
        event_battery_with(ctl, EVENT_BATTERY_PRESENT, "model", now->model);
    }
    if (old->state_reason.code == REASON_BATTERY_HOT) {
        event_battery(ctl, EVENT_BATTERY_TEMPERATURE_NORMAL);
    }
    if (ups && old->state == BATTERY_STATE_UNKNOWN && ctl->battery.judged) {
        event_battery(ctl, EVENT_UPS_BACK);
    }
    if (ups && was_on_battery && !is_on_battery && now->state != BATTERY_STATE_UNKNOWN) {
        event_battery(ctl, EVENT_UPS_ON_MAINS);
    }
    if (old->state == BATTERY_STATE_LOW && now->state == BATTERY_STATE_OPTIMAL) {
        event_battery_with(ctl, EVENT_BATTERY_CAPACITY_OK, "charge_percent",
                           figure_text(now->charge_percent, text));
    }
}

/* One state may have several reasons; another reason is another event where it calls for another
 * remedy, not while a source merely fails to answer in another way. */
static bool reason_is_news(enum battery_state state)
{
    return state == BATTERY_STATE_DEGRADED || state == BATTERY_STATE_FAILED;
}

static void event_state_entered(struct ctl *ctl, const struct battery_reading *now, const char *why)
{
    bool ups = ctl->options.battery.kind == BATTERY_KIND_UPS;
    bool hot = now->state_reason.code == REASON_BATTERY_HOT;
    char text[24];

    switch (now->state) {
    case BATTERY_STATE_OPTIMAL:
    case BATTERY_STATE_LEARNING: /* the cycle's own events tell */
        return;
    case BATTERY_STATE_CHARGING:
        event_battery(ctl, EVENT_BATTERY_CHARGING);
        return;
    case BATTERY_STATE_DISCHARGING:
        if (ups) {
            event_battery_with(ctl, EVENT_UPS_ON_BATTERY, "runtime_s",
                               figure_text(now->left_s, text));
        } else {
            event_battery(ctl, EVENT_BATTERY_DISCHARGING);
        }
        return;
    case BATTERY_STATE_LOW:
        event_battery_with(ctl, EVENT_BATTERY_CAPACITY_LOW, "charge_percent",
                           figure_text(now->charge_percent, text));
        return;
    case BATTERY_STATE_DEGRADED:
        event_battery_with(ctl, hot ? EVENT_BATTERY_TEMPERATURE_HIGH : EVENT_BATTERY_REPLACE,
                           hot ? "temperature_c" : "why",
                           hot ? figure_text(now->temperature_c, text) : why);
        return;
    case BATTERY_STATE_FAILED:
        event_battery_with(ctl, EVENT_BATTERY_FAILED, "why", why);
        return;
    case BATTERY_STATE_MISSING:
        event_battery(ctl, EVENT_BATTERY_REMOVED);
        return;
    case BATTERY_STATE_UNKNOWN:
        if (ups) {
            event_battery_with(ctl, EVENT_UPS_SILENT, "why", why);
        }
        return;
    case BATTERY_STATE_MAX:
        break;
    }
    UNREACHABLE();
}

static void verdict_events(struct ctl *ctl, const struct battery_reading *old,
                           const struct battery_reading *now)
{
    char path[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];

    (void)reason_text(&now->state_reason, why, sizeof(why));
    if (!ctl->battery.judged && now->state != BATTERY_STATE_MISSING &&
        now->state != BATTERY_STATE_UNKNOWN) {
        event_battery_with(ctl, EVENT_BATTERY_PRESENT, "model", now->model);
    }
    if (ctl->battery.judged) {
        battery_path(ctl, path, sizeof(path));
        ctl_event(ctl, EVENT_BATTERY_STATE_CHANGED, ctl->battery.object.key, "battery", path, "old",
                  battery_state_word(old->state), "new", battery_state_word(now->state), "why", why,
                  NULL);
        event_state_left(ctl, old, now);
    }
    event_state_entered(ctl, now, why);
}

/* Takes the fresh reading as the verdict. */
static void verdict_take(struct ctl *ctl)
{
    struct ctl_battery *battery = &ctl->battery;
    const struct battery_reading old = battery->verdict;
    bool changed = !battery->judged || old.state != battery->fresh.state;
    bool other_reason = old.state_reason.code != battery->fresh.state_reason.code;
    bool was_enough = battery->enough;

    if (CTL_BUG(RUNTIME_KEPT) && old.left_s > battery->fresh.left_s) {
        battery->fresh.left_s = old.left_s;
    }
    battery->verdict = battery->fresh;
    battery->enough = runtime_suffices(ctl, &battery->fresh);
    battery->on_trial = false;
    if (changed || (other_reason && reason_is_news(old.state))) {
        verdict_events(ctl, &old, &battery->fresh);
        battery->judged = true;
    }
    if (changed || other_reason || was_enough != battery->enough) {
        battery->figures_us = 0; /* show it, and act on it, now */
    }
}

/* A reading that repeats the verdict brings fresh figures; a better one has to prove itself. */
static void verdict_follow(struct ctl *ctl)
{
    struct ctl_battery *battery = &ctl->battery;
    bool enough = runtime_suffices(ctl, &battery->fresh);
    bool same = battery->judged && battery->fresh.state == battery->verdict.state &&
                enough == battery->enough;
    bool leaves_good =
        battery->judged && battery->verdict.state == BATTERY_STATE_OPTIMAL && battery->enough;
    uint64_t now_us = clock_now_us(ctl->ports.clock);

    if (same || leaves_good || urgency(battery->fresh.state) > urgency(battery->verdict.state) ||
        ctl->options.battery.settle_us == 0 || CTL_BUG(FLAP_TRUSTED)) {
        verdict_take(ctl);
        return;
    }
    if (!battery->on_trial || battery->trial_state != battery->fresh.state ||
        battery->trial_enough != enough) {
        battery->on_trial = true;
        battery->trial_state = battery->fresh.state;
        battery->trial_enough = enough;
        battery->trial_since_us = now_us;
        return;
    }
    if (now_us - battery->trial_since_us >= ctl->options.battery.settle_us) {
        verdict_take(ctl);
    }
}

static void figures_show(struct ctl *ctl)
{
    struct ctl_battery *battery = &ctl->battery;
    uint64_t now_us = clock_now_us(ctl->ports.clock);

    if (battery->figures_us != 0 && now_us - battery->figures_us < FIGURES_US) {
        return;
    }
    battery->figures_us = max_u64(now_us, 1);
    battery->shown = battery->fresh;
    battery->shown.state = battery->verdict.state;
    battery->shown.state_reason = battery->verdict.state_reason;
    ctl_kick(ctl);
}

static void reading_take(struct ctl *ctl, const struct battery_reading *reading)
{
    ctl->battery.fresh = *reading;
    verdict_follow(ctl);
    figures_show(ctl);
}

/* The medium itself: there is nothing to charge. */
void battery_medium_changed(struct ctl *ctl)
{
    bool persistent = ctl->write_medium == WRITE_MEDIUM_PERSISTENT;
    struct battery_reading reading;

    if (!battery_is_fitted(ctl) || ctl->options.battery.kind != BATTERY_KIND_CACHEVAULT) {
        return;
    }
    battery_reading_init(&reading);
    reading.state = persistent ? BATTERY_STATE_OPTIMAL : BATTERY_STATE_MISSING;
    reason_set(&reading.state_reason,
               persistent ? REASON_BATTERY_PERSISTENT : REASON_BATTERY_MISSING, NULL);
    (void)snprintf(reading.model, sizeof(reading.model), "Persistent cache medium");
    reading_take(ctl, &reading);
}

void ctl_battery_reading(struct ctl *ctl, const struct battery_reading *reading)
{
    ASSERT(battery_is_fitted(ctl));
    ASSERT(ctl->options.battery.kind == BATTERY_KIND_UPS);
    ASSERT((unsigned)reading->state < BATTERY_STATE_MAX);
    if (CTL_BUG(STALE_TRUSTED) && reading->state == BATTERY_STATE_UNKNOWN) {
        return;
    }
    if (ctl->life != CTL_LIFE_STOPPED) {
        reading_take(ctl, reading);
    }
}

/* The emulated battery */

static void event_learned(struct ctl *ctl)
{
    char text[24];

    event_battery_with(ctl, EVENT_LEARN_COMPLETED, "full_capacity_mah",
                       figure_text(ctl->battery.fresh.full_capacity_mah, text));
}

static void notices_tell(struct ctl *ctl, uint32_t notices)
{
    static const struct {
        enum battery_notice notice;
        enum event_id id;
    } plain[] = {
        {BATTERY_NOTICE_IN_4_DAYS, EVENT_LEARN_IN_4_DAYS},
        {BATTERY_NOTICE_IN_2_DAYS, EVENT_LEARN_IN_2_DAYS},
        {BATTERY_NOTICE_IN_1_DAY, EVENT_LEARN_IN_1_DAY},
        {BATTERY_NOTICE_IN_5_HOURS, EVENT_LEARN_IN_5_HOURS},
        {BATTERY_NOTICE_LEARN_NEEDED, EVENT_LEARN_NEEDED},
        {BATTERY_NOTICE_LEARN_DUE_DISABLED, EVENT_LEARN_DUE_DISABLED},
        {BATTERY_NOTICE_LEARN_PENDING, EVENT_LEARN_PENDING},
        {BATTERY_NOTICE_LEARN_STARTED, EVENT_LEARN_STARTED},
        {BATTERY_NOTICE_LEARN_TIMED_OUT, EVENT_LEARN_TIMED_OUT},
        {BATTERY_NOTICE_CHARGED, EVENT_BATTERY_CHARGED},
    };
    char why[REASON_TEXT_MAX];

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if ((notices & (uint32_t)plain[i].notice) != 0) {
            event_battery(ctl, plain[i].id);
        }
    }
    if ((notices & BATTERY_NOTICE_LEARN_PASSED) != 0) {
        event_learned(ctl);
    }
    if ((notices & BATTERY_NOTICE_LEARN_FAILED) != 0) {
        (void)reason_text(&ctl->battery.fresh.state_reason, why, sizeof(why));
        event_battery_with(ctl, EVENT_LEARN_FAILED, "why", why);
    }
}

static void battery_save(struct ctl *ctl);

/* What it has learned, and what was announced, must not be forgotten. */
#define NOTICES_SAVED                                                                              \
    (BATTERY_NOTICE_LEARN_PASSED | BATTERY_NOTICE_LEARN_FAILED | BATTERY_NOTICE_LEARN_TIMED_OUT)

void battery_live(struct ctl *ctl, uint32_t notices)
{
    struct ctl_battery *battery = &ctl->battery;
    struct battery_reading reading;

    notices |= emulated_battery_advance(battery->emulated, clock_now_us(ctl->ports.clock),
                                        clock_wall_us(ctl->ports.clock));
    emulated_battery_read(battery->emulated, &reading);
    battery->fresh = reading;
    if (notices != 0) {
        notices_tell(ctl, notices);
        battery->figures_us = 0;
    }
    reading_take(ctl, &reading);
    if ((notices & NOTICES_SAVED) != 0 && !battery->putting) {
        battery_save(ctl);
    }
}

static void tick(struct clock_timer *timer)
{
    struct ctl *ctl = timer->owner;

    battery_live(ctl, 0);
    clock_arm(ctl->ports.clock, timer, clock_now_us(ctl->ports.clock) + TICK_US);
}

/* Its record */

static void record_put_done(struct store_request *request, int error)
{
    struct ctl *ctl = request->owner;
    void (*done)(struct ctl *, int, void *) = ctl->battery.put_done;

    ASSERT(ctl->battery.putting);
    ctl->battery.putting = false;
    ctl->battery.put_done = NULL;
    if (done != NULL) {
        done(ctl, error, ctl->battery.put_context);
    }
    ctl_kick(ctl);
}

static void battery_save(struct ctl *ctl)
{
    struct ctl_battery *battery = &ctl->battery;
    struct store_request *put = &battery->put;
    struct emulated_battery_memory memory;

    ASSERT(!battery->putting);
    emulated_battery_remember(battery->emulated, &memory);
    battery_record_encode(emulated_battery_profile(battery->emulated)->name, &memory,
                          battery->record);
    battery->putting = true;
    (void)snprintf(put->name, sizeof(put->name), "%s", BATTERY_RECORD_NAME);
    put->value = battery->record;
    put->value_bytes = BATTERY_RECORD_BYTES;
    put->complete = record_put_done;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool battery_settings_save(struct ctl *ctl, void (*done)(struct ctl *ctl, int error, void *context),
                           void *context)
{
    if (ctl->battery.putting) {
        return false;
    }
    ctl->battery.put_done = done;
    ctl->battery.put_context = context;
    battery_save(ctl);
    return true;
}

/* A damaged record costs the emulated pack its history, nothing else. That of another profile is
 * not damaged: -ESTALE. */
static int memory_load(struct ctl *ctl, struct emulated_battery_memory *ret_memory)
{
    struct store_port *store = ctl->ports.store;
    uint8_t bytes[BATTERY_RECORD_BYTES];
    size_t count = 0;
    int error = store->ops->get(store, BATTERY_RECORD_NAME, bytes, sizeof(bytes), &count);

    if (error == 0) {
        error = battery_record_decode(bytes, count, ctl->options.battery.profile.name, ret_memory);
    }
    if (error != 0 && error != -ENOENT && error != -ESTALE && ctl_damage_is_borne(error)) {
        ctl_damage_note(ctl, "r-" BATTERY_RECORD_NAME,
                        "The emulated battery starts with what its profile says");
    }
    return error;
}

/* Life */

static int emulated_create(struct ctl *ctl)
{
    const struct ctl_battery_options *options = &ctl->options.battery;
    struct emulated_battery_memory memory;
    int error = memory_load(ctl, &memory);

    if (error != 0 && !ctl_damage_is_borne(error)) {
        ctl_damage_refuse(ctl, BATTERY_RECORD_NAME, error);
        return error;
    }
    ctl->battery.emulated = emulated_battery_create(
        &options->profile, error == 0 ? &memory : NULL, options->speed > 0 ? options->speed : 1,
        clock_now_us(ctl->ports.clock), clock_wall_us(ctl->ports.clock));
    return ctl->battery.emulated != NULL ? 0 : -ENOMEM;
}

int battery_create(struct ctl *ctl)
{
    struct ctl_battery *battery = &ctl->battery;
    const struct ctl_battery_options *options = &ctl->options.battery;
    char key[OBJECT_KEY_MAX + 1];
    int error = 0;

    battery->timer.fire = tick;
    battery->timer.owner = ctl;
    if (!options->fitted) {
        return 0;
    }
    battery_reading_init(&battery->fresh);
    reason_set(&battery->fresh.state_reason, REASON_BATTERY_SILENT, "source", options->source,
               NULL);
    battery->verdict = battery->fresh;
    battery->shown = battery->fresh;
    if (options->kind == BATTERY_KIND_EMULATED) {
        error = emulated_create(ctl);
    }
    if (error == 0) {
        (void)snprintf(key, sizeof(key), "c%u-%s", ctl->options.index,
                       options->kind == BATTERY_KIND_CACHEVAULT ? "cv" : "bbu");
        object_add(ctl, &battery->object, OBJECT_KIND_BATTERY, key, ctl);
    }
    return error;
}

void battery_begin(struct ctl *ctl)
{
    battery_medium_changed(ctl);
    if (ctl->battery.emulated != NULL) {
        battery_live(ctl, 0);
        clock_arm(ctl->ports.clock, &ctl->battery.timer, clock_now_us(ctl->ports.clock) + TICK_US);
    }
}

void battery_end(struct ctl *ctl)
{
    clock_cancel(ctl->ports.clock, &ctl->battery.timer);
    if (ctl->battery.emulated != NULL && !ctl->battery.putting) {
        battery_save(ctl);
    }
}

bool battery_is_quiet(const struct ctl *ctl)
{
    return !ctl->battery.putting;
}

void battery_free(struct ctl *ctl)
{
    clock_cancel(ctl->ports.clock, &ctl->battery.timer);
    ASSERT(!ctl->battery.putting);
    ctl->battery.emulated = emulated_battery_free(ctl->battery.emulated);
}
