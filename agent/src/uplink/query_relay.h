/*
 * Questions of the backend that are answered within two seconds or not at all.
 *
 * (1) Every question that is taken gets exactly one answer: arrayd's, or, when the time is
 *     over or too many are waiting, a refusal.
 * (2) At most QUERY_ASKED_MAX are with arrayd; of QUERY_MAX taken ones none is left once the
 *     answers have been sent. What comes beyond that is dropped: who asks so fast does not
 *     read the answers.
 */
#ifndef ARRAYWRIGHT_UPLINK_QUERY_RELAY_H
#define ARRAYWRIGHT_UPLINK_QUERY_RELAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/guid.h"
#include "uplink/frame.h"

#define QUERY_MAX 64u
#define QUERY_ASKED_MAX 32u
#define QUERY_LIMIT_US 1900000u /* of two seconds; the rest is for the way */

enum query_state { QUERY_FREE, QUERY_WAITING, QUERY_ASKED, QUERY_ANSWERED };

struct query_slot {
    enum query_state state;
    char id[UUID_TEXT_BYTES];
    uint64_t deadline_us;
    json_t *params;              /* WAITING: of the request */
    json_t *answer;              /* ANSWERED: the frame */
};

struct query_relay {
    struct query_slot slots[QUERY_MAX];
};

void query_relay_start(struct query_relay *relay);
void query_relay_done(struct query_relay *relay);

/* False: dropped. */
bool query_relay_take(struct query_relay *relay, const struct frame *frame, uint64_t now_us);
/* Parameters of a request to arrayd, or NULL. */
json_t *query_relay_next_request(struct query_relay *relay, char ret_id[UUID_TEXT_BYTES]);
/* data or reason is NULL. An answer that comes too late is ignored. */
void query_relay_answered(struct query_relay *relay, const char *id, const json_t *data,
                          const json_t *reason);
void query_relay_tick(struct query_relay *relay, uint64_t now_us);
uint64_t query_relay_deadline_us(const struct query_relay *relay);
bool query_relay_has_frame(const struct query_relay *relay);
char *query_relay_pull(struct query_relay *relay, uint64_t wall_us, size_t *ret_bytes);

#endif
