/*
 * Drives as MegaCLI shows them: -PDList and what is near it.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/mega.h"
#include "cli/rows.h"
#include "cli/show.h"

#define PLACES_MAX 64u

static const char *state_text(const json_t *drive)
{
    static const struct {
        const char *state, *up, *down;
    } states[] = {
        {"online", "Online, Spun Up", "Online, Spun down"},
        {"hot_spare", "Hotspare, Spun Up", "Hotspare, Spun down"},
        {"dedicated_hot_spare", "Hotspare, Spun Up", "Hotspare, Spun down"},
        {"unconfigured_good", "Unconfigured(good), Spun Up", "Unconfigured(good), Spun down"},
        {"unconfigured_bad", "Unconfigured(bad)", "Unconfigured(bad)"},
        {"offline", "Offline", "Offline"},
        {"failed", "Failed", "Failed"},
        {"rebuild", "Rebuild", "Rebuild"},
        {"copyback", "Copyback", "Copyback"},
        {"jbod", "JBOD", "JBOD"},
    };

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (strcmp(doc_text(drive, "state"), states[i].state) == 0) {
            return doc_bool(drive, "spun_down") ? states[i].down : states[i].up;
        }
    }
    return "Unknown";
}

/* SATA: serial, model and firmware in columns of 20, 40 and 8; SAS: vendor, model, firmware,
 * serial.
 */
static void inquiry_print(const json_t *drive)
{
    bool sas = strcmp(doc_text(drive, "interface"), "sas") == 0;

    if (sas) {
        (void)printf("Inquiry Data: %-8.8s%-16.16s%-4.4s%s\n", doc_text(drive, "vendor"),
                     doc_text(drive, "model"), doc_text(drive, "firmware"),
                     doc_text(drive, "serial"));
    } else {
        (void)printf("Inquiry Data: %-20s%-40s%-8s\n", doc_text(drive, "serial"),
                     doc_text(drive, "model"), doc_text(drive, "firmware"));
    }
}

/* An agent of old does not say: then it is. */
static bool is_revertible(const json_t *spare)
{
    return doc_is_null(spare, "revertible") || doc_bool(spare, "revertible");
}

/* The row before the sizes of a drive that is a hot spare. */
static void spare_print(const struct model *model, const json_t *drive)
{
    const json_t *spare = json_object_get(drive, "hot_spare");
    const json_t *groups = json_object_get(spare, "drive_groups");
    const json_t *key;
    size_t index;

    if (!json_is_object(spare) || !doc_is_null(drive, "drive_group")) {
        return;
    }
    (void)printf("Hotspare Information: \nType: %s, is %srevertible\n",
                 json_array_size(groups) > 0 ? "Dedicated" : "Global",
                 is_revertible(spare) ? "" : "not ");
    json_array_foreach(groups, index, key)
    {
        const struct model_object *group =
            model_find(model, OBJECT_KIND_DRIVE_GROUP, json_string_value(key));

        if (group != NULL) {
            (void)printf("Array #: %llu\n", (unsigned long long)doc_u64(group->doc, "index"));
        }
    }
}

static void place_print(const struct model *model, const json_t *drive)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(drive, "drive_group"));

    if (doc_is_null(drive, "eid")) {
        (void)fputs("Enclosure Device ID: N/A\n", stdout);
    } else {
        (void)printf("Enclosure Device ID: %llu\n", (unsigned long long)doc_u64(drive, "eid"));
    }
    (void)printf("Slot Number: %llu\n", (unsigned long long)drive_number(drive));
    if (group != NULL) {
        (void)printf("Drive's position: DiskGroup: %llu, Span: %llu, Arm: %llu\n",
                     (unsigned long long)doc_u64(group->doc, "index"),
                     (unsigned long long)doc_u64(drive, "span"),
                     (unsigned long long)doc_u64(drive, "row"));
    }
    (void)printf("Enclosure position: %s\n", doc_is_null(drive, "eid") ? "N/A" : "1");
    (void)printf("Device Id: %llu\n", (unsigned long long)doc_u64(drive, "did"));
}

/* A line for each: what MegaCLI calls it and where StorCLI's answer has it. */
struct line {
    const char *shown, *section, *key, *behind;
};

static void lines_print(const json_t *details, const char *path, const struct line *lines,
                        size_t count)
{
    char name[96];
    char text[FORMAT_BYTES];
    char size[FORMAT_BYTES];

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(name, sizeof(name), "Drive %s %s", path, lines[i].section);
        const char *value = mega_cell(json_object_get(details, name), lines[i].key, text);

        if (strstr(lines[i].key, "size") != NULL) {
            value = mega_size_text(value, size);
        }
        (void)printf("%s%s%s\n", lines[i].shown, value, lines[i].behind);
    }
}

#define STATE "State"
#define ATTRIBUTES "Device attributes"
#define POLICIES "Policies/Settings"

static const struct line counters[] = {
    {"WWN: ", ATTRIBUTES, "WWN", ""},
    {"Sequence Number: ", POLICIES, "Sequence Number", ""},
    {"Media Error Count: ", STATE, "Media Error Count", ""},
    {"Other Error Count: ", STATE, "Other Error Count", ""},
    {"Predictive Failure Count: ", STATE, "Predictive Failure Count", ""},
    {"Last Predictive Failure Event Seq Number: ", POLICIES,
     "Last Predictive Failure Event Sequence Number", ""},
};
static const struct line sizes[] = {
    {"Raw Size: ", ATTRIBUTES, "Raw size", ""},
    {"Non Coerced Size: ", ATTRIBUTES, "Non Coerced size", ""},
    {"Coerced Size: ", ATTRIBUTES, "Coerced size", ""},
};
static const struct line settings[] = {
    {"Commissioned Spare : ", POLICIES, "Commissioned Spare", ""},
    {"Emergency Spare : ", POLICIES, "Emergency Spare", ""},
    {"Device Firmware Level: ", ATTRIBUTES, "Firmware Revision", ""},
    {"Shield Counter: ", STATE, "Shield Counter", ""},
    {"Successful diagnostics completion on :  ", POLICIES, "Successful diagnostics completion on",
     ""},
};
static const struct line speeds[] = {
    {"Device Speed: ", ATTRIBUTES, "Device Speed", " "},
    {"Link Speed: ", ATTRIBUTES, "Link Speed", " "},
};

static const struct line port[] = {
    {"Port's Linkspeed: ", ATTRIBUTES, "Link Speed", " "},
    {"Drive has flagged a S.M.A.R.T alert : ", STATE, "S.M.A.R.T alert flagged by drive", ""},
};

#define PRINT(details, path, lines)                                                                \
    lines_print(details, path, lines, sizeof(lines) / sizeof((lines)[0]))

static void media_print(const json_t *details, const json_t *drive)
{
    bool flash = strcmp(doc_text(drive, "media"), "ssd") == 0;
    char name[96];
    char text[FORMAT_BYTES];

    (void)snprintf(name, sizeof(name), "Drive %s State", doc_text(drive, "path"));
    const char *celsius = mega_cell(json_object_get(details, name), "Drive Temperature", text);

    (void)printf("Media Type: %s\nDrive:  Not Certified\nDrive Temperature :%s%s\n",
                 flash ? "Solid State Device" : "Hard Disk Device", celsius[0] == ' ' ? "" : " ",
                 celsius + (celsius[0] == ' ' ? 1 : 0));
}

/* The WWN is 16 digits; its SAS address is the same. */
static void address_print(const json_t *details, const json_t *drive)
{
    const json_t *ports;
    char name[96];

    (void)snprintf(name, sizeof(name), "Drive %s Policies/Settings", doc_text(drive, "path"));
    ports = json_object_get(json_object_get(details, name), "Port Information");
    (void)printf("SAS Address(0): %s\nConnected Port Number: 0(path0) \n",
                 doc_text(json_array_get(ports, 0), "SAS address"));
}

void mega_drive_print(const struct model *model, const struct model_object *object)
{
    const json_t *drive = object->doc;
    const char *path = doc_text(drive, "path");
    json_t *details = drive_details(model, drive);
    json_t *row = drive_row(model, drive);
    char text[FORMAT_BYTES];

    place_print(model, drive);
    PRINT(details, path, counters);
    (void)printf("PD Type: %s\n", mega_cell(row, "Intf", text));
    spare_print(model, drive);
    (void)fputc('\n', stdout);
    PRINT(details, path, sizes);
    (void)printf("Sector Size:  %llu\nLogical Sector Size:  %llu\nPhysical Sector Size:  %llu\n",
                 (unsigned long long)doc_u64(drive, "block_bytes"),
                 (unsigned long long)doc_u64(drive, "block_bytes"),
                 (unsigned long long)doc_u64(drive, "physical_block_bytes"));
    (void)printf("Firmware state: %s\n", state_text(drive));
    PRINT(details, path, settings);
    address_print(details, drive);
    inquiry_print(drive);
    (void)printf("FDE Capable: Not Capable\nFDE Enable: Disable\nSecured: Unsecured\n"
                 "Locked: Unlocked\nNeeds EKM Attention: No\nForeign State: %s \n",
                 doc_bool(drive, "foreign") ? "Foreign" : "None");
    PRINT(details, path, speeds);
    media_print(details, drive);
    (void)fputs("PI Eligibility:  No \nDrive is formatted for PI information:  No\nPI: No PI\n"
                "Port-0 :\nPort status: Active\n",
                stdout);
    PRINT(details, path, port);
    json_decref(details);
    json_decref(row);
}

/* The drive at a place that was named; NULL: there is none. */
static const struct model_object *place_find(const struct model *model,
                                             const struct cli_place *place)
{
    const struct model_object *drive =
        model_drive_at(model, place->has_eid, place->eid, place->slot);

    return drive != NULL && doc_bool(drive->doc, "present") ? drive : NULL;
}

/* Visits the drives of -PhysDrv. 0, or 1 if one is missing or none was named. */
static int named_each(struct cli_context *context, const struct mega_request *request,
                      void (*visit)(const struct cli_context *, const struct model_object *))
{
    struct cli_place places[PLACES_MAX];
    uint32_t count = 0;
    int code = 0;

    if (!places_parse(request->drives, places, PLACES_MAX, &count)) {
        (void)printf("\nAdapter %d: -PhysDrv[E:S,...] must name drives.\n", context->number);
        return 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct model_object *drive = place_find(context->model, &places[i]);

        if (drive == NULL) {
            (void)printf("\nAdapter %d: Device at Enclosure - %u, Slot - %u is not found.\n",
                         context->number, places[i].eid, places[i].slot);
            code = 1;
        } else {
            visit(context, drive);
        }
    }
    return code;
}

static void info_visit(const struct cli_context *context, const struct model_object *drive)
{
    (void)fputc('\n', stdout);
    mega_drive_print(context->model, drive);
    (void)fputs("\n\n", stdout);
}

int mega_drives_show(struct cli_context *context, const struct mega_request *request)
{
    const struct model_list *drives = &context->model->lists[OBJECT_KIND_DRIVE];

    if (word_is_one_of(request->verb, "PDInfo")) {
        return named_each(context, request, info_visit);
    }
    (void)printf("\nAdapter #%d\n", context->number);
    for (uint32_t i = 0; i < drives->count; i++) {
        if (doc_bool(drives->items[i].doc, "present")) {
            info_visit(context, &drives->items[i]);
        }
    }
    return 0;
}

int mega_drives_count(struct cli_context *context, const struct mega_request *request UNUSED)
{
    (void)printf("\n Number of Physical Drives on Adapter %d: %u\n", context->number,
                 controller_drive_count(context->model));
    return 0;
}

static void rebuild_visit(const struct cli_context *context, const struct model_object *drive)
{
    const struct model_object *running = model_operation(context->model, drive->key);
    unsigned long long eid = doc_u64(drive->doc, "eid");
    unsigned long long slot = drive_number(drive->doc);

    if (running == NULL || strcmp(doc_text(running->doc, "kind"), "rebuild") != 0) {
        (void)printf("\nDevice(Encl-%llu Slot-%llu) is not in rebuild process\n", eid, slot);
        return;
    }
    uint64_t started_s = doc_u64(running->doc, "started_at_us") / 1000000;
    uint64_t now_s = (uint64_t)time(NULL);

    (void)printf("\nRebuild Progress on Device at Enclosure %llu, Slot %llu Completed %u%% in %u "
                 "Minutes.\n",
                 eid, slot, operation_percent(running->doc),
                 now_s > started_s ? (unsigned)((now_s - started_s) / 60) : 0);
}

int mega_rebuild_show(struct cli_context *context, const struct mega_request *request)
{
    return named_each(context, request, rebuild_visit);
}
