import unicodedata
from dataclasses import replace

import pytest

from retrieval.errors import KnowledgeError
from retrieval.knowledge import load_knowledge, loading
from retrieval.settings import KnowledgeSettings
from tests.retrieval.knowledge.notes import load, words, write


def test_bad_files_are_rows_and_the_others_load(tmp_path):
    write(
        tmp_path,
        a_good="---\ntitle: A\n---\nx",
        b_bad="---\nkeywords: [x\n---\n",
        sub__c_bad="---\ntitle: a: b\n---\n",
        z_good="---\ntitle: Z\n---\nx",
    )
    knowledge = load(tmp_path)
    assert [entry.source for entry in knowledge.entries] == ["a_good.md", "z_good.md"]
    assert knowledge.report.loaded == 2
    assert [(i.source, i.line) for i in knowledge.report.errors] == [
        ("b_bad.md", 2),
        ("sub/c_bad.md", 2),
    ]
    assert str(knowledge.report.errors[1]).startswith("sub/c_bad.md:2: ")


def test_equal_files_are_two_entries(tmp_path):
    note = "---\ntitle: Hours\n---\nNine to five."
    north, south = load(write(tmp_path, north__hours=note, south__hours=note)).entries
    assert (north.source, south.source) == ("north/hours.md", "south/hours.md")
    assert north.content_hash == south.content_hash
    assert north.passages[0].id != south.passages[0].id


def test_an_empty_root_gives_no_entries(tmp_path):
    knowledge = load(tmp_path)
    assert (knowledge.entries, knowledge.report.loaded, knowledge.report.issues) == ((), 0, ())


def test_a_root_that_is_no_folder_is_refused(tmp_path):
    with pytest.raises(KnowledgeError, match="no folder"):
        load(tmp_path / "missing")


def test_unchanged_notes_are_taken_over_with_their_warnings(tmp_path):
    write(tmp_path, same="---\ntitle: S\ntags: #x\n---\none", edited="---\ntitle: E\n---\none")
    before = load(tmp_path)
    marked = {e.source: replace(e, title=f"{e.title} reused") for e in before.entries}
    write(tmp_path, edited="---\ntitle: E\n---\ntwo", new="---\ntitle: N\n---\nx")
    after = load_knowledge(
        tmp_path,
        KnowledgeSettings(),
        window=256,
        measure=words,
        reuse=marked,
        reuse_issues=before.report.issues,
    )
    assert [entry.title for entry in after.entries] == ["E", "N", "S reused"]
    assert after.report.issues == before.report.issues
    assert [issue.code for issue in after.report.issues] == ["dropped_comment"]


def test_warnings_of_a_mended_note_are_gone(tmp_path):
    write(tmp_path, a="---\ntitle: A\ntags: #x\n---\n")
    before = load(tmp_path)
    write(tmp_path, a="---\ntitle: A\ntags: [x]\n---\n")
    after = load_knowledge(
        tmp_path,
        KnowledgeSettings(),
        window=256,
        measure=words,
        reuse={e.source: e for e in before.entries},
        reuse_issues=before.report.issues,
    )
    assert after.report.issues == ()


def test_progress_counts_every_file(tmp_path):
    write(tmp_path, a="x", b="---\na: b: c\n---\n", c="x")
    seen = []
    load_knowledge(
        tmp_path,
        KnowledgeSettings(),
        window=64,
        measure=words,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_large_files_are_refused(tmp_path):
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate(loading.MAX_BYTES + 1)  # a hole: takes no room on the disk
    (issue,) = load(tmp_path).report.errors
    assert (issue.source, issue.code) == ("big.md", "too_large")


def test_two_forms_of_one_name_are_one_entry_and_a_row(tmp_path):
    for form in ("NFC", "NFD"):
        (tmp_path / unicodedata.normalize(form, "zürich.md")).write_text("# Z\n")
    knowledge = load(tmp_path)
    assert len(knowledge.entries) == 1
    assert [issue.code for issue in knowledge.report.errors] == ["same_name"]
