/*
 * What 3ware's program has and this has not, each with its reason.
 */
#include <stdio.h>

#include "cli/tw.h"

#define WINDOWS "work runs at its rate at any time; there are no windows for it"
#define FIRMWARE "it belongs to 3ware's hardware or firmware"

static const struct {
    enum tw_object object;
    const char *verb, *noun; /* as in the table of commands; NULL: the verb at all */
    const char *why;
} rows[] = {
    {TW_SHELL, "commit|update", NULL, FIRMWARE},
    {TW_SHELL, "set", "rebuild=|verify=|selftest=", WINDOWS},
    {TW_CONTROLLER, "commit|update", NULL, FIRMWARE},
    {TW_CONTROLLER, "add|del", "rebuild=|verify=|selftest=", WINDOWS},
    {TW_CONTROLLER, "set", "rebuild=enable|rebuild=disable|rebuild=add|rebuild=remove", WINDOWS},
    {TW_CONTROLLER, "set",
     "verify=enable|verify=advanced|verify=add|verify=remove|selftest=|rebuildmode=|verifymode=",
     WINDOWS},
    {TW_CONTROLLER, "set",
     "spinup=|stagger=|autocarve=|carvesize=|exportjbod=|autodetect=|dpmstat=|fast=", FIRMWARE},
    {TW_CONTROLLER, "set",
     "ondegrade=", "each unit has a rule of its own: arrayctl /cX/vX set ondegrade="},
    {TW_CONTROLLER, "add", "type=jbod", "arrayctl /cX/eX/sX set jbod leaves a drive to the host"},
    {TW_CONTROLLER, "add", "v0=|vol=|noqpolicy", "a unit has one volume, and its drives queue"},
    {TW_CONTROLLER, "show", "phy", FIRMWARE},
    {TW_UNIT, "migrate", NULL, "a unit keeps its RAID level and its drives"},
    {TW_UNIT, "remove|export", NULL, "a unit stays on-line while its drives are there"},
    {TW_UNIT, "start|stop", "mediascan", "a media scan covers a controller: /cX start mediascan"},
    {TW_BATTERY, "enable|disable", NULL, "the battery is used whenever it is good"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool noun_stands(const struct tw_request *request, const char *nouns)
{
    for (uint32_t i = 0; i < request->word_count; i++) {
        if (noun_is_one_of(request->words[i], nouns)) {
            return true;
        }
    }
    return false;
}

const char *tw_unsupported(const struct tw_request *request)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].object == request->object && word_is_one_of(request->verb, rows[i].verb) &&
            (rows[i].noun == NULL || noun_stands(request, rows[i].noun))) {
            return rows[i].why;
        }
    }
    return NULL;
}

void tw_unsupported_print(void)
{
    static const char *const objects[] = {"", "/cX ", "/cX/uX ", "/cX/pX ", "/cX/bbu "};

    for (size_t i = 0; i < ROWS; i++) {
        (void)printf("%s%s%s%s\n    %s\n", objects[rows[i].object], rows[i].verb,
                     rows[i].noun != NULL ? " " : "", rows[i].noun != NULL ? rows[i].noun : "",
                     rows[i].why);
    }
}
