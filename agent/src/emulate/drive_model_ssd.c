/*
 * Flash: pages lie on channels by their address. A read ends when its slowest channel has it and
 * it has passed the drive's ceiling and the link. A write is answered when it has arrived and the
 * buffer has room for it, and lands behind what its channels have to do; with the write buffer
 * off it is answered when it has landed.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "emulate/drive_model_private.h"

void ssd_init(struct drive_model *model)
{
    model->ssd = (struct ssd_state){.read = {.bytes_per_s = model->timing.ssd.read_bytes_per_s},
                                    .write = {.bytes_per_s = model->timing.ssd.write_bytes_per_s}};
}

/* When the channels of these pages have all had `us` for each; and when the first one has. */
static uint64_t channels_work(struct drive_model *model, const struct drive_model_command *command,
                              uint64_t from_ns, uint32_t page_us, uint64_t *ret_first_ns)
{
    uint64_t first = command->offset_bytes / PAGE_BYTES;
    uint64_t last = (command->offset_bytes + command->length_bytes - 1) / PAGE_BYTES;
    uint64_t end_ns = from_ns;

    *ret_first_ns = UINT64_MAX;
    for (uint64_t page = first; page <= last; page++) {
        uint64_t *channel_ns = &model->ssd.channel_ns[page % model->timing.ssd.channels];

        *channel_ns = max_u64(*channel_ns, from_ns) + page_us * UINT64_C(1000);
        end_ns = max_u64(end_ns, *channel_ns);
        *ret_first_ns = min_u64(*ret_first_ns, *channel_ns);
    }
    return end_ns;
}

/* Pages stream out while others are still being read. */
static void ssd_read(struct drive_model *model, struct drive_model_command *command)
{
    uint64_t first_ns = 0;
    uint64_t end_ns =
        channels_work(model, command, command->ready_ns, model->timing.ssd.read_us, &first_ns);

    end_ns = max_u64(end_ns, rate_pipe_pass(&model->ssd.read, first_ns, command->length_bytes));
    model_medium_done(model, command, end_ns);
}

/* Does it go on where an earlier one ended? */
static bool goes_on(struct ssd_state *ssd, const struct drive_model_command *command)
{
    uint64_t end_bytes = command->offset_bytes + command->length_bytes;

    for (uint32_t i = 0; i < SSD_STREAMS; i++) {
        if (ssd->write_ends[i] == command->offset_bytes) {
            ssd->write_ends[i] = end_bytes;
            return true;
        }
    }
    ssd->write_ends[ssd->write_next] = end_bytes;
    ssd->write_next = (ssd->write_next + 1) % SSD_STREAMS;
    return false;
}

/* When all channels together have had their time for it. */
static uint64_t flash_write(struct drive_model *model, const struct drive_model_command *command,
                            uint64_t from_ns)
{
    uint64_t begin_ns = max_u64(from_ns, model->ssd.write.free_ns);
    uint64_t end_ns = rate_pipe_pass(&model->ssd.write, from_ns, command->length_bytes);

    if (model->timing.ssd.random_write_us != 0 && !goes_on(&model->ssd, command)) {
        end_ns = max_u64(end_ns, begin_ns + model->timing.ssd.random_write_us * UINT64_C(1000));
        model->ssd.write.free_ns = end_ns;
    }
    return end_ns;
}

static void ssd_write(struct drive_model *model, struct drive_model_command *command)
{
    uint64_t arrived_ns = model_transfer(model, command, command->ready_ns);
    uint64_t landed_ns = flash_write(model, command, arrived_ns);
    /* What the buffer takes is written in this time, so that a write waits for the rest only. */
    uint64_t room_ns = rate_ns(model->timing.buffer_bytes, model->timing.ssd.write_bytes_per_s);

    uint64_t first_ns = 0;

    landed_ns = max_u64(landed_ns, channels_work(model, command, arrived_ns,
                                                 model->timing.ssd.write_us, &first_ns));
    model->ssd.written_ns = max_u64(model->ssd.written_ns, landed_ns);
    if (!model->write_cache || model->timing.buffered_writes == 0) {
        model_done(model, command, landed_ns);
        return;
    }
    model_done(model, command, max_u64(arrived_ns, landed_ns > room_ns ? landed_ns - room_ns : 0));
}

void ssd_submit(struct drive_model *model, struct drive_model_command *command)
{
    switch (command->op) {
    case IO_OP_READ:
        ASSERT(command->length_bytes > 0);
        ssd_read(model, command);
        return;
    case IO_OP_WRITE:
        ASSERT(command->length_bytes > 0);
        ssd_write(model, command);
        return;
    case IO_OP_FLUSH:
        model_done(model, command, max_u64(command->ready_ns, model->ssd.written_ns));
        return;
    case IO_OP_MAX:
        break;
    }
    UNREACHABLE();
}
