/*
 * What sysfs tells of drives of every kind, on trees of files made as the kernel makes its own,
 * and on a loop device, where it tells next to nothing.
 */
#include "host_test.h"

#include <stdarg.h>
#include <sys/sysmacros.h>

#include "host/device_private.h"

#define HDD "devices/pci0000:00/0000:00:17.0/ata5/host4/target4:0:0/4:0:0:0"
#define SAS "devices/pci0000:80/0000:80:02.0/host6/port-6:0/expander-6:0/port-6:0:3"
#define NVME "devices/pci0000:00/0000:00:1d.0/0000:3d:00.0"
#define USB "devices/pci0000:00/0000:00:14.0/usb2/2-3"

#define SES SAS "/end_device-6:0:9/target6:0:9/6:0:9:0/enclosure/6:0:9:0"

static int setup(void **state)
{
    char *root = calloc(1, PATH_MAX);

    assert_non_null(root);
    scratch_make(root);
    *state = root;
    return 0;
}

static int teardown(void **state)
{
    scratch_remove(*state);
    free(*state);
    return 0;
}

static void directories_make(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

static void bytes_put(const char *root, const char *directory, const char *name, const void *bytes,
                      size_t count)
{
    char path[2 * PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/%s/%s", root, directory, name);
    directories_make(path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, count), count);
    assert_int_equal(close(fd), 0);
}

static void put(const char *root, const char *directory, const char *name, const char *text)
{
    bytes_put(root, directory, name, text, strlen(text));
}

static void link_put(const char *root, const char *place, const char *target)
{
    char path[2 * PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/%s", root, place);
    directories_make(path);
    assert_int_equal(symlink(target, path), 0);
}

/* Reads the facts through a link, as /sys/dev/block has them. */
static struct device_info facts(const char *root, const char *place)
{
    struct device_info info = {.kind = DEVICE_KIND_BLOCK};
    char path[2 * PATH_MAX];

    (void)snprintf(path, sizeof path, "../../%s", place);
    link_put(root, "dev/block/8:0", path);
    (void)snprintf(path, sizeof path, "%s/dev/block/8:0", root);
    device_facts_read(path, &info);
    assert_int_equal(unlink(path), 0);
    return info;
}

static void hdd_make(const char *root)
{
    static const uint8_t serial[] = {0, 0x80, 0, 20, ' ', ' ', 'Z', 'A', '1', '7', ' '};
    static const uint8_t characteristics[] = {0, 0xb1, 0, 60, 0x1c, 0x20, 0, 3};

    put(root, HDD, "model", "ST4000NM0035-1V4 \n");
    put(root, HDD, "vendor", "ATA     \n");
    put(root, HDD, "rev", "TN05\n");
    put(root, HDD, "wwid", "naa.5000c500a1b2c3d4\n");
    bytes_put(root, HDD, "vpd_pg80", serial, sizeof serial);
    bytes_put(root, HDD, "vpd_pgb1", characteristics, sizeof characteristics);
    put(root, HDD "/block/sda", "queue/rotational", "1\n");
    put(root, HDD "/block/sda", "removable", "0\n");
    link_put(root, HDD "/block/sda/device", "../../../4:0:0:0");
    put(root, "devices/pci0000:00/0000:00:17.0/ata5/link5/ata_link/link5", "sata_spd",
        "6.0 Gbps\n");
}

static void test_sata_drive(void **state)
{
    const char *root = *state;

    hdd_make(root);
    struct device_info info = facts(root, HDD "/block/sda");
    assert_string_equal(info.name, "sda");
    assert_int_equal(info.interface, DRIVE_INTERFACE_SATA);
    assert_string_equal(info.vendor, "ATA");
    assert_string_equal(info.model, "ST4000NM0035-1V4");
    assert_string_equal(info.serial, "ZA17");
    assert_string_equal(info.firmware, "TN05");
    assert_string_equal(info.wwn, "naa.5000c500a1b2c3d4");
    assert_true(info.rotational);
    assert_int_equal(info.rotation_rpm, 7200);
    assert_int_equal(info.link.speed_mbps, 6000);
    assert_int_equal(info.link.lanes, 0);
    assert_int_equal(info.link.device_mbps, 0); /* only the port's limit is told */
    assert_false(info.removable);
}

static void test_sata_drive_behind_a_port_multiplier(void **state)
{
    const char *root = *state;
    const char *drive = "devices/pci0000:00/0000:00:17.0/ata5/host4/target4:2:0/4:2:0:0/block/sdc";

    hdd_make(root);
    put(root, drive, "queue/rotational", "0\n");
    put(root, "devices/pci0000:00/0000:00:17.0/ata5/link5.2/ata_link/link5.2", "sata_spd",
        "3.0 Gbps\n");
    struct device_info info = facts(root, drive);
    assert_int_equal(info.link.speed_mbps, 3000); /* not that of the multiplier's own link */
    assert_false(info.rotational);
    assert_int_equal(info.rotation_rpm, 0);
}

static void sas_make(const char *root, const char *vendor)
{
    const char *end = SAS "/end_device-6:0:3/target6:0:3/6:0:3:0";
    const char *first = SAS "/phy-6:0:12/sas_phy/phy-6:0:12";
    const char *second = SAS "/phy-6:0:13/sas_phy/phy-6:0:13";
    char block[PATH_MAX];

    put(root, end, "vendor", vendor);
    put(root, end, "model", "ST12000NM0038\n");
    (void)snprintf(block, sizeof block, "%s/block/sdb", end);
    put(root, block, "queue/rotational", "1\n");
    (void)snprintf(block, sizeof block, "%s/block/sdb/device", end);
    link_put(root, block, "../../../6:0:3:0");
    put(root, first, "negotiated_linkrate", "Unknown\n");
    put(root, second, "negotiated_linkrate", "12.0 Gbit\n");
    put(root, second, "maximum_linkrate", "22.5 Gbit\n"); /* the port's, not the drive's */
}

static void test_sas_drive_behind_an_expander(void **state)
{
    const char *root = *state;

    sas_make(root, "SEAGATE \n");
    struct device_info info = facts(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdb");
    assert_int_equal(info.interface, DRIVE_INTERFACE_SAS);
    assert_string_equal(info.vendor, "SEAGATE");
    assert_string_equal(info.serial, "");
    assert_int_equal(info.link.speed_mbps, 12000);
    assert_int_equal(info.link.device_mbps, 0);
    assert_int_equal(info.rotation_rpm, 0); /* rotates, but does not say how fast */
    assert_true(info.rotational);
}

static void test_sata_drive_at_a_sas_port_is_sata(void **state)
{
    const char *root = *state;

    sas_make(root, "ATA     \n");
    struct device_info info = facts(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdb");
    assert_int_equal(info.interface, DRIVE_INTERFACE_SATA);
    assert_int_equal(info.link.speed_mbps, 12000);
}

static void nvme_make(const char *root, const char *drive)
{
    put(root, NVME, "current_link_speed", "8.0 GT/s PCIe\n");
    put(root, NVME, "max_link_speed", "16.0 GT/s PCIe\n");
    put(root, NVME, "current_link_width", "4\n");
    put(root, NVME "/nvme/nvme0", "model", "SAMSUNG MZQL2960HCJR-00A07\n");
    put(root, NVME "/nvme/nvme0", "serial", "S64FNE0R\n");
    put(root, NVME "/nvme/nvme0", "firmware_rev", "GDC5302Q\n");
    put(root, drive, "wwid", "eui.36344630526001410025384500000001\n");
    put(root, drive, "queue/rotational", "0\n");
}

static void nvme_expect(const struct device_info *info)
{
    assert_int_equal(info->interface, DRIVE_INTERFACE_NVME);
    assert_string_equal(info->model, "SAMSUNG MZQL2960HCJR-00A07");
    assert_string_equal(info->serial, "S64FNE0R");
    assert_string_equal(info->firmware, "GDC5302Q");
    assert_int_equal(info->link.speed_mbps, 8000);
    assert_int_equal(info->link.lanes, 4);
    assert_int_equal(info->link.device_mbps, 16000);
    assert_int_equal(info->rotation_rpm, 0);
}

static void test_nvme_drive(void **state)
{
    const char *root = *state;

    nvme_make(root, NVME "/nvme/nvme0/nvme0n1");
    link_put(root, NVME "/nvme/nvme0/nvme0n1/device", "../../nvme0");
    struct device_info info = facts(root, NVME "/nvme/nvme0/nvme0n1");
    nvme_expect(&info);
}

/* The name space stands above its controllers, where no PCI device is in its path. */
static void test_nvme_drive_of_several_paths(void **state)
{
    const char *root = *state;
    const char *shared = "devices/virtual/nvme-subsystem/nvme-subsys0";

    nvme_make(root, "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1");
    put(root, shared, "model", "SAMSUNG MZQL2960HCJR-00A07\n");
    put(root, shared, "serial", "S64FNE0R\n");
    put(root, shared, "firmware_rev", "GDC5302Q\n");
    link_put(root, "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/device",
             "../../nvme-subsys0");
    link_put(root, "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0",
             "../../../../" NVME "/nvme/nvme0");
    struct device_info info = facts(root, "devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1");
    nvme_expect(&info);
}

static void test_usb_drive(void **state)
{
    const char *root = *state;
    const char *drive = USB "/2-3:1.0/host8/target8:0:0/8:0:0:0/block/sdd";

    put(root, USB, "busnum", "2\n");
    put(root, USB, "speed", "5000\n");
    put(root, drive, "removable", "1\n");
    struct device_info info = facts(root, drive);
    assert_int_equal(info.interface, DRIVE_INTERFACE_USB);
    assert_int_equal(info.link.speed_mbps, 5000);
    assert_true(info.removable);
}

static void test_hostile_and_missing_attributes_tell_nothing(void **state)
{
    static const char *const rates[] = {"",           "<unknown>\n", "-6.0 Gbps\n", "1e99 Gbps\n",
                                        "nan Gbps\n", "0x10 Gbps\n", "0 Gbps\n"};
    static const uint8_t broken[] = {0, 0xb1, 0, 60, 0xff};
    const char *root = *state;
    const char *link = "devices/pci0000:00/0000:00:17.0/ata5/link5/ata_link/link5";

    hdd_make(root);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        put(root, link, "sata_spd", rates[i]);
        struct device_info info = facts(root, HDD "/block/sda");
        if (info.link.speed_mbps != 0) {
            fail_msg("'%s' is %u Mb/s", rates[i], info.link.speed_mbps);
        }
    }
    bytes_put(root, HDD, "vpd_pgb1", broken, sizeof broken);
    bytes_put(root, HDD, "vpd_pg80", broken, 4);
    put(root, HDD, "model", "a\x01\xff b\n");
    struct device_info info = facts(root, HDD "/block/sda");
    assert_int_equal(info.rotation_rpm, 0);
    assert_string_equal(info.serial, "");
    assert_string_equal(info.model, "a?? b");
    info = facts(root, "devices/none");
    assert_string_equal(info.hardware_path, "");
    assert_int_equal(info.interface, DRIVE_INTERFACE_OTHER);
}

static void test_loop_device_tells_no_link(void **state)
{
    struct device_info info;
    struct device_refusal refusal;
    char path[PATH_MAX + 8];
    char device[32];

    (void)snprintf(path, sizeof path, "%s/d0", (const char *)*state);
    file_make(path, 16 * 1024 * 1024);
    int number = loop_device_attach(path);
    if (number < 0) {
        print_message("# no loop device can be had here\n");
        skip();
    }
    (void)snprintf(device, sizeof device, "/dev/loop%d", number);
    int error = device_probe(device, &info, &refusal);
    loop_device_detach(number);
    assert_int_equal(error, 0);
    assert_int_equal(info.interface, DRIVE_INTERFACE_LOOP);
    assert_string_equal(info.vendor, "");
    assert_string_equal(info.serial, "");
    assert_string_equal(info.wwn, "");
    assert_int_equal(info.rotation_rpm, 0);
    assert_int_equal(info.link.speed_mbps, 0);
    assert_int_equal(info.link.device_mbps, 0);
    assert_int_equal(info.logical_block_bytes, 512);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A drive in a bay: by the link that the enclosure driver makes. */
static void test_bay(void **state)
{
    const char *root = *state;
    struct device_info info;

    put(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd", "removable", "0\n");
    link_put(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd/device", "../..");
    info = facts(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd");
    assert_string_equal(info.bay.enclosure_id, "");

    put(root, SES "/Slot 05", "slot", "5\n");
    put(root, SES, "id", "0x500304801f715f7d\n");
    put(root, SES, "components", "24\n");
    put(root, SES "/device", "model", "SAS2X36         \n");
    link_put(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/enclosure_device:Slot 05",
             "../../../end_device-6:0:9/target6:0:9/6:0:9:0/enclosure/6:0:9:0/Slot 05");
    info = facts(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd");
    assert_string_equal(info.bay.enclosure_id, "0x500304801f715f7d");
    assert_string_equal(info.bay.model, "SAS2X36");
    assert_int_equal(info.bay.slot, 5);
    assert_int_equal(info.bay.slot_count, 24);
}

/* Old kernels tell the slot in the name only; an enclosure without an id is not known again. */
static void test_bays_that_tell_little(void **state)
{
    const char *root = *state;
    struct device_info info;

    put(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd", "removable", "0\n");
    link_put(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd/device", "../..");
    put(root, SES "/ArrayDevice07", "status", "OK\n");
    link_put(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/enclosure_device:ArrayDevice07",
             "../../../end_device-6:0:9/target6:0:9/6:0:9:0/enclosure/6:0:9:0/ArrayDevice07");
    info = facts(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd");
    assert_string_equal(info.bay.enclosure_id, "");
    put(root, SES, "id", "0x0\n");
    info = facts(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd");
    assert_string_equal(info.bay.enclosure_id, "");
    put(root, SES, "id", "500304801f715f7d\n");
    info = facts(root, SAS "/end_device-6:0:3/target6:0:3/6:0:3:0/block/sdd");
    assert_string_equal(info.bay.enclosure_id, "500304801f715f7d");
    assert_int_equal(info.bay.slot, 7);
    assert_int_equal(info.bay.slot_count, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sata_drive),
        TEST(test_sata_drive_behind_a_port_multiplier),
        TEST(test_sas_drive_behind_an_expander),
        TEST(test_sata_drive_at_a_sas_port_is_sata),
        TEST(test_nvme_drive),
        TEST(test_nvme_drive_of_several_paths),
        TEST(test_usb_drive),
        TEST(test_bay),
        TEST(test_bays_that_tell_little),
        TEST(test_hostile_and_missing_attributes_tell_nothing),
        TEST(test_loop_device_tells_no_link),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("host/device_facts", tests, NULL, NULL);
}
