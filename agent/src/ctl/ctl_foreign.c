/*
 * Foreign sets told to a visitor (foreign_view.h): DDF's and those of labels by the plan of their
 * import (foreign_set.h), md's too (foreign_md.h). A set is told when the first of its drives in
 * the list comes by.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_undo.h"
#include "ctl/foreign_md.h"
#include "ctl/foreign_set.h"
#include "ctl/foreign_spare.h"

#define ORIGIN_BYTES 64u

static bool is_damaged(const struct ctl_drive *cd)
{
    return cd->found != NULL && cd->present && !cd->departed && cd->drive == NULL &&
           cd->found->kind == FOREIGN_DAMAGED;
}

struct set_walk {
    const struct ctl *ctl;
    const struct ctl_foreign_visitor *visitor;
    struct foreign_set set;
    struct foreign_plan plan;
    struct ddf_found found;
    struct reason deleted; /* foreign_set_view */
    char origin[ORIGIN_BYTES];
};

static bool is_imported(const struct set_walk *walk)
{
    return walk->plan.refusal.code == REASON_OK;
}

/* What becomes of a place that is in this state. */
static enum foreign_drive_outcome place_outcome(const struct set_walk *walk, uint32_t place,
                                                bool there)
{
    if (!there) {
        return FOREIGN_DRIVE_OUTCOME_MISSING;
    }
    if (!is_imported(walk) || walk->plan.members[place] == NULL || walk->plan.set_aside[place]) {
        return FOREIGN_DRIVE_OUTCOME_LEFT;
    }
    return walk->plan.config.members[place].state == MEMBER_REBUILD ? FOREIGN_DRIVE_OUTCOME_REBUILD
                                                                    : FOREIGN_DRIVE_OUTCOME_MEMBER;
}

static void vd_outcome(const struct set_walk *walk, uint32_t index, struct foreign_vd_view *view)
{
    view->outcome = FOREIGN_OUTCOME_REFUSED;
    if (is_imported(walk)) {
        view->outcome = foreign_plan_outcome(&walk->plan, index);
        view->imported_as = walk->plan.config.vds[index].name;
        view->target_id = walk->plan.config.vds[index].target_id;
    }
}

/* DDF */

static void ddf_member_tell(struct set_walk *walk, uint32_t index)
{
    static const enum foreign_member_state states[DDF_PLACE_STATE_MAX] = {
        [DDF_PLACE_ONLINE] = FOREIGN_MEMBER_STATE_ONLINE,
        [DDF_PLACE_REBUILD] = FOREIGN_MEMBER_STATE_REBUILD,
        [DDF_PLACE_FAILED] = FOREIGN_MEMBER_STATE_FAILED,
        [DDF_PLACE_OFFLINE] = FOREIGN_MEMBER_STATE_OFFLINE,
        [DDF_PLACE_STALE] = FOREIGN_MEMBER_STATE_STALE,
        [DDF_PLACE_MISSING] = FOREIGN_MEMBER_STATE_MISSING,
    };
    const struct ddf_place *place = &walk->found.places[index];
    struct foreign_member_view view = {.serial = "", .state = states[place->state]};

    if (place->drive != DDF_NO_DRIVE) {
        view.drive = walk->set.drives[place->drive]->identity.key;
        view.serial = walk->set.drives[place->drive]->identity.serial;
    }
    view.outcome = place_outcome(walk, index, view.drive != NULL);
    walk->visitor->member(walk->visitor->context, &view);
}

static void ddf_vd_tell(struct set_walk *walk, uint32_t index)
{
    static const enum foreign_state states[DDF_FOUND_STATE_MAX] = {
        [DDF_FOUND_OPTIMAL] = FOREIGN_STATE_OPTIMAL,
        [DDF_FOUND_DEGRADED] = FOREIGN_STATE_DEGRADED,
        [DDF_FOUND_INCOMPLETE] = FOREIGN_STATE_INCOMPLETE,
        [DDF_FOUND_UNSUPPORTED] = FOREIGN_STATE_UNSUPPORTED,
        [DDF_FOUND_DAMAGED] = FOREIGN_STATE_DAMAGED,
    };
    struct ddf_found *found = &walk->found;
    struct foreign_vd_view view = {.level = ""};
    char level[32] = "";

    ddf_set_examine(&walk->set.ddf, index, found);
    if (found->record != NULL) {
        ddf_level_name(found->record, level);
        if (found->record->vd_sectors <= UINT64_MAX / DDF_SECTOR_BYTES) {
            view.size_bytes = found->record->vd_sectors * DDF_SECTOR_BYTES;
        }
    }
    view.name = found->vd->name;
    view.level = level;
    if (found->size_bytes != 0) {
        view.size_bytes = found->size_bytes;
    }
    view.strip_bytes = found->geometry.strip_bytes;
    view.consistent = !found->inconsistent;
    view.state = states[found->state];
    foreign_reason(view.state, found->why, &view.reason);
    if (walk->deleted.code != REASON_OK) {
        view.reason = walk->deleted;
    }
    vd_outcome(walk, index, &view);
    walk->visitor->vd(walk->visitor->context, &view);
    for (uint32_t i = 0; i < found->place_count; i++) {
        ddf_member_tell(walk, i);
    }
}

static enum foreign_member_state pd_state(const struct ddf_config *newest,
                                          const struct ddf_config *own)
{
    const struct ddf_pd *pd = ddf_pd_by_reference(newest, own->own_reference);

    if (pd == NULL || (pd->state & DDF_PD_MISSING) != 0) {
        return FOREIGN_MEMBER_STATE_STALE; /* the others go on without it */
    }
    if ((pd->state & DDF_PD_FAILED) != 0) {
        return FOREIGN_MEMBER_STATE_FAILED;
    }
    if ((pd->type & DDF_PD_ACTIVE) == 0) {
        return FOREIGN_MEMBER_STATE_SPARE;
    }
    if ((pd->state & DDF_PD_REBUILDING) != 0) {
        return FOREIGN_MEMBER_STATE_REBUILD;
    }
    if ((pd->state & DDF_PD_ONLINE) == 0) {
        return FOREIGN_MEMBER_STATE_OFFLINE;
    }
    return own->header.sequence + (own->header.open ? 0u : 1u) <= newest->header.sequence
               ? FOREIGN_MEMBER_STATE_STALE
               : FOREIGN_MEMBER_STATE_ONLINE;
}

/* Labels */

static enum foreign_member_state member_state_word(enum member_state state)
{
    static const enum foreign_member_state words[MEMBER_STATE_MAX] = {
        [MEMBER_ONLINE] = FOREIGN_MEMBER_STATE_ONLINE,
        [MEMBER_REBUILD] = FOREIGN_MEMBER_STATE_REBUILD,
        [MEMBER_FAILED] = FOREIGN_MEMBER_STATE_FAILED,
        [MEMBER_OFFLINE] = FOREIGN_MEMBER_STATE_OFFLINE,
        [MEMBER_MISSING] = FOREIGN_MEMBER_STATE_MISSING,
    };

    return words[state];
}

/* The drive of the set that has this place, by its own label; NULL: none. */
static const struct ctl_drive *label_drive_at(const struct foreign_set *set, uint32_t place)
{
    for (uint32_t i = 0; i < set->drive_count; i++) {
        const struct drive_label *label = cd_foreign_label(set->drives[i]);

        if (label->member == place &&
            uuid_equal(&label->drive, &set->newest->record.members[place].drive)) {
            return set->drives[i];
        }
    }
    return NULL;
}

static void label_member_tell(struct set_walk *walk, uint32_t place)
{
    const struct member_config *member = &walk->set.newest->record.members[place];
    const struct ctl_drive *cd = label_drive_at(&walk->set, place);
    struct foreign_member_view view = {.serial = member->serial,
                                       .state = member_state_word(member->state)};

    if (cd == NULL) {
        view.state = FOREIGN_MEMBER_STATE_MISSING;
    } else {
        view.drive = cd->identity.key;
        view.serial = cd->identity.serial;
        if (member->state == MEMBER_MISSING ||
            label_is_stale(walk->set.newest, cd_foreign_label(cd))) {
            view.state = FOREIGN_MEMBER_STATE_STALE;
        }
    }
    view.outcome = place_outcome(walk, place, cd != NULL);
    walk->visitor->member(walk->visitor->context, &view);
}

static enum foreign_state label_vd_state(const struct set_walk *walk)
{
    enum reason_code refusal = walk->plan.refusal.code;

    if (!is_imported(walk)) {
        return refusal == REASON_FOREIGN_CONFLICT ? FOREIGN_STATE_DEGRADED
               : refusal == REASON_FOREIGN_INCOMPLETE || refusal == REASON_FOREIGN_IS_HERE ||
                       refusal == REASON_FOREIGN_HERE_CONFLICT ||
                       refusal == REASON_FOREIGN_HERE_UNUSABLE
                   ? FOREIGN_STATE_INCOMPLETE
                   : FOREIGN_STATE_OPTIMAL;
    }
    return foreign_plan_outcome(&walk->plan, 0) == FOREIGN_OUTCOME_DEGRADED ? FOREIGN_STATE_DEGRADED
                                                                            : FOREIGN_STATE_OPTIMAL;
}

/* Restored, it is as it was; an import knows the drives only that are seen as foreign, which may be
 * those that were away when it was deleted. */
static void deleted_tell(struct set_walk *walk)
{
    const struct undo_record *record = undo_of_group(walk->ctl, &walk->set.guid);
    char path[PATH_TEXT_BYTES];
    char undo[24];

    walk->deleted.code = REASON_OK;
    if (record != NULL) {
        controller_path(walk->ctl, path, sizeof(path));
        (void)snprintf(undo, sizeof(undo), "%llu", (unsigned long long)record->number);
        reason_set(&walk->deleted, REASON_FOREIGN_DELETED, "name", record->name, "path", path,
                   "undo", undo, NULL);
    }
}

/* The writes that its label speaks of are in a cache that is not the controller's. */
static bool cache_is_away(const struct ctl *ctl, const struct vd_config *vd)
{
    return !uuid_is_zero(&vd->cache_journal) &&
           (ctl->cache == NULL ||
            !uuid_equal(journal_uuid(cache_journal(ctl->cache)), &vd->cache_journal));
}

static void label_vd_reason(const struct set_walk *walk, const struct vd_config *vd,
                            struct foreign_vd_view *view)
{
    char owner[UUID_TEXT_BYTES];

    foreign_reason(view->state, NULL, &view->reason);
    if (walk->deleted.code != REASON_OK) {
        view->reason = walk->deleted;
    } else if (cache_is_away(walk->ctl, vd)) {
        uuid_format(&walk->set.newest->controller, owner);
        reason_set(&view->reason, REASON_FOREIGN_CACHE_AWAY, "name", vd->name, "owner", owner,
                   NULL);
    }
}

static void label_vd_tell(struct set_walk *walk, uint32_t index)
{
    const struct group_config *record = &walk->set.newest->record;
    const struct vd_config *vd = &record->vds[index];
    struct foreign_vd_view view = {.name = vd->name,
                                   .level = raid_level_info(vd->geometry.level)->name,
                                   .size_bytes = vd->size_bytes,
                                   .strip_bytes = vd->geometry.strip_bytes,
                                   .state = label_vd_state(walk)};

    view.consistent = geometry_span_tolerance(&vd->geometry) == 0 ||
                      (!vd->dirty && vd->consistent_rows == geometry_row_count(&vd->geometry));
    label_vd_reason(walk, vd, &view);
    vd_outcome(walk, index, &view);
    walk->visitor->vd(walk->visitor->context, &view);
    for (uint32_t i = 0; i < record->member_count; i++) {
        label_member_tell(walk, i);
    }
}

static enum foreign_member_state label_state(const struct foreign_set *set,
                                             const struct drive_label *label)
{
    const struct group_config *record = &set->newest->record;

    if (label->member >= record->member_count ||
        !uuid_equal(&record->members[label->member].drive, &label->drive) ||
        record->members[label->member].state == MEMBER_MISSING ||
        label_is_stale(set->newest, label)) {
        return FOREIGN_MEMBER_STATE_STALE;
    }
    return member_state_word(record->members[label->member].state);
}

/* A set of either kind */

static void origin_make(struct set_walk *walk)
{
    const struct foreign_set *set = &walk->set;

    if (set->format == FOREIGN_FORMAT_ARRAYWRIGHT) {
        char text[UUID_TEXT_BYTES];

        uuid_format(&set->newest->controller, text);
        (void)snprintf(walk->origin, sizeof(walk->origin), "Arraywright %s", text); /* fits */
        return;
    }
    (void)snprintf(walk->origin, sizeof(walk->origin), "%.24s",
                   (const char *)set->ddf.newest->controller.bytes);
    for (size_t i = 0; walk->origin[i] != '\0'; i++) {
        if (walk->origin[i] < 0x20 || walk->origin[i] > 0x7e) {
            walk->origin[i] = '\0'; /* what follows is a number, not a name */
            break;
        }
    }
}

static void set_drive_tell(struct set_walk *walk, uint32_t index)
{
    const struct foreign_set *set = &walk->set;
    const struct ctl_drive *cd = set->drives[index];
    struct foreign_drive_view view = {.key = cd->identity.key,
                                      .outcome = FOREIGN_DRIVE_OUTCOME_LEFT};

    if (set->format == FOREIGN_FORMAT_DDF) {
        view.sequence = cd_foreign_ddf(cd)->header.sequence;
        view.state = pd_state(set->ddf.newest, cd_foreign_ddf(cd));
    } else {
        view.sequence = cd_foreign_label(cd)->record.sequence;
        view.state = label_state(set, cd_foreign_label(cd));
    }
    if (set->twins[index]) {
        view.state = FOREIGN_MEMBER_STATE_DUPLICATE;
    }
    for (uint32_t i = 0; is_imported(walk) && i < walk->plan.config.member_count; i++) {
        if (walk->plan.members[i] == cd) {
            view.outcome = place_outcome(walk, i, true);
        }
    }
    walk->visitor->set_drive(walk->visitor->context, &view);
}

static enum foreign_outcome set_outcome(const struct set_walk *walk)
{
    enum foreign_outcome worst = FOREIGN_OUTCOME_OPTIMAL;

    if (!is_imported(walk)) {
        return FOREIGN_OUTCOME_REFUSED;
    }
    for (uint32_t i = 0; i < walk->plan.config.vd_count; i++) {
        enum foreign_outcome outcome = foreign_plan_outcome(&walk->plan, i);

        worst = outcome > worst ? outcome : worst; /* words.json has them in this order */
    }
    return worst;
}

static void set_spares_tell(struct set_walk *walk)
{
    const struct foreign_set *set = &walk->set;

    LIST_FOR_EACH (node, &walk->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (foreign_spare_serves(cd, &set->newest->controller, &set->guid)) {
            const struct foreign_drive_view view = {.key = cd->identity.key,
                                                    .sequence = set->newest->record.sequence,
                                                    .state = FOREIGN_MEMBER_STATE_SPARE,
                                                    .outcome = is_imported(walk)
                                                                   ? FOREIGN_DRIVE_OUTCOME_SPARE
                                                                   : FOREIGN_DRIVE_OUTCOME_LEFT};

            walk->visitor->set_drive(walk->visitor->context, &view);
        }
    }
}

/* Nobody knows what they have missed. */
static void set_bare_tell(struct set_walk *walk)
{
    for (uint32_t i = 0; i < walk->set.bare_count; i++) {
        const struct ctl_drive *cd = walk->set.bare[i];
        const struct foreign_drive_view view = {.key = cd->identity.key,
                                                .sequence = cd_foreign_ddf(cd)->header.sequence,
                                                .state = FOREIGN_MEMBER_STATE_STALE,
                                                .outcome = FOREIGN_DRIVE_OUTCOME_LEFT};

        walk->visitor->set_drive(walk->visitor->context, &view);
    }
}

static void set_tell(struct set_walk *walk)
{
    const struct foreign_set *set = &walk->set;
    bool ddf = set->format == FOREIGN_FORMAT_DDF;
    uint32_t vd_count = ddf ? set->ddf.newest->vd_count : set->newest->record.vd_count;
    struct foreign_set_view view = {.format = set->format,
                                    .id = set->id,
                                    .name = set->name,
                                    .origin = walk->origin,
                                    .digest = set->digest,
                                    .version = ddf ? set->ddf.newest->header.revision : "1",
                                    .sequence = ddf ? set->ddf.newest->header.sequence
                                                    : set->newest->record.sequence,
                                    .drive_count = set->drive_count};

    foreign_plan_make(walk->ctl, set, &walk->plan);
    origin_make(walk);
    deleted_tell(walk);
    view.deleted = walk->deleted;
    view.refusal = walk->plan.refusal;
    view.outcome = set_outcome(walk);
    walk->visitor->set(walk->visitor->context, &view);
    for (uint32_t i = 0; i < set->drive_count; i++) {
        set_drive_tell(walk, i);
    }
    if (!ddf) {
        set_bare_tell(walk);
        set_spares_tell(walk);
    }
    for (uint32_t i = 0; i < vd_count; i++) {
        if (ddf) {
            ddf_vd_tell(walk, i);
        } else {
            label_vd_tell(walk, i);
        }
    }
}

/* md */

struct md_walk {
    const struct ctl *ctl;
    const struct ctl_foreign_visitor *visitor;
    struct foreign_md set;
    struct foreign_plan plan;
};

static bool md_is_imported(const struct md_walk *walk)
{
    return walk->plan.refusal.code == REASON_OK;
}

/* md itself takes a member that is one event behind. */
static enum foreign_member_state md_state_of(const struct md_walk *walk, const struct md_super *md)
{
    return md->events + 1 >= walk->set.newest->events ? FOREIGN_MEMBER_STATE_ONLINE
                                                      : FOREIGN_MEMBER_STATE_STALE;
}

static enum foreign_member_state md_member_state(const struct md_walk *walk, uint32_t place)
{
    const struct ctl_drive *cd = walk->set.places[place];

    return cd != NULL ? md_state_of(walk, &cd->found->md) : FOREIGN_MEMBER_STATE_MISSING;
}

static enum foreign_state md_state(const struct md_walk *walk)
{
    uint32_t lost = 0;

    if (walk->set.twin) {
        return FOREIGN_STATE_DAMAGED;
    }
    for (uint32_t i = 0; i < walk->set.newest->member_count; i++) {
        lost += md_member_state(walk, i) != FOREIGN_MEMBER_STATE_ONLINE ? 1u : 0u;
    }
    if (lost == 0) {
        return FOREIGN_STATE_OPTIMAL;
    }
    return lost <= md_tolerance(walk->set.newest) ? FOREIGN_STATE_DEGRADED
                                                  : FOREIGN_STATE_INCOMPLETE;
}

static enum foreign_drive_outcome md_outcome(const struct md_walk *walk, const struct ctl_drive *cd)
{
    if (cd == NULL) {
        return FOREIGN_DRIVE_OUTCOME_MISSING;
    }
    for (uint32_t i = 0; md_is_imported(walk) && i < walk->plan.config.member_count; i++) {
        if (walk->plan.members[i] == cd) {
            return FOREIGN_DRIVE_OUTCOME_MEMBER;
        }
    }
    return FOREIGN_DRIVE_OUTCOME_LEFT;
}

static void md_vd_tell(struct md_walk *walk)
{
    const struct ctl_foreign_visitor *visitor = walk->visitor;
    const struct md_super *md = walk->set.newest;
    uint64_t sectors = md_size_sectors(md);
    char level[32];
    struct foreign_vd_view view = {.name = md->name,
                                   .level = level,
                                   .strip_bytes = (uint64_t)md->chunk_sectors * 512u,
                                   .consistent = !md->resyncing || md_tolerance(md) == 0,
                                   .state = md_state(walk),
                                   .outcome = FOREIGN_OUTCOME_REFUSED};

    md_level_name(md, level);
    view.size_bytes = sectors <= UINT64_MAX / 512u ? sectors * 512u : 0;
    foreign_reason(view.state, "Two drives say that they have the same place.", &view.reason);
    if (md_is_imported(walk)) {
        const struct vd_config *vd = &walk->plan.config.vds[0];

        view.size_bytes = vd->size_bytes;
        view.outcome = foreign_plan_outcome(&walk->plan, 0);
        view.imported_as = vd->name;
        view.target_id = vd->target_id;
        reason_set(&view.reason, REASON_FOREIGN_MD_BECOMES, NULL);
    }
    visitor->vd(visitor->context, &view);
    for (uint32_t i = 0; i < md->member_count; i++) {
        const struct ctl_drive *cd = walk->set.places[i];
        struct foreign_member_view member = {.drive = cd != NULL ? cd->identity.key : NULL,
                                             .serial = cd != NULL ? cd->identity.serial : "",
                                             .state = md_member_state(walk, i),
                                             .outcome = md_outcome(walk, cd)};

        visitor->member(visitor->context, &member);
    }
}

static void md_drive_tell(const struct md_walk *walk, const struct ctl_drive *cd)
{
    const struct md_super *md = &cd->found->md;
    struct foreign_drive_view view = {.key = cd->identity.key,
                                      .sequence = md->events,
                                      .state = FOREIGN_MEMBER_STATE_SPARE,
                                      .outcome = md_outcome(walk, cd)};

    if (md->role < MD_ROLES_MAX) {
        view.state = md_state_of(walk, md);
    }
    walk->visitor->set_drive(walk->visitor->context, &view);
}

static void md_set_tell(struct md_walk *walk)
{
    const struct ctl_foreign_visitor *visitor = walk->visitor;
    const struct foreign_md *set = &walk->set;
    struct foreign_set_view view = {.format = FOREIGN_FORMAT_MD,
                                    .id = set->id,
                                    .name = set->name,
                                    .origin = "Linux md",
                                    .digest = set->digest,
                                    .version = "1.2",
                                    .sequence = set->newest->events,
                                    .drive_count = set->drive_count,
                                    .outcome = FOREIGN_OUTCOME_REFUSED};

    foreign_md_plan(walk->ctl, set, &walk->plan);
    view.refusal = walk->plan.refusal;
    if (md_is_imported(walk)) {
        view.outcome = foreign_plan_outcome(&walk->plan, 0);
    }
    visitor->set(visitor->context, &view);
    LIST_FOR_EACH (node, &walk->ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (foreign_md_has(set, cd)) {
            md_drive_tell(walk, cd);
        }
    }
    md_vd_tell(walk);
}

/* Both */

static void damaged_tell(const struct ctl_drive *cd, const struct ctl_foreign_visitor *visitor)
{
    struct reason reason;

    foreign_reason(FOREIGN_STATE_DAMAGED, cd->found->why, &reason);
    visitor->damaged(visitor->context, cd->identity.key, &reason);
}

static void sets_visit(const struct ctl *ctl, const struct ctl_foreign_visitor *visitor)
{
    struct set_walk *walk = calloc(1, sizeof(*walk));
    struct md_walk *md = calloc(1, sizeof(*md));

    ASSERT(walk != NULL && md != NULL);
    walk->ctl = ctl;
    walk->visitor = visitor;
    md->ctl = ctl;
    md->visitor = visitor;
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (foreign_set_gather(ctl, cd, &walk->set)) {
            set_tell(walk);
        } else if (foreign_md_gather(ctl, cd, &md->set)) {
            md_set_tell(md);
        }
    }
    free(walk);
    free(md);
}

void ctl_foreign(const struct ctl *ctl, const struct ctl_foreign_visitor *visitor)
{
    sets_visit(ctl, visitor);
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (is_damaged(cd)) {
            damaged_tell(cd, visitor);
        }
    }
}
