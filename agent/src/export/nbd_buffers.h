/*
 * Memory for the data of requests: one arena, shared by all connections of a server.
 *
 * (1) Buffers come in powers of two from 4 KiB to 32 MiB, aligned to 4096. All of them lie in
 *     an arena that is allocated once: taking one never allocates, and clients together never
 *     hold more than the arena.
 * (2) Who finds no room waits its turn. While somebody waits only the first in line may take:
 *     so a large request is not starved by small ones, because what is given back is kept for
 *     it until neighbors have grown together.
 * (3) Memory lent to a virtual drive may stay with it: the arena outlives its connections and its
 *     server then.
 * (4) A free block and its buddy are never both free at the same size.
 * (5) A few small blocks that come back stay ready, unmerged: the next request usually has the same
 *     size. They are merged when a request finds no room.
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_BUFFERS_H
#define ARRAYWRIGHT_EXPORT_NBD_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/list.h"
#include "vd/vd_request.h"

#define NBD_BUFFER_CLASSES 14u /* 4 KiB << 0 ... 4 KiB << 13 = 32 MiB */
#define NBD_BUFFER_MAX_BYTES (UINT64_C(32) << 20)
#define NBD_READY_CLASSES 7u /* up to 256 KiB */
#define NBD_READY_MAX 8u     /* of each: 4 MiB together */

/* In line for memory; of one session. */
struct nbd_buffer_waiter {
    struct list link;
    /* The first in line should try again: room may be there now. */
    void (*ready)(struct nbd_buffer_waiter *waiter);
};

struct nbd_buffers {
    uint8_t *arena;
    uint8_t *tags; /* of each 4 KiB: what begins there */
    uint64_t arena_bytes;
    uint64_t taken_bytes;
    struct list free_lists[NBD_BUFFER_CLASSES]; /* nodes lie in the free blocks */
    uint8_t *ready[NBD_READY_CLASSES][NBD_READY_MAX];
    uint32_t ready_counts[NBD_READY_CLASSES];
    struct list waiters;
    struct vd_lender lender; /* lends what was taken: it comes back by itself */
    bool retired;            /* to be freed with the last buffer that comes back */
};

/* The size is rounded down to a multiple of 32 MiB and is at least that. -ENOMEM. */
MUST_CHECK int nbd_buffers_init(struct nbd_buffers *buffers, uint64_t arena_bytes);
/* The same in memory of its own, to be left to nbd_buffers_retire(). */
MUST_CHECK int nbd_buffers_create(uint64_t arena_bytes, struct nbd_buffers **ret_buffers);
/* Nobody takes or waits any more. Frees it, at once or when the last lent buffer has come back.
 * Accepts NULL, returns NULL. */
struct nbd_buffers *nbd_buffers_retire(struct nbd_buffers *buffers);
/* Every buffer must have been given back, and nobody wait. */
void nbd_buffers_done(struct nbd_buffers *buffers);
/* What a buffer of this length really takes. 0 < length <= 32 MiB. */
size_t nbd_buffer_round(size_t length_bytes);

/* Whether this waiter could take a buffer now. If not, it is in line afterwards. */
MUST_CHECK bool nbd_buffer_ask(struct nbd_buffers *buffers, size_t length_bytes,
                               struct nbd_buffer_waiter *waiter);
/* After nbd_buffer_ask() said yes. The contents are whatever they were. */
uint8_t *nbd_buffer_take(struct nbd_buffers *buffers, size_t length_bytes);
void nbd_buffer_give(struct nbd_buffers *buffers, uint8_t *buffer, size_t length_bytes);
/* Leaves the line, if it stands in it. */
void nbd_buffer_give_up(struct nbd_buffers *buffers, struct nbd_buffer_waiter *waiter);

#endif
