/*
 * See calibrate.h. Each figure is the best of a few rounds of CPU time: the machine is shared, and
 * what it can do is what it did when nobody disturbed.
 */
#include "calibrate.h"

#include <isa-l/raid.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>

#include "bench_load.h"
#include "raid/parity.h"

#define ROUNDS 7u
#define KIB 1024u
#define MIB (1024u * KIB)

struct work {
    void (*run)(struct work *work); /* once; per_run says of how many units */
    double per_run;
    uint8_t *a, *b;
    size_t bytes;
    void *columns[10];
    struct io_uring *ring;
};

/* The least CPU time of one unit in ns. */
static double best_ns(struct work *work, uint32_t repeats)
{
    double best = 0;

    work->run(work);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t start_ns = bench_cpu_ns();
        double took_ns = 0;

        for (uint32_t i = 0; i < repeats; i++) {
            work->run(work);
        }
        took_ns = (double)(bench_cpu_ns() - start_ns) / repeats / work->per_run;
        best = round == 0 || took_ns < best ? took_ns : best;
    }
    return best;
}

static void run_copy(struct work *work)
{
    memcpy(work->b, work->a, work->bytes);
    __asm__ volatile("" : : "r"(work->b) : "memory");
}

static void run_clock(struct work *work)
{
    (void)work;
    for (int i = 0; i < 100; i++) {
        (void)bench_wall_ns();
    }
}

static void run_nops(struct work *work)
{
    struct io_uring_cqe *cqe = NULL;

    for (int i = 0; i < 32; i++) {
        io_uring_prep_nop(io_uring_get_sqe(work->ring));
    }
    if (io_uring_submit_and_wait(work->ring, 32) < 0) {
        bench_fail("the ring fails");
    }
    while (io_uring_peek_cqe(work->ring, &cqe) == 0) {
        io_uring_cqe_seen(work->ring, cqe);
    }
}

static void run_xor(struct work *work)
{
    if (xor_gen(9, 64 * KIB, work->columns) != 0) {
        bench_fail("xor_gen fails");
    }
}

static void run_pq(struct work *work)
{
    if (pq_gen(10, 64 * KIB, work->columns) != 0) {
        bench_fail("pq_gen fails");
    }
}

static void run_own_pq(struct work *work)
{
    parity_generate((uint8_t *const *)work->columns, 10, 8, 9, 64 * KIB);
}

static double copy_ns_per_byte(struct work *work, size_t bytes, uint32_t repeats)
{
    work->run = run_copy;
    work->bytes = bytes;
    work->per_run = (double)bytes;
    return best_ns(work, repeats);
}

static double nop_ns(struct work *work)
{
    struct io_uring ring;
    double ns = 0;

    if (io_uring_queue_init(64, &ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN) !=
        0) {
        bench_fail("no io_uring");
    }
    work->ring = &ring;
    work->run = run_nops;
    work->per_run = 32;
    ns = best_ns(work, 2000);
    io_uring_queue_exit(&ring);
    return ns;
}

void calibrate(struct calibration *ret_calibration)
{
    struct work work = {0};
    uint8_t *memory = aligned_alloc(4096, 512 * (size_t)MIB);

    if (memory == NULL) {
        bench_fail("no memory");
    }
    memset(memory, 1, 512 * (size_t)MIB);
    work.a = memory;
    work.b = memory + 256 * (size_t)MIB;
    ret_calibration->memcpy_memory_gb_s = 1 / copy_ns_per_byte(&work, 256 * (size_t)MIB, 1);
    work.b = memory + 256 * KIB;
    ret_calibration->memcpy_cached_gb_s = 1 / copy_ns_per_byte(&work, 256 * KIB, 200);
    ret_calibration->memcpy_4k_ns = 4096 * copy_ns_per_byte(&work, 4096, 20000);
    ret_calibration->nop_ring_ns = nop_ns(&work);
    for (uint32_t i = 0; i < 10; i++) {
        work.columns[i] = memory + i * 64 * KIB;
    }
    work.run = run_xor;
    work.per_run = 8 * 64 * KIB;
    ret_calibration->xor_gb_s = 1 / best_ns(&work, 200);
    work.run = run_pq;
    ret_calibration->pq_gb_s = 1 / best_ns(&work, 200);
    work.run = run_own_pq;
    ret_calibration->own_pq_gb_s = 1 / best_ns(&work, 200);
    work.run = run_clock;
    work.per_run = 100;
    ret_calibration->clock_ns = best_ns(&work, 1000);
    free(memory);
}
