from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.hints import L0Index
from retrieval.types import Entry, L0Hints
from tests.builders import entry

FILLER = [entry(f"filler/{i}.md", f"Filler {word}") for i, word in enumerate("abcdefgh")]


def match(query: str, *entries: Entry) -> L0Hints:
    return L0Index([*entries, *FILLER]).match(query)


def sources(hints: L0Hints) -> list[str]:
    return [m.source for m in hints.matches]


REFUND = entry(
    "billing/refund.md", "Refunds", keywords=["refund policy", "chargeback"], categories=["billing"]
)
BADGE = entry("access/badge.md", "Badges", keywords=["badges", "ui"], categories=["access"])


def test_a_hit_has_the_term_as_written_its_field_and_its_place_in_the_query() -> None:
    query = "What is our Refund-Policies rule?"
    (found,) = match(query, REFUND, BADGE).matches
    (hit,) = found.hits
    assert (hit.term, hit.field) == ("refund policy", "keyword")
    assert query[hit.start : hit.end] == "Refund-Policies"


def test_hints_name_titles_keywords_domains_and_entities() -> None:
    note = entry(
        "a.md", "Card disputes", keywords=["chargeback"], categories=["billing"], entities=["Visa"]
    )
    hints = match("chargeback", note, BADGE)
    assert hints.titles == ("Card disputes",)
    assert hints.keywords == ("chargeback",)
    assert hints.domains == ("billing",)
    assert hints.entities == ("Visa",)


def test_only_whole_words_match() -> None:
    assert sources(match("build the digital thing", REFUND, BADGE)) == []
    assert sources(match("the ui is slow", REFUND, BADGE)) == ["access/badge.md"]


def test_words_of_a_phrase_stand_together_and_in_order() -> None:
    assert sources(match("policy for a refund", REFUND)) == []
    assert sources(match("refund   policy", REFUND)) == ["billing/refund.md"]


def test_a_keyword_in_a_script_without_blanks_matches_as_a_substring() -> None:
    note = entry("vpn.md", "连接", keywords=["远程接入", "vpn"])
    assert match("如何远程接入公司", note).keywords == ("远程接入",)
    assert match("公司vpn连不上", note).keywords == ("vpn",)


def test_the_longest_term_of_a_note_wins() -> None:
    note = entry("p.md", "Passwords", keywords=["password", "password reset"])
    assert match("password reset", note).keywords == ("password reset",)


def test_a_keyword_inside_a_longer_title_is_still_a_hint() -> None:
    note = entry("art.md", "Art room", keywords=["art"])
    hints = match("art room booking", note)
    assert hints.titles == ("Art room",)
    assert hints.keywords == ("art",)


def test_a_hangul_keyword_stands_glued_to_particles_and_compounds() -> None:
    note = entry("lock.md", "Lock", keywords=["계정잠금", "환불"])
    assert match("계정잠금해제방법", note).keywords == ("계정잠금",)
    assert match("환불을 받고 싶어요", note).keywords == ("환불",)


def test_a_term_that_is_repeated_a_thousand_times_hits_each_time() -> None:
    note = entry("r.md", "Refund policy", keywords=["refund"])
    (found,) = match("refund policy " * 1000, note).matches
    assert len(found.hits) == 2000


def test_another_notes_longer_term_takes_nothing_away() -> None:
    short = entry("a.md", "A", keywords=["password"])
    long = entry("b.md", "B", keywords=["password reset"])
    assert sorted(sources(match("password reset", short, long))) == ["a.md", "b.md"]


def test_stop_words_match_only_as_upper_case_names() -> None:
    note = entry("it.md", "Service desk", keywords=["IT", "how-to", "the"])
    assert sources(match("how to do it in the office", note)) == []
    assert match("who runs IT here", note).keywords == ("IT",)


def test_a_keyword_on_nearly_every_note_is_no_match_by_itself() -> None:
    notes = [entry(f"n{i}.md", f"Note {i}", keywords=["Acme Cloud"]) for i in range(60)]
    hints = L0Index(notes).match("acme cloud outage procedure")
    assert hints.matches == ()
    assert hints.near_matches != ()


def test_a_common_one_word_title_is_no_match_but_the_whole_query_is() -> None:
    title = entry("m.md", "Monitoring", categories=["ops"])
    assert sources(match("monitoring of the boilers", title)) == []
    assert sources(match("Monitoring", title)) == ["m.md"]


def test_a_near_match_says_why_it_is_none_and_gives_no_hint() -> None:
    hints = match("where is the form for a refund", REFUND)
    assert hints.matches == ()
    assert hints.domains == ()
    assert [near.source for near in hints.near_matches] == ["billing/refund.md"]
    assert "'refund'" in hints.near_matches[0].reason


def test_domains_that_differ_in_spelling_are_one() -> None:
    one = entry("1.md", "One", keywords=["chargeback"], categories=["Billing"])
    two = entry("2.md", "Two", keywords=["chargeback"], categories=["billing "])
    assert match("chargeback", one, two).domains == ("Billing",)


def test_a_categorys_name_adds_a_domain_and_no_match() -> None:
    notes = [entry(f"c/{i}.md", f"Topic {i}", categories=["catering"]) for i in range(5)]
    hints = match("catering for guests", *notes)
    assert hints.matches == ()
    assert hints.domains == ("catering",)
    assert [hit.term for hit in hints.category_hits] == ["catering"]


def test_callers_filters_hold_for_matches_near_matches_and_domains() -> None:
    index = L0Index([REFUND, BADGE, *FILLER])
    hints = index.match("refund policy and badges", lambda e: e.category == "access")
    assert sources(hints) == ["access/badge.md"]
    assert hints.domains == ("access",)
    assert [near.source for near in hints.near_matches] == []


def test_the_matches_shown_are_capped_and_the_domains_are_not() -> None:
    notes = [
        entry(f"{i:03}.md", f"Quarterly ledger close {i}", keywords=[f"ledger close {i}"])
        for i in range(60)
    ]
    query = " ".join(f"ledger close {i}" for i in range(60))
    last = entry("zzz.md", "Z", keywords=["ledger close 59"], categories=["far"])
    hints = L0Index([*notes, last]).match(query)
    assert hints.matches_total == 61
    assert len(hints.matches) == 50
    assert hints.domains == ("far",)


@given(st.text(), st.lists(st.text(max_size=12), max_size=4))
@settings(derandomize=True)
def test_matching_never_raises_and_offsets_are_inside_the_query(
    query: str, keywords: list[str]
) -> None:
    for found in match(query, entry("a.md", "A", keywords=keywords)).matches:
        for hit in found.hits:
            assert 0 <= hit.start < hit.end <= len(query)


@given(st.sampled_from(["VPN", "seat true-up", "使用手册", "café", "C++"]))
def test_a_keyword_matches_itself_between_other_words(keyword: str) -> None:
    hints = match(f"about {keyword} please", entry("a.md", "A", keywords=[keyword]))
    assert hints.keywords == (keyword,)


def test_a_categorys_name_that_is_an_everyday_word_adds_no_domain() -> None:
    inside = [entry(f"d/{i}.md", f"Topic {i}", categories=["data"]) for i in range(2)]
    outside = [entry(f"o/{i}.md", f"Other {i}", "old data is kept") for i in range(3)]
    hints = match("how long is my data kept", *inside, *outside)
    assert (hints.domains, hints.category_hits) == ((), ())


def test_reasons_show_the_words_as_the_query_writes_them() -> None:
    (near,) = match("Refunding a customer", REFUND).near_matches
    assert "shares 'Refunding' with" in near.reason


def test_the_name_of_a_category_that_holds_most_notes_tells_nothing() -> None:
    notes = [entry(f"p/{i}.md", f"P {i}", "on plugins", categories=["plugins"]) for i in range(9)]
    assert L0Index([*notes, *FILLER[:2]]).match("which plugins are there").domains == ()
