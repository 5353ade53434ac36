/*
 * md's superblock: what is read of it, and that a damaged or impossible one is refused.
 */
#include <string.h>

#include "aw_test.h"
#include "base/bytes.h"
#include "meta/md_super.h"

#define SECTORS UINT64_C(131072)

static uint8_t block[MD_SUPER_BYTES];

static void seal(void)
{
    uint64_t sum = 0;
    uint32_t bytes = 256 + 2 * get_le32(block + 220);

    put_le32(block + 216, 0);
    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        sum += get_le32(block + i);
    }
    sum += bytes % 4 != 0 ? get_le16(block + bytes - 2) : 0;
    put_le32(block + 216, (uint32_t)sum + (uint32_t)(sum >> 32));
}

/* Drive 2 of a RAID 5 of four. */
static void block_make(int32_t level, uint32_t layout)
{
    memset(block, 0, sizeof(block));
    put_le32(block, 0xA92B4EFC);
    put_le32(block + 4, 1);
    memset(block + 16, 0xA5, 16);
    memcpy(block + 32, "host:data", 9);
    put_le32(block + 72, (uint32_t)level);
    put_le32(block + 76, layout);
    put_le64(block + 80, 100000);
    put_le32(block + 88, 128);
    put_le32(block + 92, 4);
    put_le64(block + 128, 2048);
    put_le64(block + 136, 129024);
    put_le32(block + 160, 2);
    put_le64(block + 200, 77);
    put_le64(block + 208, UINT64_MAX);
    put_le32(block + 220, 5);
    for (uint32_t i = 0; i < 5; i++) {
        put_le16(block + 256 + i * 2, (uint16_t)(i < 4 ? i : MD_ROLE_SPARE));
    }
    seal();
}

static int decode(struct md_super *super)
{
    const char *why = NULL;
    int error = md_super_decode(block, SECTORS, super, &why);

    assert_true(error == 0 || why != NULL);
    return error;
}

static void test_fields(void **state)
{
    struct md_super super;

    (void)state;
    block_make(5, 2);
    assert_int_equal(decode(&super), 0);
    assert_int_equal(super.set.bytes[7], 0xA5);
    assert_string_equal(super.name, "host:data");
    assert_int_equal(super.role, 2);
    assert_int_equal(super.member_count, 4);
    assert_int_equal(super.chunk_sectors, 128);
    assert_true(super.events == 77 && !super.resyncing);
    assert_true(md_size_sectors(&super) == 300000);
    assert_int_equal(md_tolerance(&super), 1);
    put_le32(block + 160, 4);
    put_le64(block + 208, 0);
    seal();
    assert_int_equal(decode(&super), 0);
    assert_int_equal(super.role, MD_ROLE_SPARE);
    assert_true(super.resyncing);
}

static void test_levels(void **state)
{
    static const struct {
        int32_t level;
        uint32_t layout;
        const char *name;
        uint32_t tolerance;
        uint64_t sectors;
    } cases[] = {
        {-1, 0, "linear", 0, 0},
        {0, 0, "RAID0", 0, 0},
        {1, 0, "RAID1", 3, 100000},
        {4, 0, "RAID4", 1, 300000},
        {5, 1, "RAID5 (right asymmetric)", 1, 300000},
        {5, 99, "RAID5 (layout 99)", 1, 300000},
        {6, 10, "RAID6 (N continue)", 2, 200000},
        {6, 7, "RAID6 (layout 7)", 2, 200000},
        {10, 0x102, "RAID10", 1, 200000},
        {10, 0x103, "RAID10 (near 3)", 2, 133333},
        {10, 0x201, "RAID10 (far 2)", 1, 200000},
        {10, 0x10201, "RAID10 (offset 2)", 1, 200000},
        {77, 0, "level 77", 0, 400000},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct md_super super;
        char name[32];

        block_make(cases[i].level, cases[i].layout);
        assert_int_equal(decode(&super), 0);
        md_level_name(&super, name);
        assert_string_equal(name, cases[i].name);
        assert_int_equal(md_tolerance(&super), cases[i].tolerance);
        assert_true(md_size_sectors(&super) == cases[i].sectors);
    }
}

static void test_refuses(void **state)
{
    static const struct {
        uint32_t offset;
        uint32_t value;
        int error;
    } cases[] = {
        {0, 0, -ENOENT},        {4, 2, -ENOENT},        {220, 4000, -EBADMSG},
        {92, 4000, -EBADMSG},   {132, 1, -EBADMSG},     {136, 0xFFFFFFF0, -EBADMSG},
        {80, 200000, -EBADMSG}, {256 + 4, 9, -EBADMSG},
    };
    struct md_super super;

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        block_make(5, 2);
        put_le32(block + cases[i].offset, cases[i].value);
        if (get_le32(block + 220) <= MD_ROLES_MAX) {
            seal();
        }
        if (decode(&super) != cases[i].error) {
            fail_msg("case %u", i);
        }
    }
    block_make(5, 2);
    block[33] ^= 1;
    assert_int_equal(decode(&super), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_refuses),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("md_super", tests, NULL, NULL);
}
