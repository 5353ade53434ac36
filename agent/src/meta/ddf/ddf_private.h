/*
 * What the files of meta/ddf share.
 */
#ifndef ARRAYWRIGHT_META_DDF_PRIVATE_H
#define ARRAYWRIGHT_META_DDF_PRIVATE_H

#include "meta/ddf/ddf_layout.h"

/* Zeroed and never NULL, also for a count of zero. */
void *ddf_array_new(uint32_t count, size_t bytes);
/* All FF: an unused entry or slot. */
bool ddf_bytes_are_free(const uint8_t *bytes, size_t count);
/* Text on disk: padded with spaces, zeros or FF. What is not printable ends or becomes '?'. */
void ddf_text_decode(const uint8_t *bytes, size_t count, char *out);

/* Puts magic and CRC at the head of a finished structure. */
void ddf_seal(uint8_t *bytes, size_t count, uint32_t magic);
/* Magic and CRC of a structure. */
bool ddf_is_sealed(const uint8_t *bytes, size_t count, uint32_t magic);

/* What stands in the first sector of a copy: 0 or -EBADMSG. */
MUST_CHECK int ddf_copy_header_decode(const struct ddf_header *anchor, enum ddf_copy which,
                                      const uint8_t *sector, struct ddf_header *ret_header,
                                      const char **ret_why);

/* The section of configuration records. */
MUST_CHECK int ddf_records_decode(const struct ddf_header *header, const uint8_t *section,
                                  struct ddf_config *config, const char **ret_why);
void ddf_records_encode(const struct ddf_config *config, uint8_t *section);

#endif
