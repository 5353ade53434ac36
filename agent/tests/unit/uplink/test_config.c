/*
 * The configuration file and the backend's address: what is accepted, and what is said about
 * everything else.
 */
#include <string.h>
#include <unistd.h>

#include "aw_test.h"
#include "uplink/uplink_config.h"
#include "uplink/uplink_url.h"

static char path[64];

static int path_make(void **state UNUSED)
{
    (void)snprintf(path, sizeof(path), "/tmp/aw-uplink-config-XXXXXX");
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int path_remove(void **state UNUSED)
{
    return unlink(path);
}

static int config_of(const char *text, struct uplink_config *config,
                     char error[UPLINK_CONFIG_ERROR_BYTES])
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return uplink_config_read(path, config, error);
}

static void test_every_key(void **state UNUSED)
{
    struct uplink_config config;
    char error[UPLINK_CONFIG_ERROR_BYTES];
    int result = config_of("url = \"https://backend.example:8443/aw\";\n"
                           "control_socket = \"/run/x/control.sock\";\n"
                           "state_dir = \"/var/lib/x\";\n"
                           "hostname = \"alpha\";\n"
                           "ca_file = \"/etc/ssl/x.pem\";\n"
                           "reconnect_base_ms = 200;\n"
                           "reconnect_cap_ms = 2000;\n"
                           "log_level = \"debug\";\n",
                           &config, error);

    assert_int_equal(result, 0);
    assert_string_equal(config.url, "https://backend.example:8443/aw");
    assert_string_equal(config.control_socket, "/run/x/control.sock");
    assert_string_equal(config.state_dir, "/var/lib/x");
    assert_string_equal(config.hostname, "alpha");
    assert_string_equal(config.ca_file, "/etc/ssl/x.pem");
    assert_int_equal(config.reconnect_base_ms, 200);
    assert_int_equal(config.reconnect_cap_ms, 2000);
    assert_int_equal(config.log_level, UPLINK_DEBUG);
}

static void test_defaults(void **state UNUSED)
{
    struct uplink_config config;
    char error[UPLINK_CONFIG_ERROR_BYTES];

    assert_int_equal(config_of("", &config, error), 0);
    assert_string_equal(config.url, "");
    assert_string_equal(config.hostname, "");
    assert_string_equal(config.ca_file, "");
    assert_int_equal(config.reconnect_base_ms, 2000);
    assert_int_equal(config.reconnect_cap_ms, 600000);
    assert_int_equal(config.log_level, UPLINK_INFO);
}

static void test_errors_name_the_line(void **state UNUSED)
{
    static const struct {
        const char *text;
        const char *line;
        const char *said;
    } cases[] = {
        {"\nurll = \"https://x\";\n", ":2: ", "unknown key urll (known: url, control_socket"},
        {"url = 7;\n", ":1: ", "url must be a text in quotes"},
        {"url = \"ftp://x\";\n", ":1: ", "must begin with https:// or http://"},
        {"url = \"https://user@x\";\n", ":1: ", "does not belong there"},
        {"control_socket = \"relative\";\n", ":1: ", "must be an absolute path"},
        {"\n\nstate_dir = 1;\n", ":3: ", "state_dir must be a text in quotes"},
        {"hostname = \"\";\n", ":1: ", "hostname must have 1 to 64 characters"},
        {"\nhostname = \"a b\";\n", ":2: ", "hostname must not have blanks"},
        {"reconnect_base_ms = 0;\n", ":1: ", "must be between 10 and 60000, not 0"},
        {"reconnect_base_ms = 5000;\nreconnect_cap_ms = 1000;\n", ": ", "must not be below"},
        {"reconnect_cap_ms = \"x\";\n", ":1: ", "must be a whole number"},
        {"log_level = \"loud\";\n", ":1: ", "log_level must be \"error\""},
        {"url = \"https://x\"\nhostname = ;\n", ":2: ", "syntax error"},
        {"url : { a = 1; };\n", ":1: ", "url must be a text in quotes"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uplink_config config = {.reconnect_base_ms = 4711};
        char error[UPLINK_CONFIG_ERROR_BYTES];

        assert_int_equal(config_of(cases[i].text, &config, error), -EINVAL);
        if (strstr(error, cases[i].said) == NULL || strstr(error, cases[i].line) == NULL ||
            strstr(error, path) != error) {
            fail_msg("case %zu: %s", i, error);
        }
        assert_int_equal(config.reconnect_base_ms, 4711); /* nothing half-read */
    }
}

static void test_missing_file(void **state UNUSED)
{
    struct uplink_config config;
    char error[UPLINK_CONFIG_ERROR_BYTES];

    assert_int_equal(uplink_config_read("/nonexistent/uplink.conf", &config, error), -EINVAL);
    assert_non_null(strstr(error, "/nonexistent/uplink.conf: cannot be read"));
}

static void test_good_addresses(void **state UNUSED)
{
    static const struct {
        const char *text;
        bool tls, loopback;
        const char *host;
        uint16_t port;
        const char *prefix;
        const char *authority;
    } cases[] = {
        {"https://backend", true, false, "backend", 443, "", "backend:443"},
        {"http://127.0.0.1:8080/", false, true, "127.0.0.1", 8080, "", "127.0.0.1:8080"},
        {"http://127.9.9.9", false, true, "127.9.9.9", 80, "", "127.9.9.9:80"},
        {"HTTPS://A.b-c.example:1/x/y//", true, false, "A.b-c.example", 1, "/x/y",
         "A.b-c.example:1"},
        {"http://[::1]:65535", false, true, "::1", 65535, "", "[::1]:65535"},
        {"https://[2001:db8::7]/p", true, false, "2001:db8::7", 443, "/p", "[2001:db8::7]:443"},
        {"http://localhost", false, true, "localhost", 80, "", "localhost:80"},
        {"http://localhost.evil.example", false, false, "localhost.evil.example", 80, "",
         "localhost.evil.example:80"},
        {"http://128.0.0.1", false, false, "128.0.0.1", 80, "", "128.0.0.1:80"},
        {"http://[::2]", false, false, "::2", 80, "", "[::2]:80"},
        {"http://127.evil.example", false, false, "127.evil.example", 80, "",
         "127.evil.example:80"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uplink_url url;
        char why[160];
        char authority[300];

        assert_int_equal(uplink_url_parse(cases[i].text, &url, why), 0);
        assert_int_equal(url.tls, cases[i].tls);
        assert_string_equal(url.host, cases[i].host);
        assert_int_equal(url.port, cases[i].port);
        assert_string_equal(url.prefix, cases[i].prefix);
        assert_int_equal(uplink_url_is_loopback(&url), cases[i].loopback);
        uplink_url_authority(&url, authority, sizeof(authority));
        assert_string_equal(authority, cases[i].authority);
    }
}

static void test_bad_addresses(void **state UNUSED)
{
    static const char *const cases[] = {
        "",
        "backend",
        "https://",
        "https://:80",
        "https://h:0",
        "https://h:",
        "https://h:1x",
        "https://h:65536",
        "https://h:99999999999999",
        "https://[",
        "https://[::1",
        "https://[zz]",
        "https://[1:2]",
        "https://h/a b",
        "https://h?x",
        "https://h/#x",
        "https://u:p@h",
        "wss://h",
        "https://h\r\nX: y",
        "https://h/\n",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uplink_url url = {.port = 4711};
        char why[160] = "";

        if (uplink_url_parse(cases[i], &url, why) != -EINVAL) {
            fail_msg("%s was accepted", cases[i]);
        }
        assert_true(why[0] != '\0');
        assert_int_equal(url.port, 4711);
    }
}

static void test_endless_address(void **state UNUSED)
{
    char text[2000] = "https://";
    struct uplink_url url;
    char why[160];

    memset(text + 8, 'a', sizeof(text) - 9);
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(uplink_url_parse(text, &url, why), -EINVAL);
    text[400] = '\0';
    assert_int_equal(uplink_url_parse(text, &url, why), -EINVAL); /* the host alone is too long */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_errors_name_the_line),
        cmocka_unit_test(test_missing_file),
        cmocka_unit_test(test_good_addresses),
        cmocka_unit_test(test_bad_addresses),
        cmocka_unit_test(test_endless_address),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, path_make, path_remove);
}
