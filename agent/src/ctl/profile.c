#include "ctl/profile.h"

#include <stdio.h>

/* Write-back without a battery is a user's own decision ("always"), with a lasting warning. */
void controller_profile_native(struct controller_profile *ret_profile)
{
    *ret_profile =
        (struct controller_profile){.has_cache = true, .no_battery_rule = NO_BATTERY_RULE_FORCE};
    (void)snprintf(ret_profile->name, sizeof(ret_profile->name), "native");
    (void)snprintf(ret_profile->model, sizeof(ret_profile->model), "Arraywright");
    for (unsigned level = 0; level < RAID_LEVEL_MAX; level++) {
        ret_profile->levels[level].offered = true;
    }
}
