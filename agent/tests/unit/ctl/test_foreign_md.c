/*
 * Sets in md's own format: what stands in the way of taking them over, one thing after the other,
 * down to the last KiB of room.
 */
#include "ctl_world.h"

#include <string.h>

#include "md_world.h"

#define SIZE (96 * MIB)
#define SECTORS (SIZE / 512)
#define FITS UINT64_C(129024) /* sectors of a member: 96 MiB - 32 MiB - 1 MiB */

static const struct md_set raid5 = {
    .level = 5, .layout = 2, .chunk = 128, .count = 3, .offset = 2048, .sectors = FITS};

/* What is told of the set */

static struct reason refusal;
static char set_id[65];

static void told_set(void *context, const struct foreign_set_view *set)
{
    (void)context;
    assert_int_equal(set->format, FOREIGN_FORMAT_MD);
    assert_int_equal(set->outcome, set->refusal.code == REASON_OK ? FOREIGN_OUTCOME_OPTIMAL
                                                                  : FOREIGN_OUTCOME_REFUSED);
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
    char text[REASON_TEXT_MAX];

    (void)context;
    assert_int_equal(vd->imported_as != NULL, refusal.code == REASON_OK);
    if (refusal.code == REASON_OK) { /* what becomes of it is said before it is done */
        assert_string_equal(vd->imported_as, "data");
        (void)reason_text(&vd->reason, text, sizeof(text));
        assert_non_null(strstr(text, "The md superblocks are taken off"));
    }
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

/* Starts it, expects this reason in the preview, and of the import, which writes nothing; frees it.
 * REASON_OK: it could be imported (test_adopt.c). */
static void expect(struct ctl_world *world, enum reason_code code, const char *part)
{
    const struct ctl_foreign_visitor visitor = {told_set,    told_drive,   told_vd,
                                                told_member, told_damaged, NULL};
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};
    char text[REASON_TEXT_MAX];

    world_start(world);
    refusal.code = REASON_MAX;
    ctl_foreign(world->ctl, &visitor);
    text[0] = '\0';
    if (refusal.code != REASON_OK) {
        (void)reason_text(&refusal, text, sizeof(text));
    }
    if (refusal.code != code || strstr(text, part) == NULL) {
        fail_msg("%s: \"%s\" is not %s: \"%s\"", reason_code_word(refusal.code), text,
                 reason_code_word(code), part);
    }
    strcpy(command.args.foreign.controller, "c0");
    strcpy(command.args.foreign.set, set_id);
    if (code != REASON_OK) {
        assert_int_equal(world_run(world, &command), code);
        world_settle(world, SIM_SECOND);
    }
    command.op = CTL_OP_FOREIGN_CLEAR;
    assert_int_equal(world_run(world, &command), REASON_CONFIRM_NEEDED);
    for (uint32_t i = 0; i < MD_DRIVES; i++) {
        assert_int_equal(world->slots[i].drive->counters.writes, 0);
    }
    world_free(world);
}

static void test_table(void **state)
{
    static const struct {
        struct md_set set;
        enum reason_code code;
        const char *part;
    } cases[] = {
#define RAID5(...) {.level = 5, .layout = 2, .chunk = 128, .count = 3, .offset = 2048, __VA_ARGS__}
#define SIZED(l, n, s, ...)                                                                        \
    {.level = (l), .chunk = 128, .count = (n), .offset = 2048, .sectors = (s), __VA_ARGS__}
#define PLAIN(l, ...) SIZED(l, 4, FITS, __VA_ARGS__)
        {RAID5(.sectors = FITS), REASON_OK, ""},
        {RAID5(.sectors = FITS + 128), REASON_FOREIGN_MD_NO_ROOM,
         "has 32704 KiB free behind its data, and 32768 KiB are needed"},
        {RAID5(.sectors = SECTORS - 2048), REASON_FOREIGN_MD_NO_ROOM, "--size=64512"},
        {PLAIN(0), REASON_OK, ""},
        {{.level = 0, .chunk = 128, .count = 2, .offset = 2048, .sectors = FITS + 128},
         REASON_FOREIGN_MD_NO_ROOM_EVER,
         "32704 KiB"},
        {{.level = 1, .count = 2, .offset = 2048, .sectors = FITS}, REASON_OK, ""},
        {PLAIN(6, .layout = 10), REASON_OK, ""},
        {PLAIN(6, .layout = 2), REASON_FOREIGN_MD_LAYOUT, "RAID6 (left symmetric)"},
        {PLAIN(10, .layout = 0x102), REASON_OK, ""},
        {PLAIN(10, .layout = 0x103), REASON_FOREIGN_MD_LAYOUT, "RAID10 (near 3)"},
        {PLAIN(10, .layout = 0x201), REASON_FOREIGN_MD_LAYOUT, "RAID10 (far 2)"},
        {PLAIN(4), REASON_FOREIGN_MD_LAYOUT, "RAID4"},
        /* Nobody makes such sets, but superblocks can say anything. */
        {SIZED(1, 1, FITS, ), REASON_FOREIGN_UNSUPPORTED, "needs more drives"},
        {SIZED(5, 1, FITS, .layout = 2), REASON_FOREIGN_UNSUPPORTED, "needs more drives"},
        {SIZED(6, 1, FITS, .layout = 10), REASON_FOREIGN_UNSUPPORTED, "needs more drives"},
        {SIZED(6, 2, FITS, .layout = 10), REASON_FOREIGN_UNSUPPORTED, "needs more drives"},
        {SIZED(10, 1, FITS, .layout = 0x102), REASON_FOREIGN_UNSUPPORTED, "needs more drives"},
        {SIZED(1, 2, 0, ), REASON_FOREIGN_UNSUPPORTED, "is empty"},
        {SIZED(5, 4, 0, .layout = 2), REASON_FOREIGN_UNSUPPORTED, "is empty"},
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
        {RAID5(.sectors = FITS, .resyncing = true), REASON_FOREIGN_MD_BUSY, "resynchronization"},
        {RAID5(.sectors = FITS, .features = 4), REASON_FOREIGN_MD_BUSY, "a reshape"},
        {RAID5(.sectors = FITS, .features = 2), REASON_FOREIGN_MD_BUSY, "a rebuild"},
        {RAID5(.sectors = FITS, .features = 16), REASON_FOREIGN_MD_BUSY, "the replacement"},
        {RAID5(.sectors = FITS, .features = 1), REASON_FOREIGN_MD_EXTRA, "--bitmap=none"},
        {RAID5(.sectors = FITS, .features = 1, .bitmap = 8), REASON_OK, ""},
        {RAID5(.sectors = FITS, .features = 1, .bitmap = 8, .resyncing = true),
         REASON_FOREIGN_MD_BUSY, ""},
        {RAID5(.sectors = FITS, .features = 1, .bitmap = 2040), REASON_FOREIGN_MD_EXTRA, "bitmap"},
        {RAID5(.sectors = FITS, .features = 256), REASON_FOREIGN_MD_EXTRA, "newer versions"},
        {PLAIN(0, .features = 4096), REASON_OK, ""},
        {RAID5(.sectors = FITS, .features = 8), REASON_FOREIGN_MD_EXTRA, "bad blocks"},
        {RAID5(.sectors = FITS, .features = 512), REASON_FOREIGN_MD_EXTRA, "journal"},
        {RAID5(.sectors = FITS, .features = 1024), REASON_FOREIGN_MD_EXTRA, "parity log"},
        {RAID5(.sectors = FITS, .features = 2048), REASON_FOREIGN_MD_EXTRA, "parity log"},
    };

    (void)state;
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect(world_md(&cases[i].set, 10 + i, SIZE), cases[i].code, cases[i].part);
    }
}

/* A member that is missing, behind, or there twice; one that begins elsewhere. */
static void test_members(void **state)
{
    struct ctl_world *world = world_md(&raid5, 50, SIZE);
    struct md_set set = raid5;

    (void)state;
    world->slots[2].absent = true;
    expect(world, REASON_FOREIGN_MD_NOT_WHOLE, "complete it first");
    world = world_md(&raid5, 51, SIZE);
    md_member_put(world, 1, &raid5, 1, 75);
    expect(world, REASON_FOREIGN_MD_NOT_WHOLE, "");
    world = world_md(&raid5, 52, SIZE);
    md_member_put(world, 1, &raid5, 1,
                  76); /* md itself would take it, but which of them is right? */
    expect(world, REASON_FOREIGN_MD_NOT_WHOLE, "");
    world = world_md(&raid5, 53, SIZE);
    md_member_put(world, 3, &raid5, 1, 77);
    expect(world, REASON_FOREIGN_DAMAGED, "same place");
    world = world_md(&raid5, 54, SIZE);
    set.offset = 4096;
    md_member_put(world, 2, &set, 2, 77);
    expect(world, REASON_FOREIGN_MD_OFFSET, "sector 4096");
    /* A set of no members is none. */
    set = raid5;
    set.count = 0;
    world = world_md(&set, 55, SIZE);
    md_member_put(world, 0, &set, 0, 77);
    expect(world, REASON_FOREIGN_MD_NOT_WHOLE, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_members)};

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
