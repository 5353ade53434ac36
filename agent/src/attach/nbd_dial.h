/*
 * A client's side of the NBD handshake, blocking: connects, asks for one export, and hands the
 * socket over in the transmission phase, as the kernel's nbd driver wants it.
 */
#ifndef ARRAYWRIGHT_ATTACH_NBD_DIAL_H
#define ARRAYWRIGHT_ATTACH_NBD_DIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"

#define DIAL_TEXT_BYTES 256u
#define DIAL_DESCRIPTION_BYTES 128u

struct nbd_offer {
    int fd;
    uint64_t size_bytes;
    uint16_t flags;       /* NBD_FLAG_… of the transmission */
    uint32_t block_bytes; /* the smallest request */
    char description[DIAL_DESCRIPTION_BYTES]; /* as far as it fits; "": the server gives none */
};

/*
 * address: the path of a Unix socket, or HOST:PORT with a numeric host. -errno and a sentence in
 * text; -ENOENT: the server is there but has no such export (yet); -EBUSY: it has one but refuses
 * it for now, as while drives are missing or its clients are too many.
 */
MUST_CHECK int nbd_dial(const char *address, const char *name, struct nbd_offer *ret_offer,
                        char text[DIAL_TEXT_BYTES]);

/*
 * Whether what is offered now is what was offered first, perhaps grown: whoever uses it goes on
 * with the size that he knows. Its description says which one it is; a server that gives none is
 * believed if the size is the same.
 */
bool nbd_offer_is_same(const struct nbd_offer *first, const struct nbd_offer *now);

/*
 * What the kernel keeps with an attached device: the name it is attached under, and the
 * description of what was attached, so that whoever takes the device over does not give its
 * requests to another virtual drive that has the name by now.
 */
#define DIAL_IDENTIFIER_BYTES (12u + 255u + 1u + DIAL_DESCRIPTION_BYTES)
void nbd_identifier_make(const char *name, const char *description,
                         char identifier[DIAL_IDENTIFIER_BYTES]);
/* False: it is not attached under this name. Description: "" if it was attached without one. */
bool nbd_identifier_read(const char *identifier, const char *name,
                         char ret_description[DIAL_DESCRIPTION_BYTES]);

#endif
