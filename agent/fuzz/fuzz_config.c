/*
 * arrayd.conf: whatever is in the file, it is either refused with a sentence that names the file
 * or everything in the result is within its bounds. Files that include others are left out: the
 * configuration is root's, and another file may be any device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assert.h"
#include "daemon/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void config_check(const struct daemon_config *config)
{
    ASSERT(config->state_dir[0] == '/');
    ASSERT(config->drive_count <= CONFIG_DRIVES_MAX);
    ASSERT(config->controller_count >= 1 && config->controller_count <= CONFIG_CONTROLLERS_MAX);
    ASSERT(config->enclosure_count <= CONFIG_CONTROLLERS_MAX * CONFIG_ENCLOSURES_MAX);
    for (uint32_t i = 0; i < config->enclosure_count; i++) {
        ASSERT(config->enclosures[i].controller < config->controller_count);
    }
    ASSERT(config->nbd.connection_max >= 1 && config->nbd.connection_max <= 1000);
    ASSERT(config->claim_wait_s >= 1 && config->claim_wait_s <= 600);
    for (uint32_t i = 0; i < config->drive_count; i++) {
        ASSERT(strnlen(config->drives[i].path, PATH_MAX) < PATH_MAX);
        ASSERT(config->drives[i].controller < config->controller_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct daemon_config *config = NULL;
    char error[CONFIG_ERROR_BYTES];
    char path[64];
    int fd;

    if (size > 65536 || memmem(data, size, "@include", 8) != NULL) {
        return 0;
    }
    fd = memfd_create("config", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        abort();
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (daemon_config_read(path, &config, error) == 0) {
        config_check(config);
        free(config);
    } else {
        ASSERT(error[0] != '\0' && strnlen(error, sizeof error) < sizeof error);
    }
    close(fd);
    return 0;
}
