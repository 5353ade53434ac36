/*
 * One HTTP request to the backend, for enrollment: JSON up, JSON down, over TLS or plainly.
 * Blocks, with a time limit on every step; what comes back is bounded and judged as hostile.
 */
#ifndef ARRAYWRIGHT_UPLINK_HTTP_CLIENT_H
#define ARRAYWRIGHT_UPLINK_HTTP_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "uplink/uplink_url.h"

#define HTTP_ANSWER_MAX_BYTES 65536u
#define HTTP_TEXT_BYTES 512u

enum http_failure {
    HTTP_UNREACHABLE,            /* no connection, or it broke */
    HTTP_UNRESOLVED,             /* the name has no address */
    HTTP_UNTRUSTED,              /* the certificate is not accepted */
    HTTP_WRONG_TIME,             /* by the clock here, the certificate is not valid now */
    HTTP_NOT_HTTP                /* what answers does not speak HTTP as we know it */
};

struct http_answer {
    uint32_t status;
    int64_t date_s;              /* the other side's clock, since 1970; 0: it does not say */
    size_t bytes;
    char body[HTTP_ANSWER_MAX_BYTES + 1]; /* with an end mark */
};

struct http_request {
    const struct uplink_url *url;
    const char *path;            /* behind the url's prefix */
    const char *ca_file;         /* "": the system's */
    const char *body;
    uint32_t timeout_s;          /* of each step */
};

/* 0 with whatever status came, or -errno with failure and text set. */
MUST_CHECK int http_post_json(const struct http_request *request, struct http_answer *ret_answer,
                              enum http_failure *ret_failure, char text[HTTP_TEXT_BYTES]);

/* The answer's bytes to status and body; -EBADMSG if they are not a whole answer. The head
 * must be in text, which has an end mark behind `bytes`. */
MUST_CHECK int http_answer_parse(const char *text, size_t bytes, struct http_answer *ret_answer);

#endif
