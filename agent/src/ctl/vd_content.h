/*
 * Looks at what a virtual drive carries: see vd_content.c.
 */
#ifndef ARRAYWRIGHT_CTL_VD_CONTENT_H
#define ARRAYWRIGHT_CTL_VD_CONTENT_H

#include "ctl/ctl_private.h"

struct vd_content {
    /* name: what was recognized, as the end of "it carries ..."; NULL: nothing, or it could not be
     * read, for want of memory perhaps. Called once; at once in that case. */
    void (*done)(struct vd_content *content, bool readable, const char *name);
    void *owner;

    /* private */
    struct vd_target *target;
    struct vd_request request;
    uint32_t head_bytes, tail_bytes;
    bool at_tail;
    uint8_t *buffer; /* head, then tail */
};

/* Of a virtual drive that is exported, or blocked. */
bool vd_content_can_be_read(const struct ctl_vd *cv);
/* Of one that can be read. */
void vd_content_look(struct vd_content *content, const struct ctl_vd *cv);

#endif
