/*
 * The commands of arrayctl: one table, StorCLI's grammar. A row says which object, verb and
 * noun it is for and which options it takes; anything else typed is an error.
 *
 * Controllers are numbered in the order in which the sockets of their agents were named, and of
 * one agent as it numbers them; a command runs on one after the other.
 */
#ifndef ARRAYWRIGHT_CLI_COMMAND_H
#define ARRAYWRIGHT_CLI_COMMAND_H

#include <stdio.h>

#include "cli/client.h"
#include "cli/model.h"
#include "cli/report.h"
#include "cli/request.h"

#define CLI_OPTIONS_MAX 24u
#define CLI_CONTROLLERS_MAX 16u

struct cli_option {
    const char *name;  /* as in the table, without '=' */
    const char *value; /* NULL: a flag */
};

struct cli_controller {
    const char *socket;
    uint32_t index;        /* what its agent calls it */
    struct client *client; /* NULL: not reached; one for all of an agent */
    struct model *model;
    char failure[CLIENT_TEXT_BYTES]; /* why not */
};

struct cli_context {
    struct cli_request request;
    const struct cli_command *command; /* NULL until it is found */
    uint32_t socket_count;
    const char *sockets[CLI_CONTROLLERS_MAX];
    uint32_t controller_count;
    struct cli_controller controllers[CLI_CONTROLLERS_MAX];
    /* The controller the command runs on now. */
    int number;
    int shift; /* its agent's /c0 is /c and this here */
    struct client *client;
    struct model *model;
    struct report report;
    uint32_t option_count;
    struct cli_option options[CLI_OPTIONS_MAX];
    char failure[CLIENT_TEXT_BYTES]; /* the connection broke: nothing else is printed */
    bool failed;
    bool exit_code; /* --exit-code: status tells scripts how the controllers are */
    bool documents; /* --json: the agent's own documents */
    json_t *documents_shown; /* those to print in the end; NULL: none were asked for */
    bool printed;    /* the command has printed what there is to say itself */
    bool absent_too; /* drives that were pulled can be named as well */
};

struct cli_command {
    enum cli_object object;
    const char *verb;    /* "delete|del" */
    const char *noun;    /* "rebuild", "bgi|init"; NULL: none; "patrolread=": an option as well */
    const char *options; /* "force name=": words that may follow, those with a value end in = */
    void (*run)(struct cli_context *context);
    const char *usage;
    const char *help;
};

extern const struct cli_command cli_commands[];
extern const uint32_t cli_command_count;

/* Operations that do not exist here: StorCLI has them, we answer that they are not supported. */
struct cli_unsupported {
    enum cli_object object;
    const char *verb;
    const char *noun; /* the word behind the verb, a property as "name="; NULL: the verb at all */
    const char *what; /* behind "does not support"; NULL: what was typed */
    const char *why;  /* a sentence: the reason, or what to do instead */
    bool fixed;       /* "show" gives the value that always holds; setting that one succeeds */
};

extern const struct cli_unsupported cli_unsupported[];
extern const uint32_t cli_unsupported_count;
/* The row for what was typed, or NULL. */
const struct cli_unsupported *cli_unsupported_find(const struct cli_request *request);
void cli_unsupported_report(struct cli_context *context, const struct cli_unsupported *row);

/* The sockets in "a:b"; each is an agent. The text is cut up. */
void cli_sockets_add(struct cli_context *context, char *list);
/* How many controllers could be asked. An agent that could not counts as one that is not there. */
uint32_t cli_controllers_open(struct cli_context *context);
void cli_controllers_close(struct cli_context *context);
void cli_controller_use(struct cli_context *context, uint32_t number);
/* Waits a moment for controllers whose start is not over, and leaves out what is still unknown. */
void cli_starting_await(struct cli_context *context);
/* Asks the controller again; false: it does not answer. */
MUST_CHECK bool cli_picture_renew(struct cli_context *context);

/* Offers words for the last of those that were typed, one per line. */
void cli_complete(int count, char *const *words);

/* Finds the row and fills the options. NULL with text. */
const struct cli_command *cli_command_find(struct cli_context *context,
                                           char text[REQUEST_TEXT_BYTES]);
/* Is there a command with this verb, and with this word (a noun or an option, "size=")? */
bool cli_command_exists(enum cli_object object, const char *verb, const char *word);
/* " (did you mean \"show\"?)" if a verb of any object is typed nearly like this, or "". */
const char *cli_verb_hint(const char *typed, char out[REQUEST_TEXT_BYTES]);
/* Is a word one of "a|b" (or "a b"), ignoring case? */
bool word_is_one_of(const char *word, const char *alternatives);
/* Is the typed word one of the nouns "a|b=", of which b has a value? */
bool noun_is_one_of(const char *word, const char *nouns);
/* Of the words of a request, the first that is an option of the command. */
uint32_t cli_command_options_at(const struct cli_command *command,
                                const struct cli_request *request);

const char *option_value(const struct cli_context *context, const char *name); /* or NULL */
bool option_has(const struct cli_context *context, const char *name);
/* A whole number in an option; false if it is absent or something else. */
bool option_number(const struct cli_context *context, const char *name, uint64_t *ret_value);

/* Every object the request names. visit(object) for those that exist; the numbers that were
 * named one by one and do not exist are appended to `missing` as failures. */
typedef void (*cli_visit)(struct cli_context *context, const struct model_object *object,
                          void *data);
void cli_each_drive(struct cli_context *context, json_t *missing, cli_visit visit, void *data);
void cli_each_numbered(struct cli_context *context, enum object_kind kind, json_t *missing,
                       cli_visit visit, void *data);
/* The controller the command runs on; NULL while it is not online. */
const struct model_object *cli_controller(const struct cli_context *context);

/* Reports for the controller the command runs on. */
void cli_answer(struct cli_context *context, const char *description, json_t *data);
/* StorCLI's failures: of a property, of a command of the controller. */
void cli_refuse_property(struct cli_context *context, const char *property, int error,
                         const char *message);
void cli_refuse(struct cli_context *context, const char *description, int error,
                const char *message);
/* "r5" or "raid5": the level's word; NULL: it is none. */
const char *cli_level_named(const char *word);
/* value_refusal.c: "rebuildrate= does not take \"200\"; write rebuildrate=<0-100>". */
void cli_value_wrong(const struct cli_context *context, const char *option, const char *typed,
                     char out[REQUEST_TEXT_BYTES]);
/* The same for the agent's "invalid_argument"; false: no option that was typed is meant. */
bool cli_argument_wrong(const struct cli_context *context, const json_t *args, const json_t *reason,
                        char out[REQUEST_TEXT_BYTES]);
/* A file that was named could not be written: errno. */
void cli_refuse_file(struct cli_context *context, const char *description, const char *path);

/* Runs one command on the agent. 0, or StorCLI's error number with its sentence. */
int cli_execute(struct cli_context *context, const char *op, json_t *args, const char *confirm,
                char message[REQUEST_TEXT_BYTES]);

#endif
