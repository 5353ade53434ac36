/*
 * The table of commands: see command.h. The first row that fits the object, the verb and the
 * noun is taken, so a row without a noun stands behind those with one.
 */
#include "cli/change.h"
#include "cli/config.h"
#include "cli/doctor.h"
#include "cli/metrics.h"
#include "cli/monitor.h"
#include "cli/show.h"
#include "cli/smart.h"

#define CONTROLLER_PROPERTIES                                                                      \
    "rebuildrate|bgirate|ccrate|autorebuild|time|temperature|foreignautoimport|"                   \
    "autoenhancedimport|bootdrive|jbod|alarm|copyback|cc|consistencycheck|pr|patrolread|prrate|"   \
    "eghs|mixmedia|mixinterface|glitchtime|coercion|batterywarning|maintainpdfailhistory|"         \
    "restorehotspare|loadbalancemode|abortcconerror|bootwithpinnedcache|smartpollinterval|"        \
    "cacheflushint|eccbucketsize|eccbucketleakrate|spinupdrivecount|spinupdelay|"                  \
    "activityforlocate|exposeenclosuredevice|directpdmapping|backplane|stoponerror|ncq|ocr|"       \
    "failpdonsmarterror|sesmonitoring|personality|pendingimages"
#define VD_ADD_OPTIONS                                                                             \
    "type= r0 r1 r1e r5 r6 r10 r50 r60 raid0 raid1 raid1e raid5 raid6 raid10 raid50 raid60 each "  \
    "size= name= drives= e= s= drivegroup= array= aftervd= pdperarray= pdcache= ondegrade= "       \
    "wt wb awb "                                                                                   \
    "nora "                                                                                        \
    "ra adra direct cached strip= spares= force preset= storsave= acceptrisk"

const struct cli_command cli_commands[] = {
    {CLI_OBJECT_NONE, "status", NULL, "", show_status, "status [--json] [--exit-code]",
     "The host's controllers at a glance, and what needs attention. --exit-code: exits with 0 if "
     "all is good, 1 if something needs attention, 2 if a controller is degraded, 3 if one has "
     "failed or cannot be reached."},
    {CLI_OBJECT_NONE, "watch", NULL, "count=", show_watch, "watch [count=N]",
     "Shows the host's controllers once a second, with the progress of background work."},
    {CLI_OBJECT_CONTROLLER, "status", NULL, "", show_status, "/cX status",
     "Shows this controller at a glance, and what needs attention."},
    {CLI_OBJECT_CONTROLLER, "watch", NULL, "count=", show_watch, "/cX watch [count=N]",
     "Shows this controller once a second, with the progress of background work."},
    {CLI_OBJECT_NONE, "doctor", NULL, "config= uplink= program= root= minfree=", doctor_show,
     "doctor [config=PATH] [uplink=PATH] [program=PATH] [root=DIR] [minfree=MIB] [J]",
     "Looks for common faults, also while arrayd does not run, and says what to do next."},
    {CLI_OBJECT_NONE, "support-bundle", NULL, "file= log= config= uplink= program= root= minfree=",
     support_bundle, "support-bundle [file=PATH] [log=PATH] [config=PATH] [uplink=PATH]",
     "Collects versions, configuration, state, events and logs in one tar.gz, without secrets."},
    {CLI_OBJECT_NONE, "metrics", NULL, "file=", show_metrics, "metrics [file=PATH]",
     "Metrics in Prometheus' text format, or into a file for node-exporter's textfile collector."},
    {CLI_OBJECT_NONE, "monitor", NULL,
     "class= mail= mailer= webhook= script= journal= cursor= textfile= interval= listen= away= "
     "count=",
     monitor_run,
     "monitor [mail=ADDRESS] [webhook=URL] [script=PATH] [journal=on] [class=CLASS] [cursor=PATH] "
     "[textfile=PATH] [interval=SECONDS] [listen=127.0.0.1:PORT] [away=SECONDS]",
     "Tells events as they come and keeps metrics; see arraywright-monitor(8)."},
    {CLI_OBJECT_NONE, "smart", NULL, "once interval= timeout= program=", smart_run,
     "smart [once] [interval=SECONDS] [timeout=SECONDS] [program=PATH]",
     "Asks the host's drives for their health through smartctl; see arraywright-smart(8)."},
    {CLI_OBJECT_NONE, "adpallinfo", NULL, "a0 aall -a0 -aall", show_legacy_adapter, "adpallinfo a0",
     "MegaCLI's summary, for health checks that still ask for it."},
    {CLI_OBJECT_NONE, "show", "ctrlcount", "", show_controller_count, "show ctrlcount",
     "Number of controllers."},
    {CLI_OBJECT_NONE, "show", "stripes", "", show_stripes, "show stripes",
     "Stripes over virtual drives."},
    {CLI_OBJECT_NONE, "add", "stripe", "name= vds= strip= force", change_stripe_add,
     "add stripe name=NAME vds=c:v,c:v[,...] [strip=<KiB>] [force]",
     "Stripes 2 to 8 whole virtual drives of one or several controllers (c: controller, v: "
     "number). "
     "The stripe is exported in their place. force: overwrites data that they carry."},
    {CLI_OBJECT_NONE, "delete|del", "stripe", "name= force confirm=", change_stripe_delete,
     "delete stripe name=NAME [force] [confirm=NAME]",
     "Dissolves a stripe; its virtual drives stay. Without force its name must be typed twice."},
    {CLI_OBJECT_NONE, "show", NULL, "all", show_host, "show [all]", "Overview of all controllers."},

    {CLI_OBJECT_CONTROLLER, "show", "all", "", show_controller_all, "/cX show all",
     "Everything about the controller."},
    {CLI_OBJECT_CONTROLLER, "show", "events",
     "type= filter= since= count= file= format=", show_events,
     "/cX show events [type=latest=N|sincereboot|sinceshutdown|ccincon|includedeleted] "
     "[filter=info,warning,critical,fatal] [since=2h|\"yyyy/mm/dd hh:mm:ss\"] [count=N] "
     "[file=PATH] [format=text|jsonl] [J=2]",
     "The event log, oldest first."},
    {CLI_OBJECT_CONTROLLER, "show", "eventloginfo", "", show_event_info, "/cX show eventloginfo",
     "The numbers of the oldest and the newest event."},
    {CLI_OBJECT_CONTROLLER, "show", CONTROLLER_PROPERTIES, CONTROLLER_PROPERTIES,
     show_controller_property,
     "/cX show rebuildrate|bgirate|autorebuild|time|temperature|cc|patrolread|...",
     "Properties of the controller; several may be named."},
    {CLI_OBJECT_CONTROLLER, "show", "presets", "", show_presets, "/cX show presets",
     "The bundles of policies its model offers, and what they set."},
    {CLI_OBJECT_CONTROLLER, "show", "health", "", show_health, "/cX show health",
     "What needs attention, the worst first."},
    {CLI_OBJECT_CONTROLLER, "show", "alilog", "file=", show_support_bundle,
     "/cX show alilog [file=PATH]", "Everything there is to say, and the event log, for support."},
    {CLI_OBJECT_CONTROLLER, "show", "preservedcache", "", show_preserved_cache,
     "/cX show preservedcache", "Cached writes that wait for their drives."},
    {CLI_OBJECT_CONTROLLER, "show", "freespace", "", show_free_space, "/cX show freespace",
     "Space of drive groups that no virtual drive uses: add vd drivegroup=N makes one there."},
    {CLI_OBJECT_CONTROLLER, "show", "undo", "", show_undo, "/cX show undo",
     "What was deleted and can be restored: its metadata are kept for a week at least."},
    {CLI_OBJECT_CONTROLLER, "restore", NULL, "undo=", change_undo_restore, "/cX restore undo=N",
     "Brings back what was deleted, while its drives are free and untouched."},
    {CLI_OBJECT_CONTROLLER, "show", NULL, "", show_controller, "/cX show",
     "Drive groups, virtual drives and drives."},
    {CLI_OBJECT_CONTROLLER, "get", "config", "file=", config_get, "/cX get config [file=PATH]",
     "Saves the whole configuration: settings, drive groups, virtual drives, hot spares."},
    {CLI_OBJECT_CONTROLLER, "flushcache|flush", NULL, "", change_cache_flush, "/cX flushcache",
     "Writes everything cached to the drives and makes them flush it. Ends when that is done."},
    {CLI_OBJECT_CONTROLLER, "set", "config", "file= dryrun", config_set,
     "/cX set config file=PATH [dryrun]",
     "Creates a saved configuration, all of it or nothing. What exists is never overwritten. "
     "dryrun: only says what it would do."},
    {CLI_OBJECT_CONTROLLER, "delete|del", "config", "force", change_config_delete,
     "/cX delete config force",
     "Deletes every virtual drive and hot spare of the controller. What was deleted can be "
     "restored "
     "(show undo) until its drives are used again."},
    {CLI_OBJECT_CONTROLLER, "set", "eghs", "state= eug= smarter=", change_controller_emergency,
     "/cX set eghs [state=on|off] [eug=on|off] [smarter=on|off]",
     "Switches emergency spares: state, hot spares of another kind than the members; eug, "
     "unconfigured good drives; smarter, a spare is filled from a member that will probably fail."},
    {CLI_OBJECT_CONTROLLER, "start|stop|pause|suspend|resume", "patrolread|pr", "",
     change_patrol_task, "/cX start|stop|pause|resume patrolread",
     "Controls the patrol read, which reads all of every member and hot spare."},
    {CLI_OBJECT_CONTROLLER, "set", "patrolread=|patrolread",
     "patrolread= mode= starttime= maxconcurrentpd= includessds= delay=", change_patrol_set,
     "/cX set patrolread[=on|off] [mode=auto|manual] [starttime=\"yyyy/mm/dd hh\"] "
     "[maxconcurrentpd=<1-255>] [includessds=on|off] [delay=<0-8760>]",
     "When drives are patrolled: auto each so many hours (delay, 168 by default; 0: it never "
     "rests), manual by command only; starttime: when it begins next; maxconcurrentpd: drives at "
     "a time; SSDs are skipped unless they are included."},
    {CLI_OBJECT_CONTROLLER, "set", NULL,
     "rebuildrate= bgirate= prrate= autorebuild= copyback= mixmedia= mixinterface= glitchtime= "
     "coercion=",
     change_controller_set,
     "/cX set rebuildrate=<0-100> | bgirate=<0-100> | prrate=<0-100> | autorebuild=on|off | "
     "copyback=on|off | mixmedia=on|off | mixinterface=on|off | glitchtime=<0-300> | "
     "coercion=0|1|2",
     "Changes properties of the controller. mixmedia, mixinterface: SSDs and hard disks, SAS and "
     "SATA drives may share a drive group. glitchtime: seconds to wait for a drive that vanished "
     "before a hot spare replaces it. coercion: new drive groups use each drive in steps of 0 (no "
     "steps), 1 (128 MiB) or 2 (1 GiB), so that a replacement may be slightly smaller."},
    {CLI_OBJECT_CONTROLLER, "add", "vd", VD_ADD_OPTIONS, change_vd_add,
     "/cX add vd r0|r1|r1e|r5|r6|r10|r50|r60 drives=e:s|e:s-s,s|:s|s (or [e=e] s=s-s,s) "
     "[drivegroup=N] [size=<n>MB|GB|TB|all|remaining[,...]] [name=NAME[,...]] "
     "[strip=<KiB>] [PDperArray=n] [wt|wb|awb] [nora|ra] [direct|cached] [pdcache=on|off|default] "
     "[ondegrade=keep|wt] [preset=NAME [acceptrisk]] [spares=e:s,...] [force]",
     "Creates a virtual drive. size: in MB where no unit is given; 1 MB is 1024 KB here, and what "
     "is not whole rows is rounded down. Several sizes create as many in one drive group: "
     "size=100GB,1TB,remaining, size=100GB*4. Where the drives are those of a drive group, or "
     "drivegroup= names one (as array= does, or aftervd= by a virtual drive in it), it is made in "
     "the space that is free there. Four or "
     "more drives as r1 make a RAID 10; n copies are asked for "
     "with PDperArray=n. ondegrade=wt: it writes through while it lacks redundancy. At most 32 "
     "drives in a span, 8 spans (128 for r10) and 256 drives."},

    {CLI_OBJECT_NONE, "create", NULL, "", change_create_guided, "create",
     "Asks on the terminal for the drives, level, size and name of a virtual drive, shows the "
     "result and creates it."},
    {CLI_OBJECT_CONTROLLER, "create", NULL, "", change_create_guided, "/cX create",
     "Asks on the terminal for a virtual drive of this controller."},

    {CLI_OBJECT_CONTROLLER, "explain", NULL, "all", show_explanation, "explain /cX [all] [--json]",
     "What is wrong, what it means and what to do; all: also what is not possible now."},
    {CLI_OBJECT_DRIVE, "explain", NULL, "all", show_explanation,
     "explain /cX[/eX]/sX [all] [--json]",
     "What is wrong, what it means and what to do; all: also what is not possible now."},
    {CLI_OBJECT_GROUP, "explain", NULL, "all", show_explanation, "explain /cX/dX [all] [--json]",
     "What is wrong, what it means and what to do; all: also what is not possible now."},
    {CLI_OBJECT_VD, "explain", NULL, "all", show_explanation, "explain /cX/vX [all] [--json]",
     "What is wrong, what it means and what to do; all: also what is not possible now."},
    {CLI_OBJECT_BBU, "explain", NULL, "all", show_explanation, "explain /cX/bbu [all] [--json]",
     "What is wrong, what it means and what to do; all: also what is not possible now."},
    {CLI_OBJECT_CACHEVAULT, "explain", NULL, "all", show_explanation,
     "explain /cX/cv [all] [--json]",
     "What is wrong, what it means and what to do; all: also what is not possible now."},
    {CLI_OBJECT_ENCLOSURE, "show", NULL, "all", show_enclosure, "/cX/eX show [all]", "Enclosures."},

    {CLI_OBJECT_DRIVE, "show", "rebuild|copyback|initialization|erase", "", show_drive_operation,
     "/cX[/eX]/sX show rebuild|copyback|initialization|erase", "Progress of background work."},
    {CLI_OBJECT_DRIVE, "show", "perf", "all", show_drive_performance, "/cX[/eX]/sX show perf [all]",
     "How long the drive's operations took; all: the histogram."},
    {CLI_OBJECT_DRIVE, "delete|del", "perf", "", change_drive_performance_delete,
     "/cX[/eX]/sX delete perf", "Starts the drive's latency histograms over."},
    {CLI_OBJECT_DRIVE, "show", "smart", "", show_drive_smart, "/cX[/eX]/sX show smart",
     "What the drive says of its own health."},
    {CLI_OBJECT_DRIVE, "show", "badblocks", "", show_drive_bad_blocks, "/cX[/eX]/sX show badblocks",
     "Lists unreadable and lost blocks of a drive."},
    {CLI_OBJECT_DRIVE, "show", NULL, "all", show_drive, "/cX[/eX]/sX show [all]", "Drives."},
    {CLI_OBJECT_DRIVE, "start|stop|pause|suspend|resume", "rebuild", "", change_drive_task,
     "/cX[/eX]/sX start|stop|pause|resume rebuild", "Controls the rebuild of a member."},
    {CLI_OBJECT_DRIVE, "start|stop|pause|suspend|resume", "copyback", "target=",
     change_drive_copyback, "/cX[/eX]/sX start copyback target=e:s | stop|pause|resume copyback",
     "Fills another drive from a member, which stays in use; then the drive takes its place."},
    {CLI_OBJECT_DRIVE, "start|stop", "erase",
     "simple normal thorough threepass standard crypto patternA= patternB= force confirm=",
     change_drive_erase,
     "/cX[/eX]/sX start erase [simple|normal|thorough|threepass] [patternA=n] [patternB=n] "
     "force | confirm=<serial> | stop erase",
     "Overwrites all of an unused drive, with zeros at last, and reads it back: simple one pass, "
     "normal three (patterns A, B, zeros), thorough nine, threepass random data and zeros twice. "
     "force: also what somebody else has on it; the drives must be numbered then, without all."},
    {CLI_OBJECT_DRIVE, "spindown|spinup", NULL, "", change_drive_spin,
     "/cX[/eX]/sX spindown|spinup",
     "Stops the motor of an unconfigured drive or a hot spare, to remove or to rest it; starts "
     "it."},
    {CLI_OBJECT_DRIVE, "start|stop", "locate", "seconds=", change_drive_locate,
     "/cX[/eX]/sX start|stop locate [seconds=n]",
     "Lights the drive's locate lamp. seconds: turns it off again after this time."},
    {CLI_OBJECT_DRIVE, "add", "hotsparedrive", "dgs= enclaffinity nonrevertible force",
     change_drive_spare_add,
     "/cX[/eX]/sX add hotsparedrive [dgs=<list>] [enclaffinity] [nonrevertible] [force]",
     "Makes a drive a hot spare, global or for the drive groups of dgs=. enclaffinity: only for "
     "members in its own enclosure. nonrevertible: stays a member when the lost drive has been "
     "replaced."},
    {CLI_OBJECT_DRIVE, "delete|del", "hotsparedrive", "", change_drive_spare_delete,
     "/cX[/eX]/sX delete hotsparedrive",
     "Makes a hot spare an unconfigured good drive. If the hot spare is missing: ends the "
     "finding."},
    {CLI_OBJECT_DRIVE, "insert", NULL, "dg= array= row= force", change_drive_insert,
     "/cX[/eX]/sX insert dg=A array=B row=C [force]",
     "Puts a drive in the place of a lost member and rebuilds it."},
    {CLI_OBJECT_DRIVE, "set", NULL,
     "good offline online missing jbod force confirm= fault= lba= count= latency=",
     change_drive_set,
     "/cX[/eX]/sX set good [force] | offline | online | missing | jbod | "
     "fault=pull|return|replace|media_error|slow|"
     "write_error|clear [lba=n] [count=n] [latency=ms]",
     "Changes a drive's state, or injects a fault into an emulated drive. missing: a lost member "
     "gives up its place. jbod: leaves the drive to the host as it is."},

    {CLI_OBJECT_GROUP, "show", NULL, "all", show_group, "/cX/dX show [all]", "Drive groups."},

    {CLI_OBJECT_VD, "show", "bgi|init|cc|migrate|erase|autobgi", "", show_vd_operation,
     "/cX/vX show bgi|init|cc|migrate|erase|autobgi", "Progress of background work."},
    {CLI_OBJECT_VD, "show", "perf", "all", show_vd_performance, "/cX/vX show perf [all]",
     "How long the requests of its users took; all: the histogram."},
    {CLI_OBJECT_VD, "delete|del", "perf", "", change_vd_performance_delete, "/cX/vX delete perf",
     "Starts the virtual drive's latency histograms over."},
    {CLI_OBJECT_VD, "show", "badblocks", "", show_vd_bad_blocks, "/cX/vX show badblocks",
     "Lists unreadable and lost blocks of a virtual drive."},
    {CLI_OBJECT_VD, "show", "policies", "preset= storsave=", show_vd_policies,
     "/cX/vX show policies [preset=NAME]",
     "Its policies as they are asked for and as they hold, and why; what it reads ahead. preset: "
     "what a preset would make of them, and what would have to be accepted."},
    {CLI_OBJECT_VD, "show", "expansion", "", show_vd_expansion, "/cX/vX show expansion",
     "How far a virtual drive could be expanded."},
    {CLI_OBJECT_VD, "expand", NULL, "size=", change_vd_expand, "/cX/vX expand size=<n>|all",
     "Expands a virtual drive into the free space directly behind it. size: the new size, rounded "
     "down to whole rows. Data stay, and clients stay connected. The new space is initialized in "
     "the background. A virtual drive cannot shrink."},
    {CLI_OBJECT_VD, "show", "measure", "", show_vd_measure, "/cX/vX show measure",
     "Shows the last measurement, or the one that is running."},
    {CLI_OBJECT_VD, "start", "measure",
     "pattern= block= writes= depth= workers= seconds= force confirm=", change_vd_measure_start,
     "/cX/vX start measure [pattern=random|sequential] [block=<KiB>] [writes=<0-100>] [depth=n] "
     "[workers=n] [seconds=n] [force] [confirm=NAME]",
     "Measures the speed of a virtual drive that nobody uses. It is not exported meanwhile. "
     "writes: overwrites its content; without force its name must be typed."},
    {CLI_OBJECT_VD, "stop", "measure", "", change_vd_measure_stop, "/cX/vX stop measure",
     "Ends the measurement."},
    {CLI_OBJECT_VD, "show", NULL, "all", show_vd, "/cX/vX show [all]", "Virtual drives."},
    {CLI_OBJECT_VD, "delete|del", "preservedcache", "force confirm=", change_preserved_delete,
     "/cX/vX delete preservedcache [force] [confirm=NAME]",
     "Discards cached writes that wait for their drives. They are lost. Without force the virtual "
     "drive's name must be typed."},
    {CLI_OBJECT_VD, "flushcache|flush", NULL, "", change_vd_cache_flush, "/cX/vX flushcache",
     "Writes what is cached of a virtual drive to its drives and makes them flush it. Ends when "
     "that is done."},
    {CLI_OBJECT_VD, "delete|del", "doubt", "", change_vd_doubt_delete, "/cX/vX delete doubt",
     "Ends the finding of data in doubt since an unclean stop: you have checked them. No data "
     "change."},
    {CLI_OBJECT_VD, "delete|del", NULL, "force confirm=", change_vd_delete,
     "/cX/vX del [force] [confirm=NAME]",
     "Deletes a virtual drive that carries nothing. One with a file system, a partition table or "
     "the like takes force or its name. It can be restored (show undo) until its drives are used "
     "again."},
    {CLI_OBJECT_VD, "set", NULL,
     "name= autobgi= wrcache= rdcache= iopolicy= pdcache= ondegrade= accesspolicy= stripelog= "
     "hedgedreads= "
     "preset= storsave= acceptrisk",
     change_vd_set,
     "/cX/vX set name=NAME | autobgi=on | wrcache=wt|wb|awb | rdcache=ra|nora | "
     "iopolicy=direct|cached | "
     "pdcache=on|off|default | ondegrade=keep|wt | accesspolicy=rw|ro|blocked | "
     "stripelog=auto|on|off | "
     "hedgedreads=on|off | preset=NAME [acceptrisk] | storsave=protect|balance|perform "
     "[acceptrisk]",
     "Changes properties of a virtual drive. ondegrade=wt: it writes through while it lacks "
     "redundancy. stripelog: whether rows are logged on the drives before they are written: auto, "
     "the default of parity levels, while a drive is not in sync; on, always; off, never. preset: "
     "the policies of one of the controller's "
     "presets (show presets); one that gives up protection takes acceptrisk. storsave: 3ware's "
     "presets by 3ware's names."},
    {CLI_OBJECT_VD, "start|stop|pause|suspend|resume", "bgi", "", change_vd_task,
     "/cX/vX start|stop|pause|resume bgi", "Controls the background initialization."},

    {CLI_OBJECT_VD, "start", "init", "full force confirm=", change_vd_init,
     "/cX/vX start init [force] [confirm=NAME]",
     "Writes zeros over the first and the last 8 MiB of a virtual drive that nobody uses, so that "
     "nothing is recognized on it any more. One that carries a file system, a partition table or "
     "the like takes force or its name. full: refused."},
    {CLI_OBJECT_VD, "start", "cc", "force correct confirm=", change_vd_check_start,
     "/cX/vX start cc [force] [correct [confirm=NAME]]",
     "Compares the redundancy of a virtual drive with its data and reports what differs. Corrects "
     "only what one drive alone explains (RAID 6, three copies or more). correct: makes the rest "
     "agree with the data or with the first copy, right or wrong; the virtual drive's name must be "
     "typed. force: accepted and ignored."},
    {CLI_OBJECT_VD, "stop|pause|suspend|resume", "cc", "", change_vd_check,
     "/cX/vX stop|pause|resume cc", "Controls the consistency check."},

    {CLI_OBJECT_BBU, "show", NULL, "all status properties modes", show_battery,
     "/cX/bbu show [all|status|properties|modes]", "The battery."},
    {CLI_OBJECT_BBU, "start", "learn", "", change_battery_learn, "/cX/bbu start learn",
     "Starts a learn cycle; write-back is suspended until it ends, unless it is transparent."},
    {CLI_OBJECT_BBU, "set", NULL,
     "autolearnmode= learndelayinterval= learnstarttime= fault=", change_battery_set,
     "/cX/bbu set autolearnmode=0|1|2|3 | learnDelayInterval=<0-168> | "
     "learnStartTime=\"yyyy/mm/dd hh\" | fault=fail|remove|low_charge|overheat|wear_out|power_off|"
     "clear",
     "Learn cycles (0 automatic, 1 disabled, 2 warn only, 3 by hand only), or a fault on an "
     "emulated battery."},
    {CLI_OBJECT_CACHEVAULT, "show", NULL, "all status properties", show_battery,
     "/cX/cv show [all|status|properties]", "The cache vault."},
    {CLI_OBJECT_CACHEVAULT, "start", "learn", "", change_battery_learn, "/cX/cv start learn",
     "Refused: a persistent medium has nothing to learn."},
    {CLI_OBJECT_FOREIGN, "show", NULL, "all", show_foreign, "/cX/fall show [all]",
     "Drives of foreign configurations, and with all what an import would make of them."},
    {CLI_OBJECT_FOREIGN, "import", NULL, "preview", change_foreign_import,
     "/cX/f<all|N> import [preview]",
     "Takes foreign configurations over, each one wholly or not at all; preview only shows what "
     "would become of every virtual drive and drive."},
    {CLI_OBJECT_FOREIGN, "delete|del|clear", NULL, "preview force confirm=", change_foreign_clear,
     "/cX/f<all|N> delete [preview] [force] [confirm=NAME]",
     "Clears foreign configurations: their metadata are taken off the drives, and can be restored "
     "(show undo). Without force the name of the set must be typed."},
};
const uint32_t cli_command_count = sizeof(cli_commands) / sizeof(cli_commands[0]);
