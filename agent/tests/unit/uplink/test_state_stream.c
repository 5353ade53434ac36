/*
 * State on its way up: windows, frame sizes, resynchronization.
 */
#include <string.h>

#include "aw_test.h"
#include "base/rng.h"
#include "control/json_text.h"
#include "uplink/frame.h"
#include "uplink/state_stream.h"

#define EPOCH "3771616d-034c-4367-b3fe-a330b5146352"
#define OTHER "13600ddc-b637-44d3-baee-08253e98019c"

/* Documents of arrayd. */

static json_t *object(int key, uint64_t rev, size_t padding)
{
    char name[16];
    char *text = calloc(1, padding + 1);

    memset(text, 'x', padding);
    (void)snprintf(name, sizeof(name), "d%d", key);
    json_t *item = json_pack("{s:s,s:s,s:I,s:i,s:{s:s}}", "kind", "drive", "key", name, "rev",
                             (json_int_t)rev, "config_rev", 1, "doc", "text", text);
    free(text);
    assert_non_null(item);
    return item;
}

static json_t *change(const char *epoch, uint64_t base, uint64_t to, bool full)
{
    return json_pack("{s:s,s:I,s:I,s:b,s:[],s:[]}", "epoch", epoch, "base_rev", (json_int_t)base,
                     "to_rev", (json_int_t)to, "full", full, "objects", "tombstones");
}

static void change_add(json_t *result, const char *list, json_t *item)
{
    assert_int_equal(json_array_append_new(json_object_get(result, list), item), 0);
}

static json_t *pull_state(struct state_stream *stream)
{
    size_t bytes = 0;
    char *text = state_stream_pull(stream, 5, &bytes);

    if (text == NULL) {
        return NULL;
    }
    assert_int_equal(bytes, strlen(text));
    assert_true(bytes <= FRAME_OUT_MAX_BYTES);
    json_t *frame = json_loads(text, 0, NULL);
    assert_non_null(frame);
    assert_string_equal(json_text_at(frame, "t"), "state");
    free(text);
    return frame;
}

static uint64_t number(const json_t *frame, const char *name)
{
    uint64_t value = 0;

    assert_true(json_u64_at(frame, name, &value));
    return value;
}

static bool flag(const json_t *frame, const char *name)
{
    assert_true(json_is_boolean(json_object_get(frame, name)));
    return json_is_true(json_object_get(frame, name));
}

static size_t count(const json_t *frame, const char *name)
{
    assert_true(json_is_array(json_object_get(frame, name)));
    return json_array_size(json_object_get(frame, name));
}

static void answer(struct state_stream *stream, json_t *result)
{
    assert_int_equal(state_stream_change(stream, result), 0);
    json_decref(result);
}

static void notify(struct state_stream *stream, json_t *result)
{
    assert_int_equal(state_stream_notified(stream, result), 0);
    json_decref(result);
}

static void asks_since(struct state_stream *stream, uint64_t rev)
{
    uint64_t since_rev = UINT64_MAX;

    assert_true(state_stream_wants_change(stream, &since_rev));
    assert_int_equal(since_rev, rev);
    assert_false(state_stream_wants_change(stream, &since_rev)); /* one at a time */
}

static void test_delta_from_the_acknowledged_revision(void **state UNUSED)
{
    struct state_stream stream;
    json_t *result = change(EPOCH, 10, 14, false);
    uint64_t since_rev = 0;

    state_stream_start(&stream, EPOCH, 10);
    asks_since(&stream, 10);
    change_add(result, "objects", object(1, 14, 3));
    change_add(result, "objects", object(2, 9, 3)); /* the backend has it */
    change_add(result, "tombstones", object(3, 12, 0));
    answer(&stream, result);
    json_t *frame = pull_state(&stream);
    assert_string_equal(json_text_at(frame, "epoch"), EPOCH);
    assert_int_equal(number(frame, "base_rev"), 10);
    assert_int_equal(number(frame, "to_rev"), 14);
    assert_false(flag(frame, "full"));
    assert_false(flag(frame, "more"));
    assert_int_equal(count(frame, "objects"), 1);
    assert_int_equal(count(frame, "tombstones"), 1);
    json_decref(frame);
    assert_null(pull_state(&stream));
    assert_false(state_stream_wants_change(&stream, &since_rev));
    state_stream_done(&stream);
}

static void test_nothing_new(void **state UNUSED)
{
    struct state_stream stream;
    uint64_t since_rev = 0;

    state_stream_start(&stream, EPOCH, 10);
    asks_since(&stream, 10);
    answer(&stream, change(EPOCH, 10, 10, false));
    assert_null(pull_state(&stream));
    assert_false(state_stream_wants_change(&stream, &since_rev));
    assert_int_equal(stream.unacked_count, 0);
    state_stream_done(&stream);
}

static void test_large_full_state_spans_frames(void **state UNUSED)
{
    struct state_stream stream;
    json_t *result = change(EPOCH, 0, 500, true);
    size_t objects = 0;
    size_t frames = 0;
    bool more = true;

    state_stream_start(&stream, EPOCH, 0);
    asks_since(&stream, 0);
    for (int i = 0; i < 300; i++) {
        change_add(result, "objects", object(i, (uint64_t)(i % 7) + 1, 5000));
    }
    answer(&stream, result);
    while (more) {
        json_t *frame = pull_state(&stream);

        assert_non_null(frame);
        more = flag(frame, "more");
        assert_true(flag(frame, "full"));
        assert_int_equal(number(frame, "to_rev"), 500);
        assert_int_equal(number(frame, "base_rev"), 0);
        assert_int_equal(stream.unacked_count, more ? 0 : 1);
        objects += count(frame, "objects");
        frames++;
        json_decref(frame);
    }
    assert_int_equal(objects, 300);
    assert_in_range(frames, 6, 7); /* 1.5 MB in frames of 256 KiB, none half empty */
    state_stream_acked(&stream, 500);
    assert_int_equal(stream.unacked_count, 0);
    state_stream_done(&stream);
}

static void test_large_delta_goes_in_steps_by_revision(void **state UNUSED)
{
    struct state_stream stream;
    json_t *result = change(EPOCH, 100, 2000, false);
    uint64_t reached = 100;
    size_t objects = 0;
    size_t frames = 0;

    state_stream_start(&stream, EPOCH, 100);
    asks_since(&stream, 100);
    for (int i = 0; i < 200; i++) { /* unsorted, and two of each revision */
        change_add(result, "objects", object(i, 101 + (uint64_t)((i * 37) % 100), 5000));
    }
    answer(&stream, result);
    for (json_t *frame = NULL; (frame = pull_state(&stream)) != NULL; json_decref(frame)) {
        size_t i = 0;
        json_t *item = NULL;

        assert_false(flag(frame, "full"));
        assert_false(flag(frame, "more"));
        assert_int_equal(number(frame, "base_rev"), reached);
        uint64_t to_rev = number(frame, "to_rev");
        json_array_foreach(json_object_get(frame, "objects"), i, item)
        {
            assert_in_range(number(item, "rev"), reached + 1, to_rev);
        }
        reached = to_rev;
        objects += count(frame, "objects");
        frames++;
        if (stream.unacked_count == STATE_WINDOW) {
            state_stream_acked(&stream, reached);
        }
    }
    assert_int_equal(objects, 200);
    assert_int_equal(reached, 2000);
    assert_in_range(frames, 4, 6);
    state_stream_done(&stream);
}

static void test_a_revision_larger_than_a_frame_needs_a_full_state(void **state UNUSED)
{
    struct state_stream stream;
    json_t *result = change(EPOCH, 100, 101, false);

    state_stream_start(&stream, EPOCH, 100);
    asks_since(&stream, 100);
    for (int i = 0; i < 100; i++) {
        change_add(result, "objects", object(i, 101, 5000));
    }
    answer(&stream, result);
    assert_null(pull_state(&stream));
    asks_since(&stream, 0);
    state_stream_done(&stream);
}

static void test_an_object_no_frame_can_hold_is_left_out(void **state UNUSED)
{
    struct state_stream stream;
    json_t *result = change(EPOCH, 0, 9, true);

    state_stream_start(&stream, EPOCH, 0);
    asks_since(&stream, 0);
    change_add(result, "objects", object(1, 5, FRAME_OUT_MAX_BYTES));
    change_add(result, "objects", object(2, 6, 10));
    answer(&stream, result);
    json_t *frame = pull_state(&stream);
    assert_int_equal(count(frame, "objects"), 1);
    assert_false(flag(frame, "more"));
    assert_int_equal(stream.skipped, 1);
    json_decref(frame);
    state_stream_done(&stream);
}

/* Every object size near the frame's limit: no frame too large, no endless empty frames. */
static void test_sizes_at_the_limit(void **state UNUSED)
{
    size_t left_out = 0;
    size_t sent = 0;

    for (size_t padding = FRAME_OUT_MAX_BYTES - 610; padding < FRAME_OUT_MAX_BYTES - 550;
         padding++) {
        struct state_stream stream;
        json_t *result = change(EPOCH, 0, 9, true);
        size_t frames = 0;

        state_stream_start(&stream, EPOCH, 0);
        asks_since(&stream, 0);
        change_add(result, "objects", object(1, 5, padding));
        answer(&stream, result);
        for (json_t *frame = NULL; (frame = pull_state(&stream)) != NULL; json_decref(frame)) {
            assert_int_equal(count(frame, "objects"), 1 - stream.skipped);
            frames++;
        }
        assert_int_equal(frames, 1);
        left_out += stream.skipped;
        sent += 1 - stream.skipped;
        state_stream_done(&stream);
    }
    assert_true(left_out > 0 && sent > 0);
}

static void test_window_of_four(void **state UNUSED)
{
    struct state_stream stream;
    uint64_t since_rev = 0;

    state_stream_start(&stream, EPOCH, 10);
    asks_since(&stream, 10);
    answer(&stream, change(EPOCH, 10, 10, false));
    for (uint64_t rev = 11; rev <= 14; rev++) {
        json_t *result = change(EPOCH, rev - 1, rev, false);

        change_add(result, "objects", object(1, rev, 1));
        notify(&stream, result);
        json_t *frame = pull_state(&stream);
        assert_int_equal(number(frame, "to_rev"), rev);
        json_decref(frame);
    }
    /* The window is full: what changes now is not even asked for. */
    for (uint64_t rev = 15; rev <= 90; rev++) {
        json_t *result = change(EPOCH, rev - 1, rev, false);

        change_add(result, "objects", object(1, rev, 1));
        notify(&stream, result);
        assert_null(pull_state(&stream));
        assert_false(state_stream_wants_change(&stream, &since_rev));
    }
    state_stream_acked(&stream, 10); /* nothing of what is under way */
    assert_false(state_stream_wants_change(&stream, &since_rev));
    state_stream_acked(&stream, 12);
    assert_int_equal(stream.unacked_count, 2);
    asks_since(&stream, 14); /* and then all of it at once */
    json_t *merged = change(EPOCH, 14, 90, false);
    change_add(merged, "objects", object(1, 90, 1));
    answer(&stream, merged);
    json_t *frame = pull_state(&stream);
    assert_int_equal(number(frame, "base_rev"), 14);
    assert_int_equal(number(frame, "to_rev"), 90);
    json_decref(frame);
    state_stream_done(&stream);
}

static void test_resync(void **state UNUSED)
{
    struct state_stream stream;
    json_t *late = change(EPOCH, 10, 20, false);
    json_t *full = change(EPOCH, 0, 21, true);

    state_stream_start(&stream, EPOCH, 10);
    asks_since(&stream, 10);
    state_stream_resync(&stream); /* while an answer is under way */
    change_add(late, "objects", object(1, 20, 1));
    answer(&stream, late);
    assert_null(pull_state(&stream)); /* it is not used */
    asks_since(&stream, 0);
    state_stream_resync(&stream);
    answer(&stream, full);
    asks_since(&stream, 0);
    full = change(EPOCH, 0, 21, true);
    change_add(full, "objects", object(1, 20, 1));
    answer(&stream, full);
    state_stream_resync(&stream); /* the full state has not left yet: it will do */
    json_t *frame = pull_state(&stream);
    assert_true(flag(frame, "full"));
    json_decref(frame);
    state_stream_acked(&stream, 21);
    json_t *delta = change(EPOCH, 21, 22, false);
    change_add(delta, "objects", object(1, 22, 1));
    notify(&stream, delta);
    frame = pull_state(&stream);
    assert_int_equal(number(frame, "base_rev"), 21);
    assert_false(flag(frame, "full"));
    json_decref(frame);
    state_stream_done(&stream);
}

static void test_a_delta_that_leaves_a_hole_is_not_sent(void **state UNUSED)
{
    struct state_stream stream;
    json_t *result = change(EPOCH, 15, 20, false);

    state_stream_start(&stream, EPOCH, 10);
    asks_since(&stream, 10);
    change_add(result, "objects", object(1, 20, 1));
    answer(&stream, result);
    assert_null(pull_state(&stream));
    asks_since(&stream, 0);
    state_stream_done(&stream);
}

static void test_wrong_answers(void **state UNUSED)
{
    static const char *const cases[] = {
        "{}",
        "{\"epoch\":\"" EPOCH "\",\"base_rev\":0,\"to_rev\":1,\"full\":1,\"objects\":[],"
        "\"tombstones\":[]}",
        "{\"epoch\":\"" EPOCH "\",\"base_rev\":5,\"to_rev\":1,\"full\":true,\"objects\":[],"
        "\"tombstones\":[]}",
        "{\"epoch\":\"" EPOCH "\",\"base_rev\":0,\"to_rev\":1,\"full\":true,\"objects\":[7],"
        "\"tombstones\":[]}",
        "{\"epoch\":\"" EPOCH "\",\"base_rev\":0,\"to_rev\":1,\"full\":true,\"objects\":{},"
        "\"tombstones\":[]}",
        "{\"epoch\":\"" EPOCH "\",\"base_rev\":0,\"to_rev\":1,\"full\":true,\"objects\":"
        "[{\"kind\":\"drive\",\"key\":\"a\"}],\"tombstones\":[]}"};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct state_stream stream;
        json_t *result = json_loads(cases[i], 0, NULL);

        state_stream_start(&stream, EPOCH, 0);
        asks_since(&stream, 0);
        assert_int_equal(state_stream_change(&stream, result), -EBADMSG);
        json_decref(result);
        assert_null(pull_state(&stream));
        state_stream_done(&stream);
    }
    struct state_stream stream;
    json_t *result = change(OTHER, 0, 1, true);
    state_stream_start(&stream, EPOCH, 0);
    asks_since(&stream, 0);
    assert_int_equal(state_stream_change(&stream, result), -ESTALE);
    assert_int_equal(state_stream_notified(&stream, result), -ESTALE);
    json_decref(result);
    state_stream_done(&stream);
}

/*
 * A model of arrayd and of the backend, driven at random: whatever the order of changes,
 * notifications, acknowledgements and resyncs, in the end the backend holds arrayd's state.
 */
#define KEYS 40

struct model {
    uint64_t rev;
    uint64_t revs[KEYS];         /* of each object, 0: never existed */
    bool gone[KEYS];
    uint64_t backend_rev;
    uint64_t backend_revs[KEYS]; /* 0: not there */
    uint64_t acks[64];
    uint32_t ack_count;
};

static json_t *model_change(const struct model *model, uint64_t since)
{
    json_t *result = change(EPOCH, since, model->rev, since == 0);

    for (int i = 0; i < KEYS; i++) {
        if (model->revs[i] > since && (since > 0 || !model->gone[i])) {
            change_add(result, model->gone[i] ? "tombstones" : "objects",
                       object(i, model->revs[i], 9000));
        }
    }
    return result;
}

static void model_apply(struct model *model, const json_t *frame)
{
    size_t i = 0;
    json_t *item = NULL;

    if (flag(frame, "full")) {
        if (model->backend_rev != UINT64_MAX) {
            memset(model->backend_revs, 0, sizeof(model->backend_revs));
            model->backend_rev = UINT64_MAX; /* being replaced */
        }
    } else {
        assert_true(number(frame, "base_rev") <= model->backend_rev);
    }
    json_array_foreach(json_object_get(frame, "objects"), i, item)
    {
        int key = atoi(json_text_at(item, "key") + 1);

        assert_true(number(item, "rev") <= number(frame, "to_rev"));
        model->backend_revs[key] = number(item, "rev");
    }
    json_array_foreach(json_object_get(frame, "tombstones"), i, item)
    {
        model->backend_revs[atoi(json_text_at(item, "key") + 1)] = 0;
    }
    if (!flag(frame, "more")) {
        model->backend_rev = number(frame, "to_rev");
        assert_true(model->ack_count < 64);
        model->acks[model->ack_count++] = model->backend_rev;
    }
}

static void model_step(struct model *model, struct state_stream *stream, struct rng *rng,
                       uint64_t *asked)
{
    uint64_t key = rng_below(rng, KEYS);
    json_t *frame = NULL;

    switch (rng_below(rng, 6)) {
    case 0:
        model->revs[key] = ++model->rev;
        model->gone[key] = rng_below(rng, 3) == 0;
        break;
    case 1:
        if (*asked == UINT64_MAX) {
            (void)state_stream_wants_change(stream, asked);
        }
        break;
    case 2:
        if (*asked != UINT64_MAX) {
            answer(stream, model_change(model, *asked));
            *asked = UINT64_MAX;
        }
        break;
    case 3:
        frame = pull_state(stream);
        if (frame != NULL) {
            model_apply(model, frame);
            json_decref(frame);
        }
        break;
    case 4:
        if (model->ack_count > 0) {
            state_stream_acked(stream, model->acks[0]);
            memmove(model->acks, model->acks + 1, --model->ack_count * sizeof(model->acks[0]));
        }
        break;
    default:
        if (rng_below(rng, 20) == 0 && model->backend_rev != UINT64_MAX) {
            state_stream_resync(stream);
            model->ack_count = 0;
        } else if (*asked == UINT64_MAX && stream->sent_rev > 0 && model->rev > 0) {
            notify(stream, model_change(model, stream->sent_rev));
        }
    }
}

static void test_random_walks_converge(void **state UNUSED)
{
    struct rng rng;

    rng_seed(&rng, aw_test_seed("walks", 21));
    for (int walk = 0; walk < 40; walk++) {
        struct model model = {.rev = 1, .revs = {1}};
        struct state_stream stream;
        uint64_t asked = UINT64_MAX;

        state_stream_start(&stream, EPOCH, 0);
        for (int i = 0; i < 400; i++) {
            model_step(&model, &stream, &rng, &asked);
        }
        for (int i = 0; i < 200; i++) { /* no more changes: it must settle */
            json_t *frame = NULL;

            if (asked == UINT64_MAX && !state_stream_wants_change(&stream, &asked) &&
                stream.known_rev < model.rev) {
                json_t *news = model_change(&model, stream.sent_rev > 0 ? stream.sent_rev : 1);
                notify(&stream, news);
            }
            if (asked != UINT64_MAX) {
                answer(&stream, model_change(&model, asked));
                asked = UINT64_MAX;
            }
            frame = pull_state(&stream);
            if (frame != NULL) {
                model_apply(&model, frame);
                json_decref(frame);
            }
            state_stream_acked(&stream, model.backend_rev);
            model.ack_count = 0;
        }
        assert_int_equal(model.backend_rev, model.rev);
        for (int i = 0; i < KEYS; i++) {
            assert_int_equal(model.backend_revs[i], model.gone[i] ? 0 : model.revs[i]);
        }
        state_stream_done(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delta_from_the_acknowledged_revision),
        cmocka_unit_test(test_nothing_new),
        cmocka_unit_test(test_large_full_state_spans_frames),
        cmocka_unit_test(test_large_delta_goes_in_steps_by_revision),
        cmocka_unit_test(test_a_revision_larger_than_a_frame_needs_a_full_state),
        cmocka_unit_test(test_an_object_no_frame_can_hold_is_left_out),
        cmocka_unit_test(test_sizes_at_the_limit),
        cmocka_unit_test(test_window_of_four),
        cmocka_unit_test(test_resync),
        cmocka_unit_test(test_a_delta_that_leaves_a_hole_is_not_sent),
        cmocka_unit_test(test_wrong_answers),
        cmocka_unit_test(test_random_walks_converge),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
