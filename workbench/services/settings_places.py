"""Where index, records and labels are looked for once `knowledge.toml` has another text."""

from pathlib import Path

from eval_sets.labelling import sets_folder
from eval_sets.labelling.places import FOLDER
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import STATE_NAME, load_settings


def labelled_sets(base: KnowledgeBase) -> Path | None:
    """The folder of the labelled sets of today; None while it holds none."""
    folder = sets_folder(base)
    return folder if folder.is_dir() and any(folder.iterdir()) else None


def state_after(folder: Path, old: str | None, new: str | None) -> Path | None:
    """Index and records, where the file says `new` for `state_dir` instead of `old`.

    None when the environment says where, so that the file does not matter.
    """
    named = load_settings(folder)[0].state_dir
    if named is not None and str(named) != old:
        return None
    return (folder / (new or STATE_NAME)).resolve()


def sets_after(folder: Path, old: str | None, new: str | None) -> Path | None:
    """Labelled sets, where the file says `new` for `sets_dir` instead of `old`.

    None when the environment says where, so that the file does not matter.
    """
    named = load_settings(folder)[0].sets_dir
    if named is not None and str(named) != old:
        return None
    return (folder / (new or FOLDER)).resolve()
