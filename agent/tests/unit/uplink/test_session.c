/*
 * The session between a scripted arrayd and a scripted backend, on a virtual clock.
 */
#include <string.h>

#include "aw_test.h"
#include "control/json_text.h"
#include "uplink/frame.h"
#include "uplink/uplink_session.h"

#define AGENT_ID "3771616d-034c-4367-b3fe-a330b5146352"
#define SERVER_ID "13600ddc-b637-44d3-baee-08253e98019c"
#define STATE_EPOCH "a9241f7b-24a2-41cb-a836-1e03e54683aa"
#define EVENT_EPOCH "4ea5c8ef-f1c9-4bbc-ab2c-a79ea8db8c85"
#define COMMAND_ID "00000007-034c-4367-b3fe-a330b5146352"
#define FENCE "5-0123456789abcdef0123456789abcdef"
#define NONCE "0123456789abcdef0123456789abcdef"
#define SECOND_US 1000000ull

struct world {
    struct uplink_session *session;
    struct uplink_now now;
    char signed_text[512];
    char last_log[512];
    char kept_fence[80];
    bool sign_fails;
    bool fence_fails;
    uint64_t last_request_id;
};

static int fake_sign(void *context, const char *text, size_t bytes,
                     char ret_signature[UPLINK_SIGNATURE_TEXT_BYTES])
{
    struct world *world = context;

    (void)snprintf(world->signed_text, sizeof(world->signed_text), "%.*s", (int)bytes, text);
    (void)snprintf(ret_signature, UPLINK_SIGNATURE_TEXT_BYTES, "SIGNATURE");
    return world->sign_fails ? -EIO : 0;
}

static int fake_keep_fence(void *context, const char *fence)
{
    struct world *world = context;

    (void)snprintf(world->kept_fence, sizeof(world->kept_fence), "%s", fence);
    return world->fence_fails ? -ENOSPC : 0;
}

static void fake_log(void *context, enum uplink_log_level level UNUSED, const char *text)
{
    struct world *world = context;

    (void)snprintf(world->last_log, sizeof(world->last_log), "%s", text);
}

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof(*world));
    struct uplink_options options = {
        .agent_id = AGENT_ID,
        .server_id = SERVER_ID,
        .hostname = "",
        .reconnect_base_ms = 2000,
        .reconnect_cap_ms = 600000,
        .seed = 5,
        .port = {
            .sign = fake_sign, .keep_fence = fake_keep_fence, .log = fake_log, .context = world}};

    world->now = (struct uplink_now){.us = 1000 * SECOND_US, .wall_us = 1700000000 * SECOND_US};
    assert_int_equal(uplink_session_new(&options, world->now, &world->session), 0);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;

    world->session = uplink_session_free(world->session);
    free(world);
    return 0;
}

static enum uplink_phase phase(const struct world *world)
{
    return uplink_session_phase(world->session);
}

static void pass(struct world *world, uint64_t us)
{
    world->now.us += us;
    world->now.wall_us += us;
    uplink_session_tick(world->session, world->now);
}

/* arrayd. */

static json_t *pull_request(struct world *world)
{
    size_t bytes = 0;
    char *line = uplink_session_pull_control(world->session, world->now, &bytes);

    if (line == NULL) {
        return NULL;
    }
    assert_null(memchr(line, '\n', bytes));
    json_t *request = json_loadb(line, bytes, 0, NULL);
    free(line);
    assert_non_null(request);
    assert_int_equal(json_integer_value(json_object_get(request, "v")), 1);
    assert_true(json_u64_at(request, "id", &world->last_request_id));
    return request;
}

/* The next request must be this one; its params belong to the caller. */
static json_t *expect_request(struct world *world, const char *method)
{
    json_t *request = pull_request(world);

    assert_non_null(request);
    assert_string_equal(json_text_at(request, "method"), method);
    json_t *params = json_incref(json_object_get(request, "params"));
    json_decref(request);
    return params;
}

static void expect_no_request(struct world *world)
{
    assert_null(pull_request(world));
}

static void agent_says(struct world *world, const char *text)
{
    uplink_session_control_line(world->session, world->now, text, strlen(text));
}

static void agent_sends(struct world *world, json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);

    assert_non_null(text);
    json_decref(document);
    agent_says(world, text);
    free(text);
}

/* To the last request that was pulled. */
static void agent_answers(struct world *world, json_t *result)
{
    agent_sends(world,
                json_pack("{s:I,s:o}", "id", (json_int_t)world->last_request_id, "result", result));
}

static json_t *hello_result(bool online)
{
    return json_pack("{s:s,s:s,s:s,s:i,s:s,s:i,s:i,s:i,s:s,s:s,s:s,s:b}", "agent_version", "0.1.0",
                     "role", "viewer", "state_epoch", STATE_EPOCH, "state_rev", 20, "event_epoch",
                     EVENT_EPOCH, "event_seq_first", 1, "event_seq_last", 3, "command_number", 4,
                     "policy_preset", "lab", "hostname", "alpha", "boot_id", "b1", "online",
                     online);
}

static json_t *state_result(uint64_t base, uint64_t to, bool full)
{
    return json_pack("{s:s,s:I,s:I,s:b,s:[{s:s,s:s,s:I,s:i,s:{}}],s:[]}", "epoch", STATE_EPOCH,
                     "base_rev", (json_int_t)base, "to_rev", (json_int_t)to, "full", full,
                     "objects", "kind", "drive", "key", "d1", "rev", (json_int_t)to, "config_rev",
                     1, "doc", "tombstones");
}

static json_t *events_result(uint64_t first, uint64_t last)
{
    json_t *result = json_pack("{s:s,s:i,s:I,s:[]}", "epoch", EVENT_EPOCH, "first_kept_seq", 1,
                               "last_seq", (json_int_t)last, "events");

    for (uint64_t seq = first; seq <= last; seq++) {
        assert_int_equal(json_array_append_new(json_object_get(result, "events"),
                                               json_pack("{s:I}", "seq", (json_int_t)seq)),
                         0);
    }
    return result;
}

static json_t *status(const char *state)
{
    return json_pack("{s:s,s:i,s:s,s:{s:s,s:{},s:s},s:[]}", "command_id", COMMAND_ID, "number", 7,
                     "state", state, "reason", "code", "ok", "params", "text", "Done.", "objects");
}

static void agent_notifies(struct world *world, const char *method, json_t *params)
{
    agent_sends(world, json_pack("{s:s,s:o}", "method", method, "params", params));
}

/* The backend. */

static void backend_says(struct world *world, const char *text)
{
    uplink_session_link_frame(world->session, world->now, text, strlen(text));
}

static json_t *pull_frame(struct world *world)
{
    size_t bytes = 0;
    bool promised = uplink_session_has_link_output(world->session, world->now);
    char *text = uplink_session_pull_link(world->session, world->now, &bytes);

    if (text == NULL) {
        assert_false(promised);
        return NULL;
    }
    assert_true(promised);
    json_t *frame = json_loadb(text, bytes, 0, NULL);
    free(text);
    assert_non_null(frame);
    assert_int_equal(json_integer_value(json_object_get(frame, "v")), 1);
    assert_int_equal((uint64_t)json_integer_value(json_object_get(frame, "ts")),
                     world->now.wall_us);
    return frame;
}

static json_t *expect_frame(struct world *world, const char *kind)
{
    json_t *frame = pull_frame(world);

    assert_non_null(frame);
    assert_string_equal(json_text_at(frame, "t"), kind);
    return frame;
}

static void expect_no_frame(struct world *world)
{
    assert_null(pull_frame(world));
}

static uint64_t number(const json_t *document, const char *name)
{
    uint64_t value = 0;

    assert_true(json_u64_at(document, name, &value));
    return value;
}

/* Walks. */

static void reach_greet(struct world *world)
{
    assert_int_equal(phase(world), UPLINK_WAIT);
    uint64_t deadline_us = uplink_session_deadline_us(world->session);
    pass(world, deadline_us > world->now.us ? deadline_us - world->now.us : 0);
    assert_int_equal(phase(world), UPLINK_CONTROL);
    assert_true(uplink_session_wants_control(world->session));
    assert_false(uplink_session_wants_link(world->session));
    uplink_session_control_opened(world->session, world->now);
    json_decref(expect_request(world, "hello"));
    expect_no_request(world);
}

static void reach_challenge(struct world *world)
{
    reach_greet(world);
    agent_answers(world, hello_result(true));
    assert_int_equal(phase(world), UPLINK_DIAL);
    assert_true(uplink_session_wants_link(world->session));
    uplink_session_link_opened(world->session, world->now);
    assert_int_equal(phase(world), UPLINK_CHALLENGE);
    expect_no_frame(world);
}

static void reach_welcome(struct world *world)
{
    reach_challenge(world);
    backend_says(world, "{\"v\":1,\"t\":\"challenge\",\"nonce\":\"" NONCE "\",\"server_id\":"
                        "\"" SERVER_ID "\",\"server_time_us\":1}");
    assert_int_equal(phase(world), UPLINK_WELCOME);
    json_decref(expect_frame(world, "hello"));
}

static void welcome(struct world *world, unsigned acked_rev, unsigned acked_seq)
{
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"v\":1,\"t\":\"welcome\",\"session_id\":\"" SERVER_ID "\",\"acked_rev\":%u,"
                   "\"acked_event_seq\":%u,\"heartbeat_s\":15,\"reconnect_window_s\":5}",
                   acked_rev, acked_seq);
    backend_says(world, text);
    assert_int_equal(phase(world), UPLINK_LIVE);
    json_t *params = expect_request(world, "link.report"); /* arrayd is told that the link stands */
    assert_null(json_object_get(params, "reason"));
    json_decref(params);
    agent_answers(world, json_object());
}

static void welcome_with_fence(struct world *world)
{
    backend_says(world, "{\"v\":1,\"t\":\"welcome\",\"session_id\":\"" SERVER_ID
                        "\",\"acked_rev\":20,\"acked_event_seq\":3,\"heartbeat_s\":15,"
                        "\"reconnect_window_s\":5,\"fence\":\"" FENCE "\"}");
    assert_int_equal(phase(world), UPLINK_FENCE);
    expect_no_frame(world); /* before it is stored */
    json_t *params = expect_request(world, "link.join");
    assert_string_equal(json_text_at(params, "fence"), FENCE);
    json_decref(params);
    expect_no_request(world);
}

/* Live, with the first round of requests answered and the first frames sent. */
static void reach_streaming(struct world *world)
{
    reach_welcome(world);
    welcome(world, 20, 3);
    json_decref(expect_request(world, "command.list"));
    agent_answers(world, json_pack("{s:[]}", "commands"));
    json_decref(expect_request(world, "events.subscribe"));
    agent_answers(world, json_object());
    json_t *params = expect_request(world, "events.read"); /* what came before the subscription */
    assert_int_equal(number(params, "after_seq"), 3);
    json_decref(params);
    agent_answers(world, events_result(4, 3));
    params = expect_request(world, "state.subscribe");
    assert_int_equal(number(params, "since_rev"), 20);
    json_decref(params);
    agent_answers(world, json_pack("{s:s,s:i,s:i,s:b,s:[],s:[]}", "epoch", STATE_EPOCH, "base_rev",
                                   20, "to_rev", 20, "full", 0, "objects", "tombstones"));
    expect_no_request(world);
    expect_no_frame(world);
}

static uint64_t wait_left_us(const struct world *world)
{
    assert_int_equal(phase(world), UPLINK_WAIT);
    assert_false(uplink_session_wants_control(world->session));
    return uplink_session_deadline_us(world->session) - world->now.us;
}

/* Tests. */

static void test_hello_is_signed(void **state)
{
    struct world *world = *state;

    reach_challenge(world);
    backend_says(world, "{\"v\":1,\"t\":\"challenge\",\"nonce\":\"" NONCE "\",\"server_id\":"
                        "\"" SERVER_ID "\",\"server_time_us\":1}");
    assert_string_equal(world->signed_text,
                        "arraywright-hello-v1\n" NONCE "\n" SERVER_ID "\n" AGENT_ID);
    json_t *hello = expect_frame(world, "hello");
    assert_string_equal(json_text_at(hello, "agent_id"), AGENT_ID);
    assert_string_equal(json_text_at(hello, "signature"), "SIGNATURE");
    assert_string_equal(json_text_at(hello, "hostname"), "alpha");
    assert_string_equal(json_text_at(hello, "boot_id"), "b1");
    assert_string_equal(json_text_at(hello, "agent_version"), "0.1.0");
    assert_string_equal(json_text_at(hello, "policy_preset"), "lab");
    assert_string_equal(json_text_at(hello, "state_epoch"), STATE_EPOCH);
    assert_string_equal(json_text_at(hello, "event_epoch"), EVENT_EPOCH);
    assert_int_equal(number(hello, "state_rev"), 20);
    assert_int_equal(number(hello, "event_seq_first"), 1);
    assert_int_equal(number(hello, "event_seq_last"), 3);
    assert_int_equal(number(hello, "command_number"), 4);
    assert_true(json_is_array(json_object_get(hello, "capabilities")));
    json_decref(hello);
    expect_no_frame(world);
}

static json_t *hello_of_next_round(struct world *world)
{
    json_t *result = hello_result(true);

    pass(world, uplink_session_deadline_us(world->session) - world->now.us);
    uplink_session_control_opened(world->session, world->now);
    json_decref(expect_request(world, "hello"));
    assert_int_equal(json_object_set_new(result, "fence", json_string("4-arrayd")), 0);
    agent_answers(world, result);
    uplink_session_link_opened(world->session, world->now);
    backend_says(world, "{\"v\":1,\"t\":\"challenge\",\"nonce\":\"" NONCE "\",\"server_id\":"
                        "\"" SERVER_ID "\",\"server_time_us\":1}");
    return expect_frame(world, "hello");
}

static void test_the_fence_is_stored_before_anything_is_told(void **state)
{
    struct world *world = *state;

    reach_welcome(world);
    welcome_with_fence(world);
    assert_string_equal(world->kept_fence, ""); /* arrayd first */
    backend_says(world, "{\"v\":1,\"t\":\"goodness\"}"); /* more may come at once */
    agent_answers(world, json_object());
    assert_string_equal(world->kept_fence, FENCE);
    assert_int_equal(phase(world), UPLINK_LIVE);
    json_t *frame = expect_frame(world, "heartbeat");
    assert_string_equal(json_text_at(frame, "fence"), FENCE);
    json_decref(frame);
    pass(world, 15 * SECOND_US);
    frame = expect_frame(world, "heartbeat");
    assert_null(json_object_get(frame, "fence")); /* once is enough */
    json_decref(frame);
    /* The next round shows both fences. */
    uplink_session_link_closed(world->session, world->now, "");
    frame = hello_of_next_round(world);
    assert_string_equal(json_text_at(frame, "link_fence"), FENCE);
    assert_string_equal(json_text_at(frame, "state_fence"), "4-arrayd");
    json_decref(frame);
}

/* A full state directory, an older arrayd: what the host has to tell is told all the same. */
static void test_a_fence_that_cannot_be_stored_is_not_confirmed(void **state)
{
    struct world *world = *state;

    for (int round = 0; round < 2; round++) {
        world->fence_fails = round == 1;
        reach_welcome(world);
        welcome_with_fence(world);
        if (round == 0) {
            agent_sends(world, json_pack("{s:I,s:{s:s,s:{},s:s}}", "id",
                                         (json_int_t)world->last_request_id, "error", "code",
                                         "store_full", "params", "text", "It is full."));
        } else {
            agent_answers(world, json_object());
        }
        assert_int_equal(phase(world), UPLINK_LIVE);
        pass(world, 14 * SECOND_US);
        expect_no_frame(world);
        pass(world, SECOND_US);
        json_t *frame = expect_frame(world, "heartbeat");
        assert_null(json_object_get(frame, "fence"));
        json_decref(frame);
        uplink_session_link_closed(world->session, world->now, "");
    }
    reach_welcome(world);
    welcome_with_fence(world);
    pass(world, 20 * SECOND_US); /* an arrayd that does not answer ends the round */
    assert_in_range(wait_left_us(world), 1, 5 * SECOND_US);
}

static void test_identity_in_use_is_told_and_waited_out(void **state)
{
    struct world *world = *state;

    reach_welcome(world);
    backend_says(world, "{\"v\":1,\"t\":\"nack\",\"reason\":\"identity_in_use\","
                        "\"detail\":\"x\",\"retry_s\":60}");
    assert_int_equal(phase(world), UPLINK_TELL);
    assert_false(uplink_session_wants_link(world->session));
    assert_true(uplink_session_wants_control(world->session));
    json_t *params = expect_request(world, "link.report");
    assert_string_equal(json_text_at(json_object_get(params, "reason"), "code"), "identity_in_use");
    json_decref(params);
    agent_answers(world, json_object());
    assert_in_range(wait_left_us(world), 60 * SECOND_US, 75 * SECOND_US);
    assert_non_null(strstr(world->last_log, "another machine"));
    assert_non_null(strstr(world->last_log, "--force"));
    /* An arrayd that has gone meanwhile does not shorten the wait. */
    reach_welcome(world);
    backend_says(world, "{\"v\":1,\"t\":\"nack\",\"reason\":\"identity_in_use\"}");
    uplink_session_control_closed(world->session, world->now, NULL);
    assert_in_range(wait_left_us(world), 300 * SECOND_US, 600 * SECOND_US);
}

static void test_full_state_and_events_for_a_new_backend(void **state)
{
    struct world *world = *state;

    reach_welcome(world);
    welcome(world, 0, 0);
    json_decref(expect_request(world, "command.list"));
    agent_answers(world, json_pack("{s:[]}", "commands"));
    json_decref(expect_request(world, "events.subscribe"));
    agent_answers(world, json_object());
    json_t *params = expect_request(world, "events.read");
    assert_int_equal(number(params, "after_seq"), 0);
    assert_int_equal(number(params, "limit"), 256);
    json_decref(params);
    uint64_t read_id = world->last_request_id;
    params = expect_request(world, "state.subscribe");
    assert_int_equal(number(params, "since_rev"), 0);
    json_decref(params);
    agent_answers(world, state_result(0, 20, true));
    world->last_request_id = read_id; /* answers may come in any order */
    agent_answers(world, events_result(1, 3));
    json_t *frame = expect_frame(world, "event"); /* before state */
    assert_int_equal(number(frame, "first_seq"), 1);
    json_decref(frame);
    frame = expect_frame(world, "state");
    assert_true(json_is_true(json_object_get(frame, "full")));
    json_decref(frame);
    expect_no_frame(world);
    backend_says(world, "{\"v\":1,\"t\":\"ack\",\"event_seq\":3}");
    backend_says(world, "{\"v\":1,\"t\":\"ack\",\"rev\":20}");
    /* Changes are sent as they come, events are read when there are new ones. */
    agent_notifies(world, "state", state_result(20, 21, false));
    frame = expect_frame(world, "state");
    assert_int_equal(number(frame, "base_rev"), 20);
    json_decref(frame);
    agent_notifies(world, "events", json_pack("{s:i}", "last_seq", 5));
    params = expect_request(world, "events.read");
    assert_int_equal(number(params, "after_seq"), 3);
    json_decref(params);
    agent_answers(world, events_result(4, 5));
    frame = expect_frame(world, "event");
    assert_int_equal(number(frame, "first_seq"), 4);
    json_decref(frame);
}

static void test_command_round_trip(void **state)
{
    struct world *world = *state;

    reach_streaming(world);
    backend_says(world, "{\"v\":1,\"t\":\"command\",\"command_id\":\"" COMMAND_ID
                        "\",\"number\":7,\"op\":\"locate\",\"args\":{\"drive\":\"d1\"},"
                        "\"confirm\":null,\"preconditions\":[],\"actor\":{\"name\":\"a\","
                        "\"role\":\"operator\",\"via\":\"rest\"},\"not_after_us\":99}");
    json_t *params = expect_request(world, "command");
    assert_string_equal(json_text_at(params, "command_id"), COMMAND_ID);
    assert_string_equal(json_text_at(params, "op"), "locate");
    assert_int_equal(number(params, "number"), 7);
    assert_int_equal(number(params, "not_after_us"), 99);
    json_decref(params);
    agent_answers(world, status("accepted"));
    json_t *frame = expect_frame(world, "cmd_ack");
    assert_string_equal(json_text_at(frame, "state"), "accepted");
    json_decref(frame);
    agent_notifies(world, "command", status("succeeded"));
    json_decref(expect_frame(world, "result"));
    expect_no_frame(world);
    pass(world, 9 * SECOND_US);
    expect_no_frame(world);
    pass(world, SECOND_US);
    json_decref(expect_frame(world, "result")); /* again, nobody has acknowledged it */
    backend_says(world, "{\"v\":1,\"t\":\"ack\",\"result\":\"" COMMAND_ID "\"}");
    params = expect_request(world, "command.acknowledge");
    assert_string_equal(json_text_at(params, "command_id"), COMMAND_ID);
    json_decref(params);
    agent_answers(world, json_object());
    expect_no_request(world);
}

static void test_outcomes_from_before_are_delivered(void **state)
{
    struct world *world = *state;

    reach_welcome(world);
    welcome(world, 20, 3);
    json_decref(expect_request(world, "command.list"));
    agent_answers(world, json_pack("{s:[o]}", "commands", status("indeterminate")));
    json_t *frame = expect_frame(world, "result");
    assert_string_equal(json_text_at(frame, "state"), "indeterminate");
    json_decref(frame);
}

static void test_query_and_its_deadline(void **state)
{
    struct world *world = *state;
    static const char query[] = "{\"v\":1,\"t\":\"query\",\"id\":\"" COMMAND_ID
                                "\",\"name\":\"preview_vd_create\",\"args\":{}}";

    reach_streaming(world);
    backend_says(world, query);
    json_decref(expect_request(world, "query"));
    agent_answers(world, json_pack("{s:i}", "capacity_bytes", 5));
    json_t *frame = expect_frame(world, "answer");
    assert_true(json_is_true(json_object_get(frame, "ok")));
    assert_int_equal(number(json_object_get(frame, "data"), "capacity_bytes"), 5);
    json_decref(frame);
    backend_says(world, query);
    json_decref(expect_request(world, "query"));
    pass(world, 1899999);
    expect_no_frame(world);
    assert_int_equal(uplink_session_deadline_us(world->session), world->now.us + 1);
    pass(world, 1);
    frame = expect_frame(world, "answer");
    assert_true(json_is_false(json_object_get(frame, "ok")));
    json_decref(frame);
    agent_answers(world, json_pack("{s:i}", "capacity_bytes", 5)); /* too late, but no harm */
    expect_no_frame(world);
    assert_int_equal(phase(world), UPLINK_LIVE);
}

static void test_heartbeat(void **state)
{
    struct world *world = *state;

    reach_streaming(world);
    for (int i = 0; i < 20; i++) {
        pass(world, 15 * SECOND_US - 1);
        expect_no_frame(world);
        pass(world, 1);
        json_t *frame = expect_frame(world, "heartbeat");
        assert_int_equal(number(frame, "state_rev"), 20);
        assert_int_equal(number(frame, "event_seq"), 3);
        json_decref(frame);
        expect_no_frame(world);
    }
}

static void test_resync(void **state)
{
    struct world *world = *state;

    reach_streaming(world);
    backend_says(world, "{\"v\":1,\"t\":\"nack\",\"reason\":\"resync\"}");
    json_t *params = expect_request(world, "state.get");
    assert_int_equal(number(params, "since_rev"), 0);
    json_decref(params);
    agent_answers(world, state_result(0, 22, true));
    json_decref(expect_frame(world, "state"));
    for (int i = 0; i < 20 && phase(world) == UPLINK_LIVE; i++) {
        backend_says(world, "{\"v\":1,\"t\":\"nack\",\"reason\":\"resync\"}");
    }
    assert_int_equal(phase(world), UPLINK_WAIT); /* not for ever */
}

static void test_waits_until_arrayd_is_online(void **state)
{
    struct world *world = *state;

    reach_greet(world);
    for (int i = 0; i < 100; i++) {
        agent_answers(world, hello_result(false));
        assert_int_equal(phase(world), UPLINK_GREET);
        assert_false(uplink_session_wants_link(world->session));
        expect_no_request(world);
        pass(world, 500000);
        json_decref(expect_request(world, "hello"));
    }
    agent_answers(world, hello_result(true));
    assert_int_equal(phase(world), UPLINK_DIAL);
}

static void test_backoff_while_the_backend_is_away(void **state)
{
    struct world *world = *state;
    uint64_t limit_us = 2 * SECOND_US;
    uint64_t round = 0;

    for (int i = 0; i < 15; i++) {
        reach_greet(world);
        assert_true(uplink_session_round(world->session) > round);
        round = uplink_session_round(world->session);
        agent_answers(world, hello_result(true));
        uplink_session_link_closed(world->session, world->now, "connection refused");
        assert_in_range(wait_left_us(world), limit_us / 2, limit_us);
        assert_non_null(strstr(world->last_log, "cannot be reached: connection refused"));
        limit_us = limit_us * 2 > 600 * SECOND_US ? 600 * SECOND_US : limit_us * 2;
    }
}

static void test_lost_sessions(void **state)
{
    struct world *world = *state;

    for (int i = 0; i < 12; i++) {
        reach_greet(world);
        agent_answers(world, hello_result(true));
        uplink_session_link_closed(world->session, world->now, "refused");
    }
    /* Lost after a healthy time: back within the window, the counter starts over. */
    for (int i = 0; i < 10; i++) {
        reach_streaming(world);
        for (int s = 0; s < 9; s++) {
            pass(world, 15 * SECOND_US);
            json_decref(expect_frame(world, "heartbeat"));
        }
        uplink_session_link_closed(world->session, world->now, NULL);
        assert_in_range(wait_left_us(world), 0, 5 * SECOND_US);
    }
    reach_greet(world);
    agent_answers(world, hello_result(true));
    uplink_session_link_closed(world->session, world->now, "refused");
    assert_in_range(wait_left_us(world), SECOND_US, 2 * SECOND_US);
    /* Lost at once, over and over: it backs off. */
    for (int i = 0; i < 12; i++) {
        reach_streaming(world);
        uplink_session_link_closed(world->session, world->now, NULL);
        (void)wait_left_us(world);
    }
    assert_in_range(wait_left_us(world), 300 * SECOND_US, 600 * SECOND_US);
}

static void test_goaway_spreads(void **state)
{
    struct world *world = *state;
    uint64_t most_us = 0;

    for (int i = 0; i < 60; i++) {
        reach_streaming(world);
        backend_says(world, "{\"v\":1,\"t\":\"goaway\",\"reason\":\"shutdown\",\"spread_s\":30}");
        uint64_t left_us = wait_left_us(world);
        assert_in_range(left_us, 0, 30 * SECOND_US);
        most_us = left_us > most_us ? left_us : most_us;
        uplink_session_link_closed(world->session, world->now, NULL); /* changes nothing */
        assert_int_equal(wait_left_us(world), left_us);
    }
    assert_true(most_us > 20 * SECOND_US);
}

static void test_refusals_wait_long(void **state)
{
    struct world *world = *state;
    static const char *const nacks[] = {
        "{\"v\":1,\"t\":\"nack\",\"reason\":\"unauthorised\",\"detail\":\"not enrolled\"}",
        "{\"v\":1,\"t\":\"nack\",\"reason\":\"fenced\",\"detail\":\"another\"}"};

    reach_welcome(world);
    backend_says(world, nacks[0]);
    assert_in_range(wait_left_us(world), 300 * SECOND_US, 600 * SECOND_US);
    assert_non_null(strstr(world->last_log, "unauthorised: not enrolled"));
    reach_streaming(world);
    backend_says(world, nacks[1]);
    assert_in_range(wait_left_us(world), 300 * SECOND_US, 600 * SECOND_US);
}

static void test_another_backend_gets_no_signature(void **state)
{
    struct world *world = *state;

    reach_challenge(world);
    backend_says(world, "{\"v\":1,\"t\":\"challenge\",\"nonce\":\"" NONCE "\",\"server_id\":"
                        "\"" AGENT_ID "\",\"server_time_us\":1}");
    assert_in_range(wait_left_us(world), 300 * SECOND_US, 600 * SECOND_US);
    assert_string_equal(world->signed_text, "");
    assert_non_null(strstr(world->last_log, "not the backend the host enrolled with"));
}

static void test_a_key_that_cannot_sign(void **state)
{
    struct world *world = *state;

    world->sign_fails = true;
    reach_challenge(world);
    backend_says(world, "{\"v\":1,\"t\":\"challenge\",\"nonce\":\"" NONCE "\",\"server_id\":"
                        "\"" SERVER_ID "\",\"server_time_us\":1}");
    assert_in_range(wait_left_us(world), 300 * SECOND_US, 600 * SECOND_US);
}

static void test_arrayd_goes_away(void **state)
{
    struct world *world = *state;

    reach_streaming(world);
    uplink_session_control_closed(world->session, world->now, NULL);
    assert_false(uplink_session_wants_link(world->session)); /* the host is offline then */
    assert_in_range(wait_left_us(world), 100000, 200000);
    for (int i = 0; i < 10; i++) {
        pass(world, wait_left_us(world));
        assert_int_equal(phase(world), UPLINK_CONTROL);
        uplink_session_control_closed(world->session, world->now, "No such file or directory");
    }
    assert_in_range(wait_left_us(world), 2500000, 5000000);
    assert_non_null(strstr(world->last_log, "arrayd cannot be reached: No such file"));
    reach_streaming(world); /* and then it is back */
}

static void test_arrayd_starts_a_new_history(void **state)
{
    struct world *world = *state;
    json_t *change = state_result(0, 3, true);

    reach_streaming(world);
    json_put_text(change, "epoch", SERVER_ID);
    agent_notifies(world, "state", change);
    assert_int_equal(phase(world), UPLINK_WAIT);
}

static void test_arrayd_does_not_answer(void **state)
{
    struct world *world = *state;

    reach_greet(world);
    assert_int_equal(uplink_session_deadline_us(world->session),
                     world->now.us + UPLINK_ANSWER_LIMIT_US);
    pass(world, UPLINK_ANSWER_LIMIT_US - 1);
    assert_int_equal(phase(world), UPLINK_GREET);
    pass(world, 1);
    assert_int_equal(phase(world), UPLINK_WAIT);
    assert_non_null(strstr(world->last_log, "arrayd does not answer"));
}

static void test_the_backend_does_not_speak(void **state)
{
    struct world *world = *state;

    reach_challenge(world);
    assert_int_equal(uplink_session_deadline_us(world->session),
                     world->now.us + UPLINK_STEP_LIMIT_US);
    pass(world, UPLINK_STEP_LIMIT_US);
    assert_int_equal(phase(world), UPLINK_WAIT);
    reach_welcome(world);
    pass(world, UPLINK_STEP_LIMIT_US);
    assert_int_equal(phase(world), UPLINK_WAIT);
}

static void test_the_backend_does_not_acknowledge(void **state)
{
    struct world *world = *state;

    reach_streaming(world);
    pass(world, 14 * SECOND_US); /* nothing is owed: this time does not count */
    agent_notifies(world, "state", state_result(20, 21, false));
    json_decref(expect_frame(world, "state"));
    pass(world, 45 * SECOND_US);
    json_decref(expect_frame(world, "heartbeat"));
    pass(world, 14999999);
    assert_int_equal(phase(world), UPLINK_LIVE);
    pass(world, 1);
    assert_int_equal(phase(world), UPLINK_WAIT);
    assert_non_null(strstr(world->last_log, "acknowledged nothing"));
}

static void test_frames_out_of_turn(void **state)
{
    struct world *world = *state;
    static const char challenge[] = "{\"v\":1,\"t\":\"challenge\",\"nonce\":\"" NONCE
                                    "\",\"server_id\":\"" SERVER_ID "\",\"server_time_us\":1}";
    static const char welcome_text[] =
        "{\"v\":1,\"t\":\"welcome\",\"session_id\":\"" SERVER_ID "\",\"acked_rev\":0,"
        "\"acked_event_seq\":0,\"heartbeat_s\":15,\"reconnect_window_s\":5}";

    reach_challenge(world);
    backend_says(world, welcome_text);
    assert_int_equal(phase(world), UPLINK_WAIT);
    reach_challenge(world);
    backend_says(world, challenge);
    backend_says(world, welcome_text); /* before our hello has left */
    assert_int_equal(phase(world), UPLINK_WAIT);
    reach_welcome(world);
    backend_says(world, challenge);
    assert_int_equal(phase(world), UPLINK_WAIT);
    reach_streaming(world);
    backend_says(world, welcome_text);
    assert_int_equal(phase(world), UPLINK_WAIT);
    backend_says(world, welcome_text); /* nobody listens */
    assert_int_equal(phase(world), UPLINK_WAIT);
}

static void test_malformed_frames_are_borne_for_a_while(void **state)
{
    struct world *world = *state;
    int borne = 0;

    reach_streaming(world);
    while (phase(world) == UPLINK_LIVE && borne < 100) {
        backend_says(world, "{\"v\":1,\"t\":\"ack\",\"rev\":\"x\"}");
        borne++;
    }
    assert_int_equal(borne, 8);
    reach_streaming(world);
    for (int i = 0; i < 1000; i++) {
        backend_says(world, "{\"v\":1,\"t\":\"tune\"}"); /* not malformed: from the future */
    }
    assert_int_equal(phase(world), UPLINK_LIVE);
}

static void test_arrayd_that_makes_no_sense(void **state)
{
    struct world *world = *state;
    static const char *const lines[] = {
        "",
        "x",
        "[]",
        "{}",
        "{\"id\":0,\"result\":{}}",
        "{\"id\":999,\"result\":{}}",
        "{\"method\":\"state\"}",
        "{\"method\":\"state\",\"params\":{}}",
        "{\"method\":\"events\",\"params\":{}}",
        "{\"method\":\"command\",\"params\":{}}",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        reach_streaming(world);
        agent_says(world, lines[i]);
        if (phase(world) != UPLINK_WAIT) {
            fail_msg("not noticed: %s", lines[i]);
        }
    }
    reach_streaming(world);
    agent_says(world, "{\"method\":\"later\",\"params\":{}}"); /* from the future */
    assert_int_equal(phase(world), UPLINK_LIVE);
    uplink_session_stop(world->session);
}

static void test_a_flood_of_commands_ends_the_round(void **state)
{
    struct world *world = *state;
    int sent = 0;

    reach_streaming(world);
    while (phase(world) == UPLINK_LIVE && sent < 1000) {
        char text[512];

        (void)snprintf(text, sizeof(text),
                       "{\"v\":1,\"t\":\"command\",\"command_id\":"
                       "\"%08x-034c-4367-b3fe-a330b5146352\",\"number\":%d,\"op\":\"locate\","
                       "\"args\":{},\"confirm\":null,\"preconditions\":[],\"actor\":{\"name\":"
                       "\"a\",\"role\":\"operator\",\"via\":\"rest\"},\"not_after_us\":99}",
                       sent + 1, sent + 1);
        backend_says(world, text);
        sent++;
    }
    assert_int_equal(sent, 257);
}

/* However many requests are unanswered: no more than there is room for. */
static void test_requests_are_bounded(void **state)
{
    struct world *world = *state;
    int asked = 0;

    reach_streaming(world);
    for (int i = 0; i < 5000; i++) {
        char text[256];

        (void)snprintf(text, sizeof(text),
                       "{\"v\":1,\"t\":\"query\",\"id\":\"%08x-034c-4367-b3fe-a330b5146352\","
                       "\"name\":\"p\",\"args\":{}}",
                       i + 1);
        backend_says(world, text);
        for (json_t *request = NULL; (request = pull_request(world)) != NULL;) {
            json_decref(request);
            asked++;
        }
        if (i % 32 == 31) {
            world->now.us += 2 * SECOND_US;
            uplink_session_tick(world->session, world->now);
            if (phase(world) != UPLINK_LIVE) {
                break;
            }
            for (json_t *frame = NULL; (frame = pull_frame(world)) != NULL; json_decref(frame)) {
            }
        }
    }
    assert_in_range(asked, 64, 96);
}

static void test_stop(void **state)
{
    struct world *world = *state;

    reach_streaming(world);
    uplink_session_stop(world->session);
    assert_int_equal(phase(world), UPLINK_STOPPED);
    assert_false(uplink_session_wants_control(world->session));
    assert_false(uplink_session_wants_link(world->session));
    uplink_session_link_closed(world->session, world->now, NULL);
    uplink_session_control_closed(world->session, world->now, NULL);
    pass(world, 1000 * SECOND_US);
    assert_int_equal(phase(world), UPLINK_STOPPED);
    assert_int_equal(uplink_session_deadline_us(world->session), UINT64_MAX);
    expect_no_frame(world);
    expect_no_request(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hello_is_signed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_fence_is_stored_before_anything_is_told, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_a_fence_that_cannot_be_stored_is_not_confirmed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_identity_in_use_is_told_and_waited_out, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_full_state_and_events_for_a_new_backend, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_command_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_outcomes_from_before_are_delivered, setup, teardown),
        cmocka_unit_test_setup_teardown(test_query_and_its_deadline, setup, teardown),
        cmocka_unit_test_setup_teardown(test_heartbeat, setup, teardown),
        cmocka_unit_test_setup_teardown(test_resync, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waits_until_arrayd_is_online, setup, teardown),
        cmocka_unit_test_setup_teardown(test_backoff_while_the_backend_is_away, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost_sessions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_goaway_spreads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals_wait_long, setup, teardown),
        cmocka_unit_test_setup_teardown(test_another_backend_gets_no_signature, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_key_that_cannot_sign, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arrayd_goes_away, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arrayd_starts_a_new_history, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arrayd_does_not_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_backend_does_not_speak, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_backend_does_not_acknowledge, setup, teardown),
        cmocka_unit_test_setup_teardown(test_frames_out_of_turn, setup, teardown),
        cmocka_unit_test_setup_teardown(test_malformed_frames_are_borne_for_a_while, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_arrayd_that_makes_no_sense, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_flood_of_commands_ends_the_round, setup, teardown),
        cmocka_unit_test_setup_teardown(test_requests_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
