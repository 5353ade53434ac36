/*
 * What sysfs tells about a block device: who made it, how it turns, how it is attached and how
 * fast. What it does not tell stays empty or zero.
 *
 * (1) Everything is found from the device's directory ("/sys/dev/block/8:0"), so a tree of files
 *     elsewhere serves as well.
 * (2) The place in the tree is a path of devices; a climb along it ends at "devices".
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "host/device_private.h"

#define VPD_BYTES (4u + DEVICE_WORD_BYTES)
#define VPD_HEADER_BYTES 4u
/* Block device characteristics (SBC-4 6.6.2): 1 does not rotate, up to 400h is reserved. */
#define ROTATION_MIN_RPM 0x401u
#define RATE_MAX_MBPS 1000000.0

/* The first attribute of the list that is there and not empty. */
static void read_first(const char *directory, const char *const *attributes, char *text)
{
    for (size_t i = 0; attributes[i] != NULL; i++) {
        if (sysfs_read(directory, attributes[i], text, DEVICE_WORD_BYTES) && text[0] != '\0') {
            return;
        }
    }
    text[0] = '\0';
}

/* A page of SCSI's vital product data behind its header; 0: there is none. */
static size_t vpd_read(const char *directory, const char *name, uint8_t out[DEVICE_WORD_BYTES])
{
    char path[PATH_MAX];
    uint8_t page[VPD_BYTES];
    ssize_t length;
    int fd;

    if ((size_t)snprintf(path, sizeof path, "%s/device/%s", directory, name) >= sizeof path) {
        return 0;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    length = read(fd, page, sizeof page);
    close(fd);
    if (length <= (ssize_t)VPD_HEADER_BYTES) {
        return 0;
    }
    memcpy(out, page + VPD_HEADER_BYTES, (size_t)length - VPD_HEADER_BYTES);
    return (size_t)length - VPD_HEADER_BYTES;
}

static void read_scsi_serial(const char *directory, char *text)
{
    uint8_t page[DEVICE_WORD_BYTES];
    size_t bytes = vpd_read(directory, "vpd_pg80", page);

    bytes = min_u64(bytes, DEVICE_WORD_BYTES - 1);
    memcpy(text, page, bytes);
    text[bytes] = '\0';
    device_text_clean(text);
}

static void read_identity(const char *directory, struct device_info *info)
{
    static const char *const models[] = {"device/model", NULL};
    static const char *const vendors[] = {"device/vendor", NULL};
    static const char *const serials[] = {"serial", "device/serial", NULL};
    static const char *const wwns[] = {"wwid", "device/wwid", NULL};
    static const char *const firmwares[] = {"device/firmware_rev", "device/rev", NULL};

    read_first(directory, models, info->model);
    read_first(directory, vendors, info->vendor);
    read_first(directory, serials, info->serial);
    read_first(directory, wwns, info->wwn);
    read_first(directory, firmwares, info->firmware);
    /* virtio and others put the PCI vendor number here: not a vendor's name. */
    if (strncmp(info->vendor, "0x", 2) == 0) {
        info->vendor[0] = '\0';
    }
    if (info->serial[0] == '\0') {
        read_scsi_serial(directory, info->serial);
    }
}

static void read_place(const char *directory, struct device_info *info)
{
    char resolved[PATH_MAX];
    const char *name;

    if (realpath(directory, resolved) == NULL) {
        return;
    }
    (void)snprintf(info->hardware_path, sizeof info->hardware_path, "%.*s",
                   (int)sizeof info->hardware_path - 1, resolved);
    name = strrchr(resolved, '/');
    ASSERT(name != NULL);
    (void)snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, name + 1);
}

static void read_rotation(const char *directory, struct device_info *info)
{
    uint8_t page[DEVICE_WORD_BYTES];
    uint64_t rotational = 0;
    uint32_t rpm = 0;

    info->rotational =
        sysfs_read_u64(directory, "queue/rotational", &rotational) && rotational != 0;
    if (vpd_read(directory, "vpd_pgb1", page) >= 2) {
        rpm = (uint32_t)page[0] << 8 | page[1];
    }
    info->rotation_rpm = rpm >= ROTATION_MIN_RPM && rpm != UINT16_MAX ? rpm : 0;
}

/*
 * By the devices it hangs off; the most specific first, as a USB disk is SCSI as well. A SATA
 * drive at a SAS port keeps the vendor that the translation gives it.
 */
static enum drive_interface interface_of(const struct device_info *info)
{
    static const struct {
        const char *part;
        enum drive_interface interface;
    } parts[] = {
        {"/nvme", DRIVE_INTERFACE_NVME},       {"/usb", DRIVE_INTERFACE_USB},
        {"/virtio", DRIVE_INTERFACE_VIRTIO},   {"/ata", DRIVE_INTERFACE_SATA},
        {"/end_device-", DRIVE_INTERFACE_SAS}, {"/block/loop", DRIVE_INTERFACE_LOOP},
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(info->hardware_path, parts[i].part) == NULL) {
            continue;
        }
        return parts[i].interface == DRIVE_INTERFACE_SAS && strcmp(info->vendor, "ATA") == 0
                   ? DRIVE_INTERFACE_SATA
                   : parts[i].interface;
    }
    return DRIVE_INTERFACE_OTHER;
}

/* Link speeds */

/* "6.0 Gbps", "12.0 Gbit", "8.0 GT/s PCIe": thousands; "480", "5000": as they are. */
static uint32_t rate_parse(const char *text)
{
    size_t digits = strspn(text, "0123456789.");
    double rate = 0;

    if (digits == 0 || (text[digits] != ' ' && text[digits] != '\0')) {
        return 0; /* "<unknown>", "Unknown" */
    }
    rate = strtod(text, NULL) * (strncmp(text + digits, " G", 2) == 0 ? 1000 : 1);
    return rate >= 1 && rate <= RATE_MAX_MBPS ? (uint32_t)(rate + 0.5) : 0;
}

static uint32_t rate_read(const char *directory, const char *attribute)
{
    char text[32];

    return sysfs_read(directory, attribute, text, sizeof text) ? rate_parse(text) : 0;
}

/* Cuts the last device off a path; false at the root of all devices (2). */
static bool climb(char *path)
{
    char *last = strrchr(path, '/');

    if (last == NULL || last == path) {
        return false;
    }
    *last = '\0';
    last = strrchr(path, '/');
    return last != NULL && strcmp(last, "/devices") != 0;
}

/* Cuts a path behind its last device whose name begins so. */
static bool climb_to(char *path, const char *beginning)
{
    do {
        const char *last = strrchr(path, '/');

        if (last != NULL && strncmp(last + 1, beginning, strlen(beginning)) == 0) {
            return true;
        }
    } while (climb(path));
    return false;
}

/* ataN/linkN/ata_link/linkN/sata_spd; behind a port multiplier linkN.C, C the SCSI channel. */
static void read_sata_link(char *path, struct device_info *info)
{
    const char *scsi = strstr(path, "/target");
    unsigned int port = 0;
    unsigned int channel = 0;
    char attribute[80];

    if (scsi == NULL || sscanf(scsi, "/target%*u:%u:%*u", &channel) != 1 ||
        !climb_to(path, "ata") || sscanf(strrchr(path, '/'), "/ata%u", &port) != 1) {
        return;
    }
    (void)snprintf(attribute, sizeof attribute, "link%u.%u/ata_link/link%u.%u/sata_spd", port,
                   channel, port, channel);
    info->link.speed_mbps = rate_read(path, attribute);
    if (info->link.speed_mbps == 0) {
        (void)snprintf(attribute, sizeof attribute, "link%u/ata_link/link%u/sata_spd", port, port);
        info->link.speed_mbps = rate_read(path, attribute);
    }
}

/* The port that the end device hangs off names its phys; those of a wide port are alike. */
static void read_sas_link(char *path, struct device_info *info)
{
    char attribute[2 * DEVICE_WORD_BYTES + 64];
    struct dirent *entry;
    DIR *directory;

    if (!climb_to(path, "end_device-") || !climb(path)) {
        return;
    }
    directory = opendir(path);
    if (directory == NULL) {
        return;
    }
    while ((entry = readdir(directory)) != NULL) {
        uint32_t rate;

        if (strncmp(entry->d_name, "phy-", 4) != 0 || strlen(entry->d_name) > DEVICE_WORD_BYTES) {
            continue;
        }
        (void)snprintf(attribute, sizeof attribute, "%.64s/sas_phy/%.64s/negotiated_linkrate",
                       entry->d_name, entry->d_name);
        rate = rate_read(path, attribute);
        if (rate > info->link.speed_mbps) {
            info->link.speed_mbps = rate;
        }
    }
    closedir(directory);
}

/* One of the controllers behind a name space that the kernel shows above them all. */
static bool nvme_controller_path(char *path)
{
    char beside[PATH_MAX];
    struct dirent *entry;
    DIR *directory;
    bool found = false;

    if (strstr(path, "/nvme-subsystem/") == NULL) {
        return true;
    }
    directory = climb(path) ? opendir(path) : NULL;
    if (directory == NULL) {
        return false;
    }
    while (!found && (entry = readdir(directory)) != NULL) {
        size_t digits =
            strncmp(entry->d_name, "nvme", 4) == 0 ? strspn(entry->d_name + 4, "0123456789") : 0;

        found =
            digits > 0 && entry->d_name[4 + digits] == '\0' &&
            (size_t)snprintf(beside, sizeof beside, "%s/%s", path, entry->d_name) < sizeof beside &&
            realpath(beside, path) != NULL;
    }
    closedir(directory);
    return found;
}

static void read_pcie_link(char *path, struct device_info *info)
{
    uint64_t lanes = 0;

    if (!nvme_controller_path(path)) {
        return;
    }
    do {
        info->link.speed_mbps = rate_read(path, "current_link_speed");
        if (info->link.speed_mbps != 0) {
            info->link.device_mbps = rate_read(path, "max_link_speed");
            if (sysfs_read_u64(path, "current_link_width", &lanes) && lanes <= 64) {
                info->link.lanes = (uint32_t)lanes;
            }
            return;
        }
    } while (climb(path));
}

/* An interface of a USB device has no speed of its own, the device above it has. */
static void read_usb_link(char *path, struct device_info *info)
{
    uint64_t bus = 0;

    do {
        if (sysfs_read_u64(path, "busnum", &bus)) {
            info->link.speed_mbps = rate_read(path, "speed");
            return;
        }
    } while (climb(path));
}

static void read_link(struct device_info *info)
{
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s", info->hardware_path);
    switch (info->interface) {
    case DRIVE_INTERFACE_SATA:
        if (strstr(path, "/end_device-") == NULL) {
            read_sata_link(path, info);
            return;
        }
        read_sas_link(path, info);
        return;
    case DRIVE_INTERFACE_SAS:
        read_sas_link(path, info);
        return;
    case DRIVE_INTERFACE_NVME:
        read_pcie_link(path, info);
        return;
    case DRIVE_INTERFACE_USB:
        read_usb_link(path, info);
        return;
    case DRIVE_INTERFACE_VIRTIO:
    case DRIVE_INTERFACE_LOOP:
    case DRIVE_INTERFACE_FILE:
    case DRIVE_INTERFACE_OTHER:
        return; /* no link that the kernel could know of */
    case DRIVE_INTERFACE_MAX:
        break;
    }
    UNREACHABLE();
}

void device_facts_read(const char *directory, struct device_info *info)
{
    uint64_t removable = 0;

    ASSERT(info->kind == DEVICE_KIND_BLOCK);
    read_place(directory, info);
    read_identity(directory, info);
    read_rotation(directory, info);
    info->removable = sysfs_read_u64(directory, "removable", &removable) && removable != 0;
    info->interface = interface_of(info);
    read_link(info);
    device_bay_read(directory, &info->bay);
}
