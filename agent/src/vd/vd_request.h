/*
 * One request to a virtual drive, from an export, a task or a test.
 *
 * Filled by the caller, owned by the virtual drive from vd_submit() until complete(),
 * which is called exactly once, from the loop and never from inside vd_submit().
 * Offset and length are multiples of the virtual drive's logical block and lie inside its
 * size; anything else completes with VD_STATUS_INVALID. Requests are ordered as admitted
 * where they overlap. A flush covers every write completed before it was submitted,
 * whichever connection wrote. A request with fua is on stable storage when it completes.
 */
#ifndef ARRAYWRIGHT_VD_VD_REQUEST_H
#define ARRAYWRIGHT_VD_VD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

enum vd_op {
    VD_OP_READ,
    VD_OP_WRITE,
    VD_OP_FLUSH,
    VD_OP_TRIM,         /* afterwards the range reads as zeros */
    VD_OP_WRITE_ZEROES, /* afterwards the range reads as zeros */
    VD_OP_MAX
};

enum vd_status {
    VD_STATUS_OK,
    VD_STATUS_INVALID,  /* range, alignment or operation not acceptable */
    VD_STATUS_IO,       /* data cannot be had or kept: beyond redundancy, or offline */
    VD_STATUS_READ_ONLY,
    VD_STATUS_NO_SPACE, /* a write: there is no room below its drives */
    VD_STATUS_SHUTDOWN, /* the virtual drive is going away */
    VD_STATUS_MAX
};

/* Whose memory a request lends. It may be asked to take it back long after the virtual drive and
 * everything that used it are gone. */
struct vd_lender {
    void (*give_back)(struct vd_lender *lender, uint8_t *memory);
};

struct vd_request {
    enum vd_op op;
    bool fua;
    uint64_t offset_bytes;
    uint32_t length_bytes;   /* flush: 0; write-zeroes and trim: up to 4 GiB - block */
    uint8_t *buffer;         /* read and write only; no alignment needed */
    /* A write whose bytes lie scattered: hands out those of the virtual drive from offset_bytes
     * on, the same each time. NULL: they are in buffer. */
    void (*gather)(const struct vd_request *request, uint64_t offset_bytes, void *to,
                   uint32_t length_bytes);
    /* A write whose buffer may go to the drives as it is, without a copy. If a drive that has timed
     * out still reads from it at the end, buffer is NULL in complete(): the virtual drive has kept
     * the memory, and gives it back to the lender when the drive lets go. Without a lender the
     * buffer comes whole from aligned_alloc() and is freed then.
     * A read whose buffer the drives may write to. If one that has timed out still may at the end,
     * it is kept in the same way, and buffer in complete() is another one, of aligned_alloc(), with
     * the answer: the owner's to free. */
    bool lends;
    struct vd_lender *lender;
    /* A write whose bytes the medium of the group's given intent log keeps anyway, under the names
     * of their blocks: until a flush of the drives that began after the answer has succeeded; and
     * after a crash it is submitted again, whole rows whole. */
    bool kept;
    /* A write of what has been acknowledged already, or the flush behind it, or the controller's
     * own access: who may access the virtual drive now is of no account. */
    bool acknowledged;
    void (*complete)(struct vd_request *request, enum vd_status status);
    void *owner;

    /* Private to the virtual drive while it owns the request. */
    struct list vd_link;
    uint64_t submitted_us; /* 0: not from an export, not measured */
    uint64_t vd_private[7];
};

/*
 * What an export needs of a virtual drive: a table, so that the NBD server can be tested
 * over memory and a virtual drive can be exported by any server.
 */
struct vd_target;

struct vd_target_ops {
    void (*submit)(struct vd_target *target, struct vd_request *request);
};

struct vd_target {
    const struct vd_target_ops *ops;
    char name[64]; /* export name: the virtual drive's name or its GUID */
    char description[128];
    uint64_t size_bytes;
    uint32_t block_bytes; /* minimum: 512 or 4096 */
    uint32_t preferred_block_bytes; /* e.g. 4096 */
    uint32_t optimal_io_bytes; /* one full row, a hint */
    bool read_only;
};

#endif
