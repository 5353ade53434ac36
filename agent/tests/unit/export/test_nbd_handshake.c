/*
 * The handshake: every option's answers, every limit, and random and mutated bytes, which
 * must neither overrun the output nor start a transmission by accident.
 */
#include "nbd_talk.h"

#include "base/rng.h"
#include "ram_target.h"

#define TARGETS 3u

struct fixture {
    struct nbd_catalog catalog;
    struct ram_target targets[TARGETS];
    uint32_t count;
    bool incomplete;
    enum nbd_absence absence;
    struct nbd_handshake handshake;
    uint8_t output_bytes[NBD_HANDSHAKE_OUTPUT_BYTES];
    struct nbd_output output;
    struct talk said;
    size_t said_used; /* of said, already taken */
};

static uint32_t catalog_count(struct nbd_catalog *catalog)
{
    return container_of(catalog, struct fixture, catalog)->count;
}

static struct vd_target *catalog_at(struct nbd_catalog *catalog, uint32_t index)
{
    struct fixture *fixture = container_of(catalog, struct fixture, catalog);

    assert_true(index < fixture->count);
    return &fixture->targets[index].target;
}

static bool catalog_is_complete(struct nbd_catalog *catalog)
{
    return !container_of(catalog, struct fixture, catalog)->incomplete;
}

static enum nbd_absence catalog_absence(struct nbd_catalog *catalog, const char *name UNUSED,
                                        uint32_t name_bytes UNUSED, const char **ret_why)
{
    *ret_why = "it is blocked";
    return container_of(catalog, struct fixture, catalog)->absence;
}

static const struct nbd_catalog_ops catalog_ops = {.count = catalog_count,
                                                   .at = catalog_at,
                                                   .is_complete = catalog_is_complete,
                                                   .absence = catalog_absence};

static void restart(struct fixture *fixture)
{
    fixture->output = (struct nbd_output){.bytes = fixture->output_bytes,
                                          .capacity = sizeof fixture->output_bytes};
    nbd_handshake_init(&fixture->handshake, &fixture->catalog, &fixture->output);
    fixture->said.used = 0;
    fixture->said_used = 0;
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    fixture->catalog.ops = &catalog_ops;
    fixture->count = TARGETS;
    ram_target_init(&fixture->targets[0], "alpha", 1 << 20, 512, false);
    ram_target_init(&fixture->targets[1], "beta", 1 << 21, 4096, false);
    ram_target_init(&fixture->targets[2], "gamma", 1 << 22, 4096, false);
    fixture->targets[2].target.read_only = true;
    restart(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    talk_free(&fixture->said);
    free(fixture);
    return 0;
}

/* One step with everything said so far; the output holds this step's answer only. */
static enum nbd_step step(struct fixture *fixture)
{
    size_t used = 0;
    enum nbd_step result;

    fixture->output.used = 0;
    result = nbd_handshake_input(&fixture->handshake, fixture->said.bytes + fixture->said_used,
                                 fixture->said.used - fixture->said_used, &used, &fixture->output);
    assert_true(used <= fixture->said.used - fixture->said_used);
    fixture->said_used += used;
    return result;
}

static void begin(struct fixture *fixture)
{
    restart(fixture);
    talk_flags(&fixture->said, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
}

/* The answer consists of exactly one reply of this type. */
static void expect_one(struct fixture *fixture, uint32_t type)
{
    const uint8_t *bytes = fixture->output.bytes;
    size_t left = fixture->output.used;
    struct heard_option heard = hear_option(&bytes, &left);

    assert_int_equal(heard.type, type);
    assert_int_equal(left, 0);
}

static void test_greeting(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(fixture->output.used, 18);
    assert_memory_equal(fixture->output.bytes, "NBDMAGICIHAVEOPT\0\3", 18);
}

static void test_client_flags(void **state)
{
    struct fixture *fixture = *state;

    talk_bytes(&fixture->said, "\0\0\0", 3);
    assert_int_equal(step(fixture), NBD_STEP_MORE);
    restart(fixture);
    talk_flags(&fixture->said, 4);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
    /* An old client may only name its export. */
    restart(fixture);
    talk_flags(&fixture->said, 0);
    talk_option(&fixture->said, NBD_OPT_LIST, NULL, 0);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
    restart(fixture);
    talk_flags(&fixture->said, 0);
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "beta", 4);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    assert_int_equal(step(fixture), NBD_STEP_START);
    assert_int_equal(fixture->output.used, 134);
    assert_int_equal(get_be64(fixture->output.bytes), 1 << 21);
}

static void test_export_name(void **state)
{
    struct fixture *fixture = *state;

    begin(fixture);
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "gamma", 5);
    assert_int_equal(step(fixture), NBD_STEP_START);
    assert_int_equal(fixture->output.used, 10);
    assert_true((get_be16(fixture->output.bytes + 8) & NBD_FLAG_READ_ONLY) != 0);
    assert_true((get_be16(fixture->output.bytes + 8) & NBD_FLAG_SEND_TRIM) == 0);
    begin(fixture);
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "delta", 5);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
    begin(fixture);
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "", 0);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE); /* which of the three? */
    fixture->count = 1;
    begin(fixture);
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "", 0);
    assert_int_equal(step(fixture), NBD_STEP_START);
    assert_ptr_equal(fixture->handshake.target, &fixture->targets[0].target);
}

static void test_list(void **state)
{
    struct fixture *fixture = *state;
    const uint8_t *bytes;
    size_t left;

    begin(fixture);
    talk_option(&fixture->said, NBD_OPT_LIST, NULL, 0);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    bytes = fixture->output.bytes;
    left = fixture->output.used;
    for (uint32_t i = 0; i < TARGETS; i++) {
        struct heard_option heard = hear_option(&bytes, &left);
        const struct vd_target *target = &fixture->targets[i].target;
        assert_int_equal(heard.type, NBD_REP_SERVER);
        assert_int_equal(get_be32(heard.data), strlen(target->name));
        assert_memory_equal(heard.data + 4, target->name, strlen(target->name));
        assert_int_equal(heard.data_bytes, 4 + strlen(target->name) + strlen(target->description));
    }
    assert_int_equal(hear_option(&bytes, &left).type, NBD_REP_ACK);
    assert_int_equal(left, 0);
    talk_option(&fixture->said, NBD_OPT_LIST, "x", 1);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_INVALID);
}

static void check_infos(struct fixture *fixture, uint32_t option)
{
    const uint8_t *bytes = fixture->output.bytes;
    size_t left = fixture->output.used;
    struct heard_option heard = hear_option(&bytes, &left);

    assert_int_equal(heard.option, option);
    assert_int_equal(get_be16(heard.data), NBD_INFO_EXPORT);
    assert_int_equal(get_be64(heard.data + 2), 1 << 20);
    assert_int_equal(heard.data_bytes, 12);
    heard = hear_option(&bytes, &left);
    assert_int_equal(get_be16(heard.data), NBD_INFO_NAME);
    assert_memory_equal(heard.data + 2, "alpha", heard.data_bytes - 2);
    heard = hear_option(&bytes, &left);
    assert_int_equal(get_be16(heard.data), NBD_INFO_DESCRIPTION);
    heard = hear_option(&bytes, &left);
    assert_int_equal(get_be16(heard.data), NBD_INFO_BLOCK_SIZE);
    assert_int_equal(get_be32(heard.data + 2), 512);
    assert_int_equal(get_be32(heard.data + 6), 4096);
    assert_int_equal(get_be32(heard.data + 10), NBD_PAYLOAD_MAX_BYTES);
    assert_int_equal(hear_option(&bytes, &left).type, NBD_REP_ACK);
    assert_int_equal(left, 0);
}

static void test_info_and_go(void **state)
{
    struct fixture *fixture = *state;

    begin(fixture);
    talk_go(&fixture->said, NBD_OPT_INFO, "alpha");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    check_infos(fixture, NBD_OPT_INFO);
    talk_go(&fixture->said, NBD_OPT_GO, "nobody");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_UNKNOWN);
    talk_go(&fixture->said, NBD_OPT_GO, "alpha");
    assert_int_equal(step(fixture), NBD_STEP_START);
    check_infos(fixture, NBD_OPT_GO);
    assert_ptr_equal(fixture->handshake.target, &fixture->targets[0].target);
    assert_false(fixture->handshake.structured);
    assert_false(fixture->handshake.allocation_context);
}

static void test_go_with_lengths_that_disagree(void **state)
{
    struct fixture *fixture = *state;
    static const char *const datas[] = {
        "",
        "\0\0\0\0\0",
        "\0\0\0\5alph\0\0",
        "\0\0\0\1a\0\2\0\1",
        "\0\0\0\1a\0\0\0",
        "\xff\xff\xff\xff\0\0",
        "\xff\xff\xff\xfa\0\0",
    };
    static const uint32_t lengths[] = {0, 5, 10, 9, 8, 6, 6};

    begin(fixture);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        talk_option(&fixture->said, NBD_OPT_GO, datas[i], lengths[i]);
        assert_int_equal(step(fixture), NBD_STEP_NEXT);
        expect_one(fixture, NBD_REP_ERR_INVALID);
    }
}

static void test_structured_replies_and_context(void **state)
{
    struct fixture *fixture = *state;
    const uint8_t *bytes;
    size_t left;
    struct heard_option heard;

    begin(fixture);
    talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, "alpha", "base:allocation");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_INVALID);
    talk_option(&fixture->said, NBD_OPT_STRUCTURED_REPLY, "x", 1);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_INVALID);
    talk_option(&fixture->said, NBD_OPT_STRUCTURED_REPLY, NULL, 0);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ACK);
    talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, "alpha", "qemu:dirty-bitmap:x");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ACK);
    talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, "alpha", "base:");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ACK);
    talk_context(&fixture->said, NBD_OPT_LIST_META_CONTEXT, "alpha", NULL);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    bytes = fixture->output.bytes;
    left = fixture->output.used;
    heard = hear_option(&bytes, &left);
    assert_int_equal(heard.type, NBD_REP_META_CONTEXT);
    assert_memory_equal(heard.data + 4, "base:allocation", 15);
    assert_int_equal(hear_option(&bytes, &left).type, NBD_REP_ACK);
    talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, "nobody", "base:allocation");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_UNKNOWN);
    talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, "alpha", "base:allocation");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    assert_int_equal(get_be32(fixture->output.bytes + 20), NBD_CONTEXT_ID);
    talk_go(&fixture->said, NBD_OPT_GO, "alpha");
    assert_int_equal(step(fixture), NBD_STEP_START);
    assert_true(fixture->handshake.allocation_context);
}

/* A context holds for the export it was asked for, and is lost by a later failed request. */
static void test_context_of_another_export_is_void(void **state)
{
    struct fixture *fixture = *state;

    for (uint32_t i = 0; i < 2; i++) {
        begin(fixture);
        talk_option(&fixture->said, NBD_OPT_STRUCTURED_REPLY, NULL, 0);
        assert_int_equal(step(fixture), NBD_STEP_NEXT);
        talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, i == 0 ? "beta" : "alpha",
                     "base:allocation");
        assert_int_equal(step(fixture), NBD_STEP_NEXT);
        if (i == 1) {
            talk_context(&fixture->said, NBD_OPT_SET_META_CONTEXT, "nobody", NULL);
            assert_int_equal(step(fixture), NBD_STEP_NEXT);
        }
        talk_go(&fixture->said, NBD_OPT_GO, "alpha");
        assert_int_equal(step(fixture), NBD_STEP_START);
        assert_false(fixture->handshake.allocation_context);
    }
}

static void test_abort_tls_and_unknown(void **state)
{
    struct fixture *fixture = *state;

    begin(fixture);
    talk_option(&fixture->said, NBD_OPT_STARTTLS, NULL, 0);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_UNSUP);
    talk_option(&fixture->said, 4711, "data", 4);
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_UNSUP);
    talk_option(&fixture->said, NBD_OPT_ABORT, NULL, 0);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
    expect_one(fixture, NBD_REP_ACK);
}

static void test_limits(void **state)
{
    struct fixture *fixture = *state;
    static const uint8_t zeros[NBD_OPTION_MAX_BYTES + 1];

    begin(fixture);
    talk_option(&fixture->said, NBD_OPT_GO, zeros, sizeof zeros);
    talk_go(&fixture->said, NBD_OPT_INFO, "alpha");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_TOO_BIG);
    assert_int_equal(step(fixture), NBD_STEP_NEXT); /* the skipped data */
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    check_infos(fixture, NBD_OPT_INFO);
    begin(fixture);
    put_be64(talk_take(&fixture->said, 8), NBD_OPTION_MAGIC);
    put_be32(talk_take(&fixture->said, 4), NBD_OPT_GO);
    put_be32(talk_take(&fixture->said, 4), NBD_OPTION_SKIP_MAX_BYTES + 1);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
    begin(fixture);
    put_be64(talk_take(&fixture->said, 8), NBD_OPTION_MAGIC ^ 1);
    put_be64(talk_take(&fixture->said, 8), 0);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
    begin(fixture);
    for (uint32_t i = 0; i < NBD_OPTION_COUNT_MAX; i++) {
        talk_option(&fixture->said, NBD_OPT_STARTTLS, NULL, 0);
        assert_int_equal(step(fixture), NBD_STEP_NEXT);
    }
    talk_option(&fixture->said, NBD_OPT_STARTTLS, NULL, 0);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
}

/* Cut at every byte: more is asked for, nothing is consumed, and the whole works. */
static void test_every_cut_asks_for_more(void **state)
{
    struct fixture *fixture = *state;
    struct talk whole = {0};

    talk_go(&whole, NBD_OPT_GO, "alpha");
    for (size_t cut = 0; cut < whole.used; cut++) {
        begin(fixture);
        talk_bytes(&fixture->said, whole.bytes, cut);
        assert_int_equal(step(fixture), NBD_STEP_MORE);
        assert_int_equal(fixture->output.used, 0);
        talk_bytes(&fixture->said, whole.bytes + cut, whole.used - cut);
        assert_int_equal(step(fixture), NBD_STEP_START);
    }
    talk_free(&whole);
}

static void test_mutated_options(void **state)
{
    struct fixture *fixture = *state;
    struct talk whole = {0};
    struct rng rng;

    rng_seed(&rng, aw_test_seed("mutated options", 17));
    talk_option(&whole, NBD_OPT_STRUCTURED_REPLY, NULL, 0);
    talk_context(&whole, NBD_OPT_SET_META_CONTEXT, "alpha", "base:allocation");
    talk_option(&whole, NBD_OPT_LIST, NULL, 0);
    talk_go(&whole, NBD_OPT_GO, "beta");
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t changes = 1 + (uint32_t)rng_below(&rng, 4);
        enum nbd_step result = NBD_STEP_NEXT;
        begin(fixture);
        talk_bytes(&fixture->said, whole.bytes, whole.used);
        for (uint32_t i = 0; i < changes; i++) {
            fixture->said.bytes[4 + rng_below(&rng, whole.used)] = (uint8_t)rng_u64(&rng);
        }
        while (result == NBD_STEP_NEXT) {
            result = step(fixture);
        }
        assert_true(result != NBD_STEP_START || fixture->handshake.target != NULL);
    }
    talk_free(&whole);
}

static void say_what_waits(struct fixture *fixture, uint32_t option)
{
    switch (option) {
    case NBD_OPT_EXPORT_NAME:
        talk_option(&fixture->said, option, "delta", 5);
        return;
    case NBD_OPT_LIST:
        talk_option(&fixture->said, option, NULL, 0);
        return;
    case NBD_OPT_LIST_META_CONTEXT:
    case NBD_OPT_SET_META_CONTEXT:
        talk_option(&fixture->said, NBD_OPT_STRUCTURED_REPLY, NULL, 0);
        assert_int_equal(step(fixture), NBD_STEP_NEXT);
        talk_context(&fixture->said, option, "delta", NBD_CONTEXT_NAME);
        return;
    default:
        talk_go(&fixture->said, option, "delta");
    }
}

static const uint32_t waiting_options[] = {
    NBD_OPT_EXPORT_NAME,     NBD_OPT_LIST, NBD_OPT_INFO, NBD_OPT_GO, NBD_OPT_LIST_META_CONTEXT,
    NBD_OPT_SET_META_CONTEXT};

/* (3): nothing is answered, and nothing consumed, before the catalogue is complete. */
static void test_what_may_come_is_waited_for(void **state)
{
    struct fixture *fixture = *state;

    for (size_t i = 0; i < sizeof waiting_options / sizeof waiting_options[0]; i++) {
        bool starts = waiting_options[i] == NBD_OPT_EXPORT_NAME || waiting_options[i] == NBD_OPT_GO;
        size_t used = 0;

        fixture->incomplete = true;
        fixture->absence = NBD_ABSENCE_SOON;
        fixture->count = TARGETS - 1;
        begin(fixture);
        say_what_waits(fixture, waiting_options[i]);
        used = fixture->said_used;
        for (uint32_t again = 0; again < 2 * NBD_OPTION_COUNT_MAX; again++) {
            assert_int_equal(step(fixture), NBD_STEP_WAIT);
            assert_int_equal(fixture->said_used, used);
            assert_int_equal(fixture->output.used, 0);
        }
        /* What is there already is served meanwhile. */
        ram_target_init(&fixture->targets[2], "delta", 1 << 22, 4096, false);
        fixture->count = TARGETS;
        if (waiting_options[i] != NBD_OPT_LIST) {
            assert_int_equal(step(fixture), starts ? NBD_STEP_START : NBD_STEP_NEXT);
            continue;
        }
        assert_int_equal(step(fixture), NBD_STEP_WAIT);
        fixture->incomplete = false;
        assert_int_equal(step(fixture), NBD_STEP_NEXT);
    }
}

/* Whoever has waited long enough hears that it may come, not that there is none. */
static void test_the_end_of_a_wait(void **state)
{
    struct fixture *fixture = *state;

    fixture->incomplete = true;
    fixture->absence = NBD_ABSENCE_SOON;
    for (size_t i = 0; i < sizeof waiting_options / sizeof waiting_options[0]; i++) {
        begin(fixture);
        say_what_waits(fixture, waiting_options[i]);
        assert_int_equal(step(fixture), NBD_STEP_WAIT);
        fixture->handshake.impatient = true;
        if (waiting_options[i] == NBD_OPT_EXPORT_NAME) {
            assert_int_equal(step(fixture), NBD_STEP_CLOSE);
        } else {
            assert_int_equal(step(fixture), NBD_STEP_NEXT);
            expect_one(fixture, NBD_REP_ERR_POLICY);
        }
    }
}

/* The only export is not known to be the only one before all are. */
static void test_an_empty_name_waits_for_all(void **state)
{
    struct fixture *fixture = *state;

    fixture->incomplete = true;
    fixture->count = 1;
    begin(fixture);
    talk_go(&fixture->said, NBD_OPT_GO, "");
    assert_int_equal(step(fixture), NBD_STEP_WAIT);
    fixture->incomplete = false;
    assert_int_equal(step(fixture), NBD_STEP_START);
    assert_ptr_equal(fixture->handshake.target, &fixture->targets[0].target);
}

static void test_an_export_nobody_can_have_now(void **state)
{
    struct fixture *fixture = *state;

    begin(fixture);
    fixture->absence = NBD_ABSENCE_REFUSED;
    talk_go(&fixture->said, NBD_OPT_GO, "delta");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_POLICY);
    fixture->absence = NBD_ABSENCE_UNKNOWN;
    talk_go(&fixture->said, NBD_OPT_GO, "delta");
    assert_int_equal(step(fixture), NBD_STEP_NEXT);
    expect_one(fixture, NBD_REP_ERR_UNKNOWN);
}

/* One client too many, with and without TLS: each option says why, then the connection ends. */
static void test_a_client_that_is_not_let_in(void **state)
{
    struct fixture *fixture = *state;
    static const uint32_t options[] = {NBD_OPT_LIST, NBD_OPT_INFO, NBD_OPT_GO, NBD_OPT_STARTTLS,
                                       NBD_OPT_STRUCTURED_REPLY};

    for (size_t i = 0; i < 2 * (sizeof options / sizeof options[0]); i++) {
        uint32_t option = options[i / 2];

        begin(fixture);
        fixture->handshake.refusal = "too many clients";
        fixture->handshake.tls = i % 2 == 0 ? NBD_TLS_OFF : NBD_TLS_REQUIRED;
        if (option == NBD_OPT_INFO || option == NBD_OPT_GO) {
            talk_go(&fixture->said, option, "alpha");
        } else {
            talk_option(&fixture->said, option, NULL, 0);
        }
        assert_int_equal(step(fixture), NBD_STEP_CLOSE);
        expect_one(fixture, NBD_REP_ERR_POLICY);
    }
    begin(fixture);
    fixture->handshake.refusal = "too many clients";
    talk_option(&fixture->said, NBD_OPT_EXPORT_NAME, "alpha", 5);
    assert_int_equal(step(fixture), NBD_STEP_CLOSE);
    assert_null(fixture->handshake.target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_greeting, setup, teardown),
        cmocka_unit_test_setup_teardown(test_client_flags, setup, teardown),
        cmocka_unit_test_setup_teardown(test_export_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_list, setup, teardown),
        cmocka_unit_test_setup_teardown(test_info_and_go, setup, teardown),
        cmocka_unit_test_setup_teardown(test_go_with_lengths_that_disagree, setup, teardown),
        cmocka_unit_test_setup_teardown(test_structured_replies_and_context, setup, teardown),
        cmocka_unit_test_setup_teardown(test_context_of_another_export_is_void, setup, teardown),
        cmocka_unit_test_setup_teardown(test_abort_tls_and_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_cut_asks_for_more, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mutated_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_may_come_is_waited_for, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_end_of_a_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_empty_name_waits_for_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_export_nobody_can_have_now, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_client_that_is_not_let_in, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("export nbd_handshake", tests, NULL, NULL);
}
