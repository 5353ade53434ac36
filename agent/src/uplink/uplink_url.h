/*
 * The address of the backend: http(s)://HOST[:PORT][/PREFIX]. Nothing else is accepted, so
 * that a part of it can be put into a request line or a header without further care.
 */
#ifndef ARRAYWRIGHT_UPLINK_UPLINK_URL_H
#define ARRAYWRIGHT_UPLINK_UPLINK_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define UPLINK_URL_MAX 511u

struct uplink_url {
    bool tls;
    bool host_is_ipv6;           /* host is without its brackets */
    char host[256];
    uint16_t port;
    char prefix[256];            /* "" or "/…" without a slash at the end */
};

/* 0, or -EINVAL with what is wrong in why. */
MUST_CHECK int uplink_url_parse(const char *text, struct uplink_url *ret_url, char why[160]);
/* True only for names and addresses that cannot leave this machine. */
bool uplink_url_is_loopback(const struct uplink_url *url);
/* "host:port" as the Host header wants it, with brackets around an IPv6 address. */
void uplink_url_authority(const struct uplink_url *url, char *out, size_t capacity);

#endif
