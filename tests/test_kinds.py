"""Each kind of failure that users report has a test of the project's own.

`KINDS` says which. The inputs here are further ones of kinds that are easy to get half right; the
folder of cases that `tests/cases` runs may be missing, this list stands without it.
"""

import json
import re
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from retrieval.errors import InvalidInput
from tests.notes import write_notes
from tests.retrieval.knowledge.notes import passages, read, refused

TESTS = Path(__file__).parent
_LOAD = "retrieval/knowledge/test_{}.py"
KINDS: dict[str, tuple[str, str]] = {
    "B01": ("test_kinds.py", "test_scalars_stay_json_and_as_written"),
    "B02": ("test_kinds.py", "test_scalars_stay_json_and_as_written"),
    "B04": ("test_kinds.py", "test_keywords"),
    "B05": ("test_kinds.py", "test_scalars_stay_json_and_as_written"),
    "B07": ("test_kinds.py", "test_scalars_stay_json_and_as_written"),
    "B08": (_LOAD.format("decoding"), "test_more_than_one_byte_order_mark_hides_nothing"),
    "B10": (_LOAD.format("frontmatter"), "test_later_rules_belong_to_the_body"),
    "B11": (_LOAD.format("frontmatter"), "test_dashes_inside_a_value_close_nothing"),
    "B13": (_LOAD.format("frontmatter"), "test_closing_fence_may_be_the_last_byte"),
    "B14": ("test_kinds.py", "test_a_note_that_is_refused_names_its_line"),
    "B16": (_LOAD.format("loading"), "test_bad_files_are_rows_and_the_others_load"),
    "B17": (_LOAD.format("frontmatter"), "test_text_between_two_rules_is_body"),
    "B19": (_LOAD.format("yaml_fields"), "test_a_key_twice_keeps_both_values_and_says_where"),
    "B20": (_LOAD.format("yaml_fields"), "test_keys_are_text_whatever_they_are"),
    "B22": (_LOAD.format("yaml_fields"), "test_wiki_links_lose_a_level"),
    "B23": (_LOAD.format("yaml_fields"), "test_hash_tags_that_vanish_are_told"),
    "B25": ("test_kinds.py", "test_a_note_that_is_refused_names_its_line"),
    "B26": (_LOAD.format("frontmatter"), "test_toml_is_read_as_text"),
    "B28": ("test_kinds.py", "test_keywords"),
    "B29": (_LOAD.format("decoding"), "test_cp1252_is_refused_with_offset_and_line"),
    "B31": (_LOAD.format("decoding"), "test_emoji_and_joiners_survive"),
    "B32": ("security/test_exposure.py", "test_frontmatter_builds_no_objects"),
    "B34": (_LOAD.format("walking"), "test_links_stay_below_the_root"),
    "B35": (_LOAD.format("decoding"), "test_nul_in_the_body_is_left_out_with_a_warning"),
    "B37": (_LOAD.format("entries"), "test_long_frontmatter_stays_out_of_the_passages"),
    "B38": ("test_kinds.py", "test_keywords"),
    "B40": (_LOAD.format("loading"), "test_equal_files_are_two_entries"),
    "B41": (
        "retrieval/semantic/test_build.py",
        "test_deleted_and_renamed_notes_leave_nothing_behind",
    ),
    "B43": (_LOAD.format("walking"), "test_hidden_and_dependency_folders_are_skipped"),
    "B44": ("security/test_paths.py", "test_get_reads_notes_only"),
    "B46": ("test_kinds.py", "test_headings"),
    "B47": ("test_kinds.py", "test_headings"),
    "B49": ("test_kinds.py", "test_headings"),
    "B50": (_LOAD.format("outline"), "test_comments_are_neither_sections_nor_text"),
    "B52": (_LOAD.format("passages"), "test_a_table_is_cut_between_rows_and_repeats_its_header"),
    "B53": ("test_kinds.py", "test_headings"),
    "B55": ("test_kinds.py", "test_headings"),
    "B56": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B58": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B59": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B61": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B62": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B64": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B65": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B67": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B68": ("retrieval/test_hints.py", "test_stop_words_match_only_as_upper_case_names"),
    "B70": ("test_kinds.py", "test_keywords"),
    "B71": ("test_kinds.py", "test_what_a_keyword_matches"),
    "B73": ("retrieval/semantic/test_filters.py", "test_a_row_holds_folded_values_in_slots"),
    "B74": (
        "retrieval/semantic/test_build.py",
        "test_equal_paragraphs_are_embedded_once_and_found_twice",
    ),
    "B76": ("retrieval/test_knowledge_base.py", "test_another_model_is_refused_and_l0_answers"),
    "B77": (
        "retrieval/semantic/test_embedding.py",
        "test_the_default_is_described_without_loading_a_model",
    ),
    "B82": ("test_kinds.py", "test_conditions_that_say_nothing_filter_nothing"),
    "B83": ("test_kinds.py", "test_conditions_are_joined"),
    "B86": ("test_kinds.py", "test_what_is_no_condition_is_refused_by_name"),
    "B89": ("retrieval/test_filtering.py", "test_a_number_compares_as_text"),
    "B91": ("test_kinds.py", "test_a_category_is_compared_whole"),
    "B92": ("test_kinds.py", "test_top_k_counts_blocks"),
    "B94": ("test_spec.py", "test_l1_fails"),
    "B95": (
        "retrieval/semantic/test_index.py",
        "test_more_rows_than_one_batch_are_stored_and_deleted",
    ),
    "B97": ("retrieval/test_knowledge_base.py", "test_a_damaged_index_leaves_l0"),
    "B98": (
        "processes/test_faults.py",
        "test_an_index_that_is_deleted_under_a_process_is_reported_and_comes_back",
    ),
    "B100": ("retrieval/semantic/test_index.py", "test_the_score_is_the_cosine"),
    "B104": ("retrieval/test_evidence.py", "test_min_score_drops_passages_and_counts_them"),
    "B106": ("test_kinds.py", "test_a_query_without_a_word_is_refused"),
    "B107": ("test_kinds.py", "test_a_query_without_a_word_is_refused"),
    "B109": ("test_spec.py", "test_l1_has_no_results"),
    "B110": ("test_spec.py", "test_ambiguous_domain_fallback"),
    "B112": ("test_kinds.py", "test_a_block_lists_each_passage_that_matched"),
    "B115": (
        "eval_sets/test_metrics.py",
        "test_a_repeated_source_counts_at_its_first_position",
    ),
    "B116": ("eval_sets/test_hostile_files.py", "test_json_is_refused_by_name"),
    "B118": ("eval_sets/test_rows.py", "test_a_mean_states_its_denominator"),
    "B119": (
        "eval_sets/test_ragas_metrics.py",
        "test_nothing_retrieved_is_zero_and_no_label_is_none",
    ),
    "B121": ("eval_sets/test_metrics.py", "test_missing_and_zero_are_two_values"),
    "B122": (
        "retrieval/records/test_sqlite.py",
        "test_a_locked_database_spools_and_the_next_write_stores_both",
    ),
    "B124": (
        "retrieval/records/test_store.py",
        "test_what_json_or_a_database_refuses_is_replaced",
    ),
    "B125": ("retrieval/records/test_store.py", "test_threads_write_at_once"),
    "B127": (
        "retrieval/tools/mcp/test_stdio.py",
        "test_what_is_printed_goes_to_stderr_also_from_a_child",
    ),
    "B128": (
        "retrieval/tools/mcp/test_server.py",
        "test_evidence_fallback_no_evidence_and_refused_fit_the_schema",
    ),
    "B130": (
        "retrieval/tools/test_doors.py",
        "test_the_sync_doors_work_inside_a_running_loop_and_the_async_ones_at_once",
    ),
    "B131": ("workbench/views/test_query.py", "test_two_sessions_do_not_share_their_state"),
    "B133": (
        "workbench/presenters/test_markup.py",
        "test_a_label_escapes_all_that_markdown_reads",
    ),
    "B134": ("workbench/presenters/test_markup.py", "test_nothing_of_a_foreign_text_is_active"),
}


def test_every_kind_has_a_test_that_is_there() -> None:
    assert len(KINDS) == 83
    missing = [
        kind
        for kind, (file, name) in KINDS.items()
        if not re.search(rf"^(async )?def {name}\(", (TESTS / file).read_text("utf-8"), re.M)
    ]
    assert missing == []


def front(text: str) -> str:
    return f"---\n{text}\n---\n# Heading\n\nBody.\n"


@pytest.mark.parametrize(
    "value",
    ["2023-11-31", "2026-02-07 09:15:00", "Yes", "OFF", "y", "08:45", "1:02:03", "1_000", "0o17"],
)
def test_scalars_stay_json_and_as_written(value: str) -> None:
    entry, _ = read(
        front(f"title: {value}\nkeywords: [{value}]\ncategory: {value}\nsince: {value}")
    )
    assert (entry.title, entry.keywords, entry.category) == (value, (value,), value)
    assert json.loads(json.dumps(dict(entry.metadata)))["since"] == value


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("keywords: ~", ()),
        ("keywords: [null, , lift]", None),
        ("keywords:\n  - lift\n  -\n  - ''\n  - '--'", ("lift",)),
        ("KeyWords: lift\nTAGS: [stairs]\naliases: hoist", ("lift", "stairs", "hoist")),
        ("keywords: [[lift, [stairs]], 12]", ("lift", "stairs", "12")),
        ("keywords: {lift: {deep: {er: x}}}", ("x",)),
    ],
)
def test_keywords(yaml: str, expected: tuple[str, ...] | None) -> None:
    if expected is None:
        assert refused(front(yaml)).line == 2
        return
    entry, _ = read(front(yaml))
    assert entry.keywords == expected
    assert not any("{" in word or word in ("None", "null") for word in entry.keywords)


@pytest.mark.parametrize(
    ("yaml", "line", "says"),
    [
        ("category: a\ntitle: Lifts: upkeep", 3, "quote"),
        ("x: 1\ny: 2\ntitle: {{ name }}", 4, "placeholder"),
        ("keywords: [[Lift]], [[Stairs]]", 2, ""),
        ("a: 1\nb: !!python/name:os.system x", 3, ""),
    ],
)
def test_a_note_that_is_refused_names_its_line(yaml: str, line: int, says: str) -> None:
    issue = refused(front(yaml))
    assert issue.line == line
    assert says in issue.message.casefold()


@pytest.mark.parametrize(
    ("body", "trails"),
    [
        ("# A\n\n~~~~ sh\n# no\n~~~\n# no\n~~~~\n\n## B\n\nx\n", [("A",), ("A", "B")]),
        ("# A\n\nx\n\n1. item\n\n   ```\n   # no\n   ```\n", [("A",)]),
        ("# A\n\nx\n\n#### D\n\nx\n\n### C\n\nx\n", [("A",), ("A", "D"), ("A", "C")]),
        ("# A\n\n> quoted\n---\n\ntext\n\n- item\n---\n\nrest\n", [("A",)]),
        ("### Deep\n\nx\n\n## Less\n\nx\n", [("Deep",), ("Less",)]),
        ("# A\n\n## I/O\n\nx\n\n## I/O\n\ny\n", [("A", "I/O"), ("A", "I/O")]),
    ],
)
def test_headings(body: str, trails: list[tuple[str, ...]]) -> None:
    found = passages(body, title="A")
    shown = [passage.breadcrumb for passage in found]
    assert [trail[-1] for trail in shown] == [trail[-1] for trail in trails]
    assert len({passage.id for passage in found}) == len(found)
    assert all(isinstance(trail, tuple) for trail in shown)


@pytest.mark.parametrize(
    ("keyword", "hits", "misses"),
    [
        ("ant", ["an ANT in the kitchen", "ants"], ["an elephant", "antenna", "want"]),
        ("发票", ["请问发票怎么开", "发票"], ["发出的票据"]),
        ("crm", ["打开crm系统", "CRMの使い方"], ["scrm", "crmx"]),
        ("c++", ["c++ or rust", "(C++)"], ["plan c"]),
        ("[draft]", ["is it [draft]?"], []),
        ("parcel policy", ["parcel policies"], ["policy of a parcel", "parcel new policy"]),
        ("モデム", ["ﾓﾃﾞﾑの交換"], []),
        ("naïve", ["nai\u0308ve approach", "ＮＡÏＶＥ"], []),
        ("q", ["press q now"], ["queue"]),
        ("e-mail", ["e mail", "E_MAIL"], []),
    ],
)
def test_what_a_keyword_matches(
    keyword: str, hits: list[str], misses: list[str], tmp_path: Path
) -> None:
    (tmp_path / "n.md").write_text(f"---\ntitle: Zzyzx\nkeywords: ['{keyword}']\n---\nBody.\n")
    with KnowledgeBase.open(tmp_path, {"state_dir": str(tmp_path / "state")}) as base:
        for query, wanted in [*((q, True) for q in hits), *((q, False) for q in misses)]:
            hints = base.lookup(query, mode="l0").l0_hints
            assert (hints.matches_total == 1) is wanted, query


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("kinds")
    root = write_notes(folder / "kb")
    (root / "lines.md").write_text("---\ntitle: Lines\ncategory: network-old\n---\nOld wires.\n")
    opened = KnowledgeBase.open(
        root, {"state_dir": str(folder / "state"), "embedding": {"model": "hash:64"}}
    )
    opened.reindex()
    return opened


def sources(base: KnowledgeBase, query: str, **options: object) -> set[str]:
    return {block.source for block in base.lookup(query, **options).evidence_blocks}


@pytest.mark.parametrize("filters", [None, {}, {"category": None}])
def test_conditions_that_say_nothing_filter_nothing(base: KnowledgeBase, filters: object) -> None:
    assert sources(base, "guest network", filters=filters) == sources(base, "guest network")


def test_conditions_are_joined(base: KnowledgeBase) -> None:
    both = {"category": ["billing", "network"], "title": "Remote access"}
    assert sources(base, "refund tunnel from home", filters=both) == {"network/vpn.md"}


@pytest.mark.parametrize(
    ("filters", "name"),
    [
        ({"category": {"liek": "x"}}, "liek"),
        ({"kategory": "billing"}, "kategory"),
        ({"category": "billing", "titel": "x"}, "titel"),
    ],
)
def test_what_is_no_condition_is_refused_by_name(
    base: KnowledgeBase, filters: object, name: str
) -> None:
    with pytest.raises(InvalidInput, match=name):
        base.lookup("refund", filters=filters)


def test_a_category_is_compared_whole(base: KnowledgeBase) -> None:
    found = sources(base, "wires of the network", filters={"category": " Network "})
    assert found
    assert "lines.md" not in found


@pytest.mark.parametrize("top_k", [0, -1, 1_001, True, 1.5, "many"])
def test_top_k_counts_blocks(base: KnowledgeBase, top_k: object) -> None:
    assert len(base.lookup("refund badge shuttle", top_k=2).evidence_blocks) == 2
    assert len(base.lookup("refund badge shuttle", top_k=1_000).evidence_blocks) <= 7
    with pytest.raises(InvalidInput, match="top_k"):
        base.lookup("refund", top_k=top_k)


@pytest.mark.parametrize("query", ["", "\t\u3000", "¿?…—", "\u200b\u2060", "\u202e\u0301"])
def test_a_query_without_a_word_is_refused(base: KnowledgeBase, query: str) -> None:
    result = base.lookup(query)
    assert (result.outcome, result.evidence_blocks, result.l1.attempted) == ("refused", (), False)


def test_a_block_lists_each_passage_that_matched(base: KnowledgeBase) -> None:
    found = base.lookup("refund within thirty days paid to the card in five working days")
    block = next(b for b in found.evidence_blocks if b.source == "billing/refund.md")
    assert {span.breadcrumb[-1] for span in block.passages} >= {"Time limit", "How it is paid"}
