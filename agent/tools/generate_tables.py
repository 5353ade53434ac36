#!/usr/bin/env python3
"""Writes the agent's C tables from agent/protocol: words, reasons, the event catalogue
and the effects of commands, which the manual page of arrayd.conf lists as well.

    generate_tables.py            write them
    generate_tables.py --check    exit 1 if a committed file differs
"""

import json
import re
import sys
from pathlib import Path

AGENT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(AGENT.parent / "backend/tools"))

import protocol_bounds  # noqa: E402

FROM_BACKEND = ("challenge", "welcome", "nack", "command", "query", "goaway")
NOTE = "/* Generated from agent/protocol by tools/generate_tables.py; do not edit. */\n"


def c_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)


def words_header(words: dict) -> str:
    out = [NOTE, "#ifndef ARRAYWRIGHT_BASE_WORDS_H", "#define ARRAYWRIGHT_BASE_WORDS_H", "",
           "#include <stdbool.h>", "#include <stdint.h>", ""]
    for name, entries in words["enums"].items():
        upper = name.upper()
        if name in ("raid_level", "event_class"):
            continue  # declared with their meaning in raid/geometry.h and port/event_port.h
        out.append(f"enum {name} {{")
        for entry in entries:
            word = entry["word"] if isinstance(entry, dict) else entry
            out.append(f"    {upper}_{word.upper()},")
        out += [f"    {upper}_MAX", "};", ""]
        out.append(f"const char *{name}_word(enum {name} value);")
        out.append(f"bool {name}_parse(const char *word, enum {name} *ret_value);")
        if isinstance(entries[0], dict) and "short" in entries[0]:
            out.append(f"const char *{name}_short(enum {name} value); /* StorCLI's word */")
            out.append(f"uint32_t {name}_mfi(enum {name} value);      /* MegaRAID's number */")
        out.append("")
    out.append("enum reason_code {")
    out += [f"    REASON_{code.upper()}," for code in words["reasons"]]
    out += ["    REASON_MAX", "};", "",
            "const char *reason_code_word(enum reason_code code);",
            "/* The sentence, with its parameters as {name}. */",
            "const char *reason_code_text(enum reason_code code);", "", "#endif", ""]
    return "\n".join(out)


def words_source(words: dict) -> str:
    out = [NOTE, '#include "base/words.h"', "", "#include <stddef.h>", "#include <string.h>", "",
           '#include "base/assert.h"', ""]
    for name, entries in words["enums"].items():
        upper = name.upper()
        if name in ("raid_level", "event_class"):
            continue
        rich = isinstance(entries[0], dict) and "short" in entries[0]
        plain = [e["word"] if isinstance(e, dict) else e for e in entries]
        tables = [("words", plain)]
        if rich:
            tables.append(("shorts", [e["short"] for e in entries]))
        for table, values in tables:
            out.append(f"static const char *const {name}_{table}[{upper}_MAX] = {{")
            out += [f"    {c_string(v)}," for v in values]
            out += ["};", ""]
        out += [f"const char *{name}_word(enum {name} value)", "{",
                f"    ASSERT((unsigned)value < {upper}_MAX);",
                f"    return {name}_words[value];", "}", "",
                f"bool {name}_parse(const char *word, enum {name} *ret_value)", "{",
                f"    for (unsigned i = 0; i < {upper}_MAX; i++) {{",
                f"        if (strcmp({name}_words[i], word) == 0) {{",
                f"            *ret_value = (enum {name})i;", "            return true;",
                "        }", "    }", "    return false;", "}", ""]
        if rich:
            out += [f"const char *{name}_short(enum {name} value)", "{",
                    f"    ASSERT((unsigned)value < {upper}_MAX);",
                    f"    return {name}_shorts[value];", "}", "",
                    f"uint32_t {name}_mfi(enum {name} value)", "{",
                    f"    static const uint32_t numbers[{upper}_MAX] = {{"
                    + ", ".join(str(e["mfi"]) for e in entries) + "};",
                    f"    ASSERT((unsigned)value < {upper}_MAX);",
                    "    return numbers[value];", "}", ""]
    out.append("static const struct {\n    const char *word;\n    const char *text;\n"
               "} reasons[REASON_MAX] = {")
    out += [f"    {{{c_string(code)},\n     {c_string(text)}}}," for code, text in
            words["reasons"].items()]
    out += ["};", "", "const char *reason_code_word(enum reason_code code)", "{",
            "    ASSERT((unsigned)code < REASON_MAX);", "    return reasons[code].word;", "}", "",
            "const char *reason_code_text(enum reason_code code)", "{",
            "    ASSERT((unsigned)code < REASON_MAX);", "    return reasons[code].text;", "}", ""]
    return "\n".join(out)


def word_families(words: dict) -> str:
    """For the test that goes through all of them."""
    out = [NOTE, "#ifndef ARRAYWRIGHT_TESTS_WORD_FAMILIES_H",
           "#define ARRAYWRIGHT_TESTS_WORD_FAMILIES_H", "", "#define WORD_FAMILIES(X) \\"]
    out += [f"    X({name}, {name.upper()}_MAX) \\" for name in words["enums"]
            if name not in ("raid_level", "event_class")]
    out[-1] = out[-1].removesuffix(" \\")
    return "\n".join([*out, "", "#endif", ""])


def check_lengths(words: dict, header: str) -> None:
    """A reason is cut where a message ends (base/reason.h); its parameters come on top."""
    limit = int(re.search(r"REASON_TEXT_MAX (\d+)u", header)[1])
    for code, text in words["reasons"].items():
        if len(text.encode()) > limit:
            sys.exit(f"words.json: the reason {code} has {len(text.encode())} bytes; a reason has "
                     f"at most {limit}")


def finding_reason(words: dict, part: str, code: str) -> str:
    """The three sentences of a finding are reasons, so that all who show it can translate them."""
    name = f"{part}_{code}"
    if name not in words["reasons"]:
        sys.exit(f"words.json: the finding {code} has no reason {name}")
    return f"REASON_{name.upper()}"


def findings_header(words: dict) -> str:
    out = [NOTE, "#ifndef ARRAYWRIGHT_CTL_FINDING_CATALOG_H",
           "#define ARRAYWRIGHT_CTL_FINDING_CATALOG_H", "", '#include "base/words.h"', "",
           "enum finding_code {"]
    out += [f"    FINDING_{f['code'].upper()}," for f in words["findings"]]
    out += ["    FINDING_MAX", "};", "", "struct finding_kind {", "    const char *word;",
            "    enum object_kind object_kind;", "    enum finding_severity severity;",
            "    enum controller_status status; /* that it gives the controller */",
            "    enum reason_code what;",
            "    enum reason_code effect; /* unless the case is a special one */",
            "    enum reason_code remedy; /* the same */", "};", "",
            "const struct finding_kind *finding_kind(enum finding_code code);", "", "#endif", ""]
    return "\n".join(out)


def findings_source(words: dict) -> str:
    out = [NOTE, '#include "ctl/finding_catalog.h"', "", '#include "base/assert.h"', "",
           "static const struct finding_kind kinds[FINDING_MAX] = {"]
    for f in words["findings"]:
        code = f["code"]
        out.append(f"    {{{c_string(code)}, OBJECT_KIND_{f['kind'].upper()}, "
                   f"FINDING_SEVERITY_{f['severity'].upper()},\n"
                   f"     CONTROLLER_STATUS_{f['status'].upper()},\n"
                   f"     {finding_reason(words, 'finding', code)},\n"
                   f"     {finding_reason(words, 'effect', code)},\n"
                   f"     {finding_reason(words, 'remedy', code)}}},")
    out += ["};", "", "const struct finding_kind *finding_kind(enum finding_code code)", "{",
            "    ASSERT((unsigned)code < FINDING_MAX);", "    return &kinds[code];", "}", ""]
    return "\n".join(out)


def events_header(events: list) -> str:
    out = [NOTE, "#ifndef ARRAYWRIGHT_CTL_EVENT_CATALOG_H",
           "#define ARRAYWRIGHT_CTL_EVENT_CATALOG_H", "", "#include <stdint.h>", "",
           '#include "port/event_port.h"', "", "enum event_id {"]
    out += [f"    EVENT_{e['name'].upper()}," for e in events]
    out += ["    EVENT_ID_MAX", "};", "", "struct event_kind {", "    uint32_t code;",
            "    const char *name;", "    enum event_class class_;", "    uint16_t locale;",
            "    const char *object_kind;", "    uint32_t param_count;",
            "    const char *param_names[EVENT_PARAM_MAX];",
            "    const char *text; /* parameters as {name} */", "};", "",
            "const struct event_kind *event_kind(enum event_id id);",
            "/* NULL if there is no such code. */",
            "const struct event_kind *event_kind_by_code(uint32_t code);", "", "#endif", ""]
    return "\n".join(out)


def events_source(events: list) -> str:
    out = [NOTE, '#include "ctl/event_catalog.h"', "", "#include <stddef.h>", "",
           '#include "base/assert.h"', "", "static const struct event_kind kinds[EVENT_ID_MAX] = {"]
    for e in events:
        params = ", ".join(c_string(p) for p in e["params"]) or "NULL"
        out.append(f"    {{{e['code']}, {c_string(e['name'])}, EVENT_CLASS_{e['class'].upper()}, "
                   f"{e['locale']}, {c_string(e['kind'])}, {len(e['params'])},\n"
                   f"     {{{params}}},\n     {c_string(e['text'])}}},")
    out += ["};", "", "const struct event_kind *event_kind(enum event_id id)", "{",
            "    ASSERT((unsigned)id < EVENT_ID_MAX);", "    return &kinds[id];", "}", "",
            "const struct event_kind *event_kind_by_code(uint32_t code)", "{",
            "    for (unsigned i = 0; i < EVENT_ID_MAX; i++) {",
            "        if (kinds[i].code == code) {", "            return &kinds[i];", "        }",
            "    }", "    return NULL;", "}", ""]
    return "\n".join(out)


def aen_source(events: list) -> str:
    out = [NOTE, '#include "cli/event_aen.h"', "", "#include <stddef.h>", "",
           "static const struct event_aen numbers[] = {"]
    for e in events:
        if "aen" in e:
            out.append(f"    {{{e['code']}, {e['aen']}, {c_string(e['aen_severity'])}}},")
    out += ["};", "", "const struct event_aen *event_aen_of(uint32_t event_code)", "{",
            "    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {",
            "        if (numbers[i].event == event_code) {", "            return &numbers[i];",
            "        }", "    }", "    return NULL;", "}", ""]
    return "\n".join(out)


def commands_with_effects(commands: dict) -> list[tuple[str, list[dict]]]:
    return [(name, body["x-effects"]) for name, body in commands["$defs"].items()
            if "x-effects" in body]


def effects_header(commands: dict) -> str:
    out = [NOTE, "#ifndef ARRAYWRIGHT_CTL_COMMAND_EFFECTS_H",
           "#define ARRAYWRIGHT_CTL_COMMAND_EFFECTS_H", "", "#include <stddef.h>",
           "#include <stdint.h>", "", '#include "base/words.h"', '#include "ctl/command.h"', "",
           "enum command_effect {"]
    out += [f"    COMMAND_EFFECT_{name.upper()}," for name in commands["x-effects"]]
    out += ["    COMMAND_EFFECT_MAX", "};", "", "enum command_when {"]
    out += [f"    COMMAND_WHEN_{name.upper()}," for name in commands["x-when"]]
    out += ["    COMMAND_WHEN_MAX", "};", "",
            "/* A command has these effects when the condition holds. */",
            "struct command_effect_row {", "    enum ctl_op op;", "    enum command_when when;",
            "    uint32_t effects; /* bits: 1 << enum command_effect */", "};", "",
            "/* The rows of one command follow each other. */",
            "const struct command_effect_row *command_effect_rows(size_t *ret_count);",
            "/* The class of a command that has this effect. */",
            "enum command_class command_effect_class(enum command_effect effect);",
            "/* What it does, as the end of a sentence about the command. */",
            "const char *command_effect_text(enum command_effect effect);", "", "#endif", ""]
    return "\n".join(out)


def effects_source(commands: dict) -> str:
    effects = commands["x-effects"]
    out = [NOTE, '#include "ctl/command_effects.h"', "", '#include "base/assert.h"', "",
           "static const struct command_effect_row rows[] = {"]
    for name, rows in commands_with_effects(commands):
        for row in rows:
            bits = " | ".join(f"1u << COMMAND_EFFECT_{effect.upper()}" for effect in row["on"])
            out.append(f"    {{CTL_OP_{name.upper()}, COMMAND_WHEN_{row['when'].upper()}, {bits}}},")
    out += ["};", "",
            "static const struct {", "    enum command_class class_;", "    const char *text;",
            "} effects[COMMAND_EFFECT_MAX] = {"]
    out += [f"    {{COMMAND_CLASS_{body['class']}, {c_string(body['text'])}}},"
            for body in effects.values()]
    out += ["};", "", "const struct command_effect_row *command_effect_rows(size_t *ret_count)",
            "{", "    *ret_count = sizeof(rows) / sizeof(rows[0]);", "    return rows;", "}", "",
            "enum command_class command_effect_class(enum command_effect effect)", "{",
            "    ASSERT((unsigned)effect < COMMAND_EFFECT_MAX);",
            "    return effects[effect].class_;", "}", "",
            "const char *command_effect_text(enum command_effect effect)", "{",
            "    ASSERT((unsigned)effect < COMMAND_EFFECT_MAX);",
            "    return effects[effect].text;", "}", ""]
    return "\n".join(out)


POLICY_BEGIN = '.\\" Generated from protocol/commands.schema.json: begin\n'
POLICY_END = '.\\" Generated from protocol/commands.schema.json: end\n'


def policy_lines(commands: dict) -> str:
    """The table of effects as a list of the manual page, the gravest class first."""
    effects = commands["x-effects"]
    commanded = commands_with_effects(commands)
    out = []
    for class_ in ("X", "D"):
        for name, rows in commanded:
            for row in rows:
                graver = any(effects[effect]["class"] == "X" for effect in row["on"])
                if graver != (class_ == "X"):
                    continue
                condition = commands["x-when"][row["when"]]
                what = " and ".join(effects[effect]["text"] for effect in row["on"])
                text = ". ".join(part[0].upper() + part[1:] for part in (condition, what) if part)
                out.append(f".TP\n.BR {name} \" (\" {class_} )\n{text}.\n")
    light = ", ".join(name for name, rows in commanded
                      if not any(row["when"] == "always" for row in rows))
    return "".join(out) + f".TP\n.B class O\nEvery other form of {light}.\n"


def policy_page(page: str, commands: dict) -> str:
    before, rest = page.split(POLICY_BEGIN)
    _, after = rest.split(POLICY_END)
    return before + POLICY_BEGIN + policy_lines(commands) + POLICY_END + after


def bound_lines(prefix: str, name: str, field: dict, stated: bool) -> list[str]:
    """Limits of one field: numbers and lists have two, texts one. `stated`: only where its own
    schema says so."""
    rules = {"integer": ("minimum", "maximum", "ull"), "array": ("minItems", "maxItems", "u"),
             "string": (None, "maxLength", "u")}
    kind = field.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind not in rules or "x-words" in field or (kind == "string" and "maxLength" not in field):
        return []
    low, high, suffix = rules[kind]
    if stated and high not in field:
        return []
    whole = protocol_bounds.bounded(name, field)
    macro = f"BOUND_{prefix.upper()}_{name.upper()}"
    out = [f"#define {macro}_MAX {whole[high]}{suffix}"]
    if low is not None:
        out.insert(0, f"#define {macro}_MIN {whole.get(low, 0)}{suffix}")
    if kind == "array" and "maxLength" in field["items"]:
        out.append(f"#define {macro}_TEXT_MAX {field['items']['maxLength']}u")
    return out


def field_bounds(definitions: dict, stated: bool) -> list[str]:
    """The limits of each field of these messages or arguments."""
    out = []
    for prefix, body in definitions.items():
        lines = [line for name, field in body["properties"].items()
                 for line in bound_lines(prefix, name, field, stated)]
        out += ["", f"/* {prefix} */", *lines] if lines else []
    return out


def bounds_header(bounds: dict, messages: dict, commands: dict) -> str:
    """The limits that hold for every field of a type, those of what a backend sends, and those of
    the arguments of commands and queries."""
    out = [NOTE, "#ifndef ARRAYWRIGHT_BASE_BOUNDS_H", "#define ARRAYWRIGHT_BASE_BOUNDS_H", ""]
    for name, limit, suffix in (("time_us", "maximum", "ull"), ("sequence", "maximum", "ull"),
                                ("command_step", "maximum", "ull"),
                                ("integer", "maximum", "ull"), ("text", "maxLength", "u"),
                                ("array", "maxItems", "u"), ("object", "maxProperties", "u")):
        out.append(f"#define BOUND_{name.upper()}_MAX {bounds[name][limit]}{suffix}")
    out += field_bounds({name: messages["$defs"][name] for name in FROM_BACKEND}, True)
    out += field_bounds({name: body for name, body in commands["$defs"].items()
                         if "x-effects" in body or body.get("x-class") == "R"
                         or name in ("load", "load_block")}, False)
    return "\n".join([*out, "", "#endif", ""])


def sizes_check(sentences: list[str]) -> None:
    """A parameter of bytes is shown as a size with its unit (src/base/template.h)."""
    for sentence in sentences:
        if re.search(r"\{(\w*_)?bytes\} bytes", sentence):
            sys.exit(f"the unit is said twice: {sentence}")


def main() -> int:
    words = json.loads((AGENT / "protocol/words.json").read_text())
    check_lengths(words, (AGENT / "src/base/reason.h").read_text())
    events = json.loads((AGENT / "protocol/events.json").read_text())["events"]
    sizes_check([*words["reasons"].values(), *(event["text"] for event in events)])
    commands = json.loads((AGENT / "protocol/commands.schema.json").read_text())
    messages = json.loads((AGENT / "protocol/messages.schema.json").read_text())
    page = (AGENT / "dist/arrayd.conf.5").read_text()
    bounds = json.loads((AGENT / "protocol/bounds.schema.json").read_text())["$defs"]
    files = {
        "src/base/bounds.h": bounds_header(bounds, messages, commands),
        "src/base/words.h": words_header(words),
        "src/base/words.c": words_source(words),
        "tests/unit/base/word_families.h": word_families(words),
        "src/ctl/finding_catalog.h": findings_header(words),
        "src/ctl/finding_catalog.c": findings_source(words),
        "src/ctl/event_catalog.h": events_header(events),
        "src/ctl/event_catalog.c": events_source(events),
        "src/cli/event_aen.c": aen_source(events),
        "src/ctl/command_effects.h": effects_header(commands),
        "src/ctl/command_effects.c": effects_source(commands),
        "dist/arrayd.conf.5": policy_page(page, commands),
    }
    stale = []
    for name, text in files.items():
        path = AGENT / name
        if path.exists() and path.read_text() == text:
            continue
        if "--check" in sys.argv[1:]:
            stale.append(name)
        else:
            path.write_text(text)
            print("wrote", name)
    for name in stale:
        print(f"{name} does not match agent/protocol; run make generate", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
