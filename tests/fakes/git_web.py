"""git over http: what a web server with `git http-backend` behind it answers, to be served by `web_remote`."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.fakes.web_remote import Answer

_GIT = shutil.which("git") or "git"


def repositories(root: Path, login: str) -> Answer:
    """Every bare repository below `root`, to be read and written by whoever has this login (`name:password`)."""
    wanted = "Basic " + base64.b64encode(login.encode()).decode()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        sent = _body(handler)  # in any case, as the next request follows it
        if handler.headers.get("Authorization") == wanted:
            _say(handler, _asked(handler, root, login.partition(":")[0], sent))
        else:
            unauthorized(handler)

    return answer


def unauthorized(handler: BaseHTTPRequestHandler) -> None:
    """Ask for a login, whatever came."""
    handler.send_response(401)
    handler.send_header("WWW-Authenticate", 'Basic realm="git"')
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def _body(handler: BaseHTTPRequestHandler) -> bytes:
    if handler.headers.get("Transfer-Encoding", "").lower() != "chunked":
        return handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
    chunks = []
    while size := int(handler.rfile.readline().partition(b";")[0], 16):
        chunks.append(handler.rfile.read(size))
        handler.rfile.readline()
    while handler.rfile.readline().strip():
        pass  # trailers
    return b"".join(chunks)


def _asked(handler: BaseHTTPRequestHandler, root: Path, user: str, sent: bytes) -> bytes:
    """What `git http-backend` says: headers and a body, as of any CGI program. It unpacks gzip itself."""
    path, _, query = handler.path.partition("?")
    environ = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROTOCOL": handler.headers.get("Git-Protocol", ""),
        "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", ""),
        "REQUEST_METHOD": handler.command,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": handler.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(sent)),
        "REMOTE_USER": user,
        "REMOTE_ADDR": "127.0.0.1",
    }
    return subprocess.run([_GIT, "http-backend"], env=environ, input=sent, capture_output=True, check=True).stdout


def _say(handler: BaseHTTPRequestHandler, said: bytes) -> None:
    head, _, body = said.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
    handler.send_response(int(headers.pop("Status", "200")[:3]))
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
