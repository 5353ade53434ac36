/*
 * Where bytes must be on the drives, worked out from the description of the layouts alone, and
 * whether redundancy agrees. Like the model it shares nothing with the engine but base/.
 */
#ifndef ARRAYWRIGHT_SIM_LAYOUT_H
#define ARRAYWRIGHT_SIM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_WIDTH_MAX 32u

/* One virtual drive. */
struct layout {
    bool mirrored;          /* every member of a span has the same */
    bool pairs; /* RAID 1E: strips in two copies, one after the other round the members */
    uint32_t parity_count; /* 0, 1: P, 2: P and Q */
    uint32_t span_count;
    uint32_t members_per_span;
    uint32_t strip_bytes;
    uint64_t extent_start_bytes; /* on each member */
    uint64_t extent_bytes;
    void (*read)(void *context, uint32_t member, uint64_t offset_bytes, void *buffer,
                 uint32_t length_bytes);
    void *context;
};

/* The member and offset in its data area of a byte of a virtual drive (first copy). */
void layout_find(const struct layout *layout, uint64_t offset_bytes, uint32_t *ret_member,
                 uint64_t *ret_offset_bytes);
/* Is the member among those that what lies there, or is computed for it, is made of? Where there is
 * redundancy. */
bool layout_depends(const struct layout *layout, uint64_t offset_bytes, uint32_t member);
/* Is what lies there, or may be computed for it, made of any of these bytes of the member, which
 * are of one strip? */
bool layout_touches(const struct layout *layout, uint64_t offset_bytes, uint32_t length_bytes,
                    uint32_t member, uint64_t at_bytes, uint32_t at_length_bytes);
/* Can everything be read without these of a span, a bit for each? */
bool layout_bears(const struct layout *layout, uint32_t lost);
/* NULL if every row's mirrors and parity agree, else what does not; *ret_row says where. */
const char *layout_check(const struct layout *layout, uint64_t *ret_row);

#endif
