/*
 * The server over real sockets: the socket file's rights and remains, targets that come and
 * go, limits, time-outs, dying clients, and that one bad client harms nobody else.
 */
#include "nbd_talk.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "export/export_server.h"
#include "ram_target.h"

#define DRIVE_BYTES (1u << 20)
#define WAIT_LIMIT_US 20000000u

struct fixture {
    struct loop *loop;
    struct export_server *server;
    struct ram_target ram;
    struct ram_target other;
    struct loop_task run_task;
    bool held; /* requests wait in the drives until it is cleared */
    char directory[PATH_MAX];
    char path[PATH_MAX + 16];
    uint32_t removed_count;
    uint64_t refused; /* clients, as told */
    uint32_t refused_told;
    bool starting; /* more is about to be exported */
    bool closed;
};

#define TURN_UNTIL(fixture, condition)                                                             \
    do {                                                                                           \
        struct clock_port *aw_clock = loop_clock((fixture)->loop);                                 \
        uint64_t aw_end_us = clock_now_us(aw_clock) + WAIT_LIMIT_US;                               \
        while (!(condition)) {                                                                     \
            assert_true(clock_now_us(aw_clock) < aw_end_us);                                       \
            assert_int_equal(loop_turn((fixture)->loop, 20000), 0);                                \
        }                                                                                          \
    } while (0)

static void drives_run(struct loop_task *task)
{
    struct fixture *fixture = task->owner;

    if (!fixture->held) {
        (void)ram_target_run(&fixture->ram);
        (void)ram_target_run(&fixture->other);
    }
}

static void drive_submitted(struct ram_target *ram)
{
    struct fixture *fixture = ram->owner;

    loop_post(fixture->loop, &fixture->run_task);
}

static void release(struct fixture *fixture)
{
    fixture->held = false;
    loop_post(fixture->loop, &fixture->run_task);
}

static void open_server(struct fixture *fixture, const struct export_options *options)
{
    char text[EXPORT_TEXT_BYTES];

    assert_int_equal(export_server_create(fixture->loop, options, &fixture->server), 0);
    assert_int_equal(export_server_add_target(fixture->server, &fixture->ram.target), 0);
    if (export_server_listen_unix(fixture->server, fixture->path, 0660, (gid_t)-1, text) != 0) {
        fail_msg("%s", text);
    }
}

static void closed(void *owner)
{
    ((struct fixture *)owner)->closed = true;
}

static void close_server(struct fixture *fixture)
{
    if (fixture->server == NULL) {
        return;
    }
    release(fixture);
    fixture->closed = false;
    export_server_close(fixture->server, closed, fixture);
    assert_false(fixture->closed);
    TURN_UNTIL(fixture, fixture->closed);
    fixture->server = export_server_free(fixture->server);
}

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    assert_int_equal(loop_open(&fixture->loop), 0);
    loop_task_init(&fixture->run_task, drives_run, fixture);
    ram_target_init(&fixture->ram, "v0", DRIVE_BYTES, 512, true);
    ram_target_init(&fixture->other, "v1", DRIVE_BYTES, 4096, true);
    fixture->ram.submitted = drive_submitted;
    fixture->other.submitted = drive_submitted;
    fixture->ram.owner = fixture;
    fixture->other.owner = fixture;
    (void)snprintf(fixture->directory, sizeof fixture->directory, "/tmp/aw-export-XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/nbd.sock", fixture->directory);
    *state = fixture;
    return 0;
}

static int remove_one(const char *path, const struct stat *status UNUSED, int kind UNUSED,
                      struct FTW *ftw UNUSED)
{
    return remove(path);
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    close_server(fixture);
    loop_unpost(&fixture->run_task);
    fixture->loop = loop_close(fixture->loop);
    ram_target_done(&fixture->ram);
    ram_target_done(&fixture->other);
    assert_int_equal(nftw(fixture->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    free(fixture);
    return 0;
}

static uint64_t drive_bytes = DRIVE_BYTES; /* of v0 */

/* ---- a client that never blocks: the loop runs on the same thread ---- */

static int client_open(const struct fixture *fixture)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    assert_true(fd >= 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%.100s", fixture->path);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void client_say(struct fixture *fixture, int fd, struct talk *talk)
{
    size_t sent = 0;

    while (sent < talk->used) {
        ssize_t part = send(fd, talk->bytes + sent, talk->used - sent, MSG_NOSIGNAL);
        if (part > 0) {
            sent += (size_t)part;
        } else {
            assert_int_equal(errno, EAGAIN);
        }
        assert_int_equal(loop_turn(fixture->loop, 0), 0);
    }
    talk->used = 0;
}

static void client_hear(struct fixture *fixture, int fd, uint8_t *bytes, size_t wanted)
{
    size_t got = 0;

    while (got < wanted) {
        ssize_t part = recv(fd, bytes + got, wanted - got, 0);
        assert_true(part > 0 || (part < 0 && errno == EAGAIN));
        got += part > 0 ? (size_t)part : 0;
        assert_int_equal(loop_turn(fixture->loop, part > 0 ? 0 : 20000), 0);
    }
}

static bool client_is_closed(int fd)
{
    uint8_t bytes[4096];
    ssize_t part;

    do {
        part = recv(fd, bytes, sizeof bytes, 0);
    } while (part > 0);
    return part == 0 || errno == ECONNRESET;
}

static int client_start(struct fixture *fixture, const char *name)
{
    int fd = client_open(fixture);
    struct talk talk = {0};
    uint8_t answer[28];

    talk_flags(&talk, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    talk_option(&talk, NBD_OPT_EXPORT_NAME, name, (uint32_t)strlen(name));
    client_say(fixture, fd, &talk);
    client_hear(fixture, fd, answer, sizeof answer);
    assert_int_equal(get_be64(answer + 18), drive_bytes);
    talk_free(&talk);
    return fd;
}

/* One request and its simple reply's error. */
static uint32_t client_ask(struct fixture *fixture, int fd, uint16_t type, uint64_t offset_bytes,
                           uint32_t length_bytes, uint8_t *data)
{
    struct talk talk = {0};
    uint8_t reply[16];

    talk_request(&talk, type, 0, 77, offset_bytes, length_bytes);
    if (type == NBD_CMD_WRITE) {
        talk_bytes(&talk, data, length_bytes);
    }
    client_say(fixture, fd, &talk);
    client_hear(fixture, fd, reply, sizeof reply);
    assert_int_equal(get_be32(reply), NBD_SIMPLE_REPLY_MAGIC);
    assert_int_equal(get_be64(reply + 8), 77);
    if (type == NBD_CMD_READ && get_be32(reply + 4) == 0) {
        client_hear(fixture, fd, data, length_bytes);
    }
    talk_free(&talk);
    return get_be32(reply + 4);
}

static void test_write_and_read_back(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t wrote[256 * 1024];
    static uint8_t got[256 * 1024];
    int first;
    int second;

    open_server(fixture, NULL);
    first = client_start(fixture, "v0");
    second = client_start(fixture, "v0");
    for (size_t i = 0; i < sizeof wrote; i++) {
        wrote[i] = (uint8_t)(i * 31 >> 3);
    }
    assert_int_equal(client_ask(fixture, first, NBD_CMD_WRITE, 512, sizeof wrote, wrote), 0);
    assert_int_equal(client_ask(fixture, first, NBD_CMD_FLUSH, 0, 0, NULL), 0);
    assert_int_equal(client_ask(fixture, second, NBD_CMD_READ, 512, sizeof got, got), 0);
    assert_memory_equal(wrote, got, sizeof got);
    assert_int_equal(export_server_connections(fixture->server, &fixture->ram.target), 2);
    assert_int_equal(export_server_connections(fixture->server, &fixture->other.target), 0);
    close(first);
    TURN_UNTIL(fixture, export_server_connections(fixture->server, &fixture->ram.target) == 1);
    close(second);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 0);
}

/* Announces a write of 32 MiB and sends nothing of it; all memory is kept by that. */
static int client_hog(struct fixture *fixture)
{
    int fd = client_start(fixture, "v0");
    struct talk talk = {0};

    talk_request(&talk, NBD_CMD_WRITE, 0, 5, 0, 32u << 20);
    client_say(fixture, fd, &talk);
    talk_free(&talk);
    return fd;
}

static void test_who_keeps_memory_others_wait_for_is_closed(void **state)
{
    const struct export_options options = {.memory_bytes = 1, .hog_timeout_ms = 200};
    struct fixture *fixture = *state;
    uint8_t data[4096] = {7};

    ram_target_done(&fixture->ram);
    ram_target_init(&fixture->ram, "v0", 64u << 20, 512, true);
    fixture->ram.submitted = drive_submitted;
    fixture->ram.owner = fixture;
    open_server(fixture, &options);
    drive_bytes = 64u << 20;
    int hog = client_hog(fixture);
    int other = client_start(fixture, "v0");
    for (uint32_t i = 0; i < 30; i++) { /* nobody waits, so nobody is closed */
        assert_int_equal(loop_turn(fixture->loop, 20000), 0);
    }
    assert_false(client_is_closed(hog));
    assert_int_equal(client_ask(fixture, other, NBD_CMD_WRITE, 0, sizeof data, data), 0);
    TURN_UNTIL(fixture, client_is_closed(hog));
    assert_int_equal(client_ask(fixture, other, NBD_CMD_READ, 0, sizeof data, data), 0);
    assert_int_equal(data[0], 7);
    drive_bytes = DRIVE_BYTES;
    close(hog);
    close(other);
}

static void test_socket_file(void **state)
{
    struct fixture *fixture = *state;
    struct export_server *second;
    char text[EXPORT_TEXT_BYTES] = "";
    char path[PATH_MAX + 32];
    struct stat status;
    int fd;

    open_server(fixture, NULL);
    assert_int_equal(stat(fixture->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0660);
    /* A live socket is not taken over. */
    assert_int_equal(export_server_create(fixture->loop, NULL, &second), 0);
    assert_int_equal(export_server_listen_unix(second, fixture->path, 0660, (gid_t)-1, text),
                     -EADDRINUSE);
    assert_non_null(strstr(text, "Another program"));
    /* Nor is a file that is no socket removed. */
    (void)snprintf(path, sizeof path, "%s/file", fixture->directory);
    fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(export_server_listen_unix(second, path, 0660, (gid_t)-1, text), -EEXIST);
    assert_int_equal(access(path, F_OK), 0);
    memset(path, 'x', 200);
    path[200] = '\0';
    assert_int_equal(export_server_listen_unix(second, path, 0660, (gid_t)-1, text), -ENAMETOOLONG);
    second = export_server_free(second);
    close_server(fixture);
    assert_int_equal(access(fixture->path, F_OK), -1);
}

/* A killed server leaves its socket file behind: nobody answers there any more. */
static void test_stale_socket_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof address.sun_path, "%.100s", fixture->path);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    open_server(fixture, NULL);
    fd = client_start(fixture, "v0");
    close(fd);
}

static void test_tcp_on_loopback(void **state)
{
    struct fixture *fixture = *state;
    struct sockaddr_in address = {.sin_family = AF_INET};
    char text[EXPORT_TEXT_BYTES];
    uint8_t greeting[18];
    uint16_t port = 0;
    int fd;

    open_server(fixture, NULL);
    assert_int_equal(export_server_listen_tcp(fixture->server, "example.org", 0, &port, text),
                     -EINVAL);
    assert_int_equal(export_server_listen_tcp(fixture->server, NULL, 0, &port, text), 0);
    assert_true(port != 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ||
                errno == EINPROGRESS);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 1);
    client_hear(fixture, fd, greeting, sizeof greeting);
    assert_memory_equal(greeting, "NBDMAGICIHAVEOPT", 16);
    close(fd);
}

static void test_targets_are_checked(void **state)
{
    struct fixture *fixture = *state;
    struct vd_target target = fixture->other.target;

    open_server(fixture, NULL);
    assert_int_equal(export_server_add_target(fixture->server, &fixture->ram.target), -EEXIST);
    target.block_bytes = 1024;
    assert_int_equal(export_server_add_target(fixture->server, &target), -EINVAL);
    target = fixture->other.target;
    target.preferred_block_bytes = 512;
    assert_int_equal(export_server_add_target(fixture->server, &target), -EINVAL);
    target = fixture->other.target;
    target.size_bytes += 512;
    assert_int_equal(export_server_add_target(fixture->server, &target), -EINVAL);
    target = fixture->other.target;
    target.name[0] = '\0';
    assert_int_equal(export_server_add_target(fixture->server, &target), -EINVAL);
    target = fixture->other.target;
    memset(target.description, 'd', sizeof target.description);
    assert_int_equal(export_server_add_target(fixture->server, &target), -EINVAL);
    assert_int_equal(export_server_add_target(fixture->server, &fixture->other.target), 0);
}

static void removed(void *owner, struct vd_target *target)
{
    struct fixture *fixture = owner;

    assert_int_equal(fixture->ram.queued_count, 0);
    assert_ptr_equal(target, &fixture->ram.target);
    fixture->removed_count++;
}

/* Removing waits for what is in flight, refuses what is new, and leaves others alone. */
static void test_target_removed_under_load(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t data[4096];
    struct talk talk = {0};
    uint8_t reply[16];
    int first;
    int bystander;

    open_server(fixture, NULL);
    assert_int_equal(export_server_add_target(fixture->server, &fixture->other.target), 0);
    first = client_start(fixture, "v0");
    bystander = client_start(fixture, "v1");
    fixture->held = true;
    memset(data, 0x5a, sizeof data);
    talk_request(&talk, NBD_CMD_WRITE, 0, 1, 0, sizeof data);
    talk_bytes(&talk, data, sizeof data);
    client_say(fixture, first, &talk);
    TURN_UNTIL(fixture, fixture->ram.queued_count == 1);
    export_server_remove_target(fixture->server, &fixture->ram.target, removed, fixture);
    talk_request(&talk, NBD_CMD_READ, 0, 2, 0, 4096);
    client_say(fixture, first, &talk);
    client_hear(fixture, first, reply, sizeof reply);
    assert_int_equal(get_be64(reply + 8), 2);
    assert_int_equal(get_be32(reply + 4), NBD_ESHUTDOWN);
    assert_int_equal(fixture->removed_count, 0);
    release(fixture);
    client_hear(fixture, first, reply, sizeof reply);
    assert_int_equal(get_be64(reply + 8), 1);
    assert_int_equal(get_be32(reply + 4), 0);
    TURN_UNTIL(fixture, fixture->removed_count == 1);
    assert_true(client_is_closed(first));
    assert_int_equal(fixture->ram.bytes[100], 0x5a);
    assert_int_equal(client_ask(fixture, bystander, NBD_CMD_WRITE, 0, 4096, data), 0);
    /* The name is free again. */
    assert_int_equal(export_server_add_target(fixture->server, &fixture->ram.target), 0);
    close(first);
    close(bystander);
    talk_free(&talk);
}

static void test_target_without_connections_is_removed_at_once(void **state)
{
    struct fixture *fixture = *state;

    open_server(fixture, NULL);
    export_server_remove_target(fixture->server, &fixture->ram.target, removed, fixture);
    assert_int_equal(fixture->removed_count, 0);
    assert_int_equal(loop_turn(fixture->loop, LOOP_WAIT_FOREVER), 0);
    assert_int_equal(fixture->removed_count, 1);
}

/* The socket is gone while the drive still works on its requests. */
static void test_client_dies_with_requests_in_flight(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t data[65536];
    struct talk talk = {0};
    int fd;

    open_server(fixture, NULL);
    fd = client_start(fixture, "v0");
    fixture->held = true;
    for (uint32_t i = 0; i < 8; i++) {
        memset(data, (int)(i + 1), sizeof data);
        talk_request(&talk, NBD_CMD_WRITE, 0, i, 0, sizeof data);
        talk_bytes(&talk, data, sizeof data);
    }
    talk_request(&talk, NBD_CMD_WRITE, 0, 9, 0, sizeof data);
    talk_bytes(&talk, data, 1000); /* cut off in the middle */
    client_say(fixture, fd, &talk);
    TURN_UNTIL(fixture, fixture->ram.queued_count == 8);
    close(fd);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(loop_turn(fixture->loop, 1000), 0);
    }
    assert_int_equal(export_server_connections(fixture->server, &fixture->ram.target), 1);
    release(fixture);
    TURN_UNTIL(fixture, export_server_connections(fixture->server, &fixture->ram.target) == 0);
    for (size_t i = 0; i < sizeof data; i++) {
        assert_int_equal(fixture->ram.bytes[i], 8);
    }
    talk_free(&talk);
}

static void test_garbage_harms_nobody_else(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t data[4096];
    struct talk talk = {0};
    int good;
    int bad[8];

    open_server(fixture, NULL);
    good = client_start(fixture, "v0");
    for (uint32_t i = 0; i < 8; i++) {
        bad[i] = i < 4 ? client_open(fixture) : client_start(fixture, "v0");
        memset(talk_take(&talk, 5000), (int)(0x40 + i), 5000);
        client_say(fixture, bad[i], &talk);
        TURN_UNTIL(fixture, client_is_closed(bad[i]));
        assert_int_equal(client_ask(fixture, good, NBD_CMD_WRITE, 0, 4096, data), 0);
        close(bad[i]);
    }
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 1);
    close(good);
    talk_free(&talk);
}

static void clients_refused(void *owner, uint64_t count)
{
    struct fixture *fixture = owner;

    fixture->refused += count;
    fixture->refused_told++;
}

/* What a client hears that asks for an export, or for a list. */
static uint32_t client_answer(struct fixture *fixture, int fd, uint32_t option, const char *name,
                              char *text, size_t text_bytes)
{
    struct talk talk = {0};
    uint8_t head[38];
    size_t length = 0;

    talk_flags(&talk, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    if (name != NULL) {
        talk_go(&talk, option, name);
    } else {
        talk_option(&talk, option, NULL, 0);
    }
    client_say(fixture, fd, &talk);
    talk_free(&talk);
    client_hear(fixture, fd, head, sizeof head);
    length = get_be32(head + 34);
    assert_true(length < text_bytes);
    client_hear(fixture, fd, (uint8_t *)text, length);
    text[length] = '\0';
    return get_be32(head + 30);
}

static void test_connection_limit(void **state)
{
    struct fixture *fixture = *state;
    const struct export_options options = {
        .connection_max = 2, .refused = clients_refused, .refused_owner = fixture};
    int more[EXPORT_REFUSALS_MAX + 4];
    char text[256];
    int first;
    int second;
    int third;

    open_server(fixture, &options);
    first = client_start(fixture, "v0");
    second = client_start(fixture, "v0");
    third = client_open(fixture);
    assert_int_equal(client_answer(fixture, third, NBD_OPT_GO, "v0", text, sizeof text),
                     NBD_REP_ERR_POLICY);
    assert_non_null(strstr(text, "too many clients"));
    TURN_UNTIL(fixture, client_is_closed(third));
    close(third);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 2);
    assert_int_equal(fixture->refused, 1);
    /* So many are told, the others just closed; the owner hears of it once in a while only. */
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        more[i] = client_open(fixture);
    }
    TURN_UNTIL(fixture, client_is_closed(more[EXPORT_REFUSALS_MAX + 3]));
    assert_int_equal(export_server_connection_count(fixture->server), 2 + EXPORT_REFUSALS_MAX);
    assert_int_equal(fixture->refused_told, 1);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        close(more[i]);
    }
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 2);
    close(second);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 1);
    second = client_start(fixture, "v0");
    close(first);
    close(second);
}

static bool all_is_exported(void *owner)
{
    return !((struct fixture *)owner)->starting;
}

static enum nbd_absence why_absent(void *owner, const char *name, const char **ret_why UNUSED)
{
    return strcmp(name, "v1") == 0 && ((struct fixture *)owner)->starting ? NBD_ABSENCE_SOON
                                                                          : NBD_ABSENCE_UNKNOWN;
}

static void open_starting(struct fixture *fixture, const struct export_options *options)
{
    fixture->starting = true;
    open_server(fixture, options);
    export_server_outlook_set(fixture->server,
                              &(struct export_prospects){.is_complete = all_is_exported,
                                                         .absence = why_absent,
                                                         .owner = fixture});
}

static void client_asks(struct fixture *fixture, int fd, uint32_t option, const char *name)
{
    struct talk talk = {0};

    talk_flags(&talk, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    if (name != NULL) {
        talk_go(&talk, option, name);
    } else {
        talk_option(&talk, option, NULL, 0);
    }
    client_say(fixture, fd, &talk);
    talk_free(&talk);
}

/* (5) Longer than a handshake may last, and without keeping those who need not wait. */
static void test_clients_wait_for_the_start(void **state)
{
    const struct export_options options = {.handshake_timeout_ms = 200, .hold_timeout_ms = 60000};
    struct fixture *fixture = *state;
    struct clock_port *clock = loop_clock(fixture->loop);
    uint64_t end_us;
    uint8_t greeting[18];
    uint8_t reply[20];
    int lister;
    int gone;
    int early;

    open_starting(fixture, &options);
    early = client_open(fixture);
    lister = client_open(fixture);
    gone = client_open(fixture);
    client_asks(fixture, early, NBD_OPT_GO, "v1");
    client_asks(fixture, lister, NBD_OPT_LIST, NULL);
    client_asks(fixture, gone, NBD_OPT_GO, "v1");
    client_hear(fixture, early, greeting, sizeof greeting);
    client_hear(fixture, lister, greeting, sizeof greeting);
    close(client_start(fixture, "v0")); /* what is there is served */
    close(gone);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 2);
    end_us = clock_now_us(clock) + 400000;
    TURN_UNTIL(fixture, clock_now_us(clock) > end_us);
    assert_int_equal(recv(early, reply, sizeof reply, 0), -1);
    assert_int_equal(recv(lister, reply, sizeof reply, 0), -1);

    assert_int_equal(export_server_add_target(fixture->server, &fixture->other.target), 0);
    client_hear(fixture, early, reply, sizeof reply);
    assert_int_equal(get_be32(reply + 12), NBD_REP_INFO);
    assert_int_equal(recv(lister, reply, sizeof reply, 0), -1);
    fixture->starting = false;
    export_server_outlook_changed(fixture->server);
    client_hear(fixture, lister, reply, sizeof reply);
    assert_int_equal(get_be32(reply + 12), NBD_REP_SERVER);
    close(early);
    close(lister);
}

static void test_a_start_that_takes_too_long(void **state)
{
    const struct export_options options = {.hold_timeout_ms = 50};
    struct fixture *fixture = *state;
    char text[256];
    int fd;

    open_starting(fixture, &options);
    fd = client_open(fixture);
    assert_int_equal(client_answer(fixture, fd, NBD_OPT_GO, "v1", text, sizeof text),
                     NBD_REP_ERR_POLICY);
    assert_non_null(strstr(text, "still being started"));
    close(fd);
    fd = client_open(fixture);
    assert_int_equal(client_answer(fixture, fd, NBD_OPT_GO, "v9", text, sizeof text),
                     NBD_REP_ERR_UNKNOWN);
    close(fd);
}

static void test_silent_client_is_closed(void **state)
{
    const struct export_options options = {.handshake_timeout_ms = 50};
    struct fixture *fixture = *state;
    int silent;
    int working;

    open_server(fixture, &options);
    working = client_start(fixture, "v0");
    silent = client_open(fixture);
    TURN_UNTIL(fixture, client_is_closed(silent));
    /* The time-out is for the handshake only. */
    assert_int_equal(client_ask(fixture, working, NBD_CMD_FLUSH, 0, 0, NULL), 0);
    close(silent);
    close(working);
}

/* It asked, said goodbye, and takes no answer: its memory is not held for ever. */
static void test_client_that_takes_no_replies_is_closed(void **state)
{
    const struct export_options options = {.linger_timeout_ms = 50};
    struct fixture *fixture = *state;
    struct talk talk = {0};
    int fd;

    open_server(fixture, &options);
    fd = client_start(fixture, "v0");
    for (uint32_t i = 0; i < 20; i++) {
        talk_request(&talk, NBD_CMD_READ, 0, i, 0, DRIVE_BYTES);
    }
    talk_request(&talk, NBD_CMD_DISC, 0, 0, 0, 0);
    client_say(fixture, fd, &talk);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 0 ||
                            fixture->ram.op_counts[VD_OP_READ] == 20);
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 0);
    close(fd);
    talk_free(&talk);
}

static size_t unread_bytes(int fd)
{
    int count = 0;

    assert_int_equal(ioctl(fd, FIONREAD, &count), 0);
    return (size_t)count;
}

/* Receiving from a client that reads no replies is put off, again and again, but never for good,
 * and no longer once it has read. */
static void test_client_that_is_behind_is_served(void **state)
{
    enum { REQUESTS = 40, REPLY_BYTES = 16 };
    struct fixture *fixture = *state;
    uint8_t replies[REQUESTS * REPLY_BYTES];
    int fd;

    open_server(fixture, NULL);
    fd = client_start(fixture, "v0");
    for (uint32_t i = 0; i < REQUESTS; i++) {
        struct talk talk = {0};

        talk_request(&talk, NBD_CMD_FLUSH, 0, i, 0, 0);
        client_say(fixture, fd, &talk);
        TURN_UNTIL(fixture, unread_bytes(fd) == (i + 1) * (size_t)REPLY_BYTES);
        talk_free(&talk);
    }
    client_hear(fixture, fd, replies, sizeof replies);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        assert_int_equal(get_be64(replies + i * REPLY_BYTES + 8), i);
    }
    assert_int_equal(client_ask(fixture, fd, NBD_CMD_FLUSH, 0, 0, NULL), 0);
    close(fd);
}

static void test_close_with_connections(void **state)
{
    struct fixture *fixture = *state;
    static uint8_t data[4096];
    struct talk talk = {0};
    int working;
    int greeting;

    open_server(fixture, NULL);
    working = client_start(fixture, "v0");
    greeting = client_open(fixture);
    TURN_UNTIL(fixture, export_server_connection_count(fixture->server) == 2);
    fixture->held = true;
    talk_request(&talk, NBD_CMD_WRITE, 0, 1, 0, sizeof data);
    talk_bytes(&talk, data, sizeof data);
    client_say(fixture, working, &talk);
    TURN_UNTIL(fixture, fixture->ram.queued_count == 1);
    close_server(fixture);
    assert_true(client_is_closed(working));
    assert_true(client_is_closed(greeting));
    close(working);
    close(greeting);
    talk_free(&talk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_write_and_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_keeps_memory_others_wait_for_is_closed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_socket_file, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stale_socket_is_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tcp_on_loopback, setup, teardown),
        cmocka_unit_test_setup_teardown(test_targets_are_checked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_target_removed_under_load, setup, teardown),
        cmocka_unit_test_setup_teardown(test_target_without_connections_is_removed_at_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_client_dies_with_requests_in_flight, setup, teardown),
        cmocka_unit_test_setup_teardown(test_garbage_harms_nobody_else, setup, teardown),
        cmocka_unit_test_setup_teardown(test_connection_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clients_wait_for_the_start, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_start_that_takes_too_long, setup, teardown),
        cmocka_unit_test_setup_teardown(test_silent_client_is_closed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_client_that_takes_no_replies_is_closed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_client_that_is_behind_is_served, setup, teardown),
        cmocka_unit_test_setup_teardown(test_close_with_connections, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("export server", tests, NULL, NULL);
}
