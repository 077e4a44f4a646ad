"""Which knowledge base is meant when none is named."""

from importlib.metadata import entry_points
from pathlib import Path

from retrieval.errors import KnowledgeError
from retrieval.settings import CONFIG_NAME

GROUP = "lookup_knowledge.knowledge"
"""Entry points of bundled knowledge bases: each is a callable without arguments that gives the
path of the folder."""
STARTER = "starter"


def default_knowledge(cwd: Path) -> Path:
    """`cwd` when it has a `knowledge.toml`, else the bundled starter knowledge base.

    Without one called `starter`, the first bundled one by name. Raises `KnowledgeError` when
    nothing is bundled.
    """
    if (cwd / CONFIG_NAME).is_file():
        return cwd
    bundled = sorted(entry_points(group=GROUP), key=lambda point: (point.name != STARTER, point))
    if not bundled:
        raise KnowledgeError(
            f"No knowledge base is named: {cwd} has no {CONFIG_NAME}, and none is installed.",
            next_action="Pass --kb the folder that holds the notes or a knowledge.toml.",
        )
    return Path(bundled[0].load()())
