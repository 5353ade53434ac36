/*
 * Which copy of a mirror is read. Controllers differ: the reviews name four ways beside that of the
 * engine. Only a choice of speed: any valid copy may be read.
 */
#ifndef ARRAYWRIGHT_RAID_MIRROR_POLICY_H
#define ARRAYWRIGHT_RAID_MIRROR_POLICY_H

enum mirror_policy {
    MIRROR_POLICY_BEST,      /* the engine's: lowest expected completion, streams kept apart */
    MIRROR_POLICY_NONE,      /* always the first */
    MIRROR_POLICY_ALTERNATE, /* one after the other */
    MIRROR_POLICY_NEAREST,   /* the one whose head is nearest */
    MIRROR_POLICY_HISTORY,   /* the one that should answer first, by what it took before */
    MIRROR_POLICY_SPLIT,     /* long reads in pieces of four strips from all of them */
    MIRROR_POLICY_MAX
};

#endif
