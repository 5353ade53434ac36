/*
 * tw_cli's tables: column for column, because they are read by position.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/rows.h"
#include "cli/screen_text.h"
#include "cli/show.h"
#include "cli/tw.h"

#define GIB 1073741824.0
#define MODEL_COLUMNS 40u

static bool is_state(const json_t *doc, const char *state)
{
    return strcmp(doc_text(doc, "state"), state) == 0;
}

void tw_table_begin(const char *heading, uint32_t rule_columns)
{
    (void)printf("\n%s\n", heading);
    for (uint32_t i = 0; i < rule_columns; i++) {
        (void)fputc('-', stdout);
    }
    (void)fputc('\n', stdout);
}

void tw_tables_end(void)
{
    (void)fputc('\n', stdout);
}

/* Six digits, as far as three of them are behind the point. */
const char *tw_size_text(uint64_t bytes, char out[FORMAT_BYTES])
{
    double size = (double)bytes / GIB;

    (void)snprintf(out, FORMAT_BYTES, "%.*f", size >= 10000 ? 1 : size >= 1000 ? 2 : 3, size);
    return out;
}

const char *tw_drive_size_text(uint64_t bytes, char out[FORMAT_BYTES])
{
    bool large = bytes >= (uint64_t)1 << 40;

    (void)snprintf(out, FORMAT_BYTES, "%.2f %s", (double)bytes / (large ? 1024 * GIB : GIB),
                   large ? "TB" : "GB");
    return out;
}

unsigned tw_rate(uint64_t percent)
{
    return 1 + (unsigned)(percent < 100 ? percent : 100) / 25;
}

/* Ports count through the enclosures, as slots are ordered. */
uint32_t tw_ports(const struct model *model, struct tw_port ports[TW_PORTS_MAX])
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < drives->count && count < TW_PORTS_MAX; i++) {
        if (doc_bool(drives->items[i].doc, "present")) {
            ports[count] =
                (struct tw_port){(uint32_t)doc_u64(drives->items[i].doc, "did"), &drives->items[i]};
            count++;
        }
    }
    return count;
}

const json_t *tw_rebuild_of(const struct model *model, const struct model_object *vd)
{
    const struct model_list *operations = &model->lists[OBJECT_KIND_OPERATION];

    for (uint32_t i = 0; i < operations->count; i++) {
        const json_t *doc = operations->items[i].doc;

        if (doc_is_null(doc, "ended_at_us") && strcmp(doc_text(doc, "kind"), "rebuild") == 0 &&
            strcmp(doc_text(doc, "drive_group"), doc_text(vd->doc, "drive_group")) == 0) {
            return doc;
        }
    }
    return NULL;
}

/* 3ware's word for what runs on the whole of a unit; NULL: nothing that has one. */
static const char *activity_word(const struct model_object *operation)
{
    static const struct {
        const char *kind, *active, *paused;
    } words[] = {{"background_init", "INITIALIZING", "INIT-PAUSED"},
                 {"resync", "VERIFYING", "VERIFY-PAUSED"},
                 {"consistency_check", "VERIFYING", "VERIFY-PAUSED"}};

    for (size_t i = 0; operation != NULL && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(doc_text(operation->doc, "kind"), words[i].kind) == 0) {
            return is_state(operation->doc, "paused") ? words[i].paused : words[i].active;
        }
    }
    return NULL;
}

const char *tw_unit_status(const struct model *model, const struct model_object *vd)
{
    const json_t *rebuild = tw_rebuild_of(model, vd);
    const char *activity = activity_word(model_operation(model, vd->key));

    if (is_state(vd->doc, "offline")) {
        return "INOPERABLE";
    }
    if (is_state(vd->doc, "starting")) {
        return "UNKNOWN";
    }
    if (rebuild != NULL) {
        return is_state(rebuild, "paused") ? "REBUILD-PAUSED" : "REBUILDING";
    }
    if (!is_state(vd->doc, "optimal")) {
        return "DEGRADED";
    }
    return activity != NULL ? activity : "OK";
}

const char *tw_port_status(const json_t *drive)
{
    static const struct {
        const char *state, *word;
    } words[] = {{"failed", "DEVICE-ERROR"}, {"unconfigured_bad", "DEVICE-ERROR"},
                 {"offline", "DEGRADED"},    {"rebuild", "REBUILDING"},
                 {"missing", "NOT-PRESENT"}, {"starting", "UNKNOWN"}};

    if (doc_u64(drive, "predictive_failure_count") > 0) {
        return "SMART-FAILURE";
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (is_state(drive, words[i].state)) {
            return words[i].word;
        }
    }
    return "OK";
}

static void percent_text(const json_t *operation, char out[16])
{
    (void)snprintf(out, 16, "-");
    if (operation != NULL) {
        (void)snprintf(out, 16, "%u%%", operation_percent(operation));
    }
}

static void progress_texts(const struct model *model, const struct model_object *vd,
                           char rebuild[16], char other[16])
{
    const struct model_object *found = model_operation(model, vd->key);

    percent_text(tw_rebuild_of(model, vd), rebuild);
    percent_text(found != NULL ? found->doc : NULL, other);
}

/* The column %V/I/M: "29%(A)" active, "29%(P)" paused. */
static void activity_text(const struct model *model, const struct model_object *vd, char out[24])
{
    const struct model_object *found = model_operation(model, vd->key);
    char percent[16];

    percent_text(found != NULL ? found->doc : NULL, percent);
    (void)snprintf(out, 24, "%s%s", percent,
                   activity_word(found) == NULL     ? ""
                   : is_state(found->doc, "paused") ? "(P)"
                                                    : "(A)");
}

const char *tw_unit_percent(const struct model *model, const struct model_object *vd, char out[16])
{
    char other[16];

    progress_texts(model, vd, out, other);
    if (strcmp(out, "-") == 0) {
        memcpy(out, other, sizeof(other));
    }
    return out;
}

/* "W", "RiW", "Rb", "OFF": what the read and the write cache do. */
static void cache_text(const json_t *vd, char out[8])
{
    const char *write = doc_text(json_object_get(vd, "write_policy"), "effective");
    const char *read = doc_text(json_object_get(vd, "read_policy"), "effective");
    bool writes = strcmp(write, "write_through") != 0;
    const char *reads = strcmp(read, "no_read_ahead") != 0                 ? "Ri"
                        : strcmp(doc_text(vd, "io_policy"), "cached") == 0 ? "Rb"
                                                                           : "";

    (void)snprintf(out, 8, "%s%s", reads, writes ? "W" : "");
    if (out[0] == '\0') {
        (void)snprintf(out, 8, "OFF");
    }
}

static void unit_type(const json_t *vd, char out[16])
{
    const char *level = doc_text(vd, "level");

    if (strcmp(level, "raid0") == 0 &&
        doc_u64(vd, "span_count") * doc_u64(vd, "drives_per_span") == 1) {
        (void)snprintf(out, 16, "Single");
    } else {
        (void)snprintf(out, 16, "RAID-%s", level + strlen("raid"));
    }
}

static void strip_text(const json_t *vd, char out[16])
{
    (void)snprintf(out, 16, "%uK", (unsigned)(doc_u64(vd, "strip_bytes") / 1024));
    if (strcmp(doc_text(vd, "level"), "raid1") == 0) {
        (void)snprintf(out, 16, "-");
    }
}

/* A row of the units. Its columns are read by position: nine words, of which none is empty. */
struct unit_cells {
    uint64_t number;
    const char *type, *status, *rebuild, *other, *strip, *size, *cache, *verify;
};

static void unit_cells_print(const struct unit_cells *cells)
{
    (void)printf("u%-4llu %-9s %-14s %-7s %-7s %-7s %-9s %-6s %s\n",
                 (unsigned long long)cells->number, cells->type, cells->status, cells->rebuild,
                 cells->other, cells->strip, cells->size, cells->cache, cells->verify);
}

static void unit_row(const struct model *model, const struct model_object *vd)
{
    const json_t *controller = model->lists[OBJECT_KIND_CONTROLLER].items[0].doc;
    char type[16];
    char rebuild[16];
    char other[24];
    char strip[16];
    char cache[8];
    char size[FORMAT_BYTES];

    unit_type(vd->doc, type);
    percent_text(tw_rebuild_of(model, vd), rebuild);
    activity_text(model, vd, other);
    strip_text(vd->doc, strip);
    cache_text(vd->doc, cache);
    unit_cells_print(&(struct unit_cells){doc_u64(vd->doc, "index"), type,
                                          tw_unit_status(model, vd), rebuild, other, strip,
                                          tw_size_text(doc_u64(vd->doc, "size_bytes"), size), cache,
                                          patrol_is_scheduled(controller) ? "ON" : "OFF"});
}

/* Hot spares are units behind the last virtual drive. */
static uint64_t spares_from(const struct model *model)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    uint64_t number = 0;

    for (uint32_t i = 0; i < vds->count; i++) {
        uint64_t index = doc_u64(vds->items[i].doc, "index");

        number = index >= number ? index + 1 : number;
    }
    return number;
}

static bool is_spare(const json_t *drive)
{
    return !doc_is_null(drive, "hot_spare") && doc_is_null(drive, "drive_group");
}

const struct model_object *tw_spare_find(const struct model *model, uint64_t number)
{
    struct tw_port ports[TW_PORTS_MAX];
    uint32_t count = tw_ports(model, ports);
    uint64_t at = spares_from(model);

    for (uint32_t i = 0; i < count; i++) {
        if (is_spare(ports[i].drive->doc) && at++ == number) {
            return ports[i].drive;
        }
    }
    return NULL;
}

bool tw_spare_number(const struct model *model, const char *key, uint64_t *ret_number)
{
    uint64_t number = spares_from(model);
    const struct model_object *spare = tw_spare_find(model, number);

    while (spare != NULL && strcmp(spare->key, key) != 0) {
        spare = tw_spare_find(model, ++number);
    }
    *ret_number = number;
    return spare != NULL;
}

static void spare_row(const struct model_object *drive, uint64_t number)
{
    char size[FORMAT_BYTES];

    unit_cells_print(&(struct unit_cells){number, "SPARE", tw_port_status(drive->doc), "-", "-",
                                          "-", tw_size_text(drive_shown_bytes(drive->doc), size),
                                          "-", "OFF"});
}

void tw_units_print(const struct model *model)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    struct tw_port ports[TW_PORTS_MAX];
    uint32_t count = tw_ports(model, ports);
    uint64_t number = spares_from(model);

    tw_table_begin("Unit  UnitType  Status         %RCmpl  %V/I/M  Stripe  Size(GB)  Cache  AVrfy",
                   78);
    for (uint32_t i = 0; i < vds->count; i++) {
        unit_row(model, &vds->items[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_spare(ports[i].drive->doc)) {
            spare_row(ports[i].drive, number++);
        }
    }
}

static void subunit_row(const struct model *model, const struct model_object *vd,
                        const json_t *member, size_t index)
{
    const struct model_object *drive =
        model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));
    const struct model_object *running = drive != NULL ? model_operation(model, drive->key) : NULL;
    char name[32];
    char port[16] = "-";
    char size[FORMAT_BYTES];
    char rebuild[16];

    percent_text(running != NULL ? running->doc : NULL, rebuild);
    (void)snprintf(name, sizeof(name), "u%llu-%zu", (unsigned long long)doc_u64(vd->doc, "index"),
                   index);
    if (drive != NULL) {
        (void)snprintf(port, sizeof(port), "p%llu", (unsigned long long)doc_u64(drive->doc, "did"));
    }
    (void)printf("%-8s %-9s %-14s %-7s %-7s %-5s %-7s %s\n", name, "DISK",
                 drive != NULL ? tw_port_status(drive->doc) : "NOT-PRESENT", rebuild, "-", port,
                 "-", drive != NULL ? tw_size_text(drive_shown_bytes(drive->doc), size) : "-");
}

static void unit_table_begin(void)
{
    tw_table_begin("Unit     UnitType  Status         %RCmpl  %V/I/M  Port  Stripe  Size(GB)", 72);
}

void tw_spare_print(const struct model_object *drive, uint64_t number)
{
    char port[16];
    char size[FORMAT_BYTES];

    (void)snprintf(port, sizeof(port), "p%llu", (unsigned long long)doc_u64(drive->doc, "did"));
    unit_table_begin();
    (void)printf("u%-7llu %-9s %-14s %-7s %-7s %-5s %-7s %s\n", (unsigned long long)number, "SPARE",
                 tw_port_status(drive->doc), "-", "-", port, "-",
                 tw_size_text(drive_shown_bytes(drive->doc), size));
}

void tw_unit_print(const struct model *model, const struct model_object *vd)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd->doc, "drive_group"));
    const json_t *member;
    size_t index;
    char type[16];
    char rebuild[16];
    char other[24];
    char strip[16];
    char size[FORMAT_BYTES];

    unit_table_begin();
    unit_type(vd->doc, type);
    percent_text(tw_rebuild_of(model, vd), rebuild);
    activity_text(model, vd, other);
    strip_text(vd->doc, strip);
    (void)tw_size_text(doc_u64(vd->doc, "size_bytes"), size);
    (void)printf("u%-7llu %-9s %-14s %-7s %-7s %-5s %-7s %s\n",
                 (unsigned long long)doc_u64(vd->doc, "index"), type, tw_unit_status(model, vd),
                 rebuild, other, "-", strip, size);
    json_array_foreach(json_object_get(group != NULL ? group->doc : NULL, "members"), index, member)
    {
        subunit_row(model, vd, member, index);
    }
    (void)printf("u%llu/v0    Volume    -              -       -       -     -       %s\n",
                 (unsigned long long)doc_u64(vd->doc, "index"), size);
}

/* "u0" of the first virtual drive on this drive's group, or "-". */
static void unit_of(const struct model *model, const json_t *drive, char out[16])
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    (void)snprintf(out, 16, "-");
    for (uint32_t i = 0; i < vds->count; i++) {
        if (!doc_is_null(drive, "drive_group") && strcmp(doc_text(vds->items[i].doc, "drive_group"),
                                                         doc_text(drive, "drive_group")) == 0) {
            (void)snprintf(out, 16, "u%llu",
                           (unsigned long long)doc_u64(vds->items[i].doc, "index"));
            return;
        }
    }
}

static void port_row(const struct model *model, const struct tw_port *port)
{
    const json_t *drive = port->drive->doc;
    char name[16];
    char unit[16];
    char size[FORMAT_BYTES];
    char kind[16];
    char place[32];
    char model_shown[4 * MODEL_COLUMNS + 1];

    unit_of(model, drive, unit);
    (void)snprintf(name, sizeof(name), "p%u", port->number);
    level_type(doc_text(drive, "interface"), kind);
    (void)snprintf(place, sizeof(place), "-");
    if (!doc_is_null(drive, "eid")) {
        (void)snprintf(place, sizeof(place), "%.8s/e%llu/slt%llu",
                       doc_text(model->lists[OBJECT_KIND_CONTROLLER].items[0].doc, "path"),
                       (unsigned long long)doc_u64(drive, "eid"),
                       (unsigned long long)doc_u64(drive, "slot"));
    }
    (void)printf("%-5s %-14s %-4s %-9s %-4s  %-3u %-12s %s\n", name, tw_port_status(drive), unit,
                 tw_drive_size_text(doc_u64(drive, "size_bytes"), size), kind, port->number, place,
                 screen_text_cut(doc_text(drive, "model"), MODEL_COLUMNS, model_shown));
}

const struct model_object *tw_port_find(const struct model *model, uint64_t number)
{
    struct tw_port ports[TW_PORTS_MAX];
    uint32_t count = tw_ports(model, ports);

    for (uint32_t i = 0; i < count; i++) {
        if (ports[i].number == number) {
            return ports[i].drive;
        }
    }
    return NULL;
}

void tw_ports_print(const struct model *model)
{
    struct tw_port ports[TW_PORTS_MAX];
    uint32_t count = tw_ports(model, ports);

    tw_table_begin("VPort Status         Unit Size      Type  Phy Encl-Slot    Model", 78);
    for (uint32_t i = 0; i < count; i++) {
        port_row(model, &ports[i]);
    }
}

static void battery_date(const json_t *battery, char out[16])
{
    time_t at = (time_t)(doc_u64(json_object_get(battery, "learn"), "last_at_us") / 1000000);
    struct tm local;

    (void)snprintf(out, 16, "xx-xxx-xxxx"); /* never, in 3ware's words */
    if (at != 0 && localtime_r(&at, &local) != NULL) {
        (void)strftime(out, 16, "%d-%b-%Y", &local);
    }
}

static const char *battery_status(const json_t *battery)
{
    return is_state(battery, "optimal")    ? "OK"
           : is_state(battery, "charging") ? "Charging"
           : is_state(battery, "learning") ? "Testing"
           : is_state(battery, "low")      ? "WeakBat"
           : is_state(battery, "missing")  ? "Not-Present"
           : is_state(battery, "failed")   ? "Failed"
                                           : "Fault";
}

bool tw_battery_is_low(const json_t *battery)
{
    return is_state(battery, "low");
}

bool tw_battery_is_hot(const json_t *battery)
{
    return strcmp(doc_text(json_object_get(battery, "state_reason"), "code"), "battery_hot") == 0;
}

void tw_battery_print(const struct model *model)
{
    const struct model_object *battery = cli_battery(model);
    char date[16];

    tw_table_begin("Name  OnlineState  BBUReady  Status    Volt     Temp     Hours  LastCapTest",
                   75);
    if (battery == NULL) {
        return;
    }
    const json_t *doc = battery->doc;
    battery_date(doc, date);
    (void)printf("bbu   %-12s %-9s %-9s %-8s %-8s %-6llu %s\n",
                 is_state(doc, "missing") ? "Off" : "On", doc_bool(doc, "protects") ? "Yes" : "No",
                 battery_status(doc), tw_battery_is_low(doc) ? "LOW" : "OK",
                 tw_battery_is_hot(doc) ? "HIGH" : "OK",
                 (unsigned long long)doc_u64(doc, "retention_s") / 3600, date);
}

/* As 3ware counts: a unit that is verified is optimal. */
uint32_t tw_units_bad(const struct model *model)
{
    const struct model_list *vds = &model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    uint32_t bad = 0;

    for (uint32_t i = 0; i < vds->count; i++) {
        bad += !word_is_one_of(tw_unit_status(model, &vds->items[i]), "OK|VERIFYING");
    }
    return bad;
}

static void controller_row(const struct model *model, uint32_t number)
{
    const json_t *doc = model->lists[OBJECT_KIND_CONTROLLER].items[0].doc;
    const struct model_object *battery = cli_battery(model);
    char name[16];
    char word[32];

    (void)snprintf(name, sizeof(name), "c%u", number);
    (void)snprintf(word, sizeof(word), "%s", doc_text(doc, "model"));
    for (char *at = word; *at != '\0'; at++) {
        *at = *at == ' ' ? '-' : *at; /* columns are counted by blanks */
    }
    (void)printf("%-5s %-12s %-9llu %-8u %-7u %-7u %-7u %-6u %s\n", name, word,
                 (unsigned long long)controller_port_count(model), controller_drive_count(model),
                 model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count, tw_units_bad(model),
                 tw_rate(doc_u64(doc, "rebuild_rate_percent")),
                 tw_rate(doc_u64(doc, "patrol_rate_percent")),
                 battery != NULL ? battery_status(battery->doc) : "-");
}

void tw_controllers_print(const struct cli_context *context)
{
    tw_table_begin("Ctl   Model        (V)Ports  Drives   Units   NotOpt  RRate   VRate  BBU", 72);
    for (uint32_t i = 0; i < context->controller_count; i++) {
        const struct model *model = context->controllers[i].model;

        if (model != NULL && model->lists[OBJECT_KIND_CONTROLLER].count > 0) {
            controller_row(model, i);
        }
    }
    tw_tables_end();
}
