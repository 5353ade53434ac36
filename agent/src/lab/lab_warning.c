/* Why the figures of a point may say too much (lab_scenario_private.h). */
#include <stdarg.h>
#include <stdio.h>

#include "base/checked.h"
#include "control/json_text.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"

/* Fewer rounds of all requests on their way are mostly the beginning and the end of a run. */
#define ROUNDS_LEAST 10u
#define OPERATIONS_LEAST 200u

static void warn(json_t *warnings, const char *code, const char *format, ...) PRINTF_LIKE(3, 4);

static void warn(json_t *warnings, const char *code, const char *format, ...)
{
    char text[LAB_TEXT_BYTES] = "";
    json_t *doc = json_new_object();
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    json_put_text(doc, "code", code);
    json_put_text(doc, "text", text);
    json_append(warnings, doc);
}

static uint64_t cache_bytes(const struct lab_scenario *scenario)
{
    return scenario->array.cache_bytes * scenario->front.controller_count;
}

uint64_t lab_written_bytes(const struct lab_scenario *scenario, const struct lab_place *place,
                           const struct lab_answer *answer)
{
    uint64_t fills = lab_point_cache_operations(scenario, place);
    double times = fills == 0 ? 0 : (double)answer->outcome.warmed_operations / (double)fills;

    return (uint64_t)(times * (double)cache_bytes(scenario));
}

static void cache_look(const struct lab_scenario *scenario, const struct lab_place *place,
                       uint64_t written_bytes, json_t *warnings)
{
    uint64_t fills = lab_point_cache_operations(scenario, place);

    if (fills == 0 || written_bytes >= cache_bytes(scenario)) {
        return;
    }
    warn(warnings, "cache_not_filled",
         "The cache was not filled before measuring: %.1f of %.1f MB were written. The drives may "
         "not sustain these figures. Set limits.fill_operations to %llu or more.",
         (double)written_bytes / 1e6, (double)cache_bytes(scenario) / 1e6,
         (unsigned long long)(2 * fills));
}

/* What is written through comes to the drives' own buffers first. */
static void buffers_look(const struct lab_scenario *scenario, const struct lab_place *place,
                         const struct lab_answer *answer, json_t *warnings)
{
    const struct lab_variant *variant = &scenario->variants[place->variant];
    const struct lab_workload *workload = &scenario->workloads[place->workload];
    bool past = scenario->controller.profile.write_through_past_buffers;
    uint64_t held = (uint64_t)variant->drive_count * scenario->front.controller_count *
                    scenario->array.drive.timing.buffered_writes;
    uint32_t percent = workload->write_percents[place->write_percent];
    uint64_t written = answer->outcome.warmed_operations * percent / 100;

    if (!scenario->array.drive_cache || past || workload->pattern != LOAD_PATTERN_RANDOM ||
        percent == 0 || variant->effective != WRITE_POLICY_WRITE_THROUGH || written >= held) {
        return;
    }
    warn(warnings, "drive_buffers_not_filled",
         "The drives' own write buffers were not filled before measuring: they hold %llu writes, "
         "%llu were sent. Set limits.warmup_operations to %llu or more.",
         (unsigned long long)held, (unsigned long long)written,
         (unsigned long long)div_ceil_u64(2 * held * 100, percent));
}

static void length_look(const struct lab_scenario *scenario, const struct lab_place *place,
                        const struct lab_answer *answer, json_t *warnings)
{
    const struct lab_workload *workload = &scenario->workloads[place->workload];
    uint64_t asked = workload->operations != 0 ? workload->operations : scenario->operations;
    uint64_t open = (uint64_t)workload->workers[place->workers] * workload->depths[place->depth];
    uint64_t least = max_u64(OPERATIONS_LEAST, ROUNDS_LEAST * open);
    uint64_t done = answer->outcome.operations;

    if (done >= least) {
        return;
    }
    if (done < asked && answer->outcome.duration_us >= scenario->seconds * UINT64_C(1000000)) {
        warn(warnings, "time_limit",
             "limits.seconds ended the run after %llu of %llu operations. With %llu requests at a "
             "time, figures need %llu or more.",
             (unsigned long long)done, (unsigned long long)asked, (unsigned long long)open,
             (unsigned long long)least);
        return;
    }
    warn(warnings, "run_too_short",
         "The run is too short: %llu operations were measured. With %llu requests at a time, "
         "figures need %llu or more. Raise limits.operations.",
         (unsigned long long)done, (unsigned long long)open, (unsigned long long)least);
}

json_t *lab_warnings_doc(const struct lab_scenario *scenario, const struct lab_place *place,
                         const struct lab_answer *answer, uint64_t written_bytes)
{
    json_t *warnings = json_new_array();

    cache_look(scenario, place, written_bytes, warnings);
    buffers_look(scenario, place, answer, warnings);
    length_look(scenario, place, answer, warnings);
    if (json_array_size(warnings) == 0) {
        json_decref(warnings);
        return NULL;
    }
    return warnings;
}
