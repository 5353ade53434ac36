#include "ctl/profile.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"

#define STRIP_DEFAULT_BYTES (64u * 1024u)

/* Write-back without a battery is a user's own decision ("always"), with a lasting warning. */
void controller_profile_native(struct controller_profile *ret_profile)
{
    static const struct vd_preset presets[] = {
        {"maximum-performance", READ_POLICY_ADAPTIVE_READ_AHEAD, WRITE_POLICY_WRITE_BACK,
         IO_POLICY_DIRECT, DRIVE_CACHE_POLICY_ON, DEGRADED_POLICY_KEEP},
        {"safest", READ_POLICY_NO_READ_AHEAD, WRITE_POLICY_WRITE_THROUGH, IO_POLICY_DIRECT,
         DRIVE_CACHE_POLICY_OFF, DEGRADED_POLICY_WRITE_THROUGH}};

    *ret_profile = (struct controller_profile){.vocabulary = CONTROLLER_VOCABULARY_MEGARAID,
                                               .has_cache = true,
                                               .logs_stripes = true,
                                               .no_battery_rule = NO_BATTERY_RULE_FORCE};
    (void)snprintf(ret_profile->name, sizeof(ret_profile->name), "native");
    (void)snprintf(ret_profile->model, sizeof(ret_profile->model), "Arraywright");
    for (unsigned level = 0; level < RAID_LEVEL_MAX; level++) {
        ret_profile->levels[level].offered = true;
    }
    for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
        ret_profile->presets[ret_profile->preset_count++] = presets[i];
    }
}

bool controller_profile_has_strip(const struct controller_profile *profile, uint32_t strip_bytes)
{
    if (strip_bytes < RAID_STRIP_MIN_BYTES || strip_bytes > RAID_STRIP_MAX_BYTES ||
        !is_power_of_two(strip_bytes)) {
        return false;
    }
    return profile->strip_sizes == 0 ||
           (profile->strip_sizes & (strip_bytes / RAID_STRIP_MIN_BYTES)) != 0;
}

uint32_t controller_profile_strip_default(const struct controller_profile *profile)
{
    for (uint32_t strip = STRIP_DEFAULT_BYTES; strip <= RAID_STRIP_MAX_BYTES; strip *= 2) {
        if (controller_profile_has_strip(profile, strip)) {
            return strip;
        }
    }
    for (uint32_t strip = STRIP_DEFAULT_BYTES / 2; strip >= RAID_STRIP_MIN_BYTES; strip /= 2) {
        if (controller_profile_has_strip(profile, strip)) {
            return strip;
        }
    }
    return STRIP_DEFAULT_BYTES;
}

const struct vd_preset *controller_profile_preset(const struct controller_profile *profile,
                                                  const char *name)
{
    for (uint32_t i = 0; i < profile->preset_count; i++) {
        if (strcmp(profile->presets[i].name, name) == 0) {
            return &profile->presets[i];
        }
    }
    return NULL;
}

/* What always writes through does nothing else while it is degraded, whatever is asked for. */
static bool same_while_degraded(const struct vd_preset *a, const struct vd_preset *b)
{
    return a->degraded_policy == b->degraded_policy ||
           a->write_policy == WRITE_POLICY_WRITE_THROUGH;
}

const struct vd_preset *controller_profile_preset_of(const struct controller_profile *profile,
                                                     const struct vd_preset *policies)
{
    for (uint32_t i = 0; i < profile->preset_count; i++) {
        const struct vd_preset *preset = &profile->presets[i];

        if (preset->read_policy == policies->read_policy &&
            preset->write_policy == policies->write_policy &&
            preset->io_policy == policies->io_policy &&
            preset->drive_cache_policy == policies->drive_cache_policy &&
            same_while_degraded(preset, policies)) {
            return preset;
        }
    }
    return NULL;
}
