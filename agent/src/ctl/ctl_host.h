/*
 * What the controllers of one host have in common: one sequence of revisions, of events and of
 * operations, and one set of names. A controller stays a controller; whoever speaks for the host
 * (the control socket) asks here.
 *
 * (1) Revisions, event numbers and operation numbers grow over all controllers: a reader follows
 *     one sequence, whichever controller has changed.
 * (2) Names of virtual drives are unique on the host: exports go by them. A drive that reaches two
 *     controllers belongs to the one that had it first. Keys are unique but for what one controller
 *     took over while the other was away: the other has its old record of it, with the same key.
 *     A command acts on the object of the controller that it names, or is refused.
 * (3) The first controller shows the host, and its epoch names the state of all.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_HOST_H
#define ARRAYWRIGHT_CTL_CTL_HOST_H

#include "base/list.h"
#include "ctl/ctl.h"
#include "ctl/foreign_view.h"
#include "ctl/undo_view.h"

#define CTL_HOST_CONTROLLERS_MAX 8u
#define CTL_HOST_ENDED_EXPORTS 64u

/* An export that ended: whoever attaches by its name still means what it stood for. */
struct ended_export {
    char name[VD_NAME_MAX + 1];  /* "" in a place that was never used */
    uint64_t until_us;           /* monotonic: so long the name is remembered */
};

/* Outlives its controllers. Its fields are theirs. */
struct ctl_host {
    struct list ctls;            /* in the order of their indexes */
    uint64_t rev;
    uint64_t event_seq;          /* of the next event */
    uint64_t operation_next;
    struct ctl *naming;          /* whose command gives a name now: one at a time; or NULL */
    bool monitor_silent;         /* there should be one, and it does not ask */
    struct list stripes;         /* over virtual drives (ctl_stripe.c) */
    bool stripes_held;           /* a command is changing one: nothing is put together */
    struct ended_export ended[CTL_HOST_ENDED_EXPORTS]; /* a ring; the oldest is overwritten */
    uint32_t ended_next;
};

void ctl_host_init(struct ctl_host *host, uint64_t next_event_seq);
/* That of a controller, also if it is alone. */
const struct ctl_host *ctl_host_of(const struct ctl *ctl);

/* Whether the host's monitor should run and does not. */
void ctl_host_monitor_set(struct ctl_host *host, bool silent);

/* Every controller is online. */
bool ctl_host_is_online(const struct ctl_host *host);

/* As of a controller (ctl.h), of all of them. */
uint64_t ctl_host_rev(const struct ctl_host *host);
uint64_t ctl_host_tombstone_floor(const struct ctl_host *host);
struct uuid ctl_host_state_epoch(const struct ctl_host *host);
void ctl_host_objects_since(const struct ctl_host *host, uint64_t since,
                            const struct ctl_visitor *visitor);

/* Why nothing is exported by this name at present (ctl_offer.c). */
enum export_outlook {
    EXPORT_OUTLOOK_UNKNOWN, /* there is no such virtual drive or stripe */
    EXPORT_OUTLOOK_REFUSED, /* there is, but clients cannot have it: *ret_why is a sentence */
    EXPORT_OUTLOOK_SOON     /* it is being started, or may turn out to be */
};
enum export_outlook ctl_host_export_outlook(const struct ctl_host *host, const char *name,
                                            const char **ret_why);
/* Whatever is about to be exported is. */
bool ctl_host_exports_are_complete(const struct ctl_host *host);

/* Was something else exported under this name within the last hour, or did a deleted virtual drive
 * have it that can still be restored? */
bool ctl_host_name_is_recent(const struct ctl_host *host, const char *name);

/* What a command does to data and exports, as bits of enum command_effect, and the class that
 * follows from the gravest of them: class O without any. Presets must have been filled in. */
enum command_class ctl_command_class(const struct ctl_host *host, const struct ctl_command *command,
                                     uint32_t *ret_effects);

/* The controller that has this object. Of none: the first, which says in its words that there is
 * no such object. */
struct ctl *ctl_host_owner(const struct ctl_host *host, enum object_kind kind, const char *key);
/* Settles which controller a command is for, once and for all: command->controller, unless the host
 * itself is meant. False: there is no such controller, or two have an object of this key. */
MUST_CHECK bool ctl_host_address(const struct ctl_host *host, struct ctl_command *command,
                                 struct reason *ret_reason);
/* The controller that a command is for. */
struct ctl *ctl_host_addressed(const struct ctl_host *host, const struct ctl_command *command);

/* Saved metadata of the controller with this key; NULL: of all. */
void ctl_host_undo(const struct ctl_host *host, const char *key,
                   const struct ctl_undo_visitor *visitor);
/* Foreign sets on the drives of the controller with this key; NULL: of all. */
void ctl_host_foreign(const struct ctl_host *host, const char *key,
                      const struct ctl_foreign_visitor *visitor);

#endif
