/*
 * A controller over simulated drives and a simulated store, for tests: slots with drives in an
 * enclosure, an event log, synchronous commands, restarts and power cuts.
 */
#ifndef ARRAYWRIGHT_TESTS_CTL_WORLD_H
#define ARRAYWRIGHT_TESTS_CTL_WORLD_H

#include "aw_test.h"
#include "ctl/ctl_host.h"
#include "port/log_port.h"
#include "sim_drive.h"
#include "sim_store.h"
#include "sim_world.h"

#define SLOTS_MAX 260u
#define EVENTS_MAX 4096u
#define MIB (UINT64_C(1) << 20)
#define SLOT_EID 252u

struct slot {
    struct ctl_world *world;
    struct sim_drive *drive;
    struct emulated_drive *emulated;
    struct sim_drive_options options;
    char serial[41];
    char model[41];
    enum drive_media media;
    enum drive_interface interface;
    uint32_t eid;               /* 0: SLOT_EID */
    const char *found_in;       /* in no configured enclosure, but in the one with this id */
    uint32_t bay;
    bool real;                  /* says that it is not emulated */
    bool dark;                  /* its bay has no LED; nor can faults be set on it */
    bool offered;               /* arrives without a port, to be claimed */
    bool awaited;               /* arrives without a port: the host is still claiming it */
    bool probed;                /* offered or awaited: what is on it is looked at */
    bool absent;                /* not there when the controller starts */
    int claim_error;
    int claim_reason;
    char signature[64];
    enum reason_code unsuitable; /* offered, but not to be used; REASON_OK: it is suitable */
    bool cache_on;              /* of a drive that is not emulated */
    bool cache_fixed;
    int cache_error;
    uint32_t cache_switches;
    int spin_error;
    bool spun_down;
    uint32_t replaced;
    bool claimed, released;
};

struct ctl_world {
    struct sim_world *sim;
    struct ctl_world *leader;   /* whose sim and events it uses; NULL: its own */
    struct ctl_host *host;      /* shared with others; NULL: it is alone */
    uint32_t index;
    struct sim_store *store;
    struct device_port devices;
    struct event_port events;
    struct ctl *ctl;
    struct slot slots[SLOTS_MAX];
    uint32_t slot_count;
    struct event log[EVENTS_MAX];
    uint32_t log_count;
    uint64_t next_seq;
    uint64_t seed;
    struct ctl_battery_options battery;
    struct memory_port *cache_memory; /* of the write-back cache; NULL: none */
    struct log_port *cache_log;       /* and its log; NULL: the memory is durable itself */
    struct controller_profile profile;
    uint32_t changes, urgent_changes;
    uint32_t connections;
    struct vd_target *exported[64];
    char exported_key[64][65];
    uint32_t exported_count;
    uint32_t exports_closed;
    bool hold_exports;          /* export_close is not answered */
    struct vd_target *held;
    struct sim_drive *retired[32];
    struct emulated_drive *retired_emulated[32];
    uint32_t retired_count;
    uint32_t pull_slot;         /* pulled … */
    uint32_t pull_after_steps;  /* … so many steps into the next command; 0: never */
    /* The last command's outcome. */
    struct reason reason;
    char text[REASON_TEXT_MAX];
};

/* Memory for a write-back cache, as if nobody had used it; its base is to be freed. */
void world_memory_make(struct memory_port *memory, enum memory_kind kind, uint64_t size_bytes);

struct ctl_world *world_new(uint64_t seed, uint32_t slot_count);
struct ctl_world *world_new_sized(uint64_t seed, uint32_t slot_count, uint64_t size_bytes);
/* Another controller of the leader's host; to be stopped and freed before it. */
struct ctl_world *world_beside(struct ctl_world *leader, uint32_t index, uint32_t slot_count);
void world_free(struct ctl_world *world);
/* Creates the controller, announces the drives, starts it. */
void world_start(struct ctl_world *world);
int world_try_start(struct ctl_world *world);
/* Does not wait: *ret_result stays 1 until the start has ended with 0 or a negative errno. */
int world_begin_start(struct ctl_world *world, int *ret_result);
/* Orderly. */
void world_stop(struct ctl_world *world);
void world_restart(struct ctl_world *world);
/* After sim_world_power_off: winds down, and comes back. */
void world_power_down(struct ctl_world *world);
void world_power_cycle(struct ctl_world *world);
/* The same of all controllers of a host. */
void worlds_power_down(struct ctl_world *const *worlds, uint32_t count);
void world_settle(struct ctl_world *world, uint64_t us);

/* Of the world's device port (ctl_world_spin.c): the motor takes 5 s. */
void devices_spin(struct device_port *port, struct device_spin *request);
/* As the host looks at a device that it offers (ctl_world_probe.c); NULL: it is nobody's. */
struct foreign_drive *slot_probe(struct slot *slot);
const char *slot_key(const struct ctl_world *world, uint32_t slot);
void slot_arrive(struct ctl_world *world, uint32_t slot);
void slot_depart(struct ctl_world *world, uint32_t slot);

/* Runs a command to its end; its reason goes to world->reason and ->text. */
enum reason_code world_run(struct ctl_world *world, struct ctl_command *command);
/* The same; the command must have changed nothing but the objects that it names. */
enum reason_code world_run_narrow(struct ctl_world *world, struct ctl_command *command);
/* level over slots first … first + count - 1. */
struct ctl_command *world_create_command(struct ctl_world *world, enum raid_level level,
                                         uint32_t first, uint32_t count, const char *name);
enum reason_code world_create(struct ctl_world *world, enum raid_level level, uint32_t first,
                              uint32_t count, const char *name);
enum reason_code world_delete(struct ctl_world *world, const char *name);
/* Who may access a virtual drive, from now on. */
void world_access(struct ctl_world *world, const char *name, enum access_policy access);
enum reason_code world_fault(struct ctl_world *world, uint32_t slot, enum fault_kind fault);
enum reason_code world_spare(struct ctl_world *world, uint32_t slot, const char *group);
enum reason_code world_drive_op(struct ctl_world *world, enum ctl_op op, uint32_t slot);
enum reason_code world_task(struct ctl_world *world, enum ctl_op op, const char *target,
                            enum task_action action);

/* Power cuts (ctl_world_cut.c). What has been written so far: writes and flushes of the drives,
 * puts of the store. */
uint64_t world_writes(const struct ctl_world *world);
/* Runs a command until so much more is written, and then the power goes; true when the command
 * had ended before. */
bool world_run_cut(struct ctl_world *world, struct ctl_command *command, uint64_t at,
                   enum sim_cut cut);
/* Every step-th write of a change is cut until it gets through: the number of cuts. With AW_CUTS=n
 * in the environment, for slow builds, only every n-th of them. */
typedef bool world_cut_at(void *what, uint64_t at, enum sim_cut cut);
uint32_t world_cut_along(world_cut_at *cut_at, void *what, enum sim_cut cut, uint32_t step);
uint32_t world_cut_stride(void);
/* More than `least`, or the n-th part of it. */
void world_cuts_suffice(const char *what, uint32_t points, uint32_t least);

/* Documents */
bool world_drive(struct ctl_world *world, uint32_t slot, struct drive_view *ret_view);
enum drive_state world_drive_state(struct ctl_world *world, uint32_t slot);
bool world_vd(struct ctl_world *world, const char *name, struct virtual_drive_view *ret_view,
              object_key_t ret_key);
bool world_group(struct ctl_world *world, uint32_t index, struct drive_group_view *ret_view,
                 object_key_t ret_key);
bool world_operation(struct ctl_world *world, enum operation_kind kind,
                     struct operation_view *ret_view, object_key_t ret_key);
uint64_t world_config_rev(struct ctl_world *world, enum object_kind kind, const char *key);
uint32_t world_count(struct ctl_world *world, enum object_kind kind);
/* Everything of the configuration that a user sees, as text: to compare before and after. */
void world_describe(struct ctl_world *world, char *out, size_t capacity);

bool world_wait_state(struct ctl_world *world, const char *name, enum virtual_drive_state state,
                      uint64_t limit_us);
bool world_wait_consistent(struct ctl_world *world, const char *name, uint64_t limit_us);

/* Data through the export. */
void world_write(struct ctl_world *world, const char *name, uint64_t offset, uint32_t length,
                 uint8_t fill);
void world_check(struct ctl_world *world, const char *name, uint64_t offset, uint32_t length,
                 uint8_t fill);
enum vd_status world_io(struct ctl_world *world, const char *name, enum vd_op op, uint64_t offset,
                        uint32_t length, uint8_t *buffer);

/* Events since `from`: index of the first with that code, or UINT32_MAX. */
/* Of that code, about the object with that key or any; NULL: there is none. Until the next call. */
const struct finding *world_finding(struct ctl_world *world, enum finding_code code,
                                    const char *key);
/* Every parameter of its reasons has been given. */
void world_document_is_whole(const struct object_head *head, const void *view);
uint32_t world_event(const struct ctl_world *world, uint32_t from, uint32_t code);
uint32_t world_event_count(const struct ctl_world *world, uint32_t from, uint32_t code);
void world_print_events(const struct ctl_world *world, uint32_t from);

#endif
