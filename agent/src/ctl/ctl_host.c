/*
 * See ctl_host.h.
 */
#include "ctl/ctl_host.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_stripe.h"

#define PATH_BYTES 64u
#define EXPORT_NAME_REMEMBERED_US (UINT64_C(3600) * 1000000)

void ctl_host_init(struct ctl_host *host, uint64_t next_event_seq)
{
    ASSERT(next_event_seq > 0);
    *host = (struct ctl_host){.event_seq = next_event_seq, .operation_next = 1};
    list_init(&host->ctls);
    list_init(&host->stripes);
}

const struct ctl_host *ctl_host_of(const struct ctl *ctl)
{
    return ctl->host;
}

static struct ctl *first_of(const struct ctl_host *host)
{
    ASSERT(!list_is_empty(&host->ctls));
    return list_entry(host->ctls.next, struct ctl, host_link);
}

void ctl_host_monitor_set(struct ctl_host *host, bool silent)
{
    if (host->monitor_silent != silent) {
        host->monitor_silent = silent;
        ctl_kick(first_of(host)); /* which shows the host */
    }
}

void ctl_host_add(struct ctl_host *host, struct ctl *ctl)
{
    uint64_t rev = ctl->record->rev_reserved;
    uint64_t operation_next = ctl->record->operation_reserved + 1;

    LIST_FOR_EACH (node, &host->ctls) {
        ASSERT(list_entry(node, struct ctl, host_link)->options.index < ctl->options.index);
    }
    list_push_tail(&host->ctls, &ctl->host_link);
    host->rev = rev > host->rev ? rev : host->rev;
    host->operation_next =
        operation_next > host->operation_next ? operation_next : host->operation_next;
}

void ctl_host_remove(struct ctl *ctl)
{
    host_naming_end(ctl);
    list_remove(&ctl->host_link);
    if (list_is_empty(&ctl->host->ctls)) {
        stripes_free(ctl->host);
    }
}

void host_export_ended(const struct ctl *ctl, const char *name)
{
    struct ctl_host *host = ctl->host;
    struct ended_export *place = &host->ended[host->ended_next];

    ASSERT(name[0] != '\0' && strlen(name) <= VD_NAME_MAX);
    (void)snprintf(place->name, sizeof(place->name), "%s", name);
    place->until_us = clock_now_us(ctl->ports.clock) + EXPORT_NAME_REMEMBERED_US;
    host->ended_next = (host->ended_next + 1) % CTL_HOST_ENDED_EXPORTS;
}

struct name_search {
    const char *name;
    bool found;
};

static void undo_entry_compare(void *context, const struct undo_view *view)
{
    struct name_search *search = context;

    search->found = search->found || strcmp(view->name, search->name) == 0;
}

static void undo_drive_ignore(void *context UNUSED, const struct undo_drive_view *view UNUSED)
{
}

bool ctl_host_name_is_recent(const struct ctl_host *host, const char *name)
{
    uint64_t now_us = clock_now_us(first_of(host)->ports.clock);
    struct name_search search = {.name = name};
    const struct ctl_undo_visitor visitor = {
        .entry = undo_entry_compare, .drive = undo_drive_ignore, .context = &search};

    for (uint32_t i = 0; i < CTL_HOST_ENDED_EXPORTS; i++) {
        if (strcmp(host->ended[i].name, name) == 0 && host->ended[i].until_us > now_us) {
            return true;
        }
    }
    ctl_host_undo(host, NULL, &visitor);
    return search.found;
}

bool ctl_shows_host(const struct ctl *ctl)
{
    return first_of(ctl->host) == ctl;
}

bool ctl_host_is_online(const struct ctl_host *host)
{
    LIST_FOR_EACH (node, &host->ctls) {
        if (!ctl_is_online(list_entry(node, struct ctl, host_link))) {
            return false;
        }
    }
    return true;
}

uint64_t ctl_host_rev(const struct ctl_host *host)
{
    return host->rev;
}

uint64_t ctl_host_tombstone_floor(const struct ctl_host *host)
{
    uint64_t floor = 0;

    LIST_FOR_EACH (node, &host->ctls) {
        uint64_t other = ctl_tombstone_floor(list_entry(node, struct ctl, host_link));

        floor = other > floor ? other : floor;
    }
    return floor;
}

struct uuid ctl_host_state_epoch(const struct ctl_host *host)
{
    return ctl_state_epoch(first_of(host));
}

void ctl_host_objects_since(const struct ctl_host *host, uint64_t since,
                            const struct ctl_visitor *visitor)
{
    LIST_FOR_EACH (node, &host->ctls) {
        ctl_objects_since(list_entry(node, struct ctl, host_link), since, visitor);
    }
}

struct ctl_object *host_object_find(const struct ctl_host *host, enum object_kind kind,
                                    const char *key)
{
    LIST_FOR_EACH (node, &host->ctls) {
        struct ctl_object *object = object_find(list_entry(node, struct ctl, host_link), kind, key);

        if (object != NULL) {
            return object;
        }
    }
    return NULL;
}

void host_foreign_note(const struct ctl_host *host)
{
    LIST_FOR_EACH (node, &host->ctls) {
        struct ctl *ctl = list_entry(node, struct ctl, host_link);

        ctl->foreign_noted = true;
        if (ctl->foreign.count > 0) {
            ctl_kick(ctl);
        }
    }
}

bool host_drive_is_elsewhere(const struct ctl *ctl, const char *key)
{
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        const struct ctl *other = list_entry(node, struct ctl, host_link);
        const struct ctl_drive *cd = other != ctl ? drive_by_key(other, key) : NULL;

        if (cd != NULL && cd->present) {
            return true;
        }
    }
    return false;
}

bool host_naming_begin(struct ctl *ctl)
{
    if (ctl->host->naming == NULL) {
        ctl->host->naming = ctl;
    }
    return ctl->host->naming == ctl;
}

/* A command of the host works on several controllers. */
void host_naming_kick(struct ctl *ctl)
{
    if (ctl->host->naming != NULL && ctl->host->naming != ctl) {
        ctl_kick(ctl->host->naming);
    }
}

void host_naming_end(struct ctl *ctl)
{
    if (ctl->host->naming != ctl) {
        return;
    }
    ctl->host->naming = NULL;
    LIST_FOR_EACH (node, &ctl->host->ctls) {
        ctl_kick(list_entry(node, struct ctl, host_link)); /* who waits to give one */
    }
}

struct ctl *ctl_host_owner(const struct ctl_host *host, enum object_kind kind, const char *key)
{
    LIST_FOR_EACH (node, &host->ctls) {
        struct ctl *ctl = list_entry(node, struct ctl, host_link);

        if (object_find(ctl, kind, key) != NULL) {
            return ctl;
        }
    }
    LIST_FOR_EACH (node, &host->ctls) {
        struct ctl *ctl = list_entry(node, struct ctl, host_link);

        if (kind == OBJECT_KIND_DRIVE &&
            (ctl_misses_spare(ctl, key) || ctl_misses_drive(ctl, key))) {
            return ctl;
        }
    }
    return first_of(host);
}

/* Which object of a command decides who it is for. */
#define ADDRESSEE(kind_, member) {kind_, offsetof(struct ctl_command, args.member)}
static const struct {
    enum object_kind kind;
    size_t key_offset;
} addressees[CTL_OP_MAX] = {
    [CTL_OP_VD_CREATE] = ADDRESSEE(OBJECT_KIND_CONTROLLER, vd_create.controller),
    [CTL_OP_VD_DELETE] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, vd_delete.vd),
    [CTL_OP_VD_SET] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, vd_set.vd),
    [CTL_OP_CONTROLLER_SET] = ADDRESSEE(OBJECT_KIND_CONTROLLER, controller_set.controller),
    [CTL_OP_SPARE_ADD] = ADDRESSEE(OBJECT_KIND_DRIVE, spare_add.drive),
    [CTL_OP_SPARE_REMOVE] = ADDRESSEE(OBJECT_KIND_DRIVE, drive.drive),
    [CTL_OP_REBUILD] = ADDRESSEE(OBJECT_KIND_DRIVE, task.target),
    [CTL_OP_COPYBACK] = ADDRESSEE(OBJECT_KIND_DRIVE, copyback.drive),
    [CTL_OP_BGI] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, task.target),
    [CTL_OP_CONSISTENCY_CHECK] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, check.vd),
    [CTL_OP_PATROL_READ] = ADDRESSEE(OBJECT_KIND_CONTROLLER, task.target),
    [CTL_OP_DRIVE_REPLACE] = ADDRESSEE(OBJECT_KIND_DRIVE_GROUP, drive_replace.group),
    [CTL_OP_DRIVE_OFFLINE] = ADDRESSEE(OBJECT_KIND_DRIVE, drive.drive),
    [CTL_OP_DRIVE_ONLINE] = ADDRESSEE(OBJECT_KIND_DRIVE, drive.drive),
    [CTL_OP_DRIVE_MISSING] = ADDRESSEE(OBJECT_KIND_DRIVE, drive.drive),
    [CTL_OP_DRIVE_JBOD] = ADDRESSEE(OBJECT_KIND_DRIVE, drive.drive),
    [CTL_OP_DRIVE_GOOD] = ADDRESSEE(OBJECT_KIND_DRIVE, drive_good.drive),
    [CTL_OP_DRIVE_LOCATE] = ADDRESSEE(OBJECT_KIND_DRIVE, drive_locate.drive),
    [CTL_OP_DRIVE_ERASE] = ADDRESSEE(OBJECT_KIND_DRIVE, drive_erase.drive),
    [CTL_OP_DRIVE_SPINDOWN] = ADDRESSEE(OBJECT_KIND_DRIVE, drive.drive),
    [CTL_OP_DRIVE_SPINUP] = ADDRESSEE(OBJECT_KIND_DRIVE, drive.drive),
    [CTL_OP_FAULT_INJECT] = ADDRESSEE(OBJECT_KIND_DRIVE, fault_inject.drive),
    [CTL_OP_BATTERY_LEARN] = ADDRESSEE(OBJECT_KIND_BATTERY, battery.battery),
    [CTL_OP_BATTERY_SET] = ADDRESSEE(OBJECT_KIND_BATTERY, battery_set.battery),
    [CTL_OP_BATTERY_FAULT] = ADDRESSEE(OBJECT_KIND_BATTERY, battery_fault.battery),
    /* Its kind is in the command. */
    [CTL_OP_COUNTERS_RESET] = ADDRESSEE(OBJECT_KIND_MAX, counters_reset.key),
    [CTL_OP_CACHE_DISCARD] = ADDRESSEE(OBJECT_KIND_CONTROLLER, cache_discard.controller),
    [CTL_OP_CACHE_FLUSH] = ADDRESSEE(OBJECT_KIND_MAX, cache_flush.key),
    [CTL_OP_DOUBT_CLEAR] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, doubt_clear.vd),
    [CTL_OP_FOREIGN_IMPORT] = ADDRESSEE(OBJECT_KIND_CONTROLLER, foreign.controller),
    [CTL_OP_FOREIGN_CLEAR] = ADDRESSEE(OBJECT_KIND_CONTROLLER, foreign.controller),
    [CTL_OP_UNDO_RESTORE] = ADDRESSEE(OBJECT_KIND_CONTROLLER, undo_restore.controller),
    [CTL_OP_STRIPE_CREATE] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, stripe_create.vds[0]),
    /* For the host: nobody has an object of that key, so the first controller does it. */
    [CTL_OP_VD_EXPAND] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, vd_expand.vd),
    [CTL_OP_VD_INIT] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, vd_init.vd),
    [CTL_OP_VD_MEASURE] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, vd_measure.vd),
    [CTL_OP_STRIPE_DELETE] = ADDRESSEE(OBJECT_KIND_VIRTUAL_DRIVE, stripe_delete.stripe),
};

static const char *addressee_of(const struct ctl_command *command, enum object_kind *ret_kind)
{
    enum object_kind kind = OBJECT_KIND_MAX;

    ASSERT((unsigned)command->op < CTL_OP_MAX);
    ASSERT(addressees[command->op].key_offset != 0); /* an op without a row */
    kind = addressees[command->op].kind;
    if (kind == OBJECT_KIND_MAX) {
        kind = command->op == CTL_OP_CACHE_FLUSH ? command->args.cache_flush.kind
                                                 : command->args.counters_reset.kind;
    }
    *ret_kind = kind;
    return (const char *)command + addressees[command->op].key_offset;
}

static struct ctl *ctl_named(const struct ctl_host *host, const char *key)
{
    LIST_FOR_EACH (node, &host->ctls) {
        struct ctl *ctl = list_entry(node, struct ctl, host_link);

        if (strcmp(controller_key(ctl), key) == 0) {
            return ctl;
        }
    }
    return NULL;
}

struct ctl *ctl_host_addressed(const struct ctl_host *host, const struct ctl_command *command)
{
    enum object_kind kind = OBJECT_KIND_MAX;
    const char *key = addressee_of(command, &kind);
    struct ctl *named =
        command->controller[0] != '\0' ? ctl_named(host, command->controller) : NULL;

    return named != NULL ? named : ctl_host_owner(host, kind, key);
}

/* Of a drive that two controllers know, the one that it is connected to. */
static bool is_connected(const struct ctl_object *object)
{
    return object->kind == OBJECT_KIND_DRIVE &&
           ((const struct ctl_drive *)object->subject)->present;
}

static void object_path(const struct ctl *ctl, const struct ctl_object *object, char *out,
                        size_t capacity)
{
    if (object->kind == OBJECT_KIND_VIRTUAL_DRIVE) {
        vd_path(object->subject, out, capacity);
    } else if (object->kind == OBJECT_KIND_DRIVE_GROUP) {
        group_path(object->subject, out, capacity);
    } else if (object->kind == OBJECT_KIND_DRIVE) {
        drive_path(object->subject, out, capacity);
    } else {
        (void)snprintf(out, capacity, "/%s", controller_key(ctl));
    }
}

bool host_key_is_clear(const struct ctl_host *host, enum object_kind kind, const char *key,
                       struct reason *ret_reason)
{
    const struct ctl_object *first = NULL;
    char paths[2][PATH_BYTES] = {"", ""};

    LIST_FOR_EACH (node, &host->ctls) {
        const struct ctl *ctl = list_entry(node, struct ctl, host_link);
        const struct ctl_object *object = object_find(ctl, kind, key);

        if (object != NULL && is_connected(object)) {
            return true;
        }
        if (object != NULL && paths[1][0] == '\0') {
            object_path(ctl, object, paths[first != NULL], sizeof(paths[0]));
            first = first != NULL ? first : object;
        }
    }
    if (paths[1][0] == '\0') {
        return true;
    }
    reason_set(ret_reason, REASON_AMBIGUOUS_OBJECT, "first", paths[0], "other", paths[1], NULL);
    return false;
}

static struct ctl *connected_ctl(const struct ctl_host *host, const char *key)
{
    LIST_FOR_EACH (node, &host->ctls) {
        struct ctl *ctl = list_entry(node, struct ctl, host_link);
        const struct ctl_object *object = object_find(ctl, OBJECT_KIND_DRIVE, key);

        if (object != NULL && is_connected(object)) {
            return ctl;
        }
    }
    return NULL;
}

bool ctl_host_address(const struct ctl_host *host, struct ctl_command *command,
                      struct reason *ret_reason)
{
    enum object_kind kind = OBJECT_KIND_MAX;
    const char *key = addressee_of(command, &kind);
    struct ctl *ctl = NULL;

    if (command->controller[0] != '\0' && ctl_named(host, command->controller) == NULL) {
        reason_set(ret_reason, REASON_UNKNOWN_OBJECT, "kind", "controller", "key",
                   command->controller, NULL);
        return false;
    }
    if (kind == OBJECT_KIND_CONTROLLER || command->op == CTL_OP_STRIPE_CREATE ||
        command->op == CTL_OP_STRIPE_DELETE) { /* the arguments say all, over all controllers */
        command->controller[0] = '\0';
        return true;
    }
    if (command->controller[0] != '\0') {
        return true;
    }
    if (!host_key_is_clear(host, kind, key, ret_reason)) {
        return false;
    }
    ctl = kind == OBJECT_KIND_DRIVE ? connected_ctl(host, key) : NULL;
    ctl = ctl != NULL ? ctl : ctl_host_owner(host, kind, key);
    (void)snprintf(command->controller, sizeof(command->controller), "%s", controller_key(ctl));
    return true;
}

void ctl_host_undo(const struct ctl_host *host, const char *key,
                   const struct ctl_undo_visitor *visitor)
{
    LIST_FOR_EACH (node, &host->ctls) {
        const struct ctl *ctl = list_entry(node, struct ctl, host_link);

        if (key == NULL || strcmp(controller_key(ctl), key) == 0) {
            ctl_undo_visit(ctl, visitor);
        }
    }
}

void ctl_host_foreign(const struct ctl_host *host, const char *key,
                      const struct ctl_foreign_visitor *visitor)
{
    LIST_FOR_EACH (node, &host->ctls) {
        const struct ctl *ctl = list_entry(node, struct ctl, host_link);

        if (key == NULL || strcmp(controller_key(ctl), key) == 0) {
            ctl_foreign(ctl, visitor);
        }
    }
}
