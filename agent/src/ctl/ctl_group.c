/*
 * A drive group on the controller: questions about it, its run and stop, what it reports, and
 * its virtual drives with their exports.
 *
 *   WAITING --run--> STARTING --> RUNNING --stop--> STOPPING --> STOPPED
 *
 * (1) cg->group exists in STARTING, RUNNING and STOPPING; otherwise cg->config holds the record.
 * (2) Reports of the group only note, update drive states and emit events; they never call
 *     back into it, except getters.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_cache_loss.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_doubt.h"
#include "ctl/ctl_journal.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_stripe.h"
#include "ctl/sim_bug.h"

/* Questions */

const struct group_config *cg_config(const struct ctl_group *cg)
{
    return cg->group != NULL ? group_config(cg->group) : cg->config;
}

enum virtual_drive_state cg_state(const struct ctl_group *cg)
{
    if (cg_is_starting(cg)) {
        return VIRTUAL_DRIVE_STATE_STARTING;
    }
    return cg->group != NULL && cg->phase != CTL_GROUP_STARTING ? group_state(cg->group)
                                                                : VIRTUAL_DRIVE_STATE_OFFLINE;
}

/* That of the group as long as it does not run. */
enum virtual_drive_state cg_span_state(const struct ctl_group *cg, uint32_t span)
{
    const struct group_config *config = cg_config(cg);
    bool runs = cg->group != NULL && cg->phase != CTL_GROUP_STARTING && !cg_is_starting(cg);

    return runs && config->vd_count > 0 ? group_config_span_state(config, span) : cg_state(cg);
}

const struct vd_config *cv_config(const struct ctl_vd *cv)
{
    const struct group_config *config = cg_config(cv->cg);

    if (cv->removing) {
        return &cv->shadow;
    }
    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (guid_equal(&config->vds[i].guid, &cv->guid)) {
            return &config->vds[i];
        }
    }
    UNREACHABLE();
}

enum virtual_drive_state cv_state(const struct ctl_vd *cv)
{
    if (cv->vd != NULL && !cv->removing) {
        return vd_state(cv->vd);
    }
    if (cg_is_starting(cv->cg)) {
        return VIRTUAL_DRIVE_STATE_STARTING;
    }
    /* Without drives it is offline; on its way up or down it only has not begun or has ended,
     * which is no news about its data. */
    return cv->cg->phase == CTL_GROUP_WAITING || cg_start_is_refused(cv->cg)
               ? VIRTUAL_DRIVE_STATE_OFFLINE
               : cv->seen_state;
}

uint32_t cg_block_bytes(const struct ctl_group *cg)
{
    ASSERT(cg_config(cg)->vd_count > 0);
    return cg_config(cg)->vds[0].geometry.block_bytes;
}

bool cg_is_redundant(const struct ctl_group *cg)
{
    ASSERT(cg_config(cg)->vd_count > 0);
    return geometry_span_tolerance(&cg_config(cg)->vds[0].geometry) > 0;
}

bool cg_member_is_vacant(const struct ctl_group *cg, uint32_t member)
{
    enum member_state state = cg_config(cg)->members[member].state;

    ASSERT(member < cg_config(cg)->member_count);
    return state != MEMBER_ONLINE && state != MEMBER_REBUILD;
}

bool cg_member_is_here(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *cd = cg->members[member];

    return cd != NULL && cd->present && cd->settled;
}

bool cg_member_is_stale(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *cd = cg->members[member];

    return cg->phase == CTL_GROUP_WAITING && cd != NULL && cd->present &&
           !cg_member_is_vacant(cg, member) &&
           cd->record_sequence < cg_config(cg)->members[member].known_sequence &&
           !CTL_BUG(OLD_COPY_BELIEVED);
}

void cg_stale_tell(struct ctl_group *cg)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        struct ctl_drive *cd = cg->members[i];
        char path[PATH_TEXT_BYTES];
        char group[PATH_TEXT_BYTES];

        if (cd != NULL && !cd->stale_told && cg_member_is_stale(cg, i)) {
            cd->stale_told = true;
            drive_path(cd, path, sizeof(path));
            group_path(cg, group, sizeof(group));
            ctl_event(cg->ctl, EVENT_DRIVE_STALE, cd->identity.key, "drive", path, "group", group,
                      NULL);
        }
    }
}

bool cg_media(const struct ctl_group *cg, enum drive_media *ret_media)
{
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->members[i] != NULL) {
            *ret_media = cg->members[i]->identity.media;
            return true;
        }
    }
    return false;
}

/* Reports */

static void member_changed(void *context, struct group *group, uint32_t member,
                           enum member_state old, enum reason_code why)
{
    struct ctl_group *cg = context;
    struct ctl_drive *cd = cg->members[member];
    struct ctl_operation *op = operation_of_member(cg, member);

    ASSERT(cg->group == group || cg->group == NULL);
    if (op != NULL && old == MEMBER_REBUILD &&
        cg_config(cg)->members[member].state != MEMBER_ONLINE) {
        op->target_lost = why;
    }
    cg->rebuild_stopped[member] = false;
    attempt_clear(&cg->rebuild_attempts[member]);
    cd_target_lost_note(cg, member, old, why);
    if (cg->group != NULL) {
        cg_glitch_note(cg, member);
    }
    if (cd != NULL && cg->group != NULL) {
        /* A member again: what its label said before counts no more. Away, it is read again. */
        if (old != MEMBER_ONLINE && old != MEMBER_REBUILD && !cg_member_is_vacant(cg, member)) {
            cd->record_sequence = UINT64_MAX;
        }
        if (cd->drive != NULL && !drive_is_present(cd->drive)) {
            cd_note_absent(cd);
        }
        cd_state_update(cd);
    }
    ctl_kick(cg->ctl);
}

static struct ctl_vd *cv_of(struct ctl_group *cg, const struct vd *vd)
{
    return vd_by_guid(cg, &vd_config(vd)->guid);
}

static void cv_state_check(struct ctl_vd *cv)
{
    enum virtual_drive_state old = cv->seen_state;

    if (cv_state(cv) != old) {
        cv->seen_state = cv_state(cv);
        event_vd_state(cv, old);
    }
}

static void vd_state_changed(void *context, struct vd *vd, enum virtual_drive_state old)
{
    struct ctl_group *cg = context;
    struct ctl_vd *cv = cv_of(cg, vd);

    (void)old; /* seen_state knows what was told last */
    if (cv != NULL && cv->vd != NULL) {
        cv_state_check(cv);
    }
    host_foreign_note(cg->ctl->host); /* what is said of a lost member (member_returned.c) */
    ctl_kick(cg->ctl);
}

static void vd_changed(void *context, struct vd *vd)
{
    struct ctl_group *cg = context;
    struct ctl_vd *cv = cv_of(cg, vd);

    if (cv != NULL && cv->vd == vd) {
        cv_doubt_check(cv);
        cv_cache_loss_check(cv);
    }
    ctl_kick(cg->ctl); /* the refresh finds out what else has changed */
}

/* A place on a member, as events name it. */
struct bad_place {
    char drive[PATH_TEXT_BYTES];
    char key[EVENT_KEY_MAX + 1];
    char vd[PATH_TEXT_BYTES];
    char lba[24];
};

static struct bad_place bad_place_of(struct ctl_group *cg, const struct vd *vd, uint32_t member,
                                     uint64_t drive_offset_bytes)
{
    const struct ctl_vd *cv = cv_of(cg, vd);
    const struct ctl_drive *cd = cg->members[member];
    struct bad_place place = {.drive = "?", .key = "?", .vd = "?"};

    (void)snprintf(place.lba, sizeof(place.lba), "%llu",
                   (unsigned long long)(drive_offset_bytes / 512)); /* fits */
    if (cd != NULL) {
        drive_path(cd, place.drive, sizeof(place.drive));
        (void)snprintf(place.key, sizeof(place.key), "%s", cd->identity.key); /* fits */
    }
    if (cv != NULL) {
        vd_title(cv, place.vd, sizeof(place.vd));
    }
    return place;
}

static void media_error(void *context, struct vd *vd, uint32_t member, uint64_t drive_offset_bytes,
                        bool corrected)
{
    struct ctl_group *cg = context;
    struct bad_place place = bad_place_of(cg, vd, member, drive_offset_bytes);

    if (corrected) {
        ctl_event(cg->ctl, EVENT_MEDIUM_ERROR_CORRECTED, place.key, "drive", place.drive, "lba",
                  place.lba, NULL);
    } else {
        ctl_event(cg->ctl, EVENT_MEDIUM_ERROR_UNCORRECTABLE, place.key, "drive", place.drive, "lba",
                  place.lba, "virtual_drive", place.vd, NULL);
    }
    ctl_kick(cg->ctl);
}

/* While more blocks than that are lost, the ends of notes are not told one by one. */
#define OVER_TOLD_MAX 256u

static void bad_block(void *context, struct vd *vd, uint32_t member, uint64_t offset_bytes,
                      enum bad_block_kind kind, bool bad)
{
    struct ctl_group *cg = context;
    struct bad_place place = bad_place_of(cg, vd, member, offset_bytes);

    /* Of the other kinds the medium errors have told. */
    if (bad && kind == BAD_BLOCK_KIND_PUNCTURED) {
        ctl_event(cg->ctl, EVENT_BLOCK_PUNCTURED, place.key, "drive", place.drive, "lba", place.lba,
                  "virtual_drive", place.vd, NULL);
    } else if (!bad && vd_bad_blocks(vd) < OVER_TOLD_MAX) {
        ctl_event(cg->ctl, EVENT_BAD_BLOCK_OVER, place.key, "drive", place.drive, "lba", place.lba,
                  "virtual_drive", place.vd, NULL);
    }
    ctl_kick(cg->ctl);
}

/* Run and stop */

static void vds_go_online(struct ctl_group *cg, const struct group_config *before)
{
    for (uint32_t i = 0; i < group_vd_count(cg->group); i++) {
        struct vd *vd = group_vd(cg->group, i);
        struct ctl_vd *cv = cv_of(cg, vd);
        char title[PATH_TEXT_BYTES];

        ASSERT(cv != NULL);
        cv->vd = vd;
        cv_cache_open(cv);
        cv->bgi_stopped = false;
        attempt_clear(&cv->bgi_attempt);
        cv->seen_state = group_config_state(before);
        cv_state_check(cv);
        if (before->vds[i].dirty && vd_config(vd)->resync) {
            vd_title(cv, title, sizeof(title));
            ctl_event(cg->ctl, EVENT_VIRTUAL_DRIVE_INCONSISTENT, cv->object.key, "virtual_drive",
                      title, NULL);
        }
        cv_doubt_begin(cv, &before->vds[i]);
        ctl_vd_export(cv);
    }
}

static void group_started(void *context, int error)
{
    struct ctl_group *cg = context;
    struct group_config *before = cg->config;

    ASSERT(cg->phase == CTL_GROUP_STARTING);
    /* Even if its record could not be saved the group is there; it saves again by itself. */
    cg->phase = CTL_GROUP_RUNNING;
    host_foreign_note(cg->ctl->host);
    cg->config = NULL;
    memset(cg->rebuild_stopped, 0, sizeof(cg->rebuild_stopped)); /* a new life, new attempts */
    memset(cg->rebuild_attempts, 0, sizeof(cg->rebuild_attempts));
    attempt_clear(&cg->copyback_attempt);
    memset(cg->rebuild_by_user, 0, sizeof(cg->rebuild_by_user));
    if (cg->copyback != NULL && group_copyback_drive(cg->group) == NULL) {
        cg->copyback->copyback_of = NULL; /* the start has ended it */
        cg->copyback = NULL;
    }
    ctl_damage_over(cg);
    vds_go_online(cg, before);
    free(before);
    cg->phase_done(cg, error, cg->phase_context);
}

/* A copyback goes on if its drive is there; else the group forgets it. */
static void copyback_attach(struct ctl_group *cg)
{
    struct ctl_drive *cd = cg->copyback;
    const struct copyback_config *copyback = &cg->config->copyback;

    if (cd == NULL) {
        return;
    }
    if (copyback->active && cd->present && cd->drive != NULL &&
        uuid_equal(&copyback->drive, &cd->uuid)) {
        group_copyback_attach(cg->group, cd->drive);
    } else {
        cd->copyback_of = NULL;
        cg->copyback = NULL;
    }
}

/* Saved by the start itself, before anything else is written. */
static void stale_members_lose(struct ctl_group *cg)
{
    cg_stale_tell(cg);
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        struct member_config *member = &cg->config->members[i];

        if (cg_member_is_stale(cg, i)) {
            member->state = MEMBER_FAILED;
            member->why = REASON_DRIVE_LOST_STALE;
            member->rebuilt_bytes = 0;
        }
        if (cg->members[i] != NULL) {
            cg->members[i]->record_sequence = UINT64_MAX; /* it is looked at once */
        }
    }
}

int ctl_group_run(struct ctl_group *cg,
                  void (*done)(struct ctl_group *cg, int error, void *context), void *context)
{
    const struct group_observer observer = {
        .member_changed = member_changed,
        .vd_state_changed = vd_state_changed,
        .vd_changed = vd_changed,
        .media_error = media_error,
        .bad_block = bad_block,
        .copyback_ended = cg_copyback_ended,
        .copyback_done = cg_copyback_done,
        .context = cg,
    };
    struct ctl *ctl = cg->ctl;
    struct drive *drives[GROUP_MEMBERS_MAX] = {NULL};
    struct group_options options = {.drive_depth = ctl->options.drive_limits.queue_depth};
    int error = 0;

    ASSERT(cg->phase == CTL_GROUP_WAITING && cg->group == NULL);
    cg_overwritten_lose(cg);
    stale_members_lose(cg);
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        if (cg_member_is_here(cg, i) && !cg_member_is_vacant(cg, i)) {
            drives[i] = cg->members[i]->drive;
        }
    }
    cg_journal_judge(cg);
    cg_intents_open(cg);
    options.intent_log = cg->intent_log;
    options.journal = ctl->cache != NULL ? cache_journal(ctl->cache) : NULL;
    error = group_create(cg->config, drives, &ctl->record->controller, ctl->group_store,
                         ctl->ports.clock, &options, &observer, &cg->group);
    if (error != 0) {
        cg_intents_close(cg);
        return error;
    }
    copyback_attach(cg);
    cg->phase = CTL_GROUP_STARTING;
    cg->phase_done = done;
    cg->phase_context = context;
    cg->assemble_at_us = 0;
    group_start(cg->group, group_started, cg);
    return 0;
}

/* Nothing is in doubt, and the next start writes nothing by itself to what is in sync. */
static bool cg_is_clean(const struct ctl_group *cg)
{
    const struct group_config *config = cg->config;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        const struct vd_config *vd = &config->vds[i];

        if (vd->dirty || vd->resync || !uuid_is_zero(&vd->cache_journal) ||
            (geometry_losses_left(&vd->geometry, 0) > 0 &&
             vd->consistent_rows < geometry_row_count(&vd->geometry))) {
            return false;
        }
    }
    return !config->copyback.active;
}

/* The stop is over with it (meta/seal.h). */
struct group_sealing {
    struct group_seal seal;
    struct ctl_group *cg;
    struct drive *drives[GROUP_MEMBERS_MAX];
};

static void group_sealed(struct group_seal *seal)
{
    struct group_sealing *sealing = seal->owner;
    struct ctl_group *cg = sealing->cg;

    free(sealing);
    cg->phase = CTL_GROUP_STOPPED;
    cg->phase_done(cg, 0, cg->phase_context);
}

static void group_seal_run(struct ctl_group *cg)
{
    struct group_sealing *sealing = calloc(1, sizeof(*sealing));

    ASSERT(sealing != NULL);
    sealing->cg = cg;
    sealing->seal = (struct group_seal){.config = cg->config,
                                        .drives = sealing->drives,
                                        .complete = group_sealed,
                                        .owner = sealing};
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        const struct ctl_drive *cd = cg->members[i];

        sealing->drives[i] = cd != NULL && cd->present && !cd->departed ? cd->drive : NULL;
    }
    group_store_seal(cg->ctl->group_store, &sealing->seal);
}

static void group_stopped(void *context, int error)
{
    struct ctl_group *cg = context;

    ASSERT(cg->phase == CTL_GROUP_STOPPING);
    cg_journal_note(cg);
    cg->config = malloc(sizeof(*cg->config));
    ASSERT(cg->config != NULL);
    group_durable_config(cg->group, cg->config);
    LIST_FOR_EACH (node, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        ASSERT(cv->stripe == NULL);
        cv->vd = NULL;
    }
    cg->group = group_free(cg->group);
    cg_intents_close(cg);
    if (error == 0 && cg->ctl->life == CTL_LIFE_STOPPING && cg_is_clean(cg)) {
        group_seal_run(cg);
        return;
    }
    cg->phase = CTL_GROUP_STOPPED;
    cg->phase_done(cg, error, cg->phase_context);
}

void ctl_group_stop(struct ctl_group *cg,
                    void (*done)(struct ctl_group *cg, int error, void *context), void *context)
{
    ASSERT(cg->phase == CTL_GROUP_RUNNING);
    cg->phase = CTL_GROUP_STOPPING;
    cg->phase_done = done;
    cg->phase_context = context;
    group_stop(cg->group, group_stopped, cg);
}

void ctl_group_free(struct ctl_group *cg)
{
    ASSERT(cg->group == NULL);
    for (uint32_t i = 0; i < GROUP_MEMBERS_MAX; i++) {
        if (cg->members[i] != NULL) {
            cd_place_clear(cg->members[i]);
        }
    }
    if (cg->copyback != NULL) {
        cg->copyback->copyback_of = NULL;
    }
    LIST_FOR_EACH_SAFE (node, following, &cg->vds) {
        ctl_vd_remove(list_entry(node, struct ctl_vd, link));
    }
    object_remove(cg->ctl, &cg->object);
    list_remove(&cg->link);
    host_foreign_note(cg->ctl->host); /* a set may have been this group's */
    free(cg->config);
    free(cg);
}

/* Virtual drives */

struct ctl_vd *ctl_vd_add(struct ctl_group *cg, const struct vd_config *config)
{
    struct ctl_vd *cv = calloc(1, sizeof(*cv));
    char key[GUID_TEXT_BYTES];

    ASSERT(cv != NULL);
    cv->cg = cg;
    cv->guid = config->guid;
    cv->seen_state = VIRTUAL_DRIVE_STATE_OPTIMAL;
    list_init(&cv->link);
    list_push_tail(&cg->vds, &cv->link);
    guid_format(&config->guid, key);
    object_add(cg->ctl, &cv->object, OBJECT_KIND_VIRTUAL_DRIVE, key, cv);
    check_restore(cv);
    return cv;
}

void ctl_vd_remove(struct ctl_vd *cv)
{
    ASSERT(cv->target == NULL && cv->cached == NULL && cv->stripe == NULL);
    ASSERT(!cv_flush_runs(cv));
    cv_measure_free(cv);
    check_forget(cv);
    object_remove(cv->cg->ctl, &cv->object);
    list_remove(&cv->link);
    free(cv);
}

void ctl_vd_online(struct ctl_vd *cv, struct vd *vd)
{
    ASSERT(cv->vd == NULL && vd != NULL);
    cv->vd = vd;
    cv->seen_state = vd_state(vd);
    cv_cache_open(cv);
    ctl_vd_export(cv);
}

void ctl_vd_export(struct ctl_vd *cv)
{
    struct ctl *ctl = cv->cg->ctl;

    ASSERT(cv->vd != NULL);
    if (cv->target != NULL || cv->measure.active || cv->initializing ||
        ctl->observer.export_open == NULL || vd_config(cv->vd)->access == ACCESS_POLICY_BLOCKED) {
        return;
    }
    cv_cache_open(cv); /* it was closed with the export */
    if (cv_is_striped(cv)) {
        cv->stripe_ready = true; /* the stripe is exported when all of its members are there */
        ctl_kick(ctl);
        return;
    }
    cv->target = cv_target(cv);
    ctl->observer.export_open(ctl->observer.context, cv->target, cv->object.key);
}

bool ctl_vd_unexport(struct ctl_vd *cv)
{
    struct ctl *ctl = cv->cg->ctl;

    cv->stripe_ready = false;
    if (!cv_measure_stop(cv, REASON_MEASURE_INTERRUPTED)) {
        return true;
    }
    if (cv->stripe != NULL) {
        stripe_close(cv->stripe);
    }
    if (cv->stripe != NULL) {
        return true;
    }
    if (cv->target != NULL && !cv->export_closing) {
        cv->export_closing = true;
        ctl->observer.export_close(ctl->observer.context, cv->target, cv->object.key);
    }
    /* The observer may have closed it at once. Nobody writes any more: then the cache. */
    return cv->target != NULL || cv_flush_runs(cv) || cv_cache_close(cv);
}
