/*
 * Write intents that the journal cannot be trusted about, that have no room for whatever reason,
 * or whose journal is lost; and those of a journal with a log, which are released only when that
 * log says so.
 */
#include "aw_test.h"

#include <string.h>

#include "base/crc.h"
#include "cache/intents_private.h"
#include "cache/journal_private.h"
#include "cache/log_format.h"
#include "scarce_memory.h"
#include "sim_log.h"

#define FRAMES 400u /* 60 of them for intents */
#define LENGTH 8192u
#define PARTS 3u
#define INTENT_FRAMES 7u
#define LOG_BLOCKS (LOG_RING_FIRST + LOG_RING_MIN + 700) /* 352 frames, 52 for intents */

static const struct guid group_guid = {{1}};
static const struct guid second_guid = {{77}};
static const struct guid vd_guid = {{2}};
static const struct guid data_guid = {{3}};
static const struct uuid owner = {{9}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

struct world {
    struct sim_world *sim;
    struct sim_log device; /* with_log */
    bool with_log;
    struct memory_port port;
    struct cache *cache;
    struct intents *intents;
    struct intent_log *log;
    uint32_t flushes_wanted, answers;
    uint32_t replayed;
    uint64_t row; /* the last one replayed */
    struct intent_settle settling;
    bool done;
    int error;
};

static uint8_t bytes[PARTS][LENGTH] __attribute__((aligned(4096)));

static void wants_flush(struct intent_log *log)
{
    ((struct world *)log->owner)->flushes_wanted++;
}

static struct intent_log *share_begin(struct world *world, const struct guid *group)
{
    struct intent_log *log = NULL;

    assert_int_equal(intents_open(world->intents, group, PARTS, &log), 0);
    log->owner = world;
    log->wants_flush = wants_flush;
    return log;
}

static void world_open(struct world *world)
{
    struct journal *journal = NULL;

    if (world->with_log) {
        memset(world->port.base, 0, world->port.size_bytes);
        assert_int_equal(journal_open_log(&world->device.port, &world->port,
                                          sim_world_clock(world->sim), &owner, &owner, &journal),
                         0);
    } else {
        assert_int_equal(journal_open(&world->port, &owner, &owner, &journal), 0);
    }
    assert_int_equal(cache_create(journal, NULL, &world->cache), 0);
    assert_int_equal(intents_create(world->cache, sim_world_clock(world->sim), &world->intents), 0);
    world->log = share_begin(world, &group_guid);
}

static bool is_quiet(void *context)
{
    const struct world *world = context;

    return journal_is_quiet(cache_journal(world->cache));
}

static void settle(struct world *world)
{
    assert_true(sim_world_run_until(world->sim, is_quiet, world, 600 * SIM_SECOND));
}

static void world_close(struct world *world)
{
    settle(world);
    intents_close(world->log);
    world->intents = intents_free(world->intents);
    cache_check(world->cache);
    world->cache = cache_free(world->cache);
}

static struct world *world_make(bool with_log)
{
    struct world *world = calloc(1, sizeof(*world));
    const struct sim_drive_options options = {.size_bytes = (uint64_t)LOG_BLOCKS * 4096};

    assert_non_null(world);
    world->sim = sim_world_create(1);
    world->with_log = with_log;
    world->port = (struct memory_port){.ops = &plain_ops, .kind = MEMORY_KIND_SHARED};
    world->port.size_bytes = journal_size_bytes(FRAMES);
    if (with_log) {
        sim_log_init(&world->device, sim_drive_create(world->sim, &options));
        world->port.size_bytes = journal_log_memory_bytes(world->device.port.size_bytes);
    }
    world->port.base = aligned_alloc(4096, world->port.size_bytes);
    assert_non_null(world->port.base);
    memset(world->port.base, 0, world->port.size_bytes);
    world_open(world);
    settle(world);
    return world;
}

static void world_end(struct world *world)
{
    world_close(world);
    sim_world_destroy(world->sim);
    free(world->port.base);
    free(world);
}

static void durable(struct intent *intent, int error)
{
    struct world *world = intent->owner;

    world->answers++;
    world->done = true;
    world->error = error;
}

static int append_of(struct world *world, struct intent_log *log, struct intent *intent,
                     const struct guid *vd, uint64_t row, uint32_t slice)
{
    memset(intent, 0, sizeof(*intent));
    intent->vd = *vd;
    intent->generation = 5;
    intent->row = row;
    intent->slice = slice;
    intent->hi = LENGTH;
    intent->part_count = PARTS;
    intent->durable = durable;
    intent->owner = world;
    for (uint32_t i = 0; i < PARTS; i++) {
        memset(bytes[i], 10 + (int)i, LENGTH);
        intent->parts[i] =
            (struct intent_part){.places = 1u << i, .parity = i == 2, .bytes = bytes[i]};
    }
    return log->ops->append(log, intent);
}

/* Of two frames, the least there is. */
static int append_small(struct world *world, struct intent *intent, uint64_t row)
{
    memset(intent, 0, sizeof(*intent));
    intent->vd = vd_guid;
    intent->row = row;
    intent->hi = CACHE_BLOCK_BYTES;
    intent->part_count = 1;
    intent->parts[0] = (struct intent_part){.places = 3, .bytes = bytes[0]};
    intent->durable = durable;
    intent->owner = world;
    return world->log->ops->append(world->log, intent);
}

static int append(struct world *world, struct intent *intent, uint64_t row)
{
    return append_of(world, world->log, intent, &vd_guid, row, 1);
}

static void release(struct world *world, const struct intent *intent)
{
    world->log->ops->retire(world->log, intent->ticket, 1);
    world->log->ops->flushed(world->log, 1);
}

static bool is_open(struct world *world, uint64_t row)
{
    return world->log->ops->is_open(world->log, &vd_guid, row, 1);
}

static void run(struct world *world)
{
    assert_true(sim_world_run_until_flag(world->sim, &world->done, 60 * SIM_SECOND));
    world->done = false;
}

static void replay_intent(struct intent_replay *replay, const struct intent *intent)
{
    struct world *world = replay->owner;

    world->replayed++;
    world->row = intent->row;
    world->log->ops->replay_next(world->log, replay);
}

static void replay_done(struct intent_replay *replay, int error)
{
    struct world *world = replay->owner;

    world->done = true;
    world->error = error;
}

static int replay(struct world *world)
{
    struct intent_replay reading = {.intent = replay_intent, .done = replay_done, .owner = world};

    world->replayed = 0;
    world->log->ops->replay(world->log, &reading);
    run(world);
    return world->error;
}

static void clear_done(struct intent_clear *clear, int error)
{
    struct world *world = clear->owner;

    world->done = true;
    world->error = error;
}

/* What the journal holds is changed behind its back, with checksums that hold */

static uint8_t *descriptor_at(struct world *world, uint32_t frame)
{
    return world->port.base + journal_descriptor_offset(frame);
}

static uint8_t *frame_at(struct world *world, uint32_t frame)
{
    return world->port.base + journal_frames_offset(FRAMES) + (size_t)frame * CACHE_BLOCK_BYTES;
}

/* The published frame of this intent with this tag: 0 is its head. */
static uint32_t frame_of(struct world *world, uint64_t ticket, uint64_t tag)
{
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        const uint8_t *descriptor = descriptor_at(world, frame);

        if (descriptor[0] == JOURNAL_INTENT && get_le64(descriptor + 16) == ticket &&
            get_le64(descriptor + 56) == tag) {
            return frame;
        }
    }
    fail_msg("no such frame");
    return 0;
}

static void frame_seal(struct world *world, uint32_t frame)
{
    uint8_t *descriptor = descriptor_at(world, frame);
    uint32_t crc = 0;

    put_le32(descriptor + 48, crc32c(0, frame_at(world, frame), CACHE_BLOCK_BYTES));
    crc = crc32c(JOURNAL_INTENT, descriptor + 8, 56);
    put_le64(descriptor, JOURNAL_INTENT |
                             (get_le64(descriptor + 8) & ((UINT64_C(1) << 40) - 1)) << 8 |
                             (uint64_t)(uint16_t)(crc ^ crc >> 16) << 48);
    assert_true(descriptor_is_sound(descriptor));
    assert_true(descriptor_fits_content(descriptor, frame_at(world, frame)));
}

/* One intent is spoiled, the other one must be there, and no frame may be lost by it. */
static void only_the_other_is_left(struct world *world)
{
    world_open(world);
    assert_int_equal(intents_open_count(world->log), 1);
    assert_false(is_open(world, 1));
    assert_true(is_open(world, 2));
    assert_int_equal(world->intents->used, INTENT_FRAMES);
    assert_int_equal(replay(world), 0);
    assert_int_equal(world->replayed, 1);
    assert_int_equal(world->row, 2);
    world_end(world);
}

static struct world *two_intents(struct intent *intent)
{
    struct world *world = world_make(false);
    struct intent second;

    assert_int_equal(append(world, intent, 1), 0);
    assert_int_equal(append(world, &second, 2), 0);
    world_close(world);
    return world;
}

static void test_heads_that_make_no_sense(void **state UNUSED)
{
    const struct {
        uint32_t at, value;
    } cases[] = {
        {0, HEAD_MAGIC + 1},
        {4, 0},                         /* parts */
        {4, RAID_SPAN_MEMBERS_MAX + 1},
        {4, PARTS - 1},                 /* other than the frames */
        {52, LENGTH},                   /* lo */
        {52, LENGTH + 4096},
        {52, 100},
        {56, 4096 + SLICE_MAX_BYTES},   /* hi */
        {60, PARTS * 2 + 1},            /* frames */
        {HEAD_FRAMES, FRAMES},          /* a frame that is none */
        {HEAD_FRAMES, UINT32_MAX},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct intent intent;
        struct world *world = two_intents(&intent);
        uint32_t head = frame_of(world, intent.ticket, 0);

        put_le32(frame_at(world, head) + cases[i].at, cases[i].value);
        frame_seal(world, head);
        only_the_other_is_left(world);
    }
}

/* A head that names frames which are sound, but not its own. */
static void test_heads_that_name_what_is_not_theirs(void **state UNUSED)
{
    for (uint32_t which = 0; which < 4; which++) {
        struct intent intent;
        struct world *world = two_intents(&intent);
        uint32_t head = frame_of(world, intent.ticket, 0);
        uint32_t first = frame_of(world, intent.ticket, 1);

        switch (which) {
        case 0: /* the second instead of the first */
            put_le32(frame_at(world, head) + HEAD_FRAMES, frame_of(world, intent.ticket, 2));
            frame_seal(world, head);
            break;
        case 1: /* of another intent */
            put_le64(descriptor_at(world, first) + 16, intent.ticket + 100);
            frame_seal(world, first);
            break;
        case 2: /* of another group */
            memcpy(descriptor_at(world, first) + 24, &second_guid, sizeof(second_guid));
            frame_seal(world, first);
            break;
        default: /* free */
            put_le64(descriptor_at(world, first), 0);
            break;
        }
        world_open(world);
        if (which == 2) {
            assert_int_equal(world->intents->used, INTENT_FRAMES + 1); /* the other group's */
            intents_forget(world->intents, &second_guid);
        }
        world_close(world);
        only_the_other_is_left(world);
    }
}

/* Names */

static void test_open_is_this_slice_alone(void **state UNUSED)
{
    struct world *world = world_make(false);
    struct intent_log *second = share_begin(world, &second_guid);
    struct guid like = vd_guid; /* differs where the place in the table does not */
    struct intent intent;

    like.bytes[3] = 1;
    assert_int_equal(append_of(world, world->log, &intent, &vd_guid, 1, 32), 0);
    assert_true(world->log->ops->is_open(world->log, &vd_guid, 1, 32));
    assert_false(world->log->ops->is_open(world->log, &vd_guid, 2, 0));
    assert_false(world->log->ops->is_open(world->log, &like, 1, 32));
    assert_false(second->ops->is_open(second, &vd_guid, 1, 32));
    for (uint32_t slice = 0; slice < 20 * BUCKETS; slice++) {
        assert_true(world->log->ops->is_open(world->log, &vd_guid, 1, slice) == (slice == 32));
    }
    /* Retiring what is not open changes nothing. */
    world->log->ops->retire(world->log, intent.ticket + 1, 1);
    world->log->ops->flushed(world->log, 1);
    assert_true(world->log->ops->is_open(world->log, &vd_guid, 1, 32));
    intents_close(second);
    world_end(world);
}

/* Room */

static struct cache_vd *data_open(struct world *world)
{
    struct cache_vd *vd = cache_vd_open(world->cache, &data_guid, 4 * CACHE_BLOCK_BYTES);

    assert_non_null(vd);
    cache_vd_pin(vd, false);
    return vd;
}

static void data_put(struct world *world, struct cache_vd *vd, uint64_t block)
{
    static uint8_t content[CACHE_BLOCK_BYTES];

    while (!cache_write(vd, block, 0, sizeof(content), content, 0)) {
        assert_true(sim_world_step(world->sim));
    }
}

/* Every frame is a dirty block's, which cache_may_write() prevents: nobody has an intent that could
 * be released, so whoever comes goes without. */
static void test_no_frame_is_left(void **state UNUSED)
{
    struct world *world = world_make(false);
    struct cache_vd *vd = data_open(world);
    struct intent intent;

    for (uint64_t block = 0; block < FRAMES - INTENT_FRAMES + 1; block++) {
        data_put(world, vd, block);
    }
    assert_int_equal(append(world, &intent, 1), -EIO);
    cache_vd_discard(vd);
    assert_int_equal(append(world, &intent, 1), 0);
    cache_vd_close(vd);
    world_end(world);
}

/* What has been read is room. */
static void test_clean_frames_are_room(void **state UNUSED)
{
    static const uint8_t content[CACHE_BLOCK_BYTES];
    struct world *world = world_make(false);
    struct cache_vd *vd = data_open(world);
    struct intent intent;

    for (uint64_t block = 0; block < FRAMES; block++) {
        cache_fill(vd, block, 0, sizeof(content), content);
    }
    assert_int_equal(append(world, &intent, 1), 0);
    cache_vd_close(vd);
    world_end(world);
}

/* There is going to be room, though nobody releases anything. */
static void an_intent_waits(struct world *world)
{
    struct intent intent;

    assert_int_equal(append(world, &intent, 1), -EINPROGRESS);
    run(world);
    assert_int_equal(world->error, 0);
    assert_true(is_open(world, 1));
}

static void data_end(struct world *world, struct cache_vd *vd)
{
    settle(world);
    cache_vd_discard(vd);
    cache_vd_close(vd);
    world_end(world);
}

/* The journal's log is full for the moment: the intent waits for that alone. */
static void test_the_log_has_no_room(void **state UNUSED)
{
    struct world *world = world_make(true);
    struct cache_vd *vd = data_open(world);

    for (uint32_t i = 0; journal_room(cache_journal(world->cache)) >= INTENT_FRAMES; i++) {
        data_put(world, vd, i % 150);
        if (i % 150 == 149) {
            settle(world);
        }
        assert_true(i < 5000);
    }
    an_intent_waits(world);
    data_end(world, vd);
}

static bool log_tidies_up(const struct world *world)
{
    const struct journal *journal = cache_journal(world->cache);

    return journal_room(journal) < INTENT_FRAMES && !journal_is_at_rest(journal) &&
           journal_is_durable(journal, journal_ticket(journal));
}

/* It is full of what does not count any more, and everything in it is durable: nobody releases
 * anything, but there is going to be room. A group that was told otherwise went without its log
 * from then on. */
static void test_the_log_is_tidying_up(void **state UNUSED)
{
    struct world *world = world_make(true);
    struct cache_vd *vd = data_open(world);

    for (uint32_t i = 0; !log_tidies_up(world); i++) {
        const struct journal *journal = cache_journal(world->cache);
        uint64_t ticket;

        assert_true(i < 50000);
        data_put(world, vd, 20 + i * 37 % 300);
        for (uint32_t hot = 0; hot < 20 && journal_room(journal) > 0; hot++) {
            data_put(world, vd, hot);
        }
        ticket = journal_ticket(journal);
        while (!journal_is_durable(journal, ticket)) {
            assert_true(sim_world_step(world->sim));
        }
    }
    an_intent_waits(world);
    data_end(world, vd);
}

/* It has nothing to do, and every frame is a dirty block's: there is nothing to wait for. */
static void test_the_log_is_at_rest(void **state UNUSED)
{
    struct world *world = world_make(true);
    struct cache_vd *vd = data_open(world);
    uint32_t frames = journal_frame_count(cache_journal(world->cache));
    struct intent intent;

    for (uint64_t block = 0; block < frames - INTENT_FRAMES + 1; block++) {
        data_put(world, vd, block);
    }
    settle(world);
    assert_true(journal_is_at_rest(cache_journal(world->cache)));
    assert_int_equal(append(world, &intent, 1), -EIO);
    data_end(world, vd);
}

/* A journal with a log */

/* A release that is not durable yet: the slice counts as open, and its name is not free. */
static void test_released_when_the_log_says_so(void **state UNUSED)
{
    struct world *world = world_make(true);
    struct intent intent;

    assert_int_equal(append(world, &intent, 1), -EINPROGRESS);
    run(world);
    assert_int_equal(world->error, 0);
    release(world, &intent);
    assert_true(is_open(world, 1));
    settle(world);
    assert_false(is_open(world, 1));
    world_end(world);
}

static void settled(struct intent_settle *settle, int error)
{
    struct world *world = container_of(settle, struct world, settling);

    world->done = true;
    world->error = error;
}

/* What has been released is settled when the log says so too; memory that is durable itself, at
 * once. */
static void test_settling_waits_for_the_log(void **state UNUSED)
{
    for (uint32_t lost = 0; lost < 2; lost++) {
        struct world *world = world_make(true);
        struct intent intent;

        world->settling.done = settled;
        assert_int_equal(world->log->ops->settle(world->log, &world->settling), 0);
        assert_int_equal(append(world, &intent, 1), -EINPROGRESS);
        run(world);
        release(world, &intent);
        assert_int_equal(world->log->ops->settle(world->log, &world->settling), -EINPROGRESS);
        assert_true(is_open(world, 1));
        world->device.drive->write_fails = lost == 1;
        world->done = false;
        run(world);
        assert_int_equal(world->error, lost == 1 ? -EIO : 0);
        assert_int_equal(is_open(world, 1), lost == 1);
        assert_int_equal(world->log->ops->settle(world->log, &world->settling),
                         lost == 1 ? -EIO : 0);
        world_end(world);
    }
}

/* A record that was on its way before says nothing of it. */
static void test_settling_waits_for_its_own_record(void **state UNUSED)
{
    struct world *world = world_make(true);
    struct intent first;
    struct intent second;

    world->settling.done = settled;
    assert_int_equal(append(world, &first, 1), -EINPROGRESS);
    run(world);
    assert_int_equal(append(world, &second, 2), -EINPROGRESS);
    assert_true(sim_world_step(world->sim)); /* it is on its way */
    release(world, &first);
    assert_int_equal(world->log->ops->settle(world->log, &world->settling), -EINPROGRESS);
    world->answers = 0;
    run(world);
    assert_int_equal(world->answers, 1); /* the second intent */
    assert_false(list_is_empty(&((struct share *)world->log)->settling));
    assert_true(is_open(world, 1));
    run(world);
    assert_int_equal(world->answers, 1);
    assert_false(is_open(world, 1));
    world_end(world);
}

static void test_settling_in_memory(void **state UNUSED)
{
    struct world *world = world_make(false);
    struct intent intent;

    assert_int_equal(append(world, &intent, 1), 0);
    release(world, &intent);
    assert_int_equal(world->log->ops->settle(world->log, &world->settling), 0);
    world_end(world);
}

/* More come and go in a turn than there are names for: the next one waits for the log. (The group
 * does not: it writes only what is durable.) */
static void test_all_names_are_leaving(void **state UNUSED)
{
    struct world *world = world_make(true);
    uint32_t most = pool_free_count(&world->intents->kept);
    struct intent *intents = calloc(most + 1, sizeof(*intents));

    assert_non_null(intents);
    for (uint32_t i = 0; i < most; i++) {
        assert_int_not_equal(pool_free_count(&world->intents->kept), 0);
        assert_int_equal(append_small(world, &intents[i], i), -EINPROGRESS);
        release(world, &intents[i]);
    }
    assert_int_equal(pool_free_count(&world->intents->kept), 0);
    assert_int_equal(world->intents->used, 0);
    assert_int_equal(append_small(world, &intents[most], 1000), -EINPROGRESS);
    assert_int_equal(world->intents->used, 0); /* it waits */
    sim_world_advance(world->sim, SIM_SECOND);
    assert_int_equal(world->answers, most + 1);
    assert_int_equal(world->error, 0);
    assert_int_equal(world->intents->used, 2);
    free(intents);
    world_end(world);
}

/* The log is lost with intents on their way to it and others that wait for room: all hear it, and
 * whoever comes later hears it at once. */
static void test_a_lost_log_is_told_to_all(void **state UNUSED)
{
    struct world *world = world_make(true);
    struct intent intents[12];
    uint32_t count = 0;

    world->device.drive->write_fails = true;
    while (list_is_empty(&((struct share *)world->log)->waiting)) {
        assert_true(count < 12);
        assert_int_equal(append(world, &intents[count], count), -EINPROGRESS);
        count++;
    }
    assert_true(count > 2);
    world->answers = 0;
    sim_world_advance(world->sim, SIM_SECOND);
    assert_int_equal(world->answers, count);
    assert_int_equal(world->error, -EIO);
    assert_int_equal(world->log->medium, INTENT_MEDIUM_NONE);
    assert_int_equal(append(world, &intents[0], 50), -EIO);
    world_end(world);
}

/* Found again and cleared: done only when the releases are in the log; if it is lost before, the
 * clearing has failed. */
static void test_clearing_waits_for_the_log(void **state UNUSED)
{
    for (uint32_t lost = 0; lost < 2; lost++) {
        struct world *world = world_make(true);
        struct intent_clear clear = {.done = clear_done, .owner = world};
        struct intent intent;

        assert_int_equal(append(world, &intent, 1), -EINPROGRESS);
        run(world);
        world_close(world);
        world_open(world);
        settle(world);
        assert_int_equal(replay(world), 0);
        assert_int_equal(world->replayed, 1);
        world->device.drive->write_fails = lost == 1;
        world->log->ops->clear(world->log, &clear);
        assert_true(sim_world_step(world->sim));
        assert_false(world->done);
        assert_true(is_open(world, 1));
        run(world);
        assert_int_equal(world->error, lost == 1 ? -EIO : 0);
        assert_int_equal(is_open(world, 1), lost == 1);
        world_end(world);
    }
}

/* While one group has only what it has found, or what waits for its flush, others wait for that. */
static void test_what_others_will_release_is_waited_for(void **state UNUSED)
{
    struct world *world = world_make(false);
    struct intent_log *second = NULL;
    struct intent_clear clear = {.done = clear_done, .owner = world};
    struct intent intents[9];

    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(append(world, &intents[i], i), 0);
    }
    world_close(world);
    world_open(world); /* now they are found ones */
    second = share_begin(world, &second_guid);
    assert_int_equal(append_of(world, second, &intents[8], &vd_guid, 8, 1), -EINPROGRESS);
    assert_int_equal(replay(world), 0);
    world->log->ops->clear(world->log, &clear);
    run(world);
    sim_world_advance(world->sim, SIM_SECOND);
    assert_int_equal(world->error, 0);
    assert_int_equal(intents_open_count(second), 1);
    assert_int_equal(intents_open_count(world->log), 0);
    intents_close(second);
    world_end(world);
}

static int create(struct world *world)
{
    return intents_create(world->cache, sim_world_clock(world->sim), &world->intents);
}

static void test_without_memory(void **state UNUSED)
{
    struct world *world = world_make(false);
    struct intent_log *log = NULL;
    uint32_t failures = 0;

    SCARCE_MEMORY(intents_open(world->intents, &second_guid, PARTS, &log), &failures);
    assert_int_equal(failures, 2);
    intents_close(log);
    intents_close(world->log);
    world->intents = intents_free(world->intents);
    assert_null(intents_free(NULL));
    SCARCE_MEMORY(create(world), &failures);
    assert_int_equal(failures, 4);
    world->log = share_begin(world, &group_guid);
    world_end(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heads_that_make_no_sense),
        cmocka_unit_test(test_heads_that_name_what_is_not_theirs),
        cmocka_unit_test(test_open_is_this_slice_alone),
        cmocka_unit_test(test_no_frame_is_left),
        cmocka_unit_test(test_clean_frames_are_room),
        cmocka_unit_test(test_the_log_has_no_room),
        cmocka_unit_test(test_the_log_is_tidying_up),
        cmocka_unit_test(test_the_log_is_at_rest),
        cmocka_unit_test(test_released_when_the_log_says_so),
        cmocka_unit_test(test_settling_waits_for_the_log),
        cmocka_unit_test(test_settling_waits_for_its_own_record),
        cmocka_unit_test(test_settling_in_memory),
        cmocka_unit_test(test_all_names_are_leaving),
        cmocka_unit_test(test_a_lost_log_is_told_to_all),
        cmocka_unit_test(test_clearing_waits_for_the_log),
        cmocka_unit_test(test_what_others_will_release_is_waited_for),
        cmocka_unit_test(test_without_memory),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cache/intents_found", tests, NULL, NULL);
}
