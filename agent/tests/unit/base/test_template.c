/*
 * Sentences with parameters, and sizes for people.
 */
#include "aw_test.h"

#include <string.h>

#include "base/reason.h"
#include "base/template.h"

static void test_sizes(void **state UNUSED)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {999, "999 B"},
        {1000, "1.00 kB"},
        {4096, "4.10 kB"},
        {9994, "9.99 kB"},
        {9996, "10.0 kB"},
        {99949, "99.9 kB"},
        {99951, "100 kB"},
        {999499, "999 kB"},
        {999500, "1.00 MB"},
        {2013265920, "2.01 GB"},
        {300000000000, "300 GB"},
        {UINT64_MAX, "18.4 EB"},
    };
    char out[SIZE_TEXT_BYTES];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(size_text(cases[i].bytes, out), cases[i].text);
    }
}

static const char *value_of(const void *context, const char *name, size_t name_bytes)
{
    (void)context;
    if (name_bytes == 5 && memcmp(name, "bytes", 5) == 0) {
        return "4096";
    }
    if (name_bytes == 10 && memcmp(name, "size_bytes", 10) == 0) {
        return "all";
    }
    return name_bytes == 9 && memcmp(name, "megabytes", 9) == 0 ? "7" : NULL;
}

static void test_parameters_that_are_sizes(void **state UNUSED)
{
    char text[100];

    (void)template_fill("{bytes}, {size_bytes}, {megabytes}, {other}.", value_of, NULL, text,
                        sizeof(text));
    assert_string_equal(text, "4.10 kB, all, 7, ?."); /* a word stays, and so does another number */
}

static void test_what_does_not_fit_is_cut(void **state UNUSED)
{
    char text[8];

    assert_int_equal(template_fill("{bytes} of it", value_of, NULL, text, sizeof(text)), 7);
    assert_string_equal(text, "4.10 kB");
    assert_int_equal(template_fill("{bytes} of it", value_of, NULL, text, 1), 0);
    assert_string_equal(text, "");
}

static void test_reasons_keep_the_exact_number(void **state UNUSED)
{
    struct reason reason;
    char text[REASON_TEXT_MAX];

    reason_set(&reason, REASON_DRIVE_TOO_SMALL, "drive", "/c0/s3", "size_bytes", "2013265920",
               "needed_bytes", "2013270016", "missing_bytes", "4096", NULL);
    (void)reason_text(&reason, text, sizeof(text));
    assert_non_null(strstr(text, "4.10 kB too small"));
    assert_string_equal(reason.params[1].value, "2013265920");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_parameters_that_are_sizes),
        cmocka_unit_test(test_what_does_not_fit_is_cut),
        cmocka_unit_test(test_reasons_keep_the_exact_number),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
