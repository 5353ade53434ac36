/*
 * Scenarios of several drive groups. Each group is read as a scenario of its own on the same
 * controller, so that every rule of one array is the rule of each; the rules of all of them
 * together come after.
 */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "control/object_doc.h"
#include "lab/lab_scenario_private.h"
#include "lab/lab_survival.h"

#define MS_MAX 86400000u

/* What one entry of the list is read into. */
struct entry {
    struct lab_group *group;
    struct lab_scenario *scenario;
    const char *profiles;
    bool has_rebuild;
};

static const char *const fault_words[LAB_FAULT_MAX] = {
    [LAB_FAULT_SLOW] = "slow",
    [LAB_FAULT_FAILS] = "fails",
    [LAB_FAULT_LATENT_ERRORS] = "latent_errors",
};

const char *lab_fault_word(enum lab_fault_kind kind)
{
    ASSERT((unsigned)kind < LAB_FAULT_MAX);
    return fault_words[kind];
}

/* Faults */

PROFILE_WORD_READER(fault_kind_read, enum lab_fault_kind, LAB_FAULT_MAX, lab_fault_word, lab_fault,
                    kind)

/* The keys of each kind. */
static const struct profile_field fault_fields[LAB_FAULT_MAX][6] = {
    [LAB_FAULT_SLOW] = {{"kind", FIELD_CUSTOM, true, 0, 0, 0, fault_kind_read},
                        {"member", FIELD_U32, true, FIELD_OF(lab_fault, member), 0,
                         LAB_DRIVES_MAX - 1, NULL},
                        {"latency_ms", FIELD_U32, true, FIELD_OF(lab_fault, latency_ms), 1, 60000,
                         NULL},
                        FIELDS_END},
    [LAB_FAULT_FAILS] = {{"kind", FIELD_CUSTOM, true, 0, 0, 0, fault_kind_read},
                         {"member", FIELD_U32, true, FIELD_OF(lab_fault, member), 0,
                          LAB_DRIVES_MAX - 1, NULL},
                         {"after_ms", FIELD_BYTES, true, FIELD_OF(lab_fault, after_ms), 0, MS_MAX,
                          NULL},
                         FIELDS_END},
    [LAB_FAULT_LATENT_ERRORS] = {{"kind", FIELD_CUSTOM, true, 0, 0, 0, fault_kind_read},
                                 {"member", FIELD_U32, true, FIELD_OF(lab_fault, member), 0,
                                  LAB_DRIVES_MAX - 1, NULL},
                                 {"offset_bytes", FIELD_BYTES, true,
                                  FIELD_OF(lab_fault, offset_bytes), 0, UINT64_C(1) << 50, NULL},
                                 {"length_bytes", FIELD_BYTES, true,
                                  FIELD_OF(lab_fault, length_bytes), 512, UINT64_C(1) << 50, NULL},
                                 FIELDS_END},
};

/* The kind says which keys there are. */
static bool fault_read(struct profile_reader *reader, const json_t *value, struct lab_fault *fault)
{
    const struct profile_field kind_alone[] = {
        {"kind", FIELD_CUSTOM, true, 0, 0, 0, fault_kind_read}, FIELDS_END};
    const json_t *kind = json_object_get(value, "kind");
    json_t *first = kind != NULL ? json_pack("{s:O}", "kind", kind) : json_object();
    bool good = profile_fields(reader, first, kind_alone, fault);

    json_decref(first);
    if (!good || !profile_fields(reader, value, fault_fields[fault->kind], fault)) {
        return false;
    }
    return fault->kind != LAB_FAULT_LATENT_ERRORS ||
           (fault->offset_bytes % 512 == 0 && fault->length_bytes % 512 == 0) ||
           profile_fail(reader, "latent errors are of whole blocks of 512 bytes");
}

static bool faults_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct lab_group *group = ((struct entry *)target)->group;
    size_t index = 0;
    const json_t *each = NULL;

    if (!profile_list(reader, value, 0, LAB_FAULTS_MAX, "faults")) {
        return false;
    }
    json_array_foreach(value, index, each)
    {
        size_t outer = profile_enter_entry(reader, index);

        if (!fault_read(reader, each, &group->faults[index])) {
            return false;
        }
        profile_leave(reader, outer);
    }
    group->fault_count = (uint32_t)index;
    return true;
}

struct rebuild_wish {
    uint32_t member, rate_percent;
};

static const struct profile_field rebuild_fields[] = {
    {"member", FIELD_U32, true, FIELD_OF(rebuild_wish, member), 0, LAB_DRIVES_MAX - 1, NULL},
    {"rate_percent", FIELD_U32, false, FIELD_OF(rebuild_wish, rate_percent), 0, 100, NULL},
    FIELDS_END};

static bool rebuild_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct entry *entry = target;
    struct rebuild_wish wish = {.rate_percent = 30}; /* as a controller has it */

    if (!profile_fields(reader, value, rebuild_fields, &wish)) {
        return false;
    }
    entry->has_rebuild = true;
    entry->scenario->array.is_rebuilding = true;
    entry->scenario->array.rebuild_member = wish.member;
    entry->group->rebuild_rate_percent = wish.rate_percent;
    return true;
}

/* One group */

static bool drives_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return lab_drives_read(reader, value, ((struct entry *)target)->scenario);
}

static bool array_read(struct profile_reader *reader, const json_t *value, void *target)
{
    return lab_array_read(reader, value, ((struct entry *)target)->scenario);
}

static bool load_read(struct profile_reader *reader, const json_t *value, void *target)
{
    struct entry *entry = target;

    entry->scenario->workload_count = 1;
    return lab_workload_read(reader, entry->profiles, value, &entry->scenario->workloads[0]);
}

static bool name_read(struct profile_reader *reader, const json_t *value, void *target)
{
    const char *name = json_string_value(value);
    struct lab_group *group = ((struct entry *)target)->group;

    if (name == NULL || name[0] == '\0' || strlen(name) >= sizeof(group->name)) {
        return profile_refuse(reader, "must be a text of 1 to %zu characters",
                              sizeof(group->name) - 1);
    }
    (void)snprintf(group->name, sizeof(group->name), "%s", name);
    return true;
}

static const struct profile_field group_fields[] = {
    {"name", FIELD_CUSTOM, true, 0, 0, 0, name_read},
    {"drives", FIELD_CUSTOM, true, 0, 0, 0, drives_read},
    {"array", FIELD_CUSTOM, true, 0, 0, 0, array_read},
    {"workload", FIELD_CUSTOM, true, 0, 0, 0, load_read},
    {"faults", FIELD_CUSTOM, false, 0, 0, 0, faults_read},
    {"rebuild", FIELD_CUSTOM, false, 0, 0, 0, rebuild_read},
    FIELDS_FOR_PEOPLE,
    FIELDS_END};

/* All of them run at once: there is one point of each. */
static bool steps_check(struct profile_reader *reader, const struct entry *entry)
{
    const struct lab_workload *load = &entry->scenario->workloads[0];
    const struct {
        const char *name;
        uint32_t count;
    } steps[] = {{"mixes", load->mix_count},
                 {"write_percents", load->write_percent_count},
                 {"workers", load->worker_count},
                 {"depths", load->depth_count}};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (steps[i].count != 1) {
            return profile_fail(reader, "group %s: workload %s has %u %s: name one of them",
                                entry->group->name, load->name, steps[i].count, steps[i].name);
        }
    }
    return true;
}

static bool members_check(struct profile_reader *reader, const struct entry *entry)
{
    const struct lab_array_setup *array = &entry->scenario->array;
    const struct lab_group *group = entry->group;
    struct geometry geometry;
    uint64_t lost = array->failed | UINT64_C(1) << array->rebuild_member;

    for (uint32_t i = 0; i < group->fault_count; i++) {
        const struct lab_fault *fault = &group->faults[i];

        if (fault->member >= array->drive_count || (array->failed >> fault->member & 1) != 0) {
            return profile_fail(reader, "group %s: no drive is there as member %u (fault: %s)",
                                group->name, fault->member, fault_words[fault->kind]);
        }
        if (fault->kind == LAB_FAULT_LATENT_ERRORS &&
            fault->offset_bytes + fault->length_bytes > array->drive.capacity_bytes) {
            return profile_fail(reader, "group %s: latent errors of member %u lie behind its end",
                                group->name, fault->member);
        }
    }
    if (!entry->has_rebuild) {
        return true;
    }
    if (array->rebuild_member >= array->drive_count ||
        (array->failed >> array->rebuild_member & 1) != 0) {
        return profile_fail(reader, "group %s: no drive is there as member %u, to be rebuilt",
                            group->name, array->rebuild_member);
    }
    lab_variant_geometry(entry->scenario, &entry->scenario->variants[0], &geometry);
    return lab_survives(&geometry, lost) ||
           profile_fail(reader, "group %s: with member %u lost nothing is left to rebuild it from",
                        group->name, array->rebuild_member);
}

static bool group_read(struct profile_reader *reader, const json_t *value, struct entry *entry,
                       uint64_t index)
{
    struct lab_scenario *scenario = entry->scenario;
    struct lab_place place;

    if (!profile_fields(reader, value, group_fields, entry) || !steps_check(reader, entry) ||
        !lab_variants_read(reader, NULL, scenario) || !lab_whole_check(reader, scenario) ||
        !members_check(reader, entry)) {
        return false;
    }
    /* Groups of the same drives and load do not ask for the same things at the same time. */
    scenario->seed += index;
    ASSERT(scenario->point_count == 1);
    lab_scenario_points(scenario, &entry->group->point, &place);
    return true;
}

/* All of them */

static bool together_check(struct profile_reader *reader, const struct lab_scenario *scenario)
{
    const struct controller_profile *profile = &scenario->controller.profile;
    uint32_t drives = 0;

    if (scenario->front.controller_count > 1) {
        return profile_fail(reader, "groups are on one controller: controller.count must be 1");
    }
    if (scenario->front.quirk_count > 0) {
        return profile_fail(reader, "quirks are for a scenario of one array");
    }
    for (uint32_t i = 0; i < scenario->group_count; i++) {
        drives += scenario->groups[i].point.array.drive_count;
        for (uint32_t j = 0; j < i; j++) {
            if (strcmp(scenario->groups[i].name, scenario->groups[j].name) == 0) {
                return profile_fail(reader, "two groups have the name %s",
                                    scenario->groups[i].name);
            }
        }
    }
    if (profile->ports != 0 && drives > profile->ports) {
        return profile_fail(reader, "%s has %u ports, the groups have %u drives", profile->model,
                            profile->ports, drives);
    }
    return drives <= LAB_DRIVES_MAX ||
           profile_fail(reader, "%u drives are too many: at most %u", drives, LAB_DRIVES_MAX);
}

bool lab_groups_read(struct profile_reader *reader, const char *profiles, const json_t *value,
                     struct lab_scenario *scenario)
{
    size_t index = 0;
    const json_t *each = NULL;

    size_t list = profile_enter(reader, "groups");

    if (!profile_list(reader, value, 1, LAB_GROUPS_MAX, "groups")) {
        return false;
    }
    scenario->groups = calloc(LAB_GROUPS_MAX, sizeof(*scenario->groups));
    ASSERT(scenario->groups != NULL);
    json_array_foreach(value, index, each)
    {
        struct entry entry = {.group = &scenario->groups[index],
                              .scenario = malloc(sizeof(*scenario)),
                              .profiles = profiles};
        size_t outer = profile_enter_entry(reader, index);

        ASSERT(entry.scenario != NULL);
        *entry.scenario = *scenario;
        entry.scenario->group_count = 0;
        scenario->group_scenarios[index] = entry.scenario;
        scenario->group_count = (uint32_t)index + 1;
        if (!group_read(reader, each, &entry, index)) {
            return false;
        }
        profile_leave(reader, outer);
    }
    profile_leave(reader, list);
    return together_check(reader, scenario);
}
