/*
 * Stripes over virtual drives of any of the host's controllers (vd/host_stripe.h): found in the
 * records of their members, put together when all of those are there, taken apart when one goes.
 *
 *   not put together --all members are ready--> exported --a member is taken back--> closing
 *          ^----------- nothing is under way any more -----------closed <-----------------'
 *
 * (1) What a stripe is stands in its members' records and nowhere else. It is put together only of
 *     members that agree, one for each position; anything else is incomplete, and never exported.
 * (2) A virtual drive whose record names a stripe is not exported by itself.
 * (3) cv->stripe is set exactly while a stripe works with it: that has gone before the cache of
 *     the member is closed or its group stops (ctl_vd_unexport).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_stripe.h"

#define DRAIN_LOOK_US UINT64_C(10000)

bool cv_is_striped(const struct ctl_vd *cv)
{
    return !uuid_is_zero(&cv_config(cv)->stripe.uuid);
}

struct vd_target *cv_target(const struct ctl_vd *cv)
{
    ASSERT(cv->vd != NULL);
    return cv->cached != NULL ? vd_cached_target(cv->cached) : vd_target(cv->vd);
}

/* What the records say */

static bool stripes_agree(const struct vd_stripe *a, const struct vd_stripe *b)
{
    return strcmp(a->name, b->name) == 0 && a->count == b->count &&
           a->strip_bytes == b->strip_bytes && a->member_bytes == b->member_bytes;
}

static void found_add(struct stripe_found *found, struct ctl_vd *cv, bool *agree)
{
    const struct vd_stripe *config = &cv_config(cv)->stripe;

    found->known++;
    if (found->config == NULL) {
        found->config = config;
    }
    ASSERT(config->position < STRIPE_MEMBERS_MAX); /* the record was checked */
    *agree = *agree && stripes_agree(found->config, config);
    if (found->members[config->position] != NULL) {
        *agree = false;
        return;
    }
    found->members[config->position] = cv;
    found->found++;
}

void stripe_find(const struct ctl_host *host, const struct uuid *uuid,
                 struct stripe_found *ret_found)
{
    bool agree = true;

    ASSERT(!uuid_is_zero(uuid));
    *ret_found = (struct stripe_found){.config = NULL};
    HOST_FOR_EACH_VD (cv, host) {
        if (uuid_equal(&cv_config(cv)->stripe.uuid, uuid)) {
            found_add(ret_found, cv, &agree);
        }
    }
    ret_found->whole =
        agree && ret_found->config != NULL && ret_found->found == ret_found->config->count;
}

/* It is as good as the worst of its members. */
enum host_stripe_state stripe_state_of(const struct stripe_found *found)
{
    enum host_stripe_state state = HOST_STRIPE_STATE_OPTIMAL;

    if (!found->whole) {
        return HOST_STRIPE_STATE_INCOMPLETE;
    }
    for (uint32_t i = 0; i < found->found; i++) {
        enum virtual_drive_state member = cv_state(found->members[i]);

        if (member == VIRTUAL_DRIVE_STATE_STARTING) {
            return HOST_STRIPE_STATE_STARTING;
        }
        if (member == VIRTUAL_DRIVE_STATE_OFFLINE) {
            return HOST_STRIPE_STATE_OFFLINE;
        }
        if (member != VIRTUAL_DRIVE_STATE_OPTIMAL) {
            state = HOST_STRIPE_STATE_DEGRADED;
        }
    }
    return state;
}

/* Together and apart */

static struct ctl_stripe *stripe_by_uuid(const struct ctl_host *host, const struct uuid *uuid)
{
    LIST_FOR_EACH (node, &host->stripes) {
        struct ctl_stripe *stripe = list_entry(node, struct ctl_stripe, link);

        if (uuid_equal(&stripe->uuid, uuid)) {
            return stripe;
        }
    }
    return NULL;
}

struct ctl_stripe *stripe_by_key(const struct ctl_host *host, const char *key)
{
    LIST_FOR_EACH (node, &host->stripes) {
        struct ctl_stripe *stripe = list_entry(node, struct ctl_stripe, link);

        if (strcmp(stripe->key, key) == 0) {
            return stripe;
        }
    }
    return NULL;
}

static void stripe_new(struct ctl_host *host, const struct uuid *uuid)
{
    struct ctl_stripe *stripe = calloc(1, sizeof(*stripe));

    ASSERT(stripe != NULL);
    stripe->uuid = *uuid;
    uuid_format(uuid, stripe->key);
    stripe->seen_state = HOST_STRIPE_STATE_OPTIMAL;
    list_init(&stripe->link);
    list_push_tail(&host->stripes, &stripe->link);
}

static void stripe_forget(struct ctl_stripe *stripe)
{
    ASSERT(stripe->work == NULL);
    list_remove(&stripe->link);
    free(stripe);
}

static bool members_are_ready(const struct stripe_found *found)
{
    if (!found->whole) {
        return false;
    }
    for (uint32_t i = 0; i < found->found; i++) {
        if (!found->members[i]->stripe_ready) {
            return false;
        }
    }
    return true;
}

static void stripe_open(struct ctl_stripe *stripe, const struct stripe_found *found)
{
    struct ctl *ctl = found->members[0]->cg->ctl;
    struct host_stripe_options options = {.name = found->config->name,
                                          .strip_bytes = found->config->strip_bytes,
                                          .member_count = found->found,
                                          .member_bytes = found->config->member_bytes};

    for (uint32_t i = 0; i < found->found; i++) {
        ASSERT(found->members[i]->stripe == NULL && found->members[i]->target == NULL);
        options.members[i] = cv_target(found->members[i]);
    }
    if (host_stripe_create(&options, ctl->ports.clock, &stripe->work) != 0) {
        stripe->work = NULL; /* no memory: it is tried again when something has changed */
        return;
    }
    stripe->exporter = ctl;
    stripe->member_count = found->found;
    for (uint32_t i = 0; i < found->found; i++) {
        stripe->members[i] = found->members[i];
        found->members[i]->stripe = stripe;
        ctl_kick(found->members[i]->cg->ctl);
    }
    ctl->observer.export_open(ctl->observer.context, host_stripe_target(stripe->work), stripe->key);
}

void stripe_close(struct ctl_stripe *stripe)
{
    const struct ctl_observer *observer = &stripe->exporter->observer;

    ASSERT(stripe->work != NULL);
    if (!stripe->closing) {
        stripe->closing = true;
        observer->export_close(observer->context, host_stripe_target(stripe->work), stripe->key);
    }
}

static void stripe_take_apart(struct ctl_stripe *stripe)
{
    ASSERT(stripe->closing && stripe->closed);
    stripe->work = host_stripe_free(stripe->work);
    stripe->closing = false;
    stripe->closed = false;
    stripe->exporter = NULL;
    for (uint32_t i = 0; i < stripe->member_count; i++) {
        ASSERT(stripe->members[i]->stripe == stripe);
        stripe->members[i]->stripe = NULL;
        ctl_kick(stripe->members[i]->cg->ctl);
    }
    stripe->member_count = 0;
}

/* Clients that went first may have left requests behind. */
static void stripe_drain(struct ctl_stripe *stripe)
{
    struct ctl *ctl = stripe->exporter;

    if (host_stripe_is_idle(stripe->work)) {
        stripe_take_apart(stripe);
        return;
    }
    ctl_kick_at(ctl, clock_now_us(ctl->ports.clock) + DRAIN_LOOK_US);
}

void stripe_export_closed(struct ctl_host *host, const struct vd_target *target)
{
    LIST_FOR_EACH (node, &host->stripes) {
        struct ctl_stripe *stripe = list_entry(node, struct ctl_stripe, link);

        if (stripe->work != NULL && host_stripe_target(stripe->work) == target) {
            stripe->closed = true;
            stripe_drain(stripe);
            return;
        }
    }
}

void stripes_free(struct ctl_host *host)
{
    LIST_FOR_EACH_SAFE (node, following, &host->stripes) {
        stripe_forget(list_entry(node, struct ctl_stripe, link));
    }
}

/* Work */

static void stripes_note(struct ctl_host *host)
{
    HOST_FOR_EACH_VD (cv, host) {
        if (cv_is_striped(cv) && stripe_by_uuid(host, &cv_config(cv)->stripe.uuid) == NULL) {
            stripe_new(host, &cv_config(cv)->stripe.uuid);
        }
    }
}

static struct ctl_vd *any_member(const struct stripe_found *found)
{
    for (uint32_t i = 0; i < STRIPE_MEMBERS_MAX; i++) {
        if (found->members[i] != NULL) {
            return found->members[i];
        }
    }
    UNREACHABLE();
}

/* Every member's document shows the state, so all controllers refresh theirs. */
static void stripe_tell(struct ctl *ctl, struct ctl_stripe *stripe,
                        const struct stripe_found *found)
{
    enum host_stripe_state state = stripe_state_of(found);
    enum host_stripe_state old = stripe->seen_state;

    if (state == old && stripe->seen_found == found->found) {
        return;
    }
    stripe->seen_state = state;
    stripe->seen_found = found->found;
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        ctl_kick(list_entry(node, struct ctl, host_link));
    }
    if (state != old) {
        ctl_event(ctl, EVENT_STRIPE_STATE_CHANGED, any_member(found)->object.key, "stripe",
                  found->config->name, "old", host_stripe_state_word(old), "new",
                  host_stripe_state_word(state), NULL);
    }
}

void ctl_stripes_work(struct ctl *ctl)
{
    struct ctl_host *host = ctl->host;

    LIST_FOR_EACH (node, &host->stripes) {
        struct ctl_stripe *stripe = list_entry(node, struct ctl_stripe, link);

        if (stripe->closed) {
            stripe_drain(stripe);
        }
    }
    if (host->stripes_held) {
        return;
    }
    stripes_note(host);
    LIST_FOR_EACH_SAFE (node, following, &host->stripes) {
        struct ctl_stripe *stripe = list_entry(node, struct ctl_stripe, link);
        struct stripe_found found;

        stripe_find(host, &stripe->uuid, &found);
        if (found.known == 0 && stripe->work == NULL) {
            stripe_forget(stripe);
            continue;
        }
        if (stripe->work == NULL && members_are_ready(&found)) {
            stripe_open(stripe, &found);
        }
        if (found.known > 0 && ctl_host_is_online(host)) {
            stripe_tell(ctl, stripe, &found);
        }
    }
}

/* The document */

void view_stripe(const struct ctl_vd *cv, struct stripe_view *view, struct view_digest *digest)
{
    const struct ctl_host *host = cv->cg->ctl->host;
    const struct vd_stripe *config = &cv_config(cv)->stripe;
    const struct ctl_stripe *stripe = cv->stripe;
    struct stripe_found found;

    digest_number(digest, true, cv_is_striped(cv));
    if (!cv_is_striped(cv)) {
        return;
    }
    stripe_find(host, &config->uuid, &found);
    view->config = config;
    uuid_format(&config->uuid, view->key);
    view->state = stripe_state_of(&found);
    view->found = found.found;
    view->size_bytes = config->member_bytes * config->count;
    if (stripe != NULL && !stripe->closing) {
        view_exports(stripe->exporter, host_stripe_target(stripe->work), stripe->key,
                     &view->exports);
    }
    digest_text(digest, true, view->key);
    digest_text(digest, true, config->name);
    digest_number(digest, true, (uint64_t)view->state);
    digest_number(digest, true, view->found);
    digest_number(digest, true, config->position);
    digest_exports(digest, &view->exports);
}

/* Rules */

bool rule_stripe_free(const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct vd_config *config = cv_config(cv);

    if (!cv_is_striped(cv)) {
        return true;
    }
    reason_set(ret_reason, REASON_STRIPE_MEMBER, "name", config->name, "stripe",
               config->stripe.name, NULL);
    return false;
}

/* The last one that is known of a stripe, and that cannot be taken out of it because its drives
 * are awaited, may go as it is. */
bool rule_stripe_delete_vd(const struct ctl_vd *cv, struct reason *ret_reason)
{
    struct stripe_found found;

    if (rule_stripe_free(cv, ret_reason)) {
        return true;
    }
    stripe_find(cv->cg->ctl->host, &cv_config(cv)->stripe.uuid, &found);
    return found.known == 1 && cv->cg->phase != CTL_GROUP_RUNNING;
}
