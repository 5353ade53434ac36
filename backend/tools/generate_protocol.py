"""Writes arraywright/link/protocol.py from agent/protocol/*.json.

The schemas own every word that crosses the wire; this file only turns them into Python.
`--check` compares instead of writing, so that CI notices a difference.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from generated_file import write_or_check
from protocol_bounds import DEFINITIONS, apply

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "agent" / "protocol"
TARGET = ROOT / "backend" / "arraywright" / "link" / "protocol.py"

KEY = "^[A-Za-z0-9._:-]{1,64}$"
UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
SUFFIX = {"objects": "Doc", "messages": "Frame", "commands": "Args"}
# Shapes that other shapes are made of keep their plain name.
PLAIN = {
    "reason",
    "policy",
    "level_rule",
    "hot_spare",
    "fault",
    "finding",
    "member",
    "export",
    "tombstone",
    "event_record",
    "precondition",
    "actor",
    "enrol_request",
    "enrol_response",
    "enrol_status_request",
    "enrol_status",
    "preview_answer",
    "policies_preview",
    "policy_answer",
    "preserved_cache",
    "vd_cache",
    "read_ahead",
    "learn",
    "latency_bucket",
    "latency_summary",
    "latency_answer",
    "bad_block",
    "bad_blocks_answer",
    "foreign_member",
    "foreign_virtual_drive",
    "foreign_set",
    "foreign_damage",
    "foreign_answer",
    "undo_drive",
    "undo_entry",
    "undo_answer",
}
ALIASES = {"key": "Key", "blocked": "Blocked"}

HEAD = '''"""Words, documents and frames of the agent protocol. Generated; do not edit.

Made by tools/generate_protocol.py from agent/protocol/*.json. Unknown fields and unknown
words are tolerated, so words are plain strings here and enumerations only where we send.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

TIME_US_MAX = @TIME@
SEQUENCE_MAX = @SEQUENCE@
INTEGER_MAX = @INTEGER@
TEXT_MAX = @TEXT@

TimeUs = Annotated[int, Field(ge=0, le=TIME_US_MAX)]
Sequence = Annotated[int, Field(ge=0, le=SEQUENCE_MAX)]
Size = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
Text = Annotated[str, StringConstraints(pattern=r"^[^\\x00]*$", max_length=TEXT_MAX)]
Word = Annotated[str, StringConstraints(pattern=r"^[^\\x00]*$", max_length=@WORD@)]
Key = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._:-]{1,64}$")]
Uuid = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"),
]


class Wire(BaseModel):
    """A document on the wire: exact types, unknown fields kept out."""

    model_config = ConfigDict(strict=True, extra="ignore", populate_by_name=True)

'''


MAXIMA = {
    "TIME": DEFINITIONS["time_us"]["maximum"],
    "SEQUENCE": DEFINITIONS["sequence"]["maximum"],
    "INTEGER": DEFINITIONS["integer"]["maximum"],
    "TEXT": DEFINITIONS["text"]["maxLength"],
    "WORD": DEFINITIONS["word"]["maxLength"],
}
# Bounds that many fields have in common are written by their name.
NAMED = {
    ("int", 0, MAXIMA["TIME"]): "TimeUs",
    ("int", 0, MAXIMA["SEQUENCE"]): "Sequence",
    ("int", 0, MAXIMA["INTEGER"]): "Size",
    ("str", DEFINITIONS["text"]["pattern"], MAXIMA["TEXT"]): "Text",
    ("str", DEFINITIONS["word"]["pattern"], MAXIMA["WORD"]): "Word",
}


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


class Writer:
    def __init__(self, schemas: dict[str, dict[str, Any]]) -> None:
        self.schemas = schemas
        self.lines: list[str] = []
        self.done: set[str] = set()

    def class_name(self, file: str, name: str) -> str:
        if name in ALIASES:
            return ALIASES[name]
        if name in PLAIN:
            return camel(name)
        return camel(name) + ("Record" if name == "object" else SUFFIX[file])

    def reference(self, file: str, ref: str) -> str:
        target, _, path = ref.partition("#")
        owner = target.removesuffix(".schema.json") if target else file
        name = path.removeprefix("/$defs/")
        self.definition(owner, name)
        return self.class_name(owner, name)

    def string(self, node: dict[str, Any]) -> str:
        pattern = node.get("pattern")
        if pattern == KEY:
            return "Key"
        if pattern == UUID:
            return "Uuid"
        named = NAMED.get(("str", pattern, node.get("maxLength")))
        if named and "minLength" not in node:
            return named
        rules = [f'pattern=r"{pattern}"'] if pattern else []
        rules += [f"min_length={node['minLength']}"] if "minLength" in node else []
        rules += [f"max_length={node['maxLength']}"] if "maxLength" in node else []
        return f"Annotated[str, StringConstraints({', '.join(rules)})]" if rules else "str"

    def number(self, node: dict[str, Any], python: str) -> str:
        named = NAMED.get((python, node.get("minimum"), node.get("maximum")))
        if named:
            return named
        rules = [f"ge={node['minimum']}"] if "minimum" in node else []
        rules += [f"le={node['maximum']}"] if "maximum" in node else []
        return f"Annotated[{python}, Field({', '.join(rules)})]" if rules else python

    def map(self, node: dict[str, Any], value: str) -> str:
        return f"Annotated[dict[str, {value}], Field(max_length={node['maxProperties']})]"

    def inline_owner(self, node: dict[str, Any]) -> str | None:
        """An inlined copy of a named shape is typed by that shape."""
        for file, name in (
            ("messages", "event_record"),
            ("messages", "precondition"),
            ("messages", "actor"),
        ):
            if self.schemas[file]["$defs"].get(name, {}).get("properties") == node["properties"]:
                self.definition(file, name)
                return self.class_name(file, name)
        return None

    def annotation(self, file: str, node: dict[str, Any], hint: str) -> str:
        if "$ref" in node:
            return self.reference(file, node["$ref"])
        if "const" in node:
            return f"Literal[{node['const']!r}]".replace("'", '"')
        if "anyOf" in node:
            return " | ".join(self.annotation(file, part, hint) for part in node["anyOf"])
        kind = node["type"]
        if isinstance(kind, list):
            return " | ".join(self.annotation(file, {**node, "type": k}, hint) for k in kind)
        match kind:
            case "null":
                return "None"
            case "string":
                return self.string(node)
            case "boolean":
                return "bool"
            case "integer":
                return self.number(node, "int")
            case "number":
                return self.number(node, "float")
            case "array":
                items = self.annotation(file, node["items"], hint + "_item")
                rules = [f"min_length={node['minItems']}"] if "minItems" in node else []
                rules += [f"max_length={node['maxItems']}"] if "maxItems" in node else []
                plain = f"list[{items}]"
                return f"Annotated[{plain}, Field({', '.join(rules)})]" if rules else plain
            case "object" if "properties" in node:
                owner = self.inline_owner(node)
                if owner is None:
                    owner = camel(hint)
                    self.model(file, owner, node, hint)
                return owner
            case "object" if isinstance(node.get("additionalProperties"), dict):
                value = self.annotation(file, node["additionalProperties"], hint + "_value")
                return self.map(node, value)
            case "object":
                return self.map(node, "Any")
        raise ValueError(f"{hint}: cannot express {node}")

    def model(self, file: str, name: str, node: dict[str, Any], hint: str) -> None:
        if name in self.done:
            return
        self.done.add(name)
        required = set(node.get("required", []))
        fields = []
        for field, spec in node["properties"].items():
            kind = self.annotation(file, spec, f"{hint}_{field}")
            default = ""
            if field not in required:
                kind = kind if kind.endswith("None") else f"{kind} | None"
                default = " = None"
            if field == "class":
                fields.append(f'    class_: {kind} = Field(alias="class")')
            else:
                fields.append(f"    {field}: {kind}{default}")
        text = node.get("description")
        doc = [f'    """{text}"""', ""] if text else []
        self.lines += ["", f"class {name}(Wire):", *doc, *fields, ""]

    def definition(self, file: str, name: str) -> None:
        node = self.schemas[file]["$defs"][name]
        target = self.class_name(file, name)
        if name == "key" or target in self.done:
            return
        if "properties" in node:
            self.model(file, target, node, name)
            return
        self.done.add(target)
        value = self.annotation(file, node["additionalProperties"], name)
        self.lines += [f"{target} = {self.map(node, value)}", ""]


def word_of(entry: str | dict[str, Any]) -> str:
    return entry if isinstance(entry, str) else str(entry["word"])


def enumerations(words: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for name, entries in words["enums"].items():
        lines += ["", f"class {camel(name)}(StrEnum):"]
        for entry in entries:
            word = word_of(entry)
            lines.append(f'    {re.sub(r"[^A-Z0-9]", "_", word.upper())} = "{word}"')
        lines.append("")
    lines += ["", "class FindingCode(StrEnum):"]
    lines += [f'    {row["code"].upper()} = "{row["code"]}"' for row in words["findings"]]
    lines.append("")
    values = {word_of(e): e["value"] for e in words["enums"]["event_class"]}
    pairs = ", ".join(f'{v}: "{w}"' for w, v in values.items())
    lines += ["", f"EVENT_CLASS_WORDS: dict[int, str] = {{{pairs}}}", ""]
    return lines


def least_class(command: dict[str, Any], effects: dict[str, Any]) -> str:
    """The class that every form of the command has; its arguments may make it graver."""
    if "x-class" in command:
        return str(command["x-class"])
    classes = {
        effects[effect]["class"]
        for row in command["x-effects"]
        if row["when"] == "always"
        for effect in row["on"]
    }
    return "X" if "X" in classes else "D" if classes else "O"


def tables(schemas: dict[str, Any], words: dict[str, Any], events: dict[str, Any]) -> list[str]:
    lines = ["", "REASONS: dict[str, str] = {"]
    lines += [f"    {json.dumps(k)}: {json.dumps(v)}," for k, v in words["reasons"].items()]
    lines += ["}", "", "FINDING_TITLES: dict[str, str] = {"]
    lines += [
        f"    {json.dumps(row['code'])}: {json.dumps(row['title'])}," for row in words["findings"]
    ]
    lines += ["}", "", "EVENT_NAMES: dict[int, str] = {"]
    told = [*events["events"], *events["backend_events"]]
    lines += [f'    {e["code"]}: "{e["name"]}",' for e in told]
    lines += ["}", "", "DOCUMENTS: dict[str, type[Wire]] = {"]
    kinds = [word_of(e) for e in words["enums"]["object_kind"]]
    known = [k for k in kinds if k in schemas["objects"]["$defs"]]
    lines += [f'    "{k}": {camel(k)}Doc,' for k in known]
    lines += ["}", "", "COMMAND_CLASSES: dict[str, str] = {"]
    commands = schemas["commands"]["$defs"]
    effects = schemas["commands"]["x-effects"]
    asked = {n: s for n, s in commands.items() if "x-class" in s or "x-effects" in s}
    lines += [f'    "{n}": "{least_class(s, effects)}",' for n, s in asked.items()]
    lines += ["}", "", "COMMAND_ARGUMENTS: dict[str, type[Wire]] = {"]
    lines += [f'    "{n}": {camel(n)}Args,' for n in asked]
    lines += ["}", "", "FRAMES: dict[str, type[Wire]] = {"]
    for name, node in schemas["messages"]["$defs"].items():
        if "t" in node["properties"]:
            lines.append(f'    "{name}": {camel(name)}Frame,')
    lines += ["}", ""]
    return lines


def render() -> str:
    schemas = {
        name: apply(json.loads((SOURCE / f"{name}.schema.json").read_text()))
        for name in ("objects", "messages", "commands")
    }
    words = json.loads((SOURCE / "words.json").read_text())
    events = json.loads((SOURCE / "events.json").read_text())
    writer = Writer(schemas)
    for file, schema in schemas.items():
        for name in schema["$defs"]:
            writer.definition(file, name)
    body = enumerations(words) + writer.lines + tables(schemas, words, events)
    head = HEAD
    for name, maximum in MAXIMA.items():
        head = head.replace(f"@{name}@", str(maximum))
    return head + "\n".join(body).rstrip() + "\n"


def formatted(text: str) -> str:
    import subprocess

    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> int:
    return write_or_check(__doc__, TARGET, lambda: formatted(render()))


if __name__ == "__main__":
    sys.exit(main())
