/*
 * One device of the host, shared by drives.c and host_drive.c only.
 */
#ifndef ARRAYWRIGHT_DAEMON_DRIVES_PRIVATE_H
#define ARRAYWRIGHT_DAEMON_DRIVES_PRIVATE_H

#include <limits.h>

#include "daemon/drives.h"
#include "daemon/emulated_file.h"
#include "emulate/emulated_drive.h"
#include "host/device.h"
#include "host/device_monitor.h"
#include "host/file_port.h"

struct drives {
    const struct daemon_config *config;
    struct loop *loop;
    struct work_pool *pool;
    struct ctl *ctls[CONFIG_CONTROLLERS_MAX];
    struct device_port port;
    struct device_monitor *monitor;
    struct list all;              /* of struct host_drive */
    uint64_t patience_us;         /* until then a claimed device may be a predecessor's */
    bool stopping;
    bool opening;                 /* whoever is found now belongs to the start */
    uint32_t looks[CONFIG_CONTROLLERS_MAX]; /* of the start that are not over, by controller */
    struct clock_timer look_timer;  /* ends them all */
    uint64_t order_until_us;        /* so long drives are told in their order */
    struct clock_timer order_timer; /* ends that */
    struct clock_timer again_timer; /* what could not be opened or claimed is tried again */
    struct drive_paths *paths;
    struct work scan_work;
    bool scanning;
    bool scan_again;
    struct device_scan scan;
    int scan_error;
};

enum host_drive_work {
    HOST_DRIVE_IDLE,
    HOST_DRIVE_PROBE,
    HOST_DRIVE_CLAIM,
    HOST_DRIVE_REPLACE,
    HOST_DRIVE_CACHE,
    HOST_DRIVE_SPIN
};

struct host_drive {
    struct drives *drives;
    struct list link;
    const struct config_drive *config; /* NULL: found by scanning */
    char path[PATH_MAX];
    bool arrived;                 /* the controller knows it */
    bool held;                    /* the controller has its port */
    bool left;                    /* the device is not there any more */
    bool first_look;              /* of the start: the controller waits for it */
    bool ready;                   /* it is over, and the controller is told when it is its turn */
    bool empty;                   /* has no size: nothing is attached to it */
    char absent_why[DEVICE_TEXT_BYTES]; /* configured and not there; "": it is */
    int absent_error;                   /* the errno behind that */
    bool awaited;                 /* the controller knows that its claim is still tried */
    struct drive_identity identity;
    struct device_info info; /* of the work while it runs; the loop keeps what it needs then */
    dev_t number; /* of the last work that has ended; 0: of no block device */
    dev_t file_device; /* the same, of a file */
    ino_t file_number;
    struct reason twin; /* of the work: REASON_OK, or whose second name this is; it is not opened */
    char name[DEVICE_WORD_BYTES]; /* the same: the kernel's; "" */
    struct device_refusal refusal;
    struct foreign_drive *foreign; /* found by the last probe, for the controller to take */
    struct file_port *port;
    struct emulated_drive *emulated;
    struct clock_timer close_timer;

    enum host_drive_work busy;
    struct work work; /* its results are below and above */
    int error;
    bool probe_again;
    bool claimed_elsewhere; /* another process had it when it was probed */
    struct device_claim *claim; /* of the controller, being served or waiting */
    struct device_cache_switch *cache; /* the same */
    struct device_spin *spin; /* the same */
    struct claimed_device claimed;
    bool claim_again; /* of this work only the claim is repeated */
    bool claim_noted; /* that it takes long */
    uint64_t claim_since_us;
    uint64_t claim_wait_us; /* how long the last claim was waited for */
    struct clock_timer claim_timer; /* armed: the work goes on when it fires */
    struct host_drive *replaces;
    char serial[EMULATED_SERIAL_BYTES];
    char text[DEVICE_TEXT_BYTES];
};

/* host_drive.c */
struct host_drive *host_drive_new(struct drives *drives, const char *path,
                                  const struct config_drive *config);
void host_drive_free(struct host_drive *drive);
/* Looks at the device, and claims it if the configuration names it. */
void host_drive_probe(struct host_drive *drive);
/* Tells the controller of it. */
void host_drive_tell(struct host_drive *drive);
/* It is not waited for any longer: a claim that is still tried has failed. May free the drive. */
void host_drive_claim_end(struct host_drive *drive);
/* Configured, and missing or refused for a reason that may end without word from the kernel. */
bool host_drive_waits(const struct host_drive *drive);
/* The device has left. */
void host_drive_leave(struct host_drive *drive);
void host_drive_claim(struct host_drive *drive, struct device_claim *claim);
void host_drive_release(struct host_drive *drive);
void host_drive_spin(struct host_drive *drive, struct device_spin *request);
void host_drive_cache_set(struct host_drive *drive, struct device_cache_switch *request);
MUST_CHECK int host_drive_replace(struct host_drive *drive);

/* Whose it is. */
static inline uint32_t host_drive_controller(const struct host_drive *drive)
{
    return drive->config != NULL ? drive->config->controller : 0;
}

static inline struct ctl *host_drive_ctl(const struct host_drive *drive)
{
    return drive->drives->ctls[host_drive_controller(drive)];
}

/* drives.c */
/* What the kernel says of a device: path and name are its own, and may not be what the
 * configuration calls it. NULL with an overrun. */
void drives_changed(void *owner, enum device_change change, const char *path, const char *name);
/* Tells the controllers of drives that are ready, in the order in which the configuration names
 * them: numbers are given in that order. One that is slow keeps the others for a moment only. */
void drives_tell(struct drives *drives);
/* A look of the start is over. */
void drives_look_over(struct drives *drives, uint32_t controller);
/* Tells the controller what is known of the device now. */
void drives_arrive(struct host_drive *drive);

#endif
