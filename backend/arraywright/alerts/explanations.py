"""What a person should know about each alert rule: cause, consequence, next step."""

from arraywright.alerts.schemas import AlertRule, AlertRuleName

REGISTRY: dict[AlertRuleName, AlertRule] = {
    rule.name: rule
    for rule in (
        AlertRule(
            name=AlertRuleName.VIRTUAL_DRIVE_DEGRADED,
            title="Virtual drive degraded",
            cause="One or more of its drives failed, went missing or were taken offline.",
            consequence="Data are intact, but fewer further failures can be survived; "
            "reads of the lost part are slower.",
            next_step="Let the rebuild finish. If none is running, replace the drive or "
            "add a hot spare.",
        ),
        AlertRule(
            name=AlertRuleName.VIRTUAL_DRIVE_OFFLINE,
            title="Virtual drive offline",
            cause="More drives are gone than its level can lose.",
            consequence="It cannot be read or written. What is on the remaining drives is kept.",
            next_step="Do not delete or initialise anything. Bring back the drives that were "
            "lost last; then look at the virtual drive again.",
        ),
        AlertRule(
            name=AlertRuleName.DRIVE_FAILED,
            title="Drive failed",
            cause="It failed writes, could not repair its read errors or stopped answering.",
            consequence="It is no longer used. Virtual drives on it are degraded or offline.",
            next_step="Replace the drive. Use Locate to find its bay.",
        ),
        AlertRule(
            name=AlertRuleName.DRIVE_MISSING,
            title="Drive missing",
            cause="A member of a drive group was pulled or does not answer.",
            consequence="Virtual drives on it are degraded or offline.",
            next_step="Check bay and cabling, put the drive back or replace it.",
        ),
        AlertRule(
            name=AlertRuleName.DRIVE_PREDICTIVE_FAILURE,
            title="Drive expects to fail",
            cause="The drive's own health check warns of a failure.",
            consequence="Nothing is lost yet.",
            next_step="Plan to replace it; make sure a hot spare is at hand.",
        ),
        AlertRule(
            name=AlertRuleName.REBUILD_FAILED,
            title="Rebuild failed",
            cause="The drive that was rebuilt, or one it is rebuilt from, had errors.",
            consequence="The drive group stays degraded.",
            next_step="Read the reason, replace the drive that had errors and rebuild again.",
        ),
        AlertRule(
            name=AlertRuleName.HOST_OFFLINE,
            title="Host offline",
            cause="Its agent is stopped, the machine is down or the network is cut.",
            consequence="Its arrays work on by themselves, but what is shown may be outdated.",
            next_step="Check the machine and its connection to this server.",
        ),
        AlertRule(
            name=AlertRuleName.HOST_RESTORED,
            title="Host restored",
            cause="The state directory of its agent was restored from a backup, replaced, or "
            "belongs to a copy of the machine that has taken the place of the first.",
            consequence="The host has reported its present state and all of its events anew. "
            "Commands that were under way may or may not have run.",
            next_step="Make sure that no other copy of the machine is used, look at the outcome "
            "of recent commands, then acknowledge this alert: that ends it.",
        ),
        AlertRule(
            name=AlertRuleName.HOST_CLONED,
            title="Identity used twice",
            cause="A machine was cloned, or its state directory was copied, together with the "
            "identity of its agent.",
            consequence="One machine is shown and managed. The other is not shown: its arrays "
            "have no alerts here.",
            next_step="On the machine that is the copy, run arraywright-uplink enrol --force "
            "with a new token (Hosts, Add host). This alert ends then, or two hours after the "
            "copy was last seen.",
        ),
        AlertRule(
            name=AlertRuleName.BATTERY_FAILED,
            title="Battery failed",
            cause="The battery that protects the write cache holds no charge or reports a fault.",
            consequence="Write-back is suspended: writes go through to the drives and are slower.",
            next_step="Replace the battery. Write-back returns by itself when it is charged.",
        ),
        AlertRule(
            name=AlertRuleName.BATTERY_MISSING,
            title="Battery missing",
            cause="The battery that protects the write cache is not connected.",
            consequence="Write-back is suspended: writes go through to the drives and are slower.",
            next_step="Connect the battery or fit a new one.",
        ),
        AlertRule(
            name=AlertRuleName.BATTERY_NOT_READY,
            title="Battery not ready",
            cause="It is being charged, too low, too warm, worn out or does not answer.",
            consequence="Write-back is suspended until the battery can protect the cache again.",
            next_step="Wait if it is charging; otherwise read the reason on the battery's page.",
        ),
        AlertRule(
            name=AlertRuleName.BATTERY_LEARN,
            title="Learn cycle",
            cause="The battery is emptied and charged again to measure what it holds.",
            consequence="Unless the cycle is transparent, write-back is suspended for some hours.",
            next_step="Nothing has to be done. If the hour is bad, choose another date.",
        ),
        AlertRule(
            name=AlertRuleName.UPS_ON_BATTERY,
            title="UPS on battery",
            cause="The mains power of the host has failed.",
            consequence="Writes go through to the drives and the cache is emptied while "
            "the UPS lasts.",
            next_step="Restore the mains power. The host shuts down when the UPS is nearly empty.",
        ),
        AlertRule(
            name=AlertRuleName.WRITE_POLICY_LOWERED,
            title="Write policy lowered",
            cause="The write policy that was asked for is not safe at the moment.",
            consequence="No data are at risk, but writes are slower.",
            next_step="Remove the cause; the requested policy returns by itself.",
        ),
        AlertRule(
            name=AlertRuleName.WRITE_BACK_UNPROTECTED,
            title="Write-back without protection",
            cause="Write-back was forced although no working battery protects the cache.",
            consequence="A power failure loses acknowledged writes.",
            next_step="Fit a battery, or choose write-back or write-through instead.",
        ),
        AlertRule(
            name=AlertRuleName.WRITES_LOST,
            title="Acknowledged writes lost",
            cause="The cache held writes that never reached the drives, and its content is gone.",
            consequence="What is on the virtual drive is older than its users believe.",
            next_step="Check the file systems and applications on it; restore from a backup "
            "what is damaged.",
        ),
        AlertRule(
            name=AlertRuleName.CACHE_PRESERVED,
            title="Preserved cache",
            cause="Drives went missing while writes for them were in the cache.",
            consequence="The writes are kept. Without the drives they cannot be finished, and "
            "part of the cache is taken.",
            next_step="Bring the missing drives back. Discard the preserved cache only if they "
            "are lost for ever.",
        ),
        AlertRule(
            name=AlertRuleName.CACHE_FAILED,
            title="Cache out of use",
            cause="The cache medium is gone, damaged or belongs to another controller.",
            consequence="Writes go through to the drives and reads are not cached.",
            next_step="Read the reason on the cache's page and bring the medium back.",
        ),
        AlertRule(
            name=AlertRuleName.HOST_NOISY,
            title="Host reports too many events",
            cause="Its agent sends events faster than this server takes them from one host.",
            consequence="Nothing is lost, but what the host reports arrives late. "
            "Other hosts are not affected.",
            next_step="Look at the newest events of the host. Retire the host if it is not "
            "one of yours.",
        ),
        AlertRule(
            name=AlertRuleName.HOST_SENT_NONSENSE,
            title="Host reports impossible values",
            cause="Its agent sent numbers, times or texts beyond what is possible, or more "
            "objects than one host may have.",
            consequence="Impossible values are shown at their limit and marked; what could not "
            "be understood is left out. Other hosts are not affected.",
            next_step="Update the agent. If its version is current, treat the machine as "
            "compromised until you know better.",
        ),
    )
}
