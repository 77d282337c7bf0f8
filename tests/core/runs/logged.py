"""One logged run and the log it stands in, for tests of what becomes of them."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, NamedTuple

from effspark.runs.build import Attempt, Provenance, build
from effspark.runs.checked import checked
from effspark.runs.record import Configuration, LoggedRun
from effspark.runs.tokens import Usage

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
MODEL = Configuration(request_model="acme/one", output_budget_tokens=1000)
RUN = LoggedRun(
    configuration=MODEL, benchmark_id="gsm8k", instance_id="0", attempt="1", usage=Usage(output=330)
)
LOG = Provenance(
    source_format="mapper",
    reader_version=1,
    mapping_version=0,
    source_uri="a.jsonl",
    source_sha256="ab",
    file_time=NOON,
    team="a",
)


class Built(NamedTuple):
    """Rows of one run; `instance` and `trace` are null where there is none."""

    run: dict[str, Any]
    run_source: dict[str, Any]
    configuration: dict[str, Any]
    verdicts: list[dict[str, Any]]
    trace: dict[str, Any] | None
    instance: dict[str, Any] | None


def built(logged: LoggedRun = RUN, log: Provenance = LOG, *, offset: int = 0, answer: int = 0) -> Built:
    """What becomes of one run."""
    found = build([Attempt(logged=checked(logged), offset=offset, answer=answer)], log)
    rows = {table: batch.to_pylist(maps_as_pydicts="strict") for table, batch in found.items()}
    (run,), (source,), (configuration,) = rows["runs"], rows["run_sources"], rows["configurations"]
    trace, instance = (next(iter(rows[table]), None) for table in ("traces", "instances"))
    return Built(run, source, configuration, rows["verdicts"], trace, instance)


def run_key(logged: LoggedRun = RUN, log: Provenance = LOG) -> str:
    """Key of one run."""
    return str(built(logged, log).run["run_key"])
