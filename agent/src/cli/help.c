/*
 * Help: see help.h. The commands come from the table of commands; nothing is listed twice.
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"

#define COLUMNS 80u

/* A topic is an object, as people call it. */
static const struct topic {
    const char *words;
    enum cli_object object;
    const char *path;
    const char *shown;
} topics[] = {
    {"host", CLI_OBJECT_NONE, "", "status, all controllers, monitoring, diagnosis"},
    {"controller", CLI_OBJECT_CONTROLLER, "/cX", "properties, events, creation, configuration"},
    {"enclosure", CLI_OBJECT_ENCLOSURE, "/cX/eX", "enclosures and their bays"},
    {"drive", CLI_OBJECT_DRIVE, "/cX[/eX]/sX", "drives, hot spares, rebuild, erase"},
    {"group", CLI_OBJECT_GROUP, "/cX/dX", "drive groups"},
    {"vd", CLI_OBJECT_VD, "/cX/vX", "virtual drives, policies, checks, expansion"},
    {"foreign", CLI_OBJECT_FOREIGN, "/cX/fX", "foreign configurations"},
    {"battery", CLI_OBJECT_BBU, "/cX/bbu", "battery and learn cycles"},
    {"cachevault", CLI_OBJECT_CACHEVAULT, "/cX/cv", "cache vault"},
};

/* Breaks at blanks; a single word that is wider stays whole. */
static void wrap(const char *text, unsigned first, unsigned indent)
{
    unsigned column = first;
    bool begins = true;

    (void)printf("%*s", (int)first, "");
    while (*text != '\0') {
        unsigned length = (unsigned)strcspn(text, " ");

        if (!begins && column + 1 + length > COLUMNS) {
            (void)printf("\n%*s", (int)indent, "");
            column = indent;
            begins = true;
        }
        (void)printf("%s%.*s", begins ? "" : " ", (int)length, text);
        column += length + (begins ? 0 : 1);
        begins = false;
        text += length;
        text += strspn(text, " ");
    }
    (void)fputc('\n', stdout);
}

static void command_print(const struct cli_command *command)
{
    wrap(command->usage, 2, 8);
    wrap(command->help, 6, 6);
}

static const struct topic *topic_find(const char *word)
{
    for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
        if (strcasecmp(word, topics[i].words) == 0) {
            return &topics[i];
        }
    }
    return NULL;
}

static const char *object_path(enum cli_object object)
{
    for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
        if (topics[i].object == object) {
            return topics[i].path;
        }
    }
    return "/cX/pX";
}

/* What StorCLI has and this has not, with what was typed for it. */
static void unsupported_print(void)
{
    for (uint32_t i = 0; i < cli_unsupported_count; i++) {
        const struct cli_unsupported *row = &cli_unsupported[i];
        const char *noun = row->noun != NULL ? row->noun : "";

        /* Each word is a command of its own. */
        do {
            size_t length = strcspn(noun, "|");

            (void)printf("  %s%s%s%s%.*s\n", object_path(row->object),
                         row->object == CLI_OBJECT_NONE ? "" : " ", row->verb,
                         length > 0 ? " " : "", (int)length, noun);
            noun += length + (noun[length] != '\0' ? 1 : 0);
        } while (*noun != '\0');
        wrap(row->why, 6, 6);
    }
}

static void topics_print(void)
{
    (void)fputs("Usage: arrayctl [--socket PATH] OBJECT COMMAND [OPTIONS] [J]\n\n", stdout);
    wrap("X in an object is a number, a list such as 0-2,5, or all; /cX/eall/sall is every drive. "
         "Lists of drives are 252:0-3,5 in an enclosure and :0-3,5 outside. J prints JSON. The "
         "socket can also be named in ARRAYWRIGHT_SOCKET; several, with colons between them, are "
         "several controllers. status, show, doctor and explain take --json.",
         0, 0);
    (void)fputs(
        "\nBegin with \"arrayctl status\", \"arrayctl explain /c0\" or \"arrayctl create\".\n"
        "\nTopics (\"arrayctl help TOPIC\"):\n",
        stdout);
    for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
        (void)printf("  %-12s %-12s %s\n", topics[i].words, topics[i].path, topics[i].shown);
    }
    (void)fputs(
        "  unsupported               what StorCLI has and this controller does not\n"
        "  all                       every command\n"
        "\n\"arrayctl help WORD\" lists the commands with a verb or noun, such as rebuild.\n",
        stdout);
}

static bool is_asked(const struct cli_command *command, const char *word, const struct topic *topic)
{
    if (topic != NULL) {
        return command->object == topic->object;
    }
    return strcasecmp(word, "all") == 0 || word_is_one_of(word, command->verb) ||
           (command->noun != NULL && noun_is_one_of(word, command->noun));
}

bool help_print(const char *word)
{
    const struct topic *topic = word != NULL ? topic_find(word) : NULL;
    char hint[REQUEST_TEXT_BYTES];
    bool any = false;

    if (word == NULL) {
        topics_print();
        return true;
    }
    if (strcasecmp(word, "unsupported") == 0) {
        unsupported_print();
        return true;
    }
    for (uint32_t i = 0; i < cli_command_count; i++) {
        if (is_asked(&cli_commands[i], word, topic)) {
            command_print(&cli_commands[i]);
            any = true;
        }
    }
    if (!any) {
        (void)fprintf(
            stderr, "arrayctl: there is no command \"%s\"%s. \"arrayctl help\" lists the topics\n",
            word, cli_verb_hint(word, hint));
    }
    return any;
}

bool help_is_wanted(const struct cli_request *request)
{
    return request->word_count > 0 &&
           strcasecmp(request->words[request->word_count - 1], "help") == 0;
}

void help_object_print(const struct cli_request *request)
{
    const char *verb = request->word_count > 1 ? request->words[0] : NULL;

    for (uint32_t i = 0; i < cli_command_count; i++) {
        const struct cli_command *command = &cli_commands[i];

        if (command->object == request->object &&
            (verb == NULL || word_is_one_of(verb, command->verb))) {
            command_print(command);
        }
    }
}
