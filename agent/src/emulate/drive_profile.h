/*
 * A model of drive: what it says it is, and how long its work takes. Plain data, read from a file
 * below the line.
 */
#ifndef ARRAYWRIGHT_EMULATE_DRIVE_PROFILE_H
#define ARRAYWRIGHT_EMULATE_DRIVE_PROFILE_H

#include "base/words.h"
#include "emulate/drive_model.h"

struct drive_profile {
    char name[33];
    char model[41];
    char manufacturer[41];
    enum drive_media media;
    enum drive_interface interface;
    uint64_t capacity_bytes;
    struct emulated_timing timing;
};

#endif
