/*
 * What a model of controller can do and permits: plain data, read from a file below the line.
 */
#ifndef ARRAYWRIGHT_CTL_PROFILE_H
#define ARRAYWRIGHT_CTL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "raid/geometry.h"
#include "raid/mirror_policy.h"
#include "raid/plan.h"

#define PROFILE_PRESETS_MAX 8u
#define PRESET_NAME_MAX 32u

/* A bundle of policies under one name. */
struct vd_preset {
    char name[PRESET_NAME_MAX + 1];
    enum read_policy read_policy;
    enum write_policy write_policy;
    enum io_policy io_policy;
    enum drive_cache_policy drive_cache_policy;
    enum degraded_policy degraded_policy;
};

#define COMMANDS_PER_DRIVE_MAX 256u

/* What limits the model's speed, for predictions; the arrays of a host are never slowed down.
 * 0: nothing. */
struct controller_ceilings {
    uint64_t bus_bytes_per_s;    /* to the host, each way */
    uint64_t link_bytes_per_s;   /* to one drive */
    uint64_t read_bytes_per_s;   /* engine */
    uint64_t write_bytes_per_s;
    uint64_t xor_bytes_per_s;    /* parity engine: data written, rebuilds read */
    uint64_t stream_bytes_per_s; /* one reader with one request at a time */
    uint64_t stream_write_bytes_per_s; /* one writer */
    uint32_t command_us;         /* of every request */
    uint32_t commands_per_drive; /* at one time, for predictions; 0: as many as the drive takes */
};

struct controller_profile {
    char name[33];
    char model[41];
    enum controller_vocabulary vocabulary;
    uint32_t ports;              /* drives it takes; 0: as many as there are */
    bool has_cache;
    uint64_t cache_bytes;        /* at most, upgrades included; 0: as much as is fitted */
    enum no_battery_rule no_battery_rule;
    uint32_t spans_max;          /* 0: as many as the level takes */
    uint32_t strip_sizes;        /* bit n: RAID_STRIP_MIN_BYTES << n; 0: every one */
    struct {
        bool offered;
        uint32_t drives_min;     /* 0: as few as the level takes */
    } levels[RAID_LEVEL_MAX];
    enum plan_partial partial_writes; /* for predictions; the arrays of a host do the cheapest */
    enum mirror_policy mirror_policy; /* for predictions, as the next three */
    uint32_t destage_rows; /* on their way to the drives at a time, at most; 0: the engine's */
    bool write_through_past_buffers; /* of the drives, as if each write had FUA */
    bool logs_stripes; /* for predictions: it knows the stripe log, as no card does */
    struct controller_ceilings ceilings;
    uint32_t preset_count;
    struct vd_preset presets[PROFILE_PRESETS_MAX];
};

/* The controller this program is, without artificial limits. */
void controller_profile_native(struct controller_profile *ret_profile);
bool controller_profile_has_strip(const struct controller_profile *profile, uint32_t strip_bytes);
/* 64 KiB, or the size nearest to it that the model has. */
uint32_t controller_profile_strip_default(const struct controller_profile *profile);

/* NULL: the model has none of this name. */
const struct vd_preset *controller_profile_preset(const struct controller_profile *profile,
                                                  const char *name);
/* Whose policies these are (its name is not looked at). NULL: nobody's. */
const struct vd_preset *controller_profile_preset_of(const struct controller_profile *profile,
                                                     const struct vd_preset *policies);

#endif
