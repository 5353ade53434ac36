/*
 * A UPS as the source of a battery: asked at an interval from the work pool, one question at a
 * time; what it says, or that it says nothing, goes to `reading` on the loop.
 */
#ifndef ARRAYWRIGHT_HOST_UPS_H
#define ARRAYWRIGHT_HOST_UPS_H

#include "host/loop.h"
#include "host/ups_client.h"
#include "host/work_pool.h"

struct ups_options {
    struct ups_address address;
    char source[128];        /* for people */
    uint32_t poll_ms;
    uint32_t deadline_ms;    /* of one question */
    uint32_t low_runtime_s;  /* if the UPS does not say */
    void (*reading)(void *owner, const struct battery_reading *reading);
    void *owner;
};

struct ups;

/* Asks at once. */
MUST_CHECK int ups_open(struct loop *loop, struct work_pool *pool,
                        const struct ups_options *options, struct ups **ret_ups);
/* No reading comes any more. */
void ups_stop(struct ups *ups);
/* After ups_stop() and the pool's end. Accepts NULL, returns NULL. */
struct ups *ups_free(struct ups *ups);

#endif
