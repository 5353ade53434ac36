/*
 * Changes to frames: see state_stream.h.
 */
#include "uplink/state_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "control/json_text.h"
#include "uplink/frame.h"

#define HEAD_MAX_BYTES 512u
#define ITEM_MAX_BYTES (FRAME_OUT_MAX_BYTES - HEAD_MAX_BYTES)

static void stream_check(const struct state_stream *stream)
{
    ASSERT(stream->unacked_count <= STATE_WINDOW);
    ASSERT(stream->framing || packed_is_empty(&stream->items));
    ASSERT(!stream->answer_stale || stream->asking);
}

static bool window_has_room(const struct state_stream *stream)
{
    return stream->unacked_count < STATE_WINDOW;
}

void state_stream_start(struct state_stream *stream, const char *epoch, uint64_t acked_rev)
{
    *stream = (struct state_stream){.sent_rev = acked_rev, .known_rev = acked_rev + 1};
    (void)snprintf(stream->epoch, sizeof(stream->epoch), "%s", epoch);
    stream->wants_full = acked_rev == 0;
    stream_check(stream);
}

void state_stream_done(struct state_stream *stream)
{
    packed_clear(&stream->items);
    stream->framing = false;
}

bool state_stream_wants_change(struct state_stream *stream, uint64_t *ret_since_rev)
{
    stream_check(stream);
    if (stream->asking || stream->framing || !window_has_room(stream) ||
        (!stream->wants_full && stream->known_rev <= stream->sent_rev)) {
        return false;
    }
    stream->asking = true;
    *ret_since_rev = stream->wants_full ? 0 : stream->sent_rev;
    return true;
}

static bool document_fits(const json_t *document)
{
    return json_text_at(document, "kind") != NULL && json_text_at(document, "key") != NULL;
}

/* Adds those above the revision the backend has. -EBADMSG if one is malformed. */
static int items_add(struct state_stream *stream, const json_t *list, uint64_t above_rev,
                     bool tombstones)
{
    size_t i = 0;
    json_t *item = NULL;

    json_array_foreach((json_t *)list, i, item)
    {
        uint64_t rev = 0;

        if (!document_fits(item) || !json_u64_at(item, "rev", &rev)) {
            return -EBADMSG;
        }
        if (rev > above_rev || stream->full) {
            packed_add(&stream->items, item, rev, tombstones);
        }
    }
    return 0;
}

/* Objects beyond the size of a frame cannot be told at all. */
static void items_drop_giants(struct state_stream *stream)
{
    size_t kept = 0;

    for (size_t i = 0; i < stream->items.count; i++) {
        struct packed *item = &stream->items.items[i];

        if (item->bytes + 1 > ITEM_MAX_BYTES) {
            free(item->text);
            stream->skipped++;
        } else {
            stream->items.items[kept++] = *item;
        }
    }
    stream->items.count = kept;
}

struct state_head {
    const char *epoch;
    uint64_t base_rev, to_rev;
    bool full;
    const json_t *objects;
    const json_t *tombstones;
};

static int head_read(const struct state_stream *stream, const json_t *result,
                     struct state_head *head)
{
    const json_t *full = json_object_get(result, "full");

    head->epoch = json_text_at(result, "epoch");
    head->objects = json_object_get(result, "objects");
    head->tombstones = json_object_get(result, "tombstones");
    head->full = json_is_true(full);
    if (head->epoch == NULL || !json_is_boolean(full) || !json_is_array(head->objects) ||
        !json_is_array(head->tombstones) || !json_u64_at(result, "base_rev", &head->base_rev) ||
        !json_u64_at(result, "to_rev", &head->to_rev) || head->to_rev < head->base_rev) {
        return -EBADMSG;
    }
    return strcmp(head->epoch, stream->epoch) == 0 ? 0 : -ESTALE;
}

static int framing_start(struct state_stream *stream, const struct state_head *head)
{
    stream->full = head->full;
    stream->base_rev = head->full ? 0 : stream->sent_rev;
    stream->to_rev = head->to_rev;
    int error = items_add(stream, head->objects, stream->base_rev, false);
    if (error == 0 && !head->full) {
        error = items_add(stream, head->tombstones, stream->base_rev, true);
    }
    if (error != 0) {
        packed_clear(&stream->items);
        return error;
    }
    items_drop_giants(stream);
    packed_sort(&stream->items);
    stream->framing = true;
    stream->wants_full = stream->wants_full && !head->full;
    return 0;
}

int state_stream_change(struct state_stream *stream, const json_t *result)
{
    struct state_head head;
    int error = head_read(stream, result, &head);

    ASSERT(stream->asking);
    stream->asking = false;
    if (error != 0 || stream->answer_stale) {
        stream->answer_stale = false;
        return error;
    }
    stream->known_rev =
        head.full || head.to_rev > stream->known_rev ? head.to_rev : stream->known_rev;
    if (!head.full && (stream->wants_full || head.base_rev > stream->sent_rev)) {
        stream->wants_full = true; /* not what was asked for */
        return 0;
    }
    if (!head.full && head.to_rev <= stream->sent_rev) {
        stream->known_rev = stream->sent_rev;
        return 0;
    }
    error = framing_start(stream, &head);
    stream_check(stream);
    return error;
}

/* Used at once if it follows on what was sent; otherwise it only tells that there is more. */
int state_stream_notified(struct state_stream *stream, const json_t *result)
{
    struct state_head head;
    int error = head_read(stream, result, &head);

    if (error != 0) {
        return error;
    }
    if (head.to_rev > stream->known_rev) {
        stream->known_rev = head.to_rev;
    }
    bool follows = head.full || head.base_rev <= stream->sent_rev;
    if (stream->asking || stream->framing || stream->wants_full || !follows ||
        !window_has_room(stream) || head.to_rev <= stream->sent_rev) {
        return 0;
    }
    error = framing_start(stream, &head);
    stream_check(stream);
    return error;
}

/* How many items from `next` on fit into a frame. */
static size_t items_fitting(const struct packed_list *list)
{
    size_t bytes = 0;
    size_t end = list->next;

    while (end < list->count && bytes + list->items[end].bytes + 1 <= ITEM_MAX_BYTES) {
        bytes += list->items[end].bytes + 1;
        end++;
    }
    return end;
}

/* Where a delta step may end: not between objects of one revision. 0: nowhere. */
static size_t step_end(const struct packed_list *list, size_t end)
{
    if (end == list->count) {
        return end;
    }
    while (end > list->next && list->items[end - 1].order == list->items[end].order) {
        end--;
    }
    return end > list->next ? end : 0;
}

bool state_stream_has_frame(const struct state_stream *stream)
{
    return stream->framing && window_has_room(stream);
}

static void framing_end(struct state_stream *stream)
{
    packed_clear(&stream->items);
    stream->framing = false;
}

/* A revision that does not fit into one frame: only a full state can carry it. */
static char *give_up_delta(struct state_stream *stream)
{
    framing_end(stream);
    stream->wants_full = true;
    return NULL;
}

char *state_stream_pull(struct state_stream *stream, uint64_t wall_us, size_t *ret_bytes)
{
    struct text_builder builder = {.text = NULL};
    struct packed_list *list = &stream->items;
    size_t end = 0;

    stream_check(stream);
    if (!state_stream_has_frame(stream)) {
        return NULL;
    }
    end = items_fitting(list);
    if (!stream->full) {
        end = packed_is_empty(list) ? list->count : step_end(list, end);
        if (end == 0 && list->count > 0) {
            return give_up_delta(stream);
        }
    }
    bool last = end == list->count;
    uint64_t to_rev = last || stream->full ? stream->to_rev : list->items[end - 1].order;
    text_addf(&builder,
              "{\"v\":1,\"t\":\"state\",\"ts\":%" PRIu64 ",\"epoch\":\"%s\",\"base_rev\":%" PRIu64
              ",\"to_rev\":%" PRIu64 ",\"full\":%s,\"more\":%s,\"objects\":[",
              wall_us, stream->epoch, stream->base_rev, to_rev, stream->full ? "true" : "false",
              stream->full && !last ? "true" : "false");
    text_add_items(&builder, list, list->next, end, false);
    text_addf(&builder, "],\"tombstones\":[");
    text_add_items(&builder, list, list->next, end, true);
    text_addf(&builder, "]}");
    list->next = end;
    if (last || !stream->full) {
        stream->unacked[stream->unacked_count++] = to_rev;
        stream->sent_rev = to_rev;
        stream->base_rev = to_rev;
    }
    if (last) {
        framing_end(stream);
    }
    ASSERT(builder.bytes <= FRAME_OUT_MAX_BYTES);
    *ret_bytes = builder.bytes;
    return builder.text;
}

void state_stream_acked(struct state_stream *stream, uint64_t rev)
{
    uint32_t gone = 0;

    stream_check(stream);
    while (gone < stream->unacked_count && stream->unacked[gone] <= rev) {
        gone++;
    }
    stream->unacked_count -= gone;
    memmove(stream->unacked, stream->unacked + gone,
            stream->unacked_count * sizeof(stream->unacked[0]));
}

void state_stream_resync(struct state_stream *stream)
{
    if (stream->full && stream->framing && stream->items.next == 0) {
        return; /* a full state is about to leave anyway */
    }
    framing_end(stream);
    stream->unacked_count = 0;
    stream->wants_full = true;
    stream->answer_stale = stream->asking;
}
