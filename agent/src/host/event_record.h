/*
 * An event as bytes of the event log, and back. Pure; the decoder treats its input as
 * hostile.
 *
 * Record, little-endian: u32 length of the payload, u32 CRC-32C of the payload, payload.
 * Payload: u64 seq, u64 wall_us, u64 monotonic_us, u32 code, u16 locale, i8 class,
 * u8 param_count, then strings (u16 length, bytes, no terminator): object_kind,
 * object_key, text, and name and value of each parameter.
 */
#ifndef ARRAYWRIGHT_HOST_EVENT_RECORD_H
#define ARRAYWRIGHT_HOST_EVENT_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/attrs.h"
#include "port/event_port.h"

#define EVENT_RECORD_HEADER_BYTES 8u
#define EVENT_RECORD_MAX_BYTES 2048u

/* Returns the record's length, at most EVENT_RECORD_MAX_BYTES. */
size_t event_record_encode(const struct event *event, uint8_t bytes[EVENT_RECORD_MAX_BYTES]);
/*
 * Decodes the record at the start of bytes. -ENODATA: it is cut short; -EBADMSG: it is not
 * a record. Fills *event and *ret_bytes only on success.
 */
MUST_CHECK int event_record_decode(const uint8_t *bytes, size_t byte_count, struct event *event,
                                   size_t *ret_bytes);

#endif
