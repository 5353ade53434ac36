/*
 * Paths of the configuration, looked at every few seconds: whether they still name the files and
 * devices that are in use, and which of them name nothing.
 */
#ifndef ARRAYWRIGHT_DAEMON_DRIVE_PATHS_H
#define ARRAYWRIGHT_DAEMON_DRIVE_PATHS_H

#include "base/attrs.h"
#include "daemon/drives_private.h"

MUST_CHECK int drive_paths_create(struct drives *drives, struct drive_paths **ret_paths);
/* The pool has no work any more. */
struct drive_paths *drive_paths_free(struct drive_paths *paths);
void drive_paths_look(struct drive_paths *paths);

#endif
