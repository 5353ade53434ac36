/*
 * Waiting, at the start, for what a killed predecessor leaves to the kernel.
 */
#ifndef ARRAYWRIGHT_DAEMON_PREDECESSOR_H
#define ARRAYWRIGHT_DAEMON_PREDECESSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "port/clock_port.h"

/* One thing that is waited for. */
struct predecessor_wait {
    struct clock_port *clock;
    uint64_t started_us; /* of this process, by that clock */
    uint32_t wait_s;     /* how long after the start it may go on: claim_wait_s, as for drives */
    bool told;           /* that it takes long; false at first */
};

/*
 * The state directory is ours, so no other daemon of this host lives; but sockets that a killed
 * one had in its io_uring stay open until the kernel has taken the ring down, which waits for its
 * last transfers. True: a moment has passed, try again. A SIGTERM or SIGINT ends the wait. text:
 * what is in the way. Before anything runs that could be kept waiting.
 */
bool predecessor_may_linger(struct predecessor_wait *wait, const char *text);

#endif
