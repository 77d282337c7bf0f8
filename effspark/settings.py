"""Settings: `conf/*.yaml`, overridden by a file, then by `--set section.name=value`. Frozen and checked.

Nothing here is a rule; rules live in their modules and take the part of the settings they need.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator

from effspark.declared import fault_of, from_yaml
from effspark.errors import SettingsError, all_problems, problem
from effspark.resources import folder
from effspark.sections import (
    Benchmark,
    DiagnosisSettings,
    Exclusion,
    PoolSettings,
    ReaderSettings,
    ReportSettings,
    ResamplingSettings,
    Section,
)
from effspark.wording import counted


class Settings(Section):
    """All settings of a job."""

    report: ReportSettings
    pool: PoolSettings
    resampling: ResamplingSettings
    diagnosis: DiagnosisSettings
    readers: ReaderSettings
    benchmarks: Mapping[str, Benchmark]
    scorers: tuple[str, ...]
    aliases_version: int = Field(ge=1, le=2**31 - 1)
    aliases: Mapping[Literal["model", "benchmark"], Mapping[str, str]]
    hidden_trace_models: tuple[str, ...]

    @field_validator("hidden_trace_models")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                raise ValueError(f"{pattern!r} is no regular expression: {error}") from error
        return patterns

    def scorers_of(self, benchmark: str) -> tuple[str, ...]:
        """Scorers of a benchmark by preference; `*` stands for any other of the log, by name."""
        own = self.benchmarks.get(benchmark)
        return own.scorers if own and own.scorers else self.scorers

    def pool_of(self, benchmark: str) -> tuple[str, ...]:
        """Models that conf declares to be the pool of a benchmark; none where coverage decides."""
        own = self.benchmarks.get(benchmark)
        return own.pool if own else ()

    def answers_of(self, benchmark: str) -> str | None:
        """Rule of a benchmark's answers, under any of its names; null where conf declares none.

        >>> load().answers_of("zebra-grid"), load().answers_of("mine")
        ('zebralogic', None)
        """
        name = self.aliases.get("benchmark", {}).get(benchmark, benchmark)
        own = self.benchmarks.get(name)
        return own.answers if own else None

    def digest(self) -> str:
        """Hash of all settings that a report follows, whatever the order they were given in."""
        told = self.model_dump(mode="json", exclude={"readers"})
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def load(file: Path | None = None, overrides: Iterable[str] = ()) -> Settings:
    """Settings of the package, then of a file, then of `section.name=value` overrides.

    Raises
    ------
    SettingsError
        All unknown names and values that are not allowed.

    >>> load(overrides=["report.least_coverage=0.9"]).report.least_coverage
    0.9
    """
    raw: dict[str, Any] = {}
    for shipped in sorted(folder("conf").glob("*.yaml")):
        raw = _merged(raw, _read(shipped))
    if file is not None:
        raw = _merged(raw, _read(file))
    given = list(overrides)
    for override in given:
        raw = _merged(raw, _parsed(override))
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        faults = [_told(fault) + _remedy(fault, given) for fault in error.errors()]
        raise SettingsError(
            all_problems(f"{counted(len(faults), 'setting')} cannot be used", faults)
        ) from error


_PARTS: Mapping[str, type[BaseModel]] = {
    "report": ReportSettings,
    "pool": PoolSettings,
    "resampling": ResamplingSettings,
    "diagnosis": DiagnosisSettings,
    "readers": ReaderSettings,
    "benchmarks": Benchmark,
    "exclusions": Exclusion,
}
"""Part of the settings that a name in a path leads to."""
_NAMED = ("benchmarks", "aliases")
"""Sections whose names users choose."""


def _told(fault: Any) -> str:
    """One fault of the settings; where there is no such setting, those that there are."""
    *section, _ = path = [str(part) for part in fault["loc"]]
    where = ".".join(path)
    if fault["type"] != "extra_forbidden":
        return f"{where}: {fault_of(fault)}"
    inner = [_PARTS[part] for part in section if part in _PARTS]
    part: type[BaseModel] = inner[-1] if inner else Settings
    return f"{where}: there is no such setting; allowed: {', '.join(part.model_fields)}"


def _remedy(fault: Any, overrides: Iterable[str]) -> str:
    """What to write instead, where `--set` was given a word for a list, or a name that it cannot reach."""
    if fault["type"] == "tuple_type" and isinstance(fault["input"], str):
        return f"; a list of one is written [{fault['input']}]"
    path = [str(part) for part in fault["loc"]]
    if path[0] not in _NAMED:
        return ""
    for override in overrides:
        name, rest = override[: len(".".join(path))], override[len(".".join(path)) :]
        cut = rest.startswith(".") or (len(path) == 2 and rest.startswith("=") and "=" in rest[1:])
        if name == ".".join(path) and cut:
            return "; --set cannot reach a name that holds . or =, set it in a file (--conf FILE)"
    return ""


def _read(path: Path) -> dict[str, Any]:
    try:
        found = from_yaml(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SettingsError(
            problem(
                "a conf file cannot be read",
                where=str(path),
                found=str(error),
                allowed="a YAML file of settings",
                remedy="name a file that is there, or mend it",
            )
        ) from error
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise SettingsError(f"{path}: found {type(found).__name__}; allowed: a mapping of settings")
    return found


def _parsed(override: str) -> dict[str, Any]:
    name, separator, value = override.partition("=")
    if not separator or not name.strip():
        raise SettingsError(f"--set {override}: found no name or no value; allowed: section.name=value")
    try:
        name.encode()  # half a character can be stored in no table
        nested: Any = from_yaml(value)
    except ValueError as error:
        raise SettingsError(
            f"--set {override}: found {error}; allowed: text in UTF-8, a YAML value after ="
        ) from error
    for part in reversed(name.strip().split(".")):
        nested = {part: nested}
    return dict(nested)


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for name, value in over.items():
        old = merged.get(name)
        merged[name] = (
            _merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
        )
    return merged
