/*
 * The stripe log and hedged reads: what is asked for, whether it is in use, and why not.
 */
#include <string.h>

#include "cache/cache.h"
#include "ctl_world.h"
#include "sim_log.h"

#define MINUTE (60 * SIM_SECOND)
#define FRAMES 1024u
#define BOTH (VD_SET_STRIPE_LOG | VD_SET_HEDGED_READS)

static struct policies_view policies_of(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    return view.policies;
}

#define EXPECT(policy, requested_, effective_, code_)                                              \
    do {                                                                                           \
        const struct policy_view seen = (policy);                                                  \
                                                                                                   \
        assert_string_equal(seen.requested, requested_);                                           \
        assert_string_equal(seen.effective, effective_);                                           \
        assert_string_equal(reason_code_word(seen.reason.code), reason_code_word(code_));          \
    } while (false)

static enum reason_code set(struct ctl_world *world, const char *name, uint32_t fields, bool on)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, command.args.vd_set.vd));
    command.args.vd_set.fields = fields;
    command.args.vd_set.stripe_log = on;
    command.args.vd_set.hedged_reads = on;
    return world_run(world, &command);
}

static void both_on(struct ctl_world *world, enum raid_level level, uint32_t count)
{
    assert_int_equal(world_create(world, level, 0, count, "data"), REASON_OK);
    assert_int_equal(set(world, "data", BOTH, true), REASON_OK);
}

static uint64_t config_rev_of(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view view;
    object_key_t key;

    assert_true(world_vd(world, name, &view, key));
    return world_config_rev(world, OBJECT_KIND_VIRTUAL_DRIVE, key);
}

static void test_on_and_off(void **state UNUSED)
{
    struct ctl_world *world = world_new(1, 3);
    uint64_t rev = 0;

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    EXPECT(policies_of(world, "data").stripe_log, "auto", "off", REASON_STRIPE_LOG_RESTS);
    EXPECT(policies_of(world, "data").hedged_reads, "off", "off", REASON_AS_REQUESTED);
    assert_int_equal(set(world, "data", BOTH, true), REASON_OK);
    /* The command has been answered, and the log is still being cleared. */
    EXPECT(policies_of(world, "data").stripe_log, "on", "off", REASON_STRIPE_LOG_BEGINS);
    EXPECT(policies_of(world, "data").hedged_reads, "on", "on", REASON_AS_REQUESTED);
    rev = config_rev_of(world, "data");
    world_settle(world, SIM_SECOND);
    EXPECT(policies_of(world, "data").stripe_log, "on", "on", REASON_AS_REQUESTED);
    assert_true(config_rev_of(world, "data") > rev);
    world_restart(world);
    EXPECT(policies_of(world, "data").stripe_log, "on", "on", REASON_AS_REQUESTED);
    EXPECT(policies_of(world, "data").hedged_reads, "on", "on", REASON_AS_REQUESTED);
    assert_int_equal(set(world, "data", BOTH, false), REASON_OK);
    EXPECT(policies_of(world, "data").stripe_log, "off", "off", REASON_AS_REQUESTED);
    EXPECT(policies_of(world, "data").hedged_reads, "off", "off", REASON_AS_REQUESTED);
    world_free(world);
}

/* A log that there is already is not kept twice; what it survives is told. */
static void test_the_journal_is_used_instead(void **state UNUSED)
{
    static const struct {
        enum memory_kind kind;
        enum reason_code code;
    } cases[] = {{MEMORY_KIND_PERSISTENT, REASON_STRIPE_LOG_JOURNAL},
                 {MEMORY_KIND_SHARED, REASON_STRIPE_LOG_JOURNAL_MEMORY}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ctl_world *world = world_new(2, 3);
        struct memory_port memory;

        world_memory_make(&memory, cases[i].kind, journal_size_bytes(FRAMES));
        world->cache_memory = &memory;
        world_start(world);
        both_on(world, RAID_LEVEL_5, 3);
        world_settle(world, SIM_SECOND);
        EXPECT(policies_of(world, "data").stripe_log, "on", "off", cases[i].code);
        EXPECT(policies_of(world, "data").hedged_reads, "on", "on", REASON_AS_REQUESTED);
        assert_int_equal(set(world, "data", BOTH, false), REASON_OK);
        EXPECT(policies_of(world, "data").stripe_log, "off", "off", REASON_AS_REQUESTED);
        world_free(world);
        free(memory.base);
    }
}

/* The journal has failed: the drives' own log takes its place. */
static void test_the_journal_fails(void **state UNUSED)
{
    const struct sim_drive_options options = {.size_bytes = UINT64_C(8) << 20};
    struct ctl_world *world = world_new(3, 3);
    struct memory_port memory;
    struct sim_log log;

    sim_log_init(&log, sim_drive_create(world->sim, &options));
    world_memory_make(&memory, MEMORY_KIND_SHARED, journal_log_memory_bytes(options.size_bytes));
    world->cache_memory = &memory;
    world->cache_log = &log.port;
    world_start(world);
    both_on(world, RAID_LEVEL_5, 3);
    world_settle(world, SIM_SECOND);
    EXPECT(policies_of(world, "data").stripe_log, "on", "off", REASON_STRIPE_LOG_JOURNAL);
    log.drive->write_fails = true;
    world_write(world, "data", 0, 4096, 0x22);
    world_settle(world, 5 * SIM_SECOND);
    EXPECT(policies_of(world, "data").stripe_log, "on", "on", REASON_AS_REQUESTED);
    assert_int_equal(set(world, "data", VD_SET_HEDGED_READS, false), REASON_OK);
    world_settle(world, SIM_SECOND);
    EXPECT(policies_of(world, "data").stripe_log, "on", "on", REASON_AS_REQUESTED);
    EXPECT(policies_of(world, "data").hedged_reads, "off", "off", REASON_AS_REQUESTED);
    world_free(world);
    free(memory.base);
}

/* A slow drive's data must be somewhere else too, wherever drives are missing. */
static void test_a_second_way(void **state UNUSED)
{
    static const struct {
        enum raid_level level;
        uint32_t count;
        uint32_t lost[3];
        uint32_t lost_count;
        const char *effective;
    } cases[] = {
        {RAID_LEVEL_5, 4, {1}, 1, "off"},    {RAID_LEVEL_6, 4, {1}, 1, "on"},
        {RAID_LEVEL_6, 4, {0, 1}, 2, "off"}, {RAID_LEVEL_1, 2, {0}, 1, "off"},
        {RAID_LEVEL_10, 6, {0, 2}, 2, "on"}, {RAID_LEVEL_10, 6, {0, 2, 4}, 3, "off"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ctl_world *world = world_new(4, 6);

        world_start(world);
        both_on(world, cases[i].level, cases[i].count);
        for (uint32_t lost = 0; lost < cases[i].lost_count; lost++) {
            assert_int_equal(world_fault(world, cases[i].lost[lost], FAULT_KIND_PULL), REASON_OK);
        }
        world_settle(world, SIM_SECOND);
        EXPECT(policies_of(world, "data").hedged_reads, "on", cases[i].effective,
               strcmp(cases[i].effective, "on") == 0 ? REASON_AS_REQUESTED
                                                     : REASON_HEDGED_READS_DEGRADED);
        EXPECT(policies_of(world, "data").stripe_log, "on", "on", REASON_AS_REQUESTED);
        world_free(world);
    }
}

static void test_at_rest(void **state UNUSED)
{
    struct ctl_world *world = world_new(5, 3);

    world_start(world);
    both_on(world, RAID_LEVEL_5, 3);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, SIM_SECOND);
    EXPECT(policies_of(world, "data").stripe_log, "on", "off", REASON_ACCESS_OFFLINE);
    EXPECT(policies_of(world, "data").hedged_reads, "on", "off", REASON_ACCESS_OFFLINE);
    world_free(world);
}

/* Without redundancy neither is to be had, and nothing says that it were. */
static void test_without_redundancy(void **state UNUSED)
{
    struct ctl_world *world = world_new(6, 2);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    assert_int_equal(set(world, "data", VD_SET_STRIPE_LOG, true), REASON_NO_REDUNDANCY);
    assert_int_equal(set(world, "data", VD_SET_HEDGED_READS, true), REASON_NO_REDUNDANCY);
    EXPECT(policies_of(world, "data").stripe_log, "auto", "off", REASON_STRIPE_LOG_NOT_NEEDED);
    EXPECT(policies_of(world, "data").hedged_reads, "off", "off", REASON_AS_REQUESTED);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_on_and_off),
        cmocka_unit_test(test_the_journal_is_used_instead),
        cmocka_unit_test(test_the_journal_fails),
        cmocka_unit_test(test_a_second_way),
        cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_without_redundancy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
