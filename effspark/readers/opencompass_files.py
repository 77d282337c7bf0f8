"""OpenCompass: what do the folders and the files beside a predictions file say of it?

    outputs/<time>/predictions/<model>/<data set>[_<shard>].json  ->  run, model, data set, place of its first item
    outputs/<time>/results/<model>/<data set>.json                ->  what the evaluator says of each item

A name that ends in a number is a shard where the shards before it lie beside it, else a data set of that name.
Shards each count from 0: the items of the shards before are counted. Source: formats.md section 2.7.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from effspark.errors import LogError, problem
from effspark.readers.companions import file_at, parent
from effspark.readers.files import Log
from effspark.readers.members import members, part

PREDICTIONS, RESULTS = "predictions", "results"
_NAME = re.compile(r"(?:(tmp_)?(.+)\.jsonl|(.+)\.json)(?:\.gz)?")
_SHARD = re.compile(r"(.+)_(0|[1-9]\d*)")
MOST_DIGITS = 18
"""Longest number of an item."""
_RUN = re.compile(r"\d{8}_\d{6}")


class Place(NamedTuple):
    """What a path says. Outside the folders of the tool nothing is known."""

    run: str | None = None
    model: str | None = None
    benchmark: str | None = None
    first: int = 0


def place_of(uri: str) -> Place:
    """Place of a predictions file; `first` is the number of its first item in the whole data set.

    Raises
    ------
    LogError
        A shard before it is missing or cannot be read.

    >>> place_of("outputs/20260301_100000/predictions/qwen3-8b/gsm8k.json")
    Place(run='20260301_100000', model='qwen3-8b', benchmark='gsm8k', first=0)
    >>> place_of("elsewhere/gsm8k.json").model is None
    True
    """
    *folders, name = uri.split("/")
    found = _NAME.fullmatch(name)
    if len(folders) < 2 or folders[-2] != PREDICTIONS or found is None:
        return Place()
    run = folders[-3] if len(folders) > 2 and _RUN.fullmatch(folders[-3]) else None
    stem = found[2] or found[3]
    before = _shards_before(parent(uri), stem)
    benchmark = stem if before is None else stem.rpartition("_")[0]
    first = sum(len(members(shard.text(), shard.uri)) for shard in before or ())
    return Place(run, folders[-1], benchmark, first)


def _shards_before(folder: str, stem: str) -> list[Log] | None:
    """Shards before one of this name; null where it is no shard."""
    found = _SHARD.fullmatch(stem)
    if found is None or file_at(f"{folder}/{found[1]}.json") is not None:
        return None
    number = int(found[2])
    if number and file_at(f"{folder}/{found[1]}_0.json") is None:
        return None
    before = []
    for place in range(number):
        shard = file_at(f"{folder}/{found[1]}_{place}.json")
        if shard is None:
            missing = problem(
                "a shard is missing",
                where=f"{folder}/{stem}.json",
                found=f"no {found[1]}_{place}.json",
                allowed="all shards before this one, since an item is named by its place in the whole data set",
                remedy="put the shards of a data set together and load them again",
            )
            raise LogError(missing)
        before.append(shard)
    return before


def predictions_of(uri: str) -> Log | None:
    """Predictions that a results file was made of, its first shard where they are shards; else null."""
    *folders, name = uri.split("/")
    if len(folders) < 2 or folders[-2] != RESULTS or not name.endswith(".json"):
        return None
    beside = "/".join([*folders[:-2], PREDICTIONS, folders[-1], name])
    try:
        return file_at(beside) or file_at(f"{beside.removesuffix('.json')}_0.json")
    except LogError:  # where nobody may look, a file is known by its content alone
        return None


class Detail(msgspec.Struct):
    """What an evaluator says of one item; of k predictions as a list."""

    correct: Any = None
    pred: Any = None
    predictions: Any = None

    def of(self, place: int, count: int) -> tuple[bool | None, Any]:
        """Verdict and extracted answer of one of `count` predictions, null where they cannot be told apart.

        >>> Detail(correct=[True, False], pred=["18", "17"]).of(1, 2), Detail(correct=True, pred="18").of(0, 2)
        ((False, '17'), (None, None))
        """
        extracted = self.predictions if self.pred is None else self.pred
        correct, answer = (_one(value, place, count) for value in (self.correct, extracted))
        return (
            bool(correct) if isinstance(correct, (bool, int, float)) and correct in (0, 1) else None
        ), answer


def details_of(uri: str, place: Place) -> Mapping[int, Detail]:
    """What the evaluator says of the items of a predictions file, by their number in the data set.

    Raises
    ------
    LogError
        The results cannot be read.
    """
    if place.model is None:
        return {}
    results = file_at(f"{parent(uri, 3)}/{RESULTS}/{place.model}/{place.benchmark}.json")
    if results is None:
        return {}
    found: Any = part(members(results.text(), results.uri), "details", object, results.uri)
    listed = enumerate(found) if isinstance(found, list) else found.items() if isinstance(found, dict) else ()
    return {
        int(number): msgspec.convert({name: value.get(name) for name in Detail.__struct_fields__}, Detail)
        for number, value in listed
        if isinstance(value, dict) and str(number).isdecimal() and len(str(number)) <= MOST_DIGITS
    }


def _one(value: Any, place: int, count: int) -> Any:
    if isinstance(value, list):
        return value[place] if len(value) == count else None
    return value if count == 1 else None
