/*
 * Runs a fuzz target over files named on the command line, or over all files of the
 * directories named: how a corpus is replayed where libFuzzer is not at hand.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int fail(const char *path)
{
    (void)fprintf(stderr, "fuzz_replay: %s: %s\n", path, strerror(errno));
    return -1;
}

static int replay_file(const char *path, size_t size)
{
    uint8_t *data = malloc(size + 1);
    FILE *file = fopen(path, "rbe");
    int result = -1;

    if (data != NULL && file != NULL && fread(data, 1, size, file) == size) {
        (void)LLVMFuzzerTestOneInput(data, size); /* it has no other way to fail than to crash */
        result = 0;
    }
    if (file != NULL) {
        (void)fclose(file); /* opened for reading: nothing can be lost */
    }
    free(data);
    return result == 0 ? 0 : fail(path);
}

static int replay_directory(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int count = 0;

    if (directory == NULL) {
        return fail(path);
    }
    while (count >= 0 && (entry = readdir(directory)) != NULL) {
        char name[PATH_MAX];
        struct stat status;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (stat(name, &status) != 0 || !S_ISREG(status.st_mode)) {
            continue;
        }
        count = replay_file(name, (size_t)status.st_size) == 0 ? count + 1 : -1;
    }
    closedir(directory);
    return count;
}

int main(int count, char **arguments)
{
    int total = 0;

    for (int i = 1; i < count; i++) {
        struct stat status;
        int replayed = -1;
        if (stat(arguments[i], &status) != 0) {
            (void)fail(arguments[i]);
        } else if (S_ISDIR(status.st_mode)) {
            replayed = replay_directory(arguments[i]);
        } else {
            replayed = replay_file(arguments[i], (size_t)status.st_size) == 0 ? 1 : -1;
        }
        if (replayed < 0) {
            return 1;
        }
        total += replayed;
    }
    (void)printf("%d inputs\n", total);
    return total > 0 ? 0 : 1;
}
