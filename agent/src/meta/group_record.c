/*
 * Encoding of a group record. Every byte goes through bytes.h; every enum's number on disk
 * is pinned here, so that words may be added to the protocol without touching old records.
 *
 * Order of the reader: length, magic, CRC, version, counts against length, fields, and
 * last the meaning (group_config_check).
 */
#include "meta/group_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "meta/bad_blocks.h"
#include "meta/config_check.h"
#include "meta/group_store.h"

/*
 * The version is 1 and what the record has besides, as bits: no earlier reader takes a member of
 * a stripe for a plain drive, or a member being exchanged for one at rest, or writes maps where a
 * compact group has its data.
 */
#define RECORD_VERSION 1u
#define RECORD_STRIPED 1u
#define RECORD_COPYBACK 2u
#define RECORD_COMPACT 4u
#define RECORD_SECTORS 8u /* bad blocks are counted in 512 bytes, else in 4096 */
#define RECORD_VERSION_MAX                                                                         \
    (RECORD_VERSION + (RECORD_STRIPED | RECORD_COPYBACK | RECORD_COMPACT | RECORD_SECTORS))

static const uint8_t record_magic[8] = "AWGROUP1";

STATIC_ASSERT(GROUP_RECORD_HEAD_BYTES + GROUP_MEMBERS_MAX * GROUP_RECORD_MEMBER_BYTES +
                      GROUP_VDS_MAX * GROUP_RECORD_VD_STRIPED_BYTES +
                      BAD_BLOCKS_MAX * GROUP_RECORD_BAD_BYTES + GROUP_RECORD_COPYBACK_BYTES <=
                  GROUP_RECORD_MAX_BYTES,
              "the largest group fits");
STATIC_ASSERT(RAID_LEVEL_0 == 0 && RAID_LEVEL_1 == 1 && RAID_LEVEL_5 == 2 && RAID_LEVEL_6 == 3 &&
                  RAID_LEVEL_10 == 4 && RAID_LEVEL_50 == 5 && RAID_LEVEL_60 == 6 &&
                  RAID_LEVEL_1E == 7,
              "numbers on disk");
STATIC_ASSERT(MEMBER_ONLINE == 0 && MEMBER_REBUILD == 1 && MEMBER_FAILED == 2 &&
                  MEMBER_MISSING == 3 && MEMBER_OFFLINE == 4,
              "numbers on disk");
STATIC_ASSERT(WRITE_POLICY_WRITE_THROUGH == 0 && WRITE_POLICY_WRITE_BACK == 1 &&
                  WRITE_POLICY_ALWAYS_WRITE_BACK == 2,
              "numbers on disk");
STATIC_ASSERT(READ_POLICY_NO_READ_AHEAD == 0 && READ_POLICY_READ_AHEAD == 1 &&
                  READ_POLICY_ADAPTIVE_READ_AHEAD == 2,
              "numbers on disk");
STATIC_ASSERT(IO_POLICY_DIRECT == 0 && IO_POLICY_CACHED == 1, "numbers on disk");
STATIC_ASSERT(DRIVE_CACHE_POLICY_DEFAULT == 0 && DRIVE_CACHE_POLICY_ON == 1 &&
                  DRIVE_CACHE_POLICY_OFF == 2,
              "numbers on disk");
STATIC_ASSERT(STRIPE_LOG_MODE_AUTO == 0 && STRIPE_LOG_MODE_ON == 1 && STRIPE_LOG_MODE_OFF == 2,
              "numbers on disk");
STATIC_ASSERT(ACCESS_POLICY_READ_WRITE == 0 && ACCESS_POLICY_READ_ONLY == 1 &&
                  ACCESS_POLICY_BLOCKED == 2,
              "numbers on disk");

/* The reasons for which a member can be lost; the position is the number on disk. */
static const enum reason_code why_numbers[] = {
    REASON_OK,
    REASON_DRIVE_LOST_PULLED,
    REASON_DRIVE_LOST_WRITE_ERROR,
    REASON_DRIVE_LOST_READ_ERRORS,
    REASON_DRIVE_LOST_TIMEOUT,
    REASON_DRIVE_LOST_FLUSH,
    REASON_DRIVE_LOST_ABSENT,
    REASON_DRIVE_LOST_STALE,
    REASON_DRIVE_LOST_USER,
    REASON_LABEL_FAILED,
    REASON_DRIVE_LOST_ERROR_LIMIT,
    REASON_DRIVE_LOST_FLAPPING,
    REASON_LABEL_LATER,
    REASON_DRIVE_LOST_NO_SPACE,
    REASON_DRIVE_LOST_READ_ONLY,
    REASON_DRIVE_LOST_OVERWRITTEN,
    REASON_DRIVE_OVERWRITTEN_USED,
    REASON_COPYBACK_SOURCE_DONE, /* of drive_losses.c alone */
};
#define WHY_COUNT (sizeof(why_numbers) / sizeof(why_numbers[0]))

/* A reason that no record can carry is kept as "none": it only serves people. */
uint8_t member_why_to_number(enum reason_code why)
{
    for (uint8_t i = 0; i < WHY_COUNT; i++) {
        if (why_numbers[i] == why) {
            return i;
        }
    }
    return 0;
}

bool member_why_of_number(uint8_t number, enum reason_code *ret_why)
{
    if (number >= WHY_COUNT) {
        return false;
    }
    *ret_why = why_numbers[number];
    return true;
}

static void member_encode(const struct member_config *member, uint8_t *out)
{
    memcpy(out, member->drive.bytes, 16);
    memcpy(out + 16, member->serial, strlen(member->serial));
    out[56] = (uint8_t)member->state;
    out[57] = member_why_to_number(member->why);
    if (member->place_known) {
        put_le16(out + 58, (uint16_t)(member->slot + 1u));
        put_le32(out + 60, member->eid);
    }
    put_le64(out + 64, member->rebuilt_bytes);
    put_le64(out + 72, member->known_sequence);
}

static int member_decode(const uint8_t *in, struct member_config *member)
{
    memcpy(member->drive.bytes, in, 16);
    memcpy(member->serial, in + 16, 40);
    member->serial[40] = '\0';
    if (in[56] >= MEMBER_STATE_MAX || !member_why_of_number(in[57], &member->why)) {
        return -EBADMSG;
    }
    member->state = (enum member_state)in[56];
    member->place_known = get_le16(in + 58) != 0; /* slot + 1; records of old have zeros */
    if (member->place_known) {
        member->slot = (uint16_t)(get_le16(in + 58) - 1u);
        member->eid = get_le32(in + 60);
    }
    member->rebuilt_bytes = get_le64(in + 64);
    member->known_sequence = get_le64(in + 72); /* records of old have zeros */
    return 0;
}

#define VD_FLAG_DIRTY 1u
#define VD_FLAG_RESYNC 2u
#define VD_FLAG_MAP_READY 4u
#define VD_FLAG_STRIPE_LOG 8u
#define VD_FLAG_HEDGED_READS 16u
#define VD_FLAG_RESYNC_UNLOGGED 32u
#define VD_FLAG_DEGRADED_THROUGH 64u /* no earlier reader takes it for one that goes on */
#define VD_FLAG_CACHE_LOST 128u
#define VD_FLAGS                                                                                   \
    (VD_FLAG_DIRTY | VD_FLAG_RESYNC | VD_FLAG_MAP_READY | VD_FLAG_STRIPE_LOG |                     \
     VD_FLAG_HEDGED_READS | VD_FLAG_RESYNC_UNLOGGED | VD_FLAG_DEGRADED_THROUGH |                   \
     VD_FLAG_CACHE_LOST)

/* With the bytes that were discarded; zero in records of old. */
#define VD_CACHE_DAMAGED (UINT64_C(1) << 63)

/* Byte 51, zero in records of old: two bits are the mode plus one, the next one is
 * stripe_log_used, the one after it written_degraded. Readers of old see VD_FLAG_STRIPE_LOG alone,
 * which is set while a log may hold something. */
#define VD_LOG_MODE_BITS 3u
#define VD_LOG_USED 4u
#define VD_LOG_DEGRADED 8u

static bool vd_log_counts(const struct vd_config *vd)
{
    return vd->stripe_log == STRIPE_LOG_MODE_ON || vd->stripe_log_used;
}

static void vd_log_encode(const struct vd_config *vd, uint8_t *out)
{
    STATIC_ASSERT(STRIPE_LOG_MODE_MAX <= VD_LOG_MODE_BITS, "a mode plus one fits its bits");
    ASSERT(vd->stripe_log < STRIPE_LOG_MODE_MAX);
    *out = (uint8_t)((vd->stripe_log + 1u) | (vd->stripe_log_used ? VD_LOG_USED : 0u) |
                     (vd->written_degraded ? VD_LOG_DEGRADED : 0u));
}

/* A record of old does not tell a log that was never asked for from one that was switched off: both
 * are automatic now. */
static int vd_log_decode(uint8_t byte, bool flag, struct vd_config *vd)
{
    uint32_t mode = byte & VD_LOG_MODE_BITS;

    if ((byte & ~(VD_LOG_MODE_BITS | VD_LOG_USED | VD_LOG_DEGRADED)) != 0) {
        return -EBADMSG;
    }
    vd->stripe_log = mode != 0 ? (enum stripe_log_mode)(mode - 1u)
                     : flag    ? STRIPE_LOG_MODE_ON
                               : STRIPE_LOG_MODE_AUTO;
    vd->stripe_log_used = mode != 0 ? (byte & VD_LOG_USED) != 0 : flag;
    vd->written_degraded = (byte & VD_LOG_DEGRADED) != 0;
    return 0;
}

static void vd_encode(const struct vd_config *vd, uint8_t *out)
{
    memcpy(out, vd->guid.bytes, 24);
    put_le32(out + 24, vd->target_id);
    memcpy(out + 28, vd->name, strlen(vd->name));
    out[44] = (uint8_t)vd->geometry.level;
    out[45] = (uint8_t)vd->write_policy;
    out[46] = (uint8_t)vd->read_policy;
    out[47] = (uint8_t)vd->io_policy;
    out[48] = (uint8_t)vd->drive_cache_policy;
    out[49] = (uint8_t)vd->access;
    out[50] =
        (uint8_t)((vd->dirty ? VD_FLAG_DIRTY : 0u) | (vd->resync ? VD_FLAG_RESYNC : 0u) |
                  (vd->map_ready ? VD_FLAG_MAP_READY : 0u) |
                  (vd_log_counts(vd) ? VD_FLAG_STRIPE_LOG : 0u) |
                  (vd->hedged_reads ? VD_FLAG_HEDGED_READS : 0u) |
                  (vd->resync_unlogged ? VD_FLAG_RESYNC_UNLOGGED : 0u) |
                  (vd->degraded_policy == DEGRADED_POLICY_WRITE_THROUGH ? VD_FLAG_DEGRADED_THROUGH
                                                                        : 0u) |
                  (vd->cache_lost ? VD_FLAG_CACHE_LOST : 0u));
    vd_log_encode(vd, out + 51);
    put_le32(out + 52, vd->geometry.span_count);
    put_le32(out + 56, vd->geometry.members_per_span);
    put_le32(out + 60, vd->geometry.strip_bytes);
    put_le32(out + 64, vd->geometry.block_bytes);
    put_le64(out + 72, vd->geometry.extent_bytes);
    put_le64(out + 80, vd->extent_start_bytes);
    put_le64(out + 88, vd->size_bytes);
    put_le64(out + 96, vd->created_us);
    put_le64(out + 104, vd->consistent_rows);
    put_le64(out + 112, vd->intent_generation);
    memcpy(out + 144, vd->cache_journal.bytes, 16);
    put_le64(out + 120, vd->map_epoch);
    put_le32(out + 128, vd->map_slot);
    put_le64(out + 136, vd->cache_discarded_bytes | (vd->cache_damaged ? VD_CACHE_DAMAGED : 0u));
    put_le32(out + 68, (uint32_t)vd->journal_stamp); /* where older records have zeros */
    put_le32(out + 132, (uint32_t)(vd->journal_stamp >> 32));
}

static int vd_decode(const uint8_t *in, struct vd_config *vd)
{
    memcpy(vd->guid.bytes, in, 24);
    vd->target_id = get_le32(in + 24);
    memcpy(vd->name, in + 28, VD_NAME_MAX);
    vd->name[VD_NAME_MAX] = '\0';
    if (in[43] != 0 || in[44] >= RAID_LEVEL_MAX || in[45] >= WRITE_POLICY_MAX ||
        in[46] >= READ_POLICY_MAX || in[47] >= IO_POLICY_MAX || in[48] >= DRIVE_CACHE_POLICY_MAX ||
        in[49] >= ACCESS_POLICY_MAX || (in[50] & ~VD_FLAGS) != 0 ||
        vd_log_decode(in[51], (in[50] & VD_FLAG_STRIPE_LOG) != 0, vd) != 0) {
        return -EBADMSG;
    }
    vd->geometry.level = (enum raid_level)in[44];
    vd->write_policy = (enum write_policy)in[45];
    vd->read_policy = (enum read_policy)in[46];
    vd->io_policy = (enum io_policy)in[47];
    vd->drive_cache_policy = (enum drive_cache_policy)in[48];
    vd->access = (enum access_policy)in[49];
    vd->dirty = (in[50] & VD_FLAG_DIRTY) != 0;
    vd->resync = (in[50] & VD_FLAG_RESYNC) != 0;
    vd->resync_unlogged = (in[50] & VD_FLAG_RESYNC_UNLOGGED) != 0;
    vd->degraded_policy = (in[50] & VD_FLAG_DEGRADED_THROUGH) != 0 ? DEGRADED_POLICY_WRITE_THROUGH
                                                                   : DEGRADED_POLICY_KEEP;
    vd->cache_lost = (in[50] & VD_FLAG_CACHE_LOST) != 0;
    vd->map_ready = (in[50] & VD_FLAG_MAP_READY) != 0;
    vd->hedged_reads = (in[50] & VD_FLAG_HEDGED_READS) != 0;
    vd->geometry.span_count = get_le32(in + 52);
    vd->geometry.members_per_span = get_le32(in + 56);
    vd->geometry.strip_bytes = get_le32(in + 60);
    vd->geometry.block_bytes = get_le32(in + 64);
    vd->geometry.extent_bytes = get_le64(in + 72);
    vd->extent_start_bytes = get_le64(in + 80);
    vd->size_bytes = get_le64(in + 88);
    vd->created_us = get_le64(in + 96);
    vd->consistent_rows = get_le64(in + 104);
    vd->intent_generation = get_le64(in + 112);
    memcpy(vd->cache_journal.bytes, in + 144, 16);
    vd->map_epoch = get_le64(in + 120);
    vd->map_slot = get_le32(in + 128);
    vd->cache_discarded_bytes = get_le64(in + 136) & ~VD_CACHE_DAMAGED; /* old ones have zeros */
    vd->cache_damaged = (get_le64(in + 136) & VD_CACHE_DAMAGED) != 0;
    vd->journal_stamp = get_le32(in + 68) | (uint64_t)get_le32(in + 132) << 32;
    return 0;
}

static void stripe_encode(const struct vd_stripe *stripe, uint8_t *out)
{
    memcpy(out, stripe->uuid.bytes, 16);
    memcpy(out + 16, stripe->name, strlen(stripe->name));
    put_le32(out + 32, stripe->position);
    put_le32(out + 36, stripe->count);
    put_le32(out + 40, stripe->strip_bytes);
    put_le64(out + 48, stripe->member_bytes);
}

static int stripe_decode(const uint8_t *in, struct vd_stripe *stripe)
{
    memcpy(stripe->uuid.bytes, in, 16);
    memcpy(stripe->name, in + 16, VD_NAME_MAX);
    stripe->name[VD_NAME_MAX] = '\0';
    if (in[31] != 0) {
        return -EBADMSG;
    }
    stripe->position = get_le32(in + 32);
    stripe->count = get_le32(in + 36);
    stripe->strip_bytes = get_le32(in + 40);
    stripe->member_bytes = get_le64(in + 48);
    return 0;
}

static uint32_t version_of(const struct group_config *config)
{
    uint32_t extras =
        (config->copyback.active ? RECORD_COPYBACK : 0) | (config->compact ? RECORD_COMPACT : 0);

    for (uint32_t i = 0; i < config->bad_count; i++) {
        uint64_t bytes = (uint64_t)config->bad[i].block_count * BAD_BLOCK_BYTES;

        if (((config->bad[i].offset_bytes | bytes) & 4095) != 0) {
            extras |= RECORD_SECTORS;
        }
    }
    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (!uuid_is_zero(&config->vds[i].stripe.uuid)) {
            extras |= RECORD_STRIPED;
        }
    }
    return RECORD_VERSION + extras;
}

static bool version_has(uint32_t version, uint32_t extra)
{
    ASSERT(version >= RECORD_VERSION && version <= RECORD_VERSION_MAX);
    return ((version - RECORD_VERSION) & extra) != 0;
}

static size_t vd_bytes_of(uint32_t version)
{
    return version_has(version, RECORD_STRIPED) ? GROUP_RECORD_VD_STRIPED_BYTES
                                                : GROUP_RECORD_VD_BYTES;
}

static size_t copyback_bytes_of(uint32_t version)
{
    return version_has(version, RECORD_COPYBACK) ? GROUP_RECORD_COPYBACK_BYTES : 0;
}

/* Records that knew of lost blocks only have zero here. */
static const enum bad_block_kind bad_kind_numbers[] = {
    BAD_BLOCK_KIND_LOST,
    BAD_BLOCK_KIND_PUNCTURED,
    BAD_BLOCK_KIND_UNREADABLE,
    BAD_BLOCK_KIND_DOUBTFUL,
};
STATIC_ASSERT(sizeof(bad_kind_numbers) / sizeof(bad_kind_numbers[0]) == BAD_BLOCK_KIND_MAX,
              "every kind has a number on disk");

/* The blocks of 4096 bytes that earlier versions know; 512 where that is not enough. */
static uint32_t bad_unit_bytes(uint32_t version)
{
    return version_has(version, RECORD_SECTORS) ? BAD_BLOCK_BYTES : 4096;
}

static void bad_encode(const struct bad_blocks *range, uint32_t version, uint8_t *out)
{
    put_le16(out, (uint16_t)range->member);
    for (uint8_t i = 0; i < BAD_BLOCK_KIND_MAX; i++) {
        if (bad_kind_numbers[i] == range->kind) {
            out[2] = i;
        }
    }
    put_le32(out + 4,
             (uint32_t)((uint64_t)range->block_count * BAD_BLOCK_BYTES / bad_unit_bytes(version)) -
                 1);
    put_le64(out + 8, range->offset_bytes);
}

static int bad_decode(const uint8_t *in, uint32_t version, struct bad_blocks *range)
{
    uint64_t blocks =
        ((uint64_t)get_le32(in + 4) + 1) * (bad_unit_bytes(version) / BAD_BLOCK_BYTES);

    if (in[2] >= BAD_BLOCK_KIND_MAX || in[3] != 0 || blocks > UINT32_MAX) {
        return -EBADMSG;
    }
    range->member = get_le16(in);
    range->kind = bad_kind_numbers[in[2]];
    range->block_count = (uint32_t)blocks;
    range->offset_bytes = get_le64(in + 8);
    return 0;
}

static int bad_compare(const void *a, const void *b)
{
    const struct bad_blocks *left = a;
    const struct bad_blocks *right = b;

    if (left->member != right->member) {
        return left->member < right->member ? -1 : 1;
    }
    return (left->offset_bytes > right->offset_bytes) - (left->offset_bytes < right->offset_bytes);
}

static size_t record_bytes(uint32_t version, uint32_t member_count, uint32_t vd_count)
{
    ASSERT(member_count <= GROUP_MEMBERS_MAX);
    ASSERT(vd_count <= GROUP_VDS_MAX);
    return GROUP_RECORD_HEAD_BYTES + (size_t)member_count * GROUP_RECORD_MEMBER_BYTES +
           (size_t)vd_count * vd_bytes_of(version);
}

static void copyback_encode(const struct copyback_config *copyback, uint8_t *out)
{
    put_le32(out, copyback->member);
    put_le64(out + 8, copyback->copied_bytes);
    memcpy(out + 16, copyback->drive.bytes, 16);
}

static int copyback_decode(const uint8_t *in, struct copyback_config *copyback)
{
    copyback->active = true;
    copyback->member = get_le32(in);
    copyback->copied_bytes = get_le64(in + 8);
    memcpy(copyback->drive.bytes, in + 16, 16);
    return get_le32(in + 4) == 0 ? 0 : -EBADMSG;
}

/* What is behind the virtual drives and before the copyback: the bad blocks. */
static size_t bad_bytes(uint32_t version, size_t bytes, uint32_t member_count, uint32_t vd_count)
{
    size_t others = record_bytes(version, member_count, vd_count) + copyback_bytes_of(version);

    ASSERT(bytes >= others);
    return bytes - others;
}

/* The CRC is taken with its own four bytes as zeros. */
static uint32_t record_crc(const uint8_t *buffer, size_t bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, buffer, GROUP_RECORD_CRC_OFFSET);

    ASSERT(bytes >= GROUP_RECORD_HEAD_BYTES);
    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, buffer + GROUP_RECORD_CRC_OFFSET + 4, bytes - GROUP_RECORD_CRC_OFFSET - 4);
}

int group_record_encode(const struct group_config *config, uint8_t *buffer, size_t capacity,
                        size_t *ret_bytes)
{
    const char *why = NULL;
    size_t bytes = 0;
    uint8_t *out = buffer + GROUP_RECORD_HEAD_BYTES;
    uint32_t version = RECORD_VERSION;

    if (group_config_check(config, &why) != 0) {
        return -EINVAL;
    }
    version = version_of(config);
    bytes = record_bytes(version, config->member_count, config->vd_count) +
            (size_t)config->bad_count * GROUP_RECORD_BAD_BYTES + copyback_bytes_of(version);
    if (bytes > capacity) {
        return -EMSGSIZE;
    }
    memset(buffer, 0, bytes);
    memcpy(buffer, record_magic, sizeof(record_magic));
    put_le32(buffer + 8, version);
    put_le32(buffer + 12, (uint32_t)bytes);
    put_le32(buffer + 20, config->member_count);
    put_le32(buffer + 24, config->vd_count);
    put_le32(buffer + 28, config->index);
    put_le64(buffer + 32, config->sequence);
    memcpy(buffer + 40, config->guid.bytes, 24);
    for (uint32_t i = 0; i < config->member_count; i++, out += GROUP_RECORD_MEMBER_BYTES) {
        member_encode(&config->members[i], out);
    }
    for (uint32_t i = 0; i < config->vd_count; i++, out += vd_bytes_of(version)) {
        vd_encode(&config->vds[i], out);
        if (version_has(version, RECORD_STRIPED)) {
            stripe_encode(&config->vds[i].stripe, out + GROUP_RECORD_VD_BYTES);
        }
    }
    for (uint32_t i = 0; i < config->bad_count; i++, out += GROUP_RECORD_BAD_BYTES) {
        bad_encode(&config->bad[i], version, out);
    }
    if (config->copyback.active) {
        copyback_encode(&config->copyback, out);
        out += GROUP_RECORD_COPYBACK_BYTES;
    }
    ASSERT(out == buffer + bytes);
    put_le32(buffer + GROUP_RECORD_CRC_OFFSET, record_crc(buffer, bytes));
    *ret_bytes = bytes;
    return 0;
}

uint32_t group_record_sum(const struct group_config *config, uint8_t *buffer)
{
    size_t bytes = 0;

    if (group_record_encode(config, buffer, GROUP_RECORD_MAX_BYTES, &bytes) != 0) {
        return 0;
    }
    return get_le32(buffer + GROUP_RECORD_CRC_OFFSET);
}

/* Length, magic, CRC, version and counts: after this the fields may be read. */
static int record_frame_check(const uint8_t *buffer, size_t bytes)
{
    uint32_t version = 0;
    uint32_t member_count = 0;
    uint32_t vd_count = 0;

    if (bytes < GROUP_RECORD_HEAD_BYTES || bytes > GROUP_RECORD_MAX_BYTES ||
        get_le32(buffer + 12) != bytes) {
        return -EBADMSG;
    }
    version = get_le32(buffer + 8);
    if (memcmp(buffer, record_magic, sizeof(record_magic)) != 0 || version < RECORD_VERSION ||
        get_le32(buffer + GROUP_RECORD_CRC_OFFSET) != record_crc(buffer, bytes)) {
        return -EBADMSG;
    }
    if (version > RECORD_VERSION_MAX) {
        return -EPROTONOSUPPORT;
    }
    member_count = get_le32(buffer + 20);
    vd_count = get_le32(buffer + 24);
    if (member_count == 0 || member_count > GROUP_MEMBERS_MAX || vd_count > GROUP_VDS_MAX ||
        record_bytes(version, member_count, vd_count) + copyback_bytes_of(version) > bytes ||
        bad_bytes(version, bytes, member_count, vd_count) % GROUP_RECORD_BAD_BYTES != 0 ||
        bad_bytes(version, bytes, member_count, vd_count) / GROUP_RECORD_BAD_BYTES >
            BAD_BLOCKS_MAX) {
        return -EBADMSG;
    }
    return 0;
}

static int record_fields_decode(const uint8_t *buffer, size_t bytes, struct group_config *config)
{
    const uint8_t *in = buffer + GROUP_RECORD_HEAD_BYTES;
    uint32_t version = get_le32(buffer + 8);
    const char *why = NULL;

    config->member_count = get_le32(buffer + 20);
    config->vd_count = get_le32(buffer + 24);
    config->index = get_le32(buffer + 28);
    config->compact = version_has(version, RECORD_COMPACT);
    config->sequence = get_le64(buffer + 32);
    memcpy(config->guid.bytes, buffer + 40, 24);
    for (uint32_t i = 0; i < config->member_count; i++, in += GROUP_RECORD_MEMBER_BYTES) {
        if (member_decode(in, &config->members[i]) != 0) {
            return -EBADMSG;
        }
    }
    for (uint32_t i = 0; i < config->vd_count; i++, in += vd_bytes_of(version)) {
        if (vd_decode(in, &config->vds[i]) != 0 ||
            (version_has(version, RECORD_STRIPED) &&
             stripe_decode(in + GROUP_RECORD_VD_BYTES, &config->vds[i].stripe) != 0)) {
            return -EBADMSG;
        }
    }
    config->bad_count =
        (uint32_t)(bad_bytes(version, bytes, config->member_count, config->vd_count) /
                   GROUP_RECORD_BAD_BYTES);
    for (uint32_t i = 0; i < config->bad_count; i++, in += GROUP_RECORD_BAD_BYTES) {
        if (bad_decode(in, version, &config->bad[i]) != 0) {
            return -EBADMSG;
        }
    }
    if (version_has(version, RECORD_COPYBACK) && copyback_decode(in, &config->copyback) != 0) {
        return -EBADMSG;
    }
    /* Records of earlier versions are not sorted. */
    qsort(config->bad, config->bad_count, sizeof(config->bad[0]), bad_compare);
    return config->sequence <= GROUP_SEQUENCE_READ_MAX && group_config_check(config, &why) == 0
               ? 0
               : -EBADMSG;
}

int group_record_decode(const uint8_t *buffer, size_t bytes, struct group_config *ret_config)
{
    struct group_config *config = NULL;
    int error = record_frame_check(buffer, bytes);

    ASSERT(ret_config != NULL);
    if (error != 0) {
        return error;
    }
    config = calloc(1, sizeof(*config));
    if (config == NULL) {
        return -ENOMEM;
    }
    error = record_fields_decode(buffer, bytes, config);
    if (error == 0) {
        *ret_config = *config;
    }
    free(config);
    return error;
}

void group_record_name(const struct guid *guid, char out[STORE_NAME_MAX + 1])
{
    char text[GUID_TEXT_BYTES];

    guid_format(guid, text);
    (void)snprintf(out, STORE_NAME_MAX + 1, "group-%s", text); /* always fits */
}
