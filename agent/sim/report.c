/*
 * See report.h.
 */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>

void report_fail(struct report report, const char *format, ...)
{
    va_list arguments;

    if (*report.failed) {
        return;
    }
    *report.failed = true;
    va_start(arguments, format);
    (void)vsnprintf(report.why, REPORT_WHY_BYTES, format, arguments); /* may cut */
    va_end(arguments);
    report_trace(report, "FAILED: %s", report.why);
}

void report_trace(struct report report, const char *format, ...)
{
    va_list arguments;

    if (!report.trace) {
        return;
    }
    fprintf(stderr, "%12llu ", (unsigned long long)report.now_us);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments); /* only a trace */
    va_end(arguments);
    fputc('\n', stderr);
}
