"""claims.json: what the reviews claim, the bounds that figures are held to, and where each bound comes
from. What a claim runs or leaves out otherwise than its document is found here, not written by hand.
"""

from __future__ import annotations

import ast
import hashlib
import json
from pathlib import Path

from lab import Array, Lab

FILE = Path(__file__).resolve().parent / "claims.json"
DATA = json.loads(FILE.read_text())
CLAIMS, DOCUMENTS = DATA["claims"], DATA["documents"]
KINDS = {"L", "P", "A", "F"}
ORIGINS = {"size", "test", "claim", "ours"}
STEPS = (0, 20, 40, 60, 80, 100)


def smooth(curve: list[float], share: float) -> bool:
    return all(later >= share * earlier for earlier, later in zip(curve, curve[1:]))


WORDS = {"all": all, "any": any, "min": min, "max": max, "abs": abs, "zip": zip, "sorted": sorted,
         "round": round, "enumerate": enumerate, "len": len, "set": set, "sum": sum, "smooth": smooth,
         "STEPS": STEPS}


def faults(functions: set[str]) -> list[str]:
    """What is wrong with the file."""
    said = [f"{name}: in claims.json only" for name in CLAIMS.keys() - functions]
    said += [f"{name}: not in claims.json" for name in functions - CLAIMS.keys()]
    for name, claim in CLAIMS.items():
        if claim["kind"] not in KINDS or claim["document"] not in DOCUMENTS:
            said.append(f"{name}: kind or document")
        if not claim["lines"] or not claim["reference"]["size"] or not claim["reference"]["test"]:
            said.append(f"{name}: names no part of the reference")
        for check in claim["checks"]:
            try:
                ast.parse(check["that"], mode="eval")
            except SyntaxError as error:
                said.append(f"{name}: {check['that']}: {error.msg}")
            if check["from"] not in ORIGINS:
                said.append(f"{name}: {check['that']}: comes from {check['from']}")
    return said


PEOPLE = ("sources", "notes", "estimated", "assumed", "title")


def digest(profiles: Path) -> str:
    """Of all that the figures and verdicts depend on but the engine: who changes it makes the table anew."""
    parts = [DATA["documents"], {name: claim["checks"] for name, claim in CLAIMS.items()}]
    for path in sorted(profiles.glob("*/*.json")):
        if path.parent.name in ("controllers", "drives", "workloads"):
            data = json.loads(path.read_text())
            parts.append({key: value for key, value in data.items() if key not in PEOPLE})
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def holds(name: str, figures: dict | bool) -> bool:
    """Of a functional claim, the figure is whether all was right."""
    values = figures if isinstance(figures, dict) else {"good": figures}
    return all(eval(check["that"], {"__builtins__": {}} | WORDS | values)  # noqa: S307
               for check in CLAIMS[name]["checks"])


def settings(name: str, used: set[Array], lab: Lab) -> list[str]:
    """Letters of what differs from how the document ran its card."""
    document = DOCUMENTS[CLAIMS[name]["document"]]
    found = set()
    for array in used:
        card = document.get("profile", array.profile)
        buffered = array.write_back if array.drive_cache is None else array.drive_cache
        if array.profile != card:
            found.add("N" if array.profile == "native" else "C")
        if array.write_back and "cache_bytes" in document and (
                lab.cache_bytes(array) != document["cache_bytes"]):
            found.add("S")
        if document.get("drive_cache") and not buffered:
            found.add("B")
        if array.past_buffers and not array.write_back:
            found.add("F")
        if array.drive != document["drive"]:
            found.add("D")
    return sorted(found)


def deviations(name: str, used: set[Array], lab: Lab) -> str:
    claim = CLAIMS[name]
    own = [check for check in claim["checks"] if check["from"] == "ours"]
    parts = [" ".join(settings(name, used, lab))]
    if own:
        instead = ", ".join(check["reference"] for check in own if "reference" in check)
        parts.append(f"{len(own)} of {len(claim['checks'])} bounds ours"
                     + (f" for: {instead}" if instead else ""))
    if "left_out" in claim:
        parts.append("left out: " + ", ".join(claim["left_out"]))
    return "; ".join(filter(None, parts))
