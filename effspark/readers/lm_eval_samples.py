"""What does one line of lm-evaluation-harness samples say: texts, settings, metrics?

    line {doc_id, doc, arguments, resps, filter, metrics, ...}  ->  generation settings, k texts, verdicts, runs

`arguments` and `resps` are read in their current shape and in that of older versions (plain lists, settings as
the text of a Python dict). Which filter counts, and what the results file says, is decided elsewhere. Source:
formats.md section 2.2.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from effspark.errors import LogError, problem
from effspark.readers.cells import text_of
from effspark.readers.inspect_scores import graded
from effspark.readers.lm_eval_results import Evaluation
from effspark.runs.record import LoggedRun, LoggedVerdict, ScoreKind, Visibility

Sample = Mapping[str, Any]
Judged = Mapping[str | None, Sequence[LoggedVerdict]]
"""Verdicts of one document, by filter."""
_NO_SCORE = frozenset({"bypass"})
_ASKED = ("doc_id", "doc", "target", "arguments", "doc_hash", "prompt_hash", "target_hash")
_FIELDS = frozenset((*_ASKED, "resps", "filtered_resps", "filter", "metrics"))


def filter_of(sample: Sample) -> str | None:
    """Filter of a sample; logs from before there were filters name none.

    >>> filter_of({"filter": "strict-match"}), filter_of({})
    ('strict-match', None)
    """
    return text_of(sample.get("filter"))


def generates(sample: Sample, output_type: str | None) -> bool:
    """Does a sample ask for text? Else it asks for log-likelihoods, and nothing is generated.

    Where nothing says what it asks for, its answers tell: those of log-likelihoods are pairs.

    >>> asks = {"arguments": {"gen_args_0": {"arg_0": "2+2?", "arg_1": {"temperature": 0.0}}}}
    >>> generates(asks, None), generates({"arguments": [["2+2?", " 4"]]}, None), generates(asks, "multiple_choice")
    (True, False, False)
    """
    if output_type is not None:
        return output_type == "generate_until"
    if sample.get("arguments") is None:
        return not _are_pairs(sample.get("resps"))
    _, settings = _argument(sample)
    return isinstance(settings, Mapping) or (isinstance(settings, str) and settings.startswith("{"))


def verdicts(sample: Sample, evaluation: Evaluation) -> list[LoggedVerdict]:
    """Verdicts of a sample, one a metric; what is no number, or good where it is low, is kept as text alone."""
    names = sample.get("metrics")
    listed = names if isinstance(names, list) else [name for name in sample if name not in _FIELDS]
    found = []
    for name in listed:
        if not isinstance(name, str) or name in _NO_SCORE or sample.get(name) is None:
            continue
        value = sample[name]
        read = graded(value)
        known = isinstance(value, (int, float)) and not evaluation.lower_is_better(name)
        found.append(
            LoggedVerdict(
                scorer=name,
                raw=read.raw,
                value=read.value if known else None,
                kind=read.kind if known else ScoreKind.FRACTIONAL,
                extracted_answer=_only_text(sample.get("filtered_resps")),
            )
        )
    return found


def runs(
    sample: Sample, evaluation: Evaluation, judged: Judged, *, instance_id: Any, hidden: bool
) -> tuple[LoggedRun, ...]:
    """Runs of a sample, one a text.

    Parameters
    ----------
    sample
        Line of the chosen filter.
    judged
        Verdicts of the document by filter, all filters.
    instance_id
        Name of the document.
    hidden
        The model keeps its reasoning to itself.

    Raises
    ------
    LogError
        The sample holds no list of texts, or no settings.
    """
    texts = _texts(sample)
    chosen = filter_of(sample)
    first, together = _of_texts(judged, chosen, evaluation, len(texts))
    tags = {} if chosen is None else {"filter": chosen}
    known = _known(sample, evaluation)
    found = []
    for place, answer in enumerate(texts):
        seen = _visibility(answer, strips=evaluation.strips_reasoning, hidden=hidden)
        found.append(
            LoggedRun(
                **known,
                instance_id=instance_id,
                attempt=str(place),
                answer=answer,
                verdicts=tuple(first) if place == 0 else (),
                trace_visibility=seen,
                estimable=seen is Visibility.FULL,
                quality_flags=("score_of_k_texts",) if together else (),
                tags={**tags, **together} if place == 0 else tags,
            )
        )
    return tuple(found)


def _of_texts(
    judged: Judged, chosen: str | None, evaluation: Evaluation, n_texts: int
) -> tuple[list[LoggedVerdict], dict[str, str]]:
    """Verdicts of the first text, under the name of the metric for the chosen filter, and scores of all k together."""
    first, together = [], {}
    for name, found in judged.items():
        for verdict in found:
            scorer = verdict.scorer if name == chosen else f"{verdict.scorer},{name}"
            if n_texts == 1 or evaluation.scores_first(name):
                first.append(replace(verdict, scorer=scorer))
            else:
                together[f"score.{scorer}"] = verdict.raw or ""
    return first, together


def _known(sample: Sample, evaluation: Evaluation) -> dict[str, Any]:
    """Fields that the k runs of a sample have in common."""
    prompt, asked = _argument(sample)
    settings = _settings(asked)
    configuration = evaluation.configuration(settings)
    return {
        "configuration": configuration,
        "benchmark_id": evaluation.task,
        "benchmark_version": evaluation.version,
        "eval_run_id": evaluation.eval_run_id(configuration),
        "seed": settings.get("seed"),
        "prompt": text_of(prompt),
        "question": evaluation.question(sample.get("doc")),
        "gold": text_of(sample.get("target")),
        "started_at": evaluation.date,
        "log_version": evaluation.date,
        "format_version": evaluation.results.lm_eval_version,
    }


def _argument(sample: Sample) -> tuple[Any, Any]:
    """Prompt and second argument of the first request of a sample."""
    given = sample.get("arguments")
    listed = list(given.values()) if isinstance(given, Mapping) else given
    first = listed[0] if isinstance(listed, list) and listed else None
    parts = list(first.values()) if isinstance(first, Mapping) else first
    if not isinstance(parts, list):
        return parts, None
    return (*parts, None, None)[0], (*parts, None, None)[1]


def _settings(asked: Any) -> Mapping[str, Any]:
    """Generation settings; older versions logged the text of a Python dict."""
    found = asked
    if isinstance(asked, str):
        try:
            found = ast.literal_eval(asked)
        except (ValueError, SyntaxError, RecursionError) as error:
            raise LogError(_fault("arguments", repr(asked), "generation settings")) from error
    if isinstance(found, Mapping):
        return found
    raise LogError(_fault("arguments", repr(found), "a prompt and generation settings"))


def _texts(sample: Sample) -> list[str | None]:
    requests = sample.get("resps")
    texts = requests[0] if isinstance(requests, list) and len(requests) == 1 else None
    if isinstance(texts, str):
        texts = [texts]
    if isinstance(texts, list) and texts and all(text is None or isinstance(text, str) for text in texts):
        return texts
    raise LogError(_fault("resps", repr(requests), "one list of one or more texts"))


def _are_pairs(requests: Any) -> bool:
    """Is each answer a log-likelihood, beside whether it is the greedy one?"""
    listed = requests if isinstance(requests, list) else []
    answers = [answer for request in listed if isinstance(request, list) for answer in request]
    return bool(answers) and all(isinstance(answer, list) for answer in answers)


def _only_text(filtered: Any) -> str | None:
    while isinstance(filtered, list) and len(filtered) == 1:
        filtered = filtered[0]
    return filtered if isinstance(filtered, str) else None


def _visibility(answer: str | None, *, strips: bool, hidden: bool) -> Visibility:
    if strips:
        return Visibility.REDACTED
    if hidden:
        return Visibility.HIDDEN
    return Visibility.FULL if answer else Visibility.NONE


def _fault(name: str, found: str, allowed: str) -> str:
    return problem(
        f"no {name} of one generation",
        where=name,
        found=f"{found:.80}",
        allowed=allowed,
        remedy="fix the log, or describe it with --mapping",
    )
