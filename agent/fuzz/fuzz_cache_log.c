/*
 * A cache log as found: hostile bytes, once as they are and once with super-block and the
 * checksums of all headers made whole. What it takes over must be sound, go through a life of the
 * cache, and be found again.
 */
#include <stdalign.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "cache/cache.h"
#include "cache/log_format.h"

#define BLOCKS (LOG_RING_FIRST + LOG_RING_MIN)
#define SIZE_BYTES (BLOCKS * (size_t)LOG_BLOCK_BYTES)
#define HEADER_CRC 60u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE_BYTES 4096u
#define MEMORY_BYTES (SIZE_BYTES / 2)

/* Once for all inputs, and of it only what was written is made zeros again: fresh pages for each,
 * or all of them, would take longer than all the rest. */
static uint8_t device_bytes[SIZE_BYTES];
static size_t device_end; /* beyond it are zeros */
alignas(PAGE_BYTES) static uint8_t memory_bytes[MEMORY_BYTES];
static bool memory_written[MEMORY_BYTES / PAGE_BYTES];

static void device_wrote(uint64_t offset_bytes, uint64_t length_bytes)
{
    size_t end = (size_t)(offset_bytes + length_bytes);

    device_end = device_end > end ? device_end : end;
}

static void memory_wrote(uint64_t offset_bytes, uint64_t length_bytes)
{
    ASSERT(length_bytes > 0 && offset_bytes + length_bytes <= MEMORY_BYTES);
    for (uint64_t page = offset_bytes / PAGE_BYTES;
         page <= (offset_bytes + length_bytes - 1) / PAGE_BYTES; page++) {
        memory_written[page] = true;
    }
}

static void memory_clear(void)
{
    for (size_t page = 0; page < MEMORY_BYTES / PAGE_BYTES; page++) {
        if (memory_written[page]) {
            memset(memory_bytes + page * PAGE_BYTES, 0, PAGE_BYTES);
            memory_written[page] = false;
        }
    }
}

static void port_copy(struct memory_port *port, uint64_t offset_bytes, const void *bytes,
                      uint64_t length_bytes)
{
    memory_wrote(offset_bytes, length_bytes);
    memcpy(port->base + offset_bytes, bytes, length_bytes);
}

static void port_publish(struct memory_port *port, uint64_t offset_bytes, uint64_t value)
{
    memory_wrote(offset_bytes, sizeof(value));
    memcpy(port->base + offset_bytes, &value, sizeof(value));
}

static const struct memory_port_ops memory_ops = {.copy = port_copy, .publish = port_publish};
static const struct uuid owner = {{1}};

/* A device that answers, and a clock that fires, when they are asked to. */
struct device {
    struct log_port port;
    uint8_t *bytes;
    struct log_write *write;
    struct clock_port clock;
    struct clock_timer *timer;
};

static int device_read(struct log_port *port, uint64_t offset_bytes, void *bytes,
                       uint32_t length_bytes)
{
    const struct device *device = container_of(port, struct device, port);

    ASSERT(offset_bytes + length_bytes <= SIZE_BYTES);
    memcpy(bytes, device->bytes + offset_bytes, length_bytes);
    return 0;
}

static void device_write(struct log_port *port, struct log_write *write)
{
    struct device *device = container_of(port, struct device, port);

    ASSERT(device->write == NULL && write->offset_bytes + write->length_bytes <= SIZE_BYTES);
    device->write = write;
}

static uint64_t clock_now(struct clock_port *port)
{
    (void)port;
    return 1000000;
}

static void timer_arm(struct clock_port *port, struct clock_timer *timer, uint64_t deadline_us)
{
    struct device *device = container_of(port, struct device, clock);

    ASSERT(device->timer == NULL || device->timer == timer);
    timer->armed = true;
    timer->deadline_us = deadline_us;
    device->timer = timer;
}

static void timer_cancel(struct clock_port *port, struct clock_timer *timer)
{
    struct device *device = container_of(port, struct device, clock);

    timer->armed = false;
    device->timer = NULL;
}

static const struct log_port_ops device_ops = {.read = device_read, .write = device_write};
static const struct clock_port_ops clock_ops = {
    .now_us = clock_now, .wall_us = clock_now, .arm = timer_arm, .cancel = timer_cancel};

static void device_run(struct device *device)
{
    while (device->write != NULL || device->timer != NULL) {
        struct log_write *write = device->write;
        struct clock_timer *timer = device->timer;

        device->write = NULL;
        device->timer = NULL;
        if (timer != NULL) {
            timer->armed = false;
            timer->fire(timer);
        }
        if (write != NULL) {
            memcpy(device->bytes + write->offset_bytes, write->bytes, write->length_bytes);
            device_wrote(write->offset_bytes, write->length_bytes);
            write->complete(write, 0);
        }
    }
}

static void cache_live(struct device *device, struct cache *cache)
{
    static const uint8_t bytes[CACHE_BLOCK_BYTES];
    static struct cache_batch batch;
    struct cache_vd *vd = cache_vd_next(cache, NULL);
    struct guid guid = {{3}};

    cache_check(cache);
    guid = vd != NULL ? *cache_vd_guid(vd) : guid;
    vd = cache_vd_open(cache, &guid, 65536);
    ASSERT(vd != NULL);
    cache_vd_pin(vd, false);
    for (uint64_t block = 0; block < 8 && cache_may_write(vd, 1); block++) {
        if (!cache_write(vd, block, 0, sizeof(bytes), bytes, 0)) {
            break; /* no frame or no room: it came full */
        }
        device_run(device);
    }
    cache_vd_hurry(vd, true);
    while (cache_batch_take(cache, UINT64_MAX / 2, &batch)) {
        cache_batch_done(&batch, true, UINT64_MAX / 2);
    }
    cache_flush_begin(vd);
    cache_flush_end(vd, true);
    device_run(device);
    cache_check(cache);
    cache_vd_close(vd);
}

/* Twice: the second start finds what the first has left, and it must be sound. */
static void device_try(uint8_t *bytes)
{
    for (uint32_t start = 0; start < 2; start++) {
        struct device device = {.port = {.ops = &device_ops, .size_bytes = SIZE_BYTES},
                                .bytes = bytes,
                                .clock = {.ops = &clock_ops}};
        struct memory_port memory = {.ops = &memory_ops,
                                     .kind = MEMORY_KIND_SHARED,
                                     .size_bytes = journal_log_memory_bytes(SIZE_BYTES)};
        struct journal *journal = NULL;
        struct cache *cache = NULL;
        int error = 0;

        ASSERT(memory.size_bytes <= sizeof(memory_bytes));
        memory_clear();
        memory.base = memory_bytes;
        error = journal_open_log(&device.port, &memory, &device.clock, &owner, &owner, &journal);
        ASSERT(error == 0 || start == 0);
        if (error == 0 && cache_create(journal, NULL, &cache) == 0) {
            device_run(&device);
            cache_live(&device, cache);
            (void)cache_free(cache);
        } else if (error == 0) {
            device_run(&device);
            (void)journal_close(journal); /* more virtual drives than there may be: kept */
            error = -1;
        }
        if (error != 0) {
            return;
        }
    }
}

static void whole_make(uint8_t *bytes)
{
    struct log_super super = {.version = LOG_VERSION,
                              .uuid = owner,
                              .owner = owner,
                              .generation = 1,
                              .turn = 1,
                              .size_bytes = SIZE_BYTES,
                              .tail_number = 1};

    memset(bytes, 0, (size_t)LOG_RING_FIRST * LOG_BLOCK_BYTES);
    log_super_write(&super, bytes);
    for (size_t at = LOG_RING_FIRST * (size_t)LOG_BLOCK_BYTES; at < device_end;
         at += LOG_BLOCK_BYTES) {
        uint8_t *record = bytes + at;
        struct log_header header = {.publish_count = get_le32(record + 40) % 5,
                                    .release_count = get_le32(record + 44) % 16,
                                    .number = get_le64(record + 24) % 64};

        if (memcmp(record, "AWCLOGR1", 8) == 0) {
            uint8_t kept[LOG_BLOCK_BYTES];

            device_wrote(at, LOG_BLOCK_BYTES); /* the input may end in it */
            memcpy(kept, record, sizeof(kept));
            header.uuid = owner;
            log_header_write(&header, record);
            memcpy(record + 64, kept + 64, sizeof(kept) - 64);
            put_le32(record + HEADER_CRC,
                     crc32c(crc32c(0, record, HEADER_CRC), record + 64, sizeof(kept) - 64));
        }
    }
}

static void device_lay(const uint8_t *data, size_t size)
{
    memset(device_bytes, 0, device_end);
    memcpy(device_bytes, data, size);
    device_end = size;
}

/* The input is laid over the device, from its beginning; beyond it everything is zeros. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_BYTES) {
        return 0;
    }
    device_lay(data, size);
    device_try(device_bytes);
    device_lay(data, size);
    device_wrote(0, (uint64_t)LOG_RING_FIRST * LOG_BLOCK_BYTES);
    whole_make(device_bytes);
    device_try(device_bytes);
    return 0;
}
