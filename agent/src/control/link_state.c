/*
 * The fence's record and the standing of the link: see link_state.h.
 */
#include "control/link_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "control/json_text.h"

struct link_state {
    struct store_port *store;
    struct store_request request;
    bool writing;
    char kept[LINK_FENCE_MAX + 1];    /* durable */
    char written[LINK_FENCE_MAX + 1]; /* on its way */
    char wanted[LINK_FENCE_MAX + 1];
    link_kept_fn told;                /* of `wanted`; NULL: nobody */
    void *owner;

    enum link_standing standing;
    uint64_t since_us;
    char code[LINK_CODE_BYTES];
    char text[LINK_TEXT_BYTES];
};

static bool fence_is_fine(const char *fence, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (fence[i] <= ' ' || fence[i] > '~') {
            return false;
        }
    }
    return bytes >= 1 && bytes <= LINK_FENCE_MAX;
}

int link_state_open(struct store_port *store, struct link_state **ret_state)
{
    struct link_state *state = calloc(1, sizeof(*state));
    size_t bytes = 0;

    ASSERT(state != NULL);
    state->store = store;
    list_init(&state->request.port_link);
    int error = store->ops->get(store, LINK_FENCE_RECORD, state->kept, LINK_FENCE_MAX, &bytes);
    bool damaged = error == 0 ? !fence_is_fine(state->kept, bytes) : error != -ENOENT;
    if (error != 0 || damaged) {
        memset(state->kept, 0, sizeof(state->kept));
    }
    *ret_state = state;
    return damaged ? -EBADMSG : 0;
}

struct link_state *link_state_close(struct link_state *state)
{
    if (state != NULL) {
        ASSERT(!state->writing);
        free(state);
    }
    return NULL;
}

const char *link_state_fence(const struct link_state *state)
{
    return state->kept;
}

static void fence_write(struct link_state *state);

static void fence_written(struct store_request *request, int error)
{
    struct link_state *state = request->owner;
    link_kept_fn told = state->told;

    ASSERT(state->writing);
    state->writing = false;
    if (error == 0) {
        memcpy(state->kept, state->written, sizeof(state->kept));
    }
    if (strcmp(state->written, state->wanted) != 0) {
        fence_write(state);
        return;
    }
    state->told = NULL;
    if (told != NULL) {
        told(state->owner, error);
    }
}

static void fence_write(struct link_state *state)
{
    ASSERT(!state->writing);
    ASSERT(state->wanted[0] != '\0');
    memcpy(state->written, state->wanted, sizeof(state->written));
    (void)snprintf(state->request.name, sizeof(state->request.name), "%s", LINK_FENCE_RECORD);
    state->request.value = state->written;
    state->request.value_bytes = strlen(state->written);
    state->request.complete = fence_written;
    state->request.owner = state;
    state->writing = true;
    state->store->ops->put(state->store, &state->request);
}

bool link_state_keep(struct link_state *state, const char *fence, link_kept_fn kept, void *owner)
{
    ASSERT(kept != NULL);
    if (!fence_is_fine(fence, strlen(fence))) {
        return false;
    }
    (void)snprintf(state->wanted, sizeof(state->wanted), "%s", fence);
    state->told = kept;
    state->owner = owner;
    if (!state->writing) {
        fence_write(state);
    }
    return true;
}

void link_state_forget(struct link_state *state, const void *owner)
{
    if (state->owner == owner) {
        state->told = NULL;
        state->owner = NULL;
    }
}

void link_state_set(struct link_state *state, enum link_standing standing, const char *code,
                    const char *text, uint64_t wall_us)
{
    ASSERT(standing == LINK_REFUSED || code[0] == '\0');
    state->standing = standing;
    state->since_us = wall_us;
    (void)snprintf(state->code, sizeof(state->code), "%s", code);
    (void)snprintf(state->text, sizeof(state->text), "%s", text); /* a longer text is cut */
}

void link_state_lost(struct link_state *state, uint64_t wall_us)
{
    if (state->standing == LINK_CONNECTED) {
        link_state_set(state, LINK_AWAY, "", "", wall_us);
    }
}

json_t *link_state_doc(const struct link_state *state)
{
    static const char *const words[] = {
        [LINK_AWAY] = "away", [LINK_CONNECTED] = "connected", [LINK_REFUSED] = "refused"};
    json_t *doc = json_new_object();

    json_put_text(doc, "state", words[state->standing]);
    json_put_u64(doc, "since_us", state->since_us);
    if (state->standing == LINK_REFUSED) {
        json_t *reason = json_new_object();

        json_put_text(reason, "code", state->code);
        json_put(reason, "params", json_new_object());
        json_put_text(reason, "text", state->text);
        json_put(doc, "reason", reason);
    }
    return doc;
}
