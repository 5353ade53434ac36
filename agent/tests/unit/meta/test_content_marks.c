/*
 * What is recognized on a device: each mark at its place, nothing elsewhere, and none at all in
 * zeros and in data.
 */
#include <string.h>

#include "aw_test.h"
#include "base/attrs.h"
#include "meta/content_marks.h"

#define SIZE (1u << 20)

static uint8_t device[SIZE];

static const char *mark_of(uint64_t size_bytes)
{
    uint32_t head = size_bytes < CONTENT_HEAD_BYTES ? (uint32_t)size_bytes : CONTENT_HEAD_BYTES;
    uint32_t tail = size_bytes < CONTENT_TAIL_BYTES ? (uint32_t)size_bytes : CONTENT_TAIL_BYTES;

    return content_mark(device, head, device + size_bytes - tail, tail, size_bytes);
}

static void expect(uint64_t size_bytes, uint64_t offset, const char *bytes, size_t length,
                   const char *name)
{
    const char *found = NULL;

    memset(device, 0, sizeof(device));
    memcpy(device + offset, bytes, length);
    found = mark_of(size_bytes);
    if (name == NULL) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_non_null(strstr(found, name));
    }
}

static void test_marks(void **state UNUSED)
{
    expect(SIZE, 0, "", 0, NULL);
    expect(SIZE, 1080, "\x53\xef", 2, "ext4");
    expect(SIZE, 0, "XFSB", 4, "XFS");
    expect(SIZE, 65600, "_BHRfS_M", 8, "Btrfs");
    expect(SIZE, 512, "LABELONE", 8, "LVM");
    expect(SIZE, 0, "LUKS\xba\xbe", 6, "LUKS");
    expect(SIZE, 4086, "SWAPSPACE2", 10, "swap");
    expect(SIZE, 16384, "\x01\x01\0\0\0\0\0\0\0\0\0\x01", 12, "ZFS");
    expect(SIZE, 510, "\x55\xaa", 2, "partition table");
    expect(SIZE, 512, "EFI PART", 8, "GPT");
    expect(SIZE, SIZE - 512, "EFI PART", 8, "GPT");
    expect(SIZE, SIZE - 512, "\xde\x11\xde\x11", 4, "DDF");
    expect(SIZE, SIZE / 2, "EFI PART", 8, NULL);
    expect(SIZE, 1, "XFSB", 4, NULL);
}

static void test_md(void **state UNUSED)
{
    static const char magic[] = "\xfc\x4e\x2b\xa9";

    expect(SIZE, 0, magic, 4, "md");
    expect(SIZE, 4096, magic, 4, "md");
    expect(SIZE, SIZE - 65536, magic, 4, "md");              /* 0.90 */
    expect(SIZE - 4096, SIZE - 2 * 65536, magic, 4, "md");   /* 0.90 */
    expect(SIZE, SIZE - 8192, magic, 4, "md");               /* 1.0 */
    expect(SIZE - 512, SIZE - 4096 - 8192, magic, 4, "md");  /* 1.0 */
    expect(SIZE, SIZE - 12288, magic, 4, NULL);
}

/* Shorter than what is looked at, to the last byte of it. */
static void test_small(void **state UNUSED)
{
    for (uint64_t size = 512; size <= 256u << 10; size += 512) {
        expect(size, size - 512, "EFI PART", 8, "GPT");
        expect(size, size - 512 + 3, "NTFS    ", 8, size == 512 ? "NTFS" : NULL);
    }
}

static void test_data(void **state UNUSED)
{
    memset(device, 0x5a, sizeof(device));
    assert_null(mark_of(SIZE));
    memset(device, 0xff, sizeof(device));
    assert_null(mark_of(SIZE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_md),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
