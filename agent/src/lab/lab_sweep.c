/* The arrays of a scenario: one, or each combination that its sweep names. */
#include <string.h>

#include "base/checked.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"

#define VARIANTS_MAX 256u

struct axes {
    uint32_t level_count, drive_count_count, policy_count, strip_count;
    enum raid_level levels[RAID_LEVEL_MAX];
    uint32_t drive_counts[16];
    enum write_policy policies[WRITE_POLICY_MAX];
    uint32_t strips[8];
};

static bool axis_is_list(struct profile_reader *reader, const json_t *value, const char *name,
                         size_t max)
{
    return (json_is_array(value) && json_array_size(value) > 0 && json_array_size(value) <= max) ||
           profile_fail(reader, "%s must be a list of 1 to %zu", name, max);
}

static bool axis_levels(struct profile_reader *reader, const json_t *value, void *target)
{
    struct axes *axes = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!axis_is_list(reader, value, "levels", RAID_LEVEL_MAX)) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        const char *word = json_string_value(entry);

        if (word == NULL || !raid_level_word_parse(word, &axes->levels[axes->level_count++])) {
            return profile_fail(reader, "levels: entry %zu is not a level", index + 1);
        }
    }
    return true;
}

static bool axis_policies(struct profile_reader *reader, const json_t *value, void *target)
{
    struct axes *axes = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!axis_is_list(reader, value, "write_policies", WRITE_POLICY_MAX)) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        const char *word = json_string_value(entry);

        if (word == NULL || !write_policy_parse(word, &axes->policies[axes->policy_count++])) {
            return profile_fail(reader, "write_policies: entry %zu is not a policy", index + 1);
        }
    }
    return true;
}

static bool axis_numbers(struct profile_reader *reader, const json_t *value, const char *name,
                         uint64_t max, size_t count_max, uint32_t *numbers, uint32_t *ret_count)
{
    const struct profile_field bounds = {name, FIELD_U32, true, 0, 1, max, NULL};
    size_t index = 0;
    const json_t *entry = NULL;

    if (!axis_is_list(reader, value, name, count_max)) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        uint64_t number = 0;

        if (!profile_number(reader, entry, &bounds, &number)) {
            return false;
        }
        numbers[(*ret_count)++] = (uint32_t)number;
    }
    return true;
}

static bool axis_drives(struct profile_reader *reader, const json_t *value, void *target)
{
    struct axes *axes = target;

    return axis_numbers(reader, value, "drive_counts", LAB_DRIVES_MAX, 16, axes->drive_counts,
                        &axes->drive_count_count);
}

static bool axis_strips(struct profile_reader *reader, const json_t *value, void *target)
{
    struct axes *axes = target;

    return axis_numbers(reader, value, "strip_sizes_bytes", RAID_STRIP_MAX_BYTES, 8, axes->strips,
                        &axes->strip_count);
}

static const struct profile_field sweep_fields[] = {
    {"levels", FIELD_CUSTOM, false, 0, 0, 0, axis_levels},
    {"drive_counts", FIELD_CUSTOM, false, 0, 0, 0, axis_drives},
    {"write_policies", FIELD_CUSTOM, false, 0, 0, 0, axis_policies},
    {"strip_sizes_bytes", FIELD_CUSTOM, false, 0, 0, 0, axis_strips},
    FIELDS_END};

bool lab_variants_read(struct profile_reader *reader, const json_t *value,
                       struct lab_scenario *scenario)
{
    const struct lab_array_setup *array = &scenario->array;
    struct axes axes = {.level_count = 0};

    if (value != NULL && !profile_fields(reader, value, sweep_fields, &axes)) {
        return false;
    }
    scenario->is_sweep = value != NULL;
    for (uint32_t i = 0; i < max_u32(1, axes.level_count) * max_u32(1, axes.drive_count_count) *
                                 max_u32(1, axes.policy_count) * max_u32(1, axes.strip_count);
         i++) {
        uint32_t rest = i;
        struct lab_variant *variant = &scenario->variants[scenario->variant_count];

        if (scenario->variant_count == VARIANTS_MAX) {
            return profile_fail(reader, "a sweep has at most %u arrays", VARIANTS_MAX);
        }
        *variant = (struct lab_variant){array->level, array->drive_count, array->write_policy,
                                        array->strip_bytes};
        if (axes.strip_count > 0) {
            variant->strip_bytes = axes.strips[rest % axes.strip_count];
            rest /= axes.strip_count;
        }
        if (axes.policy_count > 0) {
            variant->write_policy = axes.policies[rest % axes.policy_count];
            rest /= axes.policy_count;
        }
        if (axes.drive_count_count > 0) {
            variant->drive_count = axes.drive_counts[rest % axes.drive_count_count];
            rest /= axes.drive_count_count;
        }
        if (axes.level_count > 0) {
            variant->level = axes.levels[rest];
        }
        scenario->variant_count++;
    }
    return true;
}
