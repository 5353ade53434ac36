/*
 * The states of a physical drive and the only function that changes them. Words and meaning
 * are StorCLI's. Row: from; column: to.
 *
 *   UGood   a drive without a role           Rbld   member being filled
 *   UBad    not to be used                   Onln   member in sync
 *   GHS/DHS hot spares                       Offln  member taken out by a user
 *   Failed  member no longer trusted         Msng   known but not there
 *   JBOD    left to the host as it is
 *   Cpybck  being filled from a member that works, to take its place
 *
 * A member that lost its trust (Failed, Offln, Msng) reaches Onln only through Rbld, except
 * from Msng when the controller starts and finds the drive with a valid, current label.
 */
#include "base/assert.h"
#include "drive/drive_private.h"

#define TO(state) (1u << DRIVE_STATE_##state)

static const uint32_t transitions[DRIVE_STATE_MAX] = {
    [DRIVE_STATE_UNCONFIGURED_GOOD] =
        TO(UNCONFIGURED_BAD) | TO(HOT_SPARE) | TO(DEDICATED_HOT_SPARE) | TO(ONLINE) | TO(REBUILD) |
        TO(COPYBACK) | TO(OFFLINE) | TO(FAILED) | TO(MISSING) | TO(JBOD),
    [DRIVE_STATE_UNCONFIGURED_BAD] = TO(UNCONFIGURED_GOOD) | TO(MISSING) | TO(JBOD),
    [DRIVE_STATE_HOT_SPARE] = TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD) |
                              TO(DEDICATED_HOT_SPARE) | TO(REBUILD) | TO(COPYBACK) | TO(FAILED) |
                              TO(MISSING),
    [DRIVE_STATE_DEDICATED_HOT_SPARE] = TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD) |
                                        TO(HOT_SPARE) | TO(REBUILD) | TO(COPYBACK) | TO(FAILED) |
                                        TO(MISSING),
    [DRIVE_STATE_OFFLINE] =
        TO(REBUILD) | TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD) | TO(FAILED) | TO(MISSING),
    [DRIVE_STATE_FAILED] =
        TO(REBUILD) | TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD) | TO(OFFLINE) | TO(MISSING),
    [DRIVE_STATE_REBUILD] = TO(ONLINE) | TO(FAILED) | TO(OFFLINE) | TO(MISSING) |
                            TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD),
    [DRIVE_STATE_ONLINE] =
        TO(FAILED) | TO(OFFLINE) | TO(MISSING) | TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD),
    [DRIVE_STATE_COPYBACK] = TO(ONLINE) | TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD) |
                             TO(HOT_SPARE) | TO(DEDICATED_HOT_SPARE) | TO(MISSING),
    [DRIVE_STATE_MISSING] = TO(ONLINE) | TO(REBUILD) | TO(FAILED) | TO(OFFLINE) |
                            TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD) | TO(HOT_SPARE) |
                            TO(DEDICATED_HOT_SPARE) | TO(JBOD),
    [DRIVE_STATE_JBOD] = TO(UNCONFIGURED_GOOD) | TO(UNCONFIGURED_BAD) | TO(MISSING),
};

void drive_state_init(struct drive *drive)
{
    drive->state = DRIVE_STATE_UNCONFIGURED_GOOD;
    drive->why = REASON_OK;
}

enum drive_state drive_state(const struct drive *drive)
{
    return drive->state;
}

enum reason_code drive_state_reason(const struct drive *drive)
{
    return drive->why;
}

bool drive_state_may(enum drive_state from, enum drive_state to)
{
    ASSERT((uint32_t)from < DRIVE_STATE_MAX);
    ASSERT((uint32_t)to < DRIVE_STATE_MAX);
    return (transitions[from] & (1u << to)) != 0;
}

void drive_state_set(struct drive *drive, enum drive_state state, enum reason_code why)
{
    enum drive_state old = drive->state;

    ASSERT((uint32_t)state < DRIVE_STATE_MAX);
    if (state == old) {
        drive->why = why;
        return;
    }
    ASSERT(drive_state_may(old, state));
    drive->state = state;
    drive->why = why;
    if (drive->observer.state_changed != NULL) {
        drive->observer.state_changed(drive->observer.context, drive, old, why);
    }
}
