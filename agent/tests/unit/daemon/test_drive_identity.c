/*
 * Who a device is: names that are none, and keys that two drives must never share.
 */
#include "aw_test.h"

#include <string.h>

#include "daemon/drive_identity.h"

static struct drive_identity identify(const char *wwid, const char *model, const char *serial)
{
    struct device_info info = {.kind = DEVICE_KIND_BLOCK, .interface = DRIVE_INTERFACE_OTHER};
    struct drive_identity identity;

    (void)snprintf(info.wwn, sizeof(info.wwn), "%s", wwid);
    (void)snprintf(info.model, sizeof(info.model), "%s", model);
    (void)snprintf(info.serial, sizeof(info.serial), "%s", serial);
    (void)snprintf(info.path, sizeof(info.path), "/dev/sdx");
    drive_identity_from_info(&info, &identity);
    return identity;
}

static void test_names(void **state UNUSED)
{
    static const struct {
        const char *told, *name;
    } cases[] = {
        {"naa.5000c500a0b1c2d3", "5000c500a0b1c2d3"},
        {"0x5000C500A0B1C2D3", "5000c500a0b1c2d3"},
        {"5000c500a0b1c2d3", "5000c500a0b1c2d3"},
        {"eui.0025388b91d0abcd", "0025388b91d0abcd"},
        {"naa.600605b000a1b2c3d4e5f60718293a4b", "600605b000a1b2c3d4e5f60718293a4b"},
        {"uuid.12345678-9abc-def0-1234-56789abcdef0", "123456789abcdef0123456789abcdef0"},
        {"t10.ATA     WDC WD40EFRX-68N32N0                    WD-WCC7K0ABCDEF", ""},
        {"nvme.8086-42544c4a3132333435363738-494e54454c205353-00000001", ""},
        {"eui.0000000000000000", ""},
        {"naa.5000c500", ""},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(identify(cases[i].told, "M", "S").wwn, cases[i].name);
    }
    assert_string_equal(identify("naa.5000c500a0b1c2d3", "M", "S").key, "wwn-5000c500a0b1c2d3");
}

static void expect_two(struct drive_identity first, struct drive_identity second)
{
    assert_string_not_equal(first.key, second.key);
    assert_true(strlen(first.key) <= 64 && strlen(second.key) <= 64);
}

static void test_two_drives_are_two(void **state UNUSED)
{
    static const char model[] = "QEMU NVMe Ctrl with a name of forty chars";

    /* The serial numbers differ late, and so does what the kernel makes of them. */
    expect_two(identify("t10.ATA     DISK      SERIAL1", "DISK", "SERIAL1"),
               identify("t10.ATA     DISK      SERIAL2", "DISK", "SERIAL2"));
    expect_two(
        identify("nvme.1b36-5345522d41424344454647484a31-51454d55-00000001", "Q", "SER-ABCDEFGHJ1"),
        identify("nvme.1b36-5345522d41424344454647484a32-51454d55-00000001", "Q",
                 "SER-ABCDEFGHJ2"));
    expect_two(identify("", model, "a serial number of forty characters: 1"),
               identify("", model, "a serial number of forty characters: 2"));
    /* Two namespaces of one drive. */
    expect_two(identify("nvme.1b36-534552-51454d55-00000001", "Q", "SER"),
               identify("nvme.1b36-534552-51454d55-00000002", "Q", "SER"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_two_drives_are_two),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
