/*
 * Lines on stderr: see log.h.
 */
#include "daemon/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static enum log_level log_limit = LOG_LEVEL_INFO;
static bool log_to_journal;

void log_open(enum log_level level)
{
    log_limit = level;
    log_to_journal = getenv("JOURNAL_STREAM") != NULL;
}

static void line_write(enum log_level level, const char *format, va_list arguments)
    PRINTF_LIKE(2, 0);

static void line_write(enum log_level level, const char *format, va_list arguments)
{
    static const char *const journal_levels[] = {"<3>", "<4>", "<6>", "<7>"};
    static const char *const words[] = {"error: ", "warning: ", "", "debug: "};
    char line[2048];

    if (level > log_limit) {
        return;
    }
    (void)vsnprintf(line, sizeof(line), format, arguments);
    (void)fprintf(stderr, "%s%s\n", log_to_journal ? journal_levels[level] : words[level], line);
}

#define LOG_FUNCTION(name, level)                                                                  \
    void name(const char *format, ...)                                                             \
    {                                                                                              \
        va_list arguments;                                                                         \
                                                                                                   \
        va_start(arguments, format);                                                               \
        line_write(level, format, arguments);                                                      \
        va_end(arguments);                                                                         \
    }

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)
