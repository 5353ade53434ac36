/*
 * Write intents in the journal's frames: kept over the agent's death, handed out again in order,
 * released by a flush, waiting for room, given up when the group is offline.
 */
#include "aw_test.h"

#include <string.h>

#include "base/bytes.h"
#include "cache/intents.h"
#include "sim_world.h"

#define FRAMES 400u /* 60 of them for intents */
#define LENGTH 8192u

static const struct guid group_guid = {{1}};
static const struct guid vd_guid = {{2}};
static const struct uuid owner = {{9}};
/* Of the next journal that is made anew. */
static struct uuid owner_next = {{9}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

struct world {
    struct sim_world *sim;
    struct memory_port port;
    struct cache *cache;
    struct intents *intents;
    struct intent_log *log;
    uint32_t flushes_wanted;
    /* Of the last replay. */
    uint32_t count;
    uint64_t rows[64];
    uint8_t firsts[64];
    uint32_t parts;
    bool done;
    int error;
};

static uint8_t bytes[4][LENGTH] __attribute__((aligned(4096)));

static void wants_flush(struct intent_log *log)
{
    ((struct world *)log->owner)->flushes_wanted++;
}

static void log_open(struct world *world)
{
    struct journal *journal = NULL;

    assert_int_equal(journal_open(&world->port, &owner, &owner_next, &journal), 0);
    assert_int_equal(cache_create(journal, NULL, &world->cache), 0);
    assert_int_equal(intents_create(world->cache, sim_world_clock(world->sim), &world->intents), 0);
    assert_int_equal(intents_open(world->intents, &group_guid, 3, &world->log), 0);
    world->log->owner = world;
    world->log->wants_flush = wants_flush;
}

static void log_close(struct world *world)
{
    intents_close(world->log);
    world->intents = intents_free(world->intents);
    cache_check(world->cache);
    world->cache = cache_free(world->cache);
}

static int world_begin(void **state)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    world->sim = sim_world_create(1);
    world->port = (struct memory_port){
        .ops = &plain_ops, .kind = MEMORY_KIND_SHARED, .size_bytes = journal_size_bytes(FRAMES)};
    world->port.base = aligned_alloc(4096, world->port.size_bytes);
    assert_non_null(world->port.base);
    memset(world->port.base, 0, world->port.size_bytes);
    log_open(world);
    *state = world;
    return 0;
}

static int world_end(void **state)
{
    struct world *world = *state;

    log_close(world);
    sim_world_destroy(world->sim);
    free(world->port.base);
    free(world);
    return 0;
}

static void durable(struct intent *intent, int error)
{
    struct world *world = intent->owner;

    world->done = true;
    world->error = error;
}

/* Two data parts and a parity. */
static int append_long(struct world *world, struct intent *intent, uint64_t row, uint8_t value,
                       uint32_t length)
{
    memset(intent, 0, sizeof(*intent));
    intent->vd = vd_guid;
    intent->generation = 5;
    intent->row = row;
    intent->slice = 1;
    intent->lo = 65536;
    intent->hi = 65536 + length;
    intent->part_count = 3;
    intent->durable = durable;
    intent->owner = world;
    for (uint32_t i = 0; i < 3; i++) {
        memset(bytes[i], value + (int)i, LENGTH);
        intent->parts[i] =
            (struct intent_part){.places = 1u << i, .parity = i == 2, .bytes = bytes[i]};
    }
    return world->log->ops->append(world->log, intent);
}

static int append(struct world *world, struct intent *intent, uint64_t row, uint8_t value)
{
    return append_long(world, intent, row, value, LENGTH);
}

static void replay_intent(struct intent_replay *replay, const struct intent *intent)
{
    struct world *world = replay->owner;

    assert_true(guid_equal(&intent->vd, &vd_guid));
    assert_int_equal(intent->generation, 5);
    assert_int_equal(intent->slice, 1);
    assert_int_equal(intent->lo, 65536);
    assert_int_equal(intent->hi - intent->lo, LENGTH);
    for (uint32_t i = 0; i < intent->part_count; i++) {
        assert_int_equal(intent->parts[i].places, 1u << i);
        assert_int_equal(intent->parts[i].parity, i == 2);
        assert_int_equal(intent->parts[i].bytes[0], intent->parts[0].bytes[0] + i);
        assert_int_equal(intent->parts[i].bytes[LENGTH - 1], intent->parts[i].bytes[0]);
    }
    world->rows[world->count] = intent->row;
    world->firsts[world->count++] = intent->parts[0].bytes[0];
    world->parts = intent->part_count;
    world->log->ops->replay_next(world->log, replay);
}

static void replay_done(struct intent_replay *replay, int error)
{
    struct world *world = replay->owner;

    world->done = true;
    world->error = error;
}

static void clear_done(struct intent_clear *clear, int error)
{
    struct world *world = clear->owner;

    world->done = true;
    world->error = error;
}

static void run(struct world *world)
{
    assert_true(sim_world_run_until_flag(world->sim, &world->done, SIM_SECOND));
    world->done = false;
}

/* The agent dies and comes back. Returns the answer of the replay. */
static int replay(struct world *world)
{
    struct intent_replay reading = {.intent = replay_intent, .done = replay_done, .owner = world};

    log_close(world);
    log_open(world);
    world->count = 0;
    world->log->ops->replay(world->log, &reading);
    run(world);
    return world->error;
}

static void test_kept_and_replayed_in_order(void **state)
{
    struct world *world = *state;
    struct intent intent;
    struct intent_clear clear = {.done = clear_done, .owner = world};

    assert_int_equal(replay(world), -ENOENT);
    assert_int_equal(append(world, &intent, 7, 10), 0);
    assert_int_equal(append(world, &intent, 3, 20), 0);
    assert_int_equal(append(world, &intent, 7, 30), 0);
    assert_true(world->log->ops->is_open(world->log, &vd_guid, 7, 1));
    assert_false(world->log->ops->is_open(world->log, &vd_guid, 7, 0));
    for (uint32_t i = 0; i < 2; i++) { /* nothing is lost by looking */
        assert_int_equal(replay(world), 0);
        assert_int_equal(world->count, 3);
        assert_int_equal(world->rows[0], 7);
        assert_int_equal(world->firsts[0], 10);
        assert_int_equal(world->rows[1], 3);
        assert_int_equal(world->firsts[2], 30);
        assert_int_equal(world->parts, 3);
    }
    world->log->ops->clear(world->log, &clear);
    run(world);
    assert_int_equal(intents_open_count(world->log), 0);
    assert_int_equal(replay(world), -ENOENT);
}

/* What it says of itself is of the journal: a new one of the same owner is another log. */
static void test_another_journal_is_another_log(void **state)
{
    struct world *world = *state;
    uint32_t identity = world->log->identity;

    assert_int_equal(identity, get_le32(owner.bytes));
    log_close(world);
    owner_next = (struct uuid){{9, 8, 7, 6}};
    log_open(world);
    assert_int_equal(world->log->identity, identity); /* found again */
    log_close(world);
    memset(world->port.base, 0, world->port.size_bytes);
    log_open(world);
    assert_int_equal(world->log->identity, get_le32(owner_next.bytes));
    owner_next = owner;
}

static void test_released_by_its_flush(void **state)
{
    struct world *world = *state;
    struct intent first;
    struct intent second;

    assert_int_equal(append(world, &first, 1, 10), 0);
    assert_int_equal(append(world, &second, 2, 20), 0);
    world->log->ops->flushed(world->log, 100); /* nothing is retired */
    assert_int_equal(intents_open_count(world->log), 2);
    world->log->ops->retire(world->log, second.ticket, 5);
    world->log->ops->flushed(world->log, 4);
    assert_true(world->log->ops->is_open(world->log, &vd_guid, 2, 1));
    world->log->ops->flushed(world->log, 5);
    assert_false(world->log->ops->is_open(world->log, &vd_guid, 2, 1));
    assert_int_equal(replay(world), 0);
    assert_int_equal(world->count, 1);
    assert_int_equal(world->rows[0], 1);
}

/* Seven frames each, sixty in all: the ninth waits until one has been flushed. */
static void test_waits_for_room(void **state)
{
    struct world *world = *state;
    struct intent intents[9];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i, 1), 0);
    }
    assert_int_equal(append(world, &intents[8], 8, 9), -EINPROGRESS);
    assert_int_equal(world->flushes_wanted, 0);
    world->log->ops->retire(world->log, intents[0].ticket, 1);
    assert_int_equal(world->flushes_wanted, 1);
    world->log->ops->flushed(world->log, 1);
    run(world);
    assert_int_equal(world->error, 0);
    assert_int_equal(replay(world), 0);
    assert_int_equal(world->count, 8);
    assert_int_equal(world->rows[7], 8);
}

/* All was released at once, and who waits has not been answered yet: whoever comes then waits too.
 */
static void test_waits_behind_who_waits(void **state)
{
    struct world *world = *state;
    struct intent intents[10];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i, 1), 0);
    }
    assert_int_equal(append(world, &intents[8], 8, 9), -EINPROGRESS);
    for (uint64_t i = 0; i < 8; i++) {
        world->log->ops->retire(world->log, intents[i].ticket, 1);
    }
    world->log->ops->flushed(world->log, 1);
    assert_int_equal(intents_open_count(world->log), 0);
    assert_int_equal(append(world, &intents[9], 9, 9), -EINPROGRESS);
    run(world);
    assert_int_equal(world->error, 0);
    assert_int_equal(replay(world), 0);
    assert_int_equal(world->count, 2);
    assert_int_equal(world->rows[1], 9);
}

/* All the room is taken by what only has to be flushed. */
static void test_waits_for_a_flush(void **state)
{
    struct world *world = *state;
    struct intent intents[9];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i, 1), 0);
        world->log->ops->retire(world->log, intents[i].ticket, 1);
    }
    assert_int_equal(append(world, &intents[8], 8, 9), -EINPROGRESS);
    assert_int_equal(world->flushes_wanted, 1);
    world->log->ops->flushed(world->log, 1);
    run(world);
    assert_int_equal(world->error, 0);
    assert_int_equal(intents_open_count(world->log), 1);
}

/* What has become free is too little: it waits on, and is not refused. */
static void test_waits_for_more_room(void **state)
{
    struct world *world = *state;
    struct intent intents[9];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i, 1), 0);
    }
    assert_int_equal(append_long(world, &intents[8], 8, 9, 2 * LENGTH), -EINPROGRESS);
    world->log->ops->retire(world->log, intents[0].ticket, 1);
    world->log->ops->flushed(world->log, 1);
    sim_world_advance(world->sim, SIM_SECOND);
    assert_false(world->done);
    assert_int_equal(intents_open_count(world->log), 7);
    world->log->ops->retire(world->log, intents[1].ticket, 2);
    world->log->ops->flushed(world->log, 2);
    run(world);
    assert_int_equal(world->error, 0);
    assert_int_equal(intents_open_count(world->log), 7);
}

/* A second group, of the same width. */
static struct intent_log *second_open(struct world *world)
{
    const struct guid other = {{77}};
    struct intent_log *log = NULL;

    assert_int_equal(intents_open(world->intents, &other, 3, &log), 0);
    log->owner = world;
    log->wants_flush = wants_flush;
    return log;
}

static int append_to(struct world *world, struct intent_log *log, struct intent *intent,
                     uint64_t row)
{
    struct intent_log *own = world->log;
    int error = 0;

    world->log = log;
    error = append(world, intent, row, 1);
    world->log = own;
    return error;
}

/* One group has all the room and nothing more to do: the other one has it flushed, and goes on. */
static void test_room_is_everybodys(void **state)
{
    struct world *world = *state;
    struct intent_log *second = second_open(world);
    struct intent intents[10];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i, 1), 0);
    }
    for (uint64_t i = 0; i < 4; i++) {
        world->log->ops->retire(world->log, intents[i].ticket, 1);
    }
    assert_int_equal(world->flushes_wanted, 0);
    assert_int_equal(append_to(world, second, &intents[8], 8), -EINPROGRESS);
    assert_int_equal(world->flushes_wanted, 1);
    assert_int_equal(append(world, &intents[9], 9, 1), -EINPROGRESS); /* does not push in */
    world->log->ops->flushed(world->log, 1);
    while (intents_open_count(second) == 0) {
        assert_true(sim_world_step(world->sim));
    }
    assert_int_equal(world->error, 0);
    assert_true(second->ops->is_open(second, &vd_guid, 8, 1));
    while (intents_open_count(world->log) < 5) {
        assert_true(sim_world_step(world->sim));
    }
    intents_close(second);
}

/* What a group that is offline or away has left is not waited for. */
static void test_nothing_comes_of_who_is_offline(void **state)
{
    struct world *world = *state;
    struct intent_log *second = second_open(world);
    struct intent intents[9];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i, 1), 0);
    }
    assert_int_equal(append_to(world, second, &intents[8], 8), -EINPROGRESS);
    world->log->ops->offline(world->log);
    run(world);
    assert_int_equal(world->error, -EIO);
    assert_int_equal(append_to(world, second, &intents[8], 8), -EIO);
    assert_int_equal(intents_open_count(world->log), 8);
    intents_close(second);
}

static void test_offline(void **state)
{
    struct world *world = *state;
    struct intent intents[9];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i, 1), 0);
    }
    assert_int_equal(append(world, &intents[8], 8, 9), -EINPROGRESS);
    world->log->ops->offline(world->log);
    run(world);
    assert_int_equal(world->error, -ECANCELED);
    assert_int_equal(replay(world), 0);
    assert_int_equal(world->count, 8); /* what was open stays */
}

/* One spoiled content frame: the intent is left out, the others are there. */
static void test_damage(void **state)
{
    struct world *world = *state;
    struct intent intent;

    assert_int_equal(append(world, &intent, 1, 100), 0);
    assert_int_equal(append(world, &intent, 2, 150), 0);
    for (uint64_t at = 8192; at < world->port.size_bytes; at += 4096) {
        if (world->port.base[at] == 101 && world->port.base[at + 4095] == 101) {
            world->port.base[at + 5] ^= 1;
        }
    }
    assert_int_equal(replay(world), 0);
    assert_int_equal(world->count, 1);
    assert_int_equal(world->rows[0], 2);
}

static void test_another_group_and_too_wide_a_one(void **state)
{
    struct world *world = *state;
    const struct guid other = {{77}};
    struct intent_log *log = NULL;
    struct intent intent;

    assert_int_equal(intents_open(world->intents, &other, 32, &log), -ENOSPC);
    assert_int_equal(append(world, &intent, 1, 1), 0);
    assert_int_equal(intents_open(world->intents, &other, 2, &log), 0);
    assert_int_equal(intents_open_count(log), 0);
    intents_close(log);
    intents_close(world->log);
    intents_forget(world->intents, &group_guid);
    assert_int_equal(intents_open(world->intents, &group_guid, 3, &world->log), 0);
    assert_int_equal(intents_open_count(world->log), 0);
}

int main(void)
{
#define WITH_WORLD(test) cmocka_unit_test_setup_teardown(test, world_begin, world_end)
    const struct CMUnitTest tests[] = {
        WITH_WORLD(test_kept_and_replayed_in_order),
        WITH_WORLD(test_another_journal_is_another_log),
        WITH_WORLD(test_released_by_its_flush),
        WITH_WORLD(test_waits_for_room),
        WITH_WORLD(test_waits_for_a_flush),
        WITH_WORLD(test_waits_for_more_room),
        WITH_WORLD(test_waits_behind_who_waits),
        WITH_WORLD(test_room_is_everybodys),
        WITH_WORLD(test_nothing_comes_of_who_is_offline),
        WITH_WORLD(test_offline),
        WITH_WORLD(test_damage),
        WITH_WORLD(test_another_group_and_too_wide_a_one),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
