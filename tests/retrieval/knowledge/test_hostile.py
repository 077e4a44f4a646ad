"""Notes made to break a loader: each loads or gives a row, none takes the loader down.

They run in a process of its own with a limit of memory and a guard against a hang, which a loader
that needs quadratic time for one of them runs into.
"""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.knowledge import Knowledge, NoteRefused, read_entry
from retrieval.knowledge.snapshot import read_snapshot, write_snapshot
from retrieval.knowledge.yaml_fields import MAX_DEPTH
from retrieval.settings import KnowledgeSettings
from retrieval.types import LoadReport
from tests.retrieval.knowledge.notes import words

HANG_SECONDS = 120
MEMORY = 3 * 2**30


def front(yaml: str) -> str:
    return f"---\n{yaml}\n---\nbody\n"


def toml(block: str) -> str:
    return f"+++\n{block}\n+++\nbody\n"


def billion_laughs() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 8)}]" for i in range(1, 12)]
    return front("\n".join(lines))


REFUSED = {
    "billion laughs": billion_laughs(),
    "deep flow": front("k: " + "[" * 50_000 + "]" * 50_000),
    "deep block": front("\n".join(" " * i + f"a{i}:" for i in range(900))),
    "deep keywords": front("keywords: " + "[a, " * 2_000 + "]" * 2_000),
    "merge keys": front("a: &a {x: 1}\n" + "\n".join(f"k{i}: {{<<: *a}}" for i in range(9_000))),
    "open quote": front('k: "' + "\\n" * 100_000),
    "toml digits": toml("k = " + "9" * 5_000),
    "toml hexadecimal digits": toml("k = 0x" + "f" * 5_000),
    "toml deep arrays": toml("k = " + "[" * 500 + "]" * 500),
    "toml deeper arrays": toml("k = " + "[" * 50_000 + "]" * 50_000),
    "toml inline tables": toml("k = " + "{a=" * 500 + "1" + "}" * 500),
    "toml dotted key": toml("a." * 2_000 + "b = 1"),
    "toml longer dotted key": toml("a." * 100_000 + "b = 1"),
    "toml quoted dotted key": toml('"a" . ' * 100_000 + "b = 1"),
    "toml dotted table": toml("[" + "a." * 2_000 + "b]\nk = 1"),
}
LOADED = {
    "toml one long value": toml('k = "' + "x" * 3_000_000 + '"'),
    "toml many quotes": toml("k = '" + '"' * 1_000_000 + "'"),
    "toml many keys": toml("\n".join(f"k{i} = 1.{i}" for i in range(10_000))),
    "many keys": front("\n".join(f"k{i}: v" for i in range(10_000))),
    "one long value": front("k: " + "x" * 3_000_000),
    "open comments": "<!-- " * 50_000,
    "open comments in text": "a " + "`b` <!-- " * 20_000,
    "comments across blocks": "<div><!--\n\nx --></div>\n\n" * 5_000,
    "code spans of any length": "<!-- x -->\n\n" + "".join("`" * i + " " for i in range(1, 400)),
    "brackets": "[" * 100_000,
    "links": "# " + "[a](" * 10_000,
    "images": "# " + "![" * 10_000,
    "emphasis": "# " + "*a **b " * 10_000,
    "tags": "<a " * 50_000,
    "quotes": ">" * 20_000 + " a",
    "quoted tables": "> |a|b|\n> |-|-|\n> |c|d|\n\n" * 8_000,
    "nested lists": "\n".join(" " * (2 * i) + "- a" for i in range(500)),
    "headings": "# h\n" * 10_000,
    "definitions": "".join(f"[a{i}]: http://x\n" for i in range(10_000)),
    "wide table": "|" + "a|" * 10_000 + "\n|" + "-|" * 10_000 + "\n|" + "b|" * 10_000,
    "long table": "|a|b|\n|-|-|\n" + "|c|d|\n" * 30_000,
    "blank lines": "\n" * 500_000 + "x",
    "one word": "x" * 3_000_000,
    "ideographs": "网" * 500_000,
    "accents": "a" + "\u0301" * 500_000,
    "carriage returns": "a\rb" * 50_000,
    "control characters": "a\x00b\x1b[2J" * 50_000,
    "open frontmatter": "---\n" + "a: b\n" * 50_000,
}


def read_in_turn() -> None:
    """What the child process does: every note, with its result on a line."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for name, text in {**REFUSED, **LOADED}.items():
        try:
            entry, _ = read_entry(
                "n.md", text.encode(), KnowledgeSettings(), window=256, measure=words
            )
        except NoteRefused as refused:
            sys.stdout.write(f"{name}: refused {refused.issue.line is not None}\n")
        else:
            sys.stdout.write(f"{name}: loaded {bool(entry.passages)}\n")


def test_every_hostile_note_loads_or_gives_a_row() -> None:
    code = f"from {__name__} import read_in_turn; read_in_turn()"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert run.stderr == ""
    lines = [f"{name}: refused True" for name in REFUSED]
    lines += [f"{name}: loaded True" for name in LOADED]
    assert run.stdout.splitlines() == lines


DEEP = {
    "yaml": lambda levels: front("k: " + "[a, " * levels + "]" * levels),
    "toml arrays": lambda levels: toml("k = " + "[1, " * levels + "]" * levels),
    "toml tables": lambda levels: toml("k = " + "{a=" * levels + "1" + "}" * levels),
    "toml keys": lambda levels: toml("k = 1\n" + "a." * levels + "a = 1"),
    "toml header": lambda levels: toml("k = 1\n[" + "a." * (levels - 1) + "a]\nb = 1"),
}


@pytest.mark.parametrize("kind", DEEP)
def test_toml_may_nest_as_deeply_as_yaml(kind: str, tmp_path: Path) -> None:
    settings = KnowledgeSettings()
    deepest = MAX_DEPTH - 1  # the frontmatter itself is a level
    entry, _ = read_entry("n.md", DEEP[kind](deepest).encode(), settings, window=9, measure=words)
    report = LoadReport(loaded=1, issues=())
    stored = tmp_path / "snapshot.json"
    write_snapshot(stored, Knowledge(root=tmp_path, entries=(entry,), report=report))
    assert read_snapshot(stored).entries == (entry,)
    for levels in (deepest + 1, 260, 440):
        with pytest.raises(NoteRefused, match="nests too deeply") as refused:
            read_entry("n.md", DEEP[kind](levels).encode(), settings, window=9, measure=words)
        assert refused.value.issue.line == (3 if kind in ("toml keys", "toml header") else 2)


def test_a_number_of_too_many_digits_names_its_line() -> None:
    text = toml("a = 1\nb = [\n  2,\n  " + "9" * 5_000 + ",\n]")
    with pytest.raises(NoteRefused, match="too many digits") as refused:
        read_entry("n.md", text.encode(), KnowledgeSettings(), window=9, measure=words)
    assert refused.value.issue.line == 5


@pytest.mark.parametrize("as_list", [True, False])
def test_a_hundred_thousand_keywords_are_all_kept(as_list: bool) -> None:
    names = [f"kw {i}" for i in range(100_000)]
    value = "\n  - ".join(["", *names]) if as_list else f" {', '.join(names)}"
    data = front(f"keywords:{value}").encode()
    entry, _ = read_entry("n.md", data, KnowledgeSettings(), window=256, measure=words)
    assert entry.keywords == tuple(names)


def test_a_note_of_fifty_megabytes_loses_no_line() -> None:
    paragraphs = [f"Paragraph {i} " + "lorem ipsum dolor sit amet " * 18 for i in range(100_000)]
    data = "\n\n".join(paragraphs).encode()
    assert len(data) > 50_000_000
    entry, _ = read_entry("n.md", data, KnowledgeSettings(), window=256, measure=words)
    kept = "\n".join(passage.text for passage in entry.passages)
    assert [line.strip() for line in kept.split("\n") if line] == [p.strip() for p in paragraphs]
