/*
 * Planted bugs of the controller for testing the tests, like those of the engine (base/sim_bug.h):
 * compiled in only with -DARRAYWRIGHT_SIM_BUGS. In the product CTL_BUG() is false. For each there
 * is a program in tests/unit/ctl/meson.build that must fail with it (should_fail).
 */
#ifndef ARRAYWRIGHT_CTL_SIM_BUG_H
#define ARRAYWRIGHT_CTL_SIM_BUG_H

enum ctl_bug {
    CTL_BUG_NONE,
    CTL_BUG_OLD_COPY_BELIEVED, /* an older copy of a member's drive is taken for the member */
    CTL_BUG_STALE_TRUSTED,     /* a UPS that is not heard any more still counts as it was */
    CTL_BUG_FLAP_TRUSTED,      /* a better reading counts before it has lasted */
    CTL_BUG_RATE_KEPT,         /* the dirty limit follows the best destage rate there was */
    CTL_BUG_RUNTIME_KEPT,      /* ... and the first runtime that the UPS told */
    CTL_BUG_LATER_REBUILT,     /* a drive with a later life than the group is rebuilt unasked */
    CTL_BUG_LATER_LEADS,       /* ... leads the next start, whatever was written meanwhile */
    CTL_BUG_OWN_IS_LATER,      /* a record of the group's own counts as one of a later life */
    CTL_BUG_MAX
};

#ifdef ARRAYWRIGHT_SIM_BUGS
extern enum ctl_bug ctl_bug_active;
#define CTL_BUG(name) (ctl_bug_active == CTL_BUG_##name)
#else
#define CTL_BUG(name) false
#endif

#endif
