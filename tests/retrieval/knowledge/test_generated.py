"""A folder of any notes loads: what cannot be read is a row, and nothing is lost on the way."""

import json
from pathlib import Path

from retrieval.hints import L0Index
from retrieval.knowledge import load_knowledge
from retrieval.knowledge.walking import Found, walk
from retrieval.settings import KnowledgeSettings
from tests.retrieval.knowledge.generated import write_generated
from tests.retrieval.knowledge.notes import words


def test_generated_notes_load_or_give_a_row(tmp_path: Path) -> None:
    write_generated(tmp_path, 500, seed=1)
    settings = KnowledgeSettings()
    found = {item.source for item in walk(tmp_path, settings) if isinstance(item, Found)}
    knowledge = load_knowledge(tmp_path, settings, window=128, measure=words)
    loaded = {entry.source for entry in knowledge.entries}
    refused = {issue.source for issue in knowledge.report.errors}
    assert len(loaded) > 200
    assert len(refused) > 50
    assert loaded | refused == found
    assert not loaded & refused
    assert all(issue.next_action for issue in knowledge.report.issues)
    ids = [passage.id for entry in knowledge.entries for passage in entry.passages]
    assert len(set(ids)) == len(ids)
    for entry in knowledge.entries:
        json.dumps(dict(entry.metadata), allow_nan=False)
    index = L0Index(knowledge.entries)
    for entry in knowledge.entries[::20]:
        index.match(" ".join((entry.title, *entry.keywords)))
