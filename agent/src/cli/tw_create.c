/*
 * tw_cli's "/cX add type=raid5 disk=0-2": from 3ware's words to the arguments of vd_create and
 * spare_add.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/tw.h"

#define DISKS_MAX 256u

static json_t *list_refuse(json_t *keys, char text[REQUEST_TEXT_BYTES], const char *message)
{
    (void)snprintf(text, REQUEST_TEXT_BYTES, "%s", message);
    json_decref(keys);
    return NULL;
}

/* "3" or "2-5"; false: it is neither. */
static bool range_parse(const char **text, unsigned long *ret_first, unsigned long *ret_last)
{
    char *end = NULL;

    if (**text < '0' || **text > '9') {
        return false;
    }
    *ret_first = strtoul(*text, &end, 10);
    *ret_last = *ret_first;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
        *ret_last = strtoul(end + 1, &end, 10);
    }
    *text = end;
    return *ret_first <= *ret_last && *ret_last <= UINT16_MAX && *ret_last - *ret_first < DISKS_MAX;
}

json_t *tw_disk_keys(const struct model *model, const char *list, json_t *serials,
                     char text[REQUEST_TEXT_BYTES])
{
    static const char form[] = "disk= must be a list of ports, such as 0:1:4-6.";
    json_t *keys = json_array();
    unsigned long first = 0;
    unsigned long last = 0;

    while (range_parse(&list, &first, &last) && json_array_size(keys) < DISKS_MAX) {
        for (unsigned long number = first; number <= last; number++) {
            const struct model_object *drive = tw_port_find(model, number);

            if (drive == NULL) {
                (void)snprintf(text, REQUEST_TEXT_BYTES, "There is no drive at port p%lu.", number);
                json_decref(keys);
                return NULL;
            }
            rows_append(keys, json_string(drive->key));
            if (serials != NULL && !doc_is_null(drive->doc, "unsuitable")) {
                rows_append(serials, json_string(doc_text(drive->doc, "serial")));
            }
        }
        if (*list == '\0') {
            return keys;
        }
        if (*list != ':' && *list != ',') {
            break;
        }
        list++;
    }
    return list_refuse(keys, text, form);
}

/* Everything typed is known, and stands for something. */
static bool words_are_known(const struct tw_request *request)
{
    static const char options[] = "type=|disk=|stripe=|group=|name=|storsave=|rapidrecovery=|"
                                  "nocache|nordcache|autoverify|ignoreECC";

    for (uint32_t i = 0; i < request->word_count; i++) {
        if (!noun_is_one_of(request->words[i], options)) {
            return false;
        }
    }
    return true;
}

/* The level of the agent's that stands for 3ware's; NULL with text. */
static const char *level_of(const char *type, size_t disk_count, char text[REQUEST_TEXT_BYTES])
{
    static const struct {
        const char *typed, *level;
        size_t disk_count; /* 0: the agent says how many it takes */
    } levels[] = {{"raid0", "raid0", 0}, {"raid1", "raid1", 2},   {"raid5", "raid5", 0},
                  {"raid6", "raid6", 0}, {"raid10", "raid10", 0}, {"raid50", "raid50", 0},
                  {"single", "raid0", 1}};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcasecmp(type, levels[i].typed) != 0) {
            continue;
        }
        if (levels[i].disk_count != 0 && levels[i].disk_count != disk_count) {
            (void)snprintf(text, REQUEST_TEXT_BYTES, "type=%s takes %zu drive(s).", levels[i].typed,
                           levels[i].disk_count);
            return NULL;
        }
        return levels[i].level;
    }
    (void)snprintf(text, REQUEST_TEXT_BYTES,
                   "type= must be raid0, raid1, raid5, raid6, raid10, raid50, single or spare.");
    return NULL;
}

/* A whole number in "name="; false: something else was typed. */
static bool number_read(const struct tw_request *request, const char *name, uint64_t *ret_number)
{
    const char *typed = tw_value(request, name);
    char *end = NULL;

    *ret_number = 0;
    if (typed == NULL) {
        return true;
    }
    *ret_number = strtoul(typed, &end, 10);
    return typed[0] >= '1' && typed[0] <= '9' && *end == '\0' && *ret_number <= 1u << 20;
}

/* Args of vd_create beside level and drives. False with text. */
static bool options_put(const struct tw_request *request, json_t *args,
                        char text[REQUEST_TEXT_BYTES])
{
    const char *name = tw_value(request, "name");
    const char *profile = tw_value(request, "storsave");
    uint64_t strip_kib = 0;
    uint64_t per_span = 0;

    if (!number_read(request, "stripe", &strip_kib) || !number_read(request, "group", &per_span)) {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "stripe= must be a number of KB, group= a number of drives.");
        return false;
    }
    if (strip_kib != 0) {
        row_number(args, "strip_bytes", strip_kib * 1024);
    }
    if (per_span != 0) {
        row_number(args, "drives_per_span", per_span);
    }
    if (name != NULL) {
        row_text(args, "name", name);
    }
    if (profile != NULL) {
        row_text(args, "preset", storsave_preset(profile));
        (void)json_object_set_new(args, "accept_risk", json_boolean(request->quiet));
    }
    if (tw_flag(request, "nocache")) {
        row_text(args, "write_policy", "write_through");
    }
    if (tw_flag(request, "nordcache")) {
        row_text(args, "read_policy", "no_read_ahead");
    }
    return true;
}

static int refuse(const char *text)
{
    (void)printf("Error: (CLI:045) %s\n", text);
    return 1;
}

/* The unit that the drive belongs to now. */
static int unit_tell(struct cli_context *context, const char *key)
{
    uint64_t number = 0;

    if (!cli_picture_renew(context)) {
        return 1;
    }
    const struct model_object *drive = model_find(context->model, OBJECT_KIND_DRIVE, key);
    const struct model_list *vds = &context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    bool found = tw_spare_number(context->model, key, &number);
    for (uint32_t i = 0; drive != NULL && !found && i < vds->count; i++) {
        found = strcmp(doc_text(vds->items[i].doc, "drive_group"),
                       doc_text(drive->doc, "drive_group")) == 0;
        number = doc_u64(vds->items[i].doc, "index");
    }
    if (found) {
        (void)printf("Done. The new unit is /c%d/u%llu.\n\n", context->number,
                     (unsigned long long)number);
    } else { /* others have changed it meanwhile */
        (void)fputs("Done.\n\n", stdout);
    }
    return 0;
}

/* Takes the args. */
static int create(struct cli_context *context, const char *op, json_t *args, const char *key)
{
    char message[REQUEST_TEXT_BYTES];

    (void)printf("Creating new unit on controller /c%d ...  ", context->number);
    return cli_execute(context, op, args, NULL, message) == 0 ? unit_tell(context, key)
                                                              : tw_fail(message);
}

static int spare_add(struct cli_context *context, const json_t *keys, const json_t *serials)
{
    const char *key = json_string_value(json_array_get(keys, 0));

    if (json_array_size(keys) != 1) {
        return refuse("type=spare takes 1 drive.");
    }
    json_t *args = json_pack("{s:s}", "drive", key);
    if (json_array_size(serials) > 0) {
        (void)json_object_set_new(args, "force", json_true());
        row_text(args, "serial", json_string_value(json_array_get(serials, 0)));
    }
    return create(context, "spare_add", args, key);
}

static int vd_add(struct cli_context *context, const struct tw_request *request, json_t *keys,
                  json_t *serials)
{
    char text[REQUEST_TEXT_BYTES];
    const char *level = level_of(tw_value(request, "type"), json_array_size(keys), text);

    if (level == NULL) {
        return refuse(text);
    }
    json_t *args = json_pack("{s:s, s:s, s:O}", "controller", cli_controller(context)->key, "level",
                             level, "drives", keys);
    if (!options_put(request, args, text)) {
        json_decref(args);
        return refuse(text);
    }
    if (json_array_size(serials) > 0) {
        (void)json_object_set(args, "serials", serials);
        (void)json_object_set_new(args, "force", json_true());
    }
    return create(context, "vd_create", args, json_string_value(json_array_get(keys, 0)));
}

int tw_unit_add(struct cli_context *context, const struct tw_request *request)
{
    const char *type = tw_value(request, "type");
    const char *disks = tw_value(request, "disk");
    const char *recovery = tw_value(request, "rapidrecovery");
    char text[REQUEST_TEXT_BYTES] = "type= and disk= must be named: type=raid5 disk=0-2.";
    json_t *serials = json_array();
    json_t *keys = NULL;
    int code = 1;

    if (!words_are_known(request)) {
        (void)snprintf(text, sizeof(text), "An option is not known; help lists them.");
    } else if (recovery != NULL && strcasecmp(recovery, "all") != 0) {
        (void)snprintf(text, sizeof(text), "rapidrecovery= is always all here.");
    } else if (type != NULL && disks != NULL) {
        keys = tw_disk_keys(context->model, disks, serials, text);
    }
    if (keys == NULL) {
        code = refuse(text);
    } else if (json_array_size(serials) == 0 ||
               tw_agreed(request, "Drives of the new unit carry data, which will be permanently "
                                  "lost.")) {
        code = strcasecmp(type, "spare") == 0 ? spare_add(context, keys, serials)
                                              : vd_add(context, request, keys, serials);
    }
    json_decref(serials);
    json_decref(keys);
    return code;
}
