/*
 * vd_init: a fast initialization. The first and the last 8 MiB of a virtual drive become zeros, so
 * that nothing is recognized on it any more; what lies between stays, and its redundancy is the
 * background initialization's.
 *
 *   [what it carries is looked at] -> its export closes -> zeros, flushed -> exported again
 *
 * (1) Nobody uses it meanwhile: it is refused with clients connected and as a block device of this
 *     host, which keeps what it has read.
 * (2) It is answered when the zeros are on stable storage. An end before that leaves some of them;
 *     the command is repeated.
 * (3) There is no way back, so that its name has to be typed, as for its deletion.
 * (4) It goes in pieces, and fails when its time is over and a piece has ended.
 */
#include "ctl/command_init.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_stripe.h"
#include "ctl/vd_content.h"

#define INIT_END_BYTES (UINT64_C(8) << 20)
/* Other commands wait for this one: drives that take so long for 16 MiB are not waited for (4). */
#define INIT_PIECE_BYTES (UINT64_C(256) << 10)
#define INIT_PATIENCE_US UINT64_C(20000000)

enum init_step { INIT_CLOSE, INIT_HEAD, INIT_TAIL, INIT_FLUSH };

struct init_run {
    struct ctl *ctl;
    struct ctl_command *command;
    struct ctl_vd *cv;
    struct vd_content content;
    struct vd_request request;
    enum init_step step;
    uint64_t cursor_bytes; /* of this step */
    uint64_t until_us;
    bool busy; /* the request is under way */
    enum vd_status status;
};

/* Rules */

static bool refuse_state(const struct ctl_vd *cv, const char *state, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    vd_path(cv, path, sizeof(path));
    reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state", state, "op",
               ctl_op_said(CTL_OP_VD_INIT), NULL);
    return false;
}

/* (1) */
static bool rule_no_users(const struct ctl_vd *cv, struct reason *ret_reason)
{
    const struct ctl_observer *observer = &cv->cg->ctl->observer;
    const char *name = cv_config(cv)->name;
    char path[32] = "";

    if (!rule_unused(cv->cg->ctl, cv->object.key, name, REASON_VIRTUAL_DRIVE_IN_USE, ret_reason)) {
        return false;
    }
    if (observer->export_device != NULL) {
        observer->export_device(observer->context, cv->object.key, path, sizeof(path));
    }
    if (path[0] != '\0') {
        reason_set(ret_reason, REASON_INIT_DEVICE, "name", name, "device", path, NULL);
        return false;
    }
    return true;
}

bool rule_init(const struct ctl_vd *cv, struct reason *ret_reason)
{
    if (cv->removing) {
        return rule_vd_busy(cv, "its deletion", ret_reason);
    }
    if (!rule_online(cv->cg->ctl, ret_reason) || !rule_stripe_free(cv, ret_reason) ||
        !rule_group_running(cv->cg, CTL_OP_VD_INIT, ret_reason)) {
        return false;
    }
    if (cv->vd == NULL || cv_state(cv) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        return refuse_state(cv, virtual_drive_state_short(cv_state(cv)), ret_reason);
    }
    if (cv_config(cv)->access == ACCESS_POLICY_READ_ONLY) {
        return refuse_state(cv, access_policy_word(ACCESS_POLICY_READ_ONLY), ret_reason);
    }
    if (cv->measure.active) {
        return rule_vd_busy(cv, "its measurement", ret_reason);
    }
    if (cv->cached != NULL && vd_cached_is_pinned(cv->cached)) {
        reason_set(ret_reason, REASON_INIT_PRESERVED, "name", cv_config(cv)->name, NULL);
        return false;
    }
    return rule_no_users(cv, ret_reason);
}

/* Its end */

static void event_init(const struct ctl_vd *cv, enum event_id event)
{
    char title[PATH_TEXT_BYTES];

    vd_title(cv, title, sizeof(title));
    ctl_event(cv->cg->ctl, event, cv->object.key, "virtual_drive", title, NULL);
}

static void init_end(struct init_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;

    free(run);
    command_finish(ctl, reason);
}

static void init_over(struct init_run *run)
{
    struct ctl_vd *cv = run->cv;
    bool good = run->status == VD_STATUS_OK;
    struct reason reason;

    cv->initializing = false;
    event_init(cv, good ? EVENT_INIT_COMPLETED : EVENT_INIT_FAILED);
    if (ctl_is_online(run->ctl)) {
        ctl_vd_export(cv);
    }
    run->command->changed_something = true;
    command_object_add(run->command, &cv->object);
    if (good) {
        reason_set(&reason, REASON_OK, NULL);
    } else {
        reason_set(&reason, REASON_INIT_FAILED, "name", cv_config(cv)->name, NULL);
    }
    init_end(run, &reason);
}

/* Zeros */

static void init_answered(struct vd_request *request, enum vd_status status)
{
    struct init_run *run = request->owner;

    ASSERT(run->busy);
    run->busy = false;
    run->status = status;
    ctl_kick(run->ctl);
}

static void init_submit(struct init_run *run)
{
    struct vd_target *target = cv_target(run->cv);
    uint64_t end_bytes = min_u64(INIT_END_BYTES, target->size_bytes);
    uint64_t piece_bytes = min_u64(INIT_PIECE_BYTES, end_bytes - run->cursor_bytes);

    run->request = (struct vd_request){.op = VD_OP_WRITE_ZEROES,
                                       .offset_bytes = run->cursor_bytes,
                                       .length_bytes = (uint32_t)piece_bytes,
                                       .acknowledged = true, /* it may be blocked */
                                       .complete = init_answered,
                                       .owner = run};
    if (run->step == INIT_TAIL) {
        run->request.offset_bytes += target->size_bytes - end_bytes;
    } else if (run->step == INIT_FLUSH) {
        run->request.op = VD_OP_FLUSH;
        run->request.offset_bytes = 0;
        run->request.length_bytes = 0;
    }
    run->cursor_bytes = piece_bytes < end_bytes - run->cursor_bytes
                            ? run->cursor_bytes + piece_bytes
                            : 0; /* the step ends with this piece */
    list_init(&run->request.vd_link);
    run->busy = true;
    target->ops->submit(target, &run->request);
}

void command_init_work(struct ctl *ctl)
{
    struct init_run *run = NULL;

    if (ctl->command->op != CTL_OP_VD_INIT || ctl->command->ctl_private == NULL) {
        return;
    }
    run = ctl->command->ctl_private;
    if (run->busy || run->cv->target != NULL) {
        return; /* its export is being closed */
    }
    if (run->step != INIT_FLUSH && clock_now_us(ctl->ports.clock) > run->until_us) {
        run->status = VD_STATUS_IO; /* (4) */
    }
    if (run->status != VD_STATUS_OK || run->step == INIT_FLUSH) {
        init_over(run);
        return;
    }
    if (run->cursor_bytes == 0) {
        run->step++;
    }
    init_submit(run);
}

static void init_begin(struct init_run *run)
{
    struct ctl *ctl = run->ctl;
    struct ctl_vd *cv = run->cv;
    struct reason reason;

    if (!rule_init(cv, &reason)) { /* while it was looked at */
        init_end(run, &reason);
        return;
    }
    event_init(cv, EVENT_INIT_STARTED);
    run->until_us = clock_now_us(ctl->ports.clock) + INIT_PATIENCE_US;
    cv->initializing = true;
    run->command->ctl_private = run;
    if (cv->target != NULL && !cv->export_closing) {
        cv->export_closing = true;
        ctl->observer.export_close(ctl->observer.context, cv->target, cv->object.key);
    }
    ctl_kick(ctl);
}

static void init_looked(struct vd_content *content, bool readable, const char *name)
{
    struct init_run *run = content->owner;
    struct reason reason;

    if (readable && name == NULL) {
        init_begin(run);
        return;
    }
    reason_set(&reason, readable ? REASON_INIT_CONTENT : REASON_INIT_CONTENT_UNKNOWN, "name",
               cv_config(run->cv)->name, "content", readable ? name : "", NULL);
    init_end(run, &reason);
}

void command_vd_init(struct ctl *ctl, struct ctl_command *command)
{
    struct ctl_vd *cv = vd_by_key(ctl, command->args.vd_init.vd);
    struct init_run *run = NULL;
    struct reason reason;

    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key",
                   command->args.vd_init.vd, NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_init(cv, &reason) ||
        !rule_confirmed(command->confirm, cv_config(cv)->name, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    *run = (struct init_run){.ctl = ctl, .command = command, .cv = cv, .step = INIT_CLOSE};
    run->content.done = init_looked;
    run->content.owner = run;
    if (!command->args.vd_init.unless_content) {
        init_begin(run);
    } else if (vd_content_can_be_read(cv)) {
        vd_content_look(&run->content, cv);
    } else {
        init_looked(&run->content, false, NULL);
    }
}
