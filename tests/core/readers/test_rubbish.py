"""Rubbish in, refusals out: whatever stands in a log, none of our readers fails, and records add up.

Each reader reads its golden logs, one of whose files (the log, or one beside it) was spoilt in one place: a JSON value
replaced or deleted, a name written twice, the file cut, a byte flipped. The same spoils every time; EFFSPARK_FUZZ=2000
tries more a reader.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import zipfile_zstd  # noqa: F401 - teaches zipfile the Zstandard members of golden archives

from effspark import readers
from effspark.errors import LogError, SettingsError
from effspark.readers import staged_rows, staging
from effspark.readers.choosing import UNKNOWN_READER
from effspark.readers.crashes import READER_FAILED
from tests.core.readers.small_logs import log_of
from tests.core.readers.test_golden import CASES, items_of

TRIES = int(os.environ.get("EFFSPARK_FUZZ", "50"))
HUGE = "a number beyond the range of a float"
VALUES: tuple[Any, ...] = (None, -1, HUGE, 10**400, "", [], {}, True, "\ud800", float("nan"))
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"


class Target(NamedTuple):
    """Work on one golden log, and the files of its case."""

    case: Path
    item: staged_rows.Item
    files: tuple[Path, ...]


@cache
def targets() -> dict[str, list[Target]]:
    """Golden logs by the reader that reads them."""
    found: dict[str, list[Target]] = {}
    for case in CASES:
        files = [path for path in sorted((case / "logs").rglob("*")) if path.is_file()]
        for item in items_of(case, files):
            found.setdefault(item.choice.reader or UNKNOWN_READER, []).append(
                Target(case, item, tuple(files))
            )
    return found


def inner(value: Any) -> list[tuple[Any, Any]]:
    """Every place inside a JSON value: what holds it, and its key or index there."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, (dict, list)):
            for key in here if isinstance(here, dict) else range(len(here)):
                found.append((here, key))
                waiting.append(here[key])
    return found


def spoilt_value(text: str, rng: random.Random) -> str:
    """A JSON text with one value replaced or deleted, or with several: records side by side are refused each."""
    value = json.loads(text)
    for _ in range(rng.choice((1, 1, 8))):
        places = inner(value)
        if not places:
            return json.dumps(rng.choice(VALUES))
        holder, key = rng.choice(places)
        if rng.random() < 0.2:
            del holder[key]
        else:
            holder[key] = rng.choice(VALUES)
    return json.dumps(value).replace(json.dumps(HUGE), "1e400")


def doubled_name(text: str, rng: random.Random) -> str:
    """A JSON text in which one object holds one of its names twice, with another value or the same."""
    value = json.loads(text)
    objects = [
        one
        for one in (value, *(holder[key] for holder, key in inner(value)))
        if one and isinstance(one, dict)
    ]
    if not objects:
        return text
    outermost = value if isinstance(value, dict) and value else objects[0]
    chosen = outermost if rng.random() < 0.5 else rng.choice(objects)
    name = rng.choice(list(chosen))
    mark = f"twice {rng.random()}"
    chosen[mark] = chosen[name] if rng.random() < 0.5 else rng.choice(VALUES)
    return json.dumps(value).replace(json.dumps(mark), json.dumps(name)).replace(json.dumps(HUGE), "1e400")


def spoilt_json(data: bytes, rng: random.Random) -> bytes:
    """A document, or one line of several, with one value spoilt."""
    return with_text_spoilt(data, rng, spoilt_value)


def with_name_twice(data: bytes, rng: random.Random) -> bytes:
    """A document, or one line of several, with one name written twice; what is no JSON stays as it is."""
    try:
        return with_text_spoilt(data, rng, doubled_name)
    except ValueError:
        return data


def with_text_spoilt(data: bytes, rng: random.Random, spoil: Callable[[str, random.Random], str]) -> bytes:
    """A document, or one line of several, spoilt as JSON text."""
    text = data.decode("utf-8-sig")
    try:
        return spoil(text, rng).encode()
    except json.JSONDecodeError:
        lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    lines[at] = spoil(lines[at], rng) + "\n"
    return "".join(lines).encode()


def spoilt_archive(data: bytes, rng: random.Random) -> bytes:
    """A zip with one JSON member spoilt."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    at = rng.randrange(len(members))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        for place, (name, content) in enumerate(members):
            archive.writestr(name, spoilt_json(content, rng) if place == at else content)
    return target.getvalue()


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def flipped(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]


def spoilt(data: bytes, rng: random.Random) -> bytes:
    """The content of a file with one thing wrong."""
    ways: list[Callable[[bytes, random.Random], bytes]] = [cut, flipped]
    try:
        if data.startswith(GZIP):
            return gzip.compress(spoilt(gzip.decompress(data), rng))
        if rng.random() < 0.7:
            return (spoilt_archive if data.startswith(ZIP) else spoilt_json)(data, rng)
    except ValueError:  # no JSON: CSV, Parquet, a line that is broken on purpose
        pass
    return rng.choice(ways)(data, rng)


def faults(item: staged_rows.Item) -> list[str]:
    """What does not add up in the rows of a log."""
    batches = list(staging.stage(item))
    (count,) = staged_rows.of_kind(iter(batches), "counts").to_pylist()
    runs = sum(batch.num_rows for batch in batches if batch.column(0)[0].as_py() == "runs")
    quarantine = staged_rows.of_kind(iter(batches), "quarantine").to_pylist()
    refused = [row["source_offset"] for row in quarantine]
    told = [row["detail"] for row in quarantine if row["reason"] == READER_FAILED]
    if count["records"] != count["mapped"] + count["not_selected"] + count["quarantined"]:
        told.append(f"records: {count}")
    if count["runs"] != runs:
        told.append(f"{count['runs']} runs counted, {runs} found")
    if count["quarantined"] != len(refused) or len(refused) != len(set(refused)):
        told.append(f"{count['quarantined']} refused, at {refused}")
    if refused and min(refused) < 0:
        told.append(f"refused before the start of the file: {refused}")
    return told


@pytest.mark.parametrize("spoil", [spoilt, with_name_twice])
@pytest.mark.parametrize("reader", readers.READERS)
def test_rubbish_is_refused_and_records_add_up(
    reader: str, spoil: Callable[[bytes, random.Random], bytes], tmp_path: Path
) -> None:
    rng = random.Random(f"rubbish for {reader}")
    own = targets()[reader]
    for number, target in enumerate(own):
        shutil.copytree(target.case / "logs", tmp_path / str(number))
    for attempt in range(TRIES if spoil is spoilt else TRIES // 5):
        place = rng.randrange(len(own))
        case, item, files = own[place]
        log = tmp_path / str(place) / Path(item.uri).relative_to(case / "logs")
        other = rng.choice(files).relative_to(case / "logs") if rng.random() < 0.2 else None
        path = log if other is None else tmp_path / str(place) / other
        whole = path.read_bytes()
        path.write_bytes(spoil(whole, rng) if whole else b"{")
        try:
            told = faults(replace(item, uri=str(log))) if is_fit(item, log) else []
            detected(log, attempt)
            assert not told, f"attempt {attempt} of {reader}, {path}: {'; '.join(told)}"
        except Exception as error:
            kept = tmp_path / "spoilt"
            shutil.copy2(path, kept)
            error.add_note(f"attempt {attempt} of {reader}: {log}, with {path} spoilt; kept as {kept}")
            raise
        path.write_bytes(whole)


def test_a_reader_of_ours_that_fails_is_a_fault_and_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any) -> Any:
        raise KeyError("id")

    target = targets()["zeroeval"][0]
    reader = readers.reader_named("zeroeval")
    assert faults(target.item) == []
    monkeypatch.setattr(reader, "read", failing)
    (told,) = faults(target.item)
    assert "a reader failed (zeroeval, reading " in told
    monkeypatch.setattr(reader, "detect", failing)
    with pytest.raises(LogError, match=r"a reader failed \(zeroeval, "):
        detected(Path(target.item.uri), 0)


def is_fit(item: staged_rows.Item, path: Path) -> bool:
    """Does the mapping of an item still fit its log? Else the command ends before anything is read."""
    reader = readers.reader_named(item.choice.reader)
    try:
        return not isinstance(reader, readers.Prepares) or bool(
            reader.options_for(log_of(path), item.choice.options)
        )
    except SettingsError:
        return False


def detected(path: Path, attempt: int) -> None:
    """Ask every reader now and then whether it knows a spoilt file."""
    if attempt % 10 == 0:
        try:
            readers.detect(log_of(path))
        except LogError as error:
            if error.reason == READER_FAILED:
                raise
