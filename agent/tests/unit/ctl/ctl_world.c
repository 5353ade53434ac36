/* The test controller's world (ctl_world.h). */
#include "ctl_world.h"

#include <errno.h>
#include <string.h>

#include "base/checked.h"
#include "ctl/ctl_private.h"

#define MINUTE (60 * SIM_SECOND)

/* Ports */

/* AW_EVENTS_SEEN: a folder for a file that is told the code of every event (event_proofs.py). */
static void event_note(const struct event *event)
{
    static FILE *seen;
    const char *folder = getenv("AW_EVENTS_SEEN");

    if (folder != NULL && seen == NULL) {
        char path[4096];
        int length =
            snprintf(path, sizeof(path), "%s/%s.events", folder, program_invocation_short_name);

        assert_in_range(length, 1, sizeof(path) - 1);
        seen = fopen(path, "we");
        assert_non_null(seen);
    }
    if (seen != NULL) {
        (void)fprintf(seen, "%u\n", event->code);
    }
}

static void event_publish(struct event_port *port, const struct event *event)
{
    struct ctl_world *world = container_of(port, struct ctl_world, events);

    event_note(event);

    assert_int_equal(event->seq, world->next_seq); /* gap-free */
    world->next_seq++;
    assert_true(event->text[0] != '\0');
    assert_null(strchr(event->text, '{'));
    assert_null(strstr(event->text, "rive ? ")); /* a figure may be unknown */
    if (world->log_count < EVENTS_MAX) {
        world->log[world->log_count++] = *event;
    }
}

static const struct event_port_ops event_ops = {.publish = event_publish};

struct claim_answer {
    struct sim_event event;
    struct device_claim *claim;
};

static void claim_fired(struct sim_event *event)
{
    struct claim_answer *answer = container_of(event, struct claim_answer, event);
    struct device_claim *claim = answer->claim;
    struct slot *slot = claim->device;

    free(answer);
    if (slot->claim_error != 0) {
        claim->reason = slot->claim_reason;
        (void)snprintf(claim->device_name, sizeof(claim->device_name), "/dev/sim%s", slot->serial);
        (void)snprintf(claim->detail, sizeof(claim->detail), "/mnt");
        claim->complete(claim, slot->claim_error, NULL);
        return;
    }
    assert_false(slot->claimed);
    slot->claimed = true;
    (void)snprintf(claim->signature, sizeof(claim->signature), "%s", slot->signature);
    claim->complete(claim, 0,
                    slot->emulated != NULL ? emulated_drive_port(slot->emulated)
                                           : sim_drive_port(slot->drive));
}

static void devices_claim(struct device_port *port, struct device_claim *claim)
{
    struct ctl_world *world = container_of(port, struct ctl_world, devices);
    struct claim_answer *answer = calloc(1, sizeof(*answer));

    answer->event.fire = claim_fired;
    answer->claim = claim;
    sim_event_post(world->sim, &answer->event, 50);
}

static void devices_release(struct device_port *port, void *device)
{
    struct slot *slot = device;

    (void)port;
    slot->claimed = false;
    slot->released = true;
}

static int devices_replace(struct device_port *port, void *device)
{
    struct ctl_world *world = container_of(port, struct ctl_world, devices);
    struct slot *slot = device;
    uint32_t index = (uint32_t)(slot - world->slots);

    emulated_drive_disconnect(slot->emulated);
    slot_depart(world, index);
    world->retired[world->retired_count] = slot->drive;
    world->retired_emulated[world->retired_count++] = slot->emulated;
    slot->emulated = NULL;
    slot->drive = sim_drive_create(world->sim, &slot->options);
    slot->replaced++;
    (void)snprintf(slot->serial, sizeof(slot->serial), "S%02u-%u", index, slot->replaced);
    slot_arrive(world, index);
    return 0;
}

struct cache_answer {
    struct sim_event event;
    struct device_cache_switch *request;
};

static void cache_fired(struct sim_event *event)
{
    struct cache_answer *answer = container_of(event, struct cache_answer, event);
    struct device_cache_switch *request = answer->request;
    struct slot *slot = request->device;

    free(answer);
    slot->cache_switches++;
    slot->cache_on = slot->cache_error == 0 ? request->on : slot->cache_on;
    request->complete(request, slot->cache_error);
}

static void devices_write_cache_set(struct device_port *port, struct device_cache_switch *request)
{
    struct ctl_world *world = container_of(port, struct ctl_world, devices);
    struct cache_answer *answer = calloc(1, sizeof(*answer));

    answer->event.fire = cache_fired;
    answer->request = request;
    sim_event_post(world->sim, &answer->event, 50);
}

static const struct device_port_ops device_ops = {.claim = devices_claim,
                                                  .release = devices_release,
                                                  .replace = devices_replace,
                                                  .write_cache_set = devices_write_cache_set,
                                                  .spin = devices_spin};

/* Observer */

static void on_changed(void *context, bool urgent)
{
    struct ctl_world *world = context;

    world->changes++;
    world->urgent_changes += urgent ? 1 : 0;
}

static void on_export_open(void *context, struct vd_target *target, const char *key)
{
    struct ctl_world *world = context;

    assert_true(world->exported_count < 64);
    world->exported[world->exported_count] = target;
    (void)snprintf(world->exported_key[world->exported_count++], 65, "%s", key);
}

static void on_export_close(void *context, struct vd_target *target, const char *key)
{
    struct ctl_world *world = context;
    uint32_t i = 0;

    (void)key;
    while (i < world->exported_count && world->exported[i] != target) {
        i++;
    }
    assert_true(i < world->exported_count);
    world->exported_count--;
    world->exports_closed++;
    world->exported[i] = world->exported[world->exported_count];
    memcpy(world->exported_key[i], world->exported_key[world->exported_count], 65);
    if (world->hold_exports) {
        world->held = target;
    } else {
        ctl_export_closed(world->ctl, target);
    }
}

static uint32_t on_connections(void *context, const char *key)
{
    struct ctl_world *world = context;

    (void)key;
    return world->connections;
}

/* Life */

static struct ctl_world *world_make(uint64_t seed, uint32_t slot_count, uint64_t size_bytes,
                                    struct ctl_world *leader)
{
    struct ctl_world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    world->leader = leader;
    world->sim = leader != NULL ? leader->sim : sim_world_create(seed);
    world->store = sim_store_create(world->sim);
    world->events.ops = &event_ops;
    world->devices.ops = &device_ops;
    world->next_seq = 1;
    world->seed = seed;
    controller_profile_native(&world->profile);
    world->slot_count = slot_count;
    for (uint32_t i = 0; i < slot_count; i++) {
        struct slot *slot = &world->slots[i];

        slot->world = world;
        slot->options = (struct sim_drive_options){.size_bytes = size_bytes};
        slot->drive = sim_drive_create(world->sim, &slot->options);
        (void)snprintf(slot->serial, sizeof(slot->serial), "S%02u", i);
        slot->interface = DRIVE_INTERFACE_FILE;
        (void)snprintf(slot->model, sizeof(slot->model), "SIMDISK");
    }
    return world;
}

void world_memory_make(struct memory_port *memory, enum memory_kind kind, uint64_t size_bytes)
{
    static const struct memory_port_ops plain_ops = {.copy = NULL};

    *memory = (struct memory_port){.ops = &plain_ops, .kind = kind, .size_bytes = size_bytes};
    memory->base = aligned_alloc(4096, size_bytes);
    assert_non_null(memory->base);
    memset(memory->base, 0, size_bytes);
}

struct ctl_world *world_new(uint64_t seed, uint32_t slot_count)
{
    return world_make(seed, slot_count, 72 * MIB, NULL);
}

struct ctl_world *world_new_sized(uint64_t seed, uint32_t slot_count, uint64_t size_bytes)
{
    return world_make(seed, slot_count, size_bytes, NULL);
}

struct ctl_world *world_beside(struct ctl_world *leader, uint32_t index, uint32_t slot_count)
{
    struct ctl_world *world = world_make(leader->seed + index, slot_count, 72 * MIB, leader);

    assert_non_null(leader->host);
    world->host = leader->host;
    world->index = index;
    for (uint32_t i = 0; i < slot_count; i++) {
        (void)snprintf(world->slots[i].model, sizeof(world->slots[i].model), "SIMDISK%u", index);
    }
    return world;
}

static void emulated_free_all(struct ctl_world *world)
{
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->slots[i].emulated = emulated_drive_free(world->slots[i].emulated);
        world->slots[i].claimed = false;
    }
    for (uint32_t i = 0; i < world->retired_count; i++) {
        world->retired_emulated[i] = emulated_drive_free(world->retired_emulated[i]);
    }
}

void world_free(struct ctl_world *world)
{
    if (world->ctl != NULL) {
        world_stop(world);
    }
    emulated_free_all(world);
    if (world->leader == NULL) {
        sim_world_destroy(world->sim);
    }
    free(world);
}

const char *slot_key(const struct ctl_world *world, uint32_t slot)
{
    static char keys[4][65];
    static uint32_t next;
    char *key = keys[next++ % 4];

    (void)snprintf(key, 65, "sn-%s_%s", world->slots[slot].model, world->slots[slot].serial);
    return key;
}

void slot_arrive(struct ctl_world *world, uint32_t index)
{
    struct slot *slot = &world->slots[index];
    const struct emulated_timing timing = {0};
    struct drive_identity identity = {.eid = slot->eid != 0 ? slot->eid : SLOT_EID,
                                      .slot = index,
                                      .did = index + 8,
                                      .media = slot->media,
                                      .interface = slot->interface,
                                      .emulated = !slot->real};
    struct ctl_drive_arrival arrival = {.identity = &identity, .device = slot};

    if (slot->found_in != NULL) {
        identity.eid = identity.slot = UINT32_MAX;
        arrival.bay = (struct ctl_bay){.model = "SES box", .slot = slot->bay, .slot_count = 12};
        (void)snprintf(arrival.bay.enclosure_id, sizeof(arrival.bay.enclosure_id), "%s",
                       slot->found_in);
    }
    (void)snprintf(identity.key, sizeof(identity.key), "%s", slot_key(world, index));
    (void)snprintf(identity.serial, sizeof(identity.serial), "%s", slot->serial);
    (void)snprintf(identity.model, sizeof(identity.model), "%s", slot->model);
    if (slot->emulated == NULL) {
        assert_int_equal(emulated_drive_create(sim_drive_port(slot->drive),
                                               sim_world_clock(world->sim), &timing,
                                               &slot->emulated),
                         0);
    }
    arrival.emulated = slot->dark ? NULL : slot->emulated;
    arrival.write_cache = slot->cache_on ? DRIVE_WRITE_CACHE_ON : DRIVE_WRITE_CACHE_OFF;
    arrival.write_cache_settable = !slot->cache_fixed;
    arrival.size_bytes = slot->options.size_bytes;
    arrival.block_bytes = sim_drive_port(slot->drive)->logical_block_bytes;
    arrival.physical_block_bytes = 4096;
    arrival.port = slot->offered || slot->awaited ? NULL : emulated_drive_port(slot->emulated);
    arrival.awaited = slot->awaited;
    if ((slot->offered || slot->awaited) && slot->probed) {
        arrival.foreign = slot_probe(slot);
        (void)snprintf(slot->signature, sizeof(slot->signature), "%s",
                       arrival.foreign != NULL ? "ddf_raid_member" : "");
    }
    (void)snprintf(arrival.signature, sizeof(arrival.signature), "%s", slot->signature);
    arrival.has_reason = slot->signature[0] != '\0';
    if (arrival.has_reason) {
        reason_set(&arrival.reason, REASON_DRIVE_UNSUITABLE_SIGNATURE, "device", slot->serial,
                   "signature", slot->signature, NULL);
    }
    if (slot->unsuitable != REASON_OK) {
        arrival.has_reason = true;
        reason_set(&arrival.reason, slot->unsuitable, "device", slot->serial, "where", "/mnt",
                   "size_bytes", "4096", "needed_bytes", "8192", NULL);
    }
    ctl_drive_arrived(world->ctl, &arrival);
}

void slot_depart(struct ctl_world *world, uint32_t index)
{
    ctl_drive_departed(world->ctl, &world->slots[index]);
}

static void on_started(void *context, int error)
{
    int *ret_error = context;

    *ret_error = error;
}

static bool is_started(void *context)
{
    return *(int *)context != 1;
}

static void options_fill(const struct ctl_world *world, struct ctl_options *options)
{
    *options = (struct ctl_options){.index = world->index,
                                    .host = world->host,
                                    .next_event_seq = world->next_seq,
                                    .rng_seed = world->seed + world->next_seq * 7919,
                                    .enclosure_count = 1};
    (void)snprintf(options->model, sizeof(options->model), "Arraywright");
    (void)snprintf(options->firmware_version, sizeof(options->firmware_version), "0.1.0");
    options->profile = world->profile;
    (void)snprintf(options->hostname, sizeof(options->hostname), "testhost");
    (void)snprintf(options->nbd_unix_path, sizeof(options->nbd_unix_path), "/run/aw/nbd.sock");
    options->enclosures[0].eid = SLOT_EID;
    options->enclosures[0].slot_count = world->slot_count;
    options->enclosures[0].emulated = true;
    options->battery = world->battery;
}

static int cache_open(struct ctl_world *world)
{
    if (world->cache_memory == NULL) {
        return 0;
    }
    if (world->cache_log == NULL) {
        return ctl_cache_open(world->ctl, world->cache_memory, NULL, "medium");
    }
    return ctl_cache_open_log(world->ctl, world->cache_log, world->cache_memory, NULL, "medium");
}

int world_begin_start(struct ctl_world *world, int *ret_result)
{
    struct ctl_options options;
    struct ctl_ports ports = {.clock = sim_world_clock(world->sim),
                              .store = sim_store_port(world->store),
                              .events =
                                  world->leader != NULL ? &world->leader->events : &world->events,
                              .devices = &world->devices};
    struct ctl_observer observer = {.changed = on_changed,
                                    .export_open = on_export_open,
                                    .export_close = on_export_close,
                                    .export_connections = on_connections,
                                    .context = world};
    int error = 0;

    assert_null(world->ctl);
    options_fill(world, &options);
    error = ctl_create(&options, &ports, &observer, &world->ctl);
    if (error != 0) {
        return error;
    }
    error = cache_open(world);
    if (error != 0) {
        world->ctl = ctl_free(world->ctl);
        return error;
    }
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (!world->slots[i].absent) {
            slot_arrive(world, i);
        }
    }
    *ret_result = 1;
    ctl_start(world->ctl, on_started, ret_result);
    return 0;
}

int world_try_start(struct ctl_world *world)
{
    int result = 0;
    int error = world_begin_start(world, &result);

    if (error != 0) {
        return error;
    }
    assert_true(sim_world_run_until(world->sim, is_started, &result, 10 * MINUTE));
    return result;
}

void world_start(struct ctl_world *world)
{
    assert_int_equal(world_try_start(world), 0);
    assert_true(ctl_is_online(world->ctl));
}

static void on_stopped(void *context)
{
    *(bool *)context = true;
}

void world_stop(struct ctl_world *world)
{
    bool stopped = false;

    ctl_stop(world->ctl, on_stopped, &stopped);
    assert_true(sim_world_run_until_flag(world->sim, &stopped, 10 * MINUTE));
    world->ctl = ctl_free(world->ctl);
    assert_int_equal(world->exported_count, 0);
    sim_world_advance(world->sim, 1000);
    emulated_free_all(world);
}

void world_restart(struct ctl_world *world)
{
    world_stop(world);
    world_start(world);
}

void worlds_power_down(struct ctl_world *const *worlds, uint32_t count)
{
    bool stopped[CTL_HOST_CONTROLLERS_MAX] = {false};

    for (uint32_t i = 0; i < count; i++) {
        ctl_stop(worlds[i]->ctl, on_stopped, &stopped[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        assert_true(sim_world_run_until_flag(worlds[i]->sim, &stopped[i], 10 * MINUTE));
    }
    for (uint32_t i = count; i > 0; i--) {
        worlds[i - 1]->ctl = ctl_free(worlds[i - 1]->ctl);
    }
    sim_world_advance(worlds[0]->sim, MINUTE);
    for (uint32_t i = 0; i < count; i++) {
        emulated_free_all(worlds[i]);
    }
    sim_world_power_on(worlds[0]->sim);
}

void world_power_down(struct ctl_world *world)
{
    worlds_power_down(&world, 1);
}

void world_power_cycle(struct ctl_world *world)
{
    world_power_down(world);
    world_start(world);
}

void world_settle(struct ctl_world *world, uint64_t us)
{
    sim_world_advance(world->sim, us);
}

/* Commands */

static void on_command(struct ctl_command *command)
{
    *(bool *)command->owner = true;
}

enum reason_code world_run(struct ctl_world *world, struct ctl_command *command)
{
    bool done = false;

    command->complete = on_command;
    command->owner = &done;
    ctl_execute(world->host != NULL ? ctl_host_addressed(world->host, command) : world->ctl,
                command);
    assert_false(done); /* never from inside */
    for (uint32_t i = 0; i < world->pull_after_steps && !done; i++) {
        assert_true(sim_world_step(world->sim));
        if (i + 1 == world->pull_after_steps) {
            emulated_drive_disconnect(world->slots[world->pull_slot].emulated);
        }
    }
    assert_true(sim_world_run_until_flag(world->sim, &done, 10 * MINUTE));
    world->reason = command->reason;
    (void)reason_text(&command->reason, world->text, sizeof(world->text));
    assert_null(strstr(world->text, "{"));
    assert_null(strstr(world->text, "?"));
    return command->reason.code;
}

enum reason_code world_run_narrow(struct ctl_world *world, struct ctl_command *command)
{
    uint64_t rev = 0;

    (void)world_run(world, command);
    rev = ctl_rev(world->ctl);
    if (!world->ctl->stale) { /* else it is about to look at everything */
        ctl_stale(world->ctl);
        ctl_refresh(world->ctl);
        assert_int_equal(ctl_rev(world->ctl), rev);
    }
    return world->reason.code;
}

struct ctl_command *world_create_command(struct ctl_world *world, enum raid_level level,
                                         uint32_t first, uint32_t count, const char *name)
{
    static struct ctl_command command;
    struct command_vd_create *args = &command.args.vd_create;

    memset(&command, 0, sizeof(command));
    command.op = CTL_OP_VD_CREATE;
    (void)snprintf(args->controller, sizeof(args->controller), "c%u", world->index);
    args->level = level;
    args->drive_count = count;
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(args->drives[i], sizeof(args->drives[i]), "%s", slot_key(world, first + i));
    }
    (void)snprintf(args->name, sizeof(args->name), "%s", name);
    return &command;
}

enum reason_code world_create(struct ctl_world *world, enum raid_level level, uint32_t first,
                              uint32_t count, const char *name)
{
    return world_run(world, world_create_command(world, level, first, count, name));
}

void world_access(struct ctl_world *world, const char *name, enum access_policy access)
{
    struct ctl_command set = {.op = CTL_OP_VD_SET};
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, set.args.vd_set.vd));
    set.args.vd_set.fields = VD_SET_ACCESS;
    set.args.vd_set.access = access;
    assert_int_equal(world_run(world, &set), REASON_OK);
    world_settle(world, SIM_SECOND);
}

enum reason_code world_delete(struct ctl_world *world, const char *name)
{
    struct ctl_command command = {.op = CTL_OP_VD_DELETE};
    struct virtual_drive_view view;

    assert_true(world_vd(world, name, &view, command.args.vd_delete.vd));
    (void)snprintf(command.confirm, sizeof(command.confirm), "%s", name);
    return world_run(world, &command);
}

enum reason_code world_fault(struct ctl_world *world, uint32_t slot, enum fault_kind fault)
{
    struct ctl_command command = {.op = CTL_OP_FAULT_INJECT};

    (void)snprintf(command.args.fault_inject.drive, 65, "%s", slot_key(world, slot));
    command.args.fault_inject.fault = fault;
    return world_run(world, &command);
}

enum reason_code world_spare(struct ctl_world *world, uint32_t slot, const char *group)
{
    struct ctl_command command = {.op = CTL_OP_SPARE_ADD};

    (void)snprintf(command.args.spare_add.drive, 65, "%s", slot_key(world, slot));
    if (group != NULL) {
        command.args.spare_add.group_count = 1;
        (void)snprintf(command.args.spare_add.groups[0], 65, "%s", group);
    }
    return world_run(world, &command);
}

enum reason_code world_drive_op(struct ctl_world *world, enum ctl_op op, uint32_t slot)
{
    struct ctl_command command = {.op = op};

    (void)snprintf(command.args.drive.drive, 65, "%s", slot_key(world, slot));
    return world_run(world, &command);
}

enum reason_code world_task(struct ctl_world *world, enum ctl_op op, const char *target,
                            enum task_action action)
{
    struct ctl_command command = {.op = op};

    (void)snprintf(command.args.task.target, 65, "%s", target);
    command.args.task.action = action;
    return world_run(world, &command);
}

/* Documents */

struct find {
    enum object_kind kind;
    bool (*match)(const struct find *find, const struct object_head *head, const void *view);
    const char *text;
    uint32_t number;
    void *ret_view;
    size_t view_bytes;
    struct object_head head;
    uint32_t count;
};

static void find_object(void *context, const struct object_head *head, const void *view)
{
    struct find *find = context;

    assert_true(head->rev >= head->config_rev && head->config_rev > 0);
    world_document_is_whole(head, view);
    if (head->kind != find->kind || (find->match != NULL && !find->match(find, head, view))) {
        return;
    }
    find->count++;
    find->head = *head;
    if (find->ret_view != NULL) {
        memcpy(find->ret_view, view, find->view_bytes);
    }
}

static void find_tombstone(void *context, const struct object_head *head)
{
    (void)context;
    (void)head;
}

static void find_run(struct ctl_world *world, struct find *find)
{
    const struct ctl_visitor visitor = {
        .object = find_object, .tombstone = find_tombstone, .context = find};

    sim_world_advance(world->sim, 0); /* what is due now: the documents are refreshed then */
    ctl_objects_since(world->ctl, 0, &visitor);
}

static bool match_key(const struct find *find, const struct object_head *head, const void *view)
{
    (void)view;
    return strcmp(head->key, find->text) == 0;
}

bool world_drive(struct ctl_world *world, uint32_t slot, struct drive_view *ret_view)
{
    struct find find = {.kind = OBJECT_KIND_DRIVE,
                        .match = match_key,
                        .text = slot_key(world, slot),
                        .ret_view = ret_view,
                        .view_bytes = sizeof(*ret_view)};

    find_run(world, &find);
    return find.count == 1;
}

enum drive_state world_drive_state(struct ctl_world *world, uint32_t slot)
{
    struct drive_view view;

    assert_true(world_drive(world, slot, &view));
    return view.state;
}

static bool match_vd(const struct find *find, const struct object_head *head, const void *view)
{
    const struct virtual_drive_view *vd = view;

    (void)head;
    return strcmp(vd->config->name, find->text) == 0;
}

bool world_vd(struct ctl_world *world, const char *name, struct virtual_drive_view *ret_view,
              object_key_t ret_key)
{
    struct find find = {.kind = OBJECT_KIND_VIRTUAL_DRIVE,
                        .match = match_vd,
                        .text = name,
                        .ret_view = ret_view,
                        .view_bytes = sizeof(*ret_view)};

    find_run(world, &find);
    assert_true(find.count <= 1);
    if (find.count == 1 && ret_key != NULL) {
        memcpy(ret_key, find.head.key, sizeof(object_key_t));
    }
    return find.count == 1;
}

static bool match_group(const struct find *find, const struct object_head *head, const void *view)
{
    (void)head;
    return ((const struct drive_group_view *)view)->index == find->number;
}

bool world_group(struct ctl_world *world, uint32_t index, struct drive_group_view *ret_view,
                 object_key_t ret_key)
{
    struct find find = {.kind = OBJECT_KIND_DRIVE_GROUP,
                        .match = match_group,
                        .number = index,
                        .ret_view = ret_view,
                        .view_bytes = sizeof(*ret_view)};

    find_run(world, &find);
    if (find.count == 1 && ret_key != NULL) {
        memcpy(ret_key, find.head.key, sizeof(object_key_t));
    }
    return find.count == 1;
}

/* Finds the newest one of that kind. */
static bool match_operation(const struct find *find, const struct object_head *head,
                            const void *view)
{
    (void)head;
    return (uint32_t)((const struct operation_view *)view)->kind == find->number;
}

bool world_operation(struct ctl_world *world, enum operation_kind kind,
                     struct operation_view *ret_view, object_key_t ret_key)
{
    struct find find = {.kind = OBJECT_KIND_OPERATION,
                        .match = match_operation,
                        .number = (uint32_t)kind,
                        .ret_view = ret_view,
                        .view_bytes = sizeof(*ret_view)};

    find_run(world, &find);
    if (find.count > 0 && ret_key != NULL) {
        memcpy(ret_key, find.head.key, sizeof(object_key_t));
    }
    return find.count > 0;
}

uint64_t world_config_rev(struct ctl_world *world, enum object_kind kind, const char *key)
{
    struct find find = {.kind = kind, .match = match_key, .text = key};

    find_run(world, &find);
    assert_int_equal(find.count, 1);
    return find.head.config_rev;
}

uint32_t world_count(struct ctl_world *world, enum object_kind kind)
{
    struct find find = {.kind = kind};

    find_run(world, &find);
    return find.count;
}

struct describe {
    enum object_kind kind;
    char *out;
    size_t capacity;
    size_t used;
};

static void describe_object(void *context, const struct object_head *head, const void *view)
{
    struct describe *describe = context;
    char *out = describe->out + describe->used;
    size_t room = describe->capacity - describe->used;
    int length = 0;

    if (head->kind != describe->kind) {
        return;
    }
    if (head->kind == OBJECT_KIND_DRIVE) {
        const struct drive_view *drive = view;

        length = snprintf(out, room, "%s %s %s %d %d %u %d\n", drive->path,
                          drive_state_short(drive->state), drive->group[0] != '\0' ? "member" : "-",
                          drive->present, drive->foreign, drive->row, drive->spare);
    } else if (head->kind == OBJECT_KIND_VIRTUAL_DRIVE) {
        const struct virtual_drive_view *vd = view;

        length = snprintf(out, room, "%s %s %llu %s\n", vd->path, vd->config->name,
                          (unsigned long long)vd->config->size_bytes,
                          virtual_drive_state_short(vd->state));
    } else if (head->kind == OBJECT_KIND_DRIVE_GROUP) {
        const struct drive_group_view *group = view;

        length = snprintf(out, room, "%s %u members %u vds\n", group->path, group->member_count,
                          group->vd_count);
    }
    describe->used += (size_t)length;
    assert_true(describe->used < describe->capacity);
}

void world_describe(struct ctl_world *world, char *out, size_t capacity)
{
    struct describe describe = {.out = out, .capacity = capacity};
    const struct ctl_visitor visitor = {
        .object = describe_object, .tombstone = find_tombstone, .context = &describe};

    out[0] = '\0';
    sim_world_advance(world->sim, 0);
    for (uint32_t kind = 0; kind < OBJECT_KIND_MAX; kind++) {
        describe.kind = (enum object_kind)kind;
        ctl_objects_since(world->ctl, 0, &visitor);
    }
}

/* Waiting */

struct wait {
    struct ctl_world *world;
    const char *name;
    enum virtual_drive_state state;
};

static bool is_in_state(void *context)
{
    const struct wait *wait = context;
    struct virtual_drive_view view;

    return world_vd(wait->world, wait->name, &view, NULL) && view.state == wait->state;
}

static bool is_consistent(void *context)
{
    const struct wait *wait = context;
    struct virtual_drive_view view;

    return world_vd(wait->world, wait->name, &view, NULL) && view.consistent;
}

/* Steps of virtual time; looking at documents is dear. */
static bool world_wait(struct ctl_world *world, bool (*done)(void *context), struct wait *wait,
                       uint64_t limit_us)
{
    uint64_t end_us = world->sim->now_us + limit_us;

    while (!done(wait)) {
        if (world->sim->now_us > end_us) {
            return false;
        }
        sim_world_advance(world->sim, 50000);
    }
    return true;
}

bool world_wait_state(struct ctl_world *world, const char *name, enum virtual_drive_state state,
                      uint64_t limit_us)
{
    struct wait wait = {.world = world, .name = name, .state = state};

    return world_wait(world, is_in_state, &wait, limit_us);
}

bool world_wait_consistent(struct ctl_world *world, const char *name, uint64_t limit_us)
{
    struct wait wait = {.world = world, .name = name};

    return world_wait(world, is_consistent, &wait, limit_us);
}

/* Data */

struct io_wait {
    bool done;
    enum vd_status status;
};

static void on_request(struct vd_request *request, enum vd_status status)
{
    struct io_wait *wait = request->owner;

    wait->done = true;
    wait->status = status;
}

enum vd_status world_io(struct ctl_world *world, const char *name, enum vd_op op, uint64_t offset,
                        uint32_t length, uint8_t *buffer)
{
    struct io_wait wait = {.done = false};
    struct vd_request request = {.op = op,
                                 .offset_bytes = offset,
                                 .length_bytes = length,
                                 .buffer = buffer,
                                 .complete = on_request,
                                 .owner = &wait};
    struct vd_target *target = NULL;

    for (uint32_t i = 0; i < world->exported_count; i++) {
        if (strcmp(world->exported[i]->name, name) == 0) {
            target = world->exported[i];
        }
    }
    assert_non_null(target);
    target->ops->submit(target, &request);
    assert_true(sim_world_run_until_flag(world->sim, &wait.done, 10 * MINUTE));
    return wait.status;
}

void world_write(struct ctl_world *world, const char *name, uint64_t offset, uint32_t length,
                 uint8_t fill)
{
    uint8_t *buffer = malloc(length);

    memset(buffer, fill, length);
    assert_int_equal(world_io(world, name, VD_OP_WRITE, offset, length, buffer), VD_STATUS_OK);
    assert_int_equal(world_io(world, name, VD_OP_FLUSH, 0, 0, NULL), VD_STATUS_OK);
    free(buffer);
}

void world_check(struct ctl_world *world, const char *name, uint64_t offset, uint32_t length,
                 uint8_t fill)
{
    uint8_t *buffer = malloc(length);

    assert_int_equal(world_io(world, name, VD_OP_READ, offset, length, buffer), VD_STATUS_OK);
    for (uint32_t i = 0; i < length; i++) {
        if (buffer[i] != fill) {
            fail_msg("%s: byte %llu is %02x, not %02x", name, (unsigned long long)offset + i,
                     buffer[i], fill);
        }
    }
    free(buffer);
}
