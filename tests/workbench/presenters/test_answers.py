"""What is drawn of an answer says what the answer says."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from retrieval.cli import main
from tests.workbench.presenters.test_markup import read
from workbench.presenters.absence import present_absence
from workbench.presenters.answer import present_flow, present_head
from workbench.presenters.cards import present_cards
from workbench.presenters.comparing import align, present_comparison, summarise
from workbench.presenters.copying import as_command, as_json, as_python
from workbench.presenters.decision import present_decision
from workbench.presenters.hints import present_hints
from workbench.presenters.markup import merge_spans
from workbench.presenters.numbers import counted, decimal, milliseconds, ordinal
from workbench.presenters.words import text_spans
from workbench.services.lookups import LookupChoice, titles_of


def marked(html: str) -> list[str]:
    return re.findall(r"<mark>(.*?)</mark>", html)


def said(html: str) -> str:
    return "".join(read(html).pieces)


def test_words_that_match_are_marked_in_the_query(base: KnowledgeBase) -> None:
    panel = present_hints(base.lookup("What is our Refund-Policy, and the VPN?"))
    assert marked(panel.query) == ["Refund-Policy", "VPN"]
    assert "Refund policy" in said(panel.facts)
    assert "keyword ‘vpn’" in said(panel.matches)


def test_a_query_without_a_match_says_so(base: KnowledgeBase) -> None:
    panel = present_hints(base.lookup("twenty minutes"))
    assert marked(panel.query) == []
    assert "No title, keyword or entity" in said(panel.matches)


def test_the_query_s_words_are_marked_in_the_text_in_any_form(base: KnowledgeBase) -> None:
    result = base.lookup("are refunds paid to cards")
    (card, *_) = present_cards(result.evidence_blocks, result.query)
    assert card.source == "billing/refund.md"
    assert {"refund", "card"} <= {word.casefold() for word in marked(card.html)}
    assert "to" not in marked(card.html)


def test_the_decision_says_what_the_filter_costs(base: KnowledgeBase) -> None:
    result = base.lookup("guest network refund in thirty days", filter_mode="auto")
    shadow = result.l1.shadow
    assert result.filter.category == "network"
    assert shadow is not None
    assert shadow.best_source_outside is not None
    text = said(present_decision(result, titles_of(base)))
    assert "L1 is limited to network" in text
    title = titles_of(base)[shadow.best_source_outside]
    assert (
        f"Without the filter, ‘{title}’ would be {ordinal(shadow.best_rank_outside or 0)}" in text
    )


def test_a_caller_s_filter_is_said_as_one(base: KnowledgeBase) -> None:
    result = base.lookup("network", filters={"category": ["billing", "network"]})
    assert "category is one of ‘billing’, ‘network’" in said(present_decision(result, {}))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("l1-raises", "L1 failed"),
        ("l1-timeout", "L1 timed out"),
        ("l1-empty", "L1 found nothing"),
    ],
)
def test_a_fallback_is_marked_as_one(base: KnowledgeBase, fault: str, words: str) -> None:
    text = said(present_head(base.lookup("refund policy", fault=fault)))  # type: ignore[arg-type]
    assert "Fallback: L0 answers alone" in text
    assert words in text
    assert "no semantic support" in text


def test_the_flow_adds_up(base: KnowledgeBase) -> None:
    html = present_flow(base.lookup("refund policy and the guest network", top_k=1))
    numbers = [int(n.replace("−", "-")) for n in re.findall(r"<b>(−?\d+)</b>", html)]
    assert numbers[0] + sum(numbers[1:-1]) == numbers[-1] == 1


def test_two_answers_are_aligned_by_note(base: KnowledgeBase) -> None:
    left = base.lookup("refund policy and the guest network", mode="l0")
    right = base.lookup("refund policy and the guest network", mode="l1")
    rows = align(left, right)
    assert any(row.left for row in rows)
    assert len({row.source for row in rows}) == len(rows)
    for row in rows:
        for rank, result in ((row.left, left), (row.right, right)):
            sources = [block.source for block in result.evidence_blocks]
            assert sources.index(row.source) + 1 == rank if rank else row.source not in sources
    gone = sum(row.right is None for row in rows)
    new = sum(row.left is None for row in rows)
    notes = list(present_comparison(left, right))
    assert [note.block.source for note in notes] == [row.source for row in rows]
    html = "".join(note.html for note in notes)
    assert html.count(">new<") == new
    assert html.count(">gone<") == gone
    assert (f"{counted(new, 'note')} only in B" in summarise(rows)) == bool(new)


def test_the_same_answer_twice_is_said_to_be_the_same(base: KnowledgeBase) -> None:
    result = base.lookup("refund policy")
    assert summarise(align(result, result)).startswith("Both find the same")


def test_why_not_shows_the_stage_that_lost_the_note(base: KnowledgeBase) -> None:
    from retrieval.why import explain_absence

    absence = explain_absence(base, "refund policy", "travel/shuttle.md", top_k=1)
    html = present_absence(absence)
    assert absence.lost_at is not None
    assert html.count('class="lost"') == 1
    assert absence.headline in said(html)


CHOICE = LookupChoice(
    mode="l0+l1", filter_mode="strict", l1_mode="dense", top_k=2, min_score=-0.5,
    filters={"category": ("billing", "network")}, fault="l1-empty",
)  # fmt: skip
QUERY = '-- it\'s "the" $refund policy'


def test_the_copied_python_makes_the_same_lookup(base: KnowledgeBase) -> None:
    kb = Path(base.location.root)
    code = as_python(QUERY, CHOICE, kb)
    compile(code, "copied", "exec")
    call = code.split("lookup_knowledge(", 1)[1]
    given: dict[str, object] = {}
    exec(
        f"def keep(query, **k): given.update(k, query=query)\nkb = None\nkeep({call}",
        {"given": given},
    )
    assert given == {"query": QUERY, "kb": None, **CHOICE.arguments()}


def test_the_copied_command_makes_the_same_lookup(
    base: KnowledgeBase, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import shlex

    monkeypatch.setenv("LOOKUP_EMBEDDING__MODEL", "hash:256")
    monkeypatch.setenv("LOOKUP_STATE_DIR", str(base.location.state_dir))
    words = shlex.split(as_command(QUERY, CHOICE, Path(base.location.root)))
    at = words.index("--")
    assert main([*words[1:at], "--json", "--no-record", *words[at:]]) == 0
    printed = json.loads(capsys.readouterr().out)
    ours = json.loads(as_json(base.lookup(QUERY, **CHOICE.arguments())))
    for answer in (printed, ours):
        for name in ("timings_ms", "invocation_id", "warnings"):
            del answer[name]
    assert printed == ours


def test_a_filter_that_a_command_cannot_say_is_named() -> None:
    choice = LookupChoice(filters={"lang": ("a,b",)})
    assert as_command("x", choice, None).endswith("  # without the filter on lang")


def test_numbers_read_well() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th",
    ]  # fmt: skip
    assert [milliseconds(n) for n in (0.42, 12.4, 1300)] == ["0.4 ms", "12 ms", "1.3 s"]
    assert decimal(None) == "–"
    assert counted(1, "note") == "1 note"


def test_presenters_do_not_load_streamlit() -> None:
    code = (
        "import sys, importlib, pkgutil, workbench.presenters as p, workbench.services as s\n"
        "for m in (p, s):\n"
        "    for i in pkgutil.iter_modules(m.__path__, m.__name__ + '.'):\n"
        "        importlib.import_module(i.name)\n"
        "assert 'streamlit' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_weak_evidence_is_not_green(base: KnowledgeBase) -> None:
    result = base.lookup("purple giraffes dance", mode="l1")
    assert result.outcome == "evidence"
    assert result.relevance.level == "weak"
    assert '<span class="kw-chip">Evidence</span>' in present_head(result)
    good = replace(result, relevance=replace(result.relevance, level="strong"))
    assert '<span class="kw-chip good">Evidence</span>' in present_head(good)


def test_a_compound_is_marked_whole_though_half_of_it_is_a_stop_word(base: KnowledgeBase) -> None:
    (block, *_) = base.lookup("refund").evidence_blocks
    text = "The true-up is made up; a follow-up, true\u2011up."

    def found(query: str) -> set[str]:
        spans = merge_spans(text_spans(text, query, block), len(text))
        return {text[start:end] for start, end in spans}

    assert found("seat true-up") == {"true-up", "true\u2011up"}
    assert found("is it true") == {"true"}
