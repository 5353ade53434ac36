/*
 * The host's key and identity: signatures checked with OpenSSL, files private and whole.
 */
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aw_test.h"
#include "uplink/uplink_identity.h"
#include "uplink/uplink_key.h"

struct fixture {
    char path[64];
    int fd;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    char text[UPLINK_TEXT_BYTES];

    (void)snprintf(fixture->path, sizeof(fixture->path), "/tmp/aw-uplink-identity-XXXXXX");
    assert_non_null(mkdtemp(fixture->path));
    assert_int_equal(uplink_state_open(fixture->path, &fixture->fd, text), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    char command[128];

    close(fixture->fd);
    (void)snprintf(command, sizeof(command), "rm -rf %s", fixture->path);
    assert_int_equal(system(command), 0);
    free(fixture);
    return 0;
}

static void file_put(const struct fixture *fixture, const char *name, const char *text, mode_t mode)
{
    int fd = openat(fixture->fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static size_t decode(const char *text, unsigned char *out)
{
    int bytes = EVP_DecodeBlock(out, (const unsigned char *)text, (int)strlen(text));

    assert_true(bytes > 0);
    for (size_t i = strlen(text); i > 0 && text[i - 1] == '='; i--) {
        bytes--;
    }
    return (size_t)bytes;
}

static bool verify(const char *public_text, const char *message, const char *signature_text)
{
    unsigned char public_der[UPLINK_PUBLIC_TEXT_BYTES];
    unsigned char signature[UPLINK_SIGNATURE_TEXT_BYTES];
    const unsigned char *at = public_der;
    size_t public_bytes = decode(public_text, public_der);
    size_t signature_bytes = decode(signature_text, signature);
    EVP_PKEY *key = d2i_PUBKEY(NULL, &at, (long)public_bytes);
    EVP_MD_CTX *context = EVP_MD_CTX_new();

    assert_non_null(key);
    assert_int_equal(EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key), 1);
    bool good = EVP_DigestVerify(context, signature, signature_bytes,
                                 (const unsigned char *)message, strlen(message)) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return good;
}

static void test_signature_is_verified_by_the_public_key(void **state)
{
    const struct fixture *fixture = *state;
    struct uplink_key *key = NULL;
    struct uplink_key *again = NULL;
    char public_text[UPLINK_PUBLIC_TEXT_BYTES];
    char signature[UPLINK_SIGNATURE_TEXT_BYTES];

    assert_int_equal(uplink_key_make(&key), 0);
    assert_int_equal(uplink_key_public(key, public_text), 0);
    assert_int_equal(uplink_key_write(key, fixture->fd, "key.pem"), 0);
    assert_int_equal(uplink_key_read(fixture->fd, "key.pem", &again), 0);
    for (int i = 0; i < 50; i++) { /* the length of a signature varies */
        char message[64];

        int bytes = snprintf(message, sizeof(message), "arraywright-hello-v1\n%d", i);
        assert_int_equal(uplink_key_sign(again, message, (size_t)bytes, signature), 0);
        assert_true(verify(public_text, message, signature));
        message[0] ^= 1;
        assert_false(verify(public_text, message, signature));
    }
    key = uplink_key_free(key);
    again = uplink_key_free(again);
    assert_null(uplink_key_free(NULL));
}

static void test_two_keys_differ(void **state UNUSED)
{
    struct uplink_key *one = NULL;
    struct uplink_key *two = NULL;
    char first[UPLINK_PUBLIC_TEXT_BYTES];
    char second[UPLINK_PUBLIC_TEXT_BYTES];

    assert_int_equal(uplink_key_make(&one), 0);
    assert_int_equal(uplink_key_make(&two), 0);
    assert_int_equal(uplink_key_public(one, first), 0);
    assert_int_equal(uplink_key_public(two, second), 0);
    assert_string_not_equal(first, second);
    one = uplink_key_free(one);
    two = uplink_key_free(two);
}

static void test_key_file_is_private_and_never_overwritten(void **state)
{
    const struct fixture *fixture = *state;
    struct uplink_key *key = NULL;
    struct stat status;

    assert_int_equal(uplink_key_make(&key), 0);
    assert_int_equal(uplink_key_write(key, fixture->fd, "key.pem"), 0);
    assert_int_equal(fstatat(fixture->fd, "key.pem", &status, 0), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(uplink_key_write(key, fixture->fd, "key.pem"), -EEXIST);
    assert_int_equal(fstatat(fixture->fd, "key.pem", &status, 0), 0);
    key = uplink_key_free(key);
}

static void test_unusable_keys(void **state)
{
    const struct fixture *fixture = *state;
    static const char other_curve[] =
        "-----BEGIN PRIVATE KEY-----\n"
        "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
        "-----END PRIVATE KEY-----\n";
    struct uplink_key *key = NULL;

    assert_int_equal(uplink_key_read(fixture->fd, "none", &key), -ENOENT);
    file_put(fixture, "garbage", "-----BEGIN PRIVATE KEY-----\nAAAA\n", 0600);
    assert_int_equal(uplink_key_read(fixture->fd, "garbage", &key), -EBADMSG);
    file_put(fixture, "ed25519", other_curve, 0600);
    assert_int_equal(uplink_key_read(fixture->fd, "ed25519", &key), -EBADMSG);
    file_put(fixture, "open", other_curve, 0640);
    assert_int_equal(uplink_key_read(fixture->fd, "open", &key), -EPERM);
    assert_int_equal(symlinkat("garbage", fixture->fd, "link"), 0);
    assert_true(uplink_key_read(fixture->fd, "link", &key) < 0);
    assert_null(key);
}

static const struct uplink_identity example = {.agent_id = "3771616d-034c-4367-b3fe-a330b5146352",
                                               .server_id = "13600ddc-b637-44d3-baee-08253e98019c",
                                               .url = "https://backend.example",
                                               .ca_file = "/etc/x.pem",
                                               .key_file = "key-1.pem",
                                               .insecure = true};

static void test_identity_comes_back(void **state)
{
    const struct fixture *fixture = *state;
    struct uplink_identity identity;
    char text[UPLINK_TEXT_BYTES] = "";
    struct stat status;

    assert_int_equal(uplink_identity_read(fixture->fd, &identity, text), -ENOENT);
    assert_non_null(strstr(text, "not enrolled"));
    assert_int_equal(uplink_identity_write(fixture->fd, &example, text), 0);
    assert_int_equal(uplink_identity_read(fixture->fd, &identity, text), 0);
    assert_string_equal(identity.agent_id, example.agent_id);
    assert_string_equal(identity.server_id, example.server_id);
    assert_string_equal(identity.url, example.url);
    assert_string_equal(identity.ca_file, example.ca_file);
    assert_string_equal(identity.key_file, example.key_file);
    assert_true(identity.insecure);
    assert_int_equal(fstatat(fixture->fd, "identity.json", &status, 0), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(faccessat(fixture->fd, "identity.json.new", F_OK, 0), -1);
}

static void test_damaged_identities(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const cases[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"agent_id\":\"x\",\"server_id\":\"13600ddc-b637-44d3-baee-08253e98019c\","
        "\"url\":\"\",\"ca_file\":\"\",\"key_file\":\"k\",\"insecure\":false}",
        "{\"agent_id\":\"3771616d-034c-4367-b3fe-a330b5146352\","
        "\"server_id\":\"13600ddc-b637-44d3-baee-08253e98019c\","
        "\"url\":\"\",\"ca_file\":\"\",\"key_file\":\"../k\",\"insecure\":false}",
        "{\"agent_id\":\"3771616d-034c-4367-b3fe-a330b5146352\","
        "\"server_id\":\"13600ddc-b637-44d3-baee-08253e98019c\","
        "\"url\":\"\",\"ca_file\":\"\",\"key_file\":\"k\",\"insecure\":1}",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uplink_identity identity = {.insecure = false};
        char text[UPLINK_TEXT_BYTES] = "";

        file_put(fixture, "identity.json", cases[i], 0600);
        assert_int_equal(uplink_identity_read(fixture->fd, &identity, text), -EBADMSG);
        assert_non_null(strstr(text, "damaged"));
        assert_string_equal(identity.agent_id, "");
    }
}

static void test_fence_belongs_to_one_identity(void **state)
{
    const struct fixture *fixture = *state;
    char fence[UPLINK_FENCE_BYTES];

    uplink_fence_read(fixture->fd, "a", fence);
    assert_string_equal(fence, "");
    assert_int_equal(uplink_fence_write(fixture->fd, "a", "1-first"), 0);
    assert_int_equal(uplink_fence_write(fixture->fd, "a", "2-second"), 0);
    uplink_fence_read(fixture->fd, "a", fence);
    assert_string_equal(fence, "2-second");
    uplink_fence_read(fixture->fd, "b", fence); /* enrolled anew */
    assert_string_equal(fence, "");
    /* What is damaged is none: the backend takes everything anew. */
    const char *const damaged[] = {"", "{", "[]", "{\"agent_id\":\"a\"}",
                                   "{\"agent_id\":\"a\",\"fence\":7}"};
    for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        file_put(fixture, "fence.json", damaged[i], 0600);
        uplink_fence_read(fixture->fd, "a", fence);
        assert_string_equal(fence, "");
    }
}

static void test_directory_is_private_and_locked(void **state)
{
    const struct fixture *fixture = *state;
    char text[UPLINK_TEXT_BYTES] = "";
    char path[128];
    struct stat status;
    int fd = -1;

    assert_int_equal(fstat(fixture->fd, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(uplink_state_open(fixture->path, &fd, text), -EBUSY);
    assert_non_null(strstr(text, "in use by another"));
    (void)snprintf(path, sizeof(path), "%s/fresh", fixture->path);
    assert_int_equal(uplink_state_open(path, &fd, text), 0);
    assert_int_equal(fchmod(fd, 0755), 0);
    close(fd);
    assert_int_equal(uplink_state_open(path, &fd, text), 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    close(fd);
    (void)snprintf(path, sizeof(path), "%s/none/fresh", fixture->path);
    assert_int_equal(uplink_state_open(path, &fd, text), -ENOENT);
}

static void test_machine_hash(void **state)
{
    const struct fixture *fixture = *state;
    char path[128];
    char hash[65];
    char again[65];

    (void)snprintf(path, sizeof(path), "%s/id", fixture->path);
    file_put(fixture, "id", "b08dfa6083e7567a1921a715000001fb\n", 0644);
    assert_int_equal(uplink_machine_hash(fixture->fd, path, hash), 0);
    /* printf 'arraywright-machine-v1\nb08dfa6083e7567a1921a715000001fb' | sha256sum */
    assert_string_equal(hash, "163d06ba83022af9a5afbac03ef88a4a65f0fa9deec0a0932613e88ae4983512");
    assert_int_equal(faccessat(fixture->fd, "machine-id", F_OK, 0), -1);
    file_put(fixture, "id", "uninitialized\n", 0644);
    assert_int_equal(uplink_machine_hash(fixture->fd, path, hash), 0);
    assert_int_equal(unlinkat(fixture->fd, "id", 0), 0);
    assert_int_equal(uplink_machine_hash(fixture->fd, path, again), 0);
    assert_string_equal(hash, again); /* made once and kept */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_signature_is_verified_by_the_public_key, setup,
                                        teardown),
        cmocka_unit_test(test_two_keys_differ),
        cmocka_unit_test_setup_teardown(test_key_file_is_private_and_never_overwritten, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_unusable_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_identity_comes_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_identities, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fence_belongs_to_one_identity, setup, teardown),
        cmocka_unit_test_setup_teardown(test_directory_is_private_and_locked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machine_hash, setup, teardown),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
