/*
 * DDF: what is written has the bytes that the format wants, whatever is damaged falls back to
 * the other copy or is refused, and the drives of a group give the group back.
 */
#include <string.h>

#include "aw_test.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "base/rng.h"
#include "ddf_samples.h"
#include "drive/drive_layout.h"
#include "meta/config_check.h"

#define SECTORS UINT64_C(262144)

static struct group_config group;
static struct group_config read_back;
static struct ddf_image images[8];
static uint64_t usable[GROUP_MEMBERS_MAX];
static struct uuid controller = {{1, 2, 3}};

static struct ddf_group_source source_of(uint32_t sequence)
{
    return (struct ddf_group_source){.group = &group,
                                     .controller = &controller,
                                     .usable_bytes = usable,
                                     .sequence = sequence,
                                     .wall_us = UINT64_C(1795330000000000)};
}

/* A virtual drive of `members` drives on 64 KiB strips, clean and whole. */
static void group_make(enum raid_level level, uint32_t spans, uint32_t members)
{
    struct vd_config *vd = &group.vds[0];
    const char *why = NULL;

    group = (struct group_config){.index = 3, .sequence = 41, .vd_count = 1};
    memcpy(group.guid.bytes, "ARRAYWRTgroup-0123456789", 24);
    group.member_count = spans * members;
    for (uint32_t i = 0; i < group.member_count; i++) {
        memset(group.members[i].drive.bytes, (int)(0x10 + i), 16);
        memcpy(group.members[i].serial, "SERIAL-0", 9);
        group.members[i].serial[7] = (char)('0' + i);
        usable[i] = drive_layout_usable_bytes(SECTORS * 512);
    }
    memcpy(vd->guid.bytes, "ARRAYWRTvd-0-0123456789a", 24);
    memcpy(vd->name, "data", 5);
    vd->target_id = 5;
    vd->geometry = (struct geometry){.level = level,
                                     .span_count = spans,
                                     .members_per_span = members,
                                     .strip_bytes = 65536,
                                     .block_bytes = 512,
                                     .extent_bytes = 32 << 20};
    vd->extent_start_bytes = 1 << 20;
    vd->size_bytes = geometry_size_bytes(&vd->geometry);
    vd->consistent_rows = geometry_row_count(&vd->geometry);
    assert_int_equal(group_config_check(&group, &why), 0);
}

static void images_make(uint32_t sequence)
{
    struct ddf_group_source source = source_of(sequence);

    for (uint32_t i = 0; i < group.member_count; i++) {
        image_make(&source, i, SECTORS, &images[i]);
    }
}

/* The set of those drives that are not NULL. */
struct drives {
    struct ddf_config *configs[8];
    struct ddf_set set;
};

static void drives_read(struct drives *drives, uint32_t without)
{
    *drives = (struct drives){0};
    for (uint32_t i = 0; i < group.member_count; i++) {
        if ((without & 1u << i) == 0) {
            drives->configs[i] = image_read(&images[i]);
            assert_non_null(drives->configs[i]);
            assert_int_equal(ddf_set_add(&drives->set, drives->configs[i], SECTORS), 0);
        }
    }
}

static void drives_free(struct drives *drives)
{
    for (uint32_t i = 0; i < 8; i++) {
        drives->configs[i] = ddf_config_free(drives->configs[i]);
    }
}

static struct drives drives;
static struct ddf_found found;

static void examine(uint32_t without)
{
    drives_read(&drives, without);
    ddf_set_examine(&drives.set, 0, &found);
}

/* Bytes at their places, as in the annotated image of the format's description. */
static void test_bytes(void **state)
{
    const uint8_t *copy = images[1].copies[0];
    const uint8_t *record = copy + 162 * 512;
    struct ddf_header anchor;
    const char *why = NULL;

    (void)state;
    group_make(RAID_LEVEL_5, 1, 4);
    images_make(7);
    assert_int_equal(get_be32(images[1].anchor), 0xDE11DE11);
    assert_memory_equal(images[1].anchor + 8, group.guid.bytes, 24);
    assert_memory_equal(images[1].anchor + 32, "01.02.00", 8);
    assert_int_equal(get_be32(images[1].anchor + 40), 0xFFFFFFFF);
    assert_int_equal(images[1].anchor[48], 0xFF);
    assert_int_equal(get_be64(images[1].anchor + 96), SECTORS - 32768);
    assert_int_equal(get_be64(images[1].anchor + 104), SECTORS - 65536);
    assert_int_equal(images[1].anchor[112], 0);
    assert_int_equal(get_be32(images[1].anchor + 116), 32768);
    assert_memory_equal(images[1].anchor + 128, "\x03\xff\x00\xff\x00\x40\x00\x07\x01\x00", 10);
    assert_int_equal(get_be32(images[1].anchor + 192 + 24), 162);
    assert_int_equal(get_be32(images[1].anchor + 192 + 28), 455);
    assert_int_equal(get_be32(images[1].anchor + 192 + 40), 0xFFFFFFFF);
    assert_int_equal(get_be32(images[1].anchor + 192 + 44), 0);
    assert_int_equal(get_be32(copy + 40), 7);
    assert_int_equal(copy[48], 0);
    assert_int_equal(copy[112], 1);
    assert_int_equal(images[1].copies[1][112], 2);
    assert_int_equal(get_be32(copy + 2 * 512), 0x22222222);
    assert_int_equal(get_be16(copy + 2 * 512 + 8), 4);
    assert_int_equal(get_be16(copy + 2 * 512 + 64 + 28), 0x0003);
    assert_int_equal(get_be16(copy + 2 * 512 + 64 + 30), 0x0001);
    assert_int_equal(get_be64(copy + 2 * 512 + 64 + 32), usable[0] / 512);
    assert_int_equal(get_be16(copy + 130 * 512 + 64 + 24), 5);
    assert_int_equal(copy[130 * 512 + 64 + 33], 2);
    assert_string_equal((const char *)copy + 130 * 512 + 64 + 48, "data");
    assert_int_equal(get_be32(record + 36), 7);
    assert_memory_equal(record + 64, "\x00\x04\x07\x05\x03\x01\x00\xff", 8);
    assert_int_equal(get_be64(record + 72), 65536);
    assert_int_equal(get_be64(record + 80), 3 * 65536);
    assert_int_equal(get_be32(record + 512), 0x10101010);
    assert_int_equal(get_be32(record + 512 + 16), 0xFFFFFFFF);
    assert_int_equal(get_be64(record + 512 + 1024 + 8), 2048);
    assert_int_equal(get_be64(record + 512 + 1024 + 32), 0);
    assert_int_equal(get_be32(copy + 617 * 512 + 32), 0x11111111);
    assert_int_equal(record[7 * 512], 0xFF); /* the next slot is free */
    for (unsigned i = 0; i < 5; i++) { /* every section carries its own CRC */
        static const unsigned places[5][2] = {{0, 1}, {1, 1}, {2, 128}, {130, 32}, {617, 1}};

        assert_int_equal(get_be32(copy + places[i][0] * 512 + 4),
                         crc32_ddf_section(copy + places[i][0] * 512, places[i][1] * 512));
    }
    assert_int_equal(get_be32(record + 4), crc32_ddf_section(record, 7 * 512));
    assert_int_equal(ddf_anchor_decode(images[1].anchor, SECTORS, &anchor, &why), 0);
    assert_int_equal(ddf_copy_sectors(&anchor), 618);
    assert_int_equal(ddf_time(UINT64_C(315532800000000)), 0);
    assert_int_equal(ddf_time(5), 0);
}

static void test_levels(void **state)
{
    static const struct {
        enum raid_level level;
        uint32_t spans;
        uint32_t members;
        uint8_t bytes[3];
        const char *name;
    } cases[] = {
        {RAID_LEVEL_0, 1, 3, {0x00, 0, 0xFF}, "RAID0"},
        {RAID_LEVEL_1, 1, 2, {0x01, 0, 0xFF}, "RAID1"},
        {RAID_LEVEL_1, 1, 3, {0x01, 1, 0xFF}, "RAID1"},
        {RAID_LEVEL_5, 1, 3, {0x05, 3, 0xFF}, "RAID5"},
        {RAID_LEVEL_6, 1, 5, {0x06, 3, 0xFF}, "RAID6"},
        {RAID_LEVEL_10, 2, 2, {0x01, 0, 3}, "RAID10"},
        {RAID_LEVEL_10, 2, 3, {0x01, 1, 3}, "RAID10"},
        {RAID_LEVEL_50, 2, 3, {0x05, 3, 3}, "RAID50"},
        {RAID_LEVEL_60, 2, 4, {0x06, 3, 3}, "RAID60"},
        {RAID_LEVEL_1E, 1, 5, {0x11, 0, 0xFF}, "RAID1E"},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint8_t *record = images[0].copies[0] + 162 * 512;
        const char *why = NULL;
        char name[32];

        group_make(cases[i].level, cases[i].spans, cases[i].members);
        images_make(2);
        assert_int_equal(get_be16(record + 64), cases[i].members);
        assert_int_equal(record[67], cases[i].bytes[0]);
        assert_int_equal(record[68], cases[i].bytes[1]);
        assert_int_equal(record[69], cases[i].spans);
        assert_int_equal(record[71], cases[i].bytes[2]);
        assert_int_equal(get_be64(record + 80), group.vds[0].size_bytes / 512);
        examine(0);
        assert_int_equal(found.state, DDF_FOUND_OPTIMAL);
        ddf_level_name(found.record, name);
        assert_string_equal(name, cases[i].name);
        assert_int_equal(ddf_to_group(&drives.set, 0, &read_back, &why), 0);
        assert_memory_equal(&read_back.guid, &group.guid, sizeof(group.guid));
        assert_memory_equal(read_back.members, group.members,
                            group.member_count * sizeof(group.members[0]));
        assert_memory_equal(&read_back.vds[0], &group.vds[0], sizeof(group.vds[0]));
        assert_int_equal(read_back.index, 3);
        assert_int_equal(read_back.sequence, 41);
        drives_free(&drives);
    }
}

/* Bytes of every section, with the offset of one that matters in each. */
static const struct {
    const char *name;
    size_t offset;
} sections[] = {
    {"header", 45},
    {"controller", 512 + 20},
    {"drives", 2 * 512 + 100},
    {"drives' end", 129 * 512},
    {"virtual drives", 130 * 512 + 90},
    {"record", 162 * 512 + 600},
    {"drive data", 617 * 512 + 33},
};

static void test_damage_falls_back(void **state)
{
    (void)state;
    group_make(RAID_LEVEL_1, 1, 2);
    for (unsigned i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        for (unsigned which = 0; which < 2; which++) {
            struct ddf_config *config = NULL;

            images_make(9);
            images[0].copies[which][sections[i].offset] ^= 0x40;
            config = image_read(&images[0]);
            assert_non_null(config);
            assert_int_equal(config->header.sequence, 9);
            assert_int_equal(config->header.bytes[112], which == 0 ? 2 : 1);
            config = ddf_config_free(config);
            images[0].copies[1 - which][sections[i].offset] ^= 0x01;
            if (image_read(&images[0]) != NULL) {
                fail_msg("both copies with a damaged %s are believed", sections[i].name);
            }
        }
    }
}

static void test_anchor_refuses(void **state)
{
    static const struct {
        size_t offset;
        uint8_t value[4];
        int error;
    } cases[] = {
        {0, {0, 0, 0, 0}, -ENOENT},
        {32, {'0', '3', '.', '0'}, -EOPNOTSUPP},  /* a later revision */
        {32, {'x', 'y', '.', '0'}, -EOPNOTSUPP},
        {112, {1, 0xFF, 0xFF, 0xFF}, -EBADMSG},   /* not an anchor */
        {100, {0xFF, 0, 0, 0}, -EBADMSG},         /* primary beyond the drive */
        {96, {0xFF, 0xFF, 0xFF, 0xFF}, -EBADMSG},
        {104, {0x7F, 0, 0, 0}, -EBADMSG},         /* so is the secondary */
        {128, {0x10, 0, 0, 0xFF}, -EBADMSG},      /* more entries than the section holds */
        {130, {0x10, 0, 0, 0x40}, -EBADMSG},
        {132, {0, 0x42, 0, 7}, -EBADMSG},         /* one record too many */
        {134, {0, 1, 1, 0}, -EBADMSG},            /* a record of one sector */
        {136, {1, 1, 0xFF, 0xFF}, -EBADMSG},      /* members beyond the record */
        {196, {0, 0, 0, 0}, -EBADMSG},            /* no controller data */
        {200, {0, 0, 0, 1}, -EBADMSG},            /* over the controller data */
        {216, {0, 0, 0x20, 0}, -EBADMSG},         /* far away */
        {220, {0xFF, 0xFF, 0xFF, 0xFF}, -EBADMSG},
    };

    (void)state;
    group_make(RAID_LEVEL_5, 1, 3);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ddf_header anchor;
        const char *why = NULL;
        int error = 0;

        images_make(2);
        memcpy(images[0].anchor + cases[i].offset, cases[i].value, 4);
        put_be32(images[0].anchor + 4, crc32_ddf_section(images[0].anchor, 512));
        error = ddf_anchor_decode(images[0].anchor, SECTORS, &anchor, &why);
        if (error != cases[i].error) {
            fail_msg("case %u: %d, not %d", i, error, cases[i].error);
        }
        assert_non_null(why);
        images_make(2);
        images[0].anchor[200] ^= 0x80; /* and without a new CRC */
        assert_int_equal(ddf_anchor_decode(images[0].anchor, SECTORS, &anchor, &why), -EBADMSG);
    }
}

/* What has a right CRC and still makes no sense. */
static void test_meaning_refuses(void **state)
{
    static const struct {
        size_t offset;
        uint8_t value[4];
        size_t section;
        size_t sectors;
    } cases[] = {
        {2 * 512 + 64 + 24, {0, 0, 0, 0}, 2, 128},             /* no reference */
        {2 * 512 + 64 + 24, {0xFF, 0xFF, 0xFF, 0xFF}, 2, 128},
        {2 * 512 + 64 + 24, {0x11, 0x11, 0x11, 0x11}, 2, 128}, /* that of the next drive */
        {162 * 512 + 64, {0, 0, 7, 5}, 162, 7},                /* no members */
        {162 * 512 + 64, {1, 1, 7, 5}, 162, 7},                /* more than fit */
        {162 * 512 + 68, {3, 0, 0, 0xFF}, 162, 7},             /* no spans */
        {162 * 512 + 68, {3, 1, 1, 0xFF}, 162, 7},             /* the second of one */
        {162 * 512 + 512, {0xFF, 0xFF, 0xFF, 0xFF}, 162, 7},   /* a place left out */
        {162 * 512 + 512, {0x11, 0x11, 0x11, 0x11}, 162, 7},   /* one drive at two places */
        {162 * 512 + 1536, {0xFF, 0xFF, 0xFF, 0xFF}, 162, 7},  /* an extent beyond everything */
        {617 * 512 + 32, {0, 0, 0, 0}, 617, 1},                /* a drive without reference */
    };

    (void)state;
    group_make(RAID_LEVEL_5, 1, 3);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ddf_config *config = NULL;
        struct ddf_header anchor;
        const char *why = NULL;
        uint8_t *copy = images[0].copies[0];

        images_make(2);
        assert_int_equal(ddf_anchor_decode(images[0].anchor, SECTORS, &anchor, &why), 0);
        memcpy(copy + cases[i].offset, cases[i].value, 4);
        put_be32(copy + cases[i].section * 512 + 4,
                 crc32_ddf_section(copy + cases[i].section * 512, cases[i].sectors * 512));
        if (ddf_copy_decode(&anchor, DDF_COPY_PRIMARY, copy, DDF_COPY_BYTES, &config, &why) !=
            -EBADMSG) {
            fail_msg("case %u is believed", i);
        }
        assert_null(config);
        assert_int_equal(
            ddf_copy_decode(&anchor, DDF_COPY_PRIMARY, copy, DDF_COPY_BYTES - 512, &config, &why),
            -EBADMSG);
    }
}

/* A copy must agree with the anchor in all but sequence, time and flags. */
static void test_copy_of_another(void **state)
{
    struct ddf_config *config = NULL;
    struct ddf_header anchor;
    const char *why = NULL;

    (void)state;
    group_make(RAID_LEVEL_5, 1, 3);
    images_make(2);
    assert_int_equal(ddf_anchor_decode(images[0].anchor, SECTORS, &anchor, &why), 0);
    assert_int_equal(ddf_copy_decode(&anchor, DDF_COPY_SECONDARY, images[0].copies[0],
                                     DDF_COPY_BYTES, &config, &why),
                     -EBADMSG);
    images[0].copies[0][20] ^= 1;
    put_be32(images[0].copies[0] + 4, crc32_ddf_section(images[0].copies[0], 512));
    assert_int_equal(ddf_copy_decode(&anchor, DDF_COPY_PRIMARY, images[0].copies[0], DDF_COPY_BYTES,
                                     &config, &why),
                     -EBADMSG);
    assert_null(config);
}

/* Where a power cut amid a change leaves the drive: the closed copy counts, also if it is old. */
static void test_closed_copy_wins(void **state)
{
    struct ddf_config *config = NULL;
    static struct ddf_image old;

    (void)state;
    group_make(RAID_LEVEL_5, 1, 3);
    images_make(2);
    old = images[0];
    config = image_read(&old);
    config->header.sequence = 3;
    memcpy(images[0].copies[0], old.copies[0], DDF_COPY_BYTES);
    ddf_header_encode(config, DDF_COPY_PRIMARY, true, images[0].copies[0]);
    config = ddf_config_free(config);
    config = image_read(&images[0]);
    assert_int_equal(config->header.sequence, 2); /* the secondary */
    assert_int_equal(config->header.bytes[112], 2);
    config->header.sequence = 3;
    ddf_header_encode(config, DDF_COPY_PRIMARY, false, images[0].copies[0]);
    ddf_header_encode(config, DDF_COPY_SECONDARY, true, images[0].copies[1]);
    config = ddf_config_free(config);
    config = image_read(&images[0]);
    assert_int_equal(config->header.sequence, 3); /* the primary, closed and new */
    assert_int_equal(config->header.bytes[112], 1);
    ddf_header_encode(config, DDF_COPY_PRIMARY, true, images[0].copies[0]);
    config = ddf_config_free(config);
    config = image_read(&images[0]);
    assert_true(config->header.open); /* nothing closed is left; all CRCs are right */
    assert_int_equal(config->header.bytes[112], 1);
    config = ddf_config_free(config);
}

static void test_missing_members(void **state)
{
    const char *why = NULL;

    (void)state;
    group_make(RAID_LEVEL_6, 1, 4);
    images_make(2);
    examine(0x2);
    assert_int_equal(found.state, DDF_FOUND_DEGRADED);
    assert_int_equal(found.places[1].state, DDF_PLACE_MISSING);
    assert_int_equal(found.places[2].state, DDF_PLACE_ONLINE);
    assert_int_equal(ddf_to_group(&drives.set, 0, &read_back, &why), 0);
    assert_int_equal(read_back.members[1].state, MEMBER_MISSING);
    assert_memory_equal(&read_back.members[1].drive, &group.members[1].drive, 16);
    drives_free(&drives);
    examine(0x6);
    assert_int_equal(found.state, DDF_FOUND_DEGRADED);
    drives_free(&drives);
    examine(0x7);
    assert_int_equal(found.state, DDF_FOUND_INCOMPLETE);
    drives_free(&drives);
    group_make(RAID_LEVEL_10, 2, 2);
    images_make(2);
    examine(0x3); /* a whole span: the record of the other one tells how many there are */
    assert_int_equal(found.state, DDF_FOUND_INCOMPLETE);
    assert_int_equal(found.place_count, 4);
    drives_free(&drives);
    group_make(RAID_LEVEL_1E, 1, 5);
    images_make(2);
    examine(0x5); /* no two neighbors */
    assert_int_equal(found.state, DDF_FOUND_DEGRADED);
    drives_free(&drives);
    examine(0x6);
    assert_int_equal(found.state, DDF_FOUND_INCOMPLETE);
    drives_free(&drives);
}

/* Every state of a member comes back as it was, with the codes that other readers know. */
static void test_member_states(void **state)
{
    static const uint16_t codes[MEMBER_STATE_MAX] = {0x0001, 0x0005, 0x0003, 0x0042, 0x0000};
    const char *why = NULL;

    (void)state;
    for (unsigned i = 0; i < MEMBER_STATE_MAX; i++) {
        group_make(RAID_LEVEL_6, 1, 4);
        group.members[2].state = (enum member_state)i;
        images_make(2);
        assert_int_equal(get_be16(images[0].copies[0] + 2 * 512 + 64 * 3 + 30), codes[i]);
        assert_int_equal(images[0].copies[0][130 * 512 + 64 + 32], i == 0 ? 0 : 5);
        examine(0);
        assert_int_equal(ddf_to_group(&drives.set, 0, &read_back, &why), 0);
        assert_int_equal(read_back.members[2].state, i);
        drives_free(&drives);
    }
}

/* A drive that was away while the others went on is not in sync, whatever they say of it. */
static void test_stale_drive(void **state)
{
    static struct ddf_image old;
    const char *why = NULL;

    (void)state;
    group_make(RAID_LEVEL_5, 1, 4);
    images_make(2);
    old = images[1];
    images_make(9);
    images[1] = old;
    examine(0);
    assert_int_equal(found.state, DDF_FOUND_DEGRADED);
    assert_int_equal(found.places[1].state, DDF_PLACE_STALE);
    assert_int_equal(ddf_to_group(&drives.set, 0, &read_back, &why), 0);
    assert_int_equal(read_back.members[1].state, MEMBER_FAILED);
    assert_int_equal(read_back.members[1].why, REASON_DRIVE_LOST_STALE);
    drives_free(&drives);
    images[2] = old; /* two of them, far behind: not without being asked */
    images_make(9);
    images[1] = old;
    group_make(RAID_LEVEL_5, 1, 4);
    {
        struct ddf_group_source source = source_of(2);

        image_make(&source, 2, SECTORS, &images[2]);
    }
    examine(0);
    assert_int_equal(found.state, DDF_FOUND_INCOMPLETE);
    drives_free(&drives);
}

/* A change cut short: half of the drives have it. All are good, but no row is known consistent. */
static void test_change_cut_short(void **state)
{
    static struct ddf_image old[2];

    (void)state;
    group_make(RAID_LEVEL_5, 1, 4);
    images_make(8);
    old[0] = images[0];
    old[1] = images[3];
    images_make(9);
    images[0] = old[0];
    images[3] = old[1];
    examine(0);
    assert_int_equal(found.state, DDF_FOUND_OPTIMAL);
    assert_true(found.inconsistent);
    drives_free(&drives);
}

static void test_twins_and_strangers(void **state)
{
    (void)state;
    group_make(RAID_LEVEL_5, 1, 3);
    images_make(2);
    images[2] = images[1]; /* a clone in place of the third drive */
    examine(0);
    assert_int_equal(found.places[1].state, DDF_PLACE_MISSING); /* which is the right one? */
    assert_int_equal(found.state, DDF_FOUND_INCOMPLETE);
    drives_free(&drives);
    images_make(2);
    drives_read(&drives, 0x4);
    group.guid.bytes[20] ^= 1;
    images_make(2);
    drives.configs[2] = image_read(&images[2]);
    assert_int_equal(ddf_set_add(&drives.set, drives.configs[2], SECTORS), -EXDEV);
    drives_free(&drives);
}

/* mdadm's words: reference 0 where a member is missing, other layouts, no policies of ours. */
static void test_foreign_words(void **state)
{
    struct ddf_record *record = NULL;
    const char *why = NULL;

    (void)state;
    group_make(RAID_LEVEL_5, 1, 4);
    images_make(2);
    drives_read(&drives, 0x8);
    for (uint32_t i = 0; i < 3; i++) {
        record = &drives.configs[i]->records[0];
        record->members[3].reference = 0;
        memset(record->vendor, 0xFF, sizeof(record->vendor));
        record->cache_policy = 0x0D;
        record->sequence++;
    }
    ddf_set_examine(&drives.set, 0, &found);
    assert_int_equal(found.state, DDF_FOUND_DEGRADED);
    assert_int_equal(ddf_to_group(&drives.set, 0, &read_back, &why), 0);
    assert_int_equal(read_back.members[3].state, MEMBER_MISSING);
    assert_int_equal(read_back.vds[0].write_policy, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(read_back.vds[0].read_policy, READ_POLICY_ADAPTIVE_READ_AHEAD);
    assert_int_equal(read_back.vds[0].target_id, 5);
    for (uint32_t i = 0; i < 3; i++) {
        drives.configs[i]->records[0].qualifier = 2;
    }
    ddf_set_examine(&drives.set, 0, &found);
    assert_int_equal(found.state, DDF_FOUND_UNSUPPORTED);
    assert_non_null(found.why);
    assert_int_equal(ddf_to_group(&drives.set, 0, &read_back, &why), -EOPNOTSUPP);
    drives.configs[0]->records[0].sequence++; /* whichever is the newest counts */
    drives.configs[0]->records[0].qualifier = 3;
    ddf_set_examine(&drives.set, 0, &found);
    assert_int_equal(found.state, DDF_FOUND_DEGRADED);
    drives.configs[0]->records[0].members[1].start_lba = usable[0] / 512;
    ddf_set_examine(&drives.set, 0, &found);
    assert_int_equal(found.state, DDF_FOUND_DAMAGED);
    drives_free(&drives);
}

/* A mirror of an odd size must not lose its end. */
static void test_mirror_size(void **state)
{
    struct geometry geometry;
    const char *why = NULL;
    struct ddf_record record = {.member_count = 2,
                                .level = 1,
                                .span_count = 1,
                                .strip_shift = 0xFF,
                                .secondary_level = 0xFF};

    (void)state;
    record.member_sectors = 65536 + 16;
    assert_int_equal(ddf_geometry_of(&record, &geometry, &why), 0);
    assert_int_equal(geometry.strip_bytes, 8192);
    assert_int_equal(geometry.extent_bytes, (65536 + 16) * 512);
    record.member_sectors = 65536 + 2; /* its last strip is cut off */
    assert_int_equal(ddf_geometry_of(&record, &geometry, &why), 0);
    assert_int_equal(geometry.strip_bytes, 8192);
    assert_int_equal(geometry.extent_bytes, (65536 + 16) * 512);
}

/* A spare's record, and references that would collide. */
static void test_spare_and_references(void **state)
{
    struct ddf_config *config = NULL;
    struct ddf_config *again = NULL;

    (void)state;
    group_make(RAID_LEVEL_5, 1, 4);
    memset(group.members[0].drive.bytes, 0, 4);
    memset(group.members[1].drive.bytes, 0xFF, 4);
    memset(group.members[2].drive.bytes, 0, 4);
    images_make(2);
    config = image_read(&images[2]);
    assert_int_equal(config->pds[0].reference, 1);
    assert_int_equal(config->pds[1].reference, 2);
    assert_int_equal(config->pds[2].reference, 3);
    assert_ptr_equal(ddf_own_pd(config), &config->pds[2]);
    config->has_spare = true;
    config->spare = (struct ddf_spare){.time = 5, .type = DDF_SPARE_DEDICATED, .count = 2};
    config->spare.entries[1].vd = group.vds[0].guid;
    config->spare.entries[1].span = 1;
    image_write(config, &images[2]);
    again = image_read(&images[2]);
    assert_true(again->has_spare);
    assert_memory_equal(&again->spare, &config->spare, sizeof(config->spare));
    config = ddf_config_free(config);
    again = ddf_config_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_damage_falls_back),
        cmocka_unit_test(test_anchor_refuses),
        cmocka_unit_test(test_meaning_refuses),
        cmocka_unit_test(test_copy_of_another),
        cmocka_unit_test(test_closed_copy_wins),
        cmocka_unit_test(test_missing_members),
        cmocka_unit_test(test_member_states),
        cmocka_unit_test(test_stale_drive),
        cmocka_unit_test(test_change_cut_short),
        cmocka_unit_test(test_twins_and_strangers),
        cmocka_unit_test(test_foreign_words),
        cmocka_unit_test(test_mirror_size),
        cmocka_unit_test(test_spare_and_references),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("ddf", tests, NULL, NULL);
}
