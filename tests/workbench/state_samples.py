"""Choices that differ from the defaults in everything."""

from workbench.services.lookups import LookupChoice

DEFAULTS = LookupChoice(top_k=5)
OTHER = LookupChoice(
    mode="l0",
    filter_mode="strict",
    l1_mode="dense",
    top_k=3,
    min_score=0.25,
    fault="l1-empty",
    filters={"category": ("billing", "a,b"), "lang": ("x=y",)},
)
