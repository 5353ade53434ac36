/*
 * Metadata that mdadm 4.2 and a stock kernel have written (tests/qemu/ddf_judge.py --keep), every
 * sector that is not all FF, each behind its LBA: what our reader makes of it, and that our
 * writer makes the same bytes of that.
 */
#include <string.h>

#include "aw_test.h"
#include "base/bytes.h"
#include "ddf_samples.h"

#define SECTORS UINT64_C(196608) /* 96 MiB */
#define DRIVES_MAX 5u

static const char *folder;
static struct ddf_image images[DRIVES_MAX];
static struct ddf_config *configs[DRIVES_MAX];
static struct ddf_set set;
static struct ddf_found found;

static void sector_place(struct ddf_image *image, uint64_t lba, const uint8_t *sector)
{
    uint64_t from_end = SECTORS - lba;

    assert_in_range(from_end, 1, 65536);
    if (from_end == 1) {
        memcpy(image->anchor, sector, 512);
    } else if (from_end <= 32768) {
        memcpy(image->copies[0] + (32768 - from_end) * 512, sector, 512);
    } else {
        memcpy(image->copies[1] + (65536 - from_end) * 512, sector, 512);
    }
}

static void image_load(const char *name, uint32_t drive, struct ddf_image *image)
{
    uint8_t record[8 + 512];
    char path[4096];
    FILE *file = NULL;

    (void)snprintf(path, sizeof(path), "%s/%s-d%u", folder, name, drive);
    file = fopen(path, "rb");
    assert_non_null(file);
    memset(image, 0xFF, sizeof(*image));
    image->sectors = SECTORS;
    while (fread(record, sizeof(record), 1, file) == 1) {
        sector_place(image, get_be64(record), record + 8);
    }
    assert_true(feof(file));
    (void)fclose(file); /* only read from */
}

static void set_load(const char *name, uint32_t drives)
{
    set = (struct ddf_set){0};
    for (uint32_t i = 0; i < drives; i++) {
        image_load(name, i, &images[i]);
        configs[i] = image_read(&images[i]);
        assert_non_null(configs[i]);
        assert_int_equal(ddf_set_add(&set, configs[i], SECTORS), 0);
    }
    assert_int_equal(set.newest->vd_count, 1);
    ddf_set_examine(&set, 0, &found);
    assert_string_equal(found.vd->name, "judge");
    assert_false(found.inconsistent);
    assert_true(found.geometry.strip_bytes == 65536);
    assert_true(found.geometry.extent_bytes == 8 << 20);
}

static void set_free(void)
{
    for (uint32_t i = 0; i < DRIVES_MAX; i++) {
        configs[i] = ddf_config_free(configs[i]);
    }
}

static void same(const struct ddf_image *a, const struct ddf_image *b, uint32_t first,
                 uint32_t sectors)
{
    for (unsigned i = 0; i < 2; i++) {
        assert_memory_equal(a->copies[i] + first * 512, b->copies[i] + first * 512, sectors * 512);
    }
}

/* Written by us, mdadm's description has mdadm's bytes; the path of a drive, a hint in the table
 * of virtual drives and what is in a free slot is all that may differ. */
static void written_the_same(uint32_t drives)
{
    static struct ddf_image written;

    for (uint32_t i = 0; i < drives; i++) {
        written.sectors = SECTORS;
        ddf_header_prepare(&configs[i]->header, SECTORS);
        image_write(configs[i], &written);
        assert_memory_equal(written.anchor + 8, images[i].anchor + 8, 36);
        assert_memory_equal(written.anchor + 48, images[i].anchor + 48, 512 - 48);
        same(&written, &images[i], 0, 2);
        same(&written, &images[i], 162, 7 * configs[i]->record_count);
        same(&written, &images[i], 617, 1);
        for (uint32_t j = 0; j < configs[i]->pd_count; j++) {
            assert_memory_equal(written.copies[0] + 2 * 512 + 64 * (j + 1),
                                images[i].copies[0] + 2 * 512 + 64 * (j + 1), 40);
        }
        assert_memory_equal(written.copies[0] + 130 * 512 + 64 + 32,
                            images[i].copies[0] + 130 * 512 + 64 + 32, 32);
    }
}

static void test_rebuilt_onto_a_spare(void **state)
{
    static struct group_config group;
    const char *why = NULL;

    (void)state;
    set_load("md5spare", 4);
    assert_int_equal(found.state, DDF_FOUND_OPTIMAL);
    assert_int_equal(found.geometry.level, RAID_LEVEL_5);
    assert_int_equal(found.place_count, 3);
    assert_int_equal(found.places[0].drive, 0);
    assert_int_equal(found.places[1].drive, 3); /* the spare */
    assert_int_equal(found.places[2].drive, 2);
    assert_int_equal(ddf_to_group(&set, 0, &group, &why), 0);
    assert_int_equal(group.member_count, 3);
    assert_true(group.vds[0].size_bytes == 16 << 20);
    written_the_same(4);
    set_free();
}

static void test_failed_member(void **state)
{
    (void)state;
    set_load("md6lost", 5);
    assert_int_equal(found.state, DDF_FOUND_DEGRADED);
    assert_int_equal(found.geometry.level, RAID_LEVEL_6);
    assert_int_equal(found.places[4].state, DDF_PLACE_FAILED);
    assert_int_equal(found.places[3].state, DDF_PLACE_ONLINE);
    set_free();
}

static void test_two_spans(void **state)
{
    (void)state;
    set_load("md10", 4);
    assert_int_equal(found.state, DDF_FOUND_OPTIMAL);
    assert_int_equal(found.geometry.level, RAID_LEVEL_10);
    assert_int_equal(found.geometry.span_count, 2);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(found.places[i].drive, i);
        assert_int_equal(configs[i]->record_count, 1);
        assert_int_equal(configs[i]->records[0].span, i / 2);
    }
    written_the_same(4);
    set_free();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rebuilt_onto_a_spare),
        cmocka_unit_test(test_failed_member),
        cmocka_unit_test(test_two_spans),
    };

    aw_test_catch_asserts();
    if (argc != 2) {
        fprintf(stderr, "usage: test_meta_ddf_golden FOLDER\n");
        return 2;
    }
    folder = argv[1];
    return cmocka_run_group_tests_name("ddf_golden", tests, NULL, NULL);
}
