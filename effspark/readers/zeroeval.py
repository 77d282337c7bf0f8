"""ZeroEval results: one JSON list a model and task, with the texts and nothing else.

    {id, output: [k texts], generator, configs, question, answer}  ->  k runs

There is no verdict, token count or stop reason: T is estimated from the text (for models that show all of
it), and the benchmark's rule scores the answer later. A text is kept as generated, reasoning and answer in
one, fences and all. The engine of the harness is kept as the route: two engines are two ways to run a model,
and their runs must not replace each other. Settings of the harness that no column holds (cot, top_p, ...)
keep eval runs apart. Summary tables, which lie beside the results, are not logs. Source: formats.md section
2.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from effspark.benchmarks.answers import object_in
from effspark.errors import LogError
from effspark.readers import Carries, Entry, Mapped, NotSelected, Options, Reader, Reads, Rejected
from effspark.readers.cells import text_of
from effspark.readers.configurations import configuration_of
from effspark.readers.files import Log
from effspark.readers.jsonl import decoded, elements
from effspark.runs import checks, keys
from effspark.runs.record import LoggedRun, Visibility
from effspark.runs.tokens import hides_trace

_NAMES = (b'"session_id"', b'"chat_history"', b'"output"', b'"generator"')
_SIZE = re.compile(r"(\d+)\*(\d+)")
_IN_COLUMNS = ("engine", "temperature", "max_tokens")
_CARRIES = {
    "verdict": Carries.DERIVABLE,
    "stop": Carries.ABSENT,
    "tokens": Carries.DERIVABLE,
    "reasoning": Carries.ABSENT,
    "repeat": Carries.YES,
    "trace": Carries.YES,
    "gold": Carries.YES,
    "latency": Carries.ABSENT,
    "cost": Carries.ABSENT,
}


class _Record(msgspec.Struct):
    output: list[str | None] | None = None
    id: Any = None
    session_id: Any = None
    generator: str | None = None
    dataset: str | None = None
    configs: dict[str, Any] = {}
    chat_history: list[str] = []
    model_input: Any = None
    question: str | None = None
    puzzle: str | None = None
    answer: Any = None
    solution: Any = None
    size: str | None = None
    model: Any = msgspec.field(name="Model", default=None)


class ZeroEval:
    """Reader of ZeroEval result files."""

    name = "zeroeval"
    version = 1
    reads = Reads.FILE
    title = "ZeroEval result_dirs/<task>/<model>.json"
    trap = (
        "There are only texts: an answer that is no JSON need not be cut, and a file may hold a part of the "
        "benchmark."
    )
    carries: Mapping[str, Carries] = _CARRIES

    def detect(self, log: Log) -> float:
        """Confidence by the names at the start of the list; lower where its first record is longer than that."""
        head = log.head
        if not head.lstrip().startswith(b"[") or not all(name in head for name in _NAMES[:2]):
            return 0.0
        return 0.95 if all(name in head for name in _NAMES) else 0.7

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry a record of the list: k runs, a summary row that is not selected, or a rejection."""
        for offset, text in elements(log.text(), log.uri):
            record = decoded(text, _Record, offset=offset)
            yield record if isinstance(record, Rejected) else _entry(offset, text, record, options)


READER: Reader = ZeroEval()


def _entry(offset: int, text: str, record: _Record, options: Options) -> Entry:
    if record.output is None and record.model is not None:
        return NotSelected(offset, "summary row")
    if not record.output:
        detail = "output: found no text; allowed: a list of generated texts; run the model on this item again"
        return Rejected(offset, "invalid_record", detail, text)
    try:
        known = _known(record, options)
    except LogError as error:
        return Rejected(offset, "invalid_record", str(error), text)
    hidden = hides_trace(record.generator or "", options.hidden_trace_models)
    runs = [_run(known, place, answer, hidden=hidden) for place, answer in enumerate(record.output)]
    return Mapped(offset, tuple(runs), text)


def _known(record: _Record, options: Options) -> dict[str, Any]:
    """Fields that the k runs of a record have in common."""
    configs = record.configs
    benchmark = record.dataset or options.benchmark or ""
    configuration = configuration_of(
        request_model=record.generator or "",
        provider_route=configs.get("engine"),
        temperature=_plain(configs.get("temperature")),
        output_budget_tokens=configs.get("max_tokens"),
    )
    others = {name: _plain(value) for name, value in configs.items() if name not in _IN_COLUMNS}
    houses = _SIZE.fullmatch(record.size or "")
    sent = record.model_input
    return {
        "configuration": configuration,
        "benchmark_id": benchmark,
        "instance_id": record.session_id if record.id is None else record.id,
        "eval_run_id": keys.digest("eval_run", READER.name, benchmark, configuration.config_id, others),
        "record_id": record.session_id if isinstance(record.session_id, str) else None,
        "prompt": sent if isinstance(sent, str) and sent != "n/a" else "\n".join(record.chat_history) or None,
        "question": record.question if record.question is not None else record.puzzle,
        "gold": text_of(record.solution if record.answer is None else record.answer),
        "axes": {} if houses is None else {"houses": float(houses[1]), "features": float(houses[2])},
        "tags": {"cot": str(configs["cot"])} if "cot" in configs else {},
    }


def _run(known: Mapping[str, Any], place: int, answer: str | None, *, hidden: bool) -> LoggedRun:
    visibility = Visibility.HIDDEN if hidden else Visibility.FULL if answer else Visibility.NONE
    return LoggedRun(
        **known,
        attempt=str(place),
        answer=answer,
        trace_visibility=visibility,
        estimable=visibility is Visibility.FULL,
        quality_flags=("unparsable_answer",) if answer and object_in(answer) is None else (),
    )


def _plain(value: Any) -> Any:
    """A setting so that 1 and 1.0 are one."""
    plain = checks.finite(value)
    return value if plain is None else plain
