/*
 * Region maps between memory and the members (region_map.h): loads them at the start, brings
 * changed pages to every live member and flushes them, cleans regions that have come to rest.
 *
 *   a job: take changed pages -> write to all live members -> flush -> durable -> who waits goes on
 *
 * (1) A page counts only when every live member has it, flushed; a member that fails to take it
 *     is lost before that. So any member in sync can be believed after a stop.
 *     All members and not just enough of them to outlive the losses that the level bears: a map
 *     of fewer could be believed only after reading all others, and marks are set too seldom for
 *     that to pay (region_map.h). Everybody who waits shares the next job: one page and one flush.
 * (2) A page is written to the place that does not hold its predecessor.
 * (3) vd_config.map_ready says that all pages of this epoch are on all members. It is cleared,
 *     in the same save, when a member is replaced; until it is set again the dirty mark of the
 *     label stands for the whole virtual drive. No write goes past the map before that save is
 *     durable: a start that finds the record before would believe the map.
 * (4) When the virtual drive grows, a new map takes over what the old one says. No page of it goes
 *     to the members before the record is durable: a start that finds the record before needs the
 *     old pages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drive/drive_layout.h"
#include "vd/group_private.h"

#define JOB_PAGES 4u
#define LOAD_MEMBERS 2u

struct region_io {
    struct drive_io io;
    struct region_store *store;
    uint32_t member;
    uint32_t next;          /* page of the job to be written */
    bool busy;
    bool late;
    enum io_status status;
    uint8_t *kept;          /* of a late read: memory the device may still write to */
};

struct region_store {
    struct group *group;
    struct vd *vd;          /* NULL: removed, waits for late transfers */
    struct region_map map;
    bool known;             /* start: the members' maps have been read whole */
    uint64_t void_change;   /* that clears map_ready */

    bool job_running;
    bool job_refused;             /* by a last copy, which keeps its place */
    uint32_t job_pages;
    struct region_page pages[JOB_PAGES];
    uint32_t pending;       /* members under way */
    struct flush_waiter job_flush;

    bool cleaning;
    struct flush_waiter clean_flush;
    struct clock_timer tick;

    uint32_t load_member;
    uint32_t load_place;
    uint32_t load_count;    /* members read */

    uint32_t late;
    uint32_t io_count;
    uint8_t *buffer;        /* of the job's pages, or of a whole place while loading */
    struct region_io *ios[]; /* of each member */
};

static void tick_fired(struct clock_timer *timer);
static void load_next(struct group *group);

/* Life */

static size_t buffer_bytes(const struct region_store *store)
{
    return (size_t)max_u32(store->map.page_count, JOB_PAGES) * REGION_PAGE_BYTES;
}

static void store_dispose(struct region_store *store)
{
    for (uint32_t i = 0; i < store->io_count; i++) {
        free(store->ios[i]);
    }
    region_map_done(&store->map);
    free(store->buffer);
    free(store);
}

static bool io_make(struct region_store *store, uint32_t member)
{
    struct region_io *io = calloc(1, sizeof(*io));

    if (io != NULL) {
        io->store = store;
        io->member = member;
        store->ios[member] = io;
    }
    return io != NULL;
}

/* Looks are as far apart as an idle time (tick_arm). */
static void warm_set(struct region_store *store, const struct geometry *geometry)
{
    const struct group_options *options = &store->group->options;
    uint64_t bytes = store->map.rows_per_region * (uint64_t)geometry->strip_bytes /
                     geometry_rows_abreast(geometry);

    region_map_warm_set(&store->map,
                        (uint32_t)div_ceil_u64(options->dirty_warm_ms, options->dirty_idle_ms),
                        (uint32_t)min_u64(options->dirty_warm_bytes / bytes, store->map.count));
}

int region_store_create(struct vd *vd, struct region_store **ret_store)
{
    struct group *group = vd->group;
    const struct geometry *geometry = &vd_config_of(vd)->geometry;
    uint32_t count = group->config.member_count;
    struct region_store *store = calloc(1, sizeof(*store) + count * sizeof(store->ios[0]));
    int error = 0;

    if (store == NULL) {
        return -ENOMEM;
    }
    store->group = group;
    store->vd = vd;
    store->tick.fire = tick_fired;
    store->tick.owner = store;
    error = region_map_init(
        &store->map, geometry,
        group->options.region_bytes != 0
            ? group->options.region_bytes
            : region_bytes_for(geometry->extent_bytes,
                               drive_layout_region_pages_max(group->config.compact)));
    if (error == 0) {
        store->buffer = aligned_alloc(IO_ALIGN_BYTES, buffer_bytes(store));
        error = store->buffer == NULL ? -ENOMEM : 0;
    }
    while (error == 0 && store->io_count < count) {
        error = io_make(store, store->io_count) ? 0 : -ENOMEM;
        store->io_count += error == 0 ? 1 : 0;
    }
    if (error != 0) {
        store_dispose(store);
        return error;
    }
    warm_set(store, geometry);
    store->map.due = &group->regions_due;
    *ret_store = store;
    return 0;
}

struct region_store *region_store_free(struct region_store *store)
{
    if (store == NULL) {
        return NULL;
    }
    ASSERT(!store->job_running && !store->cleaning && store->pending == 0);
    clock_cancel(store->group->clock, &store->tick);
    store->vd = NULL;
    if (store->late == 0) {
        store_dispose(store);
    }
    return NULL;
}

void region_store_rest(struct region_store *store)
{
    if (store != NULL) {
        clock_cancel(store->group->clock, &store->tick);
    }
}

bool region_store_is_busy(const struct region_store *store)
{
    return store != NULL && (store->job_running || store->cleaning);
}

bool region_store_uses(const struct region_store *store, uint32_t member)
{
    return store != NULL && store->ios[member]->busy;
}

struct region_map *region_store_map(struct region_store *store)
{
    return store != NULL ? &store->map : NULL;
}

/* Transfers to one member */

static void io_answered(struct region_io *io);

/* The device may write to the memory of a read that it has not answered in time until it gives it
 * back: it stays with that read, and the store goes on with another. */
static void memory_leave(struct region_store *store, struct region_io *io)
{
    ASSERT(io->kept == NULL);
    io->kept = store->buffer;
    store->buffer = aligned_alloc(IO_ALIGN_BYTES, buffer_bytes(store));
    ASSERT(store->buffer != NULL); /* control path */
}

static void io_complete(struct drive_io *drive_io, enum io_status status)
{
    struct region_io *io = drive_io->owner;

    ASSERT(io->busy);
    io->status = status;
    if (status == IO_STATUS_TIMEOUT) {
        io->late = true;
        io->store->late++;
        io->store->group->late_flushes++;
        io_answered(io);
    }
}

static void io_released(struct drive_io *drive_io)
{
    struct region_io *io = drive_io->owner;
    struct region_store *store = io->store;
    struct group *group = store->group;

    io->busy = false;
    if (!io->late) {
        io_answered(io);
        return;
    }
    io->late = false;
    free(io->kept);
    io->kept = NULL;
    ASSERT(store->late > 0 && group->late_flushes > 0);
    if (store->ios[io->member] != io) {
        free(io); /* left with the drive */
    }
    store->late--;
    group->late_flushes--;
    if (store->late == 0 && store->vd == NULL) {
        store_dispose(store);
    }
    group_late_gone(group);
}

static void io_submit(struct region_io *io, enum io_op op, uint64_t offset_bytes,
                      uint32_t length_bytes, uint8_t *buffer)
{
    struct drive *drive = io->store->group->members[io->member].drive;

    ASSERT(!io->busy && drive != NULL);
    io->busy = true;
    io->io.op = op;
    io->io.class_ = IO_CLASS_FOREGROUND;
    io->io.offset_bytes = offset_bytes;
    io->io.length_bytes = length_bytes;
    io->io.buffer = buffer;
    io->io.complete = io_complete;
    io->io.released = io_released;
    io->io.owner = io;
    drive_submit(drive, &io->io);
}

static uint64_t page_offset(const struct region_io *io, uint32_t place, uint32_t page)
{
    const struct region_store *store = io->store;
    uint64_t size_bytes = drive_size_bytes(store->group->members[io->member].drive);
    uint32_t slot = vd_config_of(store->vd)->map_slot;

    ASSERT(slot >= 1 && slot <= REGION_MAP_SLOTS && page < REGION_MAP_PAGES_MAX);
    return drive_layout_region_page_offset(size_bytes, store->group->config.compact, slot - 1,
                                           place, page);
}

/* Jobs */

static void page_write(struct region_io *io)
{
    const struct region_page *page = &io->store->pages[io->next];

    io_submit(io, IO_OP_WRITE,
              page_offset(io, (uint32_t)(page->sequence % 2), page->page), /* (2) */
              REGION_PAGE_BYTES, io->store->buffer + io->next * REGION_PAGE_BYTES);
}

/* All pages are on all members: the map may be believed from the next save on (3). */
static void map_ready_check(struct region_store *store)
{
    struct vd_config *config = vd_config_of(store->vd);

    if (!config->map_ready && store->map.changed_pages == 0) {
        config->map_ready = true;
        (void)save_changed(store->group); /* nobody waits: until then the label's mark stands */
        vd_changed_tell(store->vd);
    }
}

static void job_flushed(struct flush_waiter *waiter, int error)
{
    struct region_store *store = container_of(waiter, struct region_store, job_flush);
    struct group *group = store->group;

    ASSERT(store->job_running);
    store->job_running = false;
    error = store->job_refused ? -EIO : error; /* written again when it is tried again */
    group->regions_due = true;                 /* for what has changed meanwhile */
    for (uint32_t i = 0; i < store->job_pages; i++) {
        if (error == 0) {
            vd_page_durable(store->vd, &store->pages[i]);
        } else {
            region_map_page_failed(&store->map, &store->pages[i]);
        }
    }
    if (error == 0) {
        map_ready_check(store);
    }
    stripe_marks_check(group);
}

static void job_member_done(struct region_store *store)
{
    ASSERT(store->pending > 0);
    store->pending--;
    if (store->pending == 0) {
        store->job_refused = store->job_refused && member_refusals_judge(store->group);
        store->job_flush.done = job_flushed;
        flush_wait(store->group, &store->job_flush);
    }
}

static void job_answered(struct region_io *io)
{
    struct region_store *store = io->store;
    struct group *group = store->group;

    group_enter(group);
    if (io->status != IO_STATUS_OK) {
        if (group->members[io->member].drive == io->io.drive &&
            member_refusal_note(group, io->member, io->status)) {
            store->job_refused = true; /* judged when all have answered */
        } else {
            member_lose_by_transfer(group, io->member, &io->io, io->status); /* (1) */
        }
        job_member_done(store);
    } else {
        group->members[io->member].written++;
        io->next++;
        if (io->next < store->job_pages && member_is_live(group, io->member)) {
            page_write(io);
        } else {
            job_member_done(store);
        }
    }
    group_leave(group);
}

/* The drive that has it is not the member's any more, the end of a copyback has been undone: the
 * transfer stays with it, and the member gets another. */
static void io_leave(struct region_store *store, uint32_t member)
{
    bool made = false;

    ASSERT(store->ios[member]->late);
    made = io_make(store, member);
    ASSERT(made); /* control path */
}

static void job_start(struct region_store *store)
{
    struct group *group = store->group;
    uint32_t page = region_map_changed_page(&store->map, 0);

    store->job_running = true;
    store->job_refused = false;
    store->job_pages = 0;
    while (page != REGION_NONE && store->job_pages < JOB_PAGES) {
        struct region_page *taken = &store->pages[store->job_pages];

        taken->vd = vd_config_of(store->vd)->guid;
        taken->epoch = vd_config_of(store->vd)->map_epoch;
        region_map_page_take(&store->map, page, taken);
        region_page_encode(taken, store->buffer + store->job_pages * REGION_PAGE_BYTES);
        store->job_pages++;
        page = region_map_changed_page(&store->map, page + 1);
    }
    store->pending = 1; /* of this call */
    for (uint32_t i = 0; i < group->config.member_count; i++) {
        if (!member_is_live(group, i)) {
            continue;
        }
        if (store->ios[i]->busy) {
            io_leave(store, i);
        }
        store->ios[i]->next = 0;
        store->pending++;
        page_write(store->ios[i]);
    }
    job_member_done(store);
}

void regions_pump(struct group *group)
{
    ASSERT(group->regions_running);
    group->regions_due = false;
    if (group_is_offline(group) || group->refusing || group->start_unflushed) {
        return;
    }
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        struct region_store *store = group->vds[i]->regions;

        if (store != NULL && group->vds[i]->serving && !group->vds[i]->growing &&
            store->map.changed_pages > 0 && !store->job_running) {
            job_start(store);
        }
    }
}

/* At the end of a turn: what has changed is being written by then (regions_pump), if there is
 * anybody left to have it. */
bool regions_are_settled(const struct group *group)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        const struct region_store *store = group->vds[i]->regions;

        if (region_store_is_busy(store)) {
            return false;
        }
        ASSERT(store == NULL || store->map.changed_pages == 0 || group_is_offline(group) ||
               group->refusing || group->start_unflushed);
    }
    return true;
}

/* Writes of requests */

/* While nothing but the marks tells which rows may describe a missing member wrongly after an
 * unclean stop (vd_note_suspects), they name no more than what is being written. */
static void tight_set(struct region_store *store)
{
    store->map.tight = vd_marks_are_suspects(store->vd);
}

static void tick_arm(struct region_store *store)
{
    struct group *group = store->group;

    if (!store->tick.armed && group->stop == STOP_NO) {
        clock_arm(group->clock, &store->tick,
                  clock_now_us(group->clock) + (uint64_t)group->options.dirty_idle_ms * 1000);
    }
}

uint32_t region_write_begin(struct region_store *store, uint64_t row)
{
    uint32_t index = REGION_NONE;

    if (store != NULL) {
        index = region_of_row(&store->map, row);
        tight_set(store);
        region_map_write_begin(&store->map, index);
        tick_arm(store);
    }
    return index;
}

bool region_may_write(const struct region_store *store, uint32_t index)
{
    if (store == NULL) {
        return true;
    }
    if (!vd_config_of(store->vd)->map_ready &&
        (save_is_durable(store->vd->group, store->void_change) || SIM_BUG(REGION_VOID_EARLY))) {
        return true; /* (3) */
    }
    return region_map_may_write(&store->map, index);
}

void region_doubt(struct region_store *store, uint32_t index)
{
    if (store != NULL) {
        region_map_doubt(&store->map, index);
    }
}

void region_write_end(struct region_store *store, uint32_t index)
{
    if (store != NULL) {
        region_map_write_end(&store->map, index);
    }
}

/* Cleaning */

static void clean_flushed(struct flush_waiter *waiter, int error)
{
    struct region_store *store = container_of(waiter, struct region_store, clean_flush);

    ASSERT(store->cleaning);
    store->cleaning = false;
    if (error == 0) {
        vd_regions_clean(store->vd);
    }
}

static void tick_fired(struct clock_timer *timer)
{
    struct region_store *store = timer->owner;
    struct group *group = store->group;

    if (group_is_offline(group) || group->stop != STOP_NO || store->map.dirty == 0) {
        return;
    }
    group_enter(group);
    tight_set(store);
    if (!store->cleaning && region_map_cleaning_begin(&store->map)) {
        store->cleaning = true;
        store->clean_flush.done = clean_flushed;
        if (SIM_BUG(REGION_CLEAN_UNFLUSHED)) {
            clean_flushed(&store->clean_flush, 0);
        } else {
            flush_wait(group, &store->clean_flush);
        }
    }
    tick_arm(store);
    group_leave(group);
}

/* Loading, one virtual drive and one member after the other */

static void pages_take(struct region_store *store)
{
    const struct vd_config *config = vd_config_of(store->vd);
    struct region_page page;

    for (uint32_t i = 0; i < store->map.page_count; i++) {
        if (region_page_decode(store->buffer + i * REGION_PAGE_BYTES, &page) == 0 &&
            guid_equal(&page.vd, &config->guid) && page.epoch == config->map_epoch &&
            page.page == i && page.sequence > store->map.pages[i].sequence &&
            !region_map_page_load(&store->map, &page)) {
            continue; /* of another shape: as if missing */
        }
    }
}

static void load_answered(struct region_io *io)
{
    struct region_store *store = io->store;
    struct group *group = store->group;

    group_enter(group);
    switch (io->status) {
    case IO_STATUS_OK:
        pages_take(store);
        break;
    case IO_STATUS_TIMEOUT:
        memory_leave(store, io);
        member_lose_by_status(group, io->member, IO_OP_READ, io->status);
        break;
    case IO_STATUS_GONE:
        member_lose_by_status(group, io->member, IO_OP_READ, io->status);
        break;
    case IO_STATUS_MEDIA:
    case IO_STATUS_NO_SPACE:
    case IO_STATUS_READ_ONLY:
    case IO_STATUS_ERROR:
        break; /* the other place, or another member */
    case IO_STATUS_MAX:
        UNREACHABLE();
    }
    store->load_place++;
    load_next(group);
    group_leave(group);
}

static void io_answered(struct region_io *io)
{
    if (io->store->group->loading != NULL) {
        load_answered(io);
    } else {
        job_answered(io);
    }
}

/* Reads the next place of a map. False: this virtual drive's is complete, or cannot be. */
static bool load_read(struct region_store *store)
{
    struct group *group = store->group;

    if (store->load_place == 2) {
        store->load_place = 0;
        store->load_member++;
        store->load_count++;
    }
    while (store->load_member < group->config.member_count &&
           (store->load_count < LOAD_MEMBERS || store->map.changed_pages > 0)) {
        struct region_io *io = store->ios[store->load_member];

        if (group->config.members[store->load_member].state == MEMBER_ONLINE) {
            io_submit(io, IO_OP_READ, page_offset(io, store->load_place, 0),
                      store->map.page_count * REGION_PAGE_BYTES, store->buffer);
            return true;
        }
        store->load_place = 0;
        store->load_member++;
    }
    return false;
}

static void load_next(struct group *group)
{
    void (*done)(struct group *) = group->loading;

    ASSERT(done != NULL);
    while (group->loading_vd < group->config.vd_count) {
        struct vd *vd = group->vds[group->loading_vd];
        bool wanted =
            vd->regions != NULL && vd_config_of(vd)->map_ready && !group_is_offline(group);

        if (wanted && load_read(vd->regions)) {
            return;
        }
        if (wanted) {
            vd->regions->known = vd->regions->map.changed_pages == 0;
        }
        group->loading_vd++;
    }
    group->loading = NULL;
    done(group);
}

void regions_load(struct group *group, void (*done)(struct group *group))
{
    ASSERT(group->loading == NULL && done != NULL && group->depth > 0);
    group->loading = done;
    group->loading_vd = 0;
    load_next(group);
}

/* The number of a map in the members' private areas; 0: none is free. */
static uint8_t slot_find(const struct group *group, const struct vd *vd)
{
    for (uint8_t slot = 1;; slot++) {
        bool used = false;

        ASSERT(slot <= REGION_MAP_SLOTS); /* GROUP_VDS_MAX */
        for (uint32_t i = 0; i < group->config.vd_count; i++) {
            used = used || (i != vd->index && group->config.vds[i].map_slot == slot);
        }
        if (!used) {
            return slot;
        }
    }
}

/* The caller sees to it that the next change is saved. */
static void map_void(struct region_store *store)
{
    vd_config_of(store->vd)->map_ready = false;
    store->void_change = store->group->change + 1;
}

void region_store_renew(struct vd *vd, bool unwritten)
{
    struct vd_config *config = vd_config_of(vd);

    STATIC_ASSERT(REGION_MAP_SLOTS >= GROUP_VDS_MAX, "a slot for every virtual drive");
    if (vd->regions == NULL) {
        return;
    }
    config->map_slot = config->map_slot != 0 ? config->map_slot : slot_find(vd->group, vd);
    config->map_epoch = vd->group->config.sequence + 1; /* grows with every save */
    map_void(vd->regions);
    region_map_reset(&vd->regions->map, unwritten);
}

int region_store_grow(struct vd *vd, struct region_store **ret_old)
{
    struct region_store *old = vd->regions;
    struct vd_config *config = vd_config_of(vd);
    int error = 0;

    *ret_old = old;
    if (old == NULL) {
        return 0;
    }
    ASSERT(!region_store_is_busy(old) && old->pending == 0);
    error = region_store_create(vd, &vd->regions);
    if (error != 0) {
        vd->regions = old;
        return error;
    }
    region_store_rest(old);
    config->map_epoch = vd->group->config.sequence + 1; /* grows with every save */
    map_void(vd->regions);
    region_map_take_over(&vd->regions->map, &old->map);
    return 0;
}

void region_store_wake(struct region_store *store)
{
    if (store != NULL && store->map.dirty > 0) {
        tick_arm(store);
    }
}

void regions_republish(struct group *group)
{
    for (uint32_t i = 0; i < group->config.vd_count; i++) {
        struct region_store *store = group->vds[i]->regions;

        if (store != NULL) {
            map_void(store);
            region_map_change_all(&store->map);
        }
    }
}

bool region_store_start(struct vd *vd, bool unclean)
{
    struct region_store *store = vd->regions;

    ASSERT(store != NULL);
    if (!store->known) {
        return false;
    }
    region_map_loaded(&store->map, unclean);
    return true;
}
