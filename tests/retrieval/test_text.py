import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.text import (
    content_words,
    fold,
    is_blank,
    script_shares,
    singular,
    term_key,
    tokens,
)


def spelled(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Reset-the_VPN now", ["reset", "the", "vpn", "now"]),
        ("ＶＰＮ", ["vpn"]),
        ("VPN连接", ["vpn", "连", "接"]),
        ("ｶﾞｽ", ["ガ", "ス"]),
        ("C++ and a.b", ["c", "+", "+", "and", "a", ".", "b"]),
        ("cafe\u0301", ["café"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("", []),
    ],
)
def test_tokens_are_folded_words_symbols_and_single_characters(
    text: str, expected: list[str]
) -> None:
    assert spelled(text) == expected


def test_offsets_point_at_the_text_as_given() -> None:
    text = "Die ＶＰＮ-Verbindung cafe\u0301 连接"
    pieces = [text[t.start : t.end] for t in tokens(text)]
    assert pieces == ["Die", "ＶＰＮ", "Verbindung", "cafe\u0301", "连", "接"]


@given(st.text())
def test_tokens_never_overlap_and_never_raise(text: str) -> None:
    end = 0
    for token in tokens(text):
        assert end <= token.end <= len(text)
        assert token.start < token.end
        end = token.start
    assert isinstance(content_words(text), list)


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("invoice", "invoices"),
        ("policy", "policies"),
        ("box", "boxes"),
        ("cache", "caches"),
        ("database", "databases"),
        ("status", "statuses"),
        ("cookie", "cookies"),
        ("id", "ids"),
        ("address", "addresses"),
        ("branch", "branches"),
        ("lease", "leases"),
        ("api", "apis"),
        ("menu", "menus"),
        ("house", "houses"),
        ("noise", "noises"),
    ],
)
def test_singular_and_plural_have_one_key(one: str, many: str) -> None:
    assert singular(one) == singular(many)


@pytest.mark.parametrize(
    ("one", "other"), [("not", "notes"), ("plan", "planes"), ("io", "ios"), ("us", "use")]
)
def test_other_words_keep_their_own_key(one: str, other: str) -> None:
    assert singular(one) != singular(other)


@pytest.mark.parametrize("term", ["", " - ", "?!", "…", "\u200b", "***", "()"])
def test_a_term_without_letter_or_pictograph_has_no_key(term: str) -> None:
    assert term_key(term) == ()
    assert is_blank(term)


def test_edge_punctuation_does_not_count_and_signs_do() -> None:
    assert term_key("(beta)") == ("beta",)
    assert term_key("C++") == ("c", "+", "+")
    assert term_key("100%") == ("100", "%")
    assert term_key("🚀") == ("🚀",)


def test_content_words_are_stems_without_stop_words_and_pairs_of_characters() -> None:
    assert content_words("How are the databases deployed?") == ["databas", "deploy"]
    assert content_words("连接手册") == ["连接", "接手", "手册"]
    assert content_words("用 VPN") == ["用", "vpn"]


def test_script_shares_count_letters() -> None:
    assert script_shares("VPN使用") == {"LATIN": 0.6, "CJK": 0.4}
    assert script_shares("123 !?") == {}


PIECES = [
    "ab",
    "Cd1",
    " ",
    " ",
    "\n",
    "-",
    "'",
    ".",
    "é",
    "e\u0301",
    "\u0301",
    "\u200b",
    "ＡＢ",
    "ﬁ",
]
PIECES += ["密", "钥", "한", "\u1112\u1161", "ｶﾞ", "ß", "İ", "🚀", "\ufe0f", "…", "\t", "\u00a0"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_a_blank_ends_a_word_whatever_kind_of_blank_it_is(text: str) -> None:
    """Stretches of ASCII between ASCII blanks are read in another way, with the same result."""
    wide = text.replace(" ", "\u2003").replace("\n", "\u2003")
    assert tokens(text) == tokens(wide)


ASCII = st.text(st.characters(max_codepoint=127), max_size=40)


@given(ASCII)
def test_plain_text_folds_like_any_other(text: str) -> None:
    """ASCII is read in another way, with the same result."""
    assert (
        fold(text) == fold(f"\u00e9 {text} \u00e9").removeprefix("\u00e9").strip("\u00e9").strip()
    )


@given(ASCII)
def test_plain_text_has_the_content_words_of_any_other(text: str) -> None:
    assert content_words(text) == content_words(f"\u00e9 {text} \u00e9")[1:-1]
