/*
 * The bytes of the command journal: lines with a checksum, in one file. Everything here may
 * block and runs in the work pool or before the daemon is online.
 */
#ifndef ARRAYWRIGHT_CONTROL_JOURNAL_FILE_H
#define ARRAYWRIGHT_CONTROL_JOURNAL_FILE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

struct journal_file {
    int directory_fd; /* not owned */
    char name[64];
    int fd;
    uint64_t size_bytes; /* of the valid lines */
    uint64_t cut_bytes;  /* behind them, when it was opened */
};

/* "1a2b3c4d {…}\n"; free() it. */
char *journal_line_make(const json_t *record, size_t *ret_bytes);

/* Opens or creates the file, calls line() for each valid record in order and cuts off a torn
 * tail. -EBADMSG: damaged before the tail; *ret_line is then its number. */
typedef void (*journal_record_fn)(void *context, const json_t *record);
MUST_CHECK int journal_file_open(int directory_fd, const char *name, journal_record_fn record,
                                 void *context, struct journal_file *ret_file, uint32_t *ret_line);
void journal_file_close(struct journal_file *file);

/* Makes sure that `bytes` more can be appended. */
MUST_CHECK int journal_file_reserve(struct journal_file *file, uint64_t bytes);
/* Appends and syncs, or leaves the file as it was. */
MUST_CHECK int journal_file_append(struct journal_file *file, const char *bytes, size_t count);
/* Replaces the whole content: a new file, synced, renamed over the old one. */
MUST_CHECK int journal_file_replace(struct journal_file *file, const char *bytes, size_t count);

#endif
