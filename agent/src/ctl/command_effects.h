/* Generated from agent/protocol by tools/generate_tables.py; do not edit. */

#ifndef ARRAYWRIGHT_CTL_COMMAND_EFFECTS_H
#define ARRAYWRIGHT_CTL_COMMAND_EFFECTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "ctl/command.h"

enum command_effect {
    COMMAND_EFFECT_DATA,
    COMMAND_EFFECT_MEANING,
    COMMAND_EFFECT_AVAILABILITY,
    COMMAND_EFFECT_PROTECTION,
    COMMAND_EFFECT_MAX
};

enum command_when {
    COMMAND_WHEN_ALWAYS,
    COMMAND_WHEN_USED_DRIVES,
    COMMAND_WHEN_CORRECTS,
    COMMAND_WHEN_OVERWRITES,
    COMMAND_WHEN_STARTS,
    COMMAND_WHEN_HALTS,
    COMMAND_WHEN_TAKES_SPARE,
    COMMAND_WHEN_FORCES_WRITE_BACK,
    COMMAND_WHEN_TAKES_RECENT_NAME,
    COMMAND_WHEN_RENAMES,
    COMMAND_WHEN_SETS_ACCESS,
    COMMAND_WHEN_DROPS_STRIPE_LOG,
    COMMAND_WHEN_DRIVE_CACHES_ON,
    COMMAND_WHEN_WEAKENS_REPAIR,
    COMMAND_WHEN_WEAKENS_LEARNING,
    COMMAND_WHEN_MAX
};

/* A command has these effects when the condition holds. */
struct command_effect_row {
    enum ctl_op op;
    enum command_when when;
    uint32_t effects; /* bits: 1 << enum command_effect */
};

/* The rows of one command follow each other. */
const struct command_effect_row *command_effect_rows(size_t *ret_count);
/* The class of a command that has this effect. */
enum command_class command_effect_class(enum command_effect effect);
/* What it does, as the end of a sentence about the command. */
const char *command_effect_text(enum command_effect effect);

#endif
