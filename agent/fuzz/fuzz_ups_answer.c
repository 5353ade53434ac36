/*
 * What a NUT server may send, line by line. Whatever it is, the reading is one that the
 * controller can work with.
 */
#include <string.h>

#include "base/assert.h"
#include "host/ups_reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reading_check(const struct battery_reading *reading)
{
    ASSERT((unsigned)reading->state < BATTERY_STATE_MAX);
    ASSERT((unsigned)reading->state_reason.code < REASON_MAX);
    ASSERT(reading->left_s == BATTERY_UNKNOWN || reading->left_s >= 0);
    ASSERT(reading->low_left_s >= 0);
    ASSERT(reading->charge_percent == BATTERY_UNKNOWN ||
           (reading->charge_percent >= 0 && reading->charge_percent <= 100));
    ASSERT(memchr(reading->model, '\0', sizeof(reading->model)) != NULL);
    ASSERT(memchr(reading->manufactured_on, '\0', sizeof(reading->manufactured_on)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum ups_answer answer = UPS_ANSWER_MORE;
    struct battery_reading reading;
    struct ups_values values;
    char line[UPS_LINE_BYTES];

    ups_values_init(&values);
    while (size > 0 && answer == UPS_ANSWER_MORE) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t length = end != NULL ? (size_t)(end - data) : size;

        if (length >= sizeof(line) || memchr(data, '\0', length) != NULL) {
            return 0; /* the client lets no such line through */
        }
        memcpy(line, data, length);
        line[length] = '\0';
        answer = ups_values_line(&values, "bbu0", line);
        data += length + (end != NULL ? 1 : 0);
        size -= length + (end != NULL ? 1 : 0);
    }
    if (answer == UPS_ANSWER_WHOLE) {
        ups_values_read(&values, "bbu0@host", 120, &reading);
    } else {
        ups_answer_read(answer, "bbu0@host", &reading);
        reading.low_left_s = 0; /* not told, and not used while nothing is known */
        ASSERT(reading.state == BATTERY_STATE_UNKNOWN);
    }
    reading_check(&reading);
    return 0;
}
