/*
 * Planted bugs for testing the tests: compiled in only with -DARRAYWRIGHT_SIM_BUGS, which
 * the simulation sets for its own copy of the sources from drive/ to task/. In the product
 * SIM_BUG() is false. Each names the promise it breaks (P1 no acknowledged write is lost, P2 no
 * wrong data and no needless error, P3 no stale drive, P4 configuration all or nothing, P5 healing
 * ends, P7 a failed flush is a failed drive; A: an assertion must stop it).
 *
 * To add one: a line here, `if (SIM_BUG(NAME))` in the code, and, if plain lives do not meet it
 * soon enough, a line in sim/bugs.c that says where it shows best.
 */
#ifndef ARRAYWRIGHT_BASE_SIM_BUG_H
#define ARRAYWRIGHT_BASE_SIM_BUG_H

/* clang-format off */
#define SIM_BUGS(X)                                                                                \
    X(NO_DIRTY_MARK, P2, "writes without a durable dirty mark")                                    \
    X(ACK_BEFORE_LOSS, P3, "acknowledges before the loss of a member is durable")                  \
    X(WRONG_Q, P2, "Q with a wrong coefficient")                                                   \
    X(CURSOR_AHEAD, P3, "trusts a rebuild target above its cursor")                                \
    X(FLUSH_IGNORED, P1, "answers a flush without flushing")                                       \
    X(NO_LOCK, P2, "writes to one slice at the same time")                                         \
    X(UPDATE_INCONSISTENT, P2, "read-modify-write on rows not known consistent")                   \
    X(CHECKPOINT_UNFLUSHED, P3, "publishes cursors before the flush")                              \
    X(SKIP_TARGET, P2, "writes do not reach a rebuild target")                                     \
    X(CLEAN_UNFLUSHED, P2, "clears the dirty mark without a flush")                                \
    X(INTENT_AFTER_DATA, P1, "logs an intent when its row has been written")                       \
    X(INTENT_RELEASED_EARLY, P1, "releases intents before the members' flush")                     \
    X(INTENT_NO_PARITY, P1, "leaves the new parity out of intents")                                \
    X(INTENT_NOT_DEGRADED, P1, "replaces degraded rows without an intent")                         \
    X(INTENT_IGNORES_OPEN, P1, "writes whole rows past older open intents")                        \
    X(REPLAY_NOT_DEGRADED, P1, "does not replay intents with members missing")                     \
    X(REPLAY_UNFLUSHED, P1, "clears the log before the replayed rows are flushed")
/* clang-format on */

enum sim_bug {
    SIM_BUG_NONE,
#define SIM_BUG_ENUM(name, promise, text) SIM_BUG_##name,
    SIM_BUGS(SIM_BUG_ENUM)
#undef SIM_BUG_ENUM
        SIM_BUG_MAX
};

#ifdef ARRAYWRIGHT_SIM_BUGS
extern enum sim_bug sim_bug_active;

struct sim_bug_info {
    const char *name;
    const char *promise;
    const char *text;
};
extern const struct sim_bug_info sim_bugs[SIM_BUG_MAX];
#define SIM_BUG(name) (sim_bug_active == SIM_BUG_##name)
#else
#define SIM_BUG(name) false
#endif

#endif
