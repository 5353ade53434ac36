/*
 * See group_ddf.h.
 */
#include "meta/group_ddf.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/checked.h"

struct preparation {
    const struct group_save *save;
    struct label_slots *const *slots;
    struct ddf_group_source source;
    uint64_t usable_bytes[GROUP_MEMBERS_MAX];
    struct ddf_config *configs[GROUP_MEMBERS_MAX];
    const struct ddf_config *newest; /* what is on the drives so far; NULL: nothing of this group */
};

/* Dirty stays dirty until the group stops (ddf_io.h (5)). */
static void dirty_keep(struct ddf_config *config, const struct ddf_config *older)
{
    for (uint32_t i = 0; i < config->vd_count; i++) {
        const struct ddf_vd *before = ddf_vd_by_guid(older, &config->vds[i].guid);

        if (before != NULL && (before->state & DDF_VD_INCONSISTENT) != 0) {
            config->vds[i].state |= DDF_VD_INCONSISTENT;
        }
    }
}

static bool copies_are_sound(const struct ddf_copies *copies)
{
    return copies->config != NULL && !copies->whole[DDF_COPY_PRIMARY] &&
           !copies->whole[DDF_COPY_SECONDARY];
}

/* Does the drive of this member say something else so far? False also if it cannot say it. */
static bool member_prepare(struct preparation *preparation, uint32_t member, bool *ret_possible)
{
    const struct ddf_copies *copies = &preparation->slots[member]->ddf;
    struct drive *drive = preparation->save->drives[member];
    struct ddf_config *config = NULL;

    *ret_possible = ddf_from_group(&preparation->source, member,
                                   drive_size_bytes(drive) / DDF_SECTOR_BYTES, &config) == 0;
    if (!*ret_possible) {
        return false;
    }
    preparation->configs[member] = config;
    if (preparation->newest != NULL) {
        ddf_drives_inherit(config, preparation->newest);
    }
    if (copies->config != NULL) {
        if (!preparation->save->closing) {
            dirty_keep(config, copies->config);
        }
        ddf_records_inherit(config, copies->config);
    }
    return !copies_are_sound(copies) || !ddf_config_is_same(config, copies->config);
}

/* The tables are the same on all drives, so they follow the newest of all, whoever wrote it. */
static void newest_find(struct preparation *preparation)
{
    const struct group_config *group = preparation->save->config;

    for (uint32_t i = 0; i < group->member_count; i++) {
        const struct ddf_copies *copies =
            preparation->slots[i] != NULL ? &preparation->slots[i]->ddf : NULL;
        const struct ddf_config *says = NULL;

        if (copies != NULL) {
            says = copies->config != NULL ? copies->config : copies->others;
        }
        if (says != NULL && guid_equal(&says->header.guid, &group->guid) &&
            (preparation->newest == NULL ||
             says->header.sequence > preparation->newest->header.sequence)) {
            preparation->newest = says;
        }
    }
}

static void source_make(struct preparation *preparation, uint64_t wall_us)
{
    const struct group_save *save = preparation->save;
    uint32_t used = 0;

    for (uint32_t i = 0; i < save->config->member_count; i++) {
        if (save->drives[i] != NULL) {
            preparation->usable_bytes[i] = drive_room_bytes(save->drives[i], save->config->compact);
        }
        if (preparation->slots[i] != NULL) {
            used = max_u32(used, preparation->slots[i]->ddf.sequence_used);
        }
    }
    ASSERT(used < UINT32_MAX - 1); /* 4 billion changes */
    preparation->source = (struct ddf_group_source){.group = save->config,
                                                    .controller = save->controller,
                                                    .usable_bytes = preparation->usable_bytes,
                                                    .sequence = used + 1,
                                                    .wall_us = wall_us};
}

void group_ddf_prepare(const struct group_save *save, uint64_t wall_us,
                       struct label_slots *const *slots, struct ddf_job **ret_jobs)
{
    struct preparation *preparation = calloc(1, sizeof(*preparation));
    bool possible = true;
    bool changed = false;

    ASSERT(preparation != NULL);
    preparation->save = save;
    preparation->slots = slots;
    source_make(preparation, wall_us);
    newest_find(preparation);
    for (uint32_t i = 0; i < save->config->member_count && possible; i++) {
        if (slots[i] != NULL) {
            changed = member_prepare(preparation, i, &possible) || changed;
        }
    }
    for (uint32_t i = 0; i < save->config->member_count; i++) {
        struct ddf_config *config = preparation->configs[i];

        if (config != NULL && changed && possible) {
            ret_jobs[i] = ddf_job_write(save->drives[i], &slots[i]->ddf, &slots[i]->jobs, config);
        } else {
            (void)ddf_config_free(config); /* returns NULL always */
        }
    }
    free(preparation);
}
