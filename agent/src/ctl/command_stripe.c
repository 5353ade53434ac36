/*
 * stripe_create and stripe_delete: the members' records are edited one after the other.
 *
 *   the changes of all controllers are ours -> judged -> exports are closed
 *     -> (create without force: nothing is on the members) -> edited, one saved edit each
 *     -> what can be exported is
 *
 * (1) Whoever changes stripes has the right to give names, of which there is one on the host, so
 *     two never wait for each other's controllers. Every controller that works kicks it.
 * (2) If an edit fails those before it are taken back, the last first. What cannot be taken back,
 *     and what a power cut leaves, is a stripe that is incomplete: it is never exported, its
 *     members hold the bytes they had, and it can be deleted, or given up for a new one by force.
 * (3) Until the end nothing is put together, so that no half of a change is seen.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_stripe.h"

#define STRIP_DEFAULT_BYTES (64u * 1024u)
#define CHANGES_MAX (2 * STRIPE_MEMBERS_MAX)
/* Where file systems, partition tables and volume managers have their marks. */
#define MARKS_BYTES (1024u * 1024u)

enum stripe_step { STRIPE_WAITS, STRIPE_CLOSES, STRIPE_READS, STRIPE_EDITS, STRIPE_UNDOES };

struct stripe_change {
    struct stripe_run *run;
    struct ctl_vd *cv;
    struct vd_stripe old, new;
};

struct stripe_run {
    struct ctl *ctl;
    struct ctl_command *command;
    enum stripe_step step;
    uint32_t count;
    struct stripe_change changes[CHANGES_MAX];
    uint32_t next;                 /* of the changes */
    int error;                     /* why they are being taken back */
    uint32_t held_count;
    struct ctl *held[CTL_HOST_CONTROLLERS_MAX]; /* whose change is ours; not the own */
    struct vd_request read;
    uint8_t *buffer;               /* MARKS_BYTES */
    bool at_end;                   /* of the virtual drive, it reads */
    char name[VD_NAME_MAX + 1];
};

static void run_end(struct stripe_run *run, const struct reason *reason)
{
    struct ctl *ctl = run->ctl;
    struct reason copy = *reason;

    for (uint32_t i = 0; i < run->held_count; i++) {
        ctl_change_end(run->held[i]);
    }
    free(run->buffer);
    free(run);
    command_finish(ctl, &copy);
}

/* Offers what can be used, by itself or in a stripe, then answers. */
static void run_finish(struct stripe_run *run, const struct reason *reason)
{
    run->ctl->host->stripes_held = false;
    for (uint32_t i = 0; i < run->count; i++) {
        if (run->changes[i].cv->vd != NULL) {
            ctl_vd_export(run->changes[i].cv);
        }
    }
    ctl_stripes_work(run->ctl);
    run_end(run, reason);
}

/* Judging */

bool rule_stripe_create(const struct ctl_vd *cv, bool force, struct reason *ret_reason)
{
    const struct vd_config *config = cv_config(cv);
    struct stripe_found found;

    if (!rule_online(cv->cg->ctl, ret_reason) ||
        !rule_group_running(cv->cg, CTL_OP_STRIPE_CREATE, ret_reason)) {
        return false;
    }
    if (cv_state(cv) == VIRTUAL_DRIVE_STATE_OFFLINE) {
        reason_set(ret_reason, REASON_WRONG_STATE, "key", config->name, "state",
                   virtual_drive_state_word(cv_state(cv)), "op", ctl_op_said(CTL_OP_STRIPE_CREATE),
                   NULL);
        return false;
    }
    if (config->access != ACCESS_POLICY_READ_WRITE) {
        reason_set(ret_reason, REASON_WRONG_STATE, "key", config->name, "state",
                   access_policy_word(config->access), "op", ctl_op_said(CTL_OP_STRIPE_CREATE),
                   NULL);
        return false;
    }
    if (!cv_is_striped(cv)) {
        return true;
    }
    stripe_find(cv->cg->ctl->host, &config->stripe.uuid, &found);
    if (!found.whole && force) {
        return true;
    }
    reason_set(ret_reason, found.whole ? REASON_STRIPE_MEMBER : REASON_STRIPE_MEMBER_INCOMPLETE,
               "name", config->name, "stripe", config->stripe.name, NULL);
    return false;
}

static bool run_has(const struct stripe_run *run, const struct ctl_vd *cv)
{
    for (uint32_t i = 0; i < run->count; i++) {
        if (run->changes[i].cv == cv) {
            return true;
        }
    }
    return false;
}

static bool members_find(struct stripe_run *run, const struct command_stripe_create *args,
                         struct reason *ret_reason)
{
    run->count = 0;
    if (args->vd_count < STRIPE_MEMBERS_MIN || args->vd_count > STRIPE_MEMBERS_MAX) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "virtual_drives", "problem",
                   "must name 2 to 8", NULL);
        return false;
    }
    for (uint32_t i = 0; i < args->vd_count; i++) {
        const struct ctl_object *object =
            host_object_find(run->ctl->host, OBJECT_KIND_VIRTUAL_DRIVE, args->vds[i]);

        if (!host_key_is_clear(run->ctl->host, OBJECT_KIND_VIRTUAL_DRIVE, args->vds[i],
                               ret_reason)) {
            return false;
        }
        if (object == NULL) {
            reason_set(ret_reason, REASON_UNKNOWN_OBJECT, "kind", "virtual_drive", "key",
                       args->vds[i], NULL);
            return false;
        }
        if (run_has(run, object->subject)) {
            reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "virtual_drives", "problem",
                       "one is named twice", NULL);
            return false;
        }
        run->changes[run->count++] = (struct stripe_change){
            .run = run, .cv = object->subject, .old = cv_config(object->subject)->stripe};
    }
    return true;
}

static bool members_suit(const struct stripe_run *run, bool force, struct reason *ret_reason)
{
    for (uint32_t i = 0; i < run->count; i++) {
        const struct ctl_vd *cv = run->changes[i].cv;

        if (!rule_stripe_create(cv, force, ret_reason) ||
            !rule_unused(cv->cg->ctl, cv->object.key, cv_config(cv)->name,
                         REASON_VIRTUAL_DRIVE_IN_USE, ret_reason)) {
            return false;
        }
    }
    return true;
}

/* Only the stripes that its members give up may have had the name. */
static bool name_is_free(const struct stripe_run *run, const char *name, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    if (!vd_name_is_valid(name)) {
        reason_set(ret_reason, REASON_NAME_INVALID, NULL);
        return false;
    }
    HOST_FOR_EACH_VD (cv, run->ctl->host) {
        if (strcmp(cv_config(cv)->name, name) == 0 ||
            (strcmp(cv_config(cv)->stripe.name, name) == 0 && !run_has(run, cv))) {
            vd_path(cv, path, sizeof(path));
            reason_set(ret_reason, REASON_NAME_TAKEN, "name", name, "key", path, NULL);
            return false;
        }
    }
    return true;
}

static bool create_plan(struct stripe_run *run, struct reason *ret_reason)
{
    const struct command_stripe_create *args = &run->command->args.stripe_create;
    struct vd_stripe plan = {.count = args->vd_count,
                             .strip_bytes =
                                 args->strip_bytes != 0 ? args->strip_bytes : STRIP_DEFAULT_BYTES};
    uint64_t bytes = UINT64_MAX;

    if (!members_find(run, args, ret_reason) || !members_suit(run, args->force, ret_reason) ||
        !name_is_free(run, args->name, ret_reason) ||
        (args->force &&
         !rule_confirmed(run->command->confirm, cv_config(run->changes[0].cv)->name, ret_reason))) {
        return false;
    }
    if (plan.strip_bytes < STRIPE_STRIP_MIN_BYTES || plan.strip_bytes > STRIPE_STRIP_MAX_BYTES ||
        (plan.strip_bytes & (plan.strip_bytes - 1)) != 0) {
        reason_set(ret_reason, REASON_STRIP_INVALID, NULL);
        return false;
    }
    for (uint32_t i = 0; i < run->count; i++) {
        bytes = min_u64(bytes, cv_config(run->changes[i].cv)->size_bytes);
    }
    plan.member_bytes = bytes / plan.strip_bytes * plan.strip_bytes;
    if (plan.member_bytes == 0) {
        reason_set(ret_reason, REASON_INVALID_ARGUMENT, "field", "strip_bytes", "problem",
                   "it is larger than the smallest virtual drive", NULL);
        return false;
    }
    plan.uuid = uuid_make(&run->ctl->rng);
    memcpy(plan.name, args->name, sizeof(plan.name));
    memcpy(run->name, args->name, sizeof(run->name));
    for (uint32_t i = 0; i < run->count; i++) {
        plan.position = i;
        run->changes[i].new = plan;
    }
    return true;
}

/* Of a virtual drive that names the stripe: true unless it cannot be reached and must be. */
static bool delete_take(struct stripe_run *run, struct ctl_vd *cv, bool force,
                        struct reason *ret_reason)
{
    if (!rule_online(cv->cg->ctl, ret_reason) ||
        !rule_group_running(cv->cg, CTL_OP_STRIPE_DELETE, ret_reason)) {
        return force;
    }
    if (run->count < CHANGES_MAX) {
        run->changes[run->count++] =
            (struct stripe_change){.run = run, .cv = cv, .old = cv_config(cv)->stripe};
    }
    return true;
}

static bool delete_members(struct stripe_run *run, const struct uuid *uuid, bool force,
                           struct reason *ret_reason)
{
    run->count = 0;
    HOST_FOR_EACH_VD (cv, run->ctl->host) {
        if (uuid_equal(&cv_config(cv)->stripe.uuid, uuid) &&
            !delete_take(run, cv, force, ret_reason)) {
            return false;
        }
    }
    return run->count > 0; /* else the last one that could not be reached is the reason */
}

static bool delete_plan(struct stripe_run *run, struct reason *ret_reason)
{
    const char *key = run->command->args.stripe_delete.stripe;
    bool force = run->command->args.stripe_delete.force;
    const struct ctl_stripe *stripe = stripe_by_key(run->ctl->host, key);
    struct stripe_found found = {.config = NULL};

    if (stripe != NULL) {
        stripe_find(run->ctl->host, &stripe->uuid, &found);
    }
    if (found.config == NULL) {
        reason_set(ret_reason, REASON_UNKNOWN_OBJECT, "kind", "stripe", "key", key, NULL);
        return false;
    }
    memcpy(run->name, found.config->name, sizeof(run->name));
    if (!rule_confirmed(run->command->confirm, run->name, ret_reason)) {
        return false;
    }
    if (!force && stripe->work != NULL &&
        !rule_unused(stripe->exporter, key, run->name, REASON_VIRTUAL_DRIVE_IN_USE, ret_reason)) {
        return false;
    }
    return delete_members(run, &stripe->uuid, force, ret_reason);
}

/* Edits */

static void stripe_edit(struct group_config *config, void *context)
{
    const struct stripe_change *change = context;
    bool back = change->run->step == STRIPE_UNDOES;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (guid_equal(&config->vds[i].guid, &change->cv->guid)) {
            config->vds[i].stripe = back ? change->old : change->new;
            return;
        }
    }
    UNREACHABLE();
}

static void run_done(struct stripe_run *run)
{
    struct ctl *ctl = run->ctl;
    const char *key = run->changes[0].cv->object.key;
    struct reason reason;
    char count[16];

    reason_set(&reason, REASON_OK, NULL);
    for (uint32_t i = 0; i < run->count; i++) {
        command_object_add(run->command, &run->changes[i].cv->object);
        if (run->command->op == CTL_OP_STRIPE_CREATE) {
            host_export_ended(ctl, cv_config(run->changes[i].cv)->name);
        }
    }
    if (run->command->op == CTL_OP_STRIPE_CREATE) {
        (void)snprintf(count, sizeof(count), "%u", run->count);
        ctl_event(ctl, EVENT_STRIPE_CREATED, key, "stripe", run->name, "count", count, NULL);
    } else {
        host_export_ended(ctl, run->name);
        ctl_event(ctl, EVENT_STRIPE_DELETED, key, "stripe", run->name, NULL);
    }
    run_finish(run, &reason);
}

static void edit_next(struct stripe_run *run);

static void edit_failed(struct stripe_run *run, int error)
{
    if (run->step == STRIPE_UNDOES) {
        run->command->changed_something = true; /* (2) */
    } else {
        run->step = STRIPE_UNDOES;
        run->error = error;
    }
}

static void edit_done(void *context, int error)
{
    struct stripe_run *run = context;

    if (error != 0) {
        edit_failed(run, error);
    } else if (run->step == STRIPE_EDITS) {
        run->next++;
    }
    edit_next(run);
}

static void edit_next(struct stripe_run *run)
{
    struct stripe_change *change = NULL;
    struct reason reason;

    if (run->step == STRIPE_EDITS && run->next == run->count) {
        run_done(run);
        return;
    }
    if (run->step == STRIPE_UNDOES && run->next == 0) {
        reason_from_store(&reason, run->error);
        run_finish(run, &reason);
        return;
    }
    change = &run->changes[run->step == STRIPE_EDITS ? run->next : --run->next];
    ASSERT(change->cv->cg->phase == CTL_GROUP_RUNNING); /* whoever stops it waits for our change */
    group_config_change(change->cv->cg->group, stripe_edit, change, edit_done, run);
}

static void edits_begin(struct stripe_run *run)
{
    run->ctl->host->stripes_held = true; /* (3) */
    run->step = STRIPE_EDITS;
    run->next = 0;
    edit_next(run);
}

/* Is anything on the members? Both ends of each are read. */

static void marks_read(struct stripe_run *run);

static void marks_found(struct stripe_run *run)
{
    struct reason reason;

    reason_set(&reason, REASON_STRIPE_HAS_DATA, "name", cv_config(run->changes[run->next].cv)->name,
               NULL);
    run_finish(run, &reason);
}

static void marks_answered(struct vd_request *request, enum vd_status status)
{
    struct stripe_run *run = request->owner;

    for (uint32_t i = 0; i < request->length_bytes; i++) {
        if (status != VD_STATUS_OK || run->buffer[i] != 0) {
            marks_found(run); /* what cannot be read may be data */
            return;
        }
    }
    run->next += run->at_end ? 1 : 0;
    run->at_end = !run->at_end;
    marks_read(run);
}

static void marks_read(struct stripe_run *run)
{
    uint64_t size_bytes = 0;
    uint32_t length_bytes = 0;

    if (run->next == run->count) {
        edits_begin(run);
        return;
    }
    size_bytes = cv_config(run->changes[run->next].cv)->size_bytes;
    length_bytes = (uint32_t)min_u64(size_bytes, MARKS_BYTES);
    run->read = (struct vd_request){.op = VD_OP_READ,
                                    .offset_bytes = run->at_end ? size_bytes - length_bytes : 0,
                                    .length_bytes = length_bytes,
                                    .buffer = run->buffer,
                                    .complete = marks_answered,
                                    .owner = run};
    list_init(&run->read.vd_link);
    vd_submit(run->changes[run->next].cv->vd, &run->read);
}

/* The way there */

/* All or none. */
static bool changes_take(struct stripe_run *run)
{
    LIST_FOR_EACH (node, &run->ctl->host->ctls) {
        const struct ctl *ctl = list_entry(node, const struct ctl, host_link);

        if (ctl != run->ctl && ctl->change != NULL) {
            return false;
        }
    }
    LIST_FOR_EACH (node, &run->ctl->host->ctls) {
        struct ctl *ctl = list_entry(node, struct ctl, host_link);

        if (ctl != run->ctl) {
            run->held[run->held_count++] = ctl;
            if (!ctl_change_begin(ctl, "a stripe")) {
                UNREACHABLE(); /* it was free */
            }
        }
    }
    return true;
}

static void run_close(struct stripe_run *run)
{
    bool busy = false;

    for (uint32_t i = 0; i < run->count; i++) {
        busy = ctl_vd_unexport(run->changes[i].cv) || busy;
    }
    if (busy) {
        return;
    }
    if (run->command->op != CTL_OP_STRIPE_CREATE || run->command->args.stripe_create.force) {
        edits_begin(run);
        return;
    }
    run->buffer = malloc(MARKS_BYTES);
    ASSERT(run->buffer != NULL);
    run->step = STRIPE_READS;
    marks_read(run);
}

/* Every controller that works kicks this one. */
static void run_begin(struct stripe_run *run)
{
    struct reason reason;

    if (!changes_take(run)) {
        return;
    }
    if (run->command->op == CTL_OP_STRIPE_CREATE ? !create_plan(run, &reason)
                                                 : !delete_plan(run, &reason)) {
        run_end(run, &reason);
        return;
    }
    run->step = STRIPE_CLOSES;
    run_close(run);
}

void command_stripe_work(struct ctl *ctl)
{
    struct stripe_run *run = ctl->command->ctl_private;

    if ((ctl->command->op != CTL_OP_STRIPE_CREATE && ctl->command->op != CTL_OP_STRIPE_DELETE) ||
        run == NULL) {
        return;
    }
    if (run->step == STRIPE_WAITS) {
        run_begin(run);
    } else if (run->step == STRIPE_CLOSES) {
        run_close(run);
    }
}

static void stripe_command(struct ctl *ctl, struct ctl_command *command)
{
    struct stripe_run *run = calloc(1, sizeof(*run));

    ASSERT(run != NULL);
    run->ctl = ctl;
    run->command = command;
    command->ctl_private = run;
    ctl_kick(ctl);
}

void command_stripe_create(struct ctl *ctl, struct ctl_command *command)
{
    stripe_command(ctl, command);
}

void command_stripe_delete(struct ctl *ctl, struct ctl_command *command)
{
    stripe_command(ctl, command);
}
