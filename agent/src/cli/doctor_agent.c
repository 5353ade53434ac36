/*
 * Checks of arrayd: whether it answers, and what it says: see doctor.h.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/doctor.h"
#include "cli/health.h"

#define REASONS_BYTES 300u

void doctor_control_denied(struct doctor *doctor, const struct doctor_check *check)
{
    if (doctor->connect_error == EACCES || doctor->connect_error == EPERM) {
        doctor_found(
            doctor, check, "",
            "You do not have permission to open the control socket %s: you are not in its group.",
            doctor->socket);
    }
}

void doctor_not_running(struct doctor *doctor, const struct doctor_check *check)
{
    int error = doctor->connect_error;

    if (error == ECONNREFUSED) {
        doctor_found(doctor, check, "", "arrayd has ended: nobody answers on its socket %s.",
                     doctor->socket);
    } else if (error == ENOENT || error == ENOTDIR) {
        doctor_found(doctor, check, "", "arrayd does not run: there is no socket %s.",
                     doctor->socket);
    } else if (error == 0 && doctor->state == NULL) {
        doctor_found(doctor, check, "", "arrayd does not answer on its socket %s.", doctor->socket);
    }
}

/* Objects of that kind in what arrayd told; the first `doc` is NULL. */
static const json_t *object_next(const struct doctor *doctor, const char *kind, size_t *at)
{
    const json_t *items = json_object_get(doctor->state, "objects");

    while (*at < json_array_size(items)) {
        const json_t *item = json_array_get(items, (*at)++);

        if (strcmp(doc_text(item, "kind"), kind) == 0) {
            return json_object_get(item, "doc");
        }
    }
    return NULL;
}

/* Is it mounted, or one of its partitions? */
static bool is_mounted(const struct doctor *doctor, const char *name)
{
    char path[DOCTOR_PATH_BYTES];
    char line[2048];
    char device[300];
    bool found = false;

    (void)snprintf(path, sizeof(path), "%s/proc/mounts", doctor->root);
    (void)snprintf(device, sizeof(device), "/dev/%.255s", name);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        found = strncmp(line, device, strlen(device)) == 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

static bool has_entry(const char *path, const char *prefix, const char *beside)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool found = false;

    while (folder != NULL && !found && (entry = readdir(folder)) != NULL) {
        found = entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
                strcmp(entry->d_name, beside) != 0;
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return found;
}

/* Why arrayd leaves this device alone; NULL: no reason that can be seen from here. */
static const char *reason_of(const struct doctor *doctor, const char *name)
{
    char path[DOCTOR_PATH_BYTES];

    if (is_mounted(doctor, name)) {
        return "is mounted";
    }
    (void)snprintf(path, sizeof(path), "%s/sys/block/%.200s", doctor->root, name);
    if (has_entry(path, name, name)) {
        return "has partitions";
    }
    (void)snprintf(path, sizeof(path), "%s/sys/block/%.200s/holders", doctor->root, name);
    return has_entry(path, "", "") ? "is used by another driver" : NULL;
}

static bool is_no_drive(const char *name)
{
    static const char *const others[] = {"loop", "ram", "zram", "nbd", "ublkb",
                                         "dm-",  "md",  "sr",   "fd"};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strncmp(name, others[i], strlen(others[i])) == 0) {
            return true;
        }
    }
    return name[0] == '.';
}

static void reasons_list(const struct doctor *doctor, char out[REASONS_BYTES])
{
    char path[DOCTOR_PATH_BYTES];
    const struct dirent *entry;
    size_t used = 0;

    out[0] = '\0';
    (void)snprintf(path, sizeof(path), "%s/sys/block", doctor->root);
    DIR *folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL && used < REASONS_BYTES - 1) {
        if (!is_no_drive(entry->d_name)) {
            const char *why = reason_of(doctor, entry->d_name);

            used += (size_t)snprintf(out + used, REASONS_BYTES - used, "%s/dev/%.64s %s",
                                     used > 0 ? ", " : "", entry->d_name,
                                     why != NULL ? why : "is not named in the configuration");
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

void doctor_no_drives(struct doctor *doctor, const struct doctor_check *check)
{
    char reasons[REASONS_BYTES];
    size_t at = 0;

    if (doctor->state == NULL || object_next(doctor, "drive", &at) != NULL) {
        return;
    }
    reasons_list(doctor, reasons);
    doctor_found(doctor, check, "", "arrayd has no drive. %s.",
                 reasons[0] != '\0' ? reasons : "The kernel shows none either");
}

void doctor_journal_missing(struct doctor *doctor, const struct doctor_check *check)
{
    const json_t *controller;
    size_t at = 0;

    while ((controller = object_next(doctor, "controller", &at)) != NULL) {
        const char *state = doc_text(json_object_get(controller, "cache"), "state");

        if (strcmp(state, "missing") == 0 || strcmp(state, "failed") == 0) {
            doctor_found(doctor, check, "", "The cache medium of %s is %s.",
                         doc_text(controller, "path"), state);
        }
    }
}

void doctor_ups_silent(struct doctor *doctor, const struct doctor_check *check)
{
    const json_t *battery;
    size_t at = 0;

    while ((battery = object_next(doctor, "battery", &at)) != NULL) {
        if (strcmp(doc_text(battery, "kind"), "ups") == 0 &&
            strcmp(doc_text(battery, "state"), "unknown") == 0) {
            doctor_found(doctor, check, "", "The UPS %s does not answer.",
                         doc_text(battery, "source"));
        }
    }
}

void doctor_link_refused(struct doctor *doctor, const struct doctor_check *check)
{
    const json_t *link = json_object_get(doctor->hello, "link");

    if (strcmp(doc_text(link, "state"), "refused") == 0) {
        doctor_found(doctor, check, "", "The backend refuses this host: %s",
                     doc_text(json_object_get(link, "reason"), "text"));
    }
}

static void findings_take(struct doctor *doctor, const struct doctor_check *check,
                          const json_t *findings)
{
    const json_t *finding;
    size_t index;

    json_array_foreach(findings, index, finding)
    {
        enum health health = health_of_finding(finding);

        if (health == HEALTH_WARNING || health == HEALTH_BAD) {
            struct doctor_check own = {.code = doc_text(finding, "code"),
                                       .consequence = finding_text(finding, "effect"),
                                       .next = check->next};

            doctor_found(doctor, &own, "", "%s %s", finding_text(finding, "what"),
                         finding_text(finding, "remedy"));
        }
    }
}

/* arrayd's own list of what needs attention. */
void doctor_agent_findings(struct doctor *doctor, const struct doctor_check *check)
{
    static const char *const kinds[] = {"host", "controller"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const json_t *doc;
        size_t at = 0;

        while ((doc = object_next(doctor, kinds[i], &at)) != NULL) {
            findings_take(doctor, check, json_object_get(doc, "findings"));
        }
    }
}
