/*
 * All devices of the host: configured, scanned, coming and going (drives.h).
 */
#include "daemon/drives.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "daemon/drive_paths.h"
#include "daemon/drives_private.h"
#include "daemon/log.h"

#define CLAIM_AGAIN_US UINT64_C(5000000)
/* How long drives without a number wait for a slow one before them, so that they get theirs in
 * their order. */
#define ORDER_US UINT64_C(5000000)

static void unused_note(const struct host_drive *drive)
{
    if (drive->info.unused_bytes != 0) {
        log_warning("%s: the last %u bytes are less than a block of %u bytes and stay unused",
                    drive->path, drive->info.unused_bytes, drive->info.logical_block_bytes);
    }
}

static void bay_fill(const struct device_bay *found, struct ctl_bay *bay)
{
    (void)snprintf(bay->enclosure_id, sizeof(bay->enclosure_id), "%s", found->enclosure_id);
    (void)snprintf(bay->model, sizeof(bay->model), "%.40s", found->model);
    bay->slot = found->slot;
    bay->slot_count = found->slot_count;
}

void drives_arrive(struct host_drive *drive)
{
    bool first = !drive->arrived;
    struct ctl_drive_arrival arrival = {
        .identity = &drive->identity,
        .device = drive,
        .size_bytes = drive->info.size_bytes,
        .block_bytes = drive->info.logical_block_bytes,
        .physical_block_bytes = drive->info.physical_block_bytes,
        .emulated = drive->emulated,
        .awaited = drive->awaited,
        .claimed_elsewhere = !drive->held && drive->claimed_elsewhere,
        .has_reason = !drive->held && drive->refusal.reason.code != REASON_OK,
        .reason = drive->refusal.reason};

    bay_fill(&drive->info.bay, &arrival.bay);
    /* The emulation comes up with its cache on. */
    arrival.write_cache = drive->identity.emulated ? DRIVE_WRITE_CACHE_ON : drive->info.write_cache;
    arrival.write_cache_settable = drive->identity.emulated || drive->info.write_cache_settable;
    if (drive->held) {
        arrival.port = drive->emulated != NULL ? emulated_drive_port(drive->emulated)
                                               : file_port_io(drive->port);
    }
    /* What is on a drive that is named twice belongs to its first name. */
    (void)snprintf(arrival.signature, sizeof(arrival.signature), "%s",
                   drive->held || drive->twin.code != REASON_OK ? "" : drive->info.signature);
    arrival.foreign = drive->foreign;
    drive->foreign = NULL;
    drive->arrived = true;
    if (first) {
        log_info("drive %s (%s %s): %s", drive->path, drive->identity.model, drive->identity.serial,
                 drive->held          ? "claimed"
                 : arrival.has_reason ? drive->refusal.text
                                      : "offered");
        unused_note(drive);
    }
    ctl_drive_arrived(host_drive_ctl(drive), &arrival);
}

/* The controller's port. */

static void port_claim(struct device_port *port UNUSED, struct device_claim *claim)
{
    host_drive_claim(claim->device, claim);
}

static void port_release(struct device_port *port UNUSED, void *device)
{
    host_drive_release(device);
}

static int port_replace(struct device_port *port UNUSED, void *device)
{
    return host_drive_replace(device);
}

static void port_write_cache_set(struct device_port *port UNUSED,
                                 struct device_cache_switch *request)
{
    host_drive_cache_set(request->device, request);
}

static void port_spin(struct device_port *port UNUSED, struct device_spin *request)
{
    host_drive_spin(request->device, request);
}

static const struct device_port_ops port_ops = {.claim = port_claim,
                                                .release = port_release,
                                                .replace = port_replace,
                                                .write_cache_set = port_write_cache_set,
                                                .spin = port_spin};

struct device_port *drives_port(struct drives *drives)
{
    return &drives->port;
}

/* Which devices are looked at. */

static bool matches(const struct config_list *patterns, const char *path)
{
    for (uint32_t i = 0; i < patterns->count; i++) {
        if (fnmatch(patterns->items[i], path, 0) == 0) {
            return true;
        }
    }
    return false;
}

static bool scan_wants(const struct drives *drives, const char *path)
{
    const struct config_scan *scan = &drives->config->scan;

    return scan->enabled && (scan->include.count == 0 || matches(&scan->include, path)) &&
           !matches(&scan->exclude, path);
}

/* Two names of one device. */
static bool is_same(const char *path, const char *other)
{
    struct stat a;
    struct stat b;

    if (strcmp(path, other) == 0) {
        return true;
    }
    if (stat(path, &a) != 0 || stat(other, &b) != 0) {
        return false;
    }
    return S_ISBLK(a.st_mode) ? S_ISBLK(b.st_mode) && a.st_rdev == b.st_rdev
                              : a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* The configuration may name it otherwise than the kernel (/dev/disk/by-id/…). */
static const struct config_drive *config_of(const struct drives *drives, const char *path)
{
    for (uint32_t i = 0; i < drives->config->drive_count; i++) {
        const struct config_drive *config = &drives->config->drives[i];

        if (!config->emulated && is_same(config->path, path)) {
            return config;
        }
    }
    return NULL;
}

static struct host_drive *drive_by_config(const struct drives *drives,
                                          const struct config_drive *config)
{
    LIST_FOR_EACH (node, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (!drive->left && drive->config == config) {
            return drive;
        }
    }
    return NULL;
}

static struct host_drive *drive_by_path(const struct drives *drives, const char *path)
{
    LIST_FOR_EACH (node, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (!drive->left && strcmp(drive->path, path) == 0) {
            return drive;
        }
    }
    return NULL;
}

/* As the kernel calls it, which may have taken the name back already. */
static struct host_drive *drive_by_name(const struct drives *drives, const char *name)
{
    LIST_FOR_EACH (node, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (!drive->left && drive->name[0] != '\0' && strcmp(drive->name, name) == 0) {
            return drive;
        }
    }
    return NULL;
}

/* The same device under another path (/dev/disk/by-id/…). */
static bool number_is_known(const struct drives *drives, dev_t number)
{
    LIST_FOR_EACH (node, &drives->all) {
        const struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (!drive->left && number != 0 && drive->number == number) {
            return true;
        }
    }
    return false;
}

/* Opening. */

/* Offers what is new; forgets what is not there any more. */
static void scan_apply(struct drives *drives)
{
    for (size_t i = 0; i < drives->scan.count; i++) {
        const struct device_info *info = &drives->scan.entries[i].info;
        struct host_drive *known = drive_by_path(drives, info->path);

        if (known != NULL) {
            host_drive_probe(known);
        } else if (!number_is_known(drives, info->number)) {
            drives_changed(drives, DEVICE_CHANGE_ADDED, info->path, NULL);
        }
    }
    LIST_FOR_EACH_SAFE (node, following, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);
        bool here = drive->config != NULL || drive->left;

        for (size_t i = 0; i < drives->scan.count && !here; i++) {
            here = strcmp(drives->scan.entries[i].info.path, drive->path) == 0;
        }
        if (!here) {
            host_drive_leave(drive);
        }
    }
}

static void scan_run(struct work *work)
{
    struct drives *drives = work->owner;

    drives->scan_error = device_scan_run(drives->config->scan.loop_devices, &drives->scan);
}

static void scan_start(struct drives *drives)
{
    if (drives->scanning) {
        drives->scan_again = true;
        return;
    }
    drives->scanning = true;
    work_submit(drives->pool, &drives->scan_work);
}

static void scan_done(struct work *work)
{
    struct drives *drives = work->owner;

    drives->scanning = false;
    if (drives->scan_error == 0) {
        if (!drives->stopping) {
            scan_apply(drives);
        }
        device_scan_free(&drives->scan);
    } else {
        log_warning("the host's devices could not be listed: %s; known drives are used",
                    strerror(-drives->scan_error));
    }
    if (drives->opening) {
        drives->opening = false;
        drives_look_over(drives, 0);
    }
    if (drives->scan_again && !drives->stopping) {
        drives->scan_again = false;
        scan_start(drives);
    }
}

static void looks_end(struct clock_timer *timer);
static void order_ends(struct clock_timer *timer);
static void claims_again(struct clock_timer *timer);

int drives_create(const struct daemon_config *config, struct loop *loop, struct work_pool *pool,
                  struct drives **ret_drives)
{
    struct drives *drives = calloc(1, sizeof(*drives));

    if (drives == NULL) {
        return -ENOMEM;
    }
    drives->config = config;
    drives->loop = loop;
    drives->pool = pool;
    drives->port.ops = &port_ops;
    drives->patience_us = clock_now_us(loop_clock(loop)) + config->claim_wait_s * UINT64_C(1000000);
    list_init(&drives->all);
    drives->look_timer = (struct clock_timer){.fire = looks_end, .owner = drives};
    list_init(&drives->look_timer.port_link);
    drives->again_timer = (struct clock_timer){.fire = claims_again, .owner = drives};
    list_init(&drives->again_timer.port_link);
    drives->order_timer = (struct clock_timer){.fire = order_ends, .owner = drives};
    list_init(&drives->order_timer.port_link);
    work_init(&drives->scan_work, scan_run, scan_done, work_pool_new_key(pool), drives);
    if (drive_paths_create(drives, &drives->paths) != 0) {
        free(drives);
        return -ENOMEM;
    }
    *ret_drives = drives;
    return 0;
}

void drives_ctl_set(struct drives *drives, uint32_t controller, struct ctl *ctl)
{
    ASSERT(controller < CONFIG_CONTROLLERS_MAX);
    drives->ctls[controller] = ctl;
}

/* The start: which drives there are is told to the controllers as it becomes known. */

void drives_look_over(struct drives *drives, uint32_t controller)
{
    ASSERT(drives->looks[controller] > 0);
    drives->looks[controller]--;
    if (drives->looks[controller] == 0 && !drives->stopping && drives->ctls[controller] != NULL) {
        ctl_drives_looking(drives->ctls[controller], false);
    }
}

/* Its work writes what would be told; whoever ends that, or arms the timer, tells. */
static bool is_at_work(const struct host_drive *drive)
{
    return drive->busy != HOST_DRIVE_IDLE && !drive->claim_timer.armed;
}

void drives_tell(struct drives *drives)
{
    struct clock_port *clock = loop_clock(drives->loop);
    bool in_order = clock_now_us(clock) < drives->order_until_us;
    bool behind = false; /* one that is not ready */

    if (drives->stopping) {
        return;
    }
    LIST_FOR_EACH_SAFE (node, following, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (!drive->first_look) {
            continue;
        }
        if (!drive->ready || is_at_work(drive)) {
            behind = true;
        } else if (!behind || !in_order ||
                   ctl_drive_is_numbered(host_drive_ctl(drive), drive->identity.key)) {
            host_drive_tell(drive);
        }
    }
}

static void order_ends(struct clock_timer *timer)
{
    drives_tell(timer->owner);
}

/* A device that does not even answer when it is opened keeps nobody longer than a claimed one. */
static void looks_end(struct clock_timer *timer)
{
    struct drives *drives = timer->owner;

    for (uint32_t i = 0; i < CONFIG_CONTROLLERS_MAX; i++) {
        if (drives->looks[i] > 0 && drives->ctls[i] != NULL) {
            log_warning("controller %u starts without %u drives: they have not answered within "
                        "%u s",
                        i, drives->looks[i], drives->config->claim_wait_s);
            ctl_drives_looking(drives->ctls[i], false);
        }
    }
}

static bool config_is_in_use(const struct drives *drives, const struct config_drive *config)
{
    LIST_FOR_EACH (node, &drives->all) {
        if (list_entry(node, const struct host_drive, link)->config == config) {
            return true; /* one that has left still closes */
        }
    }
    return false;
}

/* Configured drives whose device has left: the kernel may not tell when it is back. */
static void departed_again(struct drives *drives)
{
    for (uint32_t i = 0; i < drives->config->drive_count; i++) {
        const struct config_drive *config = &drives->config->drives[i];

        if (!config_is_in_use(drives, config)) {
            host_drive_probe(host_drive_new(drives, config->path, config));
        }
    }
}

/* What was missing, empty, read-only or claimed by another process may be there and free by now. */
static void claims_again(struct clock_timer *timer)
{
    struct drives *drives = timer->owner;
    struct clock_port *clock = loop_clock(drives->loop);

    LIST_FOR_EACH_SAFE (node, following, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);

        if (host_drive_waits(drive)) {
            host_drive_probe(drive);
        }
    }
    departed_again(drives);
    drive_paths_look(drives->paths);
    clock_arm(clock, timer, clock_now_us(clock) + CLAIM_AGAIN_US);
}

void drives_open(struct drives *drives)
{
    struct clock_port *clock = loop_clock(drives->loop);

    for (uint32_t i = 0; i < CONFIG_CONTROLLERS_MAX; i++) {
        if (drives->ctls[i] != NULL) {
            drives->looks[i] = 1; /* until all of them are on the list */
            ctl_drives_looking(drives->ctls[i], true);
        }
    }
    drives->opening = true;
    drives->order_until_us = clock_now_us(clock) + ORDER_US;
    clock_arm(clock, &drives->order_timer, drives->order_until_us);
    for (uint32_t i = 0; i < drives->config->drive_count; i++) {
        const struct config_drive *config = &drives->config->drives[i];

        host_drive_probe(host_drive_new(drives, config->path, config));
    }
    if (drives->config->scan.enabled) {
        drives->looks[0]++;
        scan_start(drives);
    } else {
        drives->opening = false;
    }
    for (uint32_t i = 0; i < CONFIG_CONTROLLERS_MAX; i++) {
        if (drives->ctls[i] != NULL) {
            drives_look_over(drives, i);
        }
    }
    clock_arm(clock, &drives->look_timer,
              clock_now_us(clock) + drives->config->claim_wait_s * UINT64_C(1000000));
    clock_arm(clock, &drives->again_timer, clock_now_us(clock) + CLAIM_AGAIN_US);
}

/* Hot-plug. */

/* NULL: nobody wants it. */
static struct host_drive *drive_new_at(struct drives *drives, const char *path)
{
    const struct config_drive *config = config_of(drives, path);
    struct host_drive *known = config != NULL ? drive_by_config(drives, config) : NULL;

    if (known != NULL || (config == NULL && !scan_wants(drives, path))) {
        return known;
    }
    return host_drive_new(drives, config != NULL ? config->path : path, config);
}

void drives_changed(void *owner, enum device_change change, const char *path, const char *name)
{
    struct drives *drives = owner;
    struct host_drive *drive = path != NULL ? drive_by_path(drives, path) : NULL;

    if (drive == NULL && name != NULL) {
        drive = drive_by_name(drives, name);
    }
    switch (change) {
    case DEVICE_CHANGE_ADDED:
    case DEVICE_CHANGE_CHANGED:
        if (drive == NULL) {
            drive = drive_new_at(drives, path);
        }
        if (drive != NULL) {
            host_drive_probe(drive);
        }
        return;
    case DEVICE_CHANGE_REMOVED:
        if (drive != NULL) {
            log_info("drive %s has left", drive->path);
            host_drive_leave(drive);
        }
        return;
    case DEVICE_CHANGE_OVERRUN:
        scan_start(drives);
        return;
    case DEVICE_CHANGE_MAX:
        break;
    }
    UNREACHABLE();
}

void drives_watch(struct drives *drives)
{
    int error = device_monitor_open(drives->loop, drives->config->scan.loop_devices, drives_changed,
                                    drives, &drives->monitor);

    if (error != 0) {
        log_warning("hot-plug is off: devices cannot be watched: %s", strerror(-error));
        return;
    }
    /* What came between the first scan and now. */
    if (drives->config->scan.enabled) {
        scan_start(drives);
    }
}

void drives_stop(struct drives *drives)
{
    struct clock_port *clock = loop_clock(drives->loop);

    drives->stopping = true;
    drives->monitor = device_monitor_close(drives->monitor);
    clock_cancel(clock, &drives->look_timer);
    clock_cancel(clock, &drives->order_timer);
    clock_cancel(clock, &drives->again_timer);
    LIST_FOR_EACH_SAFE (node, following, &drives->all) {
        host_drive_claim_end(list_entry(node, struct host_drive, link));
    }
}

struct drives *drives_free(struct drives *drives)
{
    if (drives == NULL) {
        return NULL;
    }
    ASSERT(!drives->scanning);
    drives->paths = drive_paths_free(drives->paths);
    LIST_FOR_EACH_SAFE (node, following, &drives->all) {
        struct host_drive *drive = list_entry(node, struct host_drive, link);
        bool quiet = (drive->emulated == NULL || emulated_drive_is_idle(drive->emulated)) &&
                     (drive->port == NULL || file_port_outstanding(drive->port) == 0);

        if (!quiet) {
            continue; /* a transfer that never came back may still be answered */
        }
        drive->emulated = emulated_drive_free(drive->emulated);
        drive->port = file_port_close(drive->port);
        host_drive_free(drive);
    }
    free(drives);
    return NULL;
}
