/*
 * --json with show and status: the agent's own documents of what was named, one list of
 * {kind, key, rev, config_rev, doc}; the same as in REST, described by objects.schema.json.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/show.h"

static void item_collect(struct cli_context *context, const json_t *item)
{
    ASSERT(json_array_append(context->documents_shown, (json_t *)(uintptr_t)item) == 0);
}

static void object_visit(struct cli_context *context, const struct model_object *object,
                         void *data UNUSED)
{
    const json_t *item;
    size_t i;

    json_array_foreach(json_object_get(context->model->state, "objects"), i, item)
    {
        if (json_object_get(item, "doc") == object->doc) {
            item_collect(context, item);
        }
    }
}

/* Everything of the controller; what is the host's stands there once. */
static void documents_collect(struct cli_context *context, const struct model *model)
{
    const json_t *item;
    size_t i;

    json_array_foreach(json_object_get(model->state, "objects"), i, item)
    {
        bool host = strcmp(doc_text(item, "kind"), "host") == 0;

        if (!host || json_array_size(context->documents_shown) == 0) {
            item_collect(context, item);
        }
    }
}

static void host_collect(struct cli_context *context)
{
    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].model != NULL) {
            documents_collect(context, context->controllers[i].model);
        }
    }
}

void show_documents(struct cli_context *context)
{
    json_t *missing = json_array();

    context->absent_too = true;
    switch (context->request.object) {
    case CLI_OBJECT_NONE:
        host_collect(context);
        break;
    case CLI_OBJECT_CONTROLLER:
        documents_collect(context, context->model);
        break;
    case CLI_OBJECT_ENCLOSURE:
        cli_each_numbered(context, OBJECT_KIND_ENCLOSURE, missing, object_visit, NULL);
        break;
    case CLI_OBJECT_DRIVE:
        cli_each_drive(context, missing, object_visit, NULL);
        break;
    case CLI_OBJECT_GROUP:
        cli_each_numbered(context, OBJECT_KIND_DRIVE_GROUP, missing, object_visit, NULL);
        break;
    case CLI_OBJECT_VD:
        cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, object_visit, NULL);
        break;
    case CLI_OBJECT_BBU:
    case CLI_OBJECT_CACHEVAULT:
        if (cli_battery(context->model) != NULL) {
            object_visit(context, cli_battery(context->model), NULL);
        }
        break;
    case CLI_OBJECT_FOREIGN:
    case CLI_OBJECT_PHY:
    case CLI_OBJECT_MAX:
        break; /* these have no documents of their own */
    }
    if (json_array_size(missing) > 0) {
        show_finish(context, "Show Failed.", missing, NULL);
    } else {
        json_decref(missing);
    }
}

void documents_print(const struct cli_context *context)
{
    (void)json_dumpf(context->documents_shown, stdout, JSON_INDENT(2));
    (void)fputc('\n', stdout);
}
