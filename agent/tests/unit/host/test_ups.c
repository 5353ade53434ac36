/*
 * What is made of a NUT server's answers, and of a server that behaves badly: silent, slow,
 * lying, endless, gone.
 */
#include "aw_test.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "host/ups_client.h"

#define SOURCE "bbu0@127.0.0.1:3493"

/* Readings */

static struct battery_reading read_with(const char *status, const char *const *variables)
{
    struct ups_values values;
    struct battery_reading reading;
    char line[256];

    ups_values_init(&values);
    assert_int_equal(ups_values_line(&values, "bbu0", "BEGIN LIST VAR bbu0"), UPS_ANSWER_MORE);
    (void)snprintf(line, sizeof(line), "VAR bbu0 ups.status \"%s\"", status);
    assert_int_equal(ups_values_line(&values, "bbu0", line), UPS_ANSWER_MORE);
    for (; variables != NULL && *variables != NULL; variables++) {
        assert_int_equal(ups_values_line(&values, "bbu0", *variables), UPS_ANSWER_MORE);
    }
    assert_int_equal(ups_values_line(&values, "bbu0", "END LIST VAR bbu0"), UPS_ANSWER_WHOLE);
    ups_values_read(&values, SOURCE, 120, &reading);
    return reading;
}

static void the_worst_word_decides(void **state UNUSED)
{
    static const struct {
        const char *status;
        enum battery_state state;
        enum reason_code code;
    } cases[] = {
        {"OL", BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK},
        {"OL CHRG", BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK},
        {"OL TRIM", BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK},
        {"OL SOMETHING-NEW", BATTERY_STATE_OPTIMAL, REASON_BATTERY_OK},
        {"OB", BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING},
        {"OB DISCHRG", BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING},
        {"OB LB DISCHRG", BATTERY_STATE_LOW, REASON_BATTERY_CHARGE_LOW},
        {"OL LB", BATTERY_STATE_LOW, REASON_BATTERY_CHARGE_LOW},
        {"OL FSD", BATTERY_STATE_LOW, REASON_BATTERY_FORCED_SHUTDOWN},
        {"FSD OB LB", BATTERY_STATE_LOW, REASON_BATTERY_FORCED_SHUTDOWN},
        {"OL RB", BATTERY_STATE_FAILED, REASON_BATTERY_REPLACE},
        {"OB RB", BATTERY_STATE_DISCHARGING, REASON_BATTERY_DISCHARGING},
        {"OL CAL", BATTERY_STATE_LEARNING, REASON_BATTERY_LEARNING},
        {"CAL OB DISCHRG", BATTERY_STATE_LEARNING, REASON_BATTERY_LEARNING},
        {"OL BYPASS", BATTERY_STATE_DEGRADED, REASON_BATTERY_NOT_IN_LINE},
        {"OL OFF", BATTERY_STATE_DEGRADED, REASON_BATTERY_NOT_IN_LINE},
        {"OL OVER", BATTERY_STATE_DEGRADED, REASON_BATTERY_NOT_IN_LINE},
        {"WAIT", BATTERY_STATE_UNKNOWN, REASON_BATTERY_STALE},
        {"OL OB", BATTERY_STATE_UNKNOWN, REASON_BATTERY_CONTRADICTS},
        {"", BATTERY_STATE_UNKNOWN, REASON_BATTERY_CONTRADICTS},
        {"ALARM", BATTERY_STATE_UNKNOWN, REASON_BATTERY_CONTRADICTS},
        {"OLB", BATTERY_STATE_UNKNOWN, REASON_BATTERY_CONTRADICTS},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct battery_reading reading = read_with(cases[i].status, NULL);

        if (reading.state != cases[i].state || reading.state_reason.code != cases[i].code) {
            fail_msg("\"%s\" is %s (%s)", cases[i].status, battery_state_word(reading.state),
                     reason_code_word(reading.state_reason.code));
        }
    }
}

static void figures_are_read(void **state UNUSED)
{
    static const char *const variables[] = {"VAR bbu0 battery.charge \"87.5\"",
                                            "VAR bbu0 battery.charge.low \"20\"",
                                            "VAR bbu0 battery.runtime \"1800\"",
                                            "VAR bbu0 battery.runtime.low \"300\"",
                                            "VAR bbu0 battery.voltage \"27.4\"",
                                            "VAR bbu0 battery.voltage.nominal \"24\"",
                                            "VAR bbu0 battery.temperature \"25.9\"",
                                            "VAR bbu0 battery.capacity \"7.2\"",
                                            "VAR bbu0 battery.type \"PbAc\"",
                                            "VAR bbu0 battery.mfr.date \"2024/03/17\"",
                                            "VAR bbu0 device.mfr \"APC\"",
                                            "VAR bbu0 device.model \"Smart \\\"X\\\" \\\\ 1500\"",
                                            "VAR bbu0 device.serial \"S1\"",
                                            "VAR bbu0 ups.load \"15\"",
                                            NULL};
    struct battery_reading reading = read_with("OL CHRG", variables);

    assert_int_equal(reading.charge_percent, 87);
    assert_int_equal(reading.left_s, 1800);
    assert_int_equal(reading.low_left_s, 300);
    assert_int_equal(reading.voltage_mv, 27400);
    assert_int_equal(reading.design_voltage_mv, 24000);
    assert_int_equal(reading.temperature_c, 25);
    assert_int_equal(reading.design_capacity_mah, 7200);
    assert_string_equal(reading.chemistry, "PbAc");
    assert_string_equal(reading.manufactured_on, "2024-03-17");
    assert_string_equal(reading.model, "Smart \"X\" \\ 1500");
    assert_true(reading.smart);
    assert_false(reading.has_learn);
}

static void a_ups_that_says_little_is_unknown_in_that(void **state UNUSED)
{
    struct battery_reading reading = read_with("OL", NULL);

    assert_int_equal(reading.left_s, BATTERY_UNKNOWN);
    assert_int_equal(reading.low_left_s, 120); /* ours */
    assert_int_equal(reading.charge_percent, BATTERY_UNKNOWN);
}

static void lies_are_no_figures(void **state UNUSED)
{
    static const char *const runtimes[] = {"-1",  "1e99",   "nan",     "inf", "",
                                           "12x", "604801", "0x1p200", " "};
    static const char *charges[] = {"VAR bbu0 battery.charge \"250\"", NULL};
    char line[128];

    for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
        const char *variables[] = {line, NULL};

        (void)snprintf(line, sizeof(line), "VAR bbu0 battery.runtime \"%s\"", runtimes[i]);
        assert_int_equal(read_with("OL", variables).left_s, BATTERY_UNKNOWN);
    }
    assert_int_equal(read_with("OL", charges).charge_percent, BATTERY_UNKNOWN);
}

static void an_empty_battery_on_mains_is_not_ready(void **state UNUSED)
{
    static const char *const variables[] = {"VAR bbu0 battery.charge \"15\"",
                                            "VAR bbu0 battery.charge.low \"20\"", NULL};

    assert_int_equal(read_with("OL CHRG", variables).state, BATTERY_STATE_CHARGING);
}

static void what_is_not_the_protocol_voids_the_answer(void **state UNUSED)
{
    static const struct {
        const char *line;
        enum ups_answer answer;
    } cases[] = {
        {"ERR DATA-STALE", UPS_ANSWER_STALE},
        {"ERR DRIVER-NOT-CONNECTED", UPS_ANSWER_DRIVER_GONE},
        {"ERR UNKNOWN-UPS", UPS_ANSWER_REFUSED},
        {"VAR bbu0 ups.status OL", UPS_ANSWER_VOID},
        {"VAR bbu0 ups.status \"OL", UPS_ANSWER_VOID},
        {"VAR bbu0 ups.status \"OL\" x", UPS_ANSWER_VOID},
        {"VAR bbu0 ups.status \"OL\\", UPS_ANSWER_VOID},
        {"VAR bbu0 \"OL\"", UPS_ANSWER_VOID},
        {"VAR bbu0", UPS_ANSWER_VOID},
        {"VAR bbu1 ups.status \"OL\"", UPS_ANSWER_VOID},
        {"END LIST VAR bbu1", UPS_ANSWER_VOID},
        {"BEGIN LIST VAR bbu0", UPS_ANSWER_VOID},
        {"", UPS_ANSWER_VOID},
        {"HTTP/1.1 400 Bad Request", UPS_ANSWER_VOID},
    };
    struct ups_values values;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ups_values_init(&values);
        assert_int_equal(ups_values_line(&values, "bbu0", "BEGIN LIST VAR bbu0"), UPS_ANSWER_MORE);
        assert_int_equal(ups_values_line(&values, "bbu0", cases[i].line), cases[i].answer);
    }
    ups_values_init(&values);
    assert_int_equal(ups_values_line(&values, "bbu0", "VAR bbu0 ups.status \"OL\""),
                     UPS_ANSWER_VOID);
}

static void failures_are_unknown_with_a_reason(void **state UNUSED)
{
    static const struct {
        enum ups_answer answer;
        enum reason_code code;
    } cases[] = {{UPS_ANSWER_STALE, REASON_BATTERY_STALE},
                 {UPS_ANSWER_DRIVER_GONE, REASON_BATTERY_DRIVER_GONE},
                 {UPS_ANSWER_REFUSED, REASON_BATTERY_SILENT},
                 {UPS_ANSWER_VOID, REASON_BATTERY_SILENT}};
    struct battery_reading reading;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ups_answer_read(cases[i].answer, SOURCE, &reading);
        assert_int_equal(reading.state, BATTERY_STATE_UNKNOWN);
        assert_int_equal(reading.state_reason.code, cases[i].code);
        assert_string_equal(reading.state_reason.params[0].value, SOURCE);
    }
}

/* Addresses */

static void addresses_are_taken_apart(void **state UNUSED)
{
    static const struct {
        const char *text, *ups, *host, *port;
    } good[] = {{"bbu0", "bbu0", "127.0.0.1", "3493"},
                {"bbu0@host", "bbu0", "host", "3493"},
                {"bbu0@10.0.0.1:99", "bbu0", "10.0.0.1", "99"},
                {"a-b.c_d@[::1]:3493", "a-b.c_d", "::1", "3493"},
                {"x@[fe80::1]", "x", "fe80::1", "3493"}};
    static const char *const bad[] = {
        "",       "@host",  "a b@host", "x@",       "x@host:", "x@h:0", "x@h:65536",
        "x@h:1x", "x@[::1", "x@[]",     "x@[::1]y", "x@:3493", "x\n@h"};
    struct ups_address address;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(ups_address_parse(good[i].text, &address));
        assert_string_equal(address.ups, good[i].ups);
        assert_string_equal(address.host, good[i].host);
        assert_string_equal(address.port, good[i].port);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (ups_address_parse(bad[i], &address)) {
            fail_msg("\"%s\" was taken", bad[i]);
        }
    }
}

/* Servers */

struct server {
    int listener;
    const char *bytes;    /* what it sends, in pieces */
    uint32_t piece_bytes; /* 0: nothing, ever */
    uint32_t pause_ms;    /* between two pieces */
    bool endless;         /* begins again */
    bool hangs_up;
    pthread_t thread;
};

static void pause_for(uint32_t ms)
{
    (void)poll(NULL, 0, (int)ms);
}

static void *serve(void *context)
{
    struct server *server = context;
    int fd = accept(server->listener, NULL, NULL);
    char request[256];
    size_t at = 0;
    size_t length = strlen(server->bytes);

    if (fd < 0) {
        return NULL;
    }
    (void)recv(fd, request, sizeof(request), 0);
    while (server->piece_bytes > 0 && at < length) {
        size_t piece = length - at < server->piece_bytes ? length - at : server->piece_bytes;

        if (send(fd, server->bytes + at, piece, MSG_NOSIGNAL) < 0) {
            break;
        }
        at += piece;
        at = server->endless && at == length ? 0 : at;
        pause_for(server->pause_ms);
    }
    while (!server->hangs_up && recv(fd, request, sizeof(request), 0) > 0) {
    }
    (void)close(fd);
    return NULL;
}

static enum ups_answer ask(struct server *server, uint32_t deadline_ms, struct ups_values *values,
                           uint64_t *ret_ms)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(name);
    struct ups_address address = {.ups = "bbu0", .host = "127.0.0.1"};
    struct timespec before, after;
    enum ups_answer answer;

    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(server->listener >= 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&name, sizeof(name)), 0);
    assert_int_equal(listen(server->listener, 1), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&name, &length), 0);
    (void)snprintf(address.port, sizeof(address.port), "%u", ntohs(name.sin_port));
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    answer = ups_ask(&address, deadline_ms, values);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    *ret_ms = (uint64_t)((after.tv_sec - before.tv_sec) * 1000 +
                         (after.tv_nsec - before.tv_nsec) / 1000000);
    assert_int_equal(pthread_join(server->thread, NULL), 0);
    assert_int_equal(close(server->listener), 0);
    return answer;
}

#define ANSWER                                                                                     \
    "BEGIN LIST VAR bbu0\nVAR bbu0 ups.status \"OL\"\n"                                            \
    "VAR bbu0 battery.runtime \"600\"\nEND LIST VAR bbu0\n"

static void a_good_server_is_understood_in_any_pieces(void **state UNUSED)
{
    for (uint32_t piece = 1; piece <= 200; piece += piece < 4 ? 1 : 49) {
        struct server server = {.bytes = ANSWER, .piece_bytes = piece};
        struct ups_values values;
        uint64_t took_ms = 0;

        assert_int_equal(ask(&server, 20000, &values, &took_ms), UPS_ANSWER_WHOLE);
        assert_string_equal(values.status, "OL");
        assert_true(values.runtime_s == 600);
    }
}

static void a_bad_server_costs_the_deadline_and_no_more(void **state UNUSED)
{
    struct server cases[] = {
        {.bytes = "", .piece_bytes = 0},                                  /* silent */
        {.bytes = ANSWER, .piece_bytes = 1, .pause_ms = 100}, /* a byte now and then */
        {.bytes = "BEGIN LIST VAR bbu0\n", .piece_bytes = 64}, /* never ends */
        {.bytes = "VAR x y \"z\"\n", .piece_bytes = 8, .pause_ms = 0, .endless = true},
        {.bytes = "aaaaaaaaaaaaaaaa", .piece_bytes = 16, .endless = true}, /* no end of a line */
        {.bytes = "BEGIN LIST VAR bbu0\nVAR bbu0 ups.status \"OL\"\n",
         .piece_bytes = 64,
         .hangs_up = true},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ups_values values;
        uint64_t took_ms = 0;

        assert_int_equal(ask(&cases[i], 500, &values, &took_ms), UPS_ANSWER_VOID);
        assert_true(took_ms < 5000); /* generous: the machine may be busy */
    }
}

static void nobody_there(void **state UNUSED)
{
    struct ups_address address = {.ups = "bbu0", .host = "127.0.0.1", .port = "1"};
    struct ups_values values;

    assert_int_equal(ups_ask(&address, 500, &values), UPS_ANSWER_VOID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_word_decides),
        cmocka_unit_test(figures_are_read),
        cmocka_unit_test(a_ups_that_says_little_is_unknown_in_that),
        cmocka_unit_test(lies_are_no_figures),
        cmocka_unit_test(an_empty_battery_on_mains_is_not_ready),
        cmocka_unit_test(what_is_not_the_protocol_voids_the_answer),
        cmocka_unit_test(failures_are_unknown_with_a_reason),
        cmocka_unit_test(addresses_are_taken_apart),
        cmocka_unit_test(a_good_server_is_understood_in_any_pieces),
        cmocka_unit_test(a_bad_server_costs_the_deadline_and_no_more),
        cmocka_unit_test(nobody_there),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host/ups", tests, NULL, NULL);
}
