/*
 * The stripe log and a rebuilt member. Once it is ONLINE its span bears one loss more, for which
 * batches of before have a copy too few; and its own ring, if it was a member once, goes on calling
 * open what was when it was lost. So before it is ONLINE:
 *
 * (1) It gets every batch of its span besides the members that get it anyway.
 * (2) A batch is durable that calls all those before (1) released. Whoever is left finds that one,
 *     or a newer one, and what is older counts for nothing.
 *
 * What it takes: operations under way end, a flush, a batch without intents. A crash before ONLINE
 * is durable finds a rebuild, and does not look at the ring of its drive.
 */
#include <errno.h>

#include "vd/stripe_log_private.h"

/* Stronger than the seam asks for: open batches up to now are waited for too. What joins needs it,
 * and a tail cannot leave them out. */
static void settle_begin(struct stripe_log *log, struct intent_settle *settle)
{
    settle->until = log->running ? log->batch.sequence : log->sequence;
    list_init(&settle->link);
    list_push_tail(&log->settling, &settle->link);
    log_wake(log);
}

int log_settle(struct intent_log *base, struct intent_settle *settle)
{
    settle_begin(container_of(base, struct stripe_log, log), settle);
    return -EINPROGRESS;
}

void stripe_log_join(struct stripe_log *log, uint32_t member, struct intent_settle *settle)
{
    ASSERT(log->group->depth > 0 && settle->done != NULL);
    log->ios[member].joins++;
    settle_begin(log, settle);
}

void stripe_log_leave(struct stripe_log *log, uint32_t member)
{
    ASSERT(log->ios[member].joins > 0);
    log->ios[member].joins--;
}

/* Of the oldest: the others want no less. */
uint64_t log_settling(const struct stripe_log *log)
{
    ASSERT(!list_is_empty(&log->settling));
    return container_of(log->settling.next, struct intent_settle, link)->until;
}

bool log_member_joins(const struct stripe_log *log, uint32_t member)
{
    return log->ios[member].joins > 0 &&
           log->group->config.members[member].state == MEMBER_REBUILD && !SIM_BUG(LOG_JOINED_DRY);
}

/* None is under way that would have too few copies for one member more. */
void log_settled_answer(struct stripe_log *log, int error)
{
    ASSERT(error != 0 || !log->running);
    LIST_FOR_EACH_SAFE (node, following, &log->settling) {
        struct intent_settle *settle = list_entry(node, struct intent_settle, link);

        if (error != 0 || log->tail_durable > settle->until || SIM_BUG(LOG_JOINED_EARLY)) {
            list_remove(node);
            settle->done(settle, error);
        }
    }
}
