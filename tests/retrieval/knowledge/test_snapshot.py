import pytest

from retrieval.errors import IndexDamaged
from retrieval.knowledge import read_snapshot, write_snapshot
from tests.retrieval.knowledge.notes import load, write


@pytest.fixture
def knowledge(tmp_path):
    root = write(
        tmp_path / "kb",
        a="---\ntitle: 🚀 A\nkeywords: [x, 限流]\nentities: [E]\n"
        "n: {a: [~, b]}\n---\n# H API\n\n## I\n\nx",
        bad="---\na: b: c\n---\n",
        b__warned="---\ntags: #x\n---\ntext",
    )
    return load(root)


def test_round_trip(knowledge, tmp_path):
    write_snapshot(tmp_path / "snapshot.json", knowledge)
    again = read_snapshot(tmp_path / "snapshot.json")
    assert again == knowledge
    assert isinstance(again.entries[0].passages[0].breadcrumb, tuple)
    assert len(again.report.errors) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 0}', b'{"version": 1}'])
def test_damage_is_told(tmp_path, content):
    path = tmp_path / "snapshot.json"
    path.write_bytes(content)
    with pytest.raises(IndexDamaged, match="snapshot") as caught:
        read_snapshot(path)
    assert "index" in caught.value.next_action


def test_missing_and_cut_off(knowledge, tmp_path):
    path = tmp_path / "snapshot.json"
    with pytest.raises(IndexDamaged):
        read_snapshot(path)
    write_snapshot(path, knowledge)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(IndexDamaged):
        read_snapshot(path)
