/*
 * A batch of write intents in the stripe log of a drive group (vd/stripe_log.h), as it lies on
 * the members' private areas. Hostile bytes when read.
 *
 *   0  magic "AWSTRLOG"      8  version     12  CRC-32C of the batch, itself as zero
 *  16  drive group 24       40  incarnation 48  sequence      56  tail
 *  64  bytes in all         68  intents     72  zero
 *  96  intents, one after the other: virtual drive 24, generation 8, row 8, slice 4, lo 4, hi 4,
 *      parts 4, then for each part places 4, parity 2, escapes 2
 *   …  zero to the next multiple of 4096, then the bytes of all parts in the same order
 *
 * What a user writes must not be taken for a batch: of a block of 4096 payload bytes that begins
 * with the magic the first byte is inverted, and its bit in `escapes` is set.
 */
#ifndef ARRAYWRIGHT_META_STRIPE_BATCH_H
#define ARRAYWRIGHT_META_STRIPE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "raid/intent_log.h"

#define STRIPE_BATCH_ALIGN 4096u
#define STRIPE_BATCH_INTENTS_MAX 32u
/* The longest intent has a whole slice of every member of a span. */
#define STRIPE_BATCH_PAYLOAD_MAX (2u * 1024u * 1024u)
#define STRIPE_BATCH_HEAD_MAX (12u * 1024u)
#define STRIPE_BATCH_MAX_BYTES (STRIPE_BATCH_HEAD_MAX + STRIPE_BATCH_PAYLOAD_MAX)

struct stripe_batch {
    struct guid group;
    uint64_t incarnation; /* of the log: batches of an older one are void */
    uint64_t sequence;    /* from 1 in each incarnation, without gaps */
    uint64_t tail;        /* batches before that are released */
    uint32_t bytes;       /* in all, a multiple of STRIPE_BATCH_ALIGN */
    uint32_t intent_count;
};

/* How much of a batch an intent takes: its entry in the head, and its payload. */
size_t stripe_batch_entry_bytes(const struct intent *intent);
size_t stripe_batch_payload_bytes(const struct intent *intent);
/* head_bytes: entries of all intents. */
size_t stripe_batch_bytes(size_t entries_bytes, size_t payload_bytes);

/* Copies the intents' parts; sets batch->bytes. out has room for stripe_batch_bytes(). */
void stripe_batch_encode(struct stripe_batch *batch, const struct intent *const *intents,
                         uint8_t *out);
/* The first 4096 bytes: 0 if they may begin a batch (then bytes is in range), or -EBADMSG. */
MUST_CHECK int stripe_batch_peek(const uint8_t *in, struct stripe_batch *ret_batch);
/* All bytes of a batch that peek took for one: the CRC and the lengths. 0 or -EBADMSG. */
MUST_CHECK int stripe_batch_check(const uint8_t *in, const struct stripe_batch *batch);
/* Intent number `index` of a checked batch; its parts point into the bytes, which are made what
 * they were. */
void stripe_batch_intent(uint8_t *in, const struct stripe_batch *batch, uint32_t index,
                         struct intent *ret_intent);

#endif
