/*
 * Every plan carried out on real bytes. A case is one slice of one row in memory: random
 * level, width, content, consistency, lost, rebuilding and failed members, within and
 * beyond tolerance, and a random read, write or sync. The plan is executed with the parity
 * functions and judged by what a host, a later read and a later loss would find:
 *
 *   - reads return the truth, writes change exactly what was written;
 *   - every column that counts agrees with the truth afterwards, wherever the plan
 *     promises consistency, and so does a rebuild target filled ahead of its cursor;
 *   - the row can bear every further loss within its tolerance;
 *   - plan.h's invariants hold, and -EIO is never needless.
 *
 * `truth` is what the row means: the data as a host would read them and the parity that
 * belongs to them. Case i of seed s is drawn from seed s + i, so that a failing case is
 * repeated by AW_SEED=<its seed> AW_CASES=1.
 */
#include "aw_test.h"

#include <stdbool.h>
#include <string.h>

#include "base/rng.h"
#include "fresh_seed.h"
#include "raid/parity.h"
#include "raid/plan.h"

#define WIDTH_MAX 32u
#define BYTES 512u
#define CASES_DEFAULT 500000u
#define KERNEL_COUNT 6u

typedef uint8_t row_bytes[WIDTH_MAX][BYTES];

struct row_case {
    uint64_t seed;
    struct rng rng;
    struct geometry geometry;
    struct row_map map;
    struct plan_input in;
    struct plan plan;
    bool mirrored;
    bool physically_consistent; /* on the drives, whether known or not */
    uint32_t all;
    uint32_t parity;
    uint32_t good;
    uint32_t filled;            /* targets, not valid, whose content is already right */
    uint32_t tolerance;
    uint32_t from[WIDTH_MAX];   /* the bytes [from, to) a write replaces, by place */
    uint32_t to[WIDTH_MAX];
    uint32_t waiting[WIDTH_MAX];
    uint8_t *column[WIDTH_MAX]; /* the executor's buffers */
    row_bytes truth __attribute__((aligned(64)));
    row_bytes disk __attribute__((aligned(64)));
    row_bytes fresh __attribute__((aligned(64)));
    row_bytes buffer __attribute__((aligned(64)));
    uint8_t delta[BYTES] __attribute__((aligned(64)));
};

static struct row_case row;
static uint64_t run_seed;
static uint64_t run_cases;
static uint64_t covered[3][KERNEL_COUNT];

static uint32_t bit(uint32_t place)
{
    return UINT32_C(1) << place;
}

static uint32_t count_of(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

static bool one_in(struct rng *rng, uint64_t n)
{
    return rng_below(rng, n) == 0;
}

static uint32_t random_subset(struct rng *rng, uint32_t mask)
{
    return mask & (uint32_t)rng_u64(rng);
}

/* Between 0 and max distinct bits out of mask, few more often than many. */
static uint32_t random_few(struct rng *rng, uint32_t mask, uint32_t max)
{
    uint32_t wanted = (uint32_t)rng_below(rng, max + 1);
    uint32_t chosen = 0;

    while (wanted > 0 && mask != 0) {
        uint32_t place = (uint32_t)rng_below(rng, WIDTH_MAX);

        if ((mask & bit(place)) != 0) {
            chosen |= bit(place);
            mask &= ~bit(place);
            wanted--;
        }
    }
    return chosen;
}

static void fail_case(const struct row_case *c, const char *what)
{
    fail_msg("AW_SEED=%llu AW_CASES=1: %s: level %d width %u P %d Q %d want %d touched %08x full "
             "%08x valid %08x writable %08x failed %08x fill %08x consistent %d filled %08x -> "
             "kernel %d reads %08x lost %08x writes %08x makes_consistent %d",
             (unsigned long long)c->seed, what, (int)c->in.level, c->map.width, c->map.p_place,
             c->map.q_place, (int)c->in.want, c->in.touched, c->in.full, c->in.valid,
             c->in.writable, c->in.failed, c->in.fill, (int)c->in.consistent, c->filled,
             (int)c->plan.kernel, c->plan.reads, c->plan.lost, c->plan.writes,
             (int)c->plan.makes_consistent);
}

static void require(const struct row_case *c, bool condition, const char *what)
{
    if (!condition) {
        fail_case(c, what);
    }
}

/* Drawing a case */

static void draw_shape(struct row_case *c)
{
    enum raid_level level = (enum raid_level)rng_below(&c->rng, RAID_LEVEL_MAX);
    const struct raid_level_info *info = raid_level_info(level);
    uint32_t widest = one_in(&c->rng, 4) ? 32 : 8;

    c->geometry.level = level;
    c->geometry.span_count = info->spans_min;
    c->geometry.members_per_span =
        info->span_members_min + (uint32_t)rng_below(&c->rng, widest - info->span_members_min + 1);
    c->geometry.strip_bytes = 65536;
    c->geometry.block_bytes = 512;
    c->geometry.extent_bytes = 64 * 65536;
    geometry_row_map(&c->geometry, rng_below(&c->rng, geometry_row_count(&c->geometry)), &c->map);
    c->mirrored = info->mirrored;
    c->all = UINT32_MAX >> (32 - c->map.width);
    c->parity = c->map.p_place < 0 ? 0 : bit((uint32_t)c->map.p_place);
    c->parity |= c->map.q_place < 0 ? 0 : bit((uint32_t)c->map.q_place);
    c->tolerance = geometry_span_tolerance(&c->geometry);
    for (uint32_t i = 0; i < WIDTH_MAX; i++) {
        c->column[i] = c->buffer[i];
    }
}

static void draw_health(struct row_case *c)
{
    uint32_t lost_max = c->tolerance > 3 ? 3 : c->tolerance;
    uint32_t lost = 0;

    if (one_in(&c->rng, 10)) {
        lost_max++; /* beyond what the level bears */
    }
    lost = random_few(&c->rng, c->all, lost_max);
    c->in.valid = c->all & ~lost;
    c->in.writable = c->in.valid | random_subset(&c->rng, lost);
    if (one_in(&c->rng, 3)) {
        c->in.failed = random_few(&c->rng, c->in.valid, 2);
    }
    c->good = c->in.valid & ~c->in.failed;
    c->in.consistent = !one_in(&c->rng, 3);
    c->physically_consistent = c->in.consistent || one_in(&c->rng, 3);
    if (c->physically_consistent) {
        c->filled = random_subset(&c->rng, c->in.writable & ~c->in.valid);
    }
}

static void draw_want(struct row_case *c)
{
    uint32_t data = c->mirrored ? 1u : c->all & ~c->parity;

    c->in.level = c->geometry.level;
    c->in.map = &c->map;
    c->in.mirror_preference = (uint32_t)rng_below(&c->rng, WIDTH_MAX + 2);
    c->in.want = (enum plan_want)rng_below(&c->rng, 3);
    if (c->in.want == PLAN_SYNC) {
        c->in.fill = random_subset(&c->rng, c->in.writable & ~c->in.valid);
        return;
    }
    do {
        c->in.touched = one_in(&c->rng, 4) ? data : random_few(&c->rng, data, 4);
    } while (c->in.touched == 0);
    if (c->in.want == PLAN_WRITE) {
        c->in.full = one_in(&c->rng, 2) ? c->in.touched : random_subset(&c->rng, c->in.touched);
    }
}

/* Parity of the truth's data, or the other copies of the first. */
static void complete_truth(struct row_case *c)
{
    uint8_t *columns[WIDTH_MAX];

    for (uint32_t i = 0; i < c->map.width; i++) {
        columns[i] = c->truth[i];
        if (c->mirrored && i > 0) {
            memcpy(c->truth[i], c->truth[0], BYTES);
        }
    }
    if (c->parity != 0) {
        parity_generate(columns, c->map.width, c->map.p_place, c->map.q_place, BYTES);
    }
}

/*
 * What an inconsistent row means: its good data columns as they stand, missing data as
 * one parity defines them (P before Q), a mirror as its lowest good copy.
 */
static void define_truth(struct row_case *c)
{
    uint32_t missing = c->all & ~c->parity & ~c->good;
    uint32_t good_parity = c->parity & c->good;
    uint32_t p = c->map.p_place < 0 ? 0 : bit((uint32_t)c->map.p_place);
    uint8_t *columns[WIDTH_MAX];

    if (c->mirrored) {
        if (c->good != 0) {
            memcpy(c->truth[0], c->disk[__builtin_ctz(c->good)], BYTES);
        }
        complete_truth(c);
        return;
    }
    for (uint32_t i = 0; i < c->map.width; i++) {
        columns[i] = c->truth[i];
        if ((c->good & bit(i)) != 0) {
            memcpy(c->truth[i], c->disk[i], BYTES);
        }
    }
    if (missing != 0 && count_of(missing) <= count_of(good_parity)) {
        uint32_t lost = missing | (count_of(missing) == 1 && (good_parity & p) == 0 ? p : 0);

        parity_recover(columns, c->map.width, c->map.p_place, c->map.q_place, lost, BYTES);
    }
    complete_truth(c);
}

static void draw_content(struct row_case *c)
{
    for (uint32_t i = 0; i < c->map.width; i++) {
        rng_fill(&c->rng, c->truth[i], BYTES);
    }
    complete_truth(c);
    memcpy(c->disk, c->truth, sizeof(c->disk));
    for (uint32_t i = 0; i < c->map.width; i++) {
        bool differs = !c->physically_consistent && one_in(&c->rng, 2);
        bool unreadable = (c->good & bit(i)) == 0 && (c->filled & bit(i)) == 0;

        if (differs || unreadable) {
            rng_fill(&c->rng, c->disk[i], BYTES);
        }
    }
    if (!c->physically_consistent) {
        define_truth(c);
    }
    for (uint32_t i = 0; i < c->map.width; i++) {
        rng_fill(&c->rng, c->buffer[i], BYTES); /* nobody may rely on stale buffers */
        rng_fill(&c->rng, c->fresh[i], BYTES);
        c->from[i] = (uint32_t)rng_below(&c->rng, BYTES);
        c->to[i] = c->from[i] + 1 + (uint32_t)rng_below(&c->rng, BYTES - c->from[i]);
        if ((c->in.full & bit(i)) != 0) {
            c->from[i] = 0;
            c->to[i] = BYTES;
        }
    }
}

/* Before the commands, at the drives; in some cases nobody says. */
static void draw_waiting(struct row_case *c)
{
    for (uint32_t i = 0; i < c->map.width; i++) {
        c->waiting[i] = (uint32_t)rng_below(&c->rng, 4);
    }
    c->in.partial = rng_below(&c->rng, 2) == 0 ? PLAN_PARTIAL_CHEAPEST : PLAN_PARTIAL_UPDATE;
    c->in.waiting = rng_below(&c->rng, 4) == 0 ? NULL : c->waiting;
}

static void draw_case(struct row_case *c, uint64_t seed)
{
    memset(c, 0, offsetof(struct row_case, truth));
    c->seed = seed;
    rng_seed(&c->rng, seed);
    draw_shape(c);
    draw_health(c);
    draw_want(c);
    draw_content(c);
    draw_waiting(c);
}

/* Carrying it out, as plan.h says */

static void merge_fresh(struct row_case *c, uint32_t place, uint8_t *column)
{
    uint32_t from = c->from[place];

    memcpy(column + from, c->fresh[place] + from, c->to[place] - from);
}

static void merge_touched(struct row_case *c)
{
    for (uint32_t i = 0; i < c->map.width && c->in.want == PLAN_WRITE; i++) {
        if ((c->in.touched & bit(i)) != 0) {
            merge_fresh(c, i, c->column[i]);
        }
    }
}

static void update_parity(struct row_case *c)
{
    uint32_t p = (uint32_t)c->map.p_place;
    uint32_t q = (uint32_t)c->map.q_place;
    bool has_p = (c->plan.reads & c->parity & bit(p)) != 0;
    bool has_q = c->map.q_place >= 0 && (c->plan.reads & bit(q)) != 0;

    for (uint32_t i = 0; i < c->map.width; i++) {
        if ((c->in.touched & bit(i)) != 0) {
            uint8_t *pair[2] = {c->delta, c->column[i]};

            memcpy(c->delta, c->column[i], BYTES);
            merge_fresh(c, i, c->column[i]);
            parity_xor(c->delta, pair, 2, BYTES);
            parity_update(has_p ? c->column[p] : NULL, has_q ? c->column[q] : NULL, i, c->delta,
                          BYTES);
        }
    }
}

/* Mirrors: the column read, or a whole new one, becomes every written column. */
static void copy_mirror(struct row_case *c)
{
    uint8_t *source = c->plan.reads == 0 ? c->fresh[0] : c->column[__builtin_ctz(c->plan.reads)];

    if (c->in.want == PLAN_WRITE) {
        merge_fresh(c, 0, source);
    }
    for (uint32_t i = 0; i < c->map.width; i++) {
        if ((c->plan.writes & bit(i)) != 0) {
            memmove(c->column[i], source, BYTES);
        }
    }
}

static void run_kernel(struct row_case *c)
{
    uint32_t width = c->map.width;
    int p = c->map.p_place;
    int q = c->map.q_place;

    switch (c->plan.kernel) {
    case PLAN_KERNEL_NONE:
        merge_touched(c);
        return;
    case PLAN_KERNEL_COPY:
        copy_mirror(c);
        return;
    case PLAN_KERNEL_RECOVER:
        parity_recover(c->column, width, p, q, c->plan.lost, BYTES);
        return;
    case PLAN_KERNEL_GENERATE:
        merge_touched(c);
        parity_generate(c->column, width, p, q, BYTES);
        return;
    case PLAN_KERNEL_UPDATE:
        update_parity(c);
        return;
    case PLAN_KERNEL_RECOVER_GENERATE:
        parity_recover(c->column, width, p, q, c->plan.lost, BYTES);
        merge_touched(c);
        parity_generate(c->column, width, p, q, BYTES);
        return;
    }
    UNREACHABLE();
}

static void execute(struct row_case *c)
{
    for (uint32_t i = 0; i < c->map.width; i++) {
        if ((c->plan.reads & bit(i)) != 0) {
            memcpy(c->column[i], c->disk[i], BYTES);
        }
    }
    run_kernel(c);
    for (uint32_t i = 0; i < c->map.width; i++) {
        if ((c->plan.writes & bit(i)) != 0) {
            memcpy(c->disk[i], c->column[i], BYTES);
        }
    }
}

/* Judging */

static void check_invariants(const struct row_case *c)
{
    const struct plan *plan = &c->plan;
    const struct plan_input *in = &c->in;
    bool within = count_of(c->all & ~c->good) <= c->tolerance;

    require(c, (plan->reads & ~c->good) == 0, "(1) reads what cannot be trusted");
    require(c, (plan->writes & ~in->writable) == 0, "(2) writes what cannot be written");
    require(c, plan->kernel != PLAN_KERNEL_UPDATE || in->consistent, "(4) blind update");
    require(c, (plan->recover_from & ~plan->reads) == 0, "recovers from what is not read");
    require(c, !within || (in->failed & ~plan->writes) == 0, "a failed place is not repaired");
    if (in->want == PLAN_READ) {
        require(c, (plan->writes & ~in->failed) == 0, "a read writes");
        require(c, !plan->makes_consistent, "a read cannot make consistent");
    } else {
        uint32_t touched = c->mirrored && in->touched != 0 ? in->writable : in->touched;

        require(c, (touched & in->writable & ~plan->writes) == 0, "new data not written");
        require(c, (in->fill & ~plan->writes) == 0, "target not filled");
        require(c, plan->makes_consistent || in->consistent, "row left unknown");
    }
}

/* A write to a sound row costs no more commands than the cheaper of the two ways, and of two that
 * cost the same the one with less to wait for. */
static void check_cheapest(const struct row_case *c)
{
    const struct plan_input *in = &c->in;
    uint32_t writes = in->touched | c->parity;
    uint32_t kept = c->all & ~c->parity & ~in->full;
    uint32_t whole = count_of(kept) + count_of(writes);
    uint32_t waits = 0;
    bool always = in->partial == PLAN_PARTIAL_UPDATE && count_of(in->touched) == 1 && kept != 0;

    if (in->want != PLAN_WRITE || c->parity == 0 || c->good != c->all || !in->consistent) {
        return;
    }
    for (uint32_t i = 0; i < c->map.width && in->waiting != NULL; i++) {
        waits += in->waiting[i] * (2 * (writes >> i & 1));
        waits -= in->waiting[i] * ((writes >> i & 1) + (kept >> i & 1));
    }
    require(c, c->plan.kernel == PLAN_KERNEL_UPDATE || c->plan.kernel == PLAN_KERNEL_GENERATE,
            "a sound row is changed in a third way");
    require(c,
            (c->plan.kernel == PLAN_KERNEL_UPDATE) ==
                (always || 2 * count_of(writes) < whole ||
                 (2 * count_of(writes) == whole && (int32_t)waits <= 0)),
            "the dearer way to change a sound row");
}

/* -EIO must be right: within tolerance it never is. */
static void check_refusal(const struct row_case *c)
{
    const struct plan_input *in = &c->in;
    uint32_t data = c->all & ~c->parity;
    uint32_t missing = data & ~c->good;

    require(c, count_of(c->all & ~c->good) > c->tolerance, "needless -EIO within tolerance");
    if (in->want == PLAN_WRITE && in->full == (c->mirrored ? 1u : data)) {
        require(c, count_of(c->all & ~in->valid) > c->tolerance, "needless -EIO, all is new");
    }
    if (c->mirrored) {
        require(c, c->good == 0, "needless -EIO with a copy left");
    } else {
        require(c, count_of(missing) > count_of(c->parity & c->good) || in->touched != 0,
                "needless -EIO of a sync");
    }
    if (in->want == PLAN_READ && !c->mirrored) {
        require(c, (in->touched & ~c->good) != 0, "needless -EIO of a readable column");
        require(c, count_of(missing) > count_of(c->parity & c->good), "needless -EIO of a read");
    }
}

static void check_delivered(const struct row_case *c)
{
    uint32_t wanted = c->mirrored ? c->plan.reads : c->in.touched;

    for (uint32_t i = 0; i < c->map.width; i++) {
        if ((wanted & bit(i)) != 0) {
            require(c, memcmp(c->column[i], c->truth[i], BYTES) == 0, "read of wrong data");
        }
    }
}

/* What was written can be read back: it lies on a readable column or enough parity does. */
static void check_kept(const struct row_case *c)
{
    uint32_t settled = c->in.valid & ~(c->in.failed & ~c->plan.writes);
    uint32_t missing = c->all & ~c->parity & ~settled;

    if (c->mirrored) {
        require(c, (c->plan.writes & settled) != 0, "written where nobody reads");
    } else if ((c->in.touched & ~settled) != 0) {
        require(c, count_of(missing) <= count_of(c->parity & settled), "written and lost");
    }
}

static void apply_write_to_truth(struct row_case *c)
{
    for (uint32_t i = 0; i < c->map.width; i++) {
        if ((c->in.touched & bit(i)) != 0) {
            merge_fresh(c, i, c->truth[i]);
        }
    }
    complete_truth(c);
}

/* The columns that must hold the truth after the plan. */
static uint32_t binding_places(const struct row_case *c)
{
    uint32_t unrepaired = c->in.failed & ~c->plan.writes;
    uint32_t places = c->plan.writes;

    if (c->in.consistent || c->plan.makes_consistent) {
        places |= c->in.valid & ~unrepaired;
    } else if (!c->mirrored) {
        places |= c->in.valid & ~unrepaired & ~c->parity;
    }
    if (c->physically_consistent) {
        places |= c->filled; /* (5) */
    }
    return places;
}

static void check_disk(const struct row_case *c)
{
    uint32_t places = binding_places(c);

    for (uint32_t i = 0; i < c->map.width; i++) {
        if ((places & bit(i)) != 0) {
            require(c, memcmp(c->disk[i], c->truth[i], BYTES) == 0, "(3) wrong on disk");
        }
    }
}

/* Loses `lost` in all, targets included, and recovers everything. */
static void check_bears(struct row_case *c, uint32_t lost)
{
    for (uint32_t i = 0; i < c->map.width; i++) {
        memcpy(c->buffer[i], c->disk[i], BYTES);
        if ((lost & bit(i)) != 0) {
            memset(c->buffer[i], 0x5A, BYTES);
        }
    }
    parity_recover(c->column, c->map.width, c->map.p_place, c->map.q_place, lost, BYTES);
    for (uint32_t i = 0; i < c->map.width; i++) {
        require(c, memcmp(c->buffer[i], c->truth[i], BYTES) == 0, "cannot bear another loss");
    }
}

/* Every further loss on narrow rows, a random one on wide rows. */
static void check_further_losses(struct row_case *c)
{
    uint32_t lost = c->all & ~(c->in.valid & ~(c->in.failed & ~c->plan.writes));
    uint32_t exhaustive_max = 6;

    if (!(c->in.consistent || c->plan.makes_consistent) || c->parity == 0 ||
        count_of(lost) > c->tolerance) {
        return;
    }
    if (c->map.width > exhaustive_max) {
        check_bears(c, lost | random_few(&c->rng, c->all & ~lost, c->tolerance - count_of(lost)));
        return;
    }
    for (uint32_t more = 0; more <= c->all; more++) {
        if ((more & lost) == 0 && count_of(more | lost) <= c->tolerance) {
            check_bears(c, more | lost);
        }
    }
}

static void run_case(uint64_t seed)
{
    struct row_case *c = &row;

    draw_case(c, seed);
    if (plan_make(&c->in, &c->plan) < 0) {
        check_refusal(c);
        return;
    }
    covered[c->in.want][c->plan.kernel]++;
    check_invariants(c);
    check_cheapest(c);
    execute(c);
    if (c->in.want == PLAN_READ) {
        check_delivered(c);
    } else if (c->in.want == PLAN_WRITE) {
        check_kept(c);
        apply_write_to_truth(c);
    }
    check_disk(c);
    check_further_losses(c);
}

static void plans_do_what_they_promise(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < run_cases; i++) {
        run_case(run_seed + i);
    }
}

/* The draw reaches every kernel each want can lead to, or the test above proves little. */
static void every_kernel_was_reached(void **state)
{
    static const uint8_t reachable[3][KERNEL_COUNT] = {
        [PLAN_READ] = {[PLAN_KERNEL_NONE] = 1, [PLAN_KERNEL_COPY] = 1, [PLAN_KERNEL_RECOVER] = 1},
        [PLAN_WRITE] = {1, 1, 0, 1, 1, 1},
        [PLAN_SYNC] = {1, 1, 1, 1, 0, 1},
    };

    (void)state;
    if (run_cases < 20000) {
        skip();
    }
    for (int want = 0; want < 3; want++) {
        for (uint32_t kernel = 0; kernel < KERNEL_COUNT; kernel++) {
            if (reachable[want][kernel] != (covered[want][kernel] > 100)) {
                fail_msg("want %d, kernel %u: %llu cases", want, kernel,
                         (unsigned long long)covered[want][kernel]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_do_what_they_promise),
        cmocka_unit_test(every_kernel_was_reached),
    };
    const char *cases = getenv("AW_CASES");

    aw_test_catch_asserts();
    run_seed = aw_test_seed("plan", fresh_seed());
    run_cases = cases == NULL ? CASES_DEFAULT : strtoull(cases, NULL, 0);
    return cmocka_run_group_tests_name("prop/plan", tests, NULL, NULL);
}
