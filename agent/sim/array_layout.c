#include "array_layout.h"

static void layout_read(void *context, uint32_t member, uint64_t offset_bytes, void *buffer,
                        uint32_t length_bytes)
{
    sim_drive_peek(sim_array_sim(context, member), offset_bytes, buffer, length_bytes);
}

struct layout array_layout(struct sim_array *array, uint32_t vd)
{
    const struct vd_config *config = vd_config(sim_array_vd(array, vd));
    const struct geometry *geometry = &config->geometry;
    const struct raid_level_info *level = raid_level_info(geometry->level);

    return (struct layout){
        .mirrored = level->mirrored,
        .pairs = level->adjacent_pairs,
        .parity_count = level->parity_count,
        .span_count = geometry->span_count,
        .members_per_span = geometry->members_per_span,
        .strip_bytes = geometry->strip_bytes,
        .extent_start_bytes = config->extent_start_bytes,
        .extent_bytes = geometry->extent_bytes,
        .read = layout_read,
        .context = array,
    };
}
