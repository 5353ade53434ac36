/*
 * The oracle (model.h).
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"

#define MAGIC UINT64_C(0x41575349544d0001)

static uint64_t mix(uint64_t value)
{
    value ^= value >> 31;
    value *= UINT64_C(0x7fb5d329728ea185);
    value ^= value >> 27;
    value *= UINT64_C(0x81dadef4bc2dd44d);
    return value ^ (value >> 33);
}

static void *array_new(uint64_t count, size_t size)
{
    void *array = calloc(count, size);

    ASSERT(array != NULL);
    return array;
}

struct model *model_create(uint64_t seed, uint32_t vd, uint32_t block_bytes, uint64_t block_count)
{
    struct model *model = array_new(1, sizeof(*model));

    model->seed = seed;
    model->vd = vd;
    model->block_bytes = block_bytes;
    model->block_count = block_count;
    model->block_count_first = block_count;
    model->next_version = 1;
    model->floor = array_new(block_count, sizeof(uint32_t));
    model->acked = array_new(block_count, sizeof(uint32_t));
    model->durable = array_new(block_count, sizeof(uint32_t));
    model->newest = array_new(block_count, sizeof(uint32_t));
    model->zero = array_new(block_count, sizeof(uint32_t));
    model->cleared = array_new(block_count, sizeof(uint32_t));
    model->excess = array_new(block_count, sizeof(uint32_t));
    model->unsure = array_new(block_count, sizeof(bool));
    model->at_risk = array_new(block_count, sizeof(bool));
    model->torn = array_new(block_count, sizeof(bool));
    model->rotten = array_new(block_count, sizeof(bool));
    return model;
}

void model_destroy(struct model *model)
{
    if (model == NULL) {
        return;
    }
    free(model->floor);
    free(model->acked);
    free(model->durable);
    free(model->newest);
    free(model->zero);
    free(model->cleared);
    free(model->excess);
    free(model->unsure);
    free(model->at_risk);
    free(model->torn);
    free(model->rotten);
    free(model);
}

static void *array_copy(const void *from, uint64_t count, size_t size)
{
    void *array = array_new(count, size);

    memcpy(array, from, count * size);
    return array;
}

struct model *model_copy(const struct model *model)
{
    uint64_t count = model->block_count;
    struct model *copy = array_copy(model, 1, sizeof(*model));

    copy->floor = array_copy(model->floor, count, sizeof(uint32_t));
    copy->acked = array_copy(model->acked, count, sizeof(uint32_t));
    copy->durable = array_copy(model->durable, count, sizeof(uint32_t));
    copy->newest = array_copy(model->newest, count, sizeof(uint32_t));
    copy->zero = array_copy(model->zero, count, sizeof(uint32_t));
    copy->cleared = array_copy(model->cleared, count, sizeof(uint32_t));
    copy->excess = array_copy(model->excess, count, sizeof(uint32_t));
    copy->unsure = array_copy(model->unsure, count, sizeof(bool));
    copy->at_risk = array_copy(model->at_risk, count, sizeof(bool));
    copy->torn = array_copy(model->torn, count, sizeof(bool));
    copy->rotten = array_copy(model->rotten, count, sizeof(bool));
    return copy;
}

static void *array_grow(void *array, uint64_t count, uint64_t more, size_t size)
{
    uint8_t *grown = realloc(array, (count + more) * size);

    ASSERT(grown != NULL);
    memset(grown + count * size, 0, more * size);
    return grown;
}

void model_grow(struct model *model, uint64_t block_count)
{
    uint64_t count = model->block_count;
    uint64_t more = block_count - count;

    ASSERT(block_count > count);
    model->floor = array_grow(model->floor, count, more, sizeof(uint32_t));
    model->acked = array_grow(model->acked, count, more, sizeof(uint32_t));
    model->durable = array_grow(model->durable, count, more, sizeof(uint32_t));
    model->newest = array_grow(model->newest, count, more, sizeof(uint32_t));
    model->zero = array_grow(model->zero, count, more, sizeof(uint32_t));
    model->cleared = array_grow(model->cleared, count, more, sizeof(uint32_t));
    model->excess = array_grow(model->excess, count, more, sizeof(uint32_t));
    model->unsure = array_grow(model->unsure, count, more, sizeof(bool));
    model->at_risk = array_grow(model->at_risk, count, more, sizeof(bool));
    model->torn = array_grow(model->torn, count, more, sizeof(bool));
    model->rotten = array_grow(model->rotten, count, more, sizeof(bool));
    model->block_count = block_count;
}

struct head {
    uint64_t magic;
    uint64_t seed;
    uint64_t block;
    uint32_t vd;
    uint32_t version;
};

void model_fill(const struct model *model, uint64_t block, uint32_t version, uint8_t *bytes)
{
    struct head head = {MAGIC, model->seed, block, model->vd, version};
    uint64_t word = mix(model->seed ^ (block << 20) ^ version ^ ((uint64_t)model->vd << 56));

    for (uint32_t i = 0; i < model->block_bytes; i += 8) {
        memcpy(bytes + i, &word, 8);
        word += UINT64_C(0x9e3779b97f4a7c15);
    }
    memcpy(bytes, &head, sizeof(head));
}

uint32_t model_write_begin(struct model *model, uint64_t block, uint64_t count, bool zero)
{
    uint32_t version = model->next_version++;

    ASSERT(block + count <= model->block_count);
    for (uint64_t i = block; i < block + count; i++) {
        model->newest[i] = version;
        if (zero) {
            model->zero[i] = version;
        }
    }
    return version;
}

static void raise(uint32_t *value, uint32_t least)
{
    *value = *value > least ? *value : least;
}

void model_write_acked(struct model *model, uint64_t block, uint64_t count, uint32_t version,
                       bool fua)
{
    for (uint64_t i = block; i < block + count; i++) {
        raise(&model->acked[i], version);
        raise(&model->floor[i], version);
        if (fua) {
            raise(&model->durable[i], version);
        }
        model->torn[i] = false; /* it went to all copies */
        model->excess[i] = version > model->excess[i] ? 0 : model->excess[i];
        if (version == model->newest[i]) {
            model->cleared[i] = model->unsure[i] ? version : model->cleared[i];
            model->unsure[i] = false;
            model->at_risk[i] = false;
        }
    }
}

static bool is_zero(const uint8_t *bytes, uint32_t count)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static const char *block_check(struct model *model, uint64_t block, uint32_t floor,
                               const uint8_t *bytes, bool pin)
{
    struct head head;
    uint8_t wanted[4096];

    memcpy(&head, bytes, sizeof(head));
    if (head.magic != MAGIC || head.seed != model->seed) {
        if (floor == 0 || (is_zero(bytes, model->block_bytes) && model->zero[block] >= floor)) {
            return NULL;
        }
        return is_zero(bytes, model->block_bytes) ? "zeros where data were written"
                                                  : "noise where data were written";
    }
    if (head.block != block || head.vd != model->vd) {
        if (floor == 0 && block >= model->block_count_first) {
            return NULL;
        }
        return "a block from another place";
    }
    model_fill(model, block, head.version, wanted);
    if (memcmp(wanted, bytes, model->block_bytes) != 0) {
        return "a mixture of versions";
    }
    if (head.version < floor) {
        return "a version older than acknowledged or seen before";
    }
    if (head.version > model->newest[block]) {
        return "a version that was never written";
    }
    if (pin) {
        raise(&model->floor[block], head.version);
    }
    return NULL;
}

void model_floors(const struct model *model, uint64_t block, uint64_t count, uint32_t *ret_floors)
{
    for (uint64_t i = 0; i < count; i++) {
        ret_floors[i] = model->unsure[block + i] ? MODEL_NO_FLOOR
                        : model->torn[block + i] ? model->durable[block + i]
                                                 : model->floor[block + i];
    }
}

const char *model_read_check(struct model *model, uint64_t block, uint64_t count,
                             const uint32_t *floor, const uint8_t *bytes, bool pin)
{
    ASSERT(model->block_bytes <= 4096);
    for (uint64_t i = 0; i < count; i++) {
        const char *wrong = NULL;
        bool torn = model->torn[block + i]; /* perhaps since the read was submitted */
        uint32_t oldest =
            torn && model->durable[block + i] < floor[i] ? model->durable[block + i] : floor[i];

        if (floor[i] != MODEL_NO_FLOOR && !model->unsure[block + i] && !model->rotten[block + i]) {
            wrong =
                block_check(model, block + i, oldest, bytes + i * model->block_bytes, pin && !torn);
        }
        if (wrong != NULL) {
            model->wrong_block = block + i;
            return wrong;
        }
    }
    return NULL;
}

void model_flushed(struct model *model, const uint32_t *acked)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        raise(&model->durable[i], acked[i]);
    }
}

void model_stopped(struct model *model)
{
    model_flushed(model, model->acked);
}

void model_unsure_rows(struct model *model, uint64_t block, uint64_t count, uint64_t row_blocks)
{
    uint64_t first = block / row_blocks * row_blocks;
    uint64_t end = ((block + count - 1) / row_blocks + 1) * row_blocks;

    for (uint64_t i = first; i < end && i < model->block_count; i++) {
        model->unsure[i] = true;
    }
}

void model_crashed(struct model *model, uint64_t row_blocks)
{
    for (uint64_t first = 0; first < model->block_count; first += row_blocks) {
        bool undecided = false;
        uint64_t end =
            first + row_blocks < model->block_count ? first + row_blocks : model->block_count;

        for (uint64_t i = first; i < end; i++) {
            undecided = undecided || model->newest[i] > model->durable[i];
            model->unsure[i] = model->unsure[i] || model->cleared[i] > model->durable[i];
            model->floor[i] = model->durable[i];
            model->acked[i] = model->durable[i];
            model->torn[i] = false;
        }
        for (uint64_t i = first; i < end && undecided; i++) {
            model->at_risk[i] = true;
        }
    }
}

void model_risk_taken(struct model *model, const bool *blocks)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        model->unsure[i] = model->unsure[i] || (model->at_risk[i] && blocks[i]);
        model->at_risk[i] = model->at_risk[i] && !blocks[i];
    }
}

void model_copies_torn(struct model *model, const bool *blocks)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        model->torn[i] = model->torn[i] || (model->at_risk[i] && blocks[i]);
    }
}

/* Nothing torn has been acknowledged since: the floor is what was durable, until it is read. */
void model_risk_over(struct model *model, const bool *blocks)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        if (blocks == NULL || blocks[i]) {
            model->floor[i] = model->torn[i] ? model->durable[i] : model->floor[i];
            model->torn[i] = false;
            model->at_risk[i] = false;
        }
    }
}

void model_risk_put(struct model *model, const bool *blocks)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        model->at_risk[i] = model->at_risk[i] || blocks[i];
    }
}

void model_unsure_put(struct model *model, const bool *blocks)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        model->unsure[i] = model->unsure[i] || blocks[i];
    }
}

void model_seen_forget(struct model *model)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        model->floor[i] = min_u32(model->floor[i], model->acked[i]);
    }
}

void model_rotten(struct model *model, const bool *blocks)
{
    for (uint64_t i = 0; i < model->block_count; i++) {
        model->rotten[i] = model->rotten[i] || blocks[i];
    }
}

void model_excess_put(struct model *model, uint64_t block, uint32_t version)
{
    ASSERT(block < model->block_count);
    raise(&model->excess[block], version);
}

bool model_has_excess(const struct model *model, uint64_t block, uint64_t count)
{
    for (uint64_t i = block; i < block + count; i++) {
        if (model->excess[i] != 0) {
            return true;
        }
    }
    return false;
}

void model_forget(struct model *model)
{
    memset(model->floor, 0, model->block_count * sizeof(uint32_t));
    memset(model->acked, 0, model->block_count * sizeof(uint32_t));
    memset(model->durable, 0, model->block_count * sizeof(uint32_t));
}
