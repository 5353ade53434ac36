/*
 * Reads smartctl's JSON; see smart_reading.h.
 *
 * (1) A field that is there and is not what it must be voids the whole reading: who prints that
 *     cannot be believed in the rest.
 * (2) The verdict is the drive's own. Figures never make one.
 */
#include "cli/smart_reading.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "drive/drive_health.h"

/* Bits of smartctl's exit status (smartctl(8), EXIT STATUS). */
#define EXIT_COMMAND_LINE 0x01
#define EXIT_OPEN 0x02
#define EXIT_COMMAND 0x04
#define EXIT_FAILING 0x08

#define ATA_REALLOCATED 5
#define ATA_UNCORRECTABLE 187
#define ATA_PENDING 197
/* ACS-4 9.5.9: Solid State Device Statistics, Percentage Used Endurance Indicator. */
#define ATA_STATISTICS_SSD 7
#define ATA_STATISTICS_WEAR 8
#define ROWS_MAX 512u

struct reader {
    const json_t *document;
    struct smart_reading *reading;
    const char *wrong; /* the first field that is not what it must be (1) */
};

static void text_take(char *out, size_t capacity, const char *text)
{
    size_t at = 0;

    for (; *text != '\0' && at + 1 < capacity; text++) {
        out[at++] = *text >= 0x20 && *text <= 0x7e ? *text : '?';
    }
    out[at] = '\0';
}

void smart_reading_fail(struct smart_reading *reading, enum reason_code why, const char *detail)
{
    *reading = (struct smart_reading){
        .state = why == REASON_SMART_UNSUPPORTED ? SMART_STATE_UNSUPPORTED : SMART_STATE_UNREAD,
        .why = why};
    text_take(reading->detail, sizeof(reading->detail), detail);
}

/* The value at "a.b.c"; NULL: it is not there. */
static const json_t *at(struct reader *reader, const char *path)
{
    const json_t *value = reader->document;
    const char *name = path;

    while (value != NULL) {
        size_t length = strcspn(name, ".");
        char part[64];

        ASSERT(length < sizeof(part));
        if (!json_is_object(value)) {
            reader->wrong = path;
            return NULL;
        }
        memcpy(part, name, length);
        part[length] = '\0';
        value = json_object_get(value, part);
        if (name[length] == '\0') {
            return value;
        }
        name += length + 1;
    }
    return NULL;
}

static void figure_set(struct reader *reader, enum smart_figure figure, json_int_t value,
                       const char *path)
{
    if (value < 0 || (uint64_t)value > smart_figure_max(figure)) {
        reader->wrong = path;
        return;
    }
    reader->reading->told[figure] = true;
    reader->reading->figures[figure] = (uint64_t)value;
}

static void figures_read(struct reader *reader)
{
    static const struct {
        enum smart_figure figure;
        const char *path;
    } figures[] = {
        {SMART_FIGURE_TEMPERATURE_C, "temperature.current"},
        {SMART_FIGURE_POWER_ON_HOURS, "power_on_time.hours"},
        {SMART_FIGURE_MEDIA_ERRORS, "nvme_smart_health_information_log.media_errors"},
        {SMART_FIGURE_WEAR_PERCENT, "nvme_smart_health_information_log.percentage_used"},
        {SMART_FIGURE_WEAR_PERCENT, "scsi_percentage_used_endurance_indicator"},
        {SMART_FIGURE_REALLOCATED_SECTORS, "scsi_grown_defect_list"},
    };

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        const json_t *value = at(reader, figures[i].path);

        if (value != NULL && !json_is_integer(value)) {
            reader->wrong = figures[i].path;
        } else if (value != NULL) {
            figure_set(reader, figures[i].figure, json_integer_value(value), figures[i].path);
        }
    }
}

/* An array whose rows are objects; NULL: it is not there. */
static const json_t *rows_at(struct reader *reader, const char *path)
{
    const json_t *rows = at(reader, path);
    const json_t *row = NULL;
    size_t index = 0;

    if (rows != NULL && (!json_is_array(rows) || json_array_size(rows) > ROWS_MAX)) {
        reader->wrong = path;
        return NULL;
    }
    json_array_foreach(rows, index, row)
    {
        if (!json_is_object(row)) {
            reader->wrong = path;
            return NULL;
        }
    }
    return rows;
}

/* The raw value is what its string begins with: makers keep other things in its upper bytes. */
static void attribute_read(struct reader *reader, const json_t *row, enum smart_figure figure)
{
    const char *path = "ata_smart_attributes.table";
    const json_t *raw = json_object_get(json_object_get(row, "raw"), "string");
    const char *text = json_is_string(raw) ? json_string_value(raw) : "";
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 15) {
        reader->wrong = path;
        return;
    }
    figure_set(reader, figure, (json_int_t)strtoull(text, NULL, 10), path);
}

static void attributes_read(struct reader *reader)
{
    const json_t *rows = rows_at(reader, "ata_smart_attributes.table");
    const json_t *row = NULL;
    size_t index = 0;

    json_array_foreach(rows, index, row)
    {
        const json_t *id = json_object_get(row, "id");

        if (!json_is_integer(id)) {
            reader->wrong = "ata_smart_attributes.table";
            return;
        }
        switch (json_integer_value(id)) {
        case ATA_REALLOCATED:
            attribute_read(reader, row, SMART_FIGURE_REALLOCATED_SECTORS);
            break;
        case ATA_PENDING:
            attribute_read(reader, row, SMART_FIGURE_PENDING_SECTORS);
            break;
        case ATA_UNCORRECTABLE:
            attribute_read(reader, row, SMART_FIGURE_MEDIA_ERRORS);
            break;
        default:
            break; /* makers give the others meanings of their own */
        }
    }
}

static void statistics_page_read(struct reader *reader, const json_t *page)
{
    const json_t *rows = json_object_get(page, "table");
    const json_t *row = NULL;
    size_t index = 0;

    json_array_foreach(rows, index, row)
    {
        const json_t *offset = json_object_get(row, "offset");
        const json_t *value = json_object_get(row, "value");
        const json_t *valid = json_object_get(json_object_get(row, "flags"), "valid");

        if (json_integer_value(offset) == ATA_STATISTICS_WEAR && json_is_true(valid)) {
            if (json_is_integer(value)) {
                figure_set(reader, SMART_FIGURE_WEAR_PERCENT, json_integer_value(value),
                           "ata_device_statistics.pages");
            } else {
                reader->wrong = "ata_device_statistics.pages";
            }
        }
    }
}

static void statistics_read(struct reader *reader)
{
    const json_t *pages = rows_at(reader, "ata_device_statistics.pages");
    const json_t *page = NULL;
    size_t index = 0;

    json_array_foreach(pages, index, page)
    {
        if (json_integer_value(json_object_get(page, "number")) == ATA_STATISTICS_SSD) {
            statistics_page_read(reader, page);
        }
    }
}

/* Of SCSI: reads, writes and verifications that no effort could correct. */
static void scsi_errors_read(struct reader *reader)
{
    static const char *const paths[] = {
        "scsi_error_counter_log.read.total_uncorrected_errors",
        "scsi_error_counter_log.write.total_uncorrected_errors",
        "scsi_error_counter_log.verify.total_uncorrected_errors",
    };
    uint64_t sum = 0;
    bool any = false;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        const json_t *value = at(reader, paths[i]);

        if (value == NULL) {
            continue;
        }
        if (!json_is_integer(value) || json_integer_value(value) < 0 ||
            (uint64_t)json_integer_value(value) > smart_figure_max(SMART_FIGURE_MEDIA_ERRORS)) {
            reader->wrong = paths[i];
            return;
        }
        sum += (uint64_t)json_integer_value(value); /* three of 2^48 at most */
        any = true;
    }
    if (any) {
        figure_set(reader, SMART_FIGURE_MEDIA_ERRORS,
                   (json_int_t)min_u64(sum, smart_figure_max(SMART_FIGURE_MEDIA_ERRORS)),
                   "scsi_error_counter_log");
    }
}

/* The first of smartctl's own messages that is an error. */
static void message_take(struct reader *reader, const char *otherwise, char out[SMART_DETAIL_BYTES])
{
    const json_t *messages = rows_at(reader, "smartctl.messages");
    const json_t *message = NULL;
    size_t index = 0;

    text_take(out, SMART_DETAIL_BYTES, otherwise);
    json_array_foreach(messages, index, message)
    {
        const char *severity = json_string_value(json_object_get(message, "severity"));
        const char *text = json_string_value(json_object_get(message, "string"));

        if (severity != NULL && text != NULL && strcmp(severity, "error") == 0) {
            text_take(out, SMART_DETAIL_BYTES, text);
            return;
        }
    }
}

static void fail_with_message(struct reader *reader, enum reason_code why, const char *otherwise)
{
    char detail[SMART_DETAIL_BYTES];

    message_take(reader, otherwise, detail);
    smart_reading_fail(reader->reading, why, detail);
}

/* Whether a flag is there and says no. */
static bool says_no(struct reader *reader, const char *path)
{
    const json_t *flag = at(reader, path);

    if (flag != NULL && !json_is_boolean(flag)) {
        reader->wrong = path;
    }
    return json_is_false(flag);
}

/* Failing if either the verdict or the exit status says so: makers and bridges answer in part. */
static void verdict_read(struct reader *reader, int exit_status)
{
    const json_t *passed = at(reader, "smart_status.passed");
    struct smart_reading figures = *reader->reading;

    if (passed != NULL && !json_is_boolean(passed)) {
        reader->wrong = "smart_status.passed";
    } else if (json_is_false(passed) || (exit_status & EXIT_FAILING) != 0) {
        reader->reading->state = SMART_STATE_FAILING;
        reader->reading->why = REASON_SMART_FAILING;
    } else if (passed != NULL) {
        reader->reading->state = SMART_STATE_GOOD;
    } else {
        fail_with_message(reader,
                          (exit_status & EXIT_COMMAND) != 0 ? REASON_SMART_UNREADABLE
                                                            : REASON_SMART_UNSUPPORTED,
                          "it gives no verdict");
        memcpy(reader->reading->told, figures.told, sizeof(figures.told));
        memcpy(reader->reading->figures, figures.figures, sizeof(figures.figures));
    }
}

static void document_read(struct reader *reader, int exit_status)
{
    const json_t *serial = at(reader, "serial_number");

    if ((exit_status & EXIT_COMMAND_LINE) != 0) {
        fail_with_message(reader, REASON_SMART_UNSUPPORTED, "smartctl does not know its kind");
        return;
    }
    if ((exit_status & EXIT_OPEN) != 0) {
        fail_with_message(reader, REASON_SMART_UNREADABLE, "it cannot be opened");
        return;
    }
    if (says_no(reader, "smart_support.available")) {
        smart_reading_fail(reader->reading, REASON_SMART_UNSUPPORTED, "it has no self-monitoring");
        return;
    }
    if (says_no(reader, "smart_support.enabled")) {
        smart_reading_fail(reader->reading, REASON_SMART_DISABLED, "");
        return;
    }
    if (serial != NULL && !json_is_string(serial)) {
        reader->wrong = "serial_number";
    } else if (serial != NULL) {
        text_take(reader->reading->serial, SMART_SERIAL_BYTES, json_string_value(serial));
    }
    figures_read(reader);
    attributes_read(reader);
    statistics_read(reader);
    scsi_errors_read(reader);
    verdict_read(reader, exit_status);
}

void smart_reading_parse(const char *text, size_t bytes, int exit_status,
                         struct smart_reading *ret_reading)
{
    struct reader reader = {.reading = ret_reading};
    json_error_t error;
    json_t *document = NULL;

    *ret_reading = (struct smart_reading){.state = SMART_STATE_UNREAD, .why = REASON_OK};
    if (exit_status == SMART_EXIT_ASLEEP) {
        ret_reading->state = SMART_STATE_ASLEEP;
        return;
    }
    document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(document)) {
        smart_reading_fail(ret_reading, REASON_SMART_OUTPUT, "it is not a JSON object");
    } else {
        reader.document = document;
        document_read(&reader, exit_status);
        if (reader.wrong != NULL) {
            smart_reading_fail(ret_reading, REASON_SMART_OUTPUT, reader.wrong); /* (1) */
        }
    }
    json_decref(document);
}
