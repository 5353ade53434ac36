/*
 * Identities: 16-byte UUIDs in the usual text form, and DDF's 24-byte GUIDs as plain hex.
 */
#ifndef ARRAYWRIGHT_BASE_GUID_H
#define ARRAYWRIGHT_BASE_GUID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/rng.h"

#define UUID_TEXT_BYTES 37u /* 36 characters and the end mark */
#define GUID_TEXT_BYTES 49u /* 48 characters and the end mark */

struct uuid {
    uint8_t bytes[16];
};

struct guid {
    uint8_t bytes[24];
};

/* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", lower case. */
void uuid_format(const struct uuid *uuid, char out[UUID_TEXT_BYTES]);
/* Takes exactly that form, in either case. Returns 0 or -EINVAL. */
MUST_CHECK int uuid_parse(const char *text, struct uuid *ret_uuid);
bool uuid_is_zero(const struct uuid *uuid);
bool uuid_equal(const struct uuid *a, const struct uuid *b);
/* A random UUID, version 4, variant 1. */
struct uuid uuid_make(struct rng *rng);

/* 48 hexadecimal digits, lower case. */
void guid_format(const struct guid *guid, char out[GUID_TEXT_BYTES]);
/* Takes exactly 48 hexadecimal digits, in either case. Returns 0 or -EINVAL. */
MUST_CHECK int guid_parse(const char *text, struct guid *ret_guid);
bool guid_is_zero(const struct guid *guid);
bool guid_equal(const struct guid *a, const struct guid *b);

#endif
