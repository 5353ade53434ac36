/*
 * The host's devices: configured ones, scanned ones, emulated ones, their claims, and hot-plug.
 * Implements the controllers' device_port. A configured device belongs to the controller that
 * names it, one found by scanning to the first.
 *
 *   offered --claim--> claimed --release--> offered
 *      |                  |
 *      +---- left --------+--> departed, freed once released and quiet
 *
 * (1) Only offered devices are probed; a claimed one is nobody else's business.
 * (2) What may block (probing, opening, files of emulated drives) runs in the work pool, one
 *     at a time per device. A claim that another process holds is tried again by timer, so that
 *     waiting for it occupies nobody.
 * (3) A host drive's address is its handle at the controller and stays valid until the
 *     controller has released it or, if it never held it, until it has departed.
 */
#ifndef ARRAYWRIGHT_DAEMON_DRIVES_H
#define ARRAYWRIGHT_DAEMON_DRIVES_H

#include "ctl/ctl.h"
#include "daemon/config.h"
#include "host/loop.h"
#include "host/work_pool.h"

struct drives;

MUST_CHECK int drives_create(const struct daemon_config *config, struct loop *loop,
                             struct work_pool *pool, struct drives **ret_drives);
struct device_port *drives_port(struct drives *drives);

/* To whom the drives of a controller, by its index, are handed. */
void drives_ctl_set(struct drives *drives, uint32_t controller, struct ctl *ctl);

/* Opens what the configuration names, scans, and hands all of it to the controllers as it becomes
 * known; a controller hears by ctl_drives_looking() when its drives have been looked at. A
 * configured drive that cannot be used is offered with its reason. One whose file or device cannot
 * be opened at all is logged, and costs only itself. Before ctl_start(). */
void drives_open(struct drives *drives);
/* Listens for devices that come and go, from now on. */
void drives_watch(struct drives *drives);

/* Ends hot-plug; no calls into a controller any more. */
void drives_stop(struct drives *drives);
/* After ctl_free(): closes everything. No work may be running. */
struct drives *drives_free(struct drives *drives);

#endif
