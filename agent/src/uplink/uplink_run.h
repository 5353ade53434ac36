/*
 * The program's one thread: libwebsockets' loop, with the link to the backend, arrayd's
 * control socket and the signals in it. It moves texts and bytes; what they mean is the
 * session's business.
 *
 * (1) A connection counts only while its wsi is the present one; callbacks of any other close
 *     it. So a connection can be dropped at any moment, also from within its own callback.
 * (2) After every event run_settle() makes the connections what the session wants.
 */
#ifndef ARRAYWRIGHT_UPLINK_UPLINK_RUN_H
#define ARRAYWRIGHT_UPLINK_UPLINK_RUN_H

#include "base/attrs.h"
#include "uplink/uplink_config.h"
#include "uplink/uplink_identity.h"
#include "uplink/uplink_key.h"

struct uplink_run_options {
    const struct uplink_config *config;
    const struct uplink_identity *identity;
    const struct uplink_key *key;
    int directory_fd;            /* the state directory */
    struct uplink_url url;
    const char *ca_file;         /* "": the system's certificate authorities */
};

/* Until SIGTERM or SIGINT. 0, or -errno with text. */
MUST_CHECK int uplink_run(const struct uplink_run_options *options, char text[UPLINK_TEXT_BYTES]);

#endif
