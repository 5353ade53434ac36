/*
 * The sizes of a controller's drives: see ctl_size.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_SIZE_H
#define ARRAYWRIGHT_CTL_CTL_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "meta/drive_sizes.h"
#include "port/store_port.h"

struct ctl;
struct ctl_drive;

struct ctl_sizes {
    struct drive_sizes *list;
    uint8_t *bytes;
    struct store_request put;
    bool noted;                    /* yet to be saved */
    bool putting;
    uint64_t again_us;             /* no save before */
};

MUST_CHECK int ctl_sizes_load(struct ctl *ctl);
void ctl_sizes_free(struct ctl *ctl);
/* What it had when it was last ours; 0: not known. */
uint64_t cd_size_known(const struct ctl_drive *cd);
void cd_size_forget(struct ctl_drive *cd);
void ctl_sizes_work(struct ctl *ctl);
bool ctl_sizes_are_quiet(const struct ctl *ctl);

#endif
