/*
 * The local control socket: a Unix stream socket, one JSON document per line
 * (protocol/control.schema.json). arrayctl and the uplink are its clients.
 *
 * (1) A peer's role follows from its credentials (control/peer.h), never from what it says.
 * (2) Everything a peer can make grow is bounded: requests CONTROL_REQUEST_MAX_BYTES,
 *     clients, unsent output, commands in flight. Who exceeds a bound is disconnected.
 * (3) State notifications wait until the client has read the last one, so a slow reader
 *     gets fewer, never older, states; one that reads nothing at all is disconnected.
 * (4) A command is journalled before the controller sees it; its outcome is journalled
 *     before anybody is told.
 */
#ifndef ARRAYWRIGHT_CONTROL_CONTROL_SERVER_H
#define ARRAYWRIGHT_CONTROL_CONTROL_SERVER_H

#include <limits.h>
#include <sys/stat.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "control/command_journal.h"
#include "control/link_state.h"
#include "control/peer.h"
#include "ctl/ctl_host.h"
#include "host/event_log.h"
#include "host/loop.h"

#define CONTROL_REQUEST_MAX_BYTES (64u * 1024u)
#define CONTROL_OUTPUT_MAX_BYTES (8u * 1024u * 1024u)
#define CONTROL_CLIENTS_MAX 64u
#define CONTROL_COMMANDS_PER_CLIENT 16u
#define CONTROL_STATE_INTERVAL_US 500000u
#define CONTROL_STALL_US (30u * 1000u * 1000u)

struct control_options {
    char path[108];
    mode_t mode;
    bool has_group;              /* give the socket to this group */
    gid_t group;
    struct peer_rules rules;
    enum policy_preset policy;
    char agent_version[32];
    char hostname[65];
    char boot_id[37];
    struct uuid event_epoch;
    char monitor_unit[PATH_MAX]; /* control/monitor_watch.h */
    uint32_t monitor_silence_s;
};

struct control_world {
    struct loop *loop;
    struct ctl_host *host;       /* all controllers */
    struct event_log *event_log;
    struct command_journal *journal;
    struct link_state *link;     /* outlives the server */
};

struct control_server;

/* text says why it failed; -EADDRINUSE: another daemon answers on this path. */
MUST_CHECK int control_server_open(const struct control_options *options,
                                   const struct control_world *world,
                                   struct control_server **ret_server, char text[256]);
/* Refuses commands from now on (shutting_down); done is called once none is running. */
void control_server_drain(struct control_server *server, void (*done)(void *context),
                          void *context);
/* Disconnects everybody and removes the socket. Accepts NULL, returns NULL. */
struct control_server *control_server_close(struct control_server *server);

/* From the controller's observer and the event log. */
void control_server_changed(struct control_server *server, bool urgent);
void control_server_events(struct control_server *server, uint64_t last_seq);

#endif
