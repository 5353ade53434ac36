/*
 * TLS between a connection's socket and its session: bytes of the wire in and out, plain bytes
 * in and out, no socket of its own.
 *
 * (1) TLS 1.2 or newer, server side, no renegotiation, no tickets. With a client CA only clients
 *     whose certificate it signed are served.
 * (2) Both directions have a buffer of fixed size; when one is full its writer waits.
 * (3) The place handed out by nbd_tls_input_place() stays valid until nbd_tls_input(), provided
 *     that nothing is read in between.
 */
#ifndef ARRAYWRIGHT_EXPORT_NBD_TLS_H
#define ARRAYWRIGHT_EXPORT_NBD_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/attrs.h"

struct nbd_tls_context;
struct nbd_tls;

/* PEM files. client_ca NULL or "": clients need no certificate. On failure text says why. */
MUST_CHECK int nbd_tls_context_open(const char *certificate, const char *key, const char *client_ca,
                                    struct nbd_tls_context **ret_context, char *text,
                                    size_t text_bytes);
struct nbd_tls_context *nbd_tls_context_close(struct nbd_tls_context *context);

MUST_CHECK int nbd_tls_create(struct nbd_tls_context *context, struct nbd_tls **ret_tls);
struct nbd_tls *nbd_tls_free(struct nbd_tls *tls);

/* Where bytes from the wire go; length 0: the buffer is full, read first. */
struct iovec nbd_tls_input_place(struct nbd_tls *tls);
void nbd_tls_input(struct nbd_tls *tls, size_t byte_count);
/* Plain bytes that have arrived; 0: none now; -EPIPE: the client has ended; -EPROTO. */
MUST_CHECK ssize_t nbd_tls_read(struct nbd_tls *tls, const struct iovec *vector, uint32_t count);

/* Takes plain bytes; 0: not now, because the wire is slow or the handshake goes on; -EPROTO. */
MUST_CHECK ssize_t nbd_tls_write(struct nbd_tls *tls, const struct iovec *vector, uint32_t count);
/* What to put on the wire; length 0: nothing. */
struct iovec nbd_tls_output(struct nbd_tls *tls);
void nbd_tls_output_sent(struct nbd_tls *tls, size_t byte_count);

#endif
