"""What does one row of lighteval's details say, in the layout of before or after version 0.11?

    {doc, model_response, metric}                      ->  Detail   (current)
    {example, full_prompt, predictions, ..., metrics}  ->  Detail   (older; any column may be Python text)

Older rows have no id: the place of the row stands in. `truncated` there, and `truncated_tokens_count` now, are about
the prompt, and are not read. Source: formats.md section 2.3.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from effspark.benchmarks import choices as choices_of
from effspark.errors import LogError, problem
from effspark.readers.cells import Row, text_of

CURRENT = ("doc", "model_response", "metric")
OLDER = ("full_prompt", "predictions", "cont_tokens", "metrics")
_GENERATIVE = "GENERATIVE"


@dataclass(frozen=True, kw_only=True)
class Detail:
    """One row. `texts`, `reasonings` and `token_counts` are as long as there are texts; null where not logged."""

    instance_id: Any
    task: str | None
    prompt: str | None
    question: str | None
    gold: str | None
    texts: Sequence[str | None]
    reasonings: Sequence[str | None]
    token_counts: Sequence[int | None]
    input_tokens: int | None
    generation_size: int | None
    metrics: Mapping[str, Any]
    axes: Mapping[str, float]
    generates: bool


class _Doc(msgspec.Struct):
    query: str | None = None
    original_query: str | None = None
    choices: list[Any] | None = None
    gold_index: int | list[int] | None = None
    specific: Any = None
    id: Any = None
    task_name: str | None = None
    sampling_methods: list[str] | None = None
    generation_size: int | None = None


class _Response(msgspec.Struct):
    input: Any = None
    input_tokens: list[int] | None = None
    text: list[str | None] | None = None
    output_tokens: list[list[int] | None] | None = None
    reasonings: list[str | None] | None = None
    padded_tokens_count: int | None = None


class _Current(msgspec.Struct):
    doc: _Doc
    model_response: _Response
    metric: dict[str, Any] | None = None


class _Older(msgspec.Struct):
    full_prompt: Any = None
    predictions: list[Any] | None = None
    input_tokens: list[Any] | None = None
    cont_tokens: list[Any] | None = None
    padded: Any = None
    gold: Any = None
    choices: list[Any] | None = None
    gold_index: Any = None
    metrics: dict[str, Any] | None = None
    specifics: Any = None


def detail_of(row: Row, place: int) -> Detail:
    """What a row says, in either layout.

    Parameters
    ----------
    row
        The row, by column.
    place
        Its number in the file.

    Raises
    ------
    LogError
        A column has another type.

    >>> row = {"doc": {"id": "7", "choices": ["3"], "gold_index": 0}, "metric": {"em": 1.0},
    ...     "model_response": {"text": ["3"], "output_tokens": [[5, 6]]}}
    >>> found = detail_of(row, 0)
    >>> found.instance_id, found.gold, found.token_counts
    ('7', '3', [2])
    """
    try:
        if "doc" in row:
            return _current(msgspec.convert(dict(row), _Current))
        return _older(msgspec.convert(_parsed(row), _Older), place)
    except (msgspec.ValidationError, ValueError, SyntaxError, RecursionError) as error:
        text = problem(
            "a column of another type",
            where=f"row {place}",
            found=str(error),
            allowed="the columns that lighteval writes",
            remedy="write the details again, or describe them with --mapping",
        )
        raise LogError(text) from error


def _current(row: _Current) -> Detail:
    doc, response = row.doc, row.model_response
    texts = response.text or []
    ids = response.output_tokens or []
    methods = doc.sampling_methods
    return Detail(
        instance_id=doc.id,
        task=doc.task_name,
        prompt=text_of(response.input if response.input is not None else doc.query),
        question=doc.original_query,
        gold=_gold(doc.choices, doc.gold_index),
        texts=texts,
        reasonings=_beside(response.reasonings or [], len(texts)),
        token_counts=_beside([len(one) if one else None for one in ids], len(texts)),
        input_tokens=_without_padding(len(response.input_tokens or ()), response.padded_tokens_count),
        generation_size=doc.generation_size,
        metrics=row.metric or {},
        axes=_axes(doc.specific),
        generates=not methods or _GENERATIVE in methods,
    )


def _older(row: _Older, place: int) -> Detail:
    texts = _flat(row.predictions or [])
    generates = all(text is None or isinstance(text, str) for text in texts)
    given = row.input_tokens[0] if row.input_tokens else None
    padded = row.padded[0] if isinstance(row.padded, list) and row.padded else None
    ids = _lists(row.cont_tokens or [])
    return Detail(
        instance_id=place,
        task=None,
        prompt=text_of(row.full_prompt),
        question=None,
        gold=_gold(row.choices, row.gold_index) or _one(row.gold),
        texts=texts,
        reasonings=[None] * len(texts),
        token_counts=_beside([len(one) or None for one in ids], len(texts)),
        input_tokens=_without_padding(len(given) if isinstance(given, list) else 0, padded),
        generation_size=None,
        metrics=row.metrics or {},
        axes=_axes(row.specifics),
        generates=generates,
    )


def _parsed(row: Row) -> dict[str, Any]:
    """A row whose columns lighteval wrote as the text of Python values, where Parquet could not hold them."""
    texts = ("full_prompt", "example", "instruction")
    return {
        name: ast.literal_eval(value) if isinstance(value, str) and name not in texts else value
        for name, value in row.items()
        if name in _Older.__struct_fields__
    }


def _flat(predictions: list[Any]) -> list[Any]:
    """Predictions of k texts, which some versions hold as one list of them."""
    only = predictions[0] if len(predictions) == 1 else None
    return only if isinstance(only, list) and all(isinstance(one, str) for one in only) else predictions


def _lists(tokens: list[Any]) -> list[list[Any]]:
    """Token ids of each text: k samples of one request lie one level deeper than k requests."""
    inner = tokens[0] if len(tokens) == 1 and isinstance(tokens[0], list) else None
    deeper = inner is not None and all(isinstance(one, list) for one in inner) and inner != []
    found = inner if deeper and inner is not None else tokens
    return [one for one in found if isinstance(one, list)]


def _beside(found: list[Any], n_texts: int) -> list[Any]:
    """Values of the texts; where there is not one for each, nothing tells whose they are."""
    return found if len(found) == n_texts else [None] * n_texts


def _without_padding(n_tokens: int, padded: Any) -> int | None:
    """Tokens of the prompt itself; a padding below 0 was not counted."""
    padding = padded if isinstance(padded, int) and padded > 0 else 0
    return n_tokens - padding if n_tokens > padding else None


def _gold(choices: list[Any] | None, index: Any) -> str | None:
    places = index if isinstance(index, list) else [index]
    if not choices or not all(isinstance(one, int) and 0 <= one < len(choices) for one in places):
        return None
    marked = choices_of.of_log(choices, index=places[0]) if len(places) == 1 else None
    return marked or _one([choices[one] for one in places])


def _one(golds: Any) -> str | None:
    return text_of(golds[0]) if isinstance(golds, list) and len(golds) == 1 else text_of(golds or None)


def _axes(specific: Any) -> dict[str, float]:
    said = specific if isinstance(specific, Mapping) else {}
    return {name: value for name, value in said.items() if type(value) in (int, float)}
