/*
 * The daemon's log: one line per fact on stderr, with the level in front as the journal
 * reads it when stderr is the journal's. Only the daemon logs; libraries return errors.
 */
#ifndef ARRAYWRIGHT_DAEMON_LOG_H
#define ARRAYWRIGHT_DAEMON_LOG_H

#include "base/attrs.h"
#include "daemon/config.h"

/* Lines above the level are dropped. */
void log_open(enum log_level level);
void log_error(const char *format, ...) PRINTF_LIKE(1, 2);
void log_warning(const char *format, ...) PRINTF_LIKE(1, 2);
void log_info(const char *format, ...) PRINTF_LIKE(1, 2);
void log_debug(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
