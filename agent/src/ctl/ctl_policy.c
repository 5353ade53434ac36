/*
 * The effective write policy of every virtual drive: the facts are gathered here, the rule is
 * cache/write_policy.h's. Documents ask at any time; the work loop notes changes and tells.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

/* A virtual drive is of one controller's cache; the first real member decides. */
static const struct ctl_drive *real_drive(struct ctl_drive *const *drives, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (drives[i] != NULL && !drives[i]->identity.emulated) {
            return drives[i];
        }
    }
    return NULL;
}

static const struct ctl_drive *real_member(const struct ctl_group *cg)
{
    return real_drive(cg->members, cg_config(cg)->member_count);
}

/* What any virtual drive of emulated members would have. */
static void facts_fill(const struct ctl *ctl, struct write_policy_facts *ret_facts)
{
    const struct battery_reading *verdict = &ctl->battery.verdict;

    *ret_facts = (struct write_policy_facts){
        .medium = ctl->write_medium,
        .has_battery = battery_is_fitted(ctl),
        .kind = ctl->options.battery.kind,
        .state = verdict->state,
        .learn_is_transparent = verdict->has_learn && verdict->learn.transparent,
        .source = battery_source(ctl),
        .rule = ctl->options.profile.no_battery_rule,
        .ups_runtime_is_known = verdict->left_s >= 0 && verdict->low_left_s >= 0,
        .ups_absorbs_flush = ctl->options.battery.absorbs_flush,
    };
    if (ret_facts->ups_runtime_is_known && ctl->battery.enough) {
        ret_facts->dirty_limit_bytes =
            write_policy_dirty_limit(ctl->destage_bytes_per_s > 0 ? ctl->destage_bytes_per_s
                                                                  : WRITE_POLICY_DESTAGE_UNMEASURED,
                                     (uint64_t)verdict->left_s, (uint64_t)verdict->low_left_s,
                                     ctl->options.battery.shutdown_s);
    }
}

uint64_t ctl_dirty_limit_bytes(const struct ctl *ctl)
{
    struct write_policy_facts facts;

    facts_fill(ctl, &facts);
    /* What is written back without protection is so by a user's word, whatever the UPS says. */
    return facts.has_battery && facts.kind == BATTERY_KIND_UPS &&
                   facts.medium == WRITE_MEDIUM_SHARED_MEMORY && ctl_battery_protects(ctl)
               ? facts.dirty_limit_bytes
               : UINT64_MAX;
}

/* Also offline and on its way back: until its redundancy is whole again. */
static bool lacks_redundancy(const struct ctl_vd *cv)
{
    return geometry_span_tolerance(&cv_config(cv)->geometry) > 0 &&
           cv_state(cv) != VIRTUAL_DRIVE_STATE_OPTIMAL;
}

void ctl_write_policy_of(const struct ctl *ctl, const struct write_policy_wish *wish,
                         struct write_policy_decision *ret_decision)
{
    const struct ctl_drive *real = real_drive(wish->drives, wish->drive_count);
    struct write_policy_facts facts;
    char path[PATH_TEXT_BYTES];

    facts_fill(ctl, &facts);
    facts.requested = wish->requested;
    facts.asked_since_start = wish->asked;
    if (real != NULL) {
        drive_path(real, path, sizeof(path));
        facts.real_drive = path;
    }
    write_policy_decide(&facts, ret_decision);
    if (wish->cv != NULL) {
        cv_cache_decide(wish->cv, wish->requested, ret_decision);
        write_policy_while_degraded(wish->degraded, lacks_redundancy(wish->cv), ret_decision);
    }
}

void ctl_vd_write_policy(const struct ctl_vd *cv, struct write_policy_decision *ret_decision)
{
    struct write_policy_wish wish = {.requested = cv_config(cv)->write_policy,
                                     .degraded = cv_config(cv)->degraded_policy,
                                     .asked = cv->policy_asked,
                                     .drives = cv->cg->members,
                                     .drive_count = cg_config(cv->cg)->member_count,
                                     .cv = cv};

    ctl_write_policy_of(cv->cg->ctl, &wish, ret_decision);
}

static bool is_stable_for(const struct ctl *ctl, const struct ctl_group *cg)
{
    const struct ctl_drive *real = cg != NULL ? real_member(cg) : NULL;
    struct write_policy_facts facts;
    struct write_policy_decision decision;

    facts_fill(ctl, &facts);
    facts.requested = WRITE_POLICY_WRITE_BACK;
    facts.rule = NO_BATTERY_RULE_REFUSE;
    facts.real_drive = real != NULL ? real->object.key : NULL;
    write_policy_decide(&facts, &decision);
    return decision.stable;
}

bool ctl_cache_is_stable(const struct ctl *ctl)
{
    bool stable = is_stable_for(ctl, NULL);

    LIST_FOR_EACH (node, &ctl->groups) {
        stable = stable && is_stable_for(ctl, list_entry(node, const struct ctl_group, link));
    }
    return stable;
}

bool ctl_battery_protects(const struct ctl *ctl)
{
    struct write_policy_facts facts;
    struct write_policy_decision decision;

    facts_fill(ctl, &facts);
    facts.requested = WRITE_POLICY_WRITE_BACK;
    facts.rule = NO_BATTERY_RULE_REFUSE;
    write_policy_decide(&facts, &decision);
    return facts.has_battery && decision.effective != WRITE_POLICY_WRITE_THROUGH;
}

bool rule_write_policy(const struct ctl *ctl, enum write_policy requested,
                       struct reason *ret_reason)
{
    struct write_policy_facts facts;

    facts_fill(ctl, &facts);
    if (requested == WRITE_POLICY_WRITE_THROUGH || facts.rule != NO_BATTERY_RULE_REFUSE ||
        facts.medium == WRITE_MEDIUM_PERSISTENT || write_policy_battery_is_fitted(&facts)) {
        return true;
    }
    reason_set(ret_reason, REASON_WRITE_POLICY_REFUSED, NULL);
    return false;
}

/* Telling */

static void event_lowered(struct ctl_vd *cv, const struct write_policy_decision *now)
{
    char title[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];

    vd_title(cv, title, sizeof(title));
    (void)reason_text(&now->reason, why, sizeof(why));
    ctl_event(cv->cg->ctl, EVENT_WRITE_BACK_LOWERED, cv->object.key, "virtual_drive", title,
              "requested", write_policy_word(cv_config(cv)->write_policy), "effective",
              write_policy_word(now->effective), "why", why, NULL);
}

static void event_restored(struct ctl_vd *cv, const struct write_policy_decision *now)
{
    char title[PATH_TEXT_BYTES];

    vd_title(cv, title, sizeof(title));
    ctl_event(cv->cg->ctl, EVENT_WRITE_BACK_RESTORED, cv->object.key, "virtual_drive", title,
              "policy", write_policy_word(now->effective), NULL);
}

static void event_forced(struct ctl_vd *cv, const struct write_policy_decision *now)
{
    char title[PATH_TEXT_BYTES];
    char why[REASON_TEXT_MAX];

    vd_title(cv, title, sizeof(title));
    (void)reason_text(&now->reason, why, sizeof(why));
    ctl_event(cv->cg->ctl, EVENT_WRITE_BACK_FORCED, cv->object.key, "virtual_drive", title, "why",
              why, NULL);
}

/* Without cache memory there is nothing a battery could change. */
static bool is_lowered(const struct ctl_vd *cv, const struct write_policy_decision *decision)
{
    return decision->effective == WRITE_POLICY_WRITE_THROUGH &&
           cv_config(cv)->write_policy != WRITE_POLICY_WRITE_THROUGH &&
           decision->reason.code != REASON_NO_CACHE_MEMORY;
}

static void policy_follow(struct ctl_vd *cv)
{
    const struct write_policy_decision old = cv->policy;
    const struct ctl *ctl = cv->cg->ctl;
    enum write_policy requested = cv_config(cv)->write_policy;
    bool asked_anew = !cv->policy_known || requested != cv->policy_requested;
    bool was_lowered = cv->policy_known && cv->policy_lowered;
    bool lowered = false;

    if ((battery_is_fitted(ctl) && !ctl->battery.judged) || ctl->life == CTL_LIFE_STOPPING) {
        return; /* the source has not been heard yet, or everything ends: nothing to tell */
    }
    ctl_vd_write_policy(cv, &cv->policy);
    lowered = is_lowered(cv, &cv->policy);
    if (lowered && (asked_anew || !was_lowered)) {
        event_lowered(cv, &cv->policy);
    } else if (was_lowered && !lowered && !asked_anew) {
        event_restored(cv, &cv->policy);
    }
    if (cv->policy.at_risk && (asked_anew || !old.at_risk)) {
        event_forced(cv, &cv->policy);
    }
    cv->policy_known = true;
    cv->policy_requested = requested;
    cv->policy_lowered = lowered;
}

bool ctl_dirty_limit_is_ups(const struct ctl *ctl)
{
    uint64_t limit_bytes = ctl_dirty_limit_bytes(ctl);
    struct cache_facts facts;

    cache_facts(ctl->cache, &facts);
    return limit_bytes != UINT64_MAX &&
           facts.dirty_limit_bytes == limit_bytes / CACHE_BLOCK_BYTES * CACHE_BLOCK_BYTES;
}

void ctl_policies_work(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (cg->phase != CTL_GROUP_RUNNING) {
            continue;
        }
        LIST_FOR_EACH (vd_node, &cg->vds) {
            struct ctl_vd *cv = list_entry(vd_node, struct ctl_vd, link);

            if (!cv->removing) {
                policy_follow(cv);
                cv_cache_update(cv);
            }
        }
    }
}

void ctl_write_medium(struct ctl *ctl, enum write_medium medium, uint64_t destage_bytes_per_s)
{
    ASSERT((unsigned)medium < WRITE_MEDIUM_MAX);
    ctl->write_medium = medium;
    ctl->destage_bytes_per_s = destage_bytes_per_s;
    battery_medium_changed(ctl);
    ctl_kick(ctl);
}
