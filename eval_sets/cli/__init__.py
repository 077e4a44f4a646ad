"""The command `lookup-knowledge eval`; what it needs is imported when it runs."""

from eval_sets.cli.group import evaluate

__all__ = ["evaluate"]
