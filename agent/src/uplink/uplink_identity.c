/*
 * The state directory: see uplink_identity.h.
 *
 * Order within a write, and the crash each step defends against:
 *   write x.new, fsync x.new   a rename must never publish a name whose bytes are not there
 *   rename x.new to x          the only step that changes what a reader finds; atomic
 *   fsync directory            without it the old name may come back after power loss
 */
#include "uplink/uplink_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/sha256.h"
#include "control/json_text.h"

#define IDENTITY_FILE "identity.json"
#define FENCE_FILE "fence.json"
#define MACHINE_FILE "machine-id"
#define MACHINE_SALT "arraywright-machine-v1\n"
#define FILE_MAX_BYTES 16384u
#define AUTHORITY_MAX_BYTES 1048576u
#define UPLINK_USER "arraywright-uplink"

static int directory_lock(const char *path, int fd, char text[UPLINK_TEXT_BYTES])
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        (void)snprintf(text, UPLINK_TEXT_BYTES, "%s: %s", path, strerror(errno));
        return -EIO;
    }
    if ((status.st_mode & 077) != 0 && fchmod(fd, 0700) != 0) {
        (void)snprintf(text, UPLINK_TEXT_BYTES,
                       "%s is open to others and cannot be made private: %s", path,
                       strerror(errno));
        return -EPERM;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)snprintf(text, UPLINK_TEXT_BYTES,
                       "%s is in use by another arraywright-uplink; stop it first", path);
        return -EBUSY;
    }
    return 0;
}

/* root enrolls for the unit's user, where the package has made one. */
static int directory_give(const char *path)
{
    const struct passwd *user = geteuid() == 0 ? getpwnam(UPLINK_USER) : NULL;

    return user == NULL || chown(path, user->pw_uid, user->pw_gid) == 0 ? 0 : -errno;
}

int uplink_state_open(const char *path, int *ret_directory_fd, char text[UPLINK_TEXT_BYTES])
{
    int error = 0;

    if (mkdir(path, 0700) == 0) {
        error = directory_give(path);
    } else if (errno != EEXIST) {
        error = -errno;
    }
    if (error != 0) {
        (void)snprintf(text, UPLINK_TEXT_BYTES, "the state directory %.300s cannot be made: %s",
                       path, strerror(-error));
        return error;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        error = -errno;
        (void)snprintf(text, UPLINK_TEXT_BYTES, "the state directory %.300s cannot be opened: %s",
                       path, strerror(-error));
        return error;
    }
    error = directory_lock(path, fd, text);
    if (error != 0) {
        (void)close(fd);
        return error;
    }
    *ret_directory_fd = fd;
    return 0;
}

/* Up to max_bytes of a small file, with an end mark; free() it. */
static int file_read(int directory_fd, const char *name, size_t max_bytes, char **ret_text,
                     size_t *ret_bytes)
{
    int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC);
    size_t bytes = 0;
    ssize_t got = 1;

    if (fd < 0) {
        return -errno;
    }
    char *text = malloc(max_bytes + 1);
    ASSERT(text != NULL);
    while (got > 0 && bytes < max_bytes) {
        got = read(fd, text + bytes, max_bytes - bytes);
        bytes += got > 0 ? (size_t)got : 0;
    }
    int error = got < 0 ? -errno : 0;
    (void)close(fd); /* only read */
    if (error != 0) {
        free(text);
        return error;
    }
    text[bytes] = '\0';
    *ret_text = text;
    *ret_bytes = bytes;
    return 0;
}

static int file_fill(int fd, int directory_fd, const char *text, size_t bytes)
{
    struct stat directory;

    if (fstat(directory_fd, &directory) != 0) {
        return -errno;
    }
    /* root may enroll for the unprivileged user the directory belongs to. */
    if (directory.st_uid != geteuid() && fchown(fd, directory.st_uid, directory.st_gid) != 0) {
        return -errno;
    }
    while (bytes > 0) {
        ssize_t put = write(fd, text, bytes);

        if (put <= 0) {
            return put < 0 ? -errno : -EIO;
        }
        text += put;
        bytes -= (size_t)put;
    }
    return fsync(fd) == 0 ? 0 : -errno;
}

static int file_replace(int directory_fd, const char *name, const char *text, size_t bytes)
{
    char fresh[80];
    int error = 0;

    (void)snprintf(fresh, sizeof(fresh), "%s.new", name);
    int fd = openat(directory_fd, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return -errno;
    }
    error = file_fill(fd, directory_fd, text, bytes);
    if (close(fd) != 0 && error == 0) {
        error = -errno;
    }
    if (error == 0 && renameat(directory_fd, fresh, directory_fd, name) != 0) {
        error = -errno;
    }
    if (error != 0) {
        (void)unlinkat(directory_fd, fresh, 0); /* best effort: the error is told anyway */
        return error;
    }
    return fsync(directory_fd) == 0 ? 0 : -errno;
}

/* Copies a text of the document; false if it is missing or too long. */
static bool text_take(const json_t *document, const char *name, char *out, size_t capacity)
{
    const char *text = json_text_at(document, name);

    if (text == NULL || strlen(text) >= capacity) {
        return false;
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool identity_parse(const json_t *document, struct uplink_identity *identity)
{
    struct uuid uuid;

    return text_take(document, "agent_id", identity->agent_id, sizeof(identity->agent_id)) &&
           uuid_parse(identity->agent_id, &uuid) == 0 &&
           text_take(document, "server_id", identity->server_id, sizeof(identity->server_id)) &&
           uuid_parse(identity->server_id, &uuid) == 0 &&
           text_take(document, "url", identity->url, sizeof(identity->url)) &&
           text_take(document, "ca_file", identity->ca_file, sizeof(identity->ca_file)) &&
           text_take(document, "key_file", identity->key_file, sizeof(identity->key_file)) &&
           identity->key_file[0] != '\0' && strchr(identity->key_file, '/') == NULL &&
           json_is_boolean(json_object_get(document, "insecure"));
}

int uplink_identity_read(int directory_fd, struct uplink_identity *ret_identity,
                         char text[UPLINK_TEXT_BYTES])
{
    struct uplink_identity identity = {.insecure = false};
    char *content = NULL;
    size_t bytes = 0;
    int error = file_read(directory_fd, IDENTITY_FILE, FILE_MAX_BYTES, &content, &bytes);

    if (error == -ENOENT) {
        (void)snprintf(text, UPLINK_TEXT_BYTES,
                       "this host is not enrolled; make a token in the console (Hosts, Add host) "
                       "and run: arraywright-uplink --config FILE enrol --url URL --token TOKEN");
        return error;
    }
    if (error != 0) {
        (void)snprintf(text, UPLINK_TEXT_BYTES, "%s cannot be read: %s", IDENTITY_FILE,
                       strerror(-error));
        return error;
    }
    json_t *document = json_loadb(content, bytes, JSON_REJECT_DUPLICATES, NULL);
    free(content);
    bool good = document != NULL && identity_parse(document, &identity);
    identity.insecure = json_is_true(json_object_get(document, "insecure"));
    json_decref(document);
    if (!good) {
        (void)snprintf(text, UPLINK_TEXT_BYTES,
                       "%s is damaged; restore it from a backup, or enroll again with --force",
                       IDENTITY_FILE);
        return -EBADMSG;
    }
    *ret_identity = identity;
    return 0;
}

int uplink_identity_write(int directory_fd, const struct uplink_identity *identity,
                          char text[UPLINK_TEXT_BYTES])
{
    json_t *document = json_new_object();

    ASSERT(identity->agent_id[0] != '\0');
    ASSERT(identity->key_file[0] != '\0');
    json_put_text(document, "agent_id", identity->agent_id);
    json_put_text(document, "server_id", identity->server_id);
    json_put_text(document, "url", identity->url);
    json_put_text(document, "ca_file", identity->ca_file);
    json_put_text(document, "key_file", identity->key_file);
    json_put_bool(document, "insecure", identity->insecure);
    char *content = json_dumps(document, JSON_INDENT(2));
    json_decref(document);
    ASSERT(content != NULL);
    int error = file_replace(directory_fd, IDENTITY_FILE, content, strlen(content));
    free(content);
    if (error != 0) {
        (void)snprintf(text, UPLINK_TEXT_BYTES, "%s cannot be written: %s", IDENTITY_FILE,
                       strerror(-error));
    }
    return error;
}

int uplink_authority_copy(int directory_fd, const char *ca_file, const char *name)
{
    char *content = NULL;
    size_t bytes = 0;
    int error = file_read(AT_FDCWD, ca_file, AUTHORITY_MAX_BYTES, &content, &bytes);

    if (error != 0) {
        return error;
    }
    error = bytes < AUTHORITY_MAX_BYTES ? file_replace(directory_fd, name, content, bytes) : -EFBIG;
    free(content);
    return error;
}

void uplink_fence_read(int directory_fd, const char *agent_id, char ret_fence[UPLINK_FENCE_BYTES])
{
    char *content = NULL;
    size_t bytes = 0;

    ret_fence[0] = '\0';
    if (file_read(directory_fd, FENCE_FILE, FILE_MAX_BYTES, &content, &bytes) != 0) {
        return; /* the backend takes everything anew */
    }
    json_t *document = json_loadb(content, bytes, JSON_REJECT_DUPLICATES, NULL);
    const char *owner = json_text_at(document, "agent_id");
    free(content);
    if (owner == NULL || strcmp(owner, agent_id) != 0 ||
        !text_take(document, "fence", ret_fence, UPLINK_FENCE_BYTES)) {
        ret_fence[0] = '\0'; /* of an identity before this one */
    }
    json_decref(document);
}

int uplink_fence_write(int directory_fd, const char *agent_id, const char *fence)
{
    json_t *document = json_new_object();
    size_t bytes = 0;

    ASSERT(agent_id[0] != '\0');
    ASSERT(strlen(fence) < UPLINK_FENCE_BYTES);
    json_put_text(document, "agent_id", agent_id);
    json_put_text(document, "fence", fence);
    char *content = json_line(document, &bytes);
    json_decref(document);
    int error = file_replace(directory_fd, FENCE_FILE, content, bytes);
    free(content);
    return error;
}

/* Without blanks and line end; systemd writes "uninitialized" into images. */
static bool machine_id_usable(char *id)
{
    id[strcspn(id, " \t\r\n")] = '\0';
    return strlen(id) >= 16 && strcmp(id, "uninitialized") != 0;
}

static int machine_id_make(int directory_fd, char **ret_id)
{
    uint8_t random[16];
    char id[33];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return -EIO;
    }
    for (size_t i = 0; i < sizeof(random); i++) {
        (void)snprintf(id + 2 * i, 3, "%02x", random[i]);
    }
    int error = file_replace(directory_fd, MACHINE_FILE, id, 32);
    if (error != 0) {
        return error;
    }
    *ret_id = strdup(id);
    return *ret_id != NULL ? 0 : -ENOMEM;
}

static int machine_id_read(int directory_fd, const char *machine_id_path, char **ret_id)
{
    size_t bytes = 0;
    char *id = NULL;

    if (file_read(AT_FDCWD, machine_id_path, FILE_MAX_BYTES, &id, &bytes) == 0 &&
        machine_id_usable(id)) {
        *ret_id = id;
        return 0;
    }
    free(id);
    id = NULL;
    if (file_read(directory_fd, MACHINE_FILE, FILE_MAX_BYTES, &id, &bytes) == 0 &&
        machine_id_usable(id)) {
        *ret_id = id;
        return 0;
    }
    free(id);
    return machine_id_make(directory_fd, ret_id);
}

int uplink_machine_hash(int directory_fd, const char *machine_id_path, char ret_hash[65])
{
    struct sha256 sha;
    char *id = NULL;
    int error = machine_id_read(directory_fd, machine_id_path, &id);

    if (error != 0) {
        return error;
    }
    sha256_init(&sha);
    sha256_add(&sha, MACHINE_SALT, strlen(MACHINE_SALT));
    sha256_add(&sha, id, strlen(id));
    sha256_hex(&sha, ret_hash);
    free(id);
    return 0;
}
