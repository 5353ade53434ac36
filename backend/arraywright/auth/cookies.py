"""The session cookie (unreadable for scripts) and the CSRF cookie (readable)."""

from fastapi import Response

from arraywright.auth.schemas import Session

SESSION_COOKIE = "arraywright_session"
CSRF_COOKIE = "arraywright_csrf"
DEVICE_COOKIE = "arraywright_device"
DEVICE_S = 400 * 24 * 3600
CSRF_HEADER = "x-csrf-token"


def set_cookies(
    response: Response, *, secret: str, session: Session, secure: bool, root: str
) -> None:
    assert session.csrf_token is not None
    for name, value, hidden in (
        (SESSION_COOKIE, secret, True),
        (CSRF_COOKIE, session.csrf_token, False),
    ):
        response.set_cookie(
            name,
            value,
            httponly=hidden,
            samesite="strict",
            secure=secure,
            path=root or "/",
            expires=session.expires_at,
        )


def set_device_cookie(response: Response, device: str, *, secure: bool, root: str) -> None:
    """Stays after a logout: it opens nothing."""
    response.set_cookie(
        DEVICE_COOKIE,
        device,
        httponly=True,
        samesite="strict",
        secure=secure,
        path=f"{root}/api/v1/auth",
        max_age=DEVICE_S,
    )


def clear_cookies(response: Response, *, root: str) -> None:
    for name in (SESSION_COOKIE, CSRF_COOKIE):
        response.delete_cookie(name, path=root or "/", samesite="strict")
