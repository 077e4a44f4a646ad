"""Several hosts on one Chroma server. A host is a notes folder with a state folder of its own."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings as ChromaSettings

from retrieval import KnowledgeBase
from retrieval.errors import IndexUnavailable, IndexUnreachable, SettingsError
from retrieval.semantic.generations import current_generation
from retrieval.semantic.server import ChromaServer
from retrieval.semantic.server_store import REQUEST_BYTES, ServerStore
from retrieval.settings import LookupSettings
from retrieval.settings.chroma import ChromaSection
from retrieval.types import LookupResult
from tests.notes import write_notes
from tests.services.chroma import PATIENCE_SECONDS, RunningChroma, guarded, running_chroma

HASH = {"embedding": {"model": "hash:64"}}
TOKEN = "s3cret-Token.1"
Host = Callable[..., KnowledgeBase]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningChroma]:
    with running_chroma(tmp_path_factory.mktemp("chroma")) as server:
        yield server


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A collection name that no other test uses."""
    return f"team-{abs(hash(request.node.name)):x}"


@pytest.fixture
def host(tmp_path: Path, shared: RunningChroma, name: str) -> Iterator[Host]:
    """Opens the knowledge base as the host of this name would."""
    with ExitStack() as stack:

        def open_host(
            where: str, *, settings: dict[str, Any] = HASH, **chroma: Any
        ) -> KnowledgeBase:
            root = tmp_path / where / "notes"
            if not root.is_dir():
                write_notes(root)
            given = {"url": shared.url, "collection": name} | chroma
            state = {"state_dir": str(tmp_path / where / "state"), "chroma": given}
            return stack.enter_context(KnowledgeBase.open(root, {**settings, **state}))

        yield open_host


def codes(result: LookupResult) -> list[str]:
    return [warning.code for warning in result.warnings]


def sources(result: LookupResult) -> list[str]:
    return [block.source for block in result.evidence_blocks]


def add_note(kb: KnowledgeBase, text: str = "# Parrot\n\nThe parrot is blue.\n") -> None:
    (kb.location.root / "parrot.md").write_text(text)


@contextmanager
def raw_client(server: RunningChroma) -> Iterator[Any]:
    """Chroma's own client, as anybody else who uses the server has it."""
    settings = ChromaSettings(_env_file=None, anonymized_telemetry=False)
    client = chromadb.HttpClient("127.0.0.1", server.port, settings=settings)
    try:
        yield client
    finally:
        for part in (client, client._admin_client):
            part._server._session.close()
        client.close()


def collections(server: RunningChroma, name: str) -> list[str]:
    with raw_client(server) as client:
        names = [c.name for c in client.list_collections() if c.name.startswith(f"{name}-")]
    return sorted(names)


def test_a_host_finds_what_another_one_indexed(host: Host) -> None:
    first, second = host("a"), host("b")
    assert codes(first.lookup("guest network")) == ["index_missing"]
    report = first.reindex()
    assert (report.added, report.embedded) == (6, 7)
    here, there = first.lookup("guest network"), second.lookup("guest network")
    assert here.l1.status == there.l1.status == "ok"
    assert codes(there) == []
    assert there.fingerprint == here.fingerprint
    assert there.evidence_blocks == here.evidence_blocks


def test_an_index_on_a_server_answers_like_one_in_the_state_folder(
    host: Host, tmp_path: Path
) -> None:
    remote = host("a")
    remote.reindex()
    with KnowledgeBase.open(
        remote.location.root, {**HASH, "state_dir": str(tmp_path / "own")}
    ) as local:
        local.reindex()
        for query in ("refund in thirty days", "guest network", "lost badge"):
            for filters in (None, {"category": "billing"}, {"keywords": ["vpn", "badge"]}):
                one, other = (kb.lookup(query, filters=filters) for kb in (remote, local))
                assert sources(one) == sources(other)
                scores = [[b.score for b in r.evidence_blocks] for r in (one, other)]
                assert scores[0] == pytest.approx(scores[1], abs=1e-5)
                assert one.filter == other.filter
        assert remote.fingerprint == local.fingerprint


def test_a_reindex_is_seen_by_the_other_host_at_its_next_lookup(host: Host) -> None:
    first, second = host("a"), host("b")
    first.reindex()
    assert second.lookup("blue parrot").l1.status == "ok"
    add_note(first)
    add_note(second)
    assert first.reindex().embedded == 1
    result = second.lookup("blue parrot")
    assert sources(result)[0] == "parrot.md"
    assert result.evidence_blocks[0].score is not None
    assert codes(result) == []


def test_a_host_with_other_notes_is_told_and_finds_its_own_by_words(host: Host) -> None:
    first, second = host("a"), host("b")
    first.reindex()
    add_note(second, "# Parrot\n\nThe parrot is green.\n")
    (second.location.root / "travel" / "shuttle.md").unlink()
    result = second.lookup("green parrot and shuttle bus")
    assert codes(result) == ["notes_differ"]
    assert "lookup-knowledge index" in result.warnings[0].next_action
    found = {block.source: block for block in result.evidence_blocks}
    assert "travel/shuttle.md" not in found
    assert found["parrot.md"].score is None
    assert any(block.score is not None for block in result.evidence_blocks)
    assert result.fingerprint.index != first.fingerprint.index


def test_a_changed_passage_is_not_given_the_cosine_of_the_old_one(host: Host) -> None:
    first, second = host("a"), host("b")
    first.reindex()
    (second.location.root / "network" / "vpn.md").write_text("# Remote\n\nAsk the desk.\n")
    result = second.lookup("working from home needs the tunnel", mode="l1")
    assert "network/vpn.md" not in sources(result)
    assert codes(result) == ["notes_differ"]


def test_an_index_run_on_a_host_with_the_same_notes_embeds_nothing(host: Host) -> None:
    first, second, third = host("a"), host("b"), host("c")
    first.reindex()
    report = second.reindex()
    assert (report.added, report.embedded) == (6, 0)
    assert second.reindex().generation == report.generation
    add_note(third)
    report = third.reindex()  # nothing here to build upon: only the server has the vectors
    assert (report.added, report.embedded) == (7, 1)


def test_collections_that_are_superseded_go_after_their_grace(
    host: Host, shared: RunningChroma, name: str
) -> None:
    kb = host("a")
    kb.reindex()
    (first,) = collections(shared, name)
    add_note(kb)
    kb.reindex()
    server = ChromaServer(kb.settings.chroma)
    ServerStore(server, server.new_name(), create=True)  # left by a host that died
    before = collections(shared, name)
    assert len(before) == 3
    assert first in before
    server.remove_old()
    assert collections(shared, name) == before
    server.remove_old(grace_seconds=0)
    assert first not in collections(shared, name)
    server.remove_old(unfinished_seconds=0)
    assert collections(shared, name) == [server.last_known]
    server.close()
    assert kb.lookup("blue parrot").l1.status == "ok"


def test_collections_of_others_stay(host: Host, shared: RunningChroma, name: str) -> None:
    kb, other = host("a"), host("b", collection=f"{name}-two")
    other.reindex()
    (others,) = collections(shared, f"{name}-two")
    foreign = [
        "1700000000000-users",
        f"{name}-1700000000000-users",
        f"{name}-1700000000000-abcdef-1",
        f"x{name}-1700000000000-abcdef",
        f"{name.replace('-', '.')}-1700000000000-abcdef",
    ]
    left = f"{name}-1700000000000-abcdef"  # ours, of a run that died
    with raw_client(shared) as client:
        for one in (*foreign, left):
            client.create_collection(one)
    kb.reindex()
    server = ChromaServer(kb.settings.chroma)
    server.remove_old(grace_seconds=0, unfinished_seconds=0)
    server.close()
    with raw_client(shared) as client:
        names = {collection.name for collection in client.list_collections()}
        assert names >= {*foreign, others, f"{name}-two"}
        assert left not in names
        for one in foreign:
            client.delete_collection(one)
    assert other.lookup("guest network").l1.status == "ok"


@pytest.mark.parametrize("rubbish", ["", "../x", "other-team", 7])
def test_an_index_run_heals_a_pointer_to_rubbish(
    host: Host, shared: RunningChroma, name: str, rubbish: str | int
) -> None:
    kb, second = host("a"), host("b")
    kb.reindex()
    with raw_client(shared) as client:
        client.get_collection(name).modify(metadata={"current": rubbish})
    assert codes(second.lookup("guest network")) == ["index_damaged"]
    assert kb.reindex().embedded == 0
    for healed in (kb, second):
        result = healed.lookup("guest network")
        assert (result.l1.status, codes(result)) == ("ok", [])


def test_the_last_of_two_hosts_that_index_at_once_is_current_and_both_answer(host: Host) -> None:
    from concurrent.futures import ThreadPoolExecutor

    hosts = [host("a"), host("b")]
    add_note(hosts[1])
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda kb: kb.reindex(), hosts))
    assert [report.passages for report in reports] == [7, 8]
    results = [kb.lookup("blue parrot") for kb in hosts]
    assert {result.l1.status for result in results} == {"ok"}
    assert sorted(code for result in results for code in codes(result)) == ["notes_differ"]
    assert "parrot.md" in sources(results[1])


def test_large_vectors_are_sent_in_small_requests(host: Host, shared: RunningChroma) -> None:
    kb = host("a")
    server = ChromaServer(kb.settings.chroma)
    store = ServerStore(server, server.new_name(), create=True)
    assert store._batch(3072) * 3072 * 4 < REQUEST_BYTES
    vectors = np.eye(2100, 8, dtype=np.float32)
    store.add([f"n.md#{i}" for i in range(2100)], vectors, [{"source": "n.md"}] * 2100)
    assert len(store) == 2100
    server.close()


def test_l0_answers_while_the_server_is_down_and_l1_returns_by_itself(
    tmp_path: Path, host: Host
) -> None:
    with running_chroma(tmp_path / "db") as server:
        kb, fresh = host("a", url=server.url), host("b", url=server.url)
        kb.reindex()
        assert kb.lookup("guest network").l1.status == "ok"
        generation = current_generation(kb.location.state_dir)

        server.kill()
        for _ in range(3):
            result = kb.lookup("guest network")
            assert (result.outcome, result.l1.status) == ("fallback", "failed")
            assert sources(result)[0] == "network/wifi.md"
            assert codes(result) == ["index_unreachable"]
            assert result.relevance.semantic_support is False
        unopened = fresh.lookup("guest network")  # this host never saw the index
        assert (unopened.outcome, unopened.l1.status) == ("fallback", "not_ready")
        assert codes(unopened) == ["index_unreachable"]

        add_note(kb)
        with pytest.raises(IndexUnreachable, match=r"cannot be used") as raised:
            kb.reindex()
        assert "[chroma]" in raised.value.next_action
        assert current_generation(kb.location.state_dir) == generation

        server.start()
        until = time.monotonic() + PATIENCE_SECONDS
        while (result := kb.lookup("guest network")).l1.status != "ok":
            assert time.monotonic() < until
            time.sleep(0.1)
        assert result.outcome == "evidence"
        assert kb.reindex().embedded == 1
        assert fresh.lookup("guest network").l1.status == "ok"


def test_a_server_that_dies_while_it_is_written_leaves_the_old_index(
    tmp_path: Path, host: Host
) -> None:
    with running_chroma(tmp_path / "db") as server:
        kb = host("a", url=server.url)
        kb.reindex()
        for number in range(300):
            (kb.location.root / f"n{number}.md").write_text(f"# N{number}\n\nText {number}.\n")

        def die_at_the_end(stage: str, done: int, total: int) -> None:
            if stage == "embed" and done == total:
                server.kill()

        with pytest.raises(IndexUnavailable):
            kb.reindex(progress=die_at_the_end)
        server.start()
        until = time.monotonic() + PATIENCE_SECONDS
        while (result := kb.lookup("guest network")).l1.status != "ok":
            assert time.monotonic() < until
            time.sleep(0.1)
        assert "index_stale" in codes(result)
        report = kb.reindex()
        # What was embedded before the server died is still there.
        assert (report.added, report.embedded, report.resumed) == (300, 0, 300)
        assert codes(kb.lookup("guest network")) == []


def test_a_server_that_never_answers_costs_little(tmp_path: Path, host: Host) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        kb = host("a", url=f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert kb._server is not None
        kb._server._seconds = 0.2
        result = kb.lookup("guest network")
        assert (result.outcome, result.l1.status) == ("fallback", "not_ready")
        with pytest.raises(IndexUnreachable):
            kb._server.current()  # in its pause: nothing is sent


def test_a_server_that_stops_answering_is_not_waited_for(host: Host, shared: RunningChroma) -> None:
    stalled = threading.Event()
    with guarded(shared, "X-Chroma-Token", TOKEN, stalled=stalled) as url:
        kb = host("a", url=url, token=TOKEN)
        kb.reindex()
        assert kb._server is not None
        kb._server._seconds = 0.5
        assert kb.lookup("guest network").l1.status == "ok"
        stalled.set()  # until the end: without a limit the next lookup would never return
        result = kb.lookup("guest network")
        assert (result.outcome, result.l1.status) == ("fallback", "failed")
        assert codes(result) == ["index_unreachable"]
        assert sources(result)[0] == "network/wifi.md"
        stalled.clear()
        until = time.monotonic() + PATIENCE_SECONDS
        while kb.lookup("guest network").l1.status != "ok":
            assert time.monotonic() < until
            time.sleep(0.1)
        kb.close()


def test_tenant_database_and_token_are_sent_and_the_token_is_never_shown(
    host: Host, shared: RunningChroma, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = chromadb.AdminClient(
        ChromaSettings(
            _env_file=None,
            anonymized_telemetry=False,
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host="127.0.0.1",
            chroma_server_http_port=shared.port,
        )
    )
    admin.create_tenant("acme")
    admin.create_database("notes", tenant="acme")
    admin._server._session.close()
    place = {"tenant": "acme", "database": "notes"}
    with guarded(shared, "X-Chroma-Token", TOKEN) as url:
        monkeypatch.setenv("LOOKUP_CHROMA__TOKEN", TOKEN)
        kb = host("a", url=url, **place)
        kb.reindex()
        assert kb.lookup("guest network").l1.status == "ok"
        assert host("b").lookup("guest network").l1.status == "not_ready"  # another database
        monkeypatch.setenv("LOOKUP_CHROMA__TOKEN", "wrong-" + TOKEN)
        refused = host("c", url=url, **place)
        shown = repr(refused.settings) + refused.settings.model_dump_json() + repr(refused)
        result = refused.lookup("guest network")
        assert result.l1.status == "not_ready"
        assert result.l1.error is not None
        assert "401" in result.l1.error.message
        with pytest.raises(IndexUnreachable) as raised:
            refused.reindex()
        assert TOKEN not in shown + str(raised.value) + str(result.to_dict())
        assert refused.settings.digest() == kb.settings.digest()
    with guarded(shared, "Authorization", f"Bearer {TOKEN}") as url:
        monkeypatch.setenv("LOOKUP_CHROMA__TOKEN", TOKEN)
        bearer = host("a", url=url, token_header="Authorization", **place)
        assert bearer.lookup("guest network").l1.status == "ok"
    missing = host("d", tenant="nobody").lookup("guest network").l1
    assert missing.error is not None
    assert "nobody" in missing.error.message


def test_another_model_on_one_host_is_refused_and_named(host: Host) -> None:
    host("a").reindex()
    other = host("b", settings={"embedding": {"model": "hash:128"}})
    result = other.lookup("guest network")
    assert (result.outcome, result.l1.status) == ("fallback", "not_ready")
    assert result.l1.error is not None
    assert "hash:64, and the settings name hash:128" in result.l1.error.message


def test_an_index_moves_to_the_server_and_back(host: Host, tmp_path: Path) -> None:
    kb = host("a")
    place = {**HASH, "state_dir": str(kb.location.state_dir)}
    with KnowledgeBase.open(kb.location.root, place) as local:
        assert local.reindex().embedded == 7
        assert kb.lookup("guest network").l1.status == "not_ready"
        moved = kb.reindex()
        assert moved.embedded == 0
        assert moved.rebuilt_because is not None
        assert kb.lookup("guest network").l1.status == "ok"
        assert local.lookup("guest network").l1.status == "not_ready"
        local.reindex()
        assert local.lookup("guest network").l1.status == "ok"


@pytest.mark.parametrize(
    ("chroma", "message"),
    [
        ({"url": "http://h:8000"}, "needs `collection`"),
        ({"url": "ftp://h", "collection": "team"}, "must be like http://host:8000"),
        ({"url": "http://u:pw@h", "collection": "team"}, "no user and password"),
        ({"url": "http://h/api", "collection": "team"}, "must end after the host"),
        ({"url": "http://h:x", "collection": "team"}, "must be like"),
        ({"collection": "-a"}, "3 to 450 characters"),
        ({"token": ["s3cret"]}, "chroma.token"),
        ({"token": "two words"}, "printable ASCII"),
        ({"port": 8000}, "Settings here: url, collection, tenant, database, token"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_without_their_secrets(
    tmp_path: Path, chroma: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as raised:
        KnowledgeBase.open(tmp_path, {"chroma": chroma})
    for secret in ("s3cret", "pw@", "two words"):
        assert secret not in str(raised.value)


def test_where_the_vectors_lie_does_not_change_the_digest() -> None:
    given = ChromaSection(url="http://h", collection="team", token="t")  # type: ignore[arg-type]
    assert LookupSettings(chroma=given).digest() == LookupSettings().digest()
