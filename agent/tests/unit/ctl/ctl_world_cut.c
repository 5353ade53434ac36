/*
 * Power cuts in the middle of a change: see ctl_world.h.
 */
#include <stdlib.h>

#include "ctl_world.h"

#define WRITES_MAX 600u /* of one change: more means that it does not end */

uint64_t world_writes(const struct ctl_world *world)
{
    uint64_t count = world->store->put_count;

    for (uint32_t i = 0; i < world->slot_count; i++) {
        const struct sim_drive *drive = world->slots[i].drive;

        count += drive->counters.writes + drive->counters.flushes + drive->in_flight_count;
    }
    return count;
}

static void command_done(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

bool world_run_cut(struct ctl_world *world, struct ctl_command *command, uint64_t at,
                   enum sim_cut cut)
{
    static bool done;
    uint64_t base = world_writes(world);
    bool acknowledged = false;

    done = false;
    command->complete = command_done;
    command->owner = &done;
    ctl_execute(world->ctl, command);
    while (!done && world_writes(world) - base < at) {
        assert_true(sim_world_step(world->sim));
    }
    acknowledged = done; /* a completion behind the cut tells nobody anything */
    sim_world_power_off(world->sim, cut);
    return acknowledged;
}

uint32_t world_cut_stride(void)
{
    const char *text = getenv("AW_CUTS");
    unsigned long stride = text != NULL ? strtoul(text, NULL, 10) : 1;

    return stride > 0 && stride < WRITES_MAX ? (uint32_t)stride : 1;
}

uint32_t world_cut_along(world_cut_at *cut_at, void *what, enum sim_cut cut, uint32_t step)
{
    uint32_t stride = step * world_cut_stride();
    uint32_t points = 0;

    for (uint64_t at = (uint64_t)cut % stride; !cut_at(what, at, cut); at += stride) {
        points++;
        assert_true(at < WRITES_MAX);
    }
    return points;
}

void world_cuts_suffice(const char *what, uint32_t points, uint32_t least)
{
    printf("# %s: %u cuts\n", what, points);
    assert_true(points * world_cut_stride() > least);
}
