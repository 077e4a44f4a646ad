"""All that the sessions of one server share. Nothing else in the workbench uses Streamlit's caches.

What lies here is given to every user and must not be changed by one: knowledge bases, which are
safe for threads, and values that `keep` computed for one state of the folder and the index.
"""

import hashlib
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar, cast

import streamlit as st

from retrieval.bundled import default_knowledge
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import CONFIG_NAME
from workbench.launch import Launch

Value = TypeVar("Value")


def open_base(launch: Launch) -> KnowledgeBase:
    """The knowledge base that the app was started for, opened once for all sessions.

    It is opened again when its `knowledge.toml` changed. Quick: no note is read and no model is
    loaded before something is asked. Raises `SettingsError` and `KnowledgeError`.
    """
    path = (launch.kb or default_knowledge(Path.cwd())).resolve()
    config = path / CONFIG_NAME
    stamp = config.read_bytes() if config.is_file() else b""
    return _open(str(path), hashlib.sha256(stamp).hexdigest())


@st.cache_resource(max_entries=4, on_release=KnowledgeBase.close, show_spinner=False)
def _open(path: str, config: str) -> KnowledgeBase:  # noqa: ARG001 - part of the key
    return KnowledgeBase.open(path)


def folder_state(base: KnowledgeBase) -> str:
    """A digest that changes with the notes' files, the index, the calibration or the settings."""
    from retrieval.knowledge import scan
    from retrieval.opening import state_key

    files = sorted(scan(base.location.root, base.settings.knowledge).items())
    read = (base.settings.digest(), files, state_key(base.settings, base.location))
    return hashlib.sha256(repr(read).encode()).hexdigest()[:16]


def keep(
    base: KnowledgeBase, what: str, compute: Callable[[], Value], *arguments: Hashable, state: str
) -> Value:
    """`compute()`, or what it gave before for the same knowledge base, name, arguments and state.

    `what` names the computation, `state` is mostly `folder_state(base)`. The value is shared by
    all users as it is: give frozen ones.
    """
    key = (str(base.location.root), str(base.location.state_dir), what, arguments, state)
    return cast(Value, _kept(key, compute))


@st.cache_resource(max_entries=64, show_spinner=False)
def _kept(key: tuple[Hashable, ...], _compute: Callable[[], Any]) -> Any:  # noqa: ARG001
    return _compute()
