/*
 * XOR and P+Q arithmetic over GF(2^8), polynomial 0x11D, generator 2. ISA-L does the
 * work; parity_scalar.c is its twin for tests. Buffers are 64-byte aligned and lengths
 * are multiples of 512 (asserted).
 *
 * `columns` has one pointer per place of a row (width entries). In the P+Q functions
 * the exponent of a column is its place; the P and Q places count as zeros.
 */
#ifndef ARRAYWRIGHT_RAID_PARITY_H
#define ARRAYWRIGHT_RAID_PARITY_H

#include <stddef.h>
#include <stdint.h>

#define PARITY_WIDTH_MAX 32u

/* target = XOR of the sources (source_count 1..32; target may be sources[0]). */
void parity_xor(uint8_t *target, uint8_t *const *sources, uint32_t source_count, size_t bytes);

/*
 * Recomputes P and Q of a row from its data places. p_place or q_place is -1 if the row has
 * no such column; a NULL column at either place is not computed.
 */
void parity_generate(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                     size_t bytes);

/*
 * Recovers the columns named in lost_mask (bits by place, at most one for P-only rows, at
 * most two with P and Q) in place from all the others. p_place/q_place as in the row; a
 * lost P or Q is recomputed. One lost data column is recovered from P unless P is lost too;
 * parity that is neither lost nor needed is not read.
 */
void parity_recover(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                    uint32_t lost_mask, size_t bytes);

/* P ^= delta; Q ^= g^place * delta. p or q may be NULL. For read-modify-write. */
void parity_update(uint8_t *p, uint8_t *q, uint32_t place, const uint8_t *delta, size_t bytes);

/* The same four, one byte at a time: the reference for the tests. */
void parity_scalar_xor(uint8_t *target, uint8_t *const *sources, uint32_t source_count,
                       size_t bytes);
void parity_scalar_generate(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                            size_t bytes);
void parity_scalar_recover(uint8_t *const *columns, uint32_t width, int p_place, int q_place,
                           uint32_t lost_mask, size_t bytes);
void parity_scalar_update(uint8_t *p, uint8_t *q, uint32_t place, const uint8_t *delta,
                          size_t bytes);

#endif
