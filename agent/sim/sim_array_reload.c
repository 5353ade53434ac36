/*
 * How a simulated array is found again after a stop or a power cut: the newest record wins, members
 * by label (sim_array.h).
 */
#include <stdlib.h>

#include "base/assert.h"
#include "drive/drive_layout.h"
#include "sim_array_private.h"

struct reading {
    struct label_read read;
    struct sim_array *array;
    int error;
};

static void label_was_read(struct label_read *read, int error)
{
    struct reading *reading = container_of(read, struct reading, read);

    reading->error = error;
    sim_array_done(reading->array, error);
}

/* The newest record of the group, from the store and from all labels. */
static void newest_take(struct group_config *newest, const struct group_config *record)
{
    if (newest->member_count == 0 || record->sequence > newest->sequence) {
        *newest = *record;
    }
}

static void store_record_take(struct sim_array *array, struct group_config *newest)
{
    char name[STORE_NAME_MAX + 1];
    uint8_t *bytes = malloc(GROUP_RECORD_MAX_BYTES);
    struct group_config *record = calloc(1, sizeof(*record));
    size_t length = 0;
    struct store_port *port = sim_store_port(array->sim_store);

    ASSERT(bytes != NULL && record != NULL);
    group_record_name(&array->config->guid, name);
    if (port->ops->get(port, name, bytes, GROUP_RECORD_MAX_BYTES, &length) == 0 &&
        group_record_decode(bytes, length, record) == 0) {
        newest_take(newest, record);
    }
    free(bytes);
    free(record);
}

/* Every record that a start after a power cut may go by. */
struct sound_look {
    const struct sim_array *array;
    bool (*is_troubled)(const struct sim_drive *sim);
    bool *sound;
    bool any_whole; /* calls every member in sync */
    bool only_whole; /* that is all that is asked for */
};

static bool drive_named_is_sound(const struct sound_look *look, const struct uuid *drive)
{
    for (uint32_t i = 0; i < look->array->drive_count; i++) {
        if (uuid_equal(drive, &look->array->uuids[i])) {
            return !look->is_troubled(look->array->sims[i]);
        }
    }
    return false;
}

static void record_look(struct sound_look *look, const struct group_config *record)
{
    bool whole = true;

    for (uint32_t i = 0; i < record->member_count; i++) {
        whole = whole && record->members[i].state == MEMBER_ONLINE;
    }
    look->any_whole = look->any_whole || whole;
    for (uint32_t i = 0; i < look->array->member_count; i++) {
        look->sound[i] = look->sound[i] && i < record->member_count &&
                         record->members[i].state == MEMBER_ONLINE &&
                         drive_named_is_sound(look, &record->members[i].drive);
    }
}

/* Most records call every member in sync; at every cut, the decoding of all would be most of the
 * work. */
static bool look_is_over(const struct sound_look *look)
{
    return look->only_whole && look->any_whole;
}

static void store_value_look(void *context, const void *value, size_t value_bytes)
{
    struct group_config *record = NULL;

    if (look_is_over(context)) {
        return;
    }
    record = calloc(1, sizeof(*record));
    ASSERT(record != NULL);
    if (group_record_decode(value, value_bytes, record) == 0) {
        record_look(context, record);
    }
    free(record);
}

/* The newest label that is on the medium for sure. */
static void label_look(struct sound_look *look, const struct sim_drive *sim)
{
    struct drive_label *labels = calloc(LABEL_SLOT_COUNT + 1, sizeof(*labels));
    const struct drive_label *newest = labels; /* sequence 0: none */
    uint8_t *slot = malloc(LABEL_SLOT_BYTES);

    ASSERT(labels != NULL && slot != NULL);
    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        struct drive_label *label = &labels[i + 1];

        sim_drive_peek_durable(
            sim,
            drive_layout_label_offset(sim->options.size_bytes, look->array->options.compact, i),
            slot, LABEL_SLOT_BYTES);
        if (drive_label_decode(slot, label) == 0 && label->has_record &&
            label->sequence > newest->sequence) {
            newest = label;
        }
    }
    record_look(look, &newest->record);
    free(slot);
    free(labels);
}

static void records_look(struct sim_array *array, struct sound_look *look)
{
    char name[STORE_NAME_MAX + 1];

    group_record_name(&array->config->guid, name);
    sim_store_each(array->sim_store, name, store_value_look, look);
    for (uint32_t i = 0; i < array->member_count; i++) {
        const struct sim_drive *sim = sim_array_sim(array, i);

        if (group_config(array->group)->members[i].state == MEMBER_ONLINE && sim != NULL &&
            !look_is_over(look)) {
            label_look(look, sim);
        }
    }
}

void sim_array_recorded_sound(struct sim_array *array,
                              bool (*is_troubled)(const struct sim_drive *sim), bool *sound)
{
    struct sound_look look = {.array = array, .is_troubled = is_troubled, .sound = sound};

    for (uint32_t i = 0; i < array->member_count; i++) {
        sound[i] = true;
    }
    records_look(array, &look);
}

static bool nobody_is_troubled(const struct sim_drive *sim)
{
    (void)sim;
    return false;
}

bool sim_array_recorded_degraded(struct sim_array *array)
{
    bool sound[SIM_ARRAY_DRIVES_MAX];
    struct sound_look look = {
        .array = array, .is_troubled = nobody_is_troubled, .sound = sound, .only_whole = true};

    records_look(array, &look);
    return !look.any_whole;
}

/* The drive of a copyback that ended in the middle of the last record has no label as a member yet
 * (ctl/ctl_settle.c). */
static bool is_member_by_label(const struct drive_label *label, const struct group_config *newest,
                               uint32_t place)
{
    const struct member_config *member = &newest->members[place];

    if (label == NULL || !uuid_equal(&label->drive, &member->drive)) {
        return false;
    }
    return label->role == LABEL_ROLE_MEMBER ? label->member == place
                                            : member->state == MEMBER_ONLINE;
}

int sim_array_reload(struct sim_array *array)
{
    struct group_config *newest = calloc(1, sizeof(*newest));
    struct drive_label *labels[SIM_ARRAY_DRIVES_MAX] = {NULL};
    int error = 0;

    ASSERT(newest != NULL && array->group == NULL);
    sim_array_objects_create(array);
    store_record_take(array, newest);
    for (uint32_t i = 0; i < array->drive_count; i++) {
        struct reading reading = {.read = {.drive = array->drives[i], .complete = label_was_read},
                                  .array = array};

        group_store_label_read(array->store, &reading.read);
        if (sim_array_wait(array) == 0) {
            labels[i] = reading.read.label;
            /* Whatever was cut short: it is never taken for another system's. What a drive that
             * lies has kept of several changes may look like it, and is better not trusted. */
            ASSERT(reading.read.ddf != DDF_FOUND_ON_MEMBER_OTHERS || array->sims[i]->flush_ignored);
            if (labels[i]->has_record) {
                newest_take(newest, &labels[i]->record);
            }
        }
    }
    ASSERT(newest->member_count == array->member_count);
    for (uint32_t place = 0; place < array->member_count; place++) {
        array->place_of[place] = SIM_NO_DRIVE;
        for (uint32_t i = 0; i < array->drive_count; i++) {
            if (is_member_by_label(labels[i], newest, place)) {
                array->place_of[place] = i;
            }
        }
    }
    for (uint32_t i = 0; i < array->drive_count; i++) {
        free(labels[i]);
    }
    for (uint32_t i = 0; i < array->member_count; i++) {
        array->recorded_online[i] = newest->members[i].state == MEMBER_ONLINE;
    }
    error = sim_array_group_begin(array, newest);
    free(newest);
    return error;
}

int sim_array_start_again(struct sim_array *array)
{
    ASSERT(array->group == NULL);
    sim_array_objects_free(array);
    return sim_array_reload(array);
}
