/*
 * A drive that hangs while a group starts and answers long after: its transfer may still write to
 * the memory it was given, which must not serve for anything else meanwhile.
 */
#include "aw_test.h"

#include <string.h>

#include "drive/drive_layout.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP 65536u
#define ROWS 64u
#define MEMBERS 4u
#define ROW_BYTES ((MEMBERS - 1) * STRIP)

struct late {
    struct sim_array *array;
    uint64_t map_offset; /* of both places, the first page */
    uint32_t reads, writes;
};

static void put(struct sim_array *array, uint64_t row)
{
    static uint8_t bytes[4096];

    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false,
                                  row * ROW_BYTES, sizeof(bytes), bytes),
                     VD_STATUS_OK);
}

static uint64_t page_offset(const struct sim_array *array, uint32_t place)
{
    const struct sim_drive *sim = array->sims[0];
    uint32_t slot = array->group != NULL ? group_config(array->group)->vds[0].map_slot : 1;

    assert_true(slot > 0);
    return drive_layout_region_page_offset(sim->port.size_bytes, false, slot - 1, place, 0);
}

/* The first member hangs when its map is read, and answers when another one's is written. */
static void watch(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct late *late = context;
    struct sim_array *array = late->array;

    if (request->offset_bytes != late->map_offset &&
        request->offset_bytes != page_offset(array, 1)) {
        return;
    }
    if (request->op == IO_OP_READ && sim == array->sims[0] && late->reads++ == 0) {
        sim->hang = true;
    } else if (request->op == IO_OP_WRITE && late->writes++ == 0) {
        sim_drive_unhang(array->sims[0]);
    }
}

static void test_a_map_that_comes_late(void **state UNUSED)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = MEMBERS,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .region_bytes = STRIP,
                                        .consistent = true};
    struct sim_world *world = sim_world_create(1);
    struct sim_array *array = sim_array_create(world, &options);
    struct late late = {.array = array};
    struct region_map *map = NULL;
    uint64_t newest = 0;

    assert_int_equal(sim_array_start(array), 0);
    put(array, 0);
    sim_world_advance(world, 60 * SIM_SECOND);
    late.map_offset = page_offset(array, 0);
    assert_int_equal(sim_array_stop(array), 0);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        array->sims[i]->on_submit = watch;
        array->sims[i]->on_submit_context = &late;
    }
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(late.reads, 1);
    assert_int_not_equal(group_config(array->group)->members[0].state, MEMBER_ONLINE);
    assert_int_equal(array->sims[0]->in_flight_count, 1); /* still out */
    for (uint32_t i = 1; i < MEMBERS; i++) {
        array->sims[i]->extra_latency_us = 50000; /* so that the late one is the first */
    }
    late.writes = 0;
    put(array, 40);
    assert_true(late.writes > 0);
    assert_int_equal(array->sims[0]->in_flight_count, 0);
    /* What the others have been given is the page as it is now. */
    map = region_store_map(sim_array_vd(array, 0)->regions);
    for (uint32_t place = 0; place < 2; place++) {
        uint8_t bytes[REGION_PAGE_BYTES];
        struct region_page page;

        sim_drive_peek_durable(array->sims[1], page_offset(array, place), bytes, sizeof(bytes));
        if (region_page_decode(bytes, &page) == 0 && page.sequence > newest) {
            newest = page.sequence;
        }
    }
    assert_true(newest > 0);
    assert_int_equal(newest, map->pages[0].sequence);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        array->sims[i]->on_submit = NULL;
    }
    assert_int_equal(sim_array_stop(array), 0);
    sim_array_destroy(array);
    sim_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_map_that_comes_late),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/late", tests, NULL, NULL);
}
