/*
 * Checks of the link to the backend, along its way: see doctor.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/doctor.h"

#define URL_BYTES 320u
#define NAME_BYTES 256u
#define CONNECT_MS 3000
#define CLOCK_MAX_S 30

struct backend {
    char url[URL_BYTES];
    char name[NAME_BYTES];
    char port[8];
    bool tls;
};

/* "https://name[:port]/path", "[::1]" as well. */
static bool url_take(const char *url, struct backend *backend)
{
    backend->tls = strncmp(url, "https://", 8) == 0;
    if (!backend->tls && strncmp(url, "http://", 7) != 0) {
        return false;
    }
    const char *at = url + (backend->tls ? 8 : 7);
    bool bracket = at[0] == '[';
    size_t length = strcspn(at + (bracket ? 1 : 0), bracket ? "]" : ":/");
    if (length == 0 || length >= NAME_BYTES) {
        return false;
    }
    (void)snprintf(backend->url, URL_BYTES, "%s", url);
    (void)snprintf(backend->name, NAME_BYTES, "%.*s", (int)length, at + (bracket ? 1 : 0));
    at += length + (bracket ? 2 : 0);
    size_t digits = at[0] == ':' ? strspn(at + 1, "0123456789") : 0;
    (void)snprintf(backend->port, sizeof(backend->port), "%.*s",
                   digits > 0 && digits < 6 ? (int)digits : 3,
                   digits > 0 && digits < 6 ? at + 1 : (backend->tls ? "443" : "80 "));
    backend->port[strcspn(backend->port, " ")] = '\0';
    return true;
}

/* Where this host is enrolled; false: nowhere, or it cannot be read. */
static bool backend_find(const struct doctor *doctor, struct backend *backend)
{
    char path[DOCTOR_PATH_BYTES + 16];
    json_error_t error;

    (void)snprintf(path, sizeof(path), "%s/identity.json", doctor->uplink_state_dir);
    json_t *identity = json_load_file(path, 0, &error);
    bool found = identity != NULL && url_take(doc_text(identity, "url"), backend);
    json_decref(identity);
    return found;
}

static bool is_enrolled(const struct doctor *doctor, bool *ret_known)
{
    char path[DOCTOR_PATH_BYTES + 16];

    (void)snprintf(path, sizeof(path), "%s/identity.json", doctor->uplink_state_dir);
    bool there = access(path, F_OK) == 0;
    *ret_known = there || errno == ENOENT || errno == ENOTDIR;
    return there;
}

/* A host without a backend is complete; one that was told of a backend wants to reach it. */
void doctor_uplink_not_enrolled(struct doctor *doctor, const struct doctor_check *check)
{
    char url[URL_BYTES];
    bool known = false;
    bool wanted = doctor_setting(doctor->uplink_config, "url", url, sizeof(url)) ||
                  doctor_exists(doctor, "/etc/systemd/system/multi-user.target.wants/"
                                        "arraywright-uplink.service");

    if (wanted && !is_enrolled(doctor, &known) && known) {
        doctor_found(doctor, check, doctor->uplink_config,
                     "The uplink is set up, and this host is not enrolled: %s has no identity.",
                     doctor->uplink_state_dir);
    }
}

void doctor_uplink_not_enabled(struct doctor *doctor, const struct doctor_check *check)
{
    bool known = false;

    if (is_enrolled(doctor, &known) && !doctor_unit_enabled(doctor, "arraywright-uplink")) {
        doctor_found(doctor, check, "",
                     "This host is enrolled, and systemd does not start the "
                     "uplink at boot.");
    }
}

static struct addrinfo *resolved(const struct backend *backend)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;

    return getaddrinfo(backend->name, backend->port, &hints, &list) == 0 ? list : NULL;
}

void doctor_uplink_unresolvable(struct doctor *doctor, const struct doctor_check *check)
{
    struct backend backend;

    if (!backend_find(doctor, &backend)) {
        return;
    }
    struct addrinfo *list = resolved(&backend);
    if (list == NULL) {
        doctor_found(doctor, check, backend.name, "The name of the backend, %s, has no address.",
                     backend.name);
    } else {
        freeaddrinfo(list);
    }
}

/* 0, or errno of the last address that was tried. */
static int dial(const struct addrinfo *list)
{
    int error = ENOENT;

    for (; list != NULL && error != 0; list = list->ai_next) {
        int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        struct pollfd waited = {.fd = fd, .events = POLLOUT};
        socklen_t bytes = sizeof(error);

        if (fd < 0) {
            error = errno;
            continue;
        }
        error = connect(fd, list->ai_addr, list->ai_addrlen) == 0 ? 0 : errno;
        if (error == EINPROGRESS) {
            error = ETIMEDOUT;
            if (poll(&waited, 1, CONNECT_MS) == 1) {
                (void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
            }
        }
        (void)close(fd);
    }
    return error;
}

/* True if a connection to it can be made. */
static bool is_reached(const struct backend *backend, int *ret_error)
{
    struct addrinfo *list = resolved(backend);

    if (list == NULL) {
        *ret_error = 0; /* told already */
        return false;
    }
    *ret_error = dial(list);
    freeaddrinfo(list);
    return *ret_error == 0;
}

void doctor_uplink_unreachable(struct doctor *doctor, const struct doctor_check *check)
{
    struct backend backend;
    int error = 0;

    if (backend_find(doctor, &backend) && !is_reached(&backend, &error) && error != 0) {
        doctor_found(doctor, check, backend.url, "The backend at %s cannot be reached: %s.",
                     backend.url, strerror(error));
    }
}

/* What the backend, or openssl, says to a question; NULL: nothing, or openssl is not installed. */
static char *backend_ask(const struct doctor *doctor, const struct backend *backend)
{
    static const char *const command =
        "request=\"HEAD /api/v1/health HTTP/1.1\\r\\nHost: $1\\r\\nConnection: "
        "close\\r\\n\\r\\n\"\n"
        "[ -n \"$4\" ] || {\n"
        "  exec bash -c 'exec 3<>\"/dev/tcp/$1/$2\" && printf \"$3\" >&3 && timeout 5 cat <&3' \\\n"
        "    bash \"$1\" \"$2\" \"$request\" 2>&1; }\n"
        "command -v openssl >/dev/null || exit 0\n"
        "set -- \"$1\" \"$2\" \"$3\"\n"
        "printf \"$request\" | timeout 8 openssl s_client -ign_eof -connect \"$1:$2\" \\\n"
        "  -servername \"$1\" ${3:+-CAfile \"$3\"} -verify_return_error 2>&1\n";
    char ca_file[DOCTOR_PATH_BYTES] = "";
    struct backend copy = *backend;
    int error = 0;
    int status = 0;

    if (!is_reached(backend, &error) ||
        (!doctor_setting(doctor->uplink_config, "ca_file", ca_file, sizeof(ca_file)) &&
         ca_file[0] != '\0')) {
        return NULL;
    }
    char *words[] = {copy.name, copy.port, ca_file, copy.tls ? (char *)"tls" : (char *)""};
    return doctor_run(command, words, 4, &status);
}

void doctor_uplink_untrusted(struct doctor *doctor, const struct doctor_check *check)
{
    struct backend backend;
    char *said = NULL;

    if (backend_find(doctor, &backend) && backend.tls) {
        said = backend_ask(doctor, &backend);
    }
    char *line = said != NULL ? strstr(said, "verify error:") : NULL;
    if (line != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        const char *last = strrchr(line, ':');

        doctor_found(doctor, check, doctor->uplink_config,
                     "The certificate of %s is not trusted: %s.", backend.url, last + 1);
    }
    free(said);
}

void doctor_clock_off(struct doctor *doctor, const struct doctor_check *check)
{
    struct backend backend;
    struct tm there = {0};
    char *said = backend_find(doctor, &backend) ? backend_ask(doctor, &backend) : NULL;
    const char *line = said != NULL ? strcasestr(said, "\ndate: ") : NULL;

    if (line != NULL && strptime(line + 7, "%a, %d %b %Y %H:%M:%S", &there) != NULL) {
        long long off_s = (long long)time(NULL) - (long long)timegm(&there);

        if (off_s > CLOCK_MAX_S || off_s < -CLOCK_MAX_S) {
            doctor_found(doctor, check, "",
                         "The clock of this host is %lld s %s that of the "
                         "backend.",
                         off_s > 0 ? off_s : -off_s, off_s > 0 ? "ahead of" : "behind");
        }
    }
    free(said);
}
