"""Why a note is not in an answer, or where it stands in it: each stage of one lookup, for one note.

`explain_absence` runs the lookup and follows the note through it. Numbers are measured on that
lookup; what would bring the note in is found by running the changed lookup.
"""

from retrieval.why.explaining import explain_absence
from retrieval.why.types import Absence, Remedy, Stage, StageName, StageState

__all__ = ["Absence", "Remedy", "Stage", "StageName", "StageState", "explain_absence"]
