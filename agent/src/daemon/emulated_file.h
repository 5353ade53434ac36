/*
 * The files behind emulated drives: made sparse, of the configured size, each with a small
 * file beside it that holds the emulated drive's serial number (PATH.serial). Everything
 * here may block.
 *
 * (1) An existing file is never resized or overwritten; a size that differs from the
 *     configured one is an error.
 * (2) Replacing keeps the last file that was taken out as PATH.replaced.
 */
#ifndef ARRAYWRIGHT_DAEMON_EMULATED_FILE_H
#define ARRAYWRIGHT_DAEMON_EMULATED_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define EMULATED_SERIAL_BYTES 17u

/* Makes sure file and serial number exist. text says why not. */
MUST_CHECK int emulated_file_open(const char *path, uint64_t size_bytes,
                                  char serial[EMULATED_SERIAL_BYTES], char *text,
                                  size_t text_bytes);
/* Sets the file aside and makes a blank one with a new serial number. */
MUST_CHECK int emulated_file_replace(const char *path, uint64_t size_bytes,
                                     char serial[EMULATED_SERIAL_BYTES], char *text,
                                     size_t text_bytes);

#endif
