/*
 * The session of the uplink as a program: what happens to it comes in as lines, what it wants
 * goes out as lines. Its clock is the caller's.
 *
 *   N…  a new session, which has kept this fence last     Q  the session ends, as in a crash
 *   B…  the backend sends the rest of the line            b  the backend hangs up
 *   A…  arrayd sends it                                   a  arrayd hangs up
 *   T…  so many microseconds pass
 *
 *   D   it dials the backend, which answers               K…  it has made this fence durable
 *   B…  a frame for the backend                           A…  a request for arrayd
 *   .…  it has done everything it can: its phase, and in how many microseconds it wants to go on
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "uplink/frame.h"
#include "uplink/uplink_session.h"

#define START_US 1000000ull
#define START_WALL_US 1700000000000000ull

struct talk {
    struct uplink_session *session;
    struct uplink_now now;
    uint64_t control_round;      /* 0: not connected */
    uint64_t link_round;
};

static int sign(void *context UNUSED, const char *text UNUSED, size_t bytes UNUSED,
                char ret_signature[UPLINK_SIGNATURE_TEXT_BYTES])
{
    (void)snprintf(ret_signature, UPLINK_SIGNATURE_TEXT_BYTES, "signature");
    return 0;
}

static int keep(void *context UNUSED, const char *fence)
{
    (void)printf("K%s\n", fence);
    return 0;
}

static void say(void *context UNUSED, enum uplink_log_level level UNUSED, const char *text)
{
    (void)fprintf(stderr, "%s\n", text);
}

static void pull_all(struct talk *talk)
{
    size_t bytes = 0;
    char *text = NULL;

    while ((text = uplink_session_pull_control(talk->session, talk->now, &bytes)) != NULL) {
        (void)printf("A%.*s\n", (int)bytes, text);
        free(text);
    }
    while ((text = uplink_session_pull_link(talk->session, talk->now, &bytes)) != NULL) {
        (void)printf("B%.*s\n", (int)bytes, text);
        free(text);
    }
}

static void settle(struct talk *talk)
{
    uplink_session_tick(talk->session, talk->now);
    if (uplink_session_phase(talk->session) == UPLINK_CONTROL) {
        talk->control_round = uplink_session_round(talk->session);
        uplink_session_control_opened(talk->session, talk->now);
    }
    pull_all(talk);
    if (uplink_session_phase(talk->session) == UPLINK_DIAL) {
        talk->link_round = uplink_session_round(talk->session);
        (void)printf("D\n");
        uplink_session_link_opened(talk->session, talk->now);
        pull_all(talk);
    }
}

static void session_begin(struct talk *talk, const char *fence)
{
    struct uplink_options options = {.agent_id = "3771616d-034c-4367-b3fe-a330b5146352",
                                     .server_id = "13600ddc-b637-44d3-baee-08253e98019c",
                                     .hostname = "",
                                     .reconnect_base_ms = 10,
                                     .reconnect_cap_ms = 1000,
                                     .seed = 1,
                                     .port = {.sign = sign, .keep_fence = keep, .log = say}};

    talk->session = uplink_session_free(talk->session);
    talk->now = (struct uplink_now){.us = START_US, .wall_us = START_WALL_US};
    talk->control_round = 0;
    talk->link_round = 0;
    (void)snprintf(options.fence, sizeof(options.fence), "%s", fence);
    if (uplink_session_new(&options, talk->now, &talk->session) != 0) {
        abort();
    }
}

static void line_play(struct talk *talk, const char *line, size_t bytes)
{
    uint64_t round = uplink_session_round(talk->session);

    if (line[0] == 'B' && talk->link_round == round) {
        uplink_session_link_frame(talk->session, talk->now, line + 1, bytes - 1);
    } else if (line[0] == 'A' && talk->control_round == round) {
        uplink_session_control_line(talk->session, talk->now, line + 1, bytes - 1);
    } else if (line[0] == 'b' && talk->link_round == round) {
        uplink_session_link_closed(talk->session, talk->now, NULL);
    } else if (line[0] == 'a' && talk->control_round == round) {
        uplink_session_control_closed(talk->session, talk->now, NULL);
    } else if (line[0] == 'T') {
        uint64_t us = strtoull(line + 1, NULL, 10);

        talk->now.us += us;
        talk->now.wall_us += us;
    }
}

static void phase_tell(const struct talk *talk)
{
    uint64_t deadline_us = uplink_session_deadline_us(talk->session);

    (void)printf(".%s %" PRIu64 "\n", uplink_phase_word(uplink_session_phase(talk->session)),
                 deadline_us > talk->now.us ? deadline_us - talk->now.us : 0);
}

int main(void)
{
    struct talk talk = {.session = NULL};
    char *line = NULL;
    size_t capacity = 0;
    ssize_t bytes = 0;

    while ((bytes = getline(&line, &capacity, stdin)) > 0) {
        line[--bytes] = '\0';
        if (line[0] == 'N') {
            session_begin(&talk, line + 1);
        } else if (line[0] == 'Q') {
            talk.session = uplink_session_free(talk.session);
        } else if (talk.session != NULL) {
            line_play(&talk, line, (size_t)bytes);
        }
        if (talk.session != NULL) {
            settle(&talk);
            phase_tell(&talk);
        } else {
            (void)printf(".none 0\n");
        }
        (void)fflush(stdout);
    }
    free(line);
    talk.session = uplink_session_free(talk.session);
    return 0;
}
