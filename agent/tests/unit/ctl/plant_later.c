/*
 * Plants a bug that test_copies.c must notice: linked with a copy of ctl_later.c that has it.
 */
#include "ctl/sim_bug.h"

enum ctl_bug ctl_bug_active = PLANTED;
