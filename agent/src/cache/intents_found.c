/*
 * Write intents that the journal has kept: which of them are whole, what they say, their replay.
 */
#include <errno.h>
#include <string.h>

#include "cache/intents_private.h"

void intent_read(struct share *share, const struct kept *kept, struct intent *intent)
{
    struct cache *cache = share->intents->cache;
    const struct cache_frame *first =
        container_of(list_first(&kept->frames), const struct cache_frame, link);
    const uint8_t *head = journal_frame(cache->journal, frame_index(cache, first));
    uint32_t length = 0;

    memset(intent, 0, sizeof(*intent));
    intent->vd = kept->vd;
    intent->generation = get_le64(head + 32);
    intent->row = kept->row;
    intent->slice = kept->slice;
    intent->lo = get_le32(head + 52);
    intent->hi = get_le32(head + 56);
    intent->part_count = get_le32(head + 4);
    length = intent->hi - intent->lo;
    for (uint32_t i = 0; i < intent->part_count; i++) {
        uint8_t *bytes = share->replay_bytes + (size_t)i * SLICE_MAX_BYTES;

        intent->parts[i].places = get_le32(head + HEAD_PARTS + 8 * (size_t)i);
        intent->parts[i].parity = get_le32(head + HEAD_PARTS + 8 * (size_t)i + 4) != 0;
        intent->parts[i].bytes = bytes;
        for (uint32_t block = 0; block < length / CACHE_BLOCK_BYTES; block++) {
            size_t number = (size_t)i * (length / CACHE_BLOCK_BYTES) + block;

            memcpy(bytes + (size_t)block * CACHE_BLOCK_BYTES,
                   journal_frame(cache->journal, get_le32(head + HEAD_FRAMES + 4 * number)),
                   CACHE_BLOCK_BYTES);
        }
    }
}

/* What is found in the journal */

static bool is_of(const struct intents *intents, const struct cache_frame *frame,
                  const struct guid *group, struct frame_entry *ret_entry)
{
    if (frame->state != FRAME_INTENT || list_is_linked(&frame->link)) {
        return false; /* or it belongs to a kept one already */
    }
    journal_look(intents->cache->journal, frame_index(intents->cache, frame), ret_entry);
    return guid_equal(&ret_entry->vd, group);
}

/* The content frame that a head names: is it the one it means? */
static struct cache_frame *content_find(struct intents *intents, const struct share *share,
                                        uint64_t ticket, uint32_t index, uint64_t tag)
{
    struct cache *cache = intents->cache;
    struct frame_entry entry;

    if (index >= cache->frame_count ||
        !is_of(intents, &cache->frames[index], &share->group, &entry) || entry.block != ticket ||
        entry.tag != tag) {
        return NULL;
    }
    return &cache->frames[index];
}

static bool head_is_sound(const uint8_t *head)
{
    uint32_t parts = get_le32(head + 4);
    uint32_t lo = get_le32(head + 52);
    uint32_t hi = get_le32(head + 56);

    return get_le32(head) == HEAD_MAGIC && parts > 0 && parts <= RAID_SPAN_MEMBERS_MAX && lo < hi &&
           hi - lo <= SLICE_MAX_BYTES && (hi - lo) % CACHE_BLOCK_BYTES == 0 &&
           get_le32(head + 60) == parts * ((hi - lo) / CACHE_BLOCK_BYTES);
}

/* In the order of their heads. */
static void found_insert(struct share *share, struct kept *kept, uint64_t sequence)
{
    struct list *place = share->found.prev;

    kept->epoch = sequence;
    while (place != &share->found && container_of(place, struct kept, link)->epoch > sequence) {
        place = place->prev;
    }
    list_insert_after(place, &kept->link);
}

static void head_take(struct share *share, struct cache_frame *frame,
                      const struct frame_entry *entry)
{
    struct intents *intents = share->intents;
    const uint8_t *head =
        journal_frame(intents->cache->journal, frame_index(intents->cache, frame));
    struct kept *kept = NULL;
    struct guid vd;

    if (!head_is_sound(head)) {
        return;
    }
    memcpy(vd.bytes, head + 8, sizeof(vd.bytes));
    kept = kept_make(share, &vd, get_le64(head + 40), get_le32(head + 48));
    kept->ticket = entry->block;
    list_push_tail(&kept->frames, &frame->link);
    for (uint32_t i = 0; i < get_le32(head + 60); i++) {
        struct cache_frame *content = content_find(
            intents, share, entry->block, get_le32(head + HEAD_FRAMES + 4 * (size_t)i), i + 1);

        if (content != NULL) {
            list_push_tail(&kept->frames, &content->link);
        } else { /* spoiled: as if it had never been durable */
            found_insert(share, kept, entry->sequence);
            kept_release(kept);
            return;
        }
    }
    found_insert(share, kept, entry->sequence);
}

/* Content without a head: its intent was not durable, or is over. */
void leftovers_free(struct intents *intents, const struct guid *group)
{
    struct cache *cache = intents->cache;
    struct frame_entry entry;

    for (uint32_t i = 0; i < cache->frame_count; i++) {
        if (is_of(intents, &cache->frames[i], group, &entry)) {
            journal_release(cache->journal, i);
            frame_to_free(cache, &cache->frames[i]);
            intents->used--;
        }
    }
}

void found_collect(struct share *share)
{
    struct intents *intents = share->intents;
    struct cache *cache = intents->cache;
    struct frame_entry entry;

    for (uint32_t i = 0; i < cache->frame_count && intents->used > 0; i++) {
        if (is_of(intents, &cache->frames[i], &share->group, &entry) && entry.tag == 0) {
            head_take(share, &cache->frames[i], &entry);
        }
    }
    leftovers_free(intents, &share->group);
}

/* Replay, and the end of what was replayed */

void share_replay_go(struct share *share)
{
    struct intent_replay *replay = share->replay;
    struct intent intent;

    do {
        if (share->replay_at == &share->found) {
            share->replay = NULL;
            replay->done(replay, list_is_empty(&share->found) ? -ENOENT : 0);
            return;
        }
        share->replay_inside = true;
        share->replay_again = false;
        const struct kept *kept = container_of(share->replay_at, const struct kept, link);
        share->replay_at = share->replay_at->next;
        intent_read(share, kept, &intent);
        replay->intent(replay, &intent);
        share->replay_inside = false;
    } while (share->replay_again);
}

void share_clear_go(struct share *share)
{
    struct intent_clear *clear = share->clear;
    bool lost = journal_is_lost(share->intents->cache->journal);
    struct list *node = NULL;

    while ((node = list_first(&share->found)) != NULL) {
        kept_release(list_entry(node, struct kept, link));
    }
    if (!list_is_empty(&share->leaving) && !lost) {
        share->turn = TURN_CLEAR; /* again when the journal's log has gone on */
        return;
    }
    share->clear = NULL;
    waiting_look(share->intents);
    clear->done(clear, lost ? -EIO : 0);
}

void share_replay(struct intent_log *log, struct intent_replay *replay)
{
    struct share *share = share_of(log);

    ASSERT(share->replay == NULL && list_is_empty(&share->waiting));
    share->replay = replay;
    share->replay_at = share->found.next;
    share->turn = TURN_REPLAY;
    share_turn_soon(share);
}

void share_replay_next(struct intent_log *log, struct intent_replay *replay)
{
    struct share *share = share_of(log);

    ASSERT(share->replay == replay);
    if (share->replay_inside) {
        share->replay_again = true;
    } else {
        share->turn = TURN_REPLAY;
        share_turn_soon(share);
    }
}

void share_clear(struct intent_log *log, struct intent_clear *clear)
{
    struct share *share = share_of(log);

    ASSERT(share->clear == NULL && share->turn == TURN_NONE);
    share->clear = clear;
    share->turn = TURN_CLEAR;
    share_turn_soon(share);
}
