/*
 * Frames of a backend that may be hostile: what is good is read, what is not is refused, and
 * nothing crashes.
 */
#include <string.h>

#include "aw_test.h"
#include "base/rng.h"
#include "control/json_text.h"
#include "uplink/frame.h"

#define ID "3771616d-034c-4367-b3fe-a330b5146352"

static int parse(const char *text, struct frame *frame)
{
    char why[FRAME_WHY_BYTES] = "";
    size_t bytes = strlen(text);
    char *copy = malloc(bytes > 0 ? bytes : 1); /* without an end mark */

    memcpy(copy, text, bytes);
    int error = frame_parse(copy, bytes, frame, why);
    free(copy);
    assert_int_equal(error != 0, why[0] != '\0');
    return error;
}

static void refused(const char *text)
{
    struct frame frame;

    if (parse(text, &frame) != -EBADMSG) {
        fail_msg("accepted: %s", text);
    }
}

static void test_challenge(void **state UNUSED)
{
    struct frame frame;

    assert_int_equal(parse("{\"v\":1,\"t\":\"challenge\",\"nonce\":"
                           "\"0123456789abcdef0123456789abcdef\",\"server_id\":\"" ID "\","
                           "\"server_time_us\":5,\"later\":[{}]}",
                           &frame),
                     0);
    assert_int_equal(frame.kind, FRAME_CHALLENGE);
    assert_string_equal(frame.challenge.nonce, "0123456789abcdef0123456789abcdef");
    assert_string_equal(frame.challenge.server_id, ID);
    frame_done(&frame);
    refused("{\"v\":1,\"t\":\"challenge\",\"nonce\":\"short\",\"server_id\":\"" ID "\"}");
    refused("{\"v\":1,\"t\":\"challenge\",\"nonce\":7,\"server_id\":\"" ID "\"}");
    refused("{\"v\":1,\"t\":\"challenge\",\"nonce\":"
            "\"0123456789abcdef\\n0123456789abcdef\",\"server_id\":\"" ID "\"}");
    refused("{\"v\":1,\"t\":\"challenge\",\"nonce\":"
            "\"0123456789abcdef0123456789abcdef\",\"server_id\":\"x\"}");
    refused("{\"v\":1,\"t\":\"challenge\",\"nonce\":"
            "\"0123456789abcdef0123456789abcdef\"}");
}

static void test_welcome_is_clamped(void **state UNUSED)
{
    struct frame frame;

    assert_int_equal(parse("{\"v\":1,\"t\":\"welcome\",\"session_id\":\"" ID "\",\"acked_rev\":7,"
                           "\"acked_event_seq\":9,\"heartbeat_s\":0,"
                           "\"reconnect_window_s\":9223372036854775807}",
                           &frame),
                     0);
    assert_int_equal(frame.welcome.acked_rev, 7);
    assert_int_equal(frame.welcome.acked_event_seq, 9);
    assert_int_equal(frame.welcome.heartbeat_s, 1);
    assert_int_equal(frame.welcome.reconnect_window_s, BOUND_WELCOME_RECONNECT_WINDOW_S_MAX);
    frame_done(&frame);
    refused("{\"v\":1,\"t\":\"welcome\"}");
    refused("{\"v\":1,\"t\":\"welcome\",\"acked_rev\":-1,\"acked_event_seq\":9,"
            "\"heartbeat_s\":1,\"reconnect_window_s\":1}");
    refused("{\"v\":1,\"t\":\"welcome\",\"acked_rev\":1.5,\"acked_event_seq\":9,"
            "\"heartbeat_s\":1,\"reconnect_window_s\":1}");
    refused("{\"v\":1,\"t\":\"welcome\",\"acked_rev\":1,\"acked_event_seq\":9,"
            "\"heartbeat_s\":\"1\",\"reconnect_window_s\":1}");
}

static void test_ack_and_nack(void **state UNUSED)
{
    struct frame frame;

    assert_int_equal(parse("{\"v\":1,\"t\":\"ack\",\"rev\":4,\"result\":\"" ID "\"}", &frame), 0);
    assert_true(frame.ack.has_rev && frame.ack.has_result && !frame.ack.has_event_seq);
    assert_int_equal(frame.ack.rev, 4);
    assert_string_equal(frame.ack.result, ID);
    frame_done(&frame);
    refused("{\"v\":1,\"t\":\"ack\",\"rev\":\"4\"}");
    refused("{\"v\":1,\"t\":\"ack\",\"event_seq\":-4}");
    refused("{\"v\":1,\"t\":\"ack\",\"result\":\"3771616D-034C-4367-B3FE-A330B5146352\"}");
    assert_int_equal(parse("{\"v\":1,\"t\":\"nack\",\"reason\":\"resync\"}", &frame), 0);
    assert_int_equal(frame.nack.kind, NACK_RESYNC);
    frame_done(&frame);
    assert_int_equal(
        parse("{\"v\":1,\"t\":\"nack\",\"reason\":\"new\\nline\",\"detail\":\"a\\u001bb\"}",
              &frame),
        0);
    assert_int_equal(frame.nack.kind, NACK_OTHER);
    assert_string_equal(frame.nack.reason, "new?line");
    assert_string_equal(frame.nack.detail, "a?b");
    frame_done(&frame);
    refused("{\"v\":1,\"t\":\"nack\"}");
}

static void test_unknown_is_tolerated(void **state UNUSED)
{
    static const char *const cases[] = {"{\"v\":1,\"t\":\"tune\",\"x\":1}",
                                        "{\"v\":2,\"t\":\"challenge\"}",
                                        "{\"t\":\"ack\"}",
                                        "{\"v\":1,\"t\":7}",
                                        "{\"v\":1}",
                                        "{}"};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct frame frame;

        assert_int_equal(parse(cases[i], &frame), 0);
        assert_int_equal(frame.kind, FRAME_OTHER);
        frame_done(&frame);
    }
}

#define COMMAND_HEAD "{\"v\":1,\"t\":\"command\",\"command_id\":\"" ID "\","
#define ACTOR "\"actor\":{\"name\":\"a\",\"role\":\"operator\",\"via\":\"rest\"}"

static void test_command(void **state UNUSED)
{
    static const char *const faulty[] = {
        COMMAND_HEAD "\"number\":0,\"op\":\"x\",\"args\":{},\"confirm\":null,"
                     "\"preconditions\":[]," ACTOR ",\"not_after_us\":1}",
        COMMAND_HEAD "\"number\":1,\"op\":\"\",\"args\":{},\"confirm\":null,"
                     "\"preconditions\":[]," ACTOR ",\"not_after_us\":1}",
        COMMAND_HEAD "\"number\":1,\"op\":\"x\",\"args\":[],\"confirm\":null,"
                     "\"preconditions\":[]," ACTOR ",\"not_after_us\":1}",
        COMMAND_HEAD "\"number\":1,\"op\":\"x\",\"args\":{},\"confirm\":1,"
                     "\"preconditions\":[]," ACTOR ",\"not_after_us\":1}",
        COMMAND_HEAD
        "\"number\":1,\"op\":\"x\",\"args\":{},\"confirm\":null,"
        "\"preconditions\":[{\"kind\":\"drive\",\"key\":\"a b\",\"config_rev\":1}]," ACTOR
        ",\"not_after_us\":1}",
        COMMAND_HEAD "\"number\":1,\"op\":\"x\",\"args\":{},\"confirm\":null,"
                     "\"preconditions\":[],\"actor\":{},\"not_after_us\":1}",
        COMMAND_HEAD "\"number\":1,\"op\":\"x\",\"args\":{},\"confirm\":null,"
                     "\"preconditions\":[]," ACTOR ",\"not_after_us\":null}",
        COMMAND_HEAD "\"number\":1}",
        COMMAND_HEAD "\"number\":1,\"op\":\"x\",\"args\":{\"name\":\"a\\u0000b\"},"
                     "\"confirm\":null,\"preconditions\":[]," ACTOR ",\"not_after_us\":1}",
        COMMAND_HEAD "\"number\":4611686018427387904,\"op\":\"x\",\"args\":{},"
                     "\"confirm\":null,\"preconditions\":[]," ACTOR ",\"not_after_us\":1}",
        COMMAND_HEAD "\"number\":1,\"op\":\"x\",\"args\":{},\"confirm\":null,"
                     "\"preconditions\":[]," ACTOR ",\"not_after_us\":253402300800000000}",
    };
    struct frame frame;

    assert_int_equal(parse(COMMAND_HEAD "\"number\":1,\"op\":\"vd_set\",\"args\":{},"
                                        "\"confirm\":\"data\",\"preconditions\":[{\"kind\":"
                                        "\"drive\",\"key\":\"a:b\",\"config_rev\":1}]," ACTOR
                                        ",\"not_after_us\":1}",
                           &frame),
                     0);
    assert_true(frame.command.valid);
    frame_done(&frame);
    for (size_t i = 0; i < sizeof(faulty) / sizeof(faulty[0]); i++) {
        assert_int_equal(parse(faulty[i], &frame), 0); /* it will get an answer */
        assert_false(frame.command.valid);
        assert_true(frame.command.why[0] != '\0');
        frame_done(&frame);
    }
    refused("{\"v\":1,\"t\":\"command\",\"command_id\":\"" ID "x\"}");
    refused("{\"v\":1,\"t\":\"command\"}");
}

static void test_query_and_goaway(void **state UNUSED)
{
    struct frame frame;

    assert_int_equal(parse("{\"v\":1,\"t\":\"query\",\"id\":\"" ID "\",\"name\":\"p\","
                           "\"args\":{\"a\":1}}",
                           &frame),
                     0);
    assert_string_equal(frame.query.name, "p");
    frame_done(&frame);
    refused("{\"v\":1,\"t\":\"query\",\"id\":\"" ID "\",\"name\":\"p\"}");
    refused("{\"v\":1,\"t\":\"query\",\"id\":\"" ID "\",\"name\":\"p\","
            "\"args\":{\"a\":\"b\\u0000\"}}");
    refused("{\"v\":1,\"t\":\"query\",\"id\":\"1\",\"name\":\"p\",\"args\":{}}");
    assert_int_equal(
        parse("{\"v\":1,\"t\":\"goaway\",\"reason\":\"shutdown\",\"spread_s\":30}", &frame), 0);
    assert_int_equal(frame.goaway.spread_s, 30);
    frame_done(&frame);
    refused("{\"v\":1,\"t\":\"goaway\",\"reason\":\"shutdown\",\"spread_s\":-1}");
}

static void test_not_json(void **state UNUSED)
{
    static const char *const cases[] = {"",
                                        "nul",
                                        "[]",
                                        "\"t\"",
                                        "{\"v\":1",
                                        "{\"v\":1}x",
                                        "{\"v\":1,\"v\":1}",
                                        "{\"v\":99999999999999999999}",
                                        "\xff\xfe",
                                        "{\"\xc3(\":1}",
                                        "{\"a\":\"\\ud800\"}"};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        refused(cases[i]);
    }
}

static void test_depth_and_size(void **state UNUSED)
{
    static char text[FRAME_IN_MAX_BYTES + 64];
    struct frame frame;
    char why[FRAME_WHY_BYTES];

    memset(text, '[', FRAME_IN_MAX_BYTES);
    assert_int_equal(frame_parse(text, FRAME_IN_MAX_BYTES, &frame, why), -EBADMSG);
    assert_non_null(strstr(why, "deep"));
    memset(text, ' ', sizeof(text));
    memcpy(text, "{}", 2);
    assert_int_equal(frame_parse(text, FRAME_IN_MAX_BYTES, &frame, why), 0);
    frame_done(&frame);
    assert_int_equal(frame_parse(text, FRAME_IN_MAX_BYTES + 1, &frame, why), -EBADMSG);
    assert_non_null(strstr(why, "64 KiB"));
    for (size_t depth = FRAME_DEPTH_MAX - 2; depth <= FRAME_DEPTH_MAX + 2; depth++) {
        size_t arrays = depth - 1; /* within the object */

        memcpy(text, "{\"a\":", 5);
        memset(text + 5, '[', arrays);
        memset(text + 5 + arrays, ']', arrays);
        text[5 + 2 * arrays] = '}';
        int error = frame_parse(text, 6 + 2 * arrays, &frame, why);
        assert_int_equal(error, depth > FRAME_DEPTH_MAX ? -EBADMSG : 0);
        if (error == 0) {
            frame_done(&frame);
        }
    }
    /* Brackets within a text are not depth. */
    (void)snprintf(text, sizeof(text), "{\"a\":\"\\\"%.*s\"}", 100,
                   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
    assert_int_equal(parse(text, &frame), 0);
    frame_done(&frame);
}

/* Good frames with bytes changed, removed and repeated: read or refused, nothing else. */
static void test_mutations(void **state UNUSED)
{
    static const char *const seeds[] = {
        "{\"v\":1,\"t\":\"challenge\",\"nonce\":\"0123456789abcdef0123456789abcdef\","
        "\"server_id\":\"" ID "\",\"server_time_us\":5}",
        COMMAND_HEAD
        "\"number\":1,\"op\":\"vd_set\",\"args\":{},\"confirm\":\"data\","
        "\"preconditions\":[{\"kind\":\"drive\",\"key\":\"a\",\"config_rev\":1}]," ACTOR
        ",\"not_after_us\":1}",
        "{\"v\":1,\"t\":\"ack\",\"rev\":4,\"event_seq\":7,\"result\":\"" ID "\"}",
        "{\"v\":1,\"t\":\"nack\",\"reason\":\"fenced\",\"detail\":\"x\"}",
        "{\"v\":1,\"t\":\"query\",\"id\":\"" ID "\",\"name\":\"p\",\"args\":{}}"};
    struct rng rng;
    uint32_t accepted = 0;

    rng_seed(&rng, aw_test_seed("mutations", 11));
    for (int i = 0; i < 40000; i++) {
        char text[512];
        struct frame frame;
        char why[FRAME_WHY_BYTES];
        const char *seed = seeds[rng_below(&rng, sizeof(seeds) / sizeof(seeds[0]))];
        size_t bytes = strlen(seed);

        memcpy(text, seed, bytes);
        for (uint64_t changes = rng_below(&rng, 4); changes > 0 && bytes > 2; changes--) {
            size_t at = rng_below(&rng, bytes - 1);

            if (rng_below(&rng, 3) == 0) {
                memmove(text + at, text + at + 1, --bytes - at);
            } else {
                text[at] = (char)rng_below(&rng, 256);
            }
        }
        if (frame_parse(text, bytes, &frame, why) == 0) {
            accepted++;
            frame_done(&frame);
        }
    }
    assert_in_range(accepted, 5000, 39000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_challenge),    cmocka_unit_test(test_welcome_is_clamped),
        cmocka_unit_test(test_ack_and_nack), cmocka_unit_test(test_unknown_is_tolerated),
        cmocka_unit_test(test_command),      cmocka_unit_test(test_query_and_goaway),
        cmocka_unit_test(test_not_json),     cmocka_unit_test(test_depth_and_size),
        cmocka_unit_test(test_mutations),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
