/*
 * Requests to a virtual drive: check, admit, split into stripe operations, complete once.
 *
 *   NEW -> SPLITTING -> RUNNING -> [FLUSHING if FUA] -> ANSWERED     reads and writes
 *   NEW -> FLUSHING -> ANSWERED                                      flushes
 *
 * (1) A request is split in order of admission; one that overlaps an earlier one that is not
 *     yet wholly split, either of them writing, waits. Operations on one slice queue in the
 *     order in which they were split off: so overlapping requests take effect in order.
 * (2) A request has at most half the pool, so that a long one does not starve the others.
 * (3) A flush waits for no write: what has been answered is with the drives (flush.c (1)), and it
 *     covers nothing else.
 * (4) A turn of the loop splits off a bounded amount of data to be written; the rest follows in
 *     the next one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/group_private.h"

#define ADMISSION_SCAN_MAX 32u
/* Written bytes that one turn of the loop splits off, or twice that: parity and copies take less
 * than 100 us even out of memory; a longer turn would keep the answers of others waiting. */
#define TURN_SPLIT_MAX_BYTES (512u * 1024u)

/* Memory lent by requests (vd_request.h: lends) */

/* op has ended, but a late transfer may still read the request's memory. */
static void request_memory_hold(struct stripe_op *op)
{
    struct request_state *state = request_state(op->request);

    ASSERT(op->late > 0 && op->lent != 0 && !list_is_linked(&op->lent_link));
    if (state->held == NULL) {
        state->held = op;
    } else {
        list_push_tail(&state->held->lent_link, &op->lent_link);
    }
}

/* The request is about to be answered: what is held up keeps the memory from here on. */
static void request_memory_keep(struct vd_request *request)
{
    struct stripe_op *first = request_state(request)->held;

    if (first == NULL) {
        return;
    }
    ASSERT(first->lent_memory == request->buffer);
    request->buffer = NULL;
    first->request = NULL;
    LIST_FOR_EACH (node, &first->lent_link) {
        list_entry(node, struct stripe_op, lent_link)->request = NULL;
    }
}

void request_memory_return(struct vd_lender *lender, uint8_t *memory)
{
    ASSERT(memory != NULL);
    if (lender != NULL) {
        lender->give_back(lender, memory);
    } else {
        free(memory);
    }
}

void request_memory_let_go(struct stripe_op *op)
{
    struct list *other = list_first(&op->lent_link);

    ASSERT(op->late == 0 && op->lent != 0);
    list_remove(&op->lent_link);
    if (op->request != NULL) { /* not answered yet: the memory is still its owner's */
        struct request_state *state = request_state(op->request);

        if (state->held == op) {
            state->held = other == NULL ? NULL : list_entry(other, struct stripe_op, lent_link);
        }
    } else if (other == NULL) {
        request_memory_return(op->lender, op->lent_memory);
    }
}

uint8_t *request_memory_exchange(struct vd_request *request)
{
    uint8_t *taken = request->buffer;
    uint8_t *other = aligned_alloc(IO_ALIGN_BYTES, request->length_bytes);

    if (other == NULL) {
        return NULL;
    }
    request->buffer = other;
    return taken;
}

/* Answering */

static void request_answer(struct vd_request *request, enum vd_status status)
{
    struct request_state *state = request_state(request);
    struct vd *vd = state->vd;

    ASSERT(state->phase != REQUEST_ANSWERED && state->open_ops == 0);
    ASSERT(vd->requests_open > 0 && vd->group->requests_open > 0);
    state->phase = REQUEST_ANSWERED;
    state->status = (uint8_t)status;
    request_memory_keep(request);
    vd->requests_open--;
    vd->group->requests_open--;
    if (request_writes(request)) {
        vd_write_end(vd);
    }
    if (status == VD_STATUS_OK &&
        (request->op == VD_OP_WRITE || request->op == VD_OP_WRITE_ZEROES)) {
        vd_note_rewritten(vd, request->offset_bytes, request->length_bytes);
    }
    list_init(&request->vd_link);
    list_push_tail(&vd->group->answers, &request->vd_link);
}

static struct vd_request *request_of_waiter(struct flush_waiter *waiter)
{
    struct request_state *state = container_of(waiter, struct request_state, waiter);

    return container_of((uint64_t(*)[7])(void *)state, struct vd_request, vd_private);
}

static void request_flushed(struct flush_waiter *waiter, int error)
{
    struct vd_request *request = request_of_waiter(waiter);
    const struct group *group = request_state(request)->vd->group;
    bool no_space = error == -EROFS && group->refusal == IO_STATUS_NO_SPACE;

    ASSERT(request_state(request)->phase == REQUEST_FLUSHING);
    request_answer(request, error == 0 ? VD_STATUS_OK
                            : no_space ? VD_STATUS_NO_SPACE
                                       : VD_STATUS_IO);
}

static void request_flush(struct vd_request *request)
{
    struct request_state *state = request_state(request);

    state->phase = REQUEST_FLUSHING;
    state->waiter.done = request_flushed;
    flush_wait(state->vd->group, &state->waiter);
}

/* Splitting */

/* The data strips of op's row that the request meets: [*ret_first, *ret_end). */
static void request_strips(const struct stripe_op *op, uint32_t *ret_first, uint32_t *ret_end)
{
    const struct vd_request *request = op->request;
    uint32_t strip_shift = (uint32_t)__builtin_ctz(vd_config_of(op->vd)->geometry.strip_bytes);
    uint32_t row_bytes = op->vd->row_bytes;
    uint64_t row_start = op->map.row * (uint64_t)row_bytes;
    uint64_t start = max_u64(request->offset_bytes, row_start) - row_start;
    uint64_t end =
        min_u64(request->offset_bytes + request->length_bytes, row_start + row_bytes) - row_start;

    ASSERT(start < end && end <= row_bytes);
    *ret_first = (uint32_t)start >> strip_shift;
    *ret_end = (((uint32_t)end - 1) >> strip_shift) + 1;
    ASSERT(*ret_end <= op->map.data_count);
}

bool stripe_take_range(struct stripe_op *op)
{
    uint32_t lo = UINT32_MAX;
    uint32_t hi = 0;
    uint32_t first = 0;
    uint32_t end = 0;
    uint32_t start_of_strip = 0;
    uint32_t end_of_strip = 0;

    request_strips(op, &first, &end);
    op->data_first = first;
    op->data_end = end;
    for (uint32_t d = first; d < end; d++) {
        stripe_request_range(op, d, &start_of_strip, &end_of_strip);
        if (start_of_strip < end_of_strip) {
            op->touched |= UINT32_C(1) << op->map.data_place[d];
            lo = min_u32(lo, (uint32_t)align_down_u64(start_of_strip, IO_ALIGN_BYTES));
            hi = max_u32(hi, (uint32_t)align_up_u64(end_of_strip, IO_ALIGN_BYTES));
        }
    }
    if (op->touched == 0) {
        return false;
    }
    ASSERT(hi - lo <= SLICE_MAX_BYTES);
    for (uint32_t d = first; d < end && op->want == PLAN_WRITE; d++) {
        stripe_request_range(op, d, &start_of_strip, &end_of_strip);
        if (start_of_strip <= lo && end_of_strip >= hi) {
            op->full |= UINT32_C(1) << op->map.data_place[d];
        }
    }
    op->lo = lo;
    op->hi = hi;
    return true;
}

/* One past the last (row, slice) of a request. */
static uint64_t request_cursor_end(const struct vd_request *request)
{
    const struct vd *vd = request_state((struct vd_request *)(uintptr_t)request)
                              ->vd; /* the accessor has no const form */
    uint64_t last = request->offset_bytes + request->length_bytes - 1;

    if (vd->slices == 1) { /* most requests end in the row they begin in: no division then */
        uint64_t row = request_state((struct vd_request *)(uintptr_t)request)->cursor;

        ASSERT(row * vd->row_bytes <= last); /* or it would be wholly split */
        if (last < (row + 1) * vd->row_bytes) {
            return row + 1;
        }
    }
    return (last / vd->row_bytes + 1) * vd->slices;
}

/* What a long read asks of each drive from this slice on, at most; parity between its data
 * included. */
static uint64_t request_run_bytes(const struct vd *vd, const struct vd_request *request,
                                  uint64_t row, uint32_t slice)
{
    uint64_t last = 0;
    uint64_t strips = 0;

    if (request->op != VD_OP_READ || request->length_bytes < DRIVE_RUN_LONG_BYTES) {
        return 0;
    }
    last = (request->offset_bytes + request->length_bytes - 1) / vd->row_bytes;
    ASSERT(row <= last);
    strips = div_ceil_u64(last - row + 1, vd->rows_abreast);
    return min_u64(request->length_bytes,
                   strips * vd_config_of(vd)->geometry.strip_bytes - slice * SLICE_MAX_BYTES);
}

/* Fills op with the next piece of the request before `end`. False: nothing is left. */
static bool request_next_piece(struct vd_request *request, uint64_t end, struct stripe_op *op)
{
    struct request_state *state = request_state(request);
    struct vd *vd = state->vd;
    const struct geometry *geometry = &vd_config_of(vd)->geometry;

    op->vd = vd;
    op->request = request;
    op->want = request->op == VD_OP_READ ? PLAN_READ : PLAN_WRITE;
    state->begun = true;
    while (state->cursor < end) {
        uint64_t cursor = state->cursor++;
        uint64_t row = vd->slices == 1 ? cursor : cursor / vd->slices;

        op->slice = (uint32_t)(cursor - row * vd->slices);
        op->lo = op->slice * SLICE_MAX_BYTES;
        op->hi = min_u32(op->lo + SLICE_MAX_BYTES, geometry->strip_bytes);
        geometry_row_map(geometry, row, &op->map);
        if (stripe_take_range(op)) {
            op->run_bytes = request_run_bytes(vd, request, row, op->slice);
            return true;
        }
    }
    return false;
}

static void request_complete(struct vd_request *request)
{
    struct request_state *state = request_state(request);

    ASSERT(state->phase == REQUEST_RUNNING && state->open_ops == 0);
    if (state->status == VD_STATUS_OK && request->fua && request_writes(request) &&
        !SIM_BUG(FUA_IGNORED)) {
        request_flush(request);
    } else {
        request_answer(request, (enum vd_status)state->status);
    }
}

static void request_split_done(struct vd_request *request)
{
    struct request_state *state = request_state(request);

    list_remove(&state->waiter.link);
    state->phase = REQUEST_RUNNING;
    if (state->open_ops == 0) {
        request_complete(request);
    }
}

/* (4): time stands still within a turn; where it does not move at all, turn_timer ends the turn. */
static bool turn_is_full(struct group *group)
{
    uint64_t now_us = clock_now_us(group->clock);

    if (group->split_us != now_us) {
        group->split_us = now_us;
        group->split_bytes = 0;
    }
    if (group->split_bytes < TURN_SPLIT_MAX_BYTES) {
        return false;
    }
    if (!group->turn_timer.armed) {
        clock_arm(group->clock, &group->turn_timer, now_us);
    }
    return true;
}

/* Splits off as much as the pool and the turn allow. True: the request is wholly split. */
static bool request_split(struct group *group, struct vd_request *request)
{
    struct request_state *state = request_state(request);
    uint64_t end = request_cursor_end(request);

    while (state->open_ops < div_ceil_u64(group->options.stripe_ops, 2)) {
        struct stripe_op *op = NULL;

        if (state->status != VD_STATUS_OK || state->cursor == end) {
            return true;
        }
        if (group->split_bytes >= TURN_SPLIT_MAX_BYTES && turn_is_full(group)) {
            return false;
        }
        op = stripe_op_take(group, &group->ops);
        if (op == NULL) {
            return false;
        }
        if (!request_next_piece(request, end, op)) {
            stripe_op_give(op);
            return true;
        }
        state->open_ops++;
        if (op->want == PLAN_WRITE) {
            group->split_bytes += (op->data_end - op->data_first) * (op->hi - op->lo);
        }
        stripe_start(op);
    }
    return state->cursor == end;
}

static bool requests_clash(const struct vd_request *a, const struct vd_request *b)
{
    return (request_writes(a) || request_writes(b)) && !SIM_BUG(ADMISSION_OVERTAKES) &&
           a->offset_bytes < b->offset_bytes + b->length_bytes &&
           b->offset_bytes < a->offset_bytes + a->length_bytes;
}

static struct vd_request *request_of_admission(struct list *node)
{
    return request_of_waiter(list_entry(node, struct flush_waiter, link));
}

/* (1): does an earlier request that is not wholly split overlap this one? */
static bool request_is_behind(struct group *group, struct vd_request *request)
{
    struct vd_request *earlier = NULL;

    for (struct list *node = group->admission.next;; node = node->next) {
        ASSERT(node != &group->admission);
        earlier = request_of_admission(node);
        if (earlier == request) {
            return false;
        }
        if (request_state(earlier)->vd == request_state(request)->vd &&
            requests_clash(earlier, request)) {
            return true;
        }
    }
}

/* A read that is plain has no operation; what is left of its splitting is the same. */
static bool request_go_on(struct group *group, struct vd_request *request)
{
    struct request_state *state = request_state(request);

    if (!state->begun && plain_read_begin(state->vd, request)) {
        state->open_ops++;
        return true;
    }
    return request_split(group, request);
}

void requests_pump(struct group *group)
{
    uint32_t scanned = 0;

    LIST_FOR_EACH_SAFE (node, following, &group->admission) {
        struct vd_request *request = request_of_admission(node);

        if (!stripe_ops_are_left(group) || scanned++ == ADMISSION_SCAN_MAX) {
            return;
        }
        if (!request_is_behind(group, request) && request_go_on(group, request)) {
            request_split_done(request);
        }
    }
}

void request_op_done(struct stripe_op *op)
{
    struct vd_request *request = op->request;
    struct request_state *state = request_state(request);

    ASSERT(state->open_ops > 0);
    state->open_ops--;
    if (op->late > 0 && op->lent != 0) {
        request_memory_hold(op);
    }
    if (op->error != 0) {
        state->status = op->error == -ENOSPC ? VD_STATUS_NO_SPACE : VD_STATUS_IO;
    }
    if (state->open_ops == 0 && state->phase == REQUEST_RUNNING) {
        request_complete(request);
    }
}

void request_plain_done(struct vd_request *request)
{
    struct request_state *state = request_state(request);

    ASSERT(state->open_ops == 1 && state->phase == REQUEST_RUNNING);
    state->open_ops = 0;
    request_answer(request, VD_STATUS_OK);
}

/* Admission */

static void request_wait(struct vd_request *request)
{
    struct request_state *state = request_state(request);
    struct vd *vd = state->vd;

    state->phase = REQUEST_SPLITTING;
    state->cursor = request->offset_bytes / vd->row_bytes * vd->slices;
    list_push_tail(&vd->group->admission, &state->waiter.link);
}

void request_plain_again(struct vd_request *request)
{
    struct request_state *state = request_state(request);

    ASSERT(state->open_ops == 1 && state->phase == REQUEST_RUNNING);
    state->open_ops = 0;
    state->begun = true;
    state->locked = true;
    request_wait(request);
}

enum vd_status vd_request_check(const struct vd *vd, const struct vd_request *request)
{
    const struct vd_config *config = vd_config_of(vd);
    uint64_t size_bytes = vd->target.size_bytes; /* one that grows has more, but not durably yet */

    if (vd->group->stop != STOP_NO || !vd->serving || !vd->group->online) {
        return VD_STATUS_SHUTDOWN; /* of one that is being removed the configuration has gone */
    }
    if ((unsigned)request->op >= VD_OP_MAX ||
        ((request->offset_bytes | request->length_bytes) & (config->geometry.block_bytes - 1)) !=
            0 ||
        request->offset_bytes > size_bytes ||
        request->length_bytes > size_bytes - request->offset_bytes) {
        return VD_STATUS_INVALID;
    }
    if ((request->op == VD_OP_READ || request->op == VD_OP_WRITE) && request->buffer == NULL &&
        request->gather == NULL && request->length_bytes > 0) {
        return VD_STATUS_INVALID;
    }
    if (group_is_offline(vd->group)) {
        return VD_STATUS_IO;
    }
    if (request->acknowledged) {
        return VD_STATUS_OK;
    }
    if (config->access == ACCESS_POLICY_BLOCKED) {
        return VD_STATUS_IO;
    }
    return request_writes(request) && config->access == ACCESS_POLICY_READ_ONLY
               ? VD_STATUS_READ_ONLY
               : VD_STATUS_OK;
}

static void request_admit(struct vd *vd, struct vd_request *request, enum vd_status status)
{
    if (request_writes(request)) {
        vd_write_begin(vd);
    }
    if (status != VD_STATUS_OK) {
        request_answer(request, status);
    } else if (request->op == VD_OP_FLUSH) {
        request_flush(request);
    } else if (request->length_bytes == 0) {
        request_answer(request, VD_STATUS_OK);
    } else {
        request_wait(request);
    }
}

/* A plain read that need not wait brings nothing up that a turn would have to see to. */
static bool request_begin_plain(struct vd *vd, struct vd_request *request)
{
    struct request_state *state = request_state(request);

    if (request->op != VD_OP_READ || request->length_bytes == 0 ||
        !list_is_empty(&vd->group->admission) || group_is_held(vd->group) ||
        !plain_read_begin(vd, request)) {
        return false;
    }
    state->open_ops = 1;
    state->phase = REQUEST_RUNNING;
    return true;
}

void vd_submit(struct vd *vd, struct vd_request *request)
{
    struct group *group = vd->group;
    struct request_state *state = request_state(request);
    enum vd_status status = VD_STATUS_OK;

    ASSERT(request->complete != NULL);
    memset(request->vd_private, 0, sizeof(request->vd_private));
    list_init(&request->vd_link);
    state->vd = vd;
    list_init(&state->waiter.link);
    state->phase = REQUEST_NEW;
    vd->requests_open++;
    group->requests_open++;
    status = vd_request_check(vd, request);
    if (status == VD_STATUS_OK && request_begin_plain(vd, request)) {
        return;
    }
    group_enter(group);
    request_admit(vd, request, status);
    group_leave_later(group);
}
