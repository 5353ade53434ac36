/*
 * What has been seen of a drive since drive_health_reset(): in its present life. The counters of
 * drive.h have all of this run of the agent.
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_LIFE_H
#define ARRAYWRIGHT_DRIVE_DRIVE_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct drive;

/* It will probably fail. */
bool drive_is_predicted(const struct drive *drive);
uint64_t drive_media_errors(const struct drive *drive);

#endif
