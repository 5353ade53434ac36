/*
 * The controller's life and its work loop (ctl_private.h tells how it moves).
 *
 *   NEW --ctl_start--> STARTING --> ONLINE --ctl_stop--> STOPPING --> STOPPED --> freed
 *
 * A stop waits for the change under way, ends the tasks at a checkpoint, closes the exports,
 * stops the groups, and gives late transfers a little time to come back.
 */
#include "ctl/ctl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_damage.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_spare.h"
#include "ctl/ctl_stripe.h"

#define STOP_PATIENCE_US UINT64_C(10000000)

/* Work */

void ctl_stale(struct ctl *ctl)
{
    ctl->stale = true;
    ctl->turn_stale = true;
}

void ctl_kick(struct ctl *ctl)
{
    ctl_stale(ctl);
    ctl_wake(ctl);
}

void ctl_wake(struct ctl *ctl)
{
    if (ctl->life == CTL_LIFE_STOPPED && list_is_empty(&ctl->commands)) {
        return; /* late news change nothing any more; commands are still answered */
    }
    if (!ctl->work.armed) {
        clock_arm(ctl->ports.clock, &ctl->work, clock_now_us(ctl->ports.clock));
    }
}

void ctl_kick_at(struct ctl *ctl, uint64_t deadline_us)
{
    if (!ctl->later.armed || ctl->later.deadline_us > deadline_us) {
        clock_arm(ctl->ports.clock, &ctl->later, deadline_us);
    }
}

bool ctl_change_begin(struct ctl *ctl, const char *who)
{
    ASSERT(who != NULL);
    if (ctl->change != NULL) {
        return false;
    }
    ctl->change = who;
    return true;
}

void ctl_change_release(struct ctl *ctl)
{
    ASSERT(ctl->change != NULL);
    ctl->change = NULL;
    ctl_wake(ctl);
}

void ctl_change_end(struct ctl *ctl)
{
    ctl_stale(ctl);
    ctl_change_release(ctl);
}

static bool groups_stop(struct ctl *ctl);

static void stop_work(struct ctl *ctl)
{
    void (*done)(void *context) = ctl->stop_done;

    if (!ctl_erases_stopped(ctl) || !ctl_patrol_stopped(ctl) || ctl->change != NULL ||
        !groups_stop(ctl) || !battery_is_quiet(ctl) || !ctl_cache_is_quiet(ctl) ||
        !ctl_drive_caches_are_quiet(ctl) || !ctl_undo_is_quiet(ctl) ||
        !ctl_numbers_are_quiet(ctl) || !ctl_losses_are_quiet(ctl) || !ctl_warnings_are_quiet(ctl) ||
        !ctl_checks_are_quiet(ctl) || !ctl_aways_are_quiet(ctl) || !ctl_sizes_are_quiet(ctl) ||
        !ctl_start_claims_are_quiet(ctl)) {
        return;
    }
    if (ctl->stop_deadline_us == 0) {
        ctl->stop_deadline_us = clock_now_us(ctl->ports.clock) + STOP_PATIENCE_US;
        ctl_kick_at(ctl, ctl->stop_deadline_us);
    }
    if (!ctl_drives_are_idle(ctl) && clock_now_us(ctl->ports.clock) < ctl->stop_deadline_us) {
        ctl_kick_at(ctl, clock_now_us(ctl->ports.clock) + 10000);
        return;
    }
    ctl->life = CTL_LIFE_STOPPED;
    clock_cancel(ctl->ports.clock, &ctl->work);
    clock_cancel(ctl->ports.clock, &ctl->later);
    done(ctl->stop_context);
}

static void work_fired(struct clock_timer *timer)
{
    struct ctl *ctl = timer->owner;
    bool stale = ctl->turn_stale;

    ASSERT(!ctl->working);
    ctl->turn_stale = false; /* who kicks from now on has the next turn */
    if (ctl->life == CTL_LIFE_STOPPED) {
        ctl_commands_work(ctl); /* refuses them */
        return;
    }
    ctl->working = true;
    ctl_drives_work(ctl);
    if (ctl->start != NULL) {
        ctl_start_work(ctl);
    }
    ctl_record_work(ctl);
    ctl_numbers_work(ctl);
    ctl_losses_work(ctl);
    ctl_warnings_work(ctl);
    ctl_checks_work(ctl);
    ctl_aways_work(ctl);
    ctl_sizes_work(ctl);
    ctl_groups_work(ctl); /* before whatever else may begin a change: it says what it waits for */
    ctl_spares_seen_work(ctl);
    ctl_foreign_work(ctl);
    ctl_stripes_work(ctl);
    ctl_measures_work(ctl);
    if (ctl->life == CTL_LIFE_ONLINE) {
        ctl_attempts_work(ctl);
        ctl_laters_work(ctl);
        ctl_glitches_work(ctl);
        ctl_spares_work(ctl);
        ctl_copybacks_work(ctl);
    }
    ctl_tasks_work(ctl);
    ctl_erases_work(ctl);
    ctl_patrol_work(ctl);
    ctl_drive_caches_work(ctl);
    ctl_cache_work(ctl);
    ctl_commands_work(ctl);
    ctl_policies_work(ctl);
    ctl->stale = stale || ctl->turn_stale; /* by steps behind an earlier refresh, too */
    ctl_refresh(ctl);
    host_naming_kick(ctl);
    ctl->working = false;
    if (ctl->life == CTL_LIFE_STOPPING && ctl->start == NULL) {
        stop_work(ctl);
    }
}

static void later_fired(struct clock_timer *timer)
{
    ctl_kick(timer->owner);
}

/* Create and free */

static int groups_load(struct ctl *ctl)
{
    struct store_port *store = ctl->ports.store;
    uint8_t *buffer = malloc(GROUP_RECORD_MAX_BYTES);
    int error = buffer == NULL ? -ENOMEM : 0;

    for (uint32_t i = 0; i < ctl->record->group_count && error == 0; i++) {
        struct group_config *config = calloc(1, sizeof(*config));
        char name[STORE_NAME_MAX + 1];
        size_t bytes = 0;

        group_record_name(&ctl->record->groups[i], name);
        error = config == NULL ? -ENOMEM : 0;
        if (error == 0) {
            error = store->ops->get(store, name, buffer, GROUP_RECORD_MAX_BYTES, &bytes);
        }
        if (error == 0) {
            error = group_record_decode(buffer, bytes, config);
        }
        if (error == 0 &&
            (!guid_equal(&config->guid, &ctl->record->groups[i]) || config->vd_count == 0)) {
            error = -EBADMSG;
        }
        if (error != 0) {
            free(config);
            if (!ctl_damage_is_borne(error)) {
                ctl_damage_refuse(ctl, name, error);
                break;
            }
            ctl_damage_group(ctl, &ctl->record->groups[i], error == -ENOENT);
            error = 0;
            continue;
        }
        (void)ctl_group_new(ctl, config); /* it is on the list now */
    }
    free(buffer);
    return error;
}

static void objects_add(struct ctl *ctl)
{
    char key[OBJECT_KEY_MAX + 1];

    if (ctl_shows_host(ctl)) {
        object_add(ctl, &ctl->host_object, OBJECT_KIND_HOST, "host", ctl);
    }
    (void)snprintf(key, sizeof(key), "c%u", ctl->options.index); /* always fits */
    object_add(ctl, &ctl->controller, OBJECT_KIND_CONTROLLER, key, ctl);
    ASSERT(ctl->options.enclosure_count <= 8);
    for (uint32_t i = 0; i < ctl->options.enclosure_count; i++) {
        struct ctl_enclosure *enclosure = &ctl->enclosures[i];

        enclosure->ctl = ctl;
        enclosure->config = &ctl->options.enclosures[i];
        (void)snprintf(key, sizeof(key), "c%u-e%u", ctl->options.index,
                       enclosure->config->eid); /* always fits */
        object_add(ctl, &enclosure->object, OBJECT_KIND_ENCLOSURE, key, enclosure);
    }
}

static int ctl_allocate(struct ctl *ctl)
{
    int error = 0;

    ctl->view = calloc(1, sizeof(*ctl->view));
    ctl->findings = calloc(1, sizeof(*ctl->findings));
    ctl->findings_next = calloc(1, sizeof(*ctl->findings_next));
    ctl->record = calloc(1, sizeof(*ctl->record));
    ctl->record_old = calloc(1, sizeof(*ctl->record_old));
    ctl->damage = calloc(1, sizeof(*ctl->damage));
    ctl->record_bytes = malloc(CONTROLLER_RECORD_MAX_BYTES);
    if (ctl->view == NULL || ctl->record == NULL || ctl->record_old == NULL ||
        ctl->damage == NULL || ctl->record_bytes == NULL || ctl->findings == NULL ||
        ctl->findings_next == NULL) {
        return -ENOMEM;
    }
    error = group_store_create(ctl->ports.store, &ctl->group_store);
    if (error == 0) {
        group_store_ddf_use(ctl->group_store, ctl->ports.clock);
    }
    return error;
}

static void ctl_init(struct ctl *ctl)
{
    rng_seed(&ctl->rng, ctl->options.rng_seed);
    list_init(&ctl->host_link);
    list_init(&ctl->objects);
    list_init(&ctl->drives);
    list_init(&ctl->groups);
    list_init(&ctl->operations);
    list_init(&ctl->commands);
    ctl->work.fire = work_fired;
    ctl->work.owner = ctl;
    ctl->later.fire = later_fired;
    ctl->later.owner = ctl;
    ctl->started_wall_us = clock_wall_us(ctl->ports.clock);
    ctl->host = ctl->options.host;
    if (ctl->host == NULL) {
        ctl->host = &ctl->alone;
        ctl_host_init(ctl->host, ctl->options.next_event_seq);
    }
}

/* The serial number of a controller that is a program: its UUID without the dashes. */
void ctl_serial_make(struct ctl *ctl)
{
    char text[UUID_TEXT_BYTES];
    size_t used = 0;

    uuid_format(&ctl->record->controller, text);
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (text[i] != '-') {
            ctl->serial[used++] = text[i];
        }
    }
    ASSERT(used == sizeof(ctl->serial) - 1);
    ctl->serial[used] = '\0';
}

int ctl_create(const struct ctl_options *options, const struct ctl_ports *ports,
               const struct ctl_observer *observer, struct ctl **ret_ctl)
{
    struct ctl *ctl = calloc(1, sizeof(*ctl));
    int error = 0;

    ASSERT(options != NULL && ports != NULL && ret_ctl != NULL);
    ASSERT(ports->clock != NULL && ports->store != NULL && ports->events != NULL);
    if (ctl == NULL) {
        return -ENOMEM;
    }
    ctl->options = *options;
    ctl->ports = *ports;
    if (observer != NULL) {
        ctl->observer = *observer;
    }
    ctl_init(ctl);
    error = ctl_allocate(ctl);
    if (error == 0) {
        error = ctl_record_load(ctl);
    }
    if (error == 0) {
        error = ctl_numbers_load(ctl);
    }
    if (error == 0) {
        error = ctl_losses_load(ctl);
    }
    if (error == 0) {
        error = ctl_warnings_load(ctl);
    }
    if (error == 0) {
        error = ctl_aways_load(ctl);
    }
    if (error == 0) {
        error = ctl_checks_load(ctl);
    }
    if (error == 0) {
        error = ctl_sizes_load(ctl);
    }
    if (error == 0) {
        ctl_serial_make(ctl);
        ctl_spares_seen_load(ctl);
        ctl->epoch = ctl->record->epoch;
        ctl_host_add(ctl->host, ctl);
        ctl->tombstone_floor = ctl->host->rev;
        objects_add(ctl);
        error = battery_create(ctl);
    }
    if (error == 0) {
        error = ctl_undo_load(ctl);
    }
    if (error == 0) {
        error = groups_load(ctl);
    }
    if (error != 0) {
        (void)ctl_free(ctl);
        return error;
    }
    *ret_ctl = ctl;
    return 0;
}

struct ctl *ctl_free(struct ctl *ctl)
{
    if (ctl == NULL) {
        return NULL;
    }
    ASSERT(ctl->life == CTL_LIFE_NEW || ctl->life == CTL_LIFE_STOPPED);
    ctl_operations_free(ctl);
    LIST_FOR_EACH_SAFE (node, following, &ctl->groups) {
        ctl_group_free(list_entry(node, struct ctl_group, link));
    }
    ctl_drives_free(ctl);
    ctl_host_remove(ctl);
    battery_free(ctl);
    ctl_cache_free(ctl);
    ctl_undo_free(ctl);
    ctl_numbers_free(ctl);
    ctl_sizes_free(ctl);
    (void)group_store_free(ctl->group_store);
    clock_cancel(ctl->ports.clock, &ctl->work); /* taking things apart kicks */
    clock_cancel(ctl->ports.clock, &ctl->later);
    ctl_findings_free(ctl);
    free(ctl->view);
    free(ctl->record);
    free(ctl->record_old);
    free(ctl->damage);
    free(ctl->checks);
    free(ctl->record_bytes);
    free(ctl);
    return NULL;
}

/* Stop */

static void group_stopped(struct ctl_group *cg, int error, void *context)
{
    (void)error;   /* what could not be saved is found at the next start */
    (void)context; /* the group knows its controller */
    ctl_kick(cg->ctl);
}

/* Its start waits for its drives to take writes: the next one does what it had to do. */
static void start_give_up(struct ctl_group *cg)
{
    struct ctl *ctl = cg->ctl;

    if (!group_start_is_idle(cg->group)) {
        ctl_kick_at(ctl, clock_now_us(ctl->ports.clock) + 10000);
        return;
    }
    cg->group = group_free(cg->group);
    cg_intents_close(cg);
    cg->phase = CTL_GROUP_STOPPED;
}

/* True when every group has stopped. */
static bool groups_stop(struct ctl *ctl)
{
    bool all = true;

    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);
        bool ready = operations_stopped(cg, NULL, REASON_SHUTTING_DOWN);

        LIST_FOR_EACH (vd_node, &cg->vds) {
            ready = !ctl_vd_unexport(list_entry(vd_node, struct ctl_vd, link)) && ready;
        }
        if (cg->phase == CTL_GROUP_RUNNING && ready) {
            ctl_group_stop(cg, group_stopped, NULL);
        } else if (cg_start_is_refused(cg)) {
            start_give_up(cg);
        }
        all = all && cg->phase != CTL_GROUP_RUNNING && cg->phase != CTL_GROUP_STARTING &&
              cg->phase != CTL_GROUP_STOPPING;
    }
    return all;
}

void ctl_stop(struct ctl *ctl, void (*done)(void *context), void *context)
{
    ASSERT(ctl->life != CTL_LIFE_STOPPING && ctl->life != CTL_LIFE_STOPPED);
    ASSERT(done != NULL);
    if (ctl->life == CTL_LIFE_ONLINE) {
        ctl_event(ctl, EVENT_CONTROLLER_SHUTDOWN, controller_key(ctl), NULL);
    }
    ctl->life = CTL_LIFE_STOPPING;
    battery_end(ctl);
    ctl->stop_done = done;
    ctl->stop_context = context;
    ctl_kick(ctl);
}

bool ctl_is_online(const struct ctl *ctl)
{
    return ctl->life == CTL_LIFE_ONLINE;
}

void ctl_export_closed(struct ctl *ctl, struct vd_target *target)
{
    LIST_FOR_EACH (node, &ctl->objects) {
        struct ctl_object *object = list_entry(node, struct ctl_object, link);
        struct ctl_vd *cv = object->subject;

        if (object->kind == OBJECT_KIND_VIRTUAL_DRIVE && cv->target == target) {
            ASSERT(cv->export_closing);
            cv->export_closing = false;
            cv->target = NULL;
            ctl_kick(ctl);
            return;
        }
    }
    stripe_export_closed(ctl->host, target);
}
