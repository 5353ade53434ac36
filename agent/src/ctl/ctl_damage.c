/*
 * Records of the state directory that cannot be read cost what they describe, and nothing else.
 *
 * (1) A drive group whose record is damaged is what the newest label of its drives says. A label
 * may be older than the record was, if its drive had been away; so such a group starts only with
 *     all of its drives, which cannot all have missed the same change.
 * (2) A controller whose own record is damaged is the one that the labels name of which a record of
 *     their group is still in the state directory: other drives may be somebody else's. Its
 *     settings are the defaults, and nothing is written in place of the damaged record before all
 *     drives have been looked at.
 * (3) The record also lists the drives that are claimed although they carry metadata. Without it,
 *     another record has to speak for such a drive before its label is read: that of its group, or
 *     the list of sizes. A drive whose label does not bear that out is given back.
 * (4) Damage is whatever keeps a record from being read: its bytes, its device, what is in its
 *     place. A later version's record is not damaged, and a lack of memory or descriptors passes:
 *     both refuse the start, as going on would overwrite a good record.
 */
#include "ctl/ctl_damage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

bool ctl_damage_is_borne(int error)
{
    return error != -EPROTONOSUPPORT && error != -ENOMEM && error != -EMFILE && error != -ENFILE;
}

void ctl_damage_refuse(struct ctl *ctl, const char *name, int error)
{
    ASSERT(!ctl_damage_is_borne(error));
    if (ctl->observer.record_refused != NULL) {
        ctl->observer.record_refused(ctl->observer.context, name, error);
    }
}

void ctl_damage_note(struct ctl *ctl, const char *file, const char *cost)
{
    struct ctl_damage *damage = ctl->damage;

    ASSERT(damage->note_count < DAMAGE_NOTES_MAX);
    damage->notes[damage->note_count].file = file;
    damage->notes[damage->note_count].cost = cost;
    damage->note_count++;
}

void ctl_damage_controller(struct ctl *ctl)
{
    ctl->damage->controller = true;
}

void ctl_damage_group(struct ctl *ctl, const struct guid *guid, bool absent)
{
    struct ctl_damage *damage = ctl->damage;

    ASSERT(damage->group_count < CONTROLLER_GROUPS_MAX);
    damage->group_absent[damage->group_count] = absent;
    damage->groups[damage->group_count++] = *guid;
}

int ctl_damage_sizes(struct ctl *ctl, int error)
{
    if (error != 0 && error != -ENOENT) {
        ctl_damage_note(ctl, "r-" DRIVE_SIZES_NAME,
                        "The sizes of the drives are noted anew. A drive whose size has changed "
                        "since is looked for by its label");
    }
    return 0;
}

bool ctl_damage_is_any(const struct ctl *ctl)
{
    return ctl->damage->controller || ctl->damage->group_count > 0;
}

static uint32_t damage_find(const struct ctl *ctl, const struct guid *guid)
{
    uint32_t i = 0;

    while (i < ctl->damage->group_count && !guid_equal(&ctl->damage->groups[i], guid)) {
        i++;
    }
    return i;
}

bool cg_is_doubtful(const struct ctl_group *cg)
{
    return damage_find(cg->ctl, &cg->config->guid) < cg->ctl->damage->group_count;
}

bool cg_is_of_images(const struct ctl_group *cg)
{
    const struct group_config *config = cg_config(cg);
    const struct ctl_drive *first = cg->members[0];
    bool any = false;

    for (uint32_t i = 0; i < config->member_count; i++) {
        if (!cg_member_is_here(cg, i) || first == NULL ||
            cg->members[i]->record_sequence != first->record_sequence) {
            return false;
        }
        any = any || cg_member_is_stale(cg, i);
    }
    return any;
}

void ctl_damage_over(const struct ctl_group *cg)
{
    struct ctl_damage *damage = cg->ctl->damage;
    uint32_t i = damage_find(cg->ctl, &cg_config(cg)->guid);

    if (i < damage->group_count && damage->group_told[i]) {
        damage->group_count--;
        damage->groups[i] = damage->groups[damage->group_count];
        damage->group_told[i] = damage->group_told[damage->group_count];
        damage->group_absent[i] = damage->group_absent[damage->group_count];
        damage->group_told[damage->group_count] = false;
    }
}

/* Labels that make sense on their own may still contradict what is here. */
static bool record_is_possible(const struct ctl *ctl, const struct group_config *record)
{
    for (uint32_t i = 0; i < record->vd_count; i++) {
        char key[GUID_TEXT_BYTES];

        guid_format(&record->vds[i].guid, key);
        if (object_find(ctl, OBJECT_KIND_VIRTUAL_DRIVE, key) != NULL) {
            return false;
        }
    }
    return record->vd_count > 0;
}

struct ctl_group *ctl_damage_group_of(struct ctl *ctl, const struct drive_label *label)
{
    struct ctl_group *cg = group_by_guid(ctl, &label->group);
    struct group_config *config = NULL;

    ASSERT(label->role == LABEL_ROLE_MEMBER);
    if (cg != NULL || damage_find(ctl, &label->group) == ctl->damage->group_count ||
        !guid_equal(&label->record.guid, &label->group) ||
        !record_is_possible(ctl, &label->record)) {
        return cg;
    }
    config = malloc(sizeof(*config));
    ASSERT(config != NULL);
    *config = label->record;
    return ctl_group_new(ctl, config);
}

/* The controller's own record (2) */

static bool group_record_is_here(const struct ctl *ctl, const struct guid *guid)
{
    struct store_port *store = ctl->ports.store;
    char name[STORE_NAME_MAX + 1];
    size_t count = 0;
    uint8_t none = 0;

    group_record_name(guid, name);
    return store->ops->get(store, name, &none, 0, &count) != -ENOENT; /* a damaged one counts */
}

bool ctl_damage_wants(const struct ctl_drive *cd)
{
    if (!cd->ctl->damage->controller) {
        return false;
    }
    return cd_size_known(cd) != 0 || (cd->found != NULL && cd->found->kind == FOREIGN_DDF &&
                                      group_record_is_here(cd->ctl, &cd->found->ddf->header.guid));
}

/* The record of the label's group as it is in the store, or is there but damaged. */
static bool group_adopt(struct ctl *ctl, const struct guid *guid)
{
    struct store_port *store = ctl->ports.store;
    struct group_config *config = calloc(1, sizeof(*config));
    uint8_t *bytes = malloc(GROUP_RECORD_MAX_BYTES);
    char name[STORE_NAME_MAX + 1];
    size_t count = 0;
    int error = 0;

    ASSERT(config != NULL && bytes != NULL);
    group_record_name(guid, name);
    error = store->ops->get(store, name, bytes, GROUP_RECORD_MAX_BYTES, &count);
    if (error == -ENOENT) {
        free(config);
        free(bytes);
        return false;
    }
    if (error == 0) {
        error = group_record_decode(bytes, count, config);
    }
    free(bytes);
    record_group_add(ctl->record, guid);
    if (error == 0 && guid_equal(&config->guid, guid) && record_is_possible(ctl, config)) {
        (void)ctl_group_new(ctl, config); /* it is on the list now */
    } else {
        free(config);
        ctl_damage_group(ctl, guid, false);
    }
    return true;
}

void ctl_damage_adopt(struct ctl *ctl)
{
    bool known = false;

    ASSERT(ctl->damage->controller);
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);
        const struct drive_label *label = cd->label;

        if (cd->label_status != LABEL_STATUS_VALID || label == NULL ||
            label->role != LABEL_ROLE_MEMBER ||
            (known && !uuid_equal(&label->controller, &ctl->record->controller)) ||
            ctl->record->group_count == CONTROLLER_GROUPS_MAX ||
            record_has_group(ctl->record, &label->group) || !group_adopt(ctl, &label->group)) {
            continue;
        }
        ctl->record->controller = label->controller;
        known = true;
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (known && cd->label_status == LABEL_STATUS_VALID && cd->label != NULL &&
            uuid_equal(&cd->label->controller, &ctl->record->controller)) {
            record_drive_add(ctl->record, cd->identity.key, false);
        } else {
            cd->give_back = cd->claimed_here; /* (3) */
        }
    }
    ctl->damage->controller = false;
    ctl->damage->controller_told = true;
    ctl->damage->found_count = ctl->record->group_count;
    ctl_serial_make(ctl);
}

/* Telling */

void ctl_damage_told(struct ctl *ctl, const char *file, const char *cost)
{
    name_list_add(&ctl->damage->files, file);
    ctl_kick(ctl);
    if (ctl->observer.record_damaged != NULL) {
        ctl->observer.record_damaged(ctl->observer.context, file, cost);
    }
}

static void damage_tell(struct ctl *ctl, const char *file, const char *cost)
{
    ctl_event(ctl, EVENT_STATE_RECORD_DAMAGED, controller_key(ctl), "file", file, "cost", cost,
              NULL);
    ctl_damage_told(ctl, file, cost);
}

static void controller_tell(struct ctl *ctl)
{
    uint32_t found = ctl->damage->found_count;
    char groups[52] = "no drive group was found by its drives";
    char cost[EVENT_VALUE_MAX];

    if (found > 0) {
        (void)snprintf(groups, sizeof(groups), "%u drive group%s found by %s drives", found,
                       found == 1 ? " was" : "s were", found == 1 ? "its" : "their");
    }
    (void)snprintf(cost, sizeof(cost),
                   "The settings are the defaults; %s. Check them, and import what shows as "
                   "foreign, or restore the file from a backup while arrayd is stopped",
                   groups);
    damage_tell(ctl, "r-" CONTROLLER_RECORD_NAME, cost);
}

static void group_tell(struct ctl *ctl, const struct guid *guid)
{
    const struct ctl_group *cg = group_by_guid(ctl, guid);
    char name[STORE_NAME_MAX + 1];
    char file[STORE_NAME_MAX + 3];
    char cost[192];
    char path[PATH_TEXT_BYTES] = "";

    group_record_name(guid, name);
    (void)snprintf(file, sizeof(file), "r-%s", name);
    if (cg == NULL) {
        (void)snprintf(cost, sizeof(cost),
                       "Its drive group appears when its drives do. Put them back");
    } else {
        group_path(cg, path, sizeof(path));
        (void)snprintf(
            cost, sizeof(cost),
            cg->phase == CTL_GROUP_RUNNING
                ? "Drive group %s was restored from the labels of its drives"
                : "Drive group %s starts when all of its drives are here. Put them back, "
                  "or restore the file from a backup while arrayd is stopped",
            path);
    }
    damage_tell(ctl, file, cost);
}

void ctl_damage_tell(struct ctl *ctl)
{
    struct ctl_damage *damage = ctl->damage;

    if (damage->controller_told) {
        damage->controller_told = false;
        controller_tell(ctl);
    }
    for (uint32_t i = 0; i < damage->note_count; i++) {
        damage_tell(ctl, damage->notes[i].file, damage->notes[i].cost);
    }
    damage->note_count = 0;
    for (uint32_t i = damage->group_count; i > 0; i--) {
        const struct guid guid = damage->groups[i - 1];
        const struct ctl_group *cg = group_by_guid(ctl, &guid);

        group_tell(ctl, &guid);
        damage->absent_count += damage->group_absent[i - 1];
        damage->group_told[i - 1] = true;
        if (cg != NULL && cg->phase == CTL_GROUP_RUNNING) {
            ctl_damage_over(cg);
        }
    }
}

void ctl_record_damaged(struct ctl *ctl, const char *file, const char *cost)
{
    damage_tell(ctl, file, cost);
}
