"""What every table of the settings is, and the one of `lint`."""

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A table of `knowledge.toml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LintSection(Section):
    """What `lint` leaves out. A name that is no rule is refused when `lint` runs."""

    ignore: tuple[str, ...] = Field(default=(), description="rules that are not reported")
