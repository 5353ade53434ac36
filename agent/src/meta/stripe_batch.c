/*
 * Encoding of a batch of intents (stripe_batch.h). The reader proves lengths before it reads.
 */
#include "meta/stripe_batch.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"
#include "raid/plan.h"

#define BATCH_VERSION 1u
#define CRC_OFFSET 12u
#define ENTRIES_OFFSET 96u
#define ENTRY_BYTES 56u
#define PART_BYTES 8u

static const uint8_t batch_magic[8] = "AWSTRLOG";

STATIC_ASSERT(ENTRIES_OFFSET + STRIPE_BATCH_INTENTS_MAX *
                                   (ENTRY_BYTES + RAID_SPAN_MEMBERS_MAX * PART_BYTES) <=
                  STRIPE_BATCH_HEAD_MAX,
              "the largest head fits");
STATIC_ASSERT(RAID_SPAN_MEMBERS_MAX *SLICE_MAX_BYTES <= STRIPE_BATCH_PAYLOAD_MAX,
              "the longest intent fits");

size_t stripe_batch_entry_bytes(const struct intent *intent)
{
    return ENTRY_BYTES + (size_t)intent->part_count * PART_BYTES;
}

size_t stripe_batch_payload_bytes(const struct intent *intent)
{
    return (size_t)(intent->hi - intent->lo) * intent->part_count;
}

static size_t head_bytes(size_t entries_bytes)
{
    return align_up_u64(ENTRIES_OFFSET + entries_bytes, STRIPE_BATCH_ALIGN);
}

size_t stripe_batch_bytes(size_t entries_bytes, size_t payload_bytes)
{
    return head_bytes(entries_bytes) + payload_bytes;
}

/* The CRC is taken with its own four bytes as zeros. */
static uint32_t batch_crc(const uint8_t *bytes, size_t length)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, bytes, CRC_OFFSET);

    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, bytes + CRC_OFFSET + 4, length - CRC_OFFSET - 4);
}

/* Copies the bytes of a part; the bits of the blocks that had to be escaped. */
static uint32_t payload_encode(const uint8_t *bytes, size_t length, uint8_t *out)
{
    uint32_t escapes = 0;

    STATIC_ASSERT(SLICE_MAX_BYTES / STRIPE_BATCH_ALIGN <= 16, "bits of escapes");
    memcpy(out, bytes, length);
    for (size_t at = 0; at < length; at += STRIPE_BATCH_ALIGN) {
        if (memcmp(out + at, batch_magic, sizeof(batch_magic)) == 0) {
            out[at] ^= 0xff;
            escapes |= UINT32_C(1) << (at / STRIPE_BATCH_ALIGN);
        }
    }
    return escapes;
}

static void payload_restore(uint8_t *bytes, size_t length, uint32_t escapes)
{
    for (size_t at = 0; at < length; at += STRIPE_BATCH_ALIGN) {
        if ((escapes & (UINT32_C(1) << (at / STRIPE_BATCH_ALIGN))) != 0) {
            bytes[at] = batch_magic[0];
        }
    }
}

/* payload: where the parts go. */
static uint8_t *entry_encode(const struct intent *intent, uint8_t *out, uint8_t *payload)
{
    size_t length = intent->hi - intent->lo;

    memcpy(out, intent->vd.bytes, 24);
    put_le64(out + 24, intent->generation);
    put_le64(out + 32, intent->row);
    put_le32(out + 40, intent->slice);
    put_le32(out + 44, intent->lo);
    put_le32(out + 48, intent->hi);
    put_le32(out + 52, intent->part_count);
    out += ENTRY_BYTES;
    for (uint32_t i = 0; i < intent->part_count; i++, out += PART_BYTES) {
        uint32_t escapes = payload_encode(intent->parts[i].bytes, length, payload + i * length);

        put_le32(out, intent->parts[i].places);
        put_le32(out + 4, (intent->parts[i].parity ? 1u : 0u) | escapes << 16);
    }
    return out;
}

void stripe_batch_encode(struct stripe_batch *batch, const struct intent *const *intents,
                         uint8_t *out)
{
    uint8_t *entry = out + ENTRIES_OFFSET;
    size_t entries = 0;
    size_t at = 0;

    ASSERT(batch->intent_count <= STRIPE_BATCH_INTENTS_MAX);
    for (uint32_t i = 0; i < batch->intent_count; i++) {
        entries += stripe_batch_entry_bytes(intents[i]);
    }
    at = head_bytes(entries);
    memset(out, 0, at);
    memcpy(out, batch_magic, sizeof(batch_magic));
    put_le32(out + 8, BATCH_VERSION);
    memcpy(out + 16, batch->group.bytes, 24);
    put_le64(out + 40, batch->incarnation);
    put_le64(out + 48, batch->sequence);
    put_le64(out + 56, batch->tail);
    put_le32(out + 68, batch->intent_count);
    for (uint32_t i = 0; i < batch->intent_count; i++) {
        entry = entry_encode(intents[i], entry, out + at);
        at += stripe_batch_payload_bytes(intents[i]);
    }
    ASSERT(at <= STRIPE_BATCH_MAX_BYTES && is_aligned_u64(at, STRIPE_BATCH_ALIGN));
    batch->bytes = (uint32_t)at;
    put_le32(out + 64, batch->bytes);
    put_le32(out + CRC_OFFSET, batch_crc(out, at));
}

int stripe_batch_peek(const uint8_t *in, struct stripe_batch *ret_batch)
{
    if (memcmp(in, batch_magic, sizeof(batch_magic)) != 0 || get_le32(in + 8) != BATCH_VERSION) {
        return -EBADMSG;
    }
    memcpy(ret_batch->group.bytes, in + 16, 24);
    ret_batch->incarnation = get_le64(in + 40);
    ret_batch->sequence = get_le64(in + 48);
    ret_batch->tail = get_le64(in + 56);
    ret_batch->bytes = get_le32(in + 64);
    ret_batch->intent_count = get_le32(in + 68);
    if (ret_batch->bytes < STRIPE_BATCH_ALIGN || ret_batch->bytes > STRIPE_BATCH_MAX_BYTES ||
        !is_aligned_u64(ret_batch->bytes, STRIPE_BATCH_ALIGN) ||
        ret_batch->intent_count > STRIPE_BATCH_INTENTS_MAX || ret_batch->sequence == 0 ||
        ret_batch->tail > ret_batch->sequence) {
        return -EBADMSG;
    }
    return 0;
}

/* Do the entries and the payload they speak of lie inside the batch? */
static bool entries_fit(const uint8_t *in, const struct stripe_batch *batch)
{
    size_t at = ENTRIES_OFFSET;
    size_t payload = 0;

    for (uint32_t i = 0; i < batch->intent_count; i++) {
        uint32_t lo = 0;
        uint32_t hi = 0;
        uint32_t parts = 0;

        if (at + ENTRY_BYTES > min_u64(batch->bytes, STRIPE_BATCH_HEAD_MAX)) {
            return false;
        }
        lo = get_le32(in + at + 44);
        hi = get_le32(in + at + 48);
        parts = get_le32(in + at + 52);
        if (lo >= hi || hi - lo > SLICE_MAX_BYTES || parts > RAID_SPAN_MEMBERS_MAX) {
            return false;
        }
        at += ENTRY_BYTES + (size_t)parts * PART_BYTES;
        payload += (size_t)(hi - lo) * parts;
    }
    return stripe_batch_bytes(at - ENTRIES_OFFSET, payload) == batch->bytes;
}

int stripe_batch_check(const uint8_t *in, const struct stripe_batch *batch)
{
    if (get_le32(in + CRC_OFFSET) != batch_crc(in, batch->bytes) || !entries_fit(in, batch)) {
        return -EBADMSG;
    }
    return 0;
}

static const uint8_t *entry_decode(const uint8_t *in, struct intent *intent,
                                   uint32_t escapes[RAID_SPAN_MEMBERS_MAX])
{
    memset(intent, 0, sizeof(*intent));
    memcpy(intent->vd.bytes, in, 24);
    intent->generation = get_le64(in + 24);
    intent->row = get_le64(in + 32);
    intent->slice = get_le32(in + 40);
    intent->lo = get_le32(in + 44);
    intent->hi = get_le32(in + 48);
    intent->part_count = get_le32(in + 52);
    in += ENTRY_BYTES;
    for (uint32_t i = 0; i < intent->part_count; i++, in += PART_BYTES) {
        intent->parts[i].places = get_le32(in);
        intent->parts[i].parity = (get_le32(in + 4) & 1) != 0;
        escapes[i] = get_le32(in + 4) >> 16;
    }
    return in;
}

void stripe_batch_intent(uint8_t *in, const struct stripe_batch *batch, uint32_t index,
                         struct intent *ret_intent)
{
    const uint8_t *entry = in + ENTRIES_OFFSET;
    struct intent each;
    uint32_t all_escapes[RAID_SPAN_MEMBERS_MAX];
    uint32_t escapes[RAID_SPAN_MEMBERS_MAX] = {0};
    size_t payload = 0;
    size_t before = 0;

    ASSERT(index < batch->intent_count);
    for (uint32_t i = 0; i < batch->intent_count; i++) {
        entry = entry_decode(entry, &each, all_escapes);
        before = i == index ? payload : before;
        payload += stripe_batch_payload_bytes(&each);
        if (i == index) {
            *ret_intent = each;
            memcpy(escapes, all_escapes, each.part_count * sizeof(escapes[0]));
        }
    }
    before += batch->bytes - payload;
    for (uint32_t i = 0; i < ret_intent->part_count; i++) {
        payload_restore(in + before, ret_intent->hi - ret_intent->lo, escapes[i]);
        ret_intent->parts[i].bytes = in + before;
        before += ret_intent->hi - ret_intent->lo;
    }
}
