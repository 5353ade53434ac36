/*
 * OpenSSL over a pair of ring buffers; see nbd_tls.h.
 */
#include "export/nbd_tls.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define RING_BYTES (256u * 1024u)
#define RECORD_BYTES 16384u
/* What a record grows by, at most, with its header, padding and tag. */
#define RECORD_OVERHEAD_BYTES 512u

struct nbd_tls_context {
    SSL_CTX *ssl;
};

struct nbd_tls {
    SSL *ssl;
    BIO *wire;   /* our end of the pair */
    BIO *inside; /* OpenSSL's end, owned by ssl */
    uint8_t record[RECORD_BYTES];
};

static int explain(char *text, size_t text_bytes, const char *what, const char *path)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());

    (void)snprintf(text, text_bytes, "%s %s: %s.", what, path,
                   reason != NULL ? reason : "it cannot be used"); /* cut if longer */
    ERR_clear_error();
    return -EINVAL;
}

static int files_load(SSL_CTX *ssl, const char *certificate, const char *key, const char *client_ca,
                      char *text, size_t text_bytes)
{
    if (SSL_CTX_use_certificate_chain_file(ssl, certificate) != 1) {
        return explain(text, text_bytes, "TLS certificate", certificate);
    }
    if (SSL_CTX_use_PrivateKey_file(ssl, key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(ssl) != 1) {
        return explain(text, text_bytes, "TLS key", key);
    }
    if (client_ca == NULL || client_ca[0] == '\0') {
        return 0;
    }
    if (SSL_CTX_load_verify_file(ssl, client_ca) != 1) {
        return explain(text, text_bytes, "TLS client CA", client_ca);
    }
    SSL_CTX_set_client_CA_list(ssl, SSL_load_client_CA_file(client_ca));
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return 0;
}

int nbd_tls_context_open(const char *certificate, const char *key, const char *client_ca,
                         struct nbd_tls_context **ret_context, char *text, size_t text_bytes)
{
    struct nbd_tls_context *context = calloc(1, sizeof *context);
    int error;

    if (context == NULL) {
        return -ENOMEM;
    }
    context->ssl = SSL_CTX_new(TLS_server_method());
    if (context->ssl == NULL) {
        free(context);
        return -ENOMEM;
    }
    (void)SSL_CTX_set_options(context->ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    (void)SSL_CTX_set_mode(context->ssl, SSL_MODE_AUTO_RETRY);
    error = SSL_CTX_set_min_proto_version(context->ssl, TLS1_2_VERSION) == 1 &&
                    SSL_CTX_set_num_tickets(context->ssl, 0) == 1
                ? 0
                : -EINVAL;
    (void)SSL_CTX_set_session_cache_mode(context->ssl, SSL_SESS_CACHE_OFF);
    if (error == 0) {
        error = files_load(context->ssl, certificate, key, client_ca, text, text_bytes);
    }
    if (error != 0) {
        (void)nbd_tls_context_close(context);
        return error;
    }
    *ret_context = context;
    return 0;
}

struct nbd_tls_context *nbd_tls_context_close(struct nbd_tls_context *context)
{
    if (context != NULL) {
        SSL_CTX_free(context->ssl);
        free(context);
    }
    return NULL;
}

int nbd_tls_create(struct nbd_tls_context *context, struct nbd_tls **ret_tls)
{
    struct nbd_tls *tls = calloc(1, sizeof *tls);

    if (tls == NULL) {
        return -ENOMEM;
    }
    tls->ssl = SSL_new(context->ssl);
    if (tls->ssl == NULL ||
        BIO_new_bio_pair(&tls->inside, RING_BYTES, &tls->wire, RING_BYTES) != 1) {
        (void)nbd_tls_free(tls);
        return -ENOMEM;
    }
    SSL_set_bio(tls->ssl, tls->inside, tls->inside);
    SSL_set_accept_state(tls->ssl);
    *ret_tls = tls;
    return 0;
}

struct nbd_tls *nbd_tls_free(struct nbd_tls *tls)
{
    if (tls != NULL) {
        SSL_free(tls->ssl); /* and its end of the pair */
        (void)BIO_free(tls->wire);
        free(tls);
    }
    return NULL;
}

struct iovec nbd_tls_input_place(struct nbd_tls *tls)
{
    char *place = NULL;
    int room = BIO_nwrite0(tls->wire, &place);

    return (struct iovec){.iov_base = place, .iov_len = room > 0 ? (size_t)room : 0};
}

void nbd_tls_input(struct nbd_tls *tls, size_t byte_count)
{
    char *place = NULL;
    int taken;

    ASSERT(byte_count > 0 && byte_count <= RING_BYTES);
    taken = BIO_nwrite(tls->wire, &place, (int)byte_count);
    ASSERT(taken == (int)byte_count);
}

/* 0: it has to wait; otherwise the connection is over. */
static int error_of(const struct nbd_tls *tls, int result)
{
    int error = SSL_get_error(tls->ssl, result);

    ERR_clear_error();
    switch (error) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return 0;
    case SSL_ERROR_ZERO_RETURN:
        return -EPIPE;
    default:
        return -EPROTO;
    }
}

ssize_t nbd_tls_read(struct nbd_tls *tls, const struct iovec *vector, uint32_t count)
{
    ssize_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        size_t done = 0;
        while (done < vector[i].iov_len) {
            size_t wanted = min_u64(vector[i].iov_len - done, INT32_MAX);
            int got = SSL_read(tls->ssl, (uint8_t *)vector[i].iov_base + done, (int)wanted);
            if (got <= 0) {
                int error = error_of(tls, got);
                return total > 0 ? total : error; /* an error comes again */
            }
            done += (size_t)got;
            total += got;
        }
    }
    return total;
}

/* Small pieces go into one record together. */
static size_t record_fill(struct nbd_tls *tls, const struct iovec *vector, uint32_t count)
{
    size_t used = 0;

    for (uint32_t i = 0; i < count && used < RECORD_BYTES; i++) {
        size_t part = min_u64(vector[i].iov_len, RECORD_BYTES - used);
        memcpy(tls->record + used, vector[i].iov_base, part);
        used += part;
        if (part < vector[i].iov_len) {
            break;
        }
    }
    return used;
}

ssize_t nbd_tls_write(struct nbd_tls *tls, const struct iovec *vector, uint32_t count)
{
    size_t used;
    int written;

    /* A record is only begun if all of it finds room, so no write is ever left half done. */
    if (!SSL_is_init_finished(tls->ssl) ||
        BIO_get_write_guarantee(tls->inside) < (int)(RECORD_BYTES + RECORD_OVERHEAD_BYTES)) {
        return 0;
    }
    used = record_fill(tls, vector, count);
    ASSERT(used > 0);
    written = SSL_write(tls->ssl, tls->record, (int)used);
    if (written <= 0) {
        ERR_clear_error();
        return -EPROTO;
    }
    ASSERT((size_t)written == used);
    return written;
}

struct iovec nbd_tls_output(struct nbd_tls *tls)
{
    char *place = NULL;
    int ready = BIO_nread0(tls->wire, &place);

    return (struct iovec){.iov_base = place, .iov_len = ready > 0 ? (size_t)ready : 0};
}

void nbd_tls_output_sent(struct nbd_tls *tls, size_t byte_count)
{
    char *place = NULL;
    int taken;

    ASSERT(byte_count > 0 && byte_count <= RING_BYTES);
    taken = BIO_nread(tls->wire, &place, (int)byte_count);
    ASSERT(taken == (int)byte_count);
}
