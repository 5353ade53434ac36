/*
 * tw_cli's attributes: what is typed, what is printed, and the value.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/rows.h"
#include "cli/show.h"
#include "cli/tw.h"

#define VALUE_BYTES 96u

struct tw_attribute {
    const char *typed;
    const char *shown; /* NULL: the value is the rest of a sentence that begins with the object */
    void (*make)(const struct model *model, const struct model_object *object,
                 char out[VALUE_BYTES]);
};

static void put(char out[VALUE_BYTES], const char *text)
{
    (void)snprintf(out, VALUE_BYTES, "%s", text[0] != '\0' ? text : "N/A");
}

#define DOCUMENT_VALUE(name, field)                                                                \
    static void name(const struct model *model UNUSED, const struct model_object *object,          \
                     char out[VALUE_BYTES])                                                        \
    {                                                                                              \
        put(out, doc_text(object->doc, field));                                                    \
    }

DOCUMENT_VALUE(make_model, "model")
DOCUMENT_VALUE(make_serial, "serial")
DOCUMENT_VALUE(make_version, "firmware_version")
DOCUMENT_VALUE(make_firmware, "firmware")
DOCUMENT_VALUE(make_name, "name")
DOCUMENT_VALUE(make_guid, "guid")

static void make_none(const struct model *model UNUSED, const struct model_object *object UNUSED,
                      char out[VALUE_BYTES])
{
    put(out, "N/A");
}

#define FIXED_VALUE(name, text)                                                                    \
    static void name(const struct model *model UNUSED, const struct model_object *object UNUSED,   \
                     char out[VALUE_BYTES])                                                        \
    {                                                                                              \
        put(out, text);                                                                            \
    }

FIXED_VALUE(make_on, "on")
FIXED_VALUE(make_off, "off")
FIXED_VALUE(make_one, "1")
FIXED_VALUE(make_all, "all")

static void make_number(char out[VALUE_BYTES], uint64_t number)
{
    (void)snprintf(out, VALUE_BYTES, "%llu", (unsigned long long)number);
}

static void make_ports(const struct model *model, const struct model_object *object UNUSED,
                       char out[VALUE_BYTES])
{
    make_number(out, controller_port_count(model));
}

static void make_drives(const struct model *model, const struct model_object *object UNUSED,
                        char out[VALUE_BYTES])
{
    make_number(out, controller_drive_count(model));
}

static void make_units(const struct model *model, const struct model_object *object UNUSED,
                       char out[VALUE_BYTES])
{
    make_number(out, model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count);
}

static void make_units_good(const struct model *model, const struct model_object *object UNUSED,
                            char out[VALUE_BYTES])
{
    make_number(out, model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count - tw_units_bad(model));
}

static void make_units_bad(const struct model *model, const struct model_object *object UNUSED,
                           char out[VALUE_BYTES])
{
    make_number(out, tw_units_bad(model));
}

static void make_auto_rebuild(const struct model *model UNUSED, const struct model_object *object,
                              char out[VALUE_BYTES])
{
    put(out, doc_bool(object->doc, "auto_rebuild") ? "on" : "off");
}

static void make_rebuild_rate(const struct model *model UNUSED, const struct model_object *object,
                              char out[VALUE_BYTES])
{
    make_number(out, tw_rate(doc_u64(object->doc, "rebuild_rate_percent")));
}

static void make_verify_rate(const struct model *model UNUSED, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    make_number(out, tw_rate(doc_u64(object->doc, "patrol_rate_percent")));
}

static void make_memory(const struct model *model UNUSED, const struct model_object *object,
                        char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%lluMB",
                   (unsigned long long)(doc_u64(object->doc, "cache_bytes") >> 20));
}

static const struct tw_attribute controller_attributes[] = {
    {"driver", "Driver Version", make_version},
    {"model", "Model", make_model},
    {"memory", "Available Memory", make_memory},
    {"firmware", "Firmware Version", make_version},
    {"bios", "Bios Version", make_none},
    {"monitor", "Boot Loader Version", make_none},
    {"serial", "Serial Number", make_serial},
    {"pcb", "PCB Version", make_none},
    {"pchip", "PCHIP Version", make_none},
    {"achip", "ACHIP Version", make_none},
    {"numports", "Number of Ports", make_ports},
    {"numdrives", "Number of Drives", make_drives},
    {"numunits", "Number of Units", make_units},
    {"allunitstatus", "Total Optimal Units", make_units_good},
    {"allunitstatus", "Not Optimal Units", make_units_bad},
    {"exportjbod", "JBOD Export Policy", make_off},
    {"ondegrade", "Cache On Degrade Policy", make_none},
    {"spinup", "Disk Spinup Policy", make_none},
    {"stagger", "Spinup Stagger Time Policy (sec)", make_none},
    {"autocarve", "Auto-Carving Policy", make_off},
    {"carvesize", "Auto-Carving Size", make_none},
    {"autorebuild", "Auto-Rebuild Policy", make_auto_rebuild},
    {"rebuildrate", "Rebuild Rate", make_rebuild_rate},
    {"verifyrate", "Verify Rate", make_verify_rate},
    {"ctlbus", "Controller Bus Type", make_none},
};

static void make_unit_status(const struct model *model, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    put(out, tw_unit_status(model, object));
}

/* 3ware's own words where its presets are these; another preset goes by its name. */
static void make_storsave(const struct model *model UNUSED, const struct model_object *object,
                          char out[VALUE_BYTES])
{
    const char *preset = doc_text(object->doc, "preset");

    put(out, strncmp(preset, "storsave-", 9) == 0 ? preset + 9 : preset);
}

/* "is rebuilding with percent completion = 45%", or what its state is instead. */
static void task_sentence(const struct model *model, const struct model_object *vd,
                          const char *active, const char *verb, char out[VALUE_BYTES])
{
    const char *status = tw_unit_status(model, vd);
    char percent[16];

    if (strcmp(status, active) == 0) {
        (void)snprintf(out, VALUE_BYTES, "is %s with percent completion = %s", verb,
                       tw_unit_percent(model, vd, percent));
    } else {
        (void)snprintf(out, VALUE_BYTES, "is not %s, its current state is %s", verb, status);
    }
}

static void make_rebuilding(const struct model *model, const struct model_object *object,
                            char out[VALUE_BYTES])
{
    task_sentence(model, object, "REBUILDING", "rebuilding", out);
}

static void make_verifying(const struct model *model, const struct model_object *object,
                           char out[VALUE_BYTES])
{
    task_sentence(model, object, "VERIFYING", "verifying", out);
}

static void make_initializing(const struct model *model, const struct model_object *object,
                              char out[VALUE_BYTES])
{
    task_sentence(model, object, "INITIALIZING", "initializing", out);
}

/* A unit keeps its level and its drives, so it never does. */
static void make_migrating(const struct model *model, const struct model_object *object,
                           char out[VALUE_BYTES])
{
    task_sentence(model, object, "MIGRATING", "migrating", out);
}

static void make_write_cache(const struct model *model UNUSED, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    const char *holds = doc_text(json_object_get(object->doc, "write_policy"), "effective");

    put(out, strcmp(holds, "write_through") == 0 ? "off" : "on");
}

static void make_read_cache(const struct model *model UNUSED, const struct model_object *object,
                            char out[VALUE_BYTES])
{
    const char *holds = doc_text(json_object_get(object->doc, "read_policy"), "effective");

    put(out, strcmp(holds, "no_read_ahead") != 0                         ? "Intelligent"
             : strcmp(doc_text(object->doc, "io_policy"), "cached") == 0 ? "Basic"
                                                                         : "off");
}

/* A unit is verified by the patrol read of its controller. */
static void make_auto_verify(const struct model *model, const struct model_object *object UNUSED,
                             char out[VALUE_BYTES])
{
    put(out, patrol_is_scheduled(model->lists[OBJECT_KIND_CONTROLLER].items[0].doc) ? "on" : "off");
}

static const struct tw_attribute unit_attributes[] = {
    {"status", "status", make_unit_status},
    {"rebuildstatus", NULL, make_rebuilding},
    {"verifystatus", NULL, make_verifying},
    {"initializestatus", NULL, make_initializing},
    {"migratestatus", NULL, make_migrating},
    {"wrcache", "Write Cache", make_write_cache},
    {"rdcache", "Read Cache", make_read_cache},
    {"volumes", "volume(s)", make_one},
    {"name", "name", make_name},
    {"serial", "serial number", make_guid},
    {"ignoreECC", "Ignore ECC policy", make_on},
    {"autoverify", "Auto Verify Policy", make_auto_verify},
    {"storsave", "Storsave Policy", make_storsave},
    {"qpolicy", "Command Queuing Policy", make_on},
    {"rapidrecovery", "Rapid RAID Recovery setting", make_all},
};

static void make_port_status(const struct model *model UNUSED, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    put(out, tw_port_status(object->doc));
}

static void make_sectors(const struct model *model UNUSED, const struct model_object *object,
                         char out[VALUE_BYTES])
{
    make_number(out, doc_u64(object->doc, "media_error_count"));
}

static void make_temperature(const struct model *model UNUSED, const struct model_object *object,
                             char out[VALUE_BYTES])
{
    put(out, "N/A");
    if (!doc_is_null(object->doc, "temperature_c")) {
        (void)snprintf(out, VALUE_BYTES, "%llu~C",
                       (unsigned long long)doc_u64(object->doc, "temperature_c"));
    }
}

static void make_link_speed(const struct model *model UNUSED, const struct model_object *object,
                            char out[VALUE_BYTES])
{
    put(out, "N/A");
    if (!doc_is_null(object->doc, "link_speed_mbps")) {
        (void)snprintf(out, VALUE_BYTES, "%.1f Gbps",
                       (double)doc_u64(object->doc, "link_speed_mbps") / 1000);
    }
}

static void make_capacity(const struct model *model UNUSED, const struct model_object *object,
                          char out[VALUE_BYTES])
{
    uint64_t bytes = doc_u64(object->doc, "size_bytes");
    char size[FORMAT_BYTES];

    (void)snprintf(out, VALUE_BYTES, "%s (%llu Blocks)", tw_drive_size_text(bytes, size),
                   (unsigned long long)(bytes / 512));
}

static void make_unit(const struct model *model, const struct model_object *object,
                      char out[VALUE_BYTES])
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    put(out, "N/A");
    for (uint32_t i = 0; i < vds->count; i++) {
        if (!doc_is_null(object->doc, "drive_group") &&
            strcmp(doc_text(vds->items[i].doc, "drive_group"),
                   doc_text(object->doc, "drive_group")) == 0) {
            (void)snprintf(out, VALUE_BYTES, "u%llu",
                           (unsigned long long)doc_u64(vds->items[i].doc, "index"));
            return;
        }
    }
}

static void make_spindle_speed(const struct model *model UNUSED, const struct model_object *object,
                               char out[VALUE_BYTES])
{
    put(out, "N/A");
    if (doc_u64(object->doc, "rotation_rpm") != 0) {
        (void)snprintf(out, VALUE_BYTES, "%llu RPM",
                       (unsigned long long)doc_u64(object->doc, "rotation_rpm"));
    }
}

static void make_identify(const struct model *model UNUSED, const struct model_object *object,
                          char out[VALUE_BYTES])
{
    put(out, doc_bool(object->doc, "locating") ? "on" : "off");
}

static const struct tw_attribute port_attributes[] = {
    {"status", "Status", make_port_status},
    {"model", "Model", make_model},
    {"firmware", "Firmware Version", make_firmware},
    {"serial", "Serial", make_serial},
    {"capacity", "Capacity", make_capacity},
    {"rasect", "Reallocated Sectors", make_sectors},
    {"temperature", "Temperature", make_temperature},
    {"speed", "Spindle Speed", make_spindle_speed},
    {"lspeed", "Link Speed", make_link_speed},
    {"identify", "Identify Status", make_identify},
    {"unit", "Belongs to Unit", make_unit},
};

static void make_battery_ready(const struct model *model UNUSED, const struct model_object *object,
                               char out[VALUE_BYTES])
{
    put(out, doc_bool(object->doc, "protects") ? "Yes" : "No");
}

static void make_battery_status(const struct model *model UNUSED, const struct model_object *object,
                                char out[VALUE_BYTES])
{
    put(out, strcmp(doc_text(object->doc, "state"), "optimal") == 0
                 ? "OK"
                 : battery_state_shown(object->doc));
}

static void make_battery_online(const struct model *model UNUSED, const struct model_object *object,
                                char out[VALUE_BYTES])
{
    put(out, strcmp(doc_text(object->doc, "state"), "missing") == 0 ? "Off" : "On");
}

static void make_battery_degrees(const struct model *model UNUSED,
                                 const struct model_object *object, char out[VALUE_BYTES])
{
    put(out, "N/A");
    if (!doc_is_null(object->doc, "temperature_c")) {
        (void)snprintf(
            out, VALUE_BYTES, "%lld deg C",
            (long long)json_integer_value(json_object_get(object->doc, "temperature_c")));
    }
}

static void make_battery_voltage(const struct model *model UNUSED,
                                 const struct model_object *object, char out[VALUE_BYTES])
{
    put(out, tw_battery_is_low(object->doc) ? "LOW" : "OK");
}

static void make_battery_heat(const struct model *model UNUSED, const struct model_object *object,
                              char out[VALUE_BYTES])
{
    put(out, tw_battery_is_hot(object->doc) ? "HIGH" : "OK");
}

static const struct tw_attribute battery_attributes[] = {
    {"fw", "Firmware Version", make_none},
    {"bootloader", "Bootloader Version", make_none},
    {"pcb", "PCB Revision", make_none},
    {"instdate", "Battery Installation Date", make_none},
    {"serial", "Serial Number", make_serial},
    {"onlinestate", "Online State", make_battery_online},
    {"ready", "BBU Ready", make_battery_ready},
    {"status", "BBU Status", make_battery_status},
    {"volt", "Battery Voltage status", make_battery_voltage},
    {"temp", "Battery Temperature Status", make_battery_heat},
    {"tempval", "Battery Temperature Value", make_battery_degrees},
};

static const struct {
    const struct tw_attribute *list;
    size_t count;
} attributes[] = {
    [TW_SHELL] = {NULL, 0},
    [TW_CONTROLLER] = {controller_attributes,
                       sizeof(controller_attributes) / sizeof(controller_attributes[0])},
    [TW_UNIT] = {unit_attributes, sizeof(unit_attributes) / sizeof(unit_attributes[0])},
    [TW_PORT] = {port_attributes, sizeof(port_attributes) / sizeof(port_attributes[0])},
    [TW_BATTERY] = {battery_attributes, sizeof(battery_attributes) / sizeof(battery_attributes[0])},
};

bool tw_attributes_print(const struct model *model, const struct tw_request *request,
                         const struct model_object *object)
{
    const char *typed = tw_word(request, 0);
    bool all = word_is_one_of(typed, "all");
    uint32_t count = 0;

    for (size_t i = 0; i < attributes[request->object].count; i++) {
        const struct tw_attribute *attribute = &attributes[request->object].list[i];
        char value[VALUE_BYTES];

        /* 3ware's "all" leaves migration out. */
        if (all ? attribute->make == make_migrating : strcasecmp(typed, attribute->typed) != 0) {
            continue;
        }
        attribute->make(model, object, value);
        if (attribute->shown == NULL) {
            (void)printf("%s %s\n", request->path, value);
        } else {
            (void)printf("%s %s = %s\n", request->path, attribute->shown, value);
        }
        count++;
    }
    return count > 0;
}
