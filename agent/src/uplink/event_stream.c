/*
 * Events to frames: see event_stream.h.
 */
#include "uplink/event_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "control/json_text.h"

#define HEAD_MAX_BYTES 512u

static void stream_check(const struct event_stream *stream)
{
    ASSERT(stream->acked_seq <= stream->sent_seq);
    ASSERT(stream->unacked_events <= EVENTS_UNACKED_MAX);
    ASSERT(stream->unacked_frames <= stream->unacked_events);
}

void event_stream_start(struct event_stream *stream, const char *epoch, uint64_t acked_seq,
                        uint64_t last_seq)
{
    *stream =
        (struct event_stream){.acked_seq = acked_seq, .sent_seq = acked_seq, .last_seq = last_seq};
    (void)snprintf(stream->epoch, sizeof(stream->epoch), "%s", epoch);
    if (last_seq <= acked_seq && acked_seq < UINT64_MAX) {
        stream->last_seq = acked_seq + 1; /* (3): perhaps; the answer tells */
    }
    stream_check(stream);
}

void event_stream_done(struct event_stream *stream)
{
    packed_clear(&stream->items);
}

static uint32_t room(const struct event_stream *stream)
{
    return EVENTS_UNACKED_MAX - stream->unacked_events;
}

bool event_stream_wants_read(struct event_stream *stream, uint64_t *ret_after_seq,
                             uint32_t *ret_limit)
{
    stream_check(stream);
    if (stream->reading || !packed_is_empty(&stream->items) ||
        stream->last_seq <= stream->sent_seq || room(stream) == 0) {
        return false;
    }
    stream->reading = true;
    *ret_after_seq = stream->sent_seq;
    *ret_limit = room(stream);
    return true;
}

/* Numbers must rise; what no frame can hold counts as lost. */
static int items_take(struct event_stream *stream, const json_t *events)
{
    uint64_t last_seq = stream->sent_seq;
    size_t i = 0;
    json_t *event = NULL;

    json_array_foreach((json_t *)events, i, event)
    {
        uint64_t seq = 0;

        if (!json_u64_at(event, "seq", &seq) || seq <= last_seq || i >= EVENTS_PER_FRAME) {
            packed_clear(&stream->items);
            return -EBADMSG;
        }
        last_seq = seq;
        packed_add(&stream->items, event, seq, false);
        struct packed *item = &stream->items.items[stream->items.count - 1];
        if (item->bytes + 1 + HEAD_MAX_BYTES > EVENTS_FRAME_BYTES) {
            free(item->text);
            stream->items.count--;
        }
    }
    return 0;
}

int event_stream_read(struct event_stream *stream, const json_t *result)
{
    const char *epoch = json_text_at(result, "epoch");
    const json_t *events = json_object_get(result, "events");
    uint64_t last_seq = 0;

    ASSERT(stream->reading);
    stream->reading = false;
    if (epoch == NULL || !json_is_array(events) || !json_u64_at(result, "last_seq", &last_seq)) {
        return -EBADMSG;
    }
    if (strcmp(epoch, stream->epoch) != 0) {
        return -ESTALE;
    }
    packed_clear(&stream->items);
    int error = items_take(stream, events);
    if (error != 0) {
        return error;
    }
    if (last_seq > stream->last_seq) {
        stream->last_seq = last_seq;
    }
    if (packed_is_empty(&stream->items)) {
        stream->last_seq = stream->sent_seq; /* wait for news instead of asking again */
    }
    stream_check(stream);
    return 0;
}

void event_stream_notified(struct event_stream *stream, uint64_t last_seq)
{
    if (last_seq > stream->last_seq) {
        stream->last_seq = last_seq;
    }
}

bool event_stream_has_frame(const struct event_stream *stream)
{
    return !packed_is_empty(&stream->items) && room(stream) > 0;
}

/* Consecutive numbers, within the window and the size of a frame. */
static size_t batch_end(const struct event_stream *stream)
{
    const struct packed_list *list = &stream->items;
    size_t bytes = HEAD_MAX_BYTES;
    size_t end = list->next;

    while (end < list->count && end - list->next < room(stream) &&
           list->items[end].order == list->items[list->next].order + (end - list->next) &&
           bytes + list->items[end].bytes + 1 <= EVENTS_FRAME_BYTES) {
        bytes += list->items[end].bytes + 1;
        end++;
    }
    return end;
}

char *event_stream_pull(struct event_stream *stream, uint64_t wall_us, size_t *ret_bytes)
{
    struct text_builder builder = {.text = NULL};
    struct packed_list *list = &stream->items;

    stream_check(stream);
    if (!event_stream_has_frame(stream)) {
        return NULL;
    }
    uint64_t first_seq = list->items[list->next].order;
    uint64_t lost = first_seq - stream->sent_seq - 1;
    size_t end = batch_end(stream);
    ASSERT(end > list->next); /* no event is larger than a frame */
    text_addf(&builder,
              "{\"v\":1,\"t\":\"event\",\"ts\":%" PRIu64 ",\"epoch\":\"%s\",\"first_seq\":%" PRIu64
              ",\"gap\":",
              wall_us, stream->epoch, first_seq);
    if (lost > 0) {
        text_addf(&builder, "%" PRIu64, lost);
    } else {
        text_addf(&builder, "null");
    }
    text_addf(&builder, ",\"events\":[");
    text_add_items(&builder, list, list->next, end, false);
    text_addf(&builder, "]}");
    stream->unacked[stream->unacked_frames].count = (uint32_t)(end - list->next);
    stream->unacked[stream->unacked_frames].last_seq = list->items[end - 1].order;
    stream->unacked_events += (uint32_t)(end - list->next);
    stream->unacked_frames++;
    list->next = end;
    stream->sent_seq = list->items[end - 1].order;
    *ret_bytes = builder.bytes;
    return builder.text;
}

void event_stream_acked(struct event_stream *stream, uint64_t seq)
{
    uint32_t gone = 0;

    stream_check(stream);
    while (gone < stream->unacked_frames && stream->unacked[gone].last_seq <= seq) {
        stream->unacked_events -= stream->unacked[gone].count;
        gone++;
    }
    stream->unacked_frames -= gone;
    memmove(stream->unacked, stream->unacked + gone,
            stream->unacked_frames * sizeof(stream->unacked[0]));
    if (seq > stream->acked_seq) {
        stream->acked_seq = seq < stream->sent_seq ? seq : stream->sent_seq;
    }
}
