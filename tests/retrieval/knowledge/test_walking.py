import os
import unicodedata

import pytest

from retrieval.errors import SettingsError
from retrieval.knowledge import scan
from retrieval.knowledge.walking import walk
from retrieval.settings import KnowledgeSettings
from retrieval.types import LoadIssue
from tests.retrieval.knowledge.notes import write


def sources(root, **settings):
    return sorted(scan(root, KnowledgeSettings(**settings)))


def issues(root, **settings):
    found = walk(root, KnowledgeSettings(**settings))
    return {i.source: i for i in found if isinstance(i, LoadIssue)}


def test_hidden_and_dependency_folders_are_skipped(tmp_path):
    write(tmp_path, real="x", _trash="x")
    for folder in (
        ".git",
        ".obsidian/plugins/p",
        ".trash",
        "node_modules/x",
        "venv",
        "__pycache__",
    ):
        write(tmp_path, **{f"{folder}__readme": "x"})
    write(tmp_path, **{".hidden": "x", "myenv__lib__readme": "x"})
    (tmp_path / "myenv/pyvenv.cfg").touch()
    assert sources(tmp_path) == ["_trash.md", "real.md"]


def test_a_hidden_root_is_no_reason(tmp_path):
    assert sources(write(tmp_path / ".notes", a="x")) == ["a.md"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["a.md", "b/c.md", "b/d.markdown", "b/e/f.MD"]),
        ({"include": ("*.md",)}, ["a.md"]),
        ({"include": ("b/**/*.md",)}, ["b/c.md", "b/e/f.MD"]),
        ({"include": ("**/*.txt", "[ab].md")}, ["a.md", "b/g.txt"]),
        ({"include": ("**/?.md",), "exclude": ("b/e/",)}, ["a.md", "b/c.md"]),
        ({"exclude": ("b",)}, ["a.md"]),
        ({"exclude": ("**/[!a].*",)}, ["a.md"]),
        ({"include": ()}, []),
    ],
)
def test_globs(tmp_path, settings, expected):
    for name in ("a.md", "b/c.md", "b/d.markdown", "b/e/f.MD", "b/g.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert sources(tmp_path, **settings) == expected


def test_a_glob_that_cannot_be_used_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="exclude"):
        sources(tmp_path, exclude=("[z-a].md",))


def test_scan_tells_size_and_time(tmp_path):
    write(tmp_path, a="12345")
    os.utime(tmp_path / "a.md", ns=(5, 7_000))
    assert scan(tmp_path, KnowledgeSettings()) == {"a.md": (5, 7_000)}


def test_links_stay_below_the_root(tmp_path):
    root = write(tmp_path / "kb", inside="x", **{".store__real": "x"})
    write(tmp_path / "kb-private", secret="x")
    (root / "leak.md").symlink_to("../kb-private/secret.md")
    (root / "folder").symlink_to("../kb-private")
    (root / "loop").symlink_to(".")
    (root / "self.md").symlink_to("self.md")
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "gone.png").symlink_to("nowhere.png")
    (root / "alias.md").symlink_to(".store/real.md")
    assert sources(root) == ["alias.md", "inside.md"]
    found = issues(root)
    assert {source: (i.severity, i.code) for source, i in found.items()} == {
        "leak.md": ("error", "outside_root"),
        "folder": ("error", "outside_root"),
        "loop": ("warning", "linked_folder"),
        "self.md": ("error", "unreadable"),
        "gone.md": ("error", "unreadable"),
    }
    assert "No such file" in found["gone.md"].message


def test_a_root_that_is_a_link_is_followed(tmp_path):
    write(tmp_path / "kb", a="x")
    (tmp_path / "link").symlink_to("kb")
    assert sources(tmp_path / "link") == ["a.md"]


def test_what_is_no_file_has_a_row(tmp_path):
    write(tmp_path, **{"folder.md__inner": "x"})
    os.mkfifo(tmp_path / "pipe.md")
    assert sources(tmp_path) == ["folder.md/inner.md"]
    assert {s: i.code for s, i in issues(tmp_path).items()} == {
        "folder.md": "not_a_file",
        "pipe.md": "not_a_file",
    }


def test_a_name_that_is_no_unicode_has_a_row(tmp_path):
    with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "w"):
        pass
    assert sources(tmp_path) == []
    assert list(issues(tmp_path)) == ["caf\\xe9.md"]


def test_sources_are_composed_unicode(tmp_path):
    (tmp_path / unicodedata.normalize("NFD", "zürich.md")).touch()
    assert sources(tmp_path) == [unicodedata.normalize("NFC", "zürich.md")]
