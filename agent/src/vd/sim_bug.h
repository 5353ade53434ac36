/*
 * Planted bugs for testing the tests: compiled in only with -DARRAYWRIGHT_SIM_BUGS, which
 * the simulation sets for its own copy of these sources. In the product SIM_BUG() is false.
 */
#ifndef ARRAYWRIGHT_VD_SIM_BUG_H
#define ARRAYWRIGHT_VD_SIM_BUG_H

enum sim_bug {
    SIM_BUG_NONE,
    SIM_BUG_NO_DIRTY_MARK,        /* breaks (2): writes without a durable dirty mark */
    SIM_BUG_ACK_BEFORE_LOSS,      /* breaks (1): acknowledges before the loss is durable */
    SIM_BUG_WRONG_Q,              /* Q with a wrong coefficient */
    SIM_BUG_CURSOR_AHEAD,         /* breaks (4): trusts a rebuild target above its cursor */
    SIM_BUG_FLUSH_IGNORED,        /* breaks (5): answers a flush without flushing */
    SIM_BUG_NO_LOCK,              /* breaks (3): writes to one slice at the same time */
    SIM_BUG_UPDATE_INCONSISTENT,  /* read-modify-write on rows not known consistent */
    SIM_BUG_CHECKPOINT_UNFLUSHED, /* publishes cursors before the flush */
    SIM_BUG_SKIP_TARGET,          /* writes do not reach a rebuild target */
    SIM_BUG_CLEAN_UNFLUSHED,      /* clears the dirty mark without a flush */
    SIM_BUG_MAX
};

#ifdef ARRAYWRIGHT_SIM_BUGS
extern enum sim_bug sim_bug_active;
#define SIM_BUG(name) (sim_bug_active == SIM_BUG_##name)
#else
#define SIM_BUG(name) false
#endif

#endif
