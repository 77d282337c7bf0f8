"""Which observations and scores does a Langfuse export hold of each trace, and where do they stand?

    trace with observations | page of rows | one row  ->  observations and scores by trace | rejections

Source: formats.md section 2.10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from effspark.errors import problem
from effspark.readers import Entry, NotSelected, Rejected
from effspark.readers.langfuse_shapes import Observation, Score, mapping, snake
from effspark.readers.members import Member, listed, members


@dataclass(frozen=True)
class Place:
    """A document, or a row of one: where it begins in the file, and its text."""

    offset: int
    text: str

    def of(self, name: str) -> int:
        """Where the document first quotes a name, in bytes of the file; its beginning where it does not."""
        before, quoted, _ = self.text.partition(f'"{name}"')
        return self.offset + (len(before.encode("utf-8", "surrogatepass")) if quoted else 0)

    def rows(self, *names: str) -> list[Place]:
        """Where the rows of a list stand that lies under these names; none where there is no list."""
        here = self
        for name in names:
            found = members(here.text, "a Langfuse export", offset=here.offset).get(name)
            if found is None:
                return []
            here = Place(*found)
        return [Place(*row) for row in listed(Member(here.offset, here.text), "a Langfuse export")]


@dataclass
class Trace:
    """What a file holds of one trace. It begins at its first row that is no score: scores may come before it."""

    offset: int
    text: str
    about: Mapping[str, Any] = field(default_factory=dict)
    observations: dict[str, Observation] = field(default_factory=dict)
    scores: list[Score] = field(default_factory=list)

    def met(self, offset: int, text: str) -> Trace:
        """The trace, which begins here where nothing but scores came before."""
        if not self.observations and not self.about:
            self.offset, self.text = offset, text
        return self


def collect(place: Place, found: Mapping[str, Any], traces: dict[str, Trace]) -> Iterator[Entry]:
    """Sort what one document holds into its traces: a trace, a page of rows, or one row; yield what it is not.

    Parameters
    ----------
    place, found
        The document: where it stands, and what it holds.
    traces
        Traces met so far, which grow.

    >>> import json
    >>> traces, text = {}, '{"trace": {"id": "t"}, "observations": [{"id": "o", "type": "SPAN"}]}'
    >>> list(collect(Place(0, text), json.loads(text), traces))
    []
    >>> list(traces["t"].observations)
    ['o']
    """
    if isinstance(found.get("data"), list) and isinstance(found.get("meta"), dict):
        for at, row in zip(place.rows("data"), found["data"], strict=True):
            yield from collect(at, mapping(row), traces)
        return
    about = found["trace"] if isinstance(found.get("trace"), dict) else found
    listed_here = _listed(place, found, "observations")
    observations = [(at, row) for at, row in listed_here if isinstance(row, dict)]
    if about is not found or observations:
        if not isinstance(about.get("id"), str):
            yield Rejected(place.offset, "invalid_record", _no_id(about.get("id")), place.text)
            return
        begin = place.of(about["id"])
        trace = traces.setdefault(about["id"], Trace(begin, place.text)).met(begin, place.text)
        trace.about = snake(about)
        scores = _listed(place, about, "scores", within=() if about is found else ("trace",))
        for at, row in (*observations, *scores):
            inner = snake(mapping(row))
            yield from _row(at, inner | {"trace_id": inner.get("trace_id") or about["id"]}, traces)
        return
    yield from _row(place, found, traces)


def _listed(
    place: Place, found: Mapping[str, Any], name: str, *, within: tuple[str, ...] = ()
) -> list[tuple[Place, Any]]:
    """Rows of a list with the place of each; none where there is no list."""
    rows = found.get(name)
    return list(zip(place.rows(*within, name), rows, strict=True)) if isinstance(rows, list) else []


def _row(place: Place, row: Mapping[str, Any], traces: dict[str, Trace]) -> Iterator[Entry]:
    named = snake(row)
    trace_id = named.get("trace_id")
    if trace_id is None or not ("type" in named or "name" in named):
        yield NotSelected(place.offset, "row of a trace without its observations")
        return
    found = _typed(named, Observation if "type" in named else Score, place)
    if isinstance(found, Observation):
        begin = place.of(found.trace_id)
        trace = traces.setdefault(found.trace_id, Trace(begin, place.text)).met(begin, place.text)
        trace.observations[found.id] = found
    elif isinstance(found, Rejected):
        yield found
    else:
        traces.setdefault(found.trace_id, Trace(place.offset, place.text)).scores.append(found)


def _typed(
    row: Mapping[str, Any], kind: type[Observation] | type[Score], place: Place
) -> Observation | Score | Rejected:
    try:
        return msgspec.convert(row, kind)
    except msgspec.ValidationError as error:
        detail = problem(
            f"a field of another type in an {kind.__name__.lower()}",
            where=f"id {row.get('id')!r:.80}",
            found=str(error),
            allowed="the types of Langfuse exports",
            remedy="export again",
        )
        return Rejected(place.offset, "wrong_type", detail, place.text)


def _no_id(found: Any) -> str:
    return problem(
        "a trace without its id",
        where="trace.id",
        found=f"{found!r:.80}",
        allowed="a text",
        remedy="export the trace again",
    )
