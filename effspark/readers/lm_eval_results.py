"""What does the results file of an lm-evaluation-harness run say of the samples beside it?

    samples_<task>_<time>.jsonl + results_<time>.json of one folder  ->  task, model, filters, settings

The samples name neither model nor task. Both files of a run bear one time in their names; older versions wrote one
`results.json` and named the samples after model and task. A results file of another time is not looked at.
Source: formats.md section 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.cells import Kind, text_of, typed
from effspark.readers.companions import beside
from effspark.readers.configurations import configuration_of
from effspark.readers.files import Log
from effspark.readers.openai_bodies import time_of
from effspark.readers.python_json import python_decoded
from effspark.runs import keys
from effspark.runs.record import Configuration

_TIME = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)(?=\.json)")
_BEGINS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
_SCORES = re.compile(rb'"[^",]+_stderr,[^"]*"\s*:')
_MODEL_ARGUMENTS = ("peft", "delta", "pretrained", "model", "path", "engine")
_BUDGETS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
_OWN_COLUMNS = ("temperature", "seed", *_BUDGETS)


class _Step(msgspec.Struct):
    function: str | None = None


class _Filter(msgspec.Struct):
    name: str = "none"
    filter: list[_Step] = []


class _Task(msgspec.Struct):
    output_type: str | None = None
    doc_to_text: Any = None
    filter_list: list[_Filter] | None = None
    generation_kwargs: Any = None


class _Settings(msgspec.Struct):
    model: str | None = None
    model_args: str | dict[str, Any] | None = None
    model_revision: str | None = None
    model_sha: str | None = None
    random_seed: Any = None
    numpy_seed: Any = None
    torch_seed: Any = None
    fewshot_seed: Any = None


class Results(msgspec.Struct):
    """The fields of a results file that bear on its samples."""

    configs: dict[str, _Task]
    config: _Settings = msgspec.field(default_factory=_Settings)
    versions: dict[str, Any] = {}
    higher_is_better: dict[str, Any] = {}
    shots: dict[str, Any] = msgspec.field(name="n-shot", default_factory=dict)
    date: float | None = None
    model_name: str | None = None
    model_source: str | None = None
    lm_eval_version: str | None = None
    chat_template_sha: Any = None
    system_instruction_sha: Any = None
    fewshot_as_multiturn: Any = None


@dataclass(frozen=True)
class Evaluation:
    """One task of one results file."""

    task: str
    results: Results

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Arguments of the model, by name."""
        given = self.results.config.model_args
        if not isinstance(given, str):
            return given or {}
        pairs = (part.partition("=") for part in given.split(","))
        return {name.strip(): value.strip() for name, _, value in pairs if value}

    @property
    def model(self) -> str:
        """Model as the log names it, else the first argument that names one; empty where none does."""
        named = (self.arguments.get(name) for name in _MODEL_ARGUMENTS)
        return self.results.model_name or next((str(name) for name in named if name), "")

    @property
    def date(self) -> datetime | None:
        """When the evaluation began, UTC."""
        return time_of(self.results.date)

    @property
    def output_type(self) -> str | None:
        """What the task asks of a model, `generate_until` where it asks for text."""
        return self._of_task.output_type

    @property
    def version(self) -> str | None:
        """Version of the task."""
        return text_of(self.results.versions.get(self.task))

    @property
    def filters(self) -> list[str]:
        """Filters of the task, in its order."""
        return [one.name for one in self._of_task.filter_list or ()]

    @property
    def strips_reasoning(self) -> bool:
        """Was the text before the end tag of thinking cut off before it was logged?"""
        return bool(self.arguments.get("think_end_token"))

    @property
    def _of_task(self) -> _Task:
        return self.results.configs[self.task]

    def scores_first(self, filter_name: str | None) -> bool:
        """Does a filter keep the first of k texts alone? A task without filters does."""
        steps = next((one.filter for one in self._of_task.filter_list or () if one.name == filter_name), None)
        if steps is None:
            return not self._of_task.filter_list
        functions = {step.function for step in steps}
        return "take_first" in functions and "majority_vote" not in functions

    def lower_is_better(self, metric: str) -> bool:
        """Is a low value of a metric a good one?"""
        said = self.results.higher_is_better.get(self.task)
        return isinstance(said, Mapping) and said.get(metric) is False

    def question(self, doc: Any) -> str | None:
        """The bare question, where the template names one field of the document and no other."""
        template = self._of_task.doc_to_text
        if not isinstance(template, str) or not isinstance(doc, Mapping):
            return None
        fields = set(re.findall(r"\{\{(.*?)\}\}", template)) or {template}
        value = doc.get(fields.pop().strip()) if len(fields) == 1 and "{%" not in template else None
        return value if isinstance(value, str) else None

    def configuration(self, asked: Mapping[str, Any]) -> Configuration:
        """How the model was asked; `asked` are the generation settings of a sample."""
        budget = next((asked[name] for name in _BUDGETS if asked.get(name) is not None), None)
        if budget is None:
            default = self.arguments.get("max_gen_toks")
            budget = typed(default, Kind.COUNT, where="config.model_args.max_gen_toks", cells=True)
        settings = self.results.config
        return configuration_of(
            request_model=self.model,
            provider_route=self.results.model_source or settings.model,
            model_revision=settings.model_sha or settings.model_revision,
            temperature=asked.get("temperature"),
            output_budget_tokens=budget,
        )

    def eval_run_id(self, configuration: Configuration) -> str:
        """Hash of model, task and the settings that no column holds; an evaluation run again has the same."""
        results, settings, asked = self.results, self.results.config, self._of_task.generation_kwargs
        of_run = {
            "shots": results.shots.get(self.task),
            "chat_template": results.chat_template_sha,
            "system_instruction": results.system_instruction_sha,
            "multiturn": results.fewshot_as_multiturn,
            "arguments": {k: v for k, v in self.arguments.items() if k not in _OWN_COLUMNS},
            "seeds": [settings.random_seed, settings.numpy_seed, settings.torch_seed, settings.fewshot_seed],
            "asked": {k: v for k, v in asked.items() if k not in _OWN_COLUMNS}
            if isinstance(asked, Mapping)
            else asked,
        }
        return keys.digest("eval_run", "lm_eval", self.task, configuration.config_id, of_run)


def is_results(log: Log) -> bool:
    """Is a file a results file of the harness, by its first bytes?"""
    head = log.head
    return _BEGINS.match(head) is not None and _SCORES.search(head) is not None


def _may_be(name: str, time: re.Match[str] | None) -> bool:
    """May a file be the results of samples of a time? Asked before a file is opened: folders can be large."""
    return ".jsonl" not in name and (time is None or time[1] in name)


def evaluation_of(log: Log) -> Evaluation | str:
    """The task of the results file beside a samples file, or what was found in its place."""
    name = log.uri.rpartition("/")[2]
    time = _TIME.search(name)
    near = beside(log, lambda other: _may_be(other, time))
    known = [one for one in near.logs if is_results(one)]
    found: list[Evaluation] = []
    for one in known:
        try:
            results = python_decoded(one.text(), Results, offset=0)
        except LogError as error:
            return str(error)
        if isinstance(results, Rejected):
            return f"{one.uri.rpartition('/')[2]}, which cannot be read: {results.detail}"
        task = _task(name, results.configs)
        if task is not None:
            found.append(Evaluation(task, results))
    if len(found) == 1:
        return found[0]
    return near.told(f"{len(found)} results files of it among the {len(known)} beside it")


def _task(name: str, configs: Mapping[str, Any]) -> str | None:
    """Task that the name of a samples file ends in, else the only one there is."""
    stem = _TIME.sub("", name).partition(".json")[0]
    named = [
        task for task in configs if stem.endswith((f"_{task}", f"_{re.sub(r'[^0-9A-Za-z_]', '_', task)}"))
    ]
    if named:
        return max(named, key=len)
    return next(iter(configs)) if len(configs) == 1 else None
