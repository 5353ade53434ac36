/*
 * See ups_client.h. One connection per question: LIST VAR, then LOGOUT.
 */
#include "host/ups_client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

/* More than any UPS says. */
#define ANSWER_BYTES_MAX (256u * 1024u)

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Address */

static bool is_ups_name(const char *text, size_t length)
{
    return length > 0 && length < sizeof(((struct ups_address *)NULL)->ups) &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") >=
               length;
}

static bool port_is_valid(const char *text)
{
    return strlen(text) > 0 && strlen(text) <= 5 && strspn(text, "0123456789") == strlen(text) &&
           atoi(text) > 0 && atoi(text) <= 65535;
}

bool ups_address_parse(const char *text, struct ups_address *ret_address)
{
    struct ups_address address = {.host = "127.0.0.1"};
    size_t name = strcspn(text, "@");
    const char *host = text[name] == '@' ? text + name + 1 : NULL;
    const char *end = NULL;

    (void)snprintf(address.port, sizeof(address.port), "%u", UPS_PORT_DEFAULT);
    if (!is_ups_name(text, name)) {
        return false;
    }
    memcpy(address.ups, text, name);
    if (host == NULL) {
        *ret_address = address;
        return true;
    }
    end = host[0] == '[' ? strchr(host, ']') : host + strcspn(host, ":");
    if (end == NULL) {
        return false;
    }
    host += host[0] == '[' ? 1 : 0;
    if (end == host || (size_t)(end - host) >= sizeof(address.host)) {
        return false;
    }
    memset(address.host, 0, sizeof(address.host));
    memcpy(address.host, host, (size_t)(end - host));
    end += *end == ']' ? 1 : 0;
    if (*end == ':' && port_is_valid(end + 1)) {
        memcpy(address.port, end + 1, strlen(end + 1) + 1);
        end += strlen(end);
    }
    *ret_address = address;
    return *end == '\0';
}

/* Connection */

/* Until the socket is ready or the deadline has come. */
static bool wait_for(int fd, short events, uint64_t deadline_ms)
{
    for (;;) {
        struct pollfd wanted = {.fd = fd, .events = events};
        uint64_t now = now_ms();
        int ready = now < deadline_ms ? poll(&wanted, 1, (int)(deadline_ms - now)) : 0;

        if (ready > 0) {
            return true;
        }
        if (ready == 0 || errno != EINTR) {
            return false;
        }
    }
}

static int connect_one(const struct addrinfo *to, uint64_t deadline_ms)
{
    int fd = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to->ai_protocol);
    int error = 0;
    socklen_t length = sizeof(error);

    if (fd < 0) {
        return -1;
    }
    if (connect(fd, to->ai_addr, to->ai_addrlen) == 0) {
        return fd;
    }
    if (errno == EINPROGRESS && wait_for(fd, POLLOUT, deadline_ms) &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0) {
        return fd;
    }
    (void)close(fd);
    return -1;
}

static int connect_to(const struct ups_address *address, uint64_t deadline_ms)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int fd = -1;

    if (getaddrinfo(address->host, address->port, &hints, &list) != 0) {
        return -1;
    }
    for (const struct addrinfo *to = list; to != NULL && fd < 0; to = to->ai_next) {
        fd = connect_one(to, deadline_ms);
    }
    freeaddrinfo(list);
    return fd;
}

static bool send_all(int fd, const char *text, uint64_t deadline_ms)
{
    size_t left = strlen(text);

    while (left > 0) {
        ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);

        if (sent > 0) {
            text += sent;
            left -= (size_t)sent;
        } else if ((errno != EAGAIN && errno != EINTR) || !wait_for(fd, POLLOUT, deadline_ms)) {
            return false;
        }
    }
    return true;
}

/* Answer */

struct answer {
    const struct ups_address *address;
    struct ups_values *values;
    size_t used, total;
    char line[UPS_LINE_BYTES];
};

static enum ups_answer byte_take(struct answer *answer, char byte)
{
    enum ups_answer result = UPS_ANSWER_MORE;

    if (byte == '\n') {
        answer->line[answer->used] = '\0';
        result = ups_values_line(answer->values, answer->address->ups, answer->line);
        answer->used = 0;
        return result;
    }
    if (byte == '\0' || answer->used + 1 >= sizeof(answer->line) ||
        ++answer->total > ANSWER_BYTES_MAX) {
        return UPS_ANSWER_VOID;
    }
    answer->line[answer->used++] = byte;
    return UPS_ANSWER_MORE;
}

static enum ups_answer receive(int fd, struct answer *answer, uint64_t deadline_ms)
{
    enum ups_answer result = UPS_ANSWER_MORE;
    char bytes[2048];

    while (result == UPS_ANSWER_MORE) {
        ssize_t count = 0;

        if (!wait_for(fd, POLLIN, deadline_ms)) {
            return UPS_ANSWER_VOID;
        }
        count = recv(fd, bytes, sizeof(bytes), 0);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
            return UPS_ANSWER_VOID;
        }
        for (ssize_t i = 0; i < count && result == UPS_ANSWER_MORE; i++) {
            result = byte_take(answer, bytes[i]);
        }
    }
    return result;
}

enum ups_answer ups_ask(const struct ups_address *address, uint32_t deadline_ms,
                        struct ups_values *ret_values)
{
    uint64_t until_ms = now_ms() + deadline_ms;
    struct answer answer = {.address = address, .values = ret_values};
    enum ups_answer result = UPS_ANSWER_VOID;
    char request[96];
    int fd = connect_to(address, until_ms);

    ups_values_init(ret_values);
    if (fd < 0) {
        return UPS_ANSWER_VOID;
    }
    (void)snprintf(request, sizeof(request), "LIST VAR %s\n", address->ups);
    if (send_all(fd, request, until_ms)) {
        result = receive(fd, &answer, until_ms);
        (void)send(fd, "LOGOUT\n", 7, MSG_NOSIGNAL | MSG_DONTWAIT); /* a courtesy */
    }
    (void)close(fd);
    return result;
}
