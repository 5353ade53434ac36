/*
 * Coercion of drive sizes: see coercion.h.
 */
#include "ctl/coercion.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/checked.h"

#define STEPS_MIN 128u

/* The largest first. */
static const struct {
    enum coercion coercion;
    uint64_t bytes;
} steps[] = {{COERCION_GIB_1, UINT64_C(1) << 30}, {COERCION_MIB_128, UINT64_C(128) << 20}};

uint64_t coercion_bytes(enum coercion coercion, uint64_t usable_bytes)
{
    ASSERT((unsigned)coercion < COERCION_MAX);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (steps[i].coercion <= coercion && usable_bytes / steps[i].bytes >= STEPS_MIN) {
            ASSERT(align_down_u64(usable_bytes, steps[i].bytes) > 0);
            return align_down_u64(usable_bytes, steps[i].bytes);
        }
    }
    return usable_bytes;
}

const char *coercion_text(enum coercion coercion)
{
    switch (coercion) {
    case COERCION_NONE:
        return "none";
    case COERCION_MIB_128:
        return "128 MiB";
    case COERCION_GIB_1:
        return "1 GiB";
    case COERCION_MAX:
        break;
    }
    UNREACHABLE();
}
