/*
 * Questions to arrayd: see client.h.
 */
#include "cli/client.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/guid.h"
#include "cli/cli_clock.h"

static int answer_timeout_ms = 60000;

#define LINE_MAX_BYTES (32u * 1024u * 1024u)

struct client {
    int fd;
    char path[108];
    uint64_t next_id;
    char *buffer;
    size_t bytes, capacity;
    json_t *notifications; /* that arrived while an answer was awaited */
};

void client_patience_set(int patience_ms)
{
    answer_timeout_ms = patience_ms;
}

static void connect_failed(const char *path, int error, char text[CLIENT_TEXT_BYTES])
{
    if (error == ENOENT || error == ECONNREFUSED) {
        (void)snprintf(text, CLIENT_TEXT_BYTES,
                       "cannot reach arrayd on %.107s: %s. Is arrayd running? Start it with "
                       "\"systemctl start arrayd\", or name its socket with --socket PATH or "
                       "ARRAYWRIGHT_SOCKET",
                       path, strerror(error));
    } else if (error == EACCES) {
        (void)snprintf(text, CLIENT_TEXT_BYTES,
                       "you may not open %.107s. Become a member of the group arraywright, or "
                       "run this as root",
                       path);
    } else {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "cannot reach arrayd on %.107s: %s", path,
                       strerror(error));
    }
}

bool client_open(const char *socket_path, struct client **ret_client, char text[CLIENT_TEXT_BYTES])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct client *client = NULL;

    if (strlen(socket_path) >= sizeof(address.sun_path)) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "the socket path %.200s... is too long",
                       socket_path);
        return false;
    }
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        connect_failed(socket_path, errno, text);
        if (fd >= 0) {
            (void)close(fd);
        }
        return false;
    }
    client = calloc(1, sizeof(*client));
    if (client == NULL) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "no memory");
        (void)close(fd);
        return false;
    }
    client->fd = fd;
    client->next_id = 1;
    client->notifications = json_array();
    (void)snprintf(client->path, sizeof(client->path), "%s", socket_path);
    *ret_client = client;
    return true;
}

void client_close(struct client *client)
{
    if (client != NULL) {
        (void)close(client->fd);
        free(client->buffer);
        json_decref(client->notifications);
        free(client);
    }
}

static bool line_send(struct client *client, json_t *document, char text[CLIENT_TEXT_BYTES])
{
    char *line = json_dumps(document, JSON_COMPACT);
    size_t bytes = line != NULL ? strlen(line) : 0;

    json_decref(document);
    if (line == NULL) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "an argument is not valid UTF-8");
        return false;
    }
    line[bytes] = '\n';
    for (size_t at = 0; at < bytes + 1;) {
        ssize_t put = send(client->fd, line + at, bytes + 1 - at, MSG_NOSIGNAL);

        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            (void)snprintf(text, CLIENT_TEXT_BYTES, "the connection to arrayd broke: %s",
                           strerror(errno));
            free(line);
            return false;
        }
        at += (size_t)put;
    }
    free(line);
    return true;
}

/* Waits for more bytes; false with text at the deadline or the end of the connection. */
static bool bytes_wait(struct client *client, int64_t deadline_ms, char text[CLIENT_TEXT_BYTES])
{
    struct pollfd poll_fd = {.fd = client->fd, .events = POLLIN};
    int64_t left_ms = deadline_ms - cli_now_ms();
    int ready = left_ms > 0 ? poll(&poll_fd, 1, (int)left_ms) : 0;

    if (ready < 0 && errno == EINTR) {
        return true;
    }
    if (ready <= 0) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "arrayd did not answer within %d seconds",
                       answer_timeout_ms / 1000);
        return false;
    }
    if (client->capacity - client->bytes < 65536) {
        size_t capacity = client->capacity * 2 + 131072;
        char *buffer = capacity <= LINE_MAX_BYTES ? realloc(client->buffer, capacity) : NULL;

        if (buffer == NULL) {
            (void)snprintf(text, CLIENT_TEXT_BYTES, "the answer of arrayd is too long");
            return false;
        }
        client->buffer = buffer;
        client->capacity = capacity;
    }
    ssize_t got =
        recv(client->fd, client->buffer + client->bytes, client->capacity - client->bytes, 0);
    if (got <= 0 && !(got < 0 && errno == EINTR)) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "arrayd closed the connection%s%s",
                       got < 0 ? ": " : "", got < 0 ? strerror(errno) : "");
        return false;
    }
    client->bytes += got > 0 ? (size_t)got : 0;
    return true;
}

static bool line_receive(struct client *client, json_t **ret_document, char text[CLIENT_TEXT_BYTES])
{
    int64_t deadline_ms = cli_now_ms() + answer_timeout_ms;
    char *end = NULL;

    for (;;) {
        end = client->bytes > 0 ? memchr(client->buffer, '\n', client->bytes) : NULL;
        if (end != NULL) {
            break;
        }
        if (!bytes_wait(client, deadline_ms, text)) {
            return false;
        }
    }
    *ret_document = json_loadb(client->buffer, (size_t)(end - client->buffer), 0, NULL);
    size_t used = (size_t)(end - client->buffer) + 1;
    client->bytes -= used;
    memmove(client->buffer, client->buffer + used, client->bytes);
    if (!json_is_object(*ret_document)) {
        json_decref(*ret_document);
        (void)snprintf(text, CLIENT_TEXT_BYTES, "arrayd sent something that is not JSON");
        return false;
    }
    return true;
}

bool client_ask(struct client *client, const char *method, json_t *params,
                struct client_answer *ret_answer, char text[CLIENT_TEXT_BYTES])
{
    uint64_t id = client->next_id++;
    json_t *request = json_pack("{s:i, s:I, s:s, s:o}", "v", 1, "id", (json_int_t)id, "method",
                                method, "params", params);
    json_t *document = NULL;

    *ret_answer = (struct client_answer){NULL, NULL};
    if (request == NULL) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "an argument is not valid UTF-8");
        return false;
    }
    if (!line_send(client, request, text)) {
        return false;
    }
    for (;;) {
        if (!line_receive(client, &document, text)) {
            return false;
        }
        json_t *answered = json_object_get(document, "id");
        if (json_is_integer(answered) && json_integer_value(answered) == (json_int_t)id) {
            break;
        }
        (void)json_array_append_new(client->notifications, document);
    }
    ret_answer->result = json_incref(json_object_get(document, "result"));
    ret_answer->reason = json_incref(json_object_get(document, "error"));
    json_decref(document);
    return true;
}

static bool status_is_final(const json_t *status)
{
    const char *state = json_string_value(json_object_get(status, "state"));

    return state != NULL && strcmp(state, "accepted") != 0 && strcmp(state, "running") != 0;
}

static json_t *status_of(const json_t *notification, const char *command_id)
{
    json_t *params = json_object_get(notification, "params");
    const char *method = json_string_value(json_object_get(notification, "method"));
    const char *id = json_string_value(json_object_get(params, "command_id"));

    return method != NULL && strcmp(method, "command") == 0 && id != NULL &&
                   strcmp(id, command_id) == 0
               ? params
               : NULL;
}

/* Waits for the notification with the outcome. */
static bool outcome_wait(struct client *client, const char *command_id, json_t **ret_status,
                         char text[CLIENT_TEXT_BYTES])
{
    for (;;) {
        json_t *document = NULL;

        if (json_array_size(client->notifications) > 0) {
            document = json_incref(json_array_get(client->notifications, 0));
            (void)json_array_remove(client->notifications, 0);
        } else if (!line_receive(client, &document, text)) {
            return false;
        }
        json_t *status = status_of(document, command_id);
        if (status != NULL && status_is_final(status)) {
            *ret_status = json_incref(status);
            json_decref(document);
            return true;
        }
        json_decref(document);
    }
}

static bool command_id_make(char text_id[UUID_TEXT_BYTES])
{
    struct uuid id;

    if (getrandom(id.bytes, sizeof(id.bytes), 0) != (ssize_t)sizeof(id.bytes)) {
        return false;
    }
    id.bytes[6] = (uint8_t)((id.bytes[6] & 0x0Fu) | 0x40u);
    id.bytes[8] = (uint8_t)((id.bytes[8] & 0x3Fu) | 0x80u);
    uuid_format(&id, text_id);
    return true;
}

static json_t *actor_make(void)
{
    const struct passwd *user = getpwuid(geteuid());

    return json_pack("{s:s, s:s, s:s}", "name", user != NULL ? user->pw_name : "unknown", "role",
                     "local", "via", "cli");
}

bool client_command(struct client *client, const char *controller, const char *op, json_t *args,
                    const char *confirm, json_t **ret_status, char text[CLIENT_TEXT_BYTES])
{
    char command_id[UUID_TEXT_BYTES];
    struct client_answer answer;

    if (!command_id_make(command_id)) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "no random numbers: %s", strerror(errno));
        json_decref(args);
        return false;
    }
    json_t *params =
        json_pack("{s:s, s:i, s:s, s:s, s:o, s:s?, s:[], s:o, s:i}", "command_id", command_id,
                  "number", 0, "controller", controller, "op", op, "args", args, "confirm", confirm,
                  "preconditions", "actor", actor_make(), "not_after_us", 0);
    if (params == NULL) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "an argument is not valid UTF-8");
        return false;
    }
    if (!client_ask(client, "command", params, &answer, text)) {
        return false;
    }
    if (answer.result == NULL) {
        *ret_status =
            json_pack("{s:s, s:o, s:[]}", "state", "refused", "reason", answer.reason, "objects");
        return true;
    }
    if (status_is_final(answer.result)) {
        *ret_status = answer.result;
        return true;
    }
    json_decref(answer.result);
    return outcome_wait(client, command_id, ret_status, text);
}
