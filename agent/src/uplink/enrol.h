/*
 * Enrollment: a token buys this host an identity for a key it makes itself.
 *
 * The key is on stable storage before the token is spent, the identity is written last: at
 * every moment the host is either enrolled as before or enrolled anew.
 */
#ifndef ARRAYWRIGHT_UPLINK_ENROL_H
#define ARRAYWRIGHT_UPLINK_ENROL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attrs.h"
#include "uplink/uplink_identity.h"

#define ENROL_TEXT_BYTES 1024u

struct enrol_request {
    const char *state_dir;
    const char *url;
    const char *token;
    const char *hostname;
    const char *ca_file;         /* is copied; "": the system's certificate authorities */
    const char *agent_version;
    const char *machine_id_path;
    bool insecure;               /* plain http over the network is allowed */
    bool force;                  /* replace an identity that exists */
};

/* 0 with the new identity, or -errno; text is for the administrator in both cases. */
MUST_CHECK int enrol_host(const struct enrol_request *request, struct uplink_identity *ret_identity,
                          char text[ENROL_TEXT_BYTES]);
/* Words of the other side, for a terminal: nothing but printable characters. */
void enrol_printable_copy(const char *text, char *out, size_t capacity);

#endif
