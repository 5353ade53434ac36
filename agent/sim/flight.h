/*
 * Requests of a simulated life that are in the air: filled by the model of their virtual drive, and
 * judged by it when they are answered. Who lives chooses what they ask for, and whether an answer
 * counts.
 */
#ifndef ARRAYWRIGHT_SIM_FLIGHT_H
#define ARRAYWRIGHT_SIM_FLIGHT_H

#include "model.h"
#include "vd/vd_request.h"

#define FLIGHTS_MAX 12u

struct flights;

struct flight {
    struct vd_request request;
    struct flights *all;
    struct model *model;
    uint32_t vd;
    uint64_t block;
    uint64_t count;
    uint32_t version;
    uint8_t *buffer;
    uint32_t *before; /* reads: floors; flushes: acked; as they were at submission */
    bool open;        /* if not, it has been answered before */
    bool told;        /* what was lost of its range was known, when a write to it began */
};

struct flights {
    struct flight flights[FLIGHTS_MAX];
    uint32_t limit; /* so many at a time */
    uint32_t open;
    /* Then the flight is over. */
    void (*answered)(void *owner, struct flight *flight, enum vd_status status);
    void *owner;
};

void flights_init(struct flights *flights, uint32_t limit,
                  void (*answered)(void *owner, struct flight *flight, enum vd_status status),
                  void *owner);
/* NULL if as many as may be are in the air. */
struct flight *flight_new(struct flights *flights);
/* Operation, FUA, lending and, but for a flush, the range are chosen: the rest is made here. */
void flight_prepare(struct flight *flight, struct model *model);
bool flight_writes(const struct flight *flight);
/* A read has been answered well: what is wrong with what it returned, or NULL. */
const char *flight_read_check(struct flight *flight, bool pin);
/* Anything else has. stable: what has been written is on stable storage without a flush. */
void flight_acked(struct flight *flight, bool stable);

#endif
