/*
 * /metrics: see metrics_http.h.
 */
#include "cli/metrics_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/metrics.h"

#define REQUEST_BYTES 2048
#define REQUEST_SECONDS 2
#define BACKLOG 8

static bool refuse(char text[REQUEST_TEXT_BYTES], const char *listen, const char *why)
{
    (void)snprintf(text, REQUEST_TEXT_BYTES, "listen=%.100s: %s", listen, why);
    return false;
}

/* Loopback addresses only: what is told here needs no password. */
static bool address_parse(const char *listen, struct sockaddr_storage *ret_address,
                          socklen_t *ret_bytes)
{
    const char *colon = strrchr(listen, ':');
    char *end = NULL;
    unsigned long port = colon != NULL ? strtoul(colon + 1, &end, 10) : 0;

    if (colon == NULL || end == colon + 1 || *end != '\0' || port > 65535) {
        return false;
    }
    memset(ret_address, 0, sizeof(*ret_address));
    if (strncmp(listen, "127.0.0.1:", 10) == 0) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)ret_address;

        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        *ret_bytes = sizeof(*v4);
        return colon == listen + 9;
    }
    if (strncmp(listen, "[::1]:", 6) == 0) {
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret_address;

        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        v6->sin6_addr = in6addr_loopback;
        *ret_bytes = sizeof(*v6);
        return colon == listen + 5;
    }
    return false;
}

bool metrics_http_open(const char *listen_text, int *ret_fd, char text[REQUEST_TEXT_BYTES])
{
    struct sockaddr_storage address;
    socklen_t bytes = 0;
    const int yes = 1;

    if (!address_parse(listen_text, &address, &bytes)) {
        return refuse(text, listen_text, "must be 127.0.0.1:PORT or [::1]:PORT");
    }
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        bind(fd, (const struct sockaddr *)&address, bytes) != 0 || listen(fd, BACKLOG) != 0) {
        bool refused = refuse(text, listen_text, strerror(errno));

        if (fd >= 0) {
            (void)close(fd);
        }
        return refused;
    }
    *ret_fd = fd;
    return true;
}

/* The request's first line is all that counts; false if there is none in time. */
static bool request_read(int fd, char request[REQUEST_BYTES])
{
    time_t until = time(NULL) + REQUEST_SECONDS;
    size_t used = 0;

    while (used < REQUEST_BYTES - 1 && time(NULL) <= until) {
        ssize_t got = recv(fd, request + used, REQUEST_BYTES - 1 - used, 0);

        if (got <= 0) {
            return false;
        }
        used += (size_t)got;
        request[used] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL || strstr(request, "\n\n") != NULL) {
            return true;
        }
    }
    return false;
}

static void answer_write(FILE *out, const struct cli_context *context)
{
    (void)fputs("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                "Connection: close\r\n\r\n",
                out);
    metrics_print(context, out);
}

void metrics_http_serve(int listen_fd, const struct cli_context *context)
{
    const struct timeval limit = {1, 0};
    char request[REQUEST_BYTES];
    int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0) {
        return;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    bool read = request_read(fd, request);
    FILE *out = read ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        (void)close(fd);
        return;
    }
    if (strncmp(request, "GET /metrics ", 13) == 0) {
        answer_write(out, context);
    } else {
        (void)fputs("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    out);
    }
    (void)fclose(out);
}
