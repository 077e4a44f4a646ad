"""Plain search before a pattern saves time and loses nothing."""

import random
import re

from retrieval.suspicion import PATTERNS, reads_like_instructions

ODD = ["İgnore", "ıgnore", "\n", "### System", "[INST]", "<</sys>>", "<|im_start|>", "\u212aey"]
LONGER = ["you are now", "from now on", "do not", "system prompt", "act as now", "system:", "user"]


def test_no_text_that_a_pattern_finds_is_missed() -> None:
    words = {
        word
        for groups, pattern in PATTERNS
        for text in (*(w for group in groups for w in group), pattern.pattern)
        for word in re.findall(r"[A-Za-z']{2,}|[\u4e00-\u9fff]+|[<>:]", text)
    }
    known = [*sorted(words), *ODD, *LONGER * 3]
    rng = random.Random(4)
    flagged = 0
    for _ in range(12_000):
        text = " ".join(rng.choices(known, k=rng.randint(2, 9)))
        text = text.upper() if rng.random() < 0.2 else text
        found = any(pattern.search(text) for _, pattern in PATTERNS)
        assert reads_like_instructions(text) == found, text
        flagged += found
    assert flagged > 300
