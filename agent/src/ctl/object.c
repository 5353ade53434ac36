/*
 * The register of objects: keys, revisions, tombstones (ctl.h (2)).
 *
 * (1) A key is either listed or a tombstone, never both, on all controllers of the host.
 * (2) rev of every listed object and tombstone is at most host->rev, and no two are equal.
 * (3) A document may depend on any state, so after a kick or a command every document is built and
 *     compared. Only commands that name all they change (is_narrow in command.c) are spared that.
 *     Figures that change without a kick (counters, the use of the cache) get new revisions then.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_private.h"

struct ctl_object *object_find(const struct ctl *ctl, enum object_kind kind, const char *key)
{
    LIST_FOR_EACH (node, &ctl->objects) {
        struct ctl_object *object = list_entry(node, struct ctl_object, link);

        if (object->kind == kind && strcmp(object->key, key) == 0) {
            return object;
        }
    }
    return NULL;
}

bool object_is_listed(const struct ctl_object *object)
{
    return object->link.next != NULL && list_is_linked(&object->link);
}

static void tombstone_drop(struct ctl *ctl, uint32_t index)
{
    ASSERT(index < ctl->tombstone_count);
    ctl->tombstone_count--;
    memmove(&ctl->tombstones[index], &ctl->tombstones[index + 1],
            (ctl->tombstone_count - index) * sizeof(ctl->tombstones[0]));
}

static void tombstone_forget_key(struct ctl *ctl, enum object_kind kind, const char *key)
{
    for (uint32_t i = 0; i < ctl->tombstone_count; i++) {
        if (ctl->tombstones[i].kind == kind && strcmp(ctl->tombstones[i].key, key) == 0) {
            tombstone_drop(ctl, i);
            return;
        }
    }
}

void object_add(struct ctl *ctl, struct ctl_object *object, enum object_kind kind, const char *key,
                void *subject)
{
    ASSERT(!object_is_listed(object));
    ASSERT(object_find(ctl, kind, key) == NULL);
    *object = (struct ctl_object){.kind = kind, .subject = subject};
    (void)snprintf(object->key, sizeof(object->key), "%s", key); /* keys fit by definition */
    LIST_FOR_EACH (node, &ctl->host->ctls) { /* it moves from one controller to another */
        tombstone_forget_key(list_entry(node, struct ctl, host_link), kind, key);
    }
    tombstone_forget_key(ctl, kind, key);
    list_init(&object->link);
    list_push_tail(&ctl->objects, &object->link);
    ctl_kick(ctl);
}

/* Another controller has an object of this key (ctl_host.h (2)): readers get that one anew, as no
 * tombstone could say which of the two has gone. */
static bool other_shows(const struct ctl *ctl, const struct ctl_object *object)
{
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        struct ctl *other = list_entry(node, struct ctl, host_link);
        struct ctl_object *same =
            other != ctl ? object_find(other, object->kind, object->key) : NULL;

        if (same != NULL) {
            same->rev = ++ctl->host->rev;
            other->refresh_urgent = true;
            ctl_kick(other);
            return true;
        }
    }
    return false;
}

void object_remove(struct ctl *ctl, struct ctl_object *object)
{
    struct tombstone *tombstone = NULL;

    if (!object_is_listed(object)) {
        return;
    }
    list_remove(&object->link);
    ctl->refresh_urgent = true;
    ctl_kick(ctl);
    if (other_shows(ctl, object)) {
        return;
    }
    if (ctl->tombstone_count == TOMBSTONES_MAX) {
        ctl->tombstone_floor = ctl->tombstones[0].rev;
        tombstone_drop(ctl, 0);
    }
    tombstone = &ctl->tombstones[ctl->tombstone_count++];
    *tombstone = (struct tombstone){.kind = object->kind, .rev = ++ctl->host->rev};
    memcpy(tombstone->key, object->key, sizeof(tombstone->key));
}

static bool object_refresh(struct ctl *ctl, struct ctl_object *object)
{
    struct view_digest digest;

    view_build(ctl, object, ctl->view, &digest);
    if (object->rev != 0 && digest.document == object->document_digest &&
        digest.config == object->config_digest) {
        return false;
    }
    object->rev = ++ctl->host->rev;
    if (object->config_rev == 0 || digest.config != object->config_digest) {
        object->config_rev = object->rev;
        ctl->refresh_urgent = true;
    }
    object->document_digest = digest.document;
    object->config_digest = digest.config;
    return true;
}

static void refresh_tell(struct ctl *ctl, bool changed)
{
    bool urgent = ctl->refresh_urgent;

    ctl->refresh_urgent = false;
    if (changed && ctl->observer.changed != NULL) {
        ctl->observer.changed(ctl->observer.context, urgent);
    }
}

void ctl_refresh_named(struct ctl *ctl, const struct ctl_command *command)
{
    bool changed = false;

    for (uint32_t i = 0; i < command->object_count; i++) {
        struct ctl_object *object =
            object_find(ctl, command->objects[i].kind, command->objects[i].key);

        changed = (object != NULL && object_refresh(ctl, object)) || changed;
    }
    refresh_tell(ctl, changed);
}

void ctl_refresh(struct ctl *ctl)
{
    bool changed = ctl->refresh_urgent;

    if (!ctl->stale) {
        ASSERT(!ctl->refresh_urgent);
        return;
    }
    ctl->stale = false;
    if (!ctl_is_starting(ctl)) { /* else drives are still awaited */
        ctl_spares_look(ctl);
        ctl_aways_look(ctl);
    }
    ctl_findings_work(ctl);
    LIST_FOR_EACH (node, &ctl->objects) {
        changed = object_refresh(ctl, list_entry(node, struct ctl_object, link)) || changed;
    }
    refresh_tell(ctl, changed);
}

uint64_t ctl_rev(const struct ctl *ctl)
{
    return ctl->host->rev;
}

uint64_t ctl_tombstone_floor(const struct ctl *ctl)
{
    return ctl->tombstone_floor;
}

struct uuid ctl_state_epoch(const struct ctl *ctl)
{
    return ctl->epoch;
}

struct uuid ctl_uuid(const struct ctl *ctl)
{
    return ctl->record->controller;
}

void ctl_objects_since(const struct ctl *ctl, uint64_t since, const struct ctl_visitor *visitor)
{
    LIST_FOR_EACH (node, &ctl->objects) {
        const struct ctl_object *object = list_entry(node, struct ctl_object, link);
        struct object_head head = {
            .kind = object->kind, .rev = object->rev, .config_rev = object->config_rev};
        struct view_digest digest;

        if (object->rev <= since) {
            continue;
        }
        memcpy(head.key, object->key, sizeof(head.key));
        view_build(ctl, object, ctl->view, &digest);
        visitor->object(visitor->context, &head, ctl->view);
    }
    for (uint32_t i = 0; i < ctl->tombstone_count && visitor->tombstone != NULL; i++) {
        const struct tombstone *tombstone = &ctl->tombstones[i];
        struct object_head head = {.kind = tombstone->kind, .rev = tombstone->rev};

        if (tombstone->rev > since) {
            memcpy(head.key, tombstone->key, sizeof(head.key));
            visitor->tombstone(visitor->context, &head);
        }
    }
}
