/*
 * The policy while redundancy is missing: from the loss of a member until its rebuild is done a
 * virtual drive that asks for it writes through, always write-back as well; what was cached goes to
 * the drives; it is told, with its reason, and told again when write-back is back.
 */
#include <string.h>

#include "cache/cache.h"
#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_REBUILD 106
#define EVENT_RESTORED 194
#define EVENT_LOWERED 195
#define EVENT_OPTIMAL 249
#define EVENT_FORCED 60034
#define FRAMES 1024u

struct bench {
    struct ctl_world *world;
    struct memory_port memory;
};

static struct bench bench_of(enum memory_kind kind)
{
    struct bench bench = {.world = world_new(1, 6)};

    world_memory_make(&bench.memory, kind, journal_size_bytes(FRAMES));
    return bench;
}

static void bench_start(struct bench *bench)
{
    bench->world->cache_memory = &bench->memory;
    world_start(bench->world);
}

static void bench_free(struct bench *bench)
{
    world_free(bench->world);
    free(bench->memory.base);
}

static void create(struct ctl_world *world, enum raid_level level, uint32_t first, uint32_t count,
                   const char *name, enum write_policy policy, enum degraded_policy degraded)
{
    struct ctl_command *command = world_create_command(world, level, first, count, name);

    command->args.vd_create.write_policy = policy;
    command->args.vd_create.degraded_policy = degraded;
    assert_int_equal(world_run(world, command), REASON_OK);
}

static struct policies_view policies_of(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    return view.policies;
}

static void expect(struct ctl_world *world, const char *name, enum write_policy effective,
                   enum reason_code code)
{
    const struct policy_view policy = policies_of(world, name).write_policy;

    assert_string_equal(policy.effective, write_policy_word(effective));
    assert_string_equal(reason_code_word(policy.reason.code), reason_code_word(code));
}

static void find_cache(void *context, const struct object_head *head, const void *view)
{
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        *(struct cache_view *)context = ((const struct controller_view *)view)->cache;
    }
}

static uint64_t dirty_bytes(struct ctl_world *world)
{
    struct cache_view cache = {.present = false};
    const struct ctl_visitor visitor = {.object = find_cache, .context = &cache};

    ctl_objects_since(world->ctl, 0, &visitor);
    assert_true(cache.present);
    return cache.facts.dirty_bytes;
}

static enum reason_code set(struct ctl_world *world, const char *name, enum degraded_policy policy)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, command.args.vd_set.vd));
    command.args.vd_set.fields = VD_SET_DEGRADED;
    command.args.vd_set.degraded_policy = policy;
    return world_run(world, &command);
}

/* Written at once, through the cache or past it. */
static void write_once(struct ctl_world *world, const char *name, uint64_t offset, uint8_t fill)
{
    static uint8_t bytes[65536];

    memset(bytes, fill, sizeof(bytes));
    assert_int_equal(world_io(world, name, VD_OP_WRITE, offset, sizeof(bytes), bytes),
                     VD_STATUS_OK);
}

/* Lost, rebuilding, whole: through, through, back; and nothing of it where it is not asked for. */
static void from_the_loss_until_the_rebuild_is_done(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);
    struct ctl_world *world = bench.world;
    uint32_t from = 0;

    (void)state;
    bench_start(&bench);
    create(world, RAID_LEVEL_5, 0, 3, "data", WRITE_POLICY_WRITE_BACK,
           DEGRADED_POLICY_WRITE_THROUGH);
    create(world, RAID_LEVEL_1, 3, 2, "other", WRITE_POLICY_WRITE_BACK, DEGRADED_POLICY_KEEP);
    assert_true(world_wait_consistent(world, "data", 30 * MINUTE));
    expect(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    write_once(world, "data", 0, 0x11);
    assert_true(dirty_bytes(world) > 0);
    from = world->log_count;

    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 4, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_true(world_wait_state(world, "other", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_settle(world, 5 * SIM_SECOND);
    expect(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_DEGRADED);
    expect(world, "other", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_string_equal(policies_of(world, "data").write_policy.requested, "write_back");
    assert_int_equal(dirty_bytes(world), 0);
    write_once(world, "data", 65536, 0x22);
    assert_int_equal(dirty_bytes(world), 0);
    assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 1);

    assert_int_equal(world_spare(world, 5, NULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 60 * MINUTE));
    world_settle(world, 5 * SIM_SECOND);
    expect(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_int_equal(world_event_count(world, from, EVENT_RESTORED), 1);
    assert_true(world_event(world, from, EVENT_RESTORED) > world_event(world, from, EVENT_OPTIMAL));
    assert_true(world_event(world, from, EVENT_OPTIMAL) > world_event(world, from, EVENT_REBUILD));
    assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 1);
    write_once(world, "data", 131072, 0x33);
    assert_true(dirty_bytes(world) > 0);
    world_check(world, "data", 0, 65536, 0x11);
    world_check(world, "data", 65536, 65536, 0x22);
    world_check(world, "data", 131072, 65536, 0x33);
    bench_free(&bench);
}

/* One of two may be missing and it still has redundancy, but less than it was given. */
static void partially_degraded_counts(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);
    struct ctl_world *world = bench.world;

    (void)state;
    bench_start(&bench);
    create(world, RAID_LEVEL_6, 0, 4, "data", WRITE_POLICY_WRITE_BACK,
           DEGRADED_POLICY_WRITE_THROUGH);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED, MINUTE));
    expect(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_DEGRADED);
    bench_free(&bench);
}

/* Asked for while it is degraded, taken back, and found again after a restart. */
static void set_while_it_is_degraded(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);
    struct ctl_world *world = bench.world;

    (void)state;
    bench_start(&bench);
    create(world, RAID_LEVEL_1, 0, 2, "data", WRITE_POLICY_WRITE_BACK, DEGRADED_POLICY_KEEP);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    expect(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    write_once(world, "data", 0, 0x44);
    assert_int_equal(set(world, "data", DEGRADED_POLICY_WRITE_THROUGH), REASON_OK);
    world_settle(world, 5 * SIM_SECOND);
    expect(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_DEGRADED);
    assert_int_equal(dirty_bytes(world), 0);
    assert_int_equal(world_event_count(world, 0, EVENT_LOWERED), 1);
    world->slots[0].absent = true;
    world_restart(world);
    world_settle(world, 5 * SIM_SECOND);
    expect(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_DEGRADED);
    assert_int_equal(set(world, "data", DEGRADED_POLICY_KEEP), REASON_OK);
    world_settle(world, SIM_SECOND);
    expect(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_int_equal(set(world, "data", DEGRADED_POLICY_MAX), REASON_INVALID_ARGUMENT);
    world_check(world, "data", 0, 65536, 0x44);
    bench_free(&bench);
}

/* Nothing protects the memory: "always" writes through too, and is at no risk meanwhile; plain
 * write-back does so anyway, for a reason that outlasts the rebuild. */
static void always_write_back_too(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_SHARED);
    struct ctl_world *world = bench.world;
    uint32_t from = 0;

    (void)state;
    bench_start(&bench);
    create(world, RAID_LEVEL_1, 0, 2, "always", WRITE_POLICY_ALWAYS_WRITE_BACK,
           DEGRADED_POLICY_WRITE_THROUGH);
    create(world, RAID_LEVEL_1, 2, 2, "plain", WRITE_POLICY_WRITE_BACK,
           DEGRADED_POLICY_WRITE_THROUGH);
    expect(world, "always", WRITE_POLICY_ALWAYS_WRITE_BACK, REASON_WRITE_POLICY_FORCED);
    world_settle(world, SIM_SECOND);
    from = world->log_count;
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 3, FAULT_KIND_PULL), REASON_OK);
    assert_true(world_wait_state(world, "always", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_true(world_wait_state(world, "plain", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    world_settle(world, SIM_SECOND);
    expect(world, "always", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_DEGRADED);
    expect(world, "plain", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_NO_BATTERY);
    assert_int_equal(world_event_count(world, from, EVENT_LOWERED), 1);
    assert_int_equal(world_spare(world, 4, NULL), REASON_OK);
    assert_int_equal(world_spare(world, 5, NULL), REASON_OK); /* one for each */
    assert_true(world_wait_state(world, "always", VIRTUAL_DRIVE_STATE_OPTIMAL, 60 * MINUTE));
    world_settle(world, SIM_SECOND);
    expect(world, "always", WRITE_POLICY_ALWAYS_WRITE_BACK, REASON_WRITE_POLICY_FORCED);
    /* The risk is back, and so is its warning. */
    assert_int_equal(world_event_count(world, from, EVENT_FORCED), 1);
    bench_free(&bench);
}

/* What has no redundancy to lose takes the policy, and says that it means nothing. */
static void without_redundancy(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);
    struct ctl_world *world = bench.world;
    struct policy_view policy;

    (void)state;
    bench_start(&bench);
    create(world, RAID_LEVEL_0, 0, 2, "fast", WRITE_POLICY_WRITE_BACK,
           DEGRADED_POLICY_WRITE_THROUGH);
    policy = policies_of(world, "fast").degraded;
    assert_string_equal(policy.requested, "write_through");
    assert_string_equal(policy.effective, "keep");
    assert_int_equal(policy.reason.code, REASON_DEGRADED_POLICY_NO_REDUNDANCY);
    expect(world, "fast", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    assert_int_equal(world_event_count(world, 0, EVENT_LOWERED), 0);
    bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_loss_until_the_rebuild_is_done),
        cmocka_unit_test(partially_degraded_counts),
        cmocka_unit_test(set_while_it_is_degraded),
        cmocka_unit_test(always_write_back_too),
        cmocka_unit_test(without_redundancy),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
