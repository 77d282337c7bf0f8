"""What run does one record stand for, by a mapping? Its typed fields as one LoggedRun.

    mapping       ->  plan: a source and a type for each field
    plan, record  ->  LoggedRun, or all faults of the record

Knows nothing of files. Source: formats.md section 5; the mapping: mappings.py; the types: cells.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from effspark.errors import LogError
from effspark.readers.cells import Kind, Row, lookup, score, text_of, typed
from effspark.readers.expressions import Expression
from effspark.readers.fields import FIELDS, Part, Target
from effspark.readers.mappings import Mapping, Spec, VerdictSpec
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Visibility
from effspark.runs.tokens import Usage, hides_trace

_MAPS = {"axes": Kind.NUMBER, "tags": Kind.TEXT, "flags": Kind.BOOLEAN}


class Source(NamedTuple):
    """Where a field comes from, ready to be asked for the value of one record."""

    label: str
    columns: frozenset[str]
    value: Callable[[Row], Any]
    cells: bool


class _Verdict(NamedTuple):
    scorer: str
    kind: ScoreKind
    score: Source
    judged: Source | None


@dataclass(frozen=True)
class Plan:
    """A mapping made ready for the records of one file."""

    fields: Sequence[tuple[str, Target, Source]]
    maps: Sequence[tuple[str, str, Source]]
    verdicts: Sequence[_Verdict]
    where: Expression | None
    benchmark: str
    hidden_trace_models: tuple[str, ...]

    def selects(self, row: Row) -> bool:
        """Does the mapping's `where` choose the record? A null does not.

        Raises
        ------
        LogError
            The expression cannot be evaluated, or is neither true nor false.
        """
        if self.where is None:
            return True
        place = f"where: {self.where.source}"
        return bool(typed(self.where.value(row), Kind.BOOLEAN, where=place, cells=False))

    def run(self, row: Row) -> LoggedRun:
        """One record as a run.

        Raises
        ------
        LogError
            All wrong values of the record.
        """
        found = _Found(row)
        parts: dict[str, dict[str, Any]] = {name: {} for name in (*Part, *_MAPS)}
        for key, target, source in self.fields:
            value = found.of(source, target.kind, key)
            if value is not None:
                parts[target.part][target.name or key] = value
        for group, name, source in self.maps:
            value = found.of(source, _MAPS[group], f"{group}.{name}")
            if value is not None:
                parts[group][name] = value
        verdicts = tuple(found.verdict(planned) for planned in self.verdicts)
        if found.faults:
            raise LogError("; ".join(found.faults))
        model = parts[Part.CONFIGURATION].setdefault("request_model", "")
        run = {"benchmark_id": self.benchmark, "instance_id": None, **parts[Part.RUN]}
        shown = run.get("trace_visibility") is Visibility.FULL
        hides = hides_trace(model, self.hidden_trace_models)
        if shown and hides and parts[Part.USAGE].get("reasoning") is None and not run.get("reasoning"):
            run["trace_visibility"] = Visibility.HIDDEN
        return LoggedRun(
            configuration=Configuration(**parts[Part.CONFIGURATION]),
            usage=Usage(**parts[Part.USAGE]),
            verdicts=verdicts,
            estimable=shown and not hides,
            axes=parts["axes"],
            tags=parts["tags"],
            quality_flags=tuple(name for name, holds in parts["flags"].items() if holds),
            **run,
        )


def planned(
    mapping: Mapping, *, cells: bool, benchmark: str | None = None, hidden_trace_models: tuple[str, ...] = ()
) -> Plan:
    """A mapping made ready; `cells` says that texts of the file are cells of unknown type.

    >>> mapping = Mapping.model_validate({"name": "a", "version": 1, "model": "m", "instance": "i",
    ...                                   "output_tokens": "T"})
    >>> run = planned(mapping, cells=True, benchmark="gsm8k").run({"m": "a/b", "i": "7", "T": "12.0"})
    >>> run.configuration.request_model, run.benchmark_id, run.instance_id, run.usage.output
    ('a/b', 'gsm8k', '7', 12)
    """
    maps = [("axes", mapping.axes), ("tags", mapping.tags), ("flags", mapping.flags)]
    return Plan(
        fields=[(key, FIELDS[key], source_of(spec, cells=cells)) for key, spec in mapping.fields.items()],
        maps=[
            (group, name, source_of(spec, cells=cells))
            for group, specs in maps
            for name, spec in specs.items()
        ],
        verdicts=[_verdict(scorer, spec, cells=cells) for scorer, spec in mapping.verdicts.items()],
        where=None if mapping.where is None else Expression(mapping.where),
        benchmark=benchmark or mapping.default_benchmark or "",
        hidden_trace_models=hidden_trace_models,
    )


def source_of(spec: Spec, *, cells: bool) -> Source:
    """Where a field comes from, and the columns it needs.

    >>> source_of(Spec(expr="a.b + c"), cells=False).value({"a": {"b": 1}, "c": 2})
    3
    """
    if spec.expr is not None:
        expression = Expression(spec.expr)
        return Source(f"expression {spec.expr}", expression.columns, expression.value, cells)
    if spec.column is not None:
        path = spec.column
        return Source(f"column {path}", frozenset([path]), partial(lookup, path=path), cells)
    return Source("constant", frozenset(), lambda _: spec.value, False)


def _verdict(scorer: str, spec: VerdictSpec, *, cells: bool) -> _Verdict:
    judged = None if spec.extracted_answer is None else source_of(spec.extracted_answer, cells=cells)
    return _Verdict(scorer, spec.kind, source_of(spec.value, cells=cells), judged)


class _Found:
    """Values of one record; its faults are gathered, so that they are told all at once."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.faults: list[str] = []

    def of(self, source: Source, kind: Kind | type[Any], key: str) -> Any:
        place = f"{source.label}, for {key}"
        return self._read(source, partial(typed, kind=kind, where=place, cells=source.cells))

    def verdict(self, planned: _Verdict) -> LoggedVerdict:
        source = planned.score
        place = f"{source.label}, for verdicts.{planned.scorer}"
        value = self._read(source, partial(score, kind=planned.kind, where=place, cells=source.cells))
        return LoggedVerdict(
            scorer=planned.scorer,
            raw=self._read(source, text_of),
            value=value,
            kind=planned.kind,
            extracted_answer=None if planned.judged is None else self._read(planned.judged, text_of),
        )

    def _read(self, source: Source, read: Callable[[Any], Any]) -> Any:
        try:
            return read(source.value(self.row))
        except LogError as error:
            self.faults.append(str(error))
            return None
