/*
 * A segment of the event log as found on disk: records one after the other. What decodes
 * must encode to the same bytes again.
 */
#include <string.h>

#include "base/assert.h"
#include "host/event_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t again[EVENT_RECORD_MAX_BYTES];
    struct event event;
    size_t used = 0;

    for (size_t at = 0; at < size; at += used) {
        if (event_record_decode(data + at, size - at, &event, &used) != 0) {
            return 0;
        }
        ASSERT(used <= size - at);
        ASSERT(event.param_count <= EVENT_PARAM_MAX);
        /* A string with a zero byte inside is cut there: shorter, but never longer. */
        ASSERT(event_record_encode(&event, again) <= used);
    }
    return 0;
}
