/* What all kinds of drives share: see drive_model.h. */
#include "emulate/drive_model.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "emulate/drive_model_private.h"

static bool timing_is_sound(const struct emulated_timing *timing, uint64_t size_bytes)
{
    switch (timing->kind) {
    case DRIVE_MODEL_SERIAL:
        return true;
    case DRIVE_MODEL_HDD:
        if (timing->hdd.rpm == 0 || timing->hdd.zone_count == 0 ||
            timing->hdd.zone_count > DRIVE_MODEL_ZONES_MAX ||
            timing->hdd.zones[0].from_percent != 0 ||
            timing->hdd.seek_full_us < timing->hdd.seek_track_us ||
            timing->hdd.read_segments > DRIVE_MODEL_SEGMENTS_MAX) {
            return false;
        }
        for (uint32_t i = 0; i < timing->hdd.zone_count; i++) {
            if (timing->hdd.zones[i].bytes_per_s == 0 || timing->hdd.zones[i].from_percent > 99 ||
                (i > 0 &&
                 timing->hdd.zones[i].from_percent <= timing->hdd.zones[i - 1].from_percent)) {
                return false;
            }
        }
        break;
    case DRIVE_MODEL_SSD:
        if (timing->ssd.channels == 0 || timing->ssd.channels > DRIVE_MODEL_CHANNELS_MAX) {
            return false;
        }
        break;
    }
    return timing->queue_depth >= 1 && timing->queue_depth <= DRIVE_MODEL_QUEUE &&
           timing->buffered_writes <= DRIVE_MODEL_WRITES_MAX && size_bytes > 0;
}

int drive_model_create(const struct emulated_timing *timing, uint64_t size_bytes,
                       struct drive_model **ret_model)
{
    struct drive_model *model = NULL;

    if (!timing_is_sound(timing, size_bytes)) {
        return -EINVAL;
    }
    model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return -ENOMEM;
    }
    model->timing = *timing;
    model->size_bytes = size_bytes;
    model->write_cache = true;
    model->link.bytes_per_s = timing->transfer_bytes_per_s;
    list_init(&model->done);
    list_init(&model->room);
    list_init(&model->flushes);
    if (timing->kind == DRIVE_MODEL_HDD) {
        hdd_init(model);
    } else if (timing->kind == DRIVE_MODEL_SSD) {
        ssd_init(model);
    }
    *ret_model = model;
    return 0;
}

struct drive_model *drive_model_free(struct drive_model *model)
{
    free(model);
    return NULL;
}

void drive_model_share_ways(struct drive_model *model, const struct shared_ways *ways)
{
    model->ways = *ways;
}

void drive_model_write_cache_set(struct drive_model *model, bool on)
{
    model->write_cache = on;
}

void model_done(struct drive_model *model, struct drive_model_command *command, uint64_t end_ns)
{
    struct list *place = &model->done;

    command->end_ns = end_ns;
    /* From the tail: most commands end after those that ended before. */
    for (struct list *node = model->done.prev; node != &model->done; node = node->prev) {
        if (list_entry(node, struct drive_model_command, link)->end_ns <= end_ns) {
            break;
        }
        place = node;
    }
    list_push_tail(place, &command->link);
}

void model_medium_done(struct drive_model *model, struct drive_model_command *command,
                       uint64_t medium_ns)
{
    command->link_to_come = true;
    model_done(model, command, medium_ns);
}

uint64_t model_transfer(struct drive_model *model, const struct drive_model_command *command,
                        uint64_t from_ns)
{
    const struct shared_ways *ways = &model->ways;
    uint64_t bytes = command->length_bytes;
    uint64_t end_ns = rate_pipe_pass(&model->link, from_ns, bytes);

    end_ns = max_u64(end_ns, rate_way_pass(ways->expander, from_ns, bytes));
    if (!command->is_background) {
        return end_ns;
    }
    if (command->op == IO_OP_WRITE) {
        return max_u64(end_ns, rate_way_pass(ways->background_write, from_ns, bytes));
    }
    end_ns = max_u64(end_ns, rate_way_pass(ways->background_read, from_ns, bytes));
    return max_u64(end_ns, rate_way_pass(ways->background_parity, from_ns, bytes));
}

void drive_model_submit(struct drive_model *model, struct drive_model_command *command,
                        uint64_t now_ns)
{
    ASSERT(command->op < IO_OP_MAX);
    ASSERT(command->offset_bytes + command->length_bytes <= model->size_bytes);
    list_init(&command->link);
    command->arrived_ns = now_ns;
    command->link_to_come = false;
    if (model->timing.kind == DRIVE_MODEL_HDD) {
        hdd_advance(model, now_ns);
    }
    model->electronics_ns =
        max_u64(model->electronics_ns, now_ns) + model->timing.overhead_us * UINT64_C(1000);
    command->ready_ns = model->electronics_ns;
    switch (model->timing.kind) {
    case DRIVE_MODEL_SERIAL:
        /* The next one is not looked at before this one has ended. */
        model->electronics_ns = model_transfer(model, command, command->ready_ns);
        model_done(model, command, model->electronics_ns);
        return;
    case DRIVE_MODEL_HDD:
        hdd_submit(model, command);
        hdd_advance(model, now_ns);
        return;
    case DRIVE_MODEL_SSD:
        ssd_submit(model, command);
        return;
    }
    UNREACHABLE();
}

/* What has come from the medium passes the link, on which it was while it was being read. */
static void link_pass(struct drive_model *model, struct drive_model_command *command)
{
    uint64_t alone_ns = rate_ns(command->length_bytes, model->link.bytes_per_s);
    uint64_t from_ns =
        max_u64(command->ready_ns, command->end_ns > alone_ns ? command->end_ns - alone_ns : 0);

    command->link_to_come = false;
    model_done(model, command, max_u64(command->end_ns, model_transfer(model, command, from_ns)));
}

struct drive_model_command *drive_model_pop(struct drive_model *model, uint64_t now_ns)
{
    if (model->timing.kind == DRIVE_MODEL_HDD) {
        hdd_advance(model, now_ns);
    }
    /* Each command passes the link once, so this ends. */
    while (!list_is_empty(&model->done)) {
        struct drive_model_command *command =
            list_entry(list_first(&model->done), struct drive_model_command, link);

        if (command->end_ns > now_ns) {
            return NULL;
        }
        list_remove(&command->link);
        if (!command->link_to_come) {
            return command;
        }
        link_pass(model, command);
    }
    return NULL;
}

uint64_t drive_model_next_ns(const struct drive_model *model)
{
    uint64_t next_ns = model->timing.kind == DRIVE_MODEL_HDD ? hdd_next_ns(model) : UINT64_MAX;

    if (!list_is_empty(&model->done)) {
        next_ns =
            min_u64(next_ns,
                    list_entry(list_first(&model->done), struct drive_model_command, link)->end_ns);
    }
    return next_ns;
}

void drive_model_reset(struct drive_model *model, uint64_t now_ns)
{
    list_init(&model->done);
    list_init(&model->room);
    list_init(&model->flushes);
    model->electronics_ns = now_ns;
    model->link.free_ns = now_ns;
    if (model->timing.kind == DRIVE_MODEL_HDD) {
        hdd_reset(model, now_ns);
    } else if (model->timing.kind == DRIVE_MODEL_SSD) {
        ssd_init(model);
    }
}
