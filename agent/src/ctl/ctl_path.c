/*
 * Paths of drives, as the host sees them: that of a drive in use that names it no longer, and those
 * that name nothing.
 */
#include "ctl/ctl_path.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

void ctl_drive_path(struct ctl *ctl, void *device, const char *path, enum reason_code why)
{
    struct ctl_drive *cd = drive_by_device(ctl, device);

    if (cd != NULL && cd->path_lost != why) {
        cd->path_lost = why;
        cd->lost_path = path;
        ctl_kick(ctl);
    }
}

void ctl_drives_absent(struct ctl *ctl, const char *const *paths, uint32_t count)
{
    struct name_list list = {.count = 0};

    for (uint32_t i = 0; i < count; i++) {
        name_list_add(&list, paths[i]);
    }
    if (strcmp(name_list_text(&list), ctl->absent_paths) != 0) {
        (void)snprintf(ctl->absent_paths, sizeof(ctl->absent_paths), "%s", list.text);
        ctl_kick(ctl);
    }
}
