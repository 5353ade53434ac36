/*
 * Texts on a terminal: their width, cut between characters, without control characters.
 */
#include "aw_test.h"

#include <string.h>

#include "cli/screen_text.h"

static char out[256];

static void test_width(void **state UNUSED)
{
    assert_int_equal(screen_text_width(""), 0);
    assert_int_equal(screen_text_width("plain"), 5);
    assert_int_equal(screen_text_width("Größe"), 5);
    assert_int_equal(screen_text_width("日本語"), 6);
    assert_int_equal(screen_text_width("e\xCC\x81"), 1); /* an accent of its own */
    assert_int_equal(screen_text_width("\xF0\x9F\x92\xBE"), 2);
}

static void test_cut_between_characters(void **state UNUSED)
{
    assert_string_equal(screen_text_fit("abc", 5, out), "abc  ");
    assert_string_equal(screen_text_cut("abc", 5, out), "abc");
    assert_string_equal(screen_text_fit("abcdef", 3, out), "abc");
    assert_string_equal(screen_text_fit("aäöü", 2, out), "aä");
    assert_string_equal(screen_text_fit("a日本", 4, out), "a日 "); /* half of one is none */
    assert_string_equal(screen_text_fit("日", 1, out), " ");
    assert_string_equal(screen_text_fit("", 0, out), "");
}

/* Whatever is cut where: never wider, never beyond the room, never half a character. */
static void test_every_cut(void **state UNUSED)
{
    static const char text[] = "x\tGröße e\xCC\x81\xCC\x81\xCC\x81 日本語 \xF0\x9F\x92\xBE\x1b[0m";

    for (size_t columns = 0; columns < 40; columns++) {
        memset(out, 'X', sizeof(out));
        (void)screen_text_fit(text, columns, out);
        assert_true(strlen(out) <= 4 * columns);
        assert_true(screen_text_width(out) <= columns);
        json_t *valid = json_string(out);
        assert_non_null(valid);
        json_decref(valid);
        for (const char *at = out; *at != '\0'; at++) {
            assert_true((unsigned char)*at >= 0x20);
        }
    }
}

static void test_documents(void **state UNUSED)
{
    json_t *doc = json_pack("{s:[s, i], s:{s:s}}", "list", "a\tb\nc", 3, "in", "text",
                            "\x1b[31mred\x7f \xC2\x85 Größe");

    screen_text_clean(doc);
    assert_string_equal(json_string_value(json_array_get(json_object_get(doc, "list"), 0)),
                        "a b c");
    assert_string_equal(json_string_value(json_object_get(json_object_get(doc, "in"), "text")),
                        "?[31mred? ? Größe");
    json_decref(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_cut_between_characters),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_documents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
