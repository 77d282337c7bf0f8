"""What does the text of each run say of itself? Rows of the table `trace_measures`.

    named runs  ->  runs whose trace is shown whole, by what is measured of them (no text is read)
    those without a row of the same hashes, joined with their texts  ->  rows

A row depends on its text (text_hash) and on what rule_hash covers; while both stay, it is kept and the text is neither
read nor compressed again. Tails are those of truncated runs, prefixes those of runs that are completed and right by the
benchmark's own rule. Written with narwhals and Arrow for both engines. Does not sum: that is for moments. Source:
definitions.md sections 1 and 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import narwhals as nw
import pyarrow as pa

from effspark import tables
from effspark.analyses import early_stop, loops
from effspark.benchmarks import Turns, benchmark_named
from effspark.layers import trace
from effspark.layers.judging import right_answer
from effspark.runs.generation import trace_of
from effspark.runs.keys import WINNER_ORDER, digest
from effspark.runs.record import Visibility

Frame = Any

MEASURES_VERSION = 1
"""Raised when the same text and rule give another row: with a change of a measure, or of an extractor."""

_PLACE = WINNER_ORDER[1:]
"""Which record, read how: it has the prompt that a tail is compared with. Its time is no part of that."""
_RECORD = ("run_key", *WINNER_ORDER)
_HASHES = ("run_key", "text_hash", "rule_hash")

SHOWN = pa.schema(
    [
        *(tables.schema("runs").field(name) for name in ("run_key", "generation_hash", "truncated")),
        ("benchmark", pa.string()),
        ("gold", pa.string()),
        *(tables.schema("runs").field(name) for name in WINNER_ORDER),
    ]
)
"""Runs whose trace is shown whole, with canonical benchmark and gold answer."""

ASKED = pa.schema(
    [
        *(tables.schema("trace_measures").field(name) for name in _HASHES),
        ("truncated", pa.bool_()),
        ("rule", pa.string()),
        ("gold", pa.string()),
        *(tables.schema("runs").field(name) for name in WINNER_ORDER),
    ]
)
"""What is to be measured of each of them; `rule` and `gold` are null where no prefix is looked for."""

INPUT = pa.schema(
    [
        *(ASKED.field(name) for name in ASKED.names if name not in WINNER_ORDER),
        *(tables.schema("traces").field(name) for name in ("prompt", "reasoning", "answer")),
    ]
)
"""The same with the text of each run, for those that have no row yet."""


def shown(named: Frame) -> Frame:
    """Runs of which the log shows the trace whole, of schema SHOWN."""
    return named.filter(nw.col("trace_visibility") == Visibility.FULL.value).select(SHOWN.names)


def asked(rows: pa.Table, rules: Mapping[str, str]) -> pa.Table:
    """What is to be measured of each run, rows of ASKED; no text is needed to tell.

    Parameters
    ----------
    rows
        Table of schema SHOWN.
    rules
        Benchmark -> name of its rule (conf).

    >>> row = dict.fromkeys(SHOWN.names) | {"run_key": "r", "generation_hash": "t", "benchmark": "gsm8k", "gold": "4"}
    >>> row |= {"log_version": 0, "reader_version": 1, "mapping_version": 0, "source_sha256": "f"}
    >>> row |= {"source_offset": 0, "source_answer": 0}
    >>> asked(pa.Table.from_pylist([row], SHOWN), {"gsm8k": "gsm8k"}).select(["text_hash", "rule"]).to_pylist()
    [{'text_hash': 't', 'rule': 'gsm8k'}]
    """
    found: dict[str, list[Any]] = {"rule_hash": [], "rule": [], "gold": []}
    named = ("truncated", "benchmark", "gold", *_PLACE)
    for cut, benchmark, gold, *place in zip(*(rows[name].to_pylist() for name in named), strict=True):
        rule = None if cut or gold is None else rules.get(benchmark)
        said = None if rule is None else gold
        found["rule"].append(rule)
        found["gold"].append(said)
        found["rule_hash"].append(_rule_hash(bool(cut), rule, said, *(place if cut else ())))
    kept = {name: rows[name] for name in ("run_key", "truncated", *WINNER_ORDER)}
    whole = kept | found | {"text_hash": rows["generation_hash"]}
    return pa.table({name: whole[name] for name in ASKED.names}, schema=ASKED)


@lru_cache(maxsize=4096)
def _rule_hash(*parts: Any) -> str:
    return digest(
        "trace_measures", MEASURES_VERSION, trace.LEVEL, trace.LIBRARY, loops.N, loops.WINDOW, *parts
    )


def kept(wanted: Frame, known: Frame) -> Frame:
    """Rows of `trace_measures` that still hold: their run is wanted, by the same hashes."""
    still = wanted.select(*_HASHES)
    return known.join(still, on=[*_HASHES], how="inner").select(*tables.columns("trace_measures"))


def to_measure(wanted: Frame, known: Frame, traces: Frame) -> Frame:
    """Runs that have no such row, with their text, of schema INPUT; no other text is taken along.

    A run whose record shows no text has none here: what `traces` holds of another record is not what it generated.

    Parameters
    ----------
    wanted
        Frame of schema ASKED.
    known, traces
        The tables `trace_measures` and `traces`.
    """
    texts = traces.select(*_RECORD, "prompt", "reasoning", "answer").filter(
        (nw.col("reasoning") != "") | (nw.col("answer") != "")
    )
    new = wanted.join(known.select(*_HASHES), on=[*_HASHES], how="anti")
    prompt = nw.when(nw.col("truncated")).then(nw.col("prompt")).alias("prompt")
    return new.join(texts, on=[*_RECORD], how="inner").with_columns(prompt).select(INPUT.names)


def measured(rows: pa.Table) -> pa.Table:
    """Measures of runs, rows of `trace_measures`; a run without text gets none.

    Parameters
    ----------
    rows
        Table of schema INPUT.

    Raises
    ------
    EffsparkError
        Another deflate library stands in for zlib.

    >>> row = {"run_key": "r", "text_hash": "t", "rule_hash": "h", "rule": "gsm8k", "gold": "4"}
    >>> row |= {"reasoning": "2 + 2 is 4, I think.", "answer": "4"}
    >>> found = measured(pa.Table.from_pylist([row], INPUT)).to_pylist()[0]
    >>> found["characters"], found["prefix_characters"], found["extractor"], found["tail_n_grams"]
    (22, 11, 'gsm8k', None)
    """
    _check_zlib()
    found = []
    for place in range(rows.num_rows):  # one text at a time: a batch may hold many long ones
        (row,) = rows.slice(place, 1).to_pylist()
        text = trace_of(row["reasoning"], row["answer"])
        if text is not None:
            found.append(_row(row, text))
    return tables.from_rows("trace_measures", found)


_check_zlib = cache(trace.check_zlib)


def _row(row: Mapping[str, Any], text: str) -> dict[str, Any]:
    told = {name: row[name] for name in _HASHES} | trace.compressed(text)._asdict()
    told["characters"] = len(text)
    if row["truncated"]:
        tail = loops.tail(text, row["prompt"])
        told |= {"tail_n_grams": tail.n_grams} | {
            name: None if value != value else value  # NaN: undefined
            for name, value in tail._asdict().items()
            if name != "n_grams"
        }
    return told | _prefix(row, text)


def _prefix(row: Mapping[str, Any], text: str) -> dict[str, Any]:
    if row["rule"] is None or row["answer"] is None:
        return {}
    rule = benchmark_named(row["rule"])
    gold = right_answer(rule, row["gold"])
    if gold is None or not rule.score(row["answer"], gold).correct:
        return {}
    found = early_stop.shortest_prefix(
        text,
        lambda prefix: rule.score(prefix, gold).correct,
        turns=rule.turns(text, gold) if isinstance(rule, Turns) else None,
    )
    return {"prefix_characters": found, "extractor": rule.name}
