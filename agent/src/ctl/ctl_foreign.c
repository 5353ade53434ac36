/*
 * Foreign sets out of the drives that are only offered (foreign_view.h). A set is told when the
 * first of its drives in the list comes by.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"
#include "ctl/foreign_view.h"
#include "meta/ddf/ddf_group.h"

static bool is_shown(const struct ctl_drive *cd, enum foreign_kind kind)
{
    return cd->found != NULL && cd->present && !cd->departed && cd->drive == NULL &&
           cd->found->kind == kind;
}

static void reason_of(enum foreign_state state, const char *why, struct reason *ret_reason)
{
    static const enum reason_code codes[FOREIGN_STATE_MAX] = {
        [FOREIGN_STATE_OPTIMAL] = REASON_OK,
        [FOREIGN_STATE_DEGRADED] = REASON_FOREIGN_DEGRADED,
        [FOREIGN_STATE_INCOMPLETE] = REASON_FOREIGN_INCOMPLETE,
        [FOREIGN_STATE_UNSUPPORTED] = REASON_FOREIGN_UNSUPPORTED,
        [FOREIGN_STATE_DAMAGED] = REASON_FOREIGN_DAMAGED,
    };
    enum reason_code code = codes[state];

    if (code == REASON_FOREIGN_UNSUPPORTED || code == REASON_FOREIGN_DAMAGED) {
        reason_set(ret_reason, code, "problem", why, NULL);
    } else {
        reason_set(ret_reason, code, NULL);
    }
}

/* DDF */

struct ddf_walk {
    const struct ctl_foreign_visitor *visitor;
    struct ddf_set set;
    const struct ctl_drive *drives[DDF_SET_DRIVES_MAX];
    struct ddf_found found;
};

static void ddf_member_tell(struct ddf_walk *walk, const struct ddf_place *place)
{
    static const enum foreign_member_state states[DDF_PLACE_STATE_MAX] = {
        [DDF_PLACE_ONLINE] = FOREIGN_MEMBER_STATE_ONLINE,
        [DDF_PLACE_REBUILD] = FOREIGN_MEMBER_STATE_REBUILD,
        [DDF_PLACE_FAILED] = FOREIGN_MEMBER_STATE_FAILED,
        [DDF_PLACE_OFFLINE] = FOREIGN_MEMBER_STATE_OFFLINE,
        [DDF_PLACE_STALE] = FOREIGN_MEMBER_STATE_STALE,
        [DDF_PLACE_MISSING] = FOREIGN_MEMBER_STATE_MISSING,
    };
    struct foreign_member_view view = {.serial = "", .state = states[place->state]};

    if (place->drive != DDF_NO_DRIVE) {
        view.drive = walk->drives[place->drive]->identity.key;
        view.serial = walk->drives[place->drive]->identity.serial;
    }
    walk->visitor->member(walk->visitor->context, &view);
}

static void ddf_vd_tell(struct ddf_walk *walk, uint32_t index)
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

    ddf_set_examine(&walk->set, index, found);
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
    reason_of(view.state, found->why, &view.reason);
    walk->visitor->vd(walk->visitor->context, &view);
    for (uint32_t i = 0; i < found->place_count; i++) {
        ddf_member_tell(walk, &found->places[i]);
    }
}

/* Of all drives with the same GUID in their headers, only the first tells the set. */
static bool ddf_set_gather(const struct ctl *ctl, const struct ctl_drive *first,
                           struct ddf_walk *walk)
{
    walk->set = (struct ddf_set){0};
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        uint32_t at = walk->set.drive_count;

        if (!is_shown(cd, FOREIGN_DDF) ||
            !guid_equal(&cd->found->ddf->header.guid, &first->found->ddf->header.guid)) {
            continue;
        }
        if (at == 0 && cd != first) {
            return false;
        }
        if (ddf_set_add(&walk->set, cd->found->ddf, cd->found->sectors) == 0) {
            walk->drives[at] = cd;
        }
    }
    return true;
}

static void ddf_set_tell(struct ddf_walk *walk)
{
    const struct ctl_foreign_visitor *visitor = walk->visitor;
    const struct ddf_config *newest = walk->set.newest;
    char id[GUID_TEXT_BYTES];
    struct foreign_set_view view = {.format = FOREIGN_FORMAT_DDF,
                                    .id = id,
                                    .version = newest->header.revision,
                                    .sequence = newest->header.sequence,
                                    .drive_count = walk->set.drive_count};

    guid_format(&newest->header.guid, id);
    visitor->set(visitor->context, &view);
    for (uint32_t i = 0; i < walk->set.drive_count; i++) {
        visitor->set_drive(visitor->context, walk->drives[i]->identity.key);
    }
    for (uint32_t i = 0; i < newest->vd_count; i++) {
        ddf_vd_tell(walk, i);
    }
}

/* md */

struct md_walk {
    const struct ctl_foreign_visitor *visitor;
    const struct ctl_drive *places[MD_ROLES_MAX];
    const struct md_super *newest;
    uint32_t drive_count;
    bool twin;
};

static bool md_set_gather(const struct ctl *ctl, const struct ctl_drive *first,
                          struct md_walk *walk)
{
    walk->newest = NULL;
    walk->drive_count = 0;
    walk->twin = false;
    memset(walk->places, 0, sizeof(walk->places));
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        const struct md_super *md = NULL;

        if (!is_shown(cd, FOREIGN_MD) || !uuid_equal(&cd->found->md.set, &first->found->md.set)) {
            continue;
        }
        if (walk->drive_count == 0 && cd != first) {
            return false;
        }
        md = &cd->found->md;
        walk->drive_count++;
        if (walk->newest == NULL || md->events > walk->newest->events) {
            walk->newest = md;
        }
        if (md->role < MD_ROLES_MAX) {
            walk->twin = walk->twin || walk->places[md->role] != NULL;
            walk->places[md->role] = cd;
        }
    }
    return true;
}

/* md itself takes a member that is one event behind. */
static enum foreign_member_state md_member_state(const struct md_walk *walk, uint32_t place)
{
    const struct ctl_drive *cd = walk->places[place];

    if (cd == NULL) {
        return FOREIGN_MEMBER_STATE_MISSING;
    }
    return cd->found->md.events + 1 >= walk->newest->events ? FOREIGN_MEMBER_STATE_ONLINE
                                                            : FOREIGN_MEMBER_STATE_STALE;
}

static enum foreign_state md_state(const struct md_walk *walk)
{
    uint32_t lost = 0;

    if (walk->twin) {
        return FOREIGN_STATE_DAMAGED;
    }
    for (uint32_t i = 0; i < walk->newest->member_count; i++) {
        lost += md_member_state(walk, i) != FOREIGN_MEMBER_STATE_ONLINE ? 1u : 0u;
    }
    if (lost == 0) {
        return FOREIGN_STATE_OPTIMAL;
    }
    return lost <= md_tolerance(walk->newest) ? FOREIGN_STATE_DEGRADED : FOREIGN_STATE_INCOMPLETE;
}

static void md_vd_tell(struct md_walk *walk)
{
    const struct ctl_foreign_visitor *visitor = walk->visitor;
    const struct md_super *md = walk->newest;
    uint64_t sectors = md_size_sectors(md);
    char level[32];
    struct foreign_vd_view view = {.name = md->name,
                                   .level = level,
                                   .strip_bytes = (uint64_t)md->chunk_sectors * 512u,
                                   .consistent = !md->resyncing || md_tolerance(md) == 0,
                                   .state = md_state(walk)};

    md_level_name(md, level);
    view.size_bytes = sectors <= UINT64_MAX / 512u ? sectors * 512u : 0;
    reason_of(view.state, "Two drives say that they have the same place.", &view.reason);
    visitor->vd(visitor->context, &view);
    for (uint32_t i = 0; i < md->member_count; i++) {
        const struct ctl_drive *cd = walk->places[i];
        struct foreign_member_view member = {.drive = cd != NULL ? cd->identity.key : NULL,
                                             .serial = cd != NULL ? cd->identity.serial : "",
                                             .state = md_member_state(walk, i)};

        visitor->member(visitor->context, &member);
    }
}

static void md_set_tell(const struct ctl *ctl, struct md_walk *walk)
{
    const struct ctl_foreign_visitor *visitor = walk->visitor;
    char id[UUID_TEXT_BYTES];
    struct foreign_set_view view = {.format = FOREIGN_FORMAT_MD,
                                    .id = id,
                                    .version = "1.2",
                                    .sequence = walk->newest->events,
                                    .drive_count = walk->drive_count};

    uuid_format(&walk->newest->set, id);
    visitor->set(visitor->context, &view);
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (is_shown(cd, FOREIGN_MD) && uuid_equal(&cd->found->md.set, &walk->newest->set)) {
            visitor->set_drive(visitor->context, cd->identity.key);
        }
    }
    md_vd_tell(walk);
}

/* Both */

static void damaged_tell(const struct ctl_drive *cd, const struct ctl_foreign_visitor *visitor)
{
    struct reason reason;

    reason_of(FOREIGN_STATE_DAMAGED, cd->found->why, &reason);
    visitor->damaged(visitor->context, cd->identity.key, &reason);
}

void ctl_foreign(const struct ctl *ctl, const struct ctl_foreign_visitor *visitor)
{
    struct ddf_walk *ddf = calloc(1, sizeof(*ddf));
    struct md_walk *md = calloc(1, sizeof(*md));

    ASSERT(ddf != NULL && md != NULL);
    ddf->visitor = visitor;
    md->visitor = visitor;
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (is_shown(cd, FOREIGN_DDF) && ddf_set_gather(ctl, cd, ddf)) {
            ddf_set_tell(ddf);
        } else if (is_shown(cd, FOREIGN_MD) && md_set_gather(ctl, cd, md)) {
            md_set_tell(ctl, md);
        }
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (is_shown(cd, FOREIGN_DAMAGED)) {
            damaged_tell(cd, visitor);
        }
    }
    free(ddf);
    free(md);
}
