"""MCP over streamable HTTP: bound to loopback, or exposed with a token."""

import hmac
import ipaddress
import signal
import socket
from collections.abc import Sequence
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from retrieval.errors import InvalidInput

PATH = "/mcp"
HTTP_PORT = 80
LAST_PORT = 65535
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
LEAST_TOKEN = 16
STOP_SECONDS = 5


class RequireToken:
    """Answers 401 to every request that does not bear the token, whatever its path."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_allowed(scope):
            await self._app(scope, receive, send)
            return
        response = JSONResponse(
            {"error": "invalid_token", "error_description": "Send Authorization: Bearer TOKEN."},
            status_code=401,
            headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
        )
        await response(scope, receive, send)

    def _is_allowed(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1:
            return False
        scheme, _, token = given[0].partition(b" ")
        # Constant time: the answer's delay tells nothing about the token.
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(), self._token)


def check_exposure(host: str, token: str | None, allowed_hosts: Sequence[str]) -> None:
    """Raises `InvalidInput` for a way of serving that would be open to others."""
    if token is not None and len(token) < LEAST_TOKEN:
        raise InvalidInput(
            f"The token has {len(token)} characters.",
            next_action=f"Use {LEAST_TOKEN} or more, such as from: openssl rand -hex 32",
        )
    if is_loopback(host):
        return
    if token is None:
        raise InvalidInput(
            f"The host '{host}' can be reached by other machines, and there is no token.",
            next_action="Set KNOWLEDGE_MCP_TOKEN or --token-file, or bind to 127.0.0.1.",
        )
    if host in ("", "0.0.0.0", "::") and not allowed_hosts:
        raise InvalidInput(
            f"'{host}' binds to every address, so it is unknown by which name clients ask.",
            next_action="Name it: --allow-host knowledge.example.org (with :PORT where not 443).",
        )


def is_loopback(host: str) -> bool:
    """True for `localhost` and addresses of the loopback network."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def build_app(
    server: Server[Any],
    *,
    port: int,
    host: str = "127.0.0.1",
    token: str | None = None,
    allowed_hosts: Sequence[str] = (),
    allowed_origins: Sequence[str] = (),
) -> ASGIApp:
    """The ASGI app at `/mcp`, which refuses foreign Host and Origin headers (DNS rebinding).

    A request without Origin comes from no web page and is admitted.
    """
    names = [_bracketed(host), *(LOOPBACK if is_loopback(host) else ())]
    own = [f"{name}:{port}" for name in names]
    if port == HTTP_PORT:  # clients leave it out, and the name alone stands for it
        own += names
    security = TransportSecuritySettings(
        allowed_hosts=[*own, *allowed_hosts],
        allowed_origins=[*(f"http://{name}" for name in own), *allowed_origins],
    )
    app = server.streamable_http_app(streamable_http_path=PATH, transport_security=security)
    return app if token is None else RequireToken(app, token)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises `InvalidInput` where that fails."""
    if not 0 <= port <= LAST_PORT:
        raise InvalidInput(f"There is no port {port}.", next_action=f"Choose 0 to {LAST_PORT}.")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InvalidInput(
            f"Nothing can be served at {host}:{port}: {error.strerror or error}.",
            next_action="Choose another --port or --host.",
        ) from error


def serve_http(app: ASGIApp, listener: socket.socket, *, log_level: str = "warning") -> None:
    """Serves until SIGTERM or SIGINT, then ends within seconds and returns."""
    config = uvicorn.Config(
        app, log_level=log_level, access_log=False, timeout_graceful_shutdown=STOP_SECONDS
    )
    # uvicorn raises the signal again when it is done; these handlers make that a plain return.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run(sockets=[listener])


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
