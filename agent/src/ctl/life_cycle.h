/*
 * The life cycle of a physical drive as one table: in which state which command is refused with
 * which code, and in which state it leaves the drive. Whoever asks what may be done to a drive
 * asks here first: the commands, the `blocked` maps of the documents (both by rule_drive()), and
 * the table of arrayctl(8), which a test compares.
 *
 * (1) A cell decides by the drive's state alone. What a permitted command needs besides, of the
 *     drive's group or of the host, is asked in drive_rules.c.
 */
#ifndef ARRAYWRIGHT_CTL_LIFE_CYCLE_H
#define ARRAYWRIGHT_CTL_LIFE_CYCLE_H

#include "base/reason.h"
#include "ctl/command.h"

/* StorCLI's states, and those that differ in what may be done. */
enum life_state {
    LIFE_UGOOD,
    LIFE_FOREIGN,   /* UGood with somebody else's label */
    LIFE_UBAD,      /* replaced, or its label cannot be read */
    LIFE_TOO_SMALL, /* UBad: for our metadata */
    LIFE_IN_USE,    /* UBad: the host uses it, or it cannot be used at all */
    LIFE_GHS,
    LIFE_DHS,
    LIFE_ONLN,
    LIFE_OFFLN,
    LIFE_FAILED,
    LIFE_NEEDED,    /* Failed beyond redundancy: it holds the last copy */
    LIFE_STALE,     /* UBad: a member that was away and has missed writes */
    LIFE_RBLD,
    LIFE_CPYBCK,
    LIFE_MISSING,
    LIFE_REMOVED,    /* Msng: its place has been taken; only an emulated one stays on the list */
    LIFE_ERASE_AWAY, /* Msng: its erase waits for it */
    LIFE_JBOD,
    LIFE_ERASING,   /* UBad: being erased */
    LIFE_ERASED_PARTLY, /* UBad: an erase did not get to its end */
    LIFE_STATE_MAX
};

enum life_command {
    LIFE_CREATE, /* becomes a member of a new virtual drive */
    LIFE_REPLACE, /* takes the place of a lost member */
    LIFE_SPARE_ADD,
    LIFE_SPARE_REMOVE,
    LIFE_REBUILD_START,
    LIFE_REBUILD_STOP,
    LIFE_REBUILD_PAUSE,
    LIFE_REBUILD_RESUME,
    LIFE_COPYBACK_START, /* is read */
    LIFE_COPYBACK_STOP,
    LIFE_COPYBACK_PAUSE,
    LIFE_COPYBACK_RESUME,
    LIFE_COPYBACK_TARGET, /* is filled */
    LIFE_SET_OFFLINE,
    LIFE_SET_ONLINE,
    LIFE_SET_MISSING, /* gives up the place of a lost member */
    LIFE_SET_JBOD,
    LIFE_SET_GOOD,
    LIFE_LOCATE,
    LIFE_ERASE_START,
    LIFE_ERASE_STOP,
    LIFE_SPIN_DOWN,
    LIFE_SPIN_UP,
    LIFE_COMMAND_MAX
};

struct life_cell {
    bool decided;            /* the table has no holes */
    enum reason_code refusal; /* REASON_OK: permitted */
    enum life_state next;    /* of one that is permitted */
};

struct life_command_info {
    enum ctl_op op;
    const char *action; /* of an op with actions, else NULL */
    bool is_shown;      /* in the `blocked` map of the drive */
    const char *words;  /* StorCLI's, for people */
};

const struct life_cell *life_cell(enum life_state state, enum life_command command);
const struct life_command_info *life_command_info(enum life_command command);
/* Of the four that act on an operation, the one that does so. */
enum life_command life_task_command(enum life_command start, enum task_action action);
/* The state that a drive shows. */
enum drive_state life_drive_state(enum life_state state);
/* What it is called in the documentation: "UBad, too small". */
const char *life_state_name(enum life_state state);
#endif
