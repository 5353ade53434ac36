/*
 * Operations StorCLI has and this agent does not: one table, one answer. A row goes when its
 * operation comes. agent/tools/generate_unsupported.py writes the table into docs/storcli.md.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/template.h"
#include "cli/command.h"
#include "cli/show.h"

#define CONTROL "start|stop|pause|suspend|resume"

#define SERVICE "The controller is a service of this host: systemctl restart arrayd."
#define PACKAGE "It is software: update the package."
#define HARDWARE "It belongs to firmware or hardware that a software controller does not have."
#define HOST "Boot drives, encryption and links are the host's business."
#define PHYS "The kernel has them: /sys/class/sas_phy."

const struct cli_unsupported cli_unsupported[] = {
    {CLI_OBJECT_NONE, "restart|shutdown", NULL, "restarting the controller", SERVICE, false},
    {CLI_OBJECT_NONE, "download", NULL, "controller firmware", PACKAGE, false},

    {CLI_OBJECT_CONTROLLER, "set", "cc=|consistencycheck=", "scheduled consistency checks",
     "Start one with /cX/vX start cc, from a timer if you like. The patrol read has a schedule.",
     true},
    {CLI_OBJECT_CONTROLLER, "set",
     "ccrate=|migraterate=|reconrate=", "a rate for checks or migration of its own",
     "Checks run at bgirate, and there is no migration.", true},
    {CLI_OBJECT_CONTROLLER, "set", "jbod=|personality=|profile=", "JBOD mode",
     "A drive is left to the host by /cX/eX/sX set jbod.", true},
    {CLI_OBJECT_CONTROLLER, "set", "alarm=", "an alarm",
     "There is no buzzer. arraywright-monitor tells by mail, webhook or script.", true},
    {CLI_OBJECT_CONTROLLER, "set", "restorehotspare=", "restoring a hot spare on insertion",
     "A replaced member is filled by copyback: /cX set copyback=on.", true},
    {CLI_OBJECT_CONTROLLER, "set", "foreignautoimport=|autoenhancedimport=",
     "automatic import of foreign configurations", "Import them with /cX/fall import.", true},
    {CLI_OBJECT_CONTROLLER, "set", "cacheflushint=", NULL,
     "Cached writes are written out in the background, oldest first.", true},
    {CLI_OBJECT_CONTROLLER, "set", "smartpollinterval=", NULL,
     "arraywright-smart asks the drives: see its option interval=.", true},
    {CLI_OBJECT_CONTROLLER, "set", "abortcconerror=", NULL,
     "A consistency check goes on and lists what it finds.", true},
    {CLI_OBJECT_CONTROLLER, "set",
     "batterywarning=|maintainpdfailhistory=|bootwithpinnedcache=|ocr=|exposeenclosuredevice=",
     NULL, "It is always on.", true},
    {CLI_OBJECT_CONTROLLER, "set",
     "ncq=|directpdmapping=|activityforlocate=|backplane=|stoponerror=|failpdonsmarterror=|"
     "sesmonitoring=",
     NULL, "It is always off.", true},
    {CLI_OBJECT_CONTROLLER, "set", "loadbalancemode=", NULL,
     "There is nothing to balance: it is always none.", true},
    {CLI_OBJECT_CONTROLLER, "set", "bootdrive=", NULL, HOST, true},
    {CLI_OBJECT_CONTROLLER, "set",
     "eccbucketsize=|eccbucketleakrate=|spinupdrivecount=|spinupdelay=", NULL,
     "Memory and power-up are the host's business.", true},
    {CLI_OBJECT_CONTROLLER, "set", "time=", NULL, "It is the host's time: timedatectl set-time.",
     false},
    {CLI_OBJECT_CONTROLLER, "set",
     "ds=|sgpioforce=|dpm=|perfmode=|immediateio=|largeiosupport=|thermalpoll=|usefdeonlyencrypt=|"
     "prcorrectunconfiguredareas=|termlog=|bios=|securitykey=",
     NULL, HARDWARE, false},
    {CLI_OBJECT_CONTROLLER, "show", "termlog", "a firmware log",
     "arrayd logs to the journal: journalctl -u arrayd. Events are in /cX show events.", false},
    {CLI_OBJECT_CONTROLLER, "show", "snapdump", NULL, "Use arrayctl support-bundle.", false},
    {CLI_OBJECT_CONTROLLER, "show", "phyerrorcounters", NULL, PHYS, false},
    {CLI_OBJECT_CONTROLLER, "show", "badblocks", NULL,
     "Use /cX/vX show badblocks or /cX/eX/sX show badblocks.", false},
    {CLI_OBJECT_CONTROLLER, "show", "dpmstat|security|aso|ds|dpm|migraterate|perfmode|profile",
     NULL, HARDWARE, false},
    {CLI_OBJECT_CONTROLLER, "get", "vdpolicy|bios", NULL, HARDWARE, false},
    {CLI_OBJECT_CONTROLLER, "compare", NULL, "comparing configurations",
     "/cX set config file=PATH dryrun says what differs from a saved one.", false},
    {CLI_OBJECT_CONTROLLER, "delete|del", "events", NULL,
     "The oldest events make room for new ones.", false},
    {CLI_OBJECT_CONTROLLER, "delete|del", "termlog|snapdump|securitykey", NULL, HARDWARE, false},
    {CLI_OBJECT_CONTROLLER, "download", NULL, "controller firmware", PACKAGE, false},
    {CLI_OBJECT_CONTROLLER, "restart|shutdown", NULL, NULL, SERVICE, false},
    {CLI_OBJECT_CONTROLLER, "import", NULL, NULL, "Use /cX/fall import.", false},
    {CLI_OBJECT_CONTROLLER, "transform|split", NULL, NULL,
     "A virtual drive keeps its RAID level and its drives.", false},
    {CLI_OBJECT_CONTROLLER, "start|stop", "locate|alarm", "lamps and alarms of controllers",
     "Drives have lamps: /cX/eX/sX start locate.", false},
    {CLI_OBJECT_CONTROLLER, "add", "jbod", "JBOD mode", "Use /cX/eX/sX set jbod.", false},

    {CLI_OBJECT_ENCLOSURE, "set|start|stop|download", NULL, "controlling an enclosure",
     "Use sg_ses of sg3-utils.", false},
    {CLI_OBJECT_ENCLOSURE, "show", "status", "sensors of an enclosure", "Use sg_ses of sg3-utils.",
     false},
    {CLI_OBJECT_ENCLOSURE, "show", "phyerrorcounters", NULL, PHYS, false},

    {CLI_OBJECT_DRIVE, CONTROL, "initialization|init", "clearing a drive in the foreground",
     "/cX/eX/sX start erase writes zeros and reads them back.", false},
    {CLI_OBJECT_DRIVE, "pause|suspend|resume", "erase", "pausing the erase of a drive",
     "Stop it; it begins anew when it is started again.", false},
    {CLI_OBJECT_DRIVE, CONTROL, "sanitize|diag|smarttest|format", NULL,
     "Use the drive's own tools: nvme-cli, sg_sanitize, smartctl.", false},
    {CLI_OBJECT_DRIVE, "set", "bad", "setting a drive bad",
     "Take a member out of use with set offline.", false},
    {CLI_OBJECT_DRIVE, "set",
     "bootdrive=|ses=|ses|security=|security|emulationtype=|linkspeed=", NULL, HOST, false},
    {CLI_OBJECT_DRIVE, "secureerase|cryptoerase|download", NULL, NULL,
     "Use the drive's own tools: nvme-cli, hdparm, sedutil-cli.", false},
    {CLI_OBJECT_DRIVE, "show", "errorcounters|diag", NULL, "Errors are in show all and show smart.",
     false},
    {CLI_OBJECT_DRIVE, "show", "patrolread", NULL, "Use /cX show patrolread.", false},
    {CLI_OBJECT_DRIVE, "show", "phyerrorcounters", NULL, PHYS, false},
    {CLI_OBJECT_DRIVE, "show", "security|bootdrive|sanitize|jbod|format|linkspeed", NULL, HOST,
     false},

    {CLI_OBJECT_GROUP, "set|split|start|stop|transform|import", NULL, NULL,
     "Virtual drives have the settings and tasks: /cX/vX.", false},

    {CLI_OBJECT_VD, "stop|pause|suspend|resume", "init", "stopping an initialization",
     "A fast initialization takes a moment. For the one in the background: /cX/vX stop bgi.",
     false},
    {CLI_OBJECT_VD, CONTROL, "erase", "erasing a virtual drive",
     "Delete it and erase its drives: /cX/eX/sX start erase.", false},
    {CLI_OBJECT_VD, CONTROL, "migrate", "migration",
     "A virtual drive keeps its RAID level and its drives. /cX/vX expand makes it larger.", false},
    {CLI_OBJECT_VD, CONTROL, "locate", "lamps of a virtual drive",
     "Light those of its drives: /cX/eX/sX start locate.", false},
    {CLI_OBJECT_VD, "set", "hidden=", NULL, "Use accesspolicy=blocked.", false},
    {CLI_OBJECT_VD, "set",
     "bootdrive=|ssdcaching=|emulationtype=|security=|ds=|transport=|cbsize=|cbmode=|hostaccess=",
     NULL, HARDWARE, false},
    {CLI_OBJECT_VD, "show", "copyback", NULL, "Use /cX/eX/sX show copyback.", false},
    {CLI_OBJECT_VD, "show", "bootdrive|ds|locate|security|cbsize|trim", NULL, HARDWARE, false},

    {CLI_OBJECT_FOREIGN, "set", NULL, NULL, "Import or delete it.", false},

    {CLI_OBJECT_BBU, "set", "bbumode=|writeaccess=|bbuGUI=", NULL, HARDWARE, false},
    {CLI_OBJECT_BBU, "show", "gasgauge|learn", NULL,
     "Use /cX/bbu show all and /cX/bbu show properties.", false},
    {CLI_OBJECT_CACHEVAULT, "set", NULL, NULL, "A persistent medium has no settings.", false},

    {CLI_OBJECT_PHY, "show|set|start|stop|compare|reset", NULL, "phys", PHYS, false},
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

/* "on" of "ON", "4" of "4 sec", "30" of "30%", "raid" of "RAID-Mode"; "off" of what is not there.
 */
static bool is_value(const char *typed, const char *value)
{
    size_t length = strlen(typed);

    if (strcasecmp(typed, "off") == 0 &&
        (word_is_one_of(value, "absent|disabled|none") || strncasecmp(value, "no ", 3) == 0)) {
        return true;
    }
    return length > 0 && strncasecmp(typed, value, length) == 0 && strcspn(value, " -%") <= length;
}

/* Who sets what holds anyhow has what was asked for. */
static bool fixed_answer(struct cli_context *context)
{
    const char *word = context->request.words[1];
    size_t length = strcspn(word, "=");
    char noun[32];
    char value[PROPERTY_VALUE_BYTES];

    if (length >= sizeof(noun) || cli_controller(context) == NULL) {
        return false;
    }
    (void)snprintf(noun, sizeof(noun), "%.*s", (int)length, word);
    if (controller_property(cli_controller(context)->doc, noun, value) == NULL ||
        !is_value(word + length + 1, value)) {
        return false;
    }
    cli_answer(
        context, "None",
        json_pack("{s:[{s:s, s:s}]}", "Controller Properties", "Ctrl_Prop", noun, "Value", value));
    return true;
}

void cli_unsupported_report(struct cli_context *context, const struct cli_unsupported *row)
{
    const struct cli_request *request = &context->request;
    bool host = request->object == CLI_OBJECT_NONE;
    bool sets = request->word_count > 1 && strcasecmp(request->words[0], "set") == 0;
    char property[32] = "-";
    char text[REQUEST_TEXT_BYTES];

    if (row->fixed && fixed_answer(context)) {
        return;
    }
    if (row->what != NULL) {
        (void)snprintf(text, sizeof(text), "This controller does not support %s. %s", row->what,
                       row->why);
    } else {
        const char *noun = request->word_count > 1 ? request->words[1] : "";

        (void)snprintf(text, sizeof(text), "This controller does not support \"%s%s%.*s\". %s",
                       request->words[0], noun[0] != '\0' ? " " : "", (int)text_cut(noun, 60), noun,
                       row->why);
    }
    if (sets) {
        (void)snprintf(property, sizeof(property), "%.*s", (int)strcspn(request->words[1], "="),
                       request->words[1]);
    }
    report_add(&context->report, host ? -1 : context->number, CLI_ERROR_GENERIC,
               "Un-supported command",
               json_pack("[{s:i, s:s, s:s, s:s, s:i}]", "Ctrl", context->number, "Status", "Failed",
                         "Property", property, "ErrMsg", text, "ErrCd", CLI_ERROR_GENERIC),
               NULL);
}
