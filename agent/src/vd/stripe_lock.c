/*
 * Locks on slices: one stripe operation at a time per (virtual drive, row, slice), in the order
 * in which they asked. A bucket lists holders and waiters alike; an operation holds its lock
 * when no earlier one in the bucket has the same name.
 */
#include "vd/group_private.h"

static struct list *bucket_of(const struct stripe_op *op)
{
    uint64_t hash = op->map.row * UINT64_C(0x9e3779b97f4a7c15) +
                    (uint64_t)op->slice * UINT64_C(0xc2b2ae3d27d4eb4f) +
                    (uint64_t)(uintptr_t)op->vd;

    STATIC_ASSERT(STRIPE_LOCK_BUCKETS == 256, "the shift below");
    hash ^= hash >> 29;
    return &op->group->locks[(hash * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static bool same_name(const struct stripe_op *a, const struct stripe_op *b)
{
    return a->map.row == b->map.row && a->slice == b->slice && a->vd == b->vd;
}

void stripe_locks_init(struct group *group)
{
    for (uint32_t i = 0; i < STRIPE_LOCK_BUCKETS; i++) {
        list_init(&group->locks[i]);
    }
}

bool stripe_is_locked(const struct stripe_op *op)
{
    struct list *bucket = bucket_of(op);

    LIST_FOR_EACH (node, bucket) {
        if (same_name(list_entry(node, struct stripe_op, lock_link), op)) {
            return true;
        }
    }
    return false;
}

bool stripe_lock(struct stripe_op *op)
{
    bool granted = !stripe_is_locked(op) || SIM_BUG(NO_LOCK) ||
                   (SIM_BUG(TRIM_UNLOCKED) && op->request != NULL && op->request->op == VD_OP_TRIM);

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

        if (same_name(next, op)) {
            if ((SIM_BUG(NO_LOCK) || SIM_BUG(TRIM_UNLOCKED)) && next->state != STRIPE_LOCK) {
                return;
            }
            stripe_event(next, STRIPE_GRANTED);
            return;
        }
    }
}
