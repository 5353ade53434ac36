/*
 * Previews and documents: what they say, and that they say it when it changes.
 */
#include <string.h>

#include "ctl_world.h"

#define EVENT_STATE_RECORD_DAMAGED 60239

#define MINUTE (60 * SIM_SECOND)

static bool warns(const struct ctl_preview *preview, enum reason_code code)
{
    for (uint32_t i = 0; i < preview->warning_count; i++) {
        if (preview->warnings[i].code == code) {
            return true;
        }
    }
    return false;
}

static void test_preview(void **state)
{
    struct ctl_world *world = world_new(1, 9);
    struct ctl_preview preview;
    struct ctl_command *command = NULL;
    char digest[65];

    (void)state;
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_5, 0, 4, "data");
    command->args.vd_create.spare_count = 1;
    strcpy(command->args.vd_create.spares[0], slot_key(world, 6));
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_true(preview.ok);
    assert_int_equal(preview.size_bytes, 24 * MIB);
    assert_int_equal(preview.raw_bytes, 288 * MIB);
    assert_int_equal(preview.drive_failures_tolerated, 1);
    assert_string_equal(preview.tolerance, "Any one drive may fail.");
    assert_int_equal(preview.row_bytes, 3 * 65536);
    assert_int_equal(preview.block_bytes, 512);
    assert_int_equal(preview.init_seconds, -1);
    assert_int_equal(preview.warning_count, 0);
    assert_string_equal(preview.cli,
                        "arrayctl /c0 add vd type=r5 size=all name=data drives=252:0-3 wt nora "
                        "direct strip=64 spares=252:6");
    assert_int_equal(strlen(preview.plan_digest), 64);
    memcpy(digest, preview.plan_digest, sizeof(digest));
    command->args.vd_create.size_bytes = 10 * MIB;
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_string_not_equal(digest, preview.plan_digest);
    assert_int_equal(preview.size_bytes, 10 * MIB / (3 * 65536) * (3 * 65536)); /* whole rows */
    assert_non_null(strstr(preview.cli, "size=10176kb"));

    command = world_create_command(world, RAID_LEVEL_0, 0, 2, "");
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_true(warns(&preview, REASON_WARNING_NO_REDUNDANCY));
    assert_string_equal(preview.tolerance, "No drive may fail.");
    assert_non_null(strstr(preview.cli, "name=vd0"));
    command = world_create_command(world, RAID_LEVEL_10, 0, 8, "x");
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_int_equal(preview.span_count, 4);
    assert_int_equal(preview.drives_per_span, 2);
    assert_true(warns(&preview, REASON_WARNING_NO_SPARE));
    assert_string_equal(preview.tolerance,
                        "Any one drive may fail, and one in every other mirror as well.");
    assert_non_null(strstr(preview.cli, "type=r10"));
    assert_non_null(strstr(preview.cli, "pdperarray=2"));
    command->args.vd_create.drives_per_span = 4;
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_int_equal(preview.span_count, 2);
    assert_string_equal(preview.tolerance,
                        "Any 3 drives may fail, and 3 in every other mirror as well.");
    /* One mirror of three and of four, asked for. */
    command = world_create_command(world, RAID_LEVEL_1, 0, 3, "x");
    command->args.vd_create.drives_per_span = 3;
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_true(preview.ok);
    assert_int_equal(preview.level, RAID_LEVEL_1);
    assert_string_equal(preview.tolerance, "Any 2 drives may fail.");
    command = world_create_command(world, RAID_LEVEL_1, 0, 4, "x");
    command->args.vd_create.drives_per_span = 4;
    ctl_preview(world->ctl, &command->args.vd_create, &preview);
    assert_int_equal(preview.level, RAID_LEVEL_1);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0); /* nothing done */
    world_free(world);
}

static void test_n_way_mirror(void **state)
{
    struct ctl_world *world = world_new(2, 3);
    struct ctl_command *command = NULL;
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_1, 0, 3, "three");
    command->args.vd_create.drives_per_span = 3;
    assert_int_equal(world_run(world, command), REASON_OK);
    world_write(world, "three", 0, 65536, 0x3c);
    assert_true(world_vd(world, "three", &view, NULL));
    assert_int_equal(view.drive_failures_left, 2);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 2, FAULT_KIND_PULL), REASON_OK);
    world_check(world, "three", 0, 65536, 0x3c);
    assert_true(world_vd(world, "three", &view, NULL));
    assert_int_equal(view.drive_failures_left, 0);
    world_free(world);
}

/* What an unclean stop can cost, in words; and the switch that changes it. */
static void test_guarantees(void **state)
{
    struct ctl_world *world = world_new(7, 5);
    struct ctl_command set = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    assert_int_equal(world_run(world, world_create_command(world, RAID_LEVEL_5, 0, 3, "five")),
                     REASON_OK);
    assert_int_equal(world_run(world, world_create_command(world, RAID_LEVEL_0, 3, 2, "zero")),
                     REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_vd(world, "zero", &view, set.args.vd_set.vd));
    assert_int_equal(view.guarantee.code, REASON_GUARANTEE_NO_REDUNDANCY);
    set.args.vd_set.fields = VD_SET_STRIPE_LOG;
    set.args.vd_set.stripe_log = true;
    assert_int_equal(world_run(world, &set), REASON_NO_REDUNDANCY);
    assert_true(world_vd(world, "five", &view, set.args.vd_set.vd));
    assert_int_equal(view.guarantee.code, REASON_GUARANTEE_STRIPE_LOG_AUTO);
    assert_int_equal(world_run(world, &set), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_vd(world, "five", &view, NULL));
    assert_int_equal(view.guarantee.code, REASON_GUARANTEE_STRIPE_LOG);
    world_write(world, "five", 4096, 4096, 0x11);
    set.args.vd_set.stripe_log = false;
    assert_int_equal(world_run(world, &set), REASON_OK);
    assert_true(world_vd(world, "five", &view, NULL));
    assert_int_equal(view.guarantee.code, REASON_GUARANTEE_REGION_MAP);
    world_free(world);
}

static void test_policies(void **state)
{
    struct ctl_world *world = world_new(3, 3);
    struct ctl_command *command = NULL;
    struct ctl_command set = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    (void)state;
    world_start(world);
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");
    command->args.vd_create.write_policy = WRITE_POLICY_WRITE_BACK;
    command->args.vd_create.read_policy = READ_POLICY_READ_AHEAD;
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_true(world_vd(world, "data", &view, set.args.vd_set.vd));
    assert_string_equal(view.policies.write_policy.requested, "write_back");
    assert_string_equal(view.policies.write_policy.effective, "write_through");
    assert_int_equal(view.policies.write_policy.reason.code, REASON_NO_CACHE_MEMORY);
    assert_string_equal(view.policies.read_policy.effective, "no_read_ahead");
    assert_int_equal(view.guarantee.code, REASON_GUARANTEE_MIRROR);
    set.args.vd_set.fields = VD_SET_WRITE_POLICY | VD_SET_NAME;
    set.args.vd_set.write_policy = WRITE_POLICY_WRITE_THROUGH;
    strcpy(set.args.vd_set.name, "renamed");
    world->connections = 1;
    assert_int_equal(world_run(world, &set), REASON_OK);
    assert_int_equal(world_event_count(world, 0, 54), 2);
    assert_true(world_vd(world, "renamed", &view, NULL));
    assert_int_equal(view.policies.write_policy.reason.code, REASON_AS_REQUESTED);
    /* At once, and its user is not disturbed. */
    assert_string_equal(view.exports.nbd_unix_uri, "nbd+unix:///renamed?socket=/run/aw/nbd.sock");
    assert_int_equal(world->exports_closed, 0);
    world->connections = 0;
    set.args.vd_set.fields = VD_SET_ACCESS;
    set.args.vd_set.access = ACCESS_POLICY_BLOCKED;
    assert_int_equal(world_run(world, &set), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world->exported_count, 0);
    assert_int_equal(world->exports_closed, 1);
    set.args.vd_set.access = ACCESS_POLICY_READ_ONLY;
    assert_int_equal(world_run(world, &set), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world->exported_count, 1);
    assert_true(world->exported[0]->read_only);
    world_restart(world);
    assert_true(world_vd(world, "renamed", &view, NULL));
    assert_int_equal(view.config->access, ACCESS_POLICY_READ_ONLY);
    world_free(world);
}

static bool is_blocked(const struct blocked *blocked, enum ctl_op op, const char *action,
                       enum reason_code code)
{
    for (uint32_t i = 0; i < blocked->count; i++) {
        if (blocked->items[i].op == op &&
            (action == NULL ? blocked->items[i].action == NULL
                            : blocked->items[i].action != NULL &&
                                  strcmp(blocked->items[i].action, action) == 0)) {
            assert_string_equal(reason_code_word(blocked->items[i].reason.code),
                                reason_code_word(code));
            return true;
        }
    }
    return false;
}

static void test_blocked(void **state)
{
    struct ctl_world *world = world_new(4, 4);
    struct drive_view drive;
    struct drive_group_view group;
    struct virtual_drive_view vd;

    (void)state;
    world_start(world);
    assert_true(world_drive(world, 3, &drive));
    assert_false(is_blocked(&drive.blocked, CTL_OP_SPARE_ADD, NULL, REASON_OK));
    assert_false(is_blocked(&drive.blocked, CTL_OP_FAULT_INJECT, NULL, REASON_OK));
    assert_true(is_blocked(&drive.blocked, CTL_OP_SPARE_REMOVE, NULL, REASON_NOT_A_SPARE));
    assert_true(is_blocked(&drive.blocked, CTL_OP_DRIVE_OFFLINE, NULL, REASON_WRONG_STATE));
    assert_true(is_blocked(&drive.blocked, CTL_OP_REBUILD, "start", REASON_NOTHING_TO_REBUILD));
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_drive(world, 0, &drive));
    assert_true(is_blocked(&drive.blocked, CTL_OP_SPARE_ADD, NULL, REASON_DRIVE_NOT_UGOOD));
    assert_false(is_blocked(&drive.blocked, CTL_OP_DRIVE_OFFLINE, NULL, REASON_OK));
    assert_true(world_group(world, 0, &group, NULL));
    assert_true(is_blocked(&group.blocked, CTL_OP_VD_CREATE, NULL, REASON_GROUP_FULL));
    assert_true(is_blocked(&group.blocked, CTL_OP_DRIVE_REPLACE, NULL, REASON_NO_VACANT_PLACE));
    assert_true(world_vd(world, "data", &vd, NULL));
    assert_true(is_blocked(&vd.blocked, CTL_OP_BGI, "start", REASON_ALREADY_RUNNING));
    assert_false(is_blocked(&vd.blocked, CTL_OP_BGI, "pause", REASON_OK));
    assert_false(is_blocked(&vd.blocked, CTL_OP_VD_DELETE, NULL, REASON_OK));
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_true(world_drive(world, 0, &drive));
    assert_true(is_blocked(&drive.blocked, CTL_OP_DRIVE_OFFLINE, NULL, REASON_LAST_COPY));
    assert_true(world_group(world, 0, &group, NULL));
    assert_false(is_blocked(&group.blocked, CTL_OP_DRIVE_REPLACE, NULL, REASON_OK));
    world_free(world);
}

struct seen {
    uint32_t objects, tombstones;
    uint64_t highest;
    object_key_t tombstone;
    enum controller_status status;
    uint32_t levels;
};

static void see_object(void *context, const struct object_head *head, const void *view)
{
    struct seen *seen = context;

    seen->objects++;
    seen->highest = head->rev > seen->highest ? head->rev : seen->highest;
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        const struct controller_view *controller = view;

        seen->status = controller->status;
        seen->levels = controller->level_count;
        assert_string_equal(controller->path, "/c0");
        assert_int_equal(strlen(controller->serial), 32);
        for (uint32_t i = 0; i < controller->level_count; i++) {
            assert_true(controller->levels[i].drives_min >= 1);
            assert_true(controller->levels[i].drives_max >= controller->levels[i].drives_min);
            assert_int_equal(
                controller->levels[i].drives_min % controller->levels[i].drives_multiple, 0);
        }
    }
}

static void see_tombstone(void *context, const struct object_head *head)
{
    struct seen *seen = context;

    seen->tombstones++;
    seen->highest = head->rev > seen->highest ? head->rev : seen->highest;
    memcpy(seen->tombstone, head->key, sizeof(seen->tombstone));
}

static struct seen see(struct ctl_world *world, uint64_t since)
{
    struct seen seen = {0};
    const struct ctl_visitor visitor = {see_object, see_tombstone, &seen};

    world_settle(world, 0);
    ctl_objects_since(world->ctl, since, &visitor);
    return seen;
}

static void test_since(void **state)
{
    struct ctl_world *world = world_new(5, 4);
    struct seen seen;
    uint64_t rev = 0;
    uint32_t changes = 0;

    (void)state;
    world_start(world);
    world_settle(world, SIM_SECOND);
    seen = see(world, 0);
    assert_int_equal(seen.objects, 1 + 1 + 1 + 4);
    assert_int_equal(seen.levels, RAID_LEVEL_MAX);
    assert_int_equal(seen.status, CONTROLLER_STATUS_OPTIMAL);
    assert_int_equal(seen.highest, ctl_rev(world->ctl));
    rev = ctl_rev(world->ctl);
    changes = world->changes;
    world_settle(world, MINUTE);
    assert_int_equal(see(world, rev).objects, 0); /* nothing happens: nothing changes */
    assert_int_equal(world->changes, changes);
    ctl_drive_temperature(world->ctl, &world->slots[2], 41);
    seen = see(world, rev);
    assert_int_equal(seen.objects, 1);
    rev = ctl_rev(world->ctl);
    slot_depart(world, 3);
    world_settle(world, SIM_SECOND);
    seen = see(world, rev);
    assert_int_equal(seen.tombstones, 1);
    assert_string_equal(seen.tombstone, slot_key(world, 3));
    assert_int_equal(seen.highest, ctl_rev(world->ctl));
    slot_arrive(world, 3); /* an object again, and no tombstone */
    seen = see(world, rev);
    assert_int_equal(seen.tombstones, 0);
    assert_int_equal(seen.objects, 1);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(see(world, 0).status, CONTROLLER_STATUS_DEGRADED);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(see(world, 0).status, CONTROLLER_STATUS_FAILED);
    world_free(world);
}

static void on_stopped(void *context)
{
    *(bool *)context = true;
}

static void on_command(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

static void test_stop_waits_for_exports(void **state)
{
    struct ctl_world *world = world_new(6, 2);
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET, .complete = on_command};
    bool stopped = false;
    bool done = false;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world->hold_exports = true;
    ctl_stop(world->ctl, on_stopped, &stopped);
    command.owner = &done;
    ctl_execute(world->ctl, &command);
    world_settle(world, MINUTE);
    assert_false(stopped);
    assert_true(done);
    assert_int_equal(command.reason.code, REASON_SHUTTING_DOWN);
    assert_non_null(world->held);
    assert_false(ctl_is_online(world->ctl));
    ctl_export_closed(world->ctl, world->held);
    assert_true(sim_world_run_until_flag(world->sim, &stopped, MINUTE));
    /* What comes late does no harm and commands are still answered. */
    done = false;
    ctl_execute(world->ctl, &command);
    assert_true(sim_world_run_until_flag(world->sim, &done, MINUTE));
    assert_int_equal(command.reason.code, REASON_SHUTTING_DOWN);
    ctl_drive_temperature(world->ctl, &world->slots[0], 30);
    slot_depart(world, 1);
    slot_arrive(world, 1);
    world_settle(world, SIM_SECOND);
    world->ctl = ctl_free(world->ctl);
    world->slots[0].emulated = emulated_drive_free(world->slots[0].emulated);
    world->slots[1].emulated = emulated_drive_free(world->slots[1].emulated);
    world->hold_exports = false;
    world_start(world);
    world_free(world);
}

static void on_put(struct store_request *request, int error)
{
    assert_int_equal(error, 0);
    *(bool *)request->owner = true;
}

/* A record that cannot be read costs the controller its settings; whose it was is found out from
 * the drives, and nothing is written in its place before they have been looked at. */
static void test_damaged_store(void **state)
{
    struct ctl_world *world = world_new(7, 2);
    struct store_port *store = sim_store_port(world->store);
    static struct virtual_drive_view view;
    struct uuid before;
    struct uuid after;
    bool done = false;
    struct store_request put = {.name = "controller",
                                .value = "this is no record",
                                .value_bytes = 17,
                                .complete = on_put,
                                .owner = &done};

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    before = ctl_uuid(world->ctl);
    world_stop(world);
    store->ops->put(store, &put);
    assert_true(sim_world_run_until_flag(world->sim, &done, MINUTE));
    world_start(world);
    after = ctl_uuid(world->ctl);
    assert_true(uuid_equal(&before, &after));
    assert_int_equal(world_event_count(world, 0, EVENT_STATE_RECORD_DAMAGED), 1);
    assert_true(world_vd(world, "data", &view, NULL));
    assert_int_equal(view.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
    world_stop(world);
    world_free(world);
}

static void put_garbage(struct ctl_world *world, const char *name)
{
    struct store_port *store = sim_store_port(world->store);
    bool done = false;
    struct store_request put = {
        .value = "this is no record", .value_bytes = 17, .complete = on_put, .owner = &done};

    (void)snprintf(put.name, sizeof(put.name), "%s", name);
    store->ops->put(store, &put);
    assert_true(sim_world_run_until_flag(world->sim, &done, MINUTE));
}

static bool cost_says(const struct ctl_world *world, uint32_t event, const char *words)
{
    const struct event *told = &world->log[event];

    for (uint32_t i = 0; i < told->param_count; i++) {
        if (strstr(told->params[i].value, words) != NULL) {
            return true;
        }
    }
    return false;
}

/* Drives that the host only offers, because of what is on them, are looked at as well; with the
 * list of sizes, or by their group's record alone. What is somebody else's stays so. */
static void test_damaged_store_offered(void **state)
{
    (void)state;
    for (uint32_t sizes_too = 0; sizes_too < 2; sizes_too++) {
        struct ctl_world *world = world_new(7, 7);
        struct uuid before;
        struct uuid after;
        uint32_t from = 0;
        uint32_t event = 0;

        for (uint32_t i = 0; i < 6; i++) {
            world->slots[i].offered = world->slots[i].probed = world->slots[i].real = true;
        }
        world_start(world);
        assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
        assert_int_equal(world_create(world, RAID_LEVEL_1, 3, 2, "mirror"), REASON_OK);
        assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
        before = ctl_uuid(world->ctl);
        world_settle(world, MINUTE);
        world_stop(world);
        (void)snprintf(world->slots[5].signature, sizeof(world->slots[5].signature), "ext4");
        world->slots[5].probed = false;
        put_garbage(world, "controller");
        if (sizes_too == 1) {
            put_garbage(world, "drive-sizes");
        }
        from = world->log_count;
        world_start(world);
        after = ctl_uuid(world->ctl);
        assert_true(uuid_equal(&before, &after));
        event = world_event(world, from, EVENT_STATE_RECORD_DAMAGED);
        assert_true(cost_says(world, event, "2 drive groups were found by their drives"));
        assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
        assert_true(world_wait_state(world, "mirror", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
        assert_int_equal(world_drive_state(world, 6), DRIVE_STATE_HOT_SPARE);
        assert_false(world->slots[5].claimed);
        world_restart(world); /* what was made anew is good */
        assert_int_equal(world_event_count(world, from, EVENT_STATE_RECORD_DAMAGED), 1 + sizes_too);
        assert_true(world_wait_state(world, "mirror", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
        world_stop(world);
        world_free(world);
    }
}

/* No group was found: nothing says that one was. */
static void test_damaged_store_nothing_found(void **state)
{
    struct ctl_world *world = world_new(7, 2);

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world_stop(world);
    put_garbage(world, "controller");
    world->slots[0].absent = world->slots[1].absent = true;
    world_start(world);
    assert_true(cost_says(world, world_event(world, 0, EVENT_STATE_RECORD_DAMAGED),
                          "no drive group was found by its drives"));
    world_stop(world);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preview),
        cmocka_unit_test(test_n_way_mirror),
        cmocka_unit_test(test_guarantees),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_since),
        cmocka_unit_test(test_stop_waits_for_exports),
        cmocka_unit_test(test_damaged_store),
        cmocka_unit_test(test_damaged_store_offered),
        cmocka_unit_test(test_damaged_store_nothing_found),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
