/*
 * The motors of the drives of a ctl_world.
 */
#include <stdlib.h>

#include "ctl_world.h"

struct spin_answer {
    struct sim_event event;
    struct device_spin *request;
};

static void spin_fired(struct sim_event *event)
{
    struct spin_answer *answer = container_of(event, struct spin_answer, event);
    struct device_spin *request = answer->request;
    struct slot *slot = request->device;

    free(answer);
    slot->spun_down = slot->spin_error == 0 ? request->down : slot->spun_down;
    request->complete(request, slot->spin_error);
}

void devices_spin(struct device_port *port, struct device_spin *request)
{
    struct ctl_world *world = container_of(port, struct ctl_world, devices);
    struct spin_answer *answer = calloc(1, sizeof(*answer));

    answer->event.fire = spin_fired;
    answer->request = request;
    sim_event_post(world->sim, &answer->event, 5 * SIM_SECOND);
}
