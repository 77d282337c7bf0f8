"""simple-evals results: why can they not be read?

    <eval>_<model>_allresults.json, <eval>_<model>.html  ->  one rejection that says so

The files hold an average, conversations and pages of HTML. Usage is dropped, ids are absent, n_repeats stand
unlabelled beside one another, and the score of a conversation is a line of its page: none of this makes a run whose
T, instance and attempt are known. A file is refused by name, so that nobody looks for the fault elsewhere. Source:
formats.md section 2.5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from effspark.errors import problem
from effspark.readers import FIELDS, Carries, Entry, Options, Reader, Reads, Rejected
from effspark.readers.documents import WHOLE, document_columns
from effspark.readers.files import Log

REASON = "unsupported_format"
_NAMES = {"score", "metrics", "htmls"}
_HEADINGS = (b"<h3>Prompt conversation</h3>", b"<h3>Sampled message</h3>")
_KEPT_CHARACTERS = 4096


class SimpleEvals:
    """Recognises result files of simple-evals and refuses them."""

    name = "simple_evals"
    version = 1
    reads = Reads.FILE
    title = "simple-evals results: recognised and refused (no usage, no ids, scores in HTML)"
    trap = "Usage and ids are dropped before the file is written; a run cannot be told from its repeats."
    carries: Mapping[str, Carries] = dict.fromkeys(FIELDS, Carries.ABSENT)

    def detect(self, log: Log) -> float:
        """Confidence by the names of the document, or the headings of the page."""
        start = log.head.lstrip()
        if start.startswith(b"{"):
            seen = document_columns(start.decode("utf-8", "replace"), WHOLE)
            return 0.95 if seen.keys() >= _NAMES else 0.0
        return 0.95 if start.startswith(b"<") and all(heading in start for heading in _HEADINGS) else 0.0

    def read(self, log: Log, options: Options) -> Iterator[Entry]:  # noqa: ARG002
        """One rejection."""
        detail = problem(
            "simple-evals results are not read",
            where=log.uri,
            found="an average, conversations and HTML: no token counts, no ids, repeats without a label",
            allowed="a log with one record a run, that names instance, model and tokens",
            remedy="log the sampler's responses (usage, finish_reason) beside the evaluation, and load those with "
            "labels, or run the eval in a harness that keeps them, such as Inspect",
        )
        yield Rejected(0, REASON, detail, log.head.decode("utf-8", "replace")[:_KEPT_CHARACTERS])


READER: Reader = SimpleEvals()
