/*
 * JSON building: whatever bytes a device calls itself by, the document is valid.
 */
#include "aw_test.h"

#include <string.h>

#include "control/json_text.h"

static void expect_text(const char *in, const char *out)
{
    json_t *object = json_new_object();

    json_put_text(object, "t", in);
    assert_string_equal(json_text_at(object, "t"), out);
    json_decref(object);
}

static void test_bad_utf8_is_replaced(void **state UNUSED)
{
    expect_text("plain", "plain");
    expect_text("gr\xC3\xBC\xC3\x9F", "gr\xC3\xBC\xC3\x9F");
    expect_text("a\xFFz", "a\xEF\xBF\xBDz");
    expect_text("\xC3", "\xEF\xBF\xBD");
    expect_text("\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD");                 /* overlong */
    expect_text("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* surrogate */
    expect_text("\xF0\x9F\x92\xBE", "\xF0\x9F\x92\xBE");
}

static void test_every_byte_string_gives_a_document(void **state UNUSED)
{
    char text[4] = "";

    for (unsigned first = 1; first < 256; first++) {
        for (unsigned second = 0; second < 256; second++) {
            json_t *array = json_new_array();
            size_t bytes = 0;

            text[0] = (char)first;
            text[1] = (char)second;
            json_append_text(array, text);
            char *line = json_line(array, &bytes);
            json_t *back = json_loadb(line, bytes, 0, NULL);
            assert_non_null(back);
            json_decref(back);
            free(line);
            json_decref(array);
        }
    }
}

static void test_numbers(void **state UNUSED)
{
    json_t *object = json_new_object();
    uint64_t value = 0;

    json_put_u64(object, "large", UINT64_MAX);
    assert_true(json_u64_at(object, "large", &value));
    assert_true(value == INT64_MAX);
    json_put(object, "negative", json_integer(-1));
    assert_false(json_u64_at(object, "negative", &value));
    json_put(object, "real", json_real(1.5));
    assert_false(json_u64_at(object, "real", &value));
    assert_false(json_u64_at(object, "absent", &value));
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_utf8_is_replaced),
        cmocka_unit_test(test_every_byte_string_gives_a_document),
        cmocka_unit_test(test_numbers),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
