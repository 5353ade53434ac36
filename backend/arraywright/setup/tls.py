"""A certificate for the server: a given one, or one of an authority of its own."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from arraywright.kit.failure import StartError
from arraywright.kit.files import give_to_owner

AUTHORITY_DAYS = 3650
# Browsers refuse certificates that are valid for longer.
CERTIFICATE_DAYS = 397


@dataclass(frozen=True)
class Files:
    """In one folder of the server's own user."""

    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "certificate.pem"

    @property
    def key(self) -> Path:
        return self.folder / "certificate.key"

    @property
    def authority(self) -> Path:
        return self.folder / "authority.pem"

    @property
    def authority_key(self) -> Path:
        return self.folder / "authority.key"


def keep(path: Path, data: bytes, mode: int) -> None:
    """Owned by the one who owns the folder, and complete or not there."""
    partial = path.with_name(f".{path.name}")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    give_to_owner(partial)
    partial.replace(path)


def make_folder(folder: Path) -> Files:
    folder.mkdir(mode=0o700, exist_ok=True)
    give_to_owner(folder)
    return Files(folder)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _builder(name: x509.Name, days: int, now: datetime) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=days))
    )


def _common_name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _authority(files: Files, now: datetime) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """The one that is there, so that whoever trusts it need not be told again."""
    if files.authority.exists() and files.authority_key.exists():
        found = x509.load_pem_x509_certificate(files.authority.read_bytes())
        key = load_pem_private_key(files.authority_key.read_bytes(), None)
        enough = found.not_valid_after_utc > now + timedelta(days=CERTIFICATE_DAYS)
        if isinstance(key, ec.EllipticCurvePrivateKey) and enough:
            return found, key
    made = ec.generate_private_key(ec.SECP256R1())
    name = _common_name("Arraywright authority of this installation")
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        _builder(name, AUTHORITY_DAYS, now)
        .issuer_name(name)
        .public_key(made.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(made.public_key()), critical=False)
        .sign(made, hashes.SHA256())
    )
    keep(files.authority_key, _pem(made), 0o600)
    keep(files.authority, certificate.public_bytes(Encoding.PEM), 0o644)
    return certificate, made


def _general_name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(text))
    except ValueError:
        pass
    if not re.fullmatch(r"[A-Za-z0-9*]([A-Za-z0-9-]*\.?)*", text) or len(text) > 253:
        raise StartError(f"{text!r} is neither a host name nor an address.")
    return x509.DNSName(text)


def make(files: Files, names: Sequence[str]) -> None:
    """A certificate for these names, signed by an authority of this installation."""
    now = datetime.now(UTC)
    alternatives = x509.SubjectAlternativeName([_general_name(name) for name in names])
    authority, authority_key = _authority(files, now)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = (
        _builder(_common_name(names[0]), CERTIFICATE_DAYS, now)
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .add_extension(alternatives, critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
            critical=False,
        )
        .sign(authority_key, hashes.SHA256())
    )
    chain = certificate.public_bytes(Encoding.PEM) + authority.public_bytes(Encoding.PEM)
    keep(files.key, _pem(key), 0o600)
    keep(files.certificate, chain, 0o644)


def take(files: Files, certificate: Path, key: Path) -> list[str]:
    """Copies a certificate chain and its key; gives the names it is for."""
    try:
        chain, secret = certificate.read_bytes(), key.read_bytes()
    except OSError as error:
        raise StartError(f"{error.filename} cannot be read: {error.strerror}.") from error
    try:
        first = x509.load_pem_x509_certificates(chain)[0]
    except ValueError as error:
        raise StartError(f"{certificate} has no certificate in PEM form.") from error
    try:
        private = load_pem_private_key(secret, None)
    except (ValueError, TypeError) as error:
        raise StartError(f"{key} has no private key in PEM form without a password.") from error
    form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    if private.public_key().public_bytes(*form) != first.public_key().public_bytes(*form):
        raise StartError(f"{key} is not the key of the certificate in {certificate}.")
    if first.not_valid_after_utc < datetime.now(UTC):
        raise StartError(f"{certificate} expired on {first.not_valid_after_utc:%Y-%m-%d}.")
    keep(files.key, secret, 0o600)
    keep(files.certificate, chain, 0o644)
    return names_of(first)


def names_of(certificate: x509.Certificate) -> list[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    addresses = [str(each) for each in found.get_values_for_type(x509.IPAddress)]
    return [*found.get_values_for_type(x509.DNSName), *addresses]
