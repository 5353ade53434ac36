/*
 * Planted bugs of the cache for testing the tests, like those of the engine (base/sim_bug.h):
 * compiled in only with -DARRAYWRIGHT_SIM_BUGS. In the product CACHE_BUG() is false.
 */
#ifndef ARRAYWRIGHT_CACHE_SIM_BUG_H
#define ARRAYWRIGHT_CACHE_SIM_BUG_H

enum cache_bug {
    CACHE_BUG_NONE,
    CACHE_BUG_PUBLISH_FIRST,      /* the word before the content */
    CACHE_BUG_NO_PERSIST_DATA,    /* content not persisted before the word */
    CACHE_BUG_NO_PERSIST_WORD,    /* acknowledged before the word is persisted */
    CACHE_BUG_OVERWRITE_IN_PLACE, /* a published frame is overwritten */
    CACHE_BUG_SHORT_CRC_IGNORED,  /* a damaged descriptor is believed */
    CACHE_BUG_DATA_CRC_IGNORED,   /* damaged content is believed */
    CACHE_BUG_FREE_UNFLUSHED,     /* frames freed before the drives were flushed */
    CACHE_BUG_FREE_OLD_FIRST,     /* the old frame is freed before the new one is published */
    CACHE_BUG_NO_MARK,            /* acknowledged before the mark on the drives is durable */
    CACHE_BUG_FLUSH_SHORT,        /* a flush does not wait for the cache */
    CACHE_BUG_FLUSH_LATER,        /* a flush vouches for what was written while it ran */
    CACHE_BUG_PASS_UNDRAINED,     /* a write passes older dirty blocks of its range */
    CACHE_BUG_PASS_COMMIT,        /* ... and older ones that the log does not have yet */
    CACHE_BUG_STALE_FILL,         /* a read fills in what was overwritten meanwhile */
    CACHE_BUG_FILL_LENT,          /* ... or what is in memory that a late drive has kept */
    CACHE_BUG_JOIN_SPOILED,       /* a read waits for what was read before it was overwritten */
    CACHE_BUG_PARTIAL_FORGOTTEN,  /* a new frame loses the old one's other dirty sectors */
    CACHE_BUG_ROW_TWICE,          /* two batches of one row at a time */
    CACHE_BUG_DISCARD_ON_ERROR,   /* what could not be written to the drives is dropped */
    CACHE_BUG_LOG_ACK_EARLY,      /* acknowledged before the log's record is durable */
    CACHE_BUG_LOG_CRC_IGNORED,    /* a torn record is believed */
    CACHE_BUG_LOG_NUMBER_IGNORED, /* a record of an earlier lap is believed */
    CACHE_BUG_LOG_WRAP_EARLY,     /* records that still count are written over */
    CACHE_BUG_LOG_TORN_FIRST,     /* a record that was torn hides the one written in its place */
    CACHE_BUG_LOG_RELEASE_LATE,   /* a write passes what the log does not know to be over */
    CACHE_BUG_LOG_NOT_VOID,       /* writes pass a lost log that the members still name */
    CACHE_BUG_KEPT_PARTIAL,       /* part of a row goes without an intent because it is cached */
    CACHE_BUG_KEPT_EARLY,         /* a row goes without an intent before the log has it */
    CACHE_BUG_KEPT_PAST_TARGET,   /* what the cache keeps does not reach a rebuild's target */
    CACHE_BUG_KEPT_PAST_TWIN,     /* ... nor the drive of a copyback */
    CACHE_BUG_SETTLE_EARLY,       /* a rebuild ends with older intents that may be replayed */
    CACHE_BUG_THROUGH_LAZY,       /* what is dirty does not hurry when write-back ends */
    CACHE_BUG_DISCARD_UNSETTLED,  /* marked before the log knows of what has been discarded */
    CACHE_BUG_MAX
};

#ifdef ARRAYWRIGHT_SIM_BUGS
extern enum cache_bug cache_bug_active;
#define CACHE_BUG(name) (cache_bug_active == CACHE_BUG_##name)
#else
#define CACHE_BUG(name) false
#endif

#endif
