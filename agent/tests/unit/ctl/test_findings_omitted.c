/*
 * More findings than the list holds: the worst stay, and the last says how many are left out.
 */
#include <string.h>

#include "ctl_world.h"

#define DRIVES (FINDINGS_MAX + 10)

static void list_take(void *context, const struct object_head *head, const void *view)
{
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        *(struct finding_list *)context = *((const struct controller_view *)view)->findings;
    }
}

static const struct finding_list *look(struct ctl_world *world)
{
    static struct finding_list list;
    const struct ctl_visitor visitor = {.object = list_take, .context = &list};

    memset(&list, 0, sizeof(list));
    ctl_objects_since(world->ctl, 0, &visitor);
    return &list;
}

static uint32_t count_of(const struct finding_list *list, enum finding_code code)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        count += list->items[i].code == code;
    }
    return count;
}

/* All listed but the last, which says how many are not. */
static void expect_omitted(struct ctl_world *world, const char *what)
{
    const struct finding_list *list = look(world);
    const struct finding *last = &list->items[FINDINGS_MAX - 1];
    char text[REASON_TEXT_MAX];

    assert_int_equal(list->count, FINDINGS_MAX);
    assert_int_equal(count_of(list, FINDING_FINDINGS_OMITTED), 1);
    assert_int_equal(last->code, FINDING_FINDINGS_OMITTED);
    assert_string_equal(last->path, "/c0");
    assert_true(last->since_us > 0);
    (void)reason_text(&last->what, text, sizeof(text));
    assert_string_equal(text, what);
}

static void predict_failure(struct ctl_world *world, uint32_t slot)
{
    struct drive_health health = {.state = SMART_STATE_FAILING, .checked_us = 1};

    reason_set(&health.reason, REASON_SMART_FAILING, "detail", "as played", NULL);
    assert_true(ctl_drive_health(world->ctl, slot_key(world, slot), &health));
}

static void test_too_many(void **state UNUSED)
{
    struct ctl_world *world = world_new(1, DRIVES);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 1, "data"), REASON_OK);
    for (uint32_t slot = 1; slot <= FINDINGS_MAX; slot++) {
        predict_failure(world, slot);
    }
    world_settle(world, 5 * 60 * SIM_SECOND);
    assert_int_equal(look(world)->count, FINDINGS_MAX);
    assert_int_equal(count_of(look(world), FINDING_DRIVE_PREDICTIVE_FAILURE), FINDINGS_MAX);
    assert_null(world_finding(world, FINDING_FINDINGS_OMITTED, NULL));
    for (uint32_t slot = FINDINGS_MAX + 1; slot < DRIVES; slot++) {
        predict_failure(world, slot);
    }
    world_settle(world, 5 * 60 * SIM_SECOND);
    expect_omitted(world, "There are more findings than can be listed. Not listed: 10.");
    /* What is worse takes a place. */
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, 60 * SIM_SECOND);
    assert_int_equal(look(world)->items[0].code, FINDING_VIRTUAL_DRIVE_OFFLINE);
    assert_int_equal(count_of(look(world), FINDING_FINDINGS_OMITTED), 1);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_too_many)};

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("findings-omitted", tests, NULL, NULL);
}
