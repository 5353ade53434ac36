/*
 * Saved metadata of destructive changes (meta/undo_record.h): kept in the host's store, listed, and
 * judged. Private to ctl.
 *
 * (1) A change that destroys configuration begins only after its copy is durable.
 * (2) A copy is kept for UNDO_KEPT_US at least, unless a drive of it is in use again: then nobody
 *     can restore it any more. What is older goes when its room is needed.
 * (3) A copy that cannot be read is not one, but may have said that an older one is void: it is
 *     listed, and older ones wait for it (undo_damage.h).
 */
#ifndef ARRAYWRIGHT_CTL_CTL_UNDO_H
#define ARRAYWRIGHT_CTL_CTL_UNDO_H

#include "ctl/ctl_private.h"
#include "ctl/undo_damage.h"
#include "ctl/undo_view.h"
#include "meta/drive_print.h"
#include "meta/metadata_sectors.h"
#include "meta/undo_record.h"

#define UNDO_KEPT_US (UINT64_C(7) * 24 * 3600 * 1000000)

struct undo_entry {
    struct undo_record *record; /* NULL: its place is free, or damaged */
    uint64_t found_number;      /* of the record that `found` is about; 0: of none */
    enum reason_code found[UNDO_DRIVES_MAX]; /* by the last attempt; REASON_OK: nothing */
};

struct ctl_undo {
    uint64_t last;              /* the highest number in this run, or of those kept */
    struct undo_entry entries[UNDO_ENTRIES_MAX];
    uint8_t *bytes;             /* while a copy is written */
    struct store_request put;
    bool putting;

    struct undo_damage damage;
    bool damage_noted;          /* not durable yet */
    bool damage_fresh[UNDO_ENTRIES_MAX]; /* nobody has been told */
    uint8_t damage_bytes[UNDO_DAMAGE_BYTES];
    struct store_request damage_put;
    bool damage_putting;
};

/* For the running command. Number, time, who and prints are filled in; the record is taken over. */
struct undo_save {
    struct ctl *ctl;
    struct undo_record *record;
    struct ctl_drive *drives[UNDO_DRIVES_MAX]; /* whose prints are taken; NULL: not */
    void (*done)(struct undo_save *save, const struct reason *reason); /* from the loop */
    void *owner;

    struct drive_print prints[UNDO_DRIVES_MAX];
    uint32_t pending;
    uint32_t place;
    struct reason reason;
};
void undo_save_run(struct undo_save *save);
/* Of a virtual drive that is about to be deleted. */
struct undo_record *undo_record_of_vd(const struct ctl_vd *cv, struct ctl_drive **ret_drives);

/* What identifies a drive in a record. */
void undo_drive_fill(struct undo_drive *drive, const struct ctl_drive *cd);
/* The sectors of a foreign set on one drive, in the order of restoring or of clearing them, out of
 * the newest copy that has any: a set whose drives were not all there has one for each clearing.
 * False: there are none. */
bool undo_edit_make(const struct ctl *ctl, const struct guid *set, const char *key, bool restores,
                    struct metadata_edit *ret_edit);
/* The same out of this copy. */
bool undo_record_edit(const struct undo_record *record, const char *key, bool restores,
                      struct metadata_edit *ret_edit);

/* Where a copy is kept; also how a damaged one is called. */
void undo_place_name(uint32_t place, char out[STORE_NAME_MAX + 1]);
/* What cannot be read is still kept there. */
bool undo_place_is_damaged(const struct ctl *ctl, uint32_t place);

/* undo_judge.c */
/* The newest deletion of this drive group that can be undone, as far as is known; NULL: none. */
const struct undo_record *undo_of_group(const struct ctl *ctl, const struct guid *group);
/* What speaks against one that cannot be read; false: there is none with this number. */
bool undo_damage_find(const struct ctl *ctl, uint64_t number, struct reason *ret_reason);
/* The virtual drive that was deleted, in the record of its group. */
const struct vd_config *undo_vd(const struct undo_record *record);

/* The mark of the deletion is among those that a drive has: nobody has used it since. A mark in the
 * compact place is newer than one in the normal place: nobody who used the drive since has looked
 * for that one. */
bool undo_mark_is_there(const struct undo_record *record, const struct guid left[2]);
/* What an attempt to restore it has found on the drives counts until the next attempt begins. */
void undo_found_clear(struct ctl *ctl, uint64_t number);
void undo_found_note(struct ctl *ctl, uint64_t number, uint32_t drive, enum reason_code found);

const struct undo_record *undo_find(const struct ctl *ctl, uint64_t number);
/* What speaks against restoring it, as far as can be told without reading drives: the list and the
 * command ask this. */
bool undo_is_possible(const struct ctl *ctl, const struct undo_record *record,
                      struct reason *ret_reason);
/* It has been restored; done from the loop, whatever the store says. */
void undo_drop(struct ctl *ctl, uint64_t number, void (*done)(void *context), void *context);

/* command_clear.c */
void command_clear_undo(struct ctl *ctl, struct ctl_command *command,
                        const struct undo_record *record);

#endif
