/*
 * A whole session of the uplink. The input is a script of lines:
 *
 *   B…   the backend sends the rest of the line     b   the backend hangs up
 *   A…   arrayd sends it                            a   arrayd hangs up
 *   T9   so many seconds pass
 *
 * Between two lines everything the session wants is done: connections, requests, frames.
 * The session must bear it all, within its bounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "uplink/frame.h"
#include "uplink/uplink_session.h"

#define PULLS_MAX 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct world {
    struct uplink_session *session;
    struct uplink_now now;
    uint64_t control_round;      /* 0: not connected */
    uint64_t link_round;
};

static int sign(void *context, const char *text, size_t bytes,
                char ret_signature[UPLINK_SIGNATURE_TEXT_BYTES])
{
    (void)context;
    ASSERT(text[bytes] == '\0');
    (void)snprintf(ret_signature, UPLINK_SIGNATURE_TEXT_BYTES, "signature");
    return 0;
}

static int keep(void *context UNUSED, const char *fence UNUSED)
{
    return 0;
}

static void say(void *context, enum uplink_log_level level, const char *text)
{
    (void)context;
    ASSERT(level <= UPLINK_DEBUG);
    ASSERT(text[0] != '\0');
}

static void pull_all(struct world *world)
{
    size_t bytes = 0;
    char *text = NULL;

    for (int i = 0; i < PULLS_MAX; i++) {
        text = uplink_session_pull_control(world->session, world->now, &bytes);
        if (text == NULL) {
            break;
        }
        ASSERT(bytes <= 65536 && memchr(text, '\n', bytes) == NULL);
        free(text);
    }
    for (int i = 0; i < PULLS_MAX; i++) {
        text = uplink_session_pull_link(world->session, world->now, &bytes);
        if (text == NULL) {
            return;
        }
        ASSERT(bytes <= FRAME_OUT_MAX_BYTES && bytes == strlen(text));
        free(text);
    }
    UNREACHABLE(); /* the session never stops sending */
}

static void settle(struct world *world)
{
    uplink_session_tick(world->session, world->now);
    if (uplink_session_phase(world->session) == UPLINK_CONTROL) {
        world->control_round = uplink_session_round(world->session);
        uplink_session_control_opened(world->session, world->now);
    }
    pull_all(world);
    if (uplink_session_phase(world->session) == UPLINK_DIAL) {
        world->link_round = uplink_session_round(world->session);
        uplink_session_link_opened(world->session, world->now);
    }
    pull_all(world);
}

static void line_play(struct world *world, const char *line, size_t bytes)
{
    uint64_t round = uplink_session_round(world->session);

    if (line[0] == 'B' && world->link_round == round) {
        uplink_session_link_frame(world->session, world->now, line + 1, bytes - 1);
    } else if (line[0] == 'A' && world->control_round == round) {
        uplink_session_control_line(world->session, world->now, line + 1, bytes - 1);
    } else if (line[0] == 'b' && world->link_round == round) {
        uplink_session_link_closed(world->session, world->now, NULL);
    } else if (line[0] == 'a' && world->control_round == round) {
        uplink_session_control_closed(world->session, world->now, NULL);
    } else if (line[0] == 'T' && bytes > 1 && line[1] >= '0' && line[1] <= '9') {
        world->now.us += (uint64_t)(line[1] - '0') * 1000000;
    }
    settle(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = {.now = {.us = 1000000, .wall_us = 1700000000000000}};
    struct uplink_options options = {.agent_id = "3771616d-034c-4367-b3fe-a330b5146352",
                                     .server_id = "13600ddc-b637-44d3-baee-08253e98019c",
                                     .hostname = "alpha",
                                     .reconnect_base_ms = 10,
                                     .reconnect_cap_ms = 1000,
                                     .seed = 1,
                                     .port = {.sign = sign, .keep_fence = keep, .log = say}};
    const char *at = (const char *)data;
    const char *end = at + size;

    if (uplink_session_new(&options, world.now, &world.session) != 0) {
        return 0;
    }
    settle(&world);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t bytes = (size_t)((stop != NULL ? stop : end) - at);

        if (bytes > 0) {
            line_play(&world, at, bytes);
        }
        at += bytes + 1;
    }
    world.session = uplink_session_free(world.session);
    return 0;
}
