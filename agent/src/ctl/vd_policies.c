/*
 * See vd_policies.h.
 *
 * (1) A policy that holds as it was asked for says so; any other effective value has its reason.
 * (2) A preset only fills in: what is given itself stays as it was given.
 * (3) What nobody gives is as MegaRAID has it: write-back where cached writes outlive a power
 *     failure, adaptive read-ahead, direct.
 * (4) A preset never takes a risk by itself: whoever applies it accepts what it gives up.
 */
#include "ctl/vd_policies.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/names.h"

static bool has_cache(const struct policies_subject *subject)
{
    return subject->ctl->cache != NULL && (subject->cv == NULL || !subject->cv->cache_refused);
}

static enum reason_code cache_missing(const struct policies_subject *subject,
                                      enum reason_code without)
{
    return subject->ctl->cache != NULL ? REASON_CACHE_NO_PLACE : without;
}

static void write_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    struct write_policy_wish wish = {.requested = subject->vd->write_policy,
                                     .degraded = subject->vd->degraded_policy,
                                     .asked = subject->asked,
                                     .drives = subject->drives,
                                     .drive_count = subject->drive_count,
                                     .cv = subject->cv};
    struct write_policy_decision decision;

    ctl_write_policy_of(subject->ctl, &wish, &decision);
    ret->requested = write_policy_word(wish.requested);
    ret->effective = write_policy_word(decision.effective);
    ret->reason = decision.reason;
}

static void read_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    enum read_policy wanted = subject->vd->read_policy;
    bool holds = has_cache(subject) || wanted == READ_POLICY_NO_READ_AHEAD;

    ret->requested = read_policy_word(wanted);
    ret->effective = read_policy_word(holds ? wanted : READ_POLICY_NO_READ_AHEAD);
    reason_set(&ret->reason,
               holds ? REASON_AS_REQUESTED : cache_missing(subject, REASON_NO_CACHE_MEMORY), NULL);
}

/* Without a cache nothing that was read is kept. */
static void io_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    enum io_policy wanted = subject->vd->io_policy;
    bool holds = has_cache(subject) || wanted == IO_POLICY_DIRECT;

    ret->requested = io_policy_word(wanted);
    ret->effective = io_policy_word(holds ? wanted : IO_POLICY_DIRECT);
    reason_set(&ret->reason,
               holds ? REASON_AS_REQUESTED : cache_missing(subject, REASON_IO_POLICY_NO_CACHE),
               NULL);
}

static void degraded_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    enum degraded_policy wanted = subject->vd->degraded_policy;
    bool holds =
        wanted == DEGRADED_POLICY_KEEP || geometry_span_tolerance(&subject->vd->geometry) > 0;

    ret->requested = degraded_policy_word(wanted);
    ret->effective = degraded_policy_word(holds ? wanted : DEGRADED_POLICY_KEEP);
    reason_set(&ret->reason, holds ? REASON_AS_REQUESTED : REASON_DEGRADED_POLICY_NO_REDUNDANCY,
               NULL);
}

/* Why nobody can use it; OK: its access policy decides. */
static enum reason_code access_fault(const struct ctl_vd *cv)
{
    if (cv_state(cv) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        return REASON_ACCESS_OFFLINE;
    }
    if (cv->vd == NULL) {
        return REASON_ACCESS_NOT_STARTED;
    }
    return cv->measure.active ? REASON_ACCESS_MEASURED : REASON_OK;
}

static void access_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    enum access_policy wanted = subject->vd->access;
    enum reason_code fault =
        subject->cv != NULL && !subject->ahead && wanted != ACCESS_POLICY_BLOCKED
            ? access_fault(subject->cv)
            : REASON_OK;

    ret->requested = access_policy_word(wanted);
    ret->effective = access_policy_word(fault != REASON_OK ? ACCESS_POLICY_BLOCKED : wanted);
    reason_set(&ret->reason, fault != REASON_OK ? fault : REASON_AS_REQUESTED, NULL);
}

/* Why nothing of it is read or written now; OK: it may be. */
static enum reason_code at_rest(const struct policies_subject *subject)
{
    return subject->cg == NULL                                    ? REASON_OK
           : cg_state(subject->cg) == VIRTUAL_DRIVE_STATE_OFFLINE ? REASON_ACCESS_OFFLINE
           : subject->cg->phase != CTL_GROUP_RUNNING              ? REASON_ACCESS_NOT_STARTED
                                                                  : REASON_OK;
}

static void switch_judge(bool wanted, enum reason_code fault, struct policy_view *ret)
{
    bool holds = wanted && fault == REASON_OK;

    ASSERT(fault != REASON_AS_REQUESTED);
    ret->requested = switch_state_word(wanted ? SWITCH_STATE_ON : SWITCH_STATE_OFF);
    ret->effective = switch_state_word(holds ? SWITCH_STATE_ON : SWITCH_STATE_OFF);
    reason_set(&ret->reason, holds || !wanted ? REASON_AS_REQUESTED : fault, NULL);
}

/* What is in the way of a stripe log; OK: nothing. */
static enum reason_code stripe_log_fault(const struct policies_subject *subject)
{
    static const enum reason_code of_log[GROUP_LOG_MAX] = {
        [GROUP_LOG_NONE] = REASON_STRIPE_LOG_WAITS,
        [GROUP_LOG_MEMORY] = REASON_STRIPE_LOG_JOURNAL_MEMORY,
        [GROUP_LOG_STABLE] = REASON_STRIPE_LOG_JOURNAL,
        [GROUP_LOG_DRIVES] = REASON_OK,
        [GROUP_LOG_BEGINS] = REASON_STRIPE_LOG_BEGINS,
        [GROUP_LOG_NO_MEMORY] = REASON_STRIPE_LOG_NO_MEMORY,
    };
    enum reason_code rest = at_rest(subject);

    if (rest != REASON_OK || subject->cg == NULL) {
        return rest;
    }
    return of_log[group_log(subject->cg->group)];
}

/* Nothing is missing, or that is not known yet. */
static bool is_whole(const struct policies_subject *subject)
{
    return subject->cg == NULL || cg_state(subject->cg) == VIRTUAL_DRIVE_STATE_OPTIMAL;
}

static void stripe_log_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    const struct vd_config *vd = subject->vd;
    bool parity = raid_level_info(vd->geometry.level)->parity_count > 0;
    enum reason_code fault = stripe_log_fault(subject);

    if (vd->stripe_log == STRIPE_LOG_MODE_AUTO && is_whole(subject) &&
        (fault == REASON_OK || fault == REASON_STRIPE_LOG_WAITS)) {
        fault = REASON_STRIPE_LOG_RESTS;
    }
    switch_judge(vd->stripe_log != STRIPE_LOG_MODE_OFF, fault, ret);
    ret->requested = stripe_log_mode_word(vd->stripe_log);
    if ((vd->stripe_log == STRIPE_LOG_MODE_AUTO && !parity) ||
        (vd->stripe_log == STRIPE_LOG_MODE_ON && geometry_span_tolerance(&vd->geometry) == 0)) {
        ret->effective = switch_state_word(SWITCH_STATE_OFF);
        reason_set(&ret->reason, REASON_STRIPE_LOG_NOT_NEEDED, "virtual_drive", vd->name, NULL);
    }
}

/* Is there a member that the others could stand in for? */
static bool any_can_be_spared(const struct group_config *config)
{
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (config->members[i].state == MEMBER_ONLINE && !group_config_is_last_copy(config, i)) {
            return true;
        }
    }
    return false;
}

static void hedged_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    enum reason_code fault = at_rest(subject);

    if (geometry_span_tolerance(&subject->vd->geometry) == 0) {
        fault = REASON_HEDGED_READS_NO_REDUNDANCY;
    } else if (fault == REASON_OK && subject->cg != NULL &&
               !any_can_be_spared(cg_config(subject->cg))) {
        fault = REASON_HEDGED_READS_DEGRADED;
    }
    switch_judge(subject->vd->hedged_reads, fault, ret);
}

void policies_judge(const struct policies_subject *subject, struct policies_view *ret)
{
    ASSERT(subject->vd != NULL && subject->ctl != NULL);
    write_judge(subject, &ret->write_policy);
    read_judge(subject, &ret->read_policy);
    io_judge(subject, &ret->io_policy);
    drive_cache_judge(subject, &ret->drive_cache);
    degraded_judge(subject, &ret->degraded);
    access_judge(subject, &ret->access);
    stripe_log_judge(subject, &ret->stripe_log);
    hedged_judge(subject, &ret->hedged_reads);
}

/* Risks */

static void risk_add(struct policy_risks *risks, enum reason_code code)
{
    ASSERT(risks->count < POLICY_RISKS_MAX);
    reason_set(&risks->items[risks->count++], code, NULL);
}

/* A medium that keeps itself needs no battery, and a controller that refuses never forces. */
static bool may_be_forced_later(const struct ctl *ctl)
{
    return ctl->write_medium == WRITE_MEDIUM_SHARED_MEMORY &&
           ctl->options.profile.no_battery_rule != NO_BATTERY_RULE_REFUSE;
}

/* What it does while it is degraded takes nothing from the risk before and after. */
static void write_risk(const struct policies_subject *subject, struct policy_risks *risks)
{
    struct write_policy_wish wish = {.requested = subject->vd->write_policy,
                                     .asked = true,
                                     .drives = subject->drives,
                                     .drive_count = subject->drive_count,
                                     .cv = subject->cv};
    struct write_policy_decision decision;

    ctl_write_policy_of(subject->ctl, &wish, &decision);
    if (decision.at_risk) {
        risk_add(risks, REASON_RISK_WRITE_BACK_NOW);
    } else if (wish.requested == WRITE_POLICY_ALWAYS_WRITE_BACK &&
               may_be_forced_later(subject->ctl)) {
        risk_add(risks, REASON_RISK_WRITE_BACK_LATER);
    }
}

void policies_risks(const struct policies_subject *subject, const struct vd_config *now,
                    struct policy_risks *ret)
{
    const struct vd_config *vd = subject->vd;

    ret->count = 0;
    if (now == NULL || now->write_policy != vd->write_policy) {
        write_risk(subject, ret);
    }
    if (vd->drive_cache_policy == DRIVE_CACHE_POLICY_ON &&
        (now == NULL || now->drive_cache_policy != DRIVE_CACHE_POLICY_ON)) {
        risk_add(ret, REASON_RISK_DRIVE_CACHE);
    }
}

/* Presets */

const char *policies_preset(const struct ctl *ctl, const struct vd_config *vd)
{
    struct vd_preset policies = {.read_policy = vd->read_policy,
                                 .write_policy = vd->write_policy,
                                 .io_policy = vd->io_policy,
                                 .drive_cache_policy = vd->drive_cache_policy,
                                 .degraded_policy = vd->degraded_policy};
    const struct vd_preset *preset = controller_profile_preset_of(&ctl->options.profile, &policies);

    return preset != NULL ? preset->name : NULL;
}

static const struct vd_preset *preset_find(const struct ctl *ctl, const char *name,
                                           struct reason *ret_reason)
{
    const struct controller_profile *profile = &ctl->options.profile;
    const struct vd_preset *preset = controller_profile_preset(profile, name);
    char names[128] = "";

    if (preset != NULL) {
        return preset;
    }
    for (uint32_t i = 0; i < profile->preset_count; i++) {
        size_t used = strlen(names);

        (void)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                       profile->presets[i].name);
    }
    reason_set(ret_reason, REASON_PRESET_UNKNOWN, "model", profile->model, "preset", name,
               "presets", names, NULL);
    return NULL;
}

/* Afterwards all of them are given, so that once more changes nothing. */
static void preset_fill(const struct vd_preset *preset, uint32_t *fields, enum write_policy *write,
                        enum read_policy *read, enum io_policy *io, enum drive_cache_policy *cache,
                        enum degraded_policy *degraded)
{
    *write = (*fields & VD_SET_WRITE_POLICY) != 0 ? *write : preset->write_policy;
    *read = (*fields & VD_SET_READ_POLICY) != 0 ? *read : preset->read_policy;
    *io = (*fields & VD_SET_IO_POLICY) != 0 ? *io : preset->io_policy;
    *cache = (*fields & VD_SET_DRIVE_CACHE) != 0 ? *cache : preset->drive_cache_policy;
    *degraded = (*fields & VD_SET_DEGRADED) != 0 ? *degraded : preset->degraded_policy;
    *fields |= VD_SET_POLICIES;
}

/* The drives that a virtual drive would be made of; a missing one is NULL. */
static uint32_t creation_drives(const struct ctl *ctl, const struct command_vd_create *args,
                                struct ctl_drive *out[COMMAND_DRIVES_MAX])
{
    const struct ctl_group *cg =
        args->drive_group[0] != '\0' ? group_by_key(ctl, args->drive_group) : NULL;
    uint32_t count = cg != NULL ? cg_config(cg)->member_count : args->drive_count;

    ASSERT(count <= COMMAND_DRIVES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = cg != NULL ? cg->members[i] : drive_by_key(ctl, args->drives[i]);
    }
    return count;
}

/* A battery that is only not ready yet: what was asked for holds as soon as it is. */
static bool is_passing(enum reason_code why)
{
    return why == REASON_WRITE_POLICY_BATTERY_LEARNING ||
           why == REASON_WRITE_POLICY_BATTERY_CHARGING || why == REASON_WRITE_POLICY_BATTERY_LOW ||
           why == REASON_WRITE_POLICY_ON_BATTERY;
}

/* MegaRAID's: write-back where cached writes outlive a power failure, else write-through. */
static enum write_policy default_write(const struct ctl *ctl, const struct command_vd_create *args,
                                       struct reason *ret_why)
{
    struct ctl_drive *drives[COMMAND_DRIVES_MAX];
    struct write_policy_wish wish = {.requested = WRITE_POLICY_WRITE_BACK,
                                     .degraded = args->degraded_policy,
                                     .asked = false,
                                     .drives = drives,
                                     .drive_count = creation_drives(ctl, args, drives)};
    struct write_policy_decision decision;

    ctl_write_policy_of(ctl, &wish, &decision);
    *ret_why = decision.reason;
    return (decision.effective == WRITE_POLICY_WRITE_BACK && !decision.at_risk) ||
                   is_passing(decision.reason.code)
               ? WRITE_POLICY_WRITE_BACK
               : WRITE_POLICY_WRITE_THROUGH;
}

static void defaults_fill(const struct ctl *ctl, struct command_vd_create *args)
{
    struct reason why;

    if ((args->fields & VD_SET_WRITE_POLICY) == 0) {
        args->write_policy = default_write(ctl, args, &why);
    }
    if ((args->fields & VD_SET_READ_POLICY) == 0) {
        args->read_policy =
            ctl->cache != NULL ? READ_POLICY_ADAPTIVE_READ_AHEAD : READ_POLICY_NO_READ_AHEAD;
    }
}

void ctl_default_tell(const struct ctl *ctl, const struct command_vd_create *args,
                      struct policies_view *policies)
{
    struct policy_view *view = &policies->write_policy;
    struct reason why;

    if (!args->defaults || args->preset[0] != '\0' || (args->fields & VD_SET_WRITE_POLICY) != 0 ||
        default_write(ctl, args, &why) != WRITE_POLICY_WRITE_THROUGH) {
        return;
    }
    view->requested = write_policy_word(WRITE_POLICY_WRITE_BACK);
    view->effective = write_policy_word(WRITE_POLICY_WRITE_THROUGH);
    view->reason = why;
}

bool ctl_preset_fill_create(const struct ctl *ctl, struct command_vd_create *args,
                            struct reason *ret_reason)
{
    const struct vd_preset *preset = NULL;

    if (args->preset[0] == '\0') {
        if (args->defaults) {
            defaults_fill(ctl, args);
        }
        return true;
    }
    preset = preset_find(ctl, args->preset, ret_reason);
    if (preset == NULL) {
        return false;
    }
    preset_fill(preset, &args->fields, &args->write_policy, &args->read_policy, &args->io_policy,
                &args->drive_cache_policy, &args->degraded_policy);
    return true;
}

bool ctl_preset_fill_set(const struct ctl *ctl, struct command_vd_set *args,
                         struct reason *ret_reason)
{
    const struct vd_preset *preset = NULL;

    if ((args->fields & VD_SET_PRESET) == 0) {
        return true;
    }
    preset = preset_find(ctl, args->preset, ret_reason);
    if (preset == NULL) {
        return false;
    }
    preset_fill(preset, &args->fields, &args->write_policy, &args->read_policy, &args->io_policy,
                &args->drive_cache_policy, &args->degraded_policy);
    return true;
}

bool ctl_preset_fill(const struct ctl *ctl, struct ctl_command *command, struct reason *ret_reason)
{
    if (command->op == CTL_OP_VD_CREATE) {
        return ctl_preset_fill_create(ctl, &command->args.vd_create, ret_reason);
    }
    return command->op != CTL_OP_VD_SET ||
           ctl_preset_fill_set(ctl, &command->args.vd_set, ret_reason);
}

static const char *risk_words(enum reason_code code)
{
    return code == REASON_RISK_WRITE_BACK_NOW     ? "write-back without a working battery"
           : code == REASON_RISK_WRITE_BACK_LATER ? "write-back also while the battery is not ready"
                                                  : "the drives' own caches on";
}

bool rule_preset_risk(const char *preset, bool accepted, const struct policy_risks *risks,
                      struct reason *ret_reason)
{
    char what[128] = "";

    if (preset[0] == '\0' || accepted || risks->count == 0) {
        return true;
    }
    for (uint32_t i = 0; i < risks->count; i++) {
        size_t used = strlen(what);

        (void)snprintf(what + used, sizeof(what) - used, "%s%s", i > 0 ? "; " : "",
                       risk_words(risks->items[i].code));
    }
    reason_set(ret_reason, REASON_PRESET_GIVES_UP, "preset", preset, "what", what, NULL);
    return false;
}
