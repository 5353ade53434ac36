/*
 * Members that another system has written to while we were away: stock Linux assembles our drives
 * by their DDF metadata, and its number there is ahead of ours then (design §2.2 Configuration).
 *
 * (1) What we knew about the content is void: region maps, cursors of rebuilds and of a copyback,
 * write intents; every redundant virtual drive is resynchronized. (2) A member that the newest
 * metadata do not call in sync has missed writes: it is lost. (3) Cached writes are never put on
 * top of what others wrote. As long as there may be some, or if others have changed more than
 * contents and states, the group stays where it is, and says so.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "meta/ddf/ddf_group.h"

struct elsewhere {
    struct ctl_group *cg;
    struct ddf_set set;
    struct ddf_found found;
    struct group_config config; /* as it will be */
};

static const char elsewhere_sets[] = "its drives are in sets of another system";
static const char elsewhere_only[] = "what it would be read from was overwritten, and a drive that "
                                     "is missing may have a better copy";

static bool member_counts(const struct ctl_group *cg, uint32_t member)
{
    const struct ctl_drive *cd = cg->members[member];

    return cd != NULL && cd->present && cd->drive != NULL && !cg_member_is_vacant(cg, member) &&
           !cg_member_is_overwritten(cg, member);
}

static bool was_elsewhere(const struct ctl_group *cg)
{
    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        if (member_counts(cg, i) && cg->members[i]->was_elsewhere) {
            return true;
        }
    }
    return false;
}

static const char *set_gather(struct elsewhere *elsewhere)
{
    const struct ctl_group *cg = elsewhere->cg;

    for (uint32_t i = 0; i < cg->config->member_count; i++) {
        const struct ddf_config *says = NULL;

        if (member_counts(cg, i)) {
            says = group_store_ddf(cg->ctl->group_store, cg->members[i]->drive);
        }
        if (says == NULL) {
            if (member_counts(cg, i) && cg->members[i]->was_elsewhere) {
                return elsewhere_sets;
            }
            continue;
        }
        if (!guid_equal(&says->header.guid, &cg->config->guid) ||
            ddf_set_add(&elsewhere->set, says, cg->members[i]->size_bytes / DDF_SECTOR_BYTES) !=
                0) {
            return elsewhere_sets;
        }
    }
    return elsewhere->set.newest == NULL ? "its metadata cannot be read" : NULL;
}

static bool geometry_is_same(const struct geometry *a, const struct geometry *b)
{
    return a->level == b->level && a->span_count == b->span_count &&
           a->members_per_span == b->members_per_span && a->strip_bytes == b->strip_bytes &&
           a->extent_bytes == b->extent_bytes;
}

/* (2) One that is not there is judged by the tables alone; its absence is another matter. */
static enum member_state place_state(const struct ddf_place *place)
{
    uint16_t bad = DDF_PD_FAILED | DDF_PD_MISSING | DDF_PD_REBUILDING;

    if (place->drive == DDF_NO_DRIVE) {
        return (place->pd->state & DDF_PD_ONLINE) != 0 && (place->pd->state & bad) == 0
                   ? MEMBER_ONLINE
                   : MEMBER_MISSING;
    }
    return place->state == DDF_PLACE_ONLINE ? MEMBER_ONLINE : MEMBER_FAILED;
}

static const char *places_take(struct elsewhere *elsewhere, const struct vd_config *vd)
{
    for (uint32_t i = 0; i < elsewhere->config.member_count; i++) {
        const struct ddf_place *place = &elsewhere->found.places[i];
        struct member_config *member = &elsewhere->config.members[i];
        struct uuid uuid;

        if (place->pd == NULL) {
            /* mdadm forgets who is missing. */
            if (cg_member_is_vacant(elsewhere->cg, i) || !member_counts(elsewhere->cg, i)) {
                continue;
            }
            return "a member has been taken out";
        }
        uuid = ddf_drive_uuid(&place->pd->guid);
        if (!uuid_equal(&uuid, &member->drive) ||
            place->start_lba != vd->extent_start_bytes / DDF_SECTOR_BYTES) {
            return "its members have been changed";
        }
        member->rebuilt_bytes = 0; /* (1) */
        if (place_state(place) != MEMBER_ONLINE && member->state == MEMBER_ONLINE) {
            member->state = place_state(place);
            member->why = REASON_DRIVE_LOST_STALE;
        }
    }
    return NULL;
}

static const char *vd_take(struct elsewhere *elsewhere, struct vd_config *vd)
{
    const struct ddf_config *newest = elsewhere->set.newest;
    uint32_t index = 0;

    while (index < newest->vd_count && !guid_equal(&newest->vds[index].guid, &vd->guid)) {
        index++;
    }
    if (index == newest->vd_count) {
        return "a virtual drive has been deleted";
    }
    ddf_set_examine(&elsewhere->set, index, &elsewhere->found);
    if (elsewhere->found.state == DDF_FOUND_DAMAGED ||
        elsewhere->found.state == DDF_FOUND_UNSUPPORTED ||
        elsewhere->found.place_count != elsewhere->config.member_count ||
        !geometry_is_same(&elsewhere->found.geometry, &vd->geometry)) {
        return "its layout has been changed";
    }
    if (!uuid_is_zero(&vd->cache_journal)) { /* (3) */
        return "cached writes of it may be newer or older than what is there now";
    }
    vd->map_epoch = 0;
    vd->map_ready = false;
    vd->intent_generation += 4 - vd->intent_generation % 4; /* nobody's (vd/intent.c) */
    if (geometry_span_tolerance(&vd->geometry) > 0) {
        vd->dirty = true;
        vd->resync = true;
        vd->resync_unlogged = true; /* our log knows nothing of what the other system wrote */
        vd->consistent_rows = 0;
    }
    return places_take(elsewhere, vd);
}

static const char *config_take(struct elsewhere *elsewhere)
{
    const char *why = set_gather(elsewhere);

    if (why == NULL && elsewhere->set.newest->vd_count != elsewhere->config.vd_count) {
        why = "virtual drives have been added or deleted";
    }
    for (uint32_t i = 0; i < elsewhere->config.vd_count && why == NULL; i++) {
        why = vd_take(elsewhere, &elsewhere->config.vds[i]);
    }
    elsewhere->config.copyback.copied_bytes = 0; /* (1) */
    if (why == NULL && group_config_check(&elsewhere->config, &why) == 0) {
        why = NULL;
    }
    return why;
}

static void taken_tell(struct ctl_group *cg)
{
    char path[PATH_TEXT_BYTES];

    group_path(cg, path, sizeof(path));
    ctl_event(cg->ctl, EVENT_DRIVE_GROUP_WAS_ELSEWHERE, cg->object.key, "group", path, NULL);
}

static void refused_tell(struct ctl_group *cg, const char *why)
{
    char path[PATH_TEXT_BYTES];

    group_path(cg, path, sizeof(path));
    ctl_event(cg->ctl, EVENT_DRIVE_GROUP_CHANGED_ELSEWHERE, cg->object.key, "group", path, "why",
              why, NULL);
}

bool cg_elsewhere_take(struct ctl_group *cg)
{
    struct elsewhere *elsewhere = NULL;
    const char *why = NULL;

    ASSERT(cg->phase == CTL_GROUP_WAITING && cg->config != NULL);
    if (cg_overwritten_must_wait(cg)) {
        if (cg->elsewhere_problem != elsewhere_only) {
            refused_tell(cg, elsewhere_only);
        }
        cg->elsewhere_problem = elsewhere_only;
        return false;
    }
    if (!was_elsewhere(cg)) {
        cg->elsewhere_problem = NULL;
        return true;
    }
    elsewhere = calloc(1, sizeof(*elsewhere));
    ASSERT(elsewhere != NULL);
    elsewhere->cg = cg;
    elsewhere->config = *cg->config;
    why = config_take(elsewhere);
    if (why == NULL) {
        *cg->config = elsewhere->config;
        for (uint32_t i = 0; i < cg->config->member_count; i++) {
            if (cg->members[i] != NULL) {
                cg->members[i]->was_elsewhere = false;
            }
        }
        taken_tell(cg);
    } else if (why != cg->elsewhere_problem) {
        refused_tell(cg, why);
    }
    cg->elsewhere_problem = why;
    free(elsewhere);
    return why == NULL;
}
