/*
 * SHA-256's blocks with the processor's own instructions for them, which take a sixth of the time.
 * sha256.c asks sha256_ni_usable() and falls back to plain C.
 */
#ifndef ARRAYWRIGHT_BASE_SHA256_NI_H
#define ARRAYWRIGHT_BASE_SHA256_NI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this processor can, unless a test has forbidden it. */
bool sha256_ni_usable(void);
void sha256_ni_allow(bool allowed);

/* Mixes so many blocks of 64 bytes into the state; constants: those of the 64 rounds. */
void sha256_ni_mix(uint32_t state[8], const uint32_t constants[64], const uint8_t *blocks,
                   size_t count);

#endif
