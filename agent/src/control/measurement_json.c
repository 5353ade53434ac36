/* See measurement_json.h. */
#include "control/measurement_json.h"

#include <string.h>

#include "base/assert.h"
#include "base/bounds.h"
#include "control/json_text.h"
#include "control/object_doc.h"

STATIC_ASSERT(LOAD_BLOCKS_MAX == BOUND_LOAD_BLOCKS_MAX, "as many as there is room for");
STATIC_ASSERT(MEASUREMENT_LOADS_MAX == BOUND_VD_MEASURE_LOADS_MAX, "as many as there is room for");

/* What is asked */

static bool number_take(const json_t *value, uint64_t min, uint64_t max, uint64_t *ret_number)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) < min || (uint64_t)json_integer_value(value) > max) {
        return false;
    }
    *ret_number = (uint64_t)json_integer_value(value);
    return true;
}

static const char *blocks_take(const json_t *value, struct load *load)
{
    size_t index;
    const json_t *entry;

    if (!json_is_array(value) || json_array_size(value) < BOUND_LOAD_BLOCKS_MIN ||
        json_array_size(value) > BOUND_LOAD_BLOCKS_MAX) {
        return "has one whose blocks are no list of 1 to 16";
    }
    json_array_foreach(value, index, entry)
    {
        uint64_t bytes = 0;
        uint64_t percent = 0;

        if (!number_take(json_object_get(entry, "bytes"), BOUND_LOAD_BLOCK_BYTES_MIN,
                         BOUND_LOAD_BLOCK_BYTES_MAX, &bytes) ||
            !number_take(json_object_get(entry, "percent"), BOUND_LOAD_BLOCK_PERCENT_MIN,
                         BOUND_LOAD_BLOCK_PERCENT_MAX, &percent) ||
            json_object_size(entry) != 2) {
            return "has a block that is not bytes and percent";
        }
        load->blocks[index] =
            (struct load_block){.bytes = (uint32_t)bytes, .percent = (uint32_t)percent};
    }
    load->block_count = (uint32_t)json_array_size(value);
    return NULL;
}

/* Those left out stay as they are. */
static const struct load_number {
    const char *name;
    size_t offset;
    bool wide; /* 64 bits */
    uint64_t min;
    uint64_t max;
} numbers[] = {
    {"write_percent", offsetof(struct load, write_percent), false, BOUND_LOAD_WRITE_PERCENT_MIN,
     BOUND_LOAD_WRITE_PERCENT_MAX},
    {"workers", offsetof(struct load, workers), false, BOUND_LOAD_WORKERS_MIN,
     BOUND_LOAD_WORKERS_MAX},
    {"depth", offsetof(struct load, depth), false, BOUND_LOAD_DEPTH_MIN, BOUND_LOAD_DEPTH_MAX},
    {"zone_bytes", offsetof(struct load, zone_bytes), true, BOUND_LOAD_ZONE_BYTES_MIN,
     BOUND_LOAD_ZONE_BYTES_MAX},
    {"start_bytes", offsetof(struct load, start_bytes), true, BOUND_LOAD_START_BYTES_MIN,
     BOUND_LOAD_START_BYTES_MAX},
    {"file_bytes", offsetof(struct load, file_bytes), true, BOUND_LOAD_FILE_BYTES_MIN,
     BOUND_LOAD_FILE_BYTES_MAX},
};
#define NUMBER_COUNT (sizeof(numbers) / sizeof(numbers[0]))

static bool load_number_take(const json_t *value, const char *name, struct load *load)
{
    uint64_t number = 0;

    for (size_t i = 0; i < NUMBER_COUNT; i++) {
        char *out = (char *)load + numbers[i].offset;

        if (strcmp(numbers[i].name, name) != 0) {
            continue;
        }
        if (!number_take(value, numbers[i].min, numbers[i].max, &number)) {
            return false;
        }
        if (numbers[i].wide) {
            *(uint64_t *)(void *)out = number;
        } else {
            *(uint32_t *)(void *)out = (uint32_t)number;
        }
        return true;
    }
    return false;
}

static const char *load_take(const json_t *value, struct load *load)
{
    const char *pattern = json_string_value(json_object_get(value, "pattern"));
    const char *problem = blocks_take(json_object_get(value, "blocks"), load);
    const char *name;
    json_t *field;

    if (problem != NULL) {
        return problem;
    }
    if (pattern == NULL || !load_pattern_parse(pattern, &load->pattern)) {
        return "has one without a pattern that this agent knows";
    }
    json_object_foreach((json_t *)(uintptr_t)value, name, field)
    {
        if (strcmp(name, "pattern") != 0 && strcmp(name, "blocks") != 0 &&
            !load_number_take(field, name, load)) {
            return "has one with a number out of bounds or an unknown field";
        }
    }
    return NULL;
}

const char *measurement_loads_take(const json_t *value, struct measurement_plan *plan)
{
    size_t index;
    const json_t *entry;

    if (!json_is_array(value) || json_array_size(value) < BOUND_VD_MEASURE_LOADS_MIN ||
        json_array_size(value) > BOUND_VD_MEASURE_LOADS_MAX) {
        return "must be a list of 1 to 8";
    }
    json_array_foreach(value, index, entry)
    {
        const char *problem = NULL;

        plan->loads[index] = (struct load){.workers = 1, .depth = 1};
        problem = load_take(entry, &plan->loads[index]);
        if (problem != NULL) {
            return problem;
        }
    }
    plan->load_count = (uint32_t)json_array_size(value);
    return NULL;
}

/* What came of it */

static json_t *blocks_doc(const struct load *load)
{
    json_t *list = json_new_array();

    for (uint32_t i = 0; i < load->block_count; i++) {
        json_t *block = json_new_object();

        json_put_u64(block, "bytes", load->blocks[i].bytes);
        json_put_u64(block, "percent", load->blocks[i].percent);
        json_append(list, block);
    }
    return list;
}

static json_t *measured_load_doc(const struct load *load, const struct measurement_result *result)
{
    double seconds = (double)(result->duration_us > 0 ? result->duration_us : 1) / 1e6;
    bool begun = result->duration_us > 0;
    json_t *doc = json_new_object();

    json_put_text(doc, "pattern", load_pattern_word(load->pattern));
    json_put(doc, "blocks", blocks_doc(load));
    json_put_u64(doc, "write_percent", load->write_percent);
    json_put_u64(doc, "workers", load->workers);
    json_put_u64(doc, "depth", load->depth);
    json_put_u64(doc, "zone_bytes", load->zone_bytes);
    json_put_u64(doc, "start_bytes", load->start_bytes);
    json_put_u64(doc, "file_bytes", load->file_bytes);
    json_put_u64(doc, "duration_us", result->duration_us);
    json_put_u64(doc, "operation_count", result->operations);
    json_put(doc, "operations_per_s", json_real(begun ? (double)result->operations / seconds : 0));
    json_put(doc, "bytes_per_s", json_real(begun ? (double)result->bytes / seconds : 0));
    json_put(doc, "read_latency", latency_figures_doc(&result->latency.kinds[LATENCY_READ]));
    json_put(doc, "write_latency", latency_figures_doc(&result->latency.kinds[LATENCY_WRITE]));
    return doc;
}

json_t *measurement_doc(const struct measurement_view *view)
{
    const struct measurement_plan *plan = measurement_plan(view->run);
    json_t *doc = json_new_object();
    json_t *loads = json_new_array();

    for (uint32_t i = 0; i < plan->load_count; i++) {
        json_append(loads, measured_load_doc(&plan->loads[i], measurement_result(view->run, i)));
    }
    json_put_text(doc, "state", measurement_state_word(view->state));
    json_put(doc, "reason",
             view->reason.code == REASON_OK ? json_null() : reason_doc(&view->reason));
    json_put_bool(doc, "overwrites", measurement_overwrites(plan));
    json_put_u64(doc, "seconds", plan->seconds);
    json_put_u64(doc, "progress_percent", measurement_percent(view->run));
    json_put_u64(doc, "started_at_us", view->began_us);
    json_put(doc, "ended_at_us",
             view->ended_us != 0 ? json_integer((json_int_t)view->ended_us) : json_null());
    json_put(doc, "loads", loads);
    return doc;
}
