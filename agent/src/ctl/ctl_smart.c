/*
 * What a drive says of its own health (drive/drive_health.h), as somebody outside has asked it.
 *
 * (1) A drive that sleeps or does not answer says nothing new: verdict and figures stay.
 * (2) Every change of the verdict is told once, and a failing drive counts as predicted to fail
 *     for as long as it is the same drive.
 */
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

static bool has_answered(enum smart_state state)
{
    return state == SMART_STATE_GOOD || state == SMART_STATE_FAILING;
}

static void verdict_take(struct ctl_drive *cd, bool failing)
{
    char path[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];

    if (cd->smart_failing == failing) {
        return;
    }
    cd->smart_failing = failing;
    drive_path(cd, path, sizeof(path));
    if (failing) {
        if (cd->drive != NULL) {
            drive_predict(cd->drive);
        }
        (void)reason_text(&cd->health.reason, why, sizeof(why)); /* cut if longer */
        ctl_event(cd->ctl, EVENT_DRIVE_PREDICTIVE_FAILURE, cd->identity.key, "drive", path, "why",
                  why, NULL);
    } else {
        ctl_event(cd->ctl, EVENT_DRIVE_SMART_GOOD, cd->identity.key, "drive", path, NULL);
    }
}

static void figures_take(struct ctl_drive *cd, const struct drive_health *health)
{
    memcpy(cd->health.told, health->told, sizeof(health->told));
    memcpy(cd->health.figures, health->figures, sizeof(health->figures));
    cd->health.checked_us = health->checked_us;
    cd->has_temperature = health->told[SMART_FIGURE_TEMPERATURE_C];
    cd->temperature_c = (int)health->figures[SMART_FIGURE_TEMPERATURE_C];
}

bool ctl_drive_health(struct ctl *ctl, const char *key, const struct drive_health *health)
{
    struct ctl_drive *cd = drive_by_key(ctl, key);

    ASSERT(health->state < SMART_STATE_MAX);
    if (cd == NULL || !cd->present) {
        return false;
    }
    cd->has_health = true;
    cd->health.state = health->state;
    cd->health.reason = health->reason;
    if (has_answered(health->state)) { /* (1) */
        figures_take(cd, health);
        verdict_take(cd, health->state == SMART_STATE_FAILING);
    }
    ctl_kick(ctl);
    return true;
}
