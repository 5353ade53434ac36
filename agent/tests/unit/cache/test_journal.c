/*
 * The journal's medium in memory: what is refused and left as it is, descriptors that cannot be
 * trusted, and too little memory of our own.
 */
#include "aw_test.h"

#include <string.h>

#include "base/bytes.h"
#include "base/crc.h"
#include "cache/journal_private.h"
#include "scarce_memory.h"

#define FRAMES 20u
#define SUPER_AT(slot) ((slot) * 4096u)
#define DESCRIPTORS 8192u

static const struct uuid owner = {{1}};
static const struct uuid fresh = {{2}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

struct medium {
    struct memory_port port;
    struct journal *journal;
    uint32_t entries, damaged, damaged_known; /* of the last replay */
};

static void medium_make(struct medium *medium, uint64_t size_bytes)
{
    *medium = (struct medium){
        .port = {.ops = &plain_ops, .kind = MEMORY_KIND_SHARED, .size_bytes = size_bytes}};
    medium->port.base = aligned_alloc(4096, (size_bytes + 4095) / 4096 * 4096);
    assert_non_null(medium->port.base);
    memset(medium->port.base, 0, size_bytes);
}

static int medium_open(struct medium *medium)
{
    return journal_open(&medium->port, &owner, &fresh, &medium->journal);
}

static void medium_end(struct medium *medium)
{
    medium->journal = journal_close(medium->journal);
    assert_null(medium->journal);
    free(medium->port.base);
}

static void test_a_medium_too_small_is_refused(void **state UNUSED)
{
    const uint64_t sizes[] = {4096, 8192, 8192 + 4160, 8192 + 4200,
                              journal_size_bytes(JOURNAL_FRAMES_MIN) - 1};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct medium medium;

        medium_make(&medium, sizes[i]);
        assert_int_equal(medium_open(&medium), -ENOSPC);
        assert_null(medium.journal);
        medium_end(&medium);
    }
}

/* Both super-blocks, with a checksum that holds. */
static void supers_change(struct medium *medium, uint32_t version, uint32_t frames,
                          uint64_t size_bytes)
{
    for (uint32_t slot = 0; slot < 2; slot++) {
        uint8_t *super = medium->port.base + SUPER_AT(slot);

        put_le32(super + 8, version);
        put_le32(super + 12, frames);
        put_le64(super + 56, size_bytes);
        put_le32(super + 92, crc32c(0, super, 92));
    }
}

static void test_super_blocks_that_make_no_sense_are_refused(void **state UNUSED)
{
    const uint64_t size = journal_size_bytes(FRAMES);
    const struct {
        uint32_t version, frames;
        uint64_t size_bytes;
        int error;
    } cases[] = {
        {2, FRAMES, size, -EPROTONOSUPPORT},
        {1, JOURNAL_FRAMES_MIN - 1, size, -EBADMSG},
        {1, 0, size, -EBADMSG},
        {1, JOURNAL_FRAMES_MAX + 1, size, -EBADMSG},
        {1, FRAMES, size - 4096, -ERANGE},
        {1, FRAMES, size + 4096, -ERANGE},
        {1, FRAMES + 1, size, -ERANGE}, /* more than fit */
        {1, FRAMES - 1, size, 0},       /* fewer do no harm */
    };
    struct medium medium;
    uint8_t *before = malloc(size);

    assert_non_null(before);
    medium_make(&medium, size);
    for (uint32_t i = 0; i < 2; i++) { /* so that both slots are used */
        assert_int_equal(medium_open(&medium), 0);
        medium.journal = journal_close(medium.journal);
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        supers_change(&medium, cases[i].version, cases[i].frames, cases[i].size_bytes);
        memcpy(before, medium.port.base, size);
        assert_int_equal(medium_open(&medium), cases[i].error);
        if (cases[i].error != 0) {
            assert_memory_equal(before, medium.port.base, size);
        } else {
            assert_int_equal(journal_frame_count(medium.journal), cases[i].frames);
        }
    }
    free(before);
    medium_end(&medium);
}

/* No super-block, but somebody's bytes: before where the descriptors go, and there. */
static void test_what_is_not_blank_is_refused(void **state UNUSED)
{
    const uint64_t size = journal_size_bytes(FRAMES);
    const uint64_t places[] = {0, 4095, SUPER_AT(1) + 7, SUPER_AT(1) + 96, DESCRIPTORS - 1};
    uint8_t *before = malloc(size);

    assert_non_null(before);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct medium medium;

        medium_make(&medium, size);
        medium.port.base[places[i]] = 1;
        memcpy(before, medium.port.base, size);
        assert_int_equal(medium_open(&medium), -EBADMSG);
        assert_memory_equal(before, medium.port.base, size);
        medium_end(&medium);
    }
    free(before);
}

/* Descriptors */

/* As journal.c makes it. */
static void word_make(uint8_t *descriptor, uint8_t type)
{
    uint32_t crc = crc32c(type, descriptor + 8, 56);

    put_le64(descriptor, (uint64_t)type |
                             (get_le64(descriptor + 8) & ((UINT64_C(1) << 40) - 1)) << 8 |
                             (uint64_t)(uint16_t)(crc ^ crc >> 16) << 48);
}

static void descriptor_make(uint8_t descriptor[64], uint8_t type, uint64_t sequence, uint64_t block,
                            uint8_t dirty)
{
    memset(descriptor, 0, 64);
    put_le64(descriptor + 8, sequence);
    put_le64(descriptor + 16, block);
    descriptor[52] = dirty;
    word_make(descriptor, type);
}

static void test_which_descriptors_are_sound(void **state UNUSED)
{
    const uint64_t beyond = UINT64_C(1) << 50;
    uint8_t descriptor[64];

    descriptor_make(descriptor, JOURNAL_DATA, 7, beyond - 1, 1);
    assert_true(descriptor_is_sound(descriptor));
    descriptor_make(descriptor, JOURNAL_DATA, 7, beyond, 1);
    assert_false(descriptor_is_sound(descriptor));
    descriptor_make(descriptor, JOURNAL_INTENT, 7, beyond, 1); /* its owner's number */
    assert_true(descriptor_is_sound(descriptor));
    descriptor_make(descriptor, JOURNAL_FREE, 7, 3, 1);
    assert_false(descriptor_is_sound(descriptor));
    descriptor_make(descriptor, JOURNAL_TYPE_MAX, 7, 3, 1);
    assert_false(descriptor_is_sound(descriptor));
    descriptor_make(descriptor, JOURNAL_DATA, 0, 3, 1);
    assert_false(descriptor_is_sound(descriptor));
    descriptor_make(descriptor, JOURNAL_DATA, 7, 3, 0);
    assert_false(descriptor_is_sound(descriptor));
    for (uint32_t bit = 8; bit < 64 * 8; bit++) {
        descriptor_make(descriptor, JOURNAL_DATA, 7, 3, 0x80);
        descriptor[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(descriptor_is_sound(descriptor));
    }
}

static void seen(void *context, uint32_t frame UNUSED, const struct frame_entry *entry)
{
    struct medium *medium = context;

    assert_int_equal(entry->type, JOURNAL_DATA);
    medium->entries++;
}

static void seen_damaged(void *context, uint32_t frame UNUSED, const struct frame_entry *entry)
{
    struct medium *medium = context;

    medium->damaged++;
    medium->damaged_known += entry->type != JOURNAL_FREE ? 1u : 0u;
}

/* Whoever replays need not want to be told in advance. */
static void test_replay_tells_damage_from_content(void **state UNUSED)
{
    struct medium medium;
    struct journal_visitor visitor = {
        .entry = seen, .damaged = seen_damaged, .soon = NULL, .context = &medium};

    medium_make(&medium, journal_size_bytes(FRAMES));
    assert_int_equal(medium_open(&medium), 0);
    for (uint32_t frame = 0; frame < 4; frame++) {
        struct frame_entry entry = {.type = JOURNAL_DATA, .block = frame, .dirty = 0x11};

        journal_publish(medium.journal, frame, &entry);
    }
    medium.journal = journal_close(medium.journal);
    medium.port.base[DESCRIPTORS + 64 + 20] ^= 1;                 /* of frame 1, the descriptor */
    medium.port.base[journal_frames_offset(FRAMES) + 2 * 4096] ^= 1; /* of 2, a dirty sector */
    medium.port.base[journal_frames_offset(FRAMES) + 3 * 4096 + 600] ^= 1; /* of 3, a clean one */
    assert_int_equal(medium_open(&medium), 0);
    journal_replay(medium.journal, &visitor);
    assert_int_equal(medium.entries, 2);
    assert_int_equal(medium.damaged, 2);
    assert_int_equal(medium.damaged_known, 1);
    medium_end(&medium);
}

static void medium_reopen(struct medium *medium)
{
    medium->journal = journal_close(medium->journal);
    assert_int_equal(medium_open(medium), 0);
}

static void test_notes_of_groups(void **state UNUSED)
{
    const struct guid group = {{1}};
    const struct guid other = {{2}};
    struct medium medium;

    medium_make(&medium, journal_size_bytes(FRAMES));
    assert_int_equal(medium_open(&medium), 0);
    journal_note(medium.journal, &group, 5);
    journal_note(medium.journal, &other, 7);
    journal_note(medium.journal, &group, 6);
    assert_int_equal(journal_found_note(medium.journal, &group), 0); /* as it was when opened */
    medium_reopen(&medium);
    assert_int_equal(journal_found_note(medium.journal, &group), 6);
    assert_int_equal(journal_found_note(medium.journal, &other), 7);
    journal_note(medium.journal, &group, 0);
    medium_reopen(&medium);
    assert_int_equal(journal_found_note(medium.journal, &group), 0);
    assert_int_equal(journal_found_note(medium.journal, &other), 7);
    for (uint32_t i = 0; i < 300; i++) { /* what finds no room is not known */
        const struct guid many = {{3, (uint8_t)i, (uint8_t)(i >> 8)}};

        journal_note(medium.journal, &many, i + 1);
    }
    medium_reopen(&medium);
    assert_int_equal(journal_found_note(medium.journal, &other), 7);
    medium_end(&medium);
}

/* What is damaged says nothing, and nothing is told of a medium whose newest super-block may be. */
static void test_notes_that_are_damaged(void **state UNUSED)
{
    const struct guid group = {{1}};

    for (uint32_t at = 0; at < 3; at++) {
        struct medium medium;

        medium_make(&medium, journal_size_bytes(FRAMES));
        assert_int_equal(medium_open(&medium), 0);
        journal_note(medium.journal, &group, 5);
        journal_note(medium.journal, &group, 6);
        medium.journal = journal_close(medium.journal);
        for (uint32_t slot = 0; slot < 2 && at == 0; slot++) {
            medium.port.base[SUPER_AT(slot) + 512 + 9] ^= 1; /* the notes of both */
        }
        if (at > 0) {
            medium.port.base[SUPER_AT(at - 1) + 16] ^= 1; /* a super-block */
        }
        assert_int_equal(medium_open(&medium), 0);
        assert_int_equal(journal_found_note(medium.journal, &group), 0);
        assert_true(at == 0 || journal_found_stamp(medium.journal) == UINT64_MAX);
        medium_end(&medium);
    }
}

static void test_without_memory_it_is_not_opened(void **state UNUSED)
{
    struct medium medium;
    uint32_t failures = 0;

    medium_make(&medium, journal_size_bytes(FRAMES));
    SCARCE_MEMORY(medium_open(&medium), &failures);
    assert_int_equal(failures, 1);
    assert_int_equal(journal_generation(medium.journal), 1); /* the first one was not begun */
    medium_end(&medium);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_medium_too_small_is_refused),
        cmocka_unit_test(test_super_blocks_that_make_no_sense_are_refused),
        cmocka_unit_test(test_what_is_not_blank_is_refused),
        cmocka_unit_test(test_which_descriptors_are_sound),
        cmocka_unit_test(test_replay_tells_damage_from_content),
        cmocka_unit_test(test_notes_of_groups),
        cmocka_unit_test(test_notes_that_are_damaged),
        cmocka_unit_test(test_without_memory_it_is_not_opened),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cache/journal", tests, NULL, NULL);
}
