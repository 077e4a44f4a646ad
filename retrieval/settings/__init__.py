"""Settings of a knowledge base: what there is, and where each value comes from.

`README.md` beside this file lists them all; it is generated from these types.
"""

from retrieval.settings.loading import (
    CONFIG_NAME,
    ENV_PREFIX,
    STATE_NAME,
    Location,
    load_settings,
    user_state_dir,
)
from retrieval.settings.sections import (
    EmbeddingSection,
    KnowledgeSettings,
    LookupSection,
    LookupSettings,
    RecordSection,
)

__all__ = [
    "CONFIG_NAME",
    "ENV_PREFIX",
    "STATE_NAME",
    "EmbeddingSection",
    "KnowledgeSettings",
    "Location",
    "LookupSection",
    "LookupSettings",
    "RecordSection",
    "load_settings",
    "user_state_dir",
]
