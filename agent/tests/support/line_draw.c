/*
 * Lines of the grammar: see line_draw.h.
 */
#include "line_draw.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))
#define WORD_BYTES 600u

static const char *const numbers[] = {"0",   "1",     "all",     "ALL",   "0-2", "0,2",
                                      "1-3", "3,0-1", "252",     "99",    "",    "2-0",
                                      "x",   "70000", "0-70000", "1,,2",  "8",   "0-255,7",
                                      "-1",  "all,1", "0x1",     "1-2-3", "00",  "65535"};
static const char *const places[] = {
    "252:0-2", "252:3",   "252:6,7", "e252:6-7", "252:6,252:7", "252:0,1", ":8",
    "8",       " :8",     "252:",    "252:6-5",  "all",         "",        "6,7",
    "1:1",     "252:0-9", "252:4-7", "252:6,",   "252:6:7",     "0-255"};
static const char *const sizes[] = {"all",      "100MB", "8mb",  "1.5gb",
                                    "0",        "64",    "1e99", "-5GB",
                                    "16MBytes", "7t",    "KB",   "18446744073709551615"};
static const char *const files[] = {"out", "", "out.prom"};
static const char *const values[] = {"0",
                                     "1",
                                     "30",
                                     "100",
                                     "101",
                                     "-1",
                                     "9999999999999999999999",
                                     "0x10",
                                     "5%",
                                     "on",
                                     "off",
                                     "auto",
                                     "default",
                                     "raid5",
                                     "r10",
                                     "wt",
                                     "WB",
                                     "awb",
                                     "ra",
                                     "nora",
                                     "adra",
                                     "direct",
                                     "cached",
                                     "rw",
                                     "ro",
                                     "blocked",
                                     "name",
                                     "a name",
                                     "data",
                                     "logs",
                                     "\"2026/11/22 10\"",
                                     "2026/11/22 10",
                                     "2026/13/99 77",
                                     "latest=3",
                                     "latest=99999999999",
                                     "sincereboot",
                                     "ccincon",
                                     "info",
                                     "warning,critical",
                                     "fatal,",
                                     "2h",
                                     "2026/11/22 10:00:00",
                                     "jsonl",
                                     "text",
                                     "pull",
                                     "return",
                                     "replace",
                                     "media_error",
                                     "slow",
                                     "write_error",
                                     "clear",
                                     "fail",
                                     "remove",
                                     "low_charge",
                                     "",
                                     "\xff\xfe",
                                     "%s%n%n",
                                     "S00-0",
                                     "true"};
static const char *const manners[] = {"J",         "j",      "nolog",    "J=2", "page=3", "--json",
                                      "--version", "--help", "--socket", "--x", "help"};
/* clang-format off */
static const char *const threeware[] = {
    "info", "show", "c0", "c1", "c9", "/c0", "/c0/u0", "/c0/u9", "/c0/p3", "/c0/bbu", "/c", "u0", "p0",
    "bbu", "all", "unitstatus", "drivestatus", "allunitstatus", "bbustatus", "alarms", "ver", "model",
    "rescan", "set", "add", "del", "rebuildstatus", "verifystatus", "status", "noscan", "quit", "-f",
    "none", "firmware", "serial", "capacity", "start", "rebuild", "remove", "maint", "createunit",
    "deleteunit", "verify", "flush", "migrate", "mediascan", "sched", "selftest", "diag", "events",
    "AENs", "reverse", "quiet", "focus", "stop", "pause", "resume", "type=raid5", "disk=6:7"};
static const char *const threeware_lines[] = {
    "/c0 add type=raid1 disk=6:7", "/c0 add type=raid0 disk=6-7 stripe=64 name=x nocache",
    "/c0 add type=single disk=6 storsave=balance", "/c1 add type=raid50 disk=0-7 group=3 nordcache",
    "/c0 add type=spare disk=6", "maint createunit c0 rraid1 p6:7 k64 nx g2 ncache",
    "maint createunit c0 rspare p7", "/c0/u0 del", "/c0/u2 del", "maint deleteunit c0 u1",
    "/c0/u0 set cache=off", "/c0/u1 set wrcache=on", "/c0/u0 set rdcache=basic",
    "/c0/u0 set name=x", "/c0/u0 set storsave=perform", "/c0/u1 set autoverify=off",
    "/c0/u0 set identify=on", "/c0/u0 set qpolicy=off", "/c0/u0 set ignoreECC=on",
    "/c0/u0 set rapidrecovery=all", "/c0 set rebuildrate=5", "/c0 set verifyrate=1",
    "/c0 set autorebuild=off", "/c0 set verify=basic pref=Fri:23", "/c0 set verify=disable",
    "/c0/u0 start verify", "/c0/u0 stop verify", "maint verify c0 u0", "maint verify c0 u1 stop",
    "/c0/u1 start rebuild disk=5", "/c0/u1 start rebuild disk=6", "maint rebuild c0 u1 p7",
    "/c0/u0 pause rebuild", "/c0/u0 resume rebuild", "/c0 start mediascan", "/c0 stop mediascan",
    "maint mediascan c0 start", "/c0/p3 set identify=off", "/c0/p0 remove", "/c0/p6 export",
    "maint remove c0 p7", "maint remove c0 u0", "/c0/bbu test", "/c0/u0 migrate type=raid5 disk=6",
    "/c0 flush", "maint flush c0 u0", "sched rebuild c0", "sched verify c0 enable", "focus /c0",
    "show diag", "show alarms reverse", "/c0 show selftest", "/c0/u0 show all", "alarms c0"};
/* clang-format on */

static const char *const mega_lines[] = {
    "-LDInfo -Lall -aALL",
    "-LDInfo -L0 -a0 -NoLog",
    "-LDInfo -L 1 -a 0",
    "-LDGetNum -aALL",
    "-LdPdInfo -aALL",
    "-LDGetProp -Cache -Lall -aALL",
    "-LDGetProp -Name -L1 -a0",
    "-LDGetProp -DskCache -L0 -a0",
    "-LDBI -ShowProg -Lall -aALL",
    "-LDCC -ProgDsply -L0 -a0",
    "-PDList -aALL",
    "-PDInfo -PhysDrv [252:0,252:3] -a0",
    "-PDInfo -PhysDrv[252:9] -aALL",
    "-PDGetNum -a1",
    "-PDRbld -ShowProg -PhysDrv [252:3] -aALL",
    "-AdpAllInfo -aALL",
    "AdpCount",
    "-AdpBbuCmd -aALL",
    "-AdpBbuCmd -GetBbuStatus -a0",
    "-AdpBbuCmd -BbuLearn -a0",
    "-AdpEventLog -GetEventLogInfo -aALL",
    "-AdpEventLog -GetEvents -f events.log -aALL",
    "-AdpEventLog -GetLatest 3 -warning -critical -a0",
    "-AdpEventLog -GetSinceReboot -a0",
    "-AdpEventLog -GetCCIncon -a0",
    "-AdpPR -Info -aALL",
    "-AdpGetTime -aALL",
    "-CfgLdDel -L0 -a0",
    "-PDOffline -PhysDrv [252:0] -a0",
    "-LDSetProp WB -Lall -aALL",
    "-CfgClr -aALL",
    "-v",
    "-h",
};

uint32_t draw_below(struct draw *draw, uint32_t bound)
{
    uint32_t value = draw->at < draw->size ? draw->data[draw->at++] : 0;

    if (bound > 256) {
        value = value << 8 | (draw->at < draw->size ? draw->data[draw->at++] : 0);
    }
    return bound > 0 ? value % bound : 0;
}

/* Words */

static void word_add(struct line *line, const char *text)
{
    size_t bytes = strlen(text) + 1;

    if (line->count < (int)LINE_WORDS_MAX && bytes <= sizeof(line->text) - line->used) {
        line->words[line->count++] = line->text + line->used;
        memcpy(line->text + line->used, text, bytes);
        line->used += bytes;
    }
}

static void word_stir(struct draw *draw, char *word)
{
    if (draw_below(draw, 4) != 1) {
        return;
    }
    for (; *word != '\0'; word++) {
        *word = (char)(draw_below(draw, 2) == 1 ? toupper((unsigned char)*word)
                                                : tolower((unsigned char)*word));
    }
}

/* One of "a|b c" */
static void alternative_draw(struct draw *draw, const char *list, char out[WORD_BYTES])
{
    uint32_t count = 1;

    for (const char *at = list; *at != '\0'; at++) {
        count += *at == '|' || *at == ' ' ? 1 : 0;
    }
    uint32_t skip = draw_below(draw, count);
    for (; skip > 0; skip--) {
        list += strcspn(list, "| ") + 1;
    }
    (void)snprintf(out, WORD_BYTES, "%.*s", (int)strcspn(list, "| "), list);
}

/* Raw bytes, or many of one kind. */
static void odd_draw(struct draw *draw, char out[WORD_BYTES])
{
    size_t length =
        draw_below(draw, 4) == 1 ? draw_below(draw, WORD_BYTES - 1) : draw_below(draw, 8);
    bool same = length > 8;

    for (size_t i = 0; i < length; i++) {
        out[i] = (char)(same ? 'a' : 1 + draw_below(draw, 255));
    }
    out[length] = '\0';
}

static bool is_one_of(const char *name, const char *list)
{
    size_t length = strcspn(name, "=");

    for (const char *at = list; *at != '\0'; at += strspn(at, " ")) {
        size_t part = strcspn(at, " ");

        if (part == length && strncmp(at, name, part) == 0) {
            return true;
        }
        at += part;
    }
    return false;
}

/* What options are made for. */
static const struct {
    const char *name, *values;
} sense[] = {{"wrcache", "wt|wb|awb"},
             {"rdcache", "ra|nora|adra"},
             {"iopolicy", "direct|cached"},
             {"pdcache", "on|off|default"},
             {"ondegrade", "keep|wt"},
             {"accesspolicy", "rw|ro|blocked"},
             {"stripelog", "auto|on|off"},
             {"hedgedreads autorebuild", "on|off"},
             {"rebuildrate bgirate prrate", "0|30|100%"},
             {"patrolread includessds", "on|off"},
             {"mode", "auto|manual"},
             {"delay", "0|24|168"},
             {"maxconcurrentpd", "1|8|255"},
             {"glitchtime", "0|5|300"},
             {"coercion", "0|1|2"},
             {"autolearnmode", "0|1|2|3"},
             {"learndelayinterval", "0|24|168"},
             {"fault", "pull|slow|fail|clear"},
             {"confirm", "data|logs|S00"},
             {"name", "data|new|wide"},
             {"vds", "0:0-1|0:1,0:0|1:0-1|0:0,1:1|0:0"},
             {"pattern", "random|sequential"},
             {"block writes depth workers seconds", "1|4|64"},
             {"dg array row dgs", "0|1"}};

static const char *value_draw(struct draw *draw, const char *name, char odd[WORD_BYTES])
{
    if (is_one_of(name, "file textfile cursor")) {
        return files[draw_below(draw, COUNT(files))];
    }
    if (draw_below(draw, 12) == 1) {
        odd_draw(draw, odd);
        return odd;
    }
    for (uint32_t i = 0; i < COUNT(sense); i++) {
        if (is_one_of(name, sense[i].name) && draw_below(draw, 4) != 1) {
            alternative_draw(draw, sense[i].values, odd);
            return odd;
        }
    }
    if (is_one_of(name, "drives spares s")) {
        return places[draw_below(draw, COUNT(places))];
    }
    if (is_one_of(name, "size")) {
        return sizes[draw_below(draw, COUNT(sizes))];
    }
    if (is_one_of(name, "dgs dg array row count pdperarray strip lba e")) {
        return numbers[draw_below(draw, COUNT(numbers))];
    }
    return values[draw_below(draw, COUNT(values))];
}

static void option_add(struct draw *draw, struct line *line, const char *options)
{
    char word[WORD_BYTES];
    char odd[WORD_BYTES];

    alternative_draw(draw, options, word);
    size_t length = strlen(word);
    if (length > 0 && word[length - 1] == '=') {
        const char *value = value_draw(draw, word, odd);

        word_stir(draw, word);
        memcpy(word + length, value, strnlen(value, WORD_BYTES - 1 - length) + 1);
        word[WORD_BYTES - 1] = '\0';
    } else {
        word_stir(draw, word);
    }
    word_add(line, word);
}

/* Objects */

static void object_add(struct draw *draw, struct line *line, enum cli_object object)
{
    static const struct {
        enum cli_object object;
        bool numbered;
        const char *parts[3];
    } paths[] = {{CLI_OBJECT_CONTROLLER, true, {"/c"}},
                 {CLI_OBJECT_ENCLOSURE, true, {"/c", "/e"}},
                 {CLI_OBJECT_DRIVE, true, {"/c", "/e", "/s"}},
                 {CLI_OBJECT_DRIVE, true, {"/c", "/s"}},
                 {CLI_OBJECT_GROUP, true, {"/c", "/d"}},
                 {CLI_OBJECT_VD, true, {"/c", "/v"}},
                 {CLI_OBJECT_FOREIGN, true, {"/c", "/f"}},
                 {CLI_OBJECT_PHY, true, {"/c", "/p"}},
                 {CLI_OBJECT_BBU, false, {"/c", "/bbu"}},
                 {CLI_OBJECT_CACHEVAULT, false, {"/c", "/cv"}}};
    bool outside = object == CLI_OBJECT_DRIVE && draw_below(draw, 4) == 1;
    bool apart = draw_below(draw, 4) == 1;
    char path[WORD_BYTES] = "";

    for (uint32_t i = 0; i < COUNT(paths); i++) {
        if (paths[i].object != object || outside) {
            outside = outside && paths[i].object != object;
            continue;
        }
        for (uint32_t part = 0; part < 3 && paths[i].parts[part] != NULL; part++) {
            bool numbered = part == 0 || paths[i].numbered;
            size_t used = strlen(path);
            /* Mostly things that are there. */
            uint32_t among = draw_below(draw, 8) == 1 ? COUNT(numbers) : 6;
            const char *number = strcmp(paths[i].parts[part], "/e") == 0 && among == 6
                                     ? "252"
                                     : numbers[draw_below(draw, among)];

            (void)snprintf(path + used, sizeof(path) - used, "%s%s", paths[i].parts[part],
                           numbered ? number : "");
            if (apart) {
                word_stir(draw, path);
                word_add(line, path);
                path[0] = '\0';
            }
        }
        break;
    }
    if (path[0] != '\0') {
        word_stir(draw, path);
        word_add(line, path);
    }
}

/* Lines */

static void row_add(struct draw *draw, struct line *line, enum cli_object object, const char *verb,
                    const char *noun, const char *options)
{
    bool verb_first = draw_below(draw, 8) == 1;
    char word[WORD_BYTES];

    alternative_draw(draw, verb, word);
    word_stir(draw, word);
    if (verb_first) {
        word_add(line, word);
    }
    object_add(draw, line, object);
    if (!verb_first) {
        word_add(line, word);
    }
    if (noun != NULL) {
        option_add(draw, line, noun);
    }
    for (uint32_t i = options[0] != '\0' ? draw_below(draw, 6) : 0; i > 0; i--) {
        option_add(draw, line, options);
    }
}

/* What somebody types who knows what he wants. */
static const char *const wishes[] = {
    "/c0 add vd r1 drives=252:6-7 wb name=x",
    "/c0 add vd type=raid0 drives=252:6,7 each",
    "/c0/e252/s6 insert dg=0 array=0 row=1 force",
    "/c0/e252/s6 add hotsparedrive dgs=0,1",
    "/c0/e252/s4 set offline",
    "/c0/e252/s5 set online",
    "/c0/e252/s7 set good force",
    "/c0/e252/s7 set jbod",
    "/call/eall/sall set fault=slow latency=20",
    "/c0/v0 del force",
    "/c0/vall del confirm=data",
    "/c0/v1 set wrcache=wb rdcache=ra name=other",
    "/c0/bbu set autolearnmode=1",
    "/c0/bbu set fault=low_charge",
    "/c0 set rebuildrate=60",
    "/c0 set patrolread=on mode=manual delay=24",
    "/c0 start patrolread",
    "/c0/v0 start cc force",
    "/c0/v0 start cc correct confirm=data",
    "add stripe name=wide vds=0:0-1 strip=128",
    "delete stripe name=wide confirm=wide",
    "/c0/fall import",
    "/c0/v0 start measure block=8 depth=2",
    "/c0/v0 start measure writes=50 confirm=data",
    "/c0/vall stop measure",
};

static void wish_add(struct draw *draw, struct line *line)
{
    const char *at = wishes[draw_below(draw, COUNT(wishes))];
    char word[WORD_BYTES];

    while (*at != '\0') {
        (void)snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, " "), at);
        word_stir(draw, word);
        word_add(line, word);
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
}

static void command_add(struct draw *draw, struct line *line)
{
    if (draw_below(draw, 8) == 1) {
        wish_add(draw, line);
        return;
    }
    if (draw_below(draw, 8) == 1) {
        const struct cli_unsupported *row =
            &cli_unsupported[draw_below(draw, cli_unsupported_count)];

        row_add(draw, line, row->object, row->verb, row->noun, "");
        return;
    }
    const struct cli_command *row = &cli_commands[draw_below(draw, cli_command_count)];
    if (strcmp(row->verb, "show") == 0 && draw_below(draw, 2) == 1) { /* half of all show */
        row = &cli_commands[draw_below(draw, cli_command_count)];
    }
    row_add(draw, line, row->object, row->verb, row->noun, row->options);
}

static void foreign_option_add(struct draw *draw, struct line *line)
{
    const struct cli_command *row = &cli_commands[draw_below(draw, cli_command_count)];

    option_add(draw, line, row->options);
}

/* One thing that a tired or a hostile hand does to a line. */
static void line_spoil(struct draw *draw, struct line *line)
{
    int at = line->count > 1 ? 1 + (int)draw_below(draw, (uint32_t)line->count - 1) : 0;
    int other = line->count > 1 ? 1 + (int)draw_below(draw, (uint32_t)line->count - 1) : 0;
    uint32_t kind = draw_below(draw, 9);
    char word[WORD_BYTES];
    size_t length = at > 0 ? strlen(line->words[at]) : 0;
    char *swapped = line->words[at];

    if (kind <= 1 && at > 0) { /* left out */
        memmove(&line->words[at], &line->words[at + 1],
                (size_t)(line->count - at - 1) * sizeof(line->words[0]));
        line->count--;
    } else if (kind == 2 && at > 0) { /* twice */
        (void)snprintf(word, sizeof(word), "%.590s", line->words[at]);
        word_add(line, word);
    } else if (kind == 3) { /* in another order */
        line->words[at] = line->words[other];
        line->words[other] = swapped;
    } else if (kind == 4 && length > 0) { /* cut short */
        line->words[at][draw_below(draw, (uint32_t)length)] = '\0';
    } else if (kind == 5 && length > 0) { /* a wrong key */
        line->words[at][draw_below(draw, (uint32_t)length)] = (char)(1 + draw_below(draw, 255));
    } else if (kind == 6) { /* what belongs elsewhere */
        foreign_option_add(draw, line);
    } else if (kind == 7) {
        word_add(line, values[draw_below(draw, COUNT(values))]);
    } else {
        odd_draw(draw, word);
        word_add(line, word);
    }
}

/* Files may be written in the folder that belongs to this run, and nowhere else. */
static void files_keep_home(struct line *line)
{
    for (int i = 1; i < line->count; i++) {
        for (char *at = line->words[i]; line->mega && *at != '\0'; at++) {
            *at = (char)(*at == '/' ? '_' : *at); /* any of its words can be a file of -f */
        }
        char *value = strchr(line->words[i], '=');

        for (; value != NULL && *value != '\0'; value++) {
            *value = (char)(*value == '/' && line->words[i][0] != '/' ? '_' : *value);
        }
    }
}

static void words_add(struct line *line, const char *words)
{
    char text[WORD_BYTES];
    char *rest = NULL;

    (void)snprintf(text, sizeof(text), "%s", words);
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        word_add(line, word);
    }
}

/* Whole commands, of which many are agreed to. */
static void threeware_line_add(struct draw *draw, struct line *line)
{
    words_add(line, threeware_lines[draw_below(draw, COUNT(threeware_lines))]);
    if (draw_below(draw, 2) == 1) {
        word_add(line, "quiet");
    }
}

void line_draw(struct draw *draw, struct line *line)
{
    static const char *const sockets[] = {"one", "one:two", "gone", "gone:two", "one:gone", ""};
    uint32_t manner = draw_below(draw, 16);
    char word[WORD_BYTES];

    line->count = 0;
    line->used = 0;
    line->threeware = manner == 1 || manner == 3;
    line->mega = manner == 5;
    word_add(line, line->threeware ? "/usr/sbin/tw_cli"
                   : line->mega    ? "/usr/sbin/MegaCli64"
                                   : "arrayctl");
    if (!line->threeware && !line->mega && draw_below(draw, 4) == 1) {
        (void)snprintf(word, sizeof(word), "--socket=%s",
                       sockets[draw_below(draw, COUNT(sockets))]);
        word_add(line, word);
    }
    if (line->threeware && draw_below(draw, 4) != 1) {
        threeware_line_add(draw, line);
    } else if (line->threeware) {
        for (uint32_t i = draw_below(draw, 5); i > 0; i--) {
            word_add(line, threeware[draw_below(draw, COUNT(threeware))]);
        }
    } else if (line->mega) {
        words_add(line, mega_lines[draw_below(draw, COUNT(mega_lines))]);
    } else {
        if (manner == 2) {
            word_add(line, "--complete");
        }
        command_add(draw, line);
    }
    static const uint8_t spoils[] = {0, 0, 0, 1, 1, 2, 3};
    for (uint32_t i = spoils[draw_below(draw, COUNT(spoils))]; i > 0; i--) {
        line_spoil(draw, line);
    }
    if (draw_below(draw, 3) != 0) {
        word_add(line, manners[draw_below(draw, draw_below(draw, 8) == 1 ? COUNT(manners) : 4)]);
    }
    files_keep_home(line);
    line->words[line->count] = NULL;
}
