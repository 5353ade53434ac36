/*
 * The sockets that were named, and what is behind them: see command.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/command.h"

/* The state of the controller's agent; NULL with a failure. */
static json_t *state_ask(struct cli_controller *controller)
{
    struct client_answer answer;

    if (!client_ask(controller->client, "state.get", json_pack("{s:i}", "since_rev", 0), &answer,
                    controller->failure)) {
        return NULL;
    }
    if (answer.result == NULL) {
        (void)snprintf(controller->failure, sizeof(controller->failure), "arrayd refused: %s",
                       doc_text(answer.reason, "text"));
        json_decref(answer.reason);
    }
    return answer.result;
}

/* Takes the state. */
static bool picture_make(struct cli_controller *controller, json_t *state, int number)
{
    controller->model = model_make(state, controller->index, number);
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
        if (context->socket_count < CLI_CONTROLLERS_MAX) {
            context->sockets[context->socket_count++] = path;
        }
    }
}

/* The controllers of one agent, at most room of them; how many could be asked. */
static uint32_t agent_open(struct cli_context *context, const char *socket, uint32_t room)
{
    struct cli_controller first = {.socket = socket};
    json_t *state = NULL;
    uint32_t count = 0;
    uint32_t shown = 0;

    ASSERT(room > 0);
    if (client_open(socket, &first.client, first.failure)) {
        state = state_ask(&first);
    }
    count = state != NULL ? model_controller_count(state) : 0;
    count = count == 0 ? 1 : count > room ? room : count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = context->controller_count++;
        struct cli_controller *controller = &context->controllers[number];

        *controller = first;
        controller->index = i;
        if (state != NULL) { /* the last takes the state itself */
            json_t *own = i + 1 < count ? json_deep_copy(state) : state;

            shown += picture_make(controller, own, (int)number);
        }
    }
    return shown;
}

uint32_t cli_controllers_open(struct cli_context *context)
{
    uint32_t shown = 0;

    ASSERT(context->controller_count == 0);
    for (uint32_t i = 0;
         i < context->socket_count && context->controller_count < CLI_CONTROLLERS_MAX; i++) {
        shown += agent_open(context, context->sockets[i],
                            CLI_CONTROLLERS_MAX - context->controller_count);
    }
    return shown;
}

void cli_controllers_close(struct cli_context *context)
{
    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].index == 0) {
            client_close(context->controllers[i].client);
        }
        model_free(context->controllers[i].model);
    }
    context->controller_count = 0;
}

void cli_controller_use(struct cli_context *context, uint32_t number)
{
    ASSERT(number < context->controller_count);
    context->number = (int)number;
    context->shift = (int)(number - context->controllers[number].index);
    context->client = context->controllers[number].client;
    context->model = context->controllers[number].model;
}

bool cli_picture_renew(struct cli_context *context)
{
    struct cli_controller *controller = &context->controllers[context->number];
    struct model *old = controller->model;

    json_t *state = state_ask(controller);
    if (state == NULL || !picture_make(controller, state, context->number)) {
        controller->model = old;
        (void)snprintf(context->failure, sizeof(context->failure), "%s", controller->failure);
        context->failed = true;
        return false;
    }
    model_free(old);
    context->model = controller->model;
    return cli_controller(context) != NULL;
}
