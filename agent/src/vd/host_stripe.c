/*
 * See host_stripe.h. A request is in one of three places: in line (`waiting`, its parts not all
 * begun), under way (only its parts know it), or in `finished` (refused, or done before its last
 * part had begun: answered from the timer).
 */
#include "vd/host_stripe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/pool.h"
#include "base/sim_bug.h"

#define PARTS_DEFAULT 1024u

struct host_stripe {
    struct vd_target target;
    struct clock_port *clock;
    uint32_t strip_bytes;
    uint32_t member_count;
    struct vd_target *members[STRIPE_MEMBERS_MAX];
    struct pool parts;
    uint64_t requests_open;
    struct list waiting;         /* the first may have begun */
    struct list finished;         /* to be answered by the timer */
    struct clock_timer timer;    /* answers those that have, and goes on with those that wait */
    bool starting;               /* members never answer from inside */
};

struct part {
    struct vd_request request;
    struct vd_request *origin;
    struct host_stripe *stripe;
};

/* What a request keeps in vd_private. */
struct progress {
    uint64_t next;               /* bytes of it, or members, that have begun */
    uint64_t open;               /* parts under way */
    uint64_t begun;              /* all of them have begun */
    uint64_t status;
};

STATIC_ASSERT(sizeof(struct progress) <= sizeof(((struct vd_request *)NULL)->vd_private),
              "a request has room for its progress");

static struct progress *progress_of(struct vd_request *request)
{
    return (struct progress *)(void *)request->vd_private;
}

uint64_t host_stripe_share(uint64_t end_bytes, uint32_t strip_bytes, uint32_t member_count,
                           uint32_t member)
{
    uint64_t strip = end_bytes / strip_bytes;
    uint64_t turn = strip % member_count;
    uint64_t whole = strip / member_count + (member < turn ? 1 : 0);

    ASSERT(member < member_count);
    return whole * strip_bytes + (turn == member ? end_bytes % strip_bytes : 0);
}

/* Answers */

static void request_answer(struct host_stripe *stripe, struct vd_request *request)
{
    enum vd_status status = (enum vd_status)progress_of(request)->status;

    ASSERT(progress_of(request)->open == 0);
    ASSERT(stripe->requests_open > 0);
    stripe->requests_open--;
    request->complete(request, status);
}

static void go_on_later(struct host_stripe *stripe)
{
    if (!stripe->timer.armed) {
        clock_arm(stripe->clock, &stripe->timer, clock_now_us(stripe->clock));
    }
}

static void part_answered(struct vd_request *request, enum vd_status status)
{
    struct part *part = request->owner;
    struct host_stripe *stripe = part->stripe;
    struct vd_request *origin = part->origin;
    struct progress *progress = progress_of(origin);

    ASSERT(progress->open > 0);
    ASSERT(!stripe->starting);
    progress->open--;
    if (SIM_BUG(HOST_STRIPE_ERROR_FORGOTTEN) ||
        (status != VD_STATUS_OK && progress->status == VD_STATUS_OK)) {
        progress->status = status; /* (4) */
    }
    pool_give(&stripe->parts, part);
    if (!list_is_empty(&stripe->waiting)) {
        go_on_later(stripe);
    }
    if (progress->open == 0 && progress->begun != 0) {
        request_answer(stripe, origin);
    }
}

/* Parts */

static void part_begin(struct host_stripe *stripe, struct vd_request *origin, uint32_t member,
                       uint64_t offset_bytes, uint64_t length_bytes, uint8_t *buffer)
{
    struct part *part = pool_take(&stripe->parts);

    ASSERT(part != NULL);
    ASSERT(length_bytes <= UINT32_MAX);
    *part = (struct part){.request = {.op = origin->op,
                                      .fua = origin->fua && !SIM_BUG(HOST_STRIPE_FUA_LOST),
                                      .offset_bytes = offset_bytes,
                                      .length_bytes = (uint32_t)length_bytes,
                                      .buffer = buffer,
                                      .complete = part_answered,
                                      .owner = part},
                          .origin = origin,
                          .stripe = stripe};
    list_init(&part->request.vd_link);
    progress_of(origin)->open++;
    stripe->starting = true;
    stripe->members[member]->ops->submit(stripe->members[member], &part->request);
    stripe->starting = false;
}

/* False: no part is free. */
static bool strips_begin(struct host_stripe *stripe, struct vd_request *request)
{
    struct progress *progress = progress_of(request);

    while (progress->next < request->length_bytes) {
        uint64_t at = request->offset_bytes + progress->next;
        uint64_t strip = at / stripe->strip_bytes;
        uint64_t within = at % stripe->strip_bytes;
        uint64_t length =
            min_u64(stripe->strip_bytes - within, request->length_bytes - progress->next);

        if (pool_free_count(&stripe->parts) == 0) {
            return false;
        }
        part_begin(stripe, request, (uint32_t)(strip % stripe->member_count),
                   strip / stripe->member_count * stripe->strip_bytes + within, length,
                   request->buffer + progress->next);
        progress->next += length;
    }
    return true;
}

static bool members_begin(struct host_stripe *stripe, struct vd_request *request)
{
    struct progress *progress = progress_of(request);
    bool flushes = request->op == VD_OP_FLUSH;
    uint64_t end = request->offset_bytes + request->length_bytes;

    while (progress->next < stripe->member_count) {
        uint32_t member = (uint32_t)progress->next;
        uint64_t from = host_stripe_share(request->offset_bytes, stripe->strip_bytes,
                                          stripe->member_count, member);
        uint64_t to = host_stripe_share(end, stripe->strip_bytes, stripe->member_count, member);

        if (pool_free_count(&stripe->parts) == 0) {
            return false;
        }
        if (flushes ? !SIM_BUG(HOST_STRIPE_FLUSH_ONE) || member == 0 : to > from) {
            part_begin(stripe, request, member, flushes ? 0 : from, to - from, NULL);
        }
        progress->next++;
    }
    return true;
}

static bool request_begin(struct host_stripe *stripe, struct vd_request *request)
{
    return request->op == VD_OP_READ || request->op == VD_OP_WRITE ? strips_begin(stripe, request)
                                                                   : members_begin(stripe, request);
}

static void waiting_begin(struct host_stripe *stripe)
{
    while (!list_is_empty(&stripe->waiting)) {
        struct vd_request *request =
            list_entry(list_first(&stripe->waiting), struct vd_request, vd_link);

        if (!request_begin(stripe, request)) {
            return; /* (1): nobody overtakes it */
        }
        list_remove(&request->vd_link);
        progress_of(request)->begun = 1;
        if (progress_of(request)->open == 0) { /* nothing to do, or all of it is done */
            list_push_tail(&stripe->finished, &request->vd_link);
            go_on_later(stripe);
        }
    }
}

static void timer_fired(struct clock_timer *timer)
{
    struct host_stripe *stripe = timer->owner;
    struct list *node = NULL;

    while ((node = list_pop_head(&stripe->finished)) != NULL) {
        request_answer(stripe, list_entry(node, struct vd_request, vd_link));
    }
    waiting_begin(stripe);
}

/* Requests */

static enum vd_status request_check(const struct host_stripe *stripe,
                                    const struct vd_request *request)
{
    const struct vd_target *target = &stripe->target;
    bool writes = request->op != VD_OP_READ && request->op != VD_OP_FLUSH;

    if ((unsigned)request->op >= VD_OP_MAX ||
        ((request->offset_bytes | request->length_bytes) & (target->block_bytes - 1)) != 0 ||
        request->offset_bytes > target->size_bytes ||
        request->length_bytes > target->size_bytes - request->offset_bytes) {
        return VD_STATUS_INVALID;
    }
    if ((request->op == VD_OP_READ || request->op == VD_OP_WRITE) && request->buffer == NULL &&
        request->length_bytes > 0) {
        return VD_STATUS_INVALID;
    }
    return writes && target->read_only ? VD_STATUS_READ_ONLY : VD_STATUS_OK;
}

static void target_submit(struct vd_target *target, struct vd_request *request)
{
    struct host_stripe *stripe = container_of(target, struct host_stripe, target);
    enum vd_status status = request_check(stripe, request);

    ASSERT(request->complete != NULL);
    memset(request->vd_private, 0, sizeof(request->vd_private));
    list_init(&request->vd_link);
    stripe->requests_open++;
    if (status != VD_STATUS_OK) {
        progress_of(request)->status = status;
        list_push_tail(&stripe->finished, &request->vd_link);
        go_on_later(stripe);
        return;
    }
    if (SIM_BUG(HOST_STRIPE_OVERTAKES)) {
        list_push_head(&stripe->waiting, &request->vd_link);
    } else {
        list_push_tail(&stripe->waiting, &request->vd_link);
    }
    waiting_begin(stripe);
}

static const struct vd_target_ops target_ops = {.submit = target_submit};

/* Life */

static bool options_agree(const struct host_stripe_options *options)
{
    uint32_t strip = options->strip_bytes;

    if (options->member_count < STRIPE_MEMBERS_MIN || options->member_count > STRIPE_MEMBERS_MAX ||
        strip < STRIPE_STRIP_MIN_BYTES || strip > STRIPE_STRIP_MAX_BYTES ||
        (strip & (strip - 1)) != 0 || options->member_bytes == 0 ||
        options->member_bytes % strip != 0 ||
        options->member_bytes > UINT64_MAX / STRIPE_MEMBERS_MAX ||
        strlen(options->name) >= sizeof(((struct vd_target *)NULL)->name)) {
        return false;
    }
    for (uint32_t i = 0; i < options->member_count; i++) {
        const struct vd_target *member = options->members[i];

        if (member->size_bytes < options->member_bytes || member->block_bytes > strip) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (options->members[j] == member) {
                return false;
            }
        }
    }
    return true;
}

static void target_fill(struct host_stripe *stripe, const struct host_stripe_options *options)
{
    struct vd_target *target = &stripe->target;

    target->ops = &target_ops;
    (void)snprintf(target->name, sizeof(target->name), "%s", options->name); /* it fits */
    (void)snprintf(target->description, sizeof(target->description),
                   "stripe over %u virtual drives", options->member_count);
    target->size_bytes = options->member_bytes * options->member_count;
    target->optimal_io_bytes = stripe->strip_bytes * stripe->member_count;
    for (uint32_t i = 0; i < options->member_count; i++) {
        const struct vd_target *member = options->members[i];

        if (member->block_bytes > target->block_bytes) {
            target->block_bytes = member->block_bytes;
        }
        if (member->preferred_block_bytes > target->preferred_block_bytes) {
            target->preferred_block_bytes = member->preferred_block_bytes;
        }
        target->read_only = target->read_only || member->read_only;
    }
}

int host_stripe_create(const struct host_stripe_options *options, struct clock_port *clock,
                       struct host_stripe **ret_stripe)
{
    struct host_stripe *stripe = NULL;
    int error = 0;

    ASSERT(options->name != NULL && clock != NULL);
    if (!options_agree(options)) {
        return -EINVAL;
    }
    stripe = calloc(1, sizeof(*stripe));
    if (stripe == NULL) {
        return -ENOMEM;
    }
    error = pool_init(&stripe->parts, options->parts != 0 ? options->parts : PARTS_DEFAULT,
                      sizeof(struct part));
    if (error != 0) {
        free(stripe);
        return error;
    }
    stripe->clock = clock;
    stripe->strip_bytes = options->strip_bytes;
    stripe->member_count = options->member_count;
    memcpy(stripe->members, options->members, sizeof(stripe->members));
    list_init(&stripe->waiting);
    list_init(&stripe->finished);
    stripe->timer = (struct clock_timer){.fire = timer_fired, .owner = stripe};
    list_init(&stripe->timer.port_link);
    target_fill(stripe, options);
    *ret_stripe = stripe;
    return 0;
}

struct host_stripe *host_stripe_free(struct host_stripe *stripe)
{
    if (stripe == NULL) {
        return NULL;
    }
    ASSERT(host_stripe_is_idle(stripe));
    clock_cancel(stripe->clock, &stripe->timer);
    pool_done(&stripe->parts);
    free(stripe);
    return NULL;
}

struct vd_target *host_stripe_target(struct host_stripe *stripe)
{
    return &stripe->target;
}

bool host_stripe_is_idle(const struct host_stripe *stripe)
{
    return stripe->requests_open == 0;
}
