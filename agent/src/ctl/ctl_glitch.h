/*
 * Members that vanish and come back (ctl_glitch.c).
 */
#ifndef ARRAYWRIGHT_CTL_CTL_GLITCH_H
#define ARRAYWRIGHT_CTL_CTL_GLITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/guid.h"

struct ctl;
struct ctl_group;

/* How often a member has vanished. */
#define GLITCHES_MAX 5u
struct ctl_glitches {
    struct uuid drive;
    uint32_t count;                /* of at_us, the newest first */
    uint64_t at_us[GLITCHES_MAX];
    bool flaps;                    /* it is to be called failed */
    uint64_t failed_us;            /* its transfers did, then; 0: they have not */
    bool left;                     /* … and it has gone: it is to be called missing */
};

/* A member has changed. */
void cg_glitch_note(struct ctl_group *cg, uint32_t member);
/* Its drive, which has been lost before, has gone. */
void cg_glitch_gone(struct ctl_group *cg, uint32_t member);
/* How long a member that has vanished is still waited for; 0: it is not. */
uint64_t cg_glitch_left_us(const struct ctl_group *cg, uint32_t member);
/* It may be back in a moment; the work loop runs again when that is over. */
bool cg_glitch_waits(struct ctl_group *cg, uint32_t member);
void ctl_glitches_work(struct ctl *ctl);

#endif
