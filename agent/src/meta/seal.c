/*
 * Encoding of a seal, little-endian: 0 magic "AWSEAL01", 8 drive uuid, 24 group guid, 48 sequence
 * of the label, 56 bytes covered 4, 60 their CRC-32C, 64 CRC-32C of all that. Of a witness, from
 * byte 512: 0 magic "AWDDFSET", 8 drive uuid, 24 group guid, 48 CRC-32C of all that.
 */
#include "meta/seal.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "drive/drive_layout.h"

#define CRC_OFFSET 64u

#define WITNESS_CRC_OFFSET 48u

static const uint8_t seal_magic[8] = "AWSEAL01";
static const uint8_t witness_magic[8] = "AWDDFSET";

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

void seal_witness_encode(const struct seal *seal, uint8_t *block)
{
    uint8_t *witness = block + SEAL_WITNESS_OFFSET;

    memcpy(witness, witness_magic, sizeof(witness_magic));
    memcpy(witness + 8, seal->drive.bytes, 16);
    memcpy(witness + 24, seal->group.bytes, 24);
    put_le32(witness + WITNESS_CRC_OFFSET, crc32c(0, witness, WITNESS_CRC_OFFSET));
}

bool seal_witness_is_of(const uint8_t *block, const struct seal *seal)
{
    uint8_t expected[SEAL_WITNESS_OFFSET + WITNESS_CRC_OFFSET + 4];

    seal_witness_encode(seal, expected);
    return memcmp(block + SEAL_WITNESS_OFFSET, expected + SEAL_WITNESS_OFFSET,
                  WITNESS_CRC_OFFSET + 4) == 0;
}

uint64_t seal_offset(uint64_t size_bytes, bool compact)
{
    return drive_layout_label_offset(size_bytes, compact, LABEL_SLOT_COUNT);
}

/* Jobs: a few transfers, one after the other. */

enum step { STEP_END, STEP_READ_BEGINNING, STEP_READ_BLOCK, STEP_WRITE_BLOCK, STEP_FLUSH };

#define STEPS_MAX 4u

static const enum step steps[][STEPS_MAX] = {
    [SEAL_JOB_MAKE] = {STEP_READ_BEGINNING, STEP_WRITE_BLOCK, STEP_FLUSH},
    [SEAL_JOB_CHECK] = {STEP_READ_BLOCK, STEP_READ_BEGINNING}, /* if the seal holds */
    [SEAL_JOB_WITNESS] = {STEP_WRITE_BLOCK, STEP_FLUSH},
    [SEAL_JOB_FIND_WITNESS] = {STEP_READ_BLOCK},
    [SEAL_JOB_WIPE] = {STEP_WRITE_BLOCK, STEP_FLUSH}};

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

static void block_make(struct seal_job *job)
{
    memset(job->block, 0, SEAL_BYTES);
    if (job->kind == SEAL_JOB_MAKE) {
        job->seal.crc = covered_crc(job);
        seal_encode(&job->seal, job->block);
    }
    if (job->kind == SEAL_JOB_WITNESS || (job->kind == SEAL_JOB_MAKE && job->witness)) {
        seal_witness_encode(&job->seal, job->block);
    }
}

static void step_begin(struct seal_job *job)
{
    uint64_t at = seal_offset(drive_size_bytes(job->drive), job->compact);

    switch (steps[job->kind][job->step]) {
    case STEP_READ_BEGINNING:
        job_submit(job, IO_OP_READ, 0, job->block + SEAL_BYTES, SEAL_COVERS_BYTES);
        return;
    case STEP_READ_BLOCK:
        job_submit(job, IO_OP_READ, at, job->block, SEAL_BYTES);
        return;
    case STEP_WRITE_BLOCK:
        block_make(job);
        job_submit(job, IO_OP_WRITE, at, job->block, SEAL_BYTES);
        return;
    case STEP_FLUSH:
        job_submit(job, IO_OP_FLUSH, 0, NULL, 0);
        return;
    case STEP_END:
        break;
    }
    UNREACHABLE();
}

static void job_answer(struct seal_job *job, bool found)
{
    ASSERT(!job->answered);
    job->answered = true;
    job->done(job, found);
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

/* Whether there is more to do after what has been done; else what was found. */
static bool job_goes_on(const struct seal_job *job, bool *ret_found)
{
    struct seal found = {.sequence = 0};

    *ret_found = false;
    if (job->kind == SEAL_JOB_FIND_WITNESS) {
        *ret_found = seal_witness_is_of(job->block, &job->seal);
    }
    if (job->kind == SEAL_JOB_CHECK) {
        if (!seal_holds(job, &found)) {
            return false;
        }
        *ret_found = job->step == 2 && found.crc != covered_crc(job);
    }
    return steps[job->kind][job->step] != STEP_END;
}

static void io_released(struct drive_io *io)
{
    struct seal_job *job = io->owner;
    bool found = false;

    if (!job->answered) {
        job->step++;
        if (job_goes_on(job, &found)) {
            step_begin(job);
            return;
        }
    }
    ASSERT(*job->jobs > 0);
    (*job->jobs)--; /* whoever is told may forget the drive */
    if (!job->answered) {
        job_answer(job, found);
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
