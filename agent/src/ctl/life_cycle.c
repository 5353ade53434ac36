/*
 * The table of life_cycle.h.
 */
#include "ctl/life_cycle.h"

#include <string.h>

#include "base/assert.h"

#define TO(state) {true, REASON_OK, LIFE_##state}
#define NO(code) {true, REASON_##code, LIFE_STATE_MAX}
/* Ranges of commands that most states answer alike. */
#define BECOME_USED LIFE_CREATE... LIFE_SPARE_ADD
#define REBUILD_CONTROL LIFE_REBUILD_STOP... LIFE_REBUILD_RESUME
#define COPYBACK_CONTROL LIFE_COPYBACK_STOP... LIFE_COPYBACK_RESUME

#define NO_REBUILD                                                                                 \
    [LIFE_REBUILD_START] = NO(NOTHING_TO_REBUILD), [REBUILD_CONTROL] = NO(NOT_REBUILDING)
#define NO_COPYBACK [LIFE_COPYBACK_START] = NO(WRONG_STATE), [COPYBACK_CONTROL] = NO(COPYBACK_NONE)
#define NO_SET [LIFE_SET_OFFLINE... LIFE_SET_JBOD] = NO(WRONG_STATE)

/* A member whose content is not up to date: it is rebuilt, or gives up its place. */
#define LOST_MEMBER(state, missing)                                                                \
    {                                                                                              \
        [BECOME_USED] = NO(DRIVE_NOT_UGOOD),                                                       \
        [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),                                                     \
        [LIFE_REBUILD_START] = TO(RBLD),                                                           \
        [REBUILD_CONTROL] = NO(NOT_REBUILDING),                                                    \
        NO_COPYBACK,                                                                               \
        [LIFE_COPYBACK_TARGET] = NO(DRIVE_NOT_UGOOD),                                              \
        [LIFE_SET_OFFLINE... LIFE_SET_ONLINE] = NO(WRONG_STATE),                                   \
        [LIFE_SET_MISSING] = missing,                                                              \
        [LIFE_SET_JBOD] = NO(WRONG_STATE),                                                         \
        [LIFE_SET_GOOD] = TO(UGOOD),                                                               \
        [LIFE_LOCATE] = TO(state),                                                                 \
        [LIFE_ERASE_START] = NO(DRIVE_NOT_UGOOD),                                                  \
        [LIFE_ERASE_STOP] = NO(NOT_ERASING),                                                       \
        [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),                                        \
    }

#define SPARE(state)                                                                               \
    {                                                                                              \
        [BECOME_USED] = NO(DRIVE_NOT_UGOOD),                                                       \
        [LIFE_SPARE_REMOVE] = TO(UGOOD),                                                           \
        NO_REBUILD,                                                                                \
        NO_COPYBACK,                                                                               \
        [LIFE_COPYBACK_TARGET] = TO(CPYBCK),                                                       \
        NO_SET,                                                                                    \
        [LIFE_SET_GOOD] = NO(WRONG_STATE),                                                         \
        [LIFE_LOCATE] = TO(state),                                                                 \
        [LIFE_ERASE_START] = NO(DRIVE_NOT_UGOOD),                                                  \
        [LIFE_ERASE_STOP] = NO(NOT_ERASING),                                                       \
        [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = TO(state),                                              \
    }

#define AWAY(state, missing, erase_stop)                                                           \
    {                                                                                              \
        [BECOME_USED] = NO(DRIVE_GONE),                                                            \
        [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),                                                     \
        NO_REBUILD,                                                                                \
        NO_COPYBACK,                                                                               \
        [LIFE_COPYBACK_TARGET] = NO(DRIVE_GONE),                                                   \
        [LIFE_SET_OFFLINE] = NO(WRONG_STATE),                                                      \
        [LIFE_SET_ONLINE] = NO(DRIVE_GONE),                                                        \
        [LIFE_SET_MISSING] = missing,                                                              \
        [LIFE_SET_JBOD... LIFE_SET_GOOD] = NO(DRIVE_GONE),                                         \
        [LIFE_LOCATE] = TO(state), /* it is the slot that blinks */                                \
        [LIFE_ERASE_START] = NO(DRIVE_GONE),                                                       \
        [LIFE_ERASE_STOP] = erase_stop,                                                            \
        [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(DRIVE_GONE),                                         \
    }

/* Not ours to use, whatever is on it: the host may have it as it is. */
#define UNUSABLE(state, code)                                                                      \
    {                                                                                              \
        [BECOME_USED] = NO(code),                                                                  \
        [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),                                                     \
        NO_REBUILD,                                                                                \
        NO_COPYBACK,                                                                               \
        [LIFE_COPYBACK_TARGET] = NO(code),                                                         \
        [LIFE_SET_OFFLINE... LIFE_SET_MISSING] = NO(WRONG_STATE),                                  \
        [LIFE_SET_JBOD] = TO(JBOD),                                                                \
        [LIFE_SET_GOOD] = NO(code),                                                                \
        [LIFE_LOCATE] = TO(state),                                                                 \
        [LIFE_ERASE_START] = NO(code),                                                             \
        [LIFE_ERASE_STOP] = NO(NOT_ERASING),                                                       \
        [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),                                        \
    }

static const struct life_cell cells[LIFE_STATE_MAX][LIFE_COMMAND_MAX] =
    {
        [LIFE_UGOOD] =
            {
                [LIFE_CREATE] = TO(ONLN),
                [LIFE_REPLACE] = TO(RBLD),
                [LIFE_SPARE_ADD] = TO(GHS),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                NO_REBUILD,
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = TO(CPYBCK),
                [LIFE_SET_OFFLINE... LIFE_SET_MISSING] = NO(WRONG_STATE),
                [LIFE_SET_JBOD] = TO(JBOD),
                [LIFE_SET_GOOD] = NO(WRONG_STATE),
                [LIFE_LOCATE] = TO(UGOOD),
                [LIFE_ERASE_START] = TO(ERASING),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = TO(UGOOD),
            },
        [LIFE_FOREIGN] =
            {
                [BECOME_USED] = NO(DRIVE_FOREIGN),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                NO_REBUILD,
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_FOREIGN),
                NO_SET,
                [LIFE_SET_GOOD] = TO(UGOOD),
                [LIFE_LOCATE] = TO(FOREIGN),
                [LIFE_ERASE_START] = TO(ERASING),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = TO(FOREIGN),
            },
        [LIFE_UBAD] =
            {
                [BECOME_USED] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                NO_REBUILD,
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SET_OFFLINE... LIFE_SET_MISSING] = NO(WRONG_STATE),
                [LIFE_SET_JBOD] = TO(JBOD),
                [LIFE_SET_GOOD] = TO(UGOOD),
                [LIFE_LOCATE] = TO(UBAD),
                [LIFE_ERASE_START] = TO(ERASING),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = TO(UBAD),
            },
        [LIFE_TOO_SMALL] = UNUSABLE(TOO_SMALL, DRIVE_TOO_SMALL),
        [LIFE_IN_USE] = UNUSABLE(IN_USE, DRIVE_IN_USE),
        [LIFE_GHS] = SPARE(GHS),
        [LIFE_DHS] = SPARE(DHS),
        [LIFE_ONLN] =
            {
                [BECOME_USED] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                NO_REBUILD,
                [LIFE_COPYBACK_START... LIFE_COPYBACK_RESUME] = TO(ONLN),
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SET_OFFLINE] = TO(OFFLN),
                [LIFE_SET_ONLINE... LIFE_SET_JBOD] = NO(WRONG_STATE),
                [LIFE_SET_GOOD] = NO(WRONG_STATE),
                [LIFE_LOCATE] = TO(ONLN),
                [LIFE_ERASE_START] = NO(DRIVE_NOT_UGOOD),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),
            },
        [LIFE_OFFLN] = LOST_MEMBER(OFFLN, TO(UGOOD)),
        [LIFE_FAILED] = LOST_MEMBER(FAILED, TO(UBAD)),
        [LIFE_NEEDED] =
            {
                [BECOME_USED] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                [LIFE_REBUILD_START] = NO(WRONG_STATE),
                [REBUILD_CONTROL] = NO(NOT_REBUILDING),
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SET_OFFLINE] = NO(WRONG_STATE),
                [LIFE_SET_ONLINE] = TO(ONLN),
                [LIFE_SET_MISSING] = NO(LAST_COPY),
                [LIFE_SET_JBOD] = NO(WRONG_STATE),
                [LIFE_SET_GOOD] = NO(LAST_COPY),
                [LIFE_LOCATE] = TO(NEEDED),
                [LIFE_ERASE_START] = NO(DRIVE_NOT_UGOOD),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),
            },
        [LIFE_STALE] = LOST_MEMBER(STALE, NO(WRONG_STATE)),
        [LIFE_RBLD] =
            {
                [BECOME_USED] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                [LIFE_REBUILD_START... LIFE_REBUILD_RESUME] = TO(RBLD),
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SET_OFFLINE] = TO(OFFLN),
                [LIFE_SET_ONLINE... LIFE_SET_JBOD] = NO(WRONG_STATE),
                [LIFE_SET_GOOD] = NO(WRONG_STATE),
                [LIFE_LOCATE] = TO(RBLD),
                [LIFE_ERASE_START] = NO(DRIVE_NOT_UGOOD),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),
            },
        [LIFE_CPYBCK] =
            {
                [BECOME_USED] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SPARE_REMOVE] = NO(COPYBACK_RUNNING),
                NO_REBUILD,
                [LIFE_COPYBACK_START] = NO(COPYBACK_RUNNING),
                [LIFE_COPYBACK_STOP] = TO(UGOOD), /* or the hot spare that it was */
                [LIFE_COPYBACK_PAUSE... LIFE_COPYBACK_RESUME] = TO(CPYBCK),
                [LIFE_COPYBACK_TARGET] = NO(COPYBACK_RUNNING),
                NO_SET,
                [LIFE_SET_GOOD] = NO(WRONG_STATE),
                [LIFE_LOCATE] = TO(CPYBCK),
                [LIFE_ERASE_START] = NO(DRIVE_NOT_UGOOD),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),
            },
        [LIFE_MISSING] = AWAY(MISSING, NO(DRIVE_GONE), NO(NOT_ERASING)),
        [LIFE_REMOVED] = AWAY(REMOVED, TO(MISSING), NO(NOT_ERASING)),
        [LIFE_ERASE_AWAY] = AWAY(ERASE_AWAY, NO(DRIVE_GONE), TO(MISSING)),
        [LIFE_JBOD] =
            {
                [BECOME_USED] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                NO_REBUILD,
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_NOT_UGOOD),
                NO_SET,
                [LIFE_SET_GOOD] = TO(UGOOD), /* nothing is written: judged by what is on it */
                [LIFE_LOCATE] = TO(JBOD),
                [LIFE_ERASE_START] = NO(DRIVE_NOT_UGOOD),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),
            },
        [LIFE_ERASING] =
            {
                [BECOME_USED] = NO(DRIVE_ERASING),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                NO_REBUILD,
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_ERASING),
                NO_SET,
                [LIFE_SET_GOOD] = NO(DRIVE_ERASING),
                [LIFE_LOCATE] = TO(ERASING),
                [LIFE_ERASE_START] = NO(DRIVE_ERASING),
                [LIFE_ERASE_STOP] = TO(ERASED_PARTLY),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = NO(WRONG_STATE),
            },
        [LIFE_ERASED_PARTLY] =
            {
                [BECOME_USED] = NO(DRIVE_NOT_UGOOD),
                [LIFE_SPARE_REMOVE] = NO(NOT_A_SPARE),
                NO_REBUILD,
                NO_COPYBACK,
                [LIFE_COPYBACK_TARGET] = NO(DRIVE_NOT_UGOOD),
                NO_SET,
                [LIFE_SET_GOOD] = TO(UGOOD),
                [LIFE_LOCATE] = TO(ERASED_PARTLY),
                [LIFE_ERASE_START] = TO(ERASING),
                [LIFE_ERASE_STOP] = NO(NOT_ERASING),
                [LIFE_SPIN_DOWN... LIFE_SPIN_UP] = TO(ERASED_PARTLY),
            },
};

const struct life_cell *life_cell(enum life_state state, enum life_command command)
{
    ASSERT((unsigned)state < LIFE_STATE_MAX);
    ASSERT((unsigned)command < LIFE_COMMAND_MAX);
    ASSERT(cells[state][command].decided);
    return &cells[state][command];
}

const struct life_command_info *life_command_info(enum life_command command)
{
    static const struct life_command_info infos[LIFE_COMMAND_MAX] = {
        [LIFE_CREATE] = {CTL_OP_VD_CREATE, NULL, true, "add vd"},
        [LIFE_REPLACE] = {CTL_OP_DRIVE_REPLACE, NULL, true, "insert"},
        [LIFE_SPARE_ADD] = {CTL_OP_SPARE_ADD, NULL, true, "add hotsparedrive"},
        [LIFE_SPARE_REMOVE] = {CTL_OP_SPARE_REMOVE, NULL, true, "delete hotsparedrive"},
        [LIFE_REBUILD_START] = {CTL_OP_REBUILD, "start", true, "start rebuild"},
        [LIFE_REBUILD_STOP] = {CTL_OP_REBUILD, "stop", true, "stop rebuild"},
        [LIFE_REBUILD_PAUSE] = {CTL_OP_REBUILD, "pause", true, "pause rebuild"},
        [LIFE_REBUILD_RESUME] = {CTL_OP_REBUILD, "resume", true, "resume rebuild"},
        [LIFE_COPYBACK_START] = {CTL_OP_COPYBACK, "start", true, "start copyback"},
        [LIFE_COPYBACK_STOP] = {CTL_OP_COPYBACK, "stop", true, "stop copyback"},
        [LIFE_COPYBACK_PAUSE] = {CTL_OP_COPYBACK, "pause", true, "pause copyback"},
        [LIFE_COPYBACK_RESUME] = {CTL_OP_COPYBACK, "resume", true, "resume copyback"},
        [LIFE_COPYBACK_TARGET] = {CTL_OP_COPYBACK, "start", false, "copyback target="},
        [LIFE_SET_OFFLINE] = {CTL_OP_DRIVE_OFFLINE, NULL, true, "set offline"},
        [LIFE_SET_ONLINE] = {CTL_OP_DRIVE_ONLINE, NULL, true, "set online"},
        [LIFE_SET_MISSING] = {CTL_OP_DRIVE_MISSING, NULL, true, "set missing"},
        [LIFE_SET_JBOD] = {CTL_OP_DRIVE_JBOD, NULL, true, "set jbod"},
        [LIFE_SET_GOOD] = {CTL_OP_DRIVE_GOOD, NULL, true, "set good"},
        [LIFE_LOCATE] = {CTL_OP_DRIVE_LOCATE, NULL, true, "locate"},
        [LIFE_ERASE_START] = {CTL_OP_DRIVE_ERASE, "start", true, "start erase"},
        [LIFE_ERASE_STOP] = {CTL_OP_DRIVE_ERASE, "stop", true, "stop erase"},
        [LIFE_SPIN_DOWN] = {CTL_OP_DRIVE_SPINDOWN, NULL, true, "spindown"},
        [LIFE_SPIN_UP] = {CTL_OP_DRIVE_SPINUP, NULL, true, "spinup"},
    };

    ASSERT((unsigned)command < LIFE_COMMAND_MAX);
    return &infos[command];
}

enum life_command life_task_command(enum life_command start, enum task_action action)
{
    enum life_command command = (enum life_command)((int)start + (int)action);

    ASSERT(start == LIFE_REBUILD_START || start == LIFE_COPYBACK_START);
    ASSERT(strcmp(life_command_info(command)->action, task_action_word(action)) == 0);
    return command;
}

static const struct {
    enum drive_state shown;
    const char *name;
} states[LIFE_STATE_MAX] = {
    [LIFE_UGOOD] = {DRIVE_STATE_UNCONFIGURED_GOOD, "UGood"},
    [LIFE_FOREIGN] = {DRIVE_STATE_UNCONFIGURED_GOOD, "UGood, foreign"},
    [LIFE_UBAD] = {DRIVE_STATE_UNCONFIGURED_BAD, "UBad"},
    [LIFE_TOO_SMALL] = {DRIVE_STATE_UNCONFIGURED_BAD, "UBad, too small"},
    [LIFE_IN_USE] = {DRIVE_STATE_UNCONFIGURED_BAD, "UBad, in use"},
    [LIFE_GHS] = {DRIVE_STATE_HOT_SPARE, "GHS"},
    [LIFE_DHS] = {DRIVE_STATE_DEDICATED_HOT_SPARE, "DHS"},
    [LIFE_ONLN] = {DRIVE_STATE_ONLINE, "Onln"},
    [LIFE_OFFLN] = {DRIVE_STATE_OFFLINE, "Offln"},
    [LIFE_FAILED] = {DRIVE_STATE_FAILED, "Failed"},
    [LIFE_NEEDED] = {DRIVE_STATE_FAILED, "Failed, last copy"},
    [LIFE_STALE] = {DRIVE_STATE_UNCONFIGURED_BAD, "UBad, lost member"},
    [LIFE_RBLD] = {DRIVE_STATE_REBUILD, "Rbld"},
    [LIFE_CPYBCK] = {DRIVE_STATE_COPYBACK, "Cpybck"},
    [LIFE_MISSING] = {DRIVE_STATE_MISSING, "Msng"},
    [LIFE_REMOVED] = {DRIVE_STATE_MISSING, "Msng, removed"},
    [LIFE_ERASE_AWAY] = {DRIVE_STATE_MISSING, "Msng, being erased"},
    [LIFE_JBOD] = {DRIVE_STATE_JBOD, "JBOD"},
    [LIFE_ERASING] = {DRIVE_STATE_UNCONFIGURED_BAD, "UBad, being erased"},
    [LIFE_ERASED_PARTLY] = {DRIVE_STATE_UNCONFIGURED_BAD, "UBad, erased in part"},
};

enum drive_state life_drive_state(enum life_state state)
{
    ASSERT((unsigned)state < LIFE_STATE_MAX);
    return states[state].shown;
}

const char *life_state_name(enum life_state state)
{
    ASSERT((unsigned)state < LIFE_STATE_MAX);
    return states[state].name;
}
