"""ETag, If-Match, Prefer and Idempotency-Key."""

import re
from typing import Annotated

from fastapi import Depends, Header

from arraywright.kit.problems import InvalidError, PreconditionNeededError, StaleError

MAXIMUM_WAIT_S = 30


def etag(revision: str | int) -> str:
    return f'"{revision}"'


class ChangeHeaders:
    """What a caller may say about a change in headers."""

    def __init__(
        self,
        if_match: Annotated[
            str | None,
            Header(
                max_length=64,
                description='"config_rev" the caller looked at, quoted, or the ETag as it came',
                json_schema_extra={"pattern": r'^\s*(\*|(W/)?"[!#-~]{1,48}")\s*$'},
            ),
        ] = None,
        idempotency_key: Annotated[
            str | None, Header(pattern=r"^[\x21-\x7e]{1,128}$", description="unique for 24 h")
        ] = None,
        prefer: Annotated[
            str | None,
            Header(
                max_length=200, description=f"wait=N: up to N seconds (at most {MAXIMUM_WAIT_S})"
            ),
        ] = None,
    ) -> None:
        self.if_match = parse_if_match(if_match)
        self.idempotency_key = idempotency_key
        self.wait_s = parse_wait(prefer)


ChangeHeadersDep = Annotated[ChangeHeaders, Depends()]


def parse_if_match(value: str | None) -> str | None:
    """The revision in If-Match; `*` means any and is like none."""
    if value is None or value.strip() == "*":
        return None
    # A proxy that packs answers marks our ETags as weak; the revision is as exact as before.
    match = re.fullmatch(r'\s*(?:W/)?"([!#-~]{1,48})"\s*', value)
    if match is None:
        raise InvalidError(
            "If-Match must be one revision in double quotes.",
            errors=[("If-Match", 'expected "config_rev"')],
        )
    # What follows the point names the whole answer, figures included: see `conditional`.
    return match.group(1).partition(".")[0]


def parse_wait(value: str | None) -> float:
    """Seconds of `Prefer: wait=N`; other preferences are ignored, as RFC 7240 wants."""
    match = re.search(r"(?:^|[,;\s])wait=(\d{1,6})(?:$|[,;\s])", value or "")
    return float(min(int(match.group(1)), MAXIMUM_WAIT_S)) if match else 0.0


def check_revision(
    expected: str | None, actual: str | int, *, what: str, needed: bool = False
) -> None:
    """412 if the caller looked at another revision, 428 if it had to say and did not."""
    if expected is None:
        if needed:
            raise PreconditionNeededError(
                f"Say which revision of {what} you looked at: send its ETag in If-Match.",
                params={"what": what},
            )
        return
    if expected != str(actual):
        raise StaleError(
            f"{what} has changed since you looked at it. Look again and repeat the request.",
            params={"what": what, "expected": expected, "actual": str(actual)},
            headers={"ETag": etag(actual)},
        )
