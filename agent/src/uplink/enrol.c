/*
 * The steps of an enrollment: see enrol.h.
 */
#include "uplink/enrol.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "control/json_text.h"
#include "uplink/frame.h"
#include "uplink/http_client.h"
#include "uplink/uplink_identity.h"
#include "uplink/uplink_key.h"

#define ENROL_PATH "/api/v1/agents/enrol"
#define ENROL_STEP_S 15u
#define CLOCK_OFF_MAX_S 60

static void wrong_time_explain(const struct enrol_request *request, const char *cause,
                               char text[ENROL_TEXT_BYTES])
{
    char here[40] = "";
    time_t now = time(NULL);
    struct tm parts;

    if (gmtime_r(&now, &parts) != NULL) {
        (void)strftime(here, sizeof(here), "%Y-%m-%d %H:%M UTC", &parts);
    }
    (void)snprintf(text, ENROL_TEXT_BYTES,
                   "the certificate of %s is not valid now (%s; this host's clock says %s); set "
                   "the clock (timedatectl), or renew the backend's certificate",
                   request->url, cause, here);
}

static void failure_explain(const struct enrol_request *request, enum http_failure failure,
                            const char *cause, char text[ENROL_TEXT_BYTES])
{
    switch (failure) {
    case HTTP_UNRESOLVED:
        (void)snprintf(text, ENROL_TEXT_BYTES,
                       "the backend %s cannot be reached (%s); check the name, and this host's "
                       "DNS: getent hosts NAME",
                       request->url, cause);
        return;
    case HTTP_WRONG_TIME:
        wrong_time_explain(request, cause, text);
        return;
    case HTTP_UNREACHABLE:
        (void)snprintf(text, ENROL_TEXT_BYTES,
                       "the backend %s cannot be reached (%s); check the address, that the "
                       "backend runs, and the firewall between",
                       request->url, cause);
        return;
    case HTTP_UNTRUSTED:
        (void)snprintf(text, ENROL_TEXT_BYTES,
                       "the certificate of %s is not trusted (%s); name the certificate of its "
                       "authority with --ca FILE",
                       request->url, cause);
        return;
    case HTTP_NOT_HTTP:
        (void)snprintf(text, ENROL_TEXT_BYTES,
                       "what answers at %s is not an Arraywright backend (%s); check the address, "
                       "its port, and http or https",
                       request->url, cause);
        return;
    }
    UNREACHABLE();
}

/* What the administrator can do about a refusal. */
static const char *refusal_advice(uint32_t status, const char *code)
{
    static const struct {
        const char *code;
        const char *advice;
    } known[] = {
        {"token_invalid", "check that the token was copied whole and is from this backend"},
        {"token_used", "make a new one in the console (Hosts, Add host)"},
        {"token_expired", "make a new one in the console (Hosts, Add host)"},
        {"token_revoked", "make a new one in the console (Hosts, Add host)"},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].code, code) == 0) {
            return known[i].advice;
        }
    }
    if (status == 404 || status == 405) {
        return "check that the address is that of an Arraywright backend";
    }
    if (status == 429) {
        return "there were too many attempts; wait a minute and try again";
    }
    return status >= 500 ? "look at the backend's log and try again" : "nothing was changed here";
}

void enrol_printable_copy(const char *text, char *out, size_t capacity)
{
    size_t at = 0;

    for (; text[at] != '\0' && at + 1 < capacity; at++) {
        out[at] = text[at] >= ' ' && text[at] < 0x7F ? text[at] : '?';
    }
    out[at] = '\0';
}

static void refusal_explain(const struct enrol_request *request, const struct http_answer *answer,
                            char text[ENROL_TEXT_BYTES])
{
    json_t *problem = json_loadb(answer->body, answer->bytes, 0, NULL);
    const char *code = json_text_at(problem, "code");
    const char *detail = json_text_at(problem, "detail");
    char shown[200] = "no reason given";

    if (detail != NULL) {
        enrol_printable_copy(detail, shown, sizeof(shown));
    }
    (void)snprintf(text, ENROL_TEXT_BYTES, "the backend %s refuses (HTTP %u: %s); %s", request->url,
                   (unsigned)answer->status, shown,
                   refusal_advice(answer->status, code != NULL ? code : ""));
    json_decref(problem);
}

static bool answer_take(const struct http_answer *answer, struct uplink_identity *identity)
{
    char why[FRAME_WHY_BYTES];
    json_t *document = frame_load(answer->body, answer->bytes, why);
    const char *agent_id = json_text_at(document, "agent_id");
    const char *server_id = json_text_at(document, "server_id");
    bool good = document != NULL && frame_bounds_fault(document) == NULL;

    good = good && frame_is_uuid(agent_id) && frame_is_uuid(server_id);
    if (good) {
        memcpy(identity->agent_id, agent_id, sizeof(identity->agent_id));
        memcpy(identity->server_id, server_id, sizeof(identity->server_id));
    }
    json_decref(document);
    return good;
}

static char *request_body(const struct enrol_request *request, const char *public_key,
                          const char *machine_hash, const char *former_id)
{
    json_t *document = json_new_object();
    size_t bytes = 0;

    json_put_text(document, "token", request->token);
    json_put_text(document, "public_key", public_key);
    json_put_text(document, "hostname", request->hostname);
    json_put_text(document, "machine_id_hash", machine_hash);
    json_put_text(document, "agent_version", request->agent_version);
    if (former_id[0] != '\0') {
        json_put_text(document, "former_agent_id", former_id);
    }
    char *body = json_line(document, &bytes);
    json_decref(document);
    return body;
}

/* Spends the token; fills the two ids and how far this host's clock is ahead of the backend's. */
static int token_spend(const struct enrol_request *request, const struct uplink_url *url,
                       const char *body, struct uplink_identity *identity, int64_t *ret_ahead_s,
                       char text[ENROL_TEXT_BYTES])
{
    struct http_answer *answer = malloc(sizeof(*answer));
    enum http_failure failure = HTTP_UNREACHABLE;
    char cause[HTTP_TEXT_BYTES] = "";
    struct http_request post = {.url = url,
                                .path = ENROL_PATH,
                                .ca_file = request->ca_file,
                                .body = body,
                                .timeout_s = ENROL_STEP_S};

    ASSERT(answer != NULL);
    answer->date_s = 0;
    int error = http_post_json(&post, answer, &failure, cause);
    if (error != 0) {
        failure_explain(request, failure, cause, text);
    } else if (answer->status != 200 && answer->status != 201) {
        refusal_explain(request, answer, text);
        error = -EACCES;
    } else if (!answer_take(answer, identity)) {
        failure_explain(request, HTTP_NOT_HTTP, "its answer holds no identity", text);
        error = -EBADMSG;
    }
    *ret_ahead_s = answer->date_s != 0 ? (int64_t)time(NULL) - answer->date_s : 0;
    free(answer);
    return error;
}

static int key_name_make(char name[64])
{
    uint32_t random = 0;

    if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        return -EIO;
    }
    (void)snprintf(name, 64, "key-%08x.pem", random);
    return 0;
}

static int key_store(int directory_fd, struct uplink_identity *identity,
                     char public_key[UPLINK_PUBLIC_TEXT_BYTES])
{
    struct uplink_key *key = NULL;
    int error = key_name_make(identity->key_file);

    if (error == 0) {
        error = uplink_key_make(&key);
    }
    if (error == 0) {
        error = uplink_key_public(key, public_key);
    }
    if (error == 0) {
        error = uplink_key_write(key, directory_fd, identity->key_file);
    }
    key = uplink_key_free(key);
    return error;
}

/* Key and authority of one identity have the same number. */
static void authority_name(const char *key_file, char name[80])
{
    const char *number = strchr(key_file, '-');

    (void)snprintf(name, 80, "authority%s", number != NULL ? number : "-unknown");
}

/* The link runs as another user than the one who enrols, and under a sandbox: it may not be able to
 * read the file that was named. */
static int authority_keep(const struct enrol_request *request, int directory_fd,
                          struct uplink_identity *identity, char text[ENROL_TEXT_BYTES])
{
    char name[80];

    if (request->ca_file[0] == '\0') {
        return 0;
    }
    authority_name(identity->key_file, name);
    int length =
        snprintf(identity->ca_file, sizeof(identity->ca_file), "%s/%s", request->state_dir, name);
    int error = length < (int)sizeof(identity->ca_file)
                    ? uplink_authority_copy(directory_fd, request->ca_file, name)
                    : -ENAMETOOLONG;
    if (error != 0) {
        (void)snprintf(text, ENROL_TEXT_BYTES,
                       "the certificate file %.300s cannot be copied to %.300s: %s",
                       request->ca_file, request->state_dir, strerror(-error));
    }
    return error;
}

/* What belongs to an identity that is not written, or is replaced. */
static void files_forget(int directory_fd, const struct uplink_identity *identity)
{
    char name[80];

    authority_name(identity->key_file, name);
    (void)unlinkat(directory_fd, name, 0); /* left behind, they open nothing */
    (void)unlinkat(directory_fd, identity->key_file, 0);
}

static int enrol_in(const struct enrol_request *request, const struct uplink_url *url,
                    int directory_fd, const char *former_id, struct uplink_identity *identity,
                    int64_t *ret_ahead_s, char text[ENROL_TEXT_BYTES])
{
    char public_key[UPLINK_PUBLIC_TEXT_BYTES];
    char machine_hash[65];
    int error = uplink_machine_hash(directory_fd, request->machine_id_path, machine_hash);

    if (error == 0) {
        error = key_store(directory_fd, identity, public_key);
    }
    if (error != 0) {
        (void)snprintf(text, ENROL_TEXT_BYTES, "the host's key cannot be stored in %.300s: %s",
                       request->state_dir, strerror(-error));
        return error;
    }
    char *body = request_body(request, public_key, machine_hash, former_id);
    error = authority_keep(request, directory_fd, identity, text);
    if (error == 0) {
        error = token_spend(request, url, body, identity, ret_ahead_s, text);
    }
    explicit_bzero(body, strlen(body));
    free(body);
    if (error == 0) {
        error = uplink_identity_write(directory_fd, identity, text);
    }
    if (error != 0) {
        files_forget(directory_fd, identity);
    }
    return error;
}

/* Whether an identity may be written; fills `old` with the one that is replaced. */
static int identity_vacant(const struct enrol_request *request, int directory_fd,
                           struct uplink_identity *old, char text[ENROL_TEXT_BYTES])
{
    char why[UPLINK_TEXT_BYTES] = "";
    int error = uplink_identity_read(directory_fd, old, why);

    if (error == -ENOENT || request->force) {
        return 0;
    }
    if (error != 0) {
        (void)snprintf(text, ENROL_TEXT_BYTES, "%s", why);
        return error;
    }
    (void)snprintf(text, ENROL_TEXT_BYTES,
                   "this host is enrolled already, as %s at %s; nothing was changed. Start its "
                   "link: systemctl enable --now arraywright-uplink. --force enrolls it anew, as "
                   "another host",
                   old->agent_id, old->url);
    return -EEXIST;
}

/* Events carry this host's time: far off, they are sorted where nobody looks for them. */
static void clock_judge(int64_t ahead_s, char text[ENROL_TEXT_BYTES])
{
    size_t used = strlen(text);

    if (ahead_s > CLOCK_OFF_MAX_S || ahead_s < -CLOCK_OFF_MAX_S) {
        (void)snprintf(text + used, ENROL_TEXT_BYTES - used,
                       ". Its clock is %" PRId64 " s %s the backend's: set it (timedatectl)",
                       ahead_s > 0 ? ahead_s : -ahead_s, ahead_s > 0 ? "ahead of" : "behind");
    }
}

static int enrol_locked(const struct enrol_request *request, const struct uplink_url *url,
                        int directory_fd, struct uplink_identity *ret_identity,
                        char text[ENROL_TEXT_BYTES])
{
    struct uplink_identity identity = {.insecure = request->insecure};
    struct uplink_identity old = {.insecure = false};
    int64_t ahead_s = 0;
    int error = identity_vacant(request, directory_fd, &old, text);

    if (error != 0) {
        return error;
    }
    (void)snprintf(identity.url, sizeof(identity.url), "%s", request->url);
    error = enrol_in(request, url, directory_fd, old.agent_id, &identity, &ahead_s, text);
    if (error != 0) {
        return error;
    }
    if (old.key_file[0] != '\0') {
        files_forget(directory_fd, &old);
    }
    (void)snprintf(text, ENROL_TEXT_BYTES, "%s is enrolled as %s at %s", request->hostname,
                   identity.agent_id, request->url);
    clock_judge(ahead_s, text);
    *ret_identity = identity;
    return 0;
}

static int request_check(const struct enrol_request *request, struct uplink_url *ret_url,
                         char text[ENROL_TEXT_BYTES])
{
    char why[160];

    if (uplink_url_parse(request->url, ret_url, why) != 0) {
        (void)snprintf(text, ENROL_TEXT_BYTES, "--url: %s", why);
        return -EINVAL;
    }
    if (!ret_url->tls && !request->insecure && !uplink_url_is_loopback(ret_url)) {
        (void)snprintf(text, ENROL_TEXT_BYTES,
                       "--url: plain http would show the token and everything after it to the "
                       "network; use https, or --insecure if the network is yours alone");
        return -EINVAL;
    }
    if (request->token[0] == '\0' || strlen(request->token) > 512) {
        (void)snprintf(text, ENROL_TEXT_BYTES, "--token: give the token the console showed");
        return -EINVAL;
    }
    if (request->ca_file[0] != '\0' && access(request->ca_file, R_OK) != 0) {
        (void)snprintf(text, ENROL_TEXT_BYTES, "the certificate file %.300s cannot be read: %s",
                       request->ca_file, strerror(errno));
        return -EINVAL;
    }
    return 0;
}

/* The directory's lock is held by the link that runs: the host is enrolled. */
static void busy_explain(const struct enrol_request *request, char text[ENROL_TEXT_BYTES])
{
    (void)snprintf(text, ENROL_TEXT_BYTES,
                   "%.300s is in use by another arraywright-uplink: this host is enrolled already "
                   "and its link runs. To enroll it anew, as another host, stop the link first: "
                   "systemctl stop arraywright-uplink; then enrol with --force",
                   request->state_dir);
}

int enrol_host(const struct enrol_request *request, struct uplink_identity *ret_identity,
               char text[ENROL_TEXT_BYTES])
{
    struct uplink_url url;
    int directory_fd = -1;
    int error = request_check(request, &url, text);

    if (error != 0) {
        return error;
    }
    error = uplink_state_open(request->state_dir, &directory_fd, text);
    if (error == -EBUSY) {
        busy_explain(request, text);
    }
    if (error != 0) {
        return error;
    }
    error = enrol_locked(request, &url, directory_fd, ret_identity, text);
    (void)close(directory_fd); /* gives the lock back */
    return error;
}
