/*
 * A drive group on the real loop, over null drives or real files, without daemon and export:
 * what the benchmarks of the engine drive. Not installed.
 *
 * A null drive answers every transfer on the next turn and moves no byte, so that what is left
 * of the time is the engine's own. Where the bytes themselves are the work, as in a rebuild of a
 * mirror, it copies them from and to memory of its own that no cache holds.
 */
#ifndef ARRAYWRIGHT_BENCH_WORLD_H
#define ARRAYWRIGHT_BENCH_WORLD_H

#include "cache/intents.h"
#include "emulate/emulated_drive.h"
#include "host/file_port.h"
#include "host/loop.h"
#include "vd/group.h"

#define BENCH_DRIVES_MAX 32u
#define BENCH_NO_MEMBER UINT32_MAX
/* Of each drive that moves bytes, over and over, at most: more than caches hold. */
#define BENCH_MEMORY_BYTES (UINT64_C(256) << 20)

struct null_drive {
    struct io_port io;
    struct loop *loop;
    struct list answers;
    uint8_t *bytes; /* NULL: it moves none */
    uint64_t byte_count;
    struct loop_task task;
};

struct bench_setup {
    enum raid_level level;
    uint32_t span_count;
    uint32_t members_per_span;
    uint32_t strip_bytes;
    uint64_t extent_bytes;            /* on each member */
    uint32_t rebuild_member;          /* starts at 0 of a rebuild; BENCH_NO_MEMBER: none */
    bool degraded;                    /* the last member is missing */
    enum stripe_log_mode stripe_log;
    char *const *paths;               /* files; NULL: null drives */
    bool moves_bytes;                 /* null drives: out of and into memory */
    struct emulated_timing timing;    /* all zero: none */
    uint32_t intent_frames; /* of a journal in shared memory for write intents; 0: none */
};

struct bench_world {
    struct bench_setup setup;
    struct loop *loop;
    uint32_t member_count;
    struct null_drive nulls[BENCH_DRIVES_MAX];
    struct file_port *files[BENCH_DRIVES_MAX];
    struct emulated_drive *emulated[BENCH_DRIVES_MAX];
    struct drive *drives[BENCH_DRIVES_MAX];
    struct store_port store;
    struct list puts;
    struct loop_task store_task;
    struct group_store *group_store;
    struct memory_port medium; /* with write intents */
    struct cache *cache;
    struct intents *intents;
    struct intent_log *intent_log;
    struct group *group;
    struct vd *vd;
    bool done;
    int error;
};

/* Ends the process with a sentence if anything fails. */
void bench_world_open(struct bench_world *world, const struct bench_setup *setup);
void bench_world_close(struct bench_world *world);
void bench_world_turn(struct bench_world *world);
/* For callbacks of the form done(context, error): context is the world. */
void bench_world_done(void *context, int error);
/* Turns until bench_world_done() was called. */
void bench_world_wait(struct bench_world *world);
__attribute__((noreturn, format(printf, 1, 2))) void bench_fail(const char *format, ...);

#endif
