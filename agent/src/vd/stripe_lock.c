/*
 * Locks on slices: one stripe operation at a time per (virtual drive, row, slice), in the order
 * in which they asked. A bucket lists holders and waiters alike; an operation holds its lock
 * when no earlier one in the bucket has the same name.
 */
#include "vd/group_private.h"

static struct list *bucket_named(const struct vd *vd, uint64_t row, uint32_t slice)
{
    uint64_t hash = row * UINT64_C(0x9e3779b97f4a7c15) +
                    (uint64_t)slice * UINT64_C(0xc2b2ae3d27d4eb4f) + (uint64_t)(uintptr_t)vd;

    STATIC_ASSERT(STRIPE_LOCK_BUCKETS == 256, "the shift below");
    hash ^= hash >> 29;
    return &vd->group->locks[(hash * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static struct list *bucket_of(const struct stripe_op *op)
{
    return bucket_named(op->vd, op->map.row, op->slice);
}

static bool has_name(const struct stripe_op *op, const struct vd *vd, uint64_t row, uint32_t slice)
{
    return op->map.row == row && op->slice == slice && op->vd == vd;
}

void stripe_locks_init(struct group *group)
{
    for (uint32_t i = 0; i < STRIPE_LOCK_BUCKETS; i++) {
        list_init(&group->locks[i]);
    }
}

bool slice_is_locked(const struct vd *vd, uint64_t row, uint32_t slice)
{
    struct list *bucket = bucket_named(vd, row, slice);

    LIST_FOR_EACH (node, bucket) {
        if (has_name(list_entry(node, struct stripe_op, lock_link), vd, row, slice)) {
            return true;
        }
    }
    return false;
}

bool stripe_is_locked(const struct stripe_op *op)
{
    return slice_is_locked(op->vd, op->map.row, op->slice);
}

bool stripe_lock(struct stripe_op *op)
{
    bool granted =
        !stripe_is_locked(op) || SIM_BUG(NO_LOCK) ||
        (SIM_BUG(TRIM_UNLOCKED) && op->request != NULL && op->request->op == VD_OP_TRIM) ||
        (SIM_BUG(MEND_UNLOCKED) && op->mend != 0) ||
        (SIM_BUG(CHECK_UNLOCKED) && stripe_is_check(op));

    ASSERT(!list_is_linked(&op->lock_link));
    ASSERT(!op->direct);
    list_push_tail(bucket_of(op), &op->lock_link);
    return granted;
}

void stripe_unlock(struct stripe_op *op)
{
    struct list *bucket = bucket_of(op);

    if (op->direct) {
        ASSERT(!list_is_linked(&op->lock_link));
        return;
    }
    ASSERT(list_is_linked(&op->lock_link));
    list_remove(&op->lock_link);
    LIST_FOR_EACH (node, bucket) {
        struct stripe_op *next = list_entry(node, struct stripe_op, lock_link);

        if (has_name(next, op->vd, op->map.row, op->slice)) {
            if ((SIM_BUG(NO_LOCK) || SIM_BUG(TRIM_UNLOCKED)) && next->state != STRIPE_LOCK) {
                return;
            }
            if ((SIM_BUG(MEND_UNLOCKED) || SIM_BUG(CHECK_UNLOCKED)) && next->state != STRIPE_LOCK) {
                return;
            }
            stripe_event(next, STRIPE_GRANTED);
            return;
        }
    }
}
