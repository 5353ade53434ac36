/*
 * The medium of the write-back cache on this host: a file in memory (tmpfs), or on persistent
 * memory, mapped and locked.
 *
 * (1) The file is claimed by flock() on the description that is mapped, before a byte of it is
 *     looked at: a killed predecessor's claim ends with the process, a living one's refuses us.
 * (2) Mode 0600. A file that belongs to somebody else, or is no plain file or DAX device, is
 *     refused. An existing file is never shortened, lengthened or written here.
 * (3) What lives in memory is no persistent memory: a file system there is refused for that.
 * (4) A file that is cut while it is in use does not end the process: port.lost is set, and what
 * was there is zeros.
 */
#ifndef ARRAYWRIGHT_HOST_MEDIUM_FILE_H
#define ARRAYWRIGHT_HOST_MEDIUM_FILE_H

#include "base/attrs.h"
#include "port/memory_port.h"

#define MEDIUM_FILE_TEXT_BYTES 512u

struct medium_file;

/* size_bytes: of a file that has to be made; an existing one must have it. On an error text says
 * what is wrong: -EWOULDBLOCK: held by another process, -ERANGE: another size, -EPERM, -errno. */
MUST_CHECK int medium_file_open(const char *path, enum memory_kind kind, uint64_t size_bytes,
                                struct medium_file **ret_medium, char text[MEDIUM_FILE_TEXT_BYTES]);
/* (3) Is it on a file system that keeps nothing without power? */
bool medium_file_system_is_memory(int fd);
struct medium_file *medium_file_close(struct medium_file *medium);
struct memory_port *medium_file_port(struct medium_file *medium);
/* Stores reach persistent memory by the processor alone; else each waits for the file system. */
bool medium_file_is_direct(const struct medium_file *medium);
/* Cannot be paged out. */
bool medium_file_is_locked(const struct medium_file *medium);

#endif
