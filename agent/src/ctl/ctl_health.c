/*
 * What the drives say about their health (drive/drive.h): events, comparison with the peers, and
 * the end of a drive with too many errors.
 *
 * (1) A spent drive is taken out of use as soon as that loses no data: at once, or when the
 *     rebuild that made it a last copy is done.
 */
#include <stdio.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

static void number_text(char *out, size_t capacity, uint64_t value)
{
    (void)snprintf(out, capacity, "%llu", (unsigned long long)value);
}

void cd_warned(void *context, struct drive *drive, enum drive_warning warning, uint64_t value)
{
    struct ctl_drive *cd = context;
    const char *key = cd->identity.key;
    char path[PATH_TEXT_BYTES];
    char number[24];
    char why[REASON_TEXT_MAX];
    struct reason reason;

    ASSERT(cd->drive == drive);
    drive_path(cd, path, sizeof(path));
    number_text(number, sizeof(number),
                warning == DRIVE_WARNING_SLOW_COMMAND ? value / 1000 : value);
    switch (warning) {
    case DRIVE_WARNING_SLOW_COMMAND:
        ctl_event(cd->ctl, EVENT_DRIVE_SLOW_COMMAND, key, "drive", path, "seconds", number, NULL);
        break;
    case DRIVE_WARNING_PREDICTIVE:
        reason_set(&reason, REASON_DRIVE_PREDICTED_ERRORS, "errors", number, NULL);
        (void)reason_text(&reason, why, sizeof(why)); /* always fits */
        ctl_event(cd->ctl, EVENT_DRIVE_PREDICTIVE_FAILURE, key, "drive", path, "why", why, NULL);
        break;
    case DRIVE_WARNING_SLOW:
        ctl_event(cd->ctl, EVENT_DRIVE_SLOW, key, "drive", path, "factor", number, NULL);
        break;
    case DRIVE_WARNING_SLOW_OVER:
        ctl_event(cd->ctl, EVENT_DRIVE_SLOW_OVER, key, "drive", path, NULL);
        break;
    case DRIVE_WARNING_MAX:
        UNREACHABLE();
    }
    cd_past_note(cd);
    ctl_kick(cd->ctl);
}

void cd_spent(void *context, struct drive *drive, enum reason_code why)
{
    struct ctl_drive *cd = context;
    char path[PATH_TEXT_BYTES];

    ASSERT(cd->drive == drive);
    ASSERT(why == REASON_DRIVE_LOST_ERROR_LIMIT);
    drive_path(cd, path, sizeof(path));
    ctl_event(cd->ctl, EVENT_DRIVE_ERROR_LIMIT, cd->identity.key, "drive", path, NULL);
    cd_past_note(cd);
    ctl_kick(cd->ctl); /* not from within a transfer's answer */
}

void cd_measured(void *context, struct drive *drive)
{
    struct ctl_drive *cd = context;
    struct drive *peers[GROUP_MEMBERS_MAX];
    uint32_t count = 0;

    ASSERT(cd->drive == drive);
    if (cd->group == NULL) {
        return;
    }
    for (uint32_t i = 0; i < cg_config(cd->group)->member_count; i++) {
        if (cd->group->members[i] != NULL) {
            peers[count++] = cd->group->members[i]->drive;
        }
    }
    drive_peers_judge(drive, peers, count);
}

void cd_health_work(struct ctl_drive *cd)
{
    const struct ctl_group *cg = cd->group;

    if (cd->drive == NULL || !drive_is_spent(cd->drive) || cg == NULL ||
        cg->phase != CTL_GROUP_RUNNING || cg_member_is_vacant(cg, cd->member)) {
        return;
    }
    /* Refused while it holds a last copy (1). */
    (void)group_member_lose(cg->group, cd->member, MEMBER_FAILED, REASON_DRIVE_LOST_ERROR_LIMIT,
                            true);
}
