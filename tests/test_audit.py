"""The audit: whom it believes, with programs in the place of pip-audit."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "audit"
UNREACHABLE = "advisory service not reachable: not audited"

KNOWS_THE_CANARY = """
if ! grep -q constraints <<< "$*"; then echo "urllib3 1.25.8 PYSEC-2021-108"; exit 1; fi
"""
CLEAN = KNOWS_THE_CANARY + 'echo "No known vulnerabilities found"\n'
VULNERABLE = KNOWS_THE_CANARY + 'echo "left-pad 1.0 GHSA-xxxx-yyyy"; exit 1\n'
SKIPS_ALL = 'echo "No known vulnerabilities found"\n'
NO_NETWORK = 'echo "ConnectionError: no route" >&2; exit 1\n'


def audit(tmp_path: Path, program: str | None, *options: str) -> tuple[int, str]:
    """Exit code and output with a pip-audit that does this; None is one that is not installed."""
    fake = tmp_path / "pip-audit"
    if program is not None:
        fake.write_text(f"#!/usr/bin/env bash\n{program}")
        fake.chmod(0o755)
    run = subprocess.run(
        [SCRIPT, *options],
        env={**os.environ, "AUDIT": str(fake)},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout


def test_without_a_finding_it_passes_only_where_the_canary_was_found(tmp_path: Path) -> None:
    code, output = audit(tmp_path, CLEAN)
    assert code == 0
    assert "No known vulnerabilities found" in output
    assert UNREACHABLE not in output


@pytest.mark.parametrize("options", [(), ("--optional",)])
def test_a_finding_always_fails(options: tuple[str, ...], tmp_path: Path) -> None:
    code, output = audit(tmp_path, VULNERABLE, *options)
    assert code == 1
    assert "GHSA-xxxx-yyyy" in output


@pytest.mark.parametrize("program", [SKIPS_ALL, NO_NETWORK, None])
def test_a_service_that_does_not_know_the_canary_is_not_believed(
    program: str | None, tmp_path: Path
) -> None:
    assert audit(tmp_path, program) == (1, f"{UNREACHABLE}\n")
    assert audit(tmp_path, program, "--optional") == (0, f"{UNREACHABLE}\n")
