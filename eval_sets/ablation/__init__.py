"""What each part of the ranking adds: the default lookup beside simple peers, and without a part.

>>> from eval_sets import bundled_sets, load_set
>>> from eval_sets.ablation import ablate
>>> from retrieval import KnowledgeBase
>>> labelled = load_set(bundled_sets()["starter"])
>>> kb = KnowledgeBase.open(labelled.knowledge_base)
>>> result = ablate([(labelled, kb)])                                  # doctest: +SKIP
"""

from eval_sets.ablation.document import ablation_to_json, build_ablation
from eval_sets.ablation.results import Ablation, Measured, SetAblation
from eval_sets.ablation.running import ablate

__all__ = ["Ablation", "Measured", "SetAblation", "ablate", "ablation_to_json", "build_ablation"]
