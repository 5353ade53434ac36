/*
 * Every kind of record of the state directory, with everything that can keep it from being read:
 * the arrays go on, and an event names the record. A record that is good, but cannot be read now,
 * refuses the start and stays.
 */
#include <errno.h>
#include <string.h>

#include "ctl/finding.h"
#include "ctl/foreign_view.h"
#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)

#define EVENT_MISSING_AT_START 257
#define EVENT_UNDO_DAMAGED 60230
#define EVENT_DRIVE_NUMBERS_LOST 60232
#define EVENT_STATE_RECORD_DAMAGED 60239

static const struct record_kind {
    const char *name;  /* the beginning */
    uint32_t code;     /* of the event that tells */
    const char *value; /* that begins one of its parameters; NULL: it has none */
    uint32_t events;
} kinds[] = {
    {"controller", EVENT_STATE_RECORD_DAMAGED, "r-controller", 1},
    {"group-", EVENT_STATE_RECORD_DAMAGED, "r-group-", 2},
    {"drive-numbers", EVENT_DRIVE_NUMBERS_LOST, NULL, 1},
    {"drive-sizes", EVENT_STATE_RECORD_DAMAGED, "r-drive-sizes", 1},
    {"battery", EVENT_STATE_RECORD_DAMAGED, "r-battery", 1},
    {"undo-00", EVENT_UNDO_DAMAGED, "undo-00", 1},
};
/* Its bytes; its device; a directory in its place; no permission; a symbolic link. */
static const int damages[] = {-EBADMSG, -EMSGSIZE, -EIO, -EISDIR, -EACCES, -ELOOP};
/* A later version's; nothing to read it with. */
static const int refusals[] = {-EPROTONOSUPPORT, -ENOMEM, -EMFILE, -ENFILE};

static struct ctl_world *world_with_records(void)
{
    struct ctl_world *world = world_new(5, 9);

    world->battery = (struct ctl_battery_options){.fitted = true,
                                                  .kind = BATTERY_KIND_EMULATED,
                                                  .speed = 1,
                                                  .profile = {.name = "smart",
                                                              .model = "LSIiBBU01",
                                                              .smart = true,
                                                              .design_capacity_mah = 1500,
                                                              .design_voltage_mv = 3700,
                                                              .retention_s = 72 * 3600,
                                                              .charge_s = 4 * 3600,
                                                              .ready_percent = 60,
                                                              .low_percent = 20,
                                                              .worn_percent = 50,
                                                              .hot_c = 55}};
    for (uint32_t i = 0; i < 8; i++) {
        world->slots[i].offered = world->slots[i].probed = world->slots[i].real = true;
    }
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 3, 2, "mirror"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 5, 2, "gone"), REASON_OK);
    world_write(world, "data", 0, 4096, 0x5A);
    assert_int_equal(world_delete(world, "gone"), REASON_OK);
    assert_int_equal(world_spare(world, 8, NULL), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    return world;
}

static void check_arrays(struct ctl_world *world)
{
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
    assert_true(world_wait_state(world, "mirror", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
    assert_int_equal(world_drive_state(world, 8), DRIVE_STATE_HOT_SPARE);
    world_check(world, "data", 0, 4096, 0x5A);
}

static uint32_t damage_events(const struct ctl_world *world, uint32_t from)
{
    return world_event_count(world, from, EVENT_STATE_RECORD_DAMAGED) +
           world_event_count(world, from, EVENT_UNDO_DAMAGED) +
           world_event_count(world, from, EVENT_DRIVE_NUMBERS_LOST);
}

static bool names(const struct event *event, const char *value)
{
    for (uint32_t i = 0; i < event->param_count; i++) {
        if (strncmp(event->params[i].value, value, strlen(value)) == 0) {
            return true;
        }
    }
    return value == NULL;
}

static void findings_take(void *context, const struct object_head *head, const void *view)
{
    struct finding_list *list = context;

    if (head->kind == OBJECT_KIND_CONTROLLER) {
        *list = *((const struct controller_view *)view)->findings;
    }
}

static const struct finding *finding_of(struct ctl_world *world, enum finding_code code)
{
    static struct finding_list list;
    const struct ctl_visitor visitor = {.object = findings_take, .context = &list};

    ctl_objects_since(world->ctl, 0, &visitor);
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i].code == code) {
            return &list.items[i];
        }
    }
    return NULL;
}

static bool reason_says(const struct reason *reason, const char *words)
{
    char text[REASON_TEXT_MAX];

    (void)reason_text(reason, text, sizeof(text));
    return strstr(text, words) != NULL;
}

static void check_told(const struct ctl_world *world, const struct record_kind *kind)
{
    assert_int_equal(damage_events(world, 0), kind->events);
    assert_int_equal(world_event_count(world, 0, kind->code), kind->events);
    if (kind->value != NULL) {
        assert_true(names(&world->log[world_event(world, 0, kind->code)], kind->value));
    }
}

static void test_every_record(void **state)
{
    struct ctl_world *world = world_with_records();

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        for (size_t j = 0; j < sizeof(damages) / sizeof(damages[0]); j++) {
            world_stop(world);
            world->log_count = 0;
            world->store->get_fail_name = kinds[i].name;
            world->store->get_fails_with = damages[j];
            assert_int_equal(world_try_start(world), 0);
            check_arrays(world);
            check_told(world, &kinds[i]);
            assert_true(
                reason_says(&finding_of(world, FINDING_STATE_RECORD_DAMAGED)->what, kinds[i].name));
            world_stop(world);
            world->store->get_fails_with = 0;
            world->log_count = 0;
            world_start(world); /* what was made anew is good, and says nothing any more */
            check_arrays(world);
            assert_int_equal(damage_events(world, 0), 0);
            assert_null(finding_of(world, FINDING_STATE_RECORD_DAMAGED));
        }
    }
    world_stop(world);
    world_free(world);
}

/* It was moved away, as a finding advises: that is no damage. */
static void test_group_record_that_is_absent(void **state)
{
    struct ctl_world *world = world_with_records();

    (void)state;
    world_stop(world);
    world->store->get_fail_name = "group-";
    world->store->get_fails_with = -ENOENT;
    world_start(world);
    check_arrays(world);
    assert_int_equal(finding_of(world, FINDING_STATE_RECORD_DAMAGED)->what.code,
                     REASON_FINDING_STATE_RECORD_ABSENT);
    assert_int_equal(finding_of(world, FINDING_STATE_RECORD_DAMAGED)->remedy.code,
                     REASON_REMEDY_STATE_RECORD_ABSENT);
    world_stop(world);
    world->store->get_fails_with = 0;
    world_start(world);
    assert_null(finding_of(world, FINDING_STATE_RECORD_DAMAGED));
    world_stop(world);
    world_free(world);
}

static void told_set(void *context, const struct foreign_set_view *set)
{
    (void)snprintf(context, sizeof(object_key_t), "%s", set->id);
}

static void told_drive(void *context, const struct foreign_drive_view *drive)
{
    (void)context;
    (void)drive;
}

static void told_vd(void *context, const struct foreign_vd_view *vd)
{
    (void)context;
    (void)vd;
}

static void told_member(void *context, const struct foreign_member_view *member)
{
    (void)context;
    (void)member;
}

static void told_damaged(void *context, const char *key, const struct reason *reason)
{
    (void)context;
    (void)reason;
    fail_msg("%s is damaged", key);
}

static void foreign_set(struct ctl_world *world, object_key_t id)
{
    const struct ctl_foreign_visitor visitor = {told_set,    told_drive,   told_vd,
                                                told_member, told_damaged, id};

    ctl_foreign(world->ctl, &visitor);
}

static void expect_superseded(struct ctl_world *world, const char *drives)
{
    const struct finding *finding = finding_of(world, FINDING_PLACE_SUPERSEDED);

    assert_non_null(finding);
    assert_true(reason_says(&finding->what, drives));
    assert_null(finding_of(world, FINDING_PLACE_EMPTY));
    finding = finding_of(world, FINDING_VIRTUAL_DRIVE_OFFLINE);
    assert_true(reason_says(&finding->remedy, "fall import"));
    assert_int_equal(world_event_count(world, 0, EVENT_MISSING_AT_START), 0);
}

/* The state directory is from before a deletion and a creation: nothing is lost, the drives say
 * so, and the remedy brings the newer group back. */
static void test_older_state(void **state)
{
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    struct ctl_world *world = world_new(5, 4);
    struct sim_store *older = NULL;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "old"), REASON_OK);
    world_settle(world, MINUTE);
    world_stop(world);
    older = sim_store_fork(world->store, world->sim);
    world_start(world);
    assert_int_equal(world_delete(world, "old"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "new"), REASON_OK);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    world_write(world, "new", 0, 4096, 0x77);
    world_settle(world, MINUTE);
    world_stop(world);
    world->store = older;
    world->log_count = 0;
    world_start(world);
    expect_superseded(world, "252:0, 252:1, 252:2");
    assert_int_equal(world_delete(world, "old"), REASON_OK);
    foreign_set(world, command.args.foreign.set);
    assert_int_equal(world_run(world, &command), REASON_OK);
    assert_true(world_wait_state(world, "new", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
    world_check(world, "new", 0, 4096, 0x77);
    assert_null(finding_of(world, FINDING_PLACE_SUPERSEDED));
    assert_null(finding_of(world, FINDING_FOREIGN_CONFIGURATION));
    world_stop(world);
    world_free(world);
}

/* Going on would put a new record in the place of a good one. */
static void test_refused(void **state)
{
    struct ctl_world *world = world_with_records();

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < sizeof(refusals) / sizeof(refusals[0]); j++) {
            uint64_t hash = 0;

            world_stop(world);
            world->log_count = 0;
            hash = sim_store_hash(world->store);
            world->store->get_fail_name = kinds[i].name;
            world->store->get_fails_with = refusals[j];
            assert_int_equal(world_try_start(world), refusals[j]);
            assert_int_equal(sim_store_hash(world->store), hash);
            world->store->get_fails_with = 0;
            world_start(world);
            check_arrays(world);
            assert_int_equal(damage_events(world, 0), 0);
        }
    }
    world_stop(world);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_record),
        cmocka_unit_test(test_group_record_that_is_absent),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_older_state),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
