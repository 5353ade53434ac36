/*
 * Profiles: every file of the source tree is good, and what is wrong with a bad one is said.
 */
#include "aw_test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/profile_file.h"

static char text[PROFILE_TEXT_BYTES];

static uint32_t each_profile(const char *folder, void (*check)(const char *name))
{
    char path[512];
    uint32_t count = 0;
    DIR *directory = NULL;
    struct dirent *entry = NULL;

    (void)snprintf(path, sizeof(path), "%s/%s", PROFILES, folder);
    directory = opendir(path);
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        char name[64];
        size_t length = strlen(entry->d_name);

        if (length > 5 && length < sizeof(name) &&
            strcmp(entry->d_name + length - 5, ".json") == 0) {
            memcpy(name, entry->d_name, length - 5);
            name[length - 5] = '\0';
            check(name);
            count++;
        }
    }
    (void)closedir(directory);
    return count;
}

static void check_controller(const char *name)
{
    struct controller_profile_file file;
    struct battery_profile battery;

    if (controller_profile_read(PROFILES, name, &file, text) != 0) {
        fail_msg("%s", text);
    }
    assert_string_equal(file.profile.name, name);
    assert_int_equal(file.profile.has_cache, file.profile.cache_bytes > 0);
    assert_true(file.profile.has_cache || file.battery_count == 0);
    assert_true(file.profile.cache_bytes >= file.cache_fitted_bytes);
    assert_true(controller_profile_has_strip(&file.profile,
                                             controller_profile_strip_default(&file.profile)));
    assert_true(file.profile.preset_count > 0);
    for (uint32_t i = 0; i < file.battery_count; i++) {
        assert_true(controller_takes_battery(&file, file.batteries[i]));
        if (battery_profile_read(PROFILES, file.batteries[i], &battery, text) != 0) {
            fail_msg("%s", text);
        }
    }
    assert_false(controller_takes_battery(&file, "nobodys"));
}

static void check_battery(const char *name)
{
    struct battery_profile profile;

    if (battery_profile_read(PROFILES, name, &profile, text) != 0) {
        fail_msg("%s", text);
    }
    assert_string_equal(profile.name, name);
}

static void check_drive(const char *name)
{
    struct drive_profile profile;
    struct drive_model *model = NULL;

    if (drive_profile_read(PROFILES, name, &profile, text) != 0) {
        fail_msg("%s", text);
    }
    assert_string_equal(profile.name, name);
    assert_int_equal(drive_model_create(&profile.timing, profile.capacity_bytes, &model), 0);
    model = drive_model_free(model);
}

static void all_profiles_of_the_tree_are_good(void **state UNUSED)
{
    assert_true(each_profile("controllers", check_controller) >= 24);
    assert_true(each_profile("batteries", check_battery) >= 5);
    assert_true(each_profile("drives", check_drive) >= 7);
}

/* 3ware's matrix, cell by cell, of a model that has all three. */
static void storsave_matrix(const struct controller_profile *profile)
{
    static const struct {
        const char *name;
        enum write_policy write_policy;
        enum drive_cache_policy drive_cache_policy;
        enum degraded_policy degraded_policy;
    } cells[] = {
        {"storsave-protection", WRITE_POLICY_WRITE_BACK, DRIVE_CACHE_POLICY_OFF,
         DEGRADED_POLICY_WRITE_THROUGH},
        {"storsave-balance", WRITE_POLICY_WRITE_BACK, DRIVE_CACHE_POLICY_ON, DEGRADED_POLICY_KEEP},
        {"storsave-performance", WRITE_POLICY_ALWAYS_WRITE_BACK, DRIVE_CACHE_POLICY_ON,
         DEGRADED_POLICY_KEEP},
        {"safest", WRITE_POLICY_WRITE_THROUGH, DRIVE_CACHE_POLICY_OFF,
         DEGRADED_POLICY_WRITE_THROUGH},
    };

    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        const struct vd_preset *preset = controller_profile_preset(profile, cells[i].name);

        assert_non_null(preset);
        assert_int_equal(preset->write_policy, cells[i].write_policy);
        assert_int_equal(preset->drive_cache_policy, cells[i].drive_cache_policy);
        assert_int_equal(preset->degraded_policy, cells[i].degraded_policy);
    }
}

static void the_rules_of_known_models(void **state UNUSED)
{
    static const struct {
        const char *name;
        enum no_battery_rule rule;
    } rules[] = {{"lsi-megaraid-sata-300-8x", NO_BATTERY_RULE_REVERT},
                 {"promise-supertrak-ex8650", NO_BATTERY_RULE_REFUSE},
                 {"3ware-9690sa-8i", NO_BATTERY_RULE_FORCE}};
    struct controller_profile_file file;
    struct battery_profile battery;

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(controller_profile_read(PROFILES, rules[i].name, &file, text), 0);
        assert_int_equal(file.profile.no_battery_rule, rules[i].rule);
    }
    assert_int_equal(file.profile.levels[RAID_LEVEL_6].drives_min, 5);
    storsave_matrix(&file.profile);
    assert_false(file.profile.levels[RAID_LEVEL_60].offered);
    assert_int_equal(file.profile.vocabulary, CONTROLLER_VOCABULARY_THREEWARE);
    assert_int_equal(file.profile.ceilings.stream_bytes_per_s, 160000000);
    assert_true(controller_profile_has_strip(&file.profile, 64 * 1024));
    assert_false(controller_profile_has_strip(&file.profile, 32 * 1024));
    assert_int_equal(controller_profile_read(PROFILES, "lsi-megaraid-sata-300-8x", &file, text), 0);
    assert_int_equal(file.profile.cache_bytes, 128 << 20);
    assert_string_equal(file.profile.presets[0].name, "maximum-performance");
    assert_int_equal(file.profile.presets[0].write_policy, WRITE_POLICY_WRITE_BACK);
    assert_int_equal(controller_profile_read(PROFILES, "3ware-9500s-8", &file, text), 0);
    assert_int_equal(file.cache_fitted_bytes, 128 << 20);
    assert_int_equal(file.profile.cache_bytes, 256 << 20); /* its module can be replaced */
    assert_int_equal(controller_profile_read(PROFILES, "lsi-megaraid-sas-9210-8i", &file, text), 0);
    assert_false(file.profile.has_cache || file.profile.levels[RAID_LEVEL_5].offered);
    assert_int_equal(controller_profile_read(PROFILES, "lsi-92xx-hba", &file, text), 0);
    assert_true(file.profile.levels[RAID_LEVEL_1E].offered); /* of mirrors, all there are */
    assert_int_equal(file.profile.levels[RAID_LEVEL_1E].drives_min, 3);
    assert_false(file.profile.levels[RAID_LEVEL_6].offered);
    assert_int_equal(battery_profile_read(PROFILES, "lsi-ibbu01", &battery, text), 0);
    assert_true(battery.smart && battery.has_learn);
    assert_int_equal(battery.retention_s, 72 * 3600);
    assert_int_equal(battery_profile_read(PROFILES, "lsi-bbu03", &battery, text), 0);
    assert_false(battery.smart || battery.has_learn);
    assert_int_equal(battery.retention_s, 32 * 3600);
}

static void native_needs_no_file(void **state UNUSED)
{
    struct controller_profile_file file;

    assert_int_equal(controller_profile_read("/nowhere", "native", &file, text), 0);
    assert_int_equal(file.profile.ports, 0);
    assert_int_equal(file.profile.cache_bytes, 0);
    assert_true(file.profile.has_cache);
    assert_true(controller_takes_battery(&file, "anything"));
    for (unsigned level = 0; level < RAID_LEVEL_MAX; level++) {
        assert_true(file.profile.levels[level].offered);
    }
}

/* Bad files */

static char directory[] = "/tmp/aw-profiles-XXXXXX";

static void write_file(const char *folder, const char *content)
{
    char path[128];
    FILE *file = NULL;

    (void)snprintf(path, sizeof(path), "%s/%s", directory, folder);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof(path), "%s/%s/x.json", directory, folder);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect_text(const char *message)
{
    if (strstr(text, message) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", message, text);
    }
}

static void expect_bad_controller(const char *content, const char *message)
{
    struct controller_profile_file file = {.battery_count = 77};

    write_file("controllers", content);
    assert_int_not_equal(controller_profile_read(directory, "x", &file, text), 0);
    assert_int_equal(file.battery_count, 77); /* untouched */
    expect_text("/controllers/x.json:");
    expect_text(message);
}

#define PRESET(name)                                                                               \
    "{\"name\": \"" name "\", \"write_policy\": \"write_through\", \"read_policy\":"               \
    " \"read_ahead\", \"io_policy\": \"direct\", \"drive_cache_policy\": \"off\"}"
#define CONTROLLER_REST                                                                            \
    ", \"manufacturer\": \"Y\", \"vocabulary\": \"megaraid\", \"cache_upgrades_bytes\": [],"       \
    " \"spans_max\": 8, \"strip_sizes_bytes\": [65536], \"presets\":"                              \
    " [" PRESET("safest") ", " PRESET(                                                             \
        "maximum-performance") "], \"ceilings\":"                                                  \
                               " {\"bus_bytes_per_s\": 0, \"link_bytes_per_s\": 0, "               \
                               "\"read_bytes_per_s\": 0,"                                          \
                               " \"write_bytes_per_s\": 0, \"xor_bytes_per_s\": 0, "               \
                               "\"stream_bytes_per_s\": 0,"                                        \
                               " \"command_us\": 0}"
#define CONTROLLER(rest)                                                                           \
    "{\"name\": \"x\", \"model\": \"X\", \"ports\": 8, \"cache_bytes\": 0,"                        \
    " \"no_battery_rule\": \"force\", \"levels\": {\"raid5\": 3}, \"batteries\": "                 \
    "[]" CONTROLLER_REST rest "}"

static void a_bad_controller_is_refused_with_a_sentence(void **state UNUSED)
{
    struct controller_profile_file file;

    write_file("controllers", CONTROLLER(""));
    assert_int_equal(controller_profile_read(directory, "x", &file, text), 0);
    assert_int_equal(file.profile.presets[0].degraded_policy, DEGRADED_POLICY_KEEP); /* unsaid */
    expect_bad_controller("{", "x.json:1: ");
    expect_bad_controller("[]", "must be an object");
    expect_bad_controller("{}", "name is missing");
    expect_bad_controller(CONTROLLER(", \"turbo\": true"),
                          "turbo is not a key. Keys allowed there: ");
    expect_bad_controller(CONTROLLER(", \"notes\": 7"), "notes must be a list");
    expect_bad_controller(CONTROLLER(", \"ports\": 9"), "duplicate object key");
    expect_bad_controller("{\"name\": \"x\", \"model\": 5}", "model must be a text");
    expect_bad_controller("{\"name\": \"\"}", "name must have 1 to 32 characters");
    expect_bad_controller("{\"ports\": 0}", "ports must be between 1 and 4096, not 0");
    expect_bad_controller("{\"ports\": \"8\"}", "ports must be a whole number");
    expect_bad_controller("{\"cache_bytes\": -1}", "cache_bytes must be between");
    expect_bad_controller("{\"no_battery_rule\": \"hope\"}", "no_battery_rule must be");
    expect_bad_controller("{\"levels\": {}}", "levels must name at least one level");
    expect_bad_controller("{\"levels\": {\"raid7\": 3}}", "raid7 is not a level");
    expect_bad_controller("{\"levels\": {\"raid5\": 0}}", "levels.raid5 must be between 1 and");
    expect_bad_controller("{\"vocabulary\": \"klingon\"}",
                          "vocabulary must be \"megaraid\" or \"threeware\", not \"klingon\"");
    expect_bad_controller("{\"spans_max\": 0}", "spans_max must be between 1 and");
    expect_bad_controller("{\"strip_sizes_bytes\": []}", "must be a list of sizes");
    expect_bad_controller("{\"strip_sizes_bytes\": [65536, 70000]}",
                          "entry 2 is no size of a strip");
    expect_bad_controller("{\"cache_upgrades_bytes\": [0]}",
                          "cache_upgrades_bytes[0] must be between 1");
    expect_bad_controller("{\"ceilings\": {\"warp\": 9}}",
                          "warp is not a key. Keys allowed there: ");
    expect_bad_controller("{\"ceilings\": {}}", "bus_bytes_per_s is missing");
    expect_bad_controller("{\"presets\": [{\"name\": \"fast\", \"write_policy\": \"hope\"}]}",
                          "presets[0].write_policy must be \"write_through\", ");
    expect_bad_controller("{\"presets\": [{\"degraded_policy\": \"on\"}]}",
                          "presets[0].degraded_policy must be \"keep\" or \"write_through\"");
    expect_bad_controller("{\"presets\": [{\"name\": \"fast\"}]}", "read_policy is missing");
    expect_bad_controller(
        "{\"name\": \"x\", \"model\": \"X\", \"ports\": 8, \"cache_bytes\": 0,"
        " \"no_battery_rule\": \"force\", \"levels\": {\"raid5\": 3},"
        " \"batteries\": [], \"manufacturer\": \"Y\", \"vocabulary\":"
        " \"megaraid\", \"cache_upgrades_bytes\": [], \"spans_max\": 8,"
        " \"strip_sizes_bytes\": [65536], \"presets\": [" PRESET(
            "safest") "],"
                      " \"ceilings\": {\"bus_bytes_per_s\": 0, \"link_bytes_per_s\": 0,"
                      " \"read_bytes_per_s\": 0, \"write_bytes_per_s\": 0,"
                      " \"xor_bytes_per_s\": 0, \"stream_bytes_per_s\": 0,"
                      " \"command_us\": 0}}",
        "presets: maximum-performance is missing");
    expect_bad_controller("{\"batteries\": [\"../x\"]}", "entry 1 is not the name of a profile");
    expect_bad_controller("{\"batteries\": [1,2,3,4,5,6,7,8,9]}", "at most 8 names");
    write_file("controllers", CONTROLLER(""));
    assert_int_not_equal(controller_profile_read(directory, "y", &file, text), 0);
    expect_text("there is no such profile");
    assert_int_not_equal(controller_profile_read(directory, "../x", &file, text), 0);
    expect_text("\"../x\" is not the name of a profile");
    expect_bad_controller("{\"name\": \"z\", \"model\": \"X\", \"ports\": 8, \"cache_bytes\": 0,"
                          " \"no_battery_rule\": \"force\", \"levels\": {\"raid5\": 3},"
                          " \"batteries\": []" CONTROLLER_REST "}",
                          "name is \"z\", not that of the file");
}

static void the_way_of_partial_writes_is_read(void **state UNUSED)
{
    struct controller_profile_file file;

    write_file("controllers", CONTROLLER(""));
    assert_int_equal(controller_profile_read(directory, "x", &file, text), 0);
    assert_int_equal(file.profile.partial_writes, PLAN_PARTIAL_CHEAPEST);
    write_file("controllers", CONTROLLER(", \"partial_writes\": \"read_modify_write\""));
    assert_int_equal(controller_profile_read(directory, "x", &file, text), 0);
    assert_int_equal(file.profile.partial_writes, PLAN_PARTIAL_UPDATE);
    write_file("controllers", CONTROLLER(", \"partial_writes\": \"cheapest\""));
    assert_int_equal(controller_profile_read(directory, "x", &file, text), 0);
    assert_int_equal(file.profile.partial_writes, PLAN_PARTIAL_CHEAPEST);
    expect_bad_controller("{\"partial_writes\": \"rmw\"}", "partial_writes must be");
    expect_bad_controller("{\"partial_writes\": 1}", "partial_writes must be");
}

static void the_ways_of_mirrors_and_caches_are_read(void **state UNUSED)
{
    struct controller_profile_file file;

    write_file("controllers", CONTROLLER(", \"mirror_reads\": \"history\", \"destage_rows\": 3,"
                                         " \"write_through\": \"past_buffers\""));
    assert_int_equal(controller_profile_read(directory, "x", &file, text), 0);
    assert_int_equal(file.profile.mirror_policy, MIRROR_POLICY_HISTORY);
    assert_int_equal(file.profile.destage_rows, 3);
    assert_true(file.profile.write_through_past_buffers);
    expect_bad_controller("{\"mirror_reads\": \"odd\"}",
                          "mirror_reads must be \"best\", \"none\", \"alternate\", \"nearest\", ");
    expect_bad_controller("{\"destage_rows\": 0}", "destage_rows must be between 1 and 256");
    expect_bad_controller("{\"write_through\": 1}",
                          "write_through must be \"drive_buffers\" or \"past_buffers\"");
}

#define QUIRK(rest)                                                                                \
    "{\"quirks\": [{\"name\": \"odd\", \"text\": \"t\", \"source\": \"s\", " rest "}]}"
#define WHEN_WRITES "\"when\": {\"operations\": \"writes\"}"
#define DELAY "\"effect\": {\"delay_us\": 7}"

static void a_bad_quirk_is_refused_with_a_sentence(void **state UNUSED)
{
    struct controller_profile_file file;

    write_file("controllers", CONTROLLER(", \"quirks\": []"));
    assert_int_equal(controller_profile_read(directory, "x", &file, text), 0);
    assert_int_equal(file.quirk_count, 0);
    expect_bad_controller("{\"quirks\": {}}", "quirks must be a list of at most 16");
    expect_bad_controller(QUIRK(WHEN_WRITES), "effect is missing");
    expect_bad_controller(QUIRK(DELAY), "when is missing");
    expect_bad_controller(QUIRK("\"when\": {}, " DELAY), "operations is missing");
    expect_bad_controller(QUIRK("\"when\": {\"moon\": \"full\"}"), "moon is not a key");
    expect_bad_controller(QUIRK("\"when\": {\"operations\": \"some\"}"), "operations must be");
    expect_bad_controller(QUIRK("\"when\": {\"order\": \"zigzag\"}"), "order must be");
    expect_bad_controller(QUIRK("\"when\": {\"levels\": [\"raid7\"]}"),
                          "quirks[0].when.levels: entry 1 is not a level");
    expect_bad_controller(QUIRK("\"when\": {\"drives\": {\"least\": 4, \"most\": 3}}"),
                          "quirks[0].when.drives: least is more than most");
    expect_bad_controller(QUIRK(WHEN_WRITES ", \"effect\": {}"),
                          "effect: an effect has exactly one of its keys");
    expect_bad_controller(
        QUIRK(WHEN_WRITES ", \"effect\": {\"delay_us\": 7, \"cache_percent\": 50}"),
        "effect: an effect has exactly one of its keys");
    expect_bad_controller("{\"quirks\": [{\"name\": \"A b\", \"text\": \"t\", \"source\": \"s\","
                          " " WHEN_WRITES ", " DELAY "}]}",
                          "\"A b\" is not a name");
    expect_bad_controller("{\"quirks\": [{\"name\": \"odd\", \"text\": \"t\", \"source\": \"s\","
                          " " WHEN_WRITES ", " DELAY "}, {\"name\": \"odd\", \"text\": \"t\","
                          " \"source\": \"s\", " WHEN_WRITES ", " DELAY "}]}",
                          "there are two named odd");
}

static void a_bad_battery_is_refused_with_a_sentence(void **state UNUSED)
{
    static const struct {
        const char *content, *message;
    } cases[] = {
        {"{}", "name is missing"},
        {"{\"smart\": 1}", "smart must be true or false"},
        {"{\"hot_c\": 20}", "hot_c must be between 30 and 100, not 20"},
        {"{\"learn\": {\"period_days\": 0}}", "period_days must be between 1"},
        {"{\"learn\": {\"period_days\": 5}}", "discharge_s is missing"},
        {"{\"learn\": 5}", "must be an object"},
        {"{\"retention_s\": 0}", "retention_s must be between 60"},
        {"{\"name\":\"x\",\"model\":\"X\",\"manufacturer\":\"\",\"chemistry\":\"\","
         "\"mounting\":\"\",\"smart\":true,\"design_capacity_mah\":1,\"design_voltage_mv\":1,"
         "\"retention_s\":60,\"charge_s\":60,\"ready_percent\":20,\"low_percent\":20,"
         "\"worn_percent\":0,\"hot_c\":55,\"learn\":null}",
         "low_percent must be below ready_percent"},
    };
    struct battery_profile profile;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_file("batteries", cases[i].content);
        assert_int_not_equal(battery_profile_read(directory, "x", &profile, text), 0);
        expect_text(cases[i].message);
    }
}

#define DRIVE(rest)                                                                                \
    "{\"name\": \"x\", \"model\": \"X\", \"manufacturer\": \"Y\", \"interface\": \"sata\","        \
    " \"capacity_bytes\": 81920000000, \"link_bytes_per_s\": 300000000, \"command_us\": 10,"       \
    " \"queue_depth\": 32, \"buffer_bytes\": 0, \"buffered_writes\": 0, " rest "}"
#define FLASH                                                                                      \
    "\"ssd\": {\"channels\": 4, \"read_us\": 50, \"write_us\": 50, \"read_bytes_per_s\": "         \
    "200000000,"                                                                                   \
    " \"write_bytes_per_s\": 100000000}"

static void a_bad_drive_is_refused_with_a_sentence(void **state UNUSED)
{
    static const struct {
        const char *content, *message;
    } cases[] = {
        {"{}", "name is missing"},
        {"{\"media\": \"tape\"}", "media must be"},
        {"{\"interface\": \"fax\"}", "interface must be \"sata\", \"sas\", "},
        {"{\"queue_depth\": 0}", "queue_depth must be between 1 and 256"},
        {"{\"ssd\": {\"channels\": 0}}", "channels must be between 1"},
        {"{\"hdd\": {\"rpm\": 5}}", "rpm must be between 1000"},
        {"{\"hdd\": {\"zones\": []}}", "zones must be a list of 1 to 16"},
        {"{\"hdd\": {\"zones\": [{\"from_percent\": 5, \"bytes_per_s\": 50000000}]}}",
         "the first begins at 0"},
        {DRIVE("\"media\": \"hdd\", \"hdd\": null, " FLASH), "exactly the one of hdd and ssd"},
        {DRIVE("\"media\": \"ssd\", \"hdd\": null, \"ssd\": null"),
         "exactly the one of hdd and ssd"},
    };
    struct drive_profile profile = {.capacity_bytes = 77};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        write_file("drives", cases[i].content);
        assert_int_not_equal(drive_profile_read(directory, "x", &profile, text), 0);
        expect_text(cases[i].message);
        assert_int_equal(profile.capacity_bytes, 77); /* untouched */
    }
    write_file("drives", DRIVE("\"media\": \"ssd\", \"hdd\": null, " FLASH));
    assert_int_equal(drive_profile_read(directory, "x", &profile, text), 0);
    assert_int_equal(profile.timing.ssd.channels, 4);
    assert_int_equal(profile.timing.overhead_us, 10);
}

static int make_directory(void **state UNUSED)
{
    return mkdtemp(directory) != NULL ? 0 : -1;
}

static int remove_directory(void **state UNUSED)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf %s", directory);
    return system(command);
}

static void an_enclosure_has_its_bays(void **state UNUSED)
{
    struct enclosure_profile profile = {.slots = 77};

    assert_int_equal(enclosure_profile_read(PROFILES, "intel-axx6satadb", &profile, text), 0);
    assert_string_equal(profile.model, "Intel AXX6SATADB");
    assert_int_equal(profile.slots, 6);
    assert_int_equal(profile.rows * profile.columns, 6);
    assert_true(profile.hot_swap);
    assert_int_equal(enclosure_profile_read(PROFILES, "intel-sc5200", &profile, text), 0);
    assert_false(profile.hot_swap);
    write_file("enclosures", "{\"name\": \"x\", \"model\": \"X\", \"slots\": 9, \"rows\": 2,"
                             " \"columns\": 4, \"order\": \"row_major\", \"hot_swap\": true}");
    profile.slots = 77;
    assert_int_not_equal(enclosure_profile_read(directory, "x", &profile, text), 0);
    expect_text("9 slots do not fit into 2 rows of 4");
    write_file("enclosures", "{\"name\": \"x\", \"order\": \"round\"}");
    assert_int_not_equal(enclosure_profile_read(directory, "x", &profile, text), 0);
    expect_text("order must be");
    assert_int_not_equal(enclosure_profile_read(PROFILES, "nobody", &profile, text), 0);
    expect_text("there is no such profile");
    assert_int_equal(profile.slots, 77); /* untouched */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_profiles_of_the_tree_are_good),
        cmocka_unit_test(the_rules_of_known_models),
        cmocka_unit_test(native_needs_no_file),
        cmocka_unit_test(a_bad_controller_is_refused_with_a_sentence),
        cmocka_unit_test(the_way_of_partial_writes_is_read),
        cmocka_unit_test(the_ways_of_mirrors_and_caches_are_read),
        cmocka_unit_test(a_bad_quirk_is_refused_with_a_sentence),
        cmocka_unit_test(a_bad_battery_is_refused_with_a_sentence),
        cmocka_unit_test(a_bad_drive_is_refused_with_a_sentence),
        cmocka_unit_test(an_enclosure_has_its_bays),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("daemon/profile_file", tests, make_directory,
                                       remove_directory);
}
