/*
 * A virtual drive of a RAID 5 behind the cache, on simulated drives, for its tests: with a journal
 * in memory that survives, or one in shared memory with a log on a drive.
 */
#ifndef ARRAYWRIGHT_CACHED_BENCH_H
#define ARRAYWRIGHT_CACHED_BENCH_H

#include "aw_test.h"

#include "cache/cache_private.h"
#include "sim_array.h"
#include "sim_log.h"
#include "vd/cached_private.h"

#define STRIP (16u << 10)
#define ROW (2 * STRIP)

struct bench {
    struct sim_world *world;
    struct sim_array *array;
    struct memory_port memory;
    bool on_log;
    struct sim_log log;
    uint8_t journals; /* begun so far */
    struct cache *cache;
    struct cache_mover *mover;
    struct vd_cached *cached;
    enum cache_found found;
    bool closed;
};

/* The group is online; neither mover nor cached virtual drive is there yet. */
struct bench *bench_make(bool on_log);
/* The same over other drives. */
struct bench *bench_make_of(const struct sim_array_options *options, bool on_log);
/* With both, written back. */
struct bench *bench_new(bool on_log);
/* Written back into memory that does not survive the host. */
struct bench *bench_unstable(void);
void bench_free(struct bench *bench);

/* The parts of that, for other lives over the same drives and memory. */
void cache_begin(struct bench *bench);
void mover_begin(struct bench *bench, const struct cache_mover_options *options);
void open_it(struct bench *bench);
void was_closed(void *context);
void close_it(struct bench *bench);
void cache_end(struct bench *bench);

struct io {
    struct vd_request request;
    uint8_t *bytes;
    bool done;
    enum vd_status status;
};

void io_begin(struct bench *bench, struct io *io, enum vd_op op, uint64_t offset, uint32_t length,
              int byte);
enum vd_status io_end(struct bench *bench, struct io *io);
enum vd_status put(struct bench *bench, uint64_t offset, uint32_t length, int byte);
/* All of it is that byte, unless an error is returned. */
enum vd_status get(struct bench *bench, uint64_t offset, uint32_t length, int byte);

void reads_set(struct bench *bench, enum read_policy policy, enum io_policy kept);

/* Neither the members nor the state directory take a record. */
void records_fail(struct bench *bench);
void drives_pull(struct bench *bench);

#endif
