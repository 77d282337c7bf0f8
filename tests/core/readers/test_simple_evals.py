"""simple-evals results are known, and refused for one reason that can be acted on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest

from effspark.readers import Carries, Options, Rejected, detect
from effspark.readers.files import Log
from effspark.readers.simple_evals import READER

Write = Callable[[str], Log]
PAGE = "<html><body>\n<h3>Prompt conversation</h3>\n<h3>Sampled message</h3>\n</body></html>"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def log(text: str) -> Log:
        path = tmp_path / "result"
        path.write_text(text, "utf-8")
        return Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))

    return log


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ('{"score": 0.5, "metrics": {}, "htmls": ["' + "x" * 70_000, 0.95),
        ('{"score": null, "metrics": {}, "htmls": [], "convos": [], "metadata": null}', 0.95),
        (PAGE, 0.95),
        ('{"score": 0.5, "metrics": {}}', 0),
        ('[{"score": 0.5, "metrics": {}, "htmls": []}]', 0),
        ("<html><h3>Prompt conversation</h3></html>", 0),
        ("<h3>", 0),
        ("", 0),
    ],
)
def test_its_files_are_known_by_content(write: Write, text: str, confidence: float) -> None:
    assert READER.detect(write(text)) == confidence


def test_a_file_is_one_rejection_that_says_why_and_what_to_do(samples: Path) -> None:
    (path,) = (samples / "logs" / "simple_evals").iterdir()
    log = Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))
    assert detect(log).name == "simple_evals"
    (entry,) = READER.read(log, Options())
    assert isinstance(entry, Rejected)
    assert (entry.offset, entry.reason) == (0, "unsupported_format")
    assert entry.detail == (
        f"simple-evals results are not read ({path}): found an average, conversations and HTML: no token counts, no "
        "ids, repeats without a label; allowed: a log with one record a run, that names instance, model and tokens; "
        "log the sampler's responses (usage, finish_reason) beside the evaluation, and load those with labels, or run "
        "the eval in a harness that keeps them, such as Inspect"
    )
    assert entry.raw.startswith('{\n  "score": 0.5')


def test_a_refused_format_carries_nothing() -> None:
    assert set(READER.carries.values()) == {Carries.ABSENT}


def test_no_file_of_another_tool_is_refused(samples: Path) -> None:
    found = []
    for path in sorted((samples / "logs").rglob("*")):
        if path.is_file() and path.parent.name != "simple_evals":
            log = Log(str(path), path.stat().st_size, datetime(2026, 1, 1, tzinfo=timezone.utc))
            found += [path.name] if READER.detect(log) > 0 else []
    assert found == []
