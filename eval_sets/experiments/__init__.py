"""Experiments: sets and variants in a file, run with one command, kept and compared over time.

>>> from eval_sets.experiments import load_experiment, run_experiment
>>> done = run_experiment(load_experiment("experiment.yaml"))          # doctest: +SKIP
"""

from eval_sets.experiments.files import (
    Experiment,
    ExperimentFile,
    Fingerprints,
    StoredResult,
    load_experiment,
    load_results,
)
from eval_sets.experiments.history import write_tables
from eval_sets.experiments.running import Outcome, run_experiment

__all__ = [
    "Experiment",
    "ExperimentFile",
    "Fingerprints",
    "Outcome",
    "StoredResult",
    "load_experiment",
    "load_results",
    "run_experiment",
    "write_tables",
]
