/*
 * The rule of the write policy: what a virtual drive's requested policy becomes, given where
 * the cache lives and what keeps that place alive when the power goes. Pure.
 *
 * (1) Write-back needs a place that outlives a power failure: a persistent medium, or shared
 *     memory behind a battery that protects these drives and is ready.
 * (2) Unprotected write-back exists only where the controller's rule permits it and a user
 *     asked for it, and never without a lasting reason.
 * (3) `stable` is said only of what is protected: it lets the journal answer FLUSH and FUA.
 * (4) A requested write-through is never turned into anything else.
 * (5) What is to write through while it lacks redundancy does so, whatever protects the cache;
 *     that is said only where nothing else lowers the policy already.
 */
#ifndef ARRAYWRIGHT_CACHE_WRITE_POLICY_H
#define ARRAYWRIGHT_CACHE_WRITE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/reason.h"

/* Where the journal of the write-back cache is. */
enum write_medium {
    WRITE_MEDIUM_NONE,
    WRITE_MEDIUM_SHARED_MEMORY, /* outlives the agent, not the power */
    WRITE_MEDIUM_PERSISTENT,    /* persistent memory, or a log on a non-volatile device */
    WRITE_MEDIUM_MAX
};

struct write_policy_facts {
    enum write_policy requested;
    enum write_medium medium;
    bool has_battery;            /* a source is configured; else the next four say nothing */
    enum battery_kind kind;
    enum battery_state state;
    bool learn_is_transparent;   /* it keeps its charge through a learn cycle */
    const char *source;          /* its name, for reasons; never NULL with a battery */
    const char *real_drive;      /* a member that is not emulated, for reasons; NULL: none */
    enum no_battery_rule rule;   /* of the controller's profile */
    bool asked_since_start;      /* the requested policy was asked for in this run */
    bool ups_runtime_is_known;   /* UPS only */
    uint64_t dirty_limit_bytes;  /* UPS only: write_policy_dirty_limit() */
    bool ups_absorbs_flush;      /* UPS only: an administrator lets memory answer a flush */
};

struct write_policy_decision {
    enum write_policy effective;
    bool at_risk;                /* acknowledged writes may be lost with the power */
    bool stable;                 /* a durable journal record answers FLUSH and FUA */
    struct reason reason;        /* AS_REQUESTED, or why it differs or is at risk */
};

void write_policy_decide(const struct write_policy_facts *facts,
                         struct write_policy_decision *ret_decision);

/* (5), the last question: when everything else has been decided. */
void write_policy_while_degraded(enum degraded_policy policy, bool degraded,
                                 struct write_policy_decision *decision);

/* Is there a battery at all that could protect this virtual drive? */
bool write_policy_battery_is_fitted(const struct write_policy_facts *facts);

/* What one hard disk takes in the worst order: the destage rate nobody has measured yet. */
#define WRITE_POLICY_DESTAGE_UNMEASURED (256u * 1024u)

/*
 * How much may be dirty in shared memory behind a UPS: half of what the drives take in the
 * time that is certainly left, destage rate × (runtime − low runtime − shutdown time) ÷ 2.
 * 0: nothing. The runtimes are the UPS's own (battery.runtime, battery.runtime.low).
 */
uint64_t write_policy_dirty_limit(uint64_t destage_bytes_per_s, uint64_t runtime_s,
                                  uint64_t low_runtime_s, uint64_t shutdown_s);

#endif
