/*
 * battery_learn, battery_set and battery_fault.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

static bool refuse_battery(const struct ctl *ctl, enum reason_code code, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    battery_path(ctl, path, sizeof(path));
    reason_set(ret_reason, code, "battery", path, NULL);
    return false;
}

/* Rules */

bool rule_battery_set(const struct ctl *ctl, struct reason *ret_reason)
{
    if (!rule_online(ctl, ret_reason)) {
        return false;
    }
    if (ctl->options.battery.kind == BATTERY_KIND_CACHEVAULT) {
        return refuse_battery(ctl, REASON_BATTERY_IS_PERSISTENT, ret_reason);
    }
    if (ctl->battery.emulated == NULL ||
        !emulated_battery_profile(ctl->battery.emulated)->has_learn) {
        return refuse_battery(ctl, REASON_LEARN_UNSUPPORTED, ret_reason);
    }
    return true;
}

bool rule_battery_learn(const struct ctl *ctl, struct reason *ret_reason)
{
    const struct ctl_battery *battery = &ctl->battery;
    enum battery_state now = battery->verdict.state;
    char path[PATH_TEXT_BYTES];

    if (!rule_battery_set(ctl, ret_reason)) {
        return false;
    }
    if (emulated_battery_learns(battery->emulated)) {
        return refuse_battery(ctl, REASON_LEARN_RUNNING, ret_reason);
    }
    if (battery->shown.learn.mode == LEARN_MODE_DISABLED) {
        return refuse_battery(ctl, REASON_LEARN_DISABLED, ret_reason);
    }
    if (now == BATTERY_STATE_MISSING || now == BATTERY_STATE_DISCHARGING) {
        battery_path(ctl, path, sizeof(path));
        reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state", battery_state_word(now),
                   "op", ctl_op_said(CTL_OP_BATTERY_LEARN), NULL);
        return false;
    }
    return true;
}

bool rule_battery_fault(const struct ctl *ctl, struct reason *ret_reason)
{
    if (!rule_online(ctl, ret_reason)) {
        return false;
    }
    if (ctl->battery.emulated == NULL) {
        return refuse_battery(ctl, REASON_BATTERY_NOT_EMULATED, ret_reason);
    }
    return true;
}

static bool battery_is_named(struct ctl *ctl, const char *key)
{
    struct reason reason;

    if (battery_is_fitted(ctl) && strcmp(ctl->battery.object.key, key) == 0) {
        return true;
    }
    reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "battery", "key", key, NULL);
    command_finish(ctl, &reason);
    return false;
}

/* battery_learn */

void command_battery_learn(struct ctl *ctl, struct ctl_command *command)
{
    struct reason reason;

    if (!battery_is_named(ctl, command->args.battery.battery)) {
        return;
    }
    if (!rule_battery_learn(ctl, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    ctl->battery.figures_us = 0;
    battery_live(ctl, emulated_battery_learn_start(ctl->battery.emulated));
    command_object_add(command, &ctl->battery.object);
    command_done(ctl);
}

/* battery_set */

static void event_setting(struct ctl *ctl, const char *property, const char *old, const char *now)
{
    char path[PATH_TEXT_BYTES];

    if (strcmp(old, now) != 0) {
        battery_path(ctl, path, sizeof(path));
        ctl_event(ctl, EVENT_LEARN_SETTINGS_CHANGED, ctl->battery.object.key, "battery", path,
                  "property", property, "old", old, "new", now, NULL);
    }
}

static const char *time_text(uint64_t time_us, char out[24])
{
    (void)snprintf(out, 24, "%llu", (unsigned long long)(time_us / 1000000));
    return time_us == 0 ? "none" : out;
}

static void settings_events(struct ctl *ctl)
{
    const struct emulated_battery_memory *old = &ctl->battery.settings;
    struct emulated_battery_memory now;
    char old_text[24], now_text[24], path[PATH_TEXT_BYTES];

    emulated_battery_remember(ctl->battery.emulated, &now);
    event_setting(ctl, "learn_mode", learn_mode_word(old->mode), learn_mode_word(now.mode));
    event_setting(ctl, "next_learn_at", time_text(old->next_learn_us, old_text),
                  time_text(now.next_learn_us, now_text));
    if (now.next_learn_us > old->next_learn_us) {
        battery_path(ctl, path, sizeof(path));
        ctl_event(ctl, EVENT_LEARN_POSTPONED, ctl->battery.object.key, "battery", path, NULL);
    }
}

static void settings_restore(struct ctl *ctl)
{
    emulated_battery_mode_set(ctl->battery.emulated, ctl->battery.settings.mode,
                              clock_wall_us(ctl->ports.clock));
    emulated_battery_plan_restore(ctl->battery.emulated, ctl->battery.settings.next_learn_us,
                                  ctl->battery.settings.planned_learn_us);
}

static void battery_set_done(struct ctl *ctl, int error, void *context)
{
    struct ctl_command *command = context;
    struct reason reason;

    if (error != 0) {
        settings_restore(ctl);
        reason_from_store(&reason, error);
    } else {
        settings_events(ctl);
        command_object_add(command, &ctl->battery.object);
        reason_set(&reason, REASON_OK, NULL);
    }
    ctl->battery.figures_us = 0;
    battery_live(ctl, 0);
    command_finish(ctl, &reason);
}

static bool date_is_good(const struct ctl *ctl, const struct ctl_command *command,
                         struct reason *ret_reason)
{
    uint32_t fields = command->args.battery_set.fields;
    enum learn_mode mode = (fields & BATTERY_SET_LEARN_MODE) != 0
                               ? command->args.battery_set.learn_mode
                               : ctl->battery.shown.learn.mode;

    if ((fields & BATTERY_SET_NEXT_LEARN) == 0) {
        return true;
    }
    if (mode != LEARN_MODE_AUTO && mode != LEARN_MODE_WARN) {
        reason_set(ret_reason, REASON_LEARN_DATE_MODE, NULL);
        return false;
    }
    if (command->args.battery_set.next_learn_us <= clock_wall_us(ctl->ports.clock)) {
        reason_set(ret_reason, REASON_LEARN_DATE_PAST, NULL);
        return false;
    }
    return true;
}

static void settings_apply(struct ctl *ctl, const struct ctl_command *command)
{
    struct emulated_battery *emulated = ctl->battery.emulated;

    emulated_battery_remember(emulated, &ctl->battery.settings);
    if ((command->args.battery_set.fields & BATTERY_SET_LEARN_MODE) != 0) {
        emulated_battery_mode_set(emulated, command->args.battery_set.learn_mode,
                                  clock_wall_us(ctl->ports.clock));
    }
    if ((command->args.battery_set.fields & BATTERY_SET_NEXT_LEARN) != 0) {
        emulated_battery_next_learn_set(emulated, command->args.battery_set.next_learn_us);
    }
}

void command_battery_set(struct ctl *ctl, struct ctl_command *command)
{
    struct reason reason;

    if (!battery_is_named(ctl, command->args.battery_set.battery)) {
        return;
    }
    if (command->args.battery_set.fields == 0) {
        command_refuse(ctl, REASON_NOTHING_TO_CHANGE);
        return;
    }
    if ((unsigned)command->args.battery_set.learn_mode >= LEARN_MODE_MAX) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "learn_mode", "problem",
                   "no such value", NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_battery_set(ctl, &reason) || !date_is_good(ctl, command, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if (!battery_is_quiet(ctl)) {
        reason_set(&reason, REASON_BUSY, "key", ctl->battery.object.key, "operation", "a save",
                   NULL);
        command_finish(ctl, &reason);
        return;
    }
    settings_apply(ctl, command);
    if (!battery_settings_save(ctl, battery_set_done, command)) {
        UNREACHABLE(); /* it was quiet, and applying saves nothing */
    }
}

/* battery_fault */

void command_battery_fault(struct ctl *ctl, struct ctl_command *command)
{
    enum battery_fault fault = command->args.battery_fault.fault;
    struct reason reason;
    char path[PATH_TEXT_BYTES];

    if (!battery_is_named(ctl, command->args.battery_fault.battery)) {
        return;
    }
    if ((unsigned)fault >= BATTERY_FAULT_MAX) {
        command_refuse(ctl, REASON_UNKNOWN_COMMAND);
        return;
    }
    if (!rule_battery_fault(ctl, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    battery_path(ctl, path, sizeof(path));
    ctl_event(ctl, EVENT_BATTERY_FAULT_INJECTED, ctl->battery.object.key, "battery", path, "fault",
              battery_fault_word(fault), NULL);
    emulated_battery_fault_set(ctl->battery.emulated, fault);
    ctl->battery.figures_us = 0;
    battery_live(ctl, 0);
    ctl_policies_work(ctl);
    command_object_add(command, &ctl->battery.object);
    command_done(ctl);
}
