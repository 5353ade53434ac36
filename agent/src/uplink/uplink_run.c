/*
 * The loop: see uplink_run.h.
 */
#include "uplink/uplink_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "host/notify.h"
#include "uplink/run_private.h"

#define SECOND_US 1000000ull
#define STOP_LIMIT_US (2 * SECOND_US)
#define STEP_LIMIT_S ((unsigned int)(UPLINK_STEP_LIMIT_US / SECOND_US) + 5)
#define OVERDUE_US 20000 /* what is due cannot be done now: look again, without spinning */
#define SLEEP_MAX_US (600 * SECOND_US)

static uint64_t clock_us(clockid_t clock)
{
    struct timespec time;
    int error = clock_gettime(clock, &time);

    ASSERT(error == 0);
    return (uint64_t)time.tv_sec * SECOND_US + (uint64_t)time.tv_nsec / 1000;
}

struct uplink_now run_now(void)
{
    return (struct uplink_now){.us = clock_us(CLOCK_MONOTONIC),
                               .wall_us = clock_us(CLOCK_REALTIME)};
}

/* Settling. */

static void connections_settle(struct uplink_run *run)
{
    uint64_t round = uplink_session_round(run->session);

    if (run->backend.wsi != NULL &&
        (!uplink_session_wants_link(run->session) || run->backend.round != round)) {
        backend_wire_drop(run);
    }
    if (run->control.wsi != NULL &&
        (!uplink_session_wants_control(run->session) || run->control.round != round)) {
        control_wire_drop(run);
    }
    if (run->control.wsi == NULL && uplink_session_phase(run->session) == UPLINK_CONTROL) {
        control_wire_open(run);
    }
    control_wire_pump(run);
    if (run->backend.wsi == NULL && uplink_session_phase(run->session) == UPLINK_DIAL) {
        backend_wire_open(run);
    }
    if (run->backend.wsi != NULL && run->backend.open &&
        uplink_session_has_link_output(run->session, run_now())) {
        (void)lws_callback_on_writable(run->backend.wsi);
    }
}

static void phase_tell(struct uplink_run *run)
{
    enum uplink_phase phase = uplink_session_phase(run->session);

    if (phase != run->told_phase) {
        run->told_phase = phase;
        notify_status("%s", uplink_phase_word(phase));
    }
}

static void timer_fired(lws_sorted_usec_list_t *timer)
{
    run_settle(container_of(timer, struct uplink_run, timer));
}

static void timer_settle(struct uplink_run *run)
{
    uint64_t now_us = run_now().us;
    uint64_t deadline_us = uplink_session_deadline_us(run->session);
    uint64_t wait_us = OVERDUE_US;

    if (run->stopping) {
        run->done = run->backend.leaving == 0 || now_us >= run->stop_by_us;
        deadline_us = run->stop_by_us;
    }
    if (deadline_us > now_us + SLEEP_MAX_US) {
        wait_us = SLEEP_MAX_US;
    } else if (deadline_us > now_us) {
        wait_us = deadline_us - now_us;
    }
    lws_sul_schedule(run->context, 0, &run->timer, timer_fired, (lws_usec_t)wait_us);
    if (run->done) {
        lws_cancel_service(run->context);
    }
}

void run_settle(struct uplink_run *run)
{
    if (run->settling) {
        run->settle_again = true; /* from within a call that settling has made */
        return;
    }
    run->settling = true;
    do {
        run->settle_again = false;
        uplink_session_tick(run->session, run_now());
        connections_settle(run);
    } while (run->settle_again);
    phase_tell(run);
    timer_settle(run);
    run->settling = false;
}

/* Signals. */

static int signals_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user UNUSED,
                            void *in UNUSED, size_t bytes UNUSED)
{
    struct uplink_run *run = lws_context_user(lws_get_context(wsi));
    struct signalfd_siginfo signal;

    if (reason != LWS_CALLBACK_RAW_RX_FILE || run == NULL) {
        return 0;
    }
    if (read(lws_get_socket_fd(wsi), &signal, sizeof(signal)) == (ssize_t)sizeof(signal) &&
        !run->stopping) {
        uplink_log(UPLINK_INFO, "stopping (%s)", strsignal((int)signal.ssi_signo));
        notify_stopping();
        run->stopping = true;
        run->stop_by_us = run_now().us + STOP_LIMIT_US;
        uplink_session_stop(run->session);
        run_settle(run);
    }
    return 0;
}

static int signals_adopt(struct uplink_run *run)
{
    lws_sock_file_fd_type descriptor;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) {
        return -errno;
    }
    descriptor.filefd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor.filefd < 0) {
        return -errno;
    }
    return lws_adopt_descriptor_vhost(run->vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor,
                                      PROTOCOL_SIGNALS, NULL) != NULL
               ? 0
               : -ENOMEM;
}

/* The service manager's watchdog. */

static void watchdog_fired(lws_sorted_usec_list_t *timer)
{
    struct uplink_run *run = container_of(timer, struct uplink_run, watchdog);

    (void)sd_notify(0, "WATCHDOG=1"); /* nobody may listen */
    lws_sul_schedule(run->context, 0, timer, watchdog_fired, (lws_usec_t)run->watchdog_us);
}

static void watchdog_start(struct uplink_run *run)
{
    uint64_t limit_us = 0;

    if (sd_watchdog_enabled(0, &limit_us) > 0 && limit_us >= 2) {
        run->watchdog_us = limit_us / 2; /* leaves room for one late beat */
        watchdog_fired(&run->watchdog);
    }
}

/* The session's port. */

static int port_sign(void *context, const char *text, size_t bytes,
                     char ret_signature[UPLINK_SIGNATURE_TEXT_BYTES])
{
    const struct uplink_run *run = context;

    return uplink_key_sign(run->options->key, text, bytes, ret_signature);
}

static int port_keep_fence(void *context, const char *fence)
{
    const struct uplink_run *run = context;

    return uplink_fence_write(run->options->directory_fd, run->options->identity->agent_id, fence);
}

static void port_log(void *context UNUSED, enum uplink_log_level level, const char *text)
{
    uplink_log(level, "%s", text);
}

static void library_log(int level UNUSED, const char *line)
{
    uplink_log(UPLINK_DEBUG, "libwebsockets: %.*s", (int)strcspn(line, "\n"), line);
}

/* Start and end. */

static int context_make(struct uplink_run *run)
{
    static const struct lws_protocols protocols[] = {
        {.name = PROTOCOL_BACKEND, .callback = backend_wire_callback, .rx_buffer_size = 16384},
        {.name = PROTOCOL_CONTROL, .callback = control_wire_callback},
        {.name = PROTOCOL_SIGNALS, .callback = signals_callback},
        {.name = NULL}};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN, .protocols = protocols, .user = run, .gid = -1, .uid = -1};

    lws_set_log_level(LLL_ERR | LLL_WARN, library_log);
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
    info.timeout_secs = STEP_LIMIT_S; /* the session gives up before */
    info.client_ssl_ca_filepath = run->options->ca_file[0] != '\0' ? run->options->ca_file : NULL;
    run->context = lws_create_context(&info);
    if (run->context == NULL) {
        return -ENOMEM;
    }
    run->vhost = lws_create_vhost(run->context, &info);
    return run->vhost != NULL ? 0 : -ENOMEM;
}

static int session_make(struct uplink_run *run)
{
    const struct uplink_run_options *from = run->options;
    struct uplink_options options = {
        .hostname = from->config->hostname,
        .reconnect_base_ms = from->config->reconnect_base_ms,
        .reconnect_cap_ms = from->config->reconnect_cap_ms,
        .port = {
            .sign = port_sign, .keep_fence = port_keep_fence, .log = port_log, .context = run}};

    memcpy(options.agent_id, from->identity->agent_id, sizeof(options.agent_id));
    uplink_fence_read(from->directory_fd, from->identity->agent_id, options.fence);
    memcpy(options.server_id, from->identity->server_id, sizeof(options.server_id));
    if (getrandom(&options.seed, sizeof(options.seed), 0) != (ssize_t)sizeof(options.seed)) {
        return -EIO;
    }
    return uplink_session_new(&options, run_now(), &run->session);
}

static int run_serve(struct uplink_run *run, char text[UPLINK_TEXT_BYTES])
{
    int error = session_make(run);

    if (error == 0) {
        error = context_make(run);
    }
    if (error == 0) {
        error = signals_adopt(run);
    }
    if (error != 0) {
        (void)snprintf(text, UPLINK_TEXT_BYTES, "the link cannot be set up: %s", strerror(-error));
        return error;
    }
    watchdog_start(run);
    notify_ready();
    run->told_phase = UPLINK_PHASE_MAX;
    run_settle(run);
    while (!run->done) {
        if (lws_service(run->context, 0) < 0) {
            (void)snprintf(text, UPLINK_TEXT_BYTES, "the event loop has failed");
            return -EIO;
        }
    }
    return 0;
}

int uplink_run(const struct uplink_run_options *options, char text[UPLINK_TEXT_BYTES])
{
    struct uplink_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    run->options = options;
    run->control.fd = -1;
    int error = run_serve(run, text);
    struct uplink_session *session = run->session;
    run->session = NULL; /* what the end of the context still calls back finds nothing */
    run->control.wsi = NULL;
    run->backend.wsi = NULL;
    if (run->context != NULL) {
        lws_context_destroy(run->context);
    }
    session = uplink_session_free(session);
    free(run->control.input);
    free(run->control.output);
    free(run);
    return error;
}
