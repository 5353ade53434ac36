/*
 * SHA-256 as the standard writes it down, or with the processor's instructions (sha256_ni.h).
 */
#include "base/sha256.h"

#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/sha256_ni.h"

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void sha256_init(struct sha256 *sha)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    *sha = (struct sha256){0};
    memcpy(sha->state, start, sizeof(start));
}

static uint32_t rotate(uint32_t value, uint32_t bits)
{
    return value >> bits | value << (32 - bits);
}

static void schedule_fill(uint32_t words[64], const uint8_t *block)
{
    for (uint32_t i = 0; i < 16; i++) {
        words[i] = get_be32(block + 4 * i);
    }
    for (uint32_t i = 16; i < 64; i++) {
        uint32_t a = words[i - 15];
        uint32_t b = words[i - 2];

        words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
                   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

/* One of 64. The eight words of the state change names with each round instead of places. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                           \
    do {                                                                                           \
        uint32_t one = (h) + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +                      \
                       (((e) & (f)) ^ (~(e) & (g))) + round_constants[i] + words[i];               \
                                                                                                   \
        (d) += one;                                                                                \
        (h) = one + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +                               \
              (((a) & (b)) ^ ((a) & (c)) ^ ((b) & (c)));                                           \
    } while (0)

static void block_mix(struct sha256 *sha, const uint8_t *block)
{
    uint32_t words[64];
    uint32_t a = sha->state[0], b = sha->state[1], c = sha->state[2], d = sha->state[3];
    uint32_t e = sha->state[4], f = sha->state[5], g = sha->state[6], h = sha->state[7];

    schedule_fill(words, block);
    for (uint32_t i = 0; i < 64; i += 8) {
        ROUND(a, b, c, d, e, f, g, h, i);
        ROUND(h, a, b, c, d, e, f, g, i + 1);
        ROUND(g, h, a, b, c, d, e, f, i + 2);
        ROUND(f, g, h, a, b, c, d, e, i + 3);
        ROUND(e, f, g, h, a, b, c, d, i + 4);
        ROUND(d, e, f, g, h, a, b, c, i + 5);
        ROUND(c, d, e, f, g, h, a, b, i + 6);
        ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    sha->state[0] += a;
    sha->state[1] += b;
    sha->state[2] += c;
    sha->state[3] += d;
    sha->state[4] += e;
    sha->state[5] += f;
    sha->state[6] += g;
    sha->state[7] += h;
}

static void blocks_mix(struct sha256 *sha, const uint8_t *blocks, size_t count)
{
    if (sha256_ni_usable()) {
        sha256_ni_mix(sha->state, round_constants, blocks, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        block_mix(sha, blocks + 64 * i);
    }
}

void sha256_add(struct sha256 *sha, const void *buffer, size_t bytes)
{
    const uint8_t *in = buffer;

    ASSERT(sha->block_used < 64);
    sha->total_bytes += bytes;
    while (bytes > 0) {
        size_t part = 64 - sha->block_used;

        if (part == 64 && bytes >= 64) {
            blocks_mix(sha, in, bytes / 64); /* without a copy */
            in += bytes / 64 * 64;
            bytes %= 64;
            continue;
        }
        part = part < bytes ? part : bytes;
        memcpy(sha->block + sha->block_used, in, part);
        sha->block_used += (uint32_t)part;
        in += part;
        bytes -= part;
        if (sha->block_used == 64) {
            blocks_mix(sha, sha->block, 1);
            sha->block_used = 0;
        }
    }
}

void sha256_end(struct sha256 *sha, uint8_t out[SHA256_BYTES])
{
    static const uint8_t mark = 0x80;
    static const uint8_t zero = 0;
    uint64_t total_bits = sha->total_bytes * 8;
    uint8_t length[8];

    ASSERT(sha->total_bytes < UINT64_MAX / 8);
    sha256_add(sha, &mark, 1);
    while (sha->block_used != 56) {
        sha256_add(sha, &zero, 1);
    }
    put_be64(length, total_bits);
    sha256_add(sha, length, sizeof(length));
    ASSERT(sha->block_used == 0);
    for (uint32_t i = 0; i < SHA256_BYTES; i++) {
        out[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

void sha256_text(const uint8_t sum[SHA256_BYTES], char out[65])
{
    static const char digits[] = "0123456789abcdef";

    for (uint32_t i = 0; i < SHA256_BYTES; i++) {
        out[2 * i] = digits[sum[i] >> 4];
        out[2 * i + 1] = digits[sum[i] & 15];
    }
    out[64] = '\0';
}

void sha256_hex(struct sha256 *sha, char out[65])
{
    uint8_t sum[SHA256_BYTES];

    sha256_end(sha, sum);
    sha256_text(sum, out);
}
