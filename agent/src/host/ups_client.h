/*
 * Asks a NUT server (upsd) for the variables of one UPS. Blocks, but never beyond the
 * deadline, whatever the server does: it is called from the work pool.
 *
 * The protocol is line-based text over TCP; NUT's own client library has no deadline for a
 * whole answer, so a server that sends a byte now and then would hold the pool's thread.
 */
#ifndef ARRAYWRIGHT_HOST_UPS_CLIENT_H
#define ARRAYWRIGHT_HOST_UPS_CLIENT_H

#include "host/ups_reading.h"

#define UPS_PORT_DEFAULT 3493u

/* "NAME[@HOST[:PORT]]"; the host may be [::1]. */
struct ups_address {
    char ups[64];
    char host[256];
    char port[6];
};

MUST_CHECK bool ups_address_parse(const char *text, struct ups_address *ret_address);
/* WHOLE: the values are all there. Anything else: they are not. */
MUST_CHECK enum ups_answer ups_ask(const struct ups_address *address, uint32_t deadline_ms,
                                   struct ups_values *ret_values);

#endif
