/*
 * The bay of an enclosure that a drive is in, as the kernel's enclosure driver (ses) tells it: the
 * drive's directory has a link "device/enclosure_device:NAME" to the bay, whose parent is the
 * enclosure.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "host/device_private.h"

#define LINK_BEGINNING "enclosure_device:"
#define SLOTS_MAX 1024u

/* The bay's own directory; false: the drive is in none. */
static bool component_find(const char *directory, char path[PATH_MAX])
{
    char device[PATH_MAX];
    char name[PATH_MAX];
    struct dirent *entry;
    DIR *listing = NULL;
    bool found = false;

    if ((size_t)snprintf(device, sizeof device, "%s/device", directory) < sizeof device) {
        listing = opendir(device);
    }
    if (listing == NULL) {
        return false;
    }
    while (!found && (entry = readdir(listing)) != NULL) {
        found = strncmp(entry->d_name, LINK_BEGINNING, strlen(LINK_BEGINNING)) == 0 &&
                (size_t)snprintf(name, sizeof name, "%s/%s", device, entry->d_name) < sizeof name &&
                realpath(name, path) != NULL;
    }
    closedir(listing);
    return found;
}

/* Kernels before 3.18 have no attribute: "Slot 05", "ArrayDevice03". */
static bool slot_of_name(const char *path, uint64_t *ret_slot)
{
    const char *name = strrchr(path, '/');
    size_t length = name != NULL ? strlen(name) : 0;
    size_t digits = 0;

    while (digits < length && isdigit((unsigned char)name[length - digits - 1])) {
        digits++;
    }
    if (digits == 0 || digits > 4) {
        return false;
    }
    *ret_slot = strtoull(name + length - digits, NULL, 10);
    return true;
}

void device_bay_read(const char *directory, struct device_bay *ret_bay)
{
    struct device_bay bay = {.slot = 0};
    char path[PATH_MAX];
    uint64_t slot = 0;
    uint64_t count = 0;

    ASSERT(directory != NULL);
    *ret_bay = bay;
    if (!component_find(directory, path) ||
        (!sysfs_read_u64(path, "slot", &slot) && !slot_of_name(path, &slot)) || slot >= SLOTS_MAX) {
        return;
    }
    char *last = strrchr(path, '/');
    ASSERT(last != NULL);
    *last = '\0'; /* the enclosure */
    if (!sysfs_read(path, "id", bay.enclosure_id, sizeof bay.enclosure_id) ||
        bay.enclosure_id[strspn(bay.enclosure_id, "0x")] == '\0') {
        return; /* nothing to know it by after the next start */
    }
    (void)sysfs_read(path, "device/model", bay.model, sizeof bay.model);
    device_text_clean(bay.model);
    bay.slot = (uint32_t)slot;
    bay.slot_count =
        sysfs_read_u64(path, "components", &count) && count <= SLOTS_MAX ? (uint32_t)count : 0;
    if (bay.slot_count <= bay.slot) {
        bay.slot_count = bay.slot + 1; /* they count from 1, or have not told */
    }
    *ret_bay = bay;
}
