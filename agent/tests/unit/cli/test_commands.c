/*
 * The tables of commands: what there is, and what StorCLI has besides.
 */
#include "aw_test.h"

#include <string.h>

#include "cli/command.h"
#include "cli/suggest.h"

/* The next of "a|b c="; false at the end. */
static bool word_take(const char **list, char out[64])
{
    size_t length = *list != NULL ? strcspn(*list, "| ") : 0;

    if (length == 0) {
        return false;
    }
    assert_true(length < 64);
    (void)snprintf(out, 64, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] != '\0' ? 1 : 0);
    return true;
}

static void expect_supported(const struct cli_command *command, char *verb, char *word)
{
    static struct cli_request request;

    memset(&request, 0, sizeof(request));
    request.object = command->object;
    request.words[request.word_count++] = verb;
    if (word != NULL) {
        request.words[request.word_count++] = word;
    }
    const struct cli_unsupported *row = cli_unsupported_find(&request);
    if (row != NULL) {
        fail_msg("\"%s\" is refused: %s %s", command->usage, row->verb,
                 row->noun != NULL ? row->noun : "");
    }
}

/* A row of what is not supported stands in the way of nothing that is. */
static void test_unsupported_is_not_there(void **state UNUSED)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];
        const char *verbs = command->verb;
        char verb[64];
        char word[64];

        while (word_take(&verbs, verb)) {
            const char *words = command->noun != NULL ? command->noun : command->options;

            if (command->noun == NULL) {
                expect_supported(command, verb, NULL);
            }
            while (word_take(&words, word)) {
                expect_supported(command, verb, word);
            }
        }
    }
}

static void test_every_command_is_told(void **state UNUSED)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];
        const char *verbs = command->verb;
        char verb[64];
        bool told = false;

        while (word_take(&verbs, verb)) {
            told = told || strstr(command->usage, verb) != NULL;
        }
        assert_true(told);
        assert_non_null(command->run);
        assert_true(strlen(command->help) > 5);
    }
}

static void expect_ascii(const char *text)
{
    for (const char *at = text; at != NULL && *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~') {
            fail_msg("not ASCII: %s", text);
        }
    }
}

/* StorCLI prints ASCII, and so does everything that is told of a command. */
static void test_tables_are_ascii(void **state UNUSED)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        expect_ascii(cli_commands[i].usage);
        expect_ascii(cli_commands[i].help);
        expect_ascii(cli_commands[i].noun);
        expect_ascii(cli_commands[i].options);
    }
    for (uint32_t i = 0; i < cli_unsupported_count; i++) {
        expect_ascii(cli_unsupported[i].noun);
        expect_ascii(cli_unsupported[i].what);
        assert_non_null(cli_unsupported[i].why);
        expect_ascii(cli_unsupported[i].why);
    }
}

/* Every word of the tables is found again with one letter too few, and with two swapped. */
static void expect_meant(const struct cli_command *command, const char *words, const char *word)
{
    size_t length = strlen(word) - (word[strlen(word) - 1] == '=' ? 1 : 0);

    for (size_t i = 1; length >= 4 && i + 1 < length; i++) {
        char typed[64];
        char hint[SUGGESTION_BYTES];
        char expected[SUGGESTION_BYTES + 32];
        struct suggestion suggestion;

        (void)snprintf(typed, sizeof(typed), "%.*s%.*s", (int)i, word, (int)(length - i - 1),
                       word + i + 1);
        suggestion_begin(&suggestion, typed);
        suggestion_consider(&suggestion, words);
        (void)snprintf(expected, sizeof(expected), " (did you mean \"%s\"?)", word);
        /* Another word may be as near: "noadra" beside "adra". */
        if (suggestion.distance > 1) {
            fail_msg("%s: \"%s\" gives%s, not%s", command->usage, typed,
                     suggestion_text(&suggestion, hint), expected);
        }
        (void)snprintf(typed, sizeof(typed), "%s", word);
        typed[i] = word[i + 1 < length ? i + 1 : i - 1];
        typed[i + 1] = word[i];
        suggestion_begin(&suggestion, typed);
        suggestion_consider(&suggestion, words);
        if (suggestion.distance > 1) {
            fail_msg("%s: \"%s\" gives%s, not%s", command->usage, typed,
                     suggestion_text(&suggestion, hint), expected);
        }
    }
}

static void test_words_that_are_nearly_right(void **state UNUSED)
{
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const char *const lists[] = {cli_commands[i].verb, cli_commands[i].noun,
                                     cli_commands[i].options};

        for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); l++) {
            const char *rest = lists[l];
            char word[64];

            while (word_take(&rest, word)) {
                expect_meant(&cli_commands[i], lists[l], word);
            }
        }
    }
}

static void test_words_that_are_far_away(void **state UNUSED)
{
    static const char *const typed[] = {"xyz", "frobnicate", "", "s", "=", "set="};
    char hint[SUGGESTION_BYTES];

    for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
        struct suggestion suggestion;

        suggestion_begin(&suggestion, typed[i]);
        suggestion_consider(&suggestion, "show|get|delete|explain|metrics");
        assert_string_equal(suggestion_text(&suggestion, hint), "");
    }
}

/* What is typed twice, without its value or beside its contrary: nobody can guess the choice. */
static void test_options_that_are_not_clear(void **state UNUSED)
{
    static const struct {
        const char *words;
        const char *told;
    } lines[] = {
        {"add vd r1 drives=252:0-1 wb wt", "\"wb\" and \"wt\" exclude each other"},
        {"add vd r1 drives=252:0-1 nora ADRA", "\"nora\" and \"adra\" exclude each other"},
        {"add vd r1 r5 drives=252:0-1", "\"r1\" and \"r5\" exclude each other"},
        {"add vd type=raid1 r5 drives=252:0-1", "\"type=\" and \"r5\" exclude each other"},
        {"add vd r1 drives=252:0-1 wb wb", "\"wb\" may be given only once"},
        {"add vd r1 drives=252:0-1 name=a name=b", "\"name=\" may be given only once"},
        {"add vd r1 drives=252:0-1 name=", "name= needs a value"},
        {"add vd r1 drives=", "drives= needs a value"},
        {"add vd r1 drives=252:0-1 wb direct ra name=a", NULL},
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        static struct cli_context context;
        char text[REQUEST_TEXT_BYTES] = "";
        char line[128];
        char *rest = line;
        bool known = false;

        memset(&context, 0, sizeof(context));
        context.request.object = CLI_OBJECT_CONTROLLER;
        (void)snprintf(line, sizeof(line), "%s", lines[i].words);
        for (char *word = NULL; (word = strsep(&rest, " ")) != NULL;) {
            context.request.words[context.request.word_count++] = word;
        }
        known = cli_command_find(&context, text) != NULL;
        assert_int_equal(known, lines[i].told == NULL);
        if (!known && strstr(text, lines[i].told) != text) {
            fail_msg("%s: %s", lines[i].words, text);
        }
    }
}

/* The agent speaks of a field. The option of that name is meant, whatever others have its value;
 * without one, the only option with the value; of two nobody can say which. What the agent says is
 * a whole clause with or without its subject. */
static void test_an_argument_is_refused_by_name(void **state)
{
    static const struct {
        const char *problem, *told;
    } problems[] = {
        {"must be from 0 to 100", "it must be from 0 to 100"},
        {"has too many entries", "it has too many entries"},
        {"it is too far away", "it is too far away"},
        {"no such value", "no such value"},
        {"the drive group has no such place", "the drive group has no such place"},
    };
    char wanted[REQUEST_TEXT_BYTES];
    static struct cli_context context;
    static char text[REQUEST_TEXT_BYTES];
    json_t *args = json_pack("{s:i, s:i}", "rate", 5, "delay_hours", 7);
    json_t *rate = json_pack("{s:{s:s, s:s}}", "params", "field", "rate", "problem", "is bad");
    json_t *delay =
        json_pack("{s:{s:s, s:s}}", "params", "field", "delay_hours", "problem", "is bad");

    (void)state;
    context.options[0] = (struct cli_option){"time= rate=", "5"};
    context.options[1] = (struct cli_option){"rate=", "5"};
    context.options[2] = (struct cli_option){"delay=", "7"};
    context.option_count = 3;
    assert_true(cli_argument_wrong(&context, args, rate, text));
    assert_string_equal(text, "rate= does not take \"5\": it is bad");
    assert_true(cli_argument_wrong(&context, args, delay, text));
    assert_string_equal(text, "delay= does not take \"7\": it is bad");
    for (size_t i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
        json_t *reason =
            json_pack("{s:{s:s, s:s}}", "params", "field", "rate", "problem", problems[i].problem);

        assert_true(cli_argument_wrong(&context, args, reason, text));
        (void)snprintf(wanted, sizeof(wanted), "rate= does not take \"5\": %s", problems[i].told);
        assert_string_equal(text, wanted);
        json_decref(reason);
    }
    context.options[0].value = "7";
    assert_false(cli_argument_wrong(&context, args, delay, text));
    json_decref(args);
    json_decref(rate);
    json_decref(delay);
}

static void test_levels(void **state)
{
    (void)state;
    assert_string_equal(cli_level_named("r1e"), "raid1e");
    assert_string_equal(cli_level_named("RAID60"), "raid60");
    assert_null(cli_level_named("r"));
    assert_null(cli_level_named("r7"));
    assert_null(cli_level_named("ra"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsupported_is_not_there),
        cmocka_unit_test(test_every_command_is_told),
        cmocka_unit_test(test_tables_are_ascii),
        cmocka_unit_test(test_words_that_are_nearly_right),
        cmocka_unit_test(test_words_that_are_far_away),
        cmocka_unit_test(test_options_that_are_not_clear),
        cmocka_unit_test(test_an_argument_is_refused_by_name),
        cmocka_unit_test(test_levels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
