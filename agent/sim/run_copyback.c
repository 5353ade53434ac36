/*
 * Copybacks in a simulated life: now and then a member is copied to a drive that nobody uses, which
 * takes its place. On the way either drive may fail, the copying may be stopped, and the power may
 * go; what is lost of the drive that is filled must cost nothing.
 */
#include <errno.h>

#include "run_private.h"

bool copyback_is_troubled(const struct run *run, uint32_t member,
                          bool (*is_troubled)(const struct sim_drive *sim))
{
    const struct copyback_config *copyback = &group_config(run->array->group)->copyback;
    uint32_t twin = run->array->twin;

    /* While the two change roles no copyback is on record: then any member may be the one. */
    return twin != SIM_NO_DRIVE && (!copyback->active || copyback->member == member) &&
           is_troubled(run->array->sims[twin]);
}

void copyback_begin(struct run *run, uint32_t member)
{
    uint32_t small = sim_array_small_spare(run->array);
    uint32_t drive = drive_free_find(run);

    if (small != SIM_NO_DRIVE && run_is_on(run, RUN_SMALL_SPARE) &&
        sim_array_copyback(run->array, member, small) != -ENOSPC) {
        run_fail(run, "a drive that is too small was not refused");
        return;
    }
    if (drive != SIM_NO_DRIVE) {
        (void)sim_array_copyback(run->array, member, drive); /* it may fail like any change */
    }
}

/* The drive that is being filled fails, if the member could. */
static void twin_fault(struct run *run)
{
    const struct copyback_config *copyback = &group_config(run->array->group)->copyback;
    struct sim_drive *sim = run->array->sims[run->array->twin];

    if (run->calm || run->options->calm || run->lying || run->losses_left == 0 || sim->gone ||
        !copyback->active || drive_is_troubled(run, copyback->member) || run_tolerance(run) == 0 ||
        !faults_span_bears_after_cut(run, copyback->member)) {
        return;
    }
    run_trace(run, "fault on the drive of the copyback");
    crash_soon(run);
    run->losses_left--;
    run_risk_taken(run, copyback->member);
    switch (run_below(run, 3)) {
    case 0:
        sim->write_fails = true;
        break;
    case 1:
        sim->flush_fails = true;
        break;
    default:
        sim_drive_pull(sim, run_chance(run, 50));
        break;
    }
}

static void checkpoint_over(void *context, int error)
{
    (void)context; /* whether the cursor is on record is all the same */
    (void)error;
}

/* Something happens to the copyback that is under way. */
static void copyback_disturb(struct run *run)
{
    struct group *group = run->array->group;
    uint64_t dice = run_below(run, 100);

    if (dice < 2) {
        group_copyback_stop(group, REASON_STOPPED_BY_USER);
    } else if (dice < 10) {
        twin_fault(run);
    } else if (dice < 25) {
        group_checkpoint(group, checkpoint_over, NULL);
        crash_soon(run);
    }
}

void copyback_maybe(struct run *run)
{
    uint32_t member = 0;

    if (!run_is_on(run, RUN_COPYBACK)) {
        return;
    }
    member = (uint32_t)run_below(run, run->array->member_count);
    if (run->array->twin != SIM_NO_DRIVE) {
        copyback_disturb(run);
    } else if (run_chance(run, 15) &&
               group_config(run->array->group)->members[member].state == MEMBER_ONLINE &&
               group_state(run->array->group) != VIRTUAL_DRIVE_STATE_OFFLINE) {
        run->result->firings[RUN_COPYBACK]++;
        crash_soon(run);
        copyback_begin(run, member);
    }
}
