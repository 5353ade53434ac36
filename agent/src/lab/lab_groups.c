/* See lab_groups.h. */
#include "lab/lab_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define FAULT_BLOCK_BYTES 512u

/* A drive that leaves. */
struct departure {
    struct clock_timer timer;
    struct emulated_drive *drive;
    uint64_t after_us;
};

struct place {
    const struct lab_group *group;
    struct lab_array *array;
    struct lab_front *front;
    struct task *rebuild;
    uint32_t departure_count;
    struct departure departures[LAB_FAULTS_MAX];
};

struct stand {
    struct lab_clock clock;
    struct lab_controller *controller;
    uint8_t *buffer; /* every request uses it */
    uint32_t count;
    struct place places[LAB_GROUPS_MAX];
};

/* Faults */

static void departure_fire(struct clock_timer *timer)
{
    struct departure *departure = timer->owner;

    emulated_drive_disconnect(departure->drive);
}

static int drive_fault(struct emulated_drive *drive, const struct lab_fault *fault)
{
    struct emulated_fault emulated = {.kind = FAULT_KIND_SLOW, .latency_ms = fault->latency_ms};

    if (fault->kind == LAB_FAULT_LATENT_ERRORS) {
        emulated = (struct emulated_fault){.kind = FAULT_KIND_MEDIA_ERROR,
                                           .lba = fault->offset_bytes / FAULT_BLOCK_BYTES,
                                           .count = fault->length_bytes / FAULT_BLOCK_BYTES};
    }
    return emulated_drive_fault_add(drive, &emulated);
}

/* Those of the drives themselves are there from now on. */
static int faults_make(struct place *place)
{
    int error = 0;

    for (uint32_t i = 0; i < place->group->fault_count && error == 0; i++) {
        const struct lab_fault *fault = &place->group->faults[i];
        struct emulated_drive *drive = lab_array_drive(place->array, fault->member);
        struct departure *departure = &place->departures[place->departure_count];

        if (fault->kind != LAB_FAULT_FAILS) {
            error = drive_fault(drive, fault);
            continue;
        }
        *departure = (struct departure){.timer = {.fire = departure_fire, .owner = departure},
                                        .drive = drive,
                                        .after_us = fault->after_ms * UINT64_C(1000)};
        list_init(&departure->timer.port_link);
        place->departure_count++;
    }
    return error;
}

static void departures_arm(void *context)
{
    struct stand *stand = context;

    for (uint32_t i = 0; i < stand->count; i++) {
        struct place *place = &stand->places[i];

        for (uint32_t j = 0; j < place->departure_count; j++) {
            struct departure *departure = &place->departures[j];

            clock_arm(&stand->clock.port, &departure->timer,
                      stand->clock.now_us + departure->after_us);
        }
    }
}

/* Life */

static int place_make(struct stand *stand, struct place *place, char text[LAB_TEXT_BYTES])
{
    const struct lab_point *point = &place->group->point;
    int error =
        lab_array_create(&point->array, &stand->clock, stand->controller, &place->array, text);

    if (error == 0) {
        error = lab_front_create(&point->front, &stand->clock, &place->array, stand->buffer,
                                 &place->front);
    }
    if (error == 0) {
        error = faults_make(place);
    }
    if (error == 0 && point->array.is_rebuilding) {
        error = task_rebuild_create(lab_array_group(place->array), point->array.rebuild_member,
                                    &stand->clock.port, place->group->rebuild_rate_percent, NULL,
                                    &place->rebuild);
    }
    if (error == 0 && place->rebuild != NULL) {
        task_start(place->rebuild);
    }
    return error;
}

static int stand_make(struct stand *stand, const struct lab_group *groups, uint32_t count,
                      char text[LAB_TEXT_BYTES])
{
    const struct lab_point *first = &groups[0].point;
    const struct lab_controller_setup controller = {
        .ceilings = first->front.ceilings,
        .cache_bytes = first->array.cache_bytes,
        .destage_rows = first->array.destage_rows,
        .expander_bytes_per_s = first->array.expander_bytes_per_s,
    };
    size_t longest_bytes = 0;
    int error = 0;

    for (uint32_t i = 0; i < count; i++) {
        longest_bytes = max_u64(longest_bytes, load_longest_bytes(&groups[i].point.load.load));
    }
    lab_clock_init(&stand->clock);
    stand->count = count;
    stand->buffer = aligned_alloc(4096, align_up_u64(longest_bytes, 4096));
    ASSERT(stand->buffer != NULL);
    memset(stand->buffer, 0x5a, longest_bytes);
    error = lab_controller_create(&controller, &stand->clock, &stand->controller, text);
    for (uint32_t i = 0; i < count && error == 0; i++) {
        ASSERT(groups[i].point.front.controller_count == 1);
        stand->places[i].group = &groups[i];
        error = place_make(stand, &stand->places[i], text);
    }
    return error;
}

static void place_free(struct stand *stand, struct place *place)
{
    for (uint32_t i = 0; i < place->departure_count; i++) {
        clock_cancel(&stand->clock.port, &place->departures[i].timer);
    }
    if (place->rebuild != NULL) {
        lab_task_end(place->rebuild, &stand->clock);
    }
    if (place->front != NULL) {
        place->front = lab_front_free(place->front);
    }
    if (place->array != NULL) {
        place->array = lab_array_free(place->array);
    }
}

static struct stand *stand_free(struct stand *stand)
{
    for (uint32_t i = 0; i < stand->count; i++) {
        place_free(stand, &stand->places[i]);
    }
    stand->controller = lab_controller_free(stand->controller);
    free(stand->buffer);
    free(stand);
    return NULL;
}

/* Answers */

static uint64_t latent_bytes(const struct place *place)
{
    uint64_t blocks = 0;

    for (uint32_t i = 0; i < place->group->point.array.drive_count; i++) {
        const struct emulated_drive *drive = lab_array_drive(place->array, i);

        for (uint32_t j = 0; j < emulated_drive_fault_count(drive); j++) {
            const struct emulated_fault *fault = emulated_drive_fault(drive, j);

            blocks += fault->kind == FAULT_KIND_MEDIA_ERROR ? fault->count : 0;
        }
    }
    return blocks * FAULT_BLOCK_BYTES;
}

static void answer_fill(const struct place *place, struct lab_group_answer *answer)
{
    const struct lab_array_setup *setup = &place->group->point.array;
    struct group *group = lab_array_group(place->array);
    struct task_status_view status;

    answer->answer.size_bytes = lab_front_size_bytes(place->front);
    answer->answer.dirty_bytes = lab_array_dirty_bytes(place->array);
    answer->state = group_state(group);
    answer->member_bytes = lab_array_member_bytes(place->array);
    answer->latent_bytes = latent_bytes(place);
    answer->bad_bytes =
        vd_bad_blocks(group_vd(group, 0)) * vd_config(group_vd(group, 0))->geometry.block_bytes;
    if (place->rebuild != NULL) {
        task_status_get(place->rebuild, &status);
        answer->rebuild_state = status.state;
        answer->rebuilt_bytes = group_rebuilt_bytes(group, setup->rebuild_member);
    }
}

static int loads_run(struct stand *stand, struct lab_group_answer *answers,
                     char text[LAB_TEXT_BYTES])
{
    struct lab_loading loadings[LAB_GROUPS_MAX];

    for (uint32_t i = 0; i < stand->count; i++) {
        struct place *place = &stand->places[i];

        loadings[i] = (struct lab_loading){.load = &place->group->point.load,
                                           .front = place->front,
                                           .arrays = &place->array,
                                           .array_count = 1,
                                           .drives_each = place->group->point.array.drive_count,
                                           .outcome = &answers[i].answer.outcome};
    }
    return lab_loads_run(loadings, stand->count, &stand->clock, departures_arm, stand, text);
}

int lab_groups_run(const struct lab_group *groups, uint32_t count,
                   struct lab_group_answer *ret_answers, char text[LAB_TEXT_BYTES])
{
    struct stand *stand = calloc(1, sizeof(*stand));
    int error = 0;

    ASSERT(count > 0 && count <= LAB_GROUPS_MAX && stand != NULL);
    memset(ret_answers, 0, count * sizeof(*ret_answers));
    (void)snprintf(text, LAB_TEXT_BYTES, "no memory");
    error = stand_make(stand, groups, count, text);
    if (error == 0) {
        error = loads_run(stand, ret_answers, text);
    }
    for (uint32_t i = 0; i < count && error == 0; i++) {
        answer_fill(&stand->places[i], &ret_answers[i]);
    }
    stand = stand_free(stand);
    ASSERT(stand == NULL);
    return error;
}
