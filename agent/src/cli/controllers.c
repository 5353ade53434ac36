/*
 * The sockets that were named, and what is behind them: see command.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/command.h"

static bool picture_take(struct cli_controller *controller, int number)
{
    struct client_answer answer;

    if (!client_ask(controller->client, "state.get", json_pack("{s:i}", "since_rev", 0), &answer,
                    controller->failure)) {
        return false;
    }
    if (answer.result == NULL) {
        (void)snprintf(controller->failure, sizeof(controller->failure), "arrayd refused: %s",
                       doc_text(answer.reason, "text"));
        json_decref(answer.reason);
        return false;
    }
    controller->model = model_make(answer.result, number);
    if (controller->model == NULL) {
        (void)snprintf(controller->failure, sizeof(controller->failure),
                       "arrayd sent a state this arrayctl does not understand");
    }
    return controller->model != NULL;
}

void cli_sockets_add(struct cli_context *context, char *list)
{
    char *rest = NULL;

    for (char *path = strtok_r(list, ":", &rest); path != NULL; path = strtok_r(NULL, ":", &rest)) {
        if (context->controller_count < CLI_CONTROLLERS_MAX) {
            context->controllers[context->controller_count++].socket = path;
        }
    }
}

uint32_t cli_controllers_open(struct cli_context *context)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < context->controller_count; i++) {
        struct cli_controller *controller = &context->controllers[i];

        count += client_open(controller->socket, &controller->client, controller->failure) &&
                 picture_take(controller, (int)i);
    }
    return count;
}

void cli_controllers_close(struct cli_context *context)
{
    for (uint32_t i = 0; i < context->controller_count; i++) {
        client_close(context->controllers[i].client);
        model_free(context->controllers[i].model);
        context->controllers[i].client = NULL;
        context->controllers[i].model = NULL;
    }
}

void cli_controller_use(struct cli_context *context, uint32_t number)
{
    ASSERT(number < context->controller_count);
    context->number = (int)number;
    context->client = context->controllers[number].client;
    context->model = context->controllers[number].model;
}

bool cli_picture_renew(struct cli_context *context)
{
    struct cli_controller *controller = &context->controllers[context->number];
    struct model *old = controller->model;

    controller->model = NULL;
    if (!picture_take(controller, context->number)) {
        controller->model = old;
        (void)snprintf(context->failure, sizeof(context->failure), "%s", controller->failure);
        context->failed = true;
        return false;
    }
    model_free(old);
    context->model = controller->model;
    return cli_controller(context) != NULL;
}
