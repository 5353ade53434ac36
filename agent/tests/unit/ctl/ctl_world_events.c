/*
 * What the controller of the test has told (ctl_world.h).
 */
#include "ctl_world.h"

uint32_t world_event(const struct ctl_world *world, uint32_t from, uint32_t code)
{
    for (uint32_t i = from; i < world->log_count; i++) {
        if (world->log[i].code == code) {
            return i;
        }
    }
    return UINT32_MAX;
}

uint32_t world_event_count(const struct ctl_world *world, uint32_t from, uint32_t code)
{
    uint32_t count = 0;

    for (uint32_t i = from; i < world->log_count; i++) {
        count += world->log[i].code == code ? 1 : 0;
    }
    return count;
}

void world_print_events(const struct ctl_world *world, uint32_t from)
{
    for (uint32_t i = from; i < world->log_count; i++) {
        printf("# %llu %u %s\n", (unsigned long long)world->log[i].seq, world->log[i].code,
               world->log[i].text);
    }
}
