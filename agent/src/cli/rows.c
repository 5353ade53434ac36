/*
 * Documents as StorCLI's rows: see rows.h.
 */
#include "cli/rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/sha256.h"
#include "base/words.h"
#include "cli/report.h"
#include "cli/screen_text.h"

void row_set(json_t *row, const char *name, json_t *value)
{
    ASSERT(json_object_set_new(row, name, value) == 0);
}

void rows_append(json_t *rows, json_t *row)
{
    ASSERT(json_array_append_new(rows, row) == 0);
}

void row_text(json_t *row, const char *name, const char *text)
{
    json_t *value = json_string(text);

    if (value == NULL) { /* it was cut within a character */
        char *whole = strdup(text);

        value = whole != NULL ? json_string(screen_text_whole(whole)) : NULL;
        free(whole);
    }
    row_set(row, name, value);
}

void row_number(json_t *row, const char *name, uint64_t number)
{
    row_set(row, name, json_integer((json_int_t)number));
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

bool member_is_missing(const json_t *member)
{
    return strcmp(doc_text(member, "state"), drive_state_word(DRIVE_STATE_MISSING)) == 0;
}

bool drive_is_free(const json_t *drive)
{
    return doc_bool(drive, "present") &&
           strcmp(doc_text(drive, "state"), "unconfigured_good") == 0 &&
           doc_is_null(drive, "unsuitable") && !doc_bool(drive, "foreign");
}

static const char *interface_shown(const json_t *drive)
{
    static const char *const shown[DRIVE_INTERFACE_MAX] = {"SATA", "SAS",  "NVMe", "VIRTIO",
                                                           "USB",  "FILE", "LOOP", "Unknown"};
    enum drive_interface interface;

    return drive_interface_parse(doc_text(drive, "interface"), &interface) ? shown[interface]
                                                                           : "Unknown";
}

void drive_place_text(const json_t *drive, char out[32])
{
    unsigned number = (unsigned)drive_number(drive);

    if (doc_is_null(drive, "eid")) {
        (void)snprintf(out, 32, " :%u", number);
    } else {
        (void)snprintf(out, 32, "%u:%u", (unsigned)doc_u64(drive, "eid"), number);
    }
}

uint64_t drive_shown_bytes(const json_t *drive)
{
    uint64_t usable_bytes = doc_u64(drive, "usable_bytes");

    return usable_bytes != 0 ? usable_bytes : doc_u64(drive, "size_bytes");
}

bool spare_is_dedicated(const json_t *drive, const char *group)
{
    const json_t *groups = json_object_get(json_object_get(drive, "hot_spare"), "drive_groups");
    const json_t *key;
    size_t index;

    json_array_foreach(groups, index, key)
    {
        if (strcmp(json_string_value(key), group) == 0) {
            return doc_is_null(drive, "drive_group");
        }
    }
    return false;
}

/* The drive group it is in; of a dedicated spare the first that it would serve; or NULL. */
static const struct model_object *group_of(const struct model *model, const json_t *drive)
{
    const struct model_list *groups = &model->lists[OBJECT_KIND_DRIVE_GROUP];

    for (uint32_t i = 0; i < groups->count; i++) {
        if (strcmp(groups->items[i].key, doc_text(drive, "drive_group")) == 0 ||
            spare_is_dedicated(drive, groups->items[i].key)) {
            return &groups->items[i];
        }
    }
    return NULL;
}

static void drive_group_cell(json_t *row, const struct model *model, const json_t *drive)
{
    const struct model_object *group = group_of(model, drive);

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

    drive_place_text(drive, place);
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
    row_text(row, "Sp", doc_bool(drive, "spun_down") ? "D" : "U");
    row_text(row, "Type", "-");
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

json_t *enclosure_details(const struct model *model, const json_t *enclosure)
{
    json_t *details = json_object();
    json_t *rows = json_array();
    json_t *information =
        json_pack("{s:s, s:s, s:i}", "Enclosure Serial Number", "N/A", "Device Type",
                  doc_bool(enclosure, "emulated") ? "Emulated" : "N/A", "Device ID",
                  (int)doc_u64(enclosure, "eid"));

    rows_append(rows, enclosure_row(model, enclosure));
    if (!doc_is_null(enclosure, "hot_swap")) {
        row_text(information, "Hot Swap", doc_bool(enclosure, "hot_swap") ? "Yes" : "No");
    }
    row_set(details, "Information", information);
    row_set(details, "Inquiry Data",
            json_pack("{s:s, s:s, s:s, s:s}", "Vendor Identification", "", "Product Identification",
                      doc_text(enclosure, "model"), "Product Revision Level", "", "Vendor Specific",
                      ""));
    row_set(details, "Properties", rows);
    return details;
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

/* "6.0Gb/s", of PCI Express "8.0GT/s"; "Unknown" if the host does not tell it. */
static void speed_text(const json_t *drive, const char *name, char out[FORMAT_BYTES])
{
    double gigabits = (double)doc_u64(drive, name) / 1000;

    if (doc_is_null(drive, name)) {
        (void)snprintf(out, FORMAT_BYTES, "Unknown");
    } else {
        (void)snprintf(out, FORMAT_BYTES, "%.1f%s", gigabits,
                       doc_is_null(drive, "link_lanes") ? "Gb/s" : "GT/s");
    }
}

/* Of SCSI's inquiry data, where the translation layer names every SATA drive alike. */
static void manufacturer_text(const json_t *drive, char out[FORMAT_BYTES])
{
    bool sata = strcmp(doc_text(drive, "interface"), "sata") == 0;
    const char *vendor = sata ? "ATA" : doc_text(drive, "vendor");

    (void)snprintf(out, FORMAT_BYTES, vendor[0] != '\0' ? "%-8s" : "%s", vendor);
}

/*
 * Clients tell drives apart by this. Where a drive has no World Wide Name of 16 digits, a stable
 * one is made of its identity: 3 is the format of names that are assigned locally.
 */
const char *drive_wwn(const json_t *drive, char out[DRIVE_WWN_BYTES])
{
    static const char *const identity[] = {"vendor", "model", "serial", "wwn", "path"};
    /* Only where nothing else tells two drives apart does the place count. */
    bool anonymous = doc_text(drive, "serial")[0] == '\0' && doc_text(drive, "wwn")[0] == '\0';
    const char *own = doc_text(drive, "wwn");
    char hex[65];
    struct sha256 sum;

    if (strlen(own) == 16 && strspn(own, "0123456789abcdefABCDEF") == 16) {
        (void)snprintf(out, DRIVE_WWN_BYTES, "%s", own);
        return out;
    }
    sha256_init(&sum);
    for (size_t i = 0; i < sizeof(identity) / sizeof(identity[0]) - !anonymous; i++) {
        const char *text = doc_text(drive, identity[i]);

        sha256_add(&sum, text, strlen(text) + 1);
    }
    sha256_hex(&sum, hex);
    (void)snprintf(out, DRIVE_WWN_BYTES, "3%.15s", hex);
    return out;
}

static json_t *drive_attributes(const json_t *drive)
{
    char text[FORMAT_BYTES];

    json_t *section = json_object();
    bool nvme = strcmp(doc_text(drive, "interface"), "nvme") == 0;
    char wwn[DRIVE_WWN_BYTES];

    row_text(section, "SN", doc_text(drive, "serial"));
    manufacturer_text(drive, text);
    row_text(section, "Manufacturer Id", text);
    row_text(section, nvme ? "Model" : "Model Number", doc_text(drive, "model"));
    row_text(section, "NAND Vendor", "NA");
    row_text(section, "WWN", drive_wwn(drive, wwn));
    row_text(section, "Firmware Revision", doc_text(drive, "firmware"));
    sectors_text(section, "Raw size", doc_u64(drive, "size_bytes"));
    sectors_text(section, "Coerced size", drive_shown_bytes(drive));
    sectors_text(
        section, "Non Coerced size",
        doc_u64(drive, doc_is_null(drive, "uncoerced_bytes") ? "size_bytes" : "uncoerced_bytes"));
    speed_text(drive, "device_speed_mbps", text);
    row_text(section, "Device Speed", text);
    speed_text(drive, "link_speed_mbps", text);
    row_text(section, "Link Speed", text);
    row_text(section, "NCQ setting", "N/A");
    row_text(section, "Write Cache",
             strcmp(doc_text(drive, "write_cache"), "on") == 0    ? "Enabled"
             : strcmp(doc_text(drive, "write_cache"), "off") == 0 ? "Disabled"
                                                                  : "N/A");
    row_text(section, "Logical Sector Size",
             doc_u64(drive, "block_bytes") == 4096 ? "4 KB" : "512B");
    row_text(section, "Physical Sector Size",
             doc_u64(drive, "physical_block_bytes") == 4096 ? "4 KB" : "512B");
    row_text(section, "Connector Name", doc_text(drive, "device"));
    return section;
}

/* A spare that stands in for a lost member now. */
static bool is_commissioned(const json_t *drive)
{
    return !doc_is_null(drive, "hot_spare") && !doc_is_null(drive, "drive_group");
}

/* "DriveGroup:0, Span:0, Row:1" */
static void position_text(const struct model *model, const json_t *drive, char out[80])
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(drive, "drive_group"));

    (void)snprintf(out, 80, "-");
    if (group != NULL && !doc_is_null(drive, "row")) {
        (void)snprintf(out, 80, "DriveGroup:%u, Span:%u, Row:%u",
                       (unsigned)doc_u64(group->doc, "index"), (unsigned)doc_u64(drive, "span"),
                       (unsigned)doc_u64(drive, "row"));
    }
}

static json_t *drive_policies(const struct model *model, const json_t *drive)
{
    /* What a drive here never is; the rest stands between them, in StorCLI's order. */
    static const char *const never[] = {"FDE Type",
                                        "SED Capable",
                                        "SED Enabled",
                                        "Secured",
                                        "Cryptographic Erase Capable",
                                        "Sanitize Support",
                                        "Locked",
                                        "Needs EKM Attention",
                                        "PI Eligible",
                                        "Certified",
                                        "Wide Port Capable",
                                        "Multipath"};
    json_t *section = json_object();
    char position[80];
    char speed[FORMAT_BYTES];
    char wwn[DRIVE_WWN_BYTES];
    char address[DRIVE_WWN_BYTES + 2];

    (void)snprintf(address, sizeof(address), "0x%s", drive_wwn(drive, wwn));
    position_text(model, drive, position);
    speed_text(drive, "link_speed_mbps", speed);
    row_text(section, "Drive position", position);
    row_text(section, "Enclosure position", doc_is_null(drive, "eid") ? "-" : "1");
    row_text(section, "Connected Port Number", "-");
    row_number(section, "Sequence Number", 0);
    row_text(section, "Commissioned Spare", is_commissioned(drive) ? "Yes" : "No");
    row_text(section, "Emergency Spare", "No");
    row_number(section, "Last Predictive Failure Event Sequence Number", 0);
    row_text(section, "Successful diagnostics completion on", "N/A");
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
        row_text(section, never[i], i == 0 ? "None" : "No");
    }
    row_set(section, "Port Information",
            json_pack("[{s:i, s:s, s:s, s:s}]", "Port", 0, "Status",
                      doc_bool(drive, "present") ? "Active" : "Inactive", "Linkspeed", speed,
                      "SAS address", address));
    return section;
}

json_t *drive_details(const struct model *model, const json_t *drive)
{
    json_t *details = json_object();
    char name[96];

    (void)snprintf(name, sizeof(name), "Drive %s State", doc_text(drive, "path"));
    row_set(details, name, drive_state_details(drive));
    (void)snprintf(name, sizeof(name), "Drive %s Device attributes", doc_text(drive, "path"));
    row_set(details, name, drive_attributes(drive));
    (void)snprintf(name, sizeof(name), "Drive %s Policies/Settings", doc_text(drive, "path"));
    row_set(details, name, drive_policies(model, drive));
    row_text(details, "Inquiry Data", "");
    return details;
}
