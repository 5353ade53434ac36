"""What StorCLI's JSON must hold: keys in order, spelled to the last blank, and their types.

Transcribed from descriptions of StorCLI 007.1616 and of the programs that read it; nothing
here is made from the program under test. A key is a pair of its name and what its value may
be. An optional key ends a pair with OPTIONAL.
"""

import re

INT = int
TEXT = str
YES_NO = re.compile(r"Yes|No")
ON_OFF = re.compile(r"On|Off|Absent|Disable")
PRESENT = re.compile(r"Present|Absent")
SIZE = re.compile(r"\d+\.\d{3} (KB|MB|GB|TB|PB)|0 B")
SECTORS = re.compile(r"\d+\.\d{3} (MB|GB|TB) \[0x[0-9a-f]+ Sectors\]")
DATE = re.compile(r"\d\d/\d\d/\d{4}, \d\d:\d\d:\d\d")
DATE_BARE = re.compile(r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d")
DATE_OR_NA = re.compile(r"\d\d/\d\d/\d{4}, \d\d:\d\d:\d\d|NA")
HOURS = re.compile(r"\d+ hrs|NA|Continuous")
TEMPERATURE = re.compile(r" -?\d+C \(-?\d+\.\d\d F\)|N/A")
SPEED = re.compile(r"\d+\.\dGb/s|Unknown")
PERCENT = re.compile(r"\d+ ?%")
PLACE = re.compile(r"(\d+| ):\d+")
PLACE_OR_DASH = re.compile(r"(\d+| ):\d+|-")
DASH = re.compile(r"-")
FOREIGN = re.compile(r"[-F]")
NA = re.compile(r"NA")
VD_STATE = re.compile(r"Optl|Pdgd|Dgrd|OfLn|Rec")
DRIVE_STATE = re.compile(
    r"Onln|Offln|UGood|UBad|GHS|DHS|Rbld|Cpybck|JBOD|Failed|Missing|Sntze|UGShld|HSPShld|CFShld|"
    r"CBShld|UGUnsp|UBUnsp")
TOPOLOGY_STATE = re.compile(VD_STATE.pattern + "|" + DRIVE_STATE.pattern + "|Msng|Frgn")
OPTIONAL = "optional"

SUPPORTED_ADAPTER_OPERATIONS = [(key, YES_NO) for key in (
    "Rebuild Rate",
    "CC Rate",
    "BGI Rate ",
    "Reconstruct Rate",
    "Patrol Read Rate",
    "Alarm Control",
    "Cluster Support",
    "BBU",
    "Spanning",
    "Dedicated Hot Spare",
    "Revertible Hot Spares",
    "Foreign Config Import",
    "Self Diagnostic",
    "Allow Mixed Redundancy on Array",
    "Global Hot Spares",
    "Deny SCSI Passthrough",
    "Deny SMP Passthrough",
    "Deny STP Passthrough",
    "Support more than 8 Phys",
    "FW and Event Time in GMT",
    "Support Enhanced Foreign Import",
    "Support Enclosure Enumeration",
    "Support Allowed Operations",
    "Abort CC on Error",
    "Support Multipath",
    "Support Odd & Even Drive count in RAID1E",
    "Support Security",
    "Support Config Page Model",
    "Support the OCE without adding drives",
    "Support EKM",
    "Snapshot Enabled",
    "Support PFK",
    "Support PI",
    "Support LDPI Type1",
    "Support LDPI Type2",
    "Support LDPI Type3",
    "Support Ld BBM Info",
    "Support Shield State",
    "Block SSD Write Disk Cache Change",
    "Support Suspend Resume BG ops",
    "Support Emergency Spares",
    "Support Set Link Speed",
    "Support Boot Time PFK Change",
    "Support JBOD",
    "Disable Online PFK Change",
    "Support Perf Tuning",
    "Support SSD PatrolRead",
    "Real Time Scheduler",
    "Support Reset Now",
    "Support Emulated Drives",
    "Headless Mode",
    "Dedicated HotSpares Limited",
    "Point In Time Progress",
    "Extended LD",
    "Support Uneven span ",
    "Support Config Auto Balance",
    "Support Maintenance Mode",
    "Support Diagnostic results",
    "Support Ext Enclosure",
    "Support Sesmonitoring",
    "Support SecurityonJBOD",
    "Support ForceFlash",
    "Support DisableImmediateIO",
    "Support LargeIOSupport",
    "Support DrvActivityLEDSetting",
    "Support FlushWriteVerify",
    "Support CPLDUpdate",
    "Support ForceTo512e",
    "Support discardCacheDuringLDDelete",
    "Support JBOD Write cache",
    "Support Large QD Support",
    "Support Ctrl Info Extended",
    "Support IButton less",
    "Support AES Encryption Algorithm",
    "Support Encrypted MFC",
    "Support Snapdump",
    "Support Force Personality Change",
    "Support Dual Fw Image",
    "Support PSOC Update",
    "Support Secure Boot",
    "Support Debug Queue",
    "Support Least Latency Mode",
    "Support OnDemand Snapdump",
    "Support Clear Snapdump",
    "Support PHY current speed",
    "Support Lane current speed",
    "Support NVMe Width",
    "Support Lane DeviceType",
    "Support Extended Drive performance Monitoring",
    "Support NVMe Repair",
    "Support Platform Security",
    "Support None Mode Params",
    "Support Extended Controller Property",
    "Support Smart Poll Interval for DirectAttached",
    "Support Write Journal Pinning",
    "Support SMP Passthru with Port Number",
    "Support NVMe Init Error Device ConnectorIndex",
)]

SUPPORTED_PD_OPERATIONS = [(key, YES_NO) for key in (
    "Force Online",
    "Force Offline",
    "Force Rebuild",
    "Deny Force Failed",
    "Deny Force Good/Bad",
    "Deny Missing Replace",
    "Deny Clear",
    "Deny Locate",
    "Support Power State",
    "Set Power State For Cfg",
    "Support T10 Power State",
    "Support Temperature",
    "NCQ",
    "Support Max Rate SATA",
    "Support Degraded Media",
    "Support Parallel FW Update",
    "Support Drive Crypto Erase",
    "Support SSD Wear Gauge",
)]

SUPPORTED_VD_OPERATIONS = [(key, YES_NO) for key in (
    "Read Policy",
    "Write Policy",
    "IO Policy",
    "Access Policy",
    "Disk Cache Policy",
    "Reconstruction",
    "Deny Locate",
    "Deny CC",
    "Allow Ctrl Encryption",
    "Enable LDBBM",
    "Support FastPath",
    "Performance Metrics",
    "Power Savings",
    "Support Powersave Max With Cache",
    "Support Breakmirror",
    "Support SSC WriteBack",
    "Support SSC Association",
    "Support VD Hide",
    "Support VD Cachebypass",
    "Support VD discardCacheDuringLDDelete",
    "Support VD Scsi Unmap",
)]

BASICS = [
    ("Controller", INT), ("Model", TEXT), ("Serial Number", TEXT),
    ("Current Controller Date/Time", DATE), ("Current System Date/time", DATE),
    ("SAS Address", TEXT), ("PCI Address", TEXT), ("Mfg Date", TEXT), ("Rework Date", TEXT),
    ("Revision No", TEXT),
]

VERSION = [
    ("Firmware Package Build", TEXT), ("Firmware Version", TEXT), ("CPLD Version", TEXT),
    ("Bios Version", TEXT), ("HII Version", TEXT), ("Ctrl-R Version", TEXT),
    ("Preboot CLI Version", TEXT), ("NVDATA Version", TEXT), ("Boot Block Version", TEXT),
    ("Driver Name", re.compile("megaraid_sas")), ("Driver Version", TEXT),
]

BUS = [
    ("Vendor Id", INT), ("Device Id", INT), ("SubVendor Id", INT), ("SubDevice Id", INT),
    ("Host Interface", TEXT), ("Device Interface", TEXT), ("Bus Number", INT),
    ("Device Number", INT), ("Function Number", INT), ("Domain ID", INT),
]

STATUS = [
    ("Controller Status",
     re.compile("Optimal|Degraded|Partially Degraded|Needs Attention|Failed")),
    ("Memory Correctable Errors", INT), ("Memory Uncorrectable Errors", INT),
    ("ECC Bucket Count", INT), ("Any Offline VD Cache Preserved", YES_NO),
    ("BBU Status", (INT, NA)), ("PD Firmware Download in progress", YES_NO),
    ("Support PD Firmware Download", YES_NO), ("Lock Key Assigned", YES_NO),
    ("Failed to get lock key on bootup", YES_NO), ("Lock key has not been backed up", YES_NO),
    ("Bios was not detected during boot", YES_NO),
    ("Controller must be rebooted to complete security operation", YES_NO),
    ("A rollback operation is in progress", YES_NO), ("At least one PFK exists in NVRAM", YES_NO),
    ("SSC Policy is WB", YES_NO), ("Controller has booted into safe mode", YES_NO),
    ("Controller shutdown required", YES_NO),
    ("Controller has booted into certificate provision mode", YES_NO),
]

HARDWARE = [
    ("ChipRevision", TEXT), ("BatteryFRU", TEXT), ("Front End Port Count", INT),
    ("Backend Port Count", INT), ("BBU", PRESENT), ("Alarm", ON_OFF), ("Serial Debugger", PRESENT),
    ("NVRAM Size", re.compile(r"\d+KB")), ("Flash Size", re.compile(r"\d+MB")),
    ("On Board Memory Size", re.compile(r"\d+MB")), ("CacheVault Flash Size", TEXT),
    ("TPM", PRESENT), ("Upgrade Key", PRESENT), ("On Board Expander", PRESENT),
    ("Temperature Sensor for ROC", PRESENT), ("Temperature Sensor for Controller", PRESENT),
    ("Upgradable CPLD", PRESENT), ("Upgradable PSOC", PRESENT),
    ("Current Size of CacheCade (GB)", INT), ("Current Size of FW Cache (MB)", INT),
    ("ROC temperature(Degree Celsius)", INT),
]

POLICY_NAMES = [
    "Predictive Fail Poll Interval", "Interrupt Throttle Active Count",
    "Interrupt Throttle Completion", "Rebuild Rate", "PR Rate", "BGI Rate",
    "Check Consistency Rate", "Reconstruction Rate", "Cache Flush Interval",
]

POLICIES = [
    ("Policies Table", [[("Policy", TEXT), ("Current", TEXT), ("Default", TEXT)]]),
    ("Flush Time(Default)", re.compile(r"\d+s")), ("Drive Coercion Mode", TEXT),
    ("Auto Rebuild", ON_OFF), ("Battery Warning", ON_OFF), ("ECC Bucket Size", INT),
    ("ECC Bucket Leak Rate (hrs)", INT), ("Restore Hot Spare on Insertion", ON_OFF),
    ("Expose Enclosure Devices", ON_OFF), ("Maintain PD Fail History", ON_OFF),
    ("Reorder Host Requests", ON_OFF), ("Auto detect BackPlane", TEXT),
    ("Load Balance Mode", TEXT), ("Security Key Assigned", ON_OFF),
    ("Disable Online Controller Reset", ON_OFF), ("Use drive activity for locate", ON_OFF),
]

BOOT = [
    ("BIOS Enumerate VDs", TEXT), ("Stop BIOS on Error", ON_OFF), ("Delay during POST", INT),
    ("Spin Down Mode", TEXT), ("Enable Ctrl-R", YES_NO), ("Enable Web BIOS", YES_NO),
    ("Enable PreBoot CLI", YES_NO), ("Enable BIOS", YES_NO),
    ("Max Drives to Spinup at One Time", INT),
    ("Maximum number of direct attached drives to spin up in 1 min", INT),
    ("Delay Among Spinup Groups (sec)", INT), ("Allow Boot with Preserved Cache", ON_OFF),
]

AVAILABILITY = [("Topology Type", TEXT), ("Cluster Permitted", YES_NO), ("Cluster Active", YES_NO)]

DEFAULTS = [
    ("Phy Polarity", INT), ("Phy PolaritySplit", INT), ("Strip Size", re.compile(r"\d+ KB")),
    ("Write Policy", TEXT), ("Read Policy", TEXT), ("Cache When BBU Bad", ON_OFF),
    ("Cached IO", ON_OFF), ("VD PowerSave Policy", TEXT), ("Default spin down time (mins)", INT),
    ("Coercion Mode", TEXT), ("ZCR Config", TEXT), ("Max Chained Enclosures", INT),
    ("Direct PD Mapping", YES_NO), ("Restore Hot Spare on Insertion", YES_NO),
    ("Expose Enclosure Devices", YES_NO), ("Maintain PD Fail History", YES_NO),
    ("Zero Based Enclosure Enumeration", YES_NO), ("Disable Puncturing", YES_NO),
    ("EnableLDBBM", YES_NO), ("DisableHII", YES_NO), ("Un-Certified Hard Disk Drives", TEXT),
    ("SMART Mode", TEXT), ("Enable LED Header", YES_NO), ("LED Show Drive Activity", YES_NO),
    ("Dirty LED Shows Drive Activity", YES_NO), ("EnableCrashDump", YES_NO),
    ("Disable Online Controller Reset", YES_NO), ("Treat Single span R1E as R10", YES_NO),
    ("Power Saving option", TEXT), ("TTY Log In Flash", YES_NO), ("Auto Enhanced Import", YES_NO),
    ("BreakMirror RAID Support", TEXT), ("Disable Join Mirror", YES_NO),
    ("Enable Shield State", YES_NO), ("Time taken to detect CME", TEXT),
]

CAPABILITIES = [
    ("Supported Drives", TEXT),
    ("RAID Level Supported",
     re.compile(r"RAID\w+(\([^)]*\))?(, RAID\w+(\([^)]*\))?)*")),
    ("Enable JBOD", YES_NO), ("Mix in Enclosure", TEXT),
    ("Mix of SAS/SATA of HDD type in VD", TEXT), ("Mix of SAS/SATA of SSD type in VD", TEXT),
    ("Mix of SSD/HDD in VD", TEXT), ("SAS Disable", YES_NO), ("Max Arms Per VD", INT),
    ("Max Spans Per VD", INT), ("Max Arrays", INT), ("Max VD per array", INT),
    ("Max Number of VDs", INT), ("Max Parallel Commands", INT), ("Max SGE Count", INT),
    ("Max Data Transfer Size", TEXT), ("Max Strips PerIO", INT),
    ("Max Configurable CacheCade Size(GB)", INT), ("Max Transportable DGs", INT),
    ("Enable Snapdump", YES_NO), ("Enable SCSI Unmap", YES_NO), ("FDE Drive Mix Support", YES_NO),
    ("Min Strip Size", re.compile(r"\d+ KB|\d+\.\d{3} MB")),
    ("Max Strip Size", re.compile(r"\d+ KB|\d+\.\d{3} MB")),
]

SCHEDULED = [
    ("Consistency Check Reoccurrence", HOURS), ("Next Consistency check launch", DATE_OR_NA),
    ("Patrol Read Reoccurrence", HOURS), ("Next Patrol Read launch", DATE_OR_NA),
    ("Battery learn Reoccurrence", HOURS), ("Next Battery Learn", DATE_OR_NA), ("OEMID", TEXT),
]

TOPOLOGY_ROW = [
    ("DG", (INT, FOREIGN)), ("Arr", (INT, DASH)), ("Row", (INT, DASH)),
    ("EID:Slot", PLACE_OR_DASH), ("DID", (INT, DASH)), ("Type", re.compile(r"RAID\d+E?|DRIVE")),
    ("State", TOPOLOGY_STATE), ("BT", re.compile("[-YN]")), ("Size", SIZE),
    ("PDC", re.compile("dflt|enbl|dsbl|-")), ("PI", re.compile("[-YN]")),
    ("SED", re.compile("[-YN]")), ("DS3", re.compile("none|dflt|-")), ("FSpace", re.compile("[-YN]")),
    ("TR", re.compile("[YN]")),
]

VD_ROW = [
    ("DG/VD", re.compile(r"\d+/\d+")), ("TYPE", re.compile(r"RAID\d+E?")), ("State", VD_STATE),
    ("Access", re.compile("RW|RO|Blocked")), ("Consist", YES_NO),
    ("Cache", re.compile("N?RA?(WB|AWB|WT)[DC]")), ("Cac", TEXT), ("sCC", re.compile("ON|OFF")),
    ("Size", SIZE), ("Name", TEXT),
]

DRIVE_ROW = [
    ("EID:Slt", PLACE), ("DID", INT), ("State", DRIVE_STATE), ("DG", (INT, FOREIGN)),
    ("Size", SIZE), ("Intf", TEXT), ("Med", re.compile("HDD|SSD")), ("SED", re.compile("[YN]")),
    ("PI", re.compile("[YN]")), ("SeSz", re.compile("512B|4 KB")), ("Model", TEXT),
    ("Sp", re.compile("[UDT]")), ("Type", TEXT),
]

ENCLOSURE_ROW = [
    ("EID", INT), ("State", TEXT), ("Slots", INT), ("PD", INT), ("PS", INT), ("Fans", INT),
    ("TSs", INT), ("Alms", INT), ("SIM", INT), ("Port#", TEXT), ("ProdID", TEXT),
    ("VendorSpecific", TEXT),
]

VAULT_SUMMARY = [("Model", TEXT), ("State", TEXT), ("Temp", re.compile(r"-?\d+C|-")),
                 ("Mode", TEXT), ("MfgDate", TEXT)]
BATTERY_SUMMARY = [("Model", TEXT), ("State", TEXT), ("RetentionTime", TEXT),
                   ("Temp", re.compile(r"-?\d+C|-")), ("Mode", TEXT), ("MfgDate", TEXT),
                   ("Next Learn", TEXT)]

LISTS = [
    ("Drive Groups", INT), ("TOPOLOGY", [TOPOLOGY_ROW]), ("Virtual Drives", INT),
    ("VD LIST", [VD_ROW]), ("Physical Drives", INT), ("PD LIST", [DRIVE_ROW]),
    ("Enclosures", INT), ("Enclosure LIST", [ENCLOSURE_ROW]),
    ("Cachevault_Info", [VAULT_SUMMARY], OPTIONAL), ("BBU_Info", [BATTERY_SUMMARY], OPTIONAL),
]

SHOW_ALL = [
    ("Basics", BASICS), ("Version", VERSION), ("Bus", BUS),
    ("Pending Images in Flash", [("Image name", TEXT)]), ("Status", STATUS),
    ("Supported Adapter Operations", SUPPORTED_ADAPTER_OPERATIONS),
    ("Supported PD Operations", SUPPORTED_PD_OPERATIONS),
    ("Supported VD Operations", SUPPORTED_VD_OPERATIONS),
    ("Advanced Software Option",
     [[("Adv S/W Opt", TEXT), (" Time Remaining", TEXT), (" Mode", TEXT)]]),
    ("Safe ID", TEXT), ("HwCfg", HARDWARE), ("Policies", POLICIES), ("Boot", BOOT),
    ("High Availability", AVAILABILITY), ("Defaults", DEFAULTS), ("Capabilities", CAPABILITIES),
    ("Scheduled Tasks", SCHEDULED), ("Security Protocol properties", [("Security Protocol", TEXT)]),
    *LISTS,
]

SHOW = [
    ("Product Name", TEXT), ("Serial Number", TEXT), ("SAS Address", TEXT), ("PCI Address", TEXT),
    ("System Time", DATE_BARE), ("Mfg. Date", TEXT), ("Controller Time", DATE_BARE),
    ("FW Package Build", TEXT), ("BIOS Version", TEXT), ("FW Version", TEXT),
    ("Driver Name", re.compile("megaraid_sas")), ("Driver Version", TEXT),
    ("Current Personality", TEXT, OPTIONAL), ("Vendor Id", INT), ("Device Id", INT),
    ("SubVendor Id", INT), ("SubDevice Id", INT), ("Host Interface", TEXT),
    ("Device Interface", TEXT), ("Bus Number", INT), ("Device Number", INT),
    ("Function Number", INT), ("Domain ID", INT), ("Security Protocol", TEXT),
    *LISTS,
]

OVERVIEW = [
    ("Number of Controllers", INT), ("Host Name", TEXT), ("Operating System ", TEXT),
    ("System Overview", [[
        ("Ctl", INT), ("Model", TEXT), ("Ports", INT), ("PDs", INT), ("DGs", INT), ("DNOpt", INT),
        ("VDs", INT), ("VNOpt", INT), ("BBU", TEXT), ("sPR", TEXT), ("DS", TEXT), ("EHS", TEXT),
        ("ASOs", INT), ("Hlth", re.compile("Opt|NdAtn|Fld"))]]),
]

VD_PROPERTIES = [
    ("Strip Size", re.compile(r"\d+ KB")), ("Number of Blocks", INT),
    ("VD has Emulated PD", YES_NO), ("Span Depth", INT), ("Number of Drives Per Span", INT),
    ("Write Cache(initial setting)", re.compile("WriteBack|WriteThrough|AlwaysWriteBack")),
    ("Disk Cache Policy", re.compile("Disk's Default|Enabled|Disabled")), ("Encryption", TEXT),
    ("Data Protection", TEXT),
    ("Active Operations", re.compile(r"None|[A-Z][A-Za-z ]+ \(\d+%\)")),
    ("Exposed to OS", YES_NO), ("OS Drive Name", TEXT),
    ("Creation Date", re.compile(r"\d\d-\d\d-\d{4}")),
    ("Creation Time", re.compile(r"\d\d:\d\d:\d\d [AP]M")), ("Emulation type", TEXT),
    ("Is LD Ready for OS Requests", YES_NO),
    ("SCSI NAA Id", re.compile("[235][0-9a-f]{15}|6[0-9a-f]{31}")), ("Unmap Enabled", YES_NO),
]

DRIVE_STATE_SECTION = [
    ("Shield Counter", INT), ("Media Error Count", INT), ("Other Error Count", INT),
    ("BBM Error Count", INT, OPTIONAL), ("Drive Temperature", TEMPERATURE),
    ("Predictive Failure Count", INT), ("S.M.A.R.T alert flagged by drive", YES_NO),
]

DRIVE_ATTRIBUTES = [
    ("SN", re.compile(".+")), ("Manufacturer Id", TEXT), ("Model Number", TEXT, OPTIONAL),
    ("Model", TEXT, OPTIONAL), ("NAND Vendor", TEXT), ("WWN", re.compile("[0-9A-Fa-f]{16}")),
    ("Firmware Revision", TEXT), ("Raw size", SECTORS), ("Coerced size", SECTORS),
    ("Non Coerced size", SECTORS), ("Device Speed", SPEED), ("Link Speed", SPEED),
    ("NCQ setting", TEXT), ("Write Cache", TEXT), ("Logical Sector Size", TEXT),
    ("Physical Sector Size", TEXT), ("Connector Name", TEXT),
]

DRIVE_POLICIES = [
    ("Drive position", re.compile(r"DriveGroup:\d+, Span:\d+, Row:\d+|-")),
    ("Enclosure position", TEXT), ("Connected Port Number", TEXT), ("Sequence Number", INT),
    ("Commissioned Spare", YES_NO), ("Emergency Spare", YES_NO),
    ("Last Predictive Failure Event Sequence Number", INT),
    ("Successful diagnostics completion on", TEXT), ("FDE Type", TEXT), ("SED Capable", YES_NO),
    ("SED Enabled", YES_NO), ("Secured", YES_NO), ("Cryptographic Erase Capable", YES_NO),
    ("Sanitize Support", TEXT), ("Locked", YES_NO), ("Needs EKM Attention", YES_NO),
    ("PI Eligible", YES_NO), ("Certified", YES_NO), ("Wide Port Capable", YES_NO),
    ("Multipath", YES_NO),
    ("Port Information",
     [[("Port", INT), ("Status", TEXT), ("Linkspeed", TEXT), ("SAS address", TEXT)]]),
]

PROGRESS = [
    ("Progress%", (INT, DASH)),
    ("Status", re.compile("In progress|Not in progress|Paused")),
    ("Estimated Time Left", TEXT),
]
DRIVE_PROGRESS_ROW = [("Drive-ID", re.compile(r"/c\d+(/e\d+)?/s\d+")), *PROGRESS]
VD_PROGRESS_ROW = [("VD", INT), ("Operation", re.compile("BGI|INIT|CC|Migrate|ERASE")), *PROGRESS]
VD_AUTO_BGI_ROW = [("VD", INT), ("AutoBGI", re.compile("On|Off"))]

PROPERTY_ROW = [("Property", TEXT), ("Value", TEXT)]
CONTROLLER_PROPERTY_ROW = [("Ctrl_Prop", TEXT), ("Value", TEXT)]

BATTERY_PROPERTIES = {
    "BBU_Info": ["Type", "Voltage", "Current", "Temperature", "Battery State"],
    "BBU_Firmware_Status": [
        "Charging Status", "Voltage", "Temperature", "Learn Cycle Requested",
        "Learn Cycle Active", "Learn Cycle Status", "Learn Cycle Timeout", "I2C Errors Detected",
        "Battery Pack Missing", "Replacement required", "Remaining Capacity Low",
        "Periodic Learn Required", "Transparent Learn", "No space to cache offload",
        "Pack is about to fail & should be replaced", "Cache Offload premium feature required",
        "Module microcode update required"],
    "GasGaugeStatus": [
        "Fully Discharged", "Fully Charged", "Discharging", "Initialized", "Remaining Time Alarm",
        "Remaining Capacity Alarm", "Discharge Terminated", "Over Temperature",
        "Charging Terminated", "Over Charged", "Relative State of Charge", "Charger Status",
        "Remaining Capacity", "Full Charge Capacity", "Is SOH Good"],
    "BBU_Capacity_Info": [
        "Relative State of Charge", "Absolute State of charge", "Remaining Capacity",
        "Full Charge Capacity", "Run time to empty", "Average time to empty",
        "Estimated time to full recharge", "Cycle Count", "Max Error"],
    "BBU_Design_Info": [
        "Date of Manufacture", "Design Capacity", "Design Voltage", "Specification Info",
        "Serial Number", "Pack Stat Configuration", "Manufacture Name", "Device Name",
        "Device Chemistry", "Battery FRU", "Transparent Learn", "App Data"],
    "BBU_Properties": ["Auto Learn Period", "Next Learn time", "Learn Delay Interval",
                       "Auto-Learn Mode", "BBU Mode"],
}

VAULT_PROPERTIES = {
    "Cachevault_Info": ["Type", "Temperature", "State"],
    "Firmware_Status": ["Replacement required", "No space to cache offload",
                        "Module microcode update required"],
    "GasGaugeStatus": ["Pack Energy", "Capacitance", "Remaining Reserve Space"],
    "Design_Info": [
        "Date of Manufacture", "Serial Number", "Manufacture Name", "Design Capacity",
        "Device Name", "tmmFru", "CacheVault Flash Size", "tmmBatversionNo", "tmmSerialNo",
        "tmm Date of Manufacture", "tmmPcbAssmNo", "tmmPCBversionNo", "tmmBatPackAssmNo",
        "scapBatversionNo", "scapSerialNo", "scap Date of Manufacture", "scapPcbAssmNo",
        "scapPCBversionNo", "scapBatPackAssmNo", "Module Version"],
    "Properties": ["Auto Learn Period", "Next Learn time", "Learn Delay Interval",
                   "Auto-Learn Mode"],
}

# What this controller has beyond StorCLI, by the section it stands in; always behind its keys.
EXTRAS = {
    "": {"Cache"},
    "VD Properties": {"Cached Writes KiB", "Cached Writes Pinned", "Acknowledged Writes Lost",
                      "Stripe Log", "Stripe Log(reason)", "Hedged Reads", "Hedged Reads(reason)",
                      "Write Cache On Degrade",
                      "Write Cache(reason)", "Guarantee"},
}
