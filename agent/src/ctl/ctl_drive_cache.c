/*
 * The write caches of the drives themselves. What a virtual drive asks for holds for whole
 * drives, so of several in a group the one that wants it off decides, then the one that wants it
 * on; where nobody asks, a drive has what it came with.
 *
 * (1) Nothing is remembered of what was sent: the wish is compared with what the drive has, so a
 *     start, a drive that joins and one that comes back are no cases of their own.
 * (2) One switch of a drive is under way at a time; one that failed is not tried again until the
 *     drive or the wish is another.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"

/* UNKNOWN: nobody asks. */
static enum drive_write_cache group_wish(const struct ctl_group *cg)
{
    const struct group_config *config = cg_config(cg);
    enum drive_write_cache wish = DRIVE_WRITE_CACHE_UNKNOWN;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        switch (config->vds[i].drive_cache_policy) {
        case DRIVE_CACHE_POLICY_OFF:
            return DRIVE_WRITE_CACHE_OFF;
        case DRIVE_CACHE_POLICY_ON:
            wish = DRIVE_WRITE_CACHE_ON;
            break;
        case DRIVE_CACHE_POLICY_DEFAULT:
            break;
        case DRIVE_CACHE_POLICY_MAX:
            UNREACHABLE();
        }
    }
    return wish;
}

static enum drive_write_cache drive_wish(const struct ctl_drive *cd)
{
    enum drive_write_cache wish = DRIVE_WRITE_CACHE_UNKNOWN;

    if (cd->group != NULL && cd->group->phase == CTL_GROUP_RUNNING &&
        !cg_member_is_vacant(cd->group, cd->member)) {
        wish = group_wish(cd->group);
    }
    return wish != DRIVE_WRITE_CACHE_UNKNOWN ? wish : cd->write_cache_found;
}

bool rule_drive_cache(struct ctl_drive *const *drives, uint32_t count,
                      enum drive_cache_policy policy, struct reason *ret_reason)
{
    enum drive_write_cache wish =
        policy == DRIVE_CACHE_POLICY_ON ? DRIVE_WRITE_CACHE_ON : DRIVE_WRITE_CACHE_OFF;
    char path[PATH_TEXT_BYTES];

    for (uint32_t i = 0; i < count && policy != DRIVE_CACHE_POLICY_DEFAULT; i++) {
        const struct ctl_drive *cd = drives[i];

        if (cd == NULL || !cd->present || cd->write_cache_settable || cd->write_cache == wish) {
            continue;
        }
        drive_path(cd, path, sizeof(path));
        reason_set(ret_reason, REASON_DRIVE_CACHE_FIXED, "drive", path, NULL);
        return false;
    }
    return true;
}

static void cache_failed(struct ctl_drive *cd, const char *problem)
{
    char path[PATH_TEXT_BYTES];

    cd->cache_given_up = true;
    drive_path(cd, path, sizeof(path));
    ctl_event(cd->ctl, EVENT_DRIVE_CACHE_FAILED, cd->identity.key, "drive", path, "wanted",
              drive_write_cache_word(cd->cache_wish), "problem", problem, NULL);
}

static void cache_switched(struct ctl_drive *cd)
{
    char path[PATH_TEXT_BYTES];

    cd->write_cache = cd->cache_wish;
    drive_path(cd, path, sizeof(path));
    ctl_event(cd->ctl, EVENT_DRIVE_CACHE_SWITCHED, cd->identity.key, "drive", path, "state",
              drive_write_cache_word(cd->write_cache), NULL);
}

static void cache_set_done(struct device_cache_switch *request, int error)
{
    struct ctl_drive *cd = request->owner;

    ASSERT(cd->cache_busy);
    cd->cache_busy = false;
    if (error == 0) {
        cache_switched(cd);
    } else {
        cache_failed(cd, error == -ENOTSUP ? "the device cannot be switched"
                         : error == -EIO   ? "the device did not follow"
                                           : "the host could not pass the wish on");
    }
    ctl_kick(cd->ctl);
}

static void cache_set(struct ctl_drive *cd)
{
    struct device_port *devices = cd->ctl->ports.devices;
    bool on = cd->cache_wish == DRIVE_WRITE_CACHE_ON;

    if (!cd->write_cache_settable) {
        cache_failed(cd, "the device cannot be switched");
        return;
    }
    if (cd->identity.emulated && cd->emulated != NULL) {
        emulated_drive_write_cache_set(cd->emulated, on);
        cache_switched(cd);
        return;
    }
    cd->cache_busy = true;
    cd->cache_request = (struct device_cache_switch){
        .device = cd->device, .on = on, .complete = cache_set_done, .owner = cd};
    devices->ops->write_cache_set(devices, &cd->cache_request);
}

bool ctl_drive_caches_are_quiet(const struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        if (list_entry(node, const struct ctl_drive, link)->cache_busy) {
            return false;
        }
    }
    return true;
}

void ctl_drive_caches_work(struct ctl *ctl)
{
    if (ctl->life != CTL_LIFE_ONLINE) {
        return;
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);
        enum drive_write_cache wish = drive_wish(cd);

        if (cd->drive == NULL || !cd->present || cd->departed || cd->cache_busy ||
            wish == DRIVE_WRITE_CACHE_UNKNOWN || wish == cd->write_cache) {
            continue;
        }
        if (cd->cache_given_up && wish == cd->cache_wish) {
            continue; /* (2) */
        }
        cd->cache_given_up = false;
        cd->cache_wish = wish;
        cache_set(cd);
    }
}
