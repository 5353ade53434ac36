/*
 * What is about to be exported, for clients that ask before it is.
 *
 * (1) A name is unknown only when nothing of this host can turn out to have it: while a controller
 *     starts, a record on its drives may be newer than the one in the state directory.
 * (2) Whatever is called SOON ends by itself: starts, restarts and reassemblies are bounded by the
 *     drives' own time limits and by the time missing drives are awaited.
 */
#include <string.h>

#include "base/assert.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_stripe.h"

static bool cg_comes_soon(const struct ctl_group *cg)
{
    bool whole = false;

    switch (cg->phase) {
    case CTL_GROUP_WAITING:
        return cg->ctl->life != CTL_LIFE_ONLINE ||
               (group_can_start(cg, cg->config, &whole) && cg->elsewhere_problem == NULL);
    case CTL_GROUP_STARTING:
    case CTL_GROUP_STOPPING:
    case CTL_GROUP_STOPPED:
        return true; /* it is being made anew, or the agent stops and nobody is asked any more */
    case CTL_GROUP_RUNNING:
        return false;
    }
    UNREACHABLE();
}

/* Of a virtual drive that goes by its own name. */
static enum export_outlook cv_outlook(const struct ctl_vd *cv, const char **ret_why)
{
    const struct ctl_group *cg = cv->cg;

    if (cv->removing) {
        return EXPORT_OUTLOOK_UNKNOWN;
    }
    if (cv->measure.active) {
        *ret_why = "the virtual drive is being measured";
        return EXPORT_OUTLOOK_REFUSED;
    }
    if (cv_config(cv)->access == ACCESS_POLICY_BLOCKED) {
        *ret_why = "access to the virtual drive is blocked (set accesspolicy)";
        return EXPORT_OUTLOOK_REFUSED;
    }
    if (cg_comes_soon(cg)) {
        return EXPORT_OUTLOOK_SOON;
    }
    if (cg->phase == CTL_GROUP_WAITING) {
        *ret_why = "the virtual drive is offline: its drive group waits for missing drives";
        return EXPORT_OUTLOOK_REFUSED;
    }
    if (cg->quiescing || cv->export_closing || cv->export_stale || cv->target == NULL) {
        return EXPORT_OUTLOOK_SOON;
    }
    *ret_why = "the virtual drive could not be exported; the log of arrayd says why";
    return EXPORT_OUTLOOK_REFUSED;
}

static enum export_outlook stripe_outlook(const struct ctl_host *host,
                                          const struct ctl_stripe *stripe, const char **ret_why)
{
    struct stripe_found found;

    stripe_find(host, &stripe->uuid, &found);
    if (found.known == 0) {
        return EXPORT_OUTLOOK_UNKNOWN;
    }
    if (stripe->closing || host->stripes_held || !ctl_host_is_online(host)) {
        return EXPORT_OUTLOOK_SOON;
    }
    *ret_why = "the stripe is not complete: members of it are missing or offline";
    if (!found.whole) {
        return EXPORT_OUTLOOK_REFUSED;
    }
    for (uint32_t i = 0; i < found.found; i++) {
        const struct ctl_vd *cv = found.members[i];

        if (cv->stripe_ready || cv->stripe != NULL) {
            continue;
        }
        if (!cg_comes_soon(cv->cg)) {
            return EXPORT_OUTLOOK_REFUSED;
        }
    }
    return stripe->work == NULL ? EXPORT_OUTLOOK_SOON : EXPORT_OUTLOOK_REFUSED;
}

enum export_outlook ctl_host_export_outlook(const struct ctl_host *host, const char *name,
                                            const char **ret_why)
{
    HOST_FOR_EACH_VD (cv, host) {
        if (strcmp(cv_config(cv)->name, name) != 0) {
            continue;
        }
        if (cv_is_striped(cv)) {
            *ret_why = "the virtual drive is a member of a stripe, which is exported instead";
            return EXPORT_OUTLOOK_REFUSED;
        }
        return cv_outlook(cv, ret_why);
    }
    LIST_FOR_EACH (node, &host->stripes) {
        const struct ctl_stripe *stripe = list_entry(node, struct ctl_stripe, link);
        struct stripe_found found;

        stripe_find(host, &stripe->uuid, &found);
        if (found.config != NULL && strcmp(found.config->name, name) == 0) {
            return stripe_outlook(host, stripe, ret_why);
        }
    }
    return ctl_host_is_online(host) ? EXPORT_OUTLOOK_UNKNOWN : EXPORT_OUTLOOK_SOON; /* (1) */
}

/* It is exported now. */
static bool cv_is_offered(const struct ctl_vd *cv)
{
    return cv->target != NULL && !cv->export_closing;
}

bool ctl_host_exports_are_complete(const struct ctl_host *host)
{
    const char *why = NULL;

    if (!ctl_host_is_online(host)) {
        return false;
    }
    HOST_FOR_EACH_VD (cv, host) {
        if (!cv_is_striped(cv) && !cv_is_offered(cv) &&
            cv_outlook(cv, &why) == EXPORT_OUTLOOK_SOON) {
            return false;
        }
    }
    LIST_FOR_EACH (node, &host->stripes) {
        const struct ctl_stripe *stripe = list_entry(node, struct ctl_stripe, link);
        bool offered = stripe->work != NULL && !stripe->closing;

        if (!offered && stripe_outlook(host, stripe, &why) == EXPORT_OUTLOOK_SOON) {
            return false;
        }
    }
    return true;
}
