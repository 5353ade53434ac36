/*
 * Scenario files: what is to be predicted, as JSON (scenario.schema.json). A file with an unknown
 * key, a wrong type, a value out of bounds or a shape that the controller's model does not have is
 * refused as a whole, with a sentence.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_SCENARIO_H
#define ARRAYWRIGHT_LAB_LAB_SCENARIO_H

#include <jansson.h>

#include "base/reason.h"
#include "daemon/profile_file.h"
#include "lab/lab_groups.h"

#define SCENARIO_WORKLOADS_MAX 32u
#define SCENARIO_STEPS_MAX 32u
#define SCENARIO_POINTS_MAX 4096u

enum lab_rating { LAB_RATING_NONE, LAB_RATING_MEAN, LAB_RATING_SHORT, LAB_RATING_MAX };

struct lab_mix {
    uint32_t count;
    struct load_block blocks[LOAD_BLOCKS_MAX];
};

/* A load with its steps: each combination is a point. */
struct lab_workload {
    char name[33];
    enum load_pattern pattern;
    enum lab_rating rating;
    uint64_t zone_bytes, start_bytes, file_bytes;
    uint64_t operations;         /* 0: as the scenario says */
    bool has_warmup;             /* of its own */
    uint64_t warmup_operations;
    uint32_t mix_count, write_percent_count, worker_count, depth_count;
    struct lab_mix mixes[SCENARIO_STEPS_MAX];
    uint32_t write_percents[SCENARIO_STEPS_MAX];
    uint32_t workers[SCENARIO_STEPS_MAX];
    uint32_t depths[SCENARIO_STEPS_MAX];
};

#define SCENARIO_FAILURES_MAX 8u

/* What may differ between the arrays of a sweep. */
struct lab_variant {
    enum raid_level level;
    uint32_t drive_count;
    enum write_policy write_policy;
    enum write_policy effective; /* what the controller's rule makes of it */
    struct reason reason;        /* why that is something else */
    enum read_policy read_policy;
    enum io_policy io_policy;
    uint32_t strip_bytes;
    uint64_t failed;             /* bit n: member n is missing */
};

struct lab_scenario {
    char name[65];
    struct controller_profile_file controller;
    struct lab_array_setup array;
    uint64_t
        slot_bytes_per_s; /* of the host's slot, each way; 0: no less than the controller's bus */
    uint64_t
        file_window_bytes; /* of a file, on their way by the host's own cache; 0: it has none */
    uint64_t capacity_bytes; /* of its drives; 0: the model's */
    struct lab_front_setup front;
    uint32_t spans; /* of the array's own level; 0: as levels do it */
    bool rebuild; /* is to be predicted too */
    uint64_t operations, warmup_operations, seconds, seed;
    uint64_t fill_operations; /* to fill caches first, and measured then, at most; 0: not */
    bool chooses_limits; /* they are this program's, not the scenario's */
    enum battery_state battery; /* of the controller's cache */
    uint64_t before_operations; /* 0: nothing goes before */
    uint64_t before_pause_s;
    bool recreate; /* after that, the array is deleted and made anew */
    struct lab_workload before; /* the first of its steps */
    uint32_t workload_count;
    struct lab_workload workloads[SCENARIO_WORKLOADS_MAX];
    bool is_sweep;
    uint32_t variant_count; /* 1 unless it is one */
    struct lab_variant variants[256];
    char variant_texts[256][LAB_TEXT_BYTES]; /* "" or why it cannot be */
    uint32_t point_count;
    /* Instead of all that concerns drives, array and loads: several of them, at the same time. */
    uint32_t group_count;
    struct lab_group *groups;
    bool alone; /* each of them by itself, too */
    struct lab_scenario *group_scenarios[LAB_GROUPS_MAX]; /* each as a scenario of its own */
};

struct lab_place {
    bool is_rebuild; /* of the variant; then nothing else counts */
    uint32_t variant, workload, mix, write_percent, workers, depth; /* indexes of the steps */
};

/* path "-": standard input. 0, or a negative errno with a sentence. */
MUST_CHECK int lab_scenario_read(const char *path, const char *profiles,
                                 struct lab_scenario **ret_scenario, char text[PROFILE_TEXT_BYTES]);
struct lab_scenario *lab_scenario_free(struct lab_scenario *scenario);
/* point_count of each, in order. Points of variants that cannot be are left out. */
void lab_scenario_points(const struct lab_scenario *scenario, struct lab_point *points,
                         struct lab_place *places);
/* So many operations write as much as the caches hold; 0: nothing is written by way of them. */
uint64_t lab_point_cache_operations(const struct lab_scenario *scenario,
                                    const struct lab_place *place);
/* The same, of points for which caches are to be filled first; 0: they are not. */
uint64_t lab_point_fill_operations(const struct lab_scenario *scenario,
                                   const struct lab_place *place);
/* Of a variant that is not refused; its extent is a strip. */
void lab_variant_geometry(const struct lab_scenario *scenario, const struct lab_variant *variant,
                          struct geometry *ret_geometry);
/* The first variant that does the same as this one, which is not refused, while nobody writes. */
uint32_t lab_twin_variant(const struct lab_scenario *scenario, uint32_t index);
/* The first variant that is the same array as this one but for its policies. */
uint32_t lab_shape_variant(const struct lab_scenario *scenario, uint32_t index);
const char *lab_rating_word(enum lab_rating rating);
const char *lab_fault_word(enum lab_fault_kind kind);

/* lab_result.c: the answers as a document. */
json_t *lab_result_doc(const struct lab_scenario *scenario, const struct lab_place *places,
                       const struct lab_answer *answers);
/* Of a scenario of groups; alone: their answers by themselves, or NULL. */
json_t *lab_result_groups_doc(const struct lab_scenario *scenario,
                              const struct lab_group_answer *answers,
                              const struct lab_group_answer *alone);

#endif
