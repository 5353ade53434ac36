/*
 * What a client of the control socket can say: one line of JSON, its arguments checked as those
 * of every command and of the preview. What is accepted keeps its bounds.
 */
#include <jansson.h>
#include <string.h>

#include "base/assert.h"
#include "control/command_args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct ctl_command command;
static struct command_vd_create create;

static void text_check(const char *text, size_t capacity)
{
    ASSERT(strnlen(text, capacity) < capacity);
}

static void create_check(const struct command_vd_create *args)
{
    ASSERT(args->drive_count <= COMMAND_DRIVES_MAX);
    ASSERT(args->spare_count <= COMMAND_SPARES_MAX);
    ASSERT(args->serial_count <= COMMAND_SERIALS_MAX);
    text_check(args->name, sizeof args->name);
    text_check(args->plan_digest, sizeof args->plan_digest);
    for (uint32_t i = 0; i < args->drive_count; i++) {
        text_check(args->drives[i], sizeof args->drives[i]);
    }
}

static void arguments_try(const char *op, const json_t *args)
{
    struct reason reason;

    if (command_args_parse(op, args, &command, &reason)) {
        ASSERT(command.op < CTL_OP_MAX);
        ASSERT(strcmp(ctl_op_word(command.op), op) == 0);
        if (command.op == CTL_OP_VD_CREATE) {
            create_check(&command.args.vd_create);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *request = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    const json_t *args = json_object_get(request, "args");
    const char *op = json_string_value(json_object_get(request, "op"));
    struct reason reason;

    if (op != NULL) {
        arguments_try(op, args);
    } else {
        for (unsigned i = 0; i < CTL_OP_MAX; i++) {
            arguments_try(ctl_op_word((enum ctl_op)i), args);
        }
    }
    memset(&create, 0, sizeof create);
    if (preview_args_parse(args, &create, &reason)) {
        create_check(&create);
    }
    json_decref(request);
    return 0;
}
