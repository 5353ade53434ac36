/*
 * The client's handshake against the real server, and against servers that talk nonsense. They
 * run in a child process, because dialling blocks.
 */
#include "aw_test.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/nbd_dial.h"
#include "base/bytes.h"
#include "export/export_server.h"
#include "export/nbd_wire.h"
#include "ram_target.h"

#define DRIVE_BYTES (1u << 20)

static char path[64];
static char text[DIAL_TEXT_BYTES];

static void run_requests(struct loop_task *task)
{
    (void)ram_target_run(task->owner);
}

static struct loop *serving;
static struct loop_task run_task;

static void submitted(struct ram_target *ram)
{
    (void)ram;
    loop_post(serving, &run_task);
}

static _Noreturn void serve(int ready)
{
    struct export_server *server = NULL;
    struct ram_target ram;
    char why[EXPORT_TEXT_BYTES];
    int error = loop_open(&serving);

    ram_target_init(&ram, "data", DRIVE_BYTES, 4096, true);
    ram.submitted = submitted;
    loop_task_init(&run_task, run_requests, &ram);
    if (error != 0 || export_server_create(serving, NULL, &server) != 0 ||
        export_server_add_target(server, &ram.target) != 0 ||
        export_server_listen_unix(server, path, 0600, (gid_t)-1, why) != 0 ||
        write(ready, "r", 1) != 1) {
        _exit(1);
    }
    _exit(loop_run(serving) == 0 ? 0 : 1);
}

/* Says `bytes` to whoever comes, and no more. */
static _Noreturn void serve_nonsense(int ready, const void *bytes, size_t count)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    int client = -1;
    char heard;

    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1) != 0 ||
        write(ready, "r", 1) != 1) {
        _exit(1);
    }
    client = accept(fd, NULL, NULL);
    if (write(client, bytes, count) != (ssize_t)count || shutdown(client, SHUT_WR) != 0) {
        _exit(1);
    }
    while (read(client, &heard, 1) > 0) {
    }
    _exit(0);
}

static pid_t child_start(const void *nonsense, size_t count)
{
    char byte;
    int ready[2];
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ready[0]);
        if (nonsense != NULL) {
            serve_nonsense(ready[1], nonsense, count);
        }
        serve(ready[1]);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void child_end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)unlink(path);
}

static int setup(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/aw-dial-%d.sock", (int)getpid());
    return 0;
}

static void test_an_export_is_taken(void **state)
{
    pid_t child = child_start(NULL, 0);
    struct nbd_offer offer;
    uint8_t request[28] = {0};
    uint8_t reply[16 + 4096];
    size_t got = 0;

    (void)state;
    assert_int_equal(nbd_dial(path, "data", &offer, text), 0);
    assert_int_equal(offer.size_bytes, DRIVE_BYTES);
    assert_int_equal(offer.block_bytes, 4096);
    assert_string_equal(offer.description, "memory drive data");
    assert_true((offer.flags & NBD_FLAG_SEND_FLUSH) != 0);
    assert_true((offer.flags & NBD_FLAG_CAN_MULTI_CONN) != 0);
    /* The socket is where the kernel expects it: at the first request. */
    put_be32(request, NBD_REQUEST_MAGIC);
    put_be32(request + 24, 4096);
    assert_int_equal(write(offer.fd, request, sizeof request), (ssize_t)sizeof request);
    while (got < sizeof reply) {
        ssize_t part = read(offer.fd, reply + got, sizeof reply - got);
        assert_true(part > 0);
        got += (size_t)part;
    }
    assert_int_equal(get_be32(reply), NBD_SIMPLE_REPLY_MAGIC);
    assert_int_equal(get_be32(reply + 4), 0);
    close(offer.fd);
    assert_int_equal(nbd_dial(path, "nothing", &offer, text), -ENOENT);
    assert_non_null(strstr(text, "no such export"));
    child_end(child);
}

/* As arrayd answers for a virtual drive whose drives are still being found: greeting, then refusal.
 */
static void test_a_refusal_for_now_is_told_apart(void **state)
{
    static const char why[] = "2 of its drives are missing";
    uint8_t answer[18 + 20 + sizeof why - 1] = {0};
    struct nbd_offer offer;
    pid_t child;

    (void)state;
    put_be64(answer, NBD_MAGIC);
    put_be64(answer + 8, NBD_OPTION_MAGIC);
    put_be16(answer + 16, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    put_be64(answer + 18, NBD_OPTION_REPLY_MAGIC);
    put_be32(answer + 26, NBD_OPT_GO);
    put_be32(answer + 30, NBD_REP_ERR_POLICY);
    put_be32(answer + 34, (uint32_t)(sizeof why - 1));
    memcpy(answer + 38, why, sizeof why - 1);
    child = child_start(answer, sizeof answer);
    assert_int_equal(nbd_dial(path, "data", &offer, text), -EBUSY);
    assert_non_null(strstr(text, "2 of its drives are missing"));
    child_end(child);
}

static void test_another_of_its_name(void **state)
{
    const struct nbd_offer first = {.size_bytes = 8192, .description = "RAID5 virtual drive 01"};
    const struct nbd_offer grown = {.size_bytes = 16384, .description = "RAID5 virtual drive 01"};
    const struct nbd_offer other = {.size_bytes = 8192, .description = "RAID5 virtual drive 02"};
    const struct nbd_offer quiet = {.size_bytes = 8192};

    (void)state;
    assert_true(nbd_offer_is_same(&first, &first));
    assert_true(nbd_offer_is_same(&first, &grown));
    assert_false(nbd_offer_is_same(&grown, &first)); /* its users count on more */
    assert_false(nbd_offer_is_same(&first, &other));
    assert_true(nbd_offer_is_same(&first, &quiet));
    assert_true(nbd_offer_is_same(&quiet, &first));
    assert_false(nbd_offer_is_same(&quiet, &grown));
    assert_false(nbd_offer_is_same(&grown, &quiet));
}

/* The program was killed. What it finds attached says which virtual drive that was. */
static void test_what_is_taken_over(void **state)
{
    static const char *const descriptions[] = {"RAID-5 virtual drive 1", "", "two\nlines"};
    char identifier[DIAL_IDENTIFIER_BYTES];
    char found[DIAL_DESCRIPTION_BYTES];
    char name[256];
    char long_one[DIAL_DESCRIPTION_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++) {
        nbd_identifier_make("data", descriptions[i], identifier);
        assert_null(strchr(identifier, '\n'));
        assert_true(nbd_identifier_read(identifier, "data", found));
        assert_string_equal(found, i == 0 ? descriptions[0] : "");
        assert_false(nbd_identifier_read(identifier, "dat", found));
        assert_false(nbd_identifier_read(identifier, "data2", found));
        assert_false(nbd_identifier_read(identifier + 1, "data", found));
    }
    assert_true(nbd_identifier_read("arraywright:data", "data", found)); /* of an older version */
    assert_string_equal(found, "");
    assert_false(nbd_identifier_read("", "data", found));
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    memset(long_one, 'd', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = '\0';
    nbd_identifier_make(name, long_one, identifier);
    assert_true(nbd_identifier_read(identifier, name, found));
    assert_string_equal(found, long_one);
}

static void test_nobody_there(void **state)
{
    struct nbd_offer offer;

    (void)state;
    assert_true(nbd_dial(path, "data", &offer, text) < 0);
    assert_non_null(strstr(text, path));
    assert_int_equal(nbd_dial("127.0.0.1:1", "data", &offer, text), -ECONNREFUSED);
    assert_int_equal(nbd_dial("example.org:10809", "data", &offer, text), -EINVAL);
    assert_int_equal(nbd_dial("127.0.0.1", "data", &offer, text), -EINVAL);
    assert_int_equal(nbd_dial(path, "", &offer, text), -EINVAL);
}

static void expect_refused(const void *nonsense, size_t count)
{
    pid_t child = child_start(nonsense, count);
    struct nbd_offer offer;

    assert_true(nbd_dial(path, "data", &offer, text) < 0);
    child_end(child);
}

static void test_nonsense_is_refused(void **state)
{
    uint8_t bytes[18 + 20 + 16] = {0};

    (void)state;
    expect_refused("HTTP/1.1 400 Bad Request\r\n", 26);
    expect_refused("NBD", 3);
    put_be64(bytes, NBD_MAGIC);
    put_be64(bytes + 8, NBD_OPTION_MAGIC);
    expect_refused(bytes, 18); /* the old style */
    put_be16(bytes + 16, NBD_FLAG_FIXED_NEWSTYLE);
    expect_refused(bytes, sizeof bytes); /* a reply without its magic */
    put_be64(bytes + 18, NBD_OPTION_REPLY_MAGIC);
    put_be32(bytes + 26, NBD_OPT_GO);
    put_be32(bytes + 30, NBD_REP_ACK);
    expect_refused(bytes, 38); /* agreed, but on what size? */
    put_be32(bytes + 34, UINT32_MAX);
    expect_refused(bytes, sizeof bytes); /* a reply longer than anything */
    put_be32(bytes + 30, NBD_REP_INFO);
    put_be32(bytes + 34, 1);
    expect_refused(bytes, sizeof bytes); /* information too short to be any */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_an_export_is_taken, setup),
        cmocka_unit_test_setup(test_a_refusal_for_now_is_told_apart, setup),
        cmocka_unit_test(test_another_of_its_name),
        cmocka_unit_test(test_what_is_taken_over),
        cmocka_unit_test_setup(test_nobody_there, setup),
        cmocka_unit_test_setup(test_nonsense_is_refused, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
