/*
 * The store-log model of the cache journal. A random life of the cache runs over a medium that
 * records every store, publication and persist, together with what was acknowledged and what
 * the drives were told. Then the agent dies, or the power goes, at points of that record: the
 * medium is put together as it would be found, and the cache made anew from it must still have
 * every acknowledged sector that the drives do not have.
 *
 *   death of the agent   all stores so far are there
 *   power loss           each 8 bytes stored since they were last persisted are old or new
 *
 * Each planted bug (cache/sim_bug.h) must be noticed.
 */
#include "aw_test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "cache/cache.h"
#include "cache/sim_bug.h"

#define FRAMES 24u
#define BLOCKS 12u
#define SECTORS (BLOCKS * CACHE_BLOCK_SECTORS)
#define ROW_BYTES (4 * CACHE_BLOCK_BYTES)
#define LOG_MAX 60000u
#define LIFE_STEPS 120u
#define EXIT_CAUGHT 42

enum cache_bug cache_bug_active;

static const struct guid vd_guid = {{7, 7, 7}};
static const struct uuid owner = {{1}};
static const struct uuid fresh = {{2}};

enum log_kind { LOG_COPY, LOG_PUBLISH, LOG_PERSIST, LOG_ACK, LOG_DRIVE, LOG_FLUSHED };

struct log_entry {
    enum log_kind kind;
    uint64_t offset; /* ACK, DRIVE: sector */
    uint64_t length; /* PUBLISH, ACK, DRIVE: value */
    uint8_t *bytes;
};

/* The medium, recording. */
struct recorder {
    struct memory_port port;
    struct log_entry log[LOG_MAX];
    uint32_t count;
};

static struct recorder recorder;

static void log_add(enum log_kind kind, uint64_t offset, uint64_t length, const void *bytes)
{
    struct log_entry *entry = &recorder.log[recorder.count];

    assert_true(recorder.count < LOG_MAX);
    *entry = (struct log_entry){.kind = kind, .offset = offset, .length = length};
    if (bytes != NULL) {
        entry->bytes = malloc(length);
        assert_non_null(entry->bytes);
        memcpy(entry->bytes, bytes, length);
    }
    recorder.count++;
}

static void record_copy(struct memory_port *port, uint64_t offset, const void *bytes,
                        uint64_t length)
{
    memcpy(port->base + offset, bytes, length);
    log_add(LOG_COPY, offset, length, bytes);
}

static void record_publish(struct memory_port *port, uint64_t offset, uint64_t value)
{
    assert_int_equal(offset % 8, 0);
    memcpy(port->base + offset, &value, 8);
    log_add(LOG_PUBLISH, offset, 8, &value);
}

static void record_persist(struct memory_port *port UNUSED, uint64_t offset, uint64_t length)
{
    log_add(LOG_PERSIST, offset, length, NULL);
}

static const struct memory_port_ops recorder_ops = {
    .copy = record_copy, .publish = record_publish, .persist = record_persist};
static const struct memory_port_ops plain_ops = {.copy = NULL};

static void recorder_begin(void)
{
    for (uint32_t i = 0; i < recorder.count; i++) {
        free(recorder.log[i].bytes);
    }
    free(recorder.port.base);
    recorder.count = 0;
    recorder.port.ops = &recorder_ops;
    recorder.port.kind = MEMORY_KIND_PERSISTENT;
    recorder.port.size_bytes = journal_size_bytes(FRAMES);
    recorder.port.base = aligned_alloc(4096, recorder.port.size_bytes);
    assert_non_null(recorder.port.base);
    memset(recorder.port.base, 0, recorder.port.size_bytes);
}

/* A sector says which it is and in which version. */
static void sector_make(uint8_t *bytes, uint64_t sector, uint64_t version)
{
    for (uint32_t i = 0; i < CACHE_SECTOR_BYTES; i += 16) {
        memcpy(bytes + i, &sector, 8);
        memcpy(bytes + i + 8, &version, 8);
    }
}

/* 0: not a sector as sector_make() makes them. */
static uint64_t sector_version(const uint8_t *bytes, uint64_t sector)
{
    uint8_t wanted[CACHE_SECTOR_BYTES];
    uint64_t version = 0;

    memcpy(&version, bytes + 8, 8);
    sector_make(wanted, sector, version);
    return memcmp(wanted, bytes, sizeof(wanted)) == 0 ? version : 0;
}

/* A life */

struct life {
    struct rng rng;
    struct cache *cache;
    struct cache_vd *vd;
    struct cache_batch batch;
    bool batch_open;
    bool flush_open;
    uint64_t version;
    uint64_t now_us;
};

static void life_write(struct life *life)
{
    uint8_t bytes[CACHE_BLOCK_BYTES];
    uint64_t block = rng_below(&life->rng, BLOCKS);
    uint32_t first = rng_below(&life->rng, 3) == 0 ? (uint32_t)rng_below(&life->rng, 8) : 0;
    uint32_t end = first == 0 && rng_below(&life->rng, 2) == 0
                       ? CACHE_BLOCK_SECTORS
                       : first + 1 + (uint32_t)rng_below(&life->rng, CACHE_BLOCK_SECTORS - first);

    life->version++;
    for (uint32_t sector = first; sector < end; sector++) {
        sector_make(bytes + (sector - first) * CACHE_SECTOR_BYTES,
                    block * CACHE_BLOCK_SECTORS + sector, life->version);
    }
    if (!cache_may_write(life->vd, 1) ||
        !cache_write(life->vd, block, first * CACHE_SECTOR_BYTES, end * CACHE_SECTOR_BYTES, bytes,
                     life->now_us)) {
        return;
    }
    for (uint32_t sector = first; sector < end; sector++) {
        log_add(LOG_ACK, block * CACHE_BLOCK_SECTORS + sector, life->version, NULL);
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
            log_add(LOG_DRIVE, sector, sector_version(bytes, sector), NULL);
        }
        offset += length;
    }
    cache_batch_done(&life->batch, good, life->now_us);
    life->batch_open = false;
}

static void life_flush_end(struct life *life)
{
    bool good = rng_below(&life->rng, 8) != 0;

    if (good) {
        log_add(LOG_FLUSHED, 0, 0, NULL);
    }
    cache_flush_end(life->vd, good);
    life->flush_open = false;
}

static void life_step(struct life *life)
{
    uint64_t dice = rng_below(&life->rng, 100);

    life->now_us += 500000;
    if (dice < 60) {
        life_write(life);
    } else if (dice < 70 && !life->batch_open) {
        life->batch_open = cache_batch_take(life->cache, life->now_us, &life->batch);
    } else if (dice < 80 && life->batch_open) {
        life_batch_end(life);
    } else if (dice < 85 && !life->flush_open && !life->batch_open) {
        /* Only what was on the drives before is covered: so no batch may end in between. */
        cache_flush_begin(life->vd);
        life->flush_open = true;
        life_flush_end(life);
    } else if (dice < 90 && cache_drain_is_over(life->vd)) {
        cache_drain_begin(life->vd);
    }
    if (cache_bug_active == CACHE_BUG_NONE) {
        cache_check(life->cache);
    }
}

static void life_live(uint64_t seed)
{
    struct life life = {.version = 0};
    struct journal *journal = NULL;

    recorder_begin();
    rng_seed(&life.rng, seed);
    assert_int_equal(journal_open(&recorder.port, &owner, &fresh, &journal), 0);
    assert_int_equal(cache_create(journal, NULL, &life.cache), 0);
    life.vd = cache_vd_open(life.cache, &vd_guid, ROW_BYTES);
    assert_non_null(life.vd);
    cache_vd_pin(life.vd, false);
    for (uint32_t i = 0; i < LIFE_STEPS; i++) {
        life_step(&life);
    }
    if (life.batch_open) {
        cache_batch_done(&life.batch, false, life.now_us);
    }
    cache_flush_begin(life.vd);
    cache_flush_end(life.vd, false);
    cache_vd_close(life.vd);
    (void)cache_free(life.cache);
}

/* What is found afterwards */

struct found {
    struct memory_port port;
    uint8_t *durable; /* content as of the last persist */
    uint64_t acked[SECTORS]; /* version */
    uint64_t drive[SECTORS];
    uint64_t drive_flushed[SECTORS];
};

static struct found *found_make(void)
{
    struct found *found = calloc(1, sizeof(*found));

    assert_non_null(found);
    found->port = recorder.port;
    found->port.ops = &plain_ops;
    found->port.base = aligned_alloc(4096, found->port.size_bytes);
    found->durable = aligned_alloc(4096, found->port.size_bytes);
    assert_true(found->port.base != NULL && found->durable != NULL);
    memset(found->port.base, 0, found->port.size_bytes);
    memset(found->durable, 0, found->port.size_bytes);
    return found;
}

static void found_free(struct found *found)
{
    free(found->port.base);
    free(found->durable);
    free(found);
}

static void found_apply(struct found *found, const struct log_entry *entry)
{
    switch (entry->kind) {
    case LOG_COPY:
    case LOG_PUBLISH:
        memcpy(found->port.base + entry->offset, entry->bytes, entry->length);
        break;
    case LOG_PERSIST: {
        uint64_t begin = entry->offset / 64 * 64; /* whole cache lines */
        uint64_t end = (entry->offset + entry->length + 63) / 64 * 64;

        memcpy(found->durable + begin, found->port.base + begin, end - begin);
        break;
    }
    case LOG_ACK:
        found->acked[entry->offset] = entry->length;
        break;
    case LOG_DRIVE:
        found->drive[entry->offset] = entry->length;
        break;
    case LOG_FLUSHED:
        memcpy(found->drive_flushed, found->drive, sizeof(found->drive));
        break;
    }
}

/* The version of a sector after recovery: of the cache, else of the drives. */
static uint64_t sector_after(struct cache_vd *vd, const uint64_t *drive, uint64_t sector)
{
    uint64_t block = sector / CACHE_BLOCK_SECTORS;
    uint32_t lo = (uint32_t)(sector % CACHE_BLOCK_SECTORS) * CACHE_SECTOR_BYTES;
    uint8_t bytes[CACHE_SECTOR_BYTES];

    if (vd == NULL || (cache_valid(vd, block) & (1u << sector % CACHE_BLOCK_SECTORS)) == 0) {
        return drive[sector];
    }
    cache_read(vd, block, lo, lo + CACHE_SECTOR_BYTES, bytes);
    return sector_version(bytes, sector);
}

/* NULL, or what is wrong. in_flight: the version that was being written, of any sector. */
static const char *found_judge(struct found *found, const uint64_t *drive, uint64_t in_flight,
                               bool damage_is_fine)
{
    struct journal *journal = NULL;
    struct cache *cache = NULL;
    struct cache_vd *vd = NULL;
    const char *wrong = NULL;

    if (journal_open(&found->port, &owner, &fresh, &journal) != 0) {
        return damage_is_fine ? NULL : "the journal cannot be opened";
    }
    if (cache_create(journal, NULL, &cache) != 0) {
        return "no cache";
    }
    vd = cache_vd_find(cache, &vd_guid);
    if (!damage_is_fine &&
        (cache_damaged_unknown(cache) != 0 || (vd != NULL && cache_vd_damaged(vd) != 0))) {
        wrong = "damage where there is none";
    }
    for (uint64_t sector = 0; sector < SECTORS && wrong == NULL; sector++) {
        uint64_t version = sector_after(vd, drive, sector);

        if (damage_is_fine) {
            bool plausible =
                version == found->acked[sector] || version == drive[sector] || version == in_flight;
            bool told = cache_damaged_unknown(cache) + (vd != NULL ? cache_vd_damaged(vd) : 0) > 0;

            wrong = plausible || (told && version != 0) ? NULL : "wrong bytes after damage";
        } else if (version != found->acked[sector] && version != in_flight) {
            wrong = version == 0 ? "wrong bytes" : "an acknowledged write is lost";
        }
    }
    (void)cache_free(cache);
    return wrong;
}

/* The version of the write that the log is in the middle of. */
static uint64_t in_flight_at(uint32_t end)
{
    for (uint32_t i = end; i < recorder.count; i++) {
        if (recorder.log[i].kind == LOG_ACK) {
            return recorder.log[i].length;
        }
    }
    return UINT64_MAX;
}

/* Words stored since their last persist: old or new, each for itself or all of a kind. */
static void power_lose(struct found *found, struct rng *rng)
{
    static const uint64_t rates[] = {0, 1, 8, 15};
    uint64_t rate = rates[rng_below(rng, 4)];

    for (uint64_t at = 0; at < found->port.size_bytes; at += 8) {
        if (memcmp(found->port.base + at, found->durable + at, 8) != 0 &&
            rng_below(rng, 16) >= rate) {
            memcpy(found->port.base + at, found->durable + at, 8);
        }
    }
}

/* One bit, of a descriptor's body or of a frame. */
static void damage(struct found *found, struct rng *rng)
{
    uint64_t at = rng_below(rng, 2) == 0
                      ? 8192 + rng_below(rng, FRAMES) * 64 + 8 + rng_below(rng, 48)
                      : 12288 + rng_below(rng, found->port.size_bytes - 12288);

    found->port.base[at] ^= (uint8_t)(1u << rng_below(rng, 8));
}

enum ending { END_DEATH, END_POWER, END_DAMAGE, END_MAX };

/* The life ended after `end` entries of the log. */
static const char *end_at(uint32_t end, enum ending ending, struct rng *rng)
{
    struct found *found = found_make();
    const uint64_t *drive = found->drive;
    const char *wrong = NULL;

    for (uint32_t i = 0; i < end; i++) {
        found_apply(found, &recorder.log[i]);
    }
    if (ending == END_POWER) {
        power_lose(found, rng);
        drive = found->drive_flushed;
    } else if (ending == END_DAMAGE) {
        damage(found, rng);
    }
    wrong = found_judge(found, drive, in_flight_at(end), ending == END_DAMAGE);
    found_free(found);
    return wrong;
}

/* Anywhere; half of the time right after a publication, where two frames of a block may be. */
static uint32_t point_choose(struct rng *rng)
{
    uint32_t end = (uint32_t)rng_below(rng, recorder.count + 1);

    if (rng_below(rng, 2) == 0) {
        while (end > 0 && recorder.log[end - 1].kind != LOG_PUBLISH) {
            end--;
        }
    }
    return end;
}

static const char *lives(uint64_t seed, uint32_t count, uint32_t points)
{
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < count; i++) {
        life_live(seed * 1000 + i);
        for (uint32_t point = 0; point < points; point++) {
            uint32_t end = point_choose(&rng);
            const char *wrong = end_at(end, (enum ending)(point % END_MAX), &rng);

            if (wrong != NULL) {
                printf("# seed %llu life %u, after %u of %u stores, ending %u: %s\n",
                       (unsigned long long)seed, i, end, recorder.count, point % END_MAX, wrong);
                return wrong;
            }
        }
    }
    return NULL;
}

static void test_nothing_is_lost(void **state UNUSED)
{
    uint64_t seed = aw_test_seed("cache-stores", 1);

    assert_null(lives(seed, 40, 120));
}

/* Every point of one life, so that no boundary between two stores is missed. */
static void test_every_point(void **state UNUSED)
{
    struct rng rng;

    rng_seed(&rng, 3);
    life_live(77);
    for (uint32_t end = 0; end <= recorder.count; end++) {
        assert_null(end_at(end, END_DEATH, &rng));
        assert_null(end_at(end, END_POWER, &rng));
    }
}

struct planted {
    enum cache_bug bug;
    const char *name;
};

static const struct planted planted[] = {
    {CACHE_BUG_PUBLISH_FIRST, "published before its content"},
    {CACHE_BUG_NO_PERSIST_DATA, "content not persisted"},
    {CACHE_BUG_NO_PERSIST_WORD, "acknowledged before the word is persisted"},
    {CACHE_BUG_OVERWRITE_IN_PLACE, "acknowledged frame overwritten in place"},
    {CACHE_BUG_SHORT_CRC_IGNORED, "short checksum ignored"},
    {CACHE_BUG_DATA_CRC_IGNORED, "checksum of the content ignored"},
    {CACHE_BUG_FREE_UNFLUSHED, "freed before the drives were flushed"},
    {CACHE_BUG_FREE_OLD_FIRST, "old frame freed first"},
    {CACHE_BUG_PARTIAL_FORGOTTEN, "other sectors forgotten"},
    {CACHE_BUG_DISCARD_ON_ERROR, "dropped when the drives fail"},
};

static void caught_by_assertion(const char *expression UNUSED, const char *file UNUSED,
                                int line UNUSED)
{
    _exit(EXIT_CAUGHT);
}

static void test_bug_is_caught(void **state)
{
    const struct planted *what = *state;
    int status = 0;
    pid_t child = 0;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)assert_set_handler(caught_by_assertion);
        cache_bug_active = what->bug;
        _exit(lives(5, 60, 60) != NULL ? EXIT_CAUGHT : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_CAUGHT) {
        fail_msg("not caught: %s", what->name);
    }
}

int main(void)
{
    enum { PLAIN = 2, BUGS = sizeof(planted) / sizeof(planted[0]) };
    struct CMUnitTest tests[PLAIN + BUGS] = {
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_every_point),
    };

    for (size_t i = 0; i < BUGS; i++) {
        tests[PLAIN + i] = (struct CMUnitTest){.name = planted[i].name,
                                               .test_func = test_bug_is_caught,
                                               .initial_state = (void *)(uintptr_t)&planted[i]};
    }
    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
