/*
 * How long a drive takes. Pure; times are given.
 *
 * Two figures per class of operation and size:
 *   service   a moving average, of two kinds: idle, how long a transfer takes that has the drive
 *             nearly to itself; and busy, how long each of many adds: from the answer before it to
 *             its own. A drive that works on one transfer at a time has both alike; one that works
 *             on many at once has a much smaller busy one.
 *   latency   from submission to answer, as the mean of an interval.
 * And a histogram of the latencies of foreground reads, four buckets per power of two, whose old
 * samples fade.
 */
#ifndef ARRAYWRIGHT_DRIVE_PACE_H
#define ARRAYWRIGHT_DRIVE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Up to 4, 16, 64, 256 KiB and 1 MiB. */
#define PACE_SIZES 5u
#define PACE_BUCKETS 108u

enum pace_kind { PACE_READ, PACE_WRITE, PACE_KIND_MAX };

/* A moving average: of all samples while they are few, then the newest weighs 1/32. */
struct pace_mean {
    uint64_t x16;           /* in sixteenths of a microsecond */
    uint64_t sampled_us;    /* the newest sample */
    uint32_t samples;       /* 0: none yet; counted up to the weight */
};

struct pace_class {
    struct pace_mean idle;
    struct pace_mean busy;
    uint64_t sum_us;        /* of the running interval */
    uint64_t count;
    uint64_t last_mean_us;  /* of the one before */
    uint64_t last_count;
};

struct pace_track {
    struct pace_class classes[PACE_KIND_MAX][PACE_SIZES];
    uint64_t interval_us;
    uint64_t interval_end_us; /* 0: before the first sample */
    uint64_t last_end_us;     /* when the interval before ended */
    uint32_t reads[PACE_BUCKETS];
    uint32_t read_count;
};

void pace_init(struct pace_track *track, uint32_t interval_s);
/* What is known of the pace of a drive; 0: nothing. */
struct pace {
    uint64_t idle_us;
    uint64_t busy_us;
};

struct pace_sample {
    enum pace_kind kind;
    uint32_t length_bytes;
    bool busy;           /* there were others in the drive when it was submitted */
    uint64_t service_us; /* since the answer before, if it was submitted by then */
    uint64_t took_us;
};

/* True if an interval has ended with this sample. */
bool pace_add(struct pace_track *track, const struct pace_sample *sample, uint64_t now_us);
void pace_read_note(struct pace_track *track, uint64_t took_us);
/* An average that nobody has confirmed for a while is halved every second, so that a drive that was
 * slow is tried again; in the end it is not known. */
struct pace pace_get(const struct pace_track *track, enum pace_kind kind, uint32_t length_bytes,
                     uint64_t now_us);
/* 0: fewer than a thousand reads were seen. */
uint64_t pace_read_p999_us(const struct pace_track *track);

#endif
