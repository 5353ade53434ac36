/*
 * What this machine can do, measured in the same run: absolute figures of the engine mean
 * something only next to these.
 */
#ifndef ARRAYWRIGHT_BENCH_CALIBRATE_H
#define ARRAYWRIGHT_BENCH_CALIBRATE_H

struct calibration {
    double memcpy_cached_gb_s;   /* 256 KiB to 256 KiB, bytes copied */
    double memcpy_memory_gb_s;   /* 256 MiB to 256 MiB */
    double memcpy_4k_ns;         /* one block, source and target in L2 */
    double nop_ring_ns;          /* one NOP of io_uring, 32 per call */
    double clock_ns;             /* one reading of CLOCK_MONOTONIC */
    double xor_gb_s;             /* ISA-L xor_gen 8+1 x 64 KiB, bytes of data, in L2 */
    double pq_gb_s;              /* ISA-L pq_gen 8+2 x 64 KiB */
    double own_pq_gb_s;          /* parity_generate() 8+2 x 64 KiB with the default kernel */
};

void calibrate(struct calibration *ret_calibration);

#endif
