/*
 * What the controller remembers of its emulated battery: charge, wear, and the user's learn
 * settings. Kept in the host's store as BATTERY_RECORD_NAME; without it, or with one of another
 * profile, the pack is new.
 */
#ifndef ARRAYWRIGHT_CTL_BATTERY_RECORD_H
#define ARRAYWRIGHT_CTL_BATTERY_RECORD_H

#include <stddef.h>

#include "base/attrs.h"
#include "emulate/emulated_battery.h"

#define BATTERY_RECORD_NAME "battery"
#define BATTERY_RECORD_BYTES 96u

void battery_record_encode(const char *profile, const struct emulated_battery_memory *memory,
                           uint8_t out[BATTERY_RECORD_BYTES]);
/* Any bytes; 0, -ESTALE for another profile's, or -EBADMSG; *ret_memory is set only with 0. */
MUST_CHECK int battery_record_decode(const uint8_t *bytes, size_t count, const char *profile,
                                     struct emulated_battery_memory *ret_memory);

#endif
