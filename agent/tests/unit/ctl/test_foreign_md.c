/*
 * Sets in md's own format: what stands in the way of taking them over, one thing after the other,
 * down to the last KiB of room.
 */
#include "ctl_world.h"

#include <string.h>

#include "base/bytes.h"
#include "meta/md_super.h"

#define SIZE (96 * MIB)
#define SECTORS (SIZE / 512)
#define FITS UINT64_C(129024) /* sectors of a member: 96 MiB - 32 MiB - 1 MiB */
#define DRIVES 4u

struct set {
    int32_t level;
    uint32_t layout, chunk, count;
    uint64_t offset, sectors;
    uint32_t features;
    bool resyncing;
};

static const struct set raid5 = {
    .level = 5, .layout = 2, .chunk = 128, .count = 3, .offset = 2048, .sectors = FITS};

static void block_seal(uint8_t block[MD_SUPER_BYTES])
{
    uint64_t sum = 0;
    uint32_t bytes = 256 + 2 * get_le32(block + 220);

    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        sum += get_le32(block + i);
    }
    put_le32(block + 216, (uint32_t)sum + (uint32_t)(sum >> 32));
}

static void member_put(struct ctl_world *world, uint32_t slot, const struct set *set, uint32_t role,
                       uint64_t events)
{
    uint8_t block[MD_SUPER_BYTES] = {0};
    uint64_t all = SECTORS - set->offset;

    put_le32(block, 0xA92B4EFC);
    put_le32(block + 4, 1);
    put_le32(block + 8, set->features);
    memset(block + 16, 0xA5, 16);
    memcpy(block + 32, "host:data", 9);
    put_le32(block + 72, (uint32_t)set->level);
    put_le32(block + 76, set->layout);
    put_le64(block + 80, set->level == 0 ? 0 : set->sectors);
    put_le32(block + 88, set->chunk);
    put_le32(block + 92, set->count);
    put_le64(block + 128, set->offset);
    put_le64(block + 136, set->level == 0 ? set->sectors : all);
    put_le32(block + 160, role);
    put_le64(block + 200, events);
    put_le64(block + 208, set->resyncing ? 0 : UINT64_MAX);
    put_le32(block + 220, 4);
    for (uint32_t i = 0; i < 4; i++) {
        put_le16(block + 256 + i * 2, (uint16_t)(i < set->count ? i : MD_ROLE_SPARE));
    }
    block_seal(block);
    sim_drive_poke(world->slots[slot].drive, MD_SUPER_OFFSET_BYTES, block, sizeof(block));
}

static struct ctl_world *world_md(const struct set *set, uint32_t first)
{
    struct ctl_world *world = world_new_sized(first, DRIVES, SIZE);

    for (uint32_t i = 0; i < DRIVES; i++) {
        world->slots[i].offered = true;
        world->slots[i].probed = true;
        world->slots[i].real = true;
        if (i < set->count) {
            member_put(world, i, set, i, 77);
        }
    }
    return world;
}

/* What is told of the set */

static struct reason refusal;
static char set_id[65];

static void told_set(void *context, const struct foreign_set_view *set)
{
    (void)context;
    assert_int_equal(set->format, FOREIGN_FORMAT_MD);
    assert_int_equal(set->outcome, FOREIGN_OUTCOME_REFUSED);
    refusal = set->refusal;
    (void)snprintf(set_id, sizeof(set_id), "%s", set->id);
}

static void told_drive(void *context, const struct foreign_drive_view *drive)
{
    (void)context;
    (void)drive;
}

static void told_vd(void *context, const struct foreign_vd_view *vd)
{
    (void)context;
    (void)vd;
}

static void told_member(void *context, const struct foreign_member_view *member)
{
    (void)context;
    (void)member;
}

static void told_damaged(void *context, const char *key, const struct reason *reason)
{
    (void)context;
    fail_msg("%s is damaged: %s", key, reason_code_word(reason->code));
}

/* Starts it, expects this reason in the preview, and no import whatever it is; frees it. */
static void expect(struct ctl_world *world, enum reason_code code, const char *part)
{
    const struct ctl_foreign_visitor visitor = {told_set,    told_drive,   told_vd,
                                                told_member, told_damaged, NULL};
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    char text[REASON_TEXT_MAX];

    world_start(world);
    refusal.code = REASON_OK;
    ctl_foreign(world->ctl, &visitor);
    (void)reason_text(&refusal, text, sizeof(text));
    if (refusal.code != code || strstr(text, part) == NULL) {
        fail_msg("%s: \"%s\" is not %s: \"%s\"", reason_code_word(refusal.code), text,
                 reason_code_word(code), part);
    }
    strcpy(command.args.foreign.controller, "c0");
    strcpy(command.args.foreign.set, set_id);
    assert_int_equal(world_run(world, &command), REASON_FOREIGN_MD_SHOWN_ONLY);
    for (uint32_t i = 0; i < DRIVES; i++) {
        assert_int_equal(world->slots[i].drive->counters.writes, 0);
    }
    world_free(world);
}

static void test_table(void **state)
{
    static const struct {
        struct set set;
        enum reason_code code;
        const char *part;
    } cases[] = {
#define RAID5(...) {.level = 5, .layout = 2, .chunk = 128, .count = 3, .offset = 2048, __VA_ARGS__}
#define PLAIN(l, ...)                                                                              \
    {.level = (l), .chunk = 128, .count = 4, .offset = 2048, .sectors = FITS, __VA_ARGS__}
        {RAID5(.sectors = FITS), REASON_FOREIGN_MD_WOULD_DO, "not taken over yet"},
        {RAID5(.sectors = FITS + 128), REASON_FOREIGN_MD_NO_ROOM,
         "has 32704 KiB free behind its data, and 32768 KiB are needed"},
        {RAID5(.sectors = SECTORS - 2048), REASON_FOREIGN_MD_NO_ROOM, "--size=64512"},
        {PLAIN(0), REASON_FOREIGN_MD_WOULD_DO, ""},
        {{.level = 0, .chunk = 128, .count = 2, .offset = 2048, .sectors = FITS + 128},
         REASON_FOREIGN_MD_NO_ROOM_EVER,
         "32704 KiB"},
        {{.level = 1, .count = 2, .offset = 2048, .sectors = FITS}, REASON_FOREIGN_MD_WOULD_DO, ""},
        {PLAIN(6, .layout = 10), REASON_FOREIGN_MD_WOULD_DO, ""},
        {PLAIN(6, .layout = 2), REASON_FOREIGN_MD_LAYOUT, "RAID6 (left symmetric)"},
        {PLAIN(10, .layout = 0x102), REASON_FOREIGN_MD_WOULD_DO, ""},
        {PLAIN(10, .layout = 0x103), REASON_FOREIGN_MD_LAYOUT, "RAID10 (near 3)"},
        {PLAIN(10, .layout = 0x201), REASON_FOREIGN_MD_LAYOUT, "RAID10 (far 2)"},
        {PLAIN(4), REASON_FOREIGN_MD_LAYOUT, "RAID4"},
        {PLAIN(-1), REASON_FOREIGN_MD_LAYOUT, "linear"},
        {{.level = 5, .layout = 0, .chunk = 128, .count = 3, .offset = 2048, .sectors = FITS},
         REASON_FOREIGN_MD_LAYOUT,
         "RAID5 (left asymmetric)"},
        {{.level = 5, .layout = 2, .chunk = 8, .count = 3, .offset = 2048, .sectors = FITS},
         REASON_FOREIGN_MD_LAYOUT,
         "strips of 8 sectors"},
        {{.level = 5, .layout = 2, .chunk = 96, .count = 3, .offset = 2048, .sectors = FITS - 96},
         REASON_FOREIGN_MD_LAYOUT,
         "strips of 96 sectors"},
        {{.level = 5, .layout = 2, .chunk = 128, .count = 3, .offset = 264, .sectors = FITS},
         REASON_FOREIGN_MD_OFFSET,
         "sector 264 of"},
        {RAID5(.sectors = FITS, .resyncing = true), REASON_FOREIGN_MD_BUSY, "resynchronisation"},
        {RAID5(.sectors = FITS, .features = 4), REASON_FOREIGN_MD_BUSY, "a reshape"},
        {RAID5(.sectors = FITS, .features = 2), REASON_FOREIGN_MD_BUSY, "a rebuild"},
        {RAID5(.sectors = FITS, .features = 16), REASON_FOREIGN_MD_BUSY, "the replacement"},
        {RAID5(.sectors = FITS, .features = 1), REASON_FOREIGN_MD_EXTRA, "--bitmap=none"},
        {RAID5(.sectors = FITS, .features = 8), REASON_FOREIGN_MD_EXTRA, "bad blocks"},
        {RAID5(.sectors = FITS, .features = 512), REASON_FOREIGN_MD_EXTRA, "journal"},
        {RAID5(.sectors = FITS, .features = 1024), REASON_FOREIGN_MD_EXTRA, "parity log"},
        {RAID5(.sectors = FITS, .features = 2048), REASON_FOREIGN_MD_EXTRA, "parity log"},
    };

    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(world_md(&cases[i].set, 10 + i), cases[i].code, cases[i].part);
    }
}

/* A member that is missing, behind, or there twice; one that begins elsewhere. */
static void test_members(void **state)
{
    struct ctl_world *world = world_md(&raid5, 50);
    struct set set = raid5;

    (void)state;
    world->slots[2].absent = true;
    expect(world, REASON_FOREIGN_MD_NOT_WHOLE, "complete it first");
    world = world_md(&raid5, 51);
    member_put(world, 1, &raid5, 1, 75);
    expect(world, REASON_FOREIGN_MD_NOT_WHOLE, "");
    world = world_md(&raid5, 52);
    member_put(world, 1, &raid5, 1, 76); /* as md itself would take it */
    expect(world, REASON_FOREIGN_MD_WOULD_DO, "");
    world = world_md(&raid5, 53);
    member_put(world, 3, &raid5, 1, 77);
    expect(world, REASON_FOREIGN_DAMAGED, "same place");
    world = world_md(&raid5, 54);
    set.offset = 4096;
    member_put(world, 2, &set, 2, 77);
    expect(world, REASON_FOREIGN_MD_OFFSET, "sector 4096");
    /* A set of no members is none. */
    set = raid5;
    set.count = 0;
    world = world_md(&set, 55);
    member_put(world, 0, &set, 0, 77);
    expect(world, REASON_FOREIGN_MD_NOT_WHOLE, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_members)};

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
