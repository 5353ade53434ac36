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

void stripe_log_join(struct stripe_log *log, struct stripe_log_join *join)
{
    ASSERT(log->group->depth > 0 && join->done != NULL);
    join->missed = log->running ? log->batch.sequence : log->sequence;
    log->ios[join->member].joins++;
    list_init(&join->link);
    list_push_tail(&log->joins, &join->link);
    log_wake(log);
}

void stripe_log_leave(struct stripe_log *log, uint32_t member)
{
    ASSERT(log->ios[member].joins > 0);
    log->ios[member].joins--;
}

/* Of the oldest join: the others have missed no less. */
uint64_t log_missed(const struct stripe_log *log)
{
    ASSERT(!list_is_empty(&log->joins));
    return container_of(log->joins.next, struct stripe_log_join, link)->missed;
}

bool log_member_joins(const struct stripe_log *log, uint32_t member)
{
    return log->ios[member].joins > 0 &&
           log->group->config.members[member].state == MEMBER_REBUILD && !SIM_BUG(LOG_JOINED_DRY);
}

/* None is under way that would have too few copies for one member more. */
void log_joins_answer(struct stripe_log *log, int error)
{
    ASSERT(error != 0 || !log->running);
    LIST_FOR_EACH_SAFE (node, following, &log->joins) {
        struct stripe_log_join *join = list_entry(node, struct stripe_log_join, link);

        if (error != 0 || log->tail_durable > join->missed || SIM_BUG(LOG_JOINED_EARLY)) {
            list_remove(node);
            join->done(join, error);
        }
    }
}
