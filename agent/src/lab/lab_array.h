/*
 * An array of the lab: a drive group of the engine on emulated drives, behind its controller's
 * write-back cache if that has one, on virtual time. The drives hold no bytes: what is read is
 * whatever was in the buffer. Everything between the request and the drive is the engine that
 * serves hosts.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_ARRAY_H
#define ARRAYWRIGHT_LAB_LAB_ARRAY_H

#include "base/attrs.h"
#include "ctl/profile.h"
#include "emulate/drive_profile.h"
#include "emulate/emulated_drive.h"
#include "lab/lab_clock.h"
#include "lab/lab_controller.h"
#include "vd/vd_request.h"

#define LAB_DRIVES_MAX 64u

struct lab_array_setup {
    struct drive_profile drive;
    uint32_t drive_count;
    bool drive_cache;            /* the drives' own write buffers */
    uint64_t failed;             /* bit n: member n is missing */
    bool is_rebuilding;
    uint32_t rebuild_member;
    uint64_t rebuilt_bytes;      /* so far; a multiple of the strip */
    enum raid_level level;
    uint32_t span_count;
    uint32_t strip_bytes;
    enum plan_partial partial_writes;
    enum mirror_policy mirror_policy;
    enum stripe_log_mode stripe_log;
    uint64_t extent_bytes;       /* of each member; 0: all of it */
    uint64_t link_bytes_per_s;   /* of the controller to one drive; 0: the drive's own */
    uint32_t commands_per_drive; /* of the controller; 0: as many as the engine gives one */
    uint64_t expander_bytes_per_s; /* of its controller, as the next */
    uint64_t cache_bytes;
    uint32_t destage_rows;       /* of its controller, as the cache; 0: the engine's */
    enum write_policy write_policy;
    enum read_policy read_policy;
    enum io_policy io_policy;
    uint64_t seed;
};

struct lab_array;

/* 0, or a negative errno with a sentence in text. */
MUST_CHECK int lab_array_create(const struct lab_array_setup *setup, struct lab_clock *clock,
                                struct lab_controller *controller, struct lab_array **ret_array,
                                char text[LAB_TEXT_BYTES]);
/* Deletes the virtual drive and its group and makes new ones on the same drives and cache; what
 * pointed to the old target must not be used. Everything submitted has been answered. */
MUST_CHECK int lab_array_recreate(struct lab_array *array, char text[LAB_TEXT_BYTES]);
/* Everything submitted has been answered. */
struct lab_array *lab_array_free(struct lab_array *array);

/* Where requests go: the virtual drive, or the cache in front of it. */
struct vd_target *lab_array_target(struct lab_array *array);
uint64_t lab_array_size_bytes(const struct lab_array *array);
uint32_t lab_array_row_bytes(const struct lab_array *array);
uint64_t lab_array_member_bytes(const struct lab_array *array); /* of each member, in use */
struct group *lab_array_group(struct lab_array *array);
struct lab_controller *lab_array_controller(struct lab_array *array);
/* Present also where the member is missing: nothing of the array is on it then. */
struct emulated_drive *lab_array_drive(struct lab_array *array, uint32_t member);
/* NULL: the member is missing. */
const struct emulated_drive_counters *lab_array_counters(const struct lab_array *array,
                                                         uint32_t member);
/* Blocks of 4 KiB in the cache, and how many of them are dirty. */
uint64_t lab_array_dirty_bytes(const struct lab_array *array);

#endif
