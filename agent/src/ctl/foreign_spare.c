/*
 * See foreign_spare.h. The label of a drive is the one home of a spare's role, as in
 * command_spare.c: each is one label write, after the record has taken the drives in.
 */
#include "ctl/foreign_spare.h"

#include "base/assert.h"

bool foreign_spare_serves(const struct ctl_drive *cd, const struct uuid *controller,
                          const struct guid *group)
{
    const struct drive_label *label = cd->foreign_spare;

    if (label == NULL || cd->drive == NULL || !cd->present || !cd->foreign ||
        !uuid_equal(&label->controller, controller)) {
        return false;
    }
    for (uint32_t i = 0; i < label->spare_group_count; i++) {
        if (guid_equal(&label->spare_groups[i], group)) {
            return true;
        }
    }
    return label->spare_group_count == 0;
}

static void part_done(struct foreign_spares *spares)
{
    ASSERT(spares->pending > 0);
    spares->pending--;
    if (spares->pending == 0) {
        spares->done(spares);
    }
}

static void made_tell(const struct foreign_spares *spares, const struct ctl_drive *cd)
{
    const struct ctl_group *cg = group_by_guid(spares->ctl, &spares->group_now);
    char path[PATH_TEXT_BYTES];
    char group[PATH_TEXT_BYTES];

    drive_path(cd, path, sizeof(path));
    if (cd->spare_group_count == 0) {
        ctl_event(spares->ctl, EVENT_SPARE_GLOBAL_MADE, cd->identity.key, "drive", path, NULL);
    } else if (cg != NULL) {
        group_path(cg, group, sizeof(group));
        ctl_event(spares->ctl, EVENT_SPARE_DEDICATED_MADE, cd->identity.key, "drive", path, "group",
                  group, NULL);
    }
}

static void spare_labelled(struct label_write *write, int error)
{
    struct foreign_spares *spares = write->owner;
    uint32_t index = (uint32_t)(write - spares->writes);
    struct ctl_drive *cd = spares->drives[index];
    const struct drive_label *label = &spares->labels[index];

    if (error == 0 && cd->present) {
        cd_foreign_label_forget(cd);
        cd->foreign = false;
        cd->has_state_reason = false;
        cd->uuid = label->drive;
        cd->label_status = LABEL_STATUS_VALID;
        cd->spare = true;
        cd->spare_affinity = label->spare_affinity;
        cd->spare_committable = label->spare_committable;
        cd->spare_group_count = label->spare_group_count;
        for (uint32_t i = 0; i < label->spare_group_count; i++) {
            cd->spare_groups[i] = label->spare_groups[i];
        }
        cd_state_update(cd);
        made_tell(spares, cd);
    }
    part_done(spares);
}

static void spares_recorded(struct ctl *ctl, int error, void *context)
{
    struct foreign_spares *spares = context;

    ASSERT(ctl == spares->ctl);
    spares->pending = 1;
    for (uint32_t i = 0; i < spares->count && error == 0; i++) {
        struct drive_label *label = &spares->labels[i];

        *label = *spares->drives[i]->foreign_spare;
        label->controller = ctl->record->controller;
        if (label->spare_group_count > 0) { /* it serves what is here */
            label->spare_group_count = 1;
            label->spare_groups[0] = spares->group_now;
        }
        spares->pending++;
        spares->writes[i] = (struct label_write){.drive = spares->drives[i]->drive,
                                                 .label = label,
                                                 .complete = spare_labelled,
                                                 .owner = spares};
        group_store_label_write(ctl->group_store, &spares->writes[i]);
    }
    part_done(spares);
}

void foreign_spares_take(struct foreign_spares *spares)
{
    ASSERT(spares->done != NULL && spares->count == 0);
    LIST_FOR_EACH (node, &spares->ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (spares->count < COMMAND_SPARES_MAX &&
            foreign_spare_serves(cd, &spares->controller, &spares->group)) {
            spares->drives[spares->count++] = cd;
        }
    }
    if (spares->count == 0) {
        spares->done(spares);
        return;
    }
    ctl_record_edit(spares->ctl);
    for (uint32_t i = 0; i < spares->count; i++) {
        record_drive_add(spares->ctl->record, spares->drives[i]->identity.key, false);
    }
    ctl_record_save(spares->ctl, spares_recorded, spares);
}
