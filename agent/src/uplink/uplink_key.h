/*
 * The host's own key: ECDSA on P-256, made here and never sent anywhere.
 *
 * (1) The file is PEM (PKCS #8), 0600, written once and never changed; another key is
 *     another file, so that identity.json alone decides which one counts.
 */
#ifndef ARRAYWRIGHT_UPLINK_UPLINK_KEY_H
#define ARRAYWRIGHT_UPLINK_UPLINK_KEY_H

#include <stddef.h>
#include <sys/types.h>

#include "base/attrs.h"

#define UPLINK_SIGNATURE_TEXT_BYTES 128u /* 72 bytes of DER in base64 and the end mark */
#define UPLINK_PUBLIC_TEXT_BYTES 160u    /* 91 bytes of DER in base64 and the end mark */

struct uplink_key;

MUST_CHECK int uplink_key_make(struct uplink_key **ret_key);
/* -EPERM: others may read the file; -EBADMSG: not a P-256 key; else -errno of the file. */
MUST_CHECK int uplink_key_read(int directory_fd, const char *name, struct uplink_key **ret_key);
/* Makes the file, durably; it must not exist. */
MUST_CHECK int uplink_key_write(const struct uplink_key *key, int directory_fd, const char *name);
/* Accepts NULL, returns NULL. */
struct uplink_key *uplink_key_free(struct uplink_key *key);

/* SubjectPublicKeyInfo, DER, base64. */
MUST_CHECK int uplink_key_public(const struct uplink_key *key,
                                 char ret_text[UPLINK_PUBLIC_TEXT_BYTES]);
/* ECDSA with SHA-256, DER, base64. */
MUST_CHECK int uplink_key_sign(const struct uplink_key *key, const void *message, size_t bytes,
                               char ret_text[UPLINK_SIGNATURE_TEXT_BYTES]);

#endif
