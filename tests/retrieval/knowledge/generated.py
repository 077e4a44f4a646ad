"""Folders of generated notes: clean, dirty, broken and binary ones, the same for the same seed."""

import random
from pathlib import Path

_WORDS = [
    "refund",
    "badge",
    "gateway",
    "网关",
    "限流",
    "café",
    "naïve",
    "👩\u200d💻",
    "ﬁ",
    "Ω",
    "٣",
    "\u202e",
    "\u200b",
    "true",
    "null",
    "2024-02-30",
    "12:30",
    "C++",
]
_LINES = [
    "# One", "## Two {#x}", "###### Six", "text", "- item", "  - nested", "> quote", "```", "~~~",
    "| a | b |", "|---|---|", "| c | d |", "<!--", "-->", "<!-- c -->", "<div>", "---", "===",
    "[a]: http://x", "![i](u)", "`<!-- x -->`", "    code", "\ttab", "1. one", "\\", "&#0;", "+++",
    "\x1b[2J",
]  # fmt: skip
_KEYS = [
    "title", "Title", "keywords", "tags", "category", "domain", "entities", "on", "1", "a b", "é",
]  # fmt: skip
_VALUES = [
    "", "~", "null", "yes", "[a, b]", "[[a], {b: c}]", "{a: [1, 2]}", "'it''s'", '"\\u0000"', "[",
    "# comment", "!!python/object/apply:os.system [ls]", "&a x", "*a", "|\n  block\n  text", "- x",
    ">-\n  folded", "{{ template }}", '"open', "2024-02-30", "12:30", "1e999", ".nan", "0o17", "@x",
    "a: b",
]  # fmt: skip
_ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252", "gb18030"]


def write_generated(root: Path, count: int, seed: int) -> None:
    """Writes `count` notes in nested folders below `root`."""
    rng = random.Random(seed)
    for number in range(count):
        folder = root / f"d{rng.randrange(20)}" / rng.choice(["", "e", "网", ".hidden", "a b"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"n{number}.{rng.choice(['md', 'MD', 'markdown'])}").write_bytes(_note(rng))


def _note(rng: random.Random) -> bytes:
    if rng.random() < 0.1:
        return rng.randbytes(rng.randrange(2_000))
    text = "".join(
        [
            rng.choice(["", "", "", "\n", "<!-- c -->\n", " "]),
            _frontmatter(rng) if rng.random() < 0.8 else "",
            "\n".join(_line(rng) for _ in range(rng.randrange(60))),
        ]
    )
    text = text.replace("\n", rng.choice(["\n", "\n", "\r\n", "\r"]))
    return text.encode(rng.choice(_ENCODINGS) if rng.random() < 0.2 else "utf-8", "replace")


def _frontmatter(rng: random.Random) -> str:
    lines = [f"{rng.choice(_KEYS)}: {_value(rng)}" for _ in range(rng.randrange(8))]
    return "\n".join(["---", *lines, rng.choice(["---", "---", "---", "...", "--- x", ""]), ""])


def _value(rng: random.Random) -> str:
    return rng.choice(_VALUES) if rng.random() < 0.5 else _text(rng, 6)


def _line(rng: random.Random) -> str:
    return rng.choice(_LINES) if rng.random() < 0.5 else _text(rng, rng.choice([5, 40, 300]))


def _text(rng: random.Random, most: int) -> str:
    return " ".join(rng.choices(_WORDS, k=rng.randrange(1, most)))
