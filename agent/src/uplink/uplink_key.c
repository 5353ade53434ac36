/*
 * The key through OpenSSL: see uplink_key.h.
 */
#include "uplink/uplink_key.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"

#define SIGNATURE_MAX_BYTES 80u

struct uplink_key {
    EVP_PKEY *pkey;
};

static int key_wrap(EVP_PKEY *pkey, struct uplink_key **ret_key)
{
    struct uplink_key *key = malloc(sizeof(*key));

    ASSERT(pkey != NULL);
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        return -ENOMEM;
    }
    key->pkey = pkey;
    *ret_key = key;
    return 0;
}

int uplink_key_make(struct uplink_key **ret_key)
{
    EVP_PKEY *pkey = EVP_EC_gen("P-256");

    ERR_clear_error();
    return pkey != NULL ? key_wrap(pkey, ret_key) : -EIO;
}

static bool is_p256(const EVP_PKEY *pkey)
{
    char group[64] = "";
    size_t bytes = 0;

    return EVP_PKEY_get_base_id(pkey) == EVP_PKEY_EC &&
           EVP_PKEY_get_group_name(pkey, group, sizeof(group), &bytes) == 1 &&
           strcmp(group, SN_X9_62_prime256v1) == 0;
}

int uplink_key_read(int directory_fd, const char *name, struct uplink_key **ret_key)
{
    int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status;
    EVP_PKEY *pkey = NULL;

    if (fd < 0) {
        return -errno;
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || (status.st_mode & 077) != 0) {
        (void)close(fd);
        return -EPERM;
    }
    FILE *file = fdopen(fd, "r");
    if (file == NULL) {
        (void)close(fd);
        return -ENOMEM;
    }
    /* An empty password: a key that asks for one must not wait at a terminal. */
    pkey = PEM_read_PrivateKey(file, NULL, NULL, (void *)"");
    (void)fclose(file); /* only read */
    ERR_clear_error();
    if (pkey == NULL || !is_p256(pkey)) {
        EVP_PKEY_free(pkey);
        return -EBADMSG;
    }
    return key_wrap(pkey, ret_key);
}

/* The file belongs to whom the directory belongs to, also if root enrolls the host. */
static int file_fill(FILE *file, int directory_fd, EVP_PKEY *pkey)
{
    struct stat directory;

    if (fstat(directory_fd, &directory) != 0) {
        return -errno;
    }
    if (directory.st_uid != geteuid() &&
        fchown(fileno(file), directory.st_uid, directory.st_gid) != 0) {
        return -errno;
    }
    if (PEM_write_PrivateKey(file, pkey, NULL, NULL, 0, NULL, NULL) != 1) {
        ERR_clear_error();
        return -EIO;
    }
    return fflush(file) == 0 && fsync(fileno(file)) == 0 ? 0 : -errno;
}

int uplink_key_write(const struct uplink_key *key, int directory_fd, const char *name)
{
    int fd = openat(directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int error = 0;

    if (fd < 0) {
        return -errno;
    }
    FILE *file = fdopen(fd, "w");
    if (file == NULL) {
        (void)close(fd);
        error = -ENOMEM;
    } else {
        error = file_fill(file, directory_fd, key->pkey);
        if (fclose(file) != 0 && error == 0) {
            error = -EIO;
        }
    }
    if (error == 0 && fsync(directory_fd) != 0) {
        error = -errno;
    }
    if (error != 0) {
        (void)unlinkat(directory_fd, name, 0); /* best effort: the error is told anyway */
    }
    return error;
}

struct uplink_key *uplink_key_free(struct uplink_key *key)
{
    if (key != NULL) {
        EVP_PKEY_free(key->pkey);
        free(key);
    }
    return NULL;
}

int uplink_key_public(const struct uplink_key *key, char ret_text[UPLINK_PUBLIC_TEXT_BYTES])
{
    unsigned char *der = NULL;
    int bytes = i2d_PUBKEY(key->pkey, &der);

    if (bytes <= 0) {
        ERR_clear_error();
        return -EIO;
    }
    bool fits = ((size_t)bytes + 2) / 3 * 4 < UPLINK_PUBLIC_TEXT_BYTES;
    if (fits) {
        (void)EVP_EncodeBlock((unsigned char *)ret_text, der, bytes);
    }
    OPENSSL_free(der);
    return fits ? 0 : -EOVERFLOW;
}

int uplink_key_sign(const struct uplink_key *key, const void *message, size_t bytes,
                    char ret_text[UPLINK_SIGNATURE_TEXT_BYTES])
{
    unsigned char signature[SIGNATURE_MAX_BYTES];
    size_t signature_bytes = sizeof(signature);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good = context != NULL &&
                EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key->pkey) == 1 &&
                EVP_DigestSign(context, signature, &signature_bytes, message, bytes) == 1;

    EVP_MD_CTX_free(context);
    ERR_clear_error();
    if (!good) {
        return -EIO;
    }
    ASSERT((signature_bytes + 2) / 3 * 4 < UPLINK_SIGNATURE_TEXT_BYTES);
    (void)EVP_EncodeBlock((unsigned char *)ret_text, signature, (int)signature_bytes);
    return 0;
}
