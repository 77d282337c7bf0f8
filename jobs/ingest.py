"""Logs become runs in a lake."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Annotated

import typer

from effspark import commands, lakes, settings

MaxRejected = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        help="Largest share of the files' records, 0 to 1, that may be quarantined (exit code 3).",
    ),
]


def ingest(
    paths: Annotated[list[str] | None, typer.Argument(help="Log files, or folders of them.")] = None,
    lake: commands.Lake = None,
    team: Annotated[str, typer.Option(help="Team that ran the evaluations.")] = "default",
    format_name: commands.Format = "auto",
    benchmark: commands.Benchmark = None,
    mapping: commands.Mapping = None,
    instances: commands.Instances = None,
    labels: commands.Labels = None,
    conf: commands.Conf = None,
    overrides: commands.Overrides = None,
    max_rejected: MaxRejected = 1.0,
    as_json: commands.AsJson = False,
) -> int:
    """Read logs, benchmark items or labels into a lake."""
    from effspark import show_load
    from effspark.messages import working
    from effspark.readers import plan
    from effspark.spark import lock, session, store
    from effspark.spark.ingest import Request
    from effspark.spark.ingest import ingest as load
    from effspark.wording import counted

    settled = settings.load(conf, overrides or ())
    where, team = lakes.named(lake), commands.check_team(team)
    options = commands.options_of(settled, benchmark=benchmark, mapping=mapping)
    given = commands.companions(instances, labels, benchmark)
    listings = [(kind, plan.listed([str(path)])) for kind, path in given]
    asked = [Request(listed.logs, team, options, kind, kind) for kind, listed in listings]
    if paths:
        logs = plan.listed(paths, but={log.uri for request in asked for log in request.logs})
        asked.append(Request(logs.logs, team, options, format_name))
        listings.append(("log", logs))
    if not asked:
        raise typer.BadParameter("pass PATH…, --instances FILE or --labels FILE")
    show_load.print_skipped([told for _, listed in listings for told in listed.skipped])
    files = counted(sum(len(request.logs) for request in asked), "file")
    with lock.one_writer(where), working(f"ingest: {files} into {where}"):
        done = load(store.Store(session.session(), where), asked, now=datetime.now(timezone.utc))
    show_load.print_load(done, as_json=as_json)
    return commands.GATE if show_load.too_many_rejected(done, max_rejected) else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the job."""
    return commands.run(commands.single(ingest), argv)


if __name__ == "__main__":
    sys.exit(main())
