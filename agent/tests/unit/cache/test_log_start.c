/*
 * The start of the journal's log on logs made by hand, which no crash leaves: what lies at the
 * wrong place, was written by others, overlaps, or cannot be read. Refused, nothing is changed;
 * or left out, because it was never acknowledged.
 */
#include "aw_test.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/crc.h"
#include "cache/cache.h"
#include "cache/journal_log_private.h"
#include "cache/log_format.h"
#include "scarce_memory.h"
#include "sim_world.h"

#define SMALL (LOG_RING_FIRST + LOG_RING_MIN) /* blocks */
#define LARGE 3000u

static const struct uuid owner = {{1}};
static const struct uuid fresh = {{2}};
static const struct uuid own = {{3}};
static const struct guid vd_guid = {{7}};
static const struct memory_port_ops plain_ops = {.copy = NULL};

/* A device in memory; its reads may fail, its writes are answered by the next event. */
struct device {
    struct log_port port;
    uint8_t *bytes;
    uint32_t reads, writes;
    uint32_t read_that_fails; /* counted from 1; 0: none */
    bool forgets;             /* what is written, which nobody will read */
    struct log_write *write;
    struct sim_world *world;
    struct sim_event answer;
    struct memory_port memory;
    struct log_geometry geometry;
};

static int device_read(struct log_port *port, uint64_t offset_bytes, void *bytes,
                       uint32_t length_bytes)
{
    struct device *device = container_of(port, struct device, port);

    assert_true(offset_bytes + length_bytes <= port->size_bytes);
    if (++device->reads == device->read_that_fails) {
        return -EIO;
    }
    memcpy(bytes, device->bytes + offset_bytes, length_bytes);
    return 0;
}

static void device_answer(struct sim_event *event)
{
    struct device *device = container_of(event, struct device, answer);
    struct log_write *write = device->write;

    if (!device->forgets) {
        memcpy(device->bytes + write->offset_bytes, write->bytes, write->length_bytes);
    }
    device->write = NULL;
    write->complete(write, 0);
}

static void device_write(struct log_port *port, struct log_write *write)
{
    struct device *device = container_of(port, struct device, port);

    assert_null(device->write);
    device->write = write;
    device->writes++;
    device->answer.fire = device_answer;
    sim_event_post(device->world, &device->answer, 10);
}

static const struct log_port_ops device_ops = {.read = device_read, .write = device_write};

static void device_make(struct device *device, uint32_t blocks)
{
    memset(device, 0, sizeof(*device));
    device->world = sim_world_create(1);
    device->port = (struct log_port){.ops = &device_ops, .size_bytes = (uint64_t)blocks * 4096};
    device->bytes = calloc(blocks, 4096);
    assert_non_null(device->bytes);
    assert_true(log_geometry_make(device->port.size_bytes, &device->geometry));
    device->memory =
        (struct memory_port){.ops = &plain_ops,
                             .kind = MEMORY_KIND_SHARED,
                             .size_bytes = journal_log_memory_bytes(device->port.size_bytes)};
    device->memory.base = aligned_alloc(4096, device->memory.size_bytes);
    assert_non_null(device->memory.base);
}

static void device_end(struct device *device)
{
    sim_world_destroy(device->world);
    free(device->bytes);
    free(device->memory.base);
}

static int device_open(struct device *device, struct journal **ret_journal)
{
    memset(device->memory.base, 0, device->memory.size_bytes);
    device->reads = 0;
    return journal_open_log(&device->port, &device->memory, sim_world_clock(device->world), &owner,
                            &fresh, ret_journal);
}

static bool is_quiet(void *context)
{
    return journal_is_quiet(context);
}

/* Opens and closes; the frames that were there. */
static uint32_t device_frames(struct device *device)
{
    struct journal *journal = NULL;
    uint32_t count = 0;

    assert_int_equal(device_open(device, &journal), 0);
    assert_int_equal(journal_medium(journal), CACHE_MEDIUM_FILE_LOG);
    for (uint32_t frame = 0; frame < journal_frame_count(journal); frame++) {
        count += journal_is_published(journal, frame) ? 1u : 0u;
    }
    assert_true(sim_world_run_until(device->world, is_quiet, journal, SIM_SECOND));
    (void)journal_close(journal);
    return count;
}

static void refused(struct device *device, int error)
{
    struct journal *journal = NULL;
    uint8_t *before = malloc(device->port.size_bytes);

    assert_non_null(before);
    memcpy(before, device->bytes, device->port.size_bytes);
    assert_int_equal(device_open(device, &journal), error);
    assert_null(journal);
    sim_world_advance(device->world, SIM_SECOND);
    assert_memory_equal(before, device->bytes, device->port.size_bytes);
    free(before);
}

/* What is on it */

static struct log_super super_of(const struct device *device)
{
    return (struct log_super){.version = LOG_VERSION,
                              .uuid = own,
                              .owner = owner,
                              .generation = 5,
                              .turn = 9,
                              .size_bytes = device->port.size_bytes,
                              .tail_number = 1};
}

static void super_put(struct device *device, const struct log_super *super)
{
    log_super_write(super, device->bytes);
    log_super_write(super, device->bytes + 4096);
}

static uint8_t *ring_at(struct device *device, uint32_t block)
{
    assert_true(block < device->geometry.ring_blocks);
    return device->bytes + (size_t)(LOG_RING_FIRST + block) * LOG_BLOCK_BYTES;
}

static void descriptor_put(uint8_t *descriptor, uint64_t block, const uint8_t *content)
{
    uint32_t crc = 0;

    memset(descriptor, 0, LOG_DESCRIPTOR_BYTES);
    put_le64(descriptor + 8, block + 1);
    put_le64(descriptor + 16, block);
    memcpy(descriptor + 24, &vd_guid, sizeof(vd_guid));
    put_le32(descriptor + 48, crc32c(0, content, 4096));
    descriptor[52] = 0xff;
    crc = crc32c(JOURNAL_DATA, descriptor + 8, 56);
    put_le64(descriptor,
             JOURNAL_DATA | (block + 1) << 8 | (uint64_t)(uint16_t)(crc ^ crc >> 16) << 48);
}

/* Publishes frames `first`, `first` + 1 ...; the content is what is there. */
static uint32_t record_put(struct device *device, uint32_t at, const struct log_header *header,
                           uint32_t first)
{
    uint8_t *record = ring_at(device, at);

    for (uint32_t i = 0; i < header->publish_count; i++) {
        put_le32(record + log_frame_number_at(header, i), first + i);
        descriptor_put(record + log_descriptor_at(i), first + i,
                       record + log_content_at(header, i));
    }
    for (uint32_t i = 0; i < header->release_count; i++) {
        put_le32(record + log_release_at(header, i), first + i);
    }
    log_header_write(header, record);
    return at + log_record_blocks(header);
}

static struct log_header header_of(uint64_t number, uint32_t publish_count)
{
    return (struct log_header){.uuid = own,
                               .number = number,
                               .generation = 5,
                               .publish_count = publish_count,
                               .release_count = publish_count == 0 ? 1 : 0};
}

/* Headers */

static void test_headers(void **state UNUSED)
{
    struct device device;
    struct log_header header = header_of(1, 2);
    struct log_header back;
    uint8_t *record = NULL;

    device_make(&device, SMALL);
    record = ring_at(&device, 0);
    header.release_count = 3;
    (void)record_put(&device, 0, &header, 0);
    assert_true(log_header_read(record, 3, &device.geometry, &back));
    assert_int_equal(back.release_count, 3);
    assert_false(log_header_read(record, 2, &device.geometry, &back)); /* it has three blocks */
    assert_false(log_header_read(record, 0, &device.geometry, &back));
    put_le32(record + log_frame_number_at(&header, 1), device.geometry.frame_count);
    log_header_write(&header, record);
    assert_false(log_header_read(record, 3, &device.geometry, &back));
    put_le32(record + log_frame_number_at(&header, 1), 1);
    put_le32(record + log_release_at(&header, 2), device.geometry.frame_count);
    log_header_write(&header, record);
    assert_false(log_header_read(record, 3, &device.geometry, &back));
    put_le32(record + log_release_at(&header, 2), device.geometry.frame_count - 1);
    log_header_write(&header, record);
    assert_true(log_header_read(record, 3, &device.geometry, &back));
    record[70] ^= 1;
    assert_false(log_header_read(record, 3, &device.geometry, &back));
    record[70] ^= 1;
    put_le32(record + 40, device.geometry.publish_max + 1); /* lengths come before checksums */
    assert_false(log_header_read(record, 200, &device.geometry, &back));
    put_le32(record + 40, 2);
    put_le32(record + 44, device.geometry.release_max + 1);
    assert_false(log_header_read(record, 200, &device.geometry, &back));
    device_end(&device);
}

/* Super-blocks */

static void test_super_blocks_that_make_no_sense(void **state UNUSED)
{
    struct device device;
    struct log_super good;
    struct log_super super;

    device_make(&device, SMALL);
    super = good = super_of(&device);
    super.tail_block = device.geometry.ring_blocks + 1;
    super_put(&device, &super);
    refused(&device, -EBADMSG);
    super = good;
    super.tail_number = 0;
    super_put(&device, &super);
    refused(&device, -EBADMSG);
    super = good;
    super.tail_number = 4;
    super.durable_number = 2;
    super_put(&device, &super);
    refused(&device, -EBADMSG);
    super = good;
    super.durable_number = UINT64_MAX / 2 + 1;
    super_put(&device, &super);
    refused(&device, -EBADMSG);
    super = good;
    super.tail_block = device.geometry.ring_blocks; /* the next one will begin at 0 */
    super.tail_number = 3;
    super.durable_number = 2;
    super_put(&device, &super);
    assert_int_equal(device_frames(&device), 0);
    device_end(&device);
}

/* Records */

static void test_records_of_others_do_not_count(void **state UNUSED)
{
    struct device device;
    struct log_super super;
    struct log_header headers[3] = {header_of(1, 2), header_of(1, 2), header_of(1, 2)};

    headers[0].uuid = owner;     /* of another journal */
    headers[1].generation = 6;   /* of a later opening than the super-block knows of */
    headers[2].generation = 5;
    for (uint32_t i = 0; i < 3; i++) {
        device_make(&device, SMALL);
        super = super_of(&device);
        super_put(&device, &super);
        (void)record_put(&device, 0, &headers[i], 0);
        assert_int_equal(device_frames(&device), i == 2 ? 2 : 0);
        device_end(&device);
    }
    /* The generations do not go back from one record to the next. */
    for (uint32_t i = 0; i < 2; i++) {
        struct log_header second = header_of(2, 1);

        second.generation = 5 - i;
        device_make(&device, SMALL);
        super = super_of(&device);
        super_put(&device, &super);
        (void)record_put(&device, record_put(&device, 0, &headers[2], 0), &second, 8);
        assert_int_equal(device_frames(&device), i == 0 ? 3 : 2);
        device_end(&device);
    }
}

/* Behind the end lies what was never acknowledged, or is older, or of others; but nothing newer. */
static void test_what_lies_behind_the_end(void **state UNUSED)
{
    const struct {
        uint64_t number;
        bool ours;
        int error;
    } cases[] = {{1, true, 0}, {7, false, 0}, {2, true, 0}, {3, true, -EBADMSG}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct device device;
        struct log_super super;
        struct log_header first = header_of(1, 2);
        struct log_header later = header_of(cases[i].number, 1);
        uint32_t end = 0;

        later.uuid = cases[i].ours ? own : owner;
        device_make(&device, SMALL);
        super = super_of(&device);
        super_put(&device, &super);
        end = record_put(&device, 0, &first, 0);
        (void)record_put(&device, end + 2, &later, 9);
        if (cases[i].error != 0) {
            refused(&device, cases[i].error);
        } else {
            assert_int_equal(device_frames(&device), 2);
        }
        device_end(&device);
    }
}

/* A record that was torn where the ring ends, and the next generation's of the same number: that
 * was longer, and so it is at the beginning of the ring. It counts, and what follows it too. */
static void test_torn_at_the_end_of_the_ring(void **state UNUSED)
{
    for (uint32_t i = 0; i < 4; i++) {
        bool durable = i % 2 != 0;
        bool torn_again = i >= 2;
        struct device device;
        struct log_super super;
        struct log_header first = header_of(1, 4);
        struct log_header torn = header_of(2, 1);
        struct log_header again = header_of(2, 4);
        struct log_header last = header_of(3, 2);
        uint32_t end = 0;

        again.generation = last.generation = 6;
        device_make(&device, SMALL);
        super = super_of(&device);
        super.tail_block = device.geometry.ring_blocks - 8;
        super.generation = 6;
        super.durable_number = durable ? 2 : 1;
        super_put(&device, &super);
        end = record_put(&device, super.tail_block, &first, 0);
        (void)record_put(&device, end, &torn, 20);
        memset(ring_at(&device, end + 1), 1, LOG_BLOCK_BYTES);
        end = record_put(&device, 0, &again, 4);
        if (torn_again) {
            memset(ring_at(&device, 1), 1, LOG_BLOCK_BYTES);
        } else {
            (void)record_put(&device, end, &last, 8);
        }
        assert_int_equal(device_frames(&device), !torn_again ? 10 : durable ? 8 : 4);
        device_end(&device);
    }
}

/* The other way round: the longer one at the beginning of the ring was torn, and the next
 * generation wrote less, which is at the end. The older one does not count, whatever became of the
 * newer. */
static void test_torn_at_the_beginning_of_the_ring(void **state UNUSED)
{
    for (uint32_t i = 0; i < 3; i++) {
        bool durable = i < 2;
        bool damaged = i > 0;
        struct device device;
        struct log_super super;
        struct log_header first = header_of(1, 4);
        struct log_header torn = header_of(2, 4);
        struct log_header again = header_of(2, 1);
        uint32_t end = 0;

        again.generation = 6;
        device_make(&device, SMALL);
        super = super_of(&device);
        super.tail_block = device.geometry.ring_blocks - 8;
        super.generation = 6;
        super.durable_number = durable ? 2 : 1;
        super_put(&device, &super);
        end = record_put(&device, super.tail_block, &first, 0);
        (void)record_put(&device, 0, &torn, 4);
        memset(ring_at(&device, 1), 1, LOG_BLOCK_BYTES);
        (void)record_put(&device, end, &again, 20);
        if (damaged) {
            memset(ring_at(&device, end + 1), 1, LOG_BLOCK_BYTES);
        }
        assert_int_equal(device_frames(&device), durable ? 5 : 4);
        device_end(&device);
    }
}

/* Damaged content of a record that was durable: its blocks are known, but not what they were. And
 * a descriptor that is all zeros does not make a frame a free one. */
static void test_damaged_records_that_were_durable(void **state UNUSED)
{
    struct device device;
    struct log_super super;
    struct log_header header = header_of(1, 3);
    struct journal *journal = NULL;
    struct cache *cache = NULL;

    device_make(&device, SMALL);
    super = super_of(&device);
    super.durable_number = 1;
    super_put(&device, &super);
    (void)record_put(&device, 0, &header, 4);
    memset(ring_at(&device, 0) + log_descriptor_at(1), 0, LOG_DESCRIPTOR_BYTES);
    log_header_write(&header, ring_at(&device, 0));
    assert_int_equal(device_open(&device, &journal), 0);
    assert_true(journal_is_published(journal, 5));
    assert_int_equal(cache_create(journal, NULL, &cache), 0);
    assert_int_equal(cache_damaged_unknown(cache), 1);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    (void)cache_free(cache);
    device_end(&device);
}

/* Whole records are gone, one or several, and later ones are there: something has damaged the log.
 * A super-block knows of the last record within 32 MiB of records, so that is how far it is looked.
 */
static void test_damage_over_several_records(void **state UNUSED)
{
    const struct {
        uint32_t first, end;
    } cases[] = {{5, 6}, {5, 9}, {0, 6}, {0, 11}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct device device;
        struct log_super super;
        uint32_t at = 0;

        device_make(&device, LARGE);
        super = super_of(&device);
        super_put(&device, &super);
        for (uint32_t number = 0; number < 12; number++) {
            struct log_header header = header_of(number + 1, device.geometry.publish_max);
            uint32_t end = record_put(&device, at, &header, number * header.publish_count % 512);

            if (number >= cases[i].first && number < cases[i].end) {
                memset(ring_at(&device, at), 0, (size_t)(end - at) * LOG_BLOCK_BYTES);
            }
            at = end;
        }
        refused(&device, -EBADMSG);
        device_end(&device);
    }
}

static void test_the_furthest_record_behind_damage(void **state UNUSED)
{
    for (unsigned round = 0; round < 2; round++) { /* behind, and at the beginning of the ring */
        struct device device;
        struct log_super super;
        struct log_header later = header_of(300, 1);
        uint32_t place = LOG_UNNOTED_MAX;

        device_make(&device, 3 * LOG_UNNOTED_MAX / 2);
        super = super_of(&device);
        if (round == 1) {
            super.tail_block = device.geometry.ring_blocks - 8;
            place -= 8;
        }
        super_put(&device, &super);
        (void)record_put(&device, place, &later, 0);
        refused(&device, -EBADMSG);
        device_end(&device);
    }
}

/* Round the ring and over the beginning of the first one. */
static void test_records_that_overlap_are_refused(void **state UNUSED)
{
    struct device device;
    struct log_super super;
    uint32_t at = 120;
    uint64_t number = 1;

    device_make(&device, SMALL);
    super = super_of(&device);
    super.tail_block = at;
    while (at + 5 <= device.geometry.ring_blocks) {
        struct log_header header = header_of(number++, 4);

        at = record_put(&device, at, &header, 0);
    }
    at = 0;
    while (at < 120) { /* the last one ends beyond, where the first one is */
        struct log_header header = header_of(number++, at == 115 ? 2 : 4);

        at = record_put(&device, at, &header, 0);
    }
    assert_int_equal(at, 123);
    super.durable_number = number - 1;
    super_put(&device, &super);
    refused(&device, -EBADMSG);
    device_end(&device);
}

/* Reads that fail */

/* A damaged record at the end of what is read in one go, so that what tells whether it was durable
 * is read for it alone, and then the record once more. */
static void large_make(struct device *device)
{
    struct log_super super;
    struct log_header header;
    uint32_t at = 0;
    uint64_t number = 1;

    device_make(device, LARGE);
    super = super_of(device);
    while (at < device->geometry.record_blocks_max) { /* at first twice as many are read */
        header = header_of(number++, 0);
        at = record_put(device, at, &header, 0);
    }
    header = header_of(number++, 1);
    assert_int_equal(at, device->geometry.record_blocks_max);
    at = record_put(device, at, &header, 7);
    ring_at(device, at - 1)[9] ^= 1;
    for (uint32_t i = 0; i < 1200; i++) {
        header = header_of(number++, 0);
        at = record_put(device, at, &header, 0);
    }
    super.durable_number = 5;
    super_put(device, &super);
}

/* ... or of one that was torn, so that what was written again is looked for elsewhere, in vain. */
static void torn_make(struct device *device)
{
    struct log_super super;
    struct log_header whole = header_of(1, 4);
    struct log_header torn = header_of(2, 1);
    uint32_t end = 0;

    device_make(device, SMALL);
    super = super_of(device);
    super.tail_block = device->geometry.ring_blocks - 8;
    super.durable_number = 2;
    super_put(device, &super);
    end = record_put(device, super.tail_block, &whole, 0);
    (void)record_put(device, end, &torn, 7);
    memset(ring_at(device, end + 1), 1, LOG_BLOCK_BYTES);
}

static void test_every_read_may_fail(void **state UNUSED)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct device device;
        uint32_t failed = 0;

        (i == 0 ? large_make : torn_make)(&device);
        for (;;) {
            struct journal *journal = NULL;

            device.read_that_fails = failed + 1;
            if (device_open(&device, &journal) == 0) {
                assert_true(device.reads <= failed);
                assert_true(journal_is_published(journal, 7)); /* as damaged, but not as free */
                assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
                (void)journal_close(journal);
                break;
            }
            failed++;
            device.read_that_fails = failed;
            refused(&device, -EIO);
            assert_int_equal(device.reads, failed); /* and that was the end of it */
        }
        assert_true(failed > 3);
        device_end(&device);
    }
}

static void test_without_memory_it_is_not_opened(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;
    uint32_t failures = 0;

    device_make(&device, SMALL);
    SCARCE_MEMORY(device_open(&device, &journal), &failures);
    assert_true(failures >= 8);
    assert_int_equal(device.bytes[0], 0); /* nobody has written yet */
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    (void)journal_close(journal);
    device_end(&device);
}

/* At work */

static void frame_publish(struct journal *journal, uint32_t frame)
{
    struct frame_entry entry = {.type = JOURNAL_DATA, .vd = vd_guid, .block = frame, .dirty = 0xff};

    journal_publish(journal, frame, &entry);
}

/* What begins and ends in one turn is never written, and durable at once. */
static void test_what_is_over_in_a_turn_is_not_written(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;
    uint64_t ticket = 0;

    device_make(&device, SMALL);
    assert_int_equal(device_open(&device, &journal), 0);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    frame_publish(journal, 3);
    journal_release(journal, 3);
    assert_true(journal_is_busy(journal, 3));
    ticket = journal_ticket(journal);
    assert_false(journal_is_durable(journal, ticket));
    assert_true(sim_world_step(device.world));
    assert_true(journal_is_durable(journal, ticket));
    assert_null(device.write);
    assert_false(journal_is_busy(journal, 3));
    assert_true(journal_is_quiet(journal));
    (void)journal_close(journal);
    assert_int_equal(device_frames(&device), 0);
    device_end(&device);
}

static uint64_t noted(const struct device *device)
{
    uint64_t number = 0;

    for (size_t i = 0; i < LOG_RING_FIRST; i++) {
        struct log_super super;

        if (log_super_read(device->bytes + i * LOG_BLOCK_BYTES, &super)) {
            number = max_u64(number, super.durable_number);
        }
    }
    return number;
}

/* The newest record of a log that rests is in a super-block soon: damaged later, it is missed. */
static void test_a_log_that_rests_is_noted(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;

    device_make(&device, SMALL);
    assert_int_equal(device_open(&device, &journal), 0);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    frame_publish(journal, 3);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    assert_int_equal(noted(&device), 0);
    sim_world_advance(device.world, 2 * SIM_SECOND);
    assert_int_equal(noted(&device), 1);
    device.writes = 0;
    sim_world_advance(device.world, 60 * SIM_SECOND);
    assert_int_equal(device.writes, 0); /* once is enough */
    (void)journal_close(journal);
    memset(ring_at(&device, 0), 0, LOG_BLOCK_BYTES);
    refused(&device, -EBADMSG);
    device_end(&device);
}

/* One that never rests is noted too, after so many blocks of records. */
static void test_a_busy_log_is_noted(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;

    device_make(&device, 3 * LOG_UNNOTED_MAX);
    assert_int_equal(device_open(&device, &journal), 0);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    for (uint32_t frame = 0; frame < LOG_UNNOTED_MAX / 2 + 2; frame++) { /* two blocks each */
        assert_int_equal(noted(&device), frame <= LOG_UNNOTED_MAX / 2 ? 0 : LOG_UNNOTED_MAX / 2);
        frame_publish(journal, frame);
        assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    }
    (void)journal_close(journal);
    device_end(&device);
}

/* So much is on its way that nothing may be added until it is there. */
static void test_no_room_for_the_moment(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;
    uint32_t frames = 0;

    device_make(&device, SMALL);
    assert_int_equal(device_open(&device, &journal), 0);
    frames = journal_frame_count(journal);
    for (uint32_t frame = 0; frame < frames; frame++) {
        frame_publish(journal, frame);
    }
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    assert_true(journal_room(journal) > 0);
    for (uint32_t frame = 0; frame < frames; frame++) {
        journal_release(journal, frame);
        frame_publish(journal, frame);
    }
    assert_int_equal(journal_room(journal), 0);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    assert_true(journal_room(journal) > 0);
    (void)journal_close(journal);
    assert_int_equal(device_frames(&device), frames);
    device_end(&device);
}

/* Not even the note of what is discarded: so nothing is, until there is room for it. */
static void test_no_room_for_a_note(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;
    struct cache *cache = NULL;
    struct cache_vd *vd = NULL;
    uint32_t frames = 0;

    device_make(&device, SMALL);
    assert_int_equal(device_open(&device, &journal), 0);
    frames = journal_frame_count(journal) - 1; /* one is left for it */
    for (uint32_t frame = 0; frame < frames; frame++) {
        frame_publish(journal, frame);
    }
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    (void)journal_close(journal);
    assert_int_equal(device_open(&device, &journal), 0);
    assert_int_equal(cache_create(journal, NULL, &cache), 0);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    for (uint32_t frame = 0; frame < frames; frame++) {
        journal_release(journal, frame);
        frame_publish(journal, frame);
    }
    assert_int_equal(journal_room(journal), 0);
    vd = cache_vd_find(cache, &vd_guid);
    assert_false(cache_vd_discard_noted(vd));
    assert_int_equal(cache_vd_dirty_bytes(vd), (uint64_t)frames * LOG_BLOCK_BYTES);
    assert_int_equal(cache_vd_damaged(vd), 0);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    assert_true(cache_vd_discard_noted(vd));
    assert_int_equal(cache_vd_dirty_bytes(vd), 0);
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    cache_check(cache);
    (void)cache_free(cache);
    assert_int_equal(device_frames(&device), 1);
    device_end(&device);
}

/* More releases in a turn than a record can hold. */
static void test_more_releases_than_a_record_holds(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;
    uint64_t ticket = 0;
    uint32_t count = 0;
    uint32_t writes = 0;

    device_make(&device, 83000);
    device.forgets = true;
    assert_int_equal(device_open(&device, &journal), 0);
    count = device.geometry.release_max + 1;
    assert_true(count <= journal_frame_count(journal));
    for (uint32_t frame = 0; frame < count; frame++) {
        frame_publish(journal, frame);
    }
    assert_true(sim_world_run_until(device.world, is_quiet, journal, 60 * SIM_SECOND));
    for (uint32_t frame = 0; frame < count; frame++) {
        journal_release(journal, frame);
    }
    ticket = journal_ticket(journal);
    writes = device.writes;
    while (device.writes == writes || device.write != NULL) {
        assert_true(sim_world_step(device.world));
    }
    assert_true(journal_is_durable(journal, ticket - 1));
    assert_false(journal_is_durable(journal, ticket));
    assert_true(sim_world_run_until(device.world, is_quiet, journal, 60 * SIM_SECOND));
    assert_true(journal_is_durable(journal, ticket));
    (void)journal_close(journal);
    device_end(&device);
}

/* Somebody who always has four more frames when a record is done, so that nothing is copied. */
struct feeder {
    struct journal_listener listener;
    struct journal *journal;
    uint32_t step;
};

static void rewrite(struct journal *journal, uint32_t frame)
{
    if (journal_is_published(journal, frame)) {
        journal_release(journal, frame);
    }
    frame_publish(journal, frame);
}

/* First 22 records of four frames. Then frames of all of them but the first one, each of which
 * keeps one frame where it is; at last the first one ends. */
static void feed(struct journal_listener *listener)
{
    struct feeder *feeder = listener->owner;
    uint32_t step = feeder->step++;

    for (uint32_t i = 0; i < 4 && step < 22; i++) {
        frame_publish(feeder->journal, 4 * step + i);
    }
    for (uint32_t k = 4 * (step - 22); k < 4 * (step - 22) + 4 && step >= 22 && step < 37; k++) {
        rewrite(feeder->journal, 4 * (1 + k / 3) + 1 + k % 3);
    }
    for (uint32_t k = 0; k < 4 && step >= 37 && step < 40; k++) {
        uint32_t again = (step - 37) * 8 + (k < 2 ? k : k + 2); /* of the rewritten */

        rewrite(feeder->journal, 4 * (1 + again / 3) + 1 + again % 3);
    }
    for (uint32_t frame = 0; frame < 4 && step == 39; frame++) {
        journal_release(feeder->journal, frame);
    }
}

/* There is little room left: then a single record that is over is worth a super-block. */
static void test_little_room_is_made_at_once(void **state UNUSED)
{
    struct device device;
    struct feeder feeder = {.listener = {.heard = feed}};

    device_make(&device, SMALL);
    assert_int_equal(device_open(&device, &feeder.journal), 0);
    feeder.listener.owner = &feeder;
    journal_listen(feeder.journal, &feeder.listener); /* hears of the first super-block */
    while (feeder.step <= 40) {
        assert_true(sim_world_step(device.world));
    }
    assert_null(device.write);
    while (device.write == NULL) {
        assert_true(sim_world_step(device.world));
    }
    assert_true(device.write->offset_bytes < LOG_RING_FIRST * LOG_BLOCK_BYTES);
    assert_true(sim_world_run_until(device.world, is_quiet, feeder.journal, SIM_SECOND));
    (void)journal_close(feeder.journal);
    assert_int_equal(device_frames(&device), 84);
    device_end(&device);
}

/* One frame stays, another one goes round the ring: the few that count are copied, all of them. */
static void test_few_frames_are_copied_all_at_once(void **state UNUSED)
{
    struct device device;
    struct journal *journal = NULL;

    device_make(&device, SMALL);
    assert_int_equal(device_open(&device, &journal), 0);
    frame_publish(journal, 1);
    frame_publish(journal, 2);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t frame = 10 + i % 2;

        while (journal_is_busy(journal, frame)) {
            assert_true(sim_world_step(device.world));
        }
        frame_publish(journal, frame);
        if (i > 0) {
            journal_release(journal, 10 + (i - 1) % 2);
        }
        (void)sim_world_step(device.world); /* it may have nothing to do */
    }
    assert_true(sim_world_run_until(device.world, is_quiet, journal, SIM_SECOND));
    (void)journal_close(journal);
    assert_int_equal(device_frames(&device), 3);
    device_end(&device);
}

/* The only super-block is damaged, in either place; or one of two, and the other one holds. */
static void test_damaged_super_blocks(void **state UNUSED)
{
    for (uint32_t what = 0; what < 4; what++) {
        uint32_t damaged = what % 2;
        struct device device;
        struct log_super super;

        device_make(&device, SMALL);
        super = super_of(&device);
        if (what < 2) {
            log_super_write(&super, device.bytes + (size_t)damaged * 4096);
        } else {
            super_put(&device, &super);
        }
        device.bytes[damaged * 4096 + 50] ^= 1;
        if (what < 2) {
            refused(&device, -EBADMSG);
        } else {
            assert_int_equal(device_frames(&device), 0);
        }
        device_end(&device);
    }
}

/* The newer one counts, wherever it is: the other one could not be used. */
static void test_the_newer_super_block(void **state UNUSED)
{
    for (uint32_t newer = 0; newer < 2; newer++) {
        struct device device;
        struct log_super super;

        device_make(&device, SMALL);
        super = super_of(&device);
        log_super_write(&super, device.bytes + (size_t)newer * 4096);
        super.turn--;
        super.size_bytes += 4096;
        log_super_write(&super, device.bytes + (size_t)(1 - newer) * 4096);
        assert_int_equal(device_frames(&device), 0);
        device_end(&device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damaged_super_blocks),
        cmocka_unit_test(test_the_newer_super_block),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_super_blocks_that_make_no_sense),
        cmocka_unit_test(test_records_of_others_do_not_count),
        cmocka_unit_test(test_what_lies_behind_the_end),
        cmocka_unit_test(test_torn_at_the_end_of_the_ring),
        cmocka_unit_test(test_torn_at_the_beginning_of_the_ring),
        cmocka_unit_test(test_damaged_records_that_were_durable),
        cmocka_unit_test(test_damage_over_several_records),
        cmocka_unit_test(test_the_furthest_record_behind_damage),
        cmocka_unit_test(test_a_log_that_rests_is_noted),
        cmocka_unit_test(test_a_busy_log_is_noted),
        cmocka_unit_test(test_records_that_overlap_are_refused),
        cmocka_unit_test(test_every_read_may_fail),
        cmocka_unit_test(test_without_memory_it_is_not_opened),
        cmocka_unit_test(test_what_is_over_in_a_turn_is_not_written),
        cmocka_unit_test(test_no_room_for_the_moment),
        cmocka_unit_test(test_no_room_for_a_note),
        cmocka_unit_test(test_more_releases_than_a_record_holds),
        cmocka_unit_test(test_little_room_is_made_at_once),
        cmocka_unit_test(test_few_frames_are_copied_all_at_once),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cache/log_start", tests, NULL, NULL);
}
