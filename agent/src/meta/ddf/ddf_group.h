/*
 * Drive groups as DDF, and back.
 *
 * One drive group is one DDF group of drives: its GUID is the header's, its members are the
 * physical drives, a member's label UUID ends its drive's GUID. What DDF has no field for and
 * others need not know stands in the vendor's bytes of the records; what changes often (maps,
 * checkpoints, logs) is kept in the private area and not here at all.
 *
 * Back from the drives of a group, in any order:
 *
 * (1) The global tables are those of the drive with the highest sequence, an open copy counting
 *     one less; of the records of a span the one with the highest sequence.
 * (2) A drive is in sync only if the newest tables say so and it is not behind them. Others
 *     (mdadm) never look: a stale drive would be read as good. Drives one behind are taken in
 *     sync if there would be no virtual drive without them, because then a change of the tables
 *     was cut short; the virtual drive counts as inconsistent.
 * (3) A place whose drive is not there, unknown or named twice is missing; it keeps its number.
 */
#ifndef ARRAYWRIGHT_META_DDF_GROUP_H
#define ARRAYWRIGHT_META_DDF_GROUP_H

#include "meta/config.h"
#include "meta/ddf/ddf.h"

/* Levels */

struct ddf_level {
    uint8_t level;
    uint8_t qualifier;
    uint8_t secondary;  /* 0xFF: only one span */
};

/* 0, or -EOPNOTSUPP: DDF has no word for it. */
MUST_CHECK int ddf_level_of(const struct geometry *geometry, struct ddf_level *ret_level);
/* Level, spans, members and strip of a record. 0, or -EOPNOTSUPP with a sentence. */
MUST_CHECK int ddf_geometry_of(const struct ddf_record *record, struct geometry *ret_geometry,
                               const char **ret_why);
/* "RAID5 (N continue)": any record, also one that cannot be run here. */
void ddf_level_name(const struct ddf_record *record, char out[32]);

/* To DDF */

struct ddf_group_source {
    const struct group_config *group;
    const struct uuid *controller;
    const uint64_t *usable_bytes; /* of each member's drive; 0: not known */
    uint32_t sequence;
    uint64_t wall_us;
};

/* What is to be written to the drive of `member`. 0; -EOPNOTSUPP: a level DDF has no word for;
 * -EMSGSIZE: too many members. */
MUST_CHECK int ddf_from_group(const struct ddf_group_source *source, uint32_t member,
                              uint64_t drive_sectors, struct ddf_config **ret_config);

/* Do both say the same, but for counters and times? */
bool ddf_config_is_same(const struct ddf_config *a, const struct ddf_config *b);
/* A record that has not changed keeps its time and number. */
void ddf_records_inherit(struct ddf_config *config, const struct ddf_config *older);
/* Drives of the older tables that are no members any more keep their entries, as failed, and all
 * keep their order: whoever is given such a drive together with the members must find in the newest
 * tables that it is not one of them, for its own tables still say so. */
void ddf_drives_inherit(struct ddf_config *config, const struct ddf_config *older);
/* Of another system's hand: what we wrote last, written again by somebody who does not know us. */
bool ddf_is_written_by_others(const struct ddf_config *config);

/* From DDF */

#define DDF_SET_DRIVES_MAX 256u

struct ddf_set {
    uint32_t drive_count;
    struct {
        const struct ddf_config *config;
        uint64_t sectors;
        bool twin;                      /* another drive says it is the same one */
    } drives[DDF_SET_DRIVES_MAX];
    const struct ddf_config *newest;
};

/* config must outlive the set. 0; -EXDEV: another group; -ENOSPC; a twin is taken and marked. */
MUST_CHECK int ddf_set_add(struct ddf_set *set, const struct ddf_config *config,
                           uint64_t drive_sectors);

enum ddf_place_state {
    DDF_PLACE_ONLINE,
    DDF_PLACE_REBUILD,
    DDF_PLACE_FAILED,
    DDF_PLACE_OFFLINE,
    DDF_PLACE_STALE,
    DDF_PLACE_MISSING,
    DDF_PLACE_STATE_MAX
};

#define DDF_NO_DRIVE UINT32_MAX

struct ddf_place {
    enum ddf_place_state state;
    uint32_t drive;                     /* of the set, or DDF_NO_DRIVE */
    const struct ddf_pd *pd;            /* of the newest tables, or NULL */
    uint64_t start_lba;
};

enum ddf_found_state {
    DDF_FOUND_OPTIMAL,
    DDF_FOUND_DEGRADED,
    DDF_FOUND_INCOMPLETE,  /* too few drives */
    DDF_FOUND_UNSUPPORTED, /* a level or layout that is not run here */
    DDF_FOUND_DAMAGED,     /* its records contradict each other */
    DDF_FOUND_STATE_MAX
};

/* A virtual drive as the drives of the set describe it. */
struct ddf_found {
    const struct ddf_vd *vd;
    const struct ddf_record *record;    /* of the first span found; NULL if there is none */
    struct geometry geometry;           /* not of an unsupported one */
    uint64_t size_bytes;
    bool inconsistent;
    enum ddf_found_state state;
    const char *why;                    /* a sentence, unless optimal */
    uint32_t place_count;
    struct ddf_place places[GROUP_MEMBERS_MAX];
};

void ddf_set_examine(const struct ddf_set *set, uint32_t vd, struct ddf_found *ret_found);
/*
 * The drive group that virtual drive `vd` belongs to, with every other one of the same members.
 * 0; -EOPNOTSUPP: it cannot be run here as it is, for the reason given. Whether the drives have
 * room for the private area is the caller's to see.
 */
MUST_CHECK int ddf_to_group(const struct ddf_set *set, uint32_t vd, struct group_config *ret_group,
                            const char **ret_why);
/* The UUID by which a drive of this GUID is known. */
struct uuid ddf_drive_uuid(const struct guid *guid);

#endif
