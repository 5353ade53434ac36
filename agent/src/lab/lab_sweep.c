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

#define AXIS_OF_WORDS(function, kind, kind_max, word_of, list, counter)                            \
    PROFILE_WORD_READER(function##_entry, kind, kind_max, word_of, axes, list[into->counter])      \
                                                                                                   \
    static bool function(struct profile_reader *reader, const json_t *value, void *target)         \
    {                                                                                              \
        struct axes *axes = target;                                                                \
        size_t index = 0;                                                                          \
        const json_t *entry = NULL;                                                                \
                                                                                                   \
        if (!profile_list(reader, value, 1, kind_max, "words")) {                                  \
            return false;                                                                          \
        }                                                                                          \
        json_array_foreach(value, index, entry)                                                    \
        {                                                                                          \
            size_t outer = profile_enter_entry(reader, index);                                     \
                                                                                                   \
            if (!function##_entry(reader, entry, axes)) {                                          \
                return false;                                                                      \
            }                                                                                      \
            axes->counter++;                                                                       \
            profile_leave(reader, outer);                                                          \
        }                                                                                          \
        return true;                                                                               \
    }

AXIS_OF_WORDS(axis_levels, enum raid_level, RAID_LEVEL_MAX, raid_level_word, levels, level_count)
AXIS_OF_WORDS(axis_policies, enum write_policy, WRITE_POLICY_MAX, write_policy_word, policies,
              policy_count)
AXIS_OF_WORDS(axis_reads, enum read_policy, READ_POLICY_MAX, read_policy_word, reads, read_count)
AXIS_OF_WORDS(axis_ios, enum io_policy, IO_POLICY_MAX, io_policy_word, ios, io_count)

static bool axis_numbers(struct profile_reader *reader, const json_t *value, const char *name,
                         uint64_t max, size_t count_max, uint32_t *numbers, uint32_t *ret_count)
{
    const struct profile_field bounds = {name, FIELD_U32, true, 0, 1, max, NULL};
    size_t index = 0;
    const json_t *entry = NULL;

    if (!profile_list(reader, value, 1, count_max, "numbers")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        uint64_t number = 0;
        size_t outer = profile_enter_entry(reader, index);

        if (!profile_number(reader, entry, &bounds, &number)) {
            return false;
        }
        profile_leave(reader, outer);
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

    if (!profile_list(reader, value, 1, SCENARIO_FAILURES_MAX, "lists")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        size_t outer = profile_enter_entry(reader, index);

        if (!lab_failed_read(reader, entry, &axes->failures[axes->failure_count++])) {
            return false;
        }
        profile_leave(reader, outer);
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
    size_t outer = profile_enter(reader, "sweep");

    if (value != NULL && !profile_fields(reader, value, sweep_fields, &axes)) {
        return false;
    }
    profile_leave(reader, outer);
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
