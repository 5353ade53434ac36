/*
 * What the daemon asks of the host for itself: files, locked memory, to be spared.
 */
#ifndef ARRAYWRIGHT_DAEMON_PROTECT_H
#define ARRAYWRIGHT_DAEMON_PROTECT_H

#include <stdbool.h>

#include "base/attrs.h"
#include "daemon/config.h"

/* Logs what it got. False: what was demanded cannot be had. */
MUST_CHECK bool process_protect(const struct config_protect *protect);

#endif
