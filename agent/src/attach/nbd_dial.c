/*
 * See nbd_dial.h. Everything the server says is bounded before it is read.
 */
#include "attach/nbd_dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "export/nbd_wire.h"

#define PATIENCE_S 10
#define NAME_MAX_BYTES 255u
#define REPLY_MAX_BYTES 4096u
#define REPLY_COUNT_MAX 64u
#define IDENTIFIER_PREFIX "arraywright:"

static int explain(char *text, int error, const char *format, ...) PRINTF_LIKE(3, 4);
static int explain(char *text, int error, const char *format, ...)
{
    va_list arguments;

    ASSERT(error < 0);
    va_start(arguments, format);
    (void)vsnprintf(text, DIAL_TEXT_BYTES, format, arguments); /* cut if longer */
    va_end(arguments);
    return error;
}

static int connect_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if (strlen(path) >= sizeof address.sun_path) {
        return -ENAMETOOLONG;
    }
    (void)strcpy(address.sun_path, path); /* its length was just checked */
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -errno;
    }
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

/* "127.0.0.1:10809" or "[::1]:10809" */
static bool host_split(const char *address, char host[64], char port[8])
{
    const char *colon = strrchr(address, ':');
    size_t length = colon == NULL ? 0 : (size_t)(colon - address);

    if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
        address++;
        length -= 2;
    }
    if (length == 0 || length >= 64 || strlen(colon + 1) == 0 || strlen(colon + 1) >= 8) {
        return false;
    }
    memcpy(host, address, length);
    host[length] = '\0';
    (void)strcpy(port, colon + 1); /* its length was just checked */
    return true;
}

static int connect_tcp(const char *address)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *info = NULL;
    const int on = 1;
    char host[64];
    char port[8];
    int fd;

    if (!host_split(address, host, port) || getaddrinfo(host, port, &hints, &info) != 0) {
        return -EINVAL;
    }
    fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, info->ai_addr, info->ai_addrlen) != 0) {
        int error = -errno;
        close(fd);
        fd = error;
    } else if (fd < 0) {
        fd = -errno;
    } else {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* only latency */
    }
    freeaddrinfo(info);
    return fd;
}

static int send_all(int fd, const uint8_t *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return -errno;
        }
        bytes += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
    return 0;
}

static int receive_all(int fd, uint8_t *bytes, size_t count)
{
    while (count > 0) {
        ssize_t got = recv(fd, bytes, count, 0);
        if (got == 0) {
            return -ECONNRESET;
        }
        if (got < 0 && errno != EINTR) {
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        }
        bytes += got > 0 ? got : 0;
        count -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static int greeting_read(int fd)
{
    uint8_t bytes[NBD_GREETING_BYTES];
    int error = receive_all(fd, bytes, sizeof bytes);

    if (error != 0) {
        return error;
    }
    return get_be64(bytes) == NBD_MAGIC && get_be64(bytes + 8) == NBD_OPTION_MAGIC &&
                   (get_be16(bytes + 16) & NBD_FLAG_FIXED_NEWSTYLE) != 0
               ? 0
               : -EPROTO;
}

/* Flags, then GO with the name, and what it is: block sizes come unasked or not at all. */
static int go_send(int fd, const char *name)
{
    uint8_t bytes[NBD_CLIENT_FLAGS_BYTES + NBD_OPTION_HEADER_BYTES + 4 + NAME_MAX_BYTES + 4];
    uint32_t name_bytes = (uint32_t)strlen(name);
    uint8_t *option = bytes + NBD_CLIENT_FLAGS_BYTES;
    uint8_t *data = option + NBD_OPTION_HEADER_BYTES;

    ASSERT(name_bytes <= NAME_MAX_BYTES);
    put_be32(bytes, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    put_be64(option, NBD_OPTION_MAGIC);
    put_be32(option + 8, NBD_OPT_GO);
    put_be32(option + 12, 4 + name_bytes + 4);
    put_be32(data, name_bytes);
    memcpy(data + 4, name, name_bytes);
    put_be16(data + 4 + name_bytes, 1);
    put_be16(data + 6 + name_bytes, NBD_INFO_DESCRIPTION);
    return send_all(fd, bytes,
                    NBD_CLIENT_FLAGS_BYTES + NBD_OPTION_HEADER_BYTES + 4 + name_bytes + 4);
}

static void info_take(const uint8_t *data, uint32_t length, struct nbd_offer *offer)
{
    uint16_t kind = length >= 2 ? get_be16(data) : UINT16_MAX;

    if (kind == NBD_INFO_EXPORT && length >= 12) {
        offer->size_bytes = get_be64(data + 2);
        offer->flags = get_be16(data + 10);
    } else if (kind == NBD_INFO_BLOCK_SIZE && length >= 14) {
        offer->block_bytes = get_be32(data + 2);
    } else if (kind == NBD_INFO_DESCRIPTION) {
        uint32_t text_bytes = min_u32(length - 2, DIAL_DESCRIPTION_BYTES - 1);

        memcpy(offer->description, data + 2, text_bytes);
        offer->description[text_bytes] = '\0';
    }
}

/* A refusal comes with a reason. It is kept where the description of the export would be. */
static int refusal_take(const uint8_t *data, uint32_t length, struct nbd_offer *offer)
{
    uint32_t bytes = min_u32(length, DIAL_DESCRIPTION_BYTES - 1);

    memcpy(offer->description, data, bytes);
    offer->description[bytes] = '\0';
    return -EBUSY;
}

/* 1: one more reply comes; 0: agreed; -errno. */
static int reply_read(int fd, struct nbd_offer *offer)
{
    uint8_t header[NBD_OPTION_REPLY_BYTES];
    uint8_t data[REPLY_MAX_BYTES];
    int error = receive_all(fd, header, sizeof header);
    uint32_t length;
    uint32_t type;

    if (error != 0) {
        return error;
    }
    type = get_be32(header + 12);
    length = get_be32(header + 16);
    if (get_be64(header) != NBD_OPTION_REPLY_MAGIC || length > sizeof data) {
        return -EPROTO;
    }
    error = receive_all(fd, data, length);
    if (error != 0) {
        return error;
    }
    switch (type) {
    case NBD_REP_ACK:
        return offer->size_bytes > 0 ? 0 : -EPROTO;
    case NBD_REP_INFO:
        info_take(data, length, offer);
        return 1;
    case NBD_REP_ERR_UNKNOWN:
        return -ENOENT;
    case NBD_REP_ERR_POLICY:
        return refusal_take(data, length, offer);
    case NBD_REP_ERR_TLS_REQD:
        return -EPROTONOSUPPORT;
    default:
        return -EPROTO;
    }
}

static int handshake(int fd, const char *name, struct nbd_offer *offer)
{
    int error = greeting_read(fd);
    int more = 1;

    if (error == 0) {
        error = go_send(fd, name);
    }
    for (uint32_t i = 0; error == 0 && more == 1; i++) {
        more = i < REPLY_COUNT_MAX ? reply_read(fd, offer) : -EPROTO;
        error = more < 0 ? more : 0;
    }
    return error;
}

int nbd_dial(const char *address, const char *name, struct nbd_offer *ret_offer,
             char text[DIAL_TEXT_BYTES])
{
    struct timeval patience = {.tv_sec = PATIENCE_S};
    struct timeval forever = {.tv_sec = 0};
    struct nbd_offer offer = {.block_bytes = 512};
    int error;

    if (name[0] == '\0' || strlen(name) > NAME_MAX_BYTES) {
        return explain(text, -EINVAL, "an export's name has 1 to %u characters", NAME_MAX_BYTES);
    }
    offer.fd = address[0] == '/' ? connect_unix(address) : connect_tcp(address);
    if (offer.fd < 0) {
        return explain(text, offer.fd, "%s: %s", address, strerror(-offer.fd));
    }
    /* The kernel has time-outs of its own: ours end with the handshake. */
    (void)setsockopt(offer.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(offer.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    error = handshake(offer.fd, name, &offer);
    (void)setsockopt(offer.fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof forever);
    (void)setsockopt(offer.fd, SOL_SOCKET, SO_SNDTIMEO, &forever, sizeof forever);
    if (error != 0) {
        close(offer.fd);
        return explain(text, error, "%s, export %s: %s", address, name,
                       error == -ENOENT            ? "there is no such export"
                       : error == -EBUSY           ? offer.description
                       : error == -EPROTONOSUPPORT ? "the server wants TLS, which the kernel's "
                                                     "client cannot do"
                                                   : strerror(-error));
    }
    *ret_offer = offer;
    return 0;
}

bool nbd_offer_is_same(const struct nbd_offer *first, const struct nbd_offer *now)
{
    if (first->description[0] == '\0' || now->description[0] == '\0') {
        return now->size_bytes == first->size_bytes;
    }
    return strcmp(first->description, now->description) == 0 &&
           now->size_bytes >= first->size_bytes;
}

/* sysfs shows it as one line. A description that would not come back as it is, which is none of
 * arrayd's, is left out. */
void nbd_identifier_make(const char *name, const char *description,
                         char identifier[DIAL_IDENTIFIER_BYTES])
{
    bool with = description[0] != '\0' && strpbrk(description, "\t\n") == NULL;

    (void)snprintf(identifier, DIAL_IDENTIFIER_BYTES, IDENTIFIER_PREFIX "%.255s%s%.127s", name,
                   with ? "\t" : "", with ? description : ""); /* always fits */
}

bool nbd_identifier_read(const char *identifier, const char *name,
                         char ret_description[DIAL_DESCRIPTION_BYTES])
{
    const size_t prefix = strlen(IDENTIFIER_PREFIX);
    size_t length = strcspn(identifier, "\t");
    const char *description = identifier + length + (identifier[length] != '\0' ? 1 : 0);

    if (strncmp(identifier, IDENTIFIER_PREFIX, prefix) != 0 || length != prefix + strlen(name) ||
        strncmp(identifier + prefix, name, length - prefix) != 0) {
        return false;
    }
    (void)snprintf(ret_description, DIAL_DESCRIPTION_BYTES, "%s", description); /* it was as long */
    return true;
}
