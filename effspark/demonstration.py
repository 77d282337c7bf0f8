"""The demo: simulated logs of three teams become an efficiency table, step by step as the commands do it.

simulate -> ingest (items, three teams, then what came late) -> report
"""

from __future__ import annotations

import shutil
from datetime import datetime, timezone
from pathlib import Path

from effspark import commands, settings, show, show_load, simulation
from effspark.messages import here
from effspark.readers import plan
from effspark.spark import lock, session, store
from effspark.spark.ingest import Request, ingest
from effspark.spark.measure import measure
from effspark.spark.report import report

TEAMS = ("aurora", "birch", "cedar")
"""Teams whose logs are simulated."""
_MARK = ".demo"
_OWN = {
    _MARK, simulation.TRUTH_FILE, "conf.yaml", "items", "labels", "lake", "lake.lock", "late", "logs", "mappings",
}  # fmt: skip
"""What a demo leaves in its folder; the mark says that the lake is its own too."""


def demo(out: Path, *, seed: int, size: str = "demo") -> str:
    """Write simulated logs under `out`, ingest them into `out`/lake, report, print the table; the report's id."""
    _clear(out)
    simulation.simulate(out, seed=seed, size=size)
    commands.say(f"simulated logs of three teams: {out}/logs")
    (out / _MARK).write_text("made by effspark demo, which replaces this folder\n")
    settled = settings.load(out / "conf.yaml")
    lake = str((out / "lake").absolute())
    with lock.one_writer(lake):
        opened = store.Store(session.session(), lake)
        for step, requests in (("first logs", first), ("late files", late)):
            done = ingest(opened, requests(out, settled), now=datetime.now(timezone.utc))
            commands.say(f"ingest, {step}: {show_load.sum_line(done.totals)}")
        commands.say("measure: runs become moments")
        measure(opened, settled)
        commands.say("report: moments become estimates")
        written = report(opened, settled, name="demo", now=datetime.now(timezone.utc))
    show.print_report(written.report)
    commands.say(
        f'the lake is {here(lake)}; ask it: effspark sql --lake {here(lake)} "SELECT * FROM leaderboard"'
    )
    return written.report.report_id


def _clear(out: Path) -> None:
    """Remove what an earlier demo left; any other folder is left alone, and refused if it is not empty."""
    if (out / _MARK).is_file() and not {path.name for path in out.iterdir()} - _OWN:
        shutil.rmtree(out)


def first(out: Path, settled: settings.Settings) -> list[Request]:
    """What the demo ingests at first: the benchmark's items, labels, and each team's logs."""
    items = commands.options_of(settled, benchmark="gsm8k")
    asked = [Request(plan.files([str(out / "items")]), "benchmarks", items, "items", "items")]
    return [*asked, _labels(out, settled), *(_logs(out, team, settled) for team in TEAMS)]


def late(out: Path, settled: settings.Settings) -> list[Request]:
    """What comes later: missing labels, and corrected logs, which replace their first version as teams do it."""
    asked = [_labels(out / "late", settled)]
    for team in TEAMS:
        corrected = sorted((out / "late" / team).rglob("*")) if (out / "late" / team).is_dir() else []
        for file in corrected:
            shutil.copy2(file, out / "logs" / file.relative_to(out / "late"))
        if corrected:
            asked.append(_logs(out, team, settled))
    return asked


def _labels(folder: Path, settled: settings.Settings) -> Request:
    plain = commands.options_of(settled)
    return Request(plan.files([str(folder / "labels")]), "birch", plain, "labels", "labels")


def _logs(out: Path, team: str, settled: settings.Settings) -> Request:
    mapping = out / "mappings" / f"{team}.yaml"
    options = commands.options_of(settled, mapping=mapping if mapping.is_file() else None)
    return Request(plan.files([str(out / "logs" / team)]), team, options)
