/*
 * Words that may come next on the command line, for the completion of shells: out of the table
 * of commands, never out of a list of its own.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"

/* Every word of "a|b c=" that begins as was typed; a property keeps its "=". */
static void words_offer(const char *list, const char *typed)
{
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, "| ");

        if (strncasecmp(list, typed, strlen(typed)) == 0 && strlen(typed) <= length) {
            (void)printf("%.*s\n", (int)length, list);
        }
        list += length + (list[length] != '\0' ? 1 : 0);
    }
}

static void objects_offer(const char *typed)
{
    static const char *const objects[] = {"/c0",      "/call",    "/c0/v0",   "/c0/vall",
                                          "/c0/d0",   "/c0/dall", "/c0/eall", "/c0/eall/sall",
                                          "/c0/sall", "/c0/fall", "/c0/bbu",  "/c0/cv"};

    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        if (strncasecmp(objects[i], typed, strlen(typed)) == 0) {
            (void)printf("%s\n", objects[i]);
        }
    }
}

/* words: what stands before the one that is typed now, which is the last. */
void cli_complete(int count, char *const *words)
{
    static struct cli_request request;
    char text[REQUEST_TEXT_BYTES];
    const char *typed = count > 0 ? words[count - 1] : "";

    if (!request_parse(count - (count > 0 ? 1 : 0), words, &request, text)) {
        return;
    }
    bool verb_first = request.object == CLI_OBJECT_NONE && request.word_count == 1 &&
                      strcasecmp(request.words[0], "explain") == 0;
    if (verb_first ||
        (request.word_count == 0 && (typed[0] == '/' || request.object == CLI_OBJECT_NONE))) {
        objects_offer(typed);
    }
    if (request.word_count == 0 && request.object == CLI_OBJECT_NONE) {
        words_offer("explain|help", typed);
    }
    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];

        if (command->object != request.object) {
            continue;
        }
        if (request.word_count == 0) {
            words_offer(command->verb, typed);
        } else if (word_is_one_of(request.words[0], command->verb)) {
            if (request.word_count == 1) {
                words_offer(command->noun, typed);
            }
            if (command->noun == NULL ||
                (request.word_count > 1 && noun_is_one_of(request.words[1], command->noun))) {
                words_offer(command->options, typed);
            }
        }
    }
}
