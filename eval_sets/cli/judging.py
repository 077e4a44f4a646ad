"""`lookup-knowledge eval create` and `judge`: labelled sets from the command line."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import find_own_folder, json_option, set_argument
from retrieval.cli.common import Utf8Text, shared_options
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from eval_sets.labelling import About, Judged
    from eval_sets.types import Case


@click.command()
@click.argument("name", type=Utf8Text())
@click.option(
    "--language", type=Utf8Text(), default="", help="Language of the queries, such as en."
)
@click.option("--description", type=Utf8Text(), default="", help="What the set is for.")
@shared_options
def create(name: str, language: str, description: str, kb: Path | None, as_json: bool) -> None:
    """Make a labelled set NAME without queries for the notes of --kb.

    It lies in `sets_dir`, and names the notes where they are.

    \b
    Examples:
      lookup-knowledge eval create handbook --kb notes
      lookup-knowledge eval create handbook --kb notes --language en --json
    """
    from eval_sets.labelling import create_set
    from retrieval.cli.common import emit, open_knowledge

    with open_knowledge(kb) as knowledge:
        folder = create_set(name, knowledge, language=language, description=description)
    if as_json:
        emit({"name": name, "folder": str(folder)})
        return
    click.echo(folder)
    click.echo(f"Next: lookup-knowledge eval judge {folder} QUERY SOURCE --grade relevant")


@click.command()
@set_argument
@click.argument("query", type=Utf8Text())
@click.argument("source", type=Utf8Text(), required=False)
@click.option("--grade", help="relevant, partly, not, or a whole number (0: not relevant).")
@click.option("--no-answer", is_flag=True, help="No note answers the query; without SOURCE.")
@click.option("--answer", is_flag=True, help="Take --no-answer back; without SOURCE.")
@click.option("--exclude", is_flag=True, help="Take SOURCE out of the ranking of this query.")
@click.option("--include", is_flag=True, help="Take --exclude back.")
@click.option("--remove", is_flag=True, help="Make SOURCE unjudged.")
@click.option("--by", type=Utf8Text(), default="", help="Who judges.")
@click.option("--note", type=Utf8Text(), default="", help="Why.")
@click.option(
    "--case", "case_id", type=Utf8Text(), help="Id of the case, where several ask the same."
)
@click.option("--stratum", type=Utf8Text(), default="", help="Stratum of a case that is added.")
@click.option(
    "--origin", type=Utf8Text(), default="", help="Where a query that is added comes from."
)
@click.option("--kb", type=click.Path(path_type=Path), help="Notes whose sets are meant.")
@json_option
def judge(
    name: str,
    query: str,
    source: str | None,
    *,
    grade: str | None,
    no_answer: bool,
    answer: bool,
    exclude: bool,
    include: bool,
    remove: bool,
    by: str,
    note: str,
    case_id: str | None,
    stratum: str,
    origin: str,
    kb: Path | None,
    as_json: bool,
) -> None:
    """Say in a labelled set how relevant the note SOURCE is to QUERY.

    The case is found by its query, or added. A bundled set is copied to `sets_dir` first. All
    else in the file stays as it is.

    \b
    Examples:
      lookup-knowledge eval judge starter "lost badge" security/report-a-phish.md --grade not
      lookup-knowledge eval judge sets/handbook "moon bases" --no-answer --json
    """
    from eval_sets.labelling import exclude_source, judge, mark_no_answer, remove_judgement
    from retrieval.cli.common import emit

    chosen = [grade is not None, no_answer, answer, exclude, include, remove]
    if sum(chosen) != 1 or (source is None) != (no_answer or answer):
        raise InvalidInput(
            "A judgement is one of --grade, --exclude, --include and --remove with a SOURCE, or of "
            "--no-answer and --answer without.",
            next_action="See: lookup-knowledge eval judge --help",
        )
    folder = find_own_folder(name, kb, writable=True)
    about: About = {"judged_by": by, "note": note, "case_id": case_id, "stratum": stratum}
    if origin:
        about["origin"] = origin
    done: Judged
    if source is None:
        done = mark_no_answer(folder, query, no_answer, **about)
    elif remove:
        done = remove_judgement(folder, query, source, case_id=case_id)
    elif grade is None:
        done = exclude_source(folder, query, source, exclude, **about)
    else:
        done = judge(folder, query, source, _grade(folder, grade), **about)
    if as_json:
        emit(
            {
                "folder": str(folder),
                "case": None if done.case is None else asdict(done.case),
                "before": None if done.before is None else asdict(done.before),
                "token": done.token,
            }
        )
        return
    click.echo(f"{folder}: {_told(done.case)}")


def _grade(folder: Path, text: str) -> int:
    from eval_sets.labelling import grade_scale

    scale = grade_scale(folder)
    if text in scale:
        return scale[text]
    if text.isascii() and text.isdigit():
        return int(text)
    raise InvalidInput(
        f"The grade {text!r} is not usable.",
        next_action=f"Grades: {', '.join(scale)}, or a whole number.",
    )


def _told(case: "Case | None") -> str:
    if case is None:
        return "the case is removed; nothing was left of it."
    judged = [f"{source} = {grade}" for source, grade in case.relevant.items()]
    left_out = [f"{source} left out" for source in case.exclude]
    nothing = ["no answer expected"] if case.expect_no_answer else []
    return f"{case.id} {case.query!r}: {', '.join([*judged, *left_out, *nothing]) or 'unjudged'}"
