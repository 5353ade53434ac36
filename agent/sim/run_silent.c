/*
 * Silent damage of a simulated life: a drive that has other bytes than were written to it, and says
 * nothing. Levels without checksums cannot see that when they read. What must hold all the same:
 *
 * (1) The damage stays where it is. Blocks that are not made of the damaged bytes, nor computed
 * from them, are right, whatever is rebuilt, resynchronized, copied back or lost afterwards. (2) It
 * is no error: nothing fails because of it, and no drive is lost by it. (3) What the engine keeps
 * for itself – labels, marks, logs – is not meant here: it has checksums.
 */
#include <stdlib.h>

#include "run_private.h"

#define SECTORS_MAX 8u

struct place {
    uint32_t vd;
    uint32_t member;
    uint64_t offset_bytes; /* on the drive; within a strip of the virtual drive */
    uint32_t length_bytes;
};

static struct place place_choose(struct run *run)
{
    uint32_t vd = (uint32_t)run_below(run, run->array->options.vd_count);
    const struct vd_config *config = vd_config(sim_array_vd(run->array, vd));
    uint32_t sectors = config->geometry.strip_bytes / SIM_SECTOR_BYTES;
    uint64_t strips = config->geometry.extent_bytes / config->geometry.strip_bytes;
    uint64_t strip = run_chance(run, 60) ? 0 : run_below(run, strips);
    uint32_t count = 1 + (uint32_t)run_below(run, min_u32(SECTORS_MAX, sectors));
    uint32_t first = (uint32_t)run_below(run, sectors - count + 1);

    return (struct place){.vd = vd,
                          .member = (uint32_t)run_below(run, run->array->member_count),
                          .offset_bytes = config->extent_start_bytes +
                                          strip * config->geometry.strip_bytes +
                                          (uint64_t)first * SIM_SECTOR_BYTES,
                          .length_bytes = count * SIM_SECTOR_BYTES};
}

static void place_noted(struct run *run, const struct place *place)
{
    struct model *model = run->models[place->vd];
    struct layout layout = array_layout(run->array, place->vd);
    bool *blocks = calloc(model->block_count, sizeof(*blocks));

    ASSERT(blocks != NULL);
    for (uint64_t i = 0; i < model->block_count; i++) {
        blocks[i] = layout_touches(&layout, i * model->block_bytes, model->block_bytes,
                                   place->member, place->offset_bytes, place->length_bytes);
    }
    model_rotten(model, blocks);
    free(blocks);
}

static void noise_put(struct run *run, const struct place *place)
{
    uint8_t bytes[SECTORS_MAX * SIM_SECTOR_BYTES];

    rng_fill(&run->rng, bytes, place->length_bytes);
    sim_drive_poke(sim_array_sim(run->array, place->member), place->offset_bytes, bytes,
                   place->length_bytes);
    place_noted(run, place);
}

/* What belongs to one place is at another one, and the first has what it had before. */
static void write_misdirect(struct run *run, const struct place *from)
{
    uint8_t bytes[SECTORS_MAX * SIM_SECTOR_BYTES];
    struct place to = place_choose(run);

    to.member = from->member;
    to.length_bytes = min_u32(from->length_bytes, to.length_bytes);
    sim_drive_peek(sim_array_sim(run->array, from->member), from->offset_bytes, bytes,
                   to.length_bytes);
    noise_put(run, from);
    sim_drive_poke(sim_array_sim(run->array, to.member), to.offset_bytes, bytes, to.length_bytes);
    place_noted(run, &to);
}

void silent_maybe(struct run *run)
{
    struct place place;

    if ((!run_is_on(run, RUN_ROT) && !run_is_on(run, RUN_MISDIRECT)) || run->calm ||
        !run_chance(run, 15)) {
        return;
    }
    place = place_choose(run);
    /* What changes while it is read back after a repair is noticed, and costs the drive. */
    if (sim_array_sim(run->array, place.member) == NULL ||
        sim_array_sim(run->array, place.member)->in_flight_count > 0) {
        return;
    }
    run_trace(run, "member %u silently changes %llu+%u", place.member,
              (unsigned long long)place.offset_bytes, place.length_bytes);
    if (run_chance(run, 50)) {
        if (run_fires(run, RUN_ROT)) {
            noise_put(run, &place);
        }
    } else if (run_fires(run, RUN_MISDIRECT)) {
        write_misdirect(run, &place);
    }
}

bool silent_has_been(const struct run *run, uint32_t vd)
{
    for (uint64_t i = 0; i < run->models[vd]->block_count; i++) {
        if (run->models[vd]->rotten[i]) {
            return true;
        }
    }
    return false;
}
