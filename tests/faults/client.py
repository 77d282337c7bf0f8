"""One phase of the work in a process of its own, killed at a named write: what a lost driver looks like.

python -m tests.faults.client LAKE LOGS PHASE POINT before|after [SESSION]

Clients of one SESSION (a uuid) of the server share its Python workers, which take seconds to start.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from effspark import settings
from effspark.readers import Options, plan
from effspark.spark import session
from effspark.spark.ingest import Request, ingest
from effspark.spark.measure import measure
from effspark.spark.report import report
from effspark.spark.store import Store
from tests.spark.small import MAPPING, NOW

WHOLE_WRITE = Store.write


def killing(point: str, when: str) -> Callable[[Store, str, Callable[[], object]], None]:
    """`Store.write` that kills this process with SIGKILL before or after the first write of a name, or `name#2`."""
    wanted, _, place = point.partition("#")
    met: Counter[str] = Counter()

    def write(self: Store, name: str, action: Callable[[], object]) -> None:
        met[name] += 1
        here = name == wanted and met[name] == int(place or 1)
        if here and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        WHOLE_WRITE(self, name, action)
        if here and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)

    return write


CHANGED = {
    "version": 2,
    "where": "id != 'b'",
    "output_tokens": {"expr": "'500' if tokens == '-3' else tokens"},
    "benchmark": {"value": "riddle"},
}
"""A mended mapping of the same log: it leaves rows out, accepts what was refused, and names the benchmark otherwise."""


CONF = ("benchmarks.riddles.declared={W_cap: cap}", "benchmarks.riddles.axes=[cap]")
"""Work and levels of the instances, so that no table is empty."""


def requests(logs: Path, *, changed: bool = False) -> list[Request]:
    """Logs, items and labels of the fault tests."""
    plain = Options()
    mapping = {**MAPPING, "axes": {"cap": "cap"}, **(CHANGED if changed else {})}
    return [
        Request(plan.files([str(logs / "runs")]), "blue", Options(mapping=mapping)),
        Request(plan.files([str(logs / "zeroeval")]), "red", plain),
        Request(plan.files([str(logs / "labels.csv")]), "blue", plain, "labels", "labels"),
    ]


def work(store: Store, logs: Path, phase: str) -> None:
    """One phase: ingest, measure or report; or `again`, an ingest of the same log that reads it in another way."""
    if phase == "again":
        ingest(store, requests(logs, changed=True), now=NOW)
    elif phase == "ingest":
        ingest(store, requests(logs), now=NOW)
    elif phase == "measure":
        measure(store, settings.load(overrides=CONF))
    else:
        report(store, settings.load(overrides=CONF), name="test", now=NOW)


def main(lake: str, logs: str, phase: str, point: str, when: str, shared: str = "") -> None:
    """Do one phase and be killed on the way."""
    if shared:
        os.environ["SPARK_REMOTE"] += f"/;session_id={shared}"
    Store.write = killing(point, when)  # type: ignore[method-assign]
    spark = session.session()
    if shared:  # every client numbers its plans from 0, so the plans kept for one are not those of the next
        spark.conf.set("spark.connect.session.planCache.enabled", "false")
    work(Store(spark, lake), Path(logs), phase)


if __name__ == "__main__":
    main(*sys.argv[1:])
