/*
 * arrayctl doctor: looks for common faults of the agent's host from outside, so it works while
 * arrayd does not. Each row of a table is a check: what it means and what to do next are the
 * table's, what was found is the check's.
 */
#ifndef ARRAYWRIGHT_CLI_DOCTOR_H
#define ARRAYWRIGHT_CLI_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/command.h"

#define DOCTOR_TEXT_BYTES 512u
#define DOCTOR_PATH_BYTES 320u

struct doctor {
    const char *root;          /* before /proc, /sys, /etc and /lib; "" on a running host */
    const char *config;        /* of arrayd */
    const char *uplink_config;
    const char *socket;
    const char *program;       /* arrayd */
    uint64_t free_min_bytes;
    char state_dir[DOCTOR_PATH_BYTES]; /* "": not known */
    char uplink_state_dir[DOCTOR_PATH_BYTES];
    /* What arrayd answered; NULL: it was not reached, and connect_error says why. */
    json_t *hello;
    json_t *state;
    int connect_error;
    pid_t arrayd;              /* 0: not known */
    json_t *findings;          /* [{code, found, consequence, next_step}] */
};

struct doctor_check {
    const char *code;
    void (*look)(struct doctor *doctor, const struct doctor_check *check);
    const char *consequence;
    const char *next; /* a command to paste; one %s may stand for what the check names */
};

extern const struct doctor_check doctor_checks[];
extern const uint32_t doctor_check_count;

/* `name` goes into the next step; "" if it takes none. */
void doctor_found(struct doctor *doctor, const struct doctor_check *check, const char *name,
                  const char *format, ...) PRINTF_LIKE(4, 5);
/* Reads a small file below the root; false if there is none. Ends with NUL. */
MUST_CHECK bool doctor_read(const struct doctor *doctor, const char *path, char *out, size_t bytes);
bool doctor_exists(const struct doctor *doctor, const char *path);
/* `key = "value";` of a configuration file; false if it is not there. */
MUST_CHECK bool doctor_setting(const char *path, const char *key, char *out, size_t bytes);
/* What a shell command says on both outputs; the caller frees it. NULL: it could not be run.
 * The words are $1, $2 … of the command. */
char *doctor_run(const char *command, char *const *words, uint32_t count, int *ret_status);
/* Is a unit started at boot? True as well where there is no systemd, or no such unit. */
bool doctor_unit_enabled(const struct doctor *doctor, const char *unit);

/* Everything that the checks find; the caller frees it. */
json_t *doctor_examine(struct cli_context *context);
/* The options that doctor and support-bundle share. */
void doctor_take(const struct cli_context *context, struct doctor *doctor);

/* doctor_host.c */
void doctor_config_invalid(struct doctor *doctor, const struct doctor_check *check);
void doctor_disk_full(struct doctor *doctor, const struct doctor_check *check);
void doctor_kernel_old(struct doctor *doctor, const struct doctor_check *check);
void doctor_io_uring_disabled(struct doctor *doctor, const struct doctor_check *check);
void doctor_nbd_missing(struct doctor *doctor, const struct doctor_check *check);
void doctor_memory_limit(struct doctor *doctor, const struct doctor_check *check);
void doctor_not_enabled(struct doctor *doctor, const struct doctor_check *check);
/* doctor_agent.c */
void doctor_control_denied(struct doctor *doctor, const struct doctor_check *check);
void doctor_not_running(struct doctor *doctor, const struct doctor_check *check);
void doctor_no_drives(struct doctor *doctor, const struct doctor_check *check);
void doctor_journal_missing(struct doctor *doctor, const struct doctor_check *check);
void doctor_ups_silent(struct doctor *doctor, const struct doctor_check *check);
void doctor_link_refused(struct doctor *doctor, const struct doctor_check *check);
void doctor_agent_findings(struct doctor *doctor, const struct doctor_check *check);
/* doctor_uplink.c */
void doctor_uplink_not_enrolled(struct doctor *doctor, const struct doctor_check *check);
void doctor_uplink_not_enabled(struct doctor *doctor, const struct doctor_check *check);
void doctor_uplink_unresolvable(struct doctor *doctor, const struct doctor_check *check);
void doctor_uplink_unreachable(struct doctor *doctor, const struct doctor_check *check);
void doctor_uplink_untrusted(struct doctor *doctor, const struct doctor_check *check);
void doctor_clock_off(struct doctor *doctor, const struct doctor_check *check);

/* The commands. */
void doctor_show(struct cli_context *context);
void support_bundle(struct cli_context *context);

#endif
