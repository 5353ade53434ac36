/*
 * What a drive says that belongs to somebody else: DDF metadata or md's superblock, as read by
 * the host when it looked at the device. Only described, never acted upon.
 */
#ifndef ARRAYWRIGHT_META_FOREIGN_H
#define ARRAYWRIGHT_META_FOREIGN_H

#include "meta/ddf/ddf.h"
#include "meta/md_super.h"

enum foreign_kind {
    FOREIGN_DDF,
    FOREIGN_MD,
    FOREIGN_DAMAGED, /* one of them, but nothing of it can be believed */
};

struct foreign_drive {
    enum foreign_kind kind;
    uint64_t sectors;
    struct ddf_config *ddf;
    struct md_super md;
    const char *why;         /* damaged: a sentence */
};

/* Never NULL. */
struct foreign_drive *foreign_drive_new(enum foreign_kind kind, uint64_t sectors);
/* NULL is nothing; returns NULL. */
struct foreign_drive *foreign_drive_free(struct foreign_drive *foreign);

#endif
