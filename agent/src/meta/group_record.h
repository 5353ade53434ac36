/*
 * Layout of a group record, little-endian; version 1, and 1 more if a virtual drive is in a
 * stripe, and 2 more while a copyback runs, and 4 more if private areas are compact:
 *
 *   0  magic "AWGROUP1"      8  version     12  bytes in all    16  CRC-32C, itself as zero
 *  20  member count         24  vd count    28  index           32  sequence    40  guid
 *  64  members, 80 bytes each: uuid 16, serial 40, state 1, why 1, slot + 1 (0: not
 *      known) 2, enclosure 4, rebuilt 8, known sequence 8 (0: not known)
 *   …  virtual drives, 160 bytes each; of a stripe, all 224: the rest is its uuid 16, its
 *      name 16, position 4, count 4, strip 4, zero 4, bytes of a member 8, zero 8
 *   …  bad blocks, 16 bytes each: member 2, kind 1, zero 1, blocks - 1 4, offset 8
 *   …  at the end, while one runs, the copyback: member 4, zero 4, copied 8, uuid of the drive 16
 */
#ifndef ARRAYWRIGHT_META_GROUP_RECORD_H
#define ARRAYWRIGHT_META_GROUP_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"

#define GROUP_RECORD_HEAD_BYTES 64u
#define GROUP_RECORD_MEMBER_BYTES 80u
#define GROUP_RECORD_VD_BYTES 160u
#define GROUP_RECORD_VD_STRIPED_BYTES 224u
#define GROUP_RECORD_BAD_BYTES 16u
#define GROUP_RECORD_COPYBACK_BYTES 32u
#define GROUP_RECORD_CRC_OFFSET 16u

/* The reasons for which a member can be lost, as numbers on disk. */
uint8_t member_why_to_number(enum reason_code why);
bool member_why_of_number(uint8_t number, enum reason_code *ret_why);

#endif
