/* See lab_scenario.h. */
#include "lab/lab_scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"

#define OPERATIONS_DEFAULT 20000u
#define SECONDS_DEFAULT 3600u
/* Where the scenario has no limits: enough for 1.6 GB in blocks of 8 KiB, in seconds. */
#define FILL_DEFAULT 200000u

struct reading {
    struct profile_reader reader;
    const char *profiles;
    struct lab_scenario *scenario;
    bool has_cache_size, has_battery;
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
    {"commands_per_drive", FIELD_U32, false, FIELD_OF(controller_ceilings, commands_per_drive), 0,
     COMMANDS_PER_DRIVE_MAX, NULL},
    FIELDS_END};

static bool controller_profile(struct profile_reader *reader, const json_t *value, void *target)
{
    struct reading *reading = reading_of(reader);
    struct lab_scenario *scenario = target;
    const char *name = json_string_value(value);
    char why[PROFILE_TEXT_BYTES] = "";

    if (name == NULL) {
        return profile_refuse(reader, "must be a name");
    }
    if (controller_profile_read(reading->profiles, name, &scenario->controller, why) != 0) {
        return profile_fail(reader, "%.280s", why);
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

PROFILE_WORD_READER(battery_state_read, enum battery_state, BATTERY_STATE_MAX, battery_state_word,
                    lab_scenario, battery)

static bool battery_read(struct profile_reader *reader, const json_t *value, void *target)
{
    reading_of(reader)->has_battery = true;
    return battery_state_read(reader, value, target);
}

static bool mirror_reads_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_scenario *scenario = target;
    unsigned index = 0;

    if (!profile_word(reader, value, mirror_policy_words, MIRROR_POLICY_MAX, &index)) {
        return false;
    }
    scenario->controller.profile.mirror_policy = (enum mirror_policy)index;
    return true;
}

static bool write_through_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_scenario *scenario = target;
    unsigned index = 0;

    if (!profile_word(reader, value, write_through_words, 2, &index)) {
        return false;
    }
    scenario->controller.profile.write_through_past_buffers = index == 1;
    return true;
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
    {"battery", FIELD_CUSTOM, false, 0, 0, 0, battery_read},
    {"expander_bytes_per_s", FIELD_BYTES, false, FIELD_OF(lab_scenario, array.expander_bytes_per_s),
     0, UINT64_C(1) << 40, NULL},
    {"ceilings", FIELD_CUSTOM, false, 0, 0, 0, ceilings_read},
    {"quirks", FIELD_CUSTOM, false, 0, 0, 0, quirk_names_read},
    {"mirror_reads", FIELD_CUSTOM, false, 0, 0, 0, mirror_reads_read},
    {"destage_rows", FIELD_U32, false, FIELD_OF(lab_scenario, controller.profile.destage_rows), 1,
     256, NULL},
    {"write_through", FIELD_CUSTOM, false, 0, 0, 0, write_through_read},
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
        return profile_refuse(reader, "must be a name");
    }
    if (drive_profile_read(reading_of(reader)->profiles, name, &scenario->array.drive, why) != 0) {
        return profile_fail(reader, "%.280s", why);
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
        return profile_refuse(reader, "must be a list of members");
    }
    json_array_foreach(value, index, entry)
    {
        uint64_t member = 0;
        size_t outer = profile_enter_entry(reader, index);

        if (!profile_number(reader, entry, &bounds, &member)) {
            return false;
        }
        profile_leave(reader, outer);
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

PROFILE_WORD_READER(level_read, enum raid_level, RAID_LEVEL_MAX, raid_level_word, lab_scenario,
                    array.level)
PROFILE_WORD_READER(write_policy_read, enum write_policy, WRITE_POLICY_MAX, write_policy_word,
                    lab_scenario, array.write_policy)
PROFILE_WORD_READER(read_policy_read, enum read_policy, READ_POLICY_MAX, read_policy_word,
                    lab_scenario, array.read_policy)
PROFILE_WORD_READER(io_policy_read, enum io_policy, IO_POLICY_MAX, io_policy_word, lab_scenario,
                    array.io_policy)
PROFILE_WORD_READER(stripe_log_read, enum stripe_log_mode, STRIPE_LOG_MODE_MAX,
                    stripe_log_mode_word, lab_scenario, array.stripe_log)

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
    {"slot_bytes_per_s", FIELD_BYTES, false, FIELD_OF(lab_scenario, slot_bytes_per_s), 1,
     UINT64_C(1) << 40, NULL},
    {"file_window_bytes", FIELD_BYTES, false, FIELD_OF(lab_scenario, file_window_bytes), 0,
     LOAD_DEPTH_MAX *(uint64_t)LOAD_FILE_CHUNK_BYTES, NULL},
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

    if (!profile_list(reader, value, 1, SCENARIO_WORKLOADS_MAX, "workloads")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        size_t outer = profile_enter_entry(reader, index);

        if (!lab_workload_read(reader, reading_of(reader)->profiles, entry,
                               &scenario->workloads[index])) {
            return false;
        }
        profile_leave(reader, outer);
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
    {"drives", FIELD_REFUSED, false, 0, 0, 0, not_with_groups},
    {"array", FIELD_REFUSED, false, 0, 0, 0, not_with_groups},
    {"workloads", FIELD_REFUSED, false, 0, 0, 0, not_with_groups},
    {"rebuild", FIELD_REFUSED, false, 0, 0, 0, not_with_groups},
    {"before", FIELD_REFUSED, false, 0, 0, 0, not_with_groups},
    {"sweep", FIELD_REFUSED, false, 0, 0, 0, not_with_groups},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

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

/* As good as one can have it; a model that takes none has none. */
static void battery_default(struct lab_scenario *scenario)
{
    const struct controller_profile_file *file = &scenario->controller;

    scenario->battery = file->takes_any_battery || file->battery_count > 0 ? BATTERY_STATE_OPTIMAL
                                                                           : BATTERY_STATE_MISSING;
}

/* The narrower of the two ways. */
static void slot_apply(struct lab_scenario *scenario)
{
    uint64_t *bus = &scenario->front.ceilings.bus_bytes_per_s;

    if (scenario->slot_bytes_per_s != 0) {
        *bus = *bus == 0 ? scenario->slot_bytes_per_s : min_u64(*bus, scenario->slot_bytes_per_s);
    }
}

static void limits_choose(struct lab_scenario *scenario, const json_t *limits)
{
    static const char *const names[] = {"operations", "warmup_operations", "fill_operations"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (json_object_get(limits, names[i]) != NULL) {
            return;
        }
    }
    scenario->chooses_limits = true;
    scenario->fill_operations = FILL_DEFAULT;
}

/* After what has its place in tables: what needs to know the rest. */
static bool rest_read(struct reading *reading, const json_t *object)
{
    struct lab_scenario *scenario = reading->scenario;
    const json_t *groups = json_object_get(object, "groups");

    if (!reading->has_cache_size) {
        cache_default(scenario);
    }
    if (!reading->has_battery) {
        battery_default(scenario);
    }
    slot_apply(scenario);
    limits_choose(scenario, json_object_get(object, "limits"));
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
    json_t *object = NULL;
    struct lab_scenario *scenario = calloc(1, sizeof(*scenario));
    bool good = false;

    ASSERT(scenario != NULL);
    errno = 0;
    object = strcmp(path, "-") == 0 ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &error)
                                    : json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    (void)snprintf(reading.reader.path, sizeof(reading.reader.path), "%s", path);
    reading.scenario = scenario;
    if (object == NULL) {
        profile_load_failed(&reading.reader, &error, "there is no such file");
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
