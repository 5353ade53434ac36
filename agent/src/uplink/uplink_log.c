/*
 * Lines on stderr: see uplink_log.h.
 */
#include "uplink/uplink_log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static enum uplink_log_level limit = UPLINK_INFO;
static bool to_journal;

void uplink_log_open(enum uplink_log_level level)
{
    limit = level;
    to_journal = getenv("JOURNAL_STREAM") != NULL;
}

void uplink_log(enum uplink_log_level level, const char *format, ...)
{
    static const char *const journal_levels[] = {"<3>", "<4>", "<6>", "<7>"};
    static const char *const words[] = {"error: ", "warning: ", "", "debug: "};
    char line[1024];
    va_list arguments;

    if (level > limit) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof(line), format, arguments); /* a longer line is cut */
    va_end(arguments);
    (void)fprintf(stderr, "%s%s\n", to_journal ? journal_levels[level] : words[level], line);
}
