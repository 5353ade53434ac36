/*
 * What a stripe operation does with bytes: new data into the columns, parity and recovered
 * columns, answers out to the request. Runs between its reads and its writes.
 */
#include <string.h>

#include "raid/parity.h"
#include "vd/group_private.h"

/* Of a data strip, in the virtual drive. */
static uint64_t strip_start(const struct stripe_op *op, uint32_t data_index)
{
    const struct geometry *geometry = &vd_config_of(op->vd)->geometry;

    return op->map.row * (uint64_t)op->vd->row_bytes + (uint64_t)data_index * geometry->strip_bytes;
}

void stripe_request_range(const struct stripe_op *op, uint32_t data_index, uint32_t *ret_lo,
                          uint32_t *ret_hi)
{
    const struct vd_request *request = op->request;
    uint64_t first = strip_start(op, data_index);
    uint64_t start = max_u64(request->offset_bytes, first + op->lo);
    uint64_t end = min_u64(request->offset_bytes + request->length_bytes, first + op->hi);

    if (start >= end) {
        *ret_lo = 0;
        *ret_hi = 0;
        return;
    }
    *ret_lo = (uint32_t)(start - first);
    *ret_hi = (uint32_t)(end - first);
}

/* Where in the request's buffer byte `lo` of a data strip is. */
static uint8_t *request_bytes(const struct stripe_op *op, uint32_t data_index, uint32_t lo)
{
    uint64_t at = strip_start(op, data_index) + lo;

    ASSERT(at >= op->request->offset_bytes);
    return op->request->buffer + (at - op->request->offset_bytes);
}

static bool is_touched(const struct stripe_op *op, uint32_t data_index)
{
    return (op->touched & (UINT32_C(1) << op->map.data_place[data_index])) != 0;
}

/* The request's new bytes of one data strip over what the buffer holds. */
void stripe_overlay(const struct stripe_op *op, uint32_t data_index, uint8_t *buffer)
{
    uint32_t lo = 0;
    uint32_t hi = 0;

    stripe_request_range(op, data_index, &lo, &hi);
    ASSERT(lo < hi); /* it is touched */
    if (op->request->op == VD_OP_WRITE && op->request->gather != NULL) {
        op->request->gather(op->request, strip_start(op, data_index) + lo, buffer + (lo - op->lo),
                            hi - lo);
    } else if (op->request->op == VD_OP_WRITE) {
        memcpy(buffer + (lo - op->lo), request_bytes(op, data_index, lo), hi - lo);
    } else {
        memset(buffer + (lo - op->lo), 0, hi - lo);
    }
}

void stripe_answer(const struct stripe_op *op, uint32_t data_index, const uint8_t *buffer)
{
    uint32_t lo = 0;
    uint32_t hi = 0;

    stripe_request_range(op, data_index, &lo, &hi);
    ASSERT(lo < hi); /* it is touched */
    memcpy(request_bytes(op, data_index, lo), buffer + (lo - op->lo), hi - lo);
}

/* A strip that the request replaces as a whole goes out of its own memory, if it lends it; not
 * block by block (stripe_fine.c), where one column has many transfers. */
static bool lend(struct stripe_op *op, uint32_t data_index, uint32_t place)
{
    const struct vd_request *request = op->request;
    struct stripe_column *column = &op->columns[place];
    uint32_t data_bit = UINT32_C(1) << op->map.data_place[data_index];
    uint8_t *bytes = NULL;

    if (!request->lends || request->op != VD_OP_WRITE || request->gather != NULL ||
        (op->full & data_bit) == 0 || op->fine_end != 0) {
        return false;
    }
    bytes = request_bytes(op, data_index, op->lo);
    if ((uintptr_t)bytes % IO_ALIGN_BYTES != 0) {
        return false;
    }
    ASSERT((op->lent & (UINT32_C(1) << place)) == 0);
    op->lent |= UINT32_C(1) << place;
    op->lent_memory = request->buffer;
    op->lender = request->lender;
    column->home = column->buffer;
    column->buffer = bytes;
    return true;
}

/* New data over the old ones. */
static void merge(struct stripe_op *op)
{
    if (op->want != PLAN_WRITE) {
        return;
    }
    for (uint32_t d = op->data_first; d < op->data_end; d++) {
        if (is_touched(op, d) && !lend(op, d, op->map.data_place[d])) {
            stripe_overlay(op, d, op->columns[op->map.data_place[d]].buffer);
        }
    }
}

static void answer_all(struct stripe_op *op)
{
    if (op->want != PLAN_READ) {
        return;
    }
    for (uint32_t d = op->data_first; d < op->data_end; d++) {
        if (is_touched(op, d)) {
            stripe_answer(op, d, op->columns[op->map.data_place[d]].buffer);
        }
    }
}

/* Mirrors: one buffer holds the strip, whichever copy it came from; what came from none goes into
 * one that no late transfer may still write to. */
static void compute_mirror(struct stripe_op *op)
{
    uint32_t from = op->plan.reads != 0 ? op->plan.reads : stripe_valid_mask(op);

    op->source = from != 0 ? (uint32_t)__builtin_ctz(from) : 0; /* none: nothing is written */
    if (op->want == PLAN_WRITE) {
        if (!lend(op, 0, op->source)) {
            stripe_overlay(op, 0, op->columns[op->source].buffer);
        }
    } else if (op->want == PLAN_READ && op->request != NULL) {
        stripe_answer(op, 0, op->columns[op->source].buffer);
    }
}

static void pointers_of(const struct stripe_op *op, uint8_t **columns)
{
    for (uint32_t place = 0; place < op->map.width; place++) {
        columns[place] = op->columns[place].buffer;
    }
}

static void generate(struct stripe_op *op)
{
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];
    size_t bytes = op->hi - op->lo;

    pointers_of(op, columns);
    parity_generate(columns, op->map.width, op->map.p_place, op->map.q_place, bytes);
    if (SIM_BUG(WRONG_Q) && op->map.q_place >= 0) {
        parity_update(NULL, columns[op->map.q_place], 0, columns[op->map.data_place[0]], bytes);
    }
}

static void recover(struct stripe_op *op)
{
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];

    ASSERT(op->plan.lost != 0);
    pointers_of(op, columns);
    parity_recover(columns, op->map.width, op->map.p_place, op->map.q_place, op->plan.lost,
                   op->hi - op->lo);
}

/* P and Q follow the difference between old and new data. */
static void update(struct stripe_op *op)
{
    size_t bytes = op->hi - op->lo;
    uint8_t *delta = op->spares[0];
    int p_place = op->map.p_place;
    int q_place = op->map.q_place;
    bool has_p = (op->plan.writes & (UINT32_C(1) << p_place)) != 0;
    bool has_q = q_place >= 0 && !SIM_BUG(Q_NOT_UPDATED) &&
                 (op->plan.writes & (UINT32_C(1) << q_place)) != 0;

    ASSERT(op->spare_count > 0 && p_place >= 0 && (has_p || has_q));
    for (uint32_t d = op->data_first; d < op->data_end; d++) {
        uint32_t place = op->map.data_place[d];
        uint8_t *data = op->columns[place].buffer;
        uint8_t *sources[2] = {delta, data};

        if (!is_touched(op, d)) {
            continue;
        }
        memcpy(delta, data, bytes);
        stripe_overlay(op, d, data);
        if (!SIM_BUG(PARITY_FROM_STALE)) {
            parity_xor(delta, sources, 2, bytes);
        }
        parity_update(has_p ? op->columns[p_place].buffer : NULL,
                      has_q ? op->columns[q_place].buffer : NULL, place, delta, bytes);
    }
}

void stripe_compute(struct stripe_op *op)
{
    ASSERT(op->state == STRIPE_COMPUTE && op->pending == 0);
    if (stripe_is_mirrored(op)) {
        compute_mirror(op);
        return;
    }
    switch (op->plan.kernel) {
    case PLAN_KERNEL_NONE:
        merge(op);
        break;
    case PLAN_KERNEL_RECOVER:
        ASSERT(op->want != PLAN_WRITE);
        recover(op);
        break;
    case PLAN_KERNEL_GENERATE:
        merge(op);
        generate(op);
        break;
    case PLAN_KERNEL_RECOVER_GENERATE:
        recover(op);
        merge(op);
        generate(op);
        break;
    case PLAN_KERNEL_UPDATE:
        update(op);
        break;
    case PLAN_KERNEL_COPY:
        UNREACHABLE();
    }
    answer_all(op);
}
