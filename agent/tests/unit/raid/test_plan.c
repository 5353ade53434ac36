/*
 * Plans case by case, as a table one can read aloud. RAID 5 and 6 over six drives, row 0:
 *
 *   RAID 5   places 0 1 2 3 4 data, 5 P          RAID 6   places 0 1 2 3 data, 4 Q, 5 P
 *
 * What the plans do to real bytes is proved in tests/prop.
 */
#include "aw_test.h"

#include "raid/plan.h"

#define ALL6 0x3Fu
#define PLACE(n) (1u << (n))
#define NOT(n) (ALL6 & ~(1u << (n)))

struct plan_case {
    const char *name;
    enum raid_level level;
    enum plan_want want;
    uint32_t touched;
    uint32_t full;
    uint32_t valid;
    uint32_t targets; /* writable, not valid */
    uint32_t failed;
    uint32_t fill;
    uint32_t copy;
    bool inconsistent;
    enum plan_partial partial;
    uint32_t waiting[6];
    int error;
    enum plan_kernel kernel;
    uint32_t reads;
    uint32_t lost;
    uint32_t writes;
    bool makes_consistent;
};

static void check_case(const struct plan_case *c)
{
    struct geometry geometry = {.level = c->level,
                                .span_count = 1,
                                .members_per_span = 6,
                                .strip_bytes = 8192,
                                .block_bytes = 512,
                                .extent_bytes = 8192};
    struct row_map map;
    struct plan_input input = {.level = c->level,
                               .map = &map,
                               .want = c->want,
                               .touched = c->touched,
                               .full = c->full,
                               .valid = c->valid,
                               .writable = c->valid | c->targets,
                               .failed = c->failed,
                               .fill = c->fill,
                               .copy = c->copy,
                               .consistent = !c->inconsistent,
                               .partial = c->partial,
                               .mirror_preference = 2,
                               .waiting = c->waiting};
    struct plan plan = {.reads = 0xDEAD};
    int error = 0;

    geometry_row_map(&geometry, 0, &map);
    error = plan_make(&input, &plan);
    if (error != c->error) {
        fail_msg("%s: returned %d", c->name, error);
    }
    if (error < 0) {
        assert_int_equal(plan.reads, 0xDEAD);
        return;
    }
    if (plan.kernel != c->kernel || plan.reads != c->reads || plan.lost != c->lost ||
        plan.writes != c->writes || plan.makes_consistent != c->makes_consistent) {
        fail_msg("%s: kernel %d reads %02x lost %02x writes %02x makes_consistent %d", c->name,
                 (int)plan.kernel, plan.reads, plan.lost, plan.writes, (int)plan.makes_consistent);
    }
}

static void check_cases(const struct plan_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_case(&cases[i]);
    }
}

#define CHECK_CASES(cases) check_cases(cases, sizeof(cases) / sizeof((cases)[0]))

static void raid0(void **state)
{
    /* clang-format off */
    static const struct plan_case cases[] = {
        {.name = "read", .level = RAID_LEVEL_0, .want = PLAN_READ, .touched = 3, .valid = ALL6,
         .reads = 3},
        {.name = "read of a missing column", .level = RAID_LEVEL_0, .want = PLAN_READ,
         .touched = 3, .valid = NOT(1), .error = -EIO},
        {.name = "read beside a missing column", .level = RAID_LEVEL_0, .want = PLAN_READ,
         .touched = 1, .valid = NOT(1), .reads = 1},
        {.name = "read of a failed column", .level = RAID_LEVEL_0, .want = PLAN_READ,
         .touched = 3, .valid = ALL6, .failed = 2, .error = -EIO},
        {.name = "write in part", .level = RAID_LEVEL_0, .want = PLAN_WRITE, .touched = 7,
         .full = 5, .valid = ALL6, .reads = 2, .writes = 7, .makes_consistent = true},
        {.name = "full write repairs a failed column", .level = RAID_LEVEL_0,
         .want = PLAN_WRITE, .touched = 2, .full = 2, .valid = ALL6, .failed = 2, .writes = 2,
         .makes_consistent = true},
        {.name = "partial write of a failed column", .level = RAID_LEVEL_0,
         .want = PLAN_WRITE, .touched = 2, .valid = ALL6, .failed = 2, .error = -EIO},
        {.name = "write of a missing column", .level = RAID_LEVEL_0, .want = PLAN_WRITE,
         .touched = 2, .full = 2, .valid = NOT(1), .error = -EIO},
        {.name = "sync has nothing to do", .level = RAID_LEVEL_0, .want = PLAN_SYNC,
         .valid = ALL6, .inconsistent = true, .makes_consistent = true},
        {.name = "sync cannot repair", .level = RAID_LEVEL_0, .want = PLAN_SYNC,
         .valid = ALL6, .failed = 2, .error = -EIO},
        {.name = "copy", .level = RAID_LEVEL_0, .want = PLAN_SYNC, .valid = ALL6, .copy = 2,
         .reads = 2, .makes_consistent = true},
        {.name = "copy of a failed column", .level = RAID_LEVEL_0, .want = PLAN_SYNC,
         .valid = ALL6, .failed = 2, .copy = 2, .error = -EIO},
        {.name = "copy beside a failed column", .level = RAID_LEVEL_0, .want = PLAN_SYNC,
         .valid = ALL6, .failed = 2, .copy = 1, .reads = 1},
    };
    /* clang-format on */

    (void)state;
    CHECK_CASES(cases);
}

static void mirrors(void **state)
{
    /* clang-format off */
    static const struct plan_case cases[] = {
        {.name = "read prefers", .level = RAID_LEVEL_1, .want = PLAN_READ, .touched = 1,
         .valid = ALL6, .reads = PLACE(2)},
        {.name = "read of an unknown mirror is stable", .level = RAID_LEVEL_1,
         .want = PLAN_READ, .touched = 1, .valid = NOT(0), .inconsistent = true,
         .reads = PLACE(1)},
        {.name = "preference lost", .level = RAID_LEVEL_1, .want = PLAN_READ, .touched = 1,
         .valid = NOT(2), .reads = PLACE(0)},
        {.name = "target is not read", .level = RAID_LEVEL_1, .want = PLAN_READ, .touched = 1,
         .valid = PLACE(4), .targets = PLACE(2) | PLACE(0), .reads = PLACE(4)},
        {.name = "failed copy is rewritten", .level = RAID_LEVEL_1, .want = PLAN_READ,
         .touched = 1, .valid = ALL6, .failed = PLACE(2), .kernel = PLAN_KERNEL_COPY,
         .reads = PLACE(0), .writes = PLACE(2)},
        {.name = "last copy failed", .level = RAID_LEVEL_1, .want = PLAN_READ, .touched = 1,
         .valid = PLACE(3), .failed = PLACE(3), .targets = PLACE(0), .error = -EIO},
        {.name = "write goes to all and targets", .level = RAID_LEVEL_1, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .valid = 0x1C, .targets = 1, .kernel = PLAN_KERNEL_COPY,
         .writes = 0x1D, .makes_consistent = true},
        {.name = "partial write reads one", .level = RAID_LEVEL_1, .want = PLAN_WRITE,
         .touched = 1, .valid = 0x38, .inconsistent = true, .kernel = PLAN_KERNEL_COPY,
         .reads = 8, .writes = 0x38, .makes_consistent = true},
        {.name = "full write to the failed last copy", .level = RAID_LEVEL_1,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = 4, .failed = 4,
         .kernel = PLAN_KERNEL_COPY, .writes = 4, .makes_consistent = true},
        {.name = "partial write to the failed last copy", .level = RAID_LEVEL_1,
         .want = PLAN_WRITE, .touched = 1, .valid = 4, .failed = 4, .error = -EIO},
        {.name = "write to a target only", .level = RAID_LEVEL_1, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .targets = 4, .error = -EIO},
        {.name = "sync fills", .level = RAID_LEVEL_1, .want = PLAN_SYNC, .valid = 0x0C,
         .targets = 0x30, .fill = 0x20, .kernel = PLAN_KERNEL_COPY, .reads = 4,
         .writes = 0x20, .makes_consistent = true},
        {.name = "sync of an unknown mirror", .level = RAID_LEVEL_1, .want = PLAN_SYNC,
         .valid = 0x0C, .targets = 0x30, .fill = 0x20, .inconsistent = true,
         .kernel = PLAN_KERNEL_COPY, .reads = 4, .writes = 0x38, .makes_consistent = true},
        {.name = "sync repairs", .level = RAID_LEVEL_1, .want = PLAN_SYNC, .valid = ALL6,
         .failed = 1, .kernel = PLAN_KERNEL_COPY, .reads = 2, .writes = 1,
         .makes_consistent = true},
        {.name = "sync with nothing to do", .level = RAID_LEVEL_1, .want = PLAN_SYNC,
         .valid = ALL6, .makes_consistent = true},
        {.name = "copy", .level = RAID_LEVEL_1, .want = PLAN_SYNC, .valid = ALL6, .copy = 8,
         .reads = 8, .makes_consistent = true},
        {.name = "copy of a failed mirror", .level = RAID_LEVEL_1, .want = PLAN_SYNC,
         .valid = ALL6, .failed = 1, .copy = 1, .kernel = PLAN_KERNEL_COPY, .reads = 2,
         .writes = 1, .makes_consistent = true},
        {.name = "sync without a source", .level = RAID_LEVEL_1, .want = PLAN_SYNC,
         .targets = 3, .fill = 1, .error = -EIO},
    };
    /* clang-format on */

    (void)state;
    CHECK_CASES(cases);
}

static void raid5_reads(void **state)
{
    /* clang-format off */
    static const struct plan_case cases[] = {
        {.name = "plain", .level = RAID_LEVEL_5, .want = PLAN_READ, .touched = 6,
         .valid = ALL6, .reads = 6},
        {.name = "missing untouched", .level = RAID_LEVEL_5, .want = PLAN_READ, .touched = 6,
         .valid = NOT(0), .reads = 6},
        {.name = "missing touched", .level = RAID_LEVEL_5, .want = PLAN_READ, .touched = 3,
         .valid = NOT(0), .kernel = PLAN_KERNEL_RECOVER, .reads = NOT(0), .lost = 1},
        {.name = "failed is repaired", .level = RAID_LEVEL_5, .want = PLAN_READ, .touched = 2,
         .valid = ALL6, .failed = 2, .kernel = PLAN_KERNEL_RECOVER, .reads = NOT(1), .lost = 2,
         .writes = 2},
        {.name = "failed while degraded", .level = RAID_LEVEL_5, .want = PLAN_READ,
         .touched = 1, .valid = NOT(0), .failed = 2, .error = -EIO},
        {.name = "failed while degraded, other asked for", .level = RAID_LEVEL_5,
         .want = PLAN_READ, .touched = 8, .valid = NOT(0), .failed = 2, .reads = 8},
        {.name = "no parity to recover from", .level = RAID_LEVEL_5, .want = PLAN_READ,
         .touched = 1, .valid = NOT(0) & NOT(5), .targets = PLACE(5), .error = -EIO},
    };
    /* clang-format on */

    (void)state;
    CHECK_CASES(cases);
}

static void raid5_writes(void **state)
{
    /* clang-format off */
    static const struct plan_case cases[] = {
        {.name = "one column: update", .level = RAID_LEVEL_5, .want = PLAN_WRITE, .touched = 1,
         .full = 1, .valid = ALL6, .kernel = PLAN_KERNEL_UPDATE, .reads = 0x21,
         .writes = 0x21},
        {.name = "two full: tie goes to update", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 3, .full = 3, .valid = ALL6, .kernel = PLAN_KERNEL_UPDATE,
         .reads = 0x23, .writes = 0x23},
        {.name = "two full: as much to do everywhere", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 3, .full = 3, .valid = ALL6,
         .waiting = {4, 4, 4, 4, 4, 4}, .kernel = PLAN_KERNEL_UPDATE, .reads = 0x23,
         .writes = 0x23},
        {.name = "two full: the others have less to do", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 3, .full = 3, .valid = ALL6,
         .waiting = {5, 4, 4, 4, 4, 4}, .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1C,
         .writes = 0x23, .makes_consistent = true},
        {.name = "two full: P has less to do", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 3, .full = 3, .valid = ALL6, .waiting = {5, 4, 4, 4, 4, 3},
         .kernel = PLAN_KERNEL_UPDATE, .reads = 0x23, .writes = 0x23},
        {.name = "three full: fewer commands, whatever waits", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 7, .full = 7, .valid = ALL6,
         .waiting = {0, 0, 0, 90, 90, 0}, .kernel = PLAN_KERNEL_GENERATE, .reads = 0x18,
         .writes = 0x27, .makes_consistent = true},
        {.name = "one column: fewer commands, whatever waits", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = ALL6,
         .waiting = {90, 0, 0, 0, 0, 90}, .kernel = PLAN_KERNEL_UPDATE, .reads = 0x21,
         .writes = 0x21},
        {.name = "four full: generate", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 0x0F, .full = 0x0F, .valid = ALL6, .partial = PLAN_PARTIAL_UPDATE,
         .kernel = PLAN_KERNEL_GENERATE, .reads = 0x10, .writes = 0x2F,
         .makes_consistent = true},
        {.name = "one column, update wanted, others idle", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = ALL6,
         .partial = PLAN_PARTIAL_UPDATE, .waiting = {9, 0, 0, 0, 0, 9},
         .kernel = PLAN_KERNEL_UPDATE, .reads = 0x21, .writes = 0x21},
        {.name = "one column, update wanted, failed parity", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = ALL6, .failed = PLACE(5),
         .partial = PLAN_PARTIAL_UPDATE, .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1E,
         .writes = 0x21, .makes_consistent = true},
        {.name = "one column, update wanted, unknown row", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = ALL6, .inconsistent = true,
         .partial = PLAN_PARTIAL_UPDATE, .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1E,
         .writes = 0x21, .makes_consistent = true},
        {.name = "two full, one failed: repaired, whatever waits", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 3, .full = 3, .valid = ALL6, .failed = 1,
         .waiting = {0, 0, 90, 90, 90, 0}, .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1C,
         .writes = 0x23, .makes_consistent = true},
        {.name = "two partial: update", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 3, .valid = ALL6, .kernel = PLAN_KERNEL_UPDATE, .reads = 0x23,
         .writes = 0x23},
        {.name = "one column, unknown row: generate", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = ALL6, .inconsistent = true,
         .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1E, .writes = 0x21,
         .makes_consistent = true},
        {.name = "full row reads nothing", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 0x1F, .full = 0x1F, .valid = ALL6, .kernel = PLAN_KERNEL_GENERATE,
         .writes = ALL6, .makes_consistent = true},
        {.name = "degraded, missing untouched: update", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = NOT(2),
         .kernel = PLAN_KERNEL_UPDATE, .reads = 0x21, .writes = 0x21},
        {.name = "degraded, missing full: generate", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 4, .full = 4, .valid = NOT(2),
         .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1B, .writes = 0x20,
         .makes_consistent = true},
        {.name = "degraded, missing partial: recover", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 4, .valid = NOT(2),
         .kernel = PLAN_KERNEL_RECOVER_GENERATE, .reads = NOT(2), .lost = 4, .writes = 0x20,
         .makes_consistent = true},
        {.name = "degraded, unknown row: define the missing", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = NOT(2), .inconsistent = true,
         .kernel = PLAN_KERNEL_RECOVER_GENERATE, .reads = NOT(2), .lost = 4, .writes = 0x21,
         .makes_consistent = true},
        {.name = "parity member gone: data alone", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 3, .full = 1, .valid = NOT(5), .reads = 2, .writes = 3,
         .makes_consistent = true},
        {.name = "parity being rebuilt is kept right", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = NOT(5), .targets = PLACE(5),
         .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1E, .writes = 0x21,
         .makes_consistent = true},
        {.name = "data being rebuilt are written", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 4, .full = 4, .valid = NOT(2), .targets = 4,
         .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1B, .writes = 0x24,
         .makes_consistent = true},
        {.name = "failed parity is repaired", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .valid = ALL6, .failed = PLACE(5),
         .kernel = PLAN_KERNEL_GENERATE, .reads = 0x1E, .writes = 0x21,
         .makes_consistent = true},
        {.name = "failed data are repaired", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .valid = ALL6, .failed = 2,
         .kernel = PLAN_KERNEL_RECOVER_GENERATE, .reads = NOT(1), .lost = 2, .writes = 0x23,
         .makes_consistent = true},
        {.name = "failed beyond repair, untouched: update", .level = RAID_LEVEL_5,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = NOT(3), .failed = 2,
         .kernel = PLAN_KERNEL_UPDATE, .reads = 0x21, .writes = 0x21},
        {.name = "failed parity while degraded", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .valid = NOT(3), .failed = PLACE(5), .error = -EIO},
        {.name = "punctured instead", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 9, .full = 9, .valid = NOT(3), .failed = PLACE(5),
         .kernel = PLAN_KERNEL_GENERATE, .reads = 0x16, .writes = 0x21,
         .makes_consistent = true},
        {.name = "nowhere to keep it", .level = RAID_LEVEL_5, .want = PLAN_WRITE,
         .touched = 0x1F, .full = 0x1F, .valid = NOT(3) & NOT(1), .error = -EIO},
    };
    /* clang-format on */

    (void)state;
    CHECK_CASES(cases);
}

static void raid6_reads_and_writes(void **state)
{
    /* clang-format off */
    static const struct plan_case cases[] = {
        {.name = "one missing, from P", .level = RAID_LEVEL_6, .want = PLAN_READ, .touched = 1,
         .valid = NOT(0), .kernel = PLAN_KERNEL_RECOVER, .reads = 0x2E, .lost = 1},
        {.name = "one missing and P, from Q", .level = RAID_LEVEL_6, .want = PLAN_READ,
         .touched = 1, .valid = NOT(0) & NOT(5), .kernel = PLAN_KERNEL_RECOVER, .reads = 0x1E,
         .lost = 0x21},
        {.name = "two missing", .level = RAID_LEVEL_6, .want = PLAN_READ, .touched = 1,
         .valid = 0x3C, .kernel = PLAN_KERNEL_RECOVER, .reads = 0x3C, .lost = 3},
        {.name = "one missing, P failed", .level = RAID_LEVEL_6, .want = PLAN_READ,
         .touched = 1, .valid = NOT(0), .failed = 0x20, .kernel = PLAN_KERNEL_RECOVER,
         .reads = 0x1E, .lost = 0x21, .writes = 0x20},
        {.name = "two missing, Q failed", .level = RAID_LEVEL_6, .want = PLAN_READ,
         .touched = 1, .valid = 0x3C, .failed = 0x10, .error = -EIO},
        {.name = "one column: update of both", .level = RAID_LEVEL_6, .want = PLAN_WRITE,
         .touched = 1, .valid = ALL6, .kernel = PLAN_KERNEL_UPDATE, .reads = 0x31,
         .writes = 0x31},
        {.name = "one full column: tie goes to update", .level = RAID_LEVEL_6,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = ALL6,
         .kernel = PLAN_KERNEL_UPDATE, .reads = 0x31, .writes = 0x31},
        {.name = "one full column: the others have less to do", .level = RAID_LEVEL_6,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = ALL6,
         .waiting = {2, 1, 1, 1, 2, 2}, .kernel = PLAN_KERNEL_GENERATE, .reads = 0x0E,
         .writes = 0x31, .makes_consistent = true},
        {.name = "one full column, update wanted", .level = RAID_LEVEL_6, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .valid = ALL6, .partial = PLAN_PARTIAL_UPDATE,
         .waiting = {2, 1, 1, 1, 2, 2}, .kernel = PLAN_KERNEL_UPDATE, .reads = 0x31,
         .writes = 0x31},
        {.name = "P gone: update of Q", .level = RAID_LEVEL_6, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .valid = NOT(5), .kernel = PLAN_KERNEL_UPDATE,
         .reads = 0x11, .writes = 0x11},
        {.name = "P and Q gone", .level = RAID_LEVEL_6, .want = PLAN_WRITE, .touched = 1,
         .full = 1, .valid = 0x0F, .writes = 1, .makes_consistent = true},
        {.name = "unknown row, one missing: defined by P", .level = RAID_LEVEL_6,
         .want = PLAN_WRITE, .touched = 1, .full = 1, .valid = NOT(1), .inconsistent = true,
         .kernel = PLAN_KERNEL_RECOVER_GENERATE, .reads = 0x2D, .lost = 2, .writes = 0x31,
         .makes_consistent = true},
        {.name = "unknown row, two missing", .level = RAID_LEVEL_6, .want = PLAN_WRITE,
         .touched = 1, .full = 1, .valid = NOT(1) & NOT(2), .inconsistent = true,
         .targets = 2, .kernel = PLAN_KERNEL_RECOVER_GENERATE, .reads = 0x39, .lost = 6,
         .writes = 0x33, .makes_consistent = true},
        {.name = "two missing, one full, one old", .level = RAID_LEVEL_6, .want = PLAN_WRITE,
         .touched = 2, .full = 2, .valid = NOT(1) & NOT(2),
         .kernel = PLAN_KERNEL_RECOVER_GENERATE, .reads = 0x39, .lost = 6, .writes = 0x30,
         .makes_consistent = true},
        {.name = "two missing, both full", .level = RAID_LEVEL_6, .want = PLAN_WRITE,
         .touched = 6, .full = 6, .valid = NOT(1) & NOT(2), .kernel = PLAN_KERNEL_GENERATE,
         .reads = 9, .writes = 0x30, .makes_consistent = true},
        {.name = "Q being rebuilt is kept right", .level = RAID_LEVEL_6, .want = PLAN_WRITE,
         .touched = 1, .valid = NOT(4), .targets = 0x10, .kernel = PLAN_KERNEL_GENERATE,
         .reads = 0x0F, .writes = 0x31, .makes_consistent = true},
    };
    /* clang-format on */

    (void)state;
    CHECK_CASES(cases);
}

static void parity_sync(void **state)
{
    /* clang-format off */
    static const struct plan_case cases[] = {
        {.name = "nothing to do", .level = RAID_LEVEL_6, .want = PLAN_SYNC, .valid = ALL6,
         .makes_consistent = true},
        {.name = "initialize", .level = RAID_LEVEL_6, .want = PLAN_SYNC, .valid = ALL6,
         .inconsistent = true, .kernel = PLAN_KERNEL_GENERATE, .reads = 0x0F, .writes = 0x30,
         .makes_consistent = true},
        {.name = "fill data", .level = RAID_LEVEL_5, .want = PLAN_SYNC, .valid = NOT(2),
         .targets = 4, .fill = 4, .kernel = PLAN_KERNEL_RECOVER, .reads = NOT(2), .lost = 4,
         .writes = 4, .makes_consistent = true},
        {.name = "fill P", .level = RAID_LEVEL_6, .want = PLAN_SYNC, .valid = NOT(5),
         .targets = 0x20, .fill = 0x20, .kernel = PLAN_KERNEL_RECOVER, .reads = 0x0F,
         .lost = 0x20, .writes = 0x20, .makes_consistent = true},
        {.name = "fill Q, data missing", .level = RAID_LEVEL_6, .want = PLAN_SYNC,
         .valid = NOT(4) & NOT(0), .targets = 0x10, .fill = 0x10,
         .kernel = PLAN_KERNEL_RECOVER, .reads = 0x2E, .lost = 0x11, .writes = 0x10,
         .makes_consistent = true},
        {.name = "fill one of two targets", .level = RAID_LEVEL_6, .want = PLAN_SYNC,
         .valid = 0x3C, .targets = 3, .fill = 1, .kernel = PLAN_KERNEL_RECOVER, .reads = 0x3C,
         .lost = 3, .writes = 1, .makes_consistent = true},
        {.name = "fill in an unknown row", .level = RAID_LEVEL_6, .want = PLAN_SYNC,
         .valid = NOT(0), .targets = 1, .fill = 1, .inconsistent = true,
         .kernel = PLAN_KERNEL_RECOVER_GENERATE, .reads = 0x2E, .lost = 1, .writes = 0x31,
         .makes_consistent = true},
        {.name = "fill while another failed", .level = RAID_LEVEL_6, .want = PLAN_SYNC,
         .valid = NOT(0), .targets = 1, .fill = 1, .failed = 2, .kernel = PLAN_KERNEL_RECOVER,
         .reads = 0x3C, .lost = 3, .writes = 3, .makes_consistent = true},
        {.name = "copy", .level = RAID_LEVEL_6, .want = PLAN_SYNC, .valid = ALL6, .copy = 2,
         .reads = 2, .makes_consistent = true},
        {.name = "copy of what failed", .level = RAID_LEVEL_5, .want = PLAN_SYNC, .valid = ALL6,
         .failed = 2, .copy = 2, .kernel = PLAN_KERNEL_RECOVER, .reads = NOT(1), .lost = 2,
         .writes = 2, .makes_consistent = true},
        {.name = "copy beside what is beyond redundancy", .level = RAID_LEVEL_5,
         .want = PLAN_SYNC, .valid = NOT(0), .failed = 2, .copy = 4, .reads = 4},
        {.name = "copy beyond redundancy", .level = RAID_LEVEL_5, .want = PLAN_SYNC,
         .valid = NOT(0), .failed = 2, .copy = 2, .error = -EIO},
        {.name = "fill beyond redundancy", .level = RAID_LEVEL_5, .want = PLAN_SYNC,
         .valid = NOT(0), .targets = 1, .fill = 1, .failed = 2, .error = -EIO},
        {.name = "repair", .level = RAID_LEVEL_5, .want = PLAN_SYNC, .valid = ALL6,
         .failed = 2, .kernel = PLAN_KERNEL_RECOVER, .reads = NOT(1), .lost = 2, .writes = 2,
         .makes_consistent = true},
        {.name = "unknown row without parity", .level = RAID_LEVEL_5, .want = PLAN_SYNC,
         .valid = NOT(5), .inconsistent = true, .makes_consistent = true},
    };
    /* clang-format on */

    (void)state;
    CHECK_CASES(cases);
}

/* As when there is nothing to choose by: the lowest. */
static void mirrors_without_a_preference(void **state)
{
    static const uint32_t none[] = {6, 31, UINT32_MAX};
    struct geometry geometry = {RAID_LEVEL_1, 1, 6, 8192, 512, 8192};
    struct row_map map;
    struct plan_input input = {.level = RAID_LEVEL_1,
                               .map = &map,
                               .want = PLAN_READ,
                               .touched = 1,
                               .valid = NOT(0),
                               .writable = NOT(0),
                               .consistent = true};

    (void)state;
    geometry_row_map(&geometry, 0, &map);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        struct plan plan = {.reads = 0};

        input.mirror_preference = none[i];
        assert_int_equal(plan_make(&input, &plan), 0);
        assert_int_equal(plan.reads, PLACE(1));
    }
}

static void broken_promises_assert(void **state)
{
    struct geometry geometry = {RAID_LEVEL_5, 1, 6, 8192, 512, 8192};
    struct row_map map;
    struct plan_input good = {.level = RAID_LEVEL_5,
                              .map = &map,
                              .want = PLAN_WRITE,
                              .touched = 3,
                              .full = 1,
                              .valid = NOT(4),
                              .writable = ALL6,
                              .consistent = true};
    struct plan_input bad = good;
    struct plan plan;

    (void)state;
    geometry_row_map(&geometry, 0, &map);
    assert_int_equal(plan_make(&good, &plan), 0);
    bad.touched = PLACE(5) | 1;
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.full = 4;
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.valid = PLACE(6) | 3;
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.writable = NOT(0);
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.failed = PLACE(4);
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.want = PLAN_SYNC;
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.fill = PLACE(4);
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.want = PLAN_READ;
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
    bad = good;
    bad.level = RAID_LEVEL_6;
    EXPECT_ASSERT((void)!plan_make(&bad, &plan));
}

/* The short way of a read of mirrors is what plan_make() says, for every set of good copies. */
static void plain_copies(void **state UNUSED)
{
    const struct raid_level_info *level = raid_level_info(RAID_LEVEL_1);
    struct geometry geometry = {RAID_LEVEL_1, 1, 6, 8192, 512, 8192};
    struct row_map map;

    geometry_row_map(&geometry, 0, &map);
    for (uint32_t valid = 1; valid <= ALL6; valid++) {
        for (uint32_t place = 0; place < 6; place++) {
            struct plan_input input = {.level = RAID_LEVEL_1,
                                       .map = &map,
                                       .want = PLAN_READ,
                                       .touched = 1,
                                       .valid = valid,
                                       .writable = valid,
                                       .consistent = true,
                                       .mirror_preference = place};
            struct plan made;
            struct plan plain = plan_plain_read(PLACE(place));

            if ((valid & PLACE(place)) == 0) {
                continue;
            }
            assert_true(plan_is_plain_copy(level, PLAN_READ, valid, 0));
            assert_int_equal(plan_make(&input, &made), 0);
            assert_int_equal(made.kernel, plain.kernel);
            assert_int_equal(made.reads, plain.reads);
            assert_int_equal(made.writes, plain.writes);
            assert_int_equal(made.lost | made.recover_from, plain.lost | plain.recover_from);
            assert_int_equal(made.makes_consistent, plain.makes_consistent);
        }
        assert_false(plan_is_plain_copy(level, PLAN_READ, valid, valid & -valid));
        assert_false(plan_is_plain_copy(level, PLAN_WRITE, valid, 0));
        assert_false(plan_is_plain_copy(level, PLAN_SYNC, valid, 0));
    }
    assert_false(plan_is_plain_copy(level, PLAN_READ, 0, 0));
    assert_false(plan_is_plain_copy(raid_level_info(RAID_LEVEL_5), PLAN_READ, ALL6, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raid0),
        cmocka_unit_test(mirrors),
        cmocka_unit_test(raid5_reads),
        cmocka_unit_test(raid5_writes),
        cmocka_unit_test(raid6_reads_and_writes),
        cmocka_unit_test(parity_sync),
        cmocka_unit_test(mirrors_without_a_preference),
        cmocka_unit_test(broken_promises_assert),
        cmocka_unit_test(plain_copies),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("raid/plan", tests, NULL, NULL);
}
