/*
 * A disk with heads. The mechanism takes, whenever it is free, the command with the shortest
 * access (seek, settling, rotation) out of those it holds. Reads come before what is in the write
 * buffer, unless writes wait for room in it or a flush for its end; what a flush waits for comes
 * before what came later, and what follows another in the buffer after that. A command that has
 * waited for AGE_REVOLUTIONS of the platter per command in the queue comes first, whatever it
 * costs.
 *
 * With nothing to do after a read the heads read on into the segment of that read; with nothing to
 * do later they go back to the segment of the newest reader of more than one command, if half of it
 * has been fetched. A read that continues a segment is followed by a quarter of a segment in any
 * case, so that two readers do not take the heads away from each other with every command; but
 * after half a segment in a row it is the turn of whoever waits elsewhere.
 */
#include "base/assert.h"
#include "base/checked.h"
#include "emulate/drive_model_private.h"

#define AGE_REVOLUTIONS 8u
#define NS_PER_S UINT64_C(1000000000)
/* An angle that has just passed was reached in time: end and begin are rounded differently. */
#define ANGLE_SLACK_NS 2000u
/* Commands as close as this are taken for the same reader's. */
#define NEAR_BYTES (UINT64_C(16) << 20)
#define SEGMENT_MAX_BYTES (UINT64_C(1) << 20)

/* Geometry */

static const struct zone_state *zone_of(const struct hdd_state *hdd, uint64_t offset_bytes)
{
    uint32_t zone = 0;

    while (zone + 1 < hdd->zone_count && hdd->zones[zone + 1].start_bytes <= offset_bytes) {
        zone++;
    }
    return &hdd->zones[zone];
}

static uint64_t media_ns(const struct hdd_state *hdd, uint64_t offset_bytes, uint64_t bytes)
{
    return rate_ns(bytes, zone_of(hdd, offset_bytes)->bytes_per_s);
}

static uint32_t angle_of(const struct hdd_state *hdd, uint64_t offset_bytes)
{
    const struct zone_state *zone = zone_of(hdd, offset_bytes);
    uint64_t bytes = offset_bytes - zone->start_bytes;
    /* Whole seconds apart: the product would not fit. */
    uint64_t ns = bytes / zone->bytes_per_s * NS_PER_S +
                  rate_ns(bytes % zone->bytes_per_s, zone->bytes_per_s) + hdd->spindle_ns;

    return (uint32_t)(ns % hdd->revolution_ns);
}

/* Of at most 2^32. */
static uint64_t square_root(uint64_t value)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 16; bit != 0; bit >>= 1) {
        if ((root | bit) * (root | bit) <= value) {
            root |= bit;
        }
    }
    return root;
}

void hdd_init(struct drive_model *model)
{
    const struct emulated_timing *timing = &model->timing;
    struct hdd_state *hdd = &model->hdd;
    uint64_t track_ns = timing->hdd.seek_track_us * UINT64_C(1000);
    uint64_t span_ns = (timing->hdd.seek_full_us - timing->hdd.seek_track_us) * UINT64_C(1000);

    hdd->revolution_ns = (uint32_t)(60u * NS_PER_S / timing->hdd.rpm);
    hdd->spindle_ns = hdd->revolution_ns / 1000 * (timing->hdd.spindle_permille % 1000);
    hdd->zone_count = timing->hdd.zone_count;
    hdd->track_bytes = timing->hdd.zones[0].bytes_per_s * 60u / timing->hdd.rpm;
    for (uint32_t i = 0; i < hdd->zone_count; i++) {
        hdd->zones[i].start_bytes = model->size_bytes / 100 * timing->hdd.zones[i].from_percent;
        hdd->zones[i].bytes_per_s = timing->hdd.zones[i].bytes_per_s;
    }
    for (uint64_t i = 0; i <= SEEK_STEPS; i++) {
        /* sqrt(i / steps), in units of 2^-16 */
        uint64_t root = square_root((i << 32) / SEEK_STEPS);

        hdd->seek_ns[i] = (uint32_t)(track_ns + (span_ns * root >> 16));
    }
    hdd->segment_count = timing->hdd.read_segments;
    if (hdd->segment_count > 0) {
        hdd->segment_bytes =
            min_u64(timing->buffer_bytes / 2 / hdd->segment_count, SEGMENT_MAX_BYTES);
    }
}

void hdd_reset(struct drive_model *model, uint64_t now_ns)
{
    struct hdd_state *hdd = &model->hdd;

    hdd->queue_count = 0;
    hdd->write_count = 0;
    hdd->write_bytes = 0;
    hdd->ahead = NULL;
    hdd->mechanism_ns = now_ns;
    for (uint32_t i = 0; i < hdd->segment_count; i++) {
        hdd->segments[i] = (struct segment){0};
    }
}

/* From the heads' place at `from_ns` until the first byte is under them. */
static uint64_t access_ns(const struct drive_model *model, uint64_t offset_bytes, uint32_t angle_ns,
                          bool is_write, uint64_t from_ns)
{
    const struct hdd_state *hdd = &model->hdd;
    uint64_t distance = offset_bytes > hdd->head_bytes ? offset_bytes - hdd->head_bytes
                                                       : hdd->head_bytes - offset_bytes;
    uint64_t seek_ns = 0;
    uint32_t here_ns = 0;
    uint32_t wait_ns = 0;

    if (distance == 0 && from_ns == hdd->mechanism_ns) {
        return 0; /* on it goes */
    }
    if (distance >= hdd->track_bytes) {
        seek_ns = hdd->seek_ns[distance * SEEK_STEPS / model->size_bytes];
    }
    if (is_write) {
        seek_ns += model->timing.hdd.write_settle_us * UINT64_C(1000);
    }
    here_ns = (uint32_t)((from_ns + seek_ns) % hdd->revolution_ns);
    wait_ns = angle_ns >= here_ns ? angle_ns - here_ns : angle_ns + hdd->revolution_ns - here_ns;
    if (wait_ns + ANGLE_SLACK_NS >= hdd->revolution_ns) {
        wait_ns = 0;
    }
    return seek_ns + wait_ns;
}

/* Read-ahead */

/* The heads have read on until now_ns, or until the segment was full. */
static void ahead_read(struct drive_model *model, uint64_t now_ns)
{
    struct hdd_state *hdd = &model->hdd;
    struct segment *segment = hdd->ahead;
    uint64_t limit_bytes = 0;
    uint64_t bytes = 0;
    uint64_t rate = 0;

    if (segment == NULL || now_ns <= hdd->mechanism_ns) {
        return;
    }
    rate = zone_of(hdd, hdd->head_bytes)->bytes_per_s;
    bytes = (uint64_t)((unsigned __int128)(now_ns - hdd->mechanism_ns) * rate / NS_PER_S);
    limit_bytes = min_u64(segment->taken_bytes + hdd->segment_bytes, model->size_bytes);
    if (hdd->head_bytes + bytes >= limit_bytes) {
        hdd->ahead = NULL; /* full: the heads stand still */
        bytes = limit_bytes > hdd->head_bytes ? limit_bytes - hdd->head_bytes : 0;
        hdd->mechanism_ns += rate_ns(bytes, rate);
    } else {
        hdd->mechanism_ns = now_ns;
    }
    hdd->head_bytes += bytes;
    segment->end_bytes = max_u64(segment->end_bytes, hdd->head_bytes);
    if (segment->end_bytes - segment->start_bytes > hdd->segment_bytes) {
        segment->start_bytes = segment->end_bytes - hdd->segment_bytes;
    }
}

/* They have nothing to do: to the segment of the newest reader of more than one command, if he has
 * fetched half of it, and if they are there before now_ns. */
static void ahead_resume(struct drive_model *model, uint64_t now_ns)
{
    struct hdd_state *hdd = &model->hdd;
    struct segment *newest = NULL;
    uint64_t from_ns = 0;
    uint64_t there_ns = 0;

    for (uint32_t i = 0; i < hdd->segment_count; i++) {
        struct segment *segment = &hdd->segments[i];

        if (segment->streams && (newest == NULL || segment->used > newest->used)) {
            newest = segment;
        }
    }
    if (newest == NULL || newest->end_bytes >= model->size_bytes ||
        newest->end_bytes > newest->taken_bytes + hdd->segment_bytes / 2 ||
        now_ns <= hdd->mechanism_ns) {
        return;
    }
    from_ns = max_u64(hdd->mechanism_ns, newest->taken_ns);
    there_ns = from_ns + access_ns(model, newest->end_bytes, angle_of(hdd, newest->end_bytes),
                                   false, from_ns);
    if (there_ns >= now_ns) {
        return;
    }
    hdd->mechanism_ns = there_ns;
    hdd->head_bytes = newest->end_bytes;
    hdd->ahead = newest;
}

static void ahead_follow(struct drive_model *model, uint64_t now_ns)
{
    ahead_read(model, now_ns);
    if (model->hdd.ahead == NULL) {
        ahead_resume(model, now_ns);
        ahead_read(model, now_ns);
    }
}

/* The segment that the read is in, or continues. */
static struct segment *segment_find(struct hdd_state *hdd, uint64_t offset_bytes)
{
    for (uint32_t i = 0; i < hdd->segment_count; i++) {
        struct segment *segment = &hdd->segments[i];

        if (segment->used != 0 && offset_bytes >= segment->start_bytes &&
            offset_bytes <= segment->end_bytes) {
            return segment;
        }
    }
    return NULL;
}

static struct segment *segment_take(struct hdd_state *hdd, uint64_t offset_bytes)
{
    struct segment *oldest = &hdd->segments[0];

    ASSERT(hdd->segment_count > 0);
    for (uint32_t i = 1; i < hdd->segment_count; i++) {
        if (hdd->segments[i].used < oldest->used) {
            oldest = &hdd->segments[i];
        }
    }
    if (hdd->ahead == oldest) {
        hdd->ahead = NULL;
    }
    *oldest = (struct segment){.start_bytes = offset_bytes, .end_bytes = offset_bytes};
    return oldest;
}

/* What lies in the buffer has been overwritten. */
static void segments_spoil(struct hdd_state *hdd, uint64_t offset_bytes, uint64_t bytes)
{
    for (uint32_t i = 0; i < hdd->segment_count; i++) {
        struct segment *segment = &hdd->segments[i];

        if (segment->used != 0 && offset_bytes < segment->end_bytes &&
            offset_bytes + bytes > segment->start_bytes) {
            if (hdd->ahead == segment) {
                hdd->ahead = NULL;
            }
            *segment = (struct segment){0};
        }
    }
}

static bool read_from_buffer(struct drive_model *model, struct drive_model_command *command,
                             uint64_t from_ns)
{
    struct hdd_state *hdd = &model->hdd;
    uint64_t end_bytes = command->offset_bytes + command->length_bytes;
    struct segment *segment = segment_find(hdd, command->offset_bytes);

    if (segment == NULL || end_bytes > segment->end_bytes) {
        return false;
    }
    segment->used = ++hdd->segment_uses;
    segment->taken_bytes = max_u64(segment->taken_bytes, end_bytes);
    segment->taken_ns = from_ns;
    segment->streams = true;
    model_done(model, command, model_transfer(model, command, max_u64(from_ns, command->ready_ns)));
    return true;
}

/* The mechanism */

static void queue_remove(struct hdd_state *hdd, uint32_t index)
{
    for (uint32_t i = index + 1; i < hdd->queue_count; i++) {
        hdd->queue[i - 1] = hdd->queue[i];
    }
    hdd->queue_count--;
}

static void read_start(struct drive_model *model, struct drive_model_command *command,
                       uint64_t from_ns)
{
    struct hdd_state *hdd = &model->hdd;
    uint64_t end_bytes = command->offset_bytes + command->length_bytes;
    struct segment *segment = segment_find(hdd, command->offset_bytes);
    bool continues = segment != NULL;
    uint64_t first_bytes = continues ? segment->end_bytes : command->offset_bytes;
    uint64_t begin_ns = 0;

    ASSERT(first_bytes < end_bytes);
    begin_ns = from_ns + access_ns(model, first_bytes, angle_of(hdd, first_bytes), false, from_ns);
    hdd->mechanism_ns = begin_ns + media_ns(hdd, first_bytes, end_bytes - first_bytes);
    hdd->head_bytes = end_bytes;
    hdd->ahead = NULL;
    hdd->streak_bytes = continues ? hdd->streak_bytes + command->length_bytes : 0;
    model_medium_done(model, command, max_u64(hdd->mechanism_ns, command->ready_ns));
    if (hdd->segment_count == 0) {
        return;
    }
    if (!continues) {
        segment = segment_take(hdd, command->offset_bytes);
    }
    segment->used = ++hdd->segment_uses;
    segment->end_bytes = end_bytes;
    segment->taken_bytes = end_bytes;
    segment->taken_ns = from_ns;
    segment->streams = continues;
    hdd->ahead = segment;
    if (continues) {
        uint64_t more_bytes = min_u64(hdd->segment_bytes / 4, model->size_bytes - end_bytes);

        ahead_read(model, hdd->mechanism_ns + media_ns(hdd, end_bytes, more_bytes));
    }
}

static void write_pass(struct drive_model *model, uint64_t offset_bytes, uint32_t length_bytes,
                       uint32_t angle_ns, uint64_t from_ns)
{
    struct hdd_state *hdd = &model->hdd;

    hdd->mechanism_ns = from_ns + access_ns(model, offset_bytes, angle_ns, true, from_ns) +
                        media_ns(hdd, offset_bytes, length_bytes);
    hdd->head_bytes = offset_bytes + length_bytes;
    hdd->ahead = NULL;
    hdd->streak_bytes = 0;
}

static void command_start(struct drive_model *model, uint32_t index, uint64_t from_ns)
{
    struct hdd_state *hdd = &model->hdd;
    struct drive_model_command *command = hdd->queue[index];
    uint64_t begin_ns = max_u64(from_ns, command->ready_ns);
    uint64_t arrived_ns = 0;

    queue_remove(hdd, index);
    if (command->op == IO_OP_READ) {
        /* What came into the buffer after the command did costs the heads nothing. */
        if (!read_from_buffer(model, command, from_ns)) {
            read_start(model, command, from_ns);
        }
        return;
    }
    /* The bytes come over while the heads move. */
    arrived_ns = model_transfer(model, command, begin_ns);
    write_pass(model, command->offset_bytes, command->length_bytes, command->angle_ns, begin_ns);
    hdd->mechanism_ns = max_u64(hdd->mechanism_ns, arrived_ns);
    model_done(model, command, hdd->mechanism_ns);
}

static bool write_fits(const struct drive_model *model, const struct drive_model_command *command)
{
    const struct hdd_state *hdd = &model->hdd;

    return hdd->write_count < model->timing.buffered_writes &&
           (hdd->write_count == 0 ||
            hdd->write_bytes + command->length_bytes <= model->timing.buffer_bytes / 2);
}

/* Notes which of the buffered ones the new one goes on from, and which goes on from it. */
static void write_join(struct hdd_state *hdd, struct buffered_write *added)
{
    for (uint32_t i = 0; i < hdd->write_count; i++) {
        struct buffered_write *write = &hdd->writes[i];

        if (write->offset_bytes + write->length_bytes == added->offset_bytes) {
            added->after = write->sequence;
        }
        if (write->offset_bytes == added->offset_bytes + added->length_bytes) {
            write->after = added->sequence;
        }
    }
}

static void write_part(struct hdd_state *hdd, uint64_t end_bytes, uint64_t sequence)
{
    for (uint32_t i = 0; i < hdd->write_count; i++) {
        if (hdd->writes[i].offset_bytes == end_bytes && hdd->writes[i].after == sequence) {
            hdd->writes[i].after = 0;
        }
    }
}

static void write_take(struct drive_model *model, struct drive_model_command *command,
                       uint64_t from_ns)
{
    struct hdd_state *hdd = &model->hdd;
    uint64_t end_ns = model_transfer(model, command, from_ns);
    struct buffered_write write = {.offset_bytes = command->offset_bytes,
                                   .length_bytes = command->length_bytes,
                                   .angle_ns = command->angle_ns,
                                   .ready_ns = end_ns,
                                   .sequence = ++hdd->write_sequence};

    write_join(hdd, &write);
    hdd->writes[hdd->write_count++] = write;
    hdd->write_bytes += command->length_bytes;
    model_done(model, command, end_ns);
}

static void room_give(struct drive_model *model, uint64_t now_ns)
{
    while (!list_is_empty(&model->room)) {
        struct drive_model_command *command =
            list_entry(list_first(&model->room), struct drive_model_command, link);

        if (!write_fits(model, command)) {
            return;
        }
        list_remove(&command->link);
        write_take(model, command, max_u64(now_ns, command->ready_ns));
    }
}

static void buffered_start(struct drive_model *model, uint32_t index, uint64_t from_ns)
{
    struct hdd_state *hdd = &model->hdd;
    struct buffered_write write = hdd->writes[index];

    hdd->writes[index] = hdd->writes[--hdd->write_count];
    hdd->write_bytes -= write.length_bytes;
    write_part(hdd, write.offset_bytes + write.length_bytes, write.sequence);
    write_pass(model, write.offset_bytes, write.length_bytes, write.angle_ns,
               max_u64(from_ns, write.ready_ns));
    room_give(model, from_ns);
}

/* A flush ends when nothing that was in the buffer when it came still is. */
static void flushes_end(struct drive_model *model)
{
    const struct hdd_state *hdd = &model->hdd;
    uint64_t oldest = UINT64_MAX;

    for (uint32_t i = 0; i < hdd->write_count; i++) {
        oldest = min_u64(oldest, hdd->writes[i].sequence);
    }
    while (!list_is_empty(&model->flushes)) {
        struct drive_model_command *command =
            list_entry(list_first(&model->flushes), struct drive_model_command, link);

        if (command->flush_sequence >= oldest) {
            return;
        }
        list_remove(&command->link);
        model_done(model, command, max_u64(command->ready_ns, hdd->mechanism_ns));
    }
}

/* Choosing */

struct choice {
    uint64_t cost_ns;
    uint32_t index;
    bool buffered;
};

static bool is_near(const struct hdd_state *hdd, uint64_t offset_bytes)
{
    return offset_bytes + NEAR_BYTES >= hdd->head_bytes &&
           offset_bytes <= hdd->head_bytes + NEAR_BYTES;
}

/* A read that goes on where the heads are, its first bytes being in the buffer. */
static bool continues_here(struct hdd_state *hdd, const struct drive_model_command *command)
{
    const struct segment *segment = NULL;

    if (command->op != IO_OP_READ || hdd->segment_count == 0 ||
        command->offset_bytes > hdd->head_bytes ||
        command->offset_bytes + hdd->segment_bytes < hdd->head_bytes) {
        return false;
    }
    segment = segment_find(hdd, command->offset_bytes);
    return segment != NULL && segment->end_bytes == hdd->head_bytes;
}

static void choose_queued(struct drive_model *model, uint64_t from_ns, struct choice *choice)
{
    struct hdd_state *hdd = &model->hdd;
    uint32_t count = min_u32(hdd->queue_count, model->timing.queue_depth);

    if (count > 0 && from_ns > hdd->queue[0]->arrived_ns + (uint64_t)AGE_REVOLUTIONS *
                                                               hdd->revolution_ns *
                                                               hdd->queue_count) {
        *choice = (struct choice){.cost_ns = 0, .index = 0};
        return;
    }
    if (hdd->streak_bytes > 0 && hdd->streak_bytes >= hdd->segment_bytes / 2) {
        for (uint32_t i = 0; i < count; i++) {
            if (!is_near(hdd, hdd->queue[i]->offset_bytes)) {
                *choice = (struct choice){.cost_ns = 0, .index = i};
                return;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct drive_model_command *command = hdd->queue[i];
        uint64_t wait_ns = command->ready_ns > from_ns ? command->ready_ns - from_ns : 0;
        uint64_t cost_ns = wait_ns;

        if (!continues_here(hdd, command)) {
            cost_ns += access_ns(model, command->offset_bytes, command->angle_ns,
                                 command->op == IO_OP_WRITE, from_ns);
        }
        if (cost_ns < choice->cost_ns) {
            *choice = (struct choice){.cost_ns = cost_ns, .index = i};
        }
    }
}

/* The newest write that the mechanism may take out of the buffer: what a flush waits for is not
 * kept waiting by what came after the flush. */
static uint64_t buffered_last(const struct drive_model *model)
{
    const struct list *oldest = list_first(&model->flushes);

    return oldest != NULL
               ? container_of(oldest, const struct drive_model_command, link)->flush_sequence
               : UINT64_MAX;
}

static void choose_buffered(const struct drive_model *model, uint64_t from_ns,
                            struct choice *choice)
{
    const struct hdd_state *hdd = &model->hdd;
    uint64_t last = buffered_last(model);

    for (uint32_t i = 0; i < hdd->write_count; i++) {
        const struct buffered_write *write = &hdd->writes[i];
        if (write->sequence > last || (write->after != 0 && write->after <= last)) {
            continue;
        }
        uint64_t wait_ns = write->ready_ns > from_ns ? write->ready_ns - from_ns : 0;
        uint64_t cost_ns =
            wait_ns + access_ns(model, write->offset_bytes, write->angle_ns, true, from_ns);

        if (cost_ns < choice->cost_ns) {
            *choice = (struct choice){.cost_ns = cost_ns, .index = i, .buffered = true};
        }
    }
}

/* Reads that the buffer has come to hold while they waited. */
static void queue_serve_hits(struct drive_model *model, uint64_t now_ns)
{
    struct hdd_state *hdd = &model->hdd;

    for (uint32_t i = 0; i < hdd->queue_count;) {
        struct drive_model_command *command = hdd->queue[i];

        /* Only the segment at the heads has grown. */
        if (command->op == IO_OP_READ && command->offset_bytes < hdd->head_bytes &&
            command->offset_bytes + hdd->segment_bytes >= hdd->head_bytes &&
            read_from_buffer(model, command, now_ns)) {
            queue_remove(hdd, i);
        } else {
            i++;
        }
    }
}

/* Starts the next thing at from_ns. False: there is nothing. */
static bool mechanism_start(struct drive_model *model, uint64_t from_ns)
{
    struct hdd_state *hdd = &model->hdd;
    struct choice choice = {.cost_ns = UINT64_MAX};

    ahead_follow(model, from_ns);
    if (hdd->segment_count > 0) {
        queue_serve_hits(model, from_ns);
    }
    choose_queued(model, from_ns, &choice);
    if (choice.cost_ns == UINT64_MAX || !list_is_empty(&model->room) ||
        !list_is_empty(&model->flushes)) {
        choose_buffered(model, from_ns, &choice);
    }
    if (choice.cost_ns == UINT64_MAX) {
        return false;
    }
    if (choice.buffered) {
        buffered_start(model, choice.index, from_ns);
    } else {
        command_start(model, choice.index, from_ns);
    }
    flushes_end(model);
    return true;
}

static uint64_t work_since_ns(const struct drive_model *model)
{
    const struct hdd_state *hdd = &model->hdd;
    uint64_t since_ns = UINT64_MAX;

    if (hdd->queue_count > 0) {
        since_ns = hdd->queue[0]->arrived_ns;
    }
    if (hdd->write_count > 0) {
        since_ns = min_u64(since_ns, hdd->writes[0].ready_ns);
    }
    return since_ns;
}

void hdd_advance(struct drive_model *model, uint64_t now_ns)
{
    struct hdd_state *hdd = &model->hdd;

    /* Each round starts a command, so it ends. */
    for (;;) {
        uint64_t since_ns = work_since_ns(model);
        uint64_t from_ns = max_u64(since_ns, hdd->mechanism_ns);

        if (since_ns == UINT64_MAX || from_ns > now_ns || !mechanism_start(model, from_ns)) {
            return;
        }
    }
}

uint64_t hdd_next_ns(const struct drive_model *model)
{
    uint64_t since_ns = work_since_ns(model);

    return since_ns == UINT64_MAX ? UINT64_MAX : max_u64(since_ns, model->hdd.mechanism_ns);
}

void hdd_submit(struct drive_model *model, struct drive_model_command *command)
{
    struct hdd_state *hdd = &model->hdd;

    if (command->op == IO_OP_FLUSH) {
        command->flush_sequence = hdd->write_sequence;
        list_push_tail(&model->flushes, &command->link);
        flushes_end(model);
        return;
    }
    ASSERT(command->length_bytes > 0);
    command->angle_ns = angle_of(hdd, command->offset_bytes);
    if (command->op == IO_OP_READ) {
        ahead_follow(model, command->arrived_ns);
        if (read_from_buffer(model, command, command->ready_ns)) {
            return;
        }
    } else {
        segments_spoil(hdd, command->offset_bytes, command->length_bytes);
        if (model->write_cache && model->timing.buffered_writes > 0) {
            list_push_tail(&model->room, &command->link);
            room_give(model, command->ready_ns);
            return;
        }
    }
    ASSERT(hdd->queue_count < DRIVE_MODEL_QUEUE);
    hdd->queue[hdd->queue_count++] = command;
}
