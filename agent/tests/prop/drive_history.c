/*
 * Making of a history (drive_history.h): one or two groups of any level; writes, pulls, returns,
 * spares, restarts and power cuts; and copies of everything while the controller is down.
 */
#include "drive_history.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "meta/group_store.h"

#define CHUNK_BYTES 4096u
#define MINUTE (60 * SIM_SECOND)

struct life {
    struct history *history;
    struct ctl_world *world;
    struct rng rng;
    uint32_t tags[HISTORY_GROUPS][HISTORY_CHUNKS];
    uint32_t next_tag;
};

static const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};

/* Labels */

struct drive_label *label_peek(const struct sim_drive *drive)
{
    static uint8_t slot[LABEL_SLOT_BYTES];
    struct drive_label *newest = NULL;

    for (uint32_t i = 0; i < LABEL_SLOT_COUNT; i++) {
        struct drive_label *label = calloc(1, sizeof(*label));

        assert_non_null(label);
        sim_drive_peek_durable(drive, drive_layout_label_offset(HISTORY_DRIVE_BYTES, false, i),
                               slot, sizeof(slot));
        if (drive_label_decode(slot, label) != 0 ||
            (newest != NULL && newest->sequence > label->sequence)) {
            free(label);
            continue;
        }
        free(newest);
        newest = label;
    }
    return newest;
}

static bool is_label_of(const struct drive_label *label, const struct history_group *group)
{
    return label != NULL && label->role == LABEL_ROLE_MEMBER &&
           guid_equal(&label->group, &group->guid);
}

const uint32_t *history_tags(const struct history_group *group, uint64_t sequence)
{
    uint32_t i = group->moment_count;

    while (i > 0 && group->moments[i - 1].sequence > sequence) {
        i--;
    }
    assert_true(i > 0);
    return group->moments[i - 1].tags;
}

static void moment_note(struct history_group *group, uint64_t sequence, const uint32_t *tags)
{
    struct moment *moment = NULL;

    for (uint32_t i = group->moment_count; i > 0 && moment == NULL; i--) {
        moment = group->moments[i - 1].sequence == sequence ? &group->moments[i - 1] : NULL;
    }
    if (moment == NULL) {
        assert_true(group->moment_count < HISTORY_MOMENTS);
        assert_true(group->moment_count == 0 ||
                    group->moments[group->moment_count - 1].sequence < sequence);
        moment = &group->moments[group->moment_count++];
        moment->sequence = sequence;
    }
    memcpy(moment->tags, tags, sizeof(moment->tags));
}

static bool is_in_sync(const struct drive_label *label, const struct group_config *record)
{
    const struct member_config *member = &record->members[label->member];

    return label->member < record->member_count && member->state == MEMBER_ONLINE &&
           uuid_equal(&member->drive, &label->drive);
}

static void group_moments_note(struct history_group *group, const uint32_t *tags,
                               struct drive_label *const labels[HISTORY_SLOTS])
{
    const struct drive_label *newest = NULL;
    uint64_t oldest = UINT64_MAX;

    for (uint32_t i = 0; i < HISTORY_SLOTS; i++) {
        if (is_label_of(labels[i], group) &&
            (newest == NULL || labels[i]->record.sequence > newest->record.sequence)) {
            newest = labels[i];
        }
    }
    assert_non_null(newest);
    for (uint32_t i = 0; i < HISTORY_SLOTS; i++) {
        if (is_label_of(labels[i], group) && is_in_sync(labels[i], &newest->record)) {
            oldest = min_u64(oldest, labels[i]->record.sequence);
        }
    }
    assert_true(newest->record.sequence - oldest <= 1 || oldest == UINT64_MAX);
    if (oldest < newest->record.sequence) {
        moment_note(group, oldest, tags);
    }
    moment_note(group, newest->record.sequence, tags);
}

/* What is true now counts for the newest record there is; while that is being saved, also for the
 * one before it: members that have everything still carry that. */
static void moments_note(struct life *life)
{
    struct drive_label *labels[HISTORY_SLOTS];

    for (uint32_t i = 0; i < HISTORY_SLOTS; i++) {
        labels[i] = label_peek(life->world->slots[i].drive);
    }
    for (uint32_t g = 0; g < life->history->group_count; g++) {
        group_moments_note(&life->history->groups[g], life->tags[g], labels);
    }
    for (uint32_t i = 0; i < HISTORY_SLOTS; i++) {
        free(labels[i]);
    }
}

/* Content */

static bool is_served(struct ctl_world *world, const char *name)
{
    struct virtual_drive_view vd;

    for (uint32_t i = 0; i < world->exported_count; i++) {
        if (strcmp(world->exported[i]->name, name) == 0) {
            return world_vd(world, name, &vd, NULL) && vd.state != VIRTUAL_DRIVE_STATE_OFFLINE;
        }
    }
    return false;
}

static void chunk_fill(uint8_t *chunk, uint32_t tag)
{
    for (uint32_t at = 0; at < CHUNK_BYTES; at += 8) {
        put_le32(chunk + at, tag);
        put_le32(chunk + at + 4, at);
    }
}

void chunks_write(struct ctl_world *world, const struct history_group *group, struct rng *rng,
                  uint32_t *tags, uint32_t tag)
{
    uint8_t chunk[CHUNK_BYTES];

    chunk_fill(chunk, tag);
    for (uint32_t i = 0; i < HISTORY_CHUNKS; i++) {
        if (tags[i] == 0 || rng_below(rng, 3) == 0) {
            assert_int_equal(world_io(world, group->name, VD_OP_WRITE, i * group->stride_bytes,
                                      CHUNK_BYTES, chunk),
                             VD_STATUS_OK);
            tags[i] = tag;
        }
    }
    assert_int_equal(world_io(world, group->name, VD_OP_FLUSH, 0, 0, NULL), VD_STATUS_OK);
}

bool chunks_check(struct ctl_world *world, const struct history_group *group, const uint32_t *tags,
                  bool *ret_served)
{
    uint8_t expected[CHUNK_BYTES];
    uint8_t chunk[CHUNK_BYTES];

    *ret_served = is_served(world, group->name);
    for (uint32_t i = 0; i < HISTORY_CHUNKS && *ret_served; i++) {
        chunk_fill(expected, tags[i]);
        if (world_io(world, group->name, VD_OP_READ, i * group->stride_bytes, CHUNK_BYTES, chunk) !=
                VD_STATUS_OK ||
            (tags[i] != 0 && memcmp(chunk, expected, CHUNK_BYTES) != 0)) {
            printf("# %s: chunk %u has tag %u, not %u\n", group->name, i, get_le32(chunk), tags[i]);
            return false;
        }
    }
    return true;
}

/* The life */

static uint32_t group_create_at(struct life *life, uint32_t first)
{
    static const struct {
        enum raid_level level;
        uint32_t min, step, choices;
    } kinds[] = {{RAID_LEVEL_0, 1, 1, 4},  {RAID_LEVEL_1, 2, 1, 1}, {RAID_LEVEL_1E, 3, 1, 2},
                 {RAID_LEVEL_5, 3, 1, 3},  {RAID_LEVEL_6, 4, 1, 2}, {RAID_LEVEL_10, 4, 2, 2},
                 {RAID_LEVEL_50, 6, 1, 1}, {RAID_LEVEL_60, 8, 1, 1}};
    struct history_group *group = &life->history->groups[life->history->group_count];
    uint32_t kind = (uint32_t)rng_below(&life->rng, first == 0 ? 8 : 3);
    uint32_t count =
        kinds[kind].min + kinds[kind].step * (uint32_t)rng_below(&life->rng, kinds[kind].choices);
    struct ctl_command *command = NULL;
    struct virtual_drive_view vd;

    (void)snprintf(group->name, sizeof(group->name), "v%u-%llu", life->history->group_count,
                   (unsigned long long)(life->history->seed % 1000000));
    command = world_create_command(life->world, kinds[kind].level, first, count, group->name);
    command->args.vd_create.size_bytes = 2 * MIB;
    if (world_run(life->world, command) != REASON_OK) {
        fail_msg("%s of %u: %s", raid_level_info(kinds[kind].level)->name, count,
                 life->world->text);
    }
    assert_true(world_vd(life->world, group->name, &vd, NULL));
    group->stride_bytes = vd.config->size_bytes / HISTORY_CHUNKS & ~(uint64_t)(CHUNK_BYTES - 1);
    life->history->group_count++;
    return first + count;
}

static void guids_learn(struct life *life, uint32_t slot, uint32_t g)
{
    struct drive_label *label = label_peek(life->world->slots[slot].drive);

    assert_non_null(label);
    life->history->groups[g].guid = label->group;
    free(label);
}

static void do_write(struct life *life)
{
    uint32_t g = (uint32_t)rng_below(&life->rng, life->history->group_count);

    if (is_served(life->world, life->history->groups[g].name)) {
        chunks_write(life->world, &life->history->groups[g], &life->rng, life->tags[g],
                     ++life->next_tag);
    }
}

static void act(struct life *life)
{
    uint32_t slot = (uint32_t)rng_below(&life->rng, HISTORY_SLOTS);
    uint64_t dice = rng_below(&life->rng, 16);

    if (dice < 8) {
        do_write(life);
    } else if (dice < 11) {
        (void)world_fault(life->world, slot, FAULT_KIND_PULL); /* gone already: no matter */
    } else if (dice < 13) {
        (void)world_fault(life->world, slot, FAULT_KIND_RETURN); /* it is there: no matter */
    } else if (dice < 14) {
        (void)world_spare(life->world, slot, NULL); /* in use: no matter */
    } else if (dice < 15) {
        (void)world_drive_op(life->world, CTL_OP_DRIVE_OFFLINE, slot); /* no member: no matter */
    } else {
        world_restart(life->world);
    }
    if (dice >= 8 || rng_below(&life->rng, 2) == 0) {
        world_settle(life->world, SIM_SECOND + rng_below(&life->rng, 12) * SIM_SECOND);
    }
    moments_note(life);
}

static void down(struct life *life)
{
    if (rng_below(&life->rng, 2) == 0) {
        world_stop(life->world);
    } else {
        sim_world_power_off(life->world->sim, SIM_CUT_DROP_ALL);
        world_power_down(life->world);
    }
    moments_note(life);
}

static struct group_config *record_get(struct sim_store *store, const struct guid *guid)
{
    static uint8_t value[GROUP_RECORD_MAX_BYTES];
    struct store_port *port = sim_store_port(store);
    struct group_config *record = calloc(1, sizeof(*record));
    char name[STORE_NAME_MAX + 1];
    size_t bytes = 0;

    assert_non_null(record);
    group_record_name(guid, name);
    if (port->ops->get(port, name, value, sizeof(value), &bytes) != 0 ||
        group_record_decode(value, bytes, record) != 0) {
        free(record);
        record = NULL;
    }
    return record;
}

static void generation_keep(struct life *life, uint32_t generation)
{
    struct history *history = life->history;

    for (uint32_t i = 0; i < HISTORY_SLOTS; i++) {
        history->drives[generation][i] =
            sim_drive_fork(life->world->slots[i].drive, history->archive, &as_it_is);
        history->labels[generation][i] = label_peek(history->drives[generation][i]);
    }
    history->stores[generation] = sim_store_fork(life->world->store, history->archive);
    for (uint32_t g = 0; g < history->group_count; g++) {
        history->records[generation][g] =
            record_get(history->stores[generation], &history->groups[g].guid);
    }
}

static void life_begin(struct life *life)
{
    uint32_t next = 0;

    world_start(life->world);
    next = group_create_at(life, 0);
    guids_learn(life, 0, 0);
    if (next + 4 <= HISTORY_SLOTS && rng_below(&life->rng, 2) == 0) {
        (void)group_create_at(life, next);
        guids_learn(life, next, 1);
    }
    if (rng_below(&life->rng, 2) == 0) {
        world_settle(life->world, MINUTE);
    }
    moments_note(life);
}

struct history *history_new(uint64_t seed)
{
    struct history *history = calloc(1, sizeof(*history));
    struct life life = {.history = history};

    assert_non_null(history);
    history->seed = seed;
    history->archive = sim_world_create(seed);
    life.world = world_new_sized(seed, HISTORY_SLOTS, HISTORY_DRIVE_BYTES);
    rng_seed(&life.rng, seed);
    life.next_tag = (uint32_t)(seed % 1000) * 1000000;
    life_begin(&life);
    for (uint32_t i = 0; i < HISTORY_GENERATIONS; i++) {
        for (uint64_t k = 1 + rng_below(&life.rng, 5); k > 0; k--) {
            act(&life);
        }
        do_write(&life);
        moments_note(&life);
        down(&life);
        generation_keep(&life, i);
        if (i + 1 < HISTORY_GENERATIONS) {
            world_start(life.world);
        }
    }
    world_free(life.world);
    return history;
}

struct history *history_free(struct history *history)
{
    if (history == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < HISTORY_GENERATIONS; i++) {
        for (uint32_t k = 0; k < HISTORY_SLOTS; k++) {
            free(history->labels[i][k]);
        }
        for (uint32_t g = 0; g < HISTORY_GROUPS; g++) {
            free(history->records[i][g]);
        }
    }
    sim_world_destroy(history->archive);
    free(history);
    return NULL;
}
