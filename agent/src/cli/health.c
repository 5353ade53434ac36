/*
 * Health in sentences: see health.h.
 */
#include "cli/health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/rows.h"

struct note_list {
    struct health_note *notes;
    uint32_t count, capacity;
};

const char *health_word(enum health health)
{
    static const char *const words[HEALTH_MAX] = {"Good", "Working", "Needs Attention", "Bad"};

    ASSERT(health < HEALTH_MAX);
    return words[health];
}

static bool is_state(const json_t *doc, const char *state)
{
    return strcmp(doc_text(doc, "state"), state) == 0;
}

static const char *reason_text(const json_t *doc, const char *field)
{
    return doc_text(json_object_get(doc, field), "text");
}

enum health health_of_vd(const json_t *vd)
{
    if (is_state(vd, "offline") || json_is_object(json_object_get(vd, "lost_writes"))) {
        return HEALTH_BAD;
    }
    if (is_state(vd, "starting")) {
        return HEALTH_WORKING;
    }
    if (!is_state(vd, "optimal")) {
        return HEALTH_WARNING;
    }
    return doc_bool(vd, "consistent") ? HEALTH_GOOD : HEALTH_WORKING;
}

enum health health_of_drive(const json_t *drive)
{
    if (is_state(drive, "failed") || is_state(drive, "unconfigured_bad") ||
        is_state(drive, "missing")) {
        return HEALTH_BAD;
    }
    if (is_state(drive, "offline") || doc_u64(drive, "predictive_failure_count") > 0 ||
        doc_u64(drive, "media_error_count") > 0) {
        return HEALTH_WARNING;
    }
    return is_state(drive, "rebuild") || is_state(drive, "starting") ? HEALTH_WORKING : HEALTH_GOOD;
}

enum health health_of_battery(const json_t *battery)
{
    if (is_state(battery, "optimal")) {
        return HEALTH_GOOD;
    }
    if (is_state(battery, "failed") || is_state(battery, "missing")) {
        return HEALTH_BAD;
    }
    return is_state(battery, "charging") || is_state(battery, "learning") ? HEALTH_WORKING
                                                                          : HEALTH_WARNING;
}

/* A place in the list, in the order of how bad it is; NULL if there is none left. */
static struct health_note *note_add(struct note_list *list, enum health health, const char *object)
{
    uint32_t at = 0;

    if (list->count == list->capacity) {
        return NULL;
    }
    while (at < list->count && list->notes[at].health >= health) {
        at++;
    }
    memmove(&list->notes[at + 1], &list->notes[at], (list->count - at) * sizeof(list->notes[0]));
    list->notes[at] = (struct health_note){.health = health, .object = object};
    list->count++;
    return &list->notes[at];
}

/* What is done about lost redundancy. */
static const char *repair_text(const struct model *model, const json_t *vd, bool rebuilds)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd, "drive_group"));

    if (rebuilds) {
        return "A rebuild is running.";
    }
    if (group != NULL && json_is_object(json_object_get(group->doc, "rebuild_waits"))) {
        return reason_text(group->doc, "rebuild_waits");
    }
    return "Nothing is being rebuilt: replace the drive or add a hot spare.";
}

static void vd_note(struct note_list *list, const struct model *model,
                    const struct model_object *vd)
{
    enum health health = health_of_vd(vd->doc);
    const char *name = doc_text(vd->doc, "name");
    uint64_t left = doc_u64(vd->doc, "drive_failures_left");
    bool rebuilds = false;
    const struct model_list *operations = &model->lists[OBJECT_KIND_OPERATION];

    for (uint32_t i = 0; i < operations->count; i++) {
        const json_t *doc = operations->items[i].doc;

        rebuilds =
            rebuilds ||
            (doc_is_null(doc, "ended_at_us") && strcmp(doc_text(doc, "kind"), "rebuild") == 0 &&
             strcmp(doc_text(doc, "drive_group"), doc_text(vd->doc, "drive_group")) == 0);
    }
    if (health != HEALTH_WARNING && health != HEALTH_BAD) {
        return;
    }
    struct health_note *note = note_add(list, health, doc_text(vd->doc, "path"));
    if (note == NULL) {
        return;
    }
    if (is_state(vd->doc, "offline")) {
        (void)snprintf(note->text, sizeof(note->text),
                       "Virtual drive %s is offline: too many of its drives are missing. Put them "
                       "back; nothing on them was changed.",
                       name);
    } else if (json_is_object(json_object_get(vd->doc, "lost_writes"))) {
        (void)snprintf(note->text, sizeof(note->text), "Virtual drive %s: %s", name,
                       reason_text(vd->doc, "lost_writes"));
    } else {
        (void)snprintf(note->text, sizeof(note->text),
                       "Virtual drive %s has lost redundancy: %llu more drive%s may fail. %s", name,
                       (unsigned long long)left, left == 1 ? "" : "s",
                       repair_text(model, vd->doc, rebuilds));
    }
}

static void drive_note(struct note_list *list, const struct model_object *drive)
{
    enum health health = health_of_drive(drive->doc);
    struct health_note *note = NULL;

    if ((health != HEALTH_WARNING && health != HEALTH_BAD) ||
        (!doc_bool(drive->doc, "present") && doc_is_null(drive->doc, "drive_group"))) {
        return;
    }
    note = note_add(list, health, doc_text(drive->doc, "path"));
    if (note != NULL && doc_is_null(drive->doc, "state_reason")) {
        (void)snprintf(note->text, sizeof(note->text),
                       "Drive is %s, with %llu media errors and %llu announced failures.",
                       drive_state_shown(drive->doc),
                       (unsigned long long)doc_u64(drive->doc, "media_error_count"),
                       (unsigned long long)doc_u64(drive->doc, "predictive_failure_count"));
    } else if (note != NULL) {
        (void)snprintf(note->text, sizeof(note->text), "Drive is %s: %s",
                       drive_state_shown(drive->doc), reason_text(drive->doc, "state_reason"));
    }
}

static void battery_note(struct note_list *list, const struct model_object *battery)
{
    enum health health = health_of_battery(battery->doc);
    struct health_note *note =
        health == HEALTH_GOOD ? NULL : note_add(list, health, doc_text(battery->doc, "path"));

    if (note != NULL) {
        (void)snprintf(note->text, sizeof(note->text), "%s",
                       reason_text(battery->doc, "state_reason"));
    }
}

/* What has silently changed is nobody's fault yet, and stays until somebody has looked at it. */
static void check_note(struct note_list *list, const struct model_object *vd)
{
    const json_t *check = json_object_get(vd->doc, "consistency_check");
    uint64_t count = doc_u64(check, "inconsistent_count");
    const char *path = doc_text(vd->doc, "path");
    struct health_note *note = count > 0 ? note_add(list, HEALTH_WARNING, path) : NULL;

    if (note != NULL) {
        (void)snprintf(note->text, sizeof(note->text),
                       "Its redundancy does not agree with its data at %llu place%s: see "
                       "\"%s show cc\".",
                       (unsigned long long)count, count == 1 ? "" : "s", path);
    }
}

static void controller_note(struct note_list *list, const struct model_object *controller)
{
    const json_t *cache = json_object_get(controller->doc, "cache");
    struct health_note *note = NULL;

    if (json_is_object(json_object_get(cache, "state_reason"))) {
        note = note_add(list, HEALTH_WARNING, doc_text(controller->doc, "path"));
    }
    if (note != NULL) {
        (void)snprintf(note->text, sizeof(note->text), "%s", reason_text(cache, "state_reason"));
    }
    if (json_array_size(json_object_get(cache, "preserved")) > 0) {
        note = note_add(list, HEALTH_WARNING, doc_text(controller->doc, "path"));
        if (note != NULL) {
            (void)snprintf(note->text, sizeof(note->text),
                           "Cached writes wait for drives that are missing: see \"%s show "
                           "preservedcache\".",
                           doc_text(controller->doc, "path"));
        }
    }
}

/* Why a controller that has them needs attention. */
static void foreign_note(struct note_list *list, const struct model *model,
                         const struct model_object *controller)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    const char *path = doc_text(controller->doc, "path");
    uint32_t count = 0;

    for (uint32_t i = 0; i < drives->count; i++) {
        count +=
            doc_bool(drives->items[i].doc, "present") && doc_bool(drives->items[i].doc, "foreign");
    }
    struct health_note *note = count > 0 ? note_add(list, HEALTH_WARNING, path) : NULL;
    if (note != NULL) {
        (void)snprintf(
            note->text, sizeof(note->text),
            "%u drive%s a foreign configuration: see \"%s/fall show all\"; import it, or "
            "free its drives (set good force).",
            count, count == 1 ? " has" : "s have", path);
    }
}

uint32_t health_notes(const struct model *model, struct health_note *notes, uint32_t capacity)
{
    struct note_list list = {notes, 0, capacity};
    const struct model_list *objects = model->lists;

    for (uint32_t i = 0; i < objects[OBJECT_KIND_VIRTUAL_DRIVE].count; i++) {
        vd_note(&list, model, &objects[OBJECT_KIND_VIRTUAL_DRIVE].items[i]);
        check_note(&list, &objects[OBJECT_KIND_VIRTUAL_DRIVE].items[i]);
    }
    for (uint32_t i = 0; i < objects[OBJECT_KIND_DRIVE].count; i++) {
        drive_note(&list, &objects[OBJECT_KIND_DRIVE].items[i]);
    }
    for (uint32_t i = 0; i < objects[OBJECT_KIND_BATTERY].count; i++) {
        battery_note(&list, &objects[OBJECT_KIND_BATTERY].items[i]);
    }
    for (uint32_t i = 0; i < objects[OBJECT_KIND_CONTROLLER].count; i++) {
        controller_note(&list, &objects[OBJECT_KIND_CONTROLLER].items[i]);
        foreign_note(&list, model, &objects[OBJECT_KIND_CONTROLLER].items[i]);
    }
    return list.count;
}
