"""Keys and hashes that tables hold: another value would fork the history of every run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from effspark.runs.checked import checked
from effspark.runs.identity import identity_of
from effspark.runs.record import LoggedRun
from effspark.runs.tokens import Usage
from tests.core.runs.logged import LOG, RUN

SILENT = replace(
    RUN,
    attempt=None,
    eval_run_id="task-7",
    answer='é\n"18"\u2028',
    reasoning="so",
    usage=Usage(output=330, reasoning=9),
)
HASHED = "c5e1056be3347ef1", "1", "f19d17cf01bff403", "f19d17cf01bff403"


@pytest.mark.parametrize(
    ("run", "known"),
    [
        (RUN, ("84cf22d012f5d851", *HASHED)),
        (SILENT, ("c9f07d47558669ad", "task-7", "bf1801dc8bb2d1c3", "bf1801dc8bb2d1c3", "cf9748ca75f6aafc")),
        (replace(RUN, result_id="r-1"), ("a9b9d236bedf9d6a", *HASHED)),
    ],
    ids=["attempt", "neither", "result"],
)
def test_what_a_run_is_known_by_stays_the_same(run: LoggedRun, known: tuple[str, ...]) -> None:
    sound = checked(run)
    model = sound.configuration
    found = identity_of(sound, LOG.source_format, model.family_id, model.config_id)
    names = ("run_key", "eval_run_id", "attempt", "content_hash", "generation_hash")
    assert tuple(getattr(found, name)[:16] for name in names) == known
