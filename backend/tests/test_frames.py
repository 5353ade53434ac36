"""What no field of a frame may hold is found in its text."""

import json
import re
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arraywright.link.frames import is_suspect
from tests.support import documents

SUSPECT = re.compile(r"\\u0000|NaN|Infinity|[:\[,]\s*-?(?:\d{19}|[\d.]+[eE]\+?\d{3})")
PIECES = st.sampled_from(
    [
        *("1", "23", "0" * 18, "9" * 19, ".", "e", "E", "+", "-", ":", "[", ",", " ", "\n", '"'),
        *("e123", "a", "NaN", "\\u0000", "Infinity", "e+100", "é"),
    ]
)


@settings(max_examples=500, deadline=None)
@given(pieces=st.lists(PIECES, max_size=12))
def test_nothing_is_missed(pieces: list[str]) -> None:
    text = "".join(pieces)
    if SUSPECT.search(text):
        assert is_suspect(text.encode())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**63, True),
        ([-(10**19)], True),
        ({"a": [1, 1e200]}, True),
        (float("nan"), True),
        ("a\x00b", True),
        ("4" * 48, False),
        ("5000c5e123a", False),
        (["12e345", str(uuid4())], False),
        ([10**17, 0.25, 1e-5, True], False),
        (documents.raid5_host(), False),
    ],
)
def test_what_is_suspect(value: object, expected: bool) -> None:
    assert is_suspect(json.dumps({"value": value}).encode()) is expected
