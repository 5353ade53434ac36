/*
 * Changes of a group's configuration that are refused, cannot be saved, or meet with trouble while
 * they are: each is all or nothing, and says so.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "scarce_memory.h"
#include "sim_array.h"
#include "vd/group_private.h"

#define STRIP (16u << 10)
#define EXTENT (1u << 20)
#define ROW (2 * STRIP)

static struct sim_array *array_new(bool stripe_log)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 2,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 2,
                                        .small_spare = true,
                                        .timeout_ms = 400,
                                        .stripe_log = stripe_log,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(29), &options);

    array->config->vd_count = 1; /* the other one is to be added */
    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    for (uint32_t i = 0; i < array->drive_count; i++) {
        array->sims[i]->on_submit = NULL;
        sim_drive_unhang(array->sims[i]);
    }
    array->sim_store->fail_with = 0;
    if (array->group != NULL) {
        assert_int_equal(sim_array_stop(array), 0);
    }
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void put(struct sim_array *array, int byte)
{
    static uint8_t bytes[ROW];

    memset(bytes, byte, sizeof(bytes));
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
}

static void get(struct sim_array *array, int byte)
{
    static uint8_t bytes[ROW];

    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes),
        VD_STATUS_OK);
    for (uint32_t i = 0; i < sizeof(bytes); i++) {
        assert_int_equal(bytes[i], byte);
    }
}

static enum member_state member_state(struct sim_array *array, uint32_t member)
{
    return group_config(array->group)->members[member].state;
}

static void lose(struct sim_array *array, uint32_t member)
{
    assert_int_equal(
        group_member_lose(array->group, member, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    put(array, 2); /* durable from now on */
}

/* A write to a label, or to a region map: beyond all data. */
static bool is_record(const struct io_request *request)
{
    return request->op == IO_OP_WRITE && request->offset_bytes >= 2 * EXTENT;
}

static void pull_at_record(void *context UNUSED, struct sim_drive *sim,
                           const struct io_request *request)
{
    if (is_record(request)) {
        sim_drive_pull(sim, false);
    }
}

/* Changes */

static void rename_it(struct group_config *config, void *context UNUSED)
{
    strcpy(config->vds[0].name, "other");
}

static void test_nobody_waits_for_the_answer(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    group_config_change(array->group, rename_it, NULL, NULL, NULL);
    sim_world_advance(array->world, SIM_SECOND);
    assert_string_equal(vd_target(sim_array_vd(array, 0))->name, "other");
    array_end(array);
}

struct answers {
    int change, add;
    struct vd *added;
    uint32_t count;
};

static void change_answered(void *context, int error)
{
    struct answers *answers = context;

    answers->change = error;
    answers->count++;
}

static void add_answered(void *context, int error, struct vd *vd)
{
    struct answers *answers = context;

    answers->add = error;
    answers->added = vd;
    answers->count++;
}

static void test_while_it_stops(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    struct answers answers = {.count = 0};

    group_stop(array->group, sim_array_done, array);
    group_config_change(array->group, rename_it, NULL, change_answered, &answers);
    group_vd_add(array->group, &array->config->vds[1], add_answered, &answers);
    assert_int_equal(answers.count, 0); /* never from inside */
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(answers.count, 2);
    assert_int_equal(answers.change, -ESHUTDOWN);
    assert_int_equal(answers.add, -ESHUTDOWN);
    assert_null(answers.added);
    assert_string_equal(group_config(array->group)->vds[0].name, "vd0");
    array->group = group_free(array->group);
    assert_int_equal(sim_array_start_again(array), 0);
    array_end(array);
}

/* Virtual drives */

static int add(struct sim_array *array, const struct vd_config *config)
{
    struct answers answers = {.count = 0};

    group_vd_add(array->group, config, add_answered, &answers);
    while (answers.count == 0) {
        assert_true(sim_world_step(array->world));
    }
    assert_int_equal(answers.added != NULL, answers.add == 0);
    return answers.add;
}

static void test_what_cannot_be_added(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    struct vd_config config = array->config->vds[1];

    config.geometry.members_per_span = 4; /* of another number of members */
    assert_int_equal(add(array, &config), -EINVAL);
    config = array->config->vds[1];
    config.geometry.extent_bytes = 8 * EXTENT; /* longer than any member */
    assert_int_equal(add(array, &config), -EINVAL);
    config = array->config->vds[1];
    config.guid = array->config->vds[0].guid; /* there already */
    assert_int_equal(add(array, &config), -EINVAL);
    config = array->config->vds[1];
    config.name[0] = '\0';
    assert_int_equal(add(array, &config), -EINVAL);
    config = array->config->vds[1];
    array->sim_store->fail_with = -ENOSPC;
    assert_int_equal(add(array, &config), -ENOSPC);
    assert_int_equal(group_vd_count(array->group), 1);
    array->sim_store->fail_with = 0;
    for (uint32_t nth = 2; nth <= 6; nth++) { /* the edit itself is the first one */
        struct answers answers = {.count = 0};

        sim_world_advance(array->world, SIM_SECOND); /* no save is running: it is tried at once */
        scarce_memory_fail(nth);
        group_vd_add(array->group, &config, add_answered, &answers);
        assert_true(scarce_memory_end());
        while (answers.count == 0) {
            assert_true(sim_world_step(array->world));
        }
        assert_int_equal(answers.add, -ENOMEM);
    }
    assert_int_equal(add(array, &config), 0);
    array_end(array);
}

static void test_full_table(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    /* The group's own configuration, which only it should change. */
    struct group_config *config = (struct group_config *)(uintptr_t)group_config(array->group);
    struct answers answers = {.count = 0};

    sim_world_advance(array->world, SIM_SECOND); /* no save is running: it is tried at once */
    config->vd_count = GROUP_VDS_MAX;
    group_vd_add(array->group, &array->config->vds[1], add_answered, &answers);
    config->vd_count = 1;
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(answers.count, 1);
    assert_int_equal(answers.add, -ENOSPC);
    assert_int_equal(add(array, &array->config->vds[1]), 0);
    array_end(array);
}

/* The drive of a copyback has no room for another one. */
static void test_no_room_on_the_twin(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    uint32_t small = sim_array_small_spare(array);
    struct vd_config config = array->config->vds[1];

    assert_int_not_equal(small, SIM_NO_DRIVE);
    assert_int_equal(sim_array_copyback(array, 0, small), 0);
    assert_int_equal(add(array, &config), -EINVAL);
    group_copyback_stop(array->group, REASON_OK);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(add(array, &config), 0);
    assert_int_equal(sim_array_copyback(array, 0, small), -ENOSPC);
    array_end(array);
}

static void remove_begin(struct sim_array *array)
{
    group_vd_remove(array->group, sim_array_vd(array, 0), sim_array_done, array);
}

/* Nothing takes the record of a group that has no virtual drive, which is never offline: who waits
 * for it is told so, once. */
static void test_a_record_that_nothing_takes(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    remove_begin(array);
    assert_int_equal(sim_array_wait(array), 0);
    sim_world_advance(array->world, SIM_SECOND);
    for (uint32_t i = 0; i < 3; i++) {
        array->sims[i]->write_fails = true;
    }
    array->sim_store->fail_with = -ENOSPC;
    group_checkpoint(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), -ENOSPC);
    sim_world_advance(array->world, SIM_SECOND);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(group_config(array->group)->members[i].state, MEMBER_FAILED);
    }
    assert_int_not_equal(group_state(array->group), VIRTUAL_DRIVE_STATE_OFFLINE);
    array_end(array);
}

static void read_done(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    *(bool *)request->owner = true;
}

static void sync_done(struct vd_sync *sync, int error)
{
    assert_int_equal(error, 0);
    *(bool *)sync->owner = true;
}

static void checkpoint_done(void *context, int error)
{
    assert_int_equal(error, 0);
    *(bool *)context = true;
}

/* Nothing of it may be under way. */
static void test_removal_of_what_is_busy(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    struct vd *vd = sim_array_vd(array, 0);
    uint8_t bytes[4096];
    bool done = false;
    struct vd_request request = {.op = VD_OP_READ,
                                 .length_bytes = sizeof(bytes),
                                 .buffer = bytes,
                                 .complete = read_done,
                                 .owner = &done};
    struct vd_sync sync = {.vd = vd, .row_count = 1, .complete = sync_done, .owner = &done};

    sim_world_advance(array->world, SIM_SECOND); /* no save is running: it is tried at once */
    vd_submit(vd, &request);
    remove_begin(array);
    assert_int_equal(sim_array_wait(array), -EBUSY);
    assert_true(sim_world_run_until_flag(array->world, &done, SIM_SECOND));
    done = false;
    vd_sync_submit(vd, &sync);
    remove_begin(array);
    assert_int_equal(sim_array_wait(array), -EBUSY);
    assert_true(sim_world_run_until_flag(array->world, &done, SIM_SECOND));
    done = false;
    group_checkpoint(array->group, checkpoint_done, &done);
    remove_begin(array);
    assert_int_equal(sim_array_wait(array), -EBUSY);
    assert_true(sim_world_run_until_flag(array->world, &done, SIM_SECOND));
    put(array, 1);
    while (!vd->cleaning) { /* it rests, and its mark is to go */
        assert_true(sim_world_step(array->world));
    }
    remove_begin(array);
    assert_int_equal(sim_array_wait(array), -EBUSY);
    get(array, 1);
    array_end(array);
}

/* Replacing */

/* What cannot be saved but on the members is saved there. */
static void test_a_replacement_goes_by_labels(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    lose(array, 1);
    array->sim_store->fail_with = -ENOSPC;
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    assert_int_equal(member_state(array, 1), MEMBER_REBUILD);
    assert_int_equal(sim_array_stop(array), 0);
    array->sim_store->fail_with = 0;
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(member_state(array, 1), MEMBER_REBUILD);
    assert_ptr_equal(group_drive(array->group, 1), array->drives[3]);
    get(array, 2);
    array_end(array);
}

/* The place stays that of the former drive, with what happened to that. */
static void test_a_replacement_that_fails_at_once(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    struct uuid former = group_config(array->group)->members[1].drive;

    lose(array, 1);
    array->sims[3]->on_submit = pull_at_record;
    assert_int_equal(sim_array_replace(array, 1, 3), -EIO);
    assert_int_equal(member_state(array, 1), MEMBER_OFFLINE);
    assert_int_equal(group_config(array->group)->members[1].why, REASON_DRIVE_LOST_USER);
    assert_memory_equal(&group_config(array->group)->members[1].drive, &former, sizeof(former));
    get(array, 2);
    array_end(array);
}

/* Which transfers hang. */
struct hanging {
    enum io_op op;
    uint64_t from, to;
};

static void hang(void *context, struct sim_drive *sim, const struct io_request *request)
{
    const struct hanging *hanging = context;

    sim->hang =
        sim->hang || (request->op == hanging->op && request->offset_bytes >= hanging->from &&
                      request->offset_bytes < hanging->to);
}

/* What a drive that hangs still has of the member's own memory is waited for: flushes, pages of
 * the region map, batches of the stripe log. */
static void test_a_replacement_has_to_wait(void **state UNUSED)
{
    for (uint32_t what = 0; what < 3; what++) {
        struct sim_array *array = array_new(what == 2);
        uint64_t size = array->sims[1]->port.size_bytes;
        uint64_t map = drive_layout_region_page_offset(size, false, 0, 0, 0);
        uint64_t ring = drive_layout_stripe_log_offset(size, false);
        struct hanging hanging = {.op = what == 0 ? IO_OP_FLUSH : IO_OP_WRITE,
                                  .from = what == 0   ? 0
                                          : what == 1 ? map
                                                      : ring,
                                  .to = what == 0   ? UINT64_MAX
                                        : what == 1 ? map + (1u << 20)
                                                    : ring + STRIPE_LOG_BYTES};

        sim_world_advance(array->world, SIM_SECOND);
        array->sims[1]->on_submit = hang;
        array->sims[1]->on_submit_context = &hanging;
        for (uint32_t i = 0; i < 8 && member_state(array, 1) == MEMBER_ONLINE; i++) {
            uint8_t bytes[4096] = {(uint8_t)i};

            assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, true, i * ROW,
                                          sizeof(bytes), bytes),
                             VD_STATUS_OK);
        }
        assert_int_equal(member_state(array, 1), MEMBER_FAILED);
        assert_int_equal(sim_array_replace(array, 1, 3), -EBUSY);
        array->sims[1]->on_submit = NULL;
        sim_drive_unhang(array->sims[1]);
        sim_world_advance(array->world, SIM_SECOND);
        assert_int_equal(sim_array_replace(array, 1, 3), 0);
        array_end(array);
    }
}

/* The survivors of a loss are flushed before it is saved; one of them hangs in that. */
static void test_a_replacement_has_to_wait_for_a_loss(void **state UNUSED)
{
    const struct sim_array_options options = {.level = RAID_LEVEL_6,
                                              .span_count = 1,
                                              .members_per_span = 4,
                                              .strip_bytes = STRIP,
                                              .block_bytes = 4096,
                                              .vd_count = 1,
                                              .extent_bytes = EXTENT,
                                              .spare_count = 1,
                                              .timeout_ms = 400,
                                              .stripe_log = STRIPE_LOG_MODE_OFF,
                                              .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(31), &options);
    struct hanging hanging = {.op = IO_OP_FLUSH, .to = UINT64_MAX};

    assert_int_equal(sim_array_start(array), 0);
    put(array, 1);
    array->sims[2]->on_submit = hang;
    array->sims[2]->on_submit_context = &hanging;
    lose(array, 1);
    assert_int_equal(member_state(array, 2), MEMBER_FAILED);
    assert_true(array->group->members[2].loss_flush->busy);
    assert_int_equal(sim_array_replace(array, 2, 4), -EBUSY);
    array->sims[2]->on_submit = NULL;
    sim_drive_unhang(array->sims[2]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(sim_array_replace(array, 2, 4), 0);
    get(array, 2);
    array_end(array);
}

static void answered(struct vd_request *request, enum vd_status status)
{
    *(enum vd_status *)request->owner = status;
}

/* From the moment at which a virtual drive is being removed it takes nothing. */
static void test_what_goes_takes_no_requests(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    struct vd *vd = sim_array_vd(array, 0);
    enum vd_status status = VD_STATUS_OK;
    uint8_t bytes[4096] = {0};
    struct vd_request request = {.op = VD_OP_WRITE,
                                 .length_bytes = sizeof(bytes),
                                 .buffer = bytes,
                                 .complete = answered,
                                 .owner = &status};

    array->sim_store->fail_with = -ENOSPC;
    group_vd_remove(array->group, vd, sim_array_done, array);
    while (vd->serving) {
        assert_true(sim_world_step(array->world));
    }
    vd_submit(vd, &request);
    assert_int_equal(sim_array_wait(array), -ENOSPC);
    assert_int_equal(status, VD_STATUS_SHUTDOWN);
    array->sim_store->fail_with = 0;
    put(array, 1); /* it has not gone after all */
    get(array, 1);
    array_end(array);
}

/* Copybacks */

static int copyback(struct sim_array *array, uint32_t member, uint32_t drive)
{
    int error = sim_array_copyback(array, member, drive);

    if (error != 0) {
        array->twin = SIM_NO_DRIVE;
    }
    return error;
}

static void test_copybacks_that_do_not_begin(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    put(array, 1);
    array->sim_store->fail_with = -ENOSPC; /* that does not stop it */
    assert_int_equal(copyback(array, 0, 3), 0);
    array->sim_store->fail_with = 0;
    assert_int_not_equal(group_copyback_number(array->group), 0);
    array->twin = SIM_NO_DRIVE;
    assert_int_equal(copyback(array, 1, 4), -EBUSY); /* one at a time */
    group_copyback_stop(array->group, REASON_OK);
    group_copyback_stop(array->group, REASON_OK); /* there is none any more */
    sim_world_advance(array->world, SIM_SECOND);
    lose(array, 1);
    assert_int_equal(copyback(array, 1, 4), -EBUSY); /* of what is not there */
    array_end(array);
}

static void copied(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static void copy_all_of(struct sim_array *array, uint32_t member)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = EXTENT / STRIP,
                           .copy = true,
                           .complete = copied,
                           .owner = array};

    assert_int_equal(sim_array_copyback(array, member, 3), 0);
    vd_sync_submit(sync.vd, &sync);
    assert_int_equal(sim_array_wait(array), 0);
    group_copied_advance(array->group, EXTENT);
}

static void copy_all(struct sim_array *array)
{
    copy_all_of(array, 0);
}

static int finish(struct sim_array *array)
{
    group_copyback_finish(array->group, sim_array_done, array);
    return sim_array_wait(array);
}

/* It is saved on the members alone. */
static void test_an_end_goes_by_labels(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    put(array, 1);
    copy_all(array);
    array->sim_store->fail_with = -ENOSPC;
    assert_int_equal(finish(array), 0);
    assert_ptr_equal(group_drive(array->group, 0), array->drives[3]);
    put(array, 2);
    array->sim_store->fail_with = 0;
    get(array, 2);
    array_end(array);
}

/* A virtual drive was added, of which nothing has been copied. */
static void test_an_end_that_comes_too_soon(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    put(array, 1);
    copy_all(array);
    assert_int_equal(add(array, &array->config->vds[1]), 0);
    assert_int_equal(finish(array), -EAGAIN);
    assert_ptr_equal(group_drive(array->group, 0), array->drives[0]);
    array_end(array);
}

/* One of the two goes while the end is flushed or saved. */
static void test_an_end_that_one_does_not_live_to_see(void **state UNUSED)
{
    for (uint32_t what = 0; what < 3; what++) {
        struct sim_array *array = array_new(false);

        put(array, 1);
        copy_all(array);
        put(array, 3);
        if (what == 0) {
            array->sims[3]->flush_fails = true;
        } else {
            array->sims[what == 1 ? 3 : 0]->on_submit = pull_at_record;
        }
        assert_int_equal(finish(array), what == 2 ? 0 : -ENODEV);
        assert_ptr_equal(group_drive(array->group, 0), array->drives[what == 2 ? 3 : 0]);
        assert_null(group_copyback_drive(array->group));
        assert_int_equal(member_state(array, 0), MEMBER_ONLINE);
        get(array, 3);
        array_end(array);
    }
}

/* The drive that is being filled hangs: it is given up, the write is not. */
static void test_a_twin_that_hangs(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    put(array, 1);
    copy_all(array);
    array->sims[3]->hang = true;
    put(array, 2);
    assert_null(group_copyback_drive(array->group));
    assert_int_equal(member_state(array, 0), MEMBER_ONLINE);
    sim_drive_unhang(array->sims[3]);
    sim_world_advance(array->world, SIM_SECOND);
    get(array, 2);
    array_end(array);
}

/* It hangs in a flush: given up too, and the next copyback begins when the drive has let go. */
static void test_a_twin_that_hangs_in_a_flush(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    struct hanging hanging = {.op = IO_OP_FLUSH, .to = UINT64_MAX};

    put(array, 1);
    assert_int_equal(copyback(array, 0, 3), 0);
    array->sims[3]->on_submit = hang;
    array->sims[3]->on_submit_context = &hanging;
    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL),
                     VD_STATUS_OK);
    assert_null(group_copyback_drive(array->group));
    array->twin = SIM_NO_DRIVE;
    assert_int_equal(copyback(array, 0, 4), -EBUSY);
    array->sims[3]->on_submit = NULL;
    sim_drive_unhang(array->sims[3]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_int_equal(copyback(array, 0, 4), 0);
    assert_int_equal(member_state(array, 0), MEMBER_ONLINE);
    get(array, 1);
    array_end(array);
}

static void flush_told(struct flush_waiter *waiter UNUSED, int error)
{
    assert_int_equal(error, 0);
}

static bool part_hangs(const struct sim_array *array, bool twin)
{
    const struct group *group = array->group;

    return twin ? group->twin.flush->busy : group->members[0].flush->busy;
}

/* Something is written to one of the two while the end is being flushed, a page of a region map
 * perhaps, and flushed in turn: they do not change their places before that is over. */
static void test_an_end_that_waits_for_a_flush(void **state UNUSED)
{
    for (uint32_t twin = 0; twin < 2; twin++) {
        struct sim_array *array = array_new(false);
        struct group *group = array->group;
        struct flush_waiter waiter = {.done = flush_told};
        uint64_t rounds = 0;
        bool waited = false;

        put(array, 1);
        copy_all(array);
        group_copyback_finish(group, sim_array_done, array);
        while (!group->flush_round) {
            assert_true(sim_world_step(array->world));
        }
        rounds = group->flush_rounds;
        group_enter(group);
        *(twin != 0 ? &group->twin.written : &group->members[0].written) += 1;
        flush_wait(group, &waiter);
        group_leave(group);
        while (!group->exchanged) {
            waited = waited || (group->flush_rounds > rounds && part_hangs(array, twin != 0) &&
                                !list_is_empty(&group->edits));
            assert_true(sim_world_step(array->world));
        }
        assert_true(waited);
        assert_false(part_hangs(array, true));
        assert_false(part_hangs(array, false));
        assert_int_equal(sim_array_wait(array), 0);
        assert_ptr_equal(group_drive(group, 0), array->drives[3]);
        get(array, 1);
        array_end(array);
    }
}

static void switch_the_log_on(struct group_config *config, void *context UNUSED)
{
    config->vds[0].stripe_log = STRIPE_LOG_MODE_ON;
}

static void slow_ring(void *context UNUSED, struct sim_drive *sim, const struct io_request *request)
{
    uint64_t ring = drive_layout_stripe_log_offset(sim->port.size_bytes, false);

    sim->extra_latency_us = request->op == IO_OP_WRITE && request->offset_bytes >= ring &&
                                    request->offset_bytes < ring + STRIPE_LOG_BYTES
                                ? 100000
                                : 0;
}

/* The stripe log, switched on a moment ago, begins anew on all members: they keep their places
 * until that is over. */
static void test_an_end_that_waits_for_the_stripe_log(void **state UNUSED)
{
    struct sim_array *array = array_new(false);
    struct group *group = array->group;
    bool waited = false;

    put(array, 1);
    copy_all_of(array, 1);
    for (uint32_t i = 0; i < 3; i++) {
        array->sims[i]->on_submit = slow_ring;
    }
    group_config_change(group, switch_the_log_on, NULL, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_true(stripe_log_uses(group->stripe_log, 1));
    group_copyback_finish(group, sim_array_done, array);
    while (!group->exchanged) {
        waited = waited || (stripe_log_uses(group->stripe_log, 1) && !list_is_empty(&group->edits));
        assert_true(sim_world_step(array->world));
    }
    assert_true(waited);
    assert_false(stripe_log_uses(group->stripe_log, 1));
    assert_int_equal(sim_array_wait(array), 0);
    assert_ptr_equal(group_drive(group, 1), array->drives[3]);
    get(array, 1);
    array_end(array);
}

static void write_done(struct vd_request *request, enum vd_status status)
{
    assert_int_equal(status, VD_STATUS_OK);
    *(bool *)request->owner = true;
}

static void slow_data(void *context UNUSED, struct sim_drive *sim, const struct io_request *request)
{
    sim->extra_latency_us = request->op == IO_OP_WRITE && request->offset_bytes == 0 ? 300000 : 0;
}

static void switch_the_log_off(struct group_config *config, void *context UNUSED)
{
    config->vds[0].stripe_log = STRIPE_LOG_MODE_OFF;
}

/* All records but the stripe log. */
static void slow_records(void *context UNUSED, struct sim_drive *sim,
                         const struct io_request *request)
{
    uint64_t ring = drive_layout_stripe_log_offset(sim->port.size_bytes, false);
    bool in_ring = request->offset_bytes >= ring && request->offset_bytes < ring + STRIPE_LOG_BYTES;

    sim->extra_latency_us = is_record(request) && !in_ring ? 200000 : 0;
}

static void part_begin(struct sim_array *array, struct vd_request *request, bool *done, int byte,
                       bool fua)
{
    static uint8_t bytes[4096];

    memset(bytes, byte, sizeof(bytes));
    *done = false;
    *request = (struct vd_request){.op = VD_OP_WRITE,
                                   .fua = fua,
                                   .length_bytes = sizeof(bytes),
                                   .buffer = bytes,
                                   .complete = write_done,
                                   .owner = done};
    vd_submit(sim_array_vd(array, 0), request);
}

static void switch_the_log_off_badly(struct group_config *config, void *context UNUSED)
{
    config->vds[0].stripe_log = STRIPE_LOG_MODE_OFF;
    config->vds[0].name[0] = '\0'; /* no sound configuration */
}

/* It is to be switched off, and cannot be: what is written then has intents that a start would go
 * by, or waits until it would. */
static void test_a_log_that_is_not_switched_off(void **state UNUSED)
{
    for (uint32_t unsound = 0; unsound < 2; unsound++) {
        struct sim_array *array = array_new(true);
        struct vd_request request;
        uint8_t bytes[4096];
        bool done = false;

        part_begin(array, &request, &done, 1, false);
        assert_true(sim_world_run_until_flag(array->world, &done, SIM_SECOND));
        for (uint32_t i = 0; i < 3; i++) {
            array->sims[i]->on_submit = slow_records;
        }
        array->sim_store->fail_with = -ENOSPC;
        group_config_change(array->group,
                            unsound != 0 ? switch_the_log_off_badly : switch_the_log_off, NULL,
                            sim_array_done, array);
        while (unsound == 0 && array->group->edit == NULL) {
            assert_true(sim_world_step(array->world));
        }
        part_begin(array, &request, &done, 2, true);
        assert_int_equal(sim_array_wait(array), unsound != 0 ? -EINVAL : -ENOSPC);
        assert_true(sim_world_run_until_flag(array->world, &done, 10 * SIM_SECOND));
        array->sim_store->fail_with = 0;
        for (uint32_t i = 0; i < 3; i++) {
            array->sims[i]->on_submit = NULL;
        }
        sim_array_power_cut(array, SIM_CUT_DROP_ALL);
        assert_int_equal(sim_array_reload(array), 0);
        assert_true(vd_config(sim_array_vd(array, 0))->stripe_log);
        assert_int_equal(
            sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, 0, sizeof(bytes), bytes),
            VD_STATUS_OK);
        for (uint32_t i = 0; i < sizeof(bytes); i++) {
            assert_int_equal(bytes[i], 2);
        }
        array_end(array);
    }
}

/* While the drive of a copyback has a write to do, its member is lost and the drive takes the
 * place for good. If that write fails, it is the member's. */
static void test_a_twin_that_becomes_the_member_another_way(void **state UNUSED)
{
    for (uint32_t fails = 0; fails < 2; fails++) {
        struct sim_array *array = array_new(true); /* nobody waits for a row with an intent */
        static uint8_t bytes[4096];
        bool done = false;
        struct vd_request request = {.op = VD_OP_WRITE,
                                     .length_bytes = sizeof(bytes),
                                     .buffer = bytes,
                                     .complete = write_done,
                                     .owner = &done};

        put(array, 5);
        copy_all(array);
        memset(bytes, 5, sizeof(bytes));
        array->sims[3]->on_submit = slow_data;
        vd_submit(sim_array_vd(array, 0), &request);
        sim_world_advance(array->world, 20000);
        assert_false(done);
        assert_int_equal(
            group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
        assert_int_equal(sim_array_replace(array, 0, 3), 0);
        assert_false(done);
        assert_int_equal(member_state(array, 0), MEMBER_REBUILD);
        if (fails != 0) {
            const struct sim_fault fault = {SIM_FAULT_WRITE, 0, 512};

            assert_true(sim_drive_fault_add(array->sims[3], &fault));
        }
        assert_true(sim_world_run_until_flag(array->world, &done, 10 * SIM_SECOND));
        assert_int_equal(member_state(array, 0), fails != 0 ? MEMBER_FAILED : MEMBER_REBUILD);
        array->sims[3]->on_submit = NULL;
        get(array, 5);
        array_end(array);
    }
}

/* A copyback over restarts: one without enough members leaves it alone, one without its drive ends
 * it, and what is unclean is copied again from the beginning. */
static void test_copybacks_and_restarts(void **state UNUSED)
{
    struct sim_array *array = array_new(false);

    group_copied_advance(array->group, EXTENT); /* there is none */
    assert_int_equal(group_copied_bytes(array->group), 0);
    put(array, 1);
    copy_all(array);
    assert_int_equal(sim_array_stop(array), 0);
    sim_drive_pull(array->sims[1], false);
    sim_drive_pull(array->sims[2], false);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_null(group_copyback_drive(array->group));
    (void)sim_array_stop(array); /* offline */
    sim_drive_return(array->sims[1]);
    sim_drive_return(array->sims[2]);
    assert_int_equal(sim_array_reload(array), 0);
    assert_ptr_equal(group_copyback_drive(array->group), array->drives[3]);
    assert_int_equal(group_copied_bytes(array->group), EXTENT);
    put(array, 2);
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    assert_ptr_equal(group_copyback_drive(array->group), array->drives[3]);
    assert_int_equal(group_copied_bytes(array->group), 0);
    assert_int_equal(sim_array_stop(array), 0);
    sim_drive_pull(array->sims[3], false);
    assert_int_equal(sim_array_reload(array), 0);
    assert_null(group_copyback_drive(array->group));
    assert_false(group_config(array->group)->copyback.active);
    get(array, 2);
    array_end(array);
}

/* A record that names a copyback of a member that is not there: there is nothing to go on with. */
static void test_a_copyback_of_nobody(void **state UNUSED)
{
    const struct sim_array_options options = {.level = RAID_LEVEL_5,
                                              .span_count = 1,
                                              .members_per_span = 3,
                                              .strip_bytes = STRIP,
                                              .block_bytes = 4096,
                                              .vd_count = 1,
                                              .extent_bytes = EXTENT,
                                              .spare_count = 1,
                                              .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(33), &options);

    array->config->members[0].state = MEMBER_OFFLINE;
    array->config->members[0].why = REASON_DRIVE_LOST_USER;
    array->config->copyback =
        (struct copyback_config){.active = true, .member = 0, .drive = array->uuids[3]};
    array->place_of[0] = SIM_NO_DRIVE;
    assert_int_equal(sim_array_start(array), 0);
    assert_null(group_copyback_drive(array->group));
    assert_false(group_config(array->group)->copyback.active);
    put(array, 4);
    get(array, 4);
    assert_int_equal(sim_array_replace(array, 0, 3), 0); /* it is nobody's */
    array_end(array);
}

/* Also where nothing is redundant, writes are marked as long as a drive is being filled. */
static void test_a_copyback_without_redundancy(void **state UNUSED)
{
    struct sim_array_options options = {.level = RAID_LEVEL_0,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = EXTENT,
                                        .spare_count = 1,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(31), &options);

    assert_int_equal(sim_array_start(array), 0);
    put(array, 1);
    assert_false(vd_config(sim_array_vd(array, 0))->dirty);
    copy_all(array);
    put(array, 2);
    assert_true(vd_config(sim_array_vd(array, 0))->dirty);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(group_copied_bytes(array->group), 0);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_log_that_is_not_switched_off),
        cmocka_unit_test(test_a_record_that_nothing_takes),
        cmocka_unit_test(test_nobody_waits_for_the_answer),
        cmocka_unit_test(test_while_it_stops),
        cmocka_unit_test(test_what_cannot_be_added),
        cmocka_unit_test(test_full_table),
        cmocka_unit_test(test_no_room_on_the_twin),
        cmocka_unit_test(test_removal_of_what_is_busy),
        cmocka_unit_test(test_a_replacement_goes_by_labels),
        cmocka_unit_test(test_a_replacement_that_fails_at_once),
        cmocka_unit_test(test_a_replacement_has_to_wait),
        cmocka_unit_test(test_a_replacement_has_to_wait_for_a_loss),
        cmocka_unit_test(test_what_goes_takes_no_requests),
        cmocka_unit_test(test_copybacks_that_do_not_begin),
        cmocka_unit_test(test_an_end_goes_by_labels),
        cmocka_unit_test(test_an_end_that_comes_too_soon),
        cmocka_unit_test(test_an_end_that_one_does_not_live_to_see),
        cmocka_unit_test(test_a_twin_that_hangs),
        cmocka_unit_test(test_a_twin_that_hangs_in_a_flush),
        cmocka_unit_test(test_an_end_that_waits_for_a_flush),
        cmocka_unit_test(test_an_end_that_waits_for_the_stripe_log),
        cmocka_unit_test(test_copybacks_and_restarts),
        cmocka_unit_test(test_a_copyback_of_nobody),
        cmocka_unit_test(test_a_copyback_without_redundancy),
        cmocka_unit_test(test_a_twin_that_becomes_the_member_another_way),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/edits", tests, NULL, NULL);
}
