/*
 * The configuration in memory, independent of any format on disk. Plain data.
 *
 * A group record holds everything that must survive for one drive group. It is written as a
 * whole with a growing sequence number to the label of every member that is present and to
 * the host's store (meta/group_store.h).
 */
#ifndef ARRAYWRIGHT_META_CONFIG_H
#define ARRAYWRIGHT_META_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/guid.h"
#include "base/words.h"
#include "raid/geometry.h"

#define GROUP_MEMBERS_MAX 256u
#define GROUP_VDS_MAX 16u
#define VD_NAME_MAX 15u
#define STRIPE_MEMBERS_MIN 2u
#define STRIPE_MEMBERS_MAX 8u
#define STRIPE_STRIP_MIN_BYTES (8u * 1024u)
#define STRIPE_STRIP_MAX_BYTES (1024u * 1024u)

enum member_state {
    MEMBER_ONLINE,   /* in sync: its data may be trusted everywhere */
    MEMBER_REBUILD,  /* in sync below rebuilt_bytes only */
    MEMBER_FAILED,   /* present or not, its data are not to be trusted */
    MEMBER_MISSING,  /* not there */
    MEMBER_OFFLINE,  /* taken out by a user; data not to be trusted */
    MEMBER_STATE_MAX
};

struct member_config {
    struct uuid drive;         /* label UUID of the drive that belongs here */
    char serial[41];           /* for people: which drive to look for */
    enum member_state state;
    enum reason_code why;
    bool place_known;          /* where its drive is or was last seen, in an enclosure: a blank */
    uint32_t eid;              /* drive found there is meant to take a lost member's place */
    uint16_t slot;
    /* Its label's record is at least as new as this (group_store.h (3)); 0: not known. */
    uint64_t known_sequence;
    uint64_t rebuilt_bytes;    /* MEMBER_REBUILD: in sync below (published after its flush) */
};

/* Its place in a stripe over virtual drives, perhaps of several controllers (vd/host_stripe.h).
 * Each member has it: with all of them the stripe is whole, whatever order they come in. */
struct vd_stripe {
    struct uuid uuid;          /* of the stripe; zero: the virtual drive is in none */
    char name[VD_NAME_MAX + 1];
    uint32_t position, count;  /* this one of so many */
    uint32_t strip_bytes;
    uint64_t member_bytes;     /* used of each member; a multiple of strip_bytes */
};

struct vd_config {
    struct guid guid;
    uint32_t target_id;        /* number of the virtual drive on its controller */
    char name[VD_NAME_MAX + 1];
    struct geometry geometry;  /* extent_bytes: of this virtual drive on each member */
    uint64_t extent_start_bytes; /* on each member's data area; a multiple of 1 MiB */
    uint64_t size_bytes;       /* <= geometry_size_bytes */
    enum write_policy write_policy;
    enum read_policy read_policy;
    enum io_policy io_policy;
    enum drive_cache_policy drive_cache_policy;
    enum degraded_policy degraded_policy;
    enum access_policy access;
    uint64_t created_us;
    bool dirty;                /* may have been written since it was last known consistent */
    /* The sweep now needed is a resync after an unclean stop, not the first initialization. */
    bool resync;
    bool resync_unlogged;      /* ... and no log knew what was being written then */
    uint64_t consistent_rows;  /* rows below are known consistent; = row count: Consist Yes */
    uint32_t map_slot;         /* place of the region map in the private areas, from 1; 0: none */
    uint64_t map_epoch;        /* pages of another one are void */
    bool map_ready;            /* every page is on every member: the map may be believed */
    /* Write intents go to the members if there is no better log. AUTO, parity alone: while a member
     * is not in sync (vd/stripe_log.h). */
    enum stripe_log_mode stripe_log;
    /* A record's, of the writes that may have been made since: all that could be torn are in the
     * stripe log; a member was out of sync. A start that is cut short leaves both as they were. */
    bool stripe_log_used;
    bool written_degraded;
    bool hedged_reads; /* a read that takes too long is not waited for */
    /* Write intents of another one are void (raid/intent_log.h). */
    uint64_t intent_generation;
    /* The cache journal that may hold writes which are not on the members; zero: none does. */
    struct uuid cache_journal;
    /* What of a journal is older than this is a copy from before (cache/journal.h); it is of the
     * one that cache_journal or the upper half of intent_generation names. */
    uint64_t journal_stamp;
    bool cache_lost; /* a journal with such writes has been lost */
    /* Of what cache_lost tells, so much was discarded by command; 0: it was not. */
    uint64_t cache_discarded_bytes;
    bool cache_damaged; /* cache_lost: the journal is there, and blocks in it are damaged */
    struct vd_stripe stripe;
};

/* Blocks of a member whose content is not to be had: meaning and rules in meta/bad_blocks.h. */
#define BAD_BLOCKS_MAX 1024u

struct bad_blocks {
    uint32_t member;
    enum bad_block_kind kind;
    uint64_t offset_bytes; /* on the member's data area; a multiple of 512 */
    uint32_t block_count; /* of 512 bytes; at least 1 */
};

/* A drive that is being made equal to the one in a member's place, to take it (vd/copyback.c). */
struct copyback_config {
    bool active;
    uint32_t member;
    struct uuid drive; /* label UUID of the drive that is being filled */
    uint64_t copied_bytes; /* equal below (published after its flush) */
};

struct group_config {
    struct guid guid;
    uint64_t sequence; /* of the newest record written */
    uint32_t index; /* number of the drive group on its controller */
    bool compact; /* private areas lie in the DDF workspace (drive_layout.h) */
    uint32_t member_count;
    struct member_config members[GROUP_MEMBERS_MAX];
    struct copyback_config copyback;
    uint32_t vd_count;
    struct vd_config vds[GROUP_VDS_MAX];
    uint32_t bad_count;
    struct bad_blocks bad[BAD_BLOCKS_MAX]; /* sorted, without overlaps */
};

#endif
