/* The answers as a document: result.schema.json. Times in microseconds of virtual time. */
#include <math.h>

#include "control/json_text.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"
#include "lab/lab_survival.h"

/* Three digits behind the point: enough, and the same on every machine. */
static json_t *real_doc(double value)
{
    return json_real(floor(value * 1000 + 0.5) / 1000);
}

static json_t *latency_of(const struct lab_latency *latency)
{
    json_t *doc = json_new_object();

    json_put_u64(doc, "count", latency->count);
    json_put(doc, "mean_us", real_doc(latency->mean_us));
    json_put_u64(doc, "p50_us", latency->p50_us);
    json_put_u64(doc, "p90_us", latency->p90_us);
    json_put_u64(doc, "p99_us", latency->p99_us);
    json_put_u64(doc, "p999_us", latency->p999_us);
    json_put_u64(doc, "max_us", latency->max_us);
    return doc;
}

static json_t *drives_doc(const struct lab_outcome *outcome)
{
    json_t *doc = json_new_array();

    for (uint32_t i = 0; i < outcome->drive_count; i++) {
        const struct lab_counts *counts = &outcome->drives[i];
        json_t *entry = json_new_object();

        json_put_u64(entry, "reads", counts->reads);
        json_put_u64(entry, "writes", counts->writes);
        json_put_u64(entry, "flushes", counts->flushes);
        json_put_u64(entry, "read_bytes", counts->read_bytes);
        json_put_u64(entry, "written_bytes", counts->written_bytes);
        json_append(doc, entry);
    }
    return doc;
}

static json_t *mix_doc(const struct lab_mix *mix)
{
    json_t *doc = json_new_array();

    for (uint32_t i = 0; i < mix->count; i++) {
        json_t *entry = json_new_object();

        json_put_u64(entry, "bytes", mix->blocks[i].bytes);
        json_put_u64(entry, "percent", mix->blocks[i].percent);
        json_append(doc, entry);
    }
    return doc;
}

static json_t *point_doc(const struct lab_scenario *scenario, const struct lab_place *place,
                         const struct lab_answer *answer, uint64_t written_bytes)
{
    const struct lab_workload *workload = &scenario->workloads[place->workload];
    const struct lab_outcome *outcome = &answer->outcome;
    uint64_t fills = lab_point_fill_operations(scenario, place);
    json_t *doc = json_new_object();
    json_t *warnings = NULL;

    json_put_text(doc, "workload", workload->name);
    json_put(doc, "mix", mix_doc(&workload->mixes[place->mix]));
    json_put_u64(doc, "write_percent", workload->write_percents[place->write_percent]);
    json_put_u64(doc, "workers", workload->workers[place->workers]);
    json_put_u64(doc, "depth", workload->depths[place->depth]);
    if (answer->error != 0) {
        json_put_text(doc, "error", answer->text);
        return doc;
    }
    json_put_u64(doc, "operations", outcome->operations);
    json_put_u64(doc, "reads", outcome->reads);
    json_put_u64(doc, "writes", outcome->writes);
    json_put_u64(doc, "bytes", outcome->bytes);
    json_put_u64(doc, "duration_us", outcome->duration_us);
    json_put(doc, "operations_per_s", real_doc(outcome->operations_per_s));
    json_put(doc, "bytes_per_s", real_doc(outcome->bytes_per_s));
    json_put(doc, "bytes_per_s_max", real_doc(outcome->bytes_per_s_max));
    json_put_u64(doc, "dirty_bytes", answer->dirty_bytes);
    if (fills > 0) {
        json_put(doc, "cache_filled", json_boolean(fills <= lab_fill_most(scenario, workload)));
    }
    json_put(doc, "read_latency", latency_of(&outcome->read));
    json_put(doc, "write_latency", latency_of(&outcome->write));
    json_put(doc, "drives", drives_doc(outcome));
    warnings = lab_warnings_doc(scenario, place, answer, written_bytes);
    if (warnings != NULL) {
        json_put(doc, "warnings", warnings);
    }
    return doc;
}

/* Over the depths of one combination of the other steps: the mean of operations/s, or the sum of
 * operations/s divided by the depth, as the reviews' formulas say. */
static json_t *rating_doc(const struct lab_scenario *scenario, const struct lab_place *place,
                          const struct lab_answer *answers)
{
    const struct lab_workload *workload = &scenario->workloads[place->workload];
    json_t *doc = json_new_object();
    double sum = 0;

    for (uint32_t i = 0; i < workload->depth_count; i++) {
        sum += workload->rating == LAB_RATING_MEAN
                   ? answers[i].outcome.operations_per_s / workload->depth_count
                   : answers[i].outcome.operations_per_s / workload->depths[i];
    }
    json_put_text(doc, "workload", workload->name);
    json_put_text(doc, "formula", lab_rating_word(workload->rating));
    json_put_u64(doc, "write_percent", workload->write_percents[place->write_percent]);
    json_put_u64(doc, "workers", workload->workers[place->workers]);
    json_put(doc, "mix", mix_doc(&workload->mixes[place->mix]));
    json_put(doc, "value", real_doc(sum));
    return doc;
}

/* Which drives may fail: one, or two at a time. */
static json_t *survival_doc(const struct lab_scenario *scenario, const struct lab_variant *variant)
{
    json_t *doc = json_new_object();
    json_t *fatal = json_new_array();
    struct geometry geometry;
    struct lab_survival survival;

    lab_variant_geometry(scenario, variant, &geometry);
    lab_survival_count(&geometry, &survival);
    for (uint32_t one = 0; one < variant->drive_count; one++) {
        for (uint32_t other = one + 1; other < variant->drive_count; other++) {
            if (!lab_survives(&geometry, UINT64_C(1) << one | UINT64_C(1) << other)) {
                json_t *pair = json_new_array();

                json_append(pair, json_integer(one));
                json_append(pair, json_integer(other));
                json_append(fatal, pair);
            }
        }
    }
    json_put_u64(doc, "singles", survival.singles);
    json_put_u64(doc, "singles_survived", survival.singles_survived);
    json_put_u64(doc, "pairs", survival.pairs);
    json_put_u64(doc, "pairs_survived", survival.pairs_survived);
    json_put(doc, "fatal_pairs", fatal);
    return doc;
}

static json_t *rebuild_doc(const struct lab_rebuild *rebuild)
{
    json_t *doc = json_new_object();

    json_put(doc, "seconds", real_doc(rebuild->seconds));
    json_put_u64(doc, "member_bytes", rebuild->member_bytes);
    json_put_u64(doc, "sampled_bytes", rebuild->sampled_bytes);
    return doc;
}

static json_t *failed_doc(uint64_t failed)
{
    json_t *doc = json_new_array();

    for (uint32_t member = 0; member < LAB_DRIVES_MAX; member++) {
        if ((failed >> member & 1) != 0) {
            json_append(doc, json_integer(member));
        }
    }
    return doc;
}

/* Only what is not as asked for has a reason. */
static void write_policy_put(json_t *doc, const struct lab_variant *variant)
{
    char text[REASON_TEXT_MAX] = "";

    if (variant->effective != variant->write_policy) {
        (void)reason_text(&variant->reason, text, sizeof(text));
    }
    json_put_text(doc, "write_policy", write_policy_word(variant->write_policy));
    json_put_text(doc, "effective_write_policy", write_policy_word(variant->effective));
    json_put_text_or_null(doc, "write_policy_reason", text);
}

json_t *lab_variant_doc(const struct lab_scenario *scenario, uint32_t index,
                        const struct lab_place *places, const struct lab_answer *answers,
                        uint64_t written_bytes)
{
    const struct lab_variant *variant = &scenario->variants[index];
    json_t *doc = json_new_object();
    json_t *points = json_new_array();
    json_t *ratings = json_new_array();
    json_t *rebuild = NULL;
    bool is_refused = scenario->variant_texts[index][0] != '\0';
    uint64_t size_bytes = 0;

    for (uint32_t i = 0; i < scenario->point_count; i++) {
        const struct lab_workload *workload = &scenario->workloads[places[i].workload];

        if (places[i].is_rebuild) {
            if (!is_refused && places[i].variant == lab_shape_variant(scenario, index)) {
                rebuild = rebuild_doc(&answers[i].rebuild);
            }
            continue;
        }
        if (places[i].variant != index) {
            continue;
        }
        size_bytes = answers[i].size_bytes;
        json_append(points, point_doc(scenario, &places[i], &answers[i],
                                      written_bytes != UINT64_MAX
                                          ? written_bytes
                                          : lab_written_bytes(scenario, &places[i], &answers[i])));
        if (workload->rating != LAB_RATING_NONE && places[i].depth == 0) {
            json_append(ratings, rating_doc(scenario, &places[i], &answers[i]));
        }
    }
    json_put_text(doc, "level", raid_level_word(variant->level));
    json_put_u64(doc, "drives", variant->drive_count);
    write_policy_put(doc, variant);
    json_put_text(doc, "read_policy", read_policy_word(variant->read_policy));
    json_put_text(doc, "io_policy", io_policy_word(variant->io_policy));
    json_put_u64(doc, "strip_bytes", variant->strip_bytes);
    json_put(doc, "failed", failed_doc(variant->failed));
    json_put_text_or_null(doc, "refused", scenario->variant_texts[index]);
    json_put_u64(doc, "size_bytes", size_bytes);
    json_put(doc, "survival", is_refused ? json_null() : survival_doc(scenario, variant));
    json_put(doc, "rebuild", rebuild != NULL ? rebuild : json_null());
    json_put(doc, "points", points);
    json_put(doc, "ratings", ratings);
    return doc;
}

/* What is the same for all arrays. */
static json_t *head_doc(const struct lab_scenario *scenario, const struct lab_scenario *first)
{
    json_t *doc = json_new_object();
    json_t *limits = json_new_object();

    json_put_u64(limits, "operations", scenario->operations);
    json_put_u64(limits, "warmup_operations", scenario->warmup_operations);
    if (scenario->fill_operations > 0) {
        json_put_u64(limits, "fill_operations", scenario->fill_operations);
    }
    json_put_u64(limits, "seconds", scenario->seconds);
    json_put_text(doc, "name", scenario->name);
    json_put_u64(doc, "seed", scenario->seed);
    json_put_text(doc, "controller", scenario->controller.profile.name);
    json_put_text(doc, "drive", first->array.drive.name);
    json_put_u64(doc, "capacity_bytes", first->array.drive.capacity_bytes);
    json_put_u64(doc, "cache_bytes", scenario->array.cache_bytes);
    json_put_text(doc, "battery", battery_state_word(scenario->battery));
    json_put(doc, "limits", limits);
    return doc;
}

json_t *lab_result_doc(const struct lab_scenario *scenario, const struct lab_place *places,
                       const struct lab_answer *answers)
{
    json_t *doc = head_doc(scenario, scenario);
    json_t *arrays = json_new_array();

    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        json_append(arrays, lab_variant_doc(scenario, i, places, answers, UINT64_MAX));
    }
    json_put(doc, "arrays", arrays);
    return doc;
}

/* Groups */

static json_t *fault_doc(const struct lab_fault *fault)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "kind", lab_fault_word(fault->kind));
    json_put_u64(doc, "member", fault->member);
    switch (fault->kind) {
    case LAB_FAULT_SLOW:
        json_put_u64(doc, "latency_ms", fault->latency_ms);
        break;
    case LAB_FAULT_FAILS:
        json_put_u64(doc, "after_ms", fault->after_ms);
        break;
    case LAB_FAULT_LATENT_ERRORS:
        json_put_u64(doc, "offset_bytes", fault->offset_bytes);
        json_put_u64(doc, "length_bytes", fault->length_bytes);
        break;
    case LAB_FAULT_MAX:
        UNREACHABLE();
    }
    return doc;
}

static json_t *rebuilding_doc(const struct lab_group *group, const struct lab_group_answer *answer)
{
    json_t *doc = json_new_object();

    json_put_u64(doc, "member", group->point.array.rebuild_member);
    json_put_u64(doc, "rate_percent", group->rebuild_rate_percent);
    json_put_text(doc, "state", operation_state_word(answer->rebuild_state));
    json_put_u64(doc, "rebuilt_bytes", answer->rebuilt_bytes);
    json_put_u64(doc, "member_bytes", answer->member_bytes);
    return doc;
}

/* How it ended. */
static void ending_put(json_t *doc, const struct lab_group *group,
                       const struct lab_group_answer *answer)
{
    json_put_text(doc, "state", virtual_drive_state_word(answer->state));
    json_put_u64(doc, "failed_requests", answer->answer.outcome.failed);
    json_put_u64(doc, "latent_bytes", answer->latent_bytes);
    json_put_u64(doc, "bad_bytes", answer->bad_bytes);
    json_put(doc, "rebuilding",
             group->point.array.is_rebuilding ? rebuilding_doc(group, answer) : json_null());
}

/* The only point of a group. */
static const struct lab_place group_place = {.variant = 0};

static json_t *alone_doc(const struct lab_scenario *scenario, const struct lab_group *group,
                         const struct lab_group_answer *answer)
{
    json_t *doc = json_new_object();

    ending_put(doc, group, answer);
    json_put(doc, "point",
             point_doc(scenario, &group_place, &answer->answer,
                       lab_written_bytes(scenario, &group_place, &answer->answer)));
    return doc;
}

static json_t *group_doc(const struct lab_group *group, const struct lab_group_answer *answer)
{
    json_t *doc = json_new_object();
    json_t *faults = json_new_array();

    for (uint32_t i = 0; i < group->fault_count; i++) {
        json_append(faults, fault_doc(&group->faults[i]));
    }
    json_put_text(doc, "name", group->name);
    json_put_text(doc, "drive", group->point.array.drive.name);
    json_put_u64(doc, "capacity_bytes", group->point.array.drive.capacity_bytes);
    json_put(doc, "faults", faults);
    ending_put(doc, group, answer);
    return doc;
}

json_t *lab_result_groups_doc(const struct lab_scenario *scenario,
                              const struct lab_group_answer *answers,
                              const struct lab_group_answer *alone)
{
    json_t *doc = head_doc(scenario, scenario->group_scenarios[0]);
    json_t *arrays = json_new_array();
    uint64_t written_bytes = 0; /* into the one cache */

    for (uint32_t i = 0; i < scenario->group_count; i++) {
        written_bytes +=
            lab_written_bytes(scenario->group_scenarios[i], &group_place, &answers[i].answer);
    }
    for (uint32_t i = 0; i < scenario->group_count; i++) {
        const struct lab_scenario *of = scenario->group_scenarios[i];
        const struct lab_group *group = &scenario->groups[i];
        json_t *array = lab_variant_doc(of, 0, &group_place, &answers[i].answer, written_bytes);
        json_t *group_entry = group_doc(group, &answers[i]);

        json_put(group_entry, "alone",
                 alone != NULL ? alone_doc(of, group, &alone[i]) : json_null());
        json_put(array, "group", group_entry);
        json_append(arrays, array);
    }
    json_put(doc, "arrays", arrays);
    return doc;
}
