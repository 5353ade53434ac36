"""Writes frontend/src/locales/de/protocol.gen.ts from agent/protocol/de.json.

The English is where it always was: in agent/protocol for what agents tell, and in this server for
what it says itself. Every code of both must have its German, with the same parameters.
`--check` compares instead of writing.
"""

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

from generated_file import write_or_check

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "backend"))

from arraywright.alerts.findings import SERVER_TEXTS  # noqa: E402

PROTOCOL = ROOT / "agent" / "protocol"
SERVER = ROOT / "backend" / "arraywright"
TARGET = ROOT / "frontend" / "src" / "locales" / "de" / "protocol.gen.ts"
HEAD = """// What agents and the server tell, in German. Generated from agent/protocol/de.json by
// backend/tools/generate_german.py; do not edit.
"""
# What the command line says stays English.
PLAIN = {"cli", "doctor"}
Texts = dict[str, str]


def holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def differences(section: str, english: Texts, german: Texts) -> list[str]:
    faults = [f"{section}: {code} has no German" for code in english.keys() - german.keys()]
    faults += [f"{section}: {code} is not known" for code in german.keys() - english.keys()]
    faults += [
        f"{section}: {code} has {sorted(holes(german[code]))}, not {sorted(holes(text))}"
        for code, text in english.items()
        if code in german and holes(text) != holes(german[code])
    ]
    return faults


def alert_texts() -> Texts:
    texts: Texts = {}
    for rule, said in SERVER_TEXTS.items():
        code = f"alert_{rule.value}"
        texts |= {code: said.what, f"{code}_effect": said.effect, f"{code}_remedy": said.remedy}
    return texts


def problem_codes() -> set[str]:
    """`code` of the server's problem classes, and of every problem and reason it makes."""
    found = set()
    for path in SERVER.rglob("*.py"):
        if path.parent.name in PLAIN:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            values: list[ast.expr] = []
            if isinstance(node, ast.Call):
                values = [word.value for word in node.keywords if word.arg == "code"]
            if isinstance(node, ast.ClassDef):
                values = [
                    line.value
                    for line in node.body
                    if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "code"
                ]
            found |= {str(v.value) for v in values if isinstance(v, ast.Constant)}
    return found


def faults(german: dict[str, Any], words: dict[str, Any], events: dict[str, Any]) -> list[str]:
    told = [*events["events"], *events["backend_events"]]
    titles = {row["code"]: row["title"] for row in words["findings"]}
    titles |= {rule.value: texts.title for rule, texts in SERVER_TEXTS.items()}
    alerts = alert_texts()
    server: Texts = german["server"]
    found = differences("findings", titles, german["findings"])
    found += differences("reasons", words["reasons"], german["reasons"])
    found += differences("events", {row["name"]: row["text"] for row in told}, german["events"])
    found += differences(
        "levels", dict.fromkeys(words["enums"]["raid_level"], ""), german["levels"]
    )
    found += differences(
        "server", alerts, {code: text for code, text in server.items() if code in alerts}
    )
    lacking = problem_codes() - server.keys() - words["reasons"].keys()
    found += [f"server: {code} has no German" for code in lacking]
    found += [
        f"values: {text!r} has other parameters"
        for text, translated in german["values"].items()
        if not holes(translated) <= holes(text)
    ]
    return sorted(found)


def render(german: dict[str, Any], words: dict[str, Any]) -> str:
    table = {
        "findingTitle": german["findings"],
        "levelText": german["levels"],
        "reason": german["reasons"],
        "eventText": german["events"],
        "serverText": german["server"],
    }
    inner = {
        "verbatim": german["verbatim"],
        "values": german["values"],
        "english": words["reasons"],
    }
    parts = [
        f"export const {name} = {json.dumps(value, ensure_ascii=False, indent=2)}\n"
        for name, value in (("protocol", table), ("inner", inner))
    ]
    return HEAD + "\n" + "\n".join(parts)


def main() -> int:
    german, words, events = (
        json.loads((PROTOCOL / f"{name}.json").read_text()) for name in ("de", "words", "events")
    )
    found = faults(german, words, events)
    if found:
        print("Write this in agent/protocol/de.json, then run make generate:", file=sys.stderr)
        print(*found, sep="\n", file=sys.stderr)
        return 1
    return write_or_check(__doc__, TARGET, lambda: render(german, words))


if __name__ == "__main__":
    sys.exit(main())
