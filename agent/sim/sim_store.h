/*
 * A simulated store_port: named records in memory, put with a random latency and durable
 * when the put completes. At a power cut the puts in flight are done in order up to a
 * random one; the others are lost.
 */
#ifndef ARRAYWRIGHT_SIM_STORE_H
#define ARRAYWRIGHT_SIM_STORE_H

#include "port/store_port.h"
#include "sim_world.h"

struct sim_store {
    struct store_port port;
    struct sim_world *world;
    struct list world_link;
    struct list records;
    struct list puts;      /* in order of submission */
    uint64_t put_count;
    uint64_t last_done_us; /* puts complete in order */
    uint32_t latency_max_us; /* default 300, and 20 besides */
    int fail_with;         /* every put answers this until it is 0 again */
    const char *fail_name; /* … of this record; NULL: of any */
    int get_fails_with;        /* what every read of this record answers until it is 0 again */
    const char *get_fail_name; /* … whose name begins so */
    bool fails_done; /* … though what was put is there, as after a directory's failed sync */
};

struct sim_store *sim_store_create(struct sim_world *world);
void sim_store_destroy(struct sim_store *store);
struct store_port *sim_store_port(struct sim_store *store);
/* Of all records. */
uint64_t sim_store_hash(const struct sim_store *store);
/* All records are gone, as with the host they were on. */
void sim_store_forget(struct sim_store *store);
/* Every value of this name that a power cut now may leave: the record's, and those being put. */
void sim_store_each(const struct sim_store *store, const char *name,
                    void (*visit)(void *context, const void *value, size_t value_bytes),
                    void *context);
/* A store of another world with what a power cut now would leave of this one. */
struct sim_store *sim_store_fork(const struct sim_store *store, struct sim_world *world);
/* For sim_world. */
void sim_store_cut(struct sim_store *store);

#endif
