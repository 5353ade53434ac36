/*
 * Enclosures that the host finds by its drives, besides those of the configuration.
 *
 * (1) An enclosure is known by the id it tells, and keeps the number it was first given (in the
 *     list of drive numbers, as "ses-ID"); a number of the configuration goes before.
 * (2) It stays on the list while the controller runs, also without drives: its bays are there.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_private.h"

#define ENCLOSURES_MAX (sizeof(((struct ctl *)NULL)->enclosures) / sizeof(struct ctl_enclosure))
/* Apart from the numbers of drives, which begin at 0. */
#define NUMBER_FIRST 32u

static struct ctl_enclosure *enclosure_find(struct ctl *ctl, uint32_t eid)
{
    for (uint32_t i = 0; i < ctl->options.enclosure_count; i++) {
        if (ctl->options.enclosures[i].eid == eid) {
            return &ctl->enclosures[i];
        }
    }
    return NULL;
}

static void key_of(const struct ctl_bay *bay, char key[65])
{
    size_t used = (size_t)snprintf(key, 65, "ses-");

    for (const char *in = bay->enclosure_id; *in != '\0' && used < 64; in++) {
        bool plain =
            (*in >= '0' && *in <= '9') || (*in >= 'a' && *in <= 'z') || (*in >= 'A' && *in <= 'Z');

        key[used++] = plain ? *in : '_';
    }
    key[used] = '\0';
}

/* (1) */
static uint32_t number_of(struct ctl *ctl, const char *key)
{
    uint32_t number = drive_numbers_find(ctl->numbers.list, key);
    const struct ctl_enclosure *other = number != UINT32_MAX ? enclosure_find(ctl, number) : NULL;

    if (number != UINT32_MAX && (other == NULL || other->found)) {
        return number;
    }
    number = NUMBER_FIRST;
    while (drive_numbers_has(ctl->numbers.list, number) || enclosure_find(ctl, number) != NULL) {
        number++;
    }
    return ctl_number_give(ctl, key, number);
}

static struct ctl_enclosure *enclosure_add(struct ctl *ctl, const struct ctl_bay *bay, uint32_t eid)
{
    uint32_t index = ctl->options.enclosure_count;
    struct ctl_enclosure *enclosure = &ctl->enclosures[index];
    char key[OBJECT_KEY_MAX + 1];

    ASSERT(index < ENCLOSURES_MAX);
    ctl->options.enclosures[index] = (struct ctl_enclosure_config){.eid = eid};
    (void)snprintf(ctl->options.enclosures[index].model,
                   sizeof(ctl->options.enclosures[index].model), "%s",
                   bay->model[0] != '\0' ? bay->model : "Enclosure");
    ctl->options.enclosure_count++;
    enclosure->ctl = ctl;
    enclosure->found = true;
    enclosure->config = &ctl->options.enclosures[index];
    (void)snprintf(key, sizeof(key), "c%u-e%u", ctl->options.index, eid); /* always fits */
    object_add(ctl, &enclosure->object, OBJECT_KIND_ENCLOSURE, key, enclosure);
    return enclosure;
}

void ctl_bay_take(struct ctl *ctl, const struct ctl_bay *bay, struct drive_identity *identity)
{
    struct ctl_enclosure *enclosure = NULL;
    char key[65];
    uint32_t eid = 0;

    if (bay->enclosure_id[0] == '\0' || identity->eid != EID_NONE) {
        return; /* the configuration knows better */
    }
    key_of(bay, key);
    if (drive_numbers_find(ctl->numbers.list, key) == UINT32_MAX &&
        ctl->options.enclosure_count == ENCLOSURES_MAX) {
        return; /* its drives go by their numbers */
    }
    eid = number_of(ctl, key);
    enclosure = enclosure_find(ctl, eid);
    if (enclosure == NULL && ctl->options.enclosure_count == ENCLOSURES_MAX) {
        return;
    }
    if (enclosure == NULL) {
        enclosure = enclosure_add(ctl, bay, eid);
    }
    struct ctl_enclosure_config *config = &ctl->options.enclosures[enclosure - ctl->enclosures];
    config->slot_count = max_u32(config->slot_count, max_u32(bay->slot_count, bay->slot + 1));
    identity->eid = eid;
    identity->slot = bay->slot;
}
