/*
 * Who is at the other end of a control connection, by the kernel's word, and what follows.
 */
#ifndef ARRAYWRIGHT_CONTROL_PEER_H
#define ARRAYWRIGHT_CONTROL_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attrs.h"
#include "control/host_policy.h"

#define PEER_IDS_MAX 16u

/* root administers always. */
struct peer_rules {
    uint32_t administrator_gid_count;
    gid_t administrator_gids[PEER_IDS_MAX];
    uint32_t operator_gid_count;
    gid_t operator_gids[PEER_IDS_MAX];
    uint32_t backend_uid_count;  /* the uplink's user: its commands are the backend's */
    uid_t backend_uids[PEER_IDS_MAX];
};

#define PEER_GROUPS_MAX 256u

struct peer {
    uid_t uid;
    pid_t pid;
    uint32_t group_count;        /* the main group first */
    gid_t groups[PEER_GROUPS_MAX + 1];
};

MUST_CHECK int peer_read(int socket_fd, struct peer *ret_peer);
bool peer_is_backend(const struct peer_rules *rules, const struct peer *peer);
enum peer_role peer_role(const struct peer_rules *rules, const struct peer *peer);

#endif
