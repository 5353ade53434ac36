/*
 * Commands, outcomes and questions: order, bounds, repeats, deadlines.
 */
#include <string.h>

#include "aw_test.h"
#include "control/json_text.h"
#include "uplink/command_relay.h"
#include "uplink/query_relay.h"

#define SECOND_US 1000000ull

static const char *id_of(uint32_t number)
{
    static char ids[4][UUID_TEXT_BYTES];
    static uint32_t next;
    char *id = ids[next++ % 4];

    (void)snprintf(id, UUID_TEXT_BYTES, "%08x-034c-4367-b3fe-a330b5146352", number);
    return id;
}

static int take(struct command_relay *relay, uint32_t number, const char *op)
{
    struct frame frame;
    char why[FRAME_WHY_BYTES];
    json_t *document =
        json_pack("{s:i,s:s,s:s,s:i,s:s,s:{},s:n,s:[],s:{s:s,s:s,s:s},s:i,s:s}", "v", 1, "t",
                  "command", "command_id", id_of(number), "number", (int)number, "op", op, "args",
                  "confirm", "preconditions", "actor", "name", "a", "role", "operator", "via",
                  "rest", "not_after_us", 9, "secret", "not for arrayd");
    char *text = json_dumps(document, JSON_COMPACT);

    assert_int_equal(frame_parse(text, strlen(text), &frame, why), 0);
    int error = command_relay_take(relay, &frame);
    frame_done(&frame);
    free(text);
    json_decref(document);
    return error;
}

static json_t *status(uint32_t number, const char *state)
{
    return json_pack("{s:s,s:i,s:s,s:{s:s,s:{},s:s},s:[{s:s,s:s}]}", "command_id", id_of(number),
                     "number", (int)number, "state", state, "reason", "code", "ok", "params",
                     "text", "Done.", "objects", "kind", "virtual_drive", "key", "vd0");
}

static void expect_request(struct command_relay *relay, uint32_t number)
{
    char id[UUID_TEXT_BYTES];
    json_t *params = command_relay_next_command(relay, id);

    assert_non_null(params);
    assert_string_equal(id, id_of(number));
    assert_string_equal(json_text_at(params, "command_id"), id);
    assert_null(json_object_get(params, "secret"));
    assert_null(json_object_get(params, "t"));
    assert_true(json_is_null(json_object_get(params, "confirm")));
    json_decref(params);
}

static json_t *pull(struct command_relay *relay, uint64_t now_us)
{
    size_t bytes = 0;
    bool promised = command_relay_has_frame(relay, now_us);
    char *text = command_relay_pull(relay, now_us, 77, &bytes);

    assert_int_equal(promised, text != NULL);
    if (text == NULL) {
        return NULL;
    }
    json_t *frame = json_loadb(text, bytes, 0, NULL);
    free(text);
    assert_int_equal(json_integer_value(json_object_get(frame, "ts")), 77);
    return frame;
}

static void expect_frame(struct command_relay *relay, uint64_t now_us, const char *kind,
                         uint32_t number, const char *state)
{
    json_t *frame = pull(relay, now_us);

    assert_non_null(frame);
    assert_string_equal(json_text_at(frame, "t"), kind);
    assert_string_equal(json_text_at(frame, "command_id"), id_of(number));
    assert_string_equal(json_text_at(frame, "state"), state);
    assert_true(frame_is_reason(json_object_get(frame, "reason")));
    json_decref(frame);
}

static void answered(struct command_relay *relay, uint32_t number, const char *state)
{
    json_t *document = status(number, state);

    assert_true(command_relay_answered(relay, id_of(number), document));
    json_decref(document);
}

static void notified(struct command_relay *relay, uint32_t number, const char *state)
{
    json_t *document = status(number, state);

    assert_true(command_relay_notified(relay, document));
    json_decref(document);
}

static void test_life_of_a_command(void **state UNUSED)
{
    struct command_relay relay;
    char id[UUID_TEXT_BYTES];

    command_relay_start(&relay);
    assert_int_equal(take(&relay, 7, "vd_create"), 0);
    assert_int_equal(take(&relay, 7, "vd_create"), 0); /* a repeat: under way already */
    expect_request(&relay, 7);
    assert_null(command_relay_next_command(&relay, id));
    assert_int_equal(take(&relay, 7, "vd_create"), 0);
    assert_null(command_relay_next_command(&relay, id));
    answered(&relay, 7, "accepted");
    expect_frame(&relay, 5, "cmd_ack", 7, "accepted");
    assert_null(pull(&relay, 5));
    notified(&relay, 7, "succeeded");
    notified(&relay, 7, "succeeded");
    expect_frame(&relay, 5, "result", 7, "succeeded");
    assert_null(pull(&relay, 5));
    assert_false(command_relay_next_acknowledge(&relay, id));
    command_relay_result_acked(&relay, id_of(8)); /* never heard of */
    command_relay_result_acked(&relay, id_of(7));
    assert_true(command_relay_next_acknowledge(&relay, id));
    assert_string_equal(id, id_of(7));
    assert_false(command_relay_next_acknowledge(&relay, id));
    assert_int_equal(relay.outcome_count, 0);
    assert_int_equal(take(&relay, 7, "vd_create"), 0); /* the journal will answer it */
    expect_request(&relay, 7);
    command_relay_done(&relay);
}

static void test_results_are_sent_again(void **state UNUSED)
{
    struct command_relay relay;

    command_relay_start(&relay);
    notified(&relay, 7, "failed");
    assert_int_equal(command_relay_deadline_us(&relay), UINT64_MAX);
    expect_frame(&relay, SECOND_US, "result", 7, "failed");
    assert_int_equal(command_relay_deadline_us(&relay), SECOND_US + RELAY_RESEND_US);
    assert_null(pull(&relay, SECOND_US + RELAY_RESEND_US - 1));
    expect_frame(&relay, SECOND_US + RELAY_RESEND_US, "result", 7, "failed");
    assert_null(pull(&relay, SECOND_US + RELAY_RESEND_US + 1));
    command_relay_result_acked(&relay, id_of(7));
    assert_int_equal(command_relay_deadline_us(&relay), UINT64_MAX);
    assert_null(pull(&relay, 100 * SECOND_US));
    command_relay_done(&relay);
}

static void test_order_and_bound_of_running_commands(void **state UNUSED)
{
    struct command_relay relay;
    char id[UUID_TEXT_BYTES];

    command_relay_start(&relay);
    for (uint32_t i = 1; i <= 30; i++) {
        assert_int_equal(take(&relay, i, "locate"), 0);
    }
    for (uint32_t i = 1; i <= RELAY_RUNNING_MAX; i++) {
        expect_request(&relay, i);
    }
    assert_null(command_relay_next_command(&relay, id));
    answered(&relay, 1, "accepted");
    assert_null(command_relay_next_command(&relay, id)); /* accepted is not the end */
    notified(&relay, 1, "succeeded");
    expect_request(&relay, RELAY_RUNNING_MAX + 1);
    answered(&relay, 2, "running"); /* from the journal: not started by this connection */
    expect_request(&relay, RELAY_RUNNING_MAX + 2);
    answered(&relay, 3, "refused");
    expect_request(&relay, RELAY_RUNNING_MAX + 3);
    command_relay_failed(&relay, id_of(4), NULL);
    expect_request(&relay, RELAY_RUNNING_MAX + 4);
    expect_frame(&relay, 5, "cmd_ack", 1, "accepted");
    expect_frame(&relay, 5, "cmd_ack", 2, "running");
    expect_frame(&relay, 5, "cmd_ack", 3, "refused");
    expect_frame(&relay, 5, "cmd_ack", 4, "refused");
    expect_frame(&relay, 5, "result", 1, "succeeded");
    expect_frame(&relay, 5, "result", 3, "refused");
    assert_null(pull(&relay, 5));
    command_relay_done(&relay);
}

static void test_too_many_commands(void **state UNUSED)
{
    struct command_relay relay;
    uint32_t taken = 0;

    command_relay_start(&relay);
    while (take(&relay, taken + 1, "locate") == 0) {
        taken++;
        assert_true(taken <= RELAY_WAITING_MAX);
    }
    assert_int_equal(taken, RELAY_WAITING_MAX);
    command_relay_done(&relay);
}

static void test_malformed_commands_are_refused_and_bounded(void **state UNUSED)
{
    struct command_relay relay;
    uint32_t taken = 0;

    command_relay_start(&relay);
    while (take(&relay, taken + 1, "") == 0) {
        taken++;
        assert_true(taken <= RELAY_REPLIES_MAX);
    }
    assert_int_equal(taken, RELAY_REPLIES_MAX);
    expect_frame(&relay, 5, "cmd_ack", 1, "refused");
    assert_int_equal(relay.waiting_count, 0);
    command_relay_done(&relay);
}

static void test_frames_that_cannot_be_read_are_answered(void **state UNUSED)
{
    struct command_relay relay;
    uint32_t count = 0;

    command_relay_start(&relay);
    for (uint32_t i = 0; i < 2 * RELAY_REPLIES_MAX; i++) {
        command_relay_nack(&relay, "it is not JSON");
    }
    for (json_t *frame = NULL; (frame = pull(&relay, 5)) != NULL; json_decref(frame)) {
        assert_string_equal(json_text_at(frame, "t"), "nack");
        assert_string_equal(json_text_at(frame, "reason"), "bad");
        assert_string_equal(json_text_at(frame, "detail"), "it is not JSON");
        count++;
    }
    assert_int_equal(count, RELAY_REPLIES_MAX / 2); /* room is left for cmd_acks */
    command_relay_done(&relay);
}

static void test_a_backend_that_does_not_read(void **state UNUSED)
{
    struct command_relay relay;
    char id[UUID_TEXT_BYTES];
    uint32_t asked = 0;

    command_relay_start(&relay);
    for (uint32_t i = 1; i <= RELAY_WAITING_MAX; i++) {
        assert_int_equal(take(&relay, i, "locate"), 0);
    }
    for (json_t *each = NULL; (each = command_relay_next_command(&relay, id)) != NULL;) {
        asked++;
        answered(&relay, asked, "accepted");
        notified(&relay, asked, "succeeded");
        json_decref(each);
    }
    assert_in_range(asked, 20, RELAY_REPLIES_MAX); /* then it waits for the replies to leave */
    for (uint32_t i = 0; i < asked; i++) {
        json_decref(pull(&relay, 5));
    }
    json_t *params = command_relay_next_command(&relay, id);
    assert_non_null(params);
    json_decref(params);
    command_relay_done(&relay);
}

static void test_outcomes_from_before_are_listed(void **state UNUSED)
{
    struct command_relay relay;
    json_t *result = json_pack("{s:[]}", "commands");
    char id[UUID_TEXT_BYTES];

    command_relay_start(&relay);
    assert_true(command_relay_wants_list(&relay));
    assert_false(command_relay_wants_list(&relay));
    for (uint32_t i = 1; i <= 256; i++) { /* as many as arrayd lists at a time */
        assert_int_equal(json_array_append_new(json_object_get(result, "commands"),
                                               status(i, i == 9 ? "running" : "succeeded")),
                         0);
    }
    assert_true(command_relay_listed(&relay, result));
    assert_int_equal(relay.outcome_count, 255);
    assert_false(command_relay_wants_list(&relay)); /* first these */
    for (uint32_t i = 1; i <= 256; i++) {
        if (i == 9) {
            continue;
        }
        expect_frame(&relay, 5, "result", i, "succeeded");
        command_relay_result_acked(&relay, id_of(i));
        assert_true(command_relay_next_acknowledge(&relay, id));
    }
    assert_true(command_relay_wants_list(&relay)); /* there may be more */
    (void)json_array_clear(json_object_get(result, "commands"));
    assert_true(command_relay_listed(&relay, result));
    assert_false(command_relay_wants_list(&relay));
    json_decref(result);
    command_relay_done(&relay);
}

static void test_unacknowledged_results_are_bounded(void **state UNUSED)
{
    struct command_relay relay;
    char id[UUID_TEXT_BYTES];
    uint32_t sent = 0;

    command_relay_start(&relay);
    assert_true(command_relay_wants_list(&relay));
    relay.listing = false;
    for (uint32_t i = 1; i <= RELAY_OUTCOMES_MAX + 10; i++) {
        notified(&relay, i, "succeeded");
    }
    assert_int_equal(relay.outcome_count, RELAY_OUTCOMES_MAX);
    assert_true(relay.wants_list); /* the rest stays in the journal for later */
    for (json_t *frame = NULL; (frame = pull(&relay, 5)) != NULL; json_decref(frame)) {
        sent++;
    }
    assert_int_equal(sent, RELAY_RESULTS_MAX);
    command_relay_result_acked(&relay, id_of(RELAY_RESULTS_MAX + 5)); /* not even sent */
    assert_false(command_relay_next_acknowledge(&relay, id));
    assert_null(pull(&relay, 5));
    command_relay_result_acked(&relay, id_of(3));
    expect_frame(&relay, 5, "result", RELAY_RESULTS_MAX + 1, "succeeded");
    assert_null(pull(&relay, 5));
    command_relay_done(&relay);
}

static void test_local_commands_stay_here(void **state UNUSED)
{
    struct command_relay relay;
    json_t *document = status(0, "succeeded");

    command_relay_start(&relay);
    assert_true(command_relay_notified(&relay, document));
    json_decref(document);
    assert_null(pull(&relay, 5));
    command_relay_done(&relay);
}

static void test_progress_is_passed_on(void **state UNUSED)
{
    struct command_relay relay;
    json_t *document = status(7, "running");

    command_relay_start(&relay);
    json_put_u64(document, "percent", 40);
    assert_true(command_relay_notified(&relay, document));
    json_put_u64(document, "percent", 400);
    assert_true(command_relay_notified(&relay, document));
    json_decref(document);
    json_t *frame = pull(&relay, 5);
    assert_string_equal(json_text_at(frame, "t"), "progress");
    assert_int_equal(json_integer_value(json_object_get(frame, "percent")), 40);
    json_decref(frame);
    assert_null(pull(&relay, 5));
    command_relay_done(&relay);
}

static void test_malformed_statuses(void **state UNUSED)
{
    static const char *const cases[] = {
        "{}", "{\"command_id\":\"x\"}",
        "{\"command_id\":\"00000007-034c-4367-b3fe-a330b5146352\",\"state\":\"succeeded\","
        "\"number\":7,\"reason\":{},\"objects\":[]}",
        "{\"command_id\":\"00000007-034c-4367-b3fe-a330b5146352\",\"state\":\"succeeded\","
        "\"number\":7,\"reason\":{\"code\":\"ok\",\"params\":{},\"text\":\"\"},\"objects\":[1]}"};
    struct command_relay relay;

    command_relay_start(&relay);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        json_t *document = json_loads(cases[i], 0, NULL);

        assert_false(command_relay_notified(&relay, document));
        assert_false(command_relay_answered(&relay, id_of(7), document));
        json_decref(document);
    }
    json_t *other = status(8, "accepted");
    assert_false(command_relay_answered(&relay, id_of(7), other)); /* of another command */
    json_decref(other);
    assert_null(pull(&relay, 5));
    command_relay_done(&relay);
}

/* Questions. */

static bool ask(struct query_relay *relay, uint32_t number, uint64_t now_us)
{
    struct frame frame;
    char why[FRAME_WHY_BYTES];
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"v\":1,\"t\":\"query\",\"id\":\"%s\",\"name\":\"p\",\"args\":{\"n\":%u}}",
                   id_of(number), number);
    assert_int_equal(frame_parse(text, strlen(text), &frame, why), 0);
    bool taken = query_relay_take(relay, &frame, now_us);
    frame_done(&frame);
    return taken;
}

static void expect_answer(struct query_relay *relay, uint32_t number, bool ok, const char *code)
{
    size_t bytes = 0;
    char *text = query_relay_pull(relay, 5, &bytes);

    assert_non_null(text);
    json_t *frame = json_loadb(text, bytes, 0, NULL);
    assert_string_equal(json_text_at(frame, "re"), id_of(number));
    assert_int_equal(json_is_true(json_object_get(frame, "ok")), ok);
    assert_int_equal(json_is_object(json_object_get(frame, "data")), ok);
    assert_string_equal(json_text_at(json_object_get(frame, "reason"), "code"), code);
    json_decref(frame);
    free(text);
}

static void test_questions(void **state UNUSED)
{
    struct query_relay relay;
    char id[UUID_TEXT_BYTES];
    json_t *data = json_pack("{s:i}", "x", 1);
    json_t *reason = frame_reason("unknown_command", "No.");

    query_relay_start(&relay);
    assert_true(ask(&relay, 1, 0));
    assert_true(ask(&relay, 2, 0));
    assert_true(ask(&relay, 3, 10));
    for (uint32_t i = 1; i <= 3; i++) {
        json_t *params = query_relay_next_request(&relay, id);
        assert_string_equal(id, id_of(i));
        assert_string_equal(json_text_at(params, "name"), "p");
        json_decref(params);
    }
    assert_null(query_relay_next_request(&relay, id));
    query_relay_answered(&relay, id_of(1), data, NULL);
    query_relay_answered(&relay, id_of(2), NULL, reason);
    expect_answer(&relay, 1, true, "ok");
    expect_answer(&relay, 2, false, "unknown_command");
    assert_false(query_relay_has_frame(&relay));
    assert_int_equal(query_relay_deadline_us(&relay), 10 + QUERY_LIMIT_US);
    query_relay_tick(&relay, 9 + QUERY_LIMIT_US);
    assert_false(query_relay_has_frame(&relay));
    query_relay_tick(&relay, 10 + QUERY_LIMIT_US);
    expect_answer(&relay, 3, false, "busy");
    query_relay_answered(&relay, id_of(3), data, NULL); /* too late */
    assert_false(query_relay_has_frame(&relay));
    assert_int_equal(query_relay_deadline_us(&relay), UINT64_MAX);
    json_decref(data);
    json_decref(reason);
    query_relay_done(&relay);
}

static void test_too_many_questions(void **state UNUSED)
{
    struct query_relay relay;
    uint32_t taken = 0;

    query_relay_start(&relay);
    while (ask(&relay, taken + 1, 0)) {
        taken++;
        assert_true(taken <= QUERY_MAX);
    }
    assert_int_equal(taken, QUERY_MAX);
    for (uint32_t i = QUERY_ASKED_MAX + 1; i <= QUERY_MAX; i++) {
        expect_answer(&relay, i, false, "busy");
    }
    assert_false(query_relay_has_frame(&relay));
    query_relay_done(&relay);
}

static void test_an_answer_too_large(void **state UNUSED)
{
    struct query_relay relay;
    char id[UUID_TEXT_BYTES];
    char *text = calloc(1, FRAME_OUT_MAX_BYTES + 1);

    memset(text, 'x', FRAME_OUT_MAX_BYTES);
    json_t *data = json_pack("{s:s}", "x", text);
    query_relay_start(&relay);
    assert_true(ask(&relay, 1, 0));
    json_decref(query_relay_next_request(&relay, id));
    query_relay_answered(&relay, id_of(1), data, NULL);
    expect_answer(&relay, 1, false, "invalid_argument");
    json_decref(data);
    free(text);
    query_relay_done(&relay);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life_of_a_command),
        cmocka_unit_test(test_results_are_sent_again),
        cmocka_unit_test(test_order_and_bound_of_running_commands),
        cmocka_unit_test(test_too_many_commands),
        cmocka_unit_test(test_malformed_commands_are_refused_and_bounded),
        cmocka_unit_test(test_frames_that_cannot_be_read_are_answered),
        cmocka_unit_test(test_a_backend_that_does_not_read),
        cmocka_unit_test(test_outcomes_from_before_are_listed),
        cmocka_unit_test(test_unacknowledged_results_are_bounded),
        cmocka_unit_test(test_local_commands_stay_here),
        cmocka_unit_test(test_progress_is_passed_on),
        cmocka_unit_test(test_malformed_statuses),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_too_many_questions),
        cmocka_unit_test(test_an_answer_too_large),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
