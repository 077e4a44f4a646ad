"""How far a run is, in words."""

from workbench.services.jobs import State, Step

_STAGES = {
    "load": ("Reading notes", "notes"),
    "embed": ("Embedding passages", "passages"),
}


def present_progress(step: Step, state: State) -> tuple[float, str]:
    """The share of the whole run, 0..1, and what is being done."""
    if state == "stopping":
        return step.share, "Cancelling after the queries that are being asked …"
    if not step.stage:
        return 0.0, "Opening the set and its notes …"
    name, unit = _STAGES.get(step.stage, (step.stage, "queries"))
    if step.share >= 1 and step.done == step.total:
        return 1.0, "Computing intervals and tests …"
    return step.share, f"{name}: {step.done} of {step.total} {unit}"
