/*
 * Shared by export_server.c, export_listen.c and nbd_connection.c only.
 */
#ifndef ARRAYWRIGHT_EXPORT_EXPORT_PRIVATE_H
#define ARRAYWRIGHT_EXPORT_EXPORT_PRIVATE_H

#include <stdbool.h>
#include <sys/un.h>

#include "export/export_server.h"
#include "export/nbd_buffers.h"
#include "export/nbd_handshake.h"
#include "export/nbd_tls.h"

struct listener {
    struct export_server *server;
    int fd;
    struct loop_poll *poll;
    struct clock_timer retry; /* accepting failed for want of resources */
    bool tls; /* by server->tls; TCP only */
    char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)]; /* empty: TCP */
    dev_t path_device; /* of the socket file, to remove no other */
    ino_t path_inode;
};

struct export_entry {
    struct list link; /* server->entries */
    struct export_server *server;
    struct vd_target *target;
    struct list connections;
    uint32_t connection_count;
    bool removing;
    void (*removed)(void *owner, struct vd_target *target);
    void *removed_owner;
    struct loop_task removed_task;
};

struct export_server {
    struct nbd_catalog catalog;
    struct loop *loop;
    struct export_options options;
    struct nbd_buffers *buffers;
    struct nbd_tls_context *tls; /* NULL: none */
    struct export_prospects outlook;
    struct listener listeners[EXPORT_LISTENER_MAX];
    uint32_t listener_count;
    struct list entries;
    uint32_t entry_count;
    struct list handshakes;    /* connections that have no entry yet */
    uint32_t connection_count; /* all */
    uint32_t refusal_count;    /* of those, the ones that only hear why they are refused */
    uint64_t refused_count;    /* ever since it was told */
    uint64_t refused_told_us;  /* 0: not yet */
    struct clock_timer refused_timer;
    struct clock_timer hog_timer; /* armed while a connection waits for memory */
    bool leaving;
    bool closing;
    void (*closed)(void *owner);
    void *closed_owner;
    struct loop_task closed_task;
    struct loop_task look_task; /* at handshakes that wait */
};

/* Takes the socket over, also on failure. refusal: what the client hears; NULL: it is let in. */
void nbd_connection_start(struct export_server *server, int fd, bool tls, const char *refusal);
/* The outlook has changed. */
void nbd_connection_look_all(struct list *connections);
/* Ends one at once: its replies are dropped, its requests in flight finish. */
struct list;
void nbd_connection_kill_all(struct list *connections);
void nbd_connection_shut_down_all(struct list *connections);
void nbd_connection_leave_all(struct list *connections);

/* Ends those that have kept memory for long without moving on. */
void nbd_connection_kill_hogs(struct list *connections, uint64_t idle_since_us);
/* A connection waits for memory. */
void export_memory_is_short(struct export_server *server);

/* A connection has become, or ceased to be, one of a target's. */
struct export_entry *export_entry_find(const struct export_server *server,
                                       const struct vd_target *target);
/* A connection is gone for good; entry may be NULL. refused: it had only been told why. */
void export_connection_gone(struct export_server *server, struct export_entry *entry, bool refused);
/* A client beyond the limit: counted, and told to the owner in time. */
void export_refused_note(struct export_server *server);

void listeners_close(struct export_server *server);

#endif
