/*
 * manage_bench: what managing a large controller costs the thread that also serves the data, as CPU
 * time: a command that changes one drive, the views of all objects, and comparing them after a
 * change. 200 drives of the simulator, twelve RAID 6 of sixteen, five virtual drives on each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "bench_print.h"
#include "ctl/ctl_private.h"
#include "ctl_world.h"

#define DRIVES 200u
#define GROUPS 12u
#define MEMBERS 16u
#define VDS 5u
#define LOCATES 200u
#define SNAPSHOTS 200u

static double cpu_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void groups_make(struct ctl_world *world)
{
    static struct drive_group_view group_view;
    object_key_t group = "";

    for (uint32_t i = 0; i < GROUPS * VDS; i++) {
        char name[16];
        uint32_t members = i % VDS == 0 ? MEMBERS : 0; /* later ones go into the same group */
        struct ctl_command *command = NULL;

        (void)snprintf(name, sizeof(name), "vd%u", i);
        command = world_create_command(world, RAID_LEVEL_6, i / VDS * MEMBERS, members, name);
        command->args.vd_create.size_bytes = 14 * MIB;
        if (members == 0) {
            memcpy(command->args.vd_create.drive_group, group, sizeof(group));
        }
        if (world_run(world, command) != REASON_OK) {
            (void)fprintf(stderr, "%s: %s\n", name, world->text);
            exit(1);
        }
        (void)world_group(world, i / VDS, &group_view, group);
    }
    world_settle(world, 60 * SIM_SECOND);
}

static void locate(struct ctl_world *world, uint32_t slot, bool on)
{
    struct ctl_command command = {.op = CTL_OP_DRIVE_LOCATE};

    (void)snprintf(command.args.drive_locate.drive, sizeof(command.args.drive_locate.drive), "%s",
                   slot_key(world, slot));
    command.args.drive_locate.on = on;
    if (world_run(world, &command) != REASON_OK) {
        (void)fprintf(stderr, "locate: %s\n", world->text);
        exit(1);
    }
}

static void visit(void *context, const struct object_head *head, const void *view)
{
    uint32_t *count = context;

    (void)head;
    (void)view;
    *count += 1;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    uint32_t locates = quick ? 4 : LOCATES;
    uint32_t snapshots = quick ? 1 : SNAPSHOTS;
    struct ctl_world *world = world_new(1, DRIVES);
    uint32_t objects = 0;
    struct ctl_visitor visitor = {.object = visit, .context = &objects};
    double began = 0;

    world_start(world);
    groups_make(world);
    bench_print_begin();
    began = cpu_s();
    for (uint32_t i = 0; i < locates; i++) {
        locate(world, i % DRIVES, i / DRIVES % 2 == 0);
    }
    bench_print("locate", (cpu_s() - began) * 1e6 / locates, "us");
    began = cpu_s();
    for (uint32_t i = 0; i < snapshots; i++) {
        ctl_objects_since(world->ctl, 0, &visitor);
    }
    bench_print("snapshot", (cpu_s() - began) * 1e6 / snapshots, "us");
    began = cpu_s();
    for (uint32_t i = 0; i < snapshots; i++) {
        ctl_stale(world->ctl);
        ctl_refresh(world->ctl);
    }
    bench_print("refresh", (cpu_s() - began) * 1e6 / snapshots, "us");
    bench_print_end();
    ASSERT(objects > snapshots * (DRIVES + GROUPS * (1 + VDS)));
    world_stop(world);
    world_free(world);
    return 0;
}
