/*
 * What is wrong with a controller and what to do about it, in sentences; and whether that
 * needs a colour. Made of the documents alone.
 */
#ifndef ARRAYWRIGHT_CLI_HEALTH_H
#define ARRAYWRIGHT_CLI_HEALTH_H

#include "cli/model.h"

enum health { HEALTH_GOOD, HEALTH_WORKING, HEALTH_WARNING, HEALTH_BAD, HEALTH_MAX };

const char *health_word(enum health health); /* "Good" … */

struct health_note {
    enum health health;
    const char *object; /* path */
    char text[400];
};

/* Up to capacity notes, the worst first; none if all is well. */
uint32_t health_notes(const struct model *model, struct health_note *notes, uint32_t capacity);
enum health health_of_vd(const json_t *vd);
enum health health_of_drive(const json_t *drive);
enum health health_of_battery(const json_t *battery);

#endif
