/*
 * Drives that are being erased, and those that are erased in part: the controller's record says
 * which, how and how far, from before the first byte goes until all are gone or somebody makes the
 * drive good. In between it is used for nothing else.
 *
 *   begin: claim -> record -> former owner's marks and our label wiped -> task/erase.h
 *   ended well:   record forgets it -> UGood, given back to the host
 *   stopped, or it cannot be written: the record keeps it as erased in part
 *   lost, or the agent ended: the record keeps it as it is; it goes on when the drive is there
 *   writes are refused: the same, and it is tried again (ctl_attempt.c)
 *
 * (1) It goes on by itself only on a drive that carries nothing and holds what the erase has
 *     written (task/erase.h (2)). On any other the record forgets it: somebody has used the drive.
 * (2) Ends and places are saved under `change`, by the work loop; the first place under that of the
 *     command that began it, which ends only then: whatever happens after its answer, the erase
 *     has a place to go on from.
 * (3) One that writes were refused to goes on from its beginning, too, if it had no place yet: the
 *     drive has been claimed since, so nobody else has used it.
 * (4) Its operation lasts until it has ended or is not to go on: while the drive is away or cannot
 *     be written, it waits, and can be stopped. Only a drive that is no longer listed has none.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

#define SAVE_AGAIN_US UINT64_C(10000000)
#define QUIET_AGAIN_US UINT64_C(100000)

/* The record's list */

struct controller_erase *record_erase_find(struct controller_record *record, const char *key)
{
    for (uint32_t i = 0; i < record->erase_count; i++) {
        if (strcmp(record->erases[i].key, key) == 0) {
            return &record->erases[i];
        }
    }
    return NULL;
}

bool record_erase_remove(struct controller_record *record, const char *key)
{
    struct controller_erase *entry = record_erase_find(record, key);
    uint32_t i = 0;

    if (entry == NULL) {
        return false;
    }
    i = (uint32_t)(entry - record->erases);
    record->erase_count--;
    memmove(entry, entry + 1, (record->erase_count - i) * sizeof(*entry));
    return true;
}

struct controller_erase *cd_erase_entry(const struct ctl_drive *cd)
{
    return record_erase_find(cd->ctl->record, cd->identity.key);
}

enum cd_erasure cd_erasure(const struct ctl_drive *cd)
{
    const struct controller_erase *entry = cd_erase_entry(cd);

    if (cd->erase != NULL && !cd->erase->concluded) {
        return CD_ERASURE_ACTIVE;
    }
    return entry == NULL ? CD_ERASURE_NONE : entry->active ? CD_ERASURE_ACTIVE : CD_ERASURE_PARTIAL;
}

static bool is_refusal(enum reason_code why)
{
    return why == REASON_NO_SPACE_BELOW || why == REASON_NOW_READ_ONLY;
}

static uint64_t place_bytes(const struct controller_erase *entry)
{
    return entry->pass * entry->size_bytes + entry->cursor_bytes;
}

static uint32_t percent_of(const struct controller_erase *entry)
{
    uint32_t passes = erase_pass_count(entry->mode);

    if (entry->size_bytes < 100) {
        return 0;
    }
    return (uint32_t)((entry->pass * UINT64_C(100) +
                       entry->cursor_bytes / (entry->size_bytes / 100 + 1)) /
                      passes);
}

static bool is_to_go_on(const struct ctl_drive *cd)
{
    const struct controller_erase *entry = cd_erase_entry(cd);

    return entry != NULL && entry->active && cd->group == NULL;
}

/* Writes are refused, and it is tried again. */
static bool is_refused(const struct ctl_drive *cd)
{
    return is_to_go_on(cd) && cd->present && cd->erase_wait.attempt.failures > 0;
}

bool cd_erase_waits(const struct ctl_drive *cd, struct reason *ret_why)
{
    if (is_to_go_on(cd) && !cd->present) {
        reason_set(ret_why, REASON_DRIVE_LOST_PULLED, NULL);
        return true;
    }
    if (is_refused(cd)) {
        *ret_why = cd->erase_wait.attempt.why;
        return true;
    }
    return false;
}

bool cd_erasure_reason(const struct ctl_drive *cd, struct reason *ret_reason)
{
    const struct controller_erase *entry = cd_erase_entry(cd);
    char why[REASON_TEXT_MAX];
    char percent[16];
    struct reason wait;

    if (entry == NULL) {
        return false;
    }
    if (cd_erase_waits(cd, &wait)) {
        (void)reason_text(&wait, why, sizeof(why));
        reason_set(ret_reason, REASON_ERASE_TRIED_AGAIN, "why", why, NULL);
        return true;
    }
    if (entry->active) { /* how far: its operation tells */
        reason_set(ret_reason, REASON_DRIVE_BEING_ERASED, NULL);
        return true;
    }
    (void)snprintf(percent, sizeof(percent), "%u", percent_of(entry));
    reason_set(ret_reason, REASON_DRIVE_PARTLY_ERASED, "percent", percent, NULL);
    return true;
}

/* Events */

static void event_percent(const struct ctl_drive *cd, enum event_id id)
{
    const struct controller_erase *entry = cd_erase_entry(cd);
    char path[PATH_TEXT_BYTES];
    char percent[16];

    drive_path(cd, path, sizeof(path));
    (void)snprintf(percent, sizeof(percent), "%u", entry != NULL ? percent_of(entry) : 0);
    ctl_event(cd->ctl, id, cd->identity.key, "drive", path, "percent", percent, NULL);
}

void event_erase_stopped(const struct ctl_drive *cd)
{
    event_percent(cd, EVENT_ERASE_STOPPED);
}

static void event_mode(const struct ctl_drive *cd, enum event_id id, enum erase_mode mode)
{
    char path[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    ctl_event(cd->ctl, id, cd->identity.key, "drive", path, "mode", erase_mode_word(mode), NULL);
}

static void event_failed(const struct ctl_drive *cd, enum reason_code why)
{
    char path[PATH_TEXT_BYTES];
    char text[REASON_TEXT_MAX];
    struct reason reason;

    drive_path(cd, path, sizeof(path));
    reason_set(&reason, why, "drive", path, NULL);
    (void)reason_text(&reason, text, sizeof(text));
    ctl_event(cd->ctl, EVENT_ERASE_FAILED, cd->identity.key, "drive", path, "why", text, NULL);
}

static void event_waits(const struct ctl_drive *cd, const struct reason *why)
{
    const struct controller_erase *entry = cd_erase_entry(cd);
    char path[PATH_TEXT_BYTES];
    char text[REASON_TEXT_MAX];
    char percent[16];

    drive_path(cd, path, sizeof(path));
    (void)reason_text(why, text, sizeof(text));
    (void)snprintf(percent, sizeof(percent), "%u", entry != NULL ? percent_of(entry) : 0);
    ctl_event(cd->ctl, EVENT_ERASE_WAITS, cd->identity.key, "drive", path, "percent", percent,
              "why", text, NULL);
}

/* By the drive, which is tried again: it is news once it has got further (ctl_attempt.c (1)). */
static void erase_refused(struct ctl_drive *cd, enum reason_code why)
{
    struct reason reason;

    reason_set(&reason, why, NULL);
    cd->erase_wait.done_bytes = cd->erase_op->status.done_bytes;
    if (attempt_fail(cd->ctl, &cd->erase_wait.attempt, &reason)) {
        event_waits(cd, &reason);
    }
}

/* The operation (4) */

static void op_begin(struct ctl_drive *cd)
{
    const struct controller_erase *entry = cd_erase_entry(cd);

    ASSERT(cd->erase_op == NULL && entry->active);
    cd->erase_op = operation_bare_begin(cd->ctl, OPERATION_KIND_DRIVE_ERASE, &cd->object, true);
    cd->erase_op->status.done_bytes = place_bytes(entry);
    cd->erase_op->status.total_bytes = erase_pass_count(entry->mode) * entry->size_bytes;
}

static void op_wait(struct ctl_drive *cd, enum reason_code why)
{
    struct task_status_view *status = &cd->erase_op->status;

    status->state = OPERATION_STATE_WAITING;
    status->reason = why;
    status->done_bytes = place_bytes(cd_erase_entry(cd)); /* from where it will go on */
    status->speed_bytes_per_s = 0;
    status->time_left_s = -1;
}

static void op_end(struct ctl_drive *cd, enum operation_state state, enum reason_code why)
{
    operation_bare_end(cd->erase_op, state, why);
    cd->erase_op = NULL; /* the list of operations has it */
}

void cd_erase_op_end(struct ctl_drive *cd, enum reason_code why)
{
    if (cd->erase_op != NULL) {
        op_end(cd, OPERATION_STATE_STOPPED, why);
    }
}

/* Of one that does not run. */
static void op_look(struct ctl_drive *cd)
{
    struct reason why;

    if (cd_erase_waits(cd, &why)) {
        if (cd->erase_op == NULL) {
            op_begin(cd);
        }
        op_wait(cd, why.code);
    } else if (!is_to_go_on(cd)) {
        cd_erase_op_end(cd, REASON_STOPPED_BY_USER);
    }
}

/* The running one */

static void run_reached(void *context, const struct erase_place *place)
{
    struct ctl_drive *cd = context;

    cd->erase->place = *place;
    cd->erase->place_noted = true;
    ctl_kick(cd->ctl);
}

static void run_progress(void *context)
{
    const struct ctl_drive *cd = context;

    ctl_kick(cd->ctl);
}

static void run_ended(void *context, enum reason_code why)
{
    struct ctl_drive *cd = context;

    cd->erase->ended = true;
    cd->erase->why = why;
    ctl_kick(cd->ctl);
}

bool cd_erase_start(struct ctl_drive *cd, bool resumed)
{
    struct ctl *ctl = cd->ctl;
    const struct controller_erase *entry = cd_erase_entry(cd);
    const struct erase_plan plan = {entry->mode, entry->pattern_a, entry->pattern_b, entry->seed};
    const struct erase_place from = {entry->pass, entry->cursor_bytes};
    const struct erase_observer observer = {run_reached, run_progress, run_ended, cd};
    struct ctl_erase *erase = calloc(1, sizeof(*erase));

    ASSERT(erase != NULL && cd->erase == NULL && entry->active);
    erase->mode = entry->mode;
    if (erase_create(cd->drive, ctl->ports.clock, &plan, &from, &observer, &erase->run) != 0) {
        free(erase);
        return false;
    }
    cd->erase = erase;
    if (cd->erase_op == NULL) {
        op_begin(cd);
    }
    cd->erase_op->status.state = OPERATION_STATE_RUNNING;
    cd->erase_op->status.reason = REASON_OK;
    if (resumed) {
        if (cd->erase_wait.attempt.failures == 0) { /* else once it gets on */
            event_percent(cd, EVENT_ERASE_RESUMED);
        }
    } else {
        event_mode(cd, EVENT_ERASE_STARTED, entry->mode);
    }
    erase_start(erase->run);
    return true;
}

static void status_update(struct ctl_drive *cd)
{
    struct task_status_view *out = &cd->erase_op->status;
    struct erase_status status;

    erase_status_get(cd->erase->run, &status);
    out->done_bytes = status.done_bytes;
    out->total_bytes = status.total_bytes;
    out->speed_bytes_per_s = status.speed_bytes_per_s;
    out->time_left_s = status.time_left_s;
}

/* Saving what is noted */

/* After one that failed the next is not tried at once. */
static bool save_may_begin(const struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;

    if (clock_now_us(ctl->ports.clock) < cd->erase_again_us) {
        ctl_kick_at(ctl, cd->erase_again_us);
        return false;
    }
    return ctl_change_begin(ctl, "erase"); /* whoever holds it kicks */
}

static void place_saved(struct ctl *ctl, int error, void *context)
{
    struct ctl_drive *cd = context;
    struct ctl_erase *erase = cd->erase;

    erase->saving = false;
    if (erase->awaited) {
        erase->awaited = false;
        command_done(ctl); /* on an error, too: it has begun, and the place is saved later */
    } else {
        ctl_change_end(ctl);
    }
    if (is_refused(cd) && place_bytes(cd_erase_entry(cd)) > cd->erase_wait.done_bytes) {
        attempt_clear(&cd->erase_wait.attempt);
        event_percent(cd, EVENT_ERASE_RESUMED);
    }
    if (error != 0) {
        erase->place_noted = true;
        cd->erase_again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
    } else if (!erase->place_noted && !erase->ended) { /* else another one is to be kept first */
        erase_kept(erase->run);
    }
}

static void place_save(struct ctl_drive *cd,
                       void (*saved)(struct ctl *ctl, int error, void *context))
{
    struct ctl *ctl = cd->ctl;
    struct controller_erase *entry = cd_erase_entry(cd);

    ASSERT(entry != NULL && !cd->erase->saving);
    ASSERT(ctl->change != NULL);
    ctl_record_edit(ctl);
    entry->pass = cd->erase->place.pass;
    entry->cursor_bytes = cd->erase->place.cursor_bytes;
    cd->erase->place_noted = false;
    cd->erase->saving = true;
    ctl_record_save(ctl, saved, cd);
}

static enum operation_state end_state(enum reason_code why)
{
    return why == REASON_OK ? OPERATION_STATE_COMPLETED
           : why == REASON_STOPPED_BY_USER || why == REASON_SHUTTING_DOWN ? OPERATION_STATE_STOPPED
                                                                          : OPERATION_STATE_FAILED;
}

static void conclude(struct ctl_drive *cd)
{
    struct ctl_erase *erase = cd->erase;
    enum reason_code why = erase->why;
    struct reason gone;

    status_update(cd);
    erase->concluded = true;
    if (is_refusal(why)) {
        erase_refused(cd, why);
    } else {
        attempt_clear(&cd->erase_wait.attempt);
    }
    if ((is_refusal(why) || why == REASON_DRIVE_GONE) && is_to_go_on(cd)) {
        op_wait(cd, why == REASON_DRIVE_GONE ? REASON_DRIVE_LOST_PULLED : why);
    } else {
        op_end(cd, end_state(why), why);
    }
    if (why == REASON_OK) {
        cd_make_blank(cd);
        event_mode(cd, EVENT_ERASE_COMPLETED, erase->mode);
    } else if (why == REASON_STOPPED_BY_USER) {
        event_erase_stopped(cd);
    } else if (why == REASON_DRIVE_GONE) {
        reason_set(&gone, REASON_DRIVE_LOST_PULLED, NULL);
        event_waits(cd, &gone);
    } else if (why != REASON_SHUTTING_DOWN && !is_refusal(why)) {
        event_failed(cd, why);
    }
    cd_state_update(cd);
    ctl_kick(cd->ctl);
}

/* If that failed, it goes on from the place before. */
static void last_place_saved(struct ctl *ctl, int error, void *context)
{
    struct ctl_drive *cd = context;

    (void)error;
    cd->erase->saving = false;
    ctl_change_end(ctl);
    conclude(cd);
}

/* The record keeps it as it is, with the last place. */
static void interrupted_work(struct ctl_drive *cd)
{
    struct ctl_erase *erase = cd->erase;

    ASSERT(erase->ended && !erase->saving);
    if (!erase->place_noted) {
        conclude(cd);
    } else if (ctl_change_begin(cd->ctl, "erase")) {
        place_save(cd, last_place_saved);
    }
}

static void end_saved(struct ctl *ctl, int error, void *context)
{
    struct ctl_drive *cd = context;

    cd->erase->saving = false;
    ctl_change_end(ctl);
    if (error != 0 && ctl->life == CTL_LIFE_ONLINE) {
        cd->erase_again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
        return; /* the record still says that it is being erased: so it is shown */
    }
    if (error != 0) {
        cd->erase->why = REASON_SHUTTING_DOWN; /* it goes on from its last place */
    }
    conclude(cd);
    /* Once nothing of it is on its way. */
    cd->give_back = cd->give_back || (cd->erase->why == REASON_OK && cd->drive != NULL);
}

static void end_save(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;
    struct ctl_erase *erase = cd->erase;
    struct controller_erase *entry = cd_erase_entry(cd);

    ctl_record_edit(ctl);
    if (erase->why == REASON_OK || erase->why == REASON_ERASE_OVERWRITTEN) {
        (void)record_erase_remove(ctl->record, cd->identity.key);
        record_drive_remove(ctl->record, cd->identity.key);
    } else if (entry != NULL) {
        entry->active = false;
        if (erase->place_noted) {
            entry->pass = erase->place.pass;
            entry->cursor_bytes = erase->place.cursor_bytes;
        }
    }
    erase->place_noted = false;
    erase->saving = true;
    ctl_record_save(ctl, end_saved, cd);
}

/* Work */

bool cd_erase_free(struct ctl_drive *cd)
{
    if (cd->erase == NULL) {
        return true;
    }
    if (!cd->erase->concluded || !erase_is_quiet(cd->erase->run)) {
        return false;
    }
    cd->erase->run = erase_free(cd->erase->run);
    free(cd->erase);
    cd->erase = NULL;
    return true;
}

/* (2) */
static void first_place_work(struct ctl_drive *cd)
{
    struct ctl_erase *erase = cd->erase;

    ASSERT(cd->ctl->command != NULL && !erase->saving);
    if (erase->ended) {
        erase->awaited = false;
        command_done(cd->ctl); /* its operation says how it ended */
    } else {
        place_save(cd, place_saved);
    }
}

static void running_work(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;
    struct ctl_erase *erase = cd->erase;

    if (erase->concluded) {
        if (!cd_erase_free(cd)) {
            ctl_kick_at(ctl, clock_now_us(ctl->ports.clock) + QUIET_AGAIN_US);
        }
        return;
    }
    status_update(cd);
    if (erase->saving || (!erase->ended && !erase->place_noted)) {
        return;
    }
    if (erase->awaited) {
        first_place_work(cd);
        return;
    }
    if (erase->ended && (erase->why == REASON_SHUTTING_DOWN || erase->why == REASON_DRIVE_GONE ||
                         is_refusal(erase->why))) {
        interrupted_work(cd);
        return;
    }
    if (!save_may_begin(cd)) {
        return;
    }
    if (erase->ended) {
        end_save(cd);
    } else {
        place_save(cd, place_saved);
    }
}

static void left_saved(struct ctl *ctl, int error, void *context)
{
    struct ctl_drive *cd = context;
    enum reason_code why = REASON_OK;

    ctl_change_end(ctl);
    if (error != 0) {
        cd->erase_again_us = clock_now_us(ctl->ports.clock) + SAVE_AGAIN_US;
        return;
    }
    why = cd_erase_entry(cd) != NULL ? REASON_ERASE_INTERRUPTED : REASON_ERASE_OVERWRITTEN;
    if (cd->erase_op != NULL) {
        op_end(cd, OPERATION_STATE_FAILED, why);
    }
    event_failed(cd, why);
    cd_state_update(cd);
}

/* (1) */
static bool is_as_left(const struct ctl_drive *cd)
{
    return cd->label_status == LABEL_STATUS_NONE && cd->found == NULL && cd->signature[0] == '\0' &&
           !cd->foreign;
}

static void left_work(struct ctl_drive *cd, struct controller_erase *entry)
{
    struct ctl *ctl = cd->ctl;
    bool began = entry->pass > 0 || entry->cursor_bytes > 0 || is_refused(cd); /* (3) */
    bool as_left = is_as_left(cd) && entry->size_bytes == drive_size_bytes(cd->drive);

    if ((as_left && !entry->active) || ctl->change != NULL ||
        (as_left && is_refused(cd) && cd->erase_wait.attempt.waits)) {
        return;
    }
    if (as_left && began && cd->group == NULL && !cd->spare) {
        (void)cd_erase_start(cd, true); /* without memory now: the next turn tries again */
        return;
    }
    if (!save_may_begin(cd)) {
        return;
    }
    ctl_record_edit(ctl);
    if (as_left) {
        entry->active = false; /* nothing is certain of what has been written */
    } else {
        (void)record_erase_remove(ctl->record, cd->identity.key);
    }
    ctl_record_save(ctl, left_saved, cd);
}

void ctl_erases_work(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        struct controller_erase *entry = NULL;

        if (cd->erase != NULL) {
            running_work(cd);
            continue;
        }
        if (ctl->life != CTL_LIFE_ONLINE || cd->departed) {
            continue;
        }
        if (ctl->change == NULL) { /* else the record may not be saved yet */
            op_look(cd);
        }
        entry = cd_erase_entry(cd);
        if (entry != NULL && cd->present && cd->drive != NULL && cd->settled && !cd->gone_noted &&
            !cd->return_noted && drive_is_idle(cd->drive)) {
            left_work(cd, entry);
        }
    }
}

/* True when none runs any more; else it kicks when it has ended. */
bool ctl_erases_stopped(struct ctl *ctl)
{
    bool all = true;

    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (cd->erase != NULL) {
            erase_stop(cd->erase->run, REASON_SHUTTING_DOWN);
            all = all && cd->erase->concluded;
        }
        if (cd->erase == NULL || cd->erase->concluded) {
            cd_erase_op_end(cd, REASON_SHUTTING_DOWN);
        }
    }
    return all;
}
