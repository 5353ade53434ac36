/*
 * The journal's log on a simulated device: lives of the cache in which the power goes at any
 * moment, with torn and forgotten writes; rings that run full; damage; what is refused.
 *
 * After each end the cache is made anew from the device and must have, of every sector, what was
 * acknowledged and is not on the drives, or what was on its way. Each planted bug of the log
 * (cache/sim_bug.h) must be noticed.
 */
#include "aw_test.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/crc.h"
#include "base/rng.h"
#include "cache/cache.h"
#include "cache/log_format.h"
#include "cache/sim_bug.h"
#include "sim_log.h"

#define BLOCKS 24u
#define SECTORS (BLOCKS * CACHE_BLOCK_SECTORS)
#define ROW_BYTES (4 * CACHE_BLOCK_BYTES)
#define LOG_BLOCKS (LOG_RING_FIRST + LOG_RING_MIN)
#define FLIGHTS 200u
#define EXIT_CAUGHT 42

enum cache_bug cache_bug_active;

static const struct guid vd_guid = {{7, 7, 7}};
static const struct uuid owner = {{1}};
static const struct uuid other_owner = {{9}};
static const struct uuid fresh = {{2}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

/* A write that waits for its ticket. */
struct flight {
    uint64_t ticket, version, first, end; /* sectors */
};

struct life {
    struct rng rng;
    struct sim_world *world;
    struct sim_log log;
    struct memory_port memory;
    struct journal *journal;
    struct cache *cache;
    struct cache_vd *vd;
    struct journal_listener listener;
    struct cache_batch batch;
    bool batch_open;
    uint64_t version;
    struct flight flights[FLIGHTS];
    uint32_t flight_count;
    uint64_t issued[SECTORS]; /* the newest version written */
    uint64_t acked[SECTORS];  /* the newest acknowledged */
    uint64_t drive[SECTORS];  /* what the drives have, flushed */
    uint64_t carried[SECTORS]; /* and what a batch has put there, not flushed */
};

/* A sector says which it is and in which version. */
static void sector_make(uint8_t *bytes, uint64_t sector, uint64_t version)
{
    for (uint32_t i = 0; i < CACHE_SECTOR_BYTES; i += 16) {
        memcpy(bytes + i, &sector, 8);
        memcpy(bytes + i + 8, &version, 8);
    }
}

/* UINT64_MAX: not a sector as sector_make() makes them. */
static uint64_t sector_version(const uint8_t *bytes, uint64_t sector)
{
    uint8_t wanted[CACHE_SECTOR_BYTES];
    uint64_t version = 0;

    memcpy(&version, bytes + 8, 8);
    sector_make(wanted, sector, version);
    return memcmp(wanted, bytes, sizeof(wanted)) == 0 ? version : UINT64_MAX;
}

/* Opening and closing */

static void heard(struct journal_listener *listener)
{
    struct life *life = listener->owner;
    uint32_t left = 0;

    for (uint32_t i = 0; i < life->flight_count; i++) {
        struct flight *flight = &life->flights[i];

        if (!journal_is_durable(life->journal, flight->ticket)) {
            life->flights[left++] = *flight;
            continue;
        }
        for (uint64_t sector = flight->first; sector < flight->end; sector++) {
            if (life->acked[sector] < flight->version) {
                life->acked[sector] = flight->version;
            }
        }
    }
    life->flight_count = left;
}

static int life_open(struct life *life, const struct uuid *who)
{
    const struct cache_options options = {.idle_flush_ms = 1};
    int error = 0;

    life->memory.ops = &plain_ops;
    life->memory.kind = MEMORY_KIND_SHARED;
    life->memory.size_bytes = journal_log_memory_bytes(life->log.port.size_bytes);
    assert_true(life->memory.size_bytes > 0);
    life->memory.base = aligned_alloc(4096, life->memory.size_bytes);
    assert_non_null(life->memory.base);
    memset(life->memory.base, 0, life->memory.size_bytes);
    error = journal_open_log(&life->log.port, &life->memory, sim_world_clock(life->world), who,
                             &fresh, &life->journal);
    if (error != 0) {
        free(life->memory.base);
        return error;
    }
    assert_int_equal(cache_create(life->journal, &options, &life->cache), 0);
    life->listener.heard = heard;
    life->listener.owner = life;
    journal_listen(life->journal, &life->listener);
    life->vd = cache_vd_open(life->cache, &vd_guid, ROW_BYTES);
    assert_non_null(life->vd);
    cache_vd_pin(life->vd, false);
    return 0;
}

static bool is_quiet(void *context)
{
    const struct life *life = context;

    return journal_is_quiet(life->journal);
}

static void life_close(struct life *life)
{
    if (life->batch_open) {
        cache_batch_done(&life->batch, false, life->world->now_us);
        life->batch_open = false;
    }
    assert_true(sim_world_run_until(life->world, is_quiet, life, 600 * SIM_SECOND));
    cache_flush_begin(life->vd);
    cache_flush_end(life->vd, false);
    cache_vd_close(life->vd);
    (void)cache_free(life->cache);
    free(life->memory.base);
    life->cache = NULL;
}

static void life_make(struct life *life, uint64_t seed, uint32_t log_blocks)
{
    const struct sim_drive_options options = {.size_bytes = (uint64_t)log_blocks * 4096};

    memset(life, 0, sizeof(*life));
    rng_seed(&life->rng, seed);
    life->world = sim_world_create(seed ^ 0x10c);
    sim_log_init(&life->log, sim_drive_create(life->world, &options));
}

static void life_end(struct life *life)
{
    sim_world_destroy(life->world);
}

/* Steps of a life */

static void life_write(struct life *life)
{
    uint8_t bytes[CACHE_BLOCK_BYTES];
    uint64_t block = rng_below(&life->rng, rng_below(&life->rng, 2) == 0 ? 4 : BLOCKS);
    uint32_t first = rng_below(&life->rng, 3) == 0 ? (uint32_t)rng_below(&life->rng, 8) : 0;
    uint32_t end = first == 0 && rng_below(&life->rng, 2) == 0
                       ? CACHE_BLOCK_SECTORS
                       : first + 1 + (uint32_t)rng_below(&life->rng, CACHE_BLOCK_SECTORS - first);
    struct flight *flight = &life->flights[life->flight_count];

    if (life->flight_count == FLIGHTS) {
        return;
    }
    life->version++;
    for (uint32_t sector = first; sector < end; sector++) {
        sector_make(bytes + (sector - first) * CACHE_SECTOR_BYTES,
                    block * CACHE_BLOCK_SECTORS + sector, life->version);
    }
    if (!cache_may_write(life->vd, 1) ||
        !cache_write(life->vd, block, first * CACHE_SECTOR_BYTES, end * CACHE_SECTOR_BYTES, bytes,
                     life->world->now_us)) {
        return;
    }
    *flight = (struct flight){.ticket = journal_ticket(life->journal),
                              .version = life->version,
                              .first = block * CACHE_BLOCK_SECTORS + first,
                              .end = block * CACHE_BLOCK_SECTORS + end};
    life->flight_count++;
    for (uint64_t sector = flight->first; sector < flight->end; sector++) {
        life->issued[sector] = life->version;
    }
}

static void life_batch_end(struct life *life)
{
    bool good = rng_below(&life->rng, 8) != 0;
    uint64_t offset = 0;
    uint32_t length = 0;

    while (good && cache_batch_run(&life->batch, &offset, &length)) {
        for (uint32_t at = 0; at < length; at += CACHE_SECTOR_BYTES) {
            uint8_t bytes[CACHE_SECTOR_BYTES];
            uint64_t sector = (offset + at) / CACHE_SECTOR_BYTES;

            cache_batch_gather(&life->batch, offset + at, bytes, sizeof(bytes));
            life->carried[sector] = sector_version(bytes, sector);
        }
        offset += length;
    }
    cache_batch_done(&life->batch, good, life->world->now_us);
    life->batch_open = false;
}

/* A write of one block past the cache, as vd/cached_write.c does it: nothing dirty is there, and
 * what was there cannot come back. It is on the drives at once. */
static void life_pass(struct life *life)
{
    uint64_t block = rng_below(&life->rng, BLOCKS);

    if (cache_range_dirty(life->vd, block, 1) > 0 ||
        (!cache_vd_has_settled(life->vd) && cache_bug_active != CACHE_BUG_LOG_RELEASE_LATE)) {
        return;
    }
    cache_drop_clean(life->vd, block, 1);
    life->version++;
    for (uint64_t i = block * CACHE_BLOCK_SECTORS; i < (block + 1) * CACHE_BLOCK_SECTORS; i++) {
        life->issued[i] = life->acked[i] = life->drive[i] = life->carried[i] = life->version;
    }
}

static void life_step(struct life *life)
{
    uint64_t dice = rng_below(&life->rng, 100);

    if (dice < 45) {
        life_write(life);
    } else if (dice < 52 && !life->batch_open) {
        life->batch_open = cache_batch_take(life->cache, life->world->now_us, &life->batch);
    } else if (dice < 60 && life->batch_open) {
        life_batch_end(life);
    } else if (dice < 65 && !life->batch_open) {
        bool good = rng_below(&life->rng, 8) != 0;

        cache_flush_begin(life->vd);
        if (good) {
            memcpy(life->drive, life->carried, sizeof(life->drive));
        }
        cache_flush_end(life->vd, good);
    } else if (dice < 68) {
        life_pass(life);
    } else {
        for (uint64_t steps = rng_below(&life->rng, 6); steps > 0; steps--) {
            (void)sim_world_step(life->world); /* it may have nothing to do */
        }
    }
    if (cache_bug_active == CACHE_BUG_NONE && rng_below(&life->rng, 16) == 0) {
        cache_check(life->cache);
    }
}

/* NULL, or what is wrong with what is found again. */
static const char *life_judge(struct life *life)
{
    if (cache_damaged_unknown(life->cache) + cache_vd_damaged(life->vd) != 0) {
        return "damage where there is none";
    }
    for (uint64_t sector = 0; sector < SECTORS; sector++) {
        uint64_t block = sector / CACHE_BLOCK_SECTORS;
        uint32_t lo = (uint32_t)(sector % CACHE_BLOCK_SECTORS) * CACHE_SECTOR_BYTES;
        uint64_t version = life->drive[sector];
        uint8_t bytes[CACHE_SECTOR_BYTES];

        if ((cache_valid(life->vd, block) & (1u << sector % CACHE_BLOCK_SECTORS)) != 0) {
            cache_read(life->vd, block, lo, lo + CACHE_SECTOR_BYTES, bytes);
            version = sector_version(bytes, sector);
        }
        if (version == UINT64_MAX || version > life->issued[sector]) {
            return "wrong bytes";
        }
        if (version < life->acked[sector]) {
            return "an acknowledged write is lost";
        }
        life->issued[sector] = life->acked[sector] = version; /* no going back from here */
    }
    return NULL;
}

/* The power goes, or the agent dies: what the device has taken stays then. */
static const char *life_cut(struct life *life)
{
    bool death = rng_below(&life->rng, 4) == 0;
    int error = 0;

    sim_world_power_off(life->world, death ? SIM_CUT_KEEP_ALL
                                           : (enum sim_cut)rng_below(&life->rng, SIM_CUT_MAX));
    life->flight_count = 0;
    life_close(life);
    sim_world_power_on(life->world);
    memcpy(life->carried, life->drive, sizeof(life->drive));
    error = life_open(life, &owner);
    return error == 0 ? life_judge(life) : "the log cannot be opened";
}

static const char *lives(uint64_t seed, uint32_t count, uint32_t cuts, uint64_t *ret_laps)
{
    for (uint32_t i = 0; i < count; i++) {
        struct life life;
        const char *wrong = NULL;

        life_make(&life, seed * 1000 + i, LOG_BLOCKS + i % 40);
        assert_int_equal(life_open(&life, &owner), 0);
        for (uint32_t cut = 0; cut < cuts && wrong == NULL; cut++) {
            uint64_t most = rng_below(&life.rng, 3) == 0 ? 400 : 30;

            for (uint64_t steps = rng_below(&life.rng, most); steps > 0; steps--) {
                life_step(&life);
            }
            wrong = life_cut(&life);
            if (wrong != NULL) {
                printf("# seed %llu life %u cut %u: %s\n", (unsigned long long)seed, i, cut, wrong);
                return wrong;
            }
        }
        *ret_laps += life.log.bytes / life.log.port.size_bytes;
        life_close(&life);
        life_end(&life);
    }
    return NULL;
}

static void test_nothing_is_lost(void **state UNUSED)
{
    uint64_t seed = aw_test_seed("cache-log", 1);
    uint64_t laps = 0;

    assert_null(lives(seed, 40, 40, &laps));
    printf("# the ring was gone round %llu times\n", (unsigned long long)laps);
    assert_true(laps > 100);
}

/* Full rings */

/* The frames may all be on their way to the log for a moment. */
static void block_put(struct life *life, uint64_t block, uint64_t version)
{
    uint8_t bytes[CACHE_BLOCK_BYTES];

    memset(bytes, (int)version, sizeof(bytes));
    while (!cache_write(life->vd, block, 0, sizeof(bytes), bytes, 0)) {
        assert_true(sim_world_step(life->world));
    }
}

/* Most of the frames are dirty and stay so, because the drives are away; one block is written
 * again and again. The log must go round by copying alone, and lose nothing. */
static void test_a_full_ring_goes_round_without_the_drives(void **state UNUSED)
{
    struct life life;
    uint32_t frames = 0;
    uint8_t byte[CACHE_SECTOR_BYTES];

    life_make(&life, 5, LOG_BLOCKS);
    assert_int_equal(life_open(&life, &owner), 0);
    frames = journal_frame_count(life.journal);
    for (uint32_t block = 0; block < frames * 9 / 10; block++) {
        block_put(&life, block, block);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        block_put(&life, 3, i);
        for (uint32_t step = 0; step < i % 9; step++) {
            (void)sim_world_step(life.world); /* the log may have nothing to do */
        }
    }
    assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
    assert_true(life.log.bytes > 4 * life.log.port.size_bytes);
    life_close(&life);
    assert_int_equal(life_open(&life, &owner), 0);
    for (uint32_t block = 0; block < frames * 9 / 10; block++) {
        assert_int_equal(cache_valid(life.vd, block), 0xff);
        cache_read(life.vd, block, 0, sizeof(byte), byte);
        assert_int_equal(byte[0], block == 3 ? (uint8_t)1999 : (uint8_t)block);
    }
    life_close(&life);
    life_end(&life);
}

/* What is written in one turn goes out in one write. */
static void test_writes_of_a_turn_are_one_record(void **state UNUSED)
{
    struct life life;
    uint64_t before = 0;

    life_make(&life, 6, 4096);
    assert_int_equal(life_open(&life, &owner), 0);
    assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
    before = life.log.writes;
    for (uint32_t block = 0; block < 32; block++) {
        block_put(&life, block, block);
        assert_false(journal_is_durable(life.journal, journal_ticket(life.journal)));
    }
    assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
    assert_true(journal_is_durable(life.journal, journal_ticket(life.journal)));
    assert_int_equal(life.log.writes, before + 1);
    life_close(&life);
    life_end(&life);
}

/* What waits for the log is on its way, and so is what it writes. */
static void test_rest_comes_after_what_is_on_its_way(void **state UNUSED)
{
    struct life life;
    uint64_t before = 0;
    uint64_t ticket = 0;

    life_make(&life, 7, 4096);
    assert_int_equal(life_open(&life, &owner), 0);
    assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
    assert_true(journal_is_at_rest(life.journal));
    before = life.log.writes;
    block_put(&life, 0, 1);
    assert_int_equal(life.log.writes, before);
    ticket = journal_ticket(life.journal);
    while (!journal_is_durable(life.journal, ticket)) {
        assert_false(journal_is_at_rest(life.journal));
        assert_true(sim_world_step(life.world));
    }
    assert_int_equal(life.log.writes, before + 1);
    assert_true(journal_is_at_rest(life.journal));
    life_close(&life);
    life_end(&life);
}

/* Damage */

/* Three records: blocks 0 and 1, then 2, then 3. The third one's write is still under way if
 * `last_is_torn`. */
static void three_records(struct life *life)
{
    life_make(life, 7, LOG_BLOCKS);
    assert_int_equal(life_open(life, &owner), 0);
    block_put(life, 0, 10);
    block_put(life, 1, 11);
    assert_true(sim_world_run_until(life->world, is_quiet, life, 600 * SIM_SECOND));
    block_put(life, 2, 12);
    assert_true(sim_world_run_until(life->world, is_quiet, life, 600 * SIM_SECOND));
    block_put(life, 3, 13);
    assert_true(sim_world_run_until(life->world, is_quiet, life, 600 * SIM_SECOND));
    life_close(life);
}

static void bit_flip(struct life *life, uint64_t offset_bytes)
{
    uint8_t page[4096];

    sim_drive_peek(life->log.drive, offset_bytes / 4096 * 4096, page, sizeof(page));
    page[offset_bytes % 4096] ^= 0x10;
    sim_drive_poke(life->log.drive, offset_bytes / 4096 * 4096, page, sizeof(page));
}

/* Records: header 2, content 3 and 4; header 5, content 6; header 7, content 8. */
static void test_damaged_content_is_told_of_its_virtual_drive(void **state UNUSED)
{
    struct life life;

    three_records(&life);
    bit_flip(&life, 4 * 4096 + 77);
    assert_int_equal(life_open(&life, &owner), 0);
    assert_int_equal(cache_vd_damaged(life.vd), 1);
    assert_int_equal(cache_damaged_unknown(life.cache), 0);
    assert_int_equal(cache_valid(life.vd, 0) | cache_valid(life.vd, 1), 0xff);
    assert_int_equal(cache_valid(life.vd, 2) & cache_valid(life.vd, 3), 0xff);
    life_close(&life);
    life_end(&life);
}

static void test_a_damaged_header_in_the_middle_stops_the_start(void **state UNUSED)
{
    struct life life;

    three_records(&life);
    bit_flip(&life, 5 * 4096 + 100);
    assert_int_equal(life_open(&life, &owner), -EBADMSG);
    life_end(&life);
}

/* Of the newest record a torn write cannot be told from damage: it was never acknowledged. */
static void test_a_torn_last_record_is_left_out(void **state UNUSED)
{
    struct life life;

    three_records(&life);
    bit_flip(&life, 8 * 4096 + 4000);
    assert_int_equal(life_open(&life, &owner), 0);
    assert_int_equal(cache_vd_damaged(life.vd), 0);
    assert_int_equal(cache_valid(life.vd, 2), 0xff);
    assert_int_equal(cache_valid(life.vd, 3), 0);
    life_close(&life);
    life_end(&life);
}

/* Once a super-block says that a record was durable, it must be there. */
static void test_a_record_known_to_be_durable_must_be_there(void **state UNUSED)
{
    struct life life;

    three_records(&life);
    assert_int_equal(life_open(&life, &owner), 0); /* its super-block knows of all three */
    assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
    life_close(&life);
    bit_flip(&life, 7 * 4096 + 100);
    assert_int_equal(life_open(&life, &owner), -EBADMSG);
    life_end(&life);
}

static void test_one_super_block_is_enough(void **state UNUSED)
{
    for (uint32_t slot = 0; slot < 2; slot++) {
        struct life life;

        three_records(&life);
        assert_int_equal(life_open(&life, &owner), 0);
        assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
        life_close(&life);
        bit_flip(&life, slot * 4096 + 30);
        assert_int_equal(life_open(&life, &owner), 0);
        assert_int_equal(cache_valid(life.vd, 3), 0xff);
        life_close(&life);
        life_end(&life);
    }
}

static uint32_t device_sum(const struct life *life)
{
    uint32_t sum = 0;

    for (uint64_t at = 0; at < life->log.port.size_bytes; at += 4096) {
        uint8_t page[4096];

        sim_drive_peek(life->log.drive, at, page, sizeof(page));
        sum = crc32c(sum, page, sizeof(page));
    }
    return sum;
}

static void refused(struct life *life, const struct uuid *who, int error)
{
    uint32_t before = device_sum(life);

    assert_int_equal(life_open(life, who), error);
    sim_world_advance(life->world, SIM_SECOND);
    assert_int_equal(device_sum(life), before);
}

/* The newer super-block is damaged, the older one says that the log was empty, and the ring has
 * been gone round since: that is noticed. */
static void test_an_old_super_block_is_not_believed(void **state UNUSED)
{
    struct life life;

    life_make(&life, 12, LOG_BLOCKS);
    assert_int_equal(life_open(&life, &owner), 0);
    for (uint32_t i = 0; i < 300; i++) {
        block_put(&life, 3, i);
        assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
    }
    life_close(&life);
    for (uint64_t slot = 0; slot < 2; slot++) {
        struct log_super super = {.turn = 0};
        uint8_t page[4096];

        sim_drive_peek(life.log.drive, slot * 4096, page, sizeof(page));
        assert_true(log_super_read(page, &super));
        super.turn += slot == 0 ? 1000 : 0;
        super.durable_number = 1;
        super.tail_number = 2;
        super.tail_block = 2;
        log_super_write(&super, page);
        page[40] ^= slot == 1 ? 1 : 0;
        sim_drive_poke(life.log.drive, slot * 4096, page, sizeof(page));
    }
    refused(&life, &owner, -EBADMSG);
    life_end(&life);
}

/* What is refused, and left as it is */

static void test_a_log_of_another_controller_is_refused(void **state UNUSED)
{
    struct life life;

    three_records(&life);
    refused(&life, &other_owner, -EEXIST);
    assert_int_equal(life_open(&life, &owner), 0);
    cache_vd_discard(life.vd);
    life_close(&life);
    assert_int_equal(life_open(&life, &other_owner), 0); /* an empty one is as good as new */
    life_close(&life);
    life_end(&life);
}

static void super_change(struct life *life, uint32_t version, uint64_t size_bytes)
{
    for (uint64_t slot = 0; slot < 2; slot++) {
        uint8_t page[4096];
        struct log_super super;

        sim_drive_peek(life->log.drive, slot * 4096, page, sizeof(page));
        if (log_super_read(page, &super)) {
            super.version = version;
            super.size_bytes = size_bytes;
            log_super_write(&super, page);
            sim_drive_poke(life->log.drive, slot * 4096, page, sizeof(page));
        }
    }
}

static void test_what_is_no_log_of_ours_is_refused(void **state UNUSED)
{
    struct life life;

    three_records(&life);
    super_change(&life, LOG_VERSION + 1, life.log.port.size_bytes);
    refused(&life, &owner, -EPROTONOSUPPORT);
    super_change(&life, LOG_VERSION, life.log.port.size_bytes + 4096);
    refused(&life, &owner, -ERANGE);
    super_change(&life, LOG_VERSION, life.log.port.size_bytes);
    bit_flip(&life, 0);
    bit_flip(&life, 4096);
    refused(&life, &owner, -EBADMSG);
    life.log.drive->gone = true;
    refused(&life, &owner, -EIO);
    life_end(&life);
}

static void test_a_log_too_small_is_refused(void **state UNUSED)
{
    struct journal *journal = NULL;
    struct life life;

    assert_int_equal(journal_log_memory_bytes((uint64_t)(LOG_BLOCKS - 1) * 4096), 0);
    life_make(&life, 8, LOG_BLOCKS - 1);
    life.memory.ops = &plain_ops;
    assert_int_equal(journal_open_log(&life.log.port, &life.memory, sim_world_clock(life.world),
                                      &owner, &fresh, &journal),
                     -ENOSPC);
    life_end(&life);
}

/* The device fails: nothing becomes durable any more, and everybody hears it. */
static void test_a_device_that_fails_is_lost(void **state UNUSED)
{
    struct life life;
    uint64_t ticket = 0;

    life_make(&life, 9, LOG_BLOCKS);
    assert_int_equal(life_open(&life, &owner), 0);
    assert_true(sim_world_run_until(life.world, is_quiet, &life, 600 * SIM_SECOND));
    assert_true(journal_is_stable(life.journal));
    life.log.drive->write_fails = true;
    block_put(&life, 0, 1);
    ticket = journal_ticket(life.journal);
    sim_world_advance(life.world, SIM_SECOND);
    assert_true(journal_is_lost(life.journal));
    assert_false(journal_is_stable(life.journal));
    assert_false(journal_is_durable(life.journal, ticket));
    block_put(&life, 0, 2); /* memory goes on */
    assert_true(journal_is_quiet(life.journal));
    assert_true(journal_is_at_rest(life.journal));
    life_close(&life);
    life_end(&life);
}

/* Planted bugs */

struct planted {
    enum cache_bug bug;
    const char *name;
};

static const struct planted planted[] = {
    {CACHE_BUG_LOG_ACK_EARLY, "acknowledged before the record is durable"},
    {CACHE_BUG_LOG_CRC_IGNORED, "a torn record is believed"},
    {CACHE_BUG_LOG_TORN_FIRST, "a torn record hides the one written in its place"},
    {CACHE_BUG_LOG_NUMBER_IGNORED, "a record of an earlier lap is believed"},
    {CACHE_BUG_LOG_WRAP_EARLY, "records that still count are written over"},
    {CACHE_BUG_LOG_RELEASE_LATE, "a write passes what the log does not know to be over"},
};

static void caught_by_assertion(const char *expression, const char *file, int line)
{
    printf("# by assertion %s at %s:%d\n", expression, file, line);
    fflush(stdout);
    _exit(EXIT_CAUGHT);
}

static void test_bug_is_caught(void **state)
{
    const struct planted *what = *state;
    uint64_t laps = 0;
    int status = 0;
    pid_t child = 0;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)assert_set_handler(caught_by_assertion);
        cache_bug_active = what->bug;
        _exit(lives(101, 60, 60, &laps) != NULL ? EXIT_CAUGHT : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_CAUGHT) {
        fail_msg("not caught: %s", what->name);
    }
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_a_full_ring_goes_round_without_the_drives),
        cmocka_unit_test(test_writes_of_a_turn_are_one_record),
        cmocka_unit_test(test_rest_comes_after_what_is_on_its_way),
        cmocka_unit_test(test_damaged_content_is_told_of_its_virtual_drive),
        cmocka_unit_test(test_a_damaged_header_in_the_middle_stops_the_start),
        cmocka_unit_test(test_a_torn_last_record_is_left_out),
        cmocka_unit_test(test_a_record_known_to_be_durable_must_be_there),
        cmocka_unit_test(test_one_super_block_is_enough),
        cmocka_unit_test(test_an_old_super_block_is_not_believed),
        cmocka_unit_test(test_a_log_of_another_controller_is_refused),
        cmocka_unit_test(test_what_is_no_log_of_ours_is_refused),
        cmocka_unit_test(test_a_log_too_small_is_refused),
        cmocka_unit_test(test_a_device_that_fails_is_lost),
    };
    enum { PLAIN = sizeof(plain) / sizeof(plain[0]), BUGS = sizeof(planted) / sizeof(planted[0]) };
    struct CMUnitTest tests[PLAIN + BUGS];

    memcpy(tests, plain, sizeof(plain));
    for (size_t i = 0; i < BUGS; i++) {
        tests[PLAIN + i] = (struct CMUnitTest){.name = planted[i].name,
                                               .test_func = test_bug_is_caught,
                                               .initial_state = (void *)(uintptr_t)&planted[i]};
    }
    if (getenv("AW_TEST") != NULL) {
        cmocka_set_test_filter(getenv("AW_TEST"));
    }
    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
