#!/usr/bin/env python3
"""Every event of the catalogue is provoked by a test of the controller, or there is a reason why
it cannot come.

    event_proofs.py CATALOGUE FOLDER

The programs in FOLDER that PROVOKED names write the codes of all events that were published to a
file. It is of the run that the suite has just made of them; a program that has not been run since it
was built is run here. Fails for an event that nothing provokes, for one that is in both tables or in
neither, and for one that comes although it is said that it cannot.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

STORIES = Path(__file__).resolve().parents[2] / "e2e"

# By the program test_ctl_NAME in which they come.
PROVOKED = {
    "battery": """
        battery_present battery_removed battery_temperature_high battery_temperature_normal
        battery_charging battery_discharging battery_charged battery_capacity_low
        battery_capacity_ok battery_replace battery_failed battery_state_changed
        battery_fault_injected learn_started learn_completed learn_failed learn_timed_out
        learn_pending learn_postponed learn_in_4_days learn_in_2_days learn_in_1_day
        learn_in_5_hours learn_needed learn_due_disabled learn_settings_changed
        write_back_restored write_back_lowered write_back_forced ups_on_battery ups_on_mains
        ups_silent ups_back""",
    "cache": """
        battery_absent cache_recovered cache_lost cache_discarded cache_preserved
        cache_preserved_written cache_state_changed cache_medium_refused
        virtual_drive_inconsistent""",
    "copies": "drive_stale",
    "copyback": """
        copyback_started_user copyback_started_auto copyback_resumed copyback_paused
        copyback_aborted copyback_completed copyback_failed spare_returned""",
    "doubt": "virtual_drive_rewritten virtual_drive_trusted",
    "drives": """
        controller_online controller_shutdown drive_inserted drive_removed drive_state_changed
        drive_error drive_timeout drive_slow_command drive_missing_at_start drives_missing
        drive_label_mismatch drive_cache_switched drive_cache_failed drive_made_jbod
        drive_made_good virtual_drive_created virtual_drive_deleted
        virtual_drive_state_changed virtual_drive_policy_changed auto_rebuild_changed
        medium_error_corrected rebuild_started_auto rebuild_started_user rebuild_completed""",
    "events": """
        virtual_drive_suspect virtual_drive_doubted drive_slow drive_slow_over drive_claim_delayed bgi_failed resync_failed
        rebuild_failed_source rebuild_failed_target spare_dedicated_made spare_dedicated_removed
        spare_failed bgi_paused bgi_resumed locate_changed counters_reset""",
    "init": "init_started init_completed init_failed",
    "adopt": "md_super_left md_super_taken_off",
    "clear": "foreign_cleared foreign_restored",
    "patrol": """
        patrol_rate_changed patrol_started patrol_paused patrol_resumed patrol_completed
        patrol_stopped patrol_no_drives patrol_uncorrectable patrol_drive_failed
        patrol_schedule_changed""",
    "check": """
        check_started check_paused check_resumed check_aborted check_corrected check_completed
        check_completed_found check_failed check_completed_uncorrectable check_inconsistent
        check_logging_suppressed check_completed_left_out""",
    "erase": """
        erase_started erase_resumed erase_stopped erase_completed erase_failed erase_waits""",
    "foreign": "foreign_found foreign_imported",
    "health": """
        drive_predictive_failure drive_smart_good drive_error_limit drive_set_online medium_error_uncorrectable
        block_punctured bad_block_over""",
    "undo": "virtual_drive_restored undo_damaged",
    "measure": "measurement_started measurement_ended",
    "expand": "virtual_drive_expanded",
    "missing": """
        drive_set_missing locate_ended drive_overwritten drive_overwritten_used
        """,
    "sizes": """
        drive_grown drive_shrunk
        """,
    "random": "spare_global_removed",
    "refusals": "spare_too_small",
    "spin": "drive_spun_down drive_spun_up",
    "spares": "spare_commissioned controller_policy_changed drive_flapping drive_left",
    "story": """
        fault_injected virtual_drive_optimal virtual_drive_partially_degraded
        virtual_drive_degraded virtual_drive_offline bgi_started bgi_completed
        spare_global_made""",
    "stripe": "stripe_created stripe_deleted stripe_state_changed",
    "tasks": """
        rebuild_rate_changed bgi_rate_changed resync_started resync_completed rebuild_resumed
        rebuild_paused rebuild_aborted bgi_stopped""",
}

# By the story of the daemon that looks for them, where the world of the unit tests ends.
TOLD = {
    "agent/test_addresses.py": "drive_numbers_lost",
    "agent/test_start.py": "state_record_damaged",
    "agent/test_ddf.py": "drive_group_was_elsewhere drive_group_changed_elsewhere",
}

# Why it never comes.
IMPOSSIBLE = {
    "battery_voltage_low": "No source tells a low voltage apart from a low charge: the model of a "
                           "pack derives one from the other, and a UPS says that it is low. That "
                           "is battery_capacity_low.",
}


def seen(program, catalogue):
    """The codes of the events that a program's tests provoke, or whose text a story expects."""
    if program.suffix == ".py":
        story = program.read_text()
        return {event["code"] for event in catalogue
                if any(len(part) >= 26 and part[:26] in story for part in
                       (part.strip() for part in re.split(r"\{\w+\}", event["text"])))}
    path = program.with_name(f"{program.name}.events")
    if not path.exists() or path.stat().st_mtime < program.stat().st_mtime:
        # Which events come does not depend on where the power goes: few cuts suffice.
        subprocess.run([program], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "AW_EVENTS_SEEN": str(path.parent), "AW_CUTS": "8"})
    return {int(line) for line in path.read_text().splitlines()}


def complaints(catalogue, provoked, impossible, codes_seen):
    """What is wrong with the tables, in sentences."""
    known = {event["name"]: event["code"] for event in catalogue}
    placed = [(name, where) for where, names in provoked.items() for name in names.split()]
    names = [name for name, _ in placed] + list(impossible)
    for name in sorted(set(names)):
        if names.count(name) > 1:
            yield f"{name} is in the tables more than once"
    for name in known:
        if name not in names:
            yield f"{name} has neither a test that provokes it nor a reason why it cannot come"
    for name, where in placed:
        if name in known and known[name] not in codes_seen[where]:
            yield f"{name} is not provoked by {where}"
    for name in impossible:
        for where, codes in codes_seen.items():
            if known.get(name) in codes:
                yield f"{name} cannot come, and came in {where}"


def self_test():
    """The check must be able to fail."""
    catalogue = [{"name": "a", "code": 1}, {"name": "b", "code": 2}]
    assert not list(complaints(catalogue, {"x": "a"}, {"b": "why"}, {"x": {1}}))
    for provoked, impossible, codes in (
            ({"x": "a"}, {}, {1}), ({"x": "a b"}, {}, {1}), ({"x": "a b"}, {"b": "why"}, {1, 2}),
            ({"x": "a"}, {"b": "why"}, {1, 2})):
        assert list(complaints(catalogue, provoked, impossible, {"x": codes})), provoked


def main():
    self_test()
    catalogue = json.loads(Path(sys.argv[1]).read_text())["events"]
    known = {event["name"] for event in catalogue}
    programs = {where: Path(sys.argv[2]) / f"test_ctl_{where}" for where in PROVOKED}
    programs |= {where: STORIES / where for where in TOLD}
    placed = {where: names for where, names in (PROVOKED | TOLD).items()
              if known & set(names.split())}
    with ThreadPoolExecutor(os.cpu_count()) as at_once:
        codes = at_once.map(lambda where: seen(programs[where], catalogue), placed)
        found = list(complaints(catalogue, placed, IMPOSSIBLE, dict(zip(placed, codes))))
    print(f"{len(catalogue)} events, {len(IMPOSSIBLE)} of which cannot come")
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
