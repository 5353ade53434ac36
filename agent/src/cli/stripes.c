/*
 * Stripes over virtual drives of an agent's controllers, which StorCLI does not know: shown, made
 * and dissolved. They belong to no controller, so they are named without one, and their members as
 * controller:number.
 */
#include <stdio.h>
#include <string.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

#define STRIPES_MAX 64u
#define MEMBERS_MAX 8u

/* As one member of it tells it. */
struct stripe {
    struct cli_controller *controller;
    const json_t *doc;
};

static uint32_t stripes_find(struct cli_context *context, struct stripe stripes[STRIPES_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < context->controller_count; i++) {
        struct cli_controller *controller = &context->controllers[i];
        const struct model_list *vds =
            controller->model != NULL ? &controller->model->lists[OBJECT_KIND_VIRTUAL_DRIVE] : NULL;

        for (uint32_t j = 0; vds != NULL && j < vds->count; j++) {
            const json_t *doc = json_object_get(vds->items[j].doc, "stripe");
            bool known = !json_is_object(doc) || count == STRIPES_MAX;

            for (uint32_t k = 0; k < count && !known; k++) {
                known = stripes[k].controller->client == controller->client &&
                        strcmp(doc_text(stripes[k].doc, "key"), doc_text(doc, "key")) == 0;
            }
            if (!known) {
                stripes[count++] = (struct stripe){.controller = controller, .doc = doc};
            }
        }
    }
    return count;
}

/* "0:0,1:0", a dash for each that is not there */
static void members_text(const struct cli_context *context, const struct stripe *stripe,
                         char out[96])
{
    uint64_t count = doc_u64(stripe->doc, "member_count");
    size_t used = 0;

    out[0] = '\0';
    for (uint64_t position = 0; position < count && position < MEMBERS_MAX; position++) {
        char text[24] = "-";

        for (uint32_t i = 0; i < context->controller_count; i++) {
            const struct cli_controller *controller = &context->controllers[i];
            const struct model_list *vds =
                controller->model != NULL && controller->client == stripe->controller->client
                    ? &controller->model->lists[OBJECT_KIND_VIRTUAL_DRIVE]
                    : NULL;

            for (uint32_t j = 0; vds != NULL && j < vds->count; j++) {
                const json_t *doc = json_object_get(vds->items[j].doc, "stripe");

                if (json_is_object(doc) && doc_u64(doc, "position") == position &&
                    strcmp(doc_text(doc, "key"), doc_text(stripe->doc, "key")) == 0) {
                    (void)snprintf(text, sizeof(text), "%u:%u", i,
                                   (unsigned)doc_u64(vds->items[j].doc, "index"));
                }
            }
        }
        used += (size_t)snprintf(out + used, 96 - used, "%s%s", position > 0 ? "," : "", text);
    }
}

/* In the manner of a virtual drive's short states. */
static const char *state_shown(const json_t *doc)
{
    static const char *const shown[HOST_STRIPE_STATE_MAX] = {"Optl", "Dgrd", "OfLn", "Incp",
                                                             "Starting"};
    enum host_stripe_state state;

    return host_stripe_state_parse(doc_text(doc, "state"), &state) ? shown[state] : "Unknown";
}

void show_stripes(struct cli_context *context)
{
    struct stripe stripes[STRIPES_MAX];
    uint32_t count = stripes_find(context, stripes);
    json_t *rows = json_array();

    for (uint32_t i = 0; i < count; i++) {
        const json_t *doc = stripes[i].doc;
        json_t *row = json_object();
        char text[96];

        row_text(row, "Name", doc_text(doc, "name"));
        row_text(row, "State", state_shown(doc));
        members_text(context, &stripes[i], text);
        row_text(row, "VDs", text);
        (void)snprintf(text, sizeof(text), "%u KB", (unsigned)doc_u64(doc, "strip_bytes") / 1024);
        row_text(row, "Strip", text);
        row_text(row, "Size", format_size(doc_u64(doc, "size_bytes"), text));
        rows_append(rows, row);
    }
    if (count == 0) {
        json_decref(rows);
        report_add(&context->report, -1, 0, "There are no stripes.", NULL, NULL);
        return;
    }
    report_add(&context->report, -1, 0, "None", NULL, json_pack("{s:o}", "Stripes", rows));
}

void stripes_print(struct cli_context *context)
{
    struct stripe stripes[STRIPES_MAX];
    uint32_t count = stripes_find(context, stripes);

    for (uint32_t i = 0; i < count; i++) {
        const json_t *doc = stripes[i].doc;
        char size[FORMAT_BYTES];
        char members[96];

        members_text(context, &stripes[i], members);
        (void)printf("stripe    %-16s over %-12s %12s  %s%s\n", doc_text(doc, "name"), members,
                     format_size(doc_u64(doc, "size_bytes"), size), state_shown(doc),
                     strcmp(doc_text(doc, "state"), "incomplete") == 0
                         ? " (not all of its virtual drives are here)"
                         : "");
    }
}

static void stripe_refuse(struct cli_context *context, const char *description, int error,
                          const char *message)
{
    report_add(
        &context->report, -1, error, description,
        json_pack("[{s:s, s:i, s:s}]", "Status", "Failure", "ErrCd", error, "ErrMsg", message),
        NULL);
}

/* The keys of vds=, and the first one's name; NULL with text. All are of one agent, whose client
 * the context uses then. */
static json_t *members_parse(struct cli_context *context, const char **ret_first,
                             char text[REQUEST_TEXT_BYTES])
{
    const char *typed = option_value(context, "vds");
    struct cli_place places[MEMBERS_MAX];
    uint32_t count = 0;
    json_t *keys = NULL;

    if (typed == NULL || !places_parse(typed, places, MEMBERS_MAX, &count)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "Name 2 to 8 virtual drives as vds=CONTROLLER:NUMBER,CONTROLLER:NUMBER");
        return NULL;
    }
    keys = json_array();
    for (uint32_t i = 0; i < count; i++) {
        const struct cli_controller *controller =
            places[i].has_eid && places[i].eid < context->controller_count
                ? &context->controllers[places[i].eid]
                : NULL;
        const struct model_object *vd =
            controller != NULL && controller->model != NULL
                ? model_numbered(controller->model, OBJECT_KIND_VIRTUAL_DRIVE, places[i].slot)
                : NULL;

        if (vd == NULL || (i > 0 && controller->client != context->client)) {
            (void)snprintf(text, REQUEST_TEXT_BYTES,
                           vd == NULL ? "There is no virtual drive %u:%u"
                                      : "Virtual drive %u:%u belongs to another agent",
                           places[i].eid, places[i].slot);
            json_decref(keys);
            return NULL;
        }
        cli_controller_use(context, places[i].eid);
        *ret_first = i == 0 ? doc_text(vd->doc, "name") : *ret_first;
        (void)json_array_append_new(keys, json_string(vd->key));
    }
    return keys;
}

void change_stripe_add(struct cli_context *context)
{
    static const char failed[] = "Add Stripe Failed.";
    const char *name = option_value(context, "name");
    bool force = option_has(context, "force");
    char message[REQUEST_TEXT_BYTES] = "";
    const char *first = NULL;
    uint64_t strip = 0;
    json_t *keys = NULL;
    int error = 0;

    if (name == NULL) {
        stripe_refuse(context, failed, CLI_ERROR_GENERIC, "Name the stripe with name=NAME");
        return;
    }
    if (option_value(context, "strip") != NULL &&
        (!option_number(context, "strip", &strip) || strip == 0)) {
        stripe_refuse(context, failed, CLI_ERROR_GENERIC, "strip= must be a number of KiB");
        return;
    }
    keys = members_parse(context, &first, message);
    if (keys == NULL) {
        stripe_refuse(context, failed, CLI_ERROR_GENERIC, message);
        return;
    }
    error = cli_execute(context, "stripe_create",
                        json_pack("{s:s, s:o, s:I, s:b}", "name", name, "virtual_drives", keys,
                                  "strip_bytes", (json_int_t)(strip * 1024), "force", force),
                        force ? first : NULL, message);
    if (error != 0) {
        stripe_refuse(context, failed, error, message);
        return;
    }
    report_add(&context->report, -1, 0, "Add Stripe Succeeded.", NULL, NULL);
}

/* The only one of that name. Of several, which only what was left of a cut can be, none. */
static const struct stripe *stripe_named(const struct stripe *stripes, uint32_t count,
                                         const char *name, char text[REQUEST_TEXT_BYTES])
{
    const struct stripe *found = NULL;

    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(doc_text(stripes[i].doc, "key"), name) == 0) {
            return &stripes[i];
        }
        if (strcmp(doc_text(stripes[i].doc, "name"), name) != 0) {
            continue;
        }
        if (found != NULL) {
            (void)snprintf(text, REQUEST_TEXT_BYTES,
                           "There are two stripes of that name; name one by its key: %.40s or "
                           "%.40s",
                           doc_text(found->doc, "key"), doc_text(stripes[i].doc, "key"));
            return NULL;
        }
        found = &stripes[i];
    }
    if (found == NULL) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "There is no stripe of that name");
    }
    return found;
}

void change_stripe_delete(struct cli_context *context)
{
    static const char failed[] = "Delete Stripe Failed.";
    struct stripe stripes[STRIPES_MAX];
    const char *name = option_value(context, "name");
    const char *confirm = option_value(context, "confirm");
    bool force = option_has(context, "force");
    char message[REQUEST_TEXT_BYTES] = "Name the stripe with name=NAME";
    const struct stripe *found =
        name != NULL ? stripe_named(stripes, stripes_find(context, stripes), name, message) : NULL;
    int error = 0;

    if (found == NULL) {
        stripe_refuse(context, failed, CLI_ERROR_GENERIC, message);
        return;
    }
    if (confirm == NULL && !force) {
        (void)snprintf(message, sizeof(message),
                       "What is on it could not be read any more. Repeat with force, or with "
                       "confirm=%s",
                       doc_text(found->doc, "name"));
        stripe_refuse(context, failed, CLI_ERROR_GENERIC, message);
        return;
    }
    cli_controller_use(context, (uint32_t)(found->controller - context->controllers));
    error =
        cli_execute(context, "stripe_delete",
                    json_pack("{s:s, s:b}", "stripe", doc_text(found->doc, "key"), "force", force),
                    confirm != NULL ? confirm : doc_text(found->doc, "name"), message);
    if (error != 0) {
        stripe_refuse(context, failed, error, message);
        return;
    }
    report_add(&context->report, -1, 0, "Delete Stripe Succeeded.", NULL, NULL);
}
