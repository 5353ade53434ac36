/*
 * The controller's write-back cache: its medium, the virtual drives behind it, what it keeps for
 * those that are away, and the command that throws that away.
 *
 * (1) A virtual drive is behind the cache from the start of its group to the close of its export;
 *     the export is closed first, the cache second, the group stops last.
 * (2) What is preserved goes to its drives when they come back, or is discarded by command; a
 *     deleted virtual drive wants nothing of it any more.
 * (3) What is preserved is told once; and once when it was written or discarded.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_cache_loss.h"
#include "ctl/ctl_journal.h"
#include "ctl/ctl_private.h"
#include "ctl/sim_bug.h"

#define SAMPLE_US UINT64_C(60000000)
#define LOOK_US UINT64_C(5000000)

/* The medium */

/* From now on nothing is acknowledged that is not on the drives. */
void cache_gone_reason(const struct ctl *ctl, struct reason *ret_reason)
{
    reason_set(ret_reason, REASON_CACHE_MEDIUM_GONE, "medium", ctl->cache_medium, "error",
               "it cannot be written", NULL);
}

static void medium_gone(struct ctl *ctl)
{
    struct reason reason;
    char why[REASON_TEXT_MAX];

    ctl->cache_medium_is_gone = true;
    cache_gone_reason(ctl, &reason);
    (void)reason_text(&reason, why, sizeof(why)); /* may cut */
    ctl_event(ctl, EVENT_CACHE_MEDIUM_REFUSED, controller_key(ctl), "medium", ctl->cache_medium,
              "why", why, NULL);
    ctl_event(ctl, EVENT_CACHE_STATE_CHANGED, controller_key(ctl), "old",
              cache_state_word(CACHE_STATE_READY), "new", cache_state_word(CACHE_STATE_FAILED),
              "why", why, NULL);
    ctl_write_medium(ctl, WRITE_MEDIUM_NONE, 0);
}

static void journal_heard(struct journal_listener *listener)
{
    struct ctl *ctl = listener->owner;

    if (journal_is_lost(cache_journal(ctl->cache)) && !ctl->cache_medium_is_gone) {
        medium_gone(ctl);
    }
    if (ctl->life == CTL_LIFE_STOPPING) {
        ctl_kick(ctl);
    }
}

bool ctl_cache_is_quiet(const struct ctl *ctl)
{
    return ctl->cache == NULL || journal_is_quiet(cache_journal(ctl->cache));
}

/* The journal is the controller's from now on. */
static int cache_make(struct ctl *ctl, struct journal *journal, const char *medium,
                      uint64_t began_us)
{
    bool persistent = journal_is_stable(journal);
    struct cache_facts facts;
    int error = cache_create(journal, NULL, &ctl->cache);

    if (error != 0) {
        (void)journal_close(journal);
        return error;
    }
    error = cache_mover_create(ctl->cache, ctl->ports.clock, NULL, &ctl->mover);
    if (error == 0) {
        error = intents_create(ctl->cache, ctl->ports.clock, &ctl->intents);
    }
    if (error != 0) {
        ctl_cache_free(ctl);
        return error;
    }
    ctl->cache_listener.heard = journal_heard;
    ctl->cache_listener.owner = ctl;
    journal_listen(journal, &ctl->cache_listener);
    (void)snprintf(ctl->cache_medium, sizeof(ctl->cache_medium), "%s", medium); /* may cut */
    ctl_write_medium(ctl, persistent ? WRITE_MEDIUM_PERSISTENT : WRITE_MEDIUM_SHARED_MEMORY, 0);
    cache_facts(ctl->cache, &facts);
    ctl->cache_found_bytes = facts.dirty_bytes;
    ctl->cache_recovery_ms = (uint32_t)((clock_now_us(ctl->ports.clock) - began_us) / 1000);
    return 0;
}

int ctl_cache_open(struct ctl *ctl, struct memory_port *memory, const struct uuid *owner,
                   const char *medium)
{
    uint64_t began_us = clock_now_us(ctl->ports.clock);
    struct uuid fresh = uuid_make(&ctl->rng);
    struct journal *journal = NULL;
    int error = 0;

    ASSERT(ctl->cache == NULL && ctl->life == CTL_LIFE_NEW);
    error =
        journal_open(memory, owner != NULL ? owner : &ctl->record->controller, &fresh, &journal);
    return error != 0 ? error : cache_make(ctl, journal, medium, began_us);
}

int ctl_cache_open_log(struct ctl *ctl, struct log_port *port, struct memory_port *memory,
                       const struct uuid *owner, const char *medium)
{
    uint64_t began_us = clock_now_us(ctl->ports.clock);
    struct uuid fresh = uuid_make(&ctl->rng);
    struct journal *journal = NULL;
    int error = 0;

    ASSERT(ctl->cache == NULL && ctl->life == CTL_LIFE_NEW);
    error = journal_open_log(port, memory, ctl->ports.clock,
                             owner != NULL ? owner : &ctl->record->controller, &fresh, &journal);
    return error != 0 ? error : cache_make(ctl, journal, medium, began_us);
}

void ctl_cache_free(struct ctl *ctl)
{
    ctl->intents = intents_free(ctl->intents);
    ctl->mover = cache_mover_free(ctl->mover);
    ctl->cache = cache_free(ctl->cache);
}

/* Write intents */

void cg_intents_open(struct ctl_group *cg)
{
    const struct group_config *config = cg_config(cg);
    struct ctl *ctl = cg->ctl;

    ASSERT(cg->intent_log == NULL);
    if (ctl->intents == NULL || config->vd_count == 0 ||
        intents_open(ctl->intents, &config->guid, geometry_row_width(&config->vds[0].geometry),
                     &cg->intent_log) != 0) {
        cg->intent_log = NULL; /* too small for so wide a group: it works without, and says so */
    }
}

void cg_intents_close(struct ctl_group *cg)
{
    if (cg->intent_log != NULL) {
        intents_close(cg->intent_log);
        cg->intent_log = NULL;
    }
}

void ctl_intents_forget(struct ctl *ctl, const struct guid *guid)
{
    if (ctl->intents != NULL) {
        intents_forget(ctl->intents, guid);
    }
}

/* Events */

static struct ctl_vd *cv_by_guid(const struct ctl *ctl, const struct guid *guid)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_vd *cv = vd_by_guid(list_entry(node, struct ctl_group, link), guid);

        if (cv != NULL) {
            return cv;
        }
    }
    return NULL;
}

/* Why the cache keeps what it has of this virtual drive. False: it does not keep it. */
static bool preserved_reason(const struct ctl *ctl, const struct cache_vd *blocks,
                             struct reason *ret_reason)
{
    const struct ctl_vd *cv = cv_by_guid(ctl, cache_vd_guid(blocks));

    if (cache_vd_dirty_bytes(blocks) == 0 || !cache_vd_is_pinned(blocks)) {
        return false;
    }
    if (cv == NULL) {
        reason_set(ret_reason, REASON_CACHE_PRESERVED_UNKNOWN, NULL);
    } else if (cv->cached != NULL && !cache_vd_is_open(blocks)) {
        reason_set(ret_reason, REASON_CACHE_PRESERVED_CHANGED, NULL);
    } else if (cv_state(cv) != VIRTUAL_DRIVE_STATE_OFFLINE) { /* no drive is missing */
        reason_set(ret_reason, REASON_CACHE_PRESERVED_REFUSED, NULL);
    } else {
        reason_set(ret_reason, REASON_CACHE_PRESERVED_MEMBERS, NULL);
    }
    return true;
}

static struct cache_kept *kept_find(struct ctl *ctl, const struct guid *guid)
{
    for (uint32_t i = 0; i < ctl->kept_count; i++) {
        if (guid_equal(&ctl->kept[i].guid, guid)) {
            return &ctl->kept[i];
        }
    }
    return NULL;
}

static void kept_forget(struct ctl *ctl, const struct guid *guid)
{
    struct cache_kept *kept = kept_find(ctl, guid);

    if (kept != NULL) {
        *kept = ctl->kept[--ctl->kept_count];
    }
}

/* (3) What was told to be preserved has reached its drives. */
static void kept_written_tell(struct ctl *ctl)
{
    for (uint32_t i = 0; i < ctl->kept_count;) {
        const struct cache_kept *kept = &ctl->kept[i];
        const struct cache_vd *blocks = cache_vd_find(ctl->cache, &kept->guid);
        char bytes[24];

        if (blocks != NULL && cache_vd_dirty_bytes(blocks) > 0) { /* else it may be closed again */
            i++;
            continue;
        }
        (void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)kept->bytes);
        ctl_event(ctl, EVENT_CACHE_PRESERVED_WRITTEN, controller_key(ctl), "name", kept->name,
                  "bytes", bytes, NULL);
        ctl->kept[i] = ctl->kept[--ctl->kept_count];
    }
}

static void event_preserved(struct ctl *ctl, const struct cache_vd *blocks)
{
    const struct ctl_vd *cv = cv_by_guid(ctl, cache_vd_guid(blocks));
    struct reason reason;
    char guid[GUID_TEXT_BYTES];
    char bytes[24];
    char why[REASON_TEXT_MAX];

    if (!preserved_reason(ctl, blocks, &reason) || kept_find(ctl, cache_vd_guid(blocks)) != NULL ||
        ctl->kept_count == CACHE_PRESERVED_MAX) {
        return; /* (3) */
    }
    guid_format(cache_vd_guid(blocks), guid);
    (void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)cache_vd_dirty_bytes(blocks));
    (void)reason_text(&reason, why, sizeof(why)); /* may cut */
    ctl_event(ctl, EVENT_CACHE_PRESERVED, controller_key(ctl), "name",
              cv != NULL ? cv_config(cv)->name : guid, "bytes", bytes, "why", why, NULL);
    struct cache_kept *kept = &ctl->kept[ctl->kept_count++];
    *kept =
        (struct cache_kept){.guid = *cache_vd_guid(blocks), .bytes = cache_vd_dirty_bytes(blocks)};
    (void)snprintf(kept->name, sizeof(kept->name), "%s", cv != NULL ? cv_config(cv)->name : guid);
}

/* All groups that could start have started: what is still kept waits for longer. */
void ctl_cache_started(struct ctl *ctl)
{
    char bytes[24];
    char milliseconds[16];

    if (ctl->cache == NULL) {
        return;
    }
    if (!battery_is_fitted(ctl) && !journal_is_stable(cache_journal(ctl->cache))) {
        ctl_event(ctl, EVENT_BATTERY_ABSENT, controller_key(ctl), NULL);
    }
    if (ctl->cache_found_bytes > 0) {
        (void)snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)ctl->cache_found_bytes);
        (void)snprintf(milliseconds, sizeof(milliseconds), "%u", ctl->cache_recovery_ms);
        ctl_event(ctl, EVENT_CACHE_RECOVERED, controller_key(ctl), "bytes", bytes, "milliseconds",
                  milliseconds, NULL);
    }
    for (struct cache_vd *blocks = cache_vd_next(ctl->cache, NULL); blocks != NULL;
         blocks = cache_vd_next(ctl->cache, blocks)) {
        event_preserved(ctl, blocks);
    }
}

/* Virtual drives */

void cv_cache_decide(const struct ctl_vd *cv, enum write_policy requested,
                     struct write_policy_decision *decision)
{
    if (cv->cg->ctl->cache_medium_is_gone && requested != WRITE_POLICY_WRITE_THROUGH) {
        reason_set(&decision->reason, REASON_WRITE_POLICY_CACHE_STATE, "state",
                   cache_state_word(CACHE_STATE_FAILED), NULL);
        return;
    }
    if (decision->effective != WRITE_POLICY_WRITE_THROUGH && cv->cache_refused) {
        *decision = (struct write_policy_decision){.effective = WRITE_POLICY_WRITE_THROUGH};
        reason_set(&decision->reason, REASON_CACHE_NO_PLACE, NULL);
    } else if (decision->effective != WRITE_POLICY_WRITE_THROUGH && cv->cached != NULL &&
               vd_cached_is_pinned(cv->cached)) {
        *decision = (struct write_policy_decision){.effective = WRITE_POLICY_WRITE_THROUGH};
        reason_set(&decision->reason, REASON_WRITE_POLICY_CACHE_PINNED, NULL);
    }
}

void cv_cache_update(struct ctl_vd *cv)
{
    struct write_policy_decision decision;

    if (cv->cached == NULL || cv->cache_closing) {
        return;
    }
    vd_cached_update(cv->cached);
    ctl_vd_write_policy(cv, &decision);
    if (decision.effective != vd_cached_policy(cv->cached)) {
        vd_cached_policy_set(cv->cached, decision.effective);
    }
    vd_cached_stable_set(cv->cached, decision.stable);
}

void cv_cache_open(struct ctl_vd *cv)
{
    struct ctl *ctl = cv->cg->ctl;
    enum cache_found found = CACHE_FOUND_NOTHING;

    ASSERT(cv->vd != NULL);
    if (cv->cached != NULL) {
        return;
    }
    if (ctl->mover == NULL) {
        if (vd_cache_is_missed(cv->vd)) {
            cv_cache_loss_tell(cv);
        }
        return;
    }
    /* No place for it: it works without, and says so. */
    cv->cache_refused = vd_cached_open(ctl->mover, cv->vd, &cv->cached, &found) != 0;
    if (found == CACHE_FOUND_LOST) {
        cv_cache_loss_tell(cv);
    }
    cv->cache_loss_told = cv_config(cv)->cache_lost;
    cv_cache_update(cv);
}

static void cv_cache_closed(void *context)
{
    struct ctl_vd *cv = context;
    struct ctl *ctl = cv->cg->ctl;
    struct cache_vd *blocks = cache_vd_find(ctl->cache, &cv->guid);

    cv->cached = NULL;
    cv->cache_closing = false;
    if (blocks != NULL) {
        event_preserved(ctl, blocks);
    }
    ctl_kick(ctl);
}

bool cv_cache_close(struct ctl_vd *cv)
{
    if (cv->cached != NULL && !cv->cache_closing) {
        cv->cache_closing = true;
        vd_cached_close(cv->cached, cv_cache_closed, cv);
    }
    return cv->cached != NULL;
}

void ctl_cache_forget(struct ctl *ctl, const struct guid *guid)
{
    struct cache_vd *blocks = ctl->cache != NULL ? cache_vd_find(ctl->cache, guid) : NULL;

    kept_forget(ctl, guid);
    if (blocks != NULL && !cache_vd_is_open(blocks)) {
        cache_vd_discard(blocks);
    }
}

/* Figures of the last minute or two, looked at now and then. */
void ctl_cache_work(struct ctl *ctl)
{
    uint64_t now_us = clock_now_us(ctl->ports.clock);
    struct cache_sample *newest = &ctl->cache_samples[1];
    struct cache_facts facts;

    if (ctl->cache == NULL || ctl->life != CTL_LIFE_ONLINE) {
        return;
    }
    ctl_kick_at(ctl, now_us + LOOK_US);
    journal_look_lost(cache_journal(ctl->cache));
    cache_facts(ctl->cache, &facts);
    ctl->destage_bytes_per_s = CTL_BUG(RATE_KEPT)
                                   ? max_u64(ctl->destage_bytes_per_s, facts.destage_bytes_per_s)
                                   : facts.destage_bytes_per_s;
    cache_mover_dirty_limit_set(ctl->mover, ctl_dirty_limit_bytes(ctl));
    kept_written_tell(ctl);
    ctl_journal_note(ctl);
    if (ctl->cache_samples[0].at_us == 0) {
        ctl_journal_stamp(ctl); /* soon after the start, then once a minute */
    }
    if (newest->at_us != 0 && now_us - newest->at_us < SAMPLE_US) {
        return;
    }
    ctl->cache_samples[0] = *newest;
    ctl_journal_stamp(ctl);
    *newest = (struct cache_sample){.at_us = now_us,
                                    .hits = facts.read_hits,
                                    .misses = facts.read_misses,
                                    .destaged_bytes = facts.destaged_bytes};
}

/* The view */

static void preserved_view(const struct ctl *ctl, struct cache_view *view)
{
    for (struct cache_vd *blocks = cache_vd_next(ctl->cache, NULL);
         blocks != NULL && view->preserved_count < CACHE_PRESERVED_MAX;
         blocks = cache_vd_next(ctl->cache, blocks)) {
        struct preserved_view *entry = &view->preserved[view->preserved_count];
        const struct ctl_vd *cv = cv_by_guid(ctl, cache_vd_guid(blocks));

        if (preserved_reason(ctl, blocks, &entry->reason)) {
            guid_format(cache_vd_guid(blocks), entry->vd);
            (void)snprintf(entry->name, sizeof(entry->name), "%s",
                           cv != NULL ? cv_config(cv)->name : "");
            entry->bytes = cache_vd_dirty_bytes(blocks);
            view->preserved_count++;
        }
    }
}

bool cache_preserved_names(const struct ctl *ctl, struct name_list *names,
                           struct reason *ret_reason)
{
    struct cache_vd *blocks = ctl->cache != NULL ? cache_vd_next(ctl->cache, NULL) : NULL;
    struct reason reason;

    for (; blocks != NULL; blocks = cache_vd_next(ctl->cache, blocks)) {
        const struct ctl_vd *cv = cv_by_guid(ctl, cache_vd_guid(blocks));

        if (preserved_reason(ctl, blocks, &reason)) {
            *ret_reason = names->count == 0 ? reason : *ret_reason;
            name_list_add(names, cv != NULL ? cv_config(cv)->name : "an unknown virtual drive");
        }
    }
    return names->count > 0;
}

uint64_t ctl_dirty_bytes(const struct ctl *ctl)
{
    struct cache_facts facts = {.dirty_bytes = 0};

    if (ctl->cache != NULL) {
        cache_facts(ctl->cache, &facts);
    }
    return facts.dirty_bytes;
}

void view_cache(const struct ctl *ctl, struct cache_view *view)
{
    const struct cache_sample *since =
        &ctl->cache_samples[ctl->cache_samples[0].at_us != 0 ? 0 : 1];
    uint64_t now_us = clock_now_us(ctl->ports.clock);
    uint64_t hits = 0;
    uint64_t reads = 0;

    if (ctl->cache == NULL) {
        return;
    }
    view->present = true;
    view->medium = journal_medium(cache_journal(ctl->cache));
    view->state = ctl->cache_medium_is_gone        ? CACHE_STATE_FAILED
                  : ctl->life == CTL_LIFE_STOPPING ? CACHE_STATE_DRAINING
                                                   : CACHE_STATE_READY;
    if (ctl->cache_medium_is_gone) {
        cache_gone_reason(ctl, &view->state_reason);
    }
    view->stable = ctl_cache_is_stable(ctl);
    view->survives_power_loss =
        view->stable && (journal_is_stable(cache_journal(ctl->cache)) ||
                         ctl->options.battery.kind == BATTERY_KIND_EMULATED);
    view->limited_by_ups = ctl_dirty_limit_is_ups(ctl);
    cache_facts(ctl->cache, &view->facts);
    hits = view->facts.read_hits - since->hits;
    reads = hits + view->facts.read_misses - since->misses;
    view->has_hit_percent = reads > 0;
    view->hit_percent = reads > 0 ? (uint32_t)(hits * 100 / reads) : 0;
    if (now_us > since->at_us && since->at_us != 0) {
        view->destage_bytes_per_s = (view->facts.destaged_bytes - since->destaged_bytes) * 1000000 /
                                    (now_us - since->at_us);
    }
    preserved_view(ctl, view);
}

/* cache_discard */

/* Only what cannot go to its drives is thrown away. */
static int preserved_drop(struct ctl_vd *cv, struct cache_vd *blocks)
{
    if (cv != NULL && cv->cached != NULL) {
        return vd_cached_discard(cv->cached);
    }
    ASSERT(!cache_vd_is_open(blocks));
    if (cv != NULL) {
        return cache_vd_discard_noted(blocks) ? 0 : -EBUSY; /* it is told when it comes back */
    }
    cache_vd_discard(blocks);
    return 0;
}

static void discard_run(struct ctl *ctl, struct ctl_command *command, struct ctl_vd *cv,
                        struct cache_vd *blocks)
{
    struct reason reason;
    char bytes[24];
    const char *name = cv != NULL ? cv_config(cv)->name : command->args.cache_discard.vd;

    if (blocks != NULL && preserved_reason(ctl, blocks, &reason)) {
        struct guid guid = *cache_vd_guid(blocks); /* it may go with its blocks */

        (void)snprintf(bytes, sizeof(bytes), "%llu",
                       (unsigned long long)cache_vd_dirty_bytes(blocks));
        if (preserved_drop(cv, blocks) != 0) {
            ASSERT(cv != NULL);
            (void)rule_vd_busy(cv, "writing its cache to its drives", &reason);
            command_finish(ctl, &reason);
            return;
        }
        kept_forget(ctl, &guid);
        ctl_event(ctl, EVENT_CACHE_DISCARDED, controller_key(ctl), "name", name, "bytes", bytes,
                  NULL);
    } else if (cv != NULL && cv->vd != NULL && cv_config(cv)->cache_lost) {
        vd_cache_lost_forget(cv->vd); /* that is known now */
        if (ctl->cache != NULL) {
            cache_damaged_forget(ctl->cache);
        }
    } else if (blocks != NULL && !cache_vd_is_open(blocks) && cache_vd_damaged(blocks) > 0) {
        cache_vd_discard(blocks); /* nothing but damage waits for it */
    } else {
        reason_set(&reason, REASON_CACHE_NO_PRESERVED, "virtual_drive", name, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (cv != NULL && cv->vd != NULL) {
        cv_cache_update(cv);
        command_object_add(command, &cv->object);
    }
    command_object_add(command, &ctl->controller);
    command_done(ctl);
}

/* Nothing is kept: what is ended is only what is said of writes that were lost before. */
static bool is_only_mark(const struct ctl *ctl, const struct ctl_vd *cv,
                         const struct cache_vd *blocks)
{
    struct reason reason;

    return cv != NULL && cv_config(cv)->cache_lost &&
           (blocks == NULL || !preserved_reason(ctl, blocks, &reason));
}

void command_cache_discard(struct ctl *ctl, struct ctl_command *command)
{
    const char *key = command->args.cache_discard.vd;
    struct ctl_vd *cv = vd_by_key(ctl, key);
    struct cache_vd *blocks = NULL;
    struct guid guid;
    struct reason reason;

    if (strcmp(command->args.cache_discard.controller, controller_key(ctl)) != 0) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "controller", "key",
                   command->args.cache_discard.controller, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (ctl->cache != NULL && guid_parse(key, &guid) == 0) {
        blocks = cache_vd_find(ctl->cache, &guid);
    }
    if (cv == NULL && blocks == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key", key, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!is_only_mark(ctl, cv, blocks) &&
        !rule_confirmed(command->confirm, cv != NULL ? cv_config(cv)->name : key, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    discard_run(ctl, command, cv, blocks);
}
