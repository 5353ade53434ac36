/*
 * The kernel's nbd driver by generic netlink: connecting a device, giving it a new socket, and
 * hearing of sockets that died. Blocking; one user at a time.
 */
#ifndef ARRAYWRIGHT_ATTACH_NBD_NETLINK_H
#define ARRAYWRIGHT_ATTACH_NBD_NETLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/nbd_dial.h"
#include "base/attrs.h"

#define NETLINK_ANY_INDEX UINT32_MAX
#define NETLINK_SOCKETS_MAX 16u

struct nbd_netlink {
    int fd;     /* questions and answers */
    int events; /* the multicast group; readable when a socket has died */
    uint16_t family;
    uint32_t sequence;
};

struct nbd_device {
    uint32_t index; /* /dev/nbdN; NETLINK_ANY_INDEX: any free one */
    uint64_t size_bytes;
    uint64_t block_bytes;
    uint64_t flags;
    uint64_t timeout_s;      /* an answer that takes longer: the request is sent anew */
    uint64_t dead_timeout_s; /* without any connection: how long requests wait */
    const char *identifier;
    uint32_t socket_count;
    int sockets[NETLINK_SOCKETS_MAX];
};

/* -ENOENT: the kernel has no nbd driver, or it is not loaded. */
MUST_CHECK int nbd_netlink_open(struct nbd_netlink *ret_netlink);
void nbd_netlink_close(struct nbd_netlink *netlink);

/* Sets device->index to the one taken. */
MUST_CHECK int nbd_netlink_connect(struct nbd_netlink *netlink, struct nbd_device *device);
/* Puts the socket in the place of a dead one. 0 as well if none is dead: then it is dropped. */
MUST_CHECK int nbd_netlink_replace(struct nbd_netlink *netlink, const struct nbd_device *device);
MUST_CHECK int nbd_netlink_disconnect(struct nbd_netlink *netlink, uint32_t index);
/* After `events` was readable: whether a socket of this device is among those that died. */
bool nbd_netlink_link_died(struct nbd_netlink *netlink, uint32_t index);

#endif
