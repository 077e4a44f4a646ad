import unicodedata

import pytest

from retrieval.errors import InvalidInput, UnknownSource
from retrieval.knowledge import NoteRefused, read_note
from retrieval.settings import KnowledgeSettings
from tests.retrieval.knowledge.notes import write

NOTE = "---\ntitle: A\n---\n\nfirst\nlast\n"


@pytest.fixture
def root(tmp_path):
    root = write(tmp_path / "kb", billing__refunds=NOTE, billing__credits=NOTE)
    write(root, **{".trash__old": "SECRET"})
    (root / "knowledge.toml").write_text("x = 'SECRET'")
    write(tmp_path / "kb-private", secret="SECRET")
    (root / "leak.md").symlink_to("../kb-private/secret.md")
    return root


def test_the_whole_note_and_its_lines(root):
    assert read_note(root, "billing/refunds.md") == NOTE
    assert read_note(root, "billing/refunds.md", (5, 6)) == "first\nlast"
    assert read_note(root, "billing/refunds.md", (6, 99)) == "last"


@pytest.mark.parametrize("lines", [(0, 1), (3, 2), (7, 9)])
def test_lines_that_are_not_there(root, lines):
    with pytest.raises(InvalidInput, match="has 6"):
        read_note(root, "billing/refunds.md", lines)


@pytest.mark.parametrize(
    "source",
    [
        "../kb-private/secret.md", "../kb/billing/refunds.md", "billing/../billing/refunds.md",
        "/etc/hostname", "leak.md", ".trash/old.md", "knowledge.toml", "Billing/Refunds.md",
        "billing//refunds.md", "./billing/refunds.md", "billing\\refunds.md", "billing", "", ".",
        "billing/refunds.md/", "billing/refunds.md\x00", "billing/refunds",
    ],
)  # fmt: skip
def test_only_notes_of_this_root_are_read(root, source):
    with pytest.raises(UnknownSource) as caught:
        read_note(root, source)
    assert "SECRET" not in str(caught.value)


def test_an_absolute_path_into_the_root_is_no_source(root):
    with pytest.raises(UnknownSource):
        read_note(root, str(root / "billing/refunds.md"))


def test_close_sources_are_named(root):
    with pytest.raises(UnknownSource) as caught:
        read_note(root, "billing/refund.md")
    assert caught.value.next_action.startswith("Closest: billing/refunds.md")


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ("feeding", "animals/feeding-the-seals.md"),
        ("fish/seals.md", "animals/feeding-the-seals.md"),
        ("animals/clenaing.md", "animals/cleaning.md"),
    ],
)
def test_a_file_name_is_enough_to_be_near(tmp_path, asked, offered):
    root = write(tmp_path, **{"animals__feeding-the-seals": NOTE, "animals__cleaning": NOTE})
    with pytest.raises(UnknownSource) as caught:
        read_note(root, asked)
    assert caught.value.next_action == f"Closest: {offered}."


@pytest.mark.parametrize("asked", ["animals/tickets.md", "", ".", "zzz"])
def test_without_a_near_one_the_example_is_a_note_of_this_root(tmp_path, asked):
    root = write(tmp_path, animals__feeding=NOTE, animals__cleaning=NOTE)
    with pytest.raises(UnknownSource) as caught:
        read_note(root, asked)
    said = "Sources are paths below the root, such as animals/cleaning.md."
    assert caught.value.next_action == said


def test_a_root_without_notes_gives_no_example(tmp_path):
    with pytest.raises(UnknownSource, match=r"has no notes; check"):
        read_note(tmp_path, "feeding")


def test_decomposed_names_are_found(tmp_path):
    (tmp_path / unicodedata.normalize("NFD", "zürich.md")).write_text("Z")
    assert read_note(tmp_path, "zürich.md") == "Z"


def test_bytes_are_read_as_a_load_reads_them(tmp_path):
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\x00\rthree")
    (tmp_path / "b.md").write_bytes(b"\xff\xfe")
    assert read_note(tmp_path, "a.md", (2, 3)) == "two\nthree"
    with pytest.raises(NoteRefused, match="UTF-16"):
        read_note(tmp_path, "b.md")


def test_settings_say_what_a_note_is(tmp_path):
    (tmp_path / "a.txt").write_text("A")
    assert read_note(tmp_path, "a.txt", settings=KnowledgeSettings(include=("*.txt",))) == "A"
