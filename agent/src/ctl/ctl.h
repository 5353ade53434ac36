/*
 * The controller: owner of drives, drive groups, virtual drives, spares and tasks, and the
 * single entry for typed commands. Single-threaded; every call comes from the loop.
 *
 * Life: ctl_create → ctl_start (reads labels, assembles, starts groups and due rebuilds; meanwhile
 * ctl_drive_arrived for every device found, and ctl_drives_looking) → commands, requests, arrivals
 * and departures →
 * ctl_stop → ctl_free.
 *
 * (1) Every refusal is a struct reason; a refused command has changed nothing.
 * (2) An object's rev grows with every change of its document; config_rev only with
 *     configuration or health. Revisions start above those of the last run (options).
 * (3) Every state change of a drive or virtual drive emits its event exactly once.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_H
#define ARRAYWRIGHT_CTL_CTL_H

#include "base/attrs.h"
#include "base/guid.h"
#include "base/latency.h"
#include "cache/write_policy.h"
#include "ctl/command.h"
#include "ctl/profile.h"
#include "ctl/view.h"
#include "drive/drive.h"
#include "drive/drive_health.h"
#include "emulate/emulated_battery.h"
#include "emulate/emulated_drive.h"
#include "meta/foreign.h"
#include "port/battery_reading.h"
#include "port/clock_port.h"
#include "port/device_port.h"
#include "port/event_port.h"
#include "port/log_port.h"
#include "port/memory_port.h"
#include "port/store_port.h"
#include "vd/vd_request.h"

struct ctl;
struct ctl_host;

/* What the world below the line wants to know, beyond events. */
struct ctl_observer {
    /* Something has changed; read it with ctl_objects_since(). urgent: health, not progress. */
    void (*changed)(void *context, bool urgent);
    /* A virtual drive can be exported, or must not be any more: the export closes, then
     * calls ctl_export_closed(). */
    void (*export_open)(void *context, struct vd_target *target, const char *vd_key);
    void (*export_close)(void *context, struct vd_target *target, const char *vd_key);
    /* Open client connections of a virtual drive. */
    uint32_t (*export_connections)(void *context, const char *vd_key);
    /* Its block device on this host, "" if there is none; may be NULL. */
    void (*export_device)(void *context, const char *vd_key, char *path, size_t bytes);
    /* A record of the state directory was damaged, for the log; may be NULL. */
    void (*record_damaged)(void *context, const char *file, const char *cost);
    /* A record cannot be used, so ctl_create() fails; may be NULL. */
    void (*record_refused)(void *context, const char *name, int error);
    void *context;
};

/* Where the charge behind the cache comes from. */
struct ctl_battery_options {
    bool fitted;
    enum battery_kind kind;
    char source[128]; /* profile, NAME@HOST:PORT, or the medium: for people */
    struct battery_profile profile; /* emulated */
    uint32_t speed; /* emulated: seconds of its life per second; 0 is 1 */
    uint64_t settle_us; /* a better state must last so long before it counts */
    uint32_t shutdown_s; /* UPS: the host's own time to stop */
    bool absorbs_flush; /* UPS: an administrator lets memory answer a flush */
};

struct ctl_options {
    uint32_t index; /* 0: /c0 */
    struct ctl_host *host; /* shared with the host's other controllers; NULL: it is alone */
    char model[41];
    char firmware_version[32]; /* of the agent */
    struct controller_profile profile;
    char hostname[65];
    char os[65], kernel[65], boot_id[37], policy_preset[17];
    char nbd_unix_path[108]; /* for the export addresses in documents */
    char nbd_tcp[64]; /* "HOST:PORT" or "" */
    bool nbd_tls; /* TCP is nbds:// */
    uint64_t next_event_seq; /* if it is alone */
    uint64_t rng_seed;
    struct drive_options drive_limits; /* 0: defaults */
    uint32_t enclosure_count;
    struct ctl_enclosure_config enclosures[8];
    struct ctl_battery_options battery;
};

struct ctl_ports {
    struct clock_port *clock;
    struct store_port *store;
    struct event_port *events;
    struct device_port *devices;
};

/* Reads its own records from the store (controller UUID, properties, known groups and
 * spares, revisions). -errno if the store cannot be read or holds a damaged record. */
MUST_CHECK int ctl_create(const struct ctl_options *options, const struct ctl_ports *ports,
                          const struct ctl_observer *observer, struct ctl **ret_ctl);
struct ctl *ctl_free(struct ctl *ctl); /* only after ctl_stop has completed, or never started */

/*
 * Gives the controller its write-back cache, before ctl_start(); medium: what people call it. The
 * memory stays with the caller and must outlive the controller. On an error there is no cache,
 * and nothing was changed: -EEXIST: it is another controller's, -EBADMSG: damaged,
 * -EPROTONOSUPPORT: of a later version, -ERANGE, -ENOSPC: its size, -ENOMEM. owner: opens the cache
 * of a former controller, whose it stays, so that a state directory that comes back can open it,
 * too (NULL: its own).
 */
MUST_CHECK int ctl_cache_open(struct ctl *ctl, struct memory_port *memory, const struct uuid *owner,
                              const char *medium);
/* The same on a log; memory: zeros, journal_log_memory_bytes() of them. Blocks while it reads. Or
 * an error of the port. */
MUST_CHECK int ctl_cache_open_log(struct ctl *ctl, struct log_port *port,
                                  struct memory_port *memory, const struct uuid *owner,
                                  const char *medium);

/* The name of a virtual drive whose record names another cache with its writes than this journal,
 * while none names this one; NULL: there is none. */
const char *ctl_cache_elsewhere(const struct ctl *ctl, const struct uuid *journal);

void ctl_start(struct ctl *ctl, void (*done)(void *context, int error), void *context);
void ctl_stop(struct ctl *ctl, void (*done)(void *context), void *context);
bool ctl_is_online(const struct ctl *ctl);

/* A device has appeared. */
/* The bay a drive is in, if the host found one. */
struct ctl_bay {
    char enclosure_id[64]; /* "": none */
    char model[41]; /* of the enclosure; "" */
    uint32_t slot, slot_count;
};

struct ctl_drive_arrival {
    const struct drive_identity *identity;
    struct ctl_bay bay; /* counts if the identity has no enclosure */
    void *device; /* the host's handle, for device_port */
    struct io_port *port; /* claimed and open, or NULL: offered only */
    uint64_t size_bytes; /* for offered devices */
    uint32_t block_bytes;
    uint32_t physical_block_bytes;
    struct emulated_drive *emulated; /* NULL for real devices */
    enum drive_write_cache write_cache; /* the drive's own */
    bool write_cache_settable;
    bool awaited; /* the host is still claiming it: it arrives once more with its port, or without
                   * being awaited */
    bool claimed_elsewhere; /* a claim would be refused as long as another process has it */
    bool has_reason; /* not usable as it is: why */
    struct reason reason;
    char signature[64]; /* known content found by probing, or "" */
    struct foreign_drive *foreign; /* what stands behind the signature, or NULL; taken over */
};
void ctl_drive_arrived(struct ctl *ctl, const struct ctl_drive_arrival *arrival);
/* The drive was seen before, in this run or an earlier one, and keeps its number. */
bool ctl_drive_is_numbered(const struct ctl *ctl, const char *key);
/* Another record of the state directory was damaged, by its file: what that costs, as a sentence.
 */
void ctl_record_damaged(struct ctl *ctl, const char *file, const char *cost);
/* At the start: the host has yet to look at some of its drives, or has looked at all. Before the
 * first call it has. */
void ctl_drives_looking(struct ctl *ctl, bool looking);
/* The device has left. The host keeps `port` valid until the core has released it. */
void ctl_drive_departed(struct ctl *ctl, void *device);
/* The host waited that long for the exclusive claim, in vain or not; after the arrival. */
void ctl_drive_claim_waited(struct ctl *ctl, void *device, uint32_t seconds);
void ctl_drive_temperature(struct ctl *ctl, void *device, int celsius);
/* What a drive says of its own health. False: there is none with this key. */
bool ctl_drive_health(struct ctl *ctl, const char *key, const struct drive_health *health);

/* What the source of a battery that is not emulated says now. */
void ctl_battery_reading(struct ctl *ctl, const struct battery_reading *reading);
/* What the write-back cache has for its journal, and how fast the drives were measured to take
 * it in (0: not yet). Until then: none. */
void ctl_write_medium(struct ctl *ctl, enum write_medium medium, uint64_t destage_bytes_per_s);
/* What the cache has yet to write to the drives; 0 without one. */
uint64_t ctl_dirty_bytes(const struct ctl *ctl);
/* What may be dirty behind a UPS; UINT64_MAX: nothing limits it. */
uint64_t ctl_dirty_limit_bytes(const struct ctl *ctl);

/* Documents. Calls visit for every object with rev > since, then for every tombstone. Views
 * are valid during the call only. */
struct ctl_visitor {
    void (*object)(void *context, const struct object_head *head, const void *view);
    void (*tombstone)(void *context, const struct object_head *head);
    void *context;
};
uint64_t ctl_rev(const struct ctl *ctl);
/* Tombstones older than this have been forgotten: a reader behind it needs a full state. */
uint64_t ctl_tombstone_floor(const struct ctl *ctl);
void ctl_objects_since(const struct ctl *ctl, uint64_t since, const struct ctl_visitor *visitor);
struct uuid ctl_state_epoch(const struct ctl *ctl);
struct uuid ctl_uuid(const struct ctl *ctl);

/* Commands: validated, executed, completed once, never from inside ctl_execute. The command
 * and its strings stay with the caller until then. */
void ctl_execute(struct ctl *ctl, struct ctl_command *command);
/* Puts the policies of a preset into the command that names one: who judges a command before it
 * runs judges what it sets. What is given itself stays; once more changes nothing. */
bool ctl_preset_fill(const struct ctl *ctl, struct ctl_command *command, struct reason *ret_reason);
/* Pure: what would ctl_execute do with this creation? A preset is filled in. */
void ctl_preview(struct ctl *ctl, struct command_vd_create *args, struct ctl_preview *ret_preview);
/* Pure: what would become of the policies. False: there is no such virtual drive. */
bool ctl_preview_set(struct ctl *ctl, struct command_vd_set *args,
                     struct ctl_policy_preview *ret_preview);

/* What a drive or virtual drive has done since counting began, and what it has to do. */
struct ctl_load {
    const struct latency *latency;
    uint32_t queued; /* operations that wait or are under way */
    bool cached; /* a virtual drive behind the cache: */
    uint64_t hit_bytes; /* read from the cache since it was opened */
    uint64_t miss_bytes; /* read from the drives */
};
/* False: there is no such object, or it is not in use. */
MUST_CHECK bool ctl_drive_load(const struct ctl *ctl, const char *key, struct ctl_load *ret_load);
MUST_CHECK bool ctl_vd_load(const struct ctl *ctl, const char *key, struct ctl_load *ret_load);

void ctl_export_closed(struct ctl *ctl, struct vd_target *target);

/* Bad blocks of a drive or virtual drive, lowest addresses first (meta/bad_blocks.h). */
#define CTL_BAD_BLOCKS_MAX 256u
struct ctl_bad_block {
    uint64_t lba;
    uint64_t count;
    enum bad_block_kind kind;
};
struct ctl_bad_blocks {
    uint32_t block_bytes;
    uint64_t total; /* entries in all */
    bool more; /* there are others behind those listed */
    uint32_t count;
    struct ctl_bad_block blocks[CTL_BAD_BLOCKS_MAX];
};
/* after_lba: list what is behind it; NULL: from the beginning. False with a reason. */
bool ctl_bad_blocks(const struct ctl *ctl, enum object_kind kind, const char *key,
                    const uint64_t *after_lba, struct ctl_bad_blocks *ret_list,
                    struct reason *ret_reason);

#endif
