/*
 * DDF: any group written to its drives, found in any order and with drives missing, old or
 * doubled, gives the group back as it was, or says that it cannot; it is never another one.
 */
#include <string.h>

#include "aw_test.h"
#include "base/checked.h"
#include "ddf_samples.h"
#include "drive/drive_layout.h"
#include "fresh_seed.h"
#include "meta_samples.h"

#define CASES_DEFAULT 10000u
#define WIDTH_MAX 16u

static struct rng rng;
static struct ddf_image image;
static struct ddf_config *configs[GROUP_MEMBERS_MAX];
static struct ddf_set set;
static uint64_t usable[GROUP_MEMBERS_MAX];

static uint32_t case_count(void)
{
    const char *text = getenv("AW_CASES");

    return text != NULL && text[0] != '\0' ? (uint32_t)strtoul(text, NULL, 10) : CASES_DEFAULT;
}

/* A drive that holds every extent of the group. */
static uint64_t drive_sectors(const struct group_config *group)
{
    uint64_t bytes = UINT64_C(1) << 20;

    for (uint32_t i = 0; i < group->vd_count; i++) {
        bytes =
            max_u64(bytes, group->vds[i].extent_start_bytes + group->vds[i].geometry.extent_bytes);
    }
    return align_up_u64(bytes, 1u << 20) / 512 + 2 * 65536 + rng_below(&rng, 2048);
}

static void group_draw(struct group_config *group)
{
    do {
        sample_group(&rng, group);
    } while (group->vd_count == 0 || group->member_count > WIDTH_MAX);
    for (uint32_t i = 0; i < group->vd_count; i++) {
        struct vd_config *vd = &group->vds[i];

        vd->resync = vd->dirty; /* what is not consistent is resynchronized */
        if (!vd->dirty) {
            vd->consistent_rows = geometry_row_count(&vd->geometry);
        }
    }
}

static void drives_write(const struct group_config *group, uint64_t sectors, uint32_t sequence)
{
    const struct uuid controller = {{7}};
    struct ddf_group_source source = {.group = group,
                                      .controller = &controller,
                                      .usable_bytes = usable,
                                      .sequence = sequence,
                                      .wall_us = rng_u64(&rng) >> 14};

    for (uint32_t i = 0; i < group->member_count; i++) {
        usable[i] = drive_layout_usable_bytes(sectors * 512);
    }
    for (uint32_t i = 0; i < group->member_count; i++) {
        image_make(&source, i, sectors, &image);
        if (rng_below(&rng, 4) == 0) { /* one copy damaged anywhere */
            image.copies[rng_below(&rng, 2)][rng_below(&rng, DDF_COPY_BYTES)] ^= 0x10;
        }
        configs[i] = image_read(&image);
        assert_non_null(configs[i]);
    }
}

static void drives_free(const struct group_config *group)
{
    for (uint32_t i = 0; i < group->member_count; i++) {
        configs[i] = ddf_config_free(configs[i]);
    }
}

/* Shuffled; every drive with a chance of `percent` to be there. */
static uint64_t drives_find(const struct group_config *group, uint64_t sectors, uint32_t percent)
{
    uint32_t order[GROUP_MEMBERS_MAX];
    uint64_t here = 0;

    set = (struct ddf_set){0};
    for (uint32_t i = 0; i < group->member_count; i++) {
        uint32_t at = (uint32_t)rng_below(&rng, i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 0; i < group->member_count; i++) {
        if (rng_below(&rng, 100) < percent || (i + 1 == group->member_count && here == 0)) {
            assert_int_equal(ddf_set_add(&set, configs[order[i]], sectors), 0);
            here |= UINT64_C(1) << order[i];
        }
    }
    return here;
}

static void vd_compare(const struct vd_config *a, const struct vd_config *b)
{
    bool redundant = geometry_span_tolerance(&b->geometry) > 0;

    assert_memory_equal(&a->guid, &b->guid, sizeof(a->guid));
    assert_memory_equal(&a->geometry, &b->geometry, sizeof(a->geometry));
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->target_id, b->target_id);
    assert_true(a->extent_start_bytes == b->extent_start_bytes);
    assert_true(a->size_bytes == b->size_bytes && a->created_us == b->created_us);
    assert_int_equal(a->write_policy, b->write_policy);
    assert_int_equal(a->read_policy, b->read_policy);
    assert_int_equal(a->io_policy, b->io_policy);
    assert_int_equal(a->drive_cache_policy, b->drive_cache_policy);
    assert_int_equal(a->degraded_policy, b->degraded_policy);
    assert_int_equal(a->access, b->access);
    if (redundant) { /* never cleaner than it was */
        assert_true(a->dirty == b->dirty && a->resync == b->resync);
    }
}

/* The first mirror's strip is the only thing that may differ: it has none on disk. */
static void group_compare(const struct group_config *a, const struct group_config *b, uint64_t here)
{
    assert_memory_equal(&a->guid, &b->guid, sizeof(a->guid));
    assert_true(a->sequence == b->sequence);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->member_count, b->member_count);
    assert_int_equal(a->vd_count, b->vd_count);
    for (uint32_t i = 0; i < b->member_count; i++) {
        enum member_state state = b->members[i].state;

        if ((here >> i & 1u) == 0) {
            state = MEMBER_MISSING;
        }
        assert_int_equal(a->members[i].state, state);
        assert_memory_equal(&a->members[i].drive, &b->members[i].drive, 16);
        assert_memory_equal(a->members[i].serial, b->members[i].serial,
                            strnlen(b->members[i].serial, 18));
    }
    for (uint32_t i = 0; i < b->vd_count; i++) {
        bool found = false;

        for (uint32_t j = 0; j < a->vd_count; j++) {
            if (guid_equal(&a->vds[j].guid, &b->vds[i].guid)) {
                vd_compare(&a->vds[j], &b->vds[i]);
                found = true;
            }
        }
        assert_true(found);
    }
}

static bool spans_are_seen(const struct group_config *group, uint64_t here)
{
    const struct geometry *geometry = &group->vds[0].geometry;
    uint64_t mask = (UINT64_C(1) << geometry->members_per_span) - 1;

    for (uint32_t i = 0; i < geometry->span_count; i++) {
        if ((here >> i * geometry->members_per_span & mask) == 0) {
            return false;
        }
    }
    return true;
}

static void any_order_and_any_drives_give_the_group_back(void **state)
{
    static struct group_config group;
    static struct group_config back;
    uint32_t count = case_count() / 4;

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t sectors = 0;

        group_draw(&group);
        sectors = drive_sectors(&group);
        drives_write(&group, sectors, 1 + (uint32_t)rng_below(&rng, 1u << 31));
        for (uint32_t j = 0; j < 4; j++) {
            uint64_t here = drives_find(&group, sectors, j == 0 ? 100 : 70);
            const char *why = NULL;
            int error = ddf_to_group(&set, 0, &back, &why);

            if (!spans_are_seen(&group, here)) {
                continue; /* who is missing is not known to anyone here */
            }
            if (error != 0) {
                fail_msg("case %u: %s", i, why);
            }
            group_compare(&back, &group, here);
        }
        drives_free(&group);
    }
}

/* Some drives of an older generation, in which all were well; their present state is worse. */
static void an_older_generation_is_never_in_sync(void **state)
{
    static struct group_config group;
    static struct ddf_found found;
    uint32_t count = case_count() / 4;

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lag = 1 + (uint32_t)rng_below(&rng, 3);
        uint64_t old = rng_u64(&rng) & rng_u64(&rng);
        uint64_t here = 0;
        uint64_t sectors = 0;
        uint32_t tolerance = 0;

        group_draw(&group);
        for (uint32_t j = 0; j < group.member_count; j++) {
            group.members[j].state = MEMBER_ONLINE;
        }
        tolerance = geometry_span_tolerance(&group.vds[0].geometry);
        sectors = drive_sectors(&group);
        drives_write(&group, sectors, 100);
        old &= (UINT64_C(1) << group.member_count) - 2; /* the first is new */
        for (uint32_t j = 0; j < group.member_count; j++) {
            configs[j]->header.sequence -= (old >> j & 1u) != 0 ? lag : 0;
        }
        here = drives_find(&group, sectors, 100);
        assert_true(here >> (group.member_count - 1) == 1);
        ddf_set_examine(&set, 0, &found);
        for (uint32_t j = 0; j < group.member_count && tolerance > 0; j++) {
            bool taken = found.places[j].state == DDF_PLACE_ONLINE;

            if ((old >> j & 1u) == 0) {
                assert_true(taken);
            } else if (taken) { /* only one behind, only if nothing else helps, and resynced */
                assert_int_equal(lag, 1);
                assert_true(found.inconsistent);
                assert_int_equal(found.state, DDF_FOUND_OPTIMAL);
            }
        }
        drives_free(&group);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_and_any_drives_give_the_group_back),
        cmocka_unit_test(an_older_generation_is_never_in_sync),
    };

    aw_test_catch_asserts();
    rng_seed(&rng, aw_test_seed("ddf", fresh_seed()));
    return cmocka_run_group_tests_name("prop/ddf", tests, NULL, NULL);
}
