/*
 * drive.health: what smartctl read of a drive, told by the program that asks it.
 *
 * (1) Only somebody of this host who may operate it is believed: a verdict can set a copyback off.
 * (2) A report is taken whole or not at all.
 */
#include "drive/drive_health.h"

#include <string.h>

#include "control/control_private.h"
#include "control/json_text.h"

static bool refuse(struct reason *ret_reason, const char *field, const char *problem)
{
    reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", field, "problem", problem, NULL);
    return false;
}

/* What explains a state; one that speaks for itself has nothing. */
static bool reason_parse(enum smart_state state, const char *word, enum reason_code *ret_code)
{
    static const struct {
        enum smart_state state;
        enum reason_code code;
    } reasons[] = {
        {SMART_STATE_FAILING, REASON_SMART_FAILING},
        {SMART_STATE_UNSUPPORTED, REASON_SMART_UNSUPPORTED},
        {SMART_STATE_UNREAD, REASON_SMART_MISSING},
        {SMART_STATE_UNREAD, REASON_SMART_UNREADABLE},
        {SMART_STATE_UNREAD, REASON_SMART_OUTPUT},
        {SMART_STATE_UNREAD, REASON_SMART_DISABLED},
    };

    *ret_code = REASON_OK;
    if (word == NULL) {
        return state == SMART_STATE_GOOD || state == SMART_STATE_ASLEEP;
    }
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        if (reasons[i].state == state && strcmp(reason_code_word(reasons[i].code), word) == 0) {
            *ret_code = reasons[i].code;
            return true;
        }
    }
    return false;
}

static bool verdict_parse(const json_t *params, struct drive_health *health,
                          struct reason *ret_reason)
{
    const char *state = json_text_at(params, "state");
    const char *word = json_text_at(params, "reason");
    const char *detail = json_text_at(params, "detail");
    enum reason_code code = REASON_OK;

    if (state == NULL || !smart_state_parse(state, &health->state)) {
        return refuse(ret_reason, "state", "is missing or not known");
    }
    if (!reason_parse(health->state, word, &code)) {
        return refuse(ret_reason, "reason", "does not explain the state");
    }
    reason_set(&health->reason, code, "detail", detail != NULL ? detail : "", NULL);
    return true;
}

static bool figures_parse(const json_t *params, struct drive_health *health,
                          struct reason *ret_reason)
{
    for (uint32_t i = 0; i < SMART_FIGURE_MAX; i++) {
        const char *name = smart_figure_word((enum smart_figure)i);

        if (json_object_get(params, name) == NULL) {
            continue;
        }
        if (!json_u64_at(params, name, &health->figures[i]) ||
            health->figures[i] > smart_figure_max((enum smart_figure)i)) {
            return refuse(ret_reason, name, "is not a figure of a drive");
        }
        health->told[i] = true;
    }
    return true;
}

void control_drive_health(struct control_server *server, struct control_client *client, uint64_t id,
                          const json_t *params)
{
    struct drive_health health = {.checked_us = clock_wall_us(loop_clock(server->world.loop))};
    const char *key = json_text_at(params, "drive");
    struct reason reason;

    if (client->backend || client->role < PEER_OPERATOR) { /* (1) */
        reason_set(&reason, REASON_NOT_PERMITTED, "op", "drive.health", NULL);
        control_refuse(client, id, &reason);
        return;
    }
    if (key == NULL) {
        (void)refuse(&reason, "drive", "is missing");
        control_refuse(client, id, &reason);
        return;
    }
    if (!verdict_parse(params, &health, &reason) || !figures_parse(params, &health, &reason)) {
        control_refuse(client, id, &reason); /* (2) */
        return;
    }
    if (!ctl_drive_health(ctl_host_owner(server->world.host, OBJECT_KIND_DRIVE, key), key,
                          &health)) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "drive", "key", key, NULL);
        control_refuse(client, id, &reason);
        return;
    }
    control_answer(client, id, json_new_object());
}
