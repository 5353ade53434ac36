/*
 * See emulated_drive.h. Life of a command:
 *
 *   submit ─► (waiting) ─► in model and backing ─► due ─► complete
 *                  └──────────── refused ──────────▲
 *
 * The bytes move at once, in the backing port; the answer is given when the model says that
 * the drive would have answered.
 *
 * (1) An origin request is in exactly one of: waiting, a taken emulated_io. That is in exactly one
 *     of: modelled (the model or the backing still has it), due.
 * (2) `due` is ordered by due_us; the timer is armed for its head or the model's next event,
 *     whichever is earlier, or not at all.
 * (3) While disconnected every answer is GONE, but never before the backing has let go of
 *     the buffer.
 */
#include "emulate/emulated_drive.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/pool.h"
#include "emulate/emulated_fault.h"

#define EMULATED_QUEUE 256u
#define SPIN_UP_US UINT64_C(6000000) /* 6 to 12 s are what controllers allow for */

struct emulated_drive {
    struct io_port port; /* what the drive layer sees */
    struct io_port *backing;
    struct clock_port *clock;
    struct drive_model *model;
    struct fault_table faults;
    struct pool pool;
    struct list waiting;  /* io_request.port_link: no emulated_io was free */
    struct list modelled; /* emulated_io.link */
    struct list due;      /* emulated_io.link */
    struct clock_timer timer;
    struct emulated_drive_counters counters;
    bool connected;
    bool spun_down;
    uint64_t ready_us; /* the motor has its speed: no answer comes before */
};

struct emulated_io {
    struct io_request backing;
    struct drive_model_command command;
    struct io_request *origin;
    struct emulated_drive *drive;
    struct list link;
    uint64_t due_us;
    enum io_status status;
    bool in_model, in_backing;
};

static uint64_t us_of_ns(uint64_t ns)
{
    return ns / 1000u + (ns % 1000u != 0 ? 1 : 0);
}

static void timer_follow(struct emulated_drive *drive)
{
    uint64_t next_ns = drive_model_next_ns(drive->model);
    uint64_t next_us = next_ns == UINT64_MAX ? UINT64_MAX : us_of_ns(next_ns);

    if (!list_is_empty(&drive->due)) {
        next_us =
            min_u64(next_us, list_entry(list_first(&drive->due), struct emulated_io, link)->due_us);
    }
    if (drive->timer.armed && drive->timer.deadline_us == next_us) {
        return;
    }
    clock_cancel(drive->clock, &drive->timer);
    if (next_us != UINT64_MAX) {
        clock_arm(drive->clock, &drive->timer, next_us);
    }
}

static void due_insert(struct emulated_drive *drive, struct emulated_io *io)
{
    struct list *place = &drive->due;
    struct list *node;

    /* From the tail: with one command after the other the last is nearly always right. */
    for (node = drive->due.prev; node != &drive->due; node = node->prev) {
        if (list_entry(node, struct emulated_io, link)->due_us <= io->due_us) {
            break;
        }
        place = node;
    }
    list_push_tail(place, &io->link);
}

/* Has both the model's and the backing's answer: it is due, but not before the model says. */
static void io_settle(struct emulated_io *io)
{
    struct emulated_drive *drive = io->drive;

    if (io->in_model || io->in_backing) {
        return;
    }
    list_remove(&io->link);
    due_insert(drive, io);
}

static void model_follow(struct emulated_drive *drive, uint64_t now_us)
{
    struct drive_model_command *command = NULL;
    uint64_t latency_us = fault_table_latency_us(&drive->faults);

    /* Bounded: what is in the model. */
    while ((command = drive_model_pop(drive->model, now_us * UINT64_C(1000))) != NULL) {
        struct emulated_io *io = container_of(command, struct emulated_io, command);

        io->in_model = false;
        io->due_us = max_u64(us_of_ns(command->end_ns) + latency_us, drive->ready_us);
        io_settle(io);
    }
}

static void backing_complete(struct io_request *request, enum io_status status)
{
    struct emulated_io *io = container_of(request, struct emulated_io, backing);
    struct emulated_drive *drive = io->drive;

    ASSERT(status < IO_STATUS_MAX);
    io->status = status;
    io->in_backing = false;
    if (status == IO_STATUS_OK && request->op == IO_OP_WRITE) {
        fault_table_rewritten(&drive->faults, request->offset_bytes, request->length_bytes);
    }
    io_settle(io);
    if (!io->in_model) {
        timer_follow(drive);
    }
}

static void count(struct emulated_drive *drive, const struct io_request *request)
{
    struct emulated_drive_counters *counters = &drive->counters;

    switch (request->op) {
    case IO_OP_READ:
        counters->reads++;
        counters->read_bytes += request->length_bytes;
        return;
    case IO_OP_WRITE:
        counters->writes++;
        counters->written_bytes += request->length_bytes;
        return;
    case IO_OP_FLUSH:
        counters->flushes++;
        return;
    case IO_OP_MAX:
        break;
    }
    UNREACHABLE();
}

static void io_start(struct emulated_drive *drive, struct emulated_io *io,
                     struct io_request *origin)
{
    *io = (struct emulated_io){.origin = origin, .drive = drive, .status = IO_STATUS_GONE};
    list_init(&io->link);
    if (!drive->connected) {
        io->due_us = clock_now_us(drive->clock);
        due_insert(drive, io);
        return;
    }
    emulated_drive_spin(drive, false);
    count(drive, origin);
    list_push_tail(&drive->modelled, &io->link);
    io->in_model = true;
    io->command = (struct drive_model_command){.op = origin->op,
                                               .offset_bytes = origin->offset_bytes,
                                               .length_bytes = origin->length_bytes,
                                               .is_background = origin->is_background};
    drive_model_submit(drive->model, &io->command, clock_now_us(drive->clock) * UINT64_C(1000));
    io->status = origin->op == IO_OP_FLUSH
                     ? IO_STATUS_OK
                     : fault_table_status(&drive->faults, origin->op, origin->offset_bytes,
                                          origin->length_bytes);
    if (io->status != IO_STATUS_OK) {
        return;
    }
    io->in_backing = true;
    io->backing = (struct io_request){
        .op = origin->op,
        .offset_bytes = origin->offset_bytes,
        .length_bytes = origin->length_bytes,
        .buffer = origin->buffer,
        .complete = backing_complete,
        .owner = io,
    };
    list_init(&io->backing.port_link);
    list_init(&io->backing.owner_link);
    io_port_submit(drive->backing, &io->backing);
}

static void emulated_submit(struct io_port *port, struct io_request *request)
{
    struct emulated_drive *drive = container_of(port, struct emulated_drive, port);
    struct emulated_io *io = pool_take(&drive->pool);

    ASSERT(request->complete != NULL);
    if (io == NULL) {
        list_init(&request->port_link);
        list_push_tail(&drive->waiting, &request->port_link);
        return;
    }
    io_start(drive, io, request);
    timer_follow(drive);
}

static void io_finish(struct emulated_drive *drive, struct emulated_io *io)
{
    struct io_request *origin = io->origin;
    enum io_status status = drive->connected ? io->status : IO_STATUS_GONE; /* (3) */
    struct list *next;

    list_remove(&io->link);
    pool_give(&drive->pool, io);
    next = list_pop_head(&drive->waiting);
    if (next != NULL) {
        io_start(drive, pool_take(&drive->pool), list_entry(next, struct io_request, port_link));
    }
    origin->complete(origin, status);
}

static void timer_fire(struct clock_timer *timer)
{
    struct emulated_drive *drive = timer->owner;
    uint64_t now_us = clock_now_us(drive->clock);

    model_follow(drive, now_us);
    /* Bounded: a completion may submit more, but they come by the model, which is asked again in
     * the next turn, or the drive is disconnected; those wait for it too. */
    for (uint32_t i = 0; i < EMULATED_QUEUE && !list_is_empty(&drive->due); i++) {
        struct emulated_io *io = list_entry(list_first(&drive->due), struct emulated_io, link);

        if (io->due_us > now_us) {
            break;
        }
        io_finish(drive, io);
    }
    timer_follow(drive);
}

static const struct io_port_ops emulated_ops = {.submit = emulated_submit};

int emulated_drive_create(struct io_port *backing, struct clock_port *clock,
                          const struct emulated_timing *timing, struct emulated_drive **ret_drive)
{
    struct emulated_drive *drive = calloc(1, sizeof(*drive));
    int error;

    if (drive == NULL) {
        return -ENOMEM;
    }
    error = drive_model_create(timing, backing->size_bytes, &drive->model);
    if (error == 0) {
        error = pool_init(&drive->pool, EMULATED_QUEUE, sizeof(struct emulated_io));
    }
    if (error != 0) {
        drive->model = drive_model_free(drive->model);
        free(drive);
        return error;
    }
    drive->port = *backing;
    drive->port.ops = &emulated_ops;
    drive->backing = backing;
    drive->clock = clock;
    drive->timer.fire = timer_fire;
    drive->timer.owner = drive;
    list_init(&drive->timer.port_link);
    list_init(&drive->waiting);
    list_init(&drive->modelled);
    list_init(&drive->due);
    drive->connected = true;
    *ret_drive = drive;
    return 0;
}

struct emulated_drive *emulated_drive_free(struct emulated_drive *drive)
{
    if (drive == NULL) {
        return NULL;
    }
    ASSERT(emulated_drive_is_idle(drive));
    clock_cancel(drive->clock, &drive->timer);
    drive->model = drive_model_free(drive->model);
    pool_done(&drive->pool);
    free(drive);
    return NULL;
}

struct io_port *emulated_drive_port(struct emulated_drive *drive)
{
    return &drive->port;
}

void emulated_drive_disconnect(struct emulated_drive *drive)
{
    uint64_t now_us = clock_now_us(drive->clock);

    drive->connected = false;
    /* Nothing is gained by waiting for a drive that is not there. */
    drive_model_reset(drive->model, now_us * UINT64_C(1000));
    LIST_FOR_EACH_SAFE (node, following, &drive->modelled) {
        struct emulated_io *io = list_entry(node, struct emulated_io, link);

        io->in_model = false;
        io->due_us = now_us;
        io_settle(io);
    }
    LIST_FOR_EACH (node, &drive->due) {
        list_entry(node, struct emulated_io, link)->due_us = now_us;
    }
    timer_follow(drive);
}

void emulated_drive_connect(struct emulated_drive *drive)
{
    drive->connected = true;
}

bool emulated_drive_is_connected(const struct emulated_drive *drive)
{
    return drive->connected;
}

int emulated_drive_fault_add(struct emulated_drive *drive, const struct emulated_fault *fault)
{
    return fault_table_add(&drive->faults, fault);
}

void emulated_drive_faults_clear(struct emulated_drive *drive)
{
    drive->faults.count = 0;
}

uint32_t emulated_drive_fault_count(const struct emulated_drive *drive)
{
    return drive->faults.count;
}

const struct emulated_fault *emulated_drive_fault(const struct emulated_drive *drive,
                                                  uint32_t index)
{
    ASSERT(index < drive->faults.count);
    return &drive->faults.faults[index];
}

bool emulated_drive_is_idle(const struct emulated_drive *drive)
{
    return pool_free_count(&drive->pool) == EMULATED_QUEUE && list_is_empty(&drive->waiting);
}

void emulated_drive_write_cache_set(struct emulated_drive *drive, bool on)
{
    drive_model_write_cache_set(drive->model, on);
}

void emulated_drive_spin(struct emulated_drive *drive, bool down)
{
    if (drive->spun_down && !down) {
        drive->ready_us = clock_now_us(drive->clock) + SPIN_UP_US;
    }
    drive->spun_down = down;
}

bool emulated_drive_is_spun_down(const struct emulated_drive *drive)
{
    return drive->spun_down;
}

void emulated_drive_share_ways(struct emulated_drive *drive, const struct shared_ways *ways)
{
    drive_model_share_ways(drive->model, ways);
}

const struct emulated_drive_counters *emulated_drive_counters(const struct emulated_drive *drive)
{
    return &drive->counters;
}
