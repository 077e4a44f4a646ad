"""The real command over streamable HTTP: clients at once, strangers, tokens, signals."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from retrieval import KnowledgeBase
from retrieval.cli import main
from retrieval.cli.mcp import read_token
from retrieval.errors import InvalidInput
from retrieval.tools.mcp.http import bind, build_app, check_exposure, is_loopback
from retrieval.tools.mcp.server import build_server
from tests.retrieval.tools.mcp.serving import serving_http

TOKEN = "0123456789abcdef0123"
QUESTION = {"query": "refund policy"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def _post(url: str, **headers: str) -> int:
    answer = httpx2.post(url, json=PING, headers={**HEADERS, **headers})
    return int(answer.status_code)


def test_two_clients_at_once_and_one_that_leaves_in_the_middle(root: Path) -> None:
    async def ask(url: str, mode: str) -> list[Any]:
        async with Client(url, mode=mode) as client:
            calls = [client.call_tool("lookup_knowledge", QUESTION) for _ in range(4)]
            return [r.structured_content["primary"]["source"] for r in await asyncio.gather(*calls)]

    async def leave(url: str) -> None:
        async with Client(url) as client:
            call = asyncio.create_task(client.call_tool("lookup_knowledge", QUESTION))
            await asyncio.sleep(0)
            call.cancel()

    async def both(url: str) -> list[list[Any]]:
        await leave(url)
        return list(await asyncio.gather(ask(url, "auto"), ask(url, "legacy")))

    with serving_http("--kb", str(root)) as (process, url):
        first, second = asyncio.run(both(url))
        assert first == second == ["billing/refund.md"] * 4
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, "Traceback" in err) == (0, "", False), err
    with KnowledgeBase.open(root) as base:
        rows = base.records().list()
        assert {row.caller for row in rows} == {"mcp"}
        assert any(row.session_id for row in rows)


def test_strangers_are_turned_away_without_a_token(root: Path) -> None:
    with serving_http("--kb", str(root)) as (process, url):
        port = url.split(":")[2].split("/")[0]
        assert _post(url, Origin="http://evil.example") == 403
        assert _post(url, Host="evil.example") == 421
        assert _post(url, Host=f"evil.example:{port}") == 421
        assert _post(url, Host=f"localhost:{port}", Origin=f"http://localhost:{port}") < 401
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert process.returncode == 0


def test_a_token_is_asked_of_everyone(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", encoding="utf-8")

    async def ask(url: str) -> Any:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return await client.call_tool("lookup_knowledge", QUESTION)

    with serving_http(
        "--kb",
        str(root),
        "--host",
        "0.0.0.0",
        "--allow-host",
        "kb.example",
        "--token-file",
        str(file),
    ) as (_, shown):
        url = shown.replace("0.0.0.0", "127.0.0.1")
        assert _post(url) == 401
        assert _post(url, Authorization=f"Bearer {TOKEN}x") == 401
        assert _post(url, Authorization=f"Basic {TOKEN}") == 401
        assert _post(url.replace("/mcp", "/other")) == 401
        allowed = {"Authorization": f"Bearer {TOKEN}", "Host": "kb.example"}
        assert _post(url, **allowed) < 401
        assert _post(url, **allowed, Origin="http://evil.example") == 403
    with serving_http("--kb", str(root), env={"KNOWLEDGE_MCP_TOKEN": TOKEN}) as (_, url):
        assert not asyncio.run(ask(url)).is_error


def test_the_address_that_is_bound_is_answered(root: Path) -> None:
    with serving_http("--kb", str(root), "--host", "127.0.0.2") as (_, url):
        assert url.startswith("http://127.0.0.2:")
        assert _post(url) < 401
        assert _post(url, Host="127.0.0.2") == 421
        assert _post(url, Host="evil.example") == 421


@pytest.mark.parametrize(
    ("host", "bare"), [("127.0.0.1", "localhost"), ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")]
)
def test_port_80_is_left_out_of_the_host(kb: KnowledgeBase, host: str, bare: str) -> None:
    async def status(port: int, name: str, **more: str) -> int:
        app = build_app(build_server(kb), port=port, host=host)
        base = f"http://{name}"
        async with (
            app.router.lifespan_context(app),  # type: ignore[attr-defined]
            httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=base) as client,
        ):
            answer = await client.post("/mcp", json=PING, headers={**HEADERS, **more})
            return int(answer.status_code)

    assert asyncio.run(status(80, bare)) < 401
    assert asyncio.run(status(80, bare, Origin=f"http://{bare}")) < 401
    assert asyncio.run(status(8765, bare)) == 421
    assert asyncio.run(status(80, "evil.example")) == 421


def test_a_port_that_does_not_exist_is_a_clear_error(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "--http", "--port", "99999", "--kb", str(root)]) == 2
    assert "65535" in capsys.readouterr().err
    with pytest.raises(InvalidInput, match="99999"):
        bind("127.0.0.1", 99999)


def test_a_token_file_that_is_no_text_is_a_clear_error(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    file.write_bytes(b"\xff\xfe0123456789abcdef")
    assert main(["mcp", "--http", "--token-file", str(file), "--kb", str(root)]) == 2
    assert "not UTF-8" in " ".join(capsys.readouterr().err.split())


def test_a_blank_token_variable_is_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for blank in ("", " \n"):
        monkeypatch.setenv("KNOWLEDGE_MCP_TOKEN", blank)
        assert read_token(None) is None


@pytest.mark.parametrize(
    ("host", "token", "hosts", "said"),
    [
        ("192.0.2.1", None, (), "there is no token"),
        ("0.0.0.0", None, ("kb.example",), "there is no token"),
        ("::", TOKEN, (), "--allow-host"),
        ("127.0.0.1", "short", (), "has 5 characters"),
    ],
)
def test_it_is_not_exposed_by_accident(
    host: str, token: str | None, hosts: tuple[str, ...], said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        check_exposure(host, token, hosts)


def test_the_command_refuses_what_is_open_to_others(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["mcp", "--http", "--host", "192.0.2.1", "--kb", str(root)]) == 2
    assert "KNOWLEDGE_MCP_TOKEN" in " ".join(capsys.readouterr().err.split())
    monkeypatch.setenv("KNOWLEDGE_MCP_TOKEN", "two words 0123456789")
    assert main(["mcp", "--http", "--kb", str(root)]) == 2
    assert "blanks" in capsys.readouterr().err


def test_loopback_is_told_from_the_rest() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "localhost.evil.example", "")))
