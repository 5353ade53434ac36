/*
 * Short stories of a drive that was a member, is lost, and is rebuilt in its place, with the stripe
 * log (directed.h). Its ring says of what was open when it went that it still is; and while it was
 * away batches went to fewer members than may be lost once it is back.
 */
#include "directed.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "sim_array.h"

#define STRIP_BYTES 8192u
#define ROWS 4u
#define BYTES_MAX (2 * STRIP_BYTES)

struct rejoin {
    struct sim_world *world;
    struct sim_array *array;
    struct rng rng;
    uint32_t lost; /* member */
    uint8_t version;
    uint8_t bytes[BYTES_MAX];
};

static struct rejoin *rejoin_begin(uint64_t seed, enum raid_level level, uint32_t width)
{
    struct sim_array_options options = {.level = level,
                                        .span_count = 1,
                                        .members_per_span = width,
                                        .strip_bytes = STRIP_BYTES,
                                        .block_bytes = 512,
                                        .vd_count = 1,
                                        .extent_bytes = UINT64_C(1) * ROWS * STRIP_BYTES,
                                        .consistent = true,
                                        .stripe_log = true};
    struct rejoin *rejoin = calloc(1, sizeof(*rejoin));
    int error = 0;

    ASSERT(rejoin != NULL);
    rng_seed(&rejoin->rng, seed);
    rejoin->world = sim_world_create(seed);
    rejoin->array = sim_array_create(rejoin->world, &options);
    rejoin->lost = (uint32_t)rng_below(&rejoin->rng, width);
    error = sim_array_start(rejoin->array);
    ASSERT(error == 0);
    return rejoin;
}

static void rejoin_end(struct rejoin *rejoin)
{
    (void)sim_array_stop(rejoin->array); /* degraded */
    sim_array_destroy(rejoin->array);
    sim_world_destroy(rejoin->world);
    free(rejoin);
}

static void put(struct rejoin *rejoin, uint64_t offset, uint32_t length, bool fua)
{
    enum vd_status status = VD_STATUS_OK;

    rejoin->version++;
    memset(rejoin->bytes, rejoin->version, length);
    status = sim_array_io(rejoin->array, sim_array_vd(rejoin->array, 0), VD_OP_WRITE, fua, offset,
                          length, rejoin->bytes);
    ASSERT(status == VD_STATUS_OK);
}

static bool reads_as(struct rejoin *rejoin, uint64_t offset, uint32_t length, uint8_t version)
{
    enum vd_status status = sim_array_io(rejoin->array, sim_array_vd(rejoin->array, 0), VD_OP_READ,
                                         false, offset, length, rejoin->bytes);

    return status == VD_STATUS_OK && rejoin->bytes[0] == version &&
           memcmp(rejoin->bytes, rejoin->bytes + 1, length - 1) == 0;
}

static void sync_done(struct vd_sync *sync, int error)
{
    sim_array_done(sync->owner, error);
}

/* The same drive is put in again and rebuilt. */
static void drive_comes_back(struct rejoin *rejoin)
{
    struct sim_array *array = rejoin->array;
    struct vd *vd = sim_array_vd(array, 0);
    struct sim_drive *sim = sim_array_sim(array, rejoin->lost);
    uint32_t drive = array->place_of[rejoin->lost];
    struct vd_sync sync = {
        .vd = vd, .row_count = ROWS, .fill = true, .complete = sync_done, .owner = array};
    int error = 0;

    sim_drive_return(sim);
    ASSERT(!drive_is_present(array->drives[drive]) && drive_is_idle(array->drives[drive]));
    drive_port_attach(array->drives[drive], sim_drive_port(sim));
    error = sim_array_replace(array, rejoin->lost, drive);
    ASSERT(error == 0);
    vd_sync_submit(vd, &sync);
    error = sim_array_wait(array);
    ASSERT(error == 0);
    group_rebuilt_advance(array->group, rejoin->lost, UINT64_C(1) * ROWS * STRIP_BYTES);
    group_member_rebuilt(array->group, rejoin->lost, sim_array_done, array);
    error = sim_array_wait(array);
    ASSERT(error == 0);
}

/* Another member is gone by the time the power is back. */
static void cut_without(struct rejoin *rejoin, uint32_t member)
{
    int error = 0;

    sim_array_power_cut(rejoin->array, SIM_CUT_KEEP_ALL);
    sim_drive_pull(sim_array_sim(rejoin->array, member), true);
    error = sim_array_reload(rejoin->array);
    ASSERT(error == 0);
}

bool directed_rejoin_alone(uint64_t seed)
{
    struct rejoin *rejoin = rejoin_begin(seed, RAID_LEVEL_1, 2);
    uint32_t writes = 1 + (uint32_t)rng_below(&rejoin->rng, 4);
    bool holds = false;

    put(rejoin, 0, 4096, false); /* its intent is open when the drive goes */
    sim_drive_pull(sim_array_sim(rejoin->array, rejoin->lost), false);
    while (writes-- > 0) {
        put(rejoin, 0, 4096, true);
    }
    drive_comes_back(rejoin);
    cut_without(rejoin, 1 - rejoin->lost);
    holds = reads_as(rejoin, 0, 4096, rejoin->version);
    rejoin_end(rejoin);
    return holds;
}

bool directed_rejoin_tail(uint64_t seed)
{
    struct rejoin *rejoin = rejoin_begin(seed, RAID_LEVEL_5, 3);
    uint32_t writes = (uint32_t)rng_below(&rejoin->rng, 3);
    uint32_t other = (rejoin->lost + 1 + (uint32_t)rng_below(&rejoin->rng, 2)) % 3;
    bool holds = false;

    sim_drive_pull(sim_array_sim(rejoin->array, rejoin->lost), false);
    put(rejoin, 2 * BYTES_MAX, BYTES_MAX, true); /* meets the loss */
    while (writes-- > 0) {
        put(rejoin, BYTES_MAX, BYTES_MAX, true); /* batches take turns with the members */
    }
    put(rejoin, 0, BYTES_MAX, true);
    put(rejoin, BYTES_MAX, BYTES_MAX, true); /* its batch says that the one before is released */
    drive_comes_back(rejoin);
    put(rejoin, 0, BYTES_MAX, true); /* a whole row: no intent */
    cut_without(rejoin, other);
    holds = reads_as(rejoin, 0, BYTES_MAX, rejoin->version);
    rejoin_end(rejoin);
    return holds;
}
