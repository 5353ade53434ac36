/*
 * What the host says of the paths that its configuration has for drives: see ctl_path.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_PATH_H
#define ARRAYWRIGHT_CTL_CTL_PATH_H

#include <stdint.h>

#include "base/words.h"

struct ctl;

/* Of a drive in use; the path stays valid. REASON_OK: it names the drive. */
void ctl_drive_path(struct ctl *ctl, void *device, const char *path, enum reason_code why);
/* Those that name nothing. */
void ctl_drives_absent(struct ctl *ctl, const char *const *paths, uint32_t count);

#endif
