/*
 * Planted bugs for testing the tests: compiled in only with -DARRAYWRIGHT_SIM_BUGS, which
 * the simulation sets for its own copy of the sources from drive/ to task/. In the product
 * SIM_BUG() is false. Each names the promise it breaks (P1 no acknowledged write is lost, P2 no
 * wrong data and no needless error, P3 no stale drive, P4 configuration all or nothing, P5 healing
 * ends, P6 silent damage is told and never guessed at, P7 a failed flush is a failed drive; A: an
 * assertion must stop it).
 *
 * To add one: a line here, `if (SIM_BUG(NAME))` in the code, and, if plain lives do not meet it
 * soon enough, a line in sim/test_sim_bugs.c that says where it shows best.
 */
#ifndef ARRAYWRIGHT_BASE_SIM_BUG_H
#define ARRAYWRIGHT_BASE_SIM_BUG_H

/* clang-format off */

/* The group and its records. */
#define SIM_BUGS_GROUP(X)                                                                          \
    X(NO_DIRTY_MARK, P2, "writes without a dirty mark")                                            \
    X(MARK_NOT_AWAITED, P2, "writes before the dirty mark is durable")                             \
    X(ACK_BEFORE_LOSS, P3, "acknowledges before the loss of a member is durable")                  \
    X(LOSS_NOT_SAVED, P3, "does not record the loss of a member")                                  \
    X(LOSS_UNFLUSHED, P1, "records a loss before the survivors have flushed")                      \
    X(LOSS_BEYOND_RECORDED, P1, "records a loss that took the group offline")                      \
    X(STALE_ACCEPTED, P3, "takes a lost member back because its drive is there")                   \
    X(UNCLEAN_FORGOTTEN, P2, "no resync after an unclean stop")                                    \
    X(WRONG_Q, P2, "Q with a wrong coefficient")                                                   \
    X(Q_NOT_UPDATED, P2, "a small write leaves Q as it was")                                       \
    X(PARITY_FROM_STALE, P2, "parity follows the old data, not the difference")                    \
    X(LAYOUT_WRONG, P2, "data strips of RAID 5 in another order")                                  \
    X(PAIR_NOT_WRAPPED, P2, "second copies of RAID 1E a strip too early")                          \
    X(CURSOR_AHEAD, P3, "trusts a rebuild target above its cursor")                                \
    X(REPLACED_TRUSTED, P3, "trusts a new drive at once")                                          \
    X(REBUILD_GOES_ON, P3, "a rebuild goes on as that of a drive that was put back meanwhile")     \
    X(REBUILT_UNFLUSHED, P3, "a rebuild ends without a flush")                                     \
    X(SKIP_TARGET, P2, "writes do not reach a rebuild target")                                     \
    X(SYNC_SKIPS_ROW, P3, "a sync leaves out its first row")                                       \
    X(CHECKPOINT_UNFLUSHED, P3, "publishes cursors before the flush")                              \
    X(FLUSH_IGNORED, P1, "answers a flush without flushing")                                       \
    X(FLUSH_ONE_MEMBER, P1, "flushes only one member")                                             \
    X(FLUSH_TARGET_LATE, P1, "a flush vouches for writes that came after it")                      \
    X(FLUSH_FAILURE_IGNORED, P7, "a failed flush counts as a flush")                               \
    X(REFUSED_FLUSH_BELIEVED, P7, "a flush that last copies refuse counts as a flush")             \
    X(FUA_IGNORED, P1, "no flush for a write with FUA")                                            \
    X(STOP_UNFLUSHED, P1, "an orderly stop without a flush")                                       \
    X(CLEAN_UNFLUSHED, P2, "clears the dirty mark without a flush")                                \
    X(CLEAN_RACE, P2, "clears the dirty mark although a write came meanwhile")                     \
    X(NO_LOCK, P2, "writes to one slice at the same time")                                         \
    X(TRIM_UNLOCKED, P2, "a trim does not wait for the lock of its slice")                         \
    X(TRIM_NO_PARITY, P2, "a trim leaves parity as it was")                                        \
    X(ADMISSION_OVERTAKES, P1, "overlapping writes take effect in any order")                      \
    X(ANSWERED_TWICE, A, "a flush is answered twice")                                              \
    X(UPDATE_INCONSISTENT, P2, "read-modify-write on rows not known consistent")                   \
    X(MIRROR_READS_ANY, P2, "reads any copy of a row not known consistent")                        \
    X(MIRROR_ONE_COPY, P2, "writes one copy of a mirror")                                          \
    X(DOUBT_ONE_COPY, P1, "writes one copy of a mirror where a resync is still to come")           \
    X(SYNC_OTHER_COPY, P1, "a resync takes another copy than reads have taken before")             \
    X(READ_ERROR_IS_DATA, P2, "what could not be read counts as read")                             \
    X(READ_GIVES_UP, P2, "a read error is answered although redundancy could help")                \
    X(SECTORS_GIVEN_UP, P2, "a block is lost as a whole of which sectors could be had")           \
    X(READ_CUT_SHORT, P2, "a read by the block is over when its group goes offline")               \
    X(WRITE_ERROR_FORGOTTEN, P3, "a write error costs nobody anything")                            \
    X(LATE_OP_REUSED, A, "buffers of a late transfer are used again")                              \
    X(PLAIN_UNTRUSTED, P3, "a plain read trusts a rebuild target above its cursor")                \
    X(PLAIN_UNLOCKED, P2, "a plain read does not look whether its slice is locked")                \
    X(PLAIN_NOTED, P2, "a plain read does not look for notes of bad blocks")                       \
    X(LENT_READ_KEPT, P2, "a read is answered in memory that a late drive still writes to")        \
    X(MEND_IN_DOUBT, P2, "mends a block of a row that is not known consistent")                    \
    X(MEND_UNLOCKED, P2, "mends a block while its row is being written")                           \
    X(CHECK_IN_DOUBT, P6, "compares rows that are not known consistent")                           \
    X(CHECK_UNLOCKED, P6, "compares a row while it is being written")                              \
    X(CHECK_GUESSES, P6, "takes one parity for what is wrong, and makes it anew")                  \
    X(CHECK_NAMES_ANY, P6, "names a column that explains a part of what is wrong")                 \
    X(CHECK_PAST_NOTES, P6, "compares blocks that are noted as lost")                              \
    X(LOST_FORGOTTEN, P2, "a block beyond recovery is not recorded")                               \
    X(SPARE_TOO_SMALL, P1, "a drive that is too small becomes a member")                           \
    X(SEQUENCE_NOT_BUMPED, P4, "records do not get newer")                                         \
    X(EDIT_NOT_UNDONE, P4, "a change that failed stays")                                           \
    X(ONE_LABEL, P3, "only one member gets the new record")                                        \
    X(STORE_SUFFICES, P4, "a change does not reach the labels")                                    \
    X(LABEL_UNFLUSHED, P4, "labels are not flushed")                                               \
    X(LABEL_SAME_SLOT, P4, "the newest label is overwritten")                                      \
    X(LABEL_READ_TRUSTED, P3, "a label that was only read counts as durable")                      \
    X(LABEL_SECOND_WINS, P3, "the label in the second slot counts, old or not")

/* Write intents. */
#define SIM_BUGS_INTENT(X)                                                                         \
    X(INTENT_AFTER_DATA, P1, "logs an intent when its row has been written")                       \
    X(INTENT_RELEASED_EARLY, P1, "releases intents before the members' flush")                     \
    X(INTENT_NO_PARITY, P1, "leaves the new parity out of intents")                                \
    X(INTENT_NOT_DEGRADED, P1, "replaces degraded rows without an intent")                         \
    X(INTENT_TRUSTS_REBUILD, P1, "whole rows past the log before a rebuild is durably over")       \
    X(INTENT_IGNORES_OPEN, P1, "writes whole rows past older open intents")                        \
    X(REPLAY_NOT_DEGRADED, P1, "does not replay intents with members missing")                     \
    X(REPLAY_UNFLUSHED, P1, "clears the log before the replayed rows are flushed")                 \
    X(LOG_ANY_TRUSTED, P2, "takes a log made anew for the one that knew what was being written")   \
    X(LOG_ONE_COPY, P1, "keeps one copy of the stripe log only")                                   \
    X(LOG_TAIL_EARLY, P1, "takes intents for released before the stripe log says so")              \
    X(LOG_ON_LATE, P2, "an automatic stripe log begins after the first degraded writes")           \
    X(LOG_NOT_READ, P2, "does not read an automatic stripe log at a degraded start")               \
    X(DOUBT_UNNOTED, P2, "invents the missing data of rows that no log knew of")                   \
    X(LOG_NOT_JOINED, P1, "a rebuilt member is in sync without having joined the stripe log")      \
    X(REBUILT_UNSETTLED, P1, "a rebuild ends while older intents may still be replayed")           \
    X(CURSOR_UNSETTLED, P1, "publishes a rebuild's cursor while they may be")                      \
    X(LOG_JOINED_EARLY, P1, "a member has joined while batches count that it does not have")       \
    X(LOG_JOINED_DRY, P1, "a member that joins the stripe log gets no batches")

#define SIM_BUGS_REGION(X)                                                                         \
    X(REGION_AFTER_DATA, P2, "writes before their region's mark is durable")                       \
    X(REGION_CLEAN_OPEN, P2, "cleans regions with writes open")                                    \
    X(REGION_CLEAN_UNFLUSHED, P2, "cleans regions without a flush")                                \
    X(REGION_FORGOTTEN, P2, "does not resynchronize dirty regions after an unclean stop")          \
    X(REGION_VOID_EARLY, P2, "writes past a map before a start would no longer believe it")        \
    X(GROWN_FORGETS, P2, "a virtual drive that grows forgets which regions are in doubt")          \
    X(GROWN_TRUSTED, P2, "the new rows of a virtual drive that has grown count as consistent")     \
    X(GROWTH_SYNCS_KEPT, A, "syncs of rows stay that growing has not made in the end")

#define SIM_BUGS_COPYBACK(X)                                                                       \
    X(COPYBACK_ONE, P1, "writes go to the member and not to the drive of its copyback")            \
    X(COPYBACK_MISSED, P3, "the drive of a copyback misses a write and stays")                     \
    X(COPYBACK_UNCLEAN, P2, "a copyback goes on after an unclean stop as if nothing had been")     \
    X(COPYBACK_UNFLUSHED, P1, "the drive of a copyback becomes the member without a flush")        \
    X(COPYBACK_PASSED, P1, "a copyback leaves out a virtual drive added below its cursor")         \
    X(COPYBACK_FLUSH_STAYS, A, "a flush that a drive still has stays with its former place")

#define SIM_BUGS_BAD_BLOCK(X)                                                                      \
    X(FLUSH_BELIEVED, P7, "tries a failed flush again and believes the answer")                    \
    X(DDF_FLUSH_BELIEVED, P7, "a flush that fails among DDF metadata costs nobody anything")       \
    X(PUNCTURE_UNNOTED, P2, "zeros in place of lost data, and no note")                            \
    X(PUNCTURE_NOT_DURABLE, P2, "zeros in place of lost data before the note is durable")          \
    X(PUNCTURE_FORGOTTEN, P2, "a repair of the medium ends a puncture")                            \
    X(PUNCTURE_REPLACED, P2, "the punctured blocks of a replaced drive are trusted again")        \
    X(PUNCTURE_UNFILLED, P2, "what a new drive held before stands in for a punctured block")       \
    X(NOTE_ENDS_UNFLUSHED, P2, "a lost block is trusted before what replaced it is flushed")       \
    X(HEDGE_UNSOUND, P2, "reads another copy of a row not known consistent if one is slow")

#define SIM_BUGS_HOST_STRIPE(X)                                                                    \
    X(HOST_STRIPE_FLUSH_ONE, P1, "a stripe over virtual drives flushes the first of them only")    \
    X(HOST_STRIPE_FUA_LOST, P1, "a stripe over virtual drives forgets FUA")                        \
    X(HOST_STRIPE_ERROR_FORGOTTEN, P2, "a stripe over virtual drives answers as the last part")    \
    X(HOST_STRIPE_OVERTAKES, P1, "a stripe over virtual drives begins the newest request first")

/* All; another family of bugs gets a list of its own and a place here. */
#define SIM_BUGS(X)                                                                                \
    SIM_BUGS_GROUP(X) SIM_BUGS_INTENT(X) SIM_BUGS_REGION(X) SIM_BUGS_COPYBACK(X)                   \
    SIM_BUGS_BAD_BLOCK(X) SIM_BUGS_HOST_STRIPE(X)

enum sim_bug {
    SIM_BUG_NONE,
#define SIM_BUG_ENUM(name, promise, text) SIM_BUG_##name,
    SIM_BUGS(SIM_BUG_ENUM)
#undef SIM_BUG_ENUM
    SIM_BUG_MAX
};
/* clang-format on */

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
