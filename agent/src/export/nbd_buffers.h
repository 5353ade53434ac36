/*
 * Memory for the data of requests, shared by all connections of a server.
 *
 * (1) Buffers come in powers of two from 4 KiB to 32 MiB, aligned to 4096.
 * (2) Given-back buffers are kept for the next taker up to a limit, so that steady load
 *     does not allocate; what connections may hold at once is their own bound.
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_BUFFERS_H
#define ARRAYWRIGHT_EXPORT_NBD_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#define NBD_BUFFER_CLASSES 14u /* 4 KiB << 0 ... 4 KiB << 13 = 32 MiB */

struct nbd_buffers {
    void *free_lists[NBD_BUFFER_CLASSES]; /* each free buffer starts with the next's address */
    uint64_t kept_bytes;
    uint64_t kept_max_bytes;
    uint64_t taken_bytes;
};

void nbd_buffers_init(struct nbd_buffers *buffers, uint64_t kept_max_bytes);
/* Every buffer must have been given back. */
void nbd_buffers_done(struct nbd_buffers *buffers);
/* What a buffer of this length really takes. 0 < length <= 32 MiB. */
size_t nbd_buffer_round(size_t length_bytes);
/* NULL without memory. The contents are whatever they were. */
uint8_t *nbd_buffer_take(struct nbd_buffers *buffers, size_t length_bytes);
void nbd_buffer_give(struct nbd_buffers *buffers, uint8_t *buffer, size_t length_bytes);

#endif
