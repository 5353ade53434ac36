/*
 * The upper rungs of the ladder: what a drive's errors and latencies add up to (drive.h).
 *
 *   healthy --media_warn | error_warn in the window--> predictive
 *           --media_fail | error_fail in the window, media_fail_total--> spent
 *   usual pace --slow in slow_intervals intervals running--> slow --as many that are not--> usual
 *
 * (1) Each crossing is told once; a new life (drive_health_reset) starts anew.
 * (2) Nothing here takes a drive out of use: whoever knows whether it is a last copy does.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_life.h"
#include "drive/drive_private.h"

#define PEER_SAMPLES_MIN 16u
#define PEERS_MAX 256u

static void warn(struct drive *drive, enum drive_warning warning, uint64_t value)
{
    ASSERT(warning < DRIVE_WARNING_MAX);
    if (drive->observer.warned != NULL) {
        drive->observer.warned(drive->observer.context, drive, warning, value);
    }
}

void drive_ladder_init(struct drive *drive)
{
    error_window_init(&drive->media_window, drive->options.error_window_s);
    error_window_init(&drive->error_window, drive->options.error_window_s);
    pace_init(&drive->pace, drive->options.slow_interval_s);
}

void drive_health_reset(struct drive *drive)
{
    drive_ladder_init(drive);
    drive->predicted = false;
    drive->spent = false;
    drive->slow = false;
    drive->slow_run = 0;
    drive->former_media_errors = drive->counters.media_errors;
}

struct drive_past drive_past(const struct drive *drive)
{
    return (struct drive_past){.predicted = drive->predicted,
                               .spent = drive->spent,
                               .media_errors = drive_media_errors(drive)};
}

void drive_past_restore(struct drive *drive, const struct drive_past *past)
{
    ASSERT(drive->counters.media_errors == 0 && !drive->spent);
    if (past->predicted) {
        drive_predict(drive);
    }
    drive->spent = past->spent;
    drive->counters.media_errors = past->media_errors;
    drive->media_window.total = past->media_errors;
}

bool drive_is_predicted(const struct drive *drive)
{
    return drive->predicted;
}

uint64_t drive_media_errors(const struct drive *drive)
{
    return drive->counters.media_errors - drive->former_media_errors;
}

void drive_predict(struct drive *drive)
{
    if (!drive->predicted) {
        drive->predicted = true;
        drive->counters.predictive_failures++;
    }
}

static void spent_tell(struct drive *drive, enum reason_code why)
{
    drive->spent = true;
    if (drive->observer.spent != NULL) {
        drive->observer.spent(drive->observer.context, drive, why);
    }
}

static void thresholds_check(struct drive *drive)
{
    const struct drive_options *options = &drive->options;
    uint64_t now_us = clock_now_us(drive->clock);
    uint64_t media = error_window_count(&drive->media_window, now_us);
    uint64_t other = error_window_count(&drive->error_window, now_us);
    bool too_many = media >= options->media_fail || other >= options->error_fail ||
                    drive->media_window.total >= options->media_fail_total;

    if (!drive->predicted &&
        (media >= options->media_warn || other >= options->error_warn || too_many)) {
        drive_predict(drive);
        warn(drive, DRIVE_WARNING_PREDICTIVE, media + other);
    }
    if (!drive->spent && too_many) {
        spent_tell(drive, REASON_DRIVE_LOST_ERROR_LIMIT);
    }
}

void drive_ladder_error(struct drive *drive, const struct drive_io *io, enum io_status status,
                        uint64_t now_us)
{
    if (status == IO_STATUS_MEDIA && io->known_bad) {
        return; /* counted when it was found */
    }
    switch (status) {
    case IO_STATUS_OK:
    case IO_STATUS_GONE:
        return;
    case IO_STATUS_NO_SPACE:
    case IO_STATUS_READ_ONLY:
        break; /* told, but no sign of a drive that is about to fail */
    case IO_STATUS_MEDIA:
        drive->counters.media_errors++;
        error_window_add(&drive->media_window, now_us);
        break;
    case IO_STATUS_TIMEOUT:
        drive->counters.timeouts++;
        error_window_add(&drive->error_window, now_us);
        break;
    case IO_STATUS_ERROR:
        drive->counters.other_errors++;
        error_window_add(&drive->error_window, now_us);
        break;
    case IO_STATUS_MAX:
        UNREACHABLE();
    }
    if (drive->observer.io_error != NULL) {
        drive->observer.io_error(drive->observer.context, drive, io->op, io->offset_bytes, status);
    }
    thresholds_check(drive);
}

void drive_ladder_slow(struct drive *drive, const struct drive_io *io)
{
    drive->counters.slow_commands++;
    warn(drive, DRIVE_WARNING_SLOW_COMMAND, (clock_now_us(drive->clock) - io->submitted_us) / 1000);
}

void drive_ladder_success(struct drive *drive, const struct drive_io *io, uint64_t now_us)
{
    uint64_t begun_us = max_u64(io->submitted_us, drive->answer_seen_us);
    uint64_t took_us = now_us - io->submitted_us;
    struct pace_sample sample = {.kind = io->op == IO_OP_READ ? PACE_READ : PACE_WRITE,
                                 .length_bytes = io->length_bytes,
                                 .busy = io->crowded,
                                 .service_us = now_us - begun_us,
                                 .took_us = took_us};

    if (io->op == IO_OP_FLUSH) {
        drive->counters.flushes++;
        return;
    }
    if (io->op == IO_OP_READ) {
        drive->counters.reads++;
        drive->counters.read_bytes += io->length_bytes;
        if (io->class_ == IO_CLASS_FOREGROUND) {
            pace_read_note(&drive->pace, took_us);
        }
    } else {
        drive->counters.writes++;
        drive->counters.written_bytes += io->length_bytes;
    }
    if (pace_add(&drive->pace, &sample, now_us) && drive->observer.measured != NULL) {
        drive->observer.measured(drive->observer.context, drive);
    }
}

/* Against the peers */

static bool interval_is_fresh(const struct drive *drive, uint64_t now_us)
{
    return drive->pace.last_end_us != 0 &&
           now_us - drive->pace.last_end_us <= 2 * drive->pace.interval_us;
}

static uint64_t median(uint64_t *values, uint32_t count)
{
    ASSERT(count > 0 && count <= PEERS_MAX);
    for (uint32_t i = 1; i < count; i++) { /* insertion: a handful of peers */
        uint64_t value = values[i];
        uint32_t at = i;

        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
    return values[(count - 1) / 2]; /* of two the lower: a pair must be able to tell */
}

/* How many times slower than the median of its peers in one class; 0: nothing to compare. */
static uint64_t class_factor(const struct drive *drive, struct drive *const *peers, uint32_t count,
                             uint32_t kind, uint32_t size)
{
    const struct pace_class *own = &drive->pace.classes[kind][size];
    uint64_t means[PEERS_MAX];
    uint64_t now_us = clock_now_us(drive->clock);
    uint32_t known = 0;

    if (own->last_count < PEER_SAMPLES_MIN) {
        return 0;
    }
    for (uint32_t i = 0; i < count && known < PEERS_MAX; i++) {
        const struct pace_class *other = NULL;

        if (peers[i] == NULL || peers[i] == drive || !interval_is_fresh(peers[i], now_us)) {
            continue;
        }
        other = &peers[i]->pace.classes[kind][size];
        if (other->last_count >= PEER_SAMPLES_MIN) {
            means[known++] = other->last_mean_us;
        }
    }
    if (known == 0) {
        return 0;
    }
    if (own->last_mean_us < drive->options.slow_min_us) {
        return 1;
    }
    return own->last_mean_us / max_u64(1, median(means, known));
}

static uint64_t worst_factor(const struct drive *drive, struct drive *const *peers, uint32_t count)
{
    uint64_t worst = 0;

    for (uint32_t kind = 0; kind < PACE_KIND_MAX; kind++) {
        for (uint32_t size = 0; size < PACE_SIZES; size++) {
            worst = max_u64(worst, class_factor(drive, peers, count, kind, size));
        }
    }
    return worst;
}

void drive_peers_judge(struct drive *drive, struct drive *const *peers, uint32_t count)
{
    uint64_t factor = worst_factor(drive, peers, count);
    bool slow_now = factor >= drive->options.slow_factor;

    if (factor == 0) {
        return; /* nobody to compare with says nothing */
    }
    drive->slow_run = slow_now == drive->slow ? 0 : drive->slow_run + 1;
    if (drive->slow_run < drive->options.slow_intervals) {
        return;
    }
    drive->slow = slow_now;
    drive->slow_run = 0;
    warn(drive, slow_now ? DRIVE_WARNING_SLOW : DRIVE_WARNING_SLOW_OVER, factor);
}

/* Questions */

uint64_t drive_seek_us(const struct drive *drive, uint64_t offset_bytes, uint64_t most_us)
{
    const uint64_t shortest_us = 1000;
    const uint64_t stroke_us = 9000; /* all the way, beyond the shortest */
    uint64_t way = offset_bytes > drive->head_bytes ? offset_bytes - drive->head_bytes
                                                    : drive->head_bytes - offset_bytes;

    if (drive->identity.media != DRIVE_MEDIA_HDD || way == 0) {
        return 0;
    }
    if (most_us <= shortest_us) { /* nearly always of what does not rotate: no division then */
        return most_us;
    }
    return min_u64(most_us,
                   shortest_us + stroke_us * (way >> 20) / max_u64(1, drive->size_bytes >> 20));
}

/* What one more transfer of many costs, as far as is known. */
static uint64_t each_us_of(const struct pace *pace)
{
    return pace->busy_us != 0 ? pace->busy_us : max_u64(1, pace->idle_us);
}

uint64_t drive_cost_us(const struct drive *drive, enum pace_kind kind, uint32_t length_bytes)
{
    struct pace pace = pace_get(&drive->pace, kind, length_bytes, clock_now_us(drive->clock));

    return each_us_of(&pace);
}

struct pace drive_pace(const struct drive *drive, uint32_t length_bytes)
{
    return pace_get(&drive->pace, PACE_READ, length_bytes, clock_now_us(drive->clock));
}

uint64_t drive_expected_us(const struct drive *drive, const struct pace *own,
                           const struct pace *pace)
{
    uint64_t each_us = each_us_of(pace);
    uint64_t own_us = each_us_of(own);
    uint64_t before_us = /* nearly always no division */
        own_us == each_us ? drive->backlog_us : drive->backlog_us * each_us / own_us;
    uint64_t expected_us = max_u64(pace->idle_us, before_us + each_us);

    /* Whatever hangs now, hangs for everybody behind it. */
    return drive->slow_count > 0 ? expected_us + (uint64_t)drive->options.slow_ms * 1000
                                 : expected_us;
}

uint64_t drive_read_p999_us(const struct drive *drive)
{
    return pace_read_p999_us(&drive->pace);
}

bool drive_is_slow(const struct drive *drive)
{
    return drive->slow;
}

bool drive_is_spent(const struct drive *drive)
{
    return drive->spent;
}
