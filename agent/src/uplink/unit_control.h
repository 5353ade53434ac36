/*
 * Asks systemd about the uplink's own unit, through systemctl and journalctl: found in PATH,
 * run without a shell, bounded in time and output.
 */
#ifndef ARRAYWRIGHT_UPLINK_UNIT_CONTROL_H
#define ARRAYWRIGHT_UPLINK_UNIT_CONTROL_H

#include <stdbool.h>

#include "base/attrs.h"

#define UPLINK_UNIT "arraywright-uplink.service"
#define UNIT_TEXT_BYTES 256u

enum unit_state {
    UNIT_ACTIVE,
    UNIT_STARTING,               /* or waiting to be started again */
    UNIT_FAILED,
    UNIT_INACTIVE,               /* a condition of the unit was not met, or it was stopped */
    UNIT_UNKNOWN
};

/* Whether systemd manages this machine; a container often has systemctl and no systemd. */
bool unit_is_managed(void);
/* Enables and starts the unit. 0, or -errno with systemctl's last words. */
MUST_CHECK int unit_start(char text[UNIT_TEXT_BYTES]);
enum unit_state unit_state_read(void);
/* What the unit logged last; "" if the journal has nothing. */
void unit_last_line(char line[UNIT_TEXT_BYTES]);

#endif
