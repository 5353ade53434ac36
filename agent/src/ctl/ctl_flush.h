/*
 * Cache flushes by command (ctl_flush.c): what a virtual drive knows of its last one.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_FLUSH_H
#define ARRAYWRIGHT_CTL_CTL_FLUSH_H

#include "base/reason.h"
#include "ctl/command.h"
#include "vd/vd_request.h"

struct ctl;
struct ctl_vd;

struct ctl_flush {
    struct vd_request request;   /* while it runs */
    enum cache_flush_state state;
    bool again;                  /* asked for while it runs: there may be later writes */
};

/* May everything that is cached go to the drives now? */
bool rule_cache_flush(const struct ctl_vd *cv, struct reason *ret_reason);
/* One is under way; when it ends it kicks. */
bool cv_flush_runs(const struct ctl_vd *cv);
void command_cache_flush(struct ctl *ctl, struct ctl_command *command);

#endif
