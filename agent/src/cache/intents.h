/*
 * Write intents in the cache's journal (raid/intent_log.h): one share per drive group.
 *
 * An intent is a head frame and the frames of its content. The head is published last and
 * released first, so an intent is there as a whole or not at all. It is durable when append()
 * returns, or when the journal's log has it; memory that does not outlive a power loss closes the
 * write hole for the end of the agent only, and says so (INTENT_MEDIUM_MEMORY).
 *
 * (1) Intents have at most INTENT_SHARE_PERCENT of the frames, and dirty blocks leave them to
 *     them: an append waits for the flush that releases others, of whatever group, never for the
 *     cache; and not for what groups that are away or offline have left, but goes without.
 * (2) What a group that is away has left stays, and is replayed when it comes back.
 */
#ifndef ARRAYWRIGHT_CACHE_INTENTS_H
#define ARRAYWRIGHT_CACHE_INTENTS_H

#include "base/attrs.h"
#include "cache/cache.h"
#include "port/clock_port.h"
#include "raid/intent_log.h"

#define INTENT_SHARE_PERCENT 15u

struct intents;

MUST_CHECK int intents_create(struct cache *cache, struct clock_port *clock,
                              struct intents **ret_intents);
/* Every share is closed. */
struct intents *intents_free(struct intents *intents);

/* The share of a group, span_members wide. -ENOSPC: the cache is too small for one intent of it,
 * -ENOMEM. */
MUST_CHECK int intents_open(struct intents *intents, const struct guid *group,
                            uint32_t span_members, struct intent_log **ret_log);
/* The group has stopped: nothing waits. What is open stays in the journal. */
void intents_close(struct intent_log *log);
/* The group is deleted. */
void intents_forget(struct intents *intents, const struct guid *group);
uint32_t intents_open_count(const struct intent_log *log);

#endif
