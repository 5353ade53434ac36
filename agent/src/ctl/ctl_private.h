/*
 * What the files of the controller share. Nobody else includes this.
 *
 * How it moves: everything that happens (an arrival, a lost drive, an answered label, a
 * command) notes itself and kicks `work`, which runs from the loop and does what is due:
 * losses first, then drives that came, then configuration changes, then tasks, then documents
 * and observers. Callbacks from groups, drives and tasks only note and kick.
 *
 * (1) One configuration change at a time: whoever changes groups, labels or the controller's
 *     record holds `change` (a command, a rebuild being set up, the start). Losses of members
 *     never wait for it.
 * (2) A drive is referred to by at most one place of one group; cg->members[i] == cd exactly
 *     if cd->group == cg and cd->member == i.
 * (3) Documents carry the revisions of the last refresh; a refresh compares digests, so no
 *     change of a document can be forgotten.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_PRIVATE_H
#define ARRAYWRIGHT_CTL_CTL_PRIVATE_H

#include "base/list.h"
#include "base/rng.h"
#include "cache/intents.h"
#include "ctl/battery_record.h"
#include "ctl/ctl.h"
#include "ctl/ctl_attempt.h"
#include "ctl/ctl_check.h"
#include "ctl/ctl_doubt.h"
#include "ctl/ctl_erase.h"
#include "ctl/ctl_flush.h"
#include "ctl/ctl_glitch.h"
#include "ctl/ctl_host.h"
#include "ctl/ctl_label.h"
#include "ctl/ctl_loss.h"
#include "ctl/ctl_measure.h"
#include "ctl/ctl_number.h"
#include "ctl/ctl_patrol.h"
#include "ctl/ctl_size.h"
#include "ctl/ctl_spare_seen.h"
#include "ctl/event_catalog.h"
#include "ctl/finding.h"
#include "ctl/foreign_view.h"
#include "ctl/life_cycle.h"
#include "meta/config_check.h"
#include "meta/config_state.h"
#include "meta/former_owner.h"
#include "meta/group_store.h"
#include "task/task.h"
#include "vd/cached.h"
#include "vd/group.h"
#include "vd/host_stripe.h"

#define PATH_TEXT_BYTES 48u
#define TOMBSTONES_MAX 1024u
#define OPERATIONS_ENDED_MAX 20u
#define EID_NONE 0xffffffffu

struct ctl_object {
    struct list link;              /* ctl->objects */
    enum object_kind kind;
    object_key_t key;
    uint64_t rev, config_rev;
    uint64_t document_digest, config_digest;
    void *subject;
};

struct tombstone {
    enum object_kind kind;
    object_key_t key;
    uint64_t rev;
};

enum label_status {
    LABEL_STATUS_UNREAD,
    LABEL_STATUS_READING,
    LABEL_STATUS_NONE,
    LABEL_STATUS_VALID,
    LABEL_STATUS_DAMAGED,
    LABEL_STATUS_NEWER, /* of a later version */
    LABEL_STATUS_SHRUNK, /* out of reach: the device has become smaller */
    LABEL_STATUS_UNREADABLE
};

struct ctl_drive {
    struct ctl_object object;
    struct list link;              /* ctl->drives */
    struct ctl *ctl;
    struct drive_identity identity;
    void *device;
    struct io_port *port;          /* NULL while it is only offered */
    struct drive *drive;           /* NULL while it is only offered */
    struct emulated_drive *emulated;
    uint64_t size_bytes;
    uint32_t block_bytes, physical_block_bytes;
    bool present;
    bool departed;                 /* the host has taken the device back */
    bool claimed_here;             /* by us, through the device port */
    bool gone_noted;               /* its port has gone: to be dealt with in work */
    enum reason_code path_lost;    /* REASON_OK: its path names it (ctl_path.c) */
    const char *lost_path;
    bool return_noted;             /* its port is back: to be attached when idle */
    bool has_unsuitable, claimed_elsewhere;
    struct reason unsuitable;
    char signature[64];
    struct foreign_drive *found;   /* somebody else's, until it is ours; or NULL */
    bool md_looked;                /* for an md superblock that was left on it */

    enum label_status label_status;
    bool settled;                  /* the label has been acted upon */
    struct label_read label_read;
    uint64_t read_began_us;        /* of a drive that has come: with all sizes that are tried */
    struct ctl_label_search search;
    uint64_t grown_bytes; /* so large, but a label was found where a smaller size has it */
    uint64_t shrunk_bytes; /* it was so large, and is smaller now; else 0 */
    bool shrunk_told; /* … without a label that could be looked for */
    uint64_t size_noted_bytes; /* of size_bytes (ctl_size.c); 0: not yet */
    struct drive_label *label; /* only between reading and settling */
    struct drive_label *foreign_label; /* of a member that is somebody else's; or NULL */
    struct drive_label *foreign_spare; /* of a hot spare that is somebody else's; or NULL */
    bool was_elsewhere; /* a member that another system has written to meanwhile */
    bool was_overwritten; /* … without knowing what it was (ctl_overwritten.c) */
    struct uuid uuid; /* of its label; zero if it has none */
    bool foreign;
    bool bad; /* unconfigured bad */
    bool jbod; /* left to the host as it is */
    bool has_state_reason;
    struct reason state_reason;

    struct ctl_group *group; /* its place, in sync or not */
    uint32_t member;
    uint64_t record_sequence; /* of its label's record when it got its place */
    bool stale_told;
    bool later; /* its group has yet to note that it is not to be trusted, … */
    enum reason_code later_why; /* … for this (ctl_later.c (1), ctl_overwritten.c (3)) */
    bool spare;
    uint32_t spare_group_count; /* 0: global */
    struct guid spare_groups[COMMAND_SPARES_MAX];
    struct ctl_group *copyback_of; /* being filled to take a place there */
    bool return_due; /* was a member in a spare's stead: to be a spare again */
    bool retire_due; /* ctl_copyback.c (4) */
    /* The last place that it lost. */
    struct guid retired_from;
    uint32_t retired_member;
    bool spare_affinity; /* serves only its own enclosure */
    bool spare_committable; /* not revertible: stays a member */
    bool reinserted; /* came back while online: an automatic rebuild is due */
    struct ctl_attempt attempt; /* to give it a place, in vain */
    struct ctl_refusal refusal; /* of writes, lately */
    bool target_failed; /* in its place, which it may fill again: then it is tried */
    bool give_back; /* to be closed when it is idle: nobody here uses it */
    bool claim_tried; /* once per arrival, for a drive that should be ours */
    bool awaited, claiming; /* by the host for us; by us, through start_claim */
    bool claim_failed; /* ours, and could not be claimed (ctl_unclaimed.c) */
    uint64_t claim_again_us; /* … is tried again then */
    struct device_claim start_claim;
    struct ctl_erase *erase; /* or NULL */
    struct ctl_operation *erase_op; /* or NULL: from its start to its end, also while it waits */
    struct ctl_erase_wait erase_wait;
    bool spun_down; /* by command; it is claimed */
    bool spin_claimed; /* only for that */
    bool spinning; /* it is being asked to spin down or up */
    struct device_spin spin;
    void (*spin_done)(struct ctl_drive *cd, int error, void *context);
    void *spin_context;
    struct ctl_drive_patrol patrol;
    uint64_t erase_again_us; /* no change of its entry is saved before */
    bool locating;
    uint32_t locate_seconds;
    uint64_t locate_end_us; /* when it is turned off by itself; 0: by command only */
    uint64_t locate_end_wall_us; /* the same for people */
    bool has_temperature;
    int temperature_c;
    bool has_health; /* somebody has asked it */
    bool smart_failing; /* its last verdict */
    struct drive_health health;

    enum drive_write_cache write_cache; /* the drive's own, as far as known */
    enum drive_write_cache write_cache_found; /* as it came */
    bool write_cache_settable;
    enum drive_write_cache cache_wish; /* what it was last asked to be */
    bool cache_busy; /* being switched */
    bool cache_given_up; /* that failed */
    struct device_cache_switch cache_request;
};

enum ctl_group_phase {
    CTL_GROUP_WAITING, /* incomplete: its drives are awaited */
    CTL_GROUP_STARTING,
    CTL_GROUP_RUNNING,
    CTL_GROUP_STOPPING,
    CTL_GROUP_STOPPED
};

struct ctl_vd {
    struct ctl_object object;
    struct list link; /* cg->vds */
    struct ctl_group *cg;
    struct guid guid;
    struct vd *vd; /* NULL while the group is not running */
    bool removing; /* it has left its group's configuration, or is about to */
    struct vd_config shadow; /* removing: what it was */
    struct vd_cached *cached; /* while the group is running and there is a cache */
    bool cache_closing, cache_loss_told;
    bool cache_refused; /* the cache has no place for it */
    struct vd_target *target; /* while exported */
    bool export_closing;
    bool export_stale; /* to be closed, or opened again: its access has changed */
    bool stripe_ready; /* it may be put into its stripe */
    struct ctl_stripe *stripe; /* that has been put together with it; or NULL */
    struct ctl_measure measure;
    struct ctl_check check;
    struct ctl_flush flush;
    bool initializing; /* not exported: its ends become zeros (command_init.c) */
    bool bgi_stopped; /* by a user: not to be started by itself */
    struct ctl_attempt bgi_attempt;
    enum virtual_drive_state seen_state;
    struct ctl_doubt doubt;
    bool policy_asked; /* its write policy was asked for in this run */
    bool policy_known; /* the next three were told */
    bool policy_lowered;
    enum write_policy policy_requested;
    struct write_policy_decision policy;
};

struct ctl_group {
    struct ctl_object object;
    struct list link; /* ctl->groups */
    struct ctl *ctl;
    enum ctl_group_phase phase;
    struct group_config *config; /* the winning record, while there is no group */
    struct group *group;
    struct intent_log *intent_log; /* the group's, in the cache; NULL: none */
    bool journal_judged;           /* ctl_journal.h */
    struct ctl_drive *members[GROUP_MEMBERS_MAX];
    bool rebuild_stopped[GROUP_MEMBERS_MAX]; /* by a user: not to be started by itself */
    struct ctl_attempt rebuild_attempts[GROUP_MEMBERS_MAX]; /* tasks that failed */
    bool replacing; /* a place is being filled, and that is not saved yet */
    enum reason_code replacing_lost; /* the drive was lost at that; REASON_OK: it was not */
    bool rebuild_by_user[GROUP_MEMBERS_MAX]; /* for the event */
    struct list vds;
    bool reviving; /* being stopped to be made anew */
    bool revive_asked; /* by a user, though no drive has come back */
    bool quiescing; /* no new tasks or rebuilds: it is about to stop */
    void (*phase_done)(struct ctl_group *cg, int error, void *context);
    void *phase_context;
    uint64_t assemble_at_us; /* WAITING: when to start incomplete; 0: not */
    const char *elsewhere_problem; /* WAITING: why what others wrote cannot be taken over */
    bool spare_too_small_told;
    struct ctl_glitches glitches[GROUP_MEMBERS_MAX];
    uint64_t rival_sequence; /* to be outranked (ctl_later.c (2)); 0: none */
    struct ctl_drive *copyback; /* the drive that is being filled */
    bool copyback_by_user; /* for the event */
    bool copyback_over; /* the group is to be told */
    bool copyback_stopped; /* by a user: not to be started by itself */
    struct ctl_attempt copyback_attempt;
};

struct ctl_operation {
    struct ctl_object object;
    struct list link; /* ctl->operations */
    struct ctl *ctl;
    struct task *task; /* NULL once it has ended and is quiet */
    struct ctl_group *cg; /* NULL once it has ended */
    struct ctl_vd *cv; /* of a background initialization */
    uint32_t member;
    object_key_t group_key, target_key, source_key; /* copyback: that is filled from it */
    enum object_kind target_kind;
    struct task_status_view status;
    enum reason_code target_lost; /* why its rebuild or copyback cannot go on */
    bool by_user;
    bool was_started; /* its first event has been sent */
    bool ended;
};

struct ctl_enclosure {
    struct ctl_object object;
    struct ctl *ctl;
    const struct ctl_enclosure_config *config;
    bool found; /* by its drives (ctl_bay.c), not configured */
};

/* The battery, if options.battery.fitted (ctl_battery.c). */
struct ctl_battery {
    struct ctl_object object;
    struct emulated_battery *emulated; /* NULL for other sources */
    struct battery_reading fresh; /* as it came last */
    struct battery_reading verdict; /* what counts */
    struct battery_reading shown; /* figures of the document */
    bool judged; /* there has been a verdict */
    bool enough; /* the verdict's runtime suffices */
    bool on_trial, trial_enough;
    enum battery_state trial_state;
    uint64_t trial_since_us;
    uint64_t figures_us; /* when they were shown; 0: to be shown now */
    struct clock_timer timer;
    struct store_request put;
    bool putting;
    void (*put_done)(struct ctl *ctl, int error, void *context);
    void *put_context;
    struct emulated_battery_memory settings; /* before the change that is being saved */
    uint8_t record[BATTERY_RECORD_BYTES];
};

/* Claiming drives that are only offered, one after the other. Zeroed by the caller. */
struct ctl_claims {
    struct ctl *ctl;
    uint32_t count, next;
    struct ctl_drive *drives[COMMAND_DRIVES_MAX + COMMAND_SPARES_MAX];
    bool taken[COMMAND_DRIVES_MAX + COMMAND_SPARES_MAX];
    bool force;
    bool overwrites; /* what the drives carry is to go: none takes a place by it */
    bool lenient; /* go on with the next when one fails */
    bool asleep; /* drives that are spun down stay so */
    bool running;
    struct device_claim claim;
    uint32_t odd_block_bytes; /* of the one that could not be used because of that */
    void (*done)(struct ctl_claims *claims, bool ok); /* from the loop or at once */
    struct reason reason;
    void *owner;
};

/* Taking a former owner's marks off drives that carry some. Zeroed by the caller. */
struct ctl_former {
    uint32_t count;
    struct ctl_drive *drives[COMMAND_DRIVES_MAX + COMMAND_SPARES_MAX];
    struct former_owner_wipe wipes[COMMAND_DRIVES_MAX + COMMAND_SPARES_MAX];
    uint32_t pending;
    const struct ctl_drive *failed;
    /* From the loop or at once; failed: one on which they may still be, NULL: all are gone. */
    void (*done)(struct ctl_former *former, const struct ctl_drive *failed);
    void *owner;
};

union ctl_view {
    struct host_view host;
    struct controller_view controller;
    struct enclosure_view enclosure;
    struct drive_view drive;
    struct drive_group_view group;
    struct virtual_drive_view vd;
    struct operation_view operation;
    struct battery_view battery;
};

enum ctl_life {
    CTL_LIFE_NEW,
    CTL_LIFE_STARTING,
    CTL_LIFE_ONLINE,
    CTL_LIFE_STOPPING,
    CTL_LIFE_STOPPED
};

struct ctl_start;
struct ctl_undo;

struct cache_sample {
    uint64_t at_us; /* 0: none */
    uint64_t hits, misses, destaged_bytes;
};

/* Cached writes that wait for their drives, as they were told. */
struct cache_kept {
    struct guid guid;
    char name[GUID_TEXT_BYTES];
    uint64_t bytes;
};

struct ctl {
    struct ctl_options options;
    struct ctl_ports ports;
    struct ctl_observer observer;
    struct rng rng;
    enum ctl_life life;
    char serial[33]; /* of the controller, from its UUID */
    uint64_t started_wall_us;

    struct ctl_host *host; /* `alone`, or shared */
    struct ctl_host alone;
    struct list host_link; /* host->ctls */

    struct list objects;
    uint64_t tombstone_floor;
    uint32_t tombstone_count;
    struct tombstone tombstones[TOMBSTONES_MAX];
    struct uuid epoch;
    union ctl_view *view; /* scratch */
    struct finding_list *findings; /* as the documents show them */
    struct finding_list *findings_next; /* scratch: as they will */
    uint32_t spares_seen_count;
    struct controller_spare spares_seen[CONTROLLER_SPARES_MAX]; /* ctl_spare_seen.c */
    uint64_t spares_again_us; /* their put failed: not before */

    struct ctl_object host_object, controller;
    struct ctl_enclosure enclosures[8];
    struct list drives, groups, operations;
    struct ctl_patrol patrol;
    struct ctl_battery battery;
    enum write_medium write_medium;
    uint64_t destage_bytes_per_s; /* measured; 0: not yet */

    struct controller_record *record; /* as it is in the store, or about to be */
    struct controller_record *record_old; /* to fall back on */
    bool record_is_new; /* never stored yet */
    uint8_t *record_bytes;
    struct store_request record_put;
    bool record_putting;
    struct ctl_numbers numbers;
    struct ctl_losses losses;
    struct ctl_checks *checks; /* ctl_check_kept.c */
    char absent_paths[120]; /* that the configuration names (ctl_path.c) */
    struct ctl_sizes sizes;
    bool record_doubtful; /* a put has failed: either may be stored (ctl_record.c) */
    bool record_tried_last; /* STOPPING: to put that right */
    uint64_t record_again_us;
    void (*record_done)(struct ctl *ctl, int error, void *context);
    void *record_context;

    struct cache *cache; /* NULL: none */
    struct cache_mover *mover;
    struct intents *intents;
    char cache_medium[108];
    struct journal_listener cache_listener;
    bool cache_medium_is_gone; /* and that has been told */
    uint64_t cache_found_bytes; /* dirty at the start */
    uint32_t cache_recovery_ms;
    struct cache_sample cache_samples[2]; /* a minute apart, the newer one last */
    uint32_t kept_count;
    struct cache_kept kept[CACHE_PRESERVED_MAX]; /* what was told to be preserved */
    struct group_store *group_store;
    struct ctl_undo *undo; /* saved metadata (ctl_undo.h) */
    struct clock_timer work;
    struct clock_timer later; /* the next thing that waits for time to pass */
    bool working;
    bool refresh_urgent;
    bool stale;      /* since the last refresh anything may have changed (object.c (3)) */
    bool turn_stale; /* the next turn of its work may change anything */
    bool foreign_noted; /* what is known of foreign drives has changed */
    struct foreign_summary foreign; /* as it was told */

    struct ctl_claims *claims; /* running */
    const char *change; /* who holds the configuration; NULL: nobody */
    struct list commands; /* waiting */
    struct ctl_command *command; /* running */
    struct ctl_start *start;
    struct ctl_damage *damage;
    uint64_t start_began_us;
    bool looking; /* the host has not looked at all of its drives yet */
    void (*stop_done)(void *context);
    void *stop_context;
    uint64_t stop_deadline_us;
};

/* ctl_host.c */
/* Its record has been read; its numbers go on above those of every controller's last run. */
void ctl_host_add(struct ctl_host *host, struct ctl *ctl);
void ctl_host_remove(struct ctl *ctl);
/* It is the one whose documents include that of the host. */
bool ctl_shows_host(const struct ctl *ctl);
/* What is said of foreign drives may have changed, on every controller. */
void host_foreign_note(const struct ctl_host *host);
/* At most one controller has an object of this key, or it is a drive that is connected to one. */
MUST_CHECK bool host_key_is_clear(const struct ctl_host *host, enum object_kind kind,
                                  const char *key, struct reason *ret_reason);
struct ctl_object *host_object_find(const struct ctl_host *host, enum object_kind kind,
                                    const char *key);
/* Another controller has this drive. */
bool host_drive_is_elsewhere(const struct ctl *ctl, const char *key);
/* A command that gives a name may run: nobody else's does. */
bool host_naming_begin(struct ctl *ctl);
/* Nothing is exported under this name any more: ctl_host_name_is_recent() for an hour. */
void host_export_ended(const struct ctl *ctl, const char *name);
void host_naming_end(struct ctl *ctl);
/* The controller has worked: who changes several may go on. */
void host_naming_kick(struct ctl *ctl);

/* ctl.c */
void ctl_kick(struct ctl *ctl);
void ctl_kick_at(struct ctl *ctl, uint64_t deadline_us);
bool ctl_change_begin(struct ctl *ctl, const char *who);
void ctl_change_end(struct ctl *ctl);
/* The same, of a change that says itself what it has changed. */
void ctl_change_release(struct ctl *ctl);

/* ctl_record.c: the controller's own record */
MUST_CHECK int ctl_record_load(struct ctl *ctl);
/* ctl->record has been edited; done(0) when durable. On failure the edit is undone. */
void ctl_record_save(struct ctl *ctl, void (*done)(struct ctl *ctl, int error, void *context),
                     void *context);
/* Before the edit. */
void ctl_record_edit(struct ctl *ctl);
/* What a failed put has left is put right. */
void ctl_record_work(struct ctl *ctl);
bool record_has_group(const struct controller_record *record, const struct guid *guid);
void record_group_add(struct controller_record *record, const struct guid *guid);
void record_group_remove(struct controller_record *record, const struct guid *guid);
bool record_has_drive(const struct controller_record *record, const char *key);
bool record_drive_intent(const struct controller_record *record, const char *key);
bool record_drive_is_jbod(const struct controller_record *record, const char *key);
void record_drive_jbod(struct controller_record *record, const char *key);
void record_drive_add(struct controller_record *record, const char *key, bool intent);
void record_drive_remove(struct controller_record *record, const char *key);
/* It was carried out: the drives it named are in the list for good. */
void record_intent_clear(struct controller_record *record);
/* It was taken back: they go as well. */
void record_intent_forget(struct controller_record *record);
void reason_from_store(struct reason *reason, int error);

/* object.c */
void object_add(struct ctl *ctl, struct ctl_object *object, enum object_kind kind, const char *key,
                void *subject);
void object_remove(struct ctl *ctl, struct ctl_object *object);
bool object_is_listed(const struct ctl_object *object);
struct ctl_object *object_find(const struct ctl *ctl, enum object_kind kind, const char *key);
/* Brings all revisions up to date and tells the observer. */
void ctl_refresh(struct ctl *ctl);
/* After a command that changes no other objects than these. */
void ctl_refresh_named(struct ctl *ctl, const struct ctl_command *command);
/* Works soon, though nothing has changed. */
void ctl_wake(struct ctl *ctl);
/* Anything may have changed: the next refresh compares every object. */
void ctl_stale(struct ctl *ctl);

/* view_*.c: fill a zeroed view; digest all of it, and what is configuration or health. */
struct view_digest {
    uint64_t document;
    uint64_t config;
};
void digest_number(struct view_digest *digest, bool config, uint64_t value);
void digest_text(struct view_digest *digest, bool config, const char *text);
void digest_reason(struct view_digest *digest, bool config, const struct reason *reason);
void digest_blocked(struct view_digest *digest, const struct blocked *blocked);
void blocked_add(struct blocked *blocked, enum ctl_op op, const char *action,
                 const struct reason *reason);
void digest_exports(struct view_digest *digest, const struct exports_view *view);
/* Of a target that is exported under this key. */
void view_exports(const struct ctl *ctl, const struct vd_target *target, const char *key,
                  struct exports_view *view);
void view_build(const struct ctl *ctl, const struct ctl_object *object, union ctl_view *view,
                struct view_digest *ret_digest);
void view_drive(const struct ctl_drive *cd, struct drive_view *view, struct view_digest *digest);
void view_group(const struct ctl_group *cg, struct drive_group_view *view,
                struct view_digest *digest);
void view_vd(const struct ctl_vd *cv, struct virtual_drive_view *view, struct view_digest *digest);
void view_operation(const struct ctl_operation *op, struct operation_view *view,
                    struct view_digest *digest);
void view_battery(const struct ctl *ctl, struct battery_view *view, struct view_digest *digest);
void view_controller(const struct ctl *ctl, struct controller_view *view,
                     struct view_digest *digest);
void level_rule(enum raid_level level, struct level_rule_view *ret_rule);

/* findings.c (ctl/finding.h) */
/* Brings the list up to date; before the documents, which show it. */
void ctl_findings_work(struct ctl *ctl);
void ctl_findings_free(struct ctl *ctl);

/* ctl_undo.c */
MUST_CHECK int ctl_undo_load(struct ctl *ctl);
/* The controller is online: what was found damaged is told. */
void ctl_undo_started(struct ctl *ctl);
bool ctl_undo_is_quiet(const struct ctl *ctl);
void ctl_undo_free(struct ctl *ctl);

/* ctl_foreign.c: tells of sets that have come since it was asked last */
void ctl_foreign_work(struct ctl *ctl);

/* events.c: name and value pairs in any order, ended by NULL; every parameter of the kind
 * must be there. */
void ctl_event(struct ctl *ctl, enum event_id id, const char *object_key, ...)
    __attribute__((sentinel));
void event_drive_state(struct ctl_drive *cd, enum drive_state old);
void event_vd_state(struct ctl_vd *cv, enum virtual_drive_state old);

/* ctl_drive.c */
enum drive_state cd_state(const struct ctl_drive *cd);
/* What a new virtual drive may have of it (coercion.h); and what there really is. */
uint64_t cd_usable_bytes(const struct ctl_drive *cd);
uint64_t cd_room_bytes(const struct ctl_drive *cd);
/* Why its state is what it is: false if there is nothing to say. */
bool cd_state_reason(const struct ctl_drive *cd, struct reason *ret_reason);
/* Gives a claimed device its drive. 0 or -errno. */
MUST_CHECK int cd_open(struct ctl_drive *cd, struct io_port *port);
/* Gives a drive that nobody uses back to the host; it is only offered afterwards. */
void cd_close(struct ctl_drive *cd);
void cd_read_label(struct ctl_drive *cd);
bool cd_has_serial(const struct ctl_drive *cd, const char *serial);
void cd_place_set(struct ctl_drive *cd, struct ctl_group *cg, uint32_t member);
void cd_place_clear(struct ctl_drive *cd);
/* Its label has just been written, as that of this member. */
void cd_member_take(struct ctl_drive *cd, struct ctl_group *cg, uint32_t member);
/* The configuration names another drive in its place, or none: unconfigured bad. */
void cd_place_lose(struct ctl_drive *cd);
void cd_state_update(struct ctl_drive *cd);
/* Its label is gone: nothing ties it to this controller any more. */
void cd_make_blank(struct ctl_drive *cd);
/* All of a device that has become larger counts. */
void cd_size_restore(struct ctl_drive *cd);
/* Its label is nobody else's any more, or it has not been read since. */
void cd_foreign_label_forget(struct ctl_drive *cd);
/* What was found on it is nobody's any more, or ours. */
void cd_former_forget(struct ctl_drive *cd);
/* It is not there any more: says so once. */
void cd_note_absent(struct ctl_drive *cd);
void event_presence(const struct ctl_drive *cd, enum event_id id);

/* ctl_health.c: what a drive tells, and what follows from it */
void cd_warned(void *context, struct drive *drive, enum drive_warning warning, uint64_t value);
void cd_spent(void *context, struct drive *drive, enum reason_code why);
void cd_measured(void *context, struct drive *drive);
void cd_health_work(struct ctl_drive *cd);

/* ctl_drive_work.c */
void ctl_drives_work(struct ctl *ctl);
void ctl_drives_free(struct ctl *ctl);
bool ctl_drives_are_idle(const struct ctl *ctl);

/* ctl_battery.c */
MUST_CHECK int battery_create(struct ctl *ctl);
void battery_begin(struct ctl *ctl);
void battery_end(struct ctl *ctl);
bool battery_is_quiet(const struct ctl *ctl);
void battery_free(struct ctl *ctl);
bool battery_is_fitted(const struct ctl *ctl);
const char *battery_source(const struct ctl *ctl);
void battery_path(const struct ctl *ctl, char *out, size_t capacity);
void battery_medium_changed(struct ctl *ctl);
/* The emulated battery lives up to now; tells these notices too. */
void battery_live(struct ctl *ctl, uint32_t notices);
/* False if a save is under way: ask again later. */
bool battery_settings_save(struct ctl *ctl, void (*done)(struct ctl *ctl, int error, void *context),
                           void *context);

/* ctl_policy.c */
void ctl_policies_work(struct ctl *ctl);
void ctl_vd_write_policy(const struct ctl_vd *cv, struct write_policy_decision *ret_decision);
/* What a write policy would become of a virtual drive on these drives (NULL: one is missing). */
struct write_policy_wish {
    enum write_policy requested;
    enum degraded_policy degraded;
    bool asked; /* it is asked for in this run */
    struct ctl_drive *const *drives;
    uint32_t drive_count;
    const struct ctl_vd *cv; /* NULL: it has not been made */
};
void ctl_write_policy_of(const struct ctl *ctl, const struct write_policy_wish *wish,
                         struct write_policy_decision *ret_decision);
/* Does a flush end in the cache, of every virtual drive that writes back? */
bool ctl_cache_is_stable(const struct ctl *ctl);
/* It is the UPS that bounds what may be dirty. */
bool ctl_dirty_limit_is_ups(const struct ctl *ctl);
/* Write-back is allowed because of the battery. */
bool ctl_battery_protects(const struct ctl *ctl);
/* May this policy be asked for? */
bool rule_write_policy(const struct ctl *ctl, enum write_policy requested,
                       struct reason *ret_reason);

/* ctl_claim.c */
void ctl_claims_add(struct ctl_claims *claims, struct ctl_drive *cd);
void ctl_claims_run(struct ctl_claims *claims);
/* A label of the drive that is waited for has been read and settled. */
void ctl_claims_label_read(struct ctl_claims *claims, const struct ctl_drive *cd);
/* Gives back what these claims took. */
void ctl_claims_undo(struct ctl_claims *claims);
/* The same, as soon as nothing is on its way to them: also from inside a transfer's answer. */
void ctl_claims_return(struct ctl_claims *claims);

/* ctl_elsewhere.c: members that another system has written to while we were away */
/* Before a start: brings the configuration in line with what they hold now. False: it cannot
 * be, and the group must not be started; cg->elsewhere_problem says why. */
bool cg_elsewhere_take(struct ctl_group *cg);

/* ctl_former.c */
void ctl_former_add(struct ctl_former *former, struct ctl_drive *cd);
void ctl_former_run(struct ctl_former *former);

/* ctl_assemble.c */
bool group_can_start(const struct ctl_group *cg, const struct group_config *config,
                     bool *ret_whole);
void ctl_start_work(struct ctl *ctl);
struct ctl_group *ctl_group_new(struct ctl *ctl, struct group_config *config);
void ctl_group_take_record(struct ctl_group *cg, const struct group_config *record);
void ctl_groups_work(struct ctl *ctl);

/* ctl_group.c */
const struct group_config *cg_config(const struct ctl_group *cg);
enum virtual_drive_state cg_state(const struct ctl_group *cg);
enum virtual_drive_state cg_span_state(const struct ctl_group *cg, uint32_t span);
const struct vd_config *cv_config(const struct ctl_vd *cv);
enum virtual_drive_state cv_state(const struct ctl_vd *cv);
/* Blocks of the virtual drive that cannot be read, each once, and of its parity. With thousands of
 * ranges parity counts as data. */
void cv_bad_blocks_count(const struct ctl_vd *cv, uint64_t *ret_data, uint64_t *ret_parity);
uint64_t cg_member_usable_bytes(const struct ctl_group *cg);
/* How much of this drive the group's members may use, whether it is one of them or not. */
uint64_t cg_room_bytes(const struct ctl_group *cg, const struct ctl_drive *cd);
uint64_t cg_member_needed_bytes(const struct ctl_group *cg);
uint32_t cg_block_bytes(const struct ctl_group *cg);
bool cg_is_redundant(const struct ctl_group *cg);
bool cg_member_is_vacant(const struct ctl_group *cg, uint32_t member);
/* A drive is there, and what its label says has been looked at since it came. */
bool cg_member_is_here(const struct ctl_group *cg, uint32_t member);
/* Called in sync, but its label is older than the record knows (group_store.h (3)). Only of a group
 * that is not running: one that is has settled it. */
bool cg_member_is_stale(const struct ctl_group *cg, uint32_t member);
void cg_stale_tell(struct ctl_group *cg);

/* drive_rules.c: a group waits for a drive of this serial number; NULL: none. */
const struct ctl_group *group_that_waits(const struct ctl_drive *cd);
const struct ctl_group *group_that_lacks(const struct ctl_drive *cd);

/* ctl_overwritten.c: of a group that is not running, or will be imported with these members. */
bool cd_is_overwritten(const struct ctl_drive *cd, const struct guid *group,
                       struct ctl_drive *const *members, uint32_t count);
bool cg_member_is_overwritten(const struct ctl_group *cg, uint32_t member);
/* Can the group do without all that are? */
bool cg_overwritten_are_spared(const struct ctl_group *cg);
/* A member that was set aside for that; one that is used all the same. */
bool cd_is_set_aside(const struct ctl_drive *cd);
bool cd_is_overwritten_used(const struct ctl_drive *cd);
bool cg_overwritten_must_wait(const struct ctl_group *cg);
/* As part of a start: sets them aside, or calls them what they are. */
void cg_overwritten_lose(struct ctl_group *cg);

/* Would losing this member lose data? */
bool cg_media(const struct ctl_group *cg, enum drive_media *ret_media);
MUST_CHECK int ctl_group_run(struct ctl_group *cg,
                             void (*done)(struct ctl_group *cg, int error, void *context),
                             void *context);
void ctl_group_stop(struct ctl_group *cg,
                    void (*done)(struct ctl_group *cg, int error, void *context), void *context);
void ctl_group_free(struct ctl_group *cg);
struct ctl_vd *ctl_vd_add(struct ctl_group *cg, const struct vd_config *config);
void ctl_vd_remove(struct ctl_vd *cv);
void ctl_vd_online(struct ctl_vd *cv, struct vd *vd);
void ctl_vd_export(struct ctl_vd *cv);
/* Closes the export, then the cache behind it. False if both are closed already; else it kicks
 * when there is more to do. */
bool ctl_vd_unexport(struct ctl_vd *cv);

/* command_expand.c */
bool rule_expand(const struct ctl_vd *cv, struct reason *ret_reason);
/* The size it could have at most, and a row of it. */
void view_expansion(const struct ctl_vd *cv, struct virtual_drive_view *view,
                    struct view_digest *digest);
void command_vd_expand(struct ctl *ctl, struct ctl_command *command);
void command_vd_expand_work(struct ctl *ctl);

struct name_list; /* names.h */

/* ctl_cache.c */
/* The group is about to be made, and has gone. */
void cg_intents_open(struct ctl_group *cg);
void cg_intents_close(struct ctl_group *cg);
/* The virtual drive has come: what the cache has of it goes to its drives. */
void cv_cache_open(struct ctl_vd *cv);
/* False if it is closed already; else it kicks when it is. */
bool cv_cache_close(struct ctl_vd *cv);
/* Name, access or policies have changed. */
void cv_cache_update(struct ctl_vd *cv);
/* What the state of the cache makes of what the battery's rules permit. */
void cv_cache_decide(const struct ctl_vd *cv, enum write_policy requested,
                     struct write_policy_decision *decision);
/* The virtual drive is deleted: nothing of it is wanted any more. */
void ctl_cache_forget(struct ctl *ctl, const struct guid *guid);
/* The same of a drive group. */
void ctl_intents_forget(struct ctl *ctl, const struct guid *guid);
void ctl_cache_free(struct ctl *ctl);
void ctl_cache_started(struct ctl *ctl);
/* Nothing of it is on its way to its medium. */
bool ctl_cache_is_quiet(const struct ctl *ctl);
void ctl_cache_work(struct ctl *ctl);
void view_cache(const struct ctl *ctl, struct cache_view *view);
/* Why the medium is not used any more. */
void cache_gone_reason(const struct ctl *ctl, struct reason *ret_reason);
/* Whose cached writes wait for their drives, and why those of the first. False: nobody's. */
bool cache_preserved_names(const struct ctl *ctl, struct name_list *names,
                           struct reason *ret_reason);
void command_cache_discard(struct ctl *ctl, struct ctl_command *command);

/* ctl_drive_cache.c */
/* Can these drives (NULL: none) have their write caches so? */
bool rule_drive_cache(struct ctl_drive *const *drives, uint32_t count,
                      enum drive_cache_policy policy, struct reason *ret_reason);
void ctl_drive_caches_work(struct ctl *ctl);
bool ctl_drive_caches_are_quiet(const struct ctl *ctl); /* no switch is under way */

/* ctl_copyback.c */
bool return_note(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member);
void return_forget(struct controller_record *record, const char *key);
bool return_place_forget(struct controller_record *record, uint32_t eid, uint32_t slot);
bool return_is_known(struct ctl *ctl, const char *key);
/* Fills cd to take the place of a member that works; done with a reason, change is held by the
 * caller. */
void ctl_copyback_begin(struct ctl_group *cg, uint32_t member, struct ctl_drive *cd, bool by_user,
                        void (*done)(struct ctl *ctl, const struct reason *reason, void *context),
                        void *context);
void cg_copyback_ended(void *context, struct group *group, struct drive *drive,
                       enum reason_code why);
void cg_copyback_done(void *context, struct group *group, uint32_t member, struct drive *former);
/* Will it be filled from a member without being asked for? */
bool copyback_wants(const struct ctl_drive *cd);
void ctl_copybacks_work(struct ctl *ctl);

/* command_spin.c: asks for it; done is called at once or later. Only of a drive that is claimed. */
void cd_spin(struct ctl_drive *cd, bool down,
             void (*done)(struct ctl_drive *cd, int error, void *context), void *context);
bool cd_is_spun_down(const struct ctl_drive *cd);

/* ctl_later.c: of a drive whose place is vacant. */
bool cg_label_is_later(const struct ctl_group *cg, const struct drive_label *label);
/* Of any drive whose label names the group. */
void cg_rival_note(struct ctl_group *cg, const struct drive_label *label);
void ctl_laters_work(struct ctl *ctl);

/* ctl_task.c */
void ctl_tasks_work(struct ctl *ctl);
struct ctl_operation *operation_of_member(const struct ctl_group *cg, uint32_t member);
struct ctl_operation *operation_of_copyback(const struct ctl_group *cg);
/* The operation's drive filled in, where a reason names one. */
void operation_reason(const struct ctl_operation *op, enum reason_code code,
                      struct reason *ret_reason);
struct ctl_operation *operation_of_vd(const struct ctl_vd *cv); /* which makes it consistent */
struct ctl_operation *operation_of_check(const struct ctl_vd *cv);
/* False: there is no memory for it now. */
MUST_CHECK bool operation_start_check(struct ctl_vd *cv, const struct task_check_start *start);
void operation_percent_text(const struct task_status_view *status, char out[16]);
/* Asks the tasks of a group (or of one of its virtual drives) to end; true when none is left. */
bool operations_stopped(struct ctl_group *cg, struct ctl_vd *cv, enum reason_code why);
void operations_rate_set(struct ctl *ctl);
/* Of what has no task and belongs to no group: who does it keeps the status. */
struct ctl_operation *operation_bare_begin(struct ctl *ctl, enum operation_kind kind,
                                           const struct ctl_object *target, bool by_user);
void operation_bare_end(struct ctl_operation *op, enum operation_state state, enum reason_code why);
void ctl_operations_free(struct ctl *ctl);

/* ctl_patrol.c */
/* Why the drive would not be patrolled now; false: it would. */
bool cd_patrol_reason(const struct ctl_drive *cd, struct reason *ret_reason);
/* False: there is no drive for it. */
bool ctl_patrol_begin(struct ctl *ctl, bool by_user);
void ctl_patrol_stop(struct ctl *ctl, enum reason_code why);
void ctl_patrol_pause(struct ctl *ctl);
void ctl_patrol_resume(struct ctl *ctl);
/* The record's rate has changed. */
void ctl_patrol_rate_set(struct ctl *ctl);
/* When the next one is to begin. */
void ctl_patrol_plan(struct ctl *ctl, struct controller_patrol *plan);
void ctl_patrol_work(struct ctl *ctl);
/* True when none is under way any more; else it kicks when it has ended. */
bool ctl_patrol_stopped(struct ctl *ctl);
/* The same of a group's drives: nothing is mended there, and (all) nothing is read. */
bool ctl_patrols_of_group_stopped(struct ctl_group *cg, bool all);
/* Unless it runs, or an answer is awaited: then its memory is kept. */
void cd_patrol_free(struct ctl_drive *cd);
bool rule_patrol(const struct ctl *ctl, enum task_action action, struct reason *ret_reason);
void command_patrol_read(struct ctl *ctl, struct ctl_command *command);

/* rules.c: may it be done now? False fills the reason. */
bool rule_online(const struct ctl *ctl, struct reason *ret_reason);
/* The drive has too little room (in the group, if one is given), and how much is missing. */
void reason_too_small(struct reason *ret_reason, enum reason_code code, const struct ctl_drive *cd,
                      const struct ctl_group *cg, uint64_t has_bytes, uint64_t needed_bytes);
/* "1 MiB", of what is missing: rounded up, so that nobody adds too little. */
void size_difference(uint64_t bytes, char out[24]);
/* Nobody is connected to what ctl exports under this key; else code, with name and connections. */
bool rule_unused(const struct ctl *ctl, const char *key, const char *name, enum reason_code code,
                 struct reason *ret_reason);
/* Before data are given up: the name of what holds them has been typed. */
bool rule_confirmed(const char *typed, const char *expected, struct reason *ret_reason);
bool rule_ports(const struct ctl *ctl, uint32_t more, struct reason *ret_reason);
/* An operation that runs (NULL: none does) can be acted upon so. */
bool rule_operation(const struct ctl_operation *op, enum task_action action, const char *name,
                    struct reason *ret_reason);
bool rule_bgi(const struct ctl_vd *cv, enum task_action action, struct reason *ret_reason);
/* Always false: the reason is what it is busy with. */
bool rule_vd_busy(const struct ctl_vd *cv, const char *with, struct reason *ret_reason);
bool rule_group_running(const struct ctl_group *cg, enum ctl_op op, struct reason *ret_reason);
bool rule_drive_replace(const struct ctl_group *cg, struct reason *ret_reason);
bool rule_group_create(const struct ctl_group *cg, struct reason *ret_reason);

/* drive_rules.c: the same of drives */
/* By its group's record, too? That still tells of the former drive while this one takes its place.
 */
bool cd_is_recorded(const struct ctl_drive *cd);
enum life_state cd_life(const struct ctl_drive *cd);
bool rule_drive(const struct ctl_drive *cd, enum life_command command, struct reason *ret_reason);
/* False, with a reason that names the drive. */
bool refuse_drive(struct reason *ret_reason, enum reason_code code, const struct ctl_drive *cd);
/* Nothing is on it that was not allowed to be overwritten. */
/* What is written to it is lost when the agent stops: its file was deleted. */
bool rule_drive_lasts(const struct ctl_drive *cd, struct reason *ret_reason);
bool rule_drive_for_use(const struct ctl_drive *cd, enum life_command command, bool force,
                        bool serial_given, struct reason *ret_reason);
bool rule_drive_import(const struct ctl_drive *cd, struct reason *ret_reason);
/* Can cd be filled to take the place of that member? */
bool rule_copyback_target(const struct ctl_drive *cd, const struct ctl_group *cg, uint32_t member,
                          struct reason *ret_reason);
bool rule_fault_inject(const struct ctl_drive *cd, struct reason *ret_reason);

/* preview.c: the planner of creations */
struct creation {
    struct ctl_group *group; /* NULL: a new one */
    uint32_t drive_count;
    struct ctl_drive *drives[COMMAND_DRIVES_MAX];
    uint32_t spare_count;
    struct ctl_drive *spares[COMMAND_SPARES_MAX];
    struct vd_config vd; /* all but its guid and its time */
};
void creation_plan(struct ctl *ctl, const struct command_vd_create *args,
                   struct creation *ret_creation, struct ctl_preview *ret_preview);
void preview_refuse(struct ctl_preview *preview, const struct reason *reason);
void preview_warn(struct ctl_preview *preview, const struct reason *reason);
/* preview_text.c */
void preview_tolerance(const struct geometry *geometry, char *out, size_t capacity);
void preview_cli(const struct ctl *ctl, const struct command_vd_create *args,
                 const struct creation *creation, bool all, char *out, size_t capacity);
void preview_digest(const struct creation *creation, const struct command_vd_create *args,
                    char out[65]);
void preview_warnings(const struct ctl *ctl, const struct creation *creation,
                      struct ctl_preview *preview);
/* group_space.c: first fit for extent_bytes in a group's free space; 0 length: the largest gap. */
bool group_space_find(const struct ctl_group *cg, uint64_t extent_bytes, uint64_t *ret_start,
                      uint64_t *ret_bytes);
uint64_t group_space_free(const struct ctl_group *cg);
/* Bytes of every member from the start of a virtual drive of it to the next one, or to the end. */
uint64_t group_space_of(const struct ctl_group *cg, const struct vd_config *vd);

/* command.c */
void ctl_commands_work(struct ctl *ctl);
void ctl_commands_refuse(struct ctl *ctl, enum reason_code why);
/* The running command ends; change is given up. */
void command_finish(struct ctl *ctl, const struct reason *reason);
/* The drive of a command; NULL: there is none, and the command is refused. */
struct ctl_drive *command_drive_find(struct ctl *ctl, const char *key);
void command_done(struct ctl *ctl);
void command_refuse(struct ctl *ctl, enum reason_code code);
void command_object_add(struct ctl_command *command, const struct ctl_object *object);
/* command_*.c: each ends with command_finish(), now or later. */
void command_vd_create(struct ctl *ctl, struct ctl_command *command);
void command_vd_delete(struct ctl *ctl, struct ctl_command *command);
void command_vd_delete_work(struct ctl *ctl);
void command_vd_set(struct ctl *ctl, struct ctl_command *command);
void command_controller_set(struct ctl *ctl, struct ctl_command *command);
void command_spare_add(struct ctl *ctl, struct ctl_command *command);
void command_spare_remove(struct ctl *ctl, struct ctl_command *command);
void command_rebuild(struct ctl *ctl, struct ctl_command *command);
void command_task_work(struct ctl *ctl);
void command_copyback(struct ctl *ctl, struct ctl_command *command);
void command_bgi(struct ctl *ctl, struct ctl_command *command);

/* ctl_check.c */
void view_check(const struct ctl_vd *cv, struct check_view *view, struct view_digest *digest);
void command_consistency_check(struct ctl *ctl, struct ctl_command *command);
void command_drive_replace(struct ctl *ctl, struct ctl_command *command);
void command_drive_offline(struct ctl *ctl, struct ctl_command *command);
void command_drive_online(struct ctl *ctl, struct ctl_command *command);
void command_drive_good(struct ctl *ctl, struct ctl_command *command);
void command_drive_missing(struct ctl *ctl, struct ctl_command *command);
void command_drive_jbod(struct ctl *ctl, struct ctl_command *command);
void command_drive_spin(struct ctl *ctl, struct ctl_command *command);
void command_drive_erase(struct ctl *ctl, struct ctl_command *command);
void cd_locate_work(struct ctl_drive *cd);
void cd_md_left_work(struct ctl_drive *cd); /* ctl_md_left.c */
void command_drive_locate(struct ctl *ctl, struct ctl_command *command);
void command_fault_inject(struct ctl *ctl, struct ctl_command *command);
void command_battery_learn(struct ctl *ctl, struct ctl_command *command);
void command_battery_set(struct ctl *ctl, struct ctl_command *command);
void command_battery_fault(struct ctl *ctl, struct ctl_command *command);
/* command_battery.c: may it be done now? */
bool rule_battery_learn(const struct ctl *ctl, struct reason *ret_reason);
bool rule_battery_set(const struct ctl *ctl, struct reason *ret_reason);
bool rule_battery_fault(const struct ctl *ctl, struct reason *ret_reason);
void command_foreign_import(struct ctl *ctl, struct ctl_command *command);
void command_foreign_clear(struct ctl *ctl, struct ctl_command *command);
/* drive_good of a foreign drive: its metadata are saved first. */
void command_clear_drive(struct ctl *ctl, struct ctl_command *command, struct ctl_drive *cd);
void command_undo_restore(struct ctl *ctl, struct ctl_command *command);
void command_counters_reset(struct ctl *ctl, struct ctl_command *command);

#include "ctl/names.h"
#include "ctl/spare_choice.h"

#endif
