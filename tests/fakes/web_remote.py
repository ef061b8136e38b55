"""A web server with a certificate of its own, where a git server should be; it writes down what it was asked."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """Where it is, whom to trust for it, and what came."""

    port: int
    certificate: Path
    asked: list[tuple[str, str]] = field(default_factory=list)  # path, and the Authorization header

    @property
    def address(self) -> str:
        """For git."""
        return f"https://127.0.0.1:{self.port}/memory.git"


@contextmanager
def serving(answer: Answer, directory: Path, *, tls: bool = True, lasting: bool = False) -> Iterator[Web]:
    """Answer every request like that, until the end; `lasting`: many in one connection, if answers have a length."""
    asked: list[tuple[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1" if lasting else "HTTP/1.0"

        def handle(self) -> None:
            with suppress(OSError):  # a handshake that fails, or one that had enough
                super().handle()

        def do_GET(self) -> None:
            asked.append((self.path, self.headers.get("Authorization", "")))
            with suppress(OSError):
                answer(self)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        do_POST = do_GET  # noqa: N815 - as the library calls it

    directory.mkdir(parents=True, exist_ok=True)
    certificate = _certificate(directory)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(
                server.socket,
                server_side=True,
                do_handshake_on_connect=False,  # or one client holds up the others
            )
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield Web(port=server.server_port, certificate=certificate, asked=asked)
        server.shutdown()
        thread.join(5)


def _certificate(directory: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    place = directory / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    place.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return place
