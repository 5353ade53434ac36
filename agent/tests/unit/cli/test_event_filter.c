/*
 * Which events are shown: types, classes, ages and dates.
 */
#include "aw_test.h"

#include <string.h>
#include <time.h>

#include "cli/event_filter.h"

#define NOW_US UINT64_C(1800000000000000)

static char text[REQUEST_TEXT_BYTES];

static bool parse(const char *name, const char *value, struct event_filter *filter)
{
    static struct cli_context context;

    context.option_count = 1;
    context.options[0] = (struct cli_option){name, value};
    text[0] = '\0';
    return event_filter_parse(&context, NOW_US, filter, text);
}

static json_t *event(unsigned code, int class_, uint64_t wall_us)
{
    return json_pack("{s:i, s:i, s:I}", "code", (int)code, "class", class_, "wall_us",
                     (json_int_t)wall_us);
}

static bool fits(const struct event_filter *filter, unsigned code, int class_, uint64_t wall_us)
{
    json_t *made = event(code, class_, wall_us);
    bool result = event_filter_fits(filter, made);

    json_decref(made);
    return result;
}

static void test_types(void **state UNUSED)
{
    struct event_filter filter;

    assert_true(parse("type=", "latest=7", &filter));
    assert_int_equal(filter.latest, 7);
    assert_true(parse("type=", "LATEST=12", &filter));
    assert_true(parse("type=", "latest", &filter) && filter.latest == 1);
    assert_true(parse("type=", "sincereboot", &filter));
    json_t *online = event(60000, 0, 1);
    json_t *shutdown = event(42, 0, 1);
    assert_true(event_filter_restarts(&filter, online));
    assert_false(event_filter_restarts(&filter, shutdown));
    assert_true(parse("type=", "sinceshutdown", &filter));
    assert_false(event_filter_restarts(&filter, online));
    assert_true(event_filter_restarts(&filter, shutdown));
    assert_true(parse("type=", "includedeleted", &filter));
    assert_false(event_filter_restarts(&filter, online));
    assert_true(parse("type=", "ccincon", &filter));
    assert_true(fits(&filter, 63, 0, 1));
    assert_false(fits(&filter, 114, 0, 1));
    json_decref(online);
    json_decref(shutdown);
    assert_false(parse("type=", "latest=0", &filter));
    assert_false(parse("type=", "latest=x", &filter));
    assert_false(parse("type=", "yesterday", &filter));
    assert_non_null(strstr(text, "type must be"));
}

static void test_classes(void **state UNUSED)
{
    struct event_filter filter;

    assert_true(parse("filter=", "warning,FATAL", &filter));
    assert_false(fits(&filter, 1, 0, 1));
    assert_true(fits(&filter, 1, 1, 1));
    assert_false(fits(&filter, 1, 2, 1));
    assert_true(fits(&filter, 1, 3, 1));
    assert_true(parse("filter=", "info", &filter));
    assert_true(fits(&filter, 1, 0, 1));
    assert_false(fits(&filter, 1, -1, 1));
    assert_false(parse("filter=", "", &filter));
    assert_false(parse("filter=", "info;warning", &filter));
    assert_false(parse("filter=", "in", &filter));
}

static void test_since(void **state UNUSED)
{
    static const char *const wrong[] = {
        "", "h", "2y", "-3h", "3h4", "2026/13/01", "2026-01-01 25:00:00", "now",
        /* What the calendar and the clock do not have. */
        "2026/02/29", "2027/02/30 00", "2026-04-31 10:00:00", "2100/02/29", "2026/01/31 24",
        "2026-01-01 10:60:00", "2026-01-01T10:00:60", "2026/00/10", "2026/01/00"};
    struct event_filter filter;

    assert_true(parse("since=", "2h", &filter));
    assert_true(filter.from_us == NOW_US - UINT64_C(7200000000));
    assert_true(fits(&filter, 1, 0, filter.from_us));
    assert_false(fits(&filter, 1, 0, filter.from_us - 1));
    struct tm local = {.tm_year = 126, .tm_mon = 0, .tm_mday = 31, .tm_hour = 12, .tm_isdst = -1};
    uint64_t expected = (uint64_t)mktime(&local) * 1000000;
    assert_true(parse("since=", "\"2026/01/31 12\"", &filter) && filter.from_us == expected);
    assert_true(parse("since=", "2026-01-31 12:00:00", &filter) && filter.from_us == expected);
    assert_true(parse("since=", "2026/01/31", &filter));
    assert_true(filter.from_us == expected - UINT64_C(12) * 3600 * 1000000);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (parse("since=", wrong[i], &filter)) {
            fail_msg("accepted: %s", wrong[i]);
        }
    }
    assert_true(parse("since=", "2028/02/29", &filter));
    assert_true(parse("since=", "2000/02/29", &filter));
    assert_true(parse("count=", "5", &filter) && filter.latest == 5);
    assert_false(parse("count=", "5x", &filter));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_since),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
