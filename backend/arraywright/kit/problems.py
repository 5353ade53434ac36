"""Errors that know their status, their stable code and their sentence (RFC 9457)."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

PROBLEM_MEDIA_TYPE = "application/problem+json"


class ProblemError(Exception):
    """Raised anywhere below an endpoint; rendered as problem+json by the application."""

    status = 500
    code = "internal"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        status: int | None = None,
        params: Mapping[str, str] | None = None,
        errors: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
        title: str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """`more`: further members of the document."""
        super().__init__(detail)
        self.detail = detail
        self.code = code or self.code
        self.status = status or self.status
        self.params = dict(params or {})
        self.errors = [{"pointer": pointer, "message": text} for pointer, text in errors]
        self.headers = dict(headers or {})
        self.title = title or HTTPStatus(self.status).phrase
        self.more = dict(more or {})

    def document(self, instance: str) -> dict[str, Any]:
        return {
            "type": f"urn:arraywright:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "instance": instance,
            "params": self.params,
            "errors": self.errors,
            **self.more,
        }


class UnauthenticatedError(ProblemError):
    status = 401
    code = "unauthenticated"


class ForbiddenError(ProblemError):
    status = 403
    code = "forbidden"


class NotFoundError(ProblemError):
    status = 404
    code = "not_found"


class ConflictError(ProblemError):
    status = 409
    code = "conflict"


class StaleError(ProblemError):
    status = 412
    code = "stale_precondition"


class InvalidError(ProblemError):
    status = 422
    code = "invalid_argument"


class PreconditionNeededError(ProblemError):
    status = 428
    code = "if_match_needed"


class TooManyError(ProblemError):
    status = 429
    code = "too_many_attempts"


class HostOfflineError(ProblemError):
    status = 409
    code = "host_offline"


class HostTimeoutError(ProblemError):
    status = 504
    code = "host_timeout"


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route; every route with a login has 400, 401, 403 and 422 already."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {PROBLEM_MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in (400, 401, 403, 422, *statuses)
    }
