/*
 * Tags of a ublk device and the requests they stand for; see ublk_device.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "export/ublk_private.h"

static void tag_fetch(struct tag *tag, uint32_t op, int32_t result)
{
    struct ublk_device *device = tag->device;
    const struct ublk_io_command command = {
        .tag = tag->number,
        .result = result,
        .address = (uint64_t)(uintptr_t)(device->queue.memory +
                                         (size_t)tag->number * device->info.request_max_bytes),
    };

    ASSERT(device->queue_is_open && tag->state != TAG_KERNEL);
    tag->state = TAG_KERNEL;
    device->at_kernel++;
    device->port->ops->fetch(device->port, &device->queue, op, &command);
}

static int32_t result_of(const struct vd_request *request, enum vd_status status)
{
    bool has_data = request->op == VD_OP_READ || request->op == VD_OP_WRITE;

    switch (status) {
    case VD_STATUS_OK:
        return has_data ? (int32_t)request->length_bytes : 0;
    case VD_STATUS_INVALID:
        return -EINVAL;
    case VD_STATUS_NO_SPACE:
        return -ENOSPC;
    case VD_STATUS_READ_ONLY:
        return -EPERM;
    case VD_STATUS_IO:
    case VD_STATUS_SHUTDOWN:
        return -EIO;
    case VD_STATUS_MAX:
        break;
    }
    UNREACHABLE();
}

static void vd_complete(struct vd_request *request, enum vd_status status)
{
    struct tag *tag = request->owner;
    struct ublk_device *device = tag->device;

    ASSERT(tag->state == TAG_TARGET && device->at_target > 0);
    device->at_target--;
    if (status == VD_STATUS_SHUTDOWN && device->leaving) {
        tag->state = TAG_HELD; /* (4) */
    } else {
        tag_fetch(tag, UBLK_COMMIT_AND_FETCH, result_of(request, status));
    }
    ublk_ending_check(device);
}

/* (3): what the descriptor asks for, or -errno. */
static int request_read(const struct ublk_device *device, uint16_t number, struct vd_request *ret)
{
    const volatile struct ublk_descriptor *shared = &device->queue.descriptors[number];
    uint32_t op_flags = shared->op_flags;
    uint64_t sectors = shared->sector_count;
    uint64_t start = shared->start_sector;
    uint64_t device_sectors = device->target->size_bytes / UBLK_SECTOR_BYTES;
    bool has_data = false;

    switch (op_flags & 0xffu) {
    case UBLK_OP_FLUSH:
        *ret = (struct vd_request){.op = VD_OP_FLUSH};
        return 0;
    case UBLK_OP_READ:
        *ret = (struct vd_request){.op = VD_OP_READ};
        has_data = true;
        break;
    case UBLK_OP_WRITE:
        *ret = (struct vd_request){.op = VD_OP_WRITE, .fua = (op_flags & UBLK_OP_FUA) != 0};
        has_data = true;
        break;
    case UBLK_OP_DISCARD:
        *ret = (struct vd_request){.op = VD_OP_TRIM};
        break;
    case UBLK_OP_WRITE_ZEROES:
        *ret = (struct vd_request){.op = VD_OP_WRITE_ZEROES, .fua = (op_flags & UBLK_OP_FUA) != 0};
        break;
    default:
        return -EOPNOTSUPP;
    }
    if (sectors == 0 || start > device_sectors || sectors > device_sectors - start ||
        sectors > (has_data ? device->info.request_max_bytes / UBLK_SECTOR_BYTES
                            : UBLK_TRIM_MAX_SECTORS)) {
        return -EINVAL;
    }
    ret->offset_bytes = start * UBLK_SECTOR_BYTES;
    ret->length_bytes = (uint32_t)(sectors * UBLK_SECTOR_BYTES);
    if (has_data) {
        ret->buffer = device->queue.memory + (size_t)number * device->info.request_max_bytes;
    }
    return 0;
}

static void request_submit(struct tag *tag)
{
    struct ublk_device *device = tag->device;
    int error = request_read(device, tag->number, &tag->vd);

    if (error != 0) {
        tag_fetch(tag, UBLK_COMMIT_AND_FETCH, error);
        return;
    }
    tag->vd.complete = vd_complete;
    tag->vd.owner = tag;
    list_init(&tag->vd.vd_link);
    tag->state = TAG_TARGET;
    device->at_target++;
    device->target->ops->submit(device->target, &tag->vd);
}

void ublk_fetched(struct ublk_queue *queue, uint16_t number, int result)
{
    struct ublk_device *device = container_of(queue, struct ublk_device, queue);
    struct tag *tag = &device->tags[number];

    ASSERT(number < device->info.queue_depth);
    ASSERT(tag->state == TAG_KERNEL && device->at_kernel > 0);
    device->at_kernel--;
    if (result != UBLK_RESULT_REQUEST) {
        tag->state = TAG_OURS; /* the queue is going away */
    } else if (device->leaving) {
        tag->state = TAG_HELD; /* (4) */
    } else {
        tag->state = TAG_OURS;
        request_submit(tag);
    }
    ublk_ending_check(device);
}

int ublk_queue_start(struct ublk_device *device)
{
    size_t bytes = (size_t)device->info.queue_depth * device->info.request_max_bytes;
    int error = 0;

    if (device->queue.memory == NULL) {
        device->queue.memory = aligned_alloc(4096, bytes);
    }
    if (device->queue.memory == NULL) {
        return -ENOMEM;
    }
    error = device->port->ops->queue_open(device->port, device->number, device->info.queue_depth,
                                          &device->queue);
    if (error != 0) {
        return error;
    }
    device->queue_is_open = true;
    for (uint16_t i = 0; i < device->info.queue_depth; i++) {
        tag_fetch(&device->tags[i], UBLK_FETCH, 0);
    }
    return 0;
}
