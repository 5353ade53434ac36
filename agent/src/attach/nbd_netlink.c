/*
 * See nbd_netlink.h; linux/nbd-netlink.h and linux/genetlink.h name the attributes.
 */
#include "attach/nbd_netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/nbd-netlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/assert.h"

#define MESSAGE_BYTES 4096u
#define ANSWER_BYTES 16384u
#define PATIENCE_S 10
#define HEADER_BYTES ((uint32_t)sizeof(struct nlattr)) /* the kernel's macros are signed */

static size_t attribute_round(size_t bytes)
{
    return (bytes + 3u) & ~(size_t)3u;
}

/* A request under construction: netlink header, generic header, attributes. */
struct message {
    uint32_t used_bytes;
    _Alignas(struct nlmsghdr) uint8_t bytes[MESSAGE_BYTES];
};

static void message_begin(struct message *message, struct nbd_netlink *netlink, uint16_t type,
                          uint8_t command, uint8_t version)
{
    struct nlmsghdr *header = (struct nlmsghdr *)(void *)message->bytes;
    struct genlmsghdr *generic = NULL;

    memset(message, 0, sizeof *message);
    message->used_bytes = NLMSG_LENGTH(GENL_HDRLEN);
    header->nlmsg_type = type;
    header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    header->nlmsg_seq = ++netlink->sequence;
    generic = NLMSG_DATA(header);
    generic->cmd = command;
    generic->version = version;
}

static struct nlattr *attribute_add(struct message *message, uint16_t type, const void *data,
                                    size_t bytes)
{
    uint32_t place = NLMSG_ALIGN(message->used_bytes);
    struct nlattr *attribute = (struct nlattr *)(void *)(message->bytes + place);

    ASSERT(place + HEADER_BYTES + attribute_round(bytes) <= MESSAGE_BYTES);
    attribute->nla_type = type;
    attribute->nla_len = (uint16_t)(HEADER_BYTES + bytes);
    if (bytes > 0) {
        memcpy(message->bytes + place + HEADER_BYTES, data, bytes);
    }
    message->used_bytes = place + (uint32_t)attribute_round(attribute->nla_len);
    return attribute;
}

static void nest_end(struct message *message, struct nlattr *nest)
{
    nest->nla_len = (uint16_t)(message->bytes + message->used_bytes - (uint8_t *)(void *)nest);
}

static void add_u32(struct message *message, uint16_t type, uint32_t value)
{
    (void)attribute_add(message, type, &value, sizeof value);
}

static void add_u64(struct message *message, uint16_t type, uint64_t value)
{
    (void)attribute_add(message, type, &value, sizeof value);
}

static void add_text(struct message *message, uint16_t type, const char *text)
{
    (void)attribute_add(message, type, text, strlen(text) + 1);
}

/* The attribute of that type among those in [data, data + bytes); NULL: none. */
static const struct nlattr *attribute_find(const uint8_t *data, size_t bytes, uint16_t type)
{
    while (bytes >= HEADER_BYTES) {
        const struct nlattr *attribute = (const struct nlattr *)(const void *)data;
        size_t step = attribute_round(attribute->nla_len);

        if (attribute->nla_len < HEADER_BYTES || attribute->nla_len > bytes) {
            return NULL;
        }
        if ((attribute->nla_type & NLA_TYPE_MASK) == type) {
            return attribute;
        }
        if (step >= bytes) {
            return NULL;
        }
        data += step;
        bytes -= step;
    }
    return NULL;
}

static const uint8_t *attribute_data(const struct nlattr *attribute)
{
    return (const uint8_t *)(const void *)attribute + HEADER_BYTES;
}

static size_t attribute_bytes(const struct nlattr *attribute)
{
    return attribute->nla_len - HEADER_BYTES;
}

static bool attribute_u32(const uint8_t *data, size_t bytes, uint16_t type, uint32_t *ret_value)
{
    const struct nlattr *attribute = attribute_find(data, bytes, type);

    if (attribute == NULL || attribute_bytes(attribute) < sizeof *ret_value) {
        return false;
    }
    memcpy(ret_value, attribute_data(attribute), sizeof *ret_value);
    return true;
}

/* NLMSG_NEXT() without its casts. What it returns may be beyond the end: NLMSG_OK() tells. */
static struct nlmsghdr *header_next(struct nlmsghdr *header, size_t *left)
{
    size_t step = NLMSG_ALIGN(header->nlmsg_len);

    *left -= step < *left ? step : *left;
    return (struct nlmsghdr *)(void *)((uint8_t *)(void *)header + step);
}

typedef void (*answer_fn)(void *owner, const uint8_t *data, size_t bytes);

/* Sends and waits for the acknowledgement; answers on the way are handed to `answer`. */
static int ask(struct nbd_netlink *netlink, struct message *message, answer_fn answer, void *owner)
{
    static _Alignas(struct nlmsghdr) uint8_t bytes[ANSWER_BYTES];

    ((struct nlmsghdr *)(void *)message->bytes)->nlmsg_len = message->used_bytes;
    if (send(netlink->fd, message->bytes, message->used_bytes, 0) < 0) {
        return -errno;
    }
    for (;;) {
        ssize_t got = recv(netlink->fd, bytes, sizeof bytes, 0);
        size_t left = got > 0 ? (size_t)got : 0;

        if (got < 0 && errno != EINTR) {
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        }
        for (struct nlmsghdr *header = (struct nlmsghdr *)(void *)bytes; NLMSG_OK(header, left);
             header = header_next(header, &left)) {
            if (header->nlmsg_seq != netlink->sequence) {
                continue;
            }
            if (header->nlmsg_type == NLMSG_ERROR) {
                return ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
            }
            if (answer != NULL && header->nlmsg_len >= NLMSG_LENGTH(GENL_HDRLEN)) {
                answer(owner, (const uint8_t *)NLMSG_DATA(header) + GENL_HDRLEN,
                       header->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN));
            }
        }
    }
}

/* ---- the family ---- */

struct family {
    uint16_t id;
    uint32_t group;
};

static void family_take(void *owner, const uint8_t *data, size_t bytes)
{
    struct family *family = owner;
    const struct nlattr *id = attribute_find(data, bytes, CTRL_ATTR_FAMILY_ID);
    const struct nlattr *groups = attribute_find(data, bytes, CTRL_ATTR_MCAST_GROUPS);
    const struct nlattr *first = NULL;

    if (id != NULL && attribute_bytes(id) >= sizeof family->id) {
        memcpy(&family->id, attribute_data(id), sizeof family->id);
    }
    if (groups != NULL) { /* nbd has one group, and its list begins with it */
        first = attribute_find(attribute_data(groups), attribute_bytes(groups), 1);
    }
    if (first != NULL) {
        (void)attribute_u32(attribute_data(first), attribute_bytes(first), CTRL_ATTR_MCAST_GRP_ID,
                            &family->group);
    }
}

static int socket_open(void)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    struct timeval patience = {.tv_sec = PATIENCE_S};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

    if (fd < 0) {
        return -errno;
    }
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

int nbd_netlink_open(struct nbd_netlink *ret_netlink)
{
    struct nbd_netlink netlink = {.fd = socket_open(), .events = socket_open()};
    struct family family = {0};
    struct message message;
    int error = netlink.fd < 0 ? netlink.fd : netlink.events < 0 ? netlink.events : 0;

    if (error == 0) {
        message_begin(&message, &netlink, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
        add_text(&message, CTRL_ATTR_FAMILY_NAME, NBD_GENL_FAMILY_NAME);
        error = ask(&netlink, &message, family_take, &family);
    }
    if (error == 0 && (family.id == 0 || family.group == 0)) {
        error = -ENOENT;
    }
    if (error == 0 && setsockopt(netlink.events, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &family.group,
                                 sizeof family.group) != 0) {
        error = -errno;
    }
    if (error != 0) {
        nbd_netlink_close(&netlink);
        return error;
    }
    netlink.family = family.id;
    *ret_netlink = netlink;
    return 0;
}

void nbd_netlink_close(struct nbd_netlink *netlink)
{
    if (netlink->fd >= 0) {
        close(netlink->fd);
    }
    if (netlink->events >= 0) {
        close(netlink->events);
    }
    netlink->fd = -1;
    netlink->events = -1;
}

/* ---- devices ---- */

static void add_sockets(struct message *message, const struct nbd_device *device)
{
    struct nlattr *all = attribute_add(message, NBD_ATTR_SOCKETS | NLA_F_NESTED, NULL, 0);

    ASSERT(device->socket_count > 0 && device->socket_count <= NETLINK_SOCKETS_MAX);
    for (uint32_t i = 0; i < device->socket_count; i++) {
        struct nlattr *item = attribute_add(message, NBD_SOCK_ITEM | NLA_F_NESTED, NULL, 0);

        add_u32(message, NBD_SOCK_FD, (uint32_t)device->sockets[i]);
        nest_end(message, item);
    }
    nest_end(message, all);
}

static void index_take(void *owner, const uint8_t *data, size_t bytes)
{
    (void)attribute_u32(data, bytes, NBD_ATTR_INDEX, owner); /* unchanged without one */
}

int nbd_netlink_connect(struct nbd_netlink *netlink, struct nbd_device *device)
{
    struct message message;

    message_begin(&message, netlink, netlink->family, NBD_CMD_CONNECT, NBD_GENL_VERSION);
    if (device->index != NETLINK_ANY_INDEX) {
        add_u32(&message, NBD_ATTR_INDEX, device->index);
    }
    add_u64(&message, NBD_ATTR_SIZE_BYTES, device->size_bytes);
    add_u64(&message, NBD_ATTR_BLOCK_SIZE_BYTES, device->block_bytes);
    add_u64(&message, NBD_ATTR_SERVER_FLAGS, device->flags);
    add_u64(&message, NBD_ATTR_TIMEOUT, device->timeout_s);
    add_u64(&message, NBD_ATTR_DEAD_CONN_TIMEOUT, device->dead_timeout_s);
    add_text(&message, NBD_ATTR_BACKEND_IDENTIFIER, device->identifier);
    add_sockets(&message, device);
    return ask(netlink, &message, index_take, &device->index);
}

int nbd_netlink_replace(struct nbd_netlink *netlink, const struct nbd_device *device)
{
    struct message message;

    ASSERT(device->index != NETLINK_ANY_INDEX && device->socket_count == 1);
    message_begin(&message, netlink, netlink->family, NBD_CMD_RECONFIGURE, NBD_GENL_VERSION);
    add_u32(&message, NBD_ATTR_INDEX, device->index);
    add_u64(&message, NBD_ATTR_TIMEOUT, device->timeout_s);
    add_u64(&message, NBD_ATTR_DEAD_CONN_TIMEOUT, device->dead_timeout_s);
    add_text(&message, NBD_ATTR_BACKEND_IDENTIFIER, device->identifier);
    add_sockets(&message, device);
    return ask(netlink, &message, NULL, NULL);
}

int nbd_netlink_disconnect(struct nbd_netlink *netlink, uint32_t index)
{
    struct message message;

    message_begin(&message, netlink, netlink->family, NBD_CMD_DISCONNECT, NBD_GENL_VERSION);
    add_u32(&message, NBD_ATTR_INDEX, index);
    return ask(netlink, &message, NULL, NULL);
}

bool nbd_netlink_link_died(struct nbd_netlink *netlink, uint32_t index)
{
    _Alignas(struct nlmsghdr) uint8_t bytes[MESSAGE_BYTES];
    bool died = false;

    for (;;) {
        ssize_t got = recv(netlink->events, bytes, sizeof bytes, MSG_DONTWAIT);
        size_t left = got > 0 ? (size_t)got : 0;

        if (got < 0) {
            return died || errno == ENOBUFS; /* some were lost: it may have been ours */
        }
        for (struct nlmsghdr *header = (struct nlmsghdr *)(void *)bytes; NLMSG_OK(header, left);
             header = header_next(header, &left)) {
            const struct genlmsghdr *generic = NLMSG_DATA(header);
            uint32_t which = NETLINK_ANY_INDEX;

            if (header->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN) ||
                generic->cmd != NBD_CMD_LINK_DEAD) {
                continue;
            }
            (void)attribute_u32((const uint8_t *)NLMSG_DATA(header) + GENL_HDRLEN,
                                header->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN), NBD_ATTR_INDEX,
                                &which);
            died = died || which == index;
        }
    }
}
