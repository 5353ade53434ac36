/*
 * What a controller must remember besides its groups: who it is, its properties, which groups
 * exist, which drives it uses, and the one configuration change that is under way. Plain data
 * and its encoding; kept in the host's store as CONTROLLER_RECORD_NAME.
 *
 * (1) A group exists if and only if it is listed here; its own record says what it is.
 * (2) An intent names a group whose creation or deletion has begun: whatever labels of it are
 *     found, on the drives marked with it or elsewhere, are to be wiped. Of an import that has
 *     begun only what it wrote itself is taken back. After a deletion, and a restoration that has
 * not come to its end, the drives keep a mark of the group (label_io.h (6)).
 * (3) The clearing of a foreign set, and the undoing of that, is brought to its end; intent_group
 * is the set.
 * (4) The import of a set of md's own format is taken back like any other as long as it is ADOPT,
 * its DDF metadata first; once it is ADOPTED the group is listed, and what is left to be done is to
 * take md's superblocks off the drives that are marked.
 */
#ifndef ARRAYWRIGHT_META_CONTROLLER_RECORD_H
#define ARRAYWRIGHT_META_CONTROLLER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "base/words.h"

#define CONTROLLER_RECORD_NAME "controller"
#define CONTROLLER_GROUPS_MAX 240u
#define CONTROLLER_DRIVES_MAX 1024u
#define CONTROLLER_RECORD_MAX_BYTES (104u * 1024u)

enum controller_intent {
    CONTROLLER_INTENT_NONE,
    CONTROLLER_INTENT_CREATE,
    CONTROLLER_INTENT_DELETE,
    CONTROLLER_INTENT_IMPORT,
    CONTROLLER_INTENT_RESTORE,
    CONTROLLER_INTENT_CLEAR,
    CONTROLLER_INTENT_CLEAR_UNDO,
    CONTROLLER_INTENT_ADOPT,
    CONTROLLER_INTENT_ADOPTED,
    CONTROLLER_INTENT_MAX
};

/* A hot spare that stands in for a lost member: what it was, and where the lost drive was. */
#define CONTROLLER_RETURNS_MAX 32u
#define CONTROLLER_RETURN_GROUPS_MAX 16u
struct controller_return {
    char key[65];
    struct guid group;
    uint32_t member;
    uint32_t eid;
    uint16_t slot;
    bool declined;                /* the drive there, by "set good": not filled by itself */
    bool affinity;
    uint32_t group_count;         /* 0: global */
    struct guid groups[CONTROLLER_RETURN_GROUPS_MAX];
};

/* A drive that is being erased, or that is erased in part (ctl/ctl_erase.c). */
#define CONTROLLER_ERASES_MAX 64u
struct controller_erase {
    char key[65];
    bool active;                  /* it goes on by itself */
    enum erase_mode mode;
    uint8_t pattern_a, pattern_b;
    uint32_t pass;
    uint64_t seed;
    uint64_t cursor_bytes;        /* of this pass; what is below is durable */
    uint64_t size_bytes;
};

/* A hot spare as it was when it was last there, to be missed when it is not
 * (ctl/ctl_spare_seen.c). Unused bytes are zero. */
#define CONTROLLER_SPARES_MAX 32u
struct controller_spare {
    char key[65];
    char path[49];
    char name[25];
    char serial[41];
    bool dedicated;
};

/* When, how and how often all drives are read in the background (ctl/ctl_patrol.c). */
#define CONTROLLER_PATROL_DELAY_MAX 8760u
#define CONTROLLER_PATROL_DRIVES_MAX 255u
#define CONTROLLER_PATROL_NEXT_MAX (UINT64_C(1) << 53)
struct controller_patrol {
    enum patrol_mode mode;
    uint32_t rate_percent;
    uint32_t delay_hours;         /* from the end of one to the next; up to …_DELAY_MAX */
    uint32_t drives_max;          /* at the same time; 1 to …_DRIVES_MAX */
    bool ssds;                    /* they are read too */
    uint64_t next_us;             /* wall: it begins by itself; 0: not decided yet */
    uint64_t last_us;             /* wall: one was complete; 0: never */
    uint64_t iterations;          /* complete ones */
};

#define CONTROLLER_GLITCH_MAX 300u
#define CONTROLLER_GLITCH_DEFAULT 5u
#define CONTROLLER_COERCION_DEFAULT COERCION_MIB_128
struct controller_record {
    struct uuid controller;
    struct uuid epoch;            /* of revisions: new only if this record was lost */
    uint64_t rev_reserved;        /* no revision of an earlier run is above this */
    uint64_t operation_reserved;  /* nor the number of an operation */
    uint32_t rebuild_rate_percent;
    uint32_t bgi_rate_percent;
    uint32_t glitch_seconds;      /* no spare for a drive that vanished; up to …_MAX */
    enum coercion coercion;       /* what new drive groups take of a drive */
    struct controller_patrol patrol;
    bool auto_rebuild;
    bool emergency_spare;         /* a hot spare of another kind than the members may stand in */
    bool emergency_unconfigured;  /* an unconfigured good drive may stand in */
    bool mixed_media;             /* SSDs and hard disks may share a drive group */
    bool mixed_interfaces;        /* SAS and SATA drives may share a drive group */
    bool copyback;                /* to the replaced slot, by itself */
    bool predictive_copyback;     /* off a drive that will probably fail, by itself */
    uint32_t group_count;
    struct guid groups[CONTROLLER_GROUPS_MAX];
    enum controller_intent intent;
    struct guid intent_group;
    uint32_t drive_count;
    struct {
        char key[65];
        bool intent;              /* it belongs to the change under way */
        bool jbod;                /* not ours: left to the host as it is */
    } drives[CONTROLLER_DRIVES_MAX];
    uint32_t return_count;
    struct controller_return returns[CONTROLLER_RETURNS_MAX];
    uint32_t erase_count;
    struct controller_erase erases[CONTROLLER_ERASES_MAX];
    uint32_t spare_count;
    struct controller_spare spares[CONTROLLER_SPARES_MAX];
};

MUST_CHECK int controller_record_encode(const struct controller_record *record, uint8_t *buffer,
                                        size_t capacity, size_t *ret_bytes);
void controller_patrol_default(struct controller_patrol *patrol);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Leaves *ret_record
 * alone on failure. */
MUST_CHECK int controller_record_decode(const uint8_t *buffer, size_t bytes,
                                        struct controller_record *ret_record);

#endif
