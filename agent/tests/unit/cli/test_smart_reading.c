/*
 * What smartctl prints, understood: a rotating drive that fails, SSDs of SATA and NVMe, a SAS
 * drive, in the words of smartctl 7 as it says them of such drives; what says nothing; and output
 * that nobody can believe.
 */
#include "aw_test.h"

#include <string.h>

#include "cli/smart_reading.h"
#include "drive/drive_health.h"

static const char failing_hdd[] =
    "{\"smartctl\": {\"version\": [7, 1], \"exit_status\": 216}, \"device\": {\"name\": "
    "\"/dev/sdc\","
    " \"protocol\": \"ATA\"}, \"model_name\": \"Hitachi HDS721050DLE630\", \"serial_number\":"
    " \"MSK423Y20S3HBC\", \"rotation_rate\": 7200, \"smart_status\": {\"passed\": false},"
    " \"ata_smart_attributes\": {\"revision\": 16, \"table\": [{\"id\": 3, \"name\": "
    "\"Spin_Up_Time\","
    " \"raw\": {\"value\": 17192124596, \"string\": \"180 (Average 187)\"}}, {\"id\": 5, \"name\":"
    " \"Reallocated_Sector_Ct\", \"value\": 1, \"thresh\": 5, \"when_failed\": \"now\", \"raw\":"
    " {\"value\": 1975, \"string\": \"1975\"}}, {\"id\": 187, \"name\": \"Reported_Uncorrect\","
    " \"raw\": {\"value\": 56, \"string\": \"56\"}}, {\"id\": 197, \"name\":"
    " \"Current_Pending_Sector\", \"raw\": {\"value\": 34359738376, \"string\": \"8 (0 8)\"}}]},"
    " \"power_on_time\": {\"hours\": 65592}, \"temperature\": {\"current\": 25}}";

static const char sata_ssd[] =
    "{\"smartctl\": {\"exit_status\": 0}, \"device\": {\"protocol\": \"ATA\"}, \"model_name\":"
    " \"SSDSCKJB240G7R\", \"smart_support\": {\"available\": true, \"enabled\": true},"
    " \"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": {\"table\": [{\"id\": 5,"
    " \"raw\": {\"value\": 0, \"string\": \"0\"}}, {\"id\": 197, \"raw\": {\"value\": 0, "
    "\"string\":"
    " \"0\"}}, {\"id\": 234, \"raw\": {\"value\": 0, \"string\": \"0/0\"}}]},"
    " \"ata_device_statistics\": {\"pages\": [{\"number\": 1, \"table\": [{\"offset\": 8, "
    "\"value\":"
    " 186, \"flags\": {\"valid\": true}}]}, {\"number\": 7, \"table\": [{\"offset\": 8, \"name\":"
    " \"Percentage Used Endurance Indicator\", \"value\": 3, \"flags\": {\"valid\": true}}]}]},"
    " \"power_on_time\": {\"hours\": 21213}, \"temperature\": {\"current\": 47}}";

static const char nvme[] =
    "{\"smartctl\": {\"exit_status\": 0}, \"device\": {\"protocol\": \"NVMe\"}, \"model_name\":"
    " \"Samsung SSD 970 EVO Plus 250GB\", \"smart_support\": {\"available\": true, \"enabled\":"
    " true}, \"smart_status\": {\"passed\": true, \"nvme\": {\"value\": 0}},"
    " \"nvme_smart_health_information_log\": {\"critical_warning\": 0, \"percentage_used\": 12,"
    " \"media_errors\": 2, \"power_on_hours\": 3149, \"temperature\": 35}, \"power_on_time\":"
    " {\"hours\": 3149}, \"temperature\": {\"current\": 35}}";

static const char sas[] =
    "{\"smartctl\": {\"exit_status\": 0}, \"device\": {\"protocol\": \"SCSI\"}, \"vendor\":"
    " \"SEAGATE\", \"product\": \"ST1200MM0088\", \"serial_number\": \"Z4028VRY0000C810BZXB\","
    " \"smart_status\": {\"passed\": true}, \"temperature\": {\"current\": 31, \"drive_trip\": 60},"
    " \"scsi_grown_defect_list\": 4, \"power_on_time\": {\"hours\": 5675, \"minutes\": 39},"
    " \"scsi_error_counter_log\": {\"read\": {\"total_uncorrected_errors\": 2}, \"write\":"
    " {\"total_uncorrected_errors\": 1}}}";

static struct smart_reading parse(const char *text, int exit_status)
{
    struct smart_reading reading;

    memset(&reading, 0xa5, sizeof(reading));
    smart_reading_parse(text, strlen(text), exit_status, &reading);
    return reading;
}

#define NONE (-1)

/* NONE: it is not told. */
static void expect_figures(const struct smart_reading *reading, const int figures[SMART_FIGURE_MAX])
{
    for (uint32_t i = 0; i < SMART_FIGURE_MAX; i++) {
        int figure = reading->told[i] ? (int)reading->figures[i] : NONE;

        if (figure != figures[i]) {
            fail_msg("%s is %d, not %d", smart_figure_word((enum smart_figure)i), figure,
                     figures[i]);
        }
    }
}

static void test_failing_hard_disk(void **state UNUSED)
{
    struct smart_reading reading = parse(failing_hdd, 216);

    assert_int_equal(reading.state, SMART_STATE_FAILING);
    assert_int_equal(reading.why, REASON_SMART_FAILING);
    assert_string_equal(reading.serial, "MSK423Y20S3HBC");
    /* temperature, hours, reallocated, pending, media errors, wear */
    expect_figures(&reading, (const int[]){25, 65592, 1975, 8, 56, NONE});
}

static void test_good_drives(void **state UNUSED)
{
    struct smart_reading reading = parse(sata_ssd, 0);

    assert_int_equal(reading.state, SMART_STATE_GOOD);
    assert_int_equal(reading.why, REASON_OK);
    expect_figures(&reading, (const int[]){47, 21213, 0, 0, NONE, 3});
    reading = parse(nvme, 0);
    assert_int_equal(reading.state, SMART_STATE_GOOD);
    expect_figures(&reading, (const int[]){35, 3149, NONE, NONE, 2, 12});
    reading = parse(sas, 0);
    assert_int_equal(reading.state, SMART_STATE_GOOD);
    expect_figures(&reading, (const int[]){31, 5675, 4, NONE, 3, NONE});
}

/* A log that cannot be read is no verdict; the exit status alone can be one. */
static void test_exit_status(void **state UNUSED)
{
    struct smart_reading reading = parse(sata_ssd, 0x04);

    assert_int_equal(reading.state, SMART_STATE_GOOD);
    assert_int_equal(parse(sata_ssd, 0x08).state, SMART_STATE_FAILING);
    reading = parse("{\"temperature\": {\"current\": 30}}", 0x04);
    assert_int_equal(reading.state, SMART_STATE_UNREAD);
    assert_int_equal(reading.why, REASON_SMART_UNREADABLE);
    assert_true(reading.told[SMART_FIGURE_TEMPERATURE_C]);
    assert_int_equal(parse("not even JSON", SMART_EXIT_ASLEEP).state, SMART_STATE_ASLEEP);
}

static void test_what_says_nothing(void **state UNUSED)
{
    static const struct {
        const char *text;
        int exit_status;
        enum smart_state state;
        enum reason_code why;
        const char *detail;
    } cases[] = {
        {"{\"smartctl\": {\"messages\": [{\"string\": \"Copyright\", \"severity\": "
         "\"information\"},"
         " {\"string\": \"/dev/loop0: Unable to detect device type\", \"severity\": \"error\"}]}}",
         1, SMART_STATE_UNSUPPORTED, REASON_SMART_UNSUPPORTED,
         "/dev/loop0: Unable to detect device type"},
        {"{\"smartctl\": {\"messages\": [{\"string\": \"Smartctl open device: /dev/sda failed:"
         " Permission denied\", \"severity\": \"error\"}]}}",
         2, SMART_STATE_UNREAD, REASON_SMART_UNREADABLE,
         "Smartctl open device: /dev/sda failed: Permission denied"},
        {"{\"smart_support\": {\"available\": false}}", 4, SMART_STATE_UNSUPPORTED,
         REASON_SMART_UNSUPPORTED, "it has no self-monitoring"},
        {"{\"smart_support\": {\"available\": true, \"enabled\": false}}", 4, SMART_STATE_UNREAD,
         REASON_SMART_DISABLED, ""},
        {"{}", 0, SMART_STATE_UNSUPPORTED, REASON_SMART_UNSUPPORTED, "it gives no verdict"},
        {"{\"smartctl\": {\"messages\": [{\"string\": \"\\u001b[2Ja\\u00e9\\n\", \"severity\":"
         " \"error\"}]}}",
         2, SMART_STATE_UNREAD, REASON_SMART_UNREADABLE, "?[2Ja???"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct smart_reading reading = parse(cases[i].text, cases[i].exit_status);

        assert_int_equal(reading.state, cases[i].state);
        assert_int_equal(reading.why, cases[i].why);
        assert_string_equal(reading.detail, cases[i].detail);
    }
}

/* What is there and is not what it must be voids all of it, also a verdict beside it. */
static void test_hostile_output(void **state UNUSED)
{
    static const char *const texts[] = {
        "",
        "[]",
        "null",
        "{\"smart_status\": {\"passed\": true}",
        "{\"smart_status\": {\"passed\": true}, \"smart_status\": {\"passed\": false}}",
        "{\"smart_status\": {\"passed\": \"yes\"}}",
        "{\"smart_status\": {\"passed\": 1}}",
        "{\"smart_status\": true}",
        "{\"smart_status\": {\"passed\": true}, \"temperature\": 30}",
        "{\"smart_status\": {\"passed\": true}, \"temperature\": {\"current\": -40}}",
        "{\"smart_status\": {\"passed\": true}, \"temperature\": {\"current\": 256}}",
        "{\"smart_status\": {\"passed\": true}, \"temperature\": {\"current\": 30.5}}",
        "{\"smart_status\": {\"passed\": true}, \"power_on_time\": {\"hours\": 9e99}}",
        "{\"smart_status\": {\"passed\": true}, \"power_on_time\": {\"hours\": 281474976710657}}",
        "{\"smart_status\": {\"passed\": true}, \"power_on_time\": {\"hours\":"
        " 99999999999999999999}}",
        "{\"smart_status\": {\"passed\": true}, \"scsi_grown_defect_list\": null}",
        "{\"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": {\"table\": {}}}",
        "{\"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": {\"table\": [5]}}",
        "{\"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": {\"table\": [{}]}}",
        "{\"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": {\"table\": [{\"id\":"
        " 5}]}}",
        "{\"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": {\"table\": [{\"id\": 5,"
        " \"raw\": {\"string\": \"1111111111111111\"}}]}}",
        "{\"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": {\"table\": [{\"id\": 5,"
        " \"raw\": {\"string\": \"-1\"}}]}}",
        "{\"smart_status\": {\"passed\": true}, \"ata_device_statistics\": {\"pages\": "
        "[{\"number\":"
        " 7, \"table\": [{\"offset\": 8, \"value\": \"3\", \"flags\": {\"valid\": true}}]}]}}",
        "{\"smart_status\": {\"passed\": true}, \"scsi_error_counter_log\": {\"read\":"
        " {\"total_uncorrected_errors\": -1}}}",
        "{\"smart_status\": {\"passed\": true}, \"serial_number\": 7}",
        "{\"smart_support\": {\"available\": \"no\"}, \"smart_status\": {\"passed\": true}}",
        "{\"smart_status\": {\"passed\": true}, \"serial_number\": \"\\ud800\"}",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct smart_reading reading = parse(texts[i], 0);

        if (reading.state != SMART_STATE_UNREAD || reading.why != REASON_SMART_OUTPUT ||
            reading.detail[0] == '\0') {
            fail_msg("%s was taken as %s", texts[i], smart_state_word(reading.state));
        }
        expect_figures(&reading, (const int[]){NONE, NONE, NONE, NONE, NONE, NONE});
    }
}

static void test_depth_and_length_are_bounded(void **state UNUSED)
{
    static char deep[200000];
    char rows[64 * 1024] = "{\"smart_status\": {\"passed\": true}, \"ata_smart_attributes\": "
                           "{\"table\": [";

    memset(deep, '[', sizeof(deep) - 1);
    assert_int_equal(parse(deep, 0).why, REASON_SMART_OUTPUT);
    for (uint32_t i = 0; i < 513; i++) {
        strcat(rows, i > 0 ? ",{\"id\":1}" : "{\"id\":1}");
    }
    strcat(rows, "]}}");
    assert_int_equal(parse(rows, 0).why, REASON_SMART_OUTPUT);
}

/* Every beginning of a true output, and every byte of it changed: read without a stumble. */
static void test_damaged_output(void **state UNUSED)
{
    char text[sizeof(failing_hdd)];
    struct smart_reading reading;

    for (size_t bytes = 0; bytes < sizeof(failing_hdd) - 1; bytes++) {
        smart_reading_parse(failing_hdd, bytes, 0, &reading);
        assert_int_equal(reading.why, REASON_SMART_OUTPUT);
    }
    for (size_t i = 0; i < sizeof(failing_hdd) - 1; i++) {
        memcpy(text, failing_hdd, sizeof(text));
        text[i] = (char)(text[i] ^ 0x11);
        smart_reading_parse(text, sizeof(text) - 1, 0, &reading);
        assert_true(reading.state < SMART_STATE_MAX);
        for (uint32_t figure = 0; figure < SMART_FIGURE_MAX; figure++) {
            assert_true(!reading.told[figure] ||
                        reading.figures[figure] <= smart_figure_max((enum smart_figure)figure));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failing_hard_disk),
        cmocka_unit_test(test_good_drives),
        cmocka_unit_test(test_exit_status),
        cmocka_unit_test(test_what_says_nothing),
        cmocka_unit_test(test_hostile_output),
        cmocka_unit_test(test_depth_and_length_are_bounded),
        cmocka_unit_test(test_damaged_output),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("cli/smart_reading", tests, NULL, NULL);
}
