/*
 * The uplink's log: one line per fact on stderr, with the level in front as the journal
 * reads it when stderr is the journal's. Only the program logs; the session, the streams and
 * the readers hand their sentences up.
 */
#ifndef ARRAYWRIGHT_UPLINK_UPLINK_LOG_H
#define ARRAYWRIGHT_UPLINK_UPLINK_LOG_H

#include "base/attrs.h"

enum uplink_log_level { UPLINK_ERROR, UPLINK_WARNING, UPLINK_INFO, UPLINK_DEBUG };

/* Lines above the level are dropped. */
void uplink_log_open(enum uplink_log_level level);
void uplink_log(enum uplink_log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
