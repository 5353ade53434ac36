/*
 * The proof at the end of a simulated life, and of every crash point: what was written can be read,
 * lies where the layout says, agrees with its redundancy, and can be read with drives removed.
 */
#include <stdlib.h>

#include "run_private.h"

static void raw_check(struct run *run, uint32_t index)
{
    struct layout layout = array_layout(run->array, index);
    struct model *model = run->models[index];
    uint8_t *bytes = malloc(model->block_bytes);
    uint64_t row = 0;
    const char *wrong = NULL;

    wrong = silent_has_been(run, index) ? NULL : layout_check(&layout, &row);
    ASSERT(bytes != NULL);
    if (wrong != NULL) {
        run_fail(run, "vd%u row %llu: %s", index, (unsigned long long)row, wrong);
    }
    for (uint64_t block = 0; block < model->block_count && wrong == NULL; block++) {
        uint32_t member = 0;
        uint64_t offset = 0;

        if (!run_block_find(run, index, block, &offset)) {
            continue;
        }
        layout_find(&layout, offset, &member, &offset);
        sim_drive_peek(sim_array_sim(run->array, member), offset, bytes, model->block_bytes);
        wrong = model_read_check(model, block, 1, model->floor + block, bytes, false);
        if (wrong != NULL) {
            run_fail(run, "vd%u block %llu on member %u: %s", index, (unsigned long long)block,
                     member, wrong);
        }
    }
    free(bytes);
}

void run_prove_raw(struct run *run)
{
    for (uint32_t i = 0; i < run->array->options.vd_count && !run->result->failed; i++) {
        /* Lost blocks are known to be wrong on the drive; reading them is what is checked. */
        if (vd_bad_blocks(sim_array_vd(run->array, i)) == 0) {
            raw_check(run, i);
        }
    }
}

void run_prove(struct run *run)
{
    load_verify(run, "after everything was repaired", run_pins(run));
    if (run->lying) {
        return; /* the liar's rows were taken for clean */
    }
    run_prove_raw(run);
    check_prove(run);
    if (!run->result->failed && losses_each_are_due(run)) {
        losses_check_each(run);
    }
    if (!run->result->failed && losses_pull_some(run)) {
        load_verify(run, "with drives pulled", false);
    }
}
