/*
 * What the uplink asks arrayd to keep and to tell: the fence of its session, and how the link
 * stands. See link_state.h.
 */
#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "control/control_private.h"
#include "control/json_text.h"

static bool may_link(struct control_client *client, uint64_t id, const char *method)
{
    struct reason reason;

    if (client->backend || client->role == PEER_ADMINISTRATOR) {
        return true;
    }
    reason_set(&reason, REASON_NOT_PERMITTED, "op", method, NULL);
    control_refuse(client, id, &reason);
    return false;
}

static void fence_kept(void *owner, int error)
{
    struct control_server *server = owner;
    struct control_client *client = server->fence_client;
    struct reason reason;

    ASSERT(client != NULL); /* who leaves is forgotten */
    server->fence_client = NULL;
    if (error == 0) {
        control_answer(client, server->fence_request, json_new_object());
        return;
    }
    if (error == -ENOSPC) {
        reason_set(&reason, REASON_STORE_FULL, NULL);
    } else {
        reason_set(&reason, REASON_STORE_FAILED, "error", strerror(-error), NULL);
    }
    control_refuse(client, server->fence_request, &reason);
}

void control_link_join(struct control_server *server, struct control_client *client, uint64_t id,
                       const json_t *params)
{
    const char *fence = json_text_at(params, "fence");
    struct reason reason;

    if (!may_link(client, id, "link.join")) {
        return;
    }
    if (fence == NULL || !link_state_keep(server->world.link, fence, fence_kept, server)) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "fence", "problem",
                   "must be 1 to 64 printable characters", NULL);
        control_refuse(client, id, &reason);
        return;
    }
    server->fence_client = client; /* an earlier one waits for something that no longer counts */
    server->fence_request = id;
}

void control_link_report(struct control_server *server, struct control_client *client, uint64_t id,
                         const json_t *params)
{
    uint64_t wall_us = clock_wall_us(loop_clock(server->world.loop));
    const json_t *reason = json_object_get(params, "reason");
    const char *code = json_text_at(reason, "code");
    const char *text = json_text_at(reason, "text");
    struct reason refusal;

    if (!may_link(client, id, "link.report")) {
        return;
    }
    if (reason != NULL && (code == NULL || text == NULL)) {
        reason_set(&refusal, REASON_INVALID_ARGUMENT, "field", "reason", "problem",
                   "must have code and text", NULL);
        control_refuse(client, id, &refusal);
        return;
    }
    client->speaks_for_link = reason == NULL;
    if (reason == NULL) {
        link_state_set(server->world.link, LINK_CONNECTED, "", "", wall_us);
    } else {
        link_state_set(server->world.link, LINK_REFUSED, code, text, wall_us);
    }
    control_answer(client, id, json_new_object());
}

void control_link_leave(struct control_server *server, const struct control_client *client)
{
    if (server->fence_client == client) {
        server->fence_client = NULL;
        link_state_forget(server->world.link, server);
    }
    if (client->speaks_for_link) {
        link_state_lost(server->world.link, clock_wall_us(loop_clock(server->world.loop)));
    }
}
