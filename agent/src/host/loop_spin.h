/*
 * Whether a turn of the loop asks the ring again and again before it sleeps, and for how long: to
 * be woken can take longer than what it waits for. Asking takes a processor, so an administrator
 * gives it a share of one.
 *
 * (1) Over any time, what was spent asking is at most `percent` of it, and SPIN_BURST_NS.
 * (2) It asks only where waits are shorter for it. Both ways are tried now and then, and the better
 *     one is kept: asking is the worse one where whoever is waited for needs this very processor.
 * (3) It does not ask where waits are long either way: nobody is at work, or drives are slow.
 */
#ifndef ARRAYWRIGHT_HOST_LOOP_SPIN_H
#define ARRAYWRIGHT_HOST_LOOP_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#define SPIN_BURST_NS UINT64_C(10000000)
#define SPIN_LONGEST_NS UINT64_C(50000) /* a wait that is asked through */
/* Of so many waits, so many go the other way. */
#define SPIN_TRY_EVERY 256u
#define SPIN_TRY_WAITS 8u

enum loop_wait { LOOP_WAIT_SLEEPING, LOOP_WAIT_ASKING, LOOP_WAIT_MAX };

struct loop_spin {
    uint32_t percent;    /* of a processor; 0: never */
    uint64_t account_ns; /* what may be spent now */
    uint64_t filled_ns;  /* when it was last filled */
    uint32_t waits;      /* since the last try began */
    enum loop_wait way;  /* of the wait that has begun */
    bool trying;         /* it is the first of a try */
    uint64_t recent_ns;  /* the mean of the last waits, */
    uint64_t way_ns[LOOP_WAIT_MAX]; /* and of those that went so and were not pauses */
};

void loop_spin_init(struct loop_spin *spin, uint32_t percent, uint64_t now_ns);
/* How long a turn that might sleep for limit_ns asks; 0: not at all. */
uint64_t loop_spin_begin(struct loop_spin *spin, uint64_t now_ns, uint64_t limit_ns);
/* Something came after waited_ns, of which spent_ns went into asking. */
void loop_spin_end(struct loop_spin *spin, uint64_t waited_ns, uint64_t spent_ns);

#endif
