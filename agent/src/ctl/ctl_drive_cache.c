/*
 * The write caches of the drives themselves. What a virtual drive asks for holds for whole
 * drives, so of several in a group the one that wants it off decides, then the one that wants it
 * on; where nobody asks, a drive has what it came with.
 *
 * (1) Nothing is remembered of what was sent: the wish is compared with what the drive has, so a
 *     start, a drive that joins and one that comes back are no cases of their own.
 * (2) One switch of a drive is under way at a time; one that failed is not tried again until the
 *     drive, what it has, or the wish is another. Meanwhile it is a finding.
 * (3) A drive that somebody else has switched is switched again when the host looks at it anew.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "ctl/vd_policies.h"

/* UNKNOWN: it does not ask. */
static enum drive_write_cache wish_of(enum drive_cache_policy policy)
{
    switch (policy) {
    case DRIVE_CACHE_POLICY_OFF:
        return DRIVE_WRITE_CACHE_OFF;
    case DRIVE_CACHE_POLICY_ON:
        return DRIVE_WRITE_CACHE_ON;
    case DRIVE_CACHE_POLICY_DEFAULT:
        return DRIVE_WRITE_CACHE_UNKNOWN;
    case DRIVE_CACHE_POLICY_MAX:
        break;
    }
    UNREACHABLE();
}

/* Of the virtual drives of a group but one (NULL: of all). UNKNOWN: nobody asks; *ret_who: who
 * decides. */
static enum drive_write_cache group_wish(const struct ctl_group *cg, const struct guid *but,
                                         const struct vd_config **ret_who)
{
    const struct group_config *config = cg_config(cg);
    enum drive_write_cache wish = DRIVE_WRITE_CACHE_UNKNOWN;

    for (uint32_t i = 0; i < config->vd_count; i++) {
        const struct vd_config *vd = &config->vds[i];
        enum drive_write_cache one = wish_of(vd->drive_cache_policy);

        if ((but != NULL && guid_equal(&vd->guid, but)) || one == DRIVE_WRITE_CACHE_UNKNOWN ||
            wish == DRIVE_WRITE_CACHE_OFF) {
            continue;
        }
        if (wish != one) { /* off after on, or the first */
            *ret_who = vd;
            wish = one;
        }
    }
    return wish;
}

/* Of whoever uses it. */
static enum drive_write_cache users_wish(const struct ctl_drive *cd,
                                         const struct vd_config **ret_who)
{
    if (cd->group == NULL || cd->group->phase != CTL_GROUP_RUNNING ||
        cg_member_is_vacant(cd->group, cd->member)) {
        return DRIVE_WRITE_CACHE_UNKNOWN;
    }
    return group_wish(cd->group, NULL, ret_who);
}

static enum drive_write_cache drive_wish(const struct ctl_drive *cd)
{
    const struct vd_config *who = NULL;
    enum drive_write_cache wish = users_wish(cd, &who);

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

        if (cd->drive == NULL || !cd->present || cd->departed || cd->cache_busy) {
            continue;
        }
        if (wish == DRIVE_WRITE_CACHE_UNKNOWN || wish == cd->write_cache) {
            cd->cache_given_up = false; /* (2) who asks again has asked for something else */
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

static void odd_reason(const struct ctl_drive *odd, struct reason *ret_reason)
{
    char path[PATH_TEXT_BYTES];

    drive_path(odd, path, sizeof(path));
    reason_set(ret_reason,
               odd->write_cache == DRIVE_WRITE_CACHE_UNKNOWN ? REASON_DRIVE_CACHE_SILENT
               : !odd->write_cache_settable                  ? REASON_DRIVE_CACHE_FIXED
               : odd->cache_given_up                         ? REASON_DRIVE_CACHE_GIVEN_UP
                                                             : REASON_DRIVE_CACHE_WAITS,
               "drive", path, NULL);
}

bool cd_cache_is_refused(const struct ctl_drive *cd, const struct vd_config **ret_who,
                         struct reason *ret_why)
{
    enum drive_write_cache wish = users_wish(cd, ret_who);

    if (!cd->present || cd->departed || cd->drive == NULL || cd->cache_busy ||
        wish == DRIVE_WRITE_CACHE_UNKNOWN || wish == cd->write_cache || !cd->cache_given_up ||
        wish != cd->cache_wish) {
        return false;
    }
    odd_reason(cd, ret_why);
    return true;
}

void cd_cache_reprobed(struct ctl_drive *cd, enum drive_write_cache now, bool settable)
{
    if (cd->identity.emulated || cd->cache_busy || now == DRIVE_WRITE_CACHE_UNKNOWN) {
        return; /* an emulated one has no other master */
    }
    cd->cache_given_up =
        cd->cache_given_up && now == cd->write_cache && settable == cd->write_cache_settable;
    cd->write_cache = now;
    cd->write_cache_settable = settable;
}

/* What a virtual drive has of it */

struct cache_count {
    uint32_t present, on, off;
    const struct ctl_drive *odd; /* the first that is not as it should be */
};

/* What a drive has; or would have, were it asked for `wish`. */
static enum drive_write_cache drive_has(const struct ctl_drive *cd, enum drive_write_cache wish,
                                        bool ahead)
{
    if (!ahead) {
        return cd->write_cache;
    }
    if (wish == DRIVE_WRITE_CACHE_UNKNOWN) {
        return cd->write_cache_found;
    }
    return cd->write_cache_settable ? wish : cd->write_cache;
}

static void drives_count(const struct policies_subject *subject, enum drive_write_cache wish,
                         struct cache_count *ret)
{
    *ret = (struct cache_count){0};
    for (uint32_t i = 0; i < subject->drive_count; i++) {
        const struct ctl_drive *cd = subject->drives[i];
        enum drive_write_cache has = DRIVE_WRITE_CACHE_UNKNOWN;

        if (cd == NULL || !cd->present) {
            continue;
        }
        has = drive_has(cd, wish, subject->ahead);
        ret->present++;
        ret->on += has == DRIVE_WRITE_CACHE_ON;
        ret->off += has == DRIVE_WRITE_CACHE_OFF;
        if (ret->odd == NULL && (has == DRIVE_WRITE_CACHE_UNKNOWN ||
                                 (wish != DRIVE_WRITE_CACHE_UNKNOWN && has != wish))) {
            ret->odd = cd;
        }
    }
}

static enum drive_cache_effective count_effective(const struct cache_count *count)
{
    if (count->present == 0 || count->on + count->off < count->present) {
        return DRIVE_CACHE_EFFECTIVE_UNKNOWN;
    }
    return count->off == 0  ? DRIVE_CACHE_EFFECTIVE_ON
           : count->on == 0 ? DRIVE_CACHE_EFFECTIVE_OFF
                            : DRIVE_CACHE_EFFECTIVE_MIXED;
}

void drive_cache_judge(const struct policies_subject *subject, struct policy_view *ret)
{
    enum drive_write_cache own = wish_of(subject->vd->drive_cache_policy);
    enum drive_write_cache others = DRIVE_WRITE_CACHE_UNKNOWN;
    enum drive_write_cache wish = own;
    const struct vd_config *who = NULL;
    struct cache_count count;

    if (subject->cg != NULL) {
        others = group_wish(subject->cg, subject->cv != NULL ? &subject->cv->guid : NULL, &who);
    }
    if (others != DRIVE_WRITE_CACHE_UNKNOWN && own != DRIVE_WRITE_CACHE_OFF) {
        wish = others;
    }
    drives_count(subject, wish, &count);
    ret->requested = drive_cache_policy_word(subject->vd->drive_cache_policy);
    ret->effective = drive_cache_effective_word(count_effective(&count));
    if (count.present == 0) {
        reason_set(&ret->reason, REASON_DRIVE_CACHE_NO_DRIVES, NULL);
    } else if (count.odd != NULL) {
        odd_reason(count.odd, &ret->reason);
    } else if (wish != own) {
        reason_set(&ret->reason, REASON_DRIVE_CACHE_OF_GROUP, "virtual_drive", who->name, "state",
                   drive_write_cache_word(wish), NULL);
    } else {
        reason_set(&ret->reason,
                   own == DRIVE_WRITE_CACHE_UNKNOWN ? REASON_DRIVE_CACHE_OWN : REASON_AS_REQUESTED,
                   NULL);
    }
}
