/*
 * Passing questions on: see query_relay.h.
 */
#include "uplink/query_relay.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "control/json_text.h"

#define DATA_MAX_BYTES (FRAME_OUT_MAX_BYTES - 1024u)

void query_relay_start(struct query_relay *relay)
{
    *relay = (struct query_relay){.slots = {{.state = QUERY_FREE}}};
}

static void slot_free(struct query_slot *slot)
{
    json_decref(slot->params);
    json_decref(slot->answer);
    *slot = (struct query_slot){.state = QUERY_FREE};
}

void query_relay_done(struct query_relay *relay)
{
    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        slot_free(&relay->slots[i]);
    }
}

/* Takes the references; one of data and reason is NULL. */
static void slot_answer(struct query_slot *slot, json_t *data, json_t *reason)
{
    json_t *frame = frame_new("answer", 0);

    ASSERT(slot->state == QUERY_WAITING || slot->state == QUERY_ASKED);
    ASSERT((data == NULL) != (reason == NULL));
    json_put_text(frame, "re", slot->id);
    json_put_bool(frame, "ok", data != NULL);
    json_put(frame, "reason", reason != NULL ? reason : frame_reason("ok", "Done."));
    if (data != NULL) {
        json_put(frame, "data", data);
    }
    json_decref(slot->params);
    slot->params = NULL;
    slot->answer = frame;
    slot->state = QUERY_ANSWERED;
}

static json_t *busy_reason(const char *what)
{
    json_t *reason = frame_reason("busy", what);
    json_t *params = json_object_get(reason, "params");

    json_put_text(params, "key", "the agent");
    json_put_text(params, "operation", "other questions");
    return reason;
}

static uint32_t slots_pending(const struct query_relay *relay)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        enum query_state state = relay->slots[i].state;

        count += state == QUERY_WAITING || state == QUERY_ASKED ? 1 : 0;
    }
    return count;
}

/* arrayd hangs up on a longer request. */
static bool params_fit(const json_t *params)
{
    size_t bytes = 0;
    char *line = json_line(params, &bytes);

    free(line);
    return bytes <= FRAME_REQUEST_MAX_BYTES;
}

bool query_relay_take(struct query_relay *relay, const struct frame *frame, uint64_t now_us)
{
    struct query_slot *slot = NULL;
    bool full = slots_pending(relay) >= QUERY_ASKED_MAX;

    ASSERT(frame->kind == FRAME_QUERY);
    for (uint32_t i = 0; i < QUERY_MAX && slot == NULL; i++) {
        slot = relay->slots[i].state == QUERY_FREE ? &relay->slots[i] : NULL;
    }
    if (slot == NULL) {
        return false;
    }
    slot->state = QUERY_WAITING;
    slot->deadline_us = now_us + QUERY_LIMIT_US;
    memcpy(slot->id, frame->query.id, UUID_TEXT_BYTES);
    slot->params = json_new_object();
    json_put_text(slot->params, "name", frame->query.name);
    json_put(slot->params, "args", json_incref(frame->query.args));
    if (strlen(frame->query.name) > BOUND_QUERY_NAME_MAX) {
        slot_answer(slot, NULL,
                    frame_reason("invalid_argument", "The name of the question is too long."));
    } else if (!params_fit(slot->params)) {
        slot_answer(slot, NULL, frame_reason("invalid_argument", "The question is too long."));
    } else if (full) {
        slot_answer(slot, NULL, busy_reason("The agent is busy with other questions."));
    }
    return true;
}

json_t *query_relay_next_request(struct query_relay *relay, char ret_id[UUID_TEXT_BYTES])
{
    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        struct query_slot *slot = &relay->slots[i];

        if (slot->state == QUERY_WAITING) {
            json_t *params = slot->params;

            slot->params = NULL;
            slot->state = QUERY_ASKED;
            memcpy(ret_id, slot->id, UUID_TEXT_BYTES);
            return params;
        }
    }
    return NULL;
}

static bool data_fits(const json_t *data)
{
    size_t bytes = 0;
    char *line = json_line(data, &bytes);

    free(line);
    return bytes <= DATA_MAX_BYTES;
}

void query_relay_answered(struct query_relay *relay, const char *id, const json_t *data,
                          const json_t *reason)
{
    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        struct query_slot *slot = &relay->slots[i];

        if (slot->state != QUERY_ASKED || strcmp(slot->id, id) != 0) {
            continue;
        }
        if (json_is_object(data) && data_fits(data)) {
            slot_answer(slot, json_incref((json_t *)data), NULL);
        } else if (frame_is_reason(reason)) {
            slot_answer(slot, NULL, json_incref((json_t *)reason));
        } else {
            slot_answer(slot, NULL,
                        frame_reason("invalid_argument", "The agent has no usable answer."));
        }
        return;
    }
}

void query_relay_tick(struct query_relay *relay, uint64_t now_us)
{
    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        struct query_slot *slot = &relay->slots[i];
        bool pending = slot->state == QUERY_WAITING || slot->state == QUERY_ASKED;

        if (pending && now_us >= slot->deadline_us) {
            slot_answer(slot, NULL, busy_reason("The agent did not answer within two seconds."));
        }
    }
}

uint64_t query_relay_deadline_us(const struct query_relay *relay)
{
    uint64_t deadline_us = UINT64_MAX;

    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        const struct query_slot *slot = &relay->slots[i];
        bool pending = slot->state == QUERY_WAITING || slot->state == QUERY_ASKED;

        if (pending && slot->deadline_us < deadline_us) {
            deadline_us = slot->deadline_us;
        }
    }
    return deadline_us;
}

bool query_relay_has_frame(const struct query_relay *relay)
{
    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        if (relay->slots[i].state == QUERY_ANSWERED) {
            return true;
        }
    }
    return false;
}

char *query_relay_pull(struct query_relay *relay, uint64_t wall_us, size_t *ret_bytes)
{
    for (uint32_t i = 0; i < QUERY_MAX; i++) {
        struct query_slot *slot = &relay->slots[i];

        if (slot->state == QUERY_ANSWERED) {
            json_t *frame = json_incref(slot->answer);

            slot_free(slot);
            json_put_u64(frame, "ts", wall_us);
            return frame_text(frame, ret_bytes);
        }
    }
    return NULL;
}
