/*
 * A parser with a fault on purpose: its length field is believed. The fuzzer has to find that
 * within its time, or the other fuzzers prove nothing.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *frame;
    uint8_t sum = 0;

    if (size < 4 || memcmp(data, "AW", 2) != 0 || data[2] == 0) {
        return 0;
    }
    frame = malloc(size);
    if (frame == NULL) {
        return 0;
    }
    memcpy(frame, data, size);
    for (size_t i = 0; i < frame[2]; i++) {
        sum = (uint8_t)(sum + frame[3 + i]);
    }
    free(frame);
    return sum == 77 ? 1 : 0;
}
