/*
 * Advice while a drive group is offline: whatever way two of its drives were lost, and whatever
 * their states, no finding says that the group does without a drive, and every command that one
 * names for a drive is accepted.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl_path.h"
#include "ctl/life_cycle.h"
#include "ctl_world.h"
#include "drive/drive_layout.h"

#define MINUTE (60 * SIM_SECOND)
#define SLOTS 7u

enum loss {
    LOSS_PULL,
    LOSS_OFFLINE,
    LOSS_WRITE_ERROR,
    LOSS_NO_SPACE,
    LOSS_DEPART,
    LOSS_OVERWRITE, /* while arrayd does not run */
    LOSS_MAX
};

static const char *const loss_words[LOSS_MAX] = {"pulled",   "set offline", "write errors",
                                                 "no space", "departed",    "overwritten"};

static const struct {
    enum raid_level level;
    uint32_t drives;
} arrays[] = {{RAID_LEVEL_1, 2}, {RAID_LEVEL_5, 3}, {RAID_LEVEL_10, 4}, {RAID_LEVEL_50, 6}};

static struct {
    bool offline;
    struct finding_list findings;
    enum controller_status status;
    uint32_t drive_count;
    struct {
        char path[32];
        struct drive_view view;
    } drives[SLOTS];
} picture;
static uint32_t wrong;
static uint32_t offline_count;

static void picture_take(void *context UNUSED, const struct object_head *head, const void *view)
{
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        picture.findings = *((const struct controller_view *)view)->findings;
        picture.status = ((const struct controller_view *)view)->status;
    } else if (head->kind == OBJECT_KIND_VIRTUAL_DRIVE) {
        picture.offline =
            ((const struct virtual_drive_view *)view)->state == VIRTUAL_DRIVE_STATE_OFFLINE;
    } else if (head->kind == OBJECT_KIND_DRIVE) {
        const struct drive_view *drive = view;

        assert_true(picture.drive_count < SLOTS);
        picture.drives[picture.drive_count].view = *drive;
        (void)snprintf(picture.drives[picture.drive_count++].path, 32, "/c0/e%u/s%u ",
                       drive->identity->eid, drive->identity->slot);
    }
}

/* By the document of the drive, which says what the rule of the command says. */
static bool drive_refuses(const struct drive_view *view, const char *words)
{
    for (uint32_t i = 0; i < LIFE_COMMAND_MAX; i++) {
        const struct life_command_info *info = life_command_info((enum life_command)i);
        size_t start = i == LIFE_LOCATE ? strlen("start ") : 0;

        if (strncmp(words + start, info->words, strlen(info->words)) != 0) {
            continue;
        }
        for (uint32_t j = 0; j < view->blocked.count; j++) {
            if (view->blocked.items[j].op == info->op &&
                (info->action == NULL ||
                 strcmp(view->blocked.items[j].action, info->action) == 0)) {
                return true;
            }
        }
        return false;
    }
    fail_msg("no command: %s", words);
    return true;
}

static bool is_refused(const char *command)
{
    for (uint32_t i = 0; i < picture.drive_count; i++) {
        size_t length = strlen(picture.drives[i].path);

        if (strncmp(command, picture.drives[i].path, length) == 0) {
            return drive_refuses(&picture.drives[i].view, command + length);
        }
    }
    return false; /* of another object */
}

static void reason_check(const struct finding *finding, const struct reason *reason,
                         const char *what)
{
    static const char *const untrue[] = {"does without", "stays degraded", "could not repair"};
    char text[REASON_TEXT_MAX];

    (void)reason_text(reason, text, sizeof(text));
    for (uint32_t i = 0; i < sizeof(untrue) / sizeof(untrue[0]); i++) {
        if (strstr(text, untrue[i]) != NULL) {
            print_message("%s: %s: %s\n", what, finding->path, text);
            wrong++;
        }
    }
    for (const char *at = strstr(text, "\"/c0/e"); at != NULL; at = strstr(at + 1, "\"/c0/e")) {
        if (is_refused(at + 1)) {
            print_message("%s: %s: %s\n", what, finding->path, text);
            wrong++;
        }
    }
}

static void check(struct ctl_world *world, const char *what)
{
    struct ctl_visitor visitor = {.object = picture_take};

    memset(&picture, 0, sizeof(picture));
    ctl_objects_since(world->ctl, 0, &visitor);
    for (uint32_t i = 0; picture.offline && i < picture.findings.count; i++) {
        const struct finding *finding = &picture.findings.items[i];

        reason_check(finding, &finding->what, what);
        reason_check(finding, &finding->cause, what);
        reason_check(finding, &finding->effect, what);
        reason_check(finding, &finding->remedy, what);
    }
    offline_count += picture.offline;
}

/* As mkfs does, which knows of no RAID. */
static void overwrite(struct ctl_world *world, uint32_t slot)
{
    const struct slot *place = &world->slots[slot];
    uint8_t *bytes = calloc(1, MIB);

    assert_non_null(bytes);
    sim_drive_poke(place->drive, 0, bytes, MIB);
    sim_drive_poke(place->drive, place->options.size_bytes - 64 * 1024, bytes, 64 * 1024);
    free(bytes);
}

static void writes(struct ctl_world *world)
{
    static uint8_t buffer[4096];

    for (uint64_t at = 0; at < 16; at++) {
        (void)world_io(world, "data", VD_OP_WRITE, at * 65536, sizeof(buffer), buffer);
    }
}

static void lose(struct ctl_world *world, uint32_t slot, enum loss loss)
{
    switch (loss) {
    case LOSS_PULL:
        (void)world_fault(world, slot, FAULT_KIND_PULL);
        break;
    case LOSS_OFFLINE:
        (void)world_drive_op(world, CTL_OP_DRIVE_OFFLINE, slot); /* a last copy is refused */
        break;
    case LOSS_WRITE_ERROR:
        world->slots[slot].drive->write_fails = true;
        break;
    case LOSS_NO_SPACE:
        world->slots[slot].drive->refusal = IO_STATUS_NO_SPACE;
        world->slots[slot].drive->refusal_offset_bytes = 0;
        world->slots[slot].drive->refusal_length_bytes = world->slots[slot].options.size_bytes;
        break;
    case LOSS_DEPART:
        slot_depart(world, slot);
        break;
    case LOSS_OVERWRITE:
        world_stop(world);
        overwrite(world, slot);
        world_start(world);
        break;
    case LOSS_MAX:
        fail();
    }
    writes(world);
    world_settle(world, MINUTE);
}

static struct ctl_world *world_of(uint32_t array, uint64_t seed)
{
    struct ctl_world *world = world_new(seed, SLOTS);

    world_start(world);
    assert_int_equal(world_create(world, arrays[array].level, 0, arrays[array].drives, "data"),
                     REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 64 * 1024, 0x11);
    world_settle(world, MINUTE);
    return world;
}

static void lose_two(uint32_t array, enum loss first, enum loss second)
{
    struct ctl_world *world = world_of(array, 1000 + array * 100 + first * 10 + second);
    char what[96];

    (void)snprintf(what, sizeof(what), "array %u, 0 %s, 1 %s", array, loss_words[first],
                   loss_words[second]);
    lose(world, 0, first);
    check(world, what);
    lose(world, 1, second);
    check(world, what);
    world->slots[1].absent = true; /* the one lost first cannot stand in for it */
    world_restart(world);
    world_settle(world, MINUTE);
    check(world, what);
    world->slots[1].absent = false;
    world->slots[1].drive->refusal = IO_STATUS_OK;
    world->slots[1].drive->write_fails = false;
    world_restart(world);
    world_settle(world, MINUTE);
    check(world, what);
    world_free(world);
}

static void test_every_two_losses(void **state UNUSED)
{
    for (uint32_t array = 0; array < sizeof(arrays) / sizeof(arrays[0]); array++) {
        for (unsigned first = 0; first < LOSS_MAX; first++) {
            for (unsigned second = 0; second < LOSS_MAX; second++) {
                lose_two(array, (enum loss)first, (enum loss)second);
            }
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(offline_count > 200);
}

static void expect(struct ctl_world *world, enum finding_code code, const char *key,
                   enum reason_code effect, enum reason_code remedy)
{
    const struct finding *finding = world_finding(world, code, key);

    assert_non_null(finding);
    assert_int_equal(finding->effect.code, effect);
    assert_int_equal(finding->remedy.code, remedy);
}

/* Slot 0 missed what was written without it: with slot 1 away, only that one is asked for. */
static void test_which_drive_is_needed(void **state UNUSED)
{
    struct ctl_world *world = world_of(1, 2);

    lose(world, 0, LOSS_PULL);
    lose(world, 1, LOSS_PULL);
    expect(world, FINDING_DRIVE_MISSING, slot_key(world, 0), REASON_EFFECT_DRIVE_GROUP_OFFLINE,
           REASON_REMEDY_DRIVE_GROUP_OFFLINE);
    expect(world, FINDING_DRIVE_MISSING, slot_key(world, 1), REASON_EFFECT_DRIVE_MISSING_OFFLINE,
           REASON_REMEDY_DRIVE_MISSING_OFFLINE);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_RETURN), REASON_OK);
    world_settle(world, MINUTE);
    expect(world, FINDING_DRIVE_MISSING, slot_key(world, 0), REASON_EFFECT_DRIVE_MISSING,
           REASON_REMEDY_DRIVE_MISSING);
    world_free(world);
}

/* The same where the place is told of with its group. */
static void test_which_place_is_needed(void **state UNUSED)
{
    struct ctl_world *world = world_of(1, 3);

    lose(world, 0, LOSS_DEPART);
    lose(world, 1, LOSS_WRITE_ERROR);
    check(world, "departed, then write errors");
    assert_true(picture.offline);
    expect(world, FINDING_PLACE_EMPTY, NULL, REASON_EFFECT_PLACE_EMPTY_OTHERS,
           REASON_REMEDY_PLACE_EMPTY_OTHERS);
    world_free(world);
}

/* What works, but not for long, is not replaced while the group is offline. */
static void test_members_in_sync(void **state UNUSED)
{
    struct ctl_world *world = world_of(1, 4);
    const struct finding *finding = NULL;

    lose(world, 0, LOSS_PULL);
    lose(world, 1, LOSS_PULL);
    ctl_drive_path(world->ctl, &world->slots[2], "/a/file", REASON_DRIVE_PATH_DELETED);
    world_settle(world, SIM_SECOND / 10);
    finding = world_finding(world, FINDING_DRIVE_PATH_LOST, slot_key(world, 2));
    assert_non_null(finding);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_DRIVE_PATH_DELETED_OFFLINE);
    check(world, "in sync, without a path");
    assert_int_equal(wrong, 0);
    world_free(world);
}

static void refuse_set(struct ctl_world *world, uint32_t slot, bool refuses)
{
    struct sim_drive *drive = world->slots[slot].drive;

    drive->refusal = refuses ? IO_STATUS_NO_SPACE : IO_STATUS_OK;
    drive->refusal_offset_bytes = 0;
    drive->refusal_length_bytes = world->slots[slot].options.size_bytes;
}

/* A drive group without redundancy is not started before its drives take writes: they are told, and
 * nothing else waits for it, neither the start of the controller nor its stop. */
static void test_a_start_that_waits_for_room(void **state UNUSED)
{
    struct ctl_world *world = world_of(1, 7);
    const struct finding *finding = NULL;
    struct virtual_drive_view vd;
    object_key_t key;
    int result = 0;

    lose(world, 0, LOSS_OFFLINE);
    for (uint32_t life = 0; life < 2; life++) {
        world_stop(world);
        refuse_set(world, 1, true);
        refuse_set(world, 2, true);
        assert_int_equal(world_begin_start(world, &result), 0);
        world_settle(world, MINUTE);
        assert_int_equal(result, 0);
        assert_true(ctl_is_online(world->ctl));
        check(world, "its drives refuse writes");
        assert_int_equal(picture.status, CONTROLLER_STATUS_FAILED);
        assert_non_null(world_finding(world, FINDING_DRIVE_REFUSES_WRITES, slot_key(world, 1)));
        assert_non_null(world_finding(world, FINDING_DRIVE_REFUSES_WRITES, slot_key(world, 2)));
        finding = world_finding(world, FINDING_VIRTUAL_DRIVE_OFFLINE, NULL);
        assert_non_null(finding);
        assert_int_equal(finding->what.code, REASON_FINDING_VIRTUAL_DRIVE_REFUSED);
        assert_int_equal(finding->remedy.code, REASON_REMEDY_VIRTUAL_DRIVE_REFUSED);
        assert_true(world_vd(world, "data", &vd, key));
        assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_OFFLINE);
    }
    refuse_set(world, 1, false);
    refuse_set(world, 2, false);
    world_settle(world, MINUTE);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_DEGRADED, MINUTE));
    assert_null(world_finding(world, FINDING_DRIVE_REFUSES_WRITES, NULL));
    assert_null(world_finding(world, FINDING_VIRTUAL_DRIVE_OFFLINE, NULL));
    world_free(world);
}

/* One drive is an older copy: the record on the others would not go away with the file. */
static void test_one_older_drive(void **state UNUSED)
{
    const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};
    struct ctl_world *world = world_of(1, 6);
    struct sim_drive *old = NULL;

    world_stop(world);
    old = sim_drive_fork(world->slots[0].drive, world->sim, &as_it_is);
    world_start(world);
    lose(world, 1, LOSS_OFFLINE);
    world_stop(world);
    world->retired[world->retired_count++] = world->slots[0].drive;
    world->slots[0].drive = old;
    world_start(world);
    world_settle(world, MINUTE);
    check(world, "one older drive");
    assert_true(picture.offline);
    expect(world, FINDING_DRIVE_FAILED, slot_key(world, 0), REASON_EFFECT_DRIVE_STALE_OFFLINE,
           REASON_REMEDY_VIRTUAL_DRIVE_STALE);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_two_losses),
        cmocka_unit_test(test_which_drive_is_needed),
        cmocka_unit_test(test_which_place_is_needed),
        cmocka_unit_test(test_members_in_sync),
        cmocka_unit_test(test_one_older_drive),
        cmocka_unit_test(test_a_start_that_waits_for_room),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
