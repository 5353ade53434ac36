/*
 * What "/cX show all" says the controller can do: StorCLI's keys, every one. Where a command does
 * what a key names, the table of commands gives the answer, so that the two cannot differ.
 */
#include <stddef.h>

#include "base/assert.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/sections.h"

struct capability {
    const char *key;  /* trailing blanks are StorCLI's */
    bool yes;         /* the answer; with a verb: if there is this command */
    enum cli_object object;
    const char *verb; /* NULL: no command does this */
    const char *word; /* its noun or one of its options; NULL: it needs none */
};

#define FIXED_YES(key) {key, true, CLI_OBJECT_NONE, NULL, NULL}
#define FIXED_NO(key) {key, false, CLI_OBJECT_NONE, NULL, NULL}
#define CAN(key, object, verb, word) {key, true, object, verb, word}
#define CANNOT(key, object, verb, word) {key, false, object, verb, word} /* "Deny ..." */

static const struct capability adapter_operations[] = {
    CAN("Rebuild Rate", CLI_OBJECT_CONTROLLER, "set", "rebuildrate="),
    CAN("CC Rate", CLI_OBJECT_CONTROLLER, "set", "ccrate="),
    CAN("BGI Rate ", CLI_OBJECT_CONTROLLER, "set", "bgirate="),
    CAN("Reconstruct Rate", CLI_OBJECT_CONTROLLER, "set", "migraterate="),
    CAN("Patrol Read Rate", CLI_OBJECT_CONTROLLER, "set", "prrate="),
    CAN("Alarm Control", CLI_OBJECT_CONTROLLER, "set", "alarm="),
    FIXED_NO("Cluster Support"),
    CAN("BBU", CLI_OBJECT_BBU, "show", NULL),
    CAN("Spanning", CLI_OBJECT_CONTROLLER, "add", "r50"),
    CAN("Dedicated Hot Spare", CLI_OBJECT_DRIVE, "add", "dgs="),
    CAN("Revertible Hot Spares", CLI_OBJECT_DRIVE, "add", "nonrevertible"),
    CAN("Foreign Config Import", CLI_OBJECT_FOREIGN, "import", NULL),
    CAN("Self Diagnostic", CLI_OBJECT_DRIVE, "start", "diag"),
    FIXED_NO("Allow Mixed Redundancy on Array"),
    CAN("Global Hot Spares", CLI_OBJECT_DRIVE, "add", "hotsparedrive"),
    FIXED_YES("Deny SCSI Passthrough"),
    FIXED_YES("Deny SMP Passthrough"),
    FIXED_YES("Deny STP Passthrough"),
    FIXED_YES("Support more than 8 Phys"),
    FIXED_YES("FW and Event Time in GMT"),
    CAN("Support Enhanced Foreign Import", CLI_OBJECT_CONTROLLER, "set", "autoenhancedimport="),
    CAN("Support Enclosure Enumeration", CLI_OBJECT_ENCLOSURE, "show", NULL),
    FIXED_YES("Support Allowed Operations"),
    CAN("Abort CC on Error", CLI_OBJECT_CONTROLLER, "set", "abortcconerror="),
    FIXED_NO("Support Multipath"),
    FIXED_NO("Support Odd & Even Drive count in RAID1E"),
    CAN("Support Security", CLI_OBJECT_CONTROLLER, "set", "securitykey="),
    FIXED_NO("Support Config Page Model"),
    CAN("Support the OCE without adding drives", CLI_OBJECT_VD, "expand", "size="),
    FIXED_NO("Support EKM"),
    FIXED_NO("Snapshot Enabled"),
    FIXED_NO("Support PFK"),
    FIXED_NO("Support PI"),
    FIXED_NO("Support LDPI Type1"),
    FIXED_NO("Support LDPI Type2"),
    FIXED_NO("Support LDPI Type3"),
    CAN("Support Ld BBM Info", CLI_OBJECT_VD, "show", "badblocks"),
    FIXED_NO("Support Shield State"),
    FIXED_NO("Block SSD Write Disk Cache Change"),
    CAN("Support Suspend Resume BG ops", CLI_OBJECT_VD, "pause", "bgi"),
    CAN("Support Emergency Spares", CLI_OBJECT_CONTROLLER, "set", "eghs"),
    CAN("Support Set Link Speed", CLI_OBJECT_DRIVE, "set", "linkspeed="),
    FIXED_NO("Support Boot Time PFK Change"),
    CAN("Support JBOD", CLI_OBJECT_DRIVE, "set", "jbod"),
    FIXED_NO("Disable Online PFK Change"),
    CAN("Support Perf Tuning", CLI_OBJECT_CONTROLLER, "set", "perfmode="),
    CAN("Support SSD PatrolRead", CLI_OBJECT_CONTROLLER, "set", "includessds="),
    FIXED_NO("Real Time Scheduler"),
    FIXED_NO("Support Reset Now"),
    FIXED_YES("Support Emulated Drives"),
    FIXED_YES("Headless Mode"),
    FIXED_NO("Dedicated HotSpares Limited"),
    CAN("Point In Time Progress", CLI_OBJECT_VD, "show", "bgi"),
    FIXED_NO("Extended LD"),
    FIXED_NO("Support Uneven span "),
    FIXED_NO("Support Config Auto Balance"),
    FIXED_NO("Support Maintenance Mode"),
    CAN("Support Diagnostic results", CLI_OBJECT_DRIVE, "show", "diag"),
    FIXED_NO("Support Ext Enclosure"),
    CAN("Support Sesmonitoring", CLI_OBJECT_CONTROLLER, "set", "sesmonitoring="),
    FIXED_NO("Support SecurityonJBOD"),
    FIXED_NO("Support ForceFlash"),
    FIXED_NO("Support DisableImmediateIO"),
    CAN("Support LargeIOSupport", CLI_OBJECT_CONTROLLER, "set", "largeiosupport="),
    CAN("Support DrvActivityLEDSetting", CLI_OBJECT_CONTROLLER, "set", "activityforlocate="),
    FIXED_NO("Support FlushWriteVerify"),
    FIXED_NO("Support CPLDUpdate"),
    FIXED_NO("Support ForceTo512e"),
    CAN("Support discardCacheDuringLDDelete", CLI_OBJECT_VD, "delete", "preservedcache"),
    FIXED_NO("Support JBOD Write cache"),
    FIXED_NO("Support Large QD Support"),
    FIXED_NO("Support Ctrl Info Extended"),
    FIXED_NO("Support IButton less"),
    FIXED_NO("Support AES Encryption Algorithm"),
    FIXED_NO("Support Encrypted MFC"),
    CAN("Support Snapdump", CLI_OBJECT_CONTROLLER, "show", "snapdump"),
    CAN("Support Force Personality Change", CLI_OBJECT_CONTROLLER, "set", "personality="),
    FIXED_NO("Support Dual Fw Image"),
    FIXED_NO("Support PSOC Update"),
    FIXED_NO("Support Secure Boot"),
    FIXED_NO("Support Debug Queue"),
    FIXED_NO("Support Least Latency Mode"),
    FIXED_NO("Support OnDemand Snapdump"),
    CAN("Support Clear Snapdump", CLI_OBJECT_CONTROLLER, "delete", "snapdump"),
    FIXED_NO("Support PHY current speed"),
    FIXED_NO("Support Lane current speed"),
    FIXED_NO("Support NVMe Width"),
    FIXED_NO("Support Lane DeviceType"),
    FIXED_NO("Support Extended Drive performance Monitoring"),
    FIXED_NO("Support NVMe Repair"),
    FIXED_NO("Support Platform Security"),
    FIXED_NO("Support None Mode Params"),
    FIXED_NO("Support Extended Controller Property"),
    FIXED_NO("Support Smart Poll Interval for DirectAttached"),
    FIXED_NO("Support Write Journal Pinning"),
    FIXED_NO("Support SMP Passthru with Port Number"),
    FIXED_NO("Support NVMe Init Error Device ConnectorIndex"),
};

static const struct capability drive_operations[] = {
    CAN("Force Online", CLI_OBJECT_DRIVE, "set", "online"),
    CAN("Force Offline", CLI_OBJECT_DRIVE, "set", "offline"),
    CAN("Force Rebuild", CLI_OBJECT_DRIVE, "start", "rebuild"),
    CANNOT("Deny Force Failed", CLI_OBJECT_DRIVE, "set", "offline"),
    CANNOT("Deny Force Good/Bad", CLI_OBJECT_DRIVE, "set", "good"),
    CANNOT("Deny Missing Replace", CLI_OBJECT_DRIVE, "insert", "row="),
    CANNOT("Deny Clear", CLI_OBJECT_DRIVE, "start", "initialization"),
    CANNOT("Deny Locate", CLI_OBJECT_DRIVE, "start", "locate"),
    CAN("Support Power State", CLI_OBJECT_DRIVE, "spindown", NULL),
    FIXED_NO("Set Power State For Cfg"),
    FIXED_NO("Support T10 Power State"),
    CAN("Support Temperature", CLI_OBJECT_DRIVE, "show", "smart"),
    CAN("NCQ", CLI_OBJECT_CONTROLLER, "set", "ncq="),
    FIXED_NO("Support Max Rate SATA"),
    FIXED_NO("Support Degraded Media"),
    FIXED_NO("Support Parallel FW Update"),
    CAN("Support Drive Crypto Erase", CLI_OBJECT_DRIVE, "cryptoerase", NULL),
    FIXED_NO("Support SSD Wear Gauge"),
};

static const struct capability vd_operations[] = {
    CAN("Read Policy", CLI_OBJECT_VD, "set", "rdcache="),
    CAN("Write Policy", CLI_OBJECT_VD, "set", "wrcache="),
    CAN("IO Policy", CLI_OBJECT_VD, "set", "iopolicy="),
    CAN("Access Policy", CLI_OBJECT_VD, "set", "accesspolicy="),
    CAN("Disk Cache Policy", CLI_OBJECT_VD, "set", "pdcache="),
    CAN("Reconstruction", CLI_OBJECT_VD, "start", "migrate"),
    CANNOT("Deny Locate", CLI_OBJECT_VD, "start", "locate"),
    CANNOT("Deny CC", CLI_OBJECT_VD, "start", "cc"),
    FIXED_NO("Allow Ctrl Encryption"),
    CAN("Enable LDBBM", CLI_OBJECT_VD, "show", "badblocks"),
    FIXED_NO("Support FastPath"),
    CAN("Performance Metrics", CLI_OBJECT_VD, "show", "perf"),
    CAN("Power Savings", CLI_OBJECT_CONTROLLER, "set", "ds="),
    FIXED_NO("Support Powersave Max With Cache"),
    CAN("Support Breakmirror", CLI_OBJECT_GROUP, "split", NULL),
    FIXED_NO("Support SSC WriteBack"),
    FIXED_NO("Support SSC Association"),
    CAN("Support VD Hide", CLI_OBJECT_VD, "set", "hidden="),
    FIXED_NO("Support VD Cachebypass"),
    CAN("Support VD discardCacheDuringLDDelete", CLI_OBJECT_VD, "delete", "preservedcache"),
    FIXED_YES("Support VD Scsi Unmap"),
};

static json_t *capabilities(const struct capability *list, size_t count)
{
    json_t *section = json_object();

    for (size_t i = 0; i < count; i++) {
        const struct capability *row = &list[i];
        bool yes = row->verb == NULL || cli_command_exists(row->object, row->verb, row->word)
                       ? row->yes
                       : !row->yes;

        row_text(section, row->key, yes ? "Yes" : "No");
    }
    return section;
}

void sections_operations(json_t *data)
{
    row_set(data, "Supported Adapter Operations",
            capabilities(adapter_operations,
                         sizeof(adapter_operations) / sizeof(adapter_operations[0])));
    row_set(data, "Supported PD Operations",
            capabilities(drive_operations, sizeof(drive_operations) / sizeof(drive_operations[0])));
    row_set(data, "Supported VD Operations",
            capabilities(vd_operations, sizeof(vd_operations) / sizeof(vd_operations[0])));
}
