"""A log format for tests: one line, one word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from effspark.errors import LogError
from effspark.readers import FIELDS, Carries, Entry, Mapped, NotSelected, Options, Reads, Rejected
from effspark.readers.files import Log
from effspark.runs import tokens
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict


class TinyReader:
    """One line, one word: what becomes of it."""

    name, version, reads, title = "tiny", 1, Reads.LINES, "words"
    trap = "None."
    carries: Mapping[str, Carries] = dict.fromkeys(FIELDS, Carries.ABSENT)

    def detect(self, log: Log) -> float:
        return 1.0 if log.head.startswith(b"#tiny") else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:  # noqa: ARG002
        for line in log.lines():
            yield from self._entries(line.offset, (line.text or "").strip())

    def _entries(self, offset: int, word: str) -> Iterator[Entry]:
        if word.startswith("#"):
            yield NotSelected(offset, "comment")
        elif word == "bad":
            yield Rejected(offset, "bad_word", "found bad", word)
        elif word == "worse":
            yield Rejected(offset, "worse_word", "found worse", word)
        elif word == "stop reading":
            raise LogError("the rest cannot be read")
        else:
            yield Mapped(offset, (self._run(word, 0), self._run(word, 1)), word)

    def _run(self, word: str, attempt: int) -> LoggedRun:
        return LoggedRun(
            configuration=Configuration(request_model="m"), benchmark_id="b", instance_id=word, attempt=str(attempt),
            usage=tokens.Usage(output=10), finish_reason="stop",
            verdicts=(LoggedVerdict(scorer="s", raw="1", value=1),),
        )  # fmt: skip
