/*
 * Virtual drives as StorCLI's rows and properties, and rows of progress.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/words.h"
#include "cli/report.h"
#include "cli/rows.h"
#include "cli/show.h"

static const char *state_word_shown(const char *word)
{
    enum virtual_drive_state state;

    return word != NULL && virtual_drive_state_parse(word, &state)
               ? virtual_drive_state_short(state)
               : "Unknown";
}

const char *vd_state_shown(const json_t *vd)
{
    return state_word_shown(doc_text(vd, "state"));
}

const char *span_state_shown(const json_t *group, uint64_t span)
{
    return state_word_shown(
        json_string_value(json_array_get(json_object_get(group, "span_states"), (size_t)span)));
}

static void vd_cache_text(const json_t *vd, char out[16])
{
    const char *write = doc_text(json_object_get(vd, "write_policy"), "effective");
    const char *read = doc_text(json_object_get(vd, "read_policy"), "effective");

    (void)snprintf(out, 16, "%s%s%s", strcmp(read, "no_read_ahead") == 0 ? "NR" : "R",
                   strcmp(write, "write_back") == 0          ? "WB"
                   : strcmp(write, "always_write_back") == 0 ? "AWB"
                                                             : "WT",
                   strcmp(doc_text(vd, "io_policy"), "cached") == 0 ? "C" : "D");
}

static const char *vd_access_shown(const json_t *vd)
{
    const char *access = doc_text(vd, "access");

    return strcmp(access, "read_write") == 0  ? "RW"
           : strcmp(access, "read_only") == 0 ? "RO"
                                              : "Blocked";
}

json_t *vd_row(const struct model *model, const json_t *vd)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd, "drive_group"));
    json_t *row = json_object();
    char text[32];

    (void)snprintf(text, sizeof(text), "%u/%u",
                   group != NULL ? (unsigned)doc_u64(group->doc, "index") : 0,
                   (unsigned)doc_u64(vd, "index"));
    row_text(row, "DG/VD", text);
    level_type(doc_text(vd, "level"), text);
    row_text(row, "TYPE", text);
    row_text(row, "State", vd_state_shown(vd));
    row_text(row, "Access", vd_access_shown(vd));
    row_text(row, "Consist", doc_bool(vd, "consistent") ? "Yes" : "No");
    vd_cache_text(vd, text);
    row_text(row, "Cache", text);
    row_text(row, "Cac", "-");
    row_text(row, "sCC", check_is_scheduled() ? "ON" : "OFF");
    row_size(row, "Size", doc_u64(vd, "size_bytes"));
    row_text(row, "Name", doc_text(vd, "name"));
    return row;
}

static void vd_active_operations(const struct model *model, const struct model_object *vd,
                                 char out[80])
{
    const struct model_object *operation = model_operation(model, vd->key);

    (void)snprintf(out, 80, "None");
    if (operation != NULL) {
        const char *kind = doc_text(operation->doc, "kind");

        (void)snprintf(out, 80, "%s (%u%%)",
                       strcmp(kind, "resync") == 0 ? "Resynchronization"
                                                   : "Background Initialization",
                       operation_percent(operation->doc));
    }
}

static void vd_creation_times(json_t *section, uint64_t created_us)
{
    time_t seconds = (time_t)(created_us / 1000000);
    struct tm local;
    char text[32] = "";

    if (localtime_r(&seconds, &local) == NULL) {
        return;
    }
    (void)strftime(text, sizeof(text), "%d-%m-%Y", &local);
    row_text(section, "Creation Date", text);
    (void)strftime(text, sizeof(text), "%I:%M:%S %p", &local);
    row_text(section, "Creation Time", text);
}

static const char *drive_cache_shown(const json_t *vd)
{
    const char *policy = doc_text(vd, "drive_cache_policy");

    return strcmp(policy, "on") == 0    ? "Enabled"
           : strcmp(policy, "off") == 0 ? "Disabled"
                                        : "Disk's Default";
}

/* Blocks of 512 bytes on drives that write 4 KiB. */
static bool has_emulated_drive(const struct model *model, const json_t *vd)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    const char *group = doc_text(vd, "drive_group");

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;

        if (strcmp(doc_text(drive, "drive_group"), group) == 0 &&
            doc_u64(drive, "physical_block_bytes") > doc_u64(drive, "block_bytes")) {
            return true;
        }
    }
    return false;
}

/* What is asked for, and with its reason what holds if that is not the same. */
static void switch_row(json_t *section, const json_t *vd, const char *name, const char *asked,
                       const char *holds)
{
    const json_t *state = json_object_get(vd, holds);
    const char *effective = doc_text(state, "effective");
    char row[48];

    if (doc_is_null(vd, asked)) {
        return; /* it is not offered */
    }
    row_text(section, name,
             strcmp(doc_text(state, "requested"), "auto") == 0 ? "Auto"
             : doc_bool(vd, asked)                             ? "On"
                                                               : "Off");
    if (effective[0] != '\0' && strcmp(effective, doc_text(state, "requested")) != 0) {
        (void)snprintf(row, sizeof(row), "%s(reason)", name);
        row_text(section, row, doc_text(json_object_get(state, "reason"), "text"));
    }
}

/* What StorCLI has no words for comes last. */
static void vd_extras(json_t *section, const json_t *vd)
{
    const json_t *cache = json_object_get(vd, "cache");

    if (json_is_object(cache)) {
        row_number(section, "Cached Writes KiB", doc_u64(cache, "dirty_bytes") / 1024);
        row_text(section, "Cached Writes Pinned", doc_bool(cache, "pinned") ? "Yes" : "No");
    }
    if (json_is_object(json_object_get(vd, "lost_writes"))) {
        row_text(section, "Acknowledged Writes Lost",
                 doc_text(json_object_get(vd, "lost_writes"), "text"));
    }
    switch_row(section, vd, "Stripe Log", "stripe_log", "effective_stripe_log");
    switch_row(section, vd, "Hedged Reads", "hedged_reads", "effective_hedged_reads");
    if (!doc_is_null(vd, "degraded_policy")) {
        row_text(section, "Write Cache On Degrade",
                 strcmp(doc_text(vd, "degraded_policy"), "write_through") == 0 ? "WriteThrough"
                                                                               : "Kept");
    }
    row_text(section, "Write Cache(reason)",
             doc_text(json_object_get(json_object_get(vd, "write_policy"), "reason"), "text"));
    row_text(section, "Guarantee", doc_text(json_object_get(vd, "guarantee"), "text"));
}

json_t *vd_properties(const struct model *model, const struct model_object *vd)
{
    static const char *const write_names[WRITE_POLICY_MAX] = {"WriteThrough", "WriteBack",
                                                              "AlwaysWriteBack"};
    const json_t *exports = json_object_get(vd->doc, "exports");
    const char *uri = doc_text(json_array_get(exports, 0), "uri");
    enum write_policy write = WRITE_POLICY_WRITE_THROUGH;
    json_t *section = json_object();
    char text[80];

    (void)write_policy_parse(doc_text(json_object_get(vd->doc, "write_policy"), "requested"),
                             &write);
    (void)snprintf(text, sizeof(text), "%u KB", (unsigned)(doc_u64(vd->doc, "strip_bytes") / 1024));
    row_text(section, "Strip Size", text);
    row_number(section, "Number of Blocks",
               doc_u64(vd->doc, "size_bytes") /
                   (doc_u64(vd->doc, "block_bytes") == 4096 ? 4096 : 512));
    row_text(section, "VD has Emulated PD", has_emulated_drive(model, vd->doc) ? "Yes" : "No");
    row_number(section, "Span Depth", doc_u64(vd->doc, "span_count"));
    row_number(section, "Number of Drives Per Span", doc_u64(vd->doc, "drives_per_span"));
    row_text(section, "Write Cache(initial setting)", write_names[write]);
    row_text(section, "Disk Cache Policy", drive_cache_shown(vd->doc));
    row_text(section, "Encryption", "None");
    row_text(section, "Data Protection", "None");
    vd_active_operations(model, vd, text);
    row_text(section, "Active Operations", text);
    row_text(section, "Exposed to OS", json_array_size(exports) > 0 ? "Yes" : "No");
    row_text(section, "OS Drive Name", uri[0] != '\0' ? uri : "N/A");
    vd_creation_times(section, doc_u64(vd->doc, "created_at_us"));
    row_text(section, "Emulation type", "default");
    row_text(section, "Is LD Ready for OS Requests",
             strcmp(doc_text(vd->doc, "state"), "offline") == 0 ? "No" : "Yes");
    (void)snprintf(text, sizeof(text), "6%.31s", doc_text(vd->doc, "guid"));
    row_text(section, "SCSI NAA Id", text);
    row_text(section, "Unmap Enabled", "Yes");
    vd_extras(section, vd->doc);
    return section;
}

/* Progress. */

/* The newest operation with this object at that end ("target" or "source") that is one of the kinds
 * ("a b") and has not ended. */
static const json_t *operation_of(const struct model *model, const char *end, const char *key,
                                  const char *kinds)
{
    const struct model_list *operations = &model->lists[OBJECT_KIND_OPERATION];
    const json_t *found = NULL;

    for (uint32_t i = 0; i < operations->count; i++) {
        const json_t *doc = operations->items[i].doc;

        if (strcmp(doc_text(doc, end), key) == 0 && doc_is_null(doc, "ended_at_us") &&
            word_is_one_of(doc_text(doc, "kind"), kinds)) {
            found = doc;
        }
    }
    return found;
}

/* Rounded down: only what has ended is at 100. */
unsigned operation_percent(const json_t *operation)
{
    return (unsigned)json_number_value(json_object_get(operation, "progress_percent"));
}

static const char *operation_status(const char *state)
{
    return strcmp(state, "paused") == 0    ? "Paused"
           : strcmp(state, "waiting") == 0 ? "Waiting"
                                           : "In progress";
}

static void progress_fields(json_t *row, const json_t *operation)
{
    const char *state = operation != NULL ? doc_text(operation, "state") : "";
    char text[FORMAT_BYTES];

    if (operation == NULL) {
        row_text(row, "Progress%", "-");
        row_text(row, "Status", "Not in progress");
        row_text(row, "Estimated Time Left", "-");
        return;
    }
    row_number(row, "Progress%", operation_percent(operation));
    row_text(row, "Status", operation_status(state));
    row_text(row, "Estimated Time Left",
             format_time_left(doc_is_null(operation, "time_left_s")
                                  ? -1
                                  : (int64_t)doc_u64(operation, "time_left_s"),
                              text));
}

/* A copyback is asked for by either of its drives. */
static const json_t *operation_of_drive(const struct model *model, const struct model_object *drive,
                                        const char *kinds)
{
    const json_t *operation = operation_of(model, "target", drive->key, kinds);

    return operation != NULL ? operation : operation_of(model, "source", drive->key, kinds);
}

bool drive_has_operation(const struct model *model, const struct model_object *drive,
                         const char *kinds)
{
    return operation_of_drive(model, drive, kinds) != NULL;
}

json_t *drive_progress_row(const struct model *model, const struct model_object *drive,
                           const char *kinds)
{
    json_t *row = json_object();

    row_text(row, "Drive-ID", doc_text(drive->doc, "path"));
    progress_fields(row, operation_of_drive(model, drive, kinds));
    return row;
}

json_t *vd_progress_row(const struct model *model, const struct model_object *vd, const char *shown,
                        const char *kinds)
{
    json_t *row = json_object();

    row_number(row, "VD", doc_u64(vd->doc, "index"));
    row_text(row, "Operation", shown);
    progress_fields(row, operation_of(model, "target", vd->key, kinds));
    return row;
}
