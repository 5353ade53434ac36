/*
 * The sizes of a controller's drives: see ctl_size.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_SIZE_H
#define ARRAYWRIGHT_CTL_CTL_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/reason.h"
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
/* What it had before it became smaller; 0: it has not. */
uint64_t cd_shrunk_from(const struct ctl_drive *cd);
struct shrunk_text {
    char missing[24], before[24], now[24];
};
void cd_shrunk_text(const struct ctl_drive *cd, struct shrunk_text *ret_text);
void cd_shrunk_reason(const struct ctl_drive *cd, struct reason *ret_reason);
void cd_shrunk_tell(const struct ctl_drive *cd);
/* Of one that has become larger, which whoever uses it does not profit by. */
void cd_grown_reason(const struct ctl_drive *cd, struct reason *ret_reason);
void cd_grown_tell(const struct ctl_drive *cd);
/* Where the label of one that has become smaller is still to be read; 0: nowhere. */
uint64_t cd_stale_label_bytes(const struct ctl_drive *cd);
void cd_size_forget(struct ctl_drive *cd);
void ctl_sizes_work(struct ctl *ctl);
bool ctl_sizes_are_quiet(const struct ctl *ctl);

#endif
