/*
 * What is saved on the host before a destructive change, so that the configuration can be brought
 * back: which drives, the record of the drive group, the sectors of metadata that are written over.
 * Plain data and its encoding; each is one record of the host's store (port/store_port.h).
 *
 * Encoding, version 1, or 2 if there are hot spares, little-endian:
 *
 *   0  magic "AWUNDO01"      8  version        12  bytes in all     16  CRC-32C, itself as zero
 *  20  kind                 24  number         32  saved at, µs     40  group guid
 *  64  virtual drive guid   88  name 24       112  who 64          176  drives
 * 180  bytes of the group's record            184  sectors          188  spoilt
 * 192  hot spares          196  zero to 256
 *   …  drives, 160 bytes each: key 64, serial 40, bytes 8, flags 4, zero 4, print 32, zero 8
 *   …  the group's record, zeros up to a multiple of 8
 *   …  sectors, 528 bytes each: drive 4, zero 4, offset 8, content 512
 *   …  hot spares, as drives
 */
#ifndef ARRAYWRIGHT_META_UNDO_RECORD_H
#define ARRAYWRIGHT_META_UNDO_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/guid.h"
#include "base/sha256.h"
#include "base/words.h"
#include "meta/group_store.h"

#define UNDO_DRIVES_MAX 256u
#define UNDO_SPARES_MAX 32u
#define UNDO_SECTOR_BYTES 512u
#define UNDO_SECTORS_PER_DRIVE 7u
#define UNDO_NAME_MAX 23u
#define UNDO_WHO_MAX 63u
#define UNDO_RECORD_MAX_BYTES STORE_VALUE_MAX_BYTES

/* Why the copy cannot bring everything back, known when it was made. */
enum undo_spoilt {
    UNDO_SPOILT_NOT,
    UNDO_SPOILT_CACHE,    /* acknowledged writes were only in the cache, and went with it */
    UNDO_SPOILT_DEGRADED, /* one of several, while a member was not in sync */
    UNDO_SPOILT_BLOCKS,   /* one of several, with blocks that are known to be bad */
    UNDO_SPOILT_MAX
};

/*
 * Kinds: DRIVE_GROUP the last virtual drive of a group, and the group with it; VIRTUAL_DRIVE one of
 * several; FOREIGN_SET a set that was cleared. DAMAGED is only ever told of one that cannot be
 * read.
 */
struct undo_drive {
    char key[65];
    char serial[41];
    uint64_t size_bytes;
    bool used;                   /* it was there, and its metadata were taken off */
    bool printed;                /* its content could be read: */
    uint8_t print[SHA256_BYTES]; /* meta/drive_print.h */
    bool affinity;               /* of a hot spare: serves only its own enclosure */
    bool committable;            /* of a hot spare: not revertible */
};

struct undo_sector {
    uint32_t drive;              /* index */
    uint64_t offset_bytes;
    uint8_t content[UNDO_SECTOR_BYTES];
};

struct undo_record {
    enum undo_kind kind;
    uint64_t number;             /* from 1; of those that are kept, each has its own */
    uint64_t saved_us;           /* wall */
    struct guid group;
    struct guid vd;              /* DRIVE_GROUP: the last one's; FOREIGN_SET: zero */
    char name[UNDO_NAME_MAX + 1];
    char who[UNDO_WHO_MAX + 1];
    enum undo_spoilt spoilt;
    uint32_t drive_count;
    struct undo_drive *drives;
    struct group_config *config; /* as it was; FOREIGN_SET: NULL */
    uint32_t sector_count;       /* FOREIGN_SET */
    struct undo_sector *sectors;
    uint32_t spare_count;        /* DRIVE_GROUP: hot spares that were dedicated to it */
    struct undo_drive spares[UNDO_SPARES_MAX];
};

/* Zeroed, with room for so many. Never NULL. */
struct undo_record *undo_record_new(uint32_t drives, uint32_t sectors);
/* NULL is nothing; returns NULL. */
struct undo_record *undo_record_free(struct undo_record *record);

/* -EMSGSIZE: it is too large. buffer: UNDO_RECORD_MAX_BYTES. */
MUST_CHECK int undo_record_encode(const struct undo_record *record, uint8_t *buffer,
                                  size_t *ret_bytes);
/* Any bytes; 0, -EBADMSG or -ENOMEM. */
MUST_CHECK int undo_record_decode(const uint8_t *buffer, size_t bytes,
                                  struct undo_record **ret_record);

#endif
