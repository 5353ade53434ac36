/*
 * The stripe log: write intents on the members' own private areas (drive_layout.h), for virtual
 * drives that ask for it and have no other log. It closes the write hole at the price of one
 * more write and flush on a few members before each partial row.
 *
 * One ring for the group. A batch of intents goes to the same place of the ring on as many
 * members of one span as may be lost there, and one more: so a batch that counted can be read as
 * long as the group is online. A rebuilt member joins before it is ONLINE (stripe_log_join.c).
 */
#ifndef ARRAYWRIGHT_VD_STRIPE_LOG_H
#define ARRAYWRIGHT_VD_STRIPE_LOG_H

#include "base/attrs.h"
#include "base/list.h"
#include "raid/intent_log.h"

struct group;
struct stripe_log;

/* Writes nothing before replay() or clear(). */
MUST_CHECK int stripe_log_create(struct group *group, struct stripe_log **ret_log);
/* Only without anything waiting or under way; late transfers keep the memory. */
struct stripe_log *stripe_log_free(struct stripe_log *log);
struct intent_log *stripe_log_seam(struct stripe_log *log);
bool stripe_log_uses(const struct stripe_log *log, uint32_t member);
bool stripe_log_is_busy(const struct stripe_log *log);
/* A batch that members have refused is tried again. */
void stripe_log_retry(struct stripe_log *log);
/* The member is in state rebuild and gets batches from now on; done, within a turn and later: it
 * may be ONLINE. */
void stripe_log_join(struct stripe_log *log, uint32_t member, struct intent_settle *settle);
/* After each join: it is ONLINE, or will not be. */
void stripe_log_leave(struct stripe_log *log, uint32_t member);

#endif
