/*
 * Places and results of consistency checks outlive the agent (check_record.h).
 *
 * (1) A place is kept when a checkpoint has been made, with what was found below it: a check that
 *     goes on there has the result of all rows, whatever ended the agent.
 * (2) One that its user stopped, or that failed, is over. All others that ended before their end
 *     were cut short: they go on as soon as their group runs; a paused one waits for its user.
 * (3) Rows below the place that are not known consistent any more are made anew, and nobody can say
 *     what a comparison would have found there now: then it begins anew, and what was found stays
 *     known as of before a rebuild.
 * (4) A command is answered when what it did is kept, so that no kill undoes it, and a stop when
 * the check has ended. Where it cannot be kept, or drives take nothing for long, it is not waited
 *     for: what was asked for is done.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "ctl/check_record.h"
#include "ctl/ctl_private.h"

#define SAVE_AGAIN_US UINT64_C(10000000)
#define ANSWER_MOST_US UINT64_C(10000000)

struct ctl_checks {
    struct check_record record;
    uint8_t bytes[CHECK_RECORD_MAX_BYTES];
    struct store_request put;
    bool noted; /* yet to be saved */
    bool putting;
    uint64_t again_us; /* no save before: the last one failed */
    uint64_t answer_until_us; /* the command is not answered later than that */
};

int ctl_checks_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    size_t bytes = 0;
    int error = 0;

    ctl->checks = calloc(1, sizeof(*ctl->checks));
    if (ctl->checks == NULL) {
        return -ENOMEM;
    }
    error = store->ops->get(store, CHECK_RECORD_NAME, ctl->checks->bytes,
                            sizeof(ctl->checks->bytes), &bytes);
    if (error == 0) {
        error = check_record_decode(ctl->checks->bytes, bytes, &ctl->checks->record);
    }
    return error == -ENOMEM ? error : 0; /* check_record.h (2) */
}

static void kept_note(struct ctl *ctl)
{
    ctl->checks->noted = true;
    ctl_kick(ctl);
}

/* As it is seen until it goes on. */
static void cut_short_mark(struct ctl_vd *cv, bool paused)
{
    cv->check.cut_short = true;
    cv->check.view.state = paused ? OPERATION_STATE_PAUSED : OPERATION_STATE_WAITING;
    cv->check.view.ended_us = 0;
}

void check_restore(struct ctl_vd *cv)
{
    struct ctl *ctl = cv->cg->ctl;
    const struct check_entry *entry = check_record_find(&ctl->checks->record, &cv->guid);

    if (entry == NULL || (ctl->life != CTL_LIFE_NEW && ctl->life != CTL_LIFE_STARTING)) {
        return;
    }
    cv->check = entry->check;
    if (entry->goes_on) {
        cut_short_mark(cv, entry->paused);
    }
}

void check_forget(struct ctl_vd *cv)
{
    struct ctl *ctl = cv->cg->ctl;

    if (ctl->life != CTL_LIFE_NEW && ctl->life != CTL_LIFE_STOPPED &&
        check_record_drop(&ctl->checks->record, &cv->guid)) {
        kept_note(ctl);
    }
}

/* Keeping */

static void entry_put(const struct ctl_vd *cv, const struct check_entry *entry)
{
    if (!cv->removing) {
        check_record_put(&cv->cg->ctl->checks->record, entry);
        kept_note(cv->cg->ctl);
    }
}

void check_keep_begun(struct ctl_vd *cv)
{
    const struct check_entry entry = {.vd = cv->guid, .goes_on = true, .check = cv->check};

    entry_put(cv, &entry);
}

void check_keep_place(const struct ctl_operation *op)
{
    struct check_entry entry = {.vd = op->cv->guid, .goes_on = true, .check = op->cv->check};
    struct task_status_view status;

    task_status_get(op->task, &status);
    entry.paused = status.state == OPERATION_STATE_PAUSED;
    entry.row = status.check_row;
    entry.check.view.compared_bytes = status.compared_bytes;
    entry.check.view.left_out_bytes = status.left_out_bytes;
    entry.check.view.unreadable_bytes = status.unreadable_bytes;
    entry_put(op->cv, &entry);
}

void check_keep_paused(const struct ctl_vd *cv, bool paused)
{
    struct check_entry *entry = check_record_find(&cv->cg->ctl->checks->record, &cv->guid);

    if (entry != NULL && entry->paused != paused) {
        entry->paused = paused;
        kept_note(cv->cg->ctl);
    }
}

void check_keep_result(const struct ctl_vd *cv)
{
    const struct check_entry entry = {.vd = cv->guid, .check = cv->check};

    entry_put(cv, &entry);
}

void check_cut_short(struct ctl_vd *cv)
{
    const struct check_entry *entry = check_record_find(&cv->cg->ctl->checks->record, &cv->guid);

    ASSERT(!cv->removing);
    if (entry != NULL) {
        cut_short_mark(cv, entry->paused);
    }
}

void check_keep_rebuilt(const struct ctl_vd *cv)
{
    struct check_entry *entry = check_record_find(&cv->cg->ctl->checks->record, &cv->guid);

    if (entry != NULL && (entry->check.rebuilt != cv->check.rebuilt ||
                          entry->check.kept_count != cv->check.kept_count)) {
        entry->check.rebuilt = cv->check.rebuilt;
        entry->check.kept_count = cv->check.kept_count;
        entry->check.view.earlier = cv->check.view.earlier;
        kept_note(cv->cg->ctl);
    }
}

/* Going on */

static void place_void(struct check_entry *entry)
{
    const struct ctl_check before = entry->check;

    entry->row = 0;
    entry->check = (struct ctl_check){
        .any = true,
        .kept_count = before.kept_count + before.view.inconsistent +
                      check_earlier_count(&before.view.earlier),
        .view = {.correct = before.view.correct, .began_us = before.view.began_us}};
}

static void check_continue(struct ctl_vd *cv)
{
    struct check_entry *entry = check_record_find(&cv->cg->ctl->checks->record, &cv->guid);
    struct task_check_start start;

    cv->check.cut_short = false;
    if (entry == NULL || !entry->goes_on) {
        return;
    }
    if (vd_config(cv->vd)->consistent_rows < entry->row) { /* (3) */
        place_void(entry);
        kept_note(cv->cg->ctl);
    }
    cv->check = entry->check;
    cv->check.view.ended_us = 0;
    start = (struct task_check_start){.correct = cv->check.view.correct,
                                      .row = entry->row,
                                      .compared_bytes = cv->check.view.compared_bytes,
                                      .left_out_bytes = cv->check.view.left_out_bytes,
                                      .unreadable_bytes = cv->check.view.unreadable_bytes};
    if (!operation_start_check(cv, &start)) {
        cut_short_mark(cv, entry->paused); /* no memory now: the next turn tries again */
    } else if (entry->paused) {
        task_pause(operation_of_check(cv)->task);
    }
}

void checks_continue(struct ctl_group *cg)
{
    LIST_FOR_EACH (node, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        if (cv->check.cut_short && cv->vd != NULL && !cv->removing && !cv->initializing &&
            operation_of_check(cv) == NULL) {
            check_continue(cv);
        }
    }
}

/* Answers */

void check_answer_when_kept(struct ctl *ctl)
{
    ASSERT(ctl->command != NULL && ctl->command->op == CTL_OP_CONSISTENCY_CHECK);
    ctl->checks->answer_until_us = clock_now_us(ctl->ports.clock) + ANSWER_MOST_US;
    ctl_kick(ctl);
}

static bool is_kept(const struct ctl *ctl)
{
    const struct ctl_vd *cv = vd_by_key(ctl, ctl->command->args.check.vd);

    if (ctl->command->args.check.action == TASK_ACTION_STOP && cv != NULL &&
        operation_of_check(cv) != NULL) {
        return false;
    }
    return ctl_checks_are_quiet(ctl) || clock_now_us(ctl->ports.clock) < ctl->checks->again_us;
}

void command_check_work(struct ctl *ctl)
{
    if (ctl->command->op != CTL_OP_CONSISTENCY_CHECK) {
        return;
    }
    if (ctl->life == CTL_LIFE_ONLINE && !is_kept(ctl) &&
        clock_now_us(ctl->ports.clock) < ctl->checks->answer_until_us) { /* (4) */
        ctl_kick_at(ctl, ctl->checks->answer_until_us);
        return;
    }
    command_done(ctl);
}

/* Saving */

static void checks_saved(struct store_request *put, int error)
{
    struct ctl *ctl = put->owner;

    ASSERT(ctl->checks->putting);
    ctl->checks->putting = false;
    if (error != 0 && ctl->life == CTL_LIFE_ONLINE) {
        ctl->checks->noted = true;
        ctl->checks->again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    }
    ctl_kick(ctl);
}

void ctl_checks_work(struct ctl *ctl)
{
    struct ctl_checks *checks = ctl->checks;
    struct store_request *put = &checks->put;

    if (!checks->noted || checks->putting ||
        (ctl->life != CTL_LIFE_ONLINE && ctl->life != CTL_LIFE_STOPPING)) {
        return;
    }
    if (clock_now_us(ctl->ports.clock) < checks->again_us && ctl->life == CTL_LIFE_ONLINE) {
        ctl_kick_at(ctl, checks->again_us);
        return;
    }
    checks->noted = false;
    checks->putting = true;
    (void)snprintf(put->name, sizeof(put->name), "%s", CHECK_RECORD_NAME);
    put->value = checks->bytes;
    put->value_bytes = check_record_encode(&checks->record, checks->bytes);
    put->complete = checks_saved;
    put->owner = ctl;
    list_init(&put->port_link);
    ctl->ports.store->ops->put(ctl->ports.store, put);
}

bool ctl_checks_are_quiet(const struct ctl *ctl)
{
    return !ctl->checks->noted && !ctl->checks->putting;
}
