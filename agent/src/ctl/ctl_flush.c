/*
 * cache_flush: everything cached goes to the drives, and they flush it. The command is answered at
 * once, because that may take minutes and commands run one at a time; cache_flush in the virtual
 * drive's document tells when it is over.
 *
 *   none, done, failed --command--> running --drained and flushed--> done
 *                                     |  \--the drives do not take it--> failed
 *                                     \--another command meanwhile--> running, once more
 *
 * (1) It covers every write that was answered before the last command.
 * (2) The cache behind the export is closed after it has ended (ctl_vd_unexport).
 */
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

static void flush_begin(struct ctl_vd *cv);

static void flush_ended(struct vd_request *request, enum vd_status status)
{
    struct ctl_vd *cv = request->owner;
    bool again = cv->flush.again && status == VD_STATUS_OK;

    ASSERT(cv->flush.state == CACHE_FLUSH_STATE_RUNNING);
    cv->flush.again = false;
    cv->flush.state = status == VD_STATUS_OK ? CACHE_FLUSH_STATE_DONE : CACHE_FLUSH_STATE_FAILED;
    if (again && cv->vd != NULL && !cv->cache_closing) {
        flush_begin(cv); /* (1) */
    }
    ctl_kick(cv->cg->ctl);
}

static void flush_begin(struct ctl_vd *cv)
{
    struct vd_request *request = &cv->flush.request;

    ASSERT(cv->vd != NULL && cv->flush.state != CACHE_FLUSH_STATE_RUNNING);
    cv->flush.state = CACHE_FLUSH_STATE_RUNNING;
    *request = (struct vd_request){
        .op = VD_OP_FLUSH, .acknowledged = true, .complete = flush_ended, .owner = cv};
    list_init(&request->vd_link);
    if (cv->cached != NULL) {
        vd_cached_drain(cv->cached, request);
    } else {
        vd_submit(cv->vd, request);
    }
}

bool cv_flush_runs(const struct ctl_vd *cv)
{
    return cv->flush.state == CACHE_FLUSH_STATE_RUNNING;
}

bool rule_cache_flush(const struct ctl_vd *cv, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (cv->removing) {
        return rule_vd_busy(cv, "its deletion", ret_reason);
    }
    if (!rule_online(cv->cg->ctl, ret_reason) ||
        !rule_group_running(cv->cg, CTL_OP_CACHE_FLUSH, ret_reason)) {
        return false;
    }
    if (cv->vd == NULL || cv->cache_closing || cv_state(cv) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        vd_path(cv, path, sizeof(path));
        reason_set(ret_reason, REASON_WRONG_STATE, "key", path, "state",
                   virtual_drive_state_short(cv_state(cv)), "op", ctl_op_said(CTL_OP_CACHE_FLUSH),
                   NULL);
        return false;
    }
    if (cv->cached != NULL && vd_cached_is_pinned(cv->cached)) {
        reason_set(ret_reason, REASON_CACHE_FLUSH_REFUSED, "name", cv_config(cv)->name, NULL);
        return false;
    }
    return true;
}

static void flush_ask(struct ctl_command *command, struct ctl_vd *cv)
{
    if (cv_flush_runs(cv)) {
        cv->flush.again = true;
    } else {
        flush_begin(cv);
    }
    command_object_add(command, &cv->object);
}

static bool has_cached_writes(const struct ctl_vd *cv)
{
    const struct ctl *ctl = cv->cg->ctl;
    const struct cache_vd *blocks =
        ctl->cache != NULL ? cache_vd_find(ctl->cache, &cv->guid) : NULL;

    return blocks != NULL && cache_vd_dirty_bytes(blocks) > 0;
}

/* Whatever can be flushed is. What cannot, though something of it is cached, is named. */
static void flush_all(struct ctl *ctl, struct ctl_command *command)
{
    struct name_list left = {.count = 0};
    struct reason reason;

    LIST_FOR_EACH (group_node, &ctl->groups) {
        struct ctl_group *cg = list_entry(group_node, struct ctl_group, link);

        LIST_FOR_EACH (node, &cg->vds) {
            struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

            if (rule_cache_flush(cv, &reason)) {
                flush_ask(command, cv);
            } else if (has_cached_writes(cv)) {
                name_list_add(&left, cv_config(cv)->name);
            }
        }
    }
    reason_set(&reason, REASON_OK, NULL);
    if (left.count > 0) {
        reason_set(&reason, REASON_CACHE_FLUSH_PARTLY, "names", name_list_text(&left), NULL);
        command->changed_something = true;
    }
    command_finish(ctl, &reason);
}

void command_cache_flush(struct ctl *ctl, struct ctl_command *command)
{
    enum object_kind kind = command->args.cache_flush.kind;
    const char *key = command->args.cache_flush.key;
    struct ctl_vd *cv = kind == OBJECT_KIND_VIRTUAL_DRIVE ? vd_by_key(ctl, key) : NULL;
    struct reason reason;

    if (kind == OBJECT_KIND_CONTROLLER && strcmp(key, controller_key(ctl)) == 0) {
        flush_all(ctl, command);
        return;
    }
    if (cv == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", object_kind_word(kind), "key", key,
                   NULL);
        command_finish(ctl, &reason);
        return;
    }
    if (!rule_cache_flush(cv, &reason)) {
        command_finish(ctl, &reason);
        return;
    }
    flush_ask(command, cv);
    command_done(ctl);
}
