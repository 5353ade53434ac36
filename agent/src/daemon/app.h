/*
 * The daemon as a whole: every part made in its order, and taken down in the reverse one.
 */
#ifndef ARRAYWRIGHT_DAEMON_APP_H
#define ARRAYWRIGHT_DAEMON_APP_H

#include "base/attrs.h"
#include "daemon/config.h"

#ifndef ARRAYWRIGHT_VERSION
#define ARRAYWRIGHT_VERSION "0.0.0"
#endif

/* Runs until SIGTERM or SIGINT. Returns the exit code; everything that went wrong has been
 * logged. The configuration stays with the caller. */
MUST_CHECK int app_run(const struct daemon_config *config);

/* What the configuration asks of the host and does not have (a group, for instance):
 * 0, or -errno with a sentence. */
MUST_CHECK int app_check(const struct daemon_config *config, char *text, size_t text_bytes);

#endif
