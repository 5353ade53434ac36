/*
 * arrayctl support-bundle: what a support engineer needs, in one file without secrets.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "cli/redact.h"

#define FOLDER_TEMPLATE "/tmp/arraywright-support-XXXXXX"
#define NAME_BYTES 320u

/* What commands of the host say, as members of the file. */
static const struct {
    const char *name;
    const char *command;
} asked[] = {
    {"versions.txt", "uname -a; cat /etc/os-release; dpkg -l 'arraywright*'; arrayd --version"},
    {"drives.txt", "lsblk -b -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINTS,MODEL,SERIAL"},
    {"units.txt", "systemctl status --no-pager -n 0 arrayd arraywright-uplink arraywright-monitor"},
    {"journal.txt", "journalctl -u arrayd -u arraywright-uplink -u arraywright-monitor "
                    "-n 5000 --no-pager -o short-iso"},
    {"arrayd.conf", "cat \"$1\""},
    {"uplink.conf", "cat \"$2\""},
    {"log.txt", "[ -z \"$3\" ] || tail -n 5000 \"$3\""},
};

static bool member_write(const char *folder, const char *name, const char *text)
{
    char path[NAME_BYTES];
    char *clean = redact(text);

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = clean != NULL ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool written = file != NULL && fputs(clean, file) >= 0;

    if (file != NULL) {
        written = fclose(file) == 0 && written;
    }
    free(clean);
    return written;
}

static bool document_write(const char *folder, const char *name, json_t *document)
{
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(1)) : NULL;
    bool written = member_write(folder, name, text != NULL ? text : "arrayd did not tell it.\n");

    free(text);
    json_decref(document);
    return written;
}

static json_t *told(struct client *client, const char *method, json_t *params)
{
    struct client_answer answer = {0};
    char text[CLIENT_TEXT_BYTES];

    if (client == NULL) {
        json_decref(params);
        return NULL;
    }
    if (!client_ask(client, method, params, &answer, text)) {
        return NULL;
    }
    json_decref(answer.reason);
    return answer.result;
}

static bool documents_write(struct cli_context *context, const char *folder)
{
    char text[CLIENT_TEXT_BYTES];
    struct client *client = NULL;

    if (!client_open(context->sockets[0], &client, text)) {
        client = NULL;
    }
    bool written = document_write(folder, "findings.json", doctor_examine(context)) &&
                   document_write(folder, "state.json",
                                  told(client, "state.get", json_pack("{s:i}", "since_rev", 0)));
    json_t *facts = told(client, "hello", json_object());
    uint64_t last = doc_u64(facts, "event_seq_last");
    json_decref(facts);
    for (unsigned part = 0; part < 4 && written; part++) { /* the newest thousand */
        char name[32];
        uint64_t back = 256u * (4 - part);

        (void)snprintf(name, sizeof(name), "events-%u.json", part);
        written = document_write(
            folder, name,
            told(client, "events.read",
                 json_pack("{s:I, s:i}", "after_seq", (json_int_t)(last > back ? last - back : 0),
                           "limit", 256)));
    }
    client_close(client);
    return written;
}

static bool answers_write(const struct cli_context *context, const char *folder)
{
    const char *log = option_value(context, "log");
    struct doctor doctor;
    bool written = true;

    doctor_take(context, &doctor);
    char *words[] = {(char *)doctor.config, (char *)doctor.uplink_config,
                     (char *)(log != NULL ? log : "")};
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]) && written; i++) {
        char command[512];
        int status = 0;

        (void)snprintf(command, sizeof(command), "exec 2>&1; %s", asked[i].command);
        char *output = doctor_run(command, words, 3, &status);
        written = member_write(folder, asked[i].name,
                               output != NULL ? output : "It could not be asked.\n");
        free(output);
    }
    return written;
}

static void path_choose(const struct cli_context *context, char path[NAME_BYTES])
{
    const char *given = option_value(context, "file");
    time_t now = time(NULL);
    struct tm parts;

    if (given != NULL) {
        (void)snprintf(path, NAME_BYTES, "%s", given);
        return;
    }
    (void)gmtime_r(&now, &parts);
    (void)strftime(path, NAME_BYTES, "arraywright-support-%Y%m%dT%H%M%SZ.tar.gz", &parts);
}

void support_bundle(struct cli_context *context)
{
    static const char *const pack = "umask 077; set -C; : >\"$2\" || exit 1; set +C\n"
                                    "tar -czf \"$2\" -C \"$1\" . && rm -rf -- \"$1\"";
    char folder[] = FOLDER_TEMPLATE;
    char path[NAME_BYTES];
    int status = -1;

    path_choose(context, path);
    context->printed = true;
    context->report.exit_code = 1;
    if (mkdtemp(folder) == NULL) {
        (void)fprintf(stderr, "arrayctl: no directory in /tmp: %s\n", strerror(errno));
        return;
    }
    if (documents_write(context, folder) && answers_write(context, folder)) {
        char *words[] = {folder, path};

        free(doctor_run(pack, words, 2, &status));
    }
    if (status != 0) {
        char *words[] = {folder};

        free(doctor_run("rm -rf -- \"$1\"", words, 1, &status));
        (void)fprintf(stderr, "arrayctl: %s cannot be written, or exists already\n", path);
        return;
    }
    context->report.exit_code = 0;
    (void)printf("%s: look at it before you send it: tar -tzf %s\n", path, path);
}
