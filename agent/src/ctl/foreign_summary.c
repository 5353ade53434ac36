/*
 * What the finding about foreign sets says (foreign_view.h): looked at anew when something about
 * them has changed.
 */
#include <stdio.h>

#include "ctl/ctl_private.h"
#include "ctl/foreign_view.h"

/* Of what foreign_summary is made. */
struct sets_summary {
    uint32_t count;
    struct name_list refused;
    struct reason refusal; /* of the first that is refused */
    struct reason deleted; /* foreign_summary */
    struct reason away;    /* the same */
};

static void summary_set(void *context, const struct foreign_set_view *set)
{
    struct sets_summary *summary = context;

    if (set->refusal.code == REASON_FOREIGN_MEMBER ||
        set->refusal.code == REASON_FOREIGN_MEMBER_LATER) {
        return; /* told with its drive group */
    }
    summary->count++;
    if (summary->deleted.code == REASON_OK) {
        summary->deleted = set->deleted;
    }
    if (set->refusal.code == REASON_OK) {
        return;
    }
    if (summary->refused.count == 0) {
        summary->refusal = set->refusal;
    }
    name_list_add(&summary->refused, set->name);
}

static void summary_drive(void *context, const struct foreign_drive_view *drive)
{
    (void)context; /* only sets are counted */
    (void)drive;
}

static void summary_vd(void *context, const struct foreign_vd_view *vd)
{
    struct sets_summary *summary = context;

    if (summary->away.code == REASON_OK && vd->reason.code == REASON_FOREIGN_CACHE_AWAY &&
        vd->imported_as != NULL) {
        summary->away = vd->reason;
    }
}

static void summary_member(void *context, const struct foreign_member_view *member)
{
    (void)context; /* the same */
    (void)member;
}

static void summary_damaged(void *context, const char *key, const struct reason *reason)
{
    (void)context; /* the same */
    (void)key;
    (void)reason;
}

void ctl_foreign_work(struct ctl *ctl)
{
    struct sets_summary summary = {.count = 0,
                                   .refusal = {.code = REASON_OK},
                                   .deleted = {.code = REASON_OK},
                                   .away = {.code = REASON_OK}};
    const struct ctl_foreign_visitor visitor = {.set = summary_set,
                                                .set_drive = summary_drive,
                                                .vd = summary_vd,
                                                .member = summary_member,
                                                .damaged = summary_damaged,
                                                .context = &summary};
    char text[16];

    if (!ctl->foreign_noted || ctl->life != CTL_LIFE_ONLINE || ctl->change != NULL) {
        return;
    }
    ctl->foreign_noted = false;
    ctl_foreign(ctl, &visitor);
    if (summary.count > ctl->foreign.count) {
        (void)snprintf(text, sizeof(text), "%u", summary.count);
        ctl_event(ctl, EVENT_FOREIGN_FOUND, controller_key(ctl), "count", text, NULL);
    }
    ctl->foreign = (struct foreign_summary){.count = summary.count,
                                            .refused_count = summary.refused.count,
                                            .refusal = summary.refusal,
                                            .deleted = summary.deleted,
                                            .away = summary.away};
    (void)snprintf(ctl->foreign.refused, sizeof(ctl->foreign.refused), "%s",
                   name_list_text(&summary.refused));
}
