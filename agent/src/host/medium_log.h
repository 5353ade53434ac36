/*
 * The log of the write-back cache on this host: a block device or a file, written with data sync,
 * and the ordinary memory that the cache's frames live in.
 *
 * (1) The device is claimed like a drive: O_EXCL, or flock() on the very description used for I/O,
 *     before a byte of it is looked at (host/device.h).
 * (2) A file that is not there is made, filled with zeros to its full size, so that no write ever
 *     finds the file system full. A device that is not there is an error. What is there is never
 *     shortened, lengthened or written here.
 * (3) A file that no longer has its name or its size would not be found, or not be whole, at the
 *     next start. Writes fail from then on; it is looked at with a write, once a second at most.
 * (4) A file system that hangs holds up writes to the log, and nothing else: the look is a thread's
 *     own, and its write waits for it.
 */
#ifndef ARRAYWRIGHT_HOST_MEDIUM_LOG_H
#define ARRAYWRIGHT_HOST_MEDIUM_LOG_H

#include "base/attrs.h"
#include "host/loop.h"
#include "host/medium_file.h"
#include "port/log_port.h"
#include "port/memory_port.h"

struct medium_log;

/* size_bytes: of the file, or what is used of the device; memory_bytes: for the frames. Blocks.
 * On an error text says what is wrong: -EBUSY: claimed by somebody else or in use, -ENODEV: the
 * device is not there, -ERANGE: another size, -ENOSPC, -EPERM, -errno. */
MUST_CHECK int medium_log_open(struct loop *loop, const char *path, uint64_t size_bytes,
                               uint64_t memory_bytes, struct medium_log **ret_medium,
                               char text[MEDIUM_FILE_TEXT_BYTES]);
/* Ends the claim. Nothing may be on its way. Accepts NULL, returns NULL. */
struct medium_log *medium_log_close(struct medium_log *medium);

struct log_port *medium_log_port(struct medium_log *medium);
struct memory_port *medium_log_memory(struct medium_log *medium);
/* Its memory cannot be paged out. */
bool medium_log_is_locked(const struct medium_log *medium);

#endif
