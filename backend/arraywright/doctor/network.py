"""Checks of how browsers and agents reach the server: addresses, proxies, TLS."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from arraywright.doctor.finding import Finding
from arraywright.settings import Settings

SOON = timedelta(days=14)
RENEW = "sudo arraywright setup tls"


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _public_name(settings: Settings) -> str:
    return urlsplit(settings.public_url).hostname or ""


def exposed_without_tls(settings: Settings) -> Iterator[Finding]:
    if settings.tls_certificate or settings.is_loopback or settings.insecure_http:
        return
    yield Finding(
        code="exposed_without_tls",
        found=f"The server is configured to listen on {settings.host} without TLS.",
        consequence="It refuses to start: passwords and tokens would travel in the clear.",
        next_step=RENEW,
    )


def public_url_loopback(settings: Settings) -> Iterator[Finding]:
    if settings.is_loopback or not _is_loopback(_public_name(settings)):
        return
    yield Finding(
        code="public_url_loopback",
        found=f"The server listens on {settings.host}, and its public URL is "
        f"{settings.public_url}, which only this machine reaches.",
        consequence="Add host shows other machines a line that cannot work.",
        next_step="sudo sed -i '/^ARRAYWRIGHT_PUBLIC_URL=/s#=.*#=https://'$(hostname -f)':"
        f"{settings.port}#' /etc/arraywright/backend.env",
    )


def proxy_not_trusted(settings: Settings) -> Iterator[Finding]:
    behind = settings.public_url.startswith("https://") and not settings.tls_certificate
    if not behind or settings.trusted_proxies:
        return
    yield Finding(
        code="proxy_not_trusted",
        found="The public URL is https, this server speaks http, and no proxy is trusted.",
        consequence="All callers seem to come from the proxy: the audit trail names its address, "
        "one caller's failed logins hold up all others, and cookies are not Secure.",
        next_step="echo ARRAYWRIGHT_TRUSTED_PROXIES=127.0.0.1 | sudo tee -a "
        "/etc/arraywright/backend.env",
    )


def _certificate(settings: Settings) -> x509.Certificate | None:
    try:
        content = Path(settings.tls_certificate or "").read_bytes()
        return x509.load_pem_x509_certificates(content)[0]
    except (OSError, ValueError):
        return None


def tls_unreadable(settings: Settings) -> Iterator[Finding]:
    if settings.tls_certificate is None and settings.tls_key is None:
        return
    for what, path in (("certificate", settings.tls_certificate), ("key", settings.tls_key)):
        why = _why_unreadable(what, path)
        if why is not None:
            yield Finding(
                code="tls_unreadable",
                found=f"The TLS {what} {path or ''} cannot be used: {why}.",
                consequence="The server does not start.",
                next_step=RENEW if path is None else f"sudo ls -l {path}; {RENEW}",
            )


def _why_unreadable(what: str, path: Path | None) -> str | None:
    if path is None:
        return f"none is set (ARRAYWRIGHT_TLS_{what.upper()})"
    try:
        content = path.read_bytes()
        if what == "key":
            load_pem_private_key(content, None)
        else:
            x509.load_pem_x509_certificates(content)
    except OSError as error:
        return str(error.strerror).lower()
    except (ValueError, TypeError):
        return "it is no PEM file, or it is encrypted"
    return None


def tls_expired(settings: Settings) -> Iterator[Finding]:
    certificate = _certificate(settings)
    if certificate is None:
        return
    end = certificate.not_valid_after_utc
    if end > datetime.now(UTC) + SOON:
        return
    over = end <= datetime.now(UTC)
    yield Finding(
        code="tls_expired",
        found=f"The TLS certificate {'expired' if over else 'expires'} on {end:%Y-%m-%d}.",
        consequence="Agents and browsers refuse the connection"
        + ("." if over else " from then on."),
        next_step=RENEW,
    )


def tls_mismatch(settings: Settings) -> Iterator[Finding]:
    certificate = _certificate(settings)
    if certificate is None or settings.tls_key is None:
        return
    try:
        key = load_pem_private_key(settings.tls_key.read_bytes(), None)
    except (OSError, ValueError, TypeError):
        return
    wanted = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if key.public_key().public_bytes(*wanted) != certificate.public_key().public_bytes(*wanted):
        yield Finding(
            code="tls_mismatch",
            found=f"The key {settings.tls_key} is not that of the certificate "
            f"{settings.tls_certificate}.",
            consequence="The server does not start.",
            next_step=RENEW,
        )


def tls_name(settings: Settings) -> Iterator[Finding]:
    certificate, wanted = _certificate(settings), _public_name(settings)
    if certificate is None or not wanted:
        return
    names = _names(certificate)
    covered = wanted in names or f"*.{wanted.partition('.')[2]}" in names
    if not covered:
        yield Finding(
            code="tls_name",
            found=f"The TLS certificate is for {', '.join(sorted(names)) or 'no name'}, and the "
            f"public URL names {wanted}.",
            consequence="Agents and browsers refuse the connection.",
            next_step=f"{RENEW} --name {wanted}",
        )


def _names(certificate: x509.Certificate) -> set[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    addresses = {str(each) for each in found.get_values_for_type(x509.IPAddress)}
    return addresses | set(found.get_values_for_type(x509.DNSName))
