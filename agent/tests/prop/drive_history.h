/*
 * The life of a controller and its drives, with what every drive and the host's memory were like
 * at several moments ("generations"): what a property test makes mixtures of.
 */
#ifndef ARRAYWRIGHT_TESTS_DRIVE_HISTORY_H
#define ARRAYWRIGHT_TESTS_DRIVE_HISTORY_H

#include "ctl_world.h"
#include "meta/group_store.h"

#define HISTORY_SLOTS 10u
#define HISTORY_GENERATIONS 4u
#define HISTORY_GROUPS 2u
#define HISTORY_CHUNKS 16u
#define HISTORY_MOMENTS 128u
#define HISTORY_DRIVE_BYTES (68 * MIB)

/* What the chunks of a virtual drive held while the record with this number was the newest. */
struct moment {
    uint64_t sequence;
    uint32_t tags[HISTORY_CHUNKS]; /* 0: never written */
};

struct history_group {
    char name[16];
    struct guid guid;
    uint64_t stride_bytes; /* from chunk to chunk */
    struct moment moments[HISTORY_MOMENTS];
    uint32_t moment_count;
};

struct history {
    uint64_t seed;
    struct sim_world *archive;
    struct sim_drive *drives[HISTORY_GENERATIONS][HISTORY_SLOTS];
    struct drive_label *labels[HISTORY_GENERATIONS][HISTORY_SLOTS]; /* NULL: it has none */
    struct sim_store *stores[HISTORY_GENERATIONS];
    /* What the host's memory has of each group; NULL: nothing. */
    struct group_config *records[HISTORY_GENERATIONS][HISTORY_GROUPS];
    struct history_group groups[HISTORY_GROUPS];
    uint32_t group_count;
};

struct history *history_new(uint64_t seed);
struct history *history_free(struct history *history);
/* What may be read when the newest record is that one. */
const uint32_t *history_tags(const struct history_group *group, uint64_t sequence);

/* The newest label of a drive as it is on it, or NULL; the caller frees it. */
struct drive_label *label_peek(const struct sim_drive *drive);

void chunks_write(struct ctl_world *world, const struct history_group *group, struct rng *rng,
                  uint32_t *tags, uint32_t tag);
/* True if the virtual drive is served and holds this; *ret_served alone tells the former. */
bool chunks_check(struct ctl_world *world, const struct history_group *group, const uint32_t *tags,
                  bool *ret_served);

#endif
