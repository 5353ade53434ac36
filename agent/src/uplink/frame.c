/*
 * Judging frames: see frame.h.
 */
#include "uplink/frame.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "control/json_text.h"

static int refuse(char why[FRAME_WHY_BYTES], const char *text)
{
    (void)snprintf(why, FRAME_WHY_BYTES, "%s", text);
    return -EBADMSG;
}

/* Before the parser recurses. Brackets within texts do not count. */
static bool depth_is_fine(const char *text, size_t bytes)
{
    uint32_t depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < bytes; i++) {
        if (quoted && text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            quoted = !quoted;
        } else if (!quoted && (text[i] == '{' || text[i] == '[')) {
            depth++;
        } else if (!quoted && (text[i] == '}' || text[i] == ']') && depth > 0) {
            depth--;
        }
        if (depth > FRAME_DEPTH_MAX) {
            return false;
        }
    }
    return true;
}

/* Characters of a text that is UTF-8. */
static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        count += ((unsigned char)*text & 0xC0u) != 0x80u ? 1 : 0;
    }
    return count;
}

/* What is wrong with one value by its type, NULL if nothing is. A text with a NUL in it would end
 * there for us and go on for everybody else. */
static const char *value_fault(const json_t *value)
{
    if (json_is_string(value)) {
        const char *text = json_string_value(value);

        if (strlen(text) != json_string_length(value)) {
            return "a text must not contain NUL characters";
        }
        return characters(text) > BOUND_TEXT_MAX ? "a text is too long" : NULL;
    }
    if (json_array_size(value) > BOUND_ARRAY_MAX) {
        return "a list has too many entries";
    }
    return json_object_size(value) > BOUND_OBJECT_MAX ? "an object has too many fields" : NULL;
}

/* The same for all that is within. The parser's depth bounds this. */
const char *frame_bounds_fault(const json_t *value)
{
    const char *fault = value_fault(value);
    const char *name = NULL;
    json_t *item = NULL;
    size_t i = 0;

    json_object_foreach((json_t *)value, name, item)
    {
        fault = fault != NULL ? fault : frame_bounds_fault(item);
    }
    json_array_foreach((json_t *)value, i, item)
    {
        fault = fault != NULL ? fault : frame_bounds_fault(item);
    }
    return fault;
}

/* A number that counts, within the bounds of the protocol. */
static bool sequence_take(const json_t *document, const char *name, uint64_t *ret_value)
{
    return json_u64_at(document, name, ret_value) && *ret_value <= BOUND_SEQUENCE_MAX;
}

/* What is wrong with a frame, whatever its kind is; NULL if nothing is. */
static const char *frame_fault(const json_t *document)
{
    const char *fault = frame_bounds_fault(document);
    uint64_t sent_us = 0;

    if (fault != NULL || json_object_get(document, "ts") == NULL) {
        return fault;
    }
    return json_u64_at(document, "ts", &sent_us) && sent_us <= BOUND_TIME_US_MAX
               ? NULL
               : "ts must be a time until the year 9999";
}

/* For the log: what the other side says must not look like lines of ours. */
static void printable_copy(const char *text, char *out, size_t capacity)
{
    size_t at = 0;

    ASSERT(capacity > 0);
    for (; text != NULL && text[at] != '\0' && at + 1 < capacity; at++) {
        out[at] = text[at] >= ' ' && text[at] < 0x7F ? text[at] : '?';
    }
    out[at] = '\0';
}

bool frame_is_uuid(const char *text)
{
    char canonical[UUID_TEXT_BYTES];
    struct uuid uuid;

    if (text == NULL || uuid_parse(text, &uuid) != 0) {
        return false;
    }
    uuid_format(&uuid, canonical);
    return strcmp(text, canonical) == 0;
}

static bool uuid_take(const json_t *document, const char *name, char out[UUID_TEXT_BYTES])
{
    const char *text = json_text_at(document, name);

    if (!frame_is_uuid(text)) {
        return false;
    }
    memcpy(out, text, UUID_TEXT_BYTES);
    return true;
}

/* A number of seconds, brought into its bounds. */
static bool seconds_take(const json_t *document, const char *name, uint32_t low, uint32_t high,
                         uint32_t *ret_seconds)
{
    uint64_t value = 0;

    if (!json_u64_at(document, name, &value)) {
        return false;
    }
    *ret_seconds = value < low ? low : value > high ? high : (uint32_t)value;
    return true;
}

/* The nonce is signed between line ends: it must not have any. */
static int challenge_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    const char *nonce = json_text_at(frame->document, "nonce");
    size_t length = nonce != NULL ? strlen(nonce) : 0;

    if (length < 32 || length >= sizeof(frame->challenge.nonce)) {
        return refuse(why, "challenge: nonce must have 32 to 256 characters");
    }
    for (size_t i = 0; i < length; i++) {
        if (nonce[i] <= ' ' || nonce[i] >= 0x7F) {
            return refuse(why, "challenge: nonce must be printable");
        }
    }
    memcpy(frame->challenge.nonce, nonce, length + 1);
    return uuid_take(frame->document, "server_id", frame->challenge.server_id)
               ? 0
               : refuse(why, "challenge: server_id is not an id");
}

/* One that is no fence is as good as none: the backend will not see it again. */
static void fence_take(const json_t *document, char out[BOUND_WELCOME_FENCE_MAX + 1])
{
    const char *fence = json_text_at(document, "fence");
    size_t length = fence != NULL ? strlen(fence) : 0;

    out[0] = '\0';
    for (size_t i = 0; i < length; i++) {
        if (fence[i] <= ' ' || fence[i] >= 0x7F) {
            return;
        }
    }
    if (length <= BOUND_WELCOME_FENCE_MAX) {
        (void)snprintf(out, BOUND_WELCOME_FENCE_MAX + 1, "%s", fence != NULL ? fence : "");
    }
}

static int welcome_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    const json_t *document = frame->document;

    if (!sequence_take(document, "acked_rev", &frame->welcome.acked_rev) ||
        !sequence_take(document, "acked_event_seq", &frame->welcome.acked_event_seq)) {
        return refuse(why, "welcome: acked_rev and acked_event_seq must be whole numbers");
    }
    if (!seconds_take(document, "heartbeat_s", BOUND_WELCOME_HEARTBEAT_S_MIN,
                      BOUND_WELCOME_HEARTBEAT_S_MAX, &frame->welcome.heartbeat_s) ||
        !seconds_take(document, "reconnect_window_s", 0, BOUND_WELCOME_RECONNECT_WINDOW_S_MAX,
                      &frame->welcome.reconnect_window_s)) {
        return refuse(why, "welcome: heartbeat_s and reconnect_window_s must be whole numbers");
    }
    fence_take(document, frame->welcome.fence);
    return 0;
}

static int ack_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    const json_t *document = frame->document;
    const json_t *result = json_object_get(document, "result");

    frame->ack.has_rev = sequence_take(document, "rev", &frame->ack.rev);
    frame->ack.has_event_seq = sequence_take(document, "event_seq", &frame->ack.event_seq);
    frame->ack.has_result = uuid_take(document, "result", frame->ack.result);
    if ((json_object_get(document, "rev") != NULL && !frame->ack.has_rev) ||
        (json_object_get(document, "event_seq") != NULL && !frame->ack.has_event_seq) ||
        (result != NULL && !frame->ack.has_result)) {
        return refuse(why, "ack: rev, event_seq or result is malformed");
    }
    return 0;
}

static int nack_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    static const struct {
        const char *word;
        enum nack_kind kind;
    } words[] = {{"resync", NACK_RESYNC},
                 {"fenced", NACK_FENCED},
                 {"unauthorised", NACK_UNAUTHORISED},
                 {"unsupported", NACK_UNSUPPORTED},
                 {"identity_in_use", NACK_IN_USE}};
    const char *reason = json_text_at(frame->document, "reason");

    if (reason == NULL) {
        return refuse(why, "nack: reason is missing");
    }
    frame->nack.kind = NACK_OTHER;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i].word, reason) == 0) {
            frame->nack.kind = words[i].kind;
        }
    }
    printable_copy(reason, frame->nack.reason, sizeof(frame->nack.reason));
    printable_copy(json_text_at(frame->document, "detail"), frame->nack.detail,
                   sizeof(frame->nack.detail));
    if (!seconds_take(frame->document, "retry_s", 1, BOUND_NACK_RETRY_S_MAX,
                      &frame->nack.retry_s)) {
        frame->nack.retry_s = 0;
    }
    return 0;
}

static bool is_key(const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;

    return length >= 1 && length <= 64 &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789._:-") == length;
}

static bool preconditions_are_fine(const json_t *list)
{
    size_t i = 0;
    json_t *item = NULL;
    uint64_t config_rev = 0;

    if (!json_is_array(list) || json_array_size(list) > BOUND_COMMAND_PRECONDITIONS_MAX) {
        return false;
    }
    json_array_foreach((json_t *)list, i, item)
    {
        if (!is_key(json_text_at(item, "kind")) || !is_key(json_text_at(item, "key")) ||
            !sequence_take(item, "config_rev", &config_rev)) {
            return false;
        }
    }
    return true;
}

static bool actor_is_fine(const json_t *actor)
{
    return json_text_at(actor, "name") != NULL && json_text_at(actor, "role") != NULL &&
           json_text_at(actor, "via") != NULL;
}

/* What is wrong with the command, NULL if nothing is. */
static const char *command_fault(const json_t *document)
{
    const char *op = json_text_at(document, "op");
    const json_t *confirm = json_object_get(document, "confirm");
    const char *fault = frame_fault(document);
    uint64_t number = 0;

    if (fault != NULL) {
        return fault;
    }
    if (!sequence_take(document, "number", &number) || number == 0) {
        return "number must be a whole number from 1 to 2^62 - 1";
    }
    if (op == NULL || op[0] == '\0' || characters(op) > BOUND_COMMAND_OP_MAX) {
        return "op must have 1 to 64 characters";
    }
    if (!json_is_object(json_object_get(document, "args"))) {
        return "args must be an object";
    }
    if (!json_is_string(confirm) && !json_is_null(confirm)) {
        return "confirm must be a text or null";
    }
    if (characters(json_is_string(confirm) ? json_string_value(confirm) : "") >
        BOUND_COMMAND_CONFIRM_MAX) {
        return "confirm must have at most 64 characters";
    }
    if (!preconditions_are_fine(json_object_get(document, "preconditions"))) {
        return "preconditions must be at most 16 of kind, key and config_rev";
    }
    if (!actor_is_fine(json_object_get(document, "actor"))) {
        return "actor must have name, role and via";
    }
    return json_u64_at(document, "not_after_us", &number) && number <= BOUND_TIME_US_MAX
               ? NULL
               : "not_after_us must be a time until the year 9999";
}

static int command_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    const char *fault = NULL;

    if (!uuid_take(frame->document, "command_id", frame->command.command_id)) {
        return refuse(why, "command: command_id is not an id");
    }
    fault = command_fault(frame->document);
    frame->command.valid = fault == NULL;
    (void)snprintf(frame->command.why, sizeof(frame->command.why), "%s",
                   fault != NULL ? fault : "");
    return 0;
}

static int query_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    frame->query.name = json_text_at(frame->document, "name");
    frame->query.args = json_object_get(frame->document, "args");
    if (!uuid_take(frame->document, "id", frame->query.id)) {
        return refuse(why, "query: id is not an id");
    }
    if (frame->query.name == NULL || !json_is_object(frame->query.args)) {
        return refuse(why, "query: name must be a text and args an object");
    }
    return 0;
}

static int goaway_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    printable_copy(json_text_at(frame->document, "reason"), frame->goaway.reason,
                   sizeof(frame->goaway.reason));
    return seconds_take(frame->document, "spread_s", 0, BOUND_GOAWAY_SPREAD_S_MAX,
                        &frame->goaway.spread_s)
               ? 0
               : refuse(why, "goaway: spread_s must be a whole number");
}

static enum frame_kind kind_of(const json_t *document)
{
    static const char *const words[] = {
        [FRAME_CHALLENGE] = "challenge", [FRAME_WELCOME] = "welcome", [FRAME_ACK] = "ack",
        [FRAME_NACK] = "nack",           [FRAME_COMMAND] = "command", [FRAME_QUERY] = "query",
        [FRAME_GOAWAY] = "goaway"};
    const char *word = json_text_at(document, "t");
    uint64_t version = 0;

    if (!json_u64_at(document, "v", &version) || version != FRAME_VERSION || word == NULL) {
        return FRAME_OTHER;
    }
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i], word) == 0) {
            return (enum frame_kind)i;
        }
    }
    return FRAME_OTHER;
}

static int fields_read(struct frame *frame, char why[FRAME_WHY_BYTES])
{
    switch (frame->kind) {
    case FRAME_CHALLENGE:
        return challenge_read(frame, why);
    case FRAME_WELCOME:
        return welcome_read(frame, why);
    case FRAME_ACK:
        return ack_read(frame, why);
    case FRAME_NACK:
        return nack_read(frame, why);
    case FRAME_COMMAND:
        return command_read(frame, why);
    case FRAME_QUERY:
        return query_read(frame, why);
    case FRAME_GOAWAY:
        return goaway_read(frame, why);
    case FRAME_OTHER:
        return 0;
    }
    UNREACHABLE();
}

json_t *frame_load(const char *text, size_t bytes, char why[FRAME_WHY_BYTES])
{
    json_t *document = NULL;

    if (!depth_is_fine(text, bytes)) {
        (void)refuse(why, "a frame is nested at most 32 deep");
        return NULL;
    }
    document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (!json_is_object(document)) {
        json_decref(document);
        (void)refuse(why, "a frame is one JSON object");
        return NULL;
    }
    return document;
}

int frame_parse(const char *text, size_t bytes, struct frame *ret_frame, char why[FRAME_WHY_BYTES])
{
    struct frame frame = {.kind = FRAME_OTHER};

    if (bytes > FRAME_IN_MAX_BYTES) {
        return refuse(why, "a frame to the agent has at most 64 KiB");
    }
    frame.document = frame_load(text, bytes, why);
    if (frame.document == NULL) {
        return -EBADMSG;
    }
    frame.kind = kind_of(frame.document);
    /* A command beyond the bounds is read all the same: its refusal needs its id. */
    const char *fault = frame.kind != FRAME_COMMAND ? frame_fault(frame.document) : NULL;
    int error = fault != NULL ? refuse(why, fault) : fields_read(&frame, why);
    if (error != 0) {
        json_decref(frame.document);
        return error;
    }
    *ret_frame = frame;
    return 0;
}

void frame_done(struct frame *frame)
{
    json_decref(frame->document);
    frame->document = NULL;
}

json_t *frame_new(const char *kind, uint64_t wall_us)
{
    json_t *document = json_new_object();

    json_put_u64(document, "v", FRAME_VERSION);
    json_put_text(document, "t", kind);
    json_put_u64(document, "ts", wall_us);
    return document;
}

char *frame_text(json_t *document, size_t *ret_bytes)
{
    char *text = json_line(document, ret_bytes);

    json_decref(document);
    return text;
}

json_t *frame_reason(const char *code, const char *text)
{
    json_t *reason = json_new_object();

    json_put_text(reason, "code", code);
    json_put(reason, "params", json_new_object());
    json_put_text(reason, "text", text);
    return reason;
}

bool frame_is_reason(const json_t *value)
{
    return json_text_at(value, "code") != NULL &&
           json_is_object(json_object_get(value, "params")) && json_text_at(value, "text") != NULL;
}
