/*
 * Who this host is for its backend: identity.json in the state directory. A host is enrolled
 * exactly if that file exists.
 *
 * (1) It is written last and appears whole, by rename; the key it names is durable before.
 * (2) Nothing but a local administrator's `enrol --force` ever replaces it.
 * (3) The backend's fence stands beside it in fence.json and belongs to one identity.
 * (4) The directory is private (0700) and belongs to one process at a time: its descriptor
 *     holds a lock.
 */
#ifndef ARRAYWRIGHT_UPLINK_UPLINK_IDENTITY_H
#define ARRAYWRIGHT_UPLINK_UPLINK_IDENTITY_H

#include <limits.h>
#include <stdbool.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "uplink/uplink_url.h"

#define UPLINK_TEXT_BYTES 512u
#define UPLINK_FENCE_BYTES 65u

struct uplink_identity {
    char agent_id[UUID_TEXT_BYTES];
    char server_id[UUID_TEXT_BYTES];
    char url[UPLINK_URL_MAX + 1];
    char ca_file[PATH_MAX];      /* our copy; "": none was named at enrollment */
    char key_file[64];
    bool insecure;               /* the administrator allowed plain http over the network */
};

/* Makes the directory if it is missing (its parent must exist) and takes its lock. On error
 * text says why. */
MUST_CHECK int uplink_state_open(const char *path, int *ret_directory_fd,
                                 char text[UPLINK_TEXT_BYTES]);
/* -ENOENT: not enrolled. On any error text says why. */
MUST_CHECK int uplink_identity_read(int directory_fd, struct uplink_identity *ret_identity,
                                    char text[UPLINK_TEXT_BYTES]);
MUST_CHECK int uplink_identity_write(int directory_fd, const struct uplink_identity *identity,
                                     char text[UPLINK_TEXT_BYTES]);
/* Puts a copy of a file of certificates into the directory, for its owner to read. */
MUST_CHECK int uplink_authority_copy(int directory_fd, const char *ca_file, const char *name);
/* The fence that was written last for this identity; "" if there is none, or it is damaged. */
void uplink_fence_read(int directory_fd, const char *agent_id, char ret_fence[UPLINK_FENCE_BYTES]);
/* Durable when it returns 0. */
MUST_CHECK int uplink_fence_write(int directory_fd, const char *agent_id, const char *fence);
/* 64 hex digits that are the same after every start; machine_id_path is /etc/machine-id. A
 * machine without one gets a random one, kept in the directory. */
MUST_CHECK int uplink_machine_hash(int directory_fd, const char *machine_id_path,
                                   char ret_hash[65]);

#endif
