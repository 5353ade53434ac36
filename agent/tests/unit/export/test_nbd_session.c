/*
 * The session, driven without a socket: random requests in random pieces against a model,
 * bounds and their back-pressure, dying clients, export removal, hostile bytes.
 */
#include "nbd_talk.h"

#include <inttypes.h>

#include "base/rng.h"
#include "export/nbd_session.h"
#include "ram_target.h"

#define DRIVE_BYTES (4u * 1024u * 1024u)
#define BLOCK_BYTES 512u

struct fixture {
    struct nbd_catalog catalog;
    struct nbd_buffers buffers;
    struct ram_target ram;
    struct nbd_session *session;
    struct vd_target *started;
    bool incomplete; /* the drive is about to be offered */
    uint32_t kick_count;
    struct talk said;  /* by the client */
    size_t said_used;  /* of it, received by the session */
    struct talk heard; /* by the client */
    size_t heard_used; /* of it, looked at by the test */
};

static uint32_t catalog_count(struct nbd_catalog *catalog)
{
    return container_of(catalog, struct fixture, catalog)->incomplete ? 0 : 1;
}

static struct vd_target *catalog_at(struct nbd_catalog *catalog, uint32_t index)
{
    assert_int_equal(index, 0);
    return &container_of(catalog, struct fixture, catalog)->ram.target;
}

static bool catalog_is_complete(struct nbd_catalog *catalog)
{
    return !container_of(catalog, struct fixture, catalog)->incomplete;
}

static enum nbd_absence catalog_absence(struct nbd_catalog *catalog, const char *name UNUSED,
                                        uint32_t name_bytes UNUSED, const char **ret_why UNUSED)
{
    return catalog_is_complete(catalog) ? NBD_ABSENCE_UNKNOWN : NBD_ABSENCE_SOON;
}

static const struct nbd_catalog_ops catalog_ops = {.count = catalog_count,
                                                   .at = catalog_at,
                                                   .is_complete = catalog_is_complete,
                                                   .absence = catalog_absence};

static void kicked(void *owner)
{
    ((struct fixture *)owner)->kick_count++;
}

static void started(void *owner, struct vd_target *target)
{
    ((struct fixture *)owner)->started = target;
}

static void open_session(struct fixture *fixture)
{
    const struct nbd_session_options options = {
        .catalog = &fixture->catalog,
        .buffers = &fixture->buffers,
        .buffer_max_bytes = NBD_PAYLOAD_MAX_BYTES,
        .kick = kicked,
        .started = started,
        .owner = fixture,
    };

    assert_int_equal(nbd_session_create(&options, &fixture->session), 0);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    fixture->catalog.ops = &catalog_ops;
    assert_int_equal(nbd_buffers_init(&fixture->buffers, NBD_BUFFER_MAX_BYTES), 0);
    ram_target_init(&fixture->ram, "v0", DRIVE_BYTES, BLOCK_BYTES, true);
    open_session(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    if (fixture->session != NULL) {
        nbd_session_abandon(fixture->session);
        (void)ram_target_run(&fixture->ram);
        fixture->session = nbd_session_free(fixture->session);
    }
    nbd_buffers_done(&fixture->buffers);
    ram_target_done(&fixture->ram);
    talk_free(&fixture->said);
    talk_free(&fixture->heard);
    free(fixture);
    return 0;
}

/* Moves at most max bytes to the session; returns how many. */
static size_t feed(struct fixture *fixture, size_t max)
{
    struct iovec vector[NBD_SESSION_RECEIVE_VECTOR];
    uint32_t count = nbd_session_receive_vector(fixture->session, vector);
    size_t total = 0;

    for (uint32_t i = 0; i < count && max > 0; i++) {
        size_t left = fixture->said.used - fixture->said_used;
        size_t part = vector[i].iov_len;
        part = part < left ? part : left;
        part = part < max ? part : max;
        if (part > 0) {
            memcpy(vector[i].iov_base, fixture->said.bytes + fixture->said_used, part);
        }
        fixture->said_used += part;
        max -= part;
        total += part;
    }
    if (total > 0) {
        nbd_session_received(fixture->session, total);
    }
    return total;
}

/* Takes at most max bytes from the session. */
static size_t drain(struct fixture *fixture, size_t max)
{
    struct iovec vector[NBD_SESSION_SEND_VECTOR];
    uint32_t count = nbd_session_send_vector(fixture->session, vector);
    size_t total = 0;

    for (uint32_t i = 0; i < count && max > 0; i++) {
        size_t part = vector[i].iov_len < max ? vector[i].iov_len : max;
        assert_true(vector[i].iov_len > 0);
        talk_bytes(&fixture->heard, vector[i].iov_base, part);
        max -= part;
        total += part;
    }
    if (total > 0) {
        nbd_session_sent(fixture->session, total);
    }
    return total;
}

/* Everything that can move, moves. */
static void settle(struct fixture *fixture)
{
    size_t moved;

    do {
        moved = feed(fixture, SIZE_MAX);
        moved += drain(fixture, SIZE_MAX);
        moved += ram_target_run(&fixture->ram);
    } while (moved > 0);
}

static void start_transmission(struct fixture *fixture, bool structured)
{
    talk_flags(&fixture->said, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    if (structured) {
        talk_option(&fixture->said, NBD_OPT_STRUCTURED_REPLY, NULL, 0);
        talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, "v0", "base:allocation");
    }
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "v0", 2);
    settle(fixture);
    assert_ptr_equal(fixture->started, &fixture->ram.target);
    assert_ptr_equal(nbd_session_target(fixture->session), &fixture->ram.target);
    assert_int_equal(fixture->said_used, fixture->said.used);
    fixture->heard_used = fixture->heard.used;
}

struct heard_reply {
    uint64_t cookie;
    uint32_t error;
    uint64_t offset_bytes; /* of structured data */
    const uint8_t *data;
};

static size_t heard_left(const struct fixture *fixture)
{
    return fixture->heard.used - fixture->heard_used;
}

/* Takes one reply off; data_bytes is how much a successful one carries. */
static struct heard_reply hear(struct fixture *fixture, bool structured, uint32_t data_bytes)
{
    const uint8_t *bytes = fixture->heard.bytes + fixture->heard_used;
    struct heard_reply reply = {0};
    size_t used = NBD_SIMPLE_REPLY_BYTES;

    assert_true(heard_left(fixture) >= NBD_SIMPLE_REPLY_BYTES);
    reply.cookie = get_be64(bytes + 8);
    if (get_be32(bytes) == NBD_SIMPLE_REPLY_MAGIC) {
        reply.error = get_be32(bytes + 4);
        assert_true(!structured || (data_bytes == 0 && reply.error == 0));
        reply.data = bytes + used;
        used += reply.error == 0 ? data_bytes : 0;
    } else {
        uint32_t length = get_be32(bytes + 16);
        assert_true(structured);
        assert_int_equal(get_be32(bytes), NBD_STRUCTURED_REPLY_MAGIC);
        assert_int_equal(get_be16(bytes + 4), NBD_REPLY_FLAG_DONE);
        used = NBD_STRUCTURED_REPLY_BYTES + length;
        if (get_be16(bytes + 6) == NBD_REPLY_TYPE_ERROR) {
            reply.error = get_be32(bytes + 20);
            assert_int_equal(length, 6 + get_be16(bytes + 24));
        } else {
            assert_int_equal(get_be16(bytes + 6), NBD_REPLY_TYPE_OFFSET_DATA);
            assert_int_equal(length, 8 + data_bytes);
            reply.offset_bytes = get_be64(bytes + 20);
            reply.data = bytes + 28;
        }
    }
    assert_true(used <= heard_left(fixture));
    fixture->heard_used += used;
    return reply;
}

/* ---- a random conversation against a model ---- */

enum { REQUESTS = 400 };

struct expected {
    uint16_t type;
    uint32_t error;
    uint64_t offset_bytes;
    uint32_t length_bytes;
    uint8_t *data;
};

static uint8_t model[DRIVE_BYTES];

static void say_random_request(struct fixture *fixture, struct rng *rng, uint64_t cookie,
                               struct expected *expected)
{
    static const uint16_t types[] = {NBD_CMD_READ,  NBD_CMD_WRITE, NBD_CMD_WRITE,
                                     NBD_CMD_FLUSH, NBD_CMD_TRIM,  NBD_CMD_WRITE_ZEROES,
                                     NBD_CMD_CACHE, NBD_CMD_READ,  99};
    uint32_t blocks = rng_below(rng, 12) == 0 ? 2000 : 1 + (uint32_t)rng_below(rng, 40);
    bool bad = rng_below(rng, 10) == 0;

    expected->type = types[rng_below(rng, sizeof types / sizeof types[0])];
    expected->length_bytes = blocks * BLOCK_BYTES;
    expected->offset_bytes =
        rng_below(rng, (DRIVE_BYTES - expected->length_bytes) / BLOCK_BYTES + 1) * BLOCK_BYTES;
    expected->error = expected->type == 99 ? NBD_EINVAL : 0;
    if (bad && expected->type != NBD_CMD_FLUSH) {
        expected->offset_bytes += 1;
        expected->error = NBD_EINVAL;
    }
    if (expected->type == NBD_CMD_FLUSH) {
        expected->offset_bytes = 0;
        expected->length_bytes = 0;
    }
    talk_request(&fixture->said, expected->type, 0, cookie, expected->offset_bytes,
                 expected->length_bytes);
    if (expected->type == NBD_CMD_WRITE) {
        uint8_t *data = talk_take(&fixture->said, expected->length_bytes);
        rng_fill(rng, data, expected->length_bytes);
        if (expected->error == 0) {
            memcpy(model + expected->offset_bytes, data, expected->length_bytes);
        }
    }
    if (expected->error != 0) {
        return;
    }
    if (expected->type == NBD_CMD_TRIM || expected->type == NBD_CMD_WRITE_ZEROES) {
        memset(model + expected->offset_bytes, 0, expected->length_bytes);
    }
    if (expected->type == NBD_CMD_READ) {
        expected->data = malloc(expected->length_bytes);
        assert_non_null(expected->data);
        memcpy(expected->data, model + expected->offset_bytes, expected->length_bytes);
    }
}

static void check_reply(struct fixture *fixture, struct expected *all, bool *answered,
                        bool structured)
{
    uint64_t cookie = get_be64(fixture->heard.bytes + fixture->heard_used + 8);
    struct expected *expected = &all[cookie];
    bool has_data = expected->type == NBD_CMD_READ && expected->error == 0;
    struct heard_reply reply;

    assert_true(cookie < REQUESTS);
    assert_false(answered[cookie]);
    answered[cookie] = true;
    reply = hear(fixture, structured, has_data ? expected->length_bytes : 0);
    assert_int_equal(reply.error, expected->error);
    if (has_data) {
        assert_memory_equal(reply.data, expected->data, expected->length_bytes);
        assert_true(!structured || reply.offset_bytes == expected->offset_bytes);
    }
    free(expected->data);
}

static void converse(struct fixture *fixture, uint64_t seed, bool structured)
{
    static struct expected expected[REQUESTS];
    static bool answered[REQUESTS];
    struct rng rng;
    uint32_t idle = 0;

    memset(expected, 0, sizeof expected);
    memset(answered, 0, sizeof answered);
    memset(model, 0, sizeof model);
    rng_seed(&rng, seed);
    start_transmission(fixture, structured);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        say_random_request(fixture, &rng, i, &expected[i]);
    }
    while (idle < 50) {
        size_t moved = 0;
        switch (rng_below(&rng, 3)) {
        case 0:
            moved = feed(fixture, rng_below(&rng, 2) == 0 ? 1 + rng_below(&rng, 64)
                                                          : 1 + rng_below(&rng, 1u << 20));
            break;
        case 1:
            moved = drain(fixture, rng_below(&rng, 2) == 0 ? 1 + rng_below(&rng, 64)
                                                           : 1 + rng_below(&rng, 1u << 20));
            break;
        default:
            moved = ram_target_run(&fixture->ram);
            break;
        }
        idle = moved > 0 ? 0 : idle + 1;
    }
    assert_int_equal(fixture->said_used, fixture->said.used);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        check_reply(fixture, expected, answered, structured);
    }
    assert_int_equal(heard_left(fixture), 0);
    assert_memory_equal(fixture->ram.bytes, model, DRIVE_BYTES);
    assert_int_equal(nbd_session_inflight_count(fixture->session), 0);
}

static void test_conversation_with_simple_replies(void **state)
{
    converse(*state, aw_test_seed("simple replies", 1), false);
}

static void test_conversation_with_structured_replies(void **state)
{
    converse(*state, aw_test_seed("structured replies", 2), true);
}

/* ---- single matters ---- */

static void test_statuses_become_errors(void **state)
{
    static const struct {
        enum vd_status status;
        uint32_t error;
    } cases[] = {
        {VD_STATUS_INVALID, NBD_EINVAL},  {VD_STATUS_IO, NBD_EIO},
        {VD_STATUS_READ_ONLY, NBD_EPERM}, {VD_STATUS_SHUTDOWN, NBD_ESHUTDOWN},
        {VD_STATUS_OK, NBD_OK},
    };
    struct fixture *fixture = *state;

    start_transmission(fixture, true);
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct heard_reply reply;
        fixture->ram.fail_status = cases[i].status;
        fixture->ram.fail_count = 1;
        talk_request(&fixture->said, NBD_CMD_READ, 0, i, 0, BLOCK_BYTES);
        settle(fixture);
        reply = hear(fixture, true, BLOCK_BYTES);
        assert_int_equal(reply.cookie, i);
        assert_int_equal(reply.error, cases[i].error);
    }
}

static void test_fua_reaches_the_drive(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t block[BLOCK_BYTES];

    start_transmission(fixture, false);
    talk_request(&fixture->said, NBD_CMD_WRITE, NBD_CMD_FLAG_FUA, 1, 0, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, sizeof block);
    talk_request(&fixture->said, NBD_CMD_WRITE_ZEROES, NBD_CMD_FLAG_FUA, 2, 0, BLOCK_BYTES);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 3, 0, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, sizeof block);
    talk_request(&fixture->said, NBD_CMD_READ, NBD_CMD_FLAG_FUA, 4, 0, BLOCK_BYTES);
    settle(fixture);
    assert_int_equal(fixture->ram.fua_count, 2);
}

/* A drive that was late keeps a write's memory; the session goes on, and ends, without it. */
static void test_memory_that_is_kept(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t data[3 * 4096];

    start_transmission(fixture, false);
    fixture->ram.keeps = true;
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 0, sizeof data);
    talk_bytes(&fixture->said, data, sizeof data);
    settle(fixture);
    assert_int_equal(hear(fixture, false, 0).error, 0);
    assert_non_null(fixture->ram.kept);
    memset(fixture->ram.kept, 0x77, sizeof data); /* still whole, and nobody else's */
    assert_int_equal(fixture->buffers.taken_bytes, 16384);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 2, 0, sizeof data);
    talk_bytes(&fixture->said, data, sizeof data);
    settle(fixture);
    assert_int_equal(hear(fixture, false, 0).error, 0);
    assert_int_equal(fixture->buffers.taken_bytes, 16384);
    assert_int_equal(fixture->ram.kept[sizeof data - 1], 0x77);
    nbd_session_input_ended(fixture->session);
    fixture->session = nbd_session_free(fixture->session);
    ram_target_let_go(&fixture->ram);
    assert_int_equal(fixture->buffers.taken_bytes, 0);
}

/* A drive that was late keeps a read's memory: the answer goes out of other memory. */
static void test_memory_of_a_read_that_is_kept(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t data[3 * 4096];
    struct heard_reply reply;

    memset(data, 0x5a, sizeof data);
    start_transmission(fixture, false);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 0, sizeof data);
    talk_bytes(&fixture->said, data, sizeof data);
    settle(fixture);
    assert_int_equal(hear(fixture, false, 0).error, 0);
    fixture->ram.keeps = true;
    talk_request(&fixture->said, NBD_CMD_READ, 0, 2, 0, sizeof data);
    settle(fixture);
    assert_non_null(fixture->ram.kept);
    memset(fixture->ram.kept, 0x77, sizeof data); /* the drive goes on writing there */
    reply = hear(fixture, false, sizeof data);
    assert_int_equal(reply.error, 0);
    assert_memory_equal(reply.data, data, sizeof data);
    assert_int_equal(fixture->buffers.taken_bytes, 16384);
    talk_request(&fixture->said, NBD_CMD_READ, 0, 3, 0, sizeof data);
    settle(fixture);
    reply = hear(fixture, false, sizeof data);
    assert_memory_equal(reply.data, data, sizeof data);
    assert_int_equal(fixture->buffers.taken_bytes, 16384);
    nbd_session_input_ended(fixture->session);
    fixture->session = nbd_session_free(fixture->session);
    ram_target_let_go(&fixture->ram);
    assert_int_equal(fixture->buffers.taken_bytes, 0);
}

static void test_block_status(void **state)
{
    struct fixture *fixture = *state;
    const uint8_t *bytes;

    start_transmission(fixture, true);
    talk_request(&fixture->said, NBD_CMD_BLOCK_STATUS, NBD_CMD_FLAG_REQ_ONE, 7, 1024, 1 << 20);
    settle(fixture);
    bytes = fixture->heard.bytes + fixture->heard_used;
    assert_int_equal(heard_left(fixture), 32);
    assert_int_equal(get_be16(bytes + 6), NBD_REPLY_TYPE_BLOCK_STATUS);
    assert_int_equal(get_be32(bytes + 20), NBD_CONTEXT_ID);
    assert_int_equal(get_be32(bytes + 24), 1 << 20);
    assert_int_equal(get_be32(bytes + 28), 0);
}

/* A client that asks without end and takes no answer is read up to the bounds, no further. */
static void test_back_pressure_by_commands(void **state)
{
    struct fixture *fixture = *state;
    size_t stuck_at;

    start_transmission(fixture, false);
    for (uint32_t i = 0; i < 20000; i++) {
        talk_request(&fixture->said, NBD_CMD_READ, 0, i, 0, BLOCK_BYTES);
    }
    while (feed(fixture, SIZE_MAX) + ram_target_run(&fixture->ram) > 0) {
    }
    stuck_at = fixture->said_used;
    assert_true(stuck_at < fixture->said.used);
    assert_int_equal(fixture->ram.op_counts[VD_OP_READ], NBD_SESSION_COMMANDS);
    settle(fixture);
    assert_int_equal(fixture->said_used, fixture->said.used);
    assert_int_equal(heard_left(fixture), 20000u * (NBD_SIMPLE_REPLY_BYTES + BLOCK_BYTES));
}

static void test_back_pressure_by_memory(void **state)
{
    enum { LENGTH = 3 * 1024 * 1024 }; /* takes 4 MiB: eight fit */
    struct fixture *fixture = *state;

    start_transmission(fixture, false);
    for (uint32_t i = 0; i < 20; i++) {
        talk_request(&fixture->said, NBD_CMD_READ, 0, i, 0, LENGTH);
    }
    while (feed(fixture, SIZE_MAX) + ram_target_run(&fixture->ram) > 0) {
    }
    assert_int_equal(fixture->ram.op_counts[VD_OP_READ], 8);
    assert_true(fixture->buffers.taken_bytes <= NBD_PAYLOAD_MAX_BYTES);
    settle(fixture);
    assert_int_equal(fixture->ram.op_counts[VD_OP_READ], 20);
}

static void test_disconnect_finishes_what_was_asked(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t block[BLOCK_BYTES] = {1, 2, 3};

    start_transmission(fixture, false);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 512, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, sizeof block);
    talk_request(&fixture->said, NBD_CMD_DISC, 0, 2, 0, 0);
    talk_request(&fixture->said, NBD_CMD_READ, 0, 3, 0, BLOCK_BYTES);
    (void)feed(fixture, SIZE_MAX);
    assert_true(nbd_session_is_ending(fixture->session));
    assert_false(nbd_session_is_finished(fixture->session));
    settle(fixture);
    assert_true(nbd_session_is_finished(fixture->session));
    assert_int_equal(hear(fixture, false, 0).cookie, 1);
    assert_int_equal(heard_left(fixture), 0);
    assert_memory_equal(fixture->ram.bytes + 512, block, BLOCK_BYTES);
}

/* The client dies: whole writes are applied in order, the half-sent one is not, and no
 * buffer is given back before the drive has done with it. */
static void test_dead_client(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t data[64 * 1024];

    start_transmission(fixture, false);
    memset(data, 0x11, sizeof data);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 0, sizeof data);
    talk_bytes(&fixture->said, data, sizeof data);
    memset(data, 0x22, sizeof data);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 2, 0, sizeof data);
    talk_bytes(&fixture->said, data, sizeof data);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 3, 0, sizeof data);
    talk_bytes(&fixture->said, data, sizeof data / 2);
    while (feed(fixture, SIZE_MAX) > 0) {
    }
    assert_int_equal(nbd_session_inflight_count(fixture->session), 2);
    nbd_session_abandon(fixture->session);
    assert_int_equal(fixture->buffers.taken_bytes, 3 * sizeof data);
    assert_false(nbd_session_is_finished(fixture->session));
    fixture->kick_count = 0;
    assert_int_equal(ram_target_run(&fixture->ram), 2);
    assert_true(fixture->kick_count > 0);
    assert_true(nbd_session_is_finished(fixture->session));
    assert_int_equal(nbd_session_send_vector(fixture->session, (struct iovec[128]){0}), 0);
    fixture->session = nbd_session_free(fixture->session);
    assert_int_equal(fixture->buffers.taken_bytes, 0);
    for (size_t i = 0; i < sizeof data; i++) {
        assert_int_equal(fixture->ram.bytes[i], 0x22);
    }
}

static void test_export_that_goes_away(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t block[BLOCK_BYTES] = {9};

    start_transmission(fixture, true);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 0, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, sizeof block);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 2, 0, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, 100);
    (void)feed(fixture, SIZE_MAX);
    assert_int_equal(nbd_session_inflight_count(fixture->session), 1);
    nbd_session_shut_down(fixture->session);
    assert_false(nbd_session_is_ending(fixture->session)); /* one write is under way */
    talk_bytes(&fixture->said, block, sizeof block - 100);
    talk_request(&fixture->said, NBD_CMD_READ, 0, 3, 0, BLOCK_BYTES);
    (void)feed(fixture, SIZE_MAX);
    (void)feed(fixture, SIZE_MAX);
    assert_int_equal(nbd_session_inflight_count(fixture->session), 1);
    (void)ram_target_run(&fixture->ram);
    assert_true(nbd_session_is_ending(fixture->session));
    while (drain(fixture, SIZE_MAX) > 0) {
    }
    assert_true(nbd_session_is_finished(fixture->session));
    /* Refusals need not wait for the write. */
    for (uint32_t i = 0; i < 3; i++) {
        struct heard_reply reply = hear(fixture, true, 0);
        assert_int_equal(reply.error, reply.cookie == 1 ? 0 : NBD_ESHUTDOWN);
    }
    assert_int_equal(heard_left(fixture), 0);
}

static void test_idle_session_ends_at_once_when_the_export_goes(void **state)
{
    struct fixture *fixture = *state;

    start_transmission(fixture, false);
    nbd_session_shut_down(fixture->session);
    assert_true(nbd_session_is_finished(fixture->session));
}

static void test_wrong_magic_and_absurd_length_end_the_session(void **state)
{
    struct fixture *fixture = *state;

    start_transmission(fixture, false);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 0, NBD_PAYLOAD_MAX_BYTES + BLOCK_BYTES);
    settle(fixture);
    assert_true(nbd_session_is_finished(fixture->session));
    fixture->session = nbd_session_free(fixture->session);
    open_session(fixture);
    start_transmission(fixture, false);
    talk_bytes(&fixture->said, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35);
    settle(fixture);
    assert_true(nbd_session_is_finished(fixture->session));
    assert_int_equal(fixture->ram.op_counts[VD_OP_WRITE], 0);
}

/* Valid conversations with random bytes changed: whatever happens, the bounds hold. */
static void test_mutated_conversations(void **state)
{
    struct fixture *fixture = *state;
    struct rng rng;

    rng_seed(&rng, aw_test_seed("mutated conversations", 23));
    for (uint32_t round = 0; round < 600; round++) {
        struct expected expected = {0};
        size_t start;
        start_transmission(fixture, rng_below(&rng, 2) != 0);
        start = fixture->said.used;
        for (uint32_t i = 0; i < 20; i++) {
            say_random_request(fixture, &rng, i, &expected);
            free(expected.data);
            expected.data = NULL;
        }
        for (uint32_t i = 0; i < 3; i++) {
            size_t place = start + rng_below(&rng, fixture->said.used - start);
            fixture->said.bytes[place] = (uint8_t)rng_u64(&rng);
        }
        settle(fixture);
        nbd_session_input_ended(fixture->session);
        settle(fixture);
        assert_true(nbd_session_is_finished(fixture->session));
        fixture->session = nbd_session_free(fixture->session);
        assert_int_equal(fixture->buffers.taken_bytes, 0);
        fixture->said.used = 0;
        fixture->said_used = 0;
        fixture->heard.used = 0;
        open_session(fixture);
    }
}

/* A restart: what is in flight is answered, the rest is as if it had not arrived. */
static void test_leaving_answers_what_is_in_flight_only(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t block[BLOCK_BYTES] = {9};
    size_t before;

    start_transmission(fixture, false);
    before = fixture->heard.used;
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 0, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, sizeof block);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 2, 0, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, 100); /* the rest is still on its way */
    (void)feed(fixture, SIZE_MAX);
    assert_int_equal(nbd_session_inflight_count(fixture->session), 1);
    nbd_session_leave(fixture->session);
    assert_false(nbd_session_is_ending(fixture->session));
    talk_bytes(&fixture->said, block, sizeof block - 100);
    talk_request(&fixture->said, NBD_CMD_READ, 0, 3, 0, BLOCK_BYTES);
    (void)feed(fixture, SIZE_MAX);
    (void)feed(fixture, SIZE_MAX);
    assert_int_equal(nbd_session_inflight_count(fixture->session), 1);
    (void)ram_target_run(&fixture->ram);
    while (drain(fixture, SIZE_MAX) > 0) {
    }
    assert_true(nbd_session_is_finished(fixture->session));
    assert_int_equal(fixture->heard.used - before, 16);
    assert_int_equal(get_be32(fixture->heard.bytes + before + 4), 0);
    assert_int_equal(get_be64(fixture->heard.bytes + before + 8), 1);
}

/* A client that goes on sending meanwhile, more than there is place for, is not listened to. */
static void test_leaving_amid_a_flood(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t block[BLOCK_BYTES] = {9};

    start_transmission(fixture, false);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 1, 0, BLOCK_BYTES);
    talk_bytes(&fixture->said, block, sizeof block);
    (void)feed(fixture, SIZE_MAX);
    assert_int_equal(nbd_session_inflight_count(fixture->session), 1);
    nbd_session_leave(fixture->session);
    for (uint32_t i = 0; i < 2048; i++) {
        talk_request(&fixture->said, NBD_CMD_WRITE, 0, 2 + i, 0, BLOCK_BYTES);
        talk_bytes(&fixture->said, block, sizeof block);
    }
    while (feed(fixture, SIZE_MAX) > 0) {
    }
    assert_int_equal(nbd_session_inflight_count(fixture->session), 1);
    (void)ram_target_run(&fixture->ram);
    while (drain(fixture, SIZE_MAX) > 0) {
    }
    assert_true(nbd_session_is_finished(fixture->session));
}

/* A client asks for what is being started, and sends a write right behind, in pieces: the place
 * that was handed out while it waited is where the next piece arrives, whatever the session does
 * meanwhile (3). */
static void test_held_while_a_place_is_handed_out(void **state)
{
    struct fixture *fixture = *state;
    struct iovec vector[NBD_SESSION_RECEIVE_VECTOR];
    static uint8_t data[4 * BLOCK_BYTES];
    size_t first = 0;
    size_t left = 0;

    for (uint32_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * 7 + i / 251);
    }
    fixture->incomplete = true;
    talk_flags(&fixture->said, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "v0", 2);
    talk_request(&fixture->said, NBD_CMD_WRITE, 0, 9, 0, sizeof data);
    talk_bytes(&fixture->said, data, sizeof data);
    first = fixture->said.used - sizeof data + 100; /* the rest is still on its way */
    while (fixture->said_used < first) {
        (void)feed(fixture, first - fixture->said_used);
        (void)drain(fixture, SIZE_MAX);
    }
    assert_true(nbd_session_is_held(fixture->session));
    assert_null(fixture->started);
    assert_int_equal(nbd_session_receive_vector(fixture->session, vector), 1);

    fixture->incomplete = false;
    nbd_session_catalog_changed(fixture->session);
    assert_false(nbd_session_is_held(fixture->session));
    while (drain(fixture, SIZE_MAX) > 0) {
    }
    assert_ptr_equal(fixture->started, &fixture->ram.target);

    left = fixture->said.used - fixture->said_used;
    assert_true(left <= vector[0].iov_len);
    memcpy(vector[0].iov_base, fixture->said.bytes + fixture->said_used, left);
    fixture->said_used += left;
    nbd_session_received(fixture->session, left);
    settle(fixture);
    assert_memory_equal(fixture->ram.bytes, data, sizeof data);
}

/* One that talks on and on while it waits is held at the end of its stream, and served after all.
 */
static void test_held_with_a_full_stream(void **state)
{
    struct fixture *fixture = *state;

    fixture->incomplete = true;
    talk_flags(&fixture->said, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "v0", 2);
    for (uint32_t i = 0; i < 20000; i++) {
        talk_request(&fixture->said, NBD_CMD_FLUSH, 0, i, 0, 0);
    }
    settle(fixture);
    assert_true(nbd_session_is_held(fixture->session));
    assert_true(fixture->said_used < fixture->said.used);
    fixture->incomplete = false;
    nbd_session_catalog_changed(fixture->session);
    settle(fixture);
    assert_int_equal(fixture->said_used, fixture->said.used);
    assert_int_equal(nbd_session_request_count(fixture->session), 20000);
}

/* The end of one that does not wait is seen. */
static void test_held_client_that_leaves(void **state)
{
    struct fixture *fixture = *state;

    fixture->incomplete = true;
    talk_flags(&fixture->said, NBD_FLAG_FIXED_NEWSTYLE);
    talk_option(&fixture->said, NBD_OPT_LIST, NULL, 0);
    settle(fixture);
    assert_true(nbd_session_is_held(fixture->session));
    nbd_session_input_ended(fixture->session);
    assert_false(nbd_session_is_held(fixture->session));
    assert_true(nbd_session_is_finished(fixture->session));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_conversation_with_simple_replies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_conversation_with_structured_replies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_statuses_become_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fua_reaches_the_drive, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_that_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_of_a_read_that_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_block_status, setup, teardown),
        cmocka_unit_test_setup_teardown(test_back_pressure_by_commands, setup, teardown),
        cmocka_unit_test_setup_teardown(test_back_pressure_by_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_disconnect_finishes_what_was_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dead_client, setup, teardown),
        cmocka_unit_test_setup_teardown(test_export_that_goes_away, setup, teardown),
        cmocka_unit_test_setup_teardown(test_leaving_answers_what_is_in_flight_only, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_leaving_amid_a_flood, setup, teardown),
        cmocka_unit_test_setup_teardown(test_idle_session_ends_at_once_when_the_export_goes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_wrong_magic_and_absurd_length_end_the_session, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_held_while_a_place_is_handed_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_held_with_a_full_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(test_held_client_that_leaves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mutated_conversations, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("export nbd_session", tests, NULL, NULL);
}
