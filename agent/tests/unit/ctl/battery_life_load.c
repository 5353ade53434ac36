/*
 * The load of a life by battery: short writes at random places, so that what the drives take is
 * about the same all the time; reads and flushes among them.
 */
#include "base/checked.h"
#include "battery_life_private.h"
#include "vd/cached_private.h"

#define FLIGHTS 10u
#define CODE_SUSPECT 60090u
#define PATIENCE_US (600 * SIM_SECOND)

/* Now: what was seen at the last poll may be over. */
static bool writes_back(const struct vd_target *target)
{
    const struct vd_cached *cached = container_of(target, const struct vd_cached, target);

    return vd_cached_policy(cached) != WRITE_POLICY_WRITE_THROUGH;
}

bool life_is_logged(struct life *life, uint32_t vd)
{
    const struct vd_cached *cached =
        container_of(life_target(life, vd), const struct vd_cached, target);
    enum vd_guarantee guarantee = vd_guarantee(cached->vd);

    return guarantee == VD_GUARANTEE_JOURNAL || guarantee == VD_GUARANTEE_JOURNAL_AGENT;
}

static void flight_answered(void *owner, struct flight *flight, enum vd_status status)
{
    struct life *life = owner;
    uint32_t *back = life->back[flight->vd];
    ptrdiff_t index = flight - life->flights.flights;
    bool was_back = false;
    const char *wrong = NULL;

    if (life->dead || life->result->failed) {
        return;
    }
    was_back = life->back_at[index] && writes_back(life->target_at[index]);
    life->result->hash = life->result->hash * 31 + life_now(life) * 8 + (uint64_t)status;
    if (status != VD_STATUS_OK) {
        life_fail(life, "vd%u: operation %d failed with %d", flight->vd, (int)flight->request.op,
                  (int)status);
    } else if (flight->request.op == VD_OP_READ) {
        life->result->reads++;
        wrong = flight_read_check(flight, false);
    } else {
        life->result->writes += flight_writes(flight) ? 1 : 0;
        life->result->flushes += flight->request.op == VD_OP_FLUSH ? 1 : 0;
        life->result->back += was_back && flight_writes(flight) ? 1 : 0;
        flight_acked(flight, false);
        for (uint64_t i = 0; i < flight->count && was_back && flight_writes(flight); i++) {
            back[flight->block + i] = max_u32(back[flight->block + i], flight->version);
        }
    }
    if (wrong != NULL) {
        life_fail(life, "vd%u: read of %llu+%llu returned %s", flight->vd,
                  (unsigned long long)flight->block, (unsigned long long)flight->count, wrong);
    }
}

void life_load_init(struct life *life)
{
    flights_init(&life->flights, FLIGHTS, flight_answered, life);
}

void life_submit(struct life *life)
{
    struct flight *flight = flight_new(&life->flights);
    uint64_t dice = life_below(life, 100);
    struct vd_target *target = NULL;
    uint64_t blocks = 0;

    if (flight == NULL) {
        return;
    }
    flight->vd = (uint32_t)life_below(life, life->vd_count);
    flight->request.op = dice < 80 ? VD_OP_WRITE : dice < 97 ? VD_OP_READ : VD_OP_FLUSH;
    blocks = life->models[flight->vd]->block_count;
    if (flight->request.op != VD_OP_FLUSH) {
        flight->count = 1 + life_below(life, (16u << 10) / life->models[flight->vd]->block_bytes);
        flight->block = life_below(life, blocks - flight->count);
        flight->request.fua = flight_writes(flight) && life_chance(life, 3);
    }
    target = life_target(life, flight->vd);
    life->target_at[flight - life->flights.flights] = target;
    life->back_at[flight - life->flights.flights] = writes_back(target);
    flight_prepare(flight, life->models[flight->vd]);
    life->result->requests++;
    target->ops->submit(target, &flight->request);
}

static bool nothing_open(void *context)
{
    return ((const struct life *)context)->flights.open == 0;
}

bool life_drain(struct life *life)
{
    if (!sim_world_run_until(life->world->sim, nothing_open, life, PATIENCE_US)) {
        life_fail(life, "%u requests are never answered", life->flights.open);
    }
    return !life->result->failed;
}

static bool is_noted(struct life *life, uint32_t vd)
{
    struct virtual_drive_view view;
    char name[16];

    life_vd_name(vd, name);
    assert_true(world_vd(life->world, name, &view, NULL));
    return view.config->cache_lost;
}

static uint64_t bad_blocks_told(struct life *life, uint32_t vd)
{
    struct virtual_drive_view view;
    char name[16];

    life_vd_name(vd, name);
    assert_true(world_vd(life->world, name, &view, NULL));
    return view.lost_blocks;
}

/* What has been said since the last start. */
static uint64_t suspect_bytes_told(struct life *life, uint32_t vd)
{
    struct virtual_drive_view view;
    object_key_t key;
    char name[16];
    uint64_t bytes = 0;

    life_vd_name(vd, name);
    assert_true(world_vd(life->world, name, &view, key));
    assert_true(life->world->log_count < EVENTS_MAX);
    for (uint32_t i = 0; i < life->world->log_count; i++) {
        const struct event *event = &life->world->log[i];

        if (event->code == CODE_SUSPECT && strcmp(event->object_key, key) == 0) {
            assert_string_equal(event->params[1].name, "bytes");
            bytes = strtoull(event->params[1].value, NULL, 10);
        }
    }
    return bytes;
}

/* What else is wrong with these bytes, when blocks of as many bytes as were told are believed to be
 * torn. */
static const char *torn_take(struct life *life, uint32_t vd, const uint8_t *bytes,
                             const char *wrong)
{
    struct model *model = life->models[vd];
    uint64_t left = suspect_bytes_told(life, vd);

    while (wrong != NULL && left >= model->block_bytes) {
        left -= model->block_bytes;
        life->result->torn_noted += model->block_bytes;
        model_unsure_rows(model, model->wrong_block, 1, 1);
        wrong = model_read_check(model, 0, model->block_count, model->floor, bytes, false);
    }
    return wrong;
}

/* One block after the other: what cannot be read is among the blocks that are told to be bad, and
 * can be written again. */
static void blocks_read(struct life *life, uint32_t vd, uint8_t *bytes, const char *when)
{
    struct model *model = life->models[vd];
    uint64_t told = life->torn_is_fine[vd] ? bad_blocks_told(life, vd) : 0;
    char name[16];

    life_vd_name(vd, name);
    for (uint64_t i = 0; i < model->block_count; i++) {
        uint64_t offset = i * model->block_bytes;
        uint32_t version = 0;

        if (world_io(life->world, name, VD_OP_READ, offset, model->block_bytes, bytes + offset) ==
            VD_STATUS_OK) {
            continue;
        }
        if (told == 0) {
            life_fail(life, "%s: vd%u block %llu: an error that nobody tells of", when, vd,
                      (unsigned long long)i);
            return;
        }
        told--;
        life->result->told_bad++;
        version = model_write_begin(model, i, 1, false);
        model_fill(model, i, version, bytes + offset);
        assert_int_equal(
            world_io(life->world, name, VD_OP_WRITE, offset, model->block_bytes, bytes + offset),
            VD_STATUS_OK);
        model_write_acked(model, i, 1, version, false);
    }
}

/* lost_is_fine: what is missing must be noted, and nothing but versions may be there. */
void life_verify(struct life *life, uint32_t vd, bool lost_is_fine, const char *when)
{
    struct model *model = life->models[vd];
    uint32_t length = (uint32_t)(model->block_count * model->block_bytes);
    uint8_t *bytes = malloc(length);
    char name[16];
    const char *wrong = NULL;

    assert_non_null(bytes);
    life_vd_name(vd, name);
    if (world_io(life->world, name, VD_OP_READ, 0, length, bytes) != VD_STATUS_OK) {
        blocks_read(life, vd, bytes, when);
    }
    wrong = model_read_check(model, 0, model->block_count, model->floor, bytes, false);
    /* Nothing of it need have been in the cache: then only torn rows can be wrong. */
    if (wrong != NULL && lost_is_fine && life->torn_is_fine[vd] && !is_noted(life, vd)) {
        wrong = torn_take(life, vd, bytes, wrong);
    }
    if (wrong != NULL && lost_is_fine) {
        life->result->losses_noted++;
        if (!is_noted(life, vd)) {
            life_fail(life, "%s: vd%u: writes are lost and nobody says so", when, vd);
        }
        model_forget(model);
        memset(life->back[vd], 0, model->block_count * sizeof(uint32_t));
        wrong = model_read_check(model, 0, model->block_count, model->floor, bytes, false);
    }
    if (wrong != NULL && life->torn_is_fine[vd]) {
        wrong = torn_take(life, vd, bytes, wrong);
    }
    if (wrong != NULL) {
        life_fail(life, "%s: vd%u block %llu: %s", when, vd, (unsigned long long)model->wrong_block,
                  wrong);
    }
    free(bytes);
}
