/*
 * What this program and the kernel's ublk driver say to each other: the part of Linux 6.5's
 * <linux/ublk_cmd.h> that is used here. Written down because older headers, Debian 12's among
 * them, know neither commands encoded as those of ioctl() nor the question for features.
 */
#ifndef ARRAYWRIGHT_EXPORT_UBLK_ABI_H
#define ARRAYWRIGHT_EXPORT_UBLK_ABI_H

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "base/assert.h"

#define UBLK_CONTROL_PATH "/dev/ublk-control"
#define UBLK_CHAR_PATH "/dev/ublkc%u"
#define UBLK_BLOCK_PATH "/dev/ublkb%u"

struct ublk_control_command {
    uint32_t device;
    uint16_t queue; /* UBLK_NO_QUEUE: about the device */
    uint16_t length_bytes;
    uint64_t address; /* of length_bytes, in or out */
    uint64_t data[2];
};

#define UBLK_NO_QUEUE UINT16_MAX
#define UBLK_ANY_DEVICE UINT32_MAX

#define UBLK_GET_DEV_INFO _IOR('u', 0x02, struct ublk_control_command)
#define UBLK_ADD_DEV _IOWR('u', 0x04, struct ublk_control_command)
#define UBLK_DEL_DEV _IOWR('u', 0x05, struct ublk_control_command)
#define UBLK_START_DEV _IOWR('u', 0x06, struct ublk_control_command)
#define UBLK_STOP_DEV _IOWR('u', 0x07, struct ublk_control_command)
#define UBLK_SET_PARAMS _IOWR('u', 0x08, struct ublk_control_command)
#define UBLK_GET_PARAMS _IOR('u', 0x09, struct ublk_control_command)
#define UBLK_START_USER_RECOVERY _IOWR('u', 0x10, struct ublk_control_command)
#define UBLK_END_USER_RECOVERY _IOWR('u', 0x11, struct ublk_control_command)
#define UBLK_GET_FEATURES _IOR('u', 0x13, struct ublk_control_command)

/* The device outlives its server; what the server had not answered is asked again. */
#define UBLK_F_USER_RECOVERY (UINT64_C(1) << 3)
#define UBLK_F_USER_RECOVERY_REISSUE (UINT64_C(1) << 4)
#define UBLK_F_CMD_IOCTL_ENCODE (UINT64_C(1) << 6)
#define UBLK_F_QUIESCE (UINT64_C(1) << 12) /* Linux 6.16 */

enum ublk_device_state { UBLK_DEVICE_DEAD, UBLK_DEVICE_LIVE, UBLK_DEVICE_QUIESCED };

struct ublk_device_info {
    uint16_t queue_count;
    uint16_t queue_depth;
    uint16_t state;
    uint16_t pad0;
    uint32_t request_max_bytes;
    uint32_t device;
    int32_t server_pid;
    uint32_t pad1;
    uint64_t flags;
    uint64_t server_flags; /* the kernel keeps them and does not look */
    uint32_t owner_uid;
    uint32_t owner_gid;
    uint64_t reserved[2];
};

#define UBLK_ATTR_READ_ONLY (1u << 0)
#define UBLK_ATTR_VOLATILE_CACHE (1u << 2)
#define UBLK_ATTR_FUA (1u << 3)
#define UBLK_PARAMS_BASIC (1u << 0)
#define UBLK_PARAMS_DISCARD (1u << 1)
#define UBLK_SECTOR_BYTES 512u

struct ublk_params {
    uint32_t length_bytes;
    uint32_t kinds;
    struct {
        uint32_t attributes;
        uint8_t logical_shift, physical_shift, optimal_shift, minimum_shift;
        uint32_t sectors_max;
        uint32_t chunk_sectors;
        uint64_t device_sectors;
        uint64_t boundary_mask;
    } basic;
    struct {
        uint32_t alignment_bytes;
        uint32_t granularity_bytes;
        uint32_t discard_sectors_max;
        uint32_t zeroes_sectors_max;
        uint16_t segments_max;
        uint16_t reserved;
    } discard;
};

/* Of each tag, in memory that the kernel writes and the server maps. */
struct ublk_descriptor {
    uint32_t op_flags; /* bits 0 to 7: the operation */
    uint32_t sector_count;
    uint64_t start_sector;
    uint64_t address;
};

#define UBLK_OP_READ 0u
#define UBLK_OP_WRITE 1u
#define UBLK_OP_FLUSH 2u
#define UBLK_OP_DISCARD 3u
#define UBLK_OP_WRITE_ZEROES 5u
#define UBLK_OP_FUA (1u << 13)

struct ublk_io_command {
    uint16_t queue;
    uint16_t tag;
    int32_t result; /* of the answer: bytes, or -errno */
    uint64_t address; /* of the memory for the next request's data */
};

#define UBLK_FETCH _IOWR('u', 0x20, struct ublk_io_command)
#define UBLK_COMMIT_AND_FETCH _IOWR('u', 0x21, struct ublk_io_command)

/* How a fetch ends: there is a request, or the queue is going away. */
#define UBLK_RESULT_REQUEST 0
#define UBLK_RESULT_ABORT (-ENODEV)

STATIC_ASSERT(sizeof(struct ublk_control_command) == 32, "as the kernel has it");
STATIC_ASSERT(sizeof(struct ublk_device_info) == 64, "as the kernel has it");
STATIC_ASSERT(sizeof(struct ublk_params) == 64, "as the kernel has it, but for its padding");
STATIC_ASSERT(sizeof(struct ublk_descriptor) == 24, "as the kernel has it");
STATIC_ASSERT(sizeof(struct ublk_io_command) == 16, "as the kernel has it");

#endif
