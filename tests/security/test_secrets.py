"""Tokens and passwords are in no output, digest, record, log or error."""

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.cli.program import main
from retrieval.errors import RetrievalError
from retrieval.logs import LogSection, configure_logs
from retrieval.settings import load_settings
from tests.notes import write_notes
from tests.workbench.reading import text_of
from workbench.cli import APP
from workbench.launch import Launch
from workbench.state import query as page

PASSWORD = "pw-Kestrel-0815"
TOKEN = "tok-Osprey-4711"
MCP_TOKEN = "mcp-Harrier-1234567890"
SECRETS = (PASSWORD, TOKEN, MCP_TOKEN, "Kestrel", "Osprey", "Harrier")
NOBODY = "127.0.0.1:9"  # the discard port: nobody listens


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Notes whose settings name a database and a Chroma server, which are down, with secrets."""
    write_notes(tmp_path / "notes")
    (tmp_path / "knowledge.toml").write_text(
        'root = "notes"\n[embedding]\nmodel = "hash:64"\n'
        f'[records]\nurl = "postgresql://me:{PASSWORD}@{NOBODY}/records?sslpassword={PASSWORD}"\n'
        f'[chroma]\nurl = "http://{NOBODY}"\ncollection = "notes"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("LOOKUP_CHROMA__TOKEN", TOKEN)
    monkeypatch.setenv("KNOWLEDGE_MCP_TOKEN", MCP_TOKEN)
    return tmp_path


@pytest.fixture(autouse=True)
def _silent_again() -> Iterator[None]:
    yield
    configure_logs(LogSection())


def check(text: str) -> None:
    assert not [secret for secret in SECRETS if secret in text], text


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize(
    "words",
    [
        ["query", "refund policy"],
        ["query", "refund policy", "--explain"],
        ["query", "refund policy", "--why", "travel/shuttle.md"],
        ["index"],
        ["doctor"],
        ["lint", "--traces"],
        ["traces", "list"],
        ["traces", "show", "0"],
        ["traces", "prune", "--older-than", "1d", "--yes"],
        ["eval", "list"],
    ],
    ids=" ".join,
)
def test_no_command_shows_a_secret(
    kb: Path, words: list[str], as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--log", "json", *words, "--kb", str(kb), *(["--json"] if as_json else [])])
    said = capsys.readouterr()
    assert said.out + said.err
    check(said.out + said.err)


def test_no_answer_record_or_log_holds_a_secret(
    kb: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with KnowledgeBase.open(kb) as base:
        result = lookup_knowledge("refund policy", kb=base)
        assert "record_spooled" in {warning.code for warning in result.warnings}
        check(json.dumps(result.to_dict()))
        check(base.settings.digest())
        check(f"{base.settings.chroma!r} {base.settings.chroma}")
        check(base.settings.model_dump_json(exclude={"records"}))
        state = base.location.state_dir
    written = [path for path in state.rglob("*") if path.is_file()]
    assert [path for path in written if path.name == "spool.jsonl"]
    for path in written:
        check(path.read_text(encoding="utf-8", errors="replace"))
    check(caplog.text + "".join(capsys.readouterr()))


def test_a_digest_is_the_same_whatever_the_secrets_are(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load_settings(kb)[0].digest()
    monkeypatch.setenv("LOOKUP_CHROMA__TOKEN", "another")
    monkeypatch.setenv("LOOKUP_RECORDS__URL", "postgresql://me:other@127.0.0.1/x")
    assert load_settings(kb)[0].digest() == before


@pytest.mark.parametrize(
    "environment",
    [
        {"LOOKUP_CHROMA__TOKEN": f"{TOKEN} with blanks"},
        {"LOOKUP_CHROMA__TOKEN": f'["{TOKEN}"]'},
        {"LOOKUP_CHROMA__URL": f"http://me:{PASSWORD}@127.0.0.1:8000"},
        {"LOOKUP_CHROMA__TOKENS": TOKEN},
        {"LOOKUP_RECORDS__URL": f'["postgresql://me:{PASSWORD}@127.0.0.1/x"]'},
        {"LOOKUP_RECORDS__URL": f"mysql://me:{PASSWORD}@127.0.0.1/x"},
        {"LOOKUP_RECORDS__URL": f"postgresql://me:{PASSWORD}@127.0.0.1:port/x"},
        {"LOOKUP_RECORDS__URL": f"me:{PASSWORD}@127.0.0.1"},
        {"LOOKUP_RECORDS__URL": f"postgresql://me:{PASSWORD}@[::1/x"},
        {"LOOKUP_RECORDS__RECORD": PASSWORD},
        {"LOOKUP_RECORDS": f"postgresql://me:{PASSWORD}@127.0.0.1/x"},
        {"LOOKUP_CHROMA": TOKEN},
    ],
    ids=lambda environment: " ".join(f"{k}={v}" for k, v in environment.items()),
)
def test_a_wrong_setting_is_refused_without_showing_it(
    kb: Path,
    environment: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for words in (["query", "refund policy"], ["doctor"], ["traces", "list"]):
        main([*words, "--kb", str(kb), "--json"])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        check(said.out + said.err)
    try:
        with KnowledgeBase.open(kb) as base:
            base.records().list()
    except RetrievalError as error:
        causes = [
            error,
            error.__cause__,
            error.__context__ if not error.__suppress_context__ else None,
        ]
        check(" ".join(f"{cause!r} {cause}" for cause in causes))


def test_a_wrong_token_of_the_server_is_refused_without_showing_it(
    kb: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for token in (f"{MCP_TOKEN} x", "Kestrel", f"{MCP_TOKEN}\u00e9"):
        monkeypatch.setenv("KNOWLEDGE_MCP_TOKEN", token)
        assert main(["mcp", "--http", "--kb", str(kb)]) == 2
        check("".join(capsys.readouterr()))


def test_no_page_shows_a_secret(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environ: dict[str, str] = {}
    Launch(kb=kb).write_to(environ)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    try:
        app = AppTest.from_file(str(APP), default_timeout=120)
        app.run().text_input(page.TEXT).input("refund policy").run()
        assert not app.exception
        assert "billing/refund.md" in text_of(app)
        check(text_of(app))
        for name in ("traces", "knowledge", "evaluate", "settings"):
            check(text_of(app.switch_page(f"app_pages/{name}.py").run()))
            assert not app.exception
    finally:
        st.cache_resource.clear()
