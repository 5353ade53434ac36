/*
 * Checks of the host that arrayd runs on: see doctor.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "cli/doctor.h"

#define KERNEL_MAJOR_MIN 5u
#define KERNEL_MINOR_MIN 10u
/* What a few drive groups take, each about 50 MiB. */
#define MEMLOCK_MIN_BYTES (256ull * 1024 * 1024)

void doctor_config_invalid(struct doctor *doctor, const struct doctor_check *check)
{
    char *words[] = {(char *)doctor->program, (char *)doctor->config};
    int status = 0;
    char *output = doctor_run(
        "PATH=$PATH:/usr/sbin exec \"$1\" --config \"$2\" --check-config 2>&1", words, 2, &status);

    if (output != NULL && status != 0 && status != 126 && status != 127) {
        output[strcspn(output, "\n")] = '\0';
        doctor_found(doctor, check, doctor->config, "The configuration is not valid: %s", output);
    }
    free(output);
}

void doctor_disk_full(struct doctor *doctor, const struct doctor_check *check)
{
    struct statvfs facts;

    if (doctor->state_dir[0] == '\0' || statvfs(doctor->state_dir, &facts) != 0 ||
        facts.f_blocks == 0) {
        return;
    }
    uint64_t free_bytes = (uint64_t)facts.f_bavail * facts.f_frsize;
    if (free_bytes < doctor->free_min_bytes) {
        doctor_found(doctor, check, doctor->state_dir,
                     "Only %llu MB are free where the state directory %s is.",
                     (unsigned long long)(free_bytes / 1000000), doctor->state_dir);
    }
}

void doctor_kernel_old(struct doctor *doctor, const struct doctor_check *check)
{
    char release[128];
    unsigned major = 0;
    unsigned minor = 0;

    if (!doctor_read(doctor, "/proc/sys/kernel/osrelease", release, sizeof(release))) {
        return;
    }
    release[strcspn(release, "\n")] = '\0';
    char *end = NULL;
    major = (unsigned)strtoul(release, &end, 10);
    minor = end[0] == '.' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    if (major > 0 &&
        (major < KERNEL_MAJOR_MIN || (major == KERNEL_MAJOR_MIN && minor < KERNEL_MINOR_MIN))) {
        doctor_found(doctor, check, "", "This host runs Linux %s.", release);
    }
}

void doctor_io_uring_disabled(struct doctor *doctor, const struct doctor_check *check)
{
    char value[16];

    /* 1 leaves it to a group and to root, who arrayd is. */
    if (doctor_read(doctor, "/proc/sys/kernel/io_uring_disabled", value, sizeof(value)) &&
        value[0] == '2') {
        doctor_found(doctor, check, "",
                     "The kernel's io_uring is switched off "
                     "(kernel.io_uring_disabled = 2).");
    }
}

static bool module_is_listed(const struct doctor *doctor, const char *release, const char *list)
{
    char path[DOCTOR_PATH_BYTES];
    char line[1024];
    bool found = false;

    (void)snprintf(path, sizeof(path), "%s/lib/modules/%s/%s", doctor->root, release, list);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        found = strstr(line, "/nbd.ko") != NULL;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

/* Only where modules are installed at all: a container uses those of its host. */
void doctor_nbd_missing(struct doctor *doctor, const struct doctor_check *check)
{
    char release[128];
    char path[DOCTOR_PATH_BYTES];

    if (doctor_exists(doctor, "/sys/module/nbd") ||
        !doctor_read(doctor, "/proc/sys/kernel/osrelease", release, sizeof(release))) {
        return;
    }
    release[strcspn(release, "\n")] = '\0';
    (void)snprintf(path, sizeof(path), "/lib/modules/%.128s/modules.dep", release);
    if (doctor_exists(doctor, path) && !module_is_listed(doctor, release, "modules.dep") &&
        !module_is_listed(doctor, release, "modules.builtin")) {
        doctor_found(doctor, check, "", "The kernel %s has no module nbd.", release);
    }
}

void doctor_memory_limit(struct doctor *doctor, const struct doctor_check *check)
{
    char path[64];
    char limits[4096];
    const char *name = "Max locked memory";

    if (doctor->arrayd == 0 && doctor->root[0] == '\0') {
        return;
    }
    (void)snprintf(path, sizeof(path), "/proc/%d/limits", (int)doctor->arrayd);
    if (!doctor_read(doctor, path, limits, sizeof(limits))) {
        return;
    }
    const char *line = strstr(limits, name);
    const char *value =
        line != NULL ? line + strlen(name) + strspn(line + strlen(name), " ") : NULL;
    if (value == NULL || strncmp(value, "unlimited", 9) == 0) {
        return;
    }
    unsigned long long bytes = strtoull(value, NULL, 10);
    if (bytes < MEMLOCK_MIN_BYTES) {
        doctor_found(doctor, check, "", "arrayd may lock only %llu kB of memory.", bytes / 1000);
    }
}

void doctor_not_enabled(struct doctor *doctor, const struct doctor_check *check)
{
    if (!doctor_unit_enabled(doctor, "arrayd")) {
        doctor_found(doctor, check, "", "systemd does not start arrayd at boot.");
    }
}
