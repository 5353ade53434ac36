/*
 * Reader of md's superblock (md_super.h): length is given, then magic and checksum, then meaning.
 */
#include "meta/md_super.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"

#define MD_HEAD_BYTES 256u
#define MD_CHECKSUM_OFFSET 216u

STATIC_ASSERT(MD_HEAD_BYTES + 2u * MD_ROLES_MAX == MD_SUPER_BYTES, "roles fill the block");

/* Sum of all words, the checksum's own as zero, folded once. */
static uint32_t checksum(const uint8_t *bytes, uint32_t role_count)
{
    uint32_t length = MD_HEAD_BYTES + 2u * role_count;
    uint64_t sum = 0;
    uint32_t at = 0;

    for (; at + 4 <= length; at += 4) {
        sum += at == MD_CHECKSUM_OFFSET ? 0 : get_le32(bytes + at);
    }
    if (at < length) {
        sum += get_le16(bytes + at);
    }
    return (uint32_t)sum + (uint32_t)(sum >> 32);
}

static void name_decode(const uint8_t *bytes, char name[33])
{
    uint32_t length = 0;

    while (length < 32 && bytes[length] != 0) {
        name[length] = bytes[length] >= 0x20 && bytes[length] <= 0x7E ? (char)bytes[length] : '?';
        length++;
    }
    name[length] = '\0';
}

static const char *super_problem(const struct md_super *super, uint64_t drive_sectors)
{
    uint64_t end = 0;

    if (super->member_count > MD_ROLES_MAX) {
        return "The md superblock names more members than can be.";
    }
    if (!checked_add_u64(super->data_offset_sectors, super->data_sectors, &end) ||
        end > drive_sectors || super->member_sectors > super->data_sectors) {
        return "The md superblock names data outside the drive.";
    }
    if (super->role < MD_ROLE_JOURNAL && super->role >= super->member_count) {
        return "The md superblock gives the drive a place that is none.";
    }
    return NULL;
}

int md_super_decode(const uint8_t bytes[MD_SUPER_BYTES], uint64_t drive_sectors,
                    struct md_super *ret_super, const char **ret_why)
{
    uint32_t role_count = get_le32(bytes + 220);
    uint32_t number = get_le32(bytes + 160);
    struct md_super super = {.role = MD_ROLE_SPARE};

    ASSERT(ret_super != NULL && ret_why != NULL);
    if (get_le32(bytes) != MD_MAGIC || get_le32(bytes + 4) != 1) {
        *ret_why =
            "There is no md superblock of version 1.2 (0.90, 1.0 and 1.1 are not read here).";
        return -ENOENT;
    }
    if (role_count > MD_ROLES_MAX ||
        get_le32(bytes + MD_CHECKSUM_OFFSET) != checksum(bytes, role_count)) {
        *ret_why = "The md superblock is damaged.";
        return -EBADMSG;
    }
    memcpy(super.set.bytes, bytes + 16, 16);
    memcpy(super.own.bytes, bytes + 168, 16);
    name_decode(bytes + 32, super.name);
    super.features = get_le32(bytes + 8);
    super.level = (int32_t)get_le32(bytes + 72);
    super.layout = get_le32(bytes + 76);
    super.member_sectors = get_le64(bytes + 80);
    super.chunk_sectors = get_le32(bytes + 88);
    super.member_count = get_le32(bytes + 92);
    super.bitmap_sectors = (int32_t)get_le32(bytes + 96);
    super.data_offset_sectors = get_le64(bytes + 128);
    super.data_sectors = get_le64(bytes + 136);
    super.events = get_le64(bytes + 200);
    super.resyncing = get_le64(bytes + 208) < super.member_sectors;
    if (number < role_count) {
        super.role = get_le16(bytes + MD_HEAD_BYTES + (size_t)number * 2);
    }
    *ret_why = super_problem(&super, drive_sectors);
    if (*ret_why != NULL) {
        return -EBADMSG;
    }
    *ret_super = super;
    return 0;
}

bool md_super_is_same(const struct md_super *a, const struct md_super *b)
{
    return uuid_equal(&a->set, &b->set) && uuid_equal(&a->own, &b->own) &&
           strcmp(a->name, b->name) == 0 && a->level == b->level && a->layout == b->layout &&
           a->member_sectors == b->member_sectors && a->chunk_sectors == b->chunk_sectors &&
           a->member_count == b->member_count && a->bitmap_sectors == b->bitmap_sectors &&
           a->data_offset_sectors == b->data_offset_sectors && a->data_sectors == b->data_sectors &&
           a->events == b->events && a->features == b->features && a->resyncing == b->resyncing &&
           a->role == b->role;
}

/* Copies of a strip: near copies times far copies. */
static uint32_t mirror_copies(const struct md_super *super)
{
    return (super->layout & 0xFFu) * (super->layout >> 8 & 0xFFu);
}

static void mirror_name(const struct md_super *super, char out[32])
{
    uint32_t near = super->layout & 0xFFu;
    uint32_t far = super->layout >> 8 & 0xFFu;
    const char *kind = (super->layout & 0x10000u) != 0 ? "offset" : "far";

    if (far == 1 && near == 2 && super->member_count % 2 == 0) {
        (void)snprintf(out, 32, "RAID10");
    } else if (far == 1) {
        (void)snprintf(out, 32, "RAID10 (near %u)", near);
    } else {
        (void)snprintf(out, 32, "RAID10 (%s %u)", kind, far);
    }
}

static void parity_name(const struct md_super *super, char out[32])
{
    static const char *const layouts[] = {
        "left asymmetric",
        "right asymmetric",
        "left symmetric",
        "right symmetric",
        "parity first",
        "parity last",
        NULL,
        NULL,
        "zero restart",
        "N restart",
        "N continue",
    };
    const char *layout = NULL;

    if (super->layout < sizeof(layouts) / sizeof(layouts[0])) {
        layout = layouts[super->layout];
    }
    if (layout == NULL) {
        (void)snprintf(out, 32, "RAID%d (layout %u)", (int)super->level, super->layout);
    } else {
        (void)snprintf(out, 32, "RAID%d (%s)", (int)super->level, layout);
    }
}

void md_level_name(const struct md_super *super, char out[32])
{
    switch (super->level) {
    case 5:
    case 6:
        parity_name(super, out);
        return;
    case 10:
        mirror_name(super, out);
        return;
    case -1:
        (void)snprintf(out, 32, "linear");
        return;
    case 0:
    case 1:
    case 4:
        (void)snprintf(out, 32, "RAID%d", (int)super->level);
        return;
    default:
        (void)snprintf(out, 32, "level %d", (int)super->level);
        return;
    }
}

uint32_t md_tolerance(const struct md_super *super)
{
    switch (super->level) {
    case 1:
        return super->member_count > 0 ? super->member_count - 1 : 0;
    case 4:
    case 5:
        return 1;
    case 6:
        return 2;
    case 10:
        return mirror_copies(super) > 0 ? mirror_copies(super) - 1 : 0;
    default:
        return 0;
    }
}

uint64_t md_size_sectors(const struct md_super *super)
{
    uint64_t total = 0;
    uint32_t parity = super->level == 6 ? 2 : super->level == 4 || super->level == 5 ? 1 : 0;

    if (super->level == 1) {
        return super->member_sectors;
    }
    if (super->level < 4 || super->member_count <= parity ||
        !checked_mul_u64(super->member_sectors, super->member_count - parity, &total)) {
        return 0; /* members of RAID 0 and of a concatenation may differ in size */
    }
    return super->level == 10 ? total / max_u32(mirror_copies(super), 1) : total;
}
