/*
 * A controller of the lab: what the arrays on it share. Bus, engine, parity engine and processor
 * carry the requests of all of them one after the other, the drives of all of them sit behind its
 * expander, and its cache, if it has one, is theirs in common, as in the engine that serves hosts.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_CONTROLLER_H
#define ARRAYWRIGHT_LAB_LAB_CONTROLLER_H

#include "base/attrs.h"
#include "ctl/profile.h"
#include "emulate/rate_pipe.h"
#include "lab/lab_clock.h"
#include "port/memory_port.h"

#define LAB_TEXT_BYTES 256u

struct cache;
struct cache_mover;
struct intents;

struct lab_controller_setup {
    struct controller_ceilings ceilings;
    uint64_t cache_bytes;          /* 0: no cache */
    uint32_t destage_rows;         /* on their way to the drives at a time; 0: the engine's */
    uint64_t expander_bytes_per_s; /* shared by all drives; 0: there is none */
};

struct lab_controller {
    struct controller_ceilings ceilings;
    bool has_ceilings;
    struct rate_pipe bus_in, bus_out, engine_in, engine_out, parity, expander;
    uint64_t command_ns;     /* its processor is free again */
    struct memory_port memory;
    uint64_t content_offset; /* of the first block's in memory */
    struct cache *cache;     /* NULL: none; nor have they what follows */
    struct cache_mover *mover;
    struct intents *intents;
};

/* 0, or a negative errno with a sentence in text. */
MUST_CHECK int lab_controller_create(const struct lab_controller_setup *setup,
                                     struct lab_clock *clock,
                                     struct lab_controller **ret_controller,
                                     char text[LAB_TEXT_BYTES]);
/* Its arrays are freed. NULL is allowed. */
struct lab_controller *lab_controller_free(struct lab_controller *controller);

#endif
