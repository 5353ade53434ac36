/*
 * MegaCLI's words: which command they are, and for which adapters.
 */
#include "cli/mega.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/rows.h"

#define EXIT_INVALID 1
#define BLANK_LINE "                                     \n"

bool mega_is_named(const char *program)
{
    const char *name = strrchr(program, '/');

    return word_is_one_of(name != NULL ? name + 1 : program, "megacli|megacli64");
}

const char *mega_cell(const json_t *section, const char *key, char out[FORMAT_BYTES])
{
    const json_t *value = json_object_get(section, key);

    if (json_is_integer(value)) {
        (void)snprintf(out, FORMAT_BYTES, "%lld", (long long)json_integer_value(value));
        return out;
    }
    return json_is_string(value) ? json_string_value(value) : "";
}

/* "278.875 GB" stays; of "931.000 GB" one zero stays. */
static void zeros_cut(char *number_end)
{
    char *end = number_end;

    while (end[-1] == '0' && end[-2] != '.') {
        end--;
    }
    memmove(end, number_end, strlen(number_end) + 1);
}

const char *mega_size_text(const char *storcli, char out[FORMAT_BYTES])
{
    (void)snprintf(out, FORMAT_BYTES, "%s", storcli);
    char *point = strchr(out, '.');
    char *blank = strchr(out, ' ');

    if (point != NULL && blank != NULL && point < blank) {
        zeros_cut(blank);
    }
    return out;
}

const char *mega_size(uint64_t bytes, char out[FORMAT_BYTES])
{
    char text[FORMAT_BYTES];

    if (bytes == 0) {
        (void)snprintf(out, FORMAT_BYTES, "0");
    } else if (bytes < 1u << 20) {
        (void)snprintf(out, FORMAT_BYTES, "%llu KB", (unsigned long long)(bytes >> 10));
    } else {
        (void)mega_size_text(format_size(bytes, text), out);
    }
    return out;
}

bool mega_word(const struct mega_request *request, const char *word)
{
    for (uint32_t i = 0; i < request->word_count; i++) {
        if (word_is_one_of(request->words[i], word)) {
            return true;
        }
    }
    return false;
}

/* "aALL", "L0,1": the letter and a list of numbers; or the list is the next word. */
static bool list_read(const char *word, char letter, const char *next, struct cli_numbers *numbers,
                      bool *ret_used_next)
{
    const char *end = NULL;

    *ret_used_next = false;
    if ((word[0] | 0x20) != letter) {
        return false;
    }
    *ret_used_next = word[1] == '\0';
    const char *list = *ret_used_next ? next : word + 1;
    return list != NULL && numbers_parse(list, numbers, &end) && *end == '\0';
}

/* "[252:3,252:4]"; false: it is none. */
static bool drives_read(const char *word, struct mega_request *request)
{
    size_t length = strlen(word);

    if (length < 3 || length >= sizeof(request->drives) || word[0] != '[' ||
        word[length - 1] != ']') {
        return false;
    }
    (void)snprintf(request->drives, sizeof(request->drives), "%.*s", (int)(length - 2), word + 1);
    return true;
}

/* One argument; *at moves on. False: nothing is known of it. */
static bool word_read(int count, char *const *words, int *at, struct mega_request *request)
{
    const char *word = words[*at] + (words[*at][0] == '-' ? 1 : 0);
    const char *next = *at + 1 < count ? words[*at + 1] : NULL;
    bool used = false;

    if (list_read(word, 'a', next, &request->adapters, &used)) {
        *at += used ? 1 : 0;
    } else if (list_read(word, 'l', next, &request->vds, &used)) {
        request->has_vds = true;
        *at += used ? 1 : 0;
    } else if (word_is_one_of(word, "NoLog|Silent")) {
        return true;
    } else if (strcasecmp(word, "f") == 0 && next != NULL) {
        request->file = words[++*at];
    } else if (strncasecmp(word, "PhysDrv", 7) == 0) {
        return word[7] != '\0' ? drives_read(word + 7, request)
                               : next != NULL && drives_read(words[++*at], request);
    } else if (request->word_count < MEGA_WORDS_MAX) {
        request->words[request->word_count++] = word;
    } else {
        return false;
    }
    return true;
}

static const struct {
    const char *verb, *word; /* NULL: no other word is needed */
    int (*run)(struct cli_context *context, const struct mega_request *request);
    const char *usage;
} commands[] = {
    {"LDInfo", NULL, mega_vds_show, "-LDInfo -Lx|-Lall -aN|-aALL"},
    {"LDPDInfo", NULL, mega_vds_drives_show, "-LdPdInfo -aN|-aALL"},
    {"LDGetNum", NULL, mega_vds_count, "-LDGetNum -aN|-aALL"},
    {"LDGetProp", NULL, mega_vd_property_show,
     "-LDGetProp -Cache|-Access|-Name|-DskCache -Lx|-Lall -aN|-aALL"},
    {"LDBI|LDCC|LDInit", "ShowProg|ProgDsply", mega_vd_work_show,
     "-LDBI|-LDCC|-LDInit -ShowProg -Lx|-Lall -aN|-aALL"},
    {"PDList", NULL, mega_drives_show, "-PDList -aN|-aALL"},
    {"PDInfo", NULL, mega_drives_show, "-PDInfo -PhysDrv[E:S,...] -aN|-aALL"},
    {"PDGetNum", NULL, mega_drives_count, "-PDGetNum -aN|-aALL"},
    {"PDRbld", "ShowProg|ProgDsply", mega_rebuild_show,
     "-PDRbld -ShowProg -PhysDrv[E:S,...] -aN|-aALL"},
    {"AdpAllInfo", NULL, mega_adapter_show, "-AdpAllInfo -aN|-aALL"},
    {"AdpBbuCmd", NULL, mega_battery_show,
     "-AdpBbuCmd [-GetBbuStatus|-GetBbuCapacityInfo|-GetBbuDesignInfo|-GetBbuProperties] "
     "-aN|-aALL"},
    {"AdpEventLog", NULL, mega_events_show,
     "-AdpEventLog -GetEventLogInfo|-GetEvents|-GetSinceShutdown|-GetSinceReboot|"
     "-IncludeDeleted|-GetLatest N|-GetCCIncon [-info -warning -critical -fatal] [-f FILE] "
     "-aN|-aALL"},
    {"AdpPR", "Info", mega_patrol_show, "-AdpPR -Info -aN|-aALL"},
    {"AdpGetTime", NULL, mega_time_show, "-AdpGetTime -aN|-aALL"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int end(int code)
{
    (void)printf("\nExit Code: 0x%02x\n", (unsigned)code);
    return code;
}

static int help_print(void)
{
    (void)fputs("MegaCLI's commands that show:\n\n", stdout);
    for (size_t i = 0; i < COMMANDS; i++) {
        (void)printf("megacli %s\n", commands[i].usage);
    }
    (void)fputs("megacli -AdpCount\nmegacli -v\n\n"
                "What changes something is said in StorCLI's words: see arrayctl(8).\n",
                stdout);
    return end(0);
}

/* On the adapters that were named, or on all. */
static int adapters_run(struct cli_context *context, const struct mega_request *request,
                        int (*run)(struct cli_context *, const struct mega_request *))
{
    const struct cli_numbers *numbers = &request->adapters;
    bool all = numbers->all || numbers->count == 0;
    uint32_t count = all ? context->controller_count : numbers->count;
    int code = 0;

    for (uint32_t i = 0; i < count && !context->failed; i++) {
        uint32_t number = all ? i : numbers->values[i];

        if (number >= context->controller_count || context->controllers[number].model == NULL) {
            (void)printf("\nAdapter %u: The specified controller does not exist.\n", number);
            code = EXIT_INVALID;
            continue;
        }
        cli_controller_use(context, number);
        if (cli_controller(context) == NULL) {
            (void)printf("\nAdapter %u: The controller is not online yet.\n", number);
            code = EXIT_INVALID;
            continue;
        }
        int own = run(context, request);
        code = own != 0 ? own : code;
    }
    return code;
}

static int refuse(const char *word)
{
    (void)printf("\nInvalid input at or near token %.60s\n"
                 "megacli only shows; -h lists what. arrayctl(8) changes things.\n",
                 word);
    return end(EXIT_INVALID);
}

static int command_run(struct cli_context *context, const struct mega_request *request)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (word_is_one_of(request->verb, commands[i].verb) &&
            (commands[i].word == NULL || mega_word(request, commands[i].word))) {
            int code = adapters_run(context, request, commands[i].run);

            if (context->failed) {
                (void)printf("\n%s\n", context->failure);
                code = EXIT_INVALID;
            }
            return end(code);
        }
    }
    return refuse(request->word_count > 0 ? request->words[0] : request->verb);
}

int mega_run(struct cli_context *context, int count, char *const *words)
{
    struct mega_request request = {.verb = NULL};

    for (int i = 0; i < count; i++) {
        if (!word_read(count, words, &i, &request)) {
            return refuse(words[i < count ? i : count - 1]);
        }
    }
    if (request.word_count == 0 || word_is_one_of(request.words[0], "h|help|?")) {
        return help_print();
    }
    request.verb = request.words[0];
    request.word_count--;
    memmove(request.words, request.words + 1, request.word_count * sizeof(request.words[0]));
    if (word_is_one_of(request.verb, "v|Version")) {
        (void)fputs("\n      MegaCLI SAS RAID Management Tool  Ver 8.07.14 Arraywright\n", stdout);
        return end(0);
    }
    (void)fputs(BLANK_LINE, stdout);
    if (cli_controllers_open(context) == 0) {
        (void)printf("\n%s\n", context->controllers[0].failure);
        return end(EXIT_INVALID);
    }
    cli_starting_await(context);
    if (word_is_one_of(request.verb, "AdpCount")) { /* the exit code is the count, as MegaCLI's */
        (void)printf("\nController Count: %u.\n", context->controller_count);
        return end((int)context->controller_count);
    }
    return command_run(context, &request);
}
