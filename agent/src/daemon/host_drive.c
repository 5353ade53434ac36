/*
 * One device: probing, claiming, closing (drives.h tells its life).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assert.h"
#include "base/crc.h"
#include "daemon/drive_identity.h"
#include "daemon/drives_private.h"
#include "daemon/log.h"
#include "drive/drive_layout.h"
#include "host/device_cache.h"
#include "host/device_spin.h"
#include "host/loop_timers.h"

#define CLOSE_RETRY_US 10000u
/* A claim that takes longer than this deserves a word in the log and an event. */
#define CLAIM_WAIT_NOTED_US (5u * 1000u * 1000u)
#define CLAIM_RETRY_US 10000u
/* A predecessor's ends soon; another program's may last. */
#define CLAIM_RETRY_SLOW_AFTER_US (1000u * 1000u)
#define CLAIM_RETRY_SLOW_US 100000u

static void work_run(struct work *work);
static void work_done(struct work *work);
static void close_retry(struct clock_timer *timer);
static void claim_retry(struct clock_timer *timer);

struct host_drive *host_drive_new(struct drives *drives, const char *path,
                                  const struct config_drive *config)
{
    struct host_drive *drive = calloc(1, sizeof(*drive));
    struct stat status;

    ASSERT(drive != NULL);
    ASSERT(strlen(path) < sizeof(drive->path));
    if (stat(path, &status) == 0) { /* before the first work tells: others may ask earlier */
        drive->number = S_ISBLK(status.st_mode) ? status.st_rdev : 0;
        drive->file_device = status.st_dev;
        drive->file_number = S_ISREG(status.st_mode) ? status.st_ino : 0;
    }
    drive->drives = drives;
    drive->config = config;
    drive->claimed.fd = -1;
    (void)snprintf(drive->path, sizeof(drive->path), "%s", path);
    work_init(&drive->work, work_run, work_done, work_pool_new_key(drives->pool), drive);
    drive->close_timer = (struct clock_timer){.fire = close_retry, .owner = drive};
    list_init(&drive->close_timer.port_link);
    drive->claim_timer = (struct clock_timer){.fire = claim_retry, .owner = drive};
    list_init(&drive->claim_timer.port_link);
    if (drives->opening) {
        drive->first_look = true;
        drives->looks[host_drive_controller(drive)]++;
    }
    list_init(&drive->link);
    list_push_tail(&drives->all, &drive->link);
    return drive;
}

void host_drive_free(struct host_drive *drive)
{
    ASSERT(drive->busy == HOST_DRIVE_IDLE);
    ASSERT(drive->port == NULL && drive->emulated == NULL);
    clock_cancel(loop_clock(drive->drives->loop), &drive->close_timer);
    clock_cancel(loop_clock(drive->drives->loop), &drive->claim_timer);
    device_claim_close(&drive->claimed);
    drive->foreign = foreign_drive_free(drive->foreign);
    list_remove(&drive->link);
    free(drive);
}

/* Two names of one device. */
static bool is_same_device(const struct host_drive *drive, const struct host_drive *other)
{
    return (drive->number != 0 && drive->number == other->number) ||
           (drive->file_number != 0 && drive->file_number == other->file_number &&
            drive->file_device == other->file_device);
}

/* The name that comes first in the configuration is the drive's; the others are not opened. */
static void twin_find(struct host_drive *drive)
{
    reason_set(&drive->twin, REASON_OK, NULL);
    LIST_FOR_EACH (node, &drive->drives->all) {
        const struct host_drive *other = list_entry(node, const struct host_drive, link);

        if (other == drive) {
            return;
        }
        /* The drive that it replaces had the same file. */
        if (!other->left && other != drive->replaces && is_same_device(drive, other)) {
            reason_set(&drive->twin, REASON_DRIVE_UNSUITABLE_SAME, "device", drive->path, "other",
                       other->path, NULL);
            return;
        }
    }
}

/* False: it is no twin. */
static bool twin_refuse(struct host_drive *drive)
{
    if (drive->twin.code == REASON_OK) {
        return false;
    }
    drive->refusal = (struct device_refusal){.reason = drive->twin, .error = -EBUSY};
    (void)reason_text(&drive->twin, drive->refusal.text, sizeof(drive->refusal.text));
    return true;
}

static bool is_emulated(const struct host_drive *drive)
{
    return drive->config != NULL && drive->config->emulated;
}

/* Claiming; may block. */

static void refusal_from_error(struct host_drive *drive)
{
    if (drive->refusal.text[0] == '\0') {
        (void)snprintf(drive->refusal.text, sizeof(drive->refusal.text), "%s", drive->text);
    }
}

static void claim_open(struct host_drive *drive, bool force)
{
    struct device_claim_options options = {.force = force, .size_min_bytes = DRIVE_SIZE_MIN_BYTES};

    if (twin_refuse(drive)) {
        drive->error = drive->refusal.error;
        return;
    }
    drive->refusal = (struct device_refusal){.error = 0};
    drive->error = device_claim_open(drive->path, &options, &drive->claimed, &drive->refusal);
    if (drive->error == 0) {
        drive->info = drive->claimed.info;
    }
}

/* Somebody was faster: it is still worth showing, with the reason. */
static void claim_configured(struct host_drive *drive, bool force)
{
    struct device_info info = drive->info;

    claim_open(drive, force);
    if (drive->error != 0) {
        drive->info = info;
        drive->error = 0;
    }
}

static void emulated_open(struct host_drive *drive)
{
    const struct config_drive *config = drive->config;

    drive->error = emulated_file_open(drive->path, config->size_bytes, drive->serial, drive->text,
                                      sizeof(drive->text));
    if (drive->error == 0) {
        drive->refusal = (struct device_refusal){.error = 0};
        drive->error = device_probe(drive->path, &drive->info, &drive->refusal);
    }
    if (drive->error == 0) {
        claim_configured(drive, true); /* a file that was made for this: what it holds is ours */
    }
    refusal_from_error(drive);
}

/* Fills info and refusal; a configured device is claimed as well if nothing speaks against. */
static void probe_run(struct host_drive *drive)
{
    struct device_claim_options options = {.size_min_bytes = DRIVE_SIZE_MIN_BYTES};

    if (drive->claim_again) {
        claim_configured(drive, is_emulated(drive));
        return;
    }
    if (is_emulated(drive)) {
        emulated_open(drive);
        return;
    }
    drive->refusal = (struct device_refusal){.error = 0};
    drive->error = device_probe(drive->path, &drive->info, &drive->refusal);
    if (drive->error != 0) {
        return;
    }
    drive->foreign = foreign_drive_free(drive->foreign);
    if (twin_refuse(drive)) {
        return;
    }
    device_judge(&drive->info, &options, &drive->refusal);
    drive->claimed_elsewhere = device_is_claimed(&drive->info);
    drive->foreign = device_foreign_read(&drive->info);
    if (drive->config != NULL && drive->refusal.reason.code == REASON_OK) {
        claim_configured(drive, false);
    }
}

static void replace_run(struct host_drive *drive)
{
    drive->error = emulated_file_replace(drive->path, drive->config->size_bytes, drive->serial,
                                         drive->text, sizeof(drive->text));
    if (drive->error == 0) {
        claim_open(drive, true);
    }
    refusal_from_error(drive);
}

static void cache_run(struct host_drive *drive)
{
    char directory[PATH_MAX];

    drive->error = drive->info.kind != DEVICE_KIND_BLOCK ? -ENOTSUP : 0;
    if (drive->error == 0) {
        (void)snprintf(directory, sizeof(directory), "/sys/block/%s", drive->info.name);
        drive->error = device_cache_set(directory, drive->path, drive->cache->on);
    }
}

static void spin_run(struct host_drive *drive)
{
    drive->error = drive->info.kind == DEVICE_KIND_BLOCK
                       ? device_spin(drive->path, drive->spin->down)
                       : -ENOTSUP;
}

static void work_run(struct work *work)
{
    struct host_drive *drive = work->owner;

    switch (drive->busy) {
    case HOST_DRIVE_PROBE:
        probe_run(drive);
        return;
    case HOST_DRIVE_CLAIM:
        claim_open(drive, drive->claim->force || is_emulated(drive));
        return;
    case HOST_DRIVE_REPLACE:
        replace_run(drive);
        return;
    case HOST_DRIVE_CACHE:
        cache_run(drive);
        return;
    case HOST_DRIVE_SPIN:
        spin_run(drive);
        return;
    case HOST_DRIVE_IDLE:
        break;
    }
    UNREACHABLE();
}

static void work_start(struct host_drive *drive, enum host_drive_work work)
{
    ASSERT(drive->busy == HOST_DRIVE_IDLE);
    drive->busy = work;
    twin_find(drive);
    work_submit(drive->drives->pool, &drive->work);
}

/* On the loop. */

/* An event for a claim that was long in coming, whether it came or not. */
static void claim_wait_tell(struct host_drive *drive)
{
    if (drive->claim_wait_us >= CLAIM_WAIT_NOTED_US) {
        ctl_drive_claim_waited(host_drive_ctl(drive), drive,
                               (uint32_t)(drive->claim_wait_us / 1000000u));
    }
    drive->claim_wait_us = 0;
}

static void depart_note(struct host_drive *drive)
{
    if (drive->arrived) {
        drive->arrived = false;
        ctl_drive_departed(host_drive_ctl(drive), drive);
    }
}

static void leave_note(struct host_drive *drive)
{
    ASSERT(!drive->left);
    drive->left = true;
    depart_note(drive);
}

/* What is due once no work is running. May free the drive. */
static void settle(struct host_drive *drive)
{
    if (drive->busy != HOST_DRIVE_IDLE) {
        return;
    }
    if (drive->claim != NULL) {
        work_start(drive, HOST_DRIVE_CLAIM);
    } else if (drive->cache != NULL) {
        work_start(drive, HOST_DRIVE_CACHE);
    } else if (drive->spin != NULL) {
        work_start(drive, HOST_DRIVE_SPIN);
    } else if (drive->left) {
        if (!drive->held && drive->port == NULL) {
            host_drive_free(drive);
        }
    } else if (drive->probe_again) {
        drive->probe_again = false;
        host_drive_probe(drive);
    }
}

static int emulation_create(struct host_drive *drive)
{
    struct emulated_timing timing = drive->config->timing;

    /* Its own angle, as each drive has one; the same at each start. */
    timing.hdd.spindle_permille = crc32c(0, drive->path, strlen(drive->path)) % 1000;
    return emulated_drive_create(file_port_io(drive->port), loop_clock(drive->drives->loop),
                                 &timing, &drive->emulated);
}

/* The claimed descriptor becomes a port, with the emulation in front if there is one. */
static void port_open(struct host_drive *drive)
{
    drive->error = file_port_open(drive->drives->loop, &drive->claimed, &drive->port);
    if (drive->error == 0 && is_emulated(drive)) {
        drive->error = emulation_create(drive);
        if (drive->error != 0) {
            drive->port = file_port_close(drive->port);
        }
    }
    if (drive->error != 0) {
        device_claim_close(&drive->claimed);
        log_error("%s: cannot be used: %s", drive->path, strerror(-drive->error));
    }
}

static struct io_port *io_of(struct host_drive *drive)
{
    return drive->emulated != NULL ? emulated_drive_port(drive->emulated)
                                   : file_port_io(drive->port);
}

static void identity_fill(struct host_drive *drive)
{
    const struct config_drive *config = drive->config;

    if (is_emulated(drive)) {
        drive_identity_emulated(drive->path, config->model, drive->serial, config->media,
                                &drive->identity);
        drive->identity.rotation_rpm =
            config->media == DRIVE_MEDIA_HDD ? config->timing.hdd.rpm : 0;
    } else {
        drive_identity_from_info(&drive->info, &drive->identity);
    }
    if (config != NULL) {
        drive->identity.eid = config->eid;
        drive->identity.slot = config->slot;
    }
}

/* One that the configuration names is looked for again (drives.c); the log has each reason once. */
static void probe_fail(struct host_drive *drive)
{
    bool news = strcmp(drive->absent_why, drive->refusal.text) != 0;

    if (news && is_emulated(drive)) {
        log_error("%s", drive->refusal.text);
    } else if (news) {
        log_warning("%s: %s", drive->path, drive->refusal.text);
    }
    if (drive->config == NULL) {
        leave_note(drive);
        return;
    }
    depart_note(drive);
    (void)snprintf(drive->absent_why, sizeof(drive->absent_why), "%s", drive->refusal.text);
    drive->absent_error = drive->error;
    drive->awaited = false;
    drive->number = 0; /* it is no device that another could be the second name of */
    drive->file_number = 0;
    drive->name[0] = '\0';
}

static void probe_finish(struct host_drive *drive)
{
    char key[sizeof(drive->identity.key)];
    bool was_empty = drive->empty;

    if (drive->error != 0) {
        probe_fail(drive);
        return;
    }
    drive->absent_why[0] = '\0';
    drive->empty = drive->info.size_bytes == 0;
    (void)snprintf(key, sizeof(key), "%s", drive->identity.key);
    identity_fill(drive);
    if (strcmp(key, drive->identity.key) != 0 || was_empty != drive->empty) {
        depart_note(drive); /* another device has taken this name: one leaves, one comes */
    }
    if (drive->claimed.fd >= 0 && (!drive->arrived || drive->awaited)) {
        port_open(drive);
        drive->held = drive->port != NULL;
    } else {
        device_claim_close(&drive->claimed);
    }
    drive->awaited = false;
    drive->ready = drive->first_look;
    if (!drive->ready) {
        host_drive_tell(drive);
    }
}

void host_drive_probe(struct host_drive *drive)
{
    if (drive->held || drive->left) {
        return;
    }
    if (drive->busy != HOST_DRIVE_IDLE) {
        drive->probe_again = true;
        return;
    }
    work_start(drive, HOST_DRIVE_PROBE);
}

/* The parameters of a refusal, as the controller words them. */
static void claim_refuse(struct device_claim *claim, const struct device_refusal *refusal)
{
    const struct reason *reason = &refusal->reason;

    claim->reason = (int)reason->code;
    claim->device_name[0] = '\0';
    claim->detail[0] = '\0';
    for (uint32_t i = 0; i < reason->param_count; i++) {
        bool device = strcmp(reason->params[i].name, "device") == 0;

        (void)snprintf(device ? claim->device_name : claim->detail, sizeof(claim->detail), "%s",
                       reason->params[i].value);
    }
}

/* The name is another device's by now, and word of that is still on its way: what was decided
 * about the one that has left must not happen to this one. */
static bool is_another(const struct host_drive *drive)
{
    struct drive_identity identity;

    if (is_emulated(drive)) {
        return false; /* known by its file */
    }
    drive_identity_from_info(&drive->info, &identity);
    return strcmp(identity.key, drive->identity.key) != 0;
}

static void claim_finish(struct host_drive *drive)
{
    struct device_claim *claim = drive->claim;
    struct io_port *port = NULL;

    drive->claim = NULL;
    if (drive->error == 0 && drive->left) {
        drive->error = -ENODEV;
    }
    if (drive->error == 0 && is_another(drive)) {
        log_warning("%s: is another device than the one that was offered", drive->path);
        drive->error = -ENODEV;
        drive->probe_again = true;
    }
    if (drive->error == 0) {
        port_open(drive);
    }
    if (drive->error == 0) {
        drive->held = true;
        port = io_of(drive);
        (void)snprintf(claim->signature, sizeof(claim->signature), "%s", drive->info.signature);
    } else {
        device_claim_close(&drive->claimed);
        claim_refuse(claim, &drive->refusal);
    }
    claim_wait_tell(drive);
    claim->complete(claim, drive->error, port);
}

void host_drive_claim(struct host_drive *drive, struct device_claim *claim)
{
    ASSERT(drive->claim == NULL && !drive->held);
    drive->claim = claim;
    if (drive->busy == HOST_DRIVE_IDLE) {
        work_start(drive, HOST_DRIVE_CLAIM);
    }
}

static void cache_finish(struct host_drive *drive)
{
    struct device_cache_switch *request = drive->cache;

    drive->cache = NULL;
    request->complete(request, drive->error);
}

void host_drive_cache_set(struct host_drive *drive, struct device_cache_switch *request)
{
    ASSERT(drive->cache == NULL && drive->held);
    drive->cache = request;
    if (drive->busy == HOST_DRIVE_IDLE) {
        work_start(drive, HOST_DRIVE_CACHE);
    }
}

static void spin_finish(struct host_drive *drive)
{
    struct device_spin *request = drive->spin;

    drive->spin = NULL;
    request->complete(request, drive->error);
}

void host_drive_spin(struct host_drive *drive, struct device_spin *request)
{
    ASSERT(drive->spin == NULL && drive->held);
    drive->spin = request;
    if (drive->busy == HOST_DRIVE_IDLE) {
        work_start(drive, HOST_DRIVE_SPIN);
    }
}

static void replace_finish(struct host_drive *drive)
{
    struct host_drive *old = drive->replaces;

    drive->replaces = NULL;
    emulated_drive_disconnect(old->emulated);
    host_drive_leave(old);
    if (drive->error == 0) {
        identity_fill(drive);
        port_open(drive);
    }
    if (drive->error != 0) {
        log_error("%s: the drive could not be replaced: %s", drive->path, drive->refusal.text);
        leave_note(drive);
        return;
    }
    drive->held = true;
    drives_arrive(drive);
}

/* The controller need not wait to hear of it any more. */
static void first_look_over(struct host_drive *drive)
{
    drive->ready = false;
    if (drive->first_look) {
        drive->first_look = false;
        drives_look_over(drive->drives, host_drive_controller(drive));
    }
}

void host_drive_tell(struct host_drive *drive)
{
    if (!drive->left) {
        drives_arrive(drive);
        claim_wait_tell(drive);
    } else if (drive->held) { /* gone before the controller heard of it */
        host_drive_release(drive);
    }
    first_look_over(drive);
}

static void work_conclude(struct host_drive *drive)
{
    enum host_drive_work what = drive->busy;
    struct drives *drives = drive->drives;

    drive->busy = HOST_DRIVE_IDLE;
    drive->claim_wait_us = drive->claim_again ? loop_timers_now_us() - drive->claim_since_us : 0;
    drive->claim_again = false;
    drive->claim_noted = false;
    if (what == HOST_DRIVE_CLAIM) {
        claim_finish(drive);
    } else if (what == HOST_DRIVE_CACHE) {
        cache_finish(drive);
    } else if (what == HOST_DRIVE_SPIN) {
        spin_finish(drive);
    } else if (drive->left || drive->drives->stopping) {
        device_claim_close(&drive->claimed);
        drive->replaces = NULL;
    } else if (what == HOST_DRIVE_REPLACE) {
        replace_finish(drive);
    } else {
        probe_finish(drive);
    }
    if (!drive->ready) {
        first_look_over(drive);
    }
    settle(drive);
    drives_tell(drives);
}

/*
 * The fence: the claims of a daemon that was killed end only when its last transfers have
 * ended, so a transfer of its can never land after one of ours (engine.md 6.1). Bounded: the
 * claim may as well be another program's.
 */
static bool claim_may_end(const struct host_drive *drive)
{
    bool claims = drive->busy == HOST_DRIVE_PROBE || drive->busy == HOST_DRIVE_CLAIM ||
                  drive->busy == HOST_DRIVE_REPLACE;

    return claims && drive->claimed.fd < 0 && !drive->left && !drive->drives->stopping &&
           drive->refusal.reason.code == REASON_DRIVE_UNSUITABLE_CLAIMED &&
           loop_timers_now_us() <= drive->drives->patience_us;
}

/* The controller hears of the drive now, and of its claim when that has come or is given up. */
static void claim_announce(struct host_drive *drive)
{
    identity_fill(drive);
    drive->awaited = true;
    drive->ready = drive->first_look;
    if (!drive->ready) {
        drives_arrive(drive);
    }
}

static void claim_await(struct host_drive *drive)
{
    struct clock_port *clock = loop_clock(drive->drives->loop);
    uint64_t now_us = loop_timers_now_us();

    if (!drive->claim_again) {
        drive->claim_again = true;
        drive->claim_since_us = now_us;
        if (drive->busy == HOST_DRIVE_PROBE && !drive->arrived) {
            claim_announce(drive);
        }
    }
    uint64_t waited_us = now_us - drive->claim_since_us;
    if (!drive->claim_noted && waited_us >= CLAIM_WAIT_NOTED_US) {
        drive->claim_noted = true;
        log_warning("%s: still claimed, by transfers of a predecessor or by another program; "
                    "nothing is written before the claim ends, which is waited for until %u s "
                    "after the start",
                    drive->path, drive->drives->config->claim_wait_s);
    }
    clock_arm(clock, &drive->claim_timer,
              clock_now_us(clock) +
                  (waited_us < CLAIM_RETRY_SLOW_AFTER_US ? CLAIM_RETRY_US : CLAIM_RETRY_SLOW_US));
    if (drive->ready) {
        drives_tell(drive->drives);
    }
}

static void claim_retry(struct clock_timer *timer)
{
    struct host_drive *drive = timer->owner;

    if (drive->left) {
        work_conclude(drive);
    } else {
        work_submit(drive->drives->pool, &drive->work);
    }
}

void host_drive_claim_end(struct host_drive *drive)
{
    if (drive->claim_timer.armed) {
        clock_cancel(loop_clock(drive->drives->loop), &drive->claim_timer);
        work_conclude(drive);
    }
}

bool host_drive_waits(const struct host_drive *drive)
{
    enum reason_code why = drive->refusal.reason.code;

    if (drive->config == NULL || drive->held || drive->left || drive->busy != HOST_DRIVE_IDLE) {
        return false;
    }
    return drive->absent_why[0] != '\0' ||
           (drive->arrived &&
            (drive->claimed_elsewhere || why == REASON_DRIVE_UNSUITABLE_CLAIMED ||
             why == REASON_DRIVE_UNSUITABLE_READ_ONLY || why == REASON_DRIVE_UNSUITABLE_SAME ||
             why == REASON_DRIVE_UNSUITABLE_EMPTY || why == REASON_DRIVE_UNSUITABLE_SMALL));
}

static void work_done(struct work *work)
{
    struct host_drive *drive = work->owner;
    bool is_block = drive->info.kind == DEVICE_KIND_BLOCK;

    drive->number = is_block ? drive->info.number : 0;
    drive->file_device = drive->info.file_device;
    drive->file_number = drive->info.file_number;
    (void)snprintf(drive->name, sizeof(drive->name), "%s", is_block ? drive->info.name : "");
    if (claim_may_end(drive)) {
        claim_await(drive);
    } else {
        work_conclude(drive);
    }
}

/* Leaving and closing. */

static bool try_close(struct host_drive *drive)
{
    if (drive->emulated != NULL && !emulated_drive_is_idle(drive->emulated)) {
        return false;
    }
    if (drive->port != NULL && file_port_outstanding(drive->port) > 0) {
        return false;
    }
    drive->emulated = emulated_drive_free(drive->emulated);
    drive->port = file_port_close(drive->port);
    drive->probe_again = true; /* what it carries now may differ from when it was claimed */
    settle(drive);
    return true;
}

static void close_retry(struct clock_timer *timer)
{
    struct host_drive *drive = timer->owner;
    struct clock_port *clock = loop_clock(drive->drives->loop);

    if (!try_close(drive)) {
        clock_arm(clock, timer, clock_now_us(clock) + CLOSE_RETRY_US);
    }
}

void host_drive_release(struct host_drive *drive)
{
    ASSERT(drive->held);
    drive->held = false;
    /* Never from inside the controller's call: what it holds may be on its stack. */
    struct clock_port *clock = loop_clock(drive->drives->loop);
    clock_arm(clock, &drive->close_timer, clock_now_us(clock));
}

void host_drive_leave(struct host_drive *drive)
{
    leave_note(drive);
    if (drive->ready) {
        host_drive_tell(drive);
    }
    settle(drive);
}

int host_drive_replace(struct host_drive *drive)
{
    struct host_drive *fresh = NULL;

    if (!is_emulated(drive) || drive->left || drive->emulated == NULL) {
        return -ENOTSUP;
    }
    LIST_FOR_EACH (node, &drive->drives->all) {
        const struct host_drive *other = list_entry(node, struct host_drive, link);

        if (other->replaces == drive) {
            return -EALREADY;
        }
    }
    fresh = host_drive_new(drive->drives, drive->path, drive->config);
    fresh->replaces = drive;
    work_start(fresh, HOST_DRIVE_REPLACE);
    return 0;
}
