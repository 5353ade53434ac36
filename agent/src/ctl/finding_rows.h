/*
 * The rows that make the list of findings, and how they add to it. Private to findings*.c and
 * ctl_away.c.
 */
#ifndef ARRAYWRIGHT_CTL_FINDING_ROWS_H
#define ARRAYWRIGHT_CTL_FINDING_ROWS_H

#include "ctl/ctl_private.h"
#include "ctl/finding.h"

/* A row decides whether its finding holds, and fills its sentences if so. The rest of the finding
 * is filled already. */
typedef bool finding_holds(const void *subject, struct finding *finding);
struct finding_row {
    enum finding_code code;
    finding_holds *holds;
};

/* Puts what holds of an object into the list. `path`: of the object. */
void findings_add(struct ctl *ctl, const struct finding_row *rows, size_t count,
                  const struct ctl_object *object, const char *path, const void *subject);

/* Each adds what is wrong with the objects of one kind. */
void findings_of_vds(struct ctl *ctl);
void findings_of_drives(struct ctl *ctl);
void findings_of_groups(struct ctl *ctl);
void findings_of_controller(struct ctl *ctl);

#endif
