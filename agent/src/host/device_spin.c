/*
 * See device_spin.h.
 */
#include "host/device_spin.h"

#include <errno.h>
#include <fcntl.h>
#include <scsi/sg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define START_STOP_UNIT 0x1bu
#define START 0x01
#define SENSE_BYTES 32u
#define SENSE_KEY_ILLEGAL_REQUEST 5u
#define TIMEOUT_MS 60000u

void device_spin_command(bool down, uint8_t command[SPIN_COMMAND_BYTES])
{
    memset(command, 0, SPIN_COMMAND_BYTES);
    command[0] = START_STOP_UNIT;
    command[4] = (uint8_t)(down ? 0 : START); /* not IMMED: it answers when it has done so */
}

int device_spin_answer(uint8_t status, uint16_t host_status, const uint8_t *sense,
                       size_t sense_bytes)
{
    uint8_t format = sense_bytes > 0 ? sense[0] & 0x7fu : 0;
    uint8_t key = 0;

    if (status == 0 && host_status == 0) {
        return 0;
    }
    if ((format == 0x70u || format == 0x71u) && sense_bytes > 2) {
        key = sense[2] & 0x0fu;
    } else if ((format == 0x72u || format == 0x73u) && sense_bytes > 1) {
        key = sense[1] & 0x0fu;
    }
    return key == SENSE_KEY_ILLEGAL_REQUEST ? -ENOTSUP : -EIO;
}

int device_spin(const char *node, bool down)
{
    uint8_t command[SPIN_COMMAND_BYTES];
    uint8_t sense[SENSE_BYTES] = {0};
    struct sg_io_hdr request = {.interface_id = 'S',
                                .dxfer_direction = SG_DXFER_NONE,
                                .cmd_len = sizeof(command),
                                .cmdp = command,
                                .mx_sb_len = sizeof(sense),
                                .sbp = sense,
                                .timeout = TIMEOUT_MS};
    int fd = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* no writer: udev looks at nothing */
    int error = 0;

    if (fd < 0) {
        return -errno;
    }
    device_spin_command(down, command);
    if (ioctl(fd, SG_IO, &request) < 0) {
        error = errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP ? -ENOTSUP : -errno;
    } else {
        error = device_spin_answer(request.status, request.host_status, sense, request.sb_len_wr);
    }
    (void)close(fd);
    return error;
}
