"""Names of a package that load on first use, so that importing the package stays cheap."""

from collections.abc import Callable, Mapping
from importlib import import_module


def load_on_use(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package; `homes` says in which module each name is defined.

    Any other name is an `AttributeError`, in Python's words.
    """

    def load(name: str) -> object:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load
