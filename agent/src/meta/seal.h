/*
 * The seal of a member: a checksum of the beginning of the drive, as a clean stop left it, behind
 * the label slots (drive_layout.h). A program that writes only there, as one that makes a boot
 * sector or an old-style partition table does, leaves the metadata at the end alone and is found by
 * this at the next start.
 *
 * (1) A seal holds for one label, the newest at the stop. Each start writes a label with a higher
 *     sequence before anything else (vd/group.c), so the seal is void before the first write of a
 *     run and costs nothing; after an unclean stop nothing is looked at.
 * (2) It proves nothing if another system has had the drive, which says so elsewhere
 *     (ddf_io.h), nor if it cannot be read.
 * (3) In the same block a witness says that DDF metadata were written to the drive for its group:
 *     whoever has overwritten all of them is found out by it (ddf_io.h (7)). It is written with a
 *     seal and after DDF metadata where there were none, and goes before they do.
 */
#ifndef ARRAYWRIGHT_META_SEAL_H
#define ARRAYWRIGHT_META_SEAL_H

#include "drive/drive.h"
#include "meta/config.h"

#define SEAL_BYTES 4096u
#define SEAL_COVERS_BYTES (128u * 1024u)

#define SEAL_WITNESS_OFFSET 512u /* in the block */

struct seal {
    struct uuid drive;
    struct guid group;
    uint64_t sequence; /* of the label */
    uint32_t crc;      /* of the first SEAL_COVERS_BYTES of the drive */
};

/* block: SEAL_BYTES. */
void seal_encode(const struct seal *seal, uint8_t *block);
/* Any bytes; false: there is none. */
MUST_CHECK bool seal_decode(const uint8_t *block, struct seal *ret_seal);
/* Says (3) in the block, for the drive and the group of *seal. */
void seal_witness_encode(const struct seal *seal, uint8_t *block);
bool seal_witness_is_of(const uint8_t *block, const struct seal *seal);
uint64_t seal_offset(uint64_t size_bytes, bool compact);

enum seal_job_kind {
    SEAL_JOB_MAKE,
    SEAL_JOB_CHECK,       /* answers whether the seal holds and what it covers has changed */
    SEAL_JOB_WITNESS,     /* writes the witness alone */
    SEAL_JOB_FIND_WITNESS, /* answers whether there is one */
    SEAL_JOB_WIPE /* takes both away */
};

/* Of one drive. Calls done once and frees itself when the drive has let go of it. What cannot be
 * read or written is done without: the answer is false. */
struct seal_job {
    enum seal_job_kind kind;
    struct drive *drive;
    bool compact;
    bool witness; /* MAKE: with one */
    struct seal seal; /* without crc; what a check expects */
    uint32_t *jobs; /* of the drive, in flight */
    void (*done)(struct seal_job *job, bool found);
    void *owner;

    /* Private. */
    struct drive_io io;
    uint32_t step;
    bool answered;
    uint8_t *block; /* SEAL_BYTES, and then SEAL_COVERS_BYTES */
};

/* Never NULL. Takes a copy of *job. */
void seal_job_run(const struct seal_job *job);

#endif
