/*
 * The numbers of a controller's drives: see ctl_number.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_NUMBER_H
#define ARRAYWRIGHT_CTL_CTL_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "meta/drive_numbers.h"
#include "port/store_port.h"

struct ctl;

struct ctl_numbers {
    struct drive_numbers *list;
    uint8_t *bytes;
    struct store_request put;
    bool noted;                    /* yet to be saved */
    bool putting;
    bool lost;                     /* the record could not be read: to be told */
    uint64_t again_us;             /* no save before */
};

MUST_CHECK int ctl_numbers_load(struct ctl *ctl);
void ctl_numbers_free(struct ctl *ctl);
/* Tells that they were lost, if they were. */
void ctl_numbers_started(struct ctl *ctl);
/* The number of the drive with this key, now given if it had none. */
uint32_t ctl_number(struct ctl *ctl, const char *key);
/* A number that nobody has, to an enclosure. Returns it. */
uint32_t ctl_number_give(struct ctl *ctl, const char *key, uint32_t number);
void ctl_numbers_work(struct ctl *ctl);
bool ctl_numbers_are_quiet(const struct ctl *ctl);

/* ctl_bay.c: puts a drive into the bay that the host found it in, with its enclosure. */
struct ctl_bay;
struct drive_identity;
void ctl_bay_take(struct ctl *ctl, const struct ctl_bay *bay, struct drive_identity *identity);

#endif
