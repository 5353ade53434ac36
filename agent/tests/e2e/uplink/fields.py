"""Every message that a backend sends, with each of its fields at and beyond its bounds.

All of it is drawn from agent/protocol: a field that is added there is tried without a change here,
a new kind of message fails `sorted_out`. A case says what it changes, holds the bytes that are
sent, and knows from the schema whether they are a proper message.
"""

import copy
import functools
import json
import math
import sys
import uuid
from pathlib import Path

import schema_check

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "backend/tools"))

import protocol_bounds  # noqa: E402

MESSAGES = "messages.schema.json"
COMMANDS = "commands.schema.json"
BY_LINK = {"challenge", "welcome", "ack", "nack", "command", "query", "goaway"}
BY_HTTP = {"enrol_response", "enrol_status"}
OF_AGENT = {"hello", "state", "event", "heartbeat", "cmd_ack", "progress", "result", "answer",
            "enrol_request", "enrol_status_request"}
PARTS = {"event_record", "precondition", "actor"}
GHOST = "nobody"
FRAME_MAX = 65536
DEPTH_MAX = 32
TEXT_MAX, ITEMS_MAX, FIELDS_MAX = (protocol_bounds.DEFINITIONS[name][rule] for name, rule in (
    ("text", "maxLength"), ("array", "maxItems"), ("object", "maxProperties")))
TIME_MAX_US = protocol_bounds.DEFINITIONS["time_us"]["maximum"]
# From here on every check is one with bounds, also of what the agent says.
schema_check.DOCUMENTS.update({name: protocol_bounds.apply(document)
                               for name, document in schema_check.DOCUMENTS.items()})


def definitions(document):
    return schema_check.DOCUMENTS[document]["$defs"]


def sorted_out():
    """The messages of the schema that belong to nobody here, and those that it no longer has."""
    return set(definitions(MESSAGES)) ^ (BY_LINK | BY_HTTP | OF_AGENT | PARTS)


@functools.cache
def commands():
    return {name for name, body in definitions(COMMANDS).items() if "x-effects" in body}


@functools.cache
def queries():
    return {name for name, body in definitions(COMMANDS).items() if body.get("x-class") == "R"}


class Raw:
    """Stands in a document for bytes that no encoder would write."""

    def __init__(self, data):
        self.data = data

    def __repr__(self):
        return f"{self.data[:40]!r}"


class Twice(dict):
    """An object that says its first field twice."""


def wire(value):
    """The bytes of a document."""
    if isinstance(value, Raw):
        return value.data
    if isinstance(value, dict):
        fields = [wire(name) + b":" + wire(item) for name, item in value.items()]
        return b"{" + b",".join(fields[:1] * isinstance(value, Twice) + fields) + b"}"
    if isinstance(value, list):
        return b"[" + b",".join(wire(item) for item in value) + b"]"
    return json.dumps(value, ensure_ascii=False).encode()


def read(data):
    """What a strict reader of JSON takes the bytes for; an exception: nothing."""
    value = json.loads(data.decode(), object_pairs_hook=fields_once, parse_constant=int,
                       parse_int=number_of_64_bits, parse_float=number_of_64_bits)
    json.dumps(value, ensure_ascii=False).encode()  # no half characters
    return value


def fields_once(pairs):
    if len(dict(pairs)) < len(pairs) or any("\0" in name for name, _ in pairs):
        raise ValueError("a field is there twice, or has a NUL in its name")
    return dict(pairs)


def number_of_64_bits(text):
    value = float(text) if set(text) & set(".eE") else int(text)
    if not -2**63 <= value < 2**63 and (isinstance(value, int) or math.isinf(value)):
        raise ValueError(f"{text} is too large")
    return value


def depth(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def within_bounds(value):
    """Of its type, whatever the field is."""
    if isinstance(value, dict):
        return len(value) <= FIELDS_MAX and all(map(within_bounds, value.values()))
    if isinstance(value, list):
        return len(value) <= ITEMS_MAX and all(map(within_bounds, value))
    return not isinstance(value, str) or (len(value) <= TEXT_MAX and "\0" not in value)


def resolved(schema):
    """Without a reference: what is drawn here refers to commands.schema.json only."""
    return schema_check._resolve(schema["$ref"], COMMANDS)[0] if "$ref" in schema else schema


def kinds_of(schema):
    kinds = schema.get("type", [])
    return kinds if isinstance(kinds, list) else [kinds]


def word_of(name, schema, keys):
    """A proper text for a field."""
    if "const" in schema:
        return schema["const"]
    if "x-words" in schema:
        return keys.get("words", {}).get(name) or sorted(schema_check.WORDS[schema["x-words"]])[0]
    pattern = schema.get("pattern", "")
    if "{8}" in pattern:
        return keys.get(name) or str(uuid.uuid4())
    if "{1,64}" in pattern:
        return keys.get(name.removesuffix("s"), GHOST)
    return keys.get(name, "n" * max(schema.get("minLength", 0), 4))


def example(name, schema, keys):
    """A proper value with every field that the schema knows, and one item in each list."""
    schema = resolved(schema)
    if "const" in schema:
        return schema["const"]
    match kinds_of(schema)[0]:
        case "object":
            return {field: example(field, part, keys)
                    for field, part in schema.get("properties", {}).items()}
        case "array":
            return [example(name, schema["items"], keys)] * max(1, schema.get("minItems", 0))
        case "integer":
            return keys.get(name, max(schema.get("minimum", 0), 1))
        case "boolean":
            return False
        case "string":
            return word_of(name, schema, keys)
    raise AssertionError(f"{name}: no example of {schema}")


def places(schema, value, path=()):
    """Every place of a value with what its schema says there."""
    schema = resolved(schema)
    yield path, schema
    if isinstance(value, dict):
        for field, part in schema.get("properties", {}).items():
            if field in value:
                yield from places(part, value[field], (*path, field))
    elif isinstance(value, list) and value:
        yield from places(schema["items"], value[0], (*path, 0))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def changed(value, path, item):
    """The value with the item at that place, or without it; a function makes it of what is there."""
    if callable(item):
        item = item(copy.deepcopy(at(value, path)))
    if not path:
        return item
    if item is ABSENT:
        del at(value, path[:-1])[path[-1]]
    else:
        at(value, path[:-1])[path[-1]] = item
    return value


ABSENT = object()
WHOLE = "as it is"
NUMBERS = (-1, 0, 2**53 - 1, 2**53, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64, -2**63, -2**63 - 1, 0.5,
           Raw(b"1e400"), Raw(b"-0"), Raw(b"1e3"), Raw(b"01"), Raw(b"9" * 400), Raw(b"NaN"))
TEXTS = ("", " ", "a\nb", "\x1b[2J", "\u202e", "%s%n", "../x", "\x7f", Raw(b'"a\\u0000b"'),
         Raw(b'"a\x00b"'), Raw(b'"\xff\xfe"'), Raw(b'"\xc0\x80"'), Raw(b'"\xed\xa0\x80"'),
         Raw(b'"\\ud800"'), Raw(b'"\\x"'), Raw(b'"open'))
DEEP = Raw(b"[" * 40 + b"]" * 40)
OTHERS = (None, True, 7, "x", [], {}, [None], {"x": [1]})


def numbers(schema):
    for limit in ("minimum", "maximum"):
        if limit in schema:
            yield from (schema[limit] - 1, schema[limit], schema[limit] + 1)
    yield from NUMBERS


def texts(schema):
    for limit in ("minLength", "maxLength"):
        if limit in schema:
            yield from ("n" * max(0, schema[limit] + more) for more in (-1, 0, 1))
    if "maxLength" in schema:
        yield "ü" * schema["maxLength"]
    if "{8}" in schema.get("pattern", ""):
        some = str(uuid.uuid4())
        yield from (some.upper(), "{" + some + "}", some[:-1], some + "0", some.replace("-", ""))
    elif "pattern" in schema:
        yield from ("k" * 64, "k" * 65, "ü", "a b", "a/b")
    yield from TEXTS
    yield "n" * 60000


def lists(schema, value):
    for limit in ("minItems", "maxItems"):
        for more in (-1, 0, 1):
            count = schema.get(limit, -2) + more
            if 0 <= count * len(wire(value[:1])) < 60000:
                yield lambda value, count=count: value[:1] * count
    yield from (lambda value: [value], lambda value: [*value[:1], {}], lambda value: [*value[:1], None])
    yield from ([], DEEP, Raw(b"[" + b"0," * 9000 + b"0]"))


def nul_named(value):
    return Raw(wire({**value, "k": 1}).replace(b'"k":', b'"k\\u0000":'))


OBJECTS = (lambda value: {**value, "unknown": 1}, lambda value: {**value, "": None}, nul_named,
           lambda value: {**value, **dict.fromkeys(map(str, range(300)))},
           lambda value: {**value, "unknown": "n" * 5000}, lambda value: {**value, "u": [0] * 8193},
           lambda value: Twice(value or {"unknown": 1}), DEEP)


def values_at(schema, value):
    """What is tried at a place."""
    kinds = kinds_of(schema)
    if "integer" in kinds or schema.get("const") == 1:
        yield from numbers(schema)
    if "string" in kinds or isinstance(schema.get("const"), str):
        yield from texts(schema)
    if "array" in kinds:
        yield from lists(schema, value)
    if "object" in kinds:
        yield from OBJECTS
    yield ABSENT
    yield from OTHERS


class Case:
    """One message: the bytes, what is changed in it, and whether the schema allows it."""

    def __init__(self, kind, path, item, value, group=None):
        self.kind = kind
        self.group = group or kind  # the command or query whose arguments it spoils
        self.path = path
        self.item = item
        self.data = wire(value)
        self.proper = len(self.data) <= FRAME_MAX and fits(kind, self.data)

    def __repr__(self):
        said = "absent" if self.item is ABSENT else self.data.decode(errors="replace")
        said = said if len(said) < 400 else f"{said[:200]} ... {said[-200:]}"
        proper = "proper" if self.proper else "improper"
        return f"{proper} {self.kind} {'.'.join(map(str, self.path)) or '(whole)'}: {said}"


def fits(kind, data):
    """Whether these bytes are a proper message of a backend, down to a command's arguments."""
    try:
        message = read(data)
    except (ValueError, RecursionError):
        return False
    schema = definitions(MESSAGES).get(kind)
    if schema is None or not within_bounds(message) or not schema_check.fits(message, schema, MESSAGES):
        return False
    known = {"command": commands(), "query": queries()}.get(kind)
    name = message.get("op", message.get("name"))
    return known is None or (name in known and schema_check.fits(
        message["args"], definitions(COMMANDS)[name], COMMANDS))


def spoiled(kind, schema, make, within=(), group=None):
    """Every place of make(real) with everything that is tried there: `schema` is that of what lies
    `within`. What stays proper is made anew with the keys of nobody, so that no proper message
    changes the host."""
    part = at(make(True), within)
    for place, shape in places(schema, part):
        path = (*within, *place)
        for item in values_at(shape, at(part, place)):
            if path or item is not ABSENT:
                case = Case(kind, path, item, changed(make(True), path, item), group)
                if case.proper:
                    case = Case(kind, path, item, changed(make(False), path, item), group)
                yield case


def stated():
    """What must have been tried: every field of every message, command and query, with its kind."""
    for kind in BY_LINK | BY_HTTP:
        yield from ((kind, path) for path in paths_of(definitions(MESSAGES)[kind]))
    for name in commands() | queries():
        yield from ((name, ("args", *path)) for path in paths_of(definitions(COMMANDS)[name]))


def paths_of(schema):
    schema = resolved(schema)
    yield ()
    for name, part in schema.get("properties", {}).items():
        yield from ((name, *path) for path in paths_of(part))
    if "items" in schema:
        yield from ((0, *path) for path in paths_of(schema["items"]))


def frames():
    """What is wrong with a frame as a whole, whatever it says."""
    room = wire(question())
    whole = [b"", b" ", b"nonsense", b"\0", b"[]", b"7", b'"text"', b"null", b"{", b"{}}", b"\xef\xbb\xbf{}",
             b"[" * 65000, b'{"a":' * 12000, b"{}", b'{"v":1}', b'{"t":"command"}', room + b"{}",
             room + b" " * (FRAME_MAX - len(room))]
    whole += [wire({"v": 1, "t": kind}) for kind in sorted(OF_AGENT | PARTS | {"x", "", "COMMAND"})]
    for data in (*whole, *large()):
        yield Case("frame", (), Raw(data), Raw(data))


def question(**args):
    return {"v": 1, "t": "query", "ts": 1, "id": str(uuid.uuid4()), "name": "latency", "args": args}


def order(**args):
    return {"v": 1, "t": "command", "ts": 1, "command_id": str(uuid.uuid4()), "number": 1, "op": "drive_locate",
            "args": args, "confirm": None, "preconditions": [], "not_after_us": 1,
            "actor": {"name": "n", "role": "administrator", "via": "rest"}}


def large():
    """Messages that fit into a frame and may not fit into a request of arrayd's, as they are or
    because their numbers are written out."""
    some = {f"k{number}": "n" * 4000 for number in range(15)}
    short = Raw(b"[" + b"1e5," * 7500 + b"1e5]")
    for make in (question, order):
        yield wire(make(short=short, more=short))
        room = FRAME_MAX - len(wire(make(**some, rest="")))
        for less in (0, 1, 64, 200, 1024, 2048):
            yield wire(make(**some, rest="n" * (room - less)))
