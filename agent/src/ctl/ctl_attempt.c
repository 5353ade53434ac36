/*
 * What the controller does by itself and could not do: it is tried again, later each time, because
 * most causes go away without anybody telling (a full state directory, a drive in use, no space
 * below). In between the documents say what it waits for.
 *
 * (1) An attempt that failed is told once for each cause, not once for each try.
 * (2) Each wait is twice the one before: a cause that lasted some time is noticed to be gone within
 *     as much time again, and one that stays costs little.
 */
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"

#define ATTEMPT_FIRST_US UINT64_C(5000000)
#define ATTEMPT_MOST_US UINT64_C(900000000)

bool attempt_fail(struct ctl *ctl, struct ctl_attempt *attempt, const struct reason *why)
{
    uint64_t delay_us = ATTEMPT_FIRST_US << min_u32(attempt->failures, 16); /* (2) */
    bool is_news = attempt->failures == 0 || attempt->why.code != why->code;

    ASSERT(why->code != REASON_OK);
    attempt->failures++;
    attempt->waits = true;
    attempt->why = *why;
    attempt->again_us = clock_now_us(ctl->ports.clock) + min_u64(delay_us, ATTEMPT_MOST_US);
    ctl_kick(ctl); /* it arms the timer */
    return is_news;
}

void attempt_forbid(struct ctl_attempt *attempt, enum reason_code why)
{
    ASSERT(why != REASON_OK);
    attempt->waits = true;
    attempt->again_us = UINT64_MAX;
    reason_set(&attempt->why, why, NULL);
}

void attempt_clear(struct ctl_attempt *attempt)
{
    memset(attempt, 0, sizeof(*attempt));
}

bool attempt_is_forbidden(const struct ctl_attempt *attempt)
{
    return attempt->waits && attempt->again_us == UINT64_MAX;
}

static void attempt_look(struct ctl *ctl, struct ctl_attempt *attempt, uint64_t now_us)
{
    if (!attempt->waits || attempt->again_us == UINT64_MAX) {
        return;
    }
    if (attempt->again_us <= now_us) {
        attempt->waits = false; /* how often it failed is kept: the next wait is longer */
    } else {
        ctl_kick_at(ctl, attempt->again_us);
    }
}

static void group_attempts_look(struct ctl_group *cg, uint64_t now_us)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        attempt_look(cg->ctl, &cg->rebuild_attempts[i], now_us);
    }
    attempt_look(cg->ctl, &cg->copyback_attempt, now_us);
    LIST_FOR_EACH (node, &cg->vds) {
        attempt_look(cg->ctl, &list_entry(node, struct ctl_vd, link)->bgi_attempt, now_us);
    }
}

void ctl_attempts_work(struct ctl *ctl)
{
    uint64_t now_us = clock_now_us(ctl->ports.clock);

    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        attempt_look(ctl, &cd->attempt, now_us);
        attempt_look(ctl, &cd->erase_wait.attempt, now_us);
        cd_refusal_look(cd, now_us);
    }
    LIST_FOR_EACH (node, &ctl->groups) {
        group_attempts_look(list_entry(node, struct ctl_group, link), now_us);
    }
}

/* What a group waits for */

static bool waits_for_drive(const struct ctl_drive *cd, const struct ctl_attempt *attempt,
                            struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES] = "?";
    char why[REASON_TEXT_MAX];

    if (attempt->failures == 0 || attempt_is_forbidden(attempt)) {
        return false;
    }
    if (cd != NULL) {
        drive_path(cd, path, sizeof(path));
    }
    (void)reason_text(&attempt->why, why, sizeof(why));
    reason_set(ret_reason, REASON_REBUILD_TRIED_AGAIN, "drive", path, "why", why, NULL);
    return true;
}

static bool place_waits(const struct ctl_group *cg, uint32_t member, struct reason *ret_reason)
{
    const struct ctl_drive *own = cg->members[member];

    if (!cg_member_is_vacant(cg, member)) {
        return cg_config(cg)->members[member].state == MEMBER_REBUILD &&
               operation_of_member(cg, member) == NULL &&
               waits_for_drive(own, &cg->rebuild_attempts[member], ret_reason);
    }
    if (own != NULL && own->present && waits_for_drive(own, &own->attempt, ret_reason)) {
        return true;
    }
    LIST_FOR_EACH (node, &cg->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd->spare && cd->present && !cd->departed && spare_is_meant_for(cd, cg) &&
            waits_for_drive(cd, &cd->attempt, ret_reason)) {
            return true;
        }
    }
    return false;
}

bool cg_rebuild_waits(const struct ctl_group *cg, struct reason *ret_reason)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (place_waits(cg, i, ret_reason)) {
            return true;
        }
    }
    return false;
}
