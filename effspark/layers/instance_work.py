"""How much work is in each instance? Rows of the table `workloads`, from what the lake knows of the instances.

    rows of instances  ->  W by scale, from each source  ->  that of the benchmark's items, else of the newest log

Native scales follow the rule of the benchmark, declared ones an expression over the axes of the instance. An instance
whose work cannot be counted has no row and leaves the workload layer, which says how much it covers. Source:
definitions.md section 4, paper appendix B.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from effspark import tables
from effspark.benchmarks.work import Item, NativeWork, native_work
from effspark.errors import LogError, SettingsError, all_problems, problem
from effspark.layers.moments import row_hash
from effspark.layers.workload import SOLVER_SCALE
from effspark.readers import expressions
from effspark.readers.expressions import Expression
from effspark.runs import checks, matching
from effspark.runs.keys import WINNER_ORDER
from effspark.settings import Settings

Frame = Any

NATIVE, DECLARED, AXIS = "native", "declared", "axis"
"""Kinds of rows of `workloads`: work by a rule or an expression, and the level of an axis that conf names."""

_ORDER = ("is_item", *WINNER_ORDER, "named", "source")
"""Of the work that sources give for an instance, the greatest counts."""

INPUT = pa.schema(
    [
        tables.schema("instances").field(name)
        for name in ("benchmark_id", "instance_id", "source", "question", "solution", "axes", *WINNER_ORDER)
    ]
)
"""Columns of `instances` that work is counted from."""

FOUND = pa.schema(
    [
        *tables.schema("workloads"),
        ("is_item", pa.int64()),
        *(tables.schema("instances").field(name) for name in WINNER_ORDER),
        ("named", pa.string()),
        ("source", pa.string()),
    ]
)
"""Rows of `workloads` from each source; `named` is the benchmark as the source names it."""


class Rule(NamedTuple):
    """How the work of one benchmark is counted; `scales` are in the order of conf, the first is primary."""

    native: NativeWork | None
    declared: Mapping[str, str]
    scales: tuple[str, ...]
    axes: tuple[str, ...]


def scale_of(axis: str) -> str:
    """What an axis is called among the scales, none of which can bear such a name in conf.

    >>> scale_of("depth"), axis_of(scale_of("depth"))
    ('axis depth', 'depth')
    """
    return f"{AXIS} {axis}"


def axis_of(scale: str) -> str:
    """The axis that is called so among the scales."""
    return scale.removeprefix(f"{AXIS} ")


def rules(settings: Settings) -> dict[str, Rule]:
    """Rules by benchmark, of those that conf gives any.

    Raises
    ------
    SettingsError
        Unknown rules and scales, and expressions that cannot be used; all at once.

    >>> from effspark import settings
    >>> rules(settings.load())["proofwriter"].scales
    ('W_depth',)
    """
    found, faults = {}, []
    for name, benchmark in sorted(settings.benchmarks.items()):
        known = native_work()
        where = f"conf benchmarks.{name}"
        if benchmark.work is not None and benchmark.work not in known:
            faults.append(_fault("no such rule of work", f"{where}.work", benchmark.work, ", ".join(known)))
            continue
        native = None if benchmark.work is None else known[benchmark.work]
        own = (*(native.scales if native else ()), *sorted(benchmark.declared))
        faults += [
            _fault("no such scale of work", f"{where}.scales", scale, ", ".join(own) or "none: declare it")
            for scale in benchmark.scales
            if scale not in own
        ]
        if SOLVER_SCALE in benchmark.declared:
            where_declared = f"{where}.declared.{SOLVER_SCALE}"
            faults.append(
                _fault(
                    "a scale that reports derive from solvers", where_declared, SOLVER_SCALE, "another name"
                )
            )
        faults += [
            _fault("work that cannot be declared", f"{where}.declared.{scale}", source, fault)
            for scale, source in sorted(benchmark.declared.items())
            for fault in expressions.faults(source)
        ]
        if own or benchmark.axes:
            found[name] = Rule(native, dict(benchmark.declared), benchmark.scales or own, benchmark.axes)
    if faults:
        raise SettingsError(all_problems("scales of work in conf", faults))
    return found


def _fault(what: str, where: str, value: str, allowed: str) -> str:
    return problem(what, where=where, found=value, allowed=allowed, remedy="mend conf")


def found(instances: pa.Table, known: Mapping[str, Rule], aliases: Mapping[str, str]) -> pa.Table:
    """Work that each source gives, rows of FOUND.

    Parameters
    ----------
    instances
        Table of schema INPUT.
    known
        Result of `rules`.
    aliases
        Raw benchmark name -> canonical one.

    >>> from effspark import settings
    >>> row = {name: None for name in INPUT.names} | {"benchmark_id": "pw", "instance_id": "7", "source": "items"}
    >>> row |= {"axes": [("depth", 2.0)], "log_version": 0, "reader_version": 1, "mapping_version": 0}
    >>> row |= {"source_sha256": "", "source_offset": 0, "source_answer": 0}
    >>> given = pa.Table.from_pylist([row], INPUT)
    >>> found(given, rules(settings.load()), {"pw": "proofwriter"})["work"].to_pylist()
    [3.0]
    """
    names = [aliases.get(name, name) for name in instances["benchmark_id"].to_pylist()]
    ruled = instances.append_column("_name", pa.array(names, pa.string()))
    ruled = ruled.filter(pa.array([name in known for name in names], pa.bool_()))
    declared = {
        name: {scale: Expression(source) for scale, source in rule.declared.items()}
        for name, rule in known.items()
    }
    rows = []
    for row in ruled.to_pylist():
        benchmark, axes = row["_name"], dict(row["axes"])
        rule = known[benchmark]
        work = _native(rule, Item(row["question"], row["solution"], axes))
        work |= _declared(declared[benchmark], axes)
        place = {name: row[name] for name in ("source", *WINNER_ORDER)}
        place |= {"named": row["benchmark_id"], "is_item": int(row["source"] == matching.ITEMS)}
        for scale in rule.scales:
            if scale in work:
                kind = DECLARED if scale in rule.declared else NATIVE
                rows.append(place | _row(benchmark, row["instance_id"], scale, kind, work[scale]))
        levels = [(axis, checks.finite(axes[axis])) for axis in rule.axes if axis in axes]
        for axis, level in levels:
            if level is not None:
                rows.append(place | _row(benchmark, row["instance_id"], scale_of(axis), AXIS, level))
    return pa.Table.from_pylist(rows, FOUND)


def chosen(work: Frame) -> Frame:
    """Rows of `workloads`: of each canonical instance the work of the items, else of the newest log.

    Parameters
    ----------
    work
        Narwhals frame of rows of FOUND, of either engine.
    """
    newest = work.unique([*tables.key("workloads")], keep="last", order_by=[*_ORDER])
    return newest.select(*tables.columns("workloads"))


def _native(rule: Rule, item: Item) -> dict[str, float]:
    if rule.native is None:
        return {}
    try:
        return {scale: float(work) for scale, work in rule.native.measure(item).work.items()}
    except LogError:  # not countable: the instance has no row, and the layer says how many it covers
        return {}


def _declared(expressions_of: Mapping[str, Expression], axes: Mapping[str, float]) -> dict[str, float]:
    found = {}
    for scale, expression in expressions_of.items():
        try:
            work = checks.finite(expression.value(axes))
        except LogError:  # as above
            continue
        if work is not None and work > 0:
            found[scale] = work
    return found


def _row(benchmark: str, instance: str, scale: str, kind: str, work: float) -> dict[str, Any]:
    return {
        "benchmark_id": benchmark,
        "instance_id": instance,
        "scale": scale,
        "kind": kind,
        "work": work,
        "fingerprint": row_hash((benchmark, instance, scale, kind, work.hex())),
    }
