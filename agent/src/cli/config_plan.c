/*
 * What restoring a saved configuration takes on the controller as it is now.
 *
 * (1) A group that is there as it was saved, with all its virtual drives, is left as it is.
 * (2) Any other group is made on unconfigured good drives that carry nothing, or refused.
 * (3) Refusals are collected, so that one run tells them all.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/config.h"
#include "cli/rows.h"

static PRINTF_LIKE(3, 4) void refuse(struct config_plan *plan, const char *object,
                                     const char *format, ...)
{
    char text[REQUEST_TEXT_BYTES];
    va_list values;

    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    rows_append(plan->refusals, json_pack("{s:s, s:s}", "object", object, "text", text));
}

/* Takes args. */
static void step_add(struct config_plan *plan, const char *op, json_t *args, const char *shown,
                     const char *object)
{
    rows_append(plan->steps, json_pack("{s:s, s:o, s:s, s:s}", "op", op, "args", args, "shown",
                                       shown, "object", object));
}

static const struct model_object *saved_drive(const struct model *model, const json_t *saved)
{
    const char *key = doc_text(saved, "drive");

    return key[0] != '\0' ? model_find(model, OBJECT_KIND_DRIVE, key) : NULL;
}

/* The group with exactly these members in these places, or NULL. */
static const struct model_object *group_present(const struct model *model, const json_t *saved)
{
    const json_t *drives = json_object_get(saved, "drives");
    const struct model_object *first = saved_drive(model, json_array_get(drives, 0));
    const struct model_object *group =
        first != NULL
            ? model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(first->doc, "drive_group"))
            : NULL;
    const json_t *members = group != NULL ? json_object_get(group->doc, "members") : NULL;

    if (group == NULL || json_array_size(members) != json_array_size(drives) ||
        strcmp(doc_text(group->doc, "level"), doc_text(saved, "level")) != 0 ||
        doc_u64(group->doc, "drives_per_span") != doc_u64(saved, "drives_per_span")) {
        return NULL;
    }
    for (size_t i = 0; i < json_array_size(drives); i++) {
        if (!json_equal(json_object_get(json_array_get(members, i), "drive"),
                        json_object_get(json_array_get(drives, i), "drive"))) {
            return NULL;
        }
    }
    return group;
}

static const struct model_object *vd_named(const struct model *model, const char *name)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    for (uint32_t i = 0; i < vds->count; i++) {
        if (strcmp(doc_text(vds->items[i].doc, "name"), name) == 0) {
            return &vds->items[i];
        }
    }
    return NULL;
}

/* (1) */
static bool group_is_whole(const struct model *model, const struct model_object *group,
                           const json_t *saved)
{
    const json_t *item;
    size_t i;

    json_array_foreach(json_object_get(saved, "virtual_drives"), i, item)
    {
        const struct model_object *vd = vd_named(model, doc_text(item, "name"));

        if (vd == NULL || strcmp(doc_text(vd->doc, "drive_group"), group->key) != 0 ||
            doc_u64(vd->doc, "size_bytes") != doc_u64(item, "size_bytes") ||
            doc_u64(vd->doc, "strip_bytes") != doc_u64(item, "strip_bytes")) {
            return false;
        }
    }
    return true;
}

/* What is on it has to go first; every other reason says what to do. */
static void refuse_unfree(struct config_plan *plan, const char *object, const json_t *drive)
{
    const char *path = doc_text(drive, "path");
    const json_t *why = json_object_get(drive, "unsuitable");

    if (doc_bool(drive, "foreign")) {
        refuse(plan, object, "%.60s carries a foreign label; free it with \"%.60s set good force\"",
               path, path);
    } else if (strcmp(doc_text(why, "code"), "drive_unsuitable_signature") == 0) {
        refuse(plan, object, "%.60s carries data; erase it with \"%.60s start erase simple\"", path,
               path);
    } else {
        refuse(plan, object, "%.60s cannot be used: %.160s", path, doc_text(why, "text"));
    }
}

/* Is the drive free to be used? It is used up then. */
static bool drive_take(const struct model *model, struct config_plan *plan, const json_t *saved,
                       json_t *taken, const char *object)
{
    const struct model_object *drive = saved_drive(model, saved);
    const char *serial = doc_text(saved, "serial");

    if (json_is_null(json_object_get(saved, "drive"))) {
        refuse(plan, object, "a member was missing when this was saved (serial number %.60s)",
               serial);
    } else if (drive == NULL || !doc_bool(drive->doc, "present")) {
        refuse(plan, object, "the drive with serial number %.60s is not there", serial);
    } else if (json_object_get(taken, drive->key) != NULL) {
        refuse(plan, object, "%.60s stands in the document more than once",
               doc_text(drive->doc, "path"));
    } else if (strcmp(doc_text(drive->doc, "state"), "unconfigured_good") != 0) {
        refuse(plan, object, "%.60s is in use (%s); nothing that exists is overwritten",
               doc_text(drive->doc, "path"), doc_text(drive->doc, "state"));
    } else if (!drive_is_free(drive->doc)) {
        refuse_unfree(plan, object, drive->doc);
    } else {
        row_set(taken, drive->key, json_true());
        return true;
    }
    return false;
}

static json_t *create_args(const struct cli_context *context, const json_t *saved, const json_t *vd)
{
    static const char *const names[] = {
        "name",        "size_bytes", "strip_bytes",       "write_policy",
        "read_policy", "io_policy",  "drive_cache_policy"};
    json_t *args = json_pack("{s:s, s:s}", "controller", cli_controller(context)->key, "level",
                             doc_text(saved, "level"));

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        row_set(args, names[i], json_deep_copy(json_object_get(vd, names[i])));
    }
    if (json_object_get(vd, "degraded_policy") != NULL) { /* documents of old do not have it */
        row_set(args, "degraded_policy", json_deep_copy(json_object_get(vd, "degraded_policy")));
    }
    return args;
}

static void drives_set(json_t *args, const json_t *saved)
{
    json_t *keys = json_array();
    const json_t *drive;
    size_t i;

    json_array_foreach(json_object_get(saved, "drives"), i, drive)
    {
        rows_append(keys, json_string(doc_text(drive, "drive")));
    }
    row_set(args, "drives", keys);
    row_number(args, "drives_per_span", doc_u64(saved, "drives_per_span"));
}

/* Asks for a preview of the virtual drive as if it were the first on its drives. Returns what all
 * of them could hold together; 0 if it was refused. */
static uint64_t preview_room(struct cli_context *context, struct config_plan *plan,
                             const json_t *saved, const json_t *vd)
{
    json_t *args = create_args(context, saved, vd);
    uint64_t size = doc_u64(vd, "size_bytes");
    struct client_answer answer;
    uint64_t room = 0;

    drives_set(args, saved);
    row_number(args, "size_bytes", 0); /* all there is */
    if (!client_ask(context->client, "query",
                    json_pack("{s:s, s:o}", "name", "preview_vd_create", "args", args), &answer,
                    context->failure)) {
        context->failed = true;
        return 0;
    }
    const json_t *refusal = json_array_get(json_object_get(answer.result, "refusals"), 0);
    uint64_t row = doc_u64(answer.result, "row_bytes");
    if (answer.result == NULL) {
        refuse(plan, doc_text(vd, "name"), "%.300s", doc_text(answer.reason, "text"));
    } else if (refusal != NULL || !doc_bool(answer.result, "ok")) {
        refuse(plan, doc_text(vd, "name"), "%.300s", doc_text(refusal, "text"));
    } else if (row == 0 || size % row != 0) {
        refuse(plan, doc_text(vd, "name"), "its size is not whole rows of %llu bytes",
               (unsigned long long)row);
    } else {
        room = doc_u64(answer.result, "size_bytes");
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    return room;
}

static void name_check(struct cli_context *context, struct config_plan *plan, const char *name,
                       json_t *names)
{
    if (json_object_get(names, name) != NULL) {
        refuse(plan, name, "the name stands in the document more than once");
    } else if (vd_named(context->model, name) != NULL) {
        refuse(plan, name, "there is a virtual drive of this name");
    }
    row_set(names, name, json_true());
}

/* What vd_create does not set. */
static void extras_add(struct config_plan *plan, const json_t *vd)
{
    json_t *args = json_object();

    if (strcmp(doc_text(vd, "access"), "read_write") != 0) {
        row_text(args, "access", doc_text(vd, "access"));
    }
    if (json_object_get(vd, "stripe_log_mode") == NULL && doc_bool(vd, "stripe_log")) {
        row_text(args, "stripe_log_mode", "on"); /* a document of old */
    } else if (strcmp(doc_text(vd, "stripe_log_mode"), "on") == 0 ||
               strcmp(doc_text(vd, "stripe_log_mode"), "off") == 0) {
        row_text(args, "stripe_log_mode", doc_text(vd, "stripe_log_mode"));
    }
    if (doc_bool(vd, "hedged_reads")) {
        row_set(args, "hedged_reads", json_true());
    }
    if (json_object_size(args) == 0) {
        json_decref(args);
        return;
    }
    row_text(args, "virtual_drive", "@");
    step_add(plan, "vd_set", args, "Set its access, stripe log and hedged reads",
             doc_text(vd, "name"));
}

static void vd_add(struct cli_context *context, struct config_plan *plan, const json_t *saved,
                   const json_t *vd, size_t place, bool first)
{
    json_t *args = create_args(context, saved, vd);
    char shown[96];
    char size[FORMAT_BYTES];
    char type[16];
    char group[24];

    level_type(doc_text(saved, "level"), type);
    if (first) {
        drives_set(args, saved);
        (void)snprintf(shown, sizeof(shown), "Create %s of %s on %zu drives", type,
                       format_size(doc_u64(vd, "size_bytes"), size),
                       json_array_size(json_object_get(saved, "drives")));
    } else {
        (void)snprintf(group, sizeof(group), "@%zu", place);
        row_text(args, "drive_group", group);
        (void)snprintf(shown, sizeof(shown), "Create %s of %s beside it", type,
                       format_size(doc_u64(vd, "size_bytes"), size));
    }
    step_add(plan, "vd_create", args, shown, doc_text(vd, "name"));
    extras_add(plan, vd);
}

static void group_plan(struct cli_context *context, struct config_plan *plan, const json_t *saved,
                       size_t place, json_t *taken, json_t *names)
{
    const json_t *vds = json_object_get(saved, "virtual_drives");
    const struct model_object *group = group_present(context->model, saved);
    uint64_t room = UINT64_MAX;
    uint64_t wanted = 0;
    bool usable = true;
    char object[32];
    const json_t *item;
    size_t i;

    if (group != NULL && group_is_whole(context->model, group, saved)) {
        rows_append(plan->groups, json_string(group->key));
        return;
    }
    (void)snprintf(object, sizeof(object), "d%u", (unsigned)doc_u64(saved, "index"));
    rows_append(plan->groups, json_null());
    json_array_foreach(json_object_get(saved, "drives"), i, item)
    {
        usable = drive_take(context->model, plan, item, taken, object) && usable;
    }
    json_array_foreach(vds, i, item)
    {
        name_check(context, plan, doc_text(item, "name"), names);
        if (usable && !context->failed) {
            uint64_t holds = preview_room(context, plan, saved, item);

            room = holds < room ? holds : room;
            wanted += doc_u64(item, "size_bytes");
            vd_add(context, plan, saved, item, place, i == 0);
        }
    }
    if (usable && room != 0 && wanted > room) {
        refuse(plan, object, "its virtual drives do not fit on its drives any more");
    }
}

/* As it is by default where the document says nothing of it. */
static bool spare_is_revertible(const json_t *spare)
{
    return !json_is_false(json_object_get(spare, "revertible"));
}

/* Is the drive that spare already? Then nothing has to be done. */
static bool spare_is_there(const struct model_object *drive, const json_t *saved,
                           const json_t *keys)
{
    const json_t *spare = drive != NULL ? json_object_get(drive->doc, "hot_spare") : NULL;

    return json_is_object(spare) && json_equal(json_object_get(spare, "drive_groups"), keys) &&
           doc_bool(spare, "enclosure_affinity") == doc_bool(saved, "enclosure_affinity") &&
           spare_is_revertible(spare) == spare_is_revertible(saved);
}

/* The groups a spare is for: "@N", or the key where the group is there. NULL if one is not saved.
 */
static json_t *spare_groups(const struct config_plan *plan, const json_t *saved)
{
    const json_t *groups = json_object_get(plan->config, "drive_groups");
    json_t *keys = json_array();
    const json_t *number;
    size_t i;

    json_array_foreach(json_object_get(saved, "drive_groups"), i, number)
    {
        const json_t *group;
        size_t place;
        bool found = false;

        json_array_foreach(groups, place, group)
        {
            char key[24];
            const char *known = json_string_value(json_array_get(plan->groups, place));

            if (!found && json_equal(json_object_get(group, "index"), number)) {
                (void)snprintf(key, sizeof(key), "@%zu", place);
                rows_append(keys, json_string(known != NULL ? known : key));
                found = true;
            }
        }
        if (!found) {
            json_decref(keys);
            return NULL;
        }
    }
    return keys;
}

static void spare_plan(struct cli_context *context, struct config_plan *plan, const json_t *saved,
                       json_t *taken)
{
    const struct model_object *drive = saved_drive(context->model, saved);
    json_t *keys = spare_groups(plan, saved);

    if (keys == NULL) {
        refuse(plan, "hot spare", "it is for a drive group that is not in the document");
    } else if (!spare_is_there(drive, saved, keys) &&
               drive_take(context->model, plan, saved, taken, "hot spare")) {
        json_t *args = json_pack("{s:s}", "drive", drive->key);
        bool dedicated = json_array_size(keys) > 0;

        if (dedicated) {
            row_set(args, "drive_groups", json_incref(keys));
        }
        if (doc_bool(saved, "enclosure_affinity")) {
            row_set(args, "enclosure_affinity", json_true());
        }
        if (!spare_is_revertible(saved)) {
            row_set(args, "non_revertible", json_true());
        }
        step_add(plan, "spare_add", args,
                 dedicated ? "Make it a dedicated hot spare" : "Make it a global hot spare",
                 doc_text(drive->doc, "path"));
    }
    json_decref(keys);
}

/* What the document says nothing of stays. */
static void settings_plan(struct cli_context *context, struct config_plan *plan)
{
    json_t *now = config_settings(cli_controller(context)->doc);
    json_t *wanted = json_deep_copy(json_object_get(plan->config, "settings"));

    (void)json_object_update_missing(wanted, now); /* short of memory, less is set */
    if (!json_equal(now, wanted)) {
        json_t *args = json_incref(wanted);

        row_text(args, "controller", cli_controller(context)->key);
        step_add(plan, "controller_set", args, "Set rates and policies",
                 doc_text(cli_controller(context)->doc, "path"));
    }
    json_decref(wanted);
    json_decref(now);
}

void config_plan_make(struct cli_context *context, json_t *config, struct config_plan *ret_plan)
{
    json_t *taken = json_object();
    json_t *names = json_object();
    const json_t *item;
    size_t i;

    *ret_plan = (struct config_plan){
        .config = config, .steps = json_array(), .refusals = json_array(), .groups = json_array()};
    settings_plan(context, ret_plan);
    json_array_foreach(json_object_get(config, "drive_groups"), i, item)
    {
        group_plan(context, ret_plan, item, i, taken, names);
    }
    json_array_foreach(json_object_get(config, "hot_spares"), i, item)
    {
        spare_plan(context, ret_plan, item, taken);
    }
    json_decref(taken);
    json_decref(names);
}

void config_plan_free(struct config_plan *plan)
{
    json_decref(plan->config);
    json_decref(plan->steps);
    json_decref(plan->refusals);
    json_decref(plan->groups);
}
