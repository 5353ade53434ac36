/*
 * What arrayctl prints: StorCLI's envelope around one answer per controller, as JSON with
 * its exact spacing or as text with its tables.
 */
#ifndef ARRAYWRIGHT_CLI_REPORT_H
#define ARRAYWRIGHT_CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attrs.h"
#include "cli/error.h"

#define CLI_VERSION_TEXT "007.1616.0000.0000 Arraywright"

struct report {
    json_t *controllers; /* the envelope's list */
    int exit_code;
};

void report_init(struct report *report);
void report_done(struct report *report);

/* Each takes its references; detailed and data may be NULL. controller < 0: none (then a
 * Status Code stands in its place). error_code 0 is success. */
void report_add(struct report *report, int controller, int error_code, const char *description,
                json_t *detailed, json_t *data);

void report_print_json(const struct report *report, FILE *out);
/* Extra text sections (the event log) have been printed before. */
void report_print_text(struct report *report, FILE *out);

/* StorCLI's forms of values. The buffers are the caller's. */
#define FORMAT_BYTES 64u
const char *format_size(uint64_t bytes, char out[FORMAT_BYTES]);     /* "893.750 GB" */
const char *format_time_left(int64_t seconds, char out[FORMAT_BYTES]); /* "1 Hours 4 Minutes" */
const char *format_moment(uint64_t at_us, char out[FORMAT_BYTES]); /* "11/24/2026, 03:00:00" */

#endif
