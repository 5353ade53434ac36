/*
 * Events on their way up, in the order of their numbers.
 *
 * (1) At most EVENTS_UNACKED_MAX events are unacknowledged, and no more are read from
 *     arrayd than may be sent: nothing piles up here, the log on the host is the queue.
 * (2) A frame holds consecutive numbers. Where the log has lost events the next frame begins
 *     behind the hole and says how many are missing.
 * (3) The first question is asked in any case: arrayd tells of what comes after the subscription,
 *     and last_seq is from before it. What came between would wait for the next event.
 */
#ifndef ARRAYWRIGHT_UPLINK_EVENT_STREAM_H
#define ARRAYWRIGHT_UPLINK_EVENT_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "uplink/packer.h"

#define EVENTS_PER_FRAME 256u
#define EVENTS_UNACKED_MAX 256u
#define EVENTS_FRAME_BYTES (200u * 1024u)

struct event_stream {
    char epoch[UUID_TEXT_BYTES];
    uint64_t acked_seq;
    uint64_t sent_seq;
    uint64_t last_seq;           /* the newest event that arrayd may have */
    struct {
        uint64_t last_seq;
        uint32_t count;
    } unacked[EVENTS_UNACKED_MAX]; /* frames, oldest first */
    uint32_t unacked_frames;
    uint32_t unacked_events;
    bool reading;                /* an answer of arrayd is under way */
    struct packed_list items;    /* read and not sent yet */
};

void event_stream_start(struct event_stream *stream, const char *epoch, uint64_t acked_seq,
                        uint64_t last_seq);
void event_stream_done(struct event_stream *stream);

/* True if arrayd is to be asked for events; then the caller asks. */
bool event_stream_wants_read(struct event_stream *stream, uint64_t *ret_after_seq,
                             uint32_t *ret_limit);
/* The answer, an events_result. -ESTALE: another epoch; -EBADMSG: not an events_result. */
MUST_CHECK int event_stream_read(struct event_stream *stream, const json_t *result);
void event_stream_notified(struct event_stream *stream, uint64_t last_seq);

/* The next frame's text, free() it; NULL: nothing to send now. */
char *event_stream_pull(struct event_stream *stream, uint64_t wall_us, size_t *ret_bytes);
bool event_stream_has_frame(const struct event_stream *stream);
void event_stream_acked(struct event_stream *stream, uint64_t seq);

#endif
