/*
 * Which copy of a mirror to read. The one with the lowest expected completion: what its drive has
 * to do before, and the way there (drive_expected_us). A sequential stream alternates 1 MiB
 * sections between the copies instead, so that each drive reads long runs and all of them work
 * (engine.md §6.3), if it has more than one read under way; of several streams each keeps to a copy
 * of its own, so that no drive goes back and forth between them; as long as no copy's drive is much
 * slower than the best.
 *
 * (1) Only a choice of speed: every place in `valid` may be read.
 */
#include "vd/group_private.h"

#define SECTION_SHIFT 20u /* 1 MiB */
#define STREAM_RUN_BYTES (UINT64_C(256) << 10)
/* A stream that has not gone on for so many reads of its virtual drive has ended. */
#define STREAM_IDLE_READS 64u
/* A drive is much slower if it takes more than twice the time of the best, or, as what each of many
 * takes depends on how many they are, more than four times that. */
#define SLOWER_IDLE 2u
#define SLOWER_BUSY 4u
/* The way to the data is part of what a lonely read takes, seldom twice the usual. */
#define WAY_IDLE_MAX 2u
/* How far ahead of the best a section's drive may be busy, in services of one slice. */
#define AHEAD_SLICES 64u

static uint8_t *stream_index(struct vd *vd, uint32_t span_base, uint64_t next_bytes)
{
    uint64_t key = next_bytes / IO_ALIGN_BYTES + span_base;

    return &vd->run_index[key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - MIRROR_INDEX_BITS)];
}

/* The next in turn that has not gone on for as many reads as there are streams: so many reads have
 * been one stream's each, and this one is nobody's yet. */
static struct mirror_run *stream_free(struct vd *vd)
{
    struct mirror_run *stream = NULL;
    uint32_t left = MIRROR_RUNS;

    do {
        ASSERT(left > 0);
        stream = &vd->runs[vd->run_hand];
        vd->run_hand = (vd->run_hand + 1) % MIRROR_RUNS;
        left--;
    } while (stream->used != 0 && vd->run_clock - stream->used < MIRROR_RUNS);
    return stream;
}

/* Advances the stream that continues with this read, or begins a new one. Most reads are neither:
 * the index leads to the one candidate, and two of the same place in it cost one of them its past.
 */
static const struct mirror_run *stream_note(struct vd *vd, uint32_t span_base,
                                            uint64_t offset_bytes, uint32_t length_bytes)
{
    struct mirror_run *stream = &vd->runs[*stream_index(vd, span_base, offset_bytes)];

    vd->run_clock++;
    if (stream->used == 0 || stream->next_bytes != offset_bytes || stream->span_base != span_base) {
        stream = stream_free(vd);
        *stream = (struct mirror_run){.span_base = span_base};
    }
    stream->next_bytes = offset_bytes + length_bytes;
    stream->run_bytes += length_bytes;
    stream->used = vd->run_clock;
    *stream_index(vd, span_base, stream->next_bytes) = (uint8_t)(stream - vd->runs);
    return stream;
}

/* Which of the streams on the same drives it is; how many there are. */
static uint32_t stream_rank(const struct vd *vd, const struct mirror_run *stream,
                            uint32_t *ret_count)
{
    uint32_t rank = 0;

    *ret_count = 0;
    for (uint32_t i = 0; i < MIRROR_RUNS; i++) {
        const struct mirror_run *other = &vd->runs[i];

        if (other == stream) {
            rank = (*ret_count)++;
        } else if (other->used != 0 && other->span_base == stream->span_base &&
                   other->run_bytes >= STREAM_RUN_BYTES &&
                   vd->run_clock - other->used < STREAM_IDLE_READS) {
            (*ret_count)++;
        }
    }
    return rank;
}

/* A choice under way; how fast the copies' drives are is with the members. */
struct choice {
    const struct mirror_read *read;
    struct pace fastest;
};

static struct member *member_of(const struct choice *choice, uint32_t place)
{
    const struct mirror_read *read = choice->read;

    return &read->vd->group->members[row_map_member(read->map, place)];
}

static struct drive *drive_of(const struct choice *choice, uint32_t place)
{
    return member_of(choice, place)->drive;
}

static uint64_t smaller_known(uint64_t a, uint64_t b)
{
    return a == 0 ? b : b == 0 ? a : min_u64(a, b);
}

/* Asks every copy's drive for its pace. */
static void paces_ask(struct choice *choice, uint32_t valid)
{
    const struct mirror_read *read = choice->read;

    choice->fastest = (struct pace){0};
    for (uint32_t left = valid; left != 0; left &= left - 1) {
        struct member *member = member_of(choice, (uint32_t)__builtin_ctz(left));
        struct pace *pace = &member->pace;

        *pace = drive_pace(member->drive, read->hi - read->lo);
        choice->fastest.idle_us = smaller_known(choice->fastest.idle_us, pace->idle_us);
        choice->fastest.busy_us = smaller_known(choice->fastest.busy_us, pace->busy_us);
    }
}

/* Only like is compared with like: how long a lonely read takes says nothing about many. */
static bool pace_is_slower(const struct pace *pace, const struct pace *fastest)
{
    return pace->idle_us > SLOWER_IDLE * fastest->idle_us ||
           pace->busy_us > SLOWER_BUSY * fastest->busy_us;
}

/* Drives of about the same speed count as equal, so that what wins is the shorter queue and not
 * the noise of a measurement. */
static const struct pace *believed(const struct choice *choice, const struct member *member)
{
    const struct pace *pace = &member->pace;

    return pace_is_slower(pace, &choice->fastest) ? pace : &choice->fastest;
}

static uint64_t expected_of(const struct choice *choice, uint32_t place)
{
    const struct member *member = member_of(choice, place);

    return drive_expected_us(member->drive, &member->pace, believed(choice, member));
}

/* The way there. Of a drive that usually answers sooner than it could get there, it is not
 * believed: it does not rotate, or answers out of its memory. */
static uint64_t way_of(const struct choice *choice, uint32_t place, const struct pace *pace)
{
    const struct mirror_read *read = choice->read;

    return drive_seek_us(drive_of(choice, place),
                         row_drive_offset(read->vd, read->map, place, read->lo),
                         pace->idle_us == 0 ? UINT64_MAX : WAY_IDLE_MAX * pace->idle_us);
}

/* Of those that would answer at the same time the one with the shortest queue: a drive that works
 * on many at once answers few of them no later than one. */
static uint32_t cheapest(const struct choice *choice, uint32_t valid)
{
    uint32_t best = 0;
    uint32_t best_queued = 0;
    uint64_t best_us = UINT64_MAX;

    for (uint32_t left = valid; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);
        const struct member *member = member_of(choice, place);
        const struct pace *pace = believed(choice, member);
        uint64_t expected_us =
            drive_expected_us(member->drive, &member->pace, pace) + way_of(choice, place, pace);
        uint32_t queued = drive_queued_all(member->drive);

        if (expected_us < best_us || (expected_us == best_us && queued < best_queued)) {
            best_us = expected_us;
            best = place;
            best_queued = queued;
        }
    }
    return best;
}

/* The n-th set bit. */
static uint32_t place_at(uint32_t mask, uint32_t n)
{
    for (; n > 0; n--) {
        mask &= mask - 1;
    }
    ASSERT(mask != 0);
    return (uint32_t)__builtin_ctz(mask);
}

static bool section_is_fair(const struct choice *choice, uint32_t place, uint32_t best)
{
    const struct pace *fastest = &choice->fastest;
    uint64_t each_us = max_u64(1, fastest->busy_us != 0 ? fastest->busy_us : fastest->idle_us);

    return place == best ||
           (!pace_is_slower(&member_of(choice, place)->pace, fastest) &&
            !drive_is_slow(drive_of(choice, place)) &&
            expected_of(choice, place) <= expected_of(choice, best) + AHEAD_SLICES * each_us);
}

static bool copies_are_idle(const struct choice *choice, uint32_t valid)
{
    for (uint32_t left = valid; left != 0; left &= left - 1) {
        if (drive_queued_all(drive_of(choice, (uint32_t)__builtin_ctz(left))) > 0) {
            return false;
        }
    }
    return true;
}

/* Its part of the copies: in turn if it is alone, always the same if it is not. One that asks for
 * one piece after the other cannot have two of them work: the other copy's head would have to get
 * there first, section by section, so it goes on where its head is. */
static uint32_t stream_place(const struct choice *choice, const struct mirror_run *stream,
                             uint64_t offset_bytes, uint32_t valid, uint32_t best)
{
    uint32_t copies = (uint32_t)__builtin_popcount(valid);
    uint32_t count = 0;
    uint32_t rank = stream_rank(choice->read->vd, stream, &count);

    if (count > 1) {
        return place_at(valid, rank % copies);
    }
    return copies_are_idle(choice, valid)
               ? best
               : place_at(valid, (uint32_t)((offset_bytes >> SECTION_SHIFT) % copies));
}

uint32_t mirror_choose(const struct mirror_read *read, uint32_t valid)
{
    uint64_t offset_bytes = row_drive_offset(read->vd, read->map, 0, read->lo);
    struct choice choice;
    const struct mirror_run *stream = NULL;
    uint32_t best = 0;
    uint32_t section = 0;

    if ((valid & (valid - 1)) == 0) { /* none or one: nothing to choose */
        return valid != 0 ? (uint32_t)__builtin_ctz(valid) : 0;
    }
    choice.read = read;
    paces_ask(&choice, valid);
    best = cheapest(&choice, valid);
    if (!read->direct) {
        return best;
    }
    stream = stream_note(read->vd, read->map->span_base, offset_bytes, read->hi - read->lo);
    if (stream->run_bytes < STREAM_RUN_BYTES) {
        return best;
    }
    section = stream_place(&choice, stream, offset_bytes, valid, best);
    return section_is_fair(&choice, section, best) ? section : best;
}
