/*
 * Is this a group configuration that could exist? The one rule book, for records read from
 * hostile bytes and for configurations about to be written.
 */
#ifndef ARRAYWRIGHT_META_CONFIG_CHECK_H
#define ARRAYWRIGHT_META_CONFIG_CHECK_H

#include "base/attrs.h"
#include "meta/config.h"

/* Extents start on these boundaries of a member's data area. */
#define VD_EXTENT_ALIGN_BYTES (UINT64_C(1) << 20)
/* No drive is larger than this (1 EiB): keeps every sum of two offsets in range. */
#define MEMBER_BYTES_MAX (UINT64_C(1) << 60)
#define VD_TARGET_ID_MAX 239u
/* Far beyond any real life. One that is read must leave room to count on. */
#define GROUP_SEQUENCE_MAX (UINT64_C(1) << 62)
#define GROUP_SEQUENCE_READ_MAX (GROUP_SEQUENCE_MAX / 2)
/* What a record is counted up to because of another one's number; it can be read for long. */
#define GROUP_SEQUENCE_OUTRANK_MAX (GROUP_SEQUENCE_READ_MAX / 2)

/* Returns 0 or -EINVAL; *ret_why is then a sentence. */
MUST_CHECK int group_config_check(const struct group_config *config, const char **ret_why);
/* 1 to 15 characters out of A-Z a-z 0-9 _ and -. */
bool vd_name_is_valid(const char *name);

#endif
