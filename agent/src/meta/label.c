/*
 * Encoding of a drive's label, version 1, little-endian:
 *
 *   0  magic "AWLABEL1"    8  version      12  bytes in all     16  CRC-32C, itself as zero
 *  20  role               24  sequence     32  drive uuid       48  controller uuid
 *  64  group guid         88  member       92  spare groups     96  record bytes
 * 100  spare flags       104  zero to 128           128  spare groups, 16 times 24 bytes
 * 512  group record
 *
 * Order of the reader: magic, length, CRC, then meaning.
 *
 * What is left in place of a label that was wiped: magic "AWLEFT01", 8 zeros, the group's guid at
 * 16, CRC-32C of all that at 40.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"
#include "drive/drive_layout.h"
#include "meta/group_store.h"
#include "meta/label_io.h"
#include "port/io_port.h"

#define LABEL_VERSION 1u
#define LABEL_HEAD_BYTES 512u
#define LABEL_CRC_OFFSET 16u
#define LABEL_SPARES_OFFSET 128u
#define LABEL_SPARE_AFFINITY 1u
#define LABEL_SPARE_COMMITTABLE 2u
#define LABEL_SPARE_FLAGS 3u
#define LABEL_SEQUENCE_MAX (UINT64_C(1) << 62)
#define LABEL_SEQUENCE_READ_MAX (LABEL_SEQUENCE_MAX / 2) /* leaves room to count on */

static const uint8_t label_magic[8] = "AWLABEL1";
static const uint8_t mark_magic[8] = "AWLEFT01";

#define MARK_CRC_OFFSET 40u

STATIC_ASSERT(LABEL_HEAD_BYTES + GROUP_RECORD_MAX_BYTES <= LABEL_SLOT_BYTES, "a label fits");
STATIC_ASSERT(LABEL_SPARES_OFFSET + LABEL_SPARE_GROUPS_MAX * 24u <= LABEL_HEAD_BYTES,
              "spare groups fit");
STATIC_ASSERT(LABEL_ROLE_NONE == 0 && LABEL_ROLE_MEMBER == 1 && LABEL_ROLE_SPARE == 2,
              "numbers on disk");

static uint32_t label_crc(const uint8_t *slot, size_t bytes)
{
    static const uint8_t zeros[4] = {0};
    uint32_t crc = crc32c(0, slot, LABEL_CRC_OFFSET);

    ASSERT(bytes >= LABEL_HEAD_BYTES && bytes <= LABEL_SLOT_BYTES);
    crc = crc32c(crc, zeros, sizeof(zeros));
    return crc32c(crc, slot + LABEL_CRC_OFFSET + 4, bytes - LABEL_CRC_OFFSET - 4);
}

static bool label_is_sound(const struct drive_label *label)
{
    if ((unsigned)label->role >= LABEL_ROLE_MAX || uuid_is_zero(&label->drive) ||
        uuid_is_zero(&label->controller) || label->sequence > LABEL_SEQUENCE_MAX ||
        label->spare_group_count > LABEL_SPARE_GROUPS_MAX) {
        return false;
    }
    if (label->role != LABEL_ROLE_SPARE &&
        (label->spare_group_count != 0 || label->spare_affinity || label->spare_committable)) {
        return false;
    }
    if (label->role != LABEL_ROLE_MEMBER) {
        return !label->has_record && guid_is_zero(&label->group) && label->member == 0;
    }
    return label->has_record && guid_equal(&label->group, &label->record.guid) &&
           label->member < label->record.member_count;
}

int drive_label_encode(const struct drive_label *label, uint8_t *slot, size_t *ret_bytes)
{
    size_t record_bytes = 0;
    size_t bytes = 0;

    if (!label_is_sound(label)) {
        return -EINVAL;
    }
    memset(slot, 0, LABEL_HEAD_BYTES);
    if (label->has_record) {
        int error = group_record_encode(&label->record, slot + LABEL_HEAD_BYTES,
                                        GROUP_RECORD_MAX_BYTES, &record_bytes);

        if (error != 0) {
            return error;
        }
    }
    bytes = LABEL_HEAD_BYTES + record_bytes;
    *ret_bytes = align_up_u64(bytes, IO_ALIGN_BYTES);
    ASSERT(*ret_bytes <= LABEL_SLOT_BYTES);
    memset(slot + bytes, 0, *ret_bytes - bytes);
    memcpy(slot, label_magic, sizeof(label_magic));
    put_le32(slot + 8, LABEL_VERSION);
    put_le32(slot + 12, (uint32_t)bytes);
    put_le32(slot + 20, (uint32_t)label->role);
    put_le64(slot + 24, label->sequence);
    memcpy(slot + 32, label->drive.bytes, 16);
    memcpy(slot + 48, label->controller.bytes, 16);
    memcpy(slot + 64, label->group.bytes, 24);
    put_le32(slot + 88, label->member);
    put_le32(slot + 92, label->spare_group_count);
    put_le32(slot + 96, (uint32_t)record_bytes);
    put_le32(slot + 100, (label->spare_affinity ? LABEL_SPARE_AFFINITY : 0) |
                             (label->spare_committable ? LABEL_SPARE_COMMITTABLE : 0));
    for (uint32_t i = 0; i < label->spare_group_count; i++) {
        memcpy(slot + LABEL_SPARES_OFFSET + 24 * i, label->spare_groups[i].bytes, 24);
    }
    put_le32(slot + LABEL_CRC_OFFSET, label_crc(slot, bytes));
    return 0;
}

static int label_frame_check(const uint8_t *slot)
{
    uint32_t bytes = 0;

    if (memcmp(slot, label_magic, sizeof(label_magic)) != 0) {
        return -ENOENT;
    }
    bytes = get_le32(slot + 12);
    if (bytes < LABEL_HEAD_BYTES || bytes > LABEL_HEAD_BYTES + GROUP_RECORD_MAX_BYTES ||
        get_le32(slot + LABEL_CRC_OFFSET) != label_crc(slot, bytes)) {
        return -EBADMSG;
    }
    if (get_le32(slot + 8) > LABEL_VERSION) {
        return -EPROTONOSUPPORT;
    }
    if (get_le32(slot + 8) != LABEL_VERSION || get_le32(slot + 20) >= LABEL_ROLE_MAX ||
        get_le32(slot + 92) > LABEL_SPARE_GROUPS_MAX || get_le32(slot + 100) > LABEL_SPARE_FLAGS ||
        get_le32(slot + 96) != bytes - LABEL_HEAD_BYTES) {
        return -EBADMSG;
    }
    return 0;
}

static int label_fields_decode(const uint8_t *slot, struct drive_label *label)
{
    uint32_t record_bytes = get_le32(slot + 96);
    int error = 0;

    label->role = (enum label_role)get_le32(slot + 20);
    label->sequence = get_le64(slot + 24);
    memcpy(label->drive.bytes, slot + 32, 16);
    memcpy(label->controller.bytes, slot + 48, 16);
    memcpy(label->group.bytes, slot + 64, 24);
    label->member = get_le32(slot + 88);
    label->spare_group_count = get_le32(slot + 92);
    label->spare_affinity = (get_le32(slot + 100) & LABEL_SPARE_AFFINITY) != 0;
    label->spare_committable = (get_le32(slot + 100) & LABEL_SPARE_COMMITTABLE) != 0;
    for (uint32_t i = 0; i < label->spare_group_count; i++) {
        memcpy(label->spare_groups[i].bytes, slot + LABEL_SPARES_OFFSET + 24 * i, 24);
    }
    label->has_record = record_bytes != 0;
    if (label->has_record) {
        error = group_record_decode(slot + LABEL_HEAD_BYTES, record_bytes, &label->record);
    }
    if (error != 0) {
        return error;
    }
    return label->sequence <= LABEL_SEQUENCE_READ_MAX && label_is_sound(label) ? 0 : -EBADMSG;
}

int drive_label_decode(const uint8_t *slot, struct drive_label *ret_label)
{
    struct drive_label *label = NULL;
    int error = label_frame_check(slot);

    ASSERT(ret_label != NULL);
    if (error != 0) {
        return error;
    }
    label = calloc(1, sizeof(*label));
    if (label == NULL) {
        return -ENOMEM;
    }
    error = label_fields_decode(slot, label);
    if (error == 0) {
        *ret_label = *label;
    }
    free(label);
    return error;
}

void label_mark_encode(const struct guid *group, uint8_t *slot)
{
    memcpy(slot, mark_magic, sizeof(mark_magic));
    memcpy(slot + 16, group->bytes, sizeof(group->bytes));
    put_le32(slot + MARK_CRC_OFFSET, crc32c(0, slot, MARK_CRC_OFFSET));
}

bool label_mark_decode(const uint8_t *slot, struct guid *ret_group)
{
    if (memcmp(slot, mark_magic, sizeof(mark_magic)) != 0 ||
        get_le32(slot + MARK_CRC_OFFSET) != crc32c(0, slot, MARK_CRC_OFFSET)) {
        return false;
    }
    memcpy(ret_group->bytes, slot + 16, sizeof(ret_group->bytes));
    return true;
}

void drive_label_resequence(uint8_t *slot, uint64_t sequence)
{
    uint32_t bytes = get_le32(slot + 12);

    ASSERT(memcmp(slot, label_magic, sizeof(label_magic)) == 0);
    ASSERT(sequence <= LABEL_SEQUENCE_MAX);
    put_le64(slot + 24, sequence);
    put_le32(slot + LABEL_CRC_OFFSET, label_crc(slot, bytes));
}
