/*
 * The shape of a life by battery: level, drives, their blocks, virtual drives, and which drives are
 * missing all its life.
 */
#include "base/checked.h"
#include "battery_life_private.h"

#define NATIVE_4K_PERCENT 35u
#define DEGRADED_PERCENT 35u

/* bears: so many of each span may be missing. */
static const struct life_shape shapes[] = {
    {.level = RAID_LEVEL_0, .spans = 1, .per_span = 2, .bears = 0},
    {.level = RAID_LEVEL_1, .spans = 1, .per_span = 2, .bears = 1},
    {.level = RAID_LEVEL_5, .spans = 1, .per_span = 3, .bears = 1},
    {.level = RAID_LEVEL_6, .spans = 1, .per_span = 4, .bears = 2},
    {.level = RAID_LEVEL_10, .spans = 2, .per_span = 2, .bears = 1},
    {.level = RAID_LEVEL_50, .spans = 2, .per_span = 3, .bears = 1},
    {.level = RAID_LEVEL_60, .spans = 2, .per_span = 4, .bears = 2},
    {.level = RAID_LEVEL_1E, .spans = 1, .per_span = 3, .bears = 1},
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

void life_shape_choose(struct life *life)
{
    life->shape = &shapes[life_below(life, SHAPES)];
    for (uint32_t i = 0; i < SHAPES && life->options->level >= 0; i++) {
        life->shape =
            shapes[i].level == (enum raid_level)life->options->level ? &shapes[i] : life->shape;
    }
    life->vd_count = 1 + (uint32_t)life_below(life, LIFE_VDS_MAX);
    life->drives = life->shape->spans * life->shape->per_span * life->vd_count;
    life->block_bytes = life_chance(life, NATIVE_4K_PERCENT) ? 4096 : 512;
    life->starts_degraded = life->shape->bears > 0 && life_chance(life, DEGRADED_PERCENT);
}

void life_drives_make(struct life *life)
{
    for (uint32_t i = 0; i < life->drives; i++) {
        struct slot *slot = &life->world->slots[i];

        slot->options.logical_block_bytes = life->block_bytes;
        sim_drive_destroy(slot->drive);
        slot->drive = sim_drive_create(life->world->sim, &slot->options);
    }
}

static void vd_create(struct life *life, uint32_t vd)
{
    uint32_t width = life->shape->spans * life->shape->per_span;
    struct vd_target *target = NULL;
    struct ctl_command *command = NULL;
    char name[16];

    life_vd_name(vd, name);
    command = world_create_command(life->world, life->shape->level, vd * width, width, name);
    command->args.vd_create.drives_per_span = life->shape->spans > 1 ? life->shape->per_span : 0;
    command->args.vd_create.write_policy = WRITE_POLICY_WRITE_BACK;
    command->args.vd_create.strip_bytes = 16u << 10;
    command->args.vd_create.size_bytes = (1 + life_below(life, 2)) << 20;
    assert_int_equal(world_run(life->world, command), REASON_OK);
    target = life_target(life, vd);
    assert_int_equal(target->block_bytes, life->block_bytes);
    life->models[vd] = model_create(life->options->seed, vd, target->block_bytes,
                                    target->size_bytes / target->block_bytes);
    life->back[vd] = calloc(life->models[vd]->block_count, sizeof(uint32_t));
    assert_non_null(life->back[vd]);
}

/* Up to as many of a span as it bears; they never come back. */
static uint32_t span_lose(struct life *life, uint32_t first)
{
    uint32_t lost = 0;

    for (uint64_t i = life_below(life, life->shape->bears + 1); i > 0; i--) {
        struct slot *slot = &life->world->slots[first + life_below(life, life->shape->per_span)];

        lost += slot->absent ? 0 : 1;
        slot->absent = true;
    }
    return lost;
}

static void degrade(struct life *life)
{
    uint32_t spans = life->shape->spans;

    world_stop(life->world);
    for (uint32_t i = 0; i < life->vd_count * spans; i++) {
        uint32_t lost = span_lose(life, i * life->shape->per_span);

        life->missing[i / spans] += lost;
        life->result->members_missing += lost;
    }
    life->result->degraded += life->result->members_missing > 0 ? 1 : 0;
    world_start(life->world);
}

void life_vds_create(struct life *life)
{
    for (uint32_t i = 0; i < life->vd_count; i++) {
        vd_create(life, i);
    }
    if (life->starts_degraded) {
        degrade(life);
    }
}

void life_shape_describe(struct life *life)
{
    (void)snprintf(
        life->result->shape, sizeof(life->result->shape),
        "%s %ux%u block %u vds %u%s %s runtime %llu low %u%s cache %llu KiB",
        raid_level_info(life->shape->level)->name, life->shape->spans, life->shape->per_span,
        life->block_bytes, life->vd_count, life->starts_degraded ? " degraded" : "",
        life->ups ? "UPS" : "pack", (unsigned long long)(life->full_us / SIM_SECOND), life->low_s,
        life->lies ? " lies" : "", (unsigned long long)life->memory.size_bytes / 1024); /* fits */
}
