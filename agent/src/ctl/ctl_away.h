/*
 * Former members that were taken out: see ctl_away.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_AWAY_H
#define ARRAYWRIGHT_CTL_CTL_AWAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "meta/drives_away.h"
#include "port/store_port.h"

struct ctl;
struct ctl_command;
struct ctl_drive;
struct ctl_group;

struct ctl_aways {
    struct drives_away list;
    uint8_t bytes[DRIVES_AWAY_MAX_BYTES];
    struct store_request put;
    bool noted;                    /* yet to be saved */
    bool putting;
    bool awaited;                  /* a command ends with the next save */
    bool answers;                  /* … with the one under way */
    struct drive_away given_up;    /* by that command: kept again if the save fails */
    uint64_t again_us;             /* no save before: the last one failed */
};

MUST_CHECK int ctl_aways_load(struct ctl *ctl);
/* It is about to vanish from the list of drives. */
void cd_away_note(const struct ctl_drive *cd);
/* Called before another drive takes the place of a missing one. */
void cg_away_note(const struct ctl_group *cg, uint32_t member);
/* Those that may go are noted, and those that are back or no longer missed are forgotten. Before
 * findings are made. */
void ctl_aways_look(struct ctl *ctl);
void findings_of_aways(struct ctl *ctl);
/* Of a drive that is missed, or else of a member: command_drive_missing(). */
void command_missing(struct ctl *ctl, struct ctl_command *command);
bool ctl_misses_drive(struct ctl *ctl, const char *key);
void ctl_aways_work(struct ctl *ctl);
bool ctl_aways_are_quiet(const struct ctl *ctl);

#endif
