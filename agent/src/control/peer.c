/*
 * Peer credentials and roles: see peer.h.
 */
#include "control/peer.h"

#include <errno.h>
#include <sys/socket.h>

int peer_read(int socket_fd, struct peer *ret_peer)
{
    struct ucred credentials;
    socklen_t bytes = sizeof(credentials);
    socklen_t group_bytes = PEER_GROUPS_MAX * sizeof(gid_t);

    if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) {
        return -errno;
    }
    ret_peer->uid = credentials.uid;
    ret_peer->pid = credentials.pid;
    ret_peer->groups[0] = credentials.gid;
    ret_peer->group_count = 1;
    /* A peer with more groups than we look at (ERANGE) has its main group only. */
    if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERGROUPS, &ret_peer->groups[1], &group_bytes) == 0) {
        ret_peer->group_count += (uint32_t)(group_bytes / sizeof(gid_t));
    }
    return 0;
}

bool peer_is_backend(const struct peer_rules *rules, const struct peer *peer)
{
    for (uint32_t i = 0; i < rules->backend_uid_count; i++) {
        if (rules->backend_uids[i] == peer->uid) {
            return true;
        }
    }
    return false;
}

static bool in_a_group(const struct peer *peer, const gid_t *gids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < peer->group_count; j++) {
            if (peer->groups[j] == gids[i]) {
                return true;
            }
        }
    }
    return false;
}

enum peer_role peer_role(const struct peer_rules *rules, const struct peer *peer)
{
    if (peer->uid == 0 ||
        in_a_group(peer, rules->administrator_gids, rules->administrator_gid_count)) {
        return PEER_ADMINISTRATOR;
    }
    if (in_a_group(peer, rules->operator_gids, rules->operator_gid_count)) {
        return PEER_OPERATOR;
    }
    return PEER_VIEWER;
}
