/*
 * Envelope, JSON and text tables: see report.h.
 */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/screen_text.h"

#define COLUMNS_MAX 24u

const char *format_size(uint64_t bytes, char out[FORMAT_BYTES])
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1024.0 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1024.0;
        unit++;
    }
    (void)snprintf(out, FORMAT_BYTES, unit == 0 ? "%.0f %s" : "%.3f %s", value, units[unit]);
    return out;
}

const char *format_time_left(int64_t seconds, char out[FORMAT_BYTES])
{
    long long days = seconds / 86400;
    long long hours = seconds / 3600 % 24;
    long long minutes = seconds / 60 % 60;

    if (seconds < 0) {
        (void)snprintf(out, FORMAT_BYTES, "-");
    } else if (days > 0) {
        (void)snprintf(out, FORMAT_BYTES, "%lld Days %lld Hours %lld Minutes", days, hours,
                       minutes);
    } else if (hours > 0) {
        (void)snprintf(out, FORMAT_BYTES, "%lld Hours %lld Minutes", hours, minutes);
    } else if (minutes > 0) {
        (void)snprintf(out, FORMAT_BYTES, "%lld Minutes", minutes);
    } else {
        (void)snprintf(out, FORMAT_BYTES, "%lld Seconds", (long long)seconds);
    }
    return out;
}

const char *format_moment(uint64_t at_us, char out[FORMAT_BYTES])
{
    time_t at = (time_t)(at_us / 1000000);
    struct tm local;

    if (at_us == 0 || localtime_r(&at, &local) == NULL ||
        strftime(out, FORMAT_BYTES, "%m/%d/%Y, %H:%M:%S", &local) == 0) {
        (void)snprintf(out, FORMAT_BYTES, "NA");
    }
    return out;
}

void report_init(struct report *report)
{
    report->controllers = json_array();
    report->exit_code = 0;
    ASSERT(report->controllers != NULL);
}

void report_done(struct report *report)
{
    json_decref(report->controllers);
    report->controllers = NULL;
}

/* A failure never says that it succeeded, as some of StorCLI's own do. */
static json_t *failure_text(const char *description)
{
    const char *claim = strstr(description, "Succeeded");

    return claim == NULL ? json_string(description)
                         : json_sprintf("%.*sFailed%s", (int)(claim - description), description,
                                        claim + strlen("Succeeded"));
}

void report_add(struct report *report, int controller, int error_code, const char *description,
                json_t *detailed, json_t *data)
{
    struct utsname system;
    char os[sizeof(system.sysname) + sizeof(system.release) + 2] = "Linux";
    json_t *status = json_object();
    json_t *entry = json_object();

    if (uname(&system) == 0) {
        (void)snprintf(os, sizeof(os), "%s %s", system.sysname, system.release);
    }
    (void)json_object_set_new(status, "CLI Version", json_string(CLI_VERSION_TEXT));
    (void)json_object_set_new(status, "Operating system", json_string(os));
    if (controller >= 0) {
        (void)json_object_set_new(status, "Controller", json_integer(controller));
    } else {
        (void)json_object_set_new(status, "Status Code", json_integer(error_code));
    }
    (void)json_object_set_new(status, "Status",
                              json_string(error_code == 0 ? "Success" : "Failure"));
    (void)json_object_set_new(status, "Description",
                              error_code == 0 ? json_string(description)
                                              : failure_text(description));
    if (detailed != NULL) {
        (void)json_object_set_new(status, "Detailed Status", detailed);
    }
    (void)json_object_set_new(entry, "Command Status", status);
    if (data != NULL) {
        (void)json_object_set_new(entry, "Response Data", data);
    }
    ASSERT(json_array_append_new(report->controllers, entry) == 0);
    if (error_code != 0 && report->exit_code == 0) {
        report->exit_code = error_code;
    }
}

/* JSON as StorCLI spaces it: tabs, and blanks on both sides of the colon. */

static void json_print(const json_t *value, unsigned depth, FILE *out);

static void tabs_print(unsigned depth, FILE *out)
{
    for (unsigned i = 0; i < depth; i++) {
        (void)fputc('\t', out);
    }
}

static void scalar_print(const json_t *value, FILE *out)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));

    ASSERT(text != NULL);
    (void)fputs(text, out);
    free(text);
}

static void object_print(const json_t *object, unsigned depth, FILE *out)
{
    const char *name;
    json_t *value;
    bool first = true;

    (void)fputs("{", out);
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        json_t *key = json_string(name);

        (void)fputs(first ? "\n" : ",\n", out);
        first = false;
        tabs_print(depth + 1, out);
        scalar_print(key, out);
        json_decref(key);
        (void)fputs(" : ", out);
        json_print(value, depth + 1, out);
    }
    (void)fputc('\n', out);
    tabs_print(depth, out);
    (void)fputc('}', out);
}

static void array_print(const json_t *array, unsigned depth, FILE *out)
{
    const json_t *value;
    size_t index;

    (void)fputs("[", out);
    json_array_foreach(array, index, value)
    {
        (void)fputs(index == 0 ? "\n" : ",\n", out);
        tabs_print(depth + 1, out);
        json_print(value, depth + 1, out);
    }
    (void)fputc('\n', out);
    tabs_print(depth, out);
    (void)fputc(']', out);
}

static void json_print(const json_t *value, unsigned depth, FILE *out)
{
    if (json_is_object(value)) {
        object_print(value, depth, out);
    } else if (json_is_array(value)) {
        array_print(value, depth, out);
    } else {
        scalar_print(value, out);
    }
}

void report_print_json(const struct report *report, FILE *out)
{
    const json_t *entry;
    size_t index;

    (void)fputs("{\n\"Controllers\":[\n", out);
    json_array_foreach(report->controllers, index, entry)
    {
        json_print(entry, 0, out);
        (void)fputs(index + 1 < json_array_size(report->controllers) ? ",\n" : "\n", out);
    }
    (void)fputs("]\n}\n", out);
}

/* Text. */

static const char *cell_text(const json_t *value, char out[FORMAT_BYTES])
{
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    if (json_is_integer(value)) {
        (void)snprintf(out, FORMAT_BYTES, "%lld", (long long)json_integer_value(value));
        return out;
    }
    if (json_is_boolean(value)) {
        return json_is_true(value) ? "Yes" : "No";
    }
    return "-";
}

struct table {
    const json_t *rows;
    uint32_t column_count;
    const char *names[COLUMNS_MAX];
    size_t widths[COLUMNS_MAX];
    bool right[COLUMNS_MAX]; /* numbers and sizes */
};

static void table_measure(struct table *table, const json_t *rows)
{
    const char *name;
    json_t *value;
    const json_t *row;
    size_t index;
    char text[FORMAT_BYTES];

    *table = (struct table){.rows = rows};
    json_object_foreach(json_array_get(rows, 0), name, value)
    {
        uint32_t column = table->column_count++;

        ASSERT(column < COLUMNS_MAX);
        table->names[column] = name;
        table->widths[column] = screen_text_width(name);
        table->right[column] = true;
        json_array_foreach(rows, index, row)
        {
            const json_t *cell = json_object_get(row, name);
            size_t width = screen_text_width(cell_text(cell, text));

            if (width > table->widths[column]) {
                table->widths[column] = width;
            }
            if (!json_is_integer(cell) && strcmp(name, "Size") != 0) {
                table->right[column] = false;
            }
        }
    }
}

static void rule_print(const struct table *table, FILE *out)
{
    size_t width = 0;

    for (uint32_t i = 0; i < table->column_count; i++) {
        width += table->widths[i] + 1;
    }
    for (size_t i = 1; i < width; i++) {
        (void)fputc('-', out);
    }
    (void)fputc('\n', out);
}

static void cell_print(const struct table *table, uint32_t column, const char *text, FILE *out)
{
    size_t pad = table->widths[column] - screen_text_width(text);

    for (size_t i = 0; table->right[column] && i < pad; i++) {
        (void)fputc(' ', out);
    }
    (void)fputs(text, out);
    for (size_t i = 0; !table->right[column] && i < pad; i++) {
        (void)fputc(' ', out);
    }
    (void)fputc(' ', out);
}

static const char legend_pd[] =
    "EID=Enclosure Device ID|Slt=Slot No|DID=Device ID|DG=DriveGroup\n"
    "DHS=Dedicated Hot Spare|UGood=Unconfigured Good|GHS=Global Hotspare\n"
    "UBad=Unconfigured Bad|Sntze=Sanitize|Onln=Online|Offln=Offline|Intf=Interface\n"
    "Med=Media Type|SED=Self Encryptive Drive|PI=Protection Info\n"
    "SeSz=Sector Size|Sp=Spun|U=Up|D=Down|T=Transition|F=Foreign\n"
    "UGUnsp=UGood Unsupported|UGShld=UGood shielded|HSPShld=Hotspare shielded\n"
    "CFShld=Configured shielded|Cpybck=CopyBack|CBShld=Copyback Shielded\n"
    "UBUnsp=UBad Unsupported|Rbld=Rebuild\n";
static const char legend_vd[] =
    "Cac=CacheCade|Rec=Recovery|OfLn=OffLine|Pdgd=Partially Degraded|Dgrd=Degraded\n"
    "Optl=Optimal|RO=Read Only|RW=Read Write|B=Blocked|Consist=Consistent|\n"
    "R=Read Ahead Always|NR=No Read Ahead|WB=WriteBack|\n"
    "AWB=Always WriteBack|WT=WriteThrough|C=Cached IO|D=Direct IO|sCC=Scheduled\n"
    "Check Consistency\n";
static const char legend_topology[] =
    "DG=Disk Group Index|Arr=Array Index|Row=Row Index|EID=Enclosure Device ID\n"
    "DID=Device ID|Type=Drive Type|Onln=Online|Rbld=Rebuild|Optl=Optimal|Dgrd=Degraded\n"
    "Pdgd=Partially degraded|Offln=Offline|BT=Background Task Active\n"
    "PDC=PD Cache|PI=Protection Info|SED=Self Encrypting Drive|Frgn=Foreign\n"
    "DS3=Dimmer Switch 3|dflt=Default|Msng=Missing|FSpace=Free Space Present\n"
    "TR=Transport Ready\n";
static const char legend_enclosure[] =
    "EID=Enclosure Device ID | PD=Physical drive count | PS=Power Supply count\n"
    "TSs=Temperature sensor count | Alms=Alarm count | SIM=SIM Count | ProdID=Product ID\n";

static const char legend_overview[] =
    "Ctl=Controller Index|DGs=Drive groups|VDs=Virtual drives|Fld=Failed\n"
    "PDs=Physical drives|DNOpt=Array NotOptimal|VNOpt=VD NotOptimal|Opt=Optimal\n"
    "Msng=Missing|Dgd=Degraded|NdAtn=Need Attention|Unkwn=Unknown\n"
    "sPR=Scheduled Patrol Read|DS=DimmerSwitch|EHS=Emergency Spare Drive\n"
    "Y=Yes|N=No|ASOs=Advanced Software Options|BBU=Battery backup unit/CV\n"
    "Hlth=Health|Chrg=Charging|Lrn=Learning|Strt=Starting\n";

/* A table is known by its first column. */
static const char *legend_of(const struct table *table)
{
    static const struct {
        const char *column;
        const char *legend;
    } legends[] = {{"EID:Slt", legend_pd},
                   {"DG/VD", legend_vd},
                   {"DG", legend_topology},
                   {"Ctl", legend_overview},
                   {"EID", legend_enclosure}};

    for (size_t i = 0; i < sizeof(legends) / sizeof(legends[0]); i++) {
        if (strcmp(table->names[0], legends[i].column) == 0 && table->column_count > 3) {
            return legends[i].legend;
        }
    }
    return NULL;
}

static void table_print(const json_t *rows, FILE *out)
{
    struct table table;
    const json_t *row;
    size_t index;
    char text[FORMAT_BYTES];

    table_measure(&table, rows);
    rule_print(&table, out);
    for (uint32_t i = 0; i < table.column_count; i++) {
        cell_print(&table, i, table.names[i], out);
    }
    (void)fputc('\n', out);
    rule_print(&table, out);
    json_array_foreach(rows, index, row)
    {
        for (uint32_t i = 0; i < table.column_count; i++) {
            cell_print(&table, i, cell_text(json_object_get(row, table.names[i]), text), out);
        }
        (void)fputc('\n', out);
    }
    rule_print(&table, out);
    (void)fputc('\n', out);
    if (legend_of(&table) != NULL) {
        (void)fprintf(out, "%s\n", legend_of(&table));
    }
}

static void title_print(const char *title, FILE *out)
{
    (void)fprintf(out, "\n%s :\n", title);
    for (size_t i = 0; i < screen_text_width(title); i++) {
        (void)fputc('=', out);
    }
    (void)fputc('\n', out);
}

static void section_print(const json_t *object, FILE *out)
{
    const char *name;
    json_t *value;
    char text[FORMAT_BYTES];

    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        if (json_is_object(value)) {
            title_print(name, out);
            section_print(value, out);
        } else if (json_is_array(value)) {
            if (json_array_size(value) > 0) {
                title_print(name, out);
                (void)fputc('\n', out); /* tables stand off their title, properties do not */
                table_print(value, out);
            }
        } else {
            (void)fprintf(out, "%s = %s\n", name, cell_text(value, text));
        }
    }
}

void report_print_text(struct report *report, FILE *out)
{
    const json_t *entry;
    size_t index;

    screen_text_clean(report->controllers);
    if (!isatty(fileno(out))) {
        screen_text_ascii(report->controllers); /* programs read it, in the C locale, too */
    }
    json_array_foreach(report->controllers, index, entry)
    {
        const json_t *data = json_object_get(entry, "Response Data");

        section_print(json_object_get(entry, "Command Status"), out);
        (void)fputc('\n', out);
        if (json_is_array(data) && json_array_size(data) > 0) {
            (void)fputc('\n', out);
            table_print(data, out);
        } else if (json_is_object(data)) {
            section_print(data, out);
        }
        (void)fputc('\n', out);
    }
}
