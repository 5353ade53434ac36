/*
 * The loop's own data, shared by uplink_run.c, control_wire.c and backend_wire.c.
 */
#ifndef ARRAYWRIGHT_UPLINK_RUN_PRIVATE_H
#define ARRAYWRIGHT_UPLINK_RUN_PRIVATE_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <stdint.h>

#include "uplink/frame.h"
#include "uplink/uplink_run.h"
#include "uplink/uplink_session.h"

#define PROTOCOL_BACKEND "arraywright-backend"
#define PROTOCOL_CONTROL "arraywright-control"
#define PROTOCOL_SIGNALS "arraywright-signals"

/* arrayd's control socket: lines. */
struct control_wire {
    struct lws *wsi;             /* NULL: not connected */
    uint64_t round;
    int fd;                      /* belongs to the wsi */
    char *input;
    size_t input_bytes, input_scanned, input_capacity;
    char *output;                /* one request with its line end; NULL: none under way */
    size_t output_bytes, output_sent;
};

/* The backend's WebSocket: frames. */
struct backend_wire {
    struct lws *wsi;             /* NULL: not connected */
    uint64_t round;
    bool open;
    uint32_t leaving;            /* dropped ones that still say good-bye */
    size_t input_bytes;
    char input[FRAME_IN_MAX_BYTES + 1];
};

struct uplink_run {
    const struct uplink_run_options *options;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct uplink_session *session;
    struct control_wire control;
    struct backend_wire backend;
    lws_sorted_usec_list_t timer;
    lws_sorted_usec_list_t watchdog;
    uint64_t watchdog_us;
    enum uplink_phase told_phase;
    bool settling;
    bool settle_again;
    bool stopping;
    bool done;
    uint64_t stop_by_us;
};

struct uplink_now run_now(void);
/* Makes connections, output and timer what the session wants. */
void run_settle(struct uplink_run *run);

/* control_wire.c */
void control_wire_open(struct uplink_run *run);
void control_wire_drop(struct uplink_run *run);
/* Sends what the session has, as far as the socket takes it. */
void control_wire_pump(struct uplink_run *run);
int control_wire_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                          size_t bytes);

/* backend_wire.c */
void backend_wire_open(struct uplink_run *run);
void backend_wire_drop(struct uplink_run *run);
int backend_wire_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                          size_t bytes);

#endif
