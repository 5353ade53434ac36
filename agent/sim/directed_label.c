/*
 * A label in a drive's cache (directed.h): who wrote it died before the flush, and the power goes
 * while the next one is being written.
 */
#include "directed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "drive/drive.h"
#include "meta/group_store.h"
#include "sim_drive.h"
#include "sim_store.h"
#include "sim_world.h"

#define DRIVE_BYTES (UINT64_C(72) << 20)

struct tale {
    struct sim_world *world;
    struct sim_store *sim_store;
    struct sim_drive *sim;
    struct drive *drive;
    struct group_store *store;
    struct drive_label *label;
    struct rng rng;
    bool done;
    int error;
};

static void process_begin(struct tale *tale)
{
    struct drive_identity identity = {.did = 1};
    int error = drive_create(&identity, sim_drive_port(tale->sim), sim_world_clock(tale->world),
                             NULL, NULL, &tale->drive);

    ASSERT(error == 0);
    error = group_store_create(sim_store_port(tale->sim_store), &tale->store);
    ASSERT(error == 0);
}

static void process_end(struct tale *tale)
{
    while (sim_world_step(tale->world)) {
    }
    group_store_forget(tale->store, tale->drive);
    tale->drive = drive_free(tale->drive);
    tale->store = group_store_free(tale->store);
}

/* Differs from the one before in more than one sector, so that half of it is none. */
static void label_renew(struct tale *tale)
{
    struct group_config *config = &tale->label->record;

    config->sequence++;
    rng_fill(&tale->rng, config->members[1].drive.bytes, sizeof(config->members[1].drive.bytes));
    rng_fill(&tale->rng, config->vds[0].guid.bytes, sizeof(config->vds[0].guid.bytes));
}

static void label_make(struct tale *tale)
{
    struct drive_label *label = calloc(1, sizeof(*label));

    ASSERT(label != NULL);
    tale->label = label;
    label->role = LABEL_ROLE_MEMBER;
    label->has_record = true;
    label->drive = uuid_make(&tale->rng);
    label->controller = uuid_make(&tale->rng);
    rng_fill(&tale->rng, label->group.bytes, sizeof(label->group.bytes));
    label->record.guid = label->group;
    label->record.member_count = 2;
    label->record.members[0].drive = label->drive;
    label->record.vd_count = 1;
    label->record.vds[0] = (struct vd_config){
        .name = "data",
        .geometry = {RAID_LEVEL_1, 1, 2, 65536, 512, UINT64_C(4) << 20},
        .size_bytes = UINT64_C(4) << 20,
    };
    label_renew(tale);
}

static void tale_begin(struct tale *tale, uint64_t seed)
{
    const struct sim_drive_options options = {.size_bytes = DRIVE_BYTES};

    memset(tale, 0, sizeof(*tale));
    rng_seed(&tale->rng, seed);
    label_make(tale);
    tale->world = sim_world_create(seed);
    tale->sim_store = sim_store_create(tale->world);
    tale->sim = sim_drive_create(tale->world, &options);
    process_begin(tale);
}

static void tale_end(struct tale *tale)
{
    process_end(tale);
    sim_world_destroy(tale->world);
    free(tale->label);
}

static void written(struct label_write *write, int error)
{
    struct tale *tale = write->owner;

    tale->done = true;
    tale->error = error;
}

static void label_begin(struct tale *tale, struct label_write *write)
{
    *write = (struct label_write){
        .drive = tale->drive, .label = tale->label, .complete = written, .owner = tale};
    tale->done = false;
    label_renew(tale);
    group_store_label_write(tale->store, write);
}

static int label_put(struct tale *tale)
{
    struct label_write write;
    bool ended = false;

    label_begin(tale, &write);
    ended = sim_world_run_until_flag(tale->world, &tale->done, 120 * SIM_SECOND);
    ASSERT(ended);
    return tale->error;
}

static void was_read(struct label_read *read, int error)
{
    struct tale *tale = read->owner;

    tale->done = true;
    tale->error = error;
    free(read->label);
}

static int label_get(struct tale *tale)
{
    struct label_read read = {.drive = tale->drive, .complete = was_read, .owner = tale};
    bool ended = false;

    tale->done = false;
    group_store_label_read(tale->store, &read);
    ended = sim_world_run_until_flag(tale->world, &tale->done, 120 * SIM_SECOND);
    ASSERT(ended);
    return tale->error;
}

bool directed_label_cached(uint64_t seed)
{
    struct tale tale;
    struct label_write write;
    struct sim_cut_plan plan;
    bool held = false;
    int error = 0;

    tale_begin(&tale, seed);
    error = label_put(&tale);
    ASSERT(error == 0);
    tale.sim->flush_fails = true;
    error = label_put(&tale);
    ASSERT(error == -EIO);
    process_end(&tale);
    tale.sim->flush_fails = false;
    process_begin(&tale);
    label_begin(&tale, &write);
    for (uint64_t steps = rng_below(&tale.rng, 12); steps > 0 && !tale.done; steps--) {
        (void)sim_world_step(tale.world); /* nothing left is fine too */
    }
    plan = sim_cut_plan_make(&tale.rng, (enum sim_cut)rng_below(&tale.rng, SIM_CUT_MAX));
    plan.torn_percent = 60;
    sim_world_power_off_plan(tale.world, &plan);
    process_end(&tale);
    sim_world_power_on(tale.world);
    process_begin(&tale);
    held = label_get(&tale) == 0;
    tale_end(&tale);
    return held;
}
