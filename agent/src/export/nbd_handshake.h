/*
 * The NBD handshake as a pure machine: bytes in, bytes and a verdict out. No sockets.
 *
 * (1) One call handles one unit: the client's flags or one whole option. Its answers fit
 *     NBD_HANDSHAKE_OUTPUT_BYTES, so the caller drains the output before the next call.
 * (2) An option's data is at most NBD_OPTION_MAX_BYTES long to be looked at; up to
 *     NBD_OPTION_SKIP_MAX_BYTES it is skipped with an error; beyond, or after
 *     NBD_OPTION_COUNT_MAX options, the connection closes.
 * (3) "No such export" is said only of a name that nobody here has. A name that may be offered in
 *     a moment, and a list that would be incomplete, wait (NBD_STEP_WAIT) until the catalogue has
 *     changed or the caller's patience has ended.
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_HANDSHAKE_H
#define ARRAYWRIGHT_EXPORT_NBD_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/nbd_wire.h"
#include "vd/vd_request.h"

#define NBD_OPTION_MAX_BYTES 16384u
#define NBD_OPTION_SKIP_MAX_BYTES (1024u * 1024u)
#define NBD_OPTION_COUNT_MAX 1024u
#define NBD_TARGET_COUNT_MAX 256u
#define NBD_HANDSHAKE_OUTPUT_BYTES 65536u
/* Enough input to hold any unit the machine wants to see whole. */
#define NBD_HANDSHAKE_INPUT_BYTES (NBD_OPTION_HEADER_BYTES + NBD_OPTION_MAX_BYTES)

enum nbd_absence {
    NBD_ABSENCE_UNKNOWN, /* there is no such export */
    NBD_ABSENCE_REFUSED, /* there is, but clients cannot have it now */
    NBD_ABSENCE_SOON     /* it is being started, or may turn out to be: the answer waits */
};

/* What can be exported right now; at most NBD_TARGET_COUNT_MAX, names are unique. */
struct nbd_catalog;
struct nbd_catalog_ops {
    uint32_t (*count)(struct nbd_catalog *catalog);
    struct vd_target *(*at)(struct nbd_catalog *catalog, uint32_t index);
    /* Everything that is about to be exported is in the catalogue. NULL: always. */
    bool (*is_complete)(struct nbd_catalog *catalog);
    /* Why the catalogue has no export of this name; with NBD_ABSENCE_REFUSED *ret_why is a
     * sentence for the client. NULL: it never had one. */
    enum nbd_absence (*absence)(struct nbd_catalog *catalog, const char *name, uint32_t name_bytes,
                                const char **ret_why);
};
struct nbd_catalog {
    const struct nbd_catalog_ops *ops;
};

struct nbd_output {
    uint8_t *bytes;
    size_t capacity;
    size_t used;
};

enum nbd_step {
    NBD_STEP_MORE,  /* nothing consumed: more input is needed */
    NBD_STEP_WAIT,  /* nothing consumed: (3) */
    NBD_STEP_NEXT,  /* something consumed; call again when the output has been drained */
    NBD_STEP_TLS,   /* after the output TLS begins, then the options start over */
    NBD_STEP_START, /* transmission begins after the output; target is set */
    NBD_STEP_CLOSE  /* send the output, then close */
};

enum nbd_tls_state {
    NBD_TLS_OFF,
    NBD_TLS_REQUIRED, /* nothing else is talked about before it is on */
    NBD_TLS_ON
};

struct nbd_handshake {
    struct nbd_catalog *catalog;
    bool has_flags; /* the client's flags have arrived */
    bool fixed_newstyle;
    bool no_zeroes;
    bool structured; /* structured replies negotiated */
    enum nbd_tls_state tls;
    bool impatient;      /* what would wait is refused: (3) */
    const char *refusal; /* the client is not let in: every option is answered so; or NULL */
    uint32_t option_count;
    uint32_t skip_bytes;              /* of an option's data, still to come */
    struct vd_target *context_target; /* base:allocation was negotiated for this one */
    struct vd_target *target;         /* set with NBD_STEP_START */
    bool allocation_context;          /* set with NBD_STEP_START: block status allowed */
};

/* Begins with the greeting in the output; tls may be set to NBD_TLS_REQUIRED afterwards. */
void nbd_handshake_init(struct nbd_handshake *handshake, struct nbd_catalog *catalog,
                        struct nbd_output *output);
enum nbd_step nbd_handshake_input(struct nbd_handshake *handshake, const uint8_t *bytes,
                                  size_t byte_count, size_t *ret_used, struct nbd_output *output);
/* TLS is on: what was negotiated before does not count. */
void nbd_handshake_tls_begun(struct nbd_handshake *handshake);
uint16_t nbd_transmission_flags(const struct vd_target *target, bool structured);

#endif
