/*
 * The stripe log at the start of a group when things go wrong meanwhile: copies of a batch that
 * cannot be read any more, or are not what they were; members lost between two reads; rings that
 * hold what is no batch of this group. As long as there is another copy, what was written is there
 * afterwards; without one the log is void, and says so by its generation.
 */
#include "aw_test.h"

#include <string.h>

#include "base/bytes.h"
#include "drive/drive_layout.h"
#include "meta/stripe_batch.h"
#include "sim_array.h"
#include "vd/stripe_log_private.h"

#define STRIP 65536u
#define ROWS 16u
#define MEMBERS 4u
#define ROW_BYTES ((MEMBERS - 1) * STRIP)
#define BATCHES 4u

struct watcher;
typedef void deed(struct watcher *watcher, struct sim_drive *sim, uint64_t offset_bytes);

struct watcher {
    struct sim_array *array;
    uint32_t seen;     /* transfers of the kind waited for */
    uint32_t first, last; /* those to which it is done, from 1 */
    enum io_op op;
    bool scan;         /* reads of whole pieces, else of batches */
    deed *deed;
    uint32_t member;   /* to be lost */
    struct sim_event event;
    bool posted;
};

static struct sim_array *array_make(enum raid_level level, uint32_t members, bool stripe_log)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = members,
                                        .strip_bytes = STRIP,
                                        .block_bytes = 4096,
                                        .vd_count = 1,
                                        .extent_bytes = ROWS * STRIP,
                                        .consistent = true,
                                        .stripe_log = stripe_log};
    struct sim_array *array = sim_array_create(sim_world_create(1), &options);

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
    sim_world_advance(world, SIM_SECOND);
    (void)sim_array_stop(array); /* it may be offline */
    sim_array_destroy(array);
    sim_world_destroy(world);
}

static void put(struct sim_array *array, uint64_t row, int value)
{
    static uint8_t bytes[4096];

    memset(bytes, value, sizeof(bytes));
    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_WRITE, false,
                                  row * ROW_BYTES, sizeof(bytes), bytes),
                     VD_STATUS_OK);
}

static uint8_t get(struct sim_array *array, uint64_t row)
{
    uint8_t bytes[4096];

    assert_int_equal(sim_array_io(array, sim_array_vd(array, 0), VD_OP_READ, false, row * ROW_BYTES,
                                  sizeof(bytes), bytes),
                     VD_STATUS_OK);
    return bytes[100];
}

static uint64_t generation(struct sim_array *array)
{
    return vd_config(sim_array_vd(array, 0))->intent_generation;
}

static uint64_t ring_of(const struct sim_drive *sim)
{
    return drive_layout_stripe_log_offset(sim->port.size_bytes, false);
}

static void watch(void *context, struct sim_drive *sim, const struct io_request *request)
{
    struct watcher *watcher = context;
    bool scan = request->length_bytes == IO_LENGTH_MAX_BYTES;

    if (request->op != watcher->op || (request->op == IO_OP_READ && scan != watcher->scan) ||
        request->offset_bytes < ring_of(sim) ||
        request->offset_bytes >= ring_of(sim) + STRIPE_LOG_BYTES) {
        return;
    }
    watcher->seen++;
    if (watcher->seen >= watcher->first && watcher->seen <= watcher->last) {
        watcher->deed(watcher, sim, request->offset_bytes);
    }
}

static void watch_begin(struct sim_array *array, struct watcher *watcher)
{
    watcher->array = array;
    for (uint32_t i = 0; i < array->drive_count; i++) {
        array->sims[i]->on_submit = watch;
        array->sims[i]->on_submit_context = watcher;
    }
}

/* Four batches, each of one row; none of what they describe has reached the medium. */
static struct sim_array *written_and_cut(void)
{
    struct sim_array *array = array_make(RAID_LEVEL_5, MEMBERS, true);

    for (uint32_t i = 0; i < BATCHES; i++) {
        put(array, i, 10 + (int)i);
    }
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    return array;
}

static void all_is_there(struct sim_array *array)
{
    for (uint32_t i = 0; i < BATCHES; i++) {
        assert_int_equal(get(array, i), 10 + i);
    }
}

/* Deeds */

static void bytes_change(struct sim_drive *sim, uint64_t offset_bytes, uint32_t at, uint8_t bits)
{
    uint8_t page[4096];

    sim_drive_peek(sim, offset_bytes + at / 4096 * 4096, page, sizeof(page));
    page[at % 4096] ^= bits;
    sim_drive_poke(sim, offset_bytes + at / 4096 * 4096, page, sizeof(page));
}

static void spoil_magic(struct watcher *watcher UNUSED, struct sim_drive *sim, uint64_t offset)
{
    bytes_change(sim, offset, 0, 1);
}

static void spoil_content(struct watcher *watcher UNUSED, struct sim_drive *sim, uint64_t offset)
{
    bytes_change(sim, offset, 5000, 1);
}

static void change_length(struct watcher *watcher UNUSED, struct sim_drive *sim, uint64_t offset)
{
    bytes_change(sim, offset, 65, 0x10); /* 4096 more or less */
}

static void change_sequence(struct watcher *watcher UNUSED, struct sim_drive *sim, uint64_t offset)
{
    bytes_change(sim, offset, 48 + 5, 1);
}

static void read_error(struct watcher *watcher UNUSED, struct sim_drive *sim, uint64_t offset)
{
    const struct sim_fault fault = {
        .kind = SIM_FAULT_READ, .offset_bytes = offset + 4096, .length_bytes = 4096};

    assert_true(sim_drive_fault_add(sim, &fault));
}

static void pull(struct watcher *watcher UNUSED, struct sim_drive *sim, uint64_t offset UNUSED)
{
    sim_drive_pull(sim, false);
}

static void hang(struct watcher *watcher UNUSED, struct sim_drive *sim, uint64_t offset UNUSED)
{
    sim->hang = true;
}

static void lose_fired(struct sim_event *event)
{
    struct watcher *watcher = container_of(event, struct watcher, event);

    (void)group_member_lose(watcher->array->group, watcher->member, MEMBER_FAILED,
                            REASON_DRIVE_LOST_PULLED, false);
}

/* Before the transfer is answered. */
static void lose(struct watcher *watcher, struct sim_drive *sim UNUSED, uint64_t offset UNUSED)
{
    assert_false(watcher->posted);
    watcher->posted = true;
    watcher->event.fire = lose_fired;
    sim_event_post(watcher->array->world, &watcher->event, 1);
}

/* Where a copy of a batch is on this drive, or UINT32_MAX; from there on. */
static uint32_t batch_find_from(const struct sim_drive *sim, uint32_t from,
                                struct stripe_batch *ret_batch)
{
    uint8_t page[4096];

    for (uint32_t at = from; at < STRIPE_LOG_BYTES; at += STRIPE_BATCH_ALIGN) {
        sim_drive_peek(sim, ring_of(sim) + at, page, sizeof(page));
        if (stripe_batch_peek(page, ret_batch) == 0 && ret_batch->intent_count > 0) {
            return at;
        }
    }
    return UINT32_MAX;
}

static uint32_t batch_find(const struct sim_drive *sim, struct stripe_batch *ret_batch)
{
    return batch_find_from(sim, 0, ret_batch);
}

/* Of the last one written. */
static uint32_t copy_find(const struct sim_drive *sim, uint64_t sequence)
{
    struct stripe_batch batch;
    uint32_t at = batch_find(sim, &batch);

    while (at != UINT32_MAX && batch.sequence != sequence) {
        at = batch_find_from(sim, at + STRIPE_BATCH_ALIGN, &batch);
    }
    return at;
}

static uint64_t newest_of(const struct sim_array *array)
{
    struct stripe_batch batch;
    uint64_t newest = 0;

    for (uint32_t i = 0; i < MEMBERS; i++) {
        uint32_t at = batch_find(array->sims[i], &batch);

        for (; at != UINT32_MAX;
             at = batch_find_from(array->sims[i], at + STRIPE_BATCH_ALIGN, &batch)) {
            newest = max_u64(newest, batch.sequence);
        }
    }
    return newest;
}

/* Tests */

static deed *const deeds[] = {spoil_magic,     spoil_content, change_length,
                              change_sequence, read_error,    pull};

/* One copy goes while it is read: there is another. */
static void test_another_copy_will_do(void **state UNUSED)
{
    for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
        for (uint32_t which = 1; which <= BATCHES; which++) {
            struct sim_array *array = written_and_cut();
            uint64_t before = array->config->vds[0].intent_generation;
            struct watcher watcher = {
                .op = IO_OP_READ, .first = which, .last = which, .deed = deeds[i]};

            watch_begin(array, &watcher);
            assert_int_equal(sim_array_reload(array), 0);
            assert_true(watcher.seen > BATCHES); /* one was read again */
            all_is_there(array);
            assert_in_range(generation(array), before, before + 3); /* not void */
            assert_int_equal(group_config(array->group)->members[0].state == MEMBER_ONLINE &&
                                 group_config(array->group)->members[1].state == MEMBER_ONLINE &&
                                 group_config(array->group)->members[2].state == MEMBER_ONLINE &&
                                 group_config(array->group)->members[3].state == MEMBER_ONLINE,
                             deeds[i] != pull);
            array_end(array);
        }
    }
}

/* No copy of the first batch is left: nothing is replayed, and the log is void. */
static void test_no_copy_will_do(void **state UNUSED)
{
    for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]) - 1; i++) {
        struct sim_array *array = written_and_cut();
        struct watcher watcher = {.op = IO_OP_READ, .first = 1, .last = 100, .deed = deeds[i]};
        uint64_t before = 0;

        watch_begin(array, &watcher);
        assert_int_equal(sim_array_reload(array), 0);
        assert_int_equal(watcher.seen, 2);
        before = generation(array);
        assert_int_equal(before % 4, 3); /* the stripe log's again */
        for (uint32_t row = 0; row < BATCHES; row++) {
            uint8_t found = get(array, row);

            assert_true(found == 0 || found == 10 + row); /* as the cut has left it */
        }
        put(array, 0, 77);
        watcher.first = UINT32_MAX;
        sim_array_power_cut(array, SIM_CUT_DROP_ALL);
        assert_int_equal(sim_array_reload(array), 0);
        assert_int_equal(generation(array), before);
        assert_int_equal(get(array, 0), 77);
        array_end(array);
    }
}

/* Of the last batch there is no copy left: the log is void as well, whatever was written again. */
static void test_no_copy_of_the_last_will_do(void **state UNUSED)
{
    struct sim_array *array = written_and_cut();
    struct watcher watcher = {
        .op = IO_OP_READ, .first = BATCHES, .last = 100, .deed = spoil_content};

    watch_begin(array, &watcher);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(watcher.seen, BATCHES + 1); /* both copies of the last one */
    assert_int_equal(generation(array) % 4, 3);
    for (uint32_t row = 0; row < BATCHES - 1; row++) {
        assert_int_equal(get(array, row), 10 + row);
    }
    array_end(array);
}

/* A member is lost while the first batch is read: of those it has the other copy is taken. */
static void test_members_lost_since_they_were_found(void **state UNUSED)
{
    for (uint32_t member = 0; member < MEMBERS; member++) {
        struct sim_array *array = written_and_cut();
        struct watcher watcher = {
            .op = IO_OP_READ, .first = 1, .last = 1, .deed = lose, .member = member};

        watch_begin(array, &watcher);
        assert_int_equal(sim_array_reload(array), 0);
        assert_int_equal(group_config(array->group)->members[member].state, MEMBER_FAILED);
        all_is_there(array);
        array_end(array);
    }
}

/* One copy of the last batch cannot be read, and the member with the other is lost since that was
 * found: of this one nothing is known any more, and the log is void. */
static void test_the_last_copy_is_lost_since_it_was_found(void **state UNUSED)
{
    struct sim_array *array = written_and_cut();
    struct watcher watcher = {.op = IO_OP_READ, .first = 1, .last = 1, .deed = lose};
    uint64_t newest = newest_of(array);
    uint32_t copies = 0;

    for (uint32_t i = 0; i < MEMBERS; i++) {
        uint32_t at = copy_find(array->sims[i], newest);

        if (at != UINT32_MAX && copies++ == 0) {
            bytes_change(array->sims[i], ring_of(array->sims[i]) + at, 0, 1);
        } else if (at != UINT32_MAX) {
            watcher.member = i;
        }
    }
    assert_int_equal(copies, 2);
    watch_begin(array, &watcher);
    assert_int_equal(sim_array_reload(array), 0);
    assert_true(watcher.posted);
    assert_int_equal(group_config(array->group)->members[watcher.member].state, MEMBER_FAILED);
    assert_int_equal(generation(array) % 4, 3); /* its own again, from the beginning */
    for (uint32_t row = 0; row < BATCHES - 1; row++) {
        assert_int_equal(get(array, row), 10 + row);
    }
    put(array, BATCHES - 1, 77);
    assert_int_equal(get(array, BATCHES - 1), 77);
    array_end(array);
}

/* Members that go, or hang, while their ring is scanned, or a batch is read. */
static void test_members_that_go_while_they_are_read(void **state UNUSED)
{
    for (uint32_t which = 0; which < 4; which++) {
        struct sim_array *array = written_and_cut();
        struct watcher watcher = {.op = IO_OP_READ,
                                  .scan = which < 2,
                                  .first = 2,
                                  .last = 2,
                                  .deed = which % 2 == 0 ? pull : hang};
        uint32_t lost = 0;

        watch_begin(array, &watcher);
        assert_int_equal(sim_array_reload(array), 0);
        for (uint32_t i = 0; i < MEMBERS; i++) {
            lost += group_config(array->group)->members[i].state != MEMBER_ONLINE ? 1u : 0u;
        }
        assert_int_equal(lost, 1);
        all_is_there(array);
        array_end(array);
    }
}

/* Foreign batches, torn ones, and one that would go on beyond the end of the ring. */
static void test_what_is_no_batch_of_this_group(void **state UNUSED)
{
    struct sim_array *array = written_and_cut();
    static uint8_t bytes[3][STRIPE_BATCH_MAX_BYTES];

    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct sim_drive *sim = array->sims[i];
        struct stripe_batch batch;
        uint32_t at = batch_find(sim, &batch);

        assert_int_not_equal(at, UINT32_MAX);
        for (uint32_t which = 0; which < 3; which++) {
            sim_drive_peek(sim, ring_of(sim) + at, bytes[which], batch.bytes);
            put_le64(bytes[which] + 48, batch.sequence + 1000); /* it would be the newest */
        }
        bytes[0][20] ^= 1; /* another group's */
        sim_drive_poke(sim, ring_of(sim) + (8u << 20), bytes[0], batch.bytes);
        sim_drive_poke(sim, ring_of(sim) + (9u << 20), bytes[1], batch.bytes); /* torn */
        sim_drive_poke(sim, ring_of(sim) + STRIPE_LOG_BYTES - 4096, bytes[2], 4096);
    }
    assert_int_equal(sim_array_reload(array), 0);
    all_is_there(array);
    array_end(array);
}

/* A member is lost by somebody else while a batch goes to it. */
static void test_a_member_is_lost_while_a_batch_is_written(void **state UNUSED)
{
    for (uint32_t member = 0; member < MEMBERS; member++) {
        struct sim_array *array = array_make(RAID_LEVEL_5, MEMBERS, true);
        struct watcher watcher = {
            .op = IO_OP_WRITE, .first = 1, .last = 1, .deed = lose, .member = member};

        watch_begin(array, &watcher);
        for (uint32_t i = 0; i < BATCHES; i++) {
            put(array, i, 10 + (int)i);
        }
        assert_true(watcher.posted);
        sim_array_power_cut(array, SIM_CUT_KEEP_ALL);
        assert_int_equal(sim_array_reload(array), 0);
        all_is_there(array);
        array_end(array);
    }
}

/* Which members a pair of 1E may lose depends on the pair: all of them get a copy. */
static void test_adjacent_pairs(void **state UNUSED)
{
    struct sim_array *array = array_make(RAID_LEVEL_1E, 5, true);

    put(array, 0, 1);
    assert_int_equal(
        group_member_lose(array->group, 2, MEMBER_OFFLINE, REASON_DRIVE_LOST_USER, false), 0);
    put(array, 0, 2);
    sim_array_power_cut(array, SIM_CUT_DROP_ALL);
    assert_int_equal(sim_array_reload(array), 0);
    assert_int_equal(get(array, 0), 2);
    array_end(array);
}

/* Open is one slice alone, whatever else falls into the same place of the table. */
static void test_open_is_one_slice(void **state UNUSED)
{
    struct sim_array *array = array_make(RAID_LEVEL_5, MEMBERS, true);
    const struct guid *vd = &array->config->vds[0].guid;
    struct guid other = *vd;
    struct intent_log *log = array->group->log;
    uint32_t open = 0;

    other.bytes[20] ^= 1;
    put(array, 3, 1);
    for (uint64_t row = 0; row < 4096; row++) {
        for (uint32_t slice = 0; slice < 4; slice++) {
            if (log->ops->is_open(log, vd, row, slice)) {
                assert_true(row == 3 && slice == 0);
                open++;
            }
            assert_false(log->ops->is_open(log, &other, row, slice));
        }
    }
    for (uint32_t slice = 0; slice < 4096; slice++) {
        assert_int_equal(log->ops->is_open(log, vd, 3, slice), slice == 0);
    }
    assert_int_equal(open, 1);
    array_end(array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_another_copy_will_do),
        cmocka_unit_test(test_no_copy_will_do),
        cmocka_unit_test(test_no_copy_of_the_last_will_do),
        cmocka_unit_test(test_members_lost_since_they_were_found),
        cmocka_unit_test(test_the_last_copy_is_lost_since_it_was_found),
        cmocka_unit_test(test_members_that_go_while_they_are_read),
        cmocka_unit_test(test_what_is_no_batch_of_this_group),
        cmocka_unit_test(test_a_member_is_lost_while_a_batch_is_written),
        cmocka_unit_test(test_adjacent_pairs),
        cmocka_unit_test(test_open_is_one_slice),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("vd/stripe_log_start", tests, NULL, NULL);
}
