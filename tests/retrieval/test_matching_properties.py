"""What holds for L0 whatever authors and callers write."""

import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from retrieval.hints import L0Index
from retrieval.types import Entry, L0Hints
from tests.builders import entry

# Made-up words without regular plurals or stop words, so that only the rule under test decides.
WORDS = st.sampled_from(
    ["vortan", "kelmic", "drafo", "zubli", "quorna", "müblo", "plixé", "tarvok"]
)
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
SYNTAX = st.text(alphabet="+-!(){}[]^\"'~*?:\\/&|<>=%_#@$.,; \t\n", max_size=8)
CJK = st.text(alphabet="使用手册网关限流認証テスト", min_size=2, max_size=5)
FILLER = [entry(f"filler/{i}.md", f"Filler {i}") for i in range(9)]


def match(query: str, *entries: Entry) -> L0Hints:
    return L0Index([*FILLER, *entries]).match(query)


def with_keyword(*keywords: str) -> Entry:
    return entry("a.md", "Note", keywords=keywords)


def full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


@given(phrase=PHRASES, before=WORDS, after=WORDS)
def test_a_keyword_matches_between_any_words_at_its_place(phrase: str, before: str, after: str):
    assume(phrase not in f"{before} {after}")
    query = f"{before} {phrase} {after}"
    (found,) = match(query, with_keyword(phrase)).matches
    assert phrase in [query[hit.start : hit.end] for hit in found.hits]


@given(phrase=PHRASES, form=st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]), data=st.data())
def test_case_width_accent_form_and_hyphens_do_not_matter(
    phrase: str, form: str, data: st.DataObject
):
    spelled = unicodedata.normalize(form, phrase)  # type: ignore[arg-type]
    for change in data.draw(
        st.permutations([str.upper, full_width, lambda t: t.replace(" ", "-")])
    ):
        spelled = change(spelled) if data.draw(st.booleans()) else spelled
    for keyword, query in ((phrase, spelled), (spelled, phrase)):
        assert match(query, with_keyword(keyword)).keywords == (keyword,)


@given(phrase=PHRASES, glue=st.sampled_from("abzé9"), before=st.booleans())
def test_inside_a_longer_word_nothing_matches(phrase: str, glue: str, before: bool):
    query = glue + phrase if before else phrase + glue
    assert match(query, with_keyword(phrase)).matches == ()


@given(phrase=PHRASES, before=SYNTAX, after=SYNTAX)
def test_signs_around_a_keyword_are_literal_text(phrase: str, before: str, after: str):
    query = f"{before} {phrase} {after}"
    (found,) = match(query, with_keyword(phrase)).matches
    assert phrase in [query[hit.start : hit.end] for hit in found.hits]


@given(keyword=st.text(min_size=1, max_size=20), query=st.text(max_size=40))
def test_nothing_raises_and_every_hit_points_at_the_querys_own_text(keyword: str, query: str):
    for found in match(query + keyword, with_keyword(keyword)).matches:
        for hit in found.hits:
            assert 0 <= hit.start < hit.end <= len(query + keyword)
            assert (query + keyword)[hit.start : hit.end].strip()


@given(keyword=CJK, before=CJK, after=CJK)
def test_a_keyword_without_blanks_matches_inside_a_sentence(keyword: str, before: str, after: str):
    query = before + keyword + after
    (found,) = match(query, with_keyword(keyword)).matches
    assert keyword in [query[hit.start : hit.end] for hit in found.hits]


@given(word=WORDS, before=CJK, after=CJK)
def test_a_latin_keyword_matches_between_ideographs(word: str, before: str, after: str):
    assert match(before + word + after, with_keyword(word)).keywords == (word,)


@given(
    queries=st.lists(PHRASES, min_size=1, max_size=3),
    notes=st.lists(st.lists(PHRASES, max_size=3), min_size=1, max_size=5),
    more=st.lists(PHRASES, max_size=3),
)
def test_another_note_takes_no_keyword_hit_from_a_note(
    queries: list[str], notes: list[list[str]], more: list[str]
):
    """As long as the keyword stays rare: `more` keeps off the ones under test."""
    assume(
        not {word for phrase in more for word in phrase.split()} & set(" ".join(queries).split())
    )
    entries = [entry(f"{i}.md", f"N{i}", keywords=keywords) for i, keywords in enumerate(notes)]
    query = " and ".join(queries)

    def hits(hints: L0Hints) -> set[tuple[str, str, int]]:
        return {(m.source, hit.term, hit.start) for m in hints.matches for hit in m.hits}

    extra = entry("z.md", "Another", keywords=more)
    assert hits(match(query, *entries)) == hits(match(query, *entries, extra))
