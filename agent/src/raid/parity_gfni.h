/*
 * Linear maps over GF(2^8) with the processor's own instruction for them (GFNI on AVX-512): each
 * target is a sum of coefficient * source, all targets in one pass over the sources. The packaged
 * ISA-L does not know the instruction and takes three times as long for P+Q.
 *
 * parity.c asks parity_gfni_usable() and falls back to ISA-L.
 */
#ifndef ARRAYWRIGHT_RAID_PARITY_GFNI_H
#define ARRAYWRIGHT_RAID_PARITY_GFNI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "raid/parity.h"

#define PARITY_GFNI_TARGETS_MAX 2u

/* Whether this processor can, unless a test has forbidden it. */
bool parity_gfni_usable(void);
void parity_gfni_allow(bool allowed);

/* target_count is 1 or 2. Buffers are aligned to 64, bytes is a multiple of 512. A target may be
 * one of the sources: every source is read at a place before anything is written there. */
void parity_gfni_map(uint8_t *const *sources, uint32_t source_count, uint8_t *const *targets,
                     uint32_t target_count,
                     const uint8_t coefficients[PARITY_GFNI_TARGETS_MAX][PARITY_WIDTH_MAX],
                     size_t bytes);

#endif
