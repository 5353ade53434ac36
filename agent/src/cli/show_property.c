/*
 * /cX show <property>: Ctrl_Prop and Value, several properties in one answer.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/rows.h"
#include "cli/show.h"

#define VALUE_BYTES PROPERTY_VALUE_BYTES

struct property_row {
    const char *noun;  /* as it is typed */
    const char *shown; /* Ctrl_Prop */
    const char *text;  /* a value that is always this; NULL: `make` */
    void (*make)(const json_t *controller, char out[VALUE_BYTES]);
};

static void rate_text(const json_t *controller, const char *field, char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%u%%", (unsigned)doc_u64(controller, field));
}

static void make_rebuild_rate(const json_t *controller, char out[VALUE_BYTES])
{
    rate_text(controller, "rebuild_rate_percent", out);
}

static void make_bgi_rate(const json_t *controller, char out[VALUE_BYTES])
{
    rate_text(controller, "bgi_rate_percent", out);
}

static void make_patrol_rate(const json_t *controller, char out[VALUE_BYTES])
{
    rate_text(controller, "patrol_rate_percent", out);
}

static void make_glitch_time(const json_t *controller, char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%u sec", (unsigned)doc_u64(controller, "glitch_seconds"));
}

static const char *coercion_shown(const json_t *controller)
{
    enum coercion coercion;

    if (!coercion_parse(doc_text(controller, "coercion"), &coercion)) {
        coercion = COERCION_NONE; /* an agent of before it was there */
    }
    return coercion == COERCION_GIB_1 ? "1GB" : coercion == COERCION_MIB_128 ? "128MB" : "None";
}

static void make_coercion(const json_t *controller, char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%s", coercion_shown(controller));
}

static void on_off(const json_t *controller, const char *field, char out[VALUE_BYTES])
{
    (void)snprintf(out, VALUE_BYTES, "%s", doc_bool(controller, field) ? "ON" : "OFF");
}

static void make_auto_rebuild(const json_t *controller, char out[VALUE_BYTES])
{
    on_off(controller, "auto_rebuild", out);
}

static void make_emergency_spare(const json_t *controller, char out[VALUE_BYTES])
{
    on_off(controller, "emergency_spare", out);
}

static void make_emergency_unconfigured(const json_t *controller, char out[VALUE_BYTES])
{
    on_off(controller, "emergency_unconfigured", out);
}

static void make_copyback(const json_t *controller, char out[VALUE_BYTES])
{
    on_off(controller, "copyback", out);
}

static void make_predictive_copyback(const json_t *controller, char out[VALUE_BYTES])
{
    on_off(controller, "predictive_copyback", out);
}

static void make_mixed_media(const json_t *controller, char out[VALUE_BYTES])
{
    on_off(controller, "mixed_media", out);
}

static void make_mixed_interfaces(const json_t *controller, char out[VALUE_BYTES])
{
    on_off(controller, "mixed_interfaces", out);
}

static void make_time(const json_t *controller UNUSED, char out[VALUE_BYTES])
{
    time_t now = time(NULL);
    struct tm local;

    out[0] = '\0';
    if (localtime_r(&now, &local) != NULL) {
        (void)strftime(out, VALUE_BYTES, "%Y/%m/%d %H:%M:%S", &local);
    }
}

/*
 * Every property of a controller, in the order in which they are shown: "show <property>", what
 * "set" answers and the sections of "show all" all come from here. What this controller always does
 * or never does has a fixed value.
 */
static const struct property_row properties[] = {
    {"rebuildrate", "Rebuildrate", NULL, make_rebuild_rate},
    {"bgirate", "BGI Rate", NULL, make_bgi_rate},
    {"ccrate", "CC Rate", NULL, make_bgi_rate}, /* a check runs at the rate of initialization */
    {"prrate", "Patrol Read Rate", NULL, make_patrol_rate},
    {"autorebuild", "AutoRebuild", NULL, make_auto_rebuild},
    {"eghs", "EmergencyHotSpare", NULL, make_emergency_spare},
    {"eghs", "EmergencyUG", NULL, make_emergency_unconfigured},
    {"eghs", "EmergencySmarter", NULL, make_predictive_copyback},
    {"mixmedia", "MixMedia", NULL, make_mixed_media},
    {"mixinterface", "MixInterface", NULL, make_mixed_interfaces},
    {"glitchtime", "GlitchTime", NULL, make_glitch_time},
    {"coercion", "Coercion", NULL, make_coercion},
    {"time", "Time", NULL, make_time},
    {"temperature", "ROC temperature(Degree Celsius)", "N/A", NULL},
    {"foreignautoimport", "ForeignAutoImport", "OFF", NULL},
    {"autoenhancedimport", "AutoEnhancedImport", "OFF", NULL},
    {"bootdrive", "BootDrive", "No Boot Drive", NULL},
    {"jbod", "JBOD", "OFF", NULL},
    {"alarm", "Alarm", "ABSENT", NULL},
    {"copyback", "Copyback", NULL, make_copyback},
    {"batterywarning", "Battery Warning", "ON", NULL},
    {"maintainpdfailhistory", "Maintain PD Fail History", "ON", NULL},
    {"restorehotspare", "Restore HotSpare", "OFF", NULL},
    {"loadbalancemode", "Load Balance Mode", "None", NULL},
    {"abortcconerror", "Abort CC on Error", "OFF", NULL},
    {"bootwithpinnedcache", "Boot with Pinned Cache", "ON", NULL},
    {"smartpollinterval", "Smart Poll Interval", "0 sec", NULL},
    {"cacheflushint", "Cache Flush Interval", "4 sec", NULL},
    {"eccbucketsize", "ECC Bucket Size", "0", NULL},
    {"eccbucketleakrate", "ECC Bucket Leak Rate", "0 hrs", NULL},
    {"spinupdrivecount", "Spinup Drive Count", "0", NULL},
    {"spinupdelay", "Spinup Delay", "0 sec", NULL},
    {"activityforlocate", "Use Drive Activity for Locate", "OFF", NULL},
    {"exposeenclosuredevice", "Expose Enclosure Device", "ON", NULL},
    {"directpdmapping", "Direct PD Mapping", "OFF", NULL},
    {"backplane", "Backplane Detection", "OFF", NULL},
    {"stoponerror", "BIOS Stop on Error", "OFF", NULL},
    {"ncq", "NCQ", "OFF", NULL},
    {"ocr", "OCR", "ON", NULL},
    {"failpdonsmarterror", "Fail PD on SMART Error", "OFF", NULL},
    {"sesmonitoring", "SES Monitoring", "OFF", NULL},
    {"personality", "Current Personality", "RAID-Mode", NULL},
    {"pendingimages", "Image name", "No pending images", NULL},
    {"cc|consistencycheck", "CC Operation Mode", "Disabled", NULL},
    {"cc|consistencycheck", "CC Execution Delay", "0", NULL},
    {"cc|consistencycheck", "CC Next Starttime", "NA", NULL},
    {"cc|consistencycheck", "CC Current State", "Stopped", NULL},
    {"cc|consistencycheck", "CC Number of iterations", "0", NULL},
    {"cc|consistencycheck", "CC Number of VD completed", "0", NULL},
    {"cc|consistencycheck", "CC Excluded VDs", "None", NULL},
};

const char *controller_property(const json_t *controller, const char *noun, char out[VALUE_BYTES])
{
    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
        const struct property_row *row = &properties[i];

        if (!word_is_one_of(noun, row->noun)) {
            continue;
        }
        if (row->make != NULL) {
            row->make(controller, out);
        } else {
            (void)snprintf(out, VALUE_BYTES, "%s", row->text);
        }
        return out;
    }
    return NULL;
}

bool check_is_scheduled(void)
{
    char mode[VALUE_BYTES];

    return strcmp(controller_property(NULL, "cc", mode), "Disabled") != 0;
}

static bool is_asked(const struct cli_context *context, const char *noun)
{
    for (uint32_t i = 1; i < context->request.word_count; i++) {
        if (word_is_one_of(context->request.words[i], noun)) {
            return true;
        }
    }
    return false;
}

void show_controller_property(struct cli_context *context)
{
    const json_t *controller = cli_controller(context)->doc;
    json_t *rows = json_array();
    json_t *data = json_object();

    for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
        const struct property_row *property = &properties[i];
        char value[VALUE_BYTES];

        if (!is_asked(context, property->noun)) {
            continue;
        }
        if (property->make != NULL) {
            property->make(controller, value);
        }
        rows_append(rows, json_pack("{s:s, s:s}", "Ctrl_Prop", property->shown, "Value",
                                    property->text != NULL ? property->text : value));
    }
    if (is_asked(context, "pr|patrolread")) {
        patrol_rows(context->model, rows);
    }
    row_set(data, "Controller Properties", rows);
    cli_answer(context, "None", data);
}
