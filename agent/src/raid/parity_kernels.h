/*
 * The ways in which linear maps over GF(2^8) are computed here, of which parity.c uses the fastest
 * that the processor has: each target is a sum of coefficient * source, all targets in one pass
 * over the sources.
 *
 *   gfni-avx512  GFNI, the processor's own instruction for such maps, on 64 bytes at once
 *   gfni-avx2    the same on 32 bytes
 *   avx2         P+Q only: Q by Horner's rule, one doubling for each place
 *   isa-l        whatever the packaged ISA-L finds; it does not know GFNI
 */
#ifndef ARRAYWRIGHT_RAID_PARITY_KERNELS_H
#define ARRAYWRIGHT_RAID_PARITY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raid/parity.h"

#define PARITY_TARGETS_MAX 2u

/*
 * targets[t] = sum over s of coefficients[t][s] * sources[s]. Buffers are aligned to 64; a target
 * may be one of the sources: every source is read at a place before anything is written there.
 * With is_pq, coefficients[0][s] is 2^exponents[s], the exponents rise with s and those of a second
 * target are 1: Q alone or Q and P.
 */
struct parity_map {
    uint32_t source_count;
    uint32_t target_count;
    bool is_pq;
    uint8_t *sources[PARITY_WIDTH_MAX];
    uint8_t *targets[PARITY_TARGETS_MAX];
    uint8_t coefficients[PARITY_TARGETS_MAX][PARITY_WIDTH_MAX];
    uint8_t exponents[PARITY_WIDTH_MAX];
};

struct parity_kernel {
    const char *name;
    bool pq_only;
    bool (*is_usable)(void);
    /* bytes is a multiple of 512. */
    void (*run)(const struct parity_map *map, size_t bytes);
};

extern const struct parity_kernel parity_gfni_avx512;
extern const struct parity_kernel parity_gfni_avx2;
extern const struct parity_kernel parity_avx2;
extern const struct parity_kernel parity_isal; /* everywhere */

/* The one in use for maps of this kind. */
const struct parity_kernel *parity_kernel_for(const struct parity_map *map);

/* For tests: this one, and for maps that it does not take ISA-L's. False: the processor cannot. */
bool parity_kernels_use(const char *name);

/*
 * Chooses by measurement, in less than a millisecond; before, the one that is fastest on most
 * processors is in use. `memory` is PARITY_MEASURE_BYTES long and aligned to 64. Returns the names
 * of what is used for P+Q and for everything else. Once, before anything else runs.
 */
#define PARITY_MEASURE_COLUMNS 10u /* 8 + 2 */
#define PARITY_MEASURE_BYTES (PARITY_MEASURE_COLUMNS * 16384u)
#define PARITY_MEASURE_ROUNDS 5u
void parity_kernels_measure(uint64_t (*now_ns)(void), uint8_t *memory, const char **ret_pq,
                            const char **ret_all);

#endif
