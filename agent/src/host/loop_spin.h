/*
 * Decides whether the loop polls its ring for a while before it sleeps. Waking up can take longer
 * than the wait itself. Polling occupies a processor, so the administrator limits its share.
 *
 * (1) Over any period, polling takes at most `percent` of it, plus SPIN_BURST_NS and one overrun.
 * (2) It polls only where that shortens the waits. Both ways are tried now and then, and the
 *     better one is kept: polling loses where the client needs this very processor.
 * (3) It does not poll where waits are long either way: nobody is at work, or drives are slow.
 */
#ifndef ARRAYWRIGHT_HOST_LOOP_SPIN_H
#define ARRAYWRIGHT_HOST_LOOP_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#define SPIN_BURST_NS INT64_C(10000000)
#define SPIN_LONGEST_NS UINT64_C(50000) /* polled for at most, in one wait */
/* Of every SPIN_TRY_EVERY waits, SPIN_TRY_WAITS go the other way. */
#define SPIN_TRY_EVERY 256u
#define SPIN_TRY_WAITS 8u

enum loop_wait { LOOP_WAIT_SLEEPING, LOOP_WAIT_ASKING, LOOP_WAIT_MAX };

struct loop_spin {
    uint32_t percent;    /* of a processor; 0: never */
    int64_t account_ns;  /* what polling may take now; negative after an overrun */
    uint64_t filled_ns;  /* when it was last filled */
    uint32_t waits;      /* since the last try began */
    enum loop_wait way;  /* of the wait that has begun */
    bool trying;         /* it is the first of a try */
    uint64_t recent_ns;  /* mean of the last waits */
    uint64_t way_ns[LOOP_WAIT_MAX]; /* mean of the last waits of each kind, without pauses */
};

void loop_spin_init(struct loop_spin *spin, uint32_t percent, uint64_t now_ns);
/* How long to poll before a sleep of up to limit_ns; 0: not at all. */
uint64_t loop_spin_begin(struct loop_spin *spin, uint64_t now_ns, uint64_t limit_ns);
/* The wait has ended after waited_ns, of which spent_ns went into polling. */
void loop_spin_end(struct loop_spin *spin, uint64_t waited_ns, uint64_t spent_ns);

#endif
