/*
 * Consistency checks in a simulated life. What they tell of must be silent damage and nothing else,
 * whatever is being written, rebuilt or lost meanwhile, and wherever the power has gone; and at the
 * end they find all there is.
 */
#include "run_private.h"

#define CHECK_ROWS 8u

/* Is any block of the row made of silently changed bytes? */
static bool row_is_rotten(const struct run *run, const struct vd_mismatch *mismatch)
{
    const struct model *model = NULL;
    uint64_t row_bytes = geometry_row_bytes(&vd_config(mismatch->vd)->geometry);
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        model = sim_array_vd(run->array, i) == mismatch->vd ? run->models[i] : model;
    }
    ASSERT(model != NULL);
    for (uint64_t at = 0; at < row_bytes; at += model->block_bytes) {
        uint64_t block = (mismatch->row * row_bytes + at) / model->block_bytes;

        if (block >= model->block_count || model->rotten[block]) {
            return true;
        }
    }
    return false;
}

static void check_found(void *context, const struct vd_mismatch *mismatch)
{
    struct run *run = context;

    run_hash(run, 0xc4ec + mismatch->row);
    run->found_row = mismatch->row;
    run->found_any = true;
    if (!run->dead && !run->lying && !row_is_rotten(run, mismatch)) {
        run_fail(run, "a consistency check finds row %llu+%u inconsistent",
                 (unsigned long long)mismatch->row, mismatch->lo);
    }
}

static void check_over(struct vd_sync *sync, int error)
{
    struct run *run = sync->owner;

    run_hash(run, 0xc4ed + (uint64_t)-error);
    run->checking = false;
}

static void check_begin(struct run *run, struct vd *vd, uint64_t row, uint64_t rows)
{
    run->check_result = (struct vd_check){.found = check_found, .context = run};
    run->check = (struct vd_sync){.vd = vd,
                                  .row = row,
                                  .row_count = (uint32_t)rows,
                                  .check = &run->check_result,
                                  .complete = check_over,
                                  .owner = run};
    run->checking = true;
    vd_sync_submit(vd, &run->check);
}

void check_maybe(struct run *run)
{
    struct group *group = run->array->group;
    struct vd *vd = NULL;
    uint64_t rows = 0;
    uint64_t row = 0;
    struct rng rng; /* its own, so that lives without are what they were */

    if (run->checking || !run_is_on(run, RUN_CHECK)) {
        return;
    }
    rng_seed(&rng, run->options->seed ^ (run->result->step * UINT64_C(0xc4ec)));
    if (rng_below(&rng, 3) == 0 || !run_fires(run, RUN_CHECK)) {
        return;
    }
    vd = group_vd(group, (uint32_t)rng_below(&rng, group_vd_count(group)));
    rows = geometry_row_count(&vd_config(vd)->geometry);
    row = rng_below(&rng, rows);
    check_begin(run, vd, row, min_u64(CHECK_ROWS, rows - row));
}

static bool is_over(void *context)
{
    return !((const struct run *)context)->checking;
}

/* All of it; true: this row was told of. */
static bool check_all(struct run *run, struct vd *vd, uint64_t wanted)
{
    uint64_t rows = geometry_row_count(&vd_config(vd)->geometry);
    bool told = false;

    for (uint64_t row = 0; row < rows && !run->result->failed; row++) {
        run->found_any = false;
        check_begin(run, vd, row, 1);
        if (!sim_world_run_until(run->world, is_over, run, 600 * SIM_SECOND)) {
            run_fail(run, "a consistency check does not end");
        }
        told = told || (run->found_any && run->found_row == wanted);
    }
    return told;
}

void check_prove(struct run *run)
{
    for (uint32_t i = 0; i < run->array->options.vd_count && !run->result->failed; i++) {
        struct vd *vd = sim_array_vd(run->array, i);
        struct layout layout = array_layout(run->array, i);
        uint64_t wanted = UINT64_MAX;

        if (!run_is_on(run, RUN_CHECK) || vd_bad_blocks(vd) != 0) {
            continue; /* of a lost block nobody says whether it agrees */
        }
        if (layout_check(&layout, &wanted) == NULL) {
            wanted = UINT64_MAX;
        }
        if (!check_all(run, vd, wanted) && wanted != UINT64_MAX && !run->result->failed) {
            run_fail(run, "a consistency check does not find row %llu inconsistent",
                     (unsigned long long)wanted);
        }
    }
}
