#include "vd/rewritten.h"

#include "base/assert.h"
#include "base/checked.h"

/* Those that touch the new one become part of it. */
static void runs_join(struct rewritten *rewritten, struct rewritten_run *run)
{
    for (uint32_t i = 0; i < rewritten->count;) {
        const struct rewritten_run *other = &rewritten->runs[i];

        if (other->from > run->end || other->end < run->from) {
            i++;
            continue;
        }
        run->from = min_u64(run->from, other->from);
        run->end = max_u64(run->end, other->end);
        rewritten->count--;
        rewritten->runs[i] = rewritten->runs[rewritten->count];
        i = 0; /* it may touch an earlier one now */
    }
}

static uint32_t shortest(const struct rewritten *rewritten)
{
    uint32_t found = 0;

    for (uint32_t i = 1; i < rewritten->count; i++) {
        const struct rewritten_run *run = &rewritten->runs[i];

        if (run->end - run->from < rewritten->runs[found].end - rewritten->runs[found].from) {
            found = i;
        }
    }
    return found;
}

struct rewritten_run rewritten_add(struct rewritten *rewritten, uint64_t from, uint64_t end)
{
    struct rewritten_run run = {from, end};

    ASSERT(from < end && rewritten->count <= REWRITTEN_RUNS);
    runs_join(rewritten, &run);
    if (rewritten->count == REWRITTEN_RUNS) {
        rewritten->runs[shortest(rewritten)] = run;
    } else {
        rewritten->runs[rewritten->count++] = run;
    }
    return run;
}

void rewritten_forget(struct rewritten *rewritten)
{
    rewritten->count = 0;
}
