/*
 * Stripes over virtual drives of any of the host's controllers (see ctl_stripe.c), and the
 * commands that make and dissolve them (command_stripe.c).
 */
#ifndef ARRAYWRIGHT_CTL_CTL_STRIPE_H
#define ARRAYWRIGHT_CTL_CTL_STRIPE_H

#include "ctl/ctl_private.h"
#include "vd/host_stripe.h"

/* A stripe that virtual drives of the host name (ctl_stripe.c). */
struct ctl_stripe {
    struct list link;              /* host->stripes */
    struct uuid uuid;
    object_key_t key;
    enum host_stripe_state seen_state;
    uint32_t seen_found;
    struct host_stripe *work;      /* NULL: it is not put together */
    bool closing;                  /* its export is, or has been */
    bool closed;                   /* it has been: what is under way ends */
    uint32_t member_count;         /* with work: */
    struct ctl_vd *members[STRIPE_MEMBERS_MAX];
    struct ctl *exporter;          /* the first member's */
};

/* What the records of the host say of one. */
struct stripe_found {
    const struct vd_stripe *config; /* of one of its members; NULL: nobody names it */
    uint32_t known;                /* virtual drives that name it */
    uint32_t found;                /* places that are taken */
    bool whole;                    /* each by one, and they agree */
    struct ctl_vd *members[STRIPE_MEMBERS_MAX]; /* by position */
};

bool cv_is_striped(const struct ctl_vd *cv);
/* What users of the virtual drive talk to. */
struct vd_target *cv_target(const struct ctl_vd *cv);
void stripe_find(const struct ctl_host *host, const struct uuid *uuid,
                 struct stripe_found *ret_found);
enum host_stripe_state stripe_state_of(const struct stripe_found *found);
struct ctl_stripe *stripe_by_key(const struct ctl_host *host, const char *key);
/* Takes it from its users; stripe_export_closed() takes it apart. */
void stripe_close(struct ctl_stripe *stripe);
void stripe_export_closed(struct ctl_host *host, const struct vd_target *target);
/* Puts together what can be, and tells what has become of them. */
void ctl_stripes_work(struct ctl *ctl);
void stripes_free(struct ctl_host *host);
void view_stripe(const struct ctl_vd *cv, struct stripe_view *view, struct view_digest *digest);
/* A member stays as it is; false fills the reason. */
bool rule_stripe_free(const struct ctl_vd *cv, struct reason *ret_reason);
bool rule_stripe_delete_vd(const struct ctl_vd *cv, struct reason *ret_reason);

void command_stripe_create(struct ctl *ctl, struct ctl_command *command);
void command_stripe_delete(struct ctl *ctl, struct ctl_command *command);
void command_stripe_work(struct ctl *ctl);
/* May it be a member of a new one? */
bool rule_stripe_create(const struct ctl_vd *cv, bool force, struct reason *ret_reason);

#endif
