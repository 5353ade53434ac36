/* Workloads: out of a profile, changed by what the scenario says (lab_scenario_private.h). */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "lab/lab_scenario_private.h"

static const char *const rating_words[LAB_RATING_MAX] = {
    [LAB_RATING_NONE] = "none",
    [LAB_RATING_MEAN] = "mean",
    [LAB_RATING_SHORT] = "short_queues",
};

const char *lab_rating_word(enum lab_rating rating)
{
    ASSERT((unsigned)rating < LAB_RATING_MAX);
    return rating_words[rating];
}

PROFILE_WORD_READER(pattern_read, enum load_pattern, LOAD_PATTERN_MAX, load_pattern_word,
                    lab_workload, pattern)
PROFILE_WORD_READER(rating_read, enum lab_rating, LAB_RATING_MAX, lab_rating_word, lab_workload,
                    rating)

static const struct profile_field block_fields[] = {
    {"bytes", FIELD_U32, true, FIELD_OF(load_block, bytes), 512, LOAD_REQUEST_MAX_BYTES, NULL},
    {"percent", FIELD_U32, true, FIELD_OF(load_block, percent), 1, 100, NULL},
    FIELDS_END};

static bool mix_read(struct profile_reader *reader, const json_t *value, struct lab_mix *mix)
{
    size_t index = 0;
    const json_t *entry = NULL;
    uint32_t sum = 0;

    if (!profile_list(reader, value, 1, LOAD_BLOCKS_MAX, "blocks")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        size_t outer = profile_enter_entry(reader, index);

        if (!profile_fields(reader, entry, block_fields, &mix->blocks[index])) {
            return false;
        }
        if (mix->blocks[index].bytes % 512 != 0) {
            return profile_fail(reader, "bytes must be a multiple of 512");
        }
        profile_leave(reader, outer);
        sum += mix->blocks[index].percent;
    }
    mix->count = (uint32_t)index;
    return sum == 100 || profile_fail(reader, "the percents of a mix must make 100, not %u", sum);
}

static bool mixes_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_workload *workload = target;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!profile_list(reader, value, 1, SCENARIO_STEPS_MAX, "mixes")) {
        return false;
    }
    json_array_foreach(value, index, entry)
    {
        size_t outer = profile_enter_entry(reader, index);

        if (!mix_read(reader, entry, &workload->mixes[index])) {
            return false;
        }
        profile_leave(reader, outer);
    }
    workload->mix_count = (uint32_t)index;
    return true;
}

static bool steps_read(struct profile_reader *reader, const json_t *value, const char *name,
                       uint64_t min, uint64_t max, uint32_t *steps, uint32_t *ret_count)
{
    const struct profile_field bounds = {name, FIELD_U32, true, 0, min, max, NULL};
    size_t index = 0;
    const json_t *entry = NULL;

    if (!profile_list(reader, value, 1, SCENARIO_STEPS_MAX, "numbers")) {
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
        steps[index] = (uint32_t)number;
    }
    *ret_count = (uint32_t)index;
    return true;
}

static bool percents_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_workload *workload = target;

    return steps_read(reader, value, "write_percents", 0, 100, workload->write_percents,
                      &workload->write_percent_count);
}

static bool workers_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_workload *workload = target;

    return steps_read(reader, value, "workers", 1, 64, workload->workers, &workload->worker_count);
}

static bool depths_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_workload *workload = target;

    return steps_read(reader, value, "depths", 1, LOAD_DEPTH_MAX, workload->depths,
                      &workload->depth_count);
}

#define OPERATIONS_MAX UINT64_C(10000000)

/* 0 is a number of them, too. */
static bool warmup_read(struct profile_reader *reader, const json_t *value, void *target)
{
    const struct profile_field bounds = {"warmup_operations", FIELD_BYTES, false, 0, 0,
                                         OPERATIONS_MAX,      NULL};
    struct lab_workload *workload = target;

    workload->has_warmup = true;
    return profile_number(reader, value, &bounds, &workload->warmup_operations);
}

/* Named in the scenario, read before anything else of the entry. */
static bool profile_named(struct profile_reader *reader, const json_t *value, void *target)
{
    (void)target;
    return json_is_string(value) || profile_refuse(reader, "must be a name");
}

static bool title_read(struct profile_reader *reader, const json_t *value, void *target)
{
    (void)target; /* for people */
    return json_is_string(value) || profile_refuse(reader, "must be a text");
}

#define SIZE_MAX_BYTES (UINT64_C(1) << 50)

static const struct profile_field workload_fields[] = {
    {"profile", FIELD_CUSTOM, false, 0, 0, 0, profile_named},
    {"id", FIELD_CUSTOM, false, 0, 0, 0, title_read},
    {"title", FIELD_CUSTOM, false, 0, 0, 0, title_read},
    {"name", FIELD_TEXT, false, FIELD_OF(lab_workload, name), 1, PROFILE_NAME_CHARACTERS, NULL},
    {"pattern", FIELD_CUSTOM, false, 0, 0, 0, pattern_read},
    {"rating", FIELD_CUSTOM, false, 0, 0, 0, rating_read},
    {"zone_bytes", FIELD_BYTES, false, FIELD_OF(lab_workload, zone_bytes), 0, SIZE_MAX_BYTES, NULL},
    {"start_bytes", FIELD_BYTES, false, FIELD_OF(lab_workload, start_bytes), 0, SIZE_MAX_BYTES,
     NULL},
    {"file_bytes", FIELD_BYTES, false, FIELD_OF(lab_workload, file_bytes), 0, SIZE_MAX_BYTES, NULL},
    {"mixes", FIELD_CUSTOM, false, 0, 0, 0, mixes_read},
    {"write_percents", FIELD_CUSTOM, false, 0, 0, 0, percents_read},
    {"workers", FIELD_CUSTOM, false, 0, 0, 0, workers_read},
    {"depths", FIELD_CUSTOM, false, 0, 0, 0, depths_read},
    {"operations", FIELD_BYTES, false, FIELD_OF(lab_workload, operations), 10, OPERATIONS_MAX,
     NULL},
    {"warmup_operations", FIELD_CUSTOM, false, 0, 0, 0, warmup_read},
    {"assumed", FIELD_NOTES, false, 0, 0, 0, NULL},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

/* Each worker has its part of the zone. Copies of files need twice as much, which the run finds. */
static bool zone_check(struct profile_reader *reader, const struct lab_workload *workload,
                       uint32_t workers)
{
    uint64_t least = (uint64_t)workers * LOAD_REQUEST_MAX_BYTES;

    return workload->zone_bytes == 0 || workload->zone_bytes >= least ||
           profile_fail(reader, "zone_bytes must be at least %llu for %u worker%s, not %llu",
                        (unsigned long long)least, workers, workers == 1 ? "" : "s",
                        (unsigned long long)workload->zone_bytes);
}

static bool workload_check(struct profile_reader *reader, const struct lab_workload *workload)
{
    bool has_files = workload->pattern >= LOAD_PATTERN_FILES_CREATE;

    if (workload->name[0] == '\0') {
        return profile_fail(reader, "a workload needs a name or a profile");
    }
    if (workload->mix_count == 0 || workload->depth_count == 0) {
        return profile_fail(reader, "workload %s: mixes and depths must be given", workload->name);
    }
    if (has_files && (workload->file_bytes == 0 || workload->file_bytes % 4096 != 0)) {
        return profile_fail(reader, "workload %s: file_bytes must be a multiple of 4096",
                            workload->name);
    }
    for (uint32_t i = 0; i < workload->worker_count; i++) {
        if (!zone_check(reader, workload, workload->workers[i])) {
            return false;
        }
        for (uint32_t j = 0; j < workload->depth_count; j++) {
            if (workload->workers[i] * workload->depths[j] > LOAD_DEPTH_MAX) {
                return profile_fail(reader, "workload %s: more than %u requests at a time",
                                    workload->name, LOAD_DEPTH_MAX);
            }
        }
    }
    return true;
}

static bool workload_profile(struct profile_reader *reader, const char *profiles, const char *name,
                             struct lab_workload *workload)
{
    struct profile_reader of_file = {.text = reader->text};
    json_t *object = profile_load(&of_file, profiles, "workloads", name);
    bool good = object != NULL && profile_fields(&of_file, object, workload_fields, workload) &&
                profile_is_named(&of_file, workload->name, name);

    json_decref(object);
    return good;
}

bool lab_workload_read(struct profile_reader *reader, const char *profiles, const json_t *value,
                       struct lab_workload *ret_workload)
{
    const char *name = json_string_value(json_object_get(value, "profile"));

    *ret_workload = (struct lab_workload){.write_percent_count = 1, .worker_count = 1};
    ret_workload->workers[0] = 1;
    return (name == NULL || workload_profile(reader, profiles, name, ret_workload)) &&
           profile_fields(reader, value, workload_fields, ret_workload) &&
           workload_check(reader, ret_workload);
}
