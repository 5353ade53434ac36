/*
 * The fixed pools of stripe operations: one for requests, one for background tasks, so that
 * neither starves the other. Each operation owns a 64 KiB buffer per column and a few spares,
 * all aligned to 4096, in one block of memory that is touched only where it is used.
 *
 * How much of a group can be under way grows with it: each member's queue, drive_depth deep, is to
 * be full. Plain reads (plain_read.c), which own no buffers, are as many as that: about 300 bytes
 * for each place in a member's queue. Operations are 64 for each of the rows that lie side by side
 * (RAID 10, 50, 60, 1E), as far as their buffers fit in 64 MiB.
 *
 * A drive that hangs may hold up as many operations as its queue is deep, all of them in the
 * worst case; so that the others can go on, each operation held up is replaced by a substitute.
 * This is the one place that allocates while the group is at work: once per late transfer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vd/group_private.h"

#define DEFAULT_DRIVE_DEPTH 64u /* as of drive/drive.h */
#define DRIVE_DEPTH_MAX 256u
#define DEFAULT_STRIPE_OPS 64u
#define STRIPE_OPS_MIN 2u
/* Of buffers, where there are more than DEFAULT_STRIPE_OPS. */
#define POOL_MAX_BYTES (UINT64_C(64) << 20)

static uint32_t width_of(const struct group *group)
{
    if (group->config.vd_count > 0) {
        return geometry_row_width(&group->config.vds[0].geometry);
    }
    return min_u32(group->config.member_count, RAID_SPAN_MEMBERS_MAX);
}

static uint32_t places_of_members(const struct group *group)
{
    uint32_t depth =
        group->options.drive_depth != 0 ? group->options.drive_depth : DEFAULT_DRIVE_DEPTH;

    return min_u32(depth, DRIVE_DEPTH_MAX) * group->config.member_count;
}

static size_t op_bytes(const struct group *group)
{
    return sizeof(struct stripe_op) + group->op_width * sizeof(struct stripe_column);
}

static size_t buffers_bytes(const struct group *group)
{
    return (size_t)(group->op_width + STRIPE_SPARES) * SLICE_MAX_BYTES;
}

/* An operation works on one row: where several rows are side by side, it takes several to keep all
 * members at work. */
static uint32_t ops_for_members(const struct group *group)
{
    uint32_t fit = (uint32_t)(POOL_MAX_BYTES / buffers_bytes(group));
    uint32_t abreast = group->config.member_count / group->op_width;

    return max_u32(DEFAULT_STRIPE_OPS, min_u32(DEFAULT_STRIPE_OPS * abreast, fit));
}

/* What is asked for is taken; tests and the simulator ask for few. */
static void pools_size(struct group *group)
{
    bool asked = group->options.stripe_ops != 0;

    group->options.stripe_ops =
        asked ? max_u32(group->options.stripe_ops, STRIPE_OPS_MIN) : ops_for_members(group);
    group->plain_count =
        asked ? group->options.stripe_ops : max_u32(places_of_members(group), DEFAULT_STRIPE_OPS);
}

static uint8_t *op_equip(struct group *group, struct stripe_op *op, uint8_t *memory)
{
    for (uint32_t place = 0; place < group->op_width; place++) {
        op->columns[place].buffer = memory;
        memory += SLICE_MAX_BYTES;
    }
    for (uint32_t spare = 0; spare < STRIPE_SPARES; spare++) {
        op->spares[spare] = memory;
        memory += SLICE_MAX_BYTES;
    }
    op->spare_count = STRIPE_SPARES;
    op->group = group;
    list_init(&op->lock_link);
    list_init(&op->wait_link);
    return memory;
}

/* Gives every operation of a fresh pool its buffers. */
static uint8_t *pool_equip(struct group *group, struct pool *pool, uint32_t count, uint8_t *memory)
{
    struct list all;

    list_init(&all);
    for (uint32_t i = 0; i < count; i++) {
        struct stripe_op *op = pool_take(pool);

        ASSERT(op != NULL);
        memory = op_equip(group, op, memory);
        op->pool = pool;
        list_push_tail(&all, &op->lock_link);
    }
    LIST_FOR_EACH_SAFE (node, following, &all) {
        list_remove(node);
        pool_give(pool, list_entry(node, struct stripe_op, lock_link));
    }
    return memory;
}

int stripe_pools_init(struct group *group)
{
    uint32_t count = 0;
    uint8_t *memory = NULL;
    int error = 0;

    list_init(&group->substitutes);
    group->op_width = width_of(group);
    ASSERT(group->op_width >= 1 && group->op_width <= RAID_SPAN_MEMBERS_MAX);
    pools_size(group);
    count = group->options.stripe_ops + STRIPE_SYNC_OPS;
    group->op_memory = aligned_alloc(IO_ALIGN_BYTES, count * buffers_bytes(group));
    if (group->op_memory == NULL) {
        return -ENOMEM;
    }
    error = pool_init(&group->ops, group->options.stripe_ops, op_bytes(group));
    if (error == 0) {
        error = pool_init(&group->sync_ops, STRIPE_SYNC_OPS, op_bytes(group));
    }
    if (error != 0) {
        return error;
    }
    memory = pool_equip(group, &group->ops, group->options.stripe_ops, group->op_memory);
    memory = pool_equip(group, &group->sync_ops, STRIPE_SYNC_OPS, memory);
    ASSERT(memory == group->op_memory + count * buffers_bytes(group));
    return 0;
}

void stripe_pools_done(struct group *group)
{
    struct list *node = NULL;

    while (group->op_memory != NULL && (node = list_pop_head(&group->substitutes)) != NULL) {
        struct stripe_op *op = list_entry(node, struct stripe_op, lock_link);

        group->substitute_count--;
        free(op->memory);
        free(op);
    }
    ASSERT(group->substitute_count == 0);
    pool_done(&group->ops);
    pool_done(&group->sync_ops);
    free(group->op_memory);
}

static struct stripe_op *op_find_free(struct group *group, struct pool *pool)
{
    struct stripe_op *op = pool_take(pool);
    struct list *node = NULL;

    if (op == NULL) {
        node = list_pop_head(&group->substitutes);
        op = node != NULL ? list_entry(node, struct stripe_op, lock_link) : NULL;
    }
    return op;
}

struct stripe_op *stripe_op_take(struct group *group, struct pool *pool)
{
    struct stripe_op *op = op_find_free(group, pool);

    if (op == NULL) {
        return NULL;
    }
    group->ops_active++;
    ASSERT(op->state == STRIPE_FREE && op->spare_count == STRIPE_SPARES && op->lent == 0);
    list_init(&op->lock_link);
    list_init(&op->wait_link);
    list_init(&op->lent_link);
    op->lent_memory = NULL;
    op->run_bytes = 0;
    op->vd = NULL;
    op->request = NULL;
    op->sync = NULL;
    op->replay = NULL;
    op->logged = false;
    op->bare = false;
    op->writes_logged = false;
    op->marked = false;
    op->direct = false;
    op->given_up = false;
    op->slice = op->lo = op->hi = 0;
    op->touched = op->full = op->fill = op->copy = op->mend = op->fine_end = 0;
    op->data_first = op->data_end = 0;
    op->fine_error = 0;
    op->settle_change = 0;
    op->failed = op->have = op->barred = 0;
    op->by_sector = false;
    op->sector = 0;
    op->verify = op->verifying = op->written = op->refused = op->told = 0;
    op->compares = op->compared = op->by_block = op->differs = false;
    op->explains = op->righting = 0;
    memset(&op->mismatch, 0, sizeof(op->mismatch));
    op->source = 0;
    op->hedge_wait = false;
    op->pending = op->late = 0;
    op->error = 0;
    memset(&op->plan, 0, sizeof(op->plan));
    return op;
}

static void op_put_home(struct stripe_op *op)
{
    for (; op->lent != 0; op->lent &= op->lent - 1) {
        struct stripe_column *column = &op->columns[__builtin_ctz(op->lent)];

        column->buffer = column->home;
    }
    op->spare_count = STRIPE_SPARES;
    if (op->pool != NULL) {
        pool_give(op->pool, op);
    } else {
        list_push_tail(&op->group->substitutes, &op->lock_link);
    }
}

void stripe_op_give(struct stripe_op *op)
{
    struct group *group = op->group;

    ASSERT(op->pending == 0 && op->late == 0);
    ASSERT(!list_is_linked(&op->lock_link) && !list_is_linked(&op->wait_link));
    if (op->state == STRIPE_LINGER) {
        ASSERT(group->late_ops > 0);
        group->late_ops--;
    } else {
        ASSERT(group->ops_active > 0);
        group->ops_active--;
    }
    op->state = STRIPE_FREE;
    op_put_home(op);
}

static void substitute_make(struct group *group)
{
    struct stripe_op *op = calloc(1, op_bytes(group));
    uint8_t *memory = aligned_alloc(IO_ALIGN_BYTES, buffers_bytes(group));

    if (op == NULL || memory == NULL) {
        free(op);
        free(memory);
        return; /* then the others have to wait for the late one */
    }
    op->memory = memory;
    (void)op_equip(group, op, memory); /* the end of the memory is not needed */
    list_push_tail(&group->substitutes, &op->lock_link);
    group->substitute_count++;
}

void stripe_op_substitute(struct group *group)
{
    if (group->late_ops > group->substitute_count &&
        group->substitute_count < STRIPE_SUBSTITUTES_MAX) {
        substitute_make(group);
    }
}

void stripe_op_hold(struct stripe_op *op)
{
    struct group *group = op->group;

    ASSERT(op->late > 0 && op->pending == 0);
    ASSERT(group->ops_active > 0);
    op->state = STRIPE_LINGER;
    group->ops_active--;
    group->late_ops++;
    if (!hedge_is_all_late(op)) {
        stripe_op_substitute(group);
    }
}

bool stripe_ops_are_left(const struct group *group)
{
    return pool_free_count(&group->ops) > 0 || !list_is_empty(&group->substitutes);
}
