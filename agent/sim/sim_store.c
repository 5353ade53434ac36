/*
 * The simulated store (sim_store.h).
 */
#include "sim_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

struct sim_record {
    struct list link;
    char name[STORE_NAME_MAX + 1];
    size_t value_bytes;
    uint8_t value[];
};

struct sim_put {
    struct sim_event event;
    struct list link;
    struct sim_store *store;
    struct store_request *request;
    bool applied;
};

static struct sim_record *record_find(const struct sim_store *store, const char *name)
{
    LIST_FOR_EACH (node, &store->records) {
        struct sim_record *record = list_entry(node, struct sim_record, link);

        if (strcmp(record->name, name) == 0) {
            return record;
        }
    }
    return NULL;
}

static void record_add(struct sim_store *store, const char *name, const void *value,
                       size_t value_bytes)
{
    struct sim_record *record = malloc(sizeof(*record) + value_bytes);

    ASSERT(record != NULL);
    memcpy(record->name, name, sizeof(record->name));
    record->value_bytes = value_bytes;
    memcpy(record->value, value, value_bytes);
    list_init(&record->link);
    list_push_tail(&store->records, &record->link);
}

static void record_replace(struct sim_store *store, const struct store_request *request)
{
    struct sim_record *record = record_find(store, request->name);

    if (record != NULL) {
        list_remove(&record->link);
        free(record);
    }
    if (request->value != NULL) {
        record_add(store, request->name, request->value, request->value_bytes);
    }
}

static void put_done(struct sim_event *event)
{
    struct sim_put *put = container_of(event, struct sim_put, event);
    struct sim_store *store = put->store;
    struct sim_world *world = store->world;
    struct store_request *request = put->request;
    bool fails = store->fail_name == NULL || strcmp(store->fail_name, request->name) == 0;
    int error = fails ? store->fail_with : 0;

    ASSERT(list_first(&store->puts) == &put->link);
    list_remove(&put->link);
    if (!world->powered) {
        error = -EIO;
    } else if (error == 0 || store->fails_done) {
        record_replace(store, request);
    }
    free(put);
    store->port.last_error = error;
    sim_world_boundary(world);
    request->complete(request, error);
    sim_world_boundary(world);
}

static void store_put_op(struct store_port *port, struct store_request *request)
{
    struct sim_store *store = container_of(port, struct sim_store, port);
    struct sim_put *put = calloc(1, sizeof(*put));
    uint64_t delay_us = 20 + rng_below(&store->world->rng, store->latency_max_us);

    ASSERT(put != NULL);
    ASSERT(request->complete != NULL);
    ASSERT(request->value_bytes <= STORE_VALUE_MAX_BYTES);
    ASSERT(request->name[0] != '\0');
    put->event.fire = put_done;
    put->store = store;
    put->request = request;
    list_init(&put->link);
    list_push_tail(&store->puts, &put->link);
    store->put_count++;
    if (store->world->now_us + delay_us < store->last_done_us) {
        delay_us = store->last_done_us - store->world->now_us;
    }
    store->last_done_us = store->world->now_us + delay_us;
    sim_event_post(store->world, &put->event, delay_us);
    sim_world_boundary(store->world);
}

static int store_get_op(struct store_port *port, const char *name, void *value, size_t capacity,
                        size_t *ret_bytes)
{
    struct sim_store *store = container_of(port, struct sim_store, port);
    const struct sim_record *record = record_find(store, name);

    if (record == NULL) {
        return -ENOENT;
    }
    if (store->get_fails_with != 0 &&
        strncmp(name, store->get_fail_name, strlen(store->get_fail_name)) == 0) {
        return store->get_fails_with;
    }
    if (record->value_bytes > capacity) {
        return -EMSGSIZE;
    }
    memcpy(value, record->value, record->value_bytes);
    *ret_bytes = record->value_bytes;
    return 0;
}

static const struct store_port_ops store_ops = {.put = store_put_op, .get = store_get_op};

struct sim_store *sim_store_create(struct sim_world *world)
{
    struct sim_store *store = calloc(1, sizeof(*store));

    ASSERT(store != NULL);
    store->port.ops = &store_ops;
    store->world = world;
    store->latency_max_us = 300;
    list_init(&store->records);
    list_init(&store->puts);
    list_init(&store->world_link);
    list_push_tail(&world->stores, &store->world_link);
    return store;
}

uint64_t sim_store_hash(const struct sim_store *store)
{
    uint64_t sum = 0;

    LIST_FOR_EACH (node, &store->records) {
        const struct sim_record *record = list_entry(node, struct sim_record, link);
        uint64_t hash = UINT64_C(0xcbf29ce484222325);

        for (const char *at = record->name; *at != '\0'; at++) {
            hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001b3);
        }
        for (size_t i = 0; i < record->value_bytes; i++) {
            hash = (hash ^ record->value[i]) * UINT64_C(0x100000001b3);
        }
        sum += hash;
    }
    return sum;
}

void sim_store_each(const struct sim_store *store, const char *name,
                    void (*visit)(void *context, const void *value, size_t value_bytes),
                    void *context)
{
    const struct sim_record *record = record_find(store, name);

    if (record != NULL) {
        visit(context, record->value, record->value_bytes);
    }
    LIST_FOR_EACH (node, &store->puts) {
        const struct store_request *request = list_entry(node, struct sim_put, link)->request;

        if (request->value != NULL && strcmp(request->name, name) == 0) {
            visit(context, request->value, request->value_bytes);
        }
    }
}

void sim_store_forget(struct sim_store *store)
{
    LIST_FOR_EACH_SAFE (node, following, &store->records) {
        list_remove(node);
        free(list_entry(node, struct sim_record, link));
    }
}

void sim_store_destroy(struct sim_store *store)
{
    if (store == NULL) {
        return;
    }
    ASSERT(list_is_empty(&store->puts));
    sim_store_forget(store);
    list_remove(&store->world_link);
    free(store);
}

struct store_port *sim_store_port(struct sim_store *store)
{
    return &store->port;
}

/* The puts under way are done in order up to a random one; the others are lost. */
static void puts_survive(const struct sim_store *from, struct sim_store *to)
{
    LIST_FOR_EACH (node, &from->puts) {
        if (rng_below(&to->world->rng, 2) == 0) {
            return;
        }
        record_replace(to, list_entry(node, struct sim_put, link)->request);
    }
}

void sim_store_cut(struct sim_store *store)
{
    puts_survive(store, store);
}

struct sim_store *sim_store_fork(const struct sim_store *store, struct sim_world *world)
{
    struct sim_store *fork = sim_store_create(world);

    fork->latency_max_us = store->latency_max_us;
    fork->fail_with = store->fail_with;
    fork->fail_name = store->fail_name;
    fork->fails_done = store->fails_done;
    LIST_FOR_EACH (node, &store->records) {
        const struct sim_record *record = list_entry(node, struct sim_record, link);

        record_add(fork, record->name, record->value, record->value_bytes);
    }
    puts_survive(store, fork);
    return fork;
}
