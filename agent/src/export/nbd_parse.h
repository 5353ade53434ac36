/*
 * One NBD request: from its 28 bytes to a verdict, with every field checked. Pure.
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_PARSE_H
#define ARRAYWRIGHT_EXPORT_NBD_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "export/nbd_wire.h"
#include "vd/vd_request.h"

struct nbd_request {
    uint16_t flags;
    uint16_t type; /* enum nbd_command, or anything a client may send */
    uint64_t cookie;
    uint64_t offset_bytes;
    uint32_t length_bytes;
};

/* What was agreed on and what the target is like at this moment. */
struct nbd_terms {
    const struct vd_target *target;
    bool structured;
    bool allocation_context;
    bool shutting_down;
};

enum nbd_verdict_kind {
    NBD_VERDICT_SUBMIT,       /* hand `op` to the target */
    NBD_VERDICT_SUCCEED,      /* nothing to do: answer success */
    NBD_VERDICT_BLOCK_STATUS, /* answer one allocated extent */
    NBD_VERDICT_REFUSE,       /* answer `error` with `text` */
    NBD_VERDICT_DISCONNECT,   /* the client is leaving */
    NBD_VERDICT_CLOSE         /* the byte stream cannot be followed any further */
};

struct nbd_verdict {
    enum nbd_verdict_kind kind;
    enum nbd_error error;
    const char *text;
    uint32_t payload_bytes; /* follow the header and have to be consumed in any case */
    enum vd_op op;
    bool fua;
};

/* False: the magic number is wrong. */
MUST_CHECK bool nbd_request_decode(const uint8_t bytes[NBD_REQUEST_BYTES],
                                   struct nbd_request *request);
struct nbd_verdict nbd_request_judge(const struct nbd_request *request,
                                     const struct nbd_terms *terms);

#endif
