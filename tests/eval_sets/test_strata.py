from pathlib import Path
from typing import Any

import pytest

from eval_sets.loading import load_set
from eval_sets.sets import bundled_sets, starter
from eval_sets.types import Case, EvalSet
from retrieval.knowledge import load_knowledge
from retrieval.settings import KnowledgeSettings
from retrieval.types import Entry, Passage
from tests.eval_sets.samples import case
from tests.eval_sets.strata import RULES, StratumProblem, check_strata
from tests.eval_sets.vocabulary import edit_distance, holds, holds_verbatim


def _entry(source: str, title: str, *keywords: str, category: str = "", body: str = "") -> Entry:
    passage = Passage(
        id=f"{source}#0",
        source=source,
        ordinal=0,
        breadcrumb=(title,),
        text=body,
        line_start=1,
        line_end=1,
    )
    return Entry(
        source=source,
        title=title,
        keywords=keywords,
        categories=(category,) if category else (),
        passages=(passage,),
    )


ENTRIES = (
    _entry(
        "refund.md",
        "Refund window",
        "chargeback",
        "annual plan",
        category="Billing",
        body="Thirty days. See the RTO note.",
    ),
    _entry("mfa.md", "Second factor", "MFA", "multi-factor", category="access"),
    _entry("window.md", "Maintenance window", "patch night", category="network"),
    _entry("退款.md", "退款流程", "退款审核", "API 密钥", category="计费"),
    _entry("root.md", "Glossary"),
)


def _check(stratum: str, query: str, relevant: dict[str, int], **fields: Any) -> str | None:
    found = check_strata(
        _set(case(query=query, relevant=relevant, stratum=stratum, **fields)), ENTRIES
    )
    return found[0].message if found else None


def _set(*cases: Case) -> EvalSet:
    nowhere = Path()
    return EvalSet(name="s", folder=nowhere, root=nowhere, knowledge_base=nowhere, cases=cases)


REFUND = {"refund.md": 3}


@pytest.mark.parametrize(
    ("stratum", "query", "relevant"),
    [
        ("exact", "how long is the Refund-Window?", REFUND),
        ("exact", "退款审核要几天", {"退款.md": 1}),
        ("paraphrase", "can I get my money back after a month", REFUND),
        ("paraphrase", "多久能把钱拿回来", {"退款.md": 1}),
        ("typo", "chargback for a customer", REFUND),
        ("typo", "refnud period", REFUND),
        ("inflection", "two chargebacks", REFUND),
        ("inflection", "refunding windows", REFUND),
        ("acronym", "mfa lost phone", {"mfa.md": 1}),
        ("acronym", "my first aid", {"mfa.md": 1}),
        ("acronym", "what is our RTO", REFUND),
        ("cross_domain", "x", {"refund.md": 1, "mfa.md": 2}),
        ("ambiguous", "when does the window close", REFUND),
        ("filter_trap", "money back after patch night", REFUND),
        ("multi_relevant", "x", {"refund.md": 3, "mfa.md": 1}),
        ("mixed_script", "重置 token", {"退款.md": 1}),
        ("anything", "a stratum without a rule", {}),
    ],
)
def test_a_query_that_keeps_its_rule(stratum: str, query: str, relevant: dict[str, int]) -> None:
    assert _check(stratum, query, relevant) is None


@pytest.mark.parametrize(
    ("stratum", "query", "relevant", "message"),
    [
        ("exact", "refunds", REFUND, "no keyword or title"),
        ("exact", "refund windows", REFUND, "no keyword or title"),
        ("paraphrase", "the annual bill", REFUND, "'annual' is shared with refund.md"),
        ("paraphrase", "plans", REFUND, "'plan' is shared"),
        ("paraphrase", "流程多久", {"退款.md": 1}, "'流程' is shared"),
        ("paraphrase", "API密钥丢了", {"退款.md": 1}, "'API 密钥' of 退款.md stands"),
        (
            "typo",
            "chargebak for the annual plan",
            REFUND,
            "'annual plan' of refund.md is spelt right",
        ),
        ("typo", "chargeback", REFUND, "no unknown word"),
        ("typo", "chargebacks", REFUND, "no unknown word"),
        ("typo", "chrgbk", REFUND, "no unknown word"),
        ("inflection", "chargeback", REFUND, "'chargeback' stands in the query as written"),
        ("inflection", "annually", REFUND, "in another form"),
        ("acronym", "SSO", {"mfa.md": 1}, "no acronym"),
        ("cross_domain", "x", {"refund.md": 1, "root.md": 2}, "fewer than two categories"),
        ("ambiguous", "refund", REFUND, "no word of the query"),
        ("filter_trap", "chargeback after patch night", REFUND, "'chargeback' of refund.md"),
        ("filter_trap", "glossary of money", REFUND, "no keyword of a note of another"),
        ("multi_relevant", "x", REFUND, "fewer than two"),
        ("multi_relevant", "x", {"refund.md": 2, "mfa.md": 2}, "same grade"),
        ("mixed_script", "token", {"退款.md": 1}, "one script"),
        ("no_answer", "x", {}, "expect_no_answer is not set"),
        ("no_answer", "x", REFUND, "there is a relevant note"),
        ("exact", "refund window", {}, "no relevant note"),
        ("multi_relevant", "x", {"refund.md": 0}, "no relevant note"),
    ],
)
def test_a_query_that_breaks_its_rule(
    stratum: str, query: str, relevant: dict[str, int], message: str
) -> None:
    found = _check(stratum, query, relevant)
    assert found is not None
    assert message in found


def test_only_notes_that_answer_spring_a_trap() -> None:
    relevant = {"refund.md": 3, "mfa.md": 1}
    # mfa.md only touches the question: its keyword is what sets the trap.
    assert _check("filter_trap", "money back and MFA", relevant) is None
    assert _check("filter_trap", "money back and MFA", {"refund.md": 1, "mfa.md": 1}) is not None


def test_a_no_answer_query_has_no_relevant_note() -> None:
    assert _check("no_answer", "weather", {}, expect_no_answer=True) is None


def test_small_strata_are_told() -> None:
    found = check_strata(_set(case(stratum="other")), ENTRIES, at_least=2)
    assert found == [StratumProblem(case_id="-", stratum="other", message="1 cases, not 2")]
    assert str(found[0]) == "- (other): 1 cases, not 2"


def test_terms_are_held_as_whole_words() -> None:
    assert holds("Annual-plans!", "annual plan")
    assert not holds("annual planning", "annual plan")
    assert not holds("annual", "?")
    assert holds_verbatim("ANNUAL_PLAN", "annual plan")
    assert not holds_verbatim("annual plans", "annual plan")


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("abc", "abc", 0), ("abc", "acb", 2), ("abc", "ab", 1), ("abc", "abxc", 1), ("a", "wxyz", 3)],
)
def test_edit_distance_is_counted_up_to_a_limit(a: str, b: str, distance: int) -> None:
    assert edit_distance(a, b, 2) == edit_distance(b, a, 2) == distance


def test_bundled_sets_are_found() -> None:
    assert {"starter", "starter-zh"} <= bundled_sets().keys()
    assert starter() == bundled_sets()["starter"] / "knowledge"


@pytest.mark.parametrize(("name", "at_least"), [("starter", 20), ("starter-zh", 12)])
def test_bundled_sets_keep_their_promises(name: str, at_least: int) -> None:
    eval_set = load_set(bundled_sets()[name])
    assert set(eval_set.strata) <= RULES.keys()
    knowledge = load_knowledge(
        eval_set.root, KnowledgeSettings(), window=256, measure=lambda text: len(text.split())
    )
    assert check_strata(eval_set, knowledge.entries, at_least=at_least) == []
    for stratum in eval_set.strata:
        splits = [c.split for c in eval_set.cases if c.stratum == stratum]
        assert abs(splits.count("dev") - splits.count("test")) <= 1
