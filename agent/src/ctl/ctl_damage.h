/*
 * Records of the state directory that were found damaged (ctl_damage.c). Of the files of the
 * controller only.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_DAMAGE_H
#define ARRAYWRIGHT_CTL_CTL_DAMAGE_H

#include "ctl/ctl_private.h"

#define DAMAGE_NOTES_MAX 4u

struct ctl_damage {
    bool controller;               /* its own record, and nothing has been put in its place yet */
    bool controller_told;
    uint32_t found_count;          /* groups that were found by their drives then */
    uint32_t group_count;
    struct guid groups[CONTROLLER_GROUPS_MAX]; /* whose records were, until they have run */
    bool group_told[CONTROLLER_GROUPS_MAX];
    bool group_absent[CONTROLLER_GROUPS_MAX];  /* there was none */
    uint32_t absent_count;                     /* of `files` */
    struct name_list files;                    /* that have been told, until the next start */
    uint32_t note_count;                       /* of the other records, to be told */
    struct {
        const char *file;
        const char *cost;
    } notes[DAMAGE_NOTES_MAX];
};

/* ctl.c */
void ctl_serial_make(struct ctl *ctl);

/* Reading a record ended so: it costs what it describes; else nothing can go on. */
bool ctl_damage_is_borne(int error);
/* It was not borne: who starts the controller is told which record it is. */
void ctl_damage_refuse(struct ctl *ctl, const char *name, int error);
/* Of a record with which nothing else is to be done, to be told later; the texts stay. */
void ctl_damage_note(struct ctl *ctl, const char *file, const char *cost);
/* How the list of sizes was read; 0: it is done without at worst. */
int ctl_damage_sizes(struct ctl *ctl, int error);
/* Of a record whose damage has an event of its own: for the log. */
void ctl_damage_told(struct ctl *ctl, const char *file, const char *cost);
void ctl_damage_controller(struct ctl *ctl);
void ctl_damage_group(struct ctl *ctl, const struct guid *guid, bool absent);
/* What is found on drives has to stand in for a record. */
bool ctl_damage_is_any(const struct ctl *ctl);
/* Is this drive, which is only offered, to be claimed and its label read, as the record that would
 * list it is damaged? */
bool ctl_damage_wants(const struct ctl_drive *cd);
/* All drives have been looked at: the controller is the one that its drives name. */
void ctl_damage_adopt(struct ctl *ctl);
/* The group of this label, made from the label if its record was damaged; or NULL. */
struct ctl_group *ctl_damage_group_of(struct ctl *ctl, const struct drive_label *label);
/* Nothing but labels speaks for it: it may only start whole. */
bool cg_is_doubtful(const struct ctl_group *cg);
/* All drives of the group are here and are of one moment, before what its record describes:
 * without the record it would start with them. */
bool cg_is_of_images(const struct ctl_group *cg);
/* It runs, and its record has been written anew. */
void ctl_damage_over(const struct ctl_group *cg);
/* The controller is online. */
void ctl_damage_tell(struct ctl *ctl);

#endif
