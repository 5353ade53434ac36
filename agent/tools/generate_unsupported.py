#!/usr/bin/python3
"""Writes the table of agent/src/cli/unsupported.c, StorCLI's commands that arrayctl does not have,
into docs/storcli.md. --check only compares."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "agent/src/cli/unsupported.c"
PAGE = ROOT / "docs/storcli.md"
BEGIN, END = "<!-- unsupported.c: begin -->\n", "<!-- unsupported.c: end -->\n"
PATHS = {"NONE": "host", "CONTROLLER": "`/cX`", "ENCLOSURE": "`/cX/eX`",
         "DRIVE": "`/cX[/eX]/sX`", "GROUP": "`/cX/dX`", "VD": "`/cX/vX`",
         "FOREIGN": "`/cX/fall`", "BBU": "`/cX/bbu`", "CACHEVAULT": "`/cX/cv`", "PHY": "`/cX/pX`"}
STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)+'
ROW = re.compile(rf'\{{CLI_OBJECT_(\w+),\s*({STRING}|\w+),\s*({STRING}|\w+),\s*({STRING}|\w+),\s*'
                 rf'({STRING}|\w+),\s*(true|false)\}}')


def value(text, defines):
    """Of a C expression: adjoining strings, a macro, or NULL."""
    if text.strip() == "NULL":
        return None
    if text.strip() in defines:
        return defines[text.strip()]
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def rows(source):
    defines = dict(re.findall(r'(?m)^#define (\w+) "(.*)"$', source))
    table = source[source.index("cli_unsupported[] = {"):source.index("cli_unsupported_count")]
    found = list(ROW.finditer(table))
    if len(found) != table.count("{CLI_OBJECT_"):
        raise SystemExit(f"{SOURCE}: a row is not understood")
    for match in found:
        verb, noun, _, why = (value(match[group], defines) for group in range(2, 6))
        yield PATHS[match[1]], verb.split("|"), (noun or "").split("|"), why, match[6] == "true"


def commands(verbs, nouns):
    """"`set a=`, `b=`"; of several verbs the whole list."""
    verb = ", ".join(f"`{word}`" for word in verbs)
    if nouns == [""]:
        return verb
    if len(verbs) > 1:
        return f"{verb} of " + ", ".join(f"`{word}`" for word in nouns)
    return ", ".join([f"`{verbs[0]} {nouns[0]}`", *(f"`{word}`" for word in nouns[1:])])


def table():
    lines = ["| Object | Commands | Reason, or what to do instead |", "|---|---|---|"]
    for path, verbs, nouns, why, fixed in rows(SOURCE.read_text()):
        star = " (*)" if fixed else ""
        lines.append(f"| {path} | {commands(verbs, nouns)}{star} | {why} |")
    return "\n".join(lines) + "\n"


def main():
    page = PAGE.read_text()
    head, rest = page.split(BEGIN)
    made = head + BEGIN + table() + END + rest.split(END)[1]
    if made == page:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{PAGE.name} does not list what {SOURCE.name} has; run make generate")
        return 1
    PAGE.write_text(made)
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
