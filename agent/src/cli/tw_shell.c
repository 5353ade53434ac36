/*
 * tw_cli's shell: commands from the input behind a prompt, or from the lines of a script.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/tw.h"

#define FOCUS_BYTES 32u

/* Is the first word a command of the shell, or a whole address? */
static bool stands_alone(const char *word)
{
    return word[0] == '/' || word_is_one_of(word, "info|maint|alarms|sched|help|focus");
}

/* "/c0", "..", "u1", "/": what commands without an address are about. */
static bool focus_move(char focus[FOCUS_BYTES], const char *to)
{
    struct tw_request request;
    char moved[TW_LINE_BYTES];
    char show[] = "show";
    char *words[] = {moved, show};

    if (strcmp(to, "..") == 0) {
        char *last = strrchr(focus, '/');

        (void)snprintf(moved, sizeof(moved), "%.*s", last != NULL ? (int)(last - focus) : 0, focus);
    } else if (strcmp(to, "/") == 0) {
        moved[0] = '\0';
    } else {
        const char *name = strncmp(to, "./", 2) == 0 ? to + 2 : to;

        (void)snprintf(moved, sizeof(moved), "%s%s%.400s", name[0] == '/' ? "" : focus,
                       name[0] == '/' ? "" : "/", name);
    }
    if (strlen(moved) >= FOCUS_BYTES ||
        (moved[0] != '\0' && !tw_request_read(2, words, &request))) {
        return false;
    }
    memcpy(focus, moved, strlen(moved) + 1);
    return true;
}

/* The units and drives as they are now: a shell may stay open for days. */
static bool pictures_renew(struct cli_context *context)
{
    for (uint32_t i = 0; i < context->controller_count; i++) {
        if (context->controllers[i].model != NULL) {
            cli_controller_use(context, i);
            if (!cli_picture_renew(context) && context->failed) {
                return false;
            }
        }
    }
    return true;
}

static int words_run(struct cli_context *context, char focus[FOCUS_BYTES], int count, char **words)
{
    char *all[TW_WORDS_MAX + 1];

    if (strcasecmp(words[0], "focus") == 0) {
        return count == 2 && focus_move(focus, words[1]) ? 0 : tw_complain(TW_ERROR_OBJECT);
    }
    if (!pictures_renew(context)) {
        return tw_complain("Error: the connection to arrayd broke.\n");
    }
    if (focus[0] == '\0' || stands_alone(words[0])) {
        return tw_words_run(context, count, words);
    }
    all[0] = focus;
    memcpy(all + 1, words, (size_t)count * sizeof(words[0]));
    return tw_words_run(context, count + 1, all);
}

/* A line of a script or of the shell; true when it was the last. */
static bool line_run(struct cli_context *context, char focus[FOCUS_BYTES], char *line, int *code)
{
    char *words[TW_WORDS_MAX];
    char *rest = NULL;
    int count = 0;

    line[strcspn(line, "#\r\n")] = '\0';
    for (char *word = strtok_r(line, " \t", &rest); word != NULL && count < (int)TW_WORDS_MAX - 1;
         word = strtok_r(NULL, " \t", &rest)) {
        words[count++] = word;
    }
    if (count == 0 || strcasecmp(words[0], "noscan") == 0) {
        return false;
    }
    if (word_is_one_of(words[0], "quit|exit")) {
        return true;
    }
    *code = words_run(context, focus, count, words);
    return false;
}

static int lines_run(struct cli_context *context, FILE *in, bool prompt)
{
    char line[TW_LINE_BYTES];
    char focus[FOCUS_BYTES] = "";
    bool done = false;
    int code = 0;

    while (!done) {
        if (prompt) {
            (void)printf("//localhost%s> ", focus);
            (void)fflush(stdout);
        }
        done = fgets(line, sizeof(line), in) == NULL || line_run(context, focus, line, &code);
    }
    return code;
}

int tw_shell_run(struct cli_context *context)
{
    (void)lines_run(context, stdin, true);
    return 0;
}

int tw_script_run(struct cli_context *context, const char *path)
{
    FILE *script = fopen(path, "re");

    if (script == NULL) {
        return tw_complain("Error: (CLI:053) The script cannot be read.\n");
    }
    int code = lines_run(context, script, false);
    (void)fclose(script);
    return code;
}
