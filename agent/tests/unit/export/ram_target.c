/*
 * The memory drive; see ram_target.h. It checks the contract of every request it gets.
 */
#include "ram_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

static void ram_submit(struct vd_target *target, struct vd_request *request)
{
    struct ram_target *ram = container_of(target, struct ram_target, target);

    ASSERT(request->op < VD_OP_MAX);
    ASSERT(request->complete != NULL);
    if (request->op == VD_OP_FLUSH) {
        ASSERT(request->length_bytes == 0);
    } else {
        ASSERT(request->length_bytes > 0);
        ASSERT(is_aligned_u64(request->offset_bytes, target->block_bytes));
        ASSERT(is_aligned_u64(request->length_bytes, target->block_bytes));
        ASSERT(request->length_bytes <= target->size_bytes);
        ASSERT(request->offset_bytes <= target->size_bytes - request->length_bytes);
    }
    if (request->op == VD_OP_READ || request->op == VD_OP_WRITE) {
        ASSERT(request->buffer != NULL);
    }
    if (request->op != VD_OP_READ && request->op != VD_OP_FLUSH) {
        ASSERT(!target->read_only);
    }
    list_push_tail(&ram->queue, &request->vd_link);
    ram->queued_count++;
    ram->op_counts[request->op]++;
    ram->fua_count += request->fua ? 1 : 0;
    if (ram->submitted != NULL) {
        ram->submitted(ram);
    }
}

static const struct vd_target_ops ram_ops = {.submit = ram_submit};

void ram_target_init(struct ram_target *ram, const char *name, uint64_t size_bytes,
                     uint32_t block_bytes, bool with_memory)
{
    *ram = (struct ram_target){
        .target = {.ops = &ram_ops,
                   .size_bytes = size_bytes,
                   .block_bytes = block_bytes,
                   .preferred_block_bytes = 4096,
                   .optimal_io_bytes = 65536},
    };
    (void)snprintf(ram->target.name, sizeof ram->target.name, "%s", name);
    (void)snprintf(ram->target.description, sizeof ram->target.description, "memory drive %.60s",
                   name);
    list_init(&ram->queue);
    if (with_memory) {
        ram->bytes = calloc(1, size_bytes);
        ASSERT(ram->bytes != NULL);
    }
}

static enum vd_status apply(struct ram_target *ram, const struct vd_request *request)
{
    if (ram->fail_count > 0) {
        ram->fail_count--;
        return ram->fail_status;
    }
    if (ram->bytes == NULL) {
        return VD_STATUS_OK;
    }
    switch (request->op) {
    case VD_OP_READ:
        memcpy(request->buffer, ram->bytes + request->offset_bytes, request->length_bytes);
        break;
    case VD_OP_WRITE:
        memcpy(ram->bytes + request->offset_bytes, request->buffer, request->length_bytes);
        break;
    case VD_OP_TRIM:
    case VD_OP_WRITE_ZEROES:
        memset(ram->bytes + request->offset_bytes, 0, request->length_bytes);
        break;
    case VD_OP_FLUSH:
    case VD_OP_MAX:
        break;
    }
    return VD_STATUS_OK;
}

static void keep(struct ram_target *ram, struct vd_request *request)
{
    uint8_t *other = NULL;

    if (!ram->keeps || (request->op != VD_OP_WRITE && request->op != VD_OP_READ)) {
        return;
    }
    ASSERT(request->lends && request->lender != NULL && ram->kept == NULL);
    ram->keeps = false;
    ram->kept_lender = request->lender;
    ram->kept = request->buffer;
    if (request->op == VD_OP_READ) { /* its answer is in other memory */
        other = aligned_alloc(4096, align_up_u64(request->length_bytes, 4096));
        ASSERT(other != NULL);
        memcpy(other, request->buffer, request->length_bytes);
    }
    request->buffer = other;
}

void ram_target_let_go(struct ram_target *ram)
{
    uint8_t *kept = ram->kept;

    ASSERT(kept != NULL);
    ram->kept = NULL;
    ram->kept_lender->give_back(ram->kept_lender, kept);
}

uint32_t ram_target_run(struct ram_target *ram)
{
    uint32_t count = ram->queued_count;

    for (uint32_t i = 0; i < count; i++) {
        struct vd_request *request =
            list_entry(list_pop_head(&ram->queue), struct vd_request, vd_link);
        ram->queued_count--;
        enum vd_status status = apply(ram, request);

        keep(ram, request);
        request->complete(request, status);
    }
    return count;
}

void ram_target_done(struct ram_target *ram)
{
    ASSERT(list_is_empty(&ram->queue));
    free(ram->bytes);
    ram->bytes = NULL;
}
