/*
 * The write-back cache on the controller when something is wrong with it: what is refused, what is
 * kept, what is lost and said, for each kind of bad input.
 *
 *   another controller's medium, with something in it   the start is refused, no byte changes
 *   a damaged medium                                     the start is refused, no byte changes
 *   damaged content of one block                         lost writes of its virtual drive, event
 *   the medium is gone at the start                      lost writes of whom its mark names, event
 *   the log fails while it is used                       everything to the drives, then through;
 *                                                        event; nothing lost
 *   that log is back at the next start                   its content is kept, never written
 *   members missing at the start, with dirty blocks      preserved; written when they are back
 *   discarded by command                                 lost writes, in words; until confirmed
 *   no place in the cache                                write-through, with the reason
 *   the battery is emulated, so are the drives           the memory is stable, and says so
 *   a UPS says low in mid-write                          write-through at once, all goes out
 *   a source that flaps, or lies about its runtime       test_battery.c
 */
#include "ctl_world.h"

#include <errno.h>
#include <string.h>

#include "cache/cache.h"
#include "ctl/ctl_private.h"
#include "sim_log.h"

#define EVENT_LOST 10
#define EVENT_PRESERVED 60040
#define EVENT_REFUSED 60043
#define EVENT_WRITTEN 60041
#define EVENT_STATE 60042
#define EVENT_NO_BATTERY 142
#define FRAMES 1024u

struct bench {
    struct ctl_world *world;
    struct memory_port memory;
    struct sim_log log;
};

static struct bench bench_of(enum memory_kind kind)
{
    struct bench bench = {.world = world_new(1, 8)};

    world_memory_make(&bench.memory, kind, journal_size_bytes(FRAMES));
    return bench;
}

static void bench_start(struct bench *bench)
{
    bench->world->cache_memory = &bench->memory;
    world_start(bench->world);
}

static void bench_free(struct bench *bench)
{
    world_free(bench->world);
    free(bench->memory.base);
}

static void create(struct ctl_world *world, const char *name, uint32_t first,
                   enum write_policy policy)
{
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_1, first, 2, name);

    command->args.vd_create.write_policy = policy;
    assert_int_equal(world_run(world, command), REASON_OK);
}

static struct virtual_drive_view vd_of(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, NULL));
    return view;
}

static void expect_policy(struct ctl_world *world, const char *name, enum write_policy effective,
                          enum reason_code code)
{
    struct virtual_drive_view view = vd_of(world, name);

    assert_string_equal(view.policies.write_policy.effective, write_policy_word(effective));
    assert_string_equal(reason_code_word(view.policies.write_policy.reason.code),
                        reason_code_word(code));
}

static void find_cache(void *context, const struct object_head *head, const void *view)
{
    if (head->kind == OBJECT_KIND_CONTROLLER) {
        *(struct cache_view *)context = ((const struct controller_view *)view)->cache;
    }
}

static struct cache_view cache_of(struct ctl_world *world)
{
    struct cache_view cache = {.present = false};
    const struct ctl_visitor visitor = {.object = find_cache, .context = &cache};

    ctl_objects_since(world->ctl, 0, &visitor);
    assert_true(cache.present);
    return cache;
}

static enum reason_code discard(struct ctl_world *world, const char *name)
{
    struct ctl_command command = {.op = CTL_OP_CACHE_DISCARD};
    struct virtual_drive_view view;
    object_key_t key;

    assert_true(world_vd(world, name, &view, key));
    strcpy(command.args.cache_discard.controller, "c0");
    strcpy(command.args.cache_discard.vd, key);
    strcpy(command.confirm, name);
    return world_run(world, &command);
}

/* The agent dies with dirty blocks in the cache: the drives keep what they have. */
static void die(struct bench *bench)
{
    uint8_t *kept = malloc(bench->memory.size_bytes);

    assert_non_null(kept);
    memcpy(kept, bench->memory.base, bench->memory.size_bytes);
    sim_world_power_off(bench->world->sim, SIM_CUT_KEEP_ALL);
    world_power_down(bench->world);
    memcpy(bench->memory.base, kept, bench->memory.size_bytes);
    free(kept);
}

/* A virtual drive with dirty blocks, on a persistent medium; then the agent's death. */
static struct bench died_dirty(void)
{
    struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);

    bench_start(&bench);
    create(bench.world, "data", 0, WRITE_POLICY_WRITE_BACK);
    world_write(bench.world, "data", 0, 65536, 0x11);
    assert_true(cache_of(bench.world).facts.dirty_bytes >= 65536);
    die(&bench);
    return bench;
}

static void refused(struct bench *bench, int error)
{
    uint8_t *before = malloc(bench->memory.size_bytes);

    assert_non_null(before);
    memcpy(before, bench->memory.base, bench->memory.size_bytes);
    assert_int_equal(world_try_start(bench->world), error);
    assert_memory_equal(before, bench->memory.base, bench->memory.size_bytes);
    free(before);
}

static void medium_of_another_controller(void **state)
{
    struct bench bench = died_dirty();
    struct bench other = bench_of(MEMORY_KIND_PERSISTENT);

    (void)state;
    memcpy(other.memory.base, bench.memory.base, bench.memory.size_bytes);
    other.world->seed += 99; /* its own UUID */
    other.world->cache_memory = &other.memory;
    refused(&other, -EEXIST);
    bench_start(&bench);
    world_check(bench.world, "data", 0, 65536, 0x11);
    bench_free(&other);
    bench_free(&bench);
}

static void damaged_medium(void **state)
{
    struct bench bench = died_dirty();

    (void)state;
    bench.memory.base[40] ^= 1;
    bench.memory.base[4096 + 40] ^= 1;
    refused(&bench, -EBADMSG);
    bench.memory.base[40] ^= 1;
    bench.memory.base[4096 + 40] ^= 1;
    bench_start(&bench);
    world_check(bench.world, "data", 0, 65536, 0x11);
    bench_free(&bench);
}

static void spoil(struct bench *bench, int byte)
{
    uint8_t *content = memchr(bench->memory.base + 2 * 4096 + FRAMES * 64, byte,
                              bench->memory.size_bytes - 2 * 4096 - FRAMES * 64);

    assert_non_null(content);
    content[100] ^= 1;
}

static void damaged_content_is_lost_and_said(void **state)
{
    struct bench bench = died_dirty();
    uint32_t from = bench.world->log_count;

    (void)state;
    spoil(&bench, 0x11);
    bench_start(&bench);
    for (uint32_t life = 0; life < 2; life++) {
        const struct finding *finding = world_finding(bench.world, FINDING_WRITES_LOST, NULL);

        assert_true(vd_of(bench.world, "data").config->cache_lost);
        assert_non_null(finding);
        assert_int_equal(finding->cause.code, REASON_CACHE_LOST_DAMAGED);
        assert_int_equal(finding->remedy.code, REASON_REMEDY_WRITES_LOST_DAMAGED);
        assert_int_not_equal(world_event(bench.world, from, EVENT_LOST), UINT32_MAX);
        world_stop(bench.world);
        bench.world->cache_memory = life == 0 ? NULL : &bench.memory; /* what the drives know */
        world_start(bench.world);
    }
    bench_free(&bench);
}

/* Both have lost something; that one of them is told so, and that it is known, says nothing to the
 * other, whose drives are away. It is told when they come; or it is given up by command. */
static void damage_of_who_is_away(void **state)
{
    (void)state;
    for (uint32_t comes = 0; comes < 2; comes++) {
        struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);
        struct ctl_world *world = bench.world;
        uint32_t from = 0;

        bench_start(&bench);
        create(world, "data", 0, WRITE_POLICY_WRITE_BACK);
        create(world, "more", 2, WRITE_POLICY_WRITE_BACK);
        world_write(world, "data", 0, 4096, 0x11);
        world_write(world, "more", 0, 4096, 0x22);
        die(&bench);
        spoil(&bench, 0x11);
        spoil(&bench, 0x22);
        world->slots[0].absent = world->slots[1].absent = true;
        bench_start(&bench);
        assert_true(vd_of(world, "more").config->cache_lost);
        assert_int_equal(discard(world, "more"), REASON_OK);
        assert_false(vd_of(world, "more").config->cache_lost);
        if (comes == 0) {
            assert_int_equal(discard(world, "data"), REASON_OK);
            assert_int_equal(discard(world, "data"), REASON_CACHE_NO_PRESERVED);
        }
        world->slots[0].absent = world->slots[1].absent = false;
        slot_arrive(world, 0);
        slot_arrive(world, 1);
        from = world->log_count;
        world_settle(world, 60 * SIM_SECOND);
        assert_true(vd_of(world, "data").config->cache_lost == (comes != 0));
        assert_true((world_event(world, from, EVENT_LOST) != UINT32_MAX) == (comes != 0));
        assert_false(vd_of(world, "more").config->cache_lost);
        bench_free(&bench);
    }
}

static void medium_gone_at_the_start(void **state)
{
    struct bench bench = died_dirty();
    uint32_t from = bench.world->log_count;

    (void)state;
    memset(bench.memory.base, 0, bench.memory.size_bytes);
    bench_start(&bench);
    assert_true(vd_of(bench.world, "data").config->cache_lost);
    assert_int_equal(vd_of(bench.world, "data").config->cache_discarded_bytes, 0);
    assert_int_equal(world_finding(bench.world, FINDING_WRITES_LOST, NULL)->cause.code,
                     REASON_CACHE_LOST_MEDIUM);
    assert_int_not_equal(world_event(bench.world, from, EVENT_LOST), UINT32_MAX);
    assert_int_equal(discard(bench.world, "data"), REASON_OK); /* it is known now */
    assert_false(vd_of(bench.world, "data").config->cache_lost);
    assert_int_equal(discard(bench.world, "data"), REASON_CACHE_NO_PRESERVED);
    bench_free(&bench);
}

/* The log fails, and is back at the next start. */
static void log_fails_while_it_is_used(void **state)
{
    const struct sim_drive_options options = {.size_bytes = UINT64_C(8) << 20};
    struct bench bench = {.world = world_new(1, 8)};
    struct ctl_world *world = bench.world;
    uint32_t from = 0;

    (void)state;
    sim_log_init(&bench.log, sim_drive_create(world->sim, &options));
    world_memory_make(&bench.memory, MEMORY_KIND_SHARED,
                      journal_log_memory_bytes(options.size_bytes));
    world->cache_log = &bench.log.port;
    bench_start(&bench);
    create(world, "data", 0, WRITE_POLICY_WRITE_BACK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_true(cache_of(world).stable);
    assert_int_equal(cache_of(world).medium, CACHE_MEDIUM_FILE_LOG);
    world_write(world, "data", 0, 65536, 0x11);
    from = world->log_count;
    bench.log.drive->write_fails = true;
    world_write(world, "data", 0, 32768, 0x22); /* answered when the drives have it */
    world_settle(world, 5 * SIM_SECOND);
    assert_int_not_equal(world_event(world, from, EVENT_REFUSED), UINT32_MAX);
    assert_int_equal(world_event_count(world, from, EVENT_STATE), 1);
    assert_int_equal(cache_of(world).state, CACHE_STATE_FAILED);
    assert_false(cache_of(world).stable);
    assert_int_equal(cache_of(world).facts.dirty_bytes, 0);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_CACHE_STATE);
    world_check(world, "data", 0, 32768, 0x22);
    world_check(world, "data", 32768, 32768, 0x11);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    world_power_down(world);
    memset(bench.memory.base, 0, bench.memory.size_bytes);
    bench.log.drive->write_fails = false;
    from = world->log_count;
    bench_start(&bench);
    assert_int_not_equal(world_event(world, from, EVENT_PRESERVED), UINT32_MAX);
    assert_false(vd_of(world, "data").config->cache_lost);
    world_check(world, "data", 0, 32768, 0x22);
    world_check(world, "data", 32768, 32768, 0x11);
    bench_free(&bench);
}

static void nothing_charges_the_memory(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_SHARED);

    (void)state;
    bench_start(&bench);
    assert_int_equal(world_event_count(bench.world, 0, EVENT_NO_BATTERY), 1);
    bench_free(&bench);
}

static void members_missing_at_the_start(void **state)
{
    struct bench bench = died_dirty();
    struct ctl_world *world = bench.world;
    uint32_t from = world->log_count;

    (void)state;
    world->slots[0].absent = world->slots[1].absent = true;
    bench_start(&bench);
    assert_int_not_equal(world_event(world, from, EVENT_PRESERVED), UINT32_MAX);
    assert_int_equal(cache_of(world).preserved_count, 1);
    assert_true(cache_of(world).facts.pinned_bytes >= 65536);
    world_settle(world, 60 * SIM_SECOND);
    assert_true(cache_of(world).facts.pinned_bytes >= 65536); /* nothing lets go of it */
    world_restart(world);
    assert_int_equal(cache_of(world).preserved_count, 1); /* not even a stop */
    world->slots[0].absent = world->slots[1].absent = false;
    slot_arrive(world, 0);
    slot_arrive(world, 1);
    from = world->log_count;
    world_settle(world, 60 * SIM_SECOND);
    assert_int_equal(cache_of(world).preserved_count, 0);
    assert_int_equal(cache_of(world).facts.dirty_bytes, 0);
    assert_int_equal(world_event_count(world, from, EVENT_WRITTEN), 1);
    world_check(world, "data", 0, 65536, 0x11);
    bench_free(&bench);
}

/* What was preserved has been written while its virtual drive was being closed, and the cache has
 * forgotten that since: it is told all the same. */
static void written_and_forgotten(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);
    struct ctl_world *world = bench.world;
    uint32_t from = 0;

    (void)state;
    bench_start(&bench);
    world->ctl->kept[world->ctl->kept_count++] =
        (struct cache_kept){.guid = {{7}}, .name = "data", .bytes = 65536};
    from = world->log_count;
    world_settle(world, 60 * SIM_SECOND);
    assert_int_equal(world_event_count(world, from, EVENT_WRITTEN), 1);
    assert_int_equal(world->ctl->kept_count, 0);
    bench_free(&bench);
}

/* Its drives are away: that is noted for when they come back, in another life of the agent as well.
 * A second command says that it is known. */
static void discarded_while_away(void **state)
{
    (void)state;
    for (uint32_t known = 0; known < 2; known++) {
        struct bench bench = died_dirty();
        struct ctl_world *world = bench.world;
        uint32_t from = 0;

        world->slots[0].absent = world->slots[1].absent = true;
        bench_start(&bench);
        assert_int_equal(discard(world, "data"), REASON_OK);
        assert_int_equal(cache_of(world).preserved_count, 0);
        assert_int_equal(cache_of(world).facts.dirty_bytes, 0);
        world_restart(world);
        if (known != 0) {
            assert_int_equal(discard(world, "data"), REASON_OK);
            assert_int_equal(discard(world, "data"), REASON_CACHE_NO_PRESERVED);
        }
        world->slots[0].absent = world->slots[1].absent = false;
        slot_arrive(world, 0);
        slot_arrive(world, 1);
        from = world->log_count;
        world_settle(world, 60 * SIM_SECOND);
        assert_int_equal(world_event_count(world, from, EVENT_LOST), known != 0 ? 0 : 1);
        assert_true(vd_of(world, "data").config->cache_lost == (known == 0));
        assert_int_equal(vd_of(world, "data").config->cache_discarded_bytes,
                         known != 0 ? 0 : 65536);
        from = world->log_count;
        world_restart(world);
        assert_int_equal(world_event_count(world, from, EVENT_LOST), 0); /* once is enough */
        assert_true(vd_of(world, "data").config->cache_lost == (known == 0));
        assert_int_equal(discard(world, "data"),
                         known != 0 ? REASON_CACHE_NO_PRESERVED : REASON_OK);
        world_restart(world);
        assert_false(vd_of(world, "data").config->cache_lost);
        bench_free(&bench);
    }
}

/* The log was void, its blocks are kept, and thrown away by command: that is a loss. */
static void discarded_by_command(void **state)
{
    struct bench bench = died_dirty();
    struct bench kept = {.memory = bench.memory};
    struct ctl_world *world = bench.world;

    (void)state;
    kept.memory.base = malloc(bench.memory.size_bytes);
    assert_non_null(kept.memory.base);
    memcpy(kept.memory.base, bench.memory.base, bench.memory.size_bytes);
    world->cache_memory = NULL; /* without the cache: they are lost, and the mark goes */
    world_start(world);
    assert_true(vd_of(world, "data").config->cache_lost);
    assert_int_equal(discard(world, "data"), REASON_OK);
    world_stop(world);
    memcpy(bench.memory.base, kept.memory.base, bench.memory.size_bytes);
    bench_start(&bench); /* with it again: of an earlier life */
    assert_int_equal(cache_of(world).preserved_count, 1);
    assert_false(vd_of(world, "data").config->cache_lost);
    assert_int_equal(discard(world, "data"), REASON_OK);
    assert_int_equal(cache_of(world).preserved_count, 0);
    assert_true(vd_of(world, "data").config->cache_lost);
    assert_int_equal(vd_of(world, "data").config->cache_discarded_bytes, 65536);
    world_restart(world);
    assert_int_equal(vd_of(world, "data").config->cache_discarded_bytes, 65536);
    assert_int_equal(discard(world, "data"), REASON_OK);
    assert_false(vd_of(world, "data").config->cache_lost);
    free(kept.memory.base);
    bench_free(&bench);
}

static struct uuid owner_of(const struct bench *bench)
{
    struct uuid owner;

    memcpy(&owner, bench->memory.base + (bench->memory.base[0] != 0 ? 0 : 4096) + 32,
           sizeof(owner));
    return owner;
}

/* The table of virtual drives is full of preserved ones. */
static void places_take(struct bench *bench, const struct uuid *owner)
{
    static uint8_t bytes[CACHE_BLOCK_BYTES];
    struct journal *journal = NULL;
    struct cache *cache = NULL;

    assert_int_equal(journal_open(&bench->memory, owner, owner, &journal), 0);
    assert_int_equal(cache_create(journal, NULL, &cache), 0);
    for (uint32_t i = 0; i < CACHE_VDS_MAX; i++) {
        const struct guid guid = {{9, 9, (uint8_t)i, (uint8_t)(i >> 8)}};
        struct cache_vd *vd = cache_vd_open(cache, &guid, 65536);

        assert_non_null(vd);
        cache_vd_pin(vd, false);
        assert_true(cache_write(vd, 1, 0, sizeof(bytes), bytes, 0));
        cache_vd_close(vd);
    }
    (void)cache_free(cache);
}

static void no_place_in_the_cache(void **state)
{
    struct bench bench = bench_of(MEMORY_KIND_PERSISTENT);
    struct ctl_world *world = bench.world;
    struct uuid owner;

    (void)state;
    bench_start(&bench); /* the medium is its own now */
    world_stop(world);
    owner = owner_of(&bench);
    places_take(&bench, &owner);
    world_start(world);
    create(world, "data", 0, WRITE_POLICY_WRITE_BACK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_CACHE_NO_PLACE);
    world_write(world, "data", 0, 65536, 0x33);
    world_check(world, "data", 0, 65536, 0x33);
    bench_free(&bench);
}

/* What one had in a medium that was exchanged is lost, also if it has no place in the new one. */
static void lost_and_no_place(void **state)
{
    struct bench bench = died_dirty();
    struct ctl_world *world = bench.world;
    struct uuid owner = owner_of(&bench);
    uint32_t from = world->log_count;

    (void)state;
    memset(bench.memory.base, 0, bench.memory.size_bytes);
    places_take(&bench, &owner);
    bench_start(&bench);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_CACHE_NO_PLACE);
    assert_true(vd_of(world, "data").config->cache_lost);
    assert_int_equal(world_event_count(world, from, EVENT_LOST), 1);
    bench_free(&bench);
}

static struct bench bench_with_battery(enum battery_kind kind)
{
    struct bench bench = bench_of(MEMORY_KIND_SHARED);

    bench.world->battery = (struct ctl_battery_options){.fitted = true,
                                                        .kind = kind,
                                                        .source = "ups@127.0.0.1:3493",
                                                        .speed = 1,
                                                        .shutdown_s = 60,
                                                        .profile = {.name = "plain",
                                                                    .model = "LSIiBBU01",
                                                                    .design_capacity_mah = 1500,
                                                                    .design_voltage_mv = 3700,
                                                                    .retention_s = 72 * 3600,
                                                                    .charge_s = 4 * 3600,
                                                                    .ready_percent = 60,
                                                                    .low_percent = 20,
                                                                    .worn_percent = 50,
                                                                    .hot_c = 55}};
    return bench;
}

static void stable_by_model(void **state)
{
    struct bench bench = bench_with_battery(BATTERY_KIND_EMULATED);
    struct ctl_world *world = bench.world;

    (void)state;
    world->slots[2].real = true;
    bench_start(&bench);
    world_settle(world, 6 * 3600 * SIM_SECOND); /* it charges */
    create(world, "data", 0, WRITE_POLICY_WRITE_BACK);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_true(cache_of(world).stable);
    assert_true(cache_of(world).survives_power_loss);
    create(world, "real", 2, WRITE_POLICY_WRITE_BACK); /* whose flush must reach its drives */
    assert_false(cache_of(world).stable);
    bench_free(&bench);
}

/* A UPS that will do for ten hours, and a virtual drive that is written back. */
static void write_back_by_ups(struct bench *bench, struct battery_reading *ret_reading)
{
    battery_reading_init(ret_reading);
    ret_reading->state = BATTERY_STATE_OPTIMAL;
    ret_reading->left_s = 36000;
    ret_reading->low_left_s = 60;
    bench_start(bench);
    ctl_battery_reading(bench->world->ctl, ret_reading);
    world_settle(bench->world, 30 * SIM_SECOND);
    create(bench->world, "data", 0, WRITE_POLICY_WRITE_BACK);
}

static void ups_low_in_mid_write(void **state)
{
    struct bench bench = bench_with_battery(BATTERY_KIND_UPS);
    struct ctl_world *world = bench.world;
    struct battery_reading reading;
    static uint8_t bytes[65536];

    (void)state;
    write_back_by_ups(&bench, &reading);
    expect_policy(world, "data", WRITE_POLICY_WRITE_BACK, REASON_AS_REQUESTED);
    assert_false(cache_of(world).stable); /* nobody has let it absorb a flush */
    memset(bytes, 0x44, sizeof(bytes));
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    assert_true(cache_of(world).facts.dirty_bytes > 0);
    reading.state = BATTERY_STATE_LOW;
    reading.left_s = 30;
    ctl_battery_reading(world->ctl, &reading);
    world_settle(world, SIM_SECOND);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_BATTERY_LOW);
    assert_int_equal(cache_of(world).facts.dirty_bytes, 0);
    world_write(world, "data", 65536, 65536, 0x55);
    assert_int_equal(cache_of(world).facts.dirty_bytes, 0);
    sim_world_power_off(world->sim, SIM_CUT_KEEP_ALL);
    world_power_down(world);
    memset(bench.memory.base, 0, bench.memory.size_bytes);
    bench_start(&bench);
    world_check(world, "data", 0, 65536, 0x44);
    world_check(world, "data", 65536, 65536, 0x55);
    bench_free(&bench);
}

/* The state is the same and the last reading has only just been shown: it counts none the less. */
static void too_little_time_left_is_acted_on_at_once(void **state)
{
    struct bench bench = bench_with_battery(BATTERY_KIND_UPS);
    struct ctl_world *world = bench.world;
    struct battery_reading reading;
    static uint8_t bytes[65536];

    (void)state;
    write_back_by_ups(&bench, &reading);
    ctl_battery_reading(world->ctl, &reading);
    world_settle(world, SIM_SECOND / 10);
    assert_int_equal(world_io(world, "data", VD_OP_WRITE, 0, sizeof(bytes), bytes), VD_STATUS_OK);
    assert_true(cache_of(world).facts.dirty_bytes > 0);
    reading.left_s = 61;
    ctl_battery_reading(world->ctl, &reading);
    world_settle(world, SIM_SECOND / 2);
    expect_policy(world, "data", WRITE_POLICY_WRITE_THROUGH, REASON_WRITE_POLICY_UPS_RUNTIME);
    assert_int_equal(cache_of(world).facts.dirty_bytes, 0);
    world_write(world, "data", 65536, 65536, 0x55);
    assert_int_equal(cache_of(world).facts.dirty_bytes, 0);
    bench_free(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medium_of_another_controller),
        cmocka_unit_test(damaged_medium),
        cmocka_unit_test(damaged_content_is_lost_and_said),
        cmocka_unit_test(damage_of_who_is_away),
        cmocka_unit_test(medium_gone_at_the_start),
        cmocka_unit_test(log_fails_while_it_is_used),
        cmocka_unit_test(nothing_charges_the_memory),
        cmocka_unit_test(members_missing_at_the_start),
        cmocka_unit_test(written_and_forgotten),
        cmocka_unit_test(discarded_while_away),
        cmocka_unit_test(discarded_by_command),
        cmocka_unit_test(no_place_in_the_cache),
        cmocka_unit_test(lost_and_no_place),
        cmocka_unit_test(stable_by_model),
        cmocka_unit_test(ups_low_in_mid_write),
        cmocka_unit_test(too_little_time_left_is_acted_on_at_once),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
