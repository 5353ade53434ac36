/*
 * The seam to the host's own durable memory (the agent's state directory).
 *
 * Named records, each replaced as a whole: after a put has completed with 0 the new
 * value survives power loss; after a crash in between, the old or the new value is
 * found, never a mixture. Puts complete in the order they were submitted.
 *
 * get() may block and is therefore only called before the controller goes online.
 * Record names match [a-z0-9._-]{1,96}.
 */
#ifndef ARRAYWRIGHT_PORT_STORE_PORT_H
#define ARRAYWRIGHT_PORT_STORE_PORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/list.h"

#define STORE_NAME_MAX 96u
#define STORE_VALUE_MAX_BYTES (1024u * 1024u)

struct store_request {
    char name[STORE_NAME_MAX + 1];
    const void *value; /* NULL removes the record; stays with the caller until complete() */
    size_t value_bytes;
    /* error is 0 or a negative errno (-ENOSPC for a full state directory). Never called
     * from inside put(). */
    void (*complete)(struct store_request *request, int error);
    struct list port_link;
    void *owner;
};

struct store_port;

struct store_port_ops {
    void (*put)(struct store_port *port, struct store_request *request);
    /* Copies at most capacity bytes; returns 0, -ENOENT, -EMSGSIZE or another -errno. */
    int (*get)(struct store_port *port, const char *name, void *value, size_t capacity,
               size_t *ret_bytes);
};

struct store_port {
    const struct store_port_ops *ops;
    int last_error; /* with which the last put was answered; set before complete() is called */
};

#endif
