/*
 * Which export a client means by a name, and what it hears if there is none: shared by
 * nbd_handshake.c and its catalogue only (nbd_handshake.h (3)).
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_LOOKUP_H
#define ARRAYWRIGHT_EXPORT_NBD_LOOKUP_H

#include "export/nbd_handshake.h"

/* The export a client has named, or what it hears instead. */
struct nbd_lookup {
    struct vd_target *target; /* NULL: the next fields say why */
    bool waits;               /* there is no answer yet */
    uint32_t error;
    const char *text;
};

/* What a client hears whose patience has ended before the start has. */
extern const char nbd_still_starting[];

bool nbd_name_equals(const char *name, const uint8_t *bytes, uint32_t byte_count);
bool nbd_catalog_is_complete(struct nbd_catalog *catalog);
struct nbd_lookup nbd_lookup_name(const struct nbd_handshake *handshake, const uint8_t *name,
                                  uint32_t name_bytes);

#endif
