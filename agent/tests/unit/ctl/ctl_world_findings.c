/*
 * Findings of the controller under test, and that what documents say is filled in.
 */
#include <stdio.h>
#include <string.h>

#include "ctl_world.h"

/* "?" is what a parameter is shown as that nobody gave (base/template.c); no reason is a question.
 */
static void reason_is_whole(const struct reason *reason)
{
    char text[REASON_TEXT_MAX];

    if (reason->code == REASON_OK) {
        return;
    }
    (void)reason_text(reason, text, sizeof(text));
    if (strchr(text, '?') != NULL) {
        fail_msg("not filled in: %s", text);
    }
}

static void findings_are_whole(const struct finding_list *findings)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        reason_is_whole(&findings->items[i].what);
        reason_is_whole(&findings->items[i].cause);
        reason_is_whole(&findings->items[i].effect);
        reason_is_whole(&findings->items[i].remedy);
    }
}

void world_document_is_whole(const struct object_head *head, const void *view)
{
    const struct drive_view *drive = view;
    const struct drive_group_view *group = view;
    const struct operation_view *operation = view;

    switch ((int)head->kind) {
    case OBJECT_KIND_CONTROLLER:
        findings_are_whole(((const struct controller_view *)view)->findings);
        return;
    case OBJECT_KIND_DRIVE:
        if (drive->has_state_reason) {
            reason_is_whole(&drive->state_reason);
        }
        return;
    case OBJECT_KIND_DRIVE_GROUP:
        if (group->rebuild_waits) {
            reason_is_whole(&group->rebuild_wait);
        }
        return;
    case OBJECT_KIND_OPERATION:
        if (operation->has_reason) {
            reason_is_whole(&operation->reason);
        }
        return;
    default:
        return;
    }
}

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

    world_document_is_whole(head, view);
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
