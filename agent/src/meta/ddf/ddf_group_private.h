/*
 * What both ways of ddf_group.h share.
 */
#ifndef ARRAYWRIGHT_META_DDF_GROUP_PRIVATE_H
#define ARRAYWRIGHT_META_DDF_GROUP_PRIVATE_H

#include "meta/ddf/ddf_group.h"

/* First in every GUID of ours. */
#define DDF_VENDOR "ARRAYWRT"
#define DDF_VD_EXTRA_MAGIC "AWV1"
#define DDF_GROUP_EXTRA_MAGIC "AWG1"
/* Our bytes in the controller data (ddf_from_group.c): the counters, and the end. */
#define DDF_GROUP_COUNTERS_OFFSET 9u
#define DDF_GROUP_SEQUENCE_OFFSET 17u
#define DDF_GROUP_EXTRA_END 21u

struct guid ddf_guid_of(const struct uuid *uuid);

#endif
