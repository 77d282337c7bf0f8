"""Items of a benchmark: what is asked, the right answer, and how hard it is.

    {id?, question, answer, numeric fields}  ->  row of `instances`, source `items`

An item without an id is named by its 0-based place among the records of the file. The answer is stored as the
benchmark's rule gives it (GSM8K: the number after `####`; a rule of choices: letter and options), or as it is where
conf declares no rule, and beside it as it is (`solution`), since work is counted of it. Numeric fields beside these are
axes; cells of a CSV file are text and give none. Chosen with `--instances`, never detected.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from effspark import benchmarks
from effspark.benchmarks import Benchmark, choices
from effspark.errors import LogError, SettingsError, problem
from effspark.readers import FIELDS, Carries, Entry, Fact, Options, Reader, Reads, Rejected
from effspark.readers.cells import Row, text_of
from effspark.readers.files import Log
from effspark.readers.rows import Record, rows
from effspark.runs import checks, keys

SOURCE = "items"
"""Value of `instances.source`: the benchmark's own items, which outrank what logs show."""
IDS = ("id", "instance_id", "question_id")
QUESTIONS = ("question", "problem", "prompt", "puzzle")
ANSWERS = ("gold", "target", "answer", "solution")
OPTIONS = ("options", "choices")
PLACE = "answer_index"
"""Names under which items hold their fields; the first that is there counts."""
_NO_AXES = frozenset({*IDS, *QUESTIONS, *ANSWERS, *OPTIONS, PLACE})


class Items:
    """Reader of a benchmark's items."""

    name = "items"
    version = 2
    reads = Reads.FILE
    title = "items of a benchmark (JSON lines, JSON list, CSV or Parquet)"
    trap = (
        "An item without an id is named by its place in the file: a file that was sorted or cut names other "
        "items."
    )
    carries: Mapping[str, Carries] = {**dict.fromkeys(FIELDS, Carries.ABSENT), "gold": Carries.YES}

    def detect(self, log: Log) -> float:  # noqa: ARG002
        """Items are named by the command, never detected."""
        return 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:
        """One entry an item.

        Raises
        ------
        SettingsError
            No benchmark is named, or the rule of its answers is unknown.
        """
        if not options.benchmark:
            raise SettingsError(
                problem(
                    "items of no benchmark",
                    where=log.uri,
                    found="no --benchmark",
                    allowed="the name of the benchmark these items belong to",
                    remedy="add --benchmark NAME",
                )
            )
        rule = benchmarks.benchmark_named(options.answers) if options.answers else None
        return _entries(log, options.benchmark, rule)


READER: Reader = Items()


def _entries(log: Log, benchmark: str, rule: Benchmark | None) -> Iterator[Entry]:
    seen: set[str] = set()
    for place, record in enumerate(rows(log).records):
        if isinstance(record, Rejected):
            yield record
            continue
        try:
            fact = _fact(record, place, benchmark, rule)
            if fact["instance_id"] in seen:
                raise LogError(
                    f"id: found {fact['instance_id']!r:.80} a second time; allowed: one item an id (7 and '7' are "
                    "one); name the items apart"
                )
        except LogError as error:
            yield Rejected(record.offset, "invalid_record", str(error), text_of(record.raw) or "")
            continue
        seen.add(fact["instance_id"])
        yield Fact(record.offset, "instances", fact, record.raw)


def _fact(record: Record, place: int, benchmark: str, rule: Benchmark | None) -> dict[str, Any]:
    row = record.row
    name = next((name for name in IDS if name in row), None)
    instance = keys.instance_id(place if name is None else row[name])
    question = _first(row, QUESTIONS)
    if question is not None and not isinstance(question, str):
        raise LogError(f"question: found {question!r:.80}; allowed: a text; mend the item")
    answer = _answer(row, choosing=isinstance(rule, benchmarks.Chooses))
    if question is None and answer is None:
        raise LogError(
            f"item {instance!r:.80}: found neither question nor answer; "
            f"allowed: one of {', '.join(QUESTIONS)} or {', '.join(ANSWERS)}; name the fields so"
        )
    gold = _gold(answer, rule)
    axes = {
        name: axis
        for name, value in row.items()
        if name not in _NO_AXES and (axis := checks.finite(value)) is not None
    }
    return {
        "benchmark_id": benchmark,
        "instance_id": instance,
        "source": SOURCE,
        "holds": keys.holds(axes, solution=answer, gold=gold, question=question),
        "gold": gold,
        "solution": answer,
        "question": question,
        "question_hash": None if question is None else keys.question_hash(question),
        "axes": axes,
        "cluster": None,
        "instance_key": f"{keys.instance_key(benchmark, instance):016x}",
    }


def _first(row: Row, names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _answer(row: Row, *, choosing: bool) -> str | None:
    """Right answer as the item tells it, for a rule of choices with the options and the place of the right one."""
    answer, options, place = _first(row, ANSWERS), _first(row, OPTIONS), row.get(PLACE)
    if isinstance(options, str):
        options = choices.parsed(options)
    if options is None or (answer is None and place is None):
        return text_of(answer)
    item = {"options": options, "answer": answer, "answer_index": place}
    if choosing:
        return text_of(item)
    found = choices.right_option(item) if answer is None else None
    return text_of(answer) if found is None else found[1][found[0]]


def _gold(answer: str | None, rule: Benchmark | None) -> str | None:
    if answer is None or rule is None:
        return answer
    gold = rule.gold(answer)
    if gold is None:
        raise LogError(
            f"answer: found {answer!r:.80}, in which the rule {rule.name} finds no answer; "
            "allowed: an answer in the benchmark's own form; mend the item"
        )
    return gold
