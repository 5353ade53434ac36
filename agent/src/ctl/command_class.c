/*
 * The class of a command: what it does to data and exports decides, by the table that is generated
 * from protocol/commands.schema.json (ctl/command_effects.h).
 *
 * (1) A condition answers true when in doubt: a class that is too grave costs a confirmation on the
 *     host, one that is too light costs data.
 */
#include <string.h>

#include "base/assert.h"
#include "ctl/command_effects.h"
#include "ctl/ctl_host.h"
#include "ctl/ctl_private.h"

/* Below this share of the drives' time what repairs may take so long that it protects nobody. */
#define RATE_FLOOR_PERCENT 10u
#define PATROL_DELAY_MOST_HOURS (31u * 24u)

typedef bool (*condition_fn)(const struct ctl_host *host, const struct ctl_command *command);

static bool always(const struct ctl_host *host UNUSED, const struct ctl_command *command UNUSED)
{
    return true;
}

static bool takes_used_drives(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    if (command->op == CTL_OP_VD_CREATE) {
        return command->args.vd_create.force || command->args.vd_create.serial_count != 0;
    }
    if (command->op == CTL_OP_SPARE_ADD) {
        return command->args.spare_add.force;
    }
    if (command->op == CTL_OP_DRIVE_REPLACE) {
        return command->args.drive_replace.force;
    }
    ASSERT(command->op == CTL_OP_STRIPE_CREATE);
    return command->args.stripe_create.force;
}

static bool corrects(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    ASSERT(command->op == CTL_OP_CONSISTENCY_CHECK);
    return command->args.check.correct;
}

static bool overwrites(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    ASSERT(command->op == CTL_OP_VD_MEASURE);
    return measurement_overwrites(&command->args.vd_measure.plan);
}

static bool starts(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    ASSERT(command->op == CTL_OP_VD_MEASURE);
    return command->args.vd_measure.action != TASK_ACTION_STOP;
}

/* A member that is not filled, copies that are not made equal, or lost blocks that are not found
 * cost data at the next loss. */
static bool halts(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    enum task_action action =
        command->op == CTL_OP_COPYBACK ? command->args.copyback.action : command->args.task.action;

    ASSERT(command->op == CTL_OP_REBUILD || command->op == CTL_OP_COPYBACK ||
           command->op == CTL_OP_BGI || command->op == CTL_OP_PATROL_READ);
    return action == TASK_ACTION_STOP || action == TASK_ACTION_PAUSE;
}

/* Like its removal: it stands in for nobody any more, and what it replaces need not be one. */
static bool takes_spare(const struct ctl_host *host, const struct ctl_command *command)
{
    struct ctl *ctl = ctl_host_addressed(host, command);
    const struct ctl_drive *cd = NULL;

    ASSERT(command->op == CTL_OP_COPYBACK);
    if (command->args.copyback.action == TASK_ACTION_START && ctl != NULL) {
        cd = drive_by_key(ctl, command->args.copyback.target);
    }
    return cd != NULL && cd->spare; /* another target is refused or free */
}

/* "Always" puts acknowledged writes at risk; that is a decision of its own. */
static bool forces_write_back(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    const struct command_vd_set *set = &command->args.vd_set;

    if (command->op == CTL_OP_VD_CREATE) {
        return command->args.vd_create.write_policy == WRITE_POLICY_ALWAYS_WRITE_BACK;
    }
    ASSERT(command->op == CTL_OP_VD_SET);
    return (set->fields & VD_SET_WRITE_POLICY) != 0 &&
           set->write_policy == WRITE_POLICY_ALWAYS_WRITE_BACK;
}

static bool takes_recent_name(const struct ctl_host *host, const struct ctl_command *command)
{
    ASSERT(command->op == CTL_OP_VD_CREATE);
    return command->args.vd_create.name[0] != '\0' &&
           ctl_host_name_is_recent(host, command->args.vd_create.name);
}

/* To the name it has, it is no new one; one that is not there is refused anyway. */
static bool renames(const struct ctl_host *host, const struct ctl_command *command)
{
    const struct command_vd_set *set = &command->args.vd_set;

    ASSERT(command->op == CTL_OP_VD_SET);
    if ((set->fields & VD_SET_NAME) == 0) {
        return false;
    }
    const struct ctl_vd *cv = vd_by_key(ctl_host_addressed(host, command), set->vd);

    return cv == NULL || strcmp(cv_config(cv)->name, set->name) != 0;
}

static bool sets_access(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    ASSERT(command->op == CTL_OP_VD_SET);
    return (command->args.vd_set.fields & VD_SET_ACCESS) != 0;
}

static bool drops_stripe_log(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    const struct command_vd_set *set = &command->args.vd_set;

    ASSERT(command->op == CTL_OP_VD_SET);
    return ((set->fields & VD_SET_STRIPE_LOG) != 0 && !set->stripe_log) ||
           ((set->fields & VD_SET_STRIPE_LOG_MODE) != 0 &&
            set->stripe_log_mode == STRIPE_LOG_MODE_OFF);
}

/* As policies_risks() has it. */
static bool drive_caches_on(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    const struct command_vd_set *set = &command->args.vd_set;

    if (command->op == CTL_OP_VD_CREATE) {
        return command->args.vd_create.drive_cache_policy == DRIVE_CACHE_POLICY_ON;
    }
    ASSERT(command->op == CTL_OP_VD_SET);
    return (set->fields & VD_SET_DRIVE_CACHE) != 0 &&
           set->drive_cache_policy == DRIVE_CACHE_POLICY_ON;
}

static bool lowers_a_rate(const struct ctl_command *command)
{
    uint32_t fields = command->args.controller_set.fields;

    return ((fields & CONTROLLER_SET_REBUILD_RATE) != 0 &&
            command->args.controller_set.rebuild_rate_percent < RATE_FLOOR_PERCENT) ||
           ((fields & CONTROLLER_SET_BGI_RATE) != 0 &&
            command->args.controller_set.bgi_rate_percent < RATE_FLOOR_PERCENT) ||
           ((fields & CONTROLLER_SET_PATROL_RATE) != 0 &&
            command->args.controller_set.patrol_rate_percent < RATE_FLOOR_PERCENT);
}

static bool thins_out_patrols(const struct ctl_command *command)
{
    uint32_t fields = command->args.controller_set.fields;

    return ((fields & CONTROLLER_SET_PATROL_MODE) != 0 &&
            command->args.controller_set.patrol_mode != PATROL_MODE_AUTO) ||
           ((fields & CONTROLLER_SET_PATROL_DELAY) != 0 &&
            command->args.controller_set.patrol_delay_hours > PATROL_DELAY_MOST_HOURS) ||
           (fields & CONTROLLER_SET_PATROL_NEXT) != 0;
}

/* Drives that could stand in no longer may. */
static bool leaves_out_spares(const struct ctl_command *command)
{
    uint32_t fields = command->args.controller_set.fields;

    return ((fields & CONTROLLER_SET_EMERGENCY_SPARE) != 0 &&
            !command->args.controller_set.emergency_spare) ||
           ((fields & CONTROLLER_SET_EMERGENCY_UNCONFIGURED) != 0 &&
            !command->args.controller_set.emergency_unconfigured) ||
           ((fields & CONTROLLER_SET_MIXED_MEDIA) != 0 &&
            !command->args.controller_set.mixed_media) ||
           ((fields & CONTROLLER_SET_MIXED_INTERFACES) != 0 &&
            !command->args.controller_set.mixed_interfaces);
}

static bool weakens_repair(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    uint32_t fields = command->args.controller_set.fields;

    ASSERT(command->op == CTL_OP_CONTROLLER_SET);
    return ((fields & CONTROLLER_SET_AUTO_REBUILD) != 0 &&
            !command->args.controller_set.auto_rebuild) ||
           ((fields & CONTROLLER_SET_PREDICTIVE_COPYBACK) != 0 &&
            !command->args.controller_set.predictive_copyback) ||
           lowers_a_rate(command) || thins_out_patrols(command) || leaves_out_spares(command);
}

/* What a worn battery still holds is known from its last learn cycle. */
static bool weakens_learning(const struct ctl_host *host UNUSED, const struct ctl_command *command)
{
    ASSERT(command->op == CTL_OP_BATTERY_SET);
    return ((command->args.battery_set.fields & BATTERY_SET_LEARN_MODE) != 0 &&
            command->args.battery_set.learn_mode != LEARN_MODE_AUTO) ||
           (command->args.battery_set.fields & BATTERY_SET_NEXT_LEARN) != 0;
}

static const condition_fn conditions[COMMAND_WHEN_MAX] = {
    [COMMAND_WHEN_ALWAYS] = always,
    [COMMAND_WHEN_USED_DRIVES] = takes_used_drives,
    [COMMAND_WHEN_CORRECTS] = corrects,
    [COMMAND_WHEN_OVERWRITES] = overwrites,
    [COMMAND_WHEN_STARTS] = starts,
    [COMMAND_WHEN_HALTS] = halts,
    [COMMAND_WHEN_TAKES_SPARE] = takes_spare,
    [COMMAND_WHEN_FORCES_WRITE_BACK] = forces_write_back,
    [COMMAND_WHEN_TAKES_RECENT_NAME] = takes_recent_name,
    [COMMAND_WHEN_RENAMES] = renames,
    [COMMAND_WHEN_SETS_ACCESS] = sets_access,
    [COMMAND_WHEN_DROPS_STRIPE_LOG] = drops_stripe_log,
    [COMMAND_WHEN_DRIVE_CACHES_ON] = drive_caches_on,
    [COMMAND_WHEN_WEAKENS_REPAIR] = weakens_repair,
    [COMMAND_WHEN_WEAKENS_LEARNING] = weakens_learning,
};

enum command_class ctl_command_class(const struct ctl_host *host, const struct ctl_command *command,
                                     uint32_t *ret_effects)
{
    size_t count = 0;
    const struct command_effect_row *rows = command_effect_rows(&count);
    enum command_class class_ = COMMAND_CLASS_O;
    uint32_t effects = 0;

    ASSERT((unsigned)command->op < CTL_OP_MAX);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].op == command->op && conditions[rows[i].when](host, command)) {
            effects |= rows[i].effects;
        }
    }
    STATIC_ASSERT(COMMAND_CLASS_R < COMMAND_CLASS_O && COMMAND_CLASS_O < COMMAND_CLASS_D &&
                      COMMAND_CLASS_D < COMMAND_CLASS_X,
                  "the graver class is the greater");
    for (unsigned effect = 0; effect < COMMAND_EFFECT_MAX; effect++) {
        enum command_class of_effect = command_effect_class((enum command_effect)effect);

        if ((effects & 1u << effect) != 0 && of_effect > class_) {
            class_ = of_effect;
        }
    }
    *ret_effects = effects;
    return class_;
}
