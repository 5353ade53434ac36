/*
 * State on its way up: which change to ask arrayd for, and which frames to make of it.
 *
 *   idle --wants_change--> asking --change--> framing --last frame--> idle
 *
 * (1) Everything up to sent_rev is in frames that have been given out; a delta frame begins
 *     there, so frames follow on each other without a hole.
 * (2) At most STATE_WINDOW acknowledgements are outstanding. While the window is full nothing
 *     is asked for: arrayd merges what changes meanwhile into one answer. A full state is
 *     acknowledged once, with its last frame.
 * (3) A change larger than a frame is sent in steps of its own: by revision (a step's to_rev
 *     is that of its last object), or, if one revision alone is too large, as a full state.
 */
#ifndef ARRAYWRIGHT_UPLINK_STATE_STREAM_H
#define ARRAYWRIGHT_UPLINK_STATE_STREAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "uplink/packer.h"

#define STATE_WINDOW 4u

struct state_stream {
    char epoch[UUID_TEXT_BYTES];
    uint64_t sent_rev;
    uint64_t known_rev;          /* the newest revision arrayd has told of */
    uint64_t unacked[STATE_WINDOW]; /* to_rev of each, oldest first */
    uint32_t unacked_count;
    bool asking;                 /* an answer of arrayd is under way */
    bool answer_stale;           /* and does not fit any more */
    bool wants_full;

    struct packed_list items;    /* of the change being framed */
    bool framing;
    bool full;
    uint64_t base_rev;           /* of the next frame */
    uint64_t to_rev;             /* of the whole change */
    uint32_t skipped;            /* objects no frame can hold */
};

/* A new session; acked_rev 0: the backend has nothing of this epoch. */
void state_stream_start(struct state_stream *stream, const char *epoch, uint64_t acked_rev);
void state_stream_done(struct state_stream *stream);

/* True if arrayd is to be asked for the change since *ret_since_rev; then the caller asks. */
bool state_stream_wants_change(struct state_stream *stream, uint64_t *ret_since_rev);
/* The answer, a state_result. -ESTALE: another epoch; -EBADMSG: not a state_result. */
MUST_CHECK int state_stream_change(struct state_stream *stream, const json_t *result);
/* arrayd tells of a change by itself, a state_result as well. Same errors. */
MUST_CHECK int state_stream_notified(struct state_stream *stream, const json_t *result);

/* The next frame's text, free() it; NULL: nothing to send now. */
char *state_stream_pull(struct state_stream *stream, uint64_t wall_us, size_t *ret_bytes);
bool state_stream_has_frame(const struct state_stream *stream);
void state_stream_acked(struct state_stream *stream, uint64_t rev);
/* The backend asks for everything. */
void state_stream_resync(struct state_stream *stream);

#endif
