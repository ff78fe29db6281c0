"""Serve the page over HTTP, to browsers on this machine only.

The address contains a random token, and a request must name this machine as its host. A page of
another host that is open in the same browser does not know the token.
"""

from __future__ import annotations

import hmac
import os
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from surgqa.ontology.errors import Busy
from surgqa.transforms.view.api import JSON, Asked, HttpReply, error_reply

HOST = "127.0.0.1"
CHARTS_STYLE = "'sha256-+TfQir1nvDucAdvE6XUQBt4ayUjpAWkbw2kCdSfekHM='"
"""The hash of the style sheet that the chart library adds to the page."""
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {CHARTS_STYLE}; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
MOST_QUERY = 8000
MOST_BODY = 64_000
TIMEOUT_S = 30


class Answers(Protocol):
    """An application that the server can serve."""

    def answer(self, path: str, asked: Asked) -> HttpReply:
        """Return the response to a request for a path; the path is given without the token."""

    def take(self, path: str, body: bytes) -> HttpReply:
        """Store data that the page sent to a path, and return a response."""


class Server(ThreadingHTTPServer):
    """Serves one application on a port of this machine until the server is closed.

    Args:
        api: the application.
        port: 0 for any free port.
        token: required part of the address; drawn at random by default.

    Raises:
        UserError: the port is in use.
    """

    daemon_threads = True

    def __init__(self, api: Answers, port: int = 0, token: str | None = None) -> None:
        self.api = api
        # Random, because it is a secret; no output depends on it.
        self.token = token or os.urandom(16).hex()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise Busy(
                f"port {port} cannot be listened on", found=error.strerror or str(error),
                where="--port", fix="name another port, or none",
            ) from None  # fmt: skip
        self.hosts = {f"{name}:{self.server_port}" for name in (HOST, "localhost")}

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors of a request, such as a connection that the browser closed."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "surgqa", ""
    timeout = TIMEOUT_S

    def do_GET(self) -> None:  # noqa: N802 - name required by the library
        self._send(self._reply())

    def do_HEAD(self) -> None:  # noqa: N802 - name required by the library
        self._send(self._reply(), with_body=False)

    def do_POST(self) -> None:  # noqa: N802 - name required by the library
        self.close_connection = True  # the server would take an unread body for the next request
        self._send(self._refused() or self._taken())

    def _reply(self) -> HttpReply:
        url = urlsplit(self.path)
        asked = parse_qs(url.query, keep_blank_values=True)
        return self._refused() or self.server.api.answer(self._path(), asked)

    def _taken(self) -> HttpReply:
        """Store received data and return the response; data from other pages are refused."""
        origin, kind = self.headers.get("Origin", ""), self.headers.get("Content-Type", "")
        length = self.headers.get("Content-Length", "")
        if kind != JSON or origin.removeprefix("http://") not in self.server.hosts:
            return error_reply("not from this page", 403)
        if not (length.isascii() and length.isdigit()) or int(length) > MOST_BODY:
            return error_reply("too long", 413)
        return self.server.api.take(self._path(), self.rfile.read(int(length)))

    def _path(self) -> str:
        """Return the part of the requested path that follows the token."""
        return unquote(urlsplit(self.path).path.removeprefix("/").partition("/")[2])

    def _refused(self) -> HttpReply | None:
        """Return an error if the request must be refused, otherwise None."""
        # Another host's name may also resolve to this machine, so only its own names are accepted.
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            return error_reply("not this host", 403)
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            return error_reply("not from this page", 403)
        if len(self.path) > MOST_QUERY:
            return error_reply("too long", 414)
        token = urlsplit(self.path).path.removeprefix("/").partition("/")[0]
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            return error_reply("open the address that 'surgqa view' printed", 403)
        return None

    def _send(self, reply: HttpReply, with_body: bool = True) -> None:
        self.send_response(reply.status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        kept = reply.kind == "image/jpeg" and reply.status == HTTPStatus.OK
        self.send_header("Cache-Control", "private, max-age=3600" if kept else "no-store")
        self.end_headers()
        if with_body:
            self.wfile.write(reply.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Send an error for a broken request or an unknown HTTP method, with the usual headers."""
        self.close_connection = True
        status = 405 if code == HTTPStatus.NOT_IMPLEMENTED else code
        self._send(error_reply(HTTPStatus(status).phrase.lower(), status), self.command != "HEAD")

    def log_message(self, format: str, *args: Any) -> None:
        """Do not log requests."""
