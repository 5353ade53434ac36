/*
 * What has been seen of a drive since drive_health_reset(): in its present life. The counters of
 * drive.h have all of this run of the agent.
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_LIFE_H
#define ARRAYWRIGHT_DRIVE_DRIVE_LIFE_H

#include <stdbool.h>
#include <stdint.h>

struct drive;

/* What of it outlives the agent. */
struct drive_past {
    bool predicted, spent;
    uint64_t media_errors;
};
struct drive_past drive_past(const struct drive *drive);
/* Of a drive of which nothing has been seen yet; nobody is told again. */
void drive_past_restore(struct drive *drive, const struct drive_past *past);

/* It will probably fail. */
bool drive_is_predicted(const struct drive *drive);
uint64_t drive_media_errors(const struct drive *drive);

#endif
