/*
 * What is typed at arrayctl: whatever it is, it is refused with a sentence or it is one row of the
 * table, and then the object, the verb and the noun of that row were typed. Nothing that was not
 * spelled out can change anything.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"
#include "cli/command.h"
#include "cli/event_filter.h"

#define WORDS_MAX 80

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One argument per line or, as the corpus is easier to read so, per blank. */
static int words_split(char *text, char *words[WORDS_MAX])
{
    char *rest = NULL;
    int count = 0;

    for (char *word = strtok_r(text, " \n", &rest); word != NULL && count < WORDS_MAX;
         word = strtok_r(NULL, " \n", &rest)) {
        words[count++] = word;
    }
    return count;
}

static void numbers_check(const struct cli_numbers *numbers)
{
    ASSERT(numbers->count <= REQUEST_NUMBERS_MAX);
    ASSERT(!numbers->all || numbers->count == 0);
    for (uint32_t i = 0; i < numbers->count; i++) {
        ASSERT(numbers->values[i] <= 65535);
    }
}

static void values_check(const char *word)
{
    static struct cli_place places[16];
    uint32_t count = 0;
    uint64_t bytes = 0;

    if (places_parse(word, places, 16, &count)) {
        ASSERT(count >= 1 && count <= 16);
    }
    if (cli_size_parse(word, &bytes)) {
        ASSERT(bytes > 0 || strcasecmp(word, "all") == 0);
    }
}

static void request_check(struct cli_context *context)
{
    const struct cli_request *request = &context->request;
    const struct cli_unsupported *unsupported = cli_unsupported_find(request);
    char text[REQUEST_TEXT_BYTES] = "";
    const struct cli_command *command = cli_command_find(context, text);
    struct event_filter filter;

    numbers_check(&request->controllers);
    numbers_check(&request->drives);
    numbers_check(&request->vds);
    ASSERT(request->word_count <= REQUEST_WORDS_MAX);
    ASSERT(request->object == CLI_OBJECT_NONE || request->controllers.all ||
           request->controllers.count > 0);
    if (unsupported != NULL) {
        ASSERT(unsupported->object == request->object);
        ASSERT(word_is_one_of(request->words[0], unsupported->verb));
    }
    if (command == NULL) {
        ASSERT(text[0] != '\0' && strnlen(text, sizeof(text)) < sizeof(text));
        return;
    }
    ASSERT(command->object == request->object);
    ASSERT(word_is_one_of(request->words[0], command->verb));
    ASSERT(command->noun == NULL || noun_is_one_of(request->words[1], command->noun));
    ASSERT(context->option_count + cli_command_options_at(command, request) == request->word_count);
    if (event_filter_parse(context, UINT64_C(1800000000000000), &filter, text)) {
        ASSERT(filter.since <= EVENT_SINCE_CC);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cli_context context;
    char *words[WORDS_MAX];
    char text[REQUEST_TEXT_BYTES] = "";
    char *copy = NULL;

    if (size > 4096) {
        return 0;
    }
    copy = strndup((const char *)data, size);
    if (copy == NULL) {
        abort();
    }
    memset(&context, 0, sizeof(context));
    int count = words_split(copy, words);
    if (request_parse(count, words, &context.request, text)) {
        request_check(&context);
    } else {
        ASSERT(text[0] != '\0' && strnlen(text, sizeof(text)) < sizeof(text));
    }
    for (int i = 0; i < count; i++) {
        values_check(words[i]);
    }
    free(copy);
    return 0;
}
