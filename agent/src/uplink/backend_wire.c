/*
 * The WebSocket in the loop: see run_private.h.
 */
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "uplink/run_private.h"

#define LINK_PATH "/api/v1/agents/link"
#define GOOD_BYE_S 2

/* A silent connection is asked whether it lives, and given up. */
static const lws_retry_bo_t liveness = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 40};

static void link_ended(struct uplink_run *run, const char *why)
{
    run->backend.wsi = NULL;
    run->backend.open = false;
    uplink_session_link_closed(run->session, run_now(), why);
    run_settle(run);
}

void backend_wire_open(struct uplink_run *run)
{
    const struct uplink_url *url = &run->options->url;
    struct backend_wire *wire = &run->backend;
    struct lws_client_connect_info info = {.context = run->context, .vhost = run->vhost};
    char authority[300];
    char path[320];

    ASSERT(wire->wsi == NULL);
    uplink_url_authority(url, authority, sizeof(authority));
    (void)snprintf(path, sizeof(path), "%s%s", url->prefix, LINK_PATH);
    info.address = url->host;
    info.port = url->port;
    info.ssl_connection = url->tls ? LCCSCF_USE_SSL : 0;
    info.path = path;
    info.host = authority;
    info.ietf_version_or_minus_one = -1;
    info.local_protocol_name = PROTOCOL_BACKEND;
    info.retry_and_idle_policy = &liveness;
    info.pwsi = &wire->wsi;
    wire->round = uplink_session_round(run->session);
    wire->open = false;
    wire->input_bytes = 0;
    if (lws_client_connect_via_info(&info) == NULL &&
        uplink_session_phase(run->session) == UPLINK_DIAL &&
        uplink_session_round(run->session) == wire->round) {
        link_ended(run, "no connection could be made"); /* it failed without a callback */
    }
}

void backend_wire_drop(struct uplink_run *run)
{
    struct lws *wsi = run->backend.wsi;

    if (wsi == NULL) {
        return;
    }
    run->backend.wsi = NULL;
    if (run->backend.open) {
        /* Says good-bye when it can, see the callback; not for long. */
        run->backend.open = false;
        run->backend.leaving++;
        (void)lws_callback_on_writable(wsi);
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, GOOD_BYE_S);
    } else {
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    }
}

/*
 * Never refuses by its return value: libwebsockets 4.1 would then wait for the good-bye of the
 * other side with its buffer full, and write what still comes of the frame behind it.
 */
static void frame_receive(struct uplink_run *run, struct lws *wsi, const void *in, size_t bytes)
{
    struct backend_wire *wire = &run->backend;

    if (lws_is_first_fragment(wsi)) {
        wire->input_bytes = 0;
    }
    if (lws_frame_is_binary(wsi) || bytes > FRAME_IN_MAX_BYTES - wire->input_bytes) {
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
        link_ended(run, "it sent a frame that is not a text of at most 64 KiB");
        return;
    }
    memcpy(wire->input + wire->input_bytes, in, bytes);
    wire->input_bytes += bytes;
    if (lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0) {
        wire->input[wire->input_bytes] = '\0';
        uplink_session_link_frame(run->session, run_now(), wire->input, wire->input_bytes);
        wire->input_bytes = 0;
        run_settle(run);
    }
}

/* -1: the connection is broken. */
static int frame_send(struct uplink_run *run, struct lws *wsi)
{
    size_t bytes = 0;
    char *text = uplink_session_pull_link(run->session, run_now(), &bytes);

    if (text == NULL) {
        return 0;
    }
    ASSERT(bytes <= FRAME_OUT_MAX_BYTES);
    unsigned char *buffer = malloc(LWS_PRE + bytes);
    ASSERT(buffer != NULL);
    memcpy(buffer + LWS_PRE, text, bytes);
    free(text);
    int put = lws_write(wsi, buffer + LWS_PRE, bytes, LWS_WRITE_TEXT);
    free(buffer);
    return put < (int)bytes ? -1 : 0;
}

/* One that was dropped: good-bye, or nothing. */
static int stranger_callback(struct uplink_run *run, struct lws *wsi,
                             enum lws_callback_reasons reason)
{
    switch ((int)reason) {
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        lws_close_reason(wsi, LWS_CLOSE_STATUS_GOINGAWAY, NULL, 0);
        return -1;
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        return -1;
    case LWS_CALLBACK_CLIENT_CLOSED:
        if (run->backend.leaving > 0) {
            run->backend.leaving--;
        }
        run_settle(run);
        return 0;
    default:
        return 0;
    }
}

/* The first line of what the library or the other side says. */
static const char *reason_text(const void *in, size_t bytes, char out[160])
{
    (void)snprintf(out, 160, "%.*s", in != NULL ? (int)(bytes < 159 ? bytes : 159) : 0,
                   in != NULL ? (const char *)in : "");
    for (char *at = out; *at != '\0'; at++) {
        *at = *at >= ' ' && *at < 0x7F ? *at : '?';
    }
    return out;
}

int backend_wire_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user UNUSED,
                          void *in, size_t bytes)
{
    struct uplink_run *run = lws_context_user(lws_get_context(wsi));
    char why[160];

    if (run == NULL || run->session == NULL) {
        return 0;
    }
    if (run->backend.wsi != wsi) {
        return stranger_callback(run, wsi, reason);
    }
    if (reason == LWS_CALLBACK_WSI_DESTROY) {
        /* Given up without a word, as for an upgrade that nobody answers: it must not be used. */
        link_ended(run, "it does not answer");
        return 0;
    }
    switch ((int)reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        run->backend.open = true;
        uplink_session_link_opened(run->session, run_now());
        run_settle(run);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        frame_receive(run, wsi, in, bytes);
        return 0;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        if (frame_send(run, wsi) != 0) {
            return -1; /* CLIENT_CLOSED follows */
        }
        run_settle(run);
        return 0;
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        link_ended(run, reason_text(in, bytes, why));
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
        link_ended(run, "connection closed");
        return 0;
    default:
        return 0;
    }
}
