/*
 * Descriptors of the cache's journal, shared by those who read them in memory (journal.c) and in
 * its log (journal_log_recover.c).
 */
#ifndef ARRAYWRIGHT_CACHE_JOURNAL_PRIVATE_H
#define ARRAYWRIGHT_CACHE_JOURNAL_PRIVATE_H

#include "cache/journal.h"

/* Where they are in memory. */
uint64_t journal_descriptor_offset(uint32_t frame);
uint64_t journal_frames_offset(uint32_t frame_count);
/* 64 bytes; says nothing about the content. */
bool descriptor_is_sound(const uint8_t *descriptor);
/* Of a descriptor that is sound. */
bool descriptor_fits_content(const uint8_t *descriptor, const uint8_t *content);

#endif
