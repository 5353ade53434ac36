/*
 * Operations StorCLI has and this agent does not: one table, one answer. A row goes when its
 * operation comes.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/command.h"

#define CONTROL "start|stop|pause|suspend|resume"

const struct cli_unsupported cli_unsupported[] = {
    {CLI_OBJECT_NONE, "restart|shutdown", NULL, "Restarting the controller"},
    {CLI_OBJECT_NONE, "download", NULL, "Firmware of controllers"},

    {CLI_OBJECT_CONTROLLER, "set", "cc=|consistencycheck=", "Scheduled consistency checks"},
    {CLI_OBJECT_CONTROLLER, "set",
     "ccrate=|migraterate=|reconrate=", "Consistency check and migration"},
    {CLI_OBJECT_CONTROLLER, "set", "jbod=|personality=|profile=", "Drives without a configuration"},
    {CLI_OBJECT_CONTROLLER, "set", "alarm=", "An alarm"},
    {CLI_OBJECT_CONTROLLER, "set", "restorehotspare=", "Restoring a hot spare on insertion"},
    {CLI_OBJECT_CONTROLLER, "set",
     "foreignautoimport=", "Importing foreign configurations by itself"},
    {CLI_OBJECT_CONTROLLER, "set",
     "cacheflushint=|smartpollinterval=|abortcconerror=|ncq=|maintainpdfailhistory=|"
     "loadbalancemode=|batterywarning=|eccbucketsize=|eccbucketleakrate=|bootwithpinnedcache=|"
     "spinupdrivecount=|spinupdelay=|ds=|activityforlocate=|exposeenclosuredevice=|sgpioforce=|"
     "stoponerror=|directpdmapping=|ocr=|dpm=|perfmode=|immediateio=|largeiosupport=|thermalpoll=|"
     "time=|usefdeonlyencrypt=|prcorrectunconfiguredareas=|failpdonsmarterror=|backplane=|"
     "autoenhancedimport=|termlog=|bios=|securitykey=|sesmonitoring=",
     "This property"},
    {CLI_OBJECT_CONTROLLER, "show",
     "termlog|snapdump|dpmstat|phyerrorcounters|security|aso|badblocks|"
     "pendingimages|sesmonitoring|ds|dpm|maintainpdfailhistory|ocr|ncq|smartpollinterval|"
     "cacheflushint|ccrate|migraterate|restorehotspare|batterywarning|"
     "spinupdrivecount|spinupdelay|activityforlocate|loadbalancemode|abortcconerror|"
     "bootwithpinnedcache|backplane|perfmode|personality|profile",
     "What was asked for"},
    {CLI_OBJECT_CONTROLLER, "get", "vdpolicy|bios", "Saving what was asked for"},
    {CLI_OBJECT_CONTROLLER, "compare", NULL, "Comparing configurations"},
    {CLI_OBJECT_CONTROLLER, "delete|del", "config", "Clearing the whole configuration"},
    {CLI_OBJECT_CONTROLLER, "delete|del", "events|termlog|snapdump|securitykey", "Deleting a log"},
    {CLI_OBJECT_CONTROLLER, "flush|flushcache", NULL, "Flushing the cache by command"},
    {CLI_OBJECT_CONTROLLER, "download", NULL, "Firmware of controllers"},
    {CLI_OBJECT_CONTROLLER, "restart|shutdown|import|transform|split", NULL, "This operation"},
    {CLI_OBJECT_CONTROLLER, "start|stop", "locate|alarm", "Lamps and alarms of controllers"},
    {CLI_OBJECT_CONTROLLER, "add", "jbod", "Drives without a configuration"},

    {CLI_OBJECT_ENCLOSURE, "set|start|stop|download", NULL, "Controlling an enclosure"},
    {CLI_OBJECT_ENCLOSURE, "show", "status|phyerrorcounters", "The sensors of an enclosure"},

    {CLI_OBJECT_DRIVE, CONTROL, "initialization|init", "Clearing a drive"},
    {CLI_OBJECT_DRIVE, "pause|suspend|resume", "erase", "Pausing the erase of a drive"},
    {CLI_OBJECT_DRIVE, CONTROL, "sanitize|diag|smarttest|format", "This operation of the drive"},
    {CLI_OBJECT_DRIVE, "set", "bad", "Setting a drive bad"},
    {CLI_OBJECT_DRIVE, "set",
     "bootdrive=|ses|security|emulationtype=|linkspeed=", "This setting of a drive"},
    {CLI_OBJECT_DRIVE, "secureerase|cryptoerase|download", NULL, "This operation of the drive"},
    {CLI_OBJECT_DRIVE, "show",
     "errorcounters|patrolread|diag|security|bootdrive|sanitize|phyerrorcounters|jbod|"
     "format|linkspeed",
     "What was asked for"},

    {CLI_OBJECT_GROUP, "set|split|start|stop|transform|import", NULL,
     "This operation of a drive group"},

    {CLI_OBJECT_VD, CONTROL, "init", "Initialisation in the foreground"},
    {CLI_OBJECT_VD, CONTROL, "erase", "Erasing a virtual drive"},
    {CLI_OBJECT_VD, CONTROL, "migrate", "Migration"},
    {CLI_OBJECT_VD, CONTROL, "locate", "The lamps of a virtual drive"},
    {CLI_OBJECT_VD, "set",
     "autobgi=|bootdrive=|ssdcaching=|hidden=|emulationtype=|security=|ds=|transport=|cbsize=|"
     "cbmode=|hostaccess=",
     "This setting of a virtual drive"},
    {CLI_OBJECT_VD, "show", "bootdrive|ds|locate|security|copyback|cbsize|trim",
     "What was asked for"},

    {CLI_OBJECT_FOREIGN, "set", NULL, "A setting of foreign configurations"},

    {CLI_OBJECT_BBU, "set", "bbumode=|writeaccess=|bbuGUI=", "This setting of a battery"},
    {CLI_OBJECT_BBU, "show", "gasgauge|learn", "What was asked for"},
    {CLI_OBJECT_CACHEVAULT, "set", NULL, "A setting of a cache vault"},

    {CLI_OBJECT_PHY, "show|set|start|stop|compare|reset", NULL, "A phy"},
};
const uint32_t cli_unsupported_count = sizeof(cli_unsupported) / sizeof(cli_unsupported[0]);

const struct cli_unsupported *cli_unsupported_find(const struct cli_request *request)
{
    for (uint32_t i = 0; i < cli_unsupported_count; i++) {
        const struct cli_unsupported *row = &cli_unsupported[i];

        if (request->word_count > 0 && row->object == request->object &&
            word_is_one_of(request->words[0], row->verb) &&
            (row->noun == NULL ||
             (request->word_count > 1 && noun_is_one_of(request->words[1], row->noun)))) {
            return row;
        }
    }
    return NULL;
}

void cli_unsupported_report(struct cli_context *context, const struct cli_unsupported *row)
{
    bool host = context->request.object == CLI_OBJECT_NONE;
    char text[REQUEST_TEXT_BYTES];

    (void)snprintf(text, sizeof(text), "%s is not supported by this controller", row->what);
    report_add(&context->report, host ? -1 : context->number, CLI_ERROR_GENERIC,
               "Un-supported command",
               json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", context->number, "Status", "Failed",
                         "Property", "-", "ErrMsg", text, "ErrCd", CLI_ERROR_GENERIC),
               NULL);
}
