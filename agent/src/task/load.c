/* See load.h. */
#include "task/load.h"

#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define NOTE_BYTES 4096u
#define NOTES_PERCENT 2u /* of the space hold what a file system notes of its files */
#define ZONE_ALIGN_BYTES (1u << 20)

static bool has_files(const struct load *load)
{
    return load->pattern >= LOAD_PATTERN_FILES_CREATE;
}

static bool copies(const struct load *load)
{
    return load->pattern == LOAD_PATTERN_FILES_COPY || load->pattern == LOAD_PATTERN_FILES_COPY_FAR;
}

/* Requests */

static uint32_t block_choose(struct load_source *source)
{
    const struct load *load = source->load;
    uint64_t draw = 0;
    uint32_t sum = 0;

    if (load->block_count == 1) {
        return load->blocks[0].bytes;
    }
    draw = rng_below(&source->rng, 100);
    for (uint32_t i = 0; i < load->block_count; i++) {
        sum += load->blocks[i].percent;
        if (draw < sum) {
            return load->blocks[i].bytes;
        }
    }
    UNREACHABLE();
}

static bool writes_now(struct load_source *source)
{
    uint32_t percent = source->load->write_percent;

    return percent != 0 && rng_below(&source->rng, 100) < percent;
}

static void request_random(struct load_source *source, struct load_request *request)
{
    request->length_bytes = block_choose(source);
    request->is_write = writes_now(source);
    request->offset_bytes =
        rng_below(&source->rng, source->size_bytes / request->length_bytes) * request->length_bytes;
}

static uint64_t zone_take(struct load_worker *worker, uint64_t bytes)
{
    uint64_t at_bytes = 0;

    if (worker->next_bytes + bytes > worker->end_bytes) {
        worker->next_bytes = worker->begin_bytes;
    }
    at_bytes = worker->next_bytes;
    worker->next_bytes += bytes;
    return at_bytes;
}

static void request_sequential(struct load_source *source, struct load_worker *worker,
                               struct load_request *request)
{
    request->length_bytes = block_choose(source);
    request->is_write = writes_now(source);
    request->offset_bytes = zone_take(worker, request->length_bytes);
}

/* A file is a note and then its bytes in chunks; a copy writes each chunk after it was read. */
static void request_file(struct load_source *source, struct load_worker *worker,
                         struct load_request *request)
{
    const struct load *load = source->load;
    uint64_t notes_bytes = source->size_bytes / 100 * NOTES_PERCENT;

    request->is_write = load->pattern == LOAD_PATTERN_FILES_CREATE;
    if (worker->write_due) {
        worker->write_due = false;
        request->is_write = true;
        request->length_bytes = worker->copied_length;
        request->offset_bytes = worker->copied_bytes + source->copy_bytes;
        return;
    }
    if (worker->left_bytes == 0) {
        worker->left_bytes = load->file_bytes;
        worker->note_due = true;
    }
    if (worker->note_due) {
        worker->note_due = false;
        request->length_bytes = NOTE_BYTES;
        request->is_write = load->pattern != LOAD_PATTERN_FILES_READ;
        request->offset_bytes = source->copy_note_bytes +
                                rng_below(&source->rng, notes_bytes / NOTE_BYTES) * NOTE_BYTES;
        return;
    }
    request->length_bytes = (uint32_t)min_u64(worker->left_bytes, LOAD_FILE_CHUNK_BYTES);
    worker->left_bytes -= request->length_bytes;
    request->offset_bytes = zone_take(worker, request->length_bytes);
    worker->copied_bytes = request->offset_bytes;
    worker->copied_length = request->length_bytes;
    worker->write_due = copies(load);
}

void load_source_next(struct load_source *source, uint32_t worker, struct load_request *ret_request)
{
    ASSERT(worker < source->load->workers);
    switch (source->load->pattern) {
    case LOAD_PATTERN_RANDOM:
        request_random(source, ret_request);
        break;
    case LOAD_PATTERN_SEQUENTIAL:
        request_sequential(source, &source->workers[worker], ret_request);
        break;
    case LOAD_PATTERN_FILES_CREATE:
    case LOAD_PATTERN_FILES_READ:
    case LOAD_PATTERN_FILES_COPY:
    case LOAD_PATTERN_FILES_COPY_FAR:
        request_file(source, &source->workers[worker], ret_request);
        break;
    case LOAD_PATTERN_MAX:
        UNREACHABLE();
    }
    ASSERT(ret_request->offset_bytes + ret_request->length_bytes <=
           source->size_bytes + source->copy_note_bytes);
}

/* What it is */

uint32_t load_longest_bytes(const struct load *load)
{
    uint32_t bytes = has_files(load) ? LOAD_FILE_CHUNK_BYTES : 0;

    for (uint32_t i = 0; i < load->block_count; i++) {
        bytes = max_u32(bytes, load->blocks[i].bytes);
    }
    return bytes;
}

bool load_overwrites(const struct load *load)
{
    return has_files(load) ? load->pattern != LOAD_PATTERN_FILES_READ : load->write_percent > 0;
}

/* request_file(): a note and all of a file, in so many requests. */
static uint64_t file_written_hundredths(const struct load *load)
{
    uint64_t chunks = div_ceil_u64(load->file_bytes, LOAD_FILE_CHUNK_BYTES);
    uint64_t requests = 1 + (copies(load) ? 2 * chunks : chunks);

    return load_overwrites(load) ? (NOTE_BYTES + load->file_bytes) * 100 / requests : 0;
}

uint64_t load_written_hundredths(const struct load *load)
{
    uint64_t hundredths = 0;

    if (has_files(load)) {
        return file_written_hundredths(load);
    }
    for (uint32_t i = 0; i < load->block_count; i++) {
        hundredths += (uint64_t)load->blocks[i].bytes * load->blocks[i].percent;
    }
    return hundredths * load->write_percent / 100;
}

static uint64_t zone_size(const struct load *load, uint64_t size_bytes)
{
    bool is_far = load->pattern == LOAD_PATTERN_FILES_COPY_FAR;
    uint64_t most_bytes = is_far ? size_bytes / 2 : size_bytes;
    uint64_t zone_bytes =
        load->zone_bytes != 0 ? min_u64(most_bytes, load->zone_bytes) : most_bytes;

    /* The second volume begins where the first one ends. */
    return is_far ? align_down_u64(zone_bytes, ZONE_ALIGN_BYTES) : zone_bytes;
}

/* Of the zone of each worker, of what is left behind the notes. */
static uint64_t zone_share(struct load_source *source, uint64_t bytes)
{
    const struct load *load = source->load;
    uint64_t zone_bytes = align_down_u64(bytes / load->workers, ZONE_ALIGN_BYTES);

    if (load->pattern == LOAD_PATTERN_FILES_COPY) {
        zone_bytes = align_down_u64(zone_bytes / 2, LOAD_FILE_CHUNK_BYTES * 2);
        source->copy_bytes = load->workers * zone_bytes;
    } else if (load->pattern == LOAD_PATTERN_FILES_COPY_FAR) {
        source->copy_bytes = source->size_bytes;
        source->copy_note_bytes = source->size_bytes;
    }
    return zone_bytes;
}

bool load_source_init(struct load_source *source, const struct load *load, uint64_t size_bytes,
                      uint64_t seed)
{
    uint64_t first_bytes = 0;
    uint64_t zone_bytes = 0;

    if (load->workers == 0 || load->workers > LOAD_WORKERS_MAX || load->depth == 0 ||
        load->workers * load->depth > LOAD_DEPTH_MAX) {
        return false;
    }
    memset(source, 0, sizeof(*source));
    source->load = load;
    rng_seed(&source->rng, seed);
    source->size_bytes = zone_size(load, size_bytes);
    if (has_files(load)) {
        first_bytes = align_up_u64(source->size_bytes / 100 * NOTES_PERCENT, LOAD_FILE_CHUNK_BYTES);
    }
    zone_bytes = zone_share(source, source->size_bytes - first_bytes);
    if (zone_bytes < LOAD_REQUEST_MAX_BYTES) {
        return false;
    }
    for (uint32_t i = 0; i < load->workers; i++) {
        uint64_t begin_bytes = first_bytes + i * zone_bytes;

        source->workers[i] = (struct load_worker){.begin_bytes = begin_bytes,
                                                  .end_bytes = begin_bytes + zone_bytes,
                                                  .next_bytes = begin_bytes};
    }
    if (load->start_bytes + LOAD_REQUEST_MAX_BYTES < source->workers[0].end_bytes) {
        source->workers[0].next_bytes += align_down_u64(load->start_bytes, ZONE_ALIGN_BYTES);
    }
    return true;
}
