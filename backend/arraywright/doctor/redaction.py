"""Takes secrets out of text that leaves the machine.

What must be secret is known by its form (our tokens, PEM keys), by the word before it (password=…),
or by its value: what the settings and the database hold.
"""

import re
from collections.abc import Iterable

HIDDEN = "[removed]"
_NAMES = r"password|passwd|passphrase|secret|token|api[_-]?key|private[_-]?key|psk|authorization"
_PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
    re.compile(r"\baw[a-z]_[A-Za-z0-9_-]{8,}"),
)
_AFTER = (
    re.compile(
        r"(?i)(\b(?:arraywright_(?:session|csrf|device)|x-csrf-token)\s*[=:]\s*)[^\s;,\"']+"
    ),
    re.compile(r"(?i)((?:proxy-)?authorization\s*[:=]\s*(?:bearer|basic)?\s*)[^\s\"']+"),
    re.compile(r"(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(r"(?i)((?:set-)?cookie\s*[:=]\s*)[^\r\n]+"),
    # A quote may be escaped: JSON within JSON.
    re.compile(
        rf"(?i)(\b[\w-]*(?:{_NAMES})\b\\*[\"']?\s*[:=]\s*\\*[\"']?)"
        r"(?!\[removed\])[^\s\"',;}\\]+"
    ),
    re.compile(r"(://[^/\s:@]+:)[^/\s@]+(?=@)"),
)
SHORTEST = 6
"""A value that is shorter would be found in words that are no secret."""


def redacted(text: str, known: Iterable[str] = ()) -> str:
    for value in sorted((each for each in known if len(each) >= SHORTEST), key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    for pattern in _PATTERNS:
        text = pattern.sub(HIDDEN, text)
    for pattern in _AFTER:
        text = pattern.sub(rf"\1{HIDDEN}", text)
    return text
