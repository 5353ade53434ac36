/*
 * What drives say of sets that belong to somebody else, and what an import would make of them:
 * described, never acted upon. Every string is valid during the call only.
 */
#ifndef ARRAYWRIGHT_CTL_FOREIGN_VIEW_H
#define ARRAYWRIGHT_CTL_FOREIGN_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reason.h"
#include "base/words.h"

struct ctl;

struct foreign_set_view {
    enum foreign_format format;
    const char *id;        /* 48 hex digits of a DDF GUID, or a UUID */
    const char *name;      /* for people; typed to clear it */
    const char *origin;    /* who made it; may be empty */
    const char *digest;    /* of all that was found */
    enum foreign_outcome outcome;
    struct reason refusal; /* REASON_OK: it can be imported */
    const char *version;   /* "01.02.00", "1.2" */
    uint64_t sequence;     /* of the newest drive */
    uint32_t drive_count;
    struct reason deleted; /* it was deleted here, and undo has it; REASON_OK: no */
};

struct foreign_vd_view {
    const char *name;      /* may be empty */
    const char *level;     /* "RAID5", "RAID5 (N restart)" */
    uint64_t size_bytes;   /* 0: not told */
    uint64_t strip_bytes;  /* 0: none */
    bool consistent;
    enum foreign_state state;
    struct reason reason;  /* REASON_OK: nothing to say */
    enum foreign_outcome outcome;
    const char *imported_as; /* NULL: it is refused */
    uint32_t target_id;
};

struct foreign_drive_view {
    const char *key;
    uint64_t sequence;     /* how new what it says is */
    enum foreign_member_state state;
    enum foreign_drive_outcome outcome;
};

struct foreign_member_view {
    const char *drive;     /* key, or NULL: it is not there */
    const char *serial;    /* of it, or as the set remembers it; may be empty */
    enum foreign_member_state state;
    enum foreign_drive_outcome outcome;
};

/* Sets; of each its drives, then its virtual drives, of each its members in order; at last the
 * drives whose metadata cannot be believed. */
struct ctl_foreign_visitor {
    void (*set)(void *context, const struct foreign_set_view *set);
    void (*set_drive)(void *context, const struct foreign_drive_view *drive);
    void (*vd)(void *context, const struct foreign_vd_view *vd);
    void (*member)(void *context, const struct foreign_member_view *member);
    void (*damaged)(void *context, const char *key, const struct reason *reason);
    void *context;
};

/* What the finding about them says. */
struct foreign_summary {
    uint32_t count;         /* sets */
    uint32_t refused_count; /* those that cannot be imported */
    char refused[120];      /* their names */
    struct reason refusal;  /* of the first of them */
    struct reason deleted;  /* of the first that undo can restore */
    struct reason away;     /* of the first that an import would cost acknowledged writes */
};

void ctl_foreign(const struct ctl *ctl, const struct ctl_foreign_visitor *visitor);

#endif
