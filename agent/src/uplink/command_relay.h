/*
 * Commands on their way down and their outcomes on the way up. arrayd's journal decides
 * everything: what is here can be lost at any moment without harm, because the backend sends
 * unanswered commands again and arrayd lists outcomes that were not acknowledged.
 *
 *   taken → waiting → running (asked of arrayd) → cmd_ack
 *   outcome (answered, notified or listed) → result, again until acknowledged →
 *       command.acknowledge → forgotten
 *
 * (1) At most RELAY_RUNNING_MAX commands of this session are with arrayd, in the order in
 *     which they came: numbers must rise.
 * (2) Bounds: RELAY_WAITING_MAX and RELAY_WAITING_BYTES for commands, RELAY_OUTCOMES_MAX for
 *     outcomes, RELAY_REPLIES_MAX for cmd_acks. More commands than that end the session;
 *     more outcomes stay in the journal until arrayd is asked for them again.
 */
#ifndef ARRAYWRIGHT_UPLINK_COMMAND_RELAY_H
#define ARRAYWRIGHT_UPLINK_COMMAND_RELAY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "base/list.h"
#include "uplink/frame.h"

#define RELAY_RUNNING_MAX 12u
#define RELAY_WAITING_MAX 256u
#define RELAY_WAITING_BYTES (4u * 1024u * 1024u)
#define RELAY_OUTCOMES_MAX 512u
#define RELAY_RESULTS_MAX 32u
#define RELAY_REPLIES_MAX 64u
#define RELAY_RESEND_US (10u * 1000u * 1000u)

struct relay_running {
    char command_id[UUID_TEXT_BYTES]; /* "": free */
};

struct command_relay {
    struct list waiting;         /* commands arrayd has not been asked to run */
    uint32_t waiting_count;
    size_t waiting_bytes;
    struct relay_running running[RELAY_RUNNING_MAX];
    struct list outcomes;        /* oldest first */
    uint32_t outcome_count;
    json_t *replies;             /* cmd_ack and progress frames to be sent */
    bool listing;                /* command.list is under way */
    bool wants_list;
};

void command_relay_start(struct command_relay *relay);
void command_relay_done(struct command_relay *relay);

/* From the backend. -ENOSPC: more than is bearable, end the session. */
MUST_CHECK int command_relay_take(struct command_relay *relay, const struct frame *frame);
/* Answers a frame that cannot even be read, as far as there is room. */
void command_relay_nack(struct command_relay *relay, const char *why);
void command_relay_result_acked(struct command_relay *relay, const char *command_id);

/* To arrayd: parameters of a request, or NULL. */
json_t *command_relay_next_command(struct command_relay *relay, char ret_id[UUID_TEXT_BYTES]);
bool command_relay_wants_list(struct command_relay *relay);
bool command_relay_next_acknowledge(struct command_relay *relay, char ret_id[UUID_TEXT_BYTES]);

/* From arrayd. A status that is malformed is ignored: false. */
bool command_relay_answered(struct command_relay *relay, const char *command_id,
                            const json_t *status);
void command_relay_failed(struct command_relay *relay, const char *command_id,
                          const json_t *reason);
bool command_relay_notified(struct command_relay *relay, const json_t *status);
bool command_relay_listed(struct command_relay *relay, const json_t *result);

/* To the backend: the next frame's text, free() it; NULL: nothing to send now. */
char *command_relay_pull(struct command_relay *relay, uint64_t now_us, uint64_t wall_us,
                         size_t *ret_bytes);
bool command_relay_has_frame(const struct command_relay *relay, uint64_t now_us);
/* When an outcome is to be sent again; UINT64_MAX: never. */
uint64_t command_relay_deadline_us(const struct command_relay *relay);

#endif
