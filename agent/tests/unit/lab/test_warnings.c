/*
 * What a prediction says against itself: a cache that was not filled, a run too short for its
 * figures, a write policy that the controller's battery rule lowers.
 */
#include "aw_test.h"

#include <string.h>

#include "lab_world.h"

#define SCENARIO(controller, policy, limits, load)                                                 \
    "{\"name\": \"x\", \"controller\": " controller ", \"drives\": {\"profile\":"                  \
    " \"fujitsu-mba3073rc\", \"count\": 4}, \"array\": {\"level\": \"raid10\", \"write_policy\":"  \
    " \"" policy "\"}, " limits "\"workloads\": [{\"profile\": \"w01-database\", " load "}]}"
#define SMALL "{\"profile\": \"native\", \"cache_bytes\": 4194304}"
#define MIXED "\"write_percents\": [0, 100], \"depths\": [4]"
#define WRITES "\"write_percents\": [100], \"depths\": [4]"

static const json_t *array_in(const json_t *doc)
{
    return json_array_get(json_object_get(doc, "arrays"), 0);
}

static const json_t *point_in(const json_t *doc, size_t index)
{
    return json_array_get(json_object_get(array_in(doc), "points"), index);
}

/* Codes of its warnings, one after the other. */
static void expect_warnings(const json_t *doc, size_t index, const char *codes)
{
    char told[256] = "";
    size_t i = 0;
    const json_t *warning = NULL;

    json_array_foreach(json_object_get(point_in(doc, index), "warnings"), i, warning)
    {
        size_t length = strlen(told);

        (void)snprintf(told + length, sizeof(told) - length, "%s%s", i > 0 ? " " : "",
                       json_string_value(json_object_get(warning, "code")));
        assert_true(json_string_length(json_object_get(warning, "text")) > 20);
    }
    assert_string_equal(told, codes);
}

static void a_cache_that_was_not_filled_is_told(void **state UNUSED)
{
    json_t *doc =
        doc_of(SCENARIO(SMALL, "write_back",
                        "\"limits\": {\"operations\": 300, \"warmup_operations\": 300}, ", MIXED));

    expect_warnings(doc, 0, ""); /* reads fill nothing */
    expect_warnings(doc, 1, "cache_not_filled");
    json_decref(doc);
    /* 512 writes of 8 KiB fill it. */
    doc =
        doc_of(SCENARIO(SMALL, "write_back",
                        "\"limits\": {\"operations\": 300, \"warmup_operations\": 512}, ", WRITES));
    expect_warnings(doc, 0, "");
    json_decref(doc);
}

/* Who gives no limits gets such that fill it. */
static void limits_are_chosen_that_fill_the_cache(void **state UNUSED)
{
    json_t *doc = doc_of(SCENARIO("{\"profile\": \"native\", \"cache_bytes\": 33554432}",
                                  "write_back", "\"limits\": {\"seconds\": 100}, ", WRITES));

    expect_warnings(doc, 0, "");
    assert_true(json_is_true(json_object_get(point_in(doc, 0), "cache_filled")));
    json_decref(doc);
}

static void the_buffers_of_drives_are_told(void **state UNUSED)
{
    json_t *doc =
        doc_of(SCENARIO(SMALL, "write_through",
                        "\"limits\": {\"operations\": 300, \"warmup_operations\": 100}, ", MIXED));

    expect_warnings(doc, 0, "");
    expect_warnings(doc, 1, "drive_buffers_not_filled");
    json_decref(doc);
}

static void a_run_that_is_too_short_is_told(void **state UNUSED)
{
    json_t *doc = doc_of(SCENARIO(
        SMALL, "write_through", "\"limits\": {\"operations\": 300, \"warmup_operations\": 1000}, ",
        "\"write_percents\": [0], \"depths\": [16, 64]"));

    expect_warnings(doc, 0, "");
    expect_warnings(doc, 1, "run_too_short"); /* fewer than ten of each request at a time */
    json_decref(doc);
    doc = doc_of(
        SCENARIO(SMALL, "write_through",
                 "\"limits\": {\"operations\": 100000, \"warmup_operations\": 0, \"seconds\": 1}, ",
                 "\"write_percents\": [0], \"depths\": [256]"));
    expect_warnings(doc, 0, "time_limit");
    json_decref(doc);
}

static double policy_rate(const char *controller, const char *policy, const char *effective,
                          const char *reason)
{
    char content[1024];
    json_t *doc = NULL;
    const json_t *array = NULL;
    const char *why = NULL;
    double rate = 0;

    (void)snprintf(content, sizeof(content),
                   SCENARIO("%s", "%s",
                            "\"limits\": {\"operations\": 300, \"warmup_operations\": 600}, ",
                            WRITES),
                   controller, policy);
    doc = doc_of(content);
    array = array_in(doc);
    assert_string_equal(json_string_value(json_object_get(array, "write_policy")), policy);
    assert_string_equal(json_string_value(json_object_get(array, "effective_write_policy")),
                        effective);
    why = json_string_value(json_object_get(array, "write_policy_reason"));
    if (reason == NULL ? why != NULL : why == NULL || strstr(why, reason) == NULL) {
        fail_msg("reason: %s", why != NULL ? why : "none");
    }
    rate = json_real_value(json_object_get(point_in(doc, 0), "operations_per_s"));
    json_decref(doc);
    return rate;
}

#define CARD(name, more) "{\"profile\": \"" name "\", \"cache_bytes\": 4194304" more "}"
#define WITHOUT ", \"battery\": \"missing\""
#define BACK "write_back"
#define AWB "always_write_back"
#define THROUGH "write_through"

/* What the model's rule makes of a policy, a prediction makes of it, too. */
static void the_battery_rule_holds_in_a_prediction(void **state UNUSED)
{
    double back = policy_rate(CARD("promise-supertrak-ex8650", ""), BACK, BACK, NULL);
    double through =
        policy_rate(CARD("promise-supertrak-ex8650", WITHOUT), BACK, THROUGH, "no battery");

    assert_true(through < 0.9 * back);
    assert_true(policy_rate(CARD("promise-supertrak-ex8650", WITHOUT), AWB, THROUGH, "") ==
                through);
    (void)policy_rate(CARD("3ware-9690sa-8i", WITHOUT), AWB, AWB, NULL);
    (void)policy_rate(CARD("3ware-9690sa-8i", ", \"battery\": \"charging\""), BACK, THROUGH, "");
    (void)policy_rate(CARD("lsi-megaraid-sata-300-8x", WITHOUT), BACK, THROUGH, "");
    (void)policy_rate(CARD("lsi-megaraid-sata-300-8x", ""), BACK, BACK, NULL);
    /* A model that takes no battery has none. */
    (void)policy_rate(CARD("3ware-9500s-8", ""), BACK, THROUGH, "no battery");
    (void)policy_rate(CARD("3ware-9500s-8", ""), AWB, AWB, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_that_was_not_filled_is_told),
        cmocka_unit_test(limits_are_chosen_that_fill_the_cache),
        cmocka_unit_test(the_buffers_of_drives_are_told),
        cmocka_unit_test(a_run_that_is_too_short_is_told),
        cmocka_unit_test(the_battery_rule_holds_in_a_prediction),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("lab-warnings", tests, scenario_file_make,
                                       scenario_file_remove);
}
