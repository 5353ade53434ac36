/*
 * What arrayd keeps for the uplink: the fence of the present session, and how the link stands.
 *
 * (1) The fence is a word of the backend's, given at each welcome. It is one record of the state
 *     directory, so a directory that was restored, replaced or copied shows an earlier one or
 *     none, and the backend takes everything anew.
 * (2) One fence is written at a time; of several that are asked for meanwhile the last one
 *     counts, and only who asked for it is told.
 * (3) A refusal stays until the link stands again: the uplink is gone while it waits.
 */
#ifndef ARRAYWRIGHT_CONTROL_LINK_STATE_H
#define ARRAYWRIGHT_CONTROL_LINK_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "port/store_port.h"

#define LINK_FENCE_RECORD "link-fence"
#define LINK_FENCE_MAX 64u
#define LINK_CODE_BYTES 65u
#define LINK_TEXT_BYTES 256u

enum link_standing { LINK_AWAY, LINK_CONNECTED, LINK_REFUSED };

struct link_state;

typedef void (*link_kept_fn)(void *owner, int error);

/* Reads the fence; before the loop runs. -EBADMSG: the record is damaged, and no fence is
 * kept: the backend will take everything anew. */
MUST_CHECK int link_state_open(struct store_port *store, struct link_state **ret_state);
/* Nothing may be under way in the store any more. Accepts NULL, returns NULL. */
struct link_state *link_state_close(struct link_state *state);

/* "" if there is none. */
const char *link_state_fence(const struct link_state *state);
/* False: not 1 to LINK_FENCE_MAX printable characters; kept is not called. */
MUST_CHECK bool link_state_keep(struct link_state *state, const char *fence, link_kept_fn kept,
                                void *owner);
/* The owner has gone: it is not told any more. */
void link_state_forget(struct link_state *state, const void *owner);

void link_state_set(struct link_state *state, enum link_standing standing, const char *code,
                    const char *text, uint64_t wall_us);
/* The connection that told so has ended. */
void link_state_lost(struct link_state *state, uint64_t wall_us);
json_t *link_state_doc(const struct link_state *state);

#endif
