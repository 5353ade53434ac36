/*
 * The battery's document. State, settings and whether it protects are health; figures are not.
 */
#include <string.h>

#include "base/assert.h"
#include "base/attrs.h"
#include "ctl/ctl_private.h"

static void battery_digest(const struct battery_view *view, struct view_digest *digest)
{
    const struct battery_reading *reading = view->reading;
    const int64_t figures[] = {
        reading->charge_percent, reading->voltage_mv,        reading->current_ma,
        reading->temperature_c,  reading->full_capacity_mah, reading->health_percent,
        reading->cycle_count,    reading->retention_s,       reading->left_s,
        reading->low_left_s};

    digest_number(digest, true, (uint64_t)reading->state);
    digest_number(digest, true, (uint64_t)reading->state_reason.code);
    digest_reason(digest, false, &reading->state_reason);
    digest_number(digest, true, view->protects);
    digest_text(digest, true, reading->model);
    digest_text(digest, true, reading->serial);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        digest_number(digest, false, (uint64_t)figures[i]);
    }
    if (reading->has_learn) {
        digest_number(digest, true, (uint64_t)reading->learn.mode);
        digest_number(digest, true, reading->learn.next_us);
        digest_number(digest, true, (uint64_t)reading->learn.delay_s);
        digest_number(digest, false, (uint64_t)reading->learn.state);
        digest_number(digest, false, reading->learn.last_us);
        digest_number(digest, true, reading->learn.has_result);
        digest_number(digest, true, (uint64_t)reading->learn.last_result);
    }
    for (uint32_t i = 0; i < view->fault_count; i++) {
        digest_number(digest, false, (uint64_t)view->faults[i]);
    }
    digest_number(digest, false, view->fault_count);
    digest_blocked(digest, &view->blocked);
}

void view_battery(const struct ctl *ctl, struct battery_view *view, struct view_digest *digest)
{
    const struct emulated_battery *emulated = ctl->battery.emulated;
    struct reason reason UNINITIALIZED;

    ASSERT(battery_is_fitted(ctl));
    memcpy(view->controller, ctl->controller.key, sizeof(view->controller));
    battery_path(ctl, view->path, sizeof(view->path));
    view->kind = ctl->options.battery.kind;
    view->source = battery_source(ctl);
    view->reading = &ctl->battery.shown;
    view->protects = ctl_battery_protects(ctl);
    for (unsigned fault = 0; emulated != NULL && fault < BATTERY_FAULT_MAX; fault++) {
        if (emulated_battery_has_fault(emulated, (enum battery_fault)fault)) {
            view->faults[view->fault_count++] = (enum battery_fault)fault;
        }
    }
    if (!rule_battery_learn(ctl, &reason)) {
        blocked_add(&view->blocked, CTL_OP_BATTERY_LEARN, NULL, &reason);
    }
    if (!rule_battery_set(ctl, &reason)) {
        blocked_add(&view->blocked, CTL_OP_BATTERY_SET, NULL, &reason);
    }
    if (!rule_battery_fault(ctl, &reason)) {
        blocked_add(&view->blocked, CTL_OP_BATTERY_FAULT, NULL, &reason);
    }
    battery_digest(view, digest);
}
