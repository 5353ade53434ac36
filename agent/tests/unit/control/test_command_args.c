/*
 * Arguments of commands: what is taken, and that everything else is refused by name.
 */
#include "aw_test.h"

#include <jansson.h>
#include <string.h>

#include "control/command_args.h"

static struct ctl_command command;
static struct reason reason;

static bool parse(const char *op, const char *text)
{
    json_t *args = json_loads(text, 0, NULL);

    assert_non_null(args);
    memset(&command, 0, sizeof(command));
    bool good = command_args_parse(op, args, &command, &reason);
    json_decref(args);
    return good;
}

static const char *reason_param(const char *name)
{
    for (uint32_t i = 0; i < reason.param_count; i++) {
        if (strcmp(reason.params[i].name, name) == 0) {
            return reason.params[i].value;
        }
    }
    return "";
}

static void expect_refused(const char *op, const char *text, const char *field, const char *problem)
{
    if (parse(op, text)) {
        fail_msg("accepted: %s %s", op, text);
    }
    assert_int_equal(reason.code, REASON_INVALID_ARGUMENT);
    assert_string_equal(reason_param("field"), field);
    if (strstr(reason_param("problem"), problem) == NULL) {
        fail_msg("%s: \"%s\" instead of \"%s\"", text, reason_param("problem"), problem);
    }
}

static void test_a_whole_creation(void **state UNUSED)
{
    const struct command_vd_create *create = &command.args.vd_create;

    assert_true(parse("vd_create",
                      "{\"controller\":\"c0\",\"level\":\"raid6\",\"drives\":[\"a\",\"b\"],"
                      "\"drives_per_span\":4,\"size_bytes\":1048576,\"strip_bytes\":65536,"
                      "\"name\":\"data\",\"write_policy\":\"write_back\",\"read_policy\":"
                      "\"read_ahead\",\"io_policy\":\"cached\",\"drive_cache_policy\":\"off\","
                      "\"degraded_policy\":\"write_through\","
                      "\"spares\":[\"c\"],\"force\":true,\"serials\":[\"S1\",\"S2\"],"
                      "\"plan_digest\":\"abc\"}"));
    assert_int_equal(command.op, CTL_OP_VD_CREATE);
    assert_string_equal(create->controller, "c0");
    assert_int_equal(create->level, RAID_LEVEL_6);
    assert_int_equal(create->drive_count, 2);
    assert_string_equal(create->drives[1], "b");
    assert_int_equal(create->drives_per_span, 4);
    assert_int_equal(create->size_bytes, 1048576);
    assert_int_equal(create->strip_bytes, 65536);
    assert_string_equal(create->name, "data");
    assert_int_equal(create->write_policy, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(create->read_policy, READ_POLICY_READ_AHEAD);
    assert_int_equal(create->io_policy, IO_POLICY_CACHED);
    assert_int_equal(create->drive_cache_policy, DRIVE_CACHE_POLICY_OFF);
    assert_int_equal(create->degraded_policy, DEGRADED_POLICY_WRITE_THROUGH);
    assert_int_equal(create->fields & VD_SET_DEGRADED, VD_SET_DEGRADED);
    assert_int_equal(create->spare_count, 1);
    assert_true(create->force);
    assert_int_equal(create->serial_count, 2);
    assert_string_equal(create->serials[1], "S2");
    assert_string_equal(create->plan_digest, "abc");
}

static void test_fields_of_settings(void **state UNUSED)
{
    assert_true(parse("vd_set", "{\"virtual_drive\":\"v\",\"name\":\"n\",\"access\":\"blocked\"}"));
    assert_int_equal(command.args.vd_set.fields, VD_SET_NAME | VD_SET_ACCESS);
    assert_int_equal(command.args.vd_set.access, ACCESS_POLICY_BLOCKED);
    assert_true(parse("controller_set", "{\"controller\":\"c\",\"auto_rebuild\":false}"));
    assert_int_equal(command.args.controller_set.fields, CONTROLLER_SET_AUTO_REBUILD);
    assert_false(command.args.controller_set.auto_rebuild);
    expect_refused("vd_set", "{\"virtual_drive\":\"v\"}", "args", "nothing to set");
    expect_refused("counters_reset", "{\"kind\":\"host\",\"key\":\"h\"}", "kind",
                   "must be controller, drive");
    expect_refused("controller_set", "{\"controller\":\"c\"}", "args", "nothing to set");
}

static void test_every_command_knows_its_arguments(void **state UNUSED)
{
    static const struct {
        const char *op;
        const char *args;
    } cases[] = {
        {"vd_delete", "{\"virtual_drive\":\"v\",\"force\":true}"},
        {"spare_add", "{\"drive\":\"d\",\"drive_groups\":[\"g\"],\"serial\":\"S\"}"},
        {"spare_remove", "{\"drive\":\"d\"}"},
        {"rebuild", "{\"drive\":\"d\",\"action\":\"pause\"}"},
        {"bgi", "{\"virtual_drive\":\"v\",\"action\":\"start\"}"},
        {"drive_replace", "{\"drive_group\":\"g\",\"span\":0,\"row\":1,\"drive\":\"d\"}"},
        {"drive_offline", "{\"drive\":\"d\"}"},
        {"drive_online", "{\"drive\":\"d\"}"},
        {"drive_good", "{\"drive\":\"d\",\"force\":true,\"serial\":\"S\"}"},
        {"drive_locate", "{\"drive\":\"d\",\"on\":true}"},
        {"drive_locate", "{\"drive\":\"d\",\"on\":true,\"seconds\":86400}"},
        {"drive_erase", "{\"drive\":\"d\",\"action\":\"stop\"}"},
        {"drive_erase", "{\"drive\":\"d\",\"action\":\"start\",\"mode\":\"normal\",\"pattern_a\":1,"
                        "\"pattern_b\":255,\"force\":true}"},
        {"drive_spindown", "{\"drive\":\"d\"}"},
        {"drive_spinup", "{\"drive\":\"d\"}"},
        {"drive_missing", "{\"drive\":\"d\"}"},
        {"counters_reset", "{\"kind\":\"drive\",\"key\":\"d\"}"},
        {"fault_inject", "{\"drive\":\"d\",\"fault\":\"slow\",\"latency_ms\":5}"},
        {"battery_learn", "{\"battery\":\"c0-bbu\"}"},
        {"battery_set", "{\"battery\":\"c0-bbu\",\"learn_mode\":\"warn\"}"},
        {"battery_set", "{\"battery\":\"c0-bbu\",\"next_learn_at_us\":5}"},
        {"battery_fault", "{\"battery\":\"c0-bbu\",\"fault\":\"overheat\"}"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!parse(cases[i].op, cases[i].args)) {
            fail_msg("%s %s: %s", cases[i].op, cases[i].args, reason_param("problem"));
        }
        assert_string_equal(ctl_op_word(command.op), cases[i].op);
    }
}

static void test_what_is_refused(void **state UNUSED)
{
    expect_refused("vd_delete", "[]", "args", "must be an object");
    expect_refused("vd_delete", "{}", "virtual_drive", "is missing");
    expect_refused("vd_delete", "{\"virtual_drive\":5}", "virtual_drive", "key of an object");
    expect_refused("vd_delete", "{\"virtual_drive\":\"\"}", "virtual_drive", "is not the key");
    expect_refused("vd_delete", "{\"virtual_drive\":\"a/b\"}", "virtual_drive", "is not the key");
    expect_refused("vd_delete", "{\"virtual_drive\":\"v\",\"undo\":true}", "undo",
                   "is not an argument");
    expect_refused("vd_delete", "{\"virtual_drive\":\"v\",\"force\":1}", "force", "true or false");
    expect_refused("rebuild", "{\"drive\":\"d\",\"action\":\"dance\"}", "action", "does not know");
    /* Without a size it takes all there is, which cannot be undone: 0 is not that. */
    expect_refused("vd_expand", "{\"virtual_drive\":\"v\",\"size_bytes\":9007199254740992}",
                   "size_bytes", "is too large");
    expect_refused("vd_expand", "{\"virtual_drive\":\"v\",\"size_bytes\":0}", "size_bytes",
                   "is too small (at least 1)");
    expect_refused("rebuild", "{\"drive\":\"d\",\"action\":7}", "action", "must be a word");
    expect_refused("fault_inject", "{\"drive\":\"d\",\"fault\":\"media_error\",\"lba\":1}", "count",
                   "is missing");
    expect_refused("fault_inject", "{\"drive\":\"d\",\"fault\":\"slow\"}", "latency_ms",
                   "is missing");
    expect_refused("drive_replace", "{\"drive_group\":\"g\",\"span\":-1,\"row\":0,\"drive\":\"d\"}",
                   "span", "must not be negative");
    expect_refused("drive_replace",
                   "{\"drive_group\":\"g\",\"span\":0,\"row\":1.5,\"drive\":\"d\"}", "row",
                   "whole number");
    expect_refused("controller_set", "{\"controller\":\"c\",\"bgi_rate_percent\":101}",
                   "bgi_rate_percent", "is too large (at most 100)");
    expect_refused("vd_create", "{\"controller\":\"c\",\"level\":\"raid5\"}", "drives",
                   "either drives or a drive group");
    expect_refused("vd_create",
                   "{\"controller\":\"c\",\"level\":\"raid5\",\"drives\":[\"a\"],"
                   "\"drive_group\":\"g\"}",
                   "drives", "either drives or a drive group");
    expect_refused("vd_create",
                   "{\"controller\":\"c\",\"level\":\"raid5\",\"drives\":[\"a\"],"
                   "\"name\":\"sixteen-letters!\"}",
                   "name", "is too long (at most 15 bytes)");
    expect_refused("vd_create", "{\"controller\":\"c\",\"level\":\"raid5\",\"drives\":[\"a\",3]}",
                   "drives", "key of an object");
    assert_false(parse("frobnicate", "{}"));
    assert_int_equal(reason.code, REASON_UNKNOWN_COMMAND);
}

static void test_lists_are_bounded(void **state UNUSED)
{
    json_t *args = json_pack("{s:s, s:s, s:[]}", "controller", "c", "level", "raid0", "drives");
    json_t *drives = json_object_get(args, "drives");

    for (uint32_t i = 0; i < COMMAND_DRIVES_MAX; i++) {
        assert_int_equal(json_array_append_new(drives, json_string("d")), 0);
    }
    assert_true(command_args_parse("vd_create", args, &command, &reason));
    assert_int_equal(command.args.vd_create.drive_count, COMMAND_DRIVES_MAX);
    assert_int_equal(json_array_append_new(drives, json_string("d")), 0);
    assert_false(command_args_parse("vd_create", args, &command, &reason));
    assert_string_equal(reason_param("problem"), "has too many entries");
    json_decref(args);
}

static bool guards(const char *confirm, const char *preconditions)
{
    json_t *first = json_loads(confirm, JSON_DECODE_ANY, NULL);
    json_t *second = json_loads(preconditions, JSON_DECODE_ANY, NULL);
    bool good = command_guards_parse(first, second, &command, &reason);

    assert_non_null(first);
    assert_non_null(second);
    json_decref(first);
    json_decref(second);
    return good;
}

static void test_guards(void **state UNUSED)
{
    assert_true(
        guards("\"data\"", "[{\"kind\":\"virtual_drive\",\"key\":\"v\",\"config_rev\":7}]"));
    assert_string_equal(command.confirm, "data");
    assert_int_equal(command.precondition_count, 1);
    assert_int_equal(command.preconditions[0].kind, OBJECT_KIND_VIRTUAL_DRIVE);
    assert_int_equal(command.preconditions[0].config_rev, 7);
    assert_true(guards("null", "[]"));
    assert_string_equal(command.confirm, "");
    assert_true(command_guards_parse(NULL, NULL, &command, &reason));
    assert_false(guards("5", "[]"));
    assert_false(guards("null", "{}"));
    assert_false(guards("null", "[{\"kind\":\"virtual_drive\",\"key\":\"v\"}]"));
    assert_false(guards("null", "[{\"kind\":\"moon\",\"key\":\"v\",\"config_rev\":1}]"));
}

static void test_a_preview_has_no_digest(void **state UNUSED)
{
    static struct command_vd_create create;
    json_t *args =
        json_pack("{s:s, s:s, s:[s]}", "controller", "c", "level", "raid0", "drives", "a");

    assert_true(preview_args_parse(args, &create, &reason));
    assert_int_equal(json_object_set_new(args, "plan_digest", json_string("x")), 0);
    assert_false(preview_args_parse(args, &create, &reason));
    json_decref(args);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_creation),
        cmocka_unit_test(test_fields_of_settings),
        cmocka_unit_test(test_every_command_knows_its_arguments),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_lists_are_bounded),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_a_preview_has_no_digest),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
