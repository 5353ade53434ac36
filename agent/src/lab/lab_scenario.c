/* See lab_scenario.h. */
#include "lab/lab_scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"
#include "lab/lab_survival.h"

#define MIB (UINT64_C(1) << 20)
#define OPERATIONS_DEFAULT 20000u
#define SECONDS_DEFAULT 3600u

struct reading {
    struct profile_reader reader;
    const char *profiles;
    struct lab_scenario *scenario;
    bool has_cache_size;
};

/* The parts of a scenario are read by functions that know the whole of it: the reader is the first
 * member, so that it can be told from it. */
static struct reading *reading_of(struct profile_reader *reader)
{
    return container_of(reader, struct reading, reader);
}

/* The controller */

#define CEILING(name)                                                                              \
    {#name, FIELD_BYTES, false, FIELD_OF(controller_ceilings, name), 0, UINT64_C(1) << 40, NULL}

static const struct profile_field ceiling_fields[] = {
    CEILING(bus_bytes_per_s),
    CEILING(link_bytes_per_s),
    CEILING(read_bytes_per_s),
    CEILING(write_bytes_per_s),
    CEILING(xor_bytes_per_s),
    CEILING(stream_bytes_per_s),
    CEILING(stream_write_bytes_per_s),
    {"command_us", FIELD_U32, false, FIELD_OF(controller_ceilings, command_us), 0, 1000000, NULL},
    FIELDS_END};

static bool controller_profile(struct profile_reader *reader, const json_t *value, void *target)
{
    struct reading *reading = reading_of(reader);
    struct lab_scenario *scenario = target;
    const char *name = json_string_value(value);
    char why[PROFILE_TEXT_BYTES] = "";

    if (name == NULL) {
        return profile_fail(reader, "controller.profile must be a name");
    }
    if (controller_profile_read(reading->profiles, name, &scenario->controller, why) != 0) {
        return profile_fail(reader, "controller: %.180s", why);
    }
    scenario->front.ceilings = scenario->controller.profile.ceilings;
    return true;
}

static bool ceilings_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_scenario *scenario = target;

    return profile_fields(reader, value, ceiling_fields, &scenario->front.ceilings);
}

static bool quirk_names_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return lab_quirks_read(reader, value, target);
}

static bool cache_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const struct profile_field bounds = {"cache_bytes",      FIELD_BYTES, true, 0, 0,
                                                UINT64_C(16) << 30, NULL};
    struct lab_scenario *scenario = target;

    reading_of(reader)->has_cache_size = true;
    return profile_number(reader, value, &bounds, &scenario->array.cache_bytes);
}

/* Ceilings come after the profile they change. */
static const struct profile_field controller_first[] = {
    {"profile", FIELD_CUSTOM, true, 0, 0, 0, controller_profile}, FIELDS_END};

static bool ignored(struct profile_reader *reader, const json_t *value, void *target)
{
    (void)reader; /* read already */
    (void)value;
    (void)target;
    return true;
}

static const struct profile_field controller_fields[] = {
    {"profile", FIELD_CUSTOM, true, 0, 0, 0, ignored},
    {"count", FIELD_U32, false, FIELD_OF(lab_scenario, front.controller_count), 1,
     LAB_CONTROLLERS_MAX, NULL},
    {"host_strip_bytes", FIELD_U32, false, FIELD_OF(lab_scenario, front.host_strip_bytes), 4096,
     16u << 20, NULL},
    {"cache_bytes", FIELD_CUSTOM, false, 0, 0, 0, cache_read},
    {"expander_bytes_per_s", FIELD_BYTES, false, FIELD_OF(lab_scenario, array.expander_bytes_per_s),
     0, UINT64_C(1) << 40, NULL},
    {"ceilings", FIELD_CUSTOM, false, 0, 0, 0, ceilings_read},
    {"quirks", FIELD_CUSTOM, false, 0, 0, 0, quirk_names_read},
    FIELDS_END};

static bool controller_read(struct profile_reader *reader, const json_t *value, void *target)
{
    json_t *profile = json_object_get(value, "profile");
    json_t *first = profile != NULL ? json_pack("{s:O}", "profile", profile) : json_object();
    bool good = profile_fields(reader, first, controller_first, target) &&
                profile_fields(reader, value, controller_fields, target);

    json_decref(first);
    return good;
}

/* Drives */

static bool drive_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_scenario *scenario = target;
    const char *name = json_string_value(value);
    char why[PROFILE_TEXT_BYTES] = "";

    if (name == NULL) {
        return profile_fail(reader, "drives.profile must be a name");
    }
    if (drive_profile_read(reading_of(reader)->profiles, name, &scenario->array.drive, why) != 0) {
        return profile_fail(reader, "drives: %.180s", why);
    }
    return true;
}

bool lab_failed_read(struct profile_reader *reader, const json_t *value, uint64_t *ret_failed)
{
    static const struct profile_field bounds = {"failed", FIELD_U32,          true, 0,
                                                0,        LAB_DRIVES_MAX - 1, NULL};
    size_t index = 0;
    const json_t *entry = NULL;

    *ret_failed = 0;
    if (!json_is_array(value)) {
        return profile_fail(reader, "failed must be a list of members");
    }
    json_array_foreach(value, index, entry)
    {
        uint64_t member = 0;

        if (!profile_number(reader, entry, &bounds, &member)) {
            return false;
        }
        *ret_failed |= UINT64_C(1) << member;
    }
    return true;
}

static bool failed_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_scenario *scenario = target;

    return lab_failed_read(reader, value, &scenario->array.failed);
}

/* Drives of the model, but of another size. */
static bool capacity_read(struct profile_reader *reader, const json_t *value, void *target)
{
    static const struct profile_field bounds = {"capacity_bytes",  FIELD_BYTES,       true, 0,
                                                UINT64_C(1) << 26, UINT64_C(1) << 44, NULL};
    struct lab_scenario *scenario = target;
    uint64_t bytes = 0;

    if (!profile_number(reader, value, &bounds, &bytes)) {
        return false;
    }
    scenario->capacity_bytes = align_down_u64(bytes, IO_ALIGN_BYTES);
    return true;
}

static const struct profile_field drives_fields[] = {
    {"profile", FIELD_CUSTOM, true, 0, 0, 0, drive_read},
    {"count", FIELD_U32, true, FIELD_OF(lab_scenario, array.drive_count), 1, LAB_DRIVES_MAX, NULL},
    {"capacity_bytes", FIELD_CUSTOM, false, 0, 0, 0, capacity_read},
    {"write_cache", FIELD_BOOL, false, FIELD_OF(lab_scenario, array.drive_cache), 0, 0, NULL},
    {"failed", FIELD_CUSTOM, false, 0, 0, 0, failed_read},
    FIELDS_END};

bool lab_drives_read(struct profile_reader *reader, const json_t *value,
                     struct lab_scenario *scenario)
{
    scenario->capacity_bytes = 0;
    if (!profile_fields(reader, value, drives_fields, scenario)) {
        return false;
    }
    if (scenario->capacity_bytes != 0) {
        scenario->array.drive.capacity_bytes = scenario->capacity_bytes;
    }
    return true;
}

static bool drives_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return lab_drives_read(reader, value, target);
}

/* The array */

#define POLICY_READER(name, parse, member)                                                         \
    static bool name(struct profile_reader *reader, const json_t *value, void *target)             \
    {                                                                                              \
        struct lab_scenario *scenario = target;                                                    \
        const char *word = json_string_value(value);                                               \
                                                                                                   \
        return (word != NULL && parse(word, &scenario->array.member)) ||                           \
               profile_fail(reader, #member " has not one of its words");                          \
    }

POLICY_READER(level_read, raid_level_word_parse, level)
POLICY_READER(write_policy_read, write_policy_parse, write_policy)
POLICY_READER(read_policy_read, read_policy_parse, read_policy)
POLICY_READER(io_policy_read, io_policy_parse, io_policy)
POLICY_READER(stripe_log_read, stripe_log_mode_parse, stripe_log)

static const struct profile_field array_fields[] = {
    {"level", FIELD_CUSTOM, true, 0, 0, 0, level_read},
    {"spans", FIELD_U32, false, FIELD_OF(lab_scenario, spans), 1, LAB_DRIVES_MAX, NULL},
    {"strip_bytes", FIELD_U32, false, FIELD_OF(lab_scenario, array.strip_bytes),
     RAID_STRIP_MIN_BYTES, RAID_STRIP_MAX_BYTES, NULL},
    {"extent_bytes", FIELD_BYTES, false, FIELD_OF(lab_scenario, array.extent_bytes), 0,
     UINT64_C(1) << 50, NULL},
    {"write_policy", FIELD_CUSTOM, false, 0, 0, 0, write_policy_read},
    {"read_policy", FIELD_CUSTOM, false, 0, 0, 0, read_policy_read},
    {"io_policy", FIELD_CUSTOM, false, 0, 0, 0, io_policy_read},
    {"stripe_log_mode", FIELD_CUSTOM, false, 0, 0, 0, stripe_log_read},
    FIELDS_END};

bool lab_array_read(struct profile_reader *reader, const json_t *value,
                    struct lab_scenario *scenario)
{
    return profile_fields(reader, value, array_fields, scenario);
}

static bool array_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return lab_array_read(reader, value, target);
}

static const struct profile_field host_fields[] = {
    {"request_us", FIELD_U32, false, FIELD_OF(lab_scenario, front.request_us), 0, 1000000, NULL},
    FIELDS_END};

static bool host_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return profile_fields(reader, value, host_fields, target);
}

static const struct profile_field limit_fields[] = {
    {"operations", FIELD_BYTES, false, FIELD_OF(lab_scenario, operations), 10, 10000000, NULL},
    {"warmup_operations", FIELD_BYTES, false, FIELD_OF(lab_scenario, warmup_operations), 0,
     10000000, NULL},
    {"fill_operations", FIELD_BYTES, false, FIELD_OF(lab_scenario, fill_operations), 0, 10000000,
     NULL},
    {"seconds", FIELD_BYTES, false, FIELD_OF(lab_scenario, seconds), 1, 10000000, NULL},
    FIELDS_END};

static bool limits_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return profile_fields(reader, value, limit_fields, target);
}

static bool workloads_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_scenario *scenario = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!json_is_array(value) || json_array_size(value) == 0 ||
        json_array_size(value) > SCENARIO_WORKLOADS_MAX) {
        return profile_fail(reader, "workloads must be a list of 1 to %u", SCENARIO_WORKLOADS_MAX);
    }
    json_array_foreach(value, index, entry)
    {
        if (!lab_workload_read(reader, reading_of(reader)->profiles, entry,
                               &scenario->workloads[index])) {
            return false;
        }
    }
    scenario->workload_count = (uint32_t)index;
    return true;
}

static bool before_load(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_scenario *scenario = target;

    return lab_workload_read(reader, reading_of(reader)->profiles, value, &scenario->before);
}

static const struct profile_field before_fields[] = {
    {"workload", FIELD_CUSTOM, true, 0, 0, 0, before_load},
    {"operations", FIELD_BYTES, true, FIELD_OF(lab_scenario, before_operations), 1, 10000000, NULL},
    {"pause_s", FIELD_BYTES, false, FIELD_OF(lab_scenario, before_pause_s), 0, 86400, NULL},
    {"recreate", FIELD_BOOL, false, FIELD_OF(lab_scenario, recreate), 0, 0, NULL},
    FIELDS_END};

static bool before_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return profile_fields(reader, value, before_fields, target);
}

static const struct profile_field scenario_fields[] = {
    {"name", FIELD_TEXT, true, FIELD_OF(lab_scenario, name), 1, 64, NULL},
    {"seed", FIELD_BYTES, false, FIELD_OF(lab_scenario, seed), 0, INT64_MAX, NULL},
    {"host", FIELD_CUSTOM, false, 0, 0, 0, host_read},
    {"controller", FIELD_CUSTOM, false, 0, 0, 0, controller_read},
    {"drives", FIELD_CUSTOM, true, 0, 0, 0, drives_read},
    {"array", FIELD_CUSTOM, true, 0, 0, 0, array_read},
    {"limits", FIELD_CUSTOM, false, 0, 0, 0, limits_read},
    {"before", FIELD_CUSTOM, false, 0, 0, 0, before_read},
    {"workloads", FIELD_CUSTOM, true, 0, 0, 0, workloads_read},
    {"rebuild", FIELD_BOOL, false, FIELD_OF(lab_scenario, rebuild), 0, 0, NULL},
    {"sweep", FIELD_CUSTOM, false, 0, 0, 0, ignored},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

static bool not_with_groups(struct profile_reader *reader, const json_t *value, void *target)
{
    (void)value;
    (void)target;
    return profile_fail(reader, "with groups, each of them has its drives, array and workload: the"
                                " scenario has no drives, array, workloads, rebuild, before or"
                                " sweep");
}

static const struct profile_field groups_fields[] = {
    {"name", FIELD_TEXT, true, FIELD_OF(lab_scenario, name), 1, 64, NULL},
    {"seed", FIELD_BYTES, false, FIELD_OF(lab_scenario, seed), 0, INT64_MAX, NULL},
    {"host", FIELD_CUSTOM, false, 0, 0, 0, host_read},
    {"controller", FIELD_CUSTOM, false, 0, 0, 0, controller_read},
    {"limits", FIELD_CUSTOM, false, 0, 0, 0, limits_read},
    {"groups", FIELD_CUSTOM, true, 0, 0, 0, ignored},
    {"alone", FIELD_BOOL, false, FIELD_OF(lab_scenario, alone), 0, 0, NULL},
    {"drives", FIELD_CUSTOM, false, 0, 0, 0, not_with_groups},
    {"array", FIELD_CUSTOM, false, 0, 0, 0, not_with_groups},
    {"workloads", FIELD_CUSTOM, false, 0, 0, 0, not_with_groups},
    {"rebuild", FIELD_CUSTOM, false, 0, 0, 0, not_with_groups},
    {"before", FIELD_CUSTOM, false, 0, 0, 0, not_with_groups},
    {"sweep", FIELD_CUSTOM, false, 0, 0, 0, not_with_groups},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

/* What the model permits */

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
    return points <= SCENARIO_POINTS_MAX ||
           profile_fail(reader, "%llu points are too many: at most %u", (unsigned long long)points,
                        SCENARIO_POINTS_MAX);
}

/* Reading */

static void defaults_set(struct lab_scenario *scenario)
{
    scenario->controller.takes_any_battery = true;
    controller_profile_native(&scenario->controller.profile);
    scenario->front.controller_count = 1;
    scenario->front.host_strip_bytes = 65536;
    scenario->array.drive_cache = true;
    scenario->array.strip_bytes = 65536;
    scenario->array.read_policy = READ_POLICY_NO_READ_AHEAD;
    scenario->array.write_policy = WRITE_POLICY_WRITE_THROUGH;
    scenario->array.io_policy = IO_POLICY_DIRECT;
    scenario->operations = OPERATIONS_DEFAULT;
    scenario->warmup_operations = OPERATIONS_DEFAULT / 10;
    scenario->seconds = SECONDS_DEFAULT;
    scenario->seed = 1;
}

/* The model's own memory, or none for write-through on one that can have any. */
static void cache_default(struct lab_scenario *scenario)
{
    scenario->array.cache_bytes =
        scenario->controller.profile.has_cache ? scenario->controller.cache_fitted_bytes : 0;
}

/* After what has its place in tables: what needs to know the rest. */
static bool rest_read(struct reading *reading, const json_t *object)
{
    struct lab_scenario *scenario = reading->scenario;
    const json_t *groups = json_object_get(object, "groups");

    if (!reading->has_cache_size) {
        cache_default(scenario);
    }
    if (groups != NULL) {
        return lab_groups_read(&reading->reader, reading->profiles, groups, scenario);
    }
    return lab_variants_read(&reading->reader, json_object_get(object, "sweep"), scenario) &&
           lab_whole_check(&reading->reader, scenario);
}

int lab_scenario_read(const char *path, const char *profiles, struct lab_scenario **ret_scenario,
                      char text[PROFILE_TEXT_BYTES])
{
    struct reading reading = {.reader = {.text = text}, .profiles = profiles};
    json_error_t error;
    json_t *object = strcmp(path, "-") == 0 ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &error)
                                            : json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    struct lab_scenario *scenario = calloc(1, sizeof(*scenario));
    bool good = false;

    ASSERT(scenario != NULL);
    (void)snprintf(reading.reader.path, sizeof(reading.reader.path), "%s", path);
    reading.scenario = scenario;
    if (object == NULL) {
        (void)snprintf(text, PROFILE_TEXT_BYTES, "%.300s:%d: %.150s", path, error.line, error.text);
    } else {
        defaults_set(scenario);
        good = profile_fields(&reading.reader, object,
                              json_object_get(object, "groups") != NULL ? groups_fields
                                                                        : scenario_fields,
                              scenario) &&
               rest_read(&reading, object);
    }
    json_decref(object);
    if (!good) {
        scenario = lab_scenario_free(scenario);
        return -EINVAL;
    }
    *ret_scenario = scenario;
    return 0;
}

struct lab_scenario *lab_scenario_free(struct lab_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->group_count; i++) {
        free(scenario->group_scenarios[i]);
    }
    free(scenario->groups);
    free(scenario);
    return NULL;
}
