/*
 * Facts about the host and its users that documents and roles are made of.
 */
#ifndef ARRAYWRIGHT_DAEMON_FACTS_H
#define ARRAYWRIGHT_DAEMON_FACTS_H

#include "control/peer.h"
#include "daemon/config.h"

struct host_facts {
    char hostname[65];
    char os[65];
    char kernel[65];
    char boot_id[37];
};

void host_facts_read(struct host_facts *ret_facts);
/* Groups and users that do not exist are left out: nobody can be in them. */
void peer_rules_make(const struct config_control *control, struct peer_rules *ret_rules);
/* 0 or -ENOENT. An empty name gives (gid_t)-1. */
MUST_CHECK int group_id(const char *name, gid_t *ret_gid);

#endif
