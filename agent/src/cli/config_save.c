/*
 * /cX get config: the whole configuration of a controller as one JSON document, which
 * /cX set config builds again (config_restore.c). It says what the arrays are, not what is on them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/config.h"
#include "cli/rows.h"

#define PATH_BYTES 4096

static json_t *copied(const json_t *doc, const char *const *names)
{
    json_t *out = json_object();

    for (size_t i = 0; names[i] != NULL; i++) {
        const json_t *value = json_object_get(doc, names[i]);

        if (value != NULL) { /* agents of old do not have all of them */
            ASSERT(json_object_set_new(out, names[i], json_deep_copy(value)) == 0);
        }
    }
    return out;
}

json_t *config_settings(const json_t *controller)
{
    static const char *const names[] = {"rebuild_rate_percent",
                                        "bgi_rate_percent",
                                        "auto_rebuild",
                                        "emergency_spare",
                                        "mixed_media",
                                        "mixed_interfaces",
                                        "emergency_unconfigured",
                                        "copyback",
                                        "predictive_copyback",
                                        "glitch_seconds",
                                        "coercion",
                                        "patrol_mode",
                                        "patrol_rate_percent",
                                        "patrol_delay_hours",
                                        "patrol_ssds",
                                        "patrol_drives_max",
                                        NULL};

    return copied(controller, names);
}

/* The policies as they were asked for: what holds follows from the controller. */
json_t *config_vd(const json_t *vd)
{
    static const char *const names[] = {"name",
                                        "size_bytes",
                                        "strip_bytes",
                                        "io_policy",
                                        "drive_cache_policy",
                                        "degraded_policy",
                                        "access",
                                        "stripe_log",
                                        "hedged_reads",
                                        "stripe_log_mode",
                                        NULL};
    json_t *out = copied(vd, names);

    row_text(out, "write_policy", doc_text(json_object_get(vd, "write_policy"), "requested"));
    row_text(out, "read_policy", doc_text(json_object_get(vd, "read_policy"), "requested"));
    return out;
}

static json_t *group_saved(const struct model *model, const json_t *group)
{
    json_t *drives = json_array();
    json_t *vds = json_array();
    const json_t *item;
    size_t index;

    json_array_foreach(json_object_get(group, "members"), index, item)
    {
        json_t *drive = json_object();

        row_set(drive, "drive", json_deep_copy(json_object_get(item, "drive")));
        row_text(drive, "serial", doc_text(item, "serial"));
        rows_append(drives, drive);
    }
    json_array_foreach(json_object_get(group, "virtual_drives"), index, item)
    {
        const struct model_object *vd =
            model_find(model, OBJECT_KIND_VIRTUAL_DRIVE, json_string_value(item));

        if (vd != NULL) {
            rows_append(vds, config_vd(vd->doc));
        }
    }
    return json_pack("{s:I, s:s, s:I, s:o, s:o}", "index", (json_int_t)doc_u64(group, "index"),
                     "level", doc_text(group, "level"), "drives_per_span",
                     (json_int_t)doc_u64(group, "drives_per_span"), "drives", drives,
                     "virtual_drives", vds);
}

static json_t *spare_saved(const struct model *model, const struct model_object *drive)
{
    const json_t *spare = json_object_get(drive->doc, "hot_spare");
    json_t *groups = json_array();
    const json_t *key;
    size_t index;

    json_array_foreach(json_object_get(spare, "drive_groups"), index, key)
    {
        const struct model_object *group =
            model_find(model, OBJECT_KIND_DRIVE_GROUP, json_string_value(key));

        if (group != NULL) {
            rows_append(groups, json_integer((json_int_t)doc_u64(group->doc, "index")));
        }
    }
    return json_pack("{s:s, s:s, s:o, s:b, s:b}", "drive", drive->key, "serial",
                     doc_text(drive->doc, "serial"), "drive_groups", groups, "enclosure_affinity",
                     doc_bool(spare, "enclosure_affinity"), "revertible",
                     doc_bool(spare, "revertible"));
}

static json_t *config_make(const struct cli_context *context)
{
    const struct model *model = context->model;
    const json_t *controller = cli_controller(context)->doc;
    const struct model_list *groups = &model->lists[OBJECT_KIND_DRIVE_GROUP];
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    json_t *saved_groups = json_array();
    json_t *spares = json_array();

    for (uint32_t i = 0; i < groups->count; i++) {
        rows_append(saved_groups, group_saved(model, groups->items[i].doc));
    }
    for (uint32_t i = 0; i < drives->count; i++) {
        if (!doc_is_null(drives->items[i].doc, "hot_spare")) {
            rows_append(spares, spare_saved(model, &drives->items[i]));
        }
    }
    return json_pack("{s:s, s:i, s:s, s:o, s:o, s:o}", "format", CONFIG_FORMAT, "version",
                     CONFIG_VERSION, "controller", doc_text(controller, "uuid"), "settings",
                     config_settings(controller), "drive_groups", saved_groups, "hot_spares",
                     spares);
}

/* The file is the old one or the new one, never a part. */
static bool config_write(const json_t *config, const char *path)
{
    char beside[PATH_BYTES];

    if ((size_t)snprintf(beside, sizeof(beside), "%s.new", path) >= sizeof(beside)) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *out = fopen(beside, "we");
    if (out == NULL) {
        return false;
    }
    bool complete = json_dumpf(config, out, JSON_INDENT(1)) == 0 && fputc('\n', out) == '\n' &&
                    fflush(out) == 0 && fsync(fileno(out)) == 0;
    complete = fclose(out) == 0 && complete && rename(beside, path) == 0;
    if (!complete) {
        int error = errno;

        (void)unlink(beside);
        errno = error;
    }
    return complete;
}

void config_get(struct cli_context *context)
{
    const char *file = option_value(context, "file");
    json_t *config = config_make(context);

    if (file == NULL) {
        (void)json_dumpf(config, stdout, JSON_INDENT(1));
        (void)fputc('\n', stdout);
        context->printed = true;
    } else if (config_write(config, file)) {
        json_t *data = json_object();

        row_text(data, "File", file);
        row_number(data, "Drive Groups", json_array_size(json_object_get(config, "drive_groups")));
        row_number(data, "Hot Spares", json_array_size(json_object_get(config, "hot_spares")));
        cli_answer(context, "Get Config Succeeded.", data);
    } else {
        cli_refuse_file(context, "Get Config Failed.", file);
    }
    json_decref(config);
}
