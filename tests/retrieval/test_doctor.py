"""The doctor: a row for each part, what to do, and nothing changed."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.cli import main
from retrieval.doctor import Check, examine
from retrieval.doctor.index import ask_server
from retrieval.records.spool import Spool
from retrieval.semantic.locking import writer_lock
from tests.notes import write_notes
from tests.retrieval.records.samples import invocation
from tests.services.postgres import PostgresServer


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    root = write_notes(tmp_path / "notes")
    (root / "knowledge.toml").write_text('[embedding]\nmodel = "hash:64"\n', encoding="utf-8")
    return root


@pytest.fixture
def used(kb: Path) -> Path:
    """A knowledge base with an index and a record."""
    with KnowledgeBase.open(kb) as base:
        base.reindex()
        lookup_knowledge("refund policy", kb=base)
    return kb


def rows(kb: Path | None) -> dict[str, Check]:
    return {check.name: check for check in examine(kb)}


def row(kb: Path, name: str) -> Check:
    return rows(kb)[name]


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file below the folder: mode, time and bytes; and every folder."""
    return {
        str(path): (stat.st_mode, stat.st_mtime_ns, b"" if path.is_dir() else path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if (stat := path.stat())
    }


def settings_of(kb: Path, text: str) -> None:
    (kb / "knowledge.toml").write_text(f'{text}\n[embedding]\nmodel = "hash:64"\n', "utf-8")


def test_all_is_well(used: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--kb", str(used), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"] is True
    assert {check["status"] for check in report["checks"]} == {"ok"}
    assert [check["name"] for check in report["checks"]] == [
        "versions",
        "settings",
        "notes",
        "state folder",
        "embedder",
        "index",
        "index writer",
        "Chroma server",
        "records",
        "spool",
        "extras",
    ]
    assert "1 record in " in row(used, "records").detail


def test_the_page_fits_80_columns_and_says_what_to_run(
    kb: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["doctor", "--kb", str(kb)]) == 1
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "Run: lookup-knowledge index" in out
    assert out.endswith("1 of 11 checks need something done.\n")


@pytest.mark.parametrize("state", ["unused", "used", "in use"])
def test_it_changes_nothing(kb: Path, state: str, tmp_path: Path) -> None:
    base = KnowledgeBase.open(kb)
    if state != "unused":
        base.reindex()
        lookup_knowledge("refund policy", kb=base)
        Spool(base.location.state_dir / "spool.jsonl").append(invocation("waits"))
    if state != "in use":
        base.close()
    before = snapshot(tmp_path)
    examine(kb)
    after = snapshot(tmp_path)
    base.close()
    # SQLite's shared memory holds marks of who reads; readers of a live database set theirs.
    assert {n: v for n, v in after.items() if not n.endswith("-shm")} == {
        n: v for n, v in before.items() if not n.endswith("-shm")
    }


def test_settings_that_cannot_be_read_leave_the_rest_not_checked(kb: Path) -> None:
    settings_of(kb, "colour = 1")
    found = rows(kb)
    assert found["settings"].status == "problem"
    assert "Unknown setting 'colour'" in found["settings"].detail
    assert found["settings"].next_action
    assert {found[n].status for n in ("notes", "index", "records", "spool")} == {"not checked"}
    assert found["versions"].status == "ok"


def test_a_folder_that_is_missing_is_a_problem_of_the_settings(tmp_path: Path) -> None:
    assert row(tmp_path / "nowhere", "settings").status == "problem"


def test_notes_that_cannot_be_read_are_named(used: Path) -> None:
    (used / "bad.md").write_bytes(b"---\ntitle: a: b\n---\n")
    found = row(used, "notes")
    assert (found.status, found.next_action) == ("warning", "Run: lookup-knowledge lint")
    assert "bad.md" in found.detail


def test_no_notes_are_a_problem(tmp_path: Path) -> None:
    assert row(tmp_path, "notes").status == "problem"


def test_a_changed_note_and_another_model_ask_for_an_index(used: Path) -> None:
    (used / "billing" / "refund.md").write_text("# Changed\n\nText.\n", encoding="utf-8")
    stale = row(used, "index")
    assert (stale.status, stale.next_action) == ("warning", "Run: lookup-knowledge index")
    assert "1 note has changed" in stale.detail
    (used / "knowledge.toml").write_text('[embedding]\nmodel = "hash:32"\n', encoding="utf-8")
    other = row(used, "index")
    assert other.status == "problem"
    assert "hash:64" in other.detail


def test_a_damaged_index_is_a_problem(used: Path) -> None:
    (snapshot_file,) = (used / ".lookup-knowledge" / "index").glob("gen-*/snapshot.json")
    snapshot_file.write_bytes(snapshot_file.read_bytes()[:10])
    damaged = row(used, "index")
    assert damaged.status == "problem"
    assert "damaged" in damaged.detail


def test_who_writes_the_index_is_named_and_a_dead_one_too(used: Path) -> None:
    state = used / ".lookup-knowledge"
    with writer_lock(state):
        assert f"is being written: process {os.getpid()}" in row(used, "index writer").detail
    mark = {"pid": 2**22 + 1, "host": socket.gethostname(), "since": "2026-01-01T00:00:00+00:00"}
    (state / "index" / "writer.json").write_text(json.dumps(mark), encoding="utf-8")
    assert "which has ended" in row(used, "index writer").detail
    (state / "index" / "writer.json").write_text("{", encoding="utf-8")
    assert row(used, "index writer").status == "not checked"


def test_an_embedder_from_elsewhere_is_not_asked(kb: Path) -> None:
    (kb / "knowledge.toml").write_text('[embedding]\nmodel = "openai:m"\n', encoding="utf-8")
    assert row(kb, "embedder").status == "not checked"
    (kb / "knowledge.toml").write_text('[embedding]\nmodel = "ollama:m"\n', encoding="utf-8")
    absent = row(kb, "embedder")
    assert absent.status == "problem"
    assert absent.next_action == "Run: pip install llama-index-embeddings-ollama"
    (kb / "knowledge.toml").write_text('[embedding]\nmodel = "nonsense"\n', encoding="utf-8")
    assert "names no embedder" in row(kb, "embedder").detail


def test_a_file_in_the_way_of_the_state_is_a_problem(kb: Path) -> None:
    (kb / ".lookup-knowledge").write_text("", encoding="utf-8")
    found = row(kb, "state folder")
    assert found.status == "problem"
    assert "in the way" in found.detail


def test_records_that_wait_or_were_refused_are_told(used: Path) -> None:
    spool = Spool(used / ".lookup-knowledge" / "spool.jsonl")
    spool.append(invocation())
    waiting = row(used, "spool")
    assert (waiting.status, waiting.next_action) == (
        "warning",
        "Run: lookup-knowledge traces list",
    )
    spool.set_aside.write_text("half a line\n", encoding="utf-8")
    found = [check for check in examine(used) if check.name == "spool"]
    assert [check.status for check in found] == ["warning", "warning"]
    assert main(["traces", "list", "--kb", str(used)]) == 0
    spool.set_aside.unlink()
    assert row(used, "spool").status == "ok"


def test_a_damaged_database_is_a_problem(used: Path) -> None:
    file = used / ".lookup-knowledge" / "records.sqlite3"
    file.write_bytes(b"no database " * 100)
    assert row(used, "records").status == "problem"


def test_records_that_are_off_need_no_database(kb: Path) -> None:
    settings_of(kb, '[records]\nrecord = "off"\nurl = "postgresql://user:secret@127.0.0.1:9/r"')
    assert row(kb, "records").status == "ok"


def test_postgresql_down_new_used_and_without_rights(kb: Path, postgres: PostgresServer) -> None:
    settings_of(kb, '[records]\nurl = "postgresql://user:secret@127.0.0.1:9/r"')
    down = row(kb, "records")
    assert down.status == "problem"
    assert "secret" not in down.detail
    url = postgres.new_database()
    settings_of(kb, f'[records]\nurl = "{url}"')
    new = row(kb, "records")
    assert (new.status, "empty" in new.detail) == ("ok", True)
    assert postgres.run("SELECT to_regclass('tool_invocation')", url=url) == [(None,)]
    with KnowledgeBase.open(kb) as base:
        lookup_knowledge("refund policy", kb=base)
    assert "1 record in " in row(kb, "records").detail
    postgres.run("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    name = url.rpartition("/")[2]
    settings_of(kb, f'[records]\nurl = "{postgres.url(name, user="guest")}"')
    assert "lacks SELECT and INSERT" in row(kb, "records").detail
    empty = postgres.new_database()
    settings_of(kb, f'[records]\nurl = "{postgres.url(empty.rpartition("/")[2], user="guest")}"')
    assert "may not create" in row(kb, "records").detail
    postgres.run("DROP ROLE guest")


def test_postgresql_of_another_encoding_is_a_warning(kb: Path, postgres: PostgresServer) -> None:
    settings_of(kb, f'[records]\nurl = "{postgres.new_database(encoding="LATIN1")}"')
    found = row(kb, "records")
    assert found.status == "warning"
    assert "LATIN1" in found.detail


def test_a_chroma_server_that_answers_and_one_that_is_gone(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    assert ask_server(url).status == "problem"
    script = "from chromadb.cli.cli import app; app()"
    words = ["run", "--path", str(tmp_path), "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(
        [sys.executable, "-c", script, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            for _ in range(150):
                if ask_server(url).status == "ok":
                    break
                time.sleep(0.2)
            assert ask_server(url) == Check(
                name="Chroma server", status="ok", detail=f"{url} answers"
            )
        finally:
            server.kill()
    assert ask_server(url).next_action
