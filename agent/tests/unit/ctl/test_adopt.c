/*
 * Sets in md's own format, taken over in place: every level with content laid out as the kernel
 * does it, read through the virtual drive, whole and degraded; refusals that leave every byte; the
 * power cut at every write.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "drive/drive_layout.h"
#include "foreign_world.h"
#include "md_world.h"
#include "meta/ddf/ddf.h"

#define MINUTE (60 * SIM_SECOND)
#define CHUNK (64u * 1024u)
#define BLOCK 4096u
/* Of a drive of SIZE: 8 MiB are left if the private area is of the usual kind, 40 if compact. */
#define FEW (4 * MIB / 512)
#define MANY (12 * MIB / 512)

static const struct md_set mirror = {.level = 1, .count = 2, .offset = 2048, .sectors = FEW};

/* Content: every block of the array says where it is. */

static void block_fill(uint8_t *block, uint64_t offset)
{
    for (uint32_t i = 0; i < BLOCK; i += 8) {
        put_le64(block + i, (offset + i) * 0x9E3779B97F4A7C15u ^ offset);
    }
}

static void chunk_fill(uint8_t *chunk, uint64_t offset)
{
    for (uint32_t at = 0; at < CHUNK; at += BLOCK) {
        block_fill(chunk + at, offset + at);
    }
}

static void strip_poke(struct ctl_world *world, const struct md_set *set, uint64_t drive,
                       uint64_t row, const uint8_t *chunk)
{
    sim_drive_poke(world->slots[drive].drive, set->offset * 512 + row * CHUNK, chunk, CHUNK);
}

static uint8_t times_two(uint8_t value)
{
    return (uint8_t)(value << 1 ^ ((value & 0x80) != 0 ? 0x1D : 0));
}

/* drivers/md/raid5.c: data from behind P on; of RAID 6 N continue Q is before P, and a drive's
 * power is its number. */
static void parity_rows_poke(struct ctl_world *world, const struct md_set *set)
{
    static uint8_t strips[MD_DRIVES][CHUNK];
    uint32_t n = set->count;
    uint32_t data = set->level == 6 ? n - 2 : n - 1;

    for (uint64_t row = 0; row < set->sectors * 512 / CHUNK; row++) {
        uint32_t p = n - 1 - (uint32_t)(row % n);
        uint32_t q = set->level == 6 ? (p + n - 1) % n : n;

        memset(strips, 0, sizeof(strips));
        for (uint32_t d = 0; d < data; d++) {
            chunk_fill(strips[(p + 1 + d) % n], (row * data + d) * CHUNK);
        }
        for (uint32_t i = 0; i < CHUNK; i++) {
            uint8_t sum = 0;
            uint8_t power = 0;

            for (uint32_t d = n; d > 0; d--) {
                uint8_t value = d - 1 == p || d - 1 == q ? 0 : strips[d - 1][i];

                sum ^= value;
                power = (uint8_t)(times_two(power) ^ value);
            }
            strips[p][i] = sum;
            if (q < n) {
                strips[q][i] = power;
            }
        }
        for (uint32_t d = 0; d < n; d++) {
            strip_poke(world, set, d, row, strips[d]);
        }
    }
}

/* drivers/md/raid10.c, near copies; RAID 0 has one, RAID 1 as many as drives. */
static void copies_poke(struct ctl_world *world, const struct md_set *set)
{
    static uint8_t chunk[CHUNK];
    uint32_t copies = set->level == 0 ? 1 : set->level == 1 ? set->count : set->layout & 0xFF;
    uint64_t strips = set->sectors * 512 / CHUNK * set->count;

    for (uint64_t at = 0; at < strips; at++) {
        chunk_fill(chunk, at / copies * CHUNK);
        strip_poke(world, set, at % set->count, at / set->count, chunk);
    }
}

static struct ctl_world *world_content(const struct md_set *set, uint64_t seed)
{
    struct ctl_world *world = world_md(set, seed, SIZE);

    if (set->level == 5 || set->level == 6) {
        parity_rows_poke(world, set);
    } else {
        copies_poke(world, set);
    }
    return world;
}

static void content_check(struct ctl_world *world, const char *name)
{
    static uint8_t buffer[CHUNK];
    static uint8_t expected[CHUNK];
    struct virtual_drive_view vd;

    assert_true(world_vd(world, name, &vd, NULL));
    for (uint64_t at = 0; at + CHUNK <= vd.config->size_bytes; at += CHUNK) {
        assert_int_equal(world_io(world, name, VD_OP_READ, at, CHUNK, buffer), VD_STATUS_OK);
        chunk_fill(expected, at);
        if (memcmp(buffer, expected, CHUNK) != 0) {
            fail_msg("%s differs at %llu", name, (unsigned long long)at);
        }
    }
}

/* What is on a drive that others could find it by. */

static bool super_is_there(const struct ctl_world *world, uint32_t slot)
{
    uint8_t magic[4];

    sim_drive_peek_durable(world->slots[slot].drive, MD_SUPER_OFFSET_BYTES, magic, sizeof(magic));
    return get_le32(magic) == 0xA92B4EFC;
}

static bool ddf_is_there(const struct ctl_world *world, uint32_t slot)
{
    uint8_t sector[512];
    struct ddf_header anchor;
    const char *why = NULL;

    sim_drive_peek_durable(world->slots[slot].drive, SIZE - 512, sector, sizeof(sector));
    return ddf_anchor_decode(sector, SIZE / 512, &anchor, &why) == 0;
}

static void expect_marks(const struct ctl_world *world, uint32_t count, bool supers)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(super_is_there(world, i) == supers);
        assert_true(ddf_is_there(world, i) != supers);
    }
}

/* Levels */

static const struct {
    struct md_set set;
    uint64_t size_bytes;
    uint32_t lost; /* so many may be */
} levels[] = {
#define SET(l, n, ...) {.level = (l), .count = (n), .offset = 2048, .chunk = 128, __VA_ARGS__}
    {SET(0, 3, .sectors = FEW), 12 * MIB, 0},
    {SET(0, 2, .sectors = MANY), 24 * MIB, 0},
    {{.level = 1, .count = 2, .offset = 2048, .sectors = FEW}, 4 * MIB, 1},
    {{.level = 1, .count = 3, .offset = 6144, .sectors = MANY}, 12 * MIB, 2},
    {{.level = 1, .count = 2, .offset = 2048, .sectors = FEW + 3}, 4 * MIB + 3 * 512, 1},
    {SET(5, 3, .layout = 2, .sectors = FEW), 8 * MIB, 1},
    {SET(5, 4, .layout = 2, .sectors = MANY, .features = 1, .bitmap = 8), 36 * MIB, 1},
    {SET(6, 4, .layout = 10, .sectors = MANY), 24 * MIB, 2},
    {SET(10, 4, .layout = 0x102, .sectors = MANY), 24 * MIB, 1},
    {SET(10, 3, .layout = 0x102, .sectors = FEW), 6 * MIB, 1},
    {SET(10, 2, .layout = 0x102, .sectors = FEW), 4 * MIB, 1},
    {SET(10, 3, .layout = 0x103, .sectors = FEW), 4 * MIB, 2},
};

/* The rest of the block is as it was. */
static void super_is_gone(const struct ctl_world *world, const struct md_set *set, uint32_t slot)
{
    struct ctl_world *other = world_md(set, 1, SIZE);
    uint8_t before[MD_SUPER_BYTES];
    uint8_t now[MD_SUPER_BYTES];

    sim_drive_peek(other->slots[slot].drive, MD_SUPER_OFFSET_BYTES, before, sizeof(before));
    sim_drive_peek(world->slots[slot].drive, MD_SUPER_OFFSET_BYTES, now, sizeof(now));
    memset(before, 0, 512);
    assert_memory_equal(before, now, sizeof(now));
    world_free(other);
}

static void test_levels(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        const struct md_set *set = &levels[i].set;
        struct ctl_world *world = world_content(set, 10 + i);
        struct virtual_drive_view vd;

        world_start(world);
        expect_told(world, "md host:data");
        expect_told(world, "S00=online/member");
        expect_told(world, "as data:");
        assert_int_equal(import(world, look(world)->digest), REASON_OK);
        assert_int_equal(world_event_count(world, 0, 219), 1);
        assert_string_equal(look(world)->text, "");
        assert_true(world_vd(world, "data", &vd, NULL));
        assert_true(vd.config->size_bytes == levels[i].size_bytes);
        assert_true(vd.config->extent_start_bytes == set->offset * 512);
        content_check(world, "data");
        for (uint32_t slot = 0; slot < set->count; slot++) {
            super_is_gone(world, set, slot);
        }
        world_restart(world);
        assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
        assert_int_equal(world_drive_state(world, 0), DRIVE_STATE_ONLINE);
        expect_marks(world, set->count, false);
        content_check(world, "data");
        for (uint32_t lost = 0; lost < levels[i].lost; lost++) {
            slot_depart(world, lost);
            world_settle(world, SIM_SECOND);
            content_check(world, "data");
        }
        world_free(world);
    }
}

/* What was written is still there after it; and it goes on like any other group. */
static void test_life(void **state)
{
    struct ctl_world *world = world_content(&levels[6].set, 30);
    struct virtual_drive_view vd;

    (void)state;
    world_start(world);
    assert_int_equal(import(world, ""), REASON_OK);
    world_write(world, "data", 36 * MIB - DATA, DATA, 0x21);
    slot_depart(world, 2);
    world_settle(world, SIM_SECOND);
    world_write(world, "data", 0, DATA, 0x34);
    world_restart(world);
    world_settle(world, 10 * MINUTE);
    assert_true(world_vd(world, "data", &vd, NULL));
    assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_OPTIMAL); /* it came back with the start */
    world_check(world, "data", 0, DATA, 0x34);
    world_check(world, "data", 36 * MIB - DATA, DATA, 0x21);
    /* To another controller, by its labels and by its DDF metadata. */
    memory_lose(world);
    world_start(world);
    assert_int_equal(import(world, look(world)->digest), REASON_OK);
    world_check(world, "data", 0, DATA, 0x34);
    assert_int_equal(world_delete(world, "data"), REASON_OK);
    world_restart(world);
    assert_string_equal(look(world)->text, "");
    world_free(world);
}

/* Its private areas are where the old end of the drive has them. */
static void test_grown(void **state)
{
    const struct md_set *set = &levels[3].set;
    struct ctl_world *world = world_content(set, 31);
    struct virtual_drive_view vd;
    struct sim_drive *small = NULL;
    static uint8_t buffer[MIB];

    (void)state;
    world_start(world);
    assert_int_equal(import(world, ""), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 10 * MINUTE));
    for (uint32_t i = 0; i < 2; i++) {
        world_stop(world);
        small = world->slots[1].drive;
        world->slots[1].options.size_bytes += 600 * MIB;
        world->slots[1].drive = sim_drive_create(world->sim, &world->slots[1].options);
        for (uint64_t at = 0; at < small->options.size_bytes; at += MIB) {
            sim_drive_peek(small, at, buffer, MIB);
            sim_drive_poke(world->slots[1].drive, at, buffer, MIB);
        }
        world_start(world);
        assert_true(world_vd(world, "data", &vd, NULL));
        assert_int_equal(vd.state, VIRTUAL_DRIVE_STATE_OPTIMAL);
        assert_int_equal(world_drive_state(world, 1), DRIVE_STATE_ONLINE);
        content_check(world, "data");
    }
    world_free(world);
}

/* A spare of the set stays what it is. */
static void test_spare_left(void **state)
{
    struct ctl_world *world = world_content(&levels[5].set, 40);
    struct md_set spare = levels[5].set;

    (void)state;
    md_member_put(world, 3, &spare, 3, 77);
    world_start(world);
    expect_told(world, "S03=spare/left");
    assert_int_equal(import(world, ""), REASON_OK);
    assert_true(super_is_there(world, 3));
    expect_marks(world, 3, false);
    expect_told(world, "md host:data refused foreign_md_left");
    world_free(world);
}

/* Refusals of the import itself: every byte is left. */

static void refused(struct ctl_world *world, enum reason_code code, uint64_t sum)
{
    assert_int_equal(import(world, ""), code);
    world_settle(world, 20 * SIM_SECOND);
    assert_true(drives_sum(world) == sum);
    assert_false(world->slots[0].claimed);
    assert_int_equal(world_count(world, OBJECT_KIND_DRIVE_GROUP), 0);
}

static void test_refusals(void **state)
{
    struct ctl_world *world = world_content(&mirror, 50);
    uint64_t sum = drives_sum(world);
    uint8_t sector[512];

    (void)state;
    world_start(world);
    assert_int_equal(import(world, "00"), REASON_FOREIGN_CHANGED);
    /* An array that runs is held by the kernel. */
    world->slots[1].claim_error = -EBUSY;
    world->slots[1].claim_reason = REASON_DRIVE_UNSUITABLE_MOUNTED;
    refused(world, REASON_DRIVE_IN_USE, sum);
    world->slots[1].claim_error = 0;
    /* It has run since it was looked at. */
    md_member_put(world, 1, &mirror, 1, 78);
    sum = drives_sum(world);
    refused(world, REASON_FOREIGN_CHANGED, sum);
    memset(sector, 0xEE, sizeof(sector));
    sim_drive_poke(world->slots[1].drive, MD_SUPER_OFFSET_BYTES, sector, sizeof(sector));
    sum = drives_sum(world);
    refused(world, REASON_FOREIGN_CHANGED, sum);
    md_member_put(world, 1, &mirror, 1, 77);
    assert_int_equal(import(world, ""), REASON_OK);
    content_check(world, "data");
    world_free(world);
}

static void region_copy(struct ctl_world *from, struct ctl_world *to, uint64_t offset,
                        uint64_t bytes)
{
    uint8_t *buffer = malloc(bytes);

    sim_drive_peek_durable(from->slots[0].drive, offset, buffer, bytes);
    sim_drive_poke(to->slots[1].drive, offset, buffer, bytes);
    free(buffer);
}

/* A label of another Arraywright, or DDF metadata, beside md's superblock: whose is the drive? */
static void test_marked(void **state)
{
    (void)state;
    for (int source = BY_LABELS; source <= BY_BOTH; source++) {
        struct ctl_world *other = world_foreign(60, RAID_LEVEL_1, 2, (enum source)source);
        struct ctl_world *world = world_content(&mirror, 61);
        uint64_t sum = 0;

        world_start(world);
        if (source != BY_DDF) {
            region_copy(other, world, drive_layout_usable_bytes(SIZE), MIB);
        }
        if (source != BY_LABELS) {
            region_copy(other, world, SIZE - DRIVE_DDF_BYTES, DRIVE_DDF_BYTES);
        }
        sum = drives_sum(world);
        refused(world, REASON_FOREIGN_MD_MARKED, sum);
        world_free(world);
        world_free(other);
    }
}

/* A copy of a member that comes later is known for what it is. */
static void test_copy_later(void **state)
{
    struct ctl_world *world = world_content(&mirror, 70);
    uint64_t sum = 0;

    (void)state;
    world_start(world);
    assert_int_equal(import(world, ""), REASON_OK);
    md_member_put(world, 2, &mirror, 0, 77);
    md_member_put(world, 3, &mirror, 1, 77);
    world->slots[2].absent = world->slots[3].absent = false;
    slot_depart(world, 2);
    slot_depart(world, 3);
    world_settle(world, SIM_SECOND);
    slot_arrive(world, 2);
    slot_arrive(world, 3);
    world_settle(world, MINUTE);
    sum = drives_sum(world);
    expect_told(world, "refused foreign_md_left");
    assert_int_equal(import(world, ""), REASON_FOREIGN_MD_LEFT);
    world_settle(world, SIM_SECOND);
    assert_true(drives_sum(world) == sum);
    content_check(world, "data");
    world_free(world);
}

/* A superblock that cannot be written over stays; that is said, and the set runs. */

static void super_break(void *context, struct sim_drive *drive, const struct io_request *request)
{
    const struct sim_fault fault = {
        .kind = SIM_FAULT_WRITE, .offset_bytes = MD_SUPER_OFFSET_BYTES, .length_bytes = 512};

    (void)context;
    if (request->op == IO_OP_WRITE && request->offset_bytes == MD_SUPER_OFFSET_BYTES) {
        assert_true(sim_drive_fault_add(drive, &fault));
        drive->on_submit = NULL;
    }
}

static void test_super_left(void **state)
{
    struct ctl_world *world = world_content(&mirror, 80);

    (void)state;
    world_start(world);
    world->slots[1].drive->on_submit = super_break;
    assert_int_equal(import(world, ""), REASON_OK);
    assert_int_equal(world_event_count(world, 0, 60211), 1);
    assert_false(super_is_there(world, 0));
    assert_true(super_is_there(world, 1));
    content_check(world, "data");
    world_restart(world);
    content_check(world, "data");
    assert_int_equal(world_event_count(world, 0, 60211), 1);
    world_free(world);
}

/* The power goes before the superblocks do, and a drive does not come back with it: that is said,
 * and it is told apart when it comes. */

static bool reached;

static void on_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

static void strip_seen(void *context, struct sim_drive *drive, const struct io_request *request)
{
    (void)context;
    (void)drive;
    reached =
        reached || (request->op == IO_OP_WRITE && request->offset_bytes == MD_SUPER_OFFSET_BYTES);
}

static void test_drive_stays_away(void **state)
{
    struct ctl_world *world = world_content(&mirror, 85);
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    bool done = false;
    uint32_t from = 0;

    (void)state;
    world_start(world);
    strcpy(command.args.foreign.set, look(world)->id);
    command.complete = on_done;
    command.owner = &done;
    reached = false;
    world->slots[0].drive->on_submit = strip_seen;
    ctl_execute(world->ctl, &command);
    while (!reached) {
        assert_true(sim_world_step(world->sim));
    }
    world->slots[0].drive->on_submit = NULL;
    sim_world_power_off(world->sim, SIM_CUT_DROP_ALL);
    world_power_down(world);
    from = world->log_count; /* what was said without power is nothing */
    world->slots[1].absent = true;
    world_start(world);
    assert_int_equal(world_event_count(world, from, 60211), 1);
    assert_false(super_is_there(world, 0));
    assert_true(super_is_there(world, 1));
    world_settle(world, MINUTE); /* it is not waited for for ever */
    world_write(world, "data", 0, DATA, 0x47);
    world->slots[1].absent = false;
    slot_arrive(world, 1);
    world_settle(world, 10 * MINUTE);
    world_check(world, "data", 0, DATA, 0x47);
    super_is_gone(world, &mirror, 1);
    assert_int_equal(world_event_count(world, from, 60250), 1);
    world_restart(world);
    assert_int_equal(world_event_count(world, from, 60211), 1);
    assert_int_equal(world_event_count(world, from, 60250), 1);
    world_check(world, "data", 0, DATA, 0x47);
    world_free(world);
}

/* All or nothing */

static char old_text[16384], new_text[16384], now_text[16384];

static void describe(struct ctl_world *world, char out[16384])
{
    size_t length = 0;

    all_look(world);
    world_settle(world, 3 * MINUTE);
    world_describe(world, out, 16384);
    length = strlen(out);
    (void)snprintf(out + length, 16384 - length, "%s %s", look(world)->text, look(world)->digest);
}

/* Without us, whoever looks at the drives finds the set by md's superblock or by DDF metadata: at
 * no moment by neither, nor by DDF metadata alone on a drive while others have not got any. */
static void marks_check(const struct ctl_world *world, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!super_is_there(world, i)) {
            for (uint32_t k = 0; k < count; k++) {
                assert_true(ddf_is_there(world, k));
            }
        }
    }
}

/* at: UINT64_MAX: never. True when it got through before. */
static bool cut_at(void *what, uint64_t at, enum sim_cut cut)
{
    const struct md_set *set = what;
    struct ctl_world *world = world_content(set, 90);
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    bool acknowledged = false;

    world_start(world);
    describe(world, old_text);
    strcpy(command.args.foreign.set, look(world)->id);
    if (at == UINT64_MAX) {
        assert_int_equal(world_run(world, &command), REASON_OK);
        describe(world, new_text);
        assert_string_not_equal(old_text, new_text);
    } else {
        bool old = false;

        acknowledged = world_run_cut(world, &command, at, cut);
        marks_check(world, set->count);
        world_power_cycle(world);
        describe(world, now_text);
        old = strcmp(now_text, old_text) == 0;
        if (strcmp(now_text, new_text) != 0 && (acknowledged || !old)) {
            fail_msg("cut %d at %llu, acknowledged %d:\n%s\nold:\n%s\nnew:\n%s", (int)cut,
                     (unsigned long long)at, acknowledged, now_text, old_text, new_text);
        }
        expect_marks(world, set->count, old);
        if (old) {
            assert_int_equal(import(world, ""), REASON_OK); /* and it can be had again */
        }
    }
    content_check(world, "data");
    world_free(world);
    return acknowledged;
}

static void test_cut(void **state)
{
    static struct {
        struct md_set set;
        uint32_t step;
    } sets[] = {
        {{.level = 1, .count = 2, .offset = 2048, .sectors = 1 * MIB / 512}, 1},
        {SET(0, 2, .sectors = 9 * MIB / 512), 5}, /* compact */
        {SET(5, 3, .layout = 2, .sectors = 9 * MIB / 512), 7},
    };
    uint32_t points = 0;

    (void)state;
    for (uint32_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        (void)cut_at(&sets[i].set, UINT64_MAX, SIM_CUT_RATE); /* for new_text */
        for (uint32_t cut = 0; cut < SIM_CUT_MAX; cut++) {
            points += world_cut_along(cut_at, &sets[i].set, (enum sim_cut)cut, sets[i].step);
        }
    }
    world_cuts_suffice("import of md's own", points, 100);
}

/* A member dies at the n-th step: refused and taken back, or taken over. */
static void test_pulled(void **state)
{
    for (uint32_t steps = 1; steps < 400; steps += 23) {
        struct ctl_world *world = world_content(&mirror, 95);
        enum reason_code code = REASON_OK;

        (void)state;
        world_start(world);
        world->pull_slot = 1;
        world->pull_after_steps = steps;
        code = import(world, "");
        world_settle(world, MINUTE);
        if (code == REASON_OK) {
            content_check(world, "data");
        } else {
            assert_int_equal(world_count(world, OBJECT_KIND_DRIVE_GROUP), 0);
            expect_told(world, "refused foreign_md_not_whole");
            assert_true(super_is_there(world, 0));
            assert_false(ddf_is_there(world, 0));
        }
        world_free(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_grown),
        cmocka_unit_test(test_spare_left),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_marked),
        cmocka_unit_test(test_copy_later),
        cmocka_unit_test(test_super_left),
        cmocka_unit_test(test_drive_stays_away),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_pulled),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
