/*
 * The words of all enumerations, there and back; the sentences of all reasons.
 */
#include "aw_test.h"

#include <string.h>

#include "base/reason.h"
#include "base/words.h"
#include "word_families.h"

/* Every value has a word of its own, and only that one means it. */
#define CHECK_FAMILY(name, count)                                                                  \
    static void check_##name(void)                                                                 \
    {                                                                                              \
        enum name value = (enum name)0;                                                            \
                                                                                                   \
        for (unsigned i = 0; i < (unsigned)(count); i++) {                                         \
            const char *word = name##_word((enum name)i);                                          \
                                                                                                   \
            assert_true(strlen(word) > 0);                                                         \
            value = (enum name)(count);                                                            \
            assert_true(name##_parse(word, &value));                                               \
            assert_int_equal(value, i);                                                            \
        }                                                                                          \
        assert_false(name##_parse("no word of ours", &value));                                     \
        assert_false(name##_parse("", &value));                                                    \
        assert_int_equal(value, (count) - 1); /* as it was */                                      \
        EXPECT_ASSERT((void)name##_word((enum name)(count)));                                      \
    }
WORD_FAMILIES(CHECK_FAMILY)

#define CALL_CHECK(name, count) check_##name();

static void every_word_is_its_values_alone(void **state)
{
    (void)state;
    WORD_FAMILIES(CALL_CHECK)
}

/* Brackets are closed, names are not too long, and a parameter is found by its name. */
static void every_sentence_can_be_said(void **state)
{
    char text[REASON_TEXT_MAX];

    (void)state;
    for (unsigned code = 0; code < REASON_MAX; code++) {
        struct reason reason;
        size_t length = 0;

        reason_set(&reason, (enum reason_code)code, NULL);
        length = reason_text(&reason, text, sizeof(text));
        assert_int_equal(length, strlen(text));
        assert_null(strchr(text, '{'));
        assert_null(strchr(text, '}'));
        assert_true(strlen(reason_code_word((enum reason_code)code)) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_its_values_alone),
        cmocka_unit_test(every_sentence_can_be_said),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/words", tests, NULL, NULL);
}
