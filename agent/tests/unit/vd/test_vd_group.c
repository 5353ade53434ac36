/*
 * A drive group in trouble, one kind at a time: what a request gets, which member is lost, what
 * the records say afterwards, and that edits are all or nothing.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>

#include "sim_array.h"
#include "vd/group_private.h"

static struct sim_array *array_new(enum raid_level level, uint32_t spans, uint32_t width)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = spans,
                                        .members_per_span = width,
                                        .strip_bytes = 16u << 10,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .spare_count = 2,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(11), &options);

    assert_int_equal(sim_array_start(array), 0);
    return array;
}

static void array_end(struct sim_array *array)
{
    struct sim_world *world = array->world;

    if (array->group != NULL) {
        (void)sim_array_stop(array); /* the group may be offline */
    }
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static enum vd_status put(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    uint8_t *bytes = malloc(length);
    enum vd_status status = VD_STATUS_OK;

    memset(bytes, byte, length);
    status = sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false, offset, length, bytes);
    free(bytes);
    return status;
}

struct lender {
    struct vd_request request;
    bool done;
    enum vd_status status;
};

static void lender_done(struct vd_request *request, enum vd_status status)
{
    struct lender *lender = request->owner;

    lender->done = true;
    lender->status = status;
}

static uint32_t given_back;

static void count_given_back(struct vd_lender *lender UNUSED, uint8_t *memory)
{
    memset(memory, 0xee, 4096);
    free(memory);
    given_back++;
}

static struct vd_lender counting = {.give_back = count_given_back};

/* Writes out of memory it lends; what the virtual drive does not keep is overwritten and freed.
 * Returns whether the virtual drive kept it. */
static bool put_lent_by(struct sim_array *array, struct vd_lender *whose, uint64_t offset,
                        uint32_t length, int byte)
{
    struct lender lender = {.request = {.op = VD_OP_WRITE,
                                        .offset_bytes = offset,
                                        .length_bytes = length,
                                        .buffer = aligned_alloc(4096, align_up_u64(length, 4096)),
                                        .lends = true,
                                        .lender = whose,
                                        .complete = lender_done}};
    bool kept = false;

    lender.request.owner = &lender;
    memset(lender.request.buffer, byte, length);
    vd_submit(sim_array_vd(array, 0), &lender.request);
    assert_true(sim_world_run_until_flag(array->world, &lender.done, 60 * SIM_SECOND));
    assert_int_equal(lender.status, VD_STATUS_OK);
    kept = lender.request.buffer == NULL;
    if (!kept) {
        memset(lender.request.buffer, 0xee, length);
        free(lender.request.buffer);
    }
    return kept;
}

static bool put_lent(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    return put_lent_by(array, NULL, offset, length, byte);
}

static enum vd_status get(struct sim_array *array, uint64_t offset, uint32_t length, int byte)
{
    uint8_t *bytes = malloc(length);
    enum vd_status status =
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, offset, length, bytes);

    for (uint32_t i = 0; i < length && status == VD_STATUS_OK; i++) {
        assert_int_equal(bytes[i], byte);
    }
    free(bytes);
    return status;
}

static enum vd_status flush(struct sim_array *array)
{
    return sim_array_io(array, sim_array_vd(array, 0), VD_OP_FLUSH, false, 0, 0, NULL);
}

static enum member_state member_state(struct sim_array *array, uint32_t member)
{
    return group_config(array->group)->members[member].state;
}

static void bad_sector(struct sim_array *array, uint32_t member, uint64_t offset_bytes)
{
    struct sim_fault fault = {SIM_FAULT_READ, offset_bytes, 512};

    assert_true(sim_drive_fault_add(sim_array_sim(array, member), &fault));
}

static void test_requests_are_checked(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 1, 2);
    struct vd *vd = sim_array_vd(array, 0);
    uint64_t size = vd_config(vd)->size_bytes;
    uint8_t bytes[1024];

    (void)state;
    assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 1, 512, bytes), VD_STATUS_INVALID);
    assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, 0, 511, bytes), VD_STATUS_INVALID);
    assert_int_equal(sim_array_io(array, vd, VD_OP_WRITE, false, size - 512, 1024, bytes),
                     VD_STATUS_INVALID);
    assert_int_equal(sim_array_io(array, vd, VD_OP_WRITE, false, UINT64_MAX - 511, 512, bytes),
                     VD_STATUS_INVALID);
    assert_int_equal(sim_array_io(array, vd, VD_OP_WRITE, false, 0, 512, NULL), VD_STATUS_INVALID);
    assert_int_equal(sim_array_io(array, vd, VD_OP_MAX, false, 0, 512, bytes), VD_STATUS_INVALID);
    assert_int_equal(sim_array_io(array, vd, VD_OP_READ, false, size, 0, bytes), VD_STATUS_OK);
    assert_false(vd_config(vd)->dirty);
    array_end(array);
}

static void set_access(struct group_config *config, void *context)
{
    config->vds[0].access = *(enum access_policy *)context;
}

static int change(struct sim_array *array, group_edit_fn edit, void *context)
{
    group_config_change(array->group, edit, context, sim_array_done, array);
    return sim_array_wait(array);
}

static void test_access_policy(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 1, 2);
    enum access_policy access = ACCESS_POLICY_READ_ONLY;

    (void)state;
    assert_int_equal(change(array, set_access, &access), 0);
    assert_true(vd_target(sim_array_vd(array, 0))->read_only);
    assert_int_equal(put(array, 0, 512, 1), VD_STATUS_READ_ONLY);
    assert_int_equal(get(array, 0, 512, 0), VD_STATUS_OK);
    access = ACCESS_POLICY_BLOCKED;
    assert_int_equal(change(array, set_access, &access), 0);
    assert_int_equal(get(array, 0, 512, 0), VD_STATUS_IO);
    array_end(array);
}

static void test_trim_reads_as_zeros(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 4);

    (void)state;
    assert_int_equal(put(array, 0, 200 * 512, 5), VD_STATUS_OK);
    assert_int_equal(
        sim_array_io(array, sim_array_vd(array, 0), VD_OP_TRIM, false, 3 * 512, 150 * 512, NULL),
        VD_STATUS_OK);
    assert_int_equal(get(array, 0, 3 * 512, 5), VD_STATUS_OK);
    assert_int_equal(get(array, 3 * 512, 150 * 512, 0), VD_STATUS_OK);
    assert_int_equal(get(array, 153 * 512, 47 * 512, 5), VD_STATUS_OK);
    array_end(array);
}

/* Recovered, answered, rewritten, verified, counted. */
static void test_media_error_is_repaired(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_array *array = array_new(levels[i], 1, levels[i] == RAID_LEVEL_1 ? 2 : 4);
        uint32_t bad = 0;

        assert_int_equal(put(array, 0, 192u << 10, 9), VD_STATUS_OK);
        for (uint32_t member = 0; member < array->member_count; member++) {
            bad_sector(array, member, member * (16u << 10) + 1024);
        }
        for (uint32_t round = 0; round < 8; round++) {
            assert_int_equal(get(array, 0, 192u << 10, 9), VD_STATUS_OK);
        }
        for (uint32_t member = 0; member < array->member_count; member++) {
            bad += sim_array_sim(array, member)->fault_count;
            assert_int_equal(member_state(array, member), MEMBER_ONLINE);
        }
        assert_true(bad < array->member_count); /* parity strips are not read */
        assert_int_equal(array->media_corrected, array->member_count - bad);
        assert_int_equal(array->media_uncorrected, 0);
        array_end(array);
    }
}

/* Two bad columns in one row of RAID 5: only whoever asks for them gets an error. */
static void test_media_errors_beyond_redundancy(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 4);

    (void)state;
    assert_int_equal(put(array, 0, 96u << 10, 9), VD_STATUS_OK);
    bad_sector(array, 0, 0);
    bad_sector(array, 1, 0);
    assert_int_equal(get(array, 0, 512, 9), VD_STATUS_IO);
    assert_int_equal(get(array, 8192, 512, 9), VD_STATUS_OK);
    assert_int_equal(get(array, 32u << 10, 512, 9), VD_STATUS_OK);
    assert_int_equal(array->members_lost, 0);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OPTIMAL);
    assert_int_equal(put(array, 0, 48u << 10, 4), VD_STATUS_OK); /* the whole row heals */
    assert_int_equal(get(array, 0, 48u << 10, 4), VD_STATUS_OK);
    array_end(array);
}

static void test_write_error_loses_the_member(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3);

    (void)state;
    assert_int_equal(put(array, 0, 64u << 10, 1), VD_STATUS_OK);
    sim_array_sim(array, 1)->write_fails = true;
    assert_int_equal(put(array, 0, 64u << 10, 2), VD_STATUS_OK);
    assert_int_equal(member_state(array, 1), MEMBER_FAILED);
    assert_int_equal(group_config(array->group)->members[1].why, REASON_DRIVE_LOST_WRITE_ERROR);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_DEGRADED);
    assert_int_equal(vd_drive_failures_left(sim_array_vd(array, 0)), 0);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    sim_drive_faults_clear(array->sims[1]);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(member_state(array, 1), MEMBER_FAILED);
    array_end(array);
}

static void test_failed_flush_loses_the_member(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 1, 2);

    (void)state;
    assert_int_equal(put(array, 0, 4096, 1), VD_STATUS_OK);
    sim_array_sim(array, 0)->flush_fails = true;
    assert_int_equal(flush(array), VD_STATUS_OK);
    assert_int_equal(member_state(array, 0), MEMBER_FAILED);
    assert_int_equal(group_config(array->group)->members[0].why, REASON_DRIVE_LOST_FLUSH);
    array_end(array);
    array = array_new(RAID_LEVEL_0, 1, 2);
    assert_int_equal(put(array, 0, 4096, 1), VD_STATUS_OK);
    sim_array_sim(array, 0)->flush_fails = true;
    assert_int_equal(flush(array), VD_STATUS_IO);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_int_equal(put(array, 0, 4096, 1), VD_STATUS_IO);
    array_end(array);
}

/* Everything pulled and plugged in again: nothing was acknowledged meanwhile, nothing is lost. */
static void test_offline_and_back(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3);

    (void)state;
    assert_int_equal(put(array, 0, 64u << 10, 7), VD_STATUS_OK);
    sim_drive_pull(sim_array_sim(array, 0), false);
    sim_drive_pull(sim_array_sim(array, 1), false);
    sim_drive_pull(sim_array_sim(array, 2), false);
    assert_int_equal(put(array, 0, 64u << 10, 8), VD_STATUS_IO);
    assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
    (void)sim_array_stop(array);
    for (uint32_t i = 0; i < 3; i++) {
        sim_drive_return(array->sims[i]);
    }
    assert_int_equal(sim_array_reload(array), 0);
    assert_true(vd_state(sim_array_vd(array, 0)) != VIRTUAL_DRIVE_STATE_OFFLINE);
    assert_true(vd_config(sim_array_vd(array, 0))->resync);
    assert_false(vd_is_consistent(sim_array_vd(array, 0)));
    assert_int_equal(get(array, 0, 64u << 10, 7), VD_STATUS_OK);
    array_end(array);
}

static void set_name(struct group_config *config, void *context)
{
    (void)snprintf(config->vds[0].name, sizeof(config->vds[0].name), "%s", (char *)context);
}

static void test_edit_is_all_or_nothing(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 1, 2);
    char good[] = "data";
    char bad[] = "no blanks!";

    (void)state;
    assert_int_equal(change(array, set_name, good), 0);
    assert_string_equal(vd_config(sim_array_vd(array, 0))->name, "data");
    assert_string_equal(vd_target(sim_array_vd(array, 0))->name, "data");
    assert_int_equal(change(array, set_name, bad), -EINVAL);
    assert_string_equal(vd_config(sim_array_vd(array, 0))->name, "data");
    array->sim_store->fail_with = -ENOSPC;
    good[0] = 'D';
    assert_int_equal(change(array, set_name, good), -ENOSPC);
    assert_string_equal(vd_config(sim_array_vd(array, 0))->name, "data");
    /* A full state directory does not stop the work: marks and losses need the labels only. */
    assert_int_equal(put(array, 0, 512, 3), VD_STATUS_OK);
    sim_drive_pull(sim_array_sim(array, 0), false);
    assert_int_equal(put(array, 0, 512, 4), VD_STATUS_OK);
    array->sim_store->fail_with = 0;
    sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
    sim_drive_return(array->sims[0]);
    assert_int_equal(sim_array_reload(array), 0);
    assert_string_equal(vd_config(sim_array_vd(array, 0))->name, "data");
    assert_int_equal(member_state(array, 0), MEMBER_MISSING);
    assert_int_equal(get(array, 0, 512, 4), VD_STATUS_OK);
    array_end(array);
}

struct added {
    struct sim_array *array;
    struct vd *vd;
};

static void vd_added(void *context, int error, struct vd *vd)
{
    struct added *added = context;

    added->vd = vd;
    sim_array_done(added->array, error);
}

static void test_vd_add_and_remove(void **state)
{
    struct sim_array_options options = {.level = RAID_LEVEL_1,
                                        .span_count = 1,
                                        .members_per_span = 2,
                                        .strip_bytes = 16u << 10,
                                        .block_bytes = 512,
                                        .vd_count = 2,
                                        .extent_bytes = 1u << 20};
    struct sim_array *array = sim_array_create(sim_world_create(3), &options);
    struct vd_config second = array->config->vds[1];
    struct added added = {.array = array};
    uint8_t bytes[512] = {1};

    (void)state;
    array->config->vd_count = 1;
    assert_int_equal(sim_array_start(array), 0);
    group_vd_add(array->group, &second, vd_added, &added);
    assert_int_equal(sim_array_wait(array), 0);
    assert_non_null(added.vd);
    assert_int_equal(group_vd_count(array->group), 2);
    assert_int_equal(sim_array_io(array, added.vd, VD_OP_WRITE, false, 0, 512, bytes),
                     VD_STATUS_OK);
    group_vd_add(array->group, &second, vd_added, &added);
    assert_int_equal(sim_array_wait(array), -EINVAL); /* the same again overlaps */
    assert_null(added.vd);
    second.geometry.level = RAID_LEVEL_0;
    group_vd_add(array->group, &second, vd_added, &added);
    assert_int_equal(sim_array_wait(array), -EINVAL);
    array->sim_store->fail_with = -EIO;
    group_vd_remove(array->group, group_vd(array->group, 0), sim_array_done, array);
    assert_int_equal(sim_array_wait(array), -EIO);
    assert_int_equal(group_vd_count(array->group), 2);
    array->sim_store->fail_with = 0;
    group_vd_remove(array->group, group_vd(array->group, 0), sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_int_equal(group_vd_count(array->group), 1);
    assert_int_equal(
        sim_array_io(array, group_vd(array->group, 0), VD_OP_READ, false, 0, 512, bytes),
        VD_STATUS_OK);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(group_vd_count(array->group), 1);
    array_end(array);
}

static void test_lose_and_replace_are_checked(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_1, 1, 2);

    (void)state;
    assert_int_equal(sim_array_replace(array, 0, 2), -EBUSY);
    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, true), 0);
    assert_int_equal(
        group_member_lose(array->group, 1, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, true), -EBUSY);
    array->uuids[3] = array->uuids[1];
    assert_int_equal(sim_array_replace(array, 0, 3), -EEXIST);
    sim_drive_pull(array->sims[2], false);
    drive_port_gone(array->drives[2]);
    assert_int_equal(sim_array_replace(array, 0, 2), -ENODEV);
    assert_int_equal(member_state(array, 0), MEMBER_OFFLINE);
    assert_int_equal(put(array, 0, 512, 1), VD_STATUS_OK);
    array_end(array);
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

static int rebuild(struct sim_array *array, uint32_t member)
{
    struct vd_sync sync = {.vd = sim_array_vd(array, 0),
                           .row_count = 64,
                           .fill = true,
                           .complete = sync_done,
                           .owner = array};
    int error = 0;

    vd_sync_submit(sync.vd, &sync);
    error = sim_array_wait(array);
    group_rebuilt_advance(array->group, member, 1u << 20);
    group_member_rebuilt(array->group, member, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    return error;
}

/* What a rebuild cannot recover is an error until rewritten, also after a restart; nothing else
 * is, and the drive with the bad sector stays. */
static void test_lost_blocks(void **state)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3);
    uint64_t changes = 0;

    (void)state;
    assert_int_equal(put(array, 0, 64u << 10, 6), VD_STATUS_OK);
    sim_drive_pull(sim_array_sim(array, 1), false);
    assert_int_equal(put(array, 0, 64u << 10, 7), VD_STATUS_OK);
    assert_int_equal(sim_array_replace(array, 1, 3), 0);
    bad_sector(array, 0, 8192);
    changes = array->state_changes;
    assert_int_equal(rebuild(array, 1), -EIO);
    assert_int_equal(array->state_changes, changes + 1); /* it is optimal again */
    assert_in_range(array->blocks_noted, 1, 2); /* that of the drive read, until it is rewritten */
    changes = array->notes_over;
    assert_int_equal(member_state(array, 0), MEMBER_ONLINE);
    assert_int_equal(member_state(array, 1), MEMBER_ONLINE);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 1);
    assert_int_equal(sim_array_stop(array), 0);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 1);
    /* Row 0: P on member 2, data on members 0 and 1. */
    assert_int_equal(get(array, (16u << 10) + 8192, 512, 7), VD_STATUS_IO);
    assert_int_equal(get(array, 16u << 10, 8192, 7), VD_STATUS_OK);
    assert_int_equal(get(array, (16u << 10) + 12288, 4096, 7), VD_STATUS_OK);
    assert_int_equal(get(array, 0, 8192, 7), VD_STATUS_OK);
    assert_int_equal(put(array, 0, 32u << 10, 5), VD_STATUS_OK);
    assert_int_equal(vd_bad_blocks(sim_array_vd(array, 0)), 0);
    assert_true(array->notes_over > changes);
    assert_int_equal(get(array, 0, 32u << 10, 5), VD_STATUS_OK);
    array_end(array);
}

/* A drive that never answers holds up neither the others nor the end. */
static void test_hung_drive(void **state)
{
    struct sim_array_options options = {.level = RAID_LEVEL_5,
                                        .span_count = 1,
                                        .members_per_span = 3,
                                        .strip_bytes = 16u << 10,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .stripe_ops = 2,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(4), &options);

    (void)state;
    assert_int_equal(sim_array_start(array), 0);
    assert_int_equal(put(array, 0, 64u << 10, 1), VD_STATUS_OK);
    array->sims[0]->hang = true;
    assert_int_equal(put(array, 0, 640u << 10, 2), VD_STATUS_OK);
    assert_int_equal(member_state(array, 0), MEMBER_FAILED);
    assert_int_equal(group_config(array->group)->members[0].why, REASON_DRIVE_LOST_TIMEOUT);
    assert_int_equal(get(array, 0, 640u << 10, 2), VD_STATUS_OK);
    group_stop(array->group, sim_array_done, array);
    assert_int_equal(sim_array_wait(array), 0);
    assert_true(array->sims[0]->in_flight_count > 0);
    array->group = group_free(array->group); /* the memory stays with the late transfers */
    sim_drive_unhang(array->sims[0]);
    sim_world_advance(array->world, SIM_SECOND);
    assert_true(drive_is_idle(array->drives[0]));
    assert_int_equal(sim_array_start_again(array), 0);
    assert_int_equal(get(array, 0, 640u << 10, 2), VD_STATUS_OK);
    array_end(array);
}

/* Memory lent to a drive that hangs is neither given back nor freed before the drive lets go. */
static void test_lent_memory(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_1, RAID_LEVEL_5, RAID_LEVEL_6};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_array *array = array_new(levels[i], 1, 4);
        uint32_t row = geometry_row_bytes(&vd_config(sim_array_vd(array, 0))->geometry);

        assert_false(put_lent(array, 0, 8 * row, 1));
        assert_false(put_lent(array, 4096, 6 * row + 512, 2)); /* parts of it are copied */
        assert_int_equal(get(array, 0, 4096, 1), VD_STATUS_OK);
        assert_int_equal(get(array, 4096, 6 * row + 512, 2), VD_STATUS_OK);
        array->sims[0]->hang = true;
        given_back = 0;
        assert_true(put_lent_by(array, i == 1 ? &counting : NULL, 0, 8 * row, 3));
        assert_int_equal(member_state(array, 0), MEMBER_FAILED);
        assert_int_equal(given_back, 0);
        assert_false(put_lent(array, 0, 8 * row, 4));
        assert_int_equal(get(array, 0, 8 * row, 4), VD_STATUS_OK);
        sim_drive_unhang(array->sims[0]);
        sim_world_advance(array->world, SIM_SECOND);
        assert_true(drive_is_idle(array->drives[0]));
        assert_int_equal(given_back, i == 1 ? 1 : 0);
        assert_int_equal(get(array, 0, 8 * row, 4), VD_STATUS_OK);
        array_end(array);
    }
}

/* Of two drives that hang with memory of one request one lets go, then the other one, before the
 * request is answered: its owner has the memory back, once. */
static void lent_memory_comes_back(bool in_order)
{
    enum { STRIP = 16 << 10 };
    struct sim_array_options options = {.level = RAID_LEVEL_10,
                                        .span_count = 3,
                                        .members_per_span = 2,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = 1u << 20,
                                        .stripe_ops = 4, /* half of them for one request */
                                        .timeout_ms = 400,
                                        .consistent = true};
    struct sim_array *array = sim_array_create(sim_world_create(4), &options);
    struct lender lender = {.request = {.op = VD_OP_WRITE,
                                        .length_bytes = 3 * STRIP,
                                        .buffer = aligned_alloc(4096, 3 * STRIP),
                                        .lends = true,
                                        .complete = lender_done}};
    const struct request_state *held = request_state(&lender.request);
    const struct stripe_op *first = NULL;
    const struct stripe_op *second = NULL;

    assert_int_equal(sim_array_start(array), 0);
    assert_int_equal(put(array, 0, 3 * STRIP, 1), VD_STATUS_OK);
    lender.request.owner = &lender;
    memset(lender.request.buffer, 2, 3 * STRIP);
    array->sims[0]->hang = array->sims[2]->hang = true;
    array->sims[4]->extra_latency_us = 300000; /* the third row begins when the others have ended */
    vd_submit(sim_array_vd(array, 0), &lender.request);
    while (held->held == NULL || list_is_empty(&held->held->lent_link)) {
        assert_false(lender.done);
        assert_true(sim_world_step(array->world));
    }
    first = held->held;
    second = list_entry(list_first(&first->lent_link), struct stripe_op, lent_link);
    sim_drive_unhang(array->sims[in_order ? 0 : 2]);
    sim_world_advance(array->world, 1000);
    assert_false(lender.done);
    assert_ptr_equal(held->held, in_order ? second : first);
    assert_true(list_is_empty(&held->held->lent_link));
    sim_drive_unhang(array->sims[in_order ? 2 : 0]);
    sim_world_advance(array->world, 1000);
    assert_false(lender.done);
    assert_null(held->held);
    assert_true(sim_world_run_until_flag(array->world, &lender.done, 60 * SIM_SECOND));
    assert_int_equal(lender.status, VD_STATUS_OK);
    assert_non_null(lender.request.buffer);
    free(lender.request.buffer);
    assert_int_equal(get(array, 0, 3 * STRIP, 2), VD_STATUS_OK);
    array_end(array);
}

static void test_lent_memory_comes_back(void **state UNUSED)
{
    lent_memory_comes_back(true);
    lent_memory_comes_back(false);
}

/* A small write to a wide row changes P and Q by what changes in the data: both serve afterwards.
 */
static void test_small_writes_change_both_parities(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_6, 1, 8);
    uint32_t row = geometry_row_bytes(&vd_config(sim_array_vd(array, 0))->geometry);
    uint64_t reads = 0;

    assert_int_equal(put(array, 0, row, 1), VD_STATUS_OK);
    for (uint32_t i = 0; i < 8; i++) {
        reads += array->sims[i]->counters.reads;
    }
    assert_int_equal(put(array, 4096, 4096, 2), VD_STATUS_OK);
    for (uint32_t i = 0; i < 8; i++) {
        reads -= array->sims[i]->counters.reads;
    }
    assert_int_equal(-reads, 3); /* the old data, P and Q */
    sim_drive_pull(array->sims[0], false);
    sim_drive_pull(array->sims[1], false);
    assert_int_equal(get(array, 0, 4096, 1), VD_STATUS_OK);
    assert_int_equal(get(array, 4096, 4096, 2), VD_STATUS_OK);
    assert_int_equal(get(array, 8192, row - 8192, 1), VD_STATUS_OK);
    array_end(array);
}

/* A long write goes out in portions, turn by turn, also while time stands still. */
static void test_turns_are_bounded(void **state)
{
    enum { LENGTH = 4 << 20 };
    struct sim_array *array =
        array_new(RAID_LEVEL_0, 1, 4); /* 64 KiB a row, half the pool: 2 MiB */
    struct lender writer = {.request = {.op = VD_OP_WRITE,
                                        .length_bytes = LENGTH,
                                        .buffer = malloc(LENGTH),
                                        .complete = lender_done}};

    (void)state;
    writer.request.owner = &writer;
    memset(writer.request.buffer, 5, LENGTH);
    assert_int_equal(get(array, 0, 4096, 0), VD_STATUS_OK);
    vd_submit(sim_array_vd(array, 0), &writer.request);
    assert_true(array->sims[0]->in_flight_count > 0);
    assert_true(array->sims[0]->in_flight_count <= 16); /* of 16 KiB, on each of four */
    assert_true(sim_world_run_until_flag(array->world, &writer.done, SIM_SECOND));
    assert_int_equal(writer.status, VD_STATUS_OK);
    free(writer.request.buffer);
    assert_int_equal(get(array, 0, LENGTH, 5), VD_STATUS_OK);
    array_end(array);
}

/* The whole controller hangs: more late transfers than there are spare buffers. */
static void test_all_drives_hang(void **state)
{
    static const enum raid_level levels[] = {RAID_LEVEL_0, RAID_LEVEL_1, RAID_LEVEL_6};

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct sim_array *array = array_new(levels[i], 1, 7);

        assert_int_equal(put(array, 0, 192u << 10, 3), VD_STATUS_OK);
        for (uint32_t member = 0; member < 7; member++) {
            array->sims[member]->hang = true;
        }
        assert_int_equal(get(array, 0, 192u << 10, 3), VD_STATUS_IO);
        assert_int_equal(put(array, 1024, 4096, 3), VD_STATUS_IO);
        assert_int_equal(vd_state(sim_array_vd(array, 0)), VIRTUAL_DRIVE_STATE_OFFLINE);
        (void)sim_array_stop(array);
        assert_int_equal(sim_array_reload(array), 0);
        assert_int_equal(get(array, 0, 192u << 10, 3), VD_STATUS_OK);
        array_end(array);
    }
}

static void rename_it(struct group_config *config, void *context UNUSED)
{
    strcpy(config->vds[0].name, "other");
}

/* What the group notes of a lost member waits for an edit, which would take it back if it failed;
 * both it and the number that its records go on from are there after the power has failed. */
static void test_a_later_life_is_noted(void **state UNUSED)
{
    struct sim_array *array = array_new(RAID_LEVEL_5, 1, 3);
    const struct group_config *config = NULL;
    uint64_t sequence = 0;

    assert_int_equal(
        group_member_lose(array->group, 0, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    assert_int_equal(put(array, 0, 4096, 2), VD_STATUS_OK); /* that is durable */
    array->sim_store->fail_with = -ENOSPC;
    group_config_change(array->group, rename_it, NULL, NULL, NULL);
    while (array->group->edit == NULL) {
        assert_true(sim_world_step(array->world));
    }
    assert_false(group_member_distrust(array->group, 0, REASON_LABEL_LATER));
    sim_world_advance(array->world, SIM_SECOND);
    array->sim_store->fail_with = 0;
    assert_true(group_member_distrust(array->group, 0, REASON_LABEL_LATER));
    sequence = group_config(array->group)->sequence;
    group_outrank(array->group, sequence + 40);
    group_outrank(array->group, 1); /* it does already */
    sim_world_advance(array->world, SIM_SECOND);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    config = group_config(array->group);
    assert_true(config->sequence > sequence + 40);
    assert_int_equal(config->members[0].state, MEMBER_FAILED);
    assert_int_equal(config->members[0].why, REASON_LABEL_LATER);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_later_life_is_noted),
        cmocka_unit_test(test_requests_are_checked),
        cmocka_unit_test(test_access_policy),
        cmocka_unit_test(test_trim_reads_as_zeros),
        cmocka_unit_test(test_media_error_is_repaired),
        cmocka_unit_test(test_media_errors_beyond_redundancy),
        cmocka_unit_test(test_write_error_loses_the_member),
        cmocka_unit_test(test_failed_flush_loses_the_member),
        cmocka_unit_test(test_offline_and_back),
        cmocka_unit_test(test_edit_is_all_or_nothing),
        cmocka_unit_test(test_vd_add_and_remove),
        cmocka_unit_test(test_lose_and_replace_are_checked),
        cmocka_unit_test(test_lost_blocks),
        cmocka_unit_test(test_hung_drive),
        cmocka_unit_test(test_lent_memory),
        cmocka_unit_test(test_lent_memory_comes_back),
        cmocka_unit_test(test_small_writes_change_both_parities),
        cmocka_unit_test(test_turns_are_bounded),
        cmocka_unit_test(test_all_drives_hang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
