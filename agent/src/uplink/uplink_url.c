/*
 * Taking an address apart: see uplink_url.h.
 */
#include "uplink/uplink_url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static int refuse(char why[160], const char *text)
{
    (void)snprintf(why, 160, "%s", text);
    return -EINVAL;
}

static const char *scheme_skip(const char *text, struct uplink_url *url)
{
    if (strncasecmp(text, "https://", 8) == 0) {
        url->tls = true;
        url->port = 443;
        return text + 8;
    }
    if (strncasecmp(text, "http://", 7) == 0) {
        url->port = 80;
        return text + 7;
    }
    return NULL;
}

/* Returns what follows the host, NULL if it is not one. */
static const char *host_read(const char *text, struct uplink_url *url)
{
    size_t bytes = 0;
    struct in6_addr address;

    url->host_is_ipv6 = text[0] == '[';
    text += url->host_is_ipv6 ? 1 : 0;
    bytes = strspn(text, url->host_is_ipv6 ? DIGITS ":.abcdefABCDEF" : LETTERS DIGITS ".-_");
    if (bytes == 0 || bytes >= sizeof(url->host)) {
        return NULL;
    }
    memcpy(url->host, text, bytes);
    url->host[bytes] = '\0';
    if (!url->host_is_ipv6) {
        return text + bytes;
    }
    return text[bytes] == ']' && inet_pton(AF_INET6, url->host, &address) == 1 ? text + bytes + 1
                                                                               : NULL;
}

static const char *port_read(const char *text, struct uplink_url *url)
{
    uint32_t port = 0;

    if (text[0] != ':') {
        return text;
    }
    for (text++; *text >= '0' && *text <= '9' && port <= UINT16_MAX; text++) {
        port = port * 10 + (uint32_t)(*text - '0');
    }
    if (port == 0 || port > UINT16_MAX) {
        return NULL;
    }
    url->port = (uint16_t)port;
    return text;
}

static bool prefix_read(const char *text, struct uplink_url *url)
{
    size_t bytes = strlen(text);

    if (bytes > 0 && (text[0] != '/' || strspn(text, LETTERS DIGITS "/._~%-") != bytes)) {
        return false;
    }
    while (bytes > 0 && text[bytes - 1] == '/') {
        bytes--;
    }
    if (bytes >= sizeof(url->prefix)) {
        return false;
    }
    memcpy(url->prefix, text, bytes);
    url->prefix[bytes] = '\0';
    return true;
}

int uplink_url_parse(const char *text, struct uplink_url *ret_url, char why[160])
{
    struct uplink_url url = {.tls = false};
    const char *at = NULL;

    ASSERT(text != NULL);
    if (strlen(text) > UPLINK_URL_MAX) {
        return refuse(why, "the address of the backend is too long");
    }
    at = scheme_skip(text, &url);
    if (at == NULL) {
        return refuse(why, "the address of the backend must begin with https:// or http://");
    }
    at = host_read(at, &url);
    if (at == NULL) {
        return refuse(why, "the address of the backend names no host: https://HOST[:PORT]");
    }
    at = port_read(at, &url);
    if (at == NULL) {
        return refuse(why, "the port of the backend must be 1 to 65535");
    }
    if (!prefix_read(at, &url)) {
        return refuse(why, "the address of the backend has something behind its host that does "
                           "not belong there: https://HOST[:PORT][/PREFIX]");
    }
    *ret_url = url;
    return 0;
}

bool uplink_url_is_loopback(const struct uplink_url *url)
{
    struct in_addr address;
    struct in6_addr address6;

    ASSERT(url->host[0] != '\0');
    if (url->host_is_ipv6) {
        return inet_pton(AF_INET6, url->host, &address6) == 1 && IN6_IS_ADDR_LOOPBACK(&address6);
    }
    if (inet_pton(AF_INET, url->host, &address) == 1) {
        return ntohl(address.s_addr) >> 24 == 127;
    }
    return strcasecmp(url->host, "localhost") == 0;
}

void uplink_url_authority(const struct uplink_url *url, char *out, size_t capacity)
{
    const char *open = url->host_is_ipv6 ? "[" : "";
    const char *close = url->host_is_ipv6 ? "]" : "";

    (void)snprintf(out, capacity, "%s%s%s:%u", open, url->host, close, (unsigned)url->port);
}
