/* Quirks that a scenario asks for by name (lab_scenario_private.h). */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "lab/lab_scenario_private.h"

/* Less than this is no cache. */
#define CACHE_LEAST_BYTES (UINT64_C(1) << 20)

static const struct controller_quirk *quirk_find(const struct controller_profile_file *file,
                                                 const char *name)
{
    for (uint32_t i = 0; i < file->quirk_count; i++) {
        if (strcmp(file->quirks[i].name, name) == 0) {
            return &file->quirks[i];
        }
    }
    return NULL;
}

static bool quirk_unknown(struct profile_reader *reader, const struct controller_profile_file *file,
                          const char *name)
{
    char names[256] = "";
    size_t length = 0;

    for (uint32_t i = 0; i < file->quirk_count && length < sizeof(names); i++) {
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   i == 0 ? ". It has: " : ", ", file->quirks[i].name);
    }
    return profile_fail(reader, "%s has no quirk named \"%.32s\"%s", file->profile.model, name,
                        names);
}

bool lab_quirks_read(struct profile_reader *reader, const json_t *value,
                     struct lab_scenario *scenario)
{
    struct lab_front_setup *front = &scenario->front;
    size_t index = 0;
    const json_t *entry = NULL;

    if (!json_is_array(value)) {
        return profile_refuse(reader, "must be a list of names");
    }
    json_array_foreach(value, index, entry)
    {
        const char *name = json_string_value(entry);
        const struct controller_quirk *quirk = NULL;

        if (name == NULL) {
            return profile_refuse(reader, "must be a list of names");
        }
        quirk = quirk_find(&scenario->controller, name);
        if (quirk == NULL) {
            return quirk_unknown(reader, &scenario->controller, name);
        }
        for (uint32_t i = 0; i < front->quirk_count; i++) {
            if (strcmp(front->quirks[i].name, name) == 0) {
                return profile_fail(reader, "%s is there twice", name);
            }
        }
        ASSERT(front->quirk_count < PROFILE_QUIRKS_MAX);
        front->quirks[front->quirk_count++] = *quirk;
    }
    return true;
}

void lab_quirks_apply(struct lab_point *point)
{
    struct lab_front_setup *front = &point->front;

    front->place = (struct lab_quirk_place){
        .level = point->array.level,
        .drive_count = point->array.drive_count,
        .failed_count = (uint32_t)__builtin_popcountll(point->array.failed),
        .reading_ahead = point->array.read_policy != READ_POLICY_NO_READ_AHEAD,
        .write_through = point->array.write_policy == WRITE_POLICY_WRITE_THROUGH,
    };
    for (uint32_t i = 0; i < front->quirk_count; i++) {
        uint64_t share_bytes = point->array.cache_bytes / 100 * front->quirks[i].cache_percent;

        if (!lab_quirk_fits(&front->quirks[i], &front->place)) {
            continue;
        }
        if (front->quirks[i].has_mirror_policy) {
            point->array.mirror_policy = front->quirks[i].mirror_policy;
        }
        if (front->quirks[i].cache_percent < 100 && point->array.cache_bytes > 0) {
            point->array.cache_bytes =
                max_u64(CACHE_LEAST_BYTES, align_down_u64(share_bytes, CACHE_LEAST_BYTES));
        }
    }
}
