/*
 * Waiting, at the start, for what a killed predecessor leaves to the kernel.
 */
#ifndef ARRAYWRIGHT_DAEMON_PREDECESSOR_H
#define ARRAYWRIGHT_DAEMON_PREDECESSOR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The state directory is ours, so no other daemon of this host lives; but sockets that a killed
 * one had in its io_uring stay open until the kernel has taken the ring down. True: a moment has
 * passed since -EADDRINUSE, try again. Before anything runs that could be kept waiting.
 */
bool predecessor_may_linger(uint64_t running_us, int error);

#endif
