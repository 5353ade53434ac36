/*
 * Something that carries so many bytes a second, one transfer after the other: a link, an
 * expander, a bus, an engine. Pure.
 */
#ifndef ARRAYWRIGHT_EMULATE_RATE_PIPE_H
#define ARRAYWRIGHT_EMULATE_RATE_PIPE_H

#include <stddef.h>
#include <stdint.h>

struct rate_pipe {
    uint64_t bytes_per_s; /* 0: no limit */
    uint64_t free_ns;     /* everything it was given has passed */
};

/* What transfers of drives pass besides each drive's own link. NULL: nothing. */
struct shared_ways {
    struct rate_pipe *expander;
    /* Those of background tasks only: engines of the controller, which requests of users pass on
     * the host's side. */
    struct rate_pipe *background_read, *background_parity, *background_write;
};

/* Nanoseconds that so many bytes take; exact for transfers up to 16 GiB. */
static inline uint64_t rate_ns(uint64_t bytes, uint64_t bytes_per_s)
{
    return bytes_per_s == 0 ? 0 : bytes * UINT64_C(1000000000) / bytes_per_s;
}

/* When bytes that are there at from_ns have passed. */
static inline uint64_t rate_pipe_pass(struct rate_pipe *pipe, uint64_t from_ns, uint64_t bytes)
{
    uint64_t begin_ns = from_ns > pipe->free_ns ? from_ns : pipe->free_ns;

    if (pipe->bytes_per_s == 0) {
        return from_ns;
    }
    pipe->free_ns = begin_ns + rate_ns(bytes, pipe->bytes_per_s);
    return pipe->free_ns;
}

/* The same of a way that may not be there. */
static inline uint64_t rate_way_pass(struct rate_pipe *way, uint64_t from_ns, uint64_t bytes)
{
    return way != NULL ? rate_pipe_pass(way, from_ns, bytes) : from_ns;
}

#endif
