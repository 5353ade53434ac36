/*
 * See foreign.h.
 */
#include "meta/foreign.h"

#include <stdlib.h>

#include "base/assert.h"

struct foreign_drive *foreign_drive_new(enum foreign_kind kind, uint64_t sectors)
{
    struct foreign_drive *foreign = calloc(1, sizeof(*foreign));

    ASSERT(foreign != NULL);
    foreign->kind = kind;
    foreign->sectors = sectors;
    return foreign;
}

struct foreign_drive *foreign_drive_free(struct foreign_drive *foreign)
{
    if (foreign != NULL) {
        (void)ddf_config_free(foreign->ddf); /* returns NULL always */
        free(foreign);
    }
    return NULL;
}
