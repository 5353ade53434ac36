/*
 * Which copy of a mirror to read. The one with the lowest expected completion: what its drive has
 * to do before, and the way there (drive_expected_us). A sequential stream alternates 1 MiB
 * sections between the copies instead, so that each drive reads long runs and all of them work, if
 * it has more than one read under way, of drives with heads 2 MiB without a pause; of several
 * streams each keeps to a copy of its own, or to one with as few others as there are, so that no
 * drive goes back and forth between them; as long as no copy's drive is much slower than the best.
 * A long read of one request that is no such stream keeps together what it asks of drives with
 * heads: one copy gives all of it, or each gives a part if they have nothing to do.
 *
 * (1) Only a choice of speed: every place in `valid` may be read.
 */
#include "vd/group_private.h"

#define SECTION_SHIFT 20u /* 1 MiB */
#define STREAM_RUN_BYTES (UINT64_C(256) << 10)
/* A stream that has not gone on for so long has ended: longer than it may have to wait for its turn
 * (drive_turns.h). */
#define STREAM_IDLE_US 300000u
#define STREAM_AGE_US 50000u
#define STREAM_IDLE_READS 64u
/* A drive is much slower if it takes more than twice the time of the best, or, as what each of many
 * takes depends on how many they are, more than four times that. */
#define SLOWER_IDLE 2u
#define SLOWER_BUSY 4u
/* The way to the data is part of what a lonely read takes, seldom twice the usual. */
#define WAY_IDLE_MAX 2u
/* How far ahead of the best a section's drive may be busy, in services of one slice. */
#define AHEAD_SLICES 64u
/* Drives with heads: sections pay for who has asked for so much without a pause. */
#define PULSE_BYTES (UINT64_C(2) << 20)

static uint32_t stream_bucket(uint32_t span_base, uint64_t next_bytes)
{
    uint64_t key = next_bytes / IO_ALIGN_BYTES + span_base;

    return (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - MIRROR_INDEX_BITS));
}

/* The one that goes on there; NULL: none. */
static struct mirror_run *stream_find(struct vd *vd, uint32_t span_base, uint64_t offset_bytes)
{
    const uint8_t *places = vd->run_index[stream_bucket(span_base, offset_bytes)];

    for (uint32_t way = 0; way < MIRROR_INDEX_WAYS; way++) {
        struct mirror_run *stream = &vd->runs[places[way]];

        if (stream->used != 0 && stream->next_bytes == offset_bytes &&
            stream->span_base == span_base) {
            return stream;
        }
    }
    return NULL;
}

/* In place of one that has gone elsewhere, or else of the one not used for longest. */
static void stream_index(struct vd *vd, struct mirror_run *stream)
{
    uint32_t bucket = stream_bucket(stream->span_base, stream->next_bytes);
    uint8_t *places = vd->run_index[bucket];
    uint32_t worst = 0;

    for (uint32_t way = 0; way < MIRROR_INDEX_WAYS; way++) {
        const struct mirror_run *other = &vd->runs[places[way]];

        if (other->bucket != bucket || other == stream) {
            worst = way;
            break;
        }
        worst = other->used < vd->runs[places[worst]].used ? way : worst;
    }
    stream->bucket = bucket;
    places[worst] = (uint8_t)(stream - vd->runs);
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
 * the index leads to the few candidates. */
static struct mirror_run *stream_note(struct vd *vd, uint32_t span_base, uint64_t offset_bytes,
                                      uint32_t length_bytes)
{
    struct mirror_run *stream = stream_find(vd, span_base, offset_bytes);

    vd->run_clock++;
    if (stream == NULL) { /* most are over with that: they do not ask for the time */
        stream = stream_free(vd);
        *stream = (struct mirror_run){.span_base = span_base};
    } else {
        stream->used_us = clock_now_us(vd->group->clock);
        stream->began_us = stream->began_us != 0 ? stream->began_us : stream->used_us;
    }
    stream->next_bytes = offset_bytes + length_bytes;
    stream->run_bytes += length_bytes;
    stream->pulse_bytes += length_bytes;
    stream->used = vd->run_clock;
    stream_index(vd, stream);
    return stream;
}

/* Long reads of one request each, however many are under way, are over before that: they go to
 * whichever copy is free, and in sections. */
static bool stream_lasts(const struct mirror_run *stream)
{
    return stream->run_bytes >= STREAM_RUN_BYTES &&
           stream->used_us - stream->began_us >= STREAM_AGE_US;
}

static bool stream_is_active(const struct mirror_run *stream, uint32_t span_base, uint64_t now_us)
{
    return stream->used != 0 && stream->span_base == span_base && stream_lasts(stream) &&
           now_us - stream->used_us < STREAM_IDLE_US;
}

/* Sets its home: the copy that the fewest of the others keep to, the one it has if there are
 * several. True: there are others. */
static bool stream_settle(const struct vd *vd, struct mirror_run *stream, uint32_t valid)
{
    uint32_t counts[RAID_SPAN_MEMBERS_MAX] = {0};
    bool has_others = false;

    for (uint32_t i = 0; i < MIRROR_RUNS; i++) {
        const struct mirror_run *other = &vd->runs[i];

        if (other != stream && stream_is_active(other, stream->span_base, stream->used_us)) {
            counts[other->home]++;
            has_others = true;
        }
    }
    for (uint32_t left = valid; left != 0; left &= left - 1) {
        uint32_t place = (uint32_t)__builtin_ctz(left);

        if ((valid >> stream->home & 1) == 0 || counts[place] < counts[stream->home]) {
            stream->home = place;
        }
    }
    return has_others;
}

/* Of the long reads under way on the same drives, or just over: which one this is. */
static uint32_t young_rank(const struct vd *vd, const struct mirror_run *stream,
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

static bool have_heads(const struct choice *choice, uint32_t place)
{
    return drive_identity(drive_of(choice, place))->media == DRIVE_MEDIA_HDD;
}

/* Long reads */

/* Copies that have nothing else to do read a part each, one part after the other; else one copy
 * reads everything, as the heads of the others would only be kept from what they have to do. */
static void long_begin(const struct choice *choice, struct mirror_run *stream,
                       uint64_t offset_bytes, uint32_t valid, uint32_t best)
{
    uint64_t bytes = choice->read->run_bytes;
    uint32_t parts = copies_are_idle(choice, valid) ? (uint32_t)__builtin_popcount(valid) : 1;

    stream->home = best;
    stream->long_from = offset_bytes;
    stream->long_end = offset_bytes + bytes;
    stream->long_part_bytes = div_ceil_u64(bytes, parts);
}

static bool long_goes_on(const struct mirror_run *stream, uint64_t offset_bytes)
{
    return offset_bytes >= stream->long_from && offset_bytes < stream->long_end;
}

/* Without heads there is nothing to keep together; a stream that lasts has its own way. */
static bool long_begins(const struct choice *choice, const struct mirror_run *stream, uint32_t best)
{
    return choice->read->run_bytes >= DRIVE_RUN_LONG_BYTES && have_heads(choice, best) &&
           !stream_lasts(stream);
}

static uint32_t long_place(const struct mirror_run *stream, uint64_t offset_bytes, uint32_t valid)
{
    uint32_t before = (uint32_t)__builtin_popcount(valid & ((UINT32_C(1) << stream->home) - 1));
    uint64_t part = (offset_bytes - stream->long_from) / stream->long_part_bytes;

    ASSERT(long_goes_on(stream, offset_bytes));
    return place_at(valid, (uint32_t)((before + part) % (uint32_t)__builtin_popcount(valid)));
}

static uint32_t young_place(const struct choice *choice, struct mirror_run *stream,
                            uint64_t offset_bytes, uint32_t valid, uint32_t best)
{
    uint32_t copies = (uint32_t)__builtin_popcount(valid);
    uint32_t count = 0;
    uint32_t rank = young_rank(choice->read->vd, stream, &count);

    stream->home = best;
    if (count > 1) {
        stream->home = place_at(valid, rank % copies);
    } else if (!copies_are_idle(choice, valid)) {
        stream->home = place_at(valid, (uint32_t)((offset_bytes >> SECTION_SHIFT) % copies));
    }
    return stream->home;
}

/* Its part of the copies: in turn if it is alone, always the same if it is not. Without heads there
 * is nothing to keep together. One that asks for one request after the other, of however many
 * pieces, cannot have two of them work: the other copy's head would have to get there first,
 * section by section, so it goes on where its head is.
 */
static uint32_t stream_place(const struct choice *choice, struct mirror_run *stream,
                             uint64_t offset_bytes, uint32_t valid, uint32_t best)
{
    uint32_t copies = (uint32_t)__builtin_popcount(valid);

    if (!have_heads(choice, best) || !stream_lasts(stream)) {
        return young_place(choice, stream, offset_bytes, valid, best);
    }
    if (stream_settle(choice->read->vd, stream, valid)) {
        return stream->home;
    }
    if (copies_are_idle(choice, valid)) {
        stream->home = best;
        stream->pulse_bytes = 0;
    } else if (stream->pulse_bytes >= PULSE_BYTES) {
        stream->home = place_at(valid, (uint32_t)((offset_bytes >> SECTION_SHIFT) % copies));
    } else if ((valid >> stream->home & 1) == 0) {
        stream->home = best;
    }
    return stream->home;
}

uint32_t mirror_choose(const struct mirror_read *read, uint32_t valid)
{
    uint64_t offset_bytes = row_drive_offset(read->vd, read->map, 0, read->lo);
    struct choice choice;
    struct mirror_run *stream = NULL;
    uint32_t best = 0;
    uint32_t section = 0;

    if ((valid & (valid - 1)) == 0) { /* none or one: nothing to choose */
        return valid != 0 ? (uint32_t)__builtin_ctz(valid) : 0;
    }
    if (read->vd->group->options.mirror_policy != MIRROR_POLICY_BEST) {
        return mirror_policy_choose(read, valid);
    }
    choice.read = read;
    paces_ask(&choice, valid);
    best = cheapest(&choice, valid);
    if (!read->direct) {
        return best;
    }
    stream = stream_note(read->vd, read->map->span_base, offset_bytes, read->hi - read->lo);
    if (!long_goes_on(stream, offset_bytes) && long_begins(&choice, stream, best)) {
        long_begin(&choice, stream, offset_bytes, valid, best);
    }
    if (long_goes_on(stream, offset_bytes)) {
        section = long_place(stream, offset_bytes, valid);
    } else if (stream->run_bytes < STREAM_RUN_BYTES) {
        stream->home = best;
        return best;
    } else {
        section = stream_place(&choice, stream, offset_bytes, valid, best);
    }
    return section_is_fair(&choice, section, best) ? section : best;
}
