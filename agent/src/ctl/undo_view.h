/*
 * Saved metadata of destructive changes as the outside sees them: the newest first, of each its
 * drives. Every string is valid during the call only.
 */
#ifndef ARRAYWRIGHT_CTL_UNDO_VIEW_H
#define ARRAYWRIGHT_CTL_UNDO_VIEW_H

#include "base/reason.h"

struct ctl;

struct undo_view {
    uint64_t number;
    enum undo_kind kind;
    const char *name;      /* of what was deleted or cleared; of the place of a damaged one */
    const char *who;       /* asked for it; may be empty */
    uint64_t saved_us, until_us; /* of a damaged one: when that was noticed */
    struct reason refusal; /* REASON_OK: it can be restored, as far as is known */
};

struct undo_drive_view {
    const char *key, *serial;
    struct reason refusal; /* REASON_OK: nothing speaks against this drive */
};

struct ctl_undo_visitor {
    void (*entry)(void *context, const struct undo_view *view);
    void (*drive)(void *context, const struct undo_drive_view *view);
    void *context;
};

void ctl_undo_visit(const struct ctl *ctl, const struct ctl_undo_visitor *visitor);

#endif
