/*
 * Frames of the backend link, protocol/messages.schema.json: reading what the backend sends,
 * as hostile input, and building what goes there.
 *
 * (1) Nothing of an incoming frame is used before its length, depth, types and bounds are
 *     proved; numbers are clamped to what makes sense here.
 * (2) Fields and kinds that are not known are tolerated.
 */
#ifndef ARRAYWRIGHT_UPLINK_FRAME_H
#define ARRAYWRIGHT_UPLINK_FRAME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/bounds.h"
#include "base/guid.h"

#define FRAME_IN_MAX_BYTES 65536u
#define FRAME_REQUEST_MAX_BYTES (63u * 1024u) /* passed on to arrayd, which takes 64 KiB */
#define FRAME_OUT_MAX_BYTES (256u * 1024u)
#define FRAME_DEPTH_MAX 32u
#define FRAME_VERSION 1u
#define FRAME_WHY_BYTES 160u

enum frame_kind {
    FRAME_CHALLENGE,
    FRAME_WELCOME,
    FRAME_ACK,
    FRAME_NACK,
    FRAME_COMMAND,
    FRAME_QUERY,
    FRAME_GOAWAY,
    FRAME_OTHER                  /* a kind or version we do not know: to be ignored */
};

enum nack_kind {
    NACK_RESYNC,
    NACK_FENCED,
    NACK_UNAUTHORISED,
    NACK_UNSUPPORTED,
    NACK_IN_USE,                 /* another machine uses this host's identity */
    NACK_OTHER                   /* bad, overload, and what later versions have */
};

struct frame {
    enum frame_kind kind;
    json_t *document;
    union {
        struct {
            char nonce[BOUND_CHALLENGE_NONCE_MAX + 1]; /* printable, without blanks */
            char server_id[UUID_TEXT_BYTES];
        } challenge;
        struct {
            uint64_t acked_rev;
            uint64_t acked_event_seq;
            uint32_t heartbeat_s;
            uint32_t reconnect_window_s;
            char fence[BOUND_WELCOME_FENCE_MAX + 1]; /* printable; "": none was given */
        } welcome;
        struct {
            bool has_rev, has_event_seq, has_result;
            uint64_t rev;
            uint64_t event_seq;
            char result[UUID_TEXT_BYTES];
        } ack;
        struct {
            enum nack_kind kind;
            char reason[33];     /* both printable */
            char detail[161];
            uint32_t retry_s;    /* 0: it does not say */
        } nack;
        struct {
            char command_id[UUID_TEXT_BYTES];
            bool valid;          /* else `why` says what is wrong with it */
            char why[FRAME_WHY_BYTES];
        } command;
        struct {
            char id[UUID_TEXT_BYTES];
            const char *name;    /* both belong to the document */
            json_t *args;
        } query;
        struct {
            uint32_t spread_s;
            char reason[65];
        } goaway;
    };
};

/* 0, or -EBADMSG with why. A command whose id can be read is always 0: it gets an answer. */
MUST_CHECK int frame_parse(const char *text, size_t bytes, struct frame *ret_frame,
                           char why[FRAME_WHY_BYTES]);
void frame_done(struct frame *frame);

/* One JSON object, not too deep, that says each field once; its texts may have a NUL. NULL with
 * why. */
json_t *frame_load(const char *text, size_t bytes, char why[FRAME_WHY_BYTES]);
/* What is wrong with it by the type of each value within, whatever the field is; NULL: nothing. */
const char *frame_bounds_fault(const json_t *value);

/* An object with v, t and ts. */
json_t *frame_new(const char *kind, uint64_t wall_us);
/* The frame's text; takes the reference; free() it. */
char *frame_text(json_t *document, size_t *ret_bytes);
/* {code, params: {}, text}, for what the uplink itself has to say. */
json_t *frame_reason(const char *code, const char *text);
/* Whether it is {code, params, text} as the protocol wants it. */
bool frame_is_reason(const json_t *value);
/* Exactly as uuid_format() writes it. */
bool frame_is_uuid(const char *text);

#endif
