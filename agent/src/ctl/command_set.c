/*
 * vd_set and controller_set: properties.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/coercion.h"
#include "ctl/ctl_stripe.h"
#include "ctl/vd_policies.h"

/* vd_set */

struct set_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_vd *cv;
    struct vd_config old;
    bool old_asked;
};

static bool enums_are_known(const struct command_vd_set *args, struct reason *ret_reason)
{
    const char *field = NULL;

    if ((args->fields & VD_SET_WRITE_POLICY) != 0 &&
        (unsigned)args->write_policy >= WRITE_POLICY_MAX) {
        field = "write_policy";
    } else if ((args->fields & VD_SET_READ_POLICY) != 0 &&
               (unsigned)args->read_policy >= READ_POLICY_MAX) {
        field = "read_policy";
    } else if ((args->fields & VD_SET_IO_POLICY) != 0 &&
               (unsigned)args->io_policy >= IO_POLICY_MAX) {
        field = "io_policy";
    } else if ((args->fields & VD_SET_DRIVE_CACHE) != 0 &&
               (unsigned)args->drive_cache_policy >= DRIVE_CACHE_POLICY_MAX) {
        field = "drive_cache_policy";
    } else if ((args->fields & VD_SET_DEGRADED) != 0 &&
               (unsigned)args->degraded_policy >= DEGRADED_POLICY_MAX) {
        field = "degraded_policy";
    } else if ((args->fields & VD_SET_STRIPE_LOG_MODE) != 0 &&
               (unsigned)args->stripe_log_mode >= STRIPE_LOG_MODE_MAX) {
        field = "stripe_log_mode";
    } else if ((args->fields & VD_SET_ACCESS) != 0 && (unsigned)args->access >= ACCESS_POLICY_MAX) {
        field = "access";
    }
    if (field != NULL) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", field, "problem", "no such value",
                   NULL);
        return false;
    }
    return true;
}

static bool name_is_free(const struct ctl *ctl, const struct command_vd_set *args,
                         const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct ctl_vd *other = NULL;
    char path[PATH_TEXT_BYTES];

    if ((args->fields & VD_SET_NAME) == 0) {
        return true;
    }
    if (!vd_name_is_valid(args->name)) {
        reason_set(ret_reason, REASON_NAME_INVALID, NULL);
        return false;
    }
    other = vd_by_name(ctl, args->name);
    if (other != NULL && (other != cv || strcmp(cv_config(cv)->name, args->name) != 0)) {
        vd_path(other, path, sizeof(path));
        reason_set(ret_reason, REASON_NAME_TAKEN, "name", args->name, "key", path, NULL);
        return false;
    }
    return true;
}

static void policies_apply(const struct command_vd_set *args, struct vd_config *vd)
{
    vd->write_policy =
        (args->fields & VD_SET_WRITE_POLICY) != 0 ? args->write_policy : vd->write_policy;
    vd->read_policy =
        (args->fields & VD_SET_READ_POLICY) != 0 ? args->read_policy : vd->read_policy;
    vd->io_policy = (args->fields & VD_SET_IO_POLICY) != 0 ? args->io_policy : vd->io_policy;
    vd->drive_cache_policy = (args->fields & VD_SET_DRIVE_CACHE) != 0 ? args->drive_cache_policy
                                                                      : vd->drive_cache_policy;
    vd->degraded_policy =
        (args->fields & VD_SET_DEGRADED) != 0 ? args->degraded_policy : vd->degraded_policy;
}

static enum stripe_log_mode stripe_log_wanted(const struct command_vd_set *args,
                                              const struct vd_config *vd)
{
    if ((args->fields & VD_SET_STRIPE_LOG_MODE) != 0) {
        return args->stripe_log_mode;
    }
    if ((args->fields & VD_SET_STRIPE_LOG) != 0) {
        return args->stripe_log ? STRIPE_LOG_MODE_ON : STRIPE_LOG_MODE_OFF;
    }
    return vd->stripe_log;
}

static void vd_edit(struct group_config *config, void *context)
{
    const struct set_run *run = context;
    const struct command_vd_set *args = &run->command->args.vd_set;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        struct vd_config *vd = &config->vds[i];

        if (!guid_equal(&vd->guid, &run->cv->guid)) {
            continue;
        }
        if ((args->fields & VD_SET_NAME) != 0) {
            memcpy(vd->name, args->name, sizeof(vd->name));
        }
        policies_apply(args, vd);
        vd->access = (args->fields & VD_SET_ACCESS) != 0 ? args->access : vd->access;
        vd->stripe_log = stripe_log_wanted(args, vd);
        vd->hedged_reads =
            (args->fields & VD_SET_HEDGED_READS) != 0 ? args->hedged_reads : vd->hedged_reads;
        return;
    }
    UNREACHABLE();
}

static void event_policy(const struct ctl_vd *cv, const char *property, const char *old,
                         const char *new)
{
    char title[PATH_TEXT_BYTES];

    if (strcmp(old, new) != 0) {
        vd_title(cv, title, sizeof(title));
        ctl_event(cv->cg->ctl, EVENT_VIRTUAL_DRIVE_POLICY_CHANGED, cv->object.key, "virtual_drive",
                  title, "property", property, "old", old, "new", new, NULL);
    }
}

void event_preset(const struct ctl_vd *cv, const char *old, const char *now)
{
    const char *is = policies_preset(cv->cg->ctl, cv_config(cv));
    char text[PRESET_NAME_MAX + 16];

    (void)snprintf(text, sizeof(text), "%s%s", now,
                   is != NULL && strcmp(is, now) == 0 ? "" : ", changed");
    event_policy(cv, "preset", old != NULL ? old : "none", text);
}

static void vd_set_events(const struct set_run *run)
{
    const struct vd_config *old = &run->old;
    const struct vd_config *now = cv_config(run->cv);

    if ((run->command->args.vd_set.fields & VD_SET_PRESET) != 0) {
        event_preset(run->cv, policies_preset(run->ctl, old), run->command->args.vd_set.preset);
    }
    event_policy(run->cv, "name", old->name, now->name);
    if (strcmp(old->name, now->name) != 0) {
        host_export_ended(run->ctl, old->name);
    }
    event_policy(run->cv, "write_policy", write_policy_word(old->write_policy),
                 write_policy_word(now->write_policy));
    event_policy(run->cv, "read_policy", read_policy_word(old->read_policy),
                 read_policy_word(now->read_policy));
    event_policy(run->cv, "io_policy", io_policy_word(old->io_policy),
                 io_policy_word(now->io_policy));
    event_policy(run->cv, "drive_cache_policy", drive_cache_policy_word(old->drive_cache_policy),
                 drive_cache_policy_word(now->drive_cache_policy));
    event_policy(run->cv, "degraded_policy", degraded_policy_word(old->degraded_policy),
                 degraded_policy_word(now->degraded_policy));
    event_policy(run->cv, "access", access_policy_word(old->access),
                 access_policy_word(now->access));
    event_policy(run->cv, "stripe_log", stripe_log_mode_word(old->stripe_log),
                 stripe_log_mode_word(now->stripe_log));
    event_policy(run->cv, "hedged_reads", old->hedged_reads ? "on" : "off",
                 now->hedged_reads ? "on" : "off");
}

static void vd_set_done(void *context, int error)
{
    struct set_run *run = context;
    struct ctl *ctl = run->ctl;
    struct reason reason;

    if (error != 0) {
        run->cv->policy_asked = run->old_asked;
        reason_from_store(&reason, error);
    } else {
        vd_set_events(run);
        cv_cache_update(run->cv);
        command_object_add(run->command, &run->cv->object);
        if ((run->old.access == ACCESS_POLICY_BLOCKED) !=
            (cv_config(run->cv)->access == ACCESS_POLICY_BLOCKED)) {
            run->cv->export_stale = true; /* until that is done, whatever is set meanwhile */
        }
        reason_set(&reason, REASON_OK, NULL);
    }
    free(run);
    command_finish(ctl, &reason);
}

/* What needs more than one way to the data. */
static bool redundancy_suffices(const struct command_vd_set *args, const struct ctl_vd *cv,
                                struct reason *ret_reason)
{
    bool wanted = stripe_log_wanted(args, cv_config(cv)) == STRIPE_LOG_MODE_ON ||
                  ((args->fields & VD_SET_HEDGED_READS) != 0 && args->hedged_reads);
    char path[PATH_TEXT_BYTES];

    if (!wanted || geometry_span_tolerance(&cv_config(cv)->geometry) > 0) {
        return true;
    }
    vd_path(cv, path, sizeof(path));
    reason_set(ret_reason, REASON_NO_REDUNDANCY, "key", path, NULL);
    return false;
}

/* Everything that can be judged before it is done. */
static bool vd_set_permitted(const struct ctl *ctl, const struct command_vd_set *args,
                             const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct vd_config *config = cv_config(cv);

    return ((args->fields & VD_SET_ACCESS) == 0 || args->access == config->access ||
            rule_stripe_free(cv, ret_reason)) &&
           enums_are_known(args, ret_reason) && name_is_free(ctl, args, cv, ret_reason) &&
           redundancy_suffices(args, cv, ret_reason) &&
           rule_group_running(cv->cg, CTL_OP_VD_SET, ret_reason) &&
           ((args->fields & VD_SET_DRIVE_CACHE) == 0 ||
            args->drive_cache_policy == config->drive_cache_policy ||
            rule_drive_cache(cv->cg->members, cg_config(cv->cg)->member_count,
                             args->drive_cache_policy, ret_reason)) &&
           ((args->fields & VD_SET_WRITE_POLICY) == 0 ||
            rule_write_policy(ctl, args->write_policy, ret_reason));
}

/* What the policies would be. */
static struct policies_subject subject_of(const struct command_vd_set *args,
                                          const struct ctl_vd *cv, struct vd_config *ret_wanted)
{
    *ret_wanted = *cv_config(cv);
    policies_apply(args, ret_wanted);
    return (struct policies_subject){.ctl = cv->cg->ctl,
                                     .vd = ret_wanted,
                                     .drives = cv->cg->members,
                                     .drive_count = cg_config(cv->cg)->member_count,
                                     .cg = cv->cg,
                                     .cv = cv,
                                     .asked = cv->policy_asked ||
                                              (args->fields & VD_SET_WRITE_POLICY) != 0,
                                     .ahead = true};
}

static void preview_set_cli(const struct ctl_vd *cv, const struct vd_config *wanted, char *out,
                            size_t capacity)
{
    static const char *const writes[WRITE_POLICY_MAX] = {"wt", "wb", "awb"};
    static const char *const reads[READ_POLICY_MAX] = {"nora", "ra", "adra"};
    char path[PATH_TEXT_BYTES];

    vd_path(cv, path, sizeof(path));
    (void)snprintf(
        out, capacity, "arrayctl %s set wrcache=%s rdcache=%s iopolicy=%s pdcache=%s ondegrade=%s",
        path, writes[wanted->write_policy], reads[wanted->read_policy],
        io_policy_word(wanted->io_policy), drive_cache_policy_word(wanted->drive_cache_policy),
        wanted->degraded_policy == DEGRADED_POLICY_KEEP ? "keep" : "wt");
}

bool ctl_preview_set(struct ctl *ctl, struct command_vd_set *args,
                     struct ctl_policy_preview *ret_preview)
{
    const struct ctl_vd *cv = vd_by_key(ctl, args->vd);
    struct policies_subject subject;
    struct vd_config wanted;

    *ret_preview = (struct ctl_policy_preview){.ok = true};
    if (cv == NULL) {
        return false;
    }
    ctl_refresh(ctl);
    if (!ctl_preset_fill_set(ctl, args, &ret_preview->refusal) ||
        !vd_set_permitted(ctl, args, cv, &ret_preview->refusal)) {
        ret_preview->ok = false;
    }
    subject = subject_of(args, cv, &wanted);
    policies_judge(&subject, &ret_preview->policies);
    policies_risks(&subject, cv_config(cv), &ret_preview->risks);
    preview_set_cli(cv, &wanted, ret_preview->cli, sizeof(ret_preview->cli));
    return true;
}

static bool vd_set_risk_taken(const struct command_vd_set *args, const struct ctl_vd *cv,
                              struct reason *ret_reason)
{
    struct policy_risks risks;
    struct vd_config wanted;
    struct policies_subject subject = subject_of(args, cv, &wanted);

    policies_risks(&subject, cv_config(cv), &risks);
    return rule_preset_risk(args->preset, args->accept_risk, &risks, ret_reason);
}

void command_vd_set(struct ctl *ctl, struct ctl_command *command)
{
    const struct command_vd_set *args = &command->args.vd_set;
    struct ctl_vd *cv = vd_by_key(ctl, args->vd);
    struct set_run *run = NULL;
    struct reason reason;

    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key", args->vd, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (args->fields == 0) {
        command_refuse(ctl, REASON_NOTHING_TO_CHANGE);
        return;
    }
    if (!vd_set_permitted(ctl, args, cv, &reason) || !vd_set_risk_taken(args, cv, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    *run = (struct set_run){.ctl = ctl, .command = command, .cv = cv, .old = *cv_config(cv)};
    run->old_asked = cv->policy_asked;
    if ((args->fields & VD_SET_WRITE_POLICY) != 0) {
        cv->policy_asked = true; /* before the new policy is seen */
    }
    group_config_change(cv->cg->group, vd_edit, run, vd_set_done, run);
}

/* controller_set */

static void event_rate(struct ctl *ctl, enum event_id id, uint32_t old, uint32_t now)
{
    char text[16];

    if (old != now) {
        (void)snprintf(text, sizeof(text), "%u", now);
        ctl_event(ctl, id, controller_key(ctl), "percent", text, NULL);
    }
}

static void event_controller_policy(struct ctl *ctl, const char *policy, bool old, bool now)
{
    if (old != now) {
        ctl_event(ctl, EVENT_CONTROLLER_POLICY_CHANGED, controller_key(ctl), "policy", policy,
                  "state", now ? "on" : "off", NULL);
    }
}

static void event_patrol(struct ctl *ctl, const char *setting, const char *old, const char *now)
{
    if (strcmp(old, now) != 0) {
        ctl_event(ctl, EVENT_PATROL_SCHEDULE_CHANGED, controller_key(ctl), "setting", setting,
                  "old", old, "new", now, NULL);
    }
}

static void event_patrol_number(struct ctl *ctl, const char *setting, uint32_t old, uint32_t now,
                                const char *unit)
{
    char before[24];
    char after[24];

    (void)snprintf(before, sizeof(before), "%u%s", old, unit);
    (void)snprintf(after, sizeof(after), "%u%s", now, unit);
    event_patrol(ctl, setting, before, after);
}

static void patrol_events(struct ctl *ctl, const struct controller_patrol *old,
                          const struct controller_patrol *now)
{
    event_patrol(ctl, "mode", patrol_mode_word(old->mode), patrol_mode_word(now->mode));
    event_patrol(ctl, "SSDs", old->ssds ? "on" : "off", now->ssds ? "on" : "off");
    event_patrol_number(ctl, "delay", old->delay_hours, now->delay_hours, " h");
    event_patrol_number(ctl, "drives at a time", old->drives_max, now->drives_max, "");
}

static void controller_set_done(struct ctl *ctl, int error, void *context)
{
    struct ctl_command *command = context;
    const struct controller_record *old = ctl->record_old;
    const struct controller_record *now = ctl->record;
    struct reason reason;

    if (error != 0) {
        reason_from_store(&reason, error);
        command_finish(ctl, &reason);
        return;
    }
    event_rate(ctl, EVENT_REBUILD_RATE_CHANGED, old->rebuild_rate_percent,
               now->rebuild_rate_percent);
    event_rate(ctl, EVENT_BGI_RATE_CHANGED, old->bgi_rate_percent, now->bgi_rate_percent);
    if (old->auto_rebuild != now->auto_rebuild) {
        ctl_event(ctl, EVENT_AUTO_REBUILD_CHANGED, controller_key(ctl), "state",
                  now->auto_rebuild ? "on" : "off", NULL);
    }
    event_controller_policy(ctl, "emergency spare", old->emergency_spare, now->emergency_spare);
    event_controller_policy(ctl, "emergency use of unconfigured drives",
                            old->emergency_unconfigured, now->emergency_unconfigured);
    event_controller_policy(ctl, "mixed media", old->mixed_media, now->mixed_media);
    event_controller_policy(ctl, "mixed interfaces", old->mixed_interfaces, now->mixed_interfaces);
    event_controller_policy(ctl, "copyback", old->copyback, now->copyback);
    event_controller_policy(ctl, "predictive copyback", old->predictive_copyback,
                            now->predictive_copyback);
    if (old->glitch_seconds != now->glitch_seconds) {
        char seconds[16];

        (void)snprintf(seconds, sizeof(seconds), "%u s", now->glitch_seconds);
        ctl_event(ctl, EVENT_CONTROLLER_POLICY_CHANGED, controller_key(ctl), "policy",
                  "glitch time", "state", seconds, NULL);
    }
    if (old->coercion != now->coercion) {
        ctl_event(ctl, EVENT_CONTROLLER_POLICY_CHANGED, controller_key(ctl), "policy",
                  "drive coercion", "state", coercion_text(now->coercion), NULL);
        ctl_kick(ctl);
    }
    event_rate(ctl, EVENT_PATROL_RATE_CHANGED, old->patrol.rate_percent, now->patrol.rate_percent);
    patrol_events(ctl, &old->patrol, &now->patrol);
    if (now->patrol.mode == PATROL_MODE_DISABLED) {
        ctl_patrol_stop(ctl, REASON_STOPPED_BY_USER);
    }
    ctl_patrol_rate_set(ctl);
    operations_rate_set(ctl);
    command_object_add(command, &ctl->controller);
    command_done(ctl);
}

static bool rate_is_valid(uint32_t fields, uint32_t field, uint32_t percent, const char *name,
                          struct reason *ret_reason)
{
    if ((fields & field) != 0 && percent > 100) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", name, "problem",
                   "must be from 0 to 100", NULL);
        return false;
    }
    return true;
}

static void policy_apply(const struct ctl_command *command, enum controller_set_field field,
                         bool value, bool *policy)
{
    if ((command->args.controller_set.fields & field) != 0) {
        *policy = value;
    }
}

static void patrol_apply(struct ctl *ctl, const struct ctl_command *command)
{
    uint32_t fields = command->args.controller_set.fields;
    struct controller_patrol *patrol = &ctl->record->patrol;

    if ((fields & CONTROLLER_SET_PATROL_MODE) != 0) {
        patrol->mode = command->args.controller_set.patrol_mode;
    }
    if ((fields & CONTROLLER_SET_PATROL_RATE) != 0) {
        patrol->rate_percent = command->args.controller_set.patrol_rate_percent;
    }
    if ((fields & CONTROLLER_SET_PATROL_DELAY) != 0) {
        patrol->delay_hours = command->args.controller_set.patrol_delay_hours;
    }
    if ((fields & CONTROLLER_SET_PATROL_DRIVES) != 0) {
        patrol->drives_max = command->args.controller_set.patrol_drives_max;
    }
    policy_apply(command, CONTROLLER_SET_PATROL_SSDS, command->args.controller_set.patrol_ssds,
                 &patrol->ssds);
    if ((fields & CONTROLLER_SET_PATROL_NEXT) != 0) {
        patrol->next_us = command->args.controller_set.patrol_next_us;
    } else if ((fields & (CONTROLLER_SET_PATROL_MODE | CONTROLLER_SET_PATROL_DELAY)) != 0) {
        ctl_patrol_plan(ctl, patrol);
    }
}

static void controller_record_apply(struct controller_record *record,
                                    const struct ctl_command *command)
{
    uint32_t fields = command->args.controller_set.fields;

    if ((fields & CONTROLLER_SET_REBUILD_RATE) != 0) {
        record->rebuild_rate_percent = command->args.controller_set.rebuild_rate_percent;
    }
    if ((fields & CONTROLLER_SET_BGI_RATE) != 0) {
        record->bgi_rate_percent = command->args.controller_set.bgi_rate_percent;
    }
    if ((fields & CONTROLLER_SET_GLITCH_SECONDS) != 0) {
        record->glitch_seconds = command->args.controller_set.glitch_seconds;
    }
    if ((fields & CONTROLLER_SET_COERCION) != 0) {
        record->coercion = command->args.controller_set.coercion;
    }
    policy_apply(command, CONTROLLER_SET_AUTO_REBUILD, command->args.controller_set.auto_rebuild,
                 &record->auto_rebuild);
    policy_apply(command, CONTROLLER_SET_EMERGENCY_SPARE,
                 command->args.controller_set.emergency_spare, &record->emergency_spare);
    policy_apply(command, CONTROLLER_SET_EMERGENCY_UNCONFIGURED,
                 command->args.controller_set.emergency_unconfigured,
                 &record->emergency_unconfigured);
    policy_apply(command, CONTROLLER_SET_MIXED_MEDIA, command->args.controller_set.mixed_media,
                 &record->mixed_media);
    policy_apply(command, CONTROLLER_SET_MIXED_INTERFACES,
                 command->args.controller_set.mixed_interfaces, &record->mixed_interfaces);
    policy_apply(command, CONTROLLER_SET_COPYBACK, command->args.controller_set.copyback,
                 &record->copyback);
    policy_apply(command, CONTROLLER_SET_PREDICTIVE_COPYBACK,
                 command->args.controller_set.predictive_copyback, &record->predictive_copyback);
}

static bool patrol_is_valid(const struct ctl_command *command, struct reason *ret_reason)
{
    uint32_t fields = command->args.controller_set.fields;
    uint32_t drives = command->args.controller_set.patrol_drives_max;
    const char *field = NULL;
    const char *problem = NULL;

    if ((fields & CONTROLLER_SET_PATROL_MODE) != 0 &&
        (unsigned)command->args.controller_set.patrol_mode >= PATROL_MODE_MAX) {
        field = "patrol_mode";
        problem = "no such value";
    } else if ((fields & CONTROLLER_SET_PATROL_DELAY) != 0 &&
               command->args.controller_set.patrol_delay_hours > CONTROLLER_PATROL_DELAY_MAX) {
        field = "patrol_delay_hours";
        problem = "must be from 0 to 8760";
    } else if ((fields & CONTROLLER_SET_PATROL_DRIVES) != 0 &&
               (drives == 0 || drives > CONTROLLER_PATROL_DRIVES_MAX)) {
        field = "patrol_drives_max";
        problem = "must be from 1 to 255";
    } else if ((fields & CONTROLLER_SET_PATROL_NEXT) != 0 &&
               command->args.controller_set.patrol_next_us > CONTROLLER_PATROL_NEXT_MAX) {
        field = "patrol_next_at_us";
        problem = "it is too far away";
    }
    if (field != NULL) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", field, "problem", problem, NULL);
    }
    return field == NULL && rate_is_valid(fields, CONTROLLER_SET_PATROL_RATE,
                                          command->args.controller_set.patrol_rate_percent,
                                          "patrol_rate_percent", ret_reason);
}

void command_controller_set(struct ctl *ctl, struct ctl_command *command)
{
    uint32_t fields = command->args.controller_set.fields;
    uint32_t rebuild = command->args.controller_set.rebuild_rate_percent;
    uint32_t bgi = command->args.controller_set.bgi_rate_percent;
    struct reason reason;

    if (strcmp(command->args.controller_set.controller, controller_key(ctl)) != 0) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "controller", "key",
                   command->args.controller_set.controller, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (fields == 0) {
        command_refuse(ctl, REASON_NOTHING_TO_CHANGE);
        return;
    }
    if (!rate_is_valid(fields, CONTROLLER_SET_REBUILD_RATE, rebuild, "rebuild_rate_percent",
                       &reason) ||
        !rate_is_valid(fields, CONTROLLER_SET_BGI_RATE, bgi, "bgi_rate_percent", &reason) ||
        !patrol_is_valid(command, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    if ((fields & CONTROLLER_SET_GLITCH_SECONDS) != 0 &&
        command->args.controller_set.glitch_seconds > CONTROLLER_GLITCH_MAX) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "glitch_seconds", "problem",
                   "must be from 0 to 300", NULL);
        command_finish(ctl, &reason);
        return;
    }
    if ((fields & CONTROLLER_SET_COERCION) != 0 &&
        (unsigned)command->args.controller_set.coercion >= COERCION_MAX) {
        reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "coercion", "problem",
                   "it must be none, mib_128 or gib_1", NULL);
        command_finish(ctl, &reason);
        return;
    }
    ctl_record_edit(ctl);
    controller_record_apply(ctl->record, command);
    patrol_apply(ctl, command);
    ctl_record_save(ctl, controller_set_done, command);
}
