/*
 * Marks of contents: see content_marks.h.
 */
#include "meta/content_marks.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define MD_MAGIC "\xfc\x4e\x2b\xa9"
#define MD_NAME "a member of a Linux md array"

struct mark {
    uint32_t offset_bytes;
    uint32_t length;
    const char *bytes;
    const char *name;
};

/* What is more telling comes first: a boot sector may belong to anything. */
static const struct mark head_marks[] = {
    {0, 6, "LUKS\xba\xbe", "a LUKS volume"},
    {0, 8, "LABELONE", "an LVM physical volume"},
    {512, 8, "LABELONE", "an LVM physical volume"},
    {1024, 8, "LABELONE", "an LVM physical volume"},
    {1536, 8, "LABELONE", "an LVM physical volume"},
    {0, 4, MD_MAGIC, MD_NAME},
    {4096, 4, MD_MAGIC, MD_NAME},
    {512, 8, "EFI PART", "a GPT partition table"},
    {4096, 8, "EFI PART", "a GPT partition table"},
    {0, 4, "XFSB", "an XFS file system"},
    {65600, 8, "_BHRfS_M", "a Btrfs file system"},
    {16384, 12, "\x01\x01\0\0\0\0\0\0\0\0\0\x01", "a ZFS pool"},
    {4120, 8, "\xc6\x85\x73\xf6\x66\xce\x90\xa9", "a bcachefs file system"},
    {4120, 8, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca", "a bcache device"},
    {1024, 4, "\x10\x20\xf5\xf2", "an F2FS file system"},
    {1024, 4, "\xe2\xe1\xf5\xe0", "an EROFS file system"},
    {32768, 4, "JFS1", "a JFS file system"},
    {65588, 6, "ReIsEr", "a ReiserFS file system"},
    {65536, 4, "\x01\x16\x19\x70", "a GFS2 file system"},
    {0, 4, "hsqs", "a SquashFS file system"},
    {32769, 5, "CD001", "an ISO 9660 file system"},
    {32769, 5, "BEA01", "a UDF file system"},
    {3, 8, "NTFS    ", "an NTFS file system"},
    {3, 8, "EXFAT   ", "an exFAT file system"},
    {54, 4, "FAT1", "a FAT file system"},
    {82, 5, "FAT32", "a FAT file system"},
    {4086, 10, "SWAPSPACE2", "swap space"},
    {65526, 10, "SWAPSPACE2", "swap space"},
    {32, 8, "ORCLDISK", "an Oracle ASM disk"},
    {0, 22, "bluestore block device", "a Ceph BlueStore device"},
    {1080, 2, "\x53\xef", "an ext2, ext3 or ext4 file system"},
    {1030, 2, "\x34\x34", "a NILFS2 file system"},
    {510, 2, "\x55\xaa", "a boot sector or partition table"},
};

/* From the end of the device. */
static const struct mark tail_marks[] = {
    {512, 8, "EFI PART", "the end of a GPT partition table"},
    {4096, 8, "EFI PART", "the end of a GPT partition table"},
    {512, 4, "\xde\x11\xde\x11", "a member of a DDF set"},
};

static bool is_there(const uint8_t *bytes, uint32_t count, uint64_t offset, const struct mark *mark)
{
    return offset + mark->length <= count && memcmp(bytes + offset, mark->bytes, mark->length) == 0;
}

/* md 0.90 lies 64 KiB before a multiple of that, md 1.0 8 to 12 KiB before the end. */
static bool md_is_at_end(const uint8_t *tail, uint32_t tail_bytes, uint64_t size_bytes)
{
    const struct mark mark = {0, 4, MD_MAGIC, MD_NAME};
    uint64_t begin = size_bytes - tail_bytes;
    uint64_t places[] = {align_down_u64(size_bytes, 65536), align_down_u64(size_bytes, 4096)};
    static const uint32_t before[] = {65536, 8192};

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        if (places[i] >= begin + before[i] &&
            is_there(tail, tail_bytes, places[i] - before[i] - begin, &mark)) {
            return true;
        }
    }
    return false;
}

const char *content_mark(const uint8_t *head, uint32_t head_bytes, const uint8_t *tail,
                         uint32_t tail_bytes, uint64_t size_bytes)
{
    ASSERT(head_bytes <= size_bytes && tail_bytes <= size_bytes);
    for (size_t i = 0; i < sizeof(head_marks) / sizeof(head_marks[0]); i++) {
        if (is_there(head, head_bytes, head_marks[i].offset_bytes, &head_marks[i])) {
            return head_marks[i].name;
        }
    }
    for (size_t i = 0; i < sizeof(tail_marks) / sizeof(tail_marks[0]); i++) {
        if (tail_bytes >= tail_marks[i].offset_bytes &&
            is_there(tail, tail_bytes, tail_bytes - tail_marks[i].offset_bytes, &tail_marks[i])) {
            return tail_marks[i].name;
        }
    }
    return md_is_at_end(tail, tail_bytes, size_bytes) ? MD_NAME : NULL;
}
