"""What does the results file of a lighteval run say of its details?

    details_<task>|<shots>_<time>.parquet + results_<time>.json  ->  model, settings, task, budget

Details name no model. Both files bear one time in their names; the results lie in the folder of the details, in the
one above (copies from a hub), or in lighteval's own tree: `details/<model>/<time>/` beside `results/<model>/`.
Times inside count seconds of a process, not of the world. Source: formats.md section 2.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from effspark.errors import LogError
from effspark.readers import Rejected
from effspark.readers.cells import text_of
from effspark.readers.companions import Beside, beside, file_at
from effspark.readers.configurations import configuration_of
from effspark.readers.files import Log
from effspark.readers.python_json import python_decoded
from effspark.runs import keys
from effspark.runs.record import Configuration

_NAME = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.parquet")
_SHOTS = re.compile(r"(\|\d+)+$")
_BEGINS = re.compile(rb'\s*\{\s*"config_general"\s*:\s*\{')
_IN_COLUMNS = frozenset({"temperature", "max_new_tokens"})
_NO_SETTINGS = frozenset({"model_name", "generation_parameters", "cache_dir"})


class _General(msgspec.Struct):
    model_name: str | None = None
    model_sha: str | None = None
    lighteval_sha: str | None = None
    model_config: Any = None
    generation_parameters: Any = None


class Results(msgspec.Struct):
    """The fields of a results file that bear on its details."""

    config_general: _General
    versions: dict[str, Any] = {}
    config_tasks: dict[str, Any] = {}


@dataclass(frozen=True)
class Evaluation:
    """One results file, and the task that a details file is named after (empty where it is renamed)."""

    results: Results
    task: str

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the model; older versions logged none but how it generates."""
        return _mapping(self.results.config_general.model_config)

    @property
    def generation(self) -> Mapping[str, Any]:
        """Generation parameters that were set."""
        said = self.settings.get("generation_parameters") or self.results.config_general.generation_parameters
        return {name: value for name, value in _mapping(said).items() if value is not None}

    @property
    def model(self) -> str:
        """Model as the log names it; empty where it does not."""
        return self.results.config_general.model_name or text_of(self.settings.get("model_name")) or ""

    @property
    def version(self) -> str | None:
        """Version of the task; lighteval 0.13 leaves `versions` empty and has it among the task's settings."""
        said = self.results.versions.get(self.task)
        return text_of(self._of_task.get("version") if said is None else said)

    @property
    def _of_task(self) -> Mapping[str, Any]:
        return _mapping(self.results.config_tasks.get(self.task))

    def configuration(self, generation_size: int | None) -> Configuration:
        """How the model was asked; a size set for the run outranks the size of the document or task."""
        general = self.results.config_general
        of_task = self._of_task.get("generation_size")
        sizes = (self.generation.get("max_new_tokens"), generation_size, of_task)
        return configuration_of(
            request_model=self.model,
            provider_route=text_of(self.settings.get("provider")),
            model_revision=general.model_sha or text_of(self.settings.get("revision")) or None,
            temperature=self.generation.get("temperature"),
            output_budget_tokens=next((size for size in sizes if size is not None), None),
        )

    def eval_run_id(self, benchmark: str, configuration: Configuration) -> str:
        """Hash of model, task and the settings that no column holds; an evaluation run again has the same."""
        generation = {name: value for name, value in self.generation.items() if name not in _IN_COLUMNS}
        settings = {
            name: value
            for name, value in self.settings.items()
            if name not in _NO_SETTINGS and value is not None
        }
        shots = self.task.removeprefix(bare(self.task))
        return keys.digest(
            "eval_run", "lighteval", benchmark, configuration.config_id, generation, settings, shots
        )


def bare(task: str) -> str:
    """Name of a task without its number of shots.

    >>> bare("leaderboard|gsm8k|5"), bare("mmlu:anatomy|0|0"), bare("gsm8k")
    ('leaderboard|gsm8k', 'mmlu:anatomy', 'gsm8k')
    """
    return _SHOTS.sub("", task)


def is_results(log: Log) -> bool:
    """Is a file a results file of lighteval, by its first bytes?"""
    head = log.head
    return _BEGINS.match(head) is not None and b'"lighteval_sha"' in head


def evaluation_of(log: Log) -> Evaluation | str:
    """The results file of a details file, or what was found in its place."""
    named = _NAME.search(log.uri.rpartition("/")[2])
    near = beside(log, lambda name: ".json" in name) if named is None else _places(log.uri, named["time"])
    known = [one for one in near.logs if is_results(one)]
    if not known or (named is None and len(known) > 1):
        return near.told(f"{len(known)} results files that can be its own")
    try:
        results = python_decoded(known[0].text(), Results, offset=0)
    except LogError as error:
        return str(error)
    if isinstance(results, Rejected):
        return f"{known[0].uri}, which cannot be read: {results.detail}"
    return Evaluation(results, named["task"] if named else "")


def _places(uri: str, time: str) -> Beside:
    """Results files of a time where lighteval or a hub puts them, the nearest first."""
    folder = uri.rpartition("/")[0]
    above = folder.rpartition("/")[0]
    root, details, model = above.rpartition("/details/")
    found = Beside([], [])
    for place in (folder, above, *([f"{root}/results/{model}"] if details else [])):
        try:
            one = file_at(f"{place}/results_{time}.json")
            if one is not None and one.head:
                found.logs.append(one)
        except LogError as error:
            found.unreadable.append(str(error))
    return found


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
