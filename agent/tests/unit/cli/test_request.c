/*
 * The command line: StorCLI's objects, lists and sizes.
 */
#include "aw_test.h"

#include <string.h>

#include "cli/command.h"

static char text[REQUEST_TEXT_BYTES];

static bool parse(struct cli_request *request, const char *line)
{
    static char copy[512];
    static char *words[32];
    int count = 0;

    (void)snprintf(copy, sizeof(copy), "%s", line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    return request_parse(count, words, request, text);
}

static void test_objects(void **state UNUSED)
{
    static const struct {
        const char *line;
        enum cli_object object;
    } cases[] = {{"show", CLI_OBJECT_NONE},
                 {"/c0 show", CLI_OBJECT_CONTROLLER},
                 {"/cALL show", CLI_OBJECT_CONTROLLER},
                 {"/c0/e252 show", CLI_OBJECT_ENCLOSURE},
                 {"/c0/eall/sall show", CLI_OBJECT_DRIVE},
                 {"/c0/s3 show", CLI_OBJECT_DRIVE},
                 {"/c0/dall show all", CLI_OBJECT_GROUP},
                 {"/c0/v1 show", CLI_OBJECT_VD},
                 {"/c0 /v1 show", CLI_OBJECT_VD},
                 {"/c0/bbu show", CLI_OBJECT_BBU},
                 {"/c0 /cv show", CLI_OBJECT_CACHEVAULT},
                 {"/call/fall show", CLI_OBJECT_FOREIGN}};
    struct cli_request request;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_true(parse(&request, cases[i].line));
        assert_int_equal(request.object, cases[i].object);
    }
}

static void test_wrong_objects(void **state UNUSED)
{
    static const char *const lines[] = {
        "/x0 show",   "/c show",       "/e252 show",    "/c0/v0/s1 show", "/c0/s1/e2 show",
        "/c0-  show", "/c0/v5-2 show", "/c0/v1,, show", "/c0x show",      "/c0/v0-70000 show"};
    struct cli_request request;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (parse(&request, lines[i])) {
            fail_msg("accepted: %s", lines[i]);
        }
        assert_non_null(strstr(text, "is not an object"));
    }
}

static void test_numbers(void **state UNUSED)
{
    struct cli_request request;

    assert_true(parse(&request, "/c0/e252/s0-2,5 show"));
    assert_int_equal(request.drives.count, 4);
    assert_true(numbers_have(&request.drives, 2) && numbers_have(&request.drives, 5));
    assert_false(numbers_have(&request.drives, 3));
    assert_true(parse(&request, "/c0/vALL show"));
    assert_true(numbers_have(&request.vds, 99));
}

static void test_trailing_words(void **state UNUSED)
{
    struct cli_request request;

    assert_true(parse(&request, "/c0 show all J nolog"));
    assert_true(request.json);
    assert_int_equal(request.word_count, 2);
    assert_true(parse(&request, "/c0 show nolog j"));
    assert_true(request.json);
    assert_int_equal(request.word_count, 1);
}

static void test_places(void **state UNUSED)
{
    struct cli_place places[8];
    uint32_t count = 0;

    assert_true(places_parse("252:0-2,5,e3:1", places, 8, &count));
    assert_int_equal(count, 5);
    assert_int_equal(places[3].eid, 252);
    assert_int_equal(places[3].slot, 5);
    assert_int_equal(places[4].eid, 3);
    assert_int_equal(places[4].slot, 1);
    assert_true(places_parse("4", places, 8, &count));
    assert_false(places[0].has_eid);
    assert_true(places_parse(" :4", places, 8, &count));
    assert_false(places[0].has_eid);
    assert_false(places_parse("", places, 8, &count));
    assert_false(places_parse("252:", places, 8, &count));
    assert_false(places_parse("252:3-1", places, 8, &count));
    assert_false(places_parse("252:0-8", places, 8, &count));
    assert_false(places_parse("252:0;1", places, 8, &count));
}

static void test_sizes(void **state UNUSED)
{
    uint64_t bytes = 1;

    assert_true(cli_size_parse("all", &bytes) && bytes == 0);
    assert_true(cli_size_parse("10GB", &bytes) && bytes == 10ull << 30);
    assert_true(cli_size_parse("512", &bytes) && bytes == 512ull << 20);
    assert_true(cli_size_parse("1.5tb", &bytes) && bytes == 3ull << 39);
    assert_false(cli_size_parse("", &bytes));
    assert_false(cli_size_parse("-1GB", &bytes));
    assert_false(cli_size_parse("1XB", &bytes));
    assert_false(cli_size_parse("0", &bytes));
}

static const struct cli_command *find(struct cli_context *context, const char *line)
{
    memset(context, 0, sizeof(*context));
    assert_true(parse(&context->request, line));
    return cli_command_find(context, text);
}

static void test_commands(void **state UNUSED)
{
    static struct cli_context context;

    assert_string_equal(find(&context, "/c0/e252/s1 SHOW Rebuild")->noun, "rebuild");
    assert_null(find(&context, "/c0/e252/s1 show")->noun);
    assert_non_null(find(&context, "/c0 add vd r5 drives=252:0-2 Strip=64 NAME=a"));
    assert_true(option_has(&context, "r5"));
    assert_false(option_has(&context, "r50"));
    assert_string_equal(option_value(&context, "strip"), "64");
    assert_string_equal(option_value(&context, "name"), "a");
    assert_null(option_value(&context, "size"));
    assert_non_null(find(&context, "/c0/v0 del force"));
    assert_true(option_has(&context, "force"));
    assert_null(find(&context, "/c0/v0 del frce"));
    assert_non_null(strstr(text, "unexpected \"frce\". Usage: arrayctl /cX/vX del"));
    assert_null(find(&context, "/c0/v0 frob"));
    assert_non_null(strstr(text, "no command \"frob\""));
    assert_null(find(&context, "/c0 add"));
    assert_non_null(strstr(text, "incomplete"));
    assert_null(find(&context, "/c0"));
}

/* Each row can be found by its own verb and noun, and no row hides another. */
static void test_every_row_is_reachable(void **state UNUSED)
{
    static const char *const paths[CLI_OBJECT_MAX] = {
        "", "/c0", "/c0/e1", "/c0/e1/s1", "/c0/d0", "/c0/v0", "/c0/fall", "/c0/bbu", "/c0/cv"};
    static struct cli_context context;

    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];
        char line[128];
        const char *noun = command->noun != NULL ? command->noun : "";

        (void)snprintf(line, sizeof(line), "%s %.*s %.*s", paths[command->object],
                       (int)strcspn(command->verb, "|"), command->verb, (int)strcspn(noun, "|"),
                       noun);
        assert_ptr_equal(find(&context, line), command);
        assert_non_null(command->run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),  cmocka_unit_test(test_wrong_objects),
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_trailing_words),
        cmocka_unit_test(test_places),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_commands), cmocka_unit_test(test_every_row_is_reachable),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
