/*
 * Cable glitches: a member that vanishes may be back in a moment.
 *
 * (1) For so many seconds (glitch_seconds) after it has vanished no hot spare takes its place. Its
 *     loss is recorded at once all the same: it has not got what is written meanwhile, and is
 *     rebuilt in its own place when it is back. A drive that failed is not waited for, nor one in
 *     whose slot there is a new drive.
 *
 * (2) A drive that has vanished more than GLITCHES_MAX times within an hour counts as failed: it is
 *     not taken back by itself, and a spare takes its place at once. The count is of this run;
 *     without a time to wait nobody counts.
 *
 * (3) For some minutes after the start, no spare replaces a member that is here but cannot be
 *     claimed: another program may still hold it, or it may have to be made writable. Nor one that
 *     is here under another path, as another drive: it may be a copy, so a user has to say that it
 *     is the member.
 *
 * (4) Transfers of a drive that is being pulled may fail before the host says that it has gone. So
 * a member whose transfers failed and that goes within LEAVING_US counts as vanished, and for so
 *     long no spare takes its place, unless there is no time to wait (1).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_unclaimed.h"
#include "ctl/foreign_set.h"
#include "ctl/member_returned.h"

#define UNCLAIMED_PATIENCE_US (UINT64_C(300) * 1000000)
#define LEAVING_US (UINT64_C(5) * 1000000)
#define HOUR_US (UINT64_C(3600) * 1000000)

static bool member_has_vanished(const struct ctl_group *cg, uint32_t member)
{
    const struct member_config *config = &cg_config(cg)->members[member];

    return config->state == MEMBER_MISSING && config->why == REASON_DRIVE_LOST_PULLED;
}

/* (4) */
static bool member_transfers_failed(const struct ctl_group *cg, uint32_t member)
{
    const struct member_config *config = &cg_config(cg)->members[member];

    return config->state == MEMBER_FAILED &&
           (config->why == REASON_DRIVE_LOST_WRITE_ERROR ||
            config->why == REASON_DRIVE_LOST_READ_ERRORS ||
            config->why == REASON_DRIVE_LOST_FLUSH || config->why == REASON_DRIVE_LOST_TIMEOUT);
}

void cg_glitch_note(struct ctl_group *cg, uint32_t member)
{
    struct ctl_glitches *glitches = &cg->glitches[member];
    const struct uuid *drive = &cg_config(cg)->members[member].drive;
    uint64_t now_us = clock_now_us(cg->ctl->ports.clock);

    glitches->failed_us = member_transfers_failed(cg, member) ? now_us : 0;
    glitches->left = false;
    if (!member_has_vanished(cg, member)) {
        return;
    }
    if (!uuid_equal(&glitches->drive, drive)) { /* the place has had another since */
        *glitches = (struct ctl_glitches){.drive = *drive};
    }
    glitches->flaps = cg->ctl->record->glitch_seconds > 0 && glitches->count == GLITCHES_MAX &&
                      now_us - glitches->at_us[GLITCHES_MAX - 1] <= HOUR_US;
    memmove(&glitches->at_us[1], &glitches->at_us[0],
            (GLITCHES_MAX - 1) * sizeof(glitches->at_us[0]));
    glitches->at_us[0] = now_us;
    glitches->count += glitches->count < GLITCHES_MAX ? 1u : 0u;
}

/* (4) */
static uint64_t leaving_left_us(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_glitches *glitches = &cg->glitches[member];
    uint64_t until_us = glitches->failed_us + LEAVING_US;
    uint64_t now_us = clock_now_us(cg->ctl->ports.clock);

    if (glitches->failed_us == 0 || !member_transfers_failed(cg, member)) {
        return 0;
    }
    if (glitches->left) { /* whoever changes the configuration kicks */
        return LEAVING_US;
    }
    return now_us < until_us ? until_us - now_us : 0;
}

void cg_glitch_gone(struct ctl_group *cg, uint32_t member)
{
    if (leaving_left_us(cg, member) > 0) {
        cg->glitches[member].left = true;
        ctl_kick(cg->ctl);
    }
}

/* It has just been claimed, and its label is being read. */
static bool member_settles(const struct ctl_group *cg, uint32_t member)
{
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd->present && !cd->departed && !cd->settled && cd->reinserted &&
            cd_has_serial(cd, cg_config(cg)->members[member].serial)) {
            return cg->members[member] == NULL && (cd->drive != NULL || cd->claiming);
        }
    }
    return false;
}

/* Written here, and not by whoever has imported it meanwhile. */
static bool member_is_elsewhere(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *cd = member_returned(cg, member);
    const struct drive_label *label = cd != NULL ? cd_foreign_label(cd) : NULL;

    return label != NULL && uuid_equal(&label->controller, &cg->ctl->record->controller) &&
           uuid_equal(&label->drive, &cg_config(cg)->members[member].drive);
}

/* (3) */
static uint64_t unclaimed_left_us(const struct ctl_group *cg, uint32_t member)
{
    uint64_t until_us = cg->ctl->start_began_us + UNCLAIMED_PATIENCE_US;
    uint64_t now_us = clock_now_us(cg->ctl->ports.clock);

    return now_us < until_us && (member_unclaimed(cg, member) != NULL ||
                                 member_settles(cg, member) || member_is_elsewhere(cg, member))
               ? until_us - now_us
               : 0;
}

/* (1) */
uint64_t cg_glitch_left_us(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_glitches *glitches = &cg->glitches[member];
    uint64_t until_us = glitches->at_us[0] + (uint64_t)cg->ctl->record->glitch_seconds * 1000000;
    uint64_t now_us = clock_now_us(cg->ctl->ports.clock);

    ASSERT(member < cg_config(cg)->member_count);
    if (cg->ctl->record->glitch_seconds > 0 && leaving_left_us(cg, member) > 0) {
        return leaving_left_us(cg, member);
    }
    return glitches->count == 0 || !member_has_vanished(cg, member) || now_us >= until_us
               ? unclaimed_left_us(cg, member)
               : until_us - now_us;
}

bool cg_glitch_waits(struct ctl_group *cg, uint32_t member)
{
    uint64_t left_us = cg_glitch_left_us(cg, member);

    if (left_us == 0) {
        return false;
    }
    ctl_kick_at(cg->ctl, clock_now_us(cg->ctl->ports.clock) + left_us);
    return true;
}

/* (2), (4) */
struct flapping {
    struct ctl_group *cg;
    uint32_t member;
};

static void member_fail(struct group_config *config, void *context)
{
    struct member_config *member = &config->members[((const struct flapping *)context)->member];

    if (member->state == MEMBER_MISSING) {
        member->state = MEMBER_FAILED;
        member->why = REASON_DRIVE_LOST_FLAPPING;
    }
}

static void member_failed(void *context, int error)
{
    struct flapping *flapping = context;
    struct ctl_group *cg = flapping->cg;
    struct ctl_drive *cd = cg->members[flapping->member];
    const struct member_config *member = &cg_config(cg)->members[flapping->member];
    char group[PATH_TEXT_BYTES];
    char count[16];

    if (error == 0 && member->why == REASON_DRIVE_LOST_FLAPPING) {
        group_path(cg, group, sizeof(group));
        (void)snprintf(count, sizeof(count), "%u", GLITCHES_MAX + 1);
        ctl_event(cg->ctl, EVENT_DRIVE_FLAPPING, cg->object.key, "serial", member->serial, "group",
                  group, "count", count, NULL);
    }
    if (cd != NULL) {
        cd_state_update(cd);
    }
    free(flapping);
    ctl_change_end(cg->ctl);
    ctl_kick(cg->ctl);
}

static void member_leave(struct group_config *config, void *context)
{
    struct member_config *member = &config->members[((const struct flapping *)context)->member];

    if (member->state == MEMBER_FAILED) {
        member->state = MEMBER_MISSING;
        member->why = REASON_DRIVE_LOST_PULLED;
    }
}

static void member_left(void *context, int error)
{
    struct flapping *flapping = context;
    struct ctl_group *cg = flapping->cg;
    char group[PATH_TEXT_BYTES];

    if (error == 0 && member_has_vanished(cg, flapping->member)) {
        group_path(cg, group, sizeof(group));
        ctl_event(cg->ctl, EVENT_DRIVE_LEFT, cg->object.key, "serial",
                  cg_config(cg)->members[flapping->member].serial, "group", group, NULL);
        cg_glitch_note(cg, flapping->member);
    }
    free(flapping);
    ctl_change_end(cg->ctl);
    ctl_kick(cg->ctl);
}

static bool member_change(struct ctl_group *cg, uint32_t member,
                          void (*change)(struct group_config *config, void *context),
                          void (*done)(void *context, int error))
{
    struct flapping *flapping = NULL;

    if (!ctl_change_begin(cg->ctl, "a drive that comes and goes")) {
        return false;
    }
    flapping = calloc(1, sizeof(*flapping));
    ASSERT(flapping != NULL);
    *flapping = (struct flapping){.cg = cg, .member = member};
    cg->glitches[member].flaps = false;
    cg->glitches[member].left = false;
    group_config_change(cg->group, change, flapping, done, flapping);
    return true;
}

static bool group_glitches_work(struct ctl_group *cg)
{
    if (cg->phase != CTL_GROUP_RUNNING || cg->quiescing ||
        cg_state(cg) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        return false;
    }
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->glitches[i].left && member_transfers_failed(cg, i) &&
            member_change(cg, i, member_leave, member_left)) {
            return true;
        }
        if (cg->glitches[i].flaps && member_has_vanished(cg, i) &&
            member_change(cg, i, member_fail, member_failed)) {
            return true;
        }
    }
    return false;
}

void ctl_glitches_work(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        if (ctl->change != NULL || group_glitches_work(list_entry(node, struct ctl_group, link))) {
            return;
        }
    }
}
