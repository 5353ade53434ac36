/*
 * What a power cut may cost beyond what was being written. Rows that were have to be made to agree
 * again; trouble before that is over may leave anything in them, where there is parity, or what was
 * durable before, where there are copies: the one that has been read may be gone.
 *
 * Only rows that have to do with the members in trouble, the suspects, bear that.
 */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "meta/bad_blocks.h"
#include "run_private.h"

bool run_block_find(const struct run *run, uint32_t vd, uint64_t block, uint64_t *ret_offset_bytes)
{
    uint64_t offset = block * run->models[vd]->block_bytes;
    uint32_t place = 0;

    *ret_offset_bytes = offset;
    if (run->stripe == NULL) {
        return true;
    }
    layout_find(run->stripe, offset, &place, ret_offset_bytes);
    return place == run->stripe_place;
}

void run_rows_spread(struct run *run, struct run *of, bool *blocks)
{
    const struct model *model = run->models[0];
    uint64_t row_bytes = run_row_blocks(of, 0) * model->block_bytes;
    bool *rows = calloc(model->block_count, sizeof(*rows));
    uint64_t offset = 0;

    ASSERT(rows != NULL);
    for (uint64_t i = 0; i < model->block_count; i++) {
        if (blocks[i] && run_block_find(run, 0, i, &offset)) {
            rows[offset / row_bytes] = true;
        }
    }
    for (uint64_t i = 0; i < model->block_count; i++) {
        blocks[i] = run_block_find(run, 0, i, &offset) && rows[offset / row_bytes];
    }
    free(rows);
}

/* In a run of its own, whose models these are, a crash point asks about the members of the one it
 * comes from: the layouts are the same. */
static void vd_risk_taken(struct run *run, struct run *from, uint32_t vd, const bool *suspects)
{
    struct model *model = run->models[vd];
    struct layout layout = array_layout(from->array, vd);
    bool *blocks = calloc(model->block_count, sizeof(*blocks));

    ASSERT(blocks != NULL);
    for (uint32_t member = 0; member < from->array->member_count; member++) {
        for (uint64_t i = 0; i < model->block_count && suspects[member]; i++) {
            uint64_t offset = 0;

            blocks[i] = blocks[i] || (run_block_find(run, vd, i, &offset) &&
                                      layout_depends(&layout, offset, member));
        }
    }
    if (layout.parity_count > 0) {
        model_risk_taken(model, blocks);
    } else {
        model_copies_torn(model, blocks);
    }
    free(blocks);
}

/* What was degraded before the cut costs nothing that is at rest: it was logged, or it is told. Nor
 * does anything but what was being written where all writes are logged. */
static bool rest_is_sure(const struct run *run)
{
    return !run->options->over_budget && !run->lying && !run->rest_at_risk;
}

/* Whole, so that a member lost at the stroke of the cut may cost rows that were being written. */
static bool cut_risks_rest(const struct run *from)
{
    return !run_hole_is_closed(from) && !sim_array_recorded_degraded(from->array);
}

/* Of the block itself, or of so much else of its row, with the members that are not in sync, that
 * it cannot be recovered. */
static bool is_told(const struct run *run, const struct layout *layout, uint64_t offset_bytes)
{
    const struct group_config *config = group_config(run->array->group);
    uint32_t own = 0;
    uint32_t noted = 0;
    uint32_t missing = 0;
    uint64_t offset = 0;

    layout_find(layout, offset_bytes, &own, &offset);
    offset = align_down_u64(offset, BAD_BLOCK_BYTES);
    for (uint32_t i = 0; i < run->array->member_count && layout->parity_count > 0; i++) {
        if (!layout_depends(layout, offset_bytes, i)) {
            continue;
        }
        if (bad_blocks_meet(config, i, offset, BAD_BLOCK_BYTES, BAD_KINDS_ALL)) {
            noted++;
        } else if (config->members[i].state != MEMBER_ONLINE) {
            missing++;
        }
    }
    return bad_blocks_meet(config, own, offset, BAD_BLOCK_BYTES, BAD_KINDS_ALL) ||
           (noted > 0 && noted + missing > layout->parity_count);
}

bool run_is_told(const struct run *run, uint32_t vd, uint64_t block, uint64_t count)
{
    struct layout layout;
    uint64_t offset = 0;

    for (uint32_t i = 0; i < run->part_count; i++) {
        if (run_is_told(&run->parts[i], vd, block, count)) {
            return true;
        }
    }
    if (run->array == NULL || !run->tells || run->array->group == NULL) {
        return false;
    }
    layout = array_layout(run->array, vd);
    for (uint64_t i = block; i < block + count; i++) {
        if (run_block_find(run, vd, i, &offset) && is_told(run, &layout, offset)) {
            return true;
        }
    }
    return false;
}

static void risk_taken(struct run *run, struct run *from, const bool *suspects)
{
    if (run_has_parity(from) && rest_is_sure(run) && !run->closed) {
        return; /* nothing is returned but what was there or was being written */
    }
    for (uint32_t i = 0; i < run->array->options.vd_count && run_tolerance(from) > 0; i++) {
        vd_risk_taken(run, from, i, suspects);
    }
}

void run_risk_taken(struct run *run, uint32_t member)
{
    bool suspects[SIM_ARRAY_DRIVES_MAX] = {false};

    suspects[member] = true;
    risk_taken(run, run, suspects);
}

/* A lost block counts: its row is as good as degraded. */
static void suspect_bad_blocks(const struct run *run, bool *suspects)
{
    const struct group_config *config = group_config(run->array->group);

    for (uint32_t i = 0; i < config->bad_count; i++) {
        suspects[config->bad[i].member] = true;
    }
}

/* A column of a row: the blocks of its strips that parity is computed over together. */
static bool column_is_written(const bool *written, const struct layout *layout,
                              uint32_t block_bytes, uint64_t row_bytes, uint64_t offset_bytes)
{
    uint64_t at = offset_bytes / row_bytes * row_bytes + offset_bytes % layout->strip_bytes;
    uint64_t end = align_down_u64(offset_bytes, row_bytes) + row_bytes;

    while (at < end && written[at / block_bytes]) {
        at += layout->strip_bytes;
    }
    return at >= end;
}

static void whole_rows_of_vd_risked(struct run *run, struct run *from, uint32_t vd,
                                    const bool *suspects)
{
    struct model *model = run->models[vd];
    struct layout layout = array_layout(from->array, vd);
    uint64_t row_blocks = run_row_blocks(from, vd);
    uint64_t row_bytes = row_blocks * model->block_bytes;
    bool *written = calloc(model->block_count + row_blocks, sizeof(*written));
    bool *blocks = calloc(model->block_count, sizeof(*blocks));
    uint64_t offset = 0;

    ASSERT(written != NULL && blocks != NULL);
    for (uint64_t i = 0; i < model->block_count; i++) {
        if (run_block_find(run, vd, i, &offset)) {
            written[offset / model->block_bytes] = model->at_risk[i];
        }
    }
    for (uint64_t i = 0; i < model->block_count; i++) {
        if (!run_block_find(run, vd, i, &offset) ||
            !column_is_written(written, &layout, model->block_bytes, row_bytes, offset)) {
            continue;
        }
        for (uint32_t member = 0; member < from->array->member_count; member++) {
            blocks[i] = blocks[i] || (suspects[member] && layout_depends(&layout, offset, member));
        }
    }
    model_risk_taken(model, blocks);
    free(blocks);
    free(written);
}

/* The start */

/* Members that are not in sync although the record that was found says so: whole rows that were
 * being written, which no log of intents has, may have lost them and the power at one stroke. A
 * loss from before that is recorded only when the others have flushed. */
static bool is_lost_at_start(const struct run *run, uint32_t member)
{
    return group_config(run->array->group)->members[member].state != MEMBER_ONLINE &&
           run->array->recorded_online[member];
}

static bool any_lost_at_start(const struct run *run)
{
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        if (is_lost_at_start(run, i)) {
            return true;
        }
    }
    return false;
}

/* By the record that was found. */
static bool recorded_whole(const struct run *run)
{
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        if (!run->array->recorded_online[i]) {
            return false;
        }
    }
    return true;
}

/* What the log of a group that is not whole leaves out: whole rows of a span that is, by the
 * record, when there is trouble in that span too. */
static void whole_rows_risked(struct run *run, struct run *from, const bool *suspects)
{
    uint32_t width = from->array->options.members_per_span;
    bool counts[SIM_ARRAY_DRIVES_MAX] = {false};

    if (recorded_whole(from)) {
        return;
    }
    for (uint32_t i = 0; i < from->array->member_count; i++) {
        uint32_t first = i / width * width;

        counts[i] = suspects[i];
        for (uint32_t k = first; k < first + width; k++) {
            counts[i] = counts[i] && from->array->recorded_online[k];
        }
    }
    for (uint32_t i = 0; i < run->array->options.vd_count && run_has_parity(from); i++) {
        whole_rows_of_vd_risked(run, from, i, counts);
    }
}

/* Of the write that the cut may have torn: by the record, an automatic log if a member was out of
 * sync. */
static bool was_logged(const struct run *run)
{
    return !run_has_parity(run) || run->log != NULL ||
           run->array->options.stripe_log == STRIPE_LOG_MODE_ON ||
           (run->array->options.stripe_log == STRIPE_LOG_MODE_AUTO && !recorded_whole(run));
}

void run_tells_note(struct run *run)
{
    run->tells = run->tells || (run->cut && !was_logged(run));
    run->cut = false;
}

static void start_noted(struct run *run, int error)
{
    bool suspects[SIM_ARRAY_DRIVES_MAX] = {false};

    if (error != 0 && !refuse_is_on(run)) {
        run_fail(run, "the group does not come back: %d", error);
        return;
    }
    run_tells_note(run);
    manage_check(run);
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        suspects[i] = group_config(run->array->group)->members[i].state != MEMBER_ONLINE;
    }
    suspect_bad_blocks(run, suspects);
    for (uint32_t i = 0; i < run->array->member_count; i++) {
        run->troubled[i] = run->troubled[i] || suspects[i];
    }
    whole_rows_risked(run, run, run->troubled);
    /* Else rows are written to the end in spite of members lost before. */
    if (!run->closed || any_lost_at_start(run) || run_is_troubled_unknown(run)) {
        risk_taken(run, run, suspects);
    }
}

void run_start_again(struct run *run)
{
    int error = 0;

    run->starting = true;
    error = sim_array_reload(run->array);
    run->starting = false;
    start_noted(run, error);
}

/* The cut */

/* Over budget too many of those that keep a log may be gone. */
bool run_hole_is_closed(const struct run *run)
{
    for (uint32_t i = 0; i < run->array->options.vd_count && run->log == NULL; i++) {
        if (run->options->over_budget ||
            vd_guarantee(sim_array_vd(run->array, i)) != VD_GUARANTEE_STRIPE_LOG) {
            return false;
        }
    }
    return true;
}

/* Something is wrong that nothing has been made of: the group does not know of it, or has learnt it
 * in a start that was cut short, which the next one does not find out anew. */
static bool is_suspect_when_closed(const struct run *from, uint32_t member)
{
    return drive_is_troubled_unknown(from, member) ||
           (from->starting && is_lost_at_start(from, member));
}

static void cut_suspects(const struct run *from, const struct sim_cut_plan *plan, bool closed,
                         bool *suspects)
{
    for (uint32_t i = 0; i < from->array->member_count; i++) {
        const struct sim_drive *sim = sim_array_sim(from->array, i);

        suspects[i] = (closed ? is_suspect_when_closed(from, i) : drive_is_troubled(from, i)) ||
                      (sim != NULL && sim == plan->spoilt);
    }
    suspect_bad_blocks(from, suspects);
}

void run_cut_risked(struct run *run, struct run *from, const struct sim_cut_plan *plan)
{
    bool suspects[SIM_ARRAY_DRIVES_MAX] = {false};

    /* A start that is cut short may have told already. */
    run->tells = run->tells || (from->starting && from->cut && !was_logged(from));
    run->cut = true;
    run->rest_at_risk = from->rest_at_risk || cut_risks_rest(from);
    run->closed = run_hole_is_closed(from);
    cut_suspects(from, plan, run->closed, suspects);
    risk_taken(run, from, suspects);
    memcpy(run->troubled, suspects, sizeof(suspects));
    if (from->starting) { /* the next start may find another record */
        whole_rows_risked(run, from, suspects);
    }
}

void run_cut_noted(struct run *run, struct run *from, const struct sim_cut_plan *plan)
{
    refuse_cut_noted(run, from);
    run->rest_at_risk = from->rest_at_risk || cut_risks_rest(from);
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        if (plan->cut == SIM_CUT_KEEP_ALL || plan->process_alone) {
            /* The process alone dies: then what was acknowledged is there, flushed or not. */
            model_stopped(run->models[i]);
        }
        model_crashed(run->models[i], rest_is_sure(run) ? 1 : run_row_blocks(from, i));
    }
    run_cut_risked(run, from, plan);
    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        if (from->lying && plan->cut != SIM_CUT_KEEP_ALL) {
            model_forget(run->models[i]);
        }
    }
}

/* The resync is over */

/* NULL: all of them. */
static bool *own_blocks(const struct run *run, uint32_t vd)
{
    uint64_t count = run->models[vd]->block_count;
    bool *blocks = run->stripe != NULL ? calloc(count, sizeof(*blocks)) : NULL;
    uint64_t offset = 0;

    ASSERT(blocks != NULL || run->stripe == NULL);
    for (uint64_t i = 0; i < count && blocks != NULL; i++) {
        blocks[i] = run_block_find(run, vd, i, &offset);
    }
    return blocks;
}

void risks_review(struct run *run)
{
    bool all = true;

    for (uint32_t i = 0; i < run->array->options.vd_count; i++) {
        all = all && vd_is_consistent(sim_array_vd(run->array, i));
        if (vd_is_consistent(sim_array_vd(run->array, i))) {
            bool *blocks = own_blocks(run, i);

            model_risk_over(run->models[i], blocks);
            free(blocks);
        }
    }
    run->rest_at_risk = run->rest_at_risk && !all;
}
