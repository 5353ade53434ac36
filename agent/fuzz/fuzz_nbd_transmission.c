/*
 * A whole session over a drive in memory after a good handshake. The first two bytes choose
 * the reply style and how the rest is cut into pieces; the drive (ram_target) asserts that
 * every request keeps to the contract. At the end nothing may be held.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "export/nbd_session.h"
#include "ram_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DRIVE_BYTES (256u * 1024u)
#define STEPS_MAX 100000u

struct world {
    struct nbd_catalog catalog;
    struct nbd_buffers *buffers;
    struct ram_target ram;
    struct nbd_session *session;
};

static uint32_t target_count(struct nbd_catalog *catalog)
{
    (void)catalog;
    return 1;
}

static struct vd_target *target_at(struct nbd_catalog *catalog, uint32_t index)
{
    ASSERT(index == 0);
    return &container_of(catalog, struct world, catalog)->ram.target;
}

static const struct nbd_catalog_ops catalog_ops = {.count = target_count, .at = target_at};

static void kicked(void *owner)
{
    ASSERT(owner != NULL);
}

static void started(void *owner, struct vd_target *target)
{
    ASSERT(target == &((struct world *)owner)->ram.target);
}

/* Gives the session up to max bytes; returns how many it took. */
static size_t feed(struct nbd_session *session, const uint8_t *data, size_t size, size_t max)
{
    struct iovec vector[NBD_SESSION_RECEIVE_VECTOR];
    uint32_t count = nbd_session_receive_vector(session, vector);
    size_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        size_t part = vector[i].iov_len < max - total ? vector[i].iov_len : max - total;
        part = part < size - total ? part : size - total;
        memcpy(vector[i].iov_base, data + total, part);
        total += part;
    }
    if (total > 0) {
        nbd_session_received(session, total);
    }
    return total;
}

static size_t drain(struct nbd_session *session)
{
    struct iovec vector[NBD_SESSION_SEND_VECTOR];
    uint32_t count = nbd_session_send_vector(session, vector);
    size_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        total += vector[i].iov_len;
    }
    if (total > 0) {
        nbd_session_sent(session, total);
    }
    return total;
}

static void feed_all(struct world *world, const uint8_t *data, size_t size, size_t piece)
{
    size_t place = 0;

    for (uint32_t step = 0; step < STEPS_MAX; step++) {
        size_t moved = feed(world->session, data + place, size - place, piece);
        place += moved;
        moved += drain(world->session);
        moved += ram_target_run(&world->ram);
        if (moved == 0) {
            return;
        }
    }
}

/* One arena for all inputs: making it anew would take most of the time. */
static struct nbd_buffers *buffers_get(void)
{
    static struct nbd_buffers buffers;

    if (buffers.arena == NULL && nbd_buffers_init(&buffers, NBD_BUFFER_MAX_BYTES) != 0) {
        abort();
    }
    return &buffers;
}

/* One drive's memory for all inputs, for the same reason. Only what was written is cleared. */
static uint8_t drive_memory[DRIVE_BYTES];

static void drive_open(struct ram_target *ram, uint32_t block_bytes)
{
    ram_target_init(ram, "v0", DRIVE_BYTES, block_bytes, false);
    ram->bytes = drive_memory;
}

static void drive_close(struct ram_target *ram)
{
    if (ram->op_counts[VD_OP_WRITE] > 0) {
        memset(drive_memory, 0, sizeof drive_memory);
    }
    ram->bytes = NULL;
    ram_target_done(ram);
}

static void handshake(struct world *world, bool structured)
{
    static const uint8_t option_header[] = "IHAVEOPT";
    uint8_t said[4 + 16 + 16 + 2];
    size_t used = 4;

    put_be32(said, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    if (structured) {
        memcpy(said + used, option_header, 8);
        put_be32(said + used + 8, NBD_OPT_STRUCTURED_REPLY);
        put_be32(said + used + 12, 0);
        used += 16;
    }
    memcpy(said + used, option_header, 8);
    put_be32(said + used + 8, NBD_OPT_EXPORT_NAME);
    put_be32(said + used + 12, 2);
    memcpy(said + used + 16, "v0", 2);
    feed_all(world, said, used + 18, SIZE_MAX);
    ASSERT(nbd_session_target(world->session) == &world->ram.target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = {.catalog.ops = &catalog_ops, .buffers = buffers_get()};
    const struct nbd_session_options options = {
        .catalog = &world.catalog,
        .buffers = world.buffers,
        .buffer_max_bytes = NBD_PAYLOAD_MAX_BYTES,
        .kick = kicked,
        .started = started,
        .owner = &world,
    };

    if (size < 2) {
        return 0;
    }
    drive_open(&world.ram, (data[0] & 2) != 0 ? 512 : 4096);
    world.ram.target.read_only = (data[0] & 4) != 0;
    if (nbd_session_create(&options, &world.session) != 0) {
        abort();
    }
    handshake(&world, (data[0] & 1) != 0);
    feed_all(&world, data + 2, size - 2, 1u + data[1] * 16u);
    if ((data[0] & 8) != 0) {
        nbd_session_shut_down(world.session);
        feed_all(&world, data + 2, size - 2, SIZE_MAX);
    }
    if ((data[0] & 16) != 0) {
        nbd_session_abandon(world.session);
    }
    nbd_session_input_ended(world.session);
    feed_all(&world, data, 0, SIZE_MAX);
    ASSERT(nbd_session_is_finished(world.session));
    world.session = nbd_session_free(world.session);
    ASSERT(world.buffers->taken_bytes == 0);
    ASSERT(list_is_empty(&world.buffers->waiters));
    drive_close(&world.ram);
    return 0;
}
