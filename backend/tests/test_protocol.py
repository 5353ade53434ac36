"""The Python types of the wire say the same as the JSON Schemas."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError as SchemaError
from pydantic import ValidationError

from arraywright.link import protocol
from arraywright.storage import blocked
from tests.support import documents, wire

TOOLS = Path(__file__).resolve().parents[1] / "tools"

EXAMPLES: dict[str, dict[str, Any]] = {
    "host": documents.host(),
    "controller": documents.controller(
        cache=documents.cache(preserved=[documents.preserved()]), no_battery_rule="refuse"
    ),
    "enclosure": documents.enclosure(),
    "drive": documents.drive(
        1,
        hot_spare={"kind": "dedicated", "drive_groups": ["g0"]},
        faults=[{"kind": "slow", "latency_ms": 50}],
        state_reason=documents.reason(),
        blocked={"rebuild": documents.reason()},
    ),
    "drive_group": documents.drive_group(),
    "virtual_drive": documents.virtual_drive(),
    "battery": documents.battery(low_left_s=300),
    "operation": documents.operation(reason=documents.reason()),
}


def test_generated_file_is_up_to_date() -> None:
    command = [sys.executable, str(TOOLS / "generate_protocol.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_document_has_an_example() -> None:
    assert set(EXAMPLES) == set(protocol.DOCUMENTS)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_documents(kind: str) -> None:
    example = EXAMPLES[kind]
    wire.validator("objects", kind).validate(example)
    model = protocol.DOCUMENTS[kind]
    assert model.model_validate(example).model_dump(exclude_unset=True) == example


def variants(example: dict[str, Any]) -> list[dict[str, Any]]:
    """The example with each field in turn missing or of a wrong kind."""
    changed = []
    for field, value in example.items():
        changed.append({k: v for k, v in example.items() if k != field})
        wrongs: tuple[Any, ...] = ("text", -1, None, [], {}, True, 1.5)
        for wrong in wrongs:
            if type(wrong) is not type(value):
                changed.append({**example, field: wrong})
    return changed


@pytest.mark.parametrize("kind", EXAMPLES)
def test_both_refuse_the_same(kind: str) -> None:
    validator, model = wire.validator("objects", kind), protocol.DOCUMENTS[kind]
    for variant in variants(EXAMPLES[kind]):
        try:
            validator.validate(variant)
            by_schema = True
        except SchemaError:
            by_schema = False
        try:
            model.model_validate(variant)
            by_model = True
        except ValidationError:
            by_model = False
        assert by_schema == by_model, variant


def test_words_and_reasons() -> None:
    words = wire.words()
    assert set(words["reasons"]) == set(protocol.REASONS)
    states = [entry["word"] for entry in words["enums"]["drive_state"]]
    assert [state.value for state in protocol.DriveState] == states


def test_blocked_operations_are_commands_of_the_protocol() -> None:
    for operations in blocked.OPERATIONS.values():
        assert set(operations) <= {*protocol.COMMAND_CLASSES, "host_retire"}
