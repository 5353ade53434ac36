/*
 * The command vd_init (command_init.c).
 */
#ifndef ARRAYWRIGHT_CTL_COMMAND_INIT_H
#define ARRAYWRIGHT_CTL_COMMAND_INIT_H

#include "ctl/ctl_private.h"

bool rule_init(const struct ctl_vd *cv, struct reason *ret_reason);
void command_vd_init(struct ctl *ctl, struct ctl_command *command);
/* Until the zeros are on stable storage; called from the work loop. */
void command_init_work(struct ctl *ctl);

#endif
