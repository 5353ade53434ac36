/*
 * See ups_reading.h. Lines are VAR <ups> <name> "<value>", with \" and \\ inside the quotes.
 * The status is a list of words; those that say nothing about the battery are passed over.
 */
#include "host/ups_reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

/* No UPS lasts longer; what claims to is not believed. */
#define RUNTIME_MAX_S (7.0 * 86400)

struct ups_number {
    const char *name;
    size_t offset;
    double min, max;
};

#define NUMBER(name, member, min, max) {name, offsetof(struct ups_values, member), min, max}

static const struct ups_number numbers[] = {
    NUMBER("battery.charge", charge, 0, 100),
    NUMBER("battery.charge.low", charge_low, 0, 100),
    NUMBER("battery.runtime", runtime_s, 0, RUNTIME_MAX_S),
    NUMBER("battery.runtime.low", runtime_low_s, 0, RUNTIME_MAX_S),
    NUMBER("battery.voltage", voltage, 0, 2000),
    NUMBER("battery.voltage.nominal", voltage_nominal, 0, 2000),
    NUMBER("battery.current", current, -10000, 10000),
    NUMBER("battery.temperature", temperature, -60, 200),
    NUMBER("battery.capacity", capacity_ah, 0, 100000),
};

static const struct ups_text {
    const char *name;
    size_t offset, bytes;
} texts[] = {
    {"ups.status", offsetof(struct ups_values, status), UPS_VALUE_BYTES},
    {"ups.mfr", offsetof(struct ups_values, manufacturer), 41},
    {"device.mfr", offsetof(struct ups_values, manufacturer), 41},
    {"ups.model", offsetof(struct ups_values, model), 41},
    {"device.model", offsetof(struct ups_values, model), 41},
    {"ups.serial", offsetof(struct ups_values, serial), 41},
    {"device.serial", offsetof(struct ups_values, serial), 41},
    {"battery.type", offsetof(struct ups_values, chemistry), 17},
    {"battery.mfr.date", offsetof(struct ups_values, mfr_date), 11},
};

void ups_values_init(struct ups_values *values)
{
    memset(values, 0, sizeof(*values));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        *(double *)(void *)((char *)values + numbers[i].offset) = NAN;
    }
}

/* Lines */

/* The text between the quotes; false if the quotes or escapes are not as they should be. */
static bool value_unquote(const char *text, char out[UPS_LINE_BYTES])
{
    size_t used = 0;

    if (*text++ != '"') {
        return false;
    }
    while (*text != '"') {
        if (*text == '\\') {
            text++;
        }
        if (*text == '\0' || used + 1 >= UPS_LINE_BYTES) {
            return false;
        }
        out[used++] = *text++;
    }
    out[used] = '\0';
    return text[1] == '\0';
}

static void number_take(const struct ups_number *number, const char *text,
                        struct ups_values *values)
{
    char *end = NULL;
    double value = strtod(text, &end);
    bool sound = end != text && *end == '\0' && isfinite(value) && value >= number->min &&
                 value <= number->max;

    *(double *)(void *)((char *)values + number->offset) = sound ? value : NAN;
}

static void value_take(struct ups_values *values, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            number_take(&numbers[i], value, values);
        }
    }
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(texts[i].name, name) == 0) {
            (void)snprintf((char *)values + texts[i].offset, texts[i].bytes, "%s", value);
        }
    }
}

/* What follows the prefix, or NULL. */
static const char *after(const char *line, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

static enum ups_answer error_of(const char *word)
{
    if (strncmp(word, "DATA-STALE", 10) == 0) {
        return UPS_ANSWER_STALE;
    }
    return strncmp(word, "DRIVER-NOT-CONNECTED", 20) == 0 ? UPS_ANSWER_DRIVER_GONE
                                                          : UPS_ANSWER_REFUSED;
}

static enum ups_answer variable_take(struct ups_values *values, const char *rest)
{
    char name[64];
    char value[UPS_LINE_BYTES];
    size_t length = strcspn(rest, " ");

    if (length == 0 || length >= sizeof(name) || rest[length] != ' ' ||
        !value_unquote(rest + length + 1, value)) {
        return UPS_ANSWER_VOID;
    }
    memcpy(name, rest, length);
    name[length] = '\0';
    value_take(values, name, value);
    return UPS_ANSWER_MORE;
}

enum ups_answer ups_values_line(struct ups_values *values, const char *ups, const char *line)
{
    char text[UPS_VALUE_BYTES + 32];
    const char *rest = after(line, "ERR ");

    ASSERT(strlen(ups) < UPS_VALUE_BYTES);
    if (rest != NULL) {
        return error_of(rest);
    }
    (void)snprintf(text, sizeof(text), "BEGIN LIST VAR %s", ups);
    if (strcmp(line, text) == 0) {
        bool again = values->begun;

        values->begun = true;
        return again ? UPS_ANSWER_VOID : UPS_ANSWER_MORE;
    }
    if (!values->begun) {
        return UPS_ANSWER_VOID;
    }
    (void)snprintf(text, sizeof(text), "END LIST VAR %s", ups);
    if (strcmp(line, text) == 0) {
        return UPS_ANSWER_WHOLE;
    }
    (void)snprintf(text, sizeof(text), "VAR %s ", ups);
    rest = after(line, text);
    return rest != NULL ? variable_take(values, rest) : UPS_ANSWER_VOID;
}

/* Meaning */

static bool status_has(const struct ups_values *values, const char *word)
{
    const char *text = values->status;
    size_t wanted = strlen(word);

    while (*text != '\0') {
        size_t length = strcspn(text, " ");

        if (length == wanted && strncmp(text, word, length) == 0) {
            return true;
        }
        text += length;
        text += strspn(text, " ");
    }
    return false;
}

static void judge(struct battery_reading *reading, enum battery_state state, enum reason_code code)
{
    reading->state = state;
    reason_set(&reading->state_reason, code, NULL);
}

static void judge_on_line(const struct ups_values *values, struct battery_reading *reading)
{
    double low = isnan(values->charge_low) ? 0 : values->charge_low;

    if (status_has(values, "CAL")) {
        judge(reading, BATTERY_STATE_LEARNING, REASON_BATTERY_LEARNING);
    } else if (!isnan(values->charge) && values->charge <= low) {
        judge(reading, BATTERY_STATE_CHARGING, REASON_BATTERY_CHARGING);
    } else {
        judge(reading, BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK);
    }
}

/* The worst word decides. */
static void judge_status(const struct ups_values *values, const char *source,
                         struct battery_reading *reading)
{
    bool on_line = status_has(values, "OL");
    bool on_battery = status_has(values, "OB");

    if (status_has(values, "FSD")) {
        judge(reading, BATTERY_STATE_LOW, REASON_BATTERY_FORCED_SHUTDOWN);
    } else if (status_has(values, "LB")) {
        judge(reading, BATTERY_STATE_LOW, REASON_BATTERY_CHARGE_LOW);
    } else if (status_has(values, "WAIT")) { /* its driver has only begun */
        reading->state = BATTERY_STATE_UNKNOWN;
        reason_set(&reading->state_reason, REASON_BATTERY_STALE, "source", source, NULL);
    } else if (on_line == on_battery && !status_has(values, "CAL")) {
        reading->state = BATTERY_STATE_UNKNOWN;
        reason_set(&reading->state_reason, REASON_BATTERY_CONTRADICTS, "source", source, "status",
                   values->status, NULL);
    } else if (on_battery && !status_has(values, "CAL")) {
        judge(reading, BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING);
    } else if (status_has(values, "RB")) {
        judge(reading, BATTERY_STATE_FAILED, REASON_BATTERY_REPLACE);
    } else if (status_has(values, "BYPASS") || status_has(values, "OFF") ||
               status_has(values, "OVER")) {
        reading->state = BATTERY_STATE_DEGRADED;
        reason_set(&reading->state_reason, REASON_BATTERY_NOT_IN_LINE, "status", values->status,
                   NULL);
    } else {
        judge_on_line(values, reading);
    }
}

static int64_t figure(double value, double scale)
{
    return isnan(value) ? BATTERY_UNKNOWN : (int64_t)(value * scale);
}

/* NUT writes 2024/03/17 or 03/17/24, as the UPS does; only the first form is a date for us. */
static void date_read(const char *text, char out[11])
{
    if (strlen(text) == 10 && strspn(text, "0123456789/-") == 10 &&
        (text[4] == '/' || text[4] == '-') && text[7] == text[4]) {
        memcpy(out, text, 11);
        out[4] = '-';
        out[7] = '-';
    }
}

void ups_values_read(const struct ups_values *values, const char *source, uint32_t low_runtime_s,
                     struct battery_reading *ret_reading)
{
    battery_reading_init(ret_reading);
    judge_status(values, source, ret_reading);
    memcpy(ret_reading->model, values->model, sizeof(values->model));
    memcpy(ret_reading->serial, values->serial, sizeof(values->serial));
    memcpy(ret_reading->manufacturer, values->manufacturer, sizeof(values->manufacturer));
    memcpy(ret_reading->chemistry, values->chemistry, sizeof(values->chemistry));
    date_read(values->mfr_date, ret_reading->manufactured_on);
    ret_reading->smart = true;
    ret_reading->charge_percent = figure(values->charge, 1);
    ret_reading->voltage_mv = figure(values->voltage, 1000);
    ret_reading->current_ma = figure(values->current, 1000);
    ret_reading->temperature_c = figure(values->temperature, 1);
    ret_reading->design_voltage_mv = figure(values->voltage_nominal, 1000);
    ret_reading->design_capacity_mah = figure(values->capacity_ah, 1000);
    ret_reading->left_s = figure(values->runtime_s, 1);
    ret_reading->low_left_s =
        isnan(values->runtime_low_s) ? low_runtime_s : figure(values->runtime_low_s, 1);
}

void ups_answer_read(enum ups_answer answer, const char *source,
                     struct battery_reading *ret_reading)
{
    enum reason_code code = answer == UPS_ANSWER_STALE         ? REASON_BATTERY_STALE
                            : answer == UPS_ANSWER_DRIVER_GONE ? REASON_BATTERY_DRIVER_GONE
                                                               : REASON_BATTERY_SILENT;

    ASSERT(answer != UPS_ANSWER_WHOLE);
    battery_reading_init(ret_reading);
    ret_reading->smart = true;
    reason_set(&ret_reading->state_reason, code, "source", source, NULL);
}
