"""What can be set, section by section? Names, types and ranges; the values stand in `conf/*.yaml`.

Nothing here is a rule; rules live in their modules and take the section that they need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Section(BaseModel):
    """A part of the settings: frozen, and without names that are not declared."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReportSettings(Section):
    """How runs become estimates (definitions.md sections 1 and 2)."""

    refusals: Literal["include", "exclude"] = "include"
    unknown_completion: Literal["exclude", "as_completed"] = "exclude"
    least_known_completion: float = Field(0.95, ge=0, le=1)
    least_coverage: float = Field(0.95, gt=0, le=1)
    error_rate_gap: float = Field(0.02, ge=0, le=1)
    least_runs_for_informative_missing: int = Field(5, ge=1, le=2**31 - 1)
    rank_estimated_with_counted: bool = False
    suspect_scorers: tuple[str, ...] = ()

    def is_suspect(self, scorer: str) -> bool:
        """May a scorer of this name count faults rather than correct answers?

        >>> ReportSettings(suspect_scorers=("toxic",)).is_suspect("Toxicity")
        True
        """
        return any(part in scorer.lower() for part in self.suspect_scorers)


class PoolSettings(Section):
    """How much the pool of solvers is audited: pool splits of the held-out audit."""

    splits: int = Field(200, ge=0, le=10_000)


class ResamplingSettings(Section):
    """How often is resampled, and where chance comes from: every draw is a function of the seed.

    An interval of more than `most_undefined` undefined resamples is null.
    """

    seed: int = Field(0, ge=0, lt=2**63)
    resamples: int = Field(2000, ge=1, le=1_000_000)
    level: float = Field(0.95, gt=0, lt=1)
    most_undefined: float = Field(0.05, ge=0, le=1)


class DiagnosisSettings(Section):
    """From where on a measure is a sign (definitions.md section 7); factors are of the reference's measure."""

    least_completion: float = Field(0.90, ge=0, le=1)
    verbosity_factor: float = Field(3.0, gt=0)
    logic_factor: float = Field(0.5, ge=0)
    least_signal: float = Field(0.15, ge=0, le=1)
    signal_factor: float = Field(0.5, ge=0)
    sound_logic_factor: float = Field(0.9, ge=0)
    least_term: float = Field(-0.10, le=0)


class ReaderSettings(Section):
    """What readers are told where the logs do not say it; it changes runs, not reports."""

    model: str | None = None
    filters: Mapping[str, str] = Field(default_factory=dict)


class Exclusion(Section):
    """One instance that is known to be faulty: why, who says so, and since when. Ids are one space (7 is "7")."""

    instance: str = Field(min_length=1)
    reason: str = Field(min_length=1)
    source: str = Field(min_length=1)
    date: date

    @field_validator("instance", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class Benchmark(Section):
    """One benchmark: the scorers to prefer, the rules of answers and native work, scales of work, what to exclude.

    `declared` holds scales of its own: an expression over the axes of an instance, by name; `pool` the models that
    define solver-derived work, by the names that a report shows, where coverage is not to decide; `axes` those on whose
    levels E0 is told.
    """

    scorers: tuple[str, ...] = ()
    answers: str | None = None
    work: str | None = None
    declared: Mapping[str, str] = Field(default_factory=dict)
    scales: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()

    @field_validator("exclusions")
    @classmethod
    def _once(cls, given: tuple[Exclusion, ...]) -> tuple[Exclusion, ...]:
        counts = Counter(one.instance for one in given)
        twice = sorted(instance for instance, times in counts.items() if times > 1)
        if twice:
            raise ValueError(f"instances that stand twice: {', '.join(twice)}")
        return given
