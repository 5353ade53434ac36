/*
 * A store_port over the agent's state directory.
 *
 * (1) A record is a file "r-<name>": 16 bytes of header (magic, version, length, CRC-32C)
 *     and the value. It is replaced by writing "t-<name>", fsync, rename, fsync of the
 *     directory: after a crash the old or the new value is there.
 * (2) Puts run in the work pool under one key, so they complete in the order submitted.
 * (3) The directory belongs to one process: its descriptor holds a lasting flock. It is
 *     readable by its owner only.
 */
#ifndef ARRAYWRIGHT_HOST_STATE_STORE_H
#define ARRAYWRIGHT_HOST_STATE_STORE_H

#include "base/attrs.h"
#include "host/work_pool.h"
#include "port/store_port.h"

#define STATE_STORE_TEXT_BYTES 320u

struct state_store;

/*
 * Creates the directory if it is missing (its parent must exist), makes it private, locks
 * it and removes what an interrupted put left. On failure text says why in a sentence;
 * -EBUSY: another process has it.
 */
MUST_CHECK int state_store_open(struct work_pool *pool, const char *directory,
                                struct state_store **ret_store, char text[STATE_STORE_TEXT_BYTES]);
/* No put may be outstanding. Accepts NULL, returns NULL. */
struct state_store *state_store_close(struct state_store *store);

struct store_port *state_store_port(struct state_store *store);
/* The directory's descriptor, for files that live beside the records (event log). */
int state_store_directory_fd(const struct state_store *store);

/* Renames what is no good to FILE.bad, or FILE.bad2 and so on, and keeps it for whoever wants to
 * look. 0 or a negative errno; -EEXIST: there are too many already. */
MUST_CHECK int state_store_set_aside(int directory_fd, const char *file);

#endif
