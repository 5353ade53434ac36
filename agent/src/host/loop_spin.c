/*
 * Polling before sleeping: see loop_spin.h.
 */
#include "host/loop_spin.h"

#include "base/assert.h"
#include "base/checked.h"

/* A wait makes up an eighth of a mean. */
#define MEAN_PART 8u
/* Longer waits count as this long. */
#define WAIT_COUNTED_NS (8 * SPIN_LONGEST_NS)
/* After a longer wait the client had paused, which says nothing about polling. */
#define PAUSE_NS (4 * SPIN_LONGEST_NS)

void loop_spin_init(struct loop_spin *spin, uint32_t percent, uint64_t now_ns)
{
    ASSERT(percent <= 100);
    *spin = (struct loop_spin){.percent = percent,
                               .filled_ns = now_ns,
                               .waits = SPIN_TRY_WAITS,
                               .recent_ns = WAIT_COUNTED_NS,
                               .way_ns = {PAUSE_NS, PAUSE_NS}};
}

static void account_fill(struct loop_spin *spin, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - min_u64(spin->filled_ns, now_ns);

    /* Longer than it takes to fill the account; the product must not overflow. */
    passed_ns = min_u64(passed_ns, 1000 * (uint64_t)SPIN_BURST_NS);
    spin->account_ns += (int64_t)(passed_ns * spin->percent / 100);
    if (spin->account_ns > SPIN_BURST_NS) {
        spin->account_ns = SPIN_BURST_NS;
    }
    spin->filled_ns = now_ns;
}

static enum loop_wait better_way(const struct loop_spin *spin)
{
    return spin->way_ns[LOOP_WAIT_ASKING] < spin->way_ns[LOOP_WAIT_SLEEPING] ? LOOP_WAIT_ASKING
                                                                             : LOOP_WAIT_SLEEPING;
}

uint64_t loop_spin_begin(struct loop_spin *spin, uint64_t now_ns, uint64_t limit_ns)
{
    enum loop_wait better = better_way(spin);

    if (spin->percent == 0) {
        return 0;
    }
    account_fill(spin, now_ns);
    if (spin->waits == SPIN_TRY_EVERY) {
        spin->waits = 0;
        spin->trying = true;
    }
    spin->way = better;
    if (spin->waits < SPIN_TRY_WAITS) { /* (2) */
        spin->way = better == LOOP_WAIT_ASKING ? LOOP_WAIT_SLEEPING : LOOP_WAIT_ASKING;
    }
    spin->waits++;
    if (spin->recent_ns > SPIN_LONGEST_NS || spin->account_ns < (int64_t)SPIN_LONGEST_NS) {
        spin->way = LOOP_WAIT_SLEEPING;
    }
    return spin->way == LOOP_WAIT_ASKING ? min_u64(SPIN_LONGEST_NS, limit_ns) : 0;
}

static uint64_t mean_of(uint64_t mean_ns, uint64_t value_ns)
{
    return mean_ns - mean_ns / MEAN_PART + value_ns / MEAN_PART;
}

void loop_spin_end(struct loop_spin *spin, uint64_t waited_ns, uint64_t spent_ns)
{
    uint64_t *way_ns = &spin->way_ns[spin->way];

    spin->account_ns -= (int64_t)spent_ns;
    spin->recent_ns = mean_of(spin->recent_ns, min_u64(waited_ns, WAIT_COUNTED_NS));
    if (waited_ns <= PAUSE_NS) {
        *way_ns = spin->trying ? waited_ns : mean_of(*way_ns, waited_ns);
        spin->trying = false;
    }
}
