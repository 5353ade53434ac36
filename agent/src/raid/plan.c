/*
 * The decisions behind plan.h. Three families: plain stripes, mirrors, parity rows; each
 * answers the three wants. Nothing here loops over bytes or knows a buffer.
 *
 * Words: a place is good if it is valid and has not just failed; data or parity that is
 * not good is missing. Invariants (1)..(5) are those of plan.h, proved by plan_check().
 */
#include "raid/plan.h"

#include <errno.h>
#include <stddef.h>

#include "base/assert.h"
#include "base/sim_bug.h"

/* What every decision below needs of the input, worked out once. */
struct view {
    const struct plan_input *in;
    uint32_t data;        /* all data places of the row (mirrors: all places) */
    uint32_t parity;      /* P and Q */
    uint32_t p;           /* the bit of P, or 0 */
    uint32_t good;
    uint32_t missing;     /* data places that are not good */
    uint32_t partial;     /* touched, but old content remains in part */
    uint32_t failed_or_fill;
};

static uint32_t place_bit(int place)
{
    ASSERT(place < (int)RAID_SPAN_MEMBERS_MAX);
    return place < 0 ? 0 : UINT32_C(1) << place;
}

static uint32_t bit_count(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

static uint32_t lowest_bit(uint32_t mask)
{
    return mask & (0u - mask);
}

static uint32_t all_places(uint32_t width)
{
    ASSERT(width >= 1 && width <= RAID_SPAN_MEMBERS_MAX);
    return UINT32_MAX >> (RAID_SPAN_MEMBERS_MAX - width);
}

static struct view view_make(const struct plan_input *in)
{
    struct view view = {.in = in};

    view.p = place_bit(in->map->p_place);
    view.parity = view.p | place_bit(in->map->q_place);
    view.data = all_places(in->map->width) & ~view.parity;
    view.good = in->valid & ~in->failed;
    view.missing = view.data & ~view.good;
    view.partial = in->touched & ~in->full;
    view.failed_or_fill = (in->failed | in->fill) & ~view.good;
    return view;
}

/* The caller's promises. */
static void input_check(const struct plan_input *in)
{
    uint32_t all = all_places(in->map->width);
    uint32_t parity = place_bit(in->map->p_place) | place_bit(in->map->q_place);
    bool mirrored = raid_level_info(in->level)->mirrored;

    ASSERT(((in->valid | in->writable | in->fill) & ~all) == 0);
    ASSERT((in->valid & ~in->writable) == 0);
    ASSERT((in->failed & ~in->valid) == 0);
    ASSERT((in->fill & ~in->writable) == 0);
    ASSERT((in->full & ~in->touched) == 0);
    ASSERT((in->touched & ~(mirrored ? 1u : all & ~parity)) == 0);
    if (in->want == PLAN_SYNC) {
        ASSERT(in->touched == 0);
    } else {
        ASSERT(in->touched != 0);
        ASSERT(in->fill == 0);
    }
    ASSERT(in->full == 0 || in->want == PLAN_WRITE);
}

/* The promises to the caller that can be read off the masks. */
static void plan_check(const struct plan_input *in, const struct plan *plan)
{
    ASSERT((plan->reads & ~(in->valid & ~in->failed)) == 0);        /* (1) */
    ASSERT((plan->writes & ~in->writable) == 0);                    /* (2) */
    ASSERT(plan->kernel != PLAN_KERNEL_UPDATE || in->consistent);   /* (4) */
    ASSERT((plan->lost & plan->reads) == 0);
    ASSERT((plan->recover_from & ~plan->reads) == 0);
    ASSERT(plan->lost == 0 || plan->kernel == PLAN_KERNEL_RECOVER ||
           plan->kernel == PLAN_KERNEL_RECOVER_GENERATE);
    ASSERT(in->want != PLAN_READ || (plan->writes & ~in->failed) == 0);
}

/* RAID 0: nothing can be had from elsewhere. */

static int plan_plain(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;

    if (in->want == PLAN_SYNC) {
        plan->makes_consistent = true;
        return view->failed_or_fill == 0 ? 0 : -EIO;
    }
    plan->reads = in->want == PLAN_READ ? in->touched : view->partial;
    if ((in->touched & ~in->valid) != 0 || (plan->reads & ~view->good) != 0) {
        return -EIO;
    }
    if (in->want == PLAN_WRITE) {
        plan->writes = in->touched;
        plan->makes_consistent = true;
    }
    return 0;
}

/* Mirrors: RAID 1 and 10. */

/*
 * The copy to read. Until the copies are known to agree it is always the lowest good one,
 * so that two reads without a write between them return the same.
 */
static uint32_t mirror_source(const struct view *view)
{
    const struct plan_input *in = view->in;

    if (in->consistent && in->mirror_preference < in->map->width) {
        uint32_t preferred = UINT32_C(1) << in->mirror_preference;

        if ((preferred & view->good) != 0) {
            return preferred;
        }
    }
    return lowest_bit(view->good);
}

static int plan_mirror_read(const struct view *view, struct plan *plan)
{
    if (view->good == 0) {
        return -EIO;
    }
    plan->reads = mirror_source(view);
    plan->writes = view->in->failed;
    plan->kernel = plan->writes == 0 ? PLAN_KERNEL_NONE : PLAN_KERNEL_COPY;
    return 0;
}

static int plan_mirror_write(const struct view *view, struct plan *plan)
{
    /* A copy on nothing but a rebuild target could not be read back. */
    if (view->in->valid == 0) {
        return -EIO;
    }
    if (view->partial != 0) {
        if (view->good == 0) {
            return -EIO;
        }
        plan->reads = mirror_source(view);
    }
    plan->writes = view->in->writable;
    plan->kernel = PLAN_KERNEL_COPY;
    plan->makes_consistent = true;
    return 0;
}

static int plan_mirror_sync(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;
    uint32_t source = lowest_bit(view->good); /* what has been read so far */
    uint32_t targets = 0;

    if (SIM_BUG(SYNC_OTHER_COPY) && (view->good & ~source) != 0) {
        source = lowest_bit(view->good & ~source);
    }
    targets = in->consistent ? view->failed_or_fill : in->writable & ~source;
    plan->makes_consistent = true;
    if (targets == 0) {
        return 0;
    }
    if (source == 0) {
        return -EIO;
    }
    plan->reads = source;
    plan->writes = targets;
    plan->kernel = PLAN_KERNEL_COPY;
    return 0;
}

static int plan_mirror(const struct view *view, struct plan *plan)
{
    switch (view->in->want) {
    case PLAN_READ:
        return plan_mirror_read(view, plan);
    case PLAN_WRITE:
        return plan_mirror_write(view, plan);
    case PLAN_SYNC:
        return plan_mirror_sync(view, plan);
    }
    UNREACHABLE();
}

/* Parity rows: RAID 5, 6, 50, 60. */

/*
 * Every missing data strip is an unknown of the same equations, wanted or not: with one
 * unknown one good parity will do, P before Q; with two it takes both. Sets lost,
 * recover_from and reads; lost is to go to parity_recover() as it is, therefore a P that
 * must not be used counts as lost. Returns 0 or -EIO.
 */
static int recover_missing(const struct view *view, struct plan *plan)
{
    uint32_t good_parity = view->parity & view->good;
    uint32_t unknowns = bit_count(view->missing);

    if (unknowns > bit_count(good_parity)) {
        return -EIO;
    }
    if (unknowns == 2) {
        plan->recover_from = good_parity;
    } else if (unknowns == 1) {
        plan->recover_from = (good_parity & view->p) != 0 ? view->p : good_parity;
    }
    plan->lost = view->missing;
    if (unknowns == 1 && plan->recover_from != view->p) {
        plan->lost |= view->p;
    }
    plan->reads = (view->data & view->good) | plan->recover_from;
    return 0;
}

/* Recovers all missing data and the parity in `parity_wanted`, and writes `writes`. */
static int plan_recover(const struct view *view, uint32_t parity_wanted, uint32_t writes,
                        struct plan *plan)
{
    int error = recover_missing(view, plan);

    if (error < 0) {
        return error;
    }
    ASSERT((parity_wanted & plan->recover_from) == 0);
    plan->lost |= parity_wanted;
    plan->writes = writes;
    plan->kernel = PLAN_KERNEL_RECOVER;
    ASSERT(bit_count(plan->lost) <= bit_count(view->parity));
    return 0;
}

static int plan_parity_read(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;

    /* What is all there is read as it is: plan_make() has answered that. */
    ASSERT(in->failed != 0 || (in->touched & ~view->good) != 0);
    if (plan_recover(view, in->failed & view->parity, in->failed, plan) == 0) {
        return 0;
    }
    /* The failed places are beyond repair, but perhaps none of them was asked for. */
    if ((in->touched & ~view->good) == 0) {
        *plan = (struct plan){.reads = in->touched};
        return 0;
    }
    return -EIO;
}

/* All parity members are gone: the data columns stand alone, like RAID 0. */
static int plan_write_unprotected(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;

    if ((in->touched & ~in->valid) != 0 || (view->partial & ~view->good) != 0) {
        return -EIO;
    }
    plan->reads = view->partial;
    plan->writes = in->touched;
    plan->makes_consistent = true;
    return 0;
}

/* Reconstruct-write: all data that are not replaced are there to be read. */
static int plan_write_generate(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;
    uint32_t unstored = view->data & ~in->valid;

    ASSERT((view->missing & ~in->full) == 0);
    /* What no data column can hold must be held by as many parity columns. */
    if ((in->touched & unstored) != 0 &&
        bit_count(unstored) > bit_count(view->parity & in->valid)) {
        return -EIO;
    }
    plan->kernel = PLAN_KERNEL_GENERATE;
    plan->reads = view->data & ~in->full;
    plan->writes = (in->touched | view->parity) & in->writable;
    plan->makes_consistent = true;
    return 0;
}

/*
 * As above with missing data recovered first. Recovered data also go to a rebuild target:
 * if that slice had been rebuilt already (ahead of the published cursor), it stays right
 * even where the row was not consistent and the missing data are only now defined.
 */
static int plan_write_recover(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;
    int error = recover_missing(view, plan);

    if (error < 0) {
        return error;
    }
    plan->kernel = PLAN_KERNEL_RECOVER_GENERATE;
    plan->writes = (in->touched | view->parity | view->missing) & in->writable;
    plan->makes_consistent = true;
    return 0;
}

/*
 * Read-modify-write: needs the old content of what is touched and of all parity that is
 * kept up, a rebuild target's included, which is not to be read: then it is no choice.
 */
static int plan_write_update(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;
    uint32_t parity = view->parity & in->writable;

    if (!in->consistent || ((in->touched | parity) & ~view->good) != 0) {
        return -EIO;
    }
    plan->kernel = PLAN_KERNEL_UPDATE;
    plan->reads = in->touched | parity;
    plan->writes = in->touched | parity;
    return 0;
}

static uint32_t plan_cost(const struct plan *plan)
{
    return bit_count(plan->reads) + bit_count(plan->writes);
}

/* What waits before the commands of a plan, each at its drive. */
static uint64_t plan_waiting(const struct view *view, const struct plan *plan)
{
    const uint32_t *waiting = view->in->waiting;
    uint64_t sum = 0;

    for (uint32_t place = 0; waiting != NULL && place < view->in->map->width; place++) {
        sum +=
            (uint64_t)waiting[place] * ((plan->reads >> place & 1) + (plan->writes >> place & 1));
    }
    return sum;
}

/*
 * The fewest commands; at a tie, which is one of bytes too, as all columns of a slice are of one
 * size, those to drives with less to do. Where that is the same the update leaves more drives
 * alone, and writes where their heads have just read.
 */
static bool update_is_better(const struct view *view, const struct plan *whole,
                             const struct plan *update)
{
    const struct plan_input *in = view->in;
    uint32_t whole_cost = plan_cost(whole);
    uint32_t update_cost = plan_cost(update);

    if (in->partial == PLAN_PARTIAL_UPDATE && bit_count(in->touched) == 1) {
        ASSERT((view->data & ~in->full) != 0); /* no parity is of one strip alone */
        return true;
    }
    if (whole_cost != update_cost) {
        return update_cost < whole_cost;
    }
    return plan_waiting(view, update) <= plan_waiting(view, whole);
}

static int plan_parity_write(const struct view *view, struct plan *plan)
{
    struct plan whole = {.kernel = PLAN_KERNEL_NONE};
    struct plan update = {.kernel = PLAN_KERNEL_NONE};
    int whole_error = 0;
    int update_error = 0;

    if ((view->parity & view->in->writable) == 0) {
        return plan_write_unprotected(view, plan);
    }
    if ((view->missing & ~view->in->full) == 0) {
        whole_error = plan_write_generate(view, &whole);
    } else {
        whole_error = plan_write_recover(view, &whole);
    }
    update_error = plan_write_update(view, &update);
    if (whole_error < 0 && update_error < 0) {
        return -EIO;
    }
    /* Only the whole row repairs what failed. */
    if (update_error < 0 ||
        (whole_error == 0 && (view->in->failed != 0 || !update_is_better(view, &whole, &update)))) {
        *plan = whole;
    } else {
        *plan = update;
    }
    return 0;
}

static int plan_parity_sync(const struct view *view, struct plan *plan)
{
    const struct plan_input *in = view->in;
    uint32_t targets = view->failed_or_fill;
    int error = 0;

    if (in->consistent && targets == 0) {
        plan->makes_consistent = true;
        return 0;
    }
    if (in->consistent) {
        error = plan_recover(view, targets & view->parity, targets, plan);
        plan->makes_consistent = true;
        return error;
    }
    error = recover_missing(view, plan);
    if (error < 0) {
        return error;
    }
    plan->writes = (view->parity | view->missing) & in->writable;
    plan->kernel = view->missing == 0 ? PLAN_KERNEL_GENERATE : PLAN_KERNEL_RECOVER_GENERATE;
    plan->makes_consistent = true;
    if (plan->writes == 0) {
        /* No parity column is left that could disagree. */
        *plan = (struct plan){.makes_consistent = true};
    }
    return 0;
}

static int plan_parity(const struct view *view, struct plan *plan)
{
    switch (view->in->want) {
    case PLAN_READ:
        return plan_parity_read(view, plan);
    case PLAN_WRITE:
        return plan_parity_write(view, plan);
    case PLAN_SYNC:
        return plan_parity_sync(view, plan);
    }
    UNREACHABLE();
}

/* What is to be copied elsewhere is in its buffer after the kernel, or is read. */
static int plan_copy(const struct view *view, bool mirrored, struct plan *plan)
{
    const struct plan_input *in = view->in;
    bool generated =
        plan->kernel == PLAN_KERNEL_GENERATE || plan->kernel == PLAN_KERNEL_RECOVER_GENERATE;
    uint32_t there = plan->reads | plan->lost | (generated ? view->parity : 0);

    if (mirrored) {
        plan->reads |= plan->reads != 0               ? 0
                       : (in->copy & view->good) != 0 ? in->copy
                                                      : lowest_bit(view->good);
        return plan->reads != 0 ? 0 : -EIO;
    }
    plan->reads |= in->copy & ~there & view->good;
    return (in->copy & ~there & ~view->good) == 0 ? 0 : -EIO;
}

int plan_make(const struct plan_input *input, struct plan *ret_plan)
{
    const struct raid_level_info *info = raid_level_info(input->level);
    struct plan plan = {.kernel = PLAN_KERNEL_NONE};
    struct view view = {.in = NULL};
    int error = 0;

    input_check(input);
    if (plan_is_plain_read(info, input->want, input->touched, input->valid, input->failed)) {
        *ret_plan = plan_plain_read(input->touched);
        return 0;
    }
    view = view_make(input);
    ASSERT(bit_count(view.parity) == info->parity_count);
    if (info->mirrored) {
        error = plan_mirror(&view, &plan);
    } else if (info->parity_count == 0) {
        error = plan_plain(&view, &plan);
    } else {
        error = plan_parity(&view, &plan);
    }
    if (input->want == PLAN_SYNC && input->copy != 0) {
        if (error < 0) { /* the rest of the row is beyond help, but perhaps not that place */
            plan = (struct plan){.kernel = PLAN_KERNEL_NONE};
        }
        error = plan_copy(&view, info->mirrored, &plan);
    }
    if (error < 0) {
        return error;
    }
    plan_check(input, &plan);
    *ret_plan = plan;
    return 0;
}
