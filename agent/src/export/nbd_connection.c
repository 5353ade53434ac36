/*
 * One connection: a socket, a session and the loop. Sending is tried at once at the end of
 * a turn, all replies of the turn in one call; only what the socket does not take goes
 * through the ring. Receiving always goes through the ring.
 *
 * (1) The session's memory is handed to the kernel by at most one receive and one send;
 *     it is given up or changed only while the operation in question is idle.
 * (2) A client that leaves our replies unread is behind by itself: receiving from it waits a
 *     moment, so that its next requests come in one piece. Waking up is the dearest thing the
 *     server does. A client that has read all it was sent never waits.
 * (3) A dying connection is shut down first, which ends both operations, then abandoned,
 *     then freed when its last request in flight has completed.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "export/export_private.h"
#include "export/nbd_session.h"

/* Sends tried in a row before other connections get their turn. */
#define SENDS_PER_TURN 8u
/* (2): after so many turns in a row that found replies unread, receiving waits. */
#define BEHIND_TURNS 4u
/* Each pause is twice as long as the one before if that brought few requests and found the client
 * behind even at its end, half as long if it found it not behind or brought many: a client that
 * shares our processor needs longer ones, in which one on its own would run dry. */
#define PAUSE_MIN_US 50u
#define PAUSE_MAX_US 200u
#define PAUSE_FEW_REQUESTS 8u
#define PAUSE_MANY_REQUESTS 16u
/* A pause at whose end nothing was unread has kept a client waiting for nothing: the next one comes
 * only after twice as many such turns, and so on for as long as that holds. */
#define PAUSE_RARER_MAX 8u /* times two */
/* After so many turns in a row that found none, only one turn in so many looks. */
#define AHEAD_TURNS 32u
#define AHEAD_LOOKS 16u

struct nbd_connection {
    struct list link; /* entry->connections or server->handshakes */
    struct export_server *server;
    struct export_entry *entry; /* NULL during the handshake */
    struct nbd_session *session;
    struct nbd_tls *tls; /* NULL: plain */
    bool tls_ended; /* the client has said so */
    bool refused; /* it only hears why it is not let in */
    bool held; /* the timer limits how long its handshake waits for the catalogue */
    int fd;
    struct loop_file file;
    struct loop_task flush;
    struct clock_timer timer; /* handshake, then linger */
    struct clock_timer pause; /* of receiving (2) */
    uint32_t pause_us; /* how long the last one was */
    bool pause_unread; /* replies were unread at its end */
    uint64_t pause_requests; /* that had come by its end */
    uint32_t pause_needless; /* in a row: nothing was unread at their ends */
    uint32_t behind_turns; /* in a row */
    uint32_t ahead_turns; /* the same, of those that found none unread */
    bool paused_once; /* the pause for this receive is over */
    uint64_t progress_us; /* bytes moved last, or the session had something new */
    bool dying;
    bool abandoned;

    struct loop_op receive_op;
    struct msghdr receive_message;
    struct iovec receive_vector[NBD_SESSION_RECEIVE_VECTOR];
    struct loop_op send_op;
    struct msghdr send_message;
    struct iovec send_vector[NBD_SESSION_SEND_VECTOR];
};

static void connection_flush(struct nbd_connection *connection)
{
    loop_post_flush(connection->server->loop, &connection->flush);
}

static void note_progress(struct nbd_connection *connection)
{
    connection->progress_us = clock_now_us(loop_clock(connection->server->loop));
}

static void connection_die(struct nbd_connection *connection)
{
    if (connection->dying) {
        return;
    }
    connection->dying = true;
    /* An error means the peer has gone already, which is what is wanted. */
    (void)shutdown(connection->fd, SHUT_RDWR);
    connection_flush(connection);
}

static void connection_free(struct nbd_connection *connection)
{
    struct export_server *server = connection->server;
    struct export_entry *entry = connection->entry;
    bool refused = false;

    ASSERT(connection->receive_op.state == LOOP_OP_IDLE);
    ASSERT(connection->send_op.state == LOOP_OP_IDLE);
    connection->session = nbd_session_free(connection->session);
    connection->tls = nbd_tls_free(connection->tls);
    clock_cancel(loop_clock(server->loop), &connection->timer);
    clock_cancel(loop_clock(server->loop), &connection->pause);
    loop_unpost(&connection->flush);
    loop_file_remove(server->loop, &connection->file);
    close(connection->fd);
    list_remove(&connection->link);
    refused = connection->refused;
    free(connection);
    export_connection_gone(server, entry, refused);
}

/* ---- sending ---- */

/* Bytes have gone out: the session's own, or what TLS made of them. */
static void sent_note(struct nbd_connection *connection, size_t byte_count)
{
    note_progress(connection);
    if (connection->tls == NULL) {
        nbd_session_sent(connection->session, byte_count);
    } else if (byte_count > 0) {
        nbd_tls_output_sent(connection->tls, byte_count);
    }
}

/* What goes out next. Through TLS: as much of the session's as finds room comes along. */
static uint32_t send_vector(struct nbd_connection *connection)
{
    uint32_t count = nbd_session_send_vector(connection->session, connection->send_vector);

    if (connection->tls == NULL) {
        return count;
    }
    while (count > 0) {
        ssize_t taken = nbd_tls_write(connection->tls, connection->send_vector, count);
        if (taken < 0) {
            connection_die(connection);
            return 0;
        }
        if (taken == 0) {
            break;
        }
        nbd_session_sent(connection->session, (size_t)taken);
        count = nbd_session_send_vector(connection->session, connection->send_vector);
    }
    connection->send_vector[0] = nbd_tls_output(connection->tls);
    return connection->send_vector[0].iov_len > 0 ? 1 : 0;
}

static void send_done(struct loop_op *op, int result)
{
    struct nbd_connection *connection = op->owner;

    if (result < 0) {
        connection_die(connection);
    } else if (!connection->dying) {
        sent_note(connection, (size_t)result);
    }
    connection_flush(connection);
}

static void send_by_ring(struct nbd_connection *connection)
{
    connection->send_op.kind = LOOP_OP_SENDMSG;
    connection->send_op.file = connection->file;
    connection->send_op.buffer = &connection->send_message;
    connection->send_op.flags = MSG_NOSIGNAL;
    loop_op_start(connection->server->loop, &connection->send_op);
}

/* Only Unix sockets know; TCP counts what the peer's kernel has not acknowledged, which is next to
 * never. */
static bool has_unread(const struct nbd_connection *connection)
{
    int unread_bytes = 0;

    return ioctl(connection->fd, SIOCOUTQ, &unread_bytes) == 0 && unread_bytes > 0;
}

/* Before the first reply of a turn goes out: are those of earlier turns still unread? */
static void look_behind(struct nbd_connection *connection)
{
    if (connection->ahead_turns >= AHEAD_TURNS && connection->ahead_turns % AHEAD_LOOKS != 0) {
        connection->ahead_turns++;
        return;
    }
    if (has_unread(connection)) {
        connection->behind_turns++;
        connection->ahead_turns = 0;
    } else {
        connection->behind_turns = 0;
        connection->ahead_turns++;
    }
}

static void try_send(struct nbd_connection *connection)
{
    bool looked = false;

    for (uint32_t i = 0; i < SENDS_PER_TURN; i++) {
        uint32_t count = send_vector(connection);
        ssize_t sent;
        if (count == 0) {
            return;
        }
        if (!looked) {
            looked = true;
            look_behind(connection);
        }
        connection->send_message =
            (struct msghdr){.msg_iov = connection->send_vector, .msg_iovlen = count};
        sent = count == 1 ? send(connection->fd, connection->send_vector[0].iov_base,
                                 connection->send_vector[0].iov_len, MSG_DONTWAIT | MSG_NOSIGNAL)
                          : sendmsg(connection->fd, &connection->send_message,
                                    MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0) {
            sent_note(connection, (size_t)sent);
            continue;
        }
        if (errno == EINTR) {
            continue;
        }
        if (errno == EAGAIN) {
            send_by_ring(connection);
        } else {
            connection_die(connection);
        }
        return;
    }
    connection_flush(connection);
}

/* ---- receiving ---- */

static void receive_done(struct loop_op *op, int result)
{
    struct nbd_connection *connection = op->owner;

    if (connection->dying) {
        connection_flush(connection);
        return;
    }
    if (result == -EINTR || result == -EAGAIN) {
        connection_flush(connection);
    } else if (result < 0) {
        connection_die(connection);
    } else if (result == 0) {
        nbd_session_input_ended(connection->session);
        connection_flush(connection);
    } else {
        note_progress(connection);
        if (connection->tls != NULL) {
            nbd_tls_input(connection->tls, (size_t)result);
            connection_flush(connection);
        } else {
            nbd_session_received(connection->session, (size_t)result);
        }
    }
}

static void pause_fire(struct clock_timer *timer)
{
    struct nbd_connection *connection = timer->owner;

    connection->pause_unread = has_unread(connection);
    if (connection->pause_unread) {
        connection->pause_needless = 0;
    } else {
        connection->pause_needless = min_u32(connection->pause_needless + 1, PAUSE_RARER_MAX);
        connection->behind_turns = 0;
    }
    connection->pause_requests = nbd_session_request_count(connection->session);
    connection->paused_once = true;
    connection_flush(connection);
}

static void pause_adapt(struct nbd_connection *connection)
{
    uint64_t request_count =
        nbd_session_request_count(connection->session) - connection->pause_requests;

    if (!connection->pause_unread || request_count > PAUSE_MANY_REQUESTS) {
        connection->pause_us = (uint32_t)max_u64(connection->pause_us / 2, PAUSE_MIN_US);
    } else if (request_count < PAUSE_FEW_REQUESTS) {
        connection->pause_us = (uint32_t)min_u64(connection->pause_us * 2u, PAUSE_MAX_US);
    }
}

/* (2): whether receiving has to wait for the pause that is, or now begins to be, under way. */
static bool pause_first(struct nbd_connection *connection)
{
    struct clock_port *clock = loop_clock(connection->server->loop);

    if (connection->pause.armed) {
        return true;
    }
    if (connection->paused_once || connection->behind_turns < BEHIND_TURNS
                                                                  << connection->pause_needless) {
        connection->paused_once = false;
        return false;
    }
    pause_adapt(connection);
    clock_arm(clock, &connection->pause, clock_now_us(clock) + connection->pause_us);
    return true;
}

/*
 * Gives the session what TLS has for it. Afterwards the vector is where the next bytes of the
 * wire go; returns its length, 0: do not read now.
 */
static uint32_t receive_vector_tls(struct nbd_connection *connection)
{
    struct iovec *vector = connection->receive_vector;
    uint32_t count = nbd_session_receive_vector(connection->session, vector);

    while (count > 0 && !connection->tls_ended) {
        ssize_t got = nbd_tls_read(connection->tls, vector, count);
        if (got > 0) {
            nbd_session_received(connection->session, (size_t)got);
            count = nbd_session_receive_vector(connection->session, vector);
        } else if (got == 0) {
            break;
        } else if (got == -EPIPE) {
            connection->tls_ended = true;
            nbd_session_input_ended(connection->session);
            count = 0;
        } else {
            connection_die(connection);
            count = 0;
        }
    }
    if (nbd_tls_output(connection->tls).iov_len > 0) {
        connection_flush(connection); /* reading has made something to send: the handshake */
    }
    if (count == 0) {
        return 0;
    }
    vector[0] = nbd_tls_input_place(connection->tls);
    return vector[0].iov_len > 0 ? 1 : 0;
}

static void try_receive(struct nbd_connection *connection)
{
    uint32_t count = 0;

    if (pause_first(connection)) {
        return;
    }
    count = connection->tls != NULL
                ? receive_vector_tls(connection)
                : nbd_session_receive_vector(connection->session, connection->receive_vector);
    if (count == 0) {
        return;
    }
    connection->receive_op.poll_first = connection->behind_turns == 0 && count == 1;
    connection->receive_op.file = connection->file;
    connection->receive_op.flags = 0;
    if (count == 1) {
        connection->receive_op.kind = LOOP_OP_RECV;
        connection->receive_op.buffer = connection->receive_vector[0].iov_base;
        connection->receive_op.length_bytes = (uint32_t)connection->receive_vector[0].iov_len;
    } else {
        connection->receive_message =
            (struct msghdr){.msg_iov = connection->receive_vector, .msg_iovlen = count};
        connection->receive_op.kind = LOOP_OP_RECVMSG;
        connection->receive_op.buffer = &connection->receive_message;
    }
    loop_op_start(connection->server->loop, &connection->receive_op);
}

/* ---- turns ---- */

/* A client may keep its half of the connection, but not for ever once all is done. */
static void arm_linger(struct nbd_connection *connection)
{
    struct clock_port *clock = loop_clock(connection->server->loop);

    if (connection->timer.armed || nbd_session_inflight_count(connection->session) > 0) {
        return;
    }
    clock_arm(clock, &connection->timer,
              clock_now_us(clock) + connection->server->options.linger_timeout_ms * 1000u);
}

static void advance_dying(struct nbd_connection *connection)
{
    bool sending = connection->send_op.state != LOOP_OP_IDLE;
    bool receiving = connection->receive_op.state != LOOP_OP_IDLE;

    if (!sending && !connection->abandoned) {
        connection->abandoned = true;
        nbd_session_abandon(connection->session);
    }
    if (!sending && !receiving && nbd_session_is_finished(connection->session)) {
        connection_free(connection);
    }
}

/* STARTTLS has been answered: from here on everything goes through TLS. */
static void tls_begin(struct nbd_connection *connection)
{
    ASSERT(connection->tls == NULL);
    ASSERT(connection->receive_op.state == LOOP_OP_IDLE);
    if (nbd_tls_create(connection->server->tls, &connection->tls) != 0) {
        connection_die(connection);
        return;
    }
    nbd_session_tls_begun(connection->session);
}

/* A handshake that waits for the catalogue has its own limit, and begins anew with its old one
 * afterwards: the client was not the one that was slow. */
static void hold_follow(struct nbd_connection *connection)
{
    const struct export_options *options = &connection->server->options;
    struct clock_port *clock = loop_clock(connection->server->loop);
    bool held = nbd_session_is_held(connection->session);

    if (held == connection->held || connection->dying ||
        nbd_session_is_ending(connection->session) ||
        nbd_session_target(connection->session) != NULL) {
        return;
    }
    connection->held = held;
    clock_cancel(clock, &connection->timer);
    clock_arm(clock, &connection->timer,
              clock_now_us(clock) +
                  (held ? options->hold_timeout_ms : options->handshake_timeout_ms) * 1000u);
}

static void flush_run(struct loop_task *task)
{
    struct nbd_connection *connection = task->owner;

    if (!connection->dying && connection->send_op.state == LOOP_OP_IDLE) {
        try_send(connection);
    }
    if (!connection->dying && connection->send_op.state == LOOP_OP_IDLE &&
        nbd_session_wants_tls(connection->session)) {
        tls_begin(connection);
    }
    if (!connection->dying && connection->receive_op.state == LOOP_OP_IDLE) {
        try_receive(connection);
    }
    if (!connection->dying && nbd_session_is_ending(connection->session)) {
        if (nbd_session_is_finished(connection->session) &&
            connection->send_op.state == LOOP_OP_IDLE &&
            (connection->tls == NULL || nbd_tls_output(connection->tls).iov_len == 0)) {
            connection_die(connection);
        } else {
            arm_linger(connection);
        }
    }
    if (connection->entry == NULL) {
        hold_follow(connection);
    }
    if (nbd_session_waits_for_memory(connection->session)) {
        export_memory_is_short(connection->server);
    }
    if (connection->dying) {
        advance_dying(connection);
    }
}

static void timer_fire(struct clock_timer *timer)
{
    struct nbd_connection *connection = timer->owner;

    if (connection->held && !connection->dying && nbd_session_is_held(connection->session)) {
        nbd_session_wait_over(connection->session); /* kicks */
        return;
    }
    connection_die(connection);
}

static void session_kick(void *owner)
{
    note_progress(owner); /* whatever the client owes, it owes it from now on */
    connection_flush(owner);
}

static void session_started(void *owner, struct vd_target *target)
{
    struct nbd_connection *connection = owner;
    struct export_server *server = connection->server;
    struct export_entry *entry = export_entry_find(server, target);

    ASSERT(connection->entry == NULL);
    ASSERT(entry != NULL);
    ASSERT(!entry->removing);
    clock_cancel(loop_clock(server->loop), &connection->timer);
    connection->entry = entry;
    entry->connection_count++;
    list_remove(&connection->link);
    list_push_tail(&entry->connections, &connection->link);
}

static int session_open(struct nbd_connection *connection, bool tls, const char *refusal)
{
    struct export_server *server = connection->server;
    const struct nbd_session_options options = {
        .catalog = &server->catalog,
        .buffers = server->buffers,
        .tls_required = tls,
        .refusal = refusal,
        .buffer_max_bytes = server->options.buffer_max_bytes,
        .kick = session_kick,
        .started = session_started,
        .owner = connection,
    };

    return nbd_session_create(&options, &connection->session);
}

void nbd_connection_start(struct export_server *server, int fd, bool tls, const char *refusal)
{
    struct nbd_connection *connection = calloc(1, sizeof *connection);
    struct clock_port *clock = loop_clock(server->loop);

    if (connection == NULL) {
        close(fd);
        return;
    }
    connection->server = server;
    connection->fd = fd;
    connection->refused = refusal != NULL;
    if (session_open(connection, tls, refusal) != 0) {
        close(fd);
        free(connection);
        return;
    }
    connection->file = loop_file_add(server->loop, fd);
    loop_task_init(&connection->flush, flush_run, connection);
    loop_op_init(&connection->receive_op, receive_done, connection);
    loop_op_init(&connection->send_op, send_done, connection);
    connection->timer.fire = timer_fire;
    connection->timer.owner = connection;
    list_init(&connection->timer.port_link);
    connection->pause_us = PAUSE_MIN_US;
    connection->pause.fire = pause_fire;
    connection->pause.owner = connection;
    list_init(&connection->pause.port_link);
    list_init(&connection->link);
    list_push_tail(&server->handshakes, &connection->link);
    server->connection_count++;
    server->refusal_count += connection->refused ? 1u : 0u;
    clock_arm(clock, &connection->timer,
              clock_now_us(clock) + server->options.handshake_timeout_ms * 1000u);
    connection_flush(connection);
}

void nbd_connection_look_all(struct list *connections)
{
    LIST_FOR_EACH_SAFE (node, following, connections) { /* one that is answered changes its list */
        struct nbd_connection *connection = list_entry(node, struct nbd_connection, link);

        if (!connection->dying && nbd_session_is_held(connection->session)) {
            nbd_session_catalog_changed(connection->session);
        }
    }
}

void nbd_connection_kill_all(struct list *connections)
{
    LIST_FOR_EACH (node, connections) {
        connection_die(list_entry(node, struct nbd_connection, link));
    }
}

void nbd_connection_kill_hogs(struct list *connections, uint64_t idle_since_us)
{
    LIST_FOR_EACH (node, connections) {
        struct nbd_connection *connection = list_entry(node, struct nbd_connection, link);
        if (nbd_session_keeps_memory(connection->session) &&
            connection->progress_us <= idle_since_us) {
            connection_die(connection);
        }
    }
}

void nbd_connection_leave_all(struct list *connections)
{
    LIST_FOR_EACH (node, connections) {
        struct nbd_connection *connection = list_entry(node, struct nbd_connection, link);
        nbd_session_leave(connection->session);
        connection_flush(connection);
    }
}

void nbd_connection_shut_down_all(struct list *connections)
{
    LIST_FOR_EACH (node, connections) {
        struct nbd_connection *connection = list_entry(node, struct nbd_connection, link);
        nbd_session_shut_down(connection->session);
        connection_flush(connection);
    }
}
