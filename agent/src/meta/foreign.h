/*
 * What a drive says that belongs to somebody else: DDF metadata or md's superblock, as read by
 * the host when it looked at the device. Only described, never acted upon.
 */
#ifndef ARRAYWRIGHT_META_FOREIGN_H
#define ARRAYWRIGHT_META_FOREIGN_H

#include "meta/ddf/ddf.h"
#include "meta/md_super.h"

struct drive_label;

#define FOREIGN_LABEL_PLACES 4u

enum foreign_kind {
    FOREIGN_DDF,
    FOREIGN_MD,
    FOREIGN_DAMAGED, /* one of them, but nothing of it can be believed */
};

struct foreign_drive {
    enum foreign_kind kind;
    uint64_t sectors;
    struct ddf_config *ddf;
    struct drive_label *label; /* DDF: of a member of the same group, which knows more; or NULL */
    bool label_newer;        /* DDF: a later version has its own there */
    struct md_super md;
    const char *why;         /* damaged: a sentence */
};

/* Never NULL. */
struct foreign_drive *foreign_drive_new(enum foreign_kind kind, uint64_t sectors);
/* NULL is nothing; returns NULL. */
struct foreign_drive *foreign_drive_free(struct foreign_drive *foreign);
/* Where a label of ours may be, from place 0 on. */
uint64_t foreign_label_offset(uint64_t size_bytes, uint32_t place);
/* The label that counts, out of what is there: LABEL_SLOT_BYTES for each place. None is taken of
 * another group, or beside DDF metadata that another system has written since. */
void foreign_label_take(struct foreign_drive *foreign, const uint8_t *slots);
/* A label is being taken off: until the host looks again there is none. NULL is nothing. */
void foreign_label_forget(struct foreign_drive *foreign);

#endif
