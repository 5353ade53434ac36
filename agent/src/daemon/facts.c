/*
 * Host facts and users: see facts.h.
 */
#include "daemon/facts.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void line_read(const char *path, const char *prefix, char *out, size_t capacity)
{
    FILE *file = fopen(path, "re");
    char line[256];

    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        size_t skip = strlen(prefix);

        if (strncmp(line, prefix, skip) == 0) {
            char *text = line + skip + (line[skip] == '"' ? 1 : 0);

            text[strcspn(text, "\"\n")] = '\0';
            (void)snprintf(out, capacity, "%.*s", (int)capacity - 1, text);
            break;
        }
    }
    (void)fclose(file); /* was only read */
}

void host_facts_read(struct host_facts *ret_facts)
{
    struct utsname system;

    *ret_facts = (struct host_facts){.hostname = "localhost", .os = "Linux"};
    if (uname(&system) == 0) {
        (void)snprintf(ret_facts->hostname, sizeof(ret_facts->hostname), "%.64s", system.nodename);
        (void)snprintf(ret_facts->kernel, sizeof(ret_facts->kernel), "%.64s", system.release);
    }
    line_read("/etc/os-release", "PRETTY_NAME=", ret_facts->os, sizeof(ret_facts->os));
    line_read("/proc/sys/kernel/random/boot_id", "", ret_facts->boot_id,
              sizeof(ret_facts->boot_id));
}

int group_id(const char *name, gid_t *ret_gid)
{
    const struct group *group = NULL;

    if (name[0] == '\0') {
        *ret_gid = (gid_t)-1;
        return 0;
    }
    group = getgrnam(name);
    if (group == NULL) {
        return -ENOENT;
    }
    *ret_gid = group->gr_gid;
    return 0;
}

static uint32_t gids_make(const struct config_list *names, gid_t gids[PEER_IDS_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < names->count && count < PEER_IDS_MAX; i++) {
        if (names->items[i][0] != '\0' && group_id(names->items[i], &gids[count]) == 0) {
            count++;
        }
    }
    return count;
}

void peer_rules_make(const struct config_control *control, struct peer_rules *ret_rules)
{
    struct peer_rules rules = {0};

    rules.administrator_gid_count =
        gids_make(&control->administrator_groups, rules.administrator_gids);
    rules.operator_gid_count = gids_make(&control->operator_groups, rules.operator_gids);
    for (uint32_t i = 0; i < control->uplink_users.count; i++) {
        const struct passwd *user = getpwnam(control->uplink_users.items[i]);

        /* root administers; it cannot be told from the uplink by its user. */
        if (user != NULL && user->pw_uid != 0 && rules.backend_uid_count < PEER_IDS_MAX) {
            rules.backend_uids[rules.backend_uid_count++] = user->pw_uid;
        }
    }
    *ret_rules = rules;
}
