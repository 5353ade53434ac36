"""Documents of a small host: one controller, one enclosure, eight drives."""

import json
from pathlib import Path
from typing import Any

Document = dict[str, Any]
GIB = 1024**3
CONTROLLER = "c0"
ENCLOSURE = "e252"
_WORDS = Path(__file__).resolve().parents[3] / "agent" / "protocol" / "words.json"
FINDINGS: dict[str, dict[str, str]] = {
    row["code"]: row for row in json.loads(_WORDS.read_text())["findings"]
}


def reason(code: str = "as_requested", text: str = "As requested.", **params: str) -> Document:
    return {"code": code, "params": params, "text": text}


def item(kind: str, key: str, rev: int, doc: Document, config_rev: int = 1) -> Document:
    return {"kind": kind, "key": key, "rev": rev, "config_rev": config_rev, "doc": doc}


def host(**changes: Any) -> Document:
    return {
        "hostname": "alpha",
        "os": "Debian GNU/Linux 12",
        "kernel": "6.1.0",
        "agent_version": "0.1.0",
        "boot_id": "b1",
        "policy_preset": "lab",
        "started_at_us": 1_700_000_000_000_000,
        "findings": [],
        **changes,
    }


def finding(code: str, key: str = "v0", path: str = "/c0/v0", **changes: Any) -> Document:
    """As the agent words it; `severity` and `kind` are those of the protocol."""
    row = FINDINGS[code]
    return {
        "code": code,
        "severity": row["severity"],
        "kind": row["kind"],
        "key": key,
        "path": path,
        "since_us": 1_700_000_000_000_000,
        "what": reason(f"finding_{code}", f"What is wrong with {path}."),
        "cause": None,
        "effect": reason(f"effect_{code}", "What follows from it."),
        "remedy": reason(f"remedy_{code}", "What to do about it."),
        **changes,
    }


def status_of(findings: list[Document]) -> str:
    """What the agent makes of them: the worst."""
    order = ("optimal", "needs_attention", "degraded", "failed")
    known = [FINDINGS[item["code"]]["status"] for item in findings if item["code"] in FINDINGS]
    return max(known, key=order.index, default="optimal")


def controller(**changes: Any) -> Document:
    return {
        "index": 0,
        "path": "/c0",
        "uuid": "11111111-2222-3333-4444-555555555555",
        "model": "Arraywright native",
        "serial": "AW0001",
        "firmware_version": "0.1.0",
        "profile": "native",
        "status": status_of(changes.get("findings") or []),
        "cache_bytes": 0,
        "battery": "absent",
        "rebuild_rate_percent": 30,
        "bgi_rate_percent": 30,
        "auto_rebuild": True,
        "levels": [
            {
                "level": "raid5",
                "drives_min": 3,
                "drives_max": 32,
                "drives_multiple": 1,
                "drives_per_span_default": 0,
                "description": "One drive may fail.",
            }
        ],
        "strip_sizes_bytes": [65536, 131072],
        "strip_default_bytes": 65536,
        "nbd_tcp": None,
        "findings": [],
        "blocked": {},
        **changes,
    }


def patrol(**changes: Any) -> Document:
    """What a controller and its drives say of a patrol read that runs."""
    return {
        "next_at_us": None,
        "last_at_us": 1_700_000_000_000_000,
        "iterations": 3,
        "operation": "o1",
        "drives_done": 1,
        "drives_total": 3,
        "errors": 2,
        **changes,
    }


def enclosure(**changes: Any) -> Document:
    return {
        "controller": CONTROLLER,
        "eid": 252,
        "path": "/c0/e252",
        "model": "Emulated shelf",
        "slot_count": 8,
        "rows": 2,
        "columns": 4,
        "order": "row_major",
        "emulated": True,
        **changes,
    }


def drive(slot: int, **changes: Any) -> Document:
    return {
        "controller": CONTROLLER,
        "enclosure": ENCLOSURE,
        "eid": 252,
        "slot": slot,
        "did": slot,
        "path": f"/c0/e252/s{slot}",
        "state": "unconfigured_good",
        "present": True,
        "foreign": False,
        "size_bytes": 2 * GIB,
        "usable_bytes": 2 * GIB - 1048576,
        "block_bytes": 512,
        "physical_block_bytes": 4096,
        "media": "hdd",
        "interface": "file",
        "model": "AW-EMU 2G",
        "serial": f"SN{slot:04d}",
        "wwn": f"5000c500000000{slot:02x}",
        "firmware": "1.0",
        "device": f"/var/lib/arraywright/d{slot}.img",
        "temperature_c": 30,
        "emulated": True,
        "drive_group": None,
        "span": None,
        "row": None,
        "hot_spare": None,
        "media_error_count": 0,
        "other_error_count": 0,
        "predictive_failure_count": 0,
        "locating": False,
        "unsuitable": None,
        "state_reason": None,
        "faults": [],
        "blocked": {},
        **changes,
    }


def drive_group(**changes: Any) -> Document:
    return {
        "controller": CONTROLLER,
        "index": 0,
        "path": "/c0/d0",
        "guid": "0" * 48,
        "level": "raid5",
        "state": "optimal",
        "size_bytes": 6 * GIB,
        "free_bytes": 0,
        "span_count": 1,
        "drives_per_span": 4,
        "members": [
            {"span": 0, "row": n, "drive": f"d{n}", "state": "online", "serial": f"SN{n:04d}"}
            for n in range(4)
        ],
        "virtual_drives": ["v0"],
        "spares": [],
        "blocked": {},
        **changes,
    }


def virtual_drive(**changes: Any) -> Document:
    policy = {"requested": "write_through", "effective": "write_through", "reason": reason()}
    reading = {"requested": "read_ahead", "effective": "read_ahead", "reason": reason()}
    return {
        "controller": CONTROLLER,
        "drive_group": "g0",
        "index": 0,
        "path": "/c0/v0",
        "guid": "1" * 48,
        "name": "data",
        "level": "raid5",
        "state": "optimal",
        "consistent": True,
        "access": "read_write",
        "size_bytes": 6 * GIB,
        "block_bytes": 512,
        "strip_bytes": 65536,
        "span_count": 1,
        "drives_per_span": 4,
        "drive_failures_left": 1,
        "write_policy": policy,
        "read_policy": reading,
        "io_policy": "direct",
        "drive_cache_policy": "default",
        "degraded_policy": "keep",
        "guarantee": reason("guarantee_write_through", "After a flush they are on the drives."),
        "created_at_us": 1_700_000_000_000_000,
        "exports": [
            {"kind": "nbd_unix", "uri": "nbd+unix:///data?socket=/run/nbd.sock", "connections": 0}
        ],
        "media_error_count": 0,
        "operations": [],
        "blocked": {},
        **changes,
    }


def cache(**changes: Any) -> Document:
    return {
        "medium": "shared_memory",
        "state": "ready",
        "state_reason": None,
        "size_bytes": GIB,
        "survives_agent": True,
        "survives_power_loss": True,
        "stable": True,
        "used_bytes": GIB // 2,
        "dirty_bytes": GIB // 4,
        "dirty_limit_bytes": GIB,
        "dirty_limit_reason": reason("dirty_limit_cache", "As much as the cache holds."),
        "pinned_bytes": 0,
        "read_hit_percent": 87.5,
        "destage_bytes_per_s": 120_000_000,
        "destage_measured_bytes_per_s": 200_000_000,
        "preserved": [],
        **changes,
    }


def preserved(**changes: Any) -> Document:
    why = "Drives of the virtual drive are missing; its cached writes wait for them."
    return {
        "virtual_drive": "v0",
        "name": "data",
        "bytes": 4096,
        "reason": reason("cache_preserved_members", why),
        **changes,
    }


def learn(**changes: Any) -> Document:
    return {
        "mode": "auto",
        "state": "idle",
        "period_days": 28,
        "next_at_us": 1_700_000_000_000_000,
        "last_at_us": None,
        "last_result": None,
        "transparent": False,
        **changes,
    }


def battery(**changes: Any) -> Document:
    return {
        "controller": CONTROLLER,
        "path": "/c0/bbu",
        "kind": "emulated",
        "source": "ibbu01",
        "model": "iBBU01",
        "serial": "B0001",
        "manufacturer": "LSI",
        "manufactured_on": "2008-03-01",
        "mounting": "on the controller",
        "state": "optimal",
        "state_reason": reason("battery_ok", "The battery is charged and in good health."),
        "protects": True,
        "smart": True,
        "emulated": True,
        "charge_percent": 100,
        "voltage_mv": 4003,
        "temperature_c": 27,
        "design_capacity_mah": 1500,
        "full_capacity_mah": 1400,
        "health_percent": 93,
        "cycle_count": 12,
        "retention_s": 72 * 3600,
        "left_s": 72 * 3600,
        "learn": learn(),
        "faults": [],
        "blocked": {},
        **changes,
    }


def operation(**changes: Any) -> Document:
    return {
        "controller": CONTROLLER,
        "kind": "rebuild",
        "state": "running",
        "target_kind": "drive",
        "target": "d4",
        "drive_group": "g0",
        "done_bytes": GIB,
        "total_bytes": 2 * GIB,
        "progress_percent": 50.0,
        "speed_bytes_per_s": 100_000_000,
        "time_left_s": 10,
        "started_at_us": 1_700_000_000_000_000,
        "ended_at_us": None,
        "reason": None,
        "blocked": {},
        **changes,
    }


def blank_host(rev: int = 1) -> list[Document]:
    """Eight unconfigured good drives."""
    return [
        item("host", "host", rev, host()),
        item("controller", CONTROLLER, rev, controller()),
        item("enclosure", ENCLOSURE, rev, enclosure()),
        *(item("drive", f"d{slot}", rev, drive(slot)) for slot in range(8)),
    ]


def raid5_host(rev: int = 1) -> list[Document]:
    """A RAID 5 over four drives and four drives left."""
    members = [
        item(
            "drive",
            f"d{slot}",
            rev,
            drive(slot, state="online", drive_group="g0", span=0, row=slot),
        )
        for slot in range(4)
    ]
    return [
        item("host", "host", rev, host()),
        item("controller", CONTROLLER, rev, controller()),
        item("enclosure", ENCLOSURE, rev, enclosure()),
        *members,
        *(item("drive", f"d{slot}", rev, drive(slot)) for slot in range(4, 8)),
        item("drive_group", "g0", rev, drive_group()),
        item("virtual_drive", "v0", rev, virtual_drive()),
    ]


def event(seq: int, **changes: Any) -> Document:
    return {
        "seq": seq,
        "wall_us": 1_700_000_000_000_000 + seq,
        "monotonic_us": seq,
        "code": 91,
        "name": "drive_inserted",
        "class": 0,
        "locale": 2,
        "kind": "drive",
        "key": "d0",
        "params": {"drive": "/c0/e252/s0", "serial": "SN0000"},
        "text": f"Inserted: /c0/e252/s0 (serial SN0000), number {seq}",
        **changes,
    }


def cached_host(rev: int = 1) -> list[Document]:
    """The RAID 5 behind a cache with a battery."""
    plain = [entry for entry in raid5_host(rev) if entry["kind"] != "controller"]
    fitted = controller(cache_bytes=GIB, battery="optimal", cache=cache(), no_battery_rule="refuse")
    return [
        *plain,
        item("controller", CONTROLLER, rev, fitted),
        item("battery", "bbu0", rev, battery()),
    ]
