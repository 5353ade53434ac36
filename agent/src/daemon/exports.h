/*
 * What the controllers offer, and to whom: each virtual drive by NBD and, if the configuration
 * says so, as a ublk device too. A virtual drive counts as closed when it is by every way.
 */
#ifndef ARRAYWRIGHT_DAEMON_EXPORTS_H
#define ARRAYWRIGHT_DAEMON_EXPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "ctl/ctl.h"
#include "daemon/config.h"
#include "host/loop.h"

struct exports;

/* Opens what the configuration names. started_us: of the loop. False: it has been logged why, and
 * what was opened is left to exports_close(). */
MUST_CHECK bool exports_open(struct loop *loop, const struct daemon_config *config,
                             uint64_t started_us, struct exports **ret_exports);
/* The wishes of a controller (struct ctl_observer); it is told when the target is closed, perhaps
 * at once. */
void exports_target_open(struct exports *exports, struct ctl *ctl, struct vd_target *target,
                         const char *vd_key);
void exports_target_close(struct exports *exports, struct ctl *ctl, struct vd_target *target);
uint32_t exports_connections(const struct exports *exports, const char *vd_key);
/* "/dev/ublkbN", or "" if there is none. */
void exports_device(const struct exports *exports, const char *vd_key, char *path, size_t bytes);

/* Asked about what is not exported at present (export_server.h). */
struct export_prospects;
void exports_outlook_set(struct exports *exports, const struct export_prospects *outlook);
/* It may be another now. */
void exports_outlook_changed(struct exports *exports);

/* The process ends and another one will take its place. */
void exports_leave(struct exports *exports);
/* Every target is closed already. Then done(), from the loop. */
void exports_close(struct exports *exports, void (*done)(void *owner), void *owner);
/* Accepts NULL, returns NULL. */
struct exports *exports_free(struct exports *exports);

#endif
