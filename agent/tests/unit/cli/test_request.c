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

static void test_not_text(void **state UNUSED)
{
    struct cli_request request;

    assert_false(parse(&request, "/c0/e252/s0 set fault=slo\xff J"));
    assert_string_equal(text, "an argument is not valid UTF-8");
    assert_true(request.json);
    assert_true(parse(&request, "/c0/v0 set name=B\xc3\xa4r"));
}

/* Arguments as shells and clients hand them over. */
static void test_words_in_arguments(void **state UNUSED)
{
    static const struct {
        const char *arguments[4];
        uint32_t count;
        const char *words[4];
    } cases[] = {
        {{"/c0 show all"}, 2, {"show", "all"}},
        {{" /c0/v0\tshow  "}, 1, {"show"}},
        {{"/c0", "show events"}, 2, {"show", "events"}},
        {{"/c0", "set patrolread", "starttime=2031/01/02 03"},
         3,
         {"set", "patrolread", "starttime=2031/01/02 03"}},
        {{"/c0", "set", "starttime=\"2031/01/02 03\""}, 2, {"set", "starttime=2031/01/02 03"}},
        {{"/c0 set starttime='2031/01/02 03'"}, 2, {"set", "starttime=2031/01/02 03"}},
        {{"/c0/v0", "set", "name=it's"}, 2, {"set", "name=it's"}},
        {{"/c0/v0", "set", "name=a\"b"}, 2, {"set", "name=a\"b"}},
        {{"/c0/v0", "set", ""}, 2, {"set", ""}},
    };
    static struct cli_request request;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int count = 0;

        while (count < 4 && cases[i].arguments[count] != NULL) {
            count++;
        }
        assert_true(
            request_parse(count, (char *const *)(uintptr_t)cases[i].arguments, &request, text));
        assert_int_equal(request.word_count, cases[i].count);
        for (uint32_t w = 0; w < request.word_count; w++) {
            assert_string_equal(request.words[w], cases[i].words[w]);
        }
    }
}

/* What one argument holds is bounded: too much is refused, and nothing is cut. */
static void test_too_much_in_an_argument(void **state UNUSED)
{
    static char line[3 * REQUEST_LINE_BYTES];
    char *arguments[] = {line};
    static struct cli_request request;

    memset(line, 'x', sizeof(line) - 1);
    memcpy(line, "/c0 set ", 8);
    assert_false(request_parse(1, arguments, &request, text));
    assert_string_equal(text, "too many words");
    for (size_t i = 0; i + 1 < sizeof(line); i += 2) {
        line[i] = ' ';
    }
    assert_false(request_parse(1, arguments, &request, text));
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

/* Words about the manner of the answer stand anywhere behind the object, in any case. */
static void test_manner(void **state UNUSED)
{
    static const char *const lines[] = {"/c0 /bbu show all J nolog", "/C0/BBU SHOW ALL nolog j",
                                        "/cALL /vAll show all page=20 J"};
    struct cli_request request;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_true(parse(&request, lines[i]));
        assert_true(request.json);
        assert_false(request.json_events);
        assert_int_equal(request.word_count, 2);
    }
    assert_true(parse(&request, "/c0 show events J=2"));
    assert_true(request.json && request.json_events);
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
    assert_false(places[0].outside);
    assert_true(places_parse(" :4,5,252:1,:2-3", places, 8, &count));
    assert_int_equal(count, 5);
    assert_true(places[0].outside && places[1].outside && !places[1].has_eid);
    assert_true(places[2].has_eid && !places[2].outside);
    assert_true(places[4].outside && !places[4].has_eid);
    assert_int_equal(places[4].slot, 3);
    assert_false(places_parse(":", places, 8, &count));
    assert_false(places_parse("::1", places, 8, &count));
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
    assert_false(cli_size_parse("0x10MB", &bytes));
    assert_false(cli_size_parse("1e3MB", &bytes));
    assert_false(cli_size_parse("1.2.3MB", &bytes));
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

    assert_ptr_equal(find(&context, "/c0/e252/s1 SHOW Rebuild"),
                     find(&context, "/c0/s1 show copyback"));
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
    assert_non_null(
        strstr(text, "unexpected \"frce\" (did you mean \"force\"?). Usage: arrayctl /cX/vX del"));
    assert_null(find(&context, "/c0/v0 frob"));
    assert_non_null(strstr(text, "no command \"frob\""));
    assert_null(find(&context, "/c0 add"));
    assert_non_null(strstr(text, "incomplete"));
    assert_null(find(&context, "/c0"));
}

/* A noun with a value is an option as well. */
static void test_noun_with_a_value(void **state UNUSED)
{
    static struct cli_context context;

    const struct cli_command *patrol = find(&context, "/c0 set PatrolRead=on mode=manual");
    assert_non_null(patrol);
    assert_string_equal(option_value(&context, "patrolread"), "on");
    assert_string_equal(option_value(&context, "mode"), "manual");
    assert_ptr_equal(find(&context, "/c0 set patrolread delay=24"), patrol);
    assert_null(option_value(&context, "patrolread"));
    assert_string_equal(option_value(&context, "delay"), "24");
    assert_null(find(&context, "/c0 set patrolread=on rebuildrate=3"));
    assert_null(find(&context, "/c0 set rebuildrate=3 mode=auto"));
    assert_null(find(&context, "/c0 set mode=auto"));
}

static uint32_t words_split(const char *list, char out[64][32])
{
    uint32_t count = 0;

    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, "| ");

        (void)snprintf(out[count++], 32, "%.*s", (int)length, list);
        list += length + (list[length] != '\0' ? 1 : 0);
    }
    if (count == 0) {
        out[count++][0] = '\0';
    }
    return count;
}

/* What is supported is never answered as unsupported, whichever of its words is typed. */
static void test_no_command_is_unsupported(void **state UNUSED)
{
    static char verbs[64][32];
    static char nouns[64][32];

    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];
        uint32_t verb_count = words_split(command->verb, verbs);
        uint32_t noun_count =
            words_split(command->noun != NULL ? command->noun : command->options, nouns);

        for (uint32_t v = 0; v < verb_count; v++) {
            for (uint32_t n = 0; n < noun_count; n++) {
                struct cli_request request = {.object = command->object,
                                              .word_count = nouns[n][0] != '\0' ? 2 : 1,
                                              .words = {verbs[v], nouns[n]}};

                if (cli_unsupported_find(&request) != NULL) {
                    fail_msg("%s %s is a command and stands in the table of those that are not",
                             verbs[v], nouns[n]);
                }
            }
        }
    }
}

static void test_unsupported(void **state UNUSED)
{
    static const char *const lines[] = {"/c0/v0 stop init",  "/c0 set ccrate=30",
                                        "/c0 delete events", "/c0/e1/s1 START Initialization",
                                        "/c0/p0 show",       "/c0/v0 start migrate type=raid6",
                                        "/c0/e1/s1 set bad", "/c0/v0 set hidden=on",
                                        "/c0 set cc=conc"};
    static const char *const others[] = {"/c0 show",
                                         "/c0/v0 start bgi",
                                         "/c0 set rebuildrate=1",
                                         "/c0 delete config",
                                         "/c0/v0 set autobgi=on",
                                         "/c0 frob",
                                         "/c0",
                                         "/c0/v0 start cc force",
                                         "/c0/v0 start init full",
                                         "/c0 flush",
                                         "/c0 start patrolread",
                                         "/c0 set patrolread=on mode=auto"};
    struct cli_request request;

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_true(parse(&request, lines[i]));
        if (cli_unsupported_find(&request) == NULL) {
            fail_msg("not in the table: %s", lines[i]);
        }
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_true(parse(&request, others[i]));
        assert_null(cli_unsupported_find(&request));
    }
}

/* The numbers StorCLI's callers know. */
static void test_error_numbers(void **state UNUSED)
{
    assert_int_equal(cli_error_number("already_running"), 85);
    assert_int_equal(cli_error_number("wrong_state"), 50);
    assert_int_equal(cli_error_number("too_few_drives"), 143);
    assert_int_equal(cli_error_number("cache_preserved_blocks"), 84);
    assert_int_equal(cli_error_number("busy"), 117);
    assert_int_equal(cli_error_number("stale_precondition"), 103);
    assert_int_equal(cli_error_number("policy_denied"), CLI_ERROR_GENERIC);
}

/* One arrayd with two controllers, the second of several: its /c1 is /c4. */
static void test_two_of_one_agent(void **state UNUSED)
{
    json_t *state_doc = json_pack(
        "{s:[{s:s, s:s, s:{s:s}}, {s:s, s:s, s:{s:i}}, {s:s, s:s, s:{s:i, s:s}},"
        " {s:s, s:s, s:{s:s, s:s}}, {s:s, s:s, s:{s:s, s:s}}]}",
        "objects", "kind", "host", "key", "host", "doc", "hostname", "h", "kind", "controller",
        "key", "c0", "doc", "index", 0, "kind", "controller", "key", "c1", "doc", "index", 1,
        "path", "/c1", "kind", "virtual_drive", "key", "a", "doc", "controller", "c0", "path",
        "/c0/v0", "kind", "virtual_drive", "key", "b", "doc", "controller", "c1", "path", "/c1/v0");
    struct model *model = NULL;

    assert_int_equal(model_controller_count(state_doc), 2);
    model = model_make(state_doc, 1, 4);
    assert_non_null(model);
    assert_int_equal(model->lists[OBJECT_KIND_HOST].count, 1);
    assert_int_equal(model->lists[OBJECT_KIND_CONTROLLER].count, 1);
    assert_string_equal(model->lists[OBJECT_KIND_CONTROLLER].items[0].key, "c1");
    assert_int_equal(doc_u64(model->lists[OBJECT_KIND_CONTROLLER].items[0].doc, "index"), 4);
    assert_int_equal(model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count, 1);
    assert_string_equal(doc_text(model->lists[OBJECT_KIND_VIRTUAL_DRIVE].items[0].doc, "path"),
                        "/c4/v0");
    assert_int_equal(json_array_size(json_object_get(model->state, "objects")), 3);
    model_free(model);
}

static void test_events_of_controllers(void **state UNUSED)
{
    static const struct {
        const char *key, *value;
        uint32_t index;
    } cases[] = {
        {"c0", "native", 0},          {"c1", "30", 1},
        {"c2-bbu", "low", 2},         {"sn-x", "/c1/e252/s3", 1},
        {"guid", "/c3/v0 (data)", 3}, {"", "/dev/c1d0", 0},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *event =
            json_pack("{s:s, s:{s:s}}", "key", cases[i].key, "params", "x", cases[i].value);

        assert_int_equal(model_event_controller(event), cases[i].index);
        json_decref(event);
    }
}

/* Several arrayd: everyone calls its first controller 0. */
static void test_renumber(void **state UNUSED)
{
    json_t *state_doc =
        json_pack("{s:[{s:s, s:s, s:i, s:{s:i, s:s}}, {s:s, s:s, s:i, s:{s:i, s:s, s:[s]}}]}",
                  "objects", "kind", "controller", "key", "c0", "config_rev", 1, "doc", "index", 0,
                  "path", "/c0", "kind", "virtual_drive", "key", "v", "config_rev", 1, "doc",
                  "index", 4, "path", "/c0/v4", "notes", "of /c0/v4 and /c07, not /c0");
    struct model *model = model_make(state_doc, 0, 3);

    assert_non_null(model);
    const json_t *controller = model->lists[OBJECT_KIND_CONTROLLER].items[0].doc;
    const json_t *vd = model->lists[OBJECT_KIND_VIRTUAL_DRIVE].items[0].doc;
    assert_int_equal(doc_u64(controller, "index"), 3);
    assert_string_equal(doc_text(controller, "path"), "/c3");
    assert_string_equal(doc_text(vd, "path"), "/c3/v4");
    assert_int_equal(doc_u64(vd, "index"), 4);
    assert_string_equal(json_string_value(json_array_get(json_object_get(vd, "notes"), 0)),
                        "of /c3/v4 and /c07, not /c3");
    model_free(model);
}

/* Each row can be found by its own verb and noun, and no row hides another. */
static void test_every_row_is_reachable(void **state UNUSED)
{
    static const char *const paths[CLI_OBJECT_MAX] = {"",       "/c0",    "/c0/e1",   "/c0/e1/s1",
                                                      "/c0/d0", "/c0/v0", "/c0/fall", "/c0/bbu",
                                                      "/c0/cv", "/c0/p1"};
    static struct cli_context context;

    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];
        char line[128];
        const char *noun = command->noun != NULL ? command->noun : "";
        int length = (int)strcspn(noun, "|");

        (void)snprintf(line, sizeof(line), "%s %.*s %.*s%s", paths[command->object],
                       (int)strcspn(command->verb, "|"), command->verb, length, noun,
                       length > 0 && noun[length - 1] == '=' ? "1" : "");
        assert_ptr_equal(find(&context, line), command);
        assert_non_null(command->run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_wrong_objects),
        cmocka_unit_test(test_not_text),
        cmocka_unit_test(test_words_in_arguments),
        cmocka_unit_test(test_too_much_in_an_argument),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_trailing_words),
        cmocka_unit_test(test_manner),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_noun_with_a_value),
        cmocka_unit_test(test_every_row_is_reachable),
        cmocka_unit_test(test_no_command_is_unsupported),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_error_numbers),
        cmocka_unit_test(test_renumber),
        cmocka_unit_test(test_two_of_one_agent),
        cmocka_unit_test(test_events_of_controllers),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
