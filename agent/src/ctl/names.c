/*
 * Keys and paths: how objects are found, and how people read them.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/attrs.h"
#include "ctl/ctl_private.h"

/* "/c0/e252/s3" of "ces": paths are in each document, and in most reasons that speak against a
 * command, so that printf's generality costs more than the rest. */
static void address_put(char *out, size_t capacity, const char *letters, const uint32_t *numbers)
{
    char text[3 * sizeof("/c4294967295")] UNINITIALIZED;
    char *at = text + sizeof(text);

    *--at = '\0';
    for (size_t i = strlen(letters); i > 0; i--) {
        uint32_t number = numbers[i - 1];

        do {
            *--at = (char)('0' + number % 10);
            number /= 10;
        } while (number != 0);
        *--at = letters[i - 1];
        *--at = '/';
        ASSERT(at >= text);
    }
    ASSERT((size_t)(text + sizeof(text) - at) <= capacity);
    memcpy(out, at, (size_t)(text + sizeof(text) - at));
}

void controller_path(const struct ctl *ctl, char *out, size_t capacity)
{
    address_put(out, capacity, "c", &ctl->options.index);
}

uint32_t drive_address_number(const struct ctl_drive *cd)
{
    return cd->identity.eid == EID_NONE ? cd->identity.did : cd->identity.slot;
}

/* Drives outside all enclosures go by their numbers, as in StorCLI's " :3". */
void drive_path(const struct ctl_drive *cd, char *out, size_t capacity)
{
    uint32_t numbers[] = {cd->ctl->options.index, cd->identity.eid, drive_address_number(cd)};

    if (cd->identity.eid == EID_NONE) {
        numbers[1] = numbers[2];
        address_put(out, capacity, "cs", numbers);
    } else {
        address_put(out, capacity, "ces", numbers);
    }
}

void drive_name(const struct ctl_drive *cd, char out[NAME_TEXT_BYTES])
{
    if (cd->identity.eid == EID_NONE) {
        drive_path(cd, out, NAME_TEXT_BYTES);
    } else {
        (void)snprintf(out, NAME_TEXT_BYTES, "%u:%u", cd->identity.eid, cd->identity.slot);
    }
}

/* Another drive sits in the bay now. */
static bool bay_is_taken(const struct ctl *ctl, uint32_t eid, uint32_t slot,
                         const struct ctl_drive *former)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (cd != former && cd->present && !cd->departed && cd->identity.eid == eid &&
            cd->identity.slot == slot) {
            return true;
        }
    }
    return false;
}

bool member_name(const struct ctl_group *cg, uint32_t member, char out[MEMBER_TEXT_BYTES])
{
    const struct member_config *config = &cg_config(cg)->members[member];
    const struct ctl_drive *cd = cg->members[member];
    bool in_bay = config->place_known && config->eid != EID_NONE;

    ASSERT(member < cg_config(cg)->member_count);
    if (cd != NULL && !cd->departed &&
        (cd->present || cd->identity.eid == EID_NONE ||
         !bay_is_taken(cg->ctl, cd->identity.eid, cd->identity.slot, cd))) {
        drive_name(cd, out);
        return true;
    }
    if ((cd == NULL || cd->departed) && in_bay &&
        !bay_is_taken(cg->ctl, config->eid, config->slot, NULL)) {
        (void)snprintf(out, MEMBER_TEXT_BYTES, "%u:%u", config->eid, config->slot);
        return true;
    }
    (void)snprintf(out, MEMBER_TEXT_BYTES, "serial %s", config->serial);
    return false;
}

void name_list_add(struct name_list *list, const char *name)
{
    static const char more[] = " and 1000 more";
    size_t used = strlen(list->text);

    ASSERT(used < sizeof(list->text));
    list->count++;
    if (list->left_out > 0 || used + strlen(name) + 2 + sizeof(more) > sizeof(list->text)) {
        list->left_out++;
        return;
    }
    (void)snprintf(list->text + used, sizeof(list->text) - used, "%s%s", used > 0 ? ", " : "",
                   name);
}

const char *name_list_text(struct name_list *list)
{
    size_t used = strlen(list->text);

    if (list->left_out > 0) {
        (void)snprintf(list->text + used, sizeof(list->text) - used, " and %u more",
                       list->left_out); /* room was left for it */
        list->left_out = 0;
    }
    return list->text;
}

void group_path(const struct ctl_group *cg, char *out, size_t capacity)
{
    uint32_t numbers[] = {cg->ctl->options.index, cg_config(cg)->index};

    address_put(out, capacity, "cd", numbers);
}

void group_vds_path(const struct ctl_group *cg, char *out, size_t capacity)
{
    const struct group_config *config = cg_config(cg);
    size_t used = (size_t)snprintf(out, capacity, "/c%u/v", cg->ctl->options.index);

    for (uint32_t i = 0; i < config->vd_count && used + 8 < capacity; i++) {
        used += (size_t)snprintf(out + used, capacity - used, "%s%u", i > 0 ? "," : "",
                                 config->vds[i].target_id);
    }
}

void vd_path(const struct ctl_vd *cv, char *out, size_t capacity)
{
    uint32_t numbers[] = {cv->cg->ctl->options.index, cv_config(cv)->target_id};

    address_put(out, capacity, "cv", numbers);
}

void vd_title(const struct ctl_vd *cv, char *out, size_t capacity)
{
    (void)snprintf(out, capacity, "/c%u/v%u (%s)", cv->cg->ctl->options.index,
                   cv_config(cv)->target_id, cv_config(cv)->name);
}

const char *controller_key(const struct ctl *ctl)
{
    return ctl->controller.key;
}

struct ctl_drive *drive_by_key(const struct ctl *ctl, const char *key)
{
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (!cd->departed && strcmp(cd->identity.key, key) == 0) {
            return cd;
        }
    }
    return NULL;
}

struct ctl_drive *drive_by_uuid(const struct ctl *ctl, const struct uuid *uuid)
{
    ASSERT(!uuid_is_zero(uuid));
    LIST_FOR_EACH (node, &ctl->drives) {
        struct ctl_drive *cd = list_entry(node, struct ctl_drive, link);

        if (!cd->departed && !cd->foreign && uuid_equal(&cd->uuid, uuid)) {
            return cd;
        }
    }
    return NULL;
}

struct ctl_group *group_by_guid(const struct ctl *ctl, const struct guid *guid)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (guid_equal(&cg_config(cg)->guid, guid)) {
            return cg;
        }
    }
    return NULL;
}

struct ctl_group *group_by_key(const struct ctl *ctl, const char *key)
{
    struct ctl_object *object = object_find(ctl, OBJECT_KIND_DRIVE_GROUP, key);

    return object != NULL ? object->subject : NULL;
}

struct ctl_vd *vd_by_key(const struct ctl *ctl, const char *key)
{
    struct ctl_object *object = object_find(ctl, OBJECT_KIND_VIRTUAL_DRIVE, key);

    return object != NULL ? object->subject : NULL;
}

struct ctl_vd *vd_by_guid(const struct ctl_group *cg, const struct guid *guid)
{
    LIST_FOR_EACH (node, &cg->vds) {
        struct ctl_vd *cv = list_entry(node, struct ctl_vd, link);

        if (guid_equal(&cv->guid, guid)) {
            return cv;
        }
    }
    return NULL;
}

struct ctl_vd *ctl_vd_next(const struct ctl *ctl, const struct ctl_vd *after)
{
    const struct list *node = after != NULL ? after->object.link.next : ctl->objects.next;

    for (; node != &ctl->objects; node = node->next) {
        const struct ctl_object *object = list_entry(node, const struct ctl_object, link);

        if (object->kind == OBJECT_KIND_VIRTUAL_DRIVE) {
            return object->subject;
        }
    }
    return NULL;
}

struct ctl_vd *host_vd_next(const struct ctl_host *host, const struct ctl_vd *after)
{
    const struct list *node = after != NULL ? &after->cg->ctl->host_link : host->ctls.next;

    for (; node != &host->ctls; node = node->next) {
        struct ctl_vd *cv = ctl_vd_next(list_entry(node, const struct ctl, host_link), after);

        if (cv != NULL) {
            return cv;
        }
        after = NULL; /* of the next controller the first */
    }
    return NULL;
}

struct ctl_vd *vd_by_name(const struct ctl *ctl, const char *name)
{
    HOST_FOR_EACH_VD (cv, ctl->host) {
        if (strcmp(cv_config(cv)->name, name) == 0 ||
            strcmp(cv_config(cv)->stripe.name, name) == 0) {
            return cv;
        }
    }
    return NULL;
}

uint32_t ctl_vd_count(const struct ctl *ctl)
{
    uint32_t count = 0;

    CTL_FOR_EACH_VD (cv, ctl) {
        count++;
    }
    return count;
}

bool ctl_target_is_taken(const struct ctl *ctl, uint32_t target_id)
{
    CTL_FOR_EACH_VD (cv, ctl) {
        if (cv_config(cv)->target_id == target_id) {
            return true;
        }
    }
    return false;
}

uint32_t ctl_group_index_free(const struct ctl *ctl)
{
    uint32_t index = 0;
    bool taken = true;

    while (taken) {
        taken = false;
        LIST_FOR_EACH (node, &ctl->groups) {
            taken = taken || cg_config(list_entry(node, struct ctl_group, link))->index == index;
        }
        index += taken ? 1u : 0u;
    }
    return index;
}
