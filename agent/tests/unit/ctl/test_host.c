/*
 * Several controllers of one host: one sequence of revisions and events, names that are taken on
 * either, commands that find their way, and a restart of all.
 */
#include "ctl_world.h"

#include <string.h>

struct pair {
    struct ctl_host host;
    struct ctl_world *left, *right;
};

static void pair_start(struct pair *pair)
{
    ctl_host_init(&pair->host, pair->left->next_seq);
    world_start(pair->left);
    world_start(pair->right);
}

static void pair_new(struct pair *pair, uint64_t seed)
{
    pair->left = world_new(seed, 4);
    pair->left->host = &pair->host;
    pair->right = world_beside(pair->left, 1, 4);
    pair_start(pair);
}

static void pair_stop(struct pair *pair)
{
    world_stop(pair->right);
    world_stop(pair->left);
}

static void pair_free(struct pair *pair)
{
    world_free(pair->right);
    world_free(pair->left);
}

struct tally {
    uint64_t revs[256];
    uint32_t count, hosts, controllers, tombstones;
};

static void tally_rev(struct tally *tally, uint64_t rev)
{
    for (uint32_t i = 0; i < tally->count; i++) {
        assert_int_not_equal(tally->revs[i], rev);
    }
    assert_true(tally->count < 256);
    tally->revs[tally->count++] = rev;
}

static void tally_object(void *context, const struct object_head *head, const void *view)
{
    struct tally *tally = context;

    assert_non_null(view);
    tally->hosts += head->kind == OBJECT_KIND_HOST;
    tally->controllers += head->kind == OBJECT_KIND_CONTROLLER;
    tally_rev(tally, head->rev);
}

static void tally_tombstone(void *context, const struct object_head *head)
{
    struct tally *tally = context;

    tally->tombstones++;
    tally_rev(tally, head->rev);
}

static struct tally tally_since(const struct ctl_host *host, uint64_t since)
{
    struct tally tally = {.count = 0};
    const struct ctl_visitor visitor = {tally_object, tally_tombstone, &tally};

    ctl_host_objects_since(host, since, &visitor);
    for (uint32_t i = 0; i < tally.count; i++) {
        assert_true(tally.revs[i] > since && tally.revs[i] <= ctl_host_rev(host));
    }
    return tally;
}

static void test_one_sequence(void **state)
{
    struct pair pair;
    struct tally tally;
    uint64_t rev = 0;

    (void)state;
    pair_new(&pair, 11);
    assert_true(ctl_host_is_online(&pair.host));
    tally = tally_since(&pair.host, 0);
    assert_int_equal(tally.hosts, 1);
    assert_int_equal(tally.controllers, 2);
    assert_int_equal(world_create(pair.left, RAID_LEVEL_1, 0, 2, "left"), REASON_OK);
    assert_int_equal(world_create(pair.right, RAID_LEVEL_1, 0, 2, "right"), REASON_OK);
    rev = ctl_host_rev(&pair.host);
    assert_int_equal(world_delete(pair.right, "right"), REASON_OK);
    tally = tally_since(&pair.host, rev);
    assert_true(tally.tombstones >= 2); /* group and virtual drive */
    assert_int_equal(tally.hosts, 0);
    assert_true(ctl_host_tombstone_floor(&pair.host) <= rev);
    world_check(pair.left, "left", 0, 4096, 0);
    pair_free(&pair);
}

static void test_names(void **state)
{
    struct pair pair;
    struct virtual_drive_view vd;

    (void)state;
    pair_new(&pair, 12);
    assert_int_equal(world_create(pair.left, RAID_LEVEL_0, 0, 1, "data"), REASON_OK);
    assert_int_equal(world_create(pair.right, RAID_LEVEL_0, 0, 1, "data"), REASON_NAME_TAKEN);
    assert_non_null(strstr(pair.right->text, "/c0/v0"));
    assert_int_equal(world_create(pair.left, RAID_LEVEL_0, 1, 1, ""), REASON_OK);
    assert_true(world_vd(pair.left, "vd1", &vd, NULL));
    /* The first number of each controller is its own, the name is not. */
    assert_int_equal(world_create(pair.right, RAID_LEVEL_0, 0, 1, ""), REASON_OK);
    assert_true(world_vd(pair.right, "vd0", &vd, NULL));
    assert_string_equal(vd.path, "/c1/v0");
    assert_int_equal(world_create(pair.right, RAID_LEVEL_0, 1, 1, ""), REASON_OK);
    assert_true(world_vd(pair.right, "vd2", &vd, NULL));
    assert_string_equal(vd.path, "/c1/v1");
    pair_free(&pair);
}

static void on_done(struct ctl_command *command)
{
    *(uint32_t *)command->owner += 1;
}

static bool both_are_done(void *context)
{
    return *(uint32_t *)context == 2;
}

/* Both are asked at once for the same name: one has it. */
static void test_names_at_once(void **state)
{
    struct pair pair;
    struct ctl_command left, right;
    uint32_t done = 0;

    (void)state;
    pair_new(&pair, 13);
    left = *world_create_command(pair.left, RAID_LEVEL_1, 0, 2, "data");
    right = *world_create_command(pair.right, RAID_LEVEL_1, 0, 2, "data");
    left.complete = on_done;
    right.complete = on_done;
    left.owner = &done;
    right.owner = &done;
    ctl_execute(ctl_host_addressed(&pair.host, &right), &right);
    ctl_execute(ctl_host_addressed(&pair.host, &left), &left);
    assert_true(sim_world_run_until(pair.left->sim, both_are_done, &done, 60 * SIM_SECOND));
    assert_int_equal((left.reason.code == REASON_OK) + (right.reason.code == REASON_OK), 1);
    assert_int_equal(
        (left.reason.code == REASON_NAME_TAKEN) + (right.reason.code == REASON_NAME_TAKEN), 1);
    /* Nobody holds the right to a name afterwards. */
    assert_int_equal(world_create(pair.left, RAID_LEVEL_0, 2, 1, "more"), REASON_OK);
    assert_int_equal(world_create(pair.right, RAID_LEVEL_0, 2, 1, "other"), REASON_OK);
    pair_free(&pair);
}

static void test_addressed(void **state)
{
    struct pair pair;
    struct ctl_command command;

    (void)state;
    pair_new(&pair, 14);
    for (uint32_t op = 0; op < CTL_OP_MAX; op++) {
        memset(&command, 0, sizeof(command));
        command.op = (enum ctl_op)op;
        assert_ptr_equal(ctl_host_addressed(&pair.host, &command), pair.left->ctl);
    }
    assert_ptr_equal(ctl_host_owner(&pair.host, OBJECT_KIND_DRIVE, slot_key(pair.right, 0)),
                     pair.right->ctl);
    assert_ptr_equal(ctl_host_owner(&pair.host, OBJECT_KIND_CONTROLLER, "c1"), pair.right->ctl);
    assert_ptr_equal(ctl_host_owner(&pair.host, OBJECT_KIND_CONTROLLER, "c7"), pair.left->ctl);
    /* Drives of the other are not there for a controller. */
    command = *world_create_command(pair.right, RAID_LEVEL_0, 0, 1, "mixed");
    (void)snprintf(command.args.vd_create.controller, sizeof(command.args.vd_create.controller),
                   "c0");
    assert_int_equal(world_run(pair.left, &command), REASON_DRIVE_GONE);
    assert_int_equal(world_fault(pair.right, 3, FAULT_KIND_PULL), REASON_OK);
    world_settle(pair.left, SIM_SECOND);
    assert_int_equal(world_event_count(pair.left, 0, 112), 1); /* removed */
    pair_free(&pair);
}

/* One drive that reaches both belongs to the one that had it first. */
static void test_one_drive_twice(void **state)
{
    struct pair pair;
    uint32_t before = 0;

    (void)state;
    pair_new(&pair, 15);
    before = world_count(pair.left, OBJECT_KIND_DRIVE);
    slot_depart(pair.left, 3);
    world_settle(pair.left, SIM_SECOND);
    assert_int_equal(world_count(pair.left, OBJECT_KIND_DRIVE), before - 1);
    (void)snprintf(pair.left->slots[3].model, sizeof(pair.left->slots[3].model), "SIMDISK1");
    pair.left->slots[3].offered = true;
    slot_arrive(pair.left, 3); /* says that it is the other's */
    world_settle(pair.left, SIM_SECOND);
    assert_int_equal(world_count(pair.left, OBJECT_KIND_DRIVE), before - 1);
    pair_free(&pair);
}

static void test_restart(void **state)
{
    struct pair pair;
    struct virtual_drive_view vd;
    uint64_t rev = 0;

    (void)state;
    pair_new(&pair, 16);
    assert_int_equal(world_create(pair.left, RAID_LEVEL_1, 0, 2, "left"), REASON_OK);
    assert_int_equal(world_create(pair.right, RAID_LEVEL_5, 0, 3, "right"), REASON_OK);
    world_write(pair.left, "left", 65536, 4096, 0x11);
    world_write(pair.right, "right", 65536, 4096, 0x22);
    rev = ctl_host_rev(&pair.host);
    pair_stop(&pair);
    pair_start(&pair);
    assert_true(ctl_host_rev(&pair.host) > rev);
    assert_true(ctl_host_tombstone_floor(&pair.host) > rev);
    assert_true(world_vd(pair.left, "left", &vd, NULL));
    assert_true(world_vd(pair.right, "right", &vd, NULL));
    world_check(pair.left, "left", 65536, 4096, 0x11);
    world_check(pair.right, "right", 65536, 4096, 0x22);
    assert_false(world_vd(pair.left, "right", &vd, NULL));
    pair_free(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sequence),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_at_once),   cmocka_unit_test(test_addressed),
        cmocka_unit_test(test_one_drive_twice), cmocka_unit_test(test_restart),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
