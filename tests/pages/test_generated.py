"""What the generated pages hold is what the code says today."""

import subprocess
import sys

import pytest

from tests.pages.markdown import ROOT

PAGES = (
    "eval_sets/README.md",
    "retrieval/README.md",
    "retrieval/contract/README.md",
    "retrieval/knowledge/README.md",
    "retrieval/settings/README.md",
)
"""All but the first page, whose outputs of commands take long: `.ci/run` checks that one."""


@pytest.mark.parametrize("page", PAGES)
def test_a_generated_page_is_fresh(page: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cogapp", "-I", ".", "--check", "--diff", page],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"make readme writes it anew\n{done.stdout}{done.stderr}"


def test_make_readme_writes_every_page_that_is_generated() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    generated = [
        str(path.relative_to(ROOT))
        for path in sorted(ROOT.rglob("README.md"))
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
        if "[[[cog" in path.read_text(encoding="utf-8")
    ]
    assert {*PAGES, "README.md"} <= set(generated)
    assert [page for page in generated if page not in makefile.split()] == []
