/*
 * arrayctl without arrayd: stands where cli/client.c does. What is asked about is answered out of
 * real controllers in several states, on simulated drives; what would change something is recorded
 * and never done.
 */
#ifndef ARRAYWRIGHT_TESTS_CLI_WORLD_H
#define ARRAYWRIGHT_TESTS_CLI_WORLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define CLI_COMMANDS_MAX 4096u

/*
 * Enclosure 252 has slots 0–7, the drive after those is in slot 8 of none.
 *   EMPTY     nothing is configured
 *   HEALTHY   d0: a RAID 5 "data" of slots 0–2, slot 3 its spare; d1: a mirror "logs" of slots 4–5
 *   DEGRADED  the same, slot 1 was pulled, its rebuild on slot 3 runs; slot 5 is offline
 */
enum cli_picture { CLI_PICTURE_EMPTY, CLI_PICTURE_HEALTHY, CLI_PICTURE_DEGRADED, CLI_PICTURE_MAX };

enum cli_outcome { CLI_OUTCOME_SUCCEEDED, CLI_OUTCOME_REFUSED, CLI_OUTCOME_BROKEN };

struct cli_recorded {
    int number; /* of the controller */
    char op[32];
    char confirm[128];
    bool confirmed; /* confirm was not null */
    json_t *args;
};

/* Builds the pictures; once. */
void cli_world_open(void);
void cli_world_close(void);
/* Every socket is a controller in that state, except those whose name begins with "gone". Every
 * command ends like this. Forgets what was recorded. */
void cli_world_use(enum cli_picture picture, enum cli_outcome outcome);

uint32_t cli_world_command_count(void);
const struct cli_recorded *cli_world_command(uint32_t index);
/* Methods and queries that no arrayctl may use, or that do not exist. */
uint32_t cli_world_foul_count(void);
/* The document of an object of the picture, or NULL. */
/* The name of the stripe with this key, or NULL. */
const char *cli_world_stripe(const char *key);
const json_t *cli_world_doc(const char *kind, const char *key);

#endif
