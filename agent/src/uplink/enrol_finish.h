/*
 * After enrollment: starts the uplink's unit, and waits until the backend has seen the host.
 */
#ifndef ARRAYWRIGHT_UPLINK_ENROL_FINISH_H
#define ARRAYWRIGHT_UPLINK_ENROL_FINISH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "uplink/uplink_identity.h"

#define ENROL_FINISH_WAIT_S 60u

struct enrol_finish {
    const char *config_path;
    const char *control_socket;
    const char *token;
    const struct uplink_identity *identity;
    uint32_t wait_s;             /* for the backend to see the host */
    bool start;
};

/* Says on standard output what it does, on standard error what failed and what to do about it.
 * 0, or -errno: the host is enrolled all the same. */
MUST_CHECK int enrol_finish(const struct enrol_finish *finish);
/* How a person starts the link here: by systemd, or by hand where it does not run. */
void enrol_say_start(const char *config_path, bool managed);

#endif
