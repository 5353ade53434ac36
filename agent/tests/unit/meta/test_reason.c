/*
 * Reasons, their sentences, and the fingerprint.
 */
#include <string.h>

#include "aw_test.h"
#include "base/reason.h"
#include "base/sha256.h"

static void test_sentence(void **state)
{
    struct reason reason;
    char text[REASON_TEXT_MAX];
    char tiny[8];
    size_t length = 0;

    (void)state;
    reason_set(&reason, REASON_TOO_FEW_DRIVES, "level", "RAID5", "minimum", "3", "given", "2",
               NULL);
    assert_int_equal(reason.param_count, 3);
    length = reason_text(&reason, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, "RAID5 needs at least 3 drives; 2 were given.");
    assert_int_equal(reason_text(&reason, tiny, sizeof(tiny)), 7);
    assert_string_equal(tiny, "RAID5 n");
    /* A value with braces is shown as it is. */
    reason_set(&reason, REASON_DRIVE_GONE, "drive", "{level}", NULL);
    (void)reason_text(&reason, text, sizeof(text));
    assert_string_equal(text, "Drive {level} is no longer there.");
    /* A missing parameter does not hide the rest. */
    reason_set(&reason, REASON_DRIVE_GONE, NULL);
    (void)reason_text(&reason, text, sizeof(text));
    assert_string_equal(text, "Drive ? is no longer there.");
}

static void test_long_value(void **state)
{
    struct reason reason;
    char value[300];

    (void)state;
    memset(value, 'x', sizeof(value));
    value[299] = '\0';
    reason_set(&reason, REASON_DRIVE_GONE, "drive", value, NULL);
    assert_int_equal(strlen(reason.params[0].value), sizeof(reason.params[0].value) - 1);
}

/* What does not fit is cut between two characters, in a value and in a sentence. */
static void test_cut_character(void **state)
{
    static const char *const characters[] = {"\xC3\xB6", "\xE6\x97\xA5", "\xF0\x9F\x92\xBE"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t before = 120; before <= 128; before++) {
            struct reason reason;
            char value[160] = "";
            size_t whole = before + strlen(characters[i]) <= 127 ? before + strlen(characters[i])
                           : before <= 127                       ? before
                                                                 : 127;
            char text[REASON_TEXT_MAX];

            memset(value, 'x', before);
            strcat(value, characters[i]);
            reason_set(&reason, REASON_DRIVE_GONE, "drive", value, NULL);
            assert_int_equal(strlen(reason.params[0].value), whole);
            for (size_t capacity = 1; capacity < 160; capacity++) {
                size_t length = reason_text(&reason, text, capacity);

                assert_int_equal(length, strlen(text));
                assert_true(length < capacity);
                /* Either the whole character or nothing of it. */
                assert_true(strpbrk(text, characters[i]) == NULL ||
                            strstr(text, characters[i]) != NULL);
            }
        }
    }
}

/* FIPS 180-4's examples. */
static void test_sha256(void **state)
{
    struct sha256 sha;
    char hex[65];

    (void)state;
    sha256_init(&sha);
    sha256_hex(&sha, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_init(&sha);
    sha256_add(&sha, "abc", 3);
    sha256_hex(&sha, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_init(&sha);
    for (uint32_t i = 0; i < 1000000; i++) {
        sha256_add(&sha, "a", 1);
    }
    sha256_hex(&sha, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentence),
        cmocka_unit_test(test_long_value),
        cmocka_unit_test(test_cut_character),
        cmocka_unit_test(test_sha256),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
