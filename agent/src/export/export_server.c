/*
 * The targets on offer and the end of the server; see export_server.h.
 */
#include "export/export_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "export/export_private.h"

#define CONNECTION_MAX_DEFAULT 256u
#define MEMORY_DEFAULT_BYTES (64u * 1024u * 1024u)
#define HANDSHAKE_TIMEOUT_DEFAULT_MS 30000u
#define LINGER_TIMEOUT_DEFAULT_MS 10000u
#define HOG_TIMEOUT_DEFAULT_MS 10000u
#define HOLD_TIMEOUT_DEFAULT_MS 60000u

STATIC_ASSERT(EXPORT_TARGET_MAX <= NBD_TARGET_COUNT_MAX, "a list of all targets fits a reply");

/* ---- the catalogue: what a client may choose ---- */

static uint32_t catalog_count(struct nbd_catalog *catalog)
{
    struct export_server *server = container_of(catalog, struct export_server, catalog);
    uint32_t count = 0;

    LIST_FOR_EACH (node, &server->entries) {
        count += list_entry(node, struct export_entry, link)->removing ? 0 : 1;
    }
    return count;
}

static struct vd_target *catalog_at(struct nbd_catalog *catalog, uint32_t index)
{
    struct export_server *server = container_of(catalog, struct export_server, catalog);

    LIST_FOR_EACH (node, &server->entries) {
        struct export_entry *entry = list_entry(node, struct export_entry, link);
        if (!entry->removing && index-- == 0) {
            return entry->target;
        }
    }
    UNREACHABLE();
}

static bool catalog_is_complete(struct nbd_catalog *catalog)
{
    const struct export_server *server = container_of(catalog, struct export_server, catalog);

    return server->outlook.is_complete == NULL ||
           server->outlook.is_complete(server->outlook.owner);
}

static enum nbd_absence catalog_absence(struct nbd_catalog *catalog, const char *name,
                                        uint32_t name_bytes, const char **ret_why)
{
    const struct export_server *server = container_of(catalog, struct export_server, catalog);
    char text[sizeof(((struct vd_target *)NULL)->name)];

    if (server->outlook.absence == NULL || name_bytes >= sizeof(text)) {
        return NBD_ABSENCE_UNKNOWN;
    }
    memcpy(text, name, name_bytes);
    text[name_bytes] = '\0';
    return server->outlook.absence(server->outlook.owner, text, ret_why);
}

static const struct nbd_catalog_ops catalog_ops = {.count = catalog_count,
                                                   .at = catalog_at,
                                                   .is_complete = catalog_is_complete,
                                                   .absence = catalog_absence};

void export_server_outlook_set(struct export_server *server, const struct export_prospects *outlook)
{
    ASSERT(outlook->is_complete != NULL && outlook->absence != NULL);
    server->outlook = *outlook;
}

static void look_run(struct loop_task *task)
{
    struct export_server *server = task->owner;

    nbd_connection_look_all(&server->handshakes);
}

/* From the loop, because whoever says so may be in the middle of what has changed. */
void export_server_outlook_changed(struct export_server *server)
{
    loop_post(server->loop, &server->look_task);
}

/* ---- clients beyond the limit ---- */

static void refused_tell(struct export_server *server)
{
    uint64_t count = server->refused_count;

    ASSERT(count > 0);
    server->refused_count = 0;
    server->refused_told_us = clock_now_us(loop_clock(server->loop));
    if (server->options.refused != NULL) {
        server->options.refused(server->options.refused_owner, count);
    }
}

static void refused_fire(struct clock_timer *timer)
{
    refused_tell(timer->owner);
}

void export_refused_note(struct export_server *server)
{
    struct clock_port *clock = loop_clock(server->loop);
    uint64_t next_us = server->refused_told_us + EXPORT_REFUSED_TELL_US;

    server->refused_count++;
    if (server->refused_told_us == 0 || clock_now_us(clock) >= next_us) {
        clock_cancel(clock, &server->refused_timer);
        refused_tell(server);
    } else if (!server->refused_timer.armed) {
        clock_arm(clock, &server->refused_timer, next_us);
    }
}

/* ---- the server ---- */

static void removed_run(struct loop_task *task);
static void closed_run(struct loop_task *task);

void export_memory_is_short(struct export_server *server)
{
    struct clock_port *clock = loop_clock(server->loop);

    if (!server->hog_timer.armed) {
        clock_arm(clock, &server->hog_timer,
                  clock_now_us(clock) + server->options.hog_timeout_ms * 1000u);
    }
}

static void hogs_fire(struct clock_timer *timer)
{
    struct export_server *server = timer->owner;
    uint64_t limit_us = server->options.hog_timeout_ms * 1000u;
    uint64_t now_us = clock_now_us(loop_clock(server->loop));

    if (list_is_empty(&server->buffers->waiters)) {
        return;
    }
    LIST_FOR_EACH (node, &server->entries) {
        nbd_connection_kill_hogs(&list_entry(node, struct export_entry, link)->connections,
                                 now_us - min_u64(limit_us, now_us));
    }
    export_memory_is_short(server);
}

int export_server_create(struct loop *loop, const struct export_options *options,
                         struct export_server **ret_server)
{
    struct export_server *server = calloc(1, sizeof *server);
    struct export_options *own;

    if (server == NULL) {
        return -ENOMEM;
    }
    own = &server->options;
    if (options != NULL) {
        *own = *options;
    }
    own->connection_max = own->connection_max ? own->connection_max : CONNECTION_MAX_DEFAULT;
    own->memory_bytes = own->memory_bytes ? own->memory_bytes : MEMORY_DEFAULT_BYTES;
    own->buffer_max_bytes = max_u64(own->buffer_max_bytes, NBD_PAYLOAD_MAX_BYTES);
    if (own->handshake_timeout_ms == 0) {
        own->handshake_timeout_ms = HANDSHAKE_TIMEOUT_DEFAULT_MS;
    }
    if (own->linger_timeout_ms == 0) {
        own->linger_timeout_ms = LINGER_TIMEOUT_DEFAULT_MS;
    }
    if (own->hog_timeout_ms == 0) {
        own->hog_timeout_ms = HOG_TIMEOUT_DEFAULT_MS;
    }
    if (own->hold_timeout_ms == 0) {
        own->hold_timeout_ms = HOLD_TIMEOUT_DEFAULT_MS;
    }
    if (nbd_buffers_create(own->memory_bytes, &server->buffers) != 0) {
        free(server);
        return -ENOMEM;
    }
    server->catalog.ops = &catalog_ops;
    server->loop = loop;
    server->hog_timer.fire = hogs_fire;
    server->hog_timer.owner = server;
    list_init(&server->hog_timer.port_link);
    server->refused_timer.fire = refused_fire;
    server->refused_timer.owner = server;
    list_init(&server->refused_timer.port_link);
    list_init(&server->entries);
    list_init(&server->handshakes);
    loop_task_init(&server->closed_task, closed_run, server);
    loop_task_init(&server->look_task, look_run, server);
    *ret_server = server;
    return 0;
}

struct export_server *export_server_free(struct export_server *server)
{
    if (server == NULL) {
        return NULL;
    }
    ASSERT(server->connection_count == 0);
    ASSERT(list_is_empty(&server->entries));
    listeners_close(server);
    loop_unpost(&server->closed_task);
    loop_unpost(&server->look_task);
    clock_cancel(loop_clock(server->loop), &server->hog_timer);
    clock_cancel(loop_clock(server->loop), &server->refused_timer);
    server->buffers = nbd_buffers_retire(server->buffers);
    server->tls = nbd_tls_context_close(server->tls);
    free(server);
    return NULL;
}

int export_server_use_tls(struct export_server *server, const char *certificate, const char *key,
                          const char *client_ca, char text[EXPORT_TEXT_BYTES])
{
    ASSERT(server->tls == NULL);
    return nbd_tls_context_open(certificate, key, client_ca, &server->tls, text, EXPORT_TEXT_BYTES);
}

/* ---- targets ---- */

static bool text_is_good(const char *text, size_t capacity, bool may_be_empty)
{
    size_t length = strnlen(text, capacity);

    return length < capacity && (length > 0 || may_be_empty);
}

static bool target_is_good(const struct vd_target *target)
{
    bool blocks_good = (target->block_bytes == 512 || target->block_bytes == 4096) &&
                       is_power_of_two(target->preferred_block_bytes) &&
                       target->preferred_block_bytes >= target->block_bytes &&
                       target->preferred_block_bytes <= NBD_PAYLOAD_MAX_BYTES;

    return blocks_good && target->size_bytes <= INT64_MAX &&
           is_aligned_u64(target->size_bytes, target->block_bytes) &&
           text_is_good(target->name, sizeof target->name, false) &&
           text_is_good(target->description, sizeof target->description, true);
}

struct export_entry *export_entry_find(const struct export_server *server,
                                       const struct vd_target *target)
{
    LIST_FOR_EACH (node, &server->entries) {
        struct export_entry *entry = list_entry(node, struct export_entry, link);
        if (entry->target == target) {
            return entry;
        }
    }
    return NULL;
}

/* A name stays taken while its old holder is being removed. */
static bool name_is_taken(const struct export_server *server, const char *name)
{
    LIST_FOR_EACH (node, &server->entries) {
        if (strcmp(list_entry(node, struct export_entry, link)->target->name, name) == 0) {
            return true;
        }
    }
    return false;
}

int export_server_add_target(struct export_server *server, struct vd_target *target)
{
    struct export_entry *entry;

    ASSERT(!server->closing);
    if (!target_is_good(target)) {
        return -EINVAL;
    }
    if (name_is_taken(server, target->name)) {
        return -EEXIST;
    }
    if (server->entry_count >= EXPORT_TARGET_MAX) {
        return -ENOSPC;
    }
    entry = calloc(1, sizeof *entry);
    if (entry == NULL) {
        return -ENOMEM;
    }
    entry->server = server;
    entry->target = target;
    list_init(&entry->link);
    list_init(&entry->connections);
    loop_task_init(&entry->removed_task, removed_run, entry);
    list_push_tail(&server->entries, &entry->link);
    server->entry_count++;
    export_server_outlook_changed(server);
    return 0;
}

static void check_closed(struct export_server *server)
{
    if (server->closing && server->connection_count == 0 && list_is_empty(&server->entries)) {
        loop_post(server->loop, &server->closed_task);
    }
}

static void closed_run(struct loop_task *task)
{
    struct export_server *server = task->owner;

    ASSERT(server->closing);
    server->closed(server->closed_owner);
}

static void removed_run(struct loop_task *task)
{
    struct export_entry *entry = task->owner;
    struct export_server *server = entry->server;
    struct vd_target *target = entry->target;

    ASSERT(entry->removing);
    ASSERT(entry->connection_count == 0);
    list_remove(&entry->link);
    server->entry_count--;
    check_closed(server);
    if (entry->removed != NULL) {
        entry->removed(entry->removed_owner, target);
    }
    free(entry);
}

static void check_removed(struct export_entry *entry)
{
    if (entry->removing && entry->connection_count == 0) {
        loop_post(entry->server->loop, &entry->removed_task);
    }
}

static void entry_remove(struct export_entry *entry)
{
    entry->removing = true;
    nbd_connection_shut_down_all(&entry->connections);
    check_removed(entry);
}

void export_server_remove_target(struct export_server *server, struct vd_target *target,
                                 void (*done)(void *owner, struct vd_target *target), void *owner)
{
    struct export_entry *entry = export_entry_find(server, target);

    ASSERT(entry != NULL);
    ASSERT(entry->removed == NULL);
    entry->removed = done;
    entry->removed_owner = owner;
    if (!entry->removing) {
        entry_remove(entry);
    }
}

void export_connection_gone(struct export_server *server, struct export_entry *entry, bool refused)
{
    ASSERT(server->connection_count > 0);
    server->connection_count--;
    if (refused) {
        ASSERT(server->refusal_count > 0 && entry == NULL);
        server->refusal_count--;
    }
    if (entry != NULL) {
        ASSERT(entry->connection_count > 0);
        entry->connection_count--;
        check_removed(entry);
    }
    check_closed(server);
}

uint32_t export_server_connections(const struct export_server *server,
                                   const struct vd_target *target)
{
    const struct export_entry *entry = export_entry_find(server, target);

    return entry == NULL ? 0 : entry->connection_count;
}

uint32_t export_server_connection_count(const struct export_server *server)
{
    return server->connection_count;
}

void export_server_leave(struct export_server *server)
{
    ASSERT(!server->closing);
    server->leaving = true;
    listeners_close(server);
    nbd_connection_kill_all(&server->handshakes);
    LIST_FOR_EACH (node, &server->entries) {
        nbd_connection_leave_all(&list_entry(node, struct export_entry, link)->connections);
    }
}

void export_server_close(struct export_server *server, void (*done)(void *owner), void *owner)
{
    ASSERT(!server->closing);
    ASSERT(done != NULL);
    server->closing = true;
    server->closed = done;
    server->closed_owner = owner;
    listeners_close(server);
    nbd_connection_kill_all(&server->handshakes);
    LIST_FOR_EACH (node, &server->entries) {
        struct export_entry *entry = list_entry(node, struct export_entry, link);
        if (!entry->removing) {
            entry_remove(entry);
        }
    }
    check_closed(server);
}
