/*
 * A small HTTP/1.1 client: see http_client.h. It asks for the connection to be closed, so the
 * whole answer is everything until the end.
 */
#include "uplink/http_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

#define HEAD_AND_BODY_MAX_BYTES (HTTP_ANSWER_MAX_BYTES + 16384u)
#define REQUEST_HEAD_BYTES 2048u

struct http_wire {
    int fd;
    SSL *ssl;                    /* NULL: plain */
};

/* Reading an answer. */

/* The value of a header, without blanks around it; false if there is none. */
static bool header_find(const char *head, const char *head_end, const char *name, char *out,
                        size_t capacity)
{
    size_t name_bytes = strlen(name);

    for (const char *line = strstr(head, "\r\n"); line != NULL && line < head_end;
         line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, name_bytes) == 0 && line[name_bytes] == ':') {
            const char *value = line + name_bytes + 1;

            value += strspn(value, " \t");
            size_t bytes = strcspn(value, "\r\n");
            while (bytes > 0 && (value[bytes - 1] == ' ' || value[bytes - 1] == '\t')) {
                bytes--;
            }
            (void)snprintf(out, capacity, "%.*s", (int)bytes, value);
            return true;
        }
    }
    return false;
}

static int body_store(struct http_answer *answer, const char *text, size_t bytes)
{
    if (bytes > HTTP_ANSWER_MAX_BYTES - answer->bytes) {
        return -EBADMSG;
    }
    memcpy(answer->body + answer->bytes, text, bytes);
    answer->bytes += bytes;
    answer->body[answer->bytes] = '\0';
    return 0;
}

static int body_chunked(struct http_answer *answer, const char *at, const char *end)
{
    for (;;) {
        char *after = NULL;

        if (at >= end || strchr("0123456789abcdefABCDEF", *at) == NULL) {
            return -EBADMSG;
        }
        unsigned long bytes = strtoul(at, &after, 16);
        const char *data = strstr(after, "\r\n");
        if (data == NULL || data >= end || bytes > (unsigned long)(end - data)) {
            return -EBADMSG;
        }
        if (bytes == 0) {
            return 0;
        }
        data += 2;
        if ((unsigned long)(end - data) < bytes + 2 || memcmp(data + bytes, "\r\n", 2) != 0 ||
            body_store(answer, data, bytes) != 0) {
            return -EBADMSG;
        }
        at = data + bytes + 2;
    }
}

static int body_read(struct http_answer *answer, const char *head, const char *body,
                     const char *end)
{
    char value[64];
    char *after = NULL;

    if (header_find(head, body, "Transfer-Encoding", value, sizeof(value))) {
        return strcasecmp(value, "chunked") == 0 ? body_chunked(answer, body, end) : -EBADMSG;
    }
    if (!header_find(head, body, "Content-Length", value, sizeof(value))) {
        return body_store(answer, body, (size_t)(end - body));
    }
    if (value[0] < '0' || value[0] > '9') {
        return -EBADMSG;
    }
    unsigned long bytes = strtoul(value, &after, 10);
    if (*after != '\0' || bytes > (unsigned long)(end - body)) {
        return -EBADMSG;
    }
    return body_store(answer, body, bytes);
}

/* "Sat, 28 Nov 2026 12:00:00 GMT", the one form of today. */
static int64_t date_read(const char *head, const char *head_end)
{
    struct tm parts = {.tm_year = 0};
    char value[40];

    if (!header_find(head, head_end, "Date", value, sizeof(value)) ||
        strptime(value, "%a, %d %b %Y %H:%M:%S GMT", &parts) == NULL) {
        return 0;
    }
    return (int64_t)timegm(&parts);
}

int http_answer_parse(const char *text, size_t bytes, struct http_answer *ret_answer)
{
    const char *body = strstr(text, "\r\n\r\n");

    ASSERT(text[bytes] == '\0');
    if (body == NULL || bytes < 12 || strncmp(text, "HTTP/1.", 7) != 0 || text[8] != ' ') {
        return -EBADMSG;
    }
    for (size_t i = 9; i < 12; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return -EBADMSG;
        }
    }
    ret_answer->status = (uint32_t)strtoul(text + 9, NULL, 10);
    ret_answer->date_s = date_read(text, body);
    ret_answer->bytes = 0;
    ret_answer->body[0] = '\0';
    return body_read(ret_answer, text, body + 4, text + bytes);
}

/* The connection. */

static int connect_one(const struct addrinfo *address, uint32_t timeout_s, int *ret_fd)
{
    struct timeval limit = {.tv_sec = (time_t)timeout_s};
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return -errno;
    }
    /* The send limit bounds connect() too. */
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0 ||
        connect(fd, address->ai_addr, address->ai_addrlen) != 0) {
        int error = errno == EINPROGRESS ? -ETIMEDOUT : -errno;

        (void)close(fd);
        return error;
    }
    *ret_fd = fd;
    return 0;
}

static int wire_connect(const struct http_request *request, struct http_wire *wire,
                        enum http_failure *ret_failure, char text[HTTP_TEXT_BYTES])
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *found = NULL;
    char port[8];
    int error = -EHOSTUNREACH;

    (void)snprintf(port, sizeof(port), "%u", (unsigned)request->url->port);
    int trouble = getaddrinfo(request->url->host, port, &hints, &found);
    if (trouble != 0) {
        *ret_failure = HTTP_UNRESOLVED;
        (void)snprintf(text, HTTP_TEXT_BYTES, "the name %s cannot be resolved: %s",
                       request->url->host, gai_strerror(trouble));
        return -EHOSTUNREACH;
    }
    for (const struct addrinfo *at = found; at != NULL && error != 0; at = at->ai_next) {
        error = connect_one(at, request->timeout_s, &wire->fd);
    }
    freeaddrinfo(found);
    if (error != 0) {
        (void)snprintf(text, HTTP_TEXT_BYTES, "%s port %u: %s", request->url->host,
                       (unsigned)request->url->port, strerror(-error));
    }
    return error;
}

static bool is_address(const struct uplink_url *url)
{
    struct in_addr address;

    return url->host_is_ipv6 || inet_pton(AF_INET, url->host, &address) == 1;
}

/* Whom the certificate must name. */
static bool peer_expect(SSL *ssl, const struct uplink_url *url)
{
    if (is_address(url)) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), url->host) == 1;
    }
    return SSL_set1_host(ssl, url->host) == 1 && SSL_set_tlsext_host_name(ssl, url->host) == 1;
}

static int tls_context_make(const char *ca_file, SSL_CTX **ret_context, char text[HTTP_TEXT_BYTES])
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());

    ASSERT(context != NULL);
    (void)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
    if (ca_file[0] != '\0' ? SSL_CTX_load_verify_locations(context, ca_file, NULL) != 1
                           : SSL_CTX_set_default_verify_paths(context) != 1) {
        (void)snprintf(text, HTTP_TEXT_BYTES, "no certificate authority could be read from %.300s",
                       ca_file[0] != '\0' ? ca_file : "the system's store");
        SSL_CTX_free(context);
        ERR_clear_error();
        return -EINVAL;
    }
    *ret_context = context;
    return 0;
}

static enum http_failure tls_failure(long verdict)
{
    switch (verdict) {
    case X509_V_OK:
        return HTTP_NOT_HTTP;
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return HTTP_WRONG_TIME;
    default:
        return HTTP_UNTRUSTED;
    }
}

static int tls_start(const struct http_request *request, struct http_wire *wire,
                     enum http_failure *ret_failure, char text[HTTP_TEXT_BYTES])
{
    SSL_CTX *context = NULL;
    int error = tls_context_make(request->ca_file, &context, text);

    if (error != 0) {
        *ret_failure = HTTP_UNTRUSTED;
        return error;
    }
    wire->ssl = SSL_new(context);
    SSL_CTX_free(context); /* the connection holds its own reference */
    ASSERT(wire->ssl != NULL);
    if (!peer_expect(wire->ssl, request->url) || SSL_set_fd(wire->ssl, wire->fd) != 1 ||
        SSL_connect(wire->ssl) != 1) {
        long verdict = SSL_get_verify_result(wire->ssl);
        unsigned long code = ERR_peek_last_error();
        const char *reason = code != 0 ? ERR_reason_error_string(code) : NULL;

        *ret_failure = tls_failure(verdict);
        (void)snprintf(text, HTTP_TEXT_BYTES, "%s",
                       verdict != X509_V_OK ? X509_verify_cert_error_string(verdict)
                       : reason != NULL     ? reason
                                            : "the TLS handshake broke off");
        ERR_clear_error();
        return -EPROTO;
    }
    return 0;
}

static int wire_write(const struct http_wire *wire, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t put = wire->ssl != NULL ? SSL_write(wire->ssl, text, (int)bytes)
                                        : send(wire->fd, text, bytes, MSG_NOSIGNAL);

        if (put <= 0) {
            return -EPIPE;
        }
        text += put;
        bytes -= (size_t)put;
    }
    return 0;
}

/* Everything until the end; what is lost of it shows when it is parsed. */
static size_t wire_read(const struct http_wire *wire, char *buffer, size_t capacity)
{
    size_t bytes = 0;

    while (bytes < capacity) {
        ssize_t got = wire->ssl != NULL
                          ? SSL_read(wire->ssl, buffer + bytes, (int)(capacity - bytes))
                          : recv(wire->fd, buffer + bytes, capacity - bytes, 0);

        if (got <= 0) {
            break;
        }
        bytes += (size_t)got;
    }
    ERR_clear_error();
    return bytes;
}

static int request_send(const struct http_request *request, const struct http_wire *wire)
{
    char head[REQUEST_HEAD_BYTES];
    char authority[300];

    uplink_url_authority(request->url, authority, sizeof(authority));
    int bytes = snprintf(head, sizeof(head),
                         "POST %s%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: arraywright-uplink\r\n"
                         "Content-Type: application/json\r\nAccept: application/json\r\n"
                         "Content-Length: %zu\r\nConnection: close\r\n\r\n",
                         request->url->prefix, request->path, authority, strlen(request->body));
    ASSERT(bytes > 0 && (size_t)bytes < sizeof(head));
    int error = wire_write(wire, head, (size_t)bytes);
    return error != 0 ? error : wire_write(wire, request->body, strlen(request->body));
}

static int exchange(const struct http_request *request, const struct http_wire *wire,
                    struct http_answer *ret_answer, enum http_failure *ret_failure,
                    char text[HTTP_TEXT_BYTES])
{
    if (request_send(request, wire) != 0) {
        *ret_failure = HTTP_UNREACHABLE;
        (void)snprintf(text, HTTP_TEXT_BYTES, "the connection broke while the request was sent");
        return -EPIPE;
    }
    char *buffer = malloc(HEAD_AND_BODY_MAX_BYTES + 1);
    ASSERT(buffer != NULL);
    size_t bytes = wire_read(wire, buffer, HEAD_AND_BODY_MAX_BYTES);
    buffer[bytes] = '\0';
    int error = http_answer_parse(buffer, bytes, ret_answer);
    free(buffer);
    if (error != 0) {
        *ret_failure = bytes == 0 ? HTTP_UNREACHABLE : HTTP_NOT_HTTP;
        (void)snprintf(text, HTTP_TEXT_BYTES, "%s",
                       bytes == 0 ? "no answer came" : "the answer is not a whole HTTP answer");
    }
    return error;
}

int http_post_json(const struct http_request *request, struct http_answer *ret_answer,
                   enum http_failure *ret_failure, char text[HTTP_TEXT_BYTES])
{
    struct http_wire wire = {.fd = -1};

    *ret_failure = HTTP_UNREACHABLE;
    int error = wire_connect(request, &wire, ret_failure, text);
    if (error == 0 && request->url->tls) {
        error = tls_start(request, &wire, ret_failure, text);
    }
    if (error == 0) {
        error = exchange(request, &wire, ret_answer, ret_failure, text);
    }
    SSL_free(wire.ssl);
    if (wire.fd >= 0) {
        (void)close(wire.fd); /* everything that matters has been read */
    }
    return error;
}
