/* What the controller's model permits of a scenario, and how many points there are. */
#include <stdio.h>

#include "base/checked.h"
#include "cache/write_policy.h"
#include "lab/lab_scenario_private.h"
#include "lab/lab_survival.h"

#define MIB (UINT64_C(1) << 20)

uint32_t lab_variant_spans(const struct lab_scenario *scenario, const struct lab_variant *variant)
{
    if (scenario->spans != 0 && variant->level == scenario->array.level) {
        return scenario->spans;
    }
    if (variant->level == RAID_LEVEL_10) {
        return max_u32(1, variant->drive_count / 2);
    }
    return raid_level_info(variant->level)->striped_spans ? 2 : 1;
}

void lab_variant_geometry(const struct lab_scenario *scenario, const struct lab_variant *variant,
                          struct geometry *ret_geometry)
{
    uint32_t spans = lab_variant_spans(scenario, variant);

    *ret_geometry = (struct geometry){.level = variant->level,
                                      .span_count = spans,
                                      .members_per_span = variant->drive_count / spans,
                                      .strip_bytes = variant->strip_bytes,
                                      .block_bytes = 512,
                                      .extent_bytes = variant->strip_bytes};
}

static void variant_check(const struct lab_scenario *scenario, const struct lab_variant *variant,
                          char text[LAB_TEXT_BYTES])
{
    const struct controller_profile *profile = &scenario->controller.profile;
    const char *level = raid_level_info(variant->level)->name;
    uint32_t spans = lab_variant_spans(scenario, variant);
    struct geometry geometry;
    const char *why = NULL;

    lab_variant_geometry(scenario, variant, &geometry);
    text[0] = '\0';
    if (!profile->levels[variant->level].offered) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%s does not offer %s", profile->model, level);
    } else if (variant->drive_count < profile->levels[variant->level].drives_min) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%s takes %s of at least %u drives", profile->model,
                       level, profile->levels[variant->level].drives_min);
    } else if (profile->ports != 0 && variant->drive_count > profile->ports) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%s has %u ports", profile->model, profile->ports);
    } else if (!controller_profile_has_strip(profile, variant->strip_bytes)) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%s has no strips of %u bytes", profile->model,
                       variant->strip_bytes);
    } else if (profile->spans_max != 0 && spans > profile->spans_max) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%s takes at most %u spans", profile->model,
                       profile->spans_max);
    } else if (variant->drive_count % spans != 0) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%u drives cannot be arranged in %u spans",
                       variant->drive_count, spans);
    } else if (geometry_check(&geometry, &why) != 0) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%s of %u drive%s: %s", level, variant->drive_count,
                       variant->drive_count == 1 ? "" : "s", why);
    } else if (variant->write_policy != WRITE_POLICY_WRITE_THROUGH &&
               scenario->array.cache_bytes == 0) {
        (void)snprintf(text, LAB_TEXT_BYTES, "without a cache there is no write-back");
    } else if (variant->failed >> (variant->drive_count - 1) > 1) {
        (void)snprintf(text, LAB_TEXT_BYTES, "a member has failed that is not there");
    } else if (!lab_survives(&geometry, variant->failed)) {
        (void)snprintf(text, LAB_TEXT_BYTES, "%s of %u drive%s does not survive this", level,
                       variant->drive_count, variant->drive_count == 1 ? "" : "s");
    }
}

static bool has_shape_of(const struct lab_scenario *scenario, uint32_t index, uint32_t other_index)
{
    const struct lab_variant *variant = &scenario->variants[index];
    const struct lab_variant *other = &scenario->variants[other_index];

    return scenario->variant_texts[other_index][0] == '\0' && other->level == variant->level &&
           other->drive_count == variant->drive_count &&
           other->strip_bytes == variant->strip_bytes && other->failed == variant->failed;
}

uint32_t lab_shape_variant(const struct lab_scenario *scenario, uint32_t index)
{
    uint32_t first = 0;

    while (first < index && !has_shape_of(scenario, index, first)) {
        first++;
    }
    return first;
}

/* While nobody writes, arrays that differ in nothing but the write policy do the same. */
uint32_t lab_twin_variant(const struct lab_scenario *scenario, uint32_t index)
{
    const struct lab_variant *variant = &scenario->variants[index];

    for (uint32_t i = 0; i < index; i++) {
        const struct lab_variant *other = &scenario->variants[i];

        if (has_shape_of(scenario, index, i) && other->read_policy == variant->read_policy &&
            other->io_policy == variant->io_policy) {
            return i;
        }
    }
    return index;
}

/* Where nothing can be lost nothing can be rebuilt. */
bool lab_variant_rebuilds(const struct lab_scenario *scenario, uint32_t index)
{
    struct geometry geometry;

    lab_variant_geometry(scenario, &scenario->variants[index], &geometry);
    return scenario->rebuild && geometry_span_tolerance(&geometry) > 0 &&
           lab_shape_variant(scenario, index) == index;
}

static uint32_t workload_points(const struct lab_workload *workload)
{
    return workload->mix_count * workload->write_percent_count * workload->worker_count *
           workload->depth_count;
}

void lab_write_policies_decide(struct lab_scenario *scenario)
{
    const bool is_fitted = scenario->battery != BATTERY_STATE_MISSING;

    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        struct lab_variant *variant = &scenario->variants[i];
        const struct write_policy_facts facts = {
            .requested = variant->write_policy,
            .medium = WRITE_MEDIUM_SHARED_MEMORY,
            .has_battery = is_fitted,
            .kind = BATTERY_KIND_EMULATED,
            .state = scenario->battery,
            .source = "battery",
            .rule = scenario->controller.profile.no_battery_rule,
        };
        struct write_policy_decision decision;

        write_policy_decide(&facts, &decision);
        variant->effective = decision.effective;
        variant->reason = decision.reason;
    }
}

bool lab_whole_check(struct profile_reader *reader, struct lab_scenario *scenario)
{
    const struct controller_profile *profile = &scenario->controller.profile;
    uint64_t points = 0;

    if (!profile->has_cache && scenario->array.cache_bytes > 0) {
        return profile_fail(reader, "%s has no cache", profile->model);
    }
    if (profile->cache_bytes != 0 && scenario->array.cache_bytes > profile->cache_bytes) {
        return profile_fail(reader, "%s takes a cache of at most %llu bytes", profile->model,
                            (unsigned long long)profile->cache_bytes);
    }
    if (scenario->array.cache_bytes != 0 && scenario->array.cache_bytes < MIB) {
        return profile_fail(reader, "cache_bytes must be 0 or at least 1 MiB");
    }
    lab_write_policies_decide(scenario);
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        variant_check(scenario, &scenario->variants[i], scenario->variant_texts[i]);
        if (!scenario->is_sweep && scenario->variant_texts[i][0] != '\0') {
            return profile_fail(reader, "%s", scenario->variant_texts[i]);
        }
        if (scenario->variant_texts[i][0] != '\0') {
            continue;
        }
        points += lab_variant_rebuilds(scenario, i) ? 1 : 0;
        for (uint32_t j = 0; j < scenario->workload_count; j++) {
            points += workload_points(&scenario->workloads[j]);
        }
    }
    scenario->point_count = (uint32_t)points;
    if (!scenario->is_sweep && scenario->rebuild && !lab_variant_rebuilds(scenario, 0)) {
        return profile_fail(reader, "rebuild: %s has nothing to rebuild a drive from",
                            raid_level_info(scenario->variants[0].level)->name);
    }
    return points <= SCENARIO_POINTS_MAX ||
           profile_fail(reader, "%llu points are too many: at most %u", (unsigned long long)points,
                        SCENARIO_POINTS_MAX);
}
