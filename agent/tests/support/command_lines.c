/*
 * Runs and judges command lines: see command_lines.h.
 *
 * The judge knows nothing of how arrayctl finds its commands. For every change that was asked for
 *
 * (1) there is a rule, which names the words that must stand on the line;
 * (2) its target is among the objects that the line names;
 * (3) it is forced or confirmed only if the line says so;
 * (4) what it sets was typed.
 */
#include "command_lines.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli_world.h"
#include "line_draw.h"

#define CONTROL "start|stop|pause|suspend|resume"
#define EMPTY_EVERY 256u
#define FOLDER "/tmp/aw-lines-XXXXXX"

/* A command that is new to the agent gets its row here: which words it takes to ask for it. */
static const struct rule {
    const char *op;
    enum cli_object object;
    const char *verb;
    const char *word; /* another that has to stand on the line; "x=": its beginning */
    const char *kind; /* of the target ... */
    const char *argument; /* ... and where its key is */
} rules[] = {
    {"vd_create", CLI_OBJECT_CONTROLLER, "add", "vd", "controller", "controller"},
    {"vd_delete", CLI_OBJECT_VD, "delete|del", NULL, "virtual_drive", "virtual_drive"},
    {"vd_set", CLI_OBJECT_VD, "set", NULL, "virtual_drive", "virtual_drive"},
    {"controller_set", CLI_OBJECT_CONTROLLER, "set", NULL, "controller", "controller"},
    {"patrol_read", CLI_OBJECT_CONTROLLER, CONTROL, "patrolread|pr", "controller", "controller"},
    {"spare_add", CLI_OBJECT_DRIVE, "add", "hotsparedrive", "drive", "drive"},
    {"spare_remove", CLI_OBJECT_DRIVE, "delete|del", "hotsparedrive", "drive", "drive"},
    {"drive_offline", CLI_OBJECT_DRIVE, "set", "offline", "drive", "drive"},
    {"drive_online", CLI_OBJECT_DRIVE, "set", "online", "drive", "drive"},
    {"drive_good", CLI_OBJECT_DRIVE, "set", "good", "drive", "drive"},
    {"drive_missing", CLI_OBJECT_DRIVE, "set", "missing", "drive", "drive"},
    {"drive_jbod", CLI_OBJECT_DRIVE, "set", "jbod", "drive", "drive"},
    {"drive_replace", CLI_OBJECT_DRIVE, "insert", "dg=", "drive", "drive"},
    {"drive_spindown", CLI_OBJECT_DRIVE, "spindown", NULL, "drive", "drive"},
    {"drive_spinup", CLI_OBJECT_DRIVE, "spinup", NULL, "drive", "drive"},
    {"drive_erase", CLI_OBJECT_DRIVE, "start|stop", "erase", "drive", "drive"},
    {"drive_locate", CLI_OBJECT_DRIVE, "start|stop", "locate", "drive", "drive"},
    {"fault_inject", CLI_OBJECT_DRIVE, "set", "fault=", "drive", "drive"},
    {"rebuild", CLI_OBJECT_DRIVE, CONTROL, "rebuild", "drive", "drive"},
    {"copyback", CLI_OBJECT_DRIVE, CONTROL, "copyback", "drive", "drive"},
    {"bgi", CLI_OBJECT_VD, CONTROL, "bgi", "virtual_drive", "virtual_drive"},
    {"consistency_check", CLI_OBJECT_VD, CONTROL, "cc", "virtual_drive", "virtual_drive"},
    {"vd_expand", CLI_OBJECT_VD, "expand", NULL, "virtual_drive", "virtual_drive"},
    {"vd_measure", CLI_OBJECT_VD, "start|stop", "measure", "virtual_drive", "virtual_drive"},
    {"counters_reset", CLI_OBJECT_DRIVE, "delete|del", "perf", "drive", "key"},
    {"counters_reset", CLI_OBJECT_VD, "delete|del", "perf", "virtual_drive", "key"},
    {"cache_discard", CLI_OBJECT_VD, "delete|del", "preservedcache", "virtual_drive",
     "virtual_drive"},
    {"vd_init", CLI_OBJECT_VD, "start", "init", "virtual_drive", "virtual_drive"},
    {"cache_flush", CLI_OBJECT_VD, "flushcache|flush", NULL, "virtual_drive", "key"},
    {"cache_flush", CLI_OBJECT_CONTROLLER, "flushcache|flush", NULL, "controller", "key"},
    {"doubt_clear", CLI_OBJECT_VD, "delete|del", "doubt", "virtual_drive", "virtual_drive"},
    {"foreign_import", CLI_OBJECT_FOREIGN, "import", NULL, "controller", "controller"},
    {"foreign_clear", CLI_OBJECT_FOREIGN, "delete|del|clear", NULL, "controller", "controller"},
    {"undo_restore", CLI_OBJECT_CONTROLLER, "restore", NULL, "controller", "controller"},
    {"stripe_create", CLI_OBJECT_NONE, "add", "stripe", "virtual_drive", "virtual_drives"},
    {"stripe_delete", CLI_OBJECT_NONE, "delete|del", "stripe", "virtual_drive", "stripe"},
    {"battery_learn", CLI_OBJECT_BBU, "start", "learn", "battery", "battery"},
    {"battery_set", CLI_OBJECT_BBU, "set", NULL, "battery", "battery"},
    {"battery_fault", CLI_OBJECT_BBU, "set", "fault=", "battery", "battery"},
};

/* What sets an argument. */
static const struct {
    const char *op, *argument, *word;
} settings[] = {
    {"vd_set", "name", "name="},
    {"vd_set", "write_policy", "wrcache="},
    {"vd_set", "read_policy", "rdcache="},
    {"vd_set", "io_policy", "iopolicy="},
    {"vd_set", "drive_cache_policy", "pdcache="},
    {"vd_set", "degraded_policy", "ondegrade="},
    {"vd_set", "access", "accesspolicy="},
    {"vd_set", "stripe_log_mode", "stripelog="},
    {"vd_set", "hedged_reads", "hedgedreads="},
    {"controller_set", "rebuild_rate_percent", "rebuildrate="},
    {"controller_set", "bgi_rate_percent", "bgirate="},
    {"controller_set", "glitch_seconds", "glitchtime="},
    {"controller_set", "coercion", "coercion="},
    {"controller_set", "patrol_rate_percent", "prrate="},
    {"controller_set", "patrol_delay_hours", "delay="},
    {"controller_set", "patrol_ssds", "includessds="},
    {"controller_set", "patrol_drives_max", "maxconcurrentpd="},
    {"controller_set", "patrol_next_at_us", "starttime="},
    {"controller_set", "auto_rebuild", "autorebuild="},
    {"controller_set", "copyback", "copyback="},
    {"controller_set", "predictive_copyback", "smarter="},
    {"drive_erase", "pattern_a", "patternA="},
    {"drive_erase", "pattern_b", "patternB="},
    {"drive_locate", "seconds", "seconds="},
    {"vd_expand", "size_bytes", "size="},
    {"battery_set", "learn_mode", "autolearnmode="},
    {"battery_set", "next_learn_at_us", "learn"}, /* learnDelayInterval=, learnStartTime= */
};

/* The same for tw_cli: which words ask for the command, and whether it has to be agreed to first.
 * Nobody answers its questions here, so "quiet" stands on the line. */
static const struct tw_rule {
    const char *op;
    const char *word; /* "x=": its beginning */
    const char *kind; /* of the target ... */
    const char *argument;
    bool asks;
} tw_rules[] = {
    {"vd_create", "type=|r", "controller", "controller", false},
    {"vd_delete", "del|deleteunit", "virtual_drive", "virtual_drive", true},
    {"vd_set", "cache=|wrcache=|rdcache=|name=|storsave=", "virtual_drive", "virtual_drive", false},
    {"controller_set", "autoverify=|verify=|rebuildrate=|verifyrate=|autorebuild=|rebuild=",
     "controller", "controller", false},
    {"consistency_check", "verify", "virtual_drive", "virtual_drive", false},
    {"patrol_read", "mediascan", "controller", "controller", false},
    {"spare_add", "type=spare|rspare", "drive", "drive", false},
    {"spare_remove", "del|deleteunit", "drive", "drive", true},
    {"rebuild", "rebuild", "drive", "drive", false},
    {"drive_replace", "rebuild", "drive", "drive", false},
    {"drive_locate", "identify=", "drive", "drive", false},
    {"drive_offline", "remove|export", "drive", "drive", true},
    {"drive_spindown", "remove|export", "drive", "drive", true},
    {"battery_learn", "test", "battery", "battery", true},
    {"cache_flush", "flush", "controller", "key", false},
    {"cache_flush", "flush", "virtual_drive", "key", false},
};

static uint64_t tw_asked[sizeof(tw_rules) / sizeof(tw_rules[0])];
static uint64_t asked[sizeof(rules) / sizeof(rules[0])]; /* by rule */
static struct line line;
static FILE *report; /* stderr as it was */
static char folder[] = FOLDER;

static void wrong(const char *what, const struct cli_recorded *command)
{
    (void)fprintf(report, "%s: %s\n", command != NULL ? command->op : "-", what);
    if (command != NULL) {
        (void)json_dumpf(command->args, report, JSON_INDENT(1));
    }
    for (int i = 0; i < line.count; i++) {
        (void)fprintf(report, "\n[%s]", line.words[i]);
    }
    (void)fputc('\n', report);
    (void)fflush(report);
    abort();
}

static void assert_failed(const char *expression, const char *file, int at)
{
    (void)fprintf(report, "%s:%d: ", file, at);
    wrong(expression, NULL);
}

static void expect(bool holds, const char *what, const struct cli_recorded *command)
{
    if (!holds) {
        wrong(what, command);
    }
}

/* Stands one of the words, or one with that beginning, on the line? */
static const char *typed(const char *alternatives)
{
    for (int i = 1; i < line.count; i++) {
        const char *word = line.words[i];
        size_t length = strlen(alternatives);

        if (word_is_one_of(word, alternatives) ||
            ((alternatives[length - 1] == '=' || strcmp(alternatives, "learn") == 0) &&
             strncasecmp(word, alternatives, length) == 0)) {
            return word;
        }
    }
    return NULL;
}

/* Does the line ask for words to complete it? Behind --socket the same word names a socket. */
static bool is_completion(void)
{
    for (int i = 1; i < line.count; i++) {
        if (strcmp(line.words[i], "--socket") == 0) {
            i++;
        } else if (strcmp(line.words[i], "--complete") == 0) {
            return true;
        }
    }
    return false;
}

/* The objects of the line, as they were typed. */
static void objects_read(struct cli_request *request)
{
    char *words[LINE_WORDS_MAX];
    char text[REQUEST_TEXT_BYTES];
    int count = 0;

    for (int i = 1; i < line.count; i++) {
        if (line.words[i][0] == '/' || count == 0) {
            words[count] = line.words[i];
            count += strncmp(line.words[i], "--", 2) == 0 ? 0 : 1;
        }
    }
    expect(request_parse(count, words, request, text), "no object was typed", NULL);
}

static bool drive_is_named(const struct cli_request *request, const json_t *doc)
{
    bool inside = !doc_is_null(doc, "eid");

    if (!inside && request->has_enclosure) { /* only "every drive" */
        return request->enclosures.all && request->drives.all;
    }
    return inside == request->has_enclosure &&
           (!inside || numbers_have(&request->enclosures, doc_u64(doc, "eid"))) &&
           numbers_have(&request->drives, doc_u64(doc, inside ? "slot" : "did"));
}

static bool target_is_named(const struct rule *rule, const struct cli_recorded *command)
{
    static struct cli_request request;
    const json_t *doc = cli_world_doc(rule->kind, doc_text(command->args, rule->argument));

    objects_read(&request);
    if (rule->object == CLI_OBJECT_NONE) { /* it names them itself (stripe_judge) */
        return request.object == CLI_OBJECT_NONE;
    }
    if (doc == NULL || request.object != rule->object ||
        !numbers_have(&request.controllers, (uint64_t)command->number)) {
        return false;
    }
    if (rule->object == CLI_OBJECT_DRIVE) {
        return drive_is_named(&request, doc);
    }
    return rule->object != CLI_OBJECT_VD || numbers_have(&request.vds, doc_u64(doc, "index"));
}

/* It writes only if that was typed, and never unconfirmed. */
static void measure_judge(const struct cli_recorded *command)
{
    const json_t *loads = json_object_get(command->args, "loads");
    bool writes = doc_u64(json_array_get(loads, 0), "write_percent") > 0;

    expect(!writes || typed("writes=") != NULL, "writes what was only to be read", command);
    expect(!writes || command->confirmed, "overwrites unconfirmed", command);
    expect((loads != NULL) == (typed("start") != NULL), "not what starts", command);
}

static void settings_judge(const struct cli_recorded *command)
{
    const char *argument;
    json_t *value;

    json_object_foreach(command->args, argument, value)
    {
        for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
            if (strcmp(settings[i].op, command->op) == 0 &&
                strcmp(settings[i].argument, argument) == 0) {
                expect(typed(settings[i].word) != NULL, "sets what was not typed", command);
            }
        }
    }
}

/* Is the drive one of these places, as they were typed? */
static bool place_is_typed(const char *places, const char *key)
{
    static struct cli_place list[256];
    const json_t *doc = cli_world_doc("drive", key);
    uint32_t count = 0;

    if (doc == NULL || !places_parse(places, list, 256, &count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].slot == drive_number(doc) &&
            (list[i].outside ? doc_is_null(doc, "eid")
                             : !list[i].has_eid || drive_is_in(doc, list[i].eid))) {
            return true;
        }
    }
    return false;
}

/* The places behind an option; drives, also as enclosure and slots on their own. */
static const char *places_typed(const char *option)
{
    static char list[1 << 16];
    const char *word = typed(option);
    const char *slots = typed("s=");
    const char *enclosure = typed("e=");

    if (word != NULL || strcmp(option, "drives=") != 0 || slots == NULL) {
        return word != NULL ? word + strlen(option) : NULL;
    }
    (void)snprintf(list, sizeof(list), "%s%s%s", enclosure != NULL ? enclosure + 2 : "",
                   enclosure != NULL ? ":" : "", slots + 2);
    return list;
}

/* Every drive that would become a member, or a spare, was typed as one. */
static void members_judge(const struct cli_recorded *command, const char *argument,
                          const char *option)
{
    const json_t *keys = json_object_get(command->args, argument);
    const char *places = places_typed(option);
    json_t *key;
    size_t index;

    json_array_foreach(keys, index, key)
    {
        expect(places != NULL && place_is_typed(places, json_string_value(key)),
               "a drive that was not typed", command);
    }
}

/* Does it stand in the saved configuration? */
static bool is_saved(const char *file, const char *word)
{
    static char text[1 << 20];
    FILE *in = fopen(file, "r");
    size_t bytes = in != NULL ? fread(text, 1, sizeof(text) - 1, in) : 0;

    text[bytes] = '\0';
    if (in != NULL) {
        (void)fclose(in);
    }
    return strstr(text, "arraywright-config") != NULL && strstr(text, word) != NULL;
}

/* "set config file=": what it asks for, the file spells; of what it makes it may take back. */
static bool is_restoring(const struct cli_recorded *command)
{
    static const char ops[] = "vd_create|vd_set|vd_delete|spare_add|spare_remove|controller_set";
    static struct cli_request request;
    const char *file = typed("file=");
    const json_t *drives = json_object_get(command->args, "drives");
    json_t *key;
    size_t index;

    objects_read(&request);
    if (file == NULL || typed("set") == NULL || typed("config") == NULL ||
        !word_is_one_of(command->op, ops) || request.object != CLI_OBJECT_CONTROLLER ||
        !numbers_have(&request.controllers, (uint64_t)command->number)) {
        return false;
    }
    file += strlen("file=");
    json_array_foreach(drives, index, key)
    {
        expect(is_saved(file, json_string_value(key)), "a drive that was not saved", command);
    }
    expect(typed("dryrun") == NULL, "a dry run", command);
    return is_saved(file, doc_text(command->args, "name")) &&
           is_saved(file, doc_text(command->args, "drive")) && is_saved(file, command->confirm);
}

/* "delete config force": all of this controller, and nothing that is in use. */
static bool is_clearing(const struct cli_recorded *command)
{
    static struct cli_request request;

    objects_read(&request);
    if (!word_is_one_of(command->op, "vd_delete|spare_remove") || typed("delete|del") == NULL ||
        typed("config") == NULL || request.object != CLI_OBJECT_CONTROLLER ||
        !numbers_have(&request.controllers, (uint64_t)command->number)) {
        return false;
    }
    expect(typed("force") != NULL, "cleared without force", command);
    expect(!doc_bool(command->args, "force"), "forced", command);
    return true;
}

/* Members were typed as controller:number, the one to be dissolved by its name. */
static void stripe_judge(const struct cli_recorded *command)
{
    static struct cli_place list[256];
    const char *stripe = json_string_value(json_object_get(command->args, "stripe"));
    const char *word = typed(stripe != NULL ? "name=" : "vds=");
    const json_t *keys = json_object_get(command->args, "virtual_drives");
    uint32_t count = 0;
    json_t *key;
    size_t index;

    expect(word != NULL, "names what was not typed", command);
    if (stripe != NULL) {
        const char *name = cli_world_stripe(stripe);

        expect(name != NULL && (strcmp(word + 5, name) == 0 || strcmp(word + 5, stripe) == 0),
               "dissolves what was not typed", command);
        return;
    }
    expect(places_parse(word + 4, list, 256, &count) && count == json_array_size(keys),
           "members that were not typed", command);
    json_array_foreach(keys, index, key)
    {
        const json_t *doc = cli_world_doc("virtual_drive", json_string_value(key));

        expect(doc != NULL && list[index].has_eid && list[index].slot == doc_u64(doc, "index") &&
                   list[index].eid == (uint32_t)command->number,
               "a member that was not typed", command);
    }
}

/* Does a word begin with, or where that has no "=", equal one of the alternatives? */
static bool tw_typed(const char *alternatives)
{
    for (int i = 1; i < line.count; i++) {
        if (noun_is_one_of(line.words[i], alternatives) ||
            (strcmp(alternatives, "type=|r") == 0 && line.words[i][0] == 'r')) {
            return true;
        }
    }
    return false;
}

/* Is "u0" or "p3" named, in an address, as a word, or in a list of ports? */
static bool tw_part_typed(char letter, uint64_t number)
{
    char part[24];

    (void)snprintf(part, sizeof(part), "%c%llu", letter, (unsigned long long)number);
    for (int i = 1; i < line.count; i++) {
        const char *found = strstr(line.words[i], part);

        if (found != NULL && (found[strlen(part)] < '0' || found[strlen(part)] > '9')) {
            return true;
        }
    }
    return false;
}

/* Is the port in a "disk=0:4-6" or "p0:4-6" of the line? */
static bool tw_disk_typed(uint64_t number)
{
    for (int i = 1; i < line.count; i++) {
        const char *word = line.words[i];
        const char *at = strncasecmp(word, "disk=", 5) == 0 ? word + 5
                         : word[0] == 'p'                   ? word + 1
                                                            : "";

        while (*at >= '0' && *at <= '9') {
            char *end = NULL;
            unsigned long first = strtoul(at, &end, 10);
            unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

            if (number >= first && number <= last) {
                return true;
            }
            at = *end == ':' || *end == ',' ? end + 1 : "";
        }
    }
    return false;
}

static bool tw_typed_any(char letter)
{
    for (int i = 1; i < line.count; i++) {
        const char *part = strchr(line.words[i], letter);

        if (part != NULL && part[1] >= '0' && part[1] <= '9') {
            return true;
        }
    }
    return false;
}

static bool tw_typed_unit(void)
{
    return tw_typed_any('u');
}

/* A drive is named by its port; or its unit is: a spare to delete, the drives to identify, the one
 * that a rebuild to be paused runs on. */
static bool tw_target_is_named(const struct tw_rule *rule, const struct cli_recorded *command)
{
    const json_t *doc = cli_world_doc(rule->kind, doc_text(command->args, rule->argument));

    if (doc != NULL && strcmp(rule->op, "cache_flush") == 0 && !tw_typed_any('c')) {
        return true; /* of all controllers */
    }
    if (doc == NULL || !tw_part_typed('c', (uint64_t)command->number)) {
        return false;
    }
    if (strcmp(rule->kind, "virtual_drive") == 0) {
        return tw_part_typed('u', doc_u64(doc, "index"));
    }
    if (strcmp(rule->kind, "drive") != 0) {
        return true;
    }
    return tw_part_typed('p', doc_u64(doc, "did")) || tw_disk_typed(doc_u64(doc, "did")) ||
           (word_is_one_of(rule->op, "spare_remove|drive_locate") && tw_typed_unit()) ||
           (strcmp(rule->op, "rebuild") == 0 && tw_typed("pause|resume") && tw_typed_unit());
}

static void tw_drives_judge(const struct cli_recorded *command)
{
    json_t *key;
    size_t index;

    json_array_foreach(json_object_get(command->args, "drives"), index, key)
    {
        const json_t *doc = cli_world_doc("drive", json_string_value(key));

        expect(doc != NULL && tw_disk_typed(doc_u64(doc, "did")), "a drive that was not typed",
               command);
    }
}

static void tw_command_judge(const struct cli_recorded *command)
{
    bool known = false;
    bool allowed = false;

    for (size_t i = 0; i < sizeof(tw_rules) / sizeof(tw_rules[0]); i++) {
        const struct tw_rule *rule = &tw_rules[i];

        if (strcmp(rule->op, command->op) != 0) {
            continue;
        }
        known = true;
        if (tw_typed(rule->word) && tw_target_is_named(rule, command) &&
            (!rule->asks || tw_typed("quiet"))) {
            allowed = true;
            tw_asked[i]++;
        }
    }
    expect(known, "the judge has no rule for this command (command_lines.c)", command);
    expect(allowed, "the line does not spell it", command);
    expect((!doc_bool(command->args, "force") && !doc_bool(command->args, "accept_risk") &&
            !command->confirmed) ||
               tw_typed("quiet"),
           "what nobody has agreed to", command);
    expect(!doc_bool(command->args, "correct"), "data taken as right", command);
    tw_drives_judge(command);
}

static void command_judge(const struct cli_recorded *command)
{
    bool known = false;
    bool allowed = false;

    expect(!line.mega && !is_completion(), "nothing is changed here", command);
    if (line.threeware) {
        tw_command_judge(command);
        return;
    }
    if (is_restoring(command) || is_clearing(command)) {
        return;
    }

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        const struct rule *rule = &rules[i];

        if (strcmp(rule->op, command->op) != 0) {
            continue;
        }
        known = true;
        if (typed(rule->verb) != NULL && (rule->word == NULL || typed(rule->word) != NULL) &&
            target_is_named(rule, command)) {
            allowed = true;
            asked[i]++;
        }
    }
    expect(known, "the judge has no rule for this command (command_lines.c)", command);
    expect(allowed, "the line does not spell it", command);
    expect(!doc_bool(command->args, "force") || typed("force") != NULL, "forced", command);
    expect(!doc_bool(command->args, "correct") || typed("correct") != NULL, "data taken as right",
           command);
    expect(json_object_get(command->args, "preset") == NULL || typed("preset=") != NULL ||
               typed("storsave=") != NULL,
           "a preset nobody typed", command);
    expect(!doc_bool(command->args, "accept_risk") || typed("acceptrisk") != NULL ||
               typed("quiet") != NULL,
           "a risk accepted", command);
    expect(!command->confirmed || typed("force") != NULL || typed("confirm=") != NULL ||
               doc_bool(command->args, "unless_content"),
           "confirmed", command);
    expect(!doc_bool(command->args, "unless_content") || typed("force") == NULL,
           "asks for what force is there for", command);
    settings_judge(command);
    if (strcmp(command->op, "copyback") == 0) {
        const char *word = typed("target=");

        expect(json_object_get(command->args, "target") == NULL ||
                   (word != NULL &&
                    place_is_typed(word + strlen("target="), doc_text(command->args, "target"))),
               "a drive that was not typed", command);
    }
    if (strcmp(command->op, "vd_create") == 0) {
        members_judge(command, "drives", "drives=");
        members_judge(command, "spares", "spares=");
    }
    if (strncmp(command->op, "stripe_", 7) == 0) {
        stripe_judge(command);
    }
    if (strcmp(command->op, "vd_measure") == 0) {
        measure_judge(command);
    }
}

void command_lines_open(void)
{
    (void)unsetenv("ARRAYWRIGHT_SOCKET");
    cli_world_open();
    /* Sanitizers go on writing to the descriptor. */
    report = stderr;
    stderr = fopen("/dev/null", "w");
    (void)assert_set_handler(assert_failed);
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || stderr == NULL ||
        freopen("/dev/null", "r", stdin) == NULL) {
        abort();
    }
}

/* Spoilt lines name files as they like; they lie in the folder. */
static void folder_empty(void)
{
    DIR *entries = opendir(".");
    const struct dirent *entry;

    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        (void)unlink(entry->d_name); /* "." and ".." stay */
    }
    (void)closedir(entries);
}

void command_lines_close(void)
{
    folder_empty();
    expect(chdir("/") == 0 && rmdir(folder) == 0, "the folder could not be removed", NULL);
    (void)fclose(stderr);
    stderr = report;
    cli_world_close();
}

const char *command_lines_missing(void)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (asked[i] == 0) {
            return rules[i].op;
        }
    }
    for (size_t i = 0; i < sizeof(tw_rules) / sizeof(tw_rules[0]); i++) {
        if (tw_asked[i] == 0) {
            return tw_rules[i].op;
        }
    }
    return NULL;
}

/* Before "set config" the file is there, mostly: true if so. */
static bool config_save(struct draw *draw)
{
    const char *file = typed("file=");
    char object[] = "/c0";
    char verb[] = "get";
    char noun[] = "config";
    char option[LINE_BYTES];
    char *words[] = {line.words[0], object, verb, noun, option};

    if (file != NULL && typed("set") != NULL && typed("config") != NULL &&
        draw_below(draw, 8) != 1 && !line.threeware) {
        (void)snprintf(option, sizeof(option), "%s", file);
        cli_world_use(CLI_PICTURE_HEALTHY, CLI_OUTCOME_REFUSED);
        (void)cli_run(5, words, "test");
        return true;
    }
    return false;
}

uint32_t command_line_run(const uint8_t *data, size_t size)
{
    static uint32_t runs;
    struct draw draw = {data, size, 0};
    enum cli_picture picture = draw_below(&draw, CLI_PICTURE_MAX);
    enum cli_outcome outcome = draw_below(&draw, CLI_OUTCOME_BROKEN + 1);
    char *words[LINE_WORDS_MAX + 1];

    if (++runs % EMPTY_EVERY == 0) {
        folder_empty();
    }
    line_draw(&draw, &line);
    if (typed("monitor|smart|watch") != NULL) {
        return 0; /* these do not end by themselves */
    }
    if (typed("doctor|support-bundle") != NULL) {
        return 0; /* these look at the host and run its programs; test_doctor.py tries them */
    }
    if (config_save(&draw)) {
        picture = CLI_PICTURE_EMPTY; /* there is something to restore */
    }
    cli_world_use(picture, outcome);
    memcpy(words, line.words, sizeof(words));
    int code = cli_run(line.count, words, "test");
    expect(code >= 0 && code <= 255, "an exit code that no shell can tell", NULL);
    expect(cli_world_foul_count() == 0, "something was asked that nobody may ask", NULL);
    for (uint32_t i = 0; i < cli_world_command_count(); i++) {
        command_judge(cli_world_command(i));
    }
    return cli_world_command_count();
}
