/*
 * One point of a prediction: one array under one load, or being rebuilt. What it needs it has in
 * itself, so that points can be run in any order, in any process, with the same outcome.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_POINT_H
#define ARRAYWRIGHT_LAB_LAB_POINT_H

#include "lab/lab_load.h"
#include "lab/lab_rebuild.h"

struct lab_point {
    bool is_rebuild;             /* instead of front and load */
    struct lab_array_setup array;
    struct lab_front_setup front;
    struct lab_load load;
    bool has_before, recreate;   /* first another load; then the array is deleted and made anew */
    struct lab_load before;
    uint64_t pause_s;            /* of virtual time, after it */
    uint32_t same_as;            /* the earlier point that has the same answer; or this one */
};

struct lab_answer {
    int error;                   /* 0, or a negative errno with text */
    char text[LAB_TEXT_BYTES];
    uint64_t size_bytes;         /* of the virtual drive, or of the host's stripe */
    uint64_t dirty_bytes;        /* in the caches at the end */
    struct lab_outcome outcome;
    struct lab_rebuild rebuild;
};

/* tidy: everything is written and freed at the end; else it is left to the end of the process. */
void lab_point_run(const struct lab_point *point, bool tidy, struct lab_answer *ret_answer);
/*
 * Runs them in so many processes, each answer once, and tells the answers in order. progress may be
 * NULL; it gets how many are done of how many there are to do. 0, or a negative errno if a process
 * could not be had or died.
 */
MUST_CHECK int lab_points_run(const struct lab_point *points, uint32_t count, uint32_t processes,
                              void (*progress)(uint32_t done, uint32_t count),
                              struct lab_answer *ret_answers);

#endif
