/*
 * What "/cX show all" says the controller can do: StorCLI's keys, every one, and a true answer.
 */
#include <stddef.h>

#include "base/assert.h"
#include "cli/rows.h"
#include "cli/sections.h"

struct capability {
    const char *key; /* trailing blanks are StorCLI's */
    bool yes;
};

static const struct capability adapter_operations[] = {
    {"Rebuild Rate", true},
    {"CC Rate", false},
    {"BGI Rate ", true},
    {"Reconstruct Rate", false},
    {"Patrol Read Rate", true},
    {"Alarm Control", false},
    {"Cluster Support", false},
    {"BBU", true},
    {"Spanning", true},
    {"Dedicated Hot Spare", true},
    {"Revertible Hot Spares", true},
    {"Foreign Config Import", false},
    {"Self Diagnostic", false},
    {"Allow Mixed Redundancy on Array", false},
    {"Global Hot Spares", true},
    {"Deny SCSI Passthrough", true},
    {"Deny SMP Passthrough", true},
    {"Deny STP Passthrough", true},
    {"Support more than 8 Phys", true},
    {"FW and Event Time in GMT", true},
    {"Support Enhanced Foreign Import", false},
    {"Support Enclosure Enumeration", true},
    {"Support Allowed Operations", true},
    {"Abort CC on Error", false},
    {"Support Multipath", false},
    {"Support Odd & Even Drive count in RAID1E", false},
    {"Support Security", false},
    {"Support Config Page Model", false},
    {"Support the OCE without adding drives", false},
    {"Support EKM", false},
    {"Snapshot Enabled", false},
    {"Support PFK", false},
    {"Support PI", false},
    {"Support LDPI Type1", false},
    {"Support LDPI Type2", false},
    {"Support LDPI Type3", false},
    {"Support Ld BBM Info", false},
    {"Support Shield State", false},
    {"Block SSD Write Disk Cache Change", false},
    {"Support Suspend Resume BG ops", true},
    {"Support Emergency Spares", true},
    {"Support Set Link Speed", false},
    {"Support Boot Time PFK Change", false},
    {"Support JBOD", false},
    {"Disable Online PFK Change", false},
    {"Support Perf Tuning", false},
    {"Support SSD PatrolRead", true},
    {"Real Time Scheduler", false},
    {"Support Reset Now", false},
    {"Support Emulated Drives", true},
    {"Headless Mode", true},
    {"Dedicated HotSpares Limited", false},
    {"Point In Time Progress", true},
    {"Extended LD", false},
    {"Support Uneven span ", false},
    {"Support Config Auto Balance", false},
    {"Support Maintenance Mode", false},
    {"Support Diagnostic results", false},
    {"Support Ext Enclosure", false},
    {"Support Sesmonitoring", false},
    {"Support SecurityonJBOD", false},
    {"Support ForceFlash", false},
    {"Support DisableImmediateIO", false},
    {"Support LargeIOSupport", false},
    {"Support DrvActivityLEDSetting", false},
    {"Support FlushWriteVerify", false},
    {"Support CPLDUpdate", false},
    {"Support ForceTo512e", false},
    {"Support discardCacheDuringLDDelete", true},
    {"Support JBOD Write cache", false},
    {"Support Large QD Support", false},
    {"Support Ctrl Info Extended", false},
    {"Support IButton less", false},
    {"Support AES Encryption Algorithm", false},
    {"Support Encrypted MFC", false},
    {"Support Snapdump", false},
    {"Support Force Personality Change", false},
    {"Support Dual Fw Image", false},
    {"Support PSOC Update", false},
    {"Support Secure Boot", false},
    {"Support Debug Queue", false},
    {"Support Least Latency Mode", false},
    {"Support OnDemand Snapdump", false},
    {"Support Clear Snapdump", false},
    {"Support PHY current speed", false},
    {"Support Lane current speed", false},
    {"Support NVMe Width", false},
    {"Support Lane DeviceType", false},
    {"Support Extended Drive performance Monitoring", false},
    {"Support NVMe Repair", false},
    {"Support Platform Security", false},
    {"Support None Mode Params", false},
    {"Support Extended Controller Property", false},
    {"Support Smart Poll Interval for DirectAttached", false},
    {"Support Write Journal Pinning", false},
    {"Support SMP Passthru with Port Number", false},
    {"Support NVMe Init Error Device ConnectorIndex", false},
};

static const struct capability drive_operations[] = {
    {"Force Online", true},
    {"Force Offline", true},
    {"Force Rebuild", true},
    {"Deny Force Failed", false},
    {"Deny Force Good/Bad", false},
    {"Deny Missing Replace", false},
    {"Deny Clear", true},
    {"Deny Locate", false},
    {"Support Power State", false},
    {"Set Power State For Cfg", false},
    {"Support T10 Power State", false},
    {"Support Temperature", true},
    {"NCQ", false},
    {"Support Max Rate SATA", false},
    {"Support Degraded Media", false},
    {"Support Parallel FW Update", false},
    {"Support Drive Crypto Erase", false},
    {"Support SSD Wear Gauge", false},
};

static const struct capability vd_operations[] = {
    {"Read Policy", true},
    {"Write Policy", true},
    {"IO Policy", true},
    {"Access Policy", true},
    {"Disk Cache Policy", false},
    {"Reconstruction", false},
    {"Deny Locate", true},
    {"Deny CC", true},
    {"Allow Ctrl Encryption", false},
    {"Enable LDBBM", false},
    {"Support FastPath", false},
    {"Performance Metrics", true},
    {"Power Savings", false},
    {"Support Powersave Max With Cache", false},
    {"Support Breakmirror", false},
    {"Support SSC WriteBack", false},
    {"Support SSC Association", false},
    {"Support VD Hide", false},
    {"Support VD Cachebypass", false},
    {"Support VD discardCacheDuringLDDelete", true},
    {"Support VD Scsi Unmap", true},
};

static json_t *capabilities(const struct capability *list, size_t count)
{
    json_t *section = json_object();

    for (size_t i = 0; i < count; i++) {
        row_text(section, list[i].key, list[i].yes ? "Yes" : "No");
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
