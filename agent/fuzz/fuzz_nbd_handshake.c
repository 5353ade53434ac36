/*
 * What a client may send before transmission: whole and cut, against three exports. The
 * machine must stay within its output, consume only what is there, and start only with a
 * target from the catalogue.
 */
#include <stdlib.h>

#include "base/assert.h"
#include "export/nbd_handshake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct vd_target targets[] = {
    {.name = "alpha",
     .description = "first",
     .size_bytes = 1 << 20,
     .block_bytes = 512,
     .preferred_block_bytes = 4096},
    {.name = "beta", .size_bytes = 1 << 21, .block_bytes = 4096, .preferred_block_bytes = 4096},
    {.name = "gamma",
     .description = "read-only",
     .size_bytes = 1 << 22,
     .block_bytes = 4096,
     .preferred_block_bytes = 65536,
     .read_only = true},
};

static uint32_t target_count(struct nbd_catalog *catalog)
{
    (void)catalog;
    return sizeof targets / sizeof targets[0];
}

static struct vd_target *target_at(struct nbd_catalog *catalog, uint32_t index)
{
    (void)catalog;
    ASSERT(index < sizeof targets / sizeof targets[0]);
    return &targets[index];
}

static const struct nbd_catalog_ops catalog_ops = {.count = target_count, .at = target_at};

static void talk(const uint8_t *data, size_t size, enum nbd_tls_state tls)
{
    static uint8_t bytes[NBD_HANDSHAKE_OUTPUT_BYTES];
    struct nbd_catalog catalog = {.ops = &catalog_ops};
    struct nbd_output output = {.bytes = bytes, .capacity = sizeof bytes};
    struct nbd_handshake handshake;
    enum nbd_step step = NBD_STEP_NEXT;
    size_t place = 0;

    nbd_handshake_init(&handshake, &catalog, &output);
    handshake.tls = tls;
    while (step == NBD_STEP_NEXT || step == NBD_STEP_TLS) {
        size_t used = 0;
        output.used = 0;
        step = nbd_handshake_input(&handshake, data + place, size - place, &used, &output);
        ASSERT(used <= size - place);
        ASSERT(output.used <= output.capacity);
        place += used;
        if (step == NBD_STEP_START) {
            ASSERT(handshake.tls != NBD_TLS_REQUIRED);
            ASSERT(handshake.target >= targets);
            ASSERT(handshake.target < targets + sizeof targets / sizeof targets[0]);
        }
        if (step == NBD_STEP_TLS) {
            ASSERT(tls == NBD_TLS_REQUIRED);
            nbd_handshake_tls_begun(&handshake);
        }
        ASSERT(step != NBD_STEP_MORE || used == 0);
        ASSERT((step != NBD_STEP_NEXT && step != NBD_STEP_TLS) || used > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    talk(data, size, NBD_TLS_OFF);
    talk(data, size, NBD_TLS_REQUIRED);
    return 0;
}
