/*
 * Exports virtual drives over NBD: listeners, targets, connections. One loop, one thread.
 *
 * (1) A target belongs to its owner; the server uses it from add to the done() of remove.
 * (2) All connections of a target are equal: a flush on one covers writes completed on any
 *     (the target keeps that promise), so multi-conn is announced.
 * (3) A connection that breaks a rule, stalls or dies is closed alone.
 * (4) Bounded: connections, and the memory of all of them together, which is allocated once. A
 *     client that keeps memory without moving on is closed if another waits for it. A client beyond
 *     the limit hears why it is refused.
 * (5) No client is told of an export's absence while that export is about to be offered.
 */
#ifndef ARRAYWRIGHT_EXPORT_EXPORT_SERVER_H
#define ARRAYWRIGHT_EXPORT_EXPORT_SERVER_H

#include <stdint.h>
#include <sys/types.h>

#include "base/attrs.h"
#include "export/nbd_handshake.h"
#include "host/loop.h"
#include "vd/vd_request.h"

#define EXPORT_TARGET_MAX 256u
#define EXPORT_LISTENER_MAX 8u
#define EXPORT_TEXT_BYTES 256u
/* So many clients beyond the limit are told so; the connections of any more just end. */
#define EXPORT_REFUSALS_MAX 16u
#define EXPORT_REFUSED_TELL_US (UINT64_C(60) * 1000000)

struct export_server;

struct export_options {
    uint32_t connection_max;       /* 0: 256 */
    uint64_t buffer_max_bytes;     /* per connection; 0: 32 MiB */
    uint64_t memory_bytes;         /* data of all connections; 0: 64 MiB, at least 32 MiB */
    uint64_t handshake_timeout_ms; /* 0: 30 s */
    uint64_t linger_timeout_ms;    /* for a client that does not take its last replies; 0: 10 s */
    uint64_t hog_timeout_ms;       /* for one that keeps memory others wait for; 0: 10 s */
    uint64_t hold_timeout_ms; /* how long a handshake waits for what is being started; 0: 60 s */
    /* Clients beyond connection_max were refused: how many since the last call. At most once in
     * EXPORT_REFUSED_TELL_US. May be NULL. */
    void (*refused)(void *owner, uint64_t count);
    void *refused_owner;
};

MUST_CHECK int export_server_create(struct loop *loop, const struct export_options *options,
                                    struct export_server **ret_server);
/* Only when nothing is open any more: after the done() of close. NULL in, NULL out. */
struct export_server *export_server_free(struct export_server *server);

/*
 * A Unix socket. A stale one (nobody listens) is replaced; a live one, or something that is
 * no socket, is refused. group (gid_t)-1 leaves the group. On failure text says why.
 */
MUST_CHECK int export_server_listen_unix(struct export_server *server, const char *path,
                                         mode_t mode, gid_t group, char text[EXPORT_TEXT_BYTES]);
/* A numeric address ("127.0.0.1", "::1"; NULL: IPv4 loopback). Port 0: any free one. */
MUST_CHECK int export_server_listen_tcp(struct export_server *server, const char *address,
                                        uint16_t port, uint16_t *ret_port,
                                        char text[EXPORT_TEXT_BYTES]);

/*
 * From the next TCP listener on, clients have to use TLS; PEM files, client_ca "" or the CA that
 * must have signed their certificates. Unix sockets have their file's rights instead.
 */
MUST_CHECK int export_server_use_tls(struct export_server *server, const char *certificate,
                                     const char *key, const char *client_ca,
                                     char text[EXPORT_TEXT_BYTES]);

/* Asked about what is not exported at present. Without one, nothing else ever will be. */
struct export_prospects {
    /* Nothing more is about to be exported. */
    bool (*is_complete)(void *owner);
    /* NBD_ABSENCE_REFUSED: *ret_why is a sentence for the client. */
    enum nbd_absence (*absence)(void *owner, const char *name, const char **ret_why);
    void *owner;
};
void export_server_outlook_set(struct export_server *server,
                               const struct export_prospects *outlook);
/* The outlook may be another now: clients whose handshakes wait for it are looked at again. A
 * target that is added does the same. */
void export_server_outlook_changed(struct export_server *server);

/* -EINVAL: the target's fields contradict each other; -EEXIST: the name is taken; -ENOSPC. */
MUST_CHECK int export_server_add_target(struct export_server *server, struct vd_target *target);
/*
 * New requests are refused with ESHUTDOWN, those in flight finish, connections close, then
 * done() is called from the loop. Asserts that the target is there and not being removed.
 */
void export_server_remove_target(struct export_server *server, struct vd_target *target,
                                 void (*done)(void *owner, struct vd_target *target), void *owner);
/* Open connections of a target, 0 for one that is not exported. */
uint32_t export_server_connections(const struct export_server *server,
                                   const struct vd_target *target);
/* All connections, those still in the handshake included. */
uint32_t export_server_connection_count(const struct export_server *server);

/*
 * The process ends and another will take its place: nobody new is let in, and clients are not
 * told of a shutdown, which they would hand on as an error, but find their connections closed.
 * What is in flight is still answered. Targets are removed and the server closed as ever.
 */
void export_server_leave(struct export_server *server);

/* Stops listening and removes every target; done() when all connections are gone. */
void export_server_close(struct export_server *server, void (*done)(void *owner), void *owner);

#endif
