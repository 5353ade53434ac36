/*
 * Events on their way up: windows, frame sizes, gaps.
 */
#include <string.h>

#include "aw_test.h"
#include "control/json_text.h"
#include "uplink/event_stream.h"

#define EPOCH "3771616d-034c-4367-b3fe-a330b5146352"

static uint64_t number(const json_t *frame, const char *name)
{
    uint64_t value = 0;

    assert_true(json_u64_at(frame, name, &value));
    return value;
}

static size_t count(const json_t *frame, const char *name)
{
    assert_true(json_is_array(json_object_get(frame, name)));
    return json_array_size(json_object_get(frame, name));
}

static json_t *events(const char *epoch, uint64_t last_seq, uint64_t first, uint64_t end,
                      size_t padding)
{
    json_t *result = json_pack("{s:s,s:i,s:I,s:[]}", "epoch", epoch, "first_kept_seq", 1,
                               "last_seq", (json_int_t)last_seq, "events");
    char *text = calloc(1, padding + 1);

    memset(text, 'x', padding);
    for (uint64_t seq = first; seq < end; seq++) {
        json_t *event = json_pack("{s:I,s:s}", "seq", (json_int_t)seq, "text", text);
        assert_int_equal(json_array_append_new(json_object_get(result, "events"), event), 0);
    }
    free(text);
    return result;
}

static void read_events(struct event_stream *stream, json_t *result)
{
    assert_int_equal(event_stream_read(stream, result), 0);
    json_decref(result);
}

static json_t *pull_events(struct event_stream *stream)
{
    size_t bytes = 0;
    char *text = event_stream_pull(stream, 5, &bytes);

    if (text == NULL) {
        return NULL;
    }
    assert_true(bytes <= EVENTS_FRAME_BYTES);
    json_t *frame = json_loadb(text, bytes, 0, NULL);
    assert_non_null(frame);
    free(text);
    assert_string_equal(json_text_at(frame, "t"), "event");
    uint64_t first = number(frame, "first_seq");
    for (size_t i = 0; i < count(frame, "events"); i++) {
        const json_t *event = json_array_get(json_object_get(frame, "events"), i);
        assert_int_equal(number(event, "seq"), first + i);
    }
    return frame;
}

static void test_events_within_the_window(void **state UNUSED)
{
    struct event_stream stream;
    uint64_t after = 0;
    uint32_t limit = 0;

    event_stream_start(&stream, EPOCH, 100, 1000);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    assert_int_equal(after, 100);
    assert_int_equal(limit, 256);
    assert_false(event_stream_wants_read(&stream, &after, &limit));
    read_events(&stream, events(EPOCH, 1000, 101, 357, 10));
    json_t *frame = pull_events(&stream);
    assert_int_equal(number(frame, "first_seq"), 101);
    assert_int_equal(count(frame, "events"), 256);
    assert_true(json_is_null(json_object_get(frame, "gap")));
    json_decref(frame);
    assert_null(pull_events(&stream));
    assert_false(event_stream_wants_read(&stream, &after, &limit)); /* the window is full */
    event_stream_acked(&stream, 50);
    assert_false(event_stream_wants_read(&stream, &after, &limit));
    event_stream_acked(&stream, 356);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    assert_int_equal(after, 356);
    event_stream_done(&stream);
}

static void test_large_events_make_several_frames(void **state UNUSED)
{
    struct event_stream stream;
    uint64_t after = 0;
    uint32_t limit = 0;
    size_t sent = 0;
    size_t frames = 0;

    event_stream_start(&stream, EPOCH, 0, 200);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    read_events(&stream, events(EPOCH, 200, 1, 201, 4000));
    for (json_t *frame = NULL; (frame = pull_events(&stream)) != NULL; json_decref(frame)) {
        sent += count(frame, "events");
        frames++;
    }
    assert_int_equal(sent, 200);
    assert_in_range(frames, 4, 5);
    assert_int_equal(stream.unacked_events, 200);
    event_stream_acked(&stream, 200);
    assert_int_equal(stream.unacked_events, 0);
    assert_int_equal(stream.unacked_frames, 0);
    event_stream_done(&stream);
}

static void test_gaps_are_told(void **state UNUSED)
{
    struct event_stream stream;
    json_t *result = events(EPOCH, 60, 41, 44, 1);
    uint64_t after = 0;
    uint32_t limit = 0;

    event_stream_start(&stream, EPOCH, 10, 60);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    for (uint64_t seq = 50; seq <= 60; seq++) { /* 44 to 49 have been dropped as well */
        json_t *event = json_pack("{s:I}", "seq", (json_int_t)seq);
        assert_int_equal(json_array_append_new(json_object_get(result, "events"), event), 0);
    }
    read_events(&stream, result);
    json_t *frame = pull_events(&stream);
    assert_int_equal(number(frame, "first_seq"), 41);
    assert_int_equal(number(frame, "gap"), 30);
    assert_int_equal(count(frame, "events"), 3);
    json_decref(frame);
    frame = pull_events(&stream);
    assert_int_equal(number(frame, "first_seq"), 50);
    assert_int_equal(number(frame, "gap"), 6);
    assert_int_equal(count(frame, "events"), 11);
    json_decref(frame);
    assert_null(pull_events(&stream));
    event_stream_done(&stream);
}

static void test_an_event_no_frame_can_hold_counts_as_lost(void **state UNUSED)
{
    struct event_stream stream;
    json_t *result = events(EPOCH, 2, 1, 2, EVENTS_FRAME_BYTES);
    uint64_t after = 0;
    uint32_t limit = 0;

    event_stream_start(&stream, EPOCH, 0, 2);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    assert_int_equal(
        json_array_append_new(json_object_get(result, "events"), json_pack("{s:i}", "seq", 2)), 0);
    read_events(&stream, result);
    json_t *frame = pull_events(&stream);
    assert_int_equal(number(frame, "first_seq"), 2);
    assert_int_equal(number(frame, "gap"), 1);
    json_decref(frame);
    event_stream_done(&stream);
}

static void test_an_empty_answer_is_not_asked_for_again(void **state UNUSED)
{
    struct event_stream stream;
    uint64_t after = 0;
    uint32_t limit = 0;

    event_stream_start(&stream, EPOCH, 10, 20);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    read_events(&stream, events(EPOCH, 20, 1, 1, 0));
    assert_false(event_stream_wants_read(&stream, &after, &limit));
    event_stream_notified(&stream, 21);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    assert_int_equal(after, 10);
    event_stream_done(&stream);
}

/* Events of the time between arrayd's greeting and the subscription. */
static void test_the_first_question_is_asked_in_any_case(void **state UNUSED)
{
    struct event_stream stream;
    uint64_t after = 0;
    uint32_t limit = 0;

    event_stream_start(&stream, EPOCH, 20, 20);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    assert_int_equal(after, 20);
    read_events(&stream, events(EPOCH, 22, 21, 23, 1));
    json_t *frame = pull_events(&stream);
    assert_int_equal(number(frame, "first_seq"), 21);
    assert_int_equal(count(frame, "events"), 2);
    json_decref(frame);
    assert_false(event_stream_wants_read(&stream, &after, &limit));
    event_stream_done(&stream);
}

static void test_a_backend_that_is_ahead(void **state UNUSED)
{
    struct event_stream stream;
    uint64_t after = 0;
    uint32_t limit = 0;

    event_stream_start(&stream, EPOCH, 500, 20);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    assert_int_equal(after, 500);
    read_events(&stream, events(EPOCH, 20, 1, 1, 0));
    assert_false(event_stream_wants_read(&stream, &after, &limit));
    event_stream_acked(&stream, UINT64_MAX);
    event_stream_notified(&stream, 501);
    assert_true(event_stream_wants_read(&stream, &after, &limit));
    event_stream_done(&stream);
}

static void test_wrong_events(void **state UNUSED)
{
    static const char *const cases[] = {
        "{}",
        "{\"epoch\":\"" EPOCH "\",\"events\":[]}",
        "{\"epoch\":\"" EPOCH "\",\"last_seq\":3,\"events\":[{}]}",
        "{\"epoch\":\"" EPOCH "\",\"last_seq\":3,\"events\":[{\"seq\":10}]}",
        "{\"epoch\":\"" EPOCH "\",\"last_seq\":3,\"events\":[{\"seq\":12},{\"seq\":12}]}",
        "{\"epoch\":\"" EPOCH "\",\"last_seq\":3,\"events\":[{\"seq\":12},{\"seq\":11}]}"};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event_stream stream;
        json_t *result = json_loads(cases[i], 0, NULL);
        uint64_t after = 0;
        uint32_t limit = 0;

        event_stream_start(&stream, EPOCH, 10, 20);
        assert_true(event_stream_wants_read(&stream, &after, &limit));
        assert_int_equal(event_stream_read(&stream, result), -EBADMSG);
        assert_null(pull_events(&stream));
        json_decref(result);
        event_stream_done(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_within_the_window),
        cmocka_unit_test(test_large_events_make_several_frames),
        cmocka_unit_test(test_gaps_are_told),
        cmocka_unit_test(test_an_event_no_frame_can_hold_counts_as_lost),
        cmocka_unit_test(test_an_empty_answer_is_not_asked_for_again),
        cmocka_unit_test(test_the_first_question_is_asked_in_any_case),
        cmocka_unit_test(test_a_backend_that_is_ahead),
        cmocka_unit_test(test_wrong_events),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
