/*
 * Stripes over the virtual drives of two controllers: made and dissolved, refused, degraded, apart
 * and together again, and the power cut at every write of a change.
 */
#include "ctl_world.h"

#include <string.h>

#define MINUTE (60 * SIM_SECOND)
#define CUTS_MAX 400u
#define STRIP 65536u

struct pair {
    struct ctl_host host;
    struct ctl_world *worlds[2];
};

static void pair_start(struct pair *pair)
{
    int left = 1;
    int right = 1;

    ctl_host_init(&pair->host, pair->worlds[0]->next_seq);
    assert_int_equal(world_begin_start(pair->worlds[0], &left), 0);
    assert_int_equal(world_begin_start(pair->worlds[1], &right), 0);
    world_settle(pair->worlds[0], MINUTE);
    assert_int_equal(left, 0);
    assert_int_equal(right, 0);
}

static void pair_make(struct pair *pair, uint64_t seed, uint32_t slots, enum raid_level level,
                      uint32_t count)
{
    pair->worlds[0] = world_new(seed, slots);
    pair->worlds[0]->host = &pair->host;
    pair->worlds[1] = world_beside(pair->worlds[0], 1, slots);
    pair_start(pair);
    assert_int_equal(world_create(pair->worlds[0], level, 0, count, "left"), REASON_OK);
    assert_int_equal(world_create(pair->worlds[1], level, 0, count, "right"), REASON_OK);
    assert_true(world_wait_consistent(pair->worlds[0], "left", 10 * MINUTE));
    assert_true(world_wait_consistent(pair->worlds[1], "right", 10 * MINUTE));
}

static void pair_new(struct pair *pair, uint64_t seed, enum raid_level level, uint32_t count)
{
    pair_make(pair, seed, 4, level, count);
}

static void pair_stop(struct pair *pair)
{
    world_stop(pair->worlds[1]);
    world_stop(pair->worlds[0]);
}

static void pair_free(struct pair *pair)
{
    world_free(pair->worlds[1]);
    world_free(pair->worlds[0]);
}

static void pair_power_cycle(struct pair *pair)
{
    worlds_power_down(pair->worlds, 2);
    pair_start(pair);
}

static struct virtual_drive_view view_of(struct pair *pair, uint32_t side)
{
    struct virtual_drive_view view;

    assert_true(world_vd(pair->worlds[side], side == 0 ? "left" : "right", &view, NULL));
    return view;
}

/* The exporter is the controller of the first member. */
static bool is_exported(const struct pair *pair, const char *name)
{
    for (uint32_t side = 0; side < 2; side++) {
        const struct ctl_world *world = pair->worlds[side];

        for (uint32_t i = 0; i < world->exported_count; i++) {
            if (strcmp(world->exported[i]->name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static struct ctl_command create_command(struct pair *pair, const char *name)
{
    struct ctl_command command = {.op = CTL_OP_STRIPE_CREATE};
    struct virtual_drive_view view;

    strcpy(command.args.stripe_create.name, name);
    command.args.stripe_create.vd_count = 2;
    assert_true(world_vd(pair->worlds[0], "left", &view, command.args.stripe_create.vds[0]));
    assert_true(world_vd(pair->worlds[1], "right", &view, command.args.stripe_create.vds[1]));
    return command;
}

static enum reason_code create(struct pair *pair, const char *name)
{
    struct ctl_command command = create_command(pair, name);

    return world_run(pair->worlds[0], &command);
}

static enum reason_code create_by_force(struct pair *pair, const char *name)
{
    struct ctl_command command = create_command(pair, name);

    command.args.stripe_create.force = true;
    strcpy(command.confirm, "left");
    return world_run(pair->worlds[0], &command);
}

static struct ctl_command delete_command(struct pair *pair, uint32_t side, bool force)
{
    struct ctl_command command = {.op = CTL_OP_STRIPE_DELETE};
    struct virtual_drive_view view = view_of(pair, side);

    assert_non_null(view.stripe.config);
    memcpy(command.args.stripe_delete.stripe, view.stripe.key, sizeof(view.stripe.key));
    command.args.stripe_delete.force = force;
    strcpy(command.confirm, view.stripe.config->name);
    return command;
}

static enum reason_code dissolve(struct pair *pair, uint32_t side, bool force)
{
    struct ctl_command command = delete_command(pair, side, force);

    return world_run(pair->worlds[0], &command);
}

static void stripe_is(struct pair *pair, enum host_stripe_state state, bool exported)
{
    for (uint32_t side = 0; side < 2; side++) {
        struct virtual_drive_view view = view_of(pair, side);

        if (view.stripe.config == NULL) {
            assert_int_equal(state, HOST_STRIPE_STATE_INCOMPLETE);
            continue;
        }
        assert_int_equal(view.stripe.state, state);
        assert_int_equal(view.stripe.exports.nbd_unix_uri[0] != '\0', exported);
        assert_string_equal(view.exports.nbd_unix_uri, ""); /* never by itself */
    }
    assert_int_equal(is_exported(pair, "wide"), exported);
}

static void test_life(void **state)
{
    struct pair pair;
    struct virtual_drive_view view;
    uint64_t bytes = 0;

    (void)state;
    pair_new(&pair, 21, RAID_LEVEL_1, 2);
    world_write(pair.worlds[0], "left", 2 * MIB, 4096, 0x77);
    assert_int_equal(create(&pair, "wide"), REASON_OK);
    assert_int_equal(world_event_count(pair.worlds[0], 0, 60180), 1);
    stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
    assert_false(is_exported(&pair, "left") || is_exported(&pair, "right"));
    view = view_of(&pair, 1);
    bytes = view.config->size_bytes / STRIP * STRIP;
    assert_int_equal(view.stripe.config->position, 1);
    assert_int_equal(view.stripe.size_bytes, 2 * bytes);
    assert_string_equal(view.stripe.exports.nbd_unix_uri,
                        "nbd+unix:///wide?socket=/run/aw/nbd.sock");
    world_check(pair.worlds[0], "wide", 4 * MIB, 4096, 0x77); /* its bytes are still there */
    world_write(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    assert_int_equal(world_io(pair.worlds[0], "wide", VD_OP_FLUSH, 0, 0, NULL), VD_STATUS_OK);
    pair_stop(&pair);
    pair_start(&pair);
    stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
    world_check(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    assert_int_equal(dissolve(&pair, 1, false), REASON_OK);
    assert_int_equal(world_event_count(pair.worlds[0], 0, 60181), 1);
    assert_false(is_exported(&pair, "wide"));
    for (uint32_t side = 0; side < 2; side++) {
        assert_null(view_of(&pair, side).stripe.config);
        world_check(pair.worlds[side], side == 0 ? "left" : "right", 0, 2 * STRIP, 0x42);
    }
    assert_int_equal(world_event_count(pair.worlds[0], 0, 60182), 0);
    pair_free(&pair);
}

static void refused(struct pair *pair, struct ctl_command command, enum reason_code why)
{
    struct ctl_command copy = command;

    assert_int_equal(world_run(pair->worlds[0], &copy), why);
    assert_false(is_exported(pair, "wide"));
}

static void test_create_refusals(void **state)
{
    struct pair pair;
    struct ctl_command good, bad;

    (void)state;
    pair_new(&pair, 22, RAID_LEVEL_0, 1);
    good = create_command(&pair, "wide");
    bad = good;
    bad.args.stripe_create.vd_count = 1;
    refused(&pair, bad, REASON_INVALID_ARGUMENT);
    bad = good;
    memcpy(bad.args.stripe_create.vds[1], bad.args.stripe_create.vds[0], sizeof(object_key_t));
    refused(&pair, bad, REASON_INVALID_ARGUMENT);
    strcpy(bad.args.stripe_create.vds[1], "nobody");
    refused(&pair, bad, REASON_UNKNOWN_OBJECT);
    bad = good;
    strcpy(bad.args.stripe_create.name, "right");
    refused(&pair, bad, REASON_NAME_TAKEN);
    strcpy(bad.args.stripe_create.name, "a b");
    refused(&pair, bad, REASON_NAME_INVALID);
    bad = good;
    bad.args.stripe_create.strip_bytes = 12288;
    refused(&pair, bad, REASON_STRIP_INVALID);
    pair.worlds[1]->connections = 1;
    refused(&pair, good, REASON_VIRTUAL_DRIVE_IN_USE);
    good.args.stripe_create.force = true;
    refused(&pair, good, REASON_VIRTUAL_DRIVE_IN_USE); /* force gives up data, not users */
    good.args.stripe_create.force = false;
    pair.worlds[1]->connections = 0;
    world_write(pair.worlds[1], "right", view_of(&pair, 1).config->size_bytes - 4096, 4096, 1);
    refused(&pair, good, REASON_STRIPE_HAS_DATA);
    assert_non_null(strstr(pair.worlds[0]->text, "right"));
    assert_true(is_exported(&pair, "left") && is_exported(&pair, "right"));
    good.args.stripe_create.force = true;
    refused(&pair, good, REASON_CONFIRM_NEEDED);
    strcpy(good.confirm, "right"); /* not the first of them */
    refused(&pair, good, REASON_CONFIRM_MISMATCH);
    assert_int_equal(create_by_force(&pair, "wide"), REASON_OK);
    stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
    pair_free(&pair);
}

static enum reason_code set(struct pair *pair, uint32_t fields, const char *name)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(pair->worlds[1], "right", &view, command.args.vd_set.vd));
    command.args.vd_set.fields = fields;
    command.args.vd_set.access = ACCESS_POLICY_BLOCKED;
    strcpy(command.args.vd_set.name, name);
    return world_run(pair->worlds[1], &command);
}

/* What would break a stripe, or take its name. */
static void test_member_refusals(void **state)
{
    struct pair pair;
    struct ctl_command bad;

    (void)state;
    pair_new(&pair, 23, RAID_LEVEL_0, 1);
    assert_int_equal(create(&pair, "wide"), REASON_OK);
    assert_int_equal(world_delete(pair.worlds[1], "right"), REASON_STRIPE_MEMBER);
    assert_int_equal(set(&pair, VD_SET_ACCESS, ""), REASON_STRIPE_MEMBER);
    assert_int_equal(set(&pair, VD_SET_NAME, "wide"), REASON_NAME_TAKEN);
    assert_int_equal(create(&pair, "again"), REASON_STRIPE_MEMBER);
    assert_int_equal(create_by_force(&pair, "again"), REASON_STRIPE_MEMBER);
    assert_int_equal(world_create(pair.worlds[0], RAID_LEVEL_0, 2, 1, "wide"), REASON_NAME_TAKEN);
    bad = delete_command(&pair, 0, false);
    strcpy(bad.confirm, "left");
    assert_int_equal(world_run(pair.worlds[0], &bad), REASON_CONFIRM_MISMATCH);
    bad.confirm[0] = '\0';
    assert_int_equal(world_run(pair.worlds[0], &bad), REASON_CONFIRM_NEEDED);
    strcpy(bad.args.stripe_delete.stripe, "nothing");
    assert_int_equal(world_run(pair.worlds[0], &bad), REASON_UNKNOWN_OBJECT);
    pair.worlds[0]->connections = 1;
    assert_int_equal(dissolve(&pair, 0, false), REASON_VIRTUAL_DRIVE_IN_USE);
    pair.worlds[0]->connections = 0;
    stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
    pair.worlds[0]->connections = 1;
    assert_int_equal(dissolve(&pair, 0, true), REASON_OK);
    pair.worlds[0]->connections = 0;
    assert_int_equal(world_delete(pair.worlds[1], "right"), REASON_OK);
    pair_free(&pair);
}

static void test_degraded(void **state)
{
    struct pair pair;

    (void)state;
    pair_new(&pair, 24, RAID_LEVEL_1, 2);
    assert_int_equal(create(&pair, "wide"), REASON_OK);
    world_write(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    assert_int_equal(world_fault(pair.worlds[1], 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(pair.worlds[0], SIM_SECOND);
    stripe_is(&pair, HOST_STRIPE_STATE_DEGRADED, true);
    assert_int_equal(world_event_count(pair.worlds[0], 0, 60182), 1);
    world_check(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    assert_int_equal(world_fault(pair.worlds[1], 0, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_state(pair.worlds[1], "right", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
    world_settle(pair.worlds[0], SIM_SECOND);
    stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
    pair_free(&pair);
}

/* A member without redundancy goes: nothing is answered wrongly, and it is whole again when its
 * drive is back. */
static void test_offline(void **state)
{
    struct pair pair;
    uint8_t *buffer = calloc(1, 2 * STRIP);

    (void)state;
    pair_new(&pair, 25, RAID_LEVEL_0, 1);
    assert_int_equal(create(&pair, "wide"), REASON_OK);
    world_write(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    assert_int_equal(world_io(pair.worlds[0], "wide", VD_OP_FLUSH, 0, 0, NULL), VD_STATUS_OK);
    assert_int_equal(world_fault(pair.worlds[1], 0, FAULT_KIND_PULL), REASON_OK);
    world_settle(pair.worlds[0], SIM_SECOND);
    stripe_is(&pair, HOST_STRIPE_STATE_OFFLINE, true);
    assert_int_equal(world_io(pair.worlds[0], "wide", VD_OP_READ, 0, 2 * STRIP, buffer),
                     VD_STATUS_IO);
    world_check(pair.worlds[0], "wide", 0, STRIP, 0x42); /* on the other member */
    assert_int_equal(world_fault(pair.worlds[1], 0, FAULT_KIND_RETURN), REASON_OK);
    assert_true(world_wait_state(pair.worlds[1], "right", VIRTUAL_DRIVE_STATE_OPTIMAL, MINUTE));
    world_settle(pair.worlds[0], SIM_SECOND);
    stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
    world_check(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    free(buffer);
    pair_free(&pair);
}

/* By the controller of the only member that is here. */
static void incomplete_is_told(struct pair *pair)
{
    const struct finding *finding = world_finding(pair->worlds[1], FINDING_STRIPE_INCOMPLETE, NULL);
    char text[REASON_TEXT_MAX];

    assert_non_null(finding);
    (void)reason_text(&finding->what, text, sizeof(text));
    assert_string_equal(text, "Stripe \"wide\" is incomplete: 1 of its 2 virtual drives are here.");
    assert_null(world_finding(pair->worlds[0], FINDING_STRIPE_INCOMPLETE, NULL));
}

/* The drives of one controller come late, those of the other not at all. */
static void test_late_members(void **state)
{
    struct pair pair;
    struct virtual_drive_view view;

    (void)state;
    pair_new(&pair, 26, RAID_LEVEL_0, 1);
    assert_int_equal(create(&pair, "wide"), REASON_OK);
    world_write(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    for (uint32_t side = 0; side < 2; side++) {
        pair_stop(&pair);
        pair.worlds[side]->slots[0].absent = true;
        pair_start(&pair);
        stripe_is(&pair, HOST_STRIPE_STATE_OFFLINE, false); /* its record is known, no drive */
        assert_int_equal(dissolve(&pair, 0, false), REASON_GROUP_NOT_STARTED);
        assert_int_equal(world_delete(pair.worlds[side], side == 0 ? "left" : "right"),
                         REASON_STRIPE_MEMBER);
        pair.worlds[side]->slots[0].absent = false;
        slot_arrive(pair.worlds[side], 0);
        world_settle(pair.worlds[0], MINUTE);
        stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
        world_check(pair.worlds[0], "wide", 0, 4 * STRIP, 0x42);
    }
    pair_stop(&pair);
    pair.worlds[1]->slots[0].absent = true;
    pair_start(&pair);
    assert_int_equal(dissolve(&pair, 0, true), REASON_OK);
    view = view_of(&pair, 1);
    assert_int_equal(view.stripe.state, HOST_STRIPE_STATE_INCOMPLETE);
    incomplete_is_told(&pair);
    assert_true(is_exported(&pair, "left"));
    /* Nobody else knows of it, and nobody can take it out: it may go as it is. */
    assert_int_equal(world_delete(pair.worlds[1], "right"), REASON_OK);
    assert_null(world_finding(pair.worlds[1], FINDING_STRIPE_INCOMPLETE, NULL));
    pair_free(&pair);
}

/* A member's group cannot save: nothing has changed. */
static void test_save_fails(void **state)
{
    struct pair pair;

    (void)state;
    pair_new(&pair, 27, RAID_LEVEL_0, 1);
    world_settle(pair.worlds[0], MINUTE);
    pair.worlds[1]->store->fail_with = -ENOSPC;
    assert_int_equal(create(&pair, "wide"), REASON_STORE_FULL);
    pair.worlds[1]->store->fail_with = 0;
    assert_null(view_of(&pair, 0).stripe.config);
    assert_null(view_of(&pair, 1).stripe.config);
    assert_true(is_exported(&pair, "left") && is_exported(&pair, "right"));
    assert_int_equal(create(&pair, "wide"), REASON_OK);
    pair.worlds[1]->store->fail_with = -ENOSPC;
    assert_int_equal(dissolve(&pair, 0, false), REASON_STORE_FULL);
    pair.worlds[1]->store->fail_with = 0;
    stripe_is(&pair, HOST_STRIPE_STATE_OPTIMAL, true);
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

/* Two are asked for at once, of each controller: one is made. And a deletion of a member that was
 * asked for before is over when it is judged. */
static void test_at_once(void **state)
{
    struct pair pair;
    struct ctl_command one, other;
    uint32_t done = 0;

    (void)state;
    pair_new(&pair, 28, RAID_LEVEL_0, 1);
    one = create_command(&pair, "wide");
    other = one;
    memcpy(other.args.stripe_create.vds[0], one.args.stripe_create.vds[1], sizeof(object_key_t));
    memcpy(other.args.stripe_create.vds[1], one.args.stripe_create.vds[0], sizeof(object_key_t));
    one.complete = on_done;
    other.complete = on_done;
    one.owner = &done;
    other.owner = &done;
    ctl_execute(ctl_host_addressed(&pair.host, &one), &one);
    ctl_execute(ctl_host_addressed(&pair.host, &other), &other);
    assert_true(sim_world_run_until(pair.worlds[0]->sim, both_are_done, &done, MINUTE));
    assert_int_equal((one.reason.code == REASON_OK) + (other.reason.code == REASON_OK), 1);
    assert_true(is_exported(&pair, "wide"));
    assert_int_equal(dissolve(&pair, 0, false), REASON_OK);

    done = 0;
    other = (struct ctl_command){.op = CTL_OP_VD_DELETE, .complete = on_done, .owner = &done};
    memcpy(other.args.vd_delete.vd, one.args.stripe_create.vds[1], sizeof(object_key_t));
    strcpy(other.confirm, "right");
    ctl_execute(pair.worlds[1]->ctl, &other);
    ctl_execute(pair.worlds[0]->ctl, &one);
    assert_true(sim_world_run_until(pair.worlds[0]->sim, both_are_done, &done, MINUTE));
    assert_int_equal(other.reason.code, REASON_OK);
    assert_int_equal(one.reason.code, REASON_UNKNOWN_OBJECT);
    pair_free(&pair);
}

/* A stop with a write of the stripe under way, and clients that were in no hurry. */
static void on_write(struct vd_request *request, enum vd_status status)
{
    (void)status;
    *(bool *)request->owner = true;
}

static void test_stop_busy(void **state)
{
    struct pair pair;
    bool done = false;
    uint8_t *buffer = calloc(1, 8 * STRIP);
    struct vd_request request = {.op = VD_OP_WRITE,
                                 .length_bytes = 8 * STRIP,
                                 .buffer = buffer,
                                 .complete = on_write,
                                 .owner = &done};
    struct vd_target *target = NULL;

    (void)state;
    pair_new(&pair, 29, RAID_LEVEL_1, 2);
    assert_int_equal(create(&pair, "wide"), REASON_OK);
    for (uint32_t i = 0; i < pair.worlds[0]->exported_count; i++) {
        target = pair.worlds[0]->exported[i];
    }
    assert_string_equal(target->name, "wide");
    target->ops->submit(target, &request);
    world_stop(pair.worlds[1]);
    assert_true(done);
    assert_false(is_exported(&pair, "wide"));
    world_stop(pair.worlds[0]);
    free(buffer);
    pair_free(&pair);
}

/* Power cuts */

static uint64_t writes_so_far(const struct pair *pair)
{
    return world_writes(pair->worlds[0]) + world_writes(pair->worlds[1]);
}

/* What a cut has left: nothing, all of it, or a half that is shown as such. */
static uint32_t members_of(struct pair *pair)
{
    uint32_t count = 0;

    for (uint32_t side = 0; side < 2; side++) {
        const struct virtual_drive_view view = view_of(pair, side);

        count += view.stripe.config != NULL ? 1u : 0u;
        assert_int_equal(view.stripe.config == NULL,
                         is_exported(pair, side == 0 ? "left" : "right"));
    }
    stripe_is(pair, count == 2 ? HOST_STRIPE_STATE_OPTIMAL : HOST_STRIPE_STATE_INCOMPLETE,
              count == 2);
    return count;
}

static void members_check(struct pair *pair)
{
    world_check(pair->worlds[0], "left", 2 * MIB, STRIP, 0x11);
    world_check(pair->worlds[1], "right", 2 * MIB, STRIP, 0x22);
}

/* Of a half, both ways out: dissolved, or given up for a new one. */
static void half_end(struct pair *pair, bool dissolves)
{
    bool is_left = view_of(pair, 0).stripe.config != NULL;

    if (dissolves) {
        assert_int_equal(dissolve(pair, is_left ? 0 : 1, false), REASON_OK);
        assert_int_equal(members_of(pair), 0);
        return;
    }
    assert_int_equal(create(pair, "wide"), REASON_STRIPE_MEMBER_INCOMPLETE);
    assert_int_equal(create_by_force(pair, "wide"), REASON_OK);
    assert_int_equal(members_of(pair), 2);
    assert_int_equal(dissolve(pair, 0, false), REASON_OK);
}

static void data_write(struct pair *pair)
{
    for (uint32_t side = 0; side < 2; side++) {
        const char *name = side == 0 ? "left" : "right";

        world_write(pair->worlds[side], name, 2 * MIB, STRIP, side == 0 ? 0x11 : 0x22);
        assert_int_equal(world_io(pair->worlds[side], name, VD_OP_FLUSH, 0, 0, NULL), VD_STATUS_OK);
    }
    world_settle(pair->worlds[0], MINUTE);
}

/* True when the change got through before the cut. */
static bool cut_at(bool creates, uint64_t at, enum sim_cut cut, uint32_t outcomes[3])
{
    struct pair pair;
    struct ctl_command command;
    uint32_t done = 0;
    uint32_t members = 0;
    uint64_t base = 0;

    pair_make(&pair, 500 + at * 16 + (uint64_t)cut, 2, RAID_LEVEL_0, 2);
    data_write(&pair);
    if (!creates) {
        assert_int_equal(create(&pair, "wide"), REASON_OK);
        world_settle(pair.worlds[0], MINUTE);
    }
    command = creates ? create_command(&pair, "wide") : delete_command(&pair, 0, false);
    if (creates) {
        command.args.stripe_create.force = true; /* nothing is read before it */
        strcpy(command.confirm, "left");
    }
    command.complete = on_done;
    command.owner = &done;
    base = writes_so_far(&pair);
    ctl_execute(ctl_host_addressed(&pair.host, &command), &command);
    while (done == 0 && writes_so_far(&pair) < base + at) {
        assert_true(sim_world_step(pair.worlds[0]->sim));
    }
    sim_world_power_off(pair.worlds[0]->sim, cut);
    bool acknowledged = done != 0;
    pair_power_cycle(&pair);
    members = members_of(&pair);
    outcomes[members]++;
    assert_true(!acknowledged || members == (creates ? 2 : 0));
    if (members == 1) {
        half_end(&pair, at % 2 == 0);
    } else if (members == 2) {
        assert_int_equal(dissolve(&pair, 0, false), REASON_OK);
    }
    members_check(&pair);
    pair_free(&pair);
    return acknowledged;
}

static void cut_everywhere(bool creates)
{
    uint32_t outcomes[3] = {0};
    uint32_t points = 0;

    for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
        /* Every point for one kind of cut, every third for the others. */
        uint64_t step = cut == SIM_CUT_DROP_ALL ? 1 : 3;

        for (uint64_t at = cut % step; !cut_at(creates, at, (enum sim_cut)cut, outcomes);
             at += step) {
            points++;
            assert_true(at < CUTS_MAX);
        }
    }
    printf("# %u cuts: %u without, %u half, %u whole\n", points, outcomes[0], outcomes[1],
           outcomes[2]);
    assert_true(outcomes[0] > 0 && outcomes[1] > 0 && outcomes[2] > 0);
}

static void test_cut_create(void **state)
{
    (void)state;
    cut_everywhere(true);
}

static void test_cut_delete(void **state)
{
    (void)state;
    cut_everywhere(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_create_refusals),
        cmocka_unit_test(test_member_refusals),
        cmocka_unit_test(test_degraded),
        cmocka_unit_test(test_offline),
        cmocka_unit_test(test_late_members),
        cmocka_unit_test(test_save_fails),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_stop_busy),
        cmocka_unit_test(test_cut_create),
        cmocka_unit_test(test_cut_delete),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
