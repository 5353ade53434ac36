/*
 * Changes of the configuration in a simulated life: the first virtual drive gets a new name with
 * a number now and then. After a power cut it has the last acknowledged one or the one that was
 * being given, never a third (P4). One that was refused because all drives failed may be on them
 * all the same: a flush that fails says nothing of what it was to make durable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_private.h"

static void name_set(struct group_config *config, void *context)
{
    const struct run *run = context;

    (void)snprintf(config->vds[0].name, sizeof(config->vds[0].name), "n%u",
                   run->name_pending); /* fits */
}

static void name_was_set(void *context, int error)
{
    struct run *run = context;

    run_hash(run, 0xed17 + (uint64_t)-error);
    if (run->dead) {
        return;
    }
    if (error == 0) {
        run->name_acked = run->name_pending;
        run->name_failed = 0;
    } else if (run->options->over_budget) {
        run->name_failed = run->name_pending;
    }
    run->name_pending = 0;
}

void manage_maybe(struct run *run)
{
    if (run->name_pending != 0 || !run_chance(run, 4) || !run_fires(run, RUN_MANAGE)) {
        return;
    }
    run->name_pending = run->name_acked + 1 + (uint32_t)run_below(run, 3);
    crash_soon(run);
    group_config_change(run->array->group, name_set, run, name_was_set, run);
}

static bool nothing_pending(void *context)
{
    return ((const struct run *)context)->name_pending == 0;
}

bool manage_drain(struct run *run)
{
    if (!sim_world_run_until(run->world, nothing_pending, run, 600 * SIM_SECOND)) {
        run_fail(run, "a change of the configuration is never answered");
        return false;
    }
    return true;
}

/* After a power cut: what is there now is what counts from here on. */
void manage_check(struct run *run)
{
    const char *name = group_config(run->array->group)->vds[0].name;
    uint32_t number = 0;

    if (strcmp(name, "vd0") != 0) {
        number = name[0] == 'n' ? (uint32_t)strtoul(name + 1, NULL, 10) : UINT32_MAX;
    }
    if (number != run->name_acked && (run->name_pending == 0 || number != run->name_pending) &&
        (run->name_failed == 0 || number != run->name_failed)) {
        run_fail(run, "the configuration has the name \"%s\"; n%u was acknowledged, n%u pending",
                 name, run->name_acked, run->name_pending);
    }
    run->name_acked = number;
    run->name_pending = run->name_failed = 0;
}
