/*
 * Spinning a drive down and up: SCSI START STOP UNIT, which Linux translates for ATA drives
 * (STANDBY IMMEDIATE, and a read that wakes them). May block for as long as a motor takes.
 */
#ifndef ARRAYWRIGHT_HOST_DEVICE_SPIN_H
#define ARRAYWRIGHT_HOST_DEVICE_SPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"

#define SPIN_COMMAND_BYTES 6u

/* -ENOTSUP: not a device with a motor, as far as it can be asked. */
MUST_CHECK int device_spin(const char *node, bool down);
/* For tests: the command, and what an answer means. */
void device_spin_command(bool down, uint8_t command[SPIN_COMMAND_BYTES]);
MUST_CHECK int device_spin_answer(uint8_t status, uint16_t host_status, const uint8_t *sense,
                                  size_t sense_bytes);

#endif
