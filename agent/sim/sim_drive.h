/*
 * A simulated drive: an io_port over memory with a volatile write cache, random latencies
 * and faults. Bytes live in 4 KiB pages made when first written; before that a page reads
 * as zeros, or as noise that depends on fill_seed, like a used drive.
 *
 * A write takes effect when it completes; it is durable once a flush that was submitted
 * after that has completed. At a power cut, writes in flight may have reached the medium in
 * part, sector by sector; a sector at which a write was torn may be unreadable.
 */
#ifndef ARRAYWRIGHT_SIM_DRIVE_H
#define ARRAYWRIGHT_SIM_DRIVE_H

#include "port/io_port.h"
#include "sim_pages.h"
#include "sim_world.h"

#define SIM_SECTOR_BYTES 512u
#define SIM_DRIVE_FAULTS_MAX 64u

struct sim_drive_options {
    uint64_t size_bytes;           /* a multiple of the logical block */
    uint32_t logical_block_bytes;  /* 0: 512 */
    uint32_t physical_block_bytes; /* 0: 4096 */
    uint32_t loss_block_bytes;     /* what a medium error costs; 0: a logical block */
    uint64_t fill_seed;            /* 0: zeros */
    uint32_t latency_min_us;       /* 0: 20 */
    uint32_t latency_max_us;       /* 0: 200 */
};

enum sim_fault_kind {
    SIM_FAULT_READ,  /* MEDIA on reads until the sectors are written */
    SIM_FAULT_WRITE, /* MEDIA on writes and reads, for good */
    SIM_FAULT_KIND_MAX
};

struct sim_fault {
    enum sim_fault_kind kind;
    uint64_t offset_bytes; /* sectors of 512 */
    uint64_t length_bytes;
};

struct sim_drive_counters {
    uint64_t reads, writes, flushes;
    uint64_t read_bytes, written_bytes;
    uint64_t tried_reads; /* and those that failed */
};

struct sim_drive {
    struct io_port port;
    struct sim_world *world;
    struct list world_link;
    struct sim_drive_options options;
    struct sim_pages current; /* what a read returns */
    struct sim_pages durable; /* what survives a power cut for sure */
    struct list in_flight; /* sim_transfer, in order of submission */
    struct list hung;      /* sim_transfer that will not answer before sim_drive_unhang() */
    struct list unflushed; /* sim_write in order of completion */
    uint32_t in_flight_count;
    struct sim_fault faults[SIM_DRIVE_FAULTS_MAX];
    uint32_t fault_count;
    enum io_status refusal;       /* of writes, IO_STATUS_OK: none; for good, and of this range */
    uint64_t refusal_offset_bytes, refusal_length_bytes;
    enum io_status flush_refusal; /* of flushes, which make nothing durable; for good */
    struct sim_drive_counters counters;
    /* Behavior, set by the test at any time. */
    bool gone;                /* everything answers GONE */
    bool cache_lost; /* pulled with unflushed writes in its cache; for the test to clear */
    bool behind; /* ... and the others have kept theirs when the process died */
    bool hang; /* requests submitted now wait for sim_drive_unhang() */
    bool flush_fails;
    bool flush_fails_once; /* and what it should have covered never becomes durable */
    uint32_t flush_forgets; /* the next n flushes fail, and reads find nothing of that any more */
    bool flush_ignored; /* a lying drive: answers OK, makes nothing durable */
    bool write_fails; /* every write answers ERROR */
    uint32_t errors_left; /* the next n requests answer ERROR */
    uint32_t extra_latency_us;
    /* Called at each submission, after the request was counted; may be NULL. */
    void (*on_submit)(void *context, struct sim_drive *drive, const struct io_request *request);
    void *on_submit_context;
};

struct sim_drive *sim_drive_create(struct sim_world *world,
                                   const struct sim_drive_options *options);
void sim_drive_destroy(struct sim_drive *drive);
struct io_port *sim_drive_port(struct sim_drive *drive);

/* False when the table is full. */
bool sim_drive_fault_add(struct sim_drive *drive, const struct sim_fault *fault);
void sim_drive_faults_clear(struct sim_drive *drive);
/* Pulls the drive: what is in flight answers GONE soon; with `lose_cache` its unflushed
 * writes are lost. */
void sim_drive_pull(struct sim_drive *drive, bool lose_cache);
void sim_drive_return(struct sim_drive *drive);
void sim_drive_unhang(struct sim_drive *drive);

/* Behind the back of the program under test. */
void sim_drive_peek(const struct sim_drive *drive, uint64_t offset_bytes, void *buffer,
                    uint64_t length_bytes);
/* What would be there after a power cut for sure. */
void sim_drive_peek_durable(const struct sim_drive *drive, uint64_t offset_bytes, void *buffer,
                            uint64_t length_bytes);
void sim_drive_poke(struct sim_drive *drive, uint64_t offset_bytes, const void *buffer,
                    uint64_t length_bytes);

/* How many pages the writes that a power cut decides on have. */
uint32_t sim_drive_pending_pages(const struct sim_drive *drive, bool process_alone);
/* A drive of another world with what a power cut now would leave of this one: its durable bytes,
 * the survivors of its unflushed writes, its faults and its behavior. This one goes on. */
struct sim_drive *sim_drive_fork(const struct sim_drive *drive, struct sim_world *world,
                                 const struct sim_cut_plan *plan);

/* For sim_world. */
void sim_drive_cut(struct sim_drive *drive, const struct sim_cut_plan *plan);

#endif
