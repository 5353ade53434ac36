/*
 * Erasing a drive that nobody uses: passes of patterns over all of it, the last one of zeros, which
 * is read back. Everything in large pieces, a few at a time, in the background class.
 *
 *   (resumed: CHECK) -> WRITE … WRITE -> VERIFY -> ended
 *
 * (1) A place is told to be kept only once a flush has made everything before it durable: all
 *     earlier passes, and this one below its cursor. The next pass begins only when the place at
 *     its beginning is kept, so what lies above a kept cursor holds this pass or the one before.
 * (2) One that is resumed looks at samples of what it must have written by then. A drive that holds
 *     anything else belongs to somebody by now: nothing is written, it ends as ERASE_OVERWRITTEN.
 * (3) What a late answer may still write into is kept until it has come: erase_is_quiet().
 */
#ifndef ARRAYWRIGHT_TASK_ERASE_H
#define ARRAYWRIGHT_TASK_ERASE_H

#include "base/attrs.h"
#include "base/words.h"
#include "drive/drive.h"
#include "port/clock_port.h"

struct erase;

struct erase_plan {
    enum erase_mode mode;
    uint8_t pattern_a, pattern_b;
    uint64_t seed;                /* of a random pass */
};

struct erase_place {
    uint32_t pass;
    uint64_t cursor_bytes;
};

struct erase_observer {
    /* The place that may be kept from now on; erase_kept() is called when it is, not from inside.
     */
    void (*reached)(void *context, const struct erase_place *place);
    void (*progress)(void *context); /* each 1 % or 1 s */
    void (*ended)(void *context, enum reason_code why); /* REASON_OK: all is erased */
    void *context;
};

struct erase_status {
    uint64_t done_bytes, total_bytes; /* of all passes */
    uint64_t speed_bytes_per_s;
    int64_t time_left_s; /* -1: not known yet */
};

/* Writes of zeros and patterns, and one pass of reading. */
uint32_t erase_pass_count(enum erase_mode mode);
/* What a block of 4096 bytes at this offset holds after a pass (not after the last, which reads).
 */
void erase_pattern(const struct erase_plan *plan, uint32_t pass, uint64_t offset_bytes,
                   uint8_t *block);
bool erase_place_is_sound(enum erase_mode mode, const struct erase_place *place,
                          uint64_t size_bytes);

MUST_CHECK int erase_create(struct drive *drive, struct clock_port *clock,
                            const struct erase_plan *plan, const struct erase_place *from,
                            const struct erase_observer *observer, struct erase **ret_erase);
struct erase *erase_free(struct erase *erase); /* ended and quiet; NULL is allowed */
void erase_start(struct erase *erase);
void erase_kept(struct erase *erase);
/* Ends with `why` when nothing is under way any more, if it has not by then. What it has written
 * until then is flushed and told as reached first. */
void erase_stop(struct erase *erase, enum reason_code why);
bool erase_is_quiet(const struct erase *erase);
void erase_status_get(const struct erase *erase, struct erase_status *ret_status);

#endif
