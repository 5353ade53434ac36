/*
 * The daemon's configuration: what is accepted, and the message for each kind of mistake.
 */
#include "aw_test.h"

#include <string.h>
#include <unistd.h>

#include "daemon/config.h"

#define MINIMUM "state_dir = \"/var/lib/x\";\n"

static char error[CONFIG_ERROR_BYTES];

static struct daemon_config *config_from(const char *text)
{
    char path[] = "/tmp/aw-config-XXXXXX";
    struct daemon_config *config = NULL;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
    if (daemon_config_read(path, &config, error) != 0) {
        config = NULL;
        /* Every message begins with the file; line and text follow. */
        assert_memory_equal(error, path, strlen(path));
        memmove(error, error + strlen(path), strlen(error + strlen(path)) + 1);
    }
    assert_int_equal(unlink(path), 0);
    return config;
}

static void expect_error(const char *text, const char *message)
{
    struct daemon_config *config = config_from(text);

    assert_null(config);
    if (strstr(error, message) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", message, error);
    }
}

static void test_drive_limits(void **state UNUSED)
{
    struct daemon_config *config = config_from(MINIMUM "drive_limits = {\n"
                                                       "  timeout_ms = 8000; attempts = 1;\n"
                                                       "  media_fail = 7; slow_factor = 3; };\n");

    assert_non_null(config);
    assert_int_equal(config->drive_limits.timeout_ms, 8000);
    assert_int_equal(config->drive_limits.attempts, 1);
    assert_int_equal(config->drive_limits.media_fail, 7);
    assert_int_equal(config->drive_limits.slow_factor, 3);
    assert_int_equal(config->drive_limits.media_warn, 0); /* the drive's default */
    free(config);
    expect_error(MINIMUM "drive_limits = { timeout_ms = 5; };", "timeout_ms");
    expect_error(MINIMUM "drive_limits = { patience = 5; };", "patience");
}

static void test_defaults(void **state UNUSED)
{
    struct daemon_config *config = config_from(MINIMUM);

    assert_non_null(config);
    assert_string_equal(config->state_dir, "/var/lib/x");
    assert_string_equal(config->control.socket, "/run/arraywright/control.sock");
    assert_int_equal(config->control.mode, 0660);
    assert_string_equal(config->nbd.unix_path, "/run/arraywright/nbd.sock");
    assert_false(config->nbd.tcp_enabled);
    assert_false(config->ublk_enabled);
    assert_string_equal(config->nbd.tcp_listen, "127.0.0.1");
    assert_int_equal(config->nbd.tcp_port, 10809);
    assert_string_equal(config->policy, "standard");
    assert_true(config->scan.enabled);
    assert_int_equal(config->drive_count, 0);
    assert_int_equal(config->claim_wait_s, 30);
    assert_non_null(strstr(config->monitor.unit, "/arraywright-monitor.service"));
    assert_int_equal(config->monitor.silence_s, 300);
    assert_int_equal(config->nbd.connection_max, 256);
    assert_int_equal(config->nbd.memory_bytes, 64u << 20);
    assert_int_equal(config->nbd.busy_poll_percent, 0);
    assert_int_equal(config->protect.lock_memory, MEMORY_LOCK_AUTO);
    assert_int_equal(config->protect.oom_score_adj, -1000);
    free(config);
}

static void test_monitor(void **state UNUSED)
{
    struct daemon_config *config = config_from(MINIMUM "control = { socket = \"/run/x.sock\"; };");

    assert_non_null(config);
    assert_string_equal(config->monitor.unit, ""); /* the host's monitor is another's */
    free(config);
    config = config_from(MINIMUM "monitor = { unit = \"/run/unit\"; silence_s = 5; };");
    assert_non_null(config);
    assert_string_equal(config->monitor.unit, "/run/unit");
    assert_int_equal(config->monitor.silence_s, 5);
    free(config);
    expect_error(MINIMUM "monitor = { silence_s = 0; };", "silence_s");
}

static void test_protection(void **state UNUSED)
{
    struct daemon_config *config =
        config_from(MINIMUM "protect = { lock_memory = \"no\"; oom_score_adj = -1; };");

    assert_non_null(config);
    assert_int_equal(config->protect.lock_memory, MEMORY_LOCK_NO);
    assert_int_equal(config->protect.oom_score_adj, -1);
    free(config);
    expect_error(MINIMUM "protect = { lock_memory = true; };", "lock_memory must be");
    expect_error(MINIMUM "protect = { oom_score_adj = -1001; };", "-1000 to 1000");
    expect_error(MINIMUM "protect = { oom_score_adj = \"low\"; };", "-1000 to 1000");
    expect_error(MINIMUM "claim_wait_s = 0;", "claim_wait_s");
    expect_error(MINIMUM "events = { days = 0; };", "days");
    expect_error(MINIMUM "events = { size = \"1 KiB\"; };", "size");
    expect_error(MINIMUM "nbd = { memory = \"1 MiB\"; };", "memory");
    expect_error(MINIMUM "nbd = { connections = 1001; };", "connections");
}

static void test_everything(void **state UNUSED)
{
    struct daemon_config *config = config_from(
        MINIMUM
        "log_level = \"debug\"; policy = \"lab\";\n"
        "control = { socket = \"/tmp/c\"; mode = \"0600\"; uplink_users = [\"u\"]; };\n"
        "nbd = { unix = \"/tmp/n\"; tcp = { enabled = true; port = 1; }; };\n"
        "ublk = { enabled = true; };\n"
        "controller = { model = \"M\"; };\n"
        "events = { count = 500; size = \"2 MiB\"; days = 30; };\n"
        "scan = { enabled = false; include = [\"/dev/sd*\"]; loop_devices = true; };\n"
        "enclosures = ( { eid = 252; slots = 8; rows = 2; order = \"column_major\"; } );\n"
        "drives = ( { path = \"/dev/sdx\"; },\n"
        "           { path = \"/tmp/d0\"; enclosure = 252; slot = 7;\n"
        "             emulated = { size = \"128 MiB\"; overhead_us = 50;\n"
        "                          transfer_per_s = \"100 MB\"; media = \"ssd\"; }; } );\n");

    assert_non_null(config);
    assert_int_equal(config->log_level, LOG_LEVEL_DEBUG);
    assert_int_equal(config->events.count_max, 500);
    assert_int_equal(config->events.bytes_max, 2u << 20);
    assert_int_equal(config->events.days_max, 30);
    assert_true(config->scan.loop_devices && !config->scan.enabled);
    assert_true(config->ublk_enabled);
    assert_int_equal(config->enclosures[0].columns, 4);
    assert_true(config->enclosures[0].column_major);
    assert_int_equal(config->drive_count, 2);
    assert_int_equal(config->drives[0].eid, CONFIG_NO_PLACE);
    assert_false(config->drives[0].emulated);
    assert_int_equal(config->drives[1].slot, 7);
    assert_true(config->drives[1].emulated);
    assert_int_equal(config->drives[1].size_bytes, 128u << 20);
    assert_int_equal(config->drives[1].timing.transfer_bytes_per_s, 100000000);
    assert_int_equal(config->drives[1].media, DRIVE_MEDIA_SSD);
    free(config);
}

static void test_mistakes_name_their_line(void **state UNUSED)
{
    expect_error(MINIMUM "stat_dir = \"/x\";\n", ":2: unknown key stat_dir (known: state_dir");
    expect_error(MINIMUM "nbd = {\n  unixx = \"/x\";\n};\n", ":3: unknown key unixx in nbd");
    expect_error(MINIMUM "nbd = { tcp = { prot = 5; }; };\n", "unknown key prot in tcp");
    expect_error("log_level = \"info\";\n", "state_dir is missing");
    expect_error(MINIMUM "log_level = \"loud\";\n", ":2: log_level must be");
    expect_error(MINIMUM "policy = \"none\";\n", ":2: policy must be");
    expect_error(MINIMUM "nbd = { tcp = { port = 0; }; };\n", "between 1 and 65535, not 0");
    expect_error(MINIMUM "nbd = { tcp = { port = 70000; }; };\n", "not 70000");
    expect_error(MINIMUM "nbd = { tcp = { port = \"5\"; }; };\n", "must be a whole number");
    expect_error(MINIMUM "scan = { enabled = 1; };\n", "must be true or false");
    expect_error(MINIMUM "scan = true;\n", "scan must be a group");
    expect_error(MINIMUM "control = { mode = \"rw\"; };\n", "permissions such as");
    expect_error(MINIMUM "control = { socket = \"relative\"; };\n", "absolute path");
    expect_error(MINIMUM "drives = ( { slot = 1; } );\n", "path is missing");
    expect_error(MINIMUM "drives = { };\n", "drives must be a list");
    expect_error(MINIMUM "x = ;\n", ":2: syntax error");
    expect_error(MINIMUM MINIMUM, ":2: duplicate setting name");
}

static void test_contradictions(void **state UNUSED)
{
    expect_error(MINIMUM "drives = ( { path = \"/d\"; enclosure = 1; slot = 0; } );\n",
                 "enclosure 1 is not in the list");
    expect_error(MINIMUM "enclosures = ( { eid = 1; slots = 2; } );\n"
                         "drives = ( { path = \"/d\"; enclosure = 1; slot = 2; } );\n",
                 ":3: slot 2 is beyond the 2 slots");
    expect_error(MINIMUM "enclosures = ( { eid = 1; slots = 2; } );\n"
                         "drives = ( { path = \"/d\"; enclosure = 1; slot = 1; },\n"
                         "           { path = \"/e\"; enclosure = 1; slot = 1; } );\n",
                 ":4: slot 1 is taken by the drive in line 3");
    expect_error(MINIMUM "drives = ( { path = \"/d\"; },\n { path = \"/d\"; } );\n",
                 ":3: path is that of the drive in line 2 too");
    expect_error(MINIMUM "enclosures = ( { eid = 1; slots = 2; }, { eid = 1; slots = 2; } );\n",
                 "enclosure 1 is listed twice");
    expect_error(MINIMUM "enclosures = ( { eid = 1; } );\n", "slots is missing");
    expect_error(MINIMUM "enclosures = ( { eid = 1; profile = \"x\"; rows = 2; } );\n",
                 "rows comes from the profile");
    expect_error(MINIMUM "enclosures = ( { eid = 1; slots = 9; rows = 2; columns = 4; } );\n",
                 "9 slots do not fit into 2 rows of 4");
    expect_error(MINIMUM "drives = ( { path = \"/d\"; emulated = { size = \"1 MiB\"; }; } );\n",
                 "size must be between 65 MiB and 16 TiB, not 1 MiB");
    expect_error(MINIMUM "drives = ( { path = \"/d\"; emulated = { media = \"ssd\"; }; } );\n",
                 "size is missing: the drive has no profile");
    expect_error(MINIMUM "drives = ( { path = \"/d\"; emulated = { profile = \"x\"; "
                         "media = \"ssd\"; }; } );\n",
                 "media comes from the profile");
}

static void test_a_file_that_is_not_there(void **state UNUSED)
{
    struct daemon_config *config = NULL;

    assert_true(daemon_config_read("/nowhere/arrayd.conf", &config, error) < 0);
    assert_non_null(strstr(error, "/nowhere/arrayd.conf: cannot be read: No such file"));
    assert_null(config);
}

static void test_battery(void **state UNUSED)
{
    struct daemon_config *config = config_from(MINIMUM);

    assert_false(config->controllers[0].battery.fitted);
    assert_string_equal(config->controllers[0].profile, "native");
    free(config);
    config = config_from(MINIMUM "profile = \"lsi-x\"; profiles_dir = \"/p\";\n"
                                 "battery = { source = \"emulated\"; profile = \"lsi-ibbu01\";"
                                 " speed = 60; };");
    assert_non_null(config);
    assert_true(config->controllers[0].battery.fitted);
    assert_int_equal(config->controllers[0].battery.kind, BATTERY_KIND_EMULATED);
    assert_int_equal(config->controllers[0].battery.speed, 60);
    assert_int_equal(config->controllers[0].battery.line, 3);
    assert_int_equal(config->controllers[0].profile_line, 2);
    assert_string_equal(config->profiles_dir, "/p");
    free(config);
    config = config_from(MINIMUM "battery = { source = \"ups\"; ups = \"bbu0@127.0.0.1:1\";"
                                 " absorbs_flush = true; shutdown_s = 30; };");
    assert_non_null(config);
    assert_int_equal(config->controllers[0].battery.kind, BATTERY_KIND_UPS);
    assert_true(config->controllers[0].battery.absorbs_flush);
    assert_int_equal(config->controllers[0].battery.shutdown_s, 30);
    assert_int_equal(config->controllers[0].battery.settle_s, 10);
    free(config);
    config = config_from(MINIMUM "battery = { source = \"medium\"; };");
    assert_non_null(config);
    assert_int_equal(config->controllers[0].battery.kind, BATTERY_KIND_CACHEVAULT);
    free(config);
    config = config_from(MINIMUM "battery = { source = \"none\"; };");
    assert_non_null(config);
    assert_false(config->controllers[0].battery.fitted);
    free(config);
}

static void test_battery_mistakes(void **state UNUSED)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"battery = { };", ":2: source is missing"},
        {"battery = { source = \"diesel\"; };", ":2: source must be \"emulated\""},
        {"battery = { source = \"cachevault\"; };", ":2: source must be \"emulated\""},
        {"battery = { source = 5; };", ":2: source must be \"emulated\""},
        {"battery = { source = \"emulated\"; };", ":2: profile is missing"},
        {"battery = {\n source = \"ups\"; };", ":2: ups must be \"NAME@HOST:PORT\""},
        {"battery = { source = \"ups\"; ups = \"@\"; };", "ups must be \"NAME@HOST:PORT\""},
        {"battery = { source = \"ups\"; ups = \"x\";\n speed = 2; };",
         ":3: speed is for source = \"emulated\" only"},
        {"battery = { source = \"none\"; poll_s = 2; };",
         ":2: poll_s is for source = \"ups\" only"},
        {"battery = { source = \"medium\"; profile = \"x\"; };",
         ":2: profile is for source = \"emulated\" only"},
        {"battery = { source = \"ups\"; ups = \"x\"; poll_s = 0; };",
         "poll_s must be between 1 and 60"},
        {"battery = { source = \"ups\"; ups = \"x\"; volts = 2; };", "volts"},
        {"profile = \"\";", ":2: profile must be the name"},
        {"profiles_dir = \"relative\";", "must be an absolute path"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];

        (void)snprintf(text, sizeof(text), MINIMUM "%s", cases[i].text);
        expect_error(text, cases[i].message);
    }
}

static void test_cache(void **state UNUSED)
{
    struct daemon_config *config = config_from(
        MINIMUM "cache = { medium = \"pmem\"; path = \"/p/c\"; size = \"64 MiB\"; };\n");

    assert_non_null(config);
    assert_int_equal(config->controllers[0].cache.medium, CONFIG_MEDIUM_PMEM);
    assert_string_equal(config->controllers[0].cache.path, "/p/c");
    assert_int_equal(config->controllers[0].cache.size_bytes, 64 << 20);
    assert_false(config->controllers[0].cache.has_owner);
    free(config);
    config = config_from(MINIMUM "cache = { medium = \"pmem\"; path = \"/p/c\"; size = \"64 MiB\"; "
                                 "owner = \"01234567-89ab-4def-8123-456789abcdef\"; };\n");
    assert_non_null(config);
    assert_true(config->controllers[0].cache.has_owner);
    assert_int_equal(config->controllers[0].cache.owner.bytes[15], 0xef);
    free(config);
    expect_error(MINIMUM "cache = {\n  medium = \"pmem\"; path = \"/p/c\"; size = \"64 MiB\";\n"
                         "owner = \"me\"; };\n",
                 ":4: owner must be the UUID");
    expect_error(MINIMUM "cache = {\n  medium = \"tape\"; path = \"/p/c\"; size = \"64 MiB\"; };\n",
                 ":3: medium must be");
    expect_error(MINIMUM "cache = { path = \"/p/c\"; size = \"64 MiB\"; };\n", ":2: ");
    expect_error(MINIMUM "cache = { medium = \"pmem\"; path = \"c\"; size = \"64 MiB\"; };\n",
                 ":2: ");
    expect_error(MINIMUM "cache = { medium = \"pmem\"; path = \"/p/c\"; size = \"64 KiB\"; };\n",
                 ":2: ");
    expect_error(MINIMUM "cache = { medium = \"pmem\"; path = \"/p/c\"; size = \"16777217\"; };\n",
                 "multiple of 4 KiB");
}

static void test_controllers(void **state UNUSED)
{
    struct daemon_config *config = config_from(
        MINIMUM "controllers = ( {\n"
                "  model = \"Left\"; profile = \"a\";\n"
                "  battery = { source = \"ups\"; ups = \"x\"; settle_s = 3; };\n"
                "  cache = { medium = \"pmem\"; path = \"/c0\"; size = \"1 MiB\"; };\n"
                "  enclosures = ( { eid = 1; slots = 4; } );\n"
                "  drives = ( { path = \"/d\"; enclosure = 1; slot = 0; }, { path = \"/e\"; } );\n"
                "}, {\n"
                "  cache = { medium = \"pmem\"; path = \"/c1\"; size = \"1 MiB\"; };\n"
                "  enclosures = ( { eid = 1; slots = 2; }, { eid = 2; slots = 2; } );\n"
                "  drives = ( { path = \"/f\"; enclosure = 1; slot = 0; } );\n"
                "} );\n");

    assert_non_null(config);
    assert_int_equal(config->controller_count, 2);
    assert_string_equal(config->controllers[0].model, "Left");
    assert_string_equal(config->controllers[0].profile, "a");
    assert_int_equal(config->controllers[0].battery.settle_s, 3);
    assert_int_equal(config->controllers[1].index, 1);
    assert_string_equal(config->controllers[1].model, "");
    assert_string_equal(config->controllers[1].profile, "native");
    assert_false(config->controllers[1].battery.fitted);
    assert_string_equal(config->controllers[1].cache.path, "/c1");
    assert_int_equal(config->enclosure_count, 3);
    assert_int_equal(config->enclosures[0].controller, 0);
    assert_int_equal(config->enclosures[2].controller, 1);
    assert_int_equal(config->drive_count, 3);
    assert_int_equal(config->drives[1].controller, 0);
    assert_int_equal(config->drives[2].controller, 1);
    free(config);
    config = config_from(MINIMUM);
    assert_non_null(config);
    assert_int_equal(config->controller_count, 1);
    free(config);
}

static void test_controllers_mistakes(void **state UNUSED)
{
    expect_error(MINIMUM "controllers = ( );\n", ":2: controllers must have at least one group");
    expect_error(MINIMUM "controllers = { };\n", "controllers must be a list");
    expect_error(MINIMUM "controllers = ( { }, { }, { }, { }, { }, { }, { }, { }, { } );\n",
                 "at most 8 controllers");
    expect_error(MINIMUM "controllers = ( { },\n { scan = { }; } );\n", ":3: unknown key scan");
    expect_error(MINIMUM "drives = ( { path = \"/d\"; } );\ncontrollers = ( { } );\n",
                 ":2: there are controllers: drives belongs into the group of one of them");
    expect_error(MINIMUM "controllers = ( { } );\ncontroller = { model = \"x\"; };\n",
                 ":3: there are controllers: controller belongs into");
    expect_error(MINIMUM "controllers = ( { drives = ( { path = \"/d\"; } ); },\n"
                         " { drives = ( { path = \"/d\"; } ); } );\n",
                 ":3: path is that of the drive in line 2 too");
    expect_error(MINIMUM "controllers = ( { enclosures = ( { eid = 1; slots = 2; } ); },\n"
                         " { drives = ( { path = \"/d\"; enclosure = 1; slot = 0; } ); } );\n",
                 ":3: enclosure 1 is not in the list");
    expect_error(MINIMUM
                 "controllers = (\n"
                 "{ cache = { medium = \"pmem\"; path = \"/c\"; size = \"1 MiB\"; }; },\n"
                 "{ cache = { medium = \"pmem\"; path = \"/c\"; size = \"1 MiB\"; }; } );\n",
                 ":4: path is that of the cache of controller 0 too");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_battery),
        cmocka_unit_test(test_battery_mistakes),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_protection),
        cmocka_unit_test(test_monitor),
        cmocka_unit_test(test_drive_limits),
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_mistakes_name_their_line),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_a_file_that_is_not_there),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_controllers),
        cmocka_unit_test(test_controllers_mistakes),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
