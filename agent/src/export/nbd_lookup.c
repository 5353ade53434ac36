/* See nbd_lookup.h. */
#include "export/nbd_lookup.h"

#include <string.h>

#include "base/assert.h"
#include "export/nbd_wire.h"

bool nbd_name_equals(const char *name, const uint8_t *bytes, uint32_t byte_count)
{
    return strlen(name) == byte_count && memcmp(name, bytes, byte_count) == 0;
}

static struct vd_target *catalog_find(struct nbd_catalog *catalog, const uint8_t *name,
                                      uint32_t name_bytes)
{
    uint32_t count = catalog->ops->count(catalog);

    ASSERT(count <= NBD_TARGET_COUNT_MAX);
    for (uint32_t i = 0; i < count; i++) {
        struct vd_target *target = catalog->ops->at(catalog, i);
        if (nbd_name_equals(target->name, name, name_bytes)) {
            return target;
        }
    }
    return NULL;
}

bool nbd_catalog_is_complete(struct nbd_catalog *catalog)
{
    return catalog->ops->is_complete == NULL || catalog->ops->is_complete(catalog);
}

const char nbd_still_starting[] =
    "the virtual drives of this host are still being started; try again later";

static struct nbd_lookup lookup_absent(const struct nbd_handshake *handshake,
                                       enum nbd_absence absence, const char *why)
{
    switch (absence) {
    case NBD_ABSENCE_UNKNOWN:
        return (struct nbd_lookup){.error = NBD_REP_ERR_UNKNOWN, .text = "no such export"};
    case NBD_ABSENCE_REFUSED:
        ASSERT(why != NULL);
        return (struct nbd_lookup){.error = NBD_REP_ERR_POLICY, .text = why};
    case NBD_ABSENCE_SOON:
        return (struct nbd_lookup){.waits = !handshake->impatient,
                                   .error = NBD_REP_ERR_POLICY,
                                   .text = nbd_still_starting};
    }
    UNREACHABLE();
}

/* An empty name means the only export there is, which is not known before all are. */
static struct nbd_lookup lookup_only(const struct nbd_handshake *handshake)
{
    struct nbd_catalog *catalog = handshake->catalog;

    if (!nbd_catalog_is_complete(catalog)) {
        return lookup_absent(handshake, NBD_ABSENCE_SOON, NULL);
    }
    if (catalog->ops->count(catalog) != 1) {
        return lookup_absent(handshake, NBD_ABSENCE_UNKNOWN, NULL);
    }
    return (struct nbd_lookup){.target = catalog->ops->at(catalog, 0)};
}

struct nbd_lookup nbd_lookup_name(const struct nbd_handshake *handshake, const uint8_t *name,
                                  uint32_t name_bytes)
{
    struct nbd_catalog *catalog = handshake->catalog;
    enum nbd_absence absence = NBD_ABSENCE_UNKNOWN;
    struct vd_target *target = NULL;
    const char *why = NULL;

    if (name_bytes == 0) {
        return lookup_only(handshake);
    }
    target = catalog_find(catalog, name, name_bytes);
    if (target != NULL) {
        return (struct nbd_lookup){.target = target};
    }
    if (catalog->ops->absence != NULL) {
        absence = catalog->ops->absence(catalog, (const char *)name, name_bytes, &why);
    }
    return lookup_absent(handshake, absence, why);
}
