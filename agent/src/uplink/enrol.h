/*
 * Enrolment: a one-time token buys this host an identity for a key it makes itself.
 *
 * The key is on stable storage before the token is spent, the identity is written last: at
 * every moment the host is either enrolled as before or enrolled anew.
 */
#ifndef ARRAYWRIGHT_UPLINK_ENROL_H
#define ARRAYWRIGHT_UPLINK_ENROL_H

#include <stdbool.h>

#include "base/attrs.h"

#define ENROL_TEXT_BYTES 1024u

struct enrol_request {
    const char *state_dir;
    const char *url;
    const char *token;
    const char *hostname;
    const char *ca_file;         /* "": the system's certificate authorities */
    const char *agent_version;
    const char *machine_id_path;
    bool insecure;               /* plain http over the network is allowed */
    bool force;                  /* replace an identity that exists */
};

/* 0, or -errno; text is a sentence for the administrator in both cases. */
MUST_CHECK int enrol_host(const struct enrol_request *request, char text[ENROL_TEXT_BYTES]);

#endif
