/* The points of a scenario: each array under each combination of its loads' steps. */
#include <string.h>

#include "base/checked.h"
#include "lab/lab_scenario_private.h"

static uint64_t mix_seed(uint64_t seed, uint64_t index)
{
    return (seed ^ (index + 1)) * UINT64_C(0x9e3779b97f4a7c15);
}

/* A host's cache reads ahead of whoever reads a file, and writes behind whoever writes one. */
static uint32_t depth_of(const struct lab_scenario *scenario, const struct lab_workload *workload,
                         const struct lab_place *place)
{
    uint32_t depth = workload->depths[place->depth];
    uint32_t workers = workload->workers[place->workers];
    uint64_t ahead = scenario->file_window_bytes / LOAD_FILE_CHUNK_BYTES;

    return workload->pattern < LOAD_PATTERN_FILES_CREATE
               ? depth
               : (uint32_t)min_u64(max_u64(depth, ahead), LOAD_DEPTH_MAX / workers);
}

static struct load load_of(const struct lab_scenario *scenario, const struct lab_workload *workload,
                           const struct lab_place *place)
{
    const struct lab_mix *mix = &workload->mixes[place->mix];
    struct load load = {.pattern = workload->pattern,
                        .write_percent = workload->write_percents[place->write_percent],
                        .block_count = mix->count,
                        .workers = workload->workers[place->workers],
                        .depth = depth_of(scenario, workload, place),
                        .zone_bytes = workload->zone_bytes,
                        .start_bytes = workload->start_bytes,
                        .file_bytes = workload->file_bytes};

    memcpy(load.blocks, mix->blocks, sizeof(load.blocks));
    return load;
}

/* The first of each of the load's steps; and enough of it. */
static void before_make(const struct lab_scenario *scenario, struct lab_point *point)
{
    static const struct lab_place first_steps;

    point->has_before = scenario->before_operations > 0;
    point->recreate = scenario->recreate;
    point->pause_s = scenario->before_pause_s;
    if (point->has_before) {
        point->before =
            (struct lab_load){.load = load_of(scenario, &scenario->before, &first_steps),
                              .operations = scenario->before_operations,
                              .seconds = scenario->seconds,
                              .seed = mix_seed(scenario->seed, UINT32_MAX)};
    }
}

uint64_t lab_fill_most(const struct lab_scenario *scenario, const struct lab_workload *workload)
{
    return scenario->chooses_limits && (workload->operations != 0 || workload->has_warmup)
               ? 0 /* the load has its own */
               : scenario->fill_operations;
}

uint64_t lab_point_cache_operations(const struct lab_scenario *scenario,
                                    const struct lab_place *place)
{
    const struct load load = load_of(scenario, &scenario->workloads[place->workload], place);
    uint64_t each = load_written_hundredths(&load);
    uint64_t cache_bytes = scenario->array.cache_bytes * scenario->front.controller_count;

    if (each == 0 || scenario->variants[place->variant].effective == WRITE_POLICY_WRITE_THROUGH) {
        return 0;
    }
    return div_ceil_u64(cache_bytes * 100, each);
}

uint64_t lab_point_fill_operations(const struct lab_scenario *scenario,
                                   const struct lab_place *place)
{
    return lab_fill_most(scenario, &scenario->workloads[place->workload]) == 0
               ? 0
               : lab_point_cache_operations(scenario, place);
}

/* Over the time in which it is written once, a cache has been filled and emptied again; the drives
 * take some of what comes before that. */
static void fill_first(uint64_t most, uint64_t fills, struct lab_load *load)
{
    load->warmup_operations = max_u64(load->warmup_operations, min_u64(2 * fills, most));
    load->operations = max_u64(load->operations, min_u64(fills, most));
}

static struct lab_point point_make(const struct lab_scenario *scenario,
                                   const struct lab_place *place)
{
    const struct lab_variant *variant = &scenario->variants[place->variant];
    const struct lab_workload *workload = &scenario->workloads[place->workload];
    struct lab_point point = {
        .is_rebuild = place->is_rebuild, .array = scenario->array, .front = scenario->front};

    point.array.level = variant->level;
    point.array.drive_count = variant->drive_count;
    point.array.span_count = lab_variant_spans(scenario, variant);
    point.array.write_policy = variant->effective;
    point.array.read_policy = variant->read_policy;
    point.array.io_policy = variant->io_policy;
    point.array.strip_bytes = variant->strip_bytes;
    point.array.failed = variant->failed;
    point.array.link_bytes_per_s = scenario->front.ceilings.link_bytes_per_s;
    point.array.commands_per_drive = scenario->front.ceilings.commands_per_drive;
    point.array.partial_writes = scenario->controller.profile.partial_writes;
    point.array.mirror_policy = scenario->controller.profile.mirror_policy;
    point.array.destage_rows = scenario->controller.profile.destage_rows;
    point.array.drive_cache =
        scenario->array.drive_cache && (variant->effective != WRITE_POLICY_WRITE_THROUGH ||
                                        !scenario->controller.profile.write_through_past_buffers);
    if (!scenario->controller.profile.logs_stripes) {
        point.array.stripe_log = STRIPE_LOG_MODE_OFF;
    }
    point.array.seed = scenario->seed;
    point.front.parity_count = raid_level_info(variant->level)->parity_count;
    /* The same requests for every array: they are what is compared. */
    point.load = (struct lab_load){
        .load = load_of(scenario, workload, place),
        .warmup_operations =
            workload->has_warmup ? workload->warmup_operations : scenario->warmup_operations,
        .operations = workload->operations != 0 ? workload->operations : scenario->operations,
        .seconds = scenario->seconds,
        .seed = mix_seed(scenario->seed, place->mix * 1000003u + place->write_percent * 1009u +
                                             place->workers * 101u + place->depth),
    };
    fill_first(lab_fill_most(scenario, workload), lab_point_fill_operations(scenario, place),
               &point.load);
    before_make(scenario, &point);
    lab_quirks_apply(&point);
    return point;
}

/* The next combination of steps within the workload; false after the last. */
static bool place_next(const struct lab_workload *workload, struct lab_place *place)
{
    if (++place->depth < workload->depth_count) {
        return true;
    }
    place->depth = 0;
    if (++place->workers < workload->worker_count) {
        return true;
    }
    place->workers = 0;
    if (++place->write_percent < workload->write_percent_count) {
        return true;
    }
    place->write_percent = 0;
    return ++place->mix < workload->mix_count;
}

static bool only_reads(const struct lab_point *point)
{
    return !point->is_rebuild && !point->has_before && point->load.load.write_percent == 0 &&
           (point->load.load.pattern == LOAD_PATTERN_RANDOM ||
            point->load.load.pattern == LOAD_PATTERN_SEQUENTIAL);
}

/* Points of loads come in the same order in each variant. Quirks may look at the policy. */
static uint32_t point_same_as(const struct lab_scenario *scenario, const struct lab_point *point,
                              const struct lab_place *places, uint32_t index)
{
    uint32_t twin = lab_twin_variant(scenario, places[index].variant);
    uint32_t own_first = index;
    uint32_t twin_first = index;

    if (!only_reads(point) || twin == places[index].variant || scenario->front.quirk_count > 0) {
        return index;
    }
    while (own_first > 0 && places[own_first - 1].variant == places[index].variant) {
        own_first--;
    }
    twin_first = own_first;
    while (twin_first > 0 && places[twin_first - 1].variant >= twin) {
        twin_first--;
    }
    return twin_first + (index - own_first);
}

static void points_of_variant(const struct lab_scenario *scenario, uint32_t variant,
                              struct lab_point *points, struct lab_place *places,
                              uint32_t *ret_count)
{
    for (uint32_t workload = 0; workload < scenario->workload_count; workload++) {
        struct lab_place place = {.variant = variant, .workload = workload};

        do {
            ASSERT(*ret_count < scenario->point_count);
            places[*ret_count] = place;
            points[*ret_count] = point_make(scenario, &place);
            points[*ret_count].same_as =
                point_same_as(scenario, &points[*ret_count], places, *ret_count);
            (*ret_count)++;
        } while (place_next(&scenario->workloads[workload], &place));
    }
    if (lab_variant_rebuilds(scenario, variant)) {
        ASSERT(*ret_count < scenario->point_count);
        places[*ret_count] = (struct lab_place){.is_rebuild = true, .variant = variant};
        points[*ret_count] = point_make(scenario, &places[*ret_count]);
        points[*ret_count].same_as = *ret_count;
        (*ret_count)++;
    }
}

void lab_scenario_points(const struct lab_scenario *scenario, struct lab_point *points,
                         struct lab_place *places)
{
    uint32_t count = 0;

    for (uint32_t variant = 0; variant < scenario->variant_count; variant++) {
        if (scenario->variant_texts[variant][0] == '\0') {
            points_of_variant(scenario, variant, points, places, &count);
        }
    }
    ASSERT(count == scenario->point_count);
}
