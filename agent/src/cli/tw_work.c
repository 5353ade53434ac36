/*
 * What tw_cli starts and stops: verification, rebuild and media scan.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/tw.h"

static int vd_work(struct cli_context *context, const struct tw_request *request,
                   const struct model_object *vd, const char *action)
{
    (void)printf("Sending %s verify message to %s ... ", action, request->path);
    return tw_execute(context, "consistency_check",
                      json_pack("{s:s, s:s}", "virtual_drive", vd->key, "action", action), NULL);
}

/* Members of the group whose place has no drive that holds data, from *index on; NULL: none. */
static const json_t *empty_place(const struct model *model, const json_t *group, size_t *index)
{
    const json_t *members = json_object_get(group, "members");

    for (; *index < json_array_size(members); (*index)++) {
        const json_t *member = json_array_get(members, *index);
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));

        if (drive == NULL || !doc_bool(drive->doc, "present") ||
            word_is_one_of(doc_text(drive->doc, "state"),
                           "missing|failed|offline|unconfigured_bad")) {
            (*index)++;
            return member;
        }
    }
    return NULL;
}

/* A drive of the unit keeps its place; any other drive replaces a lost member. */
static int rebuild_on(struct cli_context *context, const struct model_object *group,
                      const char *key, size_t *place_index)
{
    const struct model_object *drive = model_find(context->model, OBJECT_KIND_DRIVE, key);
    const json_t *place = NULL;

    if (strcmp(doc_text(drive->doc, "drive_group"), group->key) == 0 &&
        doc_is_null(drive->doc, "hot_spare")) {
        return tw_execute(context, "rebuild",
                          json_pack("{s:s, s:s}", "drive", key, "action", "start"), NULL);
    }
    place = empty_place(context->model, group->doc, place_index);
    if (place == NULL) {
        return tw_fail("The unit has lost no drive that this one could replace.");
    }
    return tw_execute(context, "drive_replace",
                      json_pack("{s:s, s:s, s:I, s:I}", "drive", key, "drive_group", group->key,
                                "span", (json_int_t)doc_u64(place, "span"), "row",
                                (json_int_t)doc_u64(place, "row")),
                      NULL);
}

static int rebuild_start(struct cli_context *context, const struct tw_request *request,
                         const struct model_object *vd)
{
    const struct model_object *group =
        model_find(context->model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd->doc, "drive_group"));
    const char *disks = tw_value(request, "disk");
    char text[REQUEST_TEXT_BYTES];
    json_t *keys = NULL;
    const json_t *key;
    size_t place_index = 0;
    size_t index;
    int code = 0;

    if (disks == NULL) {
        return tw_complain("Error: (CLI:045) disk= must name the port of the drive to rebuild on, "
                           "for example disk=3.\n");
    }
    keys = tw_disk_keys(context->model, disks, NULL, text);
    if (keys == NULL || group == NULL) {
        (void)printf("Error: (CLI:045) %s\n", group != NULL ? text : "The unit has no drives.");
        json_decref(keys);
        return 1;
    }
    json_array_foreach(keys, index, key)
    {
        (void)printf("Sending rebuild start request to %s on 1 disk(s) [%s] ... ", request->path,
                     disks);
        code |= rebuild_on(context, group, json_string_value(key), &place_index);
    }
    json_decref(keys);
    return code;
}

int tw_unit_start(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *vd = tw_object_find(context, request);
    const char *what = tw_word(request, 0);

    if (vd == NULL) {
        return tw_complain(TW_ERROR_OBJECT);
    }
    if (word_is_one_of(what, "verify") && request->word_count == 1) {
        return vd_work(context, request, vd, "start");
    }
    if (word_is_one_of(what, "rebuild")) {
        return rebuild_start(context, request, vd);
    }
    return tw_complain(TW_ERROR_COMMAND);
}

int tw_unit_stop(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *vd = tw_object_find(context, request);

    if (vd == NULL) {
        return tw_complain(TW_ERROR_OBJECT);
    }
    return word_is_one_of(tw_word(request, 0), "verify") && request->word_count == 1
               ? vd_work(context, request, vd, "stop")
               : tw_complain(TW_ERROR_COMMAND);
}

/* "pause" and "resume" */
int tw_rebuild_pause(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *vd = tw_object_find(context, request);
    const char *action = word_is_one_of(request->verb, "pause") ? "pause" : "resume";
    const json_t *rebuild = vd != NULL ? tw_rebuild_of(context->model, vd) : NULL;

    if (vd == NULL) {
        return tw_complain(TW_ERROR_OBJECT);
    }
    if (!word_is_one_of(tw_word(request, 0), "rebuild") || request->word_count != 1) {
        return tw_complain(TW_ERROR_COMMAND);
    }
    (void)printf("Sending rebuild %s request to %s ... ", action, request->path);
    if (rebuild == NULL) {
        return tw_fail("The unit is not rebuilding.");
    }
    return tw_execute(
        context, "rebuild",
        json_pack("{s:s, s:s}", "drive", doc_text(rebuild, "target"), "action", action), NULL);
}

/* Of the controller in use, or of one unit of it. */
static int cache_flush(struct cli_context *context, const char *path, const struct model_object *vd)
{
    char message[REQUEST_TEXT_BYTES];

    (void)printf("Flushing write cache of %s ... ", path);
    (void)fflush(stdout);
    if (cli_flush(context, vd, message) != 0) {
        return tw_fail(message);
    }
    (void)fputs("Done.\n\n", stdout);
    return 0;
}

int tw_flush(struct cli_context *context, const struct tw_request *request)
{
    const struct model_object *vd = NULL;
    char path[16];
    int code = 0;

    if (request->word_count != 0) {
        return tw_complain(TW_ERROR_COMMAND);
    }
    if (request->object == TW_UNIT) {
        vd = tw_object_find(context, request);
        return vd != NULL ? cache_flush(context, request->path, vd) : tw_complain(TW_ERROR_OBJECT);
    }
    if (request->object == TW_CONTROLLER) {
        return cache_flush(context, request->path, NULL);
    }
    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].model != NULL) {
            cli_controller_use(context, i);
            if (cli_controller(context) != NULL) {
                (void)snprintf(path, sizeof(path), "/c%u", i);
                code |= cache_flush(context, path, NULL);
            }
        }
    }
    return code;
}

/* "start" and "stop": a patrol read of the controller. */
int tw_media_scan(struct cli_context *context, const struct tw_request *request)
{
    const char *action = word_is_one_of(request->verb, "start") ? "start" : "stop";

    if (!word_is_one_of(tw_word(request, 0), "mediascan") || request->word_count != 1) {
        return tw_complain(TW_ERROR_COMMAND);
    }
    (void)printf("Sending %s mediascan message to %s ... ", action, request->path);
    return tw_execute(
        context, "patrol_read",
        json_pack("{s:s, s:s}", "controller", cli_controller(context)->key, "action", action),
        NULL);
}
