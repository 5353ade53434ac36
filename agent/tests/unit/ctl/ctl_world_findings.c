/*
 * Findings of the controller under test.
 */
#include <string.h>

#include "ctl_world.h"

struct look {
    enum finding_code code;
    const char *key;
    struct finding *ret_finding;
    bool found;
};

static void look_at(void *context, const struct object_head *head, const void *view)
{
    struct look *look = context;
    const struct controller_view *controller = view;

    if (head->kind != OBJECT_KIND_CONTROLLER) {
        return;
    }
    for (uint32_t i = 0; i < controller->findings->count && !look->found; i++) {
        const struct finding *finding = &controller->findings->items[i];

        if (finding->code == look->code &&
            (look->key == NULL || strcmp(finding->key, look->key) == 0)) {
            *look->ret_finding = *finding;
            look->found = true;
        }
    }
}

const struct finding *world_finding(struct ctl_world *world, enum finding_code code,
                                    const char *key)
{
    static struct finding finding;
    struct look look = {.code = code, .key = key, .ret_finding = &finding};
    const struct ctl_visitor visitor = {.object = look_at, .context = &look};

    ctl_objects_since(world->ctl, 0, &visitor);
    return look.found ? &finding : NULL;
}
