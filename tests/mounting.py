"""Mounts for faults of a disk, where the system lets a test mount."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_SYS_ADMIN = 21
"""Number of the capability in Linux's capabilities(7)."""


@contextmanager
def mounted(*options: str, target: Path) -> Iterator[None]:
    """`target` as a mount with these options.

    Without the capability to mount there is no such fault to make, and the test is skipped. With
    it a mount that fails is an error in a check of the project (`CI=true`): no cell is lost unseen.
    """
    if not may_mount(Path("/proc/self/status")):
        pytest.skip("this process has no right to mount (CAP_SYS_ADMIN)")
    command = ["mount", *options, str(target)]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if run.returncode:
        reason = f"the mount failed: {run.stderr.strip()}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(target)], check=True)


def may_mount(status: Path) -> bool:
    """True when a `/proc/PID/status` grants what mounting takes; False where there is none."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return False
    granted = next((line.split()[1] for line in lines if line.startswith("CapEff:")), "0")
    return bool(int(granted, 16) >> _SYS_ADMIN & 1)
