/*
 * Sweeps over policies: each combination is an array of its own, does what its policies make of it,
 * and says them in the answer.
 */
#include "aw_test.h"

#include <stdlib.h>
#include <string.h>

#include "control/object_doc.h"
#include "lab_world.h"

static char text[PROFILE_TEXT_BYTES];

/* Four drives behind a cache; few operations. */
#define SCENARIO(load, sweep)                                                                      \
    "{\"name\": \"x\", \"controller\": {\"profile\": \"native\", \"cache_bytes\": 67108864},"      \
    " \"drives\": {\"profile\": \"fujitsu-mba3073rc\", \"count\": 4}, \"rebuild\": true,"          \
    " \"array\": {\"level\": \"raid5\"}, \"limits\": {\"operations\": 600,"                        \
    " \"warmup_operations\": 600}, \"workloads\": [" load "], \"sweep\": {" sweep "}}"
#define ONE_READER                                                                                 \
    "{\"name\": \"reader\", \"pattern\": \"sequential\", \"mixes\": [[{\"bytes\": 65536, "         \
    "\"percent\":"                                                                                 \
    " 100}]], \"write_percents\": [0], \"workers\": [1], \"depths\": [1], \"zone_bytes\": 0,"      \
    " \"file_bytes\": 0, \"rating\": \"none\"}"
/* 8 MiB, again and again. */
#define ZONE                                                                                       \
    "{\"name\": \"zone\", \"pattern\": \"random\", \"mixes\": [[{\"bytes\": 8192, \"percent\":"    \
    " 100}]], \"write_percents\": [0], \"workers\": [1], \"depths\": [1], \"zone_bytes\":"         \
    " 8388608, \"file_bytes\": 0, \"rating\": \"none\"}"

struct swept {
    struct lab_scenario *scenario;
    struct lab_point points[16];
    struct lab_place places[16];
    struct lab_answer answers[16];
    json_t *doc;
};

static struct swept *swept_by(const char *content)
{
    struct swept *swept = calloc(1, sizeof(*swept));

    assert_non_null(swept);
    scenario_write(content);
    if (lab_scenario_read(scenario_path, PROFILES, &swept->scenario, text) != 0) {
        fail_msg("%s", text);
    }
    assert_in_range(swept->scenario->point_count, 1, 16);
    lab_scenario_points(swept->scenario, swept->points, swept->places);
    assert_int_equal(
        lab_points_run(swept->points, swept->scenario->point_count, 1, NULL, swept->answers), 0);
    swept->doc = lab_result_doc(swept->scenario, swept->places, swept->answers);
    return swept;
}

static void swept_free(struct swept *swept)
{
    json_decref(swept->doc);
    free(swept->scenario);
    free(swept);
}

static const json_t *array_at(const struct swept *swept, size_t index)
{
    return json_array_get(json_object_get(swept->doc, "arrays"), index);
}

static const char *word_of(const json_t *array, const char *name)
{
    return json_string_value(json_object_get(array, name));
}

static double rate_of(const json_t *array)
{
    const json_t *point = json_array_get(json_object_get(array, "points"), 0);

    return json_number_value(json_object_get(point, "bytes_per_s"));
}

/* One reader at a time gets more where somebody reads ahead for it. */
static void reading_ahead_is_an_axis(void **state UNUSED)
{
    struct swept *swept =
        swept_by(SCENARIO(ONE_READER, "\"read_policies\": [\"no_read_ahead\", \"read_ahead\"]"));

    assert_int_equal(json_array_size(json_object_get(swept->doc, "arrays")), 2);
    assert_string_equal(word_of(array_at(swept, 0), "read_policy"), "no_read_ahead");
    assert_string_equal(word_of(array_at(swept, 1), "read_policy"), "read_ahead");
    assert_string_equal(word_of(array_at(swept, 1), "io_policy"), "direct"); /* the array's */
    assert_true(rate_of(array_at(swept, 1)) > 1.3 * rate_of(array_at(swept, 0)));
    swept_free(swept);
}

/* What is read twice comes out of the memory if it is kept there. */
static void keeping_what_was_read_is_an_axis(void **state UNUSED)
{
    struct swept *swept = swept_by(SCENARIO(ZONE, "\"io_policies\": [\"direct\", \"cached\"]"));

    assert_string_equal(word_of(array_at(swept, 0), "io_policy"), "direct");
    assert_string_equal(word_of(array_at(swept, 1), "io_policy"), "cached");
    assert_true(rate_of(array_at(swept, 1)) > 1.2 * rate_of(array_at(swept, 0)));
    swept_free(swept);
}

/* All of them, the last one first; only arrays that read alike share what is read, and all of one
 * shape share a rebuild. */
static void policies_are_combined(void **state UNUSED)
{
    static const char *const ios[] = {"direct", "cached"};
    static const char *const reads[] = {"read_ahead", "no_read_ahead"};
    static const char *const writes[] = {"write_through", "write_back"};
    struct swept *swept = swept_by(
        SCENARIO(ONE_READER,
                 "\"io_policies\": [\"direct\", \"cached\"], \"read_policies\": [\"read_ahead\","
                 " \"no_read_ahead\"], \"write_policies\": [\"write_through\", \"write_back\"]"));
    const json_t *rebuild = json_object_get(array_at(swept, 0), "rebuild");

    assert_int_equal(swept->scenario->variant_count, 8);
    assert_int_equal(swept->scenario->point_count, 8 + 1);
    assert_true(json_is_object(rebuild));
    for (size_t i = 0; i < 8; i++) {
        const json_t *array = array_at(swept, i);

        assert_string_equal(word_of(array, "io_policy"), ios[i % 2]);
        assert_string_equal(word_of(array, "read_policy"), reads[i / 2 % 2]);
        assert_string_equal(word_of(array, "write_policy"), writes[i / 4]);
        assert_true(json_equal(json_object_get(array, "rebuild"), rebuild));
        assert_int_equal(lab_twin_variant(swept->scenario, (uint32_t)i), i % 4);
        assert_int_equal(lab_shape_variant(swept->scenario, (uint32_t)i), 0);
    }
    swept_free(swept);
}

static void a_bad_axis_is_refused(void **state UNUSED)
{
    static const struct {
        const char *sweep, *words;
    } cases[] = {
        {"\"read_policies\": [\"read_ahead\", \"fast\"]",
         "sweep.read_policies[1] must be \"no_read_ahead\", \"read_ahead\" or "
         "\"adaptive_read_ahead\", not \"fast\""},
        {"\"io_policies\": [7]", "sweep.io_policies[0] must be \"direct\" or \"cached\""},
        {"\"io_policies\": []", "io_policies must be a list of 1 to 2"},
        {"\"read_policies\": \"read_ahead\"", "read_policies must be a list of 1 to 3"},
        {"\"levels\": [\"raid0\", \"raid1\", \"raid5\", \"raid6\", \"raid10\"], \"drive_counts\":"
         " [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], \"io_policies\": [\"direct\","
         " \"cached\"], \"read_policies\": [\"read_ahead\", \"no_read_ahead\"]",
         "a sweep has at most 256 arrays"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lab_scenario *scenario = NULL;
        char content[2048];

        (void)snprintf(
            content, sizeof(content),
            "{\"name\": \"x\", \"drives\": {\"profile\": \"fujitsu-mba3073rc\", \"count\":"
            " 4}, \"array\": {\"level\": \"raid5\"}, \"workloads\": [" ONE_READER
            "], \"sweep\": {%s}}",
            cases[i].sweep);
        scenario_write(content);
        assert_int_not_equal(lab_scenario_read(scenario_path, PROFILES, &scenario, text), 0);
        if (strstr(text, cases[i].words) == NULL) {
            fail_msg("%s: %s", cases[i].sweep, text);
        }
    }
}

/* The reviews' reference: what has one drive and no more. */
static void a_single_drive_is_an_array_of_one(void **state UNUSED)
{
    struct swept *swept = swept_by(
        SCENARIO(ONE_READER, "\"drive_counts\": [1, 4], \"levels\": [\"raid0\", \"raid5\"]"));

    assert_true(json_is_null(json_object_get(array_at(swept, 0), "refused")));
    assert_true(rate_of(array_at(swept, 0)) > 0);
    assert_true(rate_of(array_at(swept, 1)) > rate_of(array_at(swept, 0)));
    assert_string_equal(word_of(array_at(swept, 2), "refused"),
                        "RAID5 of 1 drive: The RAID level needs more drives per span.");
    swept_free(swept);
}

/* Instead of the profile's, as the other ceilings. */
static void one_writer_may_have_a_ceiling(void **state UNUSED)
{
#define ONE_WRITER(ceilings)                                                                       \
    "{\"name\": \"x\", \"controller\": {\"profile\": \"native\", \"ceilings\": {" ceilings "}},"   \
    " \"drives\": {\"profile\": \"intel-x25-e\", \"count\": 8}, \"array\": {\"level\":"            \
    " \"raid0\"}, \"limits\": {\"operations\": 1000}, \"workloads\": [{\"profile\":"               \
    " \"w13-streaming-write\", \"depths\": [1]}]}"
    double free_rate = answer_of(ONE_WRITER("\"command_us\": 0")).outcome.bytes_per_s;
    double bound =
        answer_of(ONE_WRITER("\"stream_write_bytes_per_s\": 50000000")).outcome.bytes_per_s;

    assert_true(free_rate > 200e6);
    assert_true(bound > 48e6 && bound <= 50e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_ahead_is_an_axis),
        cmocka_unit_test(keeping_what_was_read_is_an_axis),
        cmocka_unit_test(policies_are_combined),
        cmocka_unit_test(a_bad_axis_is_refused),
        cmocka_unit_test(a_single_drive_is_an_array_of_one),
        cmocka_unit_test(one_writer_may_have_a_ceiling),
    };

    return cmocka_run_group_tests(tests, scenario_file_make, scenario_file_remove);
}
