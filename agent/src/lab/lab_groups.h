/*
 * Several arrays of one controller at the same time, each with its own drives, load and faults.
 * They share what lab_controller.h says, and one clock. Faults are those of emulated drives, what
 * becomes of them is up to the engine.
 */
#ifndef ARRAYWRIGHT_LAB_LAB_GROUPS_H
#define ARRAYWRIGHT_LAB_LAB_GROUPS_H

#include "lab/lab_point.h"

#define LAB_GROUPS_MAX 8u
#define LAB_FAULTS_MAX 16u

enum lab_fault_kind {
    LAB_FAULT_SLOW,          /* every command takes so much longer */
    LAB_FAULT_FAILS,         /* the drive leaves, so long after measuring has begun */
    LAB_FAULT_LATENT_ERRORS, /* a range cannot be read until it is written again */
    LAB_FAULT_MAX
};

struct lab_fault {
    enum lab_fault_kind kind;
    uint32_t member;
    uint32_t latency_ms;     /* slow */
    uint64_t after_ms;       /* fails */
    uint64_t offset_bytes;   /* latent errors: on the drive, in blocks of 512 bytes */
    uint64_t length_bytes;
};

struct lab_group {
    char name[33];
    struct lab_point point; /* its array, front and load; is_rebuilding: a rebuild runs besides */
    uint32_t rebuild_rate_percent;
    uint32_t fault_count;
    struct lab_fault faults[LAB_FAULTS_MAX];
};

struct lab_group_answer {
    struct lab_answer answer;
    enum virtual_drive_state state; /* at the end */
    uint64_t member_bytes; /* of each, in use */
    uint64_t rebuilt_bytes; /* of the member in rebuild */
    enum operation_state rebuild_state;
    uint64_t latent_bytes; /* still cannot be read, of all drives */
    uint64_t bad_bytes; /* of the virtual drive, noted as lost */
};

/* Ceilings, cache and expander are those of the first group's point; all have the same. Fills an
 * answer for each; 0, or a negative errno with a sentence. */
MUST_CHECK int lab_groups_run(const struct lab_group *groups, uint32_t count,
                              struct lab_group_answer *ret_answers, char text[LAB_TEXT_BYTES]);

#endif
