/*
 * Encoding of a seal, little-endian: 0 magic "AWSEAL01", 8 drive uuid, 24 group guid, 48 sequence
 * of the label, 56 bytes covered 4, 60 their CRC-32C, 64 CRC-32C of all that.
 */
#include "meta/seal.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "drive/drive_layout.h"

#define CRC_OFFSET 64u

static const uint8_t seal_magic[8] = "AWSEAL01";

STATIC_ASSERT(LABEL_SLOT_COUNT *LABEL_SLOT_BYTES + SEAL_BYTES <= REGION_MAPS_OFFSET,
              "a seal lies before the maps");
STATIC_ASSERT(COMPACT_LABELS_BYTES >=
                  DRIVE_DDF_PRIMARY_BYTES + LABEL_SLOT_COUNT * LABEL_SLOT_BYTES + SEAL_BYTES,
              "... and before the primary copy of DDF");
STATIC_ASSERT(SEAL_COVERS_BYTES <= DRIVE_USABLE_MIN_BYTES, "what is covered is data");

void seal_encode(const struct seal *seal, uint8_t *block)
{
    memset(block, 0, SEAL_BYTES);
    memcpy(block, seal_magic, sizeof(seal_magic));
    memcpy(block + 8, seal->drive.bytes, 16);
    memcpy(block + 24, seal->group.bytes, 24);
    put_le64(block + 48, seal->sequence);
    put_le32(block + 56, SEAL_COVERS_BYTES);
    put_le32(block + 60, seal->crc);
    put_le32(block + CRC_OFFSET, crc32c(0, block, CRC_OFFSET));
}

bool seal_decode(const uint8_t *block, struct seal *ret_seal)
{
    if (memcmp(block, seal_magic, sizeof(seal_magic)) != 0 ||
        get_le32(block + CRC_OFFSET) != crc32c(0, block, CRC_OFFSET) ||
        get_le32(block + 56) != SEAL_COVERS_BYTES) {
        return false;
    }
    memcpy(ret_seal->drive.bytes, block + 8, 16);
    memcpy(ret_seal->group.bytes, block + 24, 24);
    ret_seal->sequence = get_le64(block + 48);
    ret_seal->crc = get_le32(block + 60);
    return true;
}

uint64_t seal_offset(uint64_t size_bytes, bool compact)
{
    return drive_layout_label_offset(size_bytes, compact, LABEL_SLOT_COUNT);
}

/* Jobs. One that makes a seal: reads the beginning, writes, flushes. One that looks at it: reads
 * the seal, and if that holds, the beginning. */

static void job_submit(struct seal_job *job, enum io_op op, uint64_t offset_bytes, uint8_t *buffer,
                       uint32_t bytes)
{
    job->io.op = op;
    job->io.class_ = IO_CLASS_FOREGROUND;
    job->io.offset_bytes = offset_bytes;
    job->io.buffer = buffer;
    job->io.length_bytes = bytes;
    drive_submit(job->drive, &job->io);
}

static uint32_t covered_crc(const struct seal_job *job)
{
    return crc32c(0, job->block + SEAL_BYTES, SEAL_COVERS_BYTES);
}

static bool seal_holds(const struct seal_job *job, struct seal *ret_found)
{
    return seal_decode(job->block, ret_found) && uuid_equal(&ret_found->drive, &job->seal.drive) &&
           guid_equal(&ret_found->group, &job->seal.group) &&
           ret_found->sequence == job->seal.sequence;
}

static void step_begin(struct seal_job *job)
{
    uint64_t at = seal_offset(drive_size_bytes(job->drive), job->compact);

    if (job->step == (job->checks ? 1u : 0u)) {
        job_submit(job, IO_OP_READ, 0, job->block + SEAL_BYTES, SEAL_COVERS_BYTES);
    } else if (job->checks) {
        job_submit(job, IO_OP_READ, at, job->block, SEAL_BYTES);
    } else if (job->step == 1) {
        job->seal.crc = covered_crc(job);
        seal_encode(&job->seal, job->block);
        job_submit(job, IO_OP_WRITE, at, job->block, SEAL_BYTES);
    } else {
        job_submit(job, IO_OP_FLUSH, 0, NULL, 0);
    }
}

static void job_answer(struct seal_job *job, bool broken)
{
    ASSERT(!job->answered);
    job->answered = true;
    job->done(job, broken);
}

/* A late transfer keeps its buffer, but nobody waits for it. What cannot be done is done without
 * (2). */
static void io_complete(struct drive_io *io, enum io_status status)
{
    struct seal_job *job = io->owner;

    if (status != IO_STATUS_OK) {
        job_answer(job, false);
    }
}

/* What has been done decides whether there is more to do. */
static bool job_goes_on(const struct seal_job *job, bool *ret_broken)
{
    struct seal found = {.sequence = 0};

    *ret_broken = false;
    if (!job->checks) {
        return job->step < 3;
    }
    if (!seal_holds(job, &found)) {
        return false;
    }
    *ret_broken = job->step == 2 && found.crc != covered_crc(job);
    return job->step < 2;
}

static void io_released(struct drive_io *io)
{
    struct seal_job *job = io->owner;
    bool broken = false;

    if (!job->answered) {
        job->step++;
        if (job_goes_on(job, &broken)) {
            step_begin(job);
            return;
        }
    }
    ASSERT(*job->jobs > 0);
    (*job->jobs)--; /* whoever is told may forget the drive */
    if (!job->answered) {
        job_answer(job, broken);
    }
    free(job->block);
    free(job);
}

void seal_job_run(const struct seal_job *wanted)
{
    struct seal_job *job = malloc(sizeof(*job));

    ASSERT(job != NULL && wanted->done != NULL && wanted->jobs != NULL);
    *job = *wanted;
    job->step = 0;
    job->answered = false;
    job->block = aligned_alloc(IO_ALIGN_BYTES, SEAL_BYTES + SEAL_COVERS_BYTES);
    ASSERT(job->block != NULL);
    job->io = (struct drive_io){.complete = io_complete, .released = io_released, .owner = job};
    (*job->jobs)++;
    step_begin(job);
}
