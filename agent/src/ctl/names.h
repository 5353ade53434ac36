/*
 * Names, paths and keys for people (names.c). Part of ctl_private.h, which includes it.
 */
#ifndef ARRAYWRIGHT_CTL_NAMES_H
#define ARRAYWRIGHT_CTL_NAMES_H

#include "ctl/ctl_private.h"

/* Appends to a list for people; what does not fit is counted: "252:1, 252:2 and 3 more". */
struct name_list {
    char text[120];
    uint32_t count, left_out;
};
void name_list_add(struct name_list *list, const char *name);
/* The whole list; nothing is added afterwards. */
const char *name_list_text(struct name_list *list);

/* "252:3", or its path where there is no enclosure: in sentences. */
#define NAME_TEXT_BYTES 24u
#define MEMBER_TEXT_BYTES 48u
void drive_name(const struct ctl_drive *cd, char out[NAME_TEXT_BYTES]);
/* Of whoever has the place or had it: "252:3". False: "serial X", because that is not known or
 * another drive is there now. */
bool member_name(const struct ctl_group *cg, uint32_t member, char out[MEMBER_TEXT_BYTES]);
void controller_path(const struct ctl *ctl, char *out, size_t capacity);
/* What stands behind /s in its path: the slot, or the number of a drive outside all enclosures. */
uint32_t drive_address_number(const struct ctl_drive *cd);
void drive_path(const struct ctl_drive *cd, char *out, size_t capacity);
void group_path(const struct ctl_group *cg, char *out, size_t capacity);
/* Of all virtual drives of the group, "/c0/v0,3", or of as many as there is room for. */
void group_vds_path(const struct ctl_group *cg, char *out, size_t capacity);
void vd_path(const struct ctl_vd *cv, char *out, size_t capacity);
/* "/c0/v0 (name)" */
void vd_title(const struct ctl_vd *cv, char *out, size_t capacity);
struct ctl_drive *drive_by_key(const struct ctl *ctl, const char *key);
/* ctl_drive.c */
struct ctl_drive *drive_by_device(const struct ctl *ctl, const void *device);
struct ctl_drive *drive_by_uuid(const struct ctl *ctl, const struct uuid *uuid);
struct ctl_group *group_by_key(const struct ctl *ctl, const char *key);
struct ctl_group *group_by_guid(const struct ctl *ctl, const struct guid *guid);
struct ctl_vd *vd_by_key(const struct ctl *ctl, const char *key);
/* Of any controller of the host. */
struct ctl_vd *vd_by_name(const struct ctl *ctl, const char *name);
/* The first virtual drive (after NULL), or that after one; NULL: there are no more. None may come
 * or go between two calls. */
struct ctl_vd *ctl_vd_next(const struct ctl *ctl, const struct ctl_vd *after);
struct ctl_vd *host_vd_next(const struct ctl_host *host, const struct ctl_vd *after);
#define CTL_FOR_EACH_VD(cv, ctl)                                                                   \
    for (struct ctl_vd *cv = ctl_vd_next(ctl, NULL); cv != NULL; cv = ctl_vd_next(ctl, cv))
#define HOST_FOR_EACH_VD(cv, host)                                                                 \
    for (struct ctl_vd *cv = host_vd_next(host, NULL); cv != NULL; cv = host_vd_next(host, cv))
struct ctl_vd *vd_by_guid(const struct ctl_group *cg, const struct guid *guid);
const char *controller_key(const struct ctl *ctl);
uint32_t ctl_vd_count(const struct ctl *ctl);
/* A virtual drive has this number. */
bool ctl_target_is_taken(const struct ctl *ctl, uint32_t target_id);
/* The lowest number that no drive group has. */
uint32_t ctl_group_index_free(const struct ctl *ctl);

#endif
