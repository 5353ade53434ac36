/*
 * What lies between a host and its arrays: the ceilings of the controllers (bus, engine, parity
 * engine, one reader's window), and a stripe of the host over several controllers.
 *
 * A write passes bus, engine and parity engine before the array has it, a read bus and engine
 * after the array has answered; each carries one transfer after the other. No ceiling, no delay.
 * Before all of it a request is on its way through the host for a while, whoever else is.
 * Quirks of the model's firmware (lab_quirk.h) come before all of that.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_FRONT_H
#define ARRAYWRIGHT_LAB_LAB_FRONT_H

#include "lab/lab_array.h"
#include "lab/lab_quirk.h"
#include "task/load.h"

#define LAB_CONTROLLERS_MAX 4u
#define LAB_DEPTH_MAX LOAD_DEPTH_MAX

struct lab_front_setup {
    struct controller_ceilings ceilings; /* of each controller */
    uint32_t controller_count;           /* one array on each */
    uint32_t host_strip_bytes;           /* with more than one */
    uint32_t request_us;                 /* a request's way through the host, both directions */
    uint32_t parity_count;               /* of the level: what the parity engine makes */
    struct lab_quirk_place place;
    uint32_t quirk_count;                /* those asked for */
    struct controller_quirk quirks[PROFILE_QUIRKS_MAX];
};

struct lab_front;

struct lab_request {
    bool is_write;
    uint64_t offset_bytes;
    uint32_t length_bytes;
    void (*complete)(struct lab_request *request);
    uint64_t submitted_us;
    bool failed;                         /* the array has refused it, or a part of it */
    /* Private to the front. */
    uint32_t parts;
};

/* buffer: room for the longest request; every request uses it. 0 or -ENOMEM. */
MUST_CHECK int lab_front_create(const struct lab_front_setup *setup, struct lab_clock *clock,
                                struct lab_array *const *arrays, uint8_t *buffer,
                                struct lab_front **ret_front);
struct lab_front *lab_front_free(struct lab_front *front);
uint64_t lab_front_size_bytes(const struct lab_front *front);
/* At most LAB_DEPTH_MAX at a time. complete() is never called from inside. */
void lab_front_submit(struct lab_front *front, struct lab_request *request);

#endif
