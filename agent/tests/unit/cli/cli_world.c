/*
 * The played arrayd: see cli_world.h.
 */
#include "cli_world.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/client.h"
#include "control/command_args.h"
#include "control/foreign_doc.h"
#include "control/object_doc.h"
#include "control/undo_doc.h"
#include "ctl_world.h"

#define SLOTS 9u
#define MINUTE (60 * SIM_SECOND)

struct client {
    int number;
};

static struct ctl_world *worlds[CLI_PICTURE_MAX];
static json_t *states[CLI_PICTURE_MAX];
static json_t *pristine[CLI_PICTURE_MAX]; /* the same; nobody else has these */
static json_t *events;
static enum cli_picture used;
static enum cli_outcome outcome_now;
static struct cli_recorded recorded[CLI_COMMANDS_MAX];
static uint32_t recorded_count, foul_count;
static int opened_count;

/* Pictures */

static void object_append(void *context, const struct object_head *head, const void *view)
{
    assert_int_equal(json_array_append_new(context, object_doc(head, view)), 0);
}

static void tombstone_skip(void *context UNUSED, const struct object_head *head UNUSED)
{
}

/* The last drive stands beside the enclosure. */
static void drive_move_out(json_t *objects)
{
    json_t *object;
    size_t index;

    json_array_foreach(objects, index, object)
    {
        json_t *doc = json_object_get(object, "doc");
        const char *kind = json_string_value(json_object_get(object, "kind"));

        if (strcmp(kind, "drive") == 0 &&
            json_integer_value(json_object_get(doc, "slot")) == SLOTS - 1) {
            (void)json_object_set_new(doc, "eid", json_null());
            (void)json_object_set_new(doc, "slot", json_null());
            (void)json_object_set_new(doc, "path", json_string("/c0/s8"));
        }
    }
}

static json_t *state_take(struct ctl_world *world)
{
    json_t *objects = json_array();
    const struct ctl_visitor visitor = {object_append, tombstone_skip, objects};

    world_settle(world, 0);
    ctl_objects_since(world->ctl, 0, &visitor);
    drive_move_out(objects);
    return json_pack("{s:s, s:I, s:b, s:o, s:[]}", "epoch", "00000000-0000-4000-8000-000000000000",
                     "to_rev", (json_int_t)ctl_rev(world->ctl), "full", 1, "objects", objects,
                     "tombstones");
}

static struct ctl_world *world_make(void)
{
    struct ctl_world *world = world_new(1, SLOTS);

    world->battery = (struct ctl_battery_options){.fitted = true,
                                                  .kind = BATTERY_KIND_EMULATED,
                                                  .source = "smart",
                                                  .speed = 1,
                                                  .profile = {.name = "smart",
                                                              .model = "LSIiBBU01",
                                                              .smart = true,
                                                              .design_capacity_mah = 1500,
                                                              .design_voltage_mv = 3700,
                                                              .retention_s = 72 * 3600,
                                                              .charge_s = 4 * 3600,
                                                              .ready_percent = 60,
                                                              .low_percent = 20,
                                                              .worn_percent = 50,
                                                              .hot_c = 55,
                                                              .has_learn = true,
                                                              .learn_discharge_s = 2 * 3600,
                                                              .learn_period_days = 28}};
    world_start(world);
    return world;
}

static void world_configure(struct ctl_world *world)
{
    struct ctl_command *command = world_create_command(world, RAID_LEVEL_5, 0, 3, "data");
    object_key_t group;

    assert_int_equal(world_run(world, command), REASON_OK);
    assert_true(world_group(world, 0, NULL, group));
    assert_int_equal(world_spare(world, 3, group), REASON_OK);
    assert_int_equal(world_create(world, RAID_LEVEL_1, 4, 2, "logs"), REASON_OK);
    assert_true(world_wait_consistent(world, "data", 600 * MINUTE));
    assert_true(world_wait_consistent(world, "logs", 600 * MINUTE));
}

static void world_stripe(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_STRIPE_CREATE,
                                  .args.stripe_create = {.name = "wide", .vd_count = 2}};
    struct virtual_drive_view view;

    assert_true(world_vd(world, "data", &view, command.args.stripe_create.vds[0]));
    assert_true(world_vd(world, "logs", &view, command.args.stripe_create.vds[1]));
    assert_int_equal(world_run(world, &command), REASON_OK);
}

static void world_hurt(struct ctl_world *world)
{
    world_stripe(world);
    assert_int_equal(world_fault(world, 1, FAULT_KIND_PULL), REASON_OK);
    assert_int_equal(world_drive_op(world, CTL_OP_DRIVE_OFFLINE, 5), REASON_OK);
    world_settle(world, 5 * SIM_SECOND + SIM_SECOND / 10); /* it might have come back */
    assert_true(world_operation(world, OPERATION_KIND_REBUILD, NULL, NULL));
}

void cli_world_open(void)
{
    for (int i = 0; i < CLI_PICTURE_MAX; i++) {
        worlds[i] = world_make();
        if (i >= CLI_PICTURE_HEALTHY) {
            world_configure(worlds[i]);
        }
        if (i == CLI_PICTURE_DEGRADED) {
            world_hurt(worlds[i]);
        }
        states[i] = state_take(worlds[i]);
        pristine[i] = json_deep_copy(states[i]);
    }
    events = json_array();
    for (uint32_t i = 0; i < worlds[CLI_PICTURE_DEGRADED]->log_count; i++) {
        (void)json_array_append_new(events, event_doc(&worlds[CLI_PICTURE_DEGRADED]->log[i]));
    }
}

static void recorded_forget(void)
{
    for (uint32_t i = 0; i < recorded_count; i++) {
        json_decref(recorded[i].args);
    }
    recorded_count = 0;
    foul_count = 0;
}

void cli_world_close(void)
{
    recorded_forget();
    for (int i = 0; i < CLI_PICTURE_MAX; i++) {
        world_free(worlds[i]);
        ASSERT(json_equal(states[i], pristine[i]));
        json_decref(states[i]);
        json_decref(pristine[i]);
    }
    json_decref(events);
}

void cli_world_use(enum cli_picture picture, enum cli_outcome outcome)
{
    recorded_forget();
    used = picture;
    outcome_now = outcome;
    opened_count = 0;
}

uint32_t cli_world_command_count(void)
{
    return recorded_count;
}

const struct cli_recorded *cli_world_command(uint32_t index)
{
    return &recorded[index];
}

uint32_t cli_world_foul_count(void)
{
    return foul_count;
}

const json_t *cli_world_doc(const char *kind, const char *key)
{
    json_t *object;
    size_t index;

    json_array_foreach(json_object_get(states[used], "objects"), index, object)
    {
        if (strcmp(json_string_value(json_object_get(object, "kind")), kind) == 0 &&
            strcmp(json_string_value(json_object_get(object, "key")), key) == 0) {
            return json_object_get(object, "doc");
        }
    }
    return NULL;
}

const char *cli_world_stripe(const char *key)
{
    json_t *object;
    size_t index;

    json_array_foreach(json_object_get(states[used], "objects"), index, object)
    {
        const json_t *stripe = json_object_get(json_object_get(object, "doc"), "stripe");
        const char *own = json_string_value(json_object_get(stripe, "key"));

        if (own != NULL && strcmp(own, key) == 0) {
            return json_string_value(json_object_get(stripe, "name"));
        }
    }
    return NULL;
}

/* What cli/client.h promises */

bool client_open(const char *socket_path, struct client **ret_client, char text[CLIENT_TEXT_BYTES])
{
    int number = opened_count++;

    if (strncmp(socket_path, "gone", 4) == 0) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "cannot reach arrayd on %.107s", socket_path);
        return false;
    }
    *ret_client = malloc(sizeof(**ret_client));
    (*ret_client)->number = number;
    return true;
}

void client_close(struct client *client)
{
    free(client);
}

/* Answers are there at once. */
void client_patience_set(int patience_ms UNUSED)
{
}

/* The refusal has to be told: it is made in the words of the agent. */
static json_t *refusal(void)
{
    struct reason reason;

    reason_set(&reason, REASON_INVALID_ARGUMENT, "field", "drives", "problem", "must be free",
               NULL);
    return reason_doc(&reason);
}

static json_t *preview_answer(const json_t *args, json_t **ret_reason)
{
    static struct command_vd_create create;
    static struct ctl_preview preview;
    struct reason reason;

    if (!preview_args_parse(args, &create, &reason)) {
        *ret_reason = reason_doc(&reason);
        return NULL;
    }
    memset(&preview, 0, sizeof(preview));
    ctl_preview(worlds[used]->ctl, &create, &preview);
    return preview_doc(&preview);
}

static json_t *policy_answer(const json_t *args, json_t **ret_reason)
{
    struct ctl_policy_preview preview;
    struct command_vd_set set;
    struct reason reason;

    if (!policy_args_parse(args, &set, &reason)) {
        *ret_reason = reason_doc(&reason);
        return NULL;
    }
    assert_true(ctl_preview_set(worlds[used]->ctl, &set, &preview));
    return policy_preview_doc(&preview);
}

static json_t *latency_answer(const json_t *args, json_t **ret_reason)
{
    const char *key = json_string_value(json_object_get(args, "key"));
    const char *kind = json_string_value(json_object_get(args, "kind"));
    struct ctl_load load;

    if (!(strcmp(kind, "drive") == 0 ? ctl_drive_load(worlds[used]->ctl, key, &load)
                                     : ctl_vd_load(worlds[used]->ctl, key, &load))) {
        *ret_reason = refusal();
        return NULL;
    }
    return load_doc(&load, load.latency->since_us);
}

/* Two sets, one of which cannot be imported. */
static json_t *foreign_answer(void)
{
    static const char text[] =
        "{\"sets\": [{\"format\": \"ddf\", \"id\": \"4c69\", \"name\": \"theirs\","
        " \"origin\": \"Linux-MD\", \"digest\": \"00\", \"version\": \"01.02.00\","
        " \"sequence\": 7, \"outcome\": \"degraded\", \"refusal\": null,"
        " \"drives\": [\"sn-gone\"], \"drive_states\": [{\"drive\": \"sn-gone\","
        " \"sequence\": 7, \"state\": \"online\", \"outcome\": \"member\"}],"
        " \"virtual_drives\": [{\"name\": \"theirs\", \"level\": \"RAID5 (N continue)\","
        " \"size_bytes\": 1048576, \"strip_bytes\": 65536, \"consistent\": true,"
        " \"state\": \"degraded\", \"reason\": null, \"outcome\": \"degraded\","
        " \"imported_as\": \"theirs_1\", \"target_id\": 2, \"members\":"
        " [{\"drive\": null, \"serial\": \"\", \"state\": \"missing\","
        " \"outcome\": \"missing\"}]}]},"
        " {\"format\": \"md\", \"id\": \"u-1\", \"name\": \"u-1\", \"origin\": \"\","
        " \"digest\": \"01\", \"version\": \"1.2\", \"sequence\": 1,"
        " \"outcome\": \"refused\", \"refusal\": {\"code\": \"foreign_incomplete\","
        " \"params\": {}, \"text\": \"Too few.\"}, \"drives\": [], \"drive_states\": [],"
        " \"virtual_drives\": []}], \"damaged\": [{\"drive\": \"sn-x\","
        " \"reason\": {\"code\": \"foreign_damaged\", \"params\": {}, \"text\": \"Bad.\"}}]}";
    json_t *answer = json_loads(text, 0, NULL);

    assert_non_null(answer);
    return answer;
}

static json_t *query_answer(const json_t *params, json_t **ret_reason)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    const json_t *args = json_object_get(params, "args");

    if (strcmp(name, "preview_vd_create") == 0) {
        return preview_answer(args, ret_reason);
    }
    if (strcmp(name, "preview_vd_set") == 0) {
        return policy_answer(args, ret_reason);
    }
    if (strcmp(name, "latency") == 0) {
        return latency_answer(args, ret_reason);
    }
    if (strcmp(name, "foreign") == 0 && used == CLI_PICTURE_DEGRADED) {
        return foreign_answer();
    }
    if (strcmp(name, "foreign") == 0) {
        return foreign_doc(ctl_host_of(worlds[used]->ctl),
                           json_string_value(json_object_get(args, "controller")));
    }
    if (strcmp(name, "undo") == 0) {
        return undo_doc(ctl_host_of(worlds[used]->ctl),
                        json_string_value(json_object_get(args, "controller")));
    }
    if (strcmp(name, "bad_blocks") == 0) {
        return json_pack("{s:[{s:i, s:i, s:s}], s:i, s:i, s:b}", "blocks", "lba", 7, "count", 2,
                         "kind", "punctured", "block_bytes", 512, "total", 1, "more", 0);
    }
    foul_count++;
    *ret_reason = refusal();
    return NULL;
}

static json_t *events_answer(const json_t *params)
{
    json_int_t after = json_integer_value(json_object_get(params, "after_seq"));
    json_t *list = json_array();
    json_t *event;
    size_t index;

    json_array_foreach(events, index, event)
    {
        if (json_integer_value(json_object_get(event, "seq")) > after &&
            json_array_size(list) < 256) {
            (void)json_array_append_new(list, json_deep_copy(event));
        }
    }
    return json_pack("{s:s, s:i, s:I, s:o}", "epoch", "00000000-0000-4000-8000-000000000000",
                     "first_kept_seq", 1, "last_seq", (json_int_t)json_array_size(events), "events",
                     list);
}

/* The first controller's picture is not changed by reading it, so it need not be a copy; under
 * ASan it is one, so that the use of a picture that was given back is noticed. */
static json_t *state_answer(const struct client *client)
{
#ifndef __SANITIZE_ADDRESS__
    if (client->number == 0) {
        return json_incref(states[used]);
    }
#endif
    (void)client;
    return json_deep_copy(states[used]);
}

bool client_ask(struct client *client, const char *method, json_t *params,
                struct client_answer *ret_answer, char text[CLIENT_TEXT_BYTES])
{
    *ret_answer = (struct client_answer){NULL, NULL};
    if (params == NULL) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "an argument is not valid UTF-8");
        return false;
    }
    if (strcmp(method, "state.get") == 0) {
        ret_answer->result = state_answer(client);
    } else if (strcmp(method, "events.read") == 0) {
        ret_answer->result = events_answer(params);
    } else if (strcmp(method, "query") == 0) {
        ret_answer->result = query_answer(params, &ret_answer->reason);
    } else if (strcmp(method, "hello") == 0) {
        ret_answer->result = json_pack("{s:s}", "hostname", "testhost");
    } else {
        foul_count++;
        ret_answer->reason = refusal();
    }
    json_decref(params);
    return true;
}

static void command_record(int number, const char *op, json_t *args, const char *confirm)
{
    struct cli_recorded *command = &recorded[recorded_count];

    if (recorded_count == CLI_COMMANDS_MAX) {
        abort();
    }
    recorded_count++;
    *command = (struct cli_recorded){.number = number, .confirmed = confirm != NULL, .args = args};
    (void)snprintf(command->op, sizeof(command->op), "%s", op);
    (void)snprintf(command->confirm, sizeof(command->confirm), "%s",
                   confirm != NULL ? confirm : "");
}

bool client_command(struct client *client, const char *controller, const char *op, json_t *args,
                    const char *confirm, json_t **ret_status, char text[CLIENT_TEXT_BYTES])
{
    if (controller == NULL || args == NULL) {
        (void)snprintf(text, CLIENT_TEXT_BYTES, "an argument is not valid UTF-8");
        return false;
    }
    command_record(client->number, op, args, confirm);
    switch (outcome_now) {
    case CLI_OUTCOME_SUCCEEDED:
        *ret_status = json_pack("{s:s, s:n, s:[]}", "state", "succeeded", "reason", "objects");
        return true;
    case CLI_OUTCOME_REFUSED:
        *ret_status =
            json_pack("{s:s, s:o, s:[]}", "state", "refused", "reason", refusal(), "objects");
        return true;
    case CLI_OUTCOME_BROKEN:
        break;
    }
    (void)snprintf(text, CLIENT_TEXT_BYTES, "arrayd closed the connection");
    return false;
}
