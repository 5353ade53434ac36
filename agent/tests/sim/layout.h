/*
 * Where bytes must be on the drives, worked out from the description of the layouts alone (no
 * code shared with src/raid), and whether redundancy agrees.
 */
#ifndef ARRAYWRIGHT_TESTS_LAYOUT_H
#define ARRAYWRIGHT_TESTS_LAYOUT_H

#include "sim_array.h"

/* The member and offset in its data area of a byte of a virtual drive (first copy). */
void layout_find(const struct vd_config *vd, uint64_t offset_bytes, uint32_t *ret_member,
                 uint64_t *ret_offset_bytes);
/* NULL if every row's mirrors and parity agree, else what does not; *ret_row says where. */
const char *layout_check(const struct sim_array *array, const struct vd_config *vd,
                         uint64_t *ret_row);

#endif
