/*
 * Records of the state directory that were found damaged (ctl_damage.c). Of the files of the
 * controller only.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_DAMAGE_H
#define ARRAYWRIGHT_CTL_CTL_DAMAGE_H

#include "ctl/ctl_private.h"

struct ctl_damage {
    bool controller;               /* its own record, and nothing has been put in its place yet */
    bool controller_told;
    uint32_t group_count;
    struct guid groups[CONTROLLER_GROUPS_MAX]; /* whose records were, until they have run */
    bool group_told[CONTROLLER_GROUPS_MAX];
};

/* ctl.c */
void ctl_serial_make(struct ctl *ctl);

/* Reading a record ended so: it costs what it describes; else nothing can go on. */
bool ctl_damage_is_borne(int error);
void ctl_damage_controller(struct ctl *ctl);
void ctl_damage_group(struct ctl *ctl, const struct guid *guid);
/* What is found on drives has to stand in for a record. */
bool ctl_damage_is_any(const struct ctl *ctl);
/* All drives have been looked at: the controller is the one that its drives name. */
void ctl_damage_adopt(struct ctl *ctl);
/* The group of this label, made from the label if its record was damaged; or NULL. */
struct ctl_group *ctl_damage_group_of(struct ctl *ctl, const struct drive_label *label);
/* Nothing but labels speaks for it: it may only start whole. */
bool cg_is_doubtful(const struct ctl_group *cg);
/* It runs, and its record has been written anew. */
void ctl_damage_over(const struct ctl_group *cg);
/* The controller is online. */
void ctl_damage_tell(struct ctl *ctl);

#endif
