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

        layout_find(&layout, block * model->block_bytes, &member, &offset);
        sim_drive_peek(sim_array_sim(run->array, member), offset, bytes, model->block_bytes);
        wrong = model_read_check(model, block, 1, model->floor + block, bytes, false);
        if (wrong != NULL) {
            run_fail(run, "vd%u block %llu on member %u: %s", index, (unsigned long long)block,
                     member, wrong);
        }
    }
    free(bytes);
}

/* Whoever does not hold the other copy of what is lost may go as well. */
static void more_pairs_lose(struct run *run, const struct geometry *geometry, uint32_t lost)
{
    for (uint32_t place = 0; place < geometry->members_per_span; place++) {
        uint32_t bit = UINT32_C(1) << place;

        if ((lost & bit) == 0 && geometry_losses_left(geometry, lost | bit) >= 0 &&
            run_chance(run, 50)) {
            lost |= bit;
            sim_drive_pull(sim_array_sim(run->array, place), false);
        }
    }
}

/* As many drives of every span as it bears are pulled; all data must still be there. */
static void loss_check(struct run *run)
{
    const struct geometry *geometry = &vd_config(sim_array_vd(run->array, 0))->geometry;
    uint32_t tolerance = geometry_span_tolerance(geometry);

    if (tolerance == 0) {
        return;
    }
    run->result->loss_sets++;
    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint32_t first = (uint32_t)run_below(run, geometry->members_per_span);
        uint32_t stride = 1 + (uint32_t)run_below(run, geometry->members_per_span - 1);

        for (uint32_t i = 0; i < tolerance; i++) {
            uint32_t place = i == 0 ? first : (first + stride) % geometry->members_per_span;

            sim_drive_pull(sim_array_sim(run->array, span * geometry->members_per_span + place),
                           false);
        }
        if (raid_level_info(geometry->level)->adjacent_pairs) {
            more_pairs_lose(run, geometry, UINT32_C(1) << first);
        }
    }
    load_verify(run, "with drives pulled", false);
}

void run_prove(struct run *run)
{
    load_verify(run, "after everything was repaired", run_pins(run));
    if (run->lying) {
        return; /* the liar's rows were taken for clean */
    }
    for (uint32_t i = 0; i < run->array->options.vd_count && !run->result->failed; i++) {
        /* Lost blocks are known to be wrong on the drive; reading them is what is checked. */
        if (vd_bad_blocks(sim_array_vd(run->array, i)) == 0) {
            raw_check(run, i);
        }
    }
    if (!run->result->failed) {
        loss_check(run);
    }
}
