/*
 * Who uses a device already: mounts, swap, stacked devices, partitions, loop devices. It
 * reads the kernel's own tables; what they do not show (another namespace, another
 * daemon) the exclusive claim still meets.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/assert.h"
#include "host/device_private.h"

/* What a use is compared with: a block device's number, or a file's device and inode. */
struct use_target {
    bool is_block;
    dev_t number;
    dev_t file_device;
    ino_t file_inode;
};

static bool target_is_path(const struct use_target *target, const char *path)
{
    struct stat status;

    if (path[0] != '/' || stat(path, &status) != 0) {
        return false;
    }
    if (target->is_block) {
        return S_ISBLK(status.st_mode) && status.st_rdev == target->number;
    }
    return S_ISREG(status.st_mode) && status.st_dev == target->file_device &&
           status.st_ino == target->file_inode;
}

/* The kernel writes blanks in paths as \040 and the like; decodes in place. */
static void decode_octal(char *text)
{
    char *out = text;

    for (char *in = text; *in != '\0'; in++) {
        bool is_escape = in[0] == '\\' && in[1] >= '0' && in[1] <= '3' && in[2] >= '0' &&
                         in[2] <= '7' && in[3] >= '0' && in[3] <= '7';
        if (is_escape) {
            *out++ = (char)((in[1] - '0') * 64 + (in[2] - '0') * 8 + (in[3] - '0'));
            in += 3;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
}

/* Splits off the next blank-separated word; NULL at the end of the line. */
static char *next_word(char **line)
{
    char *word = NULL;

    while ((word = strsep(line, " \t\n")) != NULL) {
        if (word[0] != '\0') {
            return word;
        }
    }
    return NULL;
}

/*
 * One line of mountinfo: id parent major:minor root mount-point options [fields] - type
 * source ... Both the device number and the source count: btrfs has numbers of its own.
 */
static bool mount_line_matches(char *line, const struct use_target *target, char *place,
                               size_t place_bytes)
{
    char *words[5];
    char *word;
    char *source;
    unsigned int major_number;
    unsigned int minor_number;
    bool matches;

    for (size_t i = 0; i < 5; i++) {
        words[i] = next_word(&line);
        if (words[i] == NULL) {
            return false;
        }
    }
    while ((word = next_word(&line)) != NULL && strcmp(word, "-") != 0)
        ;
    if (word == NULL || next_word(&line) == NULL || (source = next_word(&line)) == NULL) {
        return false;
    }
    decode_octal(source);
    decode_octal(words[4]);
    matches = target->is_block && sscanf(words[2], "%u:%u", &major_number, &minor_number) == 2 &&
              makedev(major_number, minor_number) == target->number;
    if (!matches && !target_is_path(target, source)) {
        return false;
    }
    (void)snprintf(place, place_bytes, "%s", words[4]);
    return true;
}

static bool find_mount(const struct use_target *target, char *place, size_t place_bytes)
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;

    if (file == NULL) {
        return false;
    }
    while (!found && getline(&line, &capacity, file) > 0) {
        found = mount_line_matches(line, target, place, place_bytes);
    }
    free(line);
    (void)fclose(file); /* opened for reading: nothing can be lost */
    return found;
}

static bool find_swap(const struct use_target *target)
{
    FILE *file = fopen("/proc/swaps", "re");
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;

    if (file == NULL) {
        return false;
    }
    while (!found && getline(&line, &capacity, file) > 0) {
        char *rest = line;
        char *path = next_word(&rest);
        if (path == NULL) {
            continue;
        }
        decode_octal(path);
        found = target_is_path(target, path);
    }
    free(line);
    (void)fclose(file); /* opened for reading: nothing can be lost */
    return found;
}

static bool find_holder(dev_t number, char *holder, size_t holder_bytes)
{
    char path[PATH_MAX];
    char directory_path[DEVICE_TEXT_BYTES];
    struct dirent *entry;
    DIR *directory;
    bool found = false;

    sysfs_block_path(number, directory_path, sizeof directory_path);
    (void)snprintf(path, sizeof path, "%s/holders", directory_path);
    directory = opendir(path);
    if (directory == NULL) {
        return false;
    }
    while (!found && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(holder, holder_bytes, "%s", entry->d_name);
        found = true;
    }
    closedir(directory);
    return found;
}

static void refuse_held(struct device_refusal *in_use, const char *name, const char *holder)
{
    reason_set(&in_use->reason, REASON_DRIVE_UNSUITABLE_HELD, "device", name, "holder", holder,
               NULL);
    (void)device_refuse_reason(in_use, -EBUSY);
}

/* Looks at one block device, whole or partition. Returns whether it is in use. */
static bool find_block_use(const char *name, dev_t number, struct device_refusal *in_use)
{
    const struct use_target target = {.is_block = true, .number = number};
    char word[DEVICE_TEXT_BYTES];

    if (find_mount(&target, word, sizeof word)) {
        reason_set(&in_use->reason, REASON_DRIVE_UNSUITABLE_MOUNTED, "device", name, "where", word,
                   NULL);
        (void)device_refuse_reason(in_use, -EBUSY);
    } else if (find_swap(&target)) {
        refuse_held(in_use, name, "swap");
    } else if (find_holder(number, word, sizeof word)) {
        refuse_held(in_use, name, word);
    }
    return in_use->reason.code != REASON_OK;
}

static bool parse_device_number(const char *text, dev_t *ret_number)
{
    unsigned int major_number;
    unsigned int minor_number;

    if (sscanf(text, "%u:%u", &major_number, &minor_number) != 2) {
        return false;
    }
    *ret_number = makedev(major_number, minor_number);
    return true;
}

static void find_partition_use(struct device_info *info)
{
    char directory_path[DEVICE_TEXT_BYTES];
    char path[PATH_MAX];
    char text[32];
    struct dirent *entry;
    dev_t number;
    DIR *directory;

    sysfs_block_path(info->number, directory_path, sizeof directory_path);
    directory = opendir(directory_path);
    if (directory == NULL) {
        return;
    }
    while (info->in_use.reason.code == REASON_OK && (entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof path, "%s/%s", directory_path, entry->d_name);
        if (!sysfs_read(path, "partition", text, sizeof text) ||
            !sysfs_read(path, "dev", text, sizeof text) || !parse_device_number(text, &number)) {
            continue;
        }
        (void)find_block_use(entry->d_name, number, &info->in_use);
    }
    closedir(directory);
}

/* A file may be the backing of a loop device, or swap space. */
static void find_file_use(const struct stat *status, struct device_info *info)
{
    const struct use_target target = {
        .file_device = status->st_dev,
        .file_inode = status->st_ino,
    };
    char directory_path[PATH_MAX];
    char backing[PATH_MAX];
    struct dirent *entry;
    DIR *directory;

    if (find_swap(&target)) {
        refuse_held(&info->in_use, info->name, "swap");
        return;
    }
    directory = opendir("/sys/block");
    if (directory == NULL) {
        return;
    }
    while (info->in_use.reason.code == REASON_OK && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, "loop", 4) != 0) {
            continue;
        }
        (void)snprintf(directory_path, sizeof directory_path, "/sys/block/%s/loop", entry->d_name);
        if (sysfs_read(directory_path, "backing_file", backing, sizeof backing) &&
            target_is_path(&target, backing)) {
            refuse_held(&info->in_use, info->name, entry->d_name);
        }
    }
    closedir(directory);
}

/* "1: FLOCK  ADVISORY  WRITE 4711 08:01:131077 0 EOF"; one that waits has "->" before its kind. */
static bool lock_line_matches(const char *line, const struct device_info *info)
{
    unsigned int major_number = 0;
    unsigned int minor_number = 0;
    unsigned long long inode = 0;
    int owner = 0;

    return sscanf(line, "%*s FLOCK %*s %*s %d %x:%x:%llu", &owner, &major_number, &minor_number,
                  &inode) == 4 &&
           owner != getpid() && makedev(major_number, minor_number) == info->file_device &&
           inode == info->file_number;
}

bool device_is_claimed(const struct device_info *info)
{
    FILE *file = info->kind == DEVICE_KIND_FILE ? fopen("/proc/locks", "re") : NULL;
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;

    if (file == NULL) {
        return false;
    }
    while (!found && getline(&line, &capacity, file) > 0) {
        found = lock_line_matches(line, info);
    }
    free(line);
    (void)fclose(file); /* opened for reading: nothing can be lost */
    return found;
}

void device_find_use(const struct stat *status, struct device_info *info)
{
    info->in_use = (struct device_refusal){.reason.code = REASON_OK};
    if (info->kind == DEVICE_KIND_FILE) {
        find_file_use(status, info);
        return;
    }
    ASSERT(info->number == status->st_rdev);
    if (!find_block_use(info->name, info->number, &info->in_use)) {
        find_partition_use(info);
    }
}
