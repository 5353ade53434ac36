/*
 * The superblock of an md set on a member of the drive group that the set has become: the drive was
 * away when it was to be taken off (command_foreign.c (4)). Once the drive is back in its place, it
 * goes, or Linux would find the old set by it.
 *
 * (1) Only that of the very set (meta/md_super_io.h (2)), and only where none of the group's
 *     extents is.
 * (2) Looked for once in the time a drive is with us, between commands.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/foreign_md.h"
#include "meta/md_super_io.h"

struct left_run {
    struct md_super_job job;
    struct ctl_drive *cd; /* is not forgotten before its drive is idle */
};

static void left_looked(struct md_super_job *job, int error)
{
    struct left_run *run = job->owner;
    struct ctl_drive *cd = run->cd;
    char path[PATH_TEXT_BYTES];

    if (error == 0 && job->found && uuid_equal(&job->super.set, &job->set)) {
        drive_path(cd, path, sizeof(path));
        ctl_event(cd->ctl, EVENT_MD_SUPER_TAKEN_OFF, cd->identity.key, "drive", path, NULL);
    }
    free(run);
}

/* (1) */
static bool group_was_md(const struct group_config *config)
{
    bool was = false;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        if (config->vds[i].extent_start_bytes < MD_SUPER_OFFSET_BYTES + MD_SUPER_BYTES) {
            return false;
        }
        was = was || foreign_md_is_of(&config->guid, &config->vds[i].guid);
    }
    return was;
}

void cd_md_left_work(struct ctl_drive *cd)
{
    struct ctl *ctl = cd->ctl;
    struct left_run *run = NULL;

    if (cd->md_looked || cd->group == NULL || cd->drive == NULL || !cd->present || cd->gone_noted ||
        !cd->settled || cd->group->phase != CTL_GROUP_RUNNING || ctl->life != CTL_LIFE_ONLINE ||
        ctl->change != NULL) {
        return;
    }
    cd->md_looked = true;
    if (!group_was_md(cg_config(cd->group))) {
        return;
    }
    run = calloc(1, sizeof(*run));
    ASSERT(run != NULL);
    run->cd = cd;
    run->job = (struct md_super_job){.drive = cd->drive,
                                     .strips = true,
                                     .set = foreign_md_uuid(&cg_config(cd->group)->guid),
                                     .complete = left_looked,
                                     .owner = run};
    md_super_job_run(&run->job);
}
