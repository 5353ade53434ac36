/*
 * What the states of the members make of a group and its virtual drives: one rule for whoever
 * has a configuration in hand, a running group or a record of one that is not there.
 */
#ifndef ARRAYWRIGHT_META_CONFIG_STATE_H
#define ARRAYWRIGHT_META_CONFIG_STATE_H

#include "meta/config.h"

/* Of the worst span. Without virtual drives nothing can be lost: optimal or degraded. */
enum virtual_drive_state group_config_state(const struct group_config *config);
/* Of one span, in a configuration with virtual drives. */
enum virtual_drive_state group_config_span_state(const struct group_config *config, uint32_t span);
/* ONLINE, and its loss would take data with it. */
bool group_config_is_last_copy(const struct group_config *config, uint32_t member);
/* How many more members may be lost, whichever they are; for a configuration with virtual
 * drives. */
uint32_t group_config_losses_left(const struct group_config *config);
/* Is there a copy of everything without these members, by their index, and those not in sync? */
bool group_config_bears(const struct group_config *config, const bool *without);

/* A member is being filled. */
bool group_config_is_rebuilding(const struct group_config *config);

#endif
