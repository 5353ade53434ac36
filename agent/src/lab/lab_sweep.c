/* The arrays of a scenario: one, or each combination that its sweep names. */
#include <string.h>

#include "base/checked.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"

#define VARIANTS_MAX 256u

struct axes {
    uint32_t level_count, drive_count_count, policy_count, read_count, io_count, strip_count,
        failure_count;
    enum raid_level levels[RAID_LEVEL_MAX];
    uint32_t drive_counts[16];
    enum write_policy policies[WRITE_POLICY_MAX];
    enum read_policy reads[READ_POLICY_MAX];
    enum io_policy ios[IO_POLICY_MAX];
    uint32_t strips[8];
    uint64_t failures[SCENARIO_FAILURES_MAX];
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

#define AXIS_OF_WORDS(function, name, max, parse, words, count)                                    \
    static bool function(struct profile_reader *reader, const json_t *value, void *target)         \
    {                                                                                              \
        struct axes *axes = target;                                                                \
        size_t index = 0;                                                                          \
        const json_t *entry = NULL;                                                                \
                                                                                                   \
        if (!axis_is_list(reader, value, name, max)) {                                             \
            return false;                                                                          \
        }                                                                                          \
        json_array_foreach(value, index, entry)                                                    \
        {                                                                                          \
            const char *word = json_string_value(entry);                                           \
                                                                                                   \
            if (word == NULL || !parse(word, &axes->words[axes->count++])) {                       \
                return profile_fail(reader, name ": entry %zu is not a policy", index + 1);        \
            }                                                                                      \
        }                                                                                          \
        return true;                                                                               \
    }

AXIS_OF_WORDS(axis_policies, "write_policies", WRITE_POLICY_MAX, write_policy_parse, policies,
              policy_count)
AXIS_OF_WORDS(axis_reads, "read_policies", READ_POLICY_MAX, read_policy_parse, reads, read_count)
AXIS_OF_WORDS(axis_ios, "io_policies", IO_POLICY_MAX, io_policy_parse, ios, io_count)

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

static bool axis_failures(struct profile_reader *reader, const json_t *value, void *target)
{
    struct axes *axes = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!axis_is_list(reader, value, "failures", SCENARIO_FAILURES_MAX)) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        if (!lab_failed_read(reader, entry, &axes->failures[axes->failure_count++])) {
            return false;
        }
    }
    return true;
}

static const struct profile_field sweep_fields[] = {
    {"levels", FIELD_CUSTOM, false, 0, 0, 0, axis_levels},
    {"drive_counts", FIELD_CUSTOM, false, 0, 0, 0, axis_drives},
    {"write_policies", FIELD_CUSTOM, false, 0, 0, 0, axis_policies},
    {"read_policies", FIELD_CUSTOM, false, 0, 0, 0, axis_reads},
    {"io_policies", FIELD_CUSTOM, false, 0, 0, 0, axis_ios},
    {"strip_sizes_bytes", FIELD_CUSTOM, false, 0, 0, 0, axis_strips},
    {"failures", FIELD_CUSTOM, false, 0, 0, 0, axis_failures},
    FIELDS_END};

/* Takes the digit of one axis off the number of a variant; an axis that is not given has none. */
static uint32_t axis_index(uint32_t *rest, uint32_t count)
{
    uint32_t index = count == 0 ? 0 : *rest % count;

    *rest /= max_u32(1, count);
    return index;
}

static struct lab_variant variant_at(const struct axes *axes, const struct lab_array_setup *array,
                                     uint32_t number)
{
    uint32_t failure = axis_index(&number, axes->failure_count);
    uint32_t strip = axis_index(&number, axes->strip_count);
    uint32_t io = axis_index(&number, axes->io_count);
    uint32_t reading = axis_index(&number, axes->read_count);
    uint32_t policy = axis_index(&number, axes->policy_count);
    uint32_t drive_count = axis_index(&number, axes->drive_count_count);
    uint32_t level = axis_index(&number, axes->level_count);

    ASSERT(number == 0);
    return (struct lab_variant){
        .level = axes->level_count > 0 ? axes->levels[level] : array->level,
        .drive_count =
            axes->drive_count_count > 0 ? axes->drive_counts[drive_count] : array->drive_count,
        .write_policy = axes->policy_count > 0 ? axes->policies[policy] : array->write_policy,
        .read_policy = axes->read_count > 0 ? axes->reads[reading] : array->read_policy,
        .io_policy = axes->io_count > 0 ? axes->ios[io] : array->io_policy,
        .strip_bytes = axes->strip_count > 0 ? axes->strips[strip] : array->strip_bytes,
        .failed = axes->failure_count > 0 ? axes->failures[failure] : array->failed,
    };
}

bool lab_variants_read(struct profile_reader *reader, const json_t *value,
                       struct lab_scenario *scenario)
{
    struct axes axes = {.level_count = 0};
    uint64_t count = 0;

    if (value != NULL && !profile_fields(reader, value, sweep_fields, &axes)) {
        return false;
    }
    scenario->is_sweep = value != NULL;
    count = (uint64_t)max_u32(1, axes.level_count) * max_u32(1, axes.drive_count_count) *
            max_u32(1, axes.policy_count) * max_u32(1, axes.read_count) *
            max_u32(1, axes.io_count) * max_u32(1, axes.strip_count) *
            max_u32(1, axes.failure_count);
    if (count > VARIANTS_MAX) {
        return profile_fail(reader, "a sweep has at most %u arrays", VARIANTS_MAX);
    }
    for (uint32_t i = 0; i < count; i++) {
        scenario->variants[i] = variant_at(&axes, &scenario->array, i);
    }
    scenario->variant_count = (uint32_t)count;
    return true;
}
