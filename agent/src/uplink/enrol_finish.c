/*
 * Start, wait, and an explanation for each way in which it can fail; see enrol_finish.h.
 */
#include "uplink/enrol_finish.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "control/json_text.h"
#include "uplink/enrol.h"
#include "uplink/frame.h"
#include "uplink/http_client.h"
#include "uplink/unit_control.h"
#include "uplink/uplink_url.h"

#define STATUS_PATH "/api/v1/agents/enrol/status"
#define STEP_S 10u
#define PROGRAM "arraywright-uplink"

/* What the backend says of the host. */
struct arrival {
    char presence[32];
    char page_url[1024];
    bool asked;                  /* false: it is older and cannot be asked */
};

static char *question(const struct enrol_finish *finish)
{
    json_t *document = json_new_object();
    size_t bytes = 0;

    json_put_text(document, "token", finish->token);
    json_put_text(document, "agent_id", finish->identity->agent_id);
    char *body = json_line(document, &bytes);
    json_decref(document);
    return body;
}

static void answer_take(const struct http_answer *answer, struct arrival *arrival)
{
    char why[FRAME_WHY_BYTES];
    json_t *document = frame_load(answer->body, answer->bytes, why);
    if (document != NULL && frame_bounds_fault(document) != NULL) {
        json_decref(document);
        document = NULL; /* as good as no answer */
    }
    const char *presence = json_text_at(document, "presence");
    const char *page_url = json_text_at(document, "page_url");

    if (presence != NULL) {
        enrol_printable_copy(presence, arrival->presence, sizeof(arrival->presence));
    }
    if (page_url != NULL) {
        enrol_printable_copy(page_url, arrival->page_url, sizeof(arrival->page_url));
    }
    json_decref(document);
}

/* A backend that is away for a moment is asked again: what it said last stays. */
static void arrival_ask(const struct enrol_finish *finish, const struct uplink_url *url,
                        const char *body, struct arrival *arrival)
{
    struct http_answer *answer = malloc(sizeof(*answer));
    enum http_failure failure = HTTP_UNREACHABLE;
    char cause[HTTP_TEXT_BYTES] = "";
    struct http_request post = {.url = url,
                                .path = STATUS_PATH,
                                .ca_file = finish->identity->ca_file,
                                .body = body,
                                .timeout_s = STEP_S};

    ASSERT(answer != NULL);
    if (http_post_json(&post, answer, &failure, cause) == 0) {
        arrival->asked = answer->status != 404 && answer->status != 405;
        if (answer->status == 200) {
            answer_take(answer, arrival);
        }
    }
    free(answer);
}

static bool has_arrived(const struct arrival *arrival)
{
    return strcmp(arrival->presence, "online") == 0 || strcmp(arrival->presence, "late") == 0;
}

static void progress_say(const struct arrival *arrival, const char *before)
{
    if (strcmp(arrival->presence, before) == 0) {
        return;
    }
    if (strcmp(arrival->presence, "enrolled") == 0) {
        (void)puts("Waiting for the link to connect...");
    } else if (strcmp(arrival->presence, "connecting") == 0) {
        (void)puts("Connected. Waiting for the first report...");
    }
    (void)fflush(stdout);
}

static bool arrayd_answers(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return false;
    }
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    bool answers = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
    (void)close(fd);
    return answers;
}

/* The reason that is nearest to the host comes first: the others follow from it. */
static void stall_explain(const struct enrol_finish *finish, const struct arrival *arrival)
{
    char line[UNIT_TEXT_BYTES];
    enum unit_state state = unit_state_read();

    unit_last_line(line);
    (void)fprintf(stderr, PROGRAM ": the host is enrolled, but the backend has not seen %s yet. ",
                  strcmp(arrival->presence, "connecting") == 0 ? "its report" : "it");
    if (state == UNIT_FAILED || state == UNIT_STARTING) {
        (void)fprintf(stderr, "The unit " UPLINK_UNIT " does not stay up. ");
    } else if (state == UNIT_INACTIVE) {
        (void)fprintf(stderr,
                      "The unit " UPLINK_UNIT " does not run. Check that its configuration and "
                      "state directory are those of %s: systemctl status " UPLINK_UNIT ". ",
                      finish->config_path);
    } else if (!arrayd_answers(finish->control_socket)) {
        (void)fprintf(stderr, "arrayd does not answer at %s. Start it: systemctl status arrayd. ",
                      finish->control_socket);
    } else {
        (void)fprintf(stderr,
                      "Check that WebSocket connections to %s pass the firewall and the proxy. ",
                      finish->identity->url);
    }
    if (line[0] != '\0') {
        (void)fprintf(stderr, "Its log ends with: \"%s\". ", line);
    }
    (void)fprintf(stderr, "Follow it with: journalctl --follow --unit=" UPLINK_UNIT "\n");
}

static int arrival_wait(const struct enrol_finish *finish)
{
    struct arrival arrival = {.asked = true};
    struct uplink_url url;
    char before[sizeof(arrival.presence)] = "";
    char why[160];
    time_t deadline = time(NULL) + (time_t)finish->wait_s;

    if (uplink_url_parse(finish->identity->url, &url, why) != 0) {
        return -EINVAL; /* it has just enrolled there */
    }
    char *body = question(finish);
    for (;;) {
        arrival_ask(finish, &url, body, &arrival);
        progress_say(&arrival, before);
        memcpy(before, arrival.presence, sizeof(before));
        if (has_arrived(&arrival) || !arrival.asked || time(NULL) >= deadline ||
            unit_state_read() == UNIT_FAILED) {
            break;
        }
        (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    }
    explicit_bzero(body, strlen(body));
    free(body);
    if (!arrival.asked) {
        (void)puts("This backend is older and does not tell whether it has seen the host. Look at "
                   "its page of hosts.");
        return 0;
    }
    if (!has_arrived(&arrival)) {
        stall_explain(finish, &arrival);
        return -ETIMEDOUT;
    }
    (void)printf("The host reports. Its page: %s\n", arrival.page_url);
    return 0;
}

void enrol_say_start(const char *config_path, bool managed)
{
    if (managed) {
        (void)puts("Start its link with:\n  systemctl enable --now " UPLINK_UNIT);
        return;
    }
    (void)printf(
        "systemd does not run here. Start its link, as the user arraywright-uplink, with:\n"
        "  arraywright-uplink --config %s\n",
        config_path);
}

int enrol_finish(const struct enrol_finish *finish)
{
    char text[UNIT_TEXT_BYTES];
    bool managed = unit_is_managed();

    if (!finish->start || !managed || geteuid() != 0) {
        enrol_say_start(finish->config_path, managed);
        return 0;
    }
    (void)puts("Starting " UPLINK_UNIT "...");
    (void)fflush(stdout);
    int error = unit_start(text);
    if (error != 0) {
        (void)fprintf(stderr,
                      PROGRAM ": the host is enrolled, but its unit cannot be started (%s). Look "
                              "at: systemctl status " UPLINK_UNIT "\n",
                      text);
        return error;
    }
    return arrival_wait(finish);
}
