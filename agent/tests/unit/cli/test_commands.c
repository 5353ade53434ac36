/*
 * The tables of commands: what there is, and what StorCLI has besides.
 */
#include "aw_test.h"

#include <string.h>

#include "cli/command.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsupported_is_not_there),
        cmocka_unit_test(test_every_command_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
