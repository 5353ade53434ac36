/*
 * Making a group: what cannot be one is refused, and too little memory leaves nothing behind.
 */
#include "aw_test.h"

#include <string.h>

#include "scarce_memory.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP 65536u

static struct sim_array *array_make(enum raid_level level, uint32_t members, bool stripe_log)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = members,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 2,
                                        .extent_bytes = 16 * STRIP,
                                        .consistent = true,
                                        .stripe_log = stripe_log};
    struct sim_array *array = sim_array_create(sim_world_create(1), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    sim_array_destroy(array);
    sim_world_destroy(world);
}

/* Its drives stay, for other groups. */
static void group_end(struct sim_array *array)
{
    group_stop(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    array->group = group_free(array->group);
}

static int group_make(struct sim_array *array, const struct group_config *config)
{
    return group_create(config, array->drives, &array->controller, array->store,
                        sim_world_clock(array->world), NULL, NULL, &array->group);
}

static void test_without_memory(void **state UNUSED)
{
    const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_5};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        struct sim_array *array = array_make(levels[i], 4, true);
        uint32_t failures = 0;

        group_end(array);
        SCARCE_MEMORY(group_make(array, array->config), &failures);
        assert_true(failures >= (levels[i] == RAID_LEVEL_0 ? 10 : 18));
        array->group = group_free(array->group); /* one that was never started */
        assert_null(group_free(NULL));
        assert_int_equal(sim_array_start_again(array), 0);
        assert_int_equal(sim_array_stop(array), 0);
        array_end(array);
    }
}

static void refused(struct sim_array *array, const struct group_config *config)
{
    assert_int_equal(group_make(array, config), -EINVAL);
    assert_null(array->group);
}

static void test_what_cannot_be_a_group(void **state UNUSED)
{
    struct sim_array *array = array_make(RAID_LEVEL_5, 4, false);
    struct group_config *config = malloc(sizeof(*config));

    assert_non_null(config);
    group_end(array);
    *config = *array->config;
    config->member_count = 0;
    refused(array, config);
    config->member_count = GROUP_MEMBERS_MAX + 1;
    refused(array, config);
    config->member_count = 3; /* other than the virtual drives' */
    refused(array, config);
    *config = *array->config;
    config->vd_count = GROUP_VDS_MAX + 1;
    refused(array, config);
    *config = *array->config;
    config->vds[1].geometry.strip_bytes = 3000;
    refused(array, config);
    *config = *array->config;
    config->vds[1].extent_start_bytes = drive_usable_bytes(array->drives[0]);
    refused(array, config);
    *config = *array->config;
    config->vd_count = 0; /* drives alone are one */
    assert_int_equal(group_make(array, config), 0);
    array->group = group_free(array->group);
    free(config);
    assert_int_equal(sim_array_start_again(array), 0);
    assert_int_equal(sim_array_stop(array), 0);
    array_end(array);
}

/* Without memory for a substitute the others wait for the late operation; and not all that is late
 * gets one. */
static void test_substitutes(void **state UNUSED)
{
    struct sim_array *array = array_make(RAID_LEVEL_5, 4, false);
    struct group *group = array->group;
    struct list *node = NULL;

    group->late_ops = 1000; /* as if so many were held up */
    for (uint32_t nth = 1; nth <= 2; nth++) {
        scarce_memory_fail(nth);
        stripe_op_substitute(group);
        assert_true(scarce_memory_end());
        assert_int_equal(group->substitute_count, 0);
        assert_true(list_is_empty(&group->substitutes));
    }
    for (uint32_t i = 0; i < 2 * STRIPE_SUBSTITUTES_MAX; i++) {
        stripe_op_substitute(group);
    }
    assert_int_equal(group->substitute_count, STRIPE_SUBSTITUTES_MAX);
    group->late_ops = STRIPE_SUBSTITUTES_MAX;
    stripe_op_substitute(group);
    assert_int_equal(group->substitute_count, STRIPE_SUBSTITUTES_MAX);
    for (uint32_t i = 0; i < STRIPE_SUBSTITUTES_MAX; i++) {
        node = list_pop_head(&group->substitutes);
        assert_non_null(node);
        list_push_tail(&group->substitutes, node);
    }
    group->late_ops = 0;
    group_end(array);
    assert_int_equal(sim_array_start_again(array), 0);
    assert_int_equal(sim_array_stop(array), 0);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_what_cannot_be_a_group),
        cmocka_unit_test(test_substitutes),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/create", tests, NULL, NULL);
}
