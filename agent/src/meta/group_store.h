/*
 * Durable homes of group records: a label on every member, and the host's store.
 *
 * Label of a drive (64 KiB slots A and B, written alternately): magic, version, the drive's
 * own UUID, the controller's, role (none, member of GUID at place n, hot spare of …), sequence,
 * length, CRC-32C, then the encoded group record. The reader treats it as hostile bytes:
 * length first, then CRC, then meaning.
 *
 * (1) A save is a success once the record is flushed on every present member that it calls
 *     in sync, and in the store. A member whose label cannot be written is reported through
 *     member_failed before the save completes; the caller marks it and saves again.
 * (2) Of several records of one group the highest sequence wins, wherever it was found.
 *     Order of a save: the store first, so that a full state directory leaves every label
 *     alone; then all labels at once.
 * (3) A drive is in sync only if the winning record says so and its own label names the
 *     same UUID and place, with a record no older than the winning one knows it to have had: a
 *     drive that was copied and the copy put back, or one that was restored, has missed writes
 *     although nobody has noted its loss. What a save has put on all members is in the record of
 *     the next one, and there is one before the first write of a run: of a redundant virtual drive
 *     the mark that it is dirty, of others the second one of the start.
 * (4) A drive's label is in its compact private area if there is a valid one, whatever its data
 *     area holds where the other would be. What goes back from there takes the compact one away.
 * (5) With group_store_ddf_use() every save carries the group on into the DDF metadata of its
 *     members, which stock Linux goes by (meta/ddf_io.h: order, cost, failures), and whoever
 *     wipes a label wipes those first.
 */
#ifndef ARRAYWRIGHT_META_GROUP_STORE_H
#define ARRAYWRIGHT_META_GROUP_STORE_H

#include <stddef.h>

#include "base/attrs.h"
#include "drive/drive.h"
#include "meta/config.h"
#include "port/store_port.h"

#define GROUP_RECORD_MAX_BYTES (60u * 1024u)

MUST_CHECK int group_record_encode(const struct group_config *config, uint8_t *buffer,
                                   size_t capacity, size_t *ret_bytes);
/* Any bytes; returns 0, -EBADMSG, or -EPROTONOSUPPORT: a later version wrote it. Leaves *ret_config
 * alone on failure. */
MUST_CHECK int group_record_decode(const uint8_t *buffer, size_t bytes,
                                   struct group_config *ret_config);
/* CRC-32C of the encoded record; 0: it cannot be encoded. The buffer has GROUP_RECORD_MAX_BYTES. */
uint32_t group_record_sum(const struct group_config *config, uint8_t *buffer);

#define LABEL_SPARE_GROUPS_MAX 16u

enum label_role { LABEL_ROLE_NONE, LABEL_ROLE_MEMBER, LABEL_ROLE_SPARE, LABEL_ROLE_MAX };

struct drive_label {
    struct uuid drive; /* the drive's own identity */
    struct uuid controller; /* which controller wrote it last */
    enum label_role role;
    struct guid group; /* member: of which group */
    uint32_t member; /* member: which place */
    uint64_t sequence; /* set by the store; the highest slot is the newest */
    uint32_t spare_group_count; /* spare: 0 global, else dedicated to these */
    struct guid spare_groups[LABEL_SPARE_GROUPS_MAX];
    bool spare_affinity; /* spare: serves only its own enclosure */
    bool spare_committable; /* spare: stays a member, is not revertible */
    bool compact; /* it is in a compact private area, or is to be (drive_layout.h);
of a member: as its record says */
    bool has_record;
    struct group_config record; /* member: the group as of that sequence */
};

/* slot: LABEL_SLOT_BYTES. *ret_bytes: how many of them are used, a multiple of 4096; the
 * others are left alone. */
MUST_CHECK int drive_label_encode(const struct drive_label *label, uint8_t *slot,
                                  size_t *ret_bytes);
/* 0; -ENOENT: no label at all; -EBADMSG: a damaged one; -EPROTONOSUPPORT: a later version's. */
MUST_CHECK int drive_label_decode(const uint8_t *slot, struct drive_label *ret_label);

struct group_save {
    const struct group_config *config; /* sequence already raised by the caller */
    struct drive *const *drives; /* member_count entries, NULL where none */
    const struct uuid *controller;
    /* For what must not wait for a full or broken state directory (the loss of a member, marks
     * of clean and dirty): the labels are written even if the store fails, and that failure
     * does not fail the save. */
    bool labels_suffice;
    /* Labels only: the DDF metadata stay as somebody else wrote them. */
    bool keep_ddf;
    /* The last of a run: what was dirty and is not any more may be called so (ddf_io.h (5)). */
    bool closing;
    /* A member's label could not be written, or a flush of its DDF metadata failed. */
    void (*member_failed)(struct group_save *save, uint32_t member, enum io_status status);
    /* The label of a member has been flushed; its DDF metadata follow, and may still fail. May be
     * NULL. */
    void (*member_labeled)(struct group_save *save, uint32_t member);
    /* error: 0, or a negative errno of the store; -EIO if no member could be written. */
    void (*complete)(struct group_save *save, int error);
    void *owner;
    void *private_; /* of the store while the save runs */
};

struct group_store;
struct clock_port;
struct ddf_config;

/* The name of a group's record in the store: "group-" and the GUID. */
void group_record_name(const struct guid *guid, char out[STORE_NAME_MAX + 1]);

MUST_CHECK int group_store_create(struct store_port *store, struct group_store **ret_store);
struct group_store *group_store_free(struct group_store *store);
/* Before anything else is asked of it. clock: for the times in the metadata. */
void group_store_ddf_use(struct group_store *store, struct clock_port *clock);

/* The next save writes all of the drive's DDF metadata. Somebody has written over them on purpose,
 * or the drive is about to become a member: what was on it at the end of an earlier membership
 * proves nothing about what is there now. */
void group_store_ddf_forget(struct group_store *store, const struct drive *drive);
/* Must be called before a drive is freed; nothing of this store may be in flight on it. */
void group_store_forget(struct group_store *store, const struct drive *drive);

/* One save at a time per group (asserted); encodes before it returns. */
void group_store_save(struct group_store *store, struct group_save *save);

/* After the last save of a run that ended well, with nothing in doubt: seals the members in sync
 * (seal.h). What cannot be sealed is done without. complete: once, perhaps at once. */
struct group_seal {
    const struct group_config *config;
    struct drive *const *drives; /* member_count entries, NULL where none */
    void (*complete)(struct group_seal *seal);
    void *owner;

    uint32_t pending; /* private */
};
void group_store_seal(struct group_store *store, struct group_seal *seal);

/* What a member's DDF metadata say. */
enum ddf_found_on_member {
    DDF_FOUND_ON_MEMBER_NOTHING, /* there are none, or none that can be believed */
    DDF_FOUND_ON_MEMBER_GONE, /* private to meta: nothing, not even a mark of ours */
    DDF_FOUND_ON_MEMBER_OURS, /* as we left them */
    DDF_FOUND_ON_MEMBER_OTHERS, /* another system has written them: it had the drive */
    DDF_FOUND_ON_MEMBER_OVERWRITTEN /* something else took the anchor's place (ddf_io.h (7)), or
        the seal is broken (seal.h) */
};

/* Reads both slots of a drive's label, newest valid one wins. complete gets -ENOENT for a
 * drive without a label, -EIO if it cannot be read, -EBADMSG if a label is damaged. */
struct label_read {
    struct drive *drive;
    void (*complete)(struct label_read *read, int error);
    struct drive_label *label; /* filled on success; the caller's */
    enum ddf_found_on_member ddf; /* of a member, if DDF is in use */
    struct guid left[2]; /* the marks of label_write.leaves, in the normal place and in the compact
        one; zero: none. Filled whatever the error, but with -EIO */
    void *owner;
    void *private_;
};
void group_store_label_read(struct group_store *store, struct label_read *read);
/* The marks on a drive without a label, as label_read.left has them; false: it has one, or nobody
 * has read it. */
bool group_store_marks(struct group_store *store, const struct drive *drive,
                       struct guid ret_left[2]);
/* What was found in a member's DDF metadata, ours or others'; NULL: nothing to be believed. Holds
 * until something is written to the drive's. */
const struct ddf_config *group_store_ddf(struct group_store *store, const struct drive *drive);

/* Writes a label without a group (blank, spare), or wipes both slots (label == NULL): the older
 * first, so that a crash in between never uncovers it. Encodes before it returns.
 * complete: 0, -EIO or -EINVAL. */
struct label_write {
    struct drive *drive;
    const struct drive_label *label;
    const struct guid
        *leaves; /* of a wipe: the group whose mark is left (label_io.h (6)), or NULL */
    bool ddf; /* of a retreat: the DDF metadata that the save wrote go before the label */
    void (*complete)(struct label_write *write, int error);
    void *owner;
    void *private_;
};
void group_store_label_write(struct group_store *store, struct label_write *write);
/* Takes back what a save has written for this group and controller, and nothing else (without
 * write->ddf: a save with keep_ddf); write->label is not looked at. compact: as the group's. */
void group_store_label_retreat(struct group_store *store, struct label_write *write,
                               const struct guid *group, const struct uuid *controller,
                               bool compact);
/* Reads the drive's DDF metadata again, for group_store_ddf(). */
struct ddf_reread {
    struct drive *drive;
    struct guid group;
    void (*complete)(struct ddf_reread *reread);
    void *owner;
};
void group_store_ddf_read(struct group_store *store, struct ddf_reread *reread);

#endif
