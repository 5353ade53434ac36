/*
 * Documents as StorCLI's rows: see rows.h.
 */
#include "cli/rows.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/words.h"
#include "cli/report.h"

void row_text(json_t *row, const char *name, const char *text)
{
    ASSERT(json_object_set_new(row, name, json_string(text)) == 0);
}

void row_number(json_t *row, const char *name, uint64_t number)
{
    ASSERT(json_object_set_new(row, name, json_integer((json_int_t)number)) == 0);
}

void row_size(json_t *row, const char *name, uint64_t bytes)
{
    char text[FORMAT_BYTES];

    row_text(row, name, format_size(bytes, text));
}

void level_type(const char *word, char out[16])
{
    size_t i = 0;

    for (; word[i] != '\0' && i < 15; i++) {
        out[i] = (char)toupper((unsigned char)word[i]);
    }
    out[i] = '\0';
}

const char *drive_state_shown(const json_t *drive)
{
    enum drive_state state;

    return drive_state_parse(doc_text(drive, "state"), &state) ? drive_state_short(state)
                                                               : "Unknown";
}

static const char *vd_state_shown(const json_t *vd)
{
    enum virtual_drive_state state;

    return virtual_drive_state_parse(doc_text(vd, "state"), &state)
               ? virtual_drive_state_short(state)
               : "Unknown";
}

static const char *interface_shown(const json_t *drive)
{
    static const char *const shown[DRIVE_INTERFACE_MAX] = {"SATA", "SAS",  "NVMe", "VIRTIO",
                                                           "USB",  "FILE", "LOOP", "Unknown"};
    enum drive_interface interface;

    return drive_interface_parse(doc_text(drive, "interface"), &interface) ? shown[interface]
                                                                           : "Unknown";
}

static void place_text(const json_t *drive, char out[32])
{
    char slot[12] = "-";

    if (!doc_is_null(drive, "slot")) {
        (void)snprintf(slot, sizeof(slot), "%u", (unsigned)doc_u64(drive, "slot"));
    }
    if (doc_is_null(drive, "eid")) {
        (void)snprintf(out, 32, " :%s", slot); /* no enclosure: a blank before the colon */
    } else {
        (void)snprintf(out, 32, "%u:%s", (unsigned)doc_u64(drive, "eid"), slot);
    }
}

static uint64_t drive_shown_bytes(const json_t *drive)
{
    uint64_t usable_bytes = doc_u64(drive, "usable_bytes");

    return usable_bytes != 0 ? usable_bytes : doc_u64(drive, "size_bytes");
}

static void drive_group_cell(json_t *row, const struct model *model, const json_t *drive)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(drive, "drive_group"));

    if (doc_bool(drive, "foreign")) {
        row_text(row, "DG", "F");
    } else if (group != NULL) {
        row_number(row, "DG", doc_u64(group->doc, "index"));
    } else {
        row_text(row, "DG", "-");
    }
}

json_t *drive_row(const struct model *model, const json_t *drive)
{
    json_t *row = json_object();
    char place[32];
    char upper[16] = "";

    place_text(drive, place);
    level_type(doc_text(drive, "media"), upper);
    row_text(row, "EID:Slt", place);
    row_number(row, "DID", doc_u64(drive, "did"));
    row_text(row, "State", drive_state_shown(drive));
    drive_group_cell(row, model, drive);
    row_size(row, "Size", drive_shown_bytes(drive));
    row_text(row, "Intf", interface_shown(drive));
    row_text(row, "Med", upper);
    row_text(row, "SED", "N");
    row_text(row, "PI", "N");
    row_text(row, "SeSz", doc_u64(drive, "block_bytes") == 4096 ? "4 KB" : "512B");
    row_text(row, "Model", doc_text(drive, "model"));
    row_text(row, "Sp", "U");
    row_text(row, "Type", "-");
    return row;
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
    row_text(row, "sCC", "ON");
    row_size(row, "Size", doc_u64(vd, "size_bytes"));
    row_text(row, "Name", doc_text(vd, "name"));
    return row;
}

json_t *enclosure_row(const struct model *model, const json_t *enclosure)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    json_t *row = json_object();
    uint64_t count = 0;

    for (uint32_t i = 0; i < drives->count; i++) {
        const json_t *drive = drives->items[i].doc;

        count += doc_bool(drive, "present") && drive_is_in(drive, doc_u64(enclosure, "eid"));
    }
    row_number(row, "EID", doc_u64(enclosure, "eid"));
    row_text(row, "State", "OK");
    row_number(row, "Slots", doc_u64(enclosure, "slot_count"));
    row_number(row, "PD", count);
    row_number(row, "PS", 0);
    row_number(row, "Fans", 0);
    row_number(row, "TSs", 0);
    row_number(row, "Alms", 0);
    row_number(row, "SIM", 0);
    row_text(row, "Port#", "-");
    row_text(row, "ProdID", doc_text(enclosure, "model"));
    row_text(row, "VendorSpecific", "");
    return row;
}

/* Topology. */

struct topology_row {
    uint64_t group;
    int64_t array; /* -1: "-" */
    int64_t row;
    const char *place;
    int64_t did;
    const char *type;
    const char *state;
    bool busy;
    uint64_t bytes;
    const char *free_space;
};

static void row_number_or_dash(json_t *row, const char *name, int64_t number)
{
    if (number < 0) {
        row_text(row, name, "-");
    } else {
        row_number(row, name, (uint64_t)number);
    }
}

static void topology_append(json_t *rows, const struct topology_row *values)
{
    json_t *row = json_object();

    row_number(row, "DG", values->group);
    row_number_or_dash(row, "Arr", values->array);
    row_number_or_dash(row, "Row", values->row);
    row_text(row, "EID:Slot", values->place);
    row_number_or_dash(row, "DID", values->did);
    row_text(row, "Type", values->type);
    row_text(row, "State", values->state);
    row_text(row, "BT", values->busy ? "Y" : "N");
    row_size(row, "Size", values->bytes);
    row_text(row, "PDC", "dflt");
    row_text(row, "PI", "N");
    row_text(row, "SED", "N");
    row_text(row, "DS3", "none");
    row_text(row, "FSpace", values->free_space);
    row_text(row, "TR", "N");
    ASSERT(json_array_append_new(rows, row) == 0);
}

static void topology_member(json_t *rows, const struct model *model, const json_t *member,
                            const struct topology_row *base)
{
    const struct model_object *drive =
        model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));
    struct topology_row values = *base;
    char place[32] = "-";

    if (drive != NULL) {
        place_text(drive->doc, place);
        values.did = (int64_t)doc_u64(drive->doc, "did");
        values.bytes = drive_shown_bytes(drive->doc);
    } else {
        values.bytes = 0;
    }
    values.row = (int64_t)doc_u64(member, "row");
    values.place = place;
    values.type = "DRIVE";
    values.state = drive_state_shown(member);
    if (strcmp(values.state, "Missing") == 0) {
        values.state = "Msng";
    }
    values.free_space = "-";
    topology_append(rows, &values);
}

/* The level within one span: what a RAID 10, 50 or 60 is made of. */
static void span_type(const char *level, char out[16])
{
    level_type(level, out);
    if (strlen(out) == 6) { /* "RAID10" */
        out[5] = '\0';
    }
}

static bool group_is_busy(const struct model *model, const struct model_object *group)
{
    const struct model_list *operations = &model->lists[OBJECT_KIND_OPERATION];

    for (uint32_t i = 0; i < operations->count; i++) {
        const json_t *doc = operations->items[i].doc;

        if (strcmp(doc_text(doc, "drive_group"), group->key) == 0 &&
            strcmp(doc_text(doc, "state"), "running") == 0) {
            return true;
        }
    }
    return false;
}

void topology_rows(json_t *rows, const struct model *model, const struct model_object *group)
{
    const json_t *members = json_object_get(group->doc, "members");
    const json_t *member;
    size_t index;
    char type[16];
    char inner[16];
    struct topology_row values = {.group = doc_u64(group->doc, "index"),
                                  .array = -1,
                                  .row = -1,
                                  .place = "-",
                                  .did = -1,
                                  .state = vd_state_shown(group->doc),
                                  .busy = group_is_busy(model, group),
                                  .bytes = doc_u64(group->doc, "size_bytes"),
                                  .free_space = doc_u64(group->doc, "free_bytes") > 0 ? "Y" : "N"};

    level_type(doc_text(group->doc, "level"), type);
    span_type(doc_text(group->doc, "level"), inner);
    values.type = type;
    topology_append(rows, &values);
    for (uint64_t span = 0; span < doc_u64(group->doc, "span_count"); span++) {
        values.array = (int64_t)span;
        values.type = inner;
        values.bytes = doc_u64(group->doc, "size_bytes") / doc_u64(group->doc, "span_count");
        topology_append(rows, &values);
        json_array_foreach(members, index, member)
        {
            if (doc_u64(member, "span") == span) {
                topology_member(rows, model, member, &values);
            }
        }
    }
}

/* Details. */

static json_t *drive_state_details(const json_t *drive)
{
    json_t *section = json_object();
    char text[FORMAT_BYTES] = "N/A";

    if (!doc_is_null(drive, "temperature_c")) {
        double celsius = (double)doc_u64(drive, "temperature_c");

        (void)snprintf(text, sizeof(text), " %.0fC (%.2f F)", celsius, celsius * 9 / 5 + 32);
    }
    row_number(section, "Shield Counter", 0);
    row_number(section, "Media Error Count", doc_u64(drive, "media_error_count"));
    row_number(section, "Other Error Count", doc_u64(drive, "other_error_count"));
    row_text(section, "Drive Temperature", text);
    row_number(section, "Predictive Failure Count", doc_u64(drive, "predictive_failure_count"));
    row_text(section, "S.M.A.R.T alert flagged by drive",
             doc_u64(drive, "predictive_failure_count") > 0 ? "Yes" : "No");
    return section;
}

static void sectors_text(json_t *section, const char *name, uint64_t bytes)
{
    char size[FORMAT_BYTES];
    char text[2 * FORMAT_BYTES];

    (void)snprintf(text, sizeof(text), "%s [0x%llx Sectors]", format_size(bytes, size),
                   (unsigned long long)(bytes / 512));
    row_text(section, name, text);
}

static json_t *drive_attributes(const json_t *drive)
{
    json_t *section = json_object();
    bool nvme = strcmp(doc_text(drive, "interface"), "nvme") == 0;
    const char *wwn = doc_text(drive, "wwn");

    row_text(section, "SN", doc_text(drive, "serial"));
    row_text(section, "Manufacturer Id", "");
    row_text(section, nvme ? "Model" : "Model Number", doc_text(drive, "model"));
    row_text(section, "NAND Vendor", "NA");
    row_text(section, "WWN", wwn[0] != '\0' ? wwn : "NA");
    row_text(section, "Firmware Revision", doc_text(drive, "firmware"));
    sectors_text(section, "Raw size", doc_u64(drive, "size_bytes"));
    sectors_text(section, "Coerced size", drive_shown_bytes(drive));
    sectors_text(section, "Non Coerced size", doc_u64(drive, "size_bytes"));
    row_text(section, "Device Speed", "Unknown");
    row_text(section, "Link Speed", "Unknown");
    row_text(section, "Logical Sector Size",
             doc_u64(drive, "block_bytes") == 4096 ? "4 KB" : "512B");
    row_text(section, "Physical Sector Size",
             doc_u64(drive, "physical_block_bytes") == 4096 ? "4 KB" : "512B");
    row_text(section, "Connector Name", doc_text(drive, "device"));
    return section;
}

static json_t *drive_policies(const struct model *model, const json_t *drive)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(drive, "drive_group"));
    json_t *section = json_object();
    char position[80] = "-";

    if (group != NULL) {
        (void)snprintf(position, sizeof(position), "DriveGroup:%u, Span:%u, Row:%u",
                       (unsigned)doc_u64(group->doc, "index"), (unsigned)doc_u64(drive, "span"),
                       (unsigned)doc_u64(drive, "row"));
    }
    row_text(section, "Drive position", position);
    row_text(section, "Enclosure position", doc_is_null(drive, "eid") ? "-" : "1");
    row_text(section, "Connected Port Number", "-");
    row_number(section, "Sequence Number", 0);
    row_text(section, "Commissioned Spare", "No");
    row_text(section, "Emergency Spare", "No");
    row_text(section, "SED Capable", "No");
    row_text(section, "SED Enabled", "No");
    row_text(section, "Secured", "No");
    row_text(section, "Locked", "No");
    row_text(section, "Certified", "No");
    row_text(section, "Wide Port Capable", "No");
    ASSERT(json_object_set_new(section, "Port Information",
                               json_pack("[{s:i, s:s, s:s, s:s}]", "Port", 0, "Status", "Active",
                                         "Linkspeed", "Unknown", "SAS address", "0x0")) == 0);
    return section;
}

json_t *drive_details(const struct model *model, const json_t *drive)
{
    json_t *details = json_object();
    char name[96];

    (void)snprintf(name, sizeof(name), "Drive %s State", doc_text(drive, "path"));
    ASSERT(json_object_set_new(details, name, drive_state_details(drive)) == 0);
    (void)snprintf(name, sizeof(name), "Drive %s Device attributes", doc_text(drive, "path"));
    ASSERT(json_object_set_new(details, name, drive_attributes(drive)) == 0);
    (void)snprintf(name, sizeof(name), "Drive %s Policies/Settings", doc_text(drive, "path"));
    ASSERT(json_object_set_new(details, name, drive_policies(model, drive)) == 0);
    row_text(details, "Inquiry Data", "");
    return details;
}

static void vd_active_operations(const struct model *model, const struct model_object *vd,
                                 char out[80])
{
    const struct model_object *operation = model_operation(model, vd->key);

    (void)snprintf(out, 80, "None");
    if (operation != NULL) {
        const char *kind = doc_text(operation->doc, "kind");

        (void)snprintf(out, 80, "%s (%.0f%%)",
                       strcmp(kind, "resync") == 0 ? "Resynchronization"
                                                   : "Background Initialization",
                       json_number_value(json_object_get(operation->doc, "progress_percent")));
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
    row_text(section, "VD has Emulated PD", "No");
    row_number(section, "Span Depth", doc_u64(vd->doc, "span_count"));
    row_number(section, "Number of Drives Per Span", doc_u64(vd->doc, "drives_per_span"));
    row_text(section, "Write Cache(initial setting)", write_names[write]);
    if (json_is_object(json_object_get(vd->doc, "cache"))) {
        const json_t *cache = json_object_get(vd->doc, "cache");

        row_number(section, "Cached Writes KiB", doc_u64(cache, "dirty_bytes") / 1024);
        row_text(section, "Cached Writes Pinned", doc_bool(cache, "pinned") ? "Yes" : "No");
    }
    if (json_is_object(json_object_get(vd->doc, "lost_writes"))) {
        row_text(section, "Acknowledged Writes Lost",
                 doc_text(json_object_get(vd->doc, "lost_writes"), "text"));
    }
    row_text(section, "Disk Cache Policy", drive_cache_shown(vd->doc));
    row_text(section, "Encryption", "None");
    row_text(section, "Data Protection", "None");
    vd_active_operations(model, vd, text);
    row_text(section, "Active Operations", text);
    row_text(section, "Exposed to OS", json_array_size(exports) > 0 ? "Yes" : "No");
    row_text(section, "OS Drive Name", uri[0] != '\0' ? uri : "N/A");
    vd_creation_times(section, doc_u64(vd->doc, "created_at_us"));
    row_text(section, "Emulation type", "default");
    row_text(section, "Is LD Ready for OS Requests", "Yes");
    (void)snprintf(text, sizeof(text), "6%.31s", doc_text(vd->doc, "guid"));
    row_text(section, "SCSI NAA Id", text);
    row_text(section, "Unmap Enabled", "Yes");
    if (!doc_is_null(vd->doc, "stripe_log")) {
        row_text(section, "Stripe Log", doc_bool(vd->doc, "stripe_log") ? "On" : "Off");
    }
    row_text(section, "Guarantee", doc_text(json_object_get(vd->doc, "guarantee"), "text"));
    return section;
}

/* Progress. */

static void progress_fields(json_t *row, const json_t *operation)
{
    char text[FORMAT_BYTES];
    const char *state = doc_text(operation, "state");

    if (operation == NULL) {
        row_text(row, "Progress%", "-");
        row_text(row, "Status", "Not in progress");
        row_text(row, "Estimated Time Left", "-");
        return;
    }
    row_number(row, "Progress%",
               (uint64_t)json_number_value(json_object_get(operation, "progress_percent")));
    row_text(row, "Status", strcmp(state, "paused") == 0 ? "Paused" : "In progress");
    row_text(row, "Estimated Time Left",
             format_time_left(doc_is_null(operation, "time_left_s")
                                  ? -1
                                  : (int64_t)doc_u64(operation, "time_left_s"),
                              text));
}

json_t *drive_progress_row(const struct model *model, const struct model_object *drive)
{
    const struct model_object *operation = model_operation(model, drive->key);
    json_t *row = json_object();

    row_text(row, "Drive-ID", doc_text(drive->doc, "path"));
    progress_fields(row, operation != NULL ? operation->doc : NULL);
    return row;
}

json_t *vd_progress_row(const struct model *model, const struct model_object *vd,
                        const char *operation)
{
    const struct model_object *found = model_operation(model, vd->key);
    json_t *row = json_object();

    row_number(row, "VD", doc_u64(vd->doc, "index"));
    row_text(row, "Operation", operation);
    progress_fields(row, found != NULL ? found->doc : NULL);
    return row;
}
