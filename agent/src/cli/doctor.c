/*
 * The table of checks and what is said of them: see doctor.h.
 */
#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/smart_program.h"

#define CONFIG_DEFAULT "/etc/arraywright/arrayd.conf"
#define UPLINK_CONFIG_DEFAULT "/etc/arraywright/uplink.conf"
#define FREE_MIN_MIB_DEFAULT 64u
#define COMMAND_TIMEOUT_MS 15000u
#define COMMAND_WORDS_MAX 4u
#define LOG_OF(unit) "journalctl -u " unit " -n 30 --no-pager"

/* In the order in which a person would look: a fault comes before those that follow from it. */
const struct doctor_check doctor_checks[] = {
    {"config_invalid", doctor_config_invalid, "arrayd does not start.", "sudoedit %s"},
    {"kernel_old", doctor_kernel_old, "arrayd may not start: it needs io_uring of Linux 5.10.",
     "sudo apt install linux-image-amd64"},
    {"io_uring_disabled", doctor_io_uring_disabled, "arrayd cannot read or write drives.",
     "sudo sysctl -w kernel.io_uring_disabled=0"},
    {"disk_full", doctor_disk_full,
     "When the disk is full, arrayd refuses changes, and events may be lost.",
     "sudo du -xh --max-depth=1 %s | sort -h | tail"},
    {"control_denied", doctor_control_denied, "You cannot see or change anything with arrayctl.",
     "sudo usermod -aG arraywright $USER && newgrp arraywright"},
    {"arrayd_not_running", doctor_not_running,
     "No virtual drive can be read or written on this host.",
     "sudo systemctl restart arrayd; " LOG_OF("arrayd")},
    {"arrayd_not_enabled", doctor_not_enabled, "After a reboot the virtual drives are not there.",
     "sudo systemctl enable arrayd"},
    {"memory_limit", doctor_memory_limit,
     "A host that is short of memory can stall arrayd, and with it all virtual drives.",
     "printf '[Service]\\nLimitMEMLOCK=infinity\\n' | sudo systemctl edit --stdin arrayd && "
     "sudo systemctl restart arrayd"},
    {"no_drives", doctor_no_drives, "There is nothing to build virtual drives on.",
     "lsblk -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINTS,SERIAL"},
    {"journal_missing", doctor_journal_missing,
     "Writes are not cached. What the medium held may be lost to its virtual drives.",
     "arrayctl /c0 show all; grep -A4 cache /etc/arraywright/arrayd.conf"},
    {"ups_silent", doctor_ups_silent, "Write-back is off until the UPS answers.",
     "upsc -l; sudo systemctl status nut-server"},
    {"nbd_module_missing", doctor_nbd_missing,
     "arraywright-attach cannot make block devices of virtual drives.",
     "sudo apt install linux-image-amd64 && sudo modprobe nbd"},
    {"uplink_not_enrolled", doctor_uplink_not_enrolled, "The backend does not know this host.",
     "sudo arraywright-uplink --config %s enrol --url URL --token TOKEN"},
    {"uplink_not_enabled", doctor_uplink_not_enabled,
     "The backend does not hear from this host, at the latest after a reboot.",
     "sudo systemctl enable --now arraywright-uplink"},
    {"uplink_unresolvable", doctor_uplink_unresolvable,
     "The backend does not hear from this host. Events are kept meanwhile.", "getent hosts %s"},
    {"uplink_unreachable", doctor_uplink_unreachable,
     "The backend does not hear from this host. Events are kept meanwhile.",
     "curl -sv %s/api/v1/health"},
    {"uplink_untrusted", doctor_uplink_untrusted,
     "The uplink refuses the backend: it could be another server.",
     "grep ca_file %s; journalctl -u arraywright-uplink -n 30 --no-pager"},
    {"clock_off", doctor_clock_off,
     "Certificates may not be accepted, and events show wrong times.",
     "sudo timedatectl set-ntp true"},
    {"link_refused", doctor_link_refused, "The backend does not accept this host.",
     LOG_OF("arraywright-uplink")},
    {"agent_finding", doctor_agent_findings, "", "arrayctl status"},
};
const uint32_t doctor_check_count = sizeof(doctor_checks) / sizeof(doctor_checks[0]);

static void finding_add(struct doctor *doctor, const char *code, const char *found,
                        const char *consequence, const char *next)
{
    json_t *finding = json_pack("{s:s, s:s, s:s, s:s}", "code", code, "found", found, "consequence",
                                consequence, "next_step", next);

    if (finding != NULL) {
        (void)json_array_append_new(doctor->findings, finding);
    }
}

void doctor_found(struct doctor *doctor, const struct doctor_check *check, const char *name,
                  const char *format, ...)
{
    char found[DOCTOR_TEXT_BYTES];
    char next[DOCTOR_TEXT_BYTES * 2];
    const char *place = strstr(check->next, "%s");
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(found, sizeof(found), format, arguments);
    va_end(arguments);
    if (place != NULL) {
        (void)snprintf(next, sizeof(next), "%.*s%s%s", (int)(place - check->next), check->next,
                       name, place + 2);
    } else {
        (void)snprintf(next, sizeof(next), "%s", check->next);
    }
    finding_add(doctor, check->code, found, check->consequence, next);
}

static void path_below(const struct doctor *doctor, const char *path, char out[DOCTOR_PATH_BYTES])
{
    (void)snprintf(out, DOCTOR_PATH_BYTES, "%s%s", doctor->root, path);
}

bool doctor_read(const struct doctor *doctor, const char *path, char *out, size_t bytes)
{
    char whole[DOCTOR_PATH_BYTES];

    ASSERT(bytes > 0);
    path_below(doctor, path, whole);
    FILE *file = fopen(whole, "re");
    if (file == NULL) {
        return false;
    }
    size_t got = fread(out, 1, bytes - 1, file);
    out[got] = '\0';
    (void)fclose(file);
    return true;
}

bool doctor_exists(const struct doctor *doctor, const char *path)
{
    char whole[DOCTOR_PATH_BYTES];

    path_below(doctor, path, whole);
    return access(whole, F_OK) == 0;
}

bool doctor_setting(const char *path, const char *key, char *out, size_t bytes)
{
    char line[1024];
    bool found = false;
    FILE *file = fopen(path, "re");

    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        const char *at = line + strspn(line, " \t");
        size_t length = strlen(key);

        if (strncmp(at, key, length) != 0) {
            continue;
        }
        at += length;
        at += strspn(at, " \t=:");
        const char *end = at[0] == '"' ? strchr(at + 1, '"') : NULL;
        if (end != NULL && (size_t)(end - at) <= bytes) {
            (void)snprintf(out, bytes, "%.*s", (int)(end - at - 1), at + 1);
            found = true;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

char *doctor_run(const char *command, char *const *words, uint32_t count, int *ret_status)
{
    char *arguments[COMMAND_WORDS_MAX + 5] = {(char *)"sh", (char *)"-c", (char *)command,
                                              (char *)"sh"};
    struct smart_run run = {0};

    ASSERT(count <= COMMAND_WORDS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        arguments[4 + i] = words[i];
    }
    smart_program_run("/bin/sh", arguments, COMMAND_TIMEOUT_MS, &run);
    *ret_status = run.end == SMART_END_EXITED ? run.status : -1;
    char *text = run.output != NULL ? strndup(run.output, run.bytes) : NULL;
    free(run.output);
    return text;
}

bool doctor_unit_enabled(const struct doctor *doctor, const char *unit)
{
    char path[DOCTOR_PATH_BYTES];

    if (!doctor_exists(doctor, "/run/systemd/system")) {
        return true;
    }
    (void)snprintf(path, sizeof(path), "/lib/systemd/system/%s.service", unit);
    if (!doctor_exists(doctor, path)) {
        return true;
    }
    (void)snprintf(path, sizeof(path), "/etc/systemd/system/multi-user.target.wants/%s.service",
                   unit);
    return doctor_exists(doctor, path);
}

/* Whom arrayd is asked by has its number. */
static void arrayd_identify(struct doctor *doctor)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct ucred peer = {0};
    socklen_t bytes = sizeof(peer);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", doctor->socket);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        doctor->connect_error = errno;
    } else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0) {
        doctor->arrayd = peer.pid;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
}

static json_t *asked(struct client *client, const char *method, json_t *params)
{
    struct client_answer answer = {0};
    char text[CLIENT_TEXT_BYTES];

    if (!client_ask(client, method, params, &answer, text)) {
        return NULL;
    }
    json_decref(answer.reason);
    return answer.result;
}

static void arrayd_ask(struct doctor *doctor)
{
    struct client *client = NULL;
    char text[CLIENT_TEXT_BYTES];

    arrayd_identify(doctor);
    if (doctor->connect_error != 0 || !client_open(doctor->socket, &client, text)) {
        return;
    }
    doctor->hello = asked(client, "hello", json_object());
    doctor->state = asked(client, "state.get", json_pack("{s:i}", "since_rev", 0));
    client_close(client);
}

static const char *option_or(const struct cli_context *context, const char *name,
                             const char *fallback)
{
    const char *value = option_value(context, name);

    return value != NULL ? value : fallback;
}

void doctor_take(const struct cli_context *context, struct doctor *doctor)
{
    uint64_t free_mib = FREE_MIN_MIB_DEFAULT;

    memset(doctor, 0, sizeof(*doctor));
    doctor->root = option_or(context, "root", "");
    doctor->config = option_or(context, "config", CONFIG_DEFAULT);
    doctor->uplink_config = option_or(context, "uplink", UPLINK_CONFIG_DEFAULT);
    doctor->program = option_or(context, "program", "arrayd");
    doctor->socket = context->sockets[0];
    (void)option_number(context, "minfree", &free_mib);
    doctor->free_min_bytes = free_mib * 1024 * 1024;
    if (!doctor_setting(doctor->config, "state_dir", doctor->state_dir, DOCTOR_PATH_BYTES)) {
        doctor->state_dir[0] = '\0';
    }
    if (!doctor_setting(doctor->uplink_config, "state_dir", doctor->uplink_state_dir,
                        DOCTOR_PATH_BYTES)) {
        (void)snprintf(doctor->uplink_state_dir, DOCTOR_PATH_BYTES, "%s",
                       "/var/lib/arraywright-uplink");
    }
}

json_t *doctor_examine(struct cli_context *context)
{
    struct doctor doctor;

    doctor_take(context, &doctor);
    doctor.findings = json_array();
    arrayd_ask(&doctor);
    for (uint32_t i = 0; i < doctor_check_count; i++) {
        doctor_checks[i].look(&doctor, &doctor_checks[i]);
    }
    json_decref(doctor.hello);
    json_decref(doctor.state);
    return doctor.findings;
}

static void findings_print(const json_t *findings)
{
    size_t count = json_array_size(findings);
    const json_t *finding;
    size_t index;

    if (count == 0) {
        (void)printf("No problems found (%u checks).\n", doctor_check_count);
        return;
    }
    (void)printf("%zu problem%s found.\n", count, count == 1 ? "" : "s");
    json_array_foreach(findings, index, finding)
    {
        (void)printf("\n%s: %s\n  Consequence: %s\n  Next step:   %s\n", doc_text(finding, "code"),
                     doc_text(finding, "found"), doc_text(finding, "consequence"),
                     doc_text(finding, "next_step"));
    }
}

void doctor_show(struct cli_context *context)
{
    json_t *findings = doctor_examine(context);

    context->report.exit_code = json_array_size(findings) > 0 ? 1 : 0;
    if (context->documents || context->request.json) {
        json_t *document = json_pack("{s:O}", "findings", findings);

        (void)json_dumpf(document, stdout, JSON_INDENT(2));
        (void)putchar('\n');
        json_decref(document);
    } else {
        findings_print(findings);
    }
    json_decref(findings);
    context->printed = true;
}
