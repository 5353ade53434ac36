/*
 * See drive_paths.h. What a path names is asked for in the work pool: a file system may block.
 */
#include "daemon/drive_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "ctl/ctl_path.h"

struct path_look {
    struct host_drive *drive; /* may be gone by the end: found again by its address and numbers */
    const char *path; /* the configuration's, which stays */
    dev_t number, file_device;
    ino_t file_number;
    int error;
    bool other;
};

struct drive_paths {
    struct drives *drives;
    struct work work;
    bool running;
    uint32_t count;
    struct path_look *looks;
};

static void paths_run(struct work *work)
{
    struct drive_paths *paths = work->owner;

    for (uint32_t i = 0; i < paths->count; i++) {
        struct path_look *look = &paths->looks[i];
        struct stat status;

        look->error = stat(look->path, &status) != 0 ? -errno : 0;
        look->other =
            look->error == 0 &&
            (look->number != 0
                 ? !S_ISBLK(status.st_mode) || status.st_rdev != look->number
                 : status.st_dev != look->file_device || status.st_ino != look->file_number);
    }
}

static bool is_watched(const struct host_drive *drive)
{
    return drive->config != NULL && drive->held && !drive->left && drive->arrived &&
           drive->emulated == NULL && drive->port != NULL &&
           (drive->number != 0 || drive->file_number != 0);
}

static struct host_drive *look_drive(const struct drives *drives, const struct path_look *look)
{
    LIST_FOR_EACH (node, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (drive == look->drive && is_watched(drive) && drive->number == look->number &&
            drive->file_device == look->file_device && drive->file_number == look->file_number) {
            return drive;
        }
    }
    return NULL;
}

static void look_tell(const struct drives *drives, const struct path_look *look)
{
    struct host_drive *drive = look_drive(drives, look);
    enum reason_code why = REASON_OK;

    if (drive == NULL) {
        return;
    }
    if (look->error == -ENOENT || look->error == -ENOTDIR) {
        why = REASON_DRIVE_PATH_GONE;
    } else if (look->error != 0) {
        return; /* nobody can say */
    } else if (look->other) {
        why = REASON_DRIVE_PATH_OTHER;
    }
    if (why != REASON_OK && look->number == 0 && file_port_is_unlinked(drive->port)) {
        why = REASON_DRIVE_PATH_DELETED;
    }
    ctl_drive_path(host_drive_ctl(drive), drive, look->path, why);
}

static void paths_done(struct work *work)
{
    struct drive_paths *paths = work->owner;

    paths->running = false;
    for (uint32_t i = 0; i < paths->count && !paths->drives->stopping; i++) {
        look_tell(paths->drives, &paths->looks[i]);
    }
    free(paths->looks);
    paths->looks = NULL;
    paths->count = 0;
}

int drive_paths_create(struct drives *drives, struct drive_paths **ret_paths)
{
    struct drive_paths *paths = calloc(1, sizeof(*paths));

    if (paths == NULL) {
        return -ENOMEM;
    }
    paths->drives = drives;
    work_init(&paths->work, paths_run, paths_done, work_pool_new_key(drives->pool), paths);
    *ret_paths = paths;
    return 0;
}

struct drive_paths *drive_paths_free(struct drive_paths *paths)
{
    if (paths != NULL) {
        ASSERT(!paths->running);
        free(paths);
    }
    return NULL;
}

/* Those that the configuration names and that do not exist. */
static void absent_tell(const struct drives *drives)
{
    for (uint32_t i = 0; i < CONFIG_CONTROLLERS_MAX; i++) {
        const char *names[CONFIG_DRIVES_MAX];
        uint32_t count = 0;

        LIST_FOR_EACH (node, &drives->all) {
            const struct host_drive *drive = list_entry(node, const struct host_drive, link);

            if (drive->config != NULL && drive->absent_why[0] != '\0' &&
                drive->absent_error == -ENOENT && host_drive_controller(drive) == i &&
                count < CONFIG_DRIVES_MAX) {
                names[count++] = drive->config->path;
            }
        }
        if (drives->ctls[i] != NULL) {
            ctl_drives_absent(drives->ctls[i], names, count);
        }
    }
}

void drive_paths_look(struct drive_paths *paths)
{
    const struct drives *drives = paths->drives;
    uint32_t count = 0;

    absent_tell(drives);
    if (paths->running) {
        return; /* a file system blocks */
    }
    LIST_FOR_EACH (node, &drives->all) {
        count += is_watched(list_entry(node, const struct host_drive, link)) ? 1u : 0u;
    }
    paths->looks = count > 0 ? calloc(count, sizeof(*paths->looks)) : NULL;
    if (paths->looks == NULL) {
        return;
    }
    LIST_FOR_EACH (node, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (is_watched(drive)) {
            paths->looks[paths->count++] = (struct path_look){.drive = drive,
                                                              .path = drive->config->path,
                                                              .number = drive->number,
                                                              .file_device = drive->file_device,
                                                              .file_number = drive->file_number};
        }
    }
    paths->running = true;
    work_submit(drives->pool, &paths->work);
}
