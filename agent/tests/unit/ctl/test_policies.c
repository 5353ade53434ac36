/*
 * Policies as they hold, with their reasons, and the presets: what they set, what they refuse, what
 * has to be accepted.
 */
#include <errno.h>
#include <string.h>

#include "ctl_world.h"

#define MINUTE (60 * SIM_SECOND)
#define EVENT_POLICY 54
#define EVENT_FORCED 60034

static struct policies_view policies_of(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    return view.policies;
}

static const char *preset_of(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    return view.preset != NULL ? view.preset : "none";
}

#define EXPECT(policy, effective_, code_)                                                          \
    do {                                                                                           \
        const struct policy_view seen = (policy);                                                  \
                                                                                                   \
        assert_string_equal(seen.effective, effective_);                                           \
        assert_string_equal(reason_code_word(seen.reason.code), reason_code_word(code_));          \
    } while (false)

static struct ctl_command set_command(struct ctl_world *world, const char *name)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, command.args.vd_set.vd));
    return command;
}

static enum reason_code preset_set(struct ctl_world *world, const char *name, const char *preset,
                                   bool accept_risk)
{
    struct ctl_command command = set_command(world, name);

    command.args.vd_set.fields = VD_SET_PRESET;
    command.args.vd_set.accept_risk = accept_risk;
    strcpy(command.args.vd_set.preset, preset);
    return world_run(world, &command);
}

static enum reason_code access_set(struct ctl_world *world, const char *name,
                                   enum access_policy access)
{
    struct ctl_command command = set_command(world, name);

    command.args.vd_set.fields = VD_SET_ACCESS;
    command.args.vd_set.access = access;
    return world_run(world, &command);
}

static enum reason_code drive_cache_set(struct ctl_world *world, const char *name,
                                        enum drive_cache_policy policy)
{
    struct ctl_command command = set_command(world, name);
    enum reason_code code = REASON_OK;

    command.args.vd_set.fields = VD_SET_DRIVE_CACHE;
    command.args.vd_set.drive_cache_policy = policy;
    code = world_run(world, &command);
    world_settle(world, SIM_SECOND);
    return code;
}

static struct ctl_world *world_real(uint64_t seed, uint32_t slots)
{
    struct ctl_world *world = world_new(seed, slots);

    for (uint32_t i = 0; i < slots; i++) {
        world->slots[i].real = true;
        world->slots[i].cache_on = true;
    }
    return world;
}

/* The drives' caches: as the drives have them, whatever was asked for. */
static void test_drive_cache(void **state UNUSED)
{
    struct ctl_world *world = world_real(1, 4);

    world->slots[1].cache_on = false;
    world->slots[1].cache_fixed = true;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "mixed"), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 2, 2, "data"), REASON_OK);
    world_settle(world, SIM_SECOND);
    EXPECT(policies_of(world, "mixed").drive_cache, "mixed", REASON_DRIVE_CACHE_OWN);
    EXPECT(policies_of(world, "data").drive_cache, "on", REASON_DRIVE_CACHE_OWN);
    assert_int_equal(drive_cache_set(world, "data", DRIVE_CACHE_POLICY_OFF), REASON_OK);
    EXPECT(policies_of(world, "data").drive_cache, "off", REASON_AS_REQUESTED);
    /* One that does not follow is told by name. */
    world->slots[3].cache_error = -EIO;
    assert_int_equal(drive_cache_set(world, "data", DRIVE_CACHE_POLICY_ON), REASON_OK);
    EXPECT(policies_of(world, "data").drive_cache, "mixed", REASON_DRIVE_CACHE_GIVEN_UP);
    assert_string_equal(policies_of(world, "data").drive_cache.reason.params[0].value,
                        "/c0/e252/s3");
    world_free(world);
}

/* A wish that cannot be had any more, because the drive that came in its place is another. */
static void test_drive_cache_of_a_fixed_drive(void **state UNUSED)
{
    struct ctl_world *world = world_real(2, 3);

    world->slots[2].cache_fixed = true;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(drive_cache_set(world, "data", DRIVE_CACHE_POLICY_OFF), REASON_OK);
    assert_int_equal(world_spare(world, 2, NULL), REASON_OK);
    slot_depart(world, 1);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 30 * MINUTE));
    EXPECT(policies_of(world, "data").drive_cache, "mixed", REASON_DRIVE_CACHE_FIXED);
    world_free(world);
}

static void test_drive_cache_is_shared(void **state UNUSED)
{
    struct ctl_world *world = world_real(3, 2);
    struct ctl_command *command = NULL;
    struct drive_group_view group;
    char key[OBJECT_KEY_MAX + 1];

    world_start(world);
    command = world_create_command(world, RAID_LEVEL_0, 0, 2, "one");
    command->args.vd_create.size_bytes = 8 * MIB;
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_true(world_group(world, 0, &group, key));
    command = world_create_command(world, RAID_LEVEL_0, 0, 0, "two");
    memcpy(command->args.vd_create.drive_group, key, sizeof(key));
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_int_equal(drive_cache_set(world, "one", DRIVE_CACHE_POLICY_OFF), REASON_OK);
    EXPECT(policies_of(world, "two").drive_cache, "off", REASON_DRIVE_CACHE_OF_GROUP);
    assert_int_equal(drive_cache_set(world, "two", DRIVE_CACHE_POLICY_ON), REASON_OK);
    EXPECT(policies_of(world, "two").drive_cache, "off", REASON_DRIVE_CACHE_OF_GROUP);
    assert_string_equal(policies_of(world, "two").drive_cache.reason.params[0].value, "one");
    EXPECT(policies_of(world, "one").drive_cache, "off", REASON_AS_REQUESTED);
    assert_int_equal(drive_cache_set(world, "one", DRIVE_CACHE_POLICY_DEFAULT), REASON_OK);
    EXPECT(policies_of(world, "one").drive_cache, "on", REASON_DRIVE_CACHE_OF_GROUP);
    EXPECT(policies_of(world, "two").drive_cache, "on", REASON_AS_REQUESTED);
    world_free(world);
}

/* Nobody reads or writes what is offline; and the policy itself is what was asked for. */
static void test_access(void **state UNUSED)
{
    struct ctl_world *world = world_new(4, 3);

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_0, 0, 2, "data"), REASON_OK);
    EXPECT(policies_of(world, "data").access, "read_write", REASON_AS_REQUESTED);
    assert_int_equal(access_set(world, "data", ACCESS_POLICY_READ_ONLY), REASON_OK);
    EXPECT(policies_of(world, "data").access, "read_only", REASON_AS_REQUESTED);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    world_settle(world, MINUTE);
    EXPECT(policies_of(world, "data").access, "blocked", REASON_ACCESS_OFFLINE);
    assert_string_equal(policies_of(world, "data").access.requested, "read_only");
    assert_int_equal(
        world_io(world, "data", VD_OP_READ, 0, 4096, (uint8_t[4096]){0}) == VD_STATUS_OK, false);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    EXPECT(policies_of(world, "data").access, "read_only", REASON_AS_REQUESTED);
    assert_int_equal(access_set(world, "data", ACCESS_POLICY_BLOCKED), REASON_OK);
    EXPECT(policies_of(world, "data").access, "blocked", REASON_AS_REQUESTED);
    world_free(world);
}

/* Blocked and released again while its clients have not let go yet; and something else is set
 * before they do. It is offered again all the same. */
static void test_access_while_the_export_closes(void **state UNUSED)
{
    struct ctl_world *world = world_new(14, 2);
    struct ctl_command rename;

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    world->hold_exports = true;
    assert_int_equal(access_set(world, "data", ACCESS_POLICY_BLOCKED), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_non_null(world->held);
    assert_int_equal(world->exported_count, 0);
    assert_int_equal(access_set(world, "data", ACCESS_POLICY_READ_WRITE), REASON_OK);
    rename = set_command(world, "data");
    rename.args.vd_set.fields = VD_SET_NAME;
    strcpy(rename.args.vd_set.name, "more");
    assert_int_equal(world_run(world, &rename), REASON_OK);
    world->hold_exports = false;
    ctl_export_closed(world->ctl, world->held);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world->exported_count, 1);
    world_write(world, "more", 0, 4096, 0x11);
    world_free(world);
}

/* Without a cache, "cached" is direct. */
static void test_io_policy(void **state UNUSED)
{
    struct ctl_world *world = world_new(5, 2);
    struct ctl_command *command = NULL;

    world_start(world);
    command = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");
    command->args.vd_create.io_policy = IO_POLICY_CACHED;
    assert_int_equal(world_run(world, command), REASON_OK);
    EXPECT(policies_of(world, "data").io_policy, "direct", REASON_IO_POLICY_NO_CACHE);
    assert_string_equal(policies_of(world, "data").io_policy.requested, "cached");
    world_free(world);
}

/* Presets */

static void preset_add(struct controller_profile *profile, const char *name,
                       enum write_policy write_policy, enum drive_cache_policy drive_cache)
{
    struct vd_preset *preset = &profile->presets[profile->preset_count++];

    *preset = (struct vd_preset){.read_policy = READ_POLICY_READ_AHEAD,
                                 .write_policy = write_policy,
                                 .io_policy = IO_POLICY_CACHED,
                                 .drive_cache_policy = drive_cache};
    strcpy(preset->name, name);
}

static enum reason_code degraded_set(struct ctl_world *world, const char *name,
                                     enum degraded_policy policy)
{
    struct ctl_command command = set_command(world, name);

    command.args.vd_set.fields = VD_SET_DEGRADED;
    command.args.vd_set.degraded_policy = policy;
    return world_run(world, &command);
}

/* Shared memory and no battery. */
static struct ctl_world *world_of_presets(uint64_t seed, enum no_battery_rule rule)
{
    struct ctl_world *world = world_new(seed, 4);

    controller_profile_native(&world->profile);
    world->profile.no_battery_rule = rule;
    preset_add(&world->profile, "storsave-performance", WRITE_POLICY_ALWAYS_WRITE_BACK,
               DRIVE_CACHE_POLICY_DEFAULT);
    world_start(world);
    ctl_write_medium(world->ctl, WRITE_MEDIUM_SHARED_MEMORY, MIB);
    world_settle(world, SIM_SECOND);
    return world;
}

static enum reason_code create_with_preset(struct ctl_world *world, const char *preset,
                                           bool accept_risk)
{
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");

    strcpy(command->args.vd_create.preset, preset);
    command->args.vd_create.accept_risk = accept_risk;
    return world_run(world, command);
}

static void test_created_with_a_preset(void **state UNUSED)
{
    struct ctl_world *world = world_of_presets(6, NO_BATTERY_RULE_FORCE);
    struct policies_view policies;

    assert_int_equal(create_with_preset(world, "fastest", true), REASON_PRESET_UNKNOWN);
    assert_int_equal(create_with_preset(world, "storsave-performance", false),
                     REASON_PRESET_GIVES_UP);
    assert_int_equal(world_count(world, OBJECT_KIND_VIRTUAL_DRIVE), 0);
    assert_int_equal(create_with_preset(world, "safest", false), REASON_OK);
    policies = policies_of(world, "data");
    assert_string_equal(policies.write_policy.requested, "write_through");
    assert_string_equal(policies.read_policy.requested, "no_read_ahead");
    assert_string_equal(policies.drive_cache.requested, "off");
    assert_string_equal(preset_of(world, "data"), "safest");
    assert_int_equal(world_event_count(world, 0, EVENT_POLICY), 1);
    world_free(world);
}

/* What is given itself stays; then it is no preset any more. */
static void test_given_policies_stay(void **state UNUSED)
{
    struct ctl_world *world = world_of_presets(7, NO_BATTERY_RULE_FORCE);
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");

    strcpy(command->args.vd_create.preset, "storsave-performance");
    command->args.vd_create.fields = VD_SET_WRITE_POLICY;
    command->args.vd_create.write_policy = WRITE_POLICY_WRITE_BACK;
    /* Plain write-back waits for a battery, so nothing is given up. */
    assert_int_equal(world_run(world, command), REASON_OK);
    assert_string_equal(policies_of(world, "data").write_policy.requested, "write_back");
    assert_string_equal(policies_of(world, "data").io_policy.requested, "cached");
    assert_string_equal(preset_of(world, "data"), "none");
    world_free(world);
}

static void test_preset_is_set(void **state UNUSED)
{
    struct ctl_world *world = world_of_presets(8, NO_BATTERY_RULE_FORCE);

    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(preset_set(world, "data", "storsave-performance", false),
                     REASON_PRESET_GIVES_UP);
    assert_string_equal(policies_of(world, "data").write_policy.requested, "write_through");
    assert_int_equal(world_event_count(world, 0, EVENT_POLICY), 0);
    assert_int_equal(preset_set(world, "data", "storsave-performance", true), REASON_OK);
    EXPECT(policies_of(world, "data").write_policy, "always_write_back",
           REASON_WRITE_POLICY_FORCED);
    assert_string_equal(preset_of(world, "data"), "storsave-performance");
    /* The preset, and what it changed of the policies. */
    assert_int_equal(world_event_count(world, 0, EVENT_POLICY), 4);
    assert_int_equal(world_event_count(world, 0, EVENT_FORCED), 1);
    /* What was accepted is not asked for again; what gives nothing up never. */
    assert_int_equal(preset_set(world, "data", "storsave-performance", false), REASON_OK);
    assert_int_equal(preset_set(world, "data", "safest", false), REASON_OK);
    assert_string_equal(preset_of(world, "data"), "safest");
    /* The drives' own caches are a risk too. */
    assert_int_equal(preset_set(world, "data", "maximum-performance", false),
                     REASON_PRESET_GIVES_UP);
    assert_int_equal(preset_set(world, "data", "maximum-performance", true), REASON_OK);
    world_free(world);
}

/* What a preset does while redundancy is missing is part of it, but where it writes through
 * anyway. */
static void test_preset_while_degraded(void **state UNUSED)
{
    struct ctl_world *world = world_new(11, 4);

    controller_profile_native(&world->profile);
    preset_add(&world->profile, "storsave-balance", WRITE_POLICY_WRITE_BACK,
               DRIVE_CACHE_POLICY_OFF);
    preset_add(&world->profile, "storsave-protection", WRITE_POLICY_WRITE_BACK,
               DRIVE_CACHE_POLICY_OFF);
    world->profile.presets[world->profile.preset_count - 1].degraded_policy =
        DEGRADED_POLICY_WRITE_THROUGH;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(preset_set(world, "data", "storsave-balance", false), REASON_OK);
    EXPECT(policies_of(world, "data").degraded, "keep", REASON_AS_REQUESTED);
    assert_string_equal(preset_of(world, "data"), "storsave-balance");
    assert_int_equal(preset_set(world, "data", "storsave-protection", false), REASON_OK);
    EXPECT(policies_of(world, "data").degraded, "write_through", REASON_AS_REQUESTED);
    assert_string_equal(preset_of(world, "data"), "storsave-protection");
    assert_int_equal(degraded_set(world, "data", DEGRADED_POLICY_KEEP), REASON_OK);
    assert_string_equal(preset_of(world, "data"), "storsave-balance");
    assert_int_equal(preset_set(world, "data", "safest", false), REASON_OK);
    EXPECT(policies_of(world, "data").degraded, "write_through", REASON_AS_REQUESTED);
    assert_int_equal(degraded_set(world, "data", DEGRADED_POLICY_KEEP), REASON_OK);
    assert_string_equal(preset_of(world, "data"), "safest");
    world_free(world);
}

/* No acceptance makes a controller do what it refuses. */
static void test_refusals_hold(void **state UNUSED)
{
    struct ctl_world *world = world_of_presets(9, NO_BATTERY_RULE_REFUSE);

    assert_int_equal(create_with_preset(world, "storsave-performance", true),
                     REASON_WRITE_POLICY_REFUSED);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_int_equal(preset_set(world, "data", "storsave-performance", true),
                     REASON_WRITE_POLICY_REFUSED);
    assert_int_equal(preset_set(world, "data", "safest", false), REASON_OK);
    world_free(world);
}

static void test_previews(void **state UNUSED)
{
    static struct ctl_preview preview;
    struct ctl_world *world = world_of_presets(10, NO_BATTERY_RULE_FORCE);
    struct ctl_command *create = world_create_command(world, RAID_LEVEL_1, 0, 2, "data");
    struct ctl_command set;
    struct ctl_policy_preview answer;

    strcpy(create->args.vd_create.preset, "storsave-performance");
    ctl_preview(world->ctl, &create->args.vd_create, &preview);
    assert_true(preview.ok && preview.has_policies);
    EXPECT(preview.policies.write_policy, "always_write_back", REASON_WRITE_POLICY_FORCED);
    assert_int_equal(preview.risks.count, 1);
    assert_int_equal(preview.risks.items[0].code, REASON_RISK_WRITE_BACK_NOW);
    strcpy(create->args.vd_create.preset, "fastest");
    ctl_preview(world->ctl, &create->args.vd_create, &preview);
    assert_false(preview.ok);
    assert_int_equal(preview.refusals[0].code, REASON_PRESET_UNKNOWN);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    set = set_command(world, "data");
    set.args.vd_set.fields = VD_SET_PRESET;
    strcpy(set.args.vd_set.preset, "maximum-performance");
    assert_true(ctl_preview_set(world->ctl, &set.args.vd_set, &answer));
    assert_true(answer.ok);
    EXPECT(answer.policies.write_policy, "write_through", REASON_WRITE_POLICY_NO_BATTERY);
    EXPECT(answer.policies.drive_cache, "on", REASON_AS_REQUESTED);
    assert_int_equal(answer.risks.count, 1);
    assert_int_equal(answer.risks.items[0].code, REASON_RISK_DRIVE_CACHE);
    /* It was only a question. */
    assert_string_equal(policies_of(world, "data").drive_cache.requested, "default");
    strcpy(set.args.vd_set.vd, "nobody");
    assert_false(ctl_preview_set(world->ctl, &set.args.vd_set, &answer));
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drive_cache),
        cmocka_unit_test(test_drive_cache_of_a_fixed_drive),
        cmocka_unit_test(test_drive_cache_is_shared),
        cmocka_unit_test(test_access),
        cmocka_unit_test(test_access_while_the_export_closes),
        cmocka_unit_test(test_io_policy),
        cmocka_unit_test(test_created_with_a_preset),
        cmocka_unit_test(test_given_policies_stay),
        cmocka_unit_test(test_preset_is_set),
        cmocka_unit_test(test_preset_while_degraded),
        cmocka_unit_test(test_refusals_hold),
        cmocka_unit_test(test_previews),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
