/*
 * Descriptors of the cache's journal, shared by those who read them in memory (journal.c) and in
 * its log (journal_log_recover.c).
 */
#ifndef ARRAYWRIGHT_CACHE_JOURNAL_PRIVATE_H
#define ARRAYWRIGHT_CACHE_JOURNAL_PRIVATE_H

#include "cache/journal.h"

#define DESCRIPTOR_BYTES 64u

/* Descriptor: where its fields are. */
enum {
    DESCRIPTOR_WORD = 0,
    DESCRIPTOR_SEQUENCE = 8,
    DESCRIPTOR_BLOCK = 16,
    DESCRIPTOR_VD = 24,
    DESCRIPTOR_DATA_CRC = 48,
    DESCRIPTOR_DIRTY = 52,
    DESCRIPTOR_TAG = 56
};

/* Of the dirty sectors alone: the others may be filled in while the frame is published. */
uint32_t descriptor_content_crc(const uint8_t *frame, uint8_t dirty);
/* What the word has to be, by the other 56 bytes. */
uint64_t descriptor_word(const uint8_t *bytes, enum journal_type type);
void descriptor_read(const uint8_t *bytes, struct frame_entry *ret_entry);
/* Where they are in memory. */
uint64_t journal_descriptor_offset(uint32_t frame);
uint64_t journal_frames_offset(uint32_t frame_count);
/* 64 bytes; says nothing about the content. */
bool descriptor_is_sound(const uint8_t *descriptor);
/* Of a descriptor that is sound. */
bool descriptor_fits_content(const uint8_t *descriptor, const uint8_t *content);

#endif
