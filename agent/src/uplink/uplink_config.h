/*
 * The uplink's configuration file (libconfig syntax), read once at start. An unknown key, a
 * wrong type or a value out of bounds is an error with file and line.
 */
#ifndef ARRAYWRIGHT_UPLINK_UPLINK_CONFIG_H
#define ARRAYWRIGHT_UPLINK_UPLINK_CONFIG_H

#include <limits.h>
#include <stdint.h>

#include "base/attrs.h"
#include "uplink/uplink_log.h"
#include "uplink/uplink_url.h"

#define UPLINK_CONFIG_ERROR_BYTES 512u
#define UPLINK_SOCKET_PATH_MAX 107u
#define UPLINK_HOSTNAME_MAX 64u

struct uplink_config {
    char url[UPLINK_URL_MAX + 1]; /* "": where the host enrolled */
    char control_socket[UPLINK_SOCKET_PATH_MAX + 1];
    char state_dir[PATH_MAX];
    char hostname[UPLINK_HOSTNAME_MAX + 1]; /* "": as the agent calls the host */
    char ca_file[PATH_MAX];                 /* "": the system's certificate authorities */
    uint32_t reconnect_base_ms;
    uint32_t reconnect_cap_ms;
    enum uplink_log_level log_level;
};

/* 0, or -errno with "FILE:LINE: what is wrong" in error. */
MUST_CHECK int uplink_config_read(const char *path, struct uplink_config *ret_config,
                                  char error[UPLINK_CONFIG_ERROR_BYTES]);

#endif
