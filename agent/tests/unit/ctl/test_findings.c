/*
 * Findings: whatever state drives, groups, battery, cache and spares are in, the list says all that
 * is wrong with them, once, and the status of the controller is the worst of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctl_world.h"
#include "drive/drive_layout.h"
#include "sim_store.h"

#define MINUTE (60 * SIM_SECOND)
#define NAME_BYTES 23u /* of "252:3" */

struct picture {
    struct controller_view controller;
    struct finding_list list;
    uint32_t vd_count, drive_count, group_count;
    struct {
        object_key_t key;
        enum virtual_drive_state state;
        bool has_bad_blocks, lost_writes;
    } vds[8];
    struct {
        object_key_t key;
        struct drive_view view;
    } drives[16];
};

static void picture_take(void *context, const struct object_head *head, const void *view)
{
    struct picture *picture = context;
    const struct virtual_drive_view *vd = view;
    const struct drive_view *drive = view;

    if (head->kind == OBJECT_KIND_CONTROLLER) {
        picture->controller = *(const struct controller_view *)view;
        picture->list = *picture->controller.findings;
    } else if (head->kind == OBJECT_KIND_VIRTUAL_DRIVE) {
        assert_true(picture->vd_count < 8);
        memcpy(picture->vds[picture->vd_count].key, head->key, sizeof(head->key));
        picture->vds[picture->vd_count].state = vd->state;
        picture->vds[picture->vd_count].has_bad_blocks = vd->lost_blocks > 0;
        picture->vds[picture->vd_count++].lost_writes = vd->config->cache_lost;
    } else if (head->kind == OBJECT_KIND_DRIVE) {
        assert_true(picture->drive_count < 16);
        memcpy(picture->drives[picture->drive_count].key, head->key, sizeof(head->key));
        picture->drives[picture->drive_count++].view = *drive;
    }
}

static const struct finding *find(const struct picture *picture, enum finding_code code,
                                  const char *key)
{
    for (uint32_t i = 0; i < picture->list.count; i++) {
        const struct finding *finding = &picture->list.items[i];

        if (finding->code == code && (key == NULL || strcmp(finding->key, key) == 0)) {
            return finding;
        }
    }
    return NULL;
}

static void expect(const struct picture *picture, bool is, enum finding_code code, const char *key)
{
    if ((find(picture, code, key) != NULL) != is) {
        for (uint32_t i = 0; i < picture->drive_count; i++) {
            print_message("%s is %s\n", picture->drives[i].key,
                          drive_state_word(picture->drives[i].view.state));
        }
        fail_msg("%s %s of %s", is ? "no" : "a", finding_kind(code)->word, key);
    }
}

/* What the views of the virtual drives say is what their findings say. */
static void vds_agree(const struct picture *picture)
{
    for (uint32_t i = 0; i < picture->vd_count; i++) {
        const char *key = picture->vds[i].key;
        enum virtual_drive_state state = picture->vds[i].state;

        expect(picture, state == VIRTUAL_DRIVE_STATE_OFFLINE, FINDING_VIRTUAL_DRIVE_OFFLINE, key);
        expect(picture, state == VIRTUAL_DRIVE_STATE_DEGRADED, FINDING_VIRTUAL_DRIVE_DEGRADED, key);
        expect(picture, state == VIRTUAL_DRIVE_STATE_PARTIALLY_DEGRADED,
               FINDING_VIRTUAL_DRIVE_PARTIALLY_DEGRADED, key);
        expect(picture, picture->vds[i].has_bad_blocks, FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, key);
        expect(picture, picture->vds[i].lost_writes, FINDING_WRITES_LOST, key);
    }
}

static void drives_agree(const struct picture *picture)
{
    for (uint32_t i = 0; i < picture->drive_count; i++) {
        const char *key = picture->drives[i].key;
        const struct drive_view *view = &picture->drives[i].view;
        enum drive_state state = view->state;
        bool member = view->group[0] != '\0';
        enum reason_code why = view->has_state_reason ? view->state_reason.code : REASON_OK;

        expect(picture, state == DRIVE_STATE_FAILED && why != REASON_DRIVE_LOST_OVERWRITTEN,
               FINDING_DRIVE_FAILED, key);
        expect(picture,
               (state == DRIVE_STATE_FAILED && why == REASON_DRIVE_LOST_OVERWRITTEN) ||
                   (state == DRIVE_STATE_ONLINE && why == REASON_DRIVE_OVERWRITTEN_USED),
               FINDING_DRIVE_OVERWRITTEN, key);
        expect(picture, why == REASON_DRIVE_SHRUNK && view->present, FINDING_DRIVE_SHRUNK, key);
        expect(picture, state == DRIVE_STATE_MISSING && member, FINDING_DRIVE_MISSING, key);
        expect(picture, state == DRIVE_STATE_OFFLINE, FINDING_DRIVE_OFFLINE, key);
        expect(picture,
               state == DRIVE_STATE_UNCONFIGURED_BAD && !member && view->present &&
                   why != REASON_DRIVE_SHRUNK,
               FINDING_DRIVE_UNCONFIGURED_BAD, key);
        expect(picture, state == DRIVE_STATE_UNCONFIGURED_BAD && member, FINDING_DRIVE_OUT_OF_DATE,
               key);
        expect(picture,
               view->present && view->predictive_failures > 0 && state != DRIVE_STATE_FAILED,
               FINDING_DRIVE_PREDICTIVE_FAILURE, key);
        expect(picture, view->present && view->media_errors > 0, FINDING_DRIVE_MEDIA_ERRORS, key);
    }
}

static void list_is_in_order(const struct picture *picture)
{
    enum controller_status worst = CONTROLLER_STATUS_OPTIMAL;

    for (uint32_t i = 0; i < picture->list.count; i++) {
        const struct finding *finding = &picture->list.items[i];
        const struct finding_kind *kind = finding_kind(finding->code);
        char text[REASON_TEXT_MAX];

        assert_true(finding->since_us > 0);
        assert_true(kind->severity == FINDING_SEVERITY_INFO ||
                    kind->status != CONTROLLER_STATUS_OPTIMAL);
        assert_true(i == 0 ||
                    kind->severity <= finding_kind(picture->list.items[i - 1].code)->severity);
        worst = kind->status > worst ? kind->status : worst;
        for (uint32_t j = 0; j < i; j++) {
            assert_true(picture->list.items[j].code != finding->code ||
                        strcmp(picture->list.items[j].key, finding->key) != 0);
        }
        /* Every parameter of the sentences is there. */
        (void)reason_text(&finding->what, text, sizeof(text));
        assert_null(strchr(text, '?'));
        (void)reason_text(&finding->cause, text, sizeof(text));
        assert_null(strchr(text, '?'));
        (void)reason_text(&finding->effect, text, sizeof(text));
        assert_null(strchr(text, '?'));
        (void)reason_text(&finding->remedy, text, sizeof(text));
        assert_null(strchr(text, '?'));
    }
    assert_int_equal(picture->controller.status, worst);
}

/* The picture of this moment, which is true in itself. */
static struct picture *look(struct ctl_world *world)
{
    static struct picture picture;
    struct ctl_visitor visitor = {.object = picture_take, .context = &picture};

    memset(&picture, 0, sizeof(picture));
    ctl_objects_since(world->ctl, 0, &visitor);
    vds_agree(&picture);
    drives_agree(&picture);
    list_is_in_order(&picture);
    return &picture;
}

static void expect_text(const struct reason *reason, const char *text)
{
    char said[REASON_TEXT_MAX];

    (void)reason_text(reason, said, sizeof(said));
    assert_string_equal(said, text);
}

static void slot_resize(struct ctl_world *world, uint32_t index, uint64_t bytes, uint32_t block)
{
    struct slot *slot = &world->slots[index];

    sim_drive_destroy(slot->drive);
    slot->options.size_bytes = bytes;
    slot->options.logical_block_bytes = block;
    slot->options.physical_block_bytes = block;
    slot->drive = sim_drive_create(world->sim, &slot->options);
}

static void set(struct ctl_world *world, uint32_t fields, uint32_t glitch_seconds,
                bool auto_rebuild)
{
    struct ctl_command command = {.op = CTL_OP_CONTROLLER_SET};

    strcpy(command.args.controller_set.controller, "c0");
    command.args.controller_set.fields = fields;
    command.args.controller_set.glitch_seconds = glitch_seconds;
    command.args.controller_set.auto_rebuild = auto_rebuild;
    assert_int_equal(world_run(world, &command), REASON_OK);
}

static void slot_leave(struct ctl_world *world, uint32_t slot)
{
    world->slots[slot].absent = true;
    slot_depart(world, slot);
    world_settle(world, SIM_SECOND);
}

/* As mkfs does, which knows of no RAID: the first MiB and the end of the drive. */
static void overwrite(struct ctl_world *world, uint32_t slot)
{
    const struct slot *place = &world->slots[slot];
    uint8_t *bytes = calloc(1, MIB);

    assert_non_null(bytes);
    sim_drive_poke(place->drive, 0, bytes, MIB);
    sim_drive_poke(place->drive, place->options.size_bytes - 64 * 1024, bytes, 64 * 1024);
    free(bytes);
}

static void wipe_label(struct ctl_world *world, uint32_t slot)
{
    const struct slot *place = &world->slots[slot];
    uint8_t *bytes = calloc(1, MIB);

    assert_non_null(bytes);
    sim_drive_poke(place->drive, 0, bytes, MIB);
    sim_drive_poke(place->drive, drive_layout_label_offset(place->options.size_bytes, false, 0),
                   bytes, LABEL_SLOT_COUNT * LABEL_SLOT_BYTES);
    free(bytes);
}

/* Every way to lose up to three drives of every level, and what becomes of it. */

enum loss {
    LOSS_PULL,
    LOSS_OFFLINE,
    LOSS_WRITE_ERROR,
    LOSS_DEPART,
    LOSS_OVERWRITE, /* while arrayd does not run */
    LOSS_SHRINK,
    LOSS_MAX
};
enum spare {
    SPARE_NONE,
    SPARE_GOOD,
    SPARE_SMALL,
    SPARE_BLOCKS,
    SPARE_FAR,
    SPARE_PULLED,
    SPARE_LEFT,
    SPARE_WIPED,
    SPARE_MAX
};

static const struct {
    enum raid_level level;
    uint32_t drives;
} arrays[] = {{RAID_LEVEL_0, 2},  {RAID_LEVEL_1, 2},  {RAID_LEVEL_5, 3}, {RAID_LEVEL_6, 4},
              {RAID_LEVEL_10, 4}, {RAID_LEVEL_50, 6}, {RAID_LEVEL_1E, 3}};

static void lose(struct ctl_world *world, uint32_t slot, enum loss loss)
{
    struct ctl_command command = {.op = CTL_OP_FAULT_INJECT};
    static uint8_t buffer[4096];

    switch (loss) {
    case LOSS_PULL:
        (void)world_fault(world, slot, FAULT_KIND_PULL);
        break;
    case LOSS_OFFLINE:
        (void)world_drive_op(world, CTL_OP_DRIVE_OFFLINE, slot); /* a last copy is refused */
        break;
    case LOSS_WRITE_ERROR:
        strcpy(command.args.fault_inject.drive, slot_key(world, slot));
        command.args.fault_inject.fault = FAULT_KIND_WRITE_ERROR;
        command.args.fault_inject.count = 1u << 20;
        (void)world_run(world, &command);
        for (uint64_t at = 0; at < 16; at++) {
            (void)world_io(world, "data", VD_OP_WRITE, at * 65536, sizeof(buffer), buffer);
        }
        break;
    case LOSS_DEPART:
        slot_depart(world, slot);
        break;
    case LOSS_OVERWRITE:
        world_stop(world);
        overwrite(world, slot);
        world_start(world);
        break;
    case LOSS_SHRINK:
        world_stop(world);
        slot_resize(world, slot, 70 * MIB, 512);
        world_start(world);
        expect(look(world), true, FINDING_DRIVE_SHRUNK, slot_key(world, slot));
        break;
    case LOSS_MAX:
        fail();
    }
    world_settle(world, SIM_SECOND);
}

static void spare_prepare(struct ctl_world *world, enum spare spare)
{
    if (spare == SPARE_SMALL) {
        slot_resize(world, 6, 71 * MIB, 512);
    } else if (spare == SPARE_BLOCKS) {
        slot_resize(world, 6, 72 * MIB, 4096);
    }
    world->slots[6].eid = spare == SPARE_FAR ? 253 : 0;
}

static void spare_make(struct ctl_world *world, enum spare spare)
{
    struct ctl_command command = {.op = CTL_OP_SPARE_ADD};

    strcpy(command.args.spare_add.drive, slot_key(world, 6));
    command.args.spare_add.affinity = spare == SPARE_FAR;
    (void)world_run(world, &command);
    if (spare == SPARE_PULLED) {
        assert_int_equal(world_fault(world, 6, FAULT_KIND_PULL), REASON_OK);
        expect(look(world), true, FINDING_SPARE_MISSING, slot_key(world, 6));
    } else if (spare == SPARE_LEFT) {
        slot_leave(world, 6);
        world_restart(world);
        expect(look(world), true, FINDING_SPARE_MISSING, slot_key(world, 6));
    } else if (spare == SPARE_WIPED) {
        world_stop(world);
        wipe_label(world, 6);
        world_start(world);
        expect(look(world), true, FINDING_SPARE_OVERWRITTEN, slot_key(world, 6));
    }
}

static void array_lives(uint32_t array, enum loss loss, enum spare spare)
{
    struct ctl_world *world = world_new(array * 200 + loss * 20 + spare, 7);
    spare_prepare(world, spare);
    world_start(world);
    (void)look(world);
    assert_int_equal(world_create(world, arrays[array].level, 0, arrays[array].drives, "data"),
                     REASON_OK);
    (void)look(world);
    world_settle(world, 10 * SIM_SECOND);
    if (spare != SPARE_NONE) {
        spare_make(world, spare);
    }
    (void)look(world);
    if (spare == SPARE_PULLED) { /* another one is made instead */
        (void)world_spare(world, 5, NULL);
        expect(look(world), world->reason.code != REASON_OK, FINDING_SPARE_MISSING, NULL);
        (void)world_drive_op(world, CTL_OP_SPARE_REMOVE, 5);
    }
    for (uint32_t slot = 0; slot < 2; slot++) {
        lose(world, slot, loss);
        (void)look(world);
        world_settle(world, 5 * SIM_SECOND);
        (void)look(world);
        world_settle(world, MINUTE);
        (void)look(world);
    }
    world_restart(world);
    (void)look(world);
    world_settle(world, MINUTE);
    (void)look(world);
    world_free(world);
}

static void test_table(void **state)
{
    (void)state;
    for (uint32_t array = 0; array < sizeof(arrays) / sizeof(arrays[0]); array++) {
        for (unsigned loss = 0; loss < LOSS_MAX; loss++) {
            for (unsigned spare = 0; spare < SPARE_MAX; spare++) {
                array_lives(array, (enum loss)loss, (enum spare)spare);
            }
        }
    }
}

/* A spare that cannot serve: said when it is made, while it cannot, and with the loss. */

static const struct {
    enum spare spare;
    const char *why;
} idle_spares[] = {
    {SPARE_SMALL, "252:6 is 1 MiB too small for drive group 0."},
    {SPARE_BLOCKS, "252:6 has blocks of 4096 bytes, and drive group 0 has blocks of 512 bytes."},
    {SPARE_FAR, "253:6 serves only its own enclosure, and drive group 0 has members in another "
                "one."},
};

static void test_idle_spares(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(idle_spares) / sizeof(idle_spares[0]); i++) {
        struct ctl_world *world = world_new(60 + i, 7);
        const struct finding *finding = NULL;

        spare_prepare(world, idle_spares[i].spare);
        world_start(world);
        assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
        world_settle(world, 10 * SIM_SECOND);
        assert_int_equal(look(world)->controller.status, CONTROLLER_STATUS_OPTIMAL);
        spare_make(world, idle_spares[i].spare);
        assert_int_equal(world->reason.code, REASON_SPARE_MADE_UNUSABLE);
        assert_non_null(strstr(world->text, idle_spares[i].why));
        finding = find(look(world), FINDING_SPARE_UNUSABLE, slot_key(world, 6));
        assert_non_null(finding);
        expect_text(&finding->cause, idle_spares[i].why);
        assert_int_equal(look(world)->controller.status, CONTROLLER_STATUS_NEEDS_ATTENTION);
        set(world, CONTROLLER_SET_GLITCH_SECONDS, 0, true);
        assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
        world_settle(world, SIM_SECOND);
        finding = find(look(world), FINDING_VIRTUAL_DRIVE_DEGRADED, NULL);
        assert_non_null(finding);
        expect_text(&finding->cause, idle_spares[i].why);
        expect_text(&finding->remedy,
                    "Nothing is being rebuilt. Replace 252:0, or rebuild onto the free drive 252:3 "
                    "with \"/c0/e252/s3 insert dg=0 array=0 row=0\".");
        assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 6), REASON_OK);
        expect(look(world), false, FINDING_SPARE_UNUSABLE, NULL);
        world_free(world);
    }
}

/* What is done about a lost drive, at each step. */
static void test_repair(void **state)
{
    struct ctl_world *world = world_new(70, 7);
    const struct finding *finding = NULL;
    uint64_t since_us = 0;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
    assert_int_equal(look(world)->list.count, 0);
    set(world, CONTROLLER_SET_AUTO_REBUILD, 0, false);
    assert_int_equal(world_fault(world, 0, FAULT_KIND_PULL), REASON_OK);
    finding = find(look(world), FINDING_VIRTUAL_DRIVE_DEGRADED, NULL);
    assert_non_null(finding);
    expect_text(&finding->what, "Virtual drive \"data\" is degraded. Not in sync: 252:0.");
    expect_text(&finding->effect,
                "It survives no further failure: losing one of 252:1, 252:2 loses its data.");
    expect_text(&finding->remedy, "Automatic rebuild is off, so hot spare 252:6 is not used. Turn "
                                  "it on with \"/c0 set autorebuild=on\".");
    since_us = finding->since_us;
    set(world, CONTROLLER_SET_AUTO_REBUILD, 0, true);
    finding = find(look(world), FINDING_VIRTUAL_DRIVE_DEGRADED, NULL);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_SPARE_WAITS);
    assert_non_null(strstr(finding->remedy.params[0].value, "252:6"));
    world_settle(world, 6 * SIM_SECOND);
    finding = find(look(world), FINDING_VIRTUAL_DRIVE_DEGRADED, NULL);
    if (finding != NULL) { /* it may be over already */
        expect_text(&finding->remedy, "252:6 is being rebuilt. Wait until that is done.");
        assert_int_equal(finding->since_us, since_us);
    }
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    /* The drive is still away, and there is no spare left: this is not over. */
    assert_int_equal(look(world)->controller.status, CONTROLLER_STATUS_NEEDS_ATTENTION);
    expect(look(world), true, FINDING_DRIVE_REMOVED, slot_key(world, 0));
    expect(look(world), true, FINDING_SPARES_USED_UP, NULL);
    assert_int_equal(world_spare(world, 5, NULL), REASON_OK);
    expect(look(world), false, FINDING_SPARES_USED_UP, NULL);
    world_free(world);
}

/* The same where drives are in no enclosure: nobody can tell which drive is a lost one's successor,
 * so none is taken for it, but that the spare is used up is told. */
static void test_spares_outside_enclosures(void **state UNUSED)
{
    struct ctl_world *world = world_new(22, 5);

    for (uint32_t i = 0; i < 5; i++) {
        world->slots[i].eid = UINT32_MAX;
    }
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    assert_int_equal(world_spare(world, 3, NULL), REASON_OK);
    world_stop(world);
    world->slots[1].absent = true;
    world_start(world);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    for (uint32_t start = 0; start < 2; start++) {
        world_settle(world, 10 * MINUTE);
        expect(look(world), true, FINDING_SPARES_USED_UP, NULL);
        assert_int_equal(world_drive_state(world, 3), DRIVE_STATE_ONLINE);
        assert_int_equal(world_drive_state(world, 4), DRIVE_STATE_UNCONFIGURED_GOOD);
        world_restart(world);
    }
    world_free(world);
}

/* Blocks of data and of parity in one row; the data can be read again, the parity is not listed
 * among the virtual drive's blocks, and a check writes it again. */
static void test_lost_parity_is_no_lost_data(void **state UNUSED)
{
    struct ctl_world *world = world_new(23, 3);
    struct sim_fault fault = {SIM_FAULT_READ, 0, 512};
    struct virtual_drive_view view;
    object_key_t key;
    uint8_t bytes[4096];

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_write(world, "data", 0, 256 * 1024, 0x11);
    assert_true(sim_drive_fault_add(world->slots[0].drive, &fault));
    assert_true(sim_drive_fault_add(world->slots[2].drive, &fault)); /* the parity of row 0 */
    assert_int_equal(world_io(world, "data", VD_OP_READ, 0, 4096, bytes), VD_STATUS_IO);
    assert_true(world_vd(world, "data", &view, key));
    assert_int_equal(view.lost_blocks, 1);
    expect(look(world), true, FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, key);
    assert_int_equal(world_task(world, CTL_OP_CONSISTENCY_CHECK, key, TASK_ACTION_START),
                     REASON_OK);
    world_settle(world, 10 * MINUTE);
    sim_drive_faults_clear(world->slots[0].drive);
    sim_drive_faults_clear(world->slots[2].drive);
    assert_int_equal(world_io(world, "data", VD_OP_READ, 0, 4096, bytes), VD_STATUS_OK);
    assert_true(world_vd(world, "data", &view, key));
    assert_int_equal(view.lost_blocks, 0);
    expect(look(world), false, FINDING_VIRTUAL_DRIVE_LOST_BLOCKS, key);
    expect(look(world), true, FINDING_VIRTUAL_DRIVE_LOST_PARITY, key);
    assert_int_equal(world_task(world, CTL_OP_CONSISTENCY_CHECK, key, TASK_ACTION_START),
                     REASON_OK);
    world_settle(world, 10 * MINUTE);
    expect(look(world), false, FINDING_VIRTUAL_DRIVE_LOST_PARITY, key);
    world_free(world);
}

/* The store takes nothing any more, and takes it again. */
static void test_state_directory(void **state)
{
    struct ctl_world *world = world_new(71, 4);

    (void)state;
    world_start(world);
    world->store->fail_with = -ENOSPC;
    assert_int_not_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    expect(look(world), true, FINDING_STATE_UNWRITABLE, "host");
    assert_int_equal(look(world)->controller.status, CONTROLLER_STATUS_NEEDS_ATTENTION);
    world->store->fail_with = 0;
    world_settle(world, 30 * SIM_SECOND);
    expect(look(world), false, FINDING_STATE_UNWRITABLE, NULL);
    assert_int_equal(look(world)->controller.status, CONTROLLER_STATUS_OPTIMAL);
    world_free(world);
}

/* A hot spare that is pulled is missed for as long as it is away: a restart does not forget it. */

static void slot_return(struct ctl_world *world, uint32_t slot)
{
    world->slots[slot].absent = false;
    slot_arrive(world, slot);
    world_settle(world, 10 * SIM_SECOND);
}

static struct ctl_world *world_with_spare_away(uint64_t seed)
{
    struct ctl_world *world = world_new(seed, 7);
    const struct finding *finding = NULL;

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
    slot_leave(world, 6);
    expect(look(world), true, FINDING_SPARE_MISSING, slot_key(world, 6));
    for (uint32_t i = 0; i < 2; i++) {
        world_restart(world);
        finding = find(look(world), FINDING_SPARE_MISSING, slot_key(world, 6));
        if (finding == NULL) {
            fail_msg("restart %u has forgotten the hot spare", i);
        }
        assert_string_equal(finding->path, "/c0/e252/s6");
        expect_text(&finding->what, "Hot spare 252:6 (serial S06) is missing.");
    }
    return world;
}

static void test_spare_away_comes_back(void **state)
{
    struct ctl_world *world = world_with_spare_away(72);

    (void)state;
    slot_return(world, 6);
    expect(look(world), false, FINDING_SPARE_MISSING, NULL);
    slot_leave(world, 6);
    expect(look(world), true, FINDING_SPARE_MISSING, slot_key(world, 6));
    world_free(world);
}

static void test_spare_away_is_replaced(void **state)
{
    struct ctl_world *world = world_with_spare_away(73);

    (void)state;
    assert_int_equal(world_spare(world, 5, NULL), REASON_OK);
    expect(look(world), false, FINDING_SPARE_MISSING, NULL);
    world_restart(world);
    expect(look(world), false, FINDING_SPARE_MISSING, NULL);
    assert_int_equal(look(world)->list.count, 0);
    world_free(world);
}

/* The bay of a lost member is no name for it when a good member of the group sits there now. */
static void test_bay_of_the_lost_is_taken(void **state UNUSED)
{
    struct ctl_world *world = world_new(21, 4);
    const struct finding *finding = NULL;
    struct slot moved;

    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_5, 0, 3, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world_stop(world);
    moved = world->slots[1];
    world->slots[1] = world->slots[0];
    world->slots[0] = moved;
    world->slots[1].absent = true;
    world->slots[3].absent = true;
    world_start(world);
    finding = find(look(world), FINDING_VIRTUAL_DRIVE_DEGRADED, NULL);
    assert_non_null(finding);
    expect_text(&finding->what, "Virtual drive \"data\" is degraded. Not in sync: serial S00.");
    expect_text(&finding->effect,
                "It survives no further failure: losing one of 252:0, 252:2 loses its data.");
    expect_text(&finding->remedy,
                "Nothing is being rebuilt. Put the drive with serial S00 back, insert a new one "
                "in an empty bay, or add a hot spare.");
    world_free(world);
}

static void test_spare_away_is_removed(void **state)
{
    struct ctl_world *world = world_with_spare_away(74);

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 6), REASON_OK);
    assert_int_equal(world_event_count(world, 0, 136), 1);
    expect(look(world), false, FINDING_SPARE_MISSING, NULL);
    assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 6), REASON_UNKNOWN_OBJECT);
    world_restart(world);
    expect(look(world), false, FINDING_SPARE_MISSING, NULL);
    world_free(world);
}

/* The store refuses for a while: the hot spare is remembered when it takes records again. */
static void test_spare_away_of_a_full_store(void **state)
{
    struct ctl_world *world = world_new(75, 7);

    (void)state;
    world_start(world);
    assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 6), REASON_OK);
    world_settle(world, SIM_SECOND);
    assert_int_equal(world_spare(world, 5, NULL), REASON_OK);
    world->store->fail_with = -ENOSPC;
    world_settle(world, MINUTE);
    world->store->fail_with = 0;
    world_settle(world, MINUTE);
    slot_leave(world, 5);
    world_restart(world);
    expect(look(world), true, FINDING_SPARE_MISSING, slot_key(world, 5));
    expect(look(world), false, FINDING_SPARE_MISSING, slot_key(world, 6));
    world_free(world);
}

/* Another program has written to a drive while nobody looked. */

static struct ctl_world *world_with(uint64_t seed, enum raid_level level, uint32_t drives)
{
    struct ctl_world *world = world_new(seed, 7);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, drives, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    return world;
}

static void test_overwritten_is_set_aside(void **state)
{
    struct ctl_world *world = world_with(76, RAID_LEVEL_1, 2);
    const struct finding *finding = NULL;

    (void)state;
    world_stop(world);
    overwrite(world, 1);
    world_start(world);
    for (uint32_t i = 0; i < 2; i++) {
        finding = find(look(world), FINDING_DRIVE_OVERWRITTEN, slot_key(world, 1));
        assert_non_null(finding);
        expect_text(&finding->what, "Another program wrote to drive 252:1 (serial S01) of drive "
                                    "group 0.");
        expect_text(&finding->remedy, "Look at what is on the drive. Then rebuild it with "
                                      "\"/c0/e252/s1 start rebuild\", which overwrites that, or "
                                      "replace it.");
        expect(look(world), false, FINDING_DRIVE_FAILED, NULL);
        world_restart(world);
    }
    assert_int_equal(world_task(world, CTL_OP_REBUILD, slot_key(world, 1), TASK_ACTION_START),
                     REASON_OK);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    assert_int_equal(look(world)->list.count, 0);
    world_free(world);
}

static void test_overwritten_is_used(void **state)
{
    struct ctl_world *world = world_with(77, RAID_LEVEL_0, 2);
    const struct finding *finding = NULL;

    (void)state;
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 1), REASON_WRONG_STATE);
    world_stop(world);
    overwrite(world, 1);
    world_start(world);
    world_restart(world); /* it is told until somebody says that the data are right */
    finding = find(look(world), FINDING_DRIVE_OVERWRITTEN, slot_key(world, 1));
    assert_non_null(finding);
    expect_text(&finding->effect, "The drive group would be offline without it, so the drive is "
                                  "used, and its data may be wrong.");
    expect_text(&finding->remedy, "Compare the data of the drive group with a backup. Once they "
                                  "are right, end this with \"/c0/e252/s1 set online\".");
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 0), REASON_WRONG_STATE);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_ONLINE, 1), REASON_OK);
    assert_int_equal(look(world)->list.count, 0);
    world_restart(world);
    assert_int_equal(look(world)->list.count, 0);
    world_free(world);
}

/* A member and a hot spare whose devices have become smaller. */
static void test_shrunk(void **state)
{
    struct ctl_world *world = world_new_sized(81, 7, 200 * MIB);
    const struct finding *finding = NULL;

    (void)state;
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
    world_stop(world);
    slot_resize(world, 1, 136 * MIB, 512);
    slot_resize(world, 6, 136 * MIB, 512);
    world_start(world);
    for (uint32_t slot = 1; slot <= 6; slot += 5) {
        finding = find(look(world), FINDING_DRIVE_SHRUNK, slot_key(world, slot));
        assert_non_null(finding);
        expect(look(world), false, FINDING_DRIVE_UNCONFIGURED_BAD, slot_key(world, slot));
        expect(look(world), false, FINDING_SPARE_OVERWRITTEN, NULL);
    }
    finding = find(look(world), FINDING_DRIVE_SHRUNK, slot_key(world, 1));
    expect_text(&finding->what, "Drive 252:1 (serial S01) is 64 MiB smaller than when it was taken "
                                "into use: 142606336 instead of 209715200 bytes.");
    world_free(world);
}

/* After an unclean stop without a member, nobody is asked for redundancy that is back. */
static void test_suspect_when_whole(void **state)
{
    struct ctl_world *world = world_with(86, RAID_LEVEL_5, 3);
    const struct finding *finding = NULL;

    (void)state;
    world_write(world, "data", 0, 64 * 1024, 0x11);
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_down(world);
    world->slots[1].absent = true;
    world_start(world);
    world_settle(world, SIM_SECOND);
    finding = find(look(world), FINDING_DATA_SUSPECT, NULL);
    assert_non_null(finding);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_DATA_SUSPECT);
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    assert_true(world_wait_state(world, "data", VIRTUAL_DRIVE_STATE_OPTIMAL, 10 * MINUTE));
    finding = find(look(world), FINDING_DATA_SUSPECT, NULL);
    assert_non_null(finding);
    assert_int_equal(finding->remedy.code, REASON_REMEDY_DATA_SUSPECT_WHOLE);
    world_free(world);
}

/* A drive that predicted its failure and has failed since is told of once. */
static void test_prediction_comes_true(void **state)
{
    struct ctl_world *world = world_with(85, RAID_LEVEL_5, 3);
    uint8_t *bytes = malloc(MIB);
    bool predicted = false;

    (void)state;
    assert_non_null(bytes);
    for (uint32_t i = 0; world_drive_state(world, 1) == DRIVE_STATE_ONLINE; i++) {
        assert_true(i < 1000);
        for (uint64_t at = 0; at < MIB; at += 64 * 1024) {
            struct sim_fault fault = {SIM_FAULT_READ, at, 512};

            assert_true(sim_drive_fault_add(world->slots[1].drive, &fault));
        }
        assert_int_equal(world_io(world, "data", VD_OP_READ, 0, MIB, bytes), VD_STATUS_OK);
        sim_drive_faults_clear(world->slots[1].drive);
        predicted = predicted ||
                    find(look(world), FINDING_DRIVE_PREDICTIVE_FAILURE, slot_key(world, 1)) != NULL;
        world_settle(world, SIM_SECOND);
    }
    free(bytes);
    assert_true(predicted);
    world_settle(world, SIM_SECOND);
    expect(look(world), true, FINDING_DRIVE_FAILED, slot_key(world, 1));
    expect(look(world), false, FINDING_DRIVE_PREDICTIVE_FAILURE, slot_key(world, 1));
    world_free(world);
}

static void test_spare_is_overwritten(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct ctl_world *world = world_with(78 + i, RAID_LEVEL_1, 2);
        const struct finding *finding = NULL;

        assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
        world_stop(world);
        wipe_label(world, 6);
        world_start(world);
        world_restart(world);
        expect(look(world), true, FINDING_SPARE_OVERWRITTEN, slot_key(world, 6));
        finding = find(look(world), FINDING_SPARE_OVERWRITTEN, slot_key(world, 6));
        assert_non_null(finding);
        expect_text(&finding->what, "Hot spare 252:6 (serial S06) has lost its label: another "
                                    "program wrote to the drive.");
        expect(look(world), false, FINDING_SPARE_MISSING, NULL);
        if (i == 0) {
            assert_int_equal(world_spare(world, 6, NULL), REASON_OK);
        } else if (i == 1) {
            assert_int_equal(world_drive_op(world, CTL_OP_SPARE_REMOVE, 6), REASON_OK);
        } else {
            assert_int_equal(world_create(world, RAID_LEVEL_0, 6, 1, "new"), REASON_OK);
        }
        expect(look(world), false, FINDING_SPARE_OVERWRITTEN, NULL);
        world_restart(world);
        expect(look(world), false, FINDING_SPARE_OVERWRITTEN, NULL);
        world_free(world);
    }
}

/* Drives whose own caches are not as a virtual drive requests. */

static void drive_cache_set(struct ctl_world *world, enum drive_cache_policy policy)
{
    struct ctl_command command = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, command.args.vd_set.vd));
    command.args.vd_set.fields = VD_SET_DRIVE_CACHE;
    command.args.vd_set.drive_cache_policy = policy;
    assert_int_equal(world_run(world, &command), REASON_OK);
    world_settle(world, SIM_SECOND);
}

static void test_drive_cache(void **state)
{
    struct ctl_world *world = world_new(82, 4);
    const struct finding *finding = NULL;

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        world->slots[i].real = true;
        world->slots[i].cache_on = true;
    }
    world_start(world);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 0, 2, "data"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    world->slots[1].cache_error = -EIO;
    drive_cache_set(world, DRIVE_CACHE_POLICY_OFF);
    finding = find(look(world), FINDING_DRIVE_CACHE_REFUSED, slot_key(world, 1));
    assert_non_null(finding);
    expect_text(&finding->what, "The write cache of drive 252:1 (serial S01) is not off, as "
                                "virtual drive \"data\" requests.");
    expect_text(&finding->effect, "A power failure loses what the drive's cache holds and no "
                                  "flush has covered.");
    expect(look(world), false, FINDING_DRIVE_CACHE_REFUSED, slot_key(world, 0));
    drive_cache_set(world, DRIVE_CACHE_POLICY_DEFAULT);
    expect(look(world), false, FINDING_DRIVE_CACHE_REFUSED, NULL);
    /* Somebody switches one back, and later it follows no more. */
    world->slots[1].cache_error = 0;
    drive_cache_set(world, DRIVE_CACHE_POLICY_OFF);
    assert_int_equal(look(world)->list.count, 0);
    world->slots[0].cache_on = true;
    slot_arrive(world, 0);
    world_settle(world, SIM_SECOND);
    assert_false(world->slots[0].cache_on);
    assert_int_equal(look(world)->list.count, 0);
    world->slots[0].cache_on = true;
    world->slots[0].cache_error = -EIO;
    slot_arrive(world, 0);
    world_settle(world, SIM_SECOND);
    expect(look(world), true, FINDING_DRIVE_CACHE_REFUSED, slot_key(world, 0));
    /* A restart asks again. */
    world_restart(world);
    world_settle(world, SIM_SECOND);
    expect(look(world), true, FINDING_DRIVE_CACHE_REFUSED, slot_key(world, 0));
    drive_cache_set(world, DRIVE_CACHE_POLICY_ON);
    expect(look(world), false, FINDING_DRIVE_CACHE_REFUSED, slot_key(world, 0));
    world_free(world);
}

/* Every sentence of a finding has room for the longest that can be put into it. */

static const struct {
    const char *name;
    size_t bytes;
} longest[] = {
    {"drive", NAME_BYTES}, {"serial", 40},    {"path", 47},    {"group", 47},
    {"name", VD_NAME_MAX}, {"count", 20},     {"drives", 119}, {"groups", 119},
    {"places", 119},       {"found", 10},     {"seconds", 20}, {"requested", 17},
    {"effective", 17},     {"wanted", 7},     {"missing", 23}, {"controller", 47},
    {"percent", 10},       {"hours", 20},     {"model", 40},   {"error", 31},
    {"size_bytes", 8},     {"used_bytes", 8}, {"bytes", 8},    {"array", 10},
    {"row", 10},           {"size", 20},      {"used", 20},
};

static size_t longest_of(const char *name, size_t name_bytes)
{
    for (size_t i = 0; i < sizeof(longest) / sizeof(longest[0]); i++) {
        if (strlen(longest[i].name) == name_bytes &&
            memcmp(longest[i].name, name, name_bytes) == 0) {
            return longest[i].bytes;
        }
    }
    return 127; /* whatever a parameter can hold */
}

static void sentence_fits(enum reason_code code)
{
    const char *text = reason_code_text(code);
    size_t bytes = 0;

    while (*text != '\0') {
        size_t plain = strcspn(text, "{");

        bytes += plain;
        text += plain;
        if (*text == '{') {
            size_t name_bytes = strcspn(text, "}") - 1;

            bytes += longest_of(text + 1, name_bytes);
            text += name_bytes + 2;
        }
    }
    if (bytes >= REASON_TEXT_MAX) {
        fail_msg("%s can have %zu bytes", reason_code_word(code), bytes);
    }
}

static void test_sentences_fit(void **state)
{
    static const char *const parts[] = {"finding_", "effect_", "remedy_"};

    (void)state;
    for (unsigned code = 0; code < REASON_MAX; code++) {
        const char *word = reason_code_word((enum reason_code)code);

        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
            if (strncmp(word, parts[i], strlen(parts[i])) == 0) {
                sentence_fits((enum reason_code)code);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spare_away_comes_back),
        cmocka_unit_test(test_spare_away_is_replaced),
        cmocka_unit_test(test_bay_of_the_lost_is_taken),
        cmocka_unit_test(test_spare_away_is_removed),
        cmocka_unit_test(test_spare_away_of_a_full_store),
        cmocka_unit_test(test_overwritten_is_set_aside),
        cmocka_unit_test(test_overwritten_is_used),
        cmocka_unit_test(test_spare_is_overwritten),
        cmocka_unit_test(test_prediction_comes_true),
        cmocka_unit_test(test_suspect_when_whole),
        cmocka_unit_test(test_shrunk),
        cmocka_unit_test(test_drive_cache),
        cmocka_unit_test(test_sentences_fit),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_idle_spares),
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_spares_outside_enclosures),
        cmocka_unit_test(test_lost_parity_is_no_lost_data),
        cmocka_unit_test(test_state_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
