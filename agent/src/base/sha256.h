/*
 * SHA-256 (FIPS 180-4), for fingerprints of plans and drives; never for passwords.
 */
#ifndef ARRAYWRIGHT_BASE_SHA256_H
#define ARRAYWRIGHT_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t total_bytes;
    uint8_t block[64];
    uint32_t block_used;
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *buffer, size_t bytes);
#define SHA256_BYTES 32u
/* Ends the sum: nothing can be added any more. */
void sha256_end(struct sha256 *sha, uint8_t out[SHA256_BYTES]);
/* 64 lower-case hex digits and the end mark. */
void sha256_text(const uint8_t sum[SHA256_BYTES], char out[65]);
/* Both. */
void sha256_hex(struct sha256 *sha, char out[65]);

#endif
