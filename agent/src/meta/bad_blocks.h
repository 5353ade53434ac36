/*
 * The table of bad blocks of a drive group: ranges of 512 bytes of its members whose content is not
 * to be had; of a virtual drive they are whole logical blocks. Pure; part of the group's record
 * (meta/config.h).
 *
 * Four kinds, the later the graver; a block has one:
 *   UNREADABLE  the drive could not read it when it was needed, and nothing else could stand in.
 *               Still tried: what the drive gives is right. A note for people.
 *   LOST        what is on the drive is not its content, or cannot be read; recovered and rewritten
 *               as soon as the rest of its row allows, EIO until then. What a rebuild leaves behind
 *               where it finds too little, and a resynchronization.
 *   DOUBTFUL    nobody knows whether its content is old, new or neither: an unclean stop or a
 *               refused write tore its row while its member was missing. EIO until it is written.
 *               For its row it is what the others describe, and what is on the drive once that
 *               has been filled.
 *   PUNCTURED   its content is gone for good: the row was made consistent without it, and counts it
 *               as zeros. EIO until it is written.
 *
 * (1) Ranges are sorted by member and offset, do not overlap, and hold at least one block.
 * (2) Some places of the table are kept for what dropping the middle of a range splits.
 */
#ifndef ARRAYWRIGHT_META_BAD_BLOCKS_H
#define ARRAYWRIGHT_META_BAD_BLOCKS_H

#include "base/attrs.h"
#include "meta/config.h"

#define BAD_BLOCK_BYTES 512u

#define BAD_KIND_BIT(kind) (1u << (kind))
/* Whatever happens around them, until they are written */
#define BAD_KINDS_GONE                                                                             \
    (BAD_KIND_BIT(BAD_BLOCK_KIND_DOUBTFUL) | BAD_KIND_BIT(BAD_BLOCK_KIND_PUNCTURED))
#define BAD_KINDS_ALL                                                                              \
    (BAD_KIND_BIT(BAD_BLOCK_KIND_UNREADABLE) | BAD_KIND_BIT(BAD_BLOCK_KIND_LOST) | BAD_KINDS_GONE)

/* Is there a block of one of the kinds in the range? */
bool bad_blocks_meet(const struct group_config *config, uint32_t member, uint64_t offset_bytes,
                     uint64_t length_bytes, uint32_t kinds);
/* Notes one block. *ret_new: it was not known, or as something less grave. False: the table is
 * full, and nothing has changed. */
MUST_CHECK bool bad_blocks_add(struct group_config *config, uint32_t member, uint64_t offset_bytes,
                               enum bad_block_kind kind, bool *ret_new);
/* Notes all blocks of a range of a member that is not in sync there, whatever they were. Where the
 * table is full it takes in the blocks between two ranges of one member as well, and then forgets
 * UNREADABLE ones: it may note more than was asked for as gone, never less. False: no room is left.
 * The range is then not noted, or only its beginning. The caller must not let it be read. */
MUST_CHECK bool bad_blocks_put(struct group_config *config, uint32_t member, uint64_t offset_bytes,
                               uint64_t length_bytes, enum bad_block_kind kind);
/* The member in use that has most neighboring ranges that cannot be joined as long as its drive's
 * content counts; without any, the first one in use. UINT32_MAX: no member is in use. */
uint32_t bad_blocks_crowded_member(const struct group_config *config);
/* May `splits` ranges be split in the middle? Else there is no room to forget blocks one by one. */
bool bad_blocks_may_split(const struct group_config *config, uint32_t splits);
/* Forgets the blocks of these kinds in a range (UINT64_MAX: to the end of the member). True if
 * there were any. A range that would have to be split while the table is full is kept. */
bool bad_blocks_drop(struct group_config *config, uint32_t member, uint64_t offset_bytes,
                     uint64_t length_bytes, uint32_t kinds);
/* How many blocks of the kinds lie in [offset, offset + length) of any member. */
uint64_t bad_blocks_count(const struct group_config *config, uint64_t offset_bytes,
                          uint64_t length_bytes, uint32_t kinds);

#endif
