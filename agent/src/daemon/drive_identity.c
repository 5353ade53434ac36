/*
 * Identities of devices: see drive_identity.h.
 */
#include "daemon/drive_identity.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/crc.h"

/* Copies what fits, with blanks at both ends taken off. */
static void text_copy(char *out, size_t capacity, const char *text)
{
    size_t length = 0;

    text += strspn(text, " ");
    length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    length = length < capacity ? length : capacity - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

/* A key has A-Z a-z 0-9 . _ : - only. */
static void key_append(char key[65], const char *text)
{
    size_t at = strlen(key);

    for (; *text != '\0' && at < 64; text++) {
        bool plain = isalnum((unsigned char)*text) || strchr("._:-", *text) != NULL;

        key[at++] = plain ? *text : '_';
    }
    key[at] = '\0';
}

/*
 * A world wide name is 64 or 128 bits in hexadecimal digits, in sysfs and udev behind the name of
 * the authority that gave it. Anything else there ("t10.ATA …", "nvme.8086-…") is made of model and
 * serial number: taken for a name and cut, that of two drives would be the same.
 */
static void wwn_copy(char out[33], const char *text)
{
    static const char *const authorities[] = {"0x", "naa.", "eui.", "uuid."};
    size_t at = 0;

    for (size_t i = 0; i < sizeof(authorities) / sizeof(authorities[0]); i++) {
        size_t bytes = strlen(authorities[i]);

        if (strncasecmp(text, authorities[i], bytes) == 0) {
            text += bytes;
            break;
        }
    }
    for (; *text != '\0' && at < 32; text++) {
        if (*text == '-') {
            continue; /* of a UUID */
        }
        if (!isxdigit((unsigned char)*text)) {
            break;
        }
        out[at++] = (char)tolower((unsigned char)*text);
    }
    out[at] = '\0';
    if (*text != '\0' || (at != 16 && at != 32) || strspn(out, "0") == at) {
        out[0] = '\0';
    }
}

/* The namespace of an NVMe drive without a name of its own, from "nvme.VENDOR-SERIAL-MODEL-ID". */
static unsigned long namespace_of(const char *wwid)
{
    const char *last = strrchr(wwid, '-');

    return strncmp(wwid, "nvme.", 5) == 0 && last != NULL ? strtoul(last + 1, NULL, 16) : 0;
}

/* What a loop device stands on. */
static void backing_path(const struct device_info *info, char *out, size_t capacity)
{
    char path[160];
    ssize_t got = -1;

    (void)snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", info->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, out, capacity - 1);
        (void)close(fd);
    }
    if (got <= 0) {
        (void)snprintf(out, capacity, "%s", info->path);
        return;
    }
    out[got] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

/* 64 bits are plenty for the files of one host. */
static void path_serial(const char *path, char out[41])
{
    size_t bytes = strlen(path);

    (void)snprintf(out, 41, "F%08X%08X", crc32c(0, path, bytes), crc32c(0x5A17u, path, bytes));
}

static void serial_fill(const struct device_info *info, struct drive_identity *identity)
{
    char path[PATH_MAX];

    text_copy(identity->serial, sizeof(identity->serial), info->serial);
    if (identity->serial[0] != '\0') {
        return;
    }
    if (info->interface == DRIVE_INTERFACE_LOOP) {
        backing_path(info, path, sizeof(path));
        path_serial(path, identity->serial);
    } else if (info->kind == DEVICE_KIND_FILE) {
        path_serial(info->path, identity->serial);
    }
}

/* Model and serial number; what is too long for a key is told apart by a sum of all of it. */
static void key_from_serial(const struct device_info *info, struct drive_identity *identity)
{
    char whole[200];
    char sum[41];
    unsigned long namespace = namespace_of(info->wwn);

    (void)snprintf(whole, sizeof(whole), "%s_%s", identity->model, identity->serial);
    if (namespace > 1) {
        size_t used = strlen(whole);

        (void)snprintf(whole + used, sizeof(whole) - used, "_ns%lu", namespace);
    }
    key_append(identity->key, "sn-");
    if (strlen(identity->key) + strlen(whole) < sizeof(identity->key)) {
        key_append(identity->key, whole);
        return;
    }
    path_serial(whole, sum);
    whole[sizeof(identity->key) - sizeof("sn-_") - strlen(sum)] = '\0';
    key_append(identity->key, whole);
    key_append(identity->key, "_");
    key_append(identity->key, sum);
}

static void key_fill(const struct device_info *info, struct drive_identity *identity)
{
    char place[41];

    identity->key[0] = '\0';
    if (identity->wwn[0] != '\0') {
        key_append(identity->key, "wwn-");
        key_append(identity->key, identity->wwn);
    } else if (identity->serial[0] != '\0') {
        key_from_serial(info, identity);
    } else {
        /* It tells nothing: known by where it is attached, and by its label later. */
        path_serial(info->hardware_path[0] != '\0' ? info->hardware_path : info->path, place);
        key_append(identity->key, "id-");
        key_append(identity->key, place);
    }
}

void drive_identity_from_info(const struct device_info *info, struct drive_identity *ret_identity)
{
    struct drive_identity identity = {.eid = UINT32_MAX, .slot = UINT32_MAX};

    text_copy(identity.model, sizeof(identity.model), info->model);
    if (identity.model[0] == '\0') {
        text_copy(identity.model, sizeof(identity.model),
                  info->kind == DEVICE_KIND_FILE            ? "File"
                  : info->interface == DRIVE_INTERFACE_LOOP ? "Loop device"
                                                            : "Unknown");
    }
    text_copy(identity.vendor, sizeof(identity.vendor), info->vendor);
    text_copy(identity.firmware, sizeof(identity.firmware), info->firmware);
    wwn_copy(identity.wwn, info->wwn);
    serial_fill(info, &identity);
    key_fill(info, &identity);
    text_copy(identity.device, sizeof(identity.device), info->path);
    identity.interface = info->interface;
    identity.media = info->rotational ? DRIVE_MEDIA_HDD : DRIVE_MEDIA_SSD;
    identity.rotation_rpm = info->rotational ? info->rotation_rpm : 0;
    identity.link = info->link;
    ASSERT(identity.key[0] != '\0');
    *ret_identity = identity;
}

void drive_identity_emulated(const char *path, const char *model, const char *serial,
                             enum drive_media media, struct drive_identity *ret_identity)
{
    struct drive_identity identity = {.eid = UINT32_MAX, .slot = UINT32_MAX};

    text_copy(identity.model, sizeof(identity.model), model);
    text_copy(identity.serial, sizeof(identity.serial), serial);
    text_copy(identity.firmware, sizeof(identity.firmware), "1");
    text_copy(identity.device, sizeof(identity.device), path);
    key_append(identity.key, "sn-");
    key_append(identity.key, identity.model);
    key_append(identity.key, "_");
    key_append(identity.key, identity.serial);
    identity.interface = DRIVE_INTERFACE_FILE;
    identity.media = media;
    identity.emulated = true;
    *ret_identity = identity;
}
