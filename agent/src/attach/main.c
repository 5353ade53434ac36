/*
 * arraywright-attach: a virtual drive as a kernel block device, for as long as it runs.
 *
 *   dial, connect /dev/nbdN --> ready --socket died--> dial again, until it works --> ready
 *                                 \--SIGTERM, and nobody uses it--> disconnect
 *
 * (1) While arrayd is away requests wait in the kernel; they are sent again over the new socket.
 *     That is safe because arrayd applies overlapping writes in the order of their admission,
 *     those of dead connections included.
 * (2) A device that is attached already under the same name (the program was killed) is taken
 *     over, not attached twice; and not if the name is another virtual drive's by now.
 * (3) A device that is mounted or held otherwise stays attached although it is told to stop: to
 *     detach it would fail what its file system still has to write. It goes on as before, and ends
 *     as soon as nobody uses the device.
 * (4) Nothing is allocated once it is attached, and memory is locked: the pages it needs may
 *     have to come from the very device that waits for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/nbd_netlink.h"
#include "base/assert.h"
#include "export/nbd_wire.h"
#include "host/notify.h"
#include "host/process_guard.h"

#define EXIT_USAGE 2
#define LINK_DIRECTORY "/dev/arraywright"
#define REDIAL_MS 200
#define ARRIVAL_PATIENCE_MS 60000
#define IN_USE_MS 1000
#define DEVICES_MAX 1024u

struct attach {
    const char *address;
    const char *name;
    uint32_t connections;
    struct nbd_device device;
    struct nbd_netlink netlink;
    int signals;
    bool stopping; /* it was told to */
    char identifier[DIAL_IDENTIFIER_BYTES];
    char link[PATH_MAX];
    struct nbd_offer first; /* size_bytes 0: none yet */
};

static void say(const char *format, ...) PRINTF_LIKE(1, 2);
static void say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments); /* the journal; nothing else to tell it to */
    va_end(arguments);
}

/* ---- options ---- */

static int usage(void)
{
    (void)fprintf(
        stderr, "Usage: arraywright-attach [--device /dev/nbdN] [--connections N]\n"
                "           [--timeout SECONDS] [--dead-timeout SECONDS] SOCKET|HOST:PORT NAME\n\n"
                "Attaches the virtual drive NAME as a kernel block device and stays; SIGTERM\n"
                "detaches it as soon as nobody uses it. See arraywright-attach(8).\n");
    return EXIT_USAGE;
}

static bool number_take(const char *text, uint64_t max, uint64_t *ret_number)
{
    char *end = NULL;

    errno = 0;
    *ret_number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *ret_number >= 1 && *ret_number <= max;
}

static bool option_take(struct attach *attach, const char *option, const char *value)
{
    uint64_t number = 0;

    if (strcmp(option, "--device") == 0) {
        return sscanf(value, "/dev/nbd%u", &attach->device.index) == 1 &&
               attach->device.index < DEVICES_MAX;
    }
    if (strcmp(option, "--connections") == 0 && number_take(value, NETLINK_SOCKETS_MAX, &number)) {
        attach->connections = (uint32_t)number;
        return true;
    }
    if (strcmp(option, "--timeout") == 0) {
        return number_take(value, 3600, &attach->device.timeout_s);
    }
    return strcmp(option, "--dead-timeout") == 0 &&
           number_take(value, 365 * 86400, &attach->device.dead_timeout_s);
}

static bool options_take(struct attach *attach, int count, char **arguments)
{
    int i = 1;

    *attach = (struct attach){
        .connections = 1,
        .device = {.index = NETLINK_ANY_INDEX, .timeout_s = 10, .dead_timeout_s = 86400}};
    while (i + 1 < count && strncmp(arguments[i], "--", 2) == 0) {
        if (!option_take(attach, arguments[i], arguments[i + 1])) {
            return false;
        }
        i += 2;
    }
    if (count - i != 2 || strchr(arguments[i + 1], '/') != NULL) {
        return false;
    }
    attach->address = arguments[i];
    attach->name = arguments[i + 1];
    attach->device.identifier = attach->identifier;
    (void)snprintf(attach->link, sizeof attach->link, LINK_DIRECTORY "/%.255s", attach->name);
    return true;
}

/* ---- the device ---- */

/* The kernel refuses to give exclusively what is mounted, swapped to or a part of another device,
 * in whatever container. */
static bool device_is_in_use(const struct attach *attach)
{
    char path[32];
    int fd = -1;

    if (attach->device.index == NETLINK_ANY_INDEX) {
        return false;
    }
    (void)snprintf(path, sizeof path, "/dev/nbd%u", attach->device.index);
    fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
    if (fd < 0) {
        return errno == EBUSY;
    }
    (void)close(fd); /* only looked at */
    return false;
}

/* (3) */
static void stop_take(struct attach *attach)
{
    struct signalfd_siginfo taken;
    ssize_t length = read(attach->signals, &taken, sizeof taken);

    if (length == (ssize_t)sizeof taken) {
        attach->stopping = true;
        if (device_is_in_use(attach)) {
            say("%s: /dev/nbd%u is mounted or in use and stays attached. It is detached as soon as "
                "nobody uses it.\n",
                attach->name, attach->device.index);
        }
    }
}

/* Waits that long, or until it is told to stop: true if it may. */
static bool may_stop(struct attach *attach, int wait_ms)
{
    struct pollfd poll_fd = {.fd = attach->signals, .events = POLLIN};

    if (poll(&poll_fd, 1, wait_ms) > 0) {
        stop_take(attach);
    }
    return attach->stopping && !device_is_in_use(attach);
}

/*
 * udev looks at the device again. Its rule reads the name out of the kernel's identifier, and makes
 * the link known to systemd: a mount of fstab waits for that, not for the link. The kernel's own
 * events come before the identifier is there, and before it is gone.
 */
static void change_tell(uint32_t index)
{
    static const char change[] = "change";
    char path[64];
    int fd;

    (void)snprintf(path, sizeof path, "/sys/block/nbd%u/uevent", index);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, change, sizeof change - 1) < 0) {
        say("udev is not told of /dev/nbd%u: %s\n", index, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* A name below /dev that stays the same, whichever nbdN it is. Only for people and fstab. */
static void link_make(const struct attach *attach)
{
    char target[32];

    (void)snprintf(target, sizeof target, "../nbd%u", attach->device.index);
    (void)mkdir(LINK_DIRECTORY, 0755); /* it may be there */
    (void)unlink(attach->link);
    if (symlink(target, attach->link) != 0) {
        say("%s cannot be made: %s\n", attach->link, strerror(errno));
    }
}

/* What sysfs says of the device, without the end of the line. */
static bool sysfs_read(uint32_t index, const char *what, char *text, size_t bytes)
{
    char path[64];
    ssize_t length;
    int fd;

    (void)snprintf(path, sizeof path, "/sys/block/nbd%u/%s", index, what);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    length = read(fd, text, bytes - 1);
    close(fd);
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return true;
}

/* The kernel keeps the identifier of an attached device, and wants to hear it again. */
static bool device_is_ours(struct attach *attach, uint32_t index)
{
    char identifier[DIAL_IDENTIFIER_BYTES + 1];
    char sectors[32];
    struct nbd_offer *first = &attach->first;

    if (!sysfs_read(index, "backend", identifier, sizeof identifier) ||
        strlen(identifier) >= sizeof attach->identifier ||
        !nbd_identifier_read(identifier, attach->name, first->description)) {
        return false;
    }
    memcpy(attach->identifier, identifier, strlen(identifier) + 1);
    if (first->description[0] != '\0' && sysfs_read(index, "size", sectors, sizeof sectors)) {
        first->size_bytes = strtoull(sectors, NULL, 10) * 512;
        attach->device.size_bytes = first->size_bytes;
    }
    return true;
}

static bool device_find(struct attach *attach)
{
    for (uint32_t i = 0; i < DEVICES_MAX; i++) {
        if (device_is_ours(attach, i)) {
            attach->device.index = i;
            return true;
        }
    }
    return false;
}

static void sockets_close(struct nbd_device *device)
{
    for (uint32_t i = 0; i < device->socket_count; i++) {
        close(device->sockets[i]); /* the kernel has references of its own */
    }
    device->socket_count = 0;
}

/* One more connection. The offer must be that of the others. */
static int socket_dial(struct attach *attach, char text[DIAL_TEXT_BYTES])
{
    struct nbd_device *device = &attach->device;
    struct nbd_offer offer;
    int error = nbd_dial(attach->address, attach->name, &offer, text);

    if (error != 0) {
        return error;
    }
    if (attach->first.size_bytes == 0) {
        attach->first = offer;
        device->size_bytes = offer.size_bytes;
    } else if (!nbd_offer_is_same(&attach->first, &offer)) {
        close(offer.fd);
        (void)snprintf(text, DIAL_TEXT_BYTES,
                       "%s is not the virtual drive that was attached, but another one of its name",
                       attach->name);
        return -ESTALE;
    }
    device->block_bytes = offer.block_bytes;
    device->flags = offer.flags;
    device->sockets[device->socket_count++] = offer.fd;
    return 0;
}

static int device_connect(struct attach *attach, char text[DIAL_TEXT_BYTES])
{
    struct nbd_device *device = &attach->device;
    uint32_t wanted = attach->connections;
    int error = socket_dial(attach, text);

    if (error == 0 && (device->flags & NBD_FLAG_CAN_MULTI_CONN) == 0) {
        wanted = 1;
    }
    while (error == 0 && device->socket_count < wanted) {
        error = socket_dial(attach, text);
    }
    if (error == 0) {
        nbd_identifier_make(attach->name, attach->first.description, attach->identifier);
        error = nbd_netlink_connect(&attach->netlink, device);
        if (error != 0) {
            (void)snprintf(text, DIAL_TEXT_BYTES, "the kernel does not attach it: %s",
                           strerror(-error));
        }
    }
    sockets_close(device);
    return error;
}

/* Until the export is there: at boot arrayd may still be waiting for drives. */
static int device_connect_patiently(struct attach *attach)
{
    char text[DIAL_TEXT_BYTES] = "";
    int error = -EINTR;

    for (int waited_ms = 0; waited_ms < ARRIVAL_PATIENCE_MS; waited_ms += REDIAL_MS) {
        error = device_connect(attach, text);
        if (error != -ENOENT && error != -EBUSY && error != -ECONNREFUSED && error != -ECONNRESET) {
            break;
        }
        if (may_stop(attach, REDIAL_MS)) {
            return -EINTR;
        }
    }
    if (error != 0) {
        say("%s\n", text);
    }
    return error;
}

/*
 * As many new sockets as there are connections: each takes the place of a dead one, and what is
 * too many the kernel drops without a word. False: told to stop, and it may.
 */
static bool device_repair(struct attach *attach)
{
    char text[DIAL_TEXT_BYTES] = "";
    uint32_t replaced = 0;
    bool told = false;

    while (replaced < attach->connections) {
        int error = socket_dial(attach, text);

        if (error == 0) {
            error = nbd_netlink_replace(&attach->netlink, &attach->device);
            if (error != 0) {
                (void)snprintf(text, sizeof text, "the kernel does not take the connection: %s",
                               strerror(-error));
            }
        }
        sockets_close(&attach->device);
        if (error == 0) {
            replaced++;
            continue;
        }
        if (!told) {
            say("%s: requests wait: %s\n", attach->name, text);
            told = true;
        }
        if (may_stop(attach, REDIAL_MS)) {
            return false;
        }
    }
    say("%s: connected again\n", attach->name);
    return true;
}

static void serve(struct attach *attach)
{
    struct pollfd poll_fds[2] = {{.fd = attach->signals, .events = POLLIN},
                                 {.fd = attach->netlink.events, .events = POLLIN}};

    for (;;) {
        if (poll(poll_fds, 2, attach->stopping ? IN_USE_MS : -1) < 0 && errno != EINTR) {
            return;
        }
        if (may_stop(attach, 0)) {
            return;
        }
        if ((poll_fds[1].revents & POLLIN) != 0 &&
            nbd_netlink_link_died(&attach->netlink, attach->device.index) &&
            !device_repair(attach)) {
            return;
        }
    }
}

static int signals_open(void)
{
    sigset_t signals;

    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)sigprocmask(SIG_BLOCK, &signals, NULL); /* it cannot fail with these arguments */
    return signalfd(-1, &signals, SFD_CLOEXEC);
}

/* Until it is told to stop, and may. */
static void attached_run(struct attach *attach)
{
    link_make(attach);
    change_tell(attach->device.index);
    say("%s: /dev/nbd%u, %llu bytes\n", attach->link, attach->device.index,
        (unsigned long long)attach->device.size_bytes);
    notify_ready();
    serve(attach);
}

static int attach_run(struct attach *attach)
{
    struct process_guard guard;
    bool ready = true;
    int error = nbd_netlink_open(&attach->netlink);

    if (error != 0) {
        say("the kernel's nbd driver does not answer: %s. It may have to be loaded: modprobe nbd\n",
            strerror(-error));
        return EXIT_FAILURE;
    }
    process_guard(MEMORY_LOCK_AUTO, -1000, &guard);
    if (guard.locked != 0) {
        say("memory is not locked: %s\n", strerror(-guard.locked));
    }
    if (device_find(attach)) {
        say("/dev/nbd%u is attached already and is taken over\n", attach->device.index);
        ready = device_repair(attach); /* if not, whoever waits for the device is let go */
    } else if (device_connect_patiently(attach) != 0) {
        return EXIT_FAILURE;
    }
    if (ready) {
        attached_run(attach);
    }
    notify_stopping();
    (void)unlink(attach->link);
    error = nbd_netlink_disconnect(&attach->netlink, attach->device.index);
    if (error != 0) {
        say("/dev/nbd%u cannot be detached: %s\n", attach->device.index, strerror(-error));
    }
    change_tell(attach->device.index);
    nbd_netlink_close(&attach->netlink);
    return error == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **arguments)
{
    struct attach attach;

    if (count == 2 && strcmp(arguments[1], "--version") == 0) {
        (void)printf("arraywright-attach %s\n", ARRAYWRIGHT_VERSION);
        return EXIT_SUCCESS;
    }
    if (!options_take(&attach, count, arguments)) {
        return usage();
    }
    attach.signals = signals_open();
    if (attach.signals < 0) {
        say("signals: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    return attach_run(&attach);
}
